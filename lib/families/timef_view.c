/* The list views: records, series, annotations, tasks, files, schema. */
#include "families/timef_view.h"

#include "families/timef_check.h"
#include "families/timef_impl.h"

static int flush(struct c4w_timef_view *v, struct c4w_buf *b, struct c4w_err *err)
{
	c4w_buf_putc(b, '\n');
	C4W_TRY(c4w_buf_ok(b, err));
	fwrite(b->p, 1, b->n, v->out);
	c4w_buf_reset(b);
	return C4W_OK;
}

static struct c4w_grid grid_of(const struct c4w_timef_view *v)
{
	struct c4w_grid g = { .out = v->out, .bold = v->bold, .lean = true };

	g.form = v->form == C4W_TF_CSV ? C4W_GRID_CSV : v->form == C4W_TF_TSV ? C4W_GRID_TSV : C4W_GRID_TEXT;
	return g;
}

static bool is_text(struct c4w_view v, const char *want)
{
	return !want || (v.p && c4w_view_eqz(v, want));
}

static bool is_id(const struct c4w_timef *ds, enum c4w_timef_id kind, struct c4w_view v, const char *want)
{
	char uuid[40];

	return !want || (v.p && c4w_view_eqz(c4w_timef_id_text(ds, kind, v, uuid), want));
}

static bool any_id(const struct c4w_timef *ds, enum c4w_timef_id kind, const struct c4w_timef_ids *ids, const char *want)
{
	uint32_t i;

	for (i = 0; want && i < ids->n; i++)
		if (is_id(ds, kind, ids->v[i], want))
			return true;
	return !want;
}

bool c4w_timef_view_takes(const struct c4w_timef_view *v, const struct c4w_timef_series *s)
{
	return is_text(s->spec_type, v->spec) && is_text(s->signal, v->signal) && is_id(v->ds, C4W_TF_SERIES_ID, s->id, v->series) &&
	       is_id(v->ds, C4W_TF_RECORD_ID, v->ds->records[s->record].id, v->record);
}

/* The filters on series name something that is there. */
static int check_filters(const struct c4w_timef_view *v, struct c4w_err *err)
{
	const struct c4w_timef *ds = v->ds;
	struct c4w_timef_near near = { v->spec, SIZE_MAX, "" };
	size_t i;

	if (v->spec && c4w_timef_spec_find(&ds->m, c4w_view_z(v->spec)) < 0) {
		for (i = 0; i < ds->m.nspecs; i++)
			c4w_timef_near_try(&near, ds->m.specs[i].spec_type);
		return c4w_timef_near_fail(&near, "spec", "--schema lists them", err);
	}
	near.word = v->signal;
	for (i = 0; v->signal && i < ds->nseries; i++) {
		if (is_text(ds->series[i].signal, v->signal))
			return C4W_OK;
		c4w_timef_near_try(&near, ds->series[i].signal);
	}
	return v->signal ? c4w_timef_near_fail(&near, "signal", "--series lists them", err) : C4W_OK;
}

int c4w_timef_view_load(struct c4w_timef_view *v, bool index, struct c4w_err *err)
{
	struct c4w_timef_near near = { v->record, SIZE_MAX, "" };
	uint8_t raw[16];
	char uuid[40];
	struct c4w_view id, *only = NULL;
	size_t i;

	C4W_TRY(c4w_timef_open_kind(v->ds, C4W_TF_RECORDS, NULL, err));
	if (v->record) {
		only = &id;
		if (!c4w_timef_id_stored(v->ds, C4W_TF_RECORD_ID, c4w_view_z(v->record), raw, &id))
			return c4w_timef_near_fail(&near, "record", "ids here are UUIDs in lower case", err);
	}
	C4W_TRY(c4w_timef_load_records(v->ds, only, NULL, err));
	if (v->record && c4w_timef_record_find(v->ds, id) < 0) {
		C4W_TRY(c4w_timef_load_records(v->ds, NULL, NULL, err));
		for (i = 0; i < v->ds->nrecords; i++)
			c4w_timef_near_try(&near, c4w_timef_id_text(v->ds, C4W_TF_RECORD_ID, v->ds->records[i].id, uuid));
		return c4w_timef_near_fail(&near, "record", "--records lists them", err);
	}
	C4W_TRY(check_filters(v, err));
	return index ? c4w_timef_load_index(v->ds, only, NULL, err) : C4W_OK;
}

