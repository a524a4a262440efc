/* Nodes of PASSAGE (design: R/SPLIT/INDEX/tensor|metadata|receipt|path/SOLVER/VARIANT, of shards also image/SOLVER), what ls, cat and info
 * walk.
 *
 * A scene is reached by as much of R/SPLIT/INDEX as the path it was opened by leaves open; the words that it says already may be
 * repeated. R and R/SPLIT are nodes too, with the scenes that they hold. A tensor is decoded when it is first read.
 */
#include "families/psg_family.h"
#include "families/psg_load.h"
#include "base/limits.h"
#include "base/numbers.h"
#include "model/node.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct folder {
	struct c4w_node base;
	const struct c4w_psg_root *root;
	uint32_t r; /* 0: not chosen */
	int split;  /* -1: not chosen */
};

struct scene {
	struct c4w_node base;
	const struct c4w_psg_root *root;
	struct c4w_psg_ref ref; /* of a tree */
	struct c4w_psg_row row; /* of shards: group is set */
	struct c4w_arena arena; /* metadata and routes */
	bool meta_read;
	int meta_cls;
	struct c4w_yaml_node *meta_root;
	struct c4w_psg_meta meta;
	struct c4w_psg_decoder decoder;
	uint8_t *raw; /* once decoded */
	uint32_t r;
};

struct part {
	struct c4w_node base;
	struct scene *scene; /* the parent */
	unsigned part;       /* 0 tensor, 1 metadata, 2 receipt, 3 + route, 9 + solver: image */
};

/* ---- a scene's parts ---- */

static uint32_t known_r(const struct scene *s)
{
	return s->row.group ? s->row.shard->r : s->ref.unit->r;
}

/* Metadata, read once. What is wrong with it is told to whoever needs it. */
static int need_meta(struct scene *s, struct c4w_err *err)
{
	char rel[160];
	if (s->meta_read)
		return s->meta_root ? C4W_OK : c4w_fail(err, C4W_ABSENT, "the scene has no metadata that can be read");
	s->meta_read = true;
	s->meta.split = -1;
	if (s->row.group) {
		C4W_TRY(c4w_psg_row_meta(&s->row, &s->arena, &s->meta_root, err));
	} else {
		c4w_psg_ref_path(&s->ref, 1, rel, sizeof rel);
		C4W_TRY(c4w_psg_read_meta(c4w_psg_tree_store(s->root->tree), rel, &s->arena, &s->meta_root, err));
	}
	if (!s->meta_root)
		return c4w_fail(err, C4W_ABSENT, "the scene has no metadata");
	c4w_psg_meta_read(s->meta_root, NULL, &s->meta);
	return C4W_OK;
}

static int frame(struct scene *s, struct c4w_arena *arena, const uint8_t **p, size_t *n, struct c4w_psg_frame *f, struct c4w_err *err)
{
	char rel[160];
	struct c4w_blob *b;
	uint32_t r = known_r(s);
	int cls;
	if (!r && need_meta(s, NULL) == C4W_OK && s->meta.has_resolution)
		r = (uint32_t)s->meta.resolution;
	if (s->row.group) {
		c4w_psg_row_tensor(&s->row, p, n);
		if (!*p)
			return c4w_damaged(err, "passage.null", -1, "the row has no tensor");
		return c4w_psg_frame(*p, *n, r, f, err);
	}
	c4w_psg_ref_path(&s->ref, 0, rel, sizeof rel);
	C4W_TRY(c4w_store_open(c4w_psg_tree_store(s->root->tree), rel, &b, err));
	cls = c4w_psg_read_tensor(b, r, arena, p, n, f, err);
	c4w_blob_close(b);
	return cls;
}

static int need_tensor(struct scene *s, struct c4w_err *err)
{
	struct c4w_arena arena = { 0 };
	struct c4w_psg_frame f;
	const uint8_t *p;
	size_t n;
	int cls;
	if (s->raw)
		return C4W_OK;
	cls = frame(s, &arena, &p, &n, &f, err);
	if (cls == C4W_OK && c4w_psg_bytes(f.r) > s->base.limit) {
		cls = c4w_fail(err, C4W_LIMIT, "needs %zu bytes of memory, --memory allows %llu", c4w_psg_bytes(f.r),
			       (unsigned long long)s->base.limit);
		c4w_err_hint(err, "raise --memory");
	}
	if (cls == C4W_OK)
		cls = c4w_psg_decode(&s->decoder, p, n, &f, &s->raw, err);
	if (cls == C4W_OK)
		s->r = f.r;
	c4w_arena_clear(&arena);
	return cls;
}

