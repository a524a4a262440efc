/* Nodes of a Channels4World root: SCENE/HZ/BS/core/tau, SCENE/positions/ue_positions, SCENE/geometry/NAME.
 *
 * Arrays come out of TAR members, loose files and caches alike, and only when the bytes are the published ones; rules about values do
 * not keep them from being looked at. The listings of a root are in chw_list.c. */
#include "families/chw_node.h"

#include "base/numbers.h"
#include "model/node_file.h"

#include <inttypes.h>

/* What all nodes of a root share; the root's node owns it. */
struct scene_node {
	struct c4w_node base;
	struct chw_root *root;
	const struct chw_scene *scene;
	struct chw_group *group; /* with its snapshot when that can be read */
	struct chw_docs docs;
};

/* A carrier of a scene, or a base station of that carrier (bs >= 0). */
struct band_node {
	struct c4w_node base;
	struct scene_node *scene;
	int64_t hz, bs;
};

struct record_node {
	struct c4w_node base;
	struct scene_node *scene;
	const struct chw_row *row;
	struct c4w_worker worker; /* its arena holds the arrays once read */
	struct chw_record rec;
	bool read;
	int cls; /* of reading */
	struct c4w_err err;
};

struct field_node {
	struct c4w_node base;
	struct record_node *record;
	unsigned field;
};

struct header_node {
	struct c4w_node base;
	struct record_node *record;
};

static const struct c4w_node_ops scene_ops, band_ops, record_ops, field_ops, header_ops;

/* ---- a record's arrays ---- */

static void field_array(const struct chw_row *row, unsigned k, struct c4w_array *out)
{
	unsigned n;
	const struct chw_field *f = &chw_fields(row->component, &n)[k];
	*out = (struct c4w_array){ .rank = f->vec3 ? 2 : 1 };
	out->dtype = (struct c4w_dtype){ .kind = f->kind, .order = f->size == 1 ? '|' : '<', .size = f->size };
	out->shape[0] = (uint64_t)chw_length_of(&row->dims, (enum chw_length)f->length);
	out->shape[1] = 3;
	out->count = out->shape[0] * (f->vec3 ? 3 : 1);
	out->size = out->count * f->size;
}

static int read_record(struct record_node *n, struct c4w_err *err)
{
	struct c4w_findings fs = { 0 };
	unsigned fields, k;
	if (!n->read) {
		n->read = true;
		c4w_err_clear(&n->err);
		chw_record_verify(n->scene->group, n->row, C4W_LEVEL_FULL, &n->worker, &n->rec, &fs);
		chw_fields(n->row->component, &fields);
		for (k = 0; k < fs.n && n->cls == C4W_OK; k++)
			if (fs.v[k].rule && strcmp(fs.v[k].rule, "record.digest") == 0)
				n->cls = c4w_findings_err(&fs, &n->err);
		for (k = 0; k < fields && n->cls == C4W_OK; k++)
			if (!n->rec.field[k])
				n->cls = c4w_findings_err(&fs, &n->err);
		c4w_findings_clear(&fs);
	}
	if (n->cls != C4W_OK && err)
		*err = n->err;
	return n->cls;
}

static int field_info(struct c4w_node *node, struct c4w_array *out, struct c4w_err *err)
{
	const struct field_node *n = (const struct field_node *)node;
	(void)err;
	field_array(n->record->row, n->field, out);
	return C4W_OK;
}

static int field_read(struct c4w_node *node, uint64_t first, uint64_t count, struct c4w_arena *arena, struct c4w_array *out,
		      struct c4w_err *err)
{
	struct field_node *n = (struct field_node *)node;
	uint64_t row;
	(void)arena;
	C4W_TRY(read_record(n->record, err));
	field_array(n->record->row, n->field, out);
	row = out->shape[0] ? out->size / out->shape[0] : 0;
	if (first > out->shape[0] || count > out->shape[0] - first)
		return c4w_fail(err, C4W_USAGE, "rows beyond the array");
	out->bytes = n->record->rec.field[n->field] + first * row;
	out->shape[0] = count;
	return c4w_array_measure(out, err);
}

static const struct c4w_node_ops field_ops = { .type = "array", .array_info = field_info, .array_read = field_read };

