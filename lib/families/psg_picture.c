/* Pictures of a scene: shaded relief in the colours of heights, obstacles, start and goal, routes; and a sheet with title, scale bar,
 * colour bar and legend.
 *
 * Relief: the slope of the 3 x 3 neighbourhood (B. Horn, "Hill Shading and the Reflectance Map", 1981), light from the north-west at 45
 * degrees. Flat scenes are exaggerated so that their forms can be seen. The raster is ours, lines and text are cairo's, opened at
 * first use.
 */
#include "model/cairo.h"
#include "families/psg_encode.h"
#include "base/numbers.h"
#include "containers/png.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Hues far from each other and from the map's greens and browns, also for colour-blind eyes; free routes are the lighter ones. */
const struct c4w_rgb c4w_psg_route_color[C4W_PSG_ROUTES] = {
	{ 255, 150, 120 }, { 214, 28, 50 },  /* elevation: reds */
	{ 130, 190, 255 }, { 15, 90, 225 },  /* energy: blues */
	{ 255, 240, 150 }, { 255, 205, 0 },  /* slope: yellows */
};
static const struct c4w_rgb start_color = { 20, 200, 90 }, goal_color = { 235, 40, 160 }, obstacle_color = { 38, 34, 52 };
enum { CELL_M = 30 };

static double height_at(const struct c4w_psg_scene *c, uint32_t i, uint32_t j)
{
	double v = (double)c4w_psg_at(c->raw, c->r, i, j, 0);
	return c->meta && c->meta->has_range ? v * (c->meta->max - c->meta->min) + c->meta->min : v * 9197 - 430;
}

/* Heights on a grid of `n` a side: the cells themselves, or the means of those that one place covers. */
static void sample_heights(const struct c4w_psg_scene *c, uint32_t n, float *out)
{
	uint32_t y, x, i, j, r = c->r;
	for (y = 0; y < n; y++)
		for (x = 0; x < n; x++) {
			uint32_t i0 = (uint32_t)((uint64_t)y * r / n), i1 = (uint32_t)((uint64_t)(y + 1) * r / n);
			uint32_t j0 = (uint32_t)((uint64_t)x * r / n), j1 = (uint32_t)((uint64_t)(x + 1) * r / n);
			double sum = 0;
			for (i = i0; i < i1; i++)
				for (j = j0; j < j1; j++)
					sum += height_at(c, i, j);
			sum /= (double)(i1 - i0) * (j1 - j0);
			out[(size_t)y * n + x] = isfinite(sum) ? (float)sum : 0;
		}
}

/* Horn's slope at one place of a grid. */
static void gradient(const float *z, uint32_t side, uint32_t y, uint32_t x, double cell, float out[2])
{
	uint32_t u = y ? y - 1 : 0, d = y + 1 < side ? y + 1 : y, l = x ? x - 1 : 0, r = x + 1 < side ? x + 1 : x;
#define Z(i, k) ((double)z[(size_t)(i) * side + (k)])
	out[0] = (float)(((Z(u, r) + 2 * Z(y, r) + Z(d, r)) - (Z(u, l) + 2 * Z(y, l) + Z(d, l))) / (8 * cell));
	out[1] = (float)(((Z(d, l) + 2 * Z(d, x) + Z(d, r)) - (Z(u, l) + 2 * Z(u, x) + Z(u, r))) / (8 * cell));
#undef Z
}

