/* A scene in other formats: NPY, raw float32, CSV, PFM, GeoJSON, and pictures (psg_picture.h). */
#ifndef C4W_FAMILIES_PSG_ENCODE_H
#define C4W_FAMILIES_PSG_ENCODE_H

#include "families/psg.h"
#include "model/canvas.h"

enum c4w_psg_format { C4W_PSG_NPY, C4W_PSG_RAW, C4W_PSG_CSV, C4W_PSG_PNG, C4W_PSG_PFM, C4W_PSG_GEOJSON };
extern const char *const c4w_psg_format_name[]; /* "npy", ..., NULL */
enum { C4W_PSG_ALL = 3 };

struct c4w_psg_encode {
	enum c4w_psg_format format;
	unsigned channel; /* 0 .. 2, or C4W_PSG_ALL */
	bool metres;      /* elevation as float64 metres (PFM: float32) */
	bool raw_elevation; /* PNG: 16-bit greyscale, 0 is the range's minimum */
	uint32_t scale, size; /* PNG: pixels a cell, or pixels a side of the map; 0: chosen */
	unsigned routes;  /* bits: which routes are drawn or written */
};

/* What this asks for beyond the tensor. GeoJSON needs no tensor. */
bool c4w_psg_encode_wants_tensor(const struct c4w_psg_encode *e);
bool c4w_psg_encode_wants_meta(const struct c4w_psg_encode *e);
bool c4w_psg_encode_wants_routes(const struct c4w_psg_encode *e);

/* NPY and raw are written as the tensor is decoded, the other formats need all of it. */
bool c4w_psg_encode_in_pieces(const struct c4w_psg_encode *e);

/* What NPY (with its header) and raw take. */
uint64_t c4w_psg_encode_size(const struct c4w_psg_encode *e, uint32_t r);

/* One piece of NPY or raw: n bytes of the tensor behind the first `at`, whole values, with C4W_PSG_NPY_HEADER bytes of room in front,
 * which are overwritten. The first one brings the header. The result is the piece itself or `buf`, which is emptied first. */
int c4w_psg_encode_piece(const struct c4w_psg_encode *e, const struct c4w_psg_scene *c, size_t at, uint8_t *piece, size_t n,
			 struct c4w_buf *buf, const void **out, size_t *out_n, struct c4w_err *err) C4W_MUST_CHECK;

/* Another format, into `buf`, which is emptied first. `c` has what was asked for; `name` is for titles. C4W_USAGE, here and for pieces, when
 * the format needs something that the scene does not say. */
int c4w_psg_encode(const struct c4w_psg_encode *e, const struct c4w_psg_scene *c, const char *name, struct c4w_buf *buf,
		   struct c4w_err *err) C4W_MUST_CHECK;

/* ---- pictures (psg_picture.c) ---- */

/* Shaded relief with obstacles, one cell a pixel or the mean of several, `side` pixels wide and high. */
int c4w_psg_relief(const struct c4w_psg_scene *c, uint32_t side, struct c4w_canvas *out, double range[2], struct c4w_err *err) C4W_MUST_CHECK;
/* The same with start, goal and routes drawn cell by cell: for terminals. */
int c4w_psg_sketch(const struct c4w_psg_scene *c, unsigned routes, uint32_t side, struct c4w_canvas *out, struct c4w_err *err) C4W_MUST_CHECK;
/* A PNG with title, scale, colour bar and legend. */
int c4w_psg_png(const struct c4w_psg_encode *e, const struct c4w_psg_scene *c, const char *name, struct c4w_buf *buf, struct c4w_err *err)
	C4W_MUST_CHECK;

extern const struct c4w_rgb c4w_psg_route_color[C4W_PSG_ROUTES];

#endif
