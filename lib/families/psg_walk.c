/* Walking a generator tree, split by split and tile by tile.
 *
 * A split's tiles are the union of the directories below tensors, metadata and the six folders of routes; a tile's scenes the union
 * of the names there. Receipts lie in one flat folder a split; they are read first, 8 bytes each.
 */
#include "families/psg_tree_impl.h"
#include "families/psg_load.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 9 };

struct tile {
	char lat[5], lon[5];
	unsigned parts;
};

struct entry {
	uint64_t index;
	unsigned have;
};

struct c4w_psg_walk {
	struct c4w_psg_tree *tree;
	const struct c4w_psg_select *sel;
	unsigned want;
	struct c4w_psg_sink *sink;
	struct c4w_arena arena; /* listings */
	size_t unit;
	bool unit_open, done;
	uint64_t *receipts;
	uint8_t *receipt_used;
	size_t receipt_count, receipt_at;
	struct tile *tiles;
	size_t tile_count, tile_cap, tile_at;
	struct entry *entries;
	size_t entry_count, entry_cap, entry_at;
	char *real_root; /* for links; made when the first one is met */
};

int c4w_psg_walk_new(struct c4w_psg_tree *t, const struct c4w_psg_select *sel, unsigned want, struct c4w_psg_sink *sink,
		     struct c4w_psg_walk **out, struct c4w_err *err)
{
	struct c4w_psg_walk *w = calloc(1, sizeof *w);
	*out = NULL;
	if (!w)
		return c4w_fail_memory(err, sizeof *w);
	w->tree = t;
	w->sel = sel;
	w->want = want;
	w->sink = sink;
	*out = w;
	return C4W_OK;
}

static void close_unit(struct c4w_psg_walk *w)
{
	free(w->receipts);
	free(w->receipt_used);
	w->receipts = NULL;
	w->receipt_used = NULL;
	w->receipt_count = w->receipt_at = w->tile_count = w->tile_at = w->entry_count = w->entry_at = 0;
	w->unit_open = false;
}

void c4w_psg_walk_free(struct c4w_psg_walk *w)
{
	if (!w)
		return;
	close_unit(w);
	free(w->tiles);
	free(w->entries);
	free(w->real_root);
	c4w_arena_clear(&w->arena);
	free(w);
}

/* `fits`: the name would be right for a file or directory, but that is not what it names. */
static void bad_name(struct c4w_psg_walk *w, const char *dir, const struct c4w_dirent *e, const char *want, bool fits)
{
	char path[600];
	if (!w->sink)
		return;
	snprintf(path, sizeof path, "%s/%s", dir, e->name);
	w->sink->path = path;
	if (fits)
		c4w_psg_report(w->sink, "passage.name", NULL, NULL, "%s stands where a %s should be",
			       e->st.kind == C4W_KIND_DIR ? "a directory" : e->st.kind == C4W_KIND_FILE ? "a file" : "something else than a file",
			       want[0] == 't' ? "file" : "directory");
	else
		c4w_psg_report(w->sink, "passage.name", want, e->name, "the name does not belong here");
	w->sink->path = NULL;
}

/* Does a link stay below the tree's root? One that leaves it is reported and not followed (section 2). */
static bool link_stays(struct c4w_psg_walk *w, const char *dir, const char *name)
{
	char path[PATH_MAX], real[PATH_MAX];
	size_t n;
	bool inside, somewhere;
	const char *root = c4w_store_name(w->tree->store);
	if (!w->real_root) {
		if (!realpath(root, real))
			return false;
		w->real_root = strdup(real);
		if (!w->real_root)
			return false;
	}
	n = strlen(w->real_root);
	if ((size_t)snprintf(path, sizeof path, "%s/%s/%s", w->real_root, dir, name) >= sizeof path)
		return false;
	somewhere = realpath(path, real) != NULL;
	inside = somewhere && strncmp(real, w->real_root, n) == 0 && (real[n] == '/' || n == 1);
	if (!inside && w->sink) {
		w->sink->path = path + n + 1;
		c4w_psg_report(w->sink, "passage.link", NULL, NULL, "the symbolic link '%.100s' leads %s", name, somewhere ? "out of the tree" : "nowhere");
		w->sink->path = NULL;
	}
	return inside;
}

