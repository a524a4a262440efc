/* One series as a Parquet file. See timef_extract.h. */
#include "containers/pq_write.h"
#include "families/timef_extract.h"
#include "families/timef_impl.h"

/* How a dtype's values are written. */
static const struct kind {
	enum c4w_pq_type type;
	uint8_t bits; /* 0: no INTEGER annotation */
	bool is_signed;
	enum c4w_phys phys;
	uint32_t width; /* bytes of an element in the batch; 0 for texts */
} kinds[C4W_TF_DTYPES] = {
	[C4W_TF_BOOL] = { C4W_PQ_BOOLEAN, 0, false, C4W_PHYS_BOOL, 1 },      [C4W_TF_FLOAT32] = { C4W_PQ_FLOAT, 0, false, C4W_PHYS_FLOAT, 4 },
	[C4W_TF_FLOAT64] = { C4W_PQ_DOUBLE, 0, false, C4W_PHYS_DOUBLE, 8 },  [C4W_TF_INT8] = { C4W_PQ_INT32, 8, true, C4W_PHYS_INT32, 4 },
	[C4W_TF_INT16] = { C4W_PQ_INT32, 16, true, C4W_PHYS_INT32, 4 },      [C4W_TF_INT32] = { C4W_PQ_INT32, 32, true, C4W_PHYS_INT32, 4 },
	[C4W_TF_UINT8] = { C4W_PQ_INT32, 8, false, C4W_PHYS_INT32, 4 },      [C4W_TF_UINT16] = { C4W_PQ_INT32, 16, false, C4W_PHYS_INT32, 4 },
	[C4W_TF_UINT32] = { C4W_PQ_INT32, 32, false, C4W_PHYS_INT32, 4 },    [C4W_TF_STR] = { C4W_PQ_BYTE_ARRAY, 0, false, C4W_PHYS_BYTES, 0 },
	[C4W_TF_ENUM] = { C4W_PQ_BYTE_ARRAY, 0, false, C4W_PHYS_BYTES, 0 },
};

struct out {
	const struct c4w_timef_series *s;
	const struct c4w_timef_spec *spec;
	struct c4w_arena *arena;
	struct c4w_pq_writer *w;
	struct c4w_buf text; /* of the run's texts */
	c4w_bytes_fn put;
	void *ctx;
	struct c4w_err *err;
};

static int put(void *ctx, const void *p, size_t n, struct c4w_err *err)
{
	const struct out *o = ctx;

	return o->put(o->ctx, p, n, err);
}

static bool has_times(const struct c4w_timef_series *s)
{
	return s->axis == C4W_TF_REGULAR || s->axis == C4W_TF_IRREGULAR;
}

static int begin(struct out *o)
{
	const struct kind *k = &kinds[o->spec->dtype];
	struct c4w_pq_write_opts opts = { .codec = 6 };
	struct c4w_pq_node nodes[7];
	bool nested = o->spec->rank > 0;
	uint32_t n = 0;

	memset(nodes, 0, sizeof nodes);
	nodes[n++] = (struct c4w_pq_node){ .name = C4W_VIEW("schema"), .nchildren = has_times(o->s) ? 3 : 2 };
	nodes[n++] = (struct c4w_pq_node){ .name = C4W_VIEW("step"), .type = C4W_PQ_INT64 };
	if (has_times(o->s))
		nodes[n++] = (struct c4w_pq_node){ .name = C4W_VIEW("offset_us"), .type = C4W_PQ_INT64 };
	if (nested) {
		nodes[n++] = (struct c4w_pq_node){ .name = C4W_VIEW("value"), .repetition = C4W_PQ_OPTIONAL, .logical = C4W_PQ_L_LIST, .nchildren = 1 };
		nodes[n++] = (struct c4w_pq_node){ .name = C4W_VIEW("list"), .repetition = C4W_PQ_REPEATED, .nchildren = 1 };
	}
	nodes[n] = (struct c4w_pq_node){ .name = nested ? C4W_VIEW("element") : C4W_VIEW("value"), .type = k->type,
					 .repetition = nested ? C4W_PQ_REQUIRED : C4W_PQ_OPTIONAL };
	if (k->bits) {
		nodes[n].logical = C4W_PQ_L_INTEGER;
		nodes[n].bits = k->bits;
		nodes[n].is_signed = k->is_signed;
	} else if (k->type == C4W_PQ_BYTE_ARRAY) {
		nodes[n].logical = C4W_PQ_L_STRING;
	}
	return c4w_pq_writer_new(nodes, n + 1, &opts, put, o, &o->w, o->err);
}

