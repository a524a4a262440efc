/* Pages of a column chunk: headers, and a window over the blob. */
#include "containers/pq_impl.h"

#include "base/checked.h"
#include "base/limits.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOW = 1024 * 1024, HEADER_FIRST = 16 * 1024, HEADER_MAX = 16 * 1024 * 1024 };

void pq_pages_init(struct pq_pages *s, const struct c4w_pq *pq, struct pq_scratch *window, uint64_t begin, uint64_t end)
{
	*s = (struct pq_pages){ .pq = pq, .window = window, .at = begin, .end = end, .win_at = begin };
}

/* The blob's own memory, or NULL: a view into an arena that gives nothing. */
static const uint8_t *lend(struct c4w_blob *blob, uint64_t at, size_t n)
{
	struct c4w_arena none = { .limit = 1 };
	const uint8_t *p;

	return n > 1 && c4w_blob_view(blob, at, n, &none, &p, NULL) == C4W_OK ? p : NULL;
}

/* Make [at, at+want) readable; *have is what is there from `at` on, at least want. The caller has checked want against the chunk. */
static int window(struct pq_pages *s, uint64_t at, size_t want, const uint8_t **p, size_t *have, struct c4w_err *err)
{
	size_t keep = 0, fill;

	if (at >= s->win_at && c4w_within(at - s->win_at, want, s->win_bytes)) {
		*p = s->win + (at - s->win_at);
		*have = s->win_bytes - (size_t)(at - s->win_at);
		return C4W_OK;
	}
	fill = want > WINDOW || s->sparse ? want : WINDOW;
	if (fill > s->end - at)
		fill = (size_t)(s->end - at);
	if (!s->lent) {
		/* the first time: does the blob lend its memory? then there is never a copy */
		if (s->win_bytes == 0 && s->win == NULL) {
			const uint8_t *whole = lend(s->pq->blob, s->win_at, (size_t)(s->end - s->win_at));

			if (whole) {
				s->lent = true;
				s->win = whole;
				s->win_bytes = (size_t)(s->end - s->win_at);
				return window(s, at, want, p, have, err);
			}
		}
		/* what is already here of [at, ...) moves to the front */
		if (s->win && at >= s->win_at && at - s->win_at < s->win_bytes)
			keep = s->win_bytes - (size_t)(at - s->win_at);
		if (fill > s->window->cap) {
			struct pq_scratch fresh = { NULL, 0 };

			C4W_TRY(pq_scratch_need(&fresh, fill, err));
			if (keep)
				memcpy(fresh.p, s->win + (at - s->win_at), keep);
			free(s->window->p);
			*s->window = fresh;
		} else if (keep) {
			memmove(s->window->p, s->win + (at - s->win_at), keep);
		}
		s->win = s->window->p;
		s->win_at = at;
		s->win_bytes = keep;
		C4W_TRY(c4w_blob_read_at(s->pq->blob, at + keep, fill - keep, s->window->p + keep, err));
		s->win_bytes = fill;
	}
	*p = s->win + (at - s->win_at);
	*have = s->win_bytes - (size_t)(at - s->win_at);
	return C4W_OK;
}

static void data_header(struct pq_cur *c, struct pq_page *g)
{
	struct pq_field f = { 0, 0 };
	unsigned seen = 0;

	if (!pq_struct_begin(c))
		return;
	while (pq_field_next(c, &f)) {
		int32_t v;

		if (f.id < 1 || f.id > 4) {
			pq_skip(c, f.wire);
			continue;
		}
		v = pq_int32(c, &f);
		seen |= 1U << f.id;
		if (f.id == 1 && v < 0)
			pq_bad(c, "parquet.page-header", "a page claims %d values", v);
		if (f.id == 1)
			g->values = (uint32_t)v;
		else if (f.id == 2)
			g->encoding = v;
		else if (f.id == 3)
			g->def_encoding = v;
		else
			g->rep_encoding = v;
	}
	if ((seen & 6) != 6)
		pq_bad(c, "parquet.page-header", "a data page header lacks a required field");
}

static void data_header_v2(struct pq_cur *c, struct pq_page *g)
{
	struct pq_field f = { 0, 0 };
	unsigned seen = 0;

	g->is_compressed = true;
	if (!pq_struct_begin(c))
		return;
	while (pq_field_next(c, &f)) {
		int32_t v;

		if (f.id == 7) {
			g->is_compressed = pq_bool(c, &f);
			continue;
		}
		if (f.id < 1 || f.id > 6) {
			pq_skip(c, f.wire);
			continue;
		}
		v = pq_int32(c, &f);
		seen |= 1U << f.id;
		if (f.id != 4 && v < 0)
			pq_bad(c, "parquet.page-header", "field %d of a page header is %d", f.id, v);
		switch (f.id) {
		case 1:
			g->values = (uint32_t)v;
			break;
		case 2:
			g->nulls = (uint32_t)v;
			break;
		case 3:
			g->rows = (uint32_t)v;
			break;
		case 4:
			g->encoding = v;
			break;
		case 5:
			g->def_bytes = (uint32_t)v;
			break;
		default:
			g->rep_bytes = (uint32_t)v;
		}
	}
	if ((seen & 0x7e) != 0x7e)
		pq_bad(c, "parquet.page-header", "a data page header (v2) lacks a required field");
}

