/* The JSON of a data set's rows, under the key names of expected.json (formats/timef.md, 16). */
#include "families/timef_view.h"

#include "base/numbers.h"

#include <math.h>

static void text(struct c4w_json_out *j, const char *key, struct c4w_view v)
{
	c4w_jo_key(j, key);
	if (v.p)
		c4w_jo_string(j, v);
	else
		c4w_jo_null(j);
}

static void id(const struct c4w_timef *ds, struct c4w_json_out *j, const char *key, enum c4w_timef_id kind, struct c4w_view v)
{
	char uuid[40];

	text(j, key, v.p ? c4w_timef_id_text(ds, kind, v, uuid) : v);
}

void c4w_timef_ids_json(const struct c4w_timef *ds, enum c4w_timef_id kind, const struct c4w_timef_ids *ids, struct c4w_json_out *j)
{
	char uuid[40];
	uint32_t i;

	c4w_jo_array(j);
	for (i = 0; i < ids->n; i++)
		if (ids->v[i].p)
			c4w_jo_string(j, c4w_timef_id_text(ds, kind, ids->v[i], uuid));
		else
			c4w_jo_null(j);
	c4w_jo_end(j);
}

static void ids_or_null(const struct c4w_timef *ds, struct c4w_json_out *j, const char *key, enum c4w_timef_id kind, const struct c4w_timef_ids *ids)
{
	c4w_jo_key(j, key);
	if (ids->null)
		c4w_jo_null(j);
	else
		c4w_timef_ids_json(ds, kind, ids, j);
}

void c4w_timef_span_json(const struct c4w_timef *ds, const struct c4w_timef_span *s, struct c4w_json_out *j)
{
	if (!s->present) {
		c4w_jo_null(j);
		return;
	}
	c4w_jo_object(j);
	c4w_jo_key(j, "frame");
	if (s->frame == C4W_TF_FRAME_UNKNOWN)
		c4w_jo_string(j, s->frame_text);
	else
		c4w_jo_z(j, s->frame == C4W_TF_STEPS ? "steps" : "seconds");
	c4w_jo_key(j, "start");
	if (s->has_start)
		c4w_jo_i64(j, s->start);
	else
		c4w_jo_null(j);
	c4w_jo_key(j, "end");
	if (s->has_end)
		c4w_jo_i64(j, s->end);
	else
		c4w_jo_null(j);
	ids_or_null(ds, j, "time_series_ids", C4W_TF_SERIES_ID, &s->series);
	c4w_jo_end(j);
}

void c4w_timef_record_keys_json(const struct c4w_timef *ds, const struct c4w_timef_record *r, struct c4w_json_out *j)
{
	id(ds, j, "record_id", C4W_TF_RECORD_ID, r->id);
	c4w_jo_key(j, "start_time_us");
	if (r->has_start)
		c4w_jo_i64(j, r->start);
	else
		c4w_jo_null(j);
	c4w_jo_key(j, "time_span");
	c4w_timef_span_json(ds, &r->span, j);
	c4w_jo_key(j, "subject_ids");
	c4w_timef_ids_json(ds, C4W_TF_SUBJECT_ID, &r->subjects, j);
	c4w_jo_key(j, "task_ids");
	c4w_timef_ids_json(ds, C4W_TF_TASK_ID, &r->tasks, j);
	c4w_jo_key(j, "annotation_ids");
	c4w_timef_ids_json(ds, C4W_TF_ANNOTATION_ID, &r->annotations, j);
}

