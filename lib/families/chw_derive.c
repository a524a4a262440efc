/* What makes written items a root: indexes of parts, the three tables, the manifest (sections 1 and 7); and the two entry points. */
#include "families/chw_prepare.h"

#include "base/sha256.h"
#include "containers/pq_write.h"

#include <inttypes.h>

#define ROOT_FILE "c4w-root.json"

/* ---- tables ---- */

enum { CHUNK = 65536 }; /* rows that stand in memory as columns */

struct column { /* one column of a table while its rows are made */
	bool text;
	struct c4w_buf bytes;
	int64_t *offsets;
	int64_t *numbers;
	uint8_t *valid;
	size_t n, nulls;
};

struct table {
	struct column c[8];
	unsigned n;
	struct c4w_pq_writer *w;
	struct c4w_buf out;
};

static int to_buf(void *ctx, const void *p, size_t n, struct c4w_err *err)
{
	struct c4w_buf *b = ctx;
	c4w_buf_put(b, p, n);
	return c4w_buf_ok(b, err);
}

static int table_begin(struct table *t, const char *const *names, const char *kinds, struct c4w_err *err)
{
	struct c4w_pq_node nodes[9] = { { .name = C4W_VIEW("schema") } };
	struct c4w_pq_write_opts opts = { .codec = 6 };
	unsigned i;
	t->n = (unsigned)strlen(kinds);
	nodes[0].nchildren = t->n;
	for (i = 0; i < t->n; i++) {
		struct column *c = &t->c[i];
		c->text = kinds[i] == 's';
		nodes[i + 1].name = c4w_view_z(names[i]);
		nodes[i + 1].repetition = C4W_PQ_OPTIONAL;
		nodes[i + 1].type = c->text ? C4W_PQ_BYTE_ARRAY : C4W_PQ_INT64;
		if (c->text)
			nodes[i + 1].logical = C4W_PQ_L_STRING;
		c->valid = calloc(CHUNK / 8, 1);
		c->offsets = c->text ? calloc(CHUNK + 1, sizeof *c->offsets) : NULL;
		c->numbers = c->text ? NULL : calloc(CHUNK, sizeof *c->numbers);
		if (!c->valid || (c->text ? !c->offsets : !c->numbers))
			return c4w_fail_memory(err, CHUNK * sizeof *c->offsets);
	}
	return c4w_pq_writer_new(nodes, t->n + 1, &opts, to_buf, &t->out, &t->w, err);
}

static void put_text(struct table *t, unsigned i, const char *text, size_t n)
{
	struct column *c = &t->c[i];
	if (text) {
		c4w_buf_put(&c->bytes, text, n);
		c->valid[c->n / 8] |= (uint8_t)(1 << c->n % 8);
	} else {
		c->nulls++;
	}
	c->offsets[++c->n] = (int64_t)c->bytes.n;
}

static void put_z(struct table *t, unsigned i, const char *text)
{
	put_text(t, i, text, text ? strlen(text) : 0);
}

static void put_digest(struct table *t, unsigned i, const struct chw_digest *d)
{
	char hex[65];
	put_text(t, i, d ? c4w_hex(hex, d->b, 32) : NULL, 64);
}

static void put_number(struct table *t, unsigned i, int64_t v, bool there)
{
	struct column *c = &t->c[i];
	c->numbers[c->n] = there ? v : 0;
	if (there)
		c->valid[c->n / 8] |= (uint8_t)(1 << c->n % 8);
	else
		c->nulls++;
	c->n++;
}

static int table_flush(struct table *t, struct c4w_err *err)
{
	struct c4w_batch b[8];
	size_t rows = t->c[0].n;
	unsigned i;
	memset(b, 0, sizeof b);
	for (i = 0; i < t->n; i++) {
		struct column *c = &t->c[i];
		C4W_TRY(c4w_buf_ok(&c->bytes, err));
		b[i] = (struct c4w_batch){ .phys = c->text ? C4W_PHYS_BYTES : C4W_PHYS_INT64, .width = c->text ? 0 : 8, .rows = rows, .n = rows,
					   .nulls = c->nulls, .validity = c->nulls ? c->valid : NULL };
		b[i].values = c->numbers;
		b[i].offsets = c->offsets;
		b[i].bytes = c->text ? (const uint8_t *)(c->bytes.p ? c->bytes.p : "") : NULL;
	}
	C4W_TRY(c4w_pq_writer_put(t->w, rows, b, err));
	for (i = 0; i < t->n; i++) {
		struct column *c = &t->c[i];
		c4w_buf_reset(&c->bytes);
		memset(c->valid, 0, CHUNK / 8);
		c->n = c->nulls = 0;
	}
	return C4W_OK;
}

