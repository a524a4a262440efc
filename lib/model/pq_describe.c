/* A Parquet file's schema and row groups in words. */
#include "model/pq_check.h"
#include "model/pq_rows.h"

#include "base/limits.h"

#include <string.h>

void c4w_pq_short_name(const struct c4w_pq *pq, uint32_t node, struct c4w_buf *out)
{
	uint32_t chain[C4W_LIMIT_PARQUET_DEPTH + 1], i;
	unsigned depth = 0;
	bool first = true;

	for (i = node; i != 0; i = c4w_pq_node(pq, i)->parent) {
		const struct c4w_pq_node *n = c4w_pq_node(pq, i), *p = c4w_pq_node(pq, n->parent);
		bool element = p->shape == C4W_PQ_LISTS || (p->shape == C4W_PQ_HIDDEN && c4w_pq_node(pq, p->parent)->shape == C4W_PQ_LISTS);

		if (n->shape != C4W_PQ_HIDDEN && !(element && n->parent != 0))
			chain[depth++] = i;
	}
	while (depth-- > 0) {
		if (!first)
			c4w_buf_putc(out, '.');
		first = false;
		c4w_buf_put(out, c4w_pq_node(pq, chain[depth])->name.p, c4w_pq_node(pq, chain[depth])->name.n);
	}
}

static const char *shape_name(const struct c4w_pq_node *n)
{
	switch (n->shape) {
	case C4W_PQ_STRUCT:
		return "struct";
	case C4W_PQ_LISTS:
		return "list";
	case C4W_PQ_MAPS:
		return "map";
	default:
		return c4w_pq_type_name(n->type);
	}
}

static const char *const repetitions[] = { "required", "optional", "repeated" };

/* Is the node one that a reader of rows sees? */
static bool is_seen(const struct c4w_pq *pq, uint32_t i)
{
	const struct c4w_pq_node *n = c4w_pq_node(pq, i);

	return n->shape != C4W_PQ_HIDDEN;
}

static unsigned depth_of(const struct c4w_pq *pq, uint32_t i)
{
	unsigned d = 0;

	for (i = c4w_pq_node(pq, i)->parent; i != 0; i = c4w_pq_node(pq, i)->parent)
		d += is_seen(pq, i);
	return d;
}

void c4w_pq_schema_text(const struct c4w_pq *pq, struct c4w_buf *out)
{
	char logical[64];
	uint32_t i;

	for (i = 1; i < c4w_pq_nodes(pq); i++) {
		const struct c4w_pq_node *n = c4w_pq_node(pq, i);
		unsigned d = depth_of(pq, i), k;

		if (!is_seen(pq, i))
			continue;
		for (k = 0; k < d; k++)
			c4w_buf_puts(out, "  ");
		c4w_buf_escape(out, n->name.p, n->name.n);
		c4w_buf_printf(out, "  %s", shape_name(n));
		if (n->shape == C4W_PQ_LEAF && n->type == C4W_PQ_FIXED)
			c4w_buf_printf(out, "(%d)", n->type_length);
		c4w_pq_logical_text(n, logical, sizeof logical);
		if (n->shape == C4W_PQ_LEAF && logical[0])
			c4w_buf_printf(out, " %s", logical);
		c4w_buf_printf(out, " %s\n", repetitions[n->repetition]);
	}
}

