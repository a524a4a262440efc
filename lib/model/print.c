/* Arrays as CSV, TSV and JSON lines. See print.h for the forms. */
#include "model/print.h"

#include "base/checked.h"
#include "base/numbers.h"

#include <inttypes.h>
#include <string.h>

enum { PIECE = 64 * 1024 };

struct printer {
	const struct c4w_nd *v;
	enum c4w_text form;
	char separator;
	c4w_bytes_fn sink;
	void *ctx;
	struct c4w_err *err;
	struct c4w_buf b;
	/* CSV and TSV: the columns of one element */
	struct leaf {
		uint64_t offset;
		const struct c4w_dtype *dtype;
	} *leaves;
	size_t leaf_count, leaf_cap;
	struct c4w_buf names; /* header cells of the leaves, separated */
	struct c4w_arena arena;
};

static int flush(struct printer *p, size_t above)
{
	int rc;
	if (p->b.failed)
		return c4w_buf_ok(&p->b, p->err);
	if (p->b.n <= above)
		return C4W_OK;
	rc = p->sink(p->ctx, (const uint8_t *)p->b.p, p->b.n, p->err);
	c4w_buf_reset(&p->b);
	return rc;
}

/* ---- JSON ---- */

static int json_value(struct printer *p, const struct c4w_dtype *d, const uint8_t *at);

/* A field's subarray, C order. `below`: elements below this axis' parent. */
static int json_subarray(struct printer *p, const struct c4w_field *f, unsigned axis, uint64_t below, const uint8_t *at)
{
	uint64_t i, step;
	if (axis == f->rank)
		return json_value(p, &f->dtype, at);
	step = f->shape[axis] ? below / f->shape[axis] : 0;
	c4w_buf_putc(&p->b, '[');
	for (i = 0; i < f->shape[axis]; i++) {
		if (i)
			c4w_buf_putc(&p->b, ',');
		C4W_TRY(json_subarray(p, f, axis + 1, step, at + i * step * f->dtype.size));
	}
	c4w_buf_putc(&p->b, ']');
	return flush(p, PIECE);
}

static int json_value(struct printer *p, const struct c4w_dtype *d, const uint8_t *at)
{
	size_t i;
	if (d->kind != C4W_STRUCT) {
		c4w_element_put(&p->b, d, at, C4W_TEXT_JSONL);
		return flush(p, PIECE);
	}
	c4w_buf_putc(&p->b, '{');
	for (i = 0; i < d->field_count; i++) {
		const struct c4w_field *f = &d->fields[i];
		if (i)
			c4w_buf_putc(&p->b, ',');
		c4w_buf_json(&p->b, f->name.p, f->name.n);
		c4w_buf_putc(&p->b, ':');
		C4W_TRY(json_subarray(p, f, 0, f->count, at + f->offset));
	}
	c4w_buf_putc(&p->b, '}');
	return C4W_OK;
}

static int json_axes(struct printer *p, unsigned axis, const uint8_t *at)
{
	const struct c4w_nd *v = p->v;
	uint64_t i;
	if (axis == v->rank)
		return json_value(p, &v->dtype, at);
	c4w_buf_putc(&p->b, '[');
	for (i = 0; i < v->shape[axis]; i++) {
		if (i)
			c4w_buf_putc(&p->b, ',');
		C4W_TRY(json_axes(p, axis + 1, at + (int64_t)i * v->stride[axis]));
	}
	c4w_buf_putc(&p->b, ']');
	return C4W_OK;
}

static int json_lines(struct printer *p)
{
	const struct c4w_nd *v = p->v;
	uint64_t i, n = v->rank ? v->shape[0] : 1;
	for (i = 0; i < n; i++) {
		C4W_TRY(json_axes(p, v->rank ? 1 : 0, v->base + (v->rank ? (int64_t)i * v->stride[0] : 0)));
		c4w_buf_putc(&p->b, '\n');
		C4W_TRY(flush(p, PIECE));
	}
	return C4W_OK;
}

/* ---- CSV and TSV ---- */

enum { LEAVES_MAX = 1000000 };

