/* `c4w scenes`: the selected scenes of a Channels4World root, in the bytes of the reference's command. */
#include "command.h"
#include "support/rows.h"
#include "support/selection.h"

#include "families/chw_node.h"

static const struct c4w_example examples[] = {
	{ "c4w scenes release --split test --tier small", "the test scenes up to a tier" },
	{ NULL, NULL },
};

static int run(struct c4w_ctx *ctx, void *args);

const struct c4w_command c4w_command_scenes = {
	.name = "scenes",
	.group = "Channels4World",
	.summary = "print the selected scenes as tab-separated lines",
	.synopsis = "[OPTIONS] ROOT",
	.prose = "Prints the selected scenes of a Channels4World root in their pinned order: scene_id, split, profile and tier, separated by tabs "
		 "below a header line, on a terminal as in a pipe. These are the bytes that the reference library's command of the same name "
		 "prints; c4w ls shows more.",
	.shares = C4W_SHARE_JSON | C4W_SHARE_AS,
	.selection = true,
	.min_operands = 1,
	.max_operands = 1,
	.operands = "path",
	.examples = examples,
	.see_also = "c4w-ls(1)",
	.run = run,
};

static int run(struct c4w_ctx *ctx, void *args)
{
	struct c4w_target target;
	struct c4w_row_printer printer;
	struct c4w_rows rows;
	struct c4w_err err = { 0 };
	int cls = c4w_target_open(ctx, ctx->operand[0], &target, &err), code = C4W_EXIT_OK;
	(void)args;
	if (cls != C4W_OK) {
		c4w_err_path(&err, ctx->operand[0]);
		code = c4w_say_open(ctx, &err);
		c4w_target_close(&target);
		return code;
	}
	if (target.family != &c4w_family_channels4world)
		cls = c4w_target_fail(&target, C4W_USAGE, "is a ", "; scenes are listed of a Channels4World root", &err);
	if (cls == C4W_OK)
		cls = chw_root_sound(target.root, &err);
	if (cls == C4W_OK)
		cls = c4w_target_select(ctx, &target, &err);
	if (cls == C4W_OK) {
		c4w_rows_init(&printer, ctx, false, false, false);
		if (printer.look == C4W_LOOK_TERMINAL)
			printer.look = C4W_LOOK_TSV;
		rows = c4w_rows_sink(&printer);
		cls = chw_list_scenes(target.root, target.selection, false, &rows, &err);
		c4w_rows_finish(&printer);
	}
	if (cls != C4W_OK && cls != C4W_CANCELLED) {
		c4w_err_path(&err, ctx->operand[0]);
		code = c4w_say(ctx, &err);
	}
	c4w_target_close(&target);
	return code;
}
