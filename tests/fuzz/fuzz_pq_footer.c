/* covers: lib/containers/pq_thrift.c lib/containers/pq_meta.c lib/containers/pq_schema.c lib/containers/pq_stats.c lib/containers/pq_chunk.c lib/containers/pq_index.c lib/containers/pq_bloom.c lib/containers/pq_arrow.c lib/model/pq_rows.c lib/model/pq_value.c lib/model/pq_verify_pages.c lib/model/pq_order.c */
/* A whole Parquet file, or (when it does not begin with the magic) a bare footer that is given its frame here: opening, describing, reading
 * every chunk both ways, printing, verifying. */
#include "containers/pq_arrow.h"
#include "model/pq_check.h"
#include "model/pq_rows.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MEMORY = 32 << 20 };

static int drop(void *ctx, const char *p, size_t n, struct c4w_err *err)
{
	size_t *sum = ctx;

	(void)err;
	*sum += n + (uint8_t)p[0];
	return *sum > 4 << 20 ? c4w_fail(err, C4W_CANCELLED, "enough") : C4W_OK;
}

static void columns(const struct c4w_pq *pq, size_t g, struct c4w_pq_worker *w)
{
	struct c4w_arena arena = { .limit = MEMORY };
	size_t k;
	int i;

	for (k = 0; k < c4w_pq_columns(pq) && k < 16; k++) {
		for (i = 0; i < 5; i++) {
			int64_t first = i == 3 ? 1 : i == 4 ? c4w_pq_group_rows(pq, g) / 2 : 0;
			struct c4w_pq_opts o = { .keep_dict = i & 1, .structs = i & 2, .no_crc = true, .first = first, .count = first ? 2 : 0 };
			struct c4w_batch b;
			struct c4w_err err;

			if (c4w_pq_read(pq, g, k, &o, w, &arena, &b, &err) == C4W_OK && b.n > 0 && (b.phys == C4W_PHYS_BYTES || b.phys == C4W_PHYS_FIXED)) {
				size_t n;
				const uint8_t *p = c4w_batch_bytes(&b, b.n - 1, &n);

				if (n && c4w_batch_valid(&b, b.n - 1))
					(void)*(volatile const uint8_t *)p;
			}
			c4w_arena_reset(&arena);
		}
		c4w_pq_may_hold_int(pq, g, k, 3);
		c4w_pq_may_hold_bytes(pq, g, k, C4W_VIEW("abc"));
		(void)c4w_pq_cost(pq, g, k);
	}
	c4w_arena_clear(&arena);
}

/* Names to nodes and back. */
static void names(const struct c4w_pq *pq)
{
	struct c4w_view value = { "", 0 };
	struct c4w_buf name = { 0 };
	struct c4w_err err;
	char path[80];
	uint32_t i, node;
	size_t column;

	(void)c4w_pq_created_by(pq);
	(void)c4w_pq_version(pq);
	(void)c4w_pq_footer_bytes(pq);
	(void)c4w_pq_blob(pq);
	for (i = 0; i < c4w_pq_meta_count(pq) && i < 8; i++)
		value = c4w_pq_meta_key(pq, i).n > value.n ? c4w_pq_meta_key(pq, i) : c4w_pq_meta_value(pq, i);
	for (i = 1; i < c4w_pq_nodes(pq) && i < 40; i++) {
		c4w_buf_reset(&name);
		c4w_pq_short_name(pq, i, &name);
		c4w_buf_puts(&name, "");
		if (name.p && c4w_pq_find(pq, name.p, &node, &err) == C4W_OK && node >= c4w_pq_nodes(pq))
			abort();
		if (name.p && c4w_pq_column_of(pq, name.p, C4W_PQ_INT64, 0, &column, &err) == C4W_OK && column >= c4w_pq_columns(pq))
			abort();
		c4w_buf_puts(&name, "x");
		if (name.p && c4w_pq_find(pq, name.p, &node, &err) == C4W_OK && node == 0)
			abort();
	}
	for (column = 0; column < c4w_pq_columns(pq) && column < 40; column++)
		(void)c4w_pq_path(pq, column, path, sizeof path);
	if (c4w_pq_columns(pq) && c4w_pq_groups(pq)) {
		struct c4w_arena arena = { .limit = MEMORY };
		struct c4w_batch b;
		size_t all[2] = { 0, c4w_pq_columns(pq) - 1 };

		c4w_pq_prefetch(pq, 0, all, 2);
		if (c4w_pq_read_all(pq, all[1], NULL, &arena, &b, NULL) == C4W_OK && b.rows != (size_t)c4w_pq_rows(pq))
			abort();
		c4w_arena_clear(&arena);
	}
	c4w_buf_clear(&name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct c4w_pq_verify_opts vo = { .full = true, .path = "fuzz", .memory = MEMORY };
	struct c4w_findings fs = { 0 };
	struct c4w_pq_worker *w = NULL;
	struct c4w_blob *blob;
	struct c4w_pq *pq;
	struct c4w_err err;
	struct c4w_view value;
	uint8_t *file;
	size_t n = size, g, sum = 0;
	int f;

	file = malloc(size + 12);
	if (!file)
		return 0;
	if (size >= 4 && memcmp(data, "PAR1", 4) == 0) {
		memcpy(file, data, size);
	} else {
		uint32_t length = (uint32_t)size;

		memcpy(file, "PAR1", 4);
		if (size)
			memcpy(file + 4, data, size);
		memcpy(file + 4 + size, &length, 4);
		memcpy(file + 8 + size, "PAR1", 4);
		n = size + 12;
	}
	if (c4w_blob_memory("fuzz", file, n, true, &blob, &err) != C4W_OK) {
		free(file);
		return 0;
	}
	(void)c4w_pq_probe(blob);
	if (c4w_pq_open(blob, &pq, &err) == C4W_OK) {
		struct c4w_buf out = { 0 };
		struct c4w_arena arrow_arena = { 0 };
		struct c4w_pq_arrow *arrow;

		names(pq);

		if (c4w_pq_arrow_read(pq, &arrow_arena, &arrow, &err) == C4W_OK)
			sum += arrow != NULL;
		c4w_arena_clear(&arrow_arena);
		c4w_pq_schema_text(pq, &out);
		c4w_pq_schema_json(pq, &out);
		c4w_pq_groups_text(pq, &out);
		c4w_pq_groups_json(pq, &out);
		c4w_buf_clear(&out);
		c4w_pq_meta_find(pq, "key", &value);
		if (c4w_pq_worker_new(&w, &err) == C4W_OK)
			for (g = 0; g < c4w_pq_groups(pq) && g < 4; g++)
				columns(pq, g, w);
		for (f = 0; f < 3; f++) {
			struct c4w_pq_rows_opts ro = { .format = (enum c4w_rows_format)f, .last = 200, .memory = MEMORY };

			if (c4w_pq_rows_print(pq, &ro, w, drop, &sum, &err) != C4W_OK)
				continue;
		}
		c4w_pq_worker_free(w);
		c4w_pq_close(pq);
		c4w_pq_verify(blob, &vo, &fs);
		c4w_findings_clear(&fs);
	}
	c4w_blob_close(blob);
	return 0;
}
