/* Checks of annotations and tasks (formats/timef.md, 5 and 7): their own content, and what they name. */
#include "families/timef_check.h"

#include "families/timef_impl.h"

#define SAY(rule, expected, found, ...) C4W_TRY(c4w_timef_fault(sink, err, rule, path, label, expected, found, __VA_ARGS__))

static const char *path_of(const struct c4w_timef *ds, uint32_t file)
{
	return ds->m.files[file].z;
}

/* What holds of every span. `rule` names the table for the frame's rule. */
static int check_span(const struct c4w_timef_span *p, const char *path, const char *label, const char *name, struct c4w_timef_sink *sink,
		      struct c4w_err *err)
{
	char text[80];

	if (!p->present)
		return C4W_OK;
	if (p->frame == C4W_TF_FRAME_UNKNOWN) {
		SAY("span.frame", "seconds or steps", c4w_str_escape(text, sizeof text, p->frame_text.p, p->frame_text.n), "%s has an unknown frame", name);
		return C4W_OK;
	}
	if (p->frame_text.p && p->frame_text.n == 0)
		SAY("span.frame-empty", "seconds or steps", "\"\"", "%s has an empty frame, read as seconds", name);
	if (!p->has_start)
		SAY("span.start-null", NULL, NULL, "%s has no start", name);
	if (p->has_start && p->has_end && p->end <= p->start)
		SAY("span.end", NULL, NULL, "%s ends before it begins", name);
	if (p->frame == C4W_TF_SECONDS && !p->series.null && p->series.n == 0)
		SAY("span.no-series", NULL, NULL, "%s has an empty list of series", name);
	if (p->frame == C4W_TF_STEPS && p->series.n == 0)
		SAY("span.steps-series", "one series", NULL, "%s counts steps of no series", name);
	if (p->frame == C4W_TF_STEPS && p->series.n > 1)
		SAY("span.steps-several", "one series", NULL, "%s counts steps of several series", name);
	if (p->frame == C4W_TF_STEPS && p->has_start && p->start < 0)
		SAY("span.steps-negative", NULL, NULL, "%s begins at a negative step", name);
	return C4W_OK;
}

/* ---- annotations ---- */

static int check_value(const struct c4w_timef *ds, const struct c4w_timef_annotation *a, const struct c4w_timef_key *key, struct c4w_arena *scratch,
		       const char *path, const char *label, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	static const char *const names[] = { "null", "bool", "int", "float", "str", "list", "map" };
	enum c4w_timef_value v = C4W_TF_V_NONE;
	struct c4w_err why = { 0 };
	struct c4w_json doc;
	int rc;

	(void)ds;
	if (a->value.p) {
		rc = c4w_json_parse(a->value, C4W_JSON_PYTHON, 0, scratch, &doc, &why);
		if (rc == C4W_MEMORY) {
			if (err)
				*err = why;
			return rc;
		}
		if (rc != C4W_OK) {
			SAY("annotations.json", NULL, NULL, "the value is not JSON: %s", why.message);
			return C4W_OK;
		}
		switch (c4w_json_type(&doc, 0)) {
		case C4W_JSON_TRUE:
		case C4W_JSON_FALSE:
			v = C4W_TF_V_BOOL;
			break;
		case C4W_JSON_NUMBER:
			v = c4w_json_is_integer(&doc, 0) ? C4W_TF_V_INT : C4W_TF_V_FLOAT;
			break;
		case C4W_JSON_STRING:
			v = C4W_TF_V_STR;
			break;
		case C4W_JSON_ARRAY:
			v = C4W_TF_V_LIST;
			break;
		case C4W_JSON_OBJECT:
			v = C4W_TF_V_MAP;
			break;
		default:
			break;
		}
	}
	if (key && v != key->value)
		SAY("annotations.value-type", names[key->value], names[v], "the value has another type than the schema says");
	if (v == C4W_TF_V_NONE && !a->span.present)
		SAY("annotations.empty", NULL, NULL, "an annotation with neither value nor span");
	return C4W_OK;
}

