/* Building plots. See plot.h. */
#include "model/plot.h"

#include "model/figure.h" /* ticks */

#include <math.h>
#include <stdlib.h>
#include <strings.h>

void c4w_plot_init(struct c4w_plot *p)
{
	memset(p, 0, sizeof *p);
	p->title = p->subtitle = "";
}

void c4w_plot_clear(struct c4w_plot *p)
{
	size_t i;
	for (i = 0; i < p->boxes; i++)
		free(p->box[i].points);
	c4w_arena_clear(&p->arena);
	c4w_plot_init(p);
}

const char *c4w_plot_text(struct c4w_plot *p, const char *fmt, ...)
{
	char buf[400];
	const char *kept;
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(buf, sizeof buf, fmt, ap);
	va_end(ap);
	kept = c4w_arena_text(&p->arena, buf, strlen(buf));
	p->failed |= !kept;
	return kept ? kept : "";
}

struct c4w_plot_box *c4w_plot_axes(struct c4w_plot *p, const char *title, const char *x_label, const char *y_label)
{
	struct c4w_plot_box *b = &p->box[p->boxes < 4 ? p->boxes++ : 3];
	*b = (struct c4w_plot_box){ .title = title, .x_label = x_label, .y_label = y_label, .x1 = 1, .y1 = 1 };
	return b;
}

void c4w_plot_point(struct c4w_plot *p, struct c4w_plot_box *b, double x, double y, double t, enum c4w_plot_mark mark, const char *label)
{
	if (!isfinite(x) || !isfinite(y))
		return;
	if (b->n == b->cap) {
		size_t cap = b->cap ? 2 * b->cap : 64;
		struct c4w_plot_point *v = realloc(b->points, cap * sizeof *v);
		if (!v) {
			p->failed = true;
			return;
		}
		b->points = v;
		b->cap = cap;
	}
	b->points[b->n++] = (struct c4w_plot_point){ x, y, t >= 0 ? (t > 1 ? 1 : t) : 0, label, (uint8_t)mark };
	p->faint |= mark == C4W_PLOT_FAINT;
	p->sites |= mark == C4W_PLOT_SITE || mark == C4W_PLOT_HERE;
}

struct c4w_rgb c4w_plot_color(const struct c4w_plot *p, double t, bool dark)
{
	if (p->names[0]) /* two things that differ: orange and blue, told apart by everybody */
		return c4w_rgb_mix(c4w_rgb_oklch(dark ? 0.62 : 0.55, 0.16, 45), c4w_rgb_oklch(dark ? 0.75 : 0.55, 0.13, 240), t);
	return c4w_colormap_even(dark ? 0.3 + 0.7 * t : 0.9 * t);
}

size_t c4w_plot_ticks(double from, double to, double fixed, double want, double *first, double *step)
{
	double lo = from < to ? from : to, hi = from < to ? to : from;
	if (fixed > 0) {
		*step = fixed;
		*first = ceil(lo / fixed - 1e-9) * fixed;
		return *first > hi ? 0 : (size_t)floor((hi - *first) / fixed + 1e-9) + 1;
	}
	return c4w_ticks(lo, hi, want < 1 ? 1 : (unsigned)want, first, step);
}

bool c4w_plot_format(const char *path, enum c4w_plot_format *out)
{
	size_t n = strlen(path);
	if (n < 4 || (strcasecmp(path + n - 4, ".svg") != 0 && strcasecmp(path + n - 4, ".png") != 0))
		return false;
	*out = strcasecmp(path + n - 4, ".svg") == 0 ? C4W_PLOT_SVG : C4W_PLOT_PNG;
	return true;
}
