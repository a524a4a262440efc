/* covers: lib/containers/zip.c lib/containers/zip_read.c lib/containers/npz.c
 * The same archive in memory and through a blob gives the same answers; a whole read and a streamed one give the same bytes. */
#include "containers/npz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 1 << 20 };

struct sum {
	uint64_t n;
	uint32_t hash;
};

static int add(void *ctx, const uint8_t *p, size_t n, struct c4w_err *err)
{
	struct sum *s = ctx;
	size_t i;
	(void)err;
	for (i = 0; i < n; i++)
		s->hash = s->hash * 31 + p[i];
	s->n += n;
	return s->n > 4 * MOST ? C4W_CANCELLED : C4W_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct c4w_arena arena = { 0 };
	struct c4w_faults faults = { 0 };
	struct c4w_zip_worker *w = NULL;
	struct c4w_blob *b = NULL;
	struct c4w_zip m, z;
	struct c4w_npz npz;
	struct c4w_err err;
	size_t i;
	int a, c;
	arena.limit = 64 << 20;
	if (c4w_zip_worker_new(&w, &err) != C4W_OK || c4w_blob_memory("x", data, size, false, &b, &err) != C4W_OK)
		abort();
	a = c4w_zip_open_memory(data, size, &arena, &m, &err);
	c = c4w_zip_open_blob(b, 0, size, &arena, &z, &err);
	if (a != c || (a == C4W_OK && m.count != z.count))
		abort();
	for (i = 0; a == C4W_OK && i < m.count && i < 16; i++) {
		const uint8_t *out = NULL;
		struct sum whole = { 0 }, streamed = { 0 };
		int r = c4w_zip_read(w, &m, &m.entries[i], true, MOST, &arena, &out, &err), s;
		if (r == C4W_OK)
			(void)add(&whole, out, m.entries[i].size, NULL);
		s = c4w_zip_stream(w, &z, &z.entries[i], add, &streamed, &err);
		if (m.entries[i].size) {
			uint8_t head[64];
			size_t n = m.entries[i].size < sizeof head ? (size_t)m.entries[i].size : sizeof head;
			int h = c4w_zip_head(w, i & 1 ? &m : &z, i & 1 ? &m.entries[i] : &z.entries[i], head, n, &err);
			if (r == C4W_OK && (h != C4W_OK || memcmp(head, out, n) != 0))
				abort();
		}
		if (r == C4W_OK && (s != C4W_OK || whole.n != streamed.n || whole.hash != streamed.hash))
			abort();
		(void)c4w_zip_is_dir(&m.entries[i]);
		(void)c4w_zip_is_link(&m.entries[i]);
		(void)c4w_zip_find(&m, m.entries[i].name);
	}
	if (a == C4W_OK && c4w_zip_check(&m, &err) != c4w_zip_check(&z, &err))
		abort();
	if (c4w_npz_open(data, size, MOST, &arena, &npz, &err) == C4W_OK)
		for (i = 0; i < npz.count; i++)
			(void)!c4w_npz_load(w, &npz, &npz.members[i], true, &err);
	if (a == C4W_OK && m.count < 64) {
		(void)!c4w_npz_verify(w, b, &arena, &faults, &err);
		(void)!c4w_zip_verify(w, b, &arena, &faults, &err);
	}
	c4w_blob_close(b);
	c4w_zip_worker_free(w);
	c4w_arena_clear(&arena);
	return 0;
}
