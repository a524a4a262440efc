/* Checking one row of a shard (formats/passage.md, sections 6 and 8, check 22), and the verify job over shards. */
#include "families/psg_family.h"
#include "families/psg_load.h"
#include "families/psg_shard_impl.h"
#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parts {
	struct c4w_psg_meta meta;
	struct c4w_psg_scan scan;
	struct c4w_psg_route routes[C4W_PSG_ROUTES];
	struct c4w_psg_scene scene;
};

static int check_meta(const struct c4w_psg_row *row, bool full, struct parts *p, struct c4w_arena *arena, struct c4w_psg_sink *s,
		      struct c4w_err *err)
{
	struct c4w_yaml_node *root = NULL, *part = NULL;
	const uint8_t *text;
	size_t n;
	int cls;
	char place[300] = "";
	c4w_psg_row_json(row, &text, &n);
	if (!text && c4w_psg_row_file(row)->json >= 0)
		c4w_psg_report(s, "passage.json", NULL, NULL, "metadata_json is null");
	cls = c4w_psg_row_meta(row, arena, &root, err);
	if (cls != C4W_OK)
		C4W_TRY(c4w_psg_report_err(s, err));
	if (root) {
		c4w_psg_meta_read(root, s, &p->meta);
		p->scene.meta = &p->meta;
		if (!p->scene.r && p->meta.has_resolution)
			p->scene.r = (uint32_t)p->meta.resolution;
	}
	if (!full || !root || !text)
		return C4W_OK;
	cls = c4w_psg_row_struct(row, arena, &part, err);
	if (cls != C4W_OK)
		return c4w_psg_report_err(s, err);
	if (part && c4w_psg_differs(part, root, place, sizeof place))
		c4w_psg_report(s, "passage.struct", NULL, NULL, "the metadata struct differs from metadata_json at %s",
			       place[0] ? place : "the top");
	return C4W_OK;
}

static int check_tensor(const struct c4w_psg_row *row, bool full, struct parts *p, struct c4w_psg_decoder *d, struct c4w_psg_sink *s,
			uint64_t *bytes, struct c4w_err *err)
{
	struct c4w_psg_frame f;
	const uint8_t *data;
	size_t n;
	int cls;
	if (c4w_psg_row_file(row)->tensor < 0)
		return C4W_OK;
	c4w_psg_row_tensor(row, &data, &n);
	if (!data) {
		c4w_psg_report(s, "passage.null", NULL, NULL, "the tensor is null");
		return C4W_OK;
	}
	cls = c4w_psg_frame(data, n, p->scene.r, &f, err);
	return c4w_psg_check_blob(&p->scene, &p->scan, data, n, &f, cls, full, d, s, bytes, err);
}

static int check_routes(const struct c4w_psg_row *row, struct parts *p, struct c4w_arena *arena, struct c4w_psg_sink *s, struct c4w_err *err)
{
	int k;
	for (k = 0; k < C4W_PSG_ROUTES; k++) {
		bool there;
		int cls;
		p->scene.route_path[k] = row->shard->path;
		if (c4w_psg_row_file(row)->route[k] < 0)
			continue;
		cls = c4w_psg_row_route(row, k, p->scene.r, arena, &p->routes[k], &there, err);
		if (cls != C4W_OK)
			C4W_TRY(c4w_psg_report_err(s, err));
		else if (there)
			p->scene.routes[k] = &p->routes[k];
		else if (p->scene.meta && p->meta.routes[k].ok)
			c4w_psg_report(s, "passage.null", NULL, NULL, "%s %s: the route's status is ok, the route is null",
				       c4w_psg_solver[k / 2], c4w_psg_variant[k % 2]);
	}
	return C4W_OK;
}

