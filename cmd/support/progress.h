/* A line on standard error that says how far a run is: drawn over and over on a terminal, a plain line now and then otherwise.
 *
 * Steps and errors may come from different threads: what is drawn is guarded by the lock of the stream. c4w_say and c4w_warn
 * wipe by themselves; whoever prints on standard output wipes first.
 */
#ifndef C4W_CMD_PROGRESS_H
#define C4W_CMD_PROGRESS_H

#include "../command.h"

#include <stdint.h>

struct c4w_progress {
	/* set by the caller after c4w_progress_begin, where known; 0: unknown */
	uint64_t total_items, total_bytes;
	const char *noun; /* of several items; "items" unless set */

	struct c4w_ctx *ctx;
	FILE *out; /* NULL: draws nothing */
	uint64_t items, bytes, before_items, before_bytes;
	double start, last; /* seconds */
	bool terminal, drawn;
};

/* All others accept a zeroed one, which draws nothing. */
void c4w_progress_begin(struct c4w_progress *p, struct c4w_ctx *ctx);
void c4w_progress_step(struct c4w_progress *p, uint64_t items, uint64_t bytes); /* done in this run of the driver */
void c4w_progress_wipe(struct c4w_progress *p);  /* before anything else is printed */
void c4w_progress_again(struct c4w_progress *p); /* wipe; another run follows, what it does is added */
void c4w_progress_end(struct c4w_progress *p);   /* wipe, for good */
double c4w_progress_seconds(const struct c4w_progress *p); /* since the beginning */

#endif
