/* Nodes of ZIP and NPZ archives: entries by name, folders that show in names, and what an entry's NPY header says. */
#include "model/node_file.h"
#include "model/node_members.h"

#include "containers/npy.h"
#include "containers/zip.h"

#include <stdlib.h>

struct zip_node {
	struct c4w_members m; /* a folder is this alone */
	struct c4w_zip zip;
	struct c4w_zip_worker *worker;
};

struct entry_node {
	struct c4w_member m;
	struct c4w_blob *blob; /* once read */
};

static struct zip_node *zip_of(const struct c4w_members *m)
{
	return (struct zip_node *)m->archive;
}

static struct c4w_zip_entry *entry_of(const struct c4w_node *node)
{
	const struct c4w_member *m = (const struct c4w_member *)node;
	return &zip_of(m->archive)->zip.entries[m->which];
}

/* ---- an entry ---- */

static int entry_blob(struct c4w_node *node, struct c4w_blob **out, struct c4w_err *err)
{
	struct entry_node *n = (struct entry_node *)node;
	struct zip_node *z = zip_of(n->m.archive);
	struct c4w_zip_entry *e = entry_of(node);
	char name[512];
	int cls = C4W_OK;
	snprintf(name, sizeof name, "%.*s", e->name.n < sizeof name ? (int)e->name.n : (int)sizeof name - 1, e->name.p);
	if (!n->blob && e->method == C4W_ZIP_STORED && c4w_zip_readable(e, NULL) == C4W_OK) {
		C4W_TRY(c4w_zip_locate(&z->zip, e, err));
		C4W_TRY(c4w_blob_slice(z->m.blob, name, z->zip.offset + e->data, e->size, &n->blob, err));
	} else if (!n->blob) {
		struct c4w_arena arena = { 0 };
		const uint8_t *p;
		void *copy;
		cls = c4w_zip_read(z->worker, &z->zip, e, true, node->limit, &arena, &p, err);
		if (cls == C4W_OK) {
			copy = malloc(e->size ? (size_t)e->size : 1);
			if (copy) {
				memcpy(copy, p, (size_t)e->size);
				cls = c4w_blob_memory(name, copy, (size_t)e->size, true, &n->blob, err);
				if (cls != C4W_OK)
					free(copy);
			} else
				cls = c4w_fail_memory(err, (size_t)e->size);
		}
		c4w_arena_clear(&arena);
	}
	if (cls != C4W_OK)
		return cls;
	*out = c4w_blob_ref(n->blob);
	return C4W_OK;
}

static int entry_stream(struct c4w_node *node, c4w_bytes_fn sink, void *ctx, struct c4w_err *err)
{
	struct zip_node *z = zip_of(((struct c4w_member *)node)->archive);
	return c4w_zip_stream(z->worker, &z->zip, entry_of(node), sink, ctx, err);
}

static int entry_describe(struct c4w_node *node, struct c4w_facts *out, struct c4w_err *err)
{
	const struct c4w_zip_entry *e = entry_of(node);
	char text[40];
	(void)err;
	c4w_facts_number(out, "bytes", (int64_t)e->size);
	c4w_facts_number(out, "stored", (int64_t)e->compressed);
	c4w_facts_text(out, "method", "%s", c4w_zip_method_name(e->method, text, sizeof text));
	c4w_facts_text(out, "crc32", "%08x", e->crc32);
	return C4W_OK;
}

static void entry_destroy(struct c4w_node *node)
{
	c4w_blob_close(((struct entry_node *)node)->blob);
}

static const struct c4w_node_ops entry_ops = { .type = "entry of a ZIP archive", .blob = entry_blob, .stream = entry_stream,
					       .describe = entry_describe, .destroy = entry_destroy };

/* ---- what the front of an entry says ---- */

