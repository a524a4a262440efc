/* Opening a version directory; faults; ids; look-ups. See timef.h. */
#include "families/timef.h"

#include "base/limits.h"
#include "containers/pq.h"
#include "families/timef_impl.h"

int c4w_timef_fault(struct c4w_timef_sink *sink, struct c4w_err *err, const char *rule, const char *path, const char *item,
		    const char *expected, const char *found, const char *fmt, ...)
{
	enum c4w_timef_severity severity = C4W_TIMEF_ERROR;
	const struct c4w_rule *r = c4w_timef_rule_find(rule, &severity);
	struct c4w_err local;
	char text[400];
	va_list ap;

	if (!sink && severity != C4W_TIMEF_ERROR)
		return C4W_OK;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (!sink && !err)
		return C4W_DAMAGED;
	if (sink)
		err = &local;
	c4w_damaged(err, r ? r->id : rule, -1, "%s", text);
	c4w_err_values(err, expected, found);
	if (path)
		c4w_err_path(err, path);
	if (!sink) {
		if (item && *item)
			c4w_err_prefix(err, "%s", item);
		return C4W_DAMAGED;
	}
	if (severity == C4W_TIMEF_ERROR)
		sink->errors++;
	else if (severity == C4W_TIMEF_WARNING)
		sink->warnings++;
	return sink->report(sink->ctx, severity, item, err);
}

int c4w_timef_pass(struct c4w_timef_sink *sink, struct c4w_err *err, const char *path, const char *item)
{
	if (path)
		c4w_err_path(err, path);
	if (!sink || err->cls == C4W_MEMORY || err->cls == C4W_CANCELLED)
		return (int)err->cls;
	if (err->cls == C4W_USAGE) /* the store's word for a folder where a file is listed */
		return c4w_timef_fault(sink, err, "files.not-a-file", path, item, NULL, NULL, "what is listed as a file is something else");
	sink->errors++;
	return sink->report(sink->ctx, C4W_TIMEF_ERROR, item, err);
}

int c4w_timef_open(struct c4w_store *dir, const char *where, struct c4w_timef_sink *sink, struct c4w_timef **out, struct c4w_err *err)
{
	struct c4w_timef *ds = calloc(1, sizeof *ds);
	struct c4w_blob *blob = NULL;
	const uint8_t *p;
	uint64_t n;
	int rc;

	*out = NULL;
	if (!ds)
		return c4w_fail_memory(err, sizeof *ds);
	ds->store = c4w_store_ref(dir);
	ds->where = strdup(where);
	rc = ds->where ? c4w_store_open(dir, "manifest.json", &blob, err) : c4w_fail_memory(err, strlen(where));
	if (rc == C4W_OK) {
		n = c4w_blob_size(blob);
		if (n > C4W_LIMIT_TIMEF_MANIFEST)
			rc = c4w_fail(err, C4W_LIMIT, "manifest.json has %llu bytes, beyond the limit of %llu", (unsigned long long)n,
				      C4W_LIMIT_TIMEF_MANIFEST);
		else
			rc = c4w_blob_view(blob, 0, (size_t)n, &ds->arena, &p, err);
		if (rc == C4W_OK) { /* a blob in memory lends its bytes: they must live as long as the tape */
			struct c4w_view text = { c4w_arena_text(&ds->arena, (const char *)p, (size_t)n), (size_t)n };

			rc = text.p ? c4w_timef_manifest_parse(text, &ds->arena, sink, &ds->m, err) : c4w_fail_memory(err, (size_t)n);
		}
		if (rc != C4W_OK)
			c4w_err_path(err, "manifest.json");
	}
	c4w_blob_close(blob);
	if (rc != C4W_OK) {
		c4w_timef_close(ds);
		return rc;
	}
	*out = ds;
	return C4W_OK;
}

void c4w_timef_close(struct c4w_timef *ds)
{
	size_t i;

	if (!ds)
		return;
	for (i = 0; i < ds->nparts; i++)
		c4w_pq_close(ds->parts[i].pq);
	c4w_timef_shards_free(ds->shards);
	free(ds->records);
	free(ds->series);
	free(ds->annotations);
	free(ds->chunks);
	free(ds->tasks);
	c4w_store_close(ds->store);
	c4w_arena_clear(&ds->arena);
	free(ds->where);
	free(ds);
}

int c4w_timef_need_tables(const struct c4w_timef *ds, struct c4w_err *err)
{
	if (ds->m.format == 1)
		return C4W_OK;
	return c4w_fail(err, C4W_UNSUPPORTED, "TimeF format 2 (control plane in DuckDB) is not supported for this view; "
					      "manifest, specs, counts, files and Parquet values are");
}

const char *c4w_timef_id_name(enum c4w_timef_id id)
{
	static const char *const names[C4W_TF_IDS] = { "record_id", "subject_id", "time_series_id", "source_id", "task_id", "annotation_id" };

	return names[id];
}

const char *c4w_timef_axis_name(enum c4w_timef_axis a)
{
	static const char *const names[] = { "regular", "irregular", "ordinal", "?" };

	return names[a];
}

struct c4w_view c4w_timef_id_text(const struct c4w_timef *ds, enum c4w_timef_id id, struct c4w_view stored, char *buf)
{
	char hex[33];

