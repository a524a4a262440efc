/* Planning a derived root: which records, which metadata, how many bytes, and what may stay (section 7). See chw_prepare.h. */
#include "families/chw_prepare.h"

#include "base/limits.h"
#include "containers/npy.h"

#include <inttypes.h>

#define ROOT_FILE "c4w-root.json"

/* ---- parts of a cache ---- */

uint64_t chw_part_elements(const struct chw_out_part *part, const struct chw_field *f)
{
	switch (f->length) {
	case CHW_LEN_LINKS1:
		return (uint64_t)part->sum.links + part->n;
	case CHW_LEN_PATHS1:
		return (uint64_t)part->sum.paths + part->n;
	default:
		return (uint64_t)chw_length_of(&part->sum, (enum chw_length)f->length);
	}
}

uint64_t chw_slice_start(const struct chw_planned *it, const struct chw_field *f)
{
	switch (f->length) {
	case CHW_LEN_LINKS1:
		return (uint64_t)it->start.links + it->ordinal;
	case CHW_LEN_PATHS1:
		return (uint64_t)it->start.paths + it->ordinal;
	default:
		return (uint64_t)chw_length_of(&it->start, (enum chw_length)f->length);
	}
}

void chw_part_header(const struct chw_out_part *part, const struct chw_field *f, struct c4w_buf *b, uint64_t *body)
{
	struct c4w_array a = { .dtype = { .kind = f->kind, .order = f->dtype[0], .size = f->size }, .rank = f->vec3 ? 2 : 1 };
	a.shape[0] = chw_part_elements(part, f);
	a.shape[1] = 3;
	a.count = a.shape[0] * (f->vec3 ? 3 : 1);
	a.size = a.count * f->size;
	c4w_npy_write_header(b, &a);
	*body = a.size;
}

static int add_dims(struct chw_dims *sum, const struct chw_dims *d, struct c4w_err *err)
{
	int64_t *to[] = { &sum->links, &sum->paths, &sum->interactions, &sum->bs, &sum->ues };
	const int64_t more[] = { d->links, d->paths, d->interactions, d->bs, d->ues };
	size_t i;
	for (i = 0; i < 5; i++)
		if (__builtin_add_overflow(*to[i], more[i], to[i]) || *to[i] > INT64_MAX / 64)
			return c4w_fail(err, C4W_LIMIT, "the records say they are larger than a file can be");
	return C4W_OK;
}

static int part_for(struct chw_prepare *p, uint32_t group, enum chw_component c, int64_t hz, uint32_t *out, struct c4w_err *err)
{
	struct chw_out_part *part;
	uint32_t i;
	/* The last ones are the likely ones: a group's parts stand together. */
	for (i = p->n_parts; i-- > 0;)
		if (p->parts[i].group == group && p->parts[i].component == c && p->parts[i].hz == hz) {
			*out = i;
			return C4W_OK;
		}
	if (p->n_parts == p->cap_parts) {
		uint32_t cap = p->cap_parts ? p->cap_parts * 2 : 16;
		void *more = realloc(p->parts, cap * sizeof *p->parts);
		if (!more)
			return c4w_fail_memory(err, cap * sizeof *p->parts);
		p->parts = more;
		p->cap_parts = cap;
	}
	part = &p->parts[p->n_parts];
	*part = (struct chw_out_part){ .group = group, .component = c, .hz = hz, .first = CHW_NONE, .last = CHW_NONE };
	if ((hz < 0 ? asprintf(&part->dir, "cache/%s/%s", p->root->groups[group].name, chw_component_names[c]) :
		      asprintf(&part->dir, "cache/%s/%s-%" PRId64, p->root->groups[group].name, chw_component_names[c], hz)) < 0) {
		part->dir = NULL;
		return c4w_fail_memory(err, 0);
	}
	*out = p->n_parts++;
	return C4W_OK;
}

static int join_part(struct chw_prepare *p, uint32_t index, const struct chw_row *row, struct c4w_err *err)
{
	struct chw_planned *it = &p->items[index];
	struct chw_out_part *part;
	C4W_TRY(part_for(p, it->group, (enum chw_component)it->component, it->hz, &it->part, err));
	part = &p->parts[it->part];
	it->start = part->sum;
	it->ordinal = part->n;
	C4W_TRY(add_dims(&part->sum, &row->dims, err));
	if (part->n++ == 0)
		part->first = index;
	else
		p->items[part->last].next = index;
	part->last = index;
	return C4W_OK;
}