/* Of n interleaved values on a grid of `from` a side, bilinearly at pixel (y, x) of `side` a side. */
static void between(const float *v, unsigned n, uint32_t from, uint32_t side, uint32_t y, uint32_t x, double *out)
{
	double fi = fmax(0, ((double)y + 0.5) * from / side - 0.5), fj = fmax(0, ((double)x + 0.5) * from / side - 0.5);
	uint32_t i0 = (uint32_t)fi, j0 = (uint32_t)fj, i1 = i0 + 1 < from ? i0 + 1 : i0, j1 = j0 + 1 < from ? j0 + 1 : j0;
	double a = fi - i0, b = fj - j0;
	unsigned k;
	for (k = 0; k < n; k++)
		out[k] = (1 - a) * ((1 - b) * (double)v[((size_t)i0 * from + j0) * n + k] + b * (double)v[((size_t)i0 * from + j1) * n + k]) +
			 a * ((1 - b) * (double)v[((size_t)i1 * from + j0) * n + k] + b * (double)v[((size_t)i1 * from + j1) * n + k]);
}

int c4w_psg_relief(const struct c4w_psg_scene *c, uint32_t side, struct c4w_canvas *out, double range[2], struct c4w_err *err)
{
	uint32_t n = side < c->r ? side : c->r, x, y; /* the grid on which heights and slopes are known */
	float *z, *g;
	double lo = INFINITY, hi = -INFINITY, slope = 0, exaggerate, flat = sqrt(0.5);
	size_t i, cells = (size_t)n * n;
	struct c4w_rgb colors[256];
	C4W_TRY(c4w_canvas_init(out, side, side, err));
	z = malloc(3 * cells * sizeof *z);
	if (!z) {
		c4w_canvas_clear(out);
		return c4w_fail_memory(err, 3 * cells * sizeof *z);
	}
	g = z + cells;
	sample_heights(c, n, z);
	for (i = 0; i < cells; i++) {
		lo = fmin(lo, (double)z[i]);
		hi = fmax(hi, (double)z[i]);
	}
	for (y = 0; y < n; y++)
		for (x = 0; x < n; x++) {
			float *at = g + 2 * ((size_t)y * n + x);
			gradient(z, n, y, x, (double)CELL_M * c->r / n, at);
			slope += (double)at[0] * (double)at[0] + (double)at[1] * (double)at[1];
		}
	slope = sqrt(slope / (double)cells);
	exaggerate = slope > 0 ? fmin(40, fmax(1, 0.45 / slope)) : 1;
	for (i = 0; i < 256; i++)
		colors[i] = c4w_colormap_heights((double)i / 255);
	for (y = 0; y < side; y++)
		for (x = 0; x < side; x++) {
			double d[2], height, light;
			struct c4w_rgb color, *px = &out->px[(size_t)y * side + x];
			uint32_t ci = (uint32_t)((uint64_t)y * c->r / side), cj = (uint32_t)((uint64_t)x * c->r / side);
			between(z, 1, n, side, y, x, &height);
			between(g, 2, n, side, y, x, d);
			color = colors[hi > lo ? (int)lrint((height - lo) / (hi - lo) * 255) : 128];
			d[0] *= exaggerate;
			d[1] *= exaggerate;
			/* normal (-dx, -dy, 1), light from (-1/2, -1/2, sqrt(1/2)): x to the east, y to the south */
			light = fmax(0, (0.5 * d[0] + 0.5 * d[1] + flat) / sqrt(1 + d[0] * d[0] + d[1] * d[1])) / flat;
			*px = light < 1 ? c4w_rgb_mix((struct c4w_rgb){ 20, 24, 48 }, color, 0.35 + 0.65 * light) :
					  c4w_rgb_mix(color, (struct c4w_rgb){ 255, 252, 240 }, (light - 1) * 0.9);
			if (c4w_psg_at(c->raw, c->r, ci, cj, 2) == 1.0f) /* dark, with the relief still showing through */
				*px = c4w_rgb_mix(*px, obstacle_color, (x + y) / 3 % 3 == 0 && side >= 400 ? 0.88 : 0.72);
		}
	free(z);
	range[0] = lo;
	range[1] = hi;
	return C4W_OK;
}

