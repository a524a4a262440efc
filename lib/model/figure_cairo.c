/* Figures as SVG, PNG and PDF, through cairo. See figure.h. */
#include "model/cairo.h"
#include "model/figure.h"

#include <math.h>

enum { PAGE = 760, SHARE = 210, TALLEST = 760, TOP = 10, HEAD = 18, BETWEEN = 4, AXIS = 38, LANE = 17, GAP = 12, LEGEND = 22 };

struct draw {
	struct c4w_pen pen;
	const struct c4w_figure *f;
	double width, height; /* of the page, of a panel */
};

/* A panel on the page: the box within its axes. */
struct area {
	struct draw *d;
	const struct c4w_fig_group *g;
	const struct c4w_fig_panel *p;
	double x, y, w, h;
};

static void ink(struct draw *d, unsigned n)
{
	static const struct c4w_rgb colors[] = { { 26, 89, 158 }, { 199, 89, 26 }, { 31, 128, 77 }, { 140, 51, 133 }, { 107, 107, 26 }, { 179, 31, 56 } };

	c4w_pen_ink(&d->pen, colors[n % 6], 1);
}

static double px(const struct area *a, double x)
{
	return a->x + c4w_fig_along(&a->g->x, x) * a->w;
}

/* A curve keeps off the frame: its axis is as long as its values. */
static double py(const struct area *a, double y)
{
	double edge = a->p->kind == C4W_FIG_CURVE ? 4 : 0;

	return a->y + edge + c4w_fig_down(&a->p->y, y) * (a->h - 2 * edge);
}

/* ---- a panel ---- */

static void x_grid(const struct area *a)
{
	struct c4w_fig_ticks t = c4w_fig_ticks(&a->g->x, a->w / 75);
	size_t i;

	c4w_pen_grey(&a->d->pen, 0.87);
	a->d->pen.k.set_line_width(a->d->pen.cr, 0.7);
	for (i = 0; i < t.n; i++)
		c4w_pen_line(&a->d->pen, px(a, c4w_fig_tick(&t, i)), a->y, px(a, c4w_fig_tick(&t, i)), a->y + a->h);
}

static void y_tick(const struct area *a, double v, const char *text)
{
	c4w_pen_grey(&a->d->pen, 0.87);
	c4w_pen_line(&a->d->pen, a->x, py(a, v), a->x + a->w, py(a, v));
	c4w_pen_grey(&a->d->pen, 0.2);
	c4w_pen_text(&a->d->pen, a->x - 7, py(a, v) + 4, 1, text);
}

static void y_axis(const struct area *a)
{
	struct c4w_pen *pen = &a->d->pen;
	const struct c4w_fig_axis *y = &a->p->y;
	struct c4w_fig_ticks t = c4w_fig_ticks(y, fmax(3, a->h / 45));
	char buf[32];
	size_t i;

	c4w_pen_font(pen, 11, false);
	for (i = 0; i < y->nnames; i++)
		y_tick(a, (double)i, y->names[i]);
	for (i = 0; i < t.n && !y->names; i++)
		y_tick(a, c4w_fig_tick(&t, i), c4w_fig_tick_text(&t, i, buf));
	if (!y->label)
		return;
	pen->k.save(pen->cr);
	pen->k.move_to(pen->cr, a->x - 48, a->y + a->h / 2 + c4w_pen_width(pen, y->label) / 2);
	pen->k.rotate(pen->cr, -1.5707963267948966);
	pen->k.show_text(pen->cr, y->label);
	pen->k.restore(pen->cr);
}

