/* Bit unpacking, bitmaps, and the RLE / bit-packed hybrid (Encodings.md, "Run Length Encoding / Bit-Packing Hybrid").
 *
 * Each unpacking kernel has a portable twin; the faster one is chosen by what the processor can do. Kernels load eight or sixteen bytes
 * at a time, so the last values of a buffer go through a padded copy. */
#include "containers/pq_impl.h"

#include "base/checked.h"
#include "base/cpu.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#define PQ_X86 1
#else
#define PQ_X86 0
#endif

static inline uint64_t load64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return v; /* little-endian machines only, as all of c4w's targets are */
}

/* How many values from the front can be unpacked by loads of `reach` bytes that start at their first byte? A multiple of 8. */
static size_t safe_count(size_t avail, unsigned bits, size_t n, size_t reach)
{
	size_t can;

	if (avail < reach || bits == 0)
		return 0;
	can = (avail - reach) * 8 / bits;
	if (can > n)
		can = n;
	return can & ~(size_t)7;
}

void pq_unpack32_portable(const uint8_t *in, size_t avail, unsigned bits, size_t n, uint32_t *out)
{
	uint64_t mask = bits == 32 ? UINT32_MAX : ((uint64_t)1 << bits) - 1;
	size_t i, safe = safe_count(avail, bits, n, 8), bit = 0;

	for (i = 0; i < safe; i++, bit += bits)
		out[i] = (uint32_t)(load64(in + (bit >> 3)) >> (bit & 7) & mask);
	for (; i < n; i++, bit += bits) {
		uint64_t v = 0;
		size_t at = bit >> 3, last = (bit + bits + 7) >> 3, k;

		for (k = at; k < last; k++)
			v |= (uint64_t)in[k] << (8 * (k - at));
		out[i] = (uint32_t)(v >> (bit & 7) & mask);
	}
}

void pq_unpack64(const uint8_t *in, size_t avail, unsigned bits, size_t n, uint64_t *out)
{
	uint64_t mask = bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
	size_t i, safe = safe_count(avail, bits, n, 16), bit = 0;

	for (i = 0; i < safe; i++, bit += bits) {
		const uint8_t *p = in + (bit >> 3);
		unsigned s = (unsigned)(bit & 7);

		out[i] = (load64(p) >> s | (uint64_t)p[8] << 1 << (63 - s)) & mask;
	}
	for (; i < n; i++, bit += bits) {
		size_t at = bit >> 3, last = (bit + bits + 7) >> 3, k;
		unsigned s = (unsigned)(bit & 7);
		uint64_t lo = 0, hi = 0;

		for (k = at; k < last; k++) {
			if (k - at < 8)
				lo |= (uint64_t)in[k] << (8 * (k - at));
			else
				hi = in[k];
		}
		out[i] = (lo >> s | hi << 1 << (63 - s)) & mask;
	}
}

void pq_unpack8_portable(const uint8_t *in, size_t avail, unsigned bits, size_t n, uint8_t *out)
{
	uint32_t mask = (1U << bits) - 1;
	size_t i, bit = 0;

	(void)avail;
	for (i = 0; i < n; i++, bit += bits) {
		size_t at = bit >> 3;
		uint32_t v = in[at];

		if ((bit & 7) + bits > 8)
			v |= (uint32_t)in[at + 1] << 8;
		out[i] = (uint8_t)(v >> (bit & 7) & mask);
	}
}

#if PQ_X86
/* Eight values a step: both halves of a register hold 16 input bytes, the left half those of values 0-3, the right those of 4-7; a byte
 * shuffle brings each value's four bytes into its place, a variable shift and a mask finish it. Up to 25 bits fit four bytes from
 * any bit position. */
__attribute__((target("avx2"))) static size_t unpack32_avx2(const uint8_t *in, size_t avail, unsigned bits, size_t n, uint32_t *out)
{
	uint8_t shuffle[32];
	uint32_t shift[8];
	size_t right = 4 * bits / 8, i, safe = safe_count(avail, bits, n, 16 + 16);
	unsigned k, b;
	__m256i sh, sv, mask = _mm256_set1_epi32((int)((1U << bits) - 1));

	for (k = 0; k < 8; k++) {
		size_t bit = k * (size_t)bits - (k >= 4 ? right * 8 : 0);

		shift[k] = bit & 7;
		for (b = 0; b < 4; b++)
			shuffle[4 * k + b] = (uint8_t)((bit >> 3) + b);
	}
	sh = _mm256_loadu_si256((const __m256i *)(const void *)shuffle);
	sv = _mm256_loadu_si256((const __m256i *)(const void *)shift);
	for (i = 0; i < safe; i += 8) {
		__m256i v = _mm256_loadu2_m128i((const __m128i *)(const void *)(in + right), (const __m128i *)(const void *)in);

		v = _mm256_and_si256(_mm256_srlv_epi32(_mm256_shuffle_epi8(v, sh), sv), mask);
		_mm256_storeu_si256((__m256i *)(void *)(out + i), v);
		in += bits;
	}
	return safe;
}

