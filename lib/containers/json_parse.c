/* The JSON tokenizer: one pass over the text, no recursion, no allocation a token.
 *
 * RFC 8259 with the choices that it leaves open: UTF-8 only, keys that repeat after unescaping are an error, unpaired
 * surrogate escapes are an error (no UTF-8 text can hold them), nesting is bounded by an explicit stack.
 */
#include "containers/json_impl.h"

#include "base/limits.h"
#include "base/numbers.h"

#include <math.h>
#include <string.h>

#if defined(__SSE2__) && !defined(C4W_PORTABLE)
#include <emmintrin.h>
#endif

const struct c4w_rule c4w_json_rules[] = {
	{ "json.syntax", "the text follows the JSON grammar", "RFC 8259, 2" },
	{ "json.number", "a number follows the grammar and fits what it stands for", "RFC 8259, 6" },
	{ "json.string", "a string has no raw control byte and only the escapes JSON defines", "RFC 8259, 7" },
	{ "json.surrogate", "surrogate escapes come in pairs", "RFC 8259, 8.2" },
	{ "json.utf8", "the text is valid UTF-8", "RFC 8259, 8.1" },
	{ "json.bom", "the text does not start with a byte order mark where none is allowed", "RFC 8259, 8.1" },
	{ "json.duplicate-key", "no object repeats a key", "RFC 8259, 4" },
	{ "json.depth", "values nest at most 256 deep", "RFC 8259, 9" },
	{ "json.type", "a value is of the type its place asks for", "RFC 8259, 3" },
	{ "json.nul", "no string of a small document holds U+0000", "RFC 8259, 7" },
	{ NULL, NULL, NULL },
};

enum { KEYS_BLOOM = 64 }; /* objects with more keys are checked with a table when they close */

struct frame {
	uint64_t seen[4]; /* one bit a hash value: a key whose bit is clear is new for sure */
	uint32_t slot, count;
	bool object, defer; /* defer: check all keys at the end */
};

struct parser {
	const char *text, *end;
	struct c4w_json *doc;
	struct c4w_arena *arena;
	struct c4w_err *err;
	unsigned flags;
};

static int bad(struct parser *s, const char *rule, const char *at, const char *what)
{
	return c4w_damaged(s->err, rule, at - s->text, "%s", what);
}

static int bad_byte(struct parser *s, const char *at, const char *wanted)
{
	char seen[24];
	if (at == s->end)
		return c4w_damaged(s->err, "json.syntax", at - s->text, "text ends where %s should be", wanted);
	c4w_str_escape(seen, sizeof seen, at, 1);
	return c4w_damaged(s->err, "json.syntax", at - s->text, "'%s' where %s should be", seen, wanted);
}

static inline const char *skip_space(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
		p++;
	return p;
}

/* The first byte from p on that a string scan has to look at: quote, backslash, control byte, not ASCII. */
static inline const char *plain_run(const char *p, const char *end)
{
#if defined(__SSE2__) && !defined(C4W_PORTABLE)
	const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\'), space = _mm_set1_epi8(' ');
	while (end - p >= 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)p);
		/* Signed: bytes from 0x80 on are below ' ' as well. */
		__m128i hit = _mm_or_si128(_mm_cmplt_epi8(v, space), _mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, slash)));
		unsigned mask = (unsigned)_mm_movemask_epi8(hit);
		if (mask)
			return p + __builtin_ctz(mask);
		p += 16;
	}
#else
	const uint64_t ones = 0x0101010101010101ULL, high = 0x8080808080808080ULL;
	while (end - p >= 8) {
		uint64_t v, q, b;
		memcpy(&v, p, 8);
		q = v ^ ones * '"';
		b = v ^ ones * '\\';
		if (((v - ones * ' ') | (q - ones) | (b - ones) | v) & high)
			break; /* a hit, or a false alarm that the byte loop sorts out */
		p += 8;
	}
#endif
	while (p < end && (unsigned char)*p >= ' ' && (unsigned char)*p < 0x80 && *p != '"' && *p != '\\')
		p++;
	return p;
}