/* *there false: no such route. */
static int need_route(struct scene *s, int k, struct c4w_psg_route *out, bool *there, struct c4w_err *err)
{
	char rel[160];
	const uint8_t *p;
	size_t n;
	int cls;
	if (s->row.group)
		return c4w_psg_row_route(&s->row, k, known_r(s), &s->arena, out, there, err);
	c4w_psg_ref_path(&s->ref, 3 + (unsigned)k, rel, sizeof rel);
	*there = false;
	cls = c4w_psg_read(c4w_psg_tree_store(s->root->tree), rel, 64 * C4W_MIB, &s->arena, &p, &n, err);
	if (cls == C4W_ABSENT)
		return C4W_OK;
	if (cls == C4W_OK)
		cls = c4w_psg_csv(p, n, known_r(s), &s->arena, out, err);
	*there = cls == C4W_OK;
	return cls;
}

static void part_name(unsigned part, char *out, size_t size)
{
	static const char *const names[] = { "tensor", "metadata", "receipt" };
	if (part < 3)
		snprintf(out, size, "%s", names[part]);
	else if (part < 9)
		snprintf(out, size, "path/%s/%s", c4w_psg_solver[(part - 3) / 2], c4w_psg_variant[(part - 3) % 2]);
	else
		snprintf(out, size, "image/%s", c4w_psg_solver[part - 9]);
}

/* Is the part there, and how many bytes has it where that is known? */
static bool part_there(struct scene *s, unsigned part, int64_t *bytes)
{
	const uint8_t *p;
	size_t n;
	struct c4w_view path;
	struct c4w_stat st;
	char rel[160];
	*bytes = -1;
	if (!s->row.group) {
		if (part >= 9 || !(s->ref.have & (1u << part)))
			return false;
		c4w_psg_ref_path(&s->ref, part, rel, sizeof rel);
		if (c4w_store_stat(c4w_psg_tree_store(s->root->tree), rel, &st, NULL) == C4W_OK)
			*bytes = (int64_t)st.size;
		return true;
	}
	if (part == 0)
		c4w_psg_row_tensor(&s->row, &p, &n);
	else if (part == 1 && c4w_psg_row_file(&s->row)->json >= 0)
		c4w_psg_row_json(&s->row, &p, &n);
	else if (part == 1)
		return c4w_psg_row_file(&s->row)->meta != 0;
	else if (part == 2)
		return false;
	else if (part < 9) {
		struct c4w_psg_route route;
		bool there;
		return c4w_psg_row_route(&s->row, (int)part - 3, 0, &s->arena, &route, &there, NULL) != C4W_OK || there;
	} else
		c4w_psg_row_image(&s->row, (int)part - 9, &p, &n, &path);
	if (p)
		*bytes = (int64_t)n;
	return p != NULL;
}

static void array_of(uint32_t r, const uint8_t *raw, struct c4w_array *out)
{
	memset(out, 0, sizeof *out);
	out->dtype = (struct c4w_dtype){ .kind = C4W_FLOAT, .order = '<', .size = 4, .units = 1 };
	out->rank = 3;
	out->shape[0] = out->shape[1] = r;
	out->shape[2] = 3;
	out->count = (uint64_t)r * r * 3;
	out->size = c4w_psg_bytes(r);
	out->bytes = raw;
}

static int tensor_info(struct c4w_node *n, struct c4w_array *out, struct c4w_err *err)
{
	struct scene *s = ((struct part *)n)->scene;
	struct c4w_arena arena = { 0 };
	struct c4w_psg_frame f = { .r = s->r };
	const uint8_t *p;
	size_t size;
	int cls = s->raw ? C4W_OK : frame(s, &arena, &p, &size, &f, err);
	c4w_arena_clear(&arena);
	if (cls == C4W_OK)
		array_of(f.r, NULL, out);
	return cls;
}

static int tensor_read(struct c4w_node *n, uint64_t first, uint64_t count, struct c4w_arena *arena, struct c4w_array *out, struct c4w_err *err)
{
	struct scene *s = ((struct part *)n)->scene;
	(void)arena;
	C4W_TRY(need_tensor(s, err));
	array_of(s->r, s->raw, out);
	if (first > s->r || count > s->r - first)
		return c4w_fail(err, C4W_USAGE, "rows beyond the array");
	out->bytes += first * s->r * 12;
	out->shape[0] = count;
	out->count = count * s->r * 3;
	out->size = out->count * 4;
	return C4W_OK;
}

static void fact_cell(struct c4w_facts *out, const char *key, uint32_t row, uint32_t column)
{
	c4w_facts_text(out, key, "%u, %u", row, column);
}

static void fact_double(struct c4w_facts *out, const char *key, double v)
{
	char text[C4W_NUMBER_TEXT];
	c4w_format_double(v, text);
	c4w_facts_text(out, key, "%s", text);
}