/* The record's header as the snapshot has it. */
static int header_blob(struct c4w_node *node, struct c4w_blob **out, struct c4w_err *err)
{
	const struct record_node *r = ((const struct header_node *)node)->record;
	struct c4w_arena arena = { 0 };
	struct c4w_view text;
	char *copy = NULL;
	int cls = chw_header_text(r->scene->group, r->row, &arena, &text, err);
	if (cls == C4W_OK && !(copy = malloc(text.n ? text.n : 1)))
		cls = c4w_fail_memory(err, text.n);
	if (cls == C4W_OK) {
		memcpy(copy, text.p, text.n);
		cls = c4w_blob_memory("__meta__", copy, text.n, true, out, err);
		if (cls != C4W_OK)
			free(copy);
	}
	c4w_arena_clear(&arena);
	return cls;
}

static const struct c4w_node_ops header_ops = { .type = "record header", .blob = header_blob };

static int record_list(struct c4w_node *node, const struct c4w_list_opts *o, const struct c4w_rows *rows, struct c4w_err *err)
{
	static const struct c4w_column columns[] = { { "name", C4W_CELL_TEXT, false }, { "dtype", C4W_CELL_TEXT, false },
						     { "shape", C4W_CELL_TEXT, false }, { "bytes", C4W_CELL_BYTES, false } };
	struct record_node *n = (struct record_node *)node;
	unsigned fields, k;
	const struct chw_field *f = chw_fields(n->row->component, &fields);
	struct c4w_cell c[4];
	struct chw_place place;
	const char *state;
	int cls;
	(void)o;
	/* The snapshot tells dtypes and shapes of what is not here, too; but there is nothing to read then. */
	chw_locate(n->scene->group, &n->row->id, n->row, &place);
	state = chw_place_state(n->scene->group, &place);
	if (strcmp(state, "present") != 0 && strcmp(state, "damaged") != 0)
		return c4w_fail(err, C4W_ABSENT, "%s is %s", chw_component_names[n->row->component],
				strcmp(state, "missing") == 0 ? "not downloaded" : state);
	cls = rows->begin(rows->ctx, columns, 4);
	for (k = 0; k < fields && cls == C4W_OK; k++) {
		struct c4w_array a;
		char shape[64];
		field_array(n->row, k, &a);
		c[0] = c4w_cell_z(f[k].name);
		c[1] = c4w_cell_z(f[k].dtype);
		c[2] = c4w_cell_z(c4w_shape_text(a.rank, a.shape, shape, sizeof shape));
		c[3] = c4w_cell_int((int64_t)a.size);
		cls = rows->row(rows->ctx, c, C4W_NODE_ARRAY);
	}
	if (cls == C4W_OK) {
		c[0] = c4w_cell_z("__meta__");
		c[1] = c[2] = c4w_cell_none();
		c[3] = c4w_cell_int((int64_t)n->row->header_n);
		cls = rows->row(rows->ctx, c, C4W_NODE_BYTES);
	}
	return cls;
}

static int no_step(struct c4w_view step, struct c4w_err *err)
{
	char shown[200];
	return c4w_fail(err, C4W_UNKNOWN, "there is no '%s'", c4w_str_escape(shown, sizeof shown, step.p, step.n));
}

static int record_lookup(struct c4w_node *node, struct c4w_view rest, size_t *used, struct c4w_node **child, struct c4w_err *err)
{
	struct record_node *n = (struct record_node *)node;
	struct c4w_view step = { rest.p, c4w_step_first(rest) };
	unsigned fields, k;
	const struct chw_field *f = chw_fields(n->row->component, &fields);
	/* "tau" is also "tau.npy", as in the NPZ. */
	if (step.n > 4 && memcmp(step.p + step.n - 4, ".npy", 4) == 0)
		step.n -= 4;
	*used = c4w_step_first(rest);
	for (k = 0; k < fields; k++)
		if (c4w_view_eqz(step, f[k].name)) {
			struct field_node *field = c4w_node_new(sizeof *field, &field_ops, C4W_NODE_ARRAY, node);
			if (!field)
				return c4w_fail_memory(err, sizeof *field);
			field->record = n;
			field->field = k;
			*child = &field->base;
			return C4W_OK;
		}
	if (c4w_view_eqz(step, "__meta__")) {
		struct header_node *h = c4w_node_new(sizeof *h, &header_ops, C4W_NODE_BYTES, node);
		if (!h)
			return c4w_fail_memory(err, sizeof *h);
		h->record = n;
		*child = &h->base;
		return C4W_OK;
	}
	return no_step(step, err);
}