/* ---- items ---- */

struct absent {
	uint32_t n;
	const char *first;
};

static int check_there(struct chw_prepare *p, uint32_t file, struct absent *a, struct c4w_err *err)
{
	const char *path = p->root->files[file].path;
	struct c4w_stat st;
	if (p->needed[file])
		return C4W_OK;
	C4W_TRY(c4w_store_stat(p->root->store, path, &st, err));
	p->needed[file] = 1;
	if (st.kind == C4W_KIND_NONE) {
		p->needed[file] = 3;
		if (a->n++ == 0 || strcmp(path, a->first) < 0)
			a->first = path;
	}
	return C4W_OK;
}

static void unpublished(struct chw_prepare *p, const char *fmt, ...) C4W_PRINTF(2, 3);
static void unpublished(struct chw_prepare *p, const char *fmt, ...)
{
	va_list ap;
	if (p->plan->unpublished++)
		return;
	va_start(ap, fmt);
	vsnprintf(p->plan->first_unpublished, sizeof p->plan->first_unpublished, fmt, ap);
	va_end(ap);
}

/* Nothing is written twice, and nothing that the source names takes the place of what finishing writes. */
static int claim(struct chw_prepare *p, const char *path, struct c4w_err *err)
{
	size_t n = strlen(path);
	uint32_t earlier = chw_map_add(p->paths, path, n, 0);
	if (n > C4W_LIMIT_PATH) {
		c4w_fail(err, C4W_LIMIT, "a path of %zu bytes could be written and not be read, %d is the limit", n, C4W_LIMIT_PATH);
		c4w_err_path(err, path);
		return C4W_LIMIT;
	}
	if (earlier == CHW_NONE - 1)
		return c4w_fail_memory(err, 0);
	if (earlier == CHW_NONE && strncmp(path, "c4w-root", 8) != 0 && (!p->cache || strncmp(path, "cache/", 6) != 0))
		return C4W_OK;
	c4w_damaged(err, "members.path", -1, "two files of the derived root would have one path");
	c4w_err_path(err, path);
	return C4W_DAMAGED;
}

static const char *member_path(struct chw_prepare *p, const struct chw_item *it, enum chw_component c, const struct chw_member *m)
{
	char text[1024];
	int n;
	if (m)
		return c4w_arena_text(&p->arena, m->member_path, strlen(m->member_path));
	if (c == CHW_GEOMETRY || c == CHW_POSITIONS)
		n = snprintf(text, sizeof text, "records/scene=%s/%s", it->scene->id, c == CHW_GEOMETRY ? "geometry.zip" : "positions.npz");
	else
		n = snprintf(text, sizeof text, "records/scene=%s/band_hz=%" PRId64 "/component=%s/bs%05" PRId64 ".npz", it->scene->id, it->hz,
			     chw_component_names[c], it->bs);
	return n > 0 && (size_t)n < sizeof text ? c4w_arena_text(&p->arena, text, (size_t)n) : NULL;
}

