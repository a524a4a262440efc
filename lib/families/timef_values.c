/* Values (formats/timef.md, 8 and 10): a cursor over the chunks of one series. See timef_values.h. */
#include "families/timef_values.h"

#include "base/limits.h"
#include "containers/pq.h"
#include "containers/zarr.h"
#include "families/timef_impl.h"

#include <stdatomic.h>

/* ---- values files, opened at first use by whichever worker comes first ---- */

enum { VALUES, OFFSETS, VALIDITY, PLANES };

struct c4w_timef_shards {
	size_t n;
	struct shard {
		const char *path;
		_Atomic(struct c4w_pq *) pq;
	} *v; /* the listed values files, sorted by path */
	size_t narrays;
	_Atomic(struct c4w_zarr *) *arrays; /* spec * 2 * PLANES */
};

static int cmp_shard(const void *a, const void *b)
{
	return strcmp(((const struct shard *)a)->path, ((const struct shard *)b)->path);
}

int c4w_timef_shards_new(struct c4w_timef *ds, struct c4w_err *err)
{
	const struct c4w_timef_manifest *m = &ds->m;
	size_t i, n = m->kind_count[C4W_TF_SERIES];
	struct c4w_timef_shards *s;
	void *mem;

	if (ds->shards)
		return C4W_OK;
	C4W_TRY(c4w_arena_zero(&ds->arena, 1, sizeof *s, &mem, err));
	s = mem;
	C4W_TRY(c4w_arena_zero(&ds->arena, n + 1, sizeof *s->v, &mem, err));
	s->v = mem;
	s->n = n;
	for (i = 0; i < n; i++)
		s->v[i].path = m->files[m->kind_first[C4W_TF_SERIES] + i].z;
	if (n)
		qsort(s->v, n, sizeof *s->v, cmp_shard);
	s->narrays = m->nspecs * 2 * PLANES;
	C4W_TRY(c4w_arena_zero(&ds->arena, s->narrays + 1, sizeof *s->arrays, &mem, err));
	s->arrays = mem;
	ds->shards = s;
	return C4W_OK;
}

void c4w_timef_shards_free(struct c4w_timef_shards *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->n; i++)
		c4w_pq_close(atomic_load(&s->v[i].pq));
	for (i = 0; i < s->narrays; i++)
		c4w_zarr_close(atomic_load(&s->arrays[i]));
}

static struct shard *find_shard(const struct c4w_timef *ds, const char *path)
{
	struct shard key = { .path = path };

	return ds->shards->n ? bsearch(&key, ds->shards->v, ds->shards->n, sizeof key, cmp_shard) : NULL;
}

bool c4w_timef_listed(const struct c4w_timef *ds, const char *path)
{
	return find_shard(ds, path) != NULL;
}

int c4w_timef_shard(struct c4w_timef *ds, const char *path, struct c4w_pq **out, struct c4w_err *err)
{
	struct shard *s = find_shard(ds, path);
	struct c4w_pq *pq, *none = NULL;
	struct c4w_blob *blob;
	int rc;

	*out = NULL;
	if (!s)
		return c4w_timef_fault(NULL, err, "index.chunk-file-unlisted", path, NULL, NULL, NULL, "the index names a values file that the manifest doesn't list");
	pq = atomic_load(&s->pq);
	if (!pq) {
		C4W_TRY(c4w_store_open(ds->store, path, &blob, err));
		rc = c4w_pq_open(blob, &pq, err);
		c4w_blob_close(blob);
		if (rc != C4W_OK)
			return rc;
		if (!atomic_compare_exchange_strong(&s->pq, &none, pq)) {
			c4w_pq_close(pq);
			pq = none;
		}
	}
	*out = pq;
	return C4W_OK;
}

int c4w_timef_shard_column(const struct c4w_pq *pq, const char *path, const char *name, size_t *column, struct c4w_err *err)
{
	int rc = c4w_pq_column(pq, name, column, err);

	if (rc != C4W_UNKNOWN)
		return rc;
	return c4w_timef_fault(NULL, err, "table.column-missing", path, NULL, name, "absent", "column '%s' is missing", name);
}

