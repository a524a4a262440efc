/* The tensor blob: one Zstandard frame (RFC 8878, 3.1.1), formats/passage.md section 3, rules 1 to 7.
 *
 * The frame's header and its chain of blocks are walked first, three bytes a block. That says what may come out at most and where the
 * frame ends, before a byte is allocated: libzstd would decode whatever frames follow, and a 13-byte blob may declare 3 GB.
 * Decoding a small tensor is one call straight into the output, so the declared window costs nothing. Large ones go through libzstd's own
 * window. In pieces they are the faster for it: what is written straight away is read from a cache, and a tensor of 201 MB (R = 4096)
 * is never paged in.
 */
#include "families/psg.h"
#include "base/checked.h"
#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <zstd.h>
#include <zstd_errors.h>

enum { BLOCK_MAX = 128 * 1024, HUGE_PAGE = 2 << 20 };
_Static_assert(C4W_PSG_WHOLE >= C4W_PSG_WINDOW, "a single segment that is not decoded whole has a window above C4W_PSG_WINDOW");

static uint32_t square_root(uint64_t cells)
{
	uint32_t lo = 0, hi = C4W_PSG_R_MAX;
	while (lo < hi) {
		uint32_t mid = (lo + hi + 1) / 2;
		if ((uint64_t)mid * mid <= cells)
			lo = mid;
		else
			hi = mid - 1;
	}
	return lo;
}

static bool is_skippable(const uint8_t *p, size_t n)
{
	return n >= 4 && (c4w_le32(p) & 0xfffffff0u) == 0x184D2A50u;
}

static int read_header(const uint8_t *p, size_t n, struct c4w_psg_frame *f, struct c4w_err *err)
{
	static const uint8_t fcs_bytes[4] = { 0, 2, 4, 8 };
	size_t at = 5, fcs;
	bool single;
	uint8_t d;
	if (n < 4 || c4w_le32(p) != 0xFD2FB528u) {
		if (is_skippable(p, n))
			return c4w_damaged(err, "passage.blob-skippable", 0, "a skippable frame stands in front of the tensor");
		if (n == 0)
			return c4w_damaged(err, "passage.blob-magic", 0, "the tensor blob is empty");
		c4w_damaged(err, "passage.blob-magic", 0, "is not a Zstandard frame");
		if (n < 4)
			return c4w_err_valuesf(err, "28 b5 2f fd", "%zu bytes", n);
		return c4w_err_valuesf(err, "28 b5 2f fd", "%02x %02x %02x %02x", p[0], p[1], p[2], p[3]);
	}
	if (n < 5)
		return c4w_damaged(err, "passage.blob-cut", 4, "ends within the frame header");
	d = p[4];
	single = d & 0x20;
	fcs = fcs_bytes[d >> 6];
	if (single && fcs == 0)
		fcs = 1;
	if (d & 0x08)
		return c4w_damaged(err, "passage.blob-header", 4, "the reserved bit of the frame header is set");
	if (d & 0x03)
		return c4w_damaged(err, "passage.blob-dictionary", 4, "the frame header has a dictionary id field");
	f->checksum = d & 0x04;
	f->header = (uint32_t)(5 + fcs) + (single ? 0 : 1);
	if (n < f->header)
		return c4w_damaged(err, "passage.blob-cut", (int64_t)n, "ends within the frame header");
	if (!single) {
		unsigned log = 10 + (p[at] >> 3);
		f->window = (1ULL << log) + ((1ULL << log) / 8) * (p[at] & 7);
		at++;
	}
	f->content = fcs == 0 ? -1 : fcs == 1 ? p[at] : fcs == 2 ? (int64_t)c4w_le16(p + at) + 256 : fcs == 4 ? (int64_t)c4w_le32(p + at) : 0;
	if (fcs == 8) {
		uint64_t v = c4w_le64(p + at);
		f->content = v > INT64_MAX ? INT64_MAX : (int64_t)v;
	}
	if (single)
		f->window = (uint64_t)f->content;
	return C4W_OK;
}

