/* A record's series as a figure: what timef-inspect --show draws. */
#ifndef C4W_FAMILIES_TIMEF_FIGURE_H
#define C4W_FAMILIES_TIMEF_FIGURE_H

#include "families/timef_view.h"
#include "model/canvas.h"

struct c4w_timef_figure {
	const char *range;     /* as for values, or NULL */
	int64_t width, height; /* 0: defaults */
	unsigned limit;        /* signals */
	unsigned columns;      /* of the terminal */
	enum c4w_term term;
};

/* The series of v->record (NULL: the first record) that pass the filters; timed ones first, then ordinal ones, each of those with its own
 * axis. Annotations of the record below. */
int c4w_timef_figure_terminal(struct c4w_timef_view *v, const struct c4w_timef_figure *f, struct c4w_err *err) C4W_MUST_CHECK;
int c4w_timef_figure_file(struct c4w_timef_view *v, const struct c4w_timef_figure *f, const char *path, struct c4w_err *err) C4W_MUST_CHECK;

#endif
