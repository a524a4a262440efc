/* Numbers as text: against the C library (locale "C") as judge, on hard published cases and on many random ones. */
#include "base/numbers.h"

#include "tap.h"

#include <float.h>
#include <math.h>
#include <time.h>

static uint64_t state = 88172645463325252ULL;

static uint64_t rnd(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545F4914F6CDD1DULL;
}

static void test_integers(void)
{
	static const struct {
		const char *text;
		bool good;
		int64_t v;
	} cases[] = {
		{ "0", true, 0 }, { "-0", true, 0 }, { "007", true, 7 }, { "9223372036854775807", true, INT64_MAX },
		{ "-9223372036854775808", true, INT64_MIN }, { "9223372036854775808", false, 0 }, { "-9223372036854775809", false, 0 },
		{ "", false, 0 }, { "-", false, 0 }, { "+1", false, 0 }, { " 1", false, 0 }, { "1 ", false, 0 }, { "1.0", false, 0 },
		{ "1e3", false, 0 }, { "--1", false, 0 }, { "99999999999999999999999999", false, 0 }, { "0x1", false, 0 },
	};
	size_t i;
	uint64_t u;
	char t[C4W_NUMBER_TEXT];
	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		int64_t v = 99;
		bool good = c4w_parse_i64(c4w_view_z(cases[i].text), &v);
		ok(good == cases[i].good && v == (good ? cases[i].v : 99), "\"%s\"", cases[i].text);
	}
	ok(c4w_parse_u64(C4W_VIEW("18446744073709551615"), &u) && u == UINT64_MAX, "max");
	ok(!c4w_parse_u64(C4W_VIEW("18446744073709551616"), &u), "one too many");
	ok(!c4w_parse_u64(C4W_VIEW("-1"), &u), "negative");
	is_int(c4w_format_i64(INT64_MIN, t), 20);
	is_str(t, "-9223372036854775808");
	is_int(c4w_format_u64(UINT64_MAX, t), 20);
	is_str(t, "18446744073709551615");
	c4w_format_u64(0, t);
	is_str(t, "0");
	for (i = 0; i < 2000; i++) {
		int64_t v = (int64_t)rnd() >> (rnd() & 63), back;
		char want[32];
		snprintf(want, sizeof want, "%lld", (long long)v);
		c4w_format_i64(v, t);
		ok(strcmp(t, want) == 0 && c4w_parse_i64(c4w_view_z(t), &back) && back == v, "%s, %s", t, want);
	}
}

static void test_layout(void)
{
	static const struct {
		double v;
		const char *text;
	} cases[] = { /* as Python's repr writes them */
		{ 0.0, "0.0" }, { -0.0, "-0.0" }, { 1.0, "1.0" }, { -1.5, "-1.5" }, { 0.1, "0.1" }, { 0.0001, "0.0001" }, { 0.00012345, "0.00012345" },
		{ 0.00001, "1e-05" }, { 1e-9, "1e-09" }, { 1.5e-9, "1.5e-09" }, { 1e15, "1000000000000000.0" }, { 1e16, "1e+16" },
		{ 123456789012345680.0, "1.2345678901234568e+17" }, { 1e22, "1e+22" }, { 1e23, "1e+23" }, { 9007199254740993.0, "9007199254740992.0" },
		{ 5e-324, "5e-324" }, { 2.2250738585072014e-308, "2.2250738585072014e-308" }, { DBL_MAX, "1.7976931348623157e+308" },
		{ 0.3, "0.3" }, { 2.0 / 3.0, "0.6666666666666666" }, { 100.0, "100.0" }, { 1234.5678, "1234.5678" }, { 3.5e9, "3500000000.0" },
		{ 9.5367431640625e-07, "9.5367431640625e-07" }, { 4.35, "4.35" }, { 1e100, "1e+100" }, { 1e-100, "1e-100" },
		{ 2e-323, "2e-323" }, { 9999999999999998.0, "9999999999999998.0" }, { 17976931348623158.0, "1.7976931348623158e+16" },
		{ (double)INFINITY, "inf" }, { -(double)INFINITY, "-inf" }, { (double)NAN, "nan" }, { 2.98023223876953125e-8, "2.9802322387695312e-08" },
	};
	static const struct {
		float v;
		const char *text;
	} narrow[] = {
		{ 0.1F, "0.1" }, { 16777216.0F, "16777216.0" }, { 3.4028235e38F, "3.4028235e+38" }, { 1e-45F, "1e-45" }, { 0.3F, "0.3" },
		{ 1.17549435e-38F, "1.1754944e-38" }, { 1.0F, "1.0" }, { -0.0F, "-0.0" }, { 33554432.0F, "33554432.0" }, { 8.5899346e9F, "8589935000.0" },
		{ 1e16F, "1e+16" }, { 7.0385307e-26F, "7.038531e-26" }, { 3.14159274F, "3.1415927" },
	};
	char t[C4W_NUMBER_TEXT];
	size_t i;
	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		size_t n = c4w_format_double(cases[i].v, t);
		is_str(t, cases[i].text);
		is_int(n, strlen(t));
	}
	for (i = 0; i < sizeof narrow / sizeof narrow[0]; i++) {
		c4w_format_float(narrow[i].v, t);
		is_str(t, narrow[i].text);
	}
}

