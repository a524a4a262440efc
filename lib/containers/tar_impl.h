/* What tar.c (members) and tar_head.c (fields, pax records, sparse maps) share. */
#ifndef C4W_CONTAINERS_TAR_IMPL_H
#define C4W_CONTAINERS_TAR_IMPL_H

#include "containers/tar.h"

enum { TAR_BLOCK = 512 };

/* Offsets of a header's fields (POSIX ustar; GNU's where they differ). */
enum {
	TAR_NAME = 0, TAR_MODE = 100, TAR_UID = 108, TAR_GID = 116, TAR_SIZE = 124, TAR_MTIME = 136, TAR_SUM = 148, TAR_TYPE = 156,
	TAR_LINK = 157, TAR_MAGIC = 257, TAR_PREFIX = 345, TAR_STAR_MAGIC = 508,
	TAR_GNU_SPARSE = 386, TAR_GNU_EXTENDED = 482, TAR_GNU_REALSIZE = 483,
};

/* A growing list of sparse pieces in an arena. */
struct tar_map {
	struct c4w_range *v;
	size_t n, cap;
};

/* What pax records say; views are into the record's bytes. A view with p == NULL: not said. */
struct c4w_tar_pax {
	struct c4w_view path, link, size, uid, gid, mtime;
	struct c4w_view sparse_major, sparse_minor, sparse_name, sparse_realsize, sparse_size, sparse_map;
	struct tar_map sparse_list; /* 0.0: repeated offset and numbytes records */
	bool sparse_half;           /* an offset whose numbytes has not come yet */
};

/* A numeric field of a header: octal or base-256. */
bool c4w_tar_number(const uint8_t *p, size_t n, int64_t *out);

/* Decimal digits only, into 63 bits. */
bool c4w_tar_decimal(struct c4w_view s, uint64_t *out);

/* Is the header's checksum right (bytes as unsigned or, by old writers, as signed)? */
bool c4w_tar_sum_ok(const uint8_t *h);

/* Add the records in `p` (which must stay) to *pax. `at` is their place in the archive, for messages. */
int c4w_tar_pax_parse(const uint8_t *p, size_t n, uint64_t at, struct c4w_arena *arena, struct c4w_tar_pax *pax, struct c4w_err *err) C4W_MUST_CHECK;

int c4w_tar_map_add(struct tar_map *map, uint64_t offset, uint64_t length, struct c4w_arena *arena, struct c4w_err *err) C4W_MUST_CHECK;

/* "offset,length,offset,length,…" (GNU sparse 0.1). */
int c4w_tar_map_text(struct c4w_view text, struct tar_map *map, struct c4w_arena *arena, uint64_t at, struct c4w_err *err) C4W_MUST_CHECK;

/* Put a map into the member: pieces ascend, do not overlap, lie within m->size, and add up to m->stored. */
int c4w_tar_map_settle(const struct tar_map *map, struct c4w_tar_member *m, struct c4w_arena *arena, struct c4w_err *err) C4W_MUST_CHECK;

#endif
