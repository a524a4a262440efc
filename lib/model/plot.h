/* Plots of points: boxes with axes, in which points lie or stems stand, coloured by one scale. Drawn in the terminal (half blocks in colour,
 * or plain characters) or into SVG and PNG by cairo, which is opened at first use.
 *
 *     c4w_plot_init(&p); a = c4w_plot_axes(&p, "title", "x [m]", "y [m]"); a->x0 = …; c4w_plot_point(a, …); …; c4w_plot_term(&p, …);
 *
 * Texts are borrowed, or in p.arena. One thread at a time.
 */
#ifndef C4W_MODEL_PLOT_H
#define C4W_MODEL_PLOT_H

#include "base/arena.h"
#include "base/buf.h"
#include "containers/fault.h" /* c4w_bytes_fn */
#include "model/canvas.h"

#include <stdbool.h>

enum c4w_plot_mark {
	C4W_PLOT_DOT,   /* coloured by t */
	C4W_PLOT_FAINT, /* small and grey: no value */
	C4W_PLOT_SITE,  /* a triangle */
	C4W_PLOT_HERE,  /* the site it is about: a filled triangle */
};

struct c4w_plot_point {
	double x, y;
	double t;          /* 0 .. 1 on the scale */
	const char *label; /* at the point, or NULL: short, ASCII */
	uint8_t mark;
};

struct c4w_plot_box {
	const char *title, *x_label, *y_label;
	double x0, x1, y0, y1; /* y0 at the bottom (it may be the larger one) */
	double x_step, y_step; /* of ticks; 0: as suits the range */
	bool equal;            /* a unit is as long on both axes */
	bool stems;            /* from y0 up to each point */
	bool beside;           /* stands at the right of the box before */
	struct c4w_plot_point *points;
	size_t n, cap;
};

struct c4w_plot {
	const char *title, *subtitle;
	struct c4w_plot_box box[4];
	size_t boxes;
	/* the scale that colours mean, when scale_label is there */
	const char *scale_label;
	double lo, hi;
	const char *names[2]; /* instead of a scale: what t = 0 and t = 1 are */
	bool faint, sites;    /* legend: there are such marks; what they are called */
	const char *faint_name, *site_name, *here_name;
	struct c4w_arena arena;
	bool failed;
};

void c4w_plot_init(struct c4w_plot *p);
void c4w_plot_clear(struct c4w_plot *p);
const char *c4w_plot_text(struct c4w_plot *p, const char *fmt, ...) C4W_PRINTF(2, 3); /* never NULL; escaped for display by the caller */
struct c4w_plot_box *c4w_plot_axes(struct c4w_plot *p, const char *title, const char *x_label, const char *y_label);
void c4w_plot_point(struct c4w_plot *p, struct c4w_plot_box *b, double x, double y, double t, enum c4w_plot_mark mark, const char *label);

/* Colour of t: on black or on white paper. */
struct c4w_rgb c4w_plot_color(const struct c4w_plot *p, double t, bool dark);

/* Lines of at most `columns` cells; about `lines` in all. PLAIN is ASCII. */
int c4w_plot_term(const struct c4w_plot *p, enum c4w_term kind, unsigned columns, unsigned lines, struct c4w_buf *out, struct c4w_err *err) C4W_MUST_CHECK;

/* Where ticks go: how many, the first, and the step. `step` 0: about `want` of them at round numbers. */
size_t c4w_plot_ticks(double from, double to, double fixed, double want, double *first, double *step);

enum c4w_plot_format { C4W_PLOT_SVG, C4W_PLOT_PNG };
/* By the ending of a file's name; false when it is neither. */
bool c4w_plot_format(const char *path, enum c4w_plot_format *out);
/* C4W_UNSUPPORTED without libcairo. */
int c4w_plot_draw(const struct c4w_plot *p, enum c4w_plot_format format, c4w_bytes_fn sink, void *ctx, struct c4w_err *err) C4W_MUST_CHECK;

#endif
