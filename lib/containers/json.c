/* Reading values off a parsed tape: walking, look-up, strings, numbers, equality, cJSON trees. See json.h. */
#include "containers/json_impl.h"

#include "base/numbers.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum c4w_json_type c4w_json_type(const struct c4w_json *doc, uint32_t v)
{
	switch (json_lead(doc, v)) {
	case 'n': return C4W_JSON_NULL;
	case 'f': return C4W_JSON_FALSE;
	case 't': return C4W_JSON_TRUE;
	case '"': return C4W_JSON_STRING;
	case '[': return C4W_JSON_ARRAY;
	case '{': return C4W_JSON_OBJECT;
	default: return C4W_JSON_NUMBER;
	}
}

const char *c4w_json_type_name(enum c4w_json_type t)
{
	static const char *const names[] = { "null", "boolean", "boolean", "number", "string", "array", "object" };
	return names[t];
}

struct c4w_view c4w_json_raw(const struct c4w_json *doc, uint32_t v)
{
	const char *p = doc->text + doc->slots[v].start;
	if (json_is_container(doc, v))
		return (struct c4w_view){ p, doc->slots[v + 1].start - doc->slots[v].start };
	return (struct c4w_view){ p, doc->slots[v].rest >> 1 };
}

size_t c4w_json_offset(const struct c4w_json *doc, uint32_t v)
{
	return doc->slots[v].start;
}

uint32_t c4w_json_count(const struct c4w_json *doc, uint32_t v)
{
	return json_is_container(doc, v) ? doc->slots[v + 1].rest : 0;
}

uint32_t c4w_json_first(const struct c4w_json *doc, uint32_t container)
{
	return c4w_json_count(doc, container) ? container + 2 : C4W_JSON_NONE;
}

uint32_t c4w_json_next(const struct c4w_json *doc, uint32_t container, uint32_t element)
{
	uint32_t next = json_after(doc, element);
	return next < doc->slots[container].rest ? next : C4W_JSON_NONE;
}

/* ---- strings ---- */

struct json_chars json_chars(struct c4w_view inner)
{
	return (struct json_chars){ .p = inner.p, .end = inner.p + inner.n };
}

static uint32_t hex(const char *p)
{
	uint32_t v = 0;
	int i;
	for (i = 0; i < 4; i++)
		v = v << 4 | (uint32_t)(p[i] <= '9' ? p[i] - '0' : (p[i] | 32) - 'a' + 10);
	return v;
}

/* The escape at *p, checked before by the parser, into out; moves *p behind it. */
static unsigned unescape_one(const char **p, const char *end, char out[4])
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *at = *p;
	uint32_t cp, low;
	if (at[1] != 'u') {
		out[0] = to[strchr(from, at[1]) - from];
		*p = at + 2;
		return 1;
	}
	cp = hex(at + 2);
	*p = at + 6;
	if (cp >= 0xD800 && cp < 0xDC00 && end - at >= 12 && at[6] == '\\' && at[7] == 'u') {
		low = hex(at + 8);
		if (low >= 0xDC00 && low <= 0xDFFF) {
			cp = 0x10000 + ((cp - 0xD800) << 10) + (low - 0xDC00);
			*p = at + 12;
		}
	}
	return (unsigned)c4w_utf8_encode(cp, out); /* half a pair, where let through: as if it were a character */
}

int json_chars_next(struct json_chars *c)
{
	if (c->i < c->n)
		return (unsigned char)c->held[c->i++];
	if (c->p == c->end)
		return -1;
	if (*c->p != '\\')
		return (unsigned char)*c->p++;
	c->n = unescape_one(&c->p, c->end, c->held);
	c->i = 1;
	return (unsigned char)c->held[0];
}

size_t json_unescape(struct c4w_view inner, char *out)
{
	const char *p = inner.p, *end = p + inner.n, *slash;
	char *to = out;
	while (p < end) {
		slash = memchr(p, '\\', (size_t)(end - p));
		if (!slash)
			slash = end;
		memcpy(to, p, (size_t)(slash - p));
		to += slash - p;
		p = slash;
		if (p < end) {
			char piece[4];
			unsigned n = unescape_one(&p, end, piece);
			memcpy(to, piece, n);
			to += n;
		}
	}
	return (size_t)(to - out);
}

