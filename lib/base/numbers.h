/* Numbers as text, without the locale. Thread-safe, no allocation.
 *
 * Parsing takes the whole view or fails: no white space, no '+', no surplus. Integers fail rather than round or wrap.
 * Formatting of floats gives the shortest text that reads back as the same value, the closest one if several are as
 * short, laid out as Python's repr does: "0.0001", "1e-05", "1e+16", "123456789012345.0", "-0.0".
 */
#ifndef C4W_BASE_NUMBERS_H
#define C4W_BASE_NUMBERS_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool c4w_parse_i64(struct c4w_view text, int64_t *out);  /* -?[0-9]+ ; leading zeros allowed */
bool c4w_parse_u64(struct c4w_view text, uint64_t *out); /* [0-9]+ */

/* -?[0-9]+(.[0-9]+)?([eE][+-]?[0-9]+)? , correctly rounded (ties to even). Too large gives +-infinity and true, too small
 * gives zero or a subnormal: callers that care test isinf. "nan" and "inf" are refused: they are a dialect's matter. */
bool c4w_parse_double(struct c4w_view text, double *out);

/* Rounded to float32 once, not by way of double. */
bool c4w_parse_float(struct c4w_view text, float *out);

/* Each writes a NUL-terminated text and returns its length; out needs room for C4W_NUMBER_TEXT bytes.
 * NaN and infinities are written "nan", "inf", "-inf". */
enum { C4W_NUMBER_TEXT = 32 };
size_t c4w_format_double(double v, char *out);
size_t c4w_format_float(float v, char *out); /* shortest for float32: numpy.float32's str, laid out as above */
size_t c4w_format_i64(int64_t v, char *out);
size_t c4w_format_u64(uint64_t v, char *out);

#endif
