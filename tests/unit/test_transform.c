/* Transforms of a core record: sincos against long double, and each transform against its definition in long double. */
#include "base/trig.h"
#include "families/chw_transform.h"
#include "tap.h"

#include <math.h>

static uint64_t seed = 88172645463325252ULL;

static double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (double)(seed >> 11) * 0x1p-53;
}

static void sincos_range(double scale, size_t n)
{
	double x[1000], s[1000], c[1000], sp[1000], cp[1000], worst = 0, twins = 0;
	size_t i;
	for (i = 0; i < n; i++)
		x[i] = (uniform() * 2 - 1) * scale;
	x[0] = 0;
	x[1] = -0.0;
	x[2] = scale;
	c4w_sincos(x, n, s, c);
	c4w_sincos_portable(x, n, sp, cp);
	for (i = 0; i < n; i++) {
		double es = (double)fabsl(sinl((long double)x[i]) - s[i]), ec = (double)fabsl(cosl((long double)x[i]) - c[i]);
		worst = es > worst ? es : worst;
		worst = ec > worst ? ec : worst;
		if (fabs(x[i]) <= C4W_SINCOS_MAX) {
			es = fabs(s[i] - sp[i]);
			ec = fabs(c[i] - cp[i]);
			twins = es > twins ? es : twins;
			twins = ec > twins ? ec : twins;
		}
	}
	ok(worst <= 0x1p-51, "scale %g: off by %g", scale, worst);
	ok(twins <= 0x1p-51, "scale %g: the kernels differ by %g", scale, twins);
	ok(s[0] == 0 && c[0] == 1, "of zero");
}

static void test_sincos(void)
{
	double bad[3] = { INFINITY, NAN, 1e300 }, s[3], c[3];
	sincos_range(0.7, 1000);
	sincos_range(7, 1000);
	sincos_range(7e3, 1000);
	sincos_range(1e6, 1000);
	sincos_range(1e9, 1000);
	sincos_range(1, 5);
	c4w_sincos(bad, 3, s, c);
	ok(isnan(s[0]) && isnan(c[0]) && isnan(s[1]), "not finite");
	ok(s[2] == sin(1e300) && c[2] == cos(1e300), "far away");
}

enum { LINKS = 40, PATHS = 300, NOFF = 7 };

static int64_t offsets[LINKS + 1];
static float re[PATHS], im[PATHS], tau[PATHS];
static struct chw_paths paths;

static void fill(void)
{
	size_t i;
	for (i = 0; i < LINKS; i++)
		offsets[i + 1] = offsets[i] + (int64_t)(uniform() * 8) * (i != 5);
	for (i = 0; i < PATHS; i++) {
		re[i] = (float)((uniform() - 0.5) * 1e-4);
		im[i] = (float)((uniform() - 0.5) * 1e-4);
		tau[i] = (float)(uniform() * 3e-6);
	}
	paths = (struct chw_paths){ LINKS, (size_t)offsets[LINKS], offsets, re, im, tau, 28e9 };
}

static bool near(double got, long double want, long double scale)
{
	return fabsl(got - want) <= 1e-12L * scale;
}

