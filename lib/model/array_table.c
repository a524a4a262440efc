/* Structured arrays as Parquet tables. See array_table.h. */
#include "model/array_table.h"

#include <stdlib.h>
#include <string.h>

struct c4w_array_table {
	const struct c4w_dtype *row;
	struct c4w_pq_writer *writer;
	size_t columns;
	struct c4w_arena arena; /* reset at each put */
};

static enum c4w_pq_type type_of(const struct c4w_dtype *d)
{
	uint64_t size = d->kind == C4W_COMPLEX ? d->size / 2 : d->size;
	if (d->kind == C4W_FLOAT || d->kind == C4W_COMPLEX)
		return size == 8 ? C4W_PQ_DOUBLE : C4W_PQ_FLOAT;
	if (d->kind == C4W_UNICODE)
		return C4W_PQ_BYTE_ARRAY;
	if (d->kind == C4W_BOOL)
		return C4W_PQ_BOOLEAN;
	return size == 8 ? C4W_PQ_INT64 : C4W_PQ_INT32;
}

static bool supported(const struct c4w_dtype *d)
{
	switch (d->kind) {
	case C4W_BOOL:
	case C4W_UNICODE:
		return true;
	case C4W_INT:
	case C4W_UINT:
		return d->order != '>';
	case C4W_FLOAT:
		return d->order == '<' && (d->size == 4 || d->size == 8);
	case C4W_COMPLEX:
		return d->order == '<' && (d->size == 8 || d->size == 16);
	default:
		return false;
	}
}

/* The schema of the row's fields; nodes are in the arena. */
static int schema(const struct c4w_dtype *row, struct c4w_arena *arena, struct c4w_pq_node **nodes, uint32_t *count, size_t *columns,
		  struct c4w_err *err)
{
	struct c4w_pq_node *n;
	uint32_t at = 1;
	size_t k, part;
	void *mem;
	C4W_TRY(c4w_arena_zero(arena, 6 * row->field_count + 1, sizeof *n, &mem, err));
	n = mem;
	n[0].name = C4W_VIEW("schema");
	for (k = 0; k < row->field_count; k++) {
		const struct c4w_field *f = &row->fields[k];
		size_t parts = f->dtype.kind == C4W_COMPLEX ? 2 : 1;
		if (!supported(&f->dtype) || f->rank > 1)
			return c4w_fail(err, C4W_UNSUPPORTED, "field %zu can't be a column of a Parquet table", k);
		for (part = 0; part < parts; part++) {
			struct c4w_pq_node leaf = { .name = f->name, .type = type_of(&f->dtype), .repetition = C4W_PQ_REQUIRED };
			if (parts == 2) {
				char *name;
				C4W_TRY(c4w_arena_take(arena, f->name.n + 3, &mem, err));
				name = mem;
				memcpy(name, f->name.p, f->name.n);
				memcpy(name + f->name.n, part ? "_im" : "_re", 3);
				leaf.name = (struct c4w_view){ name, f->name.n + 3 };
			}
			if (f->dtype.kind == C4W_UNICODE)
				leaf.logical = C4W_PQ_L_STRING;
			if (f->dtype.kind == C4W_UINT || (f->dtype.kind == C4W_INT && f->dtype.size < 4)) {
				leaf.logical = C4W_PQ_L_INTEGER;
				leaf.bits = (uint8_t)(8 * f->dtype.size);
				leaf.is_signed = f->dtype.kind == C4W_INT;
			}
			n[0].nchildren++;
			++*columns;
			if (f->rank) {
				n[at++] = (struct c4w_pq_node){ .name = leaf.name, .logical = C4W_PQ_L_LIST, .nchildren = 1 };
				n[at++] = (struct c4w_pq_node){ .name = C4W_VIEW("list"), .repetition = C4W_PQ_REPEATED, .nchildren = 1 };
				leaf.name = C4W_VIEW("element");
			}
			n[at++] = leaf;
		}
	}
	*nodes = n;
	*count = at;
	return C4W_OK;
}

int c4w_array_table_new(const struct c4w_dtype *row, const struct c4w_pq_write_opts *opts, c4w_pq_write_fn write, void *ctx,
			struct c4w_array_table **out, struct c4w_err *err)
{
	struct c4w_array_table *t = calloc(1, sizeof *t);
	struct c4w_pq_node *nodes = NULL;
	uint32_t n = 0;
	int cls;
	*out = NULL;
	if (!t)
		return c4w_fail_memory(err, sizeof *t);
	t->row = row;
	cls = schema(row, &t->arena, &nodes, &n, &t->columns, err);
	if (cls == C4W_OK)
		cls = c4w_pq_writer_new(nodes, n, opts, write, ctx, &t->writer, err);
	c4w_arena_reset(&t->arena);
	if (cls != C4W_OK) {
		c4w_array_table_free(t);
		return cls;
	}
	*out = t;
	return C4W_OK;
}

void c4w_array_table_free(struct c4w_array_table *t)
{
	if (!t)
		return;
	c4w_pq_writer_free(t->writer);
	c4w_arena_clear(&t->arena);
	free(t);
}

