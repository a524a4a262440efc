/* A rule: what a file must hold to, under an id that never changes. Each container and family has one static table,
 *
 *     const struct c4w_rule c4w_zip_rules[] = { { "zip.overlap", "entries do not share bytes", "APPNOTE 4.3" }, ..., { 0 } };
 *
 * ended by an empty row. Errors of class C4W_DAMAGED carry a rule's id; c4w-rules(7) is made from the tables, tests name
 * rules and not wording, and `--ignore RULE` takes ids.
 */
#ifndef C4W_BASE_RULE_H
#define C4W_BASE_RULE_H

struct c4w_rule {
	const char *id;       /* "<table>.<fault>" */
	const char *sentence; /* what holds in a sound file, one sentence, lower case, no full stop */
	const char *section;  /* where that is said: format page and section, or the public specification's paragraph */
};

#endif
