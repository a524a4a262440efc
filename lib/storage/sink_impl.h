/* What sink.c and outfile.c share: a descriptor with gathered small writes. Only lib/storage includes this. */
#ifndef C4W_STORAGE_SINK_IMPL_H
#define C4W_STORAGE_SINK_IMPL_H

#include "base/sha256.h"
#include "storage/sink.h"

struct c4w_writer {
	int fd;
	uint64_t at;       /* bytes appended, gathered ones included */
	uint8_t *gathered; /* made with the first small write */
	size_t n;
	bool hash;
	struct c4w_sha256 sha;
};

void c4w_writer_init(struct c4w_writer *w, int fd, bool hash);
/* Room for all of it now rather than a full disk later; where the file system can't reserve, the size alone. */
int c4w_writer_reserve(struct c4w_writer *w, uint64_t size, const char *name, struct c4w_err *err);
int c4w_writer_put(struct c4w_writer *w, const void *p, size_t n, const char *name, struct c4w_err *err);
int c4w_writer_flush(struct c4w_writer *w, const char *name, struct c4w_err *err);
/* Flush, fsync when `durable`, close: all of it reported. The descriptor is gone afterwards. */
int c4w_writer_close(struct c4w_writer *w, bool durable, const char *name, struct c4w_err *err);
void c4w_writer_drop(struct c4w_writer *w);

/* A failure to write: C4W_IO whatever errno is (a vanished directory is not an absent input), with a hint for a full disk. */
int c4w_write_failed(struct c4w_err *err, int sys_errno, const char *what, const char *name);

/* All of it, to the descriptor's position (offset -1) or at an offset. */
int c4w_write_all(int fd, int64_t offset, const void *p, size_t n, const char *name, struct c4w_err *err);

#endif