int c4w_psg_verify_row(const struct c4w_psg_row *row, bool full, struct c4w_psg_decoder *d, struct c4w_arena *arena, struct c4w_psg_sink *s,
		       uint64_t *bytes, struct c4w_err *err)
{
	const struct c4w_psg_shard *shard = row->shard;
	struct parts *p;
	void *mem;
	char shown[64];
	*bytes = 0;
	C4W_TRY(c4w_arena_zero(arena, 1, sizeof *p, &mem, err));
	p = mem;
	s->path = shard->path;
	p->scene.r = shard->r;
	p->scene.dir_r = shard->r ? (int64_t)shard->r : -1;
	p->scene.dir_split = shard->split;
	p->scene.dir_index = row->id_ok ? (int64_t)row->index : -1;
	p->scene.tensor_path = p->scene.meta_path = shard->path;
	if (c4w_psg_row_file(row)->id >= 0) {
		if (!row->id.p) {
			c4w_psg_report(s, "passage.null", NULL, NULL, "the id is null");
		} else if (!row->id_ok) {
			c4w_psg_text(shown, sizeof shown, row->id);
			c4w_psg_report(s, "passage.id", "ten digits", shown, "the id is not ten digits");
		} else if (shard->named && (row->index < shard->name_first || row->index > shard->name_last)) {
			c4w_psg_report(s, "passage.shard-name", NULL, NULL, "the id lies outside the range in the shard's name");
		}
	}
	C4W_TRY(check_meta(row, full, p, arena, s, err));
	C4W_TRY(check_tensor(row, full, p, d, s, bytes, err));
	C4W_TRY(check_routes(row, p, arena, s, err));
	return c4w_psg_check(&p->scene, d, s, err);
}

/* ---- the job ---- */

struct verify {
	struct c4w_psg_shards *set;
	struct c4w_psg_rows *rows;
	struct c4w_psg_sink sink;
	struct c4w_findings names; /* of the shard being read */
	struct c4w_psg_decoders decoders;
	bool full, ended;
	size_t folder;       /* whose ids `seen` holds */
	uint64_t *seen;      /* open addressing, index + 1; 0: free */
	size_t seen_count, seen_cap;
	uint64_t rows_of_file, rows_total;
	const struct c4w_psg_shard *shard;
	size_t shard_at;
};

struct item {
	struct c4w_psg_row row; /* group NULL: not a row */
	struct c4w_findings names;
	bool twice;
	char *text;
	char index[24];
	struct c4w_item_field fields[5];
};

/* Has the id occurred in this folder? */
static int remember(struct verify *v, uint64_t index, bool *twice, struct c4w_err *err)
{
	size_t i;
	*twice = false;
	if (2 * v->seen_count >= v->seen_cap) {
		size_t cap = v->seen_cap ? v->seen_cap * 2 : 1024, k;
		uint64_t *p = calloc(cap, sizeof *p);
		if (!p)
			return c4w_fail_memory(err, cap * sizeof *p);
		for (k = 0; k < v->seen_cap; k++)
			if (v->seen[k]) {
				for (i = (v->seen[k] * 0x9E3779B97F4A7C15ULL >> 20) & (cap - 1); p[i]; i = (i + 1) & (cap - 1))
					;
				p[i] = v->seen[k];
			}
		free(v->seen);
		v->seen = p;
		v->seen_cap = cap;
	}
	for (i = ((index + 1) * 0x9E3779B97F4A7C15ULL >> 20) & (v->seen_cap - 1); v->seen[i]; i = (i + 1) & (v->seen_cap - 1))
		if (v->seen[i] == index + 1) {
			*twice = true;
			return C4W_OK;
		}
	v->seen[i] = index + 1;
	v->seen_count++;
	return C4W_OK;
}

static int file_item(struct verify *v, struct c4w_item *out, const char *text, struct c4w_err *err)
{
	struct item *it = calloc(1, sizeof *it);
	if (!it || !(it->text = strdup(text))) {
		free(it);
		return c4w_fail_memory(err, sizeof *it);
	}
	it->names = v->names;
	v->names = (struct c4w_findings){ .each = true };
	out->data = it;
	out->id.text = it->text;
	return C4W_OK;
}

