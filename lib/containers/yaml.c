/* Strict YAML over libyaml's events (formats/passage.md, section 4). The contract is in the header.
 *
 * One pass builds the tree. Every open collection is a frame whose finished children lie on one stack; when it ends they
 * move into the arena. Aliases stand for the finished node; their size and height were counted when that node ended, so the
 * limits see the expanded document without ever expanding it.
 */
#include "containers/yaml.h"
#include "base/limits.h"
#include "base/numbers.h"
#include "base/rule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

const struct c4w_rule c4w_yaml_rules[] = {
	{ "yaml.syntax", "the text is well-formed YAML", "4" },
	{ "yaml.encoding", "the text is UTF-8 without control characters", "4" },
	{ "yaml.tab", "no tab indents a line", "4" },
	{ "yaml.documents", "there is exactly one document", "4" },
	{ "yaml.top", "the document is a mapping", "4" },
	{ "yaml.duplicate-key", "no key occurs twice in one mapping", "4" },
	{ "yaml.key", "every key is a scalar", "4" },
	{ "yaml.tag", "tags are one of !!str !!int !!float !!bool !!null !!map !!seq", "4" },
	{ "yaml.tag-value", "a tagged value has the form that its tag names", "4" },
	{ "yaml.alias-unknown", "an alias names an anchor that stands before it", "4" },
	{ "yaml.alias-self", "no collection holds an alias of itself", "4" },
	{ "yaml.depth", "collections nest at most 64 deep, aliases expanded", "4" },
	{ "yaml.nodes", "there are at most 1,000,000 nodes, aliases expanded", "4" },
	{ "yaml.size", "the text is at most 16 MiB long", "4" },
	{ NULL, NULL, NULL },
};

struct frame {
	struct c4w_yaml_node *node;
	size_t base; /* where its children begin on the stack */
};

struct anchor {
	const char *name;
	size_t n;
	struct c4w_yaml_node *node;
};

struct span {
	size_t first, last; /* lines a quoted or block scalar goes on over, both from 0 */
};

struct build {
	struct c4w_arena *arena;
	struct c4w_err *err;
	struct frame frames[C4W_LIMIT_YAML_DEPTH];
	size_t depth;
	struct c4w_yaml_node **stack;
	size_t n, cap;
	struct anchor *anchors; /* open addressing, a power of two */
	size_t anchor_count, anchor_cap;
	struct span *spans; /* only when the text holds a tab */
	size_t span_count, span_cap;
	bool want_spans;
	uint64_t nodes;
};

static int beyond(struct c4w_err *err, const char *rule, const char *text, size_t line)
{
	if (line)
		c4w_fail(err, C4W_LIMIT, "line %zu: %s", line, text);
	else
		c4w_fail(err, C4W_LIMIT, "%s", text);
	if (err)
		err->rule = rule;
	return C4W_LIMIT;
}

/* ---- looks of scalars ---- */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool looks_int(struct c4w_view t)
{
	size_t i = t.n && (t.p[0] == '-' || t.p[0] == '+');
	if (i == t.n)
		return false;
	for (; i < t.n; i++)
		if (!is_digit(t.p[i]))
			return false;
	return true;
}

/* [-+]? digits [. digits] [e [-+] digits], with a digit on one side of the point; .inf and .nan in their three spellings */
static bool looks_real(struct c4w_view t, bool *finite)
{
	size_t i = 0, digits = 0;
	*finite = true;
	if (i < t.n && (t.p[i] == '-' || t.p[i] == '+'))
		i++;
	if (t.n - i == 4 && t.p[i] == '.') {
		static const char *const odd[] = { ".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN" };
		size_t k;
		for (k = 0; k < 6; k++)
			if (memcmp(t.p + i, odd[k], 4) == 0 && (k < 3 || i == 0)) {
				*finite = false;
				return true;
			}
	}
	for (; i < t.n && is_digit(t.p[i]); i++)
		digits++;
	if (i < t.n && t.p[i] == '.')
		for (i++; i < t.n && is_digit(t.p[i]); i++)
			digits++;
	if (!digits)
		return false;
	if (i < t.n && (t.p[i] == 'e' || t.p[i] == 'E')) {
		i++;
		if (i < t.n && (t.p[i] == '-' || t.p[i] == '+'))
			i++;
		if (i == t.n)
			return false;
		while (i < t.n && is_digit(t.p[i]))
			i++;
	}
	return i == t.n;
}

