/* The pages of a chunk that are taken into a builder: all, or those that hold some rows, found from header to header or by the offset index. */
#include "containers/pq_builder.h"

enum { INDEX_WORTH = 4096 }; /* bytes of a chunk from which on its offset index is looked at */

/* Rows of the current chunk that were taken or skipped so far. */
static size_t rows_seen(const struct pq_builder *b)
{
	return b->skipped + pq_nest_rows(&b->nest) - b->rows_before;
}

static int mark(struct pq_builder *b, const struct pq_page *g, size_t first_row, size_t first_slot)
{
	struct c4w_pq_mark *m;

	C4W_TRY(pq_vec_need(&b->marks, sizeof *m, b->arena, b->err));
	m = (struct c4w_pq_mark *)(void *)(b->marks.p + b->marks.n);
	*m = (struct c4w_pq_mark){ .type = g->type, .offset = g->offset, .bytes = (uint32_t)g->header_bytes + g->compressed, .encoding = g->encoding,
				   .values = g->values, .first_row = (int64_t)first_row, .first_slot = first_slot, .mid_row = g->mid_row };
	if (g->type == PQ_DATA_PAGE_V2) {
		m->claimed_rows = g->rows;
		m->claimed_nulls = g->nulls;
	}
	b->marks.n += sizeof *m;
	return C4W_OK;
}

/* The page whose header was read, into the builder. */
static int take_page(struct pq_builder *b, struct pq_pages *pages, struct pq_page *g, int32_t codec)
{
	size_t first_row = rows_seen(b), first_slot = b->valid.n;

	C4W_TRY(pq_page_body(pages, g, b->err));
	C4W_TRY(pq_take_page(b, g, codec));
	return b->opts->marks ? mark(b, g, first_row, first_slot) : C4W_OK;
}

/* The rows that a page has, where that can be known without decoding it. */
static bool page_rows(const struct pq_builder *b, const struct pq_page *g, size_t *rows)
{
	*rows = b->leaf->max_rep == 0 ? g->values : g->rows;
	return b->leaf->max_rep == 0 || g->type == PQ_DATA_PAGE_V2;
}

static bool is_data(const struct pq_page *g)
{
	return g->type == PQ_DATA_PAGE || g->type == PQ_DATA_PAGE_V2;
}

/* What stands behind the last value that the chunk claims: pages without values, which are noted, or more than it claims. Bytes that are no page
 * are let be. */
static int look_behind(struct pq_builder *b, struct pq_pages *pages)
{
	struct c4w_err no_page;
	struct pq_page g;

	while (pages->at < pages->end && pq_page_header(pages, &g, &no_page) == C4W_OK) {
		if (is_data(&g) && g.values > 0)
			return c4w_damaged(b->err, "parquet.value-count", (int64_t)g.offset, "the chunk has a page behind all the values that it claims");
		if (is_data(&g))
			C4W_TRY(mark(b, &g, rows_seen(b), b->valid.n));
		pq_page_skip(pages, &g);
	}
	return C4W_OK;
}

static bool is_coded(const struct pq_page *g)
{
	return g->encoding == E_PLAIN_DICTIONARY || g->encoding == E_RLE_DICTIONARY;
}

/* A dictionary page that was passed over, now that a page is over it; the walk stays where it is. */
static int go_back(struct pq_builder *b, struct pq_pages *pages, struct pq_page *dict, int32_t codec)
{
	uint64_t at = pages->at;
	int rc;

	pages->at = dict->offset;
	pages->sparse = true;
	rc = take_page(b, pages, dict, codec);
	pages->at = at;
	pages->sparse = false;
	return rc;
}