int c4w_timef_view_find(const struct c4w_timef_view *v, const char *word, size_t *out, struct c4w_err *err)
{
	static const char *const kinds[] = { "id", "signal", "spec" };
	const struct c4w_timef *ds = v->ds;
	struct c4w_timef_near near = { word, SIZE_MAX, "" };
	size_t i, n[3] = { 0 }, at[3] = { 0 };
	char uuid[40], shown[100], id[40];
	int k;

	for (i = 0; i < ds->nseries; i++) {
		const struct c4w_timef_series *s = &ds->series[i];
		struct c4w_view names[3] = { c4w_timef_id_text(ds, C4W_TF_SERIES_ID, s->id, uuid), s->signal, s->spec_type };

		if (!c4w_timef_view_takes(v, s))
			continue;
		for (k = 0; k < 3; k++) {
			c4w_timef_near_try(&near, names[k]);
			if (is_text(names[k], word) && n[k]++ == 0)
				at[k] = i;
		}
	}
	for (k = 0; k < 3; k++)
		if (n[k] == 1 || (n[k] && k == 0)) { /* with an id in several records it is one and the same */
			*out = at[k];
			return C4W_OK;
		} else if (n[k]) {
			struct c4w_view first = c4w_timef_id_text(ds, C4W_TF_SERIES_ID, ds->series[at[k]].id, uuid);

			c4w_fail(err, C4W_USAGE, "%zu series have the %s '%s'", n[k], kinds[k], c4w_str_escape(shown, sizeof shown, word, strlen(word)));
			c4w_err_hint(err, "give an id (the first is %s), or --record", c4w_str_escape(id, sizeof id, first.p, first.n));
			return C4W_USAGE;
		}
	return c4w_timef_near_fail(&near, "series", "--series lists them", err);
}

/* "a; b; c" of ids. */
static void ids_cell(const struct c4w_timef *ds, struct c4w_grid *g, enum c4w_timef_id kind, const struct c4w_timef_ids *ids)
{
	struct c4w_buf b = { 0 };
	char uuid[40];
	uint32_t i;

	for (i = 0; i < ids->n; i++) {
		struct c4w_view t = ids->v[i].p ? c4w_timef_id_text(ds, kind, ids->v[i], uuid) : C4W_VIEW("null");

		if (i)
			c4w_buf_puts(&b, "; ");
		c4w_buf_put(&b, t.p, t.n);
	}
	c4w_grid_text(g, (struct c4w_view){ b.p ? b.p : "", b.n });
	c4w_buf_clear(&b);
}

static void id_cell(const struct c4w_timef *ds, struct c4w_grid *g, enum c4w_timef_id kind, struct c4w_view v)
{
	char uuid[40];

	c4w_grid_text(g, v.p ? c4w_timef_id_text(ds, kind, v, uuid) : v);
}

static void maybe(struct c4w_grid *g, bool there, int64_t v)
{
	if (there)
		c4w_grid_i64(g, v);
	else
		c4w_grid_none(g);
}

static void time_cell(struct c4w_grid *g, bool there, int64_t us)
{
	char buf[40];

	if (there)
		c4w_grid_text(g, (struct c4w_view){ buf, c4w_timef_iso(us, buf) });
	else
		c4w_grid_none(g);
}

static void span_cells(const struct c4w_timef *ds, struct c4w_grid *g, const struct c4w_timef_span *s)
{
	maybe(g, s->present && s->has_start, s->start);
	maybe(g, s->present && s->has_end, s->end);
	if (s->present)
		ids_cell(ds, g, C4W_TF_SERIES_ID, &s->series);
	else
		c4w_grid_none(g);
}

/* ---- records ---- */

