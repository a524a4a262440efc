/* Writing values: PLAIN, the RLE hybrid, DELTA_BINARY_PACKED. */
#include "containers/pq_wimpl.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

/* ---- plain ---- */

static int plain_bool(struct c4w_buf *out, const struct c4w_batch *b, size_t from, size_t to)
{
	uint8_t byte = 0;
	unsigned fill = 0;
	size_t i, n;

	for (i = from; i < to; i++) {
		if (!c4w_bit(b->validity, i))
			continue;
		byte = (uint8_t)(byte | (unsigned)(*c4w_pq_slot(b, i, &n) != 0) << fill);
		if (++fill == 8) {
			c4w_buf_putc(out, (char)byte);
			byte = 0;
			fill = 0;
		}
	}
	if (fill)
		c4w_buf_putc(out, (char)byte);
	return C4W_OK;
}

int pq_w_plain(struct c4w_buf *out, const struct c4w_batch *b, size_t from, size_t to, struct c4w_err *err)
{
	size_t i, n, width = b->width;
	const uint8_t *p;
	char *q;

	if (b->phys == C4W_PHYS_BOOL)
		return plain_bool(out, b, from, to);
	if (b->phys == C4W_PHYS_BYTES) {
		for (i = from; i < to; i++) {
			if (!c4w_bit(b->validity, i))
				continue;
			p = c4w_batch_bytes(b, i, &n);
			if (n > INT32_MAX)
				return c4w_fail(err, C4W_LIMIT, "a value of %zu bytes is more than Parquet can hold", n);
			if (!c4w_buf_reserve(out, n + 4))
				break;
			q = out->p + out->n;
			memcpy(q, &(uint32_t){ (uint32_t)n }, 4);
			if (n)
				memcpy(q + 4, p, n);
			out->n += n + 4;
		}
		return C4W_OK;
	}
	if (!b->validity && !b->indices) {
		c4w_buf_put(out, (const uint8_t *)b->values + from * width, (to - from) * width);
		return C4W_OK;
	}
	if (!c4w_buf_reserve(out, (to - from) * width + 8))
		return C4W_OK;
	q = out->p + out->n;
	for (i = from; i < to; i++) {
		if (!c4w_bit(b->validity, i))
			continue;
		p = c4w_pq_slot(b, i, &n);
		memcpy(q, p, width);
		q += width;
	}
	out->n = (size_t)(q - out->p);
	return C4W_OK;
}

/* ---- hybrid ---- */

static void pack_ones(const uint8_t *v, size_t groups, uint8_t *q)
{
	uint64_t w;

	for (; groups > 0; groups--, v += 8) { /* the low bits of eight bytes, gathered in the top byte */
		memcpy(&w, v, 8);
		*q++ = (uint8_t)((w * 0x0102040810204080ULL) >> 56);
	}
}

static void pack(struct c4w_buf *out, const void *v, bool wide, size_t n, unsigned bits)
{
	size_t groups = (n + 7) / 8, i = 0;
	uint64_t acc = 0;
	unsigned fill = 0;
	uint8_t *q;

	pq_w_varint(out, groups << 1 | 1);
	if (!c4w_buf_reserve(out, groups * bits + 8))
		return;
	q = (uint8_t *)out->p + out->n;
	if (bits == 1 && !wide) {
		pack_ones(v, n / 8, q);
		q += n / 8;
		i = n / 8 * 8;
	}
	for (; i < groups * 8; i++) {
		uint64_t x = i >= n ? 0 : wide ? ((const uint32_t *)v)[i] : ((const uint8_t *)v)[i];

		acc |= x << fill;
		fill += bits;
		if (fill >= 32) {
			memcpy(q, &acc, 4);
			q += 4;
			acc >>= 32;
			fill -= 32;
		}
	}
	memcpy(q, &acc, 8);
	out->n += groups * bits;
	out->p[out->n] = 0;
}

