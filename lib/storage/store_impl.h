/* What a kind of store or blob has to provide. Only lib/storage includes this. */
#ifndef C4W_STORAGE_STORE_IMPL_H
#define C4W_STORAGE_STORE_IMPL_H

#include "storage/store.h"

#include <stdatomic.h>

struct c4w_store_ops {
	int (*open)(struct c4w_store *s, const char *rel, struct c4w_blob **out, struct c4w_err *err);
	int (*stat)(struct c4w_store *s, const char *rel, struct c4w_stat *out, struct c4w_err *err);
	/* `look`: all of each entry's st, else kind and is_link are enough */
	int (*list)(struct c4w_store *s, const char *rel, bool look, struct c4w_arena *arena, struct c4w_dirent **out, size_t *count,
		    struct c4w_err *err);
	void (*destroy)(struct c4w_store *s);
};

struct c4w_store {
	const struct c4w_store_ops *ops;
	atomic_int refs;
	char *name;
};

struct c4w_blob_ops {
	/* offset and length are within size when this is called */
	int (*read_at)(struct c4w_blob *b, uint64_t offset, size_t length, void *buf, struct c4w_err *err);
	/* memory to lend, or NULL */
	const uint8_t *(*lend)(struct c4w_blob *b, uint64_t offset, size_t length);
	void (*prefetch)(struct c4w_blob *b, const struct c4w_range *ranges, size_t count);
	void (*destroy)(struct c4w_blob *b);
};

struct c4w_blob {
	const struct c4w_blob_ops *ops;
	atomic_int refs;
	uint64_t size;
	char *name;
	struct c4w_stat st;
};

/* Zeroed storage of `bytes` for a store or blob with one owner and a copy of name. NULL when memory is gone. */
void *c4w_store_alloc(size_t bytes, const struct c4w_store_ops *ops, const char *name);
void *c4w_blob_alloc(size_t bytes, const struct c4w_blob_ops *ops, const char *name, uint64_t size);

/* A blob over an open file, which must be a regular one; fd is taken, also on failure. */
int c4w_blob_adopt(int fd, const char *name, struct c4w_blob **out, struct c4w_err *err);
/* What a slice, or a slice of one, is a window into, and where; another blob itself, with 0. */
const struct c4w_blob *c4w_blob_beneath(const struct c4w_blob *b, uint64_t *offset);
int c4w_blob_file_fd(const struct c4w_blob *b); /* lent; -1 when it is no file on disk */

/* Sort entries bytewise by name. */
void c4w_dirents_sort(struct c4w_dirent *v, size_t n);

#endif