static bool looks_bool(struct c4w_view t)
{
	return c4w_view_eqz(t, "true") || c4w_view_eqz(t, "false");
}

static bool looks_null(struct c4w_view t)
{
	return t.n == 0 || c4w_view_eqz(t, "~") || c4w_view_eqz(t, "null");
}

enum c4w_yaml_type c4w_yaml_type(const struct c4w_yaml_node *n)
{
	bool finite;
	if (n->kind != C4W_YAML_SCALAR)
		return n->kind == C4W_YAML_SEQ ? C4W_YAML_IS_SEQ : C4W_YAML_IS_MAP;
	switch (n->tag) {
	case C4W_YAML_TAG_STR:
		return C4W_YAML_STRING;
	case C4W_YAML_TAG_INT:
		return C4W_YAML_INTEGER;
	case C4W_YAML_TAG_FLOAT:
		return C4W_YAML_REAL;
	case C4W_YAML_TAG_BOOL:
		return C4W_YAML_BOOL;
	case C4W_YAML_TAG_NULL:
		return C4W_YAML_NULL;
	default:
		break;
	}
	if (n->quoted)
		return C4W_YAML_STRING;
	if (looks_null(n->text))
		return C4W_YAML_NULL;
	if (looks_bool(n->text))
		return C4W_YAML_BOOL;
	if (looks_int(n->text))
		return C4W_YAML_INTEGER;
	return looks_real(n->text, &finite) ? C4W_YAML_REAL : C4W_YAML_STRING;
}

const char *c4w_yaml_type_name(enum c4w_yaml_type t)
{
	static const char *const names[] = { "a string", "an integer", "a float", "a boolean", "null", "a sequence", "a mapping" };
	return names[t];
}

bool c4w_yaml_int64(const struct c4w_yaml_node *n, int64_t *out)
{
	bool minus;
	uint64_t v = 0;
	size_t i;
	if (!n || c4w_yaml_type(n) != C4W_YAML_INTEGER)
		return false;
	minus = n->text.p[0] == '-';
	for (i = n->text.p[0] == '-' || n->text.p[0] == '+'; i < n->text.n; i++)
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, (uint64_t)(n->text.p[i] - '0'), &v))
			return false;
	if (v > (uint64_t)INT64_MAX + minus)
		return false;
	*out = minus ? (int64_t)(0 - v) : (int64_t)v;
	return true;
}

/* c4w_parse_double wants digits on both sides of the point and no '+': put them there. */
bool c4w_yaml_double(const struct c4w_yaml_node *n, double *out)
{
	char small[72], *text = small;
	bool finite, point = false;
	enum c4w_yaml_type t;
	size_t i, k = 0;
	if (!n || ((t = c4w_yaml_type(n)) != C4W_YAML_INTEGER && t != C4W_YAML_REAL))
		return false;
	if (!looks_real(n->text, &finite) || !finite || n->text.n > 4096)
		return false;
	if (n->text.n + 3 > sizeof small && !(text = malloc(n->text.n + 3)))
		return false;
	for (i = 0; i < n->text.n; i++) {
		char c = n->text.p[i];
		if (i == 0 && c == '+')
			continue;
		if (c == '.' && (k == 0 || text[k - 1] == '-'))
			text[k++] = '0';
		if (point && !is_digit(c)) /* "5.e3" */
			text[k++] = '0';
		point = c == '.';
		text[k++] = c;
	}
	if (point)
		text[k++] = '0';
	finite = c4w_parse_double((struct c4w_view){ text, k }, out) && isfinite(*out);
	if (text != small)
		free(text);
	return finite;
}

bool c4w_yaml_bool(const struct c4w_yaml_node *n, bool *out)
{
	if (!n || c4w_yaml_type(n) != C4W_YAML_BOOL)
		return false;
	*out = n->text.n == 4;
	return true;
}

