/* One element of an array as text. The forms are listed in print.h. */
#include "model/print.h"

#include "base/numbers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- loading ---- */

static uint64_t load(const uint8_t *p, size_t n, bool big)
{
	uint64_t v = 0;
	size_t i;
	for (i = 0; i < n; i++)
		v = v << 8 | p[big ? i : n - 1 - i];
	return v;
}

static int64_t load_signed(const uint8_t *p, size_t n, bool big)
{
	unsigned shift = (unsigned)(64 - 8 * n);
	return (int64_t)(load(p, n, big) << shift) >> shift;
}

/* ---- floats ---- */

static double half_value(uint16_t h)
{
	int exponent = h >> 10 & 31;
	double m = h & 1023, v;
	if (exponent == 31)
		v = m != 0 ? (double)NAN : (double)INFINITY;
	else
		v = exponent ? ldexp(m + 1024, exponent - 25) : ldexp(m, -24);
	return h & 0x8000 ? -v : v;
}

/* The nearest half to a positive double, ties to even. */
static uint16_t half_nearest(double v)
{
	int exponent;
	double scaled, whole;
	(void)frexp(v, &exponent); /* v = m * 2^exponent, m in [0.5, 1) */
	if (exponent < -13)
		exponent = -13; /* subnormal: the step stays 2^-24 */
	scaled = ldexp(v, 11 - exponent);
	whole = nearbyint(scaled);
	if (whole >= 2048) {
		whole /= 2;
		exponent++;
	}
	if (exponent > 16)
		return 0x7C00;
	return (uint16_t)(whole < 1024 ? (int)whole : (exponent + 14) << 10 | ((int)whole - 1024));
}

/* Shortest digits that read back as the same half: at most five are needed. */
static size_t half_text(uint16_t h, char *out)
{
	static const double tens[] = { 1, 10, 100, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13 };
	double v = half_value(h), a = fabs(v), found = a;
	int digits, ten;
	if (!isfinite(v) || a == 0)
		return c4w_format_double(v, out);
	ten = (int)floor(log10(a));
	for (digits = 1; digits <= 5; digits++) {
		int shift = digits - 1 - ten; /* a * 10^shift has that many digits before the point */
		double r = shift >= 0 ? nearbyint(a * tens[shift]) / tens[shift] : nearbyint(a / tens[-shift]) * tens[-shift];
		if (half_nearest(r) == (h & 0x7FFF)) {
			found = r;
			break;
		}
	}
	return c4w_format_double(v < 0 ? -found : found, out);
}

/* numpy's longdouble of 16 bytes: on x86 the 80-bit format and padding. */
static size_t long_text(const uint8_t *p, bool big, char *out, size_t size)
{
	uint64_t m = load(big ? p + 8 : p, 8, big);
	unsigned head = (unsigned)load(big ? p + 6 : p + 8, 2, big);
	long double v = ldexpl((long double)m, (int)(head & 0x7FFF) - 16383 - 63);
	int digits;
	if ((head & 0x7FFF) == 0x7FFF)
		return c4w_format_double(m << 1 ? (double)NAN : head >> 15 ? -(double)INFINITY : (double)INFINITY, out);
	if (head >> 15)
		v = -v;
	/* a short text that double finds may do for the longer format, too */
	digits = (int)c4w_format_double((double)v, out);
	if (strtold(out, NULL) == v)
		return (size_t)digits;
	for (digits = 15; digits < 21; digits++) {
		snprintf(out, size, "%.*Lg", digits, v);
		if (strtold(out, NULL) == v)
			break;
	}
	return (size_t)snprintf(out, size, "%.*Lg", digits, v);
}

static size_t float_text(const uint8_t *p, size_t n, bool big, char *out, size_t size)
{
	uint64_t bits;
	double d;
	float f;
	uint32_t u;
	switch (n) {
	case 2:
		return half_text((uint16_t)load(p, 2, big), out);
	case 4:
		u = (uint32_t)load(p, 4, big);
		memcpy(&f, &u, 4);
		return c4w_format_float(f, out);
	case 8:
		bits = load(p, 8, big);
		memcpy(&d, &bits, 8);
		return c4w_format_double(d, out);
	default:
		return long_text(p, big, out, size);
	}
}

static void put_float(struct c4w_buf *b, const uint8_t *p, size_t n, bool big, enum c4w_text form)
{
	char t[64];
	size_t k = float_text(p, n, big, t, sizeof t);
	if (form == C4W_TEXT_JSONL && (t[k - 1] == 'n' || t[k - 1] == 'f'))
		c4w_buf_puts(b, t[k - 1] == 'n' ? "NaN" : t[0] == '-' ? "-Infinity" : "Infinity");
	else
		c4w_buf_put(b, t, k);
}

