/* Transforms of a core record (section 8). See chw_transform.h. */
#include "families/chw_transform.h"

#include "base/trig.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#define TWO_PI 6.283185307179586

void chw_relative_delay(const struct chw_paths *p, enum chw_reference ref, double *out)
{
	size_t l, i;
	for (i = 0; i < p->paths; i++)
		out[i] = (double)p->tau[i];
	if (ref == CHW_ABSOLUTE)
		return;
	for (l = 0; l < p->links; l++) {
		size_t a = (size_t)p->offsets[l], b = (size_t)p->offsets[l + 1];
		double first = INFINITY;
		for (i = a; i < b; i++)
			first = out[i] < first ? out[i] : first;
		for (i = a; i < b; i++)
			out[i] -= first;
	}
}

void chw_power_db(const struct chw_paths *p, double *out)
{
	size_t i;
	for (i = 0; i < p->paths; i++) {
		double re = (double)p->re[i], im = (double)p->im[i];
		out[i] = 10.0 * log10(re * re + im * im);
	}
}

void chw_delay_spread(const struct chw_paths *p, double *out)
{
	size_t l, i;
	for (l = 0; l < p->links; l++) {
		size_t a = (size_t)p->offsets[l], b = (size_t)p->offsets[l + 1];
		double total = 0, first = 0, second = 0, mean;
		for (i = a; i < b; i++) {
			double re = (double)p->re[i], im = (double)p->im[i], w = re * re + im * im;
			total += w;
			first += w * (double)p->tau[i];
		}
		mean = first / total;
		for (i = a; i < b; i++) {
			double re = (double)p->re[i], im = (double)p->im[i], w = re * re + im * im, d = (double)p->tau[i] - mean;
			second += w * d * d;
		}
		second /= total;
		/* 0/0 stays NaN: a link without power has no spread. */
		out[l] = second < 0 ? 0.0 : sqrt(second);
	}
}

enum { CHUNK = 256 };

void chw_baseband(const struct chw_paths *p, const double *delay, double *out)
{
	double phase[CHUNK], s[CHUNK], c[CHUNK];
	size_t at, i;
	for (at = 0; at < p->paths; at += CHUNK) {
		size_t n = p->paths - at < CHUNK ? p->paths - at : CHUNK;
		for (i = 0; i < n; i++) {
			/* The carrier makes tens of thousands of turns; only the fraction of one matters. */
			double cycles = p->carrier * delay[at + i];
			phase[i] = -TWO_PI * (cycles - floor(cycles));
		}
		c4w_sincos(phase, n, s, c);
		for (i = 0; i < n; i++) {
			double re = (double)p->re[at + i], im = (double)p->im[at + i];
			out[2 * (at + i)] = re * c[i] - im * s[i];
			out[2 * (at + i) + 1] = re * s[i] + im * c[i];
		}
	}
}

int chw_frequency_response(const struct chw_paths *p, const double *delay, const double *baseband, const double *offsets_hz, size_t n,
			   size_t lo, size_t hi, struct c4w_arena *arena, double *out, struct c4w_err *err)
{
	struct c4w_arena_mark mark = c4w_arena_mark(arena);
	double *phase, *s, *c, *sum_re, *sum_im;
	size_t l, i, k;
	void *mem;
	C4W_TRY(c4w_arena_zero(arena, 5 * n, sizeof(double), &mem, err));
	phase = mem;
	s = phase + n;
	c = s + n;
	sum_re = c + n;
	sum_im = sum_re + n;
	for (l = lo; l < hi; l++) {
		double *row = out + 2 * n * (l - lo);
		memset(sum_re, 0, 2 * n * sizeof(double));
		for (i = (size_t)p->offsets[l]; i < (size_t)p->offsets[l + 1]; i++) {
			double turn = -TWO_PI * delay[i], re = baseband[2 * i], im = baseband[2 * i + 1];
			for (k = 0; k < n; k++)
				phase[k] = turn * offsets_hz[k];
			c4w_sincos(phase, n, s, c);
			for (k = 0; k < n; k++) {
				sum_re[k] += re * c[k] - im * s[k];
				sum_im[k] += re * s[k] + im * c[k];
			}
		}
		for (k = 0; k < n; k++) {
			row[2 * k] = sum_re[k];
			row[2 * k + 1] = sum_im[k];
		}
	}
	c4w_arena_rewind(arena, mark);
	return C4W_OK;
}

int chw_pad(const int64_t *offsets, size_t spans, const void *values, size_t size, size_t width, const char *what, void *out, uint8_t *mask,
	    struct c4w_err *err)
{
	size_t i;
	memset(out, 0, spans * width * size);
	if (mask)
		memset(mask, 0, spans * width);
	for (i = 0; i < spans; i++) {
		size_t n = (size_t)(offsets[i + 1] - offsets[i]);
		if (n > width)
			return c4w_fail(err, C4W_UNSUPPORTED, "row %zu has %zu %s, more than the padded width %zu", i, n, what, width);
		memcpy((char *)out + i * width * size, (const char *)values + (size_t)offsets[i] * size, n * size);
		if (mask)
			memset(mask + i * width, 1, n);
	}
	return C4W_OK;
}
