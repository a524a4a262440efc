/* The pool: every index once, order kept, windows and budgets respected, signals blocked. Also run under the thread sanitizer. */
#include "base/pool.h"

#include "tap.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

struct count {
	_Atomic unsigned hits[5000];
	_Atomic unsigned workers;
};

static void hit(void *ctx, struct c4w_worker *w, size_t i)
{
	struct count *c = ctx;
	c->hits[i]++;
	c->workers |= 1U << w->index;
}

static void test_for(void)
{
	static const size_t sizes[] = { 0, 1, 2, 7, 100, 5000 };
	unsigned threads;
	size_t s, i;
	for (threads = 1; threads <= 5; threads++) {
		struct c4w_pool *p;
		is_int(c4w_pool_new(threads, &p, NULL), C4W_OK);
		is_int(c4w_pool_threads(p), threads);
		for (s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
			static struct count c;
			size_t bad = 0;
			memset(&c, 0, sizeof c);
			c4w_pool_for(p, sizes[s], hit, &c);
			for (i = 0; i < 5000; i++)
				bad += c.hits[i] != (i < sizes[s]);
			is_int(bad, 0);
			ok(c.workers < 1U << threads, "worker beyond %u", threads);
		}
		c4w_pool_free(p);
	}
}

static void seen(void *ctx, struct c4w_worker *w)
{
	sigset_t now;
	_Atomic unsigned *mask = ctx;
	void *mem;
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	if (w->index == 0 || (sigismember(&now, SIGINT) && sigismember(&now, SIGTERM) && sigismember(&now, SIGHUP)))
		*mask |= 1U << w->index;
	if (c4w_arena_take(&w->arena, 1000, &mem, NULL) == C4W_OK)
		memset(mem, 1, 1000);
}

static void test_run(void)
{
	struct c4w_pool *p;
	_Atomic unsigned mask = 0;
	sigset_t now;
	is_int(c4w_pool_new(4, &p, NULL), C4W_OK);
	c4w_pool_run(p, seen, &mask);
	is_int(mask, 15);
	ok(c4w_pool_worker(p, 3)->arena.used == 1000 && c4w_pool_worker(p, 4) == NULL, "workers");
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	ok(!sigismember(&now, SIGINT), "the caller's own mask was changed");
	c4w_pool_free(p);
	c4w_pool_free(NULL);
	ok(c4w_pool_processors() >= 1, "no processor");
}

enum { WINDOW = 6 };

struct line {
	size_t items, limit, made; /* limit: items in flight at most, by LATER */
	size_t stop_after, done, dropped, worked;
	_Atomic size_t flight;
	_Atomic bool wrong;
	size_t slot[WINDOW];
	pthread_t caller;
};

static enum c4w_next line_next(void *ctx, struct c4w_worker *w, size_t slot)
{
	struct line *l = ctx;
	(void)w;
	if (l->made == l->items)
		return C4W_NEXT_END;
	if (l->flight >= l->limit)
		return C4W_NEXT_LATER;
	l->flight++;
	l->slot[slot] = l->made++;
	return C4W_NEXT_ITEM;
}

static void line_work(void *ctx, struct c4w_worker *w, size_t slot)
{
	struct line *l = ctx;
	(void)w;
	if (l->slot[slot] % 5 == 0)
		usleep(100); /* some are slow: later ones overtake them */
	l->slot[slot] += 1000;
}

static bool line_done(void *ctx, struct c4w_worker *w, size_t slot)
{
	struct line *l = ctx;
	if (l->slot[slot] != 1000 + l->done || w->index != 0 || !pthread_equal(l->caller, pthread_self()))
		l->wrong = true;
	l->done++;
	l->flight--;
	return l->done != l->stop_after;
}

static void line_drop(void *ctx, struct c4w_worker *w, size_t slot)
{
	struct line *l = ctx;
	(void)w;
	if (l->slot[slot] < 1000)
		l->wrong = true;
	l->dropped++;
}

static void test_ordered(void)
{
	unsigned threads;
	size_t limit, stop;
	for (threads = 1; threads <= 4; threads++) {
		struct c4w_pool *p;
		is_int(c4w_pool_new(threads, &p, NULL), C4W_OK);
		for (limit = 1; limit <= 10; limit += 3)
			for (stop = 0; stop <= 60; stop += 30) {
				struct line l = { .items = 200, .limit = limit, .stop_after = stop, .caller = pthread_self() };
				struct c4w_ordered job = { WINDOW, &l, line_next, line_work, line_done, line_drop };
				is_int(c4w_pool_ordered(p, &job, NULL), C4W_OK);
				is_int(l.done, stop ? stop : 200);
				is_int(l.done + l.dropped, l.made);
				ok(!l.wrong, "order, threads %u, limit %zu, stop %zu", threads, limit, stop);
			}
		c4w_pool_free(p);
	}
}

static void test_budget_of_nothing(void)
{
	struct c4w_pool *p;
	struct line l = { .items = 5, .limit = 0, .caller = pthread_self() };
	struct c4w_ordered job = { WINDOW, &l, line_next, line_work, line_done, NULL };
	is_int(c4w_pool_new(2, &p, NULL), C4W_OK);
	is_int(c4w_pool_ordered(p, &job, NULL), C4W_OK); /* LATER with nothing in flight ends the job */
	is_int(l.done, 0);
	job.window = 0;
	is_int(c4w_pool_ordered(p, &job, NULL), C4W_USAGE);
	c4w_pool_free(p);
}

int main(void)
{
	RUN(test_for);
	RUN(test_run);
	RUN(test_ordered);
	RUN(test_budget_of_nothing);
	return done();
}
