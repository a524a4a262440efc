/* Values of one series as text, NPY or raw bytes; ranges. */
#ifndef C4W_FAMILIES_TIMEF_PRINT_H
#define C4W_FAMILIES_TIMEF_PRINT_H

#include "containers/fault.h" /* c4w_bytes_fn */
#include "families/timef_values.h"

enum c4w_timef_values_form { C4W_TF_V_CSV, C4W_TF_V_TSV, C4W_TF_V_JSONL, C4W_TF_V_NPY, C4W_TF_V_RAW };
enum c4w_timef_plane_what { C4W_TF_W_VALUES, C4W_TF_W_OFFSETS, C4W_TF_W_VALIDITY };

struct c4w_timef_range {
	uint64_t from, to, every; /* steps [from, to), every n-th */
};

/* "A:B", either end left out. Integers are steps, negative ones from the end; numbers with us, ms, s, min, h or d behind them are time from the record's zero; dates
 * ("2024-05-01T12:00:00", "2024-05-01") are timestamps. The cursor has begun the series. C4W_USAGE says what is wrong. */
int c4w_timef_range_parse(struct c4w_timef_cursor *c, const struct c4w_timef_series *s, const char *text, struct c4w_timef_range *out,
			  struct c4w_err *err) C4W_MUST_CHECK;

/* Print. CSV: step, offset_us, timestamp, valid, value (for values with a shape a column an element: value[0,1]). JSON lines: the same as
 * an object, nested lists. NPY: (steps, *shape); missing floats are NaN, others zero; text as fixed-width unicode. Raw: little-endian, text
 * as u32 length and bytes. `codes`: an enum's numbers instead of its labels (always in NPY and raw). */
int c4w_timef_print(struct c4w_timef_cursor *c, const struct c4w_timef_series *s, const struct c4w_timef_range *r,
		    enum c4w_timef_values_form form, bool codes, enum c4w_timef_plane_what what, c4w_bytes_fn sink, void *ctx,
		    struct c4w_err *err) C4W_MUST_CHECK;

#endif
