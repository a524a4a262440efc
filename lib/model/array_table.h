/* Rows of a structured array as a Parquet table: a column a field.
 *
 * Texts become strings, a subarray a list (of required elements), a complex NAME the two columns NAME_re and NAME_im. Signed and unsigned
 * integers keep their width as a logical type. Other kinds (bytes, times, nested structs) are C4W_UNSUPPORTED. One thread at a time.
 */
#ifndef C4W_MODEL_ARRAY_TABLE_H
#define C4W_MODEL_ARRAY_TABLE_H

#include "base/array.h"
#include "containers/pq_write.h"

struct c4w_array_table;

/* `row` is a C4W_STRUCT of little-endian fields; it and what it points to are borrowed until the table is freed. */
int c4w_array_table_new(const struct c4w_dtype *row, const struct c4w_pq_write_opts *opts, c4w_pq_write_fn write, void *ctx,
			struct c4w_array_table **out, struct c4w_err *err) C4W_MUST_CHECK;
/* `bytes` is a multiple of row->size. */
int c4w_array_table_put(struct c4w_array_table *t, const uint8_t *rows, size_t bytes, struct c4w_err *err) C4W_MUST_CHECK;
int c4w_array_table_finish(struct c4w_array_table *t, struct c4w_err *err) C4W_MUST_CHECK;
void c4w_array_table_free(struct c4w_array_table *t); /* accepts NULL */

#endif
