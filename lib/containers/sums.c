/* Checksum lists. See sums.h; the forms are those of GNU coreutils' sha256sum and of the BSD tools' --tag output. */
#include "containers/sums.h"

#include "base/str.h"

#include <string.h>

const struct c4w_rule c4w_sums_rules[] = {
	{ "sums.empty", "a list names at least one file", "sha256sum(1)" },
	{ "sums.line", "every line that counts is a SHA-256 checksum line", "sha256sum(1)" },
	{ "sums.differs", "a file has the digest that the list gives", "sha256sum(1)" },
	{ "sums.unlisted", "every file beside the listed ones is listed too (a warning)", "sha256sum(1)" },
	{ 0 },
};

static bool hex32(const char *p, size_t n, uint8_t digest[32])
{
	char low[64];
	size_t i;
	if (n != 64)
		return false;
	for (i = 0; i < n; i++)
		low[i] = p[i] >= 'A' && p[i] <= 'F' ? (char)(p[i] + 32) : p[i];
	return c4w_unhex32((struct c4w_view){ low, 64 }, digest);
}

static size_t blanks(const char *p, size_t n)
{
	size_t i = 0;
	while (i < n && (p[i] == ' ' || p[i] == '\t'))
		i++;
	return i;
}

/* Where a line's parts are. */
struct parts {
	struct c4w_view name;
	bool escaped;
	uint8_t digest[32];
};

/* `SHA256 (NAME) = DIGEST`; the last parenthesis ends the name. p is past "SHA256". */
static bool tag_line(const char *p, size_t n, struct parts *out)
{
	size_t i = 0, close;
	if (i < n && p[i] == ' ')
		i++;
	if (i >= n || p[i] != '(')
		return false;
	i++;
	for (close = n; close > i && p[close - 1] != ')'; close--)
		;
	if (close == i)
		return false;
	out->name = (struct c4w_view){ p + i, close - 1 - i };
	i = close;
	i += blanks(p + i, n - i);
	if (i >= n || p[i] != '=')
		return false;
	i++;
	i += blanks(p + i, n - i);
	return out->name.n > 0 && hex32(p + i, n - i, out->digest);
}

static bool split_line(const char *p, size_t n, struct parts *out)
{
	size_t i = blanks(p, n);
	p += i;
	n -= i;
	out->escaped = n && p[0] == '\\';
	if (out->escaped) {
		p++;
		n--;
	}
	if (n > 6 && memcmp(p, "SHA256", 6) == 0)
		return tag_line(p + 6, n - 6, out);
	if (n < 66 || (p[64] != ' ' && p[64] != '\t') || !hex32(p, 64, out->digest))
		return false;
	i = 65;
	/* The second blank or the star; after a single blank the name follows at once. */
	if (n - i > 1 && (p[i] == ' ' || p[i] == '*'))
		i++;
	out->name = (struct c4w_view){ p + i, n - i };
	return true;
}

static bool is_comment(const char *p, size_t n)
{
	return n == 0 || p[0] == '#';
}

/* The name as it is on disk, NUL-terminated; *ok is false for a wrong escape or a NUL. */
static int unescape(const struct parts *parts, struct c4w_arena *arena, const char **out, bool *ok, struct c4w_err *err)
{
	char *name = c4w_arena_text(arena, parts->name.p, parts->name.n);
	size_t i, used = 0;
	if (!name)
		return c4w_fail_memory(err, parts->name.n + 1);
	*ok = memchr(name, 0, parts->name.n) == NULL;
	*out = name;
	if (!parts->escaped)
		return C4W_OK;
	for (i = 0; i < parts->name.n && *ok; i++) {
		char c = parts->name.p[i];
		if (c == '\\') {
			char e = ++i < parts->name.n ? parts->name.p[i] : 0;
			if (e != 'n' && e != 'r' && e != '\\')
				*ok = false;
			c = e == 'n' ? '\n' : e == 'r' ? '\r' : '\\';
		}
		name[used++] = c;
	}
	name[used] = 0;
	return C4W_OK;
}

/* Length of the line at p without its end; *next is where the following one starts. */
static size_t line_length(const char *p, size_t n, bool zero, size_t *next)
{
	const char *end = memchr(p, zero ? 0 : '\n', n);
	size_t len = end ? (size_t)(end - p) : n;
	*next = end ? len + 1 : n;
	if (!zero && len && p[len - 1] == '\r')
		len--;
	return len;
}

static size_t skip_mark(const char *p, size_t n)
{
	return n >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

int c4w_sums_parse(const char *p, size_t n, bool zero, struct c4w_arena *arena, struct c4w_sums *out, struct c4w_err *err)
{
	size_t at, next, lines = 0;
	uint64_t number = 0;
	void *mem;
	memset(out, 0, sizeof *out);
	at = skip_mark(p, n);
	for (; at < n; at += next, lines++)
		line_length(p + at, n - at, zero, &next);
	C4W_TRY(c4w_arena_zero(arena, lines ? lines : 1, sizeof *out->v, &mem, err));
	out->v = mem;
	for (at = skip_mark(p, n); at < n; at += next) {
		size_t len = line_length(p + at, n - at, zero, &next);
		struct parts parts = { 0 };
		bool ok;
		number++;
		if (is_comment(p + at, len))
			continue;
		ok = split_line(p + at, len, &parts) && !(zero && parts.escaped);
		if (ok) {
			struct c4w_sum *s = &out->v[out->count];
			C4W_TRY(unescape(&parts, arena, &s->name, &ok, err));
			if (ok) {
				memcpy(s->digest, parts.digest, 32);
				s->line = number;
				out->count++;
				continue;
			}
		}
		if (out->malformed++ == 0)
			out->first_malformed = number;
	}
	return C4W_OK;
}

bool c4w_sums_probe(const char *p, size_t n)
{
	size_t at, next;
	for (at = skip_mark(p, n); at < n; at += next) {
		size_t len = line_length(p + at, n - at, false, &next);
		struct parts parts = { 0 };
		if (!is_comment(p + at, len))
			return split_line(p + at, len, &parts);
	}
	return false;
}

void c4w_sums_write(struct c4w_buf *b, const uint8_t digest[32], const char *name, enum c4w_sums_style style, bool zero)
{
	char hex[65];
	bool escaped = !zero && strpbrk(name, "\\\n\r") != NULL;
	c4w_hex(hex, digest, 32);
	if (escaped)
		c4w_buf_putc(b, '\\');
	if (style == C4W_SUMS_TAG)
		c4w_buf_puts(b, "SHA256 (");
	else {
		c4w_buf_puts(b, hex);
		c4w_buf_puts(b, style == C4W_SUMS_BINARY ? " *" : "  ");
	}
	if (escaped) {
		const char *c;
		for (c = name; *c; c++) {
			if (*c == '\\' || *c == '\n' || *c == '\r') {
				c4w_buf_putc(b, '\\');
				c4w_buf_putc(b, *c == '\n' ? 'n' : *c == '\r' ? 'r' : '\\');
			} else
				c4w_buf_putc(b, *c);
		}
	} else
		c4w_buf_puts(b, name);
	if (style == C4W_SUMS_TAG) {
		c4w_buf_puts(b, ") = ");
		c4w_buf_puts(b, hex);
	}
	c4w_buf_putc(b, zero ? 0 : '\n');
}