static int match_size(uint32_t r, struct c4w_psg_frame *f, struct c4w_err *err)
{
	uint64_t content = (uint64_t)f->content;
	if (f->content < 0) {
		f->r = r;
		if (r)
			return C4W_OK;
		c4w_fail(err, C4W_USAGE, "the frame declares no content size, so the resolution can't be told");
		c4w_err_hint(err, "give it with --resolution");
		return C4W_USAGE;
	}
	if (!r) {
		uint32_t root = square_root(content / 12);
		if (content % 12 || root == 0 || (uint64_t)root * root * 12 != content) {
			c4w_damaged(err, "passage.blob-not-square", 5, "the declared content size is not R x R x 12 bytes");
			return c4w_err_valuesf(err, NULL, "%llu bytes", (unsigned long long)content);
		}
		r = root;
	}
	f->r = r;
	if (content != c4w_psg_bytes(r)) {
		char want[64];
		snprintf(want, sizeof want, "%zu bytes for R = %u", c4w_psg_bytes(r), r);
		c4w_damaged(err, "passage.blob-content-size", 5, "the declared content size is not R x R x 12");
		return c4w_err_valuesf(err, want, "%llu bytes", (unsigned long long)content);
	}
	return C4W_OK;
}

/* Are reserved bits of a compressed block's sequences header set (RFC 8878, 3.1.1.3.2.1)? zstd looks at them from 1.5.5 on, so that what older
 * ones decode would depend on the version. Whatever else is wrong with a block is left to the decoder. */
static bool reserved_modes(const uint8_t *p, size_t n)
{
	static const uint8_t plain[4] = { 1, 2, 1, 3 }, packed[4] = { 3, 3, 4, 5 };
	uint8_t head[8] = { 0 };
	unsigned type, form;
	uint64_t v, at;
	if (n == 0)
		return false;
	memcpy(head, p, n < 5 ? n : 5);
	v = c4w_le64(head);
	type = head[0] & 3;
	form = head[0] >> 2 & 3;
	if (type < 2) /* raw, one byte repeated: sizes of 5, 12 or 20 bits */
		at = plain[form] + (type == 1 ? 1 : form == 1 ? v >> 4 & 0xfff : form == 3 ? v >> 4 & 0xfffff : v >> 3 & 0x1f);
	else /* two sizes of 10, 14 or 18 bits, the second one is what is stored */
		at = packed[form] + (form == 3 ? v >> 22 & 0x3ffff : form == 2 ? v >> 18 & 0x3fff : v >> 14 & 0x3ff);
	if (at >= n || p[at] == 0)
		return false;
	at += p[at] < 128 ? 1 : p[at] < 255 ? 2 : 3;
	return at < n && (p[at] & 3);
}

int c4w_psg_frame(const uint8_t *p, size_t n, uint32_t r, struct c4w_psg_frame *f, struct c4w_err *err)
{
	size_t at;
	uint64_t block_max;
	bool last = false;
	memset(f, 0, sizeof *f);
	if (r > C4W_PSG_R_MAX)
		return c4w_fail(err, C4W_USAGE, "a resolution of %u is above %d", r, C4W_PSG_R_MAX);
	C4W_TRY(read_header(p, n, f, err));
	C4W_TRY(match_size(r, f, err));
	block_max = f->window < BLOCK_MAX ? f->window : BLOCK_MAX; /* RFC 8878, 3.1.1.2.3 */
	for (at = f->header; !last; f->blocks++) {
		uint32_t head, type, size;
		size_t stored;
		if (n - at < 3)
			return c4w_damaged(err, "passage.blob-cut", (int64_t)n, "ends before block %llu of the frame",
					   (unsigned long long)f->blocks);
		head = (uint32_t)p[at] | (uint32_t)p[at + 1] << 8 | (uint32_t)p[at + 2] << 16;
		last = head & 1;
		type = head >> 1 & 3;
		size = head >> 3;
		if (type == 3 || size > block_max)
			return c4w_damaged(err, "passage.blob-damaged", (int64_t)at, "block %llu of the frame %s",
					   (unsigned long long)f->blocks, type == 3 ? "is of the reserved type" : "is too large");
		stored = type == 1 ? 1 : size;
		f->capacity += type == 2 ? block_max : size;
		at += 3;
		if (n - at < stored)
			return c4w_damaged(err, "passage.blob-cut", (int64_t)n, "ends within block %llu of the frame",
					   (unsigned long long)f->blocks);
		if (type == 2 && reserved_modes(p + at, size))
			return c4w_damaged(err, "passage.blob-damaged", (int64_t)at, "block %llu of the frame has reserved bits set",
					   (unsigned long long)f->blocks);
		at += stored;
	}
	if (f->checksum) {
		if (n - at < 4)
			return c4w_damaged(err, "passage.blob-cut", (int64_t)n, "ends within the frame's checksum");
		at += 4;
	}
	if (at != n) {
		const char *what = is_skippable(p + at, n - at)					      ? "a skippable frame" :
				   n - at >= 4 && c4w_le32(p + at) == 0xFD2FB528u ? "a second frame" :
										    "surplus bytes";
		c4w_damaged(err, "passage.blob-trailing", (int64_t)at, "%s after the frame", what);
		return c4w_err_valuesf(err, "the end", "%zu bytes", n - at);
	}
	if (f->capacity < c4w_psg_bytes(f->r)) {
		char want[32];
		snprintf(want, sizeof want, "%zu bytes", c4w_psg_bytes(f->r));
		c4w_damaged(err, "passage.blob-short", -1, "the frame's blocks are too few for the tensor");
		return c4w_err_valuesf(err, want, "at most %llu", (unsigned long long)f->capacity);
	}
	return C4W_OK;
}

