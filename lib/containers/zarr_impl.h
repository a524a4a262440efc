/* Shared by the files of the Zarr reader only. */
#ifndef C4W_CONTAINERS_ZARR_IMPL_H
#define C4W_CONTAINERS_ZARR_IMPL_H

#include "containers/zarr.h"

struct c4w_zarr {
	struct c4w_store *store;
	char *path;
	uint64_t serial; /* tells arrays apart in a cursor's cache, where an address may be used again */
	uint64_t slots;  /* chunks a file */
	uint64_t chunk_items, step_items;
	struct c4w_arena arena;
	struct c4w_zarr_meta m;
};

/* Growable bytes of a cursor. */
struct c4w_zarr_bytes {
	uint8_t *p;
	size_t cap;
};
int c4w_zarr_room(struct c4w_zarr_bytes *b, size_t n, struct c4w_err *err) C4W_MUST_CHECK;

/* The bytes-to-bytes codecs undone. `a` and `b` are scratch. `want` is the exact size, or 0 when only text knows. The result lies in
 * `src`, a, b, or in `direct` (of `want` bytes, may be NULL). */
int c4w_zarr_decode(const struct c4w_zarr_meta *m, const uint8_t *src, size_t n, size_t want, struct c4w_zarr_bytes *a,
		    struct c4w_zarr_bytes *b, void *direct, void **zstd, const uint8_t **out, size_t *out_n,
		    struct c4w_err *err) C4W_MUST_CHECK;

/* Array-to-array and array-to-bytes codecs undone in place: byte order, delta. */
void c4w_zarr_finish(const struct c4w_zarr_meta *m, uint8_t *p, uint64_t items);

/* vlen-utf8 of exactly `items` texts: offsets (items + 1) and texts moved together in place. */
int c4w_zarr_texts(uint8_t *p, size_t n, uint64_t items, int64_t *offsets, struct c4w_err *err) C4W_MUST_CHECK;

/* Parse zarr.json. Names the feature that is not supported. */
int c4w_zarr_parse(const char *json, size_t n, struct c4w_arena *arena, struct c4w_zarr_meta *m, bool *is_group,
		   struct c4w_err *err) C4W_MUST_CHECK;

void c4w_zarr_zstd_free(void *zstd);

#endif
