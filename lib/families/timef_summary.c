/* The summary of a version, and one record whole. */
#include "containers/pq.h"
#include "families/timef_impl.h"
#include "families/timef_view.h"

/* ---- summary ---- */

struct sums {
	uint64_t parts[C4W_TF_KINDS], bytes[C4W_TF_KINDS], rows[C4W_TF_KINDS], tasks[C4W_TF_TASK_TYPES];
	bool have_time;
	int64_t from, to;    /* timestamps that the series cover */
	uint64_t undated;    /* records without start_time_us */
	uint64_t values, series;
	uint64_t *by_spec;   /* distinct series of each spec */
	bool ids_shared;
};

static int cmp_series(const void *a, const void *b, void *ctx)
{
	const struct c4w_timef_series *s = ctx;

	return c4w_view_cmp(s[*(const uint32_t *)a].id, s[*(const uint32_t *)b].id);
}

static int gather(struct c4w_timef *ds, struct sums *s, struct c4w_arena *scratch, struct c4w_err *err)
{
	const struct c4w_timef_manifest *m = &ds->m;
	uint32_t *order;
	int64_t from, to, a, b;
	size_t i;
	void *mem;

	for (i = 0; i < m->nfiles; i++) {
		s->parts[m->files[i].kind]++;
		s->bytes[m->files[i].kind] += m->files[i].size;
	}
	if (m->format != 1)
		return C4W_OK;
	C4W_TRY(c4w_timef_open_parts(ds, NULL, err));
	for (i = 0; i < ds->nparts; i++) {
		s->rows[m->files[ds->parts[i].file].kind] += (uint64_t)c4w_pq_rows(ds->parts[i].pq);
		if (m->files[ds->parts[i].file].kind == C4W_TF_TASKS)
			s->tasks[ds->parts[i].task_type] += (uint64_t)c4w_pq_rows(ds->parts[i].pq);
	}
	C4W_TRY(c4w_timef_load_records(ds, NULL, NULL, err));
	C4W_TRY(c4w_arena_zero(scratch, m->nspecs + 1, sizeof *s->by_spec, &mem, err));
	s->by_spec = mem;
	C4W_TRY(c4w_arena_take(scratch, (ds->nseries + 1) * sizeof *order, &mem, err));
	order = mem;
	for (i = 0; i < ds->nseries; i++)
		order[i] = (uint32_t)i;
	if (ds->nseries)
		qsort_r(order, ds->nseries, sizeof *order, cmp_series, ds->series);
	for (i = 0; i < ds->nseries; i++) {
		const struct c4w_timef_series *x = &ds->series[order[i]];
		const struct c4w_timef_record *r = &ds->records[x->record];

		if (i == 0 || !c4w_view_eq(x->id, ds->series[order[i - 1]].id)) {
			s->series++;
			s->values += x->n_values > 0 ? (uint64_t)x->n_values : 0;
			if (x->spec >= 0)
				s->by_spec[x->spec]++;
		} else {
			s->ids_shared = true;
		}
		if (!r->has_start || c4w_timef_axis_fault(x, &(const char *){ NULL }) || !c4w_timef_window(x, &from, &to) ||
		    __builtin_add_overflow(r->start, from, &a) || __builtin_add_overflow(r->start, to, &b))
			continue;
		if (!s->have_time || a < s->from)
			s->from = a;
		if (!s->have_time || b > s->to)
			s->to = b;
		s->have_time = true;
	}
	for (i = 0; i < ds->nrecords; i++)
		s->undated += !ds->records[i].has_start;
	return C4W_OK;
}

static void tables_json(const struct c4w_timef *ds, struct c4w_json_out *j)
{
	int k;
	size_t i;

	c4w_jo_key(j, "tables");
	c4w_jo_object(j);
	for (k = 0; k <= C4W_TF_TASKS; k++) {
		c4w_jo_key(j, c4w_timef_kind_name((enum c4w_timef_kind)k));
		c4w_jo_array(j);
		for (i = 0; i < ds->nparts; i++) {
			if ((int)ds->m.files[ds->parts[i].file].kind != k)
				continue;
			c4w_jo_object(j);
			c4w_jo_key(j, "path");
			c4w_jo_string(j, ds->m.files[ds->parts[i].file].path);
			c4w_jo_key(j, "rows");
			c4w_jo_i64(j, c4w_pq_rows(ds->parts[i].pq));
			c4w_jo_key(j, "row_groups");
			c4w_jo_u64(j, c4w_pq_groups(ds->parts[i].pq));
			c4w_jo_end(j);
		}
		c4w_jo_end(j);
	}
	c4w_jo_end(j);
}

