/* Nodes of a Parquet file: the table, its columns by their short dotted names, and its row groups as "#0", "#1", ... */
#include "model/node_file.h"

#include "base/numbers.h"
#include "containers/pq_arrow.h"
#include "model/pq_check.h"
#include "model/pq_rows.h"

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

/* What the chunks of a column add up to. */
struct sums {
	int64_t values, nulls, stored, bytes;
	bool has_nulls, mixed_codec;
	int32_t codec;
	uint32_t encodings;
	struct c4w_pq_stats stats; /* this and the offset: of the only chunk */
	uint64_t offset;
	size_t chunks, column_index, offset_index, bloom; /* how many there are, and how many of them have these */
};

static void add_chunk(struct sums *s, const struct c4w_pq_chunk *c)
{
	s->mixed_codec = s->mixed_codec || (s->chunks && s->codec != c->codec);
	s->codec = c->codec;
	s->encodings |= c->encodings;
	s->values += c->values;
	s->stored += c->compressed;
	s->bytes += c->uncompressed;
	s->has_nulls = c->stats.has_nulls && (s->chunks == 0 || s->has_nulls);
	s->nulls += c->stats.nulls;
	s->stats = c->stats;
	s->offset = c->offset;
	s->column_index += c->column_index_offset != 0;
	s->offset_index += c->offset_index_offset != 0;
	s->bloom += c->bloom_offset != 0;
	s->chunks++;
}

/* A column of all row groups or of one, a row group of all columns: -1 is all. */
static void add_chunks(struct sums *s, const struct c4w_pq *pq, int64_t group, int64_t column)
{
	struct c4w_pq_chunk chunk;
	size_t g, k;
	for (g = group < 0 ? 0 : (size_t)group; g < (group < 0 ? c4w_pq_groups(pq) : (size_t)group + 1); g++)
		for (k = column < 0 ? 0 : (size_t)column; k < (column < 0 ? c4w_pq_columns(pq) : (size_t)column + 1); k++) {
			c4w_pq_chunk(pq, g, k, &chunk);
			add_chunk(s, &chunk);
		}
}

static void put_encodings(struct c4w_buf *b, uint32_t encodings)
{
	int32_t i;
	bool first = true;
	for (i = 0; i < 32; i++) {
		const char *name;
		if (!(encodings >> i & 1))
			continue;
		name = c4w_pq_encoding_name(i);
		c4w_buf_printf(b, first ? "%s" : " %s", name ? name : "?");
		first = false;
	}
}

static const struct c4w_column schema_columns[] = {
	{ "name", C4W_CELL_TEXT, false }, { "type", C4W_CELL_TEXT, false }, { "logical", C4W_CELL_TEXT, false },
	{ "repetition", C4W_CELL_TEXT, false }, { "codec", C4W_CELL_TEXT, false }, { "rows", C4W_CELL_INT, false },
	{ "values", C4W_CELL_INT, false }, { "nulls", C4W_CELL_INT, false }, { "bytes", C4W_CELL_BYTES, false },
	{ "stored", C4W_CELL_BYTES, false }, { "offset", C4W_CELL_INT, true }, { "encodings", C4W_CELL_TEXT, true },
	{ "min", C4W_CELL_TEXT, true }, { "max", C4W_CELL_TEXT, true },
	/* Chunks that have them: of one row group 0 or 1. */
	{ "column_index", C4W_CELL_INT, true }, { "offset_index", C4W_CELL_INT, true }, { "bloom_filter", C4W_CELL_INT, true },
};
enum { COLUMNS = sizeof schema_columns / sizeof *schema_columns };

static void put_indexes(struct c4w_cell *c, const struct sums *s)
{
	c[14] = c4w_cell_int((int64_t)s->column_index);
	c[15] = c4w_cell_int((int64_t)s->offset_index);
	c[16] = c4w_cell_int((int64_t)s->bloom);
}

static const char *shape_name(const struct c4w_pq_node *s)
{
	switch (s->shape) {
	case C4W_PQ_STRUCT: return "struct";
	case C4W_PQ_LISTS: return "list";
	case C4W_PQ_MAPS: return "map";
	default: return c4w_pq_type_name(s->type);
	}
}

