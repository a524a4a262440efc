/* Worker threads. See pool.h. Threads share the pool's lock and what a job shares itself, nothing else. */
#include "base/pool.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

struct c4w_pool {
	unsigned threads, created;
	struct c4w_worker *workers;
	pthread_t *ids; /* of workers 1 … created */
	pthread_mutex_t lock;
	pthread_cond_t start, finished;
	/* under lock */
	unsigned long generation; /* goes up with every job */
	unsigned running;         /* threads that have not finished the job */
	bool stop;
	void (*fn)(void *ctx, struct c4w_worker *w);
	void *ctx;
};

struct birth {
	struct c4w_pool *pool;
	unsigned index;
};

static void *thread_main(void *arg)
{
	struct birth b = *(struct birth *)arg;
	struct c4w_pool *p = b.pool;
	unsigned long seen = 0;
	free(arg);
	pthread_mutex_lock(&p->lock);
	for (;;) {
		void (*fn)(void *, struct c4w_worker *);
		void *ctx;
		while (!p->stop && p->generation == seen)
			pthread_cond_wait(&p->start, &p->lock);
		if (p->stop)
			break;
		seen = p->generation;
		fn = p->fn;
		ctx = p->ctx;
		pthread_mutex_unlock(&p->lock);
		fn(ctx, &p->workers[b.index]);
		pthread_mutex_lock(&p->lock);
		if (--p->running == 0)
			pthread_cond_signal(&p->finished);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static int create_threads(struct c4w_pool *p, struct c4w_err *err)
{
	sigset_t block, before;
	unsigned i;
	int r = 0;
	sigemptyset(&block);
	sigaddset(&block, SIGINT);
	sigaddset(&block, SIGTERM);
	sigaddset(&block, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &block, &before);
	for (i = 1; i < p->threads && r == 0; i++) {
		struct birth *b = malloc(sizeof *b);
		if (!b) {
			r = ENOMEM;
			break;
		}
		*b = (struct birth){ p, i };
		r = pthread_create(&p->ids[i - 1], NULL, thread_main, b);
		if (r)
			free(b);
		else
			p->created++;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r ? c4w_fail_errno(err, r, "can't start worker thread %u", i) : C4W_OK;
}

int c4w_pool_new(unsigned threads, struct c4w_pool **out, struct c4w_err *err)
{
	struct c4w_pool *p = calloc(1, sizeof *p);
	unsigned i;
	int r;
	*out = NULL;
	threads = threads ? threads : 1;
	if (!p)
		return c4w_fail_memory(err, sizeof *p);
	p->threads = threads;
	p->workers = calloc(threads, sizeof *p->workers);
	p->ids = calloc(threads, sizeof *p->ids);
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->start, NULL);
	pthread_cond_init(&p->finished, NULL);
	r = p->workers && p->ids ? C4W_OK : c4w_fail_memory(err, threads * sizeof *p->workers);
	for (i = 0; r == C4W_OK && i < threads; i++)
		p->workers[i].index = i;
	if (r == C4W_OK)
		r = create_threads(p, err);
	if (r != C4W_OK) {
		c4w_pool_free(p);
		return r;
	}
	*out = p;
	return C4W_OK;
}

void c4w_pool_free(struct c4w_pool *p)
{
	unsigned i;
	if (!p)
		return;
	pthread_mutex_lock(&p->lock);
	p->stop = true;
	pthread_cond_broadcast(&p->start);
	pthread_mutex_unlock(&p->lock);
	for (i = 0; i < p->created; i++)
		pthread_join(p->ids[i], NULL);
	for (i = 0; p->workers && i < p->threads; i++)
		c4w_arena_clear(&p->workers[i].arena);
	pthread_cond_destroy(&p->finished);
	pthread_cond_destroy(&p->start);
	pthread_mutex_destroy(&p->lock);
	free(p->workers);
	free(p->ids);
	free(p);
}

unsigned c4w_pool_threads(const struct c4w_pool *p)
{
	return p->threads;
}

struct c4w_worker *c4w_pool_worker(struct c4w_pool *p, unsigned index)
{
	return index < p->threads ? &p->workers[index] : NULL;
}

unsigned c4w_pool_processors(void)
{
	cpu_set_t set;
	int n;
	if (sched_getaffinity(0, sizeof set, &set) != 0)
		return 1; /* more than 1,024 processors, or none of our business */
	n = CPU_COUNT(&set);
	return n > 0 ? (unsigned)n : 1;
}

void c4w_pool_run(struct c4w_pool *p, void (*fn)(void *ctx, struct c4w_worker *w), void *ctx)
{
	if (p->created) {
		pthread_mutex_lock(&p->lock);
		p->fn = fn;
		p->ctx = ctx;
		p->running = p->created;
		p->generation++;
		pthread_cond_broadcast(&p->start);
		pthread_mutex_unlock(&p->lock);
	}
	fn(ctx, &p->workers[0]);
	if (p->created) {
		pthread_mutex_lock(&p->lock);
		while (p->running)
			pthread_cond_wait(&p->finished, &p->lock);
		pthread_mutex_unlock(&p->lock);
	}
}

/* ---- parallel for ---- */

struct for_job {
	_Atomic size_t next;
	size_t n;
	unsigned threads;
	void (*fn)(void *ctx, struct c4w_worker *w, size_t i);
	void *ctx;
};

static void for_loop(void *arg, struct c4w_worker *w)
{
	struct for_job *j = arg;
	size_t from = atomic_load_explicit(&j->next, memory_order_relaxed);
	while (from < j->n) {
		/* An eighth of this thread's share of the rest: few hand-outs at first, small ones at the end. */
		size_t chunk = (j->n - from) / (8 * (size_t)j->threads) + 1, i;
		if (!atomic_compare_exchange_weak_explicit(&j->next, &from, from + chunk, memory_order_relaxed, memory_order_relaxed))
			continue;
		for (i = from; i < from + chunk; i++)
			j->fn(j->ctx, w, i);
		from = atomic_load_explicit(&j->next, memory_order_relaxed);
	}
}

void c4w_pool_for(struct c4w_pool *p, size_t n, void (*fn)(void *ctx, struct c4w_worker *w, size_t i), void *ctx)
{
	struct for_job j = { .n = n, .threads = p->threads, .fn = fn, .ctx = ctx };
	if (n == 0)
		return;
	if (n == 1)
		fn(ctx, &p->workers[0], 0);
	else
		c4w_pool_run(p, for_loop, &j);
}

/* ---- ordered pipeline ---- */

struct ordered {
	const struct c4w_ordered *job;
	pthread_mutex_t lock;
	pthread_cond_t more;  /* workers: an item may be made, or all is over */
	pthread_cond_t ready; /* the caller: the item next in order is finished, or an item may be made */
	/* under lock; items are numbered from 0, item i lives in slot i % window */
	uint64_t made, taken; /* items made; items passed to done or drop */
	bool *finished;       /* a slot's item is finished */
	bool making, ended, later, stopped;
};

/* An item may be made now. */
static bool may_make(const struct ordered *o)
{
	return !o->making && !o->ended && !o->later && !o->stopped && o->made - o->taken < o->job->window;
}

static void wake(struct ordered *o)
{
	pthread_cond_broadcast(&o->more);
	pthread_cond_signal(&o->ready);
}

/* Make one item and work on it. Called and left with the lock held. */
static void make_and_work(struct ordered *o, struct c4w_worker *w)
{
	const struct c4w_ordered *job = o->job;
	uint64_t taken = o->taken;
	size_t slot = (size_t)(o->made % job->window);
	enum c4w_next next;
	o->making = true;
	pthread_mutex_unlock(&o->lock);
	next = job->next(job->ctx, w, slot);
	pthread_mutex_lock(&o->lock);
	o->making = false;
	if (next == C4W_NEXT_END) {
		o->ended = true;
	} else if (next == C4W_NEXT_LATER) {
		/* If an item was taken meanwhile, the answer may be out of date: ask again. */
		if (o->taken == o->made && taken == o->taken)
			o->ended = true;
		else
			o->later = taken == o->taken;
	} else {
		o->finished[slot] = false;
		o->made++;
		wake(o);
		pthread_mutex_unlock(&o->lock);
		job->work(job->ctx, w, slot);
		pthread_mutex_lock(&o->lock);
		o->finished[slot] = true;
	}
	wake(o);
}

/* Pass on what is finished and next in order. Called and left with the lock held. */
static void take_finished(struct ordered *o, struct c4w_worker *w)
{
	const struct c4w_ordered *job = o->job;
	while (o->taken < o->made && o->finished[o->taken % job->window]) {
		size_t slot = (size_t)(o->taken % job->window);
		bool stopped = o->stopped;
		pthread_mutex_unlock(&o->lock);
		if (!stopped)
			stopped = !job->done(job->ctx, w, slot);
		else if (job->drop)
			job->drop(job->ctx, w, slot);
		pthread_mutex_lock(&o->lock);
		o->stopped = stopped;
		o->taken++;
		o->later = false;
		pthread_cond_broadcast(&o->more);
	}
}

static void ordered_loop(void *arg, struct c4w_worker *w)
{
	struct ordered *o = arg;
	bool caller = w->index == 0;
	pthread_mutex_lock(&o->lock);
	for (;;) {
		if (caller)
			take_finished(o, w);
		if (may_make(o)) {
			make_and_work(o, w);
			continue;
		}
		if ((o->ended || o->stopped) && !o->making && (!caller || o->taken == o->made))
			break;
		pthread_cond_wait(caller ? &o->ready : &o->more, &o->lock);
	}
	pthread_mutex_unlock(&o->lock);
}

int c4w_pool_ordered(struct c4w_pool *p, const struct c4w_ordered *job, struct c4w_err *err)
{
	struct ordered o = { .job = job };
	if (job->window == 0)
		return c4w_fail(err, C4W_USAGE, "a pipeline without slots");
	o.finished = calloc(job->window, sizeof *o.finished);
	if (!o.finished)
		return c4w_fail_memory(err, job->window);
	pthread_mutex_init(&o.lock, NULL);
	pthread_cond_init(&o.more, NULL);
	pthread_cond_init(&o.ready, NULL);
	c4w_pool_run(p, ordered_loop, &o);
	pthread_cond_destroy(&o.ready);
	pthread_cond_destroy(&o.more);
	pthread_mutex_destroy(&o.lock);
	free(o.finished);
	return C4W_OK;
}
