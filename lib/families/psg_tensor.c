/* What a decoded tensor holds: one pass that finds values outside their channel's set (checks 3 to 5 and 7 of section 8), and
 * statistics.
 *
 * The fast pass looks at bit patterns, 24 values (8 cells) at a time with a constant per lane, because channels take turns every 4 bytes:
 * elevation 0 to 1 are the patterns 0 to 0x3f800000, the background is 0xbf800000, an obstacle flag is one of two patterns. A
 * group of cells that holds anything else (a start, a goal, -0.0, damage) is looked at value by value.
 */
#include "families/psg.h"
#include "base/checked.h"

#include <math.h>
#include <string.h>

#define ONE 0x3f800000u
#define MINUS_ONE 0xbf800000u

static void note(struct c4w_psg_fault *f, size_t cell, uint32_t r, uint32_t channel, float v)
{
	if (f->count++)
		return;
	f->row = (uint32_t)(cell / r);
	f->column = (uint32_t)(cell % r);
	f->channel = channel;
	f->value = v;
}

static float load(const uint8_t *p)
{
	uint32_t u = c4w_le32(p);
	float f;
	memcpy(&f, &u, 4);
	return f;
}

static void slow(const uint8_t *raw, size_t from, size_t to, uint32_t r, struct c4w_psg_scan *s)
{
	size_t i;
	for (i = from; i < to; i++) {
		float e = load(raw + i * 12), m = load(raw + i * 12 + 4), o = load(raw + i * 12 + 8);
		if (!isfinite(e))
			note(&s->not_finite, i, r, 0, e);
		else if (!(e >= 0 && e <= 1))
			note(&s->elevation, i, r, 0, e);
		if (m == -1)
			s->background++;
		else if (m == 0 || m == 1) {
			uint32_t *at = m == 0 ? s->start : s->goal;
			uint64_t *n = m == 0 ? &s->starts : &s->goals;
			if (!(*n)++) {
				at[0] = (uint32_t)(i / r);
				at[1] = (uint32_t)(i % r);
			}
		} else {
			note(isfinite(m) ? &s->marker : &s->not_finite, i, r, 1, m);
		}
		if (o == 1)
			s->obstacles++;
		else if (o != 0)
			note(isfinite(o) ? &s->obstacle : &s->not_finite, i, r, 2, o);
	}
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
typedef uint32_t lanes __attribute__((vector_size(16)));
typedef int32_t slanes __attribute__((vector_size(16)));

/* Lanes of the three vectors in which four cells lie: elevation, marker, obstacle, elevation | ... */
#define LANES(e, m, o)                                                                      \
	{                                                                                   \
		{ e, m, o, e }, { m, o, e, m }, { o, e, m, o }                              \
	}

/* Cells in one group; any other value in it sends the whole group to slow(). */
enum { GROUP = 64 };

static bool fast(const uint8_t *p, uint32_t *obstacles)
{
	/* The top bit is flipped in both: unsigned order becomes signed order, which SSE2 can compare. */
	static const lanes base[3] = LANES(0x80000000u, MINUS_ONE ^ 0x80000000u, 0x80000000u);
	static const slanes top[3] = LANES((int32_t)(ONE ^ 0x80000000u), (int32_t)0x80000000, (int32_t)(ONE ^ 0x80000000u));
	static const lanes flag[3] = LANES(0, 0, 0xffffffffu);
	static const lanes one = { ONE, ONE, ONE, ONE };
	lanes bad = { 0 }, count = { 0 };
	unsigned i, k;

	for (i = 0; i < GROUP / 4; i++)
		for (k = 0; k < 3; k++) {
			lanes v, is_one, is_zero;
			memcpy(&v, p + i * 48 + k * 16, 16);
			bad |= (lanes)((slanes)(v ^ base[k]) > top[k]);
			is_one = (lanes)(v == one) & flag[k];
			is_zero = (lanes)(v == 0);
			bad |= flag[k] & ~(is_one | is_zero);
			count -= is_one;
		}
	*obstacles = count[0] + count[1] + count[2] + count[3];
	return !(bad[0] | bad[1] | bad[2] | bad[3]);
}
#endif

void c4w_psg_scan(const uint8_t *raw, uint32_t r, struct c4w_psg_scan *s)
{
	size_t cells = (size_t)r * r, i = 0;
	memset(s, 0, sizeof *s);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	for (; i + GROUP <= cells; i += GROUP) {
		uint32_t obstacles;
		if (fast(raw + i * 12, &obstacles)) {
			s->background += GROUP;
			s->obstacles += obstacles;
		} else {
			slow(raw, i, i + GROUP, r, s);
		}
	}
#endif
	slow(raw, i, cells, r, s);
}

void c4w_psg_channel_stats(const uint8_t *raw, uint32_t r, struct c4w_psg_stats out[3])
{
	size_t i, cells = (size_t)r * r;
	unsigned c;
	double sum[3] = { 0, 0, 0 };
	float lo[3], hi[3];
	for (c = 0; c < 3; c++)
		lo[c] = hi[c] = cells ? load(raw + 4 * c) : 0;
	for (i = 0; i < cells; i++)
		for (c = 0; c < 3; c++) {
			float v = load(raw + i * 12 + 4 * c);
			lo[c] = v < lo[c] ? v : lo[c];
			hi[c] = v > hi[c] ? v : hi[c];
			sum[c] += (double)v;
		}
	for (c = 0; c < 3; c++) {
		out[c].min = (double)lo[c];
		out[c].max = (double)hi[c];
		out[c].mean = cells ? sum[c] / (double)cells : 0;
	}
}