/* All pages of a chunk that hold rows of [first, last), found from header to header. */
static int take_in_order(struct pq_builder *b, const struct pq_chunk_meta *m, uint64_t begin, uint64_t end, size_t first, size_t last, size_t want)
{
	struct pq_pages pages;
	struct pq_page g, dict = { .header_bytes = 0 }; /* a dictionary page that may not be needed */
	size_t rows, seen;
	bool partial = first > 0 || last < want, whole = b->leaf->max_rep == 0; /* do pages end with a row? */

	pq_pages_init(&pages, b->pq, &b->w->window, begin, end);
	pages.sparse = first > 0;
	for (b->left = m->values; b->left > 0;) {
		bool skip;

		if (last < want && whole && rows_seen(b) >= last)
			break;
		C4W_TRY(pq_page_header(&pages, &g, b->err));
		skip = !is_data(&g) && g.type != PQ_DICTIONARY_PAGE;
		seen = rows_seen(b);
		if (is_data(&g)) {
			if (g.values > b->left) {
				c4w_damaged(b->err, "parquet.value-count", (int64_t)g.offset, "the pages hold more values than the chunk claims");
				return c4w_err_valuesf(b->err, "values left", "%u, not %lld", g.values, (long long)b->left);
			}
			/* a page of nested data (v1) may end in the middle of a row, so only rows known whole are skipped */
			if (first > 0 && page_rows(b, &g, &rows) && b->nest.entries == 0 && seen + rows <= first) {
				b->skipped += rows;
				skip = true;
			}
			b->left -= g.values;
			if (last < want && (seen > last || (seen == last && g.type == PQ_DATA_PAGE_V2)))
				break;
			whole = b->leaf->max_rep == 0 || g.type == PQ_DATA_PAGE_V2;
		}
		if (partial && g.type == PQ_DICTIONARY_PAGE && dict.header_bytes == 0) {
			dict = g;
			skip = true;
		}
		pages.sparse = skip && first > 0; /* headers alone, as long as bodies are passed over */
		if (skip) {
			pq_page_skip(&pages, &g);
			continue;
		}
		if ((!is_data(&g) || is_coded(&g)) && dict.header_bytes > 0 && !b->dict) /* a second dictionary page is damage beside the first */
			C4W_TRY(go_back(b, &pages, &dict, m->codec));
		C4W_TRY(take_page(b, &pages, &g, m->codec));
		/* where pages are skipped by what headers say of their rows, they are held to it */
		if (partial && g.type == PQ_DATA_PAGE_V2 && b->leaf->max_rep > 0 && rows_seen(b) - seen != g.rows) {
			c4w_damaged(b->err, "parquet.page-header", (int64_t)g.offset, "a page's header claims another number of rows than it has");
			return c4w_err_valuesf(b->err, "its rows", "%u, not %zu", g.rows, rows_seen(b) - seen);
		}
	}
	if (b->opts->marks && !partial && !b->pq->old_sizes)
		C4W_TRY(look_behind(b, &pages));
	seen = rows_seen(b);
	if (last >= want && seen != want) {
		c4w_damaged(b->err, "parquet.row-count", (int64_t)begin, "the pages hold another number of rows than the row group");
		return c4w_err_valuesf(b->err, "the row group's rows", "%zu, not %zu", seen, want);
	}
	return C4W_OK;
}

static int contradiction(struct pq_builder *b, const struct pq_page *g, const char *what)
{
	return c4w_damaged(b->err, "parquet.offset-index", (int64_t)g->offset, "%s", what);
}

/* What stands in front of the first data page: the dictionary. */
static int take_front(struct pq_builder *b, const struct pq_chunk_meta *m, uint64_t begin, uint64_t end)
{
	struct pq_pages pages;
	struct pq_page g;

	pq_pages_init(&pages, b->pq, &b->w->window, begin, end);
	while (pages.at < end) {
		C4W_TRY(pq_page_header(&pages, &g, b->err));
		if (is_data(&g))
			return contradiction(b, &g, "the offset index leaves a page out");
		if (g.type == PQ_DICTIONARY_PAGE)
			C4W_TRY(take_page(b, &pages, &g, m->codec));
		else
			pq_page_skip(&pages, &g);
	}
	return C4W_OK;
}

