/* Units (formats/timef.md, 3): is a text one that pint's parser takes as a unit? Products, ratios and powers of known names, each with a prefix and
 * a plural's s where they may have one; numbers as exponents, and as factors that come to 1. The value itself is opaque here.
 *
 * Pint's parser passes over some characters that no unit has (";", "!", "@"); such texts are not known here. */
#include "base/limits.h"
#include "base/numbers.h"
#include "families/timef_impl.h"

#include <math.h>

/* Is p[0, n) one of the words of a list in byte order? */
static bool in_words(const char *list, size_t length, const char *p, size_t n)
{
	size_t lo = 0, hi = length; /* starts of words */

	while (lo < hi) {
		size_t at = lo + (hi - lo) / 2, end;
		int k;

		while (at > lo && list[at - 1] != ' ')
			at--;
		for (end = at; end < length && list[end] != ' '; end++)
			;
		k = memcmp(list + at, p, end - at < n ? end - at : n);
		if (k == 0 && end - at == n)
			return true;
		if (k < 0 || (k == 0 && end - at < n))
			lo = end + 1;
		else
			hi = at;
	}
	return false;
}

static bool is_bare(const char *p, size_t n)
{
	return in_words(c4w_timef_units_bare, c4w_timef_units_bare_length, p, n);
}

/* One character is a symbol, which has no plural. */
static bool is_symbol(const char *p, size_t n)
{
	uint32_t cp;

	return c4w_utf8_decode(p, n, &cp) == n;
}

/* With a prefix or without. */
static bool stem_known(const char *p, size_t n, bool plural)
{
	size_t k;

	if ((in_words(c4w_timef_units, c4w_timef_units_length, p, n) || is_bare(p, n)) && !(plural && is_symbol(p, n)))
		return true;
	for (k = 1; k < n && k < 8; k++) /* the longest prefix has 7 bytes */
		if (in_words(c4w_timef_unit_prefixes, c4w_timef_unit_prefixes_length, p, k) &&
		    in_words(c4w_timef_units, c4w_timef_units_length, p + k, n - k) && !(plural && is_symbol(p + k, n - k)))
			return true;
	return false;
}

/* The sign of degrees stands for "degree", wherever it is. */
static bool spell_degree(const char *p, size_t n, char *out, size_t size, size_t *len)
{
	size_t i;

	for (i = 0, *len = 0; i < n && *len + 6 < size; i++)
		if (i + 1 < n && memcmp(p + i, "\xc2\xb0", 2) == 0) {
			memcpy(out + *len, "degree", 6);
			*len += 6;
			i++;
		} else {
			out[(*len)++] = p[i];
		}
	return i == n;
}

static bool word_known(const char *p, size_t n)
{
	char spelt[80] = "";

	if (n < sizeof spelt && memmem(p, n, "\xc2\xb0", 2)) {
		if (!spell_degree(p, n, spelt, sizeof spelt, &n))
			return false;
		p = spelt;
	}
	if (n == 13 && memcmp(p, "dimensionless", n) == 0)
		return true;
	return stem_known(p, n, false) || (n > 1 && p[n - 1] == 's' && stem_known(p, n - 1, true));
}

/* ---- the expression ---- */

enum token { END, NUMBER, WORD, TIMES, OVER, POWER, PLUS, MINUS, OPEN, CLOSE, BAD };

struct unit {
	const char *p, *end;
	enum token token;
	const char *word; /* of WORD */
	size_t n;
	double number; /* of NUMBER */
	unsigned depth;
};

/* What a part of the expression comes to. */
struct value {
	double scale;
	bool named; /* it has units */
};

static bool is_letter(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
}

static bool is_digit(unsigned char c)
{
	return c >= '0' && c <= '9';
}