static int tensor_describe(struct c4w_node *n, struct c4w_facts *out, struct c4w_err *err)
{
	static const char *const stat_key[3][3] = { { "elevation_min", "elevation_max", "elevation_mean" },
						    { "markers_min", "markers_max", "markers_mean" },
						    { "obstacles_min", "obstacles_max", "obstacles_mean" } };
	static const char *const metre_key[5] = { "start_m", "goal_m", "first_m", "centre_m", "last_m" };
	struct scene *s = ((struct part *)n)->scene;
	struct c4w_arena arena = { 0 };
	struct c4w_psg_frame f;
	struct c4w_psg_scan scan;
	struct c4w_psg_stats stats[3];
	const uint8_t *p;
	size_t size, c;
	int64_t cell[5][2];
	int cls = frame(s, &arena, &p, &size, &f, err);
	c4w_arena_clear(&arena);
	C4W_TRY(cls);
	C4W_TRY(need_tensor(s, err));
	c4w_facts_text(out, "dtype", "<f4");
	c4w_facts_text(out, "shape", "(%u, %u, 3)", s->r, s->r);
	c4w_facts_number(out, "stored_bytes", (int64_t)size);
	if (f.content >= 0)
		c4w_facts_number(out, "declared_bytes", f.content);
	c4w_facts_number(out, "data_bytes", (int64_t)c4w_psg_bytes(s->r));
	c4w_facts_number(out, "window_bytes", (int64_t)f.window);
	c4w_facts_text(out, "checksum", "%s", f.checksum ? "yes" : "no");
	c4w_psg_channel_stats(s->raw, s->r, stats);
	for (c = 0; c < 3; c++) {
		fact_double(out, stat_key[c][0], stats[c].min);
		fact_double(out, stat_key[c][1], stats[c].max);
		fact_double(out, stat_key[c][2], stats[c].mean);
	}
	c4w_psg_scan(s->raw, s->r, &scan);
	c4w_facts_number(out, "start_cells", (int64_t)scan.starts);
	if (scan.starts)
		fact_cell(out, "start", scan.start[0], scan.start[1]);
	c4w_facts_number(out, "goal_cells", (int64_t)scan.goals);
	if (scan.goals)
		fact_cell(out, "goal", scan.goal[0], scan.goal[1]);
	c4w_facts_number(out, "background_cells", (int64_t)scan.background);
	c4w_facts_number(out, "obstacle_cells", (int64_t)scan.obstacles);
	if (need_meta(s, NULL) != C4W_OK || !s->meta.has_range)
		return C4W_OK;
	for (c = 0; c < 2; c++) {
		cell[0][c] = s->meta.has_start ? s->meta.start[c] : -1;
		cell[1][c] = s->meta.has_goal ? s->meta.goal[c] : -1;
		cell[2][c] = 0;
		cell[3][c] = s->r / 2;
		cell[4][c] = (int64_t)s->r - 1;
	}
	for (c = 0; c < 5; c++)
		if (cell[c][0] >= 0 && cell[c][1] >= 0 && cell[c][0] < (int64_t)s->r && cell[c][1] < (int64_t)s->r)
			fact_double(out, metre_key[c],
				    (double)c4w_psg_at(s->raw, s->r, (uint32_t)cell[c][0], (uint32_t)cell[c][1], 0) * (s->meta.max - s->meta.min) +
					    s->meta.min);
	return C4W_OK;
}

static int route_text(struct scene *s, int k, struct c4w_buf *b, struct c4w_err *err)
{
	struct c4w_psg_route route;
	bool there;
	size_t i;
	C4W_TRY(need_route(s, k, &route, &there, err));
	if (!there)
		return c4w_fail(err, C4W_ABSENT, "the row has no such route");
	for (i = 0; i < route.n; i++)
		c4w_buf_printf(b, "%u,%u\n", c4w_psg_row(route.cells[i]), c4w_psg_column(route.cells[i]));
	return c4w_buf_ok(b, err);
}

static int part_blob(struct c4w_node *n, struct c4w_blob **out, struct c4w_err *err)
{
	struct part *p = (struct part *)n;
	struct scene *s = p->scene;
	struct c4w_buf b = { 0 };
	const uint8_t *data = NULL;
	size_t size = 0;
	struct c4w_view path;
	char name[64], rel[160];
	int cls = C4W_OK;
	part_name(p->part, name, sizeof name);
	if (!s->row.group) {
		c4w_psg_ref_path(&s->ref, p->part, rel, sizeof rel);
		return c4w_store_open(c4w_psg_tree_store(s->root->tree), rel, out, err);
	}
	if (p->part == 1 && c4w_psg_row_file(&s->row)->json >= 0) {
		c4w_psg_row_json(&s->row, &data, &size);
	} else if (p->part == 1) {
		cls = need_meta(s, err);
		if (cls == C4W_OK)
			c4w_yaml_write(&b, s->meta_root);
	} else if (p->part >= 9) {
		c4w_psg_row_image(&s->row, (int)p->part - 9, &data, &size, &path);
	} else {
		cls = route_text(s, (int)p->part - 3, &b, err);
	}
	if (cls == C4W_OK && data)
		c4w_buf_put(&b, data, size);
	if (cls == C4W_OK)
		cls = c4w_buf_ok(&b, err);
	if (cls == C4W_OK)
		cls = c4w_blob_memory(name, b.p ? b.p : "", b.n, b.p != NULL, out, err);
	if (cls != C4W_OK)
		c4w_buf_clear(&b);
	return cls;
}

