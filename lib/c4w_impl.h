/* What the files behind <c4w.h> share. */
#ifndef C4W_IMPL_H
#define C4W_IMPL_H

#include "c4w.h"

#include "base/arena.h"
#include "base/array.h"
#include "model/family.h"

struct c4w_root {
	const struct c4w_family *family;
	void *root; /* the family's */
	struct c4w_node *node; /* made at first use */
	char *path;
};

struct c4w_select {
	const struct c4w_family *family;
	void *selection; /* the family's, NULL when it has none */
};

/* The family's selection: the caller's, or the default one, made here; *own is then to be freed by c4w_select_free. */
int c4w_api_select(struct c4w_root *r, const struct c4w_select *s, struct c4w_select **own, const void **selection, struct c4w_err *err);

/* ---- making arrays ---- */

int c4w_arrays_new(struct c4w_arrays **out, struct c4w_err *err);
struct c4w_arena *c4w_arrays_arena(struct c4w_arrays *a); /* for what the arrays will hold */
/* Add one. Its bytes stay where they are when they lie in the arena (`copy` false), else they are copied. */
int c4w_arrays_add(struct c4w_arrays *a, struct c4w_view name, const struct c4w_array *array, bool copy, struct c4w_err *err);
/* n elements of a plain type, on one axis. */
int c4w_arrays_add_plain(struct c4w_arrays *a, const char *name, char kind, unsigned size, uint64_t n, const void *p, bool copy,
			 struct c4w_err *err);

#endif