/* The logical type, and what Arrow's schema (or NULL) knows beyond it. */
static void logical_text(const struct c4w_pq_node *s, const struct c4w_pq_arrow *arrow, char *out, size_t size)
{
	size_t n;
	c4w_pq_logical_text(s, out, size);
	n = strlen(out);
	if (arrow && arrow->fixed_list)
		snprintf(out, size, "fixed_size_list[%d]", arrow->fixed_size);
	else if (arrow && arrow->dictionary)
		snprintf(out + n, size - n, "%sdictionary", n ? " " : "");
}

static int list_column(struct pq_node *n, uint32_t i, const struct c4w_pq_arrow *arrow, const struct c4w_rows *rows, struct c4w_buf b[4], struct c4w_err *err)
{
	static const char *const repetitions[] = { "required", "optional", "repeated" };
	const struct c4w_pq_node *s = c4w_pq_node(n->pq, i);
	struct c4w_cell c[COLUMNS];
	struct sums sums = { 0 };
	char logical[80];
	size_t g;
	for (g = 0; g < COLUMNS; g++)
		c[g] = c4w_cell_none();
	for (g = 0; g < 4; g++)
		c4w_buf_reset(&b[g]);
	c4w_pq_short_name(n->pq, i, &b[0]);
	c4w_buf_reset(&b[1]);
	c4w_step_put(&b[1], (struct c4w_view){ b[0].p, b[0].n }, false);
	C4W_TRY(c4w_buf_ok(&b[1], err));
	c[0] = c4w_cell_text((struct c4w_view){ b[1].p, b[1].n });
	c[1] = c4w_cell_z(shape_name(s));
	logical_text(s, arrow, logical, sizeof logical);
	if (logical[0])
		c[2] = c4w_cell_z(logical);
	c[3] = c4w_cell_z(repetitions[s->repetition]);
	if (s->shape != C4W_PQ_LEAF || s->column < 0)
		return rows->row(rows->ctx, c, C4W_NODE_TABLE);
	add_chunks(&sums, n->pq, n->group, s->column);
	if (sums.chunks == 0)
		return rows->row(rows->ctx, c, C4W_NODE_TABLE);
	c[4] = c4w_cell_z(sums.mixed_codec ? "mixed" : c4w_pq_codec_name(sums.codec));
	c[6] = c4w_cell_int(sums.values);
	if (sums.has_nulls)
		c[7] = c4w_cell_int(sums.nulls);
	c[8] = c4w_cell_int(sums.bytes);
	c[9] = c4w_cell_int(sums.stored);
	if (sums.chunks == 1)
		c[10] = c4w_cell_int((int64_t)sums.offset);
	put_indexes(c, &sums);
	put_encodings(&b[2], sums.encodings);
	c[11] = c4w_cell_text((struct c4w_view){ b[2].p, b[2].n });
	if (sums.chunks == 1) {
		size_t middle;
		c4w_buf_reset(&b[3]);
		if (sums.stats.raw_min)
			c4w_pq_value_json(&b[3], s, sums.stats.min.p, sums.stats.min.n);
		middle = b[3].n;
		if (sums.stats.raw_max)
			c4w_pq_value_json(&b[3], s, sums.stats.max.p, sums.stats.max.n);
		C4W_TRY(c4w_buf_ok(&b[3], err));
		if (sums.stats.raw_min)
			c[12] = c4w_cell_text((struct c4w_view){ b[3].p, middle });
		if (sums.stats.raw_max)
			c[13] = c4w_cell_text((struct c4w_view){ b[3].p + middle, b[3].n - middle });
	}
	return rows->row(rows->ctx, c, C4W_NODE_TABLE);
}

