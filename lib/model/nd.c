/* Strided views of arrays: slices, chosen fields, and the way out as raw bytes or NPY. */
#include "base/numbers.h"
#include "containers/npy.h"
#include "model/print.h"

#include <inttypes.h>
#include <string.h>

enum { PIECE = 64 * 1024 };

void c4w_nd_of(const struct c4w_array *a, struct c4w_nd *out)
{
	int64_t step = (int64_t)a->dtype.size;
	unsigned i;
	out->dtype = a->dtype;
	out->rank = a->rank;
	out->base = a->bytes;
	out->chosen = false;
	for (i = 0; i < a->rank; i++) {
		unsigned axis = a->fortran ? i : a->rank - 1 - i;
		out->shape[axis] = a->shape[axis];
		out->stride[axis] = step;
		/* an empty array has no second element to step to, however long its other axes are */
		step = a->count ? step * (int64_t)a->shape[axis] : 0;
	}
}

/* ---- slices ---- */

static bool part_number(struct c4w_view s, bool *has, int64_t *out)
{
	*has = s.n != 0;
	return !*has || c4w_parse_i64(s, out);
}

static bool parse_part(struct c4w_view part, struct c4w_slice *s)
{
	struct c4w_view pieces[3] = { { part.p, 0 }, { NULL, 0 }, { NULL, 0 } };
	bool has_step = false;
	size_t i, n = 0;
	*s = (struct c4w_slice){ .step = 1 };
	for (i = 0; i < part.n; i++) {
		if (part.p[i] != ':') {
			pieces[n].n++;
		} else {
			if (++n == 3)
				return false;
			pieces[n].p = part.p + i + 1;
		}
	}
	if (!part_number(pieces[0], &s->has_start, &s->start) || !part_number(pieces[1], &s->has_stop, &s->stop) ||
	    !part_number(pieces[2], &has_step, &s->step))
		return false;
	if (n == 0) {
		s->index = true;
		return s->has_start;
	}
	return s->step != 0 && s->step != INT64_MIN;
}

int c4w_slice_parse(const char *text, struct c4w_slice out[C4W_ARRAY_RANK_MAX], unsigned *count, struct c4w_err *err)
{
	const char *p = text;
	unsigned n = 0;
	for (;;) {
		size_t length = strcspn(p, ",");
		if (n == C4W_ARRAY_RANK_MAX)
			return c4w_fail(err, C4W_USAGE, "a slice of more than %d axes", C4W_ARRAY_RANK_MAX);
		if (!parse_part((struct c4w_view){ p, length }, &out[n])) {
			char shown[80];
			(void)c4w_fail(err, C4W_USAGE, "'%s' is no slice", c4w_str_escape(shown, sizeof shown, p, length));
			c4w_err_hint(err, "write A:B or A:B:STEP for each axis, separated by commas, for example 0:10,:,3");
			return C4W_USAGE;
		}
		n++;
		if (p[length] == 0)
			break;
		p += length + 1;
	}
	*count = n;
	return C4W_OK;
}

/* numpy's rule: negative numbers count from the end, then everything is cut to the axis. n is below 2^63. */
static int64_t clamp(int64_t v, int64_t n, int64_t low, int64_t high)
{
	if (v < 0)
		v = v < -n ? low : v + n;
	return v < low ? low : v > high ? high : v;
}

