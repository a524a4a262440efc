/* Control tables (formats/timef.md, 4, 5 and 7): Parquet columns become rows. What is null, absent or odd is kept as such; whether it
 * is allowed is decided in timef_check.c, so that views can show damaged data sets too. */
#include "containers/pq.h"
#include "families/timef_impl.h"

#define NO_GROUP SIZE_MAX /* a part without row groups: its columns are looked at all the same */

enum want { ID, TEXT, I32, I64, F64 };

struct load {
	struct c4w_timef *ds;
	struct c4w_timef_sink *sink;
	struct c4w_err *err;
	struct c4w_pq_worker *worker;
	const struct c4w_timef_part *part;
	uint32_t part_no;
	size_t group;
	bool failed; /* a column of this part couldn't be read; the sink knows */
};

static const char *part_path(const struct load *l)
{
	return l->ds->m.files[l->part->file].z;
}

/* Room for `more` further elements; geometric. */
static int grow(void **p, size_t *cap, size_t n, size_t more, size_t size, struct c4w_err *err)
{
	size_t want = n + more;
	void *q;

	if (want <= *cap)
		return C4W_OK;
	if (want < *cap + *cap / 2)
		want = *cap + *cap / 2;
	q = want > SIZE_MAX / size ? NULL : realloc(*p, want * size);
	if (!q)
		return c4w_fail_memory(err, want);
	memset((char *)q + *cap * size, 0, (want - *cap) * size);
	*p = q;
	*cap = want;
	return C4W_OK;
}

/* Are all texts of a column UTF-8? Views show them as they are; who checks is told. */
static int check_utf8(struct load *l, const char *name, const struct c4w_batch *b)
{
	const struct c4w_batch *d = b->indices ? b->dict : b;
	size_t i, n;

	if (!l->sink || b->phys != C4W_PHYS_BYTES)
		return C4W_OK;
	for (i = 0; i < d->n; i++) {
		const uint8_t *p = c4w_batch_valid(d, i) ? c4w_batch_bytes(d, i, &n) : NULL;

		if (p && !c4w_utf8_valid((const char *)p, n))
			return c4w_timef_fault(l->sink, l->err, "table.utf8", part_path(l), NULL, NULL, NULL, "column '%s' holds a text that is not UTF-8", name);
	}
	return C4W_OK;
}

/* Read a column of the current row group. A missing one gives an empty batch (and a fault when it is required). */
static int column(struct load *l, const char *name, enum want want, unsigned lists, bool required, struct c4w_batch *out)
{
	static const char *const wants[] = { "text or 16 bytes", "text", "INT32", "INT64", "DOUBLE" };
	struct c4w_pq_opts opts = { .keep_dict = true, .structs = true };
	const struct c4w_pq_node *leaf;
	struct c4w_err local = { 0 };
	size_t c;
	bool good;
	int rc;

	memset(out, 0, sizeof *out);
	rc = c4w_pq_column(l->part->pq, name, &c, &local);
	if (rc == C4W_UNKNOWN) {
		if (!required)
			return C4W_OK;
		l->failed = true;
		return c4w_timef_fault(l->sink, l->err, "table.column-missing", part_path(l), NULL, name, "absent", "column '%s' is missing", name);
	}
	if (rc == C4W_OK) {
		leaf = c4w_pq_leaf(l->part->pq, c);
		good = leaf->max_rep == lists &&
		       (want == I32 ? leaf->type == C4W_PQ_INT32 : want == I64 ? leaf->type == C4W_PQ_INT64 :
			want == F64 ? leaf->type == C4W_PQ_DOUBLE : leaf->type == C4W_PQ_BYTE_ARRAY ||
				      (want == ID && leaf->type == C4W_PQ_FIXED && leaf->type_length == 16));
		if (!good)
			rc = C4W_USAGE;
	}
	if (rc == C4W_USAGE) {
		l->failed = true;
		return c4w_timef_fault(l->sink, l->err, "table.column-type", part_path(l), NULL, wants[want], NULL,
				       "column '%s' has another type", name);
	}
	if (rc == C4W_OK && l->group == NO_GROUP)
		return C4W_OK;
	if (rc == C4W_OK)
		rc = c4w_pq_read(l->part->pq, l->group, c, &opts, l->worker, &l->ds->arena, out, &local);
	if (rc != C4W_OK) {
		l->failed = true;
		rc = c4w_timef_pass(l->sink, &local, part_path(l), NULL);
		if (rc != C4W_OK && l->err)
			*l->err = local;
		return rc;
	}
	return want == ID || want == TEXT ? check_utf8(l, name, out) : C4W_OK;
}