static int table_row_done(struct table *t, struct c4w_err *err)
{
	return t->c[0].n == CHUNK ? table_flush(t, err) : C4W_OK;
}

static void table_clear(struct table *t)
{
	unsigned i;
	for (i = 0; i < 8; i++) {
		c4w_buf_clear(&t->c[i].bytes);
		free(t->c[i].offsets);
		free(t->c[i].numbers);
		free(t->c[i].valid);
	}
	c4w_pq_writer_free(t->w);
	c4w_buf_clear(&t->out);
}

struct table_ref {
	const char *path;
	struct chw_digest sha;
	uint64_t bytes;
};

static int table_end(struct chw_prepare *p, struct table *t, struct table_ref *ref, struct c4w_err *err)
{
	if (t->c[0].n)
		C4W_TRY(table_flush(t, err));
	C4W_TRY(c4w_pq_writer_finish(t->w, err));
	c4w_sha256(t->out.p, t->out.n, ref->sha.b);
	ref->bytes = t->out.n;
	return chw_put(p, ref->path, t->out.p, t->out.n, 0, NULL, err);
}

static int scene_rows(struct chw_prepare *p, struct table *t, struct c4w_err *err)
{
	static const char *const names[] = { "scene_id", "split", "profile", "tier", "group", "group_order", "scene_order" };
	const struct chw_root *r = p->root;
	uint8_t *wanted = calloc(r->n_scenes + 1, 1);
	uint32_t i;
	int cls = wanted ? table_begin(t, names, "sssssii", err) : c4w_fail_memory(err, r->n_scenes);
	for (i = 0; wanted && i < p->sel->n_scenes; i++)
		wanted[p->sel->scenes[i]] = 1;
	for (i = 0; cls == C4W_OK && i < r->n_scenes; i++) {
		const struct chw_scene *s = &r->scenes[i];
		if (!wanted[i])
			continue;
		put_z(t, 0, s->id);
		put_z(t, 1, r->splits.v[s->split]);
		put_z(t, 2, r->profiles.v[s->profile]);
		put_z(t, 3, r->tiers.v[s->tier]);
		put_z(t, 4, r->groups[s->group].name);
		put_number(t, 5, s->group_order, true);
		put_number(t, 6, s->scene_order, true);
		cls = table_row_done(t, err);
	}
	free(wanted);
	return cls;
}

static int file_row(struct table *t, const char *path, int64_t bytes, const struct chw_digest *sha, const char *group, enum chw_file_kind kind,
		    enum chw_component c, int64_t hz, const struct chw_digest *record, struct c4w_err *err)
{
	put_z(t, 0, path);
	put_number(t, 1, bytes, true);
	put_digest(t, 2, sha);
	put_z(t, 3, group);
	put_z(t, 4, chw_file_kind_names[kind]);
	put_z(t, 5, chw_component_names[c]);
	put_number(t, 6, hz, hz >= 0);
	put_digest(t, 7, record);
	return table_row_done(t, err);
}

static int payload_row(struct chw_prepare *p, struct table *t, const struct chw_planned *x, struct c4w_err *err)
{
	return file_row(t, x->path, x->bytes, &x->sha, p->root->groups[x->group].name, CHW_PAYLOAD, (enum chw_component)x->component, x->hz, &x->id,
			err);
}

