/* `c4w help`, and the help texts of all commands, out of the tables. */
#include "command.h"

#include "base/buf.h"
#include "base/version.h"

struct help_args {
	bool man, names, rules;
	const char *shell;
};

static const char *const shells[] = { "bash", "zsh", "fish", NULL };

static const struct c4w_option options[] = {
	{ .name = "man", .kind = C4W_OPT_FLAG, .offset = offsetof(struct help_args, man), .brief = "print the manual page's source",
	  .text = "Print the manual page's source (mdoc), of c4w(1) or of the command NAME." },
	{ .name = "names", .kind = C4W_OPT_FLAG, .offset = offsetof(struct help_args, names), .brief = "print the commands' names alone",
	  .text = "Print the names of all commands, other names included, one a line." },
	{ .name = "rules", .kind = C4W_OPT_FLAG, .offset = offsetof(struct help_args, rules), .brief = "list the rules that --ignore takes",
	  .text = "List the rules of all formats: the id that findings carry and --ignore takes, and what holds in a sound file. With --man, the "
		  "source of c4w-rules(7).", .conflicts = "names" },
	{ .name = "complete", .kind = C4W_OPT_STRING, .arg = "SHELL", .offset = offsetof(struct help_args, shell), .values = shells,
	  .brief = "print completions for bash, zsh or fish",
	  .text = "Print the completion script for bash, zsh or fish. With bash: eval \"$(c4w help --complete bash)\".",
	  .conflicts = "man json" },
	{ .name = NULL },
};

static const struct c4w_example examples[] = {
	{ "c4w help ls", "the help of one command" },
	{ "c4w help --man ls | man -l -", "its manual page" },
	{ NULL, NULL },
};

static int run(struct c4w_ctx *ctx, void *args);

const struct c4w_command c4w_command_help = {
	.name = "help",
	.group = "Help",
	.summary = "list the commands, or explain one",
	.synopsis = "[NAME]",
	.prose = "Without NAME, lists the commands by what they are for. With NAME, explains that command as its --help does.",
	.options = options,
	.shares = C4W_SHARE_JSON,
	.args_size = sizeof(struct help_args),
	.max_operands = 1,
	.operands = "command",
	.examples = examples,
	.see_also = "c4w(1)",
	.run = run,
};

/* Groups in the order of the list; a group that is not named here comes last. */
static const char *const groups[] = { "Look", "Check", "Prepare", "Channels4World", "TimeF", "PASSAGE", "Help" };

static bool is_alias(const struct c4w_entry *e)
{
	return strcmp(e->name, e->command->name) != 0;
}

static bool known_group(const char *group)
{
	size_t i;
	for (i = 0; i < sizeof groups / sizeof *groups; i++)
		if (strcmp(groups[i], group) == 0)
			return true;
	return false;
}

static void list_group(FILE *out, const char *group, bool title)
{
	size_t i;
	for (i = 0; i < c4w_entries_count; i++) {
		const struct c4w_command *c = c4w_entries[i].command;
		if (is_alias(&c4w_entries[i]) || (group ? strcmp(c->group, group) != 0 : known_group(c->group)))
			continue;
		if (title)
			fprintf(out, "\n%s\n", group ? group : "Other");
		title = false;
		fprintf(out, "  %-15s %s\n", c->name, c->summary);
	}
}

void c4w_help_list(FILE *out)
{
	size_t i;
	fputs("usage: c4w NAME [OPTIONS] [OPERANDS]\n"
	      "\n"
	      "Reads, checks and prepares Channels4World, TimeF and PASSAGE datasets and the containers they are made of.\n",
	      out);
	for (i = 0; i < sizeof groups / sizeof *groups; i++)
		list_group(out, groups[i], true);
	list_group(out, NULL, true);
	fputs("\n'c4w help NAME' explains a command; 'c4w --version' prints versions.\n", out);
}

struct print {
	FILE *out;
	bool brief;
	unsigned width;
	const char *title;
	bool first;
};

static void option_head(const struct c4w_option *o, char *head, size_t size)
{
	char shorts[8] = "    ";
	if (o->letter)
		snprintf(shorts, sizeof shorts, "-%c, ", o->letter);
	else if (strcmp(o->name, "help") == 0)
		snprintf(shorts, sizeof shorts, "-h, ");
	snprintf(head, size, "%s--%s%s%s", shorts, o->name, o->arg ? " " : "", o->arg ? o->arg : "");
}