static bool int_at(const struct c4w_batch *b, size_t i, int64_t *out)
{
	*out = 0;
	if (i >= b->n || !c4w_batch_valid(b, i))
		return false;
	if (b->indices) {
		i = b->indices[i];
		b = b->dict;
	}
	*out = b->phys == C4W_PHYS_INT32 ? ((const int32_t *)b->values)[i] : ((const int64_t *)b->values)[i];
	return true;
}

static bool double_at(const struct c4w_batch *b, size_t i, double *out)
{
	*out = 0;
	if (i >= b->n || !c4w_batch_valid(b, i))
		return false;
	if (b->indices) {
		i = b->indices[i];
		b = b->dict;
	}
	*out = ((const double *)b->values)[i];
	return true;
}

/* Element j of list level k owns [from, to) below. A column that isn't there has null lists. */
static bool list_at(const struct c4w_batch *b, unsigned k, size_t j, size_t *from, size_t *to)
{
	*from = *to = 0;
	if (k >= b->nlists || j >= b->lists[k].n || !c4w_bit(b->lists[k].validity, j))
		return false;
	*from = (size_t)b->lists[k].offsets[j];
	*to = (size_t)b->lists[k].offsets[j + 1];
	return true;
}

static int ids_at(struct load *l, const struct c4w_batch *b, unsigned level, size_t j, struct c4w_timef_ids *out)
{
	size_t from, to, i;
	void *mem;

	memset(out, 0, sizeof *out);
	if (!list_at(b, level, j, &from, &to)) {
		out->null = true;
		return C4W_OK;
	}
	if (to == from)
		return C4W_OK;
	C4W_TRY(c4w_arena_take(&l->ds->arena, (to - from) * sizeof *out->v, &mem, l->err));
	out->v = mem;
	out->n = (uint32_t)(to - from);
	for (i = from; i < to; i++)
		out->v[i - from] = c4w_batch_view(b, i);
	return C4W_OK;
}

struct span_cols {
	struct c4w_batch start, end, frame, series;
};

static int span_columns(struct load *l, const char *name, unsigned lists, bool required, struct span_cols *c)
{
	char path[96];

	snprintf(path, sizeof path, "%s.start_us", name);
	C4W_TRY(column(l, path, I64, lists, required, &c->start));
	snprintf(path, sizeof path, "%s.end_us", name);
	C4W_TRY(column(l, path, I64, lists, required, &c->end));
	snprintf(path, sizeof path, "%s.time_series_ids", name);
	C4W_TRY(column(l, path, ID, lists + 1, required, &c->series));
	snprintf(path, sizeof path, "%s.frame", name);
	return column(l, path, TEXT, lists, false, &c->frame);
}

/* Slot i of a span's columns (a row, or an element of a list of spans). */
static int span_at(struct load *l, const struct span_cols *c, size_t i, unsigned level, struct c4w_timef_span *s)
{
	const struct c4w_batch *b = &c->start;
	uint32_t k;

	memset(s, 0, sizeof *s);
	if (i >= b->n)
		return C4W_OK;
	s->present = true;
	for (k = 0; k < b->nstructs; k++) /* the innermost group at the leaf's depth is the span itself */
		if (b->structs[k].depth == level && !c4w_bit(b->structs[k].validity, i))
			s->present = false;
	if (!s->present)
		return C4W_OK;
	s->has_start = int_at(b, i, &s->start);
	s->has_end = int_at(&c->end, i, &s->end);
	s->frame_text = c4w_batch_view(&c->frame, i);
	s->frame = s->frame_text.n == 0 || c4w_view_eqz(s->frame_text, "seconds") ? C4W_TF_SECONDS :
		   c4w_view_eqz(s->frame_text, "steps") ? C4W_TF_STEPS : C4W_TF_FRAME_UNKNOWN;
	return ids_at(l, &c->series, level, i, &s->series);
}

/* ---- opening the parts ---- */

static struct c4w_view task_dir(const char *path)
{
	const char *end = strrchr(path, '/'), *start = end;
	struct c4w_view none = { NULL, 0 };

