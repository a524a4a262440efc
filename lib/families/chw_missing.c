/* What a selection still needs, and a selection as a recipe (section 6).
 *
 * Only absence counts here, not size. Where a group's metadata is on disk, exactly the files of the selection are told; where it is not,
 * the group's records can't be enumerated, and every absent file that fits component and carrier is. */
#include "families/chw.h"

#include "model/plan.h"

#include <inttypes.h>

enum { MAX_SCENES = 100000, MAX_NUMBERS = 1024, MAX_PROFILES = 64 };
#define MAX_INT 9007199254740991 /* 2^53 - 1 */

struct planning {
	struct chw_root *root;
	const struct chw_selection *sel;
	struct c4w_missing *out;
	uint8_t *known;        /* by files row: bit 0 looked up, bit 1 there, bit 2 needed */
	char gone[4096];       /* a directory that is not there, with its slash; "" when none is known */
	size_t cap_unpublished;
	size_t scene_start, scene_absent; /* `unpublished` of the scene at hand: where it starts, how many requests without a record */
	const struct chw_scene *scene;
};

/* ---- what is there ---- */

/* The topmost directory of `path` that is absent becomes `gone`: one look answers for all that it would hold. */
static int find_gone(struct planning *p, const char *path, struct c4w_err *err)
{
	char dir[sizeof p->gone];
	const char *slash = path;
	struct c4w_stat st;
	while ((slash = strchr(slash, '/')) != NULL && (size_t)(slash - path) + 2 < sizeof dir) {
		size_t n = (size_t)(slash - path);
		memcpy(dir, path, n);
		dir[n] = 0;
		slash++;
		/* Of one that was just found present (a sibling's look-up) nothing is remembered: it costs one stat a file. */
		C4W_TRY(c4w_store_stat(p->root->store, dir, &st, err));
		if (st.kind == C4W_KIND_NONE) {
			memcpy(p->gone, path, n + 1);
			p->gone[n + 1] = 0;
			return C4W_OK;
		}
	}
	return C4W_OK;
}

static int present(struct planning *p, uint32_t file, bool *there, struct c4w_err *err)
{
	const char *path = p->root->files[file].path;
	struct c4w_stat st = { 0 };
	size_t n = strlen(p->gone);
	if (!(p->known[file] & 1)) {
		if (!n || strncmp(path, p->gone, n) != 0) {
			C4W_TRY(c4w_store_stat(p->root->store, path, &st, err));
			if (st.kind == C4W_KIND_NONE)
				C4W_TRY(find_gone(p, path, err));
		}
		p->known[file] |= st.kind == C4W_KIND_NONE ? 1 : 3;
	}
	*there = p->known[file] & 2;
	return C4W_OK;
}

static int need(struct planning *p, uint32_t file, bool *absent, struct c4w_err *err)
{
	bool there;
	C4W_TRY(present(p, file, &there, err));
	if (!there && !(p->known[file] & 4)) {
		p->known[file] |= 4;
		p->out->n_files++;
		p->out->bytes += (uint64_t)p->root->files[file].bytes;
	}
	if (absent && !there)
		*absent = true;
	return C4W_OK;
}

/* ---- items that are not published ---- */

static int unpublished(struct planning *p, bool request, struct c4w_err *err, const char *fmt, ...) C4W_PRINTF(4, 5);
static int unpublished(struct planning *p, bool request, struct c4w_err *err, const char *fmt, ...)
{
	struct c4w_missing *m = p->out;
	char text[400];
	size_t at = m->n_unpublished;
	va_list ap;
	void *mem;
	const char *copy;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (m->n_unpublished == p->cap_unpublished) {
		size_t cap = p->cap_unpublished ? p->cap_unpublished * 2 : 64;
		C4W_TRY(c4w_arena_take(&m->arena, cap * sizeof *m->unpublished, &mem, err));
		if (m->n_unpublished)
			memcpy(mem, m->unpublished, m->n_unpublished * sizeof *m->unpublished);
		m->unpublished = mem;
		p->cap_unpublished = cap;
	}
	if (!(copy = c4w_arena_text(&m->arena, text, strlen(text))))
		return c4w_fail_memory(err, strlen(text));
	/* Of a scene, what was asked for and has no record at all comes first. */
	if (request) {
		at = p->scene_start + p->scene_absent++;
		memmove(m->unpublished + at + 1, m->unpublished + at, (m->n_unpublished - at) * sizeof *m->unpublished);
	}
	m->unpublished[at] = copy;
	m->n_unpublished++;
	return C4W_OK;
}

