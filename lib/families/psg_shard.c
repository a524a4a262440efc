/* Finding shards and the columns in them. Rows are in psg_rows.c. */
#include "families/psg_shard_impl.h"
#include "families/psg_tree_impl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "<R>x<R>" or "<R>x<R>_samples" */
uint32_t c4w_psg_square_name(const char *name, bool *samples)
{
	char a[16], b[16];
	const char *x = strchr(name, 'x');
	size_t n = x ? (size_t)(x - name) : 0, m;
	uint32_t r;
	if (!n || n >= sizeof a)
		return 0;
	memcpy(a, name, n);
	a[n] = '\0';
	m = strcspn(x + 1, "_");
	if (m >= sizeof b)
		return 0;
	memcpy(b, x + 1, m);
	b[m] = '\0';
	*samples = strcmp(x + 1 + m, "_samples") == 0;
	if (x[1 + m] && !*samples)
		return 0;
	r = c4w_psg_resolution_name(a);
	return r && r != UINT32_MAX && strcmp(a, b) == 0 ? r : 0;
}

static bool digits(const char **p, size_t want, uint64_t *out)
{
	size_t i;
	*out = 0;
	for (i = 0; (*p)[i] >= '0' && (*p)[i] <= '9'; i++) {
		if (i == 18)
			return false;
		*out = *out * 10 + (uint64_t)((*p)[i] - '0');
	}
	*p += i;
	return i > 0 && (want == 0 || i == want);
}

/* data-<R>-<first>-<last>-<shard>.parquet */
static void read_name(const char *name, struct c4w_psg_shard *s)
{
	uint64_t r, shard;
	const char *p = name;
	if (strncmp(p, "data-", 5) != 0)
		return;
	p += 5;
	if (!digits(&p, 0, &r) || *p++ != '-' || !digits(&p, 10, &s->name_first) || *p++ != '-' || !digits(&p, 10, &s->name_last) || *p++ != '-' ||
	    !digits(&p, 5, &shard) || strcmp(p, ".parquet") != 0 || r > UINT32_MAX)
		return;
	s->name_r = (uint32_t)r;
	s->named = true;
}

static bool ends_with(const char *s, const char *tail)
{
	size_t n = strlen(s), m = strlen(tail);
	return n >= m && strcmp(s + n - m, tail) == 0;
}

bool c4w_psg_is_shard_name(const char *name)
{
	return strncmp(name, "data-", 5) == 0 && ends_with(name, ".parquet");
}

static int add_shard(struct c4w_psg_shards *s, const char *dir, const char *rel, const char *name, uint32_t r, bool samples, int split,
		     struct c4w_err *err)
{
	struct c4w_psg_shard *x;
	size_t n;
	if (s->count == s->cap) {
		size_t cap = s->cap ? s->cap * 2 : 32;
		x = realloc(s->v, cap * sizeof *x);
		if (!x)
			return c4w_fail_memory(err, cap * sizeof *x);
		s->v = x;
		s->cap = cap;
	}
	x = &s->v[s->count];
	memset(x, 0, sizeof *x);
	n = strlen(dir) + strlen(rel) + strlen(name) + 3;
	x->full = malloc(n);
	x->path = malloc(strlen(rel) + strlen(name) + 2);
	if (!x->full || !x->path) {
		free(x->full);
		free(x->path);
		return c4w_fail_memory(err, n);
	}
	snprintf(x->path, strlen(rel) + strlen(name) + 2, "%s%s%s", rel, *rel ? "/" : "", name);
	snprintf(x->full, n, "%s%s%s", dir, *dir ? "/" : "", x->path);
	x->r = r;
	x->samples = samples;
	x->split = split;
	x->folder = s->folders;
	read_name(name, x);
	s->count++;
	return C4W_OK;
}

/* All shards directly in one folder, sorted by name. */
static int add_folder(struct c4w_psg_shards *s, const char *rel, uint32_t r, bool samples, int split, struct c4w_err *err)
{
	struct c4w_arena arena = { 0 };
	struct c4w_dirent *v;
	size_t n, i;
	int cls = c4w_store_list(s->store, rel, &arena, &v, &n, err);
	bool any = false;
	for (i = 0; i < n && cls == C4W_OK; i++)
		if (v[i].st.kind == C4W_KIND_FILE && c4w_psg_is_shard_name(v[i].name)) {
			cls = add_shard(s, c4w_store_name(s->store), rel, v[i].name, r, samples, split, err);
			any = true;
		}
	s->folders += any;
	c4w_arena_clear(&arena);
	return cls;
}

