/* Integers, floats and doubles out of text, correctly rounded.
 *
 * The first 19 significant digits w and a 128-bit power of ten give a lower and an upper bound of the value; when both round to the
 * same number that is the answer (the idea of Eisel and Lemire, with the bounds made explicit). Small cases are one exact
 * operation on doubles (Clinger). What is left, a text within 2^-60 of the middle between two numbers, is decided by comparing
 * whole integers.
 */
#include "base/numbers.h"

#include "base/pow10.h"

#include <string.h>

bool c4w_parse_u64(struct c4w_view text, uint64_t *out)
{
	uint64_t v = 0;
	size_t i;
	if (text.n == 0)
		return false;
	for (i = 0; i < text.n; i++) {
		unsigned d = (unsigned char)text.p[i] - (unsigned)'0';
		if (d > 9 || __builtin_mul_overflow(v, (uint64_t)10, &v) || __builtin_add_overflow(v, (uint64_t)d, &v))
			return false;
	}
	*out = v;
	return true;
}

bool c4w_parse_i64(struct c4w_view text, int64_t *out)
{
	bool minus = text.n && text.p[0] == '-';
	uint64_t v;
	if (!c4w_parse_u64((struct c4w_view){ text.p + minus, text.n - minus }, &v))
		return false;
	if (v > (uint64_t)INT64_MAX + minus)
		return false;
	*out = minus ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}

/* IEEE 754 binary formats: bits of the significand with the hidden one, exponent of the last bit of subnormals. */
struct format {
	unsigned bits;
	int least;
	uint64_t infinity;
};
static const struct format binary64 = { 53, -1074, UINT64_C(0x7FF0000000000000) };
static const struct format binary32 = { 24, -149, UINT64_C(0x7F800000) };

/* A text taken apart: digits (with at most one '.' among them), and what they mean. */
struct decimal {
	bool minus;
	const char *first, *end; /* from the first digit that is not 0 to behind the last digit; first == NULL for zero */
	uint64_t w;              /* the first 19 of them at most */
	int64_t exponent;        /* of the last digit in w */
	bool cut;                /* digits other than 0 follow those in w */
};

static bool digit(const char *p, const char *end)
{
	return p < end && *p >= '0' && *p <= '9';
}

static bool take_apart(struct c4w_view text, struct decimal *d)
{
	const int64_t far = 1000000000;
	const char *p = text.p, *end = p + text.n, *from;
	int64_t exponent = 0, behind = 0, given = 0;
	unsigned used = 0;
	bool point = false, minus = false;
	memset(d, 0, sizeof *d);
	if (p < end && *p == '-') {
		d->minus = true;
		p++;
	}
	if (!digit(p, end))
		return false;
	for (;; p++) {
		if (p < end && *p == '.' && !point) {
			point = true;
			if (!digit(p + 1, end))
				return false;
			continue;
		}
		if (!digit(p, end))
			break;
		behind += point;
		if (*p == '0' && !d->first)
			continue;
		if (!d->first)
			d->first = p;
		if (used < 19) {
			d->w = d->w * 10 + (unsigned)(*p - '0');
			used++;
			exponent = -behind;
		} else {
			d->cut |= *p != '0';
			exponent += !point;
		}
	}
	d->end = p;
	if (p < end && (*p | 32) == 'e') {
		p++;
		if (p < end && (*p == '+' || *p == '-'))
			minus = *p++ == '-';
		for (from = p; digit(p, end); p++)
			given = given < far ? given * 10 + (*p - '0') : given;
		if (p == from)
			return false;
	}
	d->exponent = exponent + (minus ? -given : given);
	return p == end;
}

/* A positive value, high:middle:low * 2^exponent and at least about 2^190 * 2^exponent. */
struct product {
	uint64_t high, middle, low;
	int exponent;
};

/* The value rounded to nearest, ties to even, as the bits of the format. All bits that are kept come from `high`. */
static uint64_t round_bits(const struct format *f, const struct product *p)
{
	int top = p->exponent + 191 - __builtin_clzll(p->high), last = top - (int)f->bits + 1, drop;
	uint64_t kept, half, below;
	if (last < f->least)
		last = f->least;
	drop = last - p->exponent - 128; /* bits of high that go; at least 9 */
	if (drop > 64)
		return 0;
	kept = drop < 64 ? p->high >> drop : 0;
	half = p->high >> (drop - 1) & 1;
	below = (p->high & ((UINT64_C(1) << (drop - 1)) - 1)) | p->middle | p->low;
	kept += half & (uint64_t)(below != 0 || (kept & 1));
	kept += (uint64_t)(last - f->least) << (f->bits - 1); /* the hidden bit, where set, makes the exponent one more */
	return kept < f->infinity ? kept : f->infinity;
}

/* ---- whole integers, for the texts that lie next to a middle ---- */

enum { LIMBS = 300, SIGNIFICANT = 800 }; /* a middle has at most 768 digits: one more that is not 0 decides */

struct big {
	uint32_t limb[LIMBS];
	unsigned n;
};

static void big_mul(struct big *b, uint32_t by, uint32_t add)
{
	uint64_t carry = add;
	unsigned i;
	for (i = 0; i < b->n; i++) {
		carry += (uint64_t)b->limb[i] * by;
		b->limb[i] = (uint32_t)carry;
		carry >>= 32;
	}
	if (carry && b->n < LIMBS)
		b->limb[b->n++] = (uint32_t)carry;
}

