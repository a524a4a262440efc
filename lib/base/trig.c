/* Sine and cosine of many doubles: reduction to [-pi/4, pi/4] by a multiple of pi/2 in three parts (Cody and Waite), then Taylor
 * polynomials, whose next terms are below 2^-53 there. No branch in the loop, so that it vectorises. See trig.h. */
#include "base/trig.h"
#include "base/cpu.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

/* pi/2 in three parts; the first two have 20 low bits zero, so that k times each is exact for |k| < 2^20. */
#define PIO2_1 0x1.921fb544p+0
#define PIO2_2 0x1.0b4611a6p-34
#define PIO2_3 0x1.3198a2e037073p-69
#define TWO_OVER_PI 0x1.45f306dc9c883p-1
#define ROUNDER 0x1.8p52 /* adding it leaves the nearest integer in the low bits */

static inline __attribute__((always_inline)) void kernel(const double *restrict x, size_t n, double *restrict sine, double *restrict cosine)
{
	size_t i;
	for (i = 0; i < n; i++) {
		union {
			double d;
			uint64_t u;
		} k, s, c;
		double q, r, z, ps, pc;
		uint64_t swap, bits;
		k.d = x[i] * TWO_OVER_PI + ROUNDER;
		q = k.d - ROUNDER;
		r = x[i] - q * PIO2_1;
		r = r - q * PIO2_2;
		r = r - q * PIO2_3;
		z = r * r;
		ps = z * (-1.0 / 6 + z * (1.0 / 120 + z * (-1.0 / 5040 + z * (1.0 / 362880 + z * (-1.0 / 39916800 + z * (1.0 / 6227020800 +
			  z * (-1.0 / 1307674368000)))))));
		pc = z * (-0.5 + z * (1.0 / 24 + z * (-1.0 / 720 + z * (1.0 / 40320 + z * (-1.0 / 3628800 + z * (1.0 / 479001600 +
			  z * (-1.0 / 87178291200 + z * (1.0 / 20922789888000))))))));
		s.d = r + r * ps;
		c.d = 1.0 + pc;
		/* Quadrants 1 and 3 exchange the two; 2 and 3 turn the sine's sign, 1 and 2 the cosine's. */
		swap = 0 - (k.u & 1);
		bits = (s.u ^ c.u) & swap;
		s.u ^= bits ^ (k.u & 2) << 62;
		c.u ^= bits ^ ((k.u + 1) & 2) << 62;
		sine[i] = s.d;
		cosine[i] = c.d;
	}
}

void c4w_sincos_portable(const double *x, size_t n, double *sine, double *cosine)
{
	kernel(x, n, sine, cosine);
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static void sincos_avx2(const double *x, size_t n, double *sine, double *cosine)
{
	kernel(x, n, sine, cosine);
}

static void pick(const double *x, size_t n, double *sine, double *cosine)
{
	if (c4w_cpu_has(C4W_CPU_AVX2 | C4W_CPU_FMA))
		sincos_avx2(x, n, sine, cosine);
	else
		kernel(x, n, sine, cosine);
}
#else
static void pick(const double *x, size_t n, double *sine, double *cosine)
{
	kernel(x, n, sine, cosine);
}
#endif

void c4w_sincos(const double *x, size_t n, double *sine, double *cosine)
{
	bool far = false;
	size_t i;
	pick(x, n, sine, cosine);
	for (i = 0; i < n; i++)
		far |= !(fabs(x[i]) <= C4W_SINCOS_MAX);
	for (i = 0; far && i < n; i++)
		if (!(fabs(x[i]) <= C4W_SINCOS_MAX)) {
			sine[i] = sin(x[i]);
			cosine[i] = cos(x[i]);
		}
}
