/* PASSAGE generator trees: which scenes there are, in which state, and where their files lie (formats/passage.md, section 2).
 *
 * A tree is opened by any of its parts: the root, one resolution, one split, or a single file of a scene. What the
 * directories above say (resolution, split) is taken from the path's own words, links unresolved.
 *
 * Walking needs memory for one tile at a time, and 8 bytes a receipt of the split. A walk belongs to one thread; the tree may be shared.
 */
#ifndef C4W_FAMILIES_PSG_TREE_H
#define C4W_FAMILIES_PSG_TREE_H

#include "families/psg.h"
#include "storage/store.h"

/* What of a scene is there. */
enum {
	C4W_PSG_HAVE_TENSOR = 1,
	C4W_PSG_HAVE_META = 2,
	C4W_PSG_HAVE_RECEIPT = 4,
	C4W_PSG_HAVE_ROUTE0 = 8, /* << route */
	C4W_PSG_HAVE_ROUTES = 0x3f * C4W_PSG_HAVE_ROUTE0,
	C4W_PSG_HAVE_ALL = 0x1ff,
};

/* One split of one resolution. */
struct c4w_psg_unit {
	uint32_t r;    /* 0: the path does not say */
	int split;     /* -1: the path does not say */
	char base[40]; /* "64/train/", "train/" or "": below the store's root */
};

struct c4w_psg_ref {
	const struct c4w_psg_unit *unit; /* lives as long as the tree */
	uint64_t index;
	char lat[5], lon[5]; /* "N061", "E081"; empty when only a receipt is there */
	unsigned have;
};

/* A part of a scene as the path below the store's root. `part`: 0 tensor, 1 metadata, 2 receipt, 3 + route. */
void c4w_psg_ref_path(const struct c4w_psg_ref *ref, unsigned part, char *out, size_t size);
/* "64/train/0000000001", as far as resolution and split are known. */
void c4w_psg_ref_name(const struct c4w_psg_ref *ref, char *out, size_t size);
/* "complete", "interrupted", "without tensor", "stray" */
const char *c4w_psg_ref_state(const struct c4w_psg_ref *ref);
/* "N061" -> 61, "W012" -> -12; false when it is not of that form. `ew`: longitude. */
bool c4w_psg_tile(const char *name, bool ew, int64_t *out);
void c4w_psg_tile_name(int64_t degrees, bool ew, char out[8]);
/* Ten digits and `tail`; false when the name is anything else. */
bool c4w_psg_index_name(const char *name, const char *tail, uint64_t *out);

/* ---- selections ---- */

struct c4w_psg_range {
	uint64_t first, last;
};

struct c4w_psg_select {
	uint32_t *r; /* resolutions; none: all */
	size_t r_count;
	unsigned splits;   /* bits; 0: all */
	unsigned solvers, variants;
	struct c4w_psg_range *index; /* none: all */
	size_t index_count;
};
bool c4w_psg_selects_unit(const struct c4w_psg_select *sel, uint32_t r, int split);
/* The same for a scene whose place leaves one of the two open (r 0, split -1): its metadata tells. `root` may be NULL. */
bool c4w_psg_selects_meta(const struct c4w_psg_select *sel, uint32_t r, int split, const struct c4w_yaml_node *root);
bool c4w_psg_selects_index(const struct c4w_psg_select *sel, uint64_t index);
bool c4w_psg_selects_route(const struct c4w_psg_select *sel, int route);

/* ---- trees ---- */

struct c4w_psg_tree;

enum c4w_psg_tree_kind { C4W_PSG_TREE_NONE, C4W_PSG_TREE_ROOT, C4W_PSG_TREE_RESOLUTION, C4W_PSG_TREE_SPLIT, C4W_PSG_TREE_SCENE };

/* What the path is, without opening a tree. `why` (of `size` bytes) gets a clause for people. */
enum c4w_psg_tree_kind c4w_psg_tree_probe(const char *path, char *why, size_t size);

int c4w_psg_tree_open(const char *path, struct c4w_psg_tree **out, struct c4w_err *err) C4W_MUST_CHECK;
void c4w_psg_tree_close(struct c4w_psg_tree *t); /* accepts NULL */
struct c4w_store *c4w_psg_tree_store(const struct c4w_psg_tree *t);
enum c4w_psg_tree_kind c4w_psg_tree_kind(const struct c4w_psg_tree *t);
const struct c4w_psg_unit *c4w_psg_tree_units(const struct c4w_psg_tree *t, size_t *count);
/* Do the tree's scenes have receipts at all? A tree extracted from shards has none. */
bool c4w_psg_tree_has_receipts(const struct c4w_psg_tree *t);

/* ---- walking ---- */

struct c4w_psg_walk;

/* `want`: the parts to look for (C4W_PSG_HAVE_*); tensors alone need far fewer directories. `sink` (or NULL) hears of names that do not
 * belong: it is called from within next. The selection is borrowed and may be NULL. */
int c4w_psg_walk_new(struct c4w_psg_tree *t, const struct c4w_psg_select *sel, unsigned want, struct c4w_psg_sink *sink,
		     struct c4w_psg_walk **out, struct c4w_err *err) C4W_MUST_CHECK;
/* Resolutions ascending, splits in the order train, calibration, validation, test, then tiles, then indices; a split's receipts without
 * a scene at its end. *unit_done (may be NULL) is set when the walk has just left a split: *out is then empty. */
int c4w_psg_walk_next(struct c4w_psg_walk *w, struct c4w_psg_ref *out, bool *unit_done, bool *end, struct c4w_err *err) C4W_MUST_CHECK;
void c4w_psg_walk_free(struct c4w_psg_walk *w); /* accepts NULL */

/* Names at the root and in the resolutions' directories (sections 2 and 8.24). */
int c4w_psg_tree_names(struct c4w_psg_tree *t, struct c4w_psg_sink *sink, struct c4w_err *err) C4W_MUST_CHECK;

#endif
