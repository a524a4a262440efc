/* Bloom filters of split blocks (BloomFilter.md) and the hash they use, XXH64 (xxhash_spec.md). */
#include "containers/pq_impl.h"

#include "base/checked.h"

enum { HEADER_MOST = 256, BLOCK = 32 };

/* ---- XXH64 ---- */

static const uint64_t P1 = 0x9e3779b185ebca87, P2 = 0xc2b2ae3d27d4eb4f, P3 = 0x165667b19e3779f9, P4 = 0x85ebca77c2b2ae63, P5 = 0x27d4eb2f165667c5;

static uint64_t rotl(uint64_t v, unsigned n)
{
	return v << n | v >> (64 - n);
}

static uint64_t lane(uint64_t acc, uint64_t v)
{
	return rotl(acc + v * P2, 31) * P1;
}

uint64_t pq_xxh64(const void *data, size_t n)
{
	const uint8_t *p = data, *end = p + n;
	uint64_t acc[4] = { P1 + P2, P2, 0, 0 - P1 }, h = P5;
	unsigned k;

	if (n >= 32) {
		for (; end - p >= 32; p += 32)
			for (k = 0; k < 4; k++)
				acc[k] = lane(acc[k], c4w_le64(p + 8 * k));
		h = rotl(acc[0], 1) + rotl(acc[1], 7) + rotl(acc[2], 12) + rotl(acc[3], 18);
		for (k = 0; k < 4; k++)
			h = (h ^ lane(0, acc[k])) * P1 + P4;
	}
	h += n;
	for (; end - p >= 8; p += 8)
		h = rotl(h ^ lane(0, c4w_le64(p)), 27) * P1 + P4;
	if (end - p >= 4) {
		h = rotl(h ^ c4w_le32(p) * P1, 23) * P2 + P3;
		p += 4;
	}
	for (; p < end; p++)
		h = rotl(h ^ *p * P5, 11) * P1;
	h = (h ^ h >> 33) * P2;
	h = (h ^ h >> 29) * P3;
	return h ^ h >> 32;
}

/* ---- filters ---- */

/* A union of which the format knows one member, an empty struct with field 1. */
static bool is_first(struct pq_cur *c, const struct pq_field *f)
{
	struct pq_field u = { 0, 0 };
	bool first = false;

	if (!pq_want(c, f, PQ_W_STRUCT) || !pq_struct_begin(c))
		return false;
	while (pq_field_next(c, &u)) {
		first = first || u.id == 1;
		pq_skip(c, u.wire);
	}
	return first;
}

int c4w_pq_bloom(const struct c4w_pq *pq, size_t group, size_t column, struct c4w_arena *arena, struct c4w_pq_bloom *out, struct c4w_err *err)
{
	const struct pq_chunk_meta *m = pq_chunk_at(pq, group, column);
	uint64_t at = (uint64_t)m->bloom_offset, left, header;
	struct pq_field f = { 0, 0 };
	int32_t bytes = -1;
	bool known = true;
	struct pq_cur c;
	const uint8_t *p;

	*out = (struct c4w_pq_bloom){ 0 };
	if (m->bloom_offset <= 0)
		return C4W_OK;
	if (at >= pq->pages_end || (m->bloom_bytes > 0 && !c4w_within(at, (uint64_t)m->bloom_bytes, pq->pages_end)))
		return c4w_damaged(err, "parquet.bloom-filter", m->bloom_offset, "the Bloom filter lies outside the file");
	left = m->bloom_bytes > 0 ? (uint64_t)m->bloom_bytes : pq->pages_end - at;
	C4W_TRY(c4w_blob_view(pq->blob, at, left < HEADER_MOST ? (size_t)left : HEADER_MOST, arena, &p, err));
	pq_cur_init(&c, p, left < HEADER_MOST ? (size_t)left : HEADER_MOST, at, err);
	if (!pq_struct_begin(&c))
		return c.cls;
	while (pq_field_next(&c, &f)) {
		if (f.id == 1)
			bytes = pq_int32(&c, &f);
		else if (f.id >= 2 && f.id <= 4)
			known = is_first(&c, &f) && known;
		else
			pq_skip(&c, f.wire);
	}
	if (c.bad)
		return c.cls;
	if (!known)
		return c4w_fail(err, C4W_UNSUPPORTED, "the Bloom filter has an algorithm, hash or compression that is not known");
	header = (uint64_t)(c.p - p);
	if (bytes <= 0 || bytes % BLOCK != 0 || (uint64_t)bytes > left - header) {
		c4w_damaged(err, "parquet.bloom-filter", m->bloom_offset, "the Bloom filter has an impossible size");
		return c4w_err_valuesf(err, "whole blocks of 32 bytes within the file", "%d bytes, %llu left", bytes, (unsigned long long)(left - header));
	}
	C4W_TRY(c4w_blob_view(pq->blob, at + header, (size_t)bytes, arena, &out->blocks, err));
	out->nblocks = (uint32_t)bytes / BLOCK;
	return C4W_OK;
}

bool c4w_pq_bloom_has(const struct c4w_pq_bloom *b, const void *value, size_t n)
{
	static const uint32_t salt[8] = { 0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31 };
	uint64_t h = pq_xxh64(value, n);
	const uint8_t *block = b->blocks + BLOCK * ((h >> 32) * b->nblocks >> 32);
	unsigned k;

	for (k = 0; k < 8; k++)
		if (!(c4w_le32(block + 4 * k) >> ((uint32_t)h * salt[k] >> 27) & 1))
			return false;
	return true;
}
