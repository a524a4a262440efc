/* The tape's layout, shared by json_parse.c, json.c and json_write.c; private to them.
 *
 * A scalar is one slot: start, and length * 2 (+ 1 for a string with escapes). The length of a string includes its quotes. A
 * container is two: {start, index of what follows it} and {end offset, number of elements or members}. What a slot is, its
 * first byte in the text says.
 */
#ifndef C4W_CONTAINERS_JSON_IMPL_H
#define C4W_CONTAINERS_JSON_IMPL_H

#include "containers/json.h"

static inline char json_lead(const struct c4w_json *d, uint32_t v)
{
	return d->text[d->slots[v].start];
}

static inline bool json_is_container(const struct c4w_json *d, uint32_t v)
{
	char c = json_lead(d, v);
	return c == '[' || c == '{';
}

/* The slot after v and all that is in it. */
static inline uint32_t json_after(const struct c4w_json *d, uint32_t v)
{
	return json_is_container(d, v) ? d->slots[v].rest : v + 1;
}

/* A string's text between its quotes, and whether it has escapes. */
static inline struct c4w_view json_inner(const struct c4w_json *d, uint32_t v)
{
	return (struct c4w_view){ d->text + d->slots[v].start + 1, (d->slots[v].rest >> 1) - 2 };
}
static inline bool json_escaped(const struct c4w_json *d, uint32_t v)
{
	return d->slots[v].rest & 1;
}

/* A checked string's bytes one by one, escapes undone. */
struct json_chars {
	const char *p, *end;
	char held[4];
	unsigned n, i;
};
struct json_chars json_chars(struct c4w_view inner);
int json_chars_next(struct json_chars *c); /* 0-255, or -1 at the end */

/* Undo escapes; out has room for inner.n bytes. Returns the length. */
size_t json_unescape(struct c4w_view inner, char *out);

/* Two strings of the same or of different documents, escapes undone, bytewise (which is by code point). */
int json_string_cmp(const struct c4w_json *a, uint32_t va, const struct c4w_json *b, uint32_t vb);

/* The keys of an object, sorted (stable: repeated keys stay in the order of the text). `keys` has room for all. */
void json_sort_keys(const struct c4w_json *d, uint32_t *keys, uint32_t n);

/* The keys of an object that count: all, or with repeated ones each once, at its first place but as the last key's slot. In the
 * order of the text or sorted. */
int json_members(const struct c4w_json *d, uint32_t object, bool sort, struct c4w_arena *arena, uint32_t **keys, uint32_t *n,
		 struct c4w_err *err) C4W_MUST_CHECK;

#endif