static void print_default(const struct c4w_option *o, FILE *out)
{
	const char *def = o->def_text ? o->def_text : o->def;
	if (def)
		fprintf(out, " (default: %s)", def);
}

static void print_option(void *user, const char *title, const struct c4w_option *o)
{
	struct print *p = user;
	char head[80];
	if (o->hidden)
		return;
	if (p->first || (title != p->title && (!title || !p->title || strcmp(title, p->title) != 0))) {
		fprintf(p->out, "\n%s:\n", title ? title : "Options");
		p->title = title;
		p->first = false;
	}
	option_head(o, head, sizeof head);
	if (p->brief) {
		fprintf(p->out, "  %-24s %s", head, o->brief);
		print_default(o, p->out);
		fputc('\n', p->out);
		return;
	}
	fprintf(p->out, "  %s", head);
	print_default(o, p->out);
	fputc('\n', p->out);
	c4w_wrap(p->out, o->text ? o->text : o->brief, 10, p->width);
}

static const char exit_common[] =
	" 0  done and true\n"
	" 1  checked and false: something differs, is missing or is damaged\n"
	" 2  wrong usage\n"
	" 3  could not be done: I/O, permission, memory\n"
	" 4  valid, but not supported here";

static void print_aliases(FILE *out, const struct c4w_command *c)
{
	size_t i;
	for (i = 0; i < c4w_entries_count; i++)
		if (c4w_entries[i].command == c && is_alias(&c4w_entries[i]))
			fprintf(out, "also called: c4w %s\n", c4w_entries[i].name);
}

void c4w_help_command(FILE *out, const struct c4w_command *c, bool brief)
{
	struct print p = { .out = out, .brief = brief, .width = 80, .first = true };
	const struct c4w_example *e;
	fprintf(out, "usage: c4w %s %s\n", c->name, c->synopsis);
	print_aliases(out, c);
	fputc('\n', out);
	if (brief) {
		fprintf(out, "%c%s.\n", c->summary[0] - ('a' <= c->summary[0] && c->summary[0] <= 'z' ? 32 : 0), c->summary + 1);
	} else {
		c4w_wrap(out, c->prose, 0, p.width);
	}
	c4w_each_option(c, print_option, &p);
	if (brief) {
		fprintf(out, "\n'c4w %s --help' says more.\n", c->name);
		return;
	}
	if (c->examples && c->examples->command) {
		fputs("\nExamples:\n", out);
		for (e = c->examples; e->command; e++)
			fprintf(out, "  %s\n          %s\n", e->command, e->text);
	}
	fputs("\nExit codes:\n", out);
	c4w_wrap(out, exit_common, 1, p.width);
	if (c->exit_notes) {
		fputc('\n', out);
		c4w_wrap(out, c->exit_notes, 2, p.width);
	}
	if (c->see_also)
		fprintf(out, "\nSee also: %s\n", c->see_also);
}

static void json_text(struct c4w_buf *b, const char *key, const char *value)
{
	if (!value)
		return;
	c4w_buf_printf(b, "%s\"%s\":", b->n && b->p[b->n - 1] != '{' ? "," : "", key);
	c4w_buf_json(b, value, strlen(value));
}