static int route_describe(struct c4w_node *n, struct c4w_facts *out, struct c4w_err *err)
{
	struct part *p = (struct part *)n;
	struct scene *s = p->scene;
	int k = (int)p->part - 3;
	struct c4w_psg_route route;
	bool there, adjacent = true;
	size_t i;
	uint32_t first;
	C4W_TRY(need_route(s, k, &route, &there, err));
	if (!there)
		return c4w_fail(err, C4W_ABSENT, "the scene has no such route");
	c4w_facts_text(out, "solver", "%s", c4w_psg_solver[k / 2]);
	c4w_facts_text(out, "variant", "%s", c4w_psg_variant[k % 2]);
	c4w_facts_number(out, "cells", (int64_t)route.n);
	if (route.n) {
		fact_cell(out, "first", c4w_psg_row(route.cells[0]), c4w_psg_column(route.cells[0]));
		fact_cell(out, "last", c4w_psg_row(route.cells[route.n - 1]), c4w_psg_column(route.cells[route.n - 1]));
	}
	fact_double(out, "length_m", c4w_psg_length(&route));
	for (i = 1; i < route.n; i++) {
		int di = (int)c4w_psg_row(route.cells[i]) - (int)c4w_psg_row(route.cells[i - 1]);
		int dj = (int)c4w_psg_column(route.cells[i]) - (int)c4w_psg_column(route.cells[i - 1]);
		adjacent = adjacent && (di || dj) && di >= -1 && di <= 1 && dj >= -1 && dj <= 1;
	}
	c4w_facts_text(out, "adjacent", "%s", adjacent ? "yes" : "no");
	if (need_tensor(s, NULL) == C4W_OK)
		c4w_facts_number(out, "obstacle_cells", (int64_t)c4w_psg_crossings(s->raw, s->r, &route, &first));
	if (need_meta(s, NULL) == C4W_OK) {
		const struct c4w_psg_meta_route *m = &s->meta.routes[k];
		if (m->there)
			c4w_facts_text(out, "status", "%s%s", m->ok ? "ok" : "not ok", m->exact ? ", exact" : "");
		if (m->has_length)
			c4w_facts_number(out, "metadata_length", m->length);
		if (m->has_cost)
			fact_double(out, "metadata_cost", m->cost);
	}
	return C4W_OK;
}

static int image_describe(struct c4w_node *n, struct c4w_facts *out, struct c4w_err *err)
{
	struct part *p = (struct part *)n;
	const uint8_t *data;
	size_t size;
	struct c4w_view path;
	char shown[200];
	(void)err;
	c4w_psg_row_image(&p->scene->row, (int)p->part - 9, &data, &size, &path);
	c4w_facts_number(out, "bytes", (int64_t)size);
	c4w_facts_text(out, "image_path", "%s", c4w_str_escape(shown, sizeof shown, path.p, path.n));
	return C4W_OK;
}

static const struct c4w_node_ops tensor_ops = { .type = "PASSAGE tensor", .array_info = tensor_info, .array_read = tensor_read,
						.describe = tensor_describe };
static const struct c4w_node_ops metadata_ops = { .type = "PASSAGE metadata", .blob = part_blob };
static const struct c4w_node_ops receipt_ops = { .type = "PASSAGE receipt", .blob = part_blob };
static const struct c4w_node_ops route_ops = { .type = "PASSAGE route", .blob = part_blob, .describe = route_describe };
static const struct c4w_node_ops image_ops = { .type = "PASSAGE image", .blob = part_blob, .describe = image_describe };

/* ---- a scene ---- */

static int scene_list(struct c4w_node *n, const struct c4w_list_opts *o, const struct c4w_rows *rows, struct c4w_err *err)
{
	static const struct c4w_column columns[] = { { "name", C4W_CELL_TEXT, false }, { "stored_bytes", C4W_CELL_BYTES, false } };
	struct scene *s = (struct scene *)n;
	unsigned part;
	if (o->what != C4W_LIST_CHILDREN)
		return c4w_fail(err, C4W_UNSUPPORTED, "a scene has parts, no records or files");
	C4W_TRY(rows->begin(rows->ctx, columns, 2));
	for (part = 0; part < 9 + C4W_PSG_SOLVERS; part++) {
		struct c4w_cell c[2];
		char name[64];
		int64_t bytes;
		if (!part_there(s, part, &bytes))
			continue;
		part_name(part, name, sizeof name);
		c[0] = c4w_cell_z(name);
		c[1] = bytes < 0 ? c4w_cell_none() : c4w_cell_int(bytes);
		C4W_TRY(rows->row(rows->ctx, c, part == 0 ? C4W_NODE_ARRAY : C4W_NODE_BYTES));
	}
	return C4W_OK;
}

