/* Rows of a batch as a batch of its own, over the same memory. */
#include "containers/pq_impl.h"

#include "base/limits.h"

static int bits_from(const uint8_t **bits, size_t at, size_t n, struct c4w_arena *arena, struct c4w_err *err)
{
	void *p;

	if (!*bits)
		return C4W_OK;
	C4W_TRY(c4w_arena_zero(arena, n / 8 + 16, 1, &p, err));
	pq_bits_copy_from(p, 0, *bits, at, n);
	*bits = p;
	return C4W_OK;
}

int pq_batch_slice(struct c4w_batch *b, size_t first, size_t count, struct c4w_arena *arena, struct c4w_err *err)
{
	struct c4w_batch_list *lists = NULL;
	struct c4w_batch_struct *structs = NULL;
	size_t at[C4W_LIMIT_PARQUET_DEPTH + 2], n[C4W_LIMIT_PARQUET_DEPTH + 2], i;
	void *p;
	uint32_t k;

	if (first > b->rows)
		first = b->rows;
	if (count > b->rows - first)
		count = b->rows - first;
	if (first == 0 && count == b->rows)
		return C4W_OK;
	at[0] = first;
	n[0] = count;
	if (b->nlists) {
		C4W_TRY(c4w_arena_zero(arena, b->nlists, sizeof *lists, &p, err));
		lists = p;
	}
	for (k = 0; k < b->nlists; k++) {
		const struct c4w_batch_list *l = &b->lists[k];
		int32_t *off, base = l->offsets[at[k]];

		C4W_TRY(c4w_arena_take(arena, (n[k] + 1) * sizeof *off, &p, err));
		off = p;
		for (i = 0; i <= n[k]; i++)
			off[i] = l->offsets[at[k] + i] - base;
		lists[k] = (struct c4w_batch_list){ n[k], off, l->validity, 0 };
		C4W_TRY(bits_from(&lists[k].validity, at[k], n[k], arena, err));
		if (lists[k].validity)
			lists[k].nulls = n[k] - c4w_bits_count(lists[k].validity, n[k]);
		at[k + 1] = (size_t)base;
		n[k + 1] = (size_t)off[n[k]];
	}
	if (b->nstructs) {
		C4W_TRY(c4w_arena_zero(arena, b->nstructs, sizeof *structs, &p, err));
		structs = p;
	}
	for (k = 0; k < b->nstructs; k++) {
		structs[k] = b->structs[k];
		structs[k].n = n[structs[k].depth];
		C4W_TRY(bits_from(&structs[k].validity, at[structs[k].depth], structs[k].n, arena, err));
	}
	C4W_TRY(bits_from(&b->validity, at[b->nlists], n[b->nlists], arena, err));
	b->rows = count;
	b->n = n[b->nlists];
	b->nulls = b->validity ? b->n - c4w_bits_count(b->validity, b->n) : 0;
	if (b->indices) {
		b->indices += at[b->nlists];
	} else if (b->phys == C4W_PHYS_BYTES) {
		int64_t *off, base = b->offsets[at[b->nlists]];

		C4W_TRY(c4w_arena_take(arena, (b->n + 1) * sizeof *off, &p, err));
		off = p;
		for (i = 0; i <= b->n; i++)
			off[i] = b->offsets[at[b->nlists] + i] - base;
		b->offsets = off;
		b->bytes += base;
	} else if (b->values) {
		b->values = (const uint8_t *)b->values + at[b->nlists] * b->width;
	}
	b->lists = lists;
	b->structs = structs;
	return C4W_OK;
}
