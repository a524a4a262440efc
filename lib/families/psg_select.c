/* The selection options: which resolutions, splits, indices and routes. */
#include "families/psg_family.h"
#include "base/numbers.h"

#include <stdlib.h>
#include <string.h>

static int push_r(struct c4w_psg_select *s, struct c4w_view v, struct c4w_err *err)
{
	uint64_t n;
	uint32_t *p;
	if (!c4w_parse_u64(v, &n) || n < 1 || n > C4W_PSG_R_MAX)
		return c4w_fail(err, C4W_USAGE, "--resolution takes numbers from 1 to %d, not '%.*s'", C4W_PSG_R_MAX, (int)v.n, v.p);
	p = realloc(s->r, (s->r_count + 1) * sizeof *p);
	if (!p)
		return c4w_fail_memory(err, sizeof *p);
	s->r = p;
	p[s->r_count++] = (uint32_t)n;
	return C4W_OK;
}

static int push_index(struct c4w_psg_select *s, struct c4w_view v, struct c4w_err *err)
{
	struct c4w_psg_range r, *p;
	const char *dash = v.n ? memchr(v.p, '-', v.n) : NULL;
	struct c4w_view a = { v.p, dash ? (size_t)(dash - v.p) : v.n }, b = a;
	if (dash)
		b = (struct c4w_view){ dash + 1, v.n - a.n - 1 };
	if (!c4w_parse_u64(a, &r.first) || !c4w_parse_u64(b, &r.last) || r.first > r.last)
		return c4w_fail(err, C4W_USAGE, "--index takes numbers and ranges such as 3,7-12, not '%.*s'", (int)v.n, v.p);
	p = realloc(s->index, (s->index_count + 1) * sizeof *p);
	if (!p)
		return c4w_fail_memory(err, sizeof *p);
	s->index = p;
	p[s->index_count++] = r;
	return C4W_OK;
}

static int push_word(unsigned *bits, const char *const *words, const char *option, struct c4w_view v, struct c4w_err *err)
{
	int k = c4w_psg_word(words, v);
	char list[160] = "";
	size_t i, used = 0;
	if (k >= 0) {
		*bits |= 1u << k;
		return C4W_OK;
	}
	for (i = 0; words[i]; i++)
		used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", words[i]);
	return c4w_fail(err, C4W_USAGE, "--%s takes one of %s, not '%.*s'", option, list, (int)v.n, v.p);
}

static int one(struct c4w_psg_select *s, const char *name, struct c4w_view v, struct c4w_err *err)
{
	if (strcmp(name, "resolution") == 0)
		return push_r(s, v, err);
	if (strcmp(name, "index") == 0)
		return push_index(s, v, err);
	if (strcmp(name, "split") == 0) {
		if (c4w_view_eqz(v, "val")) /* the benchmark loader's own alias */
			v = C4W_VIEW("validation");
		return push_word(&s->splits, c4w_psg_split, name, v, err);
	}
	if (strcmp(name, "solver") == 0) {
		char full[32];
		if (v.n < 16 && memchr(v.p, '_', v.n) == NULL) { /* "slope" for "astar_slope" */
			snprintf(full, sizeof full, "astar_%.*s", (int)v.n, v.p);
			if (c4w_psg_word(c4w_psg_solver, c4w_view_z(full)) >= 0)
				v = c4w_view_z(full);
		}
		return push_word(&s->solvers, c4w_psg_solver, name, v, err);
	}
	if (strcmp(name, "variant") == 0)
		return push_word(&s->variants, c4w_psg_variant, name, v, err);
	return c4w_fail(err, C4W_USAGE, "--%s is no option of PASSAGE", name);
}

int c4w_psg_select_parse(const struct c4w_selargs *args, struct c4w_psg_select **out, struct c4w_err *err)
{
	struct c4w_psg_select *s = calloc(1, sizeof *s);
	size_t i;
	int cls = C4W_OK;
	*out = NULL;
	if (!s)
		return c4w_fail_memory(err, sizeof *s);
	for (i = 0; args && i < args->n && cls == C4W_OK; i++) {
		const char *p = args->v[i].value ? args->v[i].value : "";
		do {
			size_t n = strcspn(p, ",");
			cls = one(s, args->v[i].name, (struct c4w_view){ p, n }, err);
			p += n;
		} while (cls == C4W_OK && *p++ == ',');
	}
	if (cls != C4W_OK) {
		c4w_psg_select_free(s);
		return cls;
	}
	*out = s;
	return C4W_OK;
}

void c4w_psg_select_free(void *selection)
{
	struct c4w_psg_select *s = selection;
	if (!s)
		return;
	free(s->r);
	free(s->index);
	free(s);
}
