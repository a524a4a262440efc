/* The family of everything that is no dataset: a lone container, a checksum list, a folder, a stream. */
#include "families/file.h"

#include "containers/json.h"
#include "containers/npz.h"
#include "containers/pq.h"
#include "containers/sums.h"
#include "containers/tar.h"
#include "containers/zst.h"
#include "model/node_file.h"
#include "model/pq_check.h"

#include <stdlib.h>

struct file_root {
	char *path;
	struct c4w_node *node;
	struct c4w_blob *blob; /* NULL: a folder */
	enum c4w_format format;
	const char *why;
};

static void file_probe(const char *path, struct c4w_probe *out)
{
	(void)path;
	out->sure = C4W_SURE_MAYBE;
	snprintf(out->why, sizeof out->why, "no dataset was recognised");
}

static void file_close(void *root)
{
	struct file_root *r = root;
	if (!r)
		return;
	c4w_blob_close(r->blob);
	c4w_node_free(r->node);
	free(r->path);
	free(r);
}

static int file_open(const char *path, void **root, struct c4w_err *err)
{
	struct file_root *r = calloc(1, sizeof *r);
	int cls;
	if (!r || (r->path = strdup(path)) == NULL) {
		free(r);
		return c4w_fail_memory(err, sizeof *r);
	}
	cls = c4w_node_path(path, &r->node, err);
	if (cls != C4W_OK) {
		c4w_err_path(err, path);
		file_close(r);
		return cls;
	}
	*root = r;
	return C4W_OK;
}

/* What it is takes a look into it; a stream is read for that, so only those who need to know ask. */
static int look(struct file_root *r, struct c4w_err *err)
{
	if (r->blob || !r->node->ops->blob)
		return C4W_OK;
	C4W_TRY(r->node->ops->blob(r->node, &r->blob, err));
	r->format = c4w_format_of(r->blob, &r->why);
	return C4W_OK;
}

int c4w_file_format(void *root, enum c4w_format *format, const char **why, struct c4w_err *err)
{
	struct file_root *r = root;
	C4W_TRY(look(r, err));
	*format = r->format;
	*why = r->blob ? r->why : "it is a folder";
	return C4W_OK;
}

static int file_describe(void *root, struct c4w_facts *out, struct c4w_err *err)
{
	struct file_root *r = root;
	struct c4w_node *inside;
	int cls;
	C4W_TRY(look(r, err));
	if (!r->blob)
		return r->node->ops->describe(r->node, out, err);
	c4w_facts_text(out, "format", "%s", c4w_format_name(r->format));
	c4w_facts_text(out, "format_why", "%s", r->why);
	if (r->format != C4W_FORMAT_NONE && r->format != C4W_FORMAT_SUMS) {
		C4W_TRY(c4w_node_enter(r->node, &inside, err));
		cls = inside->ops->describe ? inside->ops->describe(inside, out, err) : C4W_OK;
		c4w_node_free(inside);
		return cls;
	}
	c4w_facts_number(out, "bytes", (int64_t)c4w_blob_size(r->blob));
	return C4W_OK;
}

static int file_node(void *root, struct c4w_node **out, struct c4w_err *err)
{
	(void)err;
	*out = c4w_node_ref(((struct file_root *)root)->node);
	return C4W_OK;
}

/* ---- verifying: one item, or for Parquet the footer and then each chunk ---- */

struct verify {
	struct file_root *root;
	enum c4w_level level;
	struct c4w_pq *pq;
	size_t group, column; /* the next chunk */
	bool begun;
	char **shards;        /* of a folder: its Parquet files, one item each */
	size_t shard_count, shard;
	struct c4w_arena names;
};

struct unit {
	bool chunk;
	const char *shard;
	size_t group, column;
	char text[640];
};

/* Decompressors of one thread; made when they are needed. */
struct tools {
	struct c4w_zip_worker *zip;
	struct c4w_zst_worker *zst;
	struct c4w_pq_worker *pq;
};

struct to_findings {
	struct c4w_findings *findings;
	const char *path;
};

static int fault(void *ctx, const struct c4w_err *err)
{
	struct to_findings *t = ctx;
	c4w_findings_add_err(t->findings, NULL, t->path, err);
	return C4W_OK;
}

