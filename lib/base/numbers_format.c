/* Shortest decimal text of a float or double, by the method of Raffaello Giulietti, "The Schubfach way to render doubles" (2020).
 *
 * The values that round to v = c * 2^q form an interval around v. k is chosen so that 10^k is at most as wide as the interval and
 * 10^(k+1) is wider; then at most one multiple of 10^(k+1) lies in it, which is the shortest text if it exists, and
 * some multiple of 10^k does; of these the closest to v is taken. The interval's ends and v, divided by 10^k, are computed
 * to two binary places and "rounded to odd", which keeps all comparisons with integers and halves exact (section 9.4).
 */
#include "base/numbers.h"

#include "base/pow10.h"

#include <string.h>

struct shortest {
	uint64_t digits;
	int exponent; /* of the last digit */
};

/* g * x / 2^128, rounded to odd. */
static inline uint64_t times128(const uint64_t g[2], uint64_t x)
{
	unsigned __int128 low = (unsigned __int128)g[1] * x, high = (unsigned __int128)g[0] * x + (uint64_t)(low >> 64);
	return (uint64_t)(high >> 64) | ((uint64_t)high > 1);
}

/* The same with 64 bits of g, enough for float32 (section 10). */
static inline uint64_t times64(uint64_t g, uint64_t x)
{
	unsigned __int128 p = (unsigned __int128)g * x;
	return (uint64_t)(p >> 64) | ((uint64_t)p >> 32 > 1);
}

/* `c` * 2^`q` is not zero. `edge`: the neighbour below is half as far as the one above. */
static struct shortest shortest(uint64_t c, int q, bool edge, bool narrow)
{
	/* floor(log10(2^q)), or of 3/4 * 2^q; checked against exact arithmetic for all q of a double */
	int k = (int)(((int64_t)q * 1262611 - (edge ? 524031 : 0)) >> 22);
	int h = q + c4w_log2_pow10(-k) + 1;
	const uint64_t *g = c4w_pow10[-k - C4W_POW10_LOW];
	uint64_t below, at, above, lower, upper, s, odd = c & 1;
	uint64_t x = 4 * c - 2 + edge, y = 4 * c, z = 4 * c + 2;
	if (narrow) {
		uint64_t g64 = g[0] + (g[1] != 0);
		below = times64(g64, x << h);
		at = times64(g64, y << h);
		above = times64(g64, z << h);
	} else {
		below = times128(g, x << h);
		at = times128(g, y << h);
		above = times128(g, z << h);
	}
	/* An end of the interval itself rounds to v only when c is even. */
	lower = below + odd;
	upper = above - odd;
	s = at / 4;
	if (s >= 10) {
		uint64_t tens = s / 10;
		bool down = lower <= 40 * tens, up = 40 * tens + 40 <= upper;
		if (down != up)
			return (struct shortest){ tens + up, k + 1 };
	}
	{
		bool down = lower <= 4 * s, up = 4 * s + 4 <= upper;
		if (down != up)
			return (struct shortest){ s + up, k };
	}
	return (struct shortest){ s + (at > 4 * s + 2 || (at == 4 * s + 2 && (s & 1))), k };
}

static const char pairs[201] =
	"00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434445464748495051525354555657585960616263646566676869"
	"707172737475767778798081828384858687888990919293949596979899";

/* Digits of v, right-aligned, ending before `end`. Returns the first one. */
static char *put_digits(uint64_t v, char *end)
{
	while (v >= 100) {
		end -= 2;
		memcpy(end, pairs + v % 100 * 2, 2);
		v /= 100;
	}
	if (v >= 10) {
		end -= 2;
		memcpy(end, pairs + v * 2, 2);
	} else {
		*--end = (char)('0' + v);
	}
	return end;
}

