/* `c4w missing`: what is still to be downloaded for a selection, and the command that does it. */
#include "command.h"
#include "support/selection.h"
#include "support/shell.h"

#include "model/plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 20 };                 /* paths in the list for people; --paths-only has all */
enum { COMMAND_BYTES = 120 * 1024 }; /* of one printed command: below what a kernel takes, with room for an environment */

struct args {
	bool paths_only;
	const char *revision;
};

#define AT(field) offsetof(struct args, field)

static const struct c4w_option options[] = {
	{ .name = "paths-only", .kind = C4W_OPT_FLAG, .offset = AT(paths_only), .brief = "print the missing paths and nothing else",
	  .text = "Print the missing paths, relative to the root, one a line, and nothing else." },
	{ .name = "revision", .kind = C4W_OPT_STRING, .arg = "REV", .offset = AT(revision), .brief = "revision for the printed command",
	  .text = "The branch, tag or commit that the catalog was downloaded from; the printed command then fetches the same. Without it, "
		  "the recipe's revision is used, and without that the word REVISION is printed for you to replace." },
	{ .name = NULL },
};

static const struct c4w_example examples[] = {
	{ "c4w missing release --tier small", "what the small tier still needs" },
	{ "c4w missing release --recipe urban.json", "the same for a recipe, at the revision it names" },
	{ "c4w missing release --paths-only | xargs -d '\\n' du -h", "the paths for another program" },
	{ NULL, NULL },
};

static int run(struct c4w_ctx *ctx, void *args);

const struct c4w_command c4w_command_missing = {
	.name = "missing",
	.group = "Prepare",
	.summary = "list what a selection still needs, and how to download it",
	.synopsis = "[OPTIONS] ROOT",
	.prose = "Lists the files that the selection needs and that are not on disk, how many bytes they are, and the hf command that "
		 "downloads exactly those. Every argument of the command is quoted for a shell.\n\n"
		 "Needed are first the interpretation documents, then the members table and snapshot of each group, then the payload. While a "
		 "group's metadata is absent, its records can't be told apart, and all of its files that fit the components and carriers are "
		 "listed; after downloading metadata, ask again for the exact list. Only absence counts, not size: c4w verify checks that.\n\n"
		 "Items that the root does not publish can't be downloaded; they are counted on a line of their own. Very long lists give "
		 "several commands.",
	.options = options,
	.shares = C4W_SHARE_JSON | C4W_SHARE_AS,
	.selection = true,
	.verdict = true,
	.args_size = sizeof(struct args),
	.min_operands = 1,
	.max_operands = 1,
	.operands = "path",
	.examples = examples,
	.exit_notes = "0 when everything that was asked for is published and on disk, else 1.",
	.see_also = "c4w-extract(1) c4w-recipe(1) c4w-verify(1)",
	.run = run,
};

/* Where `hf download` is to put things: the root without the part of its path that the repository has too. */
static bool local_dir(const char *root, const char *prefix, char **out, struct c4w_err *err)
{
	char *path = realpath(root, NULL);
	size_t n = path ? strlen(path) : 0, k = strlen(prefix);
	*out = path;
	if (!path) {
		c4w_fail_memory(err, 0);
		return false;
	}
	if (!k)
		return true;
	if (n > k && strcmp(path + n - k, prefix) == 0 && path[n - k - 1] == '/') {
		path[n - k - 1 ? n - k - 1 : 1] = 0;
		return true;
	}
	c4w_fail(err, C4W_USAGE, "the repository has this root as '%s', and it does not lie in a folder of that name", prefix);
	return false;
}

static void command_head(struct c4w_buf *b, const struct c4w_missing *m, const char *revision, const char *dir)
{
	const char *const words[] = { "hf", "download", m->repo, "--repo-type", "dataset", "--revision", revision, "--local-dir", dir };
	size_t i;
	c4w_buf_reset(b);
	for (i = 0; i < sizeof words / sizeof *words; i++)
		c4w_shell_word(b, words[i]);
}

static void flush_command(struct c4w_ctx *ctx, const struct c4w_buf *b)
{
	fputs("  ", ctx->out);
	fwrite(b->p, 1, b->n, ctx->out);
	fputc('\n', ctx->out);
}

static int print_commands(struct c4w_ctx *ctx, const struct c4w_missing *m, const char *revision, const char *dir, struct c4w_err *err)
{
	struct c4w_buf b = { 0 }, path = { 0 };
	size_t i, head;
	int cls;
	command_head(&b, m, revision, dir);
	head = b.n;
	for (i = 0; i < m->n_files; i++) {
		c4w_buf_reset(&path);
		if (*m->prefix)
			c4w_buf_printf(&path, "%s/", m->prefix);
		c4w_buf_puts(&path, m->files[i].path);
		if (b.n > head && b.n + path.n > COMMAND_BYTES) {
			flush_command(ctx, &b);
			command_head(&b, m, revision, dir);
		}
		c4w_shell_word(&b, "--include");
		c4w_shell_word(&b, path.p ? path.p : "");
	}
	cls = c4w_buf_ok(&b, err);
	if (cls == C4W_OK)
		cls = c4w_buf_ok(&path, err);
	if (cls == C4W_OK)
		flush_command(ctx, &b);
	c4w_buf_clear(&b);
	c4w_buf_clear(&path);
	return cls;
}