static void slice_axis(struct c4w_nd *v, unsigned axis, const struct c4w_slice *s)
{
	int64_t n = (int64_t)v->shape[axis], start, stop;
	uint64_t span, step = s->step < 0 ? (uint64_t)-s->step : (uint64_t)s->step;
	if (s->step > 0) {
		start = s->has_start ? clamp(s->start, n, 0, n) : 0;
		stop = s->has_stop ? clamp(s->stop, n, 0, n) : n;
		span = stop > start ? (uint64_t)(stop - start) : 0;
	} else {
		start = s->has_start ? clamp(s->start, n, -1, n - 1) : n - 1;
		stop = s->has_stop ? clamp(s->stop, n, -1, n - 1) : -1;
		span = start > stop ? (uint64_t)(start - stop) : 0;
	}
	v->shape[axis] = span ? (span - 1) / step + 1 : 0;
	if (v->shape[axis])
		v->base += start * v->stride[axis];
	/* beyond one element the step is not larger than the axis, so the product fits */
	v->stride[axis] = v->shape[axis] > 1 ? v->stride[axis] * s->step : 0;
}

int c4w_nd_slice(struct c4w_nd *v, const struct c4w_slice *slices, unsigned count, struct c4w_err *err)
{
	unsigned i, axis = 0;
	if (count > v->rank)
		return c4w_fail(err, C4W_USAGE, "the slice has %u parts, the array %u axes", count, v->rank);
	for (i = 0; i < count; i++) {
		int64_t at = slices[i].start;
		if (!slices[i].index) {
			slice_axis(v, axis++, &slices[i]);
			continue;
		}
		if (at < 0)
			at += (int64_t)v->shape[axis];
		if (at < 0 || (uint64_t)at >= v->shape[axis])
			return c4w_fail(err, C4W_USAGE, "index %" PRId64 " is outside axis %u of %" PRIu64 " elements", slices[i].start, i, v->shape[axis]);
		v->base += at * v->stride[axis];
		v->rank--;
		memmove(&v->shape[axis], &v->shape[axis + 1], (v->rank - axis) * sizeof *v->shape);
		memmove(&v->stride[axis], &v->stride[axis + 1], (v->rank - axis) * sizeof *v->stride);
	}
	return C4W_OK;
}

void c4w_nd_limit(struct c4w_nd *v, uint64_t n)
{
	if (v->rank && v->shape[0] > n)
		v->shape[0] = n;
}

int c4w_nd_columns(struct c4w_nd *v, const char *const *names, size_t count, struct c4w_arena *arena, struct c4w_err *err)
{
	struct c4w_field *fields;
	size_t i, k;
	void *mem;
	if (v->dtype.kind != C4W_STRUCT)
		return c4w_fail(err, C4W_USAGE, "this array has no columns to choose from");
	C4W_TRY(c4w_arena_take(arena, count * sizeof *fields, &mem, err));
	fields = mem;
	for (i = 0; i < count; i++) {
		for (k = 0; k < v->dtype.field_count && !c4w_view_eqz(v->dtype.fields[k].name, names[i]); k++)
			;
		if (k == v->dtype.field_count) {
			struct c4w_buf list = { 0 };
			char shown[80];
			for (k = 0; k < v->dtype.field_count; k++) {
				c4w_buf_puts(&list, k ? ", " : "");
				c4w_buf_escape(&list, v->dtype.fields[k].name.p, v->dtype.fields[k].name.n);
			}
			(void)c4w_fail(err, C4W_USAGE, "no column '%s'; there is %.300s", c4w_str_escape(shown, sizeof shown, names[i], strlen(names[i])),
				       list.p ? list.p : "none");
			c4w_buf_clear(&list);
			return C4W_USAGE;
		}
		fields[i] = v->dtype.fields[k];
	}
	v->dtype.fields = fields;
	v->dtype.field_count = count;
	v->chosen = true;
	return C4W_OK;
}

/* ---- out ---- */

static uint64_t packed_size(const struct c4w_nd *v)
{
	uint64_t n = 0;
	size_t i;
	if (!v->chosen)
		return v->dtype.size;
	for (i = 0; i < v->dtype.field_count; i++)
		n += v->dtype.fields[i].count * v->dtype.fields[i].dtype.size;
	return n;
}

static bool is_empty(const struct c4w_nd *v)
{
	unsigned i;
	for (i = 0; i < v->rank; i++)
		if (v->shape[i] == 0)
			return true;
	return false;
}