/* What lies in `rel`; nothing when it is not there. */
static int list(struct c4w_psg_walk *w, const char *rel, struct c4w_dirent **v, size_t *n, struct c4w_err *err)
{
	struct c4w_err e;
	int cls;
	*v = NULL;
	*n = 0;
	cls = c4w_store_kinds(w->tree->store, rel, &w->arena, v, n, &e);
	if (cls == C4W_ABSENT) {
		*n = 0;
		return C4W_OK;
	}
	if (cls != C4W_OK && err)
		*err = e;
	return cls;
}

static int read_receipts(struct c4w_psg_walk *w, struct c4w_err *err)
{
	const struct c4w_psg_unit *u = &w->tree->units[w->unit];
	struct c4w_dirent *v;
	size_t n, i;
	char rel[80];
	snprintf(rel, sizeof rel, "%sreceipts", u->base);
	C4W_TRY(list(w, rel, &v, &n, err));
	w->receipts = malloc((n + 1) * sizeof *w->receipts);
	w->receipt_used = calloc(n + 1, 1);
	if (!w->receipts || !w->receipt_used)
		return c4w_fail_memory(err, n * sizeof *w->receipts);
	for (i = 0; i < n; i++) {
		uint64_t index;
		bool fits;
		if (v[i].st.is_link && !link_stays(w, rel, v[i].name))
			continue;
		fits = c4w_psg_index_name(v[i].name, ".json", &index);
		if (fits && v[i].st.kind == C4W_KIND_FILE)
			w->receipts[w->receipt_count++] = index; /* sorted: the names are */
		else
			bad_name(w, rel, &v[i], "ten digits and .json", fits);
	}
	c4w_arena_reset(&w->arena);
	return C4W_OK;
}

static int add_tile(struct c4w_psg_walk *w, const char *lat, const char *lon, unsigned part, struct c4w_err *err)
{
	struct tile *t;
	if (w->tile_count == w->tile_cap) {
		size_t cap = w->tile_cap ? w->tile_cap * 2 : 64;
		t = realloc(w->tiles, cap * sizeof *t);
		if (!t)
			return c4w_fail_memory(err, cap * sizeof *t);
		w->tiles = t;
		w->tile_cap = cap;
	}
	t = &w->tiles[w->tile_count++];
	memcpy(t->lat, lat, 5);
	memcpy(t->lon, lon, 5);
	t->parts = 1u << part;
	return C4W_OK;
}

static int by_tile(const void *a, const void *b)
{
	return memcmp(a, b, 10);
}

/* Names directly below paths and below paths/<solver>: three solvers, two variants. */
static int route_names(struct c4w_psg_walk *w, struct c4w_err *err)
{
	const struct c4w_psg_unit *u = &w->tree->units[w->unit];
	char rel[120];
	int k;
	struct c4w_dirent *v;
	size_t n, i;
	snprintf(rel, sizeof rel, "%spaths", u->base);
	C4W_TRY(list(w, rel, &v, &n, err));
	for (i = 0; i < n; i++)
		if (v[i].st.kind != C4W_KIND_DIR || c4w_psg_word(c4w_psg_solver, c4w_view_z(v[i].name)) < 0)
			bad_name(w, rel, &v[i], "a solver's name", c4w_psg_word(c4w_psg_solver, c4w_view_z(v[i].name)) >= 0);
	for (k = 0; k < C4W_PSG_SOLVERS; k++) {
		snprintf(rel, sizeof rel, "%spaths/%s", u->base, c4w_psg_solver[k]);
		C4W_TRY(list(w, rel, &v, &n, err));
		for (i = 0; i < n; i++)
			if (v[i].st.kind != C4W_KIND_DIR || c4w_psg_word(c4w_psg_variant, c4w_view_z(v[i].name)) < 0)
				bad_name(w, rel, &v[i], "free or obstacles", c4w_psg_word(c4w_psg_variant, c4w_view_z(v[i].name)) >= 0);
	}
	return C4W_OK;
}