bool c4w_yaml_text(const struct c4w_yaml_node *n, struct c4w_view *out)
{
	if (!n || n->kind != C4W_YAML_SCALAR || c4w_yaml_type(n) == C4W_YAML_NULL)
		return false;
	*out = n->text;
	return true;
}

struct c4w_yaml_node *c4w_yaml_get(const struct c4w_yaml_node *map, const char *key)
{
	size_t i;
	if (!map || map->kind != C4W_YAML_MAP)
		return NULL;
	for (i = 0; i < map->count; i++)
		if (c4w_view_eqz(map->items[2 * i]->text, key))
			return map->items[2 * i + 1];
	return NULL;
}

/* ---- building ---- */

struct c4w_yaml_node *c4w_yaml_new_scalar(struct c4w_arena *arena, struct c4w_view text, bool quoted)
{
	void *p;
	struct c4w_yaml_node *n;
	if (c4w_arena_zero(arena, 1, sizeof *n, &p, NULL) != C4W_OK)
		return NULL;
	n = p;
	n->kind = C4W_YAML_SCALAR;
	n->quoted = quoted;
	n->expanded = 1;
	n->text.p = c4w_arena_text(arena, text.p, text.n);
	n->text.n = text.n;
	return n->text.p ? n : NULL;
}

struct c4w_yaml_node *c4w_yaml_new_collection(struct c4w_arena *arena, enum c4w_yaml_kind kind, size_t count)
{
	void *p, *items = NULL;
	struct c4w_yaml_node *n;
	if (c4w_arena_zero(arena, 1, sizeof *n, &p, NULL) != C4W_OK ||
	    (count && c4w_arena_zero(arena, kind == C4W_YAML_MAP ? 2 * count : count, sizeof *n->items, &items, NULL) != C4W_OK))
		return NULL;
	n = p;
	n->kind = kind;
	n->count = count;
	n->items = items;
	n->expanded = 1;
	n->text.p = "";
	return n;
}

static int by_text(const void *a, const void *b)
{
	const struct c4w_yaml_node *const *x = a, *const *y = b;
	int c = c4w_view_cmp((*x)->text, (*y)->text);
	if (c == 0 && (*x)->line != (*y)->line)
		c = (*x)->line < (*y)->line ? -1 : 1;
	return c;
}

static int repeated(const struct c4w_yaml_node *a, const struct c4w_yaml_node *b, struct c4w_err *err)
{
	char name[96];
	c4w_str_escape(name, sizeof name, a->text.p, a->text.n);
	if (!a->line)
		return c4w_damaged(err, "yaml.duplicate-key", -1, "the key '%s' occurs twice in one mapping", name);
	return c4w_damaged(err, "yaml.duplicate-key", -1, "the key '%s' occurs twice in one mapping, in lines %u and %u", name,
			   a->line, b->line);
}

static int check_keys(const struct c4w_yaml_node *n, struct c4w_err *err)
{
	size_t i, k;
	const struct c4w_yaml_node **keys;
	int cls = C4W_OK;
	for (i = 0; i < n->count; i++) {
		const struct c4w_yaml_node *key = n->items[2 * i];
		if (key->kind != C4W_YAML_SCALAR)
			return c4w_damaged(err, "yaml.key", -1, "line %u: %s is used as a key", key->line,
					   c4w_yaml_type_name(c4w_yaml_type(key)));
	}
	if (n->count <= 16) {
		for (i = 1; i < n->count; i++)
			for (k = 0; k < i; k++)
				if (c4w_view_eq(n->items[2 * i]->text, n->items[2 * k]->text))
					return repeated(n->items[2 * k], n->items[2 * i], err);
		return C4W_OK;
	}
	keys = malloc(n->count * sizeof *keys);
	if (!keys)
		return c4w_fail_memory(err, n->count * sizeof *keys);
	for (i = 0; i < n->count; i++)
		keys[i] = n->items[2 * i];
	qsort(keys, n->count, sizeof *keys, by_text);
	for (i = 1; i < n->count && cls == C4W_OK; i++)
		if (c4w_view_eq(keys[i]->text, keys[i - 1]->text))
			cls = repeated(keys[i - 1], keys[i], err);
	free(keys);
	return cls;
}

