/* Nodes of TAR archives: members by name, and folders that show in names. */
#include "model/node_file.h"
#include "model/node_members.h"

#include "containers/tar.h"

#include <stdlib.h>

struct tar_node {
	struct c4w_members m; /* a folder is this alone */
	struct c4w_tar tar;
	struct c4w_tar_member *members;
};

static const struct tar_node *tar_of(const struct c4w_members *m)
{
	return (const struct tar_node *)m->archive;
}

static const struct c4w_tar_member *member_of(const struct c4w_node *node)
{
	const struct c4w_member *n = (const struct c4w_member *)node;
	return &((const struct tar_node *)n->archive)->members[n->which];
}

/* ---- a member ---- */

/* A hard link's data is that of the member it names, before it in the archive. */
static int settle(const struct tar_node *t, const struct c4w_tar_member *m, const struct c4w_tar_member **out, struct c4w_err *err)
{
	char shown[300];
	unsigned hops;
	for (hops = 0; hops < 16 && m->type == C4W_TAR_HARDLINK; hops++) {
		const struct c4w_tar_member *target = NULL;
		size_t i;
		for (i = 0; i < t->m.count && &t->members[i] != m; i++)
			if (c4w_view_eq(t->members[i].path, m->link))
				target = &t->members[i];
		if (!target)
			break;
		m = target;
	}
	if (m->type == C4W_TAR_HARDLINK)
		return c4w_fail(err, C4W_ABSENT, "is a hard link to '%s', which is not in front of it in the archive",
				c4w_str_escape(shown, sizeof shown, m->link.p, m->link.n));
	if (m->type == C4W_TAR_SYMLINK)
		return c4w_fail(err, C4W_USAGE, "is a symbolic link to '%s'; links are not followed inside an archive",
				c4w_str_escape(shown, sizeof shown, m->link.p, m->link.n));
	if (m->type != C4W_TAR_FILE)
		return c4w_fail(err, C4W_USAGE, "is no regular file in the archive");
	*out = m;
	return C4W_OK;
}

static int member_stream(struct c4w_node *node, c4w_bytes_fn sink, void *ctx, struct c4w_err *err)
{
	enum { PIECE = 256 * 1024 };
	struct tar_node *t = (struct tar_node *)((struct c4w_member *)node)->archive;
	const struct c4w_tar_member *m;
	uint8_t *piece;
	uint64_t at = 0;
	int cls;
	C4W_TRY(settle(t, member_of(node), &m, err));
	piece = malloc(PIECE);
	cls = piece ? C4W_OK : c4w_fail_memory(err, PIECE);
	while (cls == C4W_OK && at < m->size) {
		size_t len = m->size - at < PIECE ? (size_t)(m->size - at) : PIECE;
		cls = c4w_tar_read(&t->tar, m, at, len, piece, err);
		if (cls == C4W_OK)
			cls = sink(ctx, piece, len, err);
		at += len;
	}
	free(piece);
	return cls;
}

static int member_blob(struct c4w_node *node, struct c4w_blob **out, struct c4w_err *err)
{
	struct tar_node *t = (struct tar_node *)((struct c4w_member *)node)->archive;
	struct c4w_view path = member_of(node)->path;
	const struct c4w_tar_member *m;
	char name[512];
	void *copy;
	int cls;
	C4W_TRY(settle(t, member_of(node), &m, err));
	snprintf(name, sizeof name, "%.*s", path.n < sizeof name ? (int)path.n : (int)sizeof name - 1, path.p);
	if (!m->is_sparse)
		return c4w_blob_slice(t->m.blob, name, t->tar.base + m->data, m->size, out, err);
	if (m->size > node->limit) {
		c4w_fail(err, C4W_LIMIT, "is a sparse file of %llu bytes, --memory allows %llu", (unsigned long long)m->size,
			 (unsigned long long)node->limit);
		return C4W_LIMIT;
	}
	copy = malloc(m->size ? (size_t)m->size : 1);
	if (!copy)
		return c4w_fail_memory(err, (size_t)m->size);
	cls = c4w_tar_read(&t->tar, m, 0, (size_t)m->size, copy, err);
	if (cls == C4W_OK)
		cls = c4w_blob_memory(name, copy, (size_t)m->size, true, out, err);
	if (cls != C4W_OK)
		free(copy);
	return cls;
}

static const char *type_name(char type)
{
	switch (type) {
	case C4W_TAR_FILE: return "file";
	case C4W_TAR_HARDLINK: return "hard link";
	case C4W_TAR_SYMLINK: return "link";
	case C4W_TAR_CHAR: return "character device";
	case C4W_TAR_BLOCK: return "block device";
	case C4W_TAR_DIR: return "folder";
	case C4W_TAR_FIFO: return "fifo";
	}
	return "other";
}

static int member_describe(struct c4w_node *node, struct c4w_facts *out, struct c4w_err *err)
{
	const struct c4w_tar_member *m = member_of(node);
	char shown[300];
	(void)err;
	c4w_facts_text(out, "type", "%s", type_name(m->type));
	c4w_facts_number(out, "bytes", (int64_t)m->size);
	c4w_facts_number(out, "stored", (int64_t)m->stored);
	c4w_facts_number(out, "offset", (int64_t)m->data);
	if (m->link.n)
		c4w_facts_text(out, "link", "%s", c4w_str_escape(shown, sizeof shown, m->link.p, m->link.n));
	return C4W_OK;
}

