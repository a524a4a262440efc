/* `c4w sha256`: digests of files, as checksum lists. Checking lists is `c4w verify`'s work; --check leads there. */
#include "command.h"
#include "support/progress.h"
#include "support/sums.h"

#include "base/buf.h"
#include "containers/sums.h"
#include "model/hashing.h"
#include "storage/stream.h"
#include "storage/walk.h"

#include <stdlib.h>

struct args {
	bool check, tag, zero, binary, text;
	struct c4w_sums_options list;
};

#define AT(field) offsetof(struct args, field)

static const struct c4w_option options[] = {
	{ .name = "check", .letter = 'c', .kind = C4W_OPT_FLAG, .offset = AT(check), .brief = "check the lists PATH... instead of writing one",
	  .text = "The operands are checksum lists; check the files that they name, as c4w verify --check does." },
	{ .name = "directory", .letter = 'C', .kind = C4W_OPT_PATH, .arg = "DIR", .offset = AT(list.directory),
	  .brief = "names are relative to DIR",
	  .text = "Names in the list, and the operands when a list is written, are relative to DIR instead of the working directory." },
	{ .name = "tag", .kind = C4W_OPT_FLAG, .offset = AT(tag), .brief = "write BSD lines: SHA256 (NAME) = DIGEST",
	  .text = "Write lines of the BSD form, SHA256 (NAME) = DIGEST.", .conflicts = "check binary" },
	{ .name = "binary", .letter = 'b', .kind = C4W_OPT_FLAG, .offset = AT(binary), .brief = "mark names with a star",
	  .text = "Write the star that sha256sum writes for files read in binary mode. There is no other difference.",
	  .conflicts = "check text" },
	{ .name = "text", .letter = 't', .kind = C4W_OPT_FLAG, .offset = AT(text), .brief = "mark names with two blanks (default)",
	  .text = "Write two blanks between digest and name. This is the default.", .conflicts = "check" },
	{ .name = "zero", .letter = 'z', .kind = C4W_OPT_FLAG, .offset = AT(zero), .brief = "lines end in NUL; nothing is escaped",
	  .text = "Lines end in a NUL byte instead of a newline, and names are not escaped; with --check, such lists are read." },
	{ .name = "ignore-missing", .kind = C4W_OPT_FLAG, .offset = AT(list.ignore_missing), .brief = "with --check: pass over absent files",
	  .text = "With --check, a listed file that is not there is no failure. When no file at all was checked, it still is one." },
	{ .name = "status", .kind = C4W_OPT_FLAG, .offset = AT(list.status), .brief = "with --check: print nothing",
	  .text = "With --check, print nothing; the exit code tells." },
	{ .name = "strict", .kind = C4W_OPT_FLAG, .offset = AT(list.strict), .brief = "with --check: warnings fail",
	  .text = "With --check, lines that can't be read and files that no list names count as failures." },
	{ .name = "warn", .letter = 'w', .kind = C4W_OPT_FLAG, .offset = AT(list.warn), .brief = "accepted; such lines are always told",
	  .text = "Lines that can't be read are always told; sha256sum's spelling is accepted." },
	{ .name = NULL },
};

static const struct c4w_example examples[] = {
	{ "c4w sha256 . > SHA256SUMS", "a list of all files below the working directory" },
	{ "c4w sha256 -c SHA256SUMS", "check it" },
	{ NULL, NULL },
};

static int run(struct c4w_ctx *ctx, void *args);

const struct c4w_command c4w_command_sha256 = {
	.name = "sha256",
	.group = "Check",
	.summary = "write checksum lists of files and folders",
	.synopsis = "[OPTIONS] [PATH...]",
	.prose = "Writes a line for each file, as sha256sum does. A folder stands for all files below it, in an order that is always the "
		 "same: bytewise by name. Links to files are read; links to folders are not entered.\n\n"
		 "Without PATH, or for the PATH \"-\", standard input is read.\n\n"
		 "Each thread hashes three files at a time.",
	.options = options,
	.shares = C4W_SHARE_JOBS | C4W_SHARE_JSON | C4W_SHARE_QUIET | C4W_SHARE_PROGRESS,
	.args_size = sizeof(struct args),
	.max_operands = -1,
	.operands = "file",
	.examples = examples,
	.exit_notes = "A file that can't be read is told, the others are still listed, and the exit code is 3.",
	.see_also = "c4w-verify(1) sha256sum(1)",
	.run = run,
};

