/* Nodes of a Parquet file: the table, its columns by their short dotted names, and its row groups as "#0", "#1", ... */
#include "model/node_file.h"

#include "base/numbers.h"
#include "model/pq_list.h"

#include <stdlib.h>

/* The file, one of its row groups, a column of either. */
struct pq_node {
	struct c4w_node base;
	struct c4w_blob *blob;
	struct c4w_pq *pq;  /* owned by the file's node */
	int64_t group;      /* -1: all */
	char *column;       /* short name, NULL: all */
	uint32_t schema;    /* the column's node */
	struct c4w_arena arena;
};

static const struct c4w_node_ops file_ops, part_ops;

static int part(struct pq_node *n, int64_t group, const char *column, uint32_t schema, struct c4w_node **out, struct c4w_err *err)
{
	struct pq_node *p = c4w_node_new(sizeof *p, &part_ops, C4W_NODE_TABLE, &n->base);
	if (!p)
		return c4w_fail_memory(err, sizeof *p);
	p->pq = n->pq;
	p->group = group;
	p->schema = schema;
	if (column && (p->column = strdup(column)) == NULL) {
		c4w_node_free(&p->base);
		return c4w_fail_memory(err, strlen(column));
	}
	*out = &p->base;
	return C4W_OK;
}

/* ---- listing ---- */

static int pq_list(struct c4w_node *node, const struct c4w_list_opts *o, const struct c4w_rows *rows, struct c4w_err *err)
{
	struct pq_node *n = (struct pq_node *)node;
	struct c4w_arena arena = { 0 };
	struct c4w_pq_sums *sums;
	void *mem;
	size_t g, k;
	int cls;
	if (o->what != C4W_LIST_CHILDREN)
		return c4w_fail(err, C4W_UNSUPPORTED, "--records and --files are for datasets");
	cls = c4w_arena_zero(&arena, c4w_pq_columns(n->pq) + 1, sizeof *sums, &mem, err);
	sums = mem;
	for (k = 0; cls == C4W_OK && k < c4w_pq_columns(n->pq); k++)
		c4w_pq_sums_add(&sums[k], n->pq, n->group, (int64_t)k);
	if (cls == C4W_OK)
		cls = c4w_pq_list_begin(rows);
	if (cls == C4W_OK)
		cls = c4w_pq_list_columns(n->pq, sums, rows, err);
	for (g = 0; n->group < 0 && g < c4w_pq_groups(n->pq) && cls == C4W_OK; g++) {
		struct c4w_pq_sums all = { 0 };
		char name[32];
		snprintf(name, sizeof name, "#%zu", g);
		c4w_pq_sums_add(&all, n->pq, (int64_t)g, -1);
		cls = c4w_pq_list_part(rows, name, "row group", c4w_pq_group_rows(n->pq, g), &all, C4W_NODE_DIR);
	}
	c4w_arena_clear(&arena);
	return cls;
}

/* ---- finding ---- */

static int find_column(struct pq_node *n, struct c4w_view rest, struct c4w_node **child, struct c4w_err *err)
{
	const char *name;
	uint32_t schema;
	C4W_TRY(c4w_pq_step_column(n->pq, rest, &n->arena, &name, &schema, err));
	return part(n, n->group, name, schema, child, err);
}

static int pq_lookup(struct c4w_node *node, struct c4w_view rest, size_t *used, struct c4w_node **child, struct c4w_err *err)
{
	struct pq_node *n = (struct pq_node *)node;
	struct c4w_view step = { rest.p, c4w_step_first(rest) };
	struct c4w_node *column = NULL;
	uint64_t number = 0;
	bool is_group = n->group < 0 && step.n > 1 && step.p[0] == '#' &&
			c4w_parse_u64((struct c4w_view){ step.p + 1, step.n - 1 }, &number) && number < c4w_pq_groups(n->pq);
	int cls;
	if (n->column)
		return c4w_fail(err, C4W_UNKNOWN, "there is nothing inside a column");
	cls = find_column(n, rest, &column, err);
	if (is_group && cls == C4W_OK) {
		c4w_node_free(column);
		return c4w_fail(err, C4W_USAGE, "'#%llu' has two readings: a column, and row group %llu", (unsigned long long)number,
				(unsigned long long)number);
	}
	if (is_group) {
		*used = step.n;
		return part(n, (int64_t)number, NULL, 0, child, err);
	}
	*used = rest.n;
	*child = column;
	return cls;
}

