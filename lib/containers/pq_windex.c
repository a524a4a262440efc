/* Writing the page index of a chunk (PageIndex.md): where its pages are, and what their values lie between. */
#include "containers/pq_wimpl.h"

static void put_text(struct c4w_buf *list, const struct c4w_buf *v)
{
	pq_w_varint(list, v ? v->n : 0);
	if (v)
		c4w_buf_put(list, v->p, v->n);
}

static void put_bounds(struct pq_windex *x, const struct c4w_pq_node *leaf, const struct pq_range *range)
{
	struct pq_bounds *bounds = &x->bounds[x->turn];
	struct pq_range r;

	if (!range || !pq_range_bounds(range, leaf, bounds)) {
		x->no_bounds = true;
		return;
	}
	put_text(&x->mins, &bounds->min);
	put_text(&x->maxes, &bounds->max);
	r = *range;
	if (r.order == PQ_ORDER_BYTES) { /* what is compared is what is written: long text is cut */
		r.min.text = (struct c4w_view){ bounds->min.p, bounds->min.n };
		r.max.text = (struct c4w_view){ bounds->max.p, bounds->max.n };
	}
	if (x->last.any) {
		int min = pq_extreme_cmp(r.order, &x->last.min, &r.min), max = pq_extreme_cmp(r.order, &x->last.max, &r.max);

		x->rises = x->rises || min < 0 || max < 0;
		x->falls = x->falls || min > 0 || max > 0;
	}
	x->last = r;
	x->turn ^= 1;
}

void pq_windex_add(struct pq_windex *x, const struct c4w_pq_node *leaf, const struct pq_windex_page *p)
{
	pq_w_begin(&x->locations);
	pq_w_i64(&x->locations, 1, (int64_t)p->offset);
	pq_w_i32(&x->locations, 2, (int32_t)p->bytes);
	pq_w_i64(&x->locations, 3, (int64_t)p->first_row);
	pq_w_end(&x->locations);
	x->pages++;
	c4w_buf_putc(&x->null_pages, p->is_null ? PQ_W_TRUE : PQ_W_FALSE);
	pq_w_varint(&x->counts, pq_zigzag((int64_t)p->nulls));
	if (!p->is_null) {
		put_bounds(x, leaf, p->range);
	} else {
		put_text(&x->mins, NULL);
		put_text(&x->maxes, NULL);
	}
}

static void put_list(struct pq_out *o, int16_t id, uint8_t wire, size_t n, const struct c4w_buf *elements)
{
	pq_w_list(o, id, wire, n);
	c4w_buf_put(&o->b, elements->p, elements->n);
}

void pq_windex_done(const struct pq_windex *x, struct c4w_buf *column, struct c4w_buf *offset)
{
	struct pq_out o = { .b = *offset };

	pq_w_begin(&o);
	put_list(&o, 1, PQ_W_STRUCT, x->pages, &x->locations.b);
	pq_w_end(&o);
	*offset = o.b;
	if (x->no_bounds)
		return;
	o = (struct pq_out){ .b = *column };
	pq_w_begin(&o);
	put_list(&o, 1, PQ_W_TRUE, x->pages, &x->null_pages);
	put_list(&o, 2, PQ_W_BINARY, x->pages, &x->mins);
	put_list(&o, 3, PQ_W_BINARY, x->pages, &x->maxes);
	pq_w_i32(&o, 4, x->rises && x->falls ? 0 : x->falls ? 2 : 1); /* BoundaryOrder: unordered, ascending, descending */
	put_list(&o, 5, PQ_W_I64, x->pages, &x->counts);
	pq_w_end(&o);
	*column = o.b;
}

void pq_windex_clear(struct pq_windex *x)
{
	c4w_buf_clear(&x->locations.b);
	c4w_buf_clear(&x->null_pages);
	c4w_buf_clear(&x->mins);
	c4w_buf_clear(&x->maxes);
	c4w_buf_clear(&x->counts);
	c4w_buf_clear(&x->bounds[0].min);
	c4w_buf_clear(&x->bounds[0].max);
	c4w_buf_clear(&x->bounds[1].min);
	c4w_buf_clear(&x->bounds[1].max);
}
