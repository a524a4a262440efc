/* The newer layout (formats/timef.md, 14): shards say themselves which series their rows belong to, so values on the Parquet backend can be read
 * without the database: rows are gathered by time_series_id and ordered by chunk_idx. Axes are only in the database, save that irregular
 * series have their time offsets beside the values; the others are given by step. */
#include "containers/pq.h"
#include "families/timef_impl.h"

static int cmp_chunk(const void *a, const void *b)
{
	const struct c4w_timef_chunk *x = a, *y = b;
	int k = c4w_view_cmp(x->series, y->series);

	if (k)
		return k;
	if (x->idx != y->idx)
		return x->idx < y->idx ? -1 : 1;
	k = c4w_view_cmp(x->file, y->file);
	if (k)
		return k;
	if (x->major != y->major)
		return x->major < y->major ? -1 : 1;
	return x->minor < y->minor ? -1 : x->minor > y->minor;
}

static struct c4w_view view_at(const struct c4w_batch *b, size_t i)
{
	struct c4w_view v = { "", 0 };

	if (i < b->n && c4w_batch_valid(b, i))
		v.p = (const char *)c4w_batch_bytes(b, i, &v.n);
	return v;
}

struct shard {
	struct c4w_timef *ds;
	const char *path;
	struct c4w_pq *pq;
	struct c4w_pq_worker *worker;
	struct c4w_arena lists; /* of the row group; what its rows are named is in the data set's own */
	size_t cap;
};

/* The columns that say whose values a row holds, of one row group. */
static int group_columns(struct shard *s, size_t group, struct c4w_batch b[5], struct c4w_batch *times, struct c4w_err *err)
{
	static const char *const names[] = { "time_series_id", "spec_type", "signal", "chunk_idx", "n_values" };
	struct c4w_pq_opts opts = { 0 };
	size_t c, column;

	for (c = 0; c < 5; c++) {
		const struct c4w_pq_node *leaf;

		C4W_TRY(c4w_timef_shard_column(s->pq, s->path, names[c], &column, err));
		leaf = c4w_pq_leaf(s->pq, column);
		if (leaf->max_rep || (c >= 3 ? leaf->type != C4W_PQ_INT32 : leaf->type != C4W_PQ_BYTE_ARRAY &&
								    !(c == 0 && leaf->type == C4W_PQ_FIXED && leaf->type_length == 16)))
			return c4w_timef_fault(NULL, err, "table.column-type", s->path, NULL, c >= 3 ? "INT32" : "text", NULL, "column '%s' has another type", names[c]);
		if (c == 0)
			s->ds->uuid[C4W_TF_SERIES_ID] = leaf->type == C4W_PQ_FIXED;
		C4W_TRY(c4w_pq_read(s->pq, group, column, &opts, s->worker, &s->ds->arena, &b[c], err));
	}
	C4W_TRY(c4w_timef_offsets_column(s->pq, s->path, &column, err));
	return c4w_pq_read(s->pq, group, column, &opts, s->worker, &s->lists, times, err);
}

static int add_rows(struct shard *s, size_t group, struct c4w_err *err)
{
	static const struct c4w_view record = { "", 0 };
	struct c4w_timef *ds = s->ds;
	struct c4w_batch b[5], times;
	size_t i;
	void *q;

	c4w_arena_reset(&s->lists);
	C4W_TRY(group_columns(s, group, b, &times, err));
	if (ds->nchunks + b[0].rows > s->cap) {
		s->cap = (ds->nchunks + b[0].rows) * 2;
		q = realloc(ds->chunks, s->cap * sizeof *ds->chunks);
		if (!q)
			return c4w_fail_memory(err, s->cap * sizeof *ds->chunks);
		ds->chunks = q;
	}
	for (i = 0; i < b[0].rows; i++) {
		struct c4w_timef_chunk *k = &ds->chunks[ds->nchunks++];

		*k = (struct c4w_timef_chunk){ .record = record, .series = view_at(&b[0], i), .spec_type = view_at(&b[1], i), .signal = view_at(&b[2], i),
					       .file = c4w_view_z(s->path), .major = (int64_t)group, .minor = (int64_t)i, .has_major = true,
					       .has_minor = true };
		k->has_idx = c4w_batch_valid(&b[3], i);
		k->has_n = c4w_batch_valid(&b[4], i);
		k->idx = k->has_idx ? ((const int32_t *)b[3].values)[i] : 0;
		k->n_values = k->has_n ? ((const int32_t *)b[4].values)[i] : 0;
		k->row = times.nlists == 1 && i < times.lists[0].n && c4w_bit(times.lists[0].validity, i); /* irregular? */
	}
	return C4W_OK;
}

/* All rows of one shard. A fault in it goes to the sink; the others go on. */
static int add_shard(struct shard *s, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	struct c4w_err why = { 0 };
	size_t g;
	int rc = c4w_timef_shard(s->ds, s->path, &s->pq, &why);

	for (g = 0; rc == C4W_OK && g < c4w_pq_groups(s->pq); g++)
		rc = add_rows(s, g, &why);
	if (rc == C4W_OK || (rc == C4W_ABSENT && sink)) /* verify says of a missing file that it is missing */
		return C4W_OK;
	rc = c4w_timef_pass(sink, &why, s->path, NULL);
	if (rc != C4W_OK && err)
		*err = why;
	return rc;
}

int c4w_timef_load_shards(struct c4w_timef *ds, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	const struct c4w_timef_manifest *m = &ds->m;
	struct shard shard = { .ds = ds };
	size_t i, j;
	int rc;

	if (m->zarr)
		return c4w_timef_need_tables(ds, err); /* where a series ends is only in the database */
	C4W_TRY(c4w_timef_shards_new(ds, err));
	rc = c4w_pq_worker_new(&shard.worker, err);
	for (i = 0; i < m->kind_count[C4W_TF_SERIES] && rc == C4W_OK; i++) {
		shard.path = m->files[m->kind_first[C4W_TF_SERIES] + i].z;
		rc = add_shard(&shard, sink, err);
	}
	c4w_pq_worker_free(shard.worker);
	c4w_arena_clear(&shard.lists);
	if (rc != C4W_OK)
		return rc;
	if (ds->nchunks)
		qsort(ds->chunks, ds->nchunks, sizeof *ds->chunks, cmp_chunk);
	ds->records = calloc(1, sizeof *ds->records);
	ds->series = calloc(ds->nchunks + 1, sizeof *ds->series);
	if (!ds->records || !ds->series)
		return c4w_fail_memory(err, ds->nchunks * sizeof *ds->series);
	ds->nrecords = 1;
	ds->records[0].id = C4W_VIEW("");
	for (i = 0; i < ds->nchunks; i = j) {
		struct c4w_timef_series *s = &ds->series[ds->nseries++];

		s->id = ds->chunks[i].series;
		s->spec_type = ds->chunks[i].spec_type;
		s->signal = ds->chunks[i].signal;
		s->spec = (int32_t)c4w_timef_spec_find(m, s->spec_type);
		s->axis = ds->chunks[i].row ? C4W_TF_IRREGULAR : C4W_TF_ORDINAL;
		s->has_n = true;
		for (j = i; j < ds->nchunks && c4w_view_eq(ds->chunks[j].series, s->id); j++)
			s->n_values += ds->chunks[j].n_values > 0 ? ds->chunks[j].n_values : 0;
	}
	ds->records[0].series_count = (uint32_t)ds->nseries;
	ds->have_records = ds->have_index = true;
	return C4W_OK;
}