static int manifest_json(const struct c4w_timef *ds, struct c4w_json_out *j, struct c4w_arena *scratch, struct c4w_err *err)
{
	static const char *const keys[] = { "timef_format_version", "metadata", "schema", "counts", "values_backend", "value_encoding" };
	size_t i;
	uint32_t v;

	c4w_jo_key(j, "manifest");
	c4w_jo_object(j);
	for (i = 0; i < sizeof keys / sizeof *keys; i++) {
		v = c4w_json_member(&ds->m.doc, 0, keys[i]);
		if (v == C4W_JSON_NONE)
			continue;
		c4w_jo_key(j, keys[i]);
		C4W_TRY(c4w_jo_value(j, &ds->m.doc, v, scratch, err));
	}
	c4w_jo_end(j);
	return C4W_OK;
}

static int summary_json(struct c4w_timef_view *v, const struct sums *s, struct c4w_arena *scratch, struct c4w_err *err)
{
	struct c4w_timef *ds = v->ds;
	struct c4w_buf b = { 0 };
	struct c4w_json_out j = c4w_json_out(&b, (struct c4w_json_style){ 0 });
	char text[40];
	int k, rc;

	c4w_jo_object(&j);
	c4w_jo_key(&j, "path");
	c4w_jo_z(&j, ds->where);
	c4w_jo_key(&j, "dataset_id");
	c4w_jo_string(&j, ds->m.dataset_id);
	c4w_jo_key(&j, "version");
	c4w_jo_string(&j, ds->m.version);
	rc = manifest_json(ds, &j, scratch, err);
	c4w_jo_key(&j, "files");
	c4w_jo_object(&j);
	for (k = 0; k < C4W_TF_KINDS; k++) {
		if (ds->m.format == 1 ? k == C4W_TF_CONTROL : k != C4W_TF_CONTROL && k != C4W_TF_SERIES)
			continue;
		c4w_jo_key(&j, c4w_timef_kind_name((enum c4w_timef_kind)k));
		c4w_jo_object(&j);
		c4w_jo_key(&j, "parts");
		c4w_jo_u64(&j, s->parts[k]);
		c4w_jo_key(&j, "bytes");
		c4w_jo_u64(&j, s->bytes[k]);
		c4w_jo_end(&j);
	}
	c4w_jo_end(&j);
	if (ds->m.format == 1) {
		tables_json(ds, &j);
		c4w_jo_key(&j, "id_storage");
		c4w_jo_object(&j);
		for (k = 0; k < C4W_TF_IDS; k++) {
			c4w_jo_key(&j, c4w_timef_id_name((enum c4w_timef_id)k));
			c4w_jo_z(&j, ds->uuid[k] ? "uuid16" : "string");
		}
		c4w_jo_end(&j);
		c4w_jo_key(&j, "series");
		c4w_jo_u64(&j, s->series);
		c4w_jo_key(&j, "values");
		c4w_jo_u64(&j, s->values);
		c4w_jo_key(&j, "time_range");
		if (s->have_time) {
			c4w_jo_array(&j);
			c4w_timef_iso(s->from, text);
			c4w_jo_z(&j, text);
			c4w_timef_iso(s->to, text);
			c4w_jo_z(&j, text);
			c4w_jo_end(&j);
		} else {
			c4w_jo_null(&j);
		}
	}
	c4w_jo_end(&j);
	c4w_buf_putc(&b, '\n');
	if (rc == C4W_OK)
		rc = c4w_buf_ok(&b, err);
	if (rc == C4W_OK)
		fwrite(b.p, 1, b.n, v->out);
	c4w_buf_clear(&b);
	return rc;
}

static void line(struct c4w_timef_view *v, const char *key, struct c4w_view text)
{
	char buf[600];

	if (text.p)
		fprintf(v->out, "%s%-12s%s %s\n", v->bold ? "\033[1m" : "", key, v->bold ? "\033[0m" : "", c4w_str_escape(buf, sizeof buf, text.p, text.n));
}

