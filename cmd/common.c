/* What every command shares: options, messages, exit codes, colour. */
#include "command.h"
#include "support/progress.h"

#include "base/buf.h"
#include "model/report.h"

#include <stdarg.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char *const when_words[] = { "auto", "always", "never", NULL };

#define AT(field) offsetof(struct c4w_shared, field)

const struct c4w_option c4w_shared_options[] = {
	{ .name = "jobs", .letter = 'j', .kind = C4W_OPT_INT, .arg = "N", .offset = AT(jobs), .min = 0, .max = 4096,
	  .def_text = "all processors", .brief = "threads in total",
	  .text = "Number of threads in total. 0 stands for the processors available to the process. The output does not depend on it." },
	{ .name = "memory", .kind = C4W_OPT_SIZE, .arg = "SIZE", .offset = AT(memory), .def = "1G",
	  .brief = "bound on the memory of items in work",
	  .text = "Items are started while the sum of their memory stays below SIZE. One item that needs more than SIZE is refused. "
		  "K, M and G are powers of 1024." },
	{ .name = "ignore", .kind = C4W_OPT_LIST, .arg = "RULE", .offset = AT(ignore), .brief = "do not report findings of this rule (repeatable)",
	  .text = "Findings of the rule with this id, for example core.delay-negative, are neither printed nor counted. May be given "
		  "several times. The ids are in c4w-rules(7)." },
	{ .name = "as", .kind = C4W_OPT_STRING, .arg = "FAMILY", .offset = AT(as), .brief = "read PATH as this family, or as a plain file",
	  .text = "What PATH is to be read as: the name of a dataset family, or \"file\" for the bare container. Without it the family "
		  "is found from the path; c4w info says which and why." },
	{ .name = "json", .kind = C4W_OPT_FLAG, .offset = AT(json), .brief = "print one JSON object a line",
	  .text = "Print one JSON object a line on standard output instead of text, errors included." },
	{ .name = "quiet", .letter = 'q', .kind = C4W_OPT_FLAG, .offset = AT(quiet), .brief = "say less",
	  .text = "Print no progress and no summary on standard error; what remains are errors." },
	{ .name = "force", .letter = 'f', .kind = C4W_OPT_FLAG, .offset = AT(force), .brief = "write binary data to a terminal",
	  .text = "Binary data is not written to a terminal without this option." },
	{ .name = "progress", .kind = C4W_OPT_ENUM, .arg = "WHEN", .offset = AT(progress), .values = when_words, .def = "auto",
	  .brief = "progress on standard error: auto, always, never",
	  .text = "When to show progress on standard error. With \"auto\" only when standard error is a terminal." },
	{ .name = "color", .kind = C4W_OPT_ENUM, .arg = "WHEN", .offset = AT(color), .values = when_words, .def = "auto",
	  .brief = "colours: auto, always, never",
	  .text = "When to use colours. With \"auto\" only on a terminal whose TERM is not \"dumb\", and not when NO_COLOR is set." },
	{ .name = "help", .kind = C4W_OPT_FLAG, .offset = AT(help), .brief = "show help; -h is shorter",
	  .text = "Show the help on standard output and exit with 0. With -h it fits a screen." },
	{ .name = NULL },
};

unsigned c4w_shared_bit(const struct c4w_option *o)
{
	switch (o->offset) {
	case AT(jobs):
		return C4W_SHARE_JOBS;
	case AT(memory):
		return C4W_SHARE_MEMORY;
	case AT(ignore):
		return C4W_SHARE_IGNORE;
	case AT(as):
		return C4W_SHARE_AS;
	case AT(json):
		return C4W_SHARE_JSON;
	case AT(quiet):
		return C4W_SHARE_QUIET;
	case AT(force):
		return C4W_SHARE_FORCE;
	case AT(progress):
		return C4W_SHARE_PROGRESS;
	default:
		return 0;
	}
}

int c4w_exit_worst(int a, int b)
{
	static const int rank[] = { [C4W_EXIT_OK] = 0, [C4W_EXIT_UNSUPPORTED] = 1, [C4W_EXIT_FALSE] = 2, [C4W_EXIT_FAILED] = 3,
				    [C4W_EXIT_USAGE] = 4 };
	return rank[a] >= rank[b] ? a : b;
}

static void json_field(struct c4w_buf *b, const char *key, const char *value)
{
	c4w_buf_printf(b, ", \"%s\": ", key);
	c4w_buf_json(b, value, strlen(value));
}