void c4w_pq_schema_json(const struct c4w_pq *pq, struct c4w_buf *out)
{
	struct c4w_buf name = { 0 };
	char logical[64];
	uint32_t i;

	for (i = 1; i < c4w_pq_nodes(pq); i++) {
		const struct c4w_pq_node *n = c4w_pq_node(pq, i);

		if (!is_seen(pq, i))
			continue;
		c4w_buf_reset(&name);
		c4w_pq_short_name(pq, i, &name);
		c4w_buf_puts(out, "{\"type\": \"column\", \"name\": ");
		c4w_buf_json(out, name.p ? name.p : "", name.n);
		c4w_buf_printf(out, ", \"kind\": \"%s\"", n->shape == C4W_PQ_LEAF ? "leaf" : shape_name(n));
		if (n->shape == C4W_PQ_LEAF) {
			c4w_buf_printf(out, ", \"physical\": \"%s\"", c4w_pq_type_name(n->type));
			if (n->type == C4W_PQ_FIXED)
				c4w_buf_printf(out, ", \"width\": %d", n->type_length);
			c4w_pq_logical_text(n, logical, sizeof logical);
			if (logical[0])
				c4w_buf_printf(out, ", \"logical\": \"%s\"", logical);
			c4w_buf_printf(out, ", \"column\": %d, \"max_definition_level\": %u, \"max_repetition_level\": %u", n->column, n->max_def, n->max_rep);
		}
		c4w_buf_printf(out, ", \"repetition\": \"%s\"", repetitions[n->repetition]);
		if (n->has_field_id)
			c4w_buf_printf(out, ", \"field_id\": %d", n->field_id);
		c4w_buf_puts(out, "}\n");
	}
	out->failed = out->failed || name.failed;
	c4w_buf_clear(&name);
}

static void put_encodings(struct c4w_buf *out, uint32_t set, const char *quote)
{
	bool first = true;
	int e;

	for (e = 0; e < 32; e++) {
		if (!(set >> e & 1))
			continue;
		if (!first)
			c4w_buf_puts(out, quote[0] ? ", " : "+");
		first = false;
		if (c4w_pq_encoding_name(e))
			c4w_buf_printf(out, "%s%s%s", quote, c4w_pq_encoding_name(e), quote);
		else
			c4w_buf_printf(out, "%s%d%s", quote, e, quote);
	}
}

static void put_codec(struct c4w_buf *out, int32_t codec)
{
	if (c4w_pq_codec_name(codec))
		c4w_buf_puts(out, c4w_pq_codec_name(codec));
	else
		c4w_buf_printf(out, "codec %d", codec);
}

/* A bound, cut to a length that fits a line. */
static void put_bound(struct c4w_buf *out, const struct c4w_pq_node *leaf, struct c4w_view v, bool shorten)
{
	struct c4w_buf t = { 0 };

	c4w_pq_value_json(&t, leaf, v.p, shorten && leaf->type == C4W_PQ_BYTE_ARRAY && leaf->logical != C4W_PQ_L_DECIMAL && v.n > 24 ? 24 : v.n);
	if (t.p)
		c4w_buf_put(out, t.p, t.n);
	if (shorten && v.n > 24)
		c4w_buf_puts(out, "...");
	out->failed = out->failed || t.failed;
	c4w_buf_clear(&t);
}

void c4w_pq_groups_text(const struct c4w_pq *pq, struct c4w_buf *out)
{
	struct c4w_buf name = { 0 };
	size_t g, k;

	for (g = 0; g < c4w_pq_groups(pq); g++) {
		char size[32];

		c4w_buf_printf(out, "row group %zu: %lld rows, %s uncompressed\n", g, (long long)c4w_pq_group_rows(pq, g),
			       c4w_str_size((uint64_t)(c4w_pq_group_bytes(pq, g) < 0 ? 0 : c4w_pq_group_bytes(pq, g)), size));
		for (k = 0; k < c4w_pq_columns(pq); k++) {
			struct c4w_pq_chunk c;
			char packed[32], raw[32];

			c4w_pq_chunk(pq, g, k, &c);
			c4w_buf_reset(&name);
			c4w_pq_short_name(pq, (uint32_t)(c4w_pq_leaf(pq, k) - c4w_pq_node(pq, 0)), &name);
			c4w_buf_puts(out, "  ");
			c4w_buf_escape(out, name.p ? name.p : "", name.n);
			c4w_buf_puts(out, "  ");
			put_codec(out, c.codec);
			c4w_buf_puts(out, "  ");
			put_encodings(out, c.encodings, "");
			c4w_buf_printf(out, "  %s of %s  %lld values", c4w_str_size((uint64_t)c.compressed, packed),
				       c4w_str_size((uint64_t)c.uncompressed, raw), (long long)c.values);
			if (c.stats.has_nulls)
				c4w_buf_printf(out, ", %lld null", (long long)c.stats.nulls);
			if (c.stats.raw_min && c.stats.raw_max) {
				c4w_buf_puts(out, ", ");
				put_bound(out, c4w_pq_leaf(pq, k), c.stats.min, true);
				c4w_buf_puts(out, " to ");
				put_bound(out, c4w_pq_leaf(pq, k), c.stats.max, true);
				if (!c.stats.has_min || !c.stats.has_max)
					c4w_buf_puts(out, " (order not certain)");
			}
			if (c.offset_index_offset)
				c4w_buf_puts(out, ", page index");
			if (c.bloom_offset)
				c4w_buf_puts(out, ", Bloom filter");
			c4w_buf_putc(out, '\n');
		}
	}
	out->failed = out->failed || name.failed;
	c4w_buf_clear(&name);
}

