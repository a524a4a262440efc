/* `c4w info`: what something is, and why c4w thinks so. */
#include "command.h"
#include "support/selection.h"

#include "model/node_file.h"

static const struct c4w_example examples[] = {
	{ "c4w info release", "kind, release, splits, tiers, carriers, bytes" },
	{ "c4w info x.npz tau", "an array's dtype, shape and order" },
	{ NULL, NULL },
};

static int run(struct c4w_ctx *ctx, void *args);

const struct c4w_command c4w_command_info = {
	.name = "info",
	.group = "Look",
	.summary = "say what a dataset, file or leaf is, and why",
	.synopsis = "[OPTIONS] PATH [LEAF]",
	.prose = "Says what PATH is: a dataset of a family, or a lone file, and how that was found out. Of a dataset what it holds, as far as its "
		 "catalog tells: nothing but the catalog is read. Of a lone file its header in a few lines; of a folder "
		 "that holds only Parquet files of the same columns, what they are in sum. With LEAF, the same of what is inside.",
	.shares = C4W_SHARE_JSON | C4W_SHARE_AS | C4W_SHARE_MEMORY,
	.min_operands = 1,
	.max_operands = 2,
	.operands = "path leaf",
	.examples = examples,
	.see_also = "c4w-ls(1) c4w-verify(1)",
	.run = run,
};

/* "scenes_train" is "scenes train" for people. */
static void print_text(struct c4w_ctx *ctx, const struct c4w_facts *facts)
{
	bool color = c4w_color_on(ctx, stdout);
	size_t i, width = 0;
	char number[32], key[80];
	for (i = 0; i < facts->n; i++)
		width = strlen(facts->v[i].key) > width ? strlen(facts->v[i].key) : width;
	for (i = 0; i < facts->n; i++) {
		const struct c4w_fact *f = &facts->v[i];
		size_t n = strlen(f->key), k;
		struct c4w_buf text = { 0 };
		for (k = 0; k <= n && k < sizeof key; k++)
			key[k] = f->key[k] == '_' ? ' ' : f->key[k];
		key[sizeof key - 1] = 0;
		fprintf(ctx->out, "%s%s%s%*s  ", color ? "\033[1m" : "", key, color ? "\033[0m" : "", (int)(width - n), "");
		if (f->text) {
			c4w_buf_escape(&text, f->text, strlen(f->text));
			fputs(text.p ? text.p : "", ctx->out);
			c4w_buf_clear(&text);
		} else {
			bool bytes = strcmp(f->key, "bytes") == 0 || (n > 6 && strcmp(f->key + n - 6, "_bytes") == 0) ||
				     strncmp(f->key, "bytes_", 6) == 0;
			if (f->number >= 0)
				fputs(c4w_str_grouped((uint64_t)f->number, number), ctx->out);
			else
				fprintf(ctx->out, "%lld", (long long)f->number);
			if (bytes && f->number >= 1000)
				fprintf(ctx->out, " (%s)", c4w_str_size((uint64_t)f->number, number));
		}
		fputc('\n', ctx->out);
	}
}

/* One object; a key that comes several times becomes a list. */
static void print_json(struct c4w_ctx *ctx, const struct c4w_facts *facts)
{
	struct c4w_buf b = { 0 };
	size_t i, k;
	c4w_buf_puts(&b, "{\"type\": \"info\"");
	for (i = 0; i < facts->n; i++) {
		size_t same = 0, n = 0;
		for (k = 0; k < i && !same; k++)
			same = strcmp(facts->v[k].key, facts->v[i].key) == 0;
		if (same)
			continue;
		for (k = i; k < facts->n; k++)
			same += strcmp(facts->v[k].key, facts->v[i].key) == 0;
		c4w_buf_printf(&b, ", \"%s\": %s", facts->v[i].key, same > 1 ? "[" : "");
		for (k = i; k < facts->n; k++) {
			const struct c4w_fact *f = &facts->v[k];
			if (strcmp(f->key, facts->v[i].key) != 0)
				continue;
			c4w_buf_puts(&b, n++ ? ", " : "");
			if (f->text)
				c4w_buf_json(&b, f->text, strlen(f->text));
			else
				c4w_buf_printf(&b, "%lld", (long long)f->number);
		}
		c4w_buf_puts(&b, same > 1 ? "]" : "");
	}
	c4w_buf_puts(&b, "}\n");
	if (!b.failed)
		fwrite(b.p, 1, b.n, ctx->out);
	c4w_buf_clear(&b);
}