static int scene_lookup(struct c4w_node *n, struct c4w_view rest, size_t *used, struct c4w_node **child, struct c4w_err *err)
{
	struct scene *s = (struct scene *)n;
	unsigned part;
	struct part *p;
	for (part = 0; part < 9 + C4W_PSG_SOLVERS; part++) {
		char name[64];
		size_t len;
		int64_t bytes;
		part_name(part, name, sizeof name);
		len = strlen(name);
		if (rest.n < len || memcmp(rest.p, name, len) != 0 || (rest.n > len && rest.p[len] != '/') || !part_there(s, part, &bytes))
			continue;
		p = c4w_node_new(sizeof *p, part == 0 ? &tensor_ops : part == 1 ? &metadata_ops : part == 2 ? &receipt_ops : part < 9 ? &route_ops : &image_ops,
				 part == 0 ? C4W_NODE_ARRAY : C4W_NODE_BYTES, n);
		if (!p)
			return c4w_fail_memory(err, sizeof *p);
		p->scene = s;
		p->part = part;
		*used = len;
		*child = &p->base;
		return C4W_OK;
	}
	return c4w_fail(err, C4W_UNKNOWN, "a scene has tensor, metadata, path/SOLVER/VARIANT; there is no such part here");
}

static const char *scene_state(const struct scene *s)
{
	if (!s->row.group)
		return c4w_psg_ref_state(&s->ref);
	return c4w_psg_row_has_tensor(&s->row) ? "complete" : "without tensor";
}

static int scene_describe(struct c4w_node *n, struct c4w_facts *out, struct c4w_err *err)
{
	struct scene *s = (struct scene *)n;
	char text[100];
	int k;
	(void)err;
	c4w_facts_text(out, "state", "%s", scene_state(s));
	if (need_meta(s, NULL) != C4W_OK)
		return C4W_OK;
	if (s->meta.has_index)
		c4w_facts_number(out, "index", s->meta.index);
	if (s->meta.has_resolution)
		c4w_facts_number(out, "resolution", s->meta.resolution);
	if (s->meta.has_split)
		c4w_facts_text(out, "split", "%s", c4w_str_escape(text, sizeof text, s->meta.split_text.p, s->meta.split_text.n));
	if (s->meta.version.n)
		c4w_facts_text(out, "dataset_version", "%s", c4w_str_escape(text, sizeof text, s->meta.version.p, s->meta.version.n));
	if (s->meta.has_tile)
		c4w_facts_text(out, "tile", "%lld, %lld", (long long)s->meta.tile[0], (long long)s->meta.tile[1]);
	if (s->meta.has_range) {
		fact_double(out, "range_min_m", s->meta.min);
		fact_double(out, "range_max_m", s->meta.max);
	}
	if (s->meta.has_start)
		c4w_facts_text(out, "start", "%lld, %lld", (long long)s->meta.start[0], (long long)s->meta.start[1]);
	if (s->meta.has_goal)
		c4w_facts_text(out, "goal", "%lld, %lld", (long long)s->meta.goal[0], (long long)s->meta.goal[1]);
	if (s->meta.has_target)
		fact_double(out, "ratio_target", s->meta.ratio_target);
	if (s->meta.has_actual)
		fact_double(out, "ratio_actual", s->meta.ratio_actual);
	for (k = 0; k < C4W_PSG_ROUTES; k++) {
		static const char *const keys[] = { "elevation_free", "elevation_obstacles", "energy_free", "energy_obstacles", "slope_free",
						    "slope_obstacles" };
		const struct c4w_psg_meta_route *m = &s->meta.routes[k];
		char cost[C4W_NUMBER_TEXT];
		if (!m->there)
			continue;
		if (m->has_cost)
			c4w_format_double(m->cost, cost);
		c4w_facts_text(out, keys[k], "%lld cells, cost %s%s", m->has_length ? (long long)m->length : -1LL, m->has_cost ? cost : "null",
			       m->exact ? ", exact" : "");
	}
	return C4W_OK;
}

static void scene_destroy(struct c4w_node *n)
{
	struct scene *s = (struct scene *)n;
	c4w_psg_row_free(&s->row);
	c4w_psg_decoder_clear(&s->decoder);
	c4w_arena_clear(&s->arena);
}

