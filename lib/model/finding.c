/* Findings: copying in and merging. See finding.h. */
#include "model/finding.h"

#include <stdarg.h>

const char *c4w_severity_name(enum c4w_severity s)
{
	return s == C4W_SEV_ERROR ? "error" : s == C4W_SEV_WARNING ? "warning" : "note";
}

const char *c4w_state_name(enum c4w_state s)
{
	switch (s) {
	case C4W_STATE_FAILED: return "failed";
	case C4W_STATE_MISSING: return "missing";
	case C4W_STATE_UNPUBLISHED: return "unpublished";
	case C4W_STATE_UNSUPPORTED: return "unsupported";
	case C4W_STATE_UNREADABLE: return "unreadable";
	}
	return "unreadable";
}

static const char *keep(struct c4w_findings *fs, const char *text)
{
	const char *copy;
	if (!text)
		return NULL;
	copy = c4w_arena_text(&fs->text, text, strlen(text));
	if (!copy)
		fs->failed = true;
	return copy;
}

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

void c4w_findings_add(struct c4w_findings *fs, const struct c4w_finding *f)
{
	struct c4w_finding *to;
	size_t i;
	bool merge = f->rule && (!fs->each || fs->n >= C4W_FINDINGS_EACH);
	for (i = 0; merge && i < fs->n; i++)
		if (same(fs->v[i].rule, f->rule) && fs->v[i].state == f->state && same(fs->v[i].component, f->component)) {
			fs->v[i].count += f->count ? f->count : 1;
			if (f->total)
				fs->v[i].total += f->total;
			return;
		}
	if (fs->n == fs->cap) {
		size_t cap = fs->cap ? fs->cap * 2 : 4;
		struct c4w_finding *v = realloc(fs->v, cap * sizeof *v);
		if (!v) {
			fs->failed = true;
			return;
		}
		fs->v = v;
		fs->cap = cap;
	}
	to = &fs->v[fs->n++];
	*to = *f;
	to->count = f->count ? f->count : 1;
	to->component = keep(fs, f->component);
	to->path = keep(fs, f->path);
	to->message = keep(fs, f->message ? f->message : "");
	to->expected = keep(fs, f->expected);
	to->found = keep(fs, f->found);
	if (!to->message)
		to->message = "out of memory";
}

void c4w_findings_append(struct c4w_findings *fs, const struct c4w_findings *from)
{
	size_t i;
	for (i = 0; i < from->n; i++)
		c4w_findings_add(fs, &from->v[i]);
	fs->failed |= from->failed;
}

void c4w_findings_addf(struct c4w_findings *fs, enum c4w_severity sev, enum c4w_state state, const char *component,
		       const char *rule, const char *path, int64_t offset, const char *fmt, ...)
{
	char message[512];
	struct c4w_finding f = { sev, state, component, rule, path, offset, message, NULL, NULL, 1, 0 };
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(message, sizeof message, fmt, ap);
	va_end(ap);
	c4w_findings_add(fs, &f);
}

static enum c4w_state state_of(enum c4w_class cls)
{
	switch (cls) {
	case C4W_DAMAGED:
		return C4W_STATE_FAILED;
	case C4W_ABSENT:
		return C4W_STATE_MISSING;
	case C4W_UNSUPPORTED:
	case C4W_LIMIT:
		return C4W_STATE_UNSUPPORTED;
	default:
		return C4W_STATE_UNREADABLE;
	}
}

struct c4w_finding c4w_finding_of(const struct c4w_err *err)
{
	return (struct c4w_finding){ .severity = C4W_SEV_ERROR,
				     .state = state_of(err->cls),
				     .rule = err->rule,
				     .path = err->path[0] ? err->path : NULL,
				     .offset = err->offset,
				     .message = err->message,
				     .expected = err->expected[0] ? err->expected : NULL,
				     .found = err->found[0] ? err->found : NULL,
				     .count = 1 };
}

void c4w_findings_add_err(struct c4w_findings *fs, const char *component, const char *path, const struct c4w_err *err)
{
	struct c4w_finding f = c4w_finding_of(err);
	f.component = component;
	f.path = f.path ? f.path : path;
	c4w_findings_add(fs, &f);
}

int c4w_finding_err(const struct c4w_finding *f, struct c4w_err *err)
{
	static const enum c4w_class classes[] = { [C4W_STATE_FAILED] = C4W_DAMAGED, [C4W_STATE_MISSING] = C4W_ABSENT,
						  [C4W_STATE_UNPUBLISHED] = C4W_ABSENT, [C4W_STATE_UNSUPPORTED] = C4W_UNSUPPORTED,
						  [C4W_STATE_UNREADABLE] = C4W_IO };
	if (classes[f->state] == C4W_DAMAGED)
		c4w_damaged(err, f->rule, f->offset, "%s", f->message);
	else
		c4w_fail(err, classes[f->state], "%s", f->message);
	c4w_err_values(err, f->expected, f->found);
	if (f->path)
		c4w_err_path(err, f->path);
	return (int)classes[f->state];
}

int c4w_findings_err(const struct c4w_findings *fs, struct c4w_err *err)
{
	return fs->n ? c4w_finding_err(&fs->v[0], err) : c4w_fail(err, C4W_MEMORY, "out of memory");
}

void c4w_findings_reset(struct c4w_findings *fs)
{
	fs->n = 0;
	fs->failed = false;
	c4w_arena_reset(&fs->text);
}

void c4w_findings_clear(struct c4w_findings *fs)
{
	free(fs->v);
	c4w_arena_clear(&fs->text);
	memset(fs, 0, sizeof *fs);
}
