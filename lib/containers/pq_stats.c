/* Statistics of a chunk, and when they may be used to skip it: only where their order is certain (parquet.thrift, Statistics and ColumnOrder).
 *
 * min_value and max_value need TYPE_ORDER in the footer's column orders. The older min and max compare as signed, so they count only for signed
 * numbers. INT96 and INTERVAL have no order. Bounds with a NaN don't count, and zeros of floats stand for both signs. */
#include "containers/pq_impl.h"

#include "base/checked.h"

#include <math.h>
#include <string.h>

static bool is_signed_number(const struct c4w_pq_node *n)
{
	switch (n->type) {
	case C4W_PQ_BOOLEAN:
	case C4W_PQ_FLOAT:
	case C4W_PQ_DOUBLE:
		return true;
	case C4W_PQ_INT32:
	case C4W_PQ_INT64:
		return n->logical != C4W_PQ_L_INTEGER || n->is_signed;
	default:
		return false;
	}
}

static size_t plain_width(enum c4w_pq_type t)
{
	static const uint8_t w[] = { 1, 4, 8, 12, 4, 8, 0, 0 };

	return w[t];
}

static bool has_nan(const struct c4w_pq_node *n, struct c4w_view v)
{
	if (n->type == C4W_PQ_FLOAT) {
		float f;

		memcpy(&f, v.p, 4);
		return isnan(f);
	}
	if (n->type == C4W_PQ_DOUBLE) {
		double d;

		memcpy(&d, v.p, 8);
		return isnan(d);
	}
	return n->logical == C4W_PQ_L_FLOAT16 && (c4w_le16((const uint8_t *)v.p) & 0x7fff) > 0x7c00;
}

bool c4w_pq_bound_usable(const struct c4w_pq_node *n, struct c4w_view v)
{
	size_t width = plain_width(n->type);

	if (n->type == C4W_PQ_INT96 || n->logical == C4W_PQ_L_INTERVAL || n->logical == C4W_PQ_L_GEOMETRY || n->logical == C4W_PQ_L_GEOGRAPHY ||
	    n->logical == C4W_PQ_L_VARIANT)
		return false;
	if (n->type == C4W_PQ_FIXED)
		width = (size_t)n->type_length;
	if (n->type != C4W_PQ_BYTE_ARRAY && v.n != width)
		return false;
	return !has_nan(n, v);
}

void c4w_pq_chunk(const struct c4w_pq *pq, size_t group, size_t column, struct c4w_pq_chunk *out)
{
	const struct pq_chunk_meta *m = pq_chunk_at(pq, group, column);
	const struct c4w_pq_node *leaf = c4w_pq_leaf(pq, column);
	struct c4w_pq_stats *s = &out->stats;
	bool certain;

	*out = (struct c4w_pq_chunk){ .type = (enum c4w_pq_type)m->type, .codec = m->codec, .values = m->values, .compressed = m->compressed,
				      .uncompressed = m->uncompressed, .encodings = m->encodings };
	out->has_dictionary = m->dict_offset > 0 && m->dict_offset < m->data_offset;
	out->offset = (uint64_t)(out->has_dictionary ? m->dict_offset : m->data_offset > 0 ? m->data_offset : 0);
	if (m->column_index_offset > 0 && m->column_index_bytes > 0) {
		out->column_index_offset = (uint64_t)m->column_index_offset;
		out->column_index_bytes = (uint32_t)m->column_index_bytes;
	}
	if (m->offset_index_offset > 0 && m->offset_index_bytes > 0) {
		out->offset_index_offset = (uint64_t)m->offset_index_offset;
		out->offset_index_bytes = (uint32_t)m->offset_index_bytes;
	}
	if (m->bloom_offset > 0) {
		out->bloom_offset = (uint64_t)m->bloom_offset;
		out->bloom_bytes = m->bloom_bytes > 0 ? (uint32_t)m->bloom_bytes : 0;
	}
	s->has_nulls = m->has_nulls && m->nulls >= 0;
	s->has_distinct = m->has_distinct && m->distinct >= 0;
	s->nulls = s->has_nulls ? m->nulls : 0;
	s->distinct = s->has_distinct ? m->distinct : 0;
	if (m->has_minmax_new[0] || m->has_minmax_new[1]) {
		s->raw_min = m->has_minmax_new[0];
		s->raw_max = m->has_minmax_new[1];
		s->min = m->min;
		s->max = m->max;
		s->min_exact = m->min_exact;
		s->max_exact = m->max_exact;
		certain = pq->orders[column] == 1;
	} else {
		s->raw_min = m->has_minmax_old[0];
		s->raw_max = m->has_minmax_old[1];
		s->min = m->old_min;
		s->max = m->old_max;
		certain = is_signed_number(leaf);
		s->min_exact = s->max_exact = certain;
	}
	s->has_min = s->raw_min && certain && c4w_pq_bound_usable(leaf, s->min);
	s->has_max = s->raw_max && certain && c4w_pq_bound_usable(leaf, s->max);
}

static int64_t as_int(const struct c4w_pq_node *n, struct c4w_view v)
{
	const uint8_t *p = (const uint8_t *)v.p;

	if (n->type == C4W_PQ_INT64)
		return (int64_t)c4w_le64(p);
	if (n->logical == C4W_PQ_L_INTEGER && !n->is_signed)
		return (int64_t)c4w_le32(p);
	return (int32_t)c4w_le32(p);
}

static bool all_null(const struct c4w_pq_chunk *c)
{
	return c->stats.has_nulls && c->stats.nulls == c->values;
}

bool c4w_pq_may_hold_range(const struct c4w_pq *pq, size_t group, size_t column, int64_t lo, int64_t hi)
{
	const struct c4w_pq_node *n = c4w_pq_leaf(pq, column);
	struct c4w_pq_chunk c;

	c4w_pq_chunk(pq, group, column, &c);
	if (all_null(&c))
		return false;
	if (n->type != C4W_PQ_INT32 && n->type != C4W_PQ_INT64)
		return true;
	if (n->type == C4W_PQ_INT64 && n->logical == C4W_PQ_L_INTEGER && !n->is_signed && (lo < 0 || hi < 0 ||
	    (c.stats.has_max && as_int(n, c.stats.max) < 0)))
		return true; /* beyond what an int64 says */
	return !(c.stats.has_min && as_int(n, c.stats.min) > hi) && !(c.stats.has_max && as_int(n, c.stats.max) < lo);
}

bool c4w_pq_may_hold_int(const struct c4w_pq *pq, size_t group, size_t column, int64_t v)
{
	return c4w_pq_may_hold_range(pq, group, column, v, v);
}

bool c4w_pq_may_hold_bytes(const struct c4w_pq *pq, size_t group, size_t column, struct c4w_view v)
{
	const struct c4w_pq_node *n = c4w_pq_leaf(pq, column);
	struct c4w_pq_chunk c;

	c4w_pq_chunk(pq, group, column, &c);
	if (all_null(&c))
		return false;
	if ((n->type != C4W_PQ_BYTE_ARRAY && n->type != C4W_PQ_FIXED) || n->logical == C4W_PQ_L_DECIMAL || n->logical == C4W_PQ_L_FLOAT16)
		return true;
	/* unsigned bytes, the shorter first; a cut maximum is still above every value */
	return !(c.stats.has_min && c4w_view_cmp(c.stats.min, v) > 0) && !(c.stats.has_max && c4w_view_cmp(c.stats.max, v) < 0);
}
