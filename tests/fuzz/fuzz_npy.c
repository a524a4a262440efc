/* covers: lib/containers/npy.c lib/base/array.c
 * A header that is taken can be written, and what is written reads as the same array. */
#include "containers/npy.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
		}
	}
	if (c4w_blob_memory("x", data, size, false, &b, &err) == C4W_OK)
		(void)!c4w_npy_verify(b, &arena, &faults, &err);
	c4w_blob_close(b);
	c4w_buf_clear(&head);
	c4w_arena_clear(&arena);
	return 0;
}
