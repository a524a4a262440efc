/* Arrays: dtype, rank, shape, order and borrowed bytes. What numpy calls an ndarray without strides.
 *
 * An array owns nothing: its bytes and a structured dtype's fields live as long as what they were made from (a view, an
 * arena). All byte counts are products that were checked when the array was made.
 */
#ifndef C4W_BASE_ARRAY_H
#define C4W_BASE_ARRAY_H

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum { C4W_ARRAY_RANK_MAX = 64 }; /* numpy 2's own limit (32 in numpy 1) */

/* numpy's letters, so that messages and descriptions need no table. */
enum c4w_dkind {
	C4W_BOOL = 'b',
	C4W_INT = 'i',
	C4W_UINT = 'u',
	C4W_FLOAT = 'f',
	C4W_COMPLEX = 'c',
	C4W_BYTES = 'S',     /* fixed width, padded with NUL */
	C4W_UNICODE = 'U',   /* fixed width, 4 bytes a code point, padded with NUL */
	C4W_VOID = 'V',      /* raw bytes */
	C4W_DATETIME = 'M',
	C4W_TIMEDELTA = 'm',
	C4W_STRUCT = 'r',    /* fields */
};

/* Units of datetime64 and timedelta64. */
enum c4w_unit { C4W_UNIT_GENERIC, C4W_UNIT_Y, C4W_UNIT_M, C4W_UNIT_W, C4W_UNIT_D, C4W_UNIT_H, C4W_UNIT_MIN, C4W_UNIT_S,
		C4W_UNIT_MS, C4W_UNIT_US, C4W_UNIT_NS, C4W_UNIT_PS, C4W_UNIT_FS, C4W_UNIT_AS };

struct c4w_field;

struct c4w_dtype {
	char kind;       /* enum c4w_dkind */
	char order;      /* '<' or '>'; '|' where there is none (one-byte kinds, S, V, structs) */
	uint8_t unit;    /* enum c4w_unit, for M and m */
	uint32_t units;  /* M and m: how many units a tick, at least 1 */
	uint64_t size;   /* bytes an element; may be 0 for S, U, V and structs */
	const struct c4w_field *fields; /* C4W_STRUCT, else NULL */
	size_t field_count;
};

struct c4w_field {
	struct c4w_view name, title; /* UTF-8; title.p is NULL where there is none */
	uint64_t offset;             /* within the element */
	struct c4w_dtype dtype;
	unsigned rank;               /* of the subarray; 0: a scalar */
	const uint64_t *shape;
	uint64_t count;              /* product of the subarray's shape, 1 for a scalar */
};

struct c4w_array {
	struct c4w_dtype dtype;
	unsigned rank;
	bool fortran; /* first axis varies fastest */
	uint64_t count, size; /* elements; bytes (count * dtype.size) */
	uint64_t shape[C4W_ARRAY_RANK_MAX]; /* only the first `rank` are set */
	const uint8_t *bytes; /* borrowed; NULL while only the header is known */
};

/* Is it this plain type? c4w_dtype_is(&d, 'f', 4) is true for both byte orders. */
bool c4w_dtype_is(const struct c4w_dtype *d, char kind, uint64_t size);

/* Same kind, size, byte order, unit and fields (names, offsets, shapes)? */
bool c4w_dtype_eq(const struct c4w_dtype *a, const struct c4w_dtype *b);

/* numpy's spelling: "<f4", "|u1", "<M8[25s]", "<U3"; a struct gives "[('a', '<f4'), …]". Always NUL-terminated, cut with "...". */
char *c4w_dtype_text(const struct c4w_dtype *d, char *out, size_t size);

/* The same, whole, appended: as it stands in an NPY header. Padding inside a struct comes out as ('', '|V3'). */
struct c4w_buf;
void c4w_dtype_put(struct c4w_buf *b, const struct c4w_dtype *d);

/* UTF-8 text as Python's repr() quotes it. */
void c4w_repr_put(struct c4w_buf *b, struct c4w_view text);

/* A tuple as Python prints it: "()", "(3,)", "(2, 3)"; cut with "...". */
void c4w_shape_put(struct c4w_buf *b, unsigned rank, const uint64_t *shape);
char *c4w_shape_text(unsigned rank, const uint64_t *shape, char *out, size_t size);

/* Does the bytes' order not matter, because at most one axis is longer than 1? */
bool c4w_array_both_orders(const struct c4w_array *a);

/* Fill count and size from shape and dtype. C4W_DAMAGED "array.size" when a product does not fit 63 bits. Like numpy, a zero
 * anywhere in the shape does not excuse an overflow before it. */
int c4w_array_measure(struct c4w_array *a, struct c4w_err *err) C4W_MUST_CHECK;

/* Write the elements to out (a.size bytes) in C order, little-endian where the dtype has an order. Structs: each field. */
void c4w_array_to_c_order(const struct c4w_array *a, bool little_endian, uint8_t *out);

#endif