static int add_item(struct chw_prepare *p, const struct chw_item *it, const struct chw_digest *id, const struct chw_row *row,
		    enum chw_component c, struct absent *a, bool *added, struct c4w_err *err)
{
	const struct chw_root *r = p->root;
	const struct chw_member *m;
	struct chw_place place = { .where = CHW_UNPUBLISHED };
	struct chw_planned *x;
	*added = false;
	if (id)
		chw_locate(it->group, id, row, &place);
	if (place.where == CHW_UNPUBLISHED) {
		if (c == CHW_CORE || c == CHW_DETAIL)
			unpublished(p, "%s %s %" PRId64 " Hz BS %" PRId64, chw_component_names[c], it->scene->id, it->hz, it->bs);
		else
			unpublished(p, "%s of %s", chw_component_names[c], it->scene->id);
		return C4W_OK;
	}
	if (place.where == CHW_AT_CACHE) {
		uint32_t f;
		for (f = r->groups[it->group->index].first_file; f != CHW_NONE; f = r->files[f].next)
			if ((r->files[f].kind == CHW_CACHE_INDEX || r->files[f].kind == CHW_CACHE_ARRAY) && r->files[f].component == c &&
			    r->files[f].hz == row->hz)
				C4W_TRY(check_there(p, f, a, err));
	} else {
		C4W_TRY(check_there(p, place.file, a, err));
	}
	if (p->n_items == p->cap_items) {
		uint32_t cap = p->cap_items ? p->cap_items + p->cap_items / 2 : 256;
		void *more = realloc(p->items, cap * sizeof *p->items);
		if (!more)
			return c4w_fail_memory(err, cap * sizeof *p->items);
		p->items = more;
		p->cap_items = cap;
	}
	m = chw_member_of(it->group, id);
	x = &p->items[p->n_items];
	*x = (struct chw_planned){ .id = *id, .sha = m ? m->sha : place.sha, .bytes = m ? m->bytes : place.bytes, .hz = it->hz, .bs = it->bs,
				   .group = it->group->index, .scene = (uint32_t)(it->scene - r->scenes), .part = CHW_NONE, .next = CHW_NONE,
				   .component = (uint8_t)c };
	if (!p->cache || c == CHW_GEOMETRY) {
		if (!(x->path = member_path(p, it, c, m)))
			return c4w_fail_memory(err, 1024);
		C4W_TRY(claim(p, x->path, err));
	} else {
		C4W_TRY(join_part(p, p->n_items, row, err));
	}
	if (p->group_rank[x->group] == CHW_NONE) {
		p->group_rank[x->group] = p->n_groups;
		p->groups[p->n_groups++] = x->group;
	}
	p->n_items++;
	*added = true;
	return C4W_OK;
}

static int plan_item(struct chw_prepare *p, const struct chw_item *it, struct absent *a, struct c4w_err *err)
{
	const struct c4w_err *bad = it->group->members_err.cls != C4W_OK ? &it->group->members_err : &it->group->snapshot_err;
	bool core, detail;
	if (bad->cls != C4W_OK) {
		if (err) {
			*err = *bad;
			if (bad->cls == C4W_ABSENT)
				c4w_err_hint(err, "c4w missing lists what to download");
		}
		return (int)bad->cls;
	}
	switch (it->kind) {
	case CHW_ITEM_POSITIONS:
		return add_item(p, it, it->positions ? &it->positions->id : NULL, it->positions, CHW_POSITIONS, a, &core, err);
	case CHW_ITEM_GEOMETRY:
		return add_item(p, it, &it->geometry, NULL, CHW_GEOMETRY, a, &core, err);
	case CHW_ITEM_CHANNEL:
		C4W_TRY(add_item(p, it, &it->core->id, it->core, CHW_CORE, a, &core, err));
		p->plan->counts[1].n += core;
		if (!p->sel->component[CHW_DETAIL])
			return C4W_OK;
		C4W_TRY(add_item(p, it, it->detail ? &it->detail->id : NULL, it->detail, CHW_DETAIL, a, &detail, err));
		if (core && detail)
			p->items[p->n_items - 2].with_next = true;
		return C4W_OK;
	case CHW_ITEM_NO_CHANNELS:
		unpublished(p, "core %s: no channel records in this %s", it->scene->id, chw_kind_names[p->root->kind]);
		return C4W_OK;
	case CHW_ITEM_NO_CHANNEL:
		unpublished(p, "core %s %" PRId64 " Hz BS %" PRId64, it->scene->id, it->hz, it->bs);
		return C4W_OK;
	case CHW_ITEM_ROOT:
	case CHW_ITEM_SCENE:
		break;
	}
	return C4W_OK;
}

static int walk_all(struct chw_prepare *p, struct absent *a, struct c4w_err *err)
{
	struct chw_walk *walk = NULL;
	struct chw_item it;
	const struct chw_scene *scene = NULL;
	struct chw_group *last = NULL;
	bool end = false;
	int cls = chw_walk_new(p->root, p->sel, &walk, err);
	while (cls == C4W_OK && (cls = chw_walk_next(walk, &it, &end, err)) == C4W_OK && !end) {
		if (it.scene != scene)
			p->plan->counts[0].n++;
		scene = it.scene;
		cls = plan_item(p, &it, a, err);
		chw_group_release(last);
		last = it.group;
	}
	/* A snapshot is there only when the walk needed it: geometry alone does without. */
	if (cls == C4W_OK && p->n_groups == 1 && last && last->index == p->groups[0] && last->row_of)
		p->only = chw_group_ref(last);
	chw_group_release(last);
	chw_walk_free(walk);
	return cls;
}

