/* Parquet, writing: flat and nested tables out of batches, one row group after the other, to any sequential sink.
 *
 *     struct c4w_pq_node schema[] = {
 *             { .name = C4W_VIEW("schema"), .nchildren = 2 },
 *             { .name = C4W_VIEW("id"), .type = C4W_PQ_INT64 },
 *             { .name = C4W_VIEW("text"), .type = C4W_PQ_BYTE_ARRAY, .logical = C4W_PQ_L_STRING, .repetition = C4W_PQ_OPTIONAL },
 *     };
 *     C4W_TRY(c4w_pq_writer_new(schema, 3, NULL, write, ctx, &w, err));
 *     C4W_TRY(c4w_pq_writer_put(w, rows, batches, err));
 *     C4W_TRY(c4w_pq_writer_finish(w, err));
 *     c4w_pq_writer_free(w);
 *
 * The same input gives the same bytes. Nothing depends on the time, the machine or the number of threads; one writer belongs to one
 * thread. Lists in the schema are three-level ones (LogicalTypes.md); a schema read by pq.h may be passed as it is.
 */
#ifndef C4W_CONTAINERS_PQ_WRITE_H
#define C4W_CONTAINERS_PQ_WRITE_H

#include "containers/pq.h"

struct c4w_pq_writer;

/* Takes the file's bytes in order. */
typedef int (*c4w_pq_write_fn)(void *ctx, const void *p, size_t n, struct c4w_err *err);

struct c4w_pq_write_opts {
	int32_t codec;        /* the format's number: 0 none, 1 snappy, 2 gzip, 4 brotli, 6 zstd, 7 LZ4_RAW */
	int level;            /* zstd, gzip, brotli; 0: the codec's default */
	bool no_dictionary;
	size_t dictionary_bytes; /* largest dictionary page; once it is full, further pages of the chunk do without. 0: 1 MiB */
	size_t page_bytes;    /* target of a page's values; 0: 1 MiB */
	size_t group_rows;    /* rows of a row group; 0: 1,048,576 */
	int page_version;     /* 1 (also for 0) or 2 */
	bool no_crc, no_statistics;
	bool no_page_index;   /* leave offset and column index out; without statistics there is no column index anyway */
	const char *created_by; /* NULL: "c4w version …" */
	/* Encoding of a leaf's values when they are not dictionary-encoded, by column: 0 PLAIN, 5 DELTA_BINARY_PACKED (INT32, INT64),
	 * 6 DELTA_LENGTH_BYTE_ARRAY (BYTE_ARRAY), 9 BYTE_STREAM_SPLIT (numbers and FIXED). NULL: all plain. */
	const uint8_t *encodings;
};

/* Nodes depth-first, the root first; of each only name, repetition, nchildren (0: a leaf), type, type_length, logical with precision, scale,
 * unit, bits, utc, is_signed, and field_id are looked at. They and the options are copied. C4W_USAGE when they make no schema. */
int c4w_pq_writer_new(const struct c4w_pq_node *nodes, uint32_t n, const struct c4w_pq_write_opts *opts, c4w_pq_write_fn write, void *ctx,
		      struct c4w_pq_writer **out, struct c4w_err *err) C4W_MUST_CHECK;
void c4w_pq_writer_free(struct c4w_pq_writer *w); /* accepts NULL */

/* Key-value metadata; before finish. Copied. */
int c4w_pq_writer_meta(struct c4w_pq_writer *w, struct c4w_view key, struct c4w_view value, struct c4w_err *err) C4W_MUST_CHECK;

/* `rows` rows: one batch a leaf column, in the schema's order, as batch.h says (structs only where optional groups hold nulls). Split into
 * row groups of group_rows. C4W_USAGE when a batch doesn't fit its column. */
int c4w_pq_writer_put(struct c4w_pq_writer *w, size_t rows, const struct c4w_batch *batches, struct c4w_err *err) C4W_MUST_CHECK;

/* The footer. Afterwards the writer can only be freed. */
int c4w_pq_writer_finish(struct c4w_pq_writer *w, struct c4w_err *err) C4W_MUST_CHECK;

#endif
