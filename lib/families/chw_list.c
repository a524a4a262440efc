/* Listings of a Channels4World root: scenes, records, files. */
#include "families/chw_node.h"

/* ---- records ---- */

/* A record of an item, whatever its component. */
struct listed {
	const char *component, *state;
	struct chw_digest id;
	const struct chw_row *row; /* NULL: geometry */
	struct chw_place place;
};

static void locate(const struct chw_item *it, enum chw_component c, const struct chw_digest *id, const struct chw_row *row, struct listed *out)
{
	out->component = chw_component_names[c];
	out->id = *id;
	out->row = row;
	chw_locate(it->group, id, row, &out->place);
	out->state = chw_place_state(it->group, &out->place);
}

/* The records of an item that there are: at most core and detail. */
static unsigned records_of(const struct chw_item *it, const struct chw_selection *s, struct listed out[2])
{
	unsigned n = 0;
	switch (it->kind) {
	case CHW_ITEM_POSITIONS:
		if (it->positions)
			locate(it, CHW_POSITIONS, &it->positions->id, it->positions, &out[n++]);
		break;
	case CHW_ITEM_GEOMETRY:
		if (chw_member_of(it->group, &it->geometry) || chw_payload_of(it->group->root, &it->geometry) != CHW_NONE)
			locate(it, CHW_GEOMETRY, &it->geometry, NULL, &out[n++]);
		break;
	case CHW_ITEM_CHANNEL:
		if (it->core)
			locate(it, CHW_CORE, &it->core->id, it->core, &out[n++]);
		if (it->detail && s->component[CHW_DETAIL])
			locate(it, CHW_DETAIL, &it->detail->id, it->detail, &out[n++]);
		break;
	default:
		break;
	}
	return n;
}

int chw_list_records(struct chw_root *r, const struct chw_selection *s, bool detail, const struct c4w_rows *rows, struct c4w_err *err)
{
	static const struct c4w_column columns[] = {
		{ "record_id", C4W_CELL_TEXT, false }, { "scene_id", C4W_CELL_TEXT, false }, { "component", C4W_CELL_TEXT, false },
		{ "frequency_hz", C4W_CELL_INT, false }, { "bs", C4W_CELL_INT, false }, { "links", C4W_CELL_INT, false },
		{ "paths", C4W_CELL_INT, false }, { "bytes", C4W_CELL_BYTES, false }, { "state", C4W_CELL_STATE, false },
		{ "file", C4W_CELL_TEXT, true }, { "offset", C4W_CELL_INT, true },
	};
	enum { COLUMNS = sizeof columns / sizeof *columns };
	struct chw_walk *walk;
	struct chw_item it;
	bool end = false;
	int cls;
	(void)detail;
	C4W_TRY(chw_walk_new(r, s, &walk, err));
	cls = rows->begin(rows->ctx, columns, COLUMNS);
	while (cls == C4W_OK && (cls = chw_walk_next(walk, &it, &end, err)) == C4W_OK && !end) {
		struct listed found[2];
		unsigned n = records_of(&it, s, found), i;
		for (i = 0; i < n && cls == C4W_OK; i++) {
			const struct listed *l = &found[i];
			struct c4w_cell c[COLUMNS];
			char hex[65];
			size_t k;
			for (k = 0; k < COLUMNS; k++)
				c[k] = c4w_cell_none();
			c[0] = c4w_cell_z(c4w_hex(hex, l->id.b, 32));
			c[1] = c4w_cell_z(it.scene->id);
			c[2] = c4w_cell_z(l->component);
			if (l->row && l->row->hz >= 0) {
				c[3] = c4w_cell_int(l->row->hz);
				c[4] = c4w_cell_int(l->row->bs);
				c[6] = c4w_cell_int(l->row->dims.paths);
			}
			if (l->row && l->row->component == CHW_CORE)
				c[5] = c4w_cell_int(l->row->dims.links);
			if (l->place.where == CHW_AT_FILE || l->place.where == CHW_AT_MEMBER) {
				c[7] = c4w_cell_int(l->place.bytes);
				c[10] = c4w_cell_int(l->place.offset);
			}
			c[8] = c4w_cell_z(l->state);
			if (l->place.where != CHW_UNPUBLISHED)
				c[9] = c4w_cell_z(l->place.path);
			cls = rows->row(rows->ctx, c, C4W_NODE_DIR);
		}
		chw_group_release(it.group);
	}
	chw_walk_free(walk);
	return cls;
}

/* ---- scenes ---- */

static const struct c4w_column scene_columns[] = {
	{ "scene_id", C4W_CELL_TEXT, false }, { "split", C4W_CELL_TEXT, false }, { "profile", C4W_CELL_TEXT, false },
	{ "tier", C4W_CELL_TEXT, false }, { "records", C4W_CELL_INT, true }, { "bytes", C4W_CELL_BYTES, true },
	{ "present", C4W_CELL_INT, true }, { "missing", C4W_CELL_INT, true }, { "not_published", C4W_CELL_INT, true },
	{ "group", C4W_CELL_TEXT, true },
};
enum { SCENE_COLUMNS = sizeof scene_columns / sizeof *scene_columns };

static int scene_row(const struct chw_root *r, const struct chw_scene *scene, struct c4w_cell c[SCENE_COLUMNS], struct c4w_buf *step,
		     const struct c4w_rows *rows, struct c4w_err *err)
{
	c4w_buf_reset(step);
	c4w_step_put(step, c4w_view_z(scene->id), true);
	C4W_TRY(c4w_buf_ok(step, err));
	c[0] = c4w_cell_text((struct c4w_view){ step->p, step->n });
	c[1] = c4w_cell_z(r->splits.v[scene->split]);
	c[2] = c4w_cell_z(r->profiles.v[scene->profile]);
	c[3] = c4w_cell_z(r->tiers.v[scene->tier]);
	c[9] = c4w_cell_z(r->groups[scene->group].name);
	return rows->row(rows->ctx, c, C4W_NODE_DIR);
}

