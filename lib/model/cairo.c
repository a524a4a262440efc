/* Looking up cairo's functions: names in the order of the struct. */
#include "model/cairo.h"
#include "base/dl.h"

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
	"cairo_rectangle",
	"cairo_save",
	"cairo_restore",
	"cairo_clip",
	"cairo_select_font_face",
	"cairo_svg_surface_create_for_stream",
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
