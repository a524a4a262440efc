/* Values of a series, from either backend, lent in runs of steps. See timef.h for ownership. */
#ifndef C4W_FAMILIES_TIMEF_VALUES_H
#define C4W_FAMILIES_TIMEF_VALUES_H

#include "families/timef.h"

struct c4w_timef_cursor;

/* One worker's means to read values. The data set's index must be loaded before c4w_timef_begin. */
int c4w_timef_cursor_new(struct c4w_timef *ds, struct c4w_timef_cursor **out, struct c4w_err *err) C4W_MUST_CHECK;
void c4w_timef_cursor_free(struct c4w_timef_cursor *c); /* accepts NULL */

struct c4w_timef *c4w_timef_cursor_ds(const struct c4w_timef_cursor *c);

/* Turn to a series of a record: its index rows are looked up, and must add up to n_values (index.n-values-sum). */
int c4w_timef_begin(struct c4w_timef_cursor *c, const struct c4w_timef_series *s, struct c4w_err *err) C4W_MUST_CHECK;

/* The index rows of the series that is being read. */
const struct c4w_timef_chunk *const *c4w_timef_cursor_chunks(const struct c4w_timef_cursor *c, size_t *n);

struct c4w_timef_run {
	uint64_t first;         /* [first, first + steps) of the series */
	size_t steps;           /* at least 1 */
	const uint8_t *values;  /* numbers: steps * elements * size bytes, little-endian, zero where a step is missing; enum: int32
				   codes, -1 for a label that is no category; NULL for str */
	const int64_t *offsets; /* str: steps + 1 offsets into text, the first not always 0 */
	const char *text;
	const uint8_t *valid;   /* a byte a step, 0 or 1; NULL: none is missing */
	size_t missing;
	const int64_t *times;   /* irregular, and asked for: the time offsets; else NULL */
};

/* The steps from `a` on, as many as come at once, below `b`. Lent until the next call. a < b <= n_values. Nothing but the pages or
 * chunks of these steps is read. */
int c4w_timef_lend(struct c4w_timef_cursor *c, uint64_t a, uint64_t b, bool times, struct c4w_timef_run *out,
		   struct c4w_err *err) C4W_MUST_CHECK;

/* First step of an irregular series whose offset is >= t, by bisection over its chunks. */
int c4w_timef_irregular_step(struct c4w_timef_cursor *c, int64_t t, int64_t *step, struct c4w_err *err) C4W_MUST_CHECK;

/* About how much memory reading the series takes. */
uint64_t c4w_timef_cost(const struct c4w_timef *ds, const struct c4w_timef_series *s);

#endif
