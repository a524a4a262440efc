/* Verifying what a Parquet file says of a chunk's pages and values beside the pages: counts by encoding, page index, Bloom filter. */
#include "model/pq_check.h"
#include "model/pq_order.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

/* One chunk under check. */
struct check {
	const struct c4w_pq *pq;
	size_t group, column;
	const struct c4w_pq_node *leaf;
	const struct c4w_pq_mark *pages; /* data pages alone */
	size_t n;
	const struct c4w_batch *b;
	const char *path;
	struct c4w_arena *arena;
	struct c4w_findings *out;
};

static void say(const struct check *k, enum c4w_severity severity, const char *rule, int64_t offset, const char *fmt, ...) C4W_PRINTF(5, 6);

static void say(const struct check *k, enum c4w_severity severity, const char *rule, int64_t offset, const char *fmt, ...)
{
	char column[128], text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	c4w_findings_addf(k->out, severity, C4W_STATE_FAILED, NULL, rule, k->path, offset, "row group %zu, column '%s': %s", k->group,
			  c4w_pq_path(k->pq, k->column, column, sizeof column), text);
}

#define wrong(k, ...) say(k, C4W_SEV_ERROR, __VA_ARGS__)

/* What could not be read at all: malformed, outside the file, of an unknown kind. */
static void unread(const struct check *k, struct c4w_err *err)
{
	char column[128];

	c4w_err_prefix(err, "row group %zu, column '%s'", k->group, c4w_pq_path(k->pq, k->column, column, sizeof column));
	c4w_findings_add_err(k->out, NULL, k->path, err);
}

static size_t first_slot(const struct check *k, size_t page)
{
	return page < k->n ? k->pages[page].first_slot : k->b->n;
}

static int64_t first_row(const struct check *k, size_t page)
{
	return page < k->n ? k->pages[page].first_row : (int64_t)k->b->rows;
}

static size_t nulls_of(const struct check *k, size_t page)
{
	size_t i, nulls = 0;

	for (i = first_slot(k, page); k->b->nulls && i < first_slot(k, page + 1); i++)
		nulls += !c4w_bit(k->b->validity, i);
	return nulls;
}

/* Below structs and lists writers count nulls each in their own way (a null parent, an empty list). */
static bool counts_alike(const struct check *k)
{
	return k->leaf->max_rep == 0 && k->leaf->parent == 0;
}

/* Does a count of nulls fit a page? Where they are counted in different ways it is wrong only beyond all entries that have no value. */
static bool nulls_fit(const struct check *k, size_t page, uint64_t claimed)
{
	size_t slots = first_slot(k, page + 1) - first_slot(k, page), nulls = nulls_of(k, page);

	if (counts_alike(k))
		return claimed == nulls;
	return claimed <= k->pages[page].values - (slots - nulls);
}

/* ---- headers and the footer's counts ---- */

static void check_headers(const struct check *k)
{
	size_t i;

	for (i = 0; i < k->n; i++) {
		const struct c4w_pq_mark *p = &k->pages[i];
		int64_t rows = first_row(k, i + 1) - p->first_row;

		if (p->type != 3)
			continue;
		if (p->claimed_rows != rows || p->mid_row || !nulls_fit(k, i, p->claimed_nulls))
			wrong(k, "parquet.page-rows", (int64_t)p->offset, "a page claims %u rows and %u nulls, and has %" PRId64 " and %zu%s", p->claimed_rows,
			      p->claimed_nulls, rows, nulls_of(k, i), p->mid_row ? ", and begins within a row" : "");
	}
}

static bool is_dictionary(int32_t encoding)
{
	return encoding == 2 || encoding == 8;
}

static void check_counts(const struct check *k)
{
	struct c4w_pq_page_count *counts;
	struct c4w_pq_chunk c;
	struct c4w_err err;
	int64_t coded = 0, claimed = 0, all = 0;
	size_t n, i;

	c4w_pq_chunk(k->pq, k->group, k->column, &c);
	for (i = 0; i < k->n; i++) {
		int32_t e = k->pages[i].encoding;

		coded += is_dictionary(e);
		if (e >= 0 && e < 32 && !(c.encodings >> e & 1) && !(is_dictionary(e) && c.encodings & (1U << 2 | 1U << 8))) {
			const char *name = c4w_pq_encoding_name(e);

			wrong(k, "parquet.page-counts", (int64_t)k->pages[i].offset, "a page has the encoding %s, which the footer does not name", name ? name : "?");
			return;
		}
	}
	if (c4w_pq_page_counts(k->pq, k->group, k->column, k->arena, &counts, &n, &err) != C4W_OK) {
		unread(k, &err);
		return;
	}
	if (n == 0)
		return;
	/* older writers call data pages (v2) data pages, and dictionary encodings by either name */
	for (i = 0; i < n; i++)
		if (counts[i].type == 0 || counts[i].type == 3) {
			all += counts[i].pages;
			claimed += is_dictionary(counts[i].encoding) ? counts[i].pages : 0;
		}
	if (all != (int64_t)k->n || claimed != coded)
		wrong(k, "parquet.page-counts", -1, "the footer counts %" PRId64 " data pages, %" PRId64 " of them over the dictionary, and there are %zu and %" PRId64,
		      all, claimed, k->n, coded);
}

