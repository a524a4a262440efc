/* The page index (PageIndex.md): offset index, column index; and the counts of pages by encoding. */
#include "containers/pq_impl.h"

#include "base/checked.h"
#include "base/limits.h"

int c4w_pq_chunk_bytes(const struct c4w_pq *pq, size_t group, size_t column, uint64_t *begin, uint64_t *end, struct c4w_err *err)
{
	return pq_chunk_range(pq, group, column, begin, end, err);
}

/* A structure of its own in front of the footer, to be read by *c; at its end at once when there is none. */
static int part(const struct c4w_pq *pq, int64_t offset, int32_t bytes, const char *rule, struct c4w_arena *arena, struct pq_cur *c,
		struct c4w_err *err)
{
	bool there = offset > 0 && bytes > 0;
	const uint8_t *p = (const uint8_t *)"";

	if (there) {
		if (!c4w_within((uint64_t)offset, (uint64_t)bytes, pq->pages_end))
			return c4w_damaged(err, rule, offset, "%d bytes of the page index lie outside the file", bytes);
		C4W_TRY(c4w_blob_view(pq->blob, (uint64_t)offset, (size_t)bytes, arena, &p, err));
	}
	pq_cur_init(c, p, there ? (size_t)bytes : 0, (uint64_t)offset, err);
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
			pq_bad(c, "parquet.offset-index", "field %d of a page location is %lld", f.id, (long long)v);
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
	uint32_t count, i;
	uint8_t wire;
	void *mem;

	*out = NULL;
	*n = 0;
	C4W_TRY(part(pq, m->offset_index_offset, m->offset_index_bytes, "parquet.offset-index", arena, &c, err));
	if (c.p == c.end)
		return C4W_OK;
	if (pq_struct_begin(&c)) {
		while (pq_field_next(&c, &f)) {
			if (f.id != 1 || f.wire != PQ_W_LIST || *out) {
				pq_skip(&c, f.wire);
				continue;
			}
			count = pq_list(&c, &wire);
			if (count > 0 && wire != PQ_W_STRUCT)
				pq_bad(&c, "parquet.offset-index", "page locations are not structures");
			C4W_TRY(c4w_arena_zero(arena, count + 1U, sizeof **out, &mem, err));
			*out = mem;
			for (i = 0; i < count && !c.bad; i++)
				read_location(&c, &(*out)[i]);
			*n = count;
		}
	}
	if (!c.bad && !*out)
		pq_bad(&c, "parquet.offset-index", "the offset index lacks its page locations");
	return c.bad ? c.cls : C4W_OK;
}

bool pq_index_sound(const struct c4w_pq_location *loc, size_t n, uint64_t data, uint64_t end, int64_t rows)
{
	size_t i;

	if (n == 0 || loc[0].offset != data || loc[0].first_row != 0)
		return false;
	for (i = 0; i < n; i++) {
		bool last = i + 1 == n;
		uint64_t next = last ? end : loc[i + 1].offset;

		/* pyarrow writes pages without values now and then, whose first row is the next one's too */
		if (loc[i].offset > next || loc[i].bytes > next - loc[i].offset || loc[i].first_row > (last ? rows : loc[i + 1].first_row))
			return false;
		if (!last && loc[i].bytes != next - loc[i].offset)
			return false;
	}
	return true;
}

/* A list of the column index: room for its pages is made by the first. */
static uint32_t page_list(struct pq_cur *c, const struct pq_field *f, uint8_t kind, struct c4w_pq_column_index *out, struct c4w_arena *arena)
{
	uint32_t n;
	uint8_t wire;
	void *mem;

	if (!pq_want(c, f, PQ_W_LIST))
		return 0;
	n = pq_list(c, &wire);
	if (n > 0 && wire != kind && !(kind == PQ_W_TRUE && wire == PQ_W_FALSE))
		pq_bad(c, "parquet.column-index", "a list of the column index has elements of another type");
	if (!c->bad && out->pages && n != out->n)
		pq_bad(c, "parquet.column-index", "the lists of the column index differ in length (%u and %zu)", n, out->n);
	if (c->bad)
		return 0;
	if (!out->pages) {
		c->cls = c4w_arena_zero(arena, n + 1U, sizeof *out->pages, &mem, c->err);
		if (c->cls != C4W_OK) {
			c->bad = true;
			return 0;
		}
		out->pages = mem;
		out->n = n;
	}
	return n;
}