/* ---- rows ---- */

static int pq_table(struct c4w_node *node, const struct c4w_table_opts *o, c4w_bytes_fn sink, void *ctx, struct c4w_err *err)
{
	struct pq_node *n = (struct pq_node *)node;
	return c4w_pq_part_table(n->pq, n->group, n->column, o, sink, ctx, err);
}

static int pq_describe(struct c4w_node *node, struct c4w_facts *out, struct c4w_err *err)
{
	struct pq_node *n = (struct pq_node *)node;
	struct c4w_view by = c4w_pq_created_by(n->pq);
	char text[300], key[80];
	struct c4w_pq_sums sums = { 0 };
	size_t i;
	c4w_facts_number(out, "rows", n->group < 0 ? c4w_pq_rows(n->pq) : c4w_pq_group_rows(n->pq, (size_t)n->group));
	if (!n->blob)
		return C4W_OK;
	c4w_facts_number(out, "row_groups", (int64_t)c4w_pq_groups(n->pq));
	c4w_facts_number(out, "columns", (int64_t)c4w_pq_columns(n->pq));
	c4w_pq_sums_add(&sums, n->pq, -1, -1);
	c4w_pq_sums_describe(&sums, out);
	c4w_facts_number(out, "format_version", c4w_pq_version(n->pq));
	if (by.n)
		c4w_facts_text(out, "created_by", "%s", c4w_str_escape(text, sizeof text, by.p, by.n));
	for (i = 0; i < c4w_pq_meta_count(n->pq); i++) {
		struct c4w_view k = c4w_pq_meta_key(n->pq, i), v = c4w_pq_meta_value(n->pq, i);
		c4w_str_escape(key, sizeof key, k.p, k.n);
		/* Schemas in base64 and whole JSON documents stand here: only short texts are shown. */
		if (v.n <= 80)
			c4w_facts_text(out, "metadata", "%s = %s", key, c4w_str_escape(text, sizeof text, v.p, v.n));
		else
			c4w_facts_text(out, "metadata", "%s (%zu bytes)", key, v.n);
	}
	C4W_TRY(c4w_pq_arrow_describe(n->pq, out, err));
	c4w_facts_number(out, "footer_bytes", c4w_pq_footer_bytes(n->pq));
	c4w_facts_number(out, "bytes", (int64_t)c4w_blob_size(n->blob));
	return C4W_OK;
}

static int pq_blob(struct c4w_node *node, struct c4w_blob **out, struct c4w_err *err)
{
	(void)err;
	*out = c4w_blob_ref(((struct pq_node *)node)->blob);
	return C4W_OK;
}

static void pq_destroy(struct c4w_node *node)
{
	struct pq_node *n = (struct pq_node *)node;
	if (n->blob)
		c4w_pq_close(n->pq);
	c4w_blob_close(n->blob);
	c4w_arena_clear(&n->arena);
	free(n->column);
}

static const struct c4w_node_ops file_ops = { .type = "Parquet file", .list = pq_list, .lookup = pq_lookup, .describe = pq_describe,
					      .blob = pq_blob, .table = pq_table, .destroy = pq_destroy };
static const struct c4w_node_ops part_ops = { .type = "part of a Parquet file", .list = pq_list, .lookup = pq_lookup,
					      .describe = pq_describe, .table = pq_table, .destroy = pq_destroy };

int c4w_node_pq(struct c4w_node *parent, struct c4w_blob *blob, struct c4w_node **out, struct c4w_err *err)
{
	struct pq_node *n = c4w_node_new(sizeof *n, &file_ops, C4W_NODE_TABLE, parent);
	int cls;
	if (!n)
		return c4w_fail_memory(err, sizeof *n);
	n->group = -1;
	n->blob = c4w_blob_ref(blob);
	cls = c4w_pq_open(blob, &n->pq, err);
	if (cls != C4W_OK) {
		c4w_node_free(&n->base);
		return cls;
	}
	*out = &n->base;
	return C4W_OK;
}