static void linef(struct c4w_timef_view *v, const char *key, const char *fmt, ...) C4W_PRINTF(3, 4);
static void linef(struct c4w_timef_view *v, const char *key, const char *fmt, ...)
{
	va_list ap;

	fprintf(v->out, "%s%-12s%s ", v->bold ? "\033[1m" : "", key, v->bold ? "\033[0m" : "");
	va_start(ap, fmt);
	vfprintf(v->out, fmt, ap);
	va_end(ap);
	fputc('\n', v->out);
}

/* Texts of a JSON list, comma-separated. */
static void list_line(struct c4w_timef_view *v, const char *key, const char *member)
{
	const struct c4w_json *doc = &v->ds->m.doc;
	uint32_t list = c4w_json_member(doc, v->ds->m.metadata, member), e;
	struct c4w_arena scratch = { 0 };
	struct c4w_view s;
	struct c4w_buf b = { 0 };

	if (list != C4W_JSON_NONE && c4w_json_type(doc, list) == C4W_JSON_ARRAY)
		for (e = c4w_json_first(doc, list); e != C4W_JSON_NONE; e = c4w_json_next(doc, list, e))
			if (c4w_json_type(doc, e) == C4W_JSON_STRING && c4w_json_string(doc, e, &scratch, &s, NULL) == C4W_OK) {
				c4w_buf_puts(&b, b.n ? ", " : "");
				c4w_buf_put(&b, s.p, s.n);
			}
	if (b.n)
		line(v, key, (struct c4w_view){ b.p, b.n });
	c4w_buf_clear(&b);
	c4w_arena_clear(&scratch);
}

/* "records 4, signals 9, tasks (answer 1), ..." out of an object of counts. */
static void plain_counts(const struct c4w_json *doc, uint32_t object, struct c4w_buf *b)
{
	uint32_t k, v;

	for (k = c4w_json_first(doc, object); k != C4W_JSON_NONE; k = c4w_json_next(doc, object, v)) {
		struct c4w_view key = c4w_json_raw(doc, k), value;

		v = c4w_json_next(doc, object, k);
		value = c4w_json_raw(doc, v);
		c4w_buf_puts(b, b->n && b->p[b->n - 1] != '(' ? ", " : "");
		c4w_buf_put(b, key.p + 1, key.n - 2);
		c4w_buf_putc(b, ' ');
		if (c4w_json_type(doc, v) == C4W_JSON_OBJECT) {
			c4w_buf_putc(b, '(');
			plain_counts(doc, v, b);
			c4w_buf_putc(b, ')');
		} else {
			c4w_buf_put(b, value.p, value.n);
		}
	}
}

/* "24" or, when the manifest's counts say otherwise, "24 (manifest says 25)". */
static void count_text(const struct c4w_timef *ds, const char *key, uint64_t real, char *buf, size_t size)
{
	uint32_t v = ds->m.counts == C4W_JSON_NONE ? C4W_JSON_NONE : c4w_json_member(&ds->m.doc, ds->m.counts, key);
	uint64_t said;
	char a[32], b[32];

	if (v == C4W_JSON_NONE || c4w_json_type(&ds->m.doc, v) != C4W_JSON_NUMBER || c4w_json_u64(&ds->m.doc, v, &said, NULL) != C4W_OK || said == real)
		snprintf(buf, size, "%s", c4w_str_grouped(real, a));
	else
		snprintf(buf, size, "%s (manifest says %s)", c4w_str_grouped(real, a), c4w_str_grouped(said, b));
}