/* The operands and what lies below the folders among them. */
struct source {
	struct c4w_ctx *ctx;
	const struct args *args;
	int at;
	struct c4w_store *store; /* of the folder being walked */
	struct c4w_walk *walk;
	const char *folder; /* as the user named it */
	int code;
};

struct output {
	struct c4w_ctx *ctx;
	const struct args *args;
	struct c4w_buf line;
	struct c4w_progress progress;
	uint64_t files, bytes; /* told so far */
	int code;
};

/* "a" + "b" is "a/b"; "." alone adds nothing, so that `c4w sha256 .` writes names as find -printf %P does. */
static char *join(const char *folder, const char *name)
{
	size_t n = strlen(folder), m = strlen(name);
	bool dot = strcmp(folder, ".") == 0 || n == 0, slash = n && folder[n - 1] == '/';
	char *p = malloc(n + m + 2);
	if (!p)
		return NULL;
	if (dot)
		n = 0;
	memcpy(p, folder, n);
	if (!dot && !slash)
		p[n++] = '/';
	memcpy(p + n, name, m + 1);
	return p;
}

static int take(struct c4w_hash_file *file, char *name, const char *directory, struct c4w_err *err)
{
	if (!name)
		return c4w_fail_memory(err, 4096);
	file->user = NULL;
	file->path = name;
	if (directory && name[0] != '/' && strcmp(name, "-") != 0) {
		file->path = join(directory, name);
		file->user = file->path ? file->path + strlen(file->path) - strlen(name) : NULL;
		free(name);
	}
	return file->path ? C4W_OK : c4w_fail_memory(err, 4096);
}

static void skipped(struct source *s, const struct c4w_walk_item *item)
{
	struct c4w_err err = { 0 };
	char *name = join(s->folder, item->path);
	if (item->stat.kind == C4W_KIND_NONE) {
		c4w_fail(&err, C4W_ABSENT, "is a link to nothing");
		c4w_err_path(&err, name ? name : item->path);
		s->code = c4w_exit_worst(s->code, c4w_say_open(s->ctx, &err));
	} else if (!s->ctx->shared.quiet) {
		c4w_fail(&err, C4W_USAGE, item->stat.kind == C4W_KIND_DIR ? "link to a folder, not entered" : "no regular file, passed over");
		c4w_err_path(&err, name ? name : item->path);
		c4w_warn(s->ctx, "'%s': %s", err.path, err.message);
	}
	free(name);
}

static int next(void *ctx, struct c4w_hash_file *file, bool *end, struct c4w_err *err)
{
	struct source *s = ctx;
	const char *directory = s->args->list.directory;
	for (;;) {
		if (s->walk) {
			struct c4w_walk_item item;
			struct c4w_err problem = { 0 };
			switch (c4w_walk_next(s->walk, &item, &problem)) {
			case C4W_WALK_FILE:
				return take(file, join(s->folder, item.path), directory, err);
			case C4W_WALK_SKIPPED:
				skipped(s, &item);
				continue;
			case C4W_WALK_ERROR:
				s->code = c4w_exit_worst(s->code, c4w_say_open(s->ctx, &problem));
				continue;
			case C4W_WALK_END:
				c4w_walk_free(s->walk);
				c4w_store_close(s->store);
				s->walk = NULL;
				s->store = NULL;
			}
			continue;
		}
		if (s->at >= (s->ctx->operands ? s->ctx->operands : 1)) {
			*end = true;
			return C4W_OK;
		}
		s->folder = s->ctx->operands ? s->ctx->operand[s->at] : "-";
		s->at++;
		{
			char *path = directory && s->folder[0] != '/' ? join(directory, s->folder) : strdup(s->folder);
			struct c4w_err problem = { 0 };
			int cls = path ? C4W_OK : c4w_fail_memory(err, 4096);
			bool dir = path && strcmp(s->folder, "-") != 0 && c4w_path_is_dir(path);
			if (dir) {
				cls = c4w_store_open_dir(path, &s->store, &problem);
				if (cls == C4W_OK)
					cls = c4w_walk_new(s->store, "", &s->walk, &problem);
				if (cls != C4W_OK) {
					c4w_err_path(&problem, path);
					s->code = c4w_exit_worst(s->code, c4w_say_open(s->ctx, &problem));
					c4w_store_close(s->store);
					s->store = NULL;
					cls = C4W_OK;
				}
			}
			free(path);
			if (cls != C4W_OK)
				return cls;
			if (!dir)
				return take(file, strdup(s->folder), directory, err);
		}
	}
}