static int pq_list(struct c4w_node *node, const struct c4w_list_opts *o, const struct c4w_rows *rows, struct c4w_err *err)
{
	struct pq_node *n = (struct pq_node *)node;
	struct c4w_buf b[4] = { { 0 } };
	struct c4w_cell c[COLUMNS];
	struct c4w_arena arena = { 0 };
	struct c4w_pq_arrow *arrow;
	uint32_t i;
	size_t g, k;
	int cls;
	if (o->what != C4W_LIST_CHILDREN)
		return c4w_fail(err, C4W_UNSUPPORTED, "--records and --files are for datasets");
	/* Only words of the listing depend on it: one that can't be read is no fault here; info says so. */
	if (c4w_pq_arrow_read(n->pq, &arena, &arrow, NULL) != C4W_OK)
		arrow = NULL;
	cls = rows->begin(rows->ctx, schema_columns, COLUMNS);
	for (i = 1; i < c4w_pq_nodes(n->pq) && cls == C4W_OK; i++)
		if (c4w_pq_node(n->pq, i)->shape != C4W_PQ_HIDDEN)
			cls = list_column(n, i, arrow ? &arrow[i] : NULL, rows, b, err);
	for (g = 0; n->group < 0 && g < c4w_pq_groups(n->pq) && cls == C4W_OK; g++) {
		struct sums sums = { 0 };
		char name[32];
		snprintf(name, sizeof name, "#%zu", g);
		add_chunks(&sums, n->pq, (int64_t)g, -1);
		for (k = 0; k < COLUMNS; k++)
			c[k] = c4w_cell_none();
		c[0] = c4w_cell_z(name);
		c[1] = c4w_cell_z("row group");
		c[5] = c4w_cell_int(c4w_pq_group_rows(n->pq, g));
		c[8] = c4w_cell_int(sums.bytes);
		c[9] = c4w_cell_int(sums.stored);
		put_indexes(c, &sums);
		cls = rows->row(rows->ctx, c, C4W_NODE_DIR);
	}
	for (k = 0; k < 4; k++)
		c4w_buf_clear(&b[k]);
	c4w_arena_clear(&arena);
	return cls;
}

/* ---- finding ---- */