	if (!end)
		return none;
	while (start > path && start[-1] != '/')
		start--;
	if (end - start < 5 || memcmp(start, "task=", 5) != 0)
		return none;
	return (struct c4w_view){ start + 5, (size_t)(end - start) - 5 };
}

static void find_id_storage(struct c4w_timef *ds, const struct c4w_pq *pq)
{
	static const char *const columns[C4W_TF_IDS] = { "record_id", "subject_ids", "time_series.time_series_id", "time_series.source_id",
							 "task_ids", "annotation_ids" };
	size_t c;
	int i;

	for (i = 0; i < C4W_TF_IDS; i++)
		if (c4w_pq_column(pq, columns[i], &c, NULL) == C4W_OK)
			ds->uuid[i] = c4w_pq_leaf(pq, c)->type == C4W_PQ_FIXED;
	ds->ids_known = true;
}

/* The list of parts, none of them opened. */
static int list_parts(struct c4w_timef *ds, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	const struct c4w_timef_manifest *m = &ds->m;
	struct c4w_view type;
	void *mem;
	size_t i;

	if (ds->parts)
		return C4W_OK;
	C4W_TRY(c4w_timef_need_tables(ds, err));
	C4W_TRY(c4w_arena_zero(&ds->arena, m->nfiles + 1, sizeof *ds->parts, &mem, err));
	ds->parts = mem;
	for (i = 0; i < m->nfiles; i++) {
		struct c4w_timef_part *p = &ds->parts[ds->nparts];

		if (m->files[i].kind == C4W_TF_SERIES || m->files[i].kind == C4W_TF_CONTROL)
			continue;
		p->file = (uint32_t)i;
		ds->nparts++;
		if (m->files[i].kind == C4W_TF_TASKS) {
			type = task_dir(m->files[i].z);
			p->task_known = type.p && c4w_timef_task_type_find(type, &p->task_type);
			if (!p->task_known)
				C4W_TRY(c4w_timef_fault(sink, err, "task.partition", m->files[i].z, NULL, "task=<type>", NULL,
							"the part's folder names no known task type"));
		}
	}
	return C4W_OK;
}

int c4w_timef_open_kind(struct c4w_timef *ds, enum c4w_timef_kind kind, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	size_t i;
	int rc;

	C4W_TRY(list_parts(ds, sink, err));
	for (i = 0; i < ds->nparts; i++) {
		struct c4w_timef_part *p = &ds->parts[i];
		const struct c4w_timef_file *f = &ds->m.files[p->file];
		struct c4w_err local = { 0 };
		struct c4w_blob *blob = NULL;

		if (f->kind != kind || p->tried)
			continue;
		p->tried = true;
		rc = c4w_store_open(ds->store, f->z, &blob, &local);
		if (rc == C4W_OK)
			rc = c4w_pq_open(blob, &p->pq, &local);
		c4w_blob_close(blob);
		if (rc != C4W_OK) {
			rc = c4w_timef_pass(sink, &local, f->z, NULL);
			if (rc != C4W_OK) {
				p->tried = false; /* the next who asks is told too */
				if (err)
					*err = local;
				return rc;
			}
			continue;
		}
		if (kind == C4W_TF_RECORDS && !ds->ids_known)
			find_id_storage(ds, p->pq);
	}
	return C4W_OK;
}

int c4w_timef_open_parts(struct c4w_timef *ds, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	int k;

	for (k = C4W_TF_RECORDS; k <= C4W_TF_TASKS; k++)
		C4W_TRY(c4w_timef_open_kind(ds, (enum c4w_timef_kind)k, sink, err));
	return C4W_OK;
}

/* ---- records ---- */