/* ---- groups that can be enumerated ---- */

static int need_record(struct planning *p, const struct chw_item *it, const struct chw_digest *id, const struct chw_row *row,
		       enum chw_component c, struct c4w_err *err)
{
	const struct chw_root *r = p->root;
	struct chw_place place;
	if (r->kind == CHW_CACHE && row) {
		uint32_t f, parts = 0;
		for (f = r->groups[it->group->index].first_file; f != CHW_NONE; f = r->files[f].next)
			if ((r->files[f].kind == CHW_CACHE_INDEX || r->files[f].kind == CHW_CACHE_ARRAY) && r->files[f].component == c &&
			    r->files[f].hz == row->hz) {
				C4W_TRY(need(p, f, NULL, err));
				parts++;
			}
		if (parts)
			return C4W_OK;
	}
	if (id) {
		chw_locate(it->group, id, row, &place);
		if (place.where != CHW_UNPUBLISHED)
			return need(p, place.file, NULL, err);
	}
	if (c == CHW_CORE || c == CHW_DETAIL)
		return unpublished(p, false, err, "%s %s %" PRId64 " Hz BS %" PRId64, chw_component_names[c], it->scene->id, it->hz, it->bs);
	return unpublished(p, false, err, "%s of %s", chw_component_names[c], it->scene->id);
}

static int plan_item(struct planning *p, const struct chw_item *it, struct c4w_err *err)
{
	const struct c4w_err *bad = it->group->members_err.cls != C4W_OK ? &it->group->members_err : &it->group->snapshot_err;
	if (bad->cls != C4W_OK) { /* there, but not to be used */
		if (err)
			*err = *bad;
		return (int)bad->cls;
	}
	if (it->scene != p->scene) {
		p->scene = it->scene;
		p->scene_start = p->out->n_unpublished;
		p->scene_absent = 0;
	}
	switch (it->kind) {
	case CHW_ITEM_POSITIONS:
		return need_record(p, it, it->positions ? &it->positions->id : NULL, it->positions, CHW_POSITIONS, err);
	case CHW_ITEM_GEOMETRY:
		return need_record(p, it, &it->geometry, NULL, CHW_GEOMETRY, err);
	case CHW_ITEM_CHANNEL:
		C4W_TRY(need_record(p, it, &it->core->id, it->core, CHW_CORE, err));
		if (p->sel->component[CHW_DETAIL])
			C4W_TRY(need_record(p, it, it->detail ? &it->detail->id : NULL, it->detail, CHW_DETAIL, err));
		return C4W_OK;
	case CHW_ITEM_NO_CHANNELS:
		return unpublished(p, true, err, "core %s: no channel records in this %s", it->scene->id, chw_kind_names[p->root->kind]);
	case CHW_ITEM_NO_CHANNEL:
		return unpublished(p, true, err, "core %s %" PRId64 " Hz BS %" PRId64, it->scene->id, it->hz, it->bs);
	case CHW_ITEM_ROOT:
	case CHW_ITEM_SCENE:
		break;
	}
	return C4W_OK;
}

static int plan_exact(struct planning *p, const struct chw_selection *narrowed, struct c4w_err *err)
{
	struct chw_walk *walk = NULL;
	struct chw_item it;
	bool end = false;
	int cls = chw_walk_new(p->root, narrowed, &walk, err);
	while (cls == C4W_OK && (cls = chw_walk_next(walk, &it, &end, err)) == C4W_OK && !end) {
		cls = plan_item(p, &it, err);
		chw_group_release(it.group);
	}
	chw_walk_free(walk);
	return cls;
}

/* ---- groups that can't ---- */

static bool fits(const struct chw_selection *s, const struct chw_file *f)
{
	uint32_t i;
	if ((f->kind != CHW_PAYLOAD && f->kind != CHW_CACHE_INDEX && f->kind != CHW_CACHE_ARRAY) || f->component >= CHW_COMPONENTS ||
	    !s->component[f->component])
		return false;
	if (f->hz < 0 || !s->hz_given)
		return true;
	for (i = 0; i < s->n_hz && s->hz[i] != f->hz; i++)
		;
	return i < s->n_hz;
}

static int plan_coarse(struct planning *p, uint32_t group, struct c4w_err *err)
{
	uint32_t f;
	for (f = p->root->groups[group].first_file; f != CHW_NONE; f = p->root->files[f].next)
		if (fits(p->sel, &p->root->files[f]))
			C4W_TRY(need(p, f, NULL, err));
	return C4W_OK;
}

