/* Figures as SVG, PNG and PDF, through cairo. See figure.h. Only functions and constants of cairo's stable interface are used; they are
 * declared here, since the library is opened at first use and its headers are not needed to build. */
#include "model/figure.h"

#include "base/dl.h"

#include <math.h>

typedef int (*write_fn)(void *closure, const unsigned char *data, unsigned length);

/* cairo.h, cairo-svg.h, cairo-pdf.h */
struct api {
	void *(*svg)(write_fn, void *, double, double);
	void *(*pdf)(write_fn, void *, double, double);
	void *(*image)(int format, int width, int height);
	int (*png)(void *surface, write_fn, void *);
	void *(*create)(void *surface);
	void (*destroy)(void *cr);
	void (*finish)(void *surface);
	void (*surface_destroy)(void *surface);
	int (*surface_status)(void *surface);
	int (*status)(void *cr);
	void (*rgb)(void *cr, double, double, double);
	void (*move_to)(void *cr, double, double);
	void (*line_to)(void *cr, double, double);
	void (*rectangle)(void *cr, double, double, double, double);
	void (*close_path)(void *cr);
	void (*stroke)(void *cr);
	void (*fill)(void *cr);
	void (*paint)(void *cr);
	void (*line_width)(void *cr, double);
	void (*line_join)(void *cr, int);
	void (*scale)(void *cr, double, double);
	void (*font_face)(void *cr, const char *, int, int);
	void (*font_size)(void *cr, double);
	void (*show_text)(void *cr, const char *);
	void (*text_extents)(void *cr, const char *, double out[6]); /* cairo_text_extents_t is six doubles */
	void (*save)(void *cr);
	void (*restore)(void *cr);
	void (*clip)(void *cr);
};

static const char *const names[] = {
	"cairo_svg_surface_create_for_stream", "cairo_pdf_surface_create_for_stream", "cairo_image_surface_create", "cairo_surface_write_to_png_stream",
	"cairo_create", "cairo_destroy", "cairo_surface_finish", "cairo_surface_destroy", "cairo_surface_status", "cairo_status",
	"cairo_set_source_rgb", "cairo_move_to", "cairo_line_to", "cairo_rectangle", "cairo_close_path", "cairo_stroke",
	"cairo_fill", "cairo_paint", "cairo_set_line_width", "cairo_set_line_join", "cairo_scale", "cairo_select_font_face", "cairo_set_font_size",
	"cairo_show_text", "cairo_text_extents", "cairo_save", "cairo_restore", "cairo_clip",
};

enum { HEAD = 15, NAMES = sizeof names / sizeof *names, IMAGE_RGB24 = 1, JOIN_BEVEL = 2, WEIGHT_NORMAL = 0, WEIGHT_BOLD = 1, PNG_SCALE = 2 };

struct draw {
	struct api c;
	void *cr;
	struct c4w_figure *f;
	double width, plot, height; /* of the page, of the plot area, of a panel */
	double y;
	c4w_bytes_fn sink;
	void *ctx;
	struct c4w_err *err;
	int failed;
};

static int write_out(void *closure, const unsigned char *data, unsigned length)
{
	struct draw *d = closure;

	if (d->failed == C4W_OK)
		d->failed = d->sink(d->ctx, data, length, d->err);
	return d->failed == C4W_OK ? 0 : 11; /* CAIRO_STATUS_WRITE_ERROR */
}

static double text_width(struct draw *d, const char *text)
{
	double e[6];

	d->c.text_extents(d->cr, text, e);
	return e[4]; /* x_advance */
}

/* align: 0 left, 0.5 middle, 1 right */
static void text(struct draw *d, double x, double y, double align, const char *z)
{
	d->c.move_to(d->cr, align > 0 ? x - align * text_width(d, z) : x, y);
	d->c.show_text(d->cr, z);
}

static void font(struct draw *d, double size, bool bold)
{
	d->c.font_face(d->cr, "sans-serif", 0, bold ? WEIGHT_BOLD : WEIGHT_NORMAL);
	d->c.font_size(d->cr, size);
}

static void ink(struct draw *d, unsigned n)
{
	static const double rgb[][3] = { { 0.10, 0.35, 0.62 }, { 0.78, 0.35, 0.10 }, { 0.12, 0.50, 0.30 }, { 0.55, 0.20, 0.52 }, { 0.42, 0.42, 0.10 }, { 0.70, 0.12, 0.22 } };

	d->c.rgb(d->cr, rgb[n % 6][0], rgb[n % 6][1], rgb[n % 6][2]);
}

