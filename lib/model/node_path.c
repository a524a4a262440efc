/* Nodes of plain files, folders and streams, and what a file's bytes are. See node_file.h. */
#include "model/node_file.h"

#include "containers/pq.h"
#include "containers/sums.h"
#include "containers/tar.h"

#include <stdlib.h>

/* ---- what it is ---- */

static bool name_ends(struct c4w_blob *blob, const char *ending)
{
	const char *name = c4w_blob_name(blob);
	size_t n = strlen(name), m = strlen(ending);
	return n >= m && strcmp(name + n - m, ending) == 0;
}

enum c4w_format c4w_format_of(struct c4w_blob *blob, const char **why)
{
	uint8_t head[4096];
	uint64_t size = c4w_blob_size(blob);
	size_t n = size < sizeof head ? (size_t)size : sizeof head;
	*why = "its first bytes are those of no container";
	if (n && c4w_blob_read_at(blob, 0, n, head, NULL) != C4W_OK) {
		*why = "it can't be read";
		return C4W_FORMAT_NONE;
	}
	if (n >= 6 && memcmp(head, "\x93NUMPY", 6) == 0) {
		*why = "it begins as an NPY file";
		return C4W_FORMAT_NPY;
	}
	if (n >= 4 && (memcmp(head, "PK\3\4", 4) == 0 || memcmp(head, "PK\5\6", 4) == 0)) {
		*why = "it begins as a ZIP archive";
		return name_ends(blob, ".npz") ? C4W_FORMAT_NPZ : C4W_FORMAT_ZIP;
	}
	if (n >= 4 && (memcmp(head, "\x28\xB5\x2F\xFD", 4) == 0 || ((head[0] & 0xF0) == 0x50 && memcmp(head + 1, "\x2A\x4D\x18", 3) == 0))) {
		*why = "it begins with a zstd frame";
		return C4W_FORMAT_ZST;
	}
	if (n >= 4 && (memcmp(head, "PAR1", 4) == 0 || memcmp(head, "PARE", 4) == 0)) {
		*why = "it begins as a Parquet file";
		return C4W_FORMAT_PARQUET;
	}
	if (c4w_tar_probe(head, n)) {
		*why = "it begins with a TAR header";
		return C4W_FORMAT_TAR;
	}
	/* Damaged at the front, or empty: the name is all there is. */
	*why = "its name says so";
	if (name_ends(blob, ".npy"))
		return C4W_FORMAT_NPY;
	if (name_ends(blob, ".npz"))
		return C4W_FORMAT_NPZ;
	if (name_ends(blob, ".zip"))
		return C4W_FORMAT_ZIP;
	if (name_ends(blob, ".tar"))
		return C4W_FORMAT_TAR;
	if (name_ends(blob, ".zst"))
		return C4W_FORMAT_ZST;
	if (name_ends(blob, ".parquet"))
		return C4W_FORMAT_PARQUET;
	if (c4w_sums_probe((const char *)head, n)) {
		*why = "its first line is a checksum line";
		return C4W_FORMAT_SUMS;
	}
	*why = "its first bytes are those of no container";
	return C4W_FORMAT_NONE;
}

const char *c4w_format_name(enum c4w_format f)
{
	switch (f) {
	case C4W_FORMAT_NPY: return "NPY array";
	case C4W_FORMAT_ZIP: return "ZIP archive";
	case C4W_FORMAT_NPZ: return "NPZ archive";
	case C4W_FORMAT_TAR: return "TAR archive";
	case C4W_FORMAT_ZST: return "zstd file";
	case C4W_FORMAT_PARQUET: return "Parquet file";
	case C4W_FORMAT_SUMS: return "checksum list";
	case C4W_FORMAT_NONE: break;
	}
	return "file";
}

int c4w_node_enter(struct c4w_node *n, struct c4w_node **out, struct c4w_err *err)
{
	struct c4w_blob *blob;
	const char *why;
	int cls;
	*out = NULL;
	if (n->kind != C4W_NODE_BYTES || !n->ops->blob)
		return C4W_UNKNOWN;
	C4W_TRY(n->ops->blob(n, &blob, err));
	switch (c4w_format_of(blob, &why)) {
	case C4W_FORMAT_NPY:
		cls = c4w_node_npy(n, blob, out, err);
		break;
	case C4W_FORMAT_ZIP:
	case C4W_FORMAT_NPZ:
		cls = c4w_node_zip(n, blob, out, err);
		break;
	case C4W_FORMAT_TAR:
		cls = c4w_node_tar(n, blob, out, err);
		break;
	case C4W_FORMAT_ZST:
		cls = c4w_node_zst(n, blob, out, err);
		break;
	case C4W_FORMAT_PARQUET:
		cls = c4w_node_pq(n, blob, out, err);
		break;
	default:
		cls = c4w_fail(err, C4W_UNKNOWN, "holds nothing that can be listed");
	}
	if (cls != C4W_OK)
		c4w_err_path(err, c4w_blob_name(blob));
	c4w_blob_close(blob);
	return cls;
}