/* Members and snapshot of a group; *coarse when one of them, or a schema document, is absent. */
static int look_at_group(struct planning *p, uint32_t group, bool schema_absent, bool *coarse, struct c4w_err *err)
{
	const struct chw_group_entry *g = &p->root->groups[group];
	*coarse = schema_absent;
	if (g->members == CHW_NONE || g->snapshot == CHW_NONE)
		return c4w_damaged(err, "root.group-files", -1, "the root lists no %s for group %s", g->members == CHW_NONE ? "members table" : "snapshot",
				   g->name);
	C4W_TRY(need(p, g->members, coarse, err));
	return need(p, g->snapshot, coarse, err);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct c4w_missing_file *)a)->path, ((const struct c4w_missing_file *)b)->path);
}

static int list_files(struct planning *p, struct c4w_err *err)
{
	const struct chw_root *r = p->root;
	struct c4w_missing *m = p->out;
	bool sorted = true;
	size_t n = 0;
	uint32_t i;
	void *mem;
	C4W_TRY(c4w_arena_zero(&m->arena, m->n_files + 1, sizeof *m->files, &mem, err));
	m->files = mem;
	for (i = 0; i < r->n_files; i++)
		if (p->known[i] & 4) {
			const char *path = r->files[i].path;
			m->files[n] = (struct c4w_missing_file){ path, (uint64_t)r->files[i].bytes };
			sorted = sorted && (n == 0 || strcmp(m->files[n - 1].path, path) < 0);
			n++;
		}
	if (!sorted)
		qsort(m->files, n, sizeof *m->files, by_path);
	return C4W_OK;
}

static int where_from(const struct chw_root *r, const struct chw_selection *s, struct c4w_missing *m, struct c4w_err *err)
{
	if (s->revision && !(m->revision = c4w_arena_text(&m->arena, s->revision, strlen(s->revision))))
		return c4w_fail_memory(err, 0);
	if (!r->hf_repo || !*r->hf_repo || !r->hf_path) {
		m->nowhere = "this root was made locally: there is no published place to download its files from";
		return C4W_OK;
	}
	m->repo = c4w_arena_text(&m->arena, r->hf_repo, strlen(r->hf_repo));
	m->prefix = c4w_arena_text(&m->arena, r->hf_path, strlen(r->hf_path));
	return m->repo && m->prefix ? C4W_OK : c4w_fail_memory(err, 0);
}

int chw_missing(void *root, const void *selection, struct c4w_missing *out, struct c4w_err *err)
{
	const struct chw_selection *s = selection;
	struct chw_root *r = root;
	struct planning p = { .root = r, .sel = s, .out = out };
	struct chw_selection narrowed = *s;
	uint8_t *state = NULL; /* by group: 0 not seen, 1 exact, 2 coarse */
	bool schema_absent = false, coarse;
	uint32_t i;
	int cls = chw_root_sound(r, err);
	if (cls != C4W_OK)
		return cls;
	p.known = calloc(r->n_files + 1, 1);
	state = calloc(r->n_groups + 1, 1);
	narrowed.scenes = malloc(((size_t)s->n_scenes + 1) * sizeof *narrowed.scenes);
	narrowed.n_scenes = 0;
	if (!p.known || !state || !narrowed.scenes) {
		cls = c4w_fail_memory(err, r->n_files);
		goto out;
	}
	for (i = 0; i < r->n_files; i++)
		if (r->files[i].kind == CHW_SCHEMA && (cls = need(&p, i, &schema_absent, err)) != C4W_OK)
			goto out;
	for (i = 0; i < s->n_scenes; i++) {
		uint32_t group = r->scenes[s->scenes[i]].group;
		if (state[group] == 0) {
			if ((cls = look_at_group(&p, group, schema_absent, &coarse, err)) != C4W_OK)
				goto out;
			state[group] = coarse ? 2 : 1;
			if (coarse && (cls = plan_coarse(&p, group, err)) != C4W_OK)
				goto out;
		}
		if (state[group] == 1)
			narrowed.scenes[narrowed.n_scenes++] = s->scenes[i];
	}
	if (narrowed.n_scenes)
		cls = plan_exact(&p, &narrowed, err);
	if (cls == C4W_OK)
		cls = list_files(&p, err);
	if (cls == C4W_OK)
		cls = where_from(r, s, out, err);
out:
	free(p.known);
	free(state);
	free(narrowed.scenes);
	return cls;
}