static int row_item(struct verify *v, struct c4w_psg_row *row, struct c4w_item *out, struct c4w_err *err)
{
	struct item *it = calloc(1, sizeof *it);
	size_t n = strlen(row->shard->path) + 64;
	int cls = C4W_OK;
	if (it && (it->text = malloc(n)) != NULL) {
		it->row = *row;
		if (row->id_ok)
			snprintf(it->index, sizeof it->index, "%010llu", (unsigned long long)row->index);
		else
			snprintf(it->index, sizeof it->index, "row %llu", (unsigned long long)row->number);
		snprintf(it->text, n, "%s %s", row->shard->path, it->index);
		it->fields[0] = (struct c4w_item_field){ "resolution", NULL, row->shard->r, row->shard->r != 0 };
		it->fields[1] = (struct c4w_item_field){ "split", row->shard->split >= 0 ? c4w_psg_split[row->shard->split] : NULL, 0, false };
		it->fields[2] = (struct c4w_item_field){ "index", row->id_ok ? it->index : NULL, 0, false };
		it->fields[3] = (struct c4w_item_field){ "shard", row->shard->path, 0, false };
		it->fields[4] = (struct c4w_item_field){ "row", NULL, (int64_t)row->number, true };
		out->data = it;
		out->id.text = it->text;
		out->id.fields = it->fields;
		out->id.n_fields = 5;
		out->cost = c4w_psg_cost(row->shard->r, c4w_psg_row_blob_bytes(row));
		if (row->id_ok)
			cls = remember(v, row->index, &it->twice, err);
		return cls;
	}
	free(it);
	c4w_psg_row_free(row);
	return c4w_fail_memory(err, sizeof *it);
}

enum place { EXPORT, RESOLUTION, SPLIT };

/* Is the name one that section 6 has there? *below: it is a folder to look into. */
static bool documented(const struct c4w_dirent *e, enum place place, bool *below)
{
	const char *dot = strrchr(e->name, '.');
	bool dir = e->st.kind == C4W_KIND_DIR, samples;
	*below = false;
	switch (place) {
	case EXPORT:
		*below = dir && c4w_psg_square_name(e->name, &samples);
		return *below || (dir && (strcmp(e->name, "calibration") == 0 || strcmp(e->name, "release-receipts") == 0));
	case RESOLUTION:
		*below = dir && c4w_psg_word(c4w_psg_split, c4w_view_z(e->name)) >= 0;
		return *below || (!dir && dot && strcmp(dot, ".ipynb") == 0);
	case SPLIT:
		return !dir && c4w_psg_is_shard_name(e->name);
	}
	return false;
}

static void unknown_files(struct verify *v, const char *rel, enum place place)
{
	struct c4w_arena arena = { 0 };
	struct c4w_dirent *e;
	size_t n, i;
	if (c4w_store_list(c4w_psg_shards_store(v->set), rel, &arena, &e, &n, NULL) == C4W_OK)
		for (i = 0; i < n; i++) {
			char path[600];
			bool below, known = documented(&e[i], place, &below);
			snprintf(path, sizeof path, "%s%s%s", rel, *rel ? "/" : "", e[i].name);
			if (below)
				unknown_files(v, path, place + 1);
			if (known)
				continue;
			v->sink.path = path;
			c4w_psg_report(&v->sink, "passage.unknown-file", NULL, NULL, "'%.100s' is no documented %s", e[i].name,
				       e[i].st.kind == C4W_KIND_DIR ? "folder" : "file");
		}
	v->sink.path = NULL;
	c4w_arena_clear(&arena);
}

/* Where the user pointed at; a folder that is nowhere in an export may hold what it likes. */
static void unknown_names(struct verify *v)
{
	size_t count;
	const struct c4w_psg_shard *shards = c4w_psg_shards_list(v->set, &count);
	enum c4w_psg_shards_kind kind = c4w_psg_shards_kind(v->set);
	if (kind == C4W_PSG_SHARDS_EXPORT)
		unknown_files(v, "", EXPORT);
	else if (kind == C4W_PSG_SHARDS_RESOLUTION)
		unknown_files(v, "", RESOLUTION);
	else if (kind == C4W_PSG_SHARDS_FOLDER && count && shards[0].r)
		unknown_files(v, "", SPLIT);
}

