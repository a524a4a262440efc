/* covers: lib/containers/npy.c lib/base/array.c lib/model/print.c lib/model/nd.c lib/model/element.c
 * A header that is taken can be written, and what is written reads as the same array. Every array prints. */
#include "containers/npy.h"
#include "model/print.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int count(void *ctx, const uint8_t *p, size_t n, struct c4w_err *err)
{
	uint64_t *left = ctx;
	(void)p;
	(void)err;
	*left = n < *left ? *left - n : 0;
	return *left ? C4W_OK : C4W_CANCELLED;
}

static void print_all(const struct c4w_array *a, struct c4w_arena *arena)
{
	struct c4w_slice s[C4W_ARRAY_RANK_MAX];
	struct c4w_nd v;
	struct c4w_err err;
	const char *name = "a";
	uint64_t left;
	unsigned n, k;
	c4w_nd_of(a, &v);
	for (k = 0; k < 5; k++) {
		left = 1 << 18;
		if (k < 3)
			(void)!c4w_nd_print(&v, (enum c4w_text)k, true, count, &left, &err);
		else if (k == 3)
			(void)!c4w_nd_npy(&v, count, &left, &err);
		else if (c4w_slice_parse("1::2,-1", s, &n, &err) == C4W_OK && c4w_nd_slice(&v, s, n < v.rank ? n : v.rank, &err) == C4W_OK) {
			c4w_nd_limit(&v, 3);
			(void)!c4w_nd_columns(&v, &name, 1, arena, &err);
			(void)!c4w_nd_npy(&v, count, &left, &err);
			(void)!c4w_nd_print(&v, C4W_TEXT_CSV, true, count, &left, &err);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct c4w_arena arena = { 0 };
	struct c4w_faults faults = { 0 };
	struct c4w_blob *b = NULL;
	struct c4w_npy npy, again;
	struct c4w_buf head = { 0 };
	struct c4w_err err;
	char text[64];
	if (c4w_npy_parse(data, size, &arena, &npy, &err) == C4W_OK) {
		c4w_dtype_text(&npy.array.dtype, text, sizeof text);
		c4w_shape_text(npy.array.rank, npy.array.shape, text, sizeof text);
		c4w_npy_write_header(&head, &npy.array);
		if (c4w_npy_parse((const uint8_t *)head.p, head.n, &arena, &again, &err) != C4W_OK ||
		    !c4w_dtype_eq(&npy.array.dtype, &again.array.dtype) || again.array.rank != npy.array.rank || again.array.size != npy.array.size)
			abort();
		if (c4w_npy_body(&npy, data, size, true, &err) == C4W_OK) {
			uint8_t *out = malloc(npy.array.size ? npy.array.size : 1);
			c4w_array_to_c_order(&npy.array, true, out);
			free(out);
			print_all(&npy.array, &arena);
		}
	}
	if (c4w_blob_memory("x", data, size, false, &b, &err) == C4W_OK)
		(void)!c4w_npy_verify(b, &arena, &faults, &err);
	c4w_blob_close(b);
	c4w_buf_clear(&head);
	c4w_arena_clear(&arena);
	return 0;
}