static int hex4(const char *p, const char *end, uint32_t *out)
{
	uint32_t v = 0;
	int i;
	if (end - p < 4)
		return 0;
	for (i = 0; i < 4; i++) {
		char c = p[i];
		uint32_t digit;
		if (c >= '0' && c <= '9')
			digit = (uint32_t)(c - '0');
		else if ((c | 32) >= 'a' && (c | 32) <= 'f')
			digit = (uint32_t)((c | 32) - 'a') + 10;
		else
			return 0;
		v = v << 4 | digit;
	}
	*out = v;
	return 1;
}

/* One escape at p (the backslash). Moves p behind it. */
static int check_escape(struct parser *s, const char **at)
{
	const char *p = *at;
	uint32_t cp, low;
	if (s->end - p < 2)
		return bad(s, "json.syntax", s->end, "text ends within a string");
	if (p[1] != 'u') {
		if (p[1] == 0 || !strchr("\"\\/bfnrt", p[1]))
			return bad(s, "json.string", p, "an escape that JSON does not have");
		*at = p + 2;
		return C4W_OK;
	}
	if (!hex4(p + 2, s->end, &cp))
		return bad(s, "json.string", p, "\\u without four hex digits");
	*at = p + 6;
	if (cp < 0xD800 || cp > 0xDFFF)
		return C4W_OK;
	if (cp < 0xDC00 && s->end - p >= 12 && p[6] == '\\' && p[7] == 'u' && hex4(p + 8, s->end, &low) && low >= 0xDC00 &&
	    low <= 0xDFFF) {
		*at = p + 12;
		return C4W_OK;
	}
	if (!(s->flags & C4W_JSON_SURROGATES))
		return bad(s, "json.surrogate", p, "half of a surrogate pair");
	return C4W_OK;
}

/* A string from p, behind its opening quote, to behind the closing one. */
static inline int scan_string(struct parser *s, const char **at, uint32_t *escaped)
{
	const char *p = *at, *end = s->end;
	*escaped = 0;
	for (;;) {
		p = plain_run(p, end);
		if (p == end)
			return bad(s, "json.syntax", p, "text ends within a string");
		if (*p == '"') {
			*at = p + 1;
			return C4W_OK;
		}
		if (*p == '\\') {
			*escaped = 1;
			C4W_TRY(check_escape(s, &p));
		} else if ((unsigned char)*p < ' ') {
			return bad(s, "json.string", p, "a raw control byte within a string");
		} else {
			do {
				uint32_t cp;
				size_t n = c4w_utf8_decode(p, (size_t)(end - p), &cp);
				if (n == 0)
					return bad(s, "json.utf8", p, "bytes that are not UTF-8 within a string");
				p += n;
			} while (p < end && (unsigned char)*p >= 0x80);
		}
	}
}

static inline bool digit(const char *p, const char *end)
{
	return p < end && *p >= '0' && *p <= '9';
}

static bool beyond_double(const char *p, const char *end)
{
	double v;
	return c4w_parse_double((struct c4w_view){ p, (size_t)(end - p) }, &v) && isinf(v);
}

static int scan_number(struct parser *s, const char **at)
{
	const char *p = *at, *end = s->end, *whole;
	if (*p == '-')
		p++;
	if (p < end && *p == '0') {
		p++;
		if (digit(p, end))
			return bad(s, "json.number", *at, "a number with a leading zero");
	} else if (digit(p, end)) {
		while (digit(p, end))
			p++;
	} else {
		return bad(s, "json.number", *at, "a minus sign without digits");
	}
	whole = p;
	if (p < end && *p == '.') {
		p++;
		if (!digit(p, end))
			return bad(s, "json.number", *at, "a decimal point without digits behind it");
		while (digit(p, end))
			p++;
	}
	if (p < end && (*p == 'e' || *p == 'E')) {
		p++;
		if (p < end && (*p == '+' || *p == '-'))
			p++;
		if (!digit(p, end))
			return bad(s, "json.number", *at, "an exponent without digits");
		while (digit(p, end))
			p++;
	}
	if ((s->flags & C4W_JSON_FINITE) && p != whole && beyond_double(*at, p))
		return bad(s, "json.number", *at, "a number beyond the range of a double");
	*at = p;
	return C4W_OK;
}