int json_string_cmp(const struct c4w_json *a, uint32_t va, const struct c4w_json *b, uint32_t vb)
{
	struct json_chars ca, cb;
	int x, y;
	if (!json_escaped(a, va) && !json_escaped(b, vb))
		return c4w_view_cmp(json_inner(a, va), json_inner(b, vb));
	ca = json_chars(json_inner(a, va));
	cb = json_chars(json_inner(b, vb));
	do {
		x = json_chars_next(&ca);
		y = json_chars_next(&cb);
	} while (x == y && x >= 0);
	return x < y ? -1 : x > y;
}

bool c4w_json_string_eq(const struct c4w_json *doc, uint32_t v, struct c4w_view text)
{
	struct json_chars c;
	size_t i = 0;
	int b;
	if (v == C4W_JSON_NONE || json_lead(doc, v) != '"')
		return false;
	if (!json_escaped(doc, v))
		return c4w_view_eq(json_inner(doc, v), text);
	for (c = json_chars(json_inner(doc, v)); (b = json_chars_next(&c)) >= 0; i++)
		if (i == text.n || b != (unsigned char)text.p[i])
			return false;
	return i == text.n;
}

uint32_t c4w_json_member_view(const struct c4w_json *doc, uint32_t v, struct c4w_view key)
{
	uint32_t k, found = C4W_JSON_NONE;
	if (v == C4W_JSON_NONE || json_lead(doc, v) != '{')
		return C4W_JSON_NONE;
	for (k = v + 2; k < doc->slots[v].rest; k = json_after(doc, k + 1)) {
		/* Without escapes the lengths must agree; with them the text is longer. */
		if (!json_escaped(doc, k) && (doc->slots[k].rest >> 1) != key.n + 2)
			continue;
		if (!c4w_json_string_eq(doc, k, key))
			continue;
		found = k + 1;
		if (!doc->repeated)
			break;
	}
	return found;
}

uint32_t c4w_json_member(const struct c4w_json *doc, uint32_t v, const char *key)
{
	return c4w_json_member_view(doc, v, c4w_view_z(key));
}

static int wrong_type(const struct c4w_json *doc, uint32_t v, const char *wanted, struct c4w_err *err)
{
	if (v == C4W_JSON_NONE)
		return c4w_damaged(err, "json.type", -1, "%s is missing", wanted);
	return c4w_damaged(err, "json.type", (int64_t)c4w_json_offset(doc, v), "%s where %s should be",
			   c4w_json_type_name(c4w_json_type(doc, v)), wanted);
}

int c4w_json_string(const struct c4w_json *doc, uint32_t v, struct c4w_arena *arena, struct c4w_view *out, struct c4w_err *err)
{
	struct c4w_view inner;
	char *p;
	*out = (struct c4w_view){ "", 0 };
	if (v == C4W_JSON_NONE || json_lead(doc, v) != '"')
		return wrong_type(doc, v, "a string", err);
	inner = json_inner(doc, v);
	if (!json_escaped(doc, v)) {
		*out = inner;
		return C4W_OK;
	}
	p = c4w_arena_text(arena, inner.p, inner.n);
	if (!p)
		return c4w_fail_memory(err, inner.n);
	out->n = json_unescape(inner, p);
	out->p = p;
	return C4W_OK;
}

/* ---- numbers ---- */

static bool is_number(const struct c4w_json *doc, uint32_t v)
{
	return v != C4W_JSON_NONE && c4w_json_type(doc, v) == C4W_JSON_NUMBER;
}

bool c4w_json_is_integer(const struct c4w_json *doc, uint32_t v)
{
	struct c4w_view t;
	size_t i;
	if (!is_number(doc, v))
		return false;
	t = c4w_json_raw(doc, v);
	for (i = t.p[0] == '-'; i < t.n; i++)
		if (t.p[i] < '0' || t.p[i] > '9')
			return false;
	return true;
}

static int bad_number(const struct c4w_json *doc, uint32_t v, const char *what, struct c4w_err *err)
{
	struct c4w_view t = c4w_json_raw(doc, v);
	char text[64];
	c4w_str_escape(text, sizeof text, t.p, t.n);
	return c4w_damaged(err, "json.number", (int64_t)c4w_json_offset(doc, v), "%s %s", text, what);
}

static int need_integer(const struct c4w_json *doc, uint32_t v, struct c4w_err *err)
{
	if (!is_number(doc, v))
		return wrong_type(doc, v, "an integer", err);
	return c4w_json_is_integer(doc, v) ? C4W_OK : bad_number(doc, v, "is no integer", err);
}