int chw_prepare_group(struct chw_prepare *p, uint32_t group, struct chw_group **out, struct c4w_err *err)
{
	bool need = p->sel->component[CHW_CORE] || p->sel->component[CHW_POSITIONS];
	if (p->only && p->only->index == group) {
		*out = p->only;
		return C4W_OK;
	}
	if (!p->group || p->group->index != group) {
		chw_group_release(p->group);
		p->group = NULL;
		C4W_TRY(chw_group_load(p->root, group, need, &p->docs, &p->group, err));
	}
	*out = p->group;
	return C4W_OK;
}

/* ---- metadata ---- */

static int plan_meta(struct chw_prepare *p, struct absent *a, struct c4w_err *err)
{
	const struct chw_root *r = p->root;
	struct absent catalogs = { 0, NULL };
	uint32_t g, f;
	void *mem;
	C4W_TRY(c4w_arena_zero(&p->arena, (size_t)r->n_files + 1, sizeof *p->meta, &mem, err));
	p->meta = mem;
	for (g = 0; g < p->n_groups; g++) {
		const struct chw_group_entry *e = &r->groups[p->groups[g]];
		if (e->members == CHW_NONE || e->snapshot == CHW_NONE)
			return c4w_damaged(err, "root.group-files", -1, "the root lists no %s for group %s",
					   e->members == CHW_NONE ? "members table" : "snapshot", e->name);
		for (f = e->first_file; f != CHW_NONE; f = r->files[f].next) {
			bool catalog = r->files[f].kind == CHW_CATALOG;
			if (!catalog && r->files[f].kind != CHW_MEMBERS && r->files[f].kind != CHW_SNAPSHOT)
				continue;
			C4W_TRY(check_there(p, f, catalog ? &catalogs : a, err));
			if (!(p->needed[f] & 2))
				p->meta[p->n_meta++] = f;
		}
	}
	for (f = 0; f < r->n_files; f++)
		if (r->files[f].kind == CHW_SCHEMA) {
			C4W_TRY(check_there(p, f, a, err));
			p->meta[p->n_meta++] = f;
		}
	for (f = 0; f < p->n_meta; f++)
		C4W_TRY(claim(p, r->files[p->meta[f]].path, err));
	return C4W_OK;
}

/* ---- what is there already ---- */

/* A root in the destination must be of this kind and collection, and nothing that it lists may be lost. */
static int check_extension(struct chw_prepare *p, struct c4w_err *err)
{
	struct c4w_store *store = NULL;
	struct chw_root *old = NULL;
	struct chw_map *now = NULL;
	struct c4w_stat st;
	uint32_t i, lost = 0;
	int cls;
	C4W_TRY(c4w_sink_stat(p->sink, ROOT_FILE, &st, err));
	if (st.kind == C4W_KIND_NONE)
		return C4W_OK;
	C4W_TRY(c4w_store_open_dir(c4w_sink_name(p->sink), &store, err));
	cls = chw_root_open(store, c4w_sink_name(p->sink), &old, err);
	c4w_store_close(store);
	if (cls != C4W_OK) {
		c4w_err_prefix(err, "the root in the destination");
		return cls;
	}
	if (old->kind != (p->cache ? CHW_CACHE : CHW_SUBSET) || strcmp(old->collection_id, p->root->collection_id) != 0) {
		char shown[100];
		cls = c4w_fail(err, C4W_USAGE, "the destination holds another %s (%s)", chw_kind_names[old->kind],
			       c4w_str_escape(shown, sizeof shown, old->collection_id, strlen(old->collection_id)));
		c4w_err_path(err, c4w_sink_name(p->sink));
		goto out;
	}
	if (!(now = chw_map_new(p->n_items))) {
		cls = c4w_fail_memory(err, p->n_items);
		goto out;
	}
	for (i = 0; i < p->n_items; i++)
		if (chw_map_add(now, p->items[i].id.b, 32, i) == CHW_NONE - 1) {
			cls = c4w_fail_memory(err, 32);
			goto out;
		}
	for (i = 0; i < old->n_records; i++)
		lost += chw_map_get(now, old->records[i].b, 32) == CHW_NONE;
	if (lost) {
		cls = c4w_fail(err, C4W_USAGE, "the destination lists %u record%s that this selection lacks; the new root would drop %s", lost,
			       lost == 1 ? "" : "s", lost == 1 ? "it" : "them");
		c4w_err_path(err, c4w_sink_name(p->sink));
		c4w_err_hint(err, "select what is there and what is to be added together, or write to a new directory");
	}
out:
	chw_map_free(now);
	chw_root_free(old);
	return cls;
}