/* ---- the bytes of a blob ---- */

struct bytes_node {
	struct c4w_node base;
	struct c4w_blob *blob;
};

static int bytes_blob(struct c4w_node *n, struct c4w_blob **out, struct c4w_err *err)
{
	(void)err;
	*out = c4w_blob_ref(((struct bytes_node *)n)->blob);
	return C4W_OK;
}

static int bytes_describe(struct c4w_node *n, struct c4w_facts *out, struct c4w_err *err)
{
	struct c4w_blob *blob = ((struct bytes_node *)n)->blob;
	(void)err;
	c4w_facts_number(out, "bytes", (int64_t)c4w_blob_size(blob));
	return C4W_OK;
}

static void bytes_destroy(struct c4w_node *n)
{
	c4w_blob_close(((struct bytes_node *)n)->blob);
}

static const struct c4w_node_ops bytes_ops = { .type = "file", .blob = bytes_blob, .describe = bytes_describe, .destroy = bytes_destroy };

int c4w_node_bytes(struct c4w_node *parent, struct c4w_blob *blob, struct c4w_node **out, struct c4w_err *err)
{
	struct bytes_node *n = c4w_node_new(sizeof *n, &bytes_ops, C4W_NODE_BYTES, parent);
	if (!n)
		return c4w_fail_memory(err, sizeof *n);
	n->blob = c4w_blob_ref(blob);
	*out = &n->base;
	return C4W_OK;
}

/* ---- a stream: once from front to back, or all of it in memory ---- */

struct stream_node {
	struct c4w_node base;
	char *path;
	struct c4w_blob *slurped;
	bool used;
};

static int stream_stream(struct c4w_node *n, c4w_bytes_fn sink, void *ctx, struct c4w_err *err)
{
	enum { PIECE = 64 * 1024 };
	struct stream_node *s = (struct stream_node *)n;
	struct c4w_stream *in;
	uint8_t *piece;
	size_t got = 0;
	int cls;
	if (s->slurped) {
		uint64_t at = 0, size = c4w_blob_size(s->slurped);
		struct c4w_arena arena = { 0 };
		const uint8_t *p;
		cls = C4W_OK;
		while (at < size && cls == C4W_OK) {
			size_t len = size - at < PIECE ? (size_t)(size - at) : PIECE;
			cls = c4w_blob_view(s->slurped, at, len, &arena, &p, err);
			if (cls == C4W_OK)
				cls = sink(ctx, p, len, err);
			at += len;
		}
		c4w_arena_clear(&arena);
		return cls;
	}
	if (s->used)
		return c4w_fail(err, C4W_USAGE, "can be read only once");
	s->used = true;
	C4W_TRY(c4w_stream_open(s->path, &in, err));
	piece = malloc(PIECE);
	cls = piece ? C4W_OK : c4w_fail_memory(err, PIECE);
	while (cls == C4W_OK && (cls = c4w_stream_read(in, piece, PIECE, &got, err)) == C4W_OK && got)
		cls = sink(ctx, piece, got, err);
	free(piece);
	c4w_stream_close(in);
	return cls;
}

static int stream_blob(struct c4w_node *n, struct c4w_blob **out, struct c4w_err *err)
{
	struct stream_node *s = (struct stream_node *)n;
	if (!s->slurped) {
		struct c4w_arena arena = { 0 };
		struct c4w_stream *in;
		const char *text;
		void *copy;
		size_t size;
		int cls;
		if (s->used)
			return c4w_fail(err, C4W_USAGE, "can be read only once");
		s->used = true;
		C4W_TRY(c4w_stream_open(s->path, &in, err));
		cls = c4w_stream_slurp(in, n->limit, &arena, &text, &size, err);
		if (cls == C4W_LIMIT)
			c4w_err_hint(err, "what is read at random places has to fit into --memory; put it into a file first");
		c4w_stream_close(in);
		if (cls == C4W_OK) {
			copy = malloc(size ? size : 1);
			if (copy) {
				memcpy(copy, text, size);
				cls = c4w_blob_memory(s->path, copy, size, true, &s->slurped, err);
				if (cls != C4W_OK)
					free(copy);
			} else
				cls = c4w_fail_memory(err, size);
		}
		c4w_arena_clear(&arena);
		C4W_TRY(cls);
	}
	*out = c4w_blob_ref(s->slurped);
	return C4W_OK;
}

