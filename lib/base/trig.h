/* Sine and cosine of many doubles at once.
 *
 * Each result is within 2^-51 (about 2 units in the last place of 1.0) of the true value for |x| <= C4W_SINCOS_MAX; beyond that, and for
 * values that are not finite, the C library's functions are used one by one. The kernel (AVX2 with FMA, or portable) is picked at run time.
 */
#ifndef C4W_BASE_TRIG_H
#define C4W_BASE_TRIG_H

#include <stddef.h>

#define C4W_SINCOS_MAX 1e6

void c4w_sincos(const double *x, size_t n, double *sine, double *cosine);

/* The portable kernel, for the test that compares the two. */
void c4w_sincos_portable(const double *x, size_t n, double *sine, double *cosine);

#endif
