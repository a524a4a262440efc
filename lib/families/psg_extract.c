/* Extracting: scenes out of shards, or out of a tree, into a generator tree (formats/passage.md, section 6, "Out of a shard").
 *
 * Of a row the tensor stays as it is, the metadata is written as YAML that parses to the values of metadata_json, routes are CSV with LF.
 * Receipts are copied from a tree and never invented. A scene's parts are made in memory first, so that one that fails leaves
 * nothing; the receipt goes last, as the generator writes it.
 */
#include "families/psg_decode.h"
#include "families/psg_claims.h"
#include "families/psg_load.h"
#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct extract {
	struct c4w_psg_root *root;
	const struct c4w_psg_select *sel;
	struct c4w_write_opts o;
	struct c4w_psg_walk *walk;
	struct c4w_psg_rows *rows;
	struct c4w_psg_claims *claims; /* of rows: a tree has one scene a path */
	struct c4w_psg_decoders decoders;
	atomic_uint_fast64_t written, stayed;
};

struct item {
	struct c4w_psg_ref ref;
	struct c4w_psg_row row;
	char text[96];
	struct c4w_err err; /* of a shard that can't be read (on): the others may be fine */
};

struct file {
	char path[160];
	const void *p;
	size_t n;
	bool stays;
};

static unsigned wanted_columns(const struct c4w_psg_select *sel, int verify)
{
	unsigned want = C4W_PSG_COL_JSON | C4W_PSG_COL_TENSOR;
	int k;
	if (verify != C4W_LEVEL_NONE)
		return C4W_PSG_COL_ALL;
	for (k = 0; k < C4W_PSG_ROUTES; k++)
		if (c4w_psg_selects_route(sel, k))
			want |= (unsigned)C4W_PSG_COL_ROUTE0 << k;
	return want;
}

static int next(void *ctx, struct c4w_item *out, bool *end, struct c4w_err *err)
{
	struct extract *x = ctx;
	struct item *it = calloc(1, sizeof *it);
	int cls;
	if (!it)
		return c4w_fail_memory(err, sizeof *it);
	if (x->root->tree)
		cls = c4w_psg_walk_next(x->walk, &it->ref, NULL, end, &it->err);
	else
		cls = c4w_psg_rows_next(x->rows, &it->row, NULL, end, &it->err);
	if (cls != C4W_OK && x->rows && c4w_psg_report_err(NULL, &it->err) == C4W_OK) {
		snprintf(it->text, sizeof it->text, "%.90s", it->err.path);
		out->data = it;
		out->id.text = it->text;
		return C4W_OK;
	}
	if (cls != C4W_OK || *end) {
		if (cls != C4W_OK && err)
			*err = it->err;
		free(it);
		return cls;
	}
	if (x->root->tree)
		c4w_psg_ref_name(&it->ref, it->text, sizeof it->text);
	else if (it->row.id_ok)
		snprintf(it->text, sizeof it->text, "%.60s %010llu", it->row.shard->path, (unsigned long long)it->row.index);
	else
		snprintf(it->text, sizeof it->text, "%.60s row %llu", it->row.shard->path, (unsigned long long)it->row.number);
	out->data = it;
	out->id.text = it->text;
	out->cost = x->root->tree ? c4w_psg_ref_cost(x->root->tree, &it->ref) : c4w_psg_cost(it->row.shard->r, c4w_psg_row_blob_bytes(&it->row));
	return C4W_OK;
}

/* All or nothing. What is right already stays, and what was there before is no business of a failure. */
static int put_all(struct extract *x, struct file *v, size_t n, struct c4w_result *result, struct c4w_err *err)
{
	size_t i;
	uint64_t bytes = 0, written = 0;
	int cls = C4W_OK;
	for (i = 0; i < n && cls == C4W_OK; i++) {
		v[i].stays = x->o.keep_existing && c4w_psg_holds(x->o.sink, v[i].path, v[i].p, v[i].n);
		if (v[i].stays)
			continue;
		cls = c4w_sink_put(x->o.sink, v[i].path, v[i].p, v[i].n, 0, false, err);
		if (cls == C4W_OK) {
			bytes += v[i].n;
			written++;
		}
	}
	if (cls != C4W_OK) {
		for (i--; i-- > 0;)
			if (!v[i].stays && c4w_sink_remove(x->o.sink, v[i].path, NULL) != C4W_OK)
				break; /* the first failure is what is told */
		return cls;
	}
	atomic_fetch_add(&x->written, written);
	atomic_fetch_add(&x->stayed, n - written);
	result->bytes = bytes;
	return C4W_OK;
}