int c4w_json_i64(const struct c4w_json *doc, uint32_t v, int64_t *out, struct c4w_err *err)
{
	C4W_TRY(need_integer(doc, v, err));
	return c4w_parse_i64(c4w_json_raw(doc, v), out) ? C4W_OK : bad_number(doc, v, "does not fit 64 bits", err);
}

int c4w_json_u64(const struct c4w_json *doc, uint32_t v, uint64_t *out, struct c4w_err *err)
{
	struct c4w_view t;
	C4W_TRY(need_integer(doc, v, err));
	t = c4w_json_raw(doc, v);
	if (c4w_view_eqz(t, "-0")) {
		*out = 0;
		return C4W_OK;
	}
	if (t.p[0] == '-')
		return bad_number(doc, v, "is negative", err);
	return c4w_parse_u64(t, out) ? C4W_OK : bad_number(doc, v, "does not fit 64 bits", err);
}

int c4w_json_double(const struct c4w_json *doc, uint32_t v, double *out, struct c4w_err *err)
{
	struct c4w_view t;
	if (!is_number(doc, v))
		return wrong_type(doc, v, "a number", err);
	t = c4w_json_raw(doc, v);
	if (t.p[0] == 'N' || t.p[0] == 'I' || (t.p[0] == '-' && t.p[1] == 'I')) {
		*out = t.p[0] == 'N' ? (double)NAN : t.p[0] == 'I' ? (double)INFINITY : -(double)INFINITY;
		return C4W_OK;
	}
	if (!c4w_parse_double(t, out) || (isinf(*out) && !(doc->flags & C4W_JSON_NAN)))
		return bad_number(doc, v, "is beyond the range of a double", err);
	return C4W_OK;
}

/* ---- equality ---- */

/* A decimal number taken apart: its significant digits, without the zeros at either end, and the power of ten of the last one. */
struct decimal {
	const char *p;    /* the first digit that counts; a '.' may stand among them */
	uint64_t n;       /* how many digits count; 0 for zero, whatever its sign */
	int64_t exponent; /* of the last of them */
	bool negative;
};

static struct decimal decimal(struct c4w_view t)
{
	const int64_t far = INT64_C(1) << 56; /* beyond any number of digits; exponents from there on are all the same to us */
	struct decimal d = { 0 };
	const char *q = t.p, *end = t.p + t.n;
	int64_t i = 0, whole = -1, first = -1, last = 0, exponent = 0;
	bool minus;
	d.negative = *q == '-';
	for (q += d.negative; q < end && *q != 'e' && *q != 'E'; q++) {
		if (*q == '.') {
			whole = i;
			continue;
		}
		if (*q != '0') {
			if (first < 0) {
				first = i;
				d.p = q;
			}
			last = i;
		}
		i++;
	}
	if (first < 0)
		return (struct decimal){ 0 };
	d.n = (uint64_t)(last - first + 1);
	d.exponent = (whole < 0 ? i : whole) - 1 - last;
	if (q < end) {
		q++;
		minus = *q == '-';
		q += *q == '-' || *q == '+';
		for (; q < end; q++)
			exponent = exponent < far / 16 ? exponent * 10 + (*q - '0') : far;
		d.exponent += minus ? -exponent : exponent;
	}
	return d;
}

static bool numbers_equal(struct c4w_view a, struct c4w_view b)
{
	struct decimal x, y;
	uint64_t i;
	if (c4w_view_eq(a, b))
		return a.p[0] != 'N'; /* NaN is not even equal to itself */
	if (a.p[a.n - 1] > '9' || b.p[b.n - 1] > '9')
		return false; /* an infinity */
	x = decimal(a);
	y = decimal(b);
	if (x.n != y.n || x.exponent != y.exponent || x.negative != y.negative)
		return false;
	for (i = 0; i < x.n; i++) {
		x.p += *x.p == '.';
		y.p += *y.p == '.';
		if (*x.p++ != *y.p++)
			return false;
	}
	return true;
}

struct compare {
	const struct c4w_json *a, *b;
	struct c4w_arena *scratch;
	struct c4w_err *err;
};

static int equal(struct compare *c, uint32_t va, uint32_t vb, bool *same);