/* An annotation's span in a record that carries it. */
static int check_placed(const struct c4w_timef_check *k, const struct c4w_timef_annotation *a, const struct c4w_timef_record *r, const char *path,
			const char *label, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	const struct c4w_timef *ds = k->ds;
	int64_t from, to, lo = INT64_MIN, hi = INT64_MAX, end = a->span.has_end ? a->span.end : a->span.start + (a->span.start < INT64_MAX);
	const struct c4w_timef_series *s;
	bool any = false;
	char text[200];
	uint32_t i;

	if (!a->span.present || !a->span.has_start || a->span.frame != C4W_TF_SECONDS)
		return C4W_OK;
	for (i = 0; i < a->span.series.n; i++) {
		s = c4w_timef_series_in(k, r, a->span.series.v[i]);
		c4w_timef_label(ds, "series", C4W_TF_SERIES_ID, a->span.series.v[i], text, sizeof text);
		if (!s) {
			SAY("span.series-unknown", NULL, text, "the annotation's span names a series that the record doesn't have");
			return C4W_OK;
		}
		if (!c4w_timef_window(s, &from, &to)) {
			if (s->axis == C4W_TF_ORDINAL)
				SAY("span.series-untimed", NULL, text, "the annotation's span in seconds names a series without times");
			return C4W_OK;
		}
		lo = from > lo ? from : lo;
		hi = to < hi ? to : hi;
		any = true;
	}
	if (any && lo >= hi) {
		SAY("span.series-disjoint", NULL, NULL, "the windows of the annotation's series don't overlap");
		return C4W_OK;
	}
	if (!any) { /* the whole record: the time that its series cover */
		lo = INT64_MAX;
		hi = INT64_MIN;
		for (i = 0; i < r->series_count; i++)
			if (c4w_timef_window(&ds->series[r->series_first + i], &from, &to)) {
				lo = from < lo ? from : lo;
				hi = to > hi ? to : hi;
				any = true;
			}
		if (r->span.present && r->span.has_start && r->span.has_end) {
			lo = r->span.start;
			hi = r->span.end;
			any = true;
		}
	}
	if (any && (a->span.start < lo || end > hi)) {
		snprintf(text, sizeof text, "[%lld, %lld) in [%lld, %lld)", (long long)a->span.start, (long long)end, (long long)lo, (long long)hi);
		SAY("span.outside-window", NULL, text, "the annotation lies outside the window of what it is about");
	}
	return C4W_OK;
}

int c4w_timef_check_annotations(const struct c4w_timef_check *k, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	static const char *const shapes[] = { "static", "point", "interval" };
	const struct c4w_timef *ds = k->ds;
	struct c4w_arena scratch = { 0 };
	const struct c4w_timef_key *key;
	enum c4w_timef_shape shape;
	char label[200], text[200];
	const char *path;
	size_t i;
	uint32_t j;
	long at;
	int rc = C4W_OK;

	for (i = 0; i < ds->nannotations && rc == C4W_OK; i++) {
		const struct c4w_timef_annotation *a = &ds->annotations[i];

		path = path_of(ds, a->file);
		c4w_timef_label(ds, "annotation", C4W_TF_ANNOTATION_ID, a->id, label, sizeof label);
		if (!a->id.p)
			SAY("annotations.id-null", NULL, NULL, "row %lld has no id", (long long)a->row);
		else if (c4w_timef_map_get(&k->annotations, a->id) != (long)i)
			SAY("annotations.id-repeated", NULL, NULL, "two annotations have one id");
		if (i && c4w_view_cmp(ds->annotations[i - 1].id, a->id) > 0)
			SAY("annotations.unsorted", NULL, NULL, "the annotations are not sorted by id");
		at = a->key.p ? c4w_timef_key_find(&ds->m, a->key) : -1;
		key = at < 0 ? NULL : &ds->m.keys[at];
		if (!key)
			SAY("annotations.key-unknown", NULL, a->key.p ? c4w_str_escape(text, sizeof text, a->key.p, a->key.n) : "null", "the key is not declared in the schema");
		rc = check_value(ds, a, key, &scratch, path, label, sink, err);
		c4w_arena_reset(&scratch);
		if (rc != C4W_OK)
			break;
		rc = check_span(&a->span, path, label, "the span", sink, err);
		if (rc != C4W_OK)
			break;
		if (a->span.present && a->span.frame == C4W_TF_STEPS)
			SAY("annotations.steps", "seconds", "steps", "an annotation's span is always in seconds");
		shape = !a->span.present ? C4W_TF_STATIC : a->span.has_end ? C4W_TF_INTERVAL : C4W_TF_POINT;
		if (key && shape != key->shape)
			SAY("annotations.shape", shapes[key->shape], shapes[shape], "the span has another shape than the schema says");
		if (a->records.null)
			SAY("annotations.list-null", NULL, NULL, "record_ids is null");
		for (j = 0; j < a->records.n; j++) {
			at = c4w_timef_map_get(&k->records, a->records.v[j]);
			c4w_timef_label(ds, "record", C4W_TF_RECORD_ID, a->records.v[j], text, sizeof text);
			if (at < 0) {
				SAY("annotations.record-unknown", NULL, text, "the annotation names a record that isn't there");
				continue;
			}
			if (a->id.p && c4w_timef_linked(k, C4W_TF_RECORD_ANNOTATION, at, c4w_timef_map_get(&k->annotations, a->id)) < 0)
				SAY("annotations.record-back", NULL, text, "the annotation names a record that doesn't name the annotation");
			C4W_TRY(check_placed(k, a, &ds->records[at], path, label, sink, err));
		}
	}
	c4w_arena_clear(&scratch);
	return rc;
}