static int records_group(struct load *l, const struct c4w_view *only, size_t *rcap, size_t *scap)
{
	struct c4w_batch id, start, subjects, tasks, annotations, s_spec, s_signal, s_source, s_id, s_axis, s_num, s_den, s_index, s_first,
		s_last, s_n;
	struct c4w_timef *ds = l->ds;
	struct span_cols span;
	size_t i, k, from, to;

	C4W_TRY(column(l, "record_id", ID, 0, true, &id));
	C4W_TRY(column(l, "start_time_us", I64, 0, true, &start));
	C4W_TRY(span_columns(l, "time_span", 0, true, &span));
	C4W_TRY(column(l, "subject_ids", ID, 1, true, &subjects));
	C4W_TRY(column(l, "task_ids", ID, 1, true, &tasks));
	C4W_TRY(column(l, "annotation_ids", ID, 1, true, &annotations));
	C4W_TRY(column(l, "time_series.spec_type", TEXT, 1, true, &s_spec));
	C4W_TRY(column(l, "time_series.signal", TEXT, 1, true, &s_signal));
	C4W_TRY(column(l, "time_series.source_id", ID, 1, true, &s_source));
	C4W_TRY(column(l, "time_series.time_series_id", ID, 1, true, &s_id));
	C4W_TRY(column(l, "time_series.axis_type", TEXT, 1, true, &s_axis));
	C4W_TRY(column(l, "time_series.period_numerator_us", I64, 1, true, &s_num));
	C4W_TRY(column(l, "time_series.period_denominator", I64, 1, true, &s_den));
	C4W_TRY(column(l, "time_series.start_index", I64, 1, true, &s_index));
	C4W_TRY(column(l, "time_series.first_time_offset_us", I64, 1, true, &s_first));
	C4W_TRY(column(l, "time_series.last_time_offset_us", I64, 1, true, &s_last));
	C4W_TRY(column(l, "time_series.n_values", I64, 1, true, &s_n));
	if (l->failed)
		return C4W_OK;
	C4W_TRY(grow((void **)&ds->records, rcap, ds->nrecords, id.rows, sizeof *ds->records, l->err));
	C4W_TRY(grow((void **)&ds->series, scap, ds->nseries, s_id.n, sizeof *ds->series, l->err));
	for (i = 0; i < id.rows; i++) {
		struct c4w_timef_record *r = &ds->records[ds->nrecords];

		memset(r, 0, sizeof *r);
		r->id = c4w_batch_view(&id, i);
		if (only && !c4w_view_eq(*only, r->id))
			continue;
		r->has_start = int_at(&start, i, &r->start);
		C4W_TRY(span_at(l, &span, i, 0, &r->span));
		C4W_TRY(ids_at(l, &subjects, 0, i, &r->subjects));
		C4W_TRY(ids_at(l, &tasks, 0, i, &r->tasks));
		C4W_TRY(ids_at(l, &annotations, 0, i, &r->annotations));
		r->series_null = !list_at(&s_id, 0, i, &from, &to);
		r->series_first = ds->nseries;
		r->series_count = (uint32_t)(to - from);
		r->file = l->part->file;
		r->row = c4w_pq_group_first(l->part->pq, l->group) + (int64_t)i;
		for (k = from; k < to; k++) {
			struct c4w_timef_series *s = &ds->series[ds->nseries++];

			memset(s, 0, sizeof *s);
			s->record = (uint32_t)ds->nrecords;
			s->id = c4w_batch_view(&s_id, k);
			s->spec_type = c4w_batch_view(&s_spec, k);
			s->signal = c4w_batch_view(&s_signal, k);
			s->source_id = c4w_batch_view(&s_source, k);
			s->axis_text = c4w_batch_view(&s_axis, k);
			s->axis = c4w_view_eqz(s->axis_text, "regular") ? C4W_TF_REGULAR :
				  c4w_view_eqz(s->axis_text, "irregular") ? C4W_TF_IRREGULAR :
				  c4w_view_eqz(s->axis_text, "ordinal") ? C4W_TF_ORDINAL : C4W_TF_AXIS_UNKNOWN;
			s->has_num = int_at(&s_num, k, &s->num);
			s->has_den = int_at(&s_den, k, &s->den);
			s->has_start = int_at(&s_index, k, &s->start_index);
			s->has_first = int_at(&s_first, k, &s->first);
			s->has_last = int_at(&s_last, k, &s->last);
			s->has_n = int_at(&s_n, k, &s->n_values);
			s->spec = s->spec_type.p ? (int32_t)c4w_timef_spec_find(&ds->m, s->spec_type) : -1;
		}
		ds->nrecords++;
	}
	return C4W_OK;
}

/* ---- the index ---- */

