/* metadata_json as a tree of the YAML reader's nodes, so that one set of rules reads both, and its comparison with the struct. */
#include "families/psg_shard.h"
#include "base/limits.h"
#include "base/numbers.h"
#include "containers/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct build {
	const struct c4w_json *doc;
	struct c4w_arena *arena;
	struct c4w_err *err;
	uint64_t nodes;
};

static int convert(struct build *b, uint32_t v, struct c4w_yaml_node **out)
{
	enum c4w_json_type t = c4w_json_type(b->doc, v);
	struct c4w_view text;
	uint32_t e;
	size_t i = 0;
	if (++b->nodes > C4W_LIMIT_YAML_NODES)
		return c4w_damaged(b->err, "passage.json", -1, "metadata_json has more than 1,000,000 nodes");
	if (t == C4W_JSON_ARRAY || t == C4W_JSON_OBJECT) {
		bool map = t == C4W_JSON_OBJECT;
		*out = c4w_yaml_new_collection(b->arena, map ? C4W_YAML_MAP : C4W_YAML_SEQ, c4w_json_count(b->doc, v));
		if (!*out)
			return c4w_fail_memory(b->err, c4w_json_count(b->doc, v));
		for (e = c4w_json_first(b->doc, v); e != C4W_JSON_NONE; e = c4w_json_next(b->doc, v, e))
			C4W_TRY(convert(b, e, &(*out)->items[i++]));
		(*out)->height = 1; /* the parser has looked for repeated keys and bounded the depth */
		return C4W_OK;
	}
	if (t == C4W_JSON_STRING)
		C4W_TRY(c4w_json_string(b->doc, v, b->arena, &text, b->err));
	else
		text = c4w_json_raw(b->doc, v);
	*out = c4w_yaml_new_scalar(b->arena, text, t == C4W_JSON_STRING);
	return *out ? C4W_OK : c4w_fail_memory(b->err, text.n);
}

int c4w_psg_json(struct c4w_view text, struct c4w_arena *arena, struct c4w_yaml_node **out, struct c4w_err *err)
{
	struct c4w_json doc;
	struct c4w_err e;
	struct build b = { &doc, arena, err, 0 };
	int cls;
	*out = NULL;
	if (text.n > C4W_LIMIT_YAML_BYTES)
		return c4w_damaged(err, "passage.json", -1, "metadata_json is longer than 16 MiB");
	cls = c4w_json_parse(text, C4W_JSON_STRICT, C4W_LIMIT_YAML_DEPTH, arena, &doc, &e);
	if (cls == C4W_DAMAGED || cls == C4W_LIMIT)
		return c4w_damaged(err, "passage.json", e.offset, "metadata_json: %s", e.message);
	if (cls != C4W_OK) {
		if (err)
			*err = e;
		return cls;
	}
	if (c4w_json_type(&doc, 0) != C4W_JSON_OBJECT)
		return c4w_damaged(err, "passage.json", 0, "metadata_json is %s, not an object", c4w_json_type_name(c4w_json_type(&doc, 0)));
	return convert(&b, 0, out);
}

static bool is_number(enum c4w_yaml_type t)
{
	return t == C4W_YAML_INTEGER || t == C4W_YAML_REAL;
}

/* "nan" and "inf" are what a struct's doubles may hold and JSON can't. */
static bool scalars_equal(const struct c4w_yaml_node *a, const struct c4w_yaml_node *b)
{
	enum c4w_yaml_type x = c4w_yaml_type(a), y = c4w_yaml_type(b);
	double u, v;
	if (is_number(x) && is_number(y))
		return c4w_view_eq(a->text, b->text) || (c4w_yaml_double(a, &u) && c4w_yaml_double(b, &v) && u == v);
	return x == y && (x == C4W_YAML_NULL || c4w_view_eq(a->text, b->text));
}

static void add_step(char *place, size_t size, const char *step, size_t n)
{
	size_t used = strlen(place);
	snprintf(place + used, size - used, "%s%.*s", used && step[0] != '[' ? "." : "", (int)(n < 80 ? n : 80), step);
}

bool c4w_psg_differs(const struct c4w_yaml_node *part, const struct c4w_yaml_node *whole, char *place, size_t size)
{
	size_t i, k, used = strlen(place);
	if (part->kind != whole->kind)
		return true;
	if (part->kind == C4W_YAML_SCALAR)
		return !scalars_equal(part, whole);
	if (part->kind == C4W_YAML_SEQ && part->count != whole->count)
		return true;
	for (i = 0; i < part->count; i++) {
		const struct c4w_yaml_node *a, *b = NULL;
		char step[32];
		if (part->kind == C4W_YAML_SEQ) {
			a = part->items[i];
			b = whole->items[i];
			snprintf(step, sizeof step, "[%zu]", i);
			add_step(place, size, step, strlen(step));
			if (a->kind == C4W_YAML_SCALAR && c4w_yaml_type(a) == C4W_YAML_NULL) { /* the struct does not say */
				place[used] = '\0';
				continue;
			}
		} else {
			const struct c4w_yaml_node *key = part->items[2 * i];
			a = part->items[2 * i + 1];
			/* Both sides mostly have the same keys in the same order. */
			for (k = 0; k < whole->count && !b; k++) {
				size_t at = (i + k) % whole->count;
				if (c4w_view_eq(whole->items[2 * at]->text, key->text))
					b = whole->items[2 * at + 1];
			}
			add_step(place, size, key->text.p, key->text.n);
		}
		if (!b || c4w_psg_differs(a, b, place, size))
			return true;
		place[used] = '\0';
	}
	return false;
}