static int verify_next(void *ctx, struct c4w_item *item, bool *end, struct c4w_err *err)
{
	struct verify *v = ctx;
	struct unit *u;
	char column[300];
	if (v->shards) {
		if (v->shard == v->shard_count) {
			*end = true;
			return C4W_OK;
		}
		u = calloc(1, sizeof *u);
		if (!u)
			return c4w_fail_memory(err, sizeof *u);
		u->shard = v->shards[v->shard++];
		snprintf(u->text, sizeof u->text, "%s", u->shard);
		item->data = u;
		item->id.text = u->text;
		return C4W_OK;
	}
	if (v->begun && (!v->pq || v->group == c4w_pq_groups(v->pq))) {
		*end = true;
		return C4W_OK;
	}
	u = calloc(1, sizeof *u);
	if (!u)
		return c4w_fail_memory(err, sizeof *u);
	if (!v->begun) {
		v->begun = true;
		snprintf(u->text, sizeof u->text, "%s", v->root->path);
	} else {
		u->chunk = true;
		u->group = v->group;
		u->column = v->column;
		snprintf(u->text, sizeof u->text, "%s row group %zu column %s", v->root->path, u->group,
			 c4w_pq_path(v->pq, u->column, column, sizeof column));
		item->cost = c4w_pq_cost(v->pq, u->group, u->column);
		if (++v->column == c4w_pq_columns(v->pq)) {
			v->column = 0;
			v->group++;
		}
	}
	/* No columns: nothing but the footer. */
	if (v->pq && c4w_pq_columns(v->pq) == 0)
		v->group = c4w_pq_groups(v->pq);
	item->data = u;
	item->id.text = u->text;
	return C4W_OK;
}

static int verify_container(struct verify *v, struct tools *t, struct c4w_arena *arena, struct c4w_faults *faults, struct c4w_err *err)
{
	struct c4w_blob *b = v->root->blob;
	switch (v->root->format) {
	case C4W_FORMAT_NPY:
		return c4w_npy_verify(b, arena, faults, err);
	case C4W_FORMAT_ZIP:
	case C4W_FORMAT_NPZ:
		if (!t->zip)
			C4W_TRY(c4w_zip_worker_new(&t->zip, err));
		return v->root->format == C4W_FORMAT_NPZ ? c4w_npz_verify(t->zip, b, arena, faults, err) :
							   c4w_zip_verify(t->zip, b, arena, faults, err);
	case C4W_FORMAT_TAR:
		return c4w_tar_verify(b, arena, faults, err);
	case C4W_FORMAT_ZST:
		if (!t->zst)
			C4W_TRY(c4w_zst_worker_new(&t->zst, err));
		return c4w_zst_verify(t->zst, b, 0, faults, err);
	default:
		return C4W_OK;
	}
}

static void verify_work(void *ctx, struct c4w_worker *w, struct c4w_item *item, struct c4w_result *result)
{
	struct verify *v = ctx;
	struct unit *u = item->data;
	struct tools *t = w->user;
	struct c4w_pq_verify_opts opts = { .full = v->level == C4W_LEVEL_FULL, .path = v->root->path };
	struct to_findings to = { &result->findings, v->root->path };
	struct c4w_faults faults = { .report = fault, .ctx = &to };
	struct c4w_err err = { 0 };
	int cls = C4W_OK;
	if (u->shard) {
		struct c4w_blob *blob;
		opts.path = u->shard;
		cls = c4w_blob_file(u->shard, &blob, &err);
		if (cls == C4W_OK) {
			c4w_pq_verify(blob, &opts, &result->findings);
			result->bytes = c4w_blob_size(blob);
			c4w_blob_close(blob);
		}
	} else if (v->root->format == C4W_FORMAT_PARQUET) {
		if (!u->chunk && !v->pq)
			c4w_pq_verify(v->root->blob, &opts, &result->findings);
		else if (!u->chunk)
			c4w_pq_verify_footer(v->pq, &opts, &result->findings);
		else {
			struct c4w_pq_chunk chunk;
			if (!t->pq)
				cls = c4w_pq_worker_new(&t->pq, &err);
			c4w_pq_chunk(v->pq, u->group, u->column, &chunk);
			if (cls == C4W_OK)
				c4w_pq_verify_chunk(v->pq, u->group, u->column, &opts, t->pq, &w->arena, &result->findings);
			result->bytes = chunk.compressed > 0 ? (uint64_t)chunk.compressed : 0;
		}
	} else {
		cls = verify_container(v, t, &w->arena, &faults, &err);
		result->bytes = c4w_blob_size(v->root->blob);
	}
	if (cls != C4W_OK && cls != C4W_CANCELLED)
		c4w_findings_add_err(&result->findings, NULL, v->root->path, &err);
}

