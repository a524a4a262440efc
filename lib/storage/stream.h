/* A file read once from front to back: what is there for pipes, terminals and standard input, where a blob can't be.
 * A stream belongs to one thread at a time. */
#ifndef C4W_STORAGE_STREAM_H
#define C4W_STORAGE_STREAM_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>

struct c4w_stream;

/* By the user's own name; "-" is standard input. A directory is C4W_USAGE. Opening a FIFO waits for its writer. */
int c4w_stream_open(const char *path, struct c4w_stream **out, struct c4w_err *err) C4W_MUST_CHECK;
void c4w_stream_close(struct c4w_stream *s); /* accepts NULL */

/* Up to `room` bytes; *got is 0 at the end only. A full buffer unless the end comes first. C4W_CANCELLED when a signal interrupted. */
int c4w_stream_read(struct c4w_stream *s, void *buf, size_t room, size_t *got, struct c4w_err *err) C4W_MUST_CHECK;

/* Size of a regular file when it was opened, else -1. */
int64_t c4w_stream_size(const struct c4w_stream *s);

/* All that is left, into the arena; more than `limit` bytes is C4W_LIMIT. */
int c4w_stream_slurp(struct c4w_stream *s, uint64_t limit, struct c4w_arena *arena, const char **out, size_t *n,
		     struct c4w_err *err) C4W_MUST_CHECK;

/* Is there something by this name that can be read only once (a FIFO, a socket, a character device, "-")? */
bool c4w_path_is_stream(const char *path);

/* Is it a directory, links followed? */
bool c4w_path_is_dir(const char *path);

#endif