/* From one cell to the next: where a cell is wider than a pixel the line has no gaps. */
static void sketch_step(struct c4w_canvas *out, uint32_t from, uint32_t to, double f, struct c4w_rgb color)
{
	double y0 = (c4w_psg_row(from) + 0.5) * f, x0 = (c4w_psg_column(from) + 0.5) * f;
	double y1 = (c4w_psg_row(to) + 0.5) * f, x1 = (c4w_psg_column(to) + 0.5) * f;
	int k, n = (int)ceil(fmin(256, fmax(fabs(y1 - y0), fabs(x1 - x0))));
	for (k = n > 0; k <= n; k++) {
		double t = n ? (double)k / n : 0;
		c4w_canvas_blend(out, (int64_t)(x0 + t * (x1 - x0)), (int64_t)(y0 + t * (y1 - y0)), color, 1);
	}
}

int c4w_psg_sketch(const struct c4w_psg_scene *c, unsigned routes, uint32_t side, struct c4w_canvas *out, struct c4w_err *err)
{
	double range[2], f = (double)side / c->r;
	int k;
	size_t i;
	C4W_TRY(c4w_psg_relief(c, side, out, range, err));
	for (k = 0; k < C4W_PSG_ROUTES; k++)
		for (i = 0; c->routes[k] && (routes & (1u << k)) && i < c->routes[k]->n; i++)
			sketch_step(out, c->routes[k]->cells[i ? i - 1 : 0], c->routes[k]->cells[i], f, c4w_psg_route_color[k]);
	for (k = 0; k < 2 && c->meta; k++) {
		const int64_t *cell = k ? c->meta->goal : c->meta->start;
		if ((k ? c->meta->has_goal : c->meta->has_start)) {
			double x = ((double)cell[1] + 0.5) * f, y = ((double)cell[0] + 0.5) * f;
			c4w_canvas_disc(out, x, y, fmax(1.6, side / 70.0), (struct c4w_rgb){ 255, 255, 255 }, 1);
			c4w_canvas_disc(out, x, y, fmax(1.1, side / 110.0), k ? goal_color : start_color, 1);
		}
	}
	return C4W_OK;
}

/* ---- the sheet ---- */

enum { MARGIN = 18, HEAD = 40, FOOT = 46, PANEL = 236, LEAST = 460 };

struct sheet {
	struct c4w_pen pen; /* upon a surface of its own */
	const struct c4w_psg_scene *c;
	unsigned routes;
	uint32_t side, w, h;
	double range[2];
};

static const struct c4w_rgb black = { 32, 32, 36 }, grey = { 110, 110, 116 }, white = { 255, 255, 255 };

static void text(struct sheet *s, double x, double y, double size, struct c4w_rgb c, const char *t)
{
	c4w_pen_font(&s->pen, size, false);
	c4w_pen_ink(&s->pen, c, 1);
	c4w_pen_text(&s->pen, x, y, 0, t);
}

static void route_path(struct sheet *s, const struct c4w_psg_route *r)
{
	double f = (double)s->side / s->c->r;
	size_t i;
	s->pen.k.new_path(s->pen.cr);
	for (i = 0; i < r->n; i++)
		s->pen.k.line_to(s->pen.cr, MARGIN + (c4w_psg_column(r->cells[i]) + 0.5) * f, HEAD + (c4w_psg_row(r->cells[i]) + 0.5) * f);
}

static void stroke(struct sheet *s, struct c4w_rgb c, double alpha, double width)
{
	s->pen.k.set_line_width(s->pen.cr, width);
	c4w_pen_ink(&s->pen, c, alpha);
	s->pen.k.stroke(s->pen.cr);
}

static void line(struct sheet *s, double x0, double y0, double x1, double y1, struct c4w_rgb c, double alpha, double width)
{
	s->pen.k.set_line_width(s->pen.cr, width);
	c4w_pen_ink(&s->pen, c, alpha);
	c4w_pen_line(&s->pen, x0, y0, x1, y1);
}

static void frame(struct sheet *s, double x, double y, double w, double h, struct c4w_rgb c, double alpha)
{
	s->pen.k.new_path(s->pen.cr);
	s->pen.k.rectangle(s->pen.cr, x, y, w, h);
	stroke(s, c, alpha, 1);
}