__attribute__((target("bmi2"))) static size_t unpack8_bmi2(const uint8_t *in, size_t avail, unsigned bits, size_t n, uint8_t *out)
{
	uint64_t spread = ((1ULL << bits) - 1) * 0x0101010101010101ULL;
	size_t i, safe = safe_count(avail, bits, n, 8);

	for (i = 0; i < safe; i += 8) {
		uint64_t v = _pdep_u64(load64(in), spread);

		memcpy(out + i, &v, 8);
		in += bits;
	}
	return safe;
}
#endif

void pq_unpack32(const uint8_t *in, size_t avail, unsigned bits, size_t n, uint32_t *out)
{
	size_t done = 0;

	if (bits == 0) {
		memset(out, 0, n * sizeof *out);
		return;
	}
#if PQ_X86
	if (bits <= 25 && n >= 16 && c4w_cpu_has(C4W_CPU_AVX2))
		done = unpack32_avx2(in, avail, bits, n, out);
#endif
	if (done < n)
		pq_unpack32_portable(in + done / 8 * bits, avail - done / 8 * bits, bits, n - done, out + done);
}

void pq_unpack8(const uint8_t *in, size_t avail, unsigned bits, size_t n, uint8_t *out)
{
	size_t done = 0;

	if (bits == 0) {
		memset(out, 0, n);
		return;
	}
#if PQ_X86
	if (n >= 8 && c4w_cpu_has(C4W_CPU_BMI2))
		done = unpack8_bmi2(in, avail, bits, n, out);
#endif
	if (done < n)
		pq_unpack8_portable(in + done / 8 * bits, avail - done / 8 * bits, bits, n - done, out + done);
}

/* ---- bitmaps ---- */

void pq_bits_set(uint8_t *bits, size_t to, size_t n)
{
	while (n > 0 && (to & 7)) {
		bits[to >> 3] = (uint8_t)(bits[to >> 3] | 1U << (to & 7));
		to++;
		n--;
	}
	memset(bits + (to >> 3), 0xff, n >> 3);
	if (n & 7)
		bits[(to + n) >> 3] = (uint8_t)(bits[(to + n) >> 3] | ((1U << (n & 7)) - 1));
}

void pq_bits_copy_from(uint8_t *bits, size_t to, const uint8_t *from, size_t at, size_t n)
{
	size_t i = 0;

	from += at >> 3;
	at &= 7;
	/* a byte of the target at a time, once it is aligned */
	for (; i < n && ((to + i) & 7); i++)
		bits[(to + i) >> 3] = (uint8_t)(bits[(to + i) >> 3] | ((unsigned)from[(at + i) >> 3] >> ((at + i) & 7) & 1U) << ((to + i) & 7));
	for (; i + 8 <= n; i += 8) {
		unsigned s = (unsigned)((at + i) & 7);
		uint32_t v = from[(at + i) >> 3];

		if (s)
			v |= (uint32_t)from[((at + i) >> 3) + 1] << 8;
		bits[(to + i) >> 3] = (uint8_t)(v >> s);
	}
	for (; i < n; i++)
		bits[(to + i) >> 3] = (uint8_t)(bits[(to + i) >> 3] | ((unsigned)from[(at + i) >> 3] >> ((at + i) & 7) & 1U) << ((to + i) & 7));
}

void pq_bits_copy(uint8_t *bits, size_t to, const uint8_t *from, size_t n)
{
	if ((to & 7) == 0) {
		memcpy(bits + (to >> 3), from, n >> 3);
		if (n & 7)
			bits[(to + n) >> 3] = (uint8_t)(bits[(to + n) >> 3] | (from[n >> 3] & ((1U << (n & 7)) - 1)));
		return;
	}
	pq_bits_copy_from(bits, to, from, 0, n);
}

size_t c4w_bits_count(const uint8_t *bits, size_t n)
{
	size_t i, sum = 0;

	for (i = 0; i + 64 <= n; i += 64)
		sum += (size_t)__builtin_popcountll(load64(bits + (i >> 3)));
	for (; i < n; i++)
		sum += bits[i >> 3] >> (i & 7) & 1;
	return sum;
}

/* ---- the hybrid ---- */

void pq_rle_init(struct pq_rle *r, const uint8_t *p, size_t n, unsigned bits)
{
	*r = (struct pq_rle){ .p = p, .end = p + n, .bits = bits };
}

