/* `c4w verify`: read and check what a dataset holds. The family knows the rules, the driver the threads, the report the words. */
#include "command.h"
#include "support/selection.h"

#include "model/report.h"

struct args {
	int level;
	bool fail_fast, strict;
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
	  .text = "An item with a warning counts as failed." },
	{ .name = NULL },
};

static const struct c4w_example examples[] = {
	{ "c4w verify release", "every item of a root, every rule" },
	{ "c4w verify release --split test --components core,detail --level basic", "a part of it, without the values" },
	{ "c4w verify release --json -j 4", "one object a line, four threads" },
	{ NULL, NULL },
};

static int run(struct c4w_ctx *ctx, void *args);

const struct c4w_command c4w_command_verify = {
	.name = "verify",
	.group = "Check",
	.summary = "check a dataset against its digests and rules",
	.synopsis = "[OPTIONS] PATH",
	.prose = "Reads what is selected and checks it. An item is what the format checks as one thing: of a Channels4World root a channel (a "
		 "scene's carrier and base station: core, and its detail where that is selected), a scene's positions, or a scene's "
		 "geometry.\n\n"
		 "Prints a line for each item that is not fine, then a count. FAIL: its bytes contradict their digest, structure or rules, "
		 "and the rule's id says which; c4w-rules(7) lists them. MISSING: listed, but not downloaded. NOT PUBLISHED: catalogued, "
		 "but not part of this release, which is no error. UNSUPPORTED: valid, but not something that can be checked here. "
		 "UNREADABLE: the system refused.\n\n"
		 "The order of the lines does not depend on the number of threads.",
	.options = options,
	.shares = C4W_SHARE_JOBS | C4W_SHARE_JSON | C4W_SHARE_QUIET | C4W_SHARE_PROGRESS | C4W_SHARE_AS | C4W_SHARE_MEMORY | C4W_SHARE_IGNORE,
	.selection = true,
	.args_size = sizeof(struct args),
	.min_operands = 1,
	.max_operands = 1,
	.operands = "path",
	.examples = examples,
	.exit_notes = "Items that are not published do not fail, unless nothing was checked at all.",
	.see_also = "c4w-ls(1) c4w-rules(7)",
	.run = run,
};

struct verify {
	struct c4w_ctx *ctx;
	struct c4w_report report;
	bool fail_fast;
};

static bool deliver(void *ctx, struct c4w_item *item, struct c4w_result *result)
{
	struct verify *v = ctx;
	bool fine = c4w_report_item(&v->report, &item->id, result);
	return !c4w_out_failed() && (fine || !v->fail_fast);
}

/* A root that can't be opened is a finding too: what is wrong with it is the answer. */
static bool report_open(struct verify *v, const struct c4w_err *err)
{
	struct c4w_result result = { 0 };
	struct c4w_item_id id = { err->path[0] ? err->path : "root", NULL, 0 };
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

static int run(struct c4w_ctx *ctx, void *p)
{
	const struct args *args = p;
	struct verify v = { .ctx = ctx, .fail_fast = args->fail_fast };
	struct c4w_target target = { 0 };
	struct c4w_drive_opts drive = { 0 };
	struct c4w_job job = { 0 };
	struct c4w_err err;
	int cls, code;
	c4w_err_clear(&err);
	v.report.out = ctx->out;
	v.report.json = ctx->shared.json;
	v.report.quiet = ctx->shared.quiet;
	v.report.strict = args->strict;
	v.report.color = c4w_color_on(ctx, ctx->out);
	v.report.level = levels[args->level];
	if (ignore_list(ctx, &v.report, &err) != C4W_OK)
		return c4w_say(ctx, &err);
	cls = c4w_target_open(ctx, ctx->operand[0], &target, &err);
	if (cls != C4W_OK) {
		if (!target.family || !report_open(&v, &err)) {
			code = c4w_say_open(ctx, &err);
			goto out;
		}
		goto summary;
	}
	if (!target.family->verify) {
		c4w_fail(&err, C4W_UNSUPPORTED, "a %s can't be verified", target.family->title);
		c4w_err_path(&err, target.path);
		code = c4w_say(ctx, &err);
		goto out;
	}
	if (c4w_target_select(ctx, &target, &err) != C4W_OK ||
	    target.family->verify(target.root, target.selection, args->level ? C4W_LEVEL_FULL : C4W_LEVEL_BASIC, &job, &err) != C4W_OK) {
		code = c4w_say(ctx, &err);
		goto out;
	}
	drive.jobs = (unsigned)ctx->shared.jobs;
	drive.memory = ctx->shared.memory;
	drive.cancel = &c4w_stop;
	drive.deliver = deliver;
	drive.ctx = &v;
	cls = c4w_drive(&job, &drive, &err);
	if (cls != C4W_OK && cls != C4W_CANCELLED) {
		code = c4w_say(ctx, &err);
		goto out;
	}
summary:
	c4w_report_summary(&v.report);
	code = c4w_report_exit(&v.report);
out:
	c4w_job_destroy(&job);
	c4w_target_close(&target);
	c4w_report_clear(&v.report);
	return code;
}
