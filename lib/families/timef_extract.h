/* Shared by the files that extract TimeF series. */
#ifndef C4W_FAMILIES_TIMEF_EXTRACT_H
#define C4W_FAMILIES_TIMEF_EXTRACT_H

#include "containers/fault.h" /* c4w_bytes_fn */
#include "families/timef_values.h"

/* A series, whose cursor has begun it, as a Parquet file: step, offset_us (where there are times), value, which is null where a step is
 * missing and a list where values have a shape. `arena` is scratch and is reset. The same series gives the same bytes. */
int c4w_timef_to_parquet(struct c4w_timef_cursor *c, const struct c4w_timef_series *s, struct c4w_arena *arena, c4w_bytes_fn put, void *ctx,
			 struct c4w_err *err) C4W_MUST_CHECK;

#endif