void c4w_psg_decoder_clear(struct c4w_psg_decoder *d)
{
	ZSTD_freeDCtx(d->dctx);
	free(d->buf);
	free(d->seen);
	memset(d, 0, sizeof *d);
}

/* The decoder and its buffer, for `size` bytes. */
static int reserve(struct c4w_psg_decoder *d, size_t size, struct c4w_err *err)
{
	/* Large tensors in large pages: their first touch is otherwise a seventh of decoding one. The tensor itself is aligned
	 * to 64 bytes, since the header has 128. */
	size_t align = size >= 4 * HUGE_PAGE ? HUGE_PAGE : 64;
	if (!d->dctx && !(d->dctx = ZSTD_createDCtx()))
		return c4w_fail_memory(err, 0);
	if (d->cap >= size + C4W_PSG_NPY_HEADER)
		return C4W_OK;
	free(d->buf);
	d->cap = 0;
	d->buf = aligned_alloc(align, (size + C4W_PSG_NPY_HEADER + align - 1) / align * align);
	if (!d->buf)
		return c4w_fail_memory(err, size);
	if (align == HUGE_PAGE)
		(void)madvise(d->buf, size + C4W_PSG_NPY_HEADER, MADV_HUGEPAGE);
	d->cap = size + C4W_PSG_NPY_HEADER;
	return C4W_OK;
}

static int is_long(uint32_t r, struct c4w_err *err)
{
	char want[64];
	snprintf(want, sizeof want, "%zu bytes for R = %u", c4w_psg_bytes(r), r);
	c4w_damaged(err, "passage.blob-long", -1, "the frame holds more than the tensor");
	return c4w_err_values(err, want, NULL);
}

static int is_short(uint32_t r, size_t got, struct c4w_err *err)
{
	char want[64];
	snprintf(want, sizeof want, "%zu bytes for R = %u", c4w_psg_bytes(r), r);
	c4w_damaged(err, "passage.blob-short", -1, "the frame ends before the tensor does");
	return c4w_err_valuesf(err, want, "%zu bytes", got);
}

/* What libzstd says of a blob of n bytes. */
static int zstd_failed(size_t code, size_t n, uint32_t r, struct c4w_err *err)
{
	switch (ZSTD_getErrorCode(code)) {
	case ZSTD_error_memory_allocation:
		return c4w_fail_memory(err, 0);
	case ZSTD_error_checksum_wrong:
		return c4w_damaged(err, "passage.blob-checksum", (int64_t)n - 4, "the frame's checksum does not match");
	case ZSTD_error_dstSize_tooSmall:
		return is_long(r, err);
	case ZSTD_error_frameParameter_windowTooLarge:
		return c4w_damaged(err, "passage.blob-header", 5, "the frame's window is larger than Zstandard allows");
	default:
		return c4w_damaged(err, "passage.blob-damaged", -1, "the frame can't be decoded: %s", ZSTD_getErrorName(code));
	}
}

/* Is the tensor decoded through a window of its own? By everyone, verify too: what an offset from behind the declared window finds (it is damage,
 * RFC 8878, 3.1.1.1.2, that libzstd does not look for) depends on what a decoder still has. */
static bool through_window(const struct c4w_psg_frame *f)
{
	return c4w_psg_bytes(f->r) > C4W_PSG_WHOLE && f->window <= C4W_PSG_WINDOW;
}

/* The frame's header again, but without a content size: libzstd would call a tensor of another size damage and not say which it is. The
 * window's byte stays; a frame without one is a single segment, and those have no window below C4W_PSG_WINDOW when they are large. */
