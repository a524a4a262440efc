/* What psg_tree.c and psg_walk.c share. */
#ifndef C4W_FAMILIES_PSG_TREE_IMPL_H
#define C4W_FAMILIES_PSG_TREE_IMPL_H

#include "families/psg_tree.h"

struct c4w_psg_tree {
	struct c4w_store *store;
	enum c4w_psg_tree_kind kind;
	struct c4w_psg_unit *units;
	size_t unit_count, unit_cap;
	bool is_scene;
	struct c4w_psg_ref scene; /* when is_scene; lat is empty when the path was a receipt's */
};

extern const char *const c4w_psg_part_dir[9]; /* by part, below the split's directory */
const char *c4w_psg_part_tail(unsigned part);
uint32_t c4w_psg_resolution_name(const char *name);

/* The absolute path by its letters alone, and its k-th component from the end ("" when there is none). */
bool c4w_psg_absolute(const char *path, char *out, size_t size);
const char *c4w_psg_component(const char *path, unsigned k, char out[64]);

#endif