/* A run of joined bins: first, extremes, last of each, so that every peak is on the path. */
static void run(const struct area *a, size_t from, size_t to)
{
	struct c4w_pen *pen = &a->d->pen;
	double bin = a->w / (double)a->d->f->bins;
	size_t i;

	pen->k.new_path(pen->cr);
	for (i = from; i < to; i++) {
		const struct c4w_fig_bin *q = &a->p->bins[i];
		double x = a->x + ((double)i + 0.5) * bin;
		bool up = q->last >= q->first;

		pen->k.line_to(pen->cr, x, py(a, q->first));
		if (q->hi > q->lo) {
			pen->k.line_to(pen->cr, x, py(a, up ? q->lo : q->hi));
			pen->k.line_to(pen->cr, x, py(a, up ? q->hi : q->lo));
			pen->k.line_to(pen->cr, x, py(a, q->last));
		}
	}
	pen->k.stroke(pen->cr);
	if (to == from + 1) /* a point by itself */
		c4w_pen_box(pen, a->x + ((double)from + 0.5) * bin - 1.2, py(a, a->p->bins[from].first) - 1.2, 2.4, 2.4);
}

static void curve(const struct area *a, unsigned number)
{
	const struct c4w_fig_bin *bins = a->p->bins;
	size_t from, to, n = a->d->f->bins;

	ink(a->d, number);
	a->d->pen.k.set_line_width(a->d->pen.cr, 1);
	a->d->pen.k.set_line_join(a->d->pen.cr, CAIRO_LINE_JOIN_BEVEL);
	for (from = 0; from < n; from = to) {
		to = from + 1;
		if (!bins[from].any)
			continue;
		while (to < n && bins[to].any && bins[to].joined)
			to++;
		run(a, from, to);
	}
}

static void triangle(struct c4w_pen *pen, double x, double y, double r, bool filled)
{
	pen->k.new_path(pen->cr);
	pen->k.move_to(pen->cr, x, y - r);
	pen->k.line_to(pen->cr, x + 0.9 * r, y + 0.7 * r);
	pen->k.line_to(pen->cr, x - 0.9 * r, y + 0.7 * r);
	pen->k.close_path(pen->cr);
	c4w_pen_ink(pen, filled ? (struct c4w_rgb){ 217, 26, 38 } : (struct c4w_rgb){ 255, 255, 255 }, 1);
	pen->k.fill_preserve(pen->cr);
	c4w_pen_grey(pen, 0.1);
	pen->k.set_line_width(pen->cr, 1.2);
	pen->k.stroke(pen->cr);
}

static void mark(const struct area *a, const struct c4w_fig_mark *m, double r)
{
	struct c4w_pen *pen = &a->d->pen;
	double x = px(a, m->x), y = py(a, m->y);
	bool site = m->shape >= C4W_FIG_SITE, stems = a->p->kind == C4W_FIG_STEMS;

	if (site) {
		triangle(pen, x, y, m->shape == C4W_FIG_HERE ? 9 : 6.5, m->shape == C4W_FIG_HERE);
	} else {
		if (m->shape == C4W_FIG_FAINT)
			c4w_pen_grey(pen, 0.75);
		else
			c4w_pen_ink(pen, c4w_fig_color(a->d->f, m->t, false), 1);
		pen->k.set_line_width(pen->cr, 2);
		if (stems)
			c4w_pen_line(pen, x, a->y + a->h, x, y);
		c4w_pen_disc(pen, x, y, m->shape == C4W_FIG_FAINT ? r * 0.6 : r);
	}
	if (!m->label)
		return;
	c4w_pen_font(pen, 10, site);
	c4w_pen_grey(pen, 0.1);
	if (site)
		c4w_pen_text(pen, x + 9, y + 4, 0, m->label);
	else if (stems)
		c4w_pen_text(pen, x, y - 8, 0.5, m->label);
	else
		c4w_pen_text(pen, x + 7, y - 4, 0, m->label);
}

/* Without values below, sites on top, the one it is about last. */
static void marks(const struct area *a)
{
	static const enum c4w_fig_shape order[] = { C4W_FIG_FAINT, C4W_FIG_DOT, C4W_FIG_SITE, C4W_FIG_HERE };
	size_t i, k, n = a->p->n;
	double r = n > 4000 ? 1.6 : n > 400 ? 2.4 : n > 60 ? 3.2 : 4.5;

	for (k = 0; k < C4W_FIG_SHAPES; k++)
		for (i = 0; i < n; i++)
			if (a->p->marks[i].shape == order[k])
				mark(a, &a->p->marks[i], r);
}

