/* Bringing the parts of a tree's scene into memory. */
#ifndef C4W_FAMILIES_PSG_LOAD_H
#define C4W_FAMILIES_PSG_LOAD_H

#include "families/psg_tree.h"

/* The whole of a file below the store, read into the arena; `limit` bytes at most (C4W_LIMIT). */
int c4w_psg_read(struct c4w_store *s, const char *rel, uint64_t limit, struct c4w_arena *arena, const uint8_t **p, size_t *n,
		 struct c4w_err *err) C4W_MUST_CHECK;

/* A blob of any origin: looks at the first bytes, checks the declared size against r (0: unknown), and only then reads the
 * rest. *p is in the arena or lent by the blob. */
int c4w_psg_read_tensor(struct c4w_blob *b, uint32_t r, struct c4w_arena *arena, const uint8_t **p, size_t *n,
			struct c4w_psg_frame *f, struct c4w_err *err) C4W_MUST_CHECK;

/* A blob whose frame has been looked at (`cls` and, if that failed, `err` say how that went): decode, scan and report, into the scene's r, raw
 * and scan (those two with `full`). *bytes: decoded bytes. */
int c4w_psg_check_blob(struct c4w_psg_scene *c, struct c4w_psg_scan *scan, const uint8_t *data, size_t n, const struct c4w_psg_frame *f, int cls,
		       bool full, struct c4w_psg_decoder *d, struct c4w_psg_sink *s, uint64_t *bytes, struct c4w_err *err) C4W_MUST_CHECK;

/* Check one scene of a tree at a level and report into `s`. Returns another class than C4W_OK only when it could not be done. `full`:
 * all of section 8; else sizes, zstd, names and metadata against the files. *bytes: decoded bytes. */
int c4w_psg_verify_ref(struct c4w_psg_tree *t, const struct c4w_psg_ref *ref, bool tree_has_receipts, bool full, struct c4w_psg_decoder *d,
		       struct c4w_arena *arena, struct c4w_psg_sink *s, uint64_t *bytes, struct c4w_err *err) C4W_MUST_CHECK;

/* Metadata of a scene of a tree, the text of the file kept in the arena. Errors are the file's. */
int c4w_psg_read_meta(struct c4w_store *s, const char *rel, struct c4w_arena *arena, struct c4w_yaml_node **root, struct c4w_err *err)
	C4W_MUST_CHECK;

#endif
