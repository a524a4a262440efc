/* The report: findings as text or JSON, counts, exit code. See report.h. */
#include "model/report.h"

#include <inttypes.h>

static bool ignored(const struct c4w_report *r, const char *rule)
{
	size_t i;
	for (i = 0; rule && r->ignore && r->ignore[i]; i++)
		if (strcmp(r->ignore[i], rule) == 0)
			return true;
	return false;
}

/* Is the finding one that makes its item not fine? */
static bool counts(const struct c4w_report *r, const struct c4w_finding *f)
{
	return f->severity == C4W_SEV_ERROR || (r->strict && f->severity == C4W_SEV_WARNING);
}

/* Which of two states says more about an item: what could not be known, then what is false, then what isn't there. */
static int weight(enum c4w_state s)
{
	switch (s) {
	case C4W_STATE_UNREADABLE: return 5;
	case C4W_STATE_FAILED: return 4;
	case C4W_STATE_MISSING: return 3;
	case C4W_STATE_UNSUPPORTED: return 2;
	case C4W_STATE_UNPUBLISHED: return 1;
	}
	return 0;
}

static const char *headline(const struct c4w_finding *f)
{
	if (f->severity == C4W_SEV_WARNING)
		return "WARNING";
	if (f->severity == C4W_SEV_NOTE)
		return "NOTE";
	switch (f->state) {
	case C4W_STATE_FAILED: return "FAIL";
	case C4W_STATE_MISSING: return "MISSING";
	case C4W_STATE_UNPUBLISHED: return "NOT PUBLISHED";
	case C4W_STATE_UNSUPPORTED: return "UNSUPPORTED";
	case C4W_STATE_UNREADABLE: return "UNREADABLE";
	}
	return "UNREADABLE";
}

static void put_text(struct c4w_buf *b, const char *text)
{
	c4w_buf_escape(b, text, strlen(text));
}

static void text_line(struct c4w_report *r, const struct c4w_item_id *id, const struct c4w_finding *f, size_t more)
{
	struct c4w_buf *b = &r->line;
	char n1[32], n2[32];
	const char *head = headline(f);
	bool red = f->state == C4W_STATE_FAILED || f->state == C4W_STATE_UNREADABLE;
	c4w_buf_reset(b);
	if (r->color)
		c4w_buf_printf(b, "\033[%sm%s\033[0m ", f->severity != C4W_SEV_ERROR ? "33" : red ? "31" : "33", head);
	else
		c4w_buf_printf(b, "%s ", head);
	put_text(b, id->text);
	c4w_buf_puts(b, ": ");
	if (f->rule)
		c4w_buf_printf(b, "%s: ", f->rule);
	/* A message that doesn't name its file gets it in front, when the file says more than the item does. */
	if (f->path && f->state == C4W_STATE_UNREADABLE && !strstr(f->message, f->path)) {
		put_text(b, f->path);
		c4w_buf_puts(b, ": ");
	}
	put_text(b, f->message);
	if (f->expected) {
		c4w_buf_puts(b, ", expected ");
		put_text(b, f->expected);
	}
	if (f->found) {
		c4w_buf_puts(b, ", found ");
		put_text(b, f->found);
	}
	if (f->total)
		c4w_buf_printf(b, " (%s of %s)", c4w_str_grouped(f->count, n1), c4w_str_grouped(f->total, n2));
	else if (f->count > 1)
		c4w_buf_printf(b, " (%s places)", c4w_str_grouped(f->count, n1));
	if (more)
		c4w_buf_printf(b, "; and %zu more finding%s", more, more == 1 ? "" : "s");
	c4w_buf_putc(b, '\n');
	fwrite(b->p, 1, b->n, r->out);
}

static void json_text(struct c4w_buf *b, const char *key, const char *text)
{
	c4w_buf_printf(b, ", \"%s\": ", key);
	if (text)
		c4w_buf_json(b, text, strlen(text));
	else
		c4w_buf_puts(b, "null");
}

static void json_line(struct c4w_report *r, const struct c4w_item_id *id, const struct c4w_finding *f)
{
	struct c4w_buf *b = &r->line;
	bool component = false;
	size_t i;
	c4w_buf_reset(b);
	c4w_buf_puts(b, "{\"type\": \"finding\"");
	json_text(b, "item", id->text);
	for (i = 0; i < id->n_fields; i++) {
		const struct c4w_item_field *x = &id->fields[i];
		const char *text = x->text;
		/* A finding that knows its part better than the item does. */
		if (strcmp(x->key, "component") == 0) {
			component = true;
			if (f->component)
				text = f->component;
		}
		if (x->is_number)
			c4w_buf_printf(b, ", \"%s\": %" PRId64, x->key, x->number);
		else
			json_text(b, x->key, text);
	}
	if (!component && f->component)
		json_text(b, "component", f->component);
	json_text(b, "severity", c4w_severity_name(f->severity));
	json_text(b, "state", c4w_state_name(f->state));
	json_text(b, "rule", f->rule);
	json_text(b, "path", f->path);
	if (f->offset >= 0)
		c4w_buf_printf(b, ", \"offset\": %" PRId64, f->offset);
	else
		c4w_buf_puts(b, ", \"offset\": null");
	json_text(b, "message", f->message);
	json_text(b, "expected", f->expected);
	json_text(b, "found", f->found);
	c4w_buf_printf(b, ", \"count\": %" PRIu64 "}\n", f->count);
	fwrite(b->p, 1, b->n, r->out);
}