int c4w_timef_view_records(struct c4w_timef_view *v, struct c4w_err *err)
{
	static const char *const names[] = { "record_id", "start_time", "span_start_us", "span_end_us", "series", "annotations", "tasks", "subjects" };
	struct c4w_timef *ds = v->ds;
	struct c4w_grid g = grid_of(v);
	struct c4w_buf b = { 0 };
	uint64_t left = v->limit;
	size_t i, k;
	int rc = C4W_OK;

	C4W_TRY(c4w_timef_view_load(v, false, err));
	if (v->form != C4W_TF_JSONL)
		c4w_grid_begin(&g, names, sizeof names / sizeof *names);
	for (i = 0; i < ds->nrecords && left && rc == C4W_OK; i++) {
		const struct c4w_timef_record *r = &ds->records[i];

		if (v->spec || v->signal || v->series) {
			for (k = 0; k < r->series_count && !c4w_timef_view_takes(v, &ds->series[r->series_first + k]); k++)
				;
			if (k == r->series_count)
				continue;
		}
		left--;
		if (v->form == C4W_TF_JSONL) {
			struct c4w_json_out j = c4w_json_out(&b, (struct c4w_json_style){ 0 });

			c4w_jo_object(&j);
			c4w_timef_record_keys_json(ds, r, &j);
			c4w_jo_key(&j, "time_series_ids");
			c4w_jo_array(&j);
			for (k = 0; k < r->series_count; k++) {
				char uuid[40];

				c4w_jo_string(&j, c4w_timef_id_text(ds, C4W_TF_SERIES_ID, ds->series[r->series_first + k].id, uuid));
			}
			c4w_jo_end(&j);
			c4w_jo_end(&j);
			rc = flush(v, &b, err);
			continue;
		}
		id_cell(ds, &g, C4W_TF_RECORD_ID, r->id);
		time_cell(&g, r->has_start, r->start);
		maybe(&g, r->span.present && r->span.has_start, r->span.start);
		maybe(&g, r->span.present && r->span.has_end, r->span.end);
		c4w_grid_i64(&g, r->series_count);
		c4w_grid_i64(&g, r->annotations.n);
		c4w_grid_i64(&g, r->tasks.n);
		ids_cell(ds, &g, C4W_TF_SUBJECT_ID, &r->subjects);
	}
	if (v->form != C4W_TF_JSONL)
		c4w_grid_end(&g);
	c4w_buf_clear(&b);
	return rc;
}

/* ---- series ---- */

int c4w_timef_view_series(struct c4w_timef_view *v, struct c4w_err *err)
{
	static const char *const wide[] = { "record_id", "time_series_id", "spec_type", "signal", "source_id", "dtype", "axis_type", "rate", "n_values",
					    "window", "period_numerator_us", "period_denominator", "start_index", "first_time_offset_us",
					    "last_time_offset_us", "window_start_us", "window_end_us" };
	struct c4w_timef *ds = v->ds;
	struct c4w_grid g = grid_of(v);
	struct c4w_buf b = { 0 };
	uint64_t left = v->limit;
	char text[48];
	int64_t num, den, from, to;
	bool window;
	size_t i;
	int rc = C4W_OK;

	C4W_TRY(c4w_timef_view_load(v, false, err));
	if (v->form != C4W_TF_JSONL)
		c4w_grid_begin(&g, wide, v->form == C4W_TF_TEXT ? 10 : sizeof wide / sizeof *wide);
	for (i = 0; i < ds->nseries && left && rc == C4W_OK; i++) {
		const struct c4w_timef_series *s = &ds->series[i];

		if (!c4w_timef_view_takes(v, s))
			continue;
		left--;
		window = s->den != 0 && s->num != 0 ? c4w_timef_window(s, &from, &to) : s->axis == C4W_TF_IRREGULAR && c4w_timef_window(s, &from, &to);
		if (v->form == C4W_TF_JSONL) {
			struct c4w_json_out j = c4w_json_out(&b, (struct c4w_json_style){ 0 });
			char uuid[40];

			c4w_jo_object(&j);
			c4w_jo_key(&j, "record_id");
			c4w_jo_string(&j, c4w_timef_id_text(ds, C4W_TF_RECORD_ID, ds->records[s->record].id, uuid));
			c4w_timef_series_json(ds, s, &j);
			c4w_jo_key(&j, "window_us");
			if (window) {
				c4w_jo_array(&j);
				c4w_jo_i64(&j, from);
				c4w_jo_i64(&j, to);
				c4w_jo_end(&j);
			} else {
				c4w_jo_null(&j);
			}
			c4w_jo_end(&j);
			rc = flush(v, &b, err);
			continue;
		}
		id_cell(ds, &g, C4W_TF_RECORD_ID, ds->records[s->record].id);
		id_cell(ds, &g, C4W_TF_SERIES_ID, s->id);
		c4w_grid_text(&g, s->spec_type);
		c4w_grid_text(&g, s->signal);
		id_cell(ds, &g, C4W_TF_SOURCE_ID, s->source_id);
		c4w_grid_z(&g, s->spec < 0 ? "?" : c4w_timef_dtype_name(ds->m.specs[s->spec].dtype));
		if (s->axis == C4W_TF_AXIS_UNKNOWN)
			c4w_grid_text(&g, s->axis_text);
		else
			c4w_grid_z(&g, c4w_timef_axis_name(s->axis));
		num = den = 0;
		if (s->axis == C4W_TF_REGULAR)
			c4w_timef_period(s, &num, &den);
		c4w_grid_z(&g, num > 0 && den > 0 ? c4w_timef_rate(num, den, text) : "");
		maybe(&g, s->has_n, s->n_values);
		c4w_grid_z(&g, window ? c4w_timef_duration(to - from, text) : "");
		if (v->form == C4W_TF_TEXT)
			continue;
		maybe(&g, s->has_num, num);
		maybe(&g, s->has_den, den);
		maybe(&g, s->has_start, s->start_index);
		maybe(&g, s->has_first, s->first);
		maybe(&g, s->has_last, s->last);
		maybe(&g, window, from);
		maybe(&g, window, to);
	}
	if (v->form != C4W_TF_JSONL)
		c4w_grid_end(&g);
	c4w_buf_clear(&b);
	return rc;
}