static void spec_rows(struct c4w_timef_view *v, const struct sums *s)
{
	static const char *const names[] = { "spec", "dtype", "shape", "unit", "nullable", "series", "name" };
	const struct c4w_timef_manifest *m = &v->ds->m;
	struct c4w_grid g = { .out = v->out, .bold = v->bold, .cut = 32 };
	char shape[120];
	size_t i;

	fputc('\n', v->out);
	c4w_grid_begin(&g, names, sizeof names / sizeof *names);
	for (i = 0; i < m->nspecs; i++) {
		const struct c4w_timef_spec *x = &m->specs[i];

		c4w_grid_text(&g, x->spec_type);
		if (x->dtype == C4W_TF_ENUM) {
			snprintf(shape, sizeof shape, "enum of %zu", x->ncategories);
			c4w_grid_z(&g, shape);
		} else {
			c4w_grid_z(&g, c4w_timef_dtype_name(x->dtype));
		}
		c4w_timef_shape_text(x, shape, sizeof shape);
		c4w_grid_z(&g, shape);
		c4w_grid_text(&g, x->unit);
		c4w_grid_z(&g, x->nullable ? "nullable" : "");
		if (s->by_spec)
			c4w_grid_i64(&g, (int64_t)s->by_spec[i]);
		else
			c4w_grid_none(&g);
		c4w_grid_text(&g, x->name);
	}
	c4w_grid_end(&g);
}

static void file_rows(struct c4w_timef_view *v, const struct sums *s)
{
	static const char *const names[] = { "files", "parts", "size", "rows" };
	struct c4w_grid g = { .out = v->out, .bold = v->bold };
	char text[32];
	int k;

	fputc('\n', v->out);
	c4w_grid_begin(&g, names, 4);
	for (k = 0; k < C4W_TF_KINDS; k++) {
		if (!s->parts[k] && (k != C4W_TF_TASKS || v->ds->m.format != 1))
			continue;
		c4w_grid_z(&g, c4w_timef_kind_name((enum c4w_timef_kind)k));
		c4w_grid_i64(&g, (int64_t)s->parts[k]);
		g.right[g.at] = true;
		c4w_grid_z(&g, c4w_str_size(s->bytes[k], text));
		if (v->ds->m.format == 1 && k <= C4W_TF_TASKS)
			c4w_grid_i64(&g, (int64_t)s->rows[k]);
		else
			c4w_grid_none(&g);
	}
	c4w_grid_end(&g);
}

static void summary_text(struct c4w_timef_view *v, const struct sums *s)
{
	struct c4w_timef *ds = v->ds;
	const struct c4w_timef_manifest *m = &ds->m;
	char a[80], b[80], c[80], d[80];
	struct c4w_buf ids = { 0 };
	int k;

	linef(v, "dataset", "%.*s  version %.*s", (int)m->dataset_id.n, m->dataset_id.p ? m->dataset_id.p : "", (int)m->version.n, m->version.p ? m->version.p : "");
	line(v, "name", m->name);
	line(v, "about", m->description);
	line(v, "license", m->license);
	line(v, "license url", m->license_url);
	if (m->access.p && !c4w_view_eqz(m->access, "open")) {
		line(v, "access", m->access);
		line(v, "access url", m->access_url);
	}
	list_line(v, "domains", "domains");
	list_line(v, "tags", "tags");
	line(v, "source", m->source_url);
	line(v, "citation", m->citation);
	linef(v, "format", "TimeF %lld, values in %s", (long long)m->format, m->zarr ? "Zarr v3" : "Parquet");
	if (m->format != 1) {
		linef(v, "", "control plane in DuckDB, not supported: records, series, annotations and tasks are not read");
		if (m->counts != C4W_JSON_NONE) {
			struct c4w_buf counts = { 0 };

			plain_counts(&m->doc, m->counts, &counts);
			line(v, "counts", (struct c4w_view){ counts.p ? counts.p : "", counts.n });
			c4w_buf_clear(&counts);
		}
		spec_rows(v, s);
		file_rows(v, s);
		return;
	}
	count_text(ds, "records", ds->nrecords, a, sizeof a);
	count_text(ds, "annotations", s->rows[C4W_TF_ANNOTATIONS], b, sizeof b);
	linef(v, "records", "%s", a);
	linef(v, "series", "%s of %s values%s", c4w_str_grouped(s->series, c), c4w_str_grouped(s->values, d), s->ids_shared ? ", some in several records" : "");
	linef(v, "annotations", "%s", b);
	fprintf(v->out, "%s%-12s%s %llu", v->bold ? "\033[1m" : "", "tasks", v->bold ? "\033[0m" : "", (unsigned long long)s->rows[C4W_TF_TASKS]);
	for (k = 0; k < C4W_TF_TASK_TYPES; k++)
		if (s->tasks[k]) {
			bool first = true;
			int q;

			for (q = 0; q < k; q++)
				first &= !s->tasks[q];
			fprintf(v->out, "%s%llu %s", first ? ": " : ", ", (unsigned long long)s->tasks[k], c4w_timef_task_type_name((enum c4w_timef_task_type)k));
		}
	fputc('\n', v->out);
	count_text(ds, "time_series_index_rows", s->rows[C4W_TF_INDEX], a, sizeof a);
	linef(v, "index rows", "%s", a);
	if (s->have_time) {
		c4w_timef_iso(s->from, a);
		c4w_timef_iso(s->to, b);
		linef(v, "time", "%s to %s%s", a, b, s->undated ? "" : "");
	}
	if (s->undated)
		linef(v, s->have_time ? "" : "time", "%s of the records are undated", c4w_str_grouped(s->undated, a));
	for (k = 0; k < C4W_TF_IDS; k++)
		if (ds->uuid[k])
			c4w_buf_printf(&ids, "%s%s", ids.n ? ", " : "", c4w_timef_id_name((enum c4w_timef_id)k));
	linef(v, "ids", ids.n ? "text, but UUIDs in 16 bytes for %s" : "text%s", ids.n ? ids.p : "");
	c4w_buf_clear(&ids);
	spec_rows(v, s);
	file_rows(v, s);
}

