/* Zstandard files. The frame walk follows RFC 8878, section 3.1; libzstd decodes.
 *
 * Frames are found by their block headers first, so that a cut frame, trailing bytes and a window that is too large are known, with their
 * place, before anything is decoded (known-bugs 14 and 15). */
#include "containers/zst.h"

#include "base/checked.h"
#include "base/limits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

const struct c4w_rule c4w_zst_rules[] = {
	{ "zst.magic", "a zstd file begins with a frame", "RFC 8878 3.1" },
	{ "zst.header", "a frame header's reserved bit is zero and its sizes fit 63 bits", "RFC 8878 3.1.1.1" },
	{ "zst.block", "blocks are of a known type and not larger than the window and 128 KiB", "RFC 8878 3.1.1.2" },
	{ "zst.cut", "each frame is whole", "RFC 8878 3.1.1" },
	{ "zst.trailing", "nothing stands behind the last frame", "RFC 8878 3.1" },
	{ "zst.data", "compressed data can be decompressed", "RFC 8878 3.1.1" },
	{ "zst.size", "a frame gives the bytes that its header says", "RFC 8878 3.1.1.1.4" },
	{ "zst.checksum", "a frame's checksum is right", "RFC 8878 3.1.1" },
	{ 0 },
};

enum { CHUNK = 128 * 1024, PEEK = 4096, BLOCK_MAX = 128 * 1024 };

#define FRAME_MAGIC 0xFD2FB528U
#define SKIPPABLE_MAGIC 0x184D2A50U /* and the 15 behind it */
#define OLD_MAGIC_FIRST 0xFD2FB522U /* formats before 0.8 */
#define OLD_MAGIC_LAST 0xFD2FB527U
#define LIBRARY_WINDOW_MAX ((uint64_t)1 << 31) /* ZSTD_WINDOWLOG_MAX on 64 bits */

struct c4w_zst_worker {
	ZSTD_DCtx *dctx;
	uint8_t *in, *out; /* CHUNK bytes each, from first use on */
};

int c4w_zst_worker_new(struct c4w_zst_worker **out, struct c4w_err *err)
{
	struct c4w_zst_worker *w = calloc(1, sizeof *w);
	*out = NULL;
	if (!w)
		return c4w_fail_memory(err, sizeof *w);
	w->dctx = ZSTD_createDCtx();
	if (!w->dctx) {
		free(w);
		return c4w_fail_memory(err, 0);
	}
	*out = w;
	return C4W_OK;
}

void c4w_zst_worker_free(struct c4w_zst_worker *w)
{
	if (!w)
		return;
	ZSTD_freeDCtx(w->dctx);
	free(w->in);
	free(w->out);
	free(w);
}

/* ---- walking ---- */

/* Bytes in memory or in a blob, looked at in small pieces. */
struct source {
	const uint8_t *p;
	struct c4w_blob *blob;
	uint64_t size;
	uint64_t peek_at;
	size_t peek_n;
	uint8_t peek[PEEK];
};

/* n (at most 16) bytes at `at`, NULL with C4W_OK when the file ends before. */
static int look(struct source *s, uint64_t at, size_t n, const uint8_t **out, struct c4w_err *err)
{
	*out = NULL;
	if (!c4w_within(at, n, s->size))
		return C4W_OK;
	if (s->p) {
		*out = s->p + at;
		return C4W_OK;
	}
	if (at < s->peek_at || at + n > s->peek_at + s->peek_n) {
		size_t want = s->size - at < PEEK ? (size_t)(s->size - at) : PEEK;
		s->peek_n = 0;
		C4W_TRY(c4w_blob_read_at(s->blob, at, want, s->peek, err));
		s->peek_at = at;
		s->peek_n = want;
	}
	*out = s->peek + (at - s->peek_at);
	return C4W_OK;
}

static int cut(const struct source *s, const struct c4w_zst_frame *f, struct c4w_err *err)
{
	return c4w_damaged(err, "zst.cut", (int64_t)s->size, "the zstd frame that begins at byte %" PRIu64 " is cut", f->offset);
}

static bool is_skippable(uint32_t magic)
{
	return (magic & 0xFFFFFFF0U) == SKIPPABLE_MAGIC;
}

