/* Checks of the control tables among themselves: records, index, counts. Annotations and tasks: timef_check_links.c. Values:
 * timef_check_values.c. */
#include "families/timef_check.h"

#include "containers/pq.h"
#include "containers/pq_arrow.h"
#include "families/timef_impl.h"

/* ---- maps ---- */

static uint64_t hash(struct c4w_view v)
{
	uint64_t h = 0x9e3779b97f4a7c15u ^ v.n, w;
	size_t i;

	for (i = 0; i + 8 <= v.n; i += 8) {
		memcpy(&w, v.p + i, 8);
		h = (h ^ w) * 0xff51afd7ed558ccdu;
		h ^= h >> 32;
	}
	w = 0;
	if (v.n > i)
		memcpy(&w, v.p + i, v.n - i);
	h = (h ^ w) * 0xc4ceb9fe1a85ec53u;
	return h ^ h >> 29;
}

void c4w_timef_map_clear(struct c4w_timef_map *m)
{
	free(m->v);
	memset(m, 0, sizeof *m);
}

int c4w_timef_map_add(struct c4w_timef_map *m, struct c4w_view key, uint32_t row, bool *repeated, struct c4w_err *err)
{
	struct c4w_timef_map bigger = { 0 };
	size_t i;

	if (m->n * 3 >= m->cap * 2) {
		bigger.cap = m->cap ? m->cap * 2 : 64;
		bigger.v = calloc(bigger.cap, sizeof *bigger.v);
		if (!bigger.v)
			return c4w_fail_memory(err, bigger.cap * sizeof *bigger.v);
		for (i = 0; i < m->cap; i++)
			if (m->v[i].row)
				C4W_TRY(c4w_timef_map_add(&bigger, m->v[i].key, m->v[i].row - 1, NULL, err));
		free(m->v);
		*m = bigger;
	}
	for (i = hash(key) & (m->cap - 1); m->v[i].row; i = (i + 1) & (m->cap - 1))
		if (c4w_view_eq(m->v[i].key, key)) {
			if (repeated)
				*repeated = true;
			return C4W_OK;
		}
	m->v[i].key = key;
	m->v[i].row = row + 1;
	m->n++;
	if (repeated)
		*repeated = false;
	return C4W_OK;
}

long c4w_timef_map_get(const struct c4w_timef_map *m, struct c4w_view key)
{
	size_t i;

	if (!m->cap || !key.p)
		return -1;
	for (i = hash(key) & (m->cap - 1); m->v[i].row; i = (i + 1) & (m->cap - 1))
		if (c4w_view_eq(m->v[i].key, key))
			return (long)m->v[i].row - 1;
	return -1;
}

/* ---- set-up ---- */