static double px(const struct draw *d, const struct c4w_fig_group *g, double x)
{
	return C4W_FIG_LEFT + (x - g->x0) / (g->x1 - g->x0) * d->plot;
}

static double py(const struct draw *d, const struct c4w_fig_panel *p, double v)
{
	return d->y + 4 + (p->hi - v) / (p->hi - p->lo) * (d->height - 8);
}

static void grid(struct draw *d, const struct c4w_fig_group *g, const struct c4w_fig_panel *p)
{
	double first, step, unit = 1, v;
	const char *name;
	char buf[32];
	size_t n, i;

	d->c.line_width(d->cr, 0.6);
	d->c.rgb(d->cr, 0.88, 0.88, 0.88);
	n = g->axis == C4W_FIG_TIME ? c4w_time_ticks(g->x0, g->x1, (unsigned)(d->plot / 90) + 1, &first, &step, &unit, &name) :
				      c4w_ticks(g->x0, g->x1, (unsigned)(d->plot / 90) + 1, &first, &step);
	for (i = 0; i < n; i++) {
		v = px(d, g, first + (double)i * step);
		d->c.move_to(d->cr, v, d->y);
		d->c.line_to(d->cr, v, d->y + d->height);
	}
	d->c.stroke(d->cr);
	font(d, 10, false);
	if (p->levels && p->any) {
		for (i = 0; i < p->nlevels; i++) {
			d->c.rgb(d->cr, 0.88, 0.88, 0.88);
			d->c.move_to(d->cr, C4W_FIG_LEFT, py(d, p, (double)i));
			d->c.line_to(d->cr, C4W_FIG_LEFT + d->plot, py(d, p, (double)i));
			d->c.stroke(d->cr);
			d->c.rgb(d->cr, 0.25, 0.25, 0.25);
			text(d, C4W_FIG_LEFT - 6, py(d, p, (double)i) + 3.5, 1, p->levels[i]);
		}
	} else if (p->any) {
		n = c4w_ticks(p->lo, p->hi, d->height > 90 ? 4 : 3, &first, &step);
		for (i = 0; i < n; i++) {
			v = first + (double)i * step;
			d->c.rgb(d->cr, 0.88, 0.88, 0.88);
			d->c.move_to(d->cr, C4W_FIG_LEFT, py(d, p, v));
			d->c.line_to(d->cr, C4W_FIG_LEFT + d->plot, py(d, p, v));
			d->c.stroke(d->cr);
			d->c.rgb(d->cr, 0.25, 0.25, 0.25);
			text(d, C4W_FIG_LEFT - 6, py(d, p, v) + 3.5, 1, c4w_tick_text(v, step, buf));
		}
	}
	d->c.rgb(d->cr, 0.6, 0.6, 0.6);
	d->c.line_width(d->cr, 0.8);
	d->c.rectangle(d->cr, C4W_FIG_LEFT, d->y, d->plot, d->height);
	d->c.stroke(d->cr);
}

/* A run of joined bins: a line through dense data's middle would hide its width, so the envelope is a filled band with an outline, and
 * where a bin holds one value the band is the line. */
static void run(struct draw *d, const struct c4w_fig_panel *p, size_t a, size_t b)
{
	const struct c4w_fig_group *g = p->group;
	double bin = d->plot / (double)g->bins;
	size_t i;

	d->c.line_width(d->cr, 1.0);
	d->c.line_join(d->cr, JOIN_BEVEL);
	for (i = a; i < b; i++) { /* first, extremes, last: every peak is on the path */
		const struct c4w_fig_bin *q = &p->bins[i];
		double x = C4W_FIG_LEFT + ((double)i + 0.5) * bin;

		if (i == a)
			d->c.move_to(d->cr, x, py(d, p, q->first));
		else
			d->c.line_to(d->cr, x, py(d, p, q->first));
		if (q->hi > q->lo) {
			bool up = q->last >= q->first;

			d->c.line_to(d->cr, x, py(d, p, up ? q->lo : q->hi));
			d->c.line_to(d->cr, x, py(d, p, up ? q->hi : q->lo));
			if (q->last != (up ? q->hi : q->lo))
				d->c.line_to(d->cr, x, py(d, p, q->last));
		}
	}
	if (b == a + 1) { /* a point by itself */
		double x = C4W_FIG_LEFT + ((double)a + 0.5) * bin, y = py(d, p, p->bins[a].first);

		d->c.line_to(d->cr, x + 0.01, y);
		d->c.stroke(d->cr);
		d->c.rectangle(d->cr, x - 1.2, y - 1.2, 2.4, 2.4);
		d->c.fill(d->cr);
		return;
	}
	d->c.stroke(d->cr);
}