static void box(struct sheet *s, double x, double y, double w, double h, struct c4w_rgb c, double alpha)
{
	c4w_pen_ink(&s->pen, c, alpha);
	c4w_pen_box(&s->pen, x, y, w, h);
}

static void disc(struct sheet *s, double x, double y, double r, struct c4w_rgb c, double alpha)
{
	c4w_pen_ink(&s->pen, c, alpha);
	c4w_pen_disc(&s->pen, x, y, r);
}

/* Routes often share cells. Free ones lie below as wide light bands, those around obstacles above as narrow dark ones, and each later
 * solver is narrower than the one before: what coincides stays visible side by side. */
static void draw_routes(struct sheet *s)
{
	double cell = (double)s->side / s->c->r, base = fmin(12, fmax(fmax(5.5, s->side / 90.0), cell * 0.8));
	int pass, v, k;
	for (v = 0; v < 2; v++)
		for (pass = 0; pass < 2; pass++)
			for (k = 0; k < C4W_PSG_SOLVERS; k++) {
				int id = 2 * k + v;
				double width = base * (v ? 0.5 : 1) * (1 - 0.28 * k);
				if (!(s->routes & (1u << id)) || !s->c->routes[id] || !s->c->routes[id]->n)
					continue;
				route_path(s, s->c->routes[id]);
				if (pass == 0)
					stroke(s, black, 0.7, width + (v ? 1.6 : 2));
				else
					stroke(s, c4w_psg_route_color[id], 1, width);
			}
}

static void marker(struct sheet *s, double x, double y, bool goal)
{
	double r = 7.5;
	disc(s, x, y, r + 2.6, black, 0.85);
	disc(s, x, y, r + 1.4, white, 1);
	disc(s, x, y, r - 0.6, goal ? goal_color : start_color, 1);
	if (goal) /* a square for the goal, so that colour is not all that tells them apart */
		box(s, x - 2.7, y - 2.7, 5.4, 5.4, white, 1);
}

static void draw_markers(struct sheet *s)
{
	double f = (double)s->side / s->c->r;
	const struct c4w_psg_meta *m = s->c->meta;
	if (m && m->has_start)
		marker(s, MARGIN + ((double)m->start[1] + 0.5) * f, HEAD + ((double)m->start[0] + 0.5) * f, false);
	if (m && m->has_goal)
		marker(s, MARGIN + ((double)m->goal[1] + 0.5) * f, HEAD + ((double)m->goal[0] + 0.5) * f, true);
}

static void distance_text(double m, char *out, size_t size)
{
	if (m >= 1000)
		snprintf(out, size, "%g km", m / 1000);
	else
		snprintf(out, size, "%g m", m);
}

static void draw_scale(struct sheet *s)
{
	double metre = s->side / ((double)CELL_M * s->c->r), bar = c4w_fig_round_step(CELL_M * s->c->r / 6.0), x = MARGIN, y = HEAD + s->side + 16;
	char t[64];
	int i;
	for (i = 0; i < 4; i++)
		box(s, x + bar * metre / 4 * i, y, bar * metre / 4, 6, i % 2 ? white : black, 1);
	frame(s, x, y, bar * metre, 6, black, 1);
	distance_text(bar, t, sizeof t);
	text(s, x + bar * metre + 8, y + 8, 12, black, t);
	snprintf(t, sizeof t, "%u x %u cells of %d m", s->c->r, s->c->r, CELL_M);
	text(s, x, y + 23, 11, grey, t);
}