/* No frame at `at`: say what there is instead. */
static int no_frame(struct source *s, uint64_t at, struct c4w_err *err)
{
	static const uint8_t magic[4] = { 0x28, 0xB5, 0x2F, 0xFD };
	const uint8_t *p = NULL;
	size_t left = s->size - at < 4 ? (size_t)(s->size - at) : 4;
	if (s->size == 0)
		return c4w_damaged(err, "zst.magic", 0, "not a zstd file: it is empty");
	if (left)
		C4W_TRY(look(s, at, left, &p, err));
	if (left < 4 && p && memcmp(p, magic, left) == 0)
		return c4w_damaged(err, "zst.cut", (int64_t)s->size, "a zstd frame that begins at byte %" PRIu64 " is cut", at);
	if (left == 4) {
		uint32_t found = c4w_le32(p);
		if (found >= OLD_MAGIC_FIRST && found <= OLD_MAGIC_LAST)
			return c4w_fail(err, C4W_UNSUPPORTED, "a zstd format from before version 0.8");
	}
	if (at == 0)
		return c4w_damaged(err, "zst.magic", 0, "not a zstd file: it begins with no frame");
	return c4w_damaged(err, "zst.trailing", (int64_t)at, "%" PRIu64 " bytes behind the last zstd frame", s->size - at);
}

static uint64_t little(const uint8_t *p, size_t n)
{
	uint64_t v = 0;
	while (n--)
		v = v << 8 | p[n];
	return v;
}

/* The frame header behind the magic; *at moves to the first block. */
static int frame_header(struct source *s, uint64_t *at, struct c4w_zst_frame *f, struct c4w_err *err)
{
	static const uint8_t dict_bytes[4] = { 0, 1, 2, 4 }, content_bytes[4] = { 0, 2, 4, 8 };
	const uint8_t *p;
	uint8_t descriptor;
	size_t n, dict, content;
	bool single;
	C4W_TRY(look(s, *at, 1, &p, err));
	if (!p)
		return cut(s, f, err);
	descriptor = *p;
	if (descriptor & 8)
		return c4w_damaged(err, "zst.header", (int64_t)*at, "a zstd frame's reserved bit is set");
	single = (descriptor & 0x20) != 0;
	f->checksum = (descriptor & 4) != 0;
	dict = dict_bytes[descriptor & 3];
	content = content_bytes[descriptor >> 6];
	if (content == 0 && single)
		content = 1;
	f->dict_field = dict != 0;
	n = (single ? 1U : 2U) + dict + content;
	C4W_TRY(look(s, *at, n, &p, err));
	if (!p)
		return cut(s, f, err);
	p++;
	if (!single) {
		unsigned log = 10 + (*p >> 3);
		f->window = ((uint64_t)1 << log) + (((uint64_t)1 << log) >> 3) * (*p & 7);
		p++;
	}
	f->dict_id = (uint32_t)little(p, dict);
	p += dict;
	if (content) {
		uint64_t v = little(p, content) + (content == 2 ? 256 : 0);
		if (v > INT64_MAX)
			return c4w_damaged(err, "zst.header", (int64_t)*at, "a zstd frame that claims more than 63 bits of content");
		f->content = (int64_t)v;
		if (single)
			f->window = v;
	}
	*at += n;
	return C4W_OK;
}

static int frame_blocks(struct source *s, uint64_t *at, struct c4w_zst_frame *f, struct c4w_err *err)
{
	uint64_t most = f->window < BLOCK_MAX ? f->window : BLOCK_MAX;
	bool last = false;
	while (!last) {
		const uint8_t *p;
		uint32_t head, size;
		C4W_TRY(look(s, *at, 3, &p, err));
		if (!p)
			return cut(s, f, err);
		head = (uint32_t)little(p, 3);
		last = head & 1;
		size = head >> 3;
		if ((head >> 1 & 3) == 3 || size > most)
			return c4w_damaged(err, "zst.block", (int64_t)*at, "a zstd block of a reserved type, or too large");
		f->capacity += (head >> 1 & 3) == 2 ? most : size;
		*at += 3 + ((head >> 1 & 3) == 1 ? 1 : size);
		if (*at > s->size)
			return cut(s, f, err);
	}
	if (f->checksum)
		*at += 4;
	return *at > s->size ? cut(s, f, err) : C4W_OK;
}

static int walk(struct source *s, uint64_t offset, struct c4w_zst_frame *f, struct c4w_err *err)
{
	uint64_t at = offset + 4;
	const uint8_t *p;
	*f = (struct c4w_zst_frame){ .offset = offset, .content = -1 };
	C4W_TRY(look(s, offset, 4, &p, err));
	if (!p)
		return no_frame(s, offset, err);
	f->magic = c4w_le32(p);
	if (is_skippable(f->magic)) {
		f->skippable = true;
		f->content = 0;
		C4W_TRY(look(s, at, 4, &p, err));
		if (!p)
			return cut(s, f, err);
		f->stored = 8 + (uint64_t)c4w_le32(p);
		return c4w_within(offset, f->stored, s->size) ? C4W_OK : cut(s, f, err);
	}
	if (f->magic != FRAME_MAGIC)
		return no_frame(s, offset, err);
	C4W_TRY(frame_header(s, &at, f, err));
	C4W_TRY(frame_blocks(s, &at, f, err));
	f->stored = at - offset;
	if (f->content >= 0 && (uint64_t)f->content > f->capacity)
		return c4w_damaged(err, "zst.size", (int64_t)offset,
				   "a zstd frame claims %" PRId64 " bytes, but its blocks can hold only %" PRIu64, f->content, f->capacity);
	return C4W_OK;
}