/* ---- tasks ---- */

static int task_span(const struct c4w_timef_check *k, const struct c4w_timef_task *t, const struct c4w_timef_span *p, const char *name,
		     const char *path, const char *label, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	const struct c4w_timef *ds = k->ds;
	const struct c4w_timef_series *s;
	char text[200];
	uint32_t i, j;
	bool own;
	long at;

	if (!p->present)
		return C4W_OK;
	C4W_TRY(check_span(p, path, label, name, sink, err));
	for (i = 0; i < p->series.n; i++) {
		at = c4w_timef_map_get(&k->series, p->series.v[i]);
		c4w_timef_label(ds, "series", C4W_TF_SERIES_ID, p->series.v[i], text, sizeof text);
		if (at < 0) {
			SAY("task.series-unknown", NULL, text, "%s names a series that isn't there", name);
			continue;
		}
		s = &ds->series[at];
		for (j = 0, own = t->records.n == 0; j < t->records.n && !own; j++) {
			at = c4w_timef_map_get(&k->records, t->records.v[j]);
			own = at >= 0 && c4w_timef_series_in(k, &ds->records[at], p->series.v[i]);
		}
		if (!own)
			SAY("task.series-elsewhere", NULL, text, "%s names a series of none of the task's records", name);
		if ((p->frame == C4W_TF_STEPS) != (s->axis == C4W_TF_ORDINAL))
			SAY("task.series-frame", NULL, text, "%s", p->frame == C4W_TF_STEPS ? "steps of a series that has times" : "times of a series that has none");
		else if (p->frame == C4W_TF_STEPS && p->has_start && s->has_n && (p->has_end ? p->end > s->n_values : p->start >= s->n_values))
			SAY("task.steps-beyond", NULL, text, "%s goes beyond the series", name);
	}
	return C4W_OK;
}

static int known_records(const struct c4w_timef_check *k, const struct c4w_timef_ids *ids, const char *name, const char *path, const char *label,
			 struct c4w_timef_sink *sink, struct c4w_err *err)
{
	char text[200];
	uint32_t i;

	for (i = 0; i < ids->n; i++)
		if (c4w_timef_map_get(&k->records, ids->v[i]) < 0)
			SAY("task.record-unknown", NULL, c4w_timef_label(k->ds, "record", C4W_TF_RECORD_ID, ids->v[i], text, sizeof text),
			    "%s names a record that isn't there", name);
	return C4W_OK;
}

static int known_record(const struct c4w_timef_check *k, struct c4w_view id, const char *name, const char *path, const char *label,
			struct c4w_timef_sink *sink, struct c4w_err *err)
{
	struct c4w_timef_ids one = { .v = &id, .n = id.p != NULL };

	return known_records(k, &one, name, path, label, sink, err);
}

static int known_annotations(const struct c4w_timef_check *k, const struct c4w_timef_ids *ids, const char *name, const char *path,
			     const char *label, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	char text[200];
	uint32_t i;

	for (i = 0; i < ids->n; i++)
		if (c4w_timef_map_get(&k->annotations, ids->v[i]) < 0)
			SAY("task.annotation-unknown", NULL, c4w_timef_label(k->ds, "annotation", C4W_TF_ANNOTATION_ID, ids->v[i], text, sizeof text),
			    "%s names an annotation that isn't there", name);
	return C4W_OK;
}

/* A forecast's scope must not reach past the start of its target on a series that both are about. */
static int check_forecast(const struct c4w_timef_check *k, const struct c4w_timef_task *t, const char *path, const char *label,
			  struct c4w_timef_sink *sink, struct c4w_err *err)
{
	const struct c4w_timef_span *g = &t->target_span, *s = &t->scope;
	bool share;
	uint32_t i;

