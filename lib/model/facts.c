/* Facts for `info`. See family.h. */
#include "model/family.h"

#include <stdarg.h>

static struct c4w_fact *next_fact(struct c4w_facts *f, const char *key)
{
	if (f->n == f->cap) {
		size_t cap = f->cap ? f->cap * 2 : 32;
		struct c4w_fact *v = realloc(f->v, cap * sizeof *v);
		if (!v)
			return NULL;
		f->v = v;
		f->cap = cap;
	}
	f->v[f->n] = (struct c4w_fact){ key, NULL, 0 };
	return &f->v[f->n++];
}

void c4w_facts_text(struct c4w_facts *f, const char *key, const char *fmt, ...)
{
	struct c4w_fact *fact = next_fact(f, key);
	char *text = NULL;
	va_list ap;
	int n;
	if (!fact)
		return;
	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	fact->text = n < 0 ? NULL : c4w_arena_text(&f->text, text, (size_t)n);
	if (n >= 0)
		free(text);
	if (!fact->text)
		fact->text = "";
}

void c4w_facts_view(struct c4w_facts *f, const char *key, struct c4w_view v)
{
	char text[400];
	if (v.p)
		c4w_facts_text(f, key, "%s", c4w_str_escape(text, sizeof text, v.p, v.n));
}

void c4w_facts_number(struct c4w_facts *f, const char *key, int64_t value)
{
	struct c4w_fact *fact = next_fact(f, key);
	if (fact)
		fact->number = value;
}

void c4w_facts_numbers(struct c4w_facts *f, const struct c4w_fact *v, size_t n, bool some)
{
	size_t i;
	for (i = 0; i < n; i++)
		if (v[i].number || !some)
			c4w_facts_number(f, v[i].key, v[i].number);
}

void c4w_facts_clear(struct c4w_facts *f)
{
	free(f->v);
	c4w_arena_clear(&f->text);
	memset(f, 0, sizeof *f);
}
