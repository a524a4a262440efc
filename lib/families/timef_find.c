/* From what the user names to a version directory. See timef_find.h. */
#include "families/timef_find.h"

#include "families/timef_impl.h"

#define DEPTH 8

static char *join(const char *a, const char *b)
{
	struct c4w_buf s = { 0 };

	c4w_buf_printf(&s, "%s%s%s", a, *a && a[strlen(a) - 1] != '/' ? "/" : "", b);
	if (s.failed) {
		c4w_buf_clear(&s);
		return NULL;
	}
	return s.p;
}

static bool has_file(struct c4w_store *s, const char *dir, const char *name, enum c4w_kind kind)
{
	struct c4w_stat st;
	char *p = *dir ? join(dir, name) : strdup(name);
	bool yes = p && c4w_store_stat(s, p, &st, NULL) == C4W_OK && st.kind == kind;

	free(p);
	return yes;
}

/* Does a manifest stand there, and does it look like TimeF's? */
static bool is_version(struct c4w_store *s, const char *dir)
{
	struct c4w_blob *b;
	char front[4097];
	size_t n;
	char *p = *dir ? join(dir, "manifest.json") : strdup("manifest.json");
	bool yes = false;

	if (p && has_file(s, dir, "manifest.json", C4W_KIND_FILE) && c4w_store_open(s, p, &b, NULL) == C4W_OK) {
		n = c4w_blob_size(b) < 4096 ? (size_t)c4w_blob_size(b) : 4096;
		if (c4w_blob_read_at(b, 0, n, front, NULL) == C4W_OK)
			yes = memmem(front, n, "timef_format_version", 20) != NULL;
		c4w_blob_close(b);
		if (!yes) /* a damaged manifest is still one when its tables lie beside it */
			yes = has_file(s, dir, "time_series_index", C4W_KIND_DIR) && has_file(s, dir, "records", C4W_KIND_DIR);
	}
	free(p);
	return yes;
}

static bool skipped(const char *name)
{
	return name[0] == '.' || strstr(name, ".tmp-");
}

/* A child directory that is a version? Up to `budget` children are looked at. */
static bool has_version(struct c4w_store *s, const char *dir, unsigned depth, unsigned *budget)
{
	struct c4w_arena arena = { 0 };
	struct c4w_dirent *v;
	size_t n, i;
	uint64_t number[3];
	bool yes = false;

	if (c4w_store_list(s, dir, &arena, &v, &n, NULL) == C4W_OK)
		for (i = 0; i < n && !yes && *budget; i++) {
			char *p;

			if (v[i].st.kind != C4W_KIND_DIR || skipped(v[i].name))
				continue;
			p = *dir ? join(dir, v[i].name) : strdup(v[i].name);
			(*budget)--;
			if (p && depth == 0)
				yes = c4w_timef_version_parse(c4w_view_z(v[i].name), number) && is_version(s, p);
			else if (p)
				yes = has_version(s, p, depth - 1, budget);
			free(p);
		}
	c4w_arena_clear(&arena);
	return yes;
}

enum c4w_timef_where c4w_timef_probe(const char *path, char *why, size_t size)
{
	enum c4w_timef_where where = C4W_TF_NOTHING;
	struct c4w_store *s;
	unsigned budget = 400;

	if (c4w_store_open_dir(path, &s, NULL) != C4W_OK)
		return where;
	if (is_version(s, ""))
		where = C4W_TF_VERSION;
	else if (has_version(s, "", 0, &budget))
		where = C4W_TF_DATASET;
	else if (has_version(s, "", 2, &budget))
		where = C4W_TF_REGISTRY;
	c4w_store_close(s);
	snprintf(why, size, where == C4W_TF_VERSION ? "manifest.json is TimeF's" : where == C4W_TF_DATASET ? "version directories with TimeF manifests are there" :
			    where == C4W_TF_REGISTRY ? "org/name/version directories with TimeF manifests are there" : "no TimeF manifest");
	return where;
}

/* ---- listing ---- */

struct walk {
	struct c4w_store *s;
	struct c4w_arena *arena;
	struct c4w_timef_entry *v;
	size_t n, cap;
	struct c4w_err *err;
	bool in_dataset;
};

