/* The functions of cairo that pictures use, looked up at first use. */
#ifndef C4W_MODEL_CAIRO_H
#define C4W_MODEL_CAIRO_H

#include "base/err.h"

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
	__typeof__(&cairo_rectangle) rectangle;
	__typeof__(&cairo_save) save;
	__typeof__(&cairo_restore) restore;
	__typeof__(&cairo_clip) clip;
	__typeof__(&cairo_select_font_face) select_font_face;
	__typeof__(&cairo_svg_surface_create_for_stream) svg_surface_create_for_stream;
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

#endif
