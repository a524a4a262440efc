/* Channels4World: nodes and listings, for ls, cat and info. */
#ifndef C4W_FAMILIES_CHW_NODE_H
#define C4W_FAMILIES_CHW_NODE_H

#include "families/chw.h"
#include "model/node.h"

/* The root's node; it borrows the root. */
int chw_node(void *root, struct c4w_node **out, struct c4w_err *err);

/* "present", "missing", "damaged" (its file has another size), "not published", "unknown" (no members table here), "unreadable". */
const char *chw_place_state(struct chw_group *g, const struct chw_place *place);

/* Scenes in pinned order; with detail also records, bytes and whether they are here, which loads the groups' metadata. */
int chw_list_scenes(struct chw_root *r, const struct chw_selection *s, bool detail, const struct c4w_rows *rows, struct c4w_err *err) C4W_MUST_CHECK;
/* Selected records in item order, core before detail. */
int chw_list_records(struct chw_root *r, const struct chw_selection *s, bool detail, const struct c4w_rows *rows, struct c4w_err *err) C4W_MUST_CHECK;
/* The files table. */
int chw_list_files(struct chw_root *r, const struct c4w_rows *rows, struct c4w_err *err) C4W_MUST_CHECK;

#endif
