/* The list of dataset families, and which one a path belongs to. */
#include "model/family.h"
#include "families/chw.h"
#include "families/file.h"
#include "families/psg_family.h"
#include "families/timef_family.h"
#include "storage/stream.h"

const struct c4w_family *const c4w_families[] = { &c4w_family_channels4world, &c4w_family_timef, &c4w_family_passage, &c4w_family_file, NULL };

const char *c4w_family_title(const struct c4w_family *f, const char *path)
{
	struct c4w_store *s;
	if (f != &c4w_family_file || c4w_path_is_stream(path) || c4w_store_open_dir(path, &s, NULL) != C4W_OK)
		return f->title;
	c4w_store_close(s);
	return "folder";
}

/* Everything that a Channels4World root has but the file that is written last. */
void c4w_family_hint(const struct c4w_family *f, const char *path, struct c4w_err *err)
{
	struct c4w_store *s;
	struct c4w_stat st;
	if (f != &c4w_family_file || c4w_path_is_stream(path) || c4w_store_open_dir(path, &s, NULL) != C4W_OK)
		return;
	if ((c4w_store_stat(s, "c4w-root", &st, NULL) == C4W_OK && st.kind == C4W_KIND_DIR) ||
	    (c4w_store_stat(s, "groups", &st, NULL) == C4W_OK && st.kind == C4W_KIND_DIR))
		c4w_err_hint(err, "it looks like a Channels4World root without its c4w-root.json: download that, or finish an interrupted extract or to-cache "
				  "with --skip-existing");
	c4w_store_close(s);
}

int c4w_family_find(const char *path, const char *as, const struct c4w_family **out, struct c4w_probe *why, struct c4w_err *err)
{
	char list[200] = "";
	size_t i, used = 0;
	*out = NULL;
	memset(why, 0, sizeof *why);
	/* What can be read only once must not be looked into by a probe. */
	if (!as && (strcmp(path, "-") == 0 || c4w_path_is_stream(path))) {
		*out = &c4w_family_file;
		why->sure = C4W_SURE_MAYBE;
		snprintf(why->why, sizeof why->why, "it can be read only once");
		return C4W_OK;
	}
	for (i = 0; c4w_families[i]; i++) {
		const struct c4w_family *f = c4w_families[i];
		struct c4w_probe p = { 0 };
		if (as) {
			used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", f->name);
			if (strcmp(f->name, as) != 0)
				continue;
			*out = f;
			why->sure = C4W_SURE_CERTAIN;
			snprintf(why->why, sizeof why->why, "asked for by --as");
			return C4W_OK;
		}
		f->probe(path, &p);
		if (p.sure > why->sure) {
			*why = p;
			*out = f;
		}
	}
	if (as)
		return c4w_fail(err, C4W_USAGE, "unknown family '%s'; there is %s", as, list);
	return C4W_OK;
}
