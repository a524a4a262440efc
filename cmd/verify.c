/* `c4w verify`: read and check what a dataset holds. The family knows the rules, the driver the threads, the report the words. */
#include "command.h"
#include "support/progress.h"
#include "support/selection.h"
#include "support/sums.h"

#include "families/file.h"
#include "model/report.h"
#include "storage/stream.h"

struct args {
	int level;
	bool fail_fast, strict, check, verbose;
	struct c4w_sums_options list;
};

#define AT(field) offsetof(struct args, field)

static const char *const levels[] = { "basic", "full", NULL };

static const struct c4w_option options[] = {
	{ .name = "level", .kind = C4W_OPT_ENUM, .arg = "LEVEL", .offset = AT(level), .values = levels, .def = "full",
	  .brief = "how deep: basic or full",
	  .text = "basic checks sizes, digests and structure; full also reads every value and checks every rule of the format." },
	{ .name = "fail-fast", .kind = C4W_OPT_FLAG, .offset = AT(fail_fast), .brief = "stop after the first item that is not fine",
	  .text = "Stop after the first item, in order, that is not fine. The count then covers what was looked at so far." },
	{ .name = "strict", .kind = C4W_OPT_FLAG, .offset = AT(strict), .brief = "warnings fail",
	  .text = "An item with a warning counts as failed; of a checksum list also lines that can't be read and files that no list names." },
	{ .name = "verbose", .letter = 'v', .kind = C4W_OPT_FLAG, .offset = AT(verbose), .brief = "a line for every finding of an item",
	  .text = "Print every finding of an item on a line of its own. Without it the worst one stands for all, with their number. --json always "
		  "has them all." },
	{ .name = "check", .letter = 'c', .kind = C4W_OPT_FLAG, .offset = AT(check), .brief = "the operands are checksum lists",
	  .text = "The operands are checksum lists, whatever they look like. Without it a file is taken for one when its first line is one's." },
	{ .name = "directory", .letter = 'C', .kind = C4W_OPT_PATH, .arg = "DIR", .offset = AT(list.directory),
	  .brief = "names in a checksum list are relative to DIR",
	  .text = "Names in a checksum list are relative to DIR instead of the working directory." },
	{ .name = "ignore-missing", .kind = C4W_OPT_FLAG, .offset = AT(list.ignore_missing), .brief = "lists: pass over absent files",
	  .text = "A listed file that is not there is no failure. When no file at all was checked, it still is one." },
	{ .name = "status", .kind = C4W_OPT_FLAG, .offset = AT(list.status), .brief = "print nothing; the exit code tells",
	  .text = "Print nothing on standard output; the exit code tells." },
	{ .name = "warn", .letter = 'w', .kind = C4W_OPT_FLAG, .offset = AT(list.warn), .brief = "accepted; such lines are always told",
	  .text = "Lines of a list that can't be read are always told; sha256sum's spelling is accepted." },
	{ .name = "zero", .letter = 'z', .kind = C4W_OPT_FLAG, .offset = AT(list.zero), .brief = "lines of a list end in NUL",
	  .text = "Lines of a checksum list end in a NUL byte, and names in it are not escaped." },
	{ .name = NULL },
};

static const struct c4w_example examples[] = {
	{ "c4w verify release", "every item of a root, every rule" },
	{ "c4w verify release --split test --components core,detail --level basic", "a part of it, without the values" },
	{ "c4w verify release --json -j 4", "one object a line, four threads" },
	{ "c4w verify positions.tar x.npz t.parquet", "lone files: structure, checksums, every page" },
	{ "c4w verify --check -C data SHA256SUMS", "the files of a checksum list" },
	{ NULL, NULL },
};

static int run(struct c4w_ctx *ctx, void *args);

