/* Writing JSON: the streaming writer, and values of a parsed document as Python's json.dumps lays them out. See json.h. */
#include "containers/json_impl.h"

#include "base/numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- strings ---- */

static void put_escape(struct c4w_buf *out, uint32_t cp)
{
	static const char hex[] = "0123456789abcdef";
	char t[6] = { '\\', 'u', hex[cp >> 12 & 15], hex[cp >> 8 & 15], hex[cp >> 4 & 15], hex[cp & 15] };
	c4w_buf_put(out, t, 6);
}

static void put_code(struct c4w_buf *out, uint32_t cp)
{
	if (cp >= 0x10000) {
		put_escape(out, 0xD800 + ((cp - 0x10000) >> 10));
		cp = 0xDC00 + ((cp - 0x10000) & 0x3FF);
	}
	put_escape(out, cp);
}

/* Three bytes that stand for half a surrogate pair (C4W_JSON_SURROGATES); 0 when they do not. */
static uint32_t lone_surrogate(const char *p, size_t n)
{
	const unsigned char *u = (const unsigned char *)p;
	if (n < 3 || u[0] != 0xED || u[1] < 0xA0 || u[1] > 0xBF || (u[2] & 0xC0) != 0x80)
		return 0;
	return 0xD000U | (u[1] & 0x3FU) << 6 | (u[2] & 0x3FU);
}

void c4w_json_quote(struct c4w_buf *out, struct c4w_view text, bool ascii)
{
	size_t i = 0, from = 0;
	c4w_buf_putc(out, '"');
	while (i < text.n) {
		unsigned char c = (unsigned char)text.p[i];
		const char *letter;
		uint32_t cp = 0;
		size_t len = 1;
		if (c >= ' ' && c < 0x80 && c != '"' && c != '\\' && !(c == 0x7F && ascii)) {
			i++;
			continue;
		}
		if (c >= 0x80) {
			len = c4w_utf8_decode(text.p + i, text.n - i, &cp);
			if (len && !ascii) {
				i += len;
				continue;
			}
			if (len == 0 && (cp = lone_surrogate(text.p + i, text.n - i)) != 0)
				len = 3; /* always escaped: what is written is UTF-8 */
		}
		c4w_buf_put(out, text.p + from, i - from);
		if (len == 0) {
			if (ascii)
				put_escape(out, 0xFFFD);
			else
				c4w_buf_puts(out, "\xEF\xBF\xBD");
			len = 1;
		} else if (c >= 0x80) {
			put_code(out, cp);
		} else if (c && (letter = strchr("\"\\\bb\ff\nn\rr\tt", c)) != NULL) {
			c4w_buf_putc(out, '\\');
			c4w_buf_putc(out, c == '"' || c == '\\' ? (char)c : letter[1]);
		} else {
			put_escape(out, c);
		}
		i += len;
		from = i;
	}
	c4w_buf_put(out, text.p + from, text.n - from);
	c4w_buf_putc(out, '"');
}

/* ---- the stream ---- */

enum { OBJECT = 1, FILLED = 2 };

struct c4w_json_out c4w_json_out(struct c4w_buf *buf, struct c4w_json_style style)
{
	struct c4w_json_out j;
	j.buf = buf;
	j.style = style;
	j.depth = 0;
	j.after_key = false;
	return j;
}

static void new_line(struct c4w_json_out *j)
{
	size_t n = (size_t)j->style.indent * j->depth;
	if (!j->style.indent || !c4w_buf_reserve(j->buf, n + 1))
		return;
	c4w_buf_putc(j->buf, '\n');
	memset(j->buf->p + j->buf->n, ' ', n);
	j->buf->n += n;
	j->buf->p[j->buf->n] = 0;
}

static void separate(struct c4w_json_out *j)
{
	uint8_t *kind = &j->kind[j->depth - 1];
	if (*kind & FILLED)
		c4w_buf_putc(j->buf, ',');
	*kind |= FILLED;
	new_line(j);
}

/* Before every value. False when a value has no place here. */
static bool begin(struct c4w_json_out *j)
{
	if (j->depth == 0)
		return !j->buf->failed;
	if (j->kind[j->depth - 1] & OBJECT) {
		if (!j->after_key) {
			j->buf->failed = true;
			return false;
		}
		j->after_key = false;
		return true;
	}
	separate(j);
	return true;
}

static void open(struct c4w_json_out *j, uint8_t kind)
{
	if (!begin(j))
		return;
	if (j->depth == sizeof j->kind) {
		j->buf->failed = true;
		return;
	}
	j->kind[j->depth++] = kind;
	c4w_buf_putc(j->buf, kind ? '{' : '[');
}

void c4w_jo_object(struct c4w_json_out *j)
{
	open(j, OBJECT);
}

void c4w_jo_array(struct c4w_json_out *j)
{
	open(j, 0);
}

void c4w_jo_end(struct c4w_json_out *j)
{
	uint8_t kind;
	if (j->depth == 0 || j->after_key) {
		j->buf->failed = true;
		return;
	}
	kind = j->kind[--j->depth];
	if (kind & FILLED)
		new_line(j);
	c4w_buf_putc(j->buf, kind & OBJECT ? '}' : ']');
}

/* What follows is a member's value; the key's text is put by the caller between the two. */
static bool begin_key(struct c4w_json_out *j)
{
	if (j->depth == 0 || !(j->kind[j->depth - 1] & OBJECT) || j->after_key) {
		j->buf->failed = true;
		return false;
	}
	separate(j);
	return true;
}

