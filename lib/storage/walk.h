/* Walking a store's tree: all files below a directory, in an order that is always the same (bytewise by name, a directory's
 * files where its name stands). Links to files are files; links to directories are not descended into, so that a tree
 * whose links lead out of it, or round in a circle, ends. One thread at a time. */
#ifndef C4W_STORAGE_WALK_H
#define C4W_STORAGE_WALK_H

#include "storage/store.h"

struct c4w_walk;

enum c4w_walk_kind {
	C4W_WALK_END,
	C4W_WALK_FILE,
	C4W_WALK_SKIPPED, /* neither file nor directory, a link to a directory, or a link to nothing (stat.kind is NONE) */
	C4W_WALK_ERROR,   /* a directory that can't be listed; `err` says why; the walk goes on behind it */
};

struct c4w_walk_item {
	const char *path; /* relative to the store; valid until the next call */
	struct c4w_stat stat;
};

/* The store is borrowed. `rel` is the directory to start in, "" for the root. */
int c4w_walk_new(struct c4w_store *s, const char *rel, struct c4w_walk **out, struct c4w_err *err) C4W_MUST_CHECK;
void c4w_walk_free(struct c4w_walk *w); /* accepts NULL */
enum c4w_walk_kind c4w_walk_next(struct c4w_walk *w, struct c4w_walk_item *item, struct c4w_err *err);

#endif
