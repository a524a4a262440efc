/* `c4w geometry`: a scene's geometry, unpacked. */
#include "command.h"
#include "support/selection.h"

#include "families/chw_unpack.h"
#include "model/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct c4w_option options[] = { { .name = NULL } };

static const struct c4w_example examples[] = {
	{ "c4w geometry release urban_scene_019231 scenes", "files in scenes/urban_scene_019231/" },
	{ "mitsuba \"$(c4w geometry release urban_scene_019231 scenes)\"", "straight to a renderer" },
	{ NULL, NULL },
};

static int run(struct c4w_ctx *ctx, void *args);

const struct c4w_command c4w_command_geometry = {
	.name = "geometry",
	.group = "Prepare",
	.summary = "unpack a scene's geometry and print its entry point",
	.synopsis = "[OPTIONS] ROOT SCENE DEST",
	.prose = "Unpacks the geometry archive of one scene of a Channels4World root to DEST/SCENE/ and prints the path of the file to load: the one "
		 "that scene.json names, or the only XML file.\n\n"
		 "The archive is checked first: its digest, that no name or link leaves the directory, and that the entry point is there. "
		 "Files that hold the right bytes already stay as they are; no write goes through a symbolic link inside DEST.",
	.options = options,
	.shares = C4W_SHARE_JSON | C4W_SHARE_QUIET | C4W_SHARE_AS,
	.min_operands = 3,
	.max_operands = 3,
	.operands = "path leaf dir",
	.examples = examples,
	.exit_notes = "3 when the geometry is not downloaded or not published.",
	.see_also = "c4w-extract(1) c4w-ls(1)",
	.run = run,
};

static int print_entry(struct c4w_ctx *ctx, const struct c4w_buf *entry, uint64_t files, struct c4w_err *err)
{
	char *dest = realpath(ctx->operand[2], NULL);
	struct c4w_buf b = { 0 }, path = { 0 };
	int cls;
	c4w_buf_printf(&path, "%s/%s", dest && strcmp(dest, "/") != 0 ? dest : "", entry->p);
	free(dest);
	cls = c4w_buf_ok(&path, err);
	if (cls == C4W_OK && ctx->shared.json) {
		c4w_buf_puts(&b, "{\"type\": \"geometry\", \"scene_id\": ");
		c4w_buf_json(&b, ctx->operand[1], strlen(ctx->operand[1]));
		c4w_buf_puts(&b, ", \"entry\": ");
		c4w_buf_json(&b, path.p, path.n);
		c4w_buf_printf(&b, ", \"files\": %" PRIu64 "}", files);
		cls = c4w_buf_ok(&b, err);
	} else if (cls == C4W_OK) {
		c4w_buf_put(&b, path.p, path.n);
		cls = c4w_buf_ok(&b, err);
	}
	if (cls == C4W_OK) {
		fwrite(b.p, 1, b.n, ctx->out);
		fputc('\n', ctx->out);
	}
	c4w_buf_clear(&b);
	c4w_buf_clear(&path);
	return cls;
}

static int report_code(const struct c4w_report *r)
{
	if (r->unreadable || r->missing || r->unpublished)
		return C4W_EXIT_FAILED;
	return r->failed ? C4W_EXIT_FALSE : C4W_EXIT_UNSUPPORTED;
}

static int run(struct c4w_ctx *ctx, void *args)
{
	struct c4w_target target = { 0 };
	struct c4w_report report = { .out = ctx->out, .json = ctx->shared.json, .color = c4w_color_on(ctx, ctx->out) };
	struct c4w_result result = { 0 };
	struct c4w_item_id id = { ctx->operand[1], NULL, 0 };
	struct c4w_sink *sink = NULL;
	struct c4w_buf entry = { 0 };
	struct c4w_err err;
	uint64_t files = 0;
	bool overlaps = false;
	int code;
	(void)args;
	c4w_err_clear(&err);
	if (c4w_target_open(ctx, ctx->operand[0], &target, &err) != C4W_OK) {
		code = c4w_say_open(ctx, &err);
		goto out;
	}
	if (strcmp(target.family->name, "channels4world") != 0) {
		c4w_target_fail(&target, C4W_UNSUPPORTED, "a ", " has no geometry archives", &err);
		code = c4w_say(ctx, &err);
		goto out;
	}
	if (c4w_sink_open(ctx->operand[2], 0, &sink, &err) != C4W_OK || c4w_sink_overlaps(sink, ctx->operand[0], &overlaps, &err) != C4W_OK) {
		code = c4w_say_open(ctx, &err);
		goto out;
	}
	if (overlaps) {
		c4w_fail(&err, C4W_USAGE, "source and destination are the same directory, or one lies in the other");
		c4w_err_path(&err, ctx->operand[2]);
		code = c4w_say(ctx, &err);
	} else if (chw_geometry_unpack(target.root, ctx->operand[1], sink, &c4w_stop, &result.findings, &entry, &files, &err) != C4W_OK) {
		code = c4w_say_open(ctx, &err);
	} else if (result.findings.n) {
		c4w_report_item(&report, &id, &result);
		code = report_code(&report);
	} else {
		code = print_entry(ctx, &entry, files, &err) == C4W_OK ? C4W_EXIT_OK : c4w_say(ctx, &err);
	}
out:
	c4w_findings_clear(&result.findings);
	c4w_report_clear(&report);
	c4w_buf_clear(&entry);
	c4w_sink_close(sink);
	c4w_target_close(&target);
	return code;
}