static void big_pow10(struct big *b, unsigned n)
{
	for (; n >= 9; n -= 9)
		big_mul(b, 1000000000, 0);
	for (; n; n--)
		big_mul(b, 10, 0);
}

static void big_shift(struct big *b, unsigned n)
{
	unsigned limbs = n / 32;
	if (b->n == 0)
		return;
	big_mul(b, UINT32_C(1) << n % 32, 0);
	if (b->n + limbs > LIMBS)
		limbs = LIMBS - b->n;
	memmove(b->limb + limbs, b->limb, b->n * sizeof b->limb[0]);
	memset(b->limb, 0, limbs * sizeof b->limb[0]);
	b->n += limbs;
}

static int big_cmp(const struct big *a, const struct big *b)
{
	unsigned i;
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	for (i = a->n; i-- > 0;)
		if (a->limb[i] != b->limb[i])
			return a->limb[i] < b->limb[i] ? -1 : 1;
	return 0;
}

/* The text lies between `bits` and its neighbour above: which one is nearer? */
static uint64_t decide(const struct format *f, const struct decimal *d, uint64_t bits)
{
	struct big text = { .n = 0 }, middle = { .n = 0 };
	uint64_t fraction = bits & ((UINT64_C(1) << (f->bits - 1)) - 1), biased = bits >> (f->bits - 1);
	uint64_t c = 2 * (biased ? fraction | UINT64_C(1) << (f->bits - 1) : fraction) + 1;
	int q = f->least + (int)(biased ? biased - 1 : 0) - 1, order;
	int64_t exponent = d->exponent;
	unsigned used = 0;
	const char *p;
	bool more = false;
	for (p = d->first; p < d->end; p++) {
		if (*p == '.')
			continue;
		if (used < SIGNIFICANT) {
			big_mul(&text, 10, (uint32_t)(*p - '0'));
			exponent -= used >= 19;
			used++;
		} else {
			more |= *p != '0';
		}
	}
	if (more) {
		big_mul(&text, 10, 1);
		exponent--;
	}
	middle.limb[0] = (uint32_t)c;
	middle.limb[1] = (uint32_t)(c >> 32);
	middle.n = middle.limb[1] ? 2 : 1;
	if (exponent >= 0)
		big_pow10(&text, (unsigned)exponent);
	else
		big_pow10(&middle, (unsigned)-exponent);
	if (q >= 0)
		big_shift(&middle, (unsigned)q);
	else
		big_shift(&text, (unsigned)-q);
	order = big_cmp(&text, &middle);
	return bits + (order > 0 || (order == 0 && (bits & 1)));
}

/* w * 10^e: a bound from below, or from above; both exact where the power is. */
static struct product scale(uint64_t w, int e, bool lower)
{
	const uint64_t *t = c4w_pow10[e - C4W_POW10_LOW];
	int zeros = __builtin_clzll(w);
	bool less = lower && (e < 0 || e > C4W_POW10_EXACT);
	unsigned __int128 a, b;
	struct product r;
	w <<= zeros;
	a = (unsigned __int128)w * t[1];
	b = (unsigned __int128)w * t[0] + (uint64_t)(a >> 64);
	if (less) /* the power is less than one unit too large */
		b -= (uint64_t)a < w;
	r.low = (uint64_t)a - (less ? w : 0);
	r.middle = (uint64_t)b;
	r.high = (uint64_t)(b >> 64);
	r.exponent = c4w_log2_pow10(e) - 127 - zeros;
	return r;
}

/* A positive value as the bits of the format. */
static uint64_t convert(const struct format *f, const struct decimal *d)
{
	struct product p;
	uint64_t lower, upper;
	int e;
	if (d->w == 0 || d->exponent < C4W_POW10_LOW)
		return 0; /* 10^19 * 10^-343 is below half of the least subnormal */
	if (d->exponent > 308)
		return f->infinity;
	e = (int)d->exponent;
	p = scale(d->w, e, true);
	lower = round_bits(f, &p);
	p = scale(d->w + d->cut, e, false);
	upper = round_bits(f, &p);
	return lower == upper ? lower : decide(f, d, lower);
}

static const double small_powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
				       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

bool c4w_parse_double(struct c4w_view text, double *out)
{
	struct decimal d;
	uint64_t bits;
	if (!take_apart(text, &d))
		return false;
	if (d.w < UINT64_C(1) << 53 && !d.cut && d.exponent >= -22 && d.exponent <= 22) {
		/* Both are exact doubles: one operation, rounded once. */
		double v = (double)d.w;
		v = d.exponent < 0 ? v / small_powers[-d.exponent] : v * small_powers[d.exponent];
		*out = d.minus ? -v : v;
		return true;
	}
	bits = convert(&binary64, &d) | (uint64_t)d.minus << 63;
	memcpy(out, &bits, sizeof bits);
	return true;
}

bool c4w_parse_float(struct c4w_view text, float *out)
{
	struct decimal d;
	uint32_t bits;
	if (!take_apart(text, &d))
		return false;
	bits = (uint32_t)convert(&binary32, &d) | (uint32_t)d.minus << 31;
	memcpy(out, &bits, sizeof bits);
	return true;
}
