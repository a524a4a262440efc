/* SHA-256 of many files by any number of threads: a scheduler.
 *
 * The SHA instructions are bound by latency: a thread that feeds two or three messages in turn hashes far more bytes than with one. And a
 * file is one message, so that the last large ones decide when all is over. Open files therefore belong to no thread. A thread takes some
 * of them, hashes a chunk of each in its three lanes, and puts them back:
 *   - While there are more files than may be open, they are taken in order.
 *   - When all that are left are open, a file with a third (there are three lanes) of what each thread has left to do must be in work all the
 *     time from then on, or it ends last (McNaughton's rule for jobs that may be interrupted). Files with a sixth come first, in good time, the
 *     largest before the others. And a thread uses as many lanes as files like the largest would make up what each thread has left to do: a
 *     file that decides the end gets ahead faster with one other or none beside it. So all threads end at the same time, with full lanes
 *     as far as the sizes allow it.
 *   - Chunks are large first and small towards the end; small files are taken several at once.
 * What comes out does not depend on any of this.
 *
 * Memory: 192 KiB a thread, and some 300 bytes a file that is pulled from the source and not yet released. Pulled are those that were asked
 * for by c4w_hasher_next, and C4W_HASH_AHEAD or 4 a thread beyond them; at most that many are open (fewer when the system refuses
 * more). Files are read, never mapped.
 */
#ifndef C4W_MODEL_HASHER_H
#define C4W_MODEL_HASHER_H

#include "storage/store.h"

#include <stdatomic.h>

enum { C4W_HASH_LANES = 3, C4W_HASH_BLOCK = 64 * 1024, C4W_HASH_AHEAD = 32 };

struct c4w_hash_file {
	/* set by the source; zeros before */
	char *path;              /* from malloc, taken */
	struct c4w_store *store; /* where `path` is, borrowed; NULL: `path` is the user's own name, "-" is standard input */
	bool sized;              /* with a store: a file of another size than `expected` is done when it has been opened, and not hashed */
	uint64_t expected;
	void *user;              /* the caller's */
	/* the result */
	int cls;                 /* C4W_OK, or the class of *err */
	struct c4w_err *err;     /* NULL when fine, or when there is no memory for it */
	uint64_t size;           /* when it was opened; 0 for what is no regular file */
	uint64_t bytes;          /* hashed */
	uint8_t digest[32];
};

/* Files of a store are read up to the size that they had when they were opened; one that got shorter is C4W_IO "ends early". Files by the user's own
 * name are read to their end, as sha256sum does. */
struct c4w_hash_source {
	void *ctx;
	/* The next file. *end is set when there is none. An error ends the enumeration. Called by one thread at a time (any). */
	int (*next)(void *ctx, struct c4w_hash_file *file, bool *end, struct c4w_err *err);
};

/* A thread's own. */
struct c4w_hash_blocks {
	uint8_t block[C4W_HASH_LANES][C4W_HASH_BLOCK];
};

struct c4w_hasher;

/* The source's ctx must live as long as the hasher. */
int c4w_hasher_new(const struct c4w_hash_source *source, struct c4w_hasher **out, struct c4w_err *err) C4W_MUST_CHECK;

/* All files that c4w_hasher_next gave must have been released. Accepts NULL. */
void c4w_hasher_free(struct c4w_hasher *h);

/* The next files in the source's order: one, and of those behind it as many as are done already, up to `room` (at least 1). *n is 0 at the end;
 * an error is the source's. Called by one thread at a time; others may be in c4w_hasher_wait. A file is the caller's until
 * c4w_hasher_release; its result may be looked at after c4w_hasher_wait. */
int c4w_hasher_next(struct c4w_hasher *h, struct c4w_hash_file **files, size_t room, size_t *n, struct c4w_err *err) C4W_MUST_CHECK;

/* Hash files, together with all threads that are in this call, until `file` is done. When *cancel is raised (NULL: never), a file
 * that is not done gets C4W_CANCELLED. Thread-safe; one thread a file, and the same flag in all. */
void c4w_hasher_wait(struct c4w_hasher *h, struct c4w_hash_file *file, struct c4w_hash_blocks *blocks, const atomic_int *cancel);

/* Thread-safe. The file is not in a c4w_hasher_wait any more, or has never been: then a thread that works on it all the same is waited for. */
void c4w_hasher_release(struct c4w_hasher *h, struct c4w_hash_file *file);

/* Bytes that were hashed alone, two files at a time, and three: for tests and measurements. */
void c4w_hasher_lanes(struct c4w_hasher *h, uint64_t bytes[C4W_HASH_LANES]);

#endif