static int index_group(struct load *l, const struct c4w_view *only, size_t *cap)
{
	struct c4w_batch record, series, spec, signal, idx, file, major, minor, n;
	struct c4w_timef *ds = l->ds;
	size_t i;

	C4W_TRY(column(l, "record_id", ID, 0, true, &record));
	C4W_TRY(column(l, "time_series_id", ID, 0, true, &series));
	C4W_TRY(column(l, "spec_type", TEXT, 0, true, &spec));
	C4W_TRY(column(l, "signal", TEXT, 0, true, &signal));
	C4W_TRY(column(l, "chunk_idx", I32, 0, true, &idx));
	C4W_TRY(column(l, "chunk_file", TEXT, 0, true, &file));
	C4W_TRY(column(l, "chunk_major_idx", I64, 0, true, &major));
	C4W_TRY(column(l, "chunk_minor_idx", I64, 0, true, &minor));
	C4W_TRY(column(l, "n_values", I32, 0, true, &n));
	if (l->failed)
		return C4W_OK;
	C4W_TRY(grow((void **)&ds->chunks, cap, ds->nchunks, record.rows, sizeof *ds->chunks, l->err));
	for (i = 0; i < record.rows; i++) {
		struct c4w_timef_chunk *c = &ds->chunks[ds->nchunks];

		memset(c, 0, sizeof *c);
		c->record = c4w_batch_view(&record, i);
		if (only && !c4w_view_eq(*only, c->record))
			continue;
		c->series = c4w_batch_view(&series, i);
		c->spec_type = c4w_batch_view(&spec, i);
		c->signal = c4w_batch_view(&signal, i);
		c->file = c4w_batch_view(&file, i);
		c->has_idx = int_at(&idx, i, &c->idx);
		c->has_major = int_at(&major, i, &c->major);
		c->has_minor = int_at(&minor, i, &c->minor);
		c->has_n = int_at(&n, i, &c->n_values);
		c->part = l->part->file;
		c->row = c4w_pq_group_first(l->part->pq, l->group) + (int64_t)i;
		ds->nchunks++;
	}
	return C4W_OK;
}

/* ---- annotations ---- */

static int annotations_group(struct load *l, size_t *cap)
{
	struct c4w_batch id, key, value, source, records;
	struct c4w_timef *ds = l->ds;
	struct span_cols span;
	size_t i;

	C4W_TRY(column(l, "id", ID, 0, true, &id));
	C4W_TRY(column(l, "key", TEXT, 0, true, &key));
	C4W_TRY(column(l, "value", TEXT, 0, true, &value));
	C4W_TRY(column(l, "source", TEXT, 0, false, &source));
	C4W_TRY(span_columns(l, "span", 0, true, &span));
	C4W_TRY(column(l, "record_ids", ID, 1, true, &records));
	if (l->failed)
		return C4W_OK;
	C4W_TRY(grow((void **)&ds->annotations, cap, ds->nannotations, id.rows, sizeof *ds->annotations, l->err));
	for (i = 0; i < id.rows; i++) {
		struct c4w_timef_annotation *a = &ds->annotations[ds->nannotations++];

		memset(a, 0, sizeof *a);
		a->id = c4w_batch_view(&id, i);
		a->key = c4w_batch_view(&key, i);
		a->value = c4w_batch_view(&value, i);
		a->source = c4w_batch_view(&source, i);
		C4W_TRY(span_at(l, &span, i, 0, &a->span));
		C4W_TRY(ids_at(l, &records, 0, i, &a->records));
		a->file = l->part->file;
		a->row = c4w_pq_group_first(l->part->pq, l->group) + (int64_t)i;
	}
	return C4W_OK;
}

/* ---- tasks ---- */

static int localization(struct load *l, const struct span_cols *c, size_t row, struct c4w_timef_task *t)
{
	size_t from, to, i;
	void *mem;

	t->spans_null = !list_at(&c->start, 0, row, &from, &to);
	if (to == from)
		return C4W_OK;
	C4W_TRY(c4w_arena_zero(&l->ds->arena, to - from, sizeof *t->spans, &mem, l->err));
	t->spans = mem;
	t->nspans = (uint32_t)(to - from);
	for (i = from; i < to; i++)
		C4W_TRY(span_at(l, c, i, 1, &t->spans[i - from]));
	return C4W_OK;
}

