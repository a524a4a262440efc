/* Folders of Parquet shards: a table in several files, in the order of their names. */
#include "model/pq_list.h"

#include <stdlib.h>

static int not_shards(struct c4w_err *err)
{
	c4w_fail(err, C4W_USAGE, "is a folder");
	c4w_err_hint(err, "'c4w ls' lists what is inside it");
	return C4W_USAGE;
}

static bool same_columns(const struct c4w_pq *a, const struct c4w_pq *b)
{
	char x[300], y[300];
	size_t k;
	if (c4w_pq_columns(a) != c4w_pq_columns(b))
		return false;
	for (k = 0; k < c4w_pq_columns(a); k++)
		if (c4w_pq_leaf(a, k)->type != c4w_pq_leaf(b, k)->type || c4w_pq_leaf(a, k)->logical != c4w_pq_leaf(b, k)->logical ||
		    strcmp(c4w_pq_path(a, k, x, sizeof x), c4w_pq_path(b, k, y, sizeof y)) != 0)
			return false;
	return true;
}

static int shard_open(struct c4w_store *store, const char *rel, const char *name, struct c4w_pq **out, struct c4w_err *err)
{
	struct c4w_buf path = { 0 };
	struct c4w_blob *blob;
	int cls;
	c4w_buf_printf(&path, "%s%s%s", rel, *rel ? "/" : "", name);
	cls = c4w_buf_ok(&path, err);
	if (cls == C4W_OK && (cls = c4w_store_open(store, path.p, &blob, err)) == C4W_OK) {
		cls = c4w_pq_open(blob, out, err);
		c4w_blob_close(blob);
	}
	c4w_buf_clear(&path);
	return cls;
}

int c4w_pq_shards_list(struct c4w_store *store, const char *rel, struct c4w_arena *arena, const char ***names, size_t *n, struct c4w_err *err)
{
	struct c4w_dirent *e;
	size_t count, i;
	void *mem;
	*n = 0;
	C4W_TRY(c4w_store_list(store, rel, arena, &e, &count, err));
	C4W_TRY(c4w_arena_zero(arena, count + 1, sizeof **names, &mem, err));
	*names = mem;
	for (i = 0; i < count; i++) {
		size_t len = strlen(e[i].name);
		if (e[i].name[0] == '.' || e[i].name[0] == '_')
			continue;
		if (e[i].st.kind != C4W_KIND_FILE || len < 8 || strcmp(e[i].name + len - 8, ".parquet") != 0)
			return not_shards(err);
		(*names)[(*n)++] = e[i].name;
	}
	return *n ? C4W_OK : not_shards(err);
}

int c4w_pq_shards_table(struct c4w_store *store, const char *rel, const struct c4w_table_opts *o, c4w_bytes_fn sink, void *ctx,
			struct c4w_err *err)
{
	struct c4w_arena arena = { 0 };
	const char **names = NULL;
	struct c4w_pq *first = NULL;
	struct c4w_table_opts part = *o;
	uint64_t before = 0, end = o->count > UINT64_MAX - o->first ? UINT64_MAX : o->first + o->count;
	size_t n = 0, i;
	int cls = c4w_pq_shards_list(store, rel, &arena, &names, &n, err);
	for (i = 0; cls == C4W_OK && i < n && (before < end || !first); i++) {
		struct c4w_pq *shard = NULL;
		uint64_t rows;
		cls = shard_open(store, rel, names[i], &shard, err);
		if (cls != C4W_OK)
			break;
		rows = (uint64_t)c4w_pq_rows(shard);
		if (first && !same_columns(first, shard)) {
			cls = c4w_damaged(err, "parquet.column-type", -1, "has other columns than the first file of its folder");
			c4w_err_path(err, names[i]);
		}
		part.header = o->header && !first;
		part.first = o->first > before ? o->first - before : 0;
		part.count = end > before ? end - before : 0;
		part.count = part.count > part.first ? part.count - part.first : 0;
		if (cls == C4W_OK && (part.header || (part.first < rows && part.count > 0)))
			cls = c4w_pq_part_table(shard, -1, NULL, &part, sink, ctx, err);
		before += rows;
		if (!first)
			first = shard;
		else
			c4w_pq_close(shard);
	}
	c4w_pq_close(first);
	c4w_arena_clear(&arena);
	return cls;
}