static int add_resolution(struct c4w_psg_shards *s, const char *rel, uint32_t r, bool samples, struct c4w_err *err)
{
	int k;
	char sub[96];
	for (k = 0; k < C4W_PSG_SPLITS; k++) {
		struct c4w_stat st;
		snprintf(sub, sizeof sub, "%s%s%s", rel, *rel ? "/" : "", c4w_psg_split[k]);
		C4W_TRY(c4w_store_stat(s->store, sub, &st, err));
		if (st.kind == C4W_KIND_DIR)
			C4W_TRY(add_folder(s, sub, r, samples, k, err));
	}
	return C4W_OK;
}

struct square {
	uint32_t r;
	bool samples;
	const char *name;
};

static int by_square(const void *a, const void *b)
{
	const struct square *x = a, *y = b;
	if (x->r != y->r)
		return x->r < y->r ? -1 : 1;
	return (int)x->samples - (int)y->samples;
}

static int add_export(struct c4w_psg_shards *s, struct c4w_err *err)
{
	struct c4w_arena arena = { 0 };
	struct c4w_dirent *v;
	struct square *q;
	size_t n, i, m = 0;
	void *mem;
	int cls = c4w_store_list(s->store, "", &arena, &v, &n, err);
	if (cls == C4W_OK)
		cls = c4w_arena_zero(&arena, n + 1, sizeof *q, &mem, err);
	if (cls == C4W_OK) {
		q = mem;
		for (i = 0; i < n; i++) {
			bool samples;
			uint32_t r = v[i].st.kind == C4W_KIND_DIR ? c4w_psg_square_name(v[i].name, &samples) : 0;
			if (r)
				q[m++] = (struct square){ r, samples, v[i].name };
		}
		qsort(q, m, sizeof *q, by_square);
		for (i = 0; i < m && cls == C4W_OK; i++)
			cls = add_resolution(s, q[i].name, q[i].r, q[i].samples, err);
	}
	c4w_arena_clear(&arena);
	return cls;
}

/* ---- what the path above says ---- */

static void words_above(const char *path, char last[64], char above[64])
{
	char full[4096];
	last[0] = above[0] = '\0';
	if (!c4w_psg_absolute(path, full, sizeof full))
		return;
	c4w_psg_component(full, 0, last);
	c4w_psg_component(full, 1, above);
}

enum look { OTHER, SHARD, BROKEN };

/* Most of the columns that make a table a shard: one of them may be what is missing. */
static enum look look_at(const char *full)
{
	static const char *const names[] = { "id", "tensor", "path_astar_elevation_free", "path_astar_slope_obstacles", "metadata_json", "metadata" };
	struct c4w_blob *b;
	struct c4w_pq *pq = NULL;
	unsigned have = 0;
	size_t i;
	uint32_t node;
	enum look look = BROKEN;
	if (c4w_blob_file(full, &b, NULL) != C4W_OK)
		return OTHER;
	if (c4w_pq_probe(b) && c4w_pq_open(b, &pq, NULL) == C4W_OK) {
		for (i = 0; i < sizeof names / sizeof *names; i++)
			have |= c4w_pq_find(pq, names[i], &node, NULL) == C4W_OK ? 1u << i : 0;
		look = (have & 0xe) && __builtin_popcount(have) >= 3 ? SHARD : OTHER;
	}
	c4w_pq_close(pq);
	c4w_blob_close(b);
	return look;
}

/* Broken shards in front are passed over; where all are, a name of the published form tells. */
static bool folder_has_shard(struct c4w_store *s, const char *rel)
{
	struct c4w_arena arena = { 0 };
	struct c4w_dirent *v;
	size_t n, i;
	bool yes = false, end = false;
	if (c4w_store_list(s, rel, &arena, &v, &n, NULL) == C4W_OK)
		for (i = 0; i < n && !end; i++)
			if (v[i].st.kind == C4W_KIND_FILE && c4w_psg_is_shard_name(v[i].name)) {
				char full[4200];
				enum look look;
				struct c4w_psg_shard shard = { 0 };
				snprintf(full, sizeof full, "%s/%s%s%s", c4w_store_name(s), rel, *rel ? "/" : "", v[i].name);
				look = look_at(full);
				end = look != BROKEN;
				read_name(v[i].name, &shard);
				yes = look == SHARD || (look == BROKEN && (yes || shard.named));
			}
	c4w_arena_clear(&arena);
	return yes;
}

