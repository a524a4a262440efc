/* Figures of signals over an axis: several panels one above the other, marked spans below; drawn in the terminal (braille dots) or
 * into SVG, PNG or PDF by cairo, which is opened at first use.
 *
 * A panel keeps, for each of `bins` columns, the smallest and largest value that fell into it, and the first and last: so a million
 * points draw as their envelope and no peak is lost, and a few points draw as lines. Feeding is in order of x.
 *
 *     c4w_figure_init(&f, bins); g = c4w_figure_group(&f, C4W_FIG_TIME, x0, x1); p = c4w_figure_panel(g, ...);
 *     c4w_figure_points(p, x, y, n); ...; c4w_figure_terminal(&f, out, columns, lines, color);
 */
#ifndef C4W_MODEL_FIGURE_H
#define C4W_MODEL_FIGURE_H

#include "base/arena.h"
#include "base/buf.h"
#include "containers/fault.h" /* c4w_bytes_fn */

#include <stdbool.h>
#include <stdio.h>

enum c4w_fig_axis {
	C4W_FIG_TIME, /* x is seconds: labelled in the unit that suits the range */
	C4W_FIG_STEPS,
	C4W_FIG_NUMBER, /* anything else, with `x_label` */
};

struct c4w_fig_bin {
	double lo, hi, first, last;
	bool any, joined; /* joined: no gap between the bin before and this one */
};

struct c4w_fig_panel {
	const char *label, *unit;       /* in the figure's arena */
	const char *const *levels;      /* names of the values 0, 1, 2 ... instead of numbers, or NULL */
	size_t nlevels;
	const char *note;               /* instead of a curve: "text", or NULL */
	struct c4w_fig_bin *bins;
	double lo, hi;                  /* of what was fed */
	bool any;
	uint64_t points, gaps;
	/* feeding */
	size_t at;
	double last_x, last_y;
	bool have_last;
	struct c4w_fig_group *group;
};

struct c4w_fig_mark {
	const char *label;
	double from, to; /* equal: a point */
	unsigned lane;
};

struct c4w_fig_group {
	enum c4w_fig_axis axis;
	const char *x_label; /* NUMBER; TIME: what x = 0 is, or NULL */
	double x0, x1;
	struct c4w_fig_panel **panels;
	size_t npanels, cap;
	struct c4w_fig_mark *marks;
	size_t nmarks, mark_cap;
	unsigned lanes;
	size_t bins;
	struct c4w_figure *figure;
};

struct c4w_figure {
	const char *title, *subtitle;
	size_t bins;
	struct c4w_fig_group **groups;
	size_t ngroups, cap;
	struct c4w_arena arena;
	bool failed; /* memory ran out while building */
};

void c4w_figure_init(struct c4w_figure *f, size_t bins);
void c4w_figure_clear(struct c4w_figure *f);
const char *c4w_figure_text(struct c4w_figure *f, struct c4w_view v); /* escaped for display; never NULL */

/* NULL when memory is gone (f->failed then). x1 <= x0 is widened. */
struct c4w_fig_group *c4w_figure_group(struct c4w_figure *f, enum c4w_fig_axis axis, double x0, double x1);
struct c4w_fig_panel *c4w_figure_panel(struct c4w_fig_group *g, const char *label, const char *unit);
/* A NaN in y is a gap: the line breaks. Infinite values are gaps too. */
void c4w_figure_points(struct c4w_fig_panel *p, const double *x, const double *y, size_t n);
void c4w_figure_mark(struct c4w_fig_group *g, const char *label, double from, double to);

/* `bins` should be 2 * (columns - C4W_FIG_GUTTER). */
#define C4W_FIG_GUTTER 12
int c4w_figure_terminal(struct c4w_figure *f, FILE *out, unsigned columns, unsigned lines, bool color, struct c4w_err *err) C4W_MUST_CHECK;

enum c4w_fig_format { C4W_FIG_SVG, C4W_FIG_PNG, C4W_FIG_PDF };
/* By the ending of a file's name; false when it is none of the three. */
bool c4w_figure_format(const char *path, enum c4w_fig_format *out);
/* `width` in points, `height` of each panel. `bins` should be width - C4W_FIG_LEFT - C4W_FIG_RIGHT. C4W_UNSUPPORTED without libcairo. */
#define C4W_FIG_LEFT 76
#define C4W_FIG_RIGHT 18
int c4w_figure_draw(struct c4w_figure *f, enum c4w_fig_format format, unsigned width, unsigned height, c4w_bytes_fn sink, void *ctx,
		    struct c4w_err *err) C4W_MUST_CHECK;

/* ---- shared by the renderers ---- */

/* Fill in what lies between points, widen flat ranges, place marks in lanes. */
void c4w_figure_settle(struct c4w_figure *f);

/* Ticks at 1, 2, 5 times a power of ten within [lo, hi], about `want` of them. Returns how many; the first goes to *first. */
size_t c4w_ticks(double lo, double hi, unsigned want, double *first, double *step);
/* For times: steps of 1, 2, 5, 10, 15, 30 s, min, h, d; *unit is the divisor of seconds, *name its name. */
size_t c4w_time_ticks(double lo, double hi, unsigned want, double *first, double *step, double *unit, const char **name);
/* A tick's text: as many digits as the step needs. buf of 32. */
char *c4w_tick_text(double v, double step, char *buf);

#endif