static int read_tiles(struct c4w_psg_walk *w, struct c4w_err *err)
{
	const struct c4w_psg_unit *u = &w->tree->units[w->unit];
	unsigned part;
	size_t i, k, n, m, out;
	struct c4w_dirent *lats, *lons;
	int64_t deg;
	char rel[160], sub[200];
	for (part = 0; part < PARTS; part++) {
		if (part == 2 || !(w->want & (1u << part)))
			continue;
		snprintf(rel, sizeof rel, "%s%s", u->base, c4w_psg_part_dir[part]);
		C4W_TRY(list(w, rel, &lats, &n, err));
		for (i = 0; i < n; i++) {
			if (lats[i].st.is_link && !link_stays(w, rel, lats[i].name))
				continue;
			if (lats[i].st.kind != C4W_KIND_DIR || !c4w_psg_tile(lats[i].name, false, &deg)) {
				bad_name(w, rel, &lats[i], "a latitude such as N061", c4w_psg_tile(lats[i].name, false, &deg));
				continue;
			}
			snprintf(sub, sizeof sub, "%s/%s", rel, lats[i].name);
			C4W_TRY(list(w, sub, &lons, &m, err));
			for (k = 0; k < m; k++) {
				if (lons[k].st.is_link && !link_stays(w, sub, lons[k].name))
					continue;
				if (lons[k].st.kind != C4W_KIND_DIR || !c4w_psg_tile(lons[k].name, true, &deg)) {
					bad_name(w, sub, &lons[k], "a longitude such as E081", c4w_psg_tile(lons[k].name, true, &deg));
					continue;
				}
				C4W_TRY(add_tile(w, lats[i].name, lons[k].name, part, err));
			}
		}
		c4w_arena_reset(&w->arena);
	}
	if (w->sink && (w->want & C4W_PSG_HAVE_ROUTES))
		C4W_TRY(route_names(w, err));
	c4w_arena_reset(&w->arena);
	if (w->tile_count)
		qsort(w->tiles, w->tile_count, sizeof *w->tiles, by_tile);
	for (i = 0, out = 0; i < w->tile_count; i++) {
		if (out && by_tile(&w->tiles[out - 1], &w->tiles[i]) == 0)
			w->tiles[out - 1].parts |= w->tiles[i].parts;
		else
			w->tiles[out++] = w->tiles[i];
	}
	w->tile_count = out;
	return C4W_OK;
}

static int unit_names(struct c4w_psg_walk *w, struct c4w_err *err)
{
	static const char *const known[] = { "tensors", "metadata", "paths", "receipts" };
	const struct c4w_psg_unit *u = &w->tree->units[w->unit];
	struct c4w_dirent *v;
	size_t n, i, k;
	char rel[80], path[400];
	snprintf(rel, sizeof rel, "%.*s", (int)(strlen(u->base) ? strlen(u->base) - 1 : 0), u->base);
	C4W_TRY(list(w, rel, &v, &n, err));
	for (i = 0; i < n; i++) {
		for (k = 0; k < 4 && strcmp(v[i].name, known[k]) != 0; k++)
			;
		if (k < 4 && v[i].st.kind == C4W_KIND_DIR)
			continue;
		snprintf(path, sizeof path, "%s%s", u->base, v[i].name);
		w->sink->path = path;
		c4w_psg_report(w->sink, "passage.unknown-file", NULL, NULL, "'%.100s' is no documented %s", v[i].name,
			       v[i].st.kind == C4W_KIND_DIR ? "folder" : "file");
		w->sink->path = NULL;
	}
	c4w_arena_reset(&w->arena);
	return C4W_OK;
}

