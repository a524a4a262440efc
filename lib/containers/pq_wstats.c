/* Writing statistics: the smallest and the largest value in the order that parquet.thrift's ColumnOrder gives the column's type. */
#include "containers/pq_wimpl.h"

#include <math.h>
#include <string.h>

enum { STATS_BYTES = 64 };

/* Types without an order get no minimum and maximum. */
static enum pq_order order_of(const struct c4w_pq_node *leaf)
{
	switch (leaf->logical) {
	case C4W_PQ_L_INTERVAL:
	case C4W_PQ_L_VARIANT:
	case C4W_PQ_L_GEOMETRY:
	case C4W_PQ_L_GEOGRAPHY:
	case C4W_PQ_L_FLOAT16:
	case C4W_PQ_L_NULL:
		return PQ_ORDER_NONE;
	case C4W_PQ_L_DECIMAL: /* bytes would compare as signed numbers: left out */
		return leaf->type == C4W_PQ_INT32 || leaf->type == C4W_PQ_INT64 ? PQ_ORDER_SIGNED : PQ_ORDER_NONE;
	default:
		break;
	}
	switch (leaf->type) {
	case C4W_PQ_INT96:
		return PQ_ORDER_NONE;
	case C4W_PQ_BOOLEAN:
		return PQ_ORDER_UNSIGNED;
	case C4W_PQ_INT32:
	case C4W_PQ_INT64:
		return leaf->logical == C4W_PQ_L_INTEGER && !leaf->is_signed ? PQ_ORDER_UNSIGNED : PQ_ORDER_SIGNED;
	case C4W_PQ_FLOAT:
	case C4W_PQ_DOUBLE:
		return PQ_ORDER_REAL;
	default:
		return PQ_ORDER_BYTES;
	}
}

void pq_range_init(struct pq_range *r, const struct c4w_pq_node *leaf)
{
	*r = (struct pq_range){ .order = order_of(leaf) };
}

/* The first eight bytes as a number that orders as they do; equal numbers say nothing. */
static uint64_t prefix(const uint8_t *p, size_t n)
{
	uint64_t v = 0;
	size_t i;

	if (n >= 8) {
		memcpy(&v, p, 8);
		return __builtin_bswap64(v);
	}
	for (i = 0; i < n; i++)
		v |= (uint64_t)p[i] << (56 - 8 * i);
	return v;
}

static void add_bytes(struct pq_range *r, const struct c4w_batch *b, size_t from, size_t to)
{
	uint64_t lo = prefix((const uint8_t *)r->min.text.p, r->any ? r->min.text.n : 0);
	uint64_t hi = prefix((const uint8_t *)r->max.text.p, r->any ? r->max.text.n : 0);
	size_t i, n;

	for (i = from; i < to; i++) {
		struct c4w_view v;
		const uint8_t *p;
		uint64_t x;

		if (!c4w_bit(b->validity, i))
			continue;
		p = c4w_batch_bytes(b, i, &n);
		x = prefix(p, n);
		if (r->any && x > lo && x < hi)
			continue;
		v = (struct c4w_view){ (const char *)p, n };
		if (!r->any || c4w_view_cmp(v, r->min.text) < 0) {
			r->min.text = v;
			lo = x;
		}
		if (!r->any || c4w_view_cmp(v, r->max.text) > 0) {
			r->max.text = v;
			hi = x;
		}
		r->any = true;
	}
}

/* Side by side and without nulls, four at a time: no step waits for the one before. NaN is neither below nor above. */
#define EXTREMES(type, first_lo, first_hi, member)                                                               \
	do {                                                                                                     \
		const type *v = (b->indices ? b->dict : b)->values;                                              \
		type lo[4], hi[4], x;                                                                            \
		size_t i = from, k;                                                                              \
		for (k = 0; k < 4; k++) {                                                                        \
			lo[k] = (first_lo);                                                                      \
			hi[k] = (first_hi);                                                                      \
		}                                                                                                \
		for (; !b->validity && !b->indices && i + 4 <= to; i += 4)                                       \
			for (k = 0; k < 4; k++) {                                                                \
				lo[k] = v[i + k] < lo[k] ? v[i + k] : lo[k];                                     \
				hi[k] = v[i + k] > hi[k] ? v[i + k] : hi[k];                                     \
			}                                                                                        \
		for (; i < to; i++) {                                                                            \
			if (!c4w_bit(b->validity, i))                                                            \
				continue;                                                                        \
			x = v[b->indices ? b->indices[i] : i];                                                   \
			lo[0] = x < lo[0] ? x : lo[0];                                                           \
			hi[0] = x > hi[0] ? x : hi[0];                                                           \
		}                                                                                                \
		for (k = 1; k < 4; k++) {                                                                        \
			lo[0] = lo[k] < lo[0] ? lo[k] : lo[0];                                                   \
			hi[0] = hi[k] > hi[0] ? hi[k] : hi[0];                                                   \
		}                                                                                                \
		part.any = lo[0] <= hi[0];                                                                       \
		part.min.member = lo[0];                                                                         \
		part.max.member = hi[0];                                                                         \
	} while (0)

