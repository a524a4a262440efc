/* NPY: numpy's file of one array. Versions 1.0, 2.0 and 3.0; other major versions are C4W_UNSUPPORTED, as are object arrays (their
 * pickles are never looked at). Thread-safe: no state. */
#ifndef C4W_CONTAINERS_NPY_H
#define C4W_CONTAINERS_NPY_H

#include "base/array.h"
#include "base/arena.h"
#include "base/rule.h"
#include "base/buf.h"
#include "containers/fault.h"
#include "storage/store.h"

struct c4w_npy {
	struct c4w_array array; /* array.bytes is NULL until c4w_npy_body */
	uint8_t major, minor;
	size_t header_size;     /* bytes before the data */
};

/* Parse the header at the front of `n` bytes. `p` need not hold the body: a header that is cut by the end of the bytes is
 * C4W_DAMAGED "npy.header-length", so give it all or call c4w_npy_need first. A struct's
 * fields go into the arena (untouched for plain dtypes). */
int c4w_npy_parse(const uint8_t *p, size_t n, struct c4w_arena *arena, struct c4w_npy *out, struct c4w_err *err) C4W_MUST_CHECK;

/* How many bytes the header takes, from the first 12 (or fewer, if the file is shorter). */
int c4w_npy_need(const uint8_t *p, size_t n, size_t *header_size, struct c4w_err *err) C4W_MUST_CHECK;

/* Point npy->array.bytes at the body inside the same n bytes. A body that is too short is C4W_DAMAGED "npy.body-short"; a longer one
 * "npy.trailing", unless `trailing_ok`. */
int c4w_npy_body(struct c4w_npy *npy, const uint8_t *p, size_t n, bool trailing_ok, struct c4w_err *err) C4W_MUST_CHECK;

/* The same judgement when only `room`, the number of bytes behind the header, is known. */
int c4w_npy_check_length(const struct c4w_npy *npy, uint64_t room, bool trailing_ok, struct c4w_err *err) C4W_MUST_CHECK;

/* Header and exact body at once. */
int c4w_npy_read(const uint8_t *p, size_t n, struct c4w_arena *arena, struct c4w_npy *out, struct c4w_err *err) C4W_MUST_CHECK;

/* Header of a file of which only the front is read: works on [offset, offset+length) of the blob. */
int c4w_npy_read_header(struct c4w_blob *b, uint64_t offset, uint64_t length, struct c4w_arena *arena, struct c4w_npy *out,
			struct c4w_err *err) C4W_MUST_CHECK;

/* Append the header that numpy.save writes for this array (its bytes are not looked at), in the oldest version that can hold it. */
void c4w_npy_write_header(struct c4w_buf *b, const struct c4w_array *a);

/* A lone file: header, body length. */
int c4w_npy_verify(struct c4w_blob *b, struct c4w_arena *arena, struct c4w_faults *faults, struct c4w_err *err) C4W_MUST_CHECK;


extern const struct c4w_rule c4w_npy_rules[]; /* ended by an empty row */

#endif