static void stream_destroy(struct c4w_node *n)
{
	struct stream_node *s = (struct stream_node *)n;
	c4w_blob_close(s->slurped);
	free(s->path);
}

static const struct c4w_node_ops stream_ops = { .type = "stream", .blob = stream_blob, .stream = stream_stream, .destroy = stream_destroy };

/* ---- a folder ---- */

struct dir_node {
	struct c4w_node base;
	struct c4w_store *store;
	char *rel;
};

static const struct c4w_node_ops dir_ops;

static int dir_node(struct c4w_node *parent, struct c4w_store *store, const char *rel, struct c4w_node **out, struct c4w_err *err)
{
	struct dir_node *n = c4w_node_new(sizeof *n, &dir_ops, C4W_NODE_DIR, parent);
	if (!n || (n->rel = strdup(rel)) == NULL) {
		if (n)
			c4w_node_free(&n->base);
		return c4w_fail_memory(err, sizeof *n);
	}
	n->store = c4w_store_ref(store);
	*out = &n->base;
	return C4W_OK;
}

static int dir_list(struct c4w_node *node, const struct c4w_list_opts *o, const struct c4w_rows *rows, struct c4w_err *err)
{
	static const struct c4w_column columns[] = { { "name", C4W_CELL_TEXT, false }, { "type", C4W_CELL_TEXT, false }, { "bytes", C4W_CELL_BYTES, false } };
	struct dir_node *n = (struct dir_node *)node;
	struct c4w_arena arena = { 0 };
	struct c4w_buf step = { 0 };
	struct c4w_dirent *entries;
	size_t count, i;
	bool is_table = false;
	int cls;
	if (o->what != C4W_LIST_CHILDREN)
		return c4w_fail(err, C4W_UNSUPPORTED, "--records and --files are for datasets");
	if (!o->tree) {
		cls = c4w_pq_shards_rows(n->store, n->rel, rows, &is_table, err);
		if (is_table || cls != C4W_OK)
			return cls;
	}
	C4W_TRY(c4w_store_list(n->store, n->rel, &arena, &entries, &count, err));
	cls = rows->begin(rows->ctx, columns, 3);
	for (i = 0; i < count && cls == C4W_OK; i++) {
		const struct c4w_dirent *e = &entries[i];
		bool dir = e->st.kind == C4W_KIND_DIR, file = e->st.kind == C4W_KIND_FILE;
		struct c4w_cell cells[3];
		c4w_buf_reset(&step);
		c4w_step_put(&step, c4w_view_z(e->name), false);
		cls = c4w_buf_ok(&step, err);
		cells[0] = c4w_cell_text((struct c4w_view){ step.p, step.n });
		cells[1] = c4w_cell_z(dir ? (e->st.is_link ? "folder (link)" : "folder") : file ? (e->st.is_link ? "file (link)" : "file") :
				      e->st.kind == C4W_KIND_NONE ? "dangling link" : "special");
		cells[2] = file ? c4w_cell_int((int64_t)e->st.size) : c4w_cell_none();
		/* A link to a folder is not descended into: it may lead out, or round. */
		if (cls == C4W_OK)
			cls = rows->row(rows->ctx, cells, dir && !e->st.is_link ? C4W_NODE_DIR : C4W_NODE_BYTES);
	}
	c4w_buf_clear(&step);
	c4w_arena_clear(&arena);
	return cls;
}