static int tasks_group(struct load *l, size_t *cap)
{
	struct c4w_batch id, records, from, prompt, inputs, targets, rationale, target = { 0 }, extra[3] = { { 0 } }, ids[3] = { { 0 } };
	struct span_cols scope, span = { 0 };
	struct c4w_timef *ds = l->ds;
	enum c4w_timef_task_type type = l->part->task_type;
	size_t i;

	C4W_TRY(column(l, "id", ID, 0, true, &id));
	C4W_TRY(column(l, "record_ids", ID, 1, true, &records));
	C4W_TRY(column(l, "from_task_ids", ID, 1, true, &from));
	C4W_TRY(column(l, "prompt", TEXT, 0, true, &prompt));
	C4W_TRY(span_columns(l, "scope", 0, true, &scope));
	C4W_TRY(column(l, "input_annotation_ids", ID, 1, true, &inputs));
	C4W_TRY(column(l, "target_annotation_ids", ID, 1, true, &targets));
	C4W_TRY(column(l, "rationale", TEXT, 0, true, &rationale));
	switch (type) {
	case C4W_TF_CLASSIFICATION:
		C4W_TRY(column(l, "target_schema", TEXT, 0, false, &extra[0]));
		C4W_TRY(column(l, "target", TEXT, 0, false, &target));
		break;
	case C4W_TF_ANSWER:
		C4W_TRY(column(l, "target", TEXT, 0, false, &target));
		break;
	case C4W_TF_SCALAR_PREDICTION:
		C4W_TRY(column(l, "target", F64, 0, false, &target));
		C4W_TRY(column(l, "unit", TEXT, 0, false, &extra[0]));
		C4W_TRY(column(l, "target_name", TEXT, 0, false, &extra[1]));
		break;
	case C4W_TF_TEMPORAL_LOCALIZATION:
		C4W_TRY(span_columns(l, "target", 1, false, &span));
		C4W_TRY(column(l, "mode", TEXT, 0, false, &extra[0]));
		break;
	case C4W_TF_FORECASTING:
		C4W_TRY(column(l, "context_record_ids", ID, 1, false, &ids[0]));
		C4W_TRY(column(l, "target_record_id", ID, 0, false, &extra[0]));
		C4W_TRY(span_columns(l, "target_span", 0, false, &span));
		break;
	case C4W_TF_TS_EDITING:
		C4W_TRY(column(l, "source_record_id", ID, 0, false, &extra[1]));
		C4W_TRY(column(l, "target_record_id", ID, 0, false, &extra[0]));
		break;
	case C4W_TF_TS_GENERATION:
		C4W_TRY(column(l, "target_record_id", ID, 0, false, &extra[0]));
		break;
	default:
		C4W_TRY(column(l, "candidate_record_ids", ID, 1, false, &ids[0]));
		C4W_TRY(column(l, "target", ID, 1, false, &ids[1]));
		C4W_TRY(column(l, "target_time_series_ids", ID, 1, false, &ids[2]));
		break;
	}
	if (l->failed)
		return C4W_OK;
	C4W_TRY(grow((void **)&ds->tasks, cap, ds->ntasks, id.rows, sizeof *ds->tasks, l->err));
	for (i = 0; i < id.rows; i++) {
		struct c4w_timef_task *t = &ds->tasks[ds->ntasks++];

		memset(t, 0, sizeof *t);
		t->type = type;
		t->id = c4w_batch_view(&id, i);
		t->prompt = c4w_batch_view(&prompt, i);
		t->rationale = c4w_batch_view(&rationale, i);
		C4W_TRY(ids_at(l, &records, 0, i, &t->records));
		C4W_TRY(ids_at(l, &from, 0, i, &t->from));
		C4W_TRY(ids_at(l, &inputs, 0, i, &t->inputs));
		C4W_TRY(ids_at(l, &targets, 0, i, &t->targets));
		C4W_TRY(span_at(l, &scope, i, 0, &t->scope));
		t->file = l->part->file;
		t->row = c4w_pq_group_first(l->part->pq, l->group) + (int64_t)i;
		t->context.null = t->candidates.null = t->target_ids.null = t->target_series.null = true;
		t->spans_null = true;
		switch (type) {
		case C4W_TF_CLASSIFICATION:
			t->target_schema = c4w_batch_view(&extra[0], i);
			t->target = c4w_batch_view(&target, i);
			break;
		case C4W_TF_ANSWER:
			t->target = c4w_batch_view(&target, i);
			break;
		case C4W_TF_SCALAR_PREDICTION:
			t->has_scalar = double_at(&target, i, &t->scalar);
			t->unit = c4w_batch_view(&extra[0], i);
			t->target_name = c4w_batch_view(&extra[1], i);
			break;
		case C4W_TF_TEMPORAL_LOCALIZATION:
			C4W_TRY(localization(l, &span, i, t));
			t->mode = c4w_batch_view(&extra[0], i);
			break;
		case C4W_TF_FORECASTING:
			C4W_TRY(ids_at(l, &ids[0], 0, i, &t->context));
			t->target_record = c4w_batch_view(&extra[0], i);
			C4W_TRY(span_at(l, &span, i, 0, &t->target_span));
			break;
		case C4W_TF_TS_EDITING:
		case C4W_TF_TS_GENERATION:
			t->source_record = c4w_batch_view(&extra[1], i);
			t->target_record = c4w_batch_view(&extra[0], i);
			break;
		default:
			C4W_TRY(ids_at(l, &ids[0], 0, i, &t->candidates));
			C4W_TRY(ids_at(l, &ids[1], 0, i, &t->target_ids));
			C4W_TRY(ids_at(l, &ids[2], 0, i, &t->target_series));
			break;
		}
	}
	return C4W_OK;
}

