/* JSON (RFC 8259): the only parser, and the writers.
 *
 * Parsing checks everything at once: grammar, UTF-8, repeated keys, depth. The result is a tape of tokens over the caller's
 * text, which is borrowed and must outlive it; the tape is in the caller's arena. A number keeps its text: 1 and 1.0 stay
 * different, nothing is rounded unless a caller asks for a double. A value is named by its index on the tape; the
 * document's own value is 0.
 *
 * Errors: C4W_DAMAGED with one of c4w_json_rules and the byte offset; C4W_LIMIT for depth and size; C4W_MEMORY.
 * A parsed document is read-only: any number of threads may read it.
 */
#ifndef C4W_CONTAINERS_JSON_H
#define C4W_CONTAINERS_JSON_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/rule.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum c4w_json_flags {
	C4W_JSON_STRICT = 0,
	C4W_JSON_BOM = 1,        /* a leading UTF-8 byte order mark is skipped; without the flag it is json.bom */
	C4W_JSON_NAN = 2,        /* NaN, Infinity, -Infinity are numbers, as Python's parser has it */
	C4W_JSON_LAST_WINS = 4,  /* repeated keys: the last value, at the first one's place, as Python's dict has it */
	C4W_JSON_SURROGATES = 8, /* \ud800 alone is let through (as three bytes of generalised UTF-8) */
	C4W_JSON_PYTHON = 2 | 4 | 8,
	C4W_JSON_FINITE = 16,    /* a number with a point or an exponent that is beyond a double (1e400) is json.number: readers in double see Infinity */
};

enum c4w_json_type {
	C4W_JSON_NULL,
	C4W_JSON_FALSE,
	C4W_JSON_TRUE,
	C4W_JSON_NUMBER,
	C4W_JSON_STRING,
	C4W_JSON_ARRAY,
	C4W_JSON_OBJECT,
};

/* Private layout: 8 bytes a scalar, 16 a container. */
struct c4w_json_slot {
	uint32_t start, rest;
};

struct c4w_json {
	const char *text;
	size_t n;
	struct c4w_json_slot *slots;
	uint32_t count; /* slots in use */
	unsigned flags;
	bool repeated; /* LAST_WINS, and a key does repeat somewhere */
};

/* Parse the whole text. depth_limit 0 means C4W_LIMIT_JSON_DEPTH. On failure *doc is empty. */
int c4w_json_parse(struct c4w_view text, unsigned flags, unsigned depth_limit, struct c4w_arena *arena, struct c4w_json *doc,
		   struct c4w_err *err) C4W_MUST_CHECK;

#define C4W_JSON_NONE UINT32_MAX /* no such value */

enum c4w_json_type c4w_json_type(const struct c4w_json *doc, uint32_t v);
const char *c4w_json_type_name(enum c4w_json_type t); /* "null", "boolean", "number", "string", "array", "object" */
struct c4w_view c4w_json_raw(const struct c4w_json *doc, uint32_t v); /* the value's own text, quotes and braces included */
size_t c4w_json_offset(const struct c4w_json *doc, uint32_t v);       /* where it starts, for messages */
uint32_t c4w_json_count(const struct c4w_json *doc, uint32_t v);      /* elements of an array, members of an object as written; else 0 */

/* Elements: for (e = c4w_json_first(d, a); e != C4W_JSON_NONE; e = c4w_json_next(d, a, e)). For an object the same walk
 * gives key, value, key, value …. A scalar has no elements. */
uint32_t c4w_json_first(const struct c4w_json *doc, uint32_t container);
uint32_t c4w_json_next(const struct c4w_json *doc, uint32_t container, uint32_t element);

/* The value of a member, or C4W_JSON_NONE; also when v is no object or is C4W_JSON_NONE. Escapes in keys are seen through. */
uint32_t c4w_json_member(const struct c4w_json *doc, uint32_t v, const char *key);
uint32_t c4w_json_member_view(const struct c4w_json *doc, uint32_t v, struct c4w_view key);

/* Is v a string equal to this text? */
bool c4w_json_string_eq(const struct c4w_json *doc, uint32_t v, struct c4w_view text);
/* A string without escapes lends its bytes, another is unescaped into the arena. Fails with C4W_MEMORY, or json.type when v
 * is no string. */
int c4w_json_string(const struct c4w_json *doc, uint32_t v, struct c4w_arena *arena, struct c4w_view *out, struct c4w_err *err)
	C4W_MUST_CHECK;

/* A number's conversions; json.type when v is no number, json.number when the value does not fit. The integer forms take integer
 * text only (1.0 and 1e3 are no JSON integers). A double is rounded to nearest; beyond its range is json.number. With
 * C4W_JSON_NAN it may be NaN or infinite. */