/* Shards may repeat scenes, as samples do. One that says what has been written says nothing new; another is a contradiction. */
static int put_once(struct extract *x, struct file *v, size_t n, struct c4w_result *result, struct c4w_err *err)
{
	size_t i, claim;
	bool written;
	int cls;
	C4W_TRY(c4w_psg_claim(x->claims, v[0].path, &claim, &written, err));
	if (!written) {
		cls = put_all(x, v, n, result, err);
		c4w_psg_claim_end(x->claims, claim, cls == C4W_OK);
		return cls;
	}
	for (i = 0; i < n && c4w_psg_holds(x->o.sink, v[i].path, v[i].p, v[i].n); i++)
		;
	c4w_psg_claim_end(x->claims, claim, true);
	if (i == n) {
		atomic_fetch_add(&x->stayed, n);
		return C4W_OK;
	}
	return c4w_damaged(err, "passage.scene-twice", -1, "the scene occurs twice in what is extracted, and '%s' differs", v[i].path);
}

static int extract_ref(struct extract *x, struct item *it, struct c4w_arena *arena, struct c4w_result *result, struct c4w_err *err)
{
	static const unsigned order[9] = { 0, 1, 3, 4, 5, 6, 7, 8, 2 };
	struct c4w_store *store = c4w_psg_tree_store(x->root->tree);
	struct c4w_psg_unit unit = *it->ref.unit;
	struct c4w_psg_ref to = it->ref;
	struct file files[9];
	size_t n = 0, i;
	char rel[160];
	/* A tree that was opened by one of its parts may not say where the scene belongs; its metadata does. */
	if ((!unit.r || unit.split < 0) && (it->ref.have & C4W_PSG_HAVE_META)) {
		struct c4w_yaml_node *root;
		struct c4w_psg_meta m;
		c4w_psg_ref_path(&it->ref, 1, rel, sizeof rel);
		C4W_TRY(c4w_psg_read_meta(store, rel, arena, &root, err));
		c4w_psg_meta_read(root, NULL, &m);
		if (!unit.r && m.has_resolution)
			unit.r = (uint32_t)m.resolution;
		if (unit.split < 0)
			unit.split = m.split;
	}
	if (!unit.r || unit.split < 0)
		return c4w_fail(err, C4W_UNSUPPORTED, "neither the path nor the metadata says the scene's resolution and split");
	snprintf(unit.base, sizeof unit.base, "%u/%s/", unit.r, c4w_psg_split[unit.split]);
	to.unit = &unit;
	for (i = 0; i < 9; i++) {
		unsigned part = order[i];
		const uint8_t *p;
		if (!(it->ref.have & (1u << part)) || (part >= 3 && !c4w_psg_selects_route(x->sel, (int)part - 3)))
			continue;
		c4w_psg_ref_path(&it->ref, part, rel, sizeof rel);
		C4W_TRY(c4w_psg_read(store, rel, C4W_LIMIT_MEMORY, arena, &p, &files[n].n, err));
		files[n].p = p;
		c4w_psg_ref_path(&to, part, files[n].path, sizeof files[n].path);
		n++;
	}
	return put_all(x, files, n, result, err);
}

static int csv_of(const struct c4w_psg_route *r, struct c4w_arena *arena, struct file *f, struct c4w_err *err)
{
	char *p;
	void *mem;
	size_t i, n = 0;
	C4W_TRY(c4w_arena_take(arena, r->n * 12 + 1, &mem, err)); /* "16383,16383\n" */
	p = mem;
	for (i = 0; i < r->n; i++)
		n += (size_t)snprintf(p + n, r->n * 12 + 1 - n, "%u,%u\n", c4w_psg_row(r->cells[i]), c4w_psg_column(r->cells[i]));
	f->p = p;
	f->n = n;
	return C4W_OK;
}

