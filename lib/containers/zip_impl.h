/* What zip.c (directory) and zip_read.c (data) share. */
#ifndef C4W_CONTAINERS_ZIP_IMPL_H
#define C4W_CONTAINERS_ZIP_IMPL_H

#include "containers/zip.h"

enum {
	ZIP_LOCATED = 1, /* `data` is known, the local header agrees */
	ZIP_OVERLAP = 2, /* its span meets another's */
	ZIP_BAD = 4,     /* the check has reported it */
};

enum { ZIP_FLAG_ENCRYPTED = 1, ZIP_FLAG_DESCRIPTOR = 8, ZIP_FLAG_PATCH = 0x20, ZIP_FLAG_STRONG = 0x40, ZIP_FLAG_UTF8 = 0x800, ZIP_FLAG_MASKED = 0x2000 };

/* n bytes of the archive at `at`, which must lie within it: lent or in the arena. */
int c4w_zip_bytes(struct c4w_zip *z, uint64_t at, size_t n, struct c4w_arena *arena, const uint8_t **out, struct c4w_err *err) C4W_MUST_CHECK;

/* The same into the caller's memory. */
int c4w_zip_copy(struct c4w_zip *z, uint64_t at, size_t n, uint8_t *out, struct c4w_err *err) C4W_MUST_CHECK;

/* Put the entry's name in front of the error's message. Returns rc. */
int c4w_zip_name_error(const struct c4w_zip_entry *e, int rc, struct c4w_err *err);

#endif