/* JSON as Python holds it: numbers beyond a double are infinite, and what is not finite is a string. */
static int value(const struct c4w_json *doc, uint32_t v, struct c4w_arena *scratch, struct c4w_json_out *j, struct c4w_err *err)
{
	struct c4w_view s;
	uint32_t e, k;
	double d;

	switch (c4w_json_type(doc, v)) {
	case C4W_JSON_ARRAY:
		c4w_jo_array(j);
		for (e = c4w_json_first(doc, v); e != C4W_JSON_NONE; e = c4w_json_next(doc, v, e))
			C4W_TRY(value(doc, e, scratch, j, err));
		c4w_jo_end(j);
		return C4W_OK;
	case C4W_JSON_OBJECT:
		c4w_jo_object(j);
		for (k = c4w_json_first(doc, v); k != C4W_JSON_NONE; k = c4w_json_next(doc, v, e)) {
			e = c4w_json_next(doc, v, k);
			C4W_TRY(c4w_json_string(doc, k, scratch, &s, err));
			c4w_jo_key_view(j, s);
			C4W_TRY(value(doc, e, scratch, j, err));
		}
		c4w_jo_end(j);
		return C4W_OK;
	case C4W_JSON_NUMBER:
		s = c4w_json_raw(doc, v);
		if (c4w_json_is_integer(doc, v)) {
			c4w_jo_raw(j, s);
			return C4W_OK;
		}
		if (c4w_view_eqz(s, "NaN"))
			d = (double)NAN;
		else if (c4w_view_eqz(s, "Infinity"))
			d = (double)INFINITY;
		else if (c4w_view_eqz(s, "-Infinity"))
			d = -(double)INFINITY;
		else if (!c4w_parse_double(s, &d))
			d = (double)NAN;
		c4w_timef_double_json(d, j);
		return C4W_OK;
	case C4W_JSON_STRING:
		C4W_TRY(c4w_json_string(doc, v, scratch, &s, err));
		c4w_jo_string(j, s);
		return C4W_OK;
	case C4W_JSON_TRUE:
	case C4W_JSON_FALSE:
		c4w_jo_bool(j, c4w_json_type(doc, v) == C4W_JSON_TRUE);
		return C4W_OK;
	default:
		c4w_jo_null(j);
		return C4W_OK;
	}
}