static bool has_size(struct chw_prepare *p, const char *rel, uint64_t bytes)
{
	struct c4w_stat st;
	return c4w_sink_stat(p->sink, rel, &st, NULL) == C4W_OK && st.kind == C4W_KIND_FILE && !st.is_link && st.size == bytes;
}

/* The arrays of one record in the destination: are they what the snapshot says? */
static bool slice_right(const struct chw_planned *it, const struct chw_row *row, struct c4w_blob *const *blobs, const uint64_t *data,
			struct c4w_arena *arena)
{
	unsigned n, k;
	const struct chw_field *fields = chw_fields((enum chw_component)it->component, &n);
	struct chw_record rec = { .row = row };
	struct chw_digests d;
	for (k = 0; k < n; k++) {
		size_t width = (size_t)fields[k].size * (fields[k].vec3 ? 3 : 1);
		size_t size = (size_t)chw_length_of(&row->dims, (enum chw_length)fields[k].length) * width;
		if (c4w_blob_view(blobs[k], data[k] + chw_slice_start(it, &fields[k]) * width, size, arena, &rec.field[k], NULL) != C4W_OK)
			return false;
	}
	chw_hash_record(&rec, true, NULL, 0, &d);
	for (k = 0; k < n; k++)
		if (memcmp(d.arrays[k].b, row->arrays[k].b, 32) != 0)
			return false;
	return true;
}

/* A part stays when each of its arrays has the header and size that it would get, and (unless nothing is verified) every record's slice the
 * digests of the snapshot. Doubt is a no: then it is written anew. */
static int part_stays(struct chw_prepare *p, struct chw_out_part *part, struct c4w_err *err)
{
	unsigned n, k;
	const struct chw_field *fields = chw_fields(part->component, &n);
	struct c4w_blob *blobs[CHW_MAX_FIELDS] = { NULL };
	uint64_t data[CHW_MAX_FIELDS];
	struct c4w_buf head = { 0 };
	struct c4w_arena arena = { 0 };
	struct chw_group *g;
	uint32_t i;
	bool right = true;
	int cls = C4W_OK;
	for (k = 0; right && k < n; k++) {
		char rel[1024];
		const uint8_t *there;
		uint64_t body;
		c4w_buf_reset(&head);
		chw_part_header(part, &fields[k], &head, &body);
		data[k] = head.n;
		snprintf(rel, sizeof rel, "%s/%s.npy", part->dir, fields[k].name);
		right = !head.failed && has_size(p, rel, head.n + body) && c4w_sink_read(p->sink, rel, &blobs[k], NULL) == C4W_OK &&
			c4w_blob_size(blobs[k]) == head.n + body && c4w_blob_view(blobs[k], 0, head.n, &arena, &there, NULL) == C4W_OK &&
			memcmp(there, head.p, head.n) == 0;
	}
	if (right && p->level != C4W_LEVEL_NONE) {
		cls = chw_prepare_group(p, part->group, &g, err);
		for (i = part->first; cls == C4W_OK && right && i != CHW_NONE; i = p->items[i].next) {
			const struct chw_row *row = chw_row_of(g, &p->items[i].id);
			c4w_arena_reset(&arena);
			right = row && slice_right(&p->items[i], row, blobs, data, &arena);
		}
	}
	part->stays = right;
	for (k = 0; k < n; k++)
		c4w_blob_close(blobs[k]);
	c4w_buf_clear(&head);
	c4w_arena_clear(&arena);
	return cls;
}

/* ---- sums and order ---- */

static void add_bytes(uint64_t *sum, uint64_t more)
{
	*sum = more > UINT64_MAX - *sum ? UINT64_MAX : *sum + more;
}

