/* Progress on standard error. See progress.h. */
#include "progress.h"

#include "base/str.h"

#include <inttypes.h>
#include <time.h>

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void c4w_progress_begin(struct c4w_progress *p, const struct c4w_ctx *ctx, const char *verb, uint64_t total_bytes)
{
	*p = (struct c4w_progress){ .verb = verb, .total = total_bytes };
	p->start = p->last = now();
	if (c4w_progress_on(ctx))
		p->out = ctx->err;
	p->terminal = c4w_is_terminal(stderr);
}

double c4w_progress_seconds(const struct c4w_progress *p)
{
	return now() - p->start;
}

void c4w_progress_step(struct c4w_progress *p, uint64_t items, uint64_t bytes)
{
	char done[32], all[32], rate[32];
	double t, elapsed;
	if (!p->out || (t = now()) - p->last < (p->terminal ? 0.1 : 1.0))
		return;
	p->last = t;
	elapsed = t - p->start;
	fprintf(p->out, "%s%s: %" PRIu64 " items, %s", p->terminal ? "\r" : "", p->verb, items, c4w_str_size(bytes, done));
	if (p->total)
		fprintf(p->out, " of %s", c4w_str_size(p->total, all));
	fprintf(p->out, ", %s/s", c4w_str_size((uint64_t)((double)bytes / elapsed), rate));
	if (p->total && bytes && bytes < p->total) {
		unsigned left = (unsigned)(elapsed * (double)(p->total - bytes) / (double)bytes + 0.5);
		fprintf(p->out, ", %u:%02u left", left / 60, left % 60);
	}
	fputs(p->terminal ? "\033[K" : "\n", p->out);
	fflush(p->out);
	p->drawn = p->terminal;
}

void c4w_progress_wipe(struct c4w_progress *p)
{
	if (p->drawn)
		fputs("\r\033[K", p->out);
	p->drawn = false;
}
