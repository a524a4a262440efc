/* The node of a zstd file: its content, and its frames.
 *
 * "content" is the whole content; "0", "1", ... are the frames. Any other step goes on inside the content, when that is a
 * container: x.tar.zst MEMBER. */
#include "model/node_file.h"

#include "base/numbers.h"
#include "containers/zst.h"

#include <stdlib.h>

struct zst_node {
	struct c4w_node base;
	struct c4w_blob *blob, *content;
	struct c4w_zst_worker *worker;
	struct c4w_zst_frame *frames;
	size_t count;
	struct c4w_arena arena;
};

/* The content of all frames, or of one. */
struct content_node {
	struct c4w_node base;
	struct zst_node *zst;
	struct c4w_blob *frame; /* NULL: all; else a slice of the file */
};

static const struct c4w_node_ops content_ops;

struct into_memory {
	struct c4w_buf buf;
	uint64_t limit;
};

static int keep(void *ctx, const uint8_t *p, size_t n, struct c4w_err *err)
{
	struct into_memory *m = ctx;
	if (n > m->limit - m->buf.n) {
		c4w_fail(err, C4W_LIMIT, "its content is larger than --memory allows, %llu bytes", (unsigned long long)m->limit);
		c4w_err_hint(err, "raise --memory, or decompress it first");
		return C4W_LIMIT;
	}
	c4w_buf_put(&m->buf, p, n);
	return c4w_buf_ok(&m->buf, err);
}

/* "a/x.tar.zst" holds "x.tar". */
static void content_name(const struct zst_node *z, char *out, size_t size)
{
	const char *name = c4w_blob_name(z->blob);
	size_t n = strlen(name);
	if (n > 4 && strcmp(name + n - 4, ".zst") == 0)
		n -= 4;
	snprintf(out, size, "%.*s", (int)n, name);
}

static int decode(struct zst_node *z, struct c4w_blob *from, struct c4w_blob **out, struct c4w_err *err)
{
	struct into_memory m = { .limit = z->base.limit };
	char name[512];
	int cls = c4w_zst_stream(z->worker, from, 0, keep, &m, err);
	content_name(z, name, sizeof name);
	if (cls == C4W_OK && !m.buf.p) {
		c4w_buf_putc(&m.buf, 0);
		m.buf.n = 0;
		cls = c4w_buf_ok(&m.buf, err);
	}
	if (cls == C4W_OK)
		cls = c4w_blob_memory(name, m.buf.p, m.buf.n, true, out, err);
	if (cls != C4W_OK)
		c4w_buf_clear(&m.buf);
	return cls;
}

static int content_blob(struct c4w_node *node, struct c4w_blob **out, struct c4w_err *err)
{
	struct content_node *n = (struct content_node *)node;
	struct zst_node *z = n->zst;
	if (n->frame)
		return decode(z, n->frame, out, err);
	if (!z->content)
		C4W_TRY(decode(z, z->blob, &z->content, err));
	*out = c4w_blob_ref(z->content);
	return C4W_OK;
}

static int content_stream(struct c4w_node *node, c4w_bytes_fn sink, void *ctx, struct c4w_err *err)
{
	struct content_node *n = (struct content_node *)node;
	return c4w_zst_stream(n->zst->worker, n->frame ? n->frame : n->zst->blob, 0, sink, ctx, err);
}

static void content_destroy(struct c4w_node *node)
{
	c4w_blob_close(((struct content_node *)node)->frame);
}

static const struct c4w_node_ops content_ops = { .type = "zstd content", .blob = content_blob, .stream = content_stream, .destroy = content_destroy };

static int content_node(struct zst_node *z, const struct c4w_zst_frame *frame, struct c4w_node **out, struct c4w_err *err)
{
	struct content_node *n = c4w_node_new(sizeof *n, &content_ops, C4W_NODE_BYTES, &z->base);
	char name[512];
	int cls = C4W_OK;
	if (!n)
		return c4w_fail_memory(err, sizeof *n);
	n->zst = z;
	content_name(z, name, sizeof name);
	if (frame)
		cls = c4w_blob_slice(z->blob, name, frame->offset, frame->stored, &n->frame, err);
	if (cls != C4W_OK) {
		c4w_node_free(&n->base);
		return cls;
	}
	*out = &n->base;
	return C4W_OK;
}

/* Frames can always be listed; the content may be broken all the same. */
static int frames(struct zst_node *z, struct c4w_err *err)
{
	if (z->frames)
		return C4W_OK;
	return c4w_zst_list(z->blob, &z->arena, &z->frames, &z->count, err);
}

static int64_t whole_size(const struct zst_node *z)
{
	int64_t sum = 0;
	size_t i;
	for (i = 0; i < z->count; i++) {
		if (z->frames[i].skippable)
			continue;
		if (z->frames[i].content < 0 || __builtin_add_overflow(sum, z->frames[i].content, &sum))
			return -1;
	}
	return sum;
}