/* `n` digits, the first of which stands for digit * 10^exponent, as Python's repr lays them out. */
static size_t lay_out(char *out, const char *digits, int n, int exponent)
{
	char *p = out;
	if (exponent >= 0 && exponent < 16) {
		int whole = exponent + 1;
		if (n <= whole) {
			memcpy(p, digits, (size_t)n);
			memset(p + n, '0', (size_t)(whole - n));
			p += whole;
			*p++ = '.';
			*p++ = '0';
		} else {
			memcpy(p, digits, (size_t)whole);
			p += whole;
			*p++ = '.';
			memcpy(p, digits + whole, (size_t)(n - whole));
			p += n - whole;
		}
	} else if (exponent < 0 && exponent >= -4) {
		memcpy(p, "0.000", 5);
		p += 1 - exponent;
		memcpy(p, digits, (size_t)n);
		p += n;
	} else {
		*p++ = digits[0];
		if (n > 1) {
			*p++ = '.';
			memcpy(p, digits + 1, (size_t)n - 1);
			p += n - 1;
		}
		*p++ = 'e';
		*p++ = exponent < 0 ? '-' : '+';
		exponent = exponent < 0 ? -exponent : exponent;
		if (exponent >= 100) {
			*p++ = (char)('0' + exponent / 100);
			exponent %= 100;
		}
		memcpy(p, pairs + exponent * 2, 2);
		p += 2;
	}
	*p = 0;
	return (size_t)(p - out);
}

static size_t put_word(char *out, const char *word)
{
	size_t n = strlen(word);
	memcpy(out, word, n + 1);
	return n;
}

/* The value is (1 + fraction / 2^bits) * 2^(biased - bias), IEEE 754; biased is below its maximum, or this is inf or nan. */
static size_t format(bool minus, uint64_t fraction, unsigned biased, unsigned bits, unsigned top, char *out)
{
	char room[24], *end = room + sizeof room, *first;
	const uint64_t hidden = UINT64_C(1) << bits;
	struct shortest s;
	uint64_t c;
	int q, n;
	if (biased == top)
		return put_word(out, fraction ? "nan" : minus ? "-inf" : "inf");
	out[0] = '-';
	if (biased == 0 && fraction == 0)
		return minus + put_word(out + minus, "0.0");
	c = biased ? fraction | hidden : fraction;
	q = (int)(biased ? biased : 1) - (int)(top / 2) - (int)bits;
	if (q <= 0 && q > -(int)bits && (c & ((UINT64_C(1) << -q) - 1)) == 0)
		s = (struct shortest){ c >> -q, 0 }; /* a small integer */
	else
		s = shortest(c, q, fraction == 0 && biased > 1, bits < 30);
	if (s.digits % 100000000 == 0) {
		s.digits /= 100000000;
		s.exponent += 8;
	}
	while (s.digits % 10 == 0) {
		s.digits /= 10;
		s.exponent++;
	}
	first = put_digits(s.digits, end);
	n = (int)(end - first);
	return minus + lay_out(out + minus, first, n, s.exponent + n - 1);
}

size_t c4w_format_double(double v, char *out)
{
	uint64_t u;
	memcpy(&u, &v, sizeof u);
	return format(u >> 63, u & ((UINT64_C(1) << 52) - 1), (unsigned)(u >> 52) & 2047, 52, 2047, out);
}

size_t c4w_format_float(float v, char *out)
{
	uint32_t u;
	memcpy(&u, &v, sizeof u);
	return format(u >> 31, u & ((UINT32_C(1) << 23) - 1), u >> 23 & 255, 23, 255, out);
}

size_t c4w_format_u64(uint64_t v, char *out)
{
	char room[24], *end = room + sizeof room, *first = put_digits(v, end);
	size_t n = (size_t)(end - first);
	memcpy(out, first, n);
	out[n] = 0;
	return n;
}

size_t c4w_format_i64(int64_t v, char *out)
{
	if (v >= 0)
		return c4w_format_u64((uint64_t)v, out);
	out[0] = '-';
	return 1 + c4w_format_u64(0 - (uint64_t)v, out + 1);
}