static int by_index(const void *a, const void *b)
{
	uint64_t x = ((const struct entry *)a)->index, y = ((const struct entry *)b)->index;
	return x < y ? -1 : x > y;
}

static bool use_receipt(struct c4w_psg_walk *w, uint64_t index)
{
	size_t lo = 0, hi = w->receipt_count;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (w->receipts[mid] < index)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == w->receipt_count || w->receipts[lo] != index)
		return false;
	w->receipt_used[lo] = 1;
	return true;
}

static int read_tile(struct c4w_psg_walk *w, struct c4w_err *err)
{
	const struct tile *t = &w->tiles[w->tile_at];
	const struct c4w_psg_unit *u = &w->tree->units[w->unit];
	unsigned part;
	size_t i, n, out;
	struct c4w_dirent *v;
	char rel[160], want[40];
	bool sorted = true;
	w->entry_count = w->entry_at = 0;
	for (part = 0; part < PARTS; part++) {
		if (!(t->parts & (1u << part)))
			continue;
		snprintf(rel, sizeof rel, "%s%s/%s/%s", u->base, c4w_psg_part_dir[part], t->lat, t->lon);
		C4W_TRY(list(w, rel, &v, &n, err));
		for (i = 0; i < n; i++) {
			struct entry *e;
			uint64_t index;
			if (v[i].st.is_link && !link_stays(w, rel, v[i].name))
				continue;
			if (v[i].st.kind != C4W_KIND_FILE || !c4w_psg_index_name(v[i].name, c4w_psg_part_tail(part), &index)) {
				snprintf(want, sizeof want, "ten digits and %s", c4w_psg_part_tail(part));
				bad_name(w, rel, &v[i], want, c4w_psg_index_name(v[i].name, c4w_psg_part_tail(part), &index));
				continue;
			}
			if (!c4w_psg_selects_index(w->sel, index))
				continue;
			if (w->entry_count == w->entry_cap) {
				size_t cap = w->entry_cap ? w->entry_cap * 2 : 256;
				e = realloc(w->entries, cap * sizeof *e);
				if (!e)
					return c4w_fail_memory(err, cap * sizeof *e);
				w->entries = e;
				w->entry_cap = cap;
			}
			e = &w->entries[w->entry_count++];
			e->index = index;
			e->have = 1u << part;
			sorted = sorted && (w->entry_count < 2 || e[-1].index < index);
		}
		c4w_arena_reset(&w->arena);
	}
	if (!sorted)
		qsort(w->entries, w->entry_count, sizeof *w->entries, by_index);
	for (i = 0, out = 0; i < w->entry_count; i++) {
		if (out && w->entries[out - 1].index == w->entries[i].index)
			w->entries[out - 1].have |= w->entries[i].have;
		else
			w->entries[out++] = w->entries[i];
	}
	w->entry_count = out;
	for (i = 0; i < out; i++)
		if (use_receipt(w, w->entries[i].index))
			w->entries[i].have |= C4W_PSG_HAVE_RECEIPT;
	return C4W_OK;
}

/* Where the path does not say the resolution or the split that is asked for, the metadata does. One that can't be read selects its
 * scene: whoever reads it next says what is wrong. */
static int selects(struct c4w_psg_walk *w, const struct c4w_psg_ref *ref, bool *yes, struct c4w_err *err)
{
	const struct c4w_psg_select *sel = w->sel;
	const struct c4w_psg_unit *u = ref->unit;
	struct c4w_yaml_node *root;
	struct c4w_err e;
	char rel[160];
	int cls;
	*yes = c4w_psg_selects_index(sel, ref->index) && c4w_psg_selects_unit(sel, u->r, u->split);
	if (!*yes || !sel || !((sel->r_count && !u->r) || (sel->splits && u->split < 0)) || !ref->lat[0])
		return C4W_OK;
	c4w_psg_ref_path(ref, 1, rel, sizeof rel);
	c4w_arena_reset(&w->arena);
	cls = c4w_psg_read_meta(w->tree->store, rel, &w->arena, &root, &e);
	if (cls == C4W_OK)
		*yes = c4w_psg_selects_meta(sel, u->r, u->split, root);
	else if (cls == C4W_MEMORY && err)
		*err = e;
	return cls == C4W_MEMORY ? cls : C4W_OK;
}

