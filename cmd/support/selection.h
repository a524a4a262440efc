/* The families' selection options, merged into a command's, and the family a path belongs to. */
#ifndef C4W_CMD_SELECTION_H
#define C4W_CMD_SELECTION_H

#include "../command.h"

#include "model/family.h"

/* The first family's option with this long name, or NULL. */
const struct c4w_option *c4w_selection_option(const char *name);

/* Every family's options; one that several families have is visited once, under the first one's title. */
void c4w_selection_each(c4w_option_visit *fn, void *user);

/* What the user pointed at. */
struct c4w_target {
	const char *path;
	const struct c4w_family *family; /* never NULL once open; "file" for a lone container or a folder */
	struct c4w_probe why;
	void *root;      /* the family's */
	void *selection; /* compiled, or NULL */
};

/* Find the family (--as overrides) and open the root. */
int c4w_target_open(struct c4w_ctx *ctx, const char *path, struct c4w_target *out, struct c4w_err *err) C4W_MUST_CHECK;

/* Several paths as one root: all of one family, and of one that joins roots (C4W_USAGE). `out->path` is the first. */
int c4w_target_open_several(struct c4w_ctx *ctx, const char *const *paths, size_t n, struct c4w_target *out, struct c4w_err *err) C4W_MUST_CHECK;

/* Compile the selection options that were given. One that belongs to another family is C4W_USAGE and names it. */
int c4w_target_select(struct c4w_ctx *ctx, struct c4w_target *t, struct c4w_err *err) C4W_MUST_CHECK;

/* Fails with "<before><what the target was taken for><after>", its path, and a hint where the target is a root that is not finished. */
int c4w_target_fail(const struct c4w_target *t, enum c4w_class cls, const char *before, const char *after, struct c4w_err *err);

void c4w_target_close(struct c4w_target *t); /* accepts an empty one */

#endif