static void panel(const struct area *a, unsigned number)
{
	struct c4w_pen *pen = &a->d->pen;
	const struct c4w_fig_panel *p = a->p;
	bool empty = p->kind == C4W_FIG_CURVE && !p->bins;
	double over = p->kind == C4W_FIG_CURVE ? 0 : 12; /* marks upon the frame are whole */

	c4w_pen_font(pen, 12, true); /* above the panel: within, it would hide some of the curve */
	c4w_pen_grey(pen, 0.1);
	c4w_pen_text(pen, a->x, a->y - 6, 0, p->label);
	if (p->unit) {
		double w = c4w_pen_width(pen, p->label);

		c4w_pen_font(pen, 11, false);
		c4w_pen_grey(pen, 0.4);
		c4w_pen_text(pen, a->x + w + 8, a->y - 6, 0, p->unit);
	}
	x_grid(a);
	if (!empty)
		y_axis(a);
	pen->k.save(pen->cr);
	pen->k.new_path(pen->cr);
	pen->k.rectangle(pen->cr, a->x - over, a->y - over, a->w + 2 * over, a->h + (p->kind == C4W_FIG_STEMS ? over : 2 * over));
	pen->k.clip(pen->cr);
	if (p->bins)
		curve(a, number);
	else
		marks(a);
	pen->k.restore(pen->cr);
	if (p->note || empty) {
		c4w_pen_font(pen, 11, false);
		c4w_pen_grey(pen, 0.3);
		c4w_pen_text(pen, a->x + a->w / 2, a->y + a->h / 2 + 4, 0.5, p->note ? p->note : "no values");
	}
	c4w_pen_grey(pen, 0.5);
	pen->k.set_line_width(pen->cr, 0.9);
	pen->k.new_path(pen->cr);
	pen->k.rectangle(pen->cr, a->x, a->y, a->w, a->h);
	pen->k.stroke(pen->cr);
}

/* ---- below the panels ---- */

static void x_axis(const struct area *a, double y)
{
	struct c4w_fig_ticks t = c4w_fig_ticks(&a->g->x, a->w / 75);
	struct c4w_pen *pen = &a->d->pen;
	const char *name = c4w_fig_axis_name(&a->g->x, &t);
	char buf[32];
	size_t i;

	c4w_pen_font(pen, 11, false);
	c4w_pen_grey(pen, 0.2);
	for (i = 0; i < t.n; i++)
		c4w_pen_text(pen, px(a, c4w_fig_tick(&t, i)), y + 15, 0.5, c4w_fig_tick_text(&t, i, buf));
	if (t.unit_name) {
		snprintf(buf, sizeof buf, "time [%s]", name);
		name = buf;
	}
	c4w_pen_text(pen, a->x + a->w / 2, y + 32, 0.5, name);
}

static void span(const struct area *a, const struct c4w_fig_span *s, double y)
{
	struct c4w_pen *pen = &a->d->pen;
	double from = px(a, s->from), to = px(a, s->to);

	if (s->to > s->from) {
		c4w_pen_box(pen, from, y + 3, fmax(to - from, 1.5), 10);
		return;
	}
	pen->k.new_path(pen->cr);
	pen->k.move_to(pen->cr, from, y + 2);
	pen->k.line_to(pen->cr, from + 4, y + 8);
	pen->k.line_to(pen->cr, from, y + 14);
	pen->k.line_to(pen->cr, from - 4, y + 8);
	pen->k.fill(pen->cr);
}

