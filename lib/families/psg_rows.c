/* Rows of shards: loading groups with pruned columns, and the parts of a row.
 *
 * A group's ids are read first; only when one of them is selected are the other columns read, and of those only the rows from the first to
 * the last that is selected. Groups whose tensors take more than SLICE bytes are loaded in slices of rows, so that memory stays
 * bounded whatever the writer's row groups are. Tensors stay in dictionary form: a dictionary page of tensors is decoded once.
 */
#include "families/psg_shard_impl.h"
#include "base/checked.h"
#include "base/limits.h"
#include "base/numbers.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLICE (96 * C4W_MIB)

struct c4w_psg_group {
	atomic_uint refs;
	struct c4w_arena arena;
	struct c4w_psg_file *file;       /* one more owner of it */
	size_t first;                    /* row of the group that batch row 0 is */
	struct c4w_batch tensor, json, route[C4W_PSG_ROUTES], image[C4W_PSG_SOLVERS], image_path[C4W_PSG_SOLVERS];
	struct c4w_batch *leaves; /* of the metadata struct, from its first leaf on; NULL: not loaded */
};

struct c4w_psg_rows {
	struct c4w_psg_shards *set;
	const struct c4w_psg_select *sel;
	unsigned want;
	struct c4w_psg_sink *sink;
	struct c4w_pq_worker *worker;
	size_t shard;
	struct c4w_psg_file *file;
	size_t group; /* of the file; the next to look at */
	struct c4w_arena ids_arena;
	struct c4w_batch ids;
	size_t *rows; /* selected rows of the current group */
	size_t row_count, row_at, row_cap;
	size_t slice_rows;
	struct c4w_psg_group *loaded;
	size_t loaded_end; /* rows before this one (of the group) are in `loaded` */
	struct c4w_arena meta_arena; /* metadata that a selection asks for */
};

static void group_free(struct c4w_psg_group *g)
{
	if (!g || atomic_fetch_sub(&g->refs, 1) != 1)
		return;
	c4w_arena_clear(&g->arena);
	c4w_psg_file_close(g->file);
	free(g);
}

void c4w_psg_row_free(struct c4w_psg_row *row)
{
	group_free(row->group);
	row->group = NULL;
}

int c4w_psg_rows_new(struct c4w_psg_shards *s, const struct c4w_psg_select *sel, unsigned want, struct c4w_psg_sink *sink,
		     struct c4w_psg_rows **out, struct c4w_err *err)
{
	struct c4w_psg_rows *r = calloc(1, sizeof *r);
	int cls;
	*out = NULL;
	if (!r)
		return c4w_fail_memory(err, sizeof *r);
	r->set = s;
	r->sel = sel;
	r->want = want;
	r->sink = sink;
	cls = c4w_pq_worker_new(&r->worker, err);
	if (cls != C4W_OK) {
		free(r);
		return cls;
	}
	*out = r;
	return C4W_OK;
}

static void drop_group(struct c4w_psg_rows *r)
{
	group_free(r->loaded);
	r->loaded = NULL;
	r->row_count = r->row_at = 0;
}

void c4w_psg_rows_free(struct c4w_psg_rows *r)
{
	if (!r)
		return;
	drop_group(r);
	c4w_psg_file_close(r->file);
	c4w_pq_worker_free(r->worker);
	c4w_arena_clear(&r->ids_arena);
	c4w_arena_clear(&r->meta_arena);
	free(r->rows);
	free(r);
}

const struct c4w_psg_file *c4w_psg_row_file(const struct c4w_psg_row *row)
{
	return row->group->file;
}

static bool ten_digits(struct c4w_view id, uint64_t *index)
{
	char text[11];
	if (id.n != 10)
		return false;
	memcpy(text, id.p, 10);
	text[10] = '\0';
	return c4w_psg_index_name(text, "", index);
}

static struct c4w_view id_of(const struct c4w_batch *ids, size_t row, bool *null)
{
	struct c4w_view v = { "", 0 };
	size_t n;
	*null = ids->phys == C4W_PHYS_NONE || !c4w_batch_valid(ids, row);
	if (!*null) {
		v.p = (const char *)c4w_batch_bytes(ids, row, &n);
		v.n = n;
	}
	return v;
}

