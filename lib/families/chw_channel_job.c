/* Many channels: each is loaded, transformed and formatted by a worker; the caller writes the pieces in order. See chw_channel.h. */
#include "families/chw_plot.h"

#include "containers/npy.h"
#include "model/print.h"

#include <inttypes.h>

/* Parts of a channel that is split, and from how many values on it is. The parts do not depend on the number of threads. */
enum { PARTS = 16, SPLIT_FROM = 100000, SPARE = 16, SPARE_BYTES = 32 << 20 };

/* The one channel whose links several workers share: read by the first that comes. */
struct shared {
	pthread_mutex_t lock;
	bool tried, usable;
	struct c4w_worker worker; /* owns the arrays */
	struct chw_channel channel;
	struct c4w_findings findings;
};

struct job {
	struct chw_root *root;
	const struct chw_selection *sel;
	struct chw_channel_job o;
	struct chw_walk *walk;
	struct chw_item split; /* its parts are being handed out */
	unsigned part;         /* the next one; 0: none */
	struct shared shared;
	/* Buffers that were delivered, to be filled again: making megabytes anew each time costs more than filling them. */
	pthread_mutex_t lock;
	struct c4w_buf *spare[SPARE];
	unsigned spares;
};

struct item {
	struct chw_item it;
	bool is_part;
	unsigned part;
	char text[400];
	struct c4w_item_field fields[3];
};

static void name(struct item *x, struct c4w_item *out)
{
	if (x->it.hz >= 0 || x->it.kind == CHW_ITEM_NO_CHANNEL)
		snprintf(x->text, sizeof x->text, "%s %" PRId64 " Hz BS %" PRId64, x->it.scene->id, x->it.hz, x->it.bs);
	else
		snprintf(x->text, sizeof x->text, "%s", x->it.scene->id);
	x->fields[0] = (struct c4w_item_field){ "scene_id", x->it.scene->id, 0, false };
	x->fields[1] = (struct c4w_item_field){ "frequency_hz", NULL, x->it.hz, x->it.hz >= 0 };
	x->fields[2] = (struct c4w_item_field){ "bs", NULL, x->it.bs, x->it.bs >= 0 };
	out->id = (struct c4w_item_id){ x->text, x->fields, 3 };
	out->data = x;
}

/* Is the array so large that its parts repay being handed out? */
static bool worth(const struct job *j, const struct chw_dims *d)
{
	uint64_t width = j->o.what.what == CHW_WHAT_RESPONSE ? j->o.what.n_offsets : j->o.what.what >= CHW_WHAT_PADDED ? 16 : 1;
	return j->o.what.ue < 0 && d->links > PARTS && chw_what_rows(j->o.what.what, d) * width >= SPLIT_FROM;
}

/* Bytes that an item takes, from its dimensions: the record with its compressed bytes, the array, and what it is written as. */
static uint64_t cost_of(const struct job *j, const struct item *x)
{
	const struct chw_what_opts *w = &j->o.what;
	const struct chw_dims *d;
	double record, row, rows, cost;
	if (x->it.kind != CHW_ITEM_CHANNEL)
		return 0;
	d = &x->it.core->dims;
	record = 2 * (12.0 * (double)d->links + 40.0 * (double)d->paths);
	if (j->o.view)
		return (uint64_t)(2 * record + 400.0 * (double)d->links);
	rows = w->ue >= 0 ? 16 : (double)chw_what_rows(w->what, d);
	row = w->what == CHW_WHAT_RESPONSE ? 16.0 * (double)w->n_offsets : w->what >= CHW_WHAT_PADDED ? 128 : 16;
	if (w->keys)
		row += 4.0 * (double)w->scene_width + 40;
	cost = rows * row * (j->o.output == CHW_OUT_RAW ? 2 : 4) / (x->is_part ? PARTS : 1) + (x->part ? 0 : record);
	return cost < 1e18 ? (uint64_t)cost : UINT64_MAX;
}

