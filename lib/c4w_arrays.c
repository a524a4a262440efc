/* struct c4w_arrays: named arrays that own their memory; and columns of Parquet files as such. See c4w.h. */
#include "c4w_impl.h"

#include "base/batch.h"
#include "base/buf.h"
#include "containers/pq.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 160 }; /* a column in 64 lists has 131 */

struct c4w_arrays {
	struct c4w_arena arena;
	struct c4w_array_view v[MOST];
	size_t n;
};

int c4w_arrays_new(struct c4w_arrays **out, struct c4w_err *err)
{
	*out = calloc(1, sizeof **out);
	return *out ? C4W_OK : c4w_fail_memory(err, sizeof **out);
}

void c4w_arrays_free(struct c4w_arrays *a)
{
	if (a)
		c4w_arena_clear(&a->arena);
	free(a);
}

struct c4w_arena *c4w_arrays_arena(struct c4w_arrays *a)
{
	return &a->arena;
}

size_t c4w_arrays_count(const struct c4w_arrays *a)
{
	return a->n;
}

const struct c4w_array_view *c4w_arrays_at(const struct c4w_arrays *a, size_t i)
{
	return i < a->n ? &a->v[i] : NULL;
}

const struct c4w_array_view *c4w_arrays_view(const struct c4w_arrays *a, const char *name)
{
	size_t i;
	for (i = 0; i < a->n; i++)
		if (strcmp(a->v[i].name, name) == 0)
			return &a->v[i];
	return NULL;
}

int c4w_arrays_add(struct c4w_arrays *a, struct c4w_view name, const struct c4w_array *array, bool copy, struct c4w_err *err)
{
	struct c4w_array_view *v = &a->v[a->n];
	struct c4w_buf dtype = { 0 };
	uint64_t *shape;
	void *mem;
	if (a->n == MOST)
		return c4w_fail(err, C4W_LIMIT, "more than %d arrays", MOST);
	c4w_dtype_put(&dtype, &array->dtype);
	/* In a file's header a plain type stands in quotes; c4w_dtype_text's spelling has none. */
	if (array->dtype.kind != C4W_STRUCT) {
		char text[64];
		c4w_buf_reset(&dtype);
		c4w_buf_puts(&dtype, c4w_dtype_text(&array->dtype, text, sizeof text));
	}
	v->name = c4w_arena_text(&a->arena, name.p, name.n);
	v->dtype = dtype.failed ? NULL : c4w_arena_text(&a->arena, dtype.p, dtype.n);
	c4w_buf_clear(&dtype);
	if (!v->name || !v->dtype)
		return c4w_fail_memory(err, name.n);
	C4W_TRY(c4w_arena_take(&a->arena, (array->rank + 1) * sizeof *shape, &mem, err));
	shape = mem;
	memcpy(shape, array->shape, array->rank * sizeof *shape);
	v->rank = array->rank;
	v->shape = shape;
	v->fortran = array->fortran;
	v->count = array->count;
	v->bytes = array->size;
	v->data = array->bytes;
	if (copy || !v->data) {
		C4W_TRY(c4w_arena_take(&a->arena, (size_t)array->size, &mem, err));
		if (array->size)
			memcpy(mem, array->bytes, (size_t)array->size);
		v->data = mem;
	}
	a->n++;
	return C4W_OK;
}

int c4w_arrays_add_plain(struct c4w_arrays *a, const char *name, char kind, unsigned size, uint64_t n, const void *p, bool copy,
			 struct c4w_err *err)
{
	struct c4w_array array = { .rank = 1, .bytes = p };
	array.dtype = (struct c4w_dtype){ .kind = kind, .size = size, .order = size == 1 || kind == C4W_VOID ? '|' : '<' };
	array.shape[0] = n;
	C4W_TRY(c4w_array_measure(&array, err));
	return c4w_arrays_add(a, c4w_view_z(name), &array, copy, err);
}

/* ---- Parquet ---- */

struct c4w_table {
	struct c4w_pq *pq;
	struct c4w_arena arena; /* names and types */
	const char **names, **types;
	size_t n;
};