	if (!ds->uuid[id] || stored.n != 16)
		return stored;
	c4w_hex(hex, (const uint8_t *)stored.p, 16);
	snprintf(buf, 37, "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8, hex + 12, hex + 16, hex + 20);
	return (struct c4w_view){ buf, 36 };
}

bool c4w_timef_id_stored(const struct c4w_timef *ds, enum c4w_timef_id id, struct c4w_view text, uint8_t *buf, struct c4w_view *out)
{
	size_t i, k = 0;

	*out = text;
	if (!ds->uuid[id])
		return true;
	if (text.n != 36)
		return false;
	for (i = 0; i < 36; i++) {
		char c = text.p[i];
		unsigned d = c >= '0' && c <= '9' ? (unsigned)(c - '0') : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;

		if (i == 8 || i == 13 || i == 18 || i == 23) {
			if (c != '-')
				return false;
			continue;
		}
		if (d == 16)
			return false;
		buf[k / 2] = (uint8_t)(k % 2 ? buf[k / 2] | d : d << 4);
		k++;
	}
	*out = (struct c4w_view){ (const char *)buf, 16 };
	return true;
}

long c4w_timef_record_find(const struct c4w_timef *ds, struct c4w_view id)
{
	size_t i;

	for (i = 0; i < ds->nrecords; i++)
		if (c4w_view_eq(ds->records[i].id, id))
			return (long)i;
	return -1;
}

static int cmp_chunk(const struct c4w_timef_chunk *c, struct c4w_view record, struct c4w_view series)
{
	int k = c4w_view_cmp(c->record, record);

	return k ? k : c4w_view_cmp(c->series, series);
}

/* The i-th row of the index by record, then series. */
static const struct c4w_timef_chunk *chunk_at(const struct c4w_timef *ds, size_t i)
{
	return &ds->chunks[ds->chunk_order ? ds->chunk_order[i] : i];
}

static int cmp_rows(const void *a, const void *b, void *ctx)
{
	const struct c4w_timef_chunk *chunks = ctx;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int k = cmp_chunk(&chunks[x], chunks[y].record, chunks[y].series);

	return k ? k : x < y ? -1 : x > y;
}

int c4w_timef_index_ready(struct c4w_timef *ds, struct c4w_err *err)
{
	size_t i;
	void *mem;

	ds->chunk_order = NULL;
	for (i = 1; i < ds->nchunks; i++)
		if (cmp_chunk(&ds->chunks[i - 1], ds->chunks[i].record, ds->chunks[i].series) > 0)
			break;
	if (i >= ds->nchunks)
		return C4W_OK;
	if (ds->nchunks > UINT32_MAX)
		return c4w_fail(err, C4W_LIMIT, "more than 2^32 rows in the index");
	C4W_TRY(c4w_arena_take(&ds->arena, ds->nchunks * sizeof *ds->chunk_order, &mem, err));
	ds->chunk_order = mem;
	for (i = 0; i < ds->nchunks; i++)
		ds->chunk_order[i] = (uint32_t)i;
	qsort_r(ds->chunk_order, ds->nchunks, sizeof *ds->chunk_order, cmp_rows, ds->chunks);
	return C4W_OK;
}

int c4w_timef_chunks_of(const struct c4w_timef *ds, struct c4w_view record, struct c4w_view series, struct c4w_arena *arena,
			const struct c4w_timef_chunk ***rows, size_t *n, struct c4w_err *err)
{
	size_t lo = 0, hi = ds->nchunks, mid, i;
	void *mem;

	*rows = NULL;
	*n = 0;
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (cmp_chunk(chunk_at(ds, mid), record, series) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (hi = lo; hi < ds->nchunks && cmp_chunk(chunk_at(ds, hi), record, series) == 0; hi++)
		;
	C4W_TRY(c4w_arena_zero(arena, hi - lo + 1, sizeof **rows, &mem, err));
	*rows = mem;
	*n = hi - lo;
	for (i = lo; i < hi; i++)
		(*rows)[i - lo] = chunk_at(ds, i);
	return C4W_OK;
}

char *c4w_timef_label(const struct c4w_timef *ds, const char *word, enum c4w_timef_id id, struct c4w_view stored, char *buf, size_t size)
{
	char uuid[40], text[160];
	struct c4w_view v = c4w_timef_id_text(ds, id, stored, uuid);

	if (!v.p)
		v = C4W_VIEW("(null)");
	snprintf(buf, size, "%s %s", word, c4w_str_escape(text, sizeof text, v.p, v.n));
	return buf;
}

void c4w_timef_near_try(struct c4w_timef_near *n, struct c4w_view name)
{
	char text[sizeof n->name];
	size_t d;

	if (!name.p || name.n >= sizeof text || memchr(name.p, 0, name.n))
		return;
	memcpy(text, name.p, name.n);
	text[name.n] = 0;
	d = c4w_str_distance(n->word, text);
	if (d >= n->distance)
		return;
	n->distance = d;
	memcpy(n->name, text, name.n + 1);
}

int c4w_timef_near_fail(const struct c4w_timef_near *n, const char *what, const char *list, struct c4w_err *err)
{
	char shown[128];

	c4w_fail(err, C4W_USAGE, "no %s '%s' here", what, c4w_str_escape(shown, sizeof shown, n->word, strlen(n->word)));
	if (n->distance <= 2 && n->distance < strlen(n->word))
		c4w_err_hint(err, "did you mean '%s'?", c4w_str_escape(shown, sizeof shown, n->name, strlen(n->name)));
	else if (list)
		c4w_err_hint(err, "%s", list);
	return C4W_USAGE;
}
