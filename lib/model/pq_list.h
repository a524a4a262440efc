/* Private to the Parquet nodes: what a listing of a file, of a row group and of a folder of shards share. */
#ifndef C4W_MODEL_PQ_LIST_H
#define C4W_MODEL_PQ_LIST_H

#include "containers/pq_arrow.h"
#include "model/node_file.h"

/* What chunks add up to. Sums that leave an int64_t, which only false claims do, stay at its end. */
struct c4w_pq_sums {
	int64_t values, nulls, stored, bytes;
	bool has_nulls, mixed_codec;
	bool several_files;        /* no chunk is shown by itself: its offset says nothing, and its statistics lie in a file that is closed */
	int32_t codec;
	uint32_t encodings;
	struct c4w_pq_stats stats; /* this and the offset: of the only chunk */
	uint64_t offset;
	size_t chunks, column_index, offset_index, bloom; /* how many there are, and how many of them have these */
};

/* Adds a column of all row groups or of one, a row group of all columns: -1 is all. */
void c4w_pq_sums_add(struct c4w_pq_sums *s, const struct c4w_pq *pq, int64_t group, int64_t column);
int64_t c4w_pq_plus(int64_t a, int64_t b);

void c4w_pq_sums_describe(const struct c4w_pq_sums *s, struct c4w_facts *out);
/* What ARROW:schema has; one that can't be read is said. */
int c4w_pq_arrow_describe(const struct c4w_pq *pq, struct c4w_facts *out, struct c4w_err *err) C4W_MUST_CHECK;

/* A listing: begin, then the columns of the schema in its order, then row groups or files. `sums` has an entry a leaf column. */
int c4w_pq_list_begin(const struct c4w_rows *rows);
int c4w_pq_list_columns(const struct c4w_pq *pq, const struct c4w_pq_sums *sums, const struct c4w_rows *rows, struct c4w_err *err);
/* A row group or a file: `step` is its address. */
int c4w_pq_list_part(const struct c4w_rows *rows, const char *step, const char *type, int64_t nrows, const struct c4w_pq_sums *s,
		     enum c4w_node_kind kind);

/* The column that a step names, decoded or as it was typed; *name is in the arena. */
int c4w_pq_step_column(const struct c4w_pq *pq, struct c4w_view step, struct c4w_arena *arena, const char **name, uint32_t *schema,
		       struct c4w_err *err) C4W_MUST_CHECK;

/* Rows of the file or (group >= 0) of a row group; `column`, or NULL, is shown when the options name none. */
int c4w_pq_part_table(const struct c4w_pq *pq, int64_t group, const char *column, const struct c4w_table_opts *o, c4w_bytes_fn sink, void *ctx,
		      struct c4w_err *err) C4W_MUST_CHECK;

#endif
