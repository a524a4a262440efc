/* From a channel to a figure. See chw_plot.h. */
#include "families/chw_plot.h"

#include <inttypes.h>
#include <math.h>

enum { RANK = 2, TAU = 5, THETA_T = 6, PHI_T = 7, THETA_R = 8, PHI_R = 9, COUNT = 10 };

static const char *const ranks[] = { "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15" };

static double value(const struct chw_channel *c, unsigned field, size_t i)
{
	return (double)((const float *)(const void *)c->core->field[field])[i];
}

static void titles(const struct chw_channel *c, struct c4w_figure *f, int64_t ue)
{
	char scene[200];
	c4w_str_escape(scene, sizeof scene, c->item->scene->id, strlen(c->item->scene->id));
	if (ue >= 0)
		f->title = c4w_figure_printf(f, "%s, %.6g GHz, BS %" PRId64 " to UE %" PRId64, scene, (double)c->item->hz / 1e9, c->item->bs, ue);
	else
		f->title = c4w_figure_printf(f, "%s, %.6g GHz, BS %" PRId64, scene, (double)c->item->hz / 1e9, c->item->bs);
}

/* A group of one panel of marks; NULL when memory is gone. */
static struct c4w_fig_panel *axes(struct c4w_figure *f, enum c4w_fig_kind kind, const char *title, struct c4w_fig_axis x, struct c4w_fig_axis y)
{
	struct c4w_fig_group *g = c4w_figure_group(f, C4W_FIG_NUMBER, x.lo, x.hi);
	struct c4w_fig_panel *p = g ? c4w_figure_panel(g, kind, title) : NULL;
	if (!p)
		return NULL;
	g->x = x;
	p->y = y;
	return p;
}

/* A range with some room around it, at round numbers. */
static void room(double *lo, double *hi, double step)
{
	if (!(*lo <= *hi)) {
		*lo = 0;
		*hi = 1;
	}
	*lo = floor(*lo / step) * step;
	*hi = ceil(*hi / step) * step;
	if (*hi <= *lo)
		*hi = *lo + step;
}

int chw_plot_link(const struct chw_channel *c, int64_t ue, bool radians, struct c4w_figure *f, struct c4w_err *err)
{
	size_t link = chw_channel_link(c, ue), i, k;
	double lo = INFINITY, hi = -INFINITY, t0 = INFINITY, t1 = -INFINITY, unit = radians ? 1 : 57.29577951308232, half = radians ? 3.14159265358979 : 180;
	struct c4w_fig_panel *profile, *angles[2];
	struct chw_link t;
	if (link == SIZE_MAX)
		return c4w_fail(err, C4W_ABSENT, "UE %" PRId64 " has no retained link to BS %" PRId64, ue, c->item->bs);
	chw_link_totals(c, link, &t);
	titles(c, f, ue);
	f->subtitle = c4w_figure_printf(f, "%zu path%s, power %.1f dB, RMS delay spread %.1f ns, %s", t.last - t.first, t.last - t.first == 1 ? "" : "s",
				    t.power_db, t.spread * 1e9, t.line_of_sight ? "line of sight" : "no line of sight");
	for (i = t.first; i < t.last; i++) {
		double re = (double)c->paths.re[i], im = (double)c->paths.im[i], db = 10 * log10(re * re + im * im), ns = value(c, TAU, i) * 1e9;
		lo = isfinite(db) && db < lo ? db : lo;
		hi = isfinite(db) && db > hi ? db : hi;
		t0 = ns < t0 ? ns : t0;
		t1 = ns > t1 ? ns : t1;
	}
	room(&lo, &hi, 5);
	profile = axes(f, C4W_FIG_STEMS, "Delay profile: power of each path over its delay (numbers: path rank)",
		       (struct c4w_fig_axis){ .label = "delay [ns]", .lo = t0 - 0.04 * (t1 - t0) - (t1 > t0 ? 0 : 10), .hi = t1 + 0.06 * (t1 - t0) + (t1 > t0 ? 0 : 10) },
		       (struct c4w_fig_axis){ .label = "power [dB]", .lo = lo - 5, .hi = hi + 5 });
	for (k = 0; k < 2; k++)
		angles[k] = axes(f, C4W_FIG_MARKS, k ? "Arrival at the UE" : "Departure from the BS",
				 (struct c4w_fig_axis){ .label = radians ? "azimuth [rad]" : "azimuth [deg]", .lo = -half, .hi = half, .step = half / 2 },
				 (struct c4w_fig_axis){ .label = radians ? "zenith [rad]" : "zenith [deg]", .lo = half, .hi = 0, .step = half / 4 });
	if (f->failed)
		return c4w_fail_memory(err, 0);
	angles[1]->group->beside = true;
	/* The weakest first, so that strong ones lie on top. */
	for (i = t.last; i-- > t.first;) {
		double re = (double)c->paths.re[i], im = (double)c->paths.im[i], db = 10 * log10(re * re + im * im), at = (db - lo) / (hi - lo);
		const char *label = ranks[c->core->field[RANK][i] & 15];
		c4w_figure_mark(profile, value(c, TAU, i) * 1e9, isfinite(db) ? db : lo - 5, at, C4W_FIG_DOT, label);
		for (k = 0; k < 2; k++) {
			double turn = value(c, k ? PHI_R : PHI_T, i) * unit;
			c4w_figure_mark(angles[k], turn > half ? turn - 2 * half : turn < -half ? turn + 2 * half : turn,
				       value(c, k ? THETA_R : THETA_T, i) * unit, at, C4W_FIG_DOT, label);
		}
	}
	f->scale_label = "path power [dB]";
	f->scale_lo = lo;
	f->scale_hi = hi;
	return f->failed ? c4w_fail_memory(err, 0) : C4W_OK;
}

