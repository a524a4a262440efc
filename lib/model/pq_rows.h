/* Rows of a Parquet file as text: JSON lines, CSV or TSV. Rows are built from batches, for printing only.
 *
 * JSON: integers and booleans as they are; floats in the shortest form that reads back, "NaN", "Infinity" and "-Infinity" as strings; strings
 * as JSON strings; binary (fixed or not, UUID, interval, enum) as lower-case hex; decimals as strings; dates YYYY-MM-DD; times HH:MM:SS[.fraction];
 * timestamps YYYY-MM-DDTHH:MM:SS[.fraction][Z], Z for those in UTC; lists as arrays; structs as objects; maps as arrays of {"key", "value"};
 * null as null. CSV and TSV: a header line, then the same values, strings bare (quoted where CSV needs it; in TSV tab, newline, return and
 * backslash become \t, \n, \r, \\), null as nothing, lists, structs and maps as their JSON.
 */
#ifndef C4W_MODEL_PQ_ROWS_H
#define C4W_MODEL_PQ_ROWS_H

#include "base/buf.h"
#include "containers/pq.h"

enum c4w_rows_format { C4W_ROWS_JSONL, C4W_ROWS_CSV, C4W_ROWS_TSV };

/* Takes text as it is made, some 64 KiB at a time. A failure ends the printing and is passed on. */
typedef int (*c4w_text_fn)(void *ctx, const char *p, size_t n, struct c4w_err *err);

struct c4w_pq_rows_opts {
	enum c4w_rows_format format;
	const char *const *columns; /* dotted names as c4w_pq_find takes them; NULL: all. JSON keeps the nesting, with what wasn't named left out */
	size_t ncolumns;
	int64_t first, last;        /* rows [first, last) of the file; last < 0: to the end */
	bool no_header;             /* CSV, TSV */
	uint32_t *bad_crcs;         /* as in c4w_pq_opts */
	size_t memory;              /* bytes that a row group's columns may take; 0: no limit of its own. Beyond: C4W_LIMIT */
};

/* Print. Memory: the selected columns of one row group. worker NULL: a temporary one. */
int c4w_pq_rows_print(const struct c4w_pq *pq, const struct c4w_pq_rows_opts *opts, struct c4w_pq_worker *worker, c4w_text_fn out, void *ctx,
		      struct c4w_err *err) C4W_MUST_CHECK;

/* One leaf value as JSON text, appended: what the rules above say of its type. `bytes` is plain-encoded (statistics) or a slot's bytes. */
void c4w_pq_value_json(struct c4w_buf *out, const struct c4w_pq_node *leaf, const void *bytes, size_t n);

#endif