int c4w_array_table_finish(struct c4w_array_table *t, struct c4w_err *err)
{
	return c4w_pq_writer_finish(t->writer, err);
}

/* ---- rows ---- */

static int texts(struct c4w_array_table *t, const struct c4w_field *f, const uint8_t *rows, size_t n, struct c4w_batch *out, struct c4w_err *err)
{
	int64_t *offsets;
	char *text;
	size_t used = 0, i, c;
	void *mem, *mem2;
	C4W_TRY(c4w_arena_take(&t->arena, (n + 1) * sizeof *offsets, &mem, err));
	C4W_TRY(c4w_arena_take(&t->arena, n * (size_t)f->dtype.size + 1, &mem2, err)); /* UTF-8 takes no more than UTF-32 */
	offsets = mem;
	text = mem2;
	for (i = 0; i < n; i++) {
		const uint8_t *u = rows + i * (size_t)t->row->size + f->offset;
		offsets[i] = (int64_t)used;
		for (c = 0; c < f->dtype.size / 4; c++, u += 4) {
			uint32_t cp = (uint32_t)u[0] | (uint32_t)u[1] << 8 | (uint32_t)u[2] << 16 | (uint32_t)u[3] << 24;
			if (cp == 0)
				break;
			used += c4w_utf8_encode(cp, text + used);
		}
	}
	offsets[n] = (int64_t)used;
	*out = (struct c4w_batch){ .phys = C4W_PHYS_BYTES, .rows = n, .n = n, .offsets = offsets, .bytes = mem2 };
	return C4W_OK;
}

static int numbers(struct c4w_array_table *t, const struct c4w_field *f, size_t part, const uint8_t *rows, size_t n, struct c4w_batch_list *list,
		   struct c4w_batch *out, struct c4w_err *err)
{
	static const enum c4w_phys physes[] = { [C4W_PQ_BOOLEAN] = C4W_PHYS_BOOL, [C4W_PQ_INT32] = C4W_PHYS_INT32, [C4W_PQ_INT64] = C4W_PHYS_INT64,
						[C4W_PQ_FLOAT] = C4W_PHYS_FLOAT, [C4W_PQ_DOUBLE] = C4W_PHYS_DOUBLE };
	enum c4w_phys phys = physes[type_of(&f->dtype)];
	size_t per = (size_t)f->count, size = (size_t)f->dtype.size / (f->dtype.kind == C4W_COMPLEX ? 2 : 1), to = phys == C4W_PHYS_INT32 ? 4 : size, i, e;
	uint8_t *v;
	void *mem;
	C4W_TRY(c4w_arena_zero(&t->arena, n * per + 1, to, &mem, err));
	v = mem;
	for (i = 0; i < n; i++) {
		const uint8_t *from = rows + i * (size_t)t->row->size + f->offset + part * size;
		for (e = 0; e < per; e++, v += to, from += f->dtype.size) {
			memcpy(v, from, size);
			if (f->dtype.kind == C4W_INT && size < to && v[size - 1] & 0x80)
				memset(v + size, 0xFF, to - size);
		}
	}
	*out = (struct c4w_batch){ .phys = phys, .width = (uint32_t)to, .rows = n, .n = n * per, .values = mem };
	if (f->rank) {
		int32_t *offsets;
		C4W_TRY(c4w_arena_take(&t->arena, (n + 1) * sizeof *offsets, &mem, err));
		offsets = mem;
		for (i = 0; i <= n; i++)
			offsets[i] = (int32_t)(i * per);
		*list = (struct c4w_batch_list){ .n = n, .offsets = offsets };
		out->nlists = 1;
		out->lists = list;
	}
	return C4W_OK;
}

/* At most so many values a batch, for the offsets of lists are 32 bits. */
static int put_some(struct c4w_array_table *t, const uint8_t *rows, size_t n, struct c4w_err *err)
{
	struct c4w_batch *b;
	struct c4w_batch_list *lists;
	size_t k, part, col = 0;
	void *mem;
	c4w_arena_reset(&t->arena);
	C4W_TRY(c4w_arena_zero(&t->arena, t->columns, sizeof *b, &mem, err));
	b = mem;
	C4W_TRY(c4w_arena_zero(&t->arena, t->columns, sizeof *lists, &mem, err));
	lists = mem;
	for (k = 0; k < t->row->field_count; k++) {
		const struct c4w_field *f = &t->row->fields[k];
		for (part = 0; part < (f->dtype.kind == C4W_COMPLEX ? 2 : 1); part++, col++)
			C4W_TRY(f->dtype.kind == C4W_UNICODE ? texts(t, f, rows, n, &b[col], err) :
							       numbers(t, f, part, rows, n, &lists[col], &b[col], err));
	}
	return c4w_pq_writer_put(t->writer, n, b, err);
}

int c4w_array_table_put(struct c4w_array_table *t, const uint8_t *rows, size_t bytes, struct c4w_err *err)
{
	size_t width = (size_t)t->row->size, n = width ? bytes / width : 0, most = (64u << 20) / (width ? width : 1) + 1, at;
	for (at = 0; at < n; at += most)
		C4W_TRY(put_some(t, rows + at * width, n - at < most ? n - at : most, err));
	return C4W_OK;
}