static int count(struct chw_prepare *p, struct c4w_err *err)
{
	struct c4w_plan *plan = p->plan;
	struct c4w_buf head = { 0 };
	uint32_t i;
	unsigned k, n;
	for (i = 0; i < p->n_meta; i++) {
		plan->files++;
		add_bytes(&plan->bytes, (uint64_t)p->root->files[p->meta[i]].bytes);
	}
	for (i = 0; i < p->n_items; i++) {
		const struct chw_planned *x = &p->items[i];
		if (!x->path)
			continue;
		if (p->keep && has_size(p, x->path, (uint64_t)x->bytes)) {
			plan->kept++;
			continue;
		}
		plan->files++;
		add_bytes(&plan->bytes, x->bytes > 0 ? (uint64_t)x->bytes : 0);
	}
	for (i = 0; i < p->n_parts; i++) {
		struct chw_out_part *part = &p->parts[i];
		const struct chw_field *fields = chw_fields(part->component, &n);
		if (p->keep)
			C4W_TRY(part_stays(p, part, err));
		if (part->stays) {
			plan->kept += n;
			atomic_fetch_add(&p->stayed, n);
			continue;
		}
		part->left = part->n;
		plan->files += n + 1;
		for (k = 0; k < n; k++) {
			uint64_t body;
			c4w_buf_reset(&head);
			chw_part_header(part, &fields[k], &head, &body);
			add_bytes(&plan->bytes, head.n + body);
		}
	}
	k = (unsigned)c4w_buf_ok(&head, err);
	c4w_buf_clear(&head);
	return (int)k;
}

static int order_cmp(const void *a, const void *b, void *ctx)
{
	const struct chw_prepare *p = ctx;
	uint32_t ia = *(const uint32_t *)a, ib = *(const uint32_t *)b;
	const struct chw_planned *x = &p->items[ia], *y = &p->items[ib];
	if (x->group != y->group)
		return p->group_rank[x->group] < p->group_rank[y->group] ? -1 : 1;
	if (p->cache && x->hz != y->hz)
		return x->hz < y->hz ? -1 : 1;
	return ia < ib ? -1 : ia > ib;
}

static int make_order(struct chw_prepare *p, struct c4w_err *err)
{
	uint32_t i;
	bool sorted = true;
	void *mem;
	C4W_TRY(c4w_arena_take(&p->arena, ((size_t)p->n_items + 1) * sizeof *p->order, &mem, err));
	p->order = mem;
	for (i = 0; i < p->n_items; i += p->items[i].with_next ? 2 : 1) {
		p->order[p->n_order] = i;
		if (p->n_order && order_cmp(&p->order[p->n_order - 1], &i, p) > 0)
			sorted = false;
		p->n_order++;
	}
	if (!sorted)
		qsort_r(p->order, p->n_order, sizeof *p->order, order_cmp, p);
	return C4W_OK;
}

int chw_plan(struct chw_prepare *p, struct c4w_err *err)
{
	struct absent a = { 0, NULL };
	uint32_t i;
	void *mem;
	p->plan->n_counts = 2;
	p->plan->counts[0].noun = "scenes";
	p->plan->counts[1].noun = "channel records";
	C4W_TRY(c4w_arena_zero(&p->arena, (size_t)p->root->n_files + 1, 1, &mem, err));
	p->needed = mem;
	C4W_TRY(c4w_arena_take(&p->arena, ((size_t)p->root->n_groups + 1) * sizeof *p->groups, &mem, err));
	p->groups = mem;
	C4W_TRY(c4w_arena_take(&p->arena, ((size_t)p->root->n_groups + 1) * sizeof *p->group_rank, &mem, err));
	p->group_rank = mem;
	for (i = 0; i < p->root->n_groups; i++)
		p->group_rank[i] = CHW_NONE;
	if (!(p->paths = chw_map_new(256)))
		return c4w_fail_memory(err, 0);
	C4W_TRY(walk_all(p, &a, err));
	if (!p->n_items) {
		if (!p->plan->unpublished)
			return c4w_fail(err, C4W_USAGE, "the selection is empty: there is nothing to write");
		return c4w_fail(err, C4W_ABSENT, "nothing of the selection is published in this %s (%s, for one)", chw_kind_names[p->root->kind],
				p->plan->first_unpublished);
	}
	C4W_TRY(plan_meta(p, &a, err));
	if (a.n) {
		c4w_fail(err, C4W_ABSENT, "%u file%s of the selection %s not downloaded, the first is %s", a.n, a.n == 1 ? "" : "s",
			 a.n == 1 ? "is" : "are", a.first);
		c4w_err_path(err, p->root->name);
		c4w_err_hint(err, "c4w missing lists what to download");
		return C4W_ABSENT;
	}
	if (p->keep)
		C4W_TRY(check_extension(p, err));
	C4W_TRY(count(p, err));
	return make_order(p, err);
}