/* Are eight values equal? */
static bool same8(const uint8_t *v)
{
	uint64_t w;

	memcpy(&w, v, 8);
	return w == v[0] * 0x0101010101010101ULL;
}

static bool same32(const uint32_t *v)
{
	return v[0] == v[1] && v[0] == v[2] && v[0] == v[3] && v[0] == v[4] && v[0] == v[5] && v[0] == v[6] && v[0] == v[7];
}

/* Runs of eight and more repeat, and the last values if they are equal; what lies between is packed in groups of eight. */
#define HYBRID(name, type, wide, same)                                                               \
	void name(struct c4w_buf *out, const type *v, size_t n, unsigned bits)                       \
	{                                                                                            \
		size_t i = 0, start, run, k;                                                         \
		while (i < n) {                                                                      \
			run = n - i >= 8 && same(v + i) ? 8 : 1;                                     \
			if (run == 8 || n - i < 8)                                                   \
				while (i + run < n && v[i + run] == v[i])                            \
					run++;                                                       \
			if (run >= 8 || i + run == n) {                                              \
				uint32_t x = v[i];                                                   \
				pq_w_varint(out, (uint64_t)run << 1);                                 \
				for (k = 0; k < (bits + 7) / 8; k++)                                 \
					c4w_buf_putc(out, (char)(x >> (8 * k)));                     \
				i += run;                                                            \
				continue;                                                            \
			}                                                                            \
			for (start = i; i < n && !(n - i >= 8 && same(v + i));)                      \
				i += n - i < 8 ? n - i : 8;                                          \
			pack(out, v + start, wide, i - start, bits);                                 \
		}                                                                                    \
	}
HYBRID(pq_w_hybrid8, uint8_t, false, same8)
HYBRID(pq_w_hybrid32, uint32_t, true, same32)

/* ---- delta: blocks of 128 values, four miniblocks ---- */

void pq_w_delta(struct c4w_buf *out, const int64_t *v, size_t n, unsigned width)
{
	size_t i, k, m;

	pq_w_varint(out, 128);
	pq_w_varint(out, 4);
	pq_w_varint(out, n);
	pq_w_varint(out, n ? pq_zigzag(v[0]) : 0);
	for (i = 1; i < n; i += 128) {
		size_t count = n - i < 128 ? n - i : 128;
		uint64_t d[128] = { 0 };
		int64_t min = 0;
		uint8_t bits[4] = { 0 };

		for (k = 0; k < count; k++) {
			uint64_t x = (uint64_t)v[i + k] - (uint64_t)v[i + k - 1];

			if (width == 32) /* deltas wrap in the column's own width */
				x = (uint64_t)(int64_t)(int32_t)(uint32_t)x;
			d[k] = x;
			min = k == 0 || (int64_t)x < min ? (int64_t)x : min;
		}
		for (k = 0; k < count; k++) {
			unsigned b;

			d[k] -= (uint64_t)min;
			if (width == 32)
				d[k] = (uint32_t)d[k];
			b = d[k] ? 64U - (unsigned)__builtin_clzll(d[k]) : 0;
			bits[k / 32] = (uint8_t)(b > bits[k / 32] ? b : bits[k / 32]);
		}
		pq_w_varint(out, pq_zigzag(min));
		c4w_buf_put(out, bits, 4);
		for (m = 0; m < 4 && m * 32 < count; m++) {
			uint8_t packed[256 + 16] = { 0 };
			size_t at = 0;

			for (k = 0; k < 32; k++, at += bits[m]) {
				unsigned s = at & 7, b;

				for (b = 0; b < bits[m]; b++)
					if (d[m * 32 + k] >> b & 1)
						packed[(at + b) >> 3] = (uint8_t)(packed[(at + b) >> 3] | 1U << ((s + b) & 7));
			}
			c4w_buf_put(out, packed, 4U * bits[m]);
		}
	}
}
