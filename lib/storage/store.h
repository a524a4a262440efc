/* Storage, reading side: stores and blobs.
 *
 * A store opens blobs by relative path ('/'-separated). A blob has a size, an identity and read_at, which any thread may
 * call at the same time. Input files are never mapped. Errors keep three cases apart: a missing blob (C4W_ABSENT), a read
 * that ends early because the file is shorter than it was (C4W_IO, "ends early"), and a failed request (C4W_IO with errno).
 *
 * Ownership: c4w_store_open and c4w_blob_file give a blob that the caller closes; a blob outlives its store.
 */
#ifndef C4W_STORAGE_STORE_H
#define C4W_STORAGE_STORE_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct c4w_store;
struct c4w_blob;

enum c4w_kind { C4W_KIND_NONE, C4W_KIND_FILE, C4W_KIND_DIR, C4W_KIND_OTHER };

struct c4w_stat {
	enum c4w_kind kind; /* what the path leads to, links followed */
	uint64_t size;      /* files only */
	uint64_t dev, ino;  /* identity; 0 in memory */
	int64_t mtime_ns;
	bool is_link;       /* the last component is a symbolic link */
};

struct c4w_range {
	uint64_t offset, length;
};

/* A directory on disk. `path` is the user's own name: absolute or relative, links followed. */
int c4w_store_open_dir(const char *path, struct c4w_store **out, struct c4w_err *err) C4W_MUST_CHECK;

/* The name the store was opened by, for messages; "memory" for a memory store. Lives as long as the store. */
const char *c4w_store_name(const struct c4w_store *s);

/* One more owner. Thread-safe. */
struct c4w_store *c4w_store_ref(struct c4w_store *s);
void c4w_store_close(struct c4w_store *s); /* accepts NULL */

/* Open `rel` for reading. C4W_ABSENT when it isn't there, C4W_USAGE for a path with NUL, "..", "." or an empty part or a leading '/'. */
int c4w_store_open(struct c4w_store *s, const char *rel, struct c4w_blob **out, struct c4w_err *err) C4W_MUST_CHECK;

/* What is at `rel` ("" is the root)? Absent things are C4W_OK with kind NONE. */
int c4w_store_stat(struct c4w_store *s, const char *rel, struct c4w_stat *out, struct c4w_err *err) C4W_MUST_CHECK;

/* Names in a directory, sorted bytewise, without "." and "..". Everything is in the arena. */
struct c4w_dirent {
	const char *name;
	struct c4w_stat st;
};
int c4w_store_list(struct c4w_store *s, const char *rel, struct c4w_arena *arena, struct c4w_dirent **out, size_t *count,
		   struct c4w_err *err) C4W_MUST_CHECK;
/* The same without looking at each file: of st only kind and is_link are to be relied on. */
int c4w_store_kinds(struct c4w_store *s, const char *rel, struct c4w_arena *arena, struct c4w_dirent **out, size_t *count,
		    struct c4w_err *err) C4W_MUST_CHECK;

/* Is `rel` a path that a store takes: not empty, relative, no NUL (n counts), no empty, "." or ".." part? Backslashes are a family's matter. */
bool c4w_path_is_plain(const char *rel, size_t n);

/* A file by the user's own name, absolute and ".." allowed. Only regular files and block devices; a directory, FIFO or terminal is C4W_USAGE. */
int c4w_blob_file(const char *path, struct c4w_blob **out, struct c4w_err *err) C4W_MUST_CHECK;

/* A blob over memory. With `take`, `p` (from malloc) is freed on close; else it is borrowed. `name` is copied. On failure nothing is taken. */
int c4w_blob_memory(const char *name, const void *p, size_t n, bool take, struct c4w_blob **out, struct c4w_err *err) C4W_MUST_CHECK;

/* A window into a parent, which it keeps open (one more owner): member of a TAR, stored entry of a ZIP. The range must lie within the parent. */
int c4w_blob_slice(struct c4w_blob *parent, const char *name, uint64_t offset, uint64_t length, struct c4w_blob **out,
		   struct c4w_err *err) C4W_MUST_CHECK;

struct c4w_blob *c4w_blob_ref(struct c4w_blob *b); /* thread-safe */
void c4w_blob_close(struct c4w_blob *b);           /* accepts NULL */
uint64_t c4w_blob_size(const struct c4w_blob *b);
const char *c4w_blob_name(const struct c4w_blob *b); /* for messages, raw */
void c4w_blob_stat(const struct c4w_blob *b, struct c4w_stat *out);

/* Exactly `length` bytes at `offset` into buf, or an error. A range beyond the blob is C4W_IO "ends early". Thread-safe. */
int c4w_blob_read_at(struct c4w_blob *b, uint64_t offset, size_t length, void *buf, struct c4w_err *err) C4W_MUST_CHECK;

/* Bytes that stay valid until the arena is reset: lent by a blob in memory, read into the arena by all others. */
int c4w_blob_view(struct c4w_blob *b, uint64_t offset, size_t length, struct c4w_arena *arena, const uint8_t **out,
		  struct c4w_err *err) C4W_MUST_CHECK;

/* A hint: these ranges will be read soon. Never fails. */
void c4w_blob_prefetch(struct c4w_blob *b, const struct c4w_range *ranges, size_t count);

/* ---- memory store, for tests: the same interface, and faults on demand ---- */

struct c4w_memstore_faults {
	int64_t fail_nth;      /* the n-th read or open (from 1) fails with EIO; 0: never */
	int64_t cut_nth;       /* the n-th read ends early; 0: never */
	const char *lose;      /* this path is listed but can't be opened; NULL: none */
};

int c4w_memstore_new(struct c4w_store **out, struct c4w_err *err) C4W_MUST_CHECK;
/* Copy a file in. Parent directories appear by themselves. An existing file is replaced. */
int c4w_memstore_put(struct c4w_store *s, const char *rel, const void *p, size_t n, struct c4w_err *err) C4W_MUST_CHECK;
/* Copy everything below `s`'s directory `rel` of a directory store into a memory store. */
int c4w_memstore_load(struct c4w_store *mem, struct c4w_store *from, const char *rel, struct c4w_err *err) C4W_MUST_CHECK;
/* Set faults and start counting calls at 0 again. `f` is copied; `lose` is borrowed. */
void c4w_memstore_faults(struct c4w_store *s, const struct c4w_memstore_faults *f);
/* Reads and opens since the last c4w_memstore_faults, and bytes read. */
void c4w_memstore_counts(struct c4w_store *s, uint64_t *calls, uint64_t *bytes);

#endif
