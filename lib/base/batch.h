/* Batch: one leaf column of one row group in Arrow's physical layout. Nothing here is called per value: readers loop over plain arrays.
 *
 * A batch borrows everything (usually from the arena it was read into) and lives as long as that. Zeroed storage is an empty batch.
 *
 * Slots. `n` leaf slots, nulls included; slot i of the values belongs to bit i of `validity` (least significant bit first, 1 = there).
 * What a null slot holds is zero. For a column without lists n == rows and slot i is row i.
 *
 * Lists. lists[0] is the outermost. lists[k].offsets has lists[k].n + 1 entries: element j of level k owns the slots
 * offsets[j] .. offsets[j+1]-1 of level k+1, or of the leaf when k is the last. lists[0].n is `rows` (unless a list stands in no other list,
 * where each row has one). A null list has an empty range and a 0 bit in its validity; an empty list has an empty range and a 1 bit.
 * Maps are lists of their two children.
 *
 * Structs. Optional structs above the leaf have a validity of their own: structs[] names, per optional group from the outside in, how many
 * lists enclose it, and its bits by slot of that depth. Filled only when the reader was asked for it.
 */
#ifndef C4W_BASE_BATCH_H
#define C4W_BASE_BATCH_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum c4w_phys {
	C4W_PHYS_NONE,   /* a column of nulls: no values */
	C4W_PHYS_BOOL,   /* bytes 0 or 1 (not bits: loops are simpler and faster) */
	C4W_PHYS_INT32,  /* narrower integers too, widened by the file format itself */
	C4W_PHYS_INT64,
	C4W_PHYS_FLOAT,
	C4W_PHYS_DOUBLE,
	C4W_PHYS_FIXED,  /* `width` bytes a value: INT96, UUID, decimals, float16, ... */
	C4W_PHYS_BYTES   /* offsets and bytes: strings and binary */
};

struct c4w_batch_list {
	size_t n;                /* lists at this level, null and empty ones included */
	const int32_t *offsets;  /* n + 1; offsets[0] == 0 */
	const uint8_t *validity; /* bitmap; NULL: no list is null */
	size_t nulls;
};

struct c4w_batch_struct {
	size_t n;                /* slots at its depth */
	uint32_t depth;          /* lists that enclose it */
	const uint8_t *validity; /* bitmap; NULL: none is null */
};

struct c4w_batch {
	enum c4w_phys phys;
	uint32_t width;            /* bytes of a value; 0 for BYTES */
	size_t rows;               /* rows of the table that this batch covers */
	size_t n;                  /* leaf slots */
	size_t nulls;
	const uint8_t *validity;   /* NULL: no nulls */

	/* Plain form. BYTES: value i is bytes[offsets[i]] .. bytes[offsets[i+1]-1]. All NULL in dictionary form. */
	const void *values;
	const int64_t *offsets;    /* n + 1 */
	const uint8_t *bytes;

	/* Dictionary form: value i is dict's value indices[i], which is in range for every slot that is there, and 0 for null slots. */
	const uint32_t *indices;   /* NULL: plain form */
	const struct c4w_batch *dict; /* a batch in plain form without nulls; may be shared by several batches */

	uint32_t nlists, nstructs;
	const struct c4w_batch_list *lists;
	const struct c4w_batch_struct *structs;
};

/* Is slot i there? For printers and tests; loops look at whole bytes of the bitmap. */
static inline bool c4w_batch_valid(const struct c4w_batch *b, size_t i)
{
	return b->phys != C4W_PHYS_NONE && (b->validity == NULL || (b->validity[i >> 3] >> (i & 7) & 1));
}

static inline bool c4w_bit(const uint8_t *bits, size_t i)
{
	return bits == NULL || (bits[i >> 3] >> (i & 7) & 1);
}

/* The bytes of slot i of a BYTES or FIXED batch in either form. For a null slot the length is 0 (BYTES) or the bytes are zero (FIXED). */
static inline const uint8_t *c4w_batch_bytes(const struct c4w_batch *b, size_t i, size_t *length)
{
	if (b->indices != NULL) {
		i = b->indices[i];
		b = b->dict;
		if (i >= b->n) { /* a null slot over an empty dictionary */
			*length = 0;
			return (const uint8_t *)"";
		}
	}
	if (b->phys == C4W_PHYS_BYTES) {
		*length = (size_t)(b->offsets[i + 1] - b->offsets[i]);
		return b->bytes + b->offsets[i];
	}
	*length = b->width;
	return (const uint8_t *)b->values + i * b->width;
}

/* Slot i of a BYTES batch as text; p NULL when there is none, or it is null. */
static inline struct c4w_view c4w_batch_view(const struct c4w_batch *b, size_t i)
{
	struct c4w_view v = { NULL, 0 };
	if (i < b->n && c4w_batch_valid(b, i)) {
		v.p = (const char *)c4w_batch_bytes(b, i, &v.n);
		if (!v.p)
			v.p = "";
	}
	return v;
}

/* How many ones do n bits have? */
size_t c4w_bits_count(const uint8_t *bits, size_t n);

#endif
