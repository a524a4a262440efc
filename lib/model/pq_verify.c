/* Verifying a Parquet file: every page decoded, and what the footer says of the data held against it. */
#include "model/pq_check.h"
#include "model/pq_order.h"

#include <inttypes.h>
#include <stdlib.h>

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
		p = c4w_pq_slot(b, i, &n);
		below += s->has_min && c4w_pq_compare(leaf, p, n, (const uint8_t *)s->min.p, s->min.n) == -1;
		above += s->has_max && c4w_pq_compare(leaf, p, n, (const uint8_t *)s->max.p, s->max.n) == 1;
	}
	if (below + above > 0)
		c4w_findings_addf(out, C4W_SEV_ERROR, C4W_STATE_FAILED, NULL, "parquet.statistics", o->path, -1,
				  "row group %zu, column '%s': %" PRIu64 " of %" PRIu64 " values are outside the statistics' minimum and maximum", group, path,
				  below + above, there);
}

/* ---- chunks ---- */

void c4w_pq_verify_chunk(const struct c4w_pq *pq, size_t group, size_t column, const struct c4w_pq_verify_opts *o,
			 struct c4w_pq_worker *worker, struct c4w_arena *arena, struct c4w_findings *out)
{
	uint32_t bad_crcs = 0;
	struct c4w_pq_marks marks;
	struct c4w_pq_opts po = { .keep_dict = true, .bad_crcs = &bad_crcs, .marks = &marks };
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
		c4w_pq_verify_pages(pq, group, column, &marks, &b, o, arena, out);
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