/* ---- whole tables ---- */

static int load_table(struct c4w_timef *ds, enum c4w_timef_kind kind, const struct c4w_view *only, struct c4w_timef_sink *sink,
		      struct c4w_err *err)
{
	struct load l = { .ds = ds, .sink = sink, .err = err };
	size_t cap[2] = { 0, 0 }, i, c, g, groups;
	int rc = C4W_OK;

	C4W_TRY(c4w_timef_open_kind(ds, C4W_TF_RECORDS, sink, err)); /* they say how ids are stored */
	C4W_TRY(c4w_timef_open_kind(ds, kind, sink, err));
	C4W_TRY(c4w_pq_worker_new(&l.worker, err));
	for (i = 0; i < ds->nparts && rc == C4W_OK; i++) {
		l.part = &ds->parts[i];
		l.part_no = (uint32_t)i;
		l.failed = false;
		if (ds->m.files[l.part->file].kind != kind || !l.part->pq || (kind == C4W_TF_TASKS && !l.part->task_known))
			continue;
		groups = c4w_pq_groups(l.part->pq);
		for (g = 0; g < (groups ? groups : 1) && rc == C4W_OK; g++) {
			l.group = groups ? g : NO_GROUP;
			if (groups && only && c4w_pq_column(l.part->pq, "record_id", &c, NULL) == C4W_OK &&
			    !c4w_pq_may_hold_bytes(l.part->pq, l.group, c, *only))
				continue;
			switch (kind) {
			case C4W_TF_RECORDS:
				rc = records_group(&l, only, &cap[0], &cap[1]);
				break;
			case C4W_TF_INDEX:
				rc = index_group(&l, only, &cap[0]);
				break;
			case C4W_TF_ANNOTATIONS:
				rc = annotations_group(&l, &cap[0]);
				break;
			default:
				rc = tasks_group(&l, &cap[0]);
				break;
			}
			if (l.failed)
				break; /* said once; the other groups would say it again */
		}
	}
	c4w_pq_worker_free(l.worker);
	return rc;
}

int c4w_timef_load_records(struct c4w_timef *ds, const struct c4w_view *record, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	if (ds->have_records)
		return C4W_OK;
	ds->nrecords = ds->nseries = 0;
	free(ds->records);
	free(ds->series);
	ds->records = NULL;
	ds->series = NULL;
	C4W_TRY(load_table(ds, C4W_TF_RECORDS, record, sink, err));
	ds->have_records = !record;
	return C4W_OK;
}

int c4w_timef_load_index(struct c4w_timef *ds, const struct c4w_view *record, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	if (ds->have_index)
		return C4W_OK;
	ds->nchunks = 0;
	free(ds->chunks);
	ds->chunks = NULL;
	C4W_TRY(c4w_timef_shards_new(ds, err));
	C4W_TRY(load_table(ds, C4W_TF_INDEX, record, sink, err));
	C4W_TRY(c4w_timef_index_ready(ds, err));
	ds->have_index = !record;
	return C4W_OK;
}

int c4w_timef_load_annotations(struct c4w_timef *ds, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	if (ds->have_annotations)
		return C4W_OK;
	C4W_TRY(load_table(ds, C4W_TF_ANNOTATIONS, NULL, sink, err));
	ds->have_annotations = true;
	return C4W_OK;
}

int c4w_timef_load_tasks(struct c4w_timef *ds, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	if (ds->have_tasks)
		return C4W_OK;
	C4W_TRY(load_table(ds, C4W_TF_TASKS, NULL, sink, err));
	ds->have_tasks = true;
	return C4W_OK;
}
