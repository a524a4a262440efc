/* A raster of RGB pixels, and what every family's pictures need: colours, shapes, resizing, and drawing in a terminal.
 *
 * A canvas owns its pixels; clear accepts an empty one. Drawing outside is cut off. Nothing here is shared between threads.
 */
#ifndef C4W_MODEL_CANVAS_H
#define C4W_MODEL_CANVAS_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct c4w_rgb {
	uint8_t r, g, b;
};

struct c4w_canvas {
	uint32_t w, h;
	struct c4w_rgb *px; /* row by row from the top */
};

/* Black. At most 2^28 pixels (C4W_LIMIT). */
int c4w_canvas_init(struct c4w_canvas *c, uint32_t w, uint32_t h, struct c4w_err *err) C4W_MUST_CHECK;
void c4w_canvas_clear(struct c4w_canvas *c);

void c4w_canvas_fill(struct c4w_canvas *c, struct c4w_rgb color);
/* alpha 0 .. 1: how much of `color` */
void c4w_canvas_blend(struct c4w_canvas *c, int64_t x, int64_t y, struct c4w_rgb color, double alpha);
/* Filled circle and straight line with round ends, both with smooth edges; coordinates are of pixel corners. */
void c4w_canvas_disc(struct c4w_canvas *c, double x, double y, double radius, struct c4w_rgb color, double alpha);
void c4w_canvas_line(struct c4w_canvas *c, double x0, double y0, double x1, double y1, double width, struct c4w_rgb color);

/* Another size: the mean of what a pixel covers when shrinking, the nearest one when growing. `to` must be initialised. */
void c4w_canvas_resize(const struct c4w_canvas *from, struct c4w_canvas *to);

/* ---- colours ---- */

/* OKLab (B. Ottosson, 2020) lightness 0 .. 1, chroma, hue in degrees; out-of-gamut colours are cut. */
struct c4w_rgb c4w_rgb_oklch(double l, double c, double h);
struct c4w_rgb c4w_rgb_mix(struct c4w_rgb a, struct c4w_rgb b, double t); /* t 0: a */
/* A sequential map whose lightness rises evenly: dark blue, teal, green, yellow. For heat maps. */
struct c4w_rgb c4w_colormap_even(double t);
/* Heights: green lowlands, tan, brown, near-white summits; lightness rises evenly, leaving room for shading. */
struct c4w_rgb c4w_colormap_heights(double t);

/* ---- terminals ---- */

/* Each can more than the one before. */
enum c4w_term {
	C4W_TERM_PLAIN, /* ASCII */
	C4W_TERM_UTF8,  /* no colours */
	C4W_TERM_16,
	C4W_TERM_256,
	C4W_TERM_TRUE,
};

/* What a terminal can do, by TERM, COLORTERM and the locale's variables; `color`: whether colours are wanted. The values may be NULL. */
enum c4w_term c4w_term_kind(bool color, const char *term, const char *colorterm, const char *locale);

/* The canvas in character cells: two pixels a cell, one above the other, as half blocks in colour; below 256 colours one cell stands for two rows of
 * pixels, as a shade of ASCII. Lines end with a reset and a newline. */
void c4w_canvas_term(const struct c4w_canvas *c, enum c4w_term kind, struct c4w_buf *out);

/* The same with characters in some cells instead of pixels, upon the darker of the two; a later one wins. From 256 colours on. */
struct c4w_cell_text {
	uint32_t x, y;     /* cell */
	const char *glyph; /* one character, one cell wide; NUL-terminated, or `bytes` long */
	struct c4w_rgb color;
	unsigned bytes;
};
void c4w_canvas_cells(const struct c4w_canvas *c, enum c4w_term kind, const struct c4w_cell_text *texts, size_t n, struct c4w_buf *out);

#endif
