/* Extracting: each selected series becomes a file of its own, CSV, NPY or Parquet, in a folder a record or a spec; series.jsonl at the end lists
 * them with all that is known of them, so a destination that has it is complete.
 *
 * RECORD/SERIES.csv, or SPEC/RECORD/SERIES.csv; ids are percent-encoded. With NPY, SERIES.offsets.npy beside an irregular series and
 * SERIES.validity.npy beside one with missing steps. */
#include "containers/pq_write.h"
#include "families/timef_family.h"
#include "families/timef_impl.h"
#include "families/timef_print.h"
#include "families/timef_view.h"
#include "model/plan.h"

#include <stdatomic.h>

struct extract {
	struct c4w_timef_root *root;
	struct c4w_timef *ds;
	const struct c4w_timef_select *sel;
	struct c4w_write_opts o;
	uint32_t *series; /* chosen */
	size_t n, at;
	atomic_uint_fast64_t written;
};

struct item {
	const struct c4w_timef_series *s;
	char text[200];
};

static const char *const extensions[] = { "csv", "csv", "npy", "parquet" };

static void part(struct c4w_buf *b, struct c4w_view v)
{
	char name[800];
	size_t n = c4w_str_percent(name, sizeof name, v.p ? v.p : "null", v.p ? v.n : 4);

	if (c4w_view_eqz(v, ".") || c4w_view_eqz(v, "..")) /* names that a folder has already */
		c4w_buf_puts(b, v.n == 1 ? "%2E" : "%2E%2E");
	else
		c4w_buf_put(b, name, n < sizeof name ? n : sizeof name - 1);
}

static void path_of(const struct extract *x, const struct c4w_timef_series *s, const char *suffix, struct c4w_buf *b)
{
	char uuid[40];

	c4w_buf_reset(b);
	if (x->o.split_by == C4W_SPLIT_SPEC) {
		part(b, s->spec_type);
		c4w_buf_putc(b, '/');
	}
	part(b, c4w_timef_id_text(x->ds, C4W_TF_RECORD_ID, x->ds->records[s->record].id, uuid));
	c4w_buf_putc(b, '/');
	part(b, s->id.p ? c4w_timef_id_text(x->ds, C4W_TF_SERIES_ID, s->id, uuid) : s->id);
	c4w_buf_printf(b, "%s.%s", suffix, extensions[x->o.values_format]);
}

/* ---- Parquet ---- */

struct pq_out {
	struct c4w_sink_file *f;
};

static int pq_put(void *ctx, const void *p, size_t n, struct c4w_err *err)
{
	return c4w_sink_write(((struct pq_out *)ctx)->f, p, n, err);
}