static int extract_row(struct extract *x, struct item *it, struct c4w_arena *arena, struct c4w_result *result, struct c4w_err *err)
{
	struct c4w_psg_unit unit = { .r = it->row.shard->r, .split = it->row.shard->split };
	struct c4w_psg_ref to = { .unit = &unit, .index = it->row.index };
	struct c4w_psg_frame frame;
	struct c4w_yaml_node *root;
	struct c4w_psg_meta m;
	struct c4w_buf yaml = { 0 };
	struct file files[8];
	const uint8_t *p;
	char ns[8], ew[8];
	size_t n = 0;
	int k, cls;
	if (!it->row.id_ok)
		return c4w_damaged(err, "passage.id", -1, "the row's id is not ten digits");
	C4W_TRY(c4w_psg_row_meta(&it->row, arena, &root, err));
	if (!root)
		return c4w_damaged(err, "passage.json", -1, "the row has no metadata");
	c4w_psg_meta_read(root, NULL, &m);
	if (!m.has_tile || m.tile[0] < -999 || m.tile[0] > 999 || m.tile[1] < -999 || m.tile[1] > 999)
		return c4w_damaged(err, "passage.tile", -1, "the metadata has no tile.source, so the scene has no place in a tree");
	if (!unit.r && m.has_resolution)
		unit.r = (uint32_t)m.resolution;
	if (unit.split < 0)
		unit.split = m.split;
	c4w_psg_row_tensor(&it->row, &p, &files[0].n);
	if (!p)
		return c4w_damaged(err, "passage.null", -1, "the row has no tensor");
	C4W_TRY(c4w_psg_frame(p, files[0].n, unit.r, &frame, err));
	unit.r = frame.r;
	if (unit.split < 0)
		return c4w_fail(err, C4W_UNSUPPORTED, "neither the folder nor the metadata says the scene's split");
	snprintf(unit.base, sizeof unit.base, "%u/%s/", unit.r, c4w_psg_split[unit.split]);
	c4w_psg_tile_name(m.tile[0], false, ns);
	c4w_psg_tile_name(m.tile[1], true, ew);
	memcpy(to.lat, ns, 5);
	memcpy(to.lon, ew, 5);
	files[n].p = p;
	c4w_psg_ref_path(&to, 0, files[n].path, sizeof files[n].path);
	n++;
	c4w_yaml_write(&yaml, root);
	cls = c4w_buf_ok(&yaml, err);
	files[n].p = yaml.p;
	files[n].n = yaml.n;
	c4w_psg_ref_path(&to, 1, files[n].path, sizeof files[n].path);
	n++;
	for (k = 0; k < C4W_PSG_ROUTES && cls == C4W_OK; k++) {
		struct c4w_psg_route route;
		bool there;
		if (!c4w_psg_selects_route(x->sel, k))
			continue;
		cls = c4w_psg_row_route(&it->row, k, unit.r, arena, &route, &there, err);
		if (cls != C4W_OK || !there)
			continue;
		c4w_psg_ref_path(&to, 3 + (unsigned)k, files[n].path, sizeof files[n].path);
		cls = csv_of(&route, arena, &files[n], err);
		n++;
	}
	if (cls == C4W_OK)
		cls = put_once(x, files, n, result, err);
	c4w_buf_clear(&yaml);
	return cls;
}

static bool has_errors(const struct c4w_findings *fs)
{
	size_t i;
	for (i = 0; i < fs->n; i++)
		if (fs->v[i].severity == C4W_SEV_ERROR)
			return true;
	return fs->failed;
}

static int check(struct extract *x, struct item *it, struct c4w_arena *arena, struct c4w_psg_sink *sink, struct c4w_err *err)
{
	bool full = x->o.verify == C4W_LEVEL_FULL;
	struct c4w_psg_decoder *d;
	uint64_t bytes;
	int cls;
	if (x->o.verify == C4W_LEVEL_NONE)
		return C4W_OK;
	d = c4w_psg_decoder_take(&x->decoders, err);
	if (!d)
		return C4W_MEMORY;
	if (x->root->tree) /* receipts are no matter of whether a scene can be copied */
		cls = c4w_psg_verify_ref(x->root->tree, &it->ref, false, full, d, arena, sink, &bytes, err);
	else
		cls = c4w_psg_verify_row(&it->row, full, d, arena, sink, &bytes, err);
	c4w_psg_decoder_give(&x->decoders, d);
	return cls;
}

