/* PNG through libpng, opened at first use. Without it: C4W_UNSUPPORTED, naming the Debian package. */
#ifndef C4W_CONTAINERS_PNG_H
#define C4W_CONTAINERS_PNG_H

#include "base/buf.h"
#include "base/err.h"

#include <stdint.h>

enum c4w_png_kind {
	C4W_PNG_RGB8,   /* 3 bytes a pixel */
	C4W_PNG_GREY16, /* uint16_t in host order */
};

struct c4w_png_text {
	const char *key, *text; /* Latin-1 keyword of up to 79 bytes; UTF-8 text */
};

/* Append a whole file. `texts` ends with a NULL key, or is NULL. No time is written: the same pixels give the same bytes. */
int c4w_png_write(struct c4w_buf *out, enum c4w_png_kind kind, uint32_t w, uint32_t h, const void *pixels, const struct c4w_png_text *texts,
		  struct c4w_err *err) C4W_MUST_CHECK;

/* Width and height of a PNG from its first 24 bytes; false when it is none. */
bool c4w_png_size(const uint8_t *p, size_t n, uint32_t *w, uint32_t *h);

#endif