static bool resolution_has_shard(struct c4w_store *s, const char *rel)
{
	int k;
	char sub[96];
	for (k = 0; k < C4W_PSG_SPLITS; k++) {
		snprintf(sub, sizeof sub, "%s%s%s", rel, *rel ? "/" : "", c4w_psg_split[k]);
		if (folder_has_shard(s, sub))
			return true;
	}
	return false;
}

static bool export_has_shard(struct c4w_store *s)
{
	struct c4w_arena arena = { 0 };
	struct c4w_dirent *v;
	size_t n, i;
	bool yes = false, samples;
	if (c4w_store_list(s, "", &arena, &v, &n, NULL) == C4W_OK)
		for (i = 0; i < n && !yes; i++)
			yes = v[i].st.kind == C4W_KIND_DIR && strlen(v[i].name) < 40 && c4w_psg_square_name(v[i].name, &samples) &&
			      resolution_has_shard(s, v[i].name);
	c4w_arena_clear(&arena);
	return yes;
}

static enum c4w_psg_shards_kind probe_level(const char *path, char *why, size_t size)
{
	struct c4w_store *s;
	enum c4w_psg_shards_kind l = C4W_PSG_SHARDS_NONE;
	if (c4w_store_open_dir(path, &s, NULL) != C4W_OK) {
		if (look_at(path) == SHARD) {
			snprintf(why, size, "a Parquet file with the columns of scenes");
			return C4W_PSG_SHARDS_FILE;
		}
		return C4W_PSG_SHARDS_NONE;
	}
	if (folder_has_shard(s, ""))
		l = C4W_PSG_SHARDS_FOLDER;
	else if (resolution_has_shard(s, ""))
		l = C4W_PSG_SHARDS_RESOLUTION;
	else if (export_has_shard(s))
		l = C4W_PSG_SHARDS_EXPORT;
	if (l != C4W_PSG_SHARDS_NONE)
		snprintf(why, size, "shards with the columns of scenes are there");
	c4w_store_close(s);
	return l;
}

enum c4w_psg_shards_kind c4w_psg_shards_probe(const char *path, char *why, size_t size)
{
	return probe_level(path, why, size);
}

/* The shard that is one file: what its folders say is in the path's own words. */
static int add_file(struct c4w_psg_shards *s, const char *path, struct c4w_err *err)
{
	char full[4096], name[64] = "", last[64] = "", above[64] = "";
	bool samples = false;
	uint32_t r;
	if (c4w_psg_absolute(path, full, sizeof full)) {
		c4w_psg_component(full, 0, name);
		c4w_psg_component(full, 1, last);
		c4w_psg_component(full, 2, above);
	}
	r = c4w_psg_square_name(above, &samples);
	C4W_TRY(add_shard(s, "", "", path, r, samples, r ? c4w_psg_word(c4w_psg_split, c4w_view_z(last)) : -1, err));
	read_name(name, &s->v[s->count - 1]);
	s->folders++;
	return C4W_OK;
}

static int add_dir(struct c4w_psg_shards *s, const char *path, enum c4w_psg_shards_kind kind, struct c4w_err *err)
{
	char last[64], above[64];
	bool samples = false;
	uint32_t r;
	C4W_TRY(c4w_store_open_dir(path, &s->store, err));
	words_above(path, last, above);
	if (kind == C4W_PSG_SHARDS_FOLDER) {
		r = c4w_psg_square_name(above, &samples);
		return add_folder(s, "", r, samples, r ? c4w_psg_word(c4w_psg_split, c4w_view_z(last)) : -1, err);
	}
	if (kind == C4W_PSG_SHARDS_RESOLUTION) {
		r = c4w_psg_square_name(last, &samples);
		return add_resolution(s, "", r, samples, err);
	}
	return add_export(s, err);
}

int c4w_psg_shards_open(const char *path, struct c4w_psg_shards **out, struct c4w_err *err)
{
	struct c4w_psg_shards *s = calloc(1, sizeof *s);
	char why[160];
	int cls;
	*out = NULL;
	if (!s)
		return c4w_fail_memory(err, sizeof *s);
	s->kind = probe_level(path, why, sizeof why);
	if (s->kind == C4W_PSG_SHARDS_NONE) /* asked for by name */
		s->kind = C4W_PSG_SHARDS_FILE;
	cls = s->kind == C4W_PSG_SHARDS_FILE ? add_file(s, path, err) : add_dir(s, path, s->kind, err);
	if (cls != C4W_OK) {
		c4w_psg_shards_close(s);
		return cls;
	}
	*out = s;
	return C4W_OK;
}

