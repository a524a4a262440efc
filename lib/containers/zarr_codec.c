/* Zarr codecs undone: blosc, zstd, gzip, crc32c; byte order and delta; vlen-utf8.
 *
 * What a frame claims is bounded by what its codec can make of its bytes before anything is allocated. Blosc is called
 * through blosc_decompress_ctx only (the plain calls share state between threads), and its header is read here
 * first: the library trusts some of it.
 */
#include "base/checked.h"
#include "base/crc.h"
#include "base/dl.h"
#include "base/limits.h"
#include "containers/zarr_impl.h"

#include <libdeflate.h>
#include <zstd.h>
#include <zstd_errors.h>

/* No codec here makes more than this of one byte: zstd's run blocks give 128 KiB for 4 bytes. */
#define RATIO 65536u

int c4w_zarr_room(struct c4w_zarr_bytes *b, size_t n, struct c4w_err *err)
{
	if (n <= b->cap && b->p)
		return C4W_OK;
	free(b->p);
	b->cap = 0;
	b->p = malloc(n ? n : 1);
	if (!b->p)
		return c4w_fail_memory(err, n);
	b->cap = n;
	return C4W_OK;
}

static int check_claim(uint64_t claimed, size_t n, size_t want, const char *codec, struct c4w_err *err)
{
	if (want && claimed != want) {
		c4w_damaged(err, "zarr.chunk-size", -1, "the %s frame unpacks to another size than the chunk has", codec);
		return c4w_err_valuesf(err, NULL, "%llu bytes instead of %zu", (unsigned long long)claimed, want);
	}
	if (claimed > C4W_LIMIT_ZARR_CHUNK)
		return c4w_fail(err, C4W_LIMIT, "the %s frame claims %llu bytes, more than the limit of %llu for a Zarr chunk", codec,
				(unsigned long long)claimed, C4W_LIMIT_ZARR_CHUNK);
	if (claimed / RATIO > n)
		return c4w_damaged(err, "zarr.claim", -1, "the %s frame of %zu bytes claims to unpack to %llu", codec, n,
				   (unsigned long long)claimed);
	return C4W_OK;
}

/* Room for a result: the caller's own buffer when it has the right size, else scratch. */
static int place(struct c4w_zarr_bytes *scratch, size_t n, size_t want, void *direct, uint8_t **out, struct c4w_err *err)
{
	if (direct && n == want) {
		*out = direct;
		return C4W_OK;
	}
	C4W_TRY(c4w_zarr_room(scratch, n, err));
	*out = scratch->p;
	return C4W_OK;
}

static int unblosc(const uint8_t *src, size_t n, size_t want, struct c4w_zarr_bytes *scratch, void *direct, const uint8_t **out,
		   size_t *out_n, struct c4w_err *err)
{
	static const char *const names[] = { "blosc_decompress_ctx" };
	int (*decompress)(const void *, void *, size_t, int);
	void *fns[1];
	uint32_t nbytes, blocksize, cbytes;
	uint8_t *p;
	int got;

	if (n < 16)
		return c4w_damaged(err, "zarr.blosc", -1, "the blosc frame of %zu bytes is shorter than its header", n);
	if (src[0] != 2)
		return c4w_damaged(err, "zarr.blosc", 0, "the blosc frame has format version %u, expected 2", src[0]);
	nbytes = c4w_le32(src + 4);
	blocksize = c4w_le32(src + 8);
	cbytes = c4w_le32(src + 12);
	if (cbytes != n)
		return c4w_damaged(err, "zarr.blosc", 12, "the blosc frame says it has %u bytes, the shard's index %zu", cbytes, n);
	C4W_TRY(check_claim(nbytes, n, want, "blosc", err));
	if (src[2] & 2) { /* stored: no shuffle is applied either */
		if (nbytes != n - 16)
			return c4w_damaged(err, "zarr.blosc", 4, "the stored blosc frame has %zu bytes for %u", n - 16, nbytes);
		*out = src + 16;
		*out_n = nbytes;
		return C4W_OK;
	}
	if (nbytes == 0) {
		*out = src + 16;
		*out_n = 0;
		return C4W_OK;
	}
	if (blocksize == 0 || blocksize > nbytes || src[3] == 0 ||
	    (uint64_t)((nbytes + (uint64_t)blocksize - 1) / blocksize) * 4 > n - 16)
		return c4w_damaged(err, "zarr.blosc", 8, "the blosc frame's blocks of %u bytes don't fit a frame of %zu", blocksize, n);
	C4W_TRY(c4w_dl_symbols(C4W_DL_BLOSC, names, fns, 1, err));
	memcpy(&decompress, fns, sizeof decompress);
	C4W_TRY(place(scratch, nbytes, want, direct, &p, err));
	got = decompress(src, p, nbytes, 1);
	if (got == -5)
		return c4w_fail(err, C4W_UNSUPPORTED, "this libblosc was built without the compressor number %u", src[2] >> 5);
	if (got < 0 || (uint32_t)got != nbytes)
		return c4w_damaged(err, "zarr.blosc", -1, "the blosc frame can't be unpacked (library says %d)", got);
	*out = p;
	*out_n = nbytes;
	return C4W_OK;
}