int c4w_timef_offsets_column(const struct c4w_pq *pq, const char *path, size_t *column, struct c4w_err *err)
{
	C4W_TRY(c4w_timef_shard_column(pq, path, "time_offsets_us", column, err));
	if (c4w_pq_column_of(pq, "time_offsets_us", C4W_PQ_INT64, 1, column, NULL) == C4W_OK)
		return C4W_OK;
	return c4w_timef_fault(NULL, err, "table.column-type", path, NULL, "a list of INT64", NULL, "column 'time_offsets_us' has another type");
}

size_t c4w_timef_zarr_path(struct c4w_view spec_type, bool irregular, int plane, char *buf, size_t size)
{
	static const char *const prefix[2][PLANES] = { { "", "", "_validity/" }, { "_irregular/", "_time_offsets/", "_validity/_irregular/" } };
	int n = snprintf(buf, size, "time_series.zarr/%s", prefix[irregular][plane]);

	return (size_t)n + c4w_str_percent(buf + n, size - (size_t)n, spec_type.p, spec_type.n);
}

/* The plane of a spec's partition. Its metadata is checked against the spec. */
int c4w_timef_array(struct c4w_timef *ds, int32_t spec, bool irregular, int plane, struct c4w_zarr **out, struct c4w_err *err)
{
	static const enum c4w_zarr_type types[C4W_TF_DTYPES] = {
		[C4W_TF_BOOL] = C4W_ZARR_BOOL,   [C4W_TF_FLOAT32] = C4W_ZARR_FLOAT32, [C4W_TF_FLOAT64] = C4W_ZARR_FLOAT64,
		[C4W_TF_INT8] = C4W_ZARR_INT8,   [C4W_TF_INT16] = C4W_ZARR_INT16,     [C4W_TF_INT32] = C4W_ZARR_INT32,
		[C4W_TF_UINT8] = C4W_ZARR_UINT8, [C4W_TF_UINT16] = C4W_ZARR_UINT16,   [C4W_TF_UINT32] = C4W_ZARR_UINT32,
		[C4W_TF_STR] = C4W_ZARR_STRING,  [C4W_TF_ENUM] = C4W_ZARR_INT32,
	};
	_Atomic(struct c4w_zarr *) *slot = &ds->shards->arrays[((size_t)spec * 2 + irregular) * PLANES + (size_t)plane];
	const struct c4w_timef_spec *s = &ds->m.specs[spec];
	struct c4w_zarr *z = atomic_load(slot), *none = NULL;
	const struct c4w_zarr_meta *meta;
	enum c4w_zarr_type want;
	char path[1024], json[1040];
	unsigned i, rank;
	int rc = C4W_OK;
	bool fits;

	*out = z;
	if (z)
		return C4W_OK;
	if (c4w_timef_zarr_path(s->spec_type, irregular, plane, path, sizeof path) >= sizeof path)
		return c4w_fail(err, C4W_LIMIT, "the spec_type is too long for an array's name");
	snprintf(json, sizeof json, "%s/zarr.json", path);
	if (!find_shard(ds, json))
		return c4w_timef_fault(NULL, err, "index.chunk-file-unlisted", json, NULL, NULL, NULL,
				       "the values need an array whose zarr.json the manifest doesn't list");
	C4W_TRY(c4w_zarr_open(ds->store, path, &z, err));
	meta = c4w_zarr_meta(z);
	want = plane == OFFSETS ? C4W_ZARR_INT64 : plane == VALIDITY ? C4W_ZARR_BOOL : types[s->dtype];
	rank = plane == VALUES ? s->rank : 0;
	if (meta->type != want)
		rc = c4w_timef_fault(NULL, err, "array.data-type", json, NULL, c4w_zarr_type_name(want), c4w_zarr_type_name(meta->type),
				     "the array has another data type than the spec asks for");
	fits = meta->rank == rank + 1;
	for (i = 0; fits && i < rank; i++)
		fits = meta->shape[i + 1] == s->shape[i];
	if (rc == C4W_OK && !fits)
		rc = c4w_timef_fault(NULL, err, "array.value-shape", json, NULL, NULL, NULL, "the array's steps have another shape than the spec's value_shape");
	if (rc != C4W_OK) {
		c4w_zarr_close(z);
		return rc;
	}
	if (!atomic_compare_exchange_strong(slot, &none, z)) {
		c4w_zarr_close(z);
		z = none;
	}
	*out = z;
	return C4W_OK;
}

