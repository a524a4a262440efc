/* Channels4World records one by one, as arrays, and their transforms. See c4w.h. */
#include "c4w_impl.h"

#include "families/chw_channel.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct c4w_records {
	struct chw_walk *walk;
	struct c4w_select *own;
	struct chw_item item;
	bool have;               /* item is one */
	struct c4w_worker worker; /* its arena holds what the item's transforms need */
	struct chw_channel channel;
	bool loaded;
};

int c4w_records_open(struct c4w_root *r, const struct c4w_select *s, struct c4w_records **out, struct c4w_err *err)
{
	struct c4w_records *it;
	const void *selection;
	int cls;
	*out = NULL;
	if (r->family != &c4w_family_channels4world)
		return c4w_fail(err, C4W_USAGE, "a %s has no records of this kind", r->family->title);
	C4W_TRY(chw_root_sound(r->root, err));
	it = calloc(1, sizeof *it);
	if (!it)
		return c4w_fail_memory(err, sizeof *it);
	cls = c4w_api_select(r, s, &it->own, &selection, err);
	if (cls == C4W_OK)
		cls = chw_walk_new(r->root, selection, &it->walk, err);
	if (cls == C4W_OK)
		cls = chw_worker_new(NULL, &it->worker.user, err);
	if (cls != C4W_OK) {
		c4w_records_close(it);
		return cls;
	}
	*out = it;
	return C4W_OK;
}

static void leave(struct c4w_records *it)
{
	if (it->have)
		chw_group_release(it->item.group);
	it->have = it->loaded = false;
	c4w_arena_reset(&it->worker.arena);
}

void c4w_records_close(struct c4w_records *it)
{
	if (!it)
		return;
	leave(it);
	chw_walk_free(it->walk);
	chw_worker_free(NULL, it->worker.user);
	c4w_arena_clear(&it->worker.arena);
	c4w_select_free(it->own);
	free(it);
}

int c4w_records_next(struct c4w_records *it, struct c4w_record_id *id, struct c4w_err *err)
{
	bool end = false;
	*id = (struct c4w_record_id){ NULL, NULL, -1, -1 };
	leave(it);
	for (;;) {
		C4W_TRY(chw_walk_next(it->walk, &it->item, &end, err));
		if (end)
			return C4W_OK;
		it->have = true;
		id->scene = it->item.scene ? it->item.scene->id : "";
		id->frequency_hz = it->item.hz;
		id->bs = it->item.bs;
		switch (it->item.kind) {
		case CHW_ITEM_CHANNEL:
			id->kind = "channel";
			return C4W_OK;
		case CHW_ITEM_POSITIONS:
			id->kind = it->item.positions ? "positions" : "unpublished";
			return C4W_OK;
		case CHW_ITEM_GEOMETRY:
			id->kind = "geometry";
			return C4W_OK;
		case CHW_ITEM_NO_CHANNEL:
		case CHW_ITEM_NO_CHANNELS:
			id->kind = "unpublished";
			return C4W_OK;
		case CHW_ITEM_SCENE:
			if (err)
				*err = it->item.group->snapshot_err;
			id->kind = NULL;
			return (int)it->item.group->snapshot_err.cls;
		default:
			leave(it);
		}
	}
}

static int unpublished(const char *component, struct c4w_err *err)
{
	return c4w_fail(err, C4W_ABSENT, "%s is not published here", component);
}

static int add_record(struct c4w_arrays *a, const struct chw_record *rec, struct c4w_err *err)
{
	unsigned n, k;
	const struct chw_field *f = chw_fields(rec->row->component, &n);
	for (k = 0; k < n; k++) {
		struct c4w_array array = { .rank = f[k].vec3 ? 2 : 1, .bytes = rec->field[k] };
		array.dtype = (struct c4w_dtype){ .kind = f[k].kind, .order = f[k].size == 1 ? '|' : '<', .size = f[k].size };
		array.shape[0] = (uint64_t)chw_length_of(&rec->row->dims, (enum chw_length)f[k].length);
		array.shape[1] = 3;
		C4W_TRY(c4w_array_measure(&array, err));
		C4W_TRY(c4w_arrays_add(a, c4w_view_z(f[k].name), &array, true, err));
	}
	return C4W_OK;
}

