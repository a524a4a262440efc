/* Powers of ten for numbers.c: T = ceil(10^e / 2^(floor(log2(10^e)) - 127)), so 2^127 <= T < 2^128. Exact for 0 <= e <= 55. */
#ifndef C4W_BASE_POW10_H
#define C4W_BASE_POW10_H

#include <stdint.h>

enum { C4W_POW10_LOW = -342, C4W_POW10_HIGH = 324, C4W_POW10_EXACT = 55 };

extern const uint64_t c4w_pow10[C4W_POW10_HIGH - C4W_POW10_LOW + 1][2]; /* high, low */

/* floor(log2(10^e)), right for |e| <= 1233. */
static inline int c4w_log2_pow10(int e)
{
	return (int)((int64_t)e * 1741647 >> 19);
}

#endif