/* ---- page index ---- */

static void check_offsets(const struct check *k)
{
	struct c4w_pq_location *loc;
	struct c4w_err err;
	size_t n, i;

	if (c4w_pq_offset_index(k->pq, k->group, k->column, k->arena, &loc, &n, &err) != C4W_OK) {
		unread(k, &err);
		return;
	}
	if (n == 0)
		return;
	if (n != k->n) {
		wrong(k, "parquet.offset-index", -1, "the offset index lists %zu pages, and there are %zu", n, k->n);
		return;
	}
	for (i = 0; i < n; i++) {
		const struct c4w_pq_mark *p = &k->pages[i];

		if (loc[i].offset != p->offset || loc[i].bytes != p->bytes)
			wrong(k, "parquet.offset-index", (int64_t)p->offset, "the offset index has page %zu at byte %" PRIu64 " with %u bytes, and it is at %" PRIu64
			      " with %u", i, loc[i].offset, loc[i].bytes, p->offset, p->bytes);
		else if (loc[i].first_row != p->first_row || p->mid_row)
			wrong(k, "parquet.offset-index", (int64_t)p->offset, "the offset index has page %zu begin with row %" PRId64 ", and it begins %s row %" PRId64, i,
			      loc[i].first_row, p->mid_row ? "within" : "with", p->first_row - p->mid_row);
		else
			continue;
		return;
	}
}

static bool no_order(const struct c4w_pq_node *leaf)
{
	return leaf->type == C4W_PQ_INT96 || leaf->logical == C4W_PQ_L_INTERVAL || leaf->logical == C4W_PQ_L_GEOMETRY ||
	       leaf->logical == C4W_PQ_L_GEOGRAPHY || leaf->logical == C4W_PQ_L_VARIANT;
}

static bool has_width(const struct c4w_pq_node *leaf, struct c4w_view bound)
{
	static const uint8_t width[] = { 1, 4, 8, 12, 4, 8, 0, 0 };

	return leaf->type == C4W_PQ_BYTE_ARRAY || bound.n == (leaf->type == C4W_PQ_FIXED ? (size_t)leaf->type_length : width[leaf->type]);
}

/* Values of a page outside its bounds. */
static size_t outside(const struct check *k, const struct c4w_pq_page_stats *s, size_t page)
{
	bool min = c4w_pq_bound_usable(k->leaf, s->min), max = c4w_pq_bound_usable(k->leaf, s->max);
	size_t i, n, count = 0;

	for (i = first_slot(k, page); i < first_slot(k, page + 1); i++) {
		const uint8_t *p;

		if (!c4w_bit(k->b->validity, i))
			continue;
		p = c4w_pq_slot(k->b, i, &n);
		count += (min && c4w_pq_compare(k->leaf, p, n, (const uint8_t *)s->min.p, s->min.n) == -1) ||
			 (max && c4w_pq_compare(k->leaf, p, n, (const uint8_t *)s->max.p, s->max.n) == 1);
	}
	return count;
}

/* Are the bounds of b those of a page that may follow a's in the order that the index claims? */
static bool in_order(const struct check *k, const struct c4w_pq_column_index *x, const struct c4w_pq_page_stats *a, const struct c4w_pq_page_stats *b)
{
	int wrong_way = x->order == 1 ? 1 : -1;

	return c4w_pq_compare(k->leaf, (const uint8_t *)a->min.p, a->min.n, (const uint8_t *)b->min.p, b->min.n) != wrong_way &&
	       c4w_pq_compare(k->leaf, (const uint8_t *)a->max.p, a->max.n, (const uint8_t *)b->max.p, b->max.n) != wrong_way;
}

