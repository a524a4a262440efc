/* NPZ: a ZIP of NPY files. An entry "tau.npy" is the array "tau". */
#ifndef C4W_CONTAINERS_NPZ_H
#define C4W_CONTAINERS_NPZ_H

#include "containers/npy.h"
#include "containers/zip.h"

struct c4w_npz_member {
	struct c4w_view name; /* without ".npy" */
	struct c4w_zip_entry *entry;
	const uint8_t *bytes; /* the entry, once read: the whole NPY file, entry->size bytes */
	struct c4w_npy npy;   /* array.bytes inside `bytes` */
};

struct c4w_npz {
	struct c4w_zip zip;
	struct c4w_npz_member *members; /* in the directory's order */
	size_t count;
};

/* A record in memory: directory checked (c4w_zip_check), each entry's name ends in ".npy" ("npz.name"), sum of sizes at most `limit`
 * ("npz.total", C4W_LIMIT). Nothing is decompressed yet. */
int c4w_npz_open(const uint8_t *p, size_t n, uint64_t limit, struct c4w_arena *arena, struct c4w_npz *out, struct c4w_err *err) C4W_MUST_CHECK;

/* Decompress a member (once) and parse it; its body is exactly as long as shape and dtype say. */
int c4w_npz_load(struct c4w_zip_worker *w, struct c4w_npz *z, struct c4w_npz_member *m, bool check_crc, struct c4w_err *err) C4W_MUST_CHECK;

/* By name, with or without ".npy". NULL when there is none. */
struct c4w_npz_member *c4w_npz_find(struct c4w_npz *z, struct c4w_view name);

/* A lone file: the ZIP's check, each entry an NPY. */
int c4w_npz_verify(struct c4w_zip_worker *w, struct c4w_blob *b, struct c4w_arena *arena, struct c4w_faults *faults,
		   struct c4w_err *err) C4W_MUST_CHECK;


extern const struct c4w_rule c4w_npz_rules[]; /* ended by an empty row */

#endif
