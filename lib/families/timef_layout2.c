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
	return x->idx < y->idx ? -1 : x->idx > y->idx;
}

static struct c4w_view view_at(const struct c4w_batch *b, size_t i)
{
	struct c4w_view v = { "", 0 };

	if (i < b->n && c4w_batch_valid(b, i))
		v.p = (const char *)c4w_batch_bytes(b, i, &v.n);
	return v;
}

static int shard_rows(struct c4w_timef *ds, const char *path, size_t *cap, struct c4w_err *err)
{
	static const char *const names[] = { "time_series_id", "spec_type", "signal", "chunk_idx", "n_values" };
	static const struct c4w_view record = { "", 0 };
	struct c4w_batch b[5], times;
	struct c4w_pq *pq;
	size_t g, i, c, t;
	void *q;

	C4W_TRY(c4w_timef_shard(ds, path, &pq, err));
	C4W_TRY(c4w_pq_column_of(pq, "time_offsets_us", C4W_PQ_INT64, 1, &t, err));
	for (g = 0; g < c4w_pq_groups(pq); g++) {
		for (c = 0; c < 5; c++) {
			size_t column;

			C4W_TRY(c4w_pq_column(pq, names[c], &column, err));
			if (c == 0)
				ds->uuid[C4W_TF_SERIES_ID] = c4w_pq_leaf(pq, column)->type == C4W_PQ_FIXED;
			if (c >= 3 && c4w_pq_leaf(pq, column)->type != C4W_PQ_INT32)
				return c4w_timef_fault(NULL, err, "table.column-type", path, NULL, "INT32", NULL, "column '%s' has another type", names[c]);
			if (c < 3 && c4w_pq_leaf(pq, column)->type != C4W_PQ_BYTE_ARRAY && c4w_pq_leaf(pq, column)->type != C4W_PQ_FIXED)
				return c4w_timef_fault(NULL, err, "table.column-type", path, NULL, "text", NULL, "column '%s' has another type", names[c]);
			C4W_TRY(c4w_pq_read(pq, g, column, NULL, NULL, &ds->arena, &b[c], err));
		}
		/* offsets are lists: only whether each is there is asked here */
		C4W_TRY(c4w_pq_read(pq, g, t, NULL, NULL, &ds->arena, &times, err));
		if (ds->nchunks + b[0].rows > *cap) {
			*cap = (ds->nchunks + b[0].rows) * 2;
			q = realloc(ds->chunks, *cap * sizeof *ds->chunks);
			if (!q)
				return c4w_fail_memory(err, *cap * sizeof *ds->chunks);
			ds->chunks = q;
		}
		for (i = 0; i < b[0].rows; i++) {
			struct c4w_timef_chunk *k = &ds->chunks[ds->nchunks++];

			*k = (struct c4w_timef_chunk){ .record = record, .series = view_at(&b[0], i), .spec_type = view_at(&b[1], i), .signal = view_at(&b[2], i),
						       .file = c4w_view_z(path), .major = (int64_t)g, .minor = (int64_t)i, .has_major = true,
						       .has_minor = true };
			k->has_idx = c4w_batch_valid(&b[3], i);
			k->has_n = c4w_batch_valid(&b[4], i);
			k->idx = k->has_idx ? ((const int32_t *)b[3].values)[i] : 0;
			k->n_values = k->has_n ? ((const int32_t *)b[4].values)[i] : 0;
			k->row = times.nlists == 1 && i < times.lists[0].n && c4w_bit(times.lists[0].validity, i); /* irregular? */
		}
	}
	return C4W_OK;
}

int c4w_timef_load_shards(struct c4w_timef *ds, struct c4w_err *err)
{
	const struct c4w_timef_manifest *m = &ds->m;
	size_t i, cap = 0, j;
	int rc = C4W_OK;

	if (m->zarr)
		return c4w_timef_need_tables(ds, err); /* where a series ends is only in the database */
	C4W_TRY(c4w_timef_shards_new(ds, err));
	for (i = 0; i < m->kind_count[C4W_TF_SERIES] && rc == C4W_OK; i++)
		rc = shard_rows(ds, m->files[m->kind_first[C4W_TF_SERIES] + i].z, &cap, err);
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
	ds->index_sorted = ds->have_records = ds->have_index = true;
	return C4W_OK;
}