/* Messages about shards from `first` on name them as the user can open them. */
static int name_in_full(struct c4w_psg_shards *s, size_t first, struct c4w_err *err)
{
	for (; first < s->count; first++) {
		char *copy = strdup(s->v[first].full);
		if (!copy)
			return c4w_fail_memory(err, strlen(s->v[first].full));
		free(s->v[first].path);
		s->v[first].path = copy;
	}
	return C4W_OK;
}

int c4w_psg_shards_open_several(const char *const *paths, size_t n, struct c4w_psg_shards **out, struct c4w_err *err)
{
	struct c4w_psg_shards *s = calloc(1, sizeof *s);
	size_t i;
	int cls = C4W_OK;
	*out = NULL;
	if (!s)
		return c4w_fail_memory(err, sizeof *s);
	s->kind = C4W_PSG_SHARDS_SEVERAL;
	for (i = 0; i < n && cls == C4W_OK; i++) {
		char why[160];
		size_t first = s->count;
		enum c4w_psg_shards_kind kind = probe_level(paths[i], why, sizeof why);
		if (kind == C4W_PSG_SHARDS_NONE) {
			cls = c4w_fail(err, C4W_USAGE, "of several sources each must be a PASSAGE shard or a folder of them; this is a tree");
			c4w_err_path(err, paths[i]);
			break;
		}
		cls = kind == C4W_PSG_SHARDS_FILE ? add_file(s, paths[i], err) : add_dir(s, paths[i], kind, err);
		if (cls == C4W_OK)
			cls = name_in_full(s, first, err);
		c4w_store_close(s->store); /* the shards are opened by their own names */
		s->store = NULL;
	}
	if (cls != C4W_OK) {
		c4w_psg_shards_close(s);
		return cls;
	}
	*out = s;
	return C4W_OK;
}

void c4w_psg_shards_close(struct c4w_psg_shards *s)
{
	size_t i;
	if (!s)
		return;
	for (i = 0; i < s->count; i++) {
		free(s->v[i].path);
		free(s->v[i].full);
	}
	free(s->v);
	c4w_store_close(s->store);
	free(s);
}

const struct c4w_psg_shard *c4w_psg_shards_list(const struct c4w_psg_shards *s, size_t *count)
{
	*count = s->count;
	return s->v;
}

enum c4w_psg_shards_kind c4w_psg_shards_kind(const struct c4w_psg_shards *s)
{
	return s->kind;
}

struct c4w_store *c4w_psg_shards_store(const struct c4w_psg_shards *s)
{
	return s->store;
}

/* ---- columns ---- */

/* The first column of that name, 0: none. Two would be read as one by some and as the other by others. */
static uint32_t top(const struct c4w_pq *pq, const char *name, struct c4w_psg_sink *s)
{
	uint32_t i, first = 0, count = 0;
	for (i = c4w_pq_node(pq, 0)->first_child; i; i = c4w_pq_node(pq, i)->next)
		if (c4w_view_eqz(c4w_pq_node(pq, i)->name, name) && !count++)
			first = i;
	if (count > 1)
		c4w_psg_report(s, "passage.column-twice", NULL, NULL, "there are %u columns %s", count, name);
	return first;
}

static void wrong_type(struct c4w_psg_sink *s, const char *name, const char *want)
{
	c4w_psg_report(s, "passage.column-type", want, NULL, "the column %s has another type", name);
}

static int32_t bytes_column(const struct c4w_pq *pq, const char *name, bool required, struct c4w_psg_sink *s)
{
	uint32_t i = top(pq, name, s);
	const struct c4w_pq_node *n;
	if (!i) {
		if (required)
			c4w_psg_report(s, "passage.column-missing", NULL, NULL, "there is no column %s", name);
		return -1;
	}
	n = c4w_pq_node(pq, i);
	if (n->shape == C4W_PQ_LEAF && n->type == C4W_PQ_BYTE_ARRAY && n->max_rep == 0)
		return n->column;
	wrong_type(s, name, "strings or bytes");
	return -1;
}