/* Does the selection ask what the shard's folder does not say? Then the row's metadata tells. */
static bool metadata_decides(const struct c4w_psg_rows *r)
{
	const struct c4w_psg_shard *shard = r->file->shard;
	return r->sel && ((r->sel->r_count && !shard->r) || (r->sel->splits && shard->split < 0));
}

static unsigned wanted(const struct c4w_psg_rows *r)
{
	return r->want | (metadata_decides(r) ? (unsigned)C4W_PSG_COL_JSON : 0);
}

/* Metadata that can't be read selects its row: whoever reads it next says what is wrong. */
static int metadata_selects(struct c4w_psg_rows *r, const struct c4w_psg_row *row, bool *yes, struct c4w_err *err)
{
	struct c4w_yaml_node *root = NULL;
	struct c4w_err e;
	int cls;
	*yes = true;
	if (!metadata_decides(r))
		return C4W_OK;
	c4w_arena_reset(&r->meta_arena);
	cls = c4w_psg_row_meta(row, &r->meta_arena, &root, &e);
	if (cls == C4W_OK)
		*yes = c4w_psg_selects_meta(r->sel, row->shard->r, row->shard->split, root);
	else if (cls == C4W_MEMORY && err)
		*err = e;
	return cls == C4W_MEMORY ? cls : C4W_OK;
}

/* Ids of the next row group, and which of its rows are selected. */
static int open_group(struct c4w_psg_rows *r, struct c4w_err *err)
{
	int64_t claimed = c4w_pq_group_rows(r->file->pq, r->group);
	struct c4w_pq_opts opts = { .keep_dict = true };
	size_t n, i;
	uint64_t cost = 0;
	bool null;
	memset(&r->ids, 0, sizeof r->ids);
	c4w_arena_reset(&r->ids_arena);
	if (claimed <= 0) {
		r->row_count = r->row_at = 0;
		return C4W_OK;
	}
	if (r->file->id >= 0) {
		C4W_TRY(c4w_pq_read(r->file->pq, r->group, (size_t)r->file->id, &opts, r->worker, &r->ids_arena, &r->ids, err));
		n = r->ids.rows;
	} else {
		n = (size_t)claimed;
		if (n > 100000000)
			return c4w_fail(err, C4W_LIMIT, "a row group of %zu rows and no ids", n);
	}
	if (n > r->row_cap) {
		size_t *p = realloc(r->rows, n * sizeof *p);
		if (!p)
			return c4w_fail_memory(err, n * sizeof *p);
		r->rows = p;
		r->row_cap = n;
	}
	r->row_count = r->row_at = 0;
	for (i = 0; i < n; i++) {
		uint64_t index;
		if (r->sel && r->sel->index_count &&
		    (r->file->id < 0 || !ten_digits(id_of(&r->ids, i, &null), &index) || !c4w_psg_selects_index(r->sel, index)))
			continue;
		r->rows[r->row_count++] = i;
	}
	r->slice_rows = n ? n : 1;
	if ((r->want & (C4W_PSG_COL_TENSOR | C4W_PSG_COL_STATE)) && r->file->tensor >= 0)
		cost = c4w_pq_cost(r->file->pq, r->group, (size_t)r->file->tensor);
	if ((wanted(r) & C4W_PSG_COL_JSON) && r->file->json >= 0)
		cost += c4w_pq_cost(r->file->pq, r->group, (size_t)r->file->json);
	if (cost > SLICE && n > 1) {
		r->slice_rows = (size_t)((double)n * (double)SLICE / (double)cost);
		if (r->slice_rows < 1)
			r->slice_rows = 1;
	}
	r->loaded_end = 0;
	return C4W_OK;
}

static int load_column(struct c4w_psg_rows *r, struct c4w_psg_group *g, int32_t column, struct c4w_pq_opts opts, struct c4w_batch *out,
		       struct c4w_err *err)
{
	int cls;
	if (column < 0)
		return C4W_OK;
	cls = c4w_pq_read(r->file->pq, r->group, (size_t)column, &opts, r->worker, &g->arena, out, err);
	if (cls == C4W_OK && out->rows != (size_t)opts.count)
		cls = c4w_damaged(err, "passage.column-type", -1, "a column has %zu rows where %lld are", out->rows, (long long)opts.count);
	return cls;
}