static void test_definitions(void)
{
	static double delay[PATHS], power[PATHS], base[2 * PATHS], spread[LINKS], h[LINKS * NOFF * 2];
	static const double off[NOFF] = { -1e8, -1e6, 0, 1, 12345.678, 1e6, 4e8 };
	struct c4w_arena arena = { 0 };
	struct c4w_err err;
	int bad_base = 0, bad_h = 0, bad_power = 0, bad_spread = 0, first;
	size_t i, l, k;
	for (first = 0; first < 2; first++) {
		chw_relative_delay(&paths, first ? CHW_FIRST_RETAINED : CHW_ABSOLUTE, delay);
		chw_baseband(&paths, delay, base);
		is_int(chw_frequency_response(&paths, delay, base, off, NOFF, 3, LINKS, &arena, h, &err), C4W_OK);
		for (l = 3; l < LINKS; l++)
			for (k = 0; k < NOFF; k++) {
				long double hr = 0, hi = 0, scale = 0, ref = 0;
				for (i = (size_t)offsets[l]; first && i < (size_t)offsets[l + 1]; i++)
					ref = i == (size_t)offsets[l] || tau[i] < ref ? tau[i] : ref;
				for (i = (size_t)offsets[l]; i < (size_t)offsets[l + 1]; i++) {
					/* The reference forms the carrier's cycles in double; that rounding is part of the definition. */
					double d = (double)tau[i] - (double)ref, cycles = 28e9 * d;
					long double p = -2 * M_PIl * ((long double)(cycles - floor(cycles)) + (long double)d * off[k]);
					long double a = re[i], b = im[i];
					hr += a * cosl(p) - b * sinl(p);
					hi += a * sinl(p) + b * cosl(p);
					scale += sqrtl(a * a + b * b);
					if (k == 2) {
						bad_base += !near(base[2 * i], a * cosl(p) - b * sinl(p), sqrtl(a * a + b * b));
						bad_base += !near(base[2 * i + 1], a * sinl(p) + b * cosl(p), sqrtl(a * a + b * b));
					}
				}
				bad_h += !near(h[((l - 3) * NOFF + k) * 2], hr, scale) || !near(h[((l - 3) * NOFF + k) * 2 + 1], hi, scale);
			}
	}
	is_int(bad_base, 0);
	is_int(bad_h, 0);
	chw_power_db(&paths, power);
	chw_delay_spread(&paths, spread);
	for (l = 0; l < LINKS; l++) {
		long double w = 0, m = 0, v = 0;
		for (i = (size_t)offsets[l]; i < (size_t)offsets[l + 1]; i++) {
			long double x = (long double)re[i] * re[i] + (long double)im[i] * im[i];
			bad_power += !near(power[i], 10 * log10l(x), 100);
			w += x;
			m += x * tau[i];
		}
		for (i = (size_t)offsets[l]; i < (size_t)offsets[l + 1]; i++) {
			long double x = (long double)re[i] * re[i] + (long double)im[i] * im[i], d = tau[i] - m / w;
			v += x * d * d;
		}
		bad_spread += w > 0 ? !near(spread[l], sqrtl(v / w), 3e-6L) : !isnan(spread[l]);
	}
	is_int(bad_power, 0);
	is_int(bad_spread, 0);
	ok(isnan(spread[5]), "an empty link has no spread");
	c4w_arena_clear(&arena);
}

static void test_zero_power(void)
{
	static const int64_t off[2] = { 0, 1 };
	static const float zero[1] = { 0 }, t[1] = { 1e-7F };
	struct chw_paths p = { 1, 1, off, zero, zero, t, 3.5e9 };
	double power, spread;
	chw_power_db(&p, &power);
	chw_delay_spread(&p, &spread);
	ok(isinf(power) && power < 0, "no power is -inf dB");
	ok(isnan(spread), "and no spread");
}

static void test_pad(void)
{
	static const int64_t off[4] = { 0, 2, 2, 5 };
	static const uint16_t v[5] = { 1, 2, 3, 4, 5 };
	uint16_t out[9];
	uint8_t mask[9];
	struct c4w_err err;
	static const uint16_t want[9] = { 1, 2, 0, 0, 0, 0, 3, 4, 5 };
	static const uint8_t want_mask[9] = { 1, 1, 0, 0, 0, 0, 1, 1, 1 };
	is_int(chw_pad(off, 3, v, 2, 3, "paths", out, mask, &err), C4W_OK);
	ok(memcmp(out, want, sizeof want) == 0 && memcmp(mask, want_mask, 9) == 0, "values and mask");
	is_int(chw_pad(off, 3, v, 2, 2, "paths", out, NULL, &err), C4W_UNSUPPORTED);
	is_str(err.message, "row 2 has 3 paths, more than the padded width 2");
}

int main(void)
{
	fill();
	RUN(test_sincos);
	RUN(test_definitions);
	RUN(test_zero_power);
	RUN(test_pad);
	return done();
}