/* The digits of a text without sign, point and exponent, and without zeros at either end. */
static size_t significant(const char *t)
{
	size_t n = 0, zeros = 0;
	for (; *t && *t != 'e'; t++) {
		if (*t < '0' || *t > '9' || (*t == '0' && n == 0))
			continue;
		n++;
		zeros = *t == '0' ? zeros + 1 : 0;
	}
	return n - zeros;
}

/* Shortest: no text with one digit less reads back. Closest: the C library's text of that many digits, where it reads back, is
 * the same number of digits and the same text up to layout. */
static void check_double(double v)
{
	char t[C4W_NUMBER_TEXT], want[40], less[40], same[40];
	double back = 0, judge;
	size_t n;
	c4w_format_double(v, t);
	judge = strtod(t, NULL);
	ok(c4w_parse_double(c4w_view_z(t), &back) && memcmp(&back, &judge, 8) == 0, "%s read as %.17g", t, back);
	n = significant(t);
	ok(memcmp(&judge, &v, 8) == 0 && n <= 17, "%.17g written %s", v, t);
	if (n > 1) {
		snprintf(less, sizeof less, "%.*e", (int)n - 2, v);
		ok(strtod(less, NULL) != v, "%.17g written %s, but %s is shorter", v, t, less);
	}
	snprintf(want, sizeof want, "%.*e", n ? (int)n - 1 : 0, v);
	snprintf(same, sizeof same, "%.*e", n ? (int)n - 1 : 0, judge);
	ok(strtod(want, NULL) != v || strcmp(want, same) == 0, "%.17g written %s, but %s is closer", v, t, want);
}

static void test_random_doubles(void)
{
	int i;
	for (i = 0; i < 300000; i++) {
		uint64_t u = rnd();
		double v;
		memcpy(&v, &u, 8);
		if (!isfinite(v) || v == 0)
			continue;
		check_double(v);
		if (i % 8 == 0) {
			check_double((double)(int64_t)(rnd() >> (11 + rnd() % 50)) / 1000.0);
			u &= (UINT64_C(1) << 52) - 1; /* subnormal */
			memcpy(&v, &u, 8);
			check_double(v);
			u = rnd() & UINT64_C(0x7FF) << 52; /* a power of two: the neighbour below is nearer */
			memcpy(&v, &u, 8);
			if (isfinite(v) && v > 0)
				check_double(v);
		}
	}
}

static void test_random_floats(void)
{
	char t[C4W_NUMBER_TEXT], less[40];
	int i;
	for (i = 0; i < 300000; i++) {
		uint32_t u = (uint32_t)rnd();
		float v, back = 0;
		size_t n;
		if (i % 16 == 0)
			u &= 0xFF800000U;
		memcpy(&v, &u, 4);
		if (!isfinite(v) || v == 0)
			continue;
		c4w_format_float(v, t);
		n = significant(t);
		ok(c4w_parse_float(c4w_view_z(t), &back) && memcmp(&back, &v, 4) == 0 && strtof(t, NULL) == v && n <= 9, "%.9g written %s", (double)v, t);
		if (n > 1) {
			snprintf(less, sizeof less, "%.*e", (int)n - 2, (double)v);
			ok(strtof(less, NULL) != v, "%.9g written %s, but %s is shorter", (double)v, t, less);
		}
	}
}

static void check_parse(const char *text)
{
	double got = 0, want = strtod(text, NULL);
	float got32 = 0, want32 = strtof(text, NULL);
	ok(c4w_parse_double(c4w_view_z(text), &got) && memcmp(&got, &want, 8) == 0, "%.40s: %.17g, want %.17g", text, got, want);
	ok(c4w_parse_float(c4w_view_z(text), &got32) && memcmp(&got32, &want32, 4) == 0, "%.40s: %.9g, want %.9g", text, (double)got32, (double)want32);
}

