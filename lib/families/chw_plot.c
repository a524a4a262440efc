/* From a channel to a plot. See chw_plot.h. */
#include "families/chw_plot.h"

#include <inttypes.h>
#include <math.h>

enum { RANK = 2, TAU = 5, THETA_T = 6, PHI_T = 7, THETA_R = 8, PHI_R = 9, COUNT = 10 };

static const char *const ranks[] = { "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15" };

static double value(const struct chw_channel *c, unsigned field, size_t i)
{
	return (double)((const float *)(const void *)c->core->field[field])[i];
}

static void titles(const struct chw_channel *c, struct c4w_plot *p, int64_t ue)
{
	char scene[200];
	c4w_str_escape(scene, sizeof scene, c->item->scene->id, strlen(c->item->scene->id));
	if (ue >= 0)
		p->title = c4w_plot_text(p, "%s, %.6g GHz, BS %" PRId64 " to UE %" PRId64, scene, (double)c->item->hz / 1e9, c->item->bs, ue);
	else
		p->title = c4w_plot_text(p, "%s, %.6g GHz, BS %" PRId64, scene, (double)c->item->hz / 1e9, c->item->bs);
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

int chw_plot_link(const struct chw_channel *c, int64_t ue, bool radians, struct c4w_plot *p, struct c4w_err *err)
{
	size_t link = chw_channel_link(c, ue), i, k;
	double lo = INFINITY, hi = -INFINITY, t0 = INFINITY, t1 = -INFINITY, unit = radians ? 1 : 57.29577951308232, half = radians ? 3.14159265358979 : 180;
	struct c4w_plot_box *profile, *angles[2];
	struct chw_link t;
	if (link == SIZE_MAX)
		return c4w_fail(err, C4W_ABSENT, "UE %" PRId64 " has no retained link to BS %" PRId64, ue, c->item->bs);
	chw_link_totals(c, link, &t);
	titles(c, p, ue);
	p->subtitle = c4w_plot_text(p, "%zu path%s, power %.1f dB, RMS delay spread %.1f ns, %s", t.last - t.first, t.last - t.first == 1 ? "" : "s",
				    t.power_db, t.spread * 1e9, t.line_of_sight ? "line of sight" : "no line of sight");
	for (i = t.first; i < t.last; i++) {
		double re = (double)c->paths.re[i], im = (double)c->paths.im[i], db = 10 * log10(re * re + im * im), ns = value(c, TAU, i) * 1e9;
		lo = isfinite(db) && db < lo ? db : lo;
		hi = isfinite(db) && db > hi ? db : hi;
		t0 = ns < t0 ? ns : t0;
		t1 = ns > t1 ? ns : t1;
	}
	room(&lo, &hi, 5);
	profile = c4w_plot_axes(p, "Delay profile: power of each path over its delay (numbers: path rank)", "delay [ns]", "power [dB]");
	profile->stems = true;
	profile->y0 = lo - 5;
	profile->y1 = hi + 5;
	profile->x0 = t0 - 0.04 * (t1 - t0) - (t1 > t0 ? 0 : 10);
	profile->x1 = t1 + 0.06 * (t1 - t0) + (t1 > t0 ? 0 : 10);
	for (k = 0; k < 2; k++) {
		angles[k] = c4w_plot_axes(p, k ? "Arrival at the UE" : "Departure from the BS", radians ? "azimuth [rad]" : "azimuth [deg]",
					  radians ? "zenith [rad]" : "zenith [deg]");
		angles[k]->beside = k == 1;
		angles[k]->x0 = -half;
		angles[k]->x1 = half;
		angles[k]->y0 = half;
		angles[k]->y1 = 0;
		angles[k]->x_step = half / 2;
		angles[k]->y_step = half / 4;
	}
	/* The weakest first, so that strong ones lie on top. */
	for (i = t.last; i-- > t.first;) {
		double re = (double)c->paths.re[i], im = (double)c->paths.im[i], db = 10 * log10(re * re + im * im), at = (db - lo) / (hi - lo);
		const char *label = ranks[c->core->field[RANK][i] & 15];
		c4w_plot_point(p, profile, value(c, TAU, i) * 1e9, isfinite(db) ? db : lo - 5, at, C4W_PLOT_DOT, label);
		for (k = 0; k < 2; k++) {
			double turn = value(c, k ? PHI_R : PHI_T, i) * unit;
			c4w_plot_point(p, angles[k], turn > half ? turn - 2 * half : turn < -half ? turn + 2 * half : turn,
				       value(c, k ? THETA_R : THETA_T, i) * unit, at, C4W_PLOT_DOT, label);
		}
	}
	p->scale_label = "path power [dB]";
	p->lo = lo;
	p->hi = hi;
	return p->failed ? c4w_fail_memory(err, 0) : C4W_OK;
}

static double by_value(const struct chw_link *t, enum chw_color_by by)
{
	return by == CHW_BY_POWER ? t->power_db : by == CHW_BY_SPREAD ? t->spread * 1e9 : t->line_of_sight;
}

int chw_plot_map(const struct chw_channel *c, enum chw_color_by by, struct c4w_plot *p, struct c4w_err *err)
{
	static const char *const labels[] = { "power of the link [dB]", "RMS delay spread [ns]", "line of sight" };
	struct c4w_plot_box *b;
	double lo = INFINITY, hi = -INFINITY, x0 = INFINITY, x1 = -INFINITY, y0 = INFINITY, y1 = -INFINITY, margin;
	size_t n, bs, i, l, sight = 0;
	const float *bs_xyz;
	struct chw_link t;
	if (!c->positions)
		return c4w_fail(err, C4W_ABSENT, "a map needs the scene's positions, which are not here");
	n = (size_t)c->positions->row->dims.ues;
	bs = (size_t)c->positions->row->dims.bs;
	bs_xyz = (const float *)(const void *)c->positions->field[0];
	titles(c, p, -1);
	b = c4w_plot_axes(p, "Map from above: each dot is a UE", "x [m]", "y [m]");
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
	b->x0 = x0 - margin;
	b->x1 = x1 + margin;
	b->y0 = y0 - margin;
	b->y1 = y1 + margin;
	b->equal = true;
	for (i = l = 0; i < n; i++) {
		const float *v = c->ue_xyz + 3 * i;
		while (l < c->paths.links && c->ue[l] < (int64_t)i)
			l++;
		if (l == c->paths.links || c->ue[l] != (int64_t)i) {
			c4w_plot_point(p, b, (double)v[0], (double)v[1], 0, C4W_PLOT_FAINT, NULL);
			continue;
		}
		chw_link_totals(c, l, &t);
		c4w_plot_point(p, b, (double)v[0], (double)v[1], by == CHW_BY_SIGHT ? t.line_of_sight : (by_value(&t, by) - lo) / (hi - lo),
			       isfinite(by_value(&t, by)) ? C4W_PLOT_DOT : C4W_PLOT_FAINT, NULL);
	}
	for (i = 0; i < bs; i++)
		if ((int64_t)i != c->item->bs)
			c4w_plot_point(p, b, (double)bs_xyz[3 * i], (double)bs_xyz[3 * i + 1], 0, C4W_PLOT_SITE, c4w_plot_text(p, "%zu", i));
	if (c->bs_xyz)
		c4w_plot_point(p, b, (double)c->bs_xyz[0], (double)c->bs_xyz[1], 0, C4W_PLOT_HERE, NULL);
	p->subtitle = c4w_plot_text(p, "%zu of %zu UEs have a link, %zu of them with line of sight", c->paths.links, n, sight);
	p->scale_label = labels[by];
	p->lo = lo;
	p->hi = hi;
	if (by == CHW_BY_SIGHT) {
		p->names[0] = "no";
		p->names[1] = "yes";
	}
	p->here_name = c4w_plot_text(p, "BS %" PRId64, c->item->bs);
	p->site_name = bs > 1 ? "other base stations" : NULL;
	p->faint_name = "UE without a link";
	return p->failed ? c4w_fail_memory(err, 0) : C4W_OK;
}