static int objects_equal(struct compare *c, uint32_t va, uint32_t vb, bool *same)
{
	struct c4w_arena_mark mark = c4w_arena_mark(c->scratch);
	uint32_t *ka, *kb, na, nb, i, x, y;
	int r;
	/* The same order on both sides is the rule; then nothing is sorted. */
	if (!c->a->repeated && !c->b->repeated && c4w_json_count(c->a, va) == c4w_json_count(c->b, vb)) {
		uint32_t n = c4w_json_count(c->a, va);
		for (i = 0, x = va + 2, y = vb + 2; i < n; i++) {
			if (json_string_cmp(c->a, x, c->b, y) != 0)
				break;
			x = json_after(c->a, x + 1);
			y = json_after(c->b, y + 1);
		}
		if (i == n) {
			for (i = 0, x = va + 2, y = vb + 2; i < n && *same; i++) {
				C4W_TRY(equal(c, x + 1, y + 1, same));
				x = json_after(c->a, x + 1);
				y = json_after(c->b, y + 1);
			}
			return C4W_OK;
		}
	}
	r = json_members(c->a, va, true, c->scratch, &ka, &na, c->err);
	if (r == C4W_OK)
		r = json_members(c->b, vb, true, c->scratch, &kb, &nb, c->err);
	if (r == C4W_OK && na != nb)
		*same = false;
	for (i = 0; r == C4W_OK && *same && i < na; i++) {
		*same = json_string_cmp(c->a, ka[i], c->b, kb[i]) == 0;
		if (*same)
			r = equal(c, ka[i] + 1, kb[i] + 1, same);
	}
	c4w_arena_rewind(c->scratch, mark);
	return r;
}

/* Sets *same to false at a difference; depth is bounded by the parser's. */
static int equal(struct compare *c, uint32_t va, uint32_t vb, bool *same)
{
	enum c4w_json_type t = c4w_json_type(c->a, va);
	uint32_t n, i;
	if (t != c4w_json_type(c->b, vb)) {
		*same = false;
		return C4W_OK;
	}
	switch (t) {
	case C4W_JSON_NUMBER:
		*same = numbers_equal(c4w_json_raw(c->a, va), c4w_json_raw(c->b, vb));
		break;
	case C4W_JSON_STRING:
		*same = json_string_cmp(c->a, va, c->b, vb) == 0;
		break;
	case C4W_JSON_ARRAY:
		n = c4w_json_count(c->a, va);
		*same = n == c4w_json_count(c->b, vb);
		for (i = 0, va += 2, vb += 2; *same && i < n; i++) {
			C4W_TRY(equal(c, va, vb, same));
			va = json_after(c->a, va);
			vb = json_after(c->b, vb);
		}
		break;
	case C4W_JSON_OBJECT:
		return objects_equal(c, va, vb, same);
	default:
		break;
	}
	return C4W_OK;
}

int c4w_json_equal(const struct c4w_json *a, uint32_t va, const struct c4w_json *b, uint32_t vb, struct c4w_arena *scratch,
		   bool *same, struct c4w_err *err)
{
	struct compare c = { a, b, scratch, err };
	*same = true;
	return equal(&c, va, vb, same);
}

/* ---- members ---- */

static int by_key(const void *x, const void *y, void *doc)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	int c = json_string_cmp(doc, a, doc, b);
	return c ? c : a < b ? -1 : a > b;
}

static int by_place(const void *x, const void *y)
{
	uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
	return a < b ? -1 : a > b;
}

void json_sort_keys(const struct c4w_json *d, uint32_t *keys, uint32_t n)
{
	uint32_t i;
	for (i = 1; i < n && json_string_cmp(d, keys[i - 1], d, keys[i]) <= 0; i++)
		;
	if (i < n)
		qsort_r(keys, n, sizeof *keys, by_key, (void *)(uintptr_t)d);
}

int json_members(const struct c4w_json *d, uint32_t object, bool sort, struct c4w_arena *arena, uint32_t **keys, uint32_t *n,
		 struct c4w_err *err)
{
	uint32_t count = c4w_json_count(d, object), i, m, k, *list, *place;
	void *p;
	*n = 0;
	/* Twice the room: with repeated keys, pairs of a key's first place and its last slot. */
	C4W_TRY(c4w_arena_take(arena, (size_t)count * 2 * sizeof *list, &p, err));
	*keys = list = p;
	for (i = 0, k = object + 2; i < count; i++, k = json_after(d, k + 1))
		list[i] = k;
	*n = count;
	if (!d->repeated || count < 2) {
		if (sort)
			json_sort_keys(d, list, count);
		return C4W_OK;
	}
	json_sort_keys(d, list, count);
	place = list + count;
	for (i = m = 0; i < count; i++) {
		if (m && json_string_cmp(d, list[m - 1], d, list[i]) == 0) {
			list[m - 1] = list[i];
			continue;
		}
		place[m] = list[i];
		list[m++] = list[i];
	}
	*n = m;
	if (!sort && m > 1) {
		/* Back to the order of first places: the pairs interleaved, sorted by the first of each. */
		C4W_TRY(c4w_arena_take(arena, (size_t)m * 2 * sizeof *list, &p, err));
		list = p;
		for (i = 0; i < m; i++) {
			list[2 * i] = place[i];
			list[2 * i + 1] = (*keys)[i];
		}
		qsort(list, m, 2 * sizeof *list, by_place);
		for (i = 0; i < m; i++)
			(*keys)[i] = list[2 * i + 1];
	}
	return C4W_OK;
}

