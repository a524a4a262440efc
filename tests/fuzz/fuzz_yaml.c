/* covers: lib/containers/yaml.c lib/containers/yaml_write.c
 * YAML: what parses stays within the limits; every scalar is asked for every type; metadata rules run over it. */
#include "containers/yaml.h"
#include "base/limits.h"
#include "families/psg.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool fact)
{
	if (!fact)
		abort();
}

/* Aliases make a graph: the walk is bounded by the number of expanded nodes. */
static void walk(const struct c4w_yaml_node *n, unsigned depth, uint64_t *left)
{
	int64_t i;
	double d;
	bool b;
	struct c4w_view t;
	size_t k, count = n->kind == C4W_YAML_MAP ? 2 * n->count : n->count;
	require(depth <= C4W_LIMIT_YAML_DEPTH + 1);
	if (*left == 0)
		return;
	--*left;
	(void)c4w_yaml_int64(n, &i);
	(void)c4w_yaml_double(n, &d);
	(void)c4w_yaml_bool(n, &b);
	(void)c4w_yaml_text(n, &t);
	for (k = 0; k < count; k++)
		walk(n->items[k], depth + 1, left);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct c4w_arena arena = { 0 };
	struct c4w_yaml_node *root;
	struct c4w_psg_meta meta;
	struct c4w_err err;
	uint64_t left = 100000;
	int cls = c4w_yaml_parse((const char *)data, size, &arena, &root, &err);
	if (cls == C4W_OK) {
		require(root && root->kind == C4W_YAML_MAP && root->height <= C4W_LIMIT_YAML_DEPTH && root->expanded <= C4W_LIMIT_YAML_NODES);
		walk(root, 1, &left);
		c4w_psg_meta_read(root, NULL, &meta);
		if (root->expanded < 10000) {
			struct c4w_buf b = { 0 };
			c4w_yaml_write(&b, root);
			require(b.n > 0);
			c4w_buf_clear(&b);
		}
	} else {
		require(!root && (cls == C4W_MEMORY || err.rule));
	}
	c4w_arena_clear(&arena);
	return 0;
}