static int parquet(struct c4w_timef_cursor *c, const struct c4w_timef *ds, const struct c4w_timef_series *s, struct c4w_arena *arena,
		   struct c4w_sink_file *f, struct c4w_err *err)
{
	static const struct {
		enum c4w_pq_type type;
		uint8_t bits;
		bool is_signed;
		enum c4w_phys phys;
	} kinds[C4W_TF_DTYPES] = {
		[C4W_TF_BOOL] = { C4W_PQ_BOOLEAN, 0, false, C4W_PHYS_BOOL },      [C4W_TF_FLOAT32] = { C4W_PQ_FLOAT, 0, false, C4W_PHYS_FLOAT },
		[C4W_TF_FLOAT64] = { C4W_PQ_DOUBLE, 0, false, C4W_PHYS_DOUBLE },  [C4W_TF_INT8] = { C4W_PQ_INT32, 8, true, C4W_PHYS_INT32 },
		[C4W_TF_INT16] = { C4W_PQ_INT32, 16, true, C4W_PHYS_INT32 },      [C4W_TF_INT32] = { C4W_PQ_INT32, 32, true, C4W_PHYS_INT32 },
		[C4W_TF_UINT8] = { C4W_PQ_INT32, 8, false, C4W_PHYS_INT32 },      [C4W_TF_UINT16] = { C4W_PQ_INT32, 16, false, C4W_PHYS_INT32 },
		[C4W_TF_UINT32] = { C4W_PQ_INT32, 32, false, C4W_PHYS_INT32 },    [C4W_TF_STR] = { C4W_PQ_BYTE_ARRAY, 0, false, C4W_PHYS_BYTES },
		[C4W_TF_ENUM] = { C4W_PQ_BYTE_ARRAY, 0, false, C4W_PHYS_BYTES },
	};
	const struct c4w_timef_spec *spec = &ds->m.specs[s->spec];
	struct c4w_pq_node nodes[7];
	struct c4w_pq_write_opts opts = { .codec = 6 };
	struct c4w_batch batch[3];
	struct c4w_batch_list list;
	struct c4w_timef_run run;
	struct c4w_pq_writer *w;
	struct pq_out out = { f };
	unsigned n = 0, columns = 2, elements = (unsigned)spec->elements;
	bool timed = s->axis == C4W_TF_REGULAR || s->axis == C4W_TF_IRREGULAR, nested = spec->rank > 0;
	size_t i, k, size = c4w_timef_dtype_size(spec->dtype);
	uint64_t at;
	void *mem;
	int rc;