/* index.json of a part: written, and its row and its arrays' put into the table. */
static int part_rows(struct chw_prepare *p, struct table *t, struct chw_out_part *part, struct c4w_err *err)
{
	const char *group = p->root->groups[part->group].name;
	unsigned n, k;
	const struct chw_field *fields = chw_fields(part->component, &n);
	struct c4w_buf text = { 0 }, head = { 0 };
	struct c4w_json_out j = c4w_json_out(&text, (struct c4w_json_style){ .indent = 1, .ascii = true });
	char rel[1024], hex[65];
	struct chw_digest sha;
	uint32_t i;
	int cls;
	c4w_jo_object(&j);
	c4w_jo_key(&j, "component");
	c4w_jo_z(&j, chw_component_names[part->component]);
	c4w_jo_key(&j, "frequency_hz");
	if (part->hz < 0)
		c4w_jo_null(&j);
	else
		c4w_jo_i64(&j, part->hz);
	c4w_jo_key(&j, "records");
	c4w_jo_array(&j);
	for (i = part->first; i != CHW_NONE; i = p->items[i].next)
		c4w_jo_z(&j, c4w_hex(hex, p->items[i].id.b, 32));
	c4w_jo_end(&j);
	c4w_jo_key(&j, "fields");
	c4w_jo_object(&j);
	for (k = 0; k < n; k++) {
		snprintf(rel, sizeof rel, "%s/%s.npy", part->dir, fields[k].name);
		c4w_jo_key(&j, fields[k].name);
		c4w_jo_z(&j, rel);
	}
	c4w_jo_end(&j);
	c4w_jo_end(&j);
	cls = c4w_buf_ok(&text, err);
	if (cls == C4W_OK) {
		c4w_sha256(text.p, text.n, sha.b);
		snprintf(rel, sizeof rel, "%s/index.json", part->dir);
		cls = chw_put(p, rel, text.p, text.n, 0, NULL, err);
	}
	if (cls == C4W_OK)
		cls = file_row(t, rel, (int64_t)text.n, &sha, group, CHW_CACHE_INDEX, part->component, part->hz, NULL, err);
	for (k = 0; cls == C4W_OK && k < n; k++) {
		uint64_t body;
		c4w_buf_reset(&head);
		chw_part_header(part, &fields[k], &head, &body);
		snprintf(rel, sizeof rel, "%s/%s.npy", part->dir, fields[k].name);
		cls = c4w_buf_ok(&head, err);
		if (cls == C4W_OK)
			cls = file_row(t, rel, (int64_t)(head.n + body), NULL, group, CHW_CACHE_ARRAY, part->component, part->hz, NULL, err);
	}
	c4w_buf_clear(&text);
	c4w_buf_clear(&head);
	return cls;
}

static int file_rows(struct chw_prepare *p, struct table *t, struct c4w_err *err)
{
	static const char *const names[] = { "path", "bytes", "sha256", "group", "kind", "component", "frequency_hz", "record_id" };
	const struct chw_root *r = p->root;
	uint32_t i;
	C4W_TRY(table_begin(t, names, "sissssis", err));
	for (i = 0; i < p->n_meta; i++) {
		const struct chw_file *f = &r->files[p->meta[i]];
		C4W_TRY(file_row(t, f->path, f->bytes, f->has_sha ? &f->sha : NULL, f->group == CHW_NONE ? NULL : r->groups[f->group].name,
				 (enum chw_file_kind)f->kind, (enum chw_component)f->component, f->hz, f->has_record ? &f->record : NULL, err));
	}
	for (i = 0; i < p->n_parts; i++)
		C4W_TRY(part_rows(p, t, &p->parts[i], err));
	for (i = 0; i < p->n_items; i++)
		if (p->items[i].path)
			C4W_TRY(payload_row(p, t, &p->items[i], err));
	return C4W_OK;
}

static int record_rows(struct chw_prepare *p, struct table *t, struct c4w_err *err)
{
	static const char *const names[] = { "record_id" };
	uint32_t i;
	C4W_TRY(table_begin(t, names, "s", err));
	for (i = 0; i < p->n_items; i++) {
		put_digest(t, 0, &p->items[i].id);
		C4W_TRY(table_row_done(t, err));
	}
	return C4W_OK;
}