/* The pages that hold rows of [first, last), first < last, by the offset index. It is held against each page that is read. */
static int take_by_index(struct pq_builder *b, const struct pq_chunk_meta *m, uint64_t begin, const struct c4w_pq_location *loc, size_t n,
			 size_t first, size_t last, size_t want)
{
	struct c4w_range range;
	struct pq_pages pages;
	struct pq_page g;
	size_t from = 0, to, i;

	while (from + 1 < n && (size_t)loc[from + 1].first_row <= first)
		from++;
	for (to = from + 1; to < n && (size_t)loc[to].first_row < last;)
		to++;
	range = (struct c4w_range){ loc[from].offset, loc[to - 1].offset + loc[to - 1].bytes - loc[from].offset };
	c4w_blob_prefetch(b->pq->blob, &range, 1);
	b->skipped = (size_t)loc[from].first_row;
	pq_pages_init(&pages, b->pq, &b->w->window, range.offset, range.offset + range.length);
	pages.sparse = begin < loc[0].offset; /* whether the dictionary is needed the first page's header says */
	for (i = from; i < to; i++) {
		pages.at = loc[i].offset;
		C4W_TRY(pq_page_header(&pages, &g, b->err));
		if (is_data(&g) && is_coded(&g) && !b->dict) {
			C4W_TRY(take_front(b, m, begin, loc[0].offset));
			pq_pages_init(&pages, b->pq, &b->w->window, loc[i].offset, range.offset + range.length); /* the window was used for it */
		}
		pages.sparse = false;
		if (!is_data(&g) || g.header_bytes + g.compressed != loc[i].bytes)
			return contradiction(b, &g, "the offset index names no data page here, or one of another size");
		C4W_TRY(take_page(b, &pages, &g, m->codec));
		if (g.mid_row)
			return contradiction(b, &g, "a page of the offset index begins within a row");
		if (rows_seen(b) != (i + 1 < n ? (size_t)loc[i + 1].first_row : want)) {
			contradiction(b, &g, "a page has another number of rows than the offset index gives it");
			return c4w_err_valuesf(b->err, "the next page's first row", "%zu, not %lld", rows_seen(b),
					       (long long)(i + 1 < n ? loc[i + 1].first_row : (int64_t)want));
		}
	}
	return C4W_OK;
}

/* The offset index where it may serve: one that is malformed in itself is left alone, and *n is 0. */
static int usable_index(struct pq_builder *b, size_t group, size_t column, uint64_t end, struct c4w_pq_location **loc, size_t *n)
{
	uint64_t data = (uint64_t)pq_chunk_at(b->pq, group, column)->data_offset;
	struct c4w_err why;
	int rc = c4w_pq_offset_index(b->pq, group, column, &b->w->tmp, loc, n, &why);

	if (rc == C4W_DAMAGED || (rc == C4W_OK && !pq_index_sound(*loc, *n, data, end, b->pq->groups[group].rows)))
		*n = 0;
	else if (rc != C4W_OK)
		*b->err = why;
	return rc == C4W_DAMAGED ? C4W_OK : rc;
}

int pq_take_chunk(struct pq_builder *b, size_t group, size_t column, size_t first, size_t last)
{
	const struct pq_chunk_meta *m = pq_chunk_at(b->pq, group, column);
	size_t want = (size_t)b->pq->groups[group].rows, n = 0;
	struct c4w_pq_location *loc = NULL;
	uint64_t begin, end;

	b->dict = NULL;
	b->rows_before = pq_nest_rows(&b->nest);
	C4W_TRY(pq_chunk_range(b->pq, group, column, &begin, &end, b->err));
	/* a chunk that takes one read anyway does not need a second one to be found in */
	if (first < want && (first > 0 || last < want) && end - begin > INDEX_WORTH)
		C4W_TRY(usable_index(b, group, column, end, &loc, &n));
	if (n > 0)
		return take_by_index(b, m, begin, loc, n, first, last, want);
	return take_in_order(b, m, begin, end, first, last, want);
}
