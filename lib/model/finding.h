/* Findings: what verifying says about an item.
 *
 * An item is what a family checks as one thing (a channel, a scene, a file). One finding a rule and item: the first place
 * and a count; with `each` one a place. Findings own copies of all their text, so a worker's arena may be reset while they wait to be printed.
 */
#ifndef C4W_MODEL_FINDING_H
#define C4W_MODEL_FINDING_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum c4w_severity { C4W_SEV_NOTE, C4W_SEV_WARNING, C4W_SEV_ERROR };

enum c4w_state {
	C4W_STATE_FAILED,      /* checked and false */
	C4W_STATE_MISSING,     /* listed but not downloaded */
	C4W_STATE_UNPUBLISHED, /* catalogued, never published */
	C4W_STATE_UNSUPPORTED, /* valid, but beyond what c4w reads, or beyond a limit */
	C4W_STATE_UNREADABLE,  /* I/O, memory: it is not known */
};

const char *c4w_severity_name(enum c4w_severity s); /* "note", "warning", "error" */
const char *c4w_state_name(enum c4w_state s);       /* "failed", "missing", "unpublished", "unsupported", "unreadable" */

/* One named fact about an item, for JSON: {"scene_id": "x", "bs": 3}. `text` NULL and !is_number is null. */
struct c4w_item_field {
	const char *key; /* static */
	const char *text;
	int64_t number;
	bool is_number;
};

struct c4w_item_id {
	const char *text;                    /* "urban_scene_019231 3500000000 Hz BS 0", raw; escaped when printed */
	const struct c4w_item_field *fields; /* in the order in which JSON prints them */
	size_t n_fields;
};

struct c4w_finding {
	enum c4w_severity severity;
	enum c4w_state state;
	const char *component; /* the part of the item, or NULL: "core", "detail", "tensor", "manifest" */
	const char *rule;      /* static; NULL for states other than failed */
	const char *path;      /* file, relative to the root, raw; NULL when it is the item itself */
	int64_t offset;        /* byte in path, or -1 */
	const char *message;
	const char *expected, *found; /* NULL when there is nothing to compare */
	uint64_t count, total;        /* places that break the rule, of how many; total 0: unknown */
};

struct c4w_findings {
	struct c4w_finding *v;
	size_t n, cap;
	struct c4w_arena text; /* owns all strings */
	bool failed;           /* memory ran out: something is lost; the item counts as unreadable */
	bool each;             /* set by a family whose rules are broken in few places: the first C4W_FINDINGS_EACH findings are kept apart */
};
enum { C4W_FINDINGS_EACH = 200 };

/* Copy f in. A second finding with the same rule, state and component adds to the first one's count instead. */
void c4w_findings_add(struct c4w_findings *fs, const struct c4w_finding *f);

/* All of `from`, its failure included. */
void c4w_findings_append(struct c4w_findings *fs, const struct c4w_findings *from);

/* The same from parts; message is a format. The count is 1. */
void c4w_findings_addf(struct c4w_findings *fs, enum c4w_severity sev, enum c4w_state state, const char *component,
		       const char *rule, const char *path, int64_t offset, const char *fmt, ...) C4W_PRINTF(8, 9);

/* An error as a finding, an error's: damaged -> failed, absent -> missing, unsupported and limit -> unsupported, io, memory and
 * the rest -> unreadable. `path` is used when the error names none. */
struct c4w_finding c4w_finding_of(const struct c4w_err *err); /* its texts are the error's */
void c4w_findings_add_err(struct c4w_findings *fs, const char *component, const char *path, const struct c4w_err *err);

/* The other direction: the finding as an error, its class returned. Of a list, the first; an empty one is C4W_MEMORY, since then it
 * was lost. */
int c4w_finding_err(const struct c4w_finding *f, struct c4w_err *err);
int c4w_findings_err(const struct c4w_findings *fs, struct c4w_err *err);

void c4w_findings_reset(struct c4w_findings *fs); /* empty, memory kept */
void c4w_findings_clear(struct c4w_findings *fs); /* freed */

#endif