static void say_json(struct c4w_ctx *ctx, const struct c4w_err *err)
{
	struct c4w_buf b = { 0 };
	c4w_buf_puts(&b, "{\"type\": \"error\"");
	json_field(&b, "class", c4w_class_name(err->cls));
	if (err->path[0])
		json_field(&b, "path", err->path);
	if (err->offset >= 0)
		c4w_buf_printf(&b, ", \"offset\": %lld", (long long)err->offset);
	if (err->rule)
		json_field(&b, "rule", err->rule);
	json_field(&b, "message", err->message);
	if (err->expected[0])
		json_field(&b, "expected", err->expected);
	if (err->found[0])
		json_field(&b, "found", err->found);
	if (err->hint[0])
		json_field(&b, "hint", err->hint);
	c4w_buf_puts(&b, "}\n");
	if (!b.failed)
		fwrite(b.p, 1, b.n, ctx->out);
	c4w_buf_clear(&b);
}

/* No progress is drawn until the stream is unlocked. */
static void say_begin(struct c4w_ctx *ctx)
{
	flockfile(ctx->err);
	if (ctx->progress)
		c4w_progress_wipe(ctx->progress);
}

int c4w_say(struct c4w_ctx *ctx, const struct c4w_err *err)
{
	struct c4w_err rest = *err;
	char text[1600];
	/* The signal says it all; main dies by it. */
	if (err->cls == C4W_CANCELLED)
		return C4W_EXIT_FAILED;
	say_begin(ctx);
	if (ctx->shared.json)
		say_json(ctx, err);
	fflush(ctx->out);
	rest.path[0] = 0;
	c4w_err_format(&rest, text, sizeof text);
	/* Some messages begin with the file's name anyway. */
	if (err->path[0] && strncmp(text, err->path, strlen(err->path)) != 0)
		fprintf(ctx->err, "c4w %s: '%s': %s\n", ctx->name, err->path, text);
	else
		fprintf(ctx->err, "c4w %s: %s\n", ctx->name, text);
	if (err->hint[0])
		fprintf(ctx->err, "hint: %s\n", err->hint);
	funlockfile(ctx->err);
	return c4w_exit_code(err->cls, ctx->command->verdict);
}

int c4w_say_open(struct c4w_ctx *ctx, const struct c4w_err *err)
{
	int code = c4w_say(ctx, err);
	return err->cls == C4W_ABSENT ? C4W_EXIT_FAILED : code;
}

void c4w_warn(struct c4w_ctx *ctx, const char *fmt, ...)
{
	va_list ap;
	say_begin(ctx);
	fflush(ctx->out);
	fprintf(ctx->err, "c4w %s: ", ctx->name);
	va_start(ap, fmt);
	vfprintf(ctx->err, fmt, ap);
	va_end(ap);
	fputc('\n', ctx->err);
	funlockfile(ctx->err);
}

int c4w_usage(struct c4w_ctx *ctx, const char *fmt, ...)
{
	va_list ap;
	fprintf(ctx->err, "c4w %s: ", ctx->name);
	va_start(ap, fmt);
	vfprintf(ctx->err, fmt, ap);
	va_end(ap);
	fprintf(ctx->err, "\nhint: see 'c4w %s --help'\n", ctx->name);
	return C4W_EXIT_USAGE;
}

bool c4w_is_terminal(FILE *stream)
{
	return isatty(stream == stderr ? STDERR_FILENO : STDOUT_FILENO) == 1;
}

bool c4w_terminal_is_dumb(void)
{
	const char *term = getenv("TERM");
	return !term || !*term || strcmp(term, "dumb") == 0;
}

bool c4w_color_on(const struct c4w_ctx *ctx, FILE *stream)
{
	const char *no = getenv("NO_COLOR");
	if (ctx->shared.color != C4W_AUTO)
		return ctx->shared.color == C4W_ALWAYS;
	return (!no || !*no) && !c4w_terminal_is_dumb() && c4w_is_terminal(stream);
}

bool c4w_progress_on(const struct c4w_ctx *ctx)
{
	if (ctx->shared.quiet)
		return false;
	if (ctx->shared.progress != C4W_AUTO)
		return ctx->shared.progress == C4W_ALWAYS;
	return !c4w_terminal_is_dumb() && c4w_is_terminal(stderr);
}

unsigned c4w_columns(void)
{
	struct winsize ws;
	int64_t n;
	const char *env = getenv("COLUMNS");
	if (env && c4w_parse_int(env, &n) && n > 0 && n < 10000)
		return (unsigned)n;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_col > 0)
		return ws.ws_col;
	return 80;
}

unsigned c4w_lines(void)
{
	struct winsize ws;
	int64_t n;
	const char *env = getenv("LINES");
	if (env && c4w_parse_int(env, &n) && n > 0 && n < 10000)
		return (unsigned)n;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_row > 0)
		return ws.ws_row;
	return 40;
}

enum c4w_term c4w_terminal(const struct c4w_ctx *ctx)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *locale = NULL;
	unsigned i;
	for (i = 0; i < 3 && !(locale && *locale); i++)
		locale = getenv(names[i]);
	return c4w_term_kind(c4w_color_on(ctx, ctx->out), getenv("TERM"), getenv("COLORTERM"), locale);
}