static int next(void *ctx, struct c4w_item *out, bool *end, struct c4w_err *err)
{
	struct job *j = ctx;
	struct item *x = calloc(1, sizeof *x);
	int cls;
	if (!x)
		return c4w_fail_memory(err, sizeof *x);
	if (j->part) {
		x->it = j->split;
		x->part = j->part;
		x->is_part = true;
		chw_group_ref(x->it.group);
		j->part = (j->part + 1) % PARTS;
		name(x, out);
		out->cost = cost_of(j, x);
		return C4W_OK;
	}
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
	if (j->o.split && x->it.kind == CHW_ITEM_CHANNEL && worth(j, &x->it.core->dims)) {
		j->split = x->it;
		j->part = 1;
		x->is_part = true;
	}
	name(x, out);
	out->cost = cost_of(j, x);
	return C4W_OK;
}

static int to_buf(void *ctx, const uint8_t *p, size_t n, struct c4w_err *err)
{
	c4w_buf_put(ctx, p, n);
	return c4w_buf_ok(ctx, err);
}

/* The whole array, or one part: then what stands in front (NPY's header for all rows, CSV's header line) is the first part's. */
static int put_array(struct job *j, const struct chw_channel *c, const struct item *x, struct c4w_arena *arena, struct c4w_buf *out,
		     struct c4w_err *err)
{
	struct chw_what_opts o = j->o.what;
	struct c4w_array a;
	struct c4w_nd nd;
	bool first = !x->is_part || x->part == 0;
	if (x->is_part) {
		size_t links = c->paths.links, each = links / PARTS;
		o.first = each * x->part;
		o.links = x->part + 1 == PARTS ? links - o.first : each;
	}
	if (j->o.output == CHW_OUT_RAW && !j->o.npy)
		return chw_channel_rows(c, &o, arena, out, err);
	C4W_TRY(chw_channel_array(c, &o, arena, &a, err));
	c4w_nd_of(&a, &nd);
	switch (j->o.output) {
	case CHW_OUT_RAW:
		if (j->o.npy && first) {
			struct c4w_array all = a;
			if (x->is_part)
				all.shape[0] = chw_what_rows(o.what, &c->core->row->dims);
			c4w_npy_write_header(out, &all);
		}
		return c4w_nd_raw(&nd, to_buf, out, err);
	case CHW_OUT_TSV:
		return c4w_nd_print(&nd, C4W_TEXT_TSV, j->o.header && first, to_buf, out, err);
	case CHW_OUT_JSON:
		return c4w_nd_print(&nd, C4W_TEXT_JSONL, false, to_buf, out, err);
	default:
		return c4w_nd_print(&nd, C4W_TEXT_CSV, j->o.header && first, to_buf, out, err);
	}
}

/* The channel whose parts are worked on. What is wrong with it is told by the first part. */
static const struct chw_channel *load_shared(struct shared *s, const struct chw_item *it, unsigned fields, unsigned part, struct c4w_findings *fs)
{
	struct c4w_err err;
	size_t i;
	pthread_mutex_lock(&s->lock);
	if (!s->tried) {
		s->tried = true;
		if (chw_worker_new(NULL, &s->worker.user, &err) == C4W_OK)
			s->usable = chw_channel_load(it, fields, false, false, &s->worker, &s->channel, &s->findings);
		else
			c4w_findings_add_err(&s->findings, "core", NULL, &err);
	}
	pthread_mutex_unlock(&s->lock);
	for (i = 0; part == 0 && i < s->findings.n; i++)
		c4w_findings_add(fs, &s->findings.v[i]);
	return s->usable ? &s->channel : NULL;
}

static int draw(const struct job *j, const struct chw_channel *c, struct c4w_buf *out, struct c4w_err *err)
{
	const struct chw_show *s = &j->o.show;
	struct c4w_figure f;
	int cls;
	c4w_figure_init(&f, 0);
	cls = j->o.view_opts.ue >= 0 ? chw_plot_link(c, j->o.view_opts.ue, j->o.view_opts.radians, &f, err) : chw_plot_map(c, s->by, &f, err);
	if (cls == C4W_OK)
		cls = j->o.output == CHW_OUT_TERM ? c4w_figure_terminal(&f, &s->screen, out, err) : c4w_figure_draw(&f, s->format, 0, 0, to_buf, out, err);
	c4w_figure_clear(&f);
	return cls;
}

