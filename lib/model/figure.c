/* Figures: building, envelopes, axes. See figure.h. */
#include "model/figure.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <strings.h>

/* ---- building ---- */

void c4w_figure_init(struct c4w_figure *f, size_t bins)
{
	memset(f, 0, sizeof *f);
	f->bins = bins < 2 ? 2 : bins;
	f->title = f->subtitle = "";
}

void c4w_figure_clear(struct c4w_figure *f)
{
	size_t i, k;

	for (i = 0; i < f->ngroups; i++) {
		for (k = 0; k < f->groups[i]->npanels; k++)
			free(f->groups[i]->panels[k]->marks);
		free(f->groups[i]->panels);
		free(f->groups[i]->spans);
	}
	free(f->groups);
	c4w_arena_clear(&f->arena);
	c4w_figure_init(f, f->bins);
}

static const char *keep(struct c4w_figure *f, const char *text)
{
	const char *t = c4w_arena_text(&f->arena, text, strlen(text));

	f->failed |= !t;
	return t ? t : "";
}

const char *c4w_figure_text(struct c4w_figure *f, struct c4w_view v)
{
	char buf[400];

	return keep(f, c4w_str_escape(buf, sizeof buf, v.p ? v.p : "", v.n));
}

const char *c4w_figure_printf(struct c4w_figure *f, const char *fmt, ...)
{
	char buf[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof buf, fmt, ap);
	va_end(ap);
	return keep(f, buf);
}

/* Room for one more of `size` bytes in an array of *cap. */
static bool grow(struct c4w_figure *f, void **p, size_t *cap, size_t n, size_t size)
{
	size_t more = *cap ? *cap * 2 : 8;
	void *q;

	if (n < *cap)
		return true;
	q = realloc(*p, more * size);
	if (!q) {
		f->failed = true;
		return false;
	}
	*p = q;
	*cap = more;
	return true;
}

static void *zero(struct c4w_figure *f, size_t n, size_t size)
{
	void *mem;

	if (c4w_arena_zero(&f->arena, n, size, &mem, NULL) == C4W_OK)
		return mem;
	f->failed = true;
	return NULL;
}

struct c4w_fig_group *c4w_figure_group(struct c4w_figure *f, enum c4w_fig_unit unit, double x0, double x1)
{
	struct c4w_fig_group *g = zero(f, 1, sizeof *g);

	if (!g || !grow(f, (void **)&f->groups, &f->cap, f->ngroups, sizeof *f->groups))
		return NULL;
	if (!(x1 < x0) && !(x1 > x0))
		x1 = x0 + (unit == C4W_FIG_TIME ? 1e-6 : 1);
	g->x = (struct c4w_fig_axis){ .unit = unit, .lo = x0, .hi = x1 };
	g->figure = f;
	f->groups[f->ngroups++] = g;
	return g;
}

struct c4w_fig_panel *c4w_figure_panel(struct c4w_fig_group *g, enum c4w_fig_kind kind, const char *label)
{
	struct c4w_fig_panel *p = zero(g->figure, 1, sizeof *p);

	if (!p || !grow(g->figure, (void **)&g->panels, &g->cap, g->npanels, sizeof *g->panels))
		return NULL;
	p->kind = kind;
	p->label = label;
	p->group = g;
	p->y.hi = kind == C4W_FIG_CURVE ? 0 : 1;
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
	double width = (g->x.hi - g->x.lo) / (double)g->figure->bins, a, b, mid;
	size_t i;

	if (x <= p->last_x)
		return;
	for (i = p->at + 1; i < to; i++) {
		mid = g->x.lo + ((double)i + 0.5) * width;
		a = (mid - p->last_x) / (x - p->last_x);
		b = p->y.names ? p->last_y : p->last_y + (y - p->last_y) * a; /* a named value holds until the next */
		put(&p->bins[i], b, true);
	}
}