const struct c4w_command c4w_command_verify = {
	.name = "verify",
	.group = "Check",
	.summary = "check a dataset, a file or a checksum list",
	.synopsis = "[OPTIONS] PATH...",
	.prose = "Reads what is selected and checks it. An item is what the format checks as one thing: of a Channels4World root a channel (a "
		 "scene's carrier and base station: core, and its detail where that is selected), a scene's positions, or a scene's "
		 "geometry.\n\n"
		 "Prints a line for each item that is not fine, then a count. FAIL: its bytes contradict their digest, structure or rules, "
		 "and the rule's id says which; c4w-rules(7) lists them. MISSING: listed, but not downloaded. NOT PUBLISHED: catalogued, "
		 "but not part of this release, which is no error. UNSUPPORTED: valid, but not something that can be checked here. "
		 "UNREADABLE: the system refused.\n\n"
		 "Of a lone TAR, ZIP, NPZ, NPY, zstd or Parquet file its structure, checksums and sizes are checked. A checksum list in one of the "
		 "forms that sha256sum writes stands for the files that it names; files beside these that no list names are told.\n\n"
		 "The order of the lines does not depend on the number of threads.",
	.options = options,
	.shares = C4W_SHARE_JOBS | C4W_SHARE_JSON | C4W_SHARE_QUIET | C4W_SHARE_PROGRESS | C4W_SHARE_AS | C4W_SHARE_MEMORY | C4W_SHARE_IGNORE,
	.selection = true,
	.verdict = true,
	.args_size = sizeof(struct args),
	.min_operands = 1,
	.max_operands = -1,
	.operands = "path",
	.examples = examples,
	.exit_notes = "Items that are not published do not fail, unless nothing was checked at all.",
	.see_also = "c4w-ls(1) c4w-rules(7)",
	.run = run,
};

struct verify {
	struct c4w_ctx *ctx;
	struct c4w_report report;
	struct c4w_progress progress;
	bool fail_fast;
};

static bool deliver(void *ctx, struct c4w_item *item, struct c4w_result *result)
{
	struct verify *v = ctx;
	bool fine;
	if (result->findings.n)
		c4w_progress_wipe(&v->progress);
	fine = c4w_report_item(&v->report, &item->id, result);
	return !c4w_out_failed() && (fine || !v->fail_fast);
}

static void progress(void *ctx, uint64_t items, uint64_t bytes)
{
	struct verify *v = ctx;
	c4w_progress_step(&v->progress, items, bytes);
}

/* A root that can't be opened is a finding too: what is wrong with it is the answer. */
static bool report_open(struct verify *v, const struct c4w_family *family, const struct c4w_err *err)
{
	struct c4w_result result = { 0 };
	struct c4w_item_field fields[8] = { { 0 } };
	struct c4w_item_id id = { err->path[0] ? err->path : "root", fields, 0 };
	for (; family->item_keys && id.n_fields < 8 && family->item_keys[id.n_fields]; id.n_fields++)
		fields[id.n_fields].key = family->item_keys[id.n_fields];
	if (err->cls != C4W_DAMAGED && err->cls != C4W_ABSENT && err->cls != C4W_UNSUPPORTED && err->cls != C4W_LIMIT)
		return false;
	c4w_findings_add_err(&result.findings, "root", NULL, err);
	c4w_report_item(&v->report, &id, &result);
	c4w_findings_clear(&result.findings);
	return true;
}

static int ignore_list(struct c4w_ctx *ctx, struct c4w_report *r, struct c4w_err *err)
{
	const char **list;
	void *p;
	C4W_TRY(c4w_arena_zero(&ctx->arena, ctx->shared.ignore.n + 1, sizeof *list, &p, err));
	list = p;
	if (ctx->shared.ignore.n)
		memcpy(list, ctx->shared.ignore.v, ctx->shared.ignore.n * sizeof *list);
	r->ignore = list;
	return C4W_OK;
}

/* Is the target a checksum list? One that comes through a pipe has been read by then, so it has to be announced. */
static int is_list(const struct c4w_target *t, bool *list, struct c4w_err *err)
{
	enum c4w_format format;
	const char *why;
	*list = false;
	if (t->family != &c4w_family_file)
		return C4W_OK;
	C4W_TRY(c4w_file_format(t->root, &format, &why, err));
	*list = format == C4W_FORMAT_SUMS;
	if (*list && (strcmp(t->path, "-") == 0 || c4w_path_is_stream(t->path))) {
		c4w_fail(err, C4W_USAGE, "is a checksum list on a pipe");
		c4w_err_hint(err, "say --check");
		return C4W_USAGE;
	}
	return C4W_OK;
}