/* A list of lists of integers: found by position, whatever the inner groups are called. */
static int32_t route_column(const struct c4w_pq *pq, const char *name, struct c4w_psg_sink *s)
{
	uint32_t i = top(pq, name, s), leaf;
	const struct c4w_pq_node *n;
	if (!i) {
		c4w_psg_report(s, "passage.column-missing", NULL, NULL, "there is no column %s", name);
		return -1;
	}
	n = c4w_pq_node(pq, i);
	if (n->nleaves == 1) {
		leaf = n->first_leaf;
		n = c4w_pq_leaf(pq, leaf);
		if (n->max_rep == 2 && (n->type == C4W_PQ_INT32 || n->type == C4W_PQ_INT64) && n->logical != C4W_PQ_L_DECIMAL)
			return (int32_t)leaf;
	}
	wrong_type(s, name, "lists of lists of integers");
	return -1;
}

static int32_t image_part(const struct c4w_pq *pq, uint32_t group, const char *name)
{
	uint32_t i;
	for (i = group ? c4w_pq_node(pq, group)->first_child : 0; i; i = c4w_pq_node(pq, i)->next) {
		const struct c4w_pq_node *n = c4w_pq_node(pq, i);
		if (c4w_view_eqz(n->name, name) && n->shape == C4W_PQ_LEAF && n->type == C4W_PQ_BYTE_ARRAY && n->max_rep == 0)
			return n->column;
	}
	return -1;
}

static void find_columns(struct c4w_psg_file *f, struct c4w_psg_sink *s)
{
	char name[64];
	size_t g;
	int k;
	f->id = bytes_column(f->pq, "id", true, s);
	f->tensor = bytes_column(f->pq, "tensor", true, s);
	f->all_tensors = f->tensor >= 0;
	for (g = 0; g < c4w_pq_groups(f->pq) && f->all_tensors; g++) {
		struct c4w_pq_chunk chunk;
		c4w_pq_chunk(f->pq, g, (size_t)f->tensor, &chunk);
		f->all_tensors = chunk.stats.has_nulls && chunk.stats.nulls == 0;
	}
	f->json = bytes_column(f->pq, "metadata_json", false, s);
	f->meta = top(f->pq, "metadata", s);
	if (f->meta && c4w_pq_node(f->pq, f->meta)->shape != C4W_PQ_STRUCT) {
		wrong_type(s, "metadata", "a struct");
		f->meta = 0;
	}
	if (f->json < 0 && !f->meta && !top(f->pq, "metadata_json", NULL))
		c4w_psg_report(s, "passage.column-missing", NULL, NULL, "there is neither a column metadata_json nor a column metadata");
	for (k = 0; k < C4W_PSG_ROUTES; k++) {
		snprintf(name, sizeof name, "path_%s_%s", c4w_psg_solver[k / 2], c4w_psg_variant[k % 2]);
		f->route[k] = route_column(f->pq, name, s);
	}
	for (k = 0; k < C4W_PSG_SOLVERS; k++) {
		uint32_t group;
		snprintf(name, sizeof name, "image_%s", c4w_psg_solver[k]);
		group = top(f->pq, name, s);
		f->image[k] = image_part(f->pq, group, "bytes");
		f->image_path[k] = image_part(f->pq, group, "path");
		if (group && f->image[k] < 0)
			wrong_type(s, name, "a struct of bytes and path");
	}
}

int c4w_psg_file_open(const struct c4w_psg_shard *shard, struct c4w_psg_sink *sink, struct c4w_psg_file **out, struct c4w_err *err)
{
	struct c4w_psg_file *f = calloc(1, sizeof *f);
	struct c4w_blob *b = NULL;
	int cls;
	*out = NULL;
	if (!f)
		return c4w_fail_memory(err, sizeof *f);
	atomic_init(&f->refs, 1);
	f->shard = shard;
	cls = c4w_blob_file(shard->full, &b, err);
	if (cls == C4W_OK)
		cls = c4w_pq_open(b, &f->pq, err);
	c4w_blob_close(b);
	if (cls != C4W_OK) {
		c4w_err_path(err, shard->path);
		free(f);
		return cls;
	}
	if (sink)
		sink->path = shard->path;
	find_columns(f, sink);
	*out = f;
	return C4W_OK;
}

void c4w_psg_file_close(struct c4w_psg_file *f)
{
	if (!f || atomic_fetch_sub(&f->refs, 1) != 1)
		return;
	c4w_pq_close(f->pq);
	free(f);
}