/* The first step, decoded or as it was typed, below this folder; kind NONE when neither is there. */
static int find_step(struct dir_node *n, struct c4w_view step, struct c4w_buf *rel, struct c4w_stat *st, struct c4w_err *err)
{
	struct c4w_arena scratch = { 0 };
	size_t size = 0;
	int round, cls = C4W_OK;
	const char *plain = c4w_step_decode(step, &scratch, &size);
	st->kind = C4W_KIND_NONE;
	for (round = 0; round < 2 && plain && st->kind == C4W_KIND_NONE && cls == C4W_OK; round++) {
		struct c4w_view v = round ? step : (struct c4w_view){ plain, size };
		c4w_buf_reset(rel);
		if (n->rel[0])
			c4w_buf_printf(rel, "%s/", n->rel);
		c4w_buf_put(rel, v.p, v.n);
		cls = c4w_buf_ok(rel, err);
		if (cls == C4W_OK && c4w_path_is_plain(v.p, v.n) && !memchr(v.p, '/', v.n))
			cls = c4w_store_stat(n->store, rel->p, st, err);
	}
	c4w_arena_clear(&scratch);
	return plain ? cls : c4w_fail_memory(err, step.n);
}

static int dir_lookup(struct c4w_node *node, struct c4w_view rest, size_t *used, struct c4w_node **child, struct c4w_err *err)
{
	struct dir_node *n = (struct dir_node *)node;
	struct c4w_view step = { rest.p, c4w_step_first(rest) };
	struct c4w_buf rel = { 0 };
	struct c4w_stat st = { 0 };
	struct c4w_blob *blob;
	char shown[200];
	int cls = find_step(n, step, &rel, &st, err);
	*used = step.n;
	if (cls == C4W_OK && st.kind == C4W_KIND_DIR)
		cls = dir_node(node, n->store, rel.p, child, err);
	else if (cls == C4W_OK && st.kind == C4W_KIND_NONE && c4w_pq_shards_column(node, n->store, n->rel, rest, child, NULL) == C4W_OK)
		*used = rest.n;
	else if (cls == C4W_OK && st.kind == C4W_KIND_NONE)
		cls = c4w_fail(err, C4W_UNKNOWN, "there is no '%s'", c4w_str_escape(shown, sizeof shown, step.p, step.n));
	else if (cls == C4W_OK) {
		cls = c4w_store_open(n->store, rel.p, &blob, err);
		if (cls == C4W_OK) {
			cls = c4w_node_bytes(node, blob, child, err);
			c4w_blob_close(blob);
		}
	}
	c4w_buf_clear(&rel);
	return cls;
}

static void dir_destroy(struct c4w_node *node)
{
	struct dir_node *n = (struct dir_node *)node;
	c4w_store_close(n->store);
	free(n->rel);
}

static int dir_table(struct c4w_node *node, const struct c4w_table_opts *o, c4w_bytes_fn sink, void *ctx, struct c4w_err *err)
{
	struct dir_node *n = (struct dir_node *)node;
	return c4w_pq_shards_table(n->store, n->rel, o, sink, ctx, err);
}

static int dir_describe(struct c4w_node *node, struct c4w_facts *out, struct c4w_err *err)
{
	struct dir_node *n = (struct dir_node *)node;
	bool is_table;
	C4W_TRY(c4w_pq_shards_describe(n->store, n->rel, out, &is_table, err));
	if (!is_table) {
		c4w_facts_text(out, "format", "folder");
		c4w_facts_text(out, "format_why", "it is a folder");
	}
	return C4W_OK;
}

static const struct c4w_node_ops dir_ops = { .type = "folder", .list = dir_list, .lookup = dir_lookup, .describe = dir_describe,
					     .table = dir_table, .destroy = dir_destroy };

int c4w_node_path(const char *path, struct c4w_node **out, struct c4w_err *err)
{
	struct c4w_blob *blob;
	int cls;
	*out = NULL;
	if (c4w_path_is_dir(path)) {
		struct c4w_store *store;
		C4W_TRY(c4w_store_open_dir(path, &store, err));
		cls = dir_node(NULL, store, "", out, err);
		c4w_store_close(store);
		return cls;
	}
	if (strcmp(path, "-") == 0 || c4w_path_is_stream(path)) {
		struct stream_node *n = c4w_node_new(sizeof *n, &stream_ops, C4W_NODE_BYTES, NULL);
		if (!n || (n->path = strdup(path)) == NULL) {
			if (n)
				c4w_node_free(&n->base);
			return c4w_fail_memory(err, sizeof *n);
		}
		*out = &n->base;
		return C4W_OK;
	}
	C4W_TRY(c4w_blob_file(path, &blob, err));
	cls = c4w_node_bytes(NULL, blob, out, err);
	c4w_blob_close(blob);
	return cls;
}