static int found(struct walk *w, const char *dir)
{
	const char *slash = strrchr(dir, '/');
	struct c4w_timef_entry e = { .dir = dir };
	struct c4w_timef_entry *v;

	e.version = slash ? slash + 1 : dir;
	if (!c4w_timef_version_parse(c4w_view_z(e.version), e.number))
		return C4W_OK;
	e.id = c4w_arena_text(w->arena, dir, slash ? (size_t)(slash - dir) : 0);
	if (!e.id)
		return c4w_fail_memory(w->err, strlen(dir));
	e.sound = w->in_dataset || c4w_timef_dataset_id_ok(c4w_view_z(e.id));
	if (w->n == w->cap) {
		w->cap = w->cap ? w->cap * 2 : 64;
		v = realloc(w->v, w->cap * sizeof *v);
		if (!v)
			return c4w_fail_memory(w->err, w->cap * sizeof *v);
		w->v = v;
	}
	w->v[w->n++] = e;
	return C4W_OK;
}

static int walk(struct walk *w, const char *dir, unsigned depth)
{
	struct c4w_dirent *v;
	const char *p;
	char *q;
	size_t n, i;

	C4W_TRY(c4w_store_list(w->s, dir, w->arena, &v, &n, w->err));
	for (i = 0; i < n; i++)
		if (*dir && v[i].st.kind == C4W_KIND_FILE && strcmp(v[i].name, "manifest.json") == 0)
			return found(w, dir); /* data sets don't lie within versions */
	for (i = 0; i < n; i++) {
		if (v[i].st.kind != C4W_KIND_DIR || skipped(v[i].name) || depth == DEPTH)
			continue;
		q = *dir ? join(dir, v[i].name) : strdup(v[i].name);
		p = q ? c4w_arena_text(w->arena, q, strlen(q)) : NULL;
		free(q);
		if (!p)
			return c4w_fail_memory(w->err, strlen(v[i].name));
		C4W_TRY(walk(w, p, depth + 1));
	}
	return C4W_OK;
}

static int cmp_entry(const void *a, const void *b)
{
	const struct c4w_timef_entry *x = a, *y = b;
	int k = strcmp(x->id, y->id);

	return k ? k : c4w_timef_version_cmp(x->number, y->number);
}

int c4w_timef_list(struct c4w_store *root, enum c4w_timef_where where, struct c4w_arena *arena, struct c4w_timef_entry **out, size_t *n,
		   struct c4w_err *err)
{
	struct walk w = { .s = root, .arena = arena, .err = err, .in_dataset = where == C4W_TF_DATASET };
	void *mem;
	int rc = walk(&w, "", 0);

	*out = NULL;
	*n = 0;
	if (rc == C4W_OK)
		rc = c4w_arena_take(arena, (w.n + 1) * sizeof *w.v, &mem, err);
	if (rc == C4W_OK) {
		*out = mem;
		*n = w.n;
		if (w.n) {
			memcpy(*out, w.v, w.n * sizeof *w.v);
			qsort(*out, w.n, sizeof *w.v, cmp_entry);
		}
	}
	free(w.v);
	return rc;
}

/* ---- references ---- */

int c4w_timef_ref_parse(const char *ref, struct c4w_view *id, struct c4w_view *version, struct c4w_err *err)
{
	const char *at = strchr(ref, '@');
	uint64_t number[3];

	*id = (struct c4w_view){ ref, at ? (size_t)(at - ref) : strlen(ref) };
	*version = at ? c4w_view_z(at + 1) : C4W_VIEW("");
	if (!c4w_timef_dataset_id_ok(*id))
		return c4w_fail(err, C4W_USAGE, "a data set is named ORG/NAME or ORG/NAME@VERSION");
	if (at && !c4w_view_eqz(*version, "latest") && !c4w_timef_version_parse(*version, number))
		return c4w_fail(err, C4W_USAGE, "a version is three numbers such as 1.2.3 (plain digits only), or 'latest'");
	if (c4w_view_eqz(*version, "latest"))
		*version = C4W_VIEW("");
	return C4W_OK;
}

