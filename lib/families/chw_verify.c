/* Verifying a selection: the walk's items as a job of the driver (section 5). */
#include "families/chw.h"

#include "base/limits.h"

#include <inttypes.h>

struct job {
	struct chw_root *root;
	const struct chw_selection *sel;
	enum c4w_level level;
	struct chw_walk *walk;
	bool root_done;
};

struct item {
	struct chw_item it;
	char text[400];
	struct c4w_item_field fields[4]; /* scene_id, component, frequency_hz, bs */
};

/* Entries of 256 MiB in sum, and a file that is no smaller. Core and detail together stay within the default of --memory. */
enum { MOST_A_RECORD = C4W_LIMIT_MEMORY / 2 };

uint64_t chw_record_cost(const struct chw_row *row, const struct chw_group *g)
{
	const struct chw_member *m;
	unsigned n, i;
	const struct chw_field *f;
	uint64_t sum = 65536;
	if (!row)
		return 0;
	f = chw_fields(row->component, &n);
	for (i = 0; i < n; i++) {
		uint64_t width = (uint64_t)f[i].size * (f[i].vec3 ? 3 : 1), part;
		if (__builtin_mul_overflow((uint64_t)chw_length_of(&row->dims, (enum chw_length)f[i].length), width, &part) ||
		    __builtin_add_overflow(sum, part, &sum))
			return MOST_A_RECORD;
	}
	m = chw_member_of(g, &row->id);
	if (m && m->bytes > 0 && __builtin_add_overflow(sum, (uint64_t)m->bytes, &sum))
		return MOST_A_RECORD;
	/* A header may claim any dimensions; the archive's size is what bounds them, and reading checks that before it allocates. So a claim
	 * beyond what one record may hold is not a reason to refuse the item. */
	return sum > MOST_A_RECORD ? MOST_A_RECORD : sum;
}

/* A geometry archive is read whole. What is claimed counts as far as the file is there. */
static uint64_t geometry_cost(const struct chw_item *it)
{
	struct chw_place place;
	struct c4w_stat st;
	chw_locate(it->group, &it->geometry, NULL, &place);
	if (place.where == CHW_UNPUBLISHED || place.bytes <= 0 ||
	    c4w_store_stat(it->group->root->store, place.path, &st, NULL) != C4W_OK || st.kind != C4W_KIND_FILE)
		return 0;
	return (uint64_t)place.bytes < st.size ? (uint64_t)place.bytes : st.size;
}

static const char *component_of(const struct chw_item *it)
{
	switch (it->kind) {
	case CHW_ITEM_ROOT: return NULL;
	case CHW_ITEM_POSITIONS: return "positions";
	case CHW_ITEM_GEOMETRY: return "geometry";
	default: return "core";
	}
}

static int next(void *ctx, struct c4w_item *out, bool *end, struct c4w_err *err)
{
	struct job *j = ctx;
	struct item *x = calloc(1, sizeof *x);
	int cls = C4W_OK;
	if (!x)
		return c4w_fail_memory(err, sizeof *x);
	if (!j->root_done) {
		j->root_done = true;
		if (j->root->findings.n) {
			x->it.kind = CHW_ITEM_ROOT;
			x->it.hz = x->it.bs = -1;
			goto made;
		}
	}
	cls = chw_walk_next(j->walk, &x->it, end, err);
	if (cls != C4W_OK || *end) {
		free(x);
		return cls;
	}
made:
	if (x->it.kind == CHW_ITEM_ROOT)
		snprintf(x->text, sizeof x->text, "%s", "c4w-root.json");
	else if (x->it.kind == CHW_ITEM_NO_CHANNEL) /* what nothing is known of is called as the reference calls it */
		snprintf(x->text, sizeof x->text, "core %s %" PRId64 " Hz BS %" PRId64, x->it.scene->id, x->it.hz, x->it.bs);
	else if (x->it.kind == CHW_ITEM_NO_CHANNELS)
		snprintf(x->text, sizeof x->text, "core %s", x->it.scene->id);
	else if (x->it.hz >= 0)
		snprintf(x->text, sizeof x->text, "%s %" PRId64 " Hz BS %" PRId64, x->it.scene->id, x->it.hz, x->it.bs);
	else
		snprintf(x->text, sizeof x->text, "%s", x->it.scene->id);
	x->fields[0] = (struct c4w_item_field){ "scene_id", x->it.scene ? x->it.scene->id : NULL, 0, false };
	x->fields[1] = (struct c4w_item_field){ "component", component_of(&x->it), 0, false };
	x->fields[2] = (struct c4w_item_field){ "frequency_hz", NULL, x->it.hz, x->it.hz >= 0 || x->it.kind == CHW_ITEM_NO_CHANNEL };
	x->fields[3] = (struct c4w_item_field){ "bs", NULL, x->it.bs, x->it.bs >= 0 || x->it.kind == CHW_ITEM_NO_CHANNEL };
	out->id = (struct c4w_item_id){ x->text, x->fields, 4 };
	out->data = x;
	if (x->it.kind == CHW_ITEM_CHANNEL)
		out->cost = chw_record_cost(x->it.core, x->it.group) + chw_record_cost(x->it.detail, x->it.group);
	else if (x->it.kind == CHW_ITEM_POSITIONS)
		out->cost = chw_record_cost(x->it.positions, x->it.group);
	else if (x->it.kind == CHW_ITEM_GEOMETRY)
		out->cost = geometry_cost(&x->it);
	return C4W_OK;
}