static bool word(const char *p, const char *end, const char *w, size_t n)
{
	return (size_t)(end - p) >= n && memcmp(p, w, n) == 0;
}

/* true, false, null, and NaN and Infinity in the dialect that has them: the length, or 0. */
static size_t literal(const struct parser *s, const char *p)
{
	static const char *const words[] = { "true", "false", "null", "NaN", "Infinity", "-Infinity" };
	size_t i, n;
	for (i = 0; i < (s->flags & C4W_JSON_NAN ? 6U : 3U); i++) {
		n = strlen(words[i]);
		if (word(p, s->end, words[i], n))
			return n;
	}
	return 0;
}

/* ---- repeated keys ---- */

static int repeated(struct parser *s, uint32_t first, uint32_t second)
{
	char name[128];
	struct c4w_view raw = json_inner(s->doc, second);
	if (s->flags & C4W_JSON_LAST_WINS) {
		s->doc->repeated = true;
		return C4W_OK;
	}
	c4w_str_escape(name, sizeof name, raw.p, raw.n);
	return c4w_damaged(s->err, "json.duplicate-key", s->doc->slots[second].start, "key \"%s\" appears at byte %u and again at byte %u",
			   name, s->doc->slots[first].start, s->doc->slots[second].start);
}

static inline unsigned key_hash(const char *p, size_t n)
{
	uint64_t a = 0, b = 0;
	if (n >= 8) {
		memcpy(&a, p, 8);
		memcpy(&b, p + n - 8, 8);
	} else if (n >= 4) {
		memcpy(&a, p, 4);
		memcpy(&b, p + n - 4, 4);
	} else if (n) {
		a = (unsigned char)p[0];
		b = (uint64_t)(unsigned char)p[n / 2] << 8 | (unsigned char)p[n - 1];
	}
	return (unsigned)(((a ^ n) * 0x9E3779B97F4A7C15ULL ^ b * 0xC2B2AE3D27D4EB4FULL) * 0x9FB21C651E98DF25ULL >> 56);
}

/* The key in slot `key` against the earlier ones of its object; none of them has escapes. */
static int compare_earlier(struct parser *s, uint32_t object, uint32_t key)
{
	const struct c4w_json *d = s->doc;
	uint32_t k = object + 2, rest = d->slots[key].rest;
	for (; k != key; k = json_after(d, k + 1))
		if (d->slots[k].rest == rest &&
		    memcmp(d->text + d->slots[k].start, d->text + d->slots[key].start, rest >> 1) == 0)
			return repeated(s, k, key);
	return C4W_OK;
}

static uint64_t full_hash(const struct c4w_json *d, uint32_t key)
{
	struct json_chars c;
	uint64_t h = 0xCBF29CE484222325U;
	int b;
	for (c = json_chars(json_inner(d, key)); (b = json_chars_next(&c)) >= 0;)
		h = (h ^ (unsigned)b) * 0x100000001B3U;
	return h ^ h >> 29;
}

static int sorted_check(struct parser *s, uint32_t *keys, uint32_t n)
{
	uint32_t i, at = UINT32_MAX;
	json_sort_keys(s->doc, keys, n);
	/* Of several repeated keys the one that comes first in the text, as the table would find it. */
	for (i = 1; i < n; i++)
		if (json_string_cmp(s->doc, keys[i - 1], s->doc, keys[i]) == 0 && (at == UINT32_MAX || keys[i] < keys[at]))
			at = i;
	return at == UINT32_MAX ? C4W_OK : repeated(s, keys[at - 1], keys[at]);
}

