/* From a record to a figure. See timef_figure.h and model/figure.h. */
#include "families/timef_figure.h"

#include "families/timef_impl.h"
#include "families/timef_print.h"
#include "families/timef_stats.h"
#include "model/figure.h"
#include "storage/sink.h"

#include <math.h>

#define PIECE 1024
#define ELEMENTS 4 /* of values with a shape, at most */

struct build {
	struct c4w_timef_view *v;
	struct c4w_timef *ds;
	const struct c4w_timef_record *r;
	struct c4w_timef_cursor *c;
	struct c4w_figure *f;
	const struct c4w_timef_figure *o;
	unsigned panels, limit;
	bool more;
	struct c4w_err *err;
};

/* The panels of one series in a group. */
static int draw_series(struct build *b, struct c4w_fig_group *g, const struct c4w_timef_series *s, const struct c4w_timef_range *range)
{
	const struct c4w_timef_spec *spec = &b->ds->m.specs[s->spec];
	struct c4w_fig_panel *panel[ELEMENTS];
	size_t size = c4w_timef_dtype_size(spec->dtype), step = size * (size_t)spec->elements, n, i, k, e, count;
	double x[PIECE], y[PIECE];
	struct c4w_timef_run run;
	const char *unit = NULL, *signal = c4w_figure_text(b->f, s->signal);
	const char **levels;
	char label[400];
	int64_t t[PIECE];
	uint64_t at;
	bool timed;
	void *mem;

	if (spec->unit.p && !c4w_view_eqz(spec->unit, "dimensionless"))
		unit = c4w_figure_text(b->f, spec->unit);
	count = spec->elements > ELEMENTS ? ELEMENTS : (size_t)spec->elements;
	for (e = 0; e < count; e++) {
		if (spec->elements > 1)
			snprintf(label, sizeof label, "%.250s (%.40s) element %zu of %llu", signal, c4w_figure_text(b->f, spec->spec_type), e, (unsigned long long)spec->elements);
		else
			snprintf(label, sizeof label, "%.250s (%.40s)", signal, c4w_figure_text(b->f, spec->spec_type));
		panel[e] = c4w_figure_panel(g, C4W_FIG_CURVE, c4w_figure_text(b->f, c4w_view_z(label)));
		if (!panel[e])
			return c4w_fail_memory(b->err, sizeof *panel);
		panel[e]->unit = unit;
		b->panels++;
	}
	if (spec->dtype == C4W_TF_STR) {
		snprintf(label, sizeof label, "%lld texts", (long long)s->n_values);
		panel[0]->note = c4w_figure_text(b->f, c4w_view_z(label));
		return C4W_OK;
	}
	if (spec->dtype == C4W_TF_ENUM && spec->ncategories <= 24) {
		C4W_TRY(c4w_arena_zero(&b->f->arena, spec->ncategories + 1, sizeof *levels, &mem, b->err));
		levels = mem;
		for (i = 0; i < spec->ncategories; i++)
			levels[i] = c4w_figure_text(b->f, spec->categories[i]);
		panel[0]->y.names = levels;
		panel[0]->y.nnames = spec->ncategories;
	}
	for (at = range->from; at < range->to; at += run.steps) {
		C4W_TRY(c4w_timef_lend(b->c, at, range->to, true, &run, b->err));
		for (i = 0; i < run.steps; i += n) {
			n = run.steps - i < PIECE ? run.steps - i : PIECE;
			timed = run.times != NULL || (s->axis == C4W_TF_REGULAR && c4w_timef_regular_offsets(s, (int64_t)(at + i), n, t));
			for (k = 0; k < n; k++)
				x[k] = !timed ? (double)(at + i + k) : (double)(run.times ? run.times[i + k] : t[k]) / 1e6;
			for (e = 0; e < count; e++) {
				for (k = 0; k < n; k++)
					y[k] = run.valid && !run.valid[i + k] ? (double)NAN : c4w_timef_element(spec->dtype, run.values + (i + k) * step + e * size);
				c4w_figure_curve(panel[e], x, y, n);
			}
		}
	}
	return C4W_OK;
}