static void verify_release(void *ctx, struct c4w_item *item, struct c4w_result *result)
{
	(void)ctx;
	(void)result;
	free(item->data);
}

static int verify_tools(void *ctx, void **out, struct c4w_err *err)
{
	(void)ctx;
	*out = calloc(1, sizeof(struct tools));
	return *out ? C4W_OK : c4w_fail_memory(err, sizeof(struct tools));
}

static void verify_tools_free(void *ctx, void *worker)
{
	struct tools *t = worker;
	(void)ctx;
	c4w_zip_worker_free(t->zip);
	c4w_zst_worker_free(t->zst);
	c4w_pq_worker_free(t->pq);
	free(t);
}

static void verify_destroy(void *ctx)
{
	struct verify *v = ctx;
	c4w_pq_close(v->pq);
	c4w_arena_clear(&v->names);
	free(v);
}

/* A folder that holds Parquet files and nothing else is a table in shards; v->shards stays NULL when it isn't one. */
static int find_shards(struct verify *v, struct c4w_err *err)
{
	struct c4w_store *store;
	const char **names;
	void *mem;
	size_t n, i;
	int cls;
	C4W_TRY(c4w_store_open_dir(v->root->path, &store, err));
	cls = c4w_pq_shards_list(store, "", &v->names, &names, &n, err);
	c4w_store_close(store);
	if (cls == C4W_USAGE)
		return C4W_OK;
	C4W_TRY(cls);
	C4W_TRY(c4w_arena_zero(&v->names, n, sizeof *v->shards, &mem, err));
	for (i = 0; i < n; i++) {
		struct c4w_buf path = { 0 };
		c4w_buf_printf(&path, "%s/%s", v->root->path, names[i]);
		cls = c4w_buf_ok(&path, err);
		if (cls == C4W_OK && (((char **)mem)[i] = c4w_arena_text(&v->names, path.p, path.n)) == NULL)
			cls = c4w_fail_memory(err, path.n);
		c4w_buf_clear(&path);
		C4W_TRY(cls);
	}
	v->shards = mem;
	v->shard_count = n;
	return C4W_OK;
}

static int file_verify(void *root, const void *selection, enum c4w_level level, struct c4w_job *out, struct c4w_err *err)
{
	struct file_root *r = root;
	struct verify *v;
	(void)selection;
	C4W_TRY(look(r, err));
	v = calloc(1, sizeof *v);
	if (!v)
		return c4w_fail_memory(err, sizeof *v);
	v->root = r;
	v->level = level;
	if (!r->blob) {
		int cls = find_shards(v, err);
		if (cls != C4W_OK) {
			verify_destroy(v);
			return cls;
		}
	}
	if (!v->shards && (!r->blob || r->format == C4W_FORMAT_NONE || r->format == C4W_FORMAT_SUMS)) {
		verify_destroy(v);
		c4w_fail(err, C4W_UNSUPPORTED, r->blob ? "is neither a dataset nor a container, so there is nothing to verify" :
							 "is a folder, but no dataset that c4w knows");
		c4w_err_path(err, r->path);
		c4w_err_hint(err, "c4w sha256 writes a checksum list of anything");
		c4w_family_hint(&c4w_family_file, r->path, err);
		return C4W_UNSUPPORTED;
	}
	/* A footer that can't be read is the only item's finding. */
	if (r->format == C4W_FORMAT_PARQUET && c4w_pq_open(r->blob, &v->pq, NULL) != C4W_OK)
		v->pq = NULL;
	*out = (struct c4w_job){ .ctx = v, .next = verify_next, .work = verify_work, .release = verify_release,
				 .worker_new = verify_tools, .worker_free = verify_tools_free, .destroy = verify_destroy };
	return C4W_OK;
}

static const struct c4w_rule *const rules[] = { c4w_npy_rules, c4w_npz_rules, c4w_zip_rules, c4w_tar_rules,
						 c4w_zst_rules, c4w_pq_rules,  c4w_json_rules, c4w_sums_rules, NULL };

const struct c4w_family c4w_family_file = {
	.name = "file",
	.title = "lone file",
	.rules = rules,
	.probe = file_probe,
	.open = file_open,
	.close = file_close,
	.describe = file_describe,
	.verify = file_verify,
	.node = file_node,
};
