/* covers: lib/containers/zst.c
 * A frame's blocks bound what comes out of it; decoding into memory and streaming agree. */
#include "containers/zst.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 1 << 20 };

static int add(void *ctx, const uint8_t *p, size_t n, struct c4w_err *err)
{
	uint64_t *sum = ctx;
	(void)p;
	(void)err;
	*sum += n;
	return *sum > MOST ? C4W_CANCELLED : C4W_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct c4w_arena arena = { 0 };
	struct c4w_faults faults = { 0 };
	struct c4w_zst_worker *w = NULL;
	struct c4w_zst_frame *v = NULL, f;
	struct c4w_blob *b = NULL;
	uint64_t capacity = 0, sum = 0;
	struct c4w_err err;
	size_t n = 0, i;
	int rc;
	if (c4w_zst_worker_new(&w, &err) != C4W_OK || c4w_blob_memory("x", data, size, false, &b, &err) != C4W_OK)
		abort();
	rc = c4w_zst_list(b, &arena, &v, &n, &err);
	for (i = 0; i < n; i++)
		capacity += v[i].capacity;
	if (c4w_zst_stream(w, b, 8 << 20, add, &sum, &err) == C4W_OK && (rc != C4W_OK || sum > capacity))
		abort();
	if (n == 1 && v[0].content >= 0 && v[0].content < MOST) {
		uint8_t *out = malloc((size_t)v[0].content + 1);
		rc = c4w_zst_decode(w, data, size, out, (size_t)v[0].content, &err);
		free(out);
	}
	(void)!c4w_zst_frame_memory(data, size, &f, &err);
	if (capacity < 64 * MOST)
		(void)!c4w_zst_verify(w, b, 8 << 20, &faults, &err);
	c4w_blob_close(b);
	c4w_zst_worker_free(w);
	c4w_arena_clear(&arena);
	return 0;
}