/* Load rows [from, from + count) of the current group. */
static int load(struct c4w_psg_rows *r, size_t from, size_t count, struct c4w_err *err)
{
	struct c4w_psg_group *g = calloc(1, sizeof *g);
	struct c4w_pq_opts opts = { .keep_dict = true, .first = (int64_t)from, .count = (int64_t)count };
	unsigned want = wanted(r);
	int k, cls = C4W_OK;
	void *mem;
	if (!g)
		return c4w_fail_memory(err, sizeof *g);
	atomic_init(&g->refs, 1);
	atomic_fetch_add(&r->file->refs, 1);
	g->file = r->file;
	g->first = from;
	if ((want & C4W_PSG_COL_STATE) && !r->file->all_tensors)
		want |= C4W_PSG_COL_TENSOR;
	if (want & C4W_PSG_COL_TENSOR)
		cls = load_column(r, g, r->file->tensor, opts, &g->tensor, err);
	if (cls == C4W_OK && (want & C4W_PSG_COL_JSON))
		cls = load_column(r, g, r->file->json, opts, &g->json, err);
	for (k = 0; k < C4W_PSG_ROUTES && cls == C4W_OK; k++)
		if (want & ((unsigned)C4W_PSG_COL_ROUTE0 << k)) {
			struct c4w_pq_opts plain = opts;
			plain.keep_dict = false;
			cls = load_column(r, g, r->file->route[k], plain, &g->route[k], err);
		}
	for (k = 0; k < C4W_PSG_SOLVERS && cls == C4W_OK && (want & C4W_PSG_COL_IMAGES); k++) {
		cls = load_column(r, g, r->file->image[k], opts, &g->image[k], err);
		if (cls == C4W_OK)
			cls = load_column(r, g, r->file->image_path[k], opts, &g->image_path[k], err);
	}
	if (cls == C4W_OK && r->file->meta && ((want & C4W_PSG_COL_STRUCT) || ((want & C4W_PSG_COL_JSON) && r->file->json < 0))) {
		const struct c4w_pq_node *n = c4w_pq_node(r->file->pq, r->file->meta);
		uint32_t i;
		struct c4w_pq_opts whole = opts;
		whole.structs = true;
		cls = c4w_arena_zero(&g->arena, n->nleaves + 1, sizeof *g->leaves, &mem, err);
		if (cls == C4W_OK)
			g->leaves = mem;
		for (i = 0; i < n->nleaves && cls == C4W_OK; i++)
			cls = load_column(r, g, (int32_t)(n->first_leaf + i), whole, &g->leaves[i], err);
	}
	if (cls != C4W_OK) {
		group_free(g);
		return cls;
	}
	group_free(r->loaded);
	r->loaded = g;
	r->loaded_end = from + count;
	return C4W_OK;
}

/* With a sink a damaged shard is a finding and the walk goes on with the next one. */
static int shard_error(struct c4w_psg_rows *r, const struct c4w_psg_shard *shard, struct c4w_err *err, int cls)
{
	if (!r->sink || !err)
		return cls;
	r->sink->path = shard->path;
	if (err->cls == C4W_LIMIT && !err->rule)
		err->cls = C4W_UNSUPPORTED;
	return c4w_psg_report_err(r->sink, err);
}

static void leave_file(struct c4w_psg_rows *r)
{
	drop_group(r);
	c4w_psg_file_close(r->file);
	r->file = NULL;
	r->shard++;
}

/* A row of the loaded slice. */
static int give_row(struct c4w_psg_rows *r, size_t row, struct c4w_psg_row *out, bool *selected, struct c4w_err *err)
{
	bool null = true;
	if (r->file->id >= 0)
		out->id = id_of(&r->ids, row, &null);
	/* The ids' batch is reused by the next group: the text goes where the row's own parts are. */
	if (!null) {
		char *copy = c4w_arena_text(&r->loaded->arena, out->id.p, out->id.n);
		if (!copy)
			return c4w_fail_memory(err, out->id.n);
		out->id.p = copy;
		out->id_ok = ten_digits(out->id, &out->index);
	} else {
		out->id.p = NULL;
	}
	atomic_fetch_add(&r->loaded->refs, 1);
	out->group = r->loaded;
	out->at = row - r->loaded->first;
	out->shard = r->file->shard;
	out->number = (uint64_t)c4w_pq_group_first(r->file->pq, r->group) + row;
	return metadata_selects(r, out, selected, err);
}