int c4w_yaml_finish(struct c4w_yaml_node *n, struct c4w_err *err)
{
	size_t i, total = n->kind == C4W_YAML_MAP ? 2 * n->count : n->count;
	n->height = 1;
	n->expanded = 1;
	for (i = 0; i < total; i++) {
		n->expanded += n->items[i]->expanded;
		if (n->items[i]->height + 1 > n->height)
			n->height = n->items[i]->height + 1;
	}
	return n->kind == C4W_YAML_MAP ? check_keys(n, err) : C4W_OK;
}

static int push(struct build *b, struct c4w_yaml_node *n)
{
	if (b->n == b->cap) {
		size_t cap = b->cap ? b->cap * 2 : 256;
		struct c4w_yaml_node **p = realloc(b->stack, cap * sizeof *p);
		if (!p)
			return c4w_fail_memory(b->err, cap * sizeof *p);
		b->stack = p;
		b->cap = cap;
	}
	b->stack[b->n++] = n;
	return C4W_OK;
}

/* Counted as the document would stand with its aliases written out. */
static int count_nodes(struct build *b, uint64_t more, size_t line)
{
	b->nodes += more;
	if (b->nodes > C4W_LIMIT_YAML_NODES)
		return beyond(b->err, "yaml.nodes", "more than 1,000,000 nodes, aliases expanded", line);
	return C4W_OK;
}

static uint64_t hash_name(const char *p, size_t n)
{
	uint64_t h = 0xcbf29ce484222325ULL;
	size_t i;
	for (i = 0; i < n; i++)
		h = (h ^ (uint8_t)p[i]) * 0x100000001b3ULL;
	return h ^ h >> 29;
}

static struct anchor *anchor_slot(struct anchor *v, size_t cap, const char *name, size_t n)
{
	size_t i = (size_t)hash_name(name, n) & (cap - 1);
	while (v[i].name && (v[i].n != n || memcmp(v[i].name, name, n) != 0))
		i = (i + 1) & (cap - 1);
	return &v[i];
}

/* An anchor that occurs again stands for the later node from there on (YAML 1.1, 3.2.2.2). */
static int anchor_put(struct build *b, const yaml_char_t *raw, struct c4w_yaml_node *node)
{
	const char *name = (const char *)raw;
	size_t n, i;
	struct anchor *a;
	if (!raw)
		return C4W_OK;
	n = strlen(name);
	if (b->anchor_count * 2 >= b->anchor_cap) {
		size_t cap = b->anchor_cap ? b->anchor_cap * 2 : 32;
		struct anchor *v = calloc(cap, sizeof *v);
		if (!v)
			return c4w_fail_memory(b->err, cap * sizeof *v);
		for (i = 0; i < b->anchor_cap; i++)
			if (b->anchors[i].name)
				*anchor_slot(v, cap, b->anchors[i].name, b->anchors[i].n) = b->anchors[i];
		free(b->anchors);
		b->anchors = v;
		b->anchor_cap = cap;
	}
	a = anchor_slot(b->anchors, b->anchor_cap, name, n);
	if (!a->name) {
		a->name = c4w_arena_text(b->arena, name, n);
		if (!a->name)
			return c4w_fail_memory(b->err, n);
		a->n = n;
		b->anchor_count++;
	}
	a->node = node;
	return C4W_OK;
}