void pq_range_add(struct pq_range *r, const struct c4w_batch *b, size_t from, size_t to)
{
	struct pq_range part = { .order = r->order };

	if (r->order == PQ_ORDER_NONE || from == to)
		return;
	if (r->order == PQ_ORDER_BYTES) {
		add_bytes(r, b, from, to);
		return;
	}
	if (b->phys == C4W_PHYS_BOOL)
		EXTREMES(uint8_t, UINT8_MAX, 0, u);
	else if (b->phys == C4W_PHYS_FLOAT)
		EXTREMES(float, INFINITY, -INFINITY, f);
	else if (b->phys == C4W_PHYS_DOUBLE)
		EXTREMES(double, (double)INFINITY, (double)-INFINITY, d);
	else if (b->phys == C4W_PHYS_INT32 && r->order == PQ_ORDER_SIGNED)
		EXTREMES(int32_t, INT32_MAX, INT32_MIN, i);
	else if (b->phys == C4W_PHYS_INT32)
		EXTREMES(uint32_t, UINT32_MAX, 0, u);
	else if (r->order == PQ_ORDER_SIGNED)
		EXTREMES(int64_t, INT64_MAX, INT64_MIN, i);
	else
		EXTREMES(uint64_t, UINT64_MAX, 0, u);
	if (b->phys == C4W_PHYS_FLOAT) {
		part.min.d = (double)part.min.f;
		part.max.d = (double)part.max.f;
	}
	pq_range_merge(r, &part);
}

int pq_extreme_cmp(enum pq_order order, const union pq_extreme *a, const union pq_extreme *b)
{
	switch (order) {
	case PQ_ORDER_SIGNED:
		return a->i < b->i ? -1 : a->i > b->i;
	case PQ_ORDER_UNSIGNED:
		return a->u < b->u ? -1 : a->u > b->u;
	case PQ_ORDER_REAL:
		return a->d < b->d ? -1 : a->d > b->d;
	default:
		return c4w_view_cmp(a->text, b->text);
	}
}

void pq_range_merge(struct pq_range *r, const struct pq_range *part)
{
	if (!part->any)
		return;
	if (!r->any || pq_extreme_cmp(r->order, &part->min, &r->min) < 0)
		r->min = part->min;
	if (!r->any || pq_extreme_cmp(r->order, &part->max, &r->max) > 0)
		r->max = part->max;
	r->any = true;
}

/* ---- as bytes ---- */

static void put_number(struct c4w_buf *out, const struct c4w_pq_node *leaf, const struct pq_range *r, bool max)
{
	const union pq_extreme *e = max ? &r->max : &r->min;
	float f;
	double d;

	switch (leaf->type) {
	case C4W_PQ_BOOLEAN:
		c4w_buf_putc(out, e->u != 0);
		break;
	case C4W_PQ_INT32:
		c4w_buf_put(out, e, 4); /* the low half, signed or not */
		break;
	case C4W_PQ_FLOAT: /* a zero stands for both signs */
		f = e->d == 0 ? max ? 0.0F : -0.0F : (float)e->d;
		c4w_buf_put(out, &f, 4);
		break;
	case C4W_PQ_DOUBLE:
		d = e->d == 0 ? max ? 0.0 : -0.0 : e->d;
		c4w_buf_put(out, &d, 8);
		break;
	default:
		c4w_buf_put(out, e, 8);
	}
}

/* Cutting text by bytes must not leave half a character: readers decode the bounds. */
static bool is_text(const struct c4w_pq_node *leaf)
{
	return leaf->logical == C4W_PQ_L_STRING || leaf->logical == C4W_PQ_L_JSON || leaf->logical == C4W_PQ_L_ENUM;
}

bool pq_range_bounds(const struct pq_range *r, const struct c4w_pq_node *leaf, struct pq_bounds *out)
{
	struct c4w_view lo = r->min.text, hi = r->max.text;

	c4w_buf_reset(&out->min);
	c4w_buf_reset(&out->max);
	out->min_exact = out->max_exact = true;
	if (!r->any)
		return false;
	if (r->order != PQ_ORDER_BYTES) {
		put_number(&out->min, leaf, r, false);
		put_number(&out->max, leaf, r, true);
		return true;
	}
	out->min_exact = lo.n <= STATS_BYTES;
	out->max_exact = hi.n <= STATS_BYTES;
	if (!out->min_exact)
		for (lo.n = STATS_BYTES; is_text(leaf) && !c4w_utf8_valid(lo.p, lo.n); lo.n--)
			;
	c4w_buf_put(&out->min, lo.p, lo.n);
	if (out->max_exact) {
		c4w_buf_put(&out->max, hi.p, hi.n);
		return true;
	}
	/* a bound from above: a prefix with its last byte raised */
	for (hi.n = STATS_BYTES; hi.n > 0; hi.n--) {
		uint8_t last = (uint8_t)hi.p[hi.n - 1];

		c4w_buf_reset(&out->max);
		c4w_buf_put(&out->max, hi.p, hi.n - 1);
		c4w_buf_putc(&out->max, (char)(last + 1));
		if (last < 0xff && (!is_text(leaf) || c4w_utf8_valid(out->max.p, out->max.n)))
			return true;
	}
	return false;
}