	if ((t->target_record.p != NULL) == g->present) {
		SAY("task.forecast-target", "target_record_id or target_span", NULL, "a forecast has %s", g->present ? "both targets" : "no target");
		return C4W_OK;
	}
	if (t->target_record.p) {
		if (t->context.n == 0)
			SAY("task.forecast-context", NULL, NULL, "a forecast of a record has no context records");
		else if (c4w_timef_has_id(&t->context, t->target_record))
			SAY("task.forecast-context", NULL, NULL, "the context of a forecast contains its target");
		return known_record(k, t->target_record, "target_record_id", path, label, sink, err);
	}
	C4W_TRY(task_span(k, t, g, "target_span", path, label, sink, err));
	if (!g->has_end)
		SAY("task.forecast-interval", NULL, NULL, "the target_span of a forecast is a point");
	if (t->context.n)
		SAY("task.forecast-context", NULL, NULL, "a forecast of a span has context records");
	if (!s->present)
		return C4W_OK;
	if (s->frame != g->frame) {
		SAY("task.forecast-frame", NULL, NULL, "scope and target_span are counted in different frames");
		return C4W_OK;
	}
	share = s->series.null || g->series.null;
	for (i = 0; i < s->series.n && !share; i++)
		share = s->series.v[i].p && c4w_timef_has_id(&g->series, s->series.v[i]);
	if (share && (s->has_end ? s->end > g->start : s->start >= g->start))
		SAY("task.forecast-leak", NULL, NULL, "the scope of a forecast reaches into its target");
	return C4W_OK;
}

static int check_payload(const struct c4w_timef_check *k, const struct c4w_timef_task *t, const char *path, const char *label,
			 struct c4w_timef_sink *sink, struct c4w_err *err)
{
	char text[100];
	bool inline_target = false, record_target = false;
	uint32_t i;

	switch (t->type) {
	case C4W_TF_ANSWER:
	case C4W_TF_CLASSIFICATION:
		inline_target = t->target.p != NULL;
		break;
	case C4W_TF_SCALAR_PREDICTION:
		inline_target = t->has_scalar;
		if (t->unit.p && !c4w_timef_unit_known(t->unit))
			SAY("task.unit", NULL, c4w_str_escape(text, sizeof text, t->unit.p, t->unit.n), "the unit of a scalar is not a known one");
		break;
	case C4W_TF_TEMPORAL_LOCALIZATION:
		inline_target = !t->spans_null;
		if (!c4w_view_eqz(t->mode, "sparse") && !c4w_view_eqz(t->mode, "exhaustive"))
			SAY("task.mode", "sparse or exhaustive", t->mode.p ? c4w_str_escape(text, sizeof text, t->mode.p, t->mode.n) : "null", "unknown mode");
		for (i = 0; i < t->nspans; i++) {
			if (!t->spans[i].present) {
				SAY("span.start-null", NULL, NULL, "a target is null");
				continue;
			}
			if (t->spans[i].frame == C4W_TF_STEPS)
				SAY("task.target-steps", "seconds", "steps", "a localization target is always in seconds");
			C4W_TRY(task_span(k, t, &t->spans[i], "a target", path, label, sink, err));
		}
		break;
	case C4W_TF_FORECASTING:
		record_target = t->target_record.p || t->target_span.present;
		C4W_TRY(known_records(k, &t->context, "context_record_ids", path, label, sink, err));
		C4W_TRY(check_forecast(k, t, path, label, sink, err));
		break;
	case C4W_TF_TS_EDITING:
	case C4W_TF_TS_GENERATION:
		record_target = t->target_record.p != NULL;
		C4W_TRY(known_record(k, t->target_record, "target_record_id", path, label, sink, err));
		C4W_TRY(known_record(k, t->source_record, "source_record_id", path, label, sink, err));
		if (t->type == C4W_TF_TS_EDITING && !t->source_record.p)
			SAY("task.source-null", NULL, NULL, "an editing task has no source_record_id");
		break;
	default:
		inline_target = !t->target_ids.null || !t->target_series.null;
		C4W_TRY(known_records(k, &t->candidates, "candidate_record_ids", path, label, sink, err));
		C4W_TRY(known_records(k, &t->target_ids, "target", path, label, sink, err));
		if (!t->target_ids.null && t->target_ids.n == 0)
			SAY("task.target-empty", NULL, NULL, "the target of a correspondence is an empty list");
		for (i = 0; i < t->target_ids.n && t->candidates.n; i++)
			if (t->target_ids.v[i].p && !c4w_timef_has_id(&t->candidates, t->target_ids.v[i]))
				SAY("task.target-candidate", NULL, NULL, "a target of a correspondence is not among its candidates");
		if (!t->target_series.null && t->target_series.n == 0)
			SAY("task.target-series-empty", NULL, NULL, "target_time_series_ids is an empty list");
		for (i = 0; i < t->target_series.n; i++)
			if (c4w_timef_map_get(&k->series, t->target_series.v[i]) < 0)
				SAY("task.series-unknown", NULL, NULL, "target_time_series_ids names a series that isn't there");
		break;
	}
	i = (uint32_t)inline_target + record_target + (t->targets.n > 0);
	if (i != 1)
		SAY("task.answers", "one answer", i ? "several" : "none", "a task has one answer: a target, annotations, or a record");
	return C4W_OK;
}