static int write_table(struct chw_prepare *p, int (*rows)(struct chw_prepare *, struct table *, struct c4w_err *), struct table_ref *ref,
		       struct c4w_err *err)
{
	struct table t;
	int cls;
	memset(&t, 0, sizeof t);
	cls = rows(p, &t, err);
	if (cls == C4W_OK)
		cls = table_end(p, &t, ref, err);
	table_clear(&t);
	return cls;
}

/* ---- the manifest ---- */

static bool carrier_written(const struct chw_prepare *p, int64_t hz)
{
	uint32_t i;
	for (i = 0; i < p->n_parts; i++)
		if (p->parts[i].hz == hz)
			return true;
	for (i = 0; i < p->n_items; i++)
		if (p->items[i].hz == hz)
			return true;
	return false;
}

static void put_table(struct c4w_json_out *j, const char *name, const struct table_ref *ref)
{
	char hex[65];
	c4w_jo_key(j, name);
	c4w_jo_object(j);
	c4w_jo_key(j, "bytes");
	c4w_jo_u64(j, ref->bytes);
	c4w_jo_key(j, "path");
	c4w_jo_z(j, ref->path);
	c4w_jo_key(j, "sha256");
	c4w_jo_z(j, c4w_hex(hex, ref->sha.b, 32));
	c4w_jo_end(j);
}

/* Keys in sorted order, as the reference writes them. */
static void put_manifest(const struct chw_prepare *p, const struct table_ref refs[3], struct c4w_buf *out)
{
	const struct chw_root *r = p->root;
	struct c4w_json_out j = c4w_json_out(out, (struct c4w_json_style){ .indent = 1, .ascii = true });
	char hex[65];
	uint32_t i;
	c4w_jo_object(&j);
	c4w_jo_key(&j, "collection_id");
	c4w_jo_z(&j, r->collection_id);
	c4w_jo_key(&j, "created_by");
	c4w_jo_z(&j, p->tool);
	c4w_jo_key(&j, "format");
	c4w_jo_z(&j, "channels4world.root");
	c4w_jo_key(&j, "format_version");
	c4w_jo_i64(&j, 1);
	c4w_jo_key(&j, "frequencies_hz");
	c4w_jo_array(&j);
	for (i = 0; i < r->n_frequencies; i++)
		if (carrier_written(p, r->frequencies[i]))
			c4w_jo_i64(&j, r->frequencies[i]);
	c4w_jo_end(&j);
	c4w_jo_key(&j, "hf_path");
	c4w_jo_null(&j);
	c4w_jo_key(&j, "hf_repo");
	c4w_jo_null(&j);
	c4w_jo_key(&j, "kind");
	c4w_jo_z(&j, chw_kind_names[p->cache ? CHW_CACHE : CHW_SUBSET]);
	c4w_jo_key(&j, "payload");
	c4w_jo_z(&j, chw_payload_names[p->cache ? CHW_CACHE : CHW_SUBSET]);
	c4w_jo_key(&j, "release");
	c4w_jo_z(&j, r->release);
	c4w_jo_key(&j, "source");
	c4w_jo_object(&j);
	c4w_jo_key(&j, "kind");
	c4w_jo_z(&j, chw_kind_names[r->kind]);
	c4w_jo_key(&j, "release");
	c4w_jo_z(&j, r->release);
	c4w_jo_key(&j, "root_sha256");
	c4w_jo_z(&j, c4w_hex(hex, r->manifest_sha.b, 32));
	c4w_jo_end(&j);
	c4w_jo_key(&j, "tables");
	c4w_jo_object(&j);
	put_table(&j, "files", &refs[1]);
	put_table(&j, "records", &refs[2]);
	put_table(&j, "scenes", &refs[0]);
	c4w_jo_end(&j);
	c4w_jo_key(&j, "tiers");
	c4w_jo_array(&j);
	for (i = 0; i < r->tiers.n; i++)
		c4w_jo_z(&j, r->tiers.v[i]);
	c4w_jo_end(&j);
	c4w_jo_end(&j);
}