int c4w_timef_view_summary(struct c4w_timef_view *v, struct c4w_err *err)
{
	struct c4w_arena scratch = { 0 };
	struct sums s = { 0 };
	int rc = gather(v->ds, &s, &scratch, err);

	if (rc == C4W_OK && v->form == C4W_TF_JSONL)
		rc = summary_json(v, &s, &scratch, err);
	else if (rc == C4W_OK)
		summary_text(v, &s);
	c4w_arena_clear(&scratch);
	return rc;
}

/* ---- one record ---- */

static int record_json(struct c4w_timef_view *v, const struct c4w_timef_record *r, struct c4w_err *err)
{
	struct c4w_timef *ds = v->ds;
	struct c4w_buf b = { 0 };
	struct c4w_json_out j = c4w_json_out(&b, (struct c4w_json_style){ 0 });
	const struct c4w_timef_annotation **annotations;
	struct c4w_arena arena = { 0 };
	int64_t from, to;
	size_t i, k, n;
	int rc;

	c4w_jo_object(&j);
	c4w_timef_record_keys_json(ds, r, &j);
	c4w_jo_key(&j, "series");
	c4w_jo_array(&j);
	for (i = 0; i < r->series_count; i++) {
		const struct c4w_timef_series *s = &ds->series[r->series_first + i];

		c4w_jo_object(&j);
		c4w_timef_series_json(ds, s, &j);
		c4w_jo_key(&j, "window_us");
		if (!c4w_timef_axis_fault(s, &(const char *){ NULL }) && c4w_timef_window(s, &from, &to)) {
			c4w_jo_array(&j);
			c4w_jo_i64(&j, from);
			c4w_jo_i64(&j, to);
			c4w_jo_end(&j);
		} else {
			c4w_jo_null(&j);
		}
		c4w_jo_end(&j);
	}
	c4w_jo_end(&j);
	c4w_jo_key(&j, "annotations");
	c4w_jo_array(&j);
	rc = c4w_timef_view_annotations_of(ds, r, &arena, &annotations, &n, err);
	for (i = 0; rc == C4W_OK && i < n; i++)
		rc = c4w_timef_annotation_json(ds, annotations[i], &j, err);
	c4w_arena_clear(&arena);
	c4w_jo_end(&j);
	c4w_jo_key(&j, "tasks");
	c4w_jo_array(&j);
	for (i = 0; i < ds->ntasks; i++)
		for (k = 0; k < ds->tasks[i].records.n; k++)
			if (ds->tasks[i].records.v[k].p && c4w_view_eq(ds->tasks[i].records.v[k], r->id)) {
				c4w_timef_task_json(ds, &ds->tasks[i], &j);
				break;
			}
	c4w_jo_end(&j);
	c4w_jo_end(&j);
	c4w_buf_putc(&b, '\n');
	if (rc == C4W_OK)
		rc = c4w_buf_ok(&b, err);
	if (rc == C4W_OK)
		fwrite(b.p, 1, b.n, v->out);
	c4w_buf_clear(&b);
	return rc;
}