	memset(nodes, 0, sizeof nodes);
	memset(batch, 0, sizeof batch);
	nodes[n++] = (struct c4w_pq_node){ .name = C4W_VIEW("schema"), .nchildren = timed ? 3 : 2 };
	nodes[n++] = (struct c4w_pq_node){ .name = C4W_VIEW("step"), .type = C4W_PQ_INT64 };
	if (timed)
		nodes[n++] = (struct c4w_pq_node){ .name = C4W_VIEW("offset_us"), .type = C4W_PQ_INT64 };
	columns = timed ? 3 : 2;
	if (nested) {
		nodes[n++] = (struct c4w_pq_node){ .name = C4W_VIEW("value"), .repetition = C4W_PQ_OPTIONAL, .logical = C4W_PQ_L_LIST, .nchildren = 1 };
		nodes[n++] = (struct c4w_pq_node){ .name = C4W_VIEW("list"), .repetition = C4W_PQ_REPEATED, .nchildren = 1 };
	}
	nodes[n] = (struct c4w_pq_node){ .name = nested ? C4W_VIEW("element") : C4W_VIEW("value"), .type = kinds[spec->dtype].type,
					 .repetition = nested ? C4W_PQ_REQUIRED : C4W_PQ_OPTIONAL };
	if (kinds[spec->dtype].bits) {
		nodes[n].logical = C4W_PQ_L_INTEGER;
		nodes[n].bits = kinds[spec->dtype].bits;
		nodes[n].is_signed = kinds[spec->dtype].is_signed;
	} else if (kinds[spec->dtype].type == C4W_PQ_BYTE_ARRAY) {
		nodes[n].logical = C4W_PQ_L_STRING;
	}
	n++;
	C4W_TRY(c4w_pq_writer_new(nodes, n, &opts, pq_put, &out, &w, err));
	rc = C4W_OK;
	for (at = 0; at < (uint64_t)s->n_values && rc == C4W_OK; at += run.steps) {
		struct c4w_batch *v = &batch[columns - 1];
		uint8_t *bits = NULL;

		c4w_arena_reset(arena);
		rc = c4w_timef_lend(c, at, (uint64_t)s->n_values, true, &run, err);
		if (rc == C4W_OK)
			rc = c4w_arena_take(arena, run.steps * 8, &mem, err);
		if (rc != C4W_OK)
			break;
		memset(batch, 0, sizeof batch);
		for (i = 0; i < run.steps; i++)
			((int64_t *)mem)[i] = (int64_t)(at + i);
		batch[0] = (struct c4w_batch){ .phys = C4W_PHYS_INT64, .width = 8, .rows = run.steps, .n = run.steps, .values = mem };
		if (timed) {
			rc = c4w_arena_take(arena, run.steps * 8, &mem, err);
			for (i = 0; i < run.steps && rc == C4W_OK; i++)
				if (run.times)
					((int64_t *)mem)[i] = run.times[i];
				else if (!c4w_timef_regular_offset(s, (int64_t)(at + i), &((int64_t *)mem)[i]))
					rc = c4w_fail(err, C4W_LIMIT, "time offsets beyond 64 bits");
			if (rc != C4W_OK)
				break;
			batch[1] = (struct c4w_batch){ .phys = C4W_PHYS_INT64, .width = 8, .rows = run.steps, .n = run.steps, .values = mem };
		}
		if (run.missing) {
			rc = c4w_arena_zero(arena, (run.steps + 7) / 8, 1, &mem, err);
			if (rc != C4W_OK)
				break;
			bits = mem;
			for (i = 0; i < run.steps; i++)
				if (run.valid[i])
					bits[i >> 3] |= (uint8_t)(1u << (i & 7));
		}
		*v = (struct c4w_batch){ .phys = kinds[spec->dtype].phys, .rows = run.steps, .n = run.steps, .nulls = run.missing, .validity = bits };
		v->width = v->phys == C4W_PHYS_BYTES ? 0 : v->phys == C4W_PHYS_BOOL ? 1 : v->phys == C4W_PHYS_DOUBLE ? 8 : 4;
		if (nested) { /* a missing step is a null list */
			int32_t *offsets;
			uint8_t *packed;
			size_t to = 0;

			rc = c4w_arena_take(arena, (run.steps + 1) * 4, &mem, err);
			offsets = mem;
			if (rc == C4W_OK)
				rc = c4w_arena_take(arena, run.steps * elements * size + 1, &mem, err);
			if (rc != C4W_OK)
				break;
			packed = mem;
			for (i = 0, k = 0; i < run.steps; i++) {
				offsets[i] = (int32_t)k;
				if (run.valid && !run.valid[i])
					continue;
				memcpy(packed + to, run.values + i * elements * size, elements * size);
				to += elements * size;
				k += elements;
			}
			offsets[run.steps] = (int32_t)k;
			list = (struct c4w_batch_list){ .n = run.steps, .offsets = offsets, .validity = bits, .nulls = run.missing };
			v->lists = &list;
			v->nlists = 1;
			v->n = k;
			v->nulls = 0;
			v->validity = NULL;
			run.values = packed;
		}
		if (spec->dtype == C4W_TF_STR || spec->dtype == C4W_TF_ENUM) {
			int64_t *offsets;
			struct c4w_buf text = { 0 };

			rc = c4w_arena_take(arena, (run.steps + 1) * 8, &mem, err);
			if (rc != C4W_OK)
				break;
			offsets = mem;
			for (i = 0; i < run.steps; i++) {
				struct c4w_view t = { "", 0 };
				int32_t code;

				offsets[i] = (int64_t)text.n;
				if (run.valid && !run.valid[i])
					continue;
				if (spec->dtype == C4W_TF_STR) {
					t.p = run.text + run.offsets[i];
					t.n = (size_t)(run.offsets[i + 1] - run.offsets[i]);
				} else {
					memcpy(&code, run.values + i * 4, 4);
					if (code < 0)
						rc = c4w_timef_fault(NULL, err, "values.category", NULL, NULL, NULL, NULL, "a value is none of the spec's categories");
					else
						t = spec->categories[code];
				}
				c4w_buf_put(&text, t.p, t.n);
			}
			offsets[run.steps] = (int64_t)text.n;
			v->offsets = offsets;
			v->bytes = (const uint8_t *)(text.p ? text.p : "");
			if (rc == C4W_OK)
				rc = c4w_buf_ok(&text, err);
			if (rc == C4W_OK)
				rc = c4w_pq_writer_put(w, run.steps, batch, err);
			c4w_buf_clear(&text);
			continue;
		}
		if (v->phys == C4W_PHYS_INT32 && size < 4) {
			int32_t *wide;

			rc = c4w_arena_take(arena, v->n * 4 + 4, &mem, err);
			if (rc != C4W_OK)
				break;
			wide = mem;
			for (i = 0; i < v->n; i++)
				wide[i] = spec->dtype == C4W_TF_INT8 ? (int8_t)run.values[i] : spec->dtype == C4W_TF_UINT8 ? run.values[i] :
					  spec->dtype == C4W_TF_INT16 ? ((const int16_t *)(const void *)run.values)[i] : ((const uint16_t *)(const void *)run.values)[i];
			v->values = wide;
		} else {
			v->values = run.values;
		}
		rc = c4w_pq_writer_put(w, run.steps, batch, err);
	}
	if (rc == C4W_OK)
		rc = c4w_pq_writer_finish(w, err);
	c4w_pq_writer_free(w);
	return rc;
}

