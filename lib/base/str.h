/* Text: views, UTF-8, names for display, percent-encoding, nearest names.
 *
 * A name from a file may hold any byte. Nothing prints one without c4w_str_escape (or the JSON
 * writer's own escaping).
 */
#ifndef C4W_BASE_STR_H
#define C4W_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Borrowed text, not NUL-terminated, any bytes. Lives as long as its parent. */
struct c4w_view {
	const char *p;
	size_t n;
};

#define C4W_VIEW(lit) ((struct c4w_view){ (lit), sizeof(lit) - 1 })

struct c4w_view c4w_view_z(const char *z); /* of a NUL-terminated string; NULL gives an empty view */
bool c4w_view_eq(struct c4w_view a, struct c4w_view b);
bool c4w_view_eqz(struct c4w_view a, const char *z);
int c4w_view_cmp(struct c4w_view a, struct c4w_view b); /* bytewise, the shorter first */

/* Is it valid UTF-8 (no overlong forms, no surrogates, at most U+10FFFF)? */
bool c4w_utf8_valid(const char *p, size_t n);

/* Decode one code point at p (n >= 1 bytes left). Returns its length, or 0 when it is not valid. */
size_t c4w_utf8_decode(const char *p, size_t n, uint32_t *cp);

/* Encode cp into out (4 bytes of room); returns the length. cp must be a scalar value. */
size_t c4w_utf8_encode(uint32_t cp, char *out);

/* How many columns of a terminal a UTF-8 text takes: wide characters two, combining ones none, what is not UTF-8 one a byte. */
size_t c4w_text_width(const char *p, size_t n);
/* The bytes of its longest front that takes at most so many columns. */
size_t c4w_text_cut(const char *p, size_t n, size_t columns);

/* For display: control bytes, DEL, backslash and bytes that are not UTF-8 become \n, \t, \r, \\ or \xHH.
 * C1 controls and bidirectional overrides are escaped too. Always NUL-terminated; a text that does not fit
 * is cut at a character and ends in "...". Returns out. */
char *c4w_str_escape(char *out, size_t size, const char *p, size_t n);

/* Percent-encode every byte outside A-Z a-z 0-9 - . _ ~ (Zarr names), upper-case hex. Returns the length that was
 * or would have been written (without NUL); writes at most size bytes and a NUL. */
size_t c4w_str_percent(char *out, size_t size, const char *p, size_t n);

/* Damerau-Levenshtein distance, case folded for ASCII; for suggestions. Names over 63 bytes give SIZE_MAX. */
size_t c4w_str_distance(const char *a, const char *b);

/* "1234567" -> "1,234,567"; buf of at least 32 bytes. Returns buf. */
char *c4w_str_grouped(uint64_t v, char *buf);

/* Decimal units with one digit, as the reference prints them: "82.9 KB"; below 1000 "999 B". buf of at least 32 bytes. */
char *c4w_str_size(uint64_t v, char *buf);

/* Lower-case hex of n bytes; out must hold 2*n+1. Returns out. */
char *c4w_hex(char *out, const uint8_t *p, size_t n);

/* 64 lower-case hex digits into 32 bytes; false when the text is anything else. */
bool c4w_unhex32(struct c4w_view text, uint8_t out[32]);

#endif