static int unzstd(const uint8_t *src, size_t n, size_t want, struct c4w_zarr_bytes *scratch, void *direct, void **dctx,
		  const uint8_t **out, size_t *out_n, struct c4w_err *err)
{
	size_t room = want, got, at = 0, frame;
	unsigned long long size;
	uint8_t *p = NULL;

	while (!want && at < n) { /* sum over the frames; one of unknown size is given a guess, and more when that was too small */
		frame = ZSTD_findFrameCompressedSize(src + at, n - at);
		size = ZSTD_getFrameContentSize(src + at, n - at);
		if (ZSTD_isError(frame) || size == ZSTD_CONTENTSIZE_ERROR)
			return c4w_damaged(err, "zarr.zstd", (int64_t)at, "the chunk isn't a whole zstd frame");
		if (size == ZSTD_CONTENTSIZE_UNKNOWN)
			size = frame * 8;
		C4W_TRY(check_claim(size, frame, 0, "zstd", err));
		room += (size_t)size;
		at += frame;
	}
	if (!*dctx && !(*dctx = ZSTD_createDCtx()))
		return c4w_fail_memory(err, 0);
	for (;;) {
		C4W_TRY(place(scratch, room, want, direct, &p, err));
		got = ZSTD_decompressDCtx(*dctx, p, room, src, n);
		if (want || !ZSTD_isError(got) || ZSTD_getErrorCode(got) != ZSTD_error_dstSize_tooSmall || room / RATIO > n ||
		    room > C4W_LIMIT_ZARR_CHUNK)
			break;
		room *= 2;
	}
	if (ZSTD_isError(got))
		return c4w_damaged(err, "zarr.zstd", -1, "the zstd frame can't be unpacked: %s", ZSTD_getErrorName(got));
	if (want && got != want)
		return check_claim(got, n, want, "zstd", err);
	*out = p;
	*out_n = got;
	return C4W_OK;
}

void c4w_zarr_zstd_free(void *zstd)
{
	ZSTD_freeDCtx(zstd);
}

static int ungzip(const uint8_t *src, size_t n, size_t want, struct c4w_zarr_bytes *scratch, void *direct, const uint8_t **out,
		  size_t *out_n, struct c4w_err *err)
{
	struct libdeflate_decompressor *d = libdeflate_alloc_decompressor();
	size_t room = want ? want : n * 4 + 65536, in = 0, got = 0;
	enum libdeflate_result r;
	uint8_t *p = NULL;
	int rc;

	if (!d)
		return c4w_fail_memory(err, 0);
	for (;;) {
		rc = place(scratch, room, want, direct, &p, err);
		if (rc != C4W_OK)
			break;
		r = libdeflate_gzip_decompress_ex(d, src, n, p, room, &in, &got);
		if (r == LIBDEFLATE_INSUFFICIENT_SPACE && !want && room < C4W_LIMIT_ZARR_CHUNK && room / 1100 < n) {
			room *= 4; /* deflate makes at most 1032 of one byte */
			continue;
		}
		if (r != LIBDEFLATE_SUCCESS || in != n || (want && got != want))
			rc = c4w_damaged(err, "zarr.gzip", (int64_t)in, "the gzip member can't be unpacked to the chunk's %zu bytes", want);
		break;
	}
	libdeflate_free_decompressor(d);
	*out = p;
	*out_n = got;
	return rc;
}