static void panel(struct draw *d, const struct c4w_fig_group *g, const struct c4w_fig_panel *p, unsigned number)
{
	size_t a, b;

	/* the name stands above the panel: within, it would hide some of the curve */
	d->c.rgb(d->cr, 0.1, 0.1, 0.1);
	font(d, 11, true);
	text(d, C4W_FIG_LEFT, d->y + 10, 0, p->label);
	if (p->unit && *p->unit) {
		double w = text_width(d, p->label);

		font(d, 10, false);
		d->c.rgb(d->cr, 0.4, 0.4, 0.4);
		text(d, C4W_FIG_LEFT + w + 8, d->y + 10, 0, p->unit);
	}
	d->y += HEAD;
	grid(d, g, p);
	d->c.save(d->cr);
	d->c.rectangle(d->cr, C4W_FIG_LEFT, d->y, d->plot, d->height);
	d->c.clip(d->cr);
	ink(d, number);
	for (a = 0; p->any && a < g->bins; a = b) {
		b = a + 1;
		if (!p->bins[a].any)
			continue;
		while (b < g->bins && p->bins[b].any && p->bins[b].joined)
			b++;
		run(d, p, a, b);
	}
	d->c.restore(d->cr);
	if (p->note || !p->any) {
		font(d, 11, false);
		d->c.rgb(d->cr, 0.3, 0.3, 0.3);
		text(d, C4W_FIG_LEFT + d->plot / 2, d->y + d->height / 2 + 4, 0.5, p->note ? p->note : "no values");
	}
	d->y += d->height;
}

static void axis(struct draw *d, const struct c4w_fig_group *g)
{
	double first, step, unit = 1, x;
	const char *name = g->axis == C4W_FIG_STEPS ? "step" : g->x_label ? g->x_label : "";
	char buf[32];
	size_t n, i;

	n = g->axis == C4W_FIG_TIME ? c4w_time_ticks(g->x0, g->x1, (unsigned)(d->plot / 90) + 1, &first, &step, &unit, &name) :
				      c4w_ticks(g->x0, g->x1, (unsigned)(d->plot / 90) + 1, &first, &step);
	font(d, 10, false);
	d->c.rgb(d->cr, 0.25, 0.25, 0.25);
	for (i = 0; i < n; i++) {
		x = first + (double)i * step;
		text(d, px(d, g, x), d->y + 14, 0.5, c4w_tick_text(x / unit, step / unit, buf));
	}
	snprintf(buf, sizeof buf, g->axis == C4W_FIG_TIME ? "time [%s]" : "%s", name);
	text(d, C4W_FIG_LEFT + d->plot / 2, d->y + 28, 0.5, buf);
	d->y += 34;
}

static void marks(struct draw *d, const struct c4w_fig_group *g)
{
	unsigned lane;
	size_t m;

	for (lane = 0; lane < g->lanes; lane++) {
		bool named = false;

		for (m = 0; m < g->nmarks; m++) {
			const struct c4w_fig_mark *k = &g->marks[m];
			double a = px(d, g, k->from), b = px(d, g, k->to);

			if (k->lane != lane)
				continue;
			ink(d, lane + 1);
			if (k->to > k->from) {
				d->c.rectangle(d->cr, a, d->y + 3, b - a < 1.5 ? 1.5 : b - a, 10);
				d->c.fill(d->cr);
			} else {
				d->c.move_to(d->cr, a, d->y + 2);
				d->c.line_to(d->cr, a + 4, d->y + 8);
				d->c.line_to(d->cr, a, d->y + 14);
				d->c.line_to(d->cr, a - 4, d->y + 8);
				d->c.close_path(d->cr);
				d->c.fill(d->cr);
			}
			if (named)
				continue;
			named = true;
			font(d, 10, false);
			d->c.rgb(d->cr, 0.15, 0.15, 0.15);
			if (b + 8 + text_width(d, k->label) < C4W_FIG_LEFT + d->plot)
				text(d, b + 8, d->y + 12, 0, k->label);
			else if (a - 8 - text_width(d, k->label) > 0)
				text(d, a - 8, d->y + 12, 1, k->label);
			else { /* upon a bar that spans all: in white */
				d->c.rgb(d->cr, 1, 1, 1);
				text(d, a + 6, d->y + 11.5, 0, k->label);
			}
		}
		d->y += 17;
	}
}

