/* Running a writing job of any family. See prepare.h. */
#include "prepare.h"
#include "progress.h"
#include "selection.h"
#include "shell.h"

#include "base/version.h"
#include "model/report.h"

#include <inttypes.h>
#include <string.h>

const char *const c4w_prepare_levels[] = { "none", "basic", "full", NULL };

struct run {
	struct c4w_ctx *ctx;
	struct c4w_report report;
	struct c4w_progress progress;
	uint64_t bytes;
};

static void plan_text(FILE *out, const struct c4w_plan *plan, const char *verb, const char *dest, uint64_t space)
{
	char n[32];
	unsigned i;
	fputs("selected:", out);
	for (i = 0; i < plan->n_counts; i++)
		fprintf(out, "%s %s %s", i ? "," : "", c4w_str_grouped(plan->counts[i].n, n), plan->counts[i].noun);
	fprintf(out, "\n%s: %s files", verb, c4w_str_grouped(plan->files, n));
	fprintf(out, ", %s to %s", c4w_str_size(plan->bytes, n), dest);
	fprintf(out, " (%s free)\n", c4w_str_size(space, n));
	if (plan->kept)
		fprintf(out, "there already: %s files, kept where they are right\n", c4w_str_grouped(plan->kept, n));
	if (plan->unpublished)
		fprintf(out, "left out: %s items that are not published, e.g. %s\n", c4w_str_grouped(plan->unpublished, n), plan->first_unpublished);
}

static void plan_json(FILE *out, const struct c4w_plan *plan, const char *dest, uint64_t space)
{
	struct c4w_buf b = { 0 };
	unsigned i;
	const char *c;
	c4w_buf_puts(&b, "{\"type\": \"plan\", \"dest\": ");
	c4w_buf_json(&b, dest, strlen(dest));
	for (i = 0; i < plan->n_counts; i++) {
		c4w_buf_puts(&b, ", \"");
		for (c = plan->counts[i].noun; *c; c++)
			c4w_buf_putc(&b, *c == ' ' ? '_' : *c);
		c4w_buf_printf(&b, "\": %" PRIu64, plan->counts[i].n);
	}
	c4w_buf_printf(&b, ", \"files\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"kept\": %" PRIu64 ", \"unpublished\": %" PRIu64 ", \"free\": %" PRIu64 "}\n",
		       plan->files, plan->bytes, plan->kept, plan->unpublished, space);
	if (!b.failed)
		fwrite(b.p, 1, b.n, out);
	c4w_buf_clear(&b);
}

static void show_plan(struct c4w_ctx *ctx, const struct c4w_prepare_args *args, const struct c4w_plan *plan, const char *verb, const char *dest,
		      uint64_t space)
{
	char shown[600];
	struct c4w_plan safe = *plan;
	c4w_str_escape(safe.first_unpublished, sizeof safe.first_unpublished, plan->first_unpublished, strlen(plan->first_unpublished));
	c4w_str_escape(shown, sizeof shown, dest, strlen(dest));
	if (ctx->shared.json)
		plan_json(ctx->out, plan, dest, space);
	else if (args->dry_run)
		plan_text(ctx->out, &safe, verb, shown, space);
	else if (!ctx->shared.quiet || args->ask)
		plan_text(ctx->err, &safe, verb, shown, space);
}

static bool agreed(struct c4w_ctx *ctx)
{
	char line[80];
	fputs("go on? [y/N] ", ctx->err);
	fflush(ctx->err);
	return fgets(line, sizeof line, stdin) && (strcmp(line, "y\n") == 0 || strcmp(line, "Y\n") == 0 || strcmp(line, "yes\n") == 0);
}

static bool deliver(void *ctx, struct c4w_item *item, struct c4w_result *result)
{
	struct run *r = ctx;
	r->bytes += result->bytes;
	if (result->findings.n)
		c4w_progress_wipe(&r->progress);
	c4w_report_item(&r->report, &item->id, result);
	return true; /* a closed output is no reason to leave the work half done, nor to take it for done */
}

static void progress(void *ctx, uint64_t items, uint64_t bytes)
{
	struct run *r = ctx;
	c4w_progress_step(&r->progress, items, bytes);
}

/* ---- the dependency file ---- */

struct depfile {
	struct c4w_buf rule, empty;
};

/* Without slashes at the end: make knows names by their letters. */
static int trimmed(const char *path)
{
	size_t n = strlen(path);
	while (n > 1 && path[n - 1] == '/')
		n--;
	return (int)n;
}

static void add_source(void *user, const char *path)
{
	struct depfile *d = user;
	c4w_buf_puts(&d->rule, " \\\n  ");
	c4w_make_word(&d->rule, path);
	c4w_make_word(&d->empty, path);
	c4w_buf_puts(&d->empty, ":\n");
}

