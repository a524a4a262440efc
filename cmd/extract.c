/* `c4w extract`: a part of a dataset as a dataset of its own, with loose files. */
#include "command.h"
#include "support/prepare.h"

static const char *const formats[] = { "as-is", "csv", "npy", "parquet", NULL }, *const splits[] = { "default", "record", "spec", NULL };

static const struct c4w_option options[] = {
	C4W_PREPARE_OPTIONS,
	{ .name = "format", .kind = C4W_OPT_ENUM, .arg = "FORMAT", .offset = C4W_PREPARE_AT(values_format), .values = formats, .def = "as-is",
	  .brief = "TimeF: what series become, csv, npy or parquet",
	  .text = "TimeF only: each series becomes a file of this form (as-is: csv). csv has step, offset, timestamp, validity and value; npy the values, with offsets and "
		  "validity in files beside it; parquet step, offset and value. What other families extract stays as it is." },
	{ .name = "split-by", .kind = C4W_OPT_ENUM, .arg = "WHAT", .offset = C4W_PREPARE_AT(split_by), .values = splits, .def = "default",
	  .brief = "TimeF: a folder a record or a spec",
	  .text = "TimeF only: RECORD/SERIES.csv for record (and by default), SPEC/RECORD/SERIES.csv for spec." },
	{ .name = NULL },
};

static const struct c4w_example examples[] = {
	{ "c4w extract release urban --split test --components core,positions", "a part of a release" },
	{ "c4w extract dataset/1.0.0 out --spec ecg --format npy", "the series of a TimeF data set as arrays" },
	{ "c4w extract a/data-00000.parquet b/data-00000.parquet tree", "a generator tree out of two PASSAGE shards" },
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
	.synopsis = "[OPTIONS] SOURCE... DEST",
	.prose = "Copies the selected items, unchanged, and the metadata they need. The result is a dataset that every tool for this format "
		 "opens: of a Channels4World release or subset a subset root with one file a record, of PASSAGE trees and Parquet shards a generator "
		 "tree.\n\n"
		 "There may be several SOURCEs where they are PASSAGE shards or folders of them. A scene that occurs more than once is written once when "
		 "all of them say the same, and told as damaged otherwise.\n\n"
		 "The plan is printed on standard error before work starts. Each item is checked before it is written. DEST must be new or empty, "
		 "unless --skip-existing is given. Files appear under their names only when they are whole, and the manifest comes last: "
		 "a directory with a manifest is complete, however the run ended. No write goes through a symbolic link inside DEST.\n\n"
		 "Items that are catalogued but not published are left out and counted.",
	.options = options,
	.shares = C4W_SHARE_JOBS | C4W_SHARE_JSON | C4W_SHARE_QUIET | C4W_SHARE_PROGRESS | C4W_SHARE_AS | C4W_SHARE_MEMORY,
	.selection = true,
	.args_size = sizeof(struct c4w_prepare_args),
	.min_operands = 2,
	.max_operands = -1,
	.operands = "path path",
	.examples = examples,
	.exit_notes = "1 when an item is damaged; what is right is written, but no manifest. 3 when a file of the selection is not downloaded (then "
		      "nothing is written) or when items are not published (then all others are).",
	.see_also = "c4w-missing(1) c4w-to-cache(1) c4w-verify(1)",
	.run = run,
};
