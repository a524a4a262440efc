/* Decompression of pages (Compression.md). zstd and libdeflate are linked; snappy, LZ4 and brotli are opened when first met. */
#include "containers/pq_impl.h"

#include "base/checked.h"
#include "base/dl.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { CODEC_NONE, CODEC_SNAPPY, CODEC_GZIP, CODEC_LZO, CODEC_BROTLI, CODEC_LZ4, CODEC_ZSTD, CODEC_LZ4_RAW };

struct pq_codecs {
	ZSTD_DCtx *zstd;
	struct libdeflate_decompressor *deflate;
	struct {
		int (*uncompress)(const char *in, size_t n, char *out, size_t *out_bytes);
		int (*length)(const char *in, size_t n, size_t *out);
	} snappy;
	struct {
		int (*decompress)(const char *in, char *out, int n, int cap);
		size_t (*frame_new)(void **ctx, unsigned version);
		size_t (*frame_free)(void *ctx);
		size_t (*frame_decompress)(void *ctx, void *out, size_t *out_n, const void *in, size_t *in_n, const void *opt);
		unsigned (*frame_is_error)(size_t code);
	} lz4;
	struct {
		int (*decompress)(size_t n, const uint8_t *in, size_t *out_bytes, uint8_t *out);
	} brotli;
};

int pq_scratch_need(struct pq_scratch *s, size_t n, struct c4w_err *err)
{
	size_t want;
	uint8_t *p;

	if (n <= s->cap && s->p)
		return C4W_OK;
	if (n > SIZE_MAX / 2)
		return c4w_fail_memory(err, n);
	want = n < 4096 ? 4096 : n + n / 8;
	p = malloc(want + 64);
	if (!p)
		return c4w_fail_memory(err, want);
	memset(p + want, 0, 64);
	free(s->p);
	s->p = p;
	s->cap = want;
	return C4W_OK;
}

void pq_codecs_free(struct pq_codecs *c)
{
	if (!c)
		return;
	ZSTD_freeDCtx(c->zstd);
	if (c->deflate)
		libdeflate_free_decompressor(c->deflate);
	free(c);
}

/* Highest ratios: deflate 1032, an LZ4 block 255, snappy copies of 64 bytes take 3, a zstd block of 128 KiB takes 4. */
bool pq_codec_plausible(int32_t codec, size_t n, uint64_t claimed)
{
	uint64_t ratio;

	switch (codec) {
	case CODEC_NONE:
		return claimed <= n;
	case CODEC_SNAPPY:
		ratio = 32;
		break;
	case CODEC_GZIP:
		ratio = 1040;
		break;
	case CODEC_LZ4:
	case CODEC_LZ4_RAW:
		ratio = 256;
		break;
	case CODEC_ZSTD:
		ratio = 44000;
		break;
	default:
		return true;
	}
	return claimed <= ((uint64_t)n + 64) * ratio;
}

static int bad_data(struct c4w_err *err, const char *codec, const char *what)
{
	return c4w_damaged(err, "parquet.codec-data", -1, "the page's %s data %s", codec, what);
}

static int wrong_size(struct c4w_err *err, size_t claimed, size_t found)
{
	c4w_damaged(err, "parquet.page-size", -1, "the page does not decompress to the size it claims");
	return c4w_err_valuesf(err, "the header's uncompressed size", "%zu bytes, not %zu", found, claimed);
}

static int snappy(struct pq_codecs *c, const uint8_t *in, size_t n, uint8_t *out, size_t size, struct c4w_err *err)
{
	static const char *const names[] = { "snappy_uncompress", "snappy_uncompressed_length" };
	size_t got = size, length;

	if (!c->snappy.uncompress)
		C4W_TRY(c4w_dl_symbols(C4W_DL_SNAPPY, names, (void **)&c->snappy, 2, err));
	if (c->snappy.length((const char *)in, n, &length) != 0)
		return bad_data(err, "snappy", "has no length");
	if (length != size)
		return wrong_size(err, size, length);
	if (c->snappy.uncompress((const char *)in, n, (char *)out, &got) != 0 || got != size)
		return bad_data(err, "snappy", "is not valid");
	return C4W_OK;
}

/* One or several gzip members (RFC 1952, 2.2), or a zlib stream as some writers leave it. libdeflate's short forms ignore what is left of
 * the input; the long ones say how much they took. */
static int gzip(struct pq_codecs *c, const uint8_t *in, size_t n, uint8_t *out, size_t size, struct c4w_err *err)
{
	size_t done = 0;
	bool zlib = n > 0 && in[0] != 0x1f;

	if (!c->deflate && !(c->deflate = libdeflate_alloc_decompressor()))
		return c4w_fail_memory(err, 64 * 1024);
	while (n > 0) {
		size_t took = 0, made = 0;
		enum libdeflate_result r;

		r = zlib ? libdeflate_zlib_decompress_ex(c->deflate, in, n, out + done, size - done, &took, &made)
			 : libdeflate_gzip_decompress_ex(c->deflate, in, n, out + done, size - done, &took, &made);
		if (r == LIBDEFLATE_INSUFFICIENT_SPACE) {
			c4w_damaged(err, "parquet.page-size", -1, "the page decompresses to more than the %zu bytes it claims", size);
			return C4W_DAMAGED;
		}
		if (r != LIBDEFLATE_SUCCESS)
			return bad_data(err, "gzip", "is not valid");
		done += made;
		in += took;
		n -= took;
		if (zlib && n > 0)
			return bad_data(err, "gzip", "goes on after its end");
	}
	return done == size ? C4W_OK : wrong_size(err, size, done);
}

