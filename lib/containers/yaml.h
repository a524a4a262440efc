/* YAML, strictly: one document, one mapping, over libyaml's events.
 *
 * What libyaml lets through and this layer refuses: repeated keys, a second document, tags other than the seven core ones,
 * keys that are collections, text that is not UTF-8, tabs as indentation, aliases that hold themselves, and aliases whose
 * expansion goes beyond the limits (limits.h: depth 64 with the root as 1, 1,000,000 nodes, 16 MiB). Aliases are resolved: the
 * same node then stands in several places, so a tree is a graph without cycles; walks of it are bounded because `expanded`
 * is. "<<" is an ordinary key.
 *
 * Scalars stay text until a field asks for a type, because the key decides the type and not the look: a hash of 64 decimal
 * digits is written without quotes. JSON documents are brought into the same tree (strings as quoted scalars, the rest
 * as plain ones), so that one set of rules reads both.
 *
 * Nodes and text live in the arena. Nothing here is shared between threads. Rules: c4w_yaml_rules.
 */
#ifndef C4W_CONTAINERS_YAML_H
#define C4W_CONTAINERS_YAML_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/rule.h"
#include "base/str.h"

enum c4w_yaml_kind { C4W_YAML_SCALAR, C4W_YAML_SEQ, C4W_YAML_MAP };

enum c4w_yaml_tag {
	C4W_YAML_TAG_NONE,
	C4W_YAML_TAG_STR,
	C4W_YAML_TAG_INT,
	C4W_YAML_TAG_FLOAT,
	C4W_YAML_TAG_BOOL,
	C4W_YAML_TAG_NULL,
	C4W_YAML_TAG_MAP,
	C4W_YAML_TAG_SEQ,
};

struct c4w_yaml_node {
	enum c4w_yaml_kind kind;
	enum c4w_yaml_tag tag;
	bool quoted;             /* scalar in single or double quotes, or a block scalar */
	uint32_t line, column;   /* from 1; 0 when the node does not come from a YAML text */
	uint32_t height;         /* 1 for a scalar's parent; 0 for a scalar */
	uint64_t expanded;       /* nodes below and including this one, aliases expanded */
	struct c4w_view text;    /* scalars */
	size_t count;            /* items of a sequence, pairs of a mapping */
	struct c4w_yaml_node **items; /* sequence: count; mapping: key, value, key, value, ... */
};

/* What a scalar's look says; tags and quotes win. Sequences and mappings have their own. */
enum c4w_yaml_type {
	C4W_YAML_STRING,
	C4W_YAML_INTEGER, /* optional sign, decimal digits */
	C4W_YAML_REAL,    /* decimal with a point or an exponent, .nan and .inf included (refused when read as a number) */
	C4W_YAML_BOOL,    /* true, false */
	C4W_YAML_NULL,    /* null, ~, nothing */
	C4W_YAML_IS_SEQ,
	C4W_YAML_IS_MAP,
};

/* Parse `n` bytes; *root is a mapping. The text need not outlive the call. Limits are C4W_LIMIT with `rule` set. */
int c4w_yaml_parse(const char *p, size_t n, struct c4w_arena *arena, struct c4w_yaml_node **root, struct c4w_err *err)
	C4W_MUST_CHECK;

/* The value of a key, or NULL when `map` is NULL, no mapping, or has no such key. */
struct c4w_yaml_node *c4w_yaml_get(const struct c4w_yaml_node *map, const char *key);

enum c4w_yaml_type c4w_yaml_type(const struct c4w_yaml_node *n);
const char *c4w_yaml_type_name(enum c4w_yaml_type t); /* "a string", "an integer", ... */

/* Typed reading. False when the node is of another type, or its value does not fit exactly (int64) or is not finite (double;
 * an integer is a number too). */
bool c4w_yaml_int64(const struct c4w_yaml_node *n, int64_t *out);
bool c4w_yaml_double(const struct c4w_yaml_node *n, double *out);
bool c4w_yaml_bool(const struct c4w_yaml_node *n, bool *out);
/* A scalar's text whatever it looks like; false for collections and null. */
bool c4w_yaml_text(const struct c4w_yaml_node *n, struct c4w_view *out);

/* Parts for building a tree out of another format: all in the arena, NULL when memory is gone. Items are set by the caller;
 * c4w_yaml_finish then counts `height` and `expanded` of a collection and looks for repeated keys. */
struct c4w_yaml_node *c4w_yaml_new_scalar(struct c4w_arena *arena, struct c4w_view text, bool quoted);
struct c4w_yaml_node *c4w_yaml_new_collection(struct c4w_arena *arena, enum c4w_yaml_kind kind, size_t count);
int c4w_yaml_finish(struct c4w_yaml_node *n, struct c4w_err *err) C4W_MUST_CHECK;

/* Write a tree as YAML that PyYAML and this reader parse to the same values. Plain scalars are taken as JSON has them: a
 * number, true, false or null; all other text must be quoted. Floats get the point and the signed exponent without which
 * YAML 1.1 takes them for strings. */
void c4w_yaml_write(struct c4w_buf *b, const struct c4w_yaml_node *root);

/* Sections are those of formats/passage.md. */

extern const struct c4w_rule c4w_yaml_rules[];

#endif
