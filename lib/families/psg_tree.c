/* Opening a generator tree by any of its parts: names, units, and what the path above them says. Walking is in psg_walk.c. */
#include "families/psg_tree_impl.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *const c4w_psg_part_dir[] = {
	"tensors",
	"metadata",
	"receipts",
	"paths/astar_elevation/free",
	"paths/astar_elevation/obstacles",
	"paths/astar_energy/free",
	"paths/astar_energy/obstacles",
	"paths/astar_slope/free",
	"paths/astar_slope/obstacles",
};

const char *c4w_psg_part_tail(unsigned part)
{
	return part == 0 ? ".npy.zst" : part == 1 ? ".yaml" : part == 2 ? ".json" : ".csv";
}

void c4w_psg_ref_path(const struct c4w_psg_ref *ref, unsigned part, char *out, size_t size)
{
	if (part == 2)
		snprintf(out, size, "%sreceipts/%010llu.json", ref->unit->base, (unsigned long long)ref->index);
	else
		snprintf(out, size, "%s%s/%s/%s/%010llu%s", ref->unit->base, c4w_psg_part_dir[part], ref->lat, ref->lon,
			 (unsigned long long)ref->index, c4w_psg_part_tail(part));
}

void c4w_psg_ref_name(const struct c4w_psg_ref *ref, char *out, size_t size)
{
	char r[16] = "";
	if (ref->unit->r)
		snprintf(r, sizeof r, "%u/", ref->unit->r);
	snprintf(out, size, "%s%s%s%010llu", r, ref->unit->split >= 0 ? c4w_psg_split[ref->unit->split] : "",
		 ref->unit->split >= 0 ? "/" : "", (unsigned long long)ref->index);
}

const char *c4w_psg_ref_state(const struct c4w_psg_ref *ref)
{
	if (ref->have & C4W_PSG_HAVE_TENSOR)
		return ref->have & C4W_PSG_HAVE_RECEIPT ? "complete" : "interrupted";
	return ref->have & C4W_PSG_HAVE_RECEIPT ? "without tensor" : "stray";
}

bool c4w_psg_tile(const char *name, bool ew, int64_t *out)
{
	size_t i;
	if (strlen(name) != 4 || !strchr(ew ? "EW" : "NS", name[0]))
		return false;
	*out = 0;
	for (i = 1; i < 4; i++) {
		if (name[i] < '0' || name[i] > '9')
			return false;
		*out = *out * 10 + (name[i] - '0');
	}
	if (name[0] == 'S' || name[0] == 'W')
		*out = -*out;
	return true;
}

void c4w_psg_tile_name(int64_t degrees, bool ew, char out[8])
{
	int64_t n = degrees < 0 ? -degrees : degrees;
	snprintf(out, 8, "%c%03lld", degrees < 0 ? (ew ? 'W' : 'S') : (ew ? 'E' : 'N'), (long long)(n % 1000));
}

bool c4w_psg_index_name(const char *name, const char *tail, uint64_t *out)
{
	size_t i;
	*out = 0;
	for (i = 0; i < 10; i++) {
		if (name[i] < '0' || name[i] > '9')
			return false;
		*out = *out * 10 + (uint64_t)(name[i] - '0');
	}
	return strcmp(name + 10, tail) == 0;
}

/* "64", "16384": decimal without padding. 0 when it is not such a number, UINT32_MAX when it is too large. */
uint32_t c4w_psg_resolution_name(const char *name)
{
	uint64_t v = 0;
	size_t i;
	if (name[0] < '1' || name[0] > '9')
		return 0;
	for (i = 0; name[i]; i++) {
		if (name[i] < '0' || name[i] > '9' || i > 9)
			return name[i] < '0' || name[i] > '9' ? 0 : UINT32_MAX;
		v = v * 10 + (uint64_t)(name[i] - '0');
	}
	return v > C4W_PSG_R_MAX ? UINT32_MAX : (uint32_t)v;
}

/* ---- selections ---- */

bool c4w_psg_selects_unit(const struct c4w_psg_select *sel, uint32_t r, int split)
{
	size_t i;
	if (!sel)
		return true;
	for (i = 0; i < sel->r_count && r; i++)
		if (sel->r[i] == r)
			break;
	if (sel->r_count && r && i == sel->r_count)
		return false;
	return !sel->splits || split < 0 || (sel->splits & (1u << split));
}

bool c4w_psg_selects_meta(const struct c4w_psg_select *sel, uint32_t r, int split, const struct c4w_yaml_node *root)
{
	struct c4w_psg_meta m;
	if (!root)
		return c4w_psg_selects_unit(sel, r, split);
	c4w_psg_meta_read(root, NULL, &m);
	if (!r && m.has_resolution)
		r = (uint32_t)m.resolution;
	return c4w_psg_selects_unit(sel, r, split < 0 ? m.split : split);
}

