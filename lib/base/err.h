/* Errors: one caller-owned struct, filled by the lowest layer that knows, allocation-free.
 *
 * Every function in lib/ that can fail returns an int: C4W_OK (0) or the error's class, and takes a
 * `struct c4w_err *` as its last argument, which may be NULL. The layer that finds the fact writes the
 * message; layers above may put "where" in front of it (c4w_err_prefix) or name the file
 * (c4w_err_path), never replace it. Messages are lower case, without a full stop. Names that come
 * from files are escaped (str.h) before they are put into a message.
 */
#ifndef C4W_BASE_ERR_H
#define C4W_BASE_ERR_H

#include "base/error.h"

/* Fill in class and message (path, rule, expected and found are emptied). Returns cls. */
int c4w_fail(struct c4w_err *err, enum c4w_class cls, const char *fmt, ...) C4W_PRINTF(3, 4);

/* Damage: as c4w_fail, with the rule id (a string that lives for ever) and an offset or -1. */
int c4w_damaged(struct c4w_err *err, const char *rule, int64_t offset, const char *fmt, ...) C4W_PRINTF(4, 5);

/* C4W_IO out of errno: "<what>: <system's text>"; ENOENT and ENOTDIR become C4W_ABSENT, ENOMEM C4W_MEMORY. */
int c4w_fail_errno(struct c4w_err *err, int sys_errno, const char *fmt, ...) C4W_PRINTF(3, 4);

/* C4W_MEMORY with the number of bytes that were asked for. */
int c4w_fail_memory(struct c4w_err *err, size_t bytes);
/* n bytes from malloc into *p, at first use: nothing happens when it is not NULL. */
int c4w_memory_once(uint8_t **p, size_t n, struct c4w_err *err) C4W_MUST_CHECK;

/* What was expected and what was found; either may be NULL. Returns err's class, so that
 * `return c4w_err_values(err, "3", "4")` works. */
int c4w_err_values(struct c4w_err *err, const char *expected, const char *found);
int c4w_err_valuesf(struct c4w_err *err, const char *expected, const char *found_fmt, ...) C4W_PRINTF(3, 4);

/* Put "where: " in front of the message. Returns err's class (C4W_OK for NULL). */
int c4w_err_prefix(struct c4w_err *err, const char *fmt, ...) C4W_PRINTF(2, 3);

/* Name the file the error is about, unless a lower layer has. `path` is raw; it is escaped here. */
void c4w_err_path(struct c4w_err *err, const char *path);

/* One line with an action. */
void c4w_err_hint(struct c4w_err *err, const char *fmt, ...) C4W_PRINTF(2, 3);

/* Pass a failure on. */
#define C4W_TRY(expr)                              \
	do {                                       \
		int c4w_try_ = (expr);             \
		if (c4w_try_ != C4W_OK)            \
			return c4w_try_;           \
	} while (0)

#endif