int c4w_psg_rows_next(struct c4w_psg_rows *r, struct c4w_psg_row *out, bool *file_done, bool *end, struct c4w_err *err)
{
	struct c4w_err e;
	memset(out, 0, sizeof *out);
	*end = false;
	if (file_done)
		*file_done = false;
	c4w_err_clear(&e);
	for (;;) {
		const struct c4w_psg_shard *shard;
		int cls = C4W_OK;
		size_t row;
		if (r->shard == r->set->count) {
			*end = true;
			return C4W_OK;
		}
		shard = &r->set->v[r->shard];
		if (!r->file) {
			if (!c4w_psg_selects_unit(r->sel, shard->r, shard->split)) {
				r->shard++;
				continue;
			}
			cls = c4w_psg_file_open(shard, r->sink, &r->file, &e);
			r->group = 0;
		} else if (r->row_at == r->row_count) {
			drop_group(r);
			if (r->group == c4w_pq_groups(r->file->pq)) {
				leave_file(r);
				if (file_done) {
					*file_done = true;
					return C4W_OK;
				}
				continue;
			}
			cls = open_group(r, &e);
			if (cls == C4W_OK && r->row_count == 0)
				r->group++;
		} else {
			row = r->rows[r->row_at];
			if (r->loaded && row < r->loaded_end) {
				bool selected = false;
				cls = give_row(r, row, out, &selected, err);
				if (++r->row_at == r->row_count) {
					drop_group(r);
					r->group++;
				}
				if (cls == C4W_OK && selected)
					return C4W_OK;
				c4w_psg_row_free(out);
				memset(out, 0, sizeof *out);
				if (cls != C4W_OK)
					return cls;
				continue;
			}
			{
				size_t last = r->rows[r->row_count - 1] + 1, count = last - row;
				cls = load(r, row, count < r->slice_rows ? count : r->slice_rows, &e);
			}
		}
		if (cls != C4W_OK) {
			c4w_err_path(&e, shard->path);
			cls = shard_error(r, shard, &e, cls);
			leave_file(r);
			if (cls != C4W_OK) {
				if (err)
					*err = e;
				return cls;
			}
			if (file_done) {
				*file_done = true;
				return C4W_OK;
			}
		}
	}
}

/* ---- parts of a row ---- */

static void bytes_of(const struct c4w_batch *b, size_t at, const uint8_t **p, size_t *n)
{
	*p = NULL;
	*n = 0;
	if (b->phys == C4W_PHYS_BYTES && at < b->n && c4w_batch_valid(b, at))
		*p = c4w_batch_bytes(b, at, n);
}

void c4w_psg_row_tensor(const struct c4w_psg_row *row, const uint8_t **p, size_t *n)
{
	bytes_of(&row->group->tensor, row->at, p, n);
}

uint64_t c4w_psg_row_blob_bytes(const struct c4w_psg_row *row)
{
	const uint8_t *p;
	size_t n;
	c4w_psg_row_tensor(row, &p, &n);
	return p ? n : 0;
}

bool c4w_psg_row_has_tensor(const struct c4w_psg_row *row)
{
	const uint8_t *p;
	size_t n;
	if (row->group->file->all_tensors)
		return true;
	c4w_psg_row_tensor(row, &p, &n);
	return p != NULL;
}

void c4w_psg_row_json(const struct c4w_psg_row *row, const uint8_t **p, size_t *n)
{
	bytes_of(&row->group->json, row->at, p, n);
}

void c4w_psg_row_image(const struct c4w_psg_row *row, int solver, const uint8_t **p, size_t *n, struct c4w_view *path)
{
	const uint8_t *t;
	bytes_of(&row->group->image[solver], row->at, p, n);
	bytes_of(&row->group->image_path[solver], row->at, &t, &path->n);
	path->p = t ? (const char *)t : "";
}

static int64_t integer_at(const struct c4w_batch *b, size_t i)
{
	if (b->indices) {
		i = b->indices[i];
		b = b->dict;
	}
	return b->phys == C4W_PHYS_INT32 ? ((const int32_t *)b->values)[i] : ((const int64_t *)b->values)[i];
}

