/* The PASSAGE family's own table and the jobs behind it (model/family.h). */
#ifndef C4W_FAMILIES_PSG_FAMILY_H
#define C4W_FAMILIES_PSG_FAMILY_H

#include "families/psg_shard.h"
#include "families/psg_tree.h"
#include "model/family.h"

extern const struct c4w_family c4w_family_passage;

/* What `open` gives. */
struct c4w_psg_root {
	struct c4w_psg_tree *tree;     /* one of the two, */
	struct c4w_psg_shards *shards; /* the other is NULL */
};

/* A sink for findings: ctx is a struct c4w_findings. The path becomes part of the message. */
void c4w_psg_to_findings(void *ctx, enum c4w_psg_level level, const char *path, const struct c4w_err *e);

/* worker_new and worker_free of jobs whose workers need a struct c4w_psg_decoder. */
int c4w_psg_worker_new(void *ctx, void **out, struct c4w_err *err);
void c4w_psg_worker_free(void *ctx, void *worker);

int c4w_psg_verify_tree(struct c4w_psg_tree *t, const struct c4w_psg_select *sel, bool full, struct c4w_job *out, struct c4w_err *err)
	C4W_MUST_CHECK;
int c4w_psg_verify_shards(struct c4w_psg_shards *set, const struct c4w_psg_select *sel, bool full, struct c4w_job *out, struct c4w_err *err)
	C4W_MUST_CHECK;

/* The root node (psg_node.c). */
int c4w_psg_node(void *root, struct c4w_node **out, struct c4w_err *err) C4W_MUST_CHECK;

/* --resolution, --split, --index, --solver, --variant as given; the selection is freed by c4w_psg_select_free. */
int c4w_psg_select_parse(const struct c4w_selargs *args, struct c4w_psg_select **out, struct c4w_err *err) C4W_MUST_CHECK;
void c4w_psg_select_free(void *selection);

#endif
