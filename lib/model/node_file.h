/* Node providers of plain files, folders and containers. What they open lives as long as the node. */
#ifndef C4W_MODEL_NODE_FILE_H
#define C4W_MODEL_NODE_FILE_H

#include "model/node.h"
#include "storage/stream.h"

/* A file or folder by the user's own name; "-" and FIFOs are read once, into memory when they must be read at random places. */
int c4w_node_path(const char *path, struct c4w_node **out, struct c4w_err *err) C4W_MUST_CHECK;

/* The bytes of a blob, of which one more owner is taken. Nothing is read yet. */
int c4w_node_bytes(struct c4w_node *parent, struct c4w_blob *blob, struct c4w_node **out, struct c4w_err *err) C4W_MUST_CHECK;

/* What a file is by its first bytes and, where these say nothing, by its name. */
enum c4w_format {
	C4W_FORMAT_NONE,
	C4W_FORMAT_NPY,
	C4W_FORMAT_ZIP,
	C4W_FORMAT_NPZ, /* a ZIP whose name ends in .npz */
	C4W_FORMAT_TAR,
	C4W_FORMAT_ZST,
	C4W_FORMAT_PARQUET,
	C4W_FORMAT_SUMS,
};
/* *why is a static clause: "its first bytes are those of a ZIP archive". */
enum c4w_format c4w_format_of(struct c4w_blob *blob, const char **why);
const char *c4w_format_name(enum c4w_format f); /* "ZIP archive" */

/* ---- the containers; each takes one more owner of the blob ---- */
int c4w_node_npy(struct c4w_node *parent, struct c4w_blob *blob, struct c4w_node **out, struct c4w_err *err) C4W_MUST_CHECK;
int c4w_node_zip(struct c4w_node *parent, struct c4w_blob *blob, struct c4w_node **out, struct c4w_err *err) C4W_MUST_CHECK;
int c4w_node_tar(struct c4w_node *parent, struct c4w_blob *blob, struct c4w_node **out, struct c4w_err *err) C4W_MUST_CHECK;
int c4w_node_zst(struct c4w_node *parent, struct c4w_blob *blob, struct c4w_node **out, struct c4w_err *err) C4W_MUST_CHECK;
int c4w_node_pq(struct c4w_node *parent, struct c4w_blob *blob, struct c4w_node **out, struct c4w_err *err) C4W_MUST_CHECK;

/* The rows of a folder of Parquet shards, in the order of their names: a table in several files. Files that begin with '.' or '_' are passed over;
 * any other that is not called *.parquet makes it no such folder: C4W_USAGE, "is a folder". */
struct c4w_store;
int c4w_pq_shards_list(struct c4w_store *store, const char *rel, struct c4w_arena *arena, const char ***names, size_t *n,
		       struct c4w_err *err) C4W_MUST_CHECK;
int c4w_pq_shards_table(struct c4w_store *store, const char *rel, const struct c4w_table_opts *o, c4w_bytes_fn sink, void *ctx,
			struct c4w_err *err) C4W_MUST_CHECK;
/* One view of them: the columns with what all files' chunks add up to, then the files; the facts in sum. *is_table is false, with C4W_OK and
 * nothing said, where the folder is no such table: other files in it, one that can't be read, files of other columns (a catalogue). */
int c4w_pq_shards_rows(struct c4w_store *store, const char *rel, const struct c4w_rows *rows, bool *is_table, struct c4w_err *err) C4W_MUST_CHECK;
int c4w_pq_shards_describe(struct c4w_store *store, const char *rel, struct c4w_facts *out, bool *is_table, struct c4w_err *err) C4W_MUST_CHECK;
/* The column that a step names, of all files. */
int c4w_pq_shards_column(struct c4w_node *parent, struct c4w_store *store, const char *rel, struct c4w_view step, struct c4w_node **out,
			 struct c4w_err *err) C4W_MUST_CHECK;

#endif
