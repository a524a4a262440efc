/* Figures: panels with axes in which curves run, marks lie or stems stand, coloured by one scale; marked spans below, a legend at the end.
 * Drawn in the terminal (braille dots, half blocks in colour, or plain ASCII, by what it can) or into SVG, PNG or PDF by cairo, which
 * is opened at first use.
 *
 * A group is one panel or several, one above the other, over a common x axis; groups stand below one another or side by side.
 *
 *     c4w_figure_init(&f, bins); g = c4w_figure_group(&f, C4W_FIG_TIME, x0, x1); p = c4w_figure_panel(g, C4W_FIG_CURVE, "label");
 *     c4w_figure_curve(p, x, y, n); ...; c4w_figure_terminal(&f, &screen, out, err);
 *
 * A curve keeps, for each of `bins` columns, the smallest and largest value that fell into it, and the first and last: so a million
 * points draw as their envelope and no peak is lost, and a few points draw as lines. Feeding is in order of x; the y axis is as long as the
 * values fed. Marks are kept one by one, and their axes are set by the caller.
 *
 * Texts are borrowed, or in f.arena. One thread at a time.
 */
#ifndef C4W_MODEL_FIGURE_H
#define C4W_MODEL_FIGURE_H

#include "base/arena.h"
#include "base/buf.h"
#include "containers/fault.h" /* c4w_bytes_fn */
#include "model/canvas.h"

#include <stdbool.h>

/* ---- axes ---- */

enum c4w_fig_unit {
	C4W_FIG_NUMBER,
	C4W_FIG_TIME,  /* seconds: labelled in the unit that suits the range */
	C4W_FIG_STEPS, /* whole numbers, called "step" */
};

struct c4w_fig_axis {
	enum c4w_fig_unit unit;
	const char *label;        /* NUMBER: what it is, or NULL */
	double lo, hi;            /* lo at the left or at the bottom; it may be the larger one */
	double step;              /* of ticks; 0: as suits the range */
	const char *const *names; /* of the values 0, 1, 2 ... instead of numbers, or NULL */
	size_t nnames;
};

/* Where ticks stand: first, first + step, ... */
struct c4w_fig_ticks {
	size_t n;
	double first, step;
	double unit;           /* what one on the label is: 1, or of times the unit's seconds */
	const char *unit_name; /* of times "ms", "s", "min", "h", "d" */
};

/* About `want` of them, at 1, 2, 5 times a power of ten (times: 1, 2, 5, 10, 15, 30 s or min, hours, days), or as the axis' step says. */
struct c4w_fig_ticks c4w_fig_ticks(const struct c4w_fig_axis *a, double want);
static inline double c4w_fig_tick(const struct c4w_fig_ticks *t, size_t i)
{
	return t->first + (double)i * t->step;
}
/* A number with as many digits as steps of this size need; at most 15 characters. buf of 32. */
char *c4w_fig_number(double v, double step, char *buf);
/* The label of tick i. */
char *c4w_fig_tick_text(const struct c4w_fig_ticks *t, size_t i, char *buf);
/* 1, 2 or 5 times a power of ten, at least v. */
double c4w_fig_round_step(double v);

/* ---- what is drawn ---- */

enum c4w_fig_kind {
	C4W_FIG_CURVE,
	C4W_FIG_MARKS,
	C4W_FIG_STEMS, /* from the bottom up to each mark */
};

struct c4w_fig_bin {
	double lo, hi, first, last;
	bool any, joined; /* joined: no gap between the bin before and this one */
};

enum c4w_fig_shape {
	C4W_FIG_DOT,   /* coloured by t */
	C4W_FIG_FAINT, /* small and grey: no value */
	C4W_FIG_SITE,  /* a triangle */
	C4W_FIG_HERE,  /* the site it is about: a filled triangle */
	C4W_FIG_SHAPES
};

struct c4w_fig_mark {
	double x, y;
	double t;          /* 0 .. 1 on the scale */
	const char *label; /* at the mark, or NULL: short, ASCII */
	enum c4w_fig_shape shape;
};

struct c4w_fig_panel {
	enum c4w_fig_kind kind;
	const char *label;
	const char *unit;         /* behind the label, or NULL */
	const char *note;         /* instead of a curve: "3 texts", or NULL */
	struct c4w_fig_axis y;    /* of a curve: its names alone are set by the caller */
	struct c4w_fig_group *group;
	/* CURVE */
	struct c4w_fig_bin *bins; /* group->figure->bins of them; NULL: nothing was fed */
	size_t at;                /* feeding: the last bin, and the point before */
	double last_x, last_y;
	bool have_last;
	/* MARKS, STEMS */
	struct c4w_fig_mark *marks;
	size_t n, cap;
};

struct c4w_fig_span {
	const char *label;
	double from, to; /* equal: a point */
	unsigned lane;
};

