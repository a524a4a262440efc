/* DELTA_BINARY_PACKED and BYTE_STREAM_SPLIT (Encodings.md). The byte-array forms of the delta encodings build on the first and are in
 * pq_read.c, where their output goes. */
#include "containers/pq_impl.h"

#include <string.h>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

static int bad(struct c4w_err *err, const char *what)
{
	return c4w_damaged(err, "parquet.encoding-data", -1, "%s", what);
}

static bool varint(const uint8_t **p, const uint8_t *end, uint64_t *out)
{
	unsigned shift;

	*out = 0;
	for (shift = 0; shift < 64 && *p < end; shift += 7) {
		uint8_t b = *(*p)++;

		*out |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return true;
	}
	return false;
}

static uint64_t unzigzag(uint64_t v)
{
	return v >> 1 ^ (~(v & 1) + 1);
}

struct delta {
	const uint8_t *p, *end;
	uint64_t per_mini, minis, total, first;
};

enum { MINI_MAX = 4096 }; /* values of a miniblock: 32 in every known writer */

static int delta_begin(struct delta *d, const uint8_t *in, size_t size, size_t n, struct c4w_err *err)
{
	uint64_t block, first;

	d->p = in;
	d->end = in + size;
	if (!varint(&d->p, d->end, &block) || !varint(&d->p, d->end, &d->minis) || !varint(&d->p, d->end, &d->total) ||
	    !varint(&d->p, d->end, &first))
		return bad(err, "the header of DELTA_BINARY_PACKED data is cut");
	if (block == 0 || d->minis == 0 || d->minis > 512 || block % d->minis || (d->per_mini = block / d->minis) % 32 || d->per_mini > MINI_MAX)
		return bad(err, "DELTA_BINARY_PACKED data has impossible block sizes");
	if (d->total != n) {
		bad(err, "DELTA_BINARY_PACKED data has another number of values than its page");
		return c4w_err_valuesf(err, "as many as the page has", "%llu, not %zu", (unsigned long long)d->total, n);
	}
	d->first = unzigzag(first);
	return C4W_OK;
}

/* Deltas of `count` values are handed out in pieces of at most 256, widened to 64 bits, the block's smallest delta not yet added. */
#define DELTA_BODY(type, utype)                                                                                              \
	struct delta d;                                                                                                      \
	size_t i = 0;                                                                                                        \
	utype v;                                                                                                             \
	C4W_TRY(delta_begin(&d, in, size, n, err));                                                                          \
	v = (utype)d.first;                                                                                                  \
	if (n > 0)                                                                                                           \
		out[i++] = (type)v;                                                                                          \
	while (i < n) {                                                                                                      \
		uint64_t min, m;                                                                                             \
		const uint8_t *widths;                                                                                       \
		if (!varint(&d.p, d.end, &min) || (uint64_t)(d.end - d.p) < d.minis)                                         \
			return bad(err, "a block of DELTA_BINARY_PACKED data is cut");                                       \
		min = unzigzag(min);                                                                                         \
		widths = d.p;                                                                                                \
		d.p += d.minis;                                                                                              \
		for (m = 0; m < d.minis && i < n; m++) {                                                                     \
			unsigned bits = widths[m];                                                                           \
			size_t todo = n - i < d.per_mini ? n - i : (size_t)d.per_mini, k = 0;                                \
			size_t have = (size_t)(d.end - d.p), full = (size_t)d.per_mini / 8 * bits;                            \
			if (bits > 64)                                                                                       \
				return bad(err, "DELTA_BINARY_PACKED data has a bit width above 64");                        \
			if ((todo * bits + 7) / 8 > have)                                                                    \
				return bad(err, "a miniblock of DELTA_BINARY_PACKED data is cut");                           \
			while (k < todo) {                                                                                   \
				size_t piece = todo - k < 256 ? todo - k : 256, j;                                           \
				const uint8_t *from = d.p + k / 8 * bits;                                                    \
				if (bits == 0) {                                                                             \
					for (j = 0; j < piece; j++)                                                          \
						out[i + j] = (type)(v += (utype)min);                                        \
				} else if (bits <= 32) {                                                                     \
					uint32_t u[256];                                                                     \
					pq_unpack32(from, (size_t)(d.end - from), bits, piece, u);                           \
					for (j = 0; j < piece; j++)                                                          \
						out[i + j] = (type)(v += (utype)min + u[j]);                                 \
				} else {                                                                                     \
					uint64_t u[256];                                                                     \
					pq_unpack64(from, (size_t)(d.end - from), bits, piece, u);                           \
					for (j = 0; j < piece; j++)                                                          \
						out[i + j] = (type)(v += (utype)min + (utype)u[j]);                          \
				}                                                                                            \
				i += piece;                                                                                  \
				k += piece;                                                                                  \
			}                                                                                                    \
			d.p += full < have ? full : have;                                                                    \
		}                                                                                                            \
	}                                                                                                                    \
	*used = (size_t)(d.p - in);                                                                                          \
	return C4W_OK