int chw_derive(struct chw_prepare *p, struct c4w_err *err)
{
	struct table_ref refs[3] = { { .path = "c4w-root/scenes.parquet" }, { .path = "c4w-root/files.parquet" },
				     { .path = "c4w-root/records.parquet" } };
	struct c4w_buf manifest = { 0 };
	int cls;
	C4W_TRY(write_table(p, scene_rows, &refs[0], err));
	C4W_TRY(write_table(p, file_rows, &refs[1], err));
	C4W_TRY(write_table(p, record_rows, &refs[2], err));
	put_manifest(p, refs, &manifest);
	cls = c4w_buf_ok(&manifest, err);
	/* What the manifest speaks of is on the disk before it is. */
	if (cls == C4W_OK && p->dirty)
		cls = c4w_sink_sync(p->sink, err);
	if (cls == C4W_OK)
		cls = chw_put(p, ROOT_FILE, manifest.p, manifest.n, C4W_SINK_DURABLE, NULL, err);
	c4w_buf_clear(&manifest);
	return cls;
}

/* ---- the two ways in ---- */

static int finish(void *ctx, struct c4w_err *err)
{
	return chw_derive(ctx, err);
}

static int sources(void *ctx, void (*each)(void *user, const char *path), void *user, struct c4w_err *err)
{
	const struct chw_prepare *p = ctx;
	uint32_t i;
	C4W_TRY(c4w_writing_source(p->root->store, ROOT_FILE, each, user, err));
	for (i = 0; i < p->root->n_files; i++)
		if (p->needed[i] == 1)
			C4W_TRY(c4w_writing_source(p->root->store, p->root->files[i].path, each, user, err));
	return C4W_OK;
}

static void tally(void *ctx, uint64_t *written, uint64_t *stayed)
{
	struct chw_prepare *p = ctx;
	*written = atomic_load(&p->written);
	*stayed = atomic_load(&p->stayed);
}

static void destroy(void *ctx)
{
	struct chw_prepare *p = ctx;
	uint32_t i;
	chw_parts_abort(p);
	for (i = 0; i < p->n_parts; i++)
		free(p->parts[i].dir);
	chw_group_release(p->only);
	chw_group_release(p->group);
	chw_docs_clear(&p->docs);
	chw_map_free(p->paths);
	free(p->items);
	free(p->parts);
	c4w_arena_clear(&p->arena);
	pthread_mutex_destroy(&p->lock);
	pthread_mutex_destroy(&p->dirty_lock);
	free(p);
}

static int prepare(struct chw_root *r, const struct chw_selection *s, const struct c4w_write_opts *opts, bool cache, struct c4w_writing *out,
		   struct c4w_err *err)
{
	struct chw_prepare *p;
	int cls = chw_root_sound(r, err);
	if (cls != C4W_OK)
		return cls;
	if (!cache && r->kind == CHW_CACHE) {
		c4w_fail(err, C4W_USAGE, "a cache can't be extracted from: it has the arrays, not the published files");
		c4w_err_path(err, r->name);
		c4w_err_hint(err, "extract from the release or a subset; c4w to-cache takes any root");
		return C4W_USAGE;
	}
	p = calloc(1, sizeof *p);
	if (!p)
		return c4w_fail_memory(err, sizeof *p);
	p->root = r;
	p->sel = s;
	p->sink = opts->sink;
	p->level = (enum c4w_level)opts->verify;
	p->keep = opts->keep_existing;
	p->tool = opts->tool;
	p->cache = cache;
	p->plan = &out->plan;
	pthread_mutex_init(&p->lock, NULL);
	pthread_mutex_init(&p->dirty_lock, NULL);
	cls = chw_plan(p, err);
	if (cls != C4W_OK) {
		destroy(p);
		return cls;
	}
	chw_write_job(p, &out->job);
	out->ctx = p;
	out->manifest = ROOT_FILE;
	out->finish = finish;
	out->sources = sources;
	out->tally = tally;
	out->destroy = destroy;
	return C4W_OK;
}

int chw_extract(void *root, const void *selection, const struct c4w_write_opts *opts, struct c4w_writing *out, struct c4w_err *err)
{
	return prepare(root, selection, opts, false, out, err);
}

int chw_to_cache(void *root, const void *selection, const struct c4w_write_opts *opts, struct c4w_writing *out, struct c4w_err *err)
{
	return prepare(root, selection, opts, true, out, err);
}
