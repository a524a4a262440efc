/* PASSAGE in Parquet: shards, their rows, and the parts of a row (formats/passage.md, section 6).
 *
 * A set of shards is one file, a folder of them, or an export. Row groups are loaded with the columns that are asked for and no others;
 * what is loaded is shared by the rows and freed with the last reference. Loaded groups are read-only: any thread may read rows,
 * each with its own arena.
 */
#ifndef C4W_FAMILIES_PSG_SHARD_H
#define C4W_FAMILIES_PSG_SHARD_H

#include "containers/pq.h"
#include "families/psg_tree.h"

#include <stdatomic.h>

struct c4w_psg_shards;

struct c4w_psg_shard {
	char *path;  /* below the set's root, or the file's own name: for messages */
	char *full;  /* to open */
	uint32_t r;  /* of the folder "<R>x<R>"; 0: it does not say */
	int split;   /* of the folder; -1: it does not say */
	bool samples;
	bool named;  /* the name holds resolution, first and last index */
	uint32_t name_r;
	uint64_t name_first, name_last;
	size_t folder; /* shards of one folder have the same number */
};

/* What the path is: shards, or C4W_PSG_SHARDS_NONE. `why` gets a clause. */
enum c4w_psg_shards_kind {
	C4W_PSG_SHARDS_NONE,
	C4W_PSG_SHARDS_FILE,
	C4W_PSG_SHARDS_FOLDER,
	C4W_PSG_SHARDS_RESOLUTION,
	C4W_PSG_SHARDS_EXPORT,
	C4W_PSG_SHARDS_SEVERAL, /* of c4w_psg_shards_open_several alone */
};
enum c4w_psg_shards_kind c4w_psg_shards_probe(const char *path, char *why, size_t size);

int c4w_psg_shards_open(const char *path, struct c4w_psg_shards **out, struct c4w_err *err) C4W_MUST_CHECK;
/* Files, folders and exports as one set, in the order of `paths`. A shard's path is then its full one. C4W_USAGE names a path that is none. */
int c4w_psg_shards_open_several(const char *const *paths, size_t n, struct c4w_psg_shards **out, struct c4w_err *err) C4W_MUST_CHECK;
void c4w_psg_shards_close(struct c4w_psg_shards *s); /* accepts NULL */
const struct c4w_psg_shard *c4w_psg_shards_list(const struct c4w_psg_shards *s, size_t *count);
enum c4w_psg_shards_kind c4w_psg_shards_kind(const struct c4w_psg_shards *s);
struct c4w_store *c4w_psg_shards_store(const struct c4w_psg_shards *s); /* NULL for a single file and for several inputs */

/* ---- one open shard ---- */

enum {
	C4W_PSG_COL_ID = 1,
	C4W_PSG_COL_TENSOR = 2,
	C4W_PSG_COL_JSON = 4,   /* metadata_json, or the struct where that column is absent */
	C4W_PSG_COL_STRUCT = 8,
	C4W_PSG_COL_IMAGES = 16,
	C4W_PSG_COL_STATE = 32, /* tensors only where statistics do not say that none is null */
	C4W_PSG_COL_ROUTE0 = 64, /* << route */
	C4W_PSG_COL_ROUTES = 0x3f * C4W_PSG_COL_ROUTE0,
	C4W_PSG_COL_ALL = 31 | C4W_PSG_COL_ROUTES,
};

struct c4w_psg_file { /* counted: loaded rows keep it open */
	atomic_uint refs;
	const struct c4w_psg_shard *shard;
	struct c4w_pq *pq;
	int32_t id, tensor, json;          /* leaf columns, -1: absent or of a wrong type */
	int32_t route[C4W_PSG_ROUTES];
	int32_t image[C4W_PSG_SOLVERS], image_path[C4W_PSG_SOLVERS];
	uint32_t meta;                     /* schema node of the struct, 0: absent */
	bool all_tensors;                  /* statistics say that no tensor is null */
};

/* Opens and finds the columns by name. With a sink, missing columns and wrong types are reported. */
int c4w_psg_file_open(const struct c4w_psg_shard *shard, struct c4w_psg_sink *sink, struct c4w_psg_file **out, struct c4w_err *err)
	C4W_MUST_CHECK;
