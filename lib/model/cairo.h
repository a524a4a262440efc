/* The functions of cairo that pictures use, looked up at first use; and a pen: a page into a sink, with the few strokes that all pictures
 * are made of. */
#ifndef C4W_MODEL_CAIRO_H
#define C4W_MODEL_CAIRO_H

#include "containers/fault.h" /* c4w_bytes_fn */
#include "model/canvas.h"
#include "model/figure.h" /* c4w_fig_format */

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>

struct c4w_cairo {
	__typeof__(&cairo_image_surface_create_for_data) image_surface_create_for_data;
	__typeof__(&cairo_create) create;
	__typeof__(&cairo_destroy) destroy;
	__typeof__(&cairo_surface_flush) surface_flush;
	__typeof__(&cairo_surface_destroy) surface_destroy;
	__typeof__(&cairo_set_source_rgba) set_source_rgba;
	__typeof__(&cairo_set_font_size) set_font_size;
	__typeof__(&cairo_move_to) move_to;
	__typeof__(&cairo_line_to) line_to;
	__typeof__(&cairo_new_path) new_path;
	__typeof__(&cairo_show_text) show_text;
	__typeof__(&cairo_set_line_width) set_line_width;
	__typeof__(&cairo_set_line_cap) set_line_cap;
	__typeof__(&cairo_set_line_join) set_line_join;
	__typeof__(&cairo_stroke) stroke;
	__typeof__(&cairo_arc) arc;
	__typeof__(&cairo_fill) fill;
	__typeof__(&cairo_fill_preserve) fill_preserve;
	__typeof__(&cairo_rectangle) rectangle;
	__typeof__(&cairo_save) save;
	__typeof__(&cairo_restore) restore;
	__typeof__(&cairo_clip) clip;
	__typeof__(&cairo_select_font_face) select_font_face;
	__typeof__(&cairo_svg_surface_create_for_stream) svg_surface_create_for_stream;
	__typeof__(&cairo_pdf_surface_create_for_stream) pdf_surface_create_for_stream;
	__typeof__(&cairo_image_surface_create) image_surface_create;
	__typeof__(&cairo_surface_write_to_png_stream) surface_write_to_png_stream;
	__typeof__(&cairo_surface_finish) surface_finish;
	__typeof__(&cairo_surface_status) surface_status;
	__typeof__(&cairo_status) status;
	__typeof__(&cairo_text_extents) text_extents;
	__typeof__(&cairo_close_path) close_path;
	__typeof__(&cairo_paint) paint;
	__typeof__(&cairo_scale) scale;
	__typeof__(&cairo_rotate) rotate;
};

/* C4W_UNSUPPORTED, naming the Debian package, when cairo is not there. */
int c4w_cairo_open(struct c4w_cairo *out, struct c4w_err *err) C4W_MUST_CHECK;

/* ---- a pen ---- */

struct c4w_pen {
	struct c4w_cairo k;
	cairo_t *cr;
	/* of a page */
	cairo_surface_t *surface;
	enum c4w_fig_format format;
	c4w_bytes_fn sink;
	void *ctx;
	struct c4w_err *err;
	int failed; /* of the sink */
};

/* Begin a white page of width x height points, a PNG's with two pixels a point. Of the pen, k must be open. Nothing is owned on failure. */
int c4w_pen_page(struct c4w_pen *p, enum c4w_fig_format format, double width, double height, c4w_bytes_fn sink, void *ctx, struct c4w_err *err) C4W_MUST_CHECK;
/* Write it. A failing sink's class is the result. */
int c4w_pen_end(struct c4w_pen *p) C4W_MUST_CHECK;

/* These need k and cr alone. */
void c4w_pen_ink(struct c4w_pen *p, struct c4w_rgb c, double alpha);
void c4w_pen_grey(struct c4w_pen *p, double light); /* 0: black */
void c4w_pen_font(struct c4w_pen *p, double size, bool bold);
double c4w_pen_width(struct c4w_pen *p, const char *z);
/* x is where the text begins (align 0), its middle (0.5) or where it ends (1). */
void c4w_pen_text(struct c4w_pen *p, double x, double y, double align, const char *z);
void c4w_pen_line(struct c4w_pen *p, double x0, double y0, double x1, double y1);
void c4w_pen_disc(struct c4w_pen *p, double x, double y, double radius);
void c4w_pen_box(struct c4w_pen *p, double x, double y, double w, double h); /* filled */

#endif