static void json_option(void *user, const char *title, const struct c4w_option *o)
{
	static const char *const kinds[] = {
		[C4W_OPT_FLAG] = "flag", [C4W_OPT_COUNT] = "count", [C4W_OPT_INT] = "int", [C4W_OPT_SIZE] = "size",
		[C4W_OPT_REAL] = "real", [C4W_OPT_ENUM] = "enum", [C4W_OPT_STRING] = "string", [C4W_OPT_PATH] = "path",
		[C4W_OPT_LIST] = "list", [C4W_OPT_INTS] = "ints",
	};
	struct c4w_buf *b = user;
	char letter[2] = { o->letter, 0 };
	size_t i;
	if (o->hidden)
		return;
	c4w_buf_puts(b, b->p[b->n - 1] == '[' ? "{" : ",{");
	json_text(b, "name", o->name);
	json_text(b, "letter", o->letter ? letter : NULL);
	json_text(b, "kind", kinds[o->kind]);
	json_text(b, "argument", o->arg);
	json_text(b, "default", o->def);
	json_text(b, "default_text", o->def_text);
	json_text(b, "group", title);
	json_text(b, "brief", o->brief);
	json_text(b, "text", o->text);
	json_text(b, "conflicts", o->conflicts);
	if (o->values) {
		c4w_buf_puts(b, ",\"values\":[");
		for (i = 0; o->values[i]; i++) {
			c4w_buf_puts(b, i ? "," : "");
			c4w_buf_json(b, o->values[i], strlen(o->values[i]));
		}
		c4w_buf_putc(b, ']');
	}
	c4w_buf_putc(b, '}');
}

void c4w_help_json(FILE *out, const struct c4w_command *c)
{
	struct c4w_buf b = { 0 };
	const struct c4w_example *e;
	size_t i, n = 0;
	c4w_buf_putc(&b, '{');
	json_text(&b, "name", c->name);
	json_text(&b, "group", c->group);
	json_text(&b, "summary", c->summary);
	json_text(&b, "synopsis", c->synopsis);
	c4w_buf_puts(&b, ",\"aliases\":[");
	for (i = 0; i < c4w_entries_count; i++)
		if (c4w_entries[i].command == c && is_alias(&c4w_entries[i]))
			c4w_buf_printf(&b, "%s\"%s\"", n++ ? "," : "", c4w_entries[i].name);
	c4w_buf_puts(&b, "],\"options\":[");
	c4w_each_option(c, json_option, &b);
	c4w_buf_puts(&b, "],\"examples\":[");
	for (e = c->examples; e && e->command; e++) {
		c4w_buf_puts(&b, e == c->examples ? "" : ",");
		c4w_buf_json(&b, e->command, strlen(e->command));
	}
	c4w_buf_puts(&b, "]}\n");
	if (!b.failed)
		fwrite(b.p, 1, b.n, out);
	c4w_buf_clear(&b);
}

static int run(struct c4w_ctx *ctx, void *args_)
{
	const struct help_args *args = args_;
	const struct c4w_command *c = NULL;
	size_t i;
	if (args->shell) {
		if (c4w_help_complete(ctx->out, args->shell) != C4W_OK)
			return c4w_usage(ctx, "option --complete: '%s' is not one of bash, zsh, fish", args->shell);
		return C4W_EXIT_OK;
	}
	if (args->rules) {
		if (args->man)
			c4w_help_rules_man(ctx->out);
		else
			c4w_help_rules(ctx->out, ctx->shared.json);
		return C4W_EXIT_OK;
	}
	if (args->names) {
		for (i = 0; i < c4w_entries_count; i++)
			fprintf(ctx->out, "%s\n", c4w_entries[i].name);
		return C4W_EXIT_OK;
	}
	if (ctx->operands) {
		const struct c4w_entry *e = c4w_entry_find(ctx->operand[0]);
		const char *nearest = e ? NULL : c4w_entry_nearest(ctx->operand[0]);
		struct c4w_err err = { 0 };
		if (!e) {
			char shown[128];
			c4w_fail(&err, C4W_USAGE, "unknown command '%s'",
				 c4w_str_escape(shown, sizeof shown, ctx->operand[0], strlen(ctx->operand[0])));
			if (nearest)
				c4w_err_hint(&err, "did you mean '%s'? 'c4w help' lists the commands", nearest);
			else
				c4w_err_hint(&err, "'c4w help' lists the commands");
			return c4w_say(ctx, &err);
		}
		c = e->command;
	}
	if (args->man)
		c4w_help_man(ctx->out, c);
	else if (ctx->shared.json && c)
		c4w_help_json(ctx->out, c);
	else if (ctx->shared.json)
		for (i = 0; i < c4w_entries_count; i++) {
			if (!is_alias(&c4w_entries[i]))
				c4w_help_json(ctx->out, c4w_entries[i].command);
		}
	else if (c)
		c4w_help_command(ctx->out, c, false);
	else
		c4w_help_list(ctx->out);
	return C4W_EXIT_OK;
}
