/* Hashing files as a job of the item driver. See hashing.h. */
#include "model/hashing.h"

#include <stdlib.h>

static int job_next(void *ctx, struct c4w_item *item, bool *end, struct c4w_err *err)
{
	struct c4w_hash_batch *b = malloc(sizeof *b);
	int cls;

	if (!b)
		return c4w_fail_memory(err, sizeof *b);
	cls = c4w_hasher_next(ctx, b->file, C4W_HASH_AHEAD, &b->n, err);
	*end = b->n == 0;
	if (*end)
		free(b);
	else
		item->data = b;
	return cls;
}

static void job_work(void *ctx, struct c4w_worker *w, struct c4w_item *item, struct c4w_result *result)
{
	const struct c4w_hash_batch *b = item->data;
	size_t i;

	for (i = 0; i < b->n; i++) {
		c4w_hasher_wait(ctx, b->file[i], w->user, w->cancel);
		result->bytes += b->file[i]->bytes;
	}
}

static void job_release(void *ctx, struct c4w_item *item, struct c4w_result *result)
{
	struct c4w_hash_batch *b = item->data;
	size_t i;

	(void)result;
	for (i = 0; i < b->n; i++)
		c4w_hasher_release(ctx, b->file[i]);
	free(b);
}

static int job_worker_new(void *ctx, void **out, struct c4w_err *err)
{
	(void)ctx;
	*out = malloc(sizeof(struct c4w_hash_blocks));
	return *out ? C4W_OK : c4w_fail_memory(err, sizeof(struct c4w_hash_blocks));
}

static void job_worker_free(void *ctx, void *worker)
{
	(void)ctx;
	free(worker);
}

static void job_destroy(void *ctx)
{
	c4w_hasher_free(ctx);
}

int c4w_hash_job(const struct c4w_hash_source *source, struct c4w_job *out, struct c4w_err *err)
{
	struct c4w_hasher *h;

	C4W_TRY(c4w_hasher_new(source, &h, err));
	*out = (struct c4w_job){ .ctx = h, .next = job_next, .work = job_work, .release = job_release,
				 .worker_new = job_worker_new, .worker_free = job_worker_free, .destroy = job_destroy };
	return C4W_OK;
}
