/* How a container's deep check hands over what it finds: one call a fault, in file order as far as it can. A family turns faults into
 * findings. The sink returns C4W_OK to go on, or a class to stop with (C4W_CANCELLED). */
#ifndef C4W_CONTAINERS_FAULT_H
#define C4W_CONTAINERS_FAULT_H

#include "base/err.h"

struct c4w_faults {
	int (*report)(void *ctx, const struct c4w_err *fault);
	void *ctx;
	uint64_t count; /* faults reported so far; the caller sets 0 */
};

/* Report and count. Classes that say nothing about the file (io, memory, cancelled) come back as the result instead. */
int c4w_fault(struct c4w_faults *f, struct c4w_err *err) C4W_MUST_CHECK;

/* Where decoded bytes go, piece by piece. A class other than C4W_OK stops the decoding and is its result. */
typedef int (*c4w_bytes_fn)(void *ctx, const uint8_t *p, size_t n, struct c4w_err *err);

#endif