static int record_describe(struct c4w_node *node, struct c4w_facts *out, struct c4w_err *err)
{
	const struct record_node *n = (const struct record_node *)node;
	const struct chw_row *row = n->row;
	struct chw_place place;
	char hex[65];
	(void)err;
	c4w_facts_text(out, "record_id", "%s", c4w_hex(hex, row->id.b, 32));
	c4w_facts_text(out, "component", "%s", chw_component_names[row->component]);
	if (row->hz >= 0) {
		c4w_facts_number(out, "frequency_hz", row->hz);
		c4w_facts_number(out, "bs", row->bs);
	}
	switch (row->component) {
	case CHW_CORE:
		c4w_facts_number(out, "links", row->dims.links);
		c4w_facts_number(out, "paths", row->dims.paths);
		break;
	case CHW_DETAIL:
		c4w_facts_number(out, "paths", row->dims.paths);
		c4w_facts_number(out, "interactions", row->dims.interactions);
		break;
	case CHW_POSITIONS:
		c4w_facts_number(out, "base_stations", row->dims.bs);
		c4w_facts_number(out, "ues", row->dims.ues);
		break;
	default:
		break;
	}
	chw_locate(n->scene->group, &row->id, row, &place);
	c4w_facts_text(out, "state", "%s", chw_place_state(n->scene->group, &place));
	if (place.where != CHW_UNPUBLISHED) {
		c4w_facts_text(out, "file", "%s", place.path);
		if (place.where != CHW_AT_CACHE) {
			c4w_facts_number(out, "offset", place.offset);
			c4w_facts_number(out, "bytes", place.bytes);
		}
	}
	return C4W_OK;
}

static void record_destroy(struct c4w_node *node)
{
	struct record_node *n = (struct record_node *)node;
	if (n->worker.user)
		chw_worker_free(NULL, n->worker.user);
	c4w_arena_clear(&n->worker.arena);
}

static const struct c4w_node_ops record_ops = { .type = "record", .list = record_list, .lookup = record_lookup, .describe = record_describe,
						.destroy = record_destroy };

static int record_node(struct c4w_node *parent, struct scene_node *scene, const struct chw_row *row, struct c4w_node **out, struct c4w_err *err)
{
	struct record_node *n = c4w_node_new(sizeof *n, &record_ops, C4W_NODE_DIR, parent);
	int cls;
	if (!n)
		return c4w_fail_memory(err, sizeof *n);
	n->scene = scene;
	n->row = row;
	cls = chw_worker_new(NULL, &n->worker.user, err);
	if (cls != C4W_OK) {
		c4w_node_free(&n->base);
		return cls;
	}
	*out = &n->base;
	return C4W_OK;
}

/* ---- a scene, a carrier, a base station ---- */

const char *chw_place_state(struct chw_group *g, const struct chw_place *place)
{
	struct c4w_stat st;
	if (place->where == CHW_UNPUBLISHED)
		return g->members_err.cls == C4W_ABSENT ? "unknown" : "not published";
	if (c4w_store_stat(g->root->store, place->path, &st, NULL) != C4W_OK)
		return "unreadable";
	if (st.kind != C4W_KIND_FILE)
		return "missing";
	if (place->file != CHW_NONE && (uint64_t)g->root->files[place->file].bytes != st.size)
		return "damaged";
	return "present";
}

static const struct chw_row *find_row(const struct scene_node *n, enum chw_component c, int64_t hz, int64_t bs)
{
	struct chw_digest id;
	const struct chw_row *row;
	chw_record_id(n->root->collection_id, n->scene->id, c, hz, bs, &id);
	row = n->group->snapshot_err.cls == C4W_OK ? chw_row_of(n->group, &id) : NULL;
	return row && row->included ? row : NULL;
}

static bool geometry_place(const struct scene_node *n, struct chw_place *place)
{
	struct chw_digest id;
	chw_record_id(n->root->collection_id, n->scene->id, CHW_GEOMETRY, -1, -1, &id);
	chw_locate(n->group, &id, NULL, place);
	return place->where != CHW_UNPUBLISHED && chw_is_included(n->root, &id);
}

static bool belongs(const struct scene_node *n, const struct chw_row *row)
{
	return row->included && row->scene != CHW_NONE && &n->root->scenes[row->scene] == n->scene &&
	       (row->component == CHW_CORE || row->component == CHW_DETAIL);
}

