/* Looking up cairo's functions, names in the order of the struct; the pen. See cairo.h. */
#include "model/cairo.h"
#include "base/dl.h"

#include <math.h>
#include <string.h>

static const char *const names[] = {
	"cairo_image_surface_create_for_data",
	"cairo_create",
	"cairo_destroy",
	"cairo_surface_flush",
	"cairo_surface_destroy",
	"cairo_set_source_rgba",
	"cairo_set_font_size",
	"cairo_move_to",
	"cairo_line_to",
	"cairo_new_path",
	"cairo_show_text",
	"cairo_set_line_width",
	"cairo_set_line_cap",
	"cairo_set_line_join",
	"cairo_stroke",
	"cairo_arc",
	"cairo_fill",
	"cairo_fill_preserve",
	"cairo_rectangle",
	"cairo_save",
	"cairo_restore",
	"cairo_clip",
	"cairo_select_font_face",
	"cairo_svg_surface_create_for_stream",
	"cairo_pdf_surface_create_for_stream",
	"cairo_image_surface_create",
	"cairo_surface_write_to_png_stream",
	"cairo_surface_finish",
	"cairo_surface_status",
	"cairo_status",
	"cairo_text_extents",
	"cairo_close_path",
	"cairo_paint",
	"cairo_scale",
	"cairo_rotate",
};

int c4w_cairo_open(struct c4w_cairo *out, struct c4w_err *err)
{
	void *fns[sizeof names / sizeof *names];
	_Static_assert(sizeof fns == sizeof *out, "one name a member");
	C4W_TRY(c4w_dl_symbols(C4W_DL_CAIRO, names, fns, sizeof names / sizeof *names, err));
	memcpy(out, fns, sizeof fns);
	return C4W_OK;
}

/* ---- the pen ---- */

enum { PNG_SCALE = 2, LARGEST = 32767 };

static cairo_status_t write_out(void *closure, const unsigned char *data, unsigned length)
{
	struct c4w_pen *p = closure;

	if (p->failed == C4W_OK)
		p->failed = p->sink(p->ctx, data, length, p->err);
	return p->failed == C4W_OK ? CAIRO_STATUS_SUCCESS : CAIRO_STATUS_WRITE_ERROR;
}

int c4w_pen_page(struct c4w_pen *p, enum c4w_fig_format format, double width, double height, c4w_bytes_fn sink, void *ctx, struct c4w_err *err)
{
	p->format = format;
	p->sink = sink;
	p->ctx = ctx;
	p->err = err;
	p->failed = C4W_OK;
	if (format == C4W_FIG_PNG && (height * PNG_SCALE > LARGEST || width * PNG_SCALE > LARGEST))
		return c4w_fail(err, C4W_LIMIT, "the picture would have %.0f by %.0f points, beyond what a PNG of cairo can have; fewer panels, or PDF", width, height);
	p->surface = format == C4W_FIG_SVG ? p->k.svg_surface_create_for_stream(write_out, p, width, height) :
		     format == C4W_FIG_PDF ? p->k.pdf_surface_create_for_stream(write_out, p, width, height) :
					     p->k.image_surface_create(CAIRO_FORMAT_RGB24, (int)ceil(width) * PNG_SCALE, (int)ceil(height) * PNG_SCALE);
	p->cr = p->k.create(p->surface);
	if (format == C4W_FIG_PNG)
		p->k.scale(p->cr, PNG_SCALE, PNG_SCALE);
	c4w_pen_grey(p, 1);
	p->k.paint(p->cr);
	return C4W_OK;
}

int c4w_pen_end(struct c4w_pen *p)
{
	cairo_status_t status = p->k.status(p->cr);

	p->k.destroy(p->cr);
	if (status == CAIRO_STATUS_SUCCESS && p->format == C4W_FIG_PNG)
		status = p->k.surface_write_to_png_stream(p->surface, write_out, p);
	p->k.surface_finish(p->surface);
	if (status == CAIRO_STATUS_SUCCESS)
		status = p->k.surface_status(p->surface);
	p->k.surface_destroy(p->surface);
	if (p->failed != C4W_OK)
		return p->failed;
	if (status == CAIRO_STATUS_NO_MEMORY)
		return c4w_fail_memory(p->err, 0);
	return status == CAIRO_STATUS_SUCCESS ? C4W_OK : c4w_fail(p->err, C4W_IO, "cairo can't draw the figure (status %d)", (int)status);
}

void c4w_pen_ink(struct c4w_pen *p, struct c4w_rgb c, double alpha)
{
	p->k.set_source_rgba(p->cr, c.r / 255.0, c.g / 255.0, c.b / 255.0, alpha);
}

void c4w_pen_grey(struct c4w_pen *p, double light)
{
	p->k.set_source_rgba(p->cr, light, light, light, 1);
}

void c4w_pen_font(struct c4w_pen *p, double size, bool bold)
{
	p->k.select_font_face(p->cr, "sans-serif", CAIRO_FONT_SLANT_NORMAL, bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
	p->k.set_font_size(p->cr, size);
}

double c4w_pen_width(struct c4w_pen *p, const char *z)
{
	cairo_text_extents_t e;

	p->k.text_extents(p->cr, z, &e);
	return e.x_advance;
}

void c4w_pen_text(struct c4w_pen *p, double x, double y, double align, const char *z)
{
	p->k.move_to(p->cr, align > 0 ? x - align * c4w_pen_width(p, z) : x, y);
	p->k.show_text(p->cr, z);
}

void c4w_pen_line(struct c4w_pen *p, double x0, double y0, double x1, double y1)
{
	p->k.new_path(p->cr);
	p->k.move_to(p->cr, x0, y0);
	p->k.line_to(p->cr, x1, y1);
	p->k.stroke(p->cr);
}

void c4w_pen_disc(struct c4w_pen *p, double x, double y, double radius)
{
	p->k.new_path(p->cr);
	p->k.arc(p->cr, x, y, radius, 0, 6.283185307179586);
	p->k.fill(p->cr);
}

void c4w_pen_box(struct c4w_pen *p, double x, double y, double w, double h)
{
	p->k.new_path(p->cr);
	p->k.rectangle(p->cr, x, y, w, h);
	p->k.fill(p->cr);
}
