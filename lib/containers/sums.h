/* Checksum lists of SHA-256: what sha256sum and the BSD tools write.
 *
 * A line is `DIGEST  NAME` (text), `DIGEST *NAME` (binary), `DIGEST NAME` (one blank) or `SHA256 (NAME) = DIGEST` (tag). A line that
 * starts with a backslash has \\, \n and \r escaped in its name, in every form. A carriage return at the end of a line
 * belongs to the line end. Lines that start with '#' and empty lines don't count. Digests may be in capitals.
 */
#ifndef C4W_CONTAINERS_SUMS_H
#define C4W_CONTAINERS_SUMS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/rule.h"

struct c4w_sum {
	const char *name; /* NUL-terminated, any bytes; "-" is standard input */
	uint64_t line;    /* from 1 */
	uint8_t digest[32];
};

struct c4w_sums {
	struct c4w_sum *v;
	size_t count;
	uint64_t malformed, first_malformed; /* lines that are none of the forms; the number of the first, 0: none */
};

enum c4w_sums_style { C4W_SUMS_TEXT, C4W_SUMS_BINARY, C4W_SUMS_TAG };

/* `zero`: entries end in NUL and nothing is escaped. Everything lives in the arena. Malformed lines are counted, not errors. */
int c4w_sums_parse(const char *p, size_t n, bool zero, struct c4w_arena *arena, struct c4w_sums *out, struct c4w_err *err) C4W_MUST_CHECK;

/* Is the first line that counts one of the forms? `p` may be the front of a file only. */
bool c4w_sums_probe(const char *p, size_t n);

/* Append an entry as sha256sum writes it. */
void c4w_sums_write(struct c4w_buf *b, const uint8_t digest[32], const char *name, enum c4w_sums_style style, bool zero);

extern const struct c4w_rule c4w_sums_rules[]; /* ended by an empty row */

#endif
