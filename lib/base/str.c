/* Text helpers. See str.h. */
#include "base/str.h"

#include <stdio.h>
#include <string.h>

struct c4w_view c4w_view_z(const char *z)
{
	return (struct c4w_view){ z ? z : "", z ? strlen(z) : 0 };
}

bool c4w_view_eq(struct c4w_view a, struct c4w_view b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

bool c4w_view_eqz(struct c4w_view a, const char *z)
{
	return c4w_view_eq(a, c4w_view_z(z));
}

int c4w_view_cmp(struct c4w_view a, struct c4w_view b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int c = n ? memcmp(a.p, b.p, n) : 0;
	if (c != 0)
		return c;
	return a.n < b.n ? -1 : a.n > b.n;
}

size_t c4w_utf8_decode(const char *s, size_t n, uint32_t *cp)
{
	const unsigned char *p = (const unsigned char *)s;
	uint32_t v;
	size_t len, i;
	if (n == 0)
		return 0;
	if (p[0] < 0x80) {
		*cp = p[0];
		return 1;
	}
	if (p[0] < 0xC2 || p[0] > 0xF4)
		return 0;
	len = p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
	if (n < len)
		return 0;
	v = p[0] & (0x7FU >> len);
	for (i = 1; i < len; i++) {
		if ((p[i] & 0xC0) != 0x80)
			return 0;
		v = v << 6 | (p[i] & 0x3FU);
	}
	if ((len == 3 && (v < 0x800 || (v >= 0xD800 && v <= 0xDFFF))) || (len == 4 && (v < 0x10000 || v > 0x10FFFF)))
		return 0;
	*cp = v;
	return len;
}

bool c4w_utf8_valid(const char *p, size_t n)
{
	size_t i = 0;
	while (i < n) {
		uint32_t cp;
		size_t len;
		/* Runs of ASCII eight bytes at a time. */
		while (i + 8 <= n) {
			uint64_t w;
			memcpy(&w, p + i, 8);
			if (w & 0x8080808080808080ULL)
				break;
			i += 8;
		}
		if (i == n)
			break;
		len = c4w_utf8_decode(p + i, n - i, &cp);
		if (len == 0)
			return false;
		i += len;
	}
	return true;
}

size_t c4w_utf8_encode(uint32_t cp, char *out)
{
	if (cp < 0x80) {
		out[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		out[0] = (char)(0xC0 | cp >> 6);
		out[1] = (char)(0x80 | (cp & 0x3F));
		return 2;
	}
	if (cp < 0x10000) {
		out[0] = (char)(0xE0 | cp >> 12);
		out[1] = (char)(0x80 | (cp >> 6 & 0x3F));
		out[2] = (char)(0x80 | (cp & 0x3F));
		return 3;
	}
	out[0] = (char)(0xF0 | cp >> 18);
	out[1] = (char)(0x80 | (cp >> 12 & 0x3F));
	out[2] = (char)(0x80 | (cp >> 6 & 0x3F));
	out[3] = (char)(0x80 | (cp & 0x3F));
	return 4;
}

static bool hidden_code_point(uint32_t cp)
{
	return (cp >= 0x80 && cp < 0xA0) || (cp >= 0x202A && cp <= 0x202E) || (cp >= 0x2066 && cp <= 0x2069) ||
	       cp == 0x200E || cp == 0x200F || cp == 0x2028 || cp == 0x2029 || cp == 0xFEFF;
}

char *c4w_str_escape(char *out, size_t size, const char *p, size_t n)
{
	size_t used = 0, dots = 0, i = 0;
	if (size == 0)
		return out;
	while (i < n) {
		char piece[20];
		size_t len = 1, k;
		uint32_t cp = 0;
		unsigned char c = (unsigned char)p[i];
		size_t seq = c4w_utf8_decode(p + i, n - i, &cp);
		if (c == '\n' || c == '\t' || c == '\r' || c == '\\') {
			piece[0] = '\\';
			piece[1] = c == '\n' ? 'n' : c == '\t' ? 't' : c == '\r' ? 'r' : '\\';
			len = 2;
			seq = 1;
		} else if (seq == 0 || c < 0x20 || c == 0x7F || hidden_code_point(cp)) {
			if (seq == 0)
				seq = 1;
			for (len = 0, k = 0; k < seq; k++, len += 4)
				snprintf(piece + len, sizeof piece - len, "\\x%02x", (unsigned char)p[i + k]);
		} else {
			memcpy(piece, p + i, seq);
			len = seq;
		}
		if (used + 4 <= size)
			dots = used;
		if (used + len + 1 > size) {
			if (size >= 4)
				memcpy(out + dots, "...", 4);
			else
				out[used] = 0;
			return out;
		}
		memcpy(out + used, piece, len);
		used += len;
		i += seq;
	}
	out[used] = 0;
	return out;
}

size_t c4w_str_percent(char *out, size_t size, const char *p, size_t n)
{
	static const char digits[] = "0123456789ABCDEF";
	size_t used = 0, i;
	for (i = 0; i < n; i++) {
		unsigned char c = (unsigned char)p[i];
		bool plain = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
			     c == '.' || c == '_' || c == '~';
		if (plain) {
			if (used + 1 < size)
				out[used] = (char)c;
			used++;
		} else {
			if (used + 3 < size) {
				out[used] = '%';
				out[used + 1] = digits[c >> 4];
				out[used + 2] = digits[c & 15];
			}
			used += 3;
		}
	}
	if (size)
		out[used < size ? used : size - 1] = 0;
	return used;
}

static char fold(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

size_t c4w_str_distance(const char *a, const char *b)
{
	enum { MAX = 64 };
	size_t d[3][MAX], n = strlen(a), m = strlen(b), i, j;
	if (n >= MAX || m >= MAX)
		return SIZE_MAX;
	for (j = 0; j <= m; j++)
		d[0][j] = j;
	for (i = 1; i <= n; i++) {
		size_t *row = d[i % 3], *up = d[(i - 1) % 3], *upup = d[(i + 1) % 3];
		row[0] = i;
		for (j = 1; j <= m; j++) {
			size_t cost = fold(a[i - 1]) != fold(b[j - 1]), best = up[j - 1] + cost;
			if (up[j] + 1 < best)
				best = up[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) && fold(a[i - 2]) == fold(b[j - 1]) &&
			    upup[j - 2] + 1 < best)
				best = upup[j - 2] + 1;
			row[j] = best;
		}
	}
	return d[n % 3][m];
}

char *c4w_str_grouped(uint64_t v, char *buf)
{
	char digits[24];
	size_t n, i, used = 0;
	snprintf(digits, sizeof digits, "%llu", (unsigned long long)v);
	n = strlen(digits);
	for (i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			buf[used++] = ',';
		buf[used++] = digits[i];
	}
	buf[used] = 0;
	return buf;
}

char *c4w_str_size(uint64_t v, char *buf)
{
	static const char *const units[] = { "KB", "MB", "GB", "TB", "PB", "EB" };
	double x = (double)v;
	size_t u = 0;
	if (v < 1000) {
		snprintf(buf, 32, "%u B", (unsigned)v);
		return buf;
	}
	x /= 1000;
	while (x >= 1000 && u + 1 < sizeof units / sizeof *units) {
		x /= 1000;
		u++;
	}
	snprintf(buf, 32, "%.1f %s", x, units[u]);
	return buf;
}

char *c4w_hex(char *out, const uint8_t *p, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	size_t i;
	for (i = 0; i < n; i++) {
		out[2 * i] = digits[p[i] >> 4];
		out[2 * i + 1] = digits[p[i] & 15];
	}
	out[2 * n] = 0;
	return out;
}

/* The value of a lower-case hex digit plus 1, 0 for all else. */
static const uint8_t hex_values[256] = {
	['0'] = 1,  ['1'] = 2,	['2'] = 3,  ['3'] = 4,	['4'] = 5,  ['5'] = 6,	['6'] = 7,  ['7'] = 8,
	['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
};

bool c4w_unhex32(struct c4w_view text, uint8_t out[32])
{
	size_t i;
	unsigned bad = 0;
	if (text.n != 64)
		return false;
	for (i = 0; i < 32; i++) {
		unsigned high = hex_values[(unsigned char)text.p[2 * i]], low = hex_values[(unsigned char)text.p[2 * i + 1]];
		bad |= !high | !low;
		out[i] = (uint8_t)((high - 1) << 4 | ((low - 1) & 15));
	}
	return !bad;
}

/* ---- columns of a terminal ---- */

static bool between(uint32_t c, uint32_t a, uint32_t b)
{
	return c >= a && c <= b;
}

static size_t char_width(uint32_t c)
{
	if (between(c, 0x300, 0x36f) || between(c, 0x200b, 0x200f) || between(c, 0xfe00, 0xfe0f) || c == 0xfeff || between(c, 0x20d0, 0x20ff))
		return 0;
	if (between(c, 0x1100, 0x115f) || between(c, 0x2e80, 0x303e) || between(c, 0x3041, 0xa4cf) || between(c, 0xac00, 0xd7a3) ||
	    between(c, 0xf900, 0xfaff) || between(c, 0xfe30, 0xfe6f) || between(c, 0xff00, 0xff60) || between(c, 0xffe0, 0xffe6) ||
	    between(c, 0x1f300, 0x1faff) || between(c, 0x20000, 0x3fffd))
		return 2;
	return 1;
}

/* The front of a text that takes at most `limit` columns: its bytes, and *columns. */
static size_t front(const char *p, size_t n, size_t limit, size_t *columns)
{
	size_t at = 0, k, w;
	uint32_t c;
	*columns = 0;
	while (at < n) {
		k = c4w_utf8_decode(p + at, n - at, &c);
		w = k ? char_width(c) : 1;
		if (*columns + w > limit)
			break;
		*columns += w;
		at += k ? k : 1;
	}
	return at;
}

size_t c4w_text_width(const char *p, size_t n)
{
	size_t columns;
	front(p, n, SIZE_MAX, &columns);
	return columns;
}

size_t c4w_text_cut(const char *p, size_t n, size_t columns)
{
	return front(p, n, columns, &columns);
}