static void test_hard_parses(void)
{
	static const char *const texts[] = {
		"0", "-0", "0.0e99999999999999999999", "1e-99999999999999999999", "1e99999999999999999999", "-1e400", "1e308", "1.7976931348623158e308",
		"1.7976931348623159e308", "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880",
		"179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042879",
		"2.2250738585072011e-308", "2.2250738585072012e-308", "2.4703282292062327208e-324", "2.4703282292062328e-324", "4.9e-324", "5e-324", "2.5e-324",
		"9007199254740993", "9007199254740992.5", "9007199254740993.00000000000000000000000000001", "9007199254740992.99999999999999999999999",
		"1152921504606846977", "8.5", "0.1", "0.3", "1.00000005960464477539062500", "1.00000005960464477539062501", "1.00000005960464477539062499",
		"16777217", "16777219.0", "3.4028235677973366e38", "3.4028235677973367e38", "7.0064923216240853e-46", "7.006492321624085e-46", "1e-46",
		"123456789012345678901234567890", "0.000000000000000000000000000000000000000000000000000000000000000000000000000000000000001",
		"6.631236846766476e-316", "3.2378839133029012895883524125015321748630094239530e-319", "1e23", "8.442911973260991817e-309",
		"1.8446744073709551615e19", "0.99999999999999994448884876874217297881841659545898437500", "0.99999999999999994448884876874217297881841659545898437501",
	};
	static const char *const bad[] = { "", "-", ".5", "5.", "1e", "1e+", "+1", " 1", "1 ", "1.2.3", "nan", "inf", "0x10", "1,5", "1e5.0", "--1", "1..2", "1_0" };
	size_t i;
	double d;
	for (i = 0; i < sizeof texts / sizeof texts[0]; i++)
		check_parse(texts[i]);
	for (i = 0; i < sizeof bad / sizeof bad[0]; i++)
		ok(!c4w_parse_double(c4w_view_z(bad[i]), &d), "\"%s\" was accepted", bad[i]);
}

/* Texts in the exact middle of two doubles, and a little beside it. */
static void test_middles(void)
{
	int i;
	for (i = 0; i < 3000; i++) {
		static char text[1600];
		uint64_t u = rnd();
		double v, next;
		size_t n;
		if (i % 3 == 0)
			u = (u & UINT64_C(0x000FFFFFFFFFFFFF)) | (1023 + rnd() % 60) << 52;
		else if (i % 3 == 1)
			u &= UINT64_C(0x001FFFFFFFFFFFFF);
		memcpy(&v, &u, 8);
		v = fabs(v);
		if (!isfinite(v) || v > 1e300)
			continue;
		next = nextafter(v, (double)INFINITY);
		{
			/* 64 significant bits hold the middle of doubles; the C library prints it exactly. */
			long double middle = ((long double)v + (long double)next) / 2;
			snprintf(text, sizeof text, "%.1100Lf", middle);
		}
		check_parse(text);
		n = strlen(text);
		text[n] = '1';
		text[n + 1] = 0;
		check_parse(text);
		text[n] = 0;
		while (n && (text[n - 1] == '0' || text[n - 1] == '.'))
			n--;
		text[n] = 0;
		check_parse(n ? text : "0");
		if (n && text[n - 1] > '0' && strchr(text, '.')) {
			text[n - 1]--;
			text[n] = '9';
			text[n + 1] = 0;
			check_parse(text);
		}
	}
}

static void test_random_texts(void)
{
	int i;
	for (i = 0; i < 100000; i++) {
		char text[80];
		int digits = 1 + (int)(rnd() % 25), k, n = 0, point = (int)(rnd() % 26);
		for (k = 0; k < digits; k++) {
			text[n++] = (char)('0' + rnd() % 10);
			if (k == point && k + 1 < digits)
				text[n++] = '.';
		}
		if (rnd() % 2)
			n += snprintf(text + n, 10, "e%d", (int)(rnd() % 700) - 360);
		text[n] = 0;
		check_parse(text);
	}
}

static double cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void bench(void)
{
	enum { N = 2000000 };
	char (*texts)[C4W_NUMBER_TEXT] = malloc((size_t)N * C4W_NUMBER_TEXT);
	int kind, i;
	for (kind = 0; kind < 3; kind++) {
		double t = cpu(), sum = 0, v;
		for (i = 0; i < N; i++) {
			uint64_t u = rnd();
			if (kind == 0) {
				u = (u & UINT64_C(0x000FFFFFFFFFFFFF)) | (900 + u % 200) << 52;
				memcpy(&v, &u, 8);
				c4w_format_double(v, texts[i]);
			} else if (kind == 1) {
				c4w_format_float((float)((double)(int64_t)u * 1e-15), texts[i]);
			} else {
				c4w_format_double((double)(u >> 44) / 1000.0, texts[i]);
			}
		}
		t = cpu() - t;
		printf("# format %s: %.1f million/s\n", kind == 0 ? "double" : kind == 1 ? "float" : "short double", N / t / 1e6);
		t = cpu();
		for (i = 0; i < N; i++) {
			c4w_parse_double(c4w_view_z(texts[i]), &v);
			sum += v;
		}
		t = cpu() - t;
		printf("# parse double: %.1f million/s (%g)\n", N / t / 1e6, sum);
	}
	free(texts);
}

int main(void)
{
	RUN(test_integers);
	RUN(test_layout);
	RUN(test_random_doubles);
	RUN(test_random_floats);
	RUN(test_hard_parses);
	RUN(test_middles);
	RUN(test_random_texts);
	if (getenv("C4W_BENCH"))
		bench();
	return done();
}