/* ---- cJSON ---- */

static int text_z(const struct c4w_json *doc, uint32_t v, char **out, struct c4w_err *err)
{
	struct c4w_view inner = json_inner(doc, v);
	char *z = malloc(inner.n + 1);
	size_t n;
	*out = NULL;
	if (!z)
		return c4w_fail_memory(err, inner.n + 1);
	n = json_unescape(inner, z);
	z[n] = 0;
	if (memchr(z, 0, n)) {
		free(z);
		return c4w_damaged(err, "json.nul", (int64_t)c4w_json_offset(doc, v), "a string that holds U+0000");
	}
	*out = z;
	return C4W_OK;
}

static int tree(const struct c4w_json *doc, uint32_t v, struct c4w_arena *scratch, cJSON **out, struct c4w_err *err);

static int fill_tree(const struct c4w_json *doc, uint32_t v, cJSON *into, struct c4w_arena *scratch, struct c4w_err *err)
{
	struct c4w_arena_mark mark = c4w_arena_mark(scratch);
	bool object = json_lead(doc, v) == '{';
	uint32_t n = c4w_json_count(doc, v), i, e, *keys = NULL;
	if (object)
		C4W_TRY(json_members(doc, v, false, scratch, &keys, &n, err));
	for (i = 0, e = v + 2; i < n; i++, e = object ? e : json_after(doc, e)) {
		cJSON *child = NULL;
		char *key = NULL;
		int r;
		if (object)
			C4W_TRY(text_z(doc, keys[i], &key, err));
		r = tree(doc, object ? keys[i] + 1 : e, scratch, &child, err);
		if (r == C4W_OK && !(object ? cJSON_AddItemToObject(into, key, child) : cJSON_AddItemToArray(into, child))) {
			cJSON_Delete(child);
			r = c4w_fail_memory(err, sizeof *child);
		}
		free(key);
		if (r != C4W_OK)
			return r;
	}
	c4w_arena_rewind(scratch, mark);
	return C4W_OK;
}

static int tree(const struct c4w_json *doc, uint32_t v, struct c4w_arena *scratch, cJSON **out, struct c4w_err *err)
{
	char *z = NULL;
	int r = C4W_OK;
	*out = NULL;
	switch (c4w_json_type(doc, v)) {
	case C4W_JSON_NULL: *out = cJSON_CreateNull(); break;
	case C4W_JSON_TRUE: *out = cJSON_CreateTrue(); break;
	case C4W_JSON_FALSE: *out = cJSON_CreateFalse(); break;
	case C4W_JSON_NUMBER: {
		struct c4w_view t = c4w_json_raw(doc, v);
		z = strndup(t.p, t.n);
		*out = z ? cJSON_CreateRaw(z) : NULL;
		break;
	}
	case C4W_JSON_STRING:
		C4W_TRY(text_z(doc, v, &z, err));
		*out = cJSON_CreateString(z);
		break;
	case C4W_JSON_ARRAY: *out = cJSON_CreateArray(); break;
	case C4W_JSON_OBJECT: *out = cJSON_CreateObject(); break;
	}
	free(z);
	if (!*out)
		return c4w_fail_memory(err, sizeof **out);
	if (json_is_container(doc, v))
		r = fill_tree(doc, v, *out, scratch, err);
	if (r != C4W_OK) {
		cJSON_Delete(*out);
		*out = NULL;
	}
	return r;
}

int c4w_json_tree(const struct c4w_json *doc, uint32_t v, struct cJSON **out, struct c4w_err *err)
{
	struct c4w_arena scratch = { 0 };
	int r = tree(doc, v, &scratch, out, err);
	c4w_arena_clear(&scratch);
	return r;
}