/* One operand. Returns the exit code of what could not become a finding. */
static int verify_one(struct verify *v, const struct args *args, const char *path, bool *list)
{
	struct c4w_ctx *ctx = v->ctx;
	struct c4w_target target = { 0 };
	struct c4w_drive_opts drive = { .jobs = (unsigned)ctx->shared.jobs, .memory = ctx->shared.memory, .cancel = &c4w_stop,
					.deliver = deliver, .progress = progress, .ctx = v };
	struct c4w_job job = { 0 };
	struct c4w_err err;
	int cls, code = C4W_EXIT_OK;
	c4w_err_clear(&err);
	c4w_progress_again(&v->progress);
	*list = false;
	cls = c4w_target_open(ctx, path, &target, &err);
	if (cls != C4W_OK) {
		c4w_err_path(&err, path);
		if (!target.family || target.family == &c4w_family_file || !report_open(v, target.family, &err))
			code = c4w_say_open(ctx, &err);
		goto out;
	}
	if (!target.family->verify)
		cls = c4w_fail(&err, C4W_UNSUPPORTED, "a %s can't be verified", target.family->title);
	if (cls == C4W_OK)
		cls = is_list(&target, list, &err);
	if (cls == C4W_OK && !*list)
		cls = c4w_target_select(ctx, &target, &err);
	if (cls == C4W_OK && !*list)
		cls = target.family->verify(target.root, target.selection, args->level ? C4W_LEVEL_FULL : C4W_LEVEL_BASIC, &job, &err);
	if (ctx->operands == 1) {
		if (v->progress.out && job.totals)
			job.totals(job.ctx, &job.total_items, &job.total_bytes);
		v->progress.total_items = job.total_items;
		v->progress.total_bytes = job.total_bytes;
	}
	if (cls == C4W_OK && !*list)
		cls = c4w_drive(&job, &drive, &err);
	if (cls != C4W_OK && cls != C4W_CANCELLED) {
		*list = false;
		c4w_err_path(&err, path);
		code = c4w_say(ctx, &err);
	}
out:
	c4w_job_destroy(&job);
	c4w_target_close(&target);
	return code;
}

static int run(struct c4w_ctx *ctx, void *p)
{
	struct args *args = p;
	struct verify v = { .ctx = ctx, .fail_fast = args->fail_fast };
	struct c4w_err err;
	int i, lists = 0, code = C4W_EXIT_OK;
	bool list;
	args->list.strict = args->strict;
	args->list.fail_fast = args->fail_fast;
	if (args->check)
		return c4w_check_lists(ctx, &args->list);
	v.report.out = ctx->out;
	v.report.json = ctx->shared.json;
	v.report.quiet = ctx->shared.quiet || args->list.status;
	v.report.strict = args->strict;
	v.report.all = args->verbose;
	v.report.color = c4w_color_on(ctx, ctx->out);
	v.report.level = levels[args->level];
	if (ignore_list(ctx, &v.report, &err) != C4W_OK)
		return c4w_say(ctx, &err);
	c4w_progress_begin(&v.progress, ctx);
	/* Lists are kept for the end: they have a count of their own. */
	for (i = 0; i < ctx->operands && !c4w_stop && !c4w_out_failed(); i++) {
		const char *path = ctx->operand[i];
		code = c4w_exit_worst(code, verify_one(&v, args, path, &list));
		if (list)
			ctx->operand[lists++] = path;
	}
	c4w_progress_end(&v.progress);
	if (lists < ctx->operands) {
		if (code == C4W_EXIT_OK || v.report.passed || v.report.failed || v.report.missing || v.report.unsupported ||
		    v.report.unreadable || v.report.unpublished) {
			c4w_report_summary(&v.report);
			code = c4w_exit_worst(code, c4w_report_exit(&v.report));
		}
	}
	c4w_report_clear(&v.report);
	if (lists) {
		ctx->operands = lists;
		code = c4w_exit_worst(code, c4w_check_lists(ctx, &args->list));
	}
	return code;
}
