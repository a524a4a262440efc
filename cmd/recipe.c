/* `c4w recipe`: a selection as a small file that others can replay. */
#include "command.h"
#include "support/selection.h"

#include "base/buf.h"
#include "storage/sink.h"

struct args {
	const char *revision, *output;
	bool force;
};

#define AT(field) offsetof(struct args, field)

static const struct c4w_option options[] = {
	{ .name = "output", .letter = 'o', .kind = C4W_OPT_PATH, .arg = "FILE", .offset = AT(output), .brief = "write to FILE instead of standard output",
	  .text = "Write to FILE, which appears whole or not at all. A FILE that exists is refused unless --force is given." },
	{ .name = "force", .letter = 'f', .kind = C4W_OPT_FLAG, .offset = AT(force), .brief = "with -o: replace FILE", .text = "With -o: replace FILE where it exists." },
	{ .name = "revision", .kind = C4W_OPT_STRING, .arg = "REV", .offset = AT(revision), .brief = "record the catalog's revision",
	  .text = "The branch, tag or commit that the catalog was downloaded from. c4w missing --recipe then prints a command for it." },
	{ .name = NULL },
};

static const struct c4w_example examples[] = {
	{ "c4w recipe release --tier small --profile urban --components core,positions -o urban.json", "write one" },
	{ "c4w missing release --recipe urban.json", "use it" },
	{ NULL, NULL },
};

static int run(struct c4w_ctx *ctx, void *args);

const struct c4w_command c4w_command_recipe = {
	.name = "recipe",
	.group = "Prepare",
	.summary = "write a selection as a recipe file",
	.synopsis = "[OPTIONS] ROOT",
	.prose = "Writes the selection as JSON: what was asked for and the release it is for, no paths and no file names. Whoever gets the "
		 "recipe plans, extracts or verifies with it from a copy of their own: every command that takes a selection takes --recipe FILE.\n\n"
		 "The same selection always gives the same bytes.",
	.options = options,
	.shares = C4W_SHARE_AS,
	.selection = true,
	.args_size = sizeof(struct args),
	.min_operands = 1,
	.max_operands = 1,
	.operands = "path",
	.examples = examples,
	.exit_notes = "A selection that no recipe can hold is 2.",
	.see_also = "c4w-extract(1) c4w-missing(1)",
	.run = run,
};

static int write_out(const char *path, bool force, const struct c4w_buf *b, struct c4w_err *err)
{
	struct c4w_outfile *f;
	struct c4w_stat st;
	C4W_TRY(c4w_outfile_open(path, &f, err));
	c4w_outfile_replaces(f, &st);
	if (st.kind == C4W_KIND_FILE && !force) {
		int cls = c4w_fail(err, C4W_USAGE, "exists already");
		c4w_err_path(err, path);
		c4w_err_hint(err, "--force replaces it");
		c4w_outfile_abort(f);
		return cls;
	}
	if (c4w_outfile_write(f, b->p, b->n, err) != C4W_OK) {
		c4w_outfile_abort(f);
		return (int)err->cls;
	}
	return c4w_outfile_commit(f, err);
}

static int run(struct c4w_ctx *ctx, void *p)
{
	const struct args *args = p;
	struct c4w_target target = { 0 };
	struct c4w_buf b = { 0 };
	struct c4w_err err;
	int code = C4W_EXIT_OK;
	c4w_err_clear(&err);
	if (c4w_target_open(ctx, ctx->operand[0], &target, &err) != C4W_OK) {
		code = c4w_say_open(ctx, &err);
		goto out;
	}
	if (!target.family->recipe) {
		c4w_target_fail(&target, C4W_UNSUPPORTED, "selections of a ", " have no recipes", &err);
		code = c4w_say(ctx, &err);
		goto out;
	}
	if (c4w_target_select(ctx, &target, &err) != C4W_OK ||
	    target.family->recipe(target.root, target.selection, args->revision, &b, &err) != C4W_OK ||
	    (args->output && write_out(args->output, args->force, &b, &err) != C4W_OK)) {
		code = c4w_say(ctx, &err);
		goto out;
	}
	if (!args->output)
		fwrite(b.p, 1, b.n, ctx->out);
out:
	c4w_buf_clear(&b);
	c4w_target_close(&target);
	return code;
}