static const struct c4w_node_ops scene_ops = { .type = "PASSAGE scene", .list = scene_list, .lookup = scene_lookup,
					       .describe = scene_describe, .destroy = scene_destroy };

static struct scene *new_scene(const struct c4w_psg_root *root, struct c4w_node *parent)
{
	struct scene *s = c4w_node_new(sizeof *s, &scene_ops, C4W_NODE_DIR, parent);
	if (s) {
		s->root = root;
		s->meta.split = -1;
	}
	return s;
}

/* ---- folders of scenes: the root, R, R/SPLIT ---- */

static bool in_folder(const struct folder *f, uint32_t r, int split)
{
	return (!f->r || !r || f->r == r) && (f->split < 0 || split < 0 || f->split == split);
}

static void scene_name(const struct folder *f, uint32_t r, int split, uint64_t index, char *out, size_t size)
{
	char front[40] = "";
	if (r && split >= 0 && !f->r)
		snprintf(front, sizeof front, "%u/%s/", r, c4w_psg_split[split]);
	else if (split >= 0 && f->split < 0)
		snprintf(front, sizeof front, "%s/", c4w_psg_split[split]);
	snprintf(out, size, "%s%010llu", front, (unsigned long long)index);
}

enum { LIST_COLUMNS = 15 };
static const struct c4w_column list_columns[LIST_COLUMNS] = {
	{ "id", C4W_CELL_TEXT, false },		 { "split", C4W_CELL_TEXT, false },	{ "resolution", C4W_CELL_INT, false },
	{ "tile", C4W_CELL_TEXT, false },	 { "start", C4W_CELL_TEXT, false },	{ "goal", C4W_CELL_TEXT, false },
	{ "elevation_free", C4W_CELL_INT, false }, { "elevation_obstacles", C4W_CELL_INT, false }, { "energy_free", C4W_CELL_INT, false },
	{ "energy_obstacles", C4W_CELL_INT, false }, { "slope_free", C4W_CELL_INT, false }, { "slope_obstacles", C4W_CELL_INT, false },
	{ "state", C4W_CELL_STATE, false },	 { "shard", C4W_CELL_TEXT, true },	{ "row", C4W_CELL_INT, true },
};

static int list_scene(const struct folder *f, struct scene *s, const struct c4w_rows *rows)
{
	struct c4w_cell c[LIST_COLUMNS];
	char name[64], tile[24] = "", start[32], goal[32];
	bool row = s->row.group != NULL;
	uint32_t r = known_r(s);
	int split = row ? s->row.shard->split : s->ref.unit->split;
	size_t i;
	bool meta = need_meta(s, NULL) == C4W_OK;
	for (i = 0; i < LIST_COLUMNS; i++)
		c[i] = c4w_cell_none();
	scene_name(f, r, split, row ? s->row.index : s->ref.index, name, sizeof name);
	c[0] = c4w_cell_z(name);
	if (!r && meta && s->meta.has_resolution)
		r = (uint32_t)s->meta.resolution;
	if (split < 0 && meta)
		split = s->meta.split;
	if (split >= 0)
		c[1] = c4w_cell_z(c4w_psg_split[split]);
	if (r)
		c[2] = c4w_cell_int(r);
	if (!row && s->ref.lat[0]) {
		snprintf(tile, sizeof tile, "%s/%s", s->ref.lat, s->ref.lon);
	} else if (meta && s->meta.has_tile) {
		char ns[8], ew[8];
		c4w_psg_tile_name(s->meta.tile[0], false, ns);
		c4w_psg_tile_name(s->meta.tile[1], true, ew);
		snprintf(tile, sizeof tile, "%s/%s", ns, ew);
	}
	if (tile[0])
		c[3] = c4w_cell_z(tile);
	if (meta && s->meta.has_start) {
		snprintf(start, sizeof start, "%lld,%lld", (long long)s->meta.start[0], (long long)s->meta.start[1]);
		c[4] = c4w_cell_z(start);
	}
	if (meta && s->meta.has_goal) {
		snprintf(goal, sizeof goal, "%lld,%lld", (long long)s->meta.goal[0], (long long)s->meta.goal[1]);
		c[5] = c4w_cell_z(goal);
	}
	for (i = 0; i < C4W_PSG_ROUTES && meta; i++)
		if (s->meta.routes[i].has_length)
			c[6 + i] = c4w_cell_int(s->meta.routes[i].length);
	c[12] = c4w_cell_z(scene_state(s));
	if (row) {
		c[13] = c4w_cell_z(s->row.shard->path);
		c[14] = c4w_cell_int((int64_t)s->row.number);
	}
	return rows->row(rows->ctx, c, C4W_NODE_DIR);
}