static int write_depfile(struct c4w_ctx *ctx, const char *file, struct c4w_writing *w, struct c4w_err *err)
{
	const char *dest = ctx->operand[ctx->operands - 1];
	struct depfile d = { 0 };
	struct c4w_outfile *f = NULL;
	struct c4w_buf target = { 0 };
	int cls;
	c4w_buf_printf(&target, "%.*s%s%s", trimmed(dest), dest, w->manifest ? "/" : "", w->manifest ? w->manifest : "");
	c4w_make_word(&d.rule, target.p ? target.p : "");
	c4w_buf_putc(&d.rule, ':');
	cls = w->sources ? w->sources(w->ctx, add_source, &d, err) : C4W_OK;
	/* A source that goes away must not keep make from running: each is a target without a rule. */
	c4w_buf_puts(&d.rule, "\n\n");
	c4w_buf_put(&d.rule, d.empty.p ? d.empty.p : "", d.empty.n);
	if (cls == C4W_OK)
		cls = c4w_buf_ok(&d.rule, err);
	if (cls == C4W_OK)
		cls = c4w_outfile_open(file, &f, err);
	if (cls == C4W_OK && (cls = c4w_outfile_write(f, d.rule.p, d.rule.n, err)) != C4W_OK) {
		c4w_outfile_abort(f);
		f = NULL;
	}
	if (cls == C4W_OK && f)
		cls = c4w_outfile_commit(f, err);
	c4w_buf_clear(&target);
	c4w_buf_clear(&d.rule);
	c4w_buf_clear(&d.empty);
	return cls;
}

/* ---- the run ---- */

static int result_code(const struct c4w_report *r)
{
	if (r->unreadable || r->missing)
		return C4W_EXIT_FAILED;
	if (r->failed)
		return C4W_EXIT_FALSE;
	return r->unsupported ? C4W_EXIT_UNSUPPORTED : C4W_EXIT_OK;
}

static void summary(struct run *r, const struct c4w_writing *w, bool complete)
{
	struct c4w_ctx *ctx = r->ctx;
	double seconds = c4w_progress_seconds(&r->progress);
	uint64_t written = 0, stayed = 0, bad = r->report.failed + r->report.missing + r->report.unsupported + r->report.unreadable;
	char n[32], size[32], rate[32];
	c4w_progress_wipe(&r->progress);
	if (w->tally)
		w->tally(w->ctx, &written, &stayed);
	if (ctx->shared.json) {
		fprintf(ctx->out, "{\"type\": \"summary\", \"complete\": %s, \"written\": %" PRIu64 ", \"stayed\": %" PRIu64 ", \"bytes\": %" PRIu64
			", \"failed\": %" PRIu64 ", \"missing\": %" PRIu64 ", \"unsupported\": %" PRIu64 ", \"unreadable\": %" PRIu64
			", \"unpublished\": %" PRIu64 "}\n",
			complete ? "true" : "false", written, stayed, r->bytes, r->report.failed, r->report.missing, r->report.unsupported,
			r->report.unreadable, w->plan.unpublished);
		return;
	}
	if (ctx->shared.quiet)
		return;
	fprintf(ctx->err, "wrote %s files", c4w_str_grouped(written, n));
	fprintf(ctx->err, ", %s in %.1f s (%s/s)", c4w_str_size(r->bytes, size), seconds,
		c4w_str_size(seconds > 0 ? (uint64_t)((double)r->bytes / seconds) : 0, rate));
	if (stayed)
		fprintf(ctx->err, "; %s were right already", c4w_str_grouped(stayed, n));
	if (w->plan.unpublished)
		fprintf(ctx->err, "; %s item%s not published and left out", c4w_str_grouped(w->plan.unpublished, n),
			w->plan.unpublished == 1 ? " is" : "s are");
	if (bad)
		fprintf(ctx->err, "; %s item%s failed: what was written %sis not complete", c4w_str_grouped(bad, n),
			bad == 1 ? "" : "s", w->manifest ? "has no manifest and " : "");
	fputc('\n', ctx->err);
}

static int check_space(struct c4w_ctx *ctx, const struct c4w_plan *plan, uint64_t space, const char *dest)
{
	struct c4w_err err;
	char need[32], have[32];
	c4w_fail(&err, C4W_IO, "%s are needed, %s are free", c4w_str_size(plan->bytes, need), c4w_str_size(space, have));
	c4w_err_path(&err, dest);
	c4w_err_hint(&err, "--no-space-check starts all the same");
	return c4w_say(ctx, &err);
}

