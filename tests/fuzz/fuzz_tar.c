/* covers: lib/containers/tar.c lib/containers/tar_head.c
 * Members lie one behind the other within the archive, and every byte that a member claims can be read. */
#include "containers/tar.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct c4w_arena arena = { 0 };
	struct c4w_faults faults = { 0 };
	struct c4w_blob *b = NULL;
	struct c4w_tar_member *v = NULL;
	struct c4w_tar t;
	struct c4w_err err;
	size_t n = 0, i;
	arena.limit = 256 << 20;
	(void)c4w_tar_probe(data, size);
	if (c4w_blob_memory("x", data, size, false, &b, &err) != C4W_OK || c4w_tar_open(b, 0, size, &arena, &t, &err) != C4W_OK)
		abort();
	(void)!c4w_tar_list(&t, &v, &n, &err);
	for (i = 0; i < n; i++) {
		static uint8_t buf[4096];
		size_t part = v[i].size < sizeof buf ? (size_t)v[i].size : sizeof buf;
		if (v[i].data > size || v[i].stored > size - v[i].data || v[i].header >= v[i].data || (i && v[i].header < v[i - 1].next))
			abort();
		if (c4w_tar_read(&t, &v[i], 0, part, buf, &err) != C4W_OK || c4w_tar_read(&t, &v[i], v[i].size - part, part, buf, &err) != C4W_OK)
			abort();
	}
	(void)!c4w_tar_verify(b, &arena, &faults, &err);
	c4w_blob_close(b);
	c4w_arena_clear(&arena);
	return 0;
}