static double draw_colors(struct sheet *s, double x, double y, double h)
{
	struct c4w_fig_axis axis = { .lo = s->range[0], .hi = s->range[1] };
	struct c4w_fig_ticks ticks = c4w_fig_ticks(&axis, 7);
	uint32_t i;
	char t[32];
	text(s, x, y, 13, black, s->c->meta && s->c->meta->has_range ? "Elevation, m" : "Elevation, m (published range)");
	y += 12;
	for (i = 0; i < (uint32_t)h; i++)
		box(s, x, y + i, 20, 1.5, c4w_colormap_heights(1 - i / h), 1);
	frame(s, x, y, 20, h, grey, 1);
	for (i = 0; i < ticks.n && axis.hi > axis.lo; i++) {
		double at = y + h * c4w_fig_down(&axis, c4w_fig_tick(&ticks, i));
		line(s, x + 20, at, x + 25, at, grey, 1, 1);
		text(s, x + 30, at + 4, 11.5, black, c4w_fig_tick_text(&ticks, i, t));
	}
	return y + h;
}

static void draw_legend(struct sheet *s, double x, double y)
{
	char t[96], n[32];
	int k;
	marker(s, x + 10, y, false);
	text(s, x + 30, y + 4, 12, black, "start");
	marker(s, x + 100, y, true);
	text(s, x + 120, y + 4, 12, black, "goal");
	y += 26;
	box(s, x, y - 8, 20, 14, obstacle_color, 0.85);
	if (s->c->meta && s->c->meta->has_actual)
		snprintf(t, sizeof t, "obstacles, %.1f %%", 100 * s->c->meta->ratio_actual);
	else
		snprintf(t, sizeof t, "obstacles");
	text(s, x + 30, y + 4, 12, black, t);
	y += 28;
	for (k = 0; k < C4W_PSG_ROUTES; k++) {
		const struct c4w_psg_route *r = s->c->routes[k];
		if (!(s->routes & (1u << k)) || !r || !r->n)
			continue;
		line(s, x, y, x + 22, y, black, 0.7, k % 2 ? 5.6 : 9);
		line(s, x, y, x + 22, y, c4w_psg_route_color[k], 1, k % 2 ? 4 : 7);
		snprintf(t, sizeof t, "%s, %s", c4w_psg_solver[k / 2] + strlen("astar_"), c4w_psg_variant[k % 2]);
		text(s, x + 30, y + 1, 12, black, t);
		snprintf(t, sizeof t, "%s cells, %.2f km", c4w_str_grouped(r->n, n), c4w_psg_length(r) / 1000);
		text(s, x + 30, y + 14, 10.5, grey, t);
		y += 31;
	}
}

/* Width of the map with what is written below it. */
static uint32_t under(uint32_t side)
{
	return side > 150 ? side : 150;
}

static int draw_sheet(struct sheet *s, const char *name, const struct c4w_canvas *map, struct c4w_canvas *out, struct c4w_err *err)
{
	int stride = (int)(s->w * 4);
	double panel = MARGIN + under(s->side) + 22.0;
	uint32_t *argb = malloc((size_t)s->w * s->h * 4), x, y;
	cairo_surface_t *surface;
	char title[160];
	if (!argb)
		return c4w_fail_memory(err, (size_t)s->w * s->h * 4);
	memset(argb, 0xff, (size_t)s->w * s->h * 4);
	for (y = 0; y < s->side; y++)
		for (x = 0; x < s->side; x++) {
			struct c4w_rgb p = map->px[(size_t)y * s->side + x];
			argb[(size_t)(y + HEAD) * s->w + x + MARGIN] = 0xff000000u | (uint32_t)p.r << 16 | (uint32_t)p.g << 8 | p.b;
		}
	surface = s->pen.k.image_surface_create_for_data((unsigned char *)argb, CAIRO_FORMAT_RGB24, (int)s->w, (int)s->h, stride);
	s->pen.cr = s->pen.k.create(surface);
	s->pen.k.set_line_cap(s->pen.cr, CAIRO_LINE_CAP_ROUND);
	s->pen.k.set_line_join(s->pen.cr, CAIRO_LINE_JOIN_ROUND);
	s->pen.k.save(s->pen.cr);
	s->pen.k.rectangle(s->pen.cr, MARGIN, HEAD, s->side, s->side);
	s->pen.k.clip(s->pen.cr);
	draw_routes(s);
	s->pen.k.restore(s->pen.cr);
	frame(s, MARGIN + 0.5, HEAD + 0.5, s->side - 1.0, s->side - 1.0, black, 0.6);
	draw_markers(s); /* one at the edge is drawn whole */
	snprintf(title, sizeof title, "PASSAGE %s", name);
	text(s, MARGIN, HEAD - 14, 16, black, title);
	draw_scale(s);
	y = (uint32_t)draw_colors(s, panel, HEAD + 11, fmax(100, fmin(s->side * 0.45, fmax(120, s->h - HEAD - 330.0))));
	draw_legend(s, panel, y + 30);
	s->pen.k.surface_flush(surface);
	s->pen.k.destroy(s->pen.cr);
	s->pen.k.surface_destroy(surface);
	for (y = 0; y < s->h; y++)
		for (x = 0; x < s->w; x++) {
			uint32_t p = argb[(size_t)y * s->w + x];
			out->px[(size_t)y * s->w + x] = (struct c4w_rgb){ (uint8_t)(p >> 16), (uint8_t)(p >> 8), (uint8_t)p };
		}
	free(argb);
	return C4W_OK;
}

