/* What the key-value metadata ARROW:schema says of columns that Parquet's own schema cannot: dictionary-encoded in Arrow, lists of one fixed
 * size. For showing only: no value is read by it, and where it does not fit the Parquet schema it is passed over.
 *
 * It is base64 of an encapsulated IPC message with a FlatBuffers Schema. Every offset is checked against the bytes at hand; the walk goes along
 * the Parquet schema, so that its depth and its length are bounded by that, whatever the message's offsets share.
 */
#ifndef C4W_CONTAINERS_PQ_ARROW_H
#define C4W_CONTAINERS_PQ_ARROW_H

#include "containers/pq.h"

struct c4w_pq_arrow {
	bool dictionary;    /* a leaf */
	bool fixed_list;    /* a list (C4W_PQ_LISTS) */
	int32_t fixed_size; /* of fixed_list, at least 0 */
};

/* One entry a node of the schema into the arena; *out is NULL when the file has no ARROW:schema. C4W_DAMAGED, rule "parquet.arrow-schema", when
 * it cannot be read; *out is then NULL. */
int c4w_pq_arrow_read(const struct c4w_pq *pq, struct c4w_arena *arena, struct c4w_pq_arrow **out, struct c4w_err *err) C4W_MUST_CHECK;

/* The same from the decoded bytes; `out` is zeroed and has an entry a node. After a failure part of it may be filled in. */
int c4w_pq_arrow_message(const struct c4w_pq *pq, const uint8_t *bytes, size_t size, struct c4w_pq_arrow *out, struct c4w_err *err) C4W_MUST_CHECK;

#endif
