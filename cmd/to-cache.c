/* `c4w to-cache`: a part of a dataset as plain arrays that can be mapped into memory. */
#include "command.h"
#include "support/prepare.h"

static const struct c4w_option options[] = {
	C4W_PREPARE_OPTIONS,
	{ .name = NULL },
};

static const struct c4w_example examples[] = {
	{ "c4w to-cache release arrays --split train --components core,positions", "arrays of the training scenes" },
	{ "c4w to-cache subset arrays --verify full", "checked value by value on the way" },
	{ NULL, NULL },
};

static c4w_prepare_fn action(const struct c4w_family *f)
{
	return f->to_cache;
}

static int run(struct c4w_ctx *ctx, void *args)
{
	return c4w_prepare_run(ctx, args, action, "to-cache");
}

const struct c4w_command c4w_command_to_cache = {
	.name = "to-cache",
	.group = "Prepare",
	.summary = "convert a selection to arrays that can be memory-mapped",
	.synopsis = "[OPTIONS] SOURCE DEST",
	.prose = "Writes one NPY file a field, with the records of a group, component and carrier one after the other, and an index. "
		 "numpy.load(file, mmap_mode='r') maps it; values and types are those of the source, and offsets keep their record's own base. "
		 "Geometry is copied as it is. The result is a dataset that every tool for this format opens.\n\n"
		 "Records stream into files of known size, so memory does not grow with them. For the rest it is as c4w extract: the plan first, "
		 "each record checked, names appear with whole files, the manifest last.",
	.options = options,
	.shares = C4W_SHARE_JOBS | C4W_SHARE_JSON | C4W_SHARE_QUIET | C4W_SHARE_PROGRESS | C4W_SHARE_AS | C4W_SHARE_MEMORY,
	.selection = true,
	.args_size = sizeof(struct c4w_prepare_args),
	.min_operands = 2,
	.max_operands = 2,
	.operands = "path dir",
	.examples = examples,
	.exit_notes = "As for c4w extract.",
	.see_also = "c4w-extract(1) c4w-missing(1) c4w-verify(1)",
	.run = run,
};
C4W_ALIAS("cache", to_cache);
