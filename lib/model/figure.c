/* Figures: building, envelopes, ticks. See figure.h. */
#include "model/figure.h"

#include <math.h>

void c4w_figure_init(struct c4w_figure *f, size_t bins)
{
	memset(f, 0, sizeof *f);
	f->bins = bins < 2 ? 2 : bins;
	f->title = f->subtitle = "";
}

void c4w_figure_clear(struct c4w_figure *f)
{
	size_t i;

	for (i = 0; i < f->ngroups; i++) {
		free(f->groups[i]->panels);
		free(f->groups[i]->marks);
	}
	free(f->groups);
	c4w_arena_clear(&f->arena);
	memset(f, 0, sizeof *f);
}

const char *c4w_figure_text(struct c4w_figure *f, struct c4w_view v)
{
	char buf[400];
	const char *t;

	c4w_str_escape(buf, sizeof buf, v.p ? v.p : "", v.n);
	t = c4w_arena_text(&f->arena, buf, strlen(buf));
	if (!t)
		f->failed = true;
	return t ? t : "";
}

static bool grow(void **p, size_t *cap, size_t n, size_t size)
{
	void *q;

	if (n < *cap)
		return true;
	q = realloc(*p, (*cap ? *cap * 2 : 8) * size);
	if (!q)
		return false;
	*p = q;
	*cap = *cap ? *cap * 2 : 8;
	return true;
}

struct c4w_fig_group *c4w_figure_group(struct c4w_figure *f, enum c4w_fig_axis axis, double x0, double x1)
{
	struct c4w_fig_group *g;
	void *mem;

	if (!grow((void **)&f->groups, &f->cap, f->ngroups, sizeof *f->groups) || c4w_arena_zero(&f->arena, 1, sizeof *g, &mem, NULL) != C4W_OK) {
		f->failed = true;
		return NULL;
	}
	g = mem;
	g->axis = axis;
	if (!(x1 > x0))
		x1 = x0 + (axis == C4W_FIG_TIME ? 1e-6 : 1);
	g->x0 = x0;
	g->x1 = x1;
	g->bins = f->bins;
	g->figure = f;
	f->groups[f->ngroups++] = g;
	return g;
}

struct c4w_fig_panel *c4w_figure_panel(struct c4w_fig_group *g, const char *label, const char *unit)
{
	struct c4w_fig_panel *p;
	void *mem;

	if (!grow((void **)&g->panels, &g->cap, g->npanels, sizeof *g->panels) ||
	    c4w_arena_zero(&g->figure->arena, 1, sizeof *p, &mem, NULL) != C4W_OK) {
		g->figure->failed = true;
		return NULL;
	}
	p = mem;
	if (c4w_arena_zero(&g->figure->arena, g->bins, sizeof *p->bins, &mem, NULL) != C4W_OK) {
		g->figure->failed = true;
		return NULL;
	}
	p->bins = mem;
	p->label = label;
	p->unit = unit;
	p->group = g;
	g->panels[g->npanels++] = p;
	return p;
}

static void put(struct c4w_fig_bin *b, double y, bool joined)
{
	if (!b->any) {
		b->lo = b->hi = b->first = b->last = y;
		b->any = true;
		b->joined = joined;
		return;
	}
	b->lo = y < b->lo ? y : b->lo;
	b->hi = y > b->hi ? y : b->hi;
	b->last = y;
}

/* The straight line from the last point to this one, in the bins between. */
static void bridge(struct c4w_fig_panel *p, size_t to, double x, double y)
{
	const struct c4w_fig_group *g = p->group;
	double width = (g->x1 - g->x0) / (double)g->bins, a, b, mid;
	size_t i;

	if (x <= p->last_x)
		return;
	for (i = p->at + 1; i < to; i++) {
		mid = g->x0 + ((double)i + 0.5) * width;
		a = (mid - p->last_x) / (x - p->last_x);
		b = p->levels ? p->last_y : p->last_y + (y - p->last_y) * a; /* a named level holds until the next */
		put(&p->bins[i], b, true);
	}
}