/* Behind the first span of a lane, or in front of it; upon one that spans all, in white. */
static void span_label(const struct area *a, const struct c4w_fig_span *s, double y)
{
	struct c4w_pen *pen = &a->d->pen;
	double from = px(a, s->from), to = px(a, s->to), w;

	c4w_pen_font(pen, 10, false);
	w = c4w_pen_width(pen, s->label);
	c4w_pen_grey(pen, 0.15);
	if (to + 8 + w < a->x + a->w) {
		c4w_pen_text(pen, to + 8, y + 12, 0, s->label);
	} else if (from - 8 - w > 0) {
		c4w_pen_text(pen, from - 8, y + 12, 1, s->label);
	} else {
		c4w_pen_grey(pen, 1);
		c4w_pen_text(pen, from + 6, y + 11.5, 0, s->label);
	}
}

static void lanes(const struct area *a, double y)
{
	unsigned lane;
	char more[40];
	size_t m;

	for (lane = 0; lane < a->g->lanes; lane++, y += LANE) {
		const struct c4w_fig_span *first = NULL;

		ink(a->d, lane + 1);
		for (m = 0; m < a->g->nspans; m++)
			if (a->g->spans[m].lane == lane) {
				first = first ? first : &a->g->spans[m];
				span(a, &a->g->spans[m], y);
			}
		span_label(a, first, y);
	}
	if (a->g->others) {
		snprintf(more, sizeof more, "and %zu more", a->g->others);
		c4w_pen_grey(&a->d->pen, 0.15);
		c4w_pen_text(&a->d->pen, a->x, y + 12, 0, more);
	}
}

/* ---- the legend ---- */

/* What colours mean; returns where it ends. */
static double scale(struct draw *d, double x, double y)
{
	const struct c4w_figure *f = d->f;
	double step = (f->scale_hi - f->scale_lo) / 10;
	char buf[32];
	int k;

	c4w_pen_grey(&d->pen, 0.2);
	c4w_pen_text(&d->pen, x, y + 11, 0, f->scale_label);
	x += c4w_pen_width(&d->pen, f->scale_label) + 10;
	for (k = 1; f->names[0] && k >= 0; k--) {
		c4w_pen_ink(&d->pen, c4w_fig_color(f, k, false), 1);
		c4w_pen_disc(&d->pen, x + 5, y + 7, 5);
		c4w_pen_grey(&d->pen, 0.2);
		c4w_pen_text(&d->pen, x + 15, y + 11, 0, f->names[k]);
		x += c4w_pen_width(&d->pen, f->names[k]) + 32;
	}
	if (f->names[0])
		return x;
	c4w_pen_text(&d->pen, x, y + 11, 0, c4w_fig_number(f->scale_lo, step, buf));
	x += c4w_pen_width(&d->pen, buf) + 6;
	for (k = 0; k < 100; k++) {
		c4w_pen_ink(&d->pen, c4w_fig_color(f, k / 99.0, false), 1);
		c4w_pen_box(&d->pen, x + 1.6 * k, y + 1, k < 99 ? 3.2 : 1.6, 12);
	}
	c4w_pen_grey(&d->pen, 0.2);
	c4w_pen_text(&d->pen, x + 166, y + 11, 0, c4w_fig_number(f->scale_hi, step, buf));
	return x + 166 + c4w_pen_width(&d->pen, buf) + 24;
}

static void legend(struct draw *d, double y)
{
	static const enum c4w_fig_shape order[] = { C4W_FIG_HERE, C4W_FIG_SITE, C4W_FIG_FAINT };
	double x = C4W_FIG_LEFT, w;
	size_t k;

	c4w_pen_font(&d->pen, 11, false);
	if (d->f->scale_label)
		x = scale(d, x, y);
	for (k = 0; k < 3; k++) {
		const char *name = d->f->shape_names[order[k]];

		if (!name || !d->f->shapes[order[k]])
			continue;
		w = c4w_pen_width(&d->pen, name);
		if (x + w + 20 > d->width - C4W_FIG_RIGHT) {
			x = C4W_FIG_LEFT;
			y += LEGEND;
		}
		c4w_pen_grey(&d->pen, 0.75);
		if (order[k] == C4W_FIG_FAINT)
			c4w_pen_disc(&d->pen, x + 5, y + 7, 3);
		else
			triangle(&d->pen, x + 5, y + 8, 6.5, order[k] == C4W_FIG_HERE);
		c4w_pen_grey(&d->pen, 0.2);
		c4w_pen_text(&d->pen, x + 16, y + 11, 0, name);
		x += w + 32;
	}
}