static int read_tag(struct build *b, const yaml_char_t *raw, enum c4w_yaml_kind kind, size_t line, enum c4w_yaml_tag *out)
{
	static const struct {
		const char *name;
		enum c4w_yaml_tag tag;
		enum c4w_yaml_kind kind;
	} known[] = {
		{ "str", C4W_YAML_TAG_STR, C4W_YAML_SCALAR },	  { "int", C4W_YAML_TAG_INT, C4W_YAML_SCALAR },
		{ "float", C4W_YAML_TAG_FLOAT, C4W_YAML_SCALAR }, { "bool", C4W_YAML_TAG_BOOL, C4W_YAML_SCALAR },
		{ "null", C4W_YAML_TAG_NULL, C4W_YAML_SCALAR },	  { "map", C4W_YAML_TAG_MAP, C4W_YAML_MAP },
		{ "seq", C4W_YAML_TAG_SEQ, C4W_YAML_SEQ },
	};
	static const char prefix[] = "tag:yaml.org,2002:";
	const char *tag = (const char *)raw;
	char shown[96];
	size_t i;
	*out = C4W_YAML_TAG_NONE;
	if (!raw)
		return C4W_OK;
	c4w_str_escape(shown, sizeof shown, tag, strlen(tag));
	for (i = 0; i < sizeof known / sizeof *known && strncmp(tag, prefix, sizeof prefix - 1) == 0; i++)
		if (strcmp(tag + sizeof prefix - 1, known[i].name) == 0) {
			if (known[i].kind != kind)
				return c4w_damaged(b->err, "yaml.tag-value", -1, "line %zu: the tag '%s' stands on %s", line, shown,
						   kind == C4W_YAML_SCALAR ? "a scalar" : kind == C4W_YAML_SEQ ? "a sequence" : "a mapping");
			*out = known[i].tag;
			return C4W_OK;
		}
	return c4w_damaged(b->err, "yaml.tag", -1, "line %zu: the tag '%s' is not one of the core tags", line, shown);
}

static int on_scalar(struct build *b, const yaml_event_t *e)
{
	struct c4w_yaml_node *n;
	size_t line = e->start_mark.line + 1;
	enum c4w_yaml_tag tag;
	bool finite = true, good = true;
	C4W_TRY(count_nodes(b, 1, line));
	C4W_TRY(read_tag(b, e->data.scalar.tag, C4W_YAML_SCALAR, line, &tag));
	n = c4w_yaml_new_scalar(b->arena, (struct c4w_view){ (const char *)e->data.scalar.value, e->data.scalar.length },
				e->data.scalar.style != YAML_PLAIN_SCALAR_STYLE);
	if (!n)
		return c4w_fail_memory(b->err, e->data.scalar.length);
	n->tag = tag;
	n->line = (uint32_t)line;
	n->column = (uint32_t)e->start_mark.column + 1;
	if (tag == C4W_YAML_TAG_INT)
		good = looks_int(n->text);
	else if (tag == C4W_YAML_TAG_FLOAT)
		good = looks_real(n->text, &finite);
	else if (tag == C4W_YAML_TAG_BOOL)
		good = looks_bool(n->text);
	else if (tag == C4W_YAML_TAG_NULL)
		good = looks_null(n->text);
	if (!good)
		return c4w_damaged(b->err, "yaml.tag-value", -1, "line %zu: the value does not have the form of its tag", line);
	if (b->want_spans && n->quoted && e->end_mark.line > e->start_mark.line) {
		if (b->span_count == b->span_cap) {
			size_t cap = b->span_cap ? b->span_cap * 2 : 16;
			struct span *p = realloc(b->spans, cap * sizeof *p);
			if (!p)
				return c4w_fail_memory(b->err, cap * sizeof *p);
			b->spans = p;
			b->span_cap = cap;
		}
		/* A block scalar ends at the head of the line after it; that line is not its own. */
		b->spans[b->span_count].first = e->start_mark.line + 1;
		b->spans[b->span_count++].last = e->end_mark.column == 0 ? e->end_mark.line - 1 : e->end_mark.line;
	}
	C4W_TRY(anchor_put(b, e->data.scalar.anchor, n));
	return push(b, n);
}

static int on_start(struct build *b, enum c4w_yaml_kind kind, const yaml_char_t *anchor, const yaml_char_t *raw_tag, size_t line,
		    size_t column)
{
	struct c4w_yaml_node *n;
	enum c4w_yaml_tag tag;
	C4W_TRY(count_nodes(b, 1, line));
	C4W_TRY(read_tag(b, raw_tag, kind, line, &tag));
	if (b->depth == C4W_LIMIT_YAML_DEPTH)
		return beyond(b->err, "yaml.depth", "collections nest more than 64 deep", line);
	n = c4w_yaml_new_collection(b->arena, kind, 0);
	if (!n)
		return c4w_fail_memory(b->err, sizeof *n);
	n->tag = tag;
	n->line = (uint32_t)line;
	n->column = (uint32_t)column;
	C4W_TRY(anchor_put(b, anchor, n));
	b->frames[b->depth].node = n;
	b->frames[b->depth++].base = b->n;
	return C4W_OK;
}