static void work(void *ctx, struct c4w_worker *w, struct c4w_item *item, struct c4w_result *result)
{
	struct extract *x = ctx;
	struct item *it = item->data;
	struct c4w_psg_sink sink = c4w_psg_sink_of(&result->findings);
	struct c4w_err err;
	int cls;
	if (it->err.cls != C4W_OK) {
		c4w_findings_add_err(&result->findings, NULL, NULL, &it->err);
		return;
	}
	c4w_err_clear(&err);
	cls = check(x, it, &w->arena, &sink, &err);
	if (cls == C4W_OK && has_errors(&result->findings))
		return;
	if (cls == C4W_OK)
		cls = x->root->tree ? extract_ref(x, it, &w->arena, result, &err) : extract_row(x, it, &w->arena, result, &err);
	if (cls != C4W_OK)
		c4w_findings_add_err(&result->findings, NULL, NULL, &err);
}

static void release(void *ctx, struct c4w_item *item, struct c4w_result *result)
{
	struct item *it = item->data;
	(void)ctx;
	(void)result;
	if (it)
		c4w_psg_row_free(&it->row);
	free(it);
}

static int finish(void *ctx, struct c4w_err *err)
{
	return c4w_sink_sync(((struct extract *)ctx)->o.sink, err);
}

static void destroy(void *ctx)
{
	struct extract *x = ctx;
	c4w_psg_walk_free(x->walk);
	c4w_psg_rows_free(x->rows);
	c4w_psg_claims_free(x->claims);
	c4w_psg_decoders_clear(&x->decoders);
	free(x);
}

/* Count what is selected. */
static int plan_tree(struct extract *x, struct c4w_plan *plan, struct c4w_err *err)
{
	struct c4w_psg_walk *w;
	bool end = false;
	int cls;
	C4W_TRY(c4w_psg_walk_new(x->root->tree, x->sel, C4W_PSG_HAVE_ALL, NULL, &w, err));
	for (;;) {
		struct c4w_psg_ref ref;
		unsigned part;
		cls = c4w_psg_walk_next(w, &ref, NULL, &end, err);
		if (cls != C4W_OK || end)
			break;
		plan->counts[0].n++;
		for (part = 0; part < 9; part++) {
			struct c4w_stat st;
			char rel[160];
			if (!(ref.have & (1u << part)) || (part >= 3 && !c4w_psg_selects_route(x->sel, (int)part - 3)))
				continue;
			c4w_psg_ref_path(&ref, part, rel, sizeof rel);
			if (c4w_store_stat(c4w_psg_tree_store(x->root->tree), rel, &st, NULL) == C4W_OK)
				plan->bytes += st.size;
			plan->files++;
		}
	}
	c4w_psg_walk_free(w);
	return cls;
}

static int plan_shards(struct extract *x, struct c4w_plan *plan, uint64_t *broken_shards, struct c4w_err *err)
{
	uint64_t broken = 0;
	struct c4w_psg_rows *r;
	bool end = false;
	int cls, k;
	uint64_t each = 2;
	for (k = 0; k < C4W_PSG_ROUTES; k++)
		each += c4w_psg_selects_route(x->sel, k);
	C4W_TRY(c4w_psg_rows_new(x->root->shards, x->sel, 0, NULL, &r, err));
	for (;;) {
		struct c4w_psg_row row;
		int64_t rows;
		struct c4w_pq_chunk chunk;
		struct c4w_err e;
		cls = c4w_psg_rows_next(r, &row, NULL, &end, &e);
		if (cls != C4W_OK && c4w_psg_report_err(NULL, &e) == C4W_OK) { /* the job tells it */
			broken++;
			continue;
		}
		if (cls != C4W_OK && err)
			*err = e;
		if (cls != C4W_OK || end)
			break;
		plan->counts[0].n++;
		plan->files += each;
		/* A row's share of its shard's tensors, as the footer has them, and what metadata and routes take about. */
		rows = c4w_pq_rows(c4w_psg_row_file(&row)->pq);
		if (c4w_psg_row_file(&row)->tensor >= 0 && rows > 0) {
			c4w_pq_chunk(c4w_psg_row_file(&row)->pq, 0, (size_t)c4w_psg_row_file(&row)->tensor, &chunk);
			plan->bytes += (uint64_t)chunk.uncompressed / (uint64_t)(chunk.values > 0 ? chunk.values : 1) + 8192;
		}
		c4w_psg_row_free(&row);
	}
	c4w_psg_rows_free(r);
	*broken_shards = broken;
	return cls;
}