int c4w_table_open(const char *path, struct c4w_table **out, struct c4w_err *err)
{
	struct c4w_table *t = calloc(1, sizeof *t);
	struct c4w_blob *blob = NULL;
	void *mem, *mem2;
	size_t i;
	int cls;
	*out = NULL;
	if (!t)
		return c4w_fail_memory(err, sizeof *t);
	cls = c4w_blob_file(path, &blob, err);
	if (cls == C4W_OK)
		cls = c4w_pq_open(blob, &t->pq, err);
	c4w_blob_close(blob);
	if (cls == C4W_OK) {
		t->n = c4w_pq_columns(t->pq);
		cls = c4w_arena_zero(&t->arena, t->n + 1, sizeof *t->names, &mem, err);
	}
	if (cls == C4W_OK)
		cls = c4w_arena_zero(&t->arena, t->n + 1, sizeof *t->types, &mem2, err);
	for (i = 0; cls == C4W_OK && i < t->n; i++) {
		const struct c4w_pq_node *leaf = c4w_pq_leaf(t->pq, i), *at = leaf;
		struct c4w_buf b = { 0 };
		char logical[80], type[120];
		uint32_t chain[256], depth = 0;
		t->names = mem;
		t->types = mem2;
		/* The file's own path, not escaped. */
		for (; at->parent || at != c4w_pq_node(t->pq, 0); at = c4w_pq_node(t->pq, at->parent)) {
			if (depth < 256)
				chain[depth++] = (uint32_t)(at - c4w_pq_node(t->pq, 0));
		}
		while (depth--) {
			struct c4w_view name = c4w_pq_node(t->pq, chain[depth])->name;
			c4w_buf_put(&b, name.p, name.n);
			if (depth)
				c4w_buf_putc(&b, '.');
		}
		c4w_pq_logical_text(leaf, logical, sizeof logical);
		snprintf(type, sizeof type, "%s%s%s", c4w_pq_type_name(leaf->type), *logical ? " " : "", logical);
		t->names[i] = b.failed ? NULL : c4w_arena_text(&t->arena, b.p ? b.p : "", b.n);
		t->types[i] = c4w_arena_text(&t->arena, type, strlen(type));
		c4w_buf_clear(&b);
		if (!t->names[i] || !t->types[i])
			cls = c4w_fail_memory(err, sizeof type);
	}
	if (cls != C4W_OK) {
		c4w_err_path(err, path);
		c4w_table_close(t);
		return cls;
	}
	*out = t;
	return C4W_OK;
}

void c4w_table_close(struct c4w_table *t)
{
	if (!t)
		return;
	c4w_pq_close(t->pq);
	c4w_arena_clear(&t->arena);
	free(t);
}

int64_t c4w_table_rows(const struct c4w_table *t)
{
	return c4w_pq_rows(t->pq);
}

size_t c4w_table_columns(const struct c4w_table *t)
{
	return t->n;
}

const char *c4w_table_name(const struct c4w_table *t, size_t column)
{
	return column < t->n ? t->names[column] : NULL;
}

const char *c4w_table_type(const struct c4w_table *t, size_t column)
{
	return column < t->n ? t->types[column] : NULL;
}

static int add_batch(struct c4w_arrays *a, const struct c4w_batch *b, struct c4w_err *err)
{
	static const struct {
		char kind;
		unsigned size;
	} types[] = { [C4W_PHYS_BOOL] = { 'b', 1 }, [C4W_PHYS_INT32] = { 'i', 4 }, [C4W_PHYS_INT64] = { 'i', 8 }, [C4W_PHYS_FLOAT] = { 'f', 4 },
		      [C4W_PHYS_DOUBLE] = { 'f', 8 } };
	char name[40];
	uint32_t k;
	/* Copied: a file in memory may have lent it. */
	switch (b->phys) {
	case C4W_PHYS_NONE:
		break;
	case C4W_PHYS_BYTES:
		C4W_TRY(c4w_arrays_add_plain(a, "offsets", 'i', 8, b->n + 1, b->offsets, true, err));
		C4W_TRY(c4w_arrays_add_plain(a, "bytes", 'u', 1, (uint64_t)b->offsets[b->n], b->bytes, true, err));
		break;
	case C4W_PHYS_FIXED:
		C4W_TRY(c4w_arrays_add_plain(a, "values", C4W_VOID, b->width, b->n, b->values, true, err));
		break;
	default:
		C4W_TRY(c4w_arrays_add_plain(a, "values", types[b->phys].kind, types[b->phys].size, b->n, b->values, true, err));
		break;
	}
	if (b->validity)
		C4W_TRY(c4w_arrays_add_plain(a, "validity", 'u', 1, (b->n + 7) / 8, b->validity, true, err));
	for (k = 0; k < b->nlists; k++) {
		const struct c4w_batch_list *l = &b->lists[k];
		snprintf(name, sizeof name, "list%u.offsets", k);
		C4W_TRY(c4w_arrays_add_plain(a, name, 'i', 4, l->n + 1, l->offsets, true, err));
		snprintf(name, sizeof name, "list%u.validity", k);
		if (l->validity)
			C4W_TRY(c4w_arrays_add_plain(a, name, 'u', 1, (l->n + 7) / 8, l->validity, true, err));
	}
	return C4W_OK;
}

int c4w_table_read(struct c4w_table *t, size_t column, struct c4w_arrays **out, struct c4w_err *err)
{
	struct c4w_arena arena = { 0 };
	struct c4w_arrays *a = NULL;
	struct c4w_batch b;
	int cls;
	*out = NULL;
	if (column >= t->n)
		return c4w_fail(err, C4W_USAGE, "there is no column %zu, there are %zu", column, t->n);
	cls = c4w_pq_read_all(t->pq, column, NULL, &arena, &b, err);
	if (cls == C4W_OK)
		cls = c4w_arrays_new(&a, err);
	if (cls == C4W_OK)
		cls = add_batch(a, &b, err);
	c4w_arena_clear(&arena);
	if (cls != C4W_OK) {
		c4w_arrays_free(a);
		return cls;
	}
	*out = a;
	return C4W_OK;
}
