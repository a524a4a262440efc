/* Growable byte buffer.
 *
 * Appending never reports an error at once: a buffer that could not grow is `failed`, keeps what it had,
 * and ignores what follows. Callers check once at the end (c4w_buf_ok). Zero-initialised storage is a valid empty buffer.
 */
#ifndef C4W_BASE_BUF_H
#define C4W_BASE_BUF_H

#include "base/err.h"
#include "base/str.h"

#include <stdarg.h>
#include <stdbool.h>

struct c4w_buf {
	char *p; /* NUL-terminated whenever it is not NULL */
	size_t n, cap;
	bool failed;
};

bool c4w_buf_reserve(struct c4w_buf *b, size_t more); /* room for `more` further bytes (and a NUL) */
void c4w_buf_put(struct c4w_buf *b, const void *p, size_t n);
void c4w_buf_puts(struct c4w_buf *b, const char *z);
void c4w_buf_putc(struct c4w_buf *b, char c);
void c4w_buf_printf(struct c4w_buf *b, const char *fmt, ...) C4W_PRINTF(2, 3);
void c4w_buf_escape(struct c4w_buf *b, const char *p, size_t n); /* as c4w_str_escape, never cut */
void c4w_buf_json(struct c4w_buf *b, const char *p, size_t n);   /* a JSON string with its quotes; bytes that are
								    not UTF-8 become U+FFFD */
void c4w_buf_reset(struct c4w_buf *b); /* empty, memory kept */
void c4w_buf_clear(struct c4w_buf *b); /* freed; accepts an empty buffer */
int c4w_buf_ok(const struct c4w_buf *b, struct c4w_err *err); /* C4W_OK or C4W_MEMORY */

#endif