static int find_column(struct pq_node *n, struct c4w_view rest, struct c4w_node **child, struct c4w_err *err)
{
	struct c4w_err second = { 0 };
	uint32_t schema;
	size_t size = 0;
	const char *plain = c4w_step_decode(rest, &n->arena, &size);
	const char *typed = c4w_arena_text(&n->arena, rest.p, rest.n);
	int cls;
	if (!plain || !typed)
		return c4w_fail_memory(err, rest.n);
	cls = strlen(plain) == size ? c4w_pq_find(n->pq, plain, &schema, err) : c4w_fail(err, C4W_ABSENT, "a column's name has no NUL here");
	if (cls != C4W_OK && strcmp(plain, typed) != 0 && c4w_pq_find(n->pq, typed, &schema, &second) == C4W_OK) {
		plain = typed;
		cls = C4W_OK;
	}
	return cls == C4W_OK ? part(n, n->group, plain, schema, child, err) : cls;
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
		return c4w_fail(err, C4W_ABSENT, "there is nothing inside a column");
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

struct text_sink {
	c4w_bytes_fn sink;
	void *ctx;
};

static int pass_text(void *ctx, const char *p, size_t n, struct c4w_err *err)
{
	struct text_sink *t = ctx;
	return t->sink(t->ctx, (const uint8_t *)p, n, err);
}

static int pq_table(struct c4w_node *node, const struct c4w_table_opts *o, c4w_bytes_fn sink, void *ctx, struct c4w_err *err)
{
	static const enum c4w_rows_format formats[] = { [C4W_TEXT_CSV] = C4W_ROWS_CSV, [C4W_TEXT_TSV] = C4W_ROWS_TSV,
							[C4W_TEXT_JSONL] = C4W_ROWS_JSONL };
	struct pq_node *n = (struct pq_node *)node;
	struct c4w_pq_rows_opts opts = { .format = formats[o->form], .columns = o->columns, .ncolumns = o->column_count,
					 .no_header = !o->header, .bad_crcs = o->bad_crcs };
	struct text_sink text = { sink, ctx };
	const char *own[1] = { n->column };
	uint64_t base = 0, rows = (uint64_t)c4w_pq_rows(n->pq), first, count;
	if (o->step > 1)
		return c4w_fail(err, C4W_USAGE, "a step in --slice is for arrays");
	if (n->group >= 0) {
		base = (uint64_t)c4w_pq_group_first(n->pq, (size_t)n->group);
		rows = (uint64_t)c4w_pq_group_rows(n->pq, (size_t)n->group);
	}
	first = o->first < rows ? o->first : rows;
	count = o->count < rows - first ? o->count : rows - first;
	opts.first = (int64_t)(base + first);
	opts.last = (int64_t)(base + first + count);
	if (n->column && !o->column_count) {
		opts.columns = own;
		opts.ncolumns = 1;
	}
	return c4w_pq_rows_print(n->pq, &opts, NULL, pass_text, &text, err);
}

static int describe_arrow(const struct c4w_pq *pq, struct c4w_facts *out, struct c4w_err *err)
{
	struct c4w_arena arena = { 0 };
	struct c4w_pq_arrow *a;
	struct c4w_err why;
	int64_t dictionaries = 0, lists = 0;
	uint32_t i;
	int cls = c4w_pq_arrow_read(pq, &arena, &a, &why);
	if (cls == C4W_OK && a) {
		for (i = 0; i < c4w_pq_nodes(pq); i++) {
			dictionaries += a[i].dictionary;
			lists += a[i].fixed_list;
		}
		c4w_facts_number(out, "arrow_dictionaries", dictionaries);
		c4w_facts_number(out, "arrow_fixed_size_lists", lists);
	} else if (cls == C4W_DAMAGED) {
		c4w_facts_text(out, "arrow_schema", "%s", why.message);
	} else if (cls != C4W_OK && err) {
		*err = why;
	}
	c4w_arena_clear(&arena);
	return cls == C4W_DAMAGED ? C4W_OK : cls;
}

static int pq_describe(struct c4w_node *node, struct c4w_facts *out, struct c4w_err *err)
{
	struct pq_node *n = (struct pq_node *)node;
	struct c4w_view by = c4w_pq_created_by(n->pq);
	char text[300], key[80];
	struct sums sums = { 0 };
	size_t i;
	c4w_facts_number(out, "rows", n->group < 0 ? c4w_pq_rows(n->pq) : c4w_pq_group_rows(n->pq, (size_t)n->group));
	if (!n->blob)
		return C4W_OK;
	c4w_facts_number(out, "row_groups", (int64_t)c4w_pq_groups(n->pq));
	c4w_facts_number(out, "columns", (int64_t)c4w_pq_columns(n->pq));
	add_chunks(&sums, n->pq, -1, -1);
	c4w_facts_number(out, "column_chunks", (int64_t)sums.chunks);
	c4w_facts_number(out, "with_column_index", (int64_t)sums.column_index);
	c4w_facts_number(out, "with_offset_index", (int64_t)sums.offset_index);
	c4w_facts_number(out, "with_bloom_filter", (int64_t)sums.bloom);
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
	C4W_TRY(describe_arrow(n->pq, out, err));
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

/* ---- folders of shards ---- */

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
		struct pq_node shard = { .group = -1 };
		uint64_t rows;
		cls = shard_open(store, rel, names[i], &shard.pq, err);
		if (cls != C4W_OK)
			break;
		rows = (uint64_t)c4w_pq_rows(shard.pq);
		if (first && !same_columns(first, shard.pq)) {
			cls = c4w_damaged(err, "parquet.column-type", -1, "has other columns than the first file of its folder");
			c4w_err_path(err, names[i]);
		}
		part.header = o->header && !first;
		part.first = o->first > before ? o->first - before : 0;
		part.count = end > before ? end - before : 0;
		part.count = part.count > part.first ? part.count - part.first : 0;
		if (cls == C4W_OK && (part.header || (part.first < rows && part.count > 0)))
			cls = pq_table(&shard.base, &part, sink, ctx, err);
		before += rows;
		if (!first)
			first = shard.pq;
		else
			c4w_pq_close(shard.pq);
	}
	c4w_pq_close(first);
	c4w_arena_clear(&arena);
	return cls;
}