int c4w_pq_column_index(const struct c4w_pq *pq, size_t group, size_t column, struct c4w_arena *arena, struct c4w_pq_column_index *out,
			struct c4w_err *err)
{
	const struct pq_chunk_meta *m = pq_chunk_at(pq, group, column);
	struct pq_field f = { 0, 0 };
	unsigned seen = 0;
	struct pq_cur c;
	uint32_t n, i;

	*out = (struct c4w_pq_column_index){ .is_certain = pq->orders[column] == 1 };
	C4W_TRY(part(pq, m->column_index_offset, m->column_index_bytes, "parquet.column-index", arena, &c, err));
	if (c.p == c.end)
		return C4W_OK;
	if (!pq_struct_begin(&c))
		return c.cls;
	while (pq_field_next(&c, &f)) {
		if (f.id > 0 && f.id < 32)
			seen |= 1U << f.id;
		switch (f.id) {
		case 1:
			for (n = page_list(&c, &f, PQ_W_TRUE, out, arena), i = 0; i < n && !c.bad; i++)
				out->pages[i].is_null = pq_list_bool(&c);
			break;
		case 2:
			for (n = page_list(&c, &f, PQ_W_BINARY, out, arena), i = 0; i < n && !c.bad; i++)
				out->pages[i].min = pq_bytes(&c);
			break;
		case 3:
			for (n = page_list(&c, &f, PQ_W_BINARY, out, arena), i = 0; i < n && !c.bad; i++)
				out->pages[i].max = pq_bytes(&c);
			break;
		case 4:
			out->order = pq_int32(&c, &f);
			break;
		case 5:
			for (n = page_list(&c, &f, PQ_W_I64, out, arena), i = 0; i < n && !c.bad; i++) {
				out->pages[i].nulls = pq_varint_zz(&c);
				out->pages[i].has_nulls = true;
			}
			break;
		default:
			pq_skip(&c, f.wire);
		}
	}
	if (!c.bad && (seen & 0x1e) != 0x1e)
		pq_bad(&c, "parquet.column-index", "the column index lacks a required field");
	if (!c.bad && (out->order < 0 || out->order > 2))
		pq_bad(&c, "parquet.column-index", "the column index has the impossible boundary order %d", out->order);
	return c.bad ? c.cls : C4W_OK;
}

int c4w_pq_page_counts(const struct c4w_pq *pq, size_t group, size_t column, struct c4w_arena *arena, struct c4w_pq_page_count **out, size_t *n,
		       struct c4w_err *err)
{
	const struct pq_chunk_meta *m = pq_chunk_at(pq, group, column);
	const uint8_t *p = (const uint8_t *)m->page_counts.p;
	uint32_t count, i;
	struct pq_cur c;
	uint8_t wire;
	void *mem;

	*out = NULL;
	*n = 0;
	if (!p)
		return C4W_OK;
	pq_cur_init(&c, p, m->page_counts.n, pq->pages_end + (uint64_t)(p - pq->footer), err);
	count = pq_list(&c, &wire);
	if (count > 0 && wire != PQ_W_STRUCT)
		pq_bad(&c, "parquet.footer-field", "the counts of pages by encoding are not structures");
	C4W_TRY(c4w_arena_zero(arena, count + 1U, sizeof **out, &mem, err));
	*out = mem;
	for (i = 0; i < count && !c.bad; i++) {
		struct c4w_pq_page_count *k = &(*out)[i];
		struct pq_field f = { 0, 0 };

		if (!pq_struct_begin(&c))
			break;
		while (pq_field_next(&c, &f)) {
			if (f.id == 1)
				k->type = pq_int32(&c, &f);
			else if (f.id == 2)
				k->encoding = pq_int32(&c, &f);
			else if (f.id == 3)
				k->pages = pq_int(&c, &f);
			else
				pq_skip(&c, f.wire);
		}
	}
	*n = count;
	return c.bad ? c.cls : C4W_OK;
}