static int print_text(struct c4w_ctx *ctx, const struct c4w_missing *m, const char *given, struct c4w_err *err)
{
	const char *revision = given ? given : m->revision;
	char size[32], shown[600];
	char *dir = NULL;
	size_t i;
	int cls = C4W_OK;
	fprintf(ctx->out, "%zu file(s) missing (%s)\n", m->n_files, c4w_str_size(m->bytes, size));
	for (i = 0; i < m->n_files && i < SHOWN; i++)
		fprintf(ctx->out, "  %s\n", c4w_str_escape(shown, sizeof shown, m->files[i].path, strlen(m->files[i].path)));
	if (m->n_files > SHOWN)
		fprintf(ctx->out, "  ... and %zu more\n", m->n_files - SHOWN);
	if (m->n_unpublished)
		fprintf(ctx->out, "%zu requested item(s) are not published, e.g. %s\n", m->n_unpublished,
			c4w_str_escape(shown, sizeof shown, m->unpublished[0], strlen(m->unpublished[0])));
	if (!m->n_files)
		return C4W_OK;
	fputs("\nDownload with:\n", ctx->out);
	if (m->nowhere)
		fprintf(ctx->out, "  %s\n", m->nowhere);
	else if (!local_dir(ctx->operand[0], m->prefix, &dir, err))
		fprintf(ctx->out, "  %s\n", err->message);
	else
		cls = print_commands(ctx, m, revision ? revision : "REVISION", dir, err);
	if (dir && !revision && cls == C4W_OK)
		fputs("  Put the branch, tag or commit that the catalog came from in the place of REVISION, or give --revision.\n", ctx->out);
	free(dir);
	return cls;
}

static int print_json(struct c4w_ctx *ctx, const struct c4w_missing *m, const char *given, struct c4w_err *err)
{
	const char *revision = given ? given : m->revision;
	struct c4w_buf b = { 0 };
	char *dir = NULL;
	size_t i;
	int cls;
	for (i = 0; i < m->n_files; i++) {
		c4w_buf_puts(&b, "{\"type\": \"file\", \"path\": ");
		c4w_buf_json(&b, m->files[i].path, strlen(m->files[i].path));
		c4w_buf_printf(&b, ", \"bytes\": %" PRIu64 "}\n", m->files[i].bytes);
	}
	for (i = 0; i < m->n_unpublished; i++) {
		c4w_buf_puts(&b, "{\"type\": \"unpublished\", \"item\": ");
		c4w_buf_json(&b, m->unpublished[i], strlen(m->unpublished[i]));
		c4w_buf_puts(&b, "}\n");
	}
	c4w_buf_printf(&b, "{\"type\": \"summary\", \"files\": %zu, \"bytes\": %" PRIu64 ", \"unpublished\": %zu, \"complete\": %s, \"repo\": ",
		       m->n_files, m->bytes, m->n_unpublished, m->n_files || m->n_unpublished ? "false" : "true");
	if (m->nowhere || !local_dir(ctx->operand[0], m->prefix, &dir, err)) {
		c4w_buf_puts(&b, "null, \"prefix\": null, \"revision\": ");
	} else {
		c4w_buf_json(&b, m->repo, strlen(m->repo));
		c4w_buf_puts(&b, ", \"prefix\": ");
		c4w_buf_json(&b, m->prefix, strlen(m->prefix));
		c4w_buf_puts(&b, ", \"local_dir\": ");
		c4w_buf_json(&b, dir, strlen(dir));
		c4w_buf_puts(&b, ", \"revision\": ");
	}
	if (revision)
		c4w_buf_json(&b, revision, strlen(revision));
	else
		c4w_buf_puts(&b, "null");
	c4w_buf_puts(&b, "}\n");
	cls = c4w_buf_ok(&b, err);
	if (cls == C4W_OK)
		fwrite(b.p, 1, b.n, ctx->out);
	c4w_buf_clear(&b);
	free(dir);
	return cls;
}

static int run(struct c4w_ctx *ctx, void *p)
{
	const struct args *args = p;
	struct c4w_target target = { 0 };
	struct c4w_missing m = { 0 };
	struct c4w_err err;
	size_t i;
	int code;
	c4w_err_clear(&err);
	if (c4w_target_open(ctx, ctx->operand[0], &target, &err) != C4W_OK) {
		code = c4w_say_open(ctx, &err);
		goto out;
	}
	if (!target.family->missing) {
		c4w_target_fail(&target, C4W_UNSUPPORTED, "of a ", " it is not known what is missing", &err);
		code = c4w_say(ctx, &err);
		goto out;
	}
	if (c4w_target_select(ctx, &target, &err) != C4W_OK || target.family->missing(target.root, target.selection, &m, &err) != C4W_OK) {
		code = c4w_say(ctx, &err);
		goto out;
	}
	code = m.n_files || m.n_unpublished ? C4W_EXIT_FALSE : C4W_EXIT_OK;
	if (args->paths_only) {
		for (i = 0; i < m.n_files; i++) {
			fputs(m.files[i].path, ctx->out);
			fputc('\n', ctx->out);
		}
	} else if ((ctx->shared.json ? print_json(ctx, &m, args->revision, &err) : print_text(ctx, &m, args->revision, &err)) != C4W_OK) {
		code = c4w_say(ctx, &err);
	}
out:
	c4w_missing_clear(&m);
	c4w_target_close(&target);
	return code;
}
