/* A job for the item driver that hashes files: checksum lists are made and checked by it.
 *
 * The SHA instructions are bound by latency, so a worker has three files open at a time and feeds them in turn. An item is a
 * small batch of files: enough to keep three lanes busy, small enough to spread over workers.
 */
#ifndef C4W_MODEL_HASHING_H
#define C4W_MODEL_HASHING_H

#include "model/driver.h"

struct c4w_hash_file {
	/* set by `next` */
	char *path; /* from malloc, taken; what is opened: the user's own name, "-" is standard input */
	void *user; /* the caller's */
	/* the result */
	int cls;    /* C4W_OK, or the class of *err */
	uint8_t digest[32];
	uint64_t bytes;
	struct c4w_err *err; /* NULL when fine */
};

enum { C4W_HASH_BATCH = 12 };

struct c4w_hash_batch {
	struct c4w_hash_file file[C4W_HASH_BATCH];
	size_t n;
};

struct c4w_hash_source {
	void *ctx;
	/* The next file. *end is set when there is none. An error ends the enumeration. */
	int (*next)(void *ctx, struct c4w_hash_file *file, bool *end, struct c4w_err *err);
};

/* item->data is a struct c4w_hash_batch when it is delivered; item->id is empty. `cancel` is what drive opts have. */
int c4w_hash_job(const struct c4w_hash_source *source, const atomic_int *cancel, struct c4w_job *out, struct c4w_err *err) C4W_MUST_CHECK;

#endif
