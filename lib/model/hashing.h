/* A job for the item driver that hashes files by the scheduler of hasher.h: checksum lists are made and checked by it. */
#ifndef C4W_MODEL_HASHING_H
#define C4W_MODEL_HASHING_H

#include "model/driver.h"
#include "model/hasher.h"

/* An item: consecutive files, done when they are delivered; item->data is this, item->id is empty. Small files come many at once, since items
 * cost something too; how many depends on chance. */
struct c4w_hash_batch {
	struct c4w_hash_file *file[C4W_HASH_AHEAD];
	size_t n;
};

int c4w_hash_job(const struct c4w_hash_source *source, struct c4w_job *out, struct c4w_err *err) C4W_MUST_CHECK;

#endif
