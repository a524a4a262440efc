/* covers: lib/families/psg_blob.c lib/families/psg_csv.c lib/families/psg_tensor.c
 * PASSAGE bytes: the first byte picks blob or route and the resolution. A blob that passes decodes to its size or says why not. */
#include "families/psg.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool fact)
{
	if (!fact)
		abort();
}

/* Statistics and the scan tell the same; a route over all cells crosses as many obstacles as there are. */
static void look(const uint8_t *raw, uint32_t r, struct c4w_arena *arena)
{
	struct c4w_psg_route route = { 0 };
	struct c4w_psg_stats stats[3];
	struct c4w_psg_scan scan;
	uint32_t first = 0, i, *cells;
	void *mem;
	c4w_psg_scan(raw, r, &scan);
	require(scan.background + scan.starts + scan.goals + scan.marker.count <= (uint64_t)r * r);
	c4w_psg_channel_stats(raw, r, stats);
	if (!scan.not_finite.count && !scan.elevation.count)
		require(r == 0 || (stats[0].min >= 0 && stats[0].max <= 1));
	if (r > 64 || c4w_arena_take(arena, ((size_t)r * r + 1) * sizeof *cells, &mem, NULL) != C4W_OK)
		return;
	cells = mem;
	for (i = 0; i < r * r; i++)
		cells[i] = i / r << 16 | i % r;
	route.cells = cells;
	route.n = (size_t)r * r;
	require(c4w_psg_crossings(raw, r, &route, &first) == scan.obstacles);
	require(scan.obstacles == 0 || c4w_psg_at(raw, r, c4w_psg_row(first), c4w_psg_column(first), 2) == 1.0f);
}

/* What comes in pieces came whole before. The other way round libzstd is lenient: whole, it takes offsets from behind the window. */
static void pieces(const uint8_t *p, size_t n, const struct c4w_psg_frame *f, const uint8_t *raw)
{
	struct c4w_psg_decoder d = { 0 };
	struct c4w_err err;
	size_t at = 0, m = 0;
	uint8_t *piece;
	int cls = c4w_psg_pieces(&d, p, n, f, C4W_PSG_NPY_HEADER, &err);
	while (cls == C4W_OK && (cls = c4w_psg_piece(&d, &piece, &m, &err)) == C4W_OK && m) {
		require(m % 4 == 0 && at + m <= c4w_psg_bytes(f->r));
		require(!raw || memcmp(piece, raw + at, m) == 0);
		at += m;
	}
	require(cls == C4W_OK ? raw && at == c4w_psg_bytes(f->r) : err.rule != NULL);
	c4w_psg_decoder_clear(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct c4w_arena arena = { 0 };
	struct c4w_psg_decoder d = { 0 };
	struct c4w_psg_route route;
	struct c4w_psg_frame f;
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
		require(cls != C4W_OK || c4w_psg_length(&route) >= (route.n ? 30.0 * (double)(route.n - 1) : 0));
	} else {
		cls = c4w_psg_frame(data + 1, size - 1, r, &f, &err);
		require(cls == C4W_OK || cls == C4W_USAGE || err.rule);
		if (cls == C4W_OK && f.r <= 512) {
			cls = c4w_psg_decode(&d, data + 1, size - 1, &f, &raw, &err);
			require(cls == C4W_OK || err.rule);
			if (cls == C4W_OK)
				look(raw, f.r, &arena);
		} else if (cls == C4W_OK && f.r <= 1300) {
			(void)!c4w_psg_decode(&d, data + 1, size - 1, &f, &raw, &err);
			pieces(data + 1, size - 1, &f, raw);
		}
	}
	c4w_psg_decoder_clear(&d);
	c4w_arena_clear(&arena);
	return 0;
}