/* ---- the page ---- */

/* The first panel of a group that is the m-th of k in its row. */
static struct area first_panel(struct draw *d, const struct c4w_fig_group *g, size_t m, size_t k, double y)
{
	double each = d->width / (double)k;
	struct area a = { d, g, g->npanels ? g->panels[0] : NULL, C4W_FIG_LEFT + (double)m * each, y + HEAD, each - C4W_FIG_LEFT - C4W_FIG_RIGHT, d->height };

	if (g->equal && a.p) {
		a.h = a.w * fabs((a.p->y.hi - a.p->y.lo) / (g->x.hi - g->x.lo));
		a.w = a.h > TALLEST ? a.w * TALLEST / a.h : a.w;
		a.h = fmin(a.h, TALLEST);
	}
	return a;
}

static double group_height(const struct area *a)
{
	return (double)a->g->npanels * (a->h + HEAD + BETWEEN) - BETWEEN + AXIS + (a->g->lanes + (a->g->others > 0)) * (double)LANE;
}

static void group(struct area a)
{
	unsigned k;

	for (k = 0; k < a.g->npanels; k++, a.y += a.h + HEAD + BETWEEN) {
		a.p = a.g->panels[k];
		panel(&a, k);
	}
	a.y -= HEAD + BETWEEN;
	x_axis(&a, a.y);
	lanes(&a, a.y + AXIS);
}

/* All groups, row by row, drawn or only measured; returns where they end. */
static double rows(struct draw *d, double y, bool draw)
{
	size_t i, k, m;

	for (i = 0; i < d->f->ngroups; i += k) {
		double h = 0;

		k = c4w_fig_row(d->f, i);
		for (m = 0; m < k; m++) {
			struct area a = first_panel(d, d->f->groups[i + m], m, k, y);

			h = fmax(h, group_height(&a));
			if (draw)
				group(a);
		}
		y += h + GAP;
	}
	return y;
}

static double top(const struct c4w_figure *f)
{
	return TOP + (*f->title ? 26 : 0) + (*f->subtitle ? 20 : 0);
}

static bool has_legend(const struct c4w_figure *f)
{
	return f->scale_label || f->shapes[C4W_FIG_SITE] || f->shapes[C4W_FIG_HERE] || f->shapes[C4W_FIG_FAINT];
}

int c4w_figure_draw(struct c4w_figure *f, enum c4w_fig_format format, unsigned width, unsigned height, c4w_bytes_fn sink, void *ctx,
		    struct c4w_err *err)
{
	struct draw d = { .f = f, .width = !width ? PAGE : width < 300 ? 300 : width, .height = !height ? SHARE : height < 20 ? 20 : height };
	double end;

	if (f->failed)
		return c4w_fail_memory(err, 0);
	C4W_TRY(c4w_cairo_open(&d.pen.k, err));
	c4w_figure_settle(f, C4W_FIG_DRAW_LANES);
	end = rows(&d, top(f), false);
	C4W_TRY(c4w_pen_page(&d.pen, format, d.width, ceil(end + (has_legend(f) ? 2 * LEGEND : 0)), sink, ctx, err));
	c4w_pen_grey(&d.pen, 0);
	c4w_pen_font(&d.pen, 15, true);
	c4w_pen_text(&d.pen, C4W_FIG_LEFT, 24, 0, f->title);
	c4w_pen_font(&d.pen, 12, false);
	c4w_pen_grey(&d.pen, 0.3);
	c4w_pen_text(&d.pen, C4W_FIG_LEFT, *f->title ? 44 : 22, 0, f->subtitle);
	rows(&d, top(f), true);
	legend(&d, end);
	return c4w_pen_end(&d.pen);
}
