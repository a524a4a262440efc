/* Storage, writing side: a destination directory, and single files.
 *
 * A sink is one directory, opened once. Everything is created beneath it by relative paths, and no symbolic link beneath it is
 * ever followed: a link where a directory should be is an error, a link where a file should be is replaced. A file is
 * written under a temporary name in DEST/.c4w-part and renamed when it is committed, so that a path of the destination
 * holds the old content, nothing, or the whole new content. The sink holds a lock on the directory: a second writer is told
 * (C4W_USAGE). What a killed run left in .c4w-part is removed when the sink is opened.
 *
 * The order that makes a destination look complete only when it is: payload files, c4w_sink_sync, then the manifest
 * with C4W_SINK_DURABLE. A destination that is changed has its manifest removed first, or replaced last.
 *
 * Files of one sink may be written by several threads at once; one file by one thread, except c4w_sink_write_at.
 * Errors: C4W_IO with errno (a hint for a full disk), C4W_USAGE for paths that a store would refuse, C4W_DAMAGED never.
 */
#ifndef C4W_STORAGE_SINK_H
#define C4W_STORAGE_SINK_H

#include "base/err.h"
#include "storage/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct c4w_sink;
struct c4w_sink_file;

enum c4w_sink_open_flags {
	C4W_SINK_EMPTY = 1,  /* C4W_USAGE unless the directory is new or empty */
	C4W_SINK_EXISTS = 2, /* C4W_ABSENT unless it is there */
};

/* `path` is the user's own: links in it are followed. It and missing parents are made. */
int c4w_sink_open(const char *path, unsigned flags, struct c4w_sink **out, struct c4w_err *err) C4W_MUST_CHECK;

/* Releases the lock; removes .c4w-part, and the directory itself (and parents) when this sink made it and nothing was committed.
 * Files must have been committed or aborted. Accepts NULL. */
void c4w_sink_close(struct c4w_sink *s);

const char *c4w_sink_name(const struct c4w_sink *s); /* as opened, for messages */
bool c4w_sink_is_new(const struct c4w_sink *s);      /* the directory was made by this sink */

/* Is the directory `source` the destination itself, in it, or around it? Of a file: does it lie in the destination? */
int c4w_sink_overlaps(const struct c4w_sink *s, const char *source, bool *overlaps, struct c4w_err *err) C4W_MUST_CHECK;

/* Bytes free to this user on the destination's file system. */
int c4w_sink_space(const struct c4w_sink *s, uint64_t *bytes, struct c4w_err *err) C4W_MUST_CHECK;

/* ---- what is there ---- */

/* Links are not followed: a link is C4W_KIND_OTHER with is_link; so is whatever lies behind one. Absent is C4W_OK, kind NONE. */
int c4w_sink_stat(struct c4w_sink *s, const char *rel, struct c4w_stat *out, struct c4w_err *err) C4W_MUST_CHECK;

/* Open a regular file of the destination for reading, links not followed. C4W_ABSENT when there is none (or a link). */
int c4w_sink_read(struct c4w_sink *s, const char *rel, struct c4w_blob **out, struct c4w_err *err) C4W_MUST_CHECK;

/* Remove a file or link, or an empty directory. Absent is fine. */
int c4w_sink_remove(struct c4w_sink *s, const char *rel, struct c4w_err *err) C4W_MUST_CHECK;

int c4w_sink_mkdir(struct c4w_sink *s, const char *rel, struct c4w_err *err) C4W_MUST_CHECK; /* with parents; fine when there */

/* ---- files ---- */

enum c4w_sink_file_flags {
	C4W_SINK_HASH = 1,     /* hash while writing; sequential writes only */
	C4W_SINK_NEW = 2,      /* commit fails with C4W_USAGE when the path exists; without it, it is replaced */
	C4W_SINK_DURABLE = 4,  /* commit returns when file and directory entry are on the disk: for manifests */
	C4W_SINK_EXEC = 8,     /* mode 0777 instead of 0666, less the umask */
};

#define C4W_SINK_UNKNOWN UINT64_MAX

/* Start a file that will be `rel`. With a size (not C4W_SINK_UNKNOWN) the room is reserved and the file has that size from the start;
 * sequential writes must then add up to it. Parents are made at commit. */
int c4w_sink_create(struct c4w_sink *s, const char *rel, uint64_t size, unsigned flags, struct c4w_sink_file **out,
		    struct c4w_err *err) C4W_MUST_CHECK;

/* Append. Small pieces are gathered. */
int c4w_sink_write(struct c4w_sink_file *f, const void *p, size_t n, struct c4w_err *err) C4W_MUST_CHECK;

/* Write at an offset within the size given at creation; not with C4W_SINK_HASH. Any thread. */
int c4w_sink_write_at(struct c4w_sink_file *f, uint64_t offset, const void *p, size_t n, struct c4w_err *err) C4W_MUST_CHECK;

/* Append a range of a blob. Without C4W_SINK_HASH, and when both are files, the kernel copies (or shares) it. */
int c4w_sink_copy(struct c4w_sink_file *f, struct c4w_blob *from, uint64_t offset, uint64_t length, struct c4w_err *err) C4W_MUST_CHECK;

/* Bytes appended so far. */
uint64_t c4w_sink_written(const struct c4w_sink_file *f);

/* Rename into place. f is gone afterwards, whatever the result; on failure its temporary is removed and what was at the path is as
 * before; only when a durable one can't bring its directory to the disk is the new file there all the same. `digest` (may be NULL) receives
 * the SHA-256 with C4W_SINK_HASH. */
int c4w_sink_commit(struct c4w_sink_file *f, uint8_t digest[32], struct c4w_err *err) C4W_MUST_CHECK;

void c4w_sink_abort(struct c4w_sink_file *f); /* accepts NULL */

/* A whole small file in one call. With `keep_same`, a file that holds these bytes already is left alone, mtime included. */
int c4w_sink_put(struct c4w_sink *s, const char *rel, const void *p, size_t n, unsigned flags, bool keep_same,
		 struct c4w_err *err) C4W_MUST_CHECK;

/* One syncfs: everything committed so far is on the disk. */
int c4w_sink_sync(struct c4w_sink *s, struct c4w_err *err) C4W_MUST_CHECK;

/* ---- one file by the user's own name (-o FILE) ---- */

struct c4w_outfile;

/* A new file beside `path` is written and renamed over it at commit; an existing file's mode is kept, a link is replaced. What
 * exists and is no regular file (a FIFO, /dev/null, a terminal) is written directly. */
int c4w_outfile_open(const char *path, struct c4w_outfile **out, struct c4w_err *err) C4W_MUST_CHECK;
/* Before the first write: room for a file of this size, as c4w_sink_create reserves it; writes must add up to it. What is no regular file
 * needs none. */
int c4w_outfile_reserve(struct c4w_outfile *f, uint64_t size, struct c4w_err *err) C4W_MUST_CHECK;
int c4w_outfile_write(struct c4w_outfile *f, const void *p, size_t n, struct c4w_err *err) C4W_MUST_CHECK;
/* What `path` led to when it was opened; kind NONE when nothing: for "input and output are the same file". */
void c4w_outfile_replaces(const struct c4w_outfile *f, struct c4w_stat *out);
int c4w_outfile_commit(struct c4w_outfile *f, struct c4w_err *err) C4W_MUST_CHECK; /* f is gone afterwards */
void c4w_outfile_abort(struct c4w_outfile *f);                                    /* accepts NULL */

#endif
