/* covers: lib/families/psg_blob.c lib/families/psg_csv.c lib/families/psg_tensor.c
 * PASSAGE bytes: the first byte picks blob or route and the resolution. A blob that passes decodes to its size or says why not. */
#include "families/psg.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool fact)
{
	if (!fact)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct c4w_arena arena = { 0 };
	struct c4w_psg_decoder d = { 0 };
	struct c4w_psg_route route;
	struct c4w_psg_frame f;
	struct c4w_psg_scan scan;
	struct c4w_err err;
	uint8_t *raw;
	uint32_t r;
	size_t i;
	int cls;
	if (size == 0)
		return 0;
	r = data[0] >> 1;
	if (data[0] & 1) {
		cls = c4w_psg_csv(data + 1, size - 1, r, &arena, &route, &err);
		require(cls == C4W_OK || err.rule);
		for (i = 0; cls == C4W_OK && i < route.n; i++)
			require(c4w_psg_row(route.cells[i]) < (r ? r : C4W_PSG_R_MAX) && c4w_psg_column(route.cells[i]) < (r ? r : C4W_PSG_R_MAX));
	} else {
		cls = c4w_psg_frame(data + 1, size - 1, r, &f, &err);
		require(cls == C4W_OK || cls == C4W_USAGE || err.rule);
		if (cls == C4W_OK && f.r <= 512) {
			cls = c4w_psg_decode(&d, data + 1, size - 1, &f, &raw, &err);
			require(cls == C4W_OK || err.rule);
			if (cls == C4W_OK) {
				c4w_psg_scan(raw, f.r, &scan);
				require(scan.background + scan.starts + scan.goals + scan.marker.count <= (uint64_t)f.r * f.r);
			}
		}
	}
	c4w_psg_decoder_clear(&d);
	c4w_arena_clear(&arena);
	return 0;
}