static int cmp_rows(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The records that carry it, in the records' order. Those that aren't there come last, as stored. */
static int carried(const struct c4w_timef *ds, const struct c4w_timef_annotation *a, struct c4w_arena *scratch, struct c4w_json_out *j,
		   struct c4w_err *err)
{
	uint32_t *rows, i, n = 0;
	char uuid[40];
	void *mem;
	long at;

	C4W_TRY(c4w_arena_take(scratch, (a->records.n + 1) * sizeof *rows, &mem, err));
	rows = mem;
	for (i = 0; i < a->records.n; i++) {
		size_t lo = 0, hi = ds->nrecords; /* records are sorted by id in a sound data set */

		while (lo < hi) {
			size_t mid = lo + (hi - lo) / 2;

			if (c4w_view_cmp(ds->records[mid].id, a->records.v[i]) < 0)
				lo = mid + 1;
			else
				hi = mid;
		}
		at = lo < ds->nrecords && c4w_view_eq(ds->records[lo].id, a->records.v[i]) ? (long)lo : c4w_timef_record_find(ds, a->records.v[i]);
		if (at >= 0)
			rows[n++] = (uint32_t)at;
	}
	qsort(rows, n, sizeof *rows, cmp_rows);
	c4w_jo_array(j);
	for (i = 0; i < n; i++)
		c4w_jo_string(j, c4w_timef_id_text(ds, C4W_TF_RECORD_ID, ds->records[rows[i]].id, uuid));
	for (i = 0; i < a->records.n && n < a->records.n; i++)
		if (a->records.v[i].p && c4w_timef_record_find(ds, a->records.v[i]) < 0)
			c4w_jo_string(j, c4w_timef_id_text(ds, C4W_TF_RECORD_ID, a->records.v[i], uuid));
	c4w_jo_end(j);
	return C4W_OK;
}

int c4w_timef_annotation_json(const struct c4w_timef *ds, const struct c4w_timef_annotation *a, struct c4w_json_out *j, struct c4w_err *err)
{
	long at = a->key.p ? c4w_timef_key_find(&ds->m, a->key) : -1;
	struct c4w_arena scratch = { 0 };
	struct c4w_json doc;
	int rc = C4W_OK;

	c4w_jo_object(j);
	id(ds, j, "id", C4W_TF_ANNOTATION_ID, a->id);
	text(j, "key", a->key);
	c4w_jo_key(j, "value");
	if (!a->value.p) {
		c4w_jo_null(j);
	} else {
		rc = c4w_json_parse(a->value, C4W_JSON_PYTHON, 0, &scratch, &doc, err);
		if (rc == C4W_OK)
			rc = value(&doc, 0, &scratch, j, err);
		else if (rc == C4W_DAMAGED) { /* shown as it is; verify says what is wrong */
			rc = C4W_OK;
			c4w_jo_string(j, a->value);
		}
	}
	text(j, "unit", at < 0 ? (struct c4w_view){ NULL, 0 } : ds->m.keys[at].unit);
	text(j, "description", at < 0 ? (struct c4w_view){ NULL, 0 } : ds->m.keys[at].description);
	text(j, "source", a->source);
	c4w_jo_key(j, "span");
	c4w_timef_span_json(ds, &a->span, j);
	c4w_jo_key(j, "record_ids");
	if (rc == C4W_OK)
		rc = carried(ds, a, &scratch, j, err);
	c4w_jo_end(j);
	c4w_arena_clear(&scratch);
	return rc;
}

void c4w_timef_task_json(const struct c4w_timef *ds, const struct c4w_timef_task *t, struct c4w_json_out *j)
{
	uint32_t i;

	c4w_jo_object(j);
	id(ds, j, "id", C4W_TF_TASK_ID, t->id);
	c4w_jo_key(j, "task_type");
	c4w_jo_z(j, c4w_timef_task_type_name(t->type));
	c4w_jo_key(j, "record_ids");
	c4w_timef_ids_json(ds, C4W_TF_RECORD_ID, &t->records, j);
	text(j, "prompt", t->prompt);
	c4w_jo_key(j, "scope");
	c4w_timef_span_json(ds, &t->scope, j);
	c4w_jo_key(j, "input_annotation_ids");
	c4w_timef_ids_json(ds, C4W_TF_ANNOTATION_ID, &t->inputs, j);
	c4w_jo_key(j, "target_annotation_ids");
	c4w_timef_ids_json(ds, C4W_TF_ANNOTATION_ID, &t->targets, j);
	text(j, "rationale", t->rationale);
	c4w_jo_key(j, "from_task_ids");
	c4w_timef_ids_json(ds, C4W_TF_TASK_ID, &t->from, j);
	switch (t->type) {
	case C4W_TF_TEMPORAL_LOCALIZATION:
		c4w_jo_key(j, "target");
		if (t->spans_null) {
			c4w_jo_null(j);
		} else {
			c4w_jo_array(j);
			for (i = 0; i < t->nspans; i++)
				c4w_timef_span_json(ds, &t->spans[i], j);
			c4w_jo_end(j);
		}
		text(j, "mode", t->mode);
		break;
	case C4W_TF_CLASSIFICATION:
		text(j, "target", t->target);
		text(j, "target_schema", t->target_schema);
		break;
	case C4W_TF_ANSWER:
		text(j, "target", t->target);
		break;
	case C4W_TF_SCALAR_PREDICTION:
		c4w_jo_key(j, "target");
		if (t->has_scalar)
			c4w_timef_double_json(t->scalar, j);
		else
			c4w_jo_null(j);
		text(j, "unit", t->unit);
		text(j, "target_name", t->target_name);
		break;
	case C4W_TF_FORECASTING:
		c4w_jo_key(j, "context_record_ids");
		c4w_timef_ids_json(ds, C4W_TF_RECORD_ID, &t->context, j);
		id(ds, j, "target_record_id", C4W_TF_RECORD_ID, t->target_record);
		c4w_jo_key(j, "target_span");
		c4w_timef_span_json(ds, &t->target_span, j);
		break;
	case C4W_TF_TS_EDITING:
		id(ds, j, "source_record_id", C4W_TF_RECORD_ID, t->source_record);
		id(ds, j, "target_record_id", C4W_TF_RECORD_ID, t->target_record);
		break;
	case C4W_TF_TS_GENERATION:
		id(ds, j, "target_record_id", C4W_TF_RECORD_ID, t->target_record);
		break;
	default:
		c4w_jo_key(j, "candidate_record_ids");
		c4w_timef_ids_json(ds, C4W_TF_RECORD_ID, &t->candidates, j);
		ids_or_null(ds, j, "target", C4W_TF_RECORD_ID, &t->target_ids);
		ids_or_null(ds, j, "target_time_series_ids", C4W_TF_SERIES_ID, &t->target_series);
		break;
	}
	c4w_jo_end(j);
}