/* ---- annotations ---- */

int c4w_timef_view_annotations_of(const struct c4w_timef *ds, const struct c4w_timef_record *r, struct c4w_arena *arena,
				  const struct c4w_timef_annotation ***out, size_t *n, struct c4w_err *err)
{
	struct c4w_timef_map ids = { 0 };
	void *mem;
	size_t i;
	int rc = c4w_arena_take(arena, (r->annotations.n + 1) * sizeof **out, &mem, err);

	*n = 0;
	for (i = 0; i < ds->nannotations && rc == C4W_OK; i++)
		if (ds->annotations[i].id.p)
			rc = c4w_timef_map_add(&ids, ds->annotations[i].id, (uint32_t)i, NULL, err);
	if (rc == C4W_OK)
		*out = mem;
	for (i = 0; i < r->annotations.n && rc == C4W_OK; i++) {
		long at = c4w_timef_map_get(&ids, r->annotations.v[i]);

		if (at >= 0)
			(*out)[(*n)++] = &ds->annotations[at];
	}
	c4w_timef_map_clear(&ids);
	return rc;
}

/* \uXXXX at p, as a code unit; false: something else. */
static bool unit_at(const char *p, size_t n, uint32_t *out)
{
	size_t i;

	*out = 0;
	if (n < 6 || p[0] != '\\' || p[1] != 'u')
		return false;
	for (i = 2; i < 6; i++) {
		int c = p[i] | 0x20;

		if (!(p[i] >= '0' && p[i] <= '9') && !(c >= 'a' && c <= 'f'))
			return false;
		*out = *out << 4 | (uint32_t)(p[i] <= '9' ? p[i] - '0' : c - 'a' + 10);
	}
	return true;
}

void c4w_timef_view_put_value(struct c4w_buf *b, struct c4w_view json)
{
	size_t i = 0, k;
	uint32_t c, low;
	char utf8[4];

	while (i < json.n) {
		k = 1;
		if (unit_at(json.p + i, json.n - i, &c)) {
			k = 6;
			if (c >= 0xd800 && c < 0xdc00 && unit_at(json.p + i + 6, json.n - i - 6, &low) && low >= 0xdc00 && low < 0xe000) {
				c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
				k = 12;
			}
			if (c >= 0xa0 && (c < 0xd800 || c >= 0xe000)) {
				c4w_buf_put(b, utf8, c4w_utf8_encode(c, utf8));
				i += k;
				continue;
			}
		} else if (json.p[i] == '\\' && i + 1 < json.n) {
			k = 2; /* an escaped backslash is no beginning */
		}
		c4w_buf_put(b, json.p + i, k);
		i += k;
	}
}

void c4w_timef_view_put_annotation(struct c4w_buf *b, const struct c4w_timef_annotation *a)
{
	c4w_buf_put(b, a->key.p ? a->key.p : "?", a->key.p ? a->key.n : 1);
	if (!a->value.p)
		return;
	c4w_buf_puts(b, " = ");
	c4w_timef_view_put_value(b, a->value);
}

