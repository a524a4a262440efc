/* Private to the Parquet printers of lib/model. */
#ifndef C4W_MODEL_PQ_TEXT_H
#define C4W_MODEL_PQ_TEXT_H

#include "base/buf.h"
#include "containers/pq.h"

/* Slot i of a leaf's batch as JSON text, appended. */
void c4w_pq_slot_json(struct c4w_buf *out, const struct c4w_pq_node *leaf, const struct c4w_batch *b, size_t i);

#endif
