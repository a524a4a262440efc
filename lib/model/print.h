/* Printing arrays: as CSV, TSV or JSON lines that can be read back, as NPY, as raw bytes; slices with numpy's semantics.
 *
 * Works on a strided view, so that Fortran order and slices cost no copy. A view borrows the array's bytes. No function here keeps
 * state; all text goes to the caller's sink in pieces of some 64 KiB.
 *
 * Text forms. Integers as they are; floats in the shortest form that reads back as the same value.
 *                CSV, TSV                        JSON lines
 *   bool         True, False                     true, false
 *   NaN, inf     nan, inf, -inf                  NaN, Infinity, -Infinity (Python's json reads them)
 *   complex      1.0+2.0j                        [1.0,2.0]
 *   S (bytes)    its bytes as Latin-1 text, without the NULs at the end, in both
 *   U            the text, without the NULs at the end
 *   V            lower-case hex                  "hex"
 *   M8           2020-01-31T12:00:00, NaT        the same in quotes
 *   m8           the number of ticks, NaT        the number, "NaT"
 *   struct       a column a leaf: a, b.x, c[0]   {"a":…,"b":{"x":…},"c":[…]}
 * CSV quotes as RFC 4180 says (also the empty text, so that it is not taken for nothing) and ends lines in LF; TSV escapes backslash, tab, LF, CR and NUL as \\ \t \n \r \0. Both begin with a header
 * line unless it is switched off: "value" for 0 and 1 axes, the last axis' indices for 2 and more, from 3 axes on after columns
 * axis0, axis1, … with the other axes' indices. A struct array of 2 and more axes has a line an element, after its indices. JSON lines: a line an element of the first axis, nested lists for the others; a
 * 0-dimensional array is one line.
 */
#ifndef C4W_MODEL_PRINT_H
#define C4W_MODEL_PRINT_H

#include "base/arena.h"
#include "base/array.h"
#include "base/buf.h"
#include "containers/fault.h" /* c4w_bytes_fn */

enum c4w_text { C4W_TEXT_CSV, C4W_TEXT_TSV, C4W_TEXT_JSONL };

struct c4w_nd {
	struct c4w_dtype dtype;
	unsigned rank;
	uint64_t shape[C4W_ARRAY_RANK_MAX];
	int64_t stride[C4W_ARRAY_RANK_MAX]; /* bytes */
	const uint8_t *base;                /* the first element */
	bool chosen;                        /* dtype lists only some of the element's fields (c4w_nd_columns) */
};

/* The whole array; its bytes are there. */
void c4w_nd_of(const struct c4w_array *a, struct c4w_nd *out);

/* One axis of --slice. */
struct c4w_slice {
	bool index;              /* "3": one element, the axis goes away */
	bool has_start, has_stop;
	int64_t start, stop, step; /* step is never 0 */
};

/* "A:B:S,3,:" : one part an axis, first axis first; ":" is all of it; negative numbers count from the end. C4W_USAGE otherwise. */
int c4w_slice_parse(const char *text, struct c4w_slice out[C4W_ARRAY_RANK_MAX], unsigned *count, struct c4w_err *err) C4W_MUST_CHECK;

/* Apply to the first `count` axes. C4W_USAGE for more parts than axes and for an index outside its axis; a range outside is cut, as in numpy. */
int c4w_nd_slice(struct c4w_nd *v, const struct c4w_slice *slices, unsigned count, struct c4w_err *err) C4W_MUST_CHECK;

/* At most n elements of the first axis. */
void c4w_nd_limit(struct c4w_nd *v, uint64_t n);

/* Of a struct, these fields in this order. C4W_USAGE names what there is. */
int c4w_nd_columns(struct c4w_nd *v, const char *const *names, size_t count, struct c4w_arena *arena, struct c4w_err *err) C4W_MUST_CHECK;

int c4w_nd_print(const struct c4w_nd *v, enum c4w_text form, bool header, c4w_bytes_fn sink, void *ctx, struct c4w_err *err) C4W_MUST_CHECK;

/* The elements in C order, byte order as stored; a struct whose fields c4w_nd_columns chose comes out packed. */
int c4w_nd_raw(const struct c4w_nd *v, c4w_bytes_fn sink, void *ctx, struct c4w_err *err) C4W_MUST_CHECK;

/* numpy.save's header, then c4w_nd_raw. */
int c4w_nd_npy(const struct c4w_nd *v, c4w_bytes_fn sink, void *ctx, struct c4w_err *err) C4W_MUST_CHECK;

/* One element as in the table above; CSV quoting and TSV escapes included. Not for structs. */
void c4w_element_put(struct c4w_buf *b, const struct c4w_dtype *d, const uint8_t *p, enum c4w_text form);

/* Quote or escape a cell. For those who print tables. */
void c4w_cell_put(struct c4w_buf *b, const char *p, size_t n, enum c4w_text form);

#endif