static bool deliver(void *ctx, struct c4w_item *item, struct c4w_result *result)
{
	struct output *o = ctx;
	struct c4w_hash_batch *b = item->data;
	enum c4w_sums_style style = o->args->tag ? C4W_SUMS_TAG : o->args->binary ? C4W_SUMS_BINARY : C4W_SUMS_TEXT;
	size_t i;
	c4w_buf_reset(&o->line);
	for (i = 0; i < b->n; i++) {
		const struct c4w_hash_file *f = b->file[i];
		const char *name = f->user ? f->user : f->path;
		if (f->cls != C4W_OK) {
			struct c4w_err none = { 0 };
			c4w_progress_wipe(&o->progress);
			fwrite(o->line.p, 1, o->line.n, o->ctx->out);
			c4w_buf_reset(&o->line);
			if (!f->err)
				c4w_fail_memory(&none, sizeof none);
			o->code = c4w_exit_worst(o->code, C4W_EXIT_FAILED);
			c4w_say(o->ctx, f->err ? f->err : &none);
		} else if (o->ctx->shared.json) {
			char hex[65];
			c4w_buf_puts(&o->line, "{\"type\": \"digest\", \"path\": ");
			c4w_buf_json(&o->line, name, strlen(name));
			c4w_buf_printf(&o->line, ", \"bytes\": %llu, \"sha256\": \"%s\"}\n", (unsigned long long)f->bytes,
				       c4w_hex(hex, f->digest, 32));
		} else
			c4w_sums_write(&o->line, f->digest, name, style, o->args->zero);
	}
	c4w_progress_wipe(&o->progress);
	if (!o->line.failed)
		fwrite(o->line.p, 1, o->line.n, o->ctx->out);
	c4w_progress_step(&o->progress, o->files += b->n, o->bytes += result->bytes);
	return !c4w_out_failed();
}

static int run(struct c4w_ctx *ctx, void *args_)
{
	struct args *args = args_;
	struct source source = { .ctx = ctx, .args = args };
	struct output output = { .ctx = ctx, .args = args };
	struct c4w_hash_source feed = { .ctx = &source, .next = next };
	struct c4w_drive_opts opts = { .jobs = (unsigned)ctx->shared.jobs, .cancel = &c4w_stop, .deliver = deliver, .ctx = &output };
	struct c4w_job job = { 0 };
	struct c4w_err err = { 0 };
	int cls, i;
	if (args->check) {
		args->list.zero = args->zero;
		return c4w_check_lists(ctx, &args->list);
	}
	if (args->list.ignore_missing || args->list.status || args->list.strict || args->list.warn)
		return c4w_usage(ctx, "--ignore-missing, --status, --strict and --warn are for --check");
	/* A pipe may never end; only this thread is woken by a signal. */
	for (i = 0; i < ctx->operands; i++)
		if (c4w_path_is_stream(ctx->operand[i]))
			opts.jobs = 1;
	if (ctx->operands == 0)
		opts.jobs = 1;
	c4w_progress_begin(&output.progress, ctx);
	output.progress.noun = "files";
	cls = c4w_hash_job(&feed, &job, &err);
	if (cls == C4W_OK)
		cls = c4w_drive(&job, &opts, &err);
	if (cls != C4W_OK)
		output.code = c4w_exit_worst(output.code, c4w_say(ctx, &err));
	c4w_job_destroy(&job);
	c4w_progress_end(&output.progress);
	c4w_walk_free(source.walk);
	c4w_store_close(source.store);
	c4w_buf_clear(&output.line);
	return c4w_exit_worst(source.code, output.code);
}