static void end_key(struct c4w_json_out *j)
{
	c4w_buf_put(j->buf, ": ", j->style.indent ? 2 : 1);
	j->after_key = true;
}

void c4w_jo_key_view(struct c4w_json_out *j, struct c4w_view key)
{
	if (!begin_key(j))
		return;
	c4w_json_quote(j->buf, key, j->style.ascii);
	end_key(j);
}

void c4w_jo_key(struct c4w_json_out *j, const char *key)
{
	c4w_jo_key_view(j, c4w_view_z(key));
}

void c4w_jo_raw(struct c4w_json_out *j, struct c4w_view text)
{
	if (begin(j))
		c4w_buf_put(j->buf, text.p, text.n);
}

void c4w_jo_string(struct c4w_json_out *j, struct c4w_view text)
{
	if (begin(j))
		c4w_json_quote(j->buf, text, j->style.ascii);
}

void c4w_jo_z(struct c4w_json_out *j, const char *text)
{
	if (!text)
		c4w_jo_null(j);
	else
		c4w_jo_string(j, c4w_view_z(text));
}

void c4w_jo_i64(struct c4w_json_out *j, int64_t v)
{
	char t[C4W_NUMBER_TEXT];
	c4w_jo_raw(j, (struct c4w_view){ t, c4w_format_i64(v, t) });
}

void c4w_jo_u64(struct c4w_json_out *j, uint64_t v)
{
	char t[C4W_NUMBER_TEXT];
	c4w_jo_raw(j, (struct c4w_view){ t, c4w_format_u64(v, t) });
}

void c4w_jo_double(struct c4w_json_out *j, double v)
{
	char t[C4W_NUMBER_TEXT];
	if (isfinite(v))
		c4w_jo_raw(j, (struct c4w_view){ t, c4w_format_double(v, t) });
	else
		c4w_jo_raw(j, c4w_view_z(isnan(v) ? "NaN" : v > 0 ? "Infinity" : "-Infinity"));
}

void c4w_jo_bool(struct c4w_json_out *j, bool v)
{
	c4w_jo_raw(j, c4w_view_z(v ? "true" : "false"));
}

void c4w_jo_null(struct c4w_json_out *j)
{
	c4w_jo_raw(j, C4W_VIEW("null"));
}

/* ---- values of a document ---- */

static int dump_number(struct c4w_json_out *j, const struct c4w_json *doc, uint32_t v, struct c4w_err *err)
{
	struct c4w_view t = c4w_json_raw(doc, v);
	double d;
	if (c4w_json_is_integer(doc, v)) {
		if (c4w_view_eqz(t, "-0"))
			t = C4W_VIEW("0"); /* an int has no negative zero */
		c4w_jo_raw(j, t);
		return C4W_OK;
	}
	C4W_TRY(c4w_json_double(doc, v, &d, err));
	c4w_jo_double(j, d);
	return C4W_OK;
}

static int dump(struct c4w_json_out *j, const struct c4w_json *doc, uint32_t v, struct c4w_arena *scratch, struct c4w_err *err)
{
	struct c4w_arena_mark mark = c4w_arena_mark(scratch);
	uint32_t *keys, n, i;
	struct c4w_view text;
	switch (c4w_json_type(doc, v)) {
	case C4W_JSON_NUMBER:
		C4W_TRY(dump_number(j, doc, v, err));
		break;
	case C4W_JSON_STRING:
		C4W_TRY(c4w_json_string(doc, v, scratch, &text, err));
		c4w_jo_string(j, text);
		break;
	case C4W_JSON_ARRAY:
		c4w_jo_array(j);
		n = c4w_json_count(doc, v);
		for (i = 0, v += 2; i < n; i++, v = json_after(doc, v))
			C4W_TRY(dump(j, doc, v, scratch, err));
		c4w_jo_end(j);
		break;
	case C4W_JSON_OBJECT:
		c4w_jo_object(j);
		C4W_TRY(json_members(doc, v, j->style.sort, scratch, &keys, &n, err));
		for (i = 0; i < n; i++) {
			C4W_TRY(c4w_json_string(doc, keys[i], scratch, &text, err));
			c4w_jo_key_view(j, text);
			C4W_TRY(dump(j, doc, keys[i] + 1, scratch, err));
		}
		c4w_jo_end(j);
		break;
	default:
		c4w_jo_raw(j, c4w_json_raw(doc, v));
	}
	c4w_arena_rewind(scratch, mark);
	return C4W_OK;
}

int c4w_jo_value(struct c4w_json_out *j, const struct c4w_json *doc, uint32_t v, struct c4w_arena *scratch, struct c4w_err *err)
{
	struct c4w_arena_mark mark = c4w_arena_mark(scratch);
	int r = dump(j, doc, v, scratch, err);
	c4w_arena_rewind(scratch, mark);
	return r;
}

int c4w_json_dump(const struct c4w_json *doc, uint32_t v, struct c4w_json_style style, struct c4w_arena *scratch,
		  struct c4w_buf *out, struct c4w_err *err)
{
	struct c4w_json_out j = c4w_json_out(out, style);
	C4W_TRY(c4w_jo_value(&j, doc, v, scratch, err));
	return c4w_buf_ok(out, err);
}

int c4w_json_canonical(const struct c4w_json *doc, uint32_t v, struct c4w_arena *scratch, struct c4w_buf *out,
		       struct c4w_err *err)
{
	return c4w_json_dump(doc, v, (struct c4w_json_style){ .sort = true }, scratch, out, err);
}
