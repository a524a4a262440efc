/* Checking checksum lists: what `c4w verify` and `c4w sha256 --check` do alike. */
#ifndef C4W_CMD_SUMS_H
#define C4W_CMD_SUMS_H

#include "../command.h"

struct c4w_sums_options {
	const char *directory; /* names are relative to it; NULL: the working directory */
	bool ignore_missing, status, strict, warn, zero, fail_fast;
};

/* All operands are lists. Returns the exit code. */
int c4w_check_lists(struct c4w_ctx *ctx, const struct c4w_sums_options *o);

#endif
