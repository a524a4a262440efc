/* The families' selection options, and opening what a path names. See selection.h. */
#include "selection.h"

#include <stdlib.h>

enum { OPTIONS_MAX = 96 };

/* The families declare theirs in the model's terms; here they become options as commands have them. Made once. */
static struct {
	struct c4w_option option[OPTIONS_MAX];
	const struct c4w_family *family[OPTIONS_MAX];
	char title[OPTIONS_MAX][64];
	size_t n;
	bool made;
} merged;

/* "a,b,c" becomes a NULL-terminated list that lives as long as the program. */
static const char *const *split_words(const char *text)
{
	size_t n = 1, i;
	char *copy = strdup(text), *word, *rest = NULL;
	const char **list;
	for (i = 0; text[i]; i++)
		n += text[i] == ',';
	list = calloc(n + 1, sizeof *list);
	if (!copy || !list)
		return NULL;
	n = 0;
	for (word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
		list[n++] = word;
	return list;
}

static void make(void)
{
	size_t i, k;
	if (merged.made)
		return;
	merged.made = true;
	for (i = 0; c4w_families[i]; i++) {
		const struct c4w_seloption *s = c4w_families[i]->options;
		for (; s && s->name; s++) {
			struct c4w_option *o = &merged.option[merged.n];
			for (k = 0; k < merged.n && strcmp(merged.option[k].name, s->name) != 0; k++)
				;
			if (k < merged.n || merged.n == OPTIONS_MAX)
				continue;
			*o = (struct c4w_option){ .name = s->name, .arg = s->arg, .brief = s->help, .text = s->more ? s->more : s->help,
						  .kind = !s->arg ? C4W_OPT_FLAG : s->repeat ? C4W_OPT_LIST : strcmp(s->arg, "FILE") == 0 ? C4W_OPT_PATH : C4W_OPT_STRING };
			if (s->values)
				o->values = split_words(s->values);
			merged.family[merged.n] = c4w_families[i];
			snprintf(merged.title[merged.n], sizeof merged.title[0], "Selection (%s)", c4w_families[i]->title);
			merged.n++;
		}
	}
}

const struct c4w_option *c4w_selection_option(const char *name)
{
	size_t i;
	make();
	for (i = 0; i < merged.n; i++)
		if (strcmp(merged.option[i].name, name) == 0)
			return &merged.option[i];
	return NULL;
}

void c4w_selection_each(c4w_option_visit *fn, void *user)
{
	size_t i;
	make();
	for (i = 0; i < merged.n; i++)
		fn(user, merged.title[i], &merged.option[i]);
}

int c4w_target_open(struct c4w_ctx *ctx, const char *path, struct c4w_target *out, struct c4w_err *err)
{
	*out = (struct c4w_target){ .path = path };
	C4W_TRY(c4w_family_find(path, ctx->shared.as, &out->family, &out->why, err));
	if (!out->family)
		return c4w_fail(err, C4W_UNSUPPORTED, "nothing here reads it");
	return out->family->open(path, &out->root, err);
}

int c4w_target_open_several(struct c4w_ctx *ctx, const char *const *paths, size_t n, struct c4w_target *out, struct c4w_err *err)
{
	size_t i;
	if (n == 1)
		return c4w_target_open(ctx, paths[0], out, err);
	*out = (struct c4w_target){ .path = paths[0] };
	for (i = 0; i < n; i++) {
		const struct c4w_family *family;
		struct c4w_probe why;
		C4W_TRY(c4w_family_find(paths[i], ctx->shared.as, &family, &why, err));
		if (!family)
			return c4w_fail(err, C4W_UNSUPPORTED, "nothing here reads '%s'", paths[i]);
		if (!family->open_several) {
			void *root;
			C4W_TRY(family->open(paths[i], &root, err)); /* one that is not there is told as such */
			family->close(root);
			c4w_fail(err, C4W_USAGE, "of several sources each must be a PASSAGE shard or a folder of them; this is a %s", family->title);
			c4w_err_path(err, paths[i]);
			return C4W_USAGE;
		}
		out->family = family;
		if (i == 0)
			out->why = why;
	}
	return out->family->open_several(paths, n, &out->root, err);
}

static const struct c4w_seloption *family_option(const struct c4w_family *f, const char *name)
{
	const struct c4w_seloption *s = f->options;
	for (; s && s->name; s++)
		if (strcmp(s->name, name) == 0)
			return s;
	return NULL;
}

int c4w_target_select(struct c4w_ctx *ctx, struct c4w_target *t, struct c4w_err *err)
{
	struct c4w_selargs args = { 0 };
	struct c4w_selarg *v;
	char why[200];
	void *mem;
	size_t i, k;
	C4W_TRY(c4w_arena_zero(&ctx->arena, ctx->givens + 1, sizeof *v, &mem, err));
	v = mem;
	for (i = 0; i < ctx->givens; i++) {
		const struct c4w_given *g = &ctx->given[i];
		const struct c4w_seloption *s;
		if (!g->selection)
			continue;
		s = family_option(t->family, g->option->name);
		if (!s) {
			for (k = 0; c4w_families[k] && !family_option(c4w_families[k], g->option->name); k++)
				;
			snprintf(why, sizeof why, "option '%s' belongs to %s; this is a ", g->spelled,
				 c4w_families[k] ? c4w_families[k]->title : "another family");
			return c4w_target_fail(t, C4W_USAGE, why, "", err);
		}
		/* One that may be given once takes its last value, as the reference's parser has it. */
		if (!s->repeat)
			for (k = 0; k < args.n; k++)
				if (strcmp(v[k].name, s->name) == 0) {
					memmove(v + k, v + k + 1, (args.n - k - 1) * sizeof *v);
					args.n--;
					break;
				}
		v[args.n++] = (struct c4w_selarg){ .name = s->name, .value = g->value };
	}
	args.v = v;
	if (!t->family->compile)
		return C4W_OK;
	return t->family->compile(t->root, &args, &t->selection, err);
}

int c4w_target_fail(const struct c4w_target *t, enum c4w_class cls, const char *before, const char *after, struct c4w_err *err)
{
	c4w_fail(err, cls, "%s%s%s", before, c4w_family_title(t->family, t->path), after);
	c4w_err_path(err, t->path);
	c4w_family_hint(t->family, t->path, err);
	return (int)cls;
}

void c4w_target_close(struct c4w_target *t)
{
	if (t->family && t->selection && t->family->selection_free)
		t->family->selection_free(t->selection);
	if (t->family && t->root)
		t->family->close(t->root);
	*t = (struct c4w_target){ 0 };
}