static int by_channel(const void *a, const void *b)
{
	const struct chw_row *x = *(const struct chw_row *const *)a, *y = *(const struct chw_row *const *)b;
	if (x->hz != y->hz)
		return x->hz < y->hz ? -1 : 1;
	if (x->bs != y->bs)
		return x->bs < y->bs ? -1 : 1;
	return x->component < y->component ? -1 : x->component > y->component;
}

/* Core and detail rows of the scene by carrier, BS, component; from malloc. */
static int channel_rows(const struct scene_node *n, const struct chw_row ***out, size_t *count, struct c4w_err *err)
{
	uint32_t i;
	*count = 0;
	*out = NULL;
	if (n->group->snapshot_err.cls != C4W_OK) {
		if (err)
			*err = n->group->snapshot_err;
		return (int)n->group->snapshot_err.cls;
	}
	*out = malloc(((size_t)n->group->n_rows + 1) * sizeof **out);
	if (!*out)
		return c4w_fail_memory(err, n->group->n_rows * sizeof **out);
	for (i = 0; i < n->group->n_rows; i++)
		if (belongs(n, &n->group->rows[i]))
			(*out)[(*count)++] = &n->group->rows[i];
	qsort(*out, *count, sizeof **out, by_channel);
	return C4W_OK;
}

static const struct c4w_column child_columns[] = {
	{ "name", C4W_CELL_TEXT, false }, { "type", C4W_CELL_TEXT, false }, { "links", C4W_CELL_INT, false },
	{ "paths", C4W_CELL_INT, false }, { "bytes", C4W_CELL_BYTES, false }, { "state", C4W_CELL_STATE, false },
};
enum { CHILD_COLUMNS = sizeof child_columns / sizeof *child_columns };

static int child_row(const struct c4w_rows *rows, const struct scene_node *n, const char *name, const char *type, const struct chw_row *row,
		     const struct chw_place *place)
{
	struct c4w_cell c[CHILD_COLUMNS];
	size_t i;
	for (i = 0; i < CHILD_COLUMNS; i++)
		c[i] = c4w_cell_none();
	c[0] = c4w_cell_z(name);
	c[1] = c4w_cell_z(type);
	if (row && row->component == CHW_CORE) {
		c[2] = c4w_cell_int(row->dims.links);
		c[3] = c4w_cell_int(row->dims.paths);
	} else if (row && row->component == CHW_DETAIL)
		c[3] = c4w_cell_int(row->dims.paths);
	if (place) {
		if (place->where == CHW_AT_FILE || place->where == CHW_AT_MEMBER)
			c[4] = c4w_cell_int(place->bytes);
		c[5] = c4w_cell_z(chw_place_state(n->group, place));
	}
	return rows->row(rows->ctx, c, C4W_NODE_DIR);
}

static int scene_list(struct c4w_node *node, const struct c4w_list_opts *o, const struct c4w_rows *rows, struct c4w_err *err)
{
	struct scene_node *n = (struct scene_node *)node;
	const struct chw_row **channels, *positions;
	struct chw_place place;
	char hz[C4W_NUMBER_TEXT];
	size_t count, i;
	int cls;
	(void)o;
	C4W_TRY(channel_rows(n, &channels, &count, err));
	cls = rows->begin(rows->ctx, child_columns, CHILD_COLUMNS);
	positions = find_row(n, CHW_POSITIONS, -1, -1);
	if (cls == C4W_OK && positions) {
		chw_locate(n->group, &positions->id, positions, &place);
		cls = child_row(rows, n, "positions", "positions", positions, &place);
	}
	if (cls == C4W_OK && geometry_place(n, &place))
		cls = child_row(rows, n, "geometry", "geometry", NULL, &place);
	for (i = 0; i < count && cls == C4W_OK; i++)
		if (i == 0 || channels[i]->hz != channels[i - 1]->hz) {
			c4w_format_i64(channels[i]->hz, hz);
			cls = child_row(rows, n, hz, "carrier", NULL, NULL);
		}
	free(channels);
	return cls;
}

