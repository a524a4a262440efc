/* CRC-32 through libdeflate; CRC-32C by the SSE4.2 instruction, three interleaved runs joined by a carry-less product. See crc.h. */
#include "base/crc.h"
#include "base/cpu.h"

#include <libdeflate.h>
#include <stdatomic.h>
#include <string.h>

uint32_t c4w_crc32(uint32_t crc, const void *p, size_t n)
{
	return n ? libdeflate_crc32(crc, p, n) : crc;
}

/* Bit-reflected Castagnoli polynomial (RFC 3720, B.4), a nibble at a time. */
uint32_t c4w_crc32c_portable(uint32_t crc, const void *p, size_t n)
{
	static const uint32_t table[16] = {
		0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
		0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
	};
	const uint8_t *b = p;
	crc = ~crc;
	while (n--) {
		crc ^= *b++;
		crc = crc >> 4 ^ table[crc & 15];
		crc = crc >> 4 ^ table[crc & 15];
	}
	return ~crc;
}

#if defined(__x86_64__)

#include <immintrin.h>

#define TARGET __attribute__((target("sse4.2,pclmul")))

/* The register after a run followed by zeros: crc * x^(8 * length). `k` is x^(8 * length - 33) mod P, reflected: the product
 * of two reflected words comes out one bit low, and the instruction itself multiplies by x^32. */
TARGET static inline uint64_t advance(uint64_t crc, uint32_t k)
{
	__m128i product = _mm_clmulepi64_si128(_mm_cvtsi64_si128((int64_t)crc), _mm_cvtsi32_si128((int32_t)k), 0);
	return _mm_crc32_u64(0, (uint64_t)_mm_cvtsi128_si64(product));
}

TARGET static inline uint64_t three(uint64_t crc, const uint8_t *b, size_t run, uint32_t k1, uint32_t k2)
{
	uint64_t c1 = 0, c2 = 0, v0, v1, v2;
	size_t i;
	for (i = 0; i < run; i += 8) {
		memcpy(&v0, b + i, 8);
		memcpy(&v1, b + run + i, 8);
		memcpy(&v2, b + 2 * run + i, 8);
		crc = _mm_crc32_u64(crc, v0);
		c1 = _mm_crc32_u64(c1, v1);
		c2 = _mm_crc32_u64(c2, v2);
	}
	return advance(crc, k2) ^ advance(c1, k1) ^ c2;
}

TARGET static uint32_t crc32c_sse42(uint32_t start, const void *p, size_t n)
{
	const uint8_t *b = p;
	uint64_t crc = (uint32_t)~start, v;
	for (; n >= 3 * 8192; n -= 3 * 8192, b += 3 * 8192)
		crc = three(crc, b, 8192, 0x54a86326, 0x1dc403cc);
	for (; n >= 3 * 256; n -= 3 * 256, b += 3 * 256)
		crc = three(crc, b, 256, 0xb9e02b86, 0xdd7e3b0c);
	for (; n >= 8; n -= 8, b += 8) {
		memcpy(&v, b, 8);
		crc = _mm_crc32_u64(crc, v);
	}
	for (; n; n--, b++)
		crc = _mm_crc32_u8((uint32_t)crc, *b);
	return ~(uint32_t)crc;
}

typedef uint32_t crc_fn(uint32_t crc, const void *p, size_t n);

static crc_fn *choose(void)
{
	return c4w_cpu_has(C4W_CPU_SSE42 | C4W_CPU_PCLMUL) ? crc32c_sse42 : c4w_crc32c_portable;
}

uint32_t c4w_crc32c(uint32_t crc, const void *p, size_t n)
{
	static crc_fn *_Atomic chosen; /* set once; threads that race write the same value */
	crc_fn *fn = atomic_load_explicit(&chosen, memory_order_relaxed);
	if (!fn) {
		fn = choose();
		atomic_store_explicit(&chosen, fn, memory_order_relaxed);
	}
	return fn(crc, p, n);
}

#else

uint32_t c4w_crc32c(uint32_t crc, const void *p, size_t n)
{
	return c4w_crc32c_portable(crc, p, n);
}

#endif
