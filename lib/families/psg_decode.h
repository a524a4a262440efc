/* Decoding scenes into other formats, and extracting them into a generator tree: jobs for the driver. */
#ifndef C4W_FAMILIES_PSG_DECODE_H
#define C4W_FAMILIES_PSG_DECODE_H

#include "families/psg_claims.h"
#include "families/psg_encode.h"
#include "families/psg_family.h"
#include "model/plan.h"

/* What can be decoded: a tree, shards, or one loose blob. */
struct c4w_psg_input {
	const char *name; /* the user's own, for messages; borrowed */
	struct c4w_psg_tree *tree;
	struct c4w_psg_shards *shards;
	struct c4w_blob *blob;
};
/* Anything that the family claims, or a file that is taken for a blob. */
int c4w_psg_input_open(const char *path, struct c4w_psg_input *out, struct c4w_err *err) C4W_MUST_CHECK;
void c4w_psg_input_close(struct c4w_psg_input *in); /* accepts an empty one */
/* Is it a single scene (a blob, or one of a tree)? */
bool c4w_psg_input_single(const struct c4w_psg_input *in);

/* Can two of its scenes have one place? Shards may repeat scenes, and where a path leaves the place open metadata may lie. */
bool c4w_psg_input_collides(const struct c4w_psg_input *in);
/* Are two scenes or more selected? Reads names and ids, no scene; of what can't be read it says no. */
bool c4w_psg_input_several(const struct c4w_psg_input *in, const struct c4w_psg_select *sel);

struct c4w_psg_decode {
	struct c4w_psg_encode encode;
	const struct c4w_psg_select *sel;
	uint32_t r;            /* --resolution for a loose blob; 0: by the content size */
	uint64_t memory;       /* what a scene may take (C4W_LIMIT); 0: any */
	struct c4w_sink *sink; /* NULL: `put` is called with the bytes, on the worker's thread */
	/* n bytes of a scene's output behind the first `at`, of `size` in all; the first call of a scene has at 0. A failure ends the scene. */
	int (*put)(void *ctx, uint64_t at, uint64_t size, const void *p, size_t n, struct c4w_err *err);
	void *ctx;
	struct c4w_psg_claims *claims; /* with a sink: the paths written so far, by this job and earlier ones; NULL: none can collide */
	bool skip_existing, dry_run;
	enum c4w_term show;    /* with `sketch` */
	uint32_t sketch;       /* not 0: draw for a terminal this many cells wide instead of encoding */
};

/* What became of an item: result->data. */
struct c4w_psg_decoded {
	char path[320];  /* below the destination */
	const void *p;   /* of a sketch: valid until the worker's next item */
	uint64_t n;      /* bytes; with dry_run 0 unless the format is npy or raw */
	bool skipped;
	struct c4w_err err; /* cls is C4W_OK when all went well */
};

/* Items in the walk's order; findings of an item say what is wrong with it. The input and the options are borrowed. */
int c4w_psg_decode_job(struct c4w_psg_input *in, const struct c4w_psg_decode *o, struct c4w_job *out, struct c4w_err *err) C4W_MUST_CHECK;

/* The family's extract: scenes out of shards or a tree into a tree. */
int c4w_psg_extract(void *root, const void *selection, const struct c4w_write_opts *opts, struct c4w_writing *out, struct c4w_err *err)
	C4W_MUST_CHECK;

#endif