static int list_tree(struct folder *f, const struct c4w_psg_select *sel, const struct c4w_rows *rows, struct c4w_err *err)
{
	struct c4w_psg_walk *w;
	bool end = false;
	int cls;
	C4W_TRY(c4w_psg_walk_new(f->root->tree, sel, C4W_PSG_HAVE_ALL, NULL, &w, err));
	for (;;) {
		struct c4w_psg_ref ref;
		struct scene *s;
		cls = c4w_psg_walk_next(w, &ref, NULL, &end, err);
		if (cls != C4W_OK || end)
			break;
		if (!in_folder(f, ref.unit->r, ref.unit->split))
			continue;
		s = new_scene(f->root, &f->base);
		if (!s) {
			cls = c4w_fail_memory(err, sizeof *s);
			break;
		}
		s->ref = ref;
		cls = list_scene(f, s, rows);
		c4w_node_free(&s->base);
		if (cls != C4W_OK)
			break;
	}
	c4w_psg_walk_free(w);
	return cls;
}

/* The next row that can be read: a shard that can't is passed over, its error kept in `first` and the result at the end. */
static int next_row(struct c4w_psg_rows *r, struct c4w_psg_row *row, bool *end, struct c4w_err *first, struct c4w_err *err)
{
	struct c4w_err e;
	int cls;
	while ((cls = c4w_psg_rows_next(r, row, NULL, end, &e)) != C4W_OK && c4w_psg_report_err(NULL, &e) == C4W_OK)
		if (first->cls == C4W_OK)
			*first = e;
	if (cls == C4W_OK && *end && first->cls != C4W_OK)
		cls = (int)(e = *first).cls;
	if (cls != C4W_OK && err)
		*err = e;
	return cls;
}

/* Rows whose id is not ten digits have no address; verify tells of them. */
static int list_shards(struct folder *f, const struct c4w_psg_select *sel, const struct c4w_rows *rows, struct c4w_err *err)
{
	struct c4w_psg_rows *r;
	struct c4w_err first;
	bool end = false;
	int cls;
	c4w_err_clear(&first);
	C4W_TRY(c4w_psg_rows_new(f->root->shards, sel, C4W_PSG_COL_JSON | C4W_PSG_COL_STATE, NULL, &r, err));
	for (;;) {
		struct c4w_psg_row row;
		struct scene *s;
		cls = next_row(r, &row, &end, &first, err);
		if (cls != C4W_OK || end)
			break;
		s = row.id_ok && in_folder(f, row.shard->r, row.shard->split) ? new_scene(f->root, &f->base) : NULL;
		if (!s) {
			c4w_psg_row_free(&row);
			continue;
		}
		s->row = row;
		cls = list_scene(f, s, rows);
		c4w_node_free(&s->base);
		if (cls != C4W_OK)
			break;
	}
	c4w_psg_rows_free(r);
	return cls;
}

static int folder_list(struct c4w_node *n, const struct c4w_list_opts *o, const struct c4w_rows *rows, struct c4w_err *err)
{
	struct folder *f = (struct folder *)n;
	bool shards = f->root->shards != NULL;
	if (o->what == C4W_LIST_FILES)
		return c4w_fail(err, C4W_UNSUPPORTED, "PASSAGE has no catalog of files");
	C4W_TRY(rows->begin(rows->ctx, list_columns, shards ? LIST_COLUMNS : LIST_COLUMNS - 2));
	return shards ? list_shards(f, o->selection, rows, err) : list_tree(f, o->selection, rows, err);
}

/* The first scene of that index in the folder. */
static int find_scene(struct folder *parent, const struct folder *f, uint64_t index, struct scene **out, struct c4w_err *err)
{
	uint32_t only = f->r;
	struct c4w_psg_range range = { index, index };
	struct c4w_psg_select sel = { .r = f->r ? &only : NULL, .r_count = f->r != 0, .splits = f->split >= 0 ? 1u << f->split : 0,
				      .index = &range, .index_count = 1 };
	struct scene *s = new_scene(f->root, &parent->base);
	bool end = true;
	int cls;
	*out = NULL;
	if (!s)
		return c4w_fail_memory(err, sizeof *s);
	if (f->root->tree) {
		struct c4w_psg_walk *w;
		cls = c4w_psg_walk_new(f->root->tree, &sel, C4W_PSG_HAVE_ALL, NULL, &w, err);
		if (cls == C4W_OK) {
			cls = c4w_psg_walk_next(w, &s->ref, NULL, &end, err);
			if (cls == C4W_OK && !end && s->ref.index != index) /* a tree that is one scene */
				end = true;
			c4w_psg_walk_free(w);
		}
	} else {
		struct c4w_psg_rows *r;
		cls = c4w_psg_rows_new(f->root->shards, &sel, C4W_PSG_COL_ALL & ~(unsigned)C4W_PSG_COL_STRUCT, NULL, &r, err);
		if (cls == C4W_OK) {
			struct c4w_err first;
			c4w_err_clear(&first);
			cls = next_row(r, &s->row, &end, &first, err);
			c4w_psg_rows_free(r);
		}
	}
	if (cls == C4W_OK && end) {
		cls = c4w_fail(err, C4W_UNKNOWN, "there is no scene %010llu", (unsigned long long)index);
	}
	if (cls != C4W_OK) {
		c4w_node_free(&s->base);
		return cls;
	}
	*out = s;
	return C4W_OK;
}

