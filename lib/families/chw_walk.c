/* Walking a selection: scenes in pinned order, and of each scene positions, geometry, then a channel for each (carrier, BS), ascending
 * (section 5). Groups' metadata is loaded when the walk reaches them, one at a time. */
#include "families/chw.h"

enum { CACHED = 4 };

struct chw_walk {
	struct chw_root *root;
	const struct chw_selection *sel;
	struct chw_docs docs;
	struct chw_group *group, *cached[CACHED]; /* cached: only where scenes of several groups alternate */
	unsigned n_cached, next_cached;
	uint32_t *sorted; /* rows of `group` that belong to the root, by scene, component, carrier, BS */
	uint32_t n_sorted;
	uint32_t scene; /* position in the selection */
	unsigned stage;
	uint32_t core, core_end; /* core rows of the scene in `sorted` */
	/* explicit carriers x BSs that the scene lacks are merged in: the grid's position */
	int64_t *grid_hz, *grid_bs;
	uint32_t n_hz, n_bs, grid;
	bool use_grid;
};

int chw_walk_new(struct chw_root *r, const struct chw_selection *s, struct chw_walk **out, struct c4w_err *err)
{
	struct chw_walk *w = calloc(1, sizeof *w);
	*out = w;
	if (!w)
		return c4w_fail_memory(err, sizeof *w);
	w->root = r;
	w->sel = s;
	return C4W_OK;
}

void chw_walk_free(struct chw_walk *w)
{
	unsigned i;
	if (!w)
		return;
	chw_group_release(w->group);
	for (i = 0; i < CACHED; i++)
		chw_group_release(w->cached[i]);
	chw_docs_clear(&w->docs);
	free(w->sorted);
	free(w->grid_hz);
	free(w->grid_bs);
	free(w);
}

static int row_cmp(const struct chw_row *a, const struct chw_row *b)
{
	if (a->scene != b->scene)
		return a->scene < b->scene ? -1 : 1;
	if (a->component != b->component)
		return a->component < b->component ? -1 : 1;
	if (a->hz != b->hz)
		return a->hz < b->hz ? -1 : 1;
	return a->bs < b->bs ? -1 : a->bs > b->bs;
}

static int sorted_cmp(const void *x, const void *y, void *ctx)
{
	const struct chw_row *rows = ctx;
	return row_cmp(&rows[*(const uint32_t *)x], &rows[*(const uint32_t *)y]);
}