int c4w_psg_row_route(const struct c4w_psg_row *row, int k, uint32_t r, struct c4w_arena *arena, struct c4w_psg_route *out, bool *there,
		      struct c4w_err *err)
{
	const struct c4w_batch *b = &row->group->route[k];
	int64_t top = r ? r : C4W_PSG_R_MAX;
	size_t a, z, i;
	uint32_t *cells;
	void *mem;
	char want[32];
	memset(out, 0, sizeof *out);
	*there = false;
	if (b->nlists != 2 || !c4w_bit(b->lists[0].validity, row->at))
		return C4W_OK;
	*there = true;
	a = (size_t)b->lists[0].offsets[row->at];
	z = (size_t)b->lists[0].offsets[row->at + 1];
	C4W_TRY(c4w_arena_take(arena, (z - a) * sizeof *cells, &mem, err));
	cells = mem;
	for (i = a; i < z; i++) {
		size_t at = (size_t)b->lists[1].offsets[i];
		int64_t v[2];
		int c;
		if (!c4w_bit(b->lists[1].validity, i) || b->lists[1].offsets[i + 1] - b->lists[1].offsets[i] != 2 ||
		    !c4w_batch_valid(b, at) || !c4w_batch_valid(b, at + 1))
			return c4w_damaged(err, "passage.pair", -1, "%s %s: cell %zu is no pair of two integers", c4w_psg_solver[k / 2],
					   c4w_psg_variant[k % 2], i - a);
		for (c = 0; c < 2; c++) {
			v[c] = integer_at(b, at + (size_t)c);
			if (v[c] >= 0 && v[c] < top)
				continue;
			snprintf(want, sizeof want, "0 to %lld", (long long)top - 1);
			c4w_damaged(err, "passage.route-outside", -1, "%s %s: the %s of cell %zu lies outside the grid", c4w_psg_solver[k / 2],
				    c4w_psg_variant[k % 2], c ? "column" : "row", i - a);
			return c4w_err_valuesf(err, want, "%lld", (long long)v[c]);
		}
		cells[i - a] = (uint32_t)v[0] << 16 | (uint32_t)v[1];
	}
	out->cells = cells;
	out->n = z - a;
	return C4W_OK;
}

/* ---- the struct ---- */

struct assemble {
	const struct c4w_psg_group *g;
	const struct c4w_pq *pq;
	uint32_t first_leaf;
	struct c4w_arena *arena;
	struct c4w_err *err;
	bool alone; /* there is no metadata_json: a null cost is the metadata's null */
};

/* How many optional structs enclose a node, itself included: its place in batch.structs. */
static uint32_t optional_structs(const struct c4w_pq *pq, uint32_t node)
{
	uint32_t n = 0;
	for (; node; node = c4w_pq_node(pq, node)->parent)
		n += c4w_pq_node(pq, node)->shape == C4W_PQ_STRUCT && c4w_pq_node(pq, node)->repetition == C4W_PQ_OPTIONAL;
	return n;
}

static int leaf_node(const struct assemble *a, const struct c4w_batch *b, size_t slot, struct c4w_yaml_node **out)
{
	char text[C4W_NUMBER_TEXT];
	struct c4w_view v = { text, 0 };
	bool quoted = false;
	size_t i = slot, n;
	const struct c4w_batch *d = b;
	if (slot >= b->n || !c4w_batch_valid(b, slot))
		return C4W_OK;
	if (b->indices) {
		i = b->indices[slot];
		d = b->dict;
	}
	switch (b->phys) {
	case C4W_PHYS_BOOL:
		v = ((const uint8_t *)d->values)[i] ? C4W_VIEW("true") : C4W_VIEW("false");
		break;
	case C4W_PHYS_INT32:
	case C4W_PHYS_INT64:
		v.n = c4w_format_i64(integer_at(d, i), text);
		break;
	case C4W_PHYS_FLOAT:
		v.n = c4w_format_double((double)((const float *)d->values)[i], text);
		break;
	case C4W_PHYS_DOUBLE:
		v.n = c4w_format_double(((const double *)d->values)[i], text);
		break;
	case C4W_PHYS_BYTES:
		v.p = (const char *)c4w_batch_bytes(b, slot, &n);
		v.n = n;
		quoted = true;
		break;
	default:
		return C4W_OK; /* nothing that JSON could say */
	}
	*out = c4w_yaml_new_scalar(a->arena, v, quoted);
	return *out ? C4W_OK : c4w_fail_memory(a->err, v.n);
}

