/* PASSAGE, the parts that know bytes: tensor blob, route CSV, metadata, and the checks over them (formats/passage.md).
 *
 * A scene is a tensor blob (one zstd frame of R x R x 3 float32), a metadata document and six routes; it lies in a generator
 * tree as files or in a Parquet shard as a row. Nothing in this header knows which: psg_tree.h and psg_shard.h bring the bytes.
 *
 * Findings leave through struct c4w_psg_sink, one call each. Functions return C4W_OK although they reported findings; another
 * class means that the work could not be done (memory, io). All structs belong to one thread at a time.
 */
#ifndef C4W_FAMILIES_PSG_H
#define C4W_FAMILIES_PSG_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "containers/yaml.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	C4W_PSG_R_MAX = 16384,
	C4W_PSG_SOLVERS = 3,
	C4W_PSG_VARIANTS = 2,
	C4W_PSG_ROUTES = 6, /* solver * 2 + variant */
	C4W_PSG_SPLITS = 4,
	C4W_PSG_NPY_HEADER = 128,
};

extern const char *const c4w_psg_solver[C4W_PSG_SOLVERS + 1];   /* "astar_elevation", ..., NULL */
extern const char *const c4w_psg_variant[C4W_PSG_VARIANTS + 1]; /* "free", "obstacles", NULL */
extern const char *const c4w_psg_split[C4W_PSG_SPLITS + 1];     /* "train", "calibration", "validation", "test", NULL */

/* Index of a name in one of these, or -1. */
int c4w_psg_word(const char *const *words, struct c4w_view text);

/* R * R * 12; R at most C4W_PSG_R_MAX. */
static inline size_t c4w_psg_bytes(uint32_t r)
{
	return (size_t)r * r * 12;
}

/* ---- rules ---- */

enum c4w_psg_level { C4W_PSG_ERROR, C4W_PSG_WARNING };


extern const struct c4w_rule c4w_psg_rules[];
enum c4w_psg_level c4w_psg_level(const char *rule); /* by section 8; other containers' rules are errors */

struct c4w_psg_sink {
	void (*report)(void *ctx, enum c4w_psg_level level, const char *path, const struct c4w_err *e);
	void *ctx;
	const char *path; /* the file the next findings are about */
};

/* A text as findings take it, raw: who prints one escapes it. Cut between characters when it does not fit; a NUL ends it. */
void c4w_psg_text(char *out, size_t size, struct c4w_view text);

/* Report with the rule's own level; a cell (row, column) is part of the message. */
void c4w_psg_report(struct c4w_psg_sink *s, const char *rule, const char *expected, const char *found, const char *fmt, ...)
	C4W_PRINTF(5, 6);
/* Report an error that a lower layer made (its rule may be another container's). Classes that say nothing about the file
 * (io, memory, cancelled) come back as the result; the others give C4W_OK. */
int c4w_psg_report_err(struct c4w_psg_sink *s, const struct c4w_err *e) C4W_MUST_CHECK;

/* ---- tensor blob (section 3) ---- */

struct c4w_psg_frame {
	int64_t content;   /* declared size, -1: none */
	uint32_t r;        /* of the content size, or as given; 0 while unknown */
	uint64_t capacity; /* the most that the frame's blocks can yield */
	uint64_t window;
	bool checksum;
	uint32_t header;   /* bytes of the frame header */
	uint64_t blocks;
};

/* Everything that can be known before anything is allocated: magic, header, content size, block structure, what stands after
 * the frame. r 0: taken from the content size. */
int c4w_psg_frame(const uint8_t *p, size_t n, uint32_t r, struct c4w_psg_frame *out, struct c4w_err *err) C4W_MUST_CHECK;

/* One an item in work: a decoder and the output buffer, which grows to the largest tensor or piece met. Zeroed storage is valid. */
struct c4w_psg_decoder {
	void *dctx;
	uint64_t window; /* that the dctx has been given, for frames that go through one */
	uint8_t *buf; /* room for an NPY header in front of the tensor or piece */
	size_t cap;
	struct c4w_psg_pieces {
		const uint8_t *in; /* the blob, borrowed */
		size_t n, at;
		uint32_t r;
		size_t given; /* bytes of the tensor that came out */
		size_t front; /* by so many the next piece is shorter than a step */
		bool whole, ended;
	} pieces;
	uint8_t *seen; /* bits of cells, for routes; all zero between calls */
	size_t seen_cap;
	struct c4w_psg_decoder *next; /* while it is idle */
};
void c4w_psg_decoder_clear(struct c4w_psg_decoder *d);

/* Decode a checked frame into the decoder's buffer, behind C4W_PSG_NPY_HEADER bytes of room. *raw stays valid until the next call. What comes out
 * or is refused is what c4w_psg_pieces gives and refuses. */
int c4w_psg_decode(struct c4w_psg_decoder *d, const uint8_t *p, size_t n, const struct c4w_psg_frame *f, uint8_t **raw,
		   struct c4w_err *err) C4W_MUST_CHECK;

/* The same frame a piece at a time, in order, for output that is written as it comes. A large tensor takes the memory of its frame's
 * window and of one piece (C4W_PSG_STEP); small ones, and those of a window above C4W_PSG_WINDOW, are one piece. The first piece is
 * `front` bytes shorter (at most C4W_PSG_NPY_HEADER): with so many in front of it, all writes but the last end at a multiple of the step.
 * `p` is borrowed until the last piece. */