int c4w_zst_frame_at(struct c4w_blob *b, uint64_t offset, struct c4w_zst_frame *out, struct c4w_err *err)
{
	struct source s;
	s.p = NULL;
	s.blob = b;
	s.size = c4w_blob_size(b);
	s.peek_at = s.peek_n = 0;
	return walk(&s, offset, out, err);
}

int c4w_zst_frame_memory(const uint8_t *p, size_t n, struct c4w_zst_frame *out, struct c4w_err *err)
{
	static const uint8_t none[1];
	struct source s;
	s.p = p ? p : none;
	s.blob = NULL;
	s.size = n;
	return walk(&s, 0, out, err);
}

int c4w_zst_list(struct c4w_blob *b, struct c4w_arena *arena, struct c4w_zst_frame **out, size_t *count, struct c4w_err *err)
{
	struct c4w_zst_frame *v = NULL;
	size_t n = 0, cap = 0;
	uint64_t at = 0;
	*out = NULL;
	*count = 0;
	do {
		struct c4w_zst_frame f;
		C4W_TRY(c4w_zst_frame_at(b, at, &f, err));
		if (n == cap) {
			void *more;
			cap = cap ? 2 * cap : 16;
			C4W_TRY(c4w_arena_take(arena, cap * sizeof *v, &more, err));
			if (n)
				memcpy(more, v, n * sizeof *v);
			v = more;
		}
		v[n++] = f;
		at += f.stored;
	} while (at < c4w_blob_size(b));
	*out = v;
	*count = n;
	return C4W_OK;
}

/* ---- decoding ---- */

static int zstd_error(size_t code, int64_t at, struct c4w_err *err)
{
	switch ((ZSTD_ErrorCode)(0 - code)) {
	case ZSTD_error_memory_allocation:
		return c4w_fail_memory(err, 0);
	case ZSTD_error_checksum_wrong:
		return c4w_damaged(err, "zst.checksum", at, "a zstd frame's checksum is wrong");
	default:
		return c4w_damaged(err, "zst.data", at, "zstd data is damaged: %s", ZSTD_getErrorName(code));
	}
}

static int check_frame(const struct c4w_zst_frame *f, struct c4w_err *err)
{
	if (f->dict_id)
		return c4w_fail(err, C4W_UNSUPPORTED, "a zstd frame that needs dictionary %" PRIu32, f->dict_id);
	return C4W_OK;
}

static int check_window(const struct c4w_zst_frame *f, uint64_t window_max, struct c4w_err *err)
{
	uint64_t need = (f->window >> 20) + ((f->window & 0xFFFFF) != 0);
	if (f->window <= window_max)
		return C4W_OK;
	if (f->window > LIBRARY_WINDOW_MAX)
		return c4w_fail(err, C4W_UNSUPPORTED,
				"a zstd frame needs a window of %" PRIu64 " MiB, more than the zstd library supports (2,048 MiB)", need);
	(void)c4w_fail(err, C4W_UNSUPPORTED, "a zstd frame needs a window of %" PRIu64 " MiB, allowed are %" PRIu64 " MiB", need,
		       window_max >> 20);
	c4w_err_hint(err, "allow it with --memory=%" PRIu64 "M", need);
	return C4W_UNSUPPORTED;
}

