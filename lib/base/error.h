/* Errors as callers see them: the classes, the struct, and how it becomes text. The part of err.h that <c4w.h> shows.
 *
 * The struct is the caller's, and nothing in it is allocated. Functions return C4W_OK (0) or the error's class.
 */
#ifndef C4W_BASE_ERROR_H
#define C4W_BASE_ERROR_H

#include <stdint.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum c4w_class {
	C4W_OK = 0,
	C4W_DAMAGED,     /* bytes contradict their digest, structure or rules; `rule` is set */
	C4W_ABSENT,      /* listed, or a path that was given, but not there */
	C4W_UNSUPPORTED, /* valid, but not something c4w reads: newer format, codec, encryption */
	C4W_LIMIT,       /* valid, but beyond a limit that the message names */
	C4W_IO,          /* the system refused: errno is kept */
	C4W_MEMORY,      /* allocation failed */
	C4W_USAGE,       /* the caller's (or user's) words are wrong */
	C4W_CANCELLED,   /* a signal asked to stop */
	C4W_UNKNOWN,     /* a name that the catalog or container does not have */
};

struct c4w_err {
	enum c4w_class cls;
	int sys_errno;      /* for C4W_IO, else 0 */
	const char *rule;   /* for C4W_DAMAGED: a static string such as "zip.overlap"; else NULL */
	int64_t offset;     /* byte in `path`, or -1 */
	char path[512];     /* file or member, escaped, "" when not known; cut with "..." */
	char message[512];
	char expected[256]; /* "" when there is nothing to compare */
	char found[256];
	char hint[256];     /* one line with an action, or "" */
};

#if defined(__GNUC__)
#define C4W_API __attribute__((visibility("default"))) /* what libc4w.so exports */
#define C4W_PRINTF(a, b) __attribute__((format(printf, a, b)))
#define C4W_MUST_CHECK __attribute__((warn_unused_result))
#else
#define C4W_API
#define C4W_PRINTF(a, b)
#define C4W_MUST_CHECK
#endif

/* Empty the struct. Accepts NULL. */
C4W_API void c4w_err_clear(struct c4w_err *err);

/* "path: message, expected X, found Y (at byte N)" into buf, always NUL-terminated. */
C4W_API void c4w_err_format(const struct c4w_err *err, char *buf, size_t size);

/* The class as a word: "damaged", "absent", ... */
C4W_API const char *c4w_class_name(enum c4w_class cls);

#ifdef __cplusplus
}
#endif

#endif