/* ---- one view of them ---- */

struct shard {
	const char *name;
	int64_t rows;
	size_t groups;
	uint64_t bytes;
	struct c4w_pq_sums sums;
};

struct view {
	struct c4w_arena arena;
	struct c4w_pq *first;     /* its schema is that of all */
	struct shard *shard;
	size_t n;
	struct c4w_pq_sums *sums; /* one a leaf column */
};

static void view_clear(struct view *v)
{
	c4w_pq_close(v->first);
	c4w_arena_clear(&v->arena);
}

static void add_shard(struct view *v, const struct c4w_pq *pq, struct shard *s)
{
	size_t k;
	s->rows = c4w_pq_rows(pq);
	s->groups = c4w_pq_groups(pq);
	s->bytes = c4w_blob_size(c4w_pq_blob(pq));
	for (k = 0; k < c4w_pq_columns(pq); k++) {
		v->sums[k].several_files = v->n > 1;
		c4w_pq_sums_add(&v->sums[k], pq, -1, (int64_t)k);
	}
	c4w_pq_sums_add(&s->sums, pq, -1, -1);
}

/* C4W_USAGE: a folder, but not one table. The caller clears *v in any case. */
static int view_open(struct c4w_store *store, const char *rel, struct view *v, struct c4w_err *err)
{
	const char **names;
	void *mem;
	size_t i;
	C4W_TRY(c4w_pq_shards_list(store, rel, &v->arena, &names, &v->n, err));
	C4W_TRY(c4w_arena_zero(&v->arena, v->n, sizeof *v->shard, &mem, err));
	v->shard = mem;
	for (i = 0; i < v->n; i++) {
		struct c4w_pq *pq;
		bool same;
		v->shard[i].name = names[i];
		C4W_TRY(shard_open(store, rel, names[i], &pq, err));
		if (!v->first) {
			v->first = pq;
			C4W_TRY(c4w_arena_zero(&v->arena, c4w_pq_columns(pq) + 1, sizeof *v->sums, &mem, err));
			v->sums = mem;
		}
		same = pq == v->first || same_columns(v->first, pq);
		if (same)
			add_shard(v, pq, &v->shard[i]);
		if (pq != v->first)
			c4w_pq_close(pq);
		if (!same)
			return not_shards(err);
	}
	return C4W_OK;
}

/* What keeps a folder from being shown as one table leaves it a folder; want of memory and an end that was asked for don't. */
static bool no_view(int cls)
{
	return cls != C4W_OK && cls != C4W_MEMORY && cls != C4W_CANCELLED;
}

int c4w_pq_shards_rows(struct c4w_store *store, const char *rel, const struct c4w_rows *rows, bool *is_table, struct c4w_err *err)
{
	struct view v = { 0 };
	struct c4w_buf step = { 0 };
	size_t i;
	int cls = view_open(store, rel, &v, err);
	*is_table = cls == C4W_OK;
	if (cls != C4W_OK) {
		view_clear(&v);
		return no_view(cls) ? C4W_OK : cls;
	}
	cls = c4w_pq_list_begin(rows);
	if (cls == C4W_OK)
		cls = c4w_pq_list_columns(v.first, v.sums, rows, err);
	for (i = 0; i < v.n && cls == C4W_OK; i++) {
		c4w_buf_reset(&step);
		c4w_step_put(&step, c4w_view_z(v.shard[i].name), false);
		cls = c4w_buf_ok(&step, err);
		if (cls == C4W_OK)
			cls = c4w_pq_list_part(rows, step.p, "file", v.shard[i].rows, &v.shard[i].sums, C4W_NODE_BYTES);
	}
	c4w_buf_clear(&step);
	view_clear(&v);
	return cls;
}