void c4w_pq_groups_json(const struct c4w_pq *pq, struct c4w_buf *out)
{
	struct c4w_buf name = { 0 };
	size_t g, k;

	for (g = 0; g < c4w_pq_groups(pq); g++) {
		c4w_buf_printf(out, "{\"type\": \"row_group\", \"row_group\": %zu, \"rows\": %lld, \"first_row\": %lld, \"uncompressed\": %lld}\n", g,
			       (long long)c4w_pq_group_rows(pq, g), (long long)c4w_pq_group_first(pq, g), (long long)c4w_pq_group_bytes(pq, g));
		for (k = 0; k < c4w_pq_columns(pq); k++) {
			struct c4w_pq_chunk c;
			const struct c4w_pq_node *leaf = c4w_pq_leaf(pq, k);

			c4w_pq_chunk(pq, g, k, &c);
			c4w_buf_reset(&name);
			c4w_pq_short_name(pq, (uint32_t)(leaf - c4w_pq_node(pq, 0)), &name);
			c4w_buf_printf(out, "{\"type\": \"chunk\", \"row_group\": %zu, \"column\": ", g);
			c4w_buf_json(out, name.p ? name.p : "", name.n);
			c4w_buf_puts(out, ", \"codec\": \"");
			put_codec(out, c.codec);
			c4w_buf_puts(out, "\", \"encodings\": [");
			put_encodings(out, c.encodings, "\"");
			c4w_buf_printf(out, "], \"offset\": %llu, \"compressed\": %lld, \"uncompressed\": %lld, \"values\": %lld", (unsigned long long)c.offset,
				       (long long)c.compressed, (long long)c.uncompressed, (long long)c.values);
			c4w_buf_printf(out, ", \"dictionary\": %s", c.has_dictionary ? "true" : "false");
			if (c.stats.has_nulls)
				c4w_buf_printf(out, ", \"nulls\": %lld", (long long)c.stats.nulls);
			if (c.stats.has_distinct)
				c4w_buf_printf(out, ", \"distinct\": %lld", (long long)c.stats.distinct);
			if (c.stats.raw_min) {
				c4w_buf_puts(out, ", \"min\": ");
				put_bound(out, leaf, c.stats.min, false);
			}
			if (c.stats.raw_max) {
				c4w_buf_puts(out, ", \"max\": ");
				put_bound(out, leaf, c.stats.max, false);
			}
			if (c.stats.raw_min || c.stats.raw_max)
				c4w_buf_printf(out, ", \"order_certain\": %s", c.stats.has_min || c.stats.has_max ? "true" : "false");
			c4w_buf_printf(out, ", \"page_index\": %s, \"bloom_filter\": %s}\n", c.offset_index_offset ? "true" : "false",
				       c.bloom_offset ? "true" : "false");
		}
	}
	out->failed = out->failed || name.failed;
	c4w_buf_clear(&name);
}