int c4w_psg_pieces(struct c4w_psg_decoder *d, const uint8_t *p, size_t n, const struct c4w_psg_frame *f, size_t front, struct c4w_err *err)
	C4W_MUST_CHECK;
/* *piece stays valid until the next call and may be written over, as may C4W_PSG_NPY_HEADER bytes in front of it; *n is a multiple of 4,
 * and 0 when all is out. What is wrong with a frame may show only after pieces of it were given: the last one is given after the
 * frame has ended as it should. */
int c4w_psg_piece(struct c4w_psg_decoder *d, uint8_t **piece, size_t *n, struct c4w_err *err) C4W_MUST_CHECK;

/* The header numpy.save writes for (r, r, channels) float32; channels 0 means the shape (r, r). `out` has C4W_PSG_NPY_HEADER bytes. */
void c4w_psg_npy_header(uint8_t *out, uint32_t r, unsigned channels);

/* ---- what a tensor holds ---- */

struct c4w_psg_fault {
	uint64_t count;
	uint32_t row, column, channel; /* of the first */
	float value;
};

struct c4w_psg_scan {
	struct c4w_psg_fault not_finite, elevation, marker, obstacle;
	uint64_t background, starts, goals, obstacles; /* cells */
	uint32_t start[2], goal[2];                    /* the first of each */
};
/* One pass over the decoded tensor (checks 3 to 5 and 7). */
void c4w_psg_scan(const uint8_t *raw, uint32_t r, struct c4w_psg_scan *out);

struct c4w_psg_stats {
	double min, max, mean;
};
void c4w_psg_channel_stats(const uint8_t *raw, uint32_t r, struct c4w_psg_stats out[3]);

static inline float c4w_psg_at(const uint8_t *raw, uint32_t r, uint32_t row, uint32_t column, unsigned channel)
{
	const uint8_t *p = raw + (((size_t)row * r + column) * 3 + channel) * 4;
	uint32_t u = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
	float f;
	__builtin_memcpy(&f, &u, 4);
	return f;
}

/* ---- routes (section 5) ---- */

struct c4w_psg_route {
	const uint32_t *cells; /* row << 16 | column */
	size_t n;
	bool blank_end; /* one blank line at the end: worth a warning */
};
static inline uint32_t c4w_psg_row(uint32_t cell)
{
	return cell >> 16;
}
static inline uint32_t c4w_psg_column(uint32_t cell)
{
	return cell & 0xffff;
}

/* r 0: unknown, cells up to C4W_PSG_R_MAX - 1. An empty file is an empty route. */
int c4w_psg_csv(const uint8_t *p, size_t n, uint32_t r, struct c4w_arena *arena, struct c4w_psg_route *out, struct c4w_err *err)
	C4W_MUST_CHECK;

/* 30 m a step, 30 * sqrt(2) m a diagonal one. */
double c4w_psg_length(const struct c4w_psg_route *route);

/* How many cells of the route lie on obstacles; *first is the first. */
size_t c4w_psg_crossings(const uint8_t *raw, uint32_t r, const struct c4w_psg_route *route, uint32_t *first);

/* ---- metadata (section 4) ---- */

struct c4w_psg_meta_route {
	bool there, ok, exact, has_cost, has_length, cost_valid;
	double cost;
	int64_t length;
};

struct c4w_psg_meta {
	const struct c4w_yaml_node *root; /* NULL: no metadata */
	bool has_index, has_resolution, has_split, has_range, has_start, has_goal, has_tile, has_actual, has_target, has_crop;
	int64_t index, resolution;
	int split; /* -1: not one of the four */
	struct c4w_view split_text, version;
	double min, max;
	int64_t start[2], goal[2], tile[2];
	double top_left[2], bottom_right[2]; /* latitude, longitude */
	double ratio_actual, ratio_target;
	struct c4w_psg_meta_route routes[C4W_PSG_ROUTES];
};

/* Read the fields and report what is missing or of the wrong type (sections 4 and 8). `s` may be NULL. */
void c4w_psg_meta_read(const struct c4w_yaml_node *root, struct c4w_psg_sink *s, struct c4w_psg_meta *out);

/* ---- the checks of section 8 over parts ---- */

struct c4w_psg_scene {
	uint32_t r;              /* of the tensor or the directory; 0: unknown */
	int64_t dir_r, dir_index; /* what the directory and the file's name or the id say; -1: nothing */
	int dir_split;           /* -1: nothing */
	bool has_dir_tile;
	int64_t dir_tile[2];
	const uint8_t *raw;      /* decoded tensor or NULL */
	const struct c4w_psg_scan *scan;
	const struct c4w_psg_meta *meta;
	const struct c4w_psg_route *routes[C4W_PSG_ROUTES]; /* NULL: not read */
	const char *tensor_path, *meta_path, *route_path[C4W_PSG_ROUTES];
};

/* Checks 3 to 18 as far as the parts are there. `d` lends its bits of cells. */
int c4w_psg_check(const struct c4w_psg_scene *scene, struct c4w_psg_decoder *d, struct c4w_psg_sink *s, struct c4w_err *err)
	C4W_MUST_CHECK;

#endif