/* The worst one and how many more there are; with `all` those too. */
static void text_lines(struct c4w_report *r, const struct c4w_item_id *id, const struct c4w_findings *fs, const struct c4w_finding *worst, size_t n)
{
	size_t i;
	text_line(r, id, worst, r->all ? 0 : n - 1);
	for (i = 0; r->all && i < fs->n; i++)
		if (&fs->v[i] != worst && !ignored(r, fs->v[i].rule))
			text_line(r, id, &fs->v[i], 0);
}

bool c4w_report_item(struct c4w_report *r, const struct c4w_item_id *id, struct c4w_result *result)
{
	struct c4w_findings *fs = &result->findings;
	const struct c4w_finding *worst = NULL;
	size_t i, shown = 0;
	r->bytes += result->bytes;
	if (fs->failed)
		c4w_findings_addf(fs, C4W_SEV_ERROR, C4W_STATE_UNREADABLE, NULL, NULL, NULL, -1, "out of memory");
	for (i = 0; i < fs->n; i++) {
		const struct c4w_finding *f = &fs->v[i];
		if (ignored(r, f->rule))
			continue;
		shown++;
		if (f->severity == C4W_SEV_WARNING)
			r->warnings++;
		if (r->json && !r->quiet)
			json_line(r, id, f);
		if (!worst || (counts(r, f) && (!counts(r, worst) || weight(f->state) > weight(worst->state))) ||
		    (!counts(r, worst) && f->severity > worst->severity))
			worst = f;
	}
	if (worst && !r->json && !r->quiet)
		text_lines(r, id, fs, worst, shown);
	if (!worst || !counts(r, worst)) {
		r->passed++;
		return true;
	}
	switch (worst->state) {
	case C4W_STATE_FAILED:
		r->failed++;
		break;
	case C4W_STATE_MISSING:
		r->missing++;
		break;
	case C4W_STATE_UNPUBLISHED:
		r->unpublished++;
		return true;
	case C4W_STATE_UNSUPPORTED:
		r->unsupported++;
		break;
	case C4W_STATE_UNREADABLE:
		r->unreadable++;
		break;
	}
	return false;
}

static void add_count(struct c4w_buf *b, uint64_t n, const char *what)
{
	if (n)
		c4w_buf_printf(b, ", %" PRIu64 " %s", n, what);
}

void c4w_report_summary(struct c4w_report *r)
{
	struct c4w_buf *b = &r->line;
	const char *noun = r->noun ? r->noun : "items";
	if (r->quiet)
		return;
	c4w_buf_reset(b);
	if (r->json) {
		c4w_buf_puts(b, "{\"type\": \"summary\"");
		json_text(b, "level", r->level);
		c4w_buf_printf(b,
			       ", \"passed\": %" PRIu64 ", \"failed\": %" PRIu64 ", \"missing\": %" PRIu64
			       ", \"unpublished\": %" PRIu64 ", \"unsupported\": %" PRIu64 ", \"unreadable\": %" PRIu64
			       ", \"warnings\": %" PRIu64 ", \"bytes\": %" PRIu64 "}\n",
			       r->passed, r->failed, r->missing, r->unpublished, r->unsupported, r->unreadable, r->warnings,
			       r->bytes);
	} else {
		/* Plain digits and these words: scripts read the line as they read the reference's. */
		c4w_buf_printf(b, "%" PRIu64 " %s passed%s%s%s, %" PRIu64 " failed", r->passed, noun, r->level ? " " : "",
			       r->level ? r->level : "", r->level ? " verification" : "", r->failed);
		add_count(b, r->missing, "not downloaded");
		add_count(b, r->unsupported, "unsupported");
		add_count(b, r->unreadable, "unreadable");
		add_count(b, r->warnings, r->warnings == 1 ? "warning" : "warnings");
		if (r->unpublished)
			c4w_buf_printf(b, "; %" PRIu64 " requested %s are not published (not an error)", r->unpublished, noun);
		if (!r->passed && !r->failed && !r->missing && !r->unsupported && !r->unreadable && !r->bytes)
			c4w_buf_puts(b, "; nothing was checked");
		c4w_buf_putc(b, '\n');
	}
	fwrite(b->p, 1, b->n, r->out);
}

int c4w_report_exit(const struct c4w_report *r)
{
	if (r->unreadable)
		return 3;
	if (r->failed || r->missing)
		return 1;
	if (r->unsupported)
		return 4;
	/* Of an item that is not published a part may have been read and found sound: then something was checked. */
	return r->passed || r->bytes ? 0 : 1;
}

void c4w_report_clear(struct c4w_report *r)
{
	c4w_buf_clear(&r->line);
}

int c4w_exit_code(enum c4w_class cls, bool verifying)
{
	switch (cls) {
	case C4W_OK: return 0;
	case C4W_DAMAGED: return 1;
	case C4W_ABSENT: return verifying ? 1 : 3;
	case C4W_USAGE:
	case C4W_UNKNOWN: return 2;
	case C4W_UNSUPPORTED:
	case C4W_LIMIT: return 4;
	case C4W_IO:
	case C4W_MEMORY:
	case C4W_CANCELLED: return 3;
	}
	return 3;
}