/* A bar on the record's time line. */
static void bar(struct c4w_timef_view *v, int64_t from, int64_t to, int64_t lo, int64_t hi, bool point, unsigned width)
{
	double span = (double)hi - (double)lo, a = ((double)from - (double)lo) / span * width, b = ((double)to - (double)lo) / span * width;
	unsigned i, x = a < 0 ? 0 : a > width - 1 ? width - 1 : (unsigned)a, y = b < 0 ? 0 : b > width ? width : (unsigned)(b + 0.999);

	if (y <= x)
		y = x + 1;
	for (i = 0; i < width; i++)
		fputs(i < x || i >= y ? "·" : point ? "│" : "━", v->out);
}

/* A line an annotation, on the time line of the series [lo, hi) where it has a span. */
static int record_annotations(struct c4w_timef_view *v, const struct c4w_timef_record *r, int64_t lo, int64_t hi, unsigned width, struct c4w_err *err)
{
	const struct c4w_timef_annotation **list;
	struct c4w_arena arena = { 0 };
	struct c4w_buf t = { 0 };
	char text[400], start[80];
	size_t i, n = 0, w;
	int rc = c4w_timef_view_annotations_of(v->ds, r, &arena, &list, &n, err);

	if (n)
		fprintf(v->out, "\n%sannotations%s\n", v->bold ? "\033[1m" : "", v->bold ? "\033[0m" : "");
	for (i = 0; rc == C4W_OK && i < n; i++) {
		const struct c4w_timef_span *span = &list[i]->span;

		c4w_buf_reset(&t);
		c4w_timef_view_put_annotation(&t, list[i]);
		if (span->present && lo < hi) {
			c4w_str_escape(text, 40, t.p ? t.p : "", t.n);
			w = c4w_text_width(text, strlen(text));
			fprintf(v->out, "%s%*s  ", text, (int)(w < 40 ? 40 - w : 0), "");
			bar(v, span->start, span->has_end ? span->end : span->start + (span->start < INT64_MAX), lo, hi, !span->has_end, width);
			fprintf(v->out, "  %s", c4w_timef_duration(span->start, start));
		} else {
			fputs(c4w_str_escape(text, sizeof text, t.p ? t.p : "", t.n), v->out);
		}
		fputc('\n', v->out);
	}
	c4w_buf_clear(&t);
	c4w_arena_clear(&arena);
	return rc;
}