/* Do the findings leave what detail is compared with in core as it is? A bad angle does; a bad count or code would only be reported twice. What was
 * found so far may be ignored by the user, so that it must not hide the comparison. */
static bool comparable(const struct c4w_findings *fs)
{
	static const char *const harmless[] = { "core.not-finite", "core.ue-order", "core.ue-range", "core.bs-range", "core.rank-order", "core.delay-negative",
						"core.theta-range", "core.phi-range", "core.empty-link", "core.path-limit", "core.rank-limit",
						"core.offsets-start", "core.offsets-order", "core.offsets-end", "detail.not-finite", "record.catalog-digest" };
	size_t i, k, n = sizeof harmless / sizeof *harmless;
	for (i = 0; i < fs->n; i++) {
		for (k = 0; k < n && (!fs->v[i].rule || strcmp(fs->v[i].rule, harmless[k]) != 0); k++)
			;
		if (k == n)
			return false;
	}
	return true;
}

static void verify_channel(struct job *j, struct chw_item *it, struct c4w_worker *w, struct c4w_result *result)
{
	struct c4w_findings *fs = &result->findings;
	struct chw_record core = { 0 }, detail = { 0 };
	struct chw_fetched fc, fd, *both[2] = { &fc, &fd };
	bool want = j->sel->component[CHW_DETAIL], have_core, have_detail = false;
	have_core = chw_record_fetch(it->group, it->core, w, &fc, fs);
	if (want && !it->detail)
		c4w_findings_addf(fs, C4W_SEV_ERROR, C4W_STATE_UNPUBLISHED, "detail", NULL, NULL, -1, "detail is not %s in this %s",
				  j->root->has_records ? "included" : "published", chw_kind_names[j->root->kind]);
	if (want && it->detail)
		have_detail = chw_record_fetch(it->group, it->detail, w, &fd, fs);
	/* At level basic a record is one message; the two of a channel are hashed side by side. */
	if (have_core && have_detail && j->level == C4W_LEVEL_BASIC)
		chw_hash_fetched(both, 2);
	if (have_core)
		chw_record_check(it->group, it->core, j->level, w, &fc, &core, fs);
	if (have_detail)
		chw_record_check(it->group, it->detail, j->level, w, &fd, &detail, fs);
	result->bytes += core.bytes + detail.bytes;
	/* A record's last field is set last. */
	if (j->level == C4W_LEVEL_FULL && core.field[11] && detail.field[3] && comparable(fs))
		chw_detail_against_core(&core, &detail, fs);
}