/* Parse the NPY header of an entry from its first bytes alone. */
static bool entry_header(struct zip_node *z, struct c4w_zip_entry *e, struct c4w_arena *arena, struct c4w_npy *npy)
{
	enum { FRONT = 4096 };
	size_t n = e->size < FRONT ? (size_t)e->size : FRONT, need = 0;
	void *front;
	if (n < 10 || c4w_arena_take(arena, n, &front, NULL) != C4W_OK || c4w_zip_head(z->worker, &z->zip, e, front, n, NULL) != C4W_OK ||
	    c4w_npy_need(front, n, &need, NULL) != C4W_OK)
		return false;
	if (need > n) { /* a long header: once more, as far as it goes */
		n = need;
		if (need > e->size || c4w_arena_take(arena, n, &front, NULL) != C4W_OK || c4w_zip_head(z->worker, &z->zip, e, front, n, NULL) != C4W_OK)
			return false;
	}
	return c4w_npy_parse(front, n, arena, npy, NULL) == C4W_OK;
}

/* ---- the archive and its folders ---- */

static bool ends_npy(struct c4w_view name)
{
	return name.n > 4 && memcmp(name.p + name.n - 4, ".npy", 4) == 0;
}

static int zip_list(struct c4w_node *node, const struct c4w_list_opts *o, const struct c4w_rows *rows, struct c4w_err *err)
{
	static const struct c4w_column columns[] = {
		{ "name", C4W_CELL_TEXT, false }, { "bytes", C4W_CELL_BYTES, false }, { "stored", C4W_CELL_BYTES, false },
		{ "method", C4W_CELL_TEXT, false }, { "dtype", C4W_CELL_TEXT, false }, { "shape", C4W_CELL_TEXT, false },
		{ "order", C4W_CELL_TEXT, false }, { "offset", C4W_CELL_INT, false }, { "crc32", C4W_CELL_TEXT, true },
		{ "modified", C4W_CELL_TEXT, true }, { "entry", C4W_CELL_TEXT, true },
	};
	enum { COLUMNS = sizeof columns / sizeof *columns };
	struct c4w_members *n = (struct c4w_members *)node;
	struct zip_node *z = zip_of(n);
	struct c4w_arena arena = { 0 };
	struct c4w_view *addresses;
	size_t i;
	int cls = c4w_members_begin(n, o, rows, columns, COLUMNS, &addresses, err);
	for (i = 0; i < n->count && cls == C4W_OK; i++) {
		struct c4w_zip_entry *e = &z->zip.entries[n->which[i]];
		struct c4w_cell c[COLUMNS];
		struct c4w_npy npy;
		char method[40], crc[12], dtype[300], shape[400], time[32];
		bool dir = c4w_zip_is_dir(e), is_npy = false;
		c4w_arena_reset(&arena);
		if (ends_npy(e->name) && c4w_zip_readable(e, NULL) == C4W_OK)
			is_npy = entry_header(z, e, &arena, &npy);
		snprintf(crc, sizeof crc, "%08x", e->crc32);
		snprintf(time, sizeof time, "%04u-%02u-%02uT%02u:%02u:%02u", 1980 + (e->dos_time >> 25), e->dos_time >> 21 & 15,
			 e->dos_time >> 16 & 31, e->dos_time >> 11 & 31, e->dos_time >> 5 & 63, (e->dos_time & 31) * 2);
		c[0] = c4w_cell_text(addresses[i]);
		c[1] = c4w_cell_int((int64_t)e->size);
		c[2] = c4w_cell_int((int64_t)e->compressed);
		c[3] = c4w_cell_z(dir ? "folder" : c4w_zip_is_link(e) ? "link" : c4w_zip_method_name(e->method, method, sizeof method));
		c[4] = is_npy ? c4w_cell_z(c4w_dtype_text(&npy.array.dtype, dtype, sizeof dtype)) : c4w_cell_none();
		c[5] = is_npy ? c4w_cell_z(c4w_shape_text(npy.array.rank, npy.array.shape, shape, sizeof shape)) : c4w_cell_none();
		c[6] = is_npy ? c4w_cell_z(npy.array.fortran ? "fortran" : "c") : c4w_cell_none();
		c[7] = e->data || c4w_zip_locate(&z->zip, e, NULL) == C4W_OK ? c4w_cell_int((int64_t)e->data) : c4w_cell_none();
		c[8] = c4w_cell_z(crc);
		c[9] = c4w_cell_z(time);
		c[10] = c4w_cell_text(e->name);
		cls = rows->row(rows->ctx, c, dir ? C4W_NODE_DIR : is_npy ? C4W_NODE_ARRAY : C4W_NODE_BYTES);
	}
	c4w_arena_clear(&arena);
	return cls;
}