static const struct c4w_node_ops member_ops = { .type = "member of a TAR archive", .blob = member_blob, .stream = member_stream,
						.describe = member_describe };

/* ---- the archive and its folders ---- */

static int tar_list(struct c4w_node *node, const struct c4w_list_opts *o, const struct c4w_rows *rows, struct c4w_err *err)
{
	static const struct c4w_column columns[] = {
		{ "name", C4W_CELL_TEXT, false }, { "bytes", C4W_CELL_BYTES, false }, { "type", C4W_CELL_TEXT, false },
		{ "offset", C4W_CELL_INT, false }, { "stored", C4W_CELL_BYTES, true }, { "format", C4W_CELL_TEXT, true },
		{ "mode", C4W_CELL_TEXT, true }, { "uid", C4W_CELL_INT, true }, { "gid", C4W_CELL_INT, true },
		{ "mtime", C4W_CELL_INT, true }, { "link", C4W_CELL_TEXT, true },
	};
	static const char *const formats[] = { [C4W_TAR_V7] = "v7", [C4W_TAR_USTAR] = "ustar", [C4W_TAR_GNU] = "gnu", [C4W_TAR_PAX] = "pax" };
	enum { COLUMNS = sizeof columns / sizeof *columns };
	struct c4w_members *n = (struct c4w_members *)node;
	struct c4w_view *addresses;
	size_t i;
	int cls = c4w_members_begin(n, o, rows, columns, COLUMNS, &addresses, err);
	for (i = 0; i < n->count && cls == C4W_OK; i++) {
		const struct c4w_tar_member *m = &tar_of(n)->members[n->which[i]];
		struct c4w_cell c[COLUMNS];
		char mode[16];
		snprintf(mode, sizeof mode, "%04o", m->mode & 07777U);
		c[0] = c4w_cell_text(addresses[i]);
		c[1] = c4w_cell_int((int64_t)m->size);
		c[2] = c4w_cell_z(m->is_sparse ? "sparse file" : type_name(m->type));
		c[3] = c4w_cell_int((int64_t)m->data);
		c[4] = c4w_cell_int((int64_t)m->stored);
		c[5] = c4w_cell_z(formats[m->format]);
		c[6] = c4w_cell_z(mode);
		c[7] = c4w_cell_int(m->uid);
		c[8] = c4w_cell_int(m->gid);
		c[9] = c4w_cell_int(m->mtime);
		c[10] = m->link.n ? c4w_cell_text(m->link) : c4w_cell_none();
		cls = rows->row(rows->ctx, c, m->type == C4W_TAR_DIR ? C4W_NODE_DIR : C4W_NODE_BYTES);
	}
	return cls;
}

static bool is_folder(const struct c4w_members *archive, size_t which)
{
	return tar_of(archive)->members[which].type == C4W_TAR_DIR;
}

static int tar_describe(struct c4w_node *node, struct c4w_facts *out, struct c4w_err *err)
{
	const struct c4w_members *n = (const struct c4w_members *)node;
	uint64_t size = 0;
	size_t i, files = 0;
	(void)err;
	for (i = 0; i < n->count; i++) {
		const struct c4w_tar_member *m = &tar_of(n)->members[n->which[i]];
		files += m->type == C4W_TAR_FILE;
		size += m->size;
	}
	c4w_facts_number(out, "members", (int64_t)n->count);
	c4w_facts_number(out, "files", (int64_t)files);
	c4w_facts_number(out, "content_bytes", (int64_t)size);
	if (n->blob)
		c4w_facts_number(out, "bytes", (int64_t)c4w_blob_size(n->blob));
	return C4W_OK;
}

static const struct c4w_node_ops archive_ops = { .type = "TAR archive", .list = tar_list, .lookup = c4w_members_child, .describe = tar_describe,
						 .blob = c4w_members_blob, .destroy = c4w_members_destroy };
static const struct c4w_node_ops folder_ops = { .type = "folder in a TAR archive", .list = tar_list, .lookup = c4w_members_child,
						.describe = tar_describe, .flat = true, .destroy = c4w_members_destroy };
static const struct c4w_members_kind kind = { &folder_ops, &member_ops, sizeof(struct c4w_member), is_folder };

int c4w_node_tar(struct c4w_node *parent, struct c4w_blob *blob, struct c4w_node **out, struct c4w_err *err)
{
	struct tar_node *n = c4w_node_new(sizeof *n, &archive_ops, C4W_NODE_DIR, parent);
	size_t i, count = 0;
	int cls;
	if (!n)
		return c4w_fail_memory(err, sizeof *n);
	cls = c4w_tar_open(blob, 0, c4w_blob_size(blob), &n->m.arena, &n->tar, err);
	if (cls == C4W_OK)
		cls = c4w_tar_list(&n->tar, &n->members, &count, err);
	if (cls == C4W_OK)
		cls = c4w_members_init(&n->m, &kind, blob, count, err);
	if (cls != C4W_OK) {
		c4w_node_free(&n->m.base);
		return cls;
	}
	for (i = 0; i < count; i++)
		n->m.names[i].name = n->members[i].path;
	*out = &n->m.base;
	return C4W_OK;
}
