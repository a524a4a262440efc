/* covers: lib/containers/zarr.c lib/containers/zarr_codec.c lib/containers/zarr_meta.c
 * A Zarr array in memory: zarr.json, a zero byte, and what lies in the first file of chunks. What opens is lent and read, and both must agree. */
#include "containers/zarr.h"
#include "base/limits.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool fact)
{
	if (!fact)
		abort();
}

/* Steps [a, b) as they are lent, at most some pieces; those of numbers are read once more into a buffer of their own. */
static void walk(struct c4w_zarr *z, struct c4w_zarr_cursor *c, uint64_t a, uint64_t b)
{
	const struct c4w_zarr_meta *m = c4w_zarr_meta(z);
	struct c4w_zarr_cursor *other;
	struct c4w_zarr_run run;
	struct c4w_err err = { 0 };
	unsigned pieces;
	uint8_t *copy;
	int64_t at = 0;
	uint64_t i;
	int cls;
	for (pieces = 0; pieces < 8 && a < b; pieces++, a += run.steps) {
		cls = c4w_zarr_lend(z, c, a, b, &run, &err);
		if (cls != C4W_OK) {
			require(cls == C4W_LIMIT || cls == C4W_UNSUPPORTED || (cls == C4W_DAMAGED && err.rule));
			return;
		}
		require(run.first == a && run.steps >= 1 && run.steps <= b - a && (run.values != NULL) == (m->item != 0));
		if (!m->item) {
			require(run.offsets[0] >= 0);
			for (i = 0; i < run.steps; i++)
				require(run.offsets[i] <= run.offsets[i + 1]);
			if (run.text)
				require(c4w_utf8_valid(run.text + run.offsets[0], (size_t)(run.offsets[run.steps] - run.offsets[0])));
			at += run.offsets[run.steps];
			continue;
		}
		if (run.steps > (1U << 20) / m->step)
			continue;
		copy = malloc((size_t)run.steps * m->step);
		require(copy && c4w_zarr_cursor_new(&other, NULL) == C4W_OK);
		require(c4w_zarr_read(z, other, a, a + run.steps, copy, &err) == C4W_OK);
		require(memcmp(copy, run.values, (size_t)run.steps * m->step) == 0);
		c4w_zarr_cursor_free(other);
		free(copy);
	}
	require(at >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = memchr(data, 0, size);
	size_t n = end ? (size_t)(end - data) : size;
	struct c4w_zarr_cursor *c;
	struct c4w_store *mem;
	struct c4w_zarr *z;
	struct c4w_err err = { 0 };
	char path[256];
	int cls;
	require(c4w_memstore_new(&mem, NULL) == C4W_OK && c4w_memstore_put(mem, "a/zarr.json", data, n, NULL) == C4W_OK);
	cls = c4w_zarr_open(mem, "a", &z, &err);
	if (cls == C4W_OK) {
		const struct c4w_zarr_meta *m = c4w_zarr_meta(z);
		uint64_t steps = m->shape[0];
		require(m->rank >= 1 && m->rank <= C4W_ZARR_RANK && m->stored[0] % m->inner[0] == 0 && strcmp(c4w_zarr_path(z), "a") == 0);
		require((m->item == 0) == (strcmp(c4w_zarr_type_name(m->type), "string") == 0));
		require((c4w_zarr_files(z) == 0) == (steps == 0));
		c4w_zarr_file_path(z, 0, path, sizeof path);
		if (end)
			require(c4w_memstore_put(mem, path, end + 1, size - n - 1, NULL) == C4W_OK);
		require(c4w_zarr_cursor_new(&c, NULL) == C4W_OK);
		require(c4w_zarr_lend(z, c, steps, steps, &(struct c4w_zarr_run){ 0 }, NULL) == C4W_USAGE);
		walk(z, c, 0, steps);
		if (steps > 2)
			walk(z, c, steps / 2, steps - 1);
		c4w_zarr_cursor_free(c);
		c4w_zarr_close(z);
		require(c4w_zarr_check_group(mem, "a", &err) == C4W_DAMAGED);
	} else if (cls == C4W_USAGE) {
		require(c4w_zarr_check_group(mem, "a", &err) == C4W_OK);
	} else {
		require(cls == C4W_LIMIT || cls == C4W_UNSUPPORTED || (cls == C4W_DAMAGED && err.rule));
	}
	c4w_store_close(mem);
	return 0;
}