static int record_text(struct c4w_timef_view *v, const struct c4w_timef_record *r, struct c4w_err *err)
{
	static const char *const names[] = { "series", "spec", "signal", "source", "axis", "rate", "values", "start", "length" };
	struct c4w_timef *ds = v->ds;
	struct c4w_grid g = { .out = v->out, .bold = v->bold };
	char a[80], b[80], uuid[40];
	int64_t lo = INT64_MAX, hi = INT64_MIN, from, to, num, den;
	unsigned width = v->columns > 60 ? v->columns - 44 : 24;
	size_t i;

	line(v, "record", c4w_timef_id_text(ds, C4W_TF_RECORD_ID, r->id, uuid));
	if (r->has_start) {
		c4w_timef_iso(r->start, a);
		linef(v, "start", "%s", a);
	} else {
		linef(v, "start", "unknown: times count from the record's own zero");
	}
	if (r->span.present) {
		c4w_timef_duration(r->span.start, a);
		c4w_timef_duration(r->span.end, b);
		linef(v, "time span", "%s to %s", a, b);
	}
	for (i = 0; i < r->subjects.n; i++)
		line(v, i ? "" : "subjects", r->subjects.v[i].p ? c4w_timef_id_text(ds, C4W_TF_SUBJECT_ID, r->subjects.v[i], uuid) : C4W_VIEW("null"));
	fputc('\n', v->out);
	c4w_grid_begin(&g, names, sizeof names / sizeof *names);
	for (i = 0; i < r->series_count; i++) {
		const struct c4w_timef_series *s = &ds->series[r->series_first + i];
		bool window = !c4w_timef_axis_fault(s, &(const char *){ NULL }) && c4w_timef_window(s, &from, &to);

		if (window) {
			lo = from < lo ? from : lo;
			hi = to > hi ? to : hi;
		}
		c4w_grid_text(&g, s->id.p ? c4w_timef_id_text(ds, C4W_TF_SERIES_ID, s->id, uuid) : s->id);
		c4w_grid_text(&g, s->spec_type);
		c4w_grid_text(&g, s->signal);
		c4w_grid_text(&g, s->source_id.p ? c4w_timef_id_text(ds, C4W_TF_SOURCE_ID, s->source_id, uuid) : s->source_id);
		c4w_grid_z(&g, c4w_timef_axis_name(s->axis));
		num = den = 0;
		if (s->axis == C4W_TF_REGULAR)
			c4w_timef_period(s, &num, &den);
		c4w_grid_z(&g, num > 0 && den > 0 ? c4w_timef_rate(num, den, a) : "");
		c4w_grid_i64(&g, s->n_values);
		c4w_grid_z(&g, window ? c4w_timef_duration(from, a) : "");
		c4w_grid_z(&g, window ? c4w_timef_duration(to - from, a) : "");
	}
	c4w_grid_end(&g);
	if (lo < hi) {
		fprintf(v->out, "\n%-40s  ", "");
		c4w_timef_duration(lo, a);
		c4w_timef_duration(hi, b);
		fprintf(v->out, "%s%*s\n", a, (int)(width > strlen(a) ? width - strlen(a) : 1), b);
		for (i = 0; i < r->series_count; i++) {
			const struct c4w_timef_series *s = &ds->series[r->series_first + i];
			struct c4w_view label = s->signal;

			if (c4w_timef_axis_fault(s, &(const char *){ NULL }) || !c4w_timef_window(s, &from, &to))
				continue;
			c4w_str_escape(a, 40, label.p ? label.p : "", label.n);
			fprintf(v->out, "%s%*s  ", a, (int)(40 - c4w_text_width(a, strlen(a))), "");
			bar(v, from, to, lo, hi, false, width);
			fputc('\n', v->out);
		}
	}
	return record_annotations(v, r, lo, hi, width, err);
}

static void record_tasks(struct c4w_timef_view *v, const struct c4w_timef_record *r)
{
	static const char *const names[] = { "task", "type", "prompt", "target" };
	struct c4w_timef *ds = v->ds;
	struct c4w_grid g = { .out = v->out, .bold = v->bold };
	char uuid[40];
	size_t i, k;
	bool any = false;

	for (i = 0; i < ds->ntasks; i++)
		for (k = 0; k < ds->tasks[i].records.n; k++) {
			const struct c4w_timef_task *t = &ds->tasks[i];

			if (!t->records.v[k].p || !c4w_view_eq(t->records.v[k], r->id))
				continue;
			if (!any) {
				fputc('\n', v->out);
				c4w_grid_begin(&g, names, 4);
			}
			any = true;
			c4w_grid_text(&g, t->id.p ? c4w_timef_id_text(ds, C4W_TF_TASK_ID, t->id, uuid) : t->id);
			c4w_grid_z(&g, c4w_timef_task_type_name(t->type));
			c4w_grid_text(&g, t->prompt);
			c4w_timef_view_target(ds, &g, t);
			break;
		}
	if (any)
		c4w_grid_end(&g);
}

int c4w_timef_view_record(struct c4w_timef_view *v, struct c4w_err *err)
{
	const struct c4w_timef_record *r;
	uint8_t raw[16];
	struct c4w_view id;
	long at;

	/* the annotations' record_ids are shown in the records' order, so all records are needed for JSON */
	if (v->form == C4W_TF_JSONL)
		C4W_TRY(c4w_timef_load_records(v->ds, NULL, NULL, err));
	C4W_TRY(c4w_timef_view_load(v, false, err));
	C4W_TRY(c4w_timef_load_annotations(v->ds, NULL, err));
	C4W_TRY(c4w_timef_load_tasks(v->ds, NULL, err));
	at = c4w_timef_id_stored(v->ds, C4W_TF_RECORD_ID, c4w_view_z(v->record), raw, &id) ? c4w_timef_record_find(v->ds, id) : -1;
	r = &v->ds->records[at < 0 ? 0 : at]; /* view_load has found it */
	if (v->form == C4W_TF_JSONL)
		return record_json(v, r, err);
	C4W_TRY(record_text(v, r, err));
	record_tasks(v, r);
	return C4W_OK;
}