/* `slot` counts at the depth of `depth` enclosing lists. *out stays NULL for null. */
static int assemble(const struct assemble *a, uint32_t id, uint32_t depth, size_t slot, struct c4w_yaml_node **out)
{
	const struct c4w_pq_node *n = c4w_pq_node(a->pq, id);
	const struct c4w_batch *b = &a->g->leaves[n->first_leaf - a->first_leaf];
	uint32_t i, count = 0;
	size_t from, to, k;
	*out = NULL;
	if (n->nleaves == 0)
		return C4W_OK;
	if (n->shape == C4W_PQ_LEAF && !n->bare_list)
		return leaf_node(a, b, slot, out);
	if (n->shape == C4W_PQ_STRUCT && !n->bare_list) {
		if (n->repetition == C4W_PQ_OPTIONAL) {
			uint32_t place = optional_structs(a->pq, id) - 1;
			if (place < b->nstructs && b->structs[place].depth == depth && !c4w_bit(b->structs[place].validity, slot))
				return C4W_OK;
		}
		*out = c4w_yaml_new_collection(a->arena, C4W_YAML_MAP, n->nchildren);
		if (!*out)
			return c4w_fail_memory(a->err, 0);
		for (i = n->first_child; i; i = c4w_pq_node(a->pq, i)->next) {
			struct c4w_yaml_node *value, *key;
			C4W_TRY(assemble(a, i, depth, slot, &value));
			/* Null: the struct does not say. Of a cost that stands for null itself (section 4). */
			if (!value && a->alone && c4w_view_eqz(c4w_pq_node(a->pq, i)->name, "cost") &&
			    !(value = c4w_yaml_new_scalar(a->arena, C4W_VIEW("null"), false)))
				return c4w_fail_memory(a->err, 0);
			if (!value)
				continue;
			key = c4w_yaml_new_scalar(a->arena, c4w_pq_node(a->pq, i)->name, true);
			if (!key)
				return c4w_fail_memory(a->err, 0);
			(*out)->items[2 * count] = key;
			(*out)->items[2 * count++ + 1] = value;
		}
		(*out)->count = count;
		return c4w_yaml_finish(*out, a->err);
	}
	if (n->shape != C4W_PQ_LISTS || depth >= b->nlists)
		return C4W_OK;
	if (!c4w_bit(b->lists[depth].validity, slot))
		return C4W_OK;
	from = (size_t)b->lists[depth].offsets[slot];
	to = (size_t)b->lists[depth].offsets[slot + 1];
	*out = c4w_yaml_new_collection(a->arena, C4W_YAML_SEQ, to - from);
	if (!*out)
		return c4w_fail_memory(a->err, to - from);
	for (k = from; k < to; k++) {
		struct c4w_yaml_node *value;
		C4W_TRY(assemble(a, n->element, depth + 1, k, &value));
		if (!value && !(value = c4w_yaml_new_scalar(a->arena, C4W_VIEW("null"), false)))
			return c4w_fail_memory(a->err, 0);
		(*out)->items[k - from] = value;
	}
	return c4w_yaml_finish(*out, a->err);
}

int c4w_psg_row_struct(const struct c4w_psg_row *row, struct c4w_arena *arena, struct c4w_yaml_node **out, struct c4w_err *err)
{
	struct assemble a = { row->group, row->group->file->pq, 0, arena, err, row->group->file->json < 0 };
	*out = NULL;
	if (!row->group->leaves)
		return C4W_OK;
	a.first_leaf = c4w_pq_node(a.pq, row->group->file->meta)->first_leaf;
	return assemble(&a, row->group->file->meta, 0, row->at, out);
}

int c4w_psg_row_meta(const struct c4w_psg_row *row, struct c4w_arena *arena, struct c4w_yaml_node **out, struct c4w_err *err)
{
	const uint8_t *p;
	size_t n;
	*out = NULL;
	if (row->group->file->json < 0)
		return c4w_psg_row_struct(row, arena, out, err);
	c4w_psg_row_json(row, &p, &n);
	return p ? c4w_psg_json((struct c4w_view){ (const char *)p, n }, arena, out, err) : C4W_OK;
}