/* A column of as many integers as the run has steps, to be filled in. */
static int int_column(struct out *o, size_t steps, struct c4w_batch *b, int64_t **values)
{
	void *mem;

	C4W_TRY(c4w_arena_take(o->arena, steps * 8 + 8, &mem, o->err));
	*values = mem;
	*b = (struct c4w_batch){ .phys = C4W_PHYS_INT64, .width = 8, .rows = steps, .n = steps, .values = mem };
	return C4W_OK;
}

static int steps_and_times(struct out *o, const struct c4w_timef_run *run, uint64_t at, struct c4w_batch *batch)
{
	int64_t *v;
	size_t i;

	C4W_TRY(int_column(o, run->steps, &batch[0], &v));
	for (i = 0; i < run->steps; i++)
		v[i] = (int64_t)(at + i);
	if (!has_times(o->s))
		return C4W_OK;
	C4W_TRY(int_column(o, run->steps, &batch[1], &v));
	if (run->times)
		memcpy(v, run->times, run->steps * sizeof *v);
	else if (!c4w_timef_regular_offsets(o->s, (int64_t)at, run->steps, v))
		return c4w_fail(o->err, C4W_LIMIT, "time offsets beyond 64 bits");
	return C4W_OK;
}

/* A bit a step, or NULL when all are there. */
static int validity(struct out *o, const struct c4w_timef_run *run, const uint8_t **bits)
{
	void *mem;
	size_t i;

	*bits = NULL;
	if (!run->missing)
		return C4W_OK;
	C4W_TRY(c4w_arena_zero(o->arena, (run->steps + 7) / 8, 1, &mem, o->err));
	for (i = 0; i < run->steps; i++)
		if (run->valid[i])
			((uint8_t *)mem)[i >> 3] |= (uint8_t)(1u << (i & 7));
	*bits = mem;
	return C4W_OK;
}

/* Values with a shape: a list a step, null where the step is missing. What is left of the values is packed into *values. */
static int lists(struct out *o, const struct c4w_timef_run *run, const uint8_t *bits, struct c4w_batch *v, struct c4w_batch_list *list,
		 const uint8_t **values)
{
	size_t elements = (size_t)o->spec->elements, bytes = elements * c4w_timef_dtype_size(o->spec->dtype), i, to = 0;
	int32_t *offsets, k = 0;
	void *mem;

	C4W_TRY(c4w_arena_take(o->arena, (run->steps + 1) * 4, &mem, o->err));
	offsets = mem;
	C4W_TRY(c4w_arena_take(o->arena, run->steps * bytes + 1, &mem, o->err));
	for (i = 0; i < run->steps; i++) {
		offsets[i] = k;
		if (run->valid && !run->valid[i])
			continue;
		memcpy((uint8_t *)mem + to, run->values + i * bytes, bytes);
		to += bytes;
		k += (int32_t)elements;
	}
	offsets[run->steps] = k;
	*list = (struct c4w_batch_list){ .n = run->steps, .offsets = offsets, .validity = bits, .nulls = run->missing };
	v->lists = list;
	v->nlists = 1;
	v->n = (size_t)k;
	v->nulls = 0;
	v->validity = NULL;
	*values = mem;
	return C4W_OK;
}

