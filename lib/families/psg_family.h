/* The PASSAGE family's own table and the jobs behind it (model/family.h). */
#ifndef C4W_FAMILIES_PSG_FAMILY_H
#define C4W_FAMILIES_PSG_FAMILY_H

#include "families/psg_shard.h"
#include "families/psg_tree.h"
#include "model/family.h"

#include <pthread.h>

extern const struct c4w_family c4w_family_passage;

/* What `open` gives. */
struct c4w_psg_root {
	struct c4w_psg_tree *tree;     /* one of the two, */
	struct c4w_psg_shards *shards; /* the other is NULL */
};

/* A sink for findings, each fault one of its own. The path becomes part of the message. */
struct c4w_psg_sink c4w_psg_sink_of(struct c4w_findings *fs);

/* The decoders of a job. A worker takes one for an item and gives it back, so that there are never more buffers than items in work:
 * one of R = 4096 has 201 MB. Any thread may call take and give. */
struct c4w_psg_decoders {
	pthread_mutex_t mutex;
	struct c4w_psg_decoder *idle;
};
void c4w_psg_decoders_init(struct c4w_psg_decoders *p);
void c4w_psg_decoders_clear(struct c4w_psg_decoders *p); /* all have been given back */
struct c4w_psg_decoder *c4w_psg_decoder_take(struct c4w_psg_decoders *p, struct c4w_err *err); /* NULL: no memory */
void c4w_psg_decoder_give(struct c4w_psg_decoders *p, struct c4w_psg_decoder *d);

/* Memory that working on a scene takes: the tensor and its blob. blob_bytes 0: not known. */
uint64_t c4w_psg_cost(uint32_t r, uint64_t blob_bytes);
uint64_t c4w_psg_ref_cost(const struct c4w_psg_tree *t, const struct c4w_psg_ref *ref);

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