/* ---- the cursor ---- */

struct scratch {
	void *p;
	size_t cap;
};

struct c4w_timef_cursor {
	struct c4w_timef *ds;
	struct c4w_arena own, page; /* of the series; of the row group */
	const struct c4w_timef_series *s;
	const struct c4w_timef_spec *spec;
	const struct c4w_timef_chunk **chunks;
	uint64_t *starts; /* first step of each chunk; nchunks + 1 */
	size_t nchunks;
	/* Parquet: the row group that is held */
	struct c4w_pq_worker *worker;
	struct c4w_pq *pq;
	size_t group;
	int64_t row_first, row_count; /* rows of it */
	bool with_times;
	struct c4w_batch values, times;
	int32_t *codes; /* enum: of the dictionary's entries */
	const struct c4w_timef_spec *codes_of;
	/* Zarr */
	struct c4w_zarr_cursor *z[PLANES];
	struct c4w_zarr *array[PLANES];
	struct scratch dense, valid, moved;
};

static int room(struct scratch *s, size_t n, struct c4w_err *err)
{
	if (n <= s->cap)
		return C4W_OK;
	free(s->p);
	s->cap = 0;
	s->p = malloc(n);
	if (!s->p)
		return c4w_fail_memory(err, n);
	s->cap = n;
	return C4W_OK;
}

int c4w_timef_cursor_new(struct c4w_timef *ds, struct c4w_timef_cursor **out, struct c4w_err *err)
{
	struct c4w_timef_cursor *c = calloc(1, sizeof *c);
	int rc, i;

	*out = NULL;
	if (!c)
		return c4w_fail_memory(err, sizeof *c);
	c->ds = ds;
	rc = ds->shards ? C4W_OK : c4w_fail(err, C4W_USAGE, "the index is not loaded");
	if (rc == C4W_OK && !ds->m.zarr)
		rc = c4w_pq_worker_new(&c->worker, err);
	for (i = 0; i < PLANES && rc == C4W_OK && ds->m.zarr; i++)
		rc = c4w_zarr_cursor_new(&c->z[i], err);
	if (rc != C4W_OK) {
		c4w_timef_cursor_free(c);
		return rc;
	}
	*out = c;
	return C4W_OK;
}

void c4w_timef_cursor_free(struct c4w_timef_cursor *c)
{
	int i;

	if (!c)
		return;
	c4w_pq_worker_free(c->worker);
	for (i = 0; i < PLANES; i++)
		c4w_zarr_cursor_free(c->z[i]);
	c4w_arena_clear(&c->own);
	c4w_arena_clear(&c->page);
	free(c->dense.p);
	free(c->valid.p);
	free(c->moved.p);
	free(c);
}

const struct c4w_timef_chunk *const *c4w_timef_cursor_chunks(const struct c4w_timef_cursor *c, size_t *n)
{
	*n = c->nchunks;
	return c->chunks;
}

struct c4w_timef *c4w_timef_cursor_ds(const struct c4w_timef_cursor *c)
{
	return c->ds;
}

/* "series s of record r" in front of a message. */
static int where(struct c4w_timef_cursor *c, struct c4w_err *err)
{
	char label[200];

	return c4w_err_prefix(err, "%s", c4w_timef_label(c->ds, "series", C4W_TF_SERIES_ID, c->s->id, label, sizeof label));
}