/* No source may be the destination, lie in it, or around it. */
static int check_apart(const struct c4w_ctx *ctx, const struct c4w_sink *sink, struct c4w_err *err)
{
	int i;
	for (i = 0; i + 1 < ctx->operands; i++) {
		bool overlaps;
		C4W_TRY(c4w_sink_overlaps(sink, ctx->operand[i], &overlaps, err));
		if (overlaps) {
			c4w_fail(err, C4W_USAGE, "source and destination are the same directory, or one lies in the other");
			c4w_err_path(err, ctx->operand[ctx->operands - 1]);
			return C4W_USAGE;
		}
	}
	return C4W_OK;
}

static int drive(struct run *r, const struct c4w_prepare_args *args, struct c4w_writing *w, struct c4w_err *err)
{
	struct c4w_ctx *ctx = r->ctx;
	struct c4w_drive_opts opts = { .jobs = (unsigned)ctx->shared.jobs, .memory = ctx->shared.memory, .cancel = &c4w_stop, .deliver = deliver,
				       .progress = progress, .ctx = r };
	int code, cls = c4w_drive(&w->job, &opts, err);
	if (cls != C4W_OK)
		return c4w_say(ctx, err);
	code = result_code(&r->report);
	if (code == C4W_EXIT_OK && w->finish(w->ctx, err) != C4W_OK) {
		c4w_progress_wipe(&r->progress);
		return c4w_say_open(ctx, err);
	}
	summary(r, w, code == C4W_EXIT_OK);
	if (code == C4W_EXIT_OK && args->depfile && write_depfile(ctx, args->depfile, w, err) != C4W_OK)
		return c4w_say(ctx, err);
	/* All that could be done is done, but not all that was asked for. */
	return code == C4W_EXIT_OK && w->plan.unpublished ? C4W_EXIT_FAILED : code;
}

int c4w_prepare_run(struct c4w_ctx *ctx, const struct c4w_prepare_args *args, c4w_prepare_fn (*action)(const struct c4w_family *f), const char *verb)
{
	const char *dest = ctx->operand[ctx->operands - 1];
	struct run r = { .ctx = ctx };
	struct c4w_target target = { 0 };
	struct c4w_writing w = { 0 };
	struct c4w_sink *sink = NULL;
	struct c4w_write_opts opts = { .verify = args->verify, .keep_existing = args->skip_existing, .tool = "c4w " C4W_VERSION,
				       .values_format = args->values_format, .split_by = args->split_by };
	struct c4w_err err;
	char refused[64];
	uint64_t space = 0;
	int code;
	c4w_err_clear(&err);
	r.report.out = ctx->out;
	r.report.json = ctx->shared.json;
	r.report.color = c4w_color_on(ctx, ctx->out);
	if (c4w_target_open_several(ctx, ctx->operand, (size_t)ctx->operands - 1, &target, &err) != C4W_OK) {
		code = c4w_say_open(ctx, &err);
		goto out;
	}
	if (!action(target.family)) {
		snprintf(refused, sizeof refused, "%s is not something that a ", verb);
		c4w_target_fail(&target, C4W_UNSUPPORTED, refused, " can do", &err);
		code = c4w_say(ctx, &err);
		goto out;
	}
	if (c4w_target_select(ctx, &target, &err) != C4W_OK) {
		code = c4w_say(ctx, &err);
		goto out;
	}
	if (c4w_sink_open(dest, args->skip_existing ? 0 : C4W_SINK_EMPTY, &sink, &err) != C4W_OK) {
		if (err.cls == C4W_USAGE && !args->skip_existing && !err.hint[0])
			c4w_err_hint(&err, "choose a new directory, or keep what is right in this one with --skip-existing");
		code = c4w_say_open(ctx, &err);
		goto out;
	}
	if (check_apart(ctx, sink, &err) != C4W_OK || c4w_sink_space(sink, &space, &err) != C4W_OK) {
		code = c4w_say_open(ctx, &err);
		goto out;
	}
	opts.sink = sink;
	if (action(target.family)(target.root, target.selection, &opts, &w, &err) != C4W_OK) {
		code = c4w_say_open(ctx, &err);
		goto out;
	}
	show_plan(ctx, args, &w.plan, verb, dest, space);
	if (args->dry_run) {
		code = C4W_EXIT_OK;
		goto out;
	}
	if (!args->no_space_check && w.plan.bytes > space) {
		code = check_space(ctx, &w.plan, space, dest);
		goto out;
	}
	if (args->ask && !agreed(ctx)) {
		c4w_warn(ctx, "nothing was written");
		code = C4W_EXIT_FALSE;
		goto out;
	}
	c4w_progress_begin(&r.progress, ctx);
	r.progress.total_items = w.job.total_items;
	r.progress.total_bytes = w.plan.bytes;
	code = drive(&r, args, &w, &err);
	c4w_progress_end(&r.progress);
out:
	c4w_writing_destroy(&w);
	c4w_sink_close(sink);
	c4w_target_close(&target);
	c4w_report_clear(&r.report);
	return code;
}
