/* Statistics of many series, through the item driver. An item is a run of series that lie together in storage, so that a worker decodes a row
 * group or chunk once; results are kept and printed in the records' order. */
#include "families/timef_impl.h"
#include "families/timef_view.h"
#include "model/driver.h"

#include <math.h>

#define BATCH_BYTES (2u << 20)
#define BATCH_SERIES 64

struct job {
	struct c4w_timef *ds;
	uint32_t *order; /* of series, by storage */
	size_t n, at;
	bool digests;
	struct c4w_timef_stats *stats; /* by place in `series` */
	struct c4w_buf *text;          /* a line each: JSON, or NULL */
	bool json;
	int cls;
	struct c4w_err err;
};

struct batch {
	size_t first, count;
	struct c4w_buf *lines;
	struct c4w_timef_stats *stats;
	struct c4w_arena arena;
	size_t done;
	int cls;
	struct c4w_err err;
};

struct place {
	struct c4w_view file;
	int64_t major, minor;
	uint32_t series;
};

static int cmp_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int k = c4w_view_cmp(x->file, y->file);

	if (k)
		return k;
	if (x->major != y->major)
		return x->major < y->major ? -1 : 1;
	if (x->minor != y->minor)
		return x->minor < y->minor ? -1 : 1;
	return x->series < y->series ? -1 : x->series > y->series;
}

static int next(void *ctx, struct c4w_item *item, bool *end, struct c4w_err *err)
{
	struct job *j = ctx;
	struct batch *b;
	uint64_t bytes = 0, largest = 0;

	if (j->at == j->n) {
		*end = true;
		return C4W_OK;
	}
	b = calloc(1, sizeof *b);
	if (!b)
		return c4w_fail_memory(err, sizeof *b);
	b->first = j->at;
	while (j->at < j->n && b->count < BATCH_SERIES && bytes < BATCH_BYTES) {
		const struct c4w_timef_series *s = &j->ds->series[j->order[j->at]];
		uint64_t cost = c4w_timef_cost(j->ds, s);

		if (b->count && bytes + cost > 2 * BATCH_BYTES)
			break;
		bytes += cost;
		largest = cost > largest ? cost : largest;
		b->count++;
		j->at++;
	}
	item->data = b;
	item->cost = largest;
	return C4W_OK;
}

static void work(void *ctx, struct c4w_worker *w, struct c4w_item *item, struct c4w_result *result)
{
	struct job *j = ctx;
	struct batch *b = item->data;
	size_t i, n;

	(void)result;
	b->stats = calloc(b->count, sizeof *b->stats);
	b->lines = calloc(b->count, sizeof *b->lines);
	if (!b->stats || !b->lines) {
		b->cls = c4w_fail_memory(&b->err, b->count * sizeof *b->stats);
		return;
	}
	for (i = 0; i < b->count; i++) {
		const struct c4w_timef_series *s = &j->ds->series[j->order[b->first + i]];
		const struct c4w_timef_chunk *const *chunks;

		b->cls = c4w_timef_stats(w->user, s, j->digests, &b->arena, &b->stats[i], &b->err);
		if (b->cls != C4W_OK)
			return;
		if (j->json) {
			struct c4w_json_out o = c4w_json_out(&b->lines[i], (struct c4w_json_style){ 0 });

			chunks = c4w_timef_cursor_chunks(w->user, &n);
			c4w_timef_stats_json(j->ds, s, chunks, n, &b->stats[i], &o);
			c4w_buf_putc(&b->lines[i], '\n');
		}
		b->done = i + 1;
	}
}

static bool deliver(void *ctx, struct c4w_item *item, struct c4w_result *result)
{
	struct job *j = ctx;
	struct batch *b = item->data;
	size_t i;

	(void)result;
	for (i = 0; i < b->done; i++) {
		uint32_t at = j->order[b->first + i];

		if (j->json) {
			j->text[at] = b->lines[i];
			memset(&b->lines[i], 0, sizeof b->lines[i]);
		} else {
			j->stats[at] = b->stats[i];
			/* what lies in the batch's arena: the texts, which the table shows */
			j->stats[at].tmin.p = j->stats[at].has_range && b->stats[i].tmin.p ? c4w_arena_text(&j->ds->arena, b->stats[i].tmin.p, b->stats[i].tmin.n) : NULL;
			j->stats[at].tmax.p = j->stats[at].has_range && b->stats[i].tmax.p ? c4w_arena_text(&j->ds->arena, b->stats[i].tmax.p, b->stats[i].tmax.n) : NULL;
		}
	}
	if (b->cls != C4W_OK && j->cls == C4W_OK) {
		j->cls = b->cls;
		j->err = b->err;
	}
	return b->cls == C4W_OK;
}

static void release(void *ctx, struct c4w_item *item, struct c4w_result *result)
{
	struct batch *b = item->data;
	size_t i;

	(void)ctx;
	(void)result;
	for (i = 0; b->lines && i < b->count; i++)
		c4w_buf_clear(&b->lines[i]);
	free(b->lines);
	free(b->stats);
	c4w_arena_clear(&b->arena);
	free(b);
}

static int worker_new(void *ctx, void **out, struct c4w_err *err)
{
	struct c4w_timef_cursor *c = NULL;
	int rc = c4w_timef_cursor_new(((struct job *)ctx)->ds, &c, err);

	*out = c;
	return rc;
}

static void worker_free(void *ctx, void *w)
{
	(void)ctx;
	c4w_timef_cursor_free(w);
}