/* Is it one piece of memory in C order? How long is it then? */
static bool in_one_piece(const struct c4w_nd *v, uint64_t *size)
{
	uint64_t step = v->dtype.size;
	unsigned axis;
	if (v->chosen)
		return false;
	for (axis = v->rank; axis-- > 0;) {
		if (v->shape[axis] > 1 && v->stride[axis] != (int64_t)step)
			return false;
		step *= v->shape[axis];
	}
	*size = step;
	return true;
}

static void copy_element(const struct c4w_nd *v, const uint8_t *p, uint8_t *out)
{
	size_t i;
	if (!v->chosen) {
		memcpy(out, p, v->dtype.size);
		return;
	}
	for (i = 0; i < v->dtype.field_count; i++) {
		const struct c4w_field *f = &v->dtype.fields[i];
		size_t n = f->count * f->dtype.size;
		memcpy(out, p + f->offset, n);
		out += n;
	}
}

int c4w_nd_raw(const struct c4w_nd *v, c4w_bytes_fn sink, void *ctx, struct c4w_err *err)
{
	uint64_t index[C4W_ARRAY_RANK_MAX] = { 0 }, size, element = packed_size(v);
	const uint8_t *p = v->base;
	struct c4w_buf b = { 0 };
	int rc = C4W_OK;
	if (is_empty(v) || element == 0)
		return C4W_OK;
	if (in_one_piece(v, &size))
		return sink(ctx, v->base, size, err);
	for (;;) {
		unsigned axis;
		if (!c4w_buf_reserve(&b, element)) {
			rc = c4w_buf_ok(&b, err);
			break;
		}
		copy_element(v, p, (uint8_t *)b.p + b.n);
		b.n += element;
		if (b.n >= PIECE) {
			rc = sink(ctx, (const uint8_t *)b.p, b.n, err);
			b.n = 0;
			if (rc != C4W_OK)
				break;
		}
		for (axis = v->rank; axis-- > 0;) {
			p += v->stride[axis];
			if (++index[axis] < v->shape[axis])
				break;
			p -= v->stride[axis] * (int64_t)v->shape[axis];
			index[axis] = 0;
		}
		if (axis > v->rank) { /* it wrapped: all axes are done */
			rc = b.n ? sink(ctx, (const uint8_t *)b.p, b.n, err) : C4W_OK;
			break;
		}
	}
	c4w_buf_clear(&b);
	return rc;
}

int c4w_nd_npy(const struct c4w_nd *v, c4w_bytes_fn sink, void *ctx, struct c4w_err *err)
{
	struct c4w_array a = { .dtype = v->dtype, .rank = v->rank };
	struct c4w_arena arena = { 0 };
	struct c4w_buf head = { 0 };
	void *mem;
	int rc = C4W_OK;
	memcpy(a.shape, v->shape, v->rank * sizeof *a.shape);
	if (v->chosen) {
		struct c4w_field *fields;
		uint64_t at = 0;
		size_t i;
		rc = c4w_arena_take(&arena, v->dtype.field_count * sizeof *fields, &mem, err);
		if (rc != C4W_OK)
			return rc;
		fields = mem;
		for (i = 0; i < v->dtype.field_count; i++) {
			fields[i] = v->dtype.fields[i];
			fields[i].offset = at;
			at += fields[i].count * fields[i].dtype.size;
		}
		a.dtype.fields = fields;
		a.dtype.size = at;
	}
	c4w_npy_write_header(&head, &a);
	rc = c4w_buf_ok(&head, err);
	if (rc == C4W_OK)
		rc = sink(ctx, (const uint8_t *)head.p, head.n, err);
	if (rc == C4W_OK)
		rc = c4w_nd_raw(v, sink, ctx, err);
	c4w_buf_clear(&head);
	c4w_arena_clear(&arena);
	return rc;
}