/* ---- recipes ---- */

static bool plain_name(const char *text, bool revision)
{
	size_t i, n = strlen(text);
	for (i = 0; i < n; i++) {
		char c = text[i];
		bool alnum = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
		if (!alnum && (i == 0 || (c != '_' && c != '.' && c != '-' && !(revision && c == '/'))))
			return false;
	}
	return n >= 1 && n <= 128 && !(revision && strstr(text, ".."));
}

static int put_name(struct c4w_json_out *j, const char *key, const char *text, bool revision, struct c4w_err *err)
{
	char shown[160];
	if (!plain_name(text, revision)) {
		c4w_fail(err, C4W_USAGE, "%s '%s' can't stand in a recipe", key ? key : "a name",
			 c4w_str_escape(shown, sizeof shown, text, strlen(text)));
		return c4w_err_values(err, revision ? "a branch, tag or commit name" : "a plain name of letters, digits, '_', '.', '-'", NULL);
	}
	if (key)
		c4w_jo_key(j, key);
	c4w_jo_z(j, text);
	return C4W_OK;
}

static int put_names(struct c4w_json_out *j, const char *key, const char *const *v, uint32_t n, uint32_t limit, struct c4w_err *err)
{
	uint32_t i;
	if (!n)
		return C4W_OK;
	if (n > limit)
		return c4w_fail(err, C4W_USAGE, "a recipe takes at most %u %s, the selection has %u", limit, key, n);
	c4w_jo_key(j, key);
	c4w_jo_array(j);
	for (i = 0; i < n; i++)
		C4W_TRY(put_name(j, NULL, v[i], false, err));
	c4w_jo_end(j);
	return C4W_OK;
}

static int put_numbers(struct c4w_json_out *j, const char *key, const int64_t *v, uint32_t n, struct c4w_err *err)
{
	uint32_t i;
	if (!n)
		return C4W_OK;
	if (n > MAX_NUMBERS)
		return c4w_fail(err, C4W_USAGE, "a recipe takes at most %d %s, the selection has %u", MAX_NUMBERS, key, n);
	c4w_jo_key(j, key);
	c4w_jo_array(j);
	for (i = 0; i < n; i++) {
		if (v[i] < 0 || v[i] > MAX_INT)
			return c4w_fail(err, C4W_USAGE, "%s %" PRId64 " can't stand in a recipe; integers from 0 below 2^53 can", key, v[i]);
		c4w_jo_i64(j, v[i]);
	}
	c4w_jo_end(j);
	return C4W_OK;
}

int chw_recipe(void *root, const void *selection, const char *revision, struct c4w_buf *out, struct c4w_err *err)
{
	const struct chw_selection *s = selection;
	const struct chw_root *r = root;
	struct c4w_json_out j = c4w_json_out(out, (struct c4w_json_style){ .indent = 2, .ascii = true });
	int c;
	C4W_TRY(chw_root_sound(r, err));
	c4w_jo_object(&j);
	c4w_jo_key(&j, "format");
	c4w_jo_z(&j, "channels4world.selection");
	c4w_jo_key(&j, "format_version");
	c4w_jo_i64(&j, 1);
	C4W_TRY(put_name(&j, "release", r->release, false, err));
	if (revision)
		C4W_TRY(put_name(&j, "revision", revision, true, err));
	c4w_jo_key(&j, "selection");
	c4w_jo_object(&j);
	if (s->tier)
		C4W_TRY(put_name(&j, "tier", s->tier, false, err));
	if (s->split)
		C4W_TRY(put_name(&j, "split", s->split, false, err));
	C4W_TRY(put_names(&j, "profiles", s->profiles.v, s->profiles.n, MAX_PROFILES, err));
	C4W_TRY(put_names(&j, "scene_ids", s->scene_ids, s->n_scene_ids, MAX_SCENES, err));
	C4W_TRY(put_numbers(&j, "frequencies_hz", s->hz, s->n_hz, err));
	C4W_TRY(put_numbers(&j, "bs_ids", s->bs, s->n_bs, err));
	c4w_jo_key(&j, "components");
	c4w_jo_array(&j);
	for (c = 0; c < CHW_COMPONENTS; c++)
		if (s->component[c])
			c4w_jo_z(&j, chw_component_names[c]);
	c4w_jo_end(&j);
	c4w_jo_end(&j);
	c4w_jo_end(&j);
	c4w_buf_putc(out, '\n');
	return c4w_buf_ok(out, err);
}
