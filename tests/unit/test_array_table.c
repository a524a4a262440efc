/* Structured arrays as Parquet tables: each kind of field is written and read again. */
#include "model/array_table.h"

#include "base/buf.h"
#include "tap.h"

static struct c4w_err err;

static int gather(void *ctx, const void *p, size_t n, struct c4w_err *e)
{
	c4w_buf_put(ctx, p, n);
	return c4w_buf_ok(ctx, e);
}

struct __attribute__((packed)) row {
	int8_t small;
	uint16_t middle;
	int64_t large;
	float re, im;
	double list[2];
	uint32_t text[3];
	uint8_t flag;
};

static const uint64_t two[] = { 2 };
static const struct c4w_field fields[] = {
	{ .name = C4W_VIEW("small"), .offset = 0, .dtype = { .kind = C4W_INT, .order = '|', .size = 1 }, .count = 1 },
	{ .name = C4W_VIEW("middle"), .offset = 1, .dtype = { .kind = C4W_UINT, .order = '<', .size = 2 }, .count = 1 },
	{ .name = C4W_VIEW("large"), .offset = 3, .dtype = { .kind = C4W_INT, .order = '<', .size = 8 }, .count = 1 },
	{ .name = C4W_VIEW("z"), .offset = 11, .dtype = { .kind = C4W_COMPLEX, .order = '<', .size = 8 }, .count = 1 },
	{ .name = C4W_VIEW("list"), .offset = 19, .dtype = { .kind = C4W_FLOAT, .order = '<', .size = 8 }, .rank = 1, .shape = two, .count = 2 },
	{ .name = C4W_VIEW("text"), .offset = 35, .dtype = { .kind = C4W_UNICODE, .order = '<', .size = 12 }, .count = 1 },
	{ .name = C4W_VIEW("flag"), .offset = 47, .dtype = { .kind = C4W_BOOL, .order = '|', .size = 1 }, .count = 1 },
};
static const struct c4w_dtype dtype = { .kind = C4W_STRUCT, .order = '|', .size = sizeof(struct row), .fields = fields, .field_count = 7 };

static const void *column(const struct c4w_pq *pq, const char *name, struct c4w_arena *arena, struct c4w_batch *b)
{
	size_t c;
	if (c4w_pq_column(pq, name, &c, &err) != C4W_OK || c4w_pq_read_all(pq, c, NULL, arena, b, &err) != C4W_OK) {
		ok(false, "%s: %s", name, err.message);
		return NULL;
	}
	return b->values;
}

static void test_round(void)
{
	const struct row rows[3] = { { -1, 65535, INT64_MIN, 1.5F, -2.5F, { 1, 2 }, { 'a', 0x20AC, 'c' }, 1 },
				     { 127, 0, 7, 0, 3, { 3, 4 }, { 'x', 0, 0 }, 0 },
				     { -128, 1, -7, 9, 9, { 5, 6 }, { 0, 0, 0 }, 1 } };
	struct c4w_array_table *t = NULL;
	struct c4w_buf file = { 0 };
	struct c4w_arena arena = { 0 };
	struct c4w_blob *blob = NULL;
	struct c4w_pq *pq = NULL;
	struct c4w_batch b;
	const int32_t *i32;
	const double *f64;
	size_t n;
	ok(c4w_array_table_new(&dtype, NULL, gather, &file, &t, &err) == C4W_OK, "%s", err.message);
	ok(c4w_array_table_put(t, (const uint8_t *)rows, 2 * sizeof *rows, &err) == C4W_OK, "%s", err.message);
	ok(c4w_array_table_put(t, (const uint8_t *)(rows + 2), sizeof *rows, &err) == C4W_OK, "%s", err.message);
	ok(c4w_array_table_put(t, NULL, 0, &err) == C4W_OK, "nothing");
	ok(c4w_array_table_finish(t, &err) == C4W_OK, "%s", err.message);
	c4w_array_table_free(t);
	ok(c4w_blob_memory("t", file.p, file.n, false, &blob, &err) == C4W_OK && c4w_pq_open(blob, &pq, &err) == C4W_OK, "%s", err.message);
	is_int(c4w_pq_rows(pq), 3);
	is_int(c4w_pq_columns(pq), 8);
	i32 = column(pq, "small", &arena, &b);
	ok(i32[0] == -1 && i32[1] == 127 && i32[2] == -128, "the sign is kept");
	i32 = column(pq, "middle", &arena, &b);
	ok(i32[0] == 65535 && i32[1] == 0 && i32[2] == 1, "unsigned");
	ok(((const int64_t *)column(pq, "large", &arena, &b))[0] == INT64_MIN, "64 bits");
	ok(((const float *)column(pq, "z_re", &arena, &b))[0] == 1.5F && ((const float *)column(pq, "z_im", &arena, &b))[1] == 3, "complex");
	f64 = column(pq, "list", &arena, &b);
	ok(b.nlists == 1 && b.lists[0].n == 3 && b.lists[0].offsets[3] == 6 && f64[0] == 1 && f64[5] == 6, "lists");
	column(pq, "text", &arena, &b);
	ok(memcmp(c4w_batch_bytes(&b, 0, &n), "a\xE2\x82\xAC" "c", 5) == 0 && n == 5, "UTF-8");
	c4w_batch_bytes(&b, 2, &n);
	is_int(n, 0);
	ok(((const uint8_t *)column(pq, "flag", &arena, &b))[2] == 1, "bools");
	c4w_pq_close(pq);
	c4w_blob_close(blob);
	c4w_arena_clear(&arena);
	c4w_buf_clear(&file);
}

static void test_unsupported(void)
{
	struct c4w_field f = { .name = C4W_VIEW("x"), .dtype = { .kind = C4W_BYTES, .order = '|', .size = 4 }, .count = 1 };
	struct c4w_dtype d = { .kind = C4W_STRUCT, .order = '|', .size = 4, .fields = &f, .field_count = 1 };
	struct c4w_array_table *t = NULL;
	struct c4w_buf file = { 0 };
	is_int(c4w_array_table_new(&d, NULL, gather, &file, &t, &err), C4W_UNSUPPORTED);
	f.dtype = (struct c4w_dtype){ .kind = C4W_INT, .order = '>', .size = 4 };
	is_int(c4w_array_table_new(&d, NULL, gather, &file, &t, &err), C4W_UNSUPPORTED);
	ok(!t && file.n == 0, "nothing is written");
	c4w_array_table_free(NULL);
	c4w_buf_clear(&file);
}

int main(void)
{
	RUN(test_round);
	RUN(test_unsupported);
	return done();
}