static bool take_step(struct c4w_view *rest, size_t *used, struct c4w_view *step)
{
	size_t n = c4w_step_first(*rest);
	if (!rest->n || !n)
		return false;
	*step = (struct c4w_view){ rest->p, n };
	rest->p += n;
	rest->n -= n;
	*used += n;
	return true;
}

static void skip_slash(struct c4w_view *rest, size_t *used)
{
	while (rest->n && rest->p[0] == '/') {
		rest->p++;
		rest->n--;
		++*used;
	}
}

static int new_folder(struct folder *f, uint32_t r, int split, struct c4w_node **child, struct c4w_err *err);

static int folder_lookup(struct c4w_node *n, struct c4w_view rest, size_t *used, struct c4w_node **child, struct c4w_err *err)
{
	struct folder *f = (struct folder *)n, at = *f;
	struct c4w_view step;
	struct scene *s;
	char text[64];
	uint64_t index;
	*used = 0;
	for (;;) {
		size_t before = *used;
		int split;
		uint64_t v;
		if (!take_step(&rest, used, &step))
			return c4w_fail(err, C4W_UNKNOWN, "a scene is named R/SPLIT/INDEX");
		split = c4w_psg_word(c4w_psg_split, step);
		if (step.n == 10 && c4w_parse_u64(step, &index)) {
			C4W_TRY(find_scene(f, &at, index, &s, err));
			*child = &s->base;
			return C4W_OK;
		}
		if (split >= 0) {
			at.split = split;
		} else if (step.n < 6 && c4w_parse_u64(step, &v) && v >= 1 && v <= C4W_PSG_R_MAX) {
			at.r = (uint32_t)v;
		} else {
			c4w_str_escape(text, sizeof text, step.p, step.n);
			*used = before;
			return c4w_fail(err, C4W_UNKNOWN, "'%s' is no resolution, split or index of ten digits", text);
		}
		if (!rest.n || rest.n == strspn(rest.p, "/"))
			return new_folder(f, at.r, at.split, child, err);
		skip_slash(&rest, used);
	}
}

static int folder_describe(struct c4w_node *n, struct c4w_facts *out, struct c4w_err *err)
{
	struct folder *f = (struct folder *)n;
	if (!f->r && f->split < 0)
		return c4w_family_passage.describe((void *)(uintptr_t)f->root, out, err);
	if (f->r)
		c4w_facts_number(out, "resolution", f->r);
	if (f->split >= 0)
		c4w_facts_text(out, "split", "%s", c4w_psg_split[f->split]);
	return C4W_OK;
}

static const struct c4w_node_ops folder_ops = { .type = "PASSAGE folder", .list = folder_list, .lookup = folder_lookup,
						.describe = folder_describe };

/* Is there anything at R or R/SPLIT? */
static bool folder_exists(const struct c4w_psg_root *root, uint32_t r, int split)
{
	struct folder f = { .r = r, .split = split };
	size_t n, i;
	if (root->tree) {
		const struct c4w_psg_unit *u = c4w_psg_tree_units(root->tree, &n);
		for (i = 0; i < n; i++)
			if (in_folder(&f, u[i].r, u[i].split))
				return true;
	} else {
		const struct c4w_psg_shard *v = c4w_psg_shards_list(root->shards, &n);
		for (i = 0; i < n; i++)
			if (in_folder(&f, v[i].r, v[i].split))
				return true;
	}
	return false;
}

static int new_folder(struct folder *f, uint32_t r, int split, struct c4w_node **child, struct c4w_err *err)
{
	struct folder *g;
	if (!folder_exists(f->root, r, split))
		return c4w_fail(err, C4W_UNKNOWN, "there are no scenes of that resolution and split");
	g = c4w_node_new(sizeof *g, &folder_ops, C4W_NODE_DIR, &f->base);
	if (!g)
		return c4w_fail_memory(err, sizeof *g);
	g->root = f->root;
	g->r = r;
	g->split = split;
	*child = &g->base;
	return C4W_OK;
}

int c4w_psg_node(void *root, struct c4w_node **out, struct c4w_err *err)
{
	struct folder *f = c4w_node_new(sizeof *f, &folder_ops, C4W_NODE_DIR, NULL);
	if (!f)
		return c4w_fail_memory(err, sizeof *f);
	f->root = root;
	f->split = -1;
	*out = &f->base;
	return C4W_OK;
}