static void put_complex(struct c4w_buf *b, const uint8_t *p, size_t n, bool big, enum c4w_text form)
{
	char t[64];
	size_t k;
	if (form == C4W_TEXT_JSONL) {
		c4w_buf_putc(b, '[');
		put_float(b, p, n, big, form);
		c4w_buf_putc(b, ',');
		put_float(b, p + n, n, big, form);
		c4w_buf_putc(b, ']');
		return;
	}
	put_float(b, p, n, big, form);
	k = float_text(p + n, n, big, t, sizeof t);
	if (t[0] != '-')
		c4w_buf_putc(b, '+');
	c4w_buf_put(b, t, k);
	c4w_buf_putc(b, 'j');
}

/* ---- text ---- */

/* Does a cell need quotes in CSV? */
static bool quoted(uint32_t c)
{
	return c == '"' || c == ',' || c == '\n' || c == '\r';
}

static void put_char(struct c4w_buf *b, uint32_t c, enum c4w_text form)
{
	char utf8[4];
	size_t n;
	bool scalar = c <= 0x10FFFF && !(c >= 0xD800 && c <= 0xDFFF);
	if (form == C4W_TEXT_CSV && c == '"')
		c4w_buf_putc(b, '"');
	if (form == C4W_TEXT_TSV && (c == '\\' || c == '\t' || c == '\n' || c == '\r' || c == 0)) {
		c4w_buf_putc(b, '\\');
		c = c == '\t' ? 't' : c == '\n' ? 'n' : c == '\r' ? 'r' : c == 0 ? '0' : c;
	}
	if (form == C4W_TEXT_JSONL) {
		if (c == '"' || c == '\\') {
			c4w_buf_putc(b, '\\');
		} else if (c < 0x20 || c == 0x7F || (!scalar && c <= 0xFFFF)) {
			c4w_buf_printf(b, c == '\n' ? "\\n" : c == '\t' ? "\\t" : c == '\r' ? "\\r" : "\\u%04" PRIx32, c);
			return;
		}
	}
	if (c < 0x80) {
		c4w_buf_putc(b, (char)c);
		return;
	}
	n = c4w_utf8_encode(scalar ? c : 0xFFFD, utf8);
	c4w_buf_put(b, utf8, n);
}

/* n characters of `width` bytes, 1 (Latin-1) or 4. */
static void put_text(struct c4w_buf *b, const uint8_t *p, size_t n, unsigned width, bool big, enum c4w_text form)
{
	bool quotes = form == C4W_TEXT_JSONL;
	size_t i;
	while (n && load(p + (n - 1) * width, width, big) == 0)
		n--;
	if (form == C4W_TEXT_CSV) {
		quotes = n == 0;
		for (i = 0; i < n && !quotes; i++)
			quotes = quoted((uint32_t)load(p + i * width, width, big));
	}
	if (quotes)
		c4w_buf_putc(b, '"');
	for (i = 0; i < n; i++)
		put_char(b, (uint32_t)load(p + i * width, width, big), form);
	if (quotes)
		c4w_buf_putc(b, '"');
}

void c4w_cell_put(struct c4w_buf *b, const char *p, size_t n, enum c4w_text form)
{
	bool quotes = form == C4W_TEXT_CSV && n == 0;
	size_t i;
	if (form == C4W_TEXT_JSONL) {
		c4w_buf_json(b, p, n);
		return;
	}
	for (i = 0; i < n && !quotes; i++)
		quotes = form == C4W_TEXT_CSV && quoted((uint8_t)p[i]);
	if (quotes)
		c4w_buf_putc(b, '"');
	for (i = 0; i < n; i++)
		if ((uint8_t)p[i] < 0x80)
			put_char(b, (uint8_t)p[i], form);
		else
			c4w_buf_putc(b, p[i]);
	if (quotes)
		c4w_buf_putc(b, '"');
}

/* ---- times ---- */

/* Days since 1970-01-01 to a date of the proleptic Gregorian calendar: 400 years are 146,097 days; years begin in March here. */
static void date_of(__int128 days, int64_t *year, unsigned *month, unsigned *day)
{
	__int128 shifted = days + 719468; /* days since 0000-03-01 */
	__int128 era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
	unsigned d = (unsigned)(shifted - era * 146097);
	unsigned y = (d - d / 1460 + d / 36524 - d / 146096) / 365;
	unsigned in_year = d - (365 * y + y / 4 - y / 100), m = (5 * in_year + 2) / 153;
	*day = in_year - (153 * m + 2) / 5 + 1;
	*month = m < 10 ? m + 3 : m - 9;
	*year = (int64_t)(era * 400 + y) + (*month <= 2);
}

static __int128 floor_div(__int128 a, __int128 b, __int128 *rest)
{
	__int128 q = a / b;
	if (a % b < 0)
		q--;
	*rest = a - q * b;
	return q;
}