/* Is there a way back to a task along from_task_ids? Colours: 0 not seen, 1 on the way, 2 done. Without recursion. */
static int check_cycles(const struct c4w_timef_check *k, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	const struct c4w_timef *ds = k->ds;
	uint8_t *colour = calloc(ds->ntasks + 1, 1);
	uint32_t *stack = calloc(ds->ntasks + 1, sizeof *stack), *next = calloc(ds->ntasks + 1, sizeof *next);
	char label[200];
	size_t i, depth;
	int rc = colour && stack && next ? C4W_OK : c4w_fail_memory(err, ds->ntasks * 9);

	for (i = 0; i < ds->ntasks && rc == C4W_OK; i++) {
		if (colour[i])
			continue;
		depth = 0;
		stack[depth++] = (uint32_t)i;
		colour[i] = 1;
		while (depth && rc == C4W_OK) {
			uint32_t at = stack[depth - 1];
			const struct c4w_timef_task *t = &ds->tasks[at];
			long to;

			if (next[at] >= t->from.n) {
				colour[at] = 2;
				depth--;
				continue;
			}
			to = c4w_timef_map_get(&k->tasks, t->from.v[next[at]++]);
			if (to < 0 || colour[to] == 2)
				continue;
			if (colour[to] == 1)
				rc = c4w_timef_fault(sink, err, (uint32_t)to == at ? "task.derives-itself" : "task.cycle", path_of(ds, t->file),
						     c4w_timef_label(ds, "task", C4W_TF_TASK_ID, t->id, label, sizeof label), NULL, NULL,
						     (uint32_t)to == at ? "a task derives from itself" : "tasks derive from each other in a circle");
			else {
				colour[to] = 1;
				stack[depth++] = (uint32_t)to;
			}
		}
	}
	free(colour);
	free(stack);
	free(next);
	return rc;
}

int c4w_timef_check_tasks(const struct c4w_timef_check *k, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	const struct c4w_timef *ds = k->ds;
	char label[200], text[200];
	const char *path;
	uint32_t j;
	size_t i;

	for (i = 0; i < ds->ntasks; i++) {
		const struct c4w_timef_task *t = &ds->tasks[i];

		path = path_of(ds, t->file);
		c4w_timef_label(ds, "task", C4W_TF_TASK_ID, t->id, label, sizeof label);
		if (!t->id.p)
			SAY("task.id-null", NULL, NULL, "row %lld has no id", (long long)t->row);
		else if (c4w_timef_map_get(&k->tasks, t->id) != (long)i)
			SAY("task.id-repeated", NULL, NULL, "two tasks have one id");
		if (ds->m.schema != C4W_JSON_NONE && !(ds->m.task_types >> t->type & 1))
			SAY("task.type-undeclared", NULL, c4w_timef_task_type_name(t->type), "the task's type is not in schema.tasks");
		if (t->records.null || t->from.null || t->inputs.null || t->targets.null)
			SAY("task.list-null", NULL, NULL, "record_ids, from_task_ids, input_ or target_annotation_ids is null");
		C4W_TRY(known_records(k, &t->records, "record_ids", path, label, sink, err));
		C4W_TRY(known_annotations(k, &t->inputs, "input_annotation_ids", path, label, sink, err));
		C4W_TRY(known_annotations(k, &t->targets, "target_annotation_ids", path, label, sink, err));
		for (j = 0; j < t->from.n; j++)
			if (c4w_timef_map_get(&k->tasks, t->from.v[j]) < 0)
				SAY("task.from-unknown", NULL, c4w_timef_label(ds, "task", C4W_TF_TASK_ID, t->from.v[j], text, sizeof text),
				    "from_task_ids names a task that isn't there");
		C4W_TRY(task_span(k, t, &t->scope, "scope", path, label, sink, err));
		C4W_TRY(check_payload(k, t, path, label, sink, err));
	}
	return check_cycles(k, sink, err);
}
