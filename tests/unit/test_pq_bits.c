/* Parquet's inner encodings: kernels against their portable twins, and writers against readers. */
#include "tap.h"

#include "containers/pq_wimpl.h"

static uint64_t state = 88172645463325252ULL;

static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* Input buffers have exactly the bytes that are needed, so that the address sanitizer sees one too many. */
static void test_unpack(void)
{
	unsigned bits;
	size_t n, i;

	for (bits = 1; bits <= 64; bits++) {
		size_t wrong = 0;

		for (n = 0; n < 300; n += n < 70 ? 1 : 37) {
			size_t size = (n * bits + 7) / 8;
			uint8_t *in = malloc(size + !size), small[320], twin[320];
			uint32_t a[320], b[320];
			uint64_t c[320];

			for (i = 0; i < size; i++)
				in[i] = (uint8_t)next();
			pq_unpack64(in, size, bits, n, c);
			if (bits <= 32) {
				pq_unpack32(in, size, bits, n, a);
				pq_unpack32_portable(in, size, bits, n, b);
				wrong += memcmp(a, b, n * sizeof *a) != 0;
				for (i = 0; i < n; i++)
					wrong += a[i] != c[i];
			}
			if (bits <= 8) {
				pq_unpack8(in, size, bits, n, small);
				pq_unpack8_portable(in, size, bits, n, twin);
				wrong += memcmp(small, twin, n) != 0;
				for (i = 0; i < n; i++)
					wrong += small[i] != c[i];
			}
			/* bit by bit */
			for (i = 0; i < n; i++) {
				uint64_t v = 0;
				unsigned k;

				for (k = 0; k < bits; k++)
					v |= (uint64_t)(in[(i * bits + k) / 8] >> ((i * bits + k) % 8) & 1) << k;
				wrong += v != c[i];
			}
			free(in);
		}
		is_int(wrong, 0);
	}
}

static void test_hybrid(void)
{
	unsigned bits, kind;

	for (bits = 1; bits <= 32; bits++)
		for (kind = 0; kind < 4; kind++) {
			uint32_t v[700], got[700], top = bits == 32 ? UINT32_MAX : (1U << bits) - 1;
			uint8_t small[700], small_got[700], map[100] = { 0 };
			size_t n = 1 + next() % 699, i, at, wrong = 0;
			struct c4w_buf b = { 0 };
			struct pq_rle r;
			uint8_t *exact;

			for (i = 0; i < n; i++) {
				bool again = i > 0 && next() % 16 < (kind == 0 ? 0 : kind == 1 ? 8 : kind == 2 ? 15 : 16);

				v[i] = again ? v[i - 1] : (uint32_t)next() & top;
				small[i] = (uint8_t)v[i];
			}
			pq_w_hybrid32(&b, v, n, bits);
			exact = malloc(b.n);
			memcpy(exact, b.p, b.n);
			pq_rle_init(&r, exact, b.n, bits);
			for (at = 0; at < n;) { /* in pieces that end anywhere */
				size_t take = 1 + next() % 90;

				take = take < n - at ? take : n - at;
				wrong += !pq_rle_u32(&r, got + at, take);
				at += take;
			}
			wrong += memcmp(got, v, n * sizeof *v) != 0;
			if (bits <= 8) {
				pq_rle_init(&r, exact, b.n, bits);
				wrong += !pq_rle_u8(&r, small_got, n / 3) || !pq_rle_u8(&r, small_got + n / 3, n - n / 3);
				wrong += memcmp(small, small_got, n) != 0;
			}
			if (bits == 1) {
				pq_rle_init(&r, exact, b.n, bits);
				wrong += !pq_rle_bits(&r, map, 3, n / 2) || !pq_rle_bits(&r, map, 3 + n / 2, n - n / 2);
				for (i = 0; i < n; i++)
					wrong += c4w_bit(map, i + 3) != v[i];

			}
			is_int(wrong, 0);
			/* asked for more than is there */
			pq_rle_init(&r, exact, b.n, bits);
			ok(!pq_rle_u32(&r, got, n) || !pq_rle_u32(&r, got, 9), "an end is an end");
			free(exact);
			c4w_buf_clear(&b);
		}
}

