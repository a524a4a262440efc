/* Growable byte buffer. See buf.h. */
#include "base/buf.h"

#include "base/checked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool c4w_buf_reserve(struct c4w_buf *b, size_t more)
{
	size_t need, cap;
	char *p;
	if (b->failed)
		return false;
	if (!c4w_add_size(b->n, more, &need) || !c4w_add_size(need, 1, &need)) {
		b->failed = true;
		return false;
	}
	if (need <= b->cap)
		return true;
	cap = b->cap ? b->cap : 256;
	while (cap < need)
		cap = cap > SIZE_MAX / 2 ? need : cap * 2;
	p = realloc(b->p, cap);
	if (!p) {
		b->failed = true;
		return false;
	}
	b->p = p;
	b->cap = cap;
	return true;
}

void c4w_buf_put(struct c4w_buf *b, const void *p, size_t n)
{
	if (!c4w_buf_reserve(b, n))
		return;
	if (n)
		memcpy(b->p + b->n, p, n);
	b->n += n;
	b->p[b->n] = 0;
}

void c4w_buf_puts(struct c4w_buf *b, const char *z)
{
	c4w_buf_put(b, z, strlen(z));
}

void c4w_buf_putc(struct c4w_buf *b, char c)
{
	c4w_buf_put(b, &c, 1);
}

void c4w_buf_printf(struct c4w_buf *b, const char *fmt, ...)
{
	va_list ap;
	int n;
	if (!c4w_buf_reserve(b, 128))
		return;
	va_start(ap, fmt);
	n = vsnprintf(b->p + b->n, b->cap - b->n, fmt, ap);
	va_end(ap);
	if (n < 0) {
		b->failed = true;
		return;
	}
	if ((size_t)n >= b->cap - b->n) {
		if (!c4w_buf_reserve(b, (size_t)n))
			return;
		va_start(ap, fmt);
		vsnprintf(b->p + b->n, b->cap - b->n, fmt, ap);
		va_end(ap);
	}
	b->n += (size_t)n;
}

void c4w_buf_escape(struct c4w_buf *b, const char *p, size_t n)
{
	size_t i = 0;
	while (i < n) {
		char piece[24];
		uint32_t cp = 0;
		size_t len = c4w_utf8_decode(p + i, n - i, &cp);
		if (len == 0)
			len = 1;
		c4w_buf_puts(b, c4w_str_escape(piece, sizeof piece, p + i, len));
		i += len;
	}
}

void c4w_buf_json(struct c4w_buf *b, const char *p, size_t n)
{
	size_t i = 0, from = 0;
	c4w_buf_putc(b, '"');
	while (i < n) {
		unsigned char c = (unsigned char)p[i];
		uint32_t cp = 0;
		size_t len;
		if (c >= 0x20 && c < 0x7F && c != '"' && c != '\\') {
			i++;
			continue;
		}
		len = c4w_utf8_decode(p + i, n - i, &cp);
		if (len > 1 || (len == 1 && c >= 0x20 && c != '"' && c != '\\' && c != 0x7F)) {
			i += len;
			continue;
		}
		c4w_buf_put(b, p + from, i - from);
		if (len == 0)
			c4w_buf_puts(b, "\xEF\xBF\xBD");
		else if (c == '"' || c == '\\')
			c4w_buf_printf(b, "\\%c", c);
		else if (c == '\n')
			c4w_buf_puts(b, "\\n");
		else if (c == '\r')
			c4w_buf_puts(b, "\\r");
		else if (c == '\t')
			c4w_buf_puts(b, "\\t");
		else
			c4w_buf_printf(b, "\\u%04x", c);
		i++;
		from = i;
	}
	c4w_buf_put(b, p + from, n - from);
	c4w_buf_putc(b, '"');
}

void c4w_buf_reset(struct c4w_buf *b)
{
	b->n = 0;
	b->failed = false;
	if (b->p)
		b->p[0] = 0;
}

void c4w_buf_clear(struct c4w_buf *b)
{
	free(b->p);
	memset(b, 0, sizeof *b);
}

int c4w_buf_ok(const struct c4w_buf *b, struct c4w_err *err)
{
	return b->failed ? c4w_fail_memory(err, b->n) : C4W_OK;
}