void c4w_psg_file_close(struct c4w_psg_file *f); /* accepts NULL */

/* ---- rows ---- */

struct c4w_psg_group; /* loaded rows of one row group; counted */

struct c4w_psg_row {
	struct c4w_psg_group *group; /* one reference for each row that was given out */
	size_t at;                   /* in the group */
	const struct c4w_psg_shard *shard;
	uint64_t number;             /* of the row in its file */
	bool id_ok;                  /* the id is ten digits: `index` is it */
	uint64_t index;
	struct c4w_view id;          /* raw; empty when null */
};
void c4w_psg_row_free(struct c4w_psg_row *row);

struct c4w_psg_rows;
/* `want`: columns to load besides the ids. The sink (or NULL) hears of schema faults and shards that can't be read. */
int c4w_psg_rows_new(struct c4w_psg_shards *s, const struct c4w_psg_select *sel, unsigned want, struct c4w_psg_sink *sink,
		     struct c4w_psg_rows **out, struct c4w_err *err) C4W_MUST_CHECK;
/* *file_done (may be NULL): a shard has just been left, *out is empty. Without a sink an error ends the shard (err names it): the next call
 * goes on with the one after it. */
int c4w_psg_rows_next(struct c4w_psg_rows *r, struct c4w_psg_row *out, bool *file_done, bool *end, struct c4w_err *err) C4W_MUST_CHECK;
void c4w_psg_rows_free(struct c4w_psg_rows *r); /* accepts NULL */

/* Has the row a tensor? For rows whose tensors or state were asked for. */
bool c4w_psg_row_has_tensor(const struct c4w_psg_row *row);
/* The parts of a row. A null part gives *p NULL. */
void c4w_psg_row_tensor(const struct c4w_psg_row *row, const uint8_t **p, size_t *n);
/* Length of the row's tensor where that has been loaded, else 0. */
uint64_t c4w_psg_row_blob_bytes(const struct c4w_psg_row *row);
void c4w_psg_row_json(const struct c4w_psg_row *row, const uint8_t **p, size_t *n);
void c4w_psg_row_image(const struct c4w_psg_row *row, int solver, const uint8_t **p, size_t *n, struct c4w_view *path);
/* *there false: null, or the column is absent. C4W_DAMAGED passage.pair, passage.csv-range. r 0: unknown. */
int c4w_psg_row_route(const struct c4w_psg_row *row, int k, uint32_t r, struct c4w_arena *arena, struct c4w_psg_route *out, bool *there,
		      struct c4w_err *err) C4W_MUST_CHECK;
/* The struct's non-null fields as a tree; *out NULL when the struct is null or absent. */
int c4w_psg_row_struct(const struct c4w_psg_row *row, struct c4w_arena *arena, struct c4w_yaml_node **out, struct c4w_err *err)
	C4W_MUST_CHECK;
/* metadata_json as a tree, or the struct where that column is absent; *out NULL when there is neither. */
int c4w_psg_row_meta(const struct c4w_psg_row *row, struct c4w_arena *arena, struct c4w_yaml_node **out, struct c4w_err *err) C4W_MUST_CHECK;

/* A JSON document as a tree of the YAML reader's nodes, under section 4's limits. C4W_DAMAGED passage.json. */
int c4w_psg_json(struct c4w_view text, struct c4w_arena *arena, struct c4w_yaml_node **out, struct c4w_err *err) C4W_MUST_CHECK;
/* The place where the struct says something else than the JSON ("paths.astar_slope.free.cost"); false when it does not. */
bool c4w_psg_differs(const struct c4w_yaml_node *part, const struct c4w_yaml_node *whole, char *place, size_t size);

/* The columns of the shard that a row is from. */
const struct c4w_psg_file *c4w_psg_row_file(const struct c4w_psg_row *row);

/* Check one row at a level, as c4w_psg_verify_ref does for a tree's scene. */
int c4w_psg_verify_row(const struct c4w_psg_row *row, bool full, struct c4w_psg_decoder *d,
		       struct c4w_arena *arena, struct c4w_psg_sink *s, uint64_t *bytes, struct c4w_err *err) C4W_MUST_CHECK;

#endif
