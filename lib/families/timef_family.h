/* The TimeF family: its table, and what the files of the family share beyond timef.h. */
#ifndef C4W_FAMILIES_TIMEF_FAMILY_H
#define C4W_FAMILIES_TIMEF_FAMILY_H

#include "families/timef_find.h"
#include "model/family.h"

extern const struct c4w_family c4w_family_timef;

/* What a path was opened as. */
struct c4w_timef_root {
	char *path;
	enum c4w_timef_where where;
	struct c4w_store *store;
	struct c4w_arena arena;
	struct c4w_timef_entry *entries; /* registry and data set: the versions there are */
	size_t nentries;
	/* the version that nodes and facts are about, once it is open: the only one, or of a data set the highest */
	struct c4w_timef *ds;
};

/* The version `entry` (NULL: the root itself is one) opened strictly: the first fault of the manifest is an error. Owned by the caller. */
int c4w_timef_root_open(struct c4w_timef_root *r, const struct c4w_timef_entry *entry, struct c4w_timef_sink *sink, struct c4w_timef **out,
			struct c4w_err *err) C4W_MUST_CHECK;

struct c4w_timef_select {
	const char **datasets, **records, **specs; /* as given; NULL-terminated, borrowed texts */
	size_t ndatasets, nrecords, nspecs;
	struct c4w_arena arena;
};
/* Is the version of a registry selected: named, or (nothing named) the highest of its data set? `last`: it is the highest. */
bool c4w_timef_selects_version(const struct c4w_timef_select *s, const struct c4w_timef_entry *e, bool last);
bool c4w_timef_selects_series(const struct c4w_timef_select *s, const struct c4w_timef *ds, const struct c4w_timef_series *x);

int c4w_timef_verify(struct c4w_timef_root *r, const struct c4w_timef_select *sel, enum c4w_level level, struct c4w_job *out,
		     struct c4w_err *err) C4W_MUST_CHECK;

struct c4w_write_opts;
struct c4w_writing;
int c4w_timef_extract(void *root, const void *selection, const struct c4w_write_opts *opts, struct c4w_writing *out, struct c4w_err *err) C4W_MUST_CHECK;

struct c4w_node;
int c4w_timef_node(void *root, struct c4w_node **out, struct c4w_err *err) C4W_MUST_CHECK;

#endif