/* "²", "⁻¹": the digits of an exponent that is written small, as they would stand in a row. 0: none is there. */
static size_t small_digit(const struct unit *u, char *out)
{
	const unsigned char *p = (const unsigned char *)u->p;
	size_t left = (size_t)(u->end - u->p);

	if (left >= 2 && p[0] == 0xc2 && (p[1] == 0xb2 || p[1] == 0xb3 || p[1] == 0xb9)) {
		*out = p[1] == 0xb2 ? '2' : p[1] == 0xb3 ? '3' : '1';
		return 2;
	}
	if (left >= 3 && p[0] == 0xe2 && p[1] == 0x81 && (p[2] == 0xb0 || (p[2] >= 0xb4 && p[2] <= 0xb9) || p[2] == 0xbb)) {
		*out = p[2] == 0xbb ? '-' : (char)('0' + (p[2] - 0xb0));
		return 3;
	}
	return 0;
}

/* "·", "⋅" and the blank that doesn't break. */
static size_t other_blank(const struct unit *u)
{
	if (u->end - u->p >= 2 && (memcmp(u->p, "\xc2\xb7", 2) == 0 || memcmp(u->p, "\xc2\xa0", 2) == 0))
		return 2;
	return u->end - u->p >= 3 && memcmp(u->p, "\xe2\x8b\x85", 3) == 0 ? 3 : 0;
}

/* "%" and "‰" are words by themselves. */
static size_t alone(const struct unit *u)
{
	if (*u->p == '%')
		return 1;
	return u->end - u->p >= 3 && memcmp(u->p, "\xe2\x80\xb0", 3) == 0 ? 3 : 0;
}

static void number(struct unit *u)
{
	const char *start = u->p, *e;

	while (u->p < u->end && (is_digit((unsigned char)*u->p) || *u->p == '.'))
		u->p++;
	e = u->p;
	if (e + 1 < u->end && (*e == 'e' || *e == 'E')) {
		e += e[1] == '-' || e[1] == '+' ? 2 : 1;
		if (e < u->end && is_digit((unsigned char)*e))
			for (u->p = e; u->p < u->end && is_digit((unsigned char)*u->p);)
				u->p++;
	}
	e = u->p;
	while (e > start && e[-1] == '.') /* "1." is 1 */
		e--;
	u->token = c4w_parse_double((struct c4w_view){ start, (size_t)(e - start) }, &u->number) ? NUMBER : BAD;
}

static void word(struct unit *u)
{
	char digit;

	u->word = u->p;
	u->token = WORD;
	u->n = alone(u);
	if (u->n) {
		u->p += u->n;
		return;
	}
	while (u->p < u->end && !alone(u) && (is_letter((unsigned char)*u->p) || is_digit((unsigned char)*u->p)) && !small_digit(u, &digit) && !other_blank(u))
		u->p++;
	u->n = (size_t)(u->p - u->word);
}

static void next(struct unit *u)
{
	char digits[16];
	size_t n = 0, k;
	unsigned char c;

	for (;;) {
		k = u->p < u->end ? other_blank(u) : 0;
		if (!k && !(u->p < u->end && strchr(" \t\n\r\f\v", *u->p) && *u->p))
			break;
		u->p += k ? k : 1;
	}
	u->token = END;
	if (u->p == u->end)
		return;
	while (n < sizeof digits - 1 && (k = small_digit(u, &digits[n])) != 0) {
		u->p += k;
		n++;
	}
	if (n) { /* a power; its number comes as if it stood in brackets */
		u->token = c4w_parse_double((struct c4w_view){ digits, n }, &u->number) ? POWER : BAD;
		u->n = n;
		return;
	}
	c = (unsigned char)*u->p;
	u->n = 0;
	if (is_digit(c) || (c == '.' && u->p + 1 < u->end && is_digit((unsigned char)u->p[1]))) {
		number(u);
		return;
	}
	if (is_letter(c) || c == '%') {
		word(u);
		return;
	}
	u->p++;
	switch (c) {
	case '*':
		u->token = TIMES;
		if (u->p < u->end && *u->p == '*') {
			u->token = POWER;
			u->p++;
		}
		return;
	case '/':
		u->token = OVER;
		u->p += u->p < u->end && *u->p == '/';
		return;
	case '^': u->token = POWER; return;
	case '.': u->token = TIMES; return;
	case '+': u->token = PLUS; return;
	case '-': u->token = MINUS; return;
	case '(': u->token = OPEN; return;
	case ')': u->token = CLOSE; return;
	default: u->token = BAD; return;
	}
}