/* As numpy prints datetime64: as many parts as the unit has. */
static size_t time_text(int64_t ticks, unsigned unit, uint32_t units, char *out, size_t size)
{
	__int128 v = (__int128)ticks * (units ? units : 1), rest = 0, days, per_second = 1, seconds, fraction;
	int64_t year;
	unsigned month, day, k, digits = 0;
	size_t n;
	if (ticks == INT64_MIN)
		return (size_t)snprintf(out, size, "NaT");
	switch (unit) {
	case C4W_UNIT_GENERIC:
		return (size_t)snprintf(out, size, "%" PRId64, ticks);
	case C4W_UNIT_Y:
		return (size_t)snprintf(out, size, "%04" PRId64, (int64_t)(v + 1970));
	case C4W_UNIT_M:
		v = floor_div(v, 12, &rest);
		return (size_t)snprintf(out, size, "%04" PRId64 "-%02d", (int64_t)(v + 1970), (int)rest + 1);
	case C4W_UNIT_W:
		days = v * 7;
		break;
	case C4W_UNIT_D:
		days = v;
		break;
	case C4W_UNIT_H:
		days = floor_div(v, 24, &rest);
		rest *= 3600;
		break;
	case C4W_UNIT_MIN:
		days = floor_div(v, 1440, &rest);
		rest *= 60;
		break;
	default:
		digits = 3 * (unit - C4W_UNIT_S);
		for (k = 0; k < digits; k++)
			per_second *= 10;
		days = floor_div(v, 86400 * per_second, &rest);
	}
	date_of(days, &year, &month, &day);
	n = (size_t)snprintf(out, size, "%04" PRId64 "-%02u-%02u", year, month, day);
	if (unit <= C4W_UNIT_D)
		return n;
	seconds = rest / per_second;
	fraction = rest % per_second;
	n += (size_t)snprintf(out + n, size - n, "T%02d", (int)(seconds / 3600));
	if (unit >= C4W_UNIT_MIN)
		n += (size_t)snprintf(out + n, size - n, ":%02d", (int)(seconds / 60 % 60));
	if (unit >= C4W_UNIT_S)
		n += (size_t)snprintf(out + n, size - n, ":%02d", (int)(seconds % 60));
	if (digits)
		n += (size_t)snprintf(out + n, size - n, ".%0*" PRIu64, (int)digits, (uint64_t)fraction);
	return n;
}

static void put_quoted(struct c4w_buf *b, const char *p, size_t n, enum c4w_text form)
{
	if (form == C4W_TEXT_JSONL)
		c4w_buf_putc(b, '"');
	c4w_buf_put(b, p, n);
	if (form == C4W_TEXT_JSONL)
		c4w_buf_putc(b, '"');
}

/* ---- any element ---- */

void c4w_element_put(struct c4w_buf *b, const struct c4w_dtype *d, const uint8_t *p, enum c4w_text form)
{
	bool big = d->order == '>';
	char t[96];
	size_t n = (size_t)d->size, i;
	int64_t v;
	switch (d->kind) {
	case C4W_BOOL:
		c4w_buf_puts(b, form == C4W_TEXT_JSONL ? (*p ? "true" : "false") : (*p ? "True" : "False"));
		break;
	case C4W_INT:
		c4w_buf_put(b, t, c4w_format_i64(load_signed(p, n, big), t));
		break;
	case C4W_UINT:
		c4w_buf_put(b, t, c4w_format_u64(load(p, n, big), t));
		break;
	case C4W_FLOAT:
		put_float(b, p, n, big, form);
		break;
	case C4W_COMPLEX:
		put_complex(b, p, n / 2, big, form);
		break;
	case C4W_BYTES:
		put_text(b, p, n, 1, false, form);
		break;
	case C4W_UNICODE:
		put_text(b, p, n / 4, 4, big, form);
		break;
	case C4W_DATETIME:
		n = time_text(load_signed(p, 8, big), d->unit, d->units, t, sizeof t);
		put_quoted(b, t, n, form);
		break;
	case C4W_TIMEDELTA:
		v = load_signed(p, 8, big);
		if (v == INT64_MIN)
			put_quoted(b, "NaT", 3, form);
		else
			c4w_buf_put(b, t, c4w_format_i64(v, t));
		break;
	default: /* raw bytes */
		if (form == C4W_TEXT_JSONL)
			c4w_buf_putc(b, '"');
		for (i = 0; i < n; i++) {
			static const char hex[] = "0123456789abcdef";
			c4w_buf_putc(b, hex[p[i] >> 4]);
			c4w_buf_putc(b, hex[p[i] & 15]);
		}
		if (form == C4W_TEXT_JSONL)
			c4w_buf_putc(b, '"');
	}
}