static void check_page_stats(const struct check *k, const struct c4w_pq_column_index *x)
{
	const struct c4w_pq_page_stats *last = NULL;
	bool certain = x->is_certain && !no_order(k->leaf);
	size_t i, count;

	for (i = 0; i < k->n; i++) {
		const struct c4w_pq_page_stats *s = &x->pages[i];
		size_t slots = first_slot(k, i + 1) - first_slot(k, i), there = slots - nulls_of(k, i);

		/* parquet-mr calls a page null that was written without statistics, and gives it -1 nulls */
		if (s->is_null && there > 0 && s->has_nulls && s->nulls == -1) {
			say(k, C4W_SEV_WARNING, "parquet.column-index", (int64_t)k->pages[i].offset,
			    "the column index knows nothing of page %zu and calls it null: readers that filter by it lose %zu values", i, there);
			return;
		}
		if ((s->is_null && there > 0) || (!s->is_null && there == 0 && k->pages[i].values > 0 && counts_alike(k))) {
			wrong(k, "parquet.column-index", (int64_t)k->pages[i].offset, "the column index has page %zu %s nulls alone, and it has %zu values", i,
			      s->is_null ? "with" : "without", there);
			return;
		}
		if (s->has_nulls && (s->nulls < 0 || !nulls_fit(k, i, (uint64_t)s->nulls))) {
			wrong(k, "parquet.column-index", (int64_t)k->pages[i].offset, "the column index gives page %zu %" PRId64 " nulls, and it has %zu", i, s->nulls,
			      nulls_of(k, i));
			return;
		}
		if (there == 0 || !certain)
			continue;
		if (!has_width(k->leaf, s->min) || !has_width(k->leaf, s->max)) {
			wrong(k, "parquet.column-index", (int64_t)k->pages[i].offset, "the column index gives page %zu bounds of %zu and %zu bytes", i, s->min.n, s->max.n);
			return;
		}
		count = outside(k, s, i);
		if (count > 0) {
			wrong(k, "parquet.column-index", (int64_t)k->pages[i].offset, "%zu of %zu values of page %zu are outside the column index's bounds", count,
			      there, i);
			return;
		}
		if (!c4w_pq_bound_usable(k->leaf, s->min) || !c4w_pq_bound_usable(k->leaf, s->max))
			continue;
		if (last && x->order != 0 && !in_order(k, x, last, s)) {
			wrong(k, "parquet.column-index", (int64_t)k->pages[i].offset, "the column index claims %s bounds, and page %zu breaks that",
			      x->order == 1 ? "ascending" : "descending", i);
			return;
		}
		last = s;
	}
}

static void check_column_index(const struct check *k)
{
	struct c4w_pq_column_index x;
	struct c4w_err err;

	if (c4w_pq_column_index(k->pq, k->group, k->column, k->arena, &x, &err) != C4W_OK)
		unread(k, &err);
	else if (x.pages && x.n != k->n)
		wrong(k, "parquet.column-index", -1, "the column index lists %zu pages, and there are %zu", x.n, k->n);
	else if (x.pages)
		check_page_stats(k, &x);
}

/* ---- Bloom filter ---- */

static void check_bloom(const struct check *k)
{
	enum { UNKNOWN, HELD, MISSING };
	struct c4w_pq_bloom bloom;
	struct c4w_err err;
	uint8_t *known = NULL; /* by dictionary value */
	size_t i, n, missing = 0;
	void *p;

	if (c4w_pq_bloom(k->pq, k->group, k->column, k->arena, &bloom, &err) != C4W_OK ||
	    (k->b->indices && c4w_arena_zero(k->arena, k->b->dict->n + 1, 1, &p, &err) != C4W_OK)) {
		unread(k, &err);
		return;
	}
	if (bloom.nblocks == 0)
		return;
	if (k->b->indices)
		known = p;
	for (i = 0; i < k->b->n; i++) {
		const uint8_t *v;
		bool held;

		if (!c4w_bit(k->b->validity, i))
			continue;
		if (known && known[k->b->indices[i]] != UNKNOWN) {
			missing += known[k->b->indices[i]] == MISSING;
			continue;
		}
		v = c4w_pq_slot(k->b, i, &n);
		held = c4w_pq_bloom_has(&bloom, v, n);
		if (known)
			known[k->b->indices[i]] = held ? HELD : MISSING;
		missing += !held;
	}
	if (missing)
		wrong(k, "parquet.bloom-filter", -1, "the Bloom filter says of %zu of %zu values that they are not there", missing, k->b->n - k->b->nulls);
}

void c4w_pq_verify_pages(const struct c4w_pq *pq, size_t group, size_t column, const struct c4w_pq_marks *marks, const struct c4w_batch *b,
			 const struct c4w_pq_verify_opts *o, struct c4w_arena *arena, struct c4w_findings *out)
{
	struct check k = { pq, group, column, c4w_pq_leaf(pq, column), NULL, 0, b, o->path, arena, out };
	struct c4w_pq_mark *data;
	struct c4w_err err;
	size_t i;
	void *p;

	if (marks->n == 0) /* no values: writers leave a page or not, and it is not read */
		return;
	if (c4w_arena_take(arena, marks->n * sizeof *data, &p, &err) != C4W_OK) {
		unread(&k, &err);
		return;
	}
	k.pages = data = p;
	for (i = 0; i < marks->n; i++)
		if (marks->v[i].type != 2)
			data[k.n++] = marks->v[i];
		else if (i > 0)
			wrong(&k, "parquet.dictionary", (int64_t)marks->v[i].offset, "the dictionary page stands behind %zu data pages", i);
	check_headers(&k);
	check_counts(&k);
	check_offsets(&k);
	check_column_index(&k);
	check_bloom(&k);
}