static int begin(struct c4w_psg_decoder *d, const uint8_t *p, size_t n, const struct c4w_psg_frame *f, struct c4w_err *err)
{
	uint8_t head[6] = { p[0], p[1], p[2], p[3], f->checksum ? 0x04 : 0, p[5] }, none;
	ZSTD_inBuffer in = { head, sizeof head, 0 };
	ZSTD_outBuffer out = { &none, 0, 0 };
	size_t code;
	d->pieces = (struct c4w_psg_pieces){ .in = p, .n = n, .at = f->header, .r = f->r };
	if (d->window != f->window) { /* libzstd would go on with a larger one, and find more in it */
		ZSTD_freeDCtx(d->dctx);
		d->dctx = ZSTD_createDCtx();
		d->window = f->window;
	}
	if (!d->dctx)
		return c4w_fail_memory(err, 0);
	code = ZSTD_DCtx_reset(d->dctx, ZSTD_reset_session_only);
	if (!ZSTD_isError(code))
		code = ZSTD_decompressStream(d->dctx, &out, &in);
	return ZSTD_isError(code) ? zstd_failed(code, 0, f->r, err) : C4W_OK;
}

/* The next bytes of the tensor, of which `left` are to come. Room for one more shows a frame that is too long. */
static int go_on(struct c4w_psg_decoder *d, ZSTD_outBuffer *out, size_t left, struct c4w_err *err)
{
	struct c4w_psg_pieces *s = &d->pieces;
	ZSTD_inBuffer in = { s->in, s->n, s->at };
	while (!s->ended && out->pos < out->size) {
		size_t code = ZSTD_decompressStream(d->dctx, out, &in);
		if (ZSTD_isError(code))
			return zstd_failed(code, s->n, s->r, err);
		s->ended = code == 0;
	}
	if (out->pos > left)
		return is_long(s->r, err);
	if (s->ended && out->pos < left)
		return is_short(s->r, s->given + out->pos, err);
	s->at = in.pos;
	s->given += out->pos;
	return C4W_OK;
}

int c4w_psg_decode(struct c4w_psg_decoder *d, const uint8_t *p, size_t n, const struct c4w_psg_frame *f, uint8_t **raw,
		   struct c4w_err *err)
{
	size_t size = c4w_psg_bytes(f->r), got;
	*raw = NULL;
	C4W_TRY(reserve(d, size + 1, err));
	if (through_window(f)) {
		ZSTD_outBuffer out = { d->buf + C4W_PSG_NPY_HEADER, size + 1, 0 };
		C4W_TRY(begin(d, p, n, f, err));
		C4W_TRY(go_on(d, &out, size, err));
	} else {
		got = ZSTD_decompressDCtx(d->dctx, d->buf + C4W_PSG_NPY_HEADER, size, p, n);
		if (ZSTD_isError(got))
			return zstd_failed(got, n, f->r, err);
		if (got != size)
			return is_short(f->r, got, err);
	}
	*raw = d->buf + C4W_PSG_NPY_HEADER;
	return C4W_OK;
}

int c4w_psg_pieces(struct c4w_psg_decoder *d, const uint8_t *p, size_t n, const struct c4w_psg_frame *f, size_t front, struct c4w_err *err)
{
	uint8_t *raw;
	int cls;
	if (through_window(f)) {
		C4W_TRY(reserve(d, C4W_PSG_STEP + 1, err));
		cls = begin(d, p, n, f, err);
		d->pieces.front = front;
		return cls;
	}
	d->pieces = (struct c4w_psg_pieces){ .r = f->r, .whole = true };
	return c4w_psg_decode(d, p, n, f, &raw, err);
}

int c4w_psg_piece(struct c4w_psg_decoder *d, uint8_t **piece, size_t *n, struct c4w_err *err)
{
	struct c4w_psg_pieces *s = &d->pieces;
	size_t left = c4w_psg_bytes(s->r) - s->given, room = C4W_PSG_STEP - s->front;
	ZSTD_outBuffer out = { d->buf + C4W_PSG_NPY_HEADER, left > room ? room : left + 1, 0 };
	*piece = d->buf + C4W_PSG_NPY_HEADER;
	if (s->whole) {
		*n = left;
		s->given += left;
		return C4W_OK;
	}
	C4W_TRY(go_on(d, &out, left, err));
	s->front = 0;
	*n = out.pos;
	return C4W_OK;
}

void c4w_psg_npy_header(uint8_t *out, uint32_t r, unsigned channels)
{
	char text[C4W_PSG_NPY_HEADER - 10 + 1];
	int n = channels ? snprintf(text, sizeof text, "{'descr': '<f4', 'fortran_order': False, 'shape': (%u, %u, %u), }", r, r,
				    channels) :
			   snprintf(text, sizeof text, "{'descr': '<f4', 'fortran_order': False, 'shape': (%u, %u), }", r, r);
	memcpy(out, "\x93NUMPY\x01\x00\x76\x00", 10);
	memset(out + 10, ' ', C4W_PSG_NPY_HEADER - 10);
	memcpy(out + 10, text, (size_t)n);
	out[C4W_PSG_NPY_HEADER - 1] = '\n';
}