void c4w_figure_curve(struct c4w_fig_panel *p, const double *x, const double *y, size_t n)
{
	const struct c4w_fig_axis *axis = &p->group->x;
	size_t i, bin, bins = p->group->figure->bins;
	double scale = (double)bins / (axis->hi - axis->lo), at;

	for (i = 0; i < n; i++) {
		if (!isfinite(y[i])) {
			p->have_last = false;
			continue;
		}
		at = (x[i] - axis->lo) * scale;
		if (!(at >= 0) || x[i] > axis->hi)
			continue;
		bin = at >= (double)bins ? bins - 1 : (size_t)at;
		if (!p->bins) {
			p->bins = zero(p->group->figure, bins, sizeof *p->bins);
			if (!p->bins)
				return;
			p->y.lo = p->y.hi = y[i];
		}
		if (p->have_last && bin > p->at + 1)
			bridge(p, bin, x[i], y[i]);
		put(&p->bins[bin], y[i], p->have_last && bin > p->at);
		if (y[i] < p->y.lo)
			p->y.lo = y[i];
		if (y[i] > p->y.hi)
			p->y.hi = y[i];
		p->at = bin;
		p->last_x = x[i];
		p->last_y = y[i];
		p->have_last = true;
	}
}

void c4w_figure_mark(struct c4w_fig_panel *p, double x, double y, double t, enum c4w_fig_shape shape, const char *label)
{
	struct c4w_figure *f = p->group->figure;

	if (!isfinite(x) || !isfinite(y) || !grow(f, (void **)&p->marks, &p->cap, p->n, sizeof *p->marks))
		return;
	p->marks[p->n++] = (struct c4w_fig_mark){ x, y, t >= 0 ? (t > 1 ? 1 : t) : 0, label, shape };
	f->shapes[shape] = true;
}

void c4w_figure_span(struct c4w_fig_group *g, const char *label, double from, double to)
{
	if (to < g->x.lo || from > g->x.hi || !grow(g->figure, (void **)&g->spans, &g->span_cap, g->nspans, sizeof *g->spans))
		return;
	g->spans[g->nspans++] = (struct c4w_fig_span){ label, from < g->x.lo ? g->x.lo : from, to > g->x.hi ? g->x.hi : to, 0 };
}

/* ---- for the renderers ---- */

static void settle_range(struct c4w_fig_axis *y)
{
	double pad = y->lo == 0 ? 1 : fabs(y->lo) * 0.1;

	if (y->names) { /* room above and below the names */
		y->lo = -0.3;
		y->hi = (double)y->nnames - 0.7;
	} else if (!(y->hi > y->lo)) {
		y->lo -= pad;
		y->hi += pad;
	}
}

static void place_spans(struct c4w_fig_group *g, unsigned most)
{
	const char *labels[C4W_FIG_DRAW_LANES];
	unsigned k;
	size_t m;

	g->lanes = 0;
	for (m = g->others = 0; m < g->nspans; m++) {
		struct c4w_fig_span *s = &g->spans[m];

		for (k = 0; k < g->lanes && strcmp(labels[k], s->label) != 0; k++)
			;
		s->lane = k;
		if (k == most)
			g->others++;
		else if (k == g->lanes)
			labels[g->lanes++] = s->label;
	}
}

void c4w_figure_settle(struct c4w_figure *f, unsigned lanes)
{
	size_t i, k;

	for (i = 0; i < f->ngroups; i++) {
		struct c4w_fig_group *g = f->groups[i];

		for (k = 0; k < g->npanels; k++)
			if (g->panels[k]->bins)
				settle_range(&g->panels[k]->y);
		place_spans(g, lanes);
	}
}

size_t c4w_fig_row(const struct c4w_figure *f, size_t i)
{
	size_t k = 1;

	while (k < C4W_FIG_BESIDE && i + k < f->ngroups && f->groups[i + k]->beside)
		k++;
	return k;
}

struct c4w_rgb c4w_fig_color(const struct c4w_figure *f, double t, bool dark)
{
	if (f->names[0]) /* two things that differ: orange and blue, told apart by everybody */
		return c4w_rgb_mix(c4w_rgb_oklch(dark ? 0.62 : 0.55, 0.16, 45), c4w_rgb_oklch(dark ? 0.75 : 0.55, 0.13, 240), t);
	return c4w_colormap_even(dark ? 0.3 + 0.7 * t : 0.9 * t);
}