void c4w_figure_points(struct c4w_fig_panel *p, const double *x, const double *y, size_t n)
{
	const struct c4w_fig_group *g = p->group;
	double scale = (double)g->bins / (g->x1 - g->x0), at;
	size_t i, bin;

	for (i = 0; i < n; i++) {
		if (!isfinite(y[i])) {
			p->gaps++;
			p->have_last = false;
			continue;
		}
		at = (x[i] - g->x0) * scale;
		if (!(at >= 0) || x[i] > g->x1)
			continue;
		bin = at >= (double)g->bins ? g->bins - 1 : (size_t)at;
		if (p->have_last && bin > p->at + 1)
			bridge(p, bin, x[i], y[i]);
		put(&p->bins[bin], y[i], p->have_last && bin > p->at);
		if (!p->any || y[i] < p->lo)
			p->lo = y[i];
		if (!p->any || y[i] > p->hi)
			p->hi = y[i];
		p->any = true;
		p->points++;
		p->at = bin;
		p->last_x = x[i];
		p->last_y = y[i];
		p->have_last = true;
	}
}

void c4w_figure_mark(struct c4w_fig_group *g, const char *label, double from, double to)
{
	if (to < g->x0 || from > g->x1)
		return;
	if (!grow((void **)&g->marks, &g->mark_cap, g->nmarks, sizeof *g->marks)) {
		g->figure->failed = true;
		return;
	}
	g->marks[g->nmarks++] = (struct c4w_fig_mark){ label, from < g->x0 ? g->x0 : from, to > g->x1 ? g->x1 : to, 0 };
}

void c4w_figure_settle(struct c4w_figure *f)
{
	size_t i, k, m;

	for (i = 0; i < f->ngroups; i++) {
		struct c4w_fig_group *g = f->groups[i];

		for (k = 0; k < g->npanels; k++) {
			struct c4w_fig_panel *p = g->panels[k];
			double pad;

			if (!p->any)
				continue;
			if (p->levels) { /* room above and below the names */
				p->lo = -0.3;
				p->hi = (double)p->nlevels - 0.7;
				continue;
			}
			if (p->hi > p->lo)
				continue;
			pad = p->lo == 0 ? 1 : fabs(p->lo) * 0.1;
			p->lo -= pad;
			p->hi += pad;
		}
		/* one lane a key: marks with the same label up to " = " stand together */
		for (m = 0; m < g->nmarks; m++) {
			for (k = 0; k < m; k++)
				if (strcmp(g->marks[k].label, g->marks[m].label) == 0)
					break;
			g->marks[m].lane = k < m ? g->marks[k].lane : g->lanes++;
		}
	}
}

size_t c4w_ticks(double lo, double hi, unsigned want, double *first, double *step)
{
	double raw, power, f;

	if (!(hi > lo) || want < 1 || !isfinite(hi - lo)) {
		*first = lo;
		*step = 1;
		return 1;
	}
	raw = (hi - lo) / want;
	power = pow(10, floor(log10(raw)));
	f = raw / power;
	*step = power * (f <= 1 ? 1 : f <= 2 ? 2 : f <= 5 ? 5 : 10);
	*first = ceil(lo / *step - 1e-9) * *step;
	if (*first > hi)
		return 0;
	return (size_t)floor((hi - *first) / *step + 1e-9) + 1;
}

size_t c4w_time_ticks(double lo, double hi, unsigned want, double *first, double *step, double *unit, const char **name)
{
	static const double steps[] = { 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400 };
	double raw = (hi - lo) / (want ? want : 1);
	size_t i;

	if (raw >= 43200 * 1.5) {
		*unit = 86400;
		*name = "d";
	} else if (raw >= 1800) {
		*unit = 3600;
		*name = "h";
	} else if (raw >= 30) {
		*unit = 60;
		*name = "min";
	} else if (raw >= 0.05) {
		*unit = 1;
		*name = "s";
	} else if (raw >= 5e-5) {
		*unit = 1e-3;
		*name = "ms";
	} else {
		*unit = 1e-6;
		*name = "us";
	}
	if (raw < 1 || raw >= 86400) {
		size_t n = c4w_ticks(lo / *unit, hi / *unit, want, first, step);

		*first *= *unit;
		*step *= *unit;
		return n;
	}
	for (i = 0; i + 1 < sizeof steps / sizeof *steps && steps[i] < raw; i++)
		;
	*step = steps[i];
	*first = ceil(lo / *step - 1e-9) * *step;
	return *first > hi ? 0 : (size_t)floor((hi - *first) / *step + 1e-9) + 1;
}

char *c4w_tick_text(double v, double step, char *buf)
{
	int decimals;

	if (fabs(v) < step * 1e-6)
		v = 0;
	if (fabs(v) >= 1e6 || (v != 0 && fabs(v) < 1e-4)) {
		snprintf(buf, 32, "%.3g", v);
		return buf;
	}
	decimals = step > 0 && step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;
	snprintf(buf, 32, "%.*f", decimals > 6 ? 6 : decimals, v);
	return buf;
}