struct tally {
	const struct chw_scene *scene;
	int64_t records, bytes, present, missing, unpublished;
};

static int give_tally(const struct chw_root *r, const struct tally *t, struct c4w_buf *step, const struct c4w_rows *rows, struct c4w_err *err)
{
	struct c4w_cell c[SCENE_COLUMNS];
	c[4] = c4w_cell_int(t->records);
	c[5] = c4w_cell_int(t->bytes);
	c[6] = c4w_cell_int(t->present);
	c[7] = c4w_cell_int(t->missing);
	c[8] = c4w_cell_int(t->unpublished);
	return scene_row(r, t->scene, c, step, rows, err);
}

static int list_with_detail(struct chw_root *r, const struct chw_selection *s, const struct c4w_rows *rows, struct c4w_buf *step, struct c4w_err *err)
{
	struct tally t = { 0 };
	struct chw_walk *walk;
	struct chw_item it;
	bool end = false;
	int cls;
	C4W_TRY(chw_walk_new(r, s, &walk, err));
	cls = C4W_OK;
	while (cls == C4W_OK && (cls = chw_walk_next(walk, &it, &end, err)) == C4W_OK && !end) {
		struct listed found[2];
		unsigned n, i;
		if (t.scene != it.scene) {
			if (t.scene)
				cls = give_tally(r, &t, step, rows, err);
			t = (struct tally){ .scene = it.scene };
		}
		n = records_of(&it, s, found);
		for (i = 0; i < n; i++) {
			t.records++;
			if (found[i].place.where == CHW_AT_FILE || found[i].place.where == CHW_AT_MEMBER)
				t.bytes += found[i].place.bytes;
			t.present += strcmp(found[i].state, "present") == 0;
			t.missing += strcmp(found[i].state, "missing") == 0;
			t.unpublished += strcmp(found[i].state, "not published") == 0;
		}
		chw_group_release(it.group);
	}
	if (cls == C4W_OK && t.scene)
		cls = give_tally(r, &t, step, rows, err);
	chw_walk_free(walk);
	return cls;
}

int chw_list_scenes(struct chw_root *r, const struct chw_selection *s, bool detail, const struct c4w_rows *rows, struct c4w_err *err)
{
	struct c4w_cell c[SCENE_COLUMNS];
	struct c4w_buf step = { 0 };
	uint32_t i, n = s ? s->n_scenes : r->n_scenes;
	int cls = rows->begin(rows->ctx, scene_columns, SCENE_COLUMNS);
	if (detail && s && cls == C4W_OK) {
		cls = list_with_detail(r, s, rows, &step, err);
	} else {
		for (i = 4; i < SCENE_COLUMNS; i++)
			c[i] = c4w_cell_none();
		for (i = 0; i < n && cls == C4W_OK; i++)
			cls = scene_row(r, &r->scenes[s ? s->scenes[i] : r->order[i]], c, &step, rows, err);
	}
	c4w_buf_clear(&step);
	return cls;
}

/* ---- files ---- */

int chw_list_files(struct chw_root *r, const struct c4w_rows *rows, struct c4w_err *err)
{
	static const struct c4w_column columns[] = {
		{ "path", C4W_CELL_TEXT, false }, { "bytes", C4W_CELL_BYTES, false }, { "kind", C4W_CELL_TEXT, false },
		{ "component", C4W_CELL_TEXT, false }, { "frequency_hz", C4W_CELL_INT, false }, { "group", C4W_CELL_TEXT, false },
		{ "state", C4W_CELL_STATE, false }, { "sha256", C4W_CELL_TEXT, true },
	};
	enum { COLUMNS = sizeof columns / sizeof *columns };
	struct c4w_buf step = { 0 };
	uint32_t i;
	int cls = rows->begin(rows->ctx, columns, COLUMNS);
	for (i = 0; i < r->n_files && cls == C4W_OK; i++) {
		const struct chw_file *f = &r->files[i];
		struct c4w_cell c[COLUMNS];
		struct c4w_stat st = { 0 };
		char hex[65];
		c4w_buf_reset(&step);
		c4w_step_put(&step, c4w_view_z(f->path), false);
		cls = c4w_buf_ok(&step, err);
		if (cls == C4W_OK)
			cls = c4w_store_stat(r->store, f->path, &st, err);
		c[0] = c4w_cell_text((struct c4w_view){ step.p, step.n });
		c[1] = c4w_cell_int(f->bytes);
		c[2] = c4w_cell_z(f->kind < CHW_FILE_KINDS ? chw_file_kind_names[f->kind] : NULL);
		c[3] = c4w_cell_z(chw_component_names[f->component]);
		c[4] = f->hz >= 0 ? c4w_cell_int(f->hz) : c4w_cell_none();
		c[5] = c4w_cell_z(f->group == CHW_NONE ? NULL : r->groups[f->group].name);
		c[6] = c4w_cell_z(st.kind != C4W_KIND_FILE ? "missing" : st.size != (uint64_t)f->bytes ? "damaged" : "present");
		c[7] = f->has_sha ? c4w_cell_z(c4w_hex(hex, f->sha.b, 32)) : c4w_cell_none();
		if (cls == C4W_OK)
			cls = rows->row(rows->ctx, c, C4W_NODE_BYTES);
	}
	c4w_buf_clear(&step);
	return cls;
}