static int zstd(struct pq_codecs *c, const uint8_t *in, size_t n, uint8_t *out, size_t size, struct c4w_err *err)
{
	size_t got;

	if (!c->zstd && !(c->zstd = ZSTD_createDCtx()))
		return c4w_fail_memory(err, 160 * 1024);
	got = ZSTD_decompressDCtx(c->zstd, out, size, in, n);
	if (ZSTD_isError(got)) {
		c4w_damaged(err, "parquet.codec-data", -1, "the page's zstd data is not valid: %s", ZSTD_getErrorName(got));
		return C4W_DAMAGED;
	}
	return got == size ? C4W_OK : wrong_size(err, size, got);
}

static int lz4_load(struct pq_codecs *c, struct c4w_err *err)
{
	static const char *const names[] = { "LZ4_decompress_safe", "LZ4F_createDecompressionContext", "LZ4F_freeDecompressionContext",
					     "LZ4F_decompress", "LZ4F_isError" };

	return c->lz4.decompress ? C4W_OK : c4w_dl_symbols(C4W_DL_LZ4, names, (void **)&c->lz4, 5, err);
}

static bool lz4_block(struct pq_codecs *c, const uint8_t *in, size_t n, uint8_t *out, size_t size)
{
	if (n > INT32_MAX || size > INT32_MAX)
		return false;
	return c->lz4.decompress((const char *)in, (char *)out, (int)n, (int)size) == (int)size;
}

static uint32_t be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Hadoop's frame: big-endian sizes, unpacked and packed, in front of each block. */
static bool lz4_hadoop(struct pq_codecs *c, const uint8_t *in, size_t n, uint8_t *out, size_t size)
{
	size_t done = 0;

	while (n >= 8) {
		size_t raw = be32(in), packed = be32(in + 4);

		in += 8;
		n -= 8;
		if (packed > n || raw > size - done || !lz4_block(c, in, packed, out + done, raw))
			return false;
		done += raw;
		in += packed;
		n -= packed;
	}
	return n == 0 && done == size;
}

static bool lz4_frame(struct pq_codecs *c, const uint8_t *in, size_t n, uint8_t *out, size_t size)
{
	void *ctx = NULL;
	size_t done = 0, hint = 1;

	if (c->lz4.frame_is_error(c->lz4.frame_new(&ctx, 100)))
		return false;
	while (n > 0 && hint != 0) {
		size_t took = n, made = size - done;

		hint = c->lz4.frame_decompress(ctx, out + done, &made, in, &took, NULL);
		if (c->lz4.frame_is_error(hint) || (took == 0 && made == 0))
			break;
		done += made;
		in += took;
		n -= took;
	}
	c->lz4.frame_free(ctx);
	return hint == 0 && n == 0 && done == size;
}

/* Codec 5 was never written down: Hadoop's frame, then LZ4's own frame, then a bare block (known bug 24). */
static int lz4(struct pq_codecs *c, int32_t codec, const uint8_t *in, size_t n, uint8_t *out, size_t size, struct c4w_err *err)
{
	C4W_TRY(lz4_load(c, err));
	if (codec == CODEC_LZ4_RAW)
		return lz4_block(c, in, n, out, size) ? C4W_OK : bad_data(err, "LZ4", "is not valid, or of another size than claimed");
	if (lz4_hadoop(c, in, n, out, size))
		return C4W_OK;
	if (n >= 7 && c4w_le32(in) == 0x184d2204U && lz4_frame(c, in, n, out, size))
		return C4W_OK;
	return lz4_block(c, in, n, out, size) ? C4W_OK : bad_data(err, "LZ4", "is not valid in any of its three framings");
}

static int brotli(struct pq_codecs *c, const uint8_t *in, size_t n, uint8_t *out, size_t size, struct c4w_err *err)
{
	static const char *const names[] = { "BrotliDecoderDecompress" };
	size_t got = size;

	if (!c->brotli.decompress)
		C4W_TRY(c4w_dl_symbols(C4W_DL_BROTLIDEC, names, (void **)&c->brotli, 1, err));
	if (c->brotli.decompress(n, in, &got, out) != 1)
		return bad_data(err, "brotli", "is not valid, or longer than claimed");
	return got == size ? C4W_OK : wrong_size(err, size, got);
}

int pq_decompress(struct pq_codecs **codecs, int32_t codec, const uint8_t *in, size_t n, uint8_t *out, size_t size, struct c4w_err *err)
{
	struct pq_codecs *c = *codecs;

	if (!c) {
		c = calloc(1, sizeof *c);
		if (!c)
			return c4w_fail_memory(err, sizeof *c);
		*codecs = c;
	}
	if (!pq_codec_plausible(codec, n, size)) {
		c4w_damaged(err, "parquet.page-size", -1, "the page claims %zu bytes out of %zu compressed ones, more than its codec can pack", size, n);
		return C4W_DAMAGED;
	}
	switch (codec) {
	case CODEC_NONE:
		if (n != size)
			return wrong_size(err, size, n);
		if (n)
			memcpy(out, in, n);
		return C4W_OK;
	case CODEC_SNAPPY:
		return snappy(c, in, n, out, size, err);
	case CODEC_GZIP:
		return gzip(c, in, n, out, size, err);
	case CODEC_ZSTD:
		return zstd(c, in, n, out, size, err);
	case CODEC_LZ4:
	case CODEC_LZ4_RAW:
		return lz4(c, codec, in, n, out, size, err);
	case CODEC_BROTLI:
		return brotli(c, in, n, out, size, err);
	default:
		if (c4w_pq_codec_name(codec))
			return c4w_fail(err, C4W_UNSUPPORTED, "codec %d (%s) is not one that c4w reads", codec, c4w_pq_codec_name(codec));
		return c4w_fail(err, C4W_UNSUPPORTED, "codec %d is not known", codec);
	}
}
