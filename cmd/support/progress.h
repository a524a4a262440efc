/* A line on standard error that says how far a run is: drawn over and over on a terminal, a line now and then otherwise. */
#ifndef C4W_CMD_PROGRESS_H
#define C4W_CMD_PROGRESS_H

#include "../command.h"

#include <stdint.h>

struct c4w_progress {
	FILE *out; /* NULL: draws nothing */
	const char *verb;
	uint64_t total;    /* bytes; 0: unknown */
	double start, last; /* seconds */
	bool terminal, drawn;
};

void c4w_progress_begin(struct c4w_progress *p, const struct c4w_ctx *ctx, const char *verb, uint64_t total_bytes);
void c4w_progress_step(struct c4w_progress *p, uint64_t items, uint64_t bytes);
void c4w_progress_wipe(struct c4w_progress *p); /* before anything else is printed, and at the end */
double c4w_progress_seconds(const struct c4w_progress *p); /* since the beginning */

#endif