/* ---- one series ---- */

struct stream {
	struct c4w_sink_file *f;
	uint64_t bytes;
};

static int to_file(void *ctx, const uint8_t *p, size_t n, struct c4w_err *err)
{
	struct stream *s = ctx;

	s->bytes += n;
	return c4w_sink_write(s->f, p, n, err);
}

static int write_plane(struct extract *x, struct c4w_timef_cursor *c, const struct c4w_timef_series *s, enum c4w_timef_plane_what what,
		       struct c4w_arena *arena, struct c4w_result *result, struct c4w_err *err)
{
	static const char *const suffixes[] = { "", ".offsets", ".validity" };
	struct c4w_timef_range all = { 0, (uint64_t)s->n_values, 1 };
	struct stream out = { 0 };
	struct c4w_buf path = { 0 };
	struct c4w_stat st;
	int rc;

	path_of(x, s, suffixes[what], &path);
	rc = c4w_buf_ok(&path, err);
	if (rc == C4W_OK)
		rc = c4w_sink_create(x->o.sink, path.p, C4W_SINK_UNKNOWN, 0, &out.f, err);
	if (rc == C4W_OK) {
		if (x->o.values_format == C4W_VALUES_PARQUET)
			rc = parquet(c, x->ds, s, arena, out.f, err);
		else
			rc = c4w_timef_print(c, s, &all, x->o.values_format == C4W_VALUES_NPY ? C4W_TF_V_NPY : C4W_TF_V_CSV, false, what, to_file, &out, err);
		if (rc == C4W_OK)
			rc = c4w_sink_commit(out.f, NULL, err);
		else
			c4w_sink_abort(out.f);
	}
	if (rc == C4W_OK && c4w_sink_stat(x->o.sink, path.p, &st, NULL) == C4W_OK)
		result->bytes += st.size;
	if (rc == C4W_OK)
		atomic_fetch_add(&x->written, 1);
	c4w_buf_clear(&path);
	return rc;
}

static int next(void *ctx, struct c4w_item *out, bool *end, struct c4w_err *err)
{
	struct extract *x = ctx;
	struct item *it;

	if (x->at == x->n) {
		*end = true;
		return C4W_OK;
	}
	it = calloc(1, sizeof *it);
	if (!it)
		return c4w_fail_memory(err, sizeof *it);
	it->s = &x->ds->series[x->series[x->at++]];
	c4w_timef_label(x->ds, "series", C4W_TF_SERIES_ID, it->s->id, it->text, sizeof it->text);
	out->id.text = it->text;
	out->data = it;
	out->cost = c4w_timef_cost(x->ds, it->s);
	return C4W_OK;
}

