/* Integers and floats as text. See numbers.h. */
#include "base/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

size_t c4w_format_u64(uint64_t v, char *out)
{
	char digits[20];
	size_t n = 0, i;
	do {
		digits[n++] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	for (i = 0; i < n; i++)
		out[i] = digits[n - 1 - i];
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

static bool number_grammar(struct c4w_view t)
{
	const char *p = t.p, *end = t.p + t.n;
	const char *from;
	p += p < end && *p == '-';
	for (from = p; p < end && *p >= '0' && *p <= '9'; p++)
		;
	if (p == from)
		return false;
	if (p < end && *p == '.') {
		for (from = ++p; p < end && *p >= '0' && *p <= '9'; p++)
			;
		if (p == from)
			return false;
	}
	if (p < end && (*p | 32) == 'e') {
		p++;
		p += p < end && (*p == '+' || *p == '-');
		for (from = p; p < end && *p >= '0' && *p <= '9'; p++)
			;
		if (p == from)
			return false;
	}
	return p == end;
}

bool c4w_parse_double(struct c4w_view text, double *out)
{
	char room[128], *z = room;
	if (!number_grammar(text))
		return false;
	if (text.n >= sizeof room && !(z = malloc(text.n + 1)))
		return false;
	memcpy(z, text.p, text.n);
	z[text.n] = 0;
	*out = strtod(z, NULL);
	if (z != room)
		free(z);
	return true;
}

bool c4w_parse_float(struct c4w_view text, float *out)
{
	char room[128], *z = room;
	if (!number_grammar(text))
		return false;
	if (text.n >= sizeof room && !(z = malloc(text.n + 1)))
		return false;
	memcpy(z, text.p, text.n);
	z[text.n] = 0;
	*out = strtof(z, NULL);
	if (z != room)
		free(z);
	return true;
}

/* Lay `n` digits with the decimal exponent of the first one out as Python's repr does. */
static size_t lay_out(char *out, const char *digits, int n, int exponent)
{
	char *p = out;
	int i;
	if (exponent >= -4 && exponent < 16) {
		if (exponent < 0) {
			*p++ = '0';
			*p++ = '.';
			for (i = -1; i > exponent; i--)
				*p++ = '0';
			memcpy(p, digits, (size_t)n);
			p += n;
		} else {
			for (i = 0; i <= exponent; i++)
				*p++ = i < n ? digits[i] : '0';
			*p++ = '.';
			if (i < n) {
				memcpy(p, digits + i, (size_t)(n - i));
				p += n - i;
			} else {
				*p++ = '0';
			}
		}
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
		if (exponent >= 100)
			*p++ = (char)('0' + exponent / 100);
		*p++ = (char)('0' + exponent / 10 % 10);
		*p++ = (char)('0' + exponent % 10);
	}
	*p = 0;
	return (size_t)(p - out);
}

static size_t special(double v, char *out)
{
	const char *t = isnan(v) ? "nan" : v < 0 ? "-inf" : "inf";
	size_t n = strlen(t);
	memcpy(out, t, n + 1);
	return n;
}

static size_t format(double v, bool narrow, char *out)
{
	char text[40], digits[24];
	int precision, n = 0, exponent;
	const char *p;
	size_t minus = signbit(v) != 0;
	if (!isfinite(v))
		return special(v, out);
	for (precision = narrow ? 5 : 14; precision < 17; precision++) {
		snprintf(text, sizeof text, "%.*e", precision, fabs(v));
		if (narrow ? strtof(text, NULL) == (float)fabs(v) : strtod(text, NULL) == fabs(v))
			break;
	}
	for (p = text; *p != 'e'; p++)
		if (*p != '.')
			digits[n++] = *p;
	exponent = (int)strtol(p + 1, NULL, 10);
	while (n > 1 && digits[n - 1] == '0')
		n--;
	out[0] = '-';
	return minus + lay_out(out + minus, digits, n, exponent);
}

size_t c4w_format_double(double v, char *out)
{
	return format(v, false, out);
}

size_t c4w_format_float(float v, char *out)
{
	return format((double)v, true, out);
}
