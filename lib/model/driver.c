/* The item driver, on the pool's bounded pipeline. See driver.h. */
#include "model/driver.h"

#include "base/limits.h"
#include "base/pool.h"

#include <sys/resource.h>

struct slot {
	struct c4w_item item;
	struct c4w_result result;
	bool refused; /* costs more than all of --memory: never worked on */
};

struct drive {
	struct c4w_job *job;
	const struct c4w_drive_opts *opts;
	struct slot *slots;
	struct slot pending; /* enumerated, but not admitted yet */
	bool have_pending, ended;
	uint64_t memory; /* an item that costs more is refused */
	uint64_t room;   /* what items in work may cost together: --memory, and less where the system gives the process less */
	atomic_uint_fast64_t in_work; /* sum of the costs of items in work */
	int cls;                      /* of the enumeration */
	struct c4w_err *err;
	uint64_t items, bytes;
};

/* What a limit on address space leaves for items: an eighth is kept for the rest, and a stack of 8 MiB with its guard a thread. */
static uint64_t address_space(unsigned threads)
{
	struct rlimit r;
	uint64_t limit, kept;
	if (getrlimit(RLIMIT_AS, &r) != 0 || r.rlim_cur == RLIM_INFINITY)
		return UINT64_MAX;
	limit = (uint64_t)r.rlim_cur;
	kept = limit / 8 + threads * 9 * C4W_MIB;
	return limit > kept ? limit - kept : 0;
}

static bool cancelled(const struct drive *d)
{
	return d->opts->cancel && atomic_load_explicit(d->opts->cancel, memory_order_relaxed);
}

static enum c4w_next drive_next(void *ctx, struct c4w_worker *w, size_t slot)
{
	struct drive *d = ctx;
	struct slot *s = &d->slots[slot];
	(void)w;
	if (d->ended || cancelled(d))
		return C4W_NEXT_END;
	/* Where addresses are few an item that must wait is not even made: it may hold memory already. */
	if (!d->have_pending && d->room < d->memory && atomic_load(&d->in_work) > d->room / 3)
		return C4W_NEXT_LATER;
	if (!d->have_pending) {
		bool end = false;
		d->pending = (struct slot){ 0 };
		d->cls = d->job->next(d->job->ctx, &d->pending.item, &end, d->err);
		if (d->cls != C4W_OK || end) {
			d->ended = true;
			return C4W_NEXT_END;
		}
		d->pending.refused = d->pending.item.cost > d->memory;
		d->have_pending = true;
	}
	if (!d->pending.refused) {
		uint64_t used = atomic_load(&d->in_work);
		if (used && (used > d->room || d->pending.item.cost > d->room - used))
			return C4W_NEXT_LATER;
		atomic_fetch_add(&d->in_work, d->pending.item.cost);
	}
	d->have_pending = false;
	s->item = d->pending.item;
	s->refused = d->pending.refused;
	s->result.bytes = 0;
	s->result.data = NULL;
	return C4W_NEXT_ITEM;
}

static void drive_work(void *ctx, struct c4w_worker *w, size_t slot)
{
	struct drive *d = ctx;
	struct slot *s = &d->slots[slot];
	if (s->refused) {
		c4w_findings_addf(&s->result.findings, C4W_SEV_ERROR, C4W_STATE_UNSUPPORTED, NULL, NULL, NULL, -1,
				  "needs %llu bytes of memory, --memory allows %llu", (unsigned long long)s->item.cost,
				  (unsigned long long)d->memory);
		return;
	}
	c4w_arena_reset(&w->arena);
	d->job->work(d->job->ctx, w, &s->item, &s->result);
	atomic_fetch_sub(&d->in_work, s->item.cost);
}

static void drive_drop(void *ctx, struct c4w_worker *w, size_t slot)
{
	struct drive *d = ctx;
	struct slot *s = &d->slots[slot];
	(void)w;
	if (d->job->release)
		d->job->release(d->job->ctx, &s->item, &s->result);
	c4w_findings_reset(&s->result.findings);
}

static bool drive_done(void *ctx, struct c4w_worker *w, size_t slot)
{
	struct drive *d = ctx;
	struct slot *s = &d->slots[slot];
	bool go_on = !cancelled(d) && d->opts->deliver(d->opts->ctx, &s->item, &s->result);
	d->items++;
	d->bytes += s->result.bytes;
	if (d->opts->progress)
		d->opts->progress(d->opts->ctx, d->items, d->bytes);
	drive_drop(ctx, w, slot);
	return go_on;
}

int c4w_drive(struct c4w_job *job, const struct c4w_drive_opts *opts, struct c4w_err *err)
{
	struct drive d = { .job = job, .opts = opts, .err = err };
	struct c4w_ordered ordered = { 0 };
	struct c4w_pool *pool = NULL;
	unsigned i, n = opts->jobs ? opts->jobs : 1, made = 0;
	int cls = c4w_pool_new(n, &pool, err);
	if (cls != C4W_OK)
		return cls;
	n = c4w_pool_threads(pool);
	/* Results wait for an earlier, slower item; a window of this size keeps all workers busy behind one that is
	 * a hundred times slower, and costs nothing when items are large, since their memory is given back before. */
	ordered.window = n == 1 ? 1 : 64 + 4 * (size_t)n;
	ordered.ctx = &d;
	ordered.next = drive_next;
	ordered.work = drive_work;
	ordered.done = drive_done;
	ordered.drop = drive_drop;
	d.memory = opts->memory ? opts->memory : C4W_LIMIT_MEMORY;
	d.room = address_space(n);
	if (d.room > d.memory)
		d.room = d.memory;
	d.slots = calloc(ordered.window, sizeof *d.slots);
	if (!d.slots) {
		cls = c4w_fail_memory(err, ordered.window * sizeof *d.slots);
		goto out;
	}
	for (made = 0; made < n; made++) {
		struct c4w_worker *w = c4w_pool_worker(pool, made);
		w->cancel = opts->cancel;
		if (job->worker_new && (cls = job->worker_new(job->ctx, &w->user, err)) != C4W_OK)
			goto out;
	}
	cls = c4w_pool_ordered(pool, &ordered, err);
	if (d.have_pending && job->release)
		job->release(job->ctx, &d.pending.item, &d.pending.result);
	if (cls == C4W_OK)
		cls = d.cls;
	if (cls == C4W_OK && cancelled(&d))
		cls = c4w_fail(err, C4W_CANCELLED, "interrupted");
out:
	if (job->worker_free)
		for (i = 0; i < made; i++)
			job->worker_free(job->ctx, c4w_pool_worker(pool, i)->user);
	for (i = 0; d.slots && i < ordered.window; i++)
		c4w_findings_clear(&d.slots[i].result.findings);
	free(d.slots);
	c4w_pool_free(pool);
	return cls;
}

void c4w_job_destroy(struct c4w_job *job)
{
	if (job->destroy)
		job->destroy(job->ctx);
	*job = (struct c4w_job){ 0 };
}
