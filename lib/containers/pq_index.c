/* The page index (PageIndex.md) and walks over page headers: for verify and for showing, reading values needs neither. */
#include "containers/pq_impl.h"

#include "base/checked.h"
#include "base/limits.h"

int c4w_pq_chunk_bytes(const struct c4w_pq *pq, size_t group, size_t column, uint64_t *begin, uint64_t *end, struct c4w_err *err)
{
	return pq_chunk_range(pq, group, column, begin, end, err);
}

int c4w_pq_pages_walk(const struct c4w_pq *pq, size_t group, size_t column, struct c4w_pq_worker *worker,
		      int (*fn)(void *ctx, const struct c4w_pq_page_info *page, struct c4w_err *err), void *ctx, struct c4w_err *err)
{
	const struct pq_chunk_meta *m = pq_chunk_at(pq, group, column);
	int64_t left = m->values;
	struct pq_pages pages;
	struct pq_page g;
	uint64_t begin, end;

	C4W_TRY(pq_chunk_range(pq, group, column, &begin, &end, err));
	pq_pages_init(&pages, pq, &worker->window, begin, end);
	while (left > 0) {
		struct c4w_pq_page_info info;

		C4W_TRY(pq_page_header(&pages, &g, err));
		info = (struct c4w_pq_page_info){ g.type, g.offset, (uint32_t)g.header_bytes, g.compressed, g.uncompressed, g.values, g.encoding, g.has_crc };
		C4W_TRY(fn(ctx, &info, err));
		if (g.type == PQ_DATA_PAGE || g.type == PQ_DATA_PAGE_V2)
			left -= g.values;
		pq_page_skip(&pages, &g);
	}
	return C4W_OK;
}

static void read_location(struct pq_cur *c, struct c4w_pq_location *l)
{
	struct pq_field f = { 0, 0 };
	int64_t v;

	if (!pq_struct_begin(c))
		return;
	while (pq_field_next(c, &f)) {
		if (f.id < 1 || f.id > 3) {
			pq_skip(c, f.wire);
			continue;
		}
		v = pq_int(c, &f);
		if (v < 0 || (f.id == 2 && v > INT32_MAX))
			pq_bad(c, "parquet.page-index", "field %d of a page location is %lld", f.id, (long long)v);
		if (f.id == 1)
			l->offset = (uint64_t)v;
		else if (f.id == 2)
			l->bytes = (uint32_t)v;
		else
			l->first_row = v;
	}
}

int c4w_pq_offset_index(const struct c4w_pq *pq, size_t group, size_t column, struct c4w_arena *arena, struct c4w_pq_location **out, size_t *n,
			struct c4w_err *err)
{
	const struct pq_chunk_meta *m = pq_chunk_at(pq, group, column);
	struct pq_field f = { 0, 0 };
	struct pq_cur c;
	const uint8_t *p;
	uint32_t count, i;
	uint8_t wire;
	void *mem;

	*out = NULL;
	*n = 0;
	if (m->offset_index_offset <= 0 || m->offset_index_bytes <= 0)
		return C4W_OK;
	if (!c4w_within((uint64_t)m->offset_index_offset, (uint64_t)m->offset_index_bytes, pq->pages_end))
		return c4w_damaged(err, "parquet.page-index", m->offset_index_offset, "the offset index lies outside the file");
	C4W_TRY(c4w_blob_view(pq->blob, (uint64_t)m->offset_index_offset, (size_t)m->offset_index_bytes, arena, &p, err));
	pq_cur_init(&c, p, (size_t)m->offset_index_bytes, (uint64_t)m->offset_index_offset, err);
	if (pq_struct_begin(&c)) {
		while (pq_field_next(&c, &f)) {
			if (f.id != 1 || f.wire != PQ_W_LIST || *out) {
				pq_skip(&c, f.wire);
				continue;
			}
			count = pq_list(&c, &wire);
			if (count > 0 && wire != PQ_W_STRUCT)
				pq_bad(&c, "parquet.page-index", "page locations are not structures");
			C4W_TRY(c4w_arena_zero(arena, count + 1U, sizeof **out, &mem, err));
			*out = mem;
			for (i = 0; i < count && !c.bad; i++)
				read_location(&c, &(*out)[i]);
			*n = count;
		}
	}
	return c.bad ? c.cls : C4W_OK;
}
