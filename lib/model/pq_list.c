/* Listings of Parquet files, row groups and folders of shards. See pq_list.h. */
#include "model/pq_list.h"

#include "model/pq_check.h"
#include "model/pq_rows.h"

#include <string.h>

/* ---- sums ---- */

int64_t c4w_pq_plus(int64_t a, int64_t b)
{
	int64_t sum;
	return __builtin_add_overflow(a, b, &sum) ? (b < 0 ? INT64_MIN : INT64_MAX) : sum;
}

static void add_chunk(struct c4w_pq_sums *s, const struct c4w_pq_chunk *c)
{
	s->mixed_codec = s->mixed_codec || (s->chunks && s->codec != c->codec);
	s->codec = c->codec;
	s->encodings |= c->encodings;
	s->values = c4w_pq_plus(s->values, c->values);
	s->stored = c4w_pq_plus(s->stored, c->compressed);
	s->bytes = c4w_pq_plus(s->bytes, c->uncompressed);
	s->has_nulls = c->stats.has_nulls && (s->chunks == 0 || s->has_nulls);
	s->nulls = c4w_pq_plus(s->nulls, c->stats.nulls);
	s->stats = c->stats;
	s->offset = c->offset;
	s->column_index += c->column_index_offset != 0;
	s->offset_index += c->offset_index_offset != 0;
	s->bloom += c->bloom_offset != 0;
	s->chunks++;
}

void c4w_pq_sums_add(struct c4w_pq_sums *s, const struct c4w_pq *pq, int64_t group, int64_t column)
{
	struct c4w_pq_chunk chunk;
	size_t g, k;
	for (g = group < 0 ? 0 : (size_t)group; g < (group < 0 ? c4w_pq_groups(pq) : (size_t)group + 1); g++)
		for (k = column < 0 ? 0 : (size_t)column; k < (column < 0 ? c4w_pq_columns(pq) : (size_t)column + 1); k++) {
			c4w_pq_chunk(pq, g, k, &chunk);
			add_chunk(s, &chunk);
		}
}

/* ---- listing ---- */

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

static void put_indexes(struct c4w_cell *c, const struct c4w_pq_sums *s)
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

static int list_column(const struct c4w_pq *pq, uint32_t i, const struct c4w_pq_arrow *arrow, const struct c4w_pq_sums *sums,
		       const struct c4w_rows *rows, struct c4w_buf b[4], struct c4w_err *err)
{
	static const char *const repetitions[] = { "required", "optional", "repeated" };
	const struct c4w_pq_node *s = c4w_pq_node(pq, i);
	struct c4w_cell c[COLUMNS];
	char logical[80];
	size_t g;
	for (g = 0; g < COLUMNS; g++)
		c[g] = c4w_cell_none();
	for (g = 0; g < 4; g++)
		c4w_buf_reset(&b[g]);
	c4w_pq_short_name(pq, i, &b[0]);
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
	sums += s->column;
	if (sums->chunks == 0)
		return rows->row(rows->ctx, c, C4W_NODE_TABLE);
	c[4] = c4w_cell_z(sums->mixed_codec ? "mixed" : c4w_pq_codec_name(sums->codec));
	c[6] = c4w_cell_int(sums->values);
	if (sums->has_nulls)
		c[7] = c4w_cell_int(sums->nulls);
	c[8] = c4w_cell_int(sums->bytes);
	c[9] = c4w_cell_int(sums->stored);
	if (sums->chunks == 1 && !sums->several_files)
		c[10] = c4w_cell_int((int64_t)sums->offset);
	put_indexes(c, sums);
	put_encodings(&b[2], sums->encodings);
	c[11] = c4w_cell_text((struct c4w_view){ b[2].p, b[2].n });
	if (sums->chunks == 1 && !sums->several_files) {
		size_t middle;
		c4w_buf_reset(&b[3]);
		if (sums->stats.raw_min)
			c4w_pq_value_json(&b[3], s, sums->stats.min.p, sums->stats.min.n);
		middle = b[3].n;
		if (sums->stats.raw_max)
			c4w_pq_value_json(&b[3], s, sums->stats.max.p, sums->stats.max.n);
		C4W_TRY(c4w_buf_ok(&b[3], err));
		if (sums->stats.raw_min)
			c[12] = c4w_cell_text((struct c4w_view){ b[3].p, middle });
		if (sums->stats.raw_max)
			c[13] = c4w_cell_text((struct c4w_view){ b[3].p + middle, b[3].n - middle });
	}
	return rows->row(rows->ctx, c, C4W_NODE_TABLE);
}

int c4w_pq_list_begin(const struct c4w_rows *rows)
{
	return rows->begin(rows->ctx, schema_columns, COLUMNS);
}