int c4w_zarr_decode(const struct c4w_zarr_meta *m, const uint8_t *src, size_t n, size_t want, struct c4w_zarr_bytes *a,
		    struct c4w_zarr_bytes *b, void *direct, void **zstd, const uint8_t **out, size_t *out_n, struct c4w_err *err)
{
	const uint8_t *p = src;
	size_t i, w;
	void *d;

	for (i = m->codecs; i-- > 0;) {
		struct c4w_zarr_bytes *scratch = p == a->p ? b : a;
		size_t k, left = 0;

		for (k = 0; k < i; k++) /* does what comes out still go through a compressor? Then its size is not known */
			left += m->codec[k] != C4W_ZARR_CRC32C;
		w = left || i > 0 ? 0 : want;
		d = w ? direct : NULL;
		switch (m->codec[i]) {
		case C4W_ZARR_CRC32C:
			if (n < 4)
				return c4w_damaged(err, "zarr.crc32c", -1, "the chunk is too short for its checksum");
			if (c4w_crc32c(0, p, n - 4) != c4w_le32(p + n - 4))
				return c4w_damaged(err, "zarr.crc32c", -1, "the chunk's CRC-32C differs");
			n -= 4;
			break;
		case C4W_ZARR_BLOSC:
			C4W_TRY(unblosc(p, n, w, scratch, d, &p, &n, err));
			break;
		case C4W_ZARR_ZSTD:
			C4W_TRY(unzstd(p, n, w, scratch, d, zstd, &p, &n, err));
			break;
		case C4W_ZARR_GZIP:
			C4W_TRY(ungzip(p, n, w, scratch, d, &p, &n, err));
			break;
		}
	}
	if (want && n != want) {
		c4w_damaged(err, "zarr.chunk-size", -1, "a chunk has another size than its shape asks for");
		return c4w_err_valuesf(err, NULL, "%zu bytes instead of %zu", n, want);
	}
	*out = p;
	*out_n = n;
	return C4W_OK;
}

#define SUM(type)                                                     \
	do {                                                          \
		type acc = 0, v;                                      \
		for (i = 0; i < items; i++) {                         \
			memcpy(&v, p + i * sizeof(type), sizeof v);   \
			acc = (type)(acc + v);                        \
			memcpy(p + i * sizeof(type), &acc, sizeof v); \
		}                                                     \
	} while (0)

void c4w_zarr_finish(const struct c4w_zarr_meta *m, uint8_t *p, uint64_t items)
{
	uint64_t i;
	size_t k;

	if (m->big_endian && m->item > 1)
		for (i = 0; i < items; i++)
			for (k = 0; k < m->item / 2; k++) {
				uint8_t t = p[i * m->item + k];

				p[i * m->item + k] = p[i * m->item + m->item - 1 - k];
				p[i * m->item + m->item - 1 - k] = t;
			}
	if (!m->delta)
		return;
	switch (m->item) {
	case 1:
		SUM(uint8_t);
		break;
	case 2:
		SUM(uint16_t);
		break;
	case 4:
		SUM(uint32_t);
		break;
	case 8:
		SUM(uint64_t);
		break;
	default:
		break;
	}
}

int c4w_zarr_texts(uint8_t *p, size_t n, uint64_t items, int64_t *offsets, struct c4w_err *err)
{
	size_t at = 4, to = 0;
	uint64_t i;

	if (n < 4 || c4w_le32(p) != items) {
		c4w_damaged(err, "zarr.vlen", 0, "the vlen-utf8 chunk has another number of texts than its shape asks for");
		return c4w_err_valuesf(err, NULL, "%u instead of %llu", n < 4 ? 0 : c4w_le32(p), (unsigned long long)items);
	}
	for (i = 0; i < items; i++) {
		uint32_t len;

		if (n - at < 4 || (len = c4w_le32(p + at)) > n - at - 4)
			return c4w_damaged(err, "zarr.vlen", (int64_t)at, "text %llu runs past the end of its chunk",
					   (unsigned long long)i);
		at += 4;
		if (!c4w_utf8_valid((const char *)p + at, len))
			return c4w_damaged(err, "zarr.utf8", (int64_t)at, "text %llu is not UTF-8", (unsigned long long)i);
		offsets[i] = (int64_t)to;
		memmove(p + to, p + at, len);
		to += len;
		at += len;
	}
	offsets[items] = (int64_t)to;
	if (at != n)
		return c4w_damaged(err, "zarr.vlen", (int64_t)at, "%zu bytes follow the last text", n - at);
	return C4W_OK;
}
