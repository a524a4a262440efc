/* covers: lib/containers/json.c lib/containers/json_parse.c lib/containers/json_write.c
 * JSON: the first byte picks the dialect; what parses is walked, written, parsed again and must be equal to itself; a tree is made. */
#include "containers/json.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool fact)
{
	if (!fact)
		abort();
}

/* Every value once: conversions either succeed or say why. */
static void walk(const struct c4w_json *d, uint32_t v, struct c4w_arena *arena, unsigned depth)
{
	struct c4w_view text = c4w_json_raw(d, v);
	struct c4w_err err;
	int64_t i;
	uint64_t u;
	double x;
	uint32_t e, n = 0;
	bool object = c4w_json_type(d, v) == C4W_JSON_OBJECT;
	require(text.n > 0 && text.p >= d->text && text.p + text.n <= d->text + d->n && depth <= 256);
	for (e = c4w_json_first(d, v); e != C4W_JSON_NONE; e = c4w_json_next(d, v, e), n++) {
		if (object && n % 2 == 0) {
			require(c4w_json_string(d, e, arena, &text, NULL) == C4W_OK);
			require(c4w_json_string_eq(d, e, text));
			require(c4w_json_member_view(d, v, text) != C4W_JSON_NONE);
			require(d->repeated || c4w_json_member_view(d, v, text) == e + 1);
		} else {
			walk(d, e, arena, depth + 1);
		}
	}
	require(n == c4w_json_count(d, v) * (object ? 2 : 1));
	if (c4w_json_type(d, v) != C4W_JSON_NUMBER)
		return;
	require(c4w_json_i64(d, v, &i, &err) == C4W_OK || err.rule != NULL);
	require(c4w_json_u64(d, v, &u, &err) == C4W_OK || err.rule != NULL);
	require(c4w_json_double(d, v, &x, &err) == C4W_OK || err.rule != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct c4w_arena arena = { 0 };
	struct c4w_json d, again;
	struct c4w_buf out = { 0 };
	struct c4w_err err;
	unsigned flags;
	if (size == 0)
		return 0;
	flags = data[0] & 15;
	if (c4w_json_parse((struct c4w_view){ (const char *)data + 1, size - 1 }, flags, 0, &arena, &d, &err) == C4W_OK) {
		struct c4w_json_style style = { .indent = data[0] >> 4 & 3, .sort = data[0] >> 6 & 1, .ascii = data[0] >> 7 };
		cJSON *tree;
		bool same = false;
		walk(&d, 0, &arena, 0);
		if (c4w_json_dump(&d, 0, style, &arena, &out, &err) == C4W_OK) {
			require(c4w_json_parse((struct c4w_view){ out.p, out.n }, flags & ~4U, 0, &arena, &again, &err) == C4W_OK);
			require(c4w_json_equal(&d, 0, &again, 0, &arena, &same, &err) == C4W_OK);
		} else {
			require(err.cls == C4W_DAMAGED && err.rule != NULL);
		}
		if (c4w_json_tree(&d, 0, &tree, &err) == C4W_OK)
			cJSON_Delete(tree);
	} else {
		require(err.cls == C4W_LIMIT || (err.rule != NULL && err.offset >= 0 && (size_t)err.offset < size));
	}
	c4w_buf_clear(&out);
	c4w_arena_clear(&arena);
	return 0;
}