static int texts(struct out *o, const struct c4w_timef_run *run, struct c4w_batch *v)
{
	int64_t *offsets;
	int32_t code;
	void *mem;
	size_t i;

	C4W_TRY(c4w_arena_take(o->arena, (run->steps + 1) * 8, &mem, o->err));
	offsets = mem;
	c4w_buf_reset(&o->text);
	for (i = 0; i < run->steps; i++) {
		offsets[i] = (int64_t)o->text.n;
		if (run->valid && !run->valid[i])
			continue;
		if (o->spec->dtype == C4W_TF_STR) {
			c4w_buf_put(&o->text, run->text + run->offsets[i], (size_t)(run->offsets[i + 1] - run->offsets[i]));
			continue;
		}
		memcpy(&code, run->values + i * 4, 4);
		if (code < 0)
			return c4w_timef_fault(NULL, o->err, "values.category", NULL, NULL, NULL, NULL, "a value is none of the spec's categories");
		c4w_buf_put(&o->text, o->spec->categories[code].p, o->spec->categories[code].n);
	}
	offsets[run->steps] = (int64_t)o->text.n;
	v->offsets = offsets;
	v->bytes = (const uint8_t *)(o->text.p ? o->text.p : "");
	return c4w_buf_ok(&o->text, o->err);
}

/* Integers of one and two bytes become four. */
static int widen(struct out *o, const uint8_t *values, size_t n, const void **out)
{
	int32_t *wide;
	void *mem;
	size_t i;

	C4W_TRY(c4w_arena_take(o->arena, n * 4 + 4, &mem, o->err));
	wide = mem;
	for (i = 0; i < n; i++)
		switch (o->spec->dtype) {
		case C4W_TF_INT8: wide[i] = (int8_t)values[i]; break;
		case C4W_TF_UINT8: wide[i] = values[i]; break;
		case C4W_TF_INT16: wide[i] = ((const int16_t *)(const void *)values)[i]; break;
		default: wide[i] = ((const uint16_t *)(const void *)values)[i]; break;
		}
	*out = wide;
	return C4W_OK;
}

static int values(struct out *o, const struct c4w_timef_run *run, struct c4w_batch *v, struct c4w_batch_list *list)
{
	const struct kind *k = &kinds[o->spec->dtype];
	const uint8_t *bits, *from = run->values;

	C4W_TRY(validity(o, run, &bits));
	*v = (struct c4w_batch){ .phys = k->phys, .width = k->width, .rows = run->steps, .n = run->steps, .nulls = run->missing, .validity = bits };
	if (o->spec->rank > 0)
		C4W_TRY(lists(o, run, bits, v, list, &from));
	if (k->phys == C4W_PHYS_BYTES)
		return texts(o, run, v);
	if (k->phys == C4W_PHYS_INT32 && c4w_timef_dtype_size(o->spec->dtype) < 4)
		return widen(o, from, v->n, &v->values);
	v->values = from;
	return C4W_OK;
}

int c4w_timef_to_parquet(struct c4w_timef_cursor *c, const struct c4w_timef_series *s, struct c4w_arena *arena, c4w_bytes_fn sink, void *ctx,
			 struct c4w_err *err)
{
	struct out o = { .s = s, .spec = &c4w_timef_cursor_ds(c)->m.specs[s->spec], .arena = arena, .put = sink, .ctx = ctx, .err = err };
	struct c4w_batch_list list;
	struct c4w_batch batch[3];
	struct c4w_timef_run run;
	uint64_t at;
	int rc = begin(&o);

	for (at = 0; rc == C4W_OK && at < (uint64_t)s->n_values; at += run.steps) {
		c4w_arena_reset(arena);
		memset(batch, 0, sizeof batch);
		rc = c4w_timef_lend(c, at, (uint64_t)s->n_values, true, &run, err);
		if (rc != C4W_OK)
			break;
		rc = steps_and_times(&o, &run, at, batch);
		if (rc == C4W_OK)
			rc = values(&o, &run, &batch[has_times(s) ? 2 : 1], &list);
		if (rc == C4W_OK)
			rc = c4w_pq_writer_put(o.w, run.steps, batch, err);
	}
	if (rc == C4W_OK)
		rc = c4w_pq_writer_finish(o.w, err);
	c4w_pq_writer_free(o.w);
	c4w_buf_clear(&o.text);
	return rc;
}