static void work(void *ctx, struct c4w_worker *w, struct c4w_item *item, struct c4w_result *result)
{
	struct job *j = ctx;
	struct chw_item *it = &((struct item *)item->data)->it;
	struct c4w_findings *fs = &result->findings;
	struct chw_record rec;
	size_t i;
	switch (it->kind) {
	case CHW_ITEM_ROOT:
		for (i = 0; i < j->root->findings.n; i++)
			c4w_findings_add(fs, &j->root->findings.v[i]);
		break;
	case CHW_ITEM_POSITIONS:
		if (it->positions) {
			chw_record_verify(it->group, it->positions, j->level, w, &rec, fs);
			result->bytes = rec.bytes;
		} else if (it->group->snapshot_err.cls != C4W_OK) {
			c4w_findings_add_err(fs, "positions", NULL, &it->group->snapshot_err);
		} else {
			c4w_findings_addf(fs, C4W_SEV_ERROR, C4W_STATE_UNPUBLISHED, "positions", NULL, NULL, -1,
					  "positions are not published in this %s", chw_kind_names[j->root->kind]);
		}
		break;
	case CHW_ITEM_GEOMETRY:
		chw_geometry_verify(it->group, &it->geometry, j->level, w, fs, &result->bytes);
		break;
	case CHW_ITEM_CHANNEL:
		verify_channel(j, it, w, result);
		break;
	case CHW_ITEM_SCENE:
		c4w_findings_add_err(fs, "core", NULL, &it->group->snapshot_err);
		break;
	case CHW_ITEM_NO_CHANNELS:
		c4w_findings_addf(fs, C4W_SEV_ERROR, C4W_STATE_UNPUBLISHED, "core", NULL, NULL, -1, "no channel records in this %s",
				  chw_kind_names[j->root->kind]);
		break;
	case CHW_ITEM_NO_CHANNEL:
		c4w_findings_addf(fs, C4W_SEV_ERROR, C4W_STATE_UNPUBLISHED, "core", NULL, NULL, -1, "core is not published in this %s",
				  chw_kind_names[j->root->kind]);
		break;
	}
}

static void release(void *ctx, struct c4w_item *item, struct c4w_result *result)
{
	struct item *x = item->data;
	(void)ctx;
	(void)result;
	chw_group_release(x->it.group);
	free(x);
}

static bool selected(const struct chw_selection *s, const struct chw_file *f)
{
	uint32_t i;
	if ((f->kind != CHW_PAYLOAD && f->kind != CHW_CACHE_ARRAY) || (f->component < CHW_COMPONENTS && !s->component[f->component]))
		return false;
	for (i = 0; s->hz_given && f->hz >= 0 && i < s->n_hz; i++)
		if (s->hz[i] == f->hz)
			return true;
	return !s->hz_given || f->hz < 0;
}

/* The bytes of the files on disk, of a group as much as it has of the selected scenes. How much of an archive some base stations take is not known
 * without the group's metadata. */
static void totals(void *ctx, uint64_t *items, uint64_t *bytes)
{
	const struct job *j = ctx;
	const struct chw_root *r = j->root;
	struct chw_last_folder last = { .n = 0 };
	uint32_t *scenes = calloc((size_t)r->n_groups + 1, sizeof *scenes), i, f;
	double sum = 0;
	(void)items;
	for (i = 0; scenes && i < j->sel->n_scenes; i++)
		scenes[r->scenes[j->sel->scenes[i]].group]++;
	for (i = 0; scenes && i < r->n_groups && !j->sel->bs_given; i++) {
		double group = 0;
		for (f = scenes[i] ? r->groups[i].first_file : CHW_NONE; f != CHW_NONE; f = r->files[f].next)
			if (selected(j->sel, &r->files[f]) && chw_file_present(r, &r->files[f], &last))
				group += (double)r->files[f].bytes;
		if (scenes[i])
			sum += group * scenes[i] / r->groups[i].n_scenes;
	}
	free(scenes);
	*bytes = sum < 1e18 ? (uint64_t)sum : 0;
}

static void destroy(void *ctx)
{
	struct job *j = ctx;
	chw_walk_free(j->walk);
	free(j);
}

int chw_verify_job(void *root, const void *selection, enum c4w_level level, struct c4w_job *out, struct c4w_err *err)
{
	struct job *j = calloc(1, sizeof *j);
	int cls;
	if (!j)
		return c4w_fail_memory(err, sizeof *j);
	j->root = root;
	j->sel = selection;
	j->level = level;
	cls = chw_walk_new(root, selection, &j->walk, err);
	if (cls != C4W_OK) {
		free(j);
		return cls;
	}
	*out = (struct c4w_job){ .ctx = j, .next = next, .work = work, .release = release, .worker_new = chw_worker_new,
				 .worker_free = chw_worker_free, .destroy = destroy, .totals = totals };
	return C4W_OK;
}