int c4w_pq_list_columns(const struct c4w_pq *pq, const struct c4w_pq_sums *sums, const struct c4w_rows *rows, struct c4w_err *err)
{
	struct c4w_buf b[4] = { { 0 } };
	struct c4w_arena arena = { 0 };
	struct c4w_pq_arrow *arrow;
	uint32_t i;
	size_t k;
	int cls = C4W_OK;
	/* Only words of the listing depend on it: one that can't be read is no fault here; info says so. */
	if (c4w_pq_arrow_read(pq, &arena, &arrow, NULL) != C4W_OK)
		arrow = NULL;
	for (i = 1; i < c4w_pq_nodes(pq) && cls == C4W_OK; i++)
		if (c4w_pq_node(pq, i)->shape != C4W_PQ_HIDDEN)
			cls = list_column(pq, i, arrow ? &arrow[i] : NULL, sums, rows, b, err);
	for (k = 0; k < 4; k++)
		c4w_buf_clear(&b[k]);
	c4w_arena_clear(&arena);
	return cls;
}

int c4w_pq_list_part(const struct c4w_rows *rows, const char *step, const char *type, int64_t nrows, const struct c4w_pq_sums *s,
		     enum c4w_node_kind kind)
{
	struct c4w_cell c[COLUMNS];
	size_t k;
	for (k = 0; k < COLUMNS; k++)
		c[k] = c4w_cell_none();
	c[0] = c4w_cell_z(step);
	c[1] = c4w_cell_z(type);
	c[5] = c4w_cell_int(nrows);
	c[8] = c4w_cell_int(s->bytes);
	c[9] = c4w_cell_int(s->stored);
	put_indexes(c, s);
	return rows->row(rows->ctx, c, kind);
}

/* ---- facts ---- */

void c4w_pq_sums_describe(const struct c4w_pq_sums *s, struct c4w_facts *out)
{
	c4w_facts_number(out, "column_chunks", (int64_t)s->chunks);
	c4w_facts_number(out, "with_column_index", (int64_t)s->column_index);
	c4w_facts_number(out, "with_offset_index", (int64_t)s->offset_index);
	c4w_facts_number(out, "with_bloom_filter", (int64_t)s->bloom);
}

int c4w_pq_arrow_describe(const struct c4w_pq *pq, struct c4w_facts *out, struct c4w_err *err)
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

/* ---- a column by its step ---- */

int c4w_pq_step_column(const struct c4w_pq *pq, struct c4w_view step, struct c4w_arena *arena, const char **name, uint32_t *schema,
		       struct c4w_err *err)
{
	struct c4w_err second = { 0 };
	size_t size = 0;
	const char *plain = c4w_step_decode(step, arena, &size);
	const char *typed = c4w_arena_text(arena, step.p, step.n);
	int cls;
	if (!plain || !typed)
		return c4w_fail_memory(err, step.n);
	*name = plain;
	cls = strlen(plain) == size ? c4w_pq_find(pq, plain, schema, err) : c4w_fail(err, C4W_UNKNOWN, "a column's name has no NUL here");
	if (cls != C4W_OK && strcmp(plain, typed) != 0 && c4w_pq_find(pq, typed, schema, &second) == C4W_OK) {
		*name = typed;
		cls = C4W_OK;
	}
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

int c4w_pq_part_table(const struct c4w_pq *pq, int64_t group, const char *column, const struct c4w_table_opts *o, c4w_bytes_fn sink, void *ctx,
		      struct c4w_err *err)
{
	static const enum c4w_rows_format formats[] = { [C4W_TEXT_CSV] = C4W_ROWS_CSV, [C4W_TEXT_TSV] = C4W_ROWS_TSV,
							[C4W_TEXT_JSONL] = C4W_ROWS_JSONL };
	struct c4w_pq_rows_opts opts = { .format = formats[o->form], .columns = o->columns, .ncolumns = o->column_count,
					 .no_header = !o->header, .bad_crcs = o->bad_crcs };
	struct text_sink text = { sink, ctx };
	const char *own[1] = { column };
	uint64_t base = 0, rows = (uint64_t)c4w_pq_rows(pq), first, count;
	if (o->step > 1)
		return c4w_fail(err, C4W_USAGE, "a step in --slice is for arrays");
	if (group >= 0) {
		base = (uint64_t)c4w_pq_group_first(pq, (size_t)group);
		rows = (uint64_t)c4w_pq_group_rows(pq, (size_t)group);
	}
	first = o->first < rows ? o->first : rows;
	count = o->count < rows - first ? o->count : rows - first;
	opts.first = (int64_t)(base + first);
	opts.last = (int64_t)(base + first + count);
	if (column && !o->column_count) {
		opts.columns = own;
		opts.ncolumns = 1;
	}
	return c4w_pq_rows_print(pq, &opts, NULL, pass_text, &text, err);
}