static void dictionary_header(struct pq_cur *c, struct pq_page *g)
{
	struct pq_field f = { 0, 0 };
	unsigned seen = 0;

	if (!pq_struct_begin(c))
		return;
	while (pq_field_next(c, &f)) {
		int32_t v;

		if (f.id != 1 && f.id != 2) {
			pq_skip(c, f.wire);
			continue;
		}
		v = pq_int32(c, &f);
		seen |= 1U << f.id;
		if (f.id == 1 && v < 0)
			pq_bad(c, "parquet.page-header", "a dictionary page claims %d values", v);
		if (f.id == 1)
			g->values = (uint32_t)v;
		else
			g->encoding = v;
	}
	if ((seen & 6) != 6)
		pq_bad(c, "parquet.page-header", "a dictionary page header lacks a required field");
}

static void parse_header(struct pq_cur *c, struct pq_page *g)
{
	struct pq_field f = { 0, 0 };
	int32_t v, packed = -1, raw = -1;
	unsigned seen = 0;

	if (!pq_struct_begin(c))
		return;
	while (pq_field_next(c, &f)) {
		switch (f.id) {
		case 1:
			g->type = pq_int32(c, &f);
			seen |= 1;
			break;
		case 2:
			raw = pq_int32(c, &f);
			break;
		case 3:
			packed = pq_int32(c, &f);
			break;
		case 4:
			v = pq_int32(c, &f);
			g->crc = (uint32_t)v;
			g->has_crc = true;
			break;
		case 5:
			if (pq_want(c, &f, PQ_W_STRUCT))
				data_header(c, g);
			seen |= 2;
			break;
		case 7:
			if (pq_want(c, &f, PQ_W_STRUCT))
				dictionary_header(c, g);
			seen |= 4;
			break;
		case 8:
			if (pq_want(c, &f, PQ_W_STRUCT))
				data_header_v2(c, g);
			seen |= 8;
			break;
		default:
			pq_skip(c, f.wire);
		}
	}
	if (c->bad)
		return;
	if (!(seen & 1) || packed < 0 || raw < 0) {
		pq_bad(c, "parquet.page-header", "a page header lacks its type or sizes, or they are negative");
		return;
	}
	if ((g->type == PQ_DATA_PAGE && !(seen & 2)) || (g->type == PQ_DICTIONARY_PAGE && !(seen & 4)) ||
	    (g->type == PQ_DATA_PAGE_V2 && !(seen & 8)))
		pq_bad(c, "parquet.page-header", "a page header of type %d lacks the fields of that type", g->type);
	g->compressed = (uint32_t)packed;
	g->uncompressed = (uint32_t)raw;
}

int pq_page_header(struct pq_pages *s, struct pq_page *g, struct c4w_err *err)
{
	size_t want = HEADER_FIRST, have;
	const uint8_t *p;
	struct pq_cur c;

	for (;;) {
		struct c4w_err local;

		*g = (struct pq_page){ .offset = s->at };
		if (want > s->end - s->at)
			want = (size_t)(s->end - s->at);
		if (want == 0)
			return c4w_damaged(err, "parquet.value-count", (int64_t)s->at, "the chunk ends before its last page");
		C4W_TRY(window(s, s->at, want, &p, &have, err));
		if (have > HEADER_MAX)
			have = HEADER_MAX;
		pq_cur_init(&c, p, have, s->at, &local);
		parse_header(&c, g);
		if (!c.bad)
			break;
		if (c.is_short && have < HEADER_MAX && have < s->end - s->at) {
			want = have < HEADER_MAX / 4 ? have * 4 : HEADER_MAX;
			continue;
		}
		if (err)
			*err = local;
		return c.cls;
	}
	g->header_bytes = (size_t)(c.p - p);
	if (g->compressed > s->end - s->at - g->header_bytes) {
		c4w_damaged(err, "parquet.page-size", (int64_t)s->at, "a page goes beyond its column chunk");
		return c4w_err_valuesf(err, "bytes left in the chunk", "%u claimed, %llu left", g->compressed,
				       (unsigned long long)(s->end - s->at - g->header_bytes));
	}
	if (g->compressed > C4W_LIMIT_PARQUET_PAGE || g->uncompressed > C4W_LIMIT_PARQUET_PAGE)
		return c4w_fail(err, C4W_LIMIT, "a page of %u bytes (%u compressed) at byte %llu is above the limit of %llu", g->uncompressed,
				g->compressed, (unsigned long long)s->at, (unsigned long long)C4W_LIMIT_PARQUET_PAGE);
	return C4W_OK;
}

int pq_page_body(struct pq_pages *s, struct pq_page *g, struct c4w_err *err)
{
	size_t have;

	C4W_TRY(window(s, s->at + g->header_bytes, g->compressed, &g->data, &have, err));
	g->readable = have;
	pq_page_skip(s, g);
	return C4W_OK;
}

void pq_page_skip(struct pq_pages *s, const struct pq_page *g)
{
	s->at += g->header_bytes + g->compressed;
}