static int grey16(const struct c4w_psg_scene *c, struct c4w_buf *buf, struct c4w_err *err)
{
	size_t i, n = (size_t)c->r * c->r;
	uint16_t *px = malloc(n * sizeof *px);
	int cls;
	if (!px)
		return c4w_fail_memory(err, n * sizeof *px);
	for (i = 0; i < n; i++) {
		float v = c4w_psg_at(c->raw, c->r, (uint32_t)(i / c->r), (uint32_t)(i % c->r), 0);
		px[i] = v >= 1 ? 65535 : v > 0 ? (uint16_t)lrintf(v * 65535.0f) : 0;
	}
	cls = c4w_png_write(buf, C4W_PNG_GREY16, c->r, c->r, px, NULL, err);
	free(px);
	return cls;
}

int c4w_psg_png(const struct c4w_psg_encode *e, const struct c4w_psg_scene *c, const char *name, struct c4w_buf *buf, struct c4w_err *err)
{
	struct sheet s = { .c = c, .routes = e->routes };
	struct c4w_canvas map = { 0 }, out = { 0 };
	struct c4w_png_text texts[] = { { "Title", name }, { "Software", "c4w" }, { NULL, NULL } };
	uint64_t side = e->size;
	int cls;
	if (e->raw_elevation)
		return grey16(c, buf, err);
	if (!side && e->scale)
		side = (uint64_t)c->r * e->scale;
	if (!side) /* whole pixels a cell up to about 768, then at most 1024 */
		side = c->r > 1024 ? 1024 : c->r >= 768 ? c->r : (uint64_t)c->r * ((768 + c->r / 2) / c->r);
	if (side > 16384)
		return c4w_fail(err, C4W_USAGE, "a map of %llu pixels a side is not drawn; at most 16384 are", (unsigned long long)side);
	s.side = (uint32_t)side;
	s.w = MARGIN + under(s.side) + PANEL;
	s.h = HEAD + (s.side > LEAST ? s.side : LEAST) + FOOT;
	C4W_TRY(c4w_cairo_open(&s.pen.k, err));
	cls = c4w_psg_relief(c, s.side, &map, s.range, err);
	if (cls == C4W_OK)
		cls = c4w_canvas_init(&out, s.w, s.h, err);
	if (cls == C4W_OK)
		cls = draw_sheet(&s, name, &map, &out, err);
	c4w_canvas_clear(&map);
	if (cls == C4W_OK)
		cls = c4w_png_write(buf, C4W_PNG_RGB8, s.w, s.h, out.px, texts, err);
	c4w_canvas_clear(&out);
	return cls;
}