static int zst_list(struct c4w_node *node, const struct c4w_list_opts *o, const struct c4w_rows *rows, struct c4w_err *err)
{
	static const struct c4w_column columns[] = {
		{ "name", C4W_CELL_TEXT, false }, { "type", C4W_CELL_TEXT, false }, { "bytes", C4W_CELL_BYTES, false },
		{ "stored", C4W_CELL_BYTES, false }, { "offset", C4W_CELL_INT, false }, { "window", C4W_CELL_BYTES, false },
		{ "checksum", C4W_CELL_TEXT, false }, { "dictionary", C4W_CELL_INT, true },
	};
	enum { COLUMNS = sizeof columns / sizeof *columns };
	struct zst_node *z = (struct zst_node *)node;
	struct c4w_cell c[COLUMNS];
	int64_t size;
	size_t i;
	int cls;
	if (o->what != C4W_LIST_CHILDREN)
		return c4w_fail(err, C4W_UNSUPPORTED, "--records and --files are for datasets");
	C4W_TRY(frames(z, err));
	size = whole_size(z);
	cls = rows->begin(rows->ctx, columns, COLUMNS);
	for (i = 0; i < COLUMNS; i++)
		c[i] = c4w_cell_none();
	c[0] = c4w_cell_z("content");
	c[1] = c4w_cell_z("content");
	c[2] = size < 0 ? c4w_cell_none() : c4w_cell_int(size);
	c[3] = c4w_cell_int((int64_t)c4w_blob_size(z->blob));
	if (cls == C4W_OK)
		cls = rows->row(rows->ctx, c, C4W_NODE_BYTES);
	for (i = 0; i < z->count && cls == C4W_OK; i++) {
		const struct c4w_zst_frame *f = &z->frames[i];
		char number[C4W_NUMBER_TEXT];
		c4w_format_u64(i, number);
		c[0] = c4w_cell_z(number);
		c[1] = c4w_cell_z(f->skippable ? "skippable" : "frame");
		c[2] = f->skippable ? c4w_cell_int(0) : f->content < 0 ? c4w_cell_none() : c4w_cell_int(f->content);
		c[3] = c4w_cell_int((int64_t)f->stored);
		c[4] = c4w_cell_int((int64_t)f->offset);
		c[5] = f->skippable ? c4w_cell_none() : c4w_cell_int((int64_t)f->window);
		c[6] = c4w_cell_z(f->checksum ? "yes" : "no");
		c[7] = f->dict_id ? c4w_cell_int(f->dict_id) : c4w_cell_none();
		cls = rows->row(rows->ctx, c, C4W_NODE_BYTES);
	}
	return cls;
}

static int zst_lookup(struct c4w_node *node, struct c4w_view rest, size_t *used, struct c4w_node **child, struct c4w_err *err)
{
	struct zst_node *z = (struct zst_node *)node;
	struct c4w_view step = { rest.p, c4w_step_first(rest) };
	struct c4w_node *content = NULL, *inside = NULL;
	uint64_t number;
	char shown[200];
	int cls;
	*used = step.n;
	if (c4w_view_eqz(step, "content"))
		return content_node(z, NULL, child, err);
	if (c4w_parse_u64(step, &number)) {
		C4W_TRY(frames(z, err));
		if (number < z->count)
			return content_node(z, &z->frames[number], child, err);
	}
	C4W_TRY(content_node(z, NULL, &content, err));
	cls = c4w_node_enter(content, &inside, err);
	c4w_node_free(content);
	if (cls == C4W_OK && inside->ops->lookup) {
		cls = inside->ops->lookup(inside, rest, used, child, err);
		c4w_node_free(inside);
		return cls;
	}
	c4w_node_free(inside);
	if (cls != C4W_OK && cls != C4W_UNKNOWN)
		return cls;
	return c4w_fail(err, C4W_UNKNOWN, "there is no '%s': neither a frame, nor is the content a container",
			c4w_str_escape(shown, sizeof shown, step.p, step.n));
}

static int zst_describe(struct c4w_node *node, struct c4w_facts *out, struct c4w_err *err)
{
	struct zst_node *z = (struct zst_node *)node;
	int64_t size;
	size_t i, skippable = 0;
	uint64_t window = 0;
	C4W_TRY(frames(z, err));
	for (i = 0; i < z->count; i++) {
		skippable += z->frames[i].skippable;
		if (!z->frames[i].skippable && z->frames[i].window > window)
			window = z->frames[i].window;
	}
	c4w_facts_number(out, "frames", (int64_t)(z->count - skippable));
	if (skippable)
		c4w_facts_number(out, "skippable_frames", (int64_t)skippable);
	size = whole_size(z);
	if (size >= 0)
		c4w_facts_number(out, "content_bytes", size);
	else
		c4w_facts_text(out, "content_bytes", "not said");
	c4w_facts_number(out, "window", (int64_t)window);
	c4w_facts_number(out, "bytes", (int64_t)c4w_blob_size(z->blob));
	return C4W_OK;
}

static int zst_blob(struct c4w_node *node, struct c4w_blob **out, struct c4w_err *err)
{
	(void)err;
	*out = c4w_blob_ref(((struct zst_node *)node)->blob);
	return C4W_OK;
}

static void zst_destroy(struct c4w_node *node)
{
	struct zst_node *z = (struct zst_node *)node;
	c4w_zst_worker_free(z->worker);
	c4w_blob_close(z->content);
	c4w_blob_close(z->blob);
	c4w_arena_clear(&z->arena);
}

static const struct c4w_node_ops zst_ops = { .type = "zstd file", .list = zst_list, .lookup = zst_lookup, .describe = zst_describe,
					     .blob = zst_blob, .destroy = zst_destroy };

int c4w_node_zst(struct c4w_node *parent, struct c4w_blob *blob, struct c4w_node **out, struct c4w_err *err)
{
	struct zst_node *z = c4w_node_new(sizeof *z, &zst_ops, C4W_NODE_DIR, parent);
	int cls;
	if (!z)
		return c4w_fail_memory(err, sizeof *z);
	z->blob = c4w_blob_ref(blob);
	cls = c4w_zst_worker_new(&z->worker, err);
	if (cls != C4W_OK) {
		c4w_node_free(&z->base);
		return cls;
	}
	*out = &z->base;
	return C4W_OK;
}
