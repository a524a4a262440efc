/* TAR, reading: v7, ustar, GNU (long names, base-256, sparse), pax (local and global; sparse 0.0, 0.1, 1.0).
 *
 * Names and sizes from the different headers are kept apart while reading and settled once, in this order: pax local, pax global, GNU long
 * name, prefix and name. */
#ifndef C4W_CONTAINERS_TAR_H
#define C4W_CONTAINERS_TAR_H

#include "base/arena.h"
#include "base/rule.h"
#include "base/str.h"
#include "containers/fault.h"
#include "storage/store.h"

enum c4w_tar_type {
	C4W_TAR_FILE = '0',
	C4W_TAR_HARDLINK = '1',
	C4W_TAR_SYMLINK = '2',
	C4W_TAR_CHAR = '3',
	C4W_TAR_BLOCK = '4',
	C4W_TAR_DIR = '5',
	C4W_TAR_FIFO = '6',
};

enum c4w_tar_format { C4W_TAR_V7, C4W_TAR_USTAR, C4W_TAR_GNU, C4W_TAR_PAX };

struct c4w_tar_member {
	struct c4w_view path, link; /* raw; link is empty for other types */
	char type;               /* enum c4w_tar_type; '\0' and '7' in the file become FILE; an unknown letter stays */
	uint8_t format;          /* enum c4w_tar_format */
	uint32_t mode;
	int64_t uid, gid;        /* -1: not a number here */
	int64_t mtime;           /* whole seconds */
	uint64_t header;         /* offset of the member's first header block (pax and GNU ones included) */
	uint64_t data;           /* offset of its data in the archive */
	uint64_t stored;         /* bytes of data there */
	uint64_t size;           /* bytes of the file; differs from stored for sparse ones */
	uint64_t next;           /* offset of the next header */
	const struct c4w_range *sparse; /* sparse: pieces of the file, in order; their bytes are stored back to back from `data` */
	const uint64_t *sparse_at; /* where each piece begins in the stored data */
	size_t sparse_count;
	bool is_sparse;
};

struct c4w_tar {
	struct c4w_blob *blob; /* borrowed */
	uint64_t base, length; /* the window; all offsets are relative to base */
	uint64_t at;           /* where the next header is looked for */
	struct c4w_arena *arena;
	bool ended;
	/* private */
	uint8_t *buffer;
	uint64_t buffer_at;
	size_t buffer_n;
	struct c4w_tar_pax *global;
};

/* Archive in [offset, offset + length) of the blob. `arena` keeps what the reader itself needs (17 KiB, global pax records). */
int c4w_tar_open(struct c4w_blob *b, uint64_t offset, uint64_t length, struct c4w_arena *arena, struct c4w_tar *out,
		 struct c4w_err *err) C4W_MUST_CHECK;

/* The next member; its names and sparse map go into `names` (the arena given to c4w_tar_open, or another that may be reset after each member).
 * *found is false at the end: two zero blocks with nothing but zeros behind. One zero block at the end and an end without any are
 * "tar.end", junk behind it "tar.trailing"; after either, and after every other damage, the archive can't be read further. */
int c4w_tar_next(struct c4w_tar *t, struct c4w_arena *names, struct c4w_tar_member *m, bool *found, struct c4w_err *err) C4W_MUST_CHECK;

/* n bytes of the file at `offset` (holes are zeros); the range must lie within m->size. */
int c4w_tar_read(struct c4w_tar *t, const struct c4w_tar_member *m, uint64_t offset, size_t n, void *buf, struct c4w_err *err) C4W_MUST_CHECK;

/* All members, in order, in the arena given to c4w_tar_open. */
int c4w_tar_list(struct c4w_tar *t, struct c4w_tar_member **out, size_t *count, struct c4w_err *err) C4W_MUST_CHECK;

/* Do the first 512 bytes look like a TAR header (checksum right)? For probing. */
bool c4w_tar_probe(const uint8_t *p, size_t n);

/* A lone file: every header, every size, the end. Constant memory. */
int c4w_tar_verify(struct c4w_blob *b, struct c4w_arena *arena, struct c4w_faults *faults, struct c4w_err *err) C4W_MUST_CHECK;


extern const struct c4w_rule c4w_tar_rules[]; /* ended by an empty row */

#endif
