/* Errors: filling, prefixing and printing struct c4w_err. See err.h. */
#include "base/err.h"

#include "base/str.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void c4w_err_clear(struct c4w_err *err)
{
	if (!err)
		return;
	memset(err, 0, sizeof *err);
	err->offset = -1;
}

C4W_PRINTF(2, 0) static void put_message(struct c4w_err *err, const char *fmt, va_list ap)
{
	vsnprintf(err->message, sizeof err->message, fmt, ap);
}

int c4w_fail(struct c4w_err *err, enum c4w_class cls, const char *fmt, ...)
{
	if (err) {
		va_list ap;
		c4w_err_clear(err);
		err->cls = cls;
		va_start(ap, fmt);
		put_message(err, fmt, ap);
		va_end(ap);
	}
	return (int)cls;
}

int c4w_damaged(struct c4w_err *err, const char *rule, int64_t offset, const char *fmt, ...)
{
	if (err) {
		va_list ap;
		c4w_err_clear(err);
		err->cls = C4W_DAMAGED;
		err->rule = rule;
		err->offset = offset;
		va_start(ap, fmt);
		put_message(err, fmt, ap);
		va_end(ap);
	}
	return C4W_DAMAGED;
}

int c4w_fail_errno(struct c4w_err *err, int sys_errno, const char *fmt, ...)
{
	enum c4w_class cls = C4W_IO;
	if (sys_errno == ENOENT || sys_errno == ENOTDIR)
		cls = C4W_ABSENT;
	else if (sys_errno == ENOMEM)
		cls = C4W_MEMORY;
	if (err) {
		char text[128];
		const char *said;
		size_t used;
		va_list ap;
		c4w_err_clear(err);
		err->cls = cls;
		err->sys_errno = sys_errno;
		va_start(ap, fmt);
		put_message(err, fmt, ap);
		va_end(ap);
		said = strerror_r(sys_errno, text, sizeof text); /* the GNU one */
		used = strlen(err->message);
		snprintf(err->message + used, sizeof err->message - used, "%s%s", used ? ": " : "", said);
	}
	return (int)cls;
}

int c4w_fail_memory(struct c4w_err *err, size_t bytes)
{
	return c4w_fail(err, C4W_MEMORY, "out of memory (%zu bytes asked for)", bytes);
}

int c4w_memory_once(uint8_t **p, size_t n, struct c4w_err *err)
{
	if (!*p)
		*p = malloc(n);
	return *p ? C4W_OK : c4w_fail_memory(err, n);
}

int c4w_err_values(struct c4w_err *err, const char *expected, const char *found)
{
	if (!err)
		return C4W_DAMAGED;
	snprintf(err->expected, sizeof err->expected, "%s", expected ? expected : "");
	snprintf(err->found, sizeof err->found, "%s", found ? found : "");
	return (int)err->cls;
}

int c4w_err_valuesf(struct c4w_err *err, const char *expected, const char *found_fmt, ...)
{
	va_list ap;
	if (!err)
		return C4W_DAMAGED;
	snprintf(err->expected, sizeof err->expected, "%s", expected ? expected : "");
	va_start(ap, found_fmt);
	vsnprintf(err->found, sizeof err->found, found_fmt, ap);
	va_end(ap);
	return (int)err->cls;
}

int c4w_err_prefix(struct c4w_err *err, const char *fmt, ...)
{
	char where[256], old[sizeof err->message];
	va_list ap;
	if (!err)
		return C4W_OK;
	va_start(ap, fmt);
	vsnprintf(where, sizeof where, fmt, ap);
	va_end(ap);
	memcpy(old, err->message, sizeof old);
	if (snprintf(err->message, sizeof err->message, "%s: %s", where, old) >= (int)sizeof err->message)
		memcpy(err->message + sizeof err->message - 4, "...", 4);
	return (int)err->cls;
}

void c4w_err_path(struct c4w_err *err, const char *path)
{
	if (!err || err->path[0] || !path)
		return;
	c4w_str_escape(err->path, sizeof err->path, path, strlen(path));
}

void c4w_err_hint(struct c4w_err *err, const char *fmt, ...)
{
	va_list ap;
	if (!err)
		return;
	va_start(ap, fmt);
	vsnprintf(err->hint, sizeof err->hint, fmt, ap);
	va_end(ap);
}

void c4w_err_format(const struct c4w_err *err, char *buf, size_t size)
{
	char at[40] = "";
	if (err->offset >= 0)
		snprintf(at, sizeof at, " (at byte %lld)", (long long)err->offset);
	snprintf(buf, size, "%s%s%s%s%s%s%s%s", err->path, err->path[0] ? ": " : "", err->message,
		 err->expected[0] ? ", expected " : "", err->expected, err->found[0] ? ", found " : "", err->found, at);
}

const char *c4w_class_name(enum c4w_class cls)
{
	switch (cls) {
	case C4W_OK: return "ok";
	case C4W_DAMAGED: return "damaged";
	case C4W_ABSENT: return "absent";
	case C4W_UNSUPPORTED: return "unsupported";
	case C4W_LIMIT: return "limit";
	case C4W_IO: return "io";
	case C4W_MEMORY: return "memory";
	case C4W_USAGE: return "usage";
	case C4W_CANCELLED: return "cancelled";
	case C4W_UNKNOWN: return "unknown";
	}
	return "?";
}