static int on_end(struct build *b)
{
	struct frame *f = &b->frames[--b->depth];
	struct c4w_yaml_node *n = f->node;
	size_t total = b->n - f->base;
	void *items = NULL;
	n->count = n->kind == C4W_YAML_MAP ? total / 2 : total;
	if (total) {
		C4W_TRY(c4w_arena_take(b->arena, total * sizeof *n->items, &items, b->err));
		memcpy(items, b->stack + f->base, total * sizeof *n->items);
	}
	n->items = items;
	b->n = f->base;
	C4W_TRY(c4w_yaml_finish(n, b->err));
	return push(b, n);
}

static int on_alias(struct build *b, const yaml_event_t *e)
{
	const char *name = (const char *)e->data.alias.anchor;
	size_t line = e->start_mark.line + 1;
	struct anchor *a = b->anchor_cap ? anchor_slot(b->anchors, b->anchor_cap, name, strlen(name)) : NULL;
	char shown[96];
	size_t i;
	c4w_str_escape(shown, sizeof shown, name, strlen(name));
	if (!a || !a->name)
		return c4w_damaged(b->err, "yaml.alias-unknown", -1, "line %zu: no anchor '%s' stands before its alias", line, shown);
	for (i = 0; i < b->depth; i++)
		if (b->frames[i].node == a->node)
			return c4w_damaged(b->err, "yaml.alias-self", -1, "line %zu: the alias '%s' stands inside what it names", line,
					   shown);
	C4W_TRY(count_nodes(b, a->node->expanded, line));
	if (b->depth + a->node->height > C4W_LIMIT_YAML_DEPTH)
		return beyond(b->err, "yaml.depth", "collections nest more than 64 deep once aliases are expanded", line);
	return push(b, a->node);
}

static int on_error(struct build *b, const yaml_parser_t *p)
{
	char why[160];
	const char *text = p->problem ? p->problem : "can't be read";
	c4w_str_escape(why, sizeof why, text, strlen(text));
	if (p->error == YAML_MEMORY_ERROR)
		return c4w_fail_memory(b->err, 0);
	if (p->error == YAML_READER_ERROR)
		return c4w_damaged(b->err, "yaml.encoding", (int64_t)p->problem_offset, "%s", why);
	if (p->problem && strstr(p->problem, " tab ")) /* libyaml's own complaint about tabs that break indentation */
		return c4w_damaged(b->err, "yaml.tab", -1, "line %zu: %s", p->problem_mark.line + 1, why);
	if (p->problem && strcmp(p->problem, "did not find expected <document start>") == 0)
		return c4w_damaged(b->err, "yaml.documents", -1, "line %zu: something follows the document", p->problem_mark.line + 1);
	if (p->problem && strcmp(p->problem, "found undefined tag handle") == 0)
		return c4w_damaged(b->err, "yaml.tag", -1, "line %zu: %s", p->problem_mark.line + 1, why);
	return c4w_damaged(b->err, "yaml.syntax", -1, "line %zu, column %zu: %s", p->problem_mark.line + 1, p->problem_mark.column + 1,
			   why);
}

/* Length of the line break at p, as libyaml counts lines: LF, CR, CR LF, NEL, LS, PS; 0 when there is none. */
static size_t line_break(const char *p, size_t n)
{
	if (p[0] == '\n')
		return 1;
	if (p[0] == '\r')
		return n > 1 && p[1] == '\n' ? 2 : 1;
	if (n > 1 && memcmp(p, "\xC2\x85", 2) == 0)
		return 2;
	return n > 2 && (memcmp(p, "\xE2\x80\xA8", 3) == 0 || memcmp(p, "\xE2\x80\xA9", 3) == 0) ? 3 : 0;
}