bool pq_rle_more(struct pq_rle *r)
{
	uint64_t head = 0, groups;
	unsigned shift, k, bytes = (r->bits + 7) / 8;

	while (r->left == 0) {
		for (shift = 0, head = 0;; shift += 7) {
			uint8_t b;

			if (r->p >= r->end || shift > 28)
				return false;
			b = *r->p++;
			head |= (uint64_t)(b & 0x7f) << shift;
			if (!(b & 0x80))
				break;
		}
		if (head > UINT32_MAX)
			return false;
		if (head & 1) {
			size_t have = (size_t)(r->end - r->p), need;

			groups = head >> 1;
			need = (size_t)groups * r->bits;
			/* a last run may be cut at the last value that is wanted: some writers leave the padding out */
			if (need > have) {
				r->left = r->bits ? have * 8 / r->bits : 0;
				need = have;
				if (r->left == 0)
					return false;
			} else {
				r->left = (size_t)groups * 8;
			}
			r->packed = r->p;
			r->at = 0;
			r->p += need;
		} else {
			if (bytes > (size_t)(r->end - r->p))
				return false;
			for (k = 0, r->value = 0; k < bytes; k++)
				r->value |= (uint32_t)r->p[k] << (8 * k);
			if (r->bits < 32 && r->value >> r->bits)
				return false;
			r->p += bytes;
			r->left = (size_t)(head >> 1);
			r->packed = NULL;
		}
	}
	return true;
}

/* Where value `at` of the packed run begins, when it begins on a byte; runs are taken in multiples of eight but for the last. */
#define PACKED_AT(r) ((r)->packed + (r)->at * (r)->bits / 8)

bool pq_rle_u32(struct pq_rle *r, uint32_t *out, size_t n)
{
	size_t i;

	if (r->bits == 0) { /* one possible value: nothing need be stored */
		memset(out, 0, n * sizeof *out);
		return true;
	}
	while (n > 0) {
		size_t take;

		if (r->left == 0 && !pq_rle_more(r))
			return false;
		take = r->left < n ? r->left : n;
		if (!r->packed) {
			for (i = 0; i < take; i++)
				out[i] = r->value;
		} else if ((r->at & 7) == 0) {
			pq_unpack32(PACKED_AT(r), (size_t)(r->end - PACKED_AT(r)), r->bits, take, out);
		} else { /* a run that was left in the middle of a group */
			uint32_t group[8];
			size_t in = r->at & 7, k, at = r->at - in;
			const uint8_t *p = r->packed + at / 8 * r->bits;
			size_t whole = in + r->left < 8 ? in + r->left : 8;

			pq_unpack32(p, (size_t)(r->end - p), r->bits, whole, group);
			take = take < 8 - in ? take : 8 - in;
			for (k = 0; k < take; k++)
				out[k] = group[in + k];
		}
		r->at += take;
		r->left -= take;
		out += take;
		n -= take;
	}
	return true;
}

bool pq_rle_u8(struct pq_rle *r, uint8_t *out, size_t n)
{
	while (n > 0) {
		size_t take;

		if (r->left == 0 && !pq_rle_more(r))
			return false;
		take = r->left < n ? r->left : n;
		if (!r->packed) {
			memset(out, (int)r->value, take);
		} else {
			size_t in = r->at & 7;

			if (in) {
				uint8_t group[8];
				const uint8_t *p = r->packed + (r->at - in) / 8 * r->bits;
				size_t whole = in + r->left < 8 ? in + r->left : 8;

				pq_unpack8(p, (size_t)(r->end - p), r->bits, whole, group);
				take = take < 8 - in ? take : 8 - in;
				memcpy(out, group + in, take);
			} else {
				pq_unpack8(PACKED_AT(r), (size_t)(r->end - PACKED_AT(r)), r->bits, take, out);
			}
		}
		r->at += take;
		r->left -= take;
		out += take;
		n -= take;
	}
	return true;
}

bool pq_rle_bits(struct pq_rle *r, uint8_t *bitmap, size_t to, size_t n)
{
	while (n > 0) {
		size_t take;

		if (r->left == 0 && !pq_rle_more(r))
			return false;
		take = r->left < n ? r->left : n;
		if (!r->packed) {
			if (r->value)
				pq_bits_set(bitmap, to, take);
		} else if (r->at == 0) {
			pq_bits_copy(bitmap, to, r->packed, take);
		} else {
			pq_bits_copy_from(bitmap, to, r->packed, r->at, take);
		}
		r->at += take;
		r->left -= take;
		to += take;
		n -= take;
	}
	return true;
}
