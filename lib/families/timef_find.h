/* What a user may point at (formats/timef.md, 2): a version directory, a data set's directory, a registry root. */
#ifndef C4W_FAMILIES_TIMEF_FIND_H
#define C4W_FAMILIES_TIMEF_FIND_H

#include "families/timef.h"

enum c4w_timef_where { C4W_TF_NOTHING, C4W_TF_VERSION, C4W_TF_DATASET, C4W_TF_REGISTRY };

/* Cheap: a few directory listings and the front of one manifest. `why` says what was seen. */
enum c4w_timef_where c4w_timef_probe(const char *path, char *why, size_t size);

struct c4w_timef_entry {
	const char *id;      /* "org/name", the path from the root to the version's parent */
	const char *version; /* the directory's name */
	const char *dir;     /* relative to the root */
	uint64_t number[3];
	bool sound;          /* id is two steps deep and well formed */
};

/* All versions below a registry root or data set directory, by id, then version ascending. Staging and hidden directories are passed
 * over, as are version names that are not plain digits. Everything is in the arena. A root that isn't there lists as empty. */
int c4w_timef_list(struct c4w_store *root, enum c4w_timef_where where, struct c4w_arena *arena, struct c4w_timef_entry **out, size_t *n,
		   struct c4w_err *err) C4W_MUST_CHECK;

/* "org/name", "org/name@1.2.3", "org/name@latest" taken apart: *version is empty for none and latest. C4W_USAGE otherwise. */
int c4w_timef_ref_parse(const char *ref, struct c4w_view *id, struct c4w_view *version, struct c4w_err *err) C4W_MUST_CHECK;

/* The version directory that PATH and a reference (NULL or "": none; a bare version under a data set's directory) lead to. *dir is from malloc. In
 * a registry with one data set the reference may be left out. C4W_USAGE says what there is when
 * the reference leads nowhere. */
int c4w_timef_locate(const char *path, const char *ref, char **dir, struct c4w_err *err) C4W_MUST_CHECK;

#endif
