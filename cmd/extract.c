/* `c4w extract`: a part of a dataset as a dataset of its own, with loose files. */
#include "command.h"
#include "support/prepare.h"

static const struct c4w_option options[] = {
	C4W_PREPARE_OPTIONS,
	{ .name = NULL },
};

static const struct c4w_example examples[] = {
	{ "c4w extract release urban --split test --components core,positions", "a part of a release" },
	{ "c4w extract release urban --recipe urban.json -n", "what a recipe would write" },
	{ "c4w extract release urban --split test --skip-existing", "finish a run that was interrupted" },
	{ NULL, NULL },
};

static c4w_prepare_fn action(const struct c4w_family *f)
{
	return f->extract;
}

static int run(struct c4w_ctx *ctx, void *args)
{
	return c4w_prepare_run(ctx, args, action, "extract");
}

const struct c4w_command c4w_command_extract = {
	.name = "extract",
	.group = "Prepare",
	.summary = "write a selection as a dataset of its own",
	.synopsis = "[OPTIONS] SOURCE DEST",
	.prose = "Copies the selected items, unchanged, and the metadata they need. The result is a dataset that every tool for this format "
		 "opens: of a Channels4World release or subset a subset root with one file a record.\n\n"
		 "The plan is printed on standard error before work starts. Each item is checked before it is written. DEST must be new or empty, "
		 "unless --skip-existing is given. Files appear under their names only when they are whole, and the manifest comes last: "
		 "a directory with a manifest is complete, however the run ended. No write goes through a symbolic link inside DEST.\n\n"
		 "Items that are catalogued but not published are left out and counted.",
	.options = options,
	.shares = C4W_SHARE_JOBS | C4W_SHARE_JSON | C4W_SHARE_QUIET | C4W_SHARE_PROGRESS | C4W_SHARE_AS | C4W_SHARE_MEMORY,
	.selection = true,
	.args_size = sizeof(struct c4w_prepare_args),
	.min_operands = 2,
	.max_operands = 2,
	.operands = "path dir",
	.examples = examples,
	.exit_notes = "1 when an item is damaged; what is right is written, but no manifest. 3 when a file of the selection is not downloaded (then "
		      "nothing is written) or when items are not published (then all others are).",
	.see_also = "c4w-missing(1) c4w-to-cache(1) c4w-verify(1)",
	.run = run,
};