static int band_list(struct c4w_node *node, const struct c4w_list_opts *o, const struct c4w_rows *rows, struct c4w_err *err)
{
	struct band_node *n = (struct band_node *)node;
	const struct chw_row **channels;
	struct chw_place place;
	char number[C4W_NUMBER_TEXT];
	size_t count, i;
	int cls;
	(void)o;
	C4W_TRY(channel_rows(n->scene, &channels, &count, err));
	cls = rows->begin(rows->ctx, child_columns, CHILD_COLUMNS);
	for (i = 0; i < count && cls == C4W_OK; i++) {
		const struct chw_row *r = channels[i];
		if (r->hz != n->hz || (n->bs >= 0 && r->bs != n->bs))
			continue;
		if (n->bs >= 0) {
			chw_locate(n->scene->group, &r->id, r, &place);
			cls = child_row(rows, n->scene, chw_component_names[r->component], chw_component_names[r->component], r, &place);
		} else if (i == 0 || channels[i - 1]->hz != r->hz || channels[i - 1]->bs != r->bs) {
			c4w_format_i64(r->bs, number);
			cls = child_row(rows, n->scene, number, "base station", r->component == CHW_CORE ? r : NULL, NULL);
		}
	}
	free(channels);
	return cls;
}

static int band_node(struct c4w_node *parent, struct scene_node *scene, int64_t hz, int64_t bs, struct c4w_node **out, struct c4w_err *err)
{
	struct band_node *n = c4w_node_new(sizeof *n, &band_ops, C4W_NODE_DIR, parent);
	if (!n)
		return c4w_fail_memory(err, sizeof *n);
	n->scene = scene;
	n->hz = hz;
	n->bs = bs;
	*out = &n->base;
	return C4W_OK;
}

static bool has_channel(const struct scene_node *n, int64_t hz, int64_t bs)
{
	uint32_t i;
	for (i = 0; n->group->snapshot_err.cls == C4W_OK && i < n->group->n_rows; i++) {
		const struct chw_row *r = &n->group->rows[i];
		if (belongs(n, r) && r->hz == hz && (bs < 0 || r->bs == bs))
			return true;
	}
	return false;
}

static int band_lookup(struct c4w_node *node, struct c4w_view rest, size_t *used, struct c4w_node **child, struct c4w_err *err)
{
	struct band_node *n = (struct band_node *)node;
	struct c4w_view step = { rest.p, c4w_step_first(rest) };
	int64_t number;
	*used = step.n;
	if (n->bs < 0) {
		if (!c4w_parse_i64(step, &number) || number < 0 || !has_channel(n->scene, n->hz, number))
			return no_step(step, err);
		return band_node(node, n->scene, n->hz, number, child, err);
	}
	{
		enum chw_component c = chw_component_of(step);
		const struct chw_row *row = c == CHW_CORE || c == CHW_DETAIL ? find_row(n->scene, c, n->hz, n->bs) : NULL;
		return row ? record_node(node, n->scene, row, child, err) : no_step(step, err);
	}
}

/* The scene's ZIP; what is inside is the container's matter. */
static int geometry_node(struct scene_node *n, struct c4w_node **child, struct c4w_err *err)
{
	struct chw_place place;
	struct c4w_blob *file = NULL, *zip = NULL;
	int cls;
	if (!geometry_place(n, &place)) {
		if (n->group->members_err.cls != C4W_OK) {
			if (err)
				*err = n->group->members_err;
			return (int)n->group->members_err.cls;
		}
		return c4w_fail(err, C4W_ABSENT, "geometry is not published in this %s", chw_kind_names[n->root->kind]);
	}
	cls = chw_open_file(n->group, place.path, &file, err);
	if (cls != C4W_OK) {
		c4w_err_path(err, place.path);
		return cls;
	}
	if (place.offset < 0 || place.bytes < 0 || (uint64_t)place.offset > c4w_blob_size(file) ||
	    (uint64_t)place.bytes > c4w_blob_size(file) - (uint64_t)place.offset) {
		c4w_damaged(err, "members.range", place.offset, "the member does not lie within its archive");
		c4w_err_path(err, place.path);
		return C4W_DAMAGED;
	}
	cls = c4w_blob_slice(file, place.path, (uint64_t)place.offset, (uint64_t)place.bytes, &zip, err);
	if (cls == C4W_OK) {
		cls = c4w_node_zip(&n->base, zip, child, err);
		c4w_blob_close(zip);
	}
	return cls;
}

