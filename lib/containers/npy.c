/* NPY headers: a small reader of the Python literal that numpy writes, and the writer of the same.
 *
 * Follows numpy's own description (numpy.lib.format, NEP 1). What numpy's reader takes and this one refuses on purpose: repeated
 * keys, True as a dimension, string prefixes other than u, hexadecimal dimensions. */
#include "containers/npy.h"

#include "base/checked.h"
#include "base/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const struct c4w_rule c4w_npy_rules[] = {
	{ "npy.magic", "an NPY file begins with \\x93NUMPY", "numpy.lib.format" },
	{ "npy.header-length", "the header lies within the file", "numpy.lib.format" },
	{ "npy.header", "the header is one Python dictionary and nothing else", "numpy.lib.format" },
	{ "npy.keys", "the header has exactly the keys descr, fortran_order and shape", "numpy.lib.format" },
	{ "npy.dtype", "descr names a type of numpy", "numpy.lib.format" },
	{ "npy.shape", "shape is a tuple of integers that are not negative", "numpy.lib.format" },
	{ "array.size", "the product of shape and item size fits 63 bits", "numpy.lib.format" },
	{ "npy.body-short", "the data is as long as shape and type say", "numpy.lib.format" },
	{ "npy.trailing", "nothing stands behind the data", "numpy.lib.format" },
	{ 0 },
};

enum { NEST_MAX = 32, PREFIX_V1 = 10, PREFIX_V2 = 12 };

struct literal {
	const uint8_t *p, *end, *base;
	struct c4w_arena *arena;
	struct c4w_err *err;
	uint8_t major;
	unsigned depth;
	/* a type that is not read: kept until the rest of the header has shown to be sound */
	const char *unsupported;
	char unsupported_type[80];
};

static int bad(struct literal *l, const char *rule, const uint8_t *at, const char *what)
{
	return c4w_damaged(l->err, rule, at - l->base, "npy header: %s", what);
}

static void blanks(struct literal *l)
{
	static const uint8_t eight[8] = { ' ', ' ', ' ', ' ', ' ', ' ', ' ', ' ' };
	while (l->end - l->p >= 8 && memcmp(l->p, eight, 8) == 0) /* numpy pads headers with some sixty of them */
		l->p += 8;
	while (l->p < l->end && (*l->p == ' ' || *l->p == '\n' || *l->p == '\t' || *l->p == '\r' || *l->p == '\f'))
		l->p++;
}

/* The next character after blanks, -1 at the end. */
static int peek(struct literal *l)
{
	blanks(l);
	return l->p < l->end ? *l->p : -1;
}

static bool take(struct literal *l, char c)
{
	if (peek(l) != (unsigned char)c)
		return false;
	l->p++;
	return true;
}