static int check_key(const struct c4w_timef_view *v, struct c4w_err *err)
{
	const struct c4w_timef *ds = v->ds;
	struct c4w_timef_near near = { v->key, SIZE_MAX, "" };
	size_t i;

	if (!v->key || c4w_timef_key_find(&ds->m, c4w_view_z(v->key)) >= 0)
		return C4W_OK;
	for (i = 0; i < ds->nannotations; i++)
		if (is_text(ds->annotations[i].key, v->key)) /* undeclared, but there */
			return C4W_OK;
	for (i = 0; i < ds->m.nkeys; i++)
		c4w_timef_near_try(&near, ds->m.keys[i].key);
	return c4w_timef_near_fail(&near, "annotation key", "--schema lists them", err);
}

int c4w_timef_view_annotations(struct c4w_timef_view *v, struct c4w_err *err)
{
	static const char *const names[] = { "id", "key", "value", "unit", "start_us", "end_us", "time_series_ids", "source", "record_ids" };
	struct c4w_timef *ds = v->ds;
	struct c4w_grid g = grid_of(v);
	struct c4w_buf b = { 0 };
	uint64_t left = v->limit;
	size_t i;
	long at;
	int rc = C4W_OK;

	if (v->record)
		C4W_TRY(c4w_timef_view_load(v, false, err));
	C4W_TRY(c4w_timef_load_records(ds, NULL, NULL, err)); /* in whose order record_ids are shown */
	C4W_TRY(c4w_timef_load_annotations(ds, NULL, err));
	C4W_TRY(check_key(v, err));
	if (v->form != C4W_TF_JSONL)
		c4w_grid_begin(&g, names, sizeof names / sizeof *names);
	for (i = 0; i < ds->nannotations && left && rc == C4W_OK; i++) {
		const struct c4w_timef_annotation *a = &ds->annotations[i];

		if (!is_text(a->key, v->key) || !any_id(ds, C4W_TF_RECORD_ID, &a->records, v->record) ||
		    (v->series && !any_id(ds, C4W_TF_SERIES_ID, &a->span.series, v->series)))
			continue;
		left--;
		if (v->form == C4W_TF_JSONL) {
			struct c4w_json_out j = c4w_json_out(&b, (struct c4w_json_style){ 0 });

			rc = c4w_timef_annotation_json(ds, a, &j, err);
			if (rc == C4W_OK)
				rc = flush(v, &b, err);
			continue;
		}
		at = a->key.p ? c4w_timef_key_find(&ds->m, a->key) : -1;
		id_cell(ds, &g, C4W_TF_ANNOTATION_ID, a->id);
		c4w_grid_text(&g, a->key);
		c4w_buf_reset(&b);
		if (v->form == C4W_TF_TEXT && a->value.p)
			c4w_timef_view_put_value(&b, a->value);
		c4w_grid_text(&g, b.n ? (struct c4w_view){ b.p, b.n } : a->value);
		c4w_grid_text(&g, at < 0 ? (struct c4w_view){ NULL, 0 } : ds->m.keys[at].unit);
		span_cells(ds, &g, &a->span);
		c4w_grid_text(&g, a->source);
		ids_cell(ds, &g, C4W_TF_RECORD_ID, &a->records);
	}
	if (v->form != C4W_TF_JSONL)
		c4w_grid_end(&g);
	c4w_buf_clear(&b);
	return rc;
}

/* ---- tasks ---- */

void c4w_timef_view_target(const struct c4w_timef *ds, struct c4w_grid *g, const struct c4w_timef_task *t)
{
	struct c4w_buf b = { 0 };
	uint32_t i;

	switch (t->type) {
	case C4W_TF_ANSWER:
	case C4W_TF_CLASSIFICATION:
		c4w_grid_text(g, t->target);
		break;
	case C4W_TF_SCALAR_PREDICTION:
		if (t->has_scalar)
			c4w_buf_printf(&b, "%.10g%s%.*s", t->scalar, t->unit.n ? " " : "", (int)t->unit.n, t->unit.n ? t->unit.p : "");
		c4w_grid_text(g, (struct c4w_view){ b.p ? b.p : "", b.n });
		break;
	case C4W_TF_TEMPORAL_LOCALIZATION:
		for (i = 0; i < t->nspans; i++)
			c4w_buf_printf(&b, t->spans[i].has_end ? "%s[%lld, %lld)" : "%s%lld", i ? "; " : "", (long long)t->spans[i].start, (long long)t->spans[i].end);
		c4w_grid_text(g, (struct c4w_view){ b.p ? b.p : "", b.n });
		break;
	case C4W_TF_FORECASTING:
		if (t->target_span.present)
			c4w_buf_printf(&b, "[%lld, %lld)", (long long)t->target_span.start, (long long)t->target_span.end);
		if (t->target_span.present)
			c4w_grid_text(g, (struct c4w_view){ b.p ? b.p : "", b.n });
		else
			id_cell(ds, g, C4W_TF_RECORD_ID, t->target_record);
		break;
	case C4W_TF_TS_EDITING:
	case C4W_TF_TS_GENERATION:
		id_cell(ds, g, C4W_TF_RECORD_ID, t->target_record);
		break;
	default:
		ids_cell(ds, g, C4W_TF_RECORD_ID, &t->target_ids);
		break;
	}
	c4w_buf_clear(&b);
}