bool c4w_json_is_integer(const struct c4w_json *doc, uint32_t v);
int c4w_json_i64(const struct c4w_json *doc, uint32_t v, int64_t *out, struct c4w_err *err) C4W_MUST_CHECK;
int c4w_json_u64(const struct c4w_json *doc, uint32_t v, uint64_t *out, struct c4w_err *err) C4W_MUST_CHECK;
int c4w_json_double(const struct c4w_json *doc, uint32_t v, double *out, struct c4w_err *err) C4W_MUST_CHECK;

/* Equal as JSON values: members in any order, numbers by exact decimal value (1 == 1.0 == 1e0). The arena is scratch; it is
 * rewound. C4W_OK with *equal set, or C4W_MEMORY. */
int c4w_json_equal(const struct c4w_json *a, uint32_t va, const struct c4w_json *b, uint32_t vb, struct c4w_arena *scratch,
		   bool *equal, struct c4w_err *err) C4W_MUST_CHECK;

/* The value as text, as Python's json.dumps would write what json.loads read. indent 0: one line, separators ',' and ':';
 * indent n: n spaces a level. sort: keys by code point. Canonical JSON (channels4world.md, 4) is indent 0, sort, not ascii. NaN,
 * infinities and numbers beyond a double are json.number unless the document has C4W_JSON_NAN. */
struct c4w_json_style {
	unsigned indent;
	bool sort, ascii;
};
int c4w_json_dump(const struct c4w_json *doc, uint32_t v, struct c4w_json_style style, struct c4w_arena *scratch,
		  struct c4w_buf *out, struct c4w_err *err) C4W_MUST_CHECK;
int c4w_json_canonical(const struct c4w_json *doc, uint32_t v, struct c4w_arena *scratch, struct c4w_buf *out,
		       struct c4w_err *err) C4W_MUST_CHECK;

/* A cJSON tree, numbers as raw text (cJSON_IsRaw). The caller frees it with cJSON_Delete. A string that holds U+0000 is refused
 * as json.nul: cJSON would cut it. */
struct cJSON;
int c4w_json_tree(const struct c4w_json *doc, uint32_t v, struct cJSON **out, struct c4w_err *err) C4W_MUST_CHECK;

/* ---- writing ---- */

/* A stream of calls becomes text in a buffer, commas and indentation by itself:
 *     struct c4w_json_out j = c4w_json_out(&buf, (struct c4w_json_style){ .indent = 2 });
 *     c4w_jo_object(&j); c4w_jo_key(&j, "format"); c4w_jo_z(&j, "x"); c4w_jo_end(&j);
 * Keys are written in the order given. Misuse (a value without a key, an end too many) marks the buffer failed. Depth at most 256.
 * As Python's json.dumps(indent=n); with indent 0, separators ',' and ':'. */
struct c4w_json_out {
	struct c4w_buf *buf;
	struct c4w_json_style style;
	unsigned depth;
	bool after_key;
	uint8_t kind[256]; /* bit 0: object, bit 1: has elements */
};
struct c4w_json_out c4w_json_out(struct c4w_buf *buf, struct c4w_json_style style);
void c4w_jo_object(struct c4w_json_out *j);
void c4w_jo_array(struct c4w_json_out *j);
void c4w_jo_end(struct c4w_json_out *j); /* of whichever is open */
void c4w_jo_key(struct c4w_json_out *j, const char *key);
void c4w_jo_key_view(struct c4w_json_out *j, struct c4w_view key);
void c4w_jo_string(struct c4w_json_out *j, struct c4w_view text); /* bytes that are not UTF-8 become U+FFFD */
void c4w_jo_z(struct c4w_json_out *j, const char *text);           /* NULL is written as null */
void c4w_jo_i64(struct c4w_json_out *j, int64_t v);
void c4w_jo_u64(struct c4w_json_out *j, uint64_t v);
void c4w_jo_double(struct c4w_json_out *j, double v); /* NaN and infinities as Python writes them */
void c4w_jo_bool(struct c4w_json_out *j, bool v);
void c4w_jo_null(struct c4w_json_out *j);
void c4w_jo_raw(struct c4w_json_out *j, struct c4w_view text); /* a value's text as it is: one number, or JSON from elsewhere */
/* A value of a parsed document, laid out in this writer's style at this depth. */
int c4w_jo_value(struct c4w_json_out *j, const struct c4w_json *doc, uint32_t v, struct c4w_arena *scratch, struct c4w_err *err)
	C4W_MUST_CHECK;

/* One string with its quotes, escaped as Python does; ascii: \uXXXX for all beyond '~'. */
void c4w_json_quote(struct c4w_buf *out, struct c4w_view text, bool ascii);

/* ---- rules ---- */

extern const struct c4w_rule c4w_json_rules[];

#endif