static struct c4w_buf *take_buf(struct job *j)
{
	struct c4w_buf *b = NULL;
	pthread_mutex_lock(&j->lock);
	if (j->spares)
		b = j->spare[--j->spares];
	pthread_mutex_unlock(&j->lock);
	return b ? b : calloc(1, sizeof *b);
}

static void give_buf(struct job *j, struct c4w_buf *b)
{
	if (!b)
		return;
	c4w_buf_reset(b);
	pthread_mutex_lock(&j->lock);
	if (j->spares < SPARE && b->cap <= SPARE_BYTES && !b->failed) {
		j->spare[j->spares++] = b;
		b = NULL;
	}
	pthread_mutex_unlock(&j->lock);
	if (b)
		c4w_buf_clear(b);
	free(b);
}

static void work(void *ctx, struct c4w_worker *w, struct c4w_item *item, struct c4w_result *result)
{
	struct job *j = ctx;
	struct item *x = item->data;
	struct chw_item *it = &x->it;
	struct chw_channel own;
	const struct chw_channel *c = &own;
	unsigned fields = j->o.view ? CHW_ALL_FIELDS : chw_what_fields(&j->o.what);
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
	if (x->is_part)
		c = load_shared(&j->shared, it, fields, x->part, &result->findings);
	else if (!chw_channel_load(it, fields, j->o.view && j->o.view_opts.ue >= 0, j->o.view, w, &own, &result->findings))
		c = NULL;
	if (!c)
		return;
	/* What only adds to the view may be absent: it is shown without. */
	if (j->o.view) {
		size_t i, k = 0;
		for (i = 0; i < result->findings.n; i++)
			if (result->findings.v[i].state != C4W_STATE_MISSING && result->findings.v[i].state != C4W_STATE_UNPUBLISHED)
				result->findings.v[k++] = result->findings.v[i];
		result->findings.n = k;
	}
	out = take_buf(j);
	if (!out) {
		c4w_fail_memory(&err, sizeof *out);
		c4w_findings_add_err(&result->findings, NULL, NULL, &err);
		return;
	}
	if (!j->o.view) {
		if (put_array(j, c, x, &w->arena, out, &err) != C4W_OK)
			c4w_findings_add_err(&result->findings, "core", NULL, &err);
	} else if (j->o.output >= CHW_OUT_TERM) {
		if (draw(j, c, out, &err) != C4W_OK)
			c4w_findings_add_err(&result->findings, "core", NULL, &err);
	} else if (j->o.output == CHW_OUT_JSON) {
		chw_channel_json(c, &j->o.view_opts, out);
	} else if (j->o.output == CHW_OUT_CSV) {
		chw_channel_csv(c, &j->o.view_opts, out);
	} else {
		chw_channel_text(c, &j->o.view_opts, out);
	}
	if (c4w_buf_ok(out, &err) != C4W_OK)
		c4w_findings_add_err(&result->findings, NULL, NULL, &err);
	result->bytes = out->n;
	result->data = out;
}

static void release(void *ctx, struct c4w_item *item, struct c4w_result *result)
{
	struct item *x = item->data;
	give_buf(ctx, result->data);
	chw_group_release(x->it.group);
	free(x);
}

static void destroy(void *ctx)
{
	struct job *j = ctx;
	chw_walk_free(j->walk);
	chw_worker_free(NULL, j->shared.worker.user);
	c4w_arena_clear(&j->shared.worker.arena);
	c4w_findings_clear(&j->shared.findings);
	pthread_mutex_destroy(&j->shared.lock);
	while (j->spares) {
		c4w_buf_clear(j->spare[--j->spares]);
		free(j->spare[j->spares]);
	}
	pthread_mutex_destroy(&j->lock);
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
	pthread_mutex_init(&j->shared.lock, NULL);
	pthread_mutex_init(&j->lock, NULL);
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
	*out = (struct chw_channel_count){ .scene_width = 1 };
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
			if (it.core->pin.ues > out->ues)
				out->ues = it.core->pin.ues;
			out->rows += chw_what_rows(what, &it.core->dims);
		}
		chw_group_release(it.group);
	}
	chw_walk_free(walk);
	return cls;
}