int pq_delta_i32(const uint8_t *in, size_t size, int32_t *out, size_t n, size_t *used, struct c4w_err *err)
{
	DELTA_BODY(int32_t, uint32_t);
}

int pq_delta_i64(const uint8_t *in, size_t size, int64_t *out, size_t n, size_t *used, struct c4w_err *err)
{
	DELTA_BODY(int64_t, uint64_t);
}

bool pq_lengths_sum(const int32_t *len, size_t n, uint64_t *sum)
{
	uint64_t s = 0;
	int32_t any = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		any |= len[i];
		s += (uint32_t)len[i];
	}
	*sum = s;
	return any >= 0;
}

/* ---- BYTE_STREAM_SPLIT: byte k of value i is at k*n + i ---- */

static void split_generic(const uint8_t *in, size_t width, uint8_t *out, size_t n, size_t from)
{
	size_t i, k;

	for (i = from; i < n; i++)
		for (k = 0; k < width; k++)
			out[i * width + k] = in[k * n + i];
}

#if defined(__x86_64__)
static inline __m128i load(const uint8_t *p)
{
	return _mm_loadu_si128((const __m128i *)(const void *)p);
}

static inline void store(uint8_t *p, __m128i v)
{
	_mm_storeu_si128((__m128i *)(void *)p, v);
}

static size_t split4(const uint8_t *in, uint8_t *out, size_t n)
{
	size_t i;

	for (i = 0; i + 16 <= n; i += 16) {
		__m128i a = load(in + i), b = load(in + n + i), c = load(in + 2 * n + i), d = load(in + 3 * n + i);
		__m128i ab = _mm_unpacklo_epi8(a, b), cd = _mm_unpacklo_epi8(c, d), ab2 = _mm_unpackhi_epi8(a, b), cd2 = _mm_unpackhi_epi8(c, d);

		store(out + 4 * i, _mm_unpacklo_epi16(ab, cd));
		store(out + 4 * i + 16, _mm_unpackhi_epi16(ab, cd));
		store(out + 4 * i + 32, _mm_unpacklo_epi16(ab2, cd2));
		store(out + 4 * i + 48, _mm_unpackhi_epi16(ab2, cd2));
	}
	return i;
}

static size_t split8(const uint8_t *in, uint8_t *out, size_t n)
{
	size_t i;
	unsigned h;

	for (i = 0; i + 16 <= n; i += 16) {
		__m128i lo[4], hi[4]; /* pairs of streams, values 0-7 and 8-15 */

		for (h = 0; h < 4; h++) {
			__m128i a = load(in + 2 * h * n + i), b = load(in + (2 * h + 1) * n + i);

			lo[h] = _mm_unpacklo_epi8(a, b);
			hi[h] = _mm_unpackhi_epi8(a, b);
		}
		for (h = 0; h < 2; h++) {
			const __m128i *v = h ? hi : lo;
			__m128i p = _mm_unpacklo_epi16(v[0], v[1]), q = _mm_unpacklo_epi16(v[2], v[3]);
			__m128i r = _mm_unpackhi_epi16(v[0], v[1]), s = _mm_unpackhi_epi16(v[2], v[3]);
			uint8_t *o = out + 8 * (i + 8 * h);

			store(o, _mm_unpacklo_epi32(p, q));
			store(o + 16, _mm_unpackhi_epi32(p, q));
			store(o + 32, _mm_unpacklo_epi32(r, s));
			store(o + 48, _mm_unpackhi_epi32(r, s));
		}
	}
	return i;
}
#endif

int pq_byte_stream_split(const uint8_t *in, size_t size, size_t width, uint8_t *out, size_t n, struct c4w_err *err)
{
	size_t done = 0;

	/* the stride is the number of values that are there, nulls left out (known bug 18) */
	if (width == 0 || size % width || size / width != n) {
		bad(err, "BYTE_STREAM_SPLIT data has another number of bytes than its values need");
		return c4w_err_valuesf(err, "values times width", "%zu bytes for %zu values of %zu", size, n, width);
	}
#if defined(__x86_64__)
	if (width == 4)
		done = split4(in, out, n);
	else if (width == 8)
		done = split8(in, out, n);
#endif
	split_generic(in, width, out, n, done);
	return C4W_OK;
}