static void test_delta(void)
{
	static const size_t sizes[] = { 0, 1, 2, 31, 32, 33, 127, 128, 129, 130, 257, 1000 };
	size_t s, i, used, wrong = 0;
	unsigned kind;

	for (s = 0; s < sizeof sizes / sizeof *sizes; s++)
		for (kind = 0; kind < 4; kind++) {
			static int64_t v[1000], got[1000];
			static int32_t got32[1000];
			size_t n = sizes[s];
			struct c4w_buf b = { 0 };
			uint8_t *exact;

			for (i = 0; i < n; i++)
				v[i] = kind == 0 ? (int64_t)i * 7 : kind == 1 ? (int64_t)next() : kind == 2 ? (int64_t)(next() % 1000) - 500 : INT64_MIN + (int64_t)(i & 1);
			pq_w_delta(&b, v, n, 64);
			exact = malloc(b.n);
			memcpy(exact, b.p, b.n);
			wrong += pq_delta_i64(exact, b.n, got, n, &used, NULL) != C4W_OK || memcmp(got, v, n * 8) != 0 || used != b.n;
			wrong += n > 40 && pq_delta_i64(exact, b.n / 2, got, n, &used, NULL) == C4W_OK;
			wrong += pq_delta_i64(exact, b.n, got, n + 1, &used, NULL) == C4W_OK;
			free(exact);
			c4w_buf_reset(&b);
			for (i = 0; i < n; i++)
				v[i] = (int32_t)v[i];
			pq_w_delta(&b, v, n, 32);
			wrong += pq_delta_i32((const uint8_t *)b.p, b.n, got32, n, &used, NULL) != C4W_OK;
			for (i = 0; i < n; i++)
				wrong += got32[i] != v[i];
			c4w_buf_clear(&b);
		}
	is_int(wrong, 0);
}

static void test_split(void)
{
	static uint8_t in[16 * 100], out[16 * 100];
	size_t width, n, i, k, wrong = 0;

	for (i = 0; i < sizeof in; i++)
		in[i] = (uint8_t)next();
	for (width = 1; width <= 16; width++)
		for (n = 0; n < 100; n++) {
			wrong += pq_byte_stream_split(in, n * width, width, out, n, NULL) != C4W_OK;
			for (i = 0; i < n; i++)
				for (k = 0; k < width; k++)
					wrong += out[i * width + k] != in[k * n + i];
			wrong += width > 1 && pq_byte_stream_split(in, n * width + 1, width, out, n, NULL) == C4W_OK;
		}
	is_int(wrong, 0);
}

static void test_bitmaps(void)
{
	uint8_t a[40], from[40];
	size_t to, at, n, i, wrong = 0;

	for (i = 0; i < sizeof from; i++)
		from[i] = (uint8_t)next();
	for (to = 0; to < 20; to++)
		for (at = 0; at < 10; at++)
			for (n = 0; n < 200; n += 1 + n / 9) {
				memset(a, 0, sizeof a);
				pq_bits_copy_from(a, to, from, at, n);
				for (i = 0; i < to; i++)
					wrong += c4w_bit(a, i);
				for (i = 0; i < n; i++)
					wrong += c4w_bit(a, to + i) != c4w_bit(from, at + i);
				wrong += c4w_bit(a, to + n);
				memset(a, 0, sizeof a);
				pq_bits_set(a, to, n);
				wrong += c4w_bits_count(a, 300) != n || (n > 0 && !c4w_bit(a, to));
			}
	is_int(wrong, 0);
}

int main(void)
{
	RUN(test_unpack);
	RUN(test_hybrid);
	RUN(test_delta);
	RUN(test_split);
	RUN(test_bitmaps);
	return done();
}