/* Where a series begins and ends on its axis, the range taken into account. */
static int extent(struct build *b, const struct c4w_timef_series *s, struct c4w_timef_range *range, double *x0, double *x1)
{
	struct c4w_timef_run run;
	int64_t t0 = 0, t1 = 0;

	range->from = 0;
	range->to = (uint64_t)s->n_values;
	range->every = 1;
	C4W_TRY(c4w_timef_begin(b->c, s, b->err));
	if (b->o->range)
		C4W_TRY(c4w_timef_range_parse(b->c, s, b->o->range, range, b->err));
	if (range->to == range->from) {
		*x0 = *x1 = (double)NAN;
		return C4W_OK;
	}
	*x0 = (double)range->from;
	*x1 = (double)(range->to - 1);
	if (s->axis == C4W_TF_REGULAR) {
		if (!c4w_timef_regular_offset(s, (int64_t)range->from, &t0) || !c4w_timef_regular_offset(s, (int64_t)range->to - 1, &t1))
			return c4w_fail(b->err, C4W_LIMIT, "time offsets beyond 64 bits");
	} else if (s->axis == C4W_TF_IRREGULAR) {
		C4W_TRY(c4w_timef_lend(b->c, range->from, range->from + 1, true, &run, b->err));
		t0 = run.times[0];
		C4W_TRY(c4w_timef_lend(b->c, range->to - 1, range->to, true, &run, b->err));
		t1 = run.times[0];
	} else {
		return C4W_OK;
	}
	*x0 = (double)t0 / 1e6;
	*x1 = (double)t1 / 1e6;
	return C4W_OK;
}

static int add_spans(struct build *b, struct c4w_fig_group *g)
{
	const struct c4w_timef_annotation **v;
	struct c4w_arena arena = { 0 };
	struct c4w_buf t = { 0 };
	size_t i, n;
	int rc = c4w_timef_view_annotations_of(b->ds, b->r, &arena, &v, &n, b->err);

	for (i = 0; rc == C4W_OK && i < n; i++) {
		const struct c4w_timef_annotation *a = v[i];

		if (!a->span.present || !a->span.has_start || a->span.frame != C4W_TF_SECONDS)
			continue;
		c4w_buf_reset(&t);
		c4w_timef_view_put_annotation(&t, a);
		c4w_figure_span(g, c4w_figure_text(b->f, (struct c4w_view){ t.p ? t.p : "", t.n > 160 ? 160 : t.n }), (double)a->span.start / 1e6,
				a->span.has_end ? (double)a->span.end / 1e6 : (double)a->span.start / 1e6);
	}
	c4w_buf_clear(&t);
	c4w_arena_clear(&arena);
	return rc;
}

/* Does a range of times make sense for ordinal series? Then they are left out, rather than refused. */
static bool skip_ordinal(const struct build *b)
{
	const char *p = b->o->range;

	for (; p && *p; p++)
		if (*p != ':' && *p != '-' && (*p < '0' || *p > '9'))
			return true;
	return false;
}

static int build(struct build *b)
{
	const struct c4w_timef_series *s;
	struct c4w_timef_range range;
	struct c4w_fig_group *timed = NULL, *g;
	double x0 = (double)INFINITY, x1 = -(double)INFINITY, a, z;
	size_t i, n = 0;

	for (i = 0; i < b->r->series_count; i++) {
		s = &b->ds->series[b->r->series_first + i];
		if (!c4w_timef_view_takes(b->v, s) || s->spec < 0 || s->axis > C4W_TF_IRREGULAR || n == b->limit)
			continue;
		C4W_TRY(extent(b, s, &range, &a, &z));
		if (isnan(a))
			continue;
		n++;
		x0 = a < x0 ? a : x0;
		x1 = z > x1 ? z : x1;
	}
	if (n) {
		timed = c4w_figure_group(b->f, C4W_FIG_TIME, x0, x1);
		if (!timed)
			return c4w_fail_memory(b->err, sizeof *timed);
	}
	for (i = 0; i < b->r->series_count && timed; i++) {
		s = &b->ds->series[b->r->series_first + i];
		if (!c4w_timef_view_takes(b->v, s) || s->spec < 0 || s->axis > C4W_TF_IRREGULAR)
			continue;
		if (b->panels >= b->limit) {
			b->more = true;
			break;
		}
		C4W_TRY(extent(b, s, &range, &a, &z));
		if (!isnan(a))
			C4W_TRY(draw_series(b, timed, s, &range));
	}
	if (timed)
		C4W_TRY(add_spans(b, timed));
	for (i = 0; i < b->r->series_count && !skip_ordinal(b); i++) {
		s = &b->ds->series[b->r->series_first + i];
		if (!c4w_timef_view_takes(b->v, s) || s->spec < 0 || s->axis != C4W_TF_ORDINAL)
			continue;
		if (b->panels >= b->limit) {
			b->more = true;
			break;
		}
		C4W_TRY(extent(b, s, &range, &a, &z));
		if (isnan(a))
			continue;
		g = c4w_figure_group(b->f, C4W_FIG_STEPS, a, z);
		if (!g)
			return c4w_fail_memory(b->err, sizeof *g);
		C4W_TRY(draw_series(b, g, s, &range));
	}
	if (b->panels == 0) {
		c4w_fail(b->err, C4W_ABSENT, "there is nothing to draw: no series of the record passes the filters");
		return C4W_ABSENT;
	}
	return b->f->failed ? c4w_fail_memory(b->err, 0) : C4W_OK;
}