/* A tab in front of the first other character of a line up to `last`, unless the line continues a quoted or block scalar. */
static int check_tabs(struct build *b, const char *p, size_t n, size_t last)
{
	size_t i = 0, line = 0, k = 0, len = 0;
	while (i < n && line <= last) {
		bool tab = false;
		size_t j = i;
		for (; j < n && (p[j] == ' ' || p[j] == '\t'); j++)
			tab |= p[j] == '\t';
		while (k < b->span_count && b->spans[k].last < line)
			k++;
		if (tab && !(k < b->span_count && b->spans[k].first <= line))
			return c4w_damaged(b->err, "yaml.tab", (int64_t)i, "line %zu: a tab indents the line", line + 1);
		while (j < n && !(len = line_break(p + j, n - j)))
			j++;
		i = j + len;
		line++;
	}
	return C4W_OK;
}

static int run(struct build *b, yaml_parser_t *parser)
{
	bool end = false;
	size_t documents = 0;
	while (!end) {
		yaml_event_t e;
		int cls = C4W_OK;
		size_t line;
		if (!yaml_parser_parse(parser, &e))
			return on_error(b, parser);
		line = e.start_mark.line + 1;
		switch (e.type) {
		case YAML_DOCUMENT_START_EVENT:
			if (documents++)
				cls = c4w_damaged(b->err, "yaml.documents", -1, "line %zu: a second document begins", line);
			break;
		case YAML_SCALAR_EVENT:
			cls = on_scalar(b, &e);
			break;
		case YAML_SEQUENCE_START_EVENT:
			cls = on_start(b, C4W_YAML_SEQ, e.data.sequence_start.anchor, e.data.sequence_start.tag, line,
				       e.start_mark.column + 1);
			break;
		case YAML_MAPPING_START_EVENT:
			cls = on_start(b, C4W_YAML_MAP, e.data.mapping_start.anchor, e.data.mapping_start.tag, line,
				       e.start_mark.column + 1);
			break;
		case YAML_SEQUENCE_END_EVENT:
		case YAML_MAPPING_END_EVENT:
			cls = on_end(b);
			break;
		case YAML_ALIAS_EVENT:
			cls = on_alias(b, &e);
			break;
		case YAML_STREAM_END_EVENT:
			end = true;
			break;
		default:
			break;
		}
		yaml_event_delete(&e);
		C4W_TRY(cls);
	}
	if (!documents)
		return c4w_damaged(b->err, "yaml.documents", -1, "there is no document");
	return C4W_OK;
}

int c4w_yaml_parse(const char *p, size_t n, struct c4w_arena *arena, struct c4w_yaml_node **root, struct c4w_err *err)
{
	struct build *b;
	yaml_parser_t parser;
	int cls;
	*root = NULL;
	if (n > C4W_LIMIT_YAML_BYTES)
		return beyond(err, "yaml.size", "the text is longer than 16 MiB", 0);
	if (!c4w_utf8_valid(p, n))
		return c4w_damaged(err, "yaml.encoding", -1, "the text is not UTF-8");
	if (n >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0) { /* libyaml would count it as a column */
		p += 3;
		n -= 3;
	}
	b = calloc(1, sizeof *b);
	if (!b)
		return c4w_fail_memory(err, sizeof *b);
	b->arena = arena;
	b->err = err;
	b->want_spans = n && memchr(p, '\t', n) != NULL;
	if (!yaml_parser_initialize(&parser)) {
		free(b);
		return c4w_fail_memory(err, sizeof parser);
	}
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&parser, (const unsigned char *)p, n);
	cls = run(b, &parser);
	if (b->want_spans && (cls == C4W_OK || parser.error == YAML_SCANNER_ERROR)) {
		/* libyaml stumbles over some of these tabs itself, with a less helpful word */
		int tabs = check_tabs(b, p, n, cls == C4W_OK ? SIZE_MAX - 1 : parser.problem_mark.line);
		cls = tabs != C4W_OK ? tabs : cls;
	}
	yaml_parser_delete(&parser);
	if (cls == C4W_OK && (b->n != 1 || b->stack[0]->kind != C4W_YAML_MAP))
		cls = c4w_damaged(err, "yaml.top", -1, "the document is %s, not a mapping",
				  b->n == 1 ? c4w_yaml_type_name(c4w_yaml_type(b->stack[0])) : "empty");
	if (cls == C4W_OK)
		*root = b->stack[0];
	free(b->stack);
	free(b->anchors);
	free(b->spans);
	free(b);
	return cls;
}