static int check_type(const struct c4w_timef_view *v, struct c4w_err *err)
{
	struct c4w_timef_near near = { v->task_type, SIZE_MAX, "" };
	enum c4w_timef_task_type type;
	struct c4w_buf list = { 0 };
	int t;

	if (!v->task_type || c4w_timef_task_type_find(c4w_view_z(v->task_type), &type))
		return C4W_OK;
	c4w_buf_puts(&list, "there is ");
	for (t = 0; t < C4W_TF_TASK_TYPES; t++) {
		const char *name = c4w_timef_task_type_name((enum c4w_timef_task_type)t);

		c4w_timef_near_try(&near, c4w_view_z(name));
		c4w_buf_printf(&list, "%s%s", t ? ", " : "", name);
	}
	c4w_timef_near_fail(&near, "task type", c4w_buf_ok(&list, NULL) == C4W_OK ? list.p : NULL, err);
	c4w_buf_clear(&list);
	return C4W_USAGE;
}

int c4w_timef_view_tasks(struct c4w_timef_view *v, struct c4w_err *err)
{
	static const char *const names[] = { "id", "task_type", "record_ids", "target", "target_annotation_ids", "scope_start", "scope_end",
					     "scope_time_series_ids", "input_annotation_ids", "from_task_ids", "prompt", "rationale" };
	struct c4w_timef *ds = v->ds;
	struct c4w_grid g = grid_of(v);
	struct c4w_buf b = { 0 };
	uint64_t left = v->limit;
	size_t i;
	int rc = C4W_OK;

	C4W_TRY(check_type(v, err));
	if (v->record)
		C4W_TRY(c4w_timef_view_load(v, false, err));
	C4W_TRY(c4w_timef_load_tasks(ds, NULL, err));
	if (v->form != C4W_TF_JSONL)
		c4w_grid_begin(&g, names, sizeof names / sizeof *names);
	for (i = 0; i < ds->ntasks && left && rc == C4W_OK; i++) {
		const struct c4w_timef_task *t = &ds->tasks[i];

		if (!is_text(c4w_view_z(c4w_timef_task_type_name(t->type)), v->task_type) || !any_id(ds, C4W_TF_RECORD_ID, &t->records, v->record))
			continue;
		left--;
		if (v->form == C4W_TF_JSONL) {
			struct c4w_json_out j = c4w_json_out(&b, (struct c4w_json_style){ 0 });

			c4w_timef_task_json(ds, t, &j);
			rc = flush(v, &b, err);
			continue;
		}
		id_cell(ds, &g, C4W_TF_TASK_ID, t->id);
		c4w_grid_z(&g, c4w_timef_task_type_name(t->type));
		ids_cell(ds, &g, C4W_TF_RECORD_ID, &t->records);
		c4w_timef_view_target(ds, &g, t);
		ids_cell(ds, &g, C4W_TF_ANNOTATION_ID, &t->targets);
		span_cells(ds, &g, &t->scope);
		ids_cell(ds, &g, C4W_TF_ANNOTATION_ID, &t->inputs);
		ids_cell(ds, &g, C4W_TF_TASK_ID, &t->from);
		c4w_grid_text(&g, t->prompt);
		c4w_grid_text(&g, t->rationale);
	}
	if (v->form != C4W_TF_JSONL)
		c4w_grid_end(&g);
	c4w_buf_clear(&b);
	return rc;
}

/* ---- files ---- */