static int make(struct c4w_timef_view *v, const struct c4w_timef_figure *o, struct c4w_figure *f, bool *more, struct c4w_err *err)
{
	struct build b = { .v = v, .ds = v->ds, .f = f, .o = o, .err = err };
	char title[300], uuid[40], start[48];
	struct c4w_view id;
	int rc;

	C4W_TRY(c4w_timef_view_load(v, v->record != NULL, err));
	if (v->ds->nrecords == 0)
		return c4w_fail(err, C4W_ABSENT, "there are no records");
	b.r = &v->ds->records[0];
	id = b.r->id;
	C4W_TRY(c4w_timef_load_index(v->ds, &id, NULL, err));
	C4W_TRY(c4w_timef_load_annotations(v->ds, NULL, err));
	b.limit = o->limit ? o->limit : 64;
	id = c4w_timef_id_text(v->ds, C4W_TF_RECORD_ID, id, uuid);
	snprintf(title, sizeof title, "%.*s %.*s, record ", (int)(v->ds->m.dataset_id.n > 80 ? 80 : v->ds->m.dataset_id.n), v->ds->m.dataset_id.p,
		 (int)(v->ds->m.version.n > 40 ? 40 : v->ds->m.version.n), v->ds->m.version.p);
	c4w_str_escape(title + strlen(title), sizeof title - strlen(title), id.p, id.n);
	f->title = c4w_figure_text(f, c4w_view_z(title));
	if (b.r->has_start) {
		snprintf(title, sizeof title, "time zero: ");
		c4w_timef_iso(b.r->start, start);
		snprintf(title + 11, sizeof title - 11, "%s", start);
		f->subtitle = c4w_figure_text(f, c4w_view_z(title));
	}
	C4W_TRY(c4w_timef_cursor_new(v->ds, &b.c, err));
	rc = build(&b);
	c4w_timef_cursor_free(b.c);
	*more = b.more;
	return rc;
}

static unsigned panels(const struct c4w_figure *f)
{
	size_t n = 0, i;

	for (i = 0; i < f->ngroups; i++)
		n += f->groups[i]->npanels;
	return (unsigned)n;
}

int c4w_timef_figure_terminal(struct c4w_timef_view *v, const struct c4w_timef_figure *o, struct c4w_err *err)
{
	struct c4w_fig_screen screen = { .kind = o->term, .columns = o->width ? (unsigned)o->width : o->columns };
	struct c4w_buf out = { 0 };
	struct c4w_figure f;
	bool more = false;
	unsigned n;
	int rc;

	if (screen.columns < C4W_FIG_GUTTER + 16)
		screen.columns = C4W_FIG_GUTTER + 16;
	c4w_figure_init(&f, C4W_FIG_TERM_BINS(screen.columns));
	rc = make(v, o, &f, &more, err);
	n = panels(&f);
	screen.panel = o->height ? (unsigned)o->height : n <= 2 ? 10 : n <= 4 ? 6 : 4;
	if (rc == C4W_OK)
		rc = c4w_figure_terminal(&f, &screen, &out, err);
	if (rc == C4W_OK)
		fwrite(out.p, 1, out.n, v->out);
	if (rc == C4W_OK && more)
		fprintf(v->out, "there are more series; --signal and --spec pick, --limit widens\n");
	c4w_buf_clear(&out);
	c4w_figure_clear(&f);
	return rc;
}

static int to_file(void *ctx, const uint8_t *p, size_t n, struct c4w_err *err)
{
	return c4w_outfile_write(ctx, p, n, err);
}

int c4w_timef_figure_file(struct c4w_timef_view *v, const struct c4w_timef_figure *o, const char *path, struct c4w_err *err)
{
	unsigned width = o->width ? (unsigned)o->width : 1200;
	enum c4w_fig_format format;
	struct c4w_outfile *out;
	struct c4w_figure f;
	bool more = false;
	unsigned n;
	int rc;

	if (!c4w_figure_format(path, &format))
		return c4w_fail(err, C4W_USAGE, "a figure's file ends in .svg, .png or .pdf; '%s' does not", path);
	c4w_figure_init(&f, width < 300 ? 300 : C4W_FIG_DRAW_BINS(width));
	rc = make(v, o, &f, &more, err);
	n = panels(&f);
	if (rc == C4W_OK)
		rc = c4w_outfile_open(path, &out, err);
	if (rc == C4W_OK) {
		rc = c4w_figure_draw(&f, format, width, o->height ? (unsigned)o->height : n > 8 ? 84 : n > 3 ? 120 : 220, to_file, out, err);
		if (rc == C4W_OK)
			rc = c4w_outfile_commit(out, err);
		else
			c4w_outfile_abort(out);
	}
	c4w_figure_clear(&f);
	return rc;
}