/* Find the tile of a scene that was named by its receipt. */
static int find_scene(struct c4w_psg_walk *w, struct c4w_psg_ref *out, struct c4w_err *err)
{
	*out = w->tree->scene;
	if (out->lat[0])
		return C4W_OK;
	C4W_TRY(read_tiles(w, err));
	for (w->tile_at = 0; w->tile_at < w->tile_count; w->tile_at++) {
		size_t i;
		C4W_TRY(read_tile(w, err));
		for (i = 0; i < w->entry_count; i++)
			if (w->entries[i].index == out->index) {
				memcpy(out->lat, w->tiles[w->tile_at].lat, 5);
				memcpy(out->lon, w->tiles[w->tile_at].lon, 5);
				out->have = w->entries[i].have | C4W_PSG_HAVE_RECEIPT;
				return C4W_OK;
			}
	}
	out->have = C4W_PSG_HAVE_RECEIPT;
	return C4W_OK;
}

static int walk_scene(struct c4w_psg_walk *w, struct c4w_psg_ref *out, bool *end, struct c4w_err *err)
{
	bool yes = true;
	*end = w->done;
	if (w->done)
		return C4W_OK;
	w->done = true;
	C4W_TRY(find_scene(w, out, err));
	C4W_TRY(selects(w, out, &yes, err));
	*end = !yes;
	return C4W_OK;
}

int c4w_psg_walk_next(struct c4w_psg_walk *w, struct c4w_psg_ref *out, bool *unit_done, bool *end, struct c4w_err *err)
{
	bool yes;
	memset(out, 0, sizeof *out);
	*end = false;
	if (unit_done)
		*unit_done = false;
	if (w->tree->is_scene)
		return walk_scene(w, out, end, err);
	for (;;) {
		const struct c4w_psg_unit *u;
		if (w->unit == w->tree->unit_count) {
			*end = true;
			return C4W_OK;
		}
		u = &w->tree->units[w->unit];
		if (!w->unit_open) {
			if (!c4w_psg_selects_unit(w->sel, u->r, u->split)) {
				w->unit++;
				continue;
			}
			w->unit_open = true;
			if (w->sink)
				C4W_TRY(unit_names(w, err));
			if (w->want & C4W_PSG_HAVE_RECEIPT)
				C4W_TRY(read_receipts(w, err));
			C4W_TRY(read_tiles(w, err));
			w->tile_at = (size_t)-1;
		}
		if (w->entry_at < w->entry_count) {
			const struct entry *e = &w->entries[w->entry_at++];
			const struct tile *t = &w->tiles[w->tile_at];
			out->unit = u;
			out->index = e->index;
			out->have = e->have;
			memcpy(out->lat, t->lat, 5);
			memcpy(out->lon, t->lon, 5);
			C4W_TRY(selects(w, out, &yes, err));
			if (yes)
				return C4W_OK;
			memset(out, 0, sizeof *out);
			continue;
		}
		if (w->tile_at + 1 < w->tile_count) {
			w->tile_at++;
			C4W_TRY(read_tile(w, err));
			continue;
		}
		while (w->receipt_at < w->receipt_count) {
			size_t k = w->receipt_at++;
			if (w->receipt_used[k] || !c4w_psg_selects_index(w->sel, w->receipts[k]))
				continue;
			out->unit = u;
			out->index = w->receipts[k];
			out->have = C4W_PSG_HAVE_RECEIPT;
			return C4W_OK;
		}
		close_unit(w);
		w->unit++;
		if (unit_done) {
			*unit_done = true;
			return C4W_OK;
		}
	}
}