static void work(void *ctx, struct c4w_worker *w, struct c4w_item *item, struct c4w_result *result)
{
	struct extract *x = ctx;
	struct item *it = item->data;
	struct c4w_timef_stats st;
	struct c4w_arena arena = { 0 };
	struct c4w_err err = { 0 };
	int rc = C4W_OK;

	if (x->o.verify == C4W_LEVEL_FULL || x->o.values_format == C4W_VALUES_NPY)
		rc = c4w_timef_stats(w->user, it->s, false, &arena, &st, &err); /* every value read once; how many are missing */
	else
		st.missing = 0;
	if (rc == C4W_OK)
		rc = c4w_timef_begin(w->user, it->s, &err);
	if (rc == C4W_OK)
		rc = write_plane(x, w->user, it->s, C4W_TF_W_VALUES, &w->arena, result, &err);
	if (rc == C4W_OK && x->o.values_format == C4W_VALUES_NPY && it->s->axis == C4W_TF_IRREGULAR)
		rc = write_plane(x, w->user, it->s, C4W_TF_W_OFFSETS, &w->arena, result, &err);
	if (rc == C4W_OK && x->o.values_format == C4W_VALUES_NPY && st.missing)
		rc = write_plane(x, w->user, it->s, C4W_TF_W_VALIDITY, &w->arena, result, &err);
	if (rc != C4W_OK)
		c4w_findings_add_err(&result->findings, NULL, NULL, &err);
	c4w_arena_clear(&arena);
}

static void release(void *ctx, struct c4w_item *item, struct c4w_result *result)
{
	(void)ctx;
	(void)result;
	free(item->data);
}

static int worker_new(void *ctx, void **out, struct c4w_err *err)
{
	struct c4w_timef_cursor *c = NULL;
	int rc = c4w_timef_cursor_new(((struct extract *)ctx)->ds, &c, err);

	*out = c;
	return rc;
}

static void worker_free(void *ctx, void *w)
{
	(void)ctx;
	c4w_timef_cursor_free(w);
}

/* The list of what was written, last and durable. */
static int finish(void *ctx, struct c4w_err *err)
{
	struct extract *x = ctx;
	struct c4w_buf b = { 0 }, path = { 0 };
	char text[40];
	size_t i;
	int rc;

	C4W_TRY(c4w_sink_sync(x->o.sink, err));
	for (i = 0; i < x->n; i++) {
		const struct c4w_timef_series *s = &x->ds->series[x->series[i]];
		struct c4w_json_out j = c4w_json_out(&b, (struct c4w_json_style){ 0 });

		path_of(x, s, "", &path);
		c4w_jo_object(&j);
		c4w_jo_key(&j, "path");
		c4w_jo_string(&j, (struct c4w_view){ path.p ? path.p : "", path.n });
		c4w_jo_key(&j, "record_id");
		c4w_jo_string(&j, c4w_timef_id_text(x->ds, C4W_TF_RECORD_ID, x->ds->records[s->record].id, text));
		c4w_jo_key(&j, "start_time_us");
		if (x->ds->records[s->record].has_start)
			c4w_jo_i64(&j, x->ds->records[s->record].start);
		else
			c4w_jo_null(&j);
		c4w_timef_series_json(x->ds, s, &j);
		c4w_jo_key(&j, "unit");
		c4w_jo_string(&j, x->ds->m.specs[s->spec].unit);
		c4w_jo_end(&j);
		c4w_buf_putc(&b, '\n');
	}
	rc = c4w_buf_ok(&b, err);
	if (rc == C4W_OK)
		rc = c4w_sink_put(x->o.sink, "series.jsonl", b.p, b.n, C4W_SINK_DURABLE, x->o.keep_existing, err);
	if (rc == C4W_OK)
		atomic_fetch_add(&x->written, 1);
	c4w_buf_clear(&b);
	c4w_buf_clear(&path);
	return rc;
}

static void tally(void *ctx, uint64_t *written, uint64_t *stayed)
{
	*written = atomic_load(&((struct extract *)ctx)->written);
	*stayed = 0;
}

