/* Many channels: each is loaded, transformed and formatted by a worker; the caller writes the pieces in order. See chw_channel.h. */
#include "families/chw_plot.h"

#include "model/print.h"

#include <inttypes.h>

struct job {
	struct chw_root *root;
	const struct chw_selection *sel;
	struct chw_channel_job o;
	struct chw_walk *walk;
};

struct item {
	struct chw_item it;
	char text[400];
	struct c4w_item_field fields[3];
};

static int next(void *ctx, struct c4w_item *out, bool *end, struct c4w_err *err)
{
	struct job *j = ctx;
	struct item *x = calloc(1, sizeof *x);
	int cls;
	if (!x)
		return c4w_fail_memory(err, sizeof *x);
	/* Positions and geometry are no items here. */
	for (;;) {
		cls = chw_walk_next(j->walk, &x->it, end, err);
		if (cls != C4W_OK || *end) {
			free(x);
			return cls;
		}
		if (x->it.kind != CHW_ITEM_POSITIONS && x->it.kind != CHW_ITEM_GEOMETRY)
			break;
		chw_group_release(x->it.group);
	}
	if (x->it.hz >= 0 || x->it.kind == CHW_ITEM_NO_CHANNEL)
		snprintf(x->text, sizeof x->text, "%s %" PRId64 " Hz BS %" PRId64, x->it.scene->id, x->it.hz, x->it.bs);
	else
		snprintf(x->text, sizeof x->text, "%s", x->it.scene->id);
	x->fields[0] = (struct c4w_item_field){ "scene_id", x->it.scene->id, 0, false };
	x->fields[1] = (struct c4w_item_field){ "frequency_hz", NULL, x->it.hz, x->it.hz >= 0 };
	x->fields[2] = (struct c4w_item_field){ "bs", NULL, x->it.bs, x->it.bs >= 0 };
	out->id = (struct c4w_item_id){ x->text, x->fields, 3 };
	out->data = x;
	return C4W_OK;
}

static int to_buf(void *ctx, const uint8_t *p, size_t n, struct c4w_err *err)
{
	c4w_buf_put(ctx, p, n);
	return c4w_buf_ok(ctx, err);
}

static int put_array(struct job *j, const struct chw_channel *c, struct c4w_arena *arena, struct c4w_buf *out, struct c4w_err *err)
{
	struct c4w_array a;
	struct c4w_nd nd;
	C4W_TRY(chw_channel_array(c, &j->o.what, arena, &a, err));
	c4w_nd_of(&a, &nd);
	switch (j->o.output) {
	case CHW_OUT_RAW:
		return j->o.npy ? c4w_nd_npy(&nd, to_buf, out, err) : c4w_nd_raw(&nd, to_buf, out, err);
	case CHW_OUT_TSV:
		return c4w_nd_print(&nd, C4W_TEXT_TSV, j->o.header, to_buf, out, err);
	case CHW_OUT_JSON:
		return c4w_nd_print(&nd, C4W_TEXT_JSONL, false, to_buf, out, err);
	default:
		return c4w_nd_print(&nd, C4W_TEXT_CSV, j->o.header, to_buf, out, err);
	}
}

static int draw(const struct job *j, const struct chw_channel *c, struct c4w_buf *out, struct c4w_err *err)
{
	const struct chw_show *s = &j->o.show;
	struct c4w_plot p;
	int cls;
	c4w_plot_init(&p);
	cls = j->o.view_opts.ue >= 0 ? chw_plot_link(c, j->o.view_opts.ue, j->o.view_opts.radians, &p, err) : chw_plot_map(c, s->by, &p, err);
	if (cls == C4W_OK)
		cls = j->o.output == CHW_OUT_TERM ? c4w_plot_term(&p, s->term, s->columns, s->lines, out, err) :
						    c4w_plot_draw(&p, j->o.output == CHW_OUT_SVG ? C4W_PLOT_SVG : C4W_PLOT_PNG, to_buf, out, err);
	c4w_plot_clear(&p);
	return cls;
}