static double by_value(const struct chw_link *t, enum chw_color_by by)
{
	return by == CHW_BY_POWER ? t->power_db : by == CHW_BY_SPREAD ? t->spread * 1e9 : t->line_of_sight;
}

int chw_plot_map(const struct chw_channel *c, enum chw_color_by by, struct c4w_figure *f, struct c4w_err *err)
{
	static const char *const labels[] = { "power of the link [dB]", "RMS delay spread [ns]", "line of sight" };
	struct c4w_fig_panel *p;
	double lo = INFINITY, hi = -INFINITY, x0 = INFINITY, x1 = -INFINITY, y0 = INFINITY, y1 = -INFINITY, margin;
	size_t n, bs, i, l, sight = 0;
	const float *bs_xyz;
	struct chw_link t;
	if (!c->positions)
		return c4w_fail(err, C4W_ABSENT, "a map needs the scene's positions, which are not here");
	n = (size_t)c->positions->row->dims.ues;
	bs = (size_t)c->positions->row->dims.bs;
	bs_xyz = (const float *)(const void *)c->positions->field[0];
	titles(c, f, -1);
	for (i = 0; i < n + bs; i++) {
		const float *v = i < n ? c->ue_xyz + 3 * i : bs_xyz + 3 * (i - n);
		x0 = fmin(x0, (double)v[0]);
		x1 = fmax(x1, (double)v[0]);
		y0 = fmin(y0, (double)v[1]);
		y1 = fmax(y1, (double)v[1]);
	}
	for (l = 0; l < c->paths.links; l++) {
		double v;
		chw_link_totals(c, l, &t);
		v = by_value(&t, by);
		lo = isfinite(v) && v < lo ? v : lo;
		hi = isfinite(v) && v > hi ? v : hi;
		sight += t.line_of_sight;
	}
	room(&lo, &hi, by == CHW_BY_POWER ? 5 : 10);
	margin = 0.03 * fmax(fmax(x1 - x0, y1 - y0), 1);
	p = axes(f, C4W_FIG_MARKS, "Map from above: each dot is a UE", (struct c4w_fig_axis){ .label = "x [m]", .lo = x0 - margin, .hi = x1 + margin },
		 (struct c4w_fig_axis){ .label = "y [m]", .lo = y0 - margin, .hi = y1 + margin });
	if (!p)
		return c4w_fail_memory(err, 0);
	p->group->equal = true;
	for (i = l = 0; i < n; i++) {
		const float *v = c->ue_xyz + 3 * i;
		while (l < c->paths.links && c->ue[l] < (int64_t)i)
			l++;
		if (l == c->paths.links || c->ue[l] != (int64_t)i) {
			c4w_figure_mark(p, (double)v[0], (double)v[1], 0, C4W_FIG_FAINT, NULL);
			continue;
		}
		chw_link_totals(c, l, &t);
		c4w_figure_mark(p, (double)v[0], (double)v[1], by == CHW_BY_SIGHT ? t.line_of_sight : (by_value(&t, by) - lo) / (hi - lo),
			       isfinite(by_value(&t, by)) ? C4W_FIG_DOT : C4W_FIG_FAINT, NULL);
	}
	for (i = 0; i < bs; i++)
		if ((int64_t)i != c->item->bs)
			c4w_figure_mark(p, (double)bs_xyz[3 * i], (double)bs_xyz[3 * i + 1], 0, C4W_FIG_SITE, c4w_figure_printf(f, "%zu", i));
	if (c->bs_xyz)
		c4w_figure_mark(p, (double)c->bs_xyz[0], (double)c->bs_xyz[1], 0, C4W_FIG_HERE, NULL);
	f->subtitle = c4w_figure_printf(f, "%zu of %zu UEs have a link, %zu of them with line of sight", c->paths.links, n, sight);
	f->scale_label = labels[by];
	f->scale_lo = lo;
	f->scale_hi = hi;
	if (by == CHW_BY_SIGHT) {
		f->names[0] = "no";
		f->names[1] = "yes";
	}
	f->shape_names[C4W_FIG_HERE] = c4w_figure_printf(f, "BS %" PRId64, c->item->bs);
	f->shape_names[C4W_FIG_SITE] = bs > 1 ? "other base stations" : NULL;
	f->shape_names[C4W_FIG_FAINT] = "UE without a link";
	return f->failed ? c4w_fail_memory(err, 0) : C4W_OK;
}
