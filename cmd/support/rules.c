/* The rules of all families and containers, as a list, as JSON, and as c4w-rules(7). */
#include "../command.h"

#include "base/buf.h"
#include "base/str.h"
#include "model/family.h"

/* Calls fn for every rule; families share container tables, which are visited once, under the first that has them. */
static void each_rule(void (*fn)(void *user, const struct c4w_family *f, const struct c4w_rule *r, bool first), void *user)
{
	const struct c4w_rule *seen[64];
	size_t n = 0, i, t, k;
	for (i = 0; c4w_families[i]; i++) {
		bool first = true;
		for (t = 0; c4w_families[i]->rules && c4w_families[i]->rules[t]; t++) {
			const struct c4w_rule *r = c4w_families[i]->rules[t];
			for (k = 0; k < n && seen[k] != r; k++)
				;
			if (k < n || n == sizeof seen / sizeof *seen)
				continue;
			seen[n++] = r;
			for (; r->id; r++) {
				fn(user, c4w_families[i], r, first);
				first = false;
			}
		}
	}
}

static const char *heading(const struct c4w_family *f)
{
	return strcmp(f->name, "file") == 0 ? "Containers and lists" : f->title;
}

static void text_rule(void *user, const struct c4w_family *f, const struct c4w_rule *r, bool first)
{
	FILE *out = user;
	if (first)
		fprintf(out, "%s\n", heading(f));
	fprintf(out, "  %s\n          %s (%s)\n", r->id, r->sentence, r->section);
}

static void json_rule(void *user, const struct c4w_family *f, const struct c4w_rule *r, bool first)
{
	struct c4w_buf b = { 0 };
	(void)first;
	c4w_buf_puts(&b, "{\"type\": \"rule\", \"id\": ");
	c4w_buf_json(&b, r->id, strlen(r->id));
	c4w_buf_puts(&b, ", \"family\": ");
	c4w_buf_json(&b, f->name, strlen(f->name));
	c4w_buf_puts(&b, ", \"sentence\": ");
	c4w_buf_json(&b, r->sentence, strlen(r->sentence));
	c4w_buf_puts(&b, ", \"section\": ");
	c4w_buf_json(&b, r->section, strlen(r->section));
	c4w_buf_puts(&b, "}\n");
	if (!b.failed)
		fwrite(b.p, 1, b.n, user);
	c4w_buf_clear(&b);
}

void c4w_help_rules(FILE *out, bool json)
{
	each_rule(json ? json_rule : text_rule, out);
}

struct page {
	FILE *out;
	bool open;
};

static void man_rule(void *user, const struct c4w_family *f, const struct c4w_rule *r, bool first)
{
	struct page *p = user;
	if (first) {
		if (p->open)
			fputs(".El\n", p->out);
		fprintf(p->out, ".Ss %s\n.Bl -tag -width Ds\n", heading(f));
		p->open = true;
	}
	fputs(".It Sy ", p->out);
	c4w_roff(p->out, r->id, strlen(r->id), false);
	fputc('\n', p->out);
	c4w_roff(p->out, r->sentence, strlen(r->sentence), false);
	fputs("\n(", p->out);
	c4w_roff(p->out, r->section, strlen(r->section), false);
	fputs(").\n", p->out);
}

void c4w_help_rules_man(FILE *out)
{
	struct page p = { .out = out };
	c4w_roff_head(out, "c4w-rules", 7, "the rules that c4w checks");
	fputs(".Sh DESCRIPTION\n"
	      "Each finding of\n.Xr c4w-verify 1\nthat says something is damaged carries the id of a rule.\n"
	      "Ids never change; wording may.\n"
	      ".Fl Fl ignore Ar RULE\ntakes them.\n"
	      ".Pp\nHere is what holds in a sound file, with the place where that is said: a section of the format's page, or of the public "
	      "specification.\n",
	      out);
	each_rule(man_rule, &p);
	if (p.open)
		fputs(".El\n", out);
	fputs(".Sh SEE ALSO\n.Xr c4w-verify 1\n", out);
}

struct search {
	const char *id, *nearest;
	size_t distance;
	bool found;
};

static void look(void *user, const struct c4w_family *f, const struct c4w_rule *r, bool first)
{
	struct search *s = user;
	size_t d = c4w_str_distance(s->id, r->id);
	(void)f;
	(void)first;
	s->found = s->found || strcmp(s->id, r->id) == 0;
	if (d < s->distance) {
		s->distance = d;
		s->nearest = r->id;
	}
}

int c4w_rule_check(const char *id, struct c4w_err *err)
{
	struct search s = { .id = id, .distance = 4 };
	char shown[128];
	each_rule(look, &s);
	if (s.found)
		return C4W_OK;
	c4w_fail(err, C4W_USAGE, "option --ignore: there is no rule '%s'", c4w_str_escape(shown, sizeof shown, id, strlen(id)));
	if (s.nearest)
		c4w_err_hint(err, "did you mean '%s'?", s.nearest);
	else
		c4w_err_hint(err, "'c4w help --rules' lists them");
	return C4W_USAGE;
}