int c4w_timef_view_files(struct c4w_timef_view *v, struct c4w_err *err)
{
	static const char *const names[] = { "kind", "size", "state", "checksum", "path" };
	const struct c4w_timef_manifest *m = &v->ds->m;
	struct c4w_grid g = grid_of(v);
	struct c4w_buf b = { 0 };
	struct c4w_stat st;
	uint64_t left = v->limit;
	const char *state;
	size_t i;
	int rc = C4W_OK;

	g.cut = 80;
	if (v->form != C4W_TF_JSONL)
		c4w_grid_begin(&g, names, sizeof names / sizeof *names);
	for (i = 0; i < m->nfiles && left && rc == C4W_OK; i++, left--) {
		const struct c4w_timef_file *f = &m->files[i];

		rc = c4w_store_stat(v->ds->store, f->z, &st, err);
		if (rc != C4W_OK)
			break;
		state = st.kind == C4W_KIND_NONE ? "missing" : st.kind != C4W_KIND_FILE ? "no file" : st.size != f->size ? "size differs" : "ok";
		if (v->form == C4W_TF_JSONL) {
			struct c4w_json_out j = c4w_json_out(&b, (struct c4w_json_style){ 0 });

			c4w_jo_object(&j);
			c4w_jo_key(&j, "kind");
			c4w_jo_z(&j, c4w_timef_kind_name(f->kind));
			c4w_jo_key(&j, "path");
			c4w_jo_string(&j, f->path);
			c4w_jo_key(&j, "size");
			c4w_jo_u64(&j, f->size);
			c4w_jo_key(&j, "checksum");
			c4w_jo_string(&j, f->checksum);
			c4w_jo_key(&j, "state");
			c4w_jo_z(&j, state);
			c4w_jo_end(&j);
			rc = flush(v, &b, err);
			continue;
		}
		c4w_grid_z(&g, c4w_timef_kind_name(f->kind));
		c4w_grid_i64(&g, (int64_t)f->size);
		c4w_grid_z(&g, state);
		c4w_grid_text(&g, f->checksum);
		c4w_grid_text(&g, f->path);
	}
	if (v->form != C4W_TF_JSONL)
		c4w_grid_end(&g);
	c4w_buf_clear(&b);
	return rc;
}

/* ---- schema ---- */

static struct c4w_view encoding_of(const struct c4w_timef *ds, struct c4w_view spec_type)
{
	struct c4w_view none = { NULL, 0 };
	uint32_t v;

	if (ds->m.value_encoding == C4W_JSON_NONE)
		return none;
	v = c4w_json_member_view(&ds->m.doc, ds->m.value_encoding, spec_type);
	if (v == C4W_JSON_NONE || c4w_json_type(&ds->m.doc, v) != C4W_JSON_STRING)
		return none;
	none = c4w_json_raw(&ds->m.doc, v); /* one of three plain words, or shown as it is */
	return none.n >= 2 ? (struct c4w_view){ none.p + 1, none.n - 2 } : none;
}

void c4w_timef_shape_text(const struct c4w_timef_spec *s, char *buf, size_t size)
{
	size_t n = 0;
	unsigned i;

	buf[0] = 0;
	for (i = 0; i < s->rank && n < size; i++)
		n += (size_t)snprintf(buf + n, size - n, "%s%u", i ? " x " : "", s->shape[i]);
}

static int schema_json(struct c4w_timef_view *v, struct c4w_err *err)
{
	const struct c4w_timef_manifest *m = &v->ds->m;
	struct c4w_arena scratch = { 0 };
	struct c4w_buf b = { 0 };
	uint64_t left = v->limit;
	size_t i, t;
	int rc = C4W_OK, pass;

	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < (pass ? m->nkeys : m->nspecs) && rc == C4W_OK && left; i++, left--) {
			struct c4w_json_out j = c4w_json_out(&b, (struct c4w_json_style){ 0 });
			uint32_t obj = pass ? m->keys[i].json : m->specs[i].json, k, e;
			struct c4w_view name;

			c4w_jo_object(&j);
			c4w_jo_key(&j, "kind");
			c4w_jo_z(&j, pass ? "annotation" : "spec");
			for (k = c4w_json_first(&m->doc, obj); k != C4W_JSON_NONE && rc == C4W_OK; k = c4w_json_next(&m->doc, obj, e)) {
				e = c4w_json_next(&m->doc, obj, k);
				rc = c4w_json_string(&m->doc, k, &scratch, &name, err);
				if (rc != C4W_OK)
					break;
				c4w_jo_key_view(&j, name);
				rc = c4w_jo_value(&j, &m->doc, e, &scratch, err);
			}
			if (!pass && rc == C4W_OK) {
				name = encoding_of(v->ds, m->specs[i].spec_type);
				c4w_jo_key(&j, "value_encoding");
				if (name.p)
					c4w_jo_string(&j, name);
				else
					c4w_jo_null(&j);
			}
			c4w_jo_end(&j);
			if (rc == C4W_OK)
				rc = flush(v, &b, err);
		}
	for (t = 0; t < C4W_TF_TASK_TYPES && rc == C4W_OK && left; t++)
		if (m->task_types >> t & 1) {
			c4w_buf_printf(&b, "{\"kind\":\"task\",\"task_type\":\"%s\"}", c4w_timef_task_type_name((enum c4w_timef_task_type)t));
			rc = flush(v, &b, err);
			left--;
		}
	c4w_arena_clear(&scratch);
	c4w_buf_clear(&b);
	return rc;
}

