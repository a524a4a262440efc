/* Zstandard files: one or more frames, skippable ones among them. */
#ifndef C4W_CONTAINERS_ZST_H
#define C4W_CONTAINERS_ZST_H

#include "base/arena.h"
#include "base/rule.h"
#include "containers/fault.h"
#include "storage/store.h"

struct c4w_zst_frame {
	uint64_t offset, stored; /* in the file; header, blocks and checksum included */
	int64_t content;         /* size that the header claims, -1: none */
	uint64_t window;         /* bytes of window that decoding needs */
	uint64_t capacity;       /* at most this much can come out, by its blocks */
	uint32_t dict_id;        /* 0: none */
	uint32_t magic;
	bool skippable, checksum, dict_field;
};

/* One a worker: a ZSTD_DCtx and buffers. */
struct c4w_zst_worker;
int c4w_zst_worker_new(struct c4w_zst_worker **out, struct c4w_err *err) C4W_MUST_CHECK;
void c4w_zst_worker_free(struct c4w_zst_worker *w); /* accepts NULL */

/* Walk the frame at `offset` (block headers only, nothing is decoded). A cut frame is "zst.cut", no frame there "zst.trailing" (or
 * "zst.magic" at the front of the file). */
int c4w_zst_frame_at(struct c4w_blob *b, uint64_t offset, struct c4w_zst_frame *out, struct c4w_err *err) C4W_MUST_CHECK;

/* All frames of the file. */
int c4w_zst_list(struct c4w_blob *b, struct c4w_arena *arena, struct c4w_zst_frame **out, size_t *count, struct c4w_err *err) C4W_MUST_CHECK;

/* Decode all frames in constant memory. A window above window_max is C4W_UNSUPPORTED and names both (0: the default in limits.h). */
int c4w_zst_stream(struct c4w_zst_worker *w, struct c4w_blob *b, uint64_t window_max, c4w_bytes_fn sink, void *ctx,
		   struct c4w_err *err) C4W_MUST_CHECK;

/* One frame in memory, the whole of `p`, into exactly `size` bytes: "zst.trailing", "zst.size" when it gives fewer or more. No window is
 * allocated. */
int c4w_zst_decode(struct c4w_zst_worker *w, const uint8_t *p, size_t n, uint8_t *out, size_t size, struct c4w_err *err) C4W_MUST_CHECK;

/* As c4w_zst_frame_at, for bytes in memory. */
int c4w_zst_frame_memory(const uint8_t *p, size_t n, struct c4w_zst_frame *out, struct c4w_err *err) C4W_MUST_CHECK;

/* A lone file: frames, checksums, content sizes, trailing bytes. */
int c4w_zst_verify(struct c4w_zst_worker *w, struct c4w_blob *b, uint64_t window_max, struct c4w_faults *faults, struct c4w_err *err) C4W_MUST_CHECK;


extern const struct c4w_rule c4w_zst_rules[]; /* ended by an empty row */

#endif