static int load(struct c4w_records *it, bool detail, bool positions, struct c4w_err *err)
{
	struct c4w_findings fs = { 0 };
	bool usable;
	int cls = C4W_OK;
	if (!it->have || it->item.kind != CHW_ITEM_CHANNEL)
		return c4w_fail(err, C4W_USAGE, "this item is no channel");
	if (it->loaded && (!detail || it->channel.detail) && (!positions || it->channel.positions))
		return C4W_OK;
	c4w_arena_reset(&it->worker.arena);
	usable = chw_channel_load(&it->item, CHW_ALL_FIELDS, detail, positions, &it->worker, &it->channel, &fs);
	it->loaded = usable;
	if (!usable || fs.n)
		cls = c4w_findings_err(&fs, err);
	c4w_findings_clear(&fs);
	return cls;
}

static int read_geometry(struct c4w_records *it, struct c4w_arrays *a, struct c4w_err *err)
{
	struct c4w_findings fs = { 0 };
	struct chw_place place;
	const uint8_t *p = NULL;
	uint64_t bytes;
	int cls = C4W_OK;
	chw_geometry_verify(it->item.group, &it->item.geometry, C4W_LEVEL_BASIC, &it->worker, &fs, &bytes);
	chw_locate(it->item.group, &it->item.geometry, NULL, &place);
	if (fs.n || !chw_fetch(it->item.group, &place, "geometry", &it->worker.arena, &p, &fs))
		cls = c4w_findings_err(&fs, err);
	if (cls == C4W_OK)
		cls = c4w_arrays_add_plain(a, "geometry", 'u', 1, (uint64_t)place.bytes, p, true, err);
	c4w_findings_clear(&fs);
	return cls;
}

static int read_positions(struct c4w_records *it, struct c4w_arrays *a, struct c4w_err *err)
{
	struct c4w_findings fs = { 0 };
	struct chw_record rec;
	int cls = C4W_OK;
	if (!it->item.positions)
		return unpublished("positions", err);
	/* Full: the few arrays of a scene, and no rule is left out. */
	if (chw_record_verify(it->item.group, it->item.positions, C4W_LEVEL_FULL, &it->worker, &rec, &fs))
		cls = add_record(a, &rec, err);
	else
		cls = c4w_findings_err(&fs, err);
	c4w_findings_clear(&fs);
	return cls;
}

static int read_component(struct c4w_records *it, const char *component, struct c4w_arrays *a, struct c4w_err *err)
{
	enum chw_component c = chw_component_of(c4w_view_z(component));
	if (c == CHW_NO_COMPONENT)
		return c4w_fail(err, C4W_USAGE, "no such component; there is core, detail, positions, geometry");
	if (!it->have)
		return c4w_fail(err, C4W_USAGE, "no item was asked for");
	if (it->item.kind == CHW_ITEM_NO_CHANNEL || it->item.kind == CHW_ITEM_NO_CHANNELS)
		return unpublished(component, err);
	if (it->item.kind == CHW_ITEM_GEOMETRY && c == CHW_GEOMETRY)
		return read_geometry(it, a, err);
	if (it->item.kind == CHW_ITEM_POSITIONS && c == CHW_POSITIONS)
		return read_positions(it, a, err);
	if (it->item.kind != CHW_ITEM_CHANNEL || c == CHW_GEOMETRY)
		return c4w_fail(err, C4W_USAGE, "this item has no %s", component);
	if (c == CHW_DETAIL && !it->item.detail)
		return c4w_fail(err, C4W_ABSENT, "detail is not published here, or not selected");
	C4W_TRY(load(it, c == CHW_DETAIL, c == CHW_POSITIONS, err));
	if (c == CHW_POSITIONS && !it->channel.positions)
		return unpublished(component, err);
	return add_record(a, c == CHW_CORE ? it->channel.core : c == CHW_DETAIL ? it->channel.detail : it->channel.positions, err);
}