static int add_leaf(struct printer *p, const struct c4w_dtype *d, uint64_t offset, const struct c4w_buf *name)
{
	if (p->leaf_count == LEAVES_MAX)
		return c4w_fail(p->err, C4W_LIMIT, "an element of more than %d columns", LEAVES_MAX);
	if (p->leaf_count == p->leaf_cap) {
		size_t cap = p->leaf_cap ? 2 * p->leaf_cap : 16;
		void *more;
		C4W_TRY(c4w_arena_take(&p->arena, cap * sizeof *p->leaves, &more, p->err));
		if (p->leaf_count)
			memcpy(more, p->leaves, p->leaf_count * sizeof *p->leaves);
		p->leaves = more;
		p->leaf_cap = cap;
	}
	p->leaves[p->leaf_count++] = (struct leaf){ offset, d };
	if (p->names.n)
		c4w_buf_putc(&p->names, p->separator);
	c4w_cell_put(&p->names, name->p ? name->p : "", name->n, p->form);
	return c4w_buf_ok(&p->names, p->err);
}

static int struct_leaves(struct printer *p, const struct c4w_dtype *d, uint64_t offset, struct c4w_buf *name);

/* One field: the name so far is in `name`, which is put back. */
static int field_leaves(struct printer *p, const struct c4w_field *f, uint64_t offset, struct c4w_buf *name)
{
	size_t before = name->n, with_name;
	uint64_t i;
	int rc = C4W_OK;
	if (before)
		c4w_buf_putc(name, '.');
	c4w_buf_put(name, f->name.p, f->name.n);
	with_name = name->n;
	for (i = 0; i < f->count && rc == C4W_OK; i++) {
		uint64_t left = f->count, rest = i;
		unsigned axis;
		if (f->rank)
			c4w_buf_putc(name, '[');
		for (axis = 0; axis < f->rank; axis++) {
			left /= f->shape[axis];
			c4w_buf_printf(name, "%s%" PRIu64, axis ? "," : "", rest / left);
			rest %= left;
		}
		if (f->rank)
			c4w_buf_putc(name, ']');
		if (f->dtype.kind == C4W_STRUCT)
			rc = struct_leaves(p, &f->dtype, offset + i * f->dtype.size, name);
		else
			rc = add_leaf(p, &f->dtype, offset + i * f->dtype.size, name);
		name->n = with_name;
	}
	name->n = before;
	return rc;
}

static int struct_leaves(struct printer *p, const struct c4w_dtype *d, uint64_t offset, struct c4w_buf *name)
{
	size_t i;
	for (i = 0; i < d->field_count; i++)
		C4W_TRY(field_leaves(p, &d->fields[i], offset + d->fields[i].offset, name));
	return C4W_OK;
}

static void put_leaves(struct printer *p, const uint8_t *at)
{
	size_t i;
	for (i = 0; i < p->leaf_count; i++) {
		if (i)
			c4w_buf_putc(&p->b, p->separator);
		c4w_element_put(&p->b, p->leaves[i].dtype, at + p->leaves[i].offset, p->form);
	}
}

/* How many axes stand as index columns in front, and is the last one laid out along the line? */
static void layout(const struct c4w_nd *v, unsigned *indices, bool *along)
{
	bool is_struct = v->dtype.kind == C4W_STRUCT;
	*along = !is_struct && v->rank >= 2;
	*indices = is_struct ? (v->rank >= 2 ? v->rank : 0) : v->rank >= 3 ? v->rank - 1 : 0;
}

static int put_header(struct printer *p)
{
	const struct c4w_nd *v = p->v;
	unsigned indices, i;
	bool along;
	uint64_t k;
	layout(v, &indices, &along);
	for (i = 0; i < indices; i++)
		c4w_buf_printf(&p->b, "%saxis%u", i ? (char[2]){ p->separator, 0 } : "", i);
	if (along) {
		for (k = 0; k < v->shape[v->rank - 1]; k++) {
			if (k || indices)
				c4w_buf_putc(&p->b, p->separator);
			c4w_buf_printf(&p->b, "%" PRIu64, k);
			C4W_TRY(flush(p, PIECE));
		}
	} else {
		if (indices)
			c4w_buf_putc(&p->b, p->separator);
		if (v->dtype.kind == C4W_STRUCT)
			c4w_buf_put(&p->b, p->names.p ? p->names.p : "", p->names.n);
		else
			c4w_buf_puts(&p->b, "value");
	}
	c4w_buf_putc(&p->b, '\n');
	return C4W_OK;
}