bool c4w_figure_format(const char *path, enum c4w_fig_format *out)
{
	static const char *const ends[] = { ".svg", ".png", ".pdf" };
	size_t n = strlen(path), i;

	for (i = 0; i < 3; i++)
		if (n > 4 && strcasecmp(path + n - 4, ends[i]) == 0) {
			*out = (enum c4w_fig_format)i;
			return true;
		}
	return false;
}

/* ---- axes ---- */

double c4w_fig_round_step(double v)
{
	double power = pow(10, floor(log10(v))), f = v / power;

	return power * (f <= 1 ? 1 : f <= 2 ? 2 : f <= 5 ? 5 : 10);
}

/* The unit of times that are about `step` seconds apart. */
static double time_unit(double step, const char **name)
{
	static const struct {
		double from, seconds;
		const char *name;
	} units[] = { { 43200 * 1.5, 86400, "d" }, { 1800, 3600, "h" }, { 30, 60, "min" }, { 0.05, 1, "s" }, { 5e-5, 1e-3, "ms" }, { 0, 1e-6, "us" } };
	size_t i;

	for (i = 0; step < units[i].from; i++)
		;
	*name = units[i].name;
	return units[i].seconds;
}

static double time_step(double raw, double unit)
{
	static const double steps[] = { 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400 };
	size_t i;

	if (raw < 1 || raw >= 86400)
		return c4w_fig_round_step(raw / unit) * unit;
	for (i = 0; steps[i] < raw; i++)
		;
	return steps[i];
}

static void count_ticks(struct c4w_fig_ticks *t, double lo, double hi)
{
	if (!(t->step > 0) || !isfinite(t->step)) { /* at the ends of what a double holds */
		*t = (struct c4w_fig_ticks){ .n = 1, .first = lo, .step = hi - lo, .unit = t->unit, .unit_name = t->unit_name };
		return;
	}
	t->first = ceil(lo / t->step - 1e-9) * t->step;
	t->n = t->first > hi ? 0 : (size_t)floor((hi - t->first) / t->step + 1e-9) + 1;
}

struct c4w_fig_ticks c4w_fig_ticks(const struct c4w_fig_axis *a, double want)
{
	struct c4w_fig_ticks t = { .n = 1, .first = a->lo, .step = 1, .unit = 1 };
	double lo = a->lo < a->hi ? a->lo : a->hi, hi = a->lo < a->hi ? a->hi : a->lo, raw = (hi - lo) / (want < 1 ? 1 : floor(want));

	if (a->unit == C4W_FIG_TIME)
		t.unit = time_unit(raw, &t.unit_name);
	if (!(hi > lo) || !isfinite(hi - lo))
		return t;
	t.step = a->step > 0 ? a->step : a->unit == C4W_FIG_TIME ? time_step(raw, t.unit) : c4w_fig_round_step(raw);
	if (a->unit == C4W_FIG_STEPS && t.step < 1)
		t.step = 1;
	count_ticks(&t, lo, hi);
	if (t.n < 2 && a->unit == C4W_FIG_NUMBER && !(a->step > 0)) { /* one alone tells no scale */
		t.step = c4w_fig_round_step(t.step / 2.5);
		count_ticks(&t, lo, hi);
	}
	return t;
}

char *c4w_fig_number(double v, double step, char *buf)
{
	double size = fabs(v);
	int digits;

	if (size < step * 1e-6)
		v = size = 0;
	if (size >= 1e9 || (size > 0 && size < 1e-4)) { /* as many digits as tell two steps apart */
		digits = step > 0 ? (int)(floor(log10(size)) - floor(log10(step)) + 1) : 3;
		snprintf(buf, 32, "%.*g", digits < 3 ? 3 : digits > 9 ? 9 : digits, v);
		return buf;
	}
	digits = step > 0 && step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;
	snprintf(buf, 32, "%.*f", digits > 6 ? 6 : digits, v);
	return buf;
}

char *c4w_fig_tick_text(const struct c4w_fig_ticks *t, size_t i, char *buf)
{
	return c4w_fig_number(c4w_fig_tick(t, i) / t->unit, t->step / t->unit, buf);
}

const char *c4w_fig_axis_name(const struct c4w_fig_axis *a, const struct c4w_fig_ticks *t)
{
	return t->unit_name ? t->unit_name : a->unit == C4W_FIG_STEPS ? "step" : a->label ? a->label : "";
}