static int scene_lookup(struct c4w_node *node, struct c4w_view rest, size_t *used, struct c4w_node **child, struct c4w_err *err)
{
	struct scene_node *n = (struct scene_node *)node;
	struct c4w_view step = { rest.p, c4w_step_first(rest) };
	int64_t hz;
	*used = step.n;
	if (c4w_view_eqz(step, "geometry"))
		return geometry_node(n, child, err);
	if (n->group->snapshot_err.cls != C4W_OK) {
		if (err)
			*err = n->group->snapshot_err;
		return (int)n->group->snapshot_err.cls;
	}
	if (c4w_view_eqz(step, "positions")) {
		const struct chw_row *row = find_row(n, CHW_POSITIONS, -1, -1);
		return row ? record_node(node, n, row, child, err) : no_step(step, err);
	}
	if (!c4w_parse_i64(step, &hz) || hz < 0 || !has_channel(n, hz, -1))
		return no_step(step, err);
	return band_node(node, n, hz, -1, child, err);
}

static int scene_describe(struct c4w_node *node, struct c4w_facts *out, struct c4w_err *err)
{
	const struct scene_node *n = (const struct scene_node *)node;
	(void)err;
	c4w_facts_text(out, "scene_id", "%s", n->scene->id);
	c4w_facts_text(out, "split", "%s", n->root->splits.v[n->scene->split]);
	c4w_facts_text(out, "profile", "%s", n->root->profiles.v[n->scene->profile]);
	c4w_facts_text(out, "tier", "%s", n->root->tiers.v[n->scene->tier]);
	c4w_facts_text(out, "group", "%s", n->root->groups[n->scene->group].name);
	return C4W_OK;
}

static void scene_destroy(struct c4w_node *node)
{
	struct scene_node *n = (struct scene_node *)node;
	chw_group_release(n->group);
	chw_docs_clear(&n->docs);
}

static const struct c4w_node_ops scene_ops = { .type = "scene", .list = scene_list, .lookup = scene_lookup, .describe = scene_describe,
					       .destroy = scene_destroy };
static const struct c4w_node_ops band_ops = { .type = "channel", .list = band_list, .lookup = band_lookup };

/* ---- the root ---- */

struct root_node {
	struct c4w_node base;
	struct chw_root *root;
};

static int root_list(struct c4w_node *node, const struct c4w_list_opts *o, const struct c4w_rows *rows, struct c4w_err *err)
{
	struct chw_root *r = ((struct root_node *)node)->root;
	switch (o->what) {
	case C4W_LIST_RECORDS:
		return chw_list_records(r, o->selection, o->detail, rows, err);
	case C4W_LIST_FILES:
		return chw_list_files(r, rows, err);
	default:
		return chw_list_scenes(r, o->selection, o->detail, rows, err);
	}
}

static int root_lookup(struct c4w_node *node, struct c4w_view rest, size_t *used, struct c4w_node **child, struct c4w_err *err)
{
	struct chw_root *r = ((struct root_node *)node)->root;
	struct c4w_view step = { rest.p, c4w_step_first(rest) };
	struct c4w_arena scratch = { 0 };
	struct scene_node *n;
	uint32_t scene;
	size_t size = 0;
	const char *plain = c4w_step_decode(step, &scratch, &size);
	int cls;
	scene = plain ? chw_find_scene(r, (struct c4w_view){ plain, size }) : CHW_NONE;
	if (scene == CHW_NONE)
		scene = chw_find_scene(r, step);
	c4w_arena_clear(&scratch);
	*used = step.n;
	if (scene == CHW_NONE) {
		char shown[200];
		c4w_fail(err, C4W_UNKNOWN, "there is no scene '%s'", c4w_str_escape(shown, sizeof shown, step.p, step.n));
		c4w_err_hint(err, "'c4w ls' lists the scenes; --as file walks the folder itself");
		return C4W_UNKNOWN;
	}
	n = c4w_node_new(sizeof *n, &scene_ops, C4W_NODE_DIR, node);
	if (!n)
		return c4w_fail_memory(err, sizeof *n);
	n->root = r;
	n->scene = &r->scenes[scene];
	cls = chw_group_load(r, n->scene->group, true, &n->docs, &n->group, err);
	if (cls != C4W_OK) {
		c4w_node_free(&n->base);
		return cls;
	}
	*child = &n->base;
	return C4W_OK;
}

static const struct c4w_node_ops root_ops = { .type = "Channels4World root", .list = root_list, .lookup = root_lookup };

int chw_node(void *root, struct c4w_node **out, struct c4w_err *err)
{
	struct root_node *n;
	C4W_TRY(chw_root_sound(root, err));
	n = c4w_node_new(sizeof *n, &root_ops, C4W_NODE_DIR, NULL);
	if (!n)
		return c4w_fail_memory(err, sizeof *n);
	n->root = root;
	*out = &n->base;
	return C4W_OK;
}
