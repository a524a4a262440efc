/* Progress on standard error. See progress.h. */
#include "progress.h"

#include "base/buf.h"
#include "base/str.h"

#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void c4w_progress_begin(struct c4w_progress *p, struct c4w_ctx *ctx)
{
	*p = (struct c4w_progress){ .ctx = ctx, .noun = "items" };
	p->start = p->last = now();
	if (c4w_progress_on(ctx)) {
		p->out = ctx->err;
		ctx->progress = p;
	}
	p->terminal = c4w_is_terminal(stderr) && !c4w_terminal_is_dumb();
}

double c4w_progress_seconds(const struct c4w_progress *p)
{
	return now() - p->start;
}

/* A line that wraps could not be wiped. */
static size_t room(void)
{
	struct winsize ws;
	return ioctl(STDERR_FILENO, TIOCGWINSZ, &ws) == 0 && ws.ws_col > 1 ? ws.ws_col - 1u : 79;
}

static void draw(struct c4w_progress *p, double elapsed)
{
	char line[256], size[32], n[32];
	uint64_t done = p->total_bytes ? p->bytes : p->items, total = p->total_bytes ? p->total_bytes : p->total_items;
	struct c4w_buf b = { 0 };
	c4w_buf_printf(&b, "%s: %s", p->ctx->name, c4w_str_grouped(p->items, n));
	if (p->total_items)
		c4w_buf_printf(&b, " of %s", c4w_str_grouped(p->total_items, n));
	/* "1 item", "1 of 2 items" */
	c4w_buf_printf(&b, " %.*s", (int)strlen(p->noun) - (p->items == 1 && p->total_items <= 1), p->noun);
	c4w_buf_printf(&b, ", %s", c4w_str_size(p->bytes, size));
	if (p->total_bytes)
		c4w_buf_printf(&b, " of %s", c4w_str_size(p->total_bytes, size));
	c4w_buf_printf(&b, ", %s/s", c4w_str_size((uint64_t)((double)p->bytes / elapsed), size));
	if (total)
		c4w_buf_printf(&b, ", %u %%", done < total ? (unsigned)(100.0 * (double)done / (double)total) : done == total ? 100 : 99);
	if (done && done < total) {
		double left = elapsed * (double)(total - done) / (double)done + 0.5;
		unsigned s = left < 3e6 ? (unsigned)left : 3000000;
		c4w_buf_printf(&b, ", %u:%02u left", s / 60, s % 60);
	}
	snprintf(line, sizeof line, "%s", b.failed ? "" : b.p);
	c4w_buf_clear(&b);
	if (p->terminal)
		fprintf(p->out, "\r%.*s\033[K", (int)room(), line);
	else
		fprintf(p->out, "%s\n", line);
	fflush(p->out);
	p->drawn = p->terminal;
}

void c4w_progress_step(struct c4w_progress *p, uint64_t items, uint64_t bytes)
{
	double t;
	if (!p->out)
		return;
	p->items = p->before_items + items;
	p->bytes = p->before_bytes + bytes;
	if ((t = now()) - p->last < (p->terminal ? 0.1 : 1.0))
		return;
	p->last = t;
	flockfile(p->out);
	draw(p, t - p->start);
	funlockfile(p->out);
}

void c4w_progress_wipe(struct c4w_progress *p)
{
	if (!p->out)
		return;
	flockfile(p->out);
	if (p->drawn) {
		fputs("\r\033[K", p->out);
		fflush(p->out);
	}
	p->drawn = false;
	funlockfile(p->out);
}

void c4w_progress_again(struct c4w_progress *p)
{
	c4w_progress_wipe(p);
	p->before_items = p->items;
	p->before_bytes = p->bytes;
}

void c4w_progress_end(struct c4w_progress *p)
{
	c4w_progress_wipe(p);
	if (p->out)
		p->ctx->progress = NULL;
	p->out = NULL;
}