static bool is_folder(const struct c4w_members *archive, size_t which)
{
	return c4w_zip_is_dir(&zip_of(archive)->zip.entries[which]);
}

static int zip_describe(struct c4w_node *node, struct c4w_facts *out, struct c4w_err *err)
{
	const struct c4w_members *n = (const struct c4w_members *)node;
	const struct c4w_zip *zip = &zip_of(n)->zip;
	uint64_t size = 0, stored = 0;
	size_t i;
	(void)err;
	for (i = 0; i < n->count; i++) {
		const struct c4w_zip_entry *e = &zip->entries[n->which[i]];
		size += e->size;
		stored += e->compressed;
	}
	c4w_facts_number(out, "entries", (int64_t)n->count);
	c4w_facts_number(out, "content_bytes", (int64_t)size);
	c4w_facts_number(out, "stored", (int64_t)stored);
	c4w_facts_text(out, "zip64", "%s", zip->zip64 ? "yes" : "no");
	if (zip->prefix)
		c4w_facts_number(out, "prefix_bytes", (int64_t)zip->prefix);
	if (n->blob)
		c4w_facts_number(out, "bytes", (int64_t)c4w_blob_size(n->blob));
	return C4W_OK;
}

static void archive_destroy(struct c4w_node *node)
{
	c4w_zip_worker_free(((struct zip_node *)node)->worker);
	c4w_members_destroy(node);
}

static const struct c4w_node_ops archive_ops = { .type = "ZIP archive", .list = zip_list, .lookup = c4w_members_child, .describe = zip_describe,
						 .blob = c4w_members_blob, .destroy = archive_destroy };
static const struct c4w_node_ops folder_ops = { .type = "folder in a ZIP archive", .list = zip_list, .lookup = c4w_members_child,
						.describe = zip_describe, .flat = true, .destroy = c4w_members_destroy };
static const struct c4w_members_kind kind = { &folder_ops, &entry_ops, sizeof(struct entry_node), is_folder };

int c4w_node_zip(struct c4w_node *parent, struct c4w_blob *blob, struct c4w_node **out, struct c4w_err *err)
{
	struct zip_node *n = c4w_node_new(sizeof *n, &archive_ops, C4W_NODE_DIR, parent);
	size_t i;
	bool npz;
	int cls;
	if (!n)
		return c4w_fail_memory(err, sizeof *n);
	cls = c4w_zip_worker_new(&n->worker, err);
	if (cls == C4W_OK)
		cls = c4w_zip_open_blob(blob, 0, c4w_blob_size(blob), &n->m.arena, &n->zip, err);
	if (cls == C4W_OK)
		cls = c4w_members_init(&n->m, &kind, blob, n->zip.count, err);
	if (cls != C4W_OK) {
		c4w_node_free(&n->m.base);
		return cls;
	}
	for (i = 0; i < n->zip.count && ends_npy(n->zip.entries[i].name); i++)
		;
	npz = i == n->zip.count; /* every entry is called .npy */
	for (i = 0; i < n->zip.count; i++)
		n->m.names[i] = (struct c4w_member_name){ n->zip.entries[i].name, npz };
	*out = &n->m.base;
	return C4W_OK;
}