int c4w_records_read(struct c4w_records *it, const char *component, struct c4w_arrays **out, struct c4w_err *err)
{
	struct c4w_arrays *a = NULL;
	int cls;
	*out = NULL;
	C4W_TRY(c4w_arrays_new(&a, err));
	cls = read_component(it, component, a, err);
	if (cls != C4W_OK) {
		c4w_arrays_free(a);
		return cls;
	}
	*out = a;
	return C4W_OK;
}

int c4w_record_read(struct c4w_root *r, const char *scene, int64_t hz, int64_t bs, const char *component, struct c4w_arrays **out,
		    struct c4w_err *err)
{
	const char *names[4] = { "scenes", "components", "frequency", "bs" }, *values[4];
	bool channel = strcmp(component, "core") == 0 || strcmp(component, "detail") == 0;
	struct c4w_select *s = NULL;
	struct c4w_records *it = NULL;
	struct c4w_record_id id;
	char hz_text[24], bs_text[24];
	int cls;
	*out = NULL;
	snprintf(hz_text, sizeof hz_text, "%" PRId64, hz);
	snprintf(bs_text, sizeof bs_text, "%" PRId64, bs);
	values[0] = scene;
	values[1] = component;
	values[2] = hz_text;
	values[3] = bs_text;
	if (strchr(scene, ',') || *scene == '@')
		return c4w_fail(err, C4W_USAGE, "a scene is named by its id alone");
	if (channel && (hz < 0 || bs < 0))
		return c4w_fail(err, C4W_USAGE, "%s needs a carrier and a base station", component);
	C4W_TRY(c4w_select_new(r, names, values, channel ? 4 : 2, &s, err));
	cls = c4w_records_open(r, s, &it, err);
	if (cls == C4W_OK)
		cls = c4w_records_next(it, &id, err);
	if (cls == C4W_OK && !id.kind)
		cls = unpublished(component, err);
	if (cls == C4W_OK)
		cls = c4w_records_read(it, component, out, err);
	c4w_records_close(it);
	c4w_select_free(s);
	return cls;
}

int c4w_records_transform(struct c4w_records *it, const struct c4w_transform *t, struct c4w_arrays **out, struct c4w_err *err)
{
	struct chw_what_opts o = { .reference = t->first ? CHW_FIRST_RETAINED : CHW_ABSOLUTE, .offsets_hz = t->offsets_hz,
				   .n_offsets = t->n_offsets, .field = t->field, .ue = t->ue };
	struct c4w_arrays *a = NULL;
	struct c4w_array array;
	unsigned k;
	int cls;
	*out = NULL;
	for (k = 0; k < CHW_WHATS && strcmp(chw_what_names[k], t->what) != 0; k++)
		;
	if (k == CHW_WHATS)
		return c4w_fail(err, C4W_USAGE, "no such transform; there is power, gain, delay-spread, baseband, response, padded, mask");
	o.what = (enum chw_what)k;
	if (o.what == CHW_WHAT_PADDED && t->field && !chw_padded_field(t->field))
		return c4w_fail(err, C4W_USAGE, "the field has no value a path");
	C4W_TRY(load(it, false, false, err));
	C4W_TRY(c4w_arrays_new(&a, err));
	cls = chw_channel_array(&it->channel, &o, c4w_arrays_arena(a), &array, err);
	if (cls == C4W_OK)
		cls = c4w_arrays_add(a, c4w_view_z(t->what), &array, false, err);
	if (cls != C4W_OK) {
		c4w_arrays_free(a);
		return cls;
	}
	*out = a;
	return C4W_OK;
}
