/* Plots as SVG and PNG, through cairo. See plot.h. */
#include "model/plot.h"

#include "model/cairo.h"
#include "model/figure.h" /* ticks */

#include <math.h>

enum { PAGE = 760, LEFT = 64, RIGHT = 20, TOP = 26, BOTTOM = 42, SHARE = 210, TALLEST = 760, PNG_SCALE = 2 };

struct draw {
	struct c4w_cairo k;
	cairo_t *cr;
	const struct c4w_plot *p;
	c4w_bytes_fn sink;
	void *ctx;
	struct c4w_err *err;
	int failed;
};

/* One box on the page: the area within its axes. */
struct area {
	const struct c4w_plot_box *b;
	double x, y, w, h;
};

static cairo_status_t write_out(void *closure, const unsigned char *data, unsigned length)
{
	struct draw *d = closure;
	if (d->failed == C4W_OK)
		d->failed = d->sink(d->ctx, data, length, d->err);
	return d->failed == C4W_OK ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

static void grey(struct draw *d, double v)
{
	d->k.set_source_rgba(d->cr, v, v, v, 1);
}

static void ink(struct draw *d, struct c4w_rgb c)
{
	d->k.set_source_rgba(d->cr, c.r / 255.0, c.g / 255.0, c.b / 255.0, 1);
}

static void font(struct draw *d, double size, bool bold)
{
	d->k.select_font_face(d->cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
	d->k.set_font_size(d->cr, size);
}

static double width_of(struct draw *d, const char *z)
{
	cairo_text_extents_t e;
	d->k.text_extents(d->cr, z, &e);
	return e.x_advance;
}

/* align: 0 left, 0.5 middle, 1 right */
static void text(struct draw *d, double x, double y, double align, const char *z)
{
	d->k.move_to(d->cr, align > 0 ? x - align * width_of(d, z) : x, y);
	d->k.show_text(d->cr, z);
}

static void line(struct draw *d, double x0, double y0, double x1, double y1)
{
	d->k.move_to(d->cr, x0, y0);
	d->k.line_to(d->cr, x1, y1);
	d->k.stroke(d->cr);
}

static double px(const struct area *a, double x)
{
	return a->x + (x - a->b->x0) / (a->b->x1 - a->b->x0) * a->w;
}

static double py(const struct area *a, double y)
{
	return a->y + (a->b->y1 - y) / (a->b->y1 - a->b->y0) * a->h;
}

static void axes(struct draw *d, const struct area *a)
{
	double first, step, v;
	char buf[32];
	size_t n, i;
	d->k.set_line_width(d->cr, 0.7);
	font(d, 11, false);
	n = c4w_plot_ticks(a->b->x0, a->b->x1, a->b->x_step, a->w / 75, &first, &step);
	for (i = 0; i < n; i++) {
		v = px(a, first + (double)i * step);
		grey(d, 0.87);
		line(d, v, a->y, v, a->y + a->h);
		grey(d, 0.2);
		text(d, v, a->y + a->h + 15, 0.5, c4w_tick_text(first + (double)i * step, step, buf));
	}
	n = c4w_plot_ticks(a->b->y0, a->b->y1, a->b->y_step, a->h / 45, &first, &step);
	for (i = 0; i < n; i++) {
		v = py(a, first + (double)i * step);
		grey(d, 0.87);
		line(d, a->x, v, a->x + a->w, v);
		grey(d, 0.2);
		text(d, a->x - 7, v + 4, 1, c4w_tick_text(first + (double)i * step, step, buf));
	}
	text(d, a->x + a->w / 2, a->y + a->h + 32, 0.5, a->b->x_label);
	d->k.save(d->cr);
	d->k.move_to(d->cr, a->x - 48, a->y + a->h / 2 + width_of(d, a->b->y_label) / 2);
	d->k.rotate(d->cr, -1.5707963267948966);
	d->k.show_text(d->cr, a->b->y_label);
	d->k.restore(d->cr);
	font(d, 12, true);
	grey(d, 0.1);
	text(d, a->x, a->y - 8, 0, a->b->title);
}

static void triangle(struct draw *d, double x, double y, double r, bool filled)
{
	d->k.new_path(d->cr);
	d->k.move_to(d->cr, x, y - r);
	d->k.line_to(d->cr, x + 0.9 * r, y + 0.7 * r);
	d->k.line_to(d->cr, x - 0.9 * r, y + 0.7 * r);
	d->k.close_path(d->cr);
	if (filled)
		d->k.set_source_rgba(d->cr, 0.85, 0.1, 0.15, 1);
	else
		d->k.set_source_rgba(d->cr, 1, 1, 1, 1);
	d->k.fill(d->cr);
	d->k.move_to(d->cr, x, y - r);
	d->k.line_to(d->cr, x + 0.9 * r, y + 0.7 * r);
	d->k.line_to(d->cr, x - 0.9 * r, y + 0.7 * r);
	d->k.close_path(d->cr);
	grey(d, 0.1);
	d->k.set_line_width(d->cr, 1.2);
	d->k.stroke(d->cr);
}

static void dot(struct draw *d, double x, double y, double r)
{
	d->k.new_path(d->cr);
	d->k.arc(d->cr, x, y, r, 0, 6.283185307179586);
	d->k.fill(d->cr);
}

static void points(struct draw *d, const struct area *a)
{
	double r = a->b->n > 4000 ? 1.6 : a->b->n > 400 ? 2.4 : a->b->n > 60 ? 3.2 : 4.5;
	size_t i;
	int pass;
	/* Without values below, sites on top, the one it is about last. */
	for (pass = 0; pass < 4; pass++)
		for (i = 0; i < a->b->n; i++) {
			const struct c4w_plot_point *q = &a->b->points[i];
			double x = px(a, q->x), y = py(a, q->y);
			static const int order[] = { [C4W_PLOT_FAINT] = 0, [C4W_PLOT_DOT] = 1, [C4W_PLOT_SITE] = 2, [C4W_PLOT_HERE] = 3 };
			if (pass != order[q->mark])
				continue;
			if (q->mark >= C4W_PLOT_SITE) {
				triangle(d, x, y, q->mark == C4W_PLOT_HERE ? 9 : 6.5, q->mark == C4W_PLOT_HERE);
			} else {
				if (q->mark == C4W_PLOT_FAINT)
					grey(d, 0.75);
				else
					ink(d, c4w_plot_color(d->p, q->t, false));
				if (a->b->stems) {
					d->k.set_line_width(d->cr, 2);
					line(d, x, a->y + a->h, x, y);
				}
				dot(d, x, y, q->mark == C4W_PLOT_FAINT ? r * 0.6 : r);
			}
			if (q->label) {
				font(d, 10, q->mark >= C4W_PLOT_SITE);
				grey(d, 0.1);
				if (q->mark >= C4W_PLOT_SITE)
					text(d, x + 9, y + 4, 0, q->label);
				else
					text(d, x + (a->b->stems ? 0 : 7), y - (a->b->stems ? 8 : 4), a->b->stems ? 0.5 : 0, q->label);
			}
		}
}

static void box(struct draw *d, const struct area *a)
{
	axes(d, a);
	d->k.save(d->cr);
	d->k.rectangle(d->cr, a->x - 12, a->y - 12, a->w + 24, a->h + (a->b->stems ? 12 : 24));
	d->k.clip(d->cr);
	points(d, a);
	d->k.restore(d->cr);
	grey(d, 0.45);
	d->k.set_line_width(d->cr, 0.9);
	d->k.new_path(d->cr);
	d->k.rectangle(d->cr, a->x, a->y, a->w, a->h);
	d->k.stroke(d->cr);
}

static void legend(struct draw *d, double y)
{
	const struct c4w_plot *p = d->p;
	double x = LEFT, w;
	char buf[32];
	int k;
	font(d, 11, false);
	if (p->scale_label) {
		grey(d, 0.2);
		text(d, x, y + 11, 0, p->scale_label);
		x += width_of(d, p->scale_label) + 10;
		if (p->names[0]) {
			for (k = 2; k-- > 0;) {
				ink(d, c4w_plot_color(p, k, false));
				dot(d, x + 5, y + 7, 5);
				grey(d, 0.2);
				text(d, x + 15, y + 11, 0, p->names[k]);
				x += width_of(d, p->names[k]) + 32;
			}
		} else {
			c4w_tick_text(p->lo, (p->hi - p->lo) / 10, buf);
			text(d, x, y + 11, 0, buf);
			x += width_of(d, buf) + 6;
			for (k = 0; k < 100; k++) {
				ink(d, c4w_plot_color(p, k / 99.0, false));
				d->k.rectangle(d->cr, x + 1.6 * k, y + 1, k < 99 ? 3.2 : 1.6, 12);
				d->k.fill(d->cr);
			}
			x += 166;
			grey(d, 0.2);
			text(d, x, y + 11, 0, c4w_tick_text(p->hi, (p->hi - p->lo) / 10, buf));
			x += width_of(d, buf) + 24;
		}
	}
	for (k = 0; k < 3; k++) {
		const char *name = k == 0 ? p->here_name : k == 1 ? p->site_name : p->faint_name;
		if (!name || !(k == 2 ? p->faint : p->sites))
			continue;
		w = width_of(d, name);
		if (x + w + 20 > PAGE - RIGHT) {
			x = LEFT;
			y += 20;
		}
		if (k == 2) {
			grey(d, 0.75);
			dot(d, x + 5, y + 7, 3);
		} else {
			triangle(d, x + 5, y + 8, 6.5, k == 0);
		}
		grey(d, 0.2);
		text(d, x + 16, y + 11, 0, name);
		x += w + 32;
	}
}

/* Where each box stands; returns the height of the page. */
static double layout(const struct c4w_plot *p, struct area *areas)
{
	double y = 14 + (*p->title ? 22 : 0) + (*p->subtitle ? 18 : 0);
	size_t i, k, m;
	for (i = 0; i < p->boxes; i += k) {
		double w, h = 0;
		for (k = 1; i + k < p->boxes && p->box[i + k].beside; k++)
			;
		w = PAGE / (double)k - LEFT - RIGHT;
		for (m = 0; m < k; m++) {
			const struct c4w_plot_box *b = &p->box[i + m];
			struct area *a = &areas[i + m];
			*a = (struct area){ b, LEFT + (double)m * PAGE / (double)k, y + TOP, w, SHARE };
			if (b->equal) {
				a->h = w * fabs((b->y1 - b->y0) / (b->x1 - b->x0));
				if (a->h > TALLEST) {
					a->w = w * TALLEST / a->h;
					a->h = TALLEST;
				}
			}
			h = a->h > h ? a->h : h;
		}
		y += TOP + h + BOTTOM;
	}
	return y + 48;
}

static void page(struct draw *d, const struct area *areas, double height)
{
	const struct c4w_plot *p = d->p;
	size_t i;
	d->k.set_source_rgba(d->cr, 1, 1, 1, 1);
	d->k.paint(d->cr);
	grey(d, 0);
	font(d, 15, true);
	text(d, LEFT, 24, 0, p->title);
	font(d, 12, false);
	grey(d, 0.3);
	text(d, LEFT, 44, 0, p->subtitle);
	for (i = 0; i < p->boxes; i++)
		box(d, &areas[i]);
	legend(d, height - 46);
}

int c4w_plot_draw(const struct c4w_plot *p, enum c4w_plot_format format, c4w_bytes_fn sink, void *ctx, struct c4w_err *err)
{
	struct draw d = { .p = p, .sink = sink, .ctx = ctx, .err = err };
	struct area areas[4];
	cairo_surface_t *surface;
	cairo_status_t status;
	double height;
	if (p->failed)
		return c4w_fail_memory(err, 0);
	C4W_TRY(c4w_cairo_open(&d.k, err));
	height = ceil(layout(p, areas));
	surface = format == C4W_PLOT_SVG ? d.k.svg_surface_create_for_stream(write_out, &d, PAGE, height) :
					   d.k.image_surface_create(CAIRO_FORMAT_RGB24, PAGE * PNG_SCALE, (int)height * PNG_SCALE);
	d.cr = d.k.create(surface);
	if (format == C4W_PLOT_PNG)
		d.k.scale(d.cr, PNG_SCALE, PNG_SCALE);
	page(&d, areas, height);
	status = d.k.status(d.cr);
	d.k.destroy(d.cr);
	if (status == CAIRO_STATUS_SUCCESS && format == C4W_PLOT_PNG)
		status = d.k.surface_write_to_png_stream(surface, write_out, &d);
	d.k.surface_finish(surface);
	if (status == CAIRO_STATUS_SUCCESS)
		status = d.k.surface_status(surface);
	d.k.surface_destroy(surface);
	if (d.failed != C4W_OK)
		return d.failed;
	if (status == CAIRO_STATUS_NO_MEMORY)
		return c4w_fail_memory(err, 0);
	return status == CAIRO_STATUS_SUCCESS ? C4W_OK : c4w_fail(err, C4W_IO, "cairo can't draw the figure (status %d)", (int)status);
}