static void print_rows(struct c4w_timef_view *v, const struct job *j, const bool *take)
{
	static const char *const names[] = { "record_id", "time_series_id", "spec_type", "n", "missing", "nan", "min", "max", "mean", "sd",
					     "values_sha256", "validity_sha256", "time_offsets_sha256" };
	struct c4w_timef *ds = v->ds;
	struct c4w_grid g = { .out = v->out, .bold = v->bold };
	char uuid[40], hex[65];
	size_t i;

	g.form = v->form == C4W_TF_CSV ? C4W_GRID_CSV : v->form == C4W_TF_TSV ? C4W_GRID_TSV : C4W_GRID_TEXT;
	g.cut = 36;
	c4w_grid_begin(&g, names, j->digests ? 13 : 10);
	for (i = 0; i < ds->nseries; i++) {
		const struct c4w_timef_series *s = &ds->series[i];
		const struct c4w_timef_stats *st = &j->stats[i];
		enum c4w_timef_dtype t;
		int side;

		if (!take[i])
			continue;
		t = ds->m.specs[s->spec].dtype;
		c4w_grid_text(&g, c4w_timef_id_text(ds, C4W_TF_RECORD_ID, ds->records[s->record].id, uuid));
		c4w_grid_text(&g, c4w_timef_id_text(ds, C4W_TF_SERIES_ID, s->id, uuid));
		c4w_grid_text(&g, s->spec_type);
		c4w_grid_i64(&g, (int64_t)st->length);
		c4w_grid_i64(&g, (int64_t)st->missing);
		c4w_grid_i64(&g, (int64_t)st->nan_count);
		for (side = 0; side < 2; side++) {
			if (!st->has_range)
				c4w_grid_none(&g);
			else if (t == C4W_TF_STR || t == C4W_TF_ENUM)
				c4w_grid_text(&g, side ? st->tmax : st->tmin);
			else if (t == C4W_TF_FLOAT32 || t == C4W_TF_FLOAT64)
				c4w_grid_double(&g, side ? st->max : st->min);
			else
				c4w_grid_i64(&g, side ? st->imax : st->imin);
		}
		for (side = 0; side < 2; side++)
			if (st->has_mean && (!side || isfinite(st->sd)))
				c4w_grid_double(&g, side ? st->sd : st->mean);
			else
				c4w_grid_none(&g);
		if (!j->digests)
			continue;
		c4w_grid_z(&g, c4w_hex(hex, st->values_sha, 32));
		c4w_grid_z(&g, c4w_hex(hex, st->validity_sha, 32));
		c4w_grid_z(&g, s->axis == C4W_TF_IRREGULAR ? c4w_hex(hex, st->offsets_sha, 32) : "");
	}
	c4w_grid_end(&g);
}

int c4w_timef_view_stats(struct c4w_timef_view *v, bool digests, unsigned jobs, const atomic_int *cancel, struct c4w_err *err)
{
	struct c4w_timef *ds = v->ds;
	struct c4w_arena scratch = { 0 };
	struct job j = { .ds = ds, .digests = digests, .json = v->form == C4W_TF_JSONL };
	struct c4w_job job = { .ctx = &j, .next = next, .work = work, .release = release, .worker_new = worker_new, .worker_free = worker_free };
	struct c4w_drive_opts opts = { .jobs = jobs, .cancel = cancel, .deliver = deliver, .ctx = &j };
	const struct c4w_timef_chunk **rows;
	struct place *places = NULL;
	bool *take = NULL;
	uint64_t left = v->limit;
	size_t i, n;
	int rc;

	C4W_TRY(c4w_timef_view_load(v, true, err));
	places = calloc(ds->nseries + 1, sizeof *places);
	take = calloc(ds->nseries + 1, sizeof *take);
	j.order = calloc(ds->nseries + 1, sizeof *j.order);
	if (j.json)
		j.text = calloc(ds->nseries + 1, sizeof *j.text);
	else
		j.stats = calloc(ds->nseries + 1, sizeof *j.stats);
	rc = places && take && j.order && (j.text || j.stats) ? C4W_OK : c4w_fail_memory(err, ds->nseries * sizeof *j.stats);
	for (i = 0; i < ds->nseries && rc == C4W_OK && left; i++) {
		if (!c4w_timef_view_takes(v, &ds->series[i]))
			continue;
		left--;
		rc = c4w_timef_chunks_of(ds, ds->records[ds->series[i].record].id, ds->series[i].id, &scratch, &rows, &n, err);
		if (rc != C4W_OK)
			break;
		take[i] = true;
		places[j.n].series = (uint32_t)i;
		if (n) {
			places[j.n].file = rows[0]->file;
			places[j.n].major = rows[0]->major;
			places[j.n].minor = rows[0]->minor;
			if (ds->m.zarr)
				places[j.n].minor = 0;
		}
		j.n++;
		c4w_arena_reset(&scratch);
	}
	if (rc == C4W_OK) {
		qsort(places, j.n, sizeof *places, cmp_place);
		for (i = 0; i < j.n; i++)
			j.order[i] = places[i].series;
		rc = c4w_drive(&job, &opts, err);
	}
	if (j.cls != C4W_OK) {
		rc = j.cls;
		if (err)
			*err = j.err;
	}
	for (i = 0; j.text && i < ds->nseries; i++) {
		if (rc == C4W_OK && j.text[i].n)
			fwrite(j.text[i].p, 1, j.text[i].n, v->out);
		c4w_buf_clear(&j.text[i]);
	}
	if (rc == C4W_OK && j.stats)
		print_rows(v, &j, take);
	free(places);
	free(take);
	free(j.order);
	free(j.text);
	free(j.stats);
	c4w_arena_clear(&scratch);
	return rc;
}
