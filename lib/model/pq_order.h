/* The order of plain-encoded values, and what statistics leave open of it. */
#ifndef C4W_MODEL_PQ_ORDER_H
#define C4W_MODEL_PQ_ORDER_H

#include "containers/pq.h"

/* -1, 0 or 1 as a is below, equal to or above b; 2 when they have no order (NaN). Both of the type's width. */
int c4w_pq_compare(const struct c4w_pq_node *leaf, const uint8_t *a, size_t na, const uint8_t *b, size_t nb);

#endif
