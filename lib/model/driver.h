/* The item driver: hands a job's items to worker threads and delivers results in order.
 *
 * A family makes a job (verify, extract, ...): a stream of items and what to do with each. The driver owns threads,
 * memory admission, order, --fail-fast and progress; a family owns none of these.
 *
 * next is called by one thread at a time (any of them); work by many at once; deliver by one at a time, in item order.
 */
#ifndef C4W_MODEL_DRIVER_H
#define C4W_MODEL_DRIVER_H

#include "base/pool.h"
#include "model/finding.h"

struct c4w_item {
	struct c4w_item_id id;
	uint64_t cost; /* bytes of memory that working on it takes, checked; 0: little */
	void *data;    /* the job's */
};

struct c4w_result {
	struct c4w_findings findings;
	uint64_t bytes; /* read and checked, or written; for the summary */
	void *data;     /* the job's, for deliver */
};

struct c4w_job {
	void *ctx;
	/* The next item. *end is set when there is none. An error ends the enumeration and becomes c4w_drive's. */
	int (*next)(void *ctx, struct c4w_item *item, bool *end, struct c4w_err *err);
	/* Work on one item; whatever is wrong goes into result->findings. w->user is what worker_new made; w->arena is empty. */
	void (*work)(void *ctx, struct c4w_worker *w, struct c4w_item *item, struct c4w_result *result);
	/* After delivery: free item->data and result->data. May be NULL. Called by one thread at a time. */
	void (*release)(void *ctx, struct c4w_item *item, struct c4w_result *result);
	/* Per-worker state, or NULL. */
	int (*worker_new)(void *ctx, void **out, struct c4w_err *err);
	void (*worker_free)(void *ctx, void *worker_ctx);
	void (*destroy)(void *ctx);        /* the job itself; may be NULL */
	uint64_t total_items, total_bytes; /* for progress; 0: unknown */
	/* Works the two out, as well as can be known before, when somebody wants to see them; may be NULL. */
	void (*totals)(void *ctx, uint64_t *items, uint64_t *bytes);
};

struct c4w_drive_opts {
	unsigned jobs;   /* total, at least 1 */
	uint64_t memory; /* bound on the sum of costs in work; 0: C4W_LIMIT_MEMORY. A limit on address space bounds it too */
	const atomic_int *cancel;
	/* In order. Returning false stops the run (fail-fast, closed output): no further item is delivered. */
	bool (*deliver)(void *ctx, struct c4w_item *item, struct c4w_result *result);
	/* Now and then, from the delivering thread; may be NULL. */
	void (*progress)(void *ctx, uint64_t items, uint64_t bytes);
	void *ctx;
};

/* Run the job to its end. C4W_CANCELLED when the flag was raised. Findings are no error of the driver. */
int c4w_drive(struct c4w_job *job, const struct c4w_drive_opts *opts, struct c4w_err *err);

void c4w_job_destroy(struct c4w_job *job); /* accepts an empty job */

#endif