int c4w_timef_begin(struct c4w_timef_cursor *c, const struct c4w_timef_series *s, struct c4w_err *err)
{
	struct c4w_timef *ds = c->ds;
	char expected[32], found[32];
	uint64_t sum = 0;
	size_t i;
	void *mem;

	c4w_arena_reset(&c->own);
	c->s = s;
	c->nchunks = 0;
	memset(c->array, 0, sizeof c->array);
	if (s->spec < 0)
		return c4w_timef_fault(NULL, err, "records.spec-unknown", NULL, NULL, NULL, NULL, "the series' spec_type is not declared");
	c->spec = &ds->m.specs[s->spec];
	if (c->spec->elements > 1 && !ds->m.zarr)
		return c4w_fail(err, C4W_UNSUPPORTED, "values with a shape on the parquet backend");
	C4W_TRY(c4w_timef_chunks_of(ds, ds->records[s->record].id, s->id, &c->own, &c->chunks, &c->nchunks, err));
	C4W_TRY(c4w_arena_take(&c->own, (c->nchunks + 1) * sizeof *c->starts, &mem, err));
	c->starts = mem;
	if (c->nchunks == 0) {
		c4w_timef_fault(NULL, err, "records.series-not-indexed", NULL, NULL, NULL, NULL, "the index has no rows for the series");
		return where(c, err);
	}
	for (i = 0; i < c->nchunks; i++) {
		const struct c4w_timef_chunk *k = c->chunks[i];

		c->starts[i] = sum;
		if (!k->has_n || k->n_values < 1) {
			c4w_timef_fault(NULL, err, "index.n-values", NULL, NULL, NULL, NULL, "an index row has n_values below 1");
			return where(c, err);
		}
		if (!k->file.p || !k->has_major || (!ds->m.zarr && !k->has_minor)) {
			c4w_timef_fault(NULL, err, "index.null", NULL, NULL, NULL, NULL, "an index row has a null place");
			return where(c, err);
		}
		sum += (uint64_t)k->n_values;
	}
	c->starts[c->nchunks] = sum;
	if (!s->has_n || sum != (uint64_t)s->n_values) {
		snprintf(expected, sizeof expected, "%lld", (long long)s->n_values);
		snprintf(found, sizeof found, "%llu", (unsigned long long)sum);
		c4w_timef_fault(NULL, err, "index.n-values-sum", NULL, NULL, expected, found, "the record's n_values differ from the sum over the index");
		return where(c, err);
	}
	return C4W_OK;
}