static void work(void *ctx, struct c4w_worker *w, struct c4w_item *item, struct c4w_result *result)
{
	struct job *j = ctx;
	struct chw_item *it = &((struct item *)item->data)->it;
	struct chw_channel c;
	struct c4w_buf *out;
	struct c4w_err err;
	c4w_err_clear(&err);
	if (it->kind == CHW_ITEM_SCENE) {
		c4w_findings_add_err(&result->findings, "core", NULL, &it->group->snapshot_err);
		return;
	}
	if (it->kind != CHW_ITEM_CHANNEL) {
		c4w_findings_addf(&result->findings, C4W_SEV_ERROR, C4W_STATE_UNPUBLISHED, "core", NULL, NULL, -1, "%s in this %s",
				  it->kind == CHW_ITEM_NO_CHANNELS ? "no channel records" : "core is not published", chw_kind_names[j->root->kind]);
		return;
	}
	if (!chw_channel_load(it, j->o.view && j->o.view_opts.ue >= 0, j->o.view, w, &c, &result->findings))
		return;
	/* What only adds to the view may be absent: it is shown without. */
	if (j->o.view) {
		size_t i, k = 0;
		for (i = 0; i < result->findings.n; i++)
			if (result->findings.v[i].state != C4W_STATE_MISSING && result->findings.v[i].state != C4W_STATE_UNPUBLISHED)
				result->findings.v[k++] = result->findings.v[i];
		result->findings.n = k;
	}
	out = calloc(1, sizeof *out);
	if (!out) {
		c4w_fail_memory(&err, sizeof *out);
		c4w_findings_add_err(&result->findings, NULL, NULL, &err);
		return;
	}
	if (!j->o.view) {
		if (put_array(j, &c, &w->arena, out, &err) != C4W_OK)
			c4w_findings_add_err(&result->findings, "core", NULL, &err);
	} else if (j->o.output >= CHW_OUT_TERM) {
		if (draw(j, &c, out, &err) != C4W_OK)
			c4w_findings_add_err(&result->findings, "core", NULL, &err);
	} else if (j->o.output == CHW_OUT_JSON) {
		chw_channel_json(&c, &j->o.view_opts, out);
	} else if (j->o.output == CHW_OUT_CSV) {
		chw_channel_csv(&c, &j->o.view_opts, out);
	} else {
		chw_channel_text(&c, &j->o.view_opts, out);
	}
	if (c4w_buf_ok(out, &err) != C4W_OK)
		c4w_findings_add_err(&result->findings, NULL, NULL, &err);
	result->bytes = out->n;
	result->data = out;
}

static void release(void *ctx, struct c4w_item *item, struct c4w_result *result)
{
	struct item *x = item->data;
	(void)ctx;
	if (result->data)
		c4w_buf_clear(result->data);
	free(result->data);
	chw_group_release(x->it.group);
	free(x);
}

static void destroy(void *ctx)
{
	struct job *j = ctx;
	chw_walk_free(j->walk);
	free(j);
}

int chw_channel_work(struct chw_root *root, const struct chw_selection *sel, const struct chw_channel_job *o, struct c4w_job *out,
		     struct c4w_err *err)
{
	struct job *j;
	int cls;
	C4W_TRY(chw_root_sound(root, err));
	j = calloc(1, sizeof *j);
	if (!j)
		return c4w_fail_memory(err, sizeof *j);
	j->root = root;
	j->sel = sel;
	j->o = *o;
	cls = chw_walk_new(root, sel, &j->walk, err);
	if (cls != C4W_OK) {
		free(j);
		return cls;
	}
	*out = (struct c4w_job){ .ctx = j, .next = next, .work = work, .release = release, .worker_new = chw_worker_new,
				 .worker_free = chw_worker_free, .destroy = destroy };
	return C4W_OK;
}

int chw_channel_count(struct chw_root *root, const struct chw_selection *sel, enum chw_what what, struct chw_channel_count *out,
		      struct c4w_err *err)
{
	struct chw_walk *walk;
	struct chw_item it;
	bool end = false;
	int cls;
	*out = (struct chw_channel_count){ 0, 0, 1 };
	C4W_TRY(chw_root_sound(root, err));
	C4W_TRY(chw_walk_new(root, sel, &walk, err));
	while ((cls = chw_walk_next(walk, &it, &end, err)) == C4W_OK && !end) {
		if (it.kind == CHW_ITEM_CHANNEL) {
			const char *p = it.scene->id;
			size_t width = 0;
			for (; *p; p++)
				width += ((unsigned char)*p & 0xC0) != 0x80;
			out->scene_width = width > out->scene_width ? width : out->scene_width;
			out->channels++;
			out->rows += chw_what_rows(what, &it.core->dims);
		}
		chw_group_release(it.group);
	}
	chw_walk_free(walk);
	return cls;
}