int c4w_pq_shards_describe(struct c4w_store *store, const char *rel, struct c4w_facts *out, bool *is_table, struct c4w_err *err)
{
	struct view v = { 0 };
	struct c4w_pq_sums all = { 0 };
	int64_t rows = 0, groups = 0, bytes = 0;
	size_t i;
	int cls = view_open(store, rel, &v, err);
	*is_table = cls == C4W_OK;
	if (cls != C4W_OK) {
		view_clear(&v);
		return no_view(cls) ? C4W_OK : cls;
	}
	for (i = 0; i < v.n; i++) {
		rows = c4w_pq_plus(rows, v.shard[i].rows);
		groups += (int64_t)v.shard[i].groups;
		bytes = c4w_pq_plus(bytes, (int64_t)v.shard[i].bytes);
		all.chunks += v.shard[i].sums.chunks;
		all.column_index += v.shard[i].sums.column_index;
		all.offset_index += v.shard[i].sums.offset_index;
		all.bloom += v.shard[i].sums.bloom;
	}
	c4w_facts_text(out, "format", "folder of Parquet files");
	c4w_facts_text(out, "format_why", "it holds only Parquet files, all of the same columns");
	c4w_facts_number(out, "files", (int64_t)v.n);
	c4w_facts_number(out, "rows", rows);
	c4w_facts_number(out, "row_groups", groups);
	c4w_facts_number(out, "columns", (int64_t)c4w_pq_columns(v.first));
	c4w_pq_sums_describe(&all, out);
	cls = c4w_pq_arrow_describe(v.first, out, err);
	c4w_facts_number(out, "bytes", bytes);
	view_clear(&v);
	return cls;
}

/* ---- a column of them ---- */

struct column_node {
	struct c4w_node base;
	struct c4w_store *store;
	char *rel, *column;
};

static int column_table(struct c4w_node *node, const struct c4w_table_opts *o, c4w_bytes_fn sink, void *ctx, struct c4w_err *err)
{
	struct column_node *n = (struct column_node *)node;
	struct c4w_table_opts opts = *o;
	const char *own[1] = { n->column };
	if (!opts.column_count) {
		opts.columns = own;
		opts.column_count = 1;
	}
	return c4w_pq_shards_table(n->store, n->rel, &opts, sink, ctx, err);
}

static void column_destroy(struct c4w_node *node)
{
	struct column_node *n = (struct column_node *)node;
	c4w_store_close(n->store);
	free(n->rel);
	free(n->column);
}

static const struct c4w_node_ops column_ops = { .type = "column of a folder of Parquet files", .table = column_table, .destroy = column_destroy };

int c4w_pq_shards_column(struct c4w_node *parent, struct c4w_store *store, const char *rel, struct c4w_view step, struct c4w_node **out,
			 struct c4w_err *err)
{
	struct c4w_arena arena = { 0 };
	struct c4w_pq *pq = NULL;
	struct column_node *n;
	const char **names, *name = NULL;
	uint32_t schema;
	size_t count;
	int cls = c4w_pq_shards_list(store, rel, &arena, &names, &count, err);
	if (cls == C4W_OK)
		cls = shard_open(store, rel, names[0], &pq, err);
	if (cls == C4W_OK)
		cls = c4w_pq_step_column(pq, step, &arena, &name, &schema, err);
	if (cls == C4W_OK) {
		n = c4w_node_new(sizeof *n, &column_ops, C4W_NODE_TABLE, parent);
		if (n && (n->rel = strdup(rel)) != NULL && (n->column = strdup(name)) != NULL) {
			n->store = c4w_store_ref(store);
			*out = &n->base;
		} else {
			if (n)
				c4w_node_free(&n->base);
			cls = c4w_fail_memory(err, sizeof *n);
		}
	}
	c4w_pq_close(pq);
	c4w_arena_clear(&arena);
	return cls;
}