bool c4w_psg_selects_index(const struct c4w_psg_select *sel, uint64_t index)
{
	size_t i;
	if (!sel || !sel->index_count)
		return true;
	for (i = 0; i < sel->index_count; i++)
		if (index >= sel->index[i].first && index <= sel->index[i].last)
			return true;
	return false;
}

bool c4w_psg_selects_route(const struct c4w_psg_select *sel, int route)
{
	if (!sel)
		return true;
	return (!sel->solvers || (sel->solvers & (1u << (route / 2)))) && (!sel->variants || (sel->variants & (1u << (route % 2))));
}

/* ---- the path's own words ---- */

/* The absolute path with ".", ".." and doubled slashes removed by their letters alone. */
bool c4w_psg_absolute(const char *path, char *out, size_t size)
{
	size_t n = 0;
	const char *p = path;
	if (path[0] != '/') {
		if (!getcwd(out, size))
			return false;
		n = strlen(out);
		if (n == 1)
			n = 0;
	}
	while (*p) {
		size_t len = strcspn(p, "/");
		if (len == 2 && p[0] == '.' && p[1] == '.') {
			while (n && out[--n] != '/')
				;
		} else if (len && !(len == 1 && p[0] == '.')) {
			if (n + len + 2 > size)
				return false;
			out[n++] = '/';
			memcpy(out + n, p, len);
			n += len;
		}
		p += len;
		while (*p == '/')
			p++;
	}
	out[n] = '\0';
	return true;
}

/* Component k from the end, 0 the last; "" when there is none. */
const char *c4w_psg_component(const char *path, unsigned k, char out[64])
{
	size_t end = strlen(path), start;
	out[0] = '\0';
	for (;;) {
		start = end;
		while (start && path[start - 1] != '/')
			start--;
		if (!start)
			return out;
		if (k-- == 0)
			break;
		end = start - 1;
	}
	if (end - start < 64) {
		memcpy(out, path + start, end - start);
		out[end - start] = '\0';
	}
	return out;
}

/* A scene's file by the letters of its path: which part it is and how many components the split directory is above it. */
static bool scene_path(const char *full, unsigned *part, unsigned *up, struct c4w_psg_ref *ref)
{
	char name[64], a[64], b[64], c[64], d[64], e[64];
	int64_t deg;
	int solver, variant;
	c4w_psg_component(full, 0, name);
	c4w_psg_component(full, 1, a);
	c4w_psg_component(full, 2, b);
	c4w_psg_component(full, 3, c);
	c4w_psg_component(full, 4, d);
	c4w_psg_component(full, 5, e);
	if (c4w_psg_index_name(name, ".json", &ref->index) && strcmp(a, "receipts") == 0) {
		*part = 2;
		*up = 2;
		return true;
	}
	if (!c4w_psg_tile(a, true, &deg) || !c4w_psg_tile(b, false, &deg))
		return false;
	memcpy(ref->lon, a, 5);
	memcpy(ref->lat, b, 5);
	*up = 4;
	if (strcmp(c, "tensors") == 0 && c4w_psg_index_name(name, ".npy.zst", &ref->index)) {
		*part = 0;
		return true;
	}
	if (strcmp(c, "metadata") == 0 && c4w_psg_index_name(name, ".yaml", &ref->index)) {
		*part = 1;
		return true;
	}
	variant = c4w_psg_word(c4w_psg_variant, c4w_view_z(c));
	solver = c4w_psg_word(c4w_psg_solver, c4w_view_z(d));
	if (strcmp(e, "paths") == 0 && variant >= 0 && solver >= 0 && c4w_psg_index_name(name, ".csv", &ref->index)) {
		*part = 3 + (unsigned)(2 * solver + variant);
		*up = 6;
		return true;
	}
	return false;
}

/* ---- opening ---- */

static bool is_dir(struct c4w_store *s, const char *rel)
{
	struct c4w_stat st;
	return c4w_store_stat(s, rel, &st, NULL) == C4W_OK && st.kind == C4W_KIND_DIR;
}

static bool is_split_dir(struct c4w_store *s, const char *base)
{
	static const char *const parts[] = { "tensors", "receipts", "metadata", "paths" };
	char rel[80];
	size_t i;
	for (i = 0; i < 4; i++) {
		snprintf(rel, sizeof rel, "%s%s", base, parts[i]);
		if (is_dir(s, rel))
			return true;
	}
	return false;
}