/* All keys of a closed object at once: a table, and a sort when keys were chosen to collide in it. */
static int check_keys(struct parser *s, uint32_t object, uint32_t count)
{
	struct c4w_json *d = s->doc;
	struct c4w_arena_mark mark = c4w_arena_mark(s->arena);
	uint32_t *table, *keys, size = 64, i, k;
	uint64_t probes = 0;
	void *p;
	int r = C4W_OK;
	while (size < count * 2ULL)
		size *= 2;
	C4W_TRY(c4w_arena_zero(s->arena, size + (size_t)count, sizeof *table, &p, s->err));
	table = p;
	keys = table + size;
	for (k = object + 2, i = 0; i < count; i++, k = json_after(d, k + 1))
		keys[i] = k;
	for (i = 0; i < count && r == C4W_OK; i++) {
		uint32_t at = (uint32_t)full_hash(d, keys[i]) & (size - 1);
		while (table[at] && json_string_cmp(d, table[at], d, keys[i]) != 0) {
			at = (at + 1) & (size - 1);
			probes++;
		}
		if (table[at])
			r = repeated(s, table[at], keys[i]);
		else
			table[at] = keys[i];
		if (probes > 16ULL * count + 1024) {
			r = sorted_check(s, keys, count);
			break;
		}
	}
	c4w_arena_rewind(s->arena, mark);
	return r;
}

/* ---- the pass ---- */

/* At most so many slots can come of the text: every value follows the start, '[', ',' or ':', every key '{' or ','. */
static uint64_t slots_bound(const char *p, const char *end)
{
	uint64_t n = 1;
#if defined(__SSE2__) && !defined(C4W_PORTABLE)
	const __m128i comma = _mm_set1_epi8(','), colon = _mm_set1_epi8(':'), open = _mm_set1_epi8('{'), bit5 = _mm_set1_epi8(32);
	const __m128i zero = _mm_setzero_si128();
	while (end - p >= 16) {
		__m128i sum = zero, total;
		int i;
		for (i = 0; i < 120 && end - p >= 16; i++, p += 16) {
			__m128i v = _mm_loadu_si128((const __m128i *)p);
			__m128i opens = _mm_cmpeq_epi8(_mm_or_si128(v, bit5), open); /* '[' | 32 is '{' */
			sum = _mm_sub_epi8(sum, _mm_or_si128(_mm_cmpeq_epi8(v, comma), _mm_cmpeq_epi8(v, colon)));
			sum = _mm_sub_epi8(sum, _mm_add_epi8(opens, opens));
		}
		total = _mm_sad_epu8(sum, zero);
		n += (uint64_t)_mm_cvtsi128_si64(total) + (uint64_t)_mm_cvtsi128_si64(_mm_srli_si128(total, 8));
	}
#endif
	for (; p < end; p++)
		n += *p == ',' || *p == ':' ? 1 : *p == '[' || *p == '{' ? 2 : 0;
	return n;
}

static int too_deep(struct parser *s, const char *at, unsigned limit)
{
	c4w_fail(s->err, C4W_LIMIT, "values nest deeper than %u levels", limit);
	if (s->err) {
		s->err->offset = at - s->text;
		s->err->rule = "json.depth";
	}
	return C4W_LIMIT;
}