static int decode_frame(struct c4w_zst_worker *w, struct c4w_blob *b, const struct c4w_zst_frame *f, uint64_t window_max,
			c4w_bytes_fn sink, void *ctx, struct c4w_err *err)
{
	uint64_t at = f->offset, end = f->offset + f->stored, given = 0;
	size_t rc = 1, left = 0;
	C4W_TRY(check_frame(f, err));
	C4W_TRY(check_window(f, window_max, err));
	C4W_TRY(c4w_memory_once(&w->in, CHUNK, err));
	C4W_TRY(c4w_memory_once(&w->out, CHUNK, err));
	ZSTD_DCtx_reset(w->dctx, ZSTD_reset_session_and_parameters);
	ZSTD_DCtx_setParameter(w->dctx, ZSTD_d_windowLogMax, 31);
	while (at < end) {
		ZSTD_inBuffer in = { w->in, end - at < CHUNK ? (size_t)(end - at) : CHUNK, 0 };
		bool full = true;
		C4W_TRY(c4w_blob_read_at(b, at, in.size, w->in, err));
		at += in.size;
		/* a full output buffer may hide more, even when all input is taken */
		while (in.pos < in.size || full) {
			ZSTD_outBuffer out = { w->out, CHUNK, 0 };
			rc = ZSTD_decompressStream(w->dctx, &out, &in);
			if (ZSTD_isError(rc))
				return zstd_error(rc, (int64_t)f->offset, err);
			given += out.pos;
			if (out.pos)
				C4W_TRY(sink(ctx, w->out, out.pos, err));
			full = out.pos == CHUNK;
			if (rc == 0)
				break;
		}
		left = in.size - in.pos;
		if (rc == 0)
			break;
	}
	if (rc != 0 || at != end || left)
		return c4w_damaged(err, "zst.data", (int64_t)f->offset, "a zstd frame ends elsewhere than its blocks");
	if (f->content >= 0 && given != (uint64_t)f->content)
		return c4w_damaged(err, "zst.size", (int64_t)f->offset, "a zstd frame claims %" PRId64 " bytes and gives %" PRIu64, f->content, given);
	return C4W_OK;
}

static uint64_t default_window(uint64_t window_max)
{
	return window_max ? window_max : (uint64_t)1 << C4W_LIMIT_ZSTD_WINDOW_LOG;
}

int c4w_zst_stream(struct c4w_zst_worker *w, struct c4w_blob *b, uint64_t window_max, c4w_bytes_fn sink, void *ctx,
		   struct c4w_err *err)
{
	uint64_t at = 0;
	do {
		struct c4w_zst_frame f;
		C4W_TRY(c4w_zst_frame_at(b, at, &f, err));
		if (!f.skippable)
			C4W_TRY(decode_frame(w, b, &f, default_window(window_max), sink, ctx, err));
		at += f.stored;
	} while (at < c4w_blob_size(b));
	return C4W_OK;
}

int c4w_zst_decode(struct c4w_zst_worker *w, const uint8_t *p, size_t n, uint8_t *out, size_t size, struct c4w_err *err)
{
	struct c4w_zst_frame f;
	size_t got;
	C4W_TRY(c4w_zst_frame_memory(p, n, &f, err));
	if (f.skippable)
		return c4w_damaged(err, "zst.magic", 0, "a skippable frame where data is expected");
	if (f.stored != n)
		return c4w_damaged(err, "zst.trailing", (int64_t)f.stored, "%zu bytes behind the zstd frame", n - (size_t)f.stored);
	C4W_TRY(check_frame(&f, err));
	if ((f.content >= 0 && (uint64_t)f.content != size) || f.capacity < size) {
		char want[32];
		snprintf(want, sizeof want, "%zu bytes", size);
		(void)c4w_damaged(err, "zst.size", 0, "a zstd frame of the wrong size");
		(void)c4w_err_valuesf(err, want, f.content >= 0 ? "%" PRIu64 : "at most %" PRIu64, f.content >= 0 ? (uint64_t)f.content : f.capacity);
		return C4W_DAMAGED;
	}
	got = ZSTD_decompressDCtx(w->dctx, out, size, p, n);
	if (ZSTD_isError(got)) {
		if ((ZSTD_ErrorCode)(0 - got) == ZSTD_error_dstSize_tooSmall)
			return c4w_damaged(err, "zst.size", 0, "a zstd frame gives more than the %zu bytes that are expected", size);
		return zstd_error(got, 0, err);
	}
	if (got != size)
		return c4w_damaged(err, "zst.size", 0, "a zstd frame gives %zu bytes, expected %zu", got, size);
	return C4W_OK;
}

/* ---- a lone file ---- */

static int nowhere(void *ctx, const uint8_t *p, size_t n, struct c4w_err *err)
{
	(void)ctx;
	(void)p;
	(void)n;
	(void)err;
	return C4W_OK;
}

int c4w_zst_verify(struct c4w_zst_worker *w, struct c4w_blob *b, uint64_t window_max, struct c4w_faults *faults, struct c4w_err *err)
{
	struct c4w_err own;
	uint64_t at = 0;
	if (!err)
		err = &own;
	do {
		struct c4w_zst_frame f;
		int rc = c4w_zst_frame_at(b, at, &f, err);
		bool lost = rc != C4W_OK && f.stored == 0; /* the next frame can't be found */
		if (rc == C4W_OK && !f.skippable)
			rc = decode_frame(w, b, &f, default_window(window_max), nowhere, NULL, err);
		if (rc != C4W_OK)
			C4W_TRY(c4w_fault(faults, err));
		if (lost)
			break;
		at += f.stored;
	} while (at < c4w_blob_size(b));
	return C4W_OK;
}