static bool is_word(const struct unit *u, const char *z)
{
	return u->token == WORD && u->n == strlen(z) && memcmp(u->word, z, u->n) == 0;
}

static bool sum(struct unit *u, struct value *v);

static bool to_power(struct value *v, double exponent)
{
	if (v->named && (exponent == 0 || isnan(exponent)))
		return false;
	v->scale = pow(v->scale, exponent);
	return true;
}

/* A name, a number, or something in brackets. */
static bool atom(struct unit *u, struct value *v)
{
	double exponent = is_word(u, "cubic") ? 3 : is_word(u, "square") || is_word(u, "sq") ? 2 : 0;

	*v = (struct value){ 1, false };
	if (u->token == NUMBER) {
		v->scale = u->number;
	} else if (u->token == OPEN) {
		next(u);
		if (++u->depth > C4W_LIMIT_JSON_DEPTH || !sum(u, v) || u->token != CLOSE)
			return false;
		u->depth--;
	} else if (exponent != 0) {
		next(u);
		if (u->token != WORD || !word_known(u->word, u->n))
			return false;
		v->named = true;
	} else {
		if (u->token != WORD || !word_known(u->word, u->n))
			return false;
		v->named = !(u->n == 13 && memcmp(u->word, "dimensionless", 13) == 0);
	}
	next(u);
	if (is_word(u, "squared") || is_word(u, "cubed")) {
		exponent = is_word(u, "squared") ? 2 : 3;
		next(u);
	}
	return exponent == 0 || to_power(v, exponent);
}

static bool signs(struct unit *u, struct value *v, bool (*then)(struct unit *u, struct value *v))
{
	double sign = 1;

	for (; u->token == PLUS || u->token == MINUS; next(u))
		sign = u->token == MINUS ? -sign : sign;
	if (!then(u, v))
		return false;
	v->scale *= sign;
	return true;
}

static bool power(struct unit *u, struct value *v)
{
	struct value exponent = { 1, false };

	if (!atom(u, v))
		return false;
	while (u->token == POWER) {
		bool small = u->n > 0;

		if (small)
			exponent.scale = u->number;
		next(u);
		if (!small && !signs(u, &exponent, atom))
			return false;
		if (exponent.named || !to_power(v, exponent.scale))
			return false;
	}
	return true;
}

static bool product(struct unit *u, struct value *v)
{
	struct value w;
	bool over;

	if (!signs(u, v, power))
		return false;
	for (;;) {
		over = u->token == OVER || is_word(u, "per");
		if (over || u->token == TIMES)
			next(u);
		else if (u->token != NUMBER && u->token != WORD && u->token != OPEN)
			return true;
		if (!signs(u, &w, power) || (over && w.scale == 0))
			return false;
		v->scale = over ? v->scale / w.scale : v->scale * w.scale;
		v->named |= w.named;
	}
}

/* Numbers may be added; units may not. */
static bool sum(struct unit *u, struct value *v)
{
	struct value w;

	if (!product(u, v))
		return false;
	while (u->token == PLUS || u->token == MINUS) {
		bool minus = u->token == MINUS;

		next(u);
		if (!product(u, &w) || v->named || w.named)
			return false;
		v->scale += minus ? -w.scale : w.scale;
	}
	return true;
}

bool c4w_timef_unit_known(struct c4w_view unit)
{
	struct unit u = { .p = unit.p, .end = unit.p + unit.n };
	struct value v;

	next(&u);
	if (u.token == END)
		return true; /* dimensionless */
	return sum(&u, &v) && u.token == END && v.scale == 1;
}