static void tally(void *ctx, uint64_t *written, uint64_t *stayed)
{
	struct extract *x = ctx;
	*written = atomic_load(&x->written);
	*stayed = atomic_load(&x->stayed);
}

static int sources(void *ctx, void (*each)(void *user, const char *path), void *user, struct c4w_err *err)
{
	struct extract *x = ctx;
	struct c4w_psg_walk *w;
	bool end = false;
	size_t n, i;
	int cls;
	if (x->root->shards) {
		const struct c4w_psg_shard *v = c4w_psg_shards_list(x->root->shards, &n);
		for (i = 0; i < n; i++)
			if (c4w_psg_selects_unit(x->sel, v[i].r, v[i].split))
				each(user, v[i].full);
		return C4W_OK;
	}
	C4W_TRY(c4w_psg_walk_new(x->root->tree, x->sel, C4W_PSG_HAVE_ALL, NULL, &w, err));
	for (;;) {
		struct c4w_psg_ref ref;
		unsigned part;
		char rel[160];
		cls = c4w_psg_walk_next(w, &ref, NULL, &end, err);
		if (cls != C4W_OK || end)
			break;
		for (part = 0; part < 9 && cls == C4W_OK; part++)
			if (ref.have & (1u << part)) {
				c4w_psg_ref_path(&ref, part, rel, sizeof rel);
				cls = c4w_writing_source(c4w_psg_tree_store(x->root->tree), rel, each, user, err);
			}
		if (cls != C4W_OK)
			break;
	}
	c4w_psg_walk_free(w);
	return cls;
}

int c4w_psg_extract(void *root, const void *selection, const struct c4w_write_opts *opts, struct c4w_writing *out, struct c4w_err *err)
{
	struct extract *x = calloc(1, sizeof *x);
	uint64_t broken = 0;
	int cls;
	memset(out, 0, sizeof *out);
	if (!x)
		return c4w_fail_memory(err, sizeof *x);
	c4w_psg_decoders_init(&x->decoders);
	x->root = root;
	x->sel = selection;
	x->o = *opts;
	out->plan.counts[0].noun = "scenes";
	out->plan.n_counts = 1;
	cls = x->root->tree ? plan_tree(x, &out->plan, err) : plan_shards(x, &out->plan, &broken, err);
	if (cls == C4W_OK && !out->plan.counts[0].n && !broken)
		cls = c4w_fail(err, C4W_USAGE, "there is no scene that is selected");
	if (cls == C4W_OK && x->root->tree)
		cls = c4w_psg_walk_new(x->root->tree, x->sel, C4W_PSG_HAVE_ALL, NULL, &x->walk, err);
	else if (cls == C4W_OK)
		cls = c4w_psg_rows_new(x->root->shards, x->sel, wanted_columns(x->sel, opts->verify), NULL, &x->rows, err);
	if (cls == C4W_OK && x->rows)
		cls = c4w_psg_claims_new(&x->claims, err);
	if (cls != C4W_OK) {
		destroy(x);
		return cls;
	}
	out->ctx = x;
	out->job = (struct c4w_job){ .ctx = x, .next = next, .work = work, .release = release, .total_items = out->plan.counts[0].n };
	out->finish = finish;
	out->tally = tally;
	out->sources = sources;
	out->destroy = destroy;
	return C4W_OK;
}
