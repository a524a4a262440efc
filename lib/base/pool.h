/* Worker threads, a parallel for, and a bounded pipeline whose results come in order.
 *
 * This is the only place that creates threads. `threads` counts the calling thread, which takes part in every job: with
 * threads == 1 nothing is created and everything runs inline, in order. Signals INT, TERM and HUP are blocked in the
 * threads created. One job runs at a time; start jobs only from the thread that made the pool, never from within a job.
 */
#ifndef C4W_BASE_POOL_H
#define C4W_BASE_POOL_H

#include "base/arena.h"
#include "base/err.h"

#include <stdatomic.h>
#include <stdbool.h>

struct c4w_pool;

/* What belongs to one thread. `arena` is never reset by the pool: a job resets it before or after an item as it likes. */
struct c4w_worker {
	unsigned index; /* 0 is the calling thread */
	struct c4w_arena arena;
	void *user; /* decoder handles and the like: set before a job, read in it */
	const atomic_int *cancel; /* nonzero: stop soon; NULL: never. Set before a job; long loops test it every 64 KiB or so */
	char pad[64];
};

int c4w_pool_new(unsigned threads, struct c4w_pool **out, struct c4w_err *err) C4W_MUST_CHECK;
void c4w_pool_free(struct c4w_pool *p); /* joins; clears the arenas, leaves `user` to its owner. Accepts NULL */
unsigned c4w_pool_threads(const struct c4w_pool *p);
struct c4w_worker *c4w_pool_worker(struct c4w_pool *p, unsigned index);

/* Processors that this process may run on (affinity), at least 1. */
unsigned c4w_pool_processors(void);

/* fn(ctx, worker, i) for every i in [0, n), in no particular order; indices are handed out in chunks that get smaller towards
 * the end. Returns when all are done. */
void c4w_pool_for(struct c4w_pool *p, size_t n, void (*fn)(void *ctx, struct c4w_worker *w, size_t i), void *ctx);

/* fn(ctx, worker) once on every thread, the caller's included; returns when all have returned. For jobs with a loop of
 * their own. */
void c4w_pool_run(struct c4w_pool *p, void (*fn)(void *ctx, struct c4w_worker *w), void *ctx);

/* A bounded pipeline. Slots are numbered 0 … window-1 and reused.
 *   next  makes the next item in `slot`. Called by one thread at a time (any), in item order. It returns
 *         ITEM, END (never called again), or LATER: not before a further item is done (a memory budget is full).
 *         LATER while nothing is in flight counts as END. It may run at the same time as `done` and `work`.
 *   work  runs on any thread, many at once, on different slots.
 *   done  is called on the calling thread alone, in item order; afterwards the slot is free. It returns false to stop: no
 *         further next; items in work are finished and dropped through `drop`.
 *   drop  (may be NULL) is called on the calling thread for items made but not passed to `done`.
 */
enum c4w_next { C4W_NEXT_ITEM, C4W_NEXT_END, C4W_NEXT_LATER };
struct c4w_ordered {
	size_t window; /* at least 1; 4 x threads is a good start */
	void *ctx;
	enum c4w_next (*next)(void *ctx, struct c4w_worker *w, size_t slot);
	void (*work)(void *ctx, struct c4w_worker *w, size_t slot);
	bool (*done)(void *ctx, struct c4w_worker *w, size_t slot);
	void (*drop)(void *ctx, struct c4w_worker *w, size_t slot);
};
int c4w_pool_ordered(struct c4w_pool *p, const struct c4w_ordered *job, struct c4w_err *err) C4W_MUST_CHECK;

#endif