static int lines(struct printer *p)
{
	const struct c4w_nd *v = p->v;
	uint64_t index[C4W_ARRAY_RANK_MAX] = { 0 }, k;
	const uint8_t *at = v->base;
	unsigned indices, outer, axis, i;
	char digits[C4W_NUMBER_TEXT];
	bool along;
	layout(v, &indices, &along);
	outer = along ? v->rank - 1 : v->rank;
	for (axis = 0; axis < outer; axis++)
		if (v->shape[axis] == 0)
			return C4W_OK;
	for (;;) {
		for (i = 0; i < indices; i++) {
			if (i)
				c4w_buf_putc(&p->b, p->separator);
			c4w_buf_put(&p->b, digits, c4w_format_u64(index[i], digits));
		}
		if (along) {
			const struct c4w_dtype *d = &v->dtype;
			int64_t stride = v->stride[outer];
			for (k = 0; k < v->shape[outer]; k++) {
				if (k || indices)
					c4w_buf_putc(&p->b, p->separator);
				c4w_element_put(&p->b, d, at + (int64_t)k * stride, p->form);
				if (p->b.n > PIECE)
					C4W_TRY(flush(p, PIECE));
			}
		} else {
			if (indices)
				c4w_buf_putc(&p->b, p->separator);
			put_leaves(p, at);
		}
		c4w_buf_putc(&p->b, '\n');
		C4W_TRY(flush(p, PIECE));
		for (axis = outer; axis-- > 0;) {
			at += v->stride[axis];
			if (++index[axis] < v->shape[axis])
				break;
			at -= v->stride[axis] * (int64_t)v->shape[axis];
			index[axis] = 0;
		}
		if (axis > outer)
			return C4W_OK;
	}
}

/* Brackets around nothing: shape (10^12, 0) takes no byte in a file and a day to print. */
enum { EMPTY_MAX = 1 << 24 };

static int check_empty(unsigned rank, const uint64_t *shape, struct c4w_err *err)
{
	uint64_t brackets = 1;
	unsigned i;
	for (i = 0; i < rank && shape[i] && brackets <= EMPTY_MAX; i++)
		if (!c4w_mul_u64(brackets, shape[i], &brackets))
			brackets = UINT64_MAX;
	for (; i < rank && shape[i]; i++)
		;
	if (i < rank && brackets > EMPTY_MAX)
		return c4w_fail(err, C4W_LIMIT, "an array without elements, but with more than %d rows", EMPTY_MAX);
	return C4W_OK;
}

static int check_fields(const struct c4w_dtype *d, struct c4w_err *err)
{
	size_t i;
	for (i = 0; i < d->field_count; i++) {
		C4W_TRY(check_empty(d->fields[i].rank, d->fields[i].shape, err));
		C4W_TRY(check_fields(&d->fields[i].dtype, err));
	}
	return C4W_OK;
}

int c4w_nd_print(const struct c4w_nd *v, enum c4w_text form, bool header, c4w_bytes_fn sink, void *ctx, struct c4w_err *err)
{
	struct printer p = { .v = v, .form = form, .sink = sink, .ctx = ctx, .err = err };
	int rc = C4W_OK;
	C4W_TRY(check_empty(v->rank, v->shape, err));
	C4W_TRY(check_fields(&v->dtype, err));
	p.separator = form == C4W_TEXT_TSV ? '\t' : ',';
	if (form == C4W_TEXT_JSONL) {
		rc = json_lines(&p);
	} else {
		struct c4w_buf name = { 0 };
		if (v->dtype.kind == C4W_STRUCT)
			rc = struct_leaves(&p, &v->dtype, 0, &name);
		else
			rc = add_leaf(&p, &v->dtype, 0, &name);
		c4w_buf_clear(&name);
		if (rc == C4W_OK && header)
			rc = put_header(&p);
		if (rc == C4W_OK)
			rc = lines(&p);
	}
	if (rc == C4W_OK)
		rc = flush(&p, 0);
	c4w_buf_clear(&p.b);
	c4w_buf_clear(&p.names);
	c4w_arena_clear(&p.arena);
	return rc;
}