struct c4w_fig_group {
	struct c4w_fig_axis x;
	bool equal;  /* a unit is as long on both axes; of one panel */
	bool beside; /* stands at the right of the group before */
	struct c4w_fig_panel **panels;
	size_t npanels, cap;
	struct c4w_fig_span *spans;
	size_t nspans, span_cap;
	unsigned lanes;
	size_t others; /* spans of further labels, which have no lane: theirs is `lanes` */
	struct c4w_figure *figure;
};

struct c4w_figure {
	const char *title, *subtitle; /* never NULL */
	size_t bins;
	struct c4w_fig_group **groups;
	size_t ngroups, cap;
	/* what colours mean, when scale_label is there: from lo to hi; or what t = 0 and t = 1 are */
	const char *scale_label;
	double scale_lo, scale_hi;
	const char *names[2];
	const char *shape_names[C4W_FIG_SHAPES]; /* for the legend, or NULL */
	bool shapes[C4W_FIG_SHAPES];             /* there are such */
	struct c4w_arena arena;
	bool failed; /* memory ran out while building */
};

/* `bins` of each curve; 0 when there are none. */
void c4w_figure_init(struct c4w_figure *f, size_t bins);
void c4w_figure_clear(struct c4w_figure *f);
/* Texts in the arena, at most 399 bytes; never NULL. The first is escaped for display. */
const char *c4w_figure_text(struct c4w_figure *f, struct c4w_view v);
const char *c4w_figure_printf(struct c4w_figure *f, const char *fmt, ...) C4W_PRINTF(2, 3);

/* NULL when memory is gone (f->failed then). x1 equal to x0 is widened. */
struct c4w_fig_group *c4w_figure_group(struct c4w_figure *f, enum c4w_fig_unit unit, double x0, double x1);
struct c4w_fig_panel *c4w_figure_panel(struct c4w_fig_group *g, enum c4w_fig_kind kind, const char *label);
/* A NaN in y is a gap: the line breaks. Infinite values are gaps too. */
void c4w_figure_curve(struct c4w_fig_panel *p, const double *x, const double *y, size_t n);
/* What is not finite is left out; t is cut to 0 .. 1. */
void c4w_figure_mark(struct c4w_fig_panel *p, double x, double y, double t, enum c4w_fig_shape shape, const char *label);
/* Spans with the same label share a lane. */
void c4w_figure_span(struct c4w_fig_group *g, const char *label, double from, double to);

/* ---- drawing ---- */

struct c4w_fig_screen {
	enum c4w_term kind;
	unsigned columns, lines; /* lines are no longer than `columns`, as far as axes allow */
	unsigned panel;          /* lines of each panel; 0: each group's share of `lines` */
};
int c4w_figure_terminal(struct c4w_figure *f, const struct c4w_fig_screen *s, struct c4w_buf *out, struct c4w_err *err) C4W_MUST_CHECK;
/* Bins that suit a terminal this wide. */
#define C4W_FIG_GUTTER 12
#define C4W_FIG_TERM_BINS(columns) (2 * ((columns) - C4W_FIG_GUTTER))

enum c4w_fig_format { C4W_FIG_SVG, C4W_FIG_PNG, C4W_FIG_PDF };
/* By the ending of a file's name; false when it is none of the three. */
bool c4w_figure_format(const char *path, enum c4w_fig_format *out);
/* `width` in points, `height` of each panel; 0: 760, 210. C4W_UNSUPPORTED without libcairo. */
int c4w_figure_draw(struct c4w_figure *f, enum c4w_fig_format format, unsigned width, unsigned height, c4w_bytes_fn sink, void *ctx,
		    struct c4w_err *err) C4W_MUST_CHECK;
/* Bins that suit a picture this wide. */
#define C4W_FIG_LEFT 76
#define C4W_FIG_RIGHT 20
#define C4W_FIG_DRAW_BINS(width) ((width) - C4W_FIG_LEFT - C4W_FIG_RIGHT)

/* ---- shared by the renderers ---- */

/* Lanes of a group; a label more has none. In the terminal, and in files. */
enum { C4W_FIG_TERM_LANES = 24, C4W_FIG_DRAW_LANES = 400 };

/* Widen flat ranges, leave room for names, place spans in at most so many lanes. */
void c4w_figure_settle(struct c4w_figure *f, unsigned lanes);
/* How far along an axis, 0 at lo, 1 at hi; and the other way round. */
static inline double c4w_fig_along(const struct c4w_fig_axis *a, double v)
{
	return (v - a->lo) / (a->hi - a->lo);
}
static inline double c4w_fig_down(const struct c4w_fig_axis *a, double v)
{
	return (a->hi - v) / (a->hi - a->lo);
}
/* "ms", "step" or the label; "" when there is none. */
const char *c4w_fig_axis_name(const struct c4w_fig_axis *a, const struct c4w_fig_ticks *t);
/* How many groups from the i-th on stand side by side: 1 to C4W_FIG_BESIDE. */
enum { C4W_FIG_BESIDE = 4 };
size_t c4w_fig_row(const struct c4w_figure *f, size_t i);
/* The colour of t: on black or on white paper. */
struct c4w_rgb c4w_fig_color(const struct c4w_figure *f, double t, bool dark);

#endif