static const char *node_word(const struct c4w_node *n)
{
	return n->ops->type;
}

/* What is inside the root: the leaf, and when its bytes are a container, that. */
static int describe_leaf(struct c4w_ctx *ctx, struct c4w_target *t, const char *leaf, struct c4w_facts *facts, struct c4w_err *err)
{
	struct c4w_node *root = NULL, *n = NULL, *inside = NULL;
	struct c4w_array a;
	struct c4w_blob *blob;
	const char *why = "";
	char text[400];
	int cls;
	if (!t->family->node)
		return c4w_fail(err, C4W_UNSUPPORTED, "a %s has no leaves here", t->family->title);
	C4W_TRY(t->family->node(t->root, &root, err));
	root->limit = ctx->shared.memory;
	cls = c4w_node_resolve(root, leaf, &n, err);
	if (cls == C4W_OK) {
		c4w_facts_text(facts, "leaf", "%s", leaf);
		c4w_facts_text(facts, "node", "%s", node_word(n));
		if (n->ops->describe)
			cls = n->ops->describe(n, facts, err);
	}
	if (cls == C4W_OK && n->ops->array_info && !n->ops->describe && (cls = n->ops->array_info(n, &a, err)) == C4W_OK) {
		c4w_facts_text(facts, "dtype", "%s", c4w_dtype_text(&a.dtype, text, sizeof text));
		c4w_facts_text(facts, "shape", "%s", c4w_shape_text(a.rank, a.shape, text, sizeof text));
		c4w_facts_text(facts, "order", "%s", a.fortran ? "fortran" : "c");
		c4w_facts_number(facts, "elements", (int64_t)a.count);
		c4w_facts_number(facts, "data_bytes", (int64_t)a.size);
	}
	if (cls == C4W_OK && n->kind == C4W_NODE_BYTES && n->ops->blob && (cls = n->ops->blob(n, &blob, err)) == C4W_OK) {
		enum c4w_format format = c4w_format_of(blob, &why);
		c4w_blob_close(blob);
		c4w_facts_text(facts, "format", "%s", c4w_format_name(format));
		c4w_facts_text(facts, "format_why", "%s", why);
		cls = c4w_node_enter(n, &inside, err);
		if (cls == C4W_UNKNOWN)
			cls = C4W_OK;
		else if (cls == C4W_OK && inside->ops->describe)
			cls = inside->ops->describe(inside, facts, err);
	}
	c4w_node_free(inside);
	c4w_node_free(n);
	c4w_node_free(root);
	return cls;
}

static int run(struct c4w_ctx *ctx, void *args)
{
	struct c4w_target target = { 0 };
	struct c4w_facts facts = { 0 };
	struct c4w_err err = { 0 };
	const char *leaf = ctx->operands > 1 ? ctx->operand[1] : "";
	int cls, code = C4W_EXIT_OK;
	(void)args;
	c4w_err_clear(&err);
	cls = c4w_target_open(ctx, ctx->operand[0], &target, &err);
	if (cls != C4W_OK) {
		c4w_err_path(&err, ctx->operand[0]);
		code = c4w_say_open(ctx, &err);
		c4w_target_close(&target);
		return code;
	}
	c4w_facts_text(&facts, "path", "%s", ctx->operand[0]);
	c4w_facts_text(&facts, "family", "%s", target.family->name);
	c4w_facts_text(&facts, "what", "%s", c4w_family_title(target.family, target.path));
	c4w_facts_text(&facts, "certainty", "%s", target.why.sure >= C4W_SURE_CERTAIN ? "certain" : "nothing better");
	c4w_facts_text(&facts, "why", "%s", target.why.why);
	if (*leaf)
		cls = describe_leaf(ctx, &target, leaf, &facts, &err);
	else if (target.family->describe)
		cls = target.family->describe(target.root, &facts, &err);
	/* What was found out before it went wrong is still worth telling. */
	if (ctx->shared.json)
		print_json(ctx, &facts);
	else
		print_text(ctx, &facts);
	if (cls != C4W_OK && cls != C4W_CANCELLED) {
		c4w_err_path(&err, *leaf ? leaf : ctx->operand[0]);
		code = c4w_say(ctx, &err);
	}
	c4w_facts_clear(&facts);
	c4w_target_close(&target);
	return code;
}