static bool take_word(struct literal *l, const char *word)
{
	size_t n = strlen(word);
	blanks(l);
	if ((size_t)(l->end - l->p) < n || memcmp(l->p, word, n) != 0)
		return false;
	if (l->p + n < l->end) {
		uint8_t c = l->p[n];
		if (c == '_' || c >= 0x80 || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'))
			return false;
	}
	l->p += n;
	return true;
}

/* ---- strings ---- */

static int hex_escape(struct literal *l, unsigned digits, uint32_t *out)
{
	uint32_t v = 0;
	unsigned i;
	for (i = 0; i < digits; i++, l->p++) {
		uint8_t c = l->p < l->end ? *l->p : 0;
		if (c >= '0' && c <= '9')
			v = v << 4 | (uint32_t)(c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			v = v << 4 | (uint32_t)((c | 0x20) - 'a' + 10);
		else
			return bad(l, "npy.header", l->p, "a wrong escape in a text");
	}
	if (v > 0x10FFFF || (v >= 0xD800 && v <= 0xDFFF))
		return bad(l, "npy.header", l->p, "an escape that is no character");
	*out = v;
	return C4W_OK;
}

static int escape(struct literal *l, uint32_t *out)
{
	static const char plain[] = "\\'\"abfnrtv", value[] = "\\'\"\a\b\f\n\r\t\v";
	const char *found;
	uint8_t c;
	if (l->p == l->end)
		return bad(l, "npy.header", l->p, "a text without end");
	c = *l->p++;
	if (c == 'x' || c == 'u' || c == 'U')
		return hex_escape(l, c == 'x' ? 2 : c == 'u' ? 4 : 8, out);
	found = c ? memchr(plain, c, sizeof plain - 1) : NULL;
	if (!found)
		return bad(l, "npy.header", l->p - 1, "an escape that is not read here");
	*out = (uint32_t)value[found - plain];
	return C4W_OK;
}

/* A quoted text. Borrowed when it needs no decoding, else UTF-8 in the arena. */
static int text(struct literal *l, struct c4w_view *out)
{
	const uint8_t *start, *q;
	uint8_t quote;
	void *mem;
	char *o;
	int c = peek(l);
	if ((c == 'u' || c == 'U') && l->end - l->p > 1 && (l->p[1] == '\'' || l->p[1] == '"'))
		c = *++l->p;
	if (c != '\'' && c != '"')
		return bad(l, "npy.header", l->p, "a text in quotes expected");
	quote = (uint8_t)c;
	start = ++l->p;
	for (q = start; q < l->end && *q != quote && *q != '\\' && *q >= 0x20 && *q < 0x80; q++)
		;
	if (q < l->end && *q == quote) {
		*out = (struct c4w_view){ (const char *)start, (size_t)(q - start) };
		l->p = q + 1;
		return C4W_OK;
	}
	/* every byte gives at most two (latin-1), every escape fewer than it takes */
	C4W_TRY(c4w_arena_take(l->arena, 2 * (size_t)(l->end - start), &mem, l->err));
	o = mem;
	for (l->p = start;;) {
		uint32_t cp;
		if (l->p == l->end || *l->p == '\n' || *l->p == '\r' || *l->p == 0)
			return bad(l, "npy.header", l->p, "a text without end");
		if (*l->p == quote)
			break;
		if (*l->p == '\\') {
			l->p++;
			C4W_TRY(escape(l, &cp));
		} else if (*l->p < 0x80 || l->major < 3) {
			cp = *l->p++; /* latin-1: the byte is the character */
		} else {
			size_t step = c4w_utf8_decode((const char *)l->p, (size_t)(l->end - l->p), &cp);
			if (step == 0)
				return bad(l, "npy.header", l->p, "text that is not UTF-8");
			l->p += step;
		}
		o += c4w_utf8_encode(cp, o);
	}
	l->p++;
	*out = (struct c4w_view){ mem, (size_t)(o - (char *)mem) };
	return C4W_OK;
}

/* ---- numbers and shapes ---- */

static int dimension(struct literal *l, uint64_t *out)
{
	const uint8_t *start;
	uint64_t v = 0;
	int c = peek(l);
	start = l->p;
	if (c == '-')
		return bad(l, "npy.shape", start, "a negative dimension");
	if (c < '0' || c > '9')
		return bad(l, "npy.shape", start, "a dimension that is no integer");
	for (; l->p < l->end && *l->p >= '0' && *l->p <= '9'; l->p++)
		if (!c4w_mul_u64(v, 10, &v) || !c4w_add_u64(v, (uint64_t)(*l->p - '0'), &v) || v > INT64_MAX)
			return bad(l, "npy.shape", start, "a dimension beyond 63 bits");
	if (*start == '0' && l->p - start > 1 && v != 0)
		return bad(l, "npy.shape", start, "a dimension with a leading zero");
	/* Python 2 wrote long integers so; numpy stopped reading them in version 3 (known-bugs 2) */
	if (l->major < 3 && l->p < l->end && *l->p == 'L')
		l->p++;
	if (l->p < l->end && (*l->p == '_' || *l->p == '.' || *l->p >= 0x80 || ((*l->p | 0x20) >= 'a' && (*l->p | 0x20) <= 'z')))
		return bad(l, "npy.shape", start, "a dimension that is no integer");
	*out = v;
	return C4W_OK;
}

/* A tuple of dimensions into `shape`; `max` of them at most. */
static int tuple(struct literal *l, uint64_t *shape, unsigned max, unsigned *rank)
{
	const uint8_t *start;
	bool comma = false;
	unsigned n = 0;
	blanks(l);
	start = l->p;
	if (!take(l, '('))
		return bad(l, "npy.shape", start, "a tuple of dimensions expected");
	while (!take(l, ')')) {
		if (n && !comma)
			return bad(l, "npy.shape", l->p, "',' or ')' expected");
		if (n == max)
			return bad(l, "npy.shape", l->p, "more dimensions than numpy has");
		C4W_TRY(dimension(l, &shape[n++]));
		comma = take(l, ',');
	}
	if (n == 1 && !comma)
		return bad(l, "npy.shape", start, "a number in parentheses, not a tuple");
	*rank = n;
	return C4W_OK;
}

/* ---- types ---- */

struct named_type {
	const char *name;
	char kind;
	uint8_t size;
};

/* Spellings that numpy.dtype() takes besides its own; native order, which is little-endian wherever such files are made. */
static const struct named_type named_types[] = {
	{ "bool", 'b', 1 }, { "?", 'b', 1 }, { "int8", 'i', 1 }, { "b", 'i', 1 }, { "int16", 'i', 2 }, { "h", 'i', 2 },
	{ "int32", 'i', 4 }, { "i", 'i', 4 }, { "int64", 'i', 8 }, { "l", 'i', 8 }, { "q", 'i', 8 }, { "uint8", 'u', 1 },
	{ "B", 'u', 1 }, { "uint16", 'u', 2 }, { "H", 'u', 2 }, { "uint32", 'u', 4 }, { "I", 'u', 4 }, { "uint64", 'u', 8 },
	{ "L", 'u', 8 }, { "Q", 'u', 8 }, { "float16", 'f', 2 }, { "e", 'f', 2 }, { "float32", 'f', 4 }, { "f", 'f', 4 },
	{ "float64", 'f', 8 }, { "d", 'f', 8 }, { "complex64", 'c', 8 }, { "F", 'c', 8 }, { "complex128", 'c', 16 },
	{ "D", 'c', 16 },
};

static bool size_fits(char kind, uint64_t n)
{
	switch (kind) {
	case 'b': return n == 1;
	case 'i': case 'u': return n == 1 || n == 2 || n == 4 || n == 8;
	case 'f': return n == 2 || n == 4 || n == 8 || n == 16;
	case 'c': return n == 8 || n == 16 || n == 32;
	case 'M': case 'm': return n == 8;
	default: return true;
	}
}

/* "[25s]" behind M8 and m8. */
static bool datetime_unit(struct c4w_view s, struct c4w_dtype *d)
{
	static const char *const units[] = { "generic", "Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as" };
	uint64_t n = 0;
	size_t i = 1, k;
	if (s.n < 3 || s.p[0] != '[' || s.p[s.n - 1] != ']')
		return false;
	for (; i < s.n - 1 && s.p[i] >= '0' && s.p[i] <= '9'; i++) {
		n = n * 10 + (uint64_t)(s.p[i] - '0');
		if (n > INT32_MAX)
			return false;
	}
	if (i > 1 && n == 0)
		return false;
	d->units = i > 1 ? (uint32_t)n : 1;
	for (k = 0; k < sizeof units / sizeof *units; k++)
		if (c4w_view_eqz((struct c4w_view){ s.p + i, s.n - 1 - i }, units[k])) {
			d->unit = (uint8_t)k;
			return k != C4W_UNIT_GENERIC || i == 1;
		}
	return false;
}

static int bad_type(struct literal *l, const uint8_t *at, struct c4w_view s)
{
	char shown[80];
	c4w_str_escape(shown, sizeof shown, s.p, s.n);
	return c4w_damaged(l->err, "npy.dtype", at - l->base, "npy header: \"%s\" is no type of numpy", shown);
}

static int unsupported_type(struct literal *l, struct c4w_view s, const char *why)
{
	if (!l->unsupported) {
		l->unsupported = why;
		c4w_str_escape(l->unsupported_type, sizeof l->unsupported_type, s.p, s.n);
	}
	return C4W_OK;
}

static int plain_type(struct literal *l, const uint8_t *at, struct c4w_view s, struct c4w_dtype *d)
{
	static const char kinds[] = "biufcSaUVMm";
	struct c4w_view t = s;
	uint64_t n = 0;
	size_t i;
	char order = '=', kind;
	*d = (struct c4w_dtype){ 0 };
	if (t.n && (*t.p == '<' || *t.p == '>' || *t.p == '|' || *t.p == '=')) {
		order = *t.p++;
		t.n--;
	}
	if (t.n && *t.p == 'O')
		return unsupported_type(l, s, "they hold Python objects (pickle), which c4w never executes");
	if (t.n && *t.p == 'T')
		return unsupported_type(l, s, "variable-width strings are stored as pickles");
	/* numpy writes a letter and a size; all else is rare */
	for (i = t.n >= 2 && t.p[1] >= '0' && t.p[1] <= '9' ? sizeof named_types / sizeof *named_types : 0;
	     i < sizeof named_types / sizeof *named_types; i++)
		if (c4w_view_eqz(t, named_types[i].name)) {
			d->kind = named_types[i].kind;
			d->size = named_types[i].size;
			d->order = d->size == 1 ? '|' : order == '>' ? '>' : '<';
			return C4W_OK;
		}
	if (t.n && (memchr(t.p, ',', t.n) || *t.p == '(' || (*t.p >= '0' && *t.p <= '9')))
		return unsupported_type(l, s, "a type written as a list in one text");
	if (t.n == 0 || !memchr(kinds, *t.p, sizeof kinds - 1))
		return bad_type(l, at, s);
	kind = *t.p == 'a' ? 'S' : *t.p;
	for (i = 1; i < t.n && t.p[i] >= '0' && t.p[i] <= '9'; i++) {
		n = n * 10 + (uint64_t)(t.p[i] - '0');
		if (n > INT32_MAX)
			return bad_type(l, at, s);
	}
	if (i == 1 && strchr("biufc", kind))
		return bad_type(l, at, s);
	if (i == 1 && (kind == 'M' || kind == 'm'))
		n = 8;
	d->kind = kind;
	d->units = 1;
	if (kind == 'M' || kind == 'm') {
		if (i < t.n && !datetime_unit((struct c4w_view){ t.p + i, t.n - i }, d))
			return bad_type(l, at, s);
	} else {
		d->units = 0;
		if (i < t.n)
			return bad_type(l, at, s);
	}
	if (!size_fits(kind, n) || (kind == 'U' && n > INT32_MAX / 4))
		return kind == 'f' && n == 12 ? unsupported_type(l, s, "an extended float of 12 bytes") : bad_type(l, at, s);
	d->size = kind == 'U' ? n * 4 : n;
	d->order = order == '>' ? '>' : '<';
	if (d->size == 1 || kind == 'S' || kind == 'V')
		d->order = '|';
	return C4W_OK;
}

static int type(struct literal *l, struct c4w_field *f);

/* The shape of a field: a tuple or one number, and perhaps a comma. */
static int shape(struct literal *l, uint64_t *axes, unsigned *rank)
{
	if (peek(l) == '(') {
		C4W_TRY(tuple(l, axes, C4W_ARRAY_RANK_MAX, rank));
	} else {
		C4W_TRY(dimension(l, &axes[0]));
		*rank = 1;
	}
	(void)take(l, ',');
	return C4W_OK;
}

/* A shape around a type that may have one itself: the axes add up, outer ones first. */
static int shape_around(struct literal *l, struct c4w_field *f, const uint64_t *axes, unsigned rank, const uint8_t *at)
{
	uint64_t *joined;
	unsigned i;
	void *mem;
	if (rank + f->rank > C4W_ARRAY_RANK_MAX)
		return bad(l, "npy.dtype", at, "more dimensions than numpy has");
	if (rank == 0)
		return C4W_OK;
	C4W_TRY(c4w_arena_take(l->arena, (rank + f->rank) * sizeof *joined, &mem, l->err));
	joined = mem;
	memcpy(joined, axes, rank * sizeof *joined);
	if (f->rank)
		memcpy(joined + rank, f->shape, f->rank * sizeof *joined);
	f->shape = joined;
	f->rank += rank;
	for (i = 0; i < rank; i++)
		if (!c4w_mul_u64(f->count, axes[i], &f->count) || f->count > INT32_MAX)
			return bad(l, "npy.dtype", at, "a field too large for numpy");
	return C4W_OK;
}

/* "(name, type)" or "(name, type, shape)" inside a list; name may be "(title, name)". */
static int struct_field(struct literal *l, struct c4w_field *f)
{
	uint64_t axes[C4W_ARRAY_RANK_MAX];
	unsigned rank = 0;
	if (!take(l, '('))
		return bad(l, "npy.dtype", l->p, "a field (name, type) expected");
	f->title = (struct c4w_view){ NULL, 0 };
	if (take(l, '(')) {
		if (!take_word(l, "None"))
			C4W_TRY(text(l, &f->title));
		if (!take(l, ','))
			return bad(l, "npy.dtype", l->p, "',' expected");
		C4W_TRY(text(l, &f->name));
		(void)take(l, ',');
		if (!take(l, ')'))
			return bad(l, "npy.dtype", l->p, "')' expected");
	} else {
		C4W_TRY(text(l, &f->name));
	}
	if (!take(l, ','))
		return bad(l, "npy.dtype", l->p, "',' expected");
	C4W_TRY(type(l, f));
	if (take(l, ',') && peek(l) != ')')
		C4W_TRY(shape(l, axes, &rank));
	if (!take(l, ')'))
		return bad(l, "npy.dtype", l->p, "')' expected");
	return shape_around(l, f, axes, rank, l->p);
}

static bool same_name(const struct c4w_field *a, const struct c4w_field *b)
{
	return c4w_view_eq(a->name, b->name) || (a->title.p && c4w_view_eq(a->title, b->name)) ||
	       (b->title.p && c4w_view_eq(a->name, b->title)) || (a->title.p && b->title.p && c4w_view_eq(a->title, b->title));
}

/* The list of fields of a structured type. */
static int structure(struct literal *l, struct c4w_dtype *d)
{
	struct c4w_field *fields = NULL;
	size_t n = 0, room = 0, i;
	uint64_t at = 0;
	bool comma = true;
	*d = (struct c4w_dtype){ .kind = C4W_STRUCT, .order = '|' };
	while (!take(l, ']')) {
		struct c4w_field f = { 0 };
		const uint8_t *start = l->p;
		uint64_t bytes;
		if (!comma)
			return bad(l, "npy.dtype", l->p, "',' or ']' expected");
		C4W_TRY(struct_field(l, &f));
		comma = take(l, ',');
		f.offset = at;
		if (!c4w_mul_u64(f.count, f.dtype.size, &bytes) || !c4w_add_u64(at, bytes, &at) || at > INT32_MAX)
			return bad(l, "npy.dtype", start, "an element too large for numpy");
		/* numpy marks gaps so: without a name, raw bytes or anything with a shape */
		if (f.name.n == 0 && !f.title.p && (f.dtype.kind == C4W_VOID || f.rank))
			continue;
		if (f.title.p && c4w_view_eq(f.title, f.name))
			return bad(l, "npy.dtype", start, "a title that is also the field's name");
		for (i = 0; i < n; i++)
			if (same_name(&fields[i], &f))
				return bad(l, "npy.dtype", start, "a field name that is there twice");
		if (n == room) {
			void *more;
			room = room ? 2 * room : 8;
			C4W_TRY(c4w_arena_take(l->arena, room * sizeof *fields, &more, l->err));
			if (n)
				memcpy(more, fields, n * sizeof *fields);
			fields = more;
		}
		fields[n++] = f;
	}
	d->fields = fields;
	d->field_count = n;
	d->size = at;
	return C4W_OK;
}

/* What a descr may be: a text, a list of fields, or (type, shape). Fills dtype, rank, shape and count. */
static int type(struct literal *l, struct c4w_field *f)
{
	const uint8_t *start;
	int c = peek(l), rc;
	start = l->p;
	f->count = 1;
	f->rank = 0;
	if (c == '[' || c == '(') {
		if (l->depth == NEST_MAX)
			return c4w_fail(l->err, C4W_LIMIT, "npy header: types nested deeper than %d", NEST_MAX);
		l->depth++;
		l->p++;
	}
	if (c == '[') {
		rc = structure(l, &f->dtype);
		l->depth--;
		return rc;
	}
	if (c == '(') {
		uint64_t axes[C4W_ARRAY_RANK_MAX];
		unsigned rank;
		C4W_TRY(type(l, f));
		if (!take(l, ','))
			return bad(l, "npy.dtype", l->p, "',' expected");
		C4W_TRY(shape(l, axes, &rank));
		if (!take(l, ')'))
			return bad(l, "npy.dtype", l->p, "')' expected");
		C4W_TRY(shape_around(l, f, axes, rank, start));
		l->depth--;
		return C4W_OK;
	}
	{
		struct c4w_view s;
		C4W_TRY(text(l, &s));
		return plain_type(l, start, s, &f->dtype);
	}
}

/* ---- the header ---- */

static int dictionary(struct literal *l, struct c4w_array *a)
{
	static const char *const names[3] = { "descr", "fortran_order", "shape" };
	bool seen[3] = { false, false, false }, comma = true;
	unsigned k;
	if (!take(l, '{'))
		return bad(l, "npy.header", l->p, "a Python dictionary expected");
	while (!take(l, '}')) {
		const uint8_t *start = l->p;
		struct c4w_view key;
		if (!comma)
			return bad(l, "npy.header", l->p, "',' or '}' expected");
		C4W_TRY(text(l, &key));
		for (k = 0; k < 3 && !c4w_view_eqz(key, names[k]); k++)
			;
		if (k == 3) {
			char shown[64];
			c4w_str_escape(shown, sizeof shown, key.p, key.n);
			return c4w_damaged(l->err, "npy.keys", start - l->base, "npy header: \"%s\" is none of its three keys", shown);
		}
		if (seen[k])
			return c4w_damaged(l->err, "npy.keys", start - l->base, "npy header: the key \"%s\" is there twice", names[k]);
		seen[k] = true;
		if (!take(l, ':'))
			return bad(l, "npy.header", l->p, "':' expected");
		if (k == 0) {
			struct c4w_field f = { 0 };
			C4W_TRY(type(l, &f));
			if (f.rank)
				(void)unsupported_type(l, C4W_VIEW("(type, shape)"), "an array of arrays");
			a->dtype = f.dtype;
		} else if (k == 1) {
			a->fortran = take_word(l, "True");
			if (!a->fortran && !take_word(l, "False"))
				return bad(l, "npy.header", l->p, "fortran_order is neither True nor False");
		} else {
			C4W_TRY(tuple(l, a->shape, C4W_ARRAY_RANK_MAX, &a->rank));
		}
		comma = take(l, ',');
	}
	for (k = 0; k < 3; k++)
		if (!seen[k])
			return c4w_damaged(l->err, "npy.keys", l->p - l->base, "npy header: the key \"%s\" is missing", names[k]);
	blanks(l);
	if (l->p != l->end)
		return bad(l, "npy.header", l->p, "more text behind the dictionary");
	if (l->unsupported)
		return c4w_fail(l->err, C4W_UNSUPPORTED, "arrays of type \"%s\" are not read: %s", l->unsupported_type, l->unsupported);
	return C4W_OK;
}

int c4w_npy_need(const uint8_t *p, size_t n, size_t *header_size, struct c4w_err *err)
{
	size_t prefix;
	uint64_t claimed;
	if (n < 6 || memcmp(p, "\x93NUMPY", 6) != 0)
		return c4w_damaged(err, "npy.magic", 0, "not an NPY file: it does not begin with \\x93NUMPY");
	if (n < 8)
		return c4w_damaged(err, "npy.header-length", (int64_t)n, "npy: the file ends inside its version");
	if (p[6] < 1 || p[6] > 3 || p[7] != 0)
		return c4w_fail(err, C4W_UNSUPPORTED, "NPY version %u.%u is newer than this tool (1.0, 2.0 and 3.0 are read)", p[6], p[7]);
	prefix = p[6] == 1 ? PREFIX_V1 : PREFIX_V2;
	if (n < prefix)
		return c4w_damaged(err, "npy.header-length", (int64_t)n, "npy: the file ends inside the header's length");
	claimed = p[6] == 1 ? c4w_le16(p + 8) : c4w_le32(p + 8);
	*header_size = prefix + claimed; /* below 2^33 */
	return C4W_OK;
}

static int header_cut(uint64_t size, uint64_t n, struct c4w_err *err)
{
	char have[64];
	snprintf(have, sizeof have, "at most %" PRIu64 " bytes in all", n);
	(void)c4w_damaged(err, "npy.header-length", 8, "npy: the header is longer than the file");
	(void)c4w_err_valuesf(err, have, "%" PRIu64, size);
	return C4W_DAMAGED;
}

int c4w_npy_parse(const uint8_t *p, size_t n, struct c4w_arena *arena, struct c4w_npy *out, struct c4w_err *err)
{
	struct literal l;
	size_t size = 0, prefix;
	C4W_TRY(c4w_npy_need(p, n, &size, err));
	prefix = p[6] == 1 ? PREFIX_V1 : PREFIX_V2;
	if (size > n)
		return header_cut(size, n, err);
	if (size > C4W_LIMIT_NPY_HEADER)
		return c4w_fail(err, C4W_LIMIT, "npy: a header of %zu bytes is beyond the limit of %llu", size, C4W_LIMIT_NPY_HEADER);
	out->major = p[6];
	out->minor = p[7];
	out->header_size = size;
	out->array.bytes = NULL;
	l = (struct literal){ .p = p + prefix, .end = p + size, .base = p, .arena = arena, .err = err, .major = p[6] };
	C4W_TRY(dictionary(&l, &out->array));
	return c4w_array_measure(&out->array, err);
}

int c4w_npy_check_length(const struct c4w_npy *npy, uint64_t room, bool trailing_ok, struct c4w_err *err)
{
	const struct c4w_array *a = &npy->array;
	char want[40];
	if (room == a->size || (room > a->size && trailing_ok))
		return C4W_OK;
	snprintf(want, sizeof want, "%" PRIu64 " bytes", a->size);
	if (room < a->size)
		(void)c4w_damaged(err, "npy.body-short", (int64_t)(npy->header_size + room), "npy: the data is shorter than its shape says");
	else
		(void)c4w_damaged(err, "npy.trailing", (int64_t)(npy->header_size + a->size), "npy: bytes behind the data");
	(void)c4w_err_valuesf(err, want, "%" PRIu64, room);
	return C4W_DAMAGED;
}

int c4w_npy_body(struct c4w_npy *npy, const uint8_t *p, size_t n, bool trailing_ok, struct c4w_err *err)
{
	C4W_TRY(c4w_npy_check_length(npy, n - npy->header_size, trailing_ok, err));
	npy->array.bytes = p + npy->header_size;
	return C4W_OK;
}

int c4w_npy_read(const uint8_t *p, size_t n, struct c4w_arena *arena, struct c4w_npy *out, struct c4w_err *err)
{
	C4W_TRY(c4w_npy_parse(p, n, arena, out, err));
	return c4w_npy_body(out, p, n, false, err);
}

int c4w_npy_read_header(struct c4w_blob *b, uint64_t offset, uint64_t length, struct c4w_arena *arena, struct c4w_npy *out,
			struct c4w_err *err)
{
	const uint8_t *p;
	size_t first = length < 256 ? (size_t)length : 256, size = 0;
	C4W_TRY(c4w_blob_view(b, offset, first, arena, &p, err));
	C4W_TRY(c4w_npy_need(p, first, &size, err));
	if (size > length)
		return header_cut(size, length, err);
	if (size > C4W_LIMIT_NPY_HEADER)
		return c4w_fail(err, C4W_LIMIT, "npy: a header of %zu bytes is beyond the limit of %llu", size, C4W_LIMIT_NPY_HEADER);
	if (size > first) {
		first = size;
		C4W_TRY(c4w_blob_view(b, offset, first, arena, &p, err));
	}
	return c4w_npy_parse(p, first, arena, out, err);
}

void c4w_npy_write_header(struct c4w_buf *b, const struct c4w_array *a)
{
	/* numpy leaves room for the first axis (the last in Fortran order) to grow in place to 21 digits */
	enum { GROWTH_DIGITS = 21, ALIGN = 64 };
	struct c4w_buf h = { 0 };
	bool fortran = a->fortran && !c4w_array_both_orders(a), latin1 = true, wide = false;
	size_t prefix, length, pad, i;
	uint8_t head[PREFIX_V2] = { 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 0, 0, 0, 0 };
	c4w_buf_puts(&h, "{'descr': ");
	c4w_dtype_put(&h, &a->dtype);
	c4w_buf_printf(&h, ", 'fortran_order': %s, 'shape': ", fortran ? "True" : "False");
	c4w_shape_put(&h, a->rank, a->shape);
	c4w_buf_puts(&h, ", }");
	if (a->rank) {
		char digits[32];
		int n = snprintf(digits, sizeof digits, "%" PRIu64, a->shape[fortran ? a->rank - 1 : 0]);
		for (; n < GROWTH_DIGITS; n++)
			c4w_buf_putc(&h, ' ');
	}
	if (h.failed) {
		b->failed = true;
		c4w_buf_clear(&h);
		return;
	}
	/* version 1 and 2 are latin-1: C2 and C3 lead all of its upper half */
	for (i = 0; i < h.n; i++) {
		uint8_t c = (uint8_t)h.p[i];
		wide = wide || c >= 0x80;
		latin1 = latin1 && (c < 0xC0 || c == 0xC2 || c == 0xC3);
	}
	if (latin1 && wide) {
		size_t o = 0;
		for (i = 0; i < h.n; i++, o++)
			if ((uint8_t)h.p[i] >= 0xC0) {
				h.p[o] = (char)(uint8_t)((uint8_t)h.p[i] << 6 | ((uint8_t)h.p[i + 1] & 0x3F));
				i++;
			} else {
				h.p[o] = h.p[i];
			}
		h.n = o;
	}
	for (head[6] = latin1 ? 1 : 3;; head[6] = 2) {
		prefix = head[6] == 1 ? PREFIX_V1 : PREFIX_V2;
		pad = ALIGN - (prefix + h.n + 1) % ALIGN;
		length = h.n + pad + 1;
		if (head[6] != 1 || length <= UINT16_MAX)
			break;
	}
	for (i = 0; i < prefix - 8; i++)
		head[8 + i] = (uint8_t)(length >> (8 * i));
	c4w_buf_put(b, head, prefix);
	c4w_buf_put(b, h.p, h.n);
	while (pad--)
		c4w_buf_putc(b, ' ');
	c4w_buf_putc(b, '\n');
	c4w_buf_clear(&h);
}

int c4w_npy_verify(struct c4w_blob *b, struct c4w_arena *arena, struct c4w_faults *faults, struct c4w_err *err)
{
	struct c4w_err e;
	struct c4w_npy npy;
	int rc;
	c4w_err_clear(&e);
	rc = c4w_npy_read_header(b, 0, c4w_blob_size(b), arena, &npy, &e);
	if (rc == C4W_OK)
		rc = c4w_npy_check_length(&npy, c4w_blob_size(b) - npy.header_size, false, &e);
	if (rc == C4W_OK)
		return C4W_OK;
	rc = c4w_fault(faults, &e);
	if (rc != C4W_OK && err)
		*err = e;
	return rc;
}
