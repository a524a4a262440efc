/* Wrapped text for help. */
#include "../command.h"

#include "base/str.h"

/* Columns that n bytes of UTF-8 take, one for each code point: prose here is Latin. */
static unsigned width_of(const char *p, size_t n)
{
	unsigned w = 0;
	size_t i;
	for (i = 0; i < n; i++)
		w += ((unsigned char)p[i] & 0xC0) != 0x80;
	return w;
}

static void wrap_paragraph(FILE *out, const char *p, size_t n, unsigned indent, unsigned width)
{
	unsigned at = 0;
	size_t i = 0;
	while (i < n) {
		size_t start;
		unsigned w;
		while (i < n && (p[i] == ' ' || p[i] == '\n'))
			i++;
		start = i;
		while (i < n && p[i] != ' ' && p[i] != '\n')
			i++;
		if (i == start)
			break;
		w = width_of(p + start, i - start);
		if (at && at + 1 + w > width) {
			fputc('\n', out);
			at = 0;
		}
		if (at == 0) {
			fprintf(out, "%*s", (int)indent, "");
			at = indent;
		} else {
			fputc(' ', out);
			at++;
		}
		fwrite(p + start, 1, i - start, out);
		at += w;
	}
	fputc('\n', out);
}

static void keep_lines(FILE *out, const char *p, size_t n, unsigned indent)
{
	while (n) {
		const char *end = memchr(p, '\n', n);
		size_t len = end ? (size_t)(end - p) : n;
		fprintf(out, "%*s", (int)indent, "");
		fwrite(p, 1, len, out);
		fputc('\n', out);
		p += len;
		n -= len;
		if (n) {
			p++;
			n--;
		}
	}
}

void c4w_wrap(FILE *out, const char *text, unsigned indent, unsigned width)
{
	while (*text) {
		const char *end = strstr(text, "\n\n");
		size_t n = end ? (size_t)(end - text) : strlen(text);
		if (*text == ' ')
			keep_lines(out, text, n, indent);
		else
			wrap_paragraph(out, text, n, indent, width);
		text += n;
		if (*text) {
			text += 2;
			if (*text)
				fputc('\n', out);
		}
	}
}
