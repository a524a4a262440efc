/* A dataset family: a table of functions. It owns its format's rules and no threads, no printing, no argument parsing.
 *
 * lib/families/families.c lists all of them. `file` is the last one: a lone container or a checksum list.
 */
#ifndef C4W_MODEL_FAMILY_H
#define C4W_MODEL_FAMILY_H

#include "base/rule.h"
#include "model/driver.h"
#include "storage/store.h"

struct c4w_node; /* model/node.h */
struct c4w_writing; /* model/plan.h */
struct c4w_write_opts;
struct c4w_missing;
struct c4w_buf;

/* How sure a probe is. A family wins over the bare container when it is certain. */
enum c4w_sure { C4W_SURE_NO = 0, C4W_SURE_MAYBE = 50, C4W_SURE_CERTAIN = 100 };

struct c4w_probe {
	int sure;
	char why[160]; /* "c4w-root.json is there", for `info` */
};

/* One selection option of a family: merged into the tables of the commands that take a selection. */
struct c4w_seloption {
	const char *name;   /* "split", without dashes; NULL ends the table */
	const char *arg;    /* "NAME"; NULL: a flag */
	bool repeat;        /* may be given more than once */
	const char *help;   /* one line */
	const char *more;   /* the long help, or NULL */
	const char *values; /* "core,detail,positions,geometry": what completion offers; or NULL */
};

/* A selection as it was given: option names with values, in command-line order. Borrowed. */
struct c4w_selarg {
	const char *name, *value; /* value NULL for a flag */
};

struct c4w_selargs {
	const struct c4w_selarg *v;
	size_t n;
};

enum c4w_level { C4W_LEVEL_NONE, C4W_LEVEL_BASIC, C4W_LEVEL_FULL };

struct c4w_fact {        /* one line of `info` */
	const char *key; /* static, snake_case: "kind", "scenes_train" */
	const char *text; /* NULL: number */
	int64_t number;
};

struct c4w_facts {
	struct c4w_fact *v;
	size_t n, cap;
	struct c4w_arena text;
};
void c4w_facts_text(struct c4w_facts *f, const char *key, const char *fmt, ...) C4W_PRINTF(3, 4);
void c4w_facts_view(struct c4w_facts *f, const char *key, struct c4w_view v); /* escaped for display; p NULL: nothing to say */
void c4w_facts_number(struct c4w_facts *f, const char *key, int64_t value);
/* Several numbers of `key` and `number`; with `some` those that are 0 are left out. */
void c4w_facts_numbers(struct c4w_facts *f, const struct c4w_fact *v, size_t n, bool some);
void c4w_facts_clear(struct c4w_facts *f);

/* What one family alone has (scenes and channels, TimeF's views, PASSAGE's pictures) is no member: the options and forms of such a command are
 * the family's own from end to end, so it names its family; a seam would repeat those options for one caller each. */
struct c4w_family {
	const char *name;  /* "channels4world": what --as takes and JSON prints */
	const char *title; /* "Channels4World root" */
	const struct c4w_rule *const *rules; /* NULL-terminated list of rule tables */
	const struct c4w_seloption *options; /* or NULL */
	const char *const *item_keys; /* keys of its items in JSON, up to 8, NULL-terminated: null in a finding that is of no item; or NULL */

	/* `path` is the user's own name. Cheap: a stat or the first bytes of a file. */
	void (*probe)(const char *path, struct c4w_probe *out);
	int (*open)(const char *path, void **root, struct c4w_err *err);
	/* Several paths as one root, for commands that take several sources; NULL: a root is one path. */
	int (*open_several)(const char *const *paths, size_t n, void **root, struct c4w_err *err);
	void (*close)(void *root);

	/* What `info` says. Numbers are exact; order is the order of printing. */
	int (*describe)(void *root, struct c4w_facts *out, struct c4w_err *err);

	/* Check the options against the root. C4W_USAGE names what there is. The selection belongs to the caller. */
	int (*compile)(void *root, const struct c4w_selargs *args, void **selection, struct c4w_err *err);
	void (*selection_free)(void *selection);

	/* A job whose items are verified at the level. Root and selection are borrowed until the job is destroyed. */
	int (*verify)(void *root, const void *selection, enum c4w_level level, struct c4w_job *out, struct c4w_err *err);

	/* The root node for ls, cat, info and diff (model/node.h); borrows the root. */
	int (*node)(void *root, struct c4w_node **out, struct c4w_err *err);

	/* Preparation (model/plan.h); each may be NULL. Root, selection and sink are borrowed until the writing is destroyed. */
	int (*extract)(void *root, const void *selection, const struct c4w_write_opts *opts, struct c4w_writing *out, struct c4w_err *err);
	int (*to_cache)(void *root, const void *selection, const struct c4w_write_opts *opts, struct c4w_writing *out, struct c4w_err *err);
	/* What a selection still needs. The caller clears *out. */
	int (*missing)(void *root, const void *selection, struct c4w_missing *out, struct c4w_err *err);
	/* The selection as a file that --recipe takes; revision may be NULL. Appended to *out. */
	int (*recipe)(void *root, const void *selection, const char *revision, struct c4w_buf *out, struct c4w_err *err);
};

/* All families, the most special first, ended by NULL. */
extern const struct c4w_family *const c4w_families[];

/* The family for a path: the surest probe; `as` (or NULL) overrides. C4W_USAGE for an unknown name. *why says how it was
 * chosen. NULL family with C4W_OK: nothing claims it. */
int c4w_family_find(const char *path, const char *as, const struct c4w_family **out, struct c4w_probe *why, struct c4w_err *err);

/* What the path was taken for, in words that follow "a": the family's title, or "folder" for one that no dataset's family claims. */
const char *c4w_family_title(const struct c4w_family *f, const char *path);
/* Gives err, which is filled, a hint when such a folder is a dataset that is not finished. */
void c4w_family_hint(const struct c4w_family *f, const char *path, struct c4w_err *err);

#endif
