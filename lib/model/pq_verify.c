/* Verifying a Parquet file: every page decoded, and what the footer says of the data held against it. */
#include "model/pq_check.h"

#include "base/checked.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_err(struct c4w_findings *out, const struct c4w_pq_verify_opts *o, const struct c4w_err *err)
{
	c4w_findings_add_err(out, NULL, o->path, err);
}

/* ---- footer ---- */

struct span {
	uint64_t begin, end;
	size_t group, column;
};

static int by_begin(const void *a, const void *b)
{
	const struct span *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

void c4w_pq_verify_footer(const struct c4w_pq *pq, const struct c4w_pq_verify_opts *o, struct c4w_findings *out)
{
	size_t groups = c4w_pq_groups(pq), columns = c4w_pq_columns(pq), n = 0, g, k;
	struct span *v;
	struct c4w_err err;

	if (groups == 0 || columns == 0)
		return;
	v = calloc(groups * columns, sizeof *v);
	if (!v) {
		c4w_fail_memory(&err, groups * columns * sizeof *v);
		add_err(out, o, &err);
		return;
	}
	for (g = 0; g < groups; g++)
		for (k = 0; k < columns; k++) {
			struct span s = { 0, 0, g, k };

			/* a chunk outside the file is found when it is read */
			if (c4w_pq_chunk_bytes(pq, g, k, &s.begin, &s.end, NULL) == C4W_OK && s.begin < s.end)
				v[n++] = s;
		}
	qsort(v, n, sizeof *v, by_begin);
	for (k = 1; k < n; k++)
		if (v[k].begin < v[k - 1].end) {
			char a[128], b[128];

			c4w_findings_addf(out, C4W_SEV_ERROR, C4W_STATE_FAILED, NULL, "parquet.chunk-overlap", o->path, (int64_t)v[k].begin,
					  "row group %zu, column '%s' begins within row group %zu, column '%s'", v[k].group,
					  c4w_pq_path(pq, v[k].column, a, sizeof a), v[k - 1].group, c4w_pq_path(pq, v[k - 1].column, b, sizeof b));
		}
	free(v);
}

/* ---- statistics ---- */

static double half(const uint8_t *p)
{
	uint16_t h = c4w_le16(p);
	int e = h >> 10 & 31, m = h & 0x3ff;
	double v = e == 0 ? ldexp(m, -24) : e == 31 ? (m ? (double)NAN : (double)INFINITY) : ldexp(m + 1024, e - 25);

	return h & 0x8000 ? -v : v;
}

/* Two's complement, big-endian, of any two lengths. */
static int compare_decimal(const uint8_t *a, size_t na, const uint8_t *b, size_t nb)
{
	size_t n = na > nb ? na : nb, i;
	uint8_t fill_a = na && (a[0] & 0x80) ? 0xff : 0, fill_b = nb && (b[0] & 0x80) ? 0xff : 0;

	if (fill_a != fill_b)
		return fill_a ? -1 : 1;
	for (i = n; i > 0; i--) {
		uint8_t x = i <= na ? a[na - i] : fill_a, y = i <= nb ? b[nb - i] : fill_b;

		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

static int compare_bytes(const uint8_t *a, size_t na, const uint8_t *b, size_t nb)
{
	int c = memcmp(a, b, na < nb ? na : nb);

	return c ? c : na < nb ? -1 : na > nb;
}

/* Order of two plain-encoded values of a leaf; 2 when they have none (NaN). */
static int compare(const struct c4w_pq_node *leaf, const uint8_t *a, size_t na, const uint8_t *b, size_t nb)
{
	bool is_unsigned = leaf->logical == C4W_PQ_L_INTEGER && !leaf->is_signed;
	double x, y;
	float f;

	switch (leaf->type) {
	case C4W_PQ_BOOLEAN:
		return (a[0] != 0) - (b[0] != 0);
	case C4W_PQ_INT32:
		if (is_unsigned)
			return c4w_le32(a) < c4w_le32(b) ? -1 : c4w_le32(a) > c4w_le32(b);
		return (int32_t)c4w_le32(a) < (int32_t)c4w_le32(b) ? -1 : (int32_t)c4w_le32(a) > (int32_t)c4w_le32(b);
	case C4W_PQ_INT64:
		if (is_unsigned)
			return c4w_le64(a) < c4w_le64(b) ? -1 : c4w_le64(a) > c4w_le64(b);
		return (int64_t)c4w_le64(a) < (int64_t)c4w_le64(b) ? -1 : (int64_t)c4w_le64(a) > (int64_t)c4w_le64(b);
	case C4W_PQ_FLOAT:
		memcpy(&f, a, 4);
		x = (double)f;
		memcpy(&f, b, 4);
		y = (double)f;
		break;
	case C4W_PQ_DOUBLE:
		memcpy(&x, a, 8);
		memcpy(&y, b, 8);
		break;
	default:
		if (leaf->logical == C4W_PQ_L_DECIMAL)
			return compare_decimal(a, na, b, nb);
		if (leaf->logical != C4W_PQ_L_FLOAT16)
			return compare_bytes(a, na, b, nb);
		x = half(a);
		y = half(b);
	}
	return isnan(x) || isnan(y) ? 2 : x < y ? -1 : x > y;
}

static const uint8_t *slot(const struct c4w_batch *b, size_t i, size_t *n)
{
	const struct c4w_batch *v = b;

	if (b->phys == C4W_PHYS_BYTES || b->phys == C4W_PHYS_FIXED)
		return c4w_batch_bytes(b, i, n);
	if (b->indices) {
		i = b->indices[i];
		v = b->dict;
	}
	*n = v->width;
	return (const uint8_t *)v->values + i * v->width;
}

static void check_stats(const struct c4w_pq *pq, size_t group, size_t column, const struct c4w_batch *b, const struct c4w_pq_verify_opts *o,
			struct c4w_findings *out)
{
	const struct c4w_pq_node *leaf = c4w_pq_leaf(pq, column);
	struct c4w_pq_chunk c;
	struct c4w_pq_stats *s = &c.stats;
	uint64_t below = 0, above = 0, there = (uint64_t)(b->n - b->nulls);
	char path[128];
	size_t i, n;

	c4w_pq_chunk(pq, group, column, &c);
	c4w_pq_path(pq, column, path, sizeof path);
	/* below structs and lists writers count nulls each in their own way (a null parent, an empty list), so there only more than all is wrong */
	if (s->has_nulls && (leaf->max_rep == 0 && leaf->parent == 0 ? (uint64_t)s->nulls != (uint64_t)b->nulls
								     : (uint64_t)s->nulls > (uint64_t)c.values - there))
		c4w_findings_addf(out, C4W_SEV_ERROR, C4W_STATE_FAILED, NULL, "parquet.statistics", o->path, -1,
				  "row group %zu, column '%s': the null count is %" PRId64 ", and the data has %zu", group, path, s->nulls, b->nulls);
	if (!s->has_min && !s->has_max)
		return;
	for (i = 0; i < b->n; i++) {
		const uint8_t *p;

		if (!c4w_bit(b->validity, i))
			continue;
		p = slot(b, i, &n);
		below += s->has_min && compare(leaf, p, n, (const uint8_t *)s->min.p, s->min.n) == -1;
		above += s->has_max && compare(leaf, p, n, (const uint8_t *)s->max.p, s->max.n) == 1;
	}
	if (below + above > 0)
		c4w_findings_addf(out, C4W_SEV_ERROR, C4W_STATE_FAILED, NULL, "parquet.statistics", o->path, -1,
				  "row group %zu, column '%s': %" PRIu64 " of %" PRIu64 " values are outside the statistics' minimum and maximum", group, path,
				  below + above, there);
}

/* ---- page index ---- */

struct index_walk {
	const struct c4w_pq_location *loc;
	size_t n, at, wrong;
};

static int index_page(void *ctx, const struct c4w_pq_page_info *p, struct c4w_err *err)
{
	struct index_walk *w = ctx;

	(void)err;
	if (p->type != 0 && p->type != 3)
		return C4W_OK;
	if (w->at < w->n && (w->loc[w->at].offset != p->offset || w->loc[w->at].bytes != p->header_bytes + p->compressed))
		w->wrong++;
	w->at++;
	return C4W_OK;
}

static void check_index(const struct c4w_pq *pq, size_t group, size_t column, const struct c4w_pq_verify_opts *o, struct c4w_pq_worker *worker,
			struct c4w_arena *arena, struct c4w_findings *out)
{
	struct index_walk w = { 0 };
	struct c4w_pq_location *loc;
	struct c4w_err err;
	char path[128];
	size_t i;

	c4w_pq_path(pq, column, path, sizeof path);
	if (c4w_pq_offset_index(pq, group, column, arena, &loc, &w.n, &err) != C4W_OK) {
		c4w_err_prefix(&err, "row group %zu, column '%s'", group, path);
		add_err(out, o, &err);
		return;
	}
	if (w.n == 0)
		return;
	w.loc = loc;
	if (c4w_pq_pages_walk(pq, group, column, worker, index_page, &w, NULL) != C4W_OK)
		return; /* reported when the pages were read */
	/* two pages may begin in the same row: pyarrow splits long rows of lists although the index asks for whole ones */
	for (i = 0; i < w.n; i++)
		w.wrong += i == 0 ? loc[i].first_row != 0 : loc[i].first_row < loc[i - 1].first_row;
	if (w.wrong || w.at != w.n)
		c4w_findings_addf(out, C4W_SEV_ERROR, C4W_STATE_FAILED, NULL, "parquet.page-index", o->path, -1,
				  "row group %zu, column '%s': the offset index does not agree with the pages (%zu wrong, %zu listed, %zu there)", group, path,
				  w.wrong, w.n, w.at);
}

/* ---- chunks ---- */

void c4w_pq_verify_chunk(const struct c4w_pq *pq, size_t group, size_t column, const struct c4w_pq_verify_opts *o,
			 struct c4w_pq_worker *worker, struct c4w_arena *arena, struct c4w_findings *out)
{
	uint32_t bad_crcs = 0;
	struct c4w_pq_opts po = { .keep_dict = true, .bad_crcs = &bad_crcs };
	struct c4w_batch b;
	struct c4w_err err;
	char path[128];
	int rc = c4w_pq_read(pq, group, column, &po, worker, arena, &b, &err);

	if (bad_crcs)
		c4w_findings_addf(out, C4W_SEV_ERROR, C4W_STATE_FAILED, NULL, "parquet.page-crc", o->path, -1,
				  "row group %zu, column '%s': the CRC of %u pages differs", group, c4w_pq_path(pq, column, path, sizeof path), bad_crcs);
	if (rc != C4W_OK) {
		add_err(out, o, &err);
		return;
	}
	if (o->full) {
		check_stats(pq, group, column, &b, o, out);
		check_index(pq, group, column, o, worker, arena, out);
	}
}

void c4w_pq_verify(struct c4w_blob *blob, const struct c4w_pq_verify_opts *o, struct c4w_findings *out)
{
	struct c4w_pq_worker *w = NULL;
	struct c4w_arena arena = { 0 };
	struct c4w_pq *pq = NULL;
	struct c4w_err err;
	size_t g, k;

	arena.limit = o->memory;
	if (c4w_pq_open(blob, &pq, &err) != C4W_OK || c4w_pq_worker_new(&w, &err) != C4W_OK) {
		add_err(out, o, &err);
		c4w_pq_close(pq);
		return;
	}
	c4w_pq_verify_footer(pq, o, out);
	for (g = 0; g < c4w_pq_groups(pq); g++)
		for (k = 0; k < c4w_pq_columns(pq); k++) {
			c4w_pq_verify_chunk(pq, g, k, o, w, &arena, out);
			c4w_arena_reset(&arena);
		}
	c4w_arena_clear(&arena);
	c4w_pq_worker_free(w);
	c4w_pq_close(pq);
}