static int add_unit(struct c4w_psg_tree *t, uint32_t r, int split, const char *base, struct c4w_err *err)
{
	struct c4w_psg_unit *u;
	if (t->unit_count == t->unit_cap) {
		size_t cap = t->unit_cap ? t->unit_cap * 2 : 32;
		u = realloc(t->units, cap * sizeof *u);
		if (!u)
			return c4w_fail_memory(err, cap * sizeof *u);
		t->units = u;
		t->unit_cap = cap;
	}
	u = &t->units[t->unit_count++];
	memset(u, 0, sizeof *u);
	u->r = r;
	u->split = split;
	snprintf(u->base, sizeof u->base, "%s", base);
	return C4W_OK;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

/* Resolutions below the root, ascending. */
static int list_resolutions(struct c4w_store *s, struct c4w_arena *arena, uint32_t **out, size_t *count, struct c4w_err *err)
{
	struct c4w_dirent *v;
	size_t n, i;
	uint32_t *list;
	void *mem;
	*count = 0;
	C4W_TRY(c4w_store_list(s, "", arena, &v, &n, err));
	C4W_TRY(c4w_arena_zero(arena, n + 1, sizeof *list, &mem, err));
	list = mem;
	for (i = 0; i < n; i++) {
		uint32_t r = c4w_psg_resolution_name(v[i].name);
		if (r && r != UINT32_MAX && v[i].st.kind == C4W_KIND_DIR)
			list[(*count)++] = r;
	}
	qsort(list, *count, sizeof *list, by_number);
	*out = list;
	return C4W_OK;
}

static int add_splits(struct c4w_psg_tree *t, uint32_t r, const char *base, struct c4w_err *err)
{
	int k;
	char rel[80];
	for (k = 0; k < C4W_PSG_SPLITS; k++) {
		snprintf(rel, sizeof rel, "%s%s/", base, c4w_psg_split[k]);
		if (is_split_dir(t->store, rel))
			C4W_TRY(add_unit(t, r, k, rel, err));
	}
	return C4W_OK;
}

static enum c4w_psg_tree_kind probe_dir(struct c4w_store *s, const char *full, char *why, size_t size)
{
	struct c4w_arena arena = { 0 };
	uint32_t *list;
	size_t n, i;
	int k;
	char rel[80], word[64];
	enum c4w_psg_tree_kind kind = C4W_PSG_TREE_NONE;
	if (is_dir(s, "tensors") || (is_split_dir(s, "") && c4w_psg_word(c4w_psg_split, c4w_view_z(c4w_psg_component(full, 0, word))) >= 0)) {
		snprintf(why, size, "tensors, metadata and receipts of one split are there");
		return C4W_PSG_TREE_SPLIT;
	}
	for (k = 0; k < C4W_PSG_SPLITS; k++) {
		snprintf(rel, sizeof rel, "%s/", c4w_psg_split[k]);
		if (is_split_dir(s, rel)) {
			snprintf(why, size, "%s holds tensors, metadata or receipts", c4w_psg_split[k]);
			return C4W_PSG_TREE_RESOLUTION;
		}
	}
	if (list_resolutions(s, &arena, &list, &n, NULL) == C4W_OK)
		for (i = 0; i < n && kind == C4W_PSG_TREE_NONE; i++)
			for (k = 0; k < C4W_PSG_SPLITS && kind == C4W_PSG_TREE_NONE; k++) {
				snprintf(rel, sizeof rel, "%u/%s/", list[i], c4w_psg_split[k]);
				if (is_split_dir(s, rel)) {
					snprintf(why, size, "%u/%s holds tensors, metadata or receipts", list[i], c4w_psg_split[k]);
					kind = C4W_PSG_TREE_ROOT;
				}
			}
	c4w_arena_clear(&arena);
	if (kind == C4W_PSG_TREE_NONE) {
		struct c4w_stat st;
		if (c4w_store_stat(s, "generation_manifest.json", &st, NULL) == C4W_OK && st.kind == C4W_KIND_FILE &&
		    (is_dir(s, "generation-input-snapshot") || is_dir(s, "generation-source-snapshot"))) {
			snprintf(why, size, "generation_manifest.json and a snapshot of the generator are there");
			return C4W_PSG_TREE_ROOT;
		}
	}
	return kind;
}

enum c4w_psg_tree_kind c4w_psg_tree_probe(const char *path, char *why, size_t size)
{
	char full[PATH_MAX];
	struct c4w_store *s;
	struct c4w_blob *b;
	struct c4w_psg_ref ref = { 0 };
	unsigned part, up;
	enum c4w_psg_tree_kind kind;
	if (!c4w_psg_absolute(path, full, sizeof full))
		return C4W_PSG_TREE_NONE;
	if (c4w_store_open_dir(path, &s, NULL) == C4W_OK) {
		kind = probe_dir(s, full, why, size);
		c4w_store_close(s);
		return kind;
	}
	if (!scene_path(full, &part, &up, &ref) || c4w_blob_file(path, &b, NULL) != C4W_OK)
		return C4W_PSG_TREE_NONE;
	c4w_blob_close(b);
	snprintf(why, size, "the path ends as that of a scene's %s", part == 0 ? "tensor" : part == 1 ? "metadata" : part == 2 ? "receipt" : "route");
	return C4W_PSG_TREE_SCENE;
}

static int open_scene(struct c4w_psg_tree *t, const char *path, const char *full, struct c4w_err *err)
{
	char top[PATH_MAX], word[64], rel[160];
	unsigned part, up, k;
	size_t n;
	struct c4w_stat st;
	if (!scene_path(full, &part, &up, &t->scene))
		return c4w_fail(err, C4W_USAGE, "'%s' is no file of a PASSAGE scene", path);
	n = strlen(full);
	memcpy(top, full, n + 1);
	for (k = 0; k < up; k++) {
		while (n && top[n - 1] != '/')
			n--;
		if (n)
			top[--n] = '\0';
	}
	C4W_TRY(c4w_store_open_dir(n ? top : "/", &t->store, err));
	C4W_TRY(add_unit(t, c4w_psg_resolution_name(c4w_psg_component(top, 1, word)), c4w_psg_word(c4w_psg_split, c4w_view_z(c4w_psg_component(top, 0, word))),
			 "", err));
	if (t->units[0].r == UINT32_MAX)
		t->units[0].r = 0;
	t->scene.unit = &t->units[0];
	t->is_scene = true;
	if (part == 2) /* a receipt does not say the tile; the walk finds it */
		return C4W_OK;
	for (k = 0; k < 9; k++) {
		c4w_psg_ref_path(&t->scene, k, rel, sizeof rel);
		C4W_TRY(c4w_store_stat(t->store, rel, &st, err));
		if (st.kind == C4W_KIND_FILE)
			t->scene.have |= 1u << k;
	}
	return C4W_OK;
}

int c4w_psg_tree_open(const char *path, struct c4w_psg_tree **out, struct c4w_err *err)
{
	char full[PATH_MAX], word[64], why[160];
	struct c4w_psg_tree *t = calloc(1, sizeof *t);
	struct c4w_arena arena = { 0 };
	uint32_t *list, r;
	size_t n, i;
	int cls = C4W_OK, split;
	*out = NULL;
	if (!t)
		return c4w_fail_memory(err, sizeof *t);
	if (!c4w_psg_absolute(path, full, sizeof full)) {
		cls = c4w_fail(err, C4W_USAGE, "the path is too long");
		goto out;
	}
	t->kind = c4w_psg_tree_probe(path, why, sizeof why);
	if (t->kind == C4W_PSG_TREE_SCENE) {
		cls = open_scene(t, path, full, err);
		goto out;
	}
	cls = c4w_store_open_dir(path, &t->store, err);
	if (cls != C4W_OK)
		goto out;
	if (t->kind == C4W_PSG_TREE_NONE) /* asked for by name: an empty root */
		t->kind = C4W_PSG_TREE_ROOT;
	r = c4w_psg_resolution_name(c4w_psg_component(full, t->kind == C4W_PSG_TREE_SPLIT, word));
	r = r == UINT32_MAX ? 0 : r;
	split = c4w_psg_word(c4w_psg_split, c4w_view_z(c4w_psg_component(full, 0, word)));
	if (t->kind == C4W_PSG_TREE_SPLIT) {
		cls = add_unit(t, split >= 0 ? r : 0, split, "", err);
	} else if (t->kind == C4W_PSG_TREE_RESOLUTION) {
		cls = add_splits(t, r, "", err);
	} else {
		cls = list_resolutions(t->store, &arena, &list, &n, err);
		for (i = 0; i < n && cls == C4W_OK; i++) {
			char base[16];
			snprintf(base, sizeof base, "%u/", list[i]);
			cls = add_splits(t, list[i], base, err);
		}
	}
out:
	c4w_arena_clear(&arena);
	if (cls != C4W_OK) {
		c4w_psg_tree_close(t);
		return cls;
	}
	*out = t;
	return C4W_OK;
}

void c4w_psg_tree_close(struct c4w_psg_tree *t)
{
	if (!t)
		return;
	c4w_store_close(t->store);
	free(t->units);
	free(t);
}

struct c4w_store *c4w_psg_tree_store(const struct c4w_psg_tree *t)
{
	return t->store;
}

enum c4w_psg_tree_kind c4w_psg_tree_kind(const struct c4w_psg_tree *t)
{
	return t->kind;
}

const struct c4w_psg_unit *c4w_psg_tree_units(const struct c4w_psg_tree *t, size_t *count)
{
	*count = t->unit_count;
	return t->units;
}

bool c4w_psg_tree_has_receipts(const struct c4w_psg_tree *t)
{
	struct c4w_arena arena = { 0 };
	bool any = false;
	size_t i, k;
	for (i = 0; i < t->unit_count && !any; i++) {
		struct c4w_dirent *v;
		size_t n;
		uint64_t index;
		char rel[80];
		snprintf(rel, sizeof rel, "%sreceipts", t->units[i].base);
		if (is_dir(t->store, rel) && c4w_store_list(t->store, rel, &arena, &v, &n, NULL) == C4W_OK)
			for (k = 0; k < n && !any; k++)
				any = c4w_psg_index_name(v[k].name, ".json", &index);
		c4w_arena_reset(&arena);
	}
	c4w_arena_clear(&arena);
	return any;
}

/* ---- names outside the scenes ---- */

static void unknown(struct c4w_psg_sink *sink, const char *dir, const char *name, bool is_directory)
{
	char path[400];
	snprintf(path, sizeof path, "%s%s", dir, name);
	sink->path = path;
	c4w_psg_report(sink, "passage.unknown-file", NULL, NULL, "'%.100s' is no documented %s", name, is_directory ? "folder" : "file");
	sink->path = NULL;
}

static int resolution_names(struct c4w_psg_tree *t, const char *base, struct c4w_arena *arena, struct c4w_psg_sink *sink, struct c4w_err *err)
{
	struct c4w_dirent *v;
	size_t n, i;
	char rel[40];
	snprintf(rel, sizeof rel, "%.*s", (int)(strlen(base) ? strlen(base) - 1 : 0), base);
	C4W_TRY(c4w_store_list(t->store, rel, arena, &v, &n, err));
	for (i = 0; i < n; i++) {
		bool dir = v[i].st.kind == C4W_KIND_DIR;
		if (dir && c4w_psg_word(c4w_psg_split, c4w_view_z(v[i].name)) >= 0)
			continue;
		if (dir) {
			char path[400];
			snprintf(path, sizeof path, "%s%s", base, v[i].name);
			sink->path = path;
			c4w_psg_report(sink, "passage.split-directory", "train, calibration, validation or test", v[i].name,
				       "the directory is none of the four splits");
			sink->path = NULL;
		} else if (strcmp(v[i].name, "roster.json") != 0 && strcmp(v[i].name, "summary.json") != 0) {
			unknown(sink, base, v[i].name, false);
		}
	}
	return C4W_OK;
}

static int root_names(struct c4w_psg_tree *t, struct c4w_arena *arena, struct c4w_psg_sink *sink, struct c4w_err *err)
{
	struct c4w_dirent *v;
	size_t n, i;
	C4W_TRY(c4w_store_list(t->store, "", arena, &v, &n, err));
	for (i = 0; i < n; i++) {
		bool dir = v[i].st.kind == C4W_KIND_DIR;
		uint32_t r = c4w_psg_resolution_name(v[i].name);
		char base[24];
		if (dir && r == UINT32_MAX) {
			sink->path = v[i].name;
			c4w_psg_report(sink, "passage.resolution-range", "1 to 16384", v[i].name, "the directory is no resolution");
			sink->path = NULL;
		} else if (dir && r) {
			snprintf(base, sizeof base, "%u/", r);
			C4W_TRY(resolution_names(t, base, arena, sink, err));
		} else if (dir ? strcmp(v[i].name, "generation-input-snapshot") != 0 && strcmp(v[i].name, "generation-source-snapshot") != 0 :
				 strcmp(v[i].name, "generation_manifest.json") != 0) {
			unknown(sink, "", v[i].name, dir);
		}
	}
	return C4W_OK;
}

int c4w_psg_tree_names(struct c4w_psg_tree *t, struct c4w_psg_sink *sink, struct c4w_err *err)
{
	struct c4w_arena arena = { 0 };
	int cls = C4W_OK;
	if (t->kind == C4W_PSG_TREE_ROOT)
		cls = root_names(t, &arena, sink, err);
	else if (t->kind == C4W_PSG_TREE_RESOLUTION)
		cls = resolution_names(t, "", &arena, sink, err);
	c4w_arena_clear(&arena);
	return cls;
}