/* Chunk that holds step a. */
static size_t chunk_of(const struct c4w_timef_cursor *c, uint64_t a)
{
	size_t lo = 0, hi = c->nchunks;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (c->starts[mid] <= a)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* ---- Parquet ---- */

int c4w_timef_values_columns(const struct c4w_timef_spec *spec, const struct c4w_pq *pq, size_t *values, size_t *times, struct c4w_err *err)
{
	static const struct {
		enum c4w_pq_type type;
		uint8_t bits;
		bool is_signed;
	} want[C4W_TF_DTYPES] = {
		[C4W_TF_BOOL] = { C4W_PQ_BOOLEAN, 0, 0 },     [C4W_TF_FLOAT32] = { C4W_PQ_FLOAT, 0, 0 },  [C4W_TF_FLOAT64] = { C4W_PQ_DOUBLE, 0, 0 },
		[C4W_TF_INT8] = { C4W_PQ_INT32, 8, true },    [C4W_TF_INT16] = { C4W_PQ_INT32, 16, true }, [C4W_TF_INT32] = { C4W_PQ_INT32, 32, true },
		[C4W_TF_UINT8] = { C4W_PQ_INT32, 8, false },  [C4W_TF_UINT16] = { C4W_PQ_INT32, 16, false }, [C4W_TF_UINT32] = { C4W_PQ_INT32, 32, false },
		[C4W_TF_STR] = { C4W_PQ_BYTE_ARRAY, 0, 0 },   [C4W_TF_ENUM] = { C4W_PQ_BYTE_ARRAY, 0, 0 },
	};
	const struct c4w_pq_node *leaf;
	char found[96], text[64];
	bool good;

	C4W_TRY(c4w_timef_shard_column(pq, NULL, "values", values, err));
	C4W_TRY(c4w_timef_offsets_column(pq, NULL, times, err));
	leaf = c4w_pq_leaf(pq, *values);
	good = leaf->type == want[spec->dtype].type && leaf->max_rep == 1;
	if (good && want[spec->dtype].bits == 32 && want[spec->dtype].is_signed)
		good = leaf->logical == C4W_PQ_L_NONE || (leaf->logical == C4W_PQ_L_INTEGER && leaf->bits == 32 && leaf->is_signed);
	else if (good && want[spec->dtype].bits)
		good = leaf->logical == C4W_PQ_L_INTEGER && leaf->bits == want[spec->dtype].bits && leaf->is_signed == want[spec->dtype].is_signed;
	if (good)
		return C4W_OK;
	snprintf(found, sizeof found, "%s %s", c4w_pq_type_name(leaf->type), c4w_pq_logical_text(leaf, text, sizeof text));
	return c4w_timef_fault(NULL, err, "shard.values-type", NULL, NULL, c4w_timef_dtype_name(spec->dtype), found,
			       "the shard stores the values in another type than the spec's");
}

int32_t c4w_timef_code(const struct c4w_timef_spec *spec, const uint8_t *p, size_t n)
{
	size_t k;

	for (k = 0; k < spec->ncategories; k++)
		if (spec->categories[k].n == n && memcmp(spec->categories[k].p, p, n) == 0)
			return (int32_t)k;
	return -1;
}

/* Hold rows [row, row + count) of a row group. Small groups are taken whole, since neighbours will be asked for next. */
static int hold(struct c4w_timef_cursor *c, struct c4w_pq *pq, size_t group, int64_t row, int64_t count, bool times, struct c4w_err *err)
{
	struct c4w_pq_opts opts = { 0 };
	size_t vcol, tcol, i;
	void *mem;

	if (c->pq == pq && c->group == group && row >= c->row_first && row + count <= c->row_first + c->row_count &&
	    (c->with_times || !times) && (c->spec->dtype != C4W_TF_ENUM || c->codes_of == c->spec))
		return C4W_OK;
	c->pq = NULL;
	c4w_arena_reset(&c->page);
	C4W_TRY(c4w_timef_values_columns(c->spec, pq, &vcol, &tcol, err));
	if (c4w_pq_cost(pq, group, vcol) < 2 * C4W_MIB) {
		row = 0;
		count = c4w_pq_group_rows(pq, group);
	}
	opts.keep_dict = c->spec->dtype == C4W_TF_ENUM;
	if (row != 0 || count != c4w_pq_group_rows(pq, group)) {
		opts.first = row;
		opts.count = count;
	}
	C4W_TRY(c4w_pq_read(pq, group, vcol, &opts, c->worker, &c->page, &c->values, err));
	memset(&c->times, 0, sizeof c->times);
	opts.keep_dict = false;
	if (times)
		C4W_TRY(c4w_pq_read(pq, group, tcol, &opts, c->worker, &c->page, &c->times, err));
	c->codes = NULL;
	c->codes_of = NULL;
	if (c->spec->dtype == C4W_TF_ENUM) {
		const struct c4w_batch *d = c->values.indices ? c->values.dict : &c->values;

		C4W_TRY(c4w_arena_take(&c->page, (d->n + 1) * sizeof *c->codes, &mem, err));
		c->codes = mem;
		for (i = 0; i < d->n; i++) {
			size_t n;
			const uint8_t *p = c4w_batch_bytes(d, i, &n);

			if (i && d == &c->values && d->offsets[i + 1] - d->offsets[i] == d->offsets[i] - d->offsets[i - 1] &&
			    memcmp(p, d->bytes + d->offsets[i - 1], n) == 0)
				c->codes[i] = c->codes[i - 1];
			else
				c->codes[i] = c4w_timef_code(c->spec, p, n);
		}
		c->codes[d->n] = 0;
		c->codes_of = c->spec;
	}
	c->pq = pq;
	c->group = group;
	c->row_first = row;
	c->row_count = count;
	c->with_times = times;
	return C4W_OK;
}

static int valid_bytes(struct c4w_timef_cursor *c, const uint8_t *bits, size_t from, size_t n, struct c4w_timef_run *run, struct c4w_err *err)
{
	uint8_t *v;
	size_t i, present = 0;

	C4W_TRY(room(&c->valid, n, err));
	v = c->valid.p;
	for (i = 0; i < n; i++) {
		v[i] = bits[(from + i) >> 3] >> ((from + i) & 7) & 1;
		present += v[i];
	}
	run->missing = n - present;
	if (run->missing)
		run->valid = v;
	return C4W_OK;
}

static int lend_parquet(struct c4w_timef_cursor *c, size_t k, uint64_t a, uint64_t b, bool times, struct c4w_timef_run *run, struct c4w_err *err)
{
	const struct c4w_timef_chunk *chunk = c->chunks[k];
	const struct c4w_batch *v = &c->values;
	size_t from, to, row, i, n, skip = (size_t)(a - c->starts[k]), last;
	size_t size = c4w_timef_dtype_size(c->spec->dtype);
	char path[1024], found[64], expected[64];
	struct c4w_pq *pq;
	int64_t rows;

	if (chunk->file.n >= sizeof path)
		return c4w_fail(err, C4W_LIMIT, "the name of a values file is too long");
	memcpy(path, chunk->file.p, chunk->file.n);
	path[chunk->file.n] = 0;
	C4W_TRY(c4w_timef_shard(c->ds, path + (strncmp(path, "./", 2) == 0 ? 2 : 0), &pq, err));
	if (chunk->major < 0 || (uint64_t)chunk->major >= c4w_pq_groups(pq)) {
		snprintf(found, sizeof found, "%lld", (long long)chunk->major);
		snprintf(expected, sizeof expected, "below %zu", c4w_pq_groups(pq));
		return c4w_timef_fault(NULL, err, "index.row-group-out-of-range", path, NULL, expected, found, "the index names a row group that isn't there");
	}
	rows = c4w_pq_group_rows(pq, (size_t)chunk->major);
	if (chunk->minor < 0 || chunk->minor >= rows) {
		snprintf(found, sizeof found, "%lld", (long long)chunk->minor);
		snprintf(expected, sizeof expected, "below %lld", (long long)rows);
		return c4w_timef_fault(NULL, err, "index.row-out-of-range", path, NULL, expected, found, "the index names a row that isn't there");
	}
	/* this series' further rows in the group come next */
	for (last = k; last + 1 < c->nchunks && c4w_view_eq(c->chunks[last + 1]->file, chunk->file) && c->chunks[last + 1]->major == chunk->major &&
		       c->chunks[last + 1]->minor == c->chunks[last]->minor + 1 && c->starts[last + 1] < b;
	     last++)
		;
	if (c->chunks[last]->minor >= rows)
		last = k;
	C4W_TRY(hold(c, pq, (size_t)chunk->major, chunk->minor, (int64_t)(last - k) + 1, times, err));
	row = (size_t)(chunk->minor - c->row_first);
	if (v->nlists != 1 || row >= v->lists[0].n || !c4w_bit(v->lists[0].validity, row))
		return c4w_timef_fault(NULL, err, "shard.values-null", path, NULL, NULL, NULL, "the values of a chunk are null");
	from = (size_t)v->lists[0].offsets[row];
	to = (size_t)v->lists[0].offsets[row + 1];
	if (to - from != (uint64_t)chunk->n_values) {
		snprintf(expected, sizeof expected, "%lld", (long long)chunk->n_values);
		snprintf(found, sizeof found, "%zu", to - from);
		return c4w_timef_fault(NULL, err, "shard.length", path, NULL, expected, found, "a chunk has another length than the index says");
	}
	from += skip;
	n = (size_t)(b < c->starts[k + 1] ? b - a : c->starts[k + 1] - a);
	run->first = a;
	run->steps = n;
	if (v->nulls)
		C4W_TRY(valid_bytes(c, v->validity, from, n, run, err));
	if (c->spec->dtype == C4W_TF_STR) {
		run->offsets = v->offsets + from;
		run->text = (const char *)v->bytes;
	} else if (c->spec->dtype == C4W_TF_ENUM) {
		int32_t *out;

		C4W_TRY(room(&c->dense, n * 4 + 4, err));
		out = c->dense.p;
		for (i = 0; i < n; i++)
			out[i] = c->codes[v->indices ? v->indices[from + i] : from + i];
		for (i = 0; run->valid && i < n; i++)
			if (!run->valid[i])
				out[i] = 0;
		run->values = c->dense.p;
	} else if (v->phys == C4W_PHYS_INT32 && size < 4) {
		const int32_t *in = (const int32_t *)v->values + from;

		C4W_TRY(room(&c->dense, n * size + 4, err));
		if (size == 1)
			for (i = 0; i < n; i++)
				((uint8_t *)c->dense.p)[i] = (uint8_t)in[i];
		else
			for (i = 0; i < n; i++)
				((uint16_t *)c->dense.p)[i] = (uint16_t)in[i];
		run->values = c->dense.p;
	} else {
		run->values = (const uint8_t *)v->values + from * size;
	}
	if (!times)
		return C4W_OK;
	v = &c->times;
	if (v->nlists != 1 || row >= v->lists[0].n || !c4w_bit(v->lists[0].validity, row))
		return c4w_timef_fault(NULL, err, "shard.offsets-missing", path, NULL, NULL, NULL, "an irregular series has a chunk without time offsets");
	from = (size_t)v->lists[0].offsets[row];
	to = (size_t)v->lists[0].offsets[row + 1];
	if (to - from != (uint64_t)chunk->n_values || v->nulls) {
		snprintf(expected, sizeof expected, "%lld", (long long)chunk->n_values);
		snprintf(found, sizeof found, "%zu, %zu of them null", to - from, v->nulls);
		return c4w_timef_fault(NULL, err, "shard.offsets-length", path, NULL, expected, found, "a chunk has another number of time offsets than of values");
	}
	run->times = (const int64_t *)v->values + from + skip;
	return C4W_OK;
}

/* ---- Zarr ---- */

static int plane_run(struct c4w_timef_cursor *c, int plane, uint64_t a, uint64_t b, struct c4w_zarr_run *out, struct c4w_err *err)
{
	char found[64];

	if (!c->array[plane])
		C4W_TRY(c4w_timef_array(c->ds, c->s->spec, c->s->axis == C4W_TF_IRREGULAR, plane, &c->array[plane], err));
	if (b > c4w_zarr_meta(c->array[plane])->shape[0]) {
		snprintf(found, sizeof found, "[%llu, %llu) of %llu", (unsigned long long)a, (unsigned long long)b,
			 (unsigned long long)c4w_zarr_meta(c->array[plane])->shape[0]);
		return c4w_timef_fault(NULL, err, "index.range-out-of-array", c4w_zarr_path(c->array[plane]), NULL, NULL, found,
				       "the index names steps beyond the end of the array");
	}
	return c4w_zarr_lend(c->array[plane], c->z[plane], a, b, out, err);
}

static int lend_zarr(struct c4w_timef_cursor *c, size_t k, uint64_t a, uint64_t b, bool times, struct c4w_timef_run *run, struct c4w_err *err)
{
	const struct c4w_timef_chunk *chunk = c->chunks[k];
	const struct c4w_timef_spec *spec = c->spec;
	struct c4w_zarr_run values, other;
	uint64_t at, end, skip = a - c->starts[k];
	size_t i, present, step;
	char path[1024], found[64];

	c4w_timef_zarr_path(spec->spec_type, c->s->axis == C4W_TF_IRREGULAR, VALUES, path, sizeof path);
	if (!c4w_view_eqz(chunk->file, path)) {
		char name[200];

		return c4w_timef_fault(NULL, err, "index.chunk-file", NULL, NULL, path, c4w_str_escape(name, sizeof name, chunk->file.p, chunk->file.n),
				       "the index names another array than axis and spec_type give");
	}
	if (chunk->major < 0 || chunk->major > INT64_MAX - chunk->n_values) {
		snprintf(found, sizeof found, "%lld", (long long)chunk->major);
		return c4w_timef_fault(NULL, err, "index.range-out-of-array", path, NULL, NULL, found, "the index names a start that isn't there");
	}
	at = (uint64_t)chunk->major + skip;
	end = (uint64_t)chunk->major + ((b < c->starts[k + 1] ? b : c->starts[k + 1]) - c->starts[k]);
	C4W_TRY(plane_run(c, VALUES, at, end, &values, err));
	end = at + values.steps;
	if (times) {
		C4W_TRY(plane_run(c, OFFSETS, at, end, &other, err));
		end = at + other.steps;
		run->times = (const int64_t *)(const void *)other.values;
	}
	if (spec->nullable) {
		C4W_TRY(plane_run(c, VALIDITY, at, end, &other, err));
		end = at + other.steps;
		for (i = 0, present = 0; i < other.steps; i++)
			present += other.values[i];
		run->missing = (size_t)other.steps - present;
		if (run->missing)
			run->valid = other.values;
	}
	run->first = a;
	run->steps = (size_t)(end - at);
	run->values = values.values;
	run->offsets = values.offsets;
	run->text = values.text;
	if (!values.values)
		return C4W_OK;
	step = c4w_zarr_meta(c->array[VALUES])->step;
	if (run->missing || spec->dtype == C4W_TF_ENUM) { /* placeholders become zeros; codes are checked */
		uint8_t *p;

		C4W_TRY(room(&c->dense, run->steps * step + 1, err));
		p = memcpy(c->dense.p, values.values, run->steps * step);
		for (i = 0; run->missing && i < run->steps; i++)
			if (!run->valid[i])
				memset(p + i * step, 0, step);
		for (i = 0; spec->dtype == C4W_TF_ENUM && i < run->steps; i++)
			if (((int32_t *)(void *)p)[i] < 0 || (size_t)((int32_t *)(void *)p)[i] >= spec->ncategories)
				((int32_t *)(void *)p)[i] = -1;
		run->values = p;
	}
	return C4W_OK;
}

int c4w_timef_lend(struct c4w_timef_cursor *c, uint64_t a, uint64_t b, bool times, struct c4w_timef_run *out, struct c4w_err *err)
{
	size_t k;
	int rc;

	memset(out, 0, sizeof *out);
	if (a >= b || !c->nchunks || b > c->starts[c->nchunks])
		return c4w_fail(err, C4W_USAGE, "steps %llu to %llu are not in the series", (unsigned long long)a, (unsigned long long)b);
	times = times && c->s->axis == C4W_TF_IRREGULAR;
	k = chunk_of(c, a);
	rc = c->ds->m.zarr ? lend_zarr(c, k, a, b, times, out, err) : lend_parquet(c, k, a, b, times, out, err);
	if (rc != C4W_OK)
		return where(c, err) ? rc : rc;
	return C4W_OK;
}

int c4w_timef_irregular_step(struct c4w_timef_cursor *c, int64_t t, int64_t *step, struct c4w_err *err)
{
	uint64_t lo = 0, hi = (uint64_t)c->s->n_values, mid;
	struct c4w_timef_run run;
	size_t i;

	/* smallest step with offset >= t */
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		C4W_TRY(c4w_timef_lend(c, mid, hi, true, &run, err));
		if (run.times[0] >= t) {
			hi = mid;
			continue;
		}
		for (i = 0; i < run.steps && run.times[i] < t; i++)
			;
		lo = mid + i;
		if (i < run.steps)
			hi = lo;
	}
	*step = (int64_t)lo;
	return C4W_OK;
}

uint64_t c4w_timef_cost(const struct c4w_timef *ds, const struct c4w_timef_series *s)
{
	uint64_t step = 8;

	if (s->spec >= 0 && ds->m.specs[s->spec].elements < UINT32_MAX)
		step = ds->m.specs[s->spec].elements * 8 + 8;
	return s->n_values > 0 && (uint64_t)s->n_values * step < 16 * C4W_MIB ? (uint64_t)s->n_values * step : 16 * C4W_MIB;
}
