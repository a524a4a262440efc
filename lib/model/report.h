/* The report: findings of items as text or JSON, counts, and the exit code. One for all families.
 *
 * Text: one line an item that is not fine (with `all` one a finding), then a count. JSON: one object a line, findings and a summary. Writes to the
 * stream that the caller passes; the caller checks it for errors.
 */
#ifndef C4W_MODEL_REPORT_H
#define C4W_MODEL_REPORT_H

#include "base/buf.h"
#include "model/driver.h"

#include <stdio.h>

struct c4w_report {
	/* set by the caller before the first item */
	FILE *out;
	bool json, quiet; /* quiet: the exit code only */
	bool strict;      /* warnings count as failures */
	bool all;         /* text: every finding of an item, the worst one first, not the worst one alone */
	bool color;
	const char *const *ignore; /* rule ids; NULL-terminated, or NULL */
	const char *level;         /* "basic", "full", or NULL */
	const char *noun;          /* NULL: "items" */

	/* counts of items */
	uint64_t passed, failed, missing, unpublished, unsupported, unreadable;
	uint64_t warnings, bytes; /* warnings: findings shown, not items */
	struct c4w_buf line;      /* scratch */
};

/* Print an item's findings and count it. Returns false when the item is not fine (fail-fast). Ignored rules are dropped here. */
bool c4w_report_item(struct c4w_report *r, const struct c4w_item_id *id, struct c4w_result *result);

/* The summary line or object. */
void c4w_report_summary(struct c4w_report *r);

/* 3 unreadable, 1 failed or missing or nothing checked at all, 4 unsupported, 0. */
int c4w_report_exit(const struct c4w_report *r);

void c4w_report_clear(struct c4w_report *r);

/* The exit code of an error outside of any item; `verifying` picks the first column of the table of exit codes. */
int c4w_exit_code(enum c4w_class cls, bool verifying);

#endif