static int cmp_i64(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int cmp_place(const void *a, const void *b, void *ctx)
{
	const struct c4w_timef_chunk *chunks = ((const struct c4w_timef *)ctx)->chunks;
	const struct c4w_timef_chunk *x = &chunks[((const struct c4w_timef_place *)a)->chunk], *y = &chunks[((const struct c4w_timef_place *)b)->chunk];
	int k = c4w_view_cmp(x->file, y->file);

	k = k ? k : cmp_i64(x->major, y->major);
	k = k ? k : cmp_i64(x->minor, y->minor);
	return k ? k : cmp_i64(((const struct c4w_timef_place *)a)->chunk, ((const struct c4w_timef_place *)b)->chunk);
}

static int find_places(struct c4w_timef_check *k, struct c4w_err *err)
{
	struct c4w_timef *ds = k->ds;
	size_t i, j, n = 0;

	k->places = calloc(ds->nchunks + 1, sizeof *k->places);
	if (!k->places)
		return c4w_fail_memory(err, ds->nchunks * sizeof *k->places);
	for (i = 0; i < ds->nchunks; i = j) {
		long s = c4w_timef_map_get(&k->series, ds->chunks[i].series);

		for (j = i; j < ds->nchunks && c4w_view_eq(ds->chunks[j].record, ds->chunks[i].record) &&
			    c4w_view_eq(ds->chunks[j].series, ds->chunks[i].series);
		     j++) {
			k->places[n].chunk = (uint32_t)j;
			k->places[n].series = s < 0 ? UINT32_MAX : (uint32_t)s;
			k->places[n].nth = (uint32_t)(j - i);
			n++;
		}
		for (size_t t = n - (j - i); t < n; t++)
			k->places[t].of = (uint32_t)(j - i);
	}
	qsort_r(k->places, n, sizeof *k->places, cmp_place, ds);
	k->nplaces = n;
	return C4W_OK;
}

static int cmp_link(const void *a, const void *b)
{
	const struct c4w_timef_link *x = a, *y = b;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	if (x->b != y->b)
		return x->b < y->b ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

/* The first link that is not before (a, b). */
static size_t link_from(const struct c4w_timef_check *k, enum c4w_timef_link_kind kind, long a, long b)
{
	struct c4w_timef_link key = { (uint32_t)a, (uint32_t)b, 0 };
	size_t lo = 0, hi = k->nlinks[kind];

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (cmp_link(&k->links[kind][mid], &key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

long c4w_timef_linked(const struct c4w_timef_check *k, enum c4w_timef_link_kind kind, long a, long b)
{
	size_t at = a < 0 || b < 0 ? SIZE_MAX : link_from(k, kind, a, b);

	if (at >= k->nlinks[kind] || k->links[kind][at].a != (uint32_t)a || k->links[kind][at].b != (uint32_t)b)
		return -1;
	return (long)k->links[kind][at].row;
}

long c4w_timef_linked_twice(const struct c4w_timef_check *k, enum c4w_timef_link_kind kind, long a)
{
	const struct c4w_timef_link *v = k->links[kind];
	size_t i;

	for (i = link_from(k, kind, a, 0); i + 1 < k->nlinks[kind] && v[i + 1].a == (uint32_t)a; i++)
		if (v[i].a == (uint32_t)a && v[i].b == v[i + 1].b)
			return (long)v[i].b;
	return -1;
}

const struct c4w_timef_series *c4w_timef_series_in(const struct c4w_timef_check *k, const struct c4w_timef_record *r, struct c4w_view id)
{
	long at = c4w_timef_linked(k, C4W_TF_RECORD_SERIES, r - k->ds->records, c4w_timef_map_get(&k->series, id));

	return at < 0 ? NULL : &k->ds->series[at];
}

static void add_links(struct c4w_timef_check *k, enum c4w_timef_link_kind kind, size_t a, const struct c4w_timef_ids *ids, const struct c4w_timef_map *to)
{
	uint32_t i;

	for (i = 0; i < ids->n; i++) {
		long b = c4w_timef_map_get(to, ids->v[i]);

		if (b >= 0)
			k->links[kind][k->nlinks[kind]++] = (struct c4w_timef_link){ (uint32_t)a, (uint32_t)b, i };
	}
}

static int find_links(struct c4w_timef_check *k, struct c4w_err *err)
{
	const struct c4w_timef *ds = k->ds;
	size_t n[C4W_TF_LINK_KINDS] = { 0 }, i;
	int kind;

	for (i = 0; i < ds->nrecords; i++)
		n[C4W_TF_RECORD_ANNOTATION] += ds->records[i].annotations.n;
	for (i = 0; i < ds->nannotations; i++)
		n[C4W_TF_ANNOTATION_RECORD] += ds->annotations[i].records.n;
	for (i = 0; i < ds->ntasks; i++)
		n[C4W_TF_TASK_RECORD] += ds->tasks[i].records.n;
	n[C4W_TF_RECORD_SERIES] = ds->nseries;
	for (kind = 0; kind < C4W_TF_LINK_KINDS; kind++) {
		k->links[kind] = calloc(n[kind] + 1, sizeof *k->links[kind]);
		if (!k->links[kind])
			return c4w_fail_memory(err, n[kind] * sizeof *k->links[kind]);
	}
	for (i = 0; i < ds->nrecords; i++)
		add_links(k, C4W_TF_RECORD_ANNOTATION, i, &ds->records[i].annotations, &k->annotations);
	for (i = 0; i < ds->nannotations; i++)
		add_links(k, C4W_TF_ANNOTATION_RECORD, i, &ds->annotations[i].records, &k->records);
	for (i = 0; i < ds->ntasks; i++)
		add_links(k, C4W_TF_TASK_RECORD, i, &ds->tasks[i].records, &k->records);
	for (i = 0; i < ds->nseries; i++) {
		long first = c4w_timef_map_get(&k->series, ds->series[i].id);

		if (first >= 0)
			k->links[C4W_TF_RECORD_SERIES][k->nlinks[C4W_TF_RECORD_SERIES]++] =
				(struct c4w_timef_link){ ds->series[i].record, (uint32_t)first, (uint32_t)i };
	}
	for (kind = 0; kind < C4W_TF_LINK_KINDS; kind++)
		qsort(k->links[kind], k->nlinks[kind], sizeof *k->links[kind], cmp_link);
	return C4W_OK;
}

int c4w_timef_check_new(struct c4w_timef *ds, struct c4w_timef_check *k, struct c4w_err *err)
{
	size_t i;

	memset(k, 0, sizeof *k);
	k->ds = ds;
	if (ds->nrecords > UINT32_MAX - 1 || ds->nseries > UINT32_MAX - 1 || ds->nannotations > UINT32_MAX - 1 || ds->ntasks > UINT32_MAX - 1 ||
	    ds->nchunks > UINT32_MAX - 1)
		return c4w_fail(err, C4W_LIMIT, "more than 2^32 rows in a control table");
	for (i = 0; i < ds->nrecords; i++)
		if (ds->records[i].id.p)
			C4W_TRY(c4w_timef_map_add(&k->records, ds->records[i].id, (uint32_t)i, NULL, err));
	for (i = 0; i < ds->nseries; i++)
		if (ds->series[i].id.p)
			C4W_TRY(c4w_timef_map_add(&k->series, ds->series[i].id, (uint32_t)i, NULL, err));
	for (i = 0; i < ds->nannotations; i++)
		if (ds->annotations[i].id.p)
			C4W_TRY(c4w_timef_map_add(&k->annotations, ds->annotations[i].id, (uint32_t)i, NULL, err));
	for (i = 0; i < ds->ntasks; i++)
		if (ds->tasks[i].id.p)
			C4W_TRY(c4w_timef_map_add(&k->tasks, ds->tasks[i].id, (uint32_t)i, NULL, err));
	C4W_TRY(find_links(k, err));
	return find_places(k, err);
}

void c4w_timef_check_clear(struct c4w_timef_check *k)
{
	int i;

	c4w_timef_map_clear(&k->records);
	c4w_timef_map_clear(&k->series);
	c4w_timef_map_clear(&k->annotations);
	c4w_timef_map_clear(&k->tasks);
	free(k->places);
	for (i = 0; i < C4W_TF_LINK_KINDS; i++)
		free(k->links[i]);
	memset(k, 0, sizeof *k);
}

/* ---- parts: columns, statistics ---- */

static const char *const record_columns[] = { "record_id", "start_time_us", "time_span", "subject_ids", "time_series", "task_ids", "annotation_ids", NULL };
static const char *const series_columns[] = { "spec_type", "signal", "source_id", "time_series_id", "axis_type", "period_numerator_us",
					      "period_denominator", "start_index", "first_time_offset_us", "last_time_offset_us", "n_values", NULL };
static const char *const span_columns[] = { "start_us", "end_us", "time_series_ids", "frame", NULL };
static const char *const annotation_columns[] = { "id", "key", "value", "source", "span", "record_ids", NULL };
static const char *const index_columns[] = { "record_id", "time_series_id", "spec_type", "signal", "chunk_idx", "chunk_file", "chunk_major_idx",
					     "chunk_minor_idx", "n_values", NULL };
static const char *const shard_columns[] = { "time_series_id", "spec_type", "signal", "chunk_idx", "n_values", "values", "time_offsets_us", NULL };
static const char *const task_columns[] = { "id", "record_ids", "from_task_ids", "prompt", "scope", "input_annotation_ids", "target_annotation_ids",
					    "rationale", NULL };
static const char *const payloads[C4W_TF_TASK_TYPES][4] = {
	[C4W_TF_ANSWER] = { "target" },
	[C4W_TF_CLASSIFICATION] = { "target", "target_schema" },
	[C4W_TF_FORECASTING] = { "context_record_ids", "target_record_id", "target_span" },
	[C4W_TF_SCALAR_PREDICTION] = { "target", "unit", "target_name" },
	[C4W_TF_TEMPORAL_LOCALIZATION] = { "target", "mode" },
	[C4W_TF_TS_CORRESPONDENCE] = { "candidate_record_ids", "target", "target_time_series_ids" },
	[C4W_TF_TS_EDITING] = { "source_record_id", "target_record_id" },
	[C4W_TF_TS_GENERATION] = { "target_record_id" },
};

static bool in(struct c4w_view v, const char *const *words)
{
	for (; *words; words++)
		if (c4w_view_eqz(v, *words))
			return true;
	return false;
}

static int extra(const char *path, struct c4w_view name, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	char text[128];

	return c4w_timef_fault(sink, err, "table.extra-column", path, NULL, NULL, c4w_str_escape(text, sizeof text, name.p, name.n),
			       "a column that TimeF doesn't have");
}

static int repeated(const struct c4w_pq *pq, const struct c4w_pq_node *n, const char *path, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	struct c4w_timef_map names = { 0 };
	char text[128];
	bool twice;
	uint32_t c;
	int rc = C4W_OK;

	for (c = n->first_child; c && rc == C4W_OK; c = c4w_pq_node(pq, c)->next) {
		struct c4w_view name = c4w_pq_node(pq, c)->name;

		rc = c4w_timef_map_add(&names, name, c, &twice, err);
		if (rc == C4W_OK && twice)
			rc = c4w_timef_fault(sink, err, "table.column-repeated", path, NULL, NULL, c4w_str_escape(text, sizeof text, name.p, name.n),
					     "two columns have one name");
	}
	c4w_timef_map_clear(&names);
	return rc;
}

/* The children of the node that is (or holds, when it is a list) a struct. */
static int children(const struct c4w_pq *pq, uint32_t node, const char *const *known, const char *path, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	const struct c4w_pq_node *n = c4w_pq_node(pq, node);
	uint32_t c;

	if (n->shape == C4W_PQ_LISTS)
		n = c4w_pq_node(pq, node = n->element);
	if (n->shape != C4W_PQ_STRUCT)
		return C4W_OK;
	for (c = n->first_child; c; c = c4w_pq_node(pq, c)->next)
		if (!in(c4w_pq_node(pq, c)->name, known))
			C4W_TRY(extra(path, c4w_pq_node(pq, c)->name, sink, err));
	return repeated(pq, n, path, sink, err);
}

/* Do the columns beyond the common ones belong to another task type than the folder says? */
static bool other_type(const struct c4w_pq *pq, enum c4w_timef_task_type type)
{
	unsigned present, want, t, own_missing = 0, c;
	size_t i;

	for (i = 0; i < 4 && payloads[type][i]; i++)
		own_missing += c4w_pq_find(pq, payloads[type][i], &c, NULL) != C4W_OK;
	for (t = 0; t < C4W_TF_TASK_TYPES; t++) {
		if (t == type)
			continue;
		for (i = 0, present = 0, want = 0; i < 4 && payloads[t][i]; i++, want++)
			present += c4w_pq_find(pq, payloads[t][i], &c, NULL) == C4W_OK;
		if (present == want && (own_missing || want > (unsigned)(payloads[type][0] != NULL) + (payloads[type][1] != NULL) + (payloads[type][2] != NULL)))
			return true;
	}
	/* the same names, other types: a label's text is not a scalar or a list of spans */
	if (c4w_pq_find(pq, "target", &c, NULL) == C4W_OK) {
		const struct c4w_pq_node *n = c4w_pq_node(pq, c);

		if ((type == C4W_TF_ANSWER || type == C4W_TF_CLASSIFICATION) && (n->shape != C4W_PQ_LEAF || n->type != C4W_PQ_BYTE_ARRAY))
			return true;
		if (type == C4W_TF_SCALAR_PREDICTION && (n->shape != C4W_PQ_LEAF || n->type != C4W_PQ_DOUBLE))
			return true;
		if ((type == C4W_TF_TEMPORAL_LOCALIZATION || type == C4W_TF_TS_CORRESPONDENCE) && n->shape != C4W_PQ_LISTS)
			return true;
	}
	return false;
}

static int statistics(const struct c4w_pq *pq, const char *column, const char *rule, const char *path, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	struct c4w_pq_chunk chunk;
	size_t g, c;

	if (c4w_pq_column(pq, column, &c, NULL) != C4W_OK)
		return C4W_OK;
	for (g = 0; g < c4w_pq_groups(pq); g++) {
		c4w_pq_chunk(pq, g, c, &chunk);
		if (c4w_pq_group_rows(pq, g) > 0 && (!chunk.stats.raw_min || !chunk.stats.raw_max))
			C4W_TRY(c4w_timef_fault(sink, err, rule, path, NULL, NULL, NULL, "row group %zu has no statistics of '%s'", g, column));
	}
	return C4W_OK;
}

/* The reference's library reads the types out of ARROW:schema, where there is one. */
static int arrow_schema(const struct c4w_pq *pq, const char *path, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	struct c4w_arena arena = { 0 };
	struct c4w_pq_arrow *marks;
	struct c4w_err why = { 0 };
	int rc = c4w_pq_arrow_read(pq, &arena, &marks, &why);

	c4w_arena_clear(&arena);
	if (rc == C4W_OK || rc == C4W_ABSENT)
		return C4W_OK;
	rc = c4w_timef_pass(sink, &why, path, NULL);
	if (rc != C4W_OK && err)
		*err = why;
	return rc;
}

int c4w_timef_check_shard_columns(const struct c4w_pq *pq, const char *path, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	C4W_TRY(arrow_schema(pq, path, sink, err));
	return children(pq, 0, shard_columns, path, sink, err);
}

int c4w_timef_check_parts(const struct c4w_timef_check *k, enum c4w_timef_kind kind, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	const struct c4w_timef *ds = k->ds;
	uint32_t node, c;
	size_t i;

	for (i = 0; i < ds->nparts; i++) {
		const struct c4w_pq *pq = ds->parts[i].pq;
		const char *path = ds->m.files[ds->parts[i].file].z;

		if (!pq || ds->m.files[ds->parts[i].file].kind != kind)
			continue;
		C4W_TRY(arrow_schema(pq, path, sink, err));
		switch (kind) {
		case C4W_TF_RECORDS:
			C4W_TRY(children(pq, 0, record_columns, path, sink, err));
			if (c4w_pq_find(pq, "time_series", &node, NULL) == C4W_OK)
				C4W_TRY(children(pq, node, series_columns, path, sink, err));
			if (c4w_pq_find(pq, "time_span", &node, NULL) == C4W_OK)
				C4W_TRY(children(pq, node, span_columns, path, sink, err));
			C4W_TRY(statistics(pq, "record_id", "records.statistics", path, sink, err));
			break;
		case C4W_TF_ANNOTATIONS:
			C4W_TRY(children(pq, 0, annotation_columns, path, sink, err));
			if (c4w_pq_find(pq, "span", &node, NULL) == C4W_OK)
				C4W_TRY(children(pq, node, span_columns, path, sink, err));
			C4W_TRY(statistics(pq, "id", "annotations.statistics", path, sink, err));
			break;
		case C4W_TF_INDEX:
			C4W_TRY(children(pq, 0, index_columns, path, sink, err));
			C4W_TRY(statistics(pq, "record_id", "index.statistics", path, sink, err));
			break;
		case C4W_TF_TASKS:
			if (!ds->parts[i].task_known)
				break;
			if (other_type(pq, ds->parts[i].task_type)) {
				C4W_TRY(c4w_timef_fault(sink, err, "task.partition-type", path, NULL, c4w_timef_task_type_name(ds->parts[i].task_type), NULL,
							"the part holds the columns of another task type than its folder says"));
				break;
			}
			for (c = c4w_pq_node(pq, 0)->first_child; c; c = c4w_pq_node(pq, c)->next) {
				const char *words[5] = { 0 };

				memcpy(words, payloads[ds->parts[i].task_type], 4 * sizeof *words);
				if (!in(c4w_pq_node(pq, c)->name, task_columns) && !in(c4w_pq_node(pq, c)->name, words))
					C4W_TRY(extra(path, c4w_pq_node(pq, c)->name, sink, err));
			}
			C4W_TRY(repeated(pq, c4w_pq_node(pq, 0), path, sink, err));
			break;
		default:
			break;
		}
	}
	return C4W_OK;
}

/* ---- records ---- */

#define SAY(rule, expected, found, ...) C4W_TRY(c4w_timef_fault(sink, err, rule, path, label, expected, found, __VA_ARGS__))

static const char *path_of(const struct c4w_timef *ds, uint32_t file)
{
	return ds->m.files[file].z;
}

static bool same_series(const struct c4w_timef_series *a, const struct c4w_timef_series *b)
{
	int64_t an = 0, ad = 0, bn = 0, bd = 0;

	if (!c4w_view_eq(a->spec_type, b->spec_type) || !c4w_view_eq(a->signal, b->signal) || !c4w_view_eq(a->source_id, b->source_id) ||
	    (a->source_id.p == NULL) != (b->source_id.p == NULL) || a->axis != b->axis || a->n_values != b->n_values)
		return false;
	if (a->axis == C4W_TF_REGULAR) {
		c4w_timef_period(a, &an, &ad);
		c4w_timef_period(b, &bn, &bd);
		return an == bn && ad == bd && a->start_index == b->start_index;
	}
	return a->axis != C4W_TF_IRREGULAR || (a->first == b->first && a->last == b->last);
}

static int check_series(const struct c4w_timef_check *k, const struct c4w_timef_series *s, const char *path, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	const struct c4w_timef *ds = k->ds;
	const char *rule, *what = "";
	char label[200], text[160];
	int64_t num, den, a, b;
	long other;

	c4w_timef_label(ds, "series", C4W_TF_SERIES_ID, s->id, label, sizeof label);
	if (!s->id.p)
		SAY("records.id-null", NULL, NULL, "a series has no time_series_id");
	if (s->spec < 0)
		SAY("records.spec-unknown", NULL, s->spec_type.p ? c4w_str_escape(text, sizeof text, s->spec_type.p, s->spec_type.n) : "null",
		    "spec_type is not declared in the schema");
	if (s->signal.n == 0)
		SAY("records.signal", NULL, NULL, "signal is null or empty");
	rule = c4w_timef_axis_fault(s, &what);
	if (rule) {
		if (s->axis == C4W_TF_AXIS_UNKNOWN)
			SAY(rule, NULL, s->axis_text.p ? c4w_str_escape(text, sizeof text, s->axis_text.p, s->axis_text.n) : "null", "%s", what);
		else
			SAY(rule, NULL, NULL, "%s", what);
	} else if (s->axis == C4W_TF_REGULAR) {
		c4w_timef_period(s, &num, &den);
		if (num != s->num || den != s->den) {
			snprintf(text, sizeof text, "%lld/%lld", (long long)s->num, (long long)s->den);
			SAY("axis.period-unreduced", NULL, text, "the period is not in lowest terms");
		}
		if (!c4w_timef_window(s, &a, &b))
			SAY("axis.overflow", NULL, NULL, "the time offsets don't fit 64 bits");
	} else if (s->axis == C4W_TF_IRREGULAR && s->last == INT64_MAX) {
		SAY("axis.overflow", NULL, NULL, "the end of the window doesn't fit 64 bits");
	}
	if ((s->axis == C4W_TF_REGULAR && (s->has_first || s->has_last)) || (s->axis == C4W_TF_IRREGULAR && (s->has_num || s->has_den || s->has_start)))
		SAY("axis.other-columns", NULL, NULL, "columns of another axis are filled too");
	if (s->spec >= 0 && c4w_timef_window(s, &a, &b) && ds->records[s->record].has_start &&
	    (__builtin_add_overflow(ds->records[s->record].start, a, &num) || __builtin_add_overflow(ds->records[s->record].start, b, &num)))
		SAY("axis.overflow", NULL, NULL, "the timestamps don't fit 64 bits");
	other = c4w_timef_map_get(&k->series, s->id);
	if (other >= 0 && &ds->series[other] != s && ds->series[other].record != s->record && !same_series(&ds->series[other], s))
		SAY("records.shared-differs", NULL, NULL, "a series that records share is described in two ways");
	return C4W_OK;
}

static int check_time_span(const struct c4w_timef *ds, const struct c4w_timef_record *r, const char *path, const char *label,
			   struct c4w_timef_sink *sink, struct c4w_err *err)
{
	const struct c4w_timef_span *p = &r->span;
	char text[100];
	int64_t a, b;
	size_t i;

	if (!p->present)
		return C4W_OK;
	if (!p->has_start || !p->has_end || p->frame != C4W_TF_SECONDS || !p->series.null) {
		SAY("records.time-span", "an interval in seconds of the whole record", NULL, "time_span has another form");
		return C4W_OK;
	}
	if (p->frame_text.p && p->frame_text.n == 0)
		SAY("span.frame-empty", "seconds", "\"\"", "time_span has an empty frame, read as seconds");
	if (p->end <= p->start)
		SAY("span.end", NULL, NULL, "time_span ends before it begins");
	for (i = 0; i < r->series_count; i++)
		if (c4w_timef_window(&ds->series[r->series_first + i], &a, &b) && (a < p->start || b > p->end)) {
			snprintf(text, sizeof text, "[%lld, %lld) in [%lld, %lld)", (long long)a, (long long)b, (long long)p->start, (long long)p->end);
			SAY("records.time-span-window", NULL, text, "time_span doesn't cover the window of a series");
			break;
		}
	return C4W_OK;
}

bool c4w_timef_has_id(const struct c4w_timef_ids *ids, struct c4w_view id)
{
	uint32_t i;

	for (i = 0; i < ids->n; i++)
		if (ids->v[i].p && c4w_view_eq(ids->v[i], id))
			return true;
	return false;
}

static int check_links(const struct c4w_timef_check *k, const struct c4w_timef_record *r, const char *path, const char *label,
		       struct c4w_timef_sink *sink, struct c4w_err *err)
{
	const struct c4w_timef *ds = k->ds;
	char text[160];
	uint32_t i;
	long at, self = c4w_timef_map_get(&k->records, r->id);

	if (r->subjects.null || r->tasks.null || r->annotations.null)
		SAY("records.list-null", NULL, NULL, "subject_ids, task_ids or annotation_ids is null");
	for (i = 0; i < r->subjects.n; i++)
		if (!r->subjects.v[i].p)
			SAY("records.id-null", NULL, NULL, "a subject id is null");
	for (i = 0; i < r->tasks.n; i++) {
		at = c4w_timef_map_get(&k->tasks, r->tasks.v[i]);
		if (at < 0)
			SAY("records.task-unknown", NULL, c4w_timef_label(ds, "task", C4W_TF_TASK_ID, r->tasks.v[i], text, sizeof text), "the record names a task that isn't there");
		else if (c4w_timef_linked(k, C4W_TF_TASK_RECORD, at, self) < 0)
			SAY("records.task-back", NULL, c4w_timef_label(ds, "task", C4W_TF_TASK_ID, r->tasks.v[i], text, sizeof text), "the record names a task that doesn't name the record");
	}
	for (i = 0; i < r->annotations.n; i++) {
		at = c4w_timef_map_get(&k->annotations, r->annotations.v[i]);
		c4w_timef_label(ds, "annotation", C4W_TF_ANNOTATION_ID, r->annotations.v[i], text, sizeof text);
		if (at < 0)
			SAY("records.annotation-unknown", NULL, text, "the record names an annotation that isn't there");
		else if (c4w_timef_linked(k, C4W_TF_ANNOTATION_RECORD, at, self) < 0)
			SAY("records.annotation-back", NULL, text, "the record names an annotation that doesn't name the record");
	}
	at = c4w_timef_linked_twice(k, C4W_TF_RECORD_ANNOTATION, r - ds->records);
	if (at >= 0)
		SAY("records.annotation-repeated", NULL, c4w_timef_label(ds, "annotation", C4W_TF_ANNOTATION_ID, ds->annotations[at].id, text, sizeof text),
		    "the record names an annotation twice");
	return C4W_OK;
}

int c4w_timef_check_records(const struct c4w_timef_check *k, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	const struct c4w_timef *ds = k->ds;
	char label[200], text[200];
	const char *path;
	size_t i, j;
	long twice;

	for (i = 0; i < ds->nrecords; i++) {
		const struct c4w_timef_record *r = &ds->records[i];

		path = path_of(ds, r->file);
		c4w_timef_label(ds, "record", C4W_TF_RECORD_ID, r->id, label, sizeof label);
		if (!r->id.p)
			SAY("records.id-null", NULL, NULL, "row %lld has no record_id", (long long)r->row);
		else if (c4w_timef_map_get(&k->records, r->id) != (long)i)
			SAY("records.id-repeated", NULL, NULL, "two records have one id");
		if (i && c4w_view_cmp(ds->records[i - 1].id, r->id) > 0)
			SAY("records.unsorted", NULL, NULL, "the records are not sorted by record_id");
		if (r->series_null)
			SAY("records.series-null", NULL, NULL, "time_series is null");
		else if (r->series_count == 0)
			SAY("records.no-series", NULL, NULL, "the record has no series");
		C4W_TRY(check_time_span(ds, r, path, label, sink, err));
		C4W_TRY(check_links(k, r, path, label, sink, err));
		for (j = 0; j < r->series_count; j++)
			C4W_TRY(check_series(k, &ds->series[r->series_first + j], path, sink, err));
		twice = c4w_timef_linked_twice(k, C4W_TF_RECORD_SERIES, (long)i);
		if (twice >= 0)
			SAY("records.series-repeated", NULL, c4w_timef_label(ds, "series", C4W_TF_SERIES_ID, ds->series[twice].id, text, sizeof text),
			    "the record holds a series twice");
	}
	return C4W_OK;
}

/* ---- index ---- */

/* Rows [from, to) of the index are those of one (record, series). */
static int check_pair(const struct c4w_timef_check *k, size_t from, size_t to, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	const struct c4w_timef *ds = k->ds;
	const struct c4w_timef_chunk *c = &ds->chunks[from];
	const struct c4w_timef_series *s = NULL;
	const char *path = path_of(ds, c->part);
	long r = c4w_timef_map_get(&k->records, c->record);
	char label[200], found[100], expected[40];
	bool order = false, gap = false, repeat = false, whole = true;
	int64_t sum = 0;
	size_t i;

	c4w_timef_label(ds, "series", C4W_TF_SERIES_ID, c->series, label, sizeof label);
	if (r >= 0)
		s = c4w_timef_series_in(k, &ds->records[r], c->series);
	if (!s)
		SAY("index.pair-unknown", NULL, c4w_timef_label(ds, "record", C4W_TF_RECORD_ID, c->record, found, sizeof found),
		    r < 0 ? "the index names a record that isn't there" : "the index names a series that the record doesn't have");
	for (i = from; i < to; i++) {
		c = &ds->chunks[i];
		path = path_of(ds, c->part);
		if (!c->spec_type.p || !c->signal.p || !c->has_idx || !c->file.p || !c->has_major || !c->has_n || (!ds->m.zarr && !c->has_minor)) {
			SAY("index.null", NULL, NULL, "row %lld has a null where a value is needed", (long long)c->row);
			whole = false;
		}
		if (s && c->spec_type.p && s->spec_type.p && !c4w_view_eq(c->spec_type, s->spec_type))
			SAY("index.spec-type", NULL, NULL, "the index says another spec_type than the record");
		if (s && c->signal.p && s->signal.p && !c4w_view_eq(c->signal, s->signal))
			SAY("index.signal", NULL, NULL, "the index says another signal than the record");
		if (c->has_n && c->n_values < 1) {
			snprintf(found, sizeof found, "%lld", (long long)c->n_values);
			SAY("index.n-values", "1 or more", found, "n_values of an index row is no number of steps");
		}
		if (c->has_n && __builtin_add_overflow(sum, c->n_values, &sum))
			whole = false;
		if (ds->m.zarr && c->has_minor)
			SAY("index.minor-stray", "null", NULL, "chunk_minor_idx is filled on the zarr backend");
		if (!c->has_idx)
			continue;
		if (i > from && ds->chunks[i - 1].has_idx) {
			repeat |= c->idx == ds->chunks[i - 1].idx;
			order |= c->idx < ds->chunks[i - 1].idx;
			gap |= c->idx > ds->chunks[i - 1].idx + 1;
		} else if (i == from) {
			gap |= c->idx > 0;
			order |= c->idx < 0;
		}
	}
	c = &ds->chunks[from];
	if (repeat)
		SAY("index.chunk-repeated", NULL, NULL, "a chunk_idx stands twice");
	if (order)
		SAY("index.chunk-order", NULL, NULL, "the chunks are not in order");
	if (gap && !order)
		SAY("index.chunk-gap", NULL, NULL, "chunk_idx leaves numbers out");
	if (s && s->has_n && whole && sum != s->n_values) {
		snprintf(expected, sizeof expected, "%lld", (long long)s->n_values);
		snprintf(found, sizeof found, "%lld", (long long)sum);
		SAY("index.n-values-sum", expected, found, "the record's n_values differ from the sum over the index");
	}
	return C4W_OK;
}

/* Series that several records share list the same places in each. */
static int check_shared(const struct c4w_timef_check *k, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	const struct c4w_timef *ds = k->ds;
	const struct c4w_timef_chunk **a, **b;
	struct c4w_arena arena = { 0 };
	size_t i, j, na, nb;
	char label[200];
	const char *path;
	int rc = C4W_OK;

	for (i = 0; i < ds->nseries && rc == C4W_OK; i++) {
		const struct c4w_timef_series *s = &ds->series[i];
		long first = c4w_timef_map_get(&k->series, s->id);
		bool same;

		if (first < 0 || (size_t)first == i || ds->series[first].record == s->record)
			continue;
		rc = c4w_timef_chunks_of(ds, ds->records[ds->series[first].record].id, s->id, &arena, &a, &na, err);
		if (rc == C4W_OK)
			rc = c4w_timef_chunks_of(ds, ds->records[s->record].id, s->id, &arena, &b, &nb, err);
		if (rc != C4W_OK)
			break;
		same = na == nb;
		for (j = 0; same && j < na; j++)
			same = c4w_view_eq(a[j]->file, b[j]->file) && a[j]->major == b[j]->major && a[j]->minor == b[j]->minor &&
			       a[j]->n_values == b[j]->n_values && a[j]->idx == b[j]->idx;
		path = path_of(ds, ds->records[s->record].file);
		if (!same)
			rc = c4w_timef_fault(sink, err, "index.shared-differs", path, c4w_timef_label(ds, "series", C4W_TF_SERIES_ID, s->id, label, sizeof label),
					     NULL, NULL, "a series that records share has other chunks in one than in the other");
		c4w_arena_reset(&arena);
	}
	c4w_arena_clear(&arena);
	return rc;
}

int c4w_timef_check_index(const struct c4w_timef_check *k, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	const struct c4w_timef *ds = k->ds;
	struct c4w_timef_map pairs = { 0 };
	struct c4w_arena arena = { 0 };
	const struct c4w_timef_chunk **rows;
	char label[200], other[200];
	const char *path;
	size_t i, j, n;
	int rc = C4W_OK;

	for (i = 0; i < ds->nchunks; i = j) {
		const struct c4w_timef_chunk *c = &ds->chunks[i];

		path = path_of(ds, c->part);
		c4w_timef_label(ds, "series", C4W_TF_SERIES_ID, c->series, label, sizeof label);
		if (!c->record.p || !c->series.p)
			SAY("index.null", NULL, NULL, "row %lld has no record_id or time_series_id", (long long)c->row);
		if (i) {
			int order = c4w_view_cmp(c[-1].record, c->record);

			if (order > 0 || (order == 0 && c4w_view_cmp(c[-1].series, c->series) > 0))
				SAY("index.unsorted", NULL, NULL, "the index is not sorted by record_id and time_series_id");
		}
		for (j = i + 1; j < ds->nchunks && c4w_view_eq(ds->chunks[j].record, c->record) && c4w_view_eq(ds->chunks[j].series, c->series); j++)
			;
		C4W_TRY(check_pair(k, i, j, sink, err));
	}
	for (i = 0; i < ds->nseries && rc == C4W_OK; i++) {
		const struct c4w_timef_series *s = &ds->series[i];

		path = path_of(ds, ds->records[s->record].file);
		if (!s->id.p)
			continue;
		rc = c4w_timef_chunks_of(ds, ds->records[s->record].id, s->id, &arena, &rows, &n, err);
		if (rc == C4W_OK && n == 0)
			rc = c4w_timef_fault(sink, err, "records.series-not-indexed", path, c4w_timef_label(ds, "series", C4W_TF_SERIES_ID, s->id, label, sizeof label),
					     NULL, NULL, "the index has no rows for the series");
		c4w_arena_reset(&arena);
	}
	/* places named by two different series */
	for (i = 1; i < k->nplaces && rc == C4W_OK && !ds->m.zarr; i++) {
		const struct c4w_timef_chunk *a = &ds->chunks[k->places[i - 1].chunk], *b = &ds->chunks[k->places[i].chunk];

		if (!a->file.p || !b->file.p || !c4w_view_eq(a->file, b->file) || a->major != b->major || a->minor != b->minor)
			continue;
		if (!c4w_view_eq(a->series, b->series) || c4w_view_eq(a->record, b->record))
			rc = c4w_timef_fault(sink, err, "index.place-shared", path_of(ds, b->part),
					     c4w_timef_label(ds, "series", C4W_TF_SERIES_ID, b->series, label, sizeof label), NULL,
					     c4w_timef_label(ds, "series", C4W_TF_SERIES_ID, a->series, other, sizeof other), "two index rows name one place");
	}
	if (rc == C4W_OK)
		rc = check_shared(k, sink, err);
	c4w_arena_clear(&arena);
	c4w_timef_map_clear(&pairs);
	return rc;
}

/* ---- counts ---- */

int c4w_timef_count_is(const struct c4w_timef *ds, uint32_t v, const char *rule, const char *what, uint64_t real, struct c4w_timef_sink *sink,
		       struct c4w_err *err)
{
	char expected[40], found[40];
	struct c4w_err ignored;
	uint64_t said;

	if (v == C4W_JSON_NONE || c4w_json_type(&ds->m.doc, v) != C4W_JSON_NUMBER || c4w_json_u64(&ds->m.doc, v, &said, &ignored) != C4W_OK || said == real)
		return C4W_OK;
	snprintf(expected, sizeof expected, "%llu", (unsigned long long)said);
	snprintf(found, sizeof found, "%llu", (unsigned long long)real);
	return c4w_timef_fault(sink, err, rule, "manifest.json", "counts", expected, found, "counts.%s differs from the %s", what,
			       ds->m.format == 1 ? "tables" : "shards");
}

/* Each key of an object of counts against real[]; names that are missing there count as 0. */
static int counts_of(const struct c4w_timef *ds, uint32_t obj, const char *rule, const struct c4w_view *names, const uint64_t *real, size_t n,
		     struct c4w_timef_sink *sink, struct c4w_err *err)
{
	char what[160];
	uint32_t key, v;
	size_t i;

	if (obj == C4W_JSON_NONE || c4w_json_type(&ds->m.doc, obj) != C4W_JSON_OBJECT)
		return C4W_OK;
	for (i = 0; i < n; i++) {
		v = c4w_json_member_view(&ds->m.doc, obj, names[i]);
		c4w_str_escape(what, sizeof what, names[i].p, names[i].n);
		if (v == C4W_JSON_NONE && real[i])
			C4W_TRY(c4w_timef_fault(sink, err, rule, "manifest.json", "counts", NULL, "absent", "counts leaves out %s, which the tables hold", what));
		C4W_TRY(c4w_timef_count_is(ds, v, rule, what, real[i], sink, err));
	}
	for (key = c4w_json_first(&ds->m.doc, obj); key != C4W_JSON_NONE; key = c4w_json_next(&ds->m.doc, obj, v)) {
		v = c4w_json_next(&ds->m.doc, obj, key);
		for (i = 0; i < n && !c4w_json_string_eq(&ds->m.doc, key, names[i]); i++)
			;
		if (i == n)
			C4W_TRY(c4w_timef_count_is(ds, v, rule, "an unknown name", 0, sink, err));
	}
	return C4W_OK;
}

int c4w_timef_check_counts(const struct c4w_timef_check *k, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	const struct c4w_timef *ds = k->ds;
	const struct c4w_json *doc = &ds->m.doc;
	uint32_t c = ds->m.counts;
	uint64_t tasks[C4W_TF_TASK_TYPES] = { 0 }, chunks = 0, registered = 0, *specs;
	struct c4w_view names[C4W_TF_TASK_TYPES], *spec_names;
	size_t i, t;
	int rc;

	if (c == C4W_JSON_NONE)
		return C4W_OK;
	for (i = 0; i < ds->nannotations; i++)
		registered += ds->annotations[i].records.n == 0;
	for (i = 0; i < k->nplaces; i++) {
		const struct c4w_timef_chunk *a = &ds->chunks[k->places[i].chunk], *b = i ? &ds->chunks[k->places[i - 1].chunk] : NULL;

		chunks += !b || !c4w_view_eq(a->file, b->file) || a->major != b->major || a->minor != b->minor || !c4w_view_eq(a->series, b->series);
	}
	C4W_TRY(c4w_timef_count_is(ds, c4w_json_member(doc, c, "records"), "counts.records", "records", ds->nrecords, sink, err));
	C4W_TRY(c4w_timef_count_is(ds, c4w_json_member(doc, c, "annotations"), "counts.annotations", "annotations", ds->nannotations, sink, err));
	C4W_TRY(c4w_timef_count_is(ds, c4w_json_member(doc, c, "registered_annotations"), "counts.registered", "registered_annotations", registered, sink, err));
	C4W_TRY(c4w_timef_count_is(ds, c4w_json_member(doc, c, "time_series_chunks"), "counts.chunks", "time_series_chunks", chunks, sink, err));
	C4W_TRY(c4w_timef_count_is(ds, c4w_json_member(doc, c, "time_series_index_rows"), "counts.index-rows", "time_series_index_rows", ds->nchunks, sink, err));
	for (i = 0; i < ds->ntasks; i++)
		tasks[ds->tasks[i].type]++;
	for (t = 0; t < C4W_TF_TASK_TYPES; t++)
		names[t] = c4w_view_z(c4w_timef_task_type_name((enum c4w_timef_task_type)t));
	C4W_TRY(counts_of(ds, c4w_json_member(doc, c, "tasks"), "counts.tasks", names, tasks, C4W_TF_TASK_TYPES, sink, err));
	specs = calloc(ds->m.nspecs + 1, sizeof *specs);
	spec_names = calloc(ds->m.nspecs + 1, sizeof *spec_names);
	rc = specs && spec_names ? C4W_OK : c4w_fail_memory(err, ds->m.nspecs * 24);
	for (i = 0; rc == C4W_OK && i < ds->nseries; i++)
		if (ds->series[i].spec >= 0 && c4w_timef_map_get(&k->series, ds->series[i].id) == (long)i)
			specs[ds->series[i].spec]++;
	for (i = 0, t = 0; rc == C4W_OK && i < ds->m.nspecs; i++)
		if (c4w_timef_spec_find(&ds->m, ds->m.specs[i].spec_type) == (long)i) { /* not the ones that a later one replaces */
			spec_names[t] = ds->m.specs[i].spec_type;
			specs[t++] = specs[i];
		}
	if (rc == C4W_OK)
		rc = counts_of(ds, c4w_json_member(doc, c, "time_series_specs"), "counts.specs", spec_names, specs, t, sink, err);
	free(specs);
	free(spec_names);
	return rc;
}