static int choose(const struct c4w_timef_entry *v, size_t n, struct c4w_view id, struct c4w_view version, bool any_id, size_t *out, struct c4w_err *err)
{
	struct c4w_timef_near near = { NULL, SIZE_MAX, "" };
	size_t i, best = SIZE_MAX, used = 0;
	char list[220] = "", name[160];
	bool known = any_id;

	for (i = 0; i < n; i++) {
		if (!any_id && !c4w_view_eqz(id, v[i].id))
			continue;
		known = true;
		if (version.n && !c4w_view_eqz(version, v[i].version))
			continue;
		best = i; /* sorted: the last is the highest */
	}
	if (best != SIZE_MAX) {
		*out = best;
		return C4W_OK;
	}
	if (!known) {
		snprintf(name, sizeof name, "%.*s", (int)(id.n < sizeof name ? id.n : sizeof name - 1), id.p);
		near.word = name;
	}
	for (i = 0; i < n; i++) { /* of a data set that is there, its versions; else the data sets */
		if (known && !any_id && !c4w_view_eqz(id, v[i].id))
			continue;
		if (!known && i + 1 < n && strcmp(v[i].id, v[i + 1].id) == 0)
			continue;
		if (!known)
			c4w_timef_near_try(&near, c4w_view_z(v[i].id));
		if (used < sizeof list - 60)
			used += (size_t)snprintf(list + used, sizeof list - used, "%s%.50s", used ? ", " : "there is ", known ? v[i].version : v[i].id);
	}
	if (!known)
		return c4w_timef_near_fail(&near, "data set", used ? list : NULL, err);
	c4w_fail(err, C4W_USAGE, "no version '%.*s'%s%.*s here", (int)version.n, version.p, any_id ? "" : " of ", any_id ? 0 : (int)id.n, id.p ? id.p : "");
	c4w_err_hint(err, "%s", list);
	return C4W_USAGE;
}

int c4w_timef_locate(const char *path, const char *ref, char **dir, struct c4w_err *err)
{
	struct c4w_view id = { NULL, 0 }, version = { NULL, 0 };
	struct c4w_arena arena = { 0 };
	struct c4w_timef_entry *v;
	enum c4w_timef_where where;
	struct c4w_store *s;
	char why[160];
	size_t n, i, pick = 0;
	int rc;

	*dir = NULL;
	where = c4w_timef_probe(path, why, sizeof why);
	if (ref && !*ref)
		ref = NULL;
	rc = c4w_store_open_dir(path, &s, err);
	if (rc != C4W_OK)
		return rc;
	if (where == C4W_TF_NOTHING) {
		rc = c4w_fail(err, C4W_ABSENT, "neither a TimeF version, nor a data set's directory, nor a registry root");
	} else if (where == C4W_TF_VERSION) {
		if (ref)
			rc = c4w_fail(err, C4W_USAGE, "'%s' is one version already; there is no '%s' in it", path, ref);
		else if (!(*dir = strdup(path)))
			rc = c4w_fail_memory(err, strlen(path));
	} else {
		if (where == C4W_TF_REGISTRY && ref)
			rc = c4w_timef_ref_parse(ref, &id, &version, err);
		else if (ref && !c4w_timef_version_parse(version = c4w_view_z(ref), (uint64_t[3]){ 0 }))
			rc = c4w_fail(err, C4W_USAGE, "a version is three numbers such as 1.2.3");
		if (rc == C4W_OK)
			rc = c4w_timef_list(s, where, &arena, &v, &n, err);
		if (rc == C4W_OK && where == C4W_TF_REGISTRY && !ref)
			for (i = 1; i < n && rc == C4W_OK; i++)
				if (strcmp(v[i].id, v[0].id) != 0) {
					rc = c4w_fail(err, C4W_USAGE, "a registry of several data sets: say which");
					c4w_err_hint(err, "there is %s, %s%s; c4w ls shows them all", v[0].id, v[i].id, i + 1 < n ? ", ..." : "");
				}
		if (rc == C4W_OK)
			rc = choose(v, n, id, version, where == C4W_TF_DATASET || !ref, &pick, err);
		if (rc == C4W_OK && !(*dir = join(path, v[pick].dir)))
			rc = c4w_fail_memory(err, strlen(path));
	}
	if (rc != C4W_OK)
		c4w_err_path(err, path);
	c4w_store_close(s);
	c4w_arena_clear(&arena);
	return rc;
}