/* The first sorted row that is not before the key. */
static uint32_t lower(const struct chw_walk *w, uint32_t scene, enum chw_component c, int64_t hz, int64_t bs)
{
	struct chw_row key = { .scene = scene, .component = c, .hz = hz, .bs = bs };
	uint32_t lo = 0, hi = w->n_sorted;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (row_cmp(&w->group->rows[w->sorted[mid]], &key) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static const struct chw_row *find_row(const struct chw_walk *w, uint32_t scene, enum chw_component c, int64_t hz, int64_t bs)
{
	uint32_t at = lower(w, scene, c, hz, bs);
	const struct chw_row *row = at < w->n_sorted ? &w->group->rows[w->sorted[at]] : NULL;
	return row && row->scene == scene && row->component == c && row->hz == hz && row->bs == bs ? row : NULL;
}

static int sort_rows(struct chw_walk *w, struct c4w_err *err)
{
	uint32_t i;
	free(w->sorted);
	w->n_sorted = 0;
	w->sorted = malloc(((size_t)w->group->n_rows + 1) * sizeof *w->sorted);
	if (!w->sorted)
		return c4w_fail_memory(err, w->group->n_rows);
	if (w->group->snapshot_err.cls != C4W_OK)
		return C4W_OK;
	for (i = 0; i < w->group->n_rows; i++)
		if (w->group->rows[i].included && w->group->rows[i].scene != CHW_NONE)
			w->sorted[w->n_sorted++] = i;
	qsort_r(w->sorted, w->n_sorted, sizeof *w->sorted, sorted_cmp, w->group->rows);
	return C4W_OK;
}

static int enter_group(struct chw_walk *w, uint32_t group, struct c4w_err *err)
{
	bool alternate = w->root->groups[group].first_scene == CHW_NONE;
	unsigned i;
	if (w->group && w->group->index == group)
		return C4W_OK;
	chw_group_release(w->group);
	w->group = NULL;
	for (i = 0; i < CACHED; i++)
		if (w->cached[i] && w->cached[i]->index == group)
			w->group = chw_group_ref(w->cached[i]);
	if (!w->group) {
		bool need = w->sel->component[CHW_CORE] || w->sel->component[CHW_POSITIONS];
		C4W_TRY(chw_group_load(w->root, group, need, &w->docs, &w->group, err));
		if (alternate) {
			chw_group_release(w->cached[w->next_cached]);
			w->cached[w->next_cached] = chw_group_ref(w->group);
			w->next_cached = (w->next_cached + 1) % CACHED;
		}
	}
	return sort_rows(w, err);
}

static int cmp_i64(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

static uint32_t unique(int64_t *v, uint32_t n)
{
	uint32_t i, k = 0;
	qsort(v, n, sizeof *v, cmp_i64);
	for (i = 0; i < n; i++)
		if (k == 0 || v[k - 1] != v[i])
			v[k++] = v[i];
	return k;
}

/* Explicit carriers or BSs: the grid of what was asked for, the scene's own where one of the two was not given. */
static int make_grid(struct chw_walk *w, struct c4w_err *err)
{
	uint32_t n = w->core_end - w->core, i;
	size_t hz = w->sel->hz_given ? w->sel->n_hz : n, bs = w->sel->bs_given ? w->sel->n_bs : n;
	free(w->grid_hz);
	free(w->grid_bs);
	w->grid_hz = malloc((hz + 1) * sizeof *w->grid_hz);
	w->grid_bs = malloc((bs + 1) * sizeof *w->grid_bs);
	w->grid = 0;
	if (!w->grid_hz || !w->grid_bs)
		return c4w_fail_memory(err, hz);
	if (w->sel->hz_given)
		memcpy(w->grid_hz, w->sel->hz, hz * sizeof *w->grid_hz);
	if (w->sel->bs_given)
		memcpy(w->grid_bs, w->sel->bs, bs * sizeof *w->grid_bs);
	for (i = 0; i < n; i++) {
		const struct chw_row *row = &w->group->rows[w->sorted[w->core + i]];
		if (!w->sel->hz_given)
			w->grid_hz[i] = row->hz;
		if (!w->sel->bs_given)
			w->grid_bs[i] = row->bs;
	}
	w->n_hz = unique(w->grid_hz, (uint32_t)hz);
	w->n_bs = unique(w->grid_bs, (uint32_t)bs);
	return C4W_OK;
}

static void give(struct chw_walk *w, struct chw_item *out, enum chw_item_kind kind, const struct chw_scene *scene)
{
	memset(out, 0, sizeof *out);
	out->kind = kind;
	out->scene = scene;
	out->group = chw_group_ref(w->group);
	out->hz = out->bs = -1;
}

static void give_channel(struct chw_walk *w, struct chw_item *out, const struct chw_scene *scene, const struct chw_row *core)
{
	give(w, out, CHW_ITEM_CHANNEL, scene);
	out->core = core;
	out->hz = core->hz;
	out->bs = core->bs;
	if (w->sel->component[CHW_DETAIL])
		out->detail = find_row(w, core->scene, CHW_DETAIL, core->hz, core->bs);
}

/* The next channel of the scene, or none. */
static bool next_channel(struct chw_walk *w, struct chw_item *out, uint32_t scene_index, const struct chw_scene *scene)
{
	if (w->use_grid) {
		while (w->grid < w->n_hz * w->n_bs) {
			int64_t hz = w->grid_hz[w->grid / w->n_bs], bs = w->grid_bs[w->grid % w->n_bs];
			const struct chw_row *core = find_row(w, scene_index, CHW_CORE, hz, bs);
			w->grid++;
			if (core) {
				give_channel(w, out, scene, core);
			} else {
				give(w, out, CHW_ITEM_NO_CHANNEL, scene);
				out->hz = hz;
				out->bs = bs;
			}
			return true;
		}
		return false;
	}
	if (w->core == w->core_end)
		return false;
	give_channel(w, out, scene, &w->group->rows[w->sorted[w->core++]]);
	return true;
}

int chw_walk_next(struct chw_walk *w, struct chw_item *out, bool *end, struct c4w_err *err)
{
	const struct chw_selection *s = w->sel;
	*end = false;
	for (; w->scene < s->n_scenes; w->scene++, w->stage = 0) {
		uint32_t index = s->scenes[w->scene];
		const struct chw_scene *scene = &w->root->scenes[index];
		bool bad;
		C4W_TRY(enter_group(w, scene->group, err));
		bad = w->group->snapshot_err.cls != C4W_OK;
		if (w->stage == 0) {
			w->stage = 1;
			if (s->component[CHW_POSITIONS]) {
				give(w, out, CHW_ITEM_POSITIONS, scene);
				out->positions = bad ? NULL : find_row(w, index, CHW_POSITIONS, -1, -1);
				return C4W_OK;
			}
		}
		if (w->stage == 1) {
			w->stage = 2;
			if (s->component[CHW_GEOMETRY]) {
				give(w, out, CHW_ITEM_GEOMETRY, scene);
				chw_record_id(w->root->collection_id, scene->id, CHW_GEOMETRY, -1, -1, &out->geometry);
				return C4W_OK;
			}
		}
		if (w->stage == 2) {
			w->stage = 4;
			if (!s->component[CHW_CORE])
				continue;
			if (bad) {
				/* Which channels there are is not known. */
				give(w, out, CHW_ITEM_SCENE, scene);
				return C4W_OK;
			}
			w->core = lower(w, index, CHW_CORE, INT64_MIN, INT64_MIN);
			w->core_end = lower(w, index, CHW_DETAIL, INT64_MIN, INT64_MIN);
			if (w->core == w->core_end) {
				give(w, out, CHW_ITEM_NO_CHANNELS, scene);
				return C4W_OK;
			}
			w->use_grid = s->hz_given || s->bs_given;
			if (w->use_grid)
				C4W_TRY(make_grid(w, err));
			w->stage = 3;
		}
		if (w->stage == 3 && next_channel(w, out, index, scene))
			return C4W_OK;
	}
	*end = true;
	return C4W_OK;
}