static double page_height(const struct c4w_figure *f, double panel)
{
	double h = 10 + (*f->title ? 20 : 0) + (*f->subtitle ? 16 : 0);
	size_t i;

	for (i = 0; i < f->ngroups; i++)
		h += (double)f->groups[i]->npanels * (panel + HEAD + 4) + 34 + f->groups[i]->lanes * 17.0 + 12;
	return h;
}

static void page(struct draw *d)
{
	struct c4w_figure *f = d->f;
	size_t i, k;

	d->c.rgb(d->cr, 1, 1, 1);
	d->c.paint(d->cr);
	d->y = 8;
	d->c.rgb(d->cr, 0, 0, 0);
	if (*f->title) {
		font(d, 14, true);
		text(d, C4W_FIG_LEFT, d->y + 14, 0, f->title);
		d->y += 20;
	}
	if (*f->subtitle) {
		font(d, 11, false);
		d->c.rgb(d->cr, 0.3, 0.3, 0.3);
		text(d, C4W_FIG_LEFT, d->y + 11, 0, f->subtitle);
		d->y += 16;
	}
	d->y += 2;
	for (i = 0; i < f->ngroups; i++) {
		for (k = 0; k < f->groups[i]->npanels; k++) {
			panel(d, f->groups[i], f->groups[i]->panels[k], (unsigned)k);
			d->y += k + 1 < f->groups[i]->npanels ? 4 : 0;
		}
		axis(d, f->groups[i]);
		marks(d, f->groups[i]);
		d->y += 12;
	}
}

bool c4w_figure_format(const char *path, enum c4w_fig_format *out)
{
	static const char *const ends[] = { ".svg", ".png", ".pdf" };
	size_t n = strlen(path), i;

	for (i = 0; i < 3; i++)
		if (n > 4 && strcasecmp(path + n - 4, ends[i]) == 0) {
			*out = (enum c4w_fig_format)i;
			return true;
		}
	return false;
}

int c4w_figure_draw(struct c4w_figure *f, enum c4w_fig_format format, unsigned width, unsigned height, c4w_bytes_fn sink, void *ctx,
		    struct c4w_err *err)
{
	struct draw d = { .f = f, .width = width < 300 ? 300 : width, .height = height < 20 ? 20 : height, .sink = sink, .ctx = ctx, .err = err };
	void *fns[NAMES], *surface;
	double total;
	int status;

	if (f->failed)
		return c4w_fail_memory(err, 0);
	C4W_TRY(c4w_dl_symbols(C4W_DL_CAIRO, names, fns, NAMES, err));
	_Static_assert(sizeof d.c == sizeof fns, "a name for each function");
	memcpy(&d.c, fns, sizeof d.c);
	c4w_figure_settle(f);
	d.plot = d.width - C4W_FIG_LEFT - C4W_FIG_RIGHT;
	total = page_height(f, d.height);
	if (format == C4W_FIG_PNG && (total * PNG_SCALE > 32000 || d.width * PNG_SCALE > 32000))
		return c4w_fail(err, C4W_LIMIT, "the picture would have %.0f by %.0f points, beyond what a PNG of cairo can have; fewer signals, or PDF", d.width, total);
	surface = format == C4W_FIG_SVG ? d.c.svg(write_out, &d, d.width, total) :
		  format == C4W_FIG_PDF ? d.c.pdf(write_out, &d, d.width, total) :
					  d.c.image(IMAGE_RGB24, (int)d.width * PNG_SCALE, (int)ceil(total) * PNG_SCALE);
	d.cr = d.c.create(surface);
	if (format == C4W_FIG_PNG)
		d.c.scale(d.cr, PNG_SCALE, PNG_SCALE);
	page(&d);
	status = d.c.status(d.cr);
	d.c.destroy(d.cr);
	if (status == 0 && format == C4W_FIG_PNG)
		status = d.c.png(surface, write_out, &d);
	d.c.finish(surface);
	if (status == 0)
		status = d.c.surface_status(surface);
	d.c.surface_destroy(surface);
	if (d.failed != C4W_OK)
		return d.failed;
	if (status == 1) /* CAIRO_STATUS_NO_MEMORY */
		return c4w_fail_memory(err, 0);
	return status ? c4w_fail(err, C4W_IO, "cairo can't draw the figure (status %d)", status) : C4W_OK;
}