static int next(void *ctx, struct c4w_item *out, bool *end, struct c4w_err *err)
{
	struct verify *v = ctx;
	struct c4w_psg_row row;
	bool done, rows_end;
	size_t count;
	(void)c4w_psg_shards_list(v->set, &count);
	*end = v->ended;
	while (!v->ended) {
		C4W_TRY(c4w_psg_rows_next(v->rows, &row, &done, &rows_end, err));
		if (rows_end) {
			v->ended = true;
			unknown_names(v);
			if (!count)
				c4w_psg_report(&v->sink, "passage.empty", NULL, NULL, "there is no shard");
			if (v->names.n)
				return file_item(v, out, "export", err);
			break;
		}
		if (done) {
			/* The shard just left. One without rows is an item of its own: it is valid, and has been looked at. */
			const char *path = v->shard ? v->shard->path : v->sink.path ? v->sink.path : "shard";
			bool empty = !v->rows_of_file;
			v->shard = NULL;
			v->rows_of_file = 0;
			if (v->names.n || empty)
				return file_item(v, out, path, err);
			continue;
		}
		if (v->shard != row.shard) {
			v->shard = row.shard;
			if (v->folder != row.shard->folder && v->seen) {
				memset(v->seen, 0, v->seen_cap * sizeof *v->seen);
				v->seen_count = 0;
			}
			v->folder = row.shard->folder;
			if (row.shard->named && row.shard->r && row.shard->name_r != row.shard->r) {
				v->sink.path = row.shard->path;
				c4w_psg_report(&v->sink, "passage.shard-name", NULL, NULL, "the resolution in the shard's name is not that of its folder");
			}
		}
		v->rows_of_file++;
		v->rows_total++;
		return row_item(v, &row, out, err);
	}
	*end = true;
	return C4W_OK;
}

static void work(void *ctx, struct c4w_worker *w, struct c4w_item *item, struct c4w_result *result)
{
	struct verify *v = ctx;
	struct item *it = item->data;
	struct c4w_psg_sink sink = c4w_psg_sink_of(&result->findings);
	struct c4w_psg_decoder *d;
	struct c4w_err err;
	if (!it->row.group) {
		c4w_findings_append(&result->findings, &it->names);
		return;
	}
	c4w_err_clear(&err);
	if (it->twice) {
		sink.path = it->row.shard->path;
		c4w_psg_report(&sink, "passage.id-twice", NULL, NULL, "the id has occurred in this folder before");
	}
	d = c4w_psg_decoder_take(&v->decoders, &err);
	if (!d || c4w_psg_verify_row(&it->row, v->full, d, &w->arena, &sink, &result->bytes, &err) != C4W_OK)
		c4w_findings_add_err(&result->findings, NULL, sink.path, &err);
	c4w_psg_decoder_give(&v->decoders, d);
}

static void release(void *ctx, struct c4w_item *item, struct c4w_result *result)
{
	struct item *it = item->data;
	(void)ctx;
	(void)result;
	if (!it)
		return;
	c4w_psg_row_free(&it->row);
	c4w_findings_clear(&it->names);
	free(it->text);
	free(it);
}

static void destroy(void *ctx)
{
	struct verify *v = ctx;
	c4w_psg_rows_free(v->rows);
	c4w_findings_clear(&v->names);
	c4w_psg_decoders_clear(&v->decoders);
	free(v->seen);
	free(v);
}

int c4w_psg_verify_shards(struct c4w_psg_shards *set, const struct c4w_psg_select *sel, bool full, struct c4w_job *out, struct c4w_err *err)
{
	struct verify *v = calloc(1, sizeof *v);
	int cls;
	if (!v)
		return c4w_fail_memory(err, sizeof *v);
	v->set = set;
	v->full = full;
	v->folder = SIZE_MAX;
	c4w_psg_decoders_init(&v->decoders);
	v->sink = c4w_psg_sink_of(&v->names);
	cls = c4w_psg_rows_new(set, sel, full ? C4W_PSG_COL_ALL : C4W_PSG_COL_ALL & ~(unsigned)(C4W_PSG_COL_STRUCT | C4W_PSG_COL_IMAGES), &v->sink,
			       &v->rows, err);
	if (cls != C4W_OK) {
		destroy(v);
		return cls;
	}
	memset(out, 0, sizeof *out);
	out->ctx = v;
	out->next = next;
	out->work = work;
	out->release = release;
	out->destroy = destroy;
	return C4W_OK;
}
