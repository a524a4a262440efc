/* Transforms of a core record's retained paths (channels4world.md, section 8). All in double.
 *
 * Pure functions over borrowed arrays: a view names the fields, `out` is the caller's. They describe the retained paths only. Thread-safe;
 * the ones that work link by link take a range of links, so that several threads may share a record.
 */
#ifndef C4W_FAMILIES_CHW_TRANSFORM_H
#define C4W_FAMILIES_CHW_TRANSFORM_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

struct chw_paths {
	size_t links, paths;
	const int64_t *offsets;   /* links + 1, sound: 0 first, never decreasing, `paths` last */
	const float *re, *im;     /* dimensionless passband coefficients */
	const float *tau;         /* seconds */
	double carrier;           /* Hz */
};

enum chw_reference {
	CHW_ABSOLUTE,       /* delays as they are */
	CHW_FIRST_RETAINED, /* minus the link's smallest delay (not its first path's) */
};

/* tau - reference, seconds, one a path. */
void chw_relative_delay(const struct chw_paths *p, enum chw_reference ref, double *out);

/* 10 log10(re^2 + im^2), dB, one a path; -inf for zero. */
void chw_power_db(const struct chw_paths *p, double *out);

/* Power-weighted RMS delay spread, seconds, one a link; NaN for a link without power. */
void chw_delay_spread(const struct chw_paths *p, double *out);

/* a exp(-2 pi j frac(fc d)), d the relative delay of each path: pairs (re, im), one a path. */
void chw_baseband(const struct chw_paths *p, const double *delay, double *out);

/* H[l, k] = sum over the link's paths of baseband exp(-2 pi j d off_k): pairs, (hi - lo) x n, for links [lo, hi). `baseband` is what
 * chw_baseband gave. Scratch comes from the arena and is given back. */
int chw_frequency_response(const struct chw_paths *p, const double *delay, const double *baseband, const double *offsets_hz, size_t n,
			   size_t lo, size_t hi, struct c4w_arena *arena, double *out, struct c4w_err *err) C4W_MUST_CHECK;

/* A field of `size` bytes a row spread to `width` rows a span: out holds spans * width * size bytes and is zeroed here; mask (spans * width
 * bytes, 1 where there is a value) may be NULL. A span longer than width is C4W_UNSUPPORTED: nothing is cut. `what` names the values in the message. */
int chw_pad(const int64_t *offsets, size_t spans, const void *values, size_t size, size_t width, const char *what, void *out, uint8_t *mask,
	    struct c4w_err *err) C4W_MUST_CHECK;

#endif