int c4w_timef_view_schema(struct c4w_timef_view *v, struct c4w_err *err)
{
	static const char *const names[] = { "kind", "key", "type", "unit", "shape", "nullable", "encoding", "name", "details" };
	static const char *const shapes[] = { "static", "point", "interval" };
	static const char *const values[] = { "", "bool", "int", "float", "str", "list", "map" };
	const struct c4w_timef_manifest *m = &v->ds->m;
	struct c4w_grid g = grid_of(v);
	struct c4w_buf b = { 0 };
	uint64_t left = v->limit;
	char shape[120];
	size_t i, k;

	if (v->form == C4W_TF_JSONL)
		return schema_json(v, err);
	c4w_grid_begin(&g, names, sizeof names / sizeof *names);
	for (i = 0; i < m->nspecs && left; i++, left--) {
		const struct c4w_timef_spec *s = &m->specs[i];

		c4w_grid_z(&g, "spec");
		c4w_grid_text(&g, s->spec_type);
		c4w_grid_z(&g, c4w_timef_dtype_name(s->dtype));
		c4w_grid_text(&g, s->unit);
		c4w_timef_shape_text(s, shape, sizeof shape);
		c4w_grid_z(&g, shape);
		c4w_grid_z(&g, s->nullable ? "yes" : "");
		c4w_grid_text(&g, encoding_of(v->ds, s->spec_type));
		c4w_grid_text(&g, s->name);
		c4w_buf_reset(&b);
		for (k = 0; k < s->ncategories; k++) {
			c4w_buf_puts(&b, k ? "; " : "");
			c4w_buf_put(&b, s->categories[k].p ? s->categories[k].p : "", s->categories[k].n);
		}
		for (k = 0; s->dimensions && k < s->rank; k++) {
			c4w_buf_puts(&b, k ? " x " : "");
			c4w_buf_put(&b, s->dimensions[k].p ? s->dimensions[k].p : "", s->dimensions[k].n);
		}
		if (s->has_source) {
			c4w_buf_printf(&b, "%s%.*s: %.*s", b.n ? ", " : "", (int)s->source_type.n, s->source_type.p ? s->source_type.p : "",
				       (int)s->source_name.n, s->source_name.p ? s->source_name.p : "");
			if (s->source_provider.p)
				c4w_buf_printf(&b, " (%.*s)", (int)s->source_provider.n, s->source_provider.p);
		}
		c4w_grid_text(&g, (struct c4w_view){ b.p ? b.p : "", b.n });
	}
	for (i = 0; i < m->nkeys && left; i++, left--) {
		c4w_grid_z(&g, "annotation");
		c4w_grid_text(&g, m->keys[i].key);
		c4w_grid_z(&g, values[m->keys[i].value]);
		c4w_grid_text(&g, m->keys[i].unit);
		c4w_grid_z(&g, shapes[m->keys[i].shape]);
		c4w_grid_none(&g);
		c4w_grid_none(&g);
		c4w_grid_none(&g);
		c4w_grid_text(&g, m->keys[i].description);
	}
	for (i = 0; i < C4W_TF_TASK_TYPES && left; i++)
		if (m->task_types >> i & 1) {
			c4w_grid_z(&g, "task");
			c4w_grid_z(&g, c4w_timef_task_type_name((enum c4w_timef_task_type)i));
			for (k = 0; k < 7; k++)
				c4w_grid_none(&g);
			left--;
		}
	c4w_grid_end(&g);
	c4w_buf_clear(&b);
	return C4W_OK;
}