static void destroy(void *ctx)
{
	struct extract *x = ctx;

	if (!x)
		return;
	c4w_timef_close(x->ds);
	free(x->series);
	free(x);
}

static int plan(struct extract *x, struct c4w_plan *p, struct c4w_err *err)
{
	size_t i, records = 0;
	uint32_t last = UINT32_MAX;

	x->series = calloc(x->ds->nseries + 1, sizeof *x->series);
	if (!x->series)
		return c4w_fail_memory(err, x->ds->nseries * sizeof *x->series);
	for (i = 0; i < x->ds->nseries; i++) {
		const struct c4w_timef_series *s = &x->ds->series[i];
		const struct c4w_timef_spec *spec = s->spec >= 0 ? &x->ds->m.specs[s->spec] : NULL;

		if (!c4w_timef_selects_series(x->sel, x->ds, s))
			continue;
		if (!spec)
			return c4w_timef_fault(NULL, err, "records.spec-unknown", NULL, NULL, NULL, NULL, "the spec_type of a series is not declared");
		x->series[x->n++] = (uint32_t)i;
		records += s->record != last;
		last = s->record;
		p->bytes += (uint64_t)(s->n_values > 0 ? s->n_values : 0) * (x->o.values_format <= C4W_VALUES_CSV ? 48 : spec->elements * 8 + 8);
	}
	if (x->n == 0)
		return c4w_fail(err, C4W_USAGE, "nothing is selected: no series of such a record and spec");
	p->counts[0].noun = "records";
	p->counts[0].n = records;
	p->counts[1].noun = "series";
	p->counts[1].n = x->n;
	p->n_counts = 2;
	p->files = x->n + 1;
	return C4W_OK;
}

int c4w_timef_extract(void *root, const void *selection, const struct c4w_write_opts *opts, struct c4w_writing *out, struct c4w_err *err)
{
	struct c4w_timef_root *r = root;
	const struct c4w_timef_select *sel = selection;
	const struct c4w_timef_entry *e = NULL;
	struct extract *x = calloc(1, sizeof *x);
	size_t i, n = 0;
	int rc;

	if (!x)
		return c4w_fail_memory(err, sizeof *x);
	x->root = r;
	x->sel = sel;
	x->o = *opts;
	if (x->o.values_format == 0)
		x->o.values_format = C4W_VALUES_CSV;
	for (i = 0; i < r->nentries; i++)
		if (r->where == C4W_TF_DATASET ? i + 1 == r->nentries :
						 c4w_timef_selects_version(sel, &r->entries[i], i + 1 == r->nentries || strcmp(r->entries[i].id, r->entries[i + 1].id) != 0)) {
			e = &r->entries[i];
			n++;
		}
	rc = n > 1 ? c4w_fail(err, C4W_USAGE, "a registry of several data sets: say which with --dataset") : C4W_OK;
	if (rc == C4W_OK)
		rc = c4w_timef_root_open(r, e, NULL, &x->ds, err);
	if (rc == C4W_OK)
		rc = c4w_timef_load_records(x->ds, NULL, NULL, err);
	if (rc == C4W_OK)
		rc = c4w_timef_load_index(x->ds, NULL, NULL, err);
	if (rc == C4W_OK)
		rc = plan(x, &out->plan, err);
	if (rc == C4W_OK)
		rc = c4w_sink_remove(x->o.sink, "series.jsonl", err);
	if (rc != C4W_OK) {
		destroy(x);
		return rc;
	}
	out->ctx = x;
	out->job = (struct c4w_job){ .ctx = x, .next = next, .work = work, .release = release, .worker_new = worker_new, .worker_free = worker_free };
	out->job.total_items = x->n;
	out->finish = finish;
	out->tally = tally;
	out->manifest = "series.jsonl";
	out->destroy = destroy;
	return C4W_OK;
}