static int parse(struct parser *s, unsigned limit, size_t skip)
{
	struct frame frames[C4W_LIMIT_JSON_DEPTH], *f = frames; /* frames[0] is the first container */
	struct c4w_json *d = s->doc;
	struct c4w_json_slot *slots = d->slots;
	const char *text = s->text, *p = text, *end = s->end, *from;
	uint32_t at = 0, escaped;
	unsigned depth = 0;
	size_t n;

	p = skip_space(p + skip, end);
value:
	if (p == end)
		return bad_byte(s, p, "a value");
	from = p;
	switch (*p) {
	case '"':
		p++;
		C4W_TRY(scan_string(s, &p, &escaped));
		slots[at++] = (struct c4w_json_slot){ (uint32_t)(from - text), (uint32_t)(p - from) << 1 | escaped };
		break;
	case '-':
	case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9':
		if (*p == '-' && (n = literal(s, p)) != 0)
			p += n;
		else
			C4W_TRY(scan_number(s, &p));
		slots[at++] = (struct c4w_json_slot){ (uint32_t)(from - text), (uint32_t)(p - from) << 1 };
		break;
	case '{':
	case '[':
		if (depth == limit)
			return too_deep(s, p, limit);
		f = &frames[depth++];
		f->slot = at;
		f->count = 0;
		f->object = *p == '{';
		slots[at].start = (uint32_t)(from - text);
		at += 2;
		p = skip_space(p + 1, end);
		if (p < end && *p == (f->object ? '}' : ']'))
			goto close;
		if (!f->object)
			goto value;
		f->defer = false;
		memset(f->seen, 0, sizeof f->seen);
		goto key;
	default:
		n = literal(s, p);
		if (n == 0)
			return bad_byte(s, p, "a value");
		p += n;
		slots[at++] = (struct c4w_json_slot){ (uint32_t)(from - text), (uint32_t)n << 1 };
	}

after_value:
	p = skip_space(p, end);
	if (depth == 0) {
		if (p != end)
			return bad_byte(s, p, "the end of the document");
		d->count = at;
		return C4W_OK;
	}
	f->count++;
	if (p < end && *p == ',') {
		p = skip_space(p + 1, end);
		if (!f->object)
			goto value;
		goto key;
	}
	if (p == end || *p != (f->object ? '}' : ']'))
		return bad_byte(s, p, f->object ? "',' or '}'" : "',' or ']'");
close:
	p++;
	slots[f->slot].rest = at;
	slots[f->slot + 1] = (struct c4w_json_slot){ (uint32_t)(p - text), f->count };
	if (f->object && f->count > 1 && (f->defer || f->count > KEYS_BLOOM))
		C4W_TRY(check_keys(s, f->slot, f->count));
	depth--;
	f = depth ? f - 1 : f;
	goto after_value;

key:
	if (p == end || *p != '"')
		return bad_byte(s, p, "a key in quotes");
	from = p++;
	C4W_TRY(scan_string(s, &p, &escaped));
	slots[at] = (struct c4w_json_slot){ (uint32_t)(from - text), (uint32_t)(p - from) << 1 | escaped };
	f->defer |= escaped != 0;
	if (f->count < KEYS_BLOOM && !f->defer) {
		unsigned h = key_hash(from + 1, (size_t)(p - from) - 2);
		if (f->seen[h >> 6] >> (h & 63) & 1)
			C4W_TRY(compare_earlier(s, f->slot, at));
		f->seen[h >> 6] |= 1ULL << (h & 63);
	}
	at++;
	p = skip_space(p, end);
	if (p == end || *p != ':')
		return bad_byte(s, p, "':'");
	p = skip_space(p + 1, end);
	goto value;
}

int c4w_json_parse(struct c4w_view text, unsigned flags, unsigned depth_limit, struct c4w_arena *arena, struct c4w_json *doc,
		   struct c4w_err *err)
{
	struct parser s = { text.p, text.p + text.n, doc, arena, err, flags };
	struct c4w_arena_mark mark = c4w_arena_mark(arena);
	static const char bom[3] = { '\xEF', '\xBB', '\xBF' };
	size_t skip = 0;
	void *p;
	int r;

	memset(doc, 0, sizeof *doc);
	if (depth_limit == 0 || depth_limit > C4W_LIMIT_JSON_DEPTH)
		depth_limit = C4W_LIMIT_JSON_DEPTH;
	if (text.n > INT32_MAX)
		return c4w_fail(err, C4W_LIMIT, "a JSON text of %zu bytes, more than %d", text.n, INT32_MAX);
	if (text.n >= 3 && memcmp(text.p, bom, 3) == 0) {
		if (!(flags & C4W_JSON_BOM))
			return c4w_damaged(err, "json.bom", 0, "starts with a byte order mark");
		skip = 3;
	}
	if (text.n == skip)
		return c4w_damaged(err, "json.syntax", (int64_t)skip, "an empty text is no JSON document");
	C4W_TRY(c4w_arena_take(arena, slots_bound(text.p + skip, s.end) * sizeof *doc->slots, &p, err));
	doc->text = text.p;
	doc->n = text.n;
	doc->slots = p;
	doc->flags = flags;
	r = parse(&s, depth_limit, skip);
	if (r != C4W_OK) {
		c4w_arena_rewind(arena, mark);
		memset(doc, 0, sizeof *doc);
	}
	return r;
}
