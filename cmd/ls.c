/* `c4w ls`: the children of a node. */
#include "command.h"
#include "support/rows.h"
#include "support/selection.h"

struct args {
	bool detail, recurse, records, files, names, zero;
};

#define AT(field) offsetof(struct args, field)

static const struct c4w_option options[] = {
	{ .name = "long", .letter = 'l', .kind = C4W_OPT_FLAG, .offset = AT(detail), .brief = "more columns: sizes, presence, statistics",
	  .text = "Show the detail columns too: sizes and presence of a dataset's scenes, dates and checksums of archive members, statistics and "
		  "encodings of Parquet columns." },
	{ .name = "recursive", .letter = 'R', .kind = C4W_OPT_FLAG, .offset = AT(recurse), .brief = "also what is inside the children",
	  .text = "List also what is inside the children, containers inside containers included. The columns are then name, node, bytes, dtype "
		  "and shape." },
	{ .name = "records", .kind = C4W_OPT_FLAG, .offset = AT(records), .brief = "a dataset's records instead",
	  .text = "List the records of a dataset: their ids, carriers, base stations, sizes, paths and whether they are there.",
	  .conflicts = "files recursive" },
	{ .name = "files", .kind = C4W_OPT_FLAG, .offset = AT(files), .brief = "a dataset's files instead",
	  .text = "List the files that a dataset's catalog names: size, kind and whether they are there.", .conflicts = "records recursive" },
	{ .name = "names", .letter = '1', .kind = C4W_OPT_FLAG, .offset = AT(names), .brief = "the first column alone, without a header",
	  .text = "Print the first column alone, without a header: what c4w cat takes." },
	{ .name = "zero", .letter = 'z', .kind = C4W_OPT_FLAG, .offset = AT(zero), .brief = "lines end in NUL",
	  .text = "End each line with a NUL byte instead of a newline, as xargs -0 takes it." },
	{ .name = NULL },
};

static const struct c4w_example examples[] = {
	{ "c4w ls ROOT --split test", "the test scenes of a root" },
	{ "c4w ls core.tar records/band_hz=3500000000/bs00000.npz", "the arrays of a record inside an archive" },
	{ "c4w ls -1z x.npz | xargs -0 -n1 c4w cat x.npz", "every array of an NPZ" },
	{ NULL, NULL },
};

static int run(struct c4w_ctx *ctx, void *args);

const struct c4w_command c4w_command_ls = {
	.name = "ls",
	.group = "Look",
	.summary = "list what is inside a dataset, a container or a folder",
	.synopsis = "[OPTIONS] PATH [LEAF]",
	.prose = "Lists the children of a node: the scenes of a Channels4World root, the members of a TAR, ZIP or NPZ archive with their offsets, "
		 "sizes, methods, dtypes and shapes, the frames of a zstd file, the columns and row groups of a Parquet file. "
		 "A folder that holds only Parquet files of the same columns is one table: its columns, then the files; with -R it is a folder.\n\n"
		 "LEAF goes inside: steps joined by a slash, through containers inside containers. The first column is what c4w cat and c4w ls "
		 "take as LEAF: in it a percent sign, control bytes and bytes that are not UTF-8 are written %XX, and the k-th of several members of one "
		 "name is NAME#k.\n\n"
		 "On a terminal the columns are aligned; where they do not fit, long texts are cut and the last columns left out, which dots mark. In a "
		 "pipe all columns are there in full, separated by tabs below a header line.",
	.options = options,
	.shares = C4W_SHARE_JSON | C4W_SHARE_AS | C4W_SHARE_MEMORY,
	.selection = true,
	.args_size = sizeof(struct args),
	.min_operands = 1,
	.max_operands = 2,
	.operands = "path leaf",
	.examples = examples,
	.see_also = "c4w-cat(1) c4w-info(1)",
	.run = run,
};

/* ---- -R: one table for all levels ---- */

static const struct c4w_column tree_columns[] = {
	{ "name", C4W_CELL_TEXT, false }, { "node", C4W_CELL_TEXT, false }, { "bytes", C4W_CELL_BYTES, false },
	{ "dtype", C4W_CELL_TEXT, false }, { "shape", C4W_CELL_TEXT, false },
};
enum { TREE_COLUMNS = sizeof tree_columns / sizeof *tree_columns, DEPTH_MAX = 16 };

/* One level: rows come from a node's list and go to the printer below; children are kept until the list is done. */
struct level {
	struct tree *tree;
	struct c4w_node *node;
	const char *prefix;
	size_t depth;
	int bytes, dtype, shape; /* which of the node's columns these are, or -1 */
	int cls;
};

struct tree {
	struct c4w_rows to;
	const struct c4w_list_opts *opts;
	struct c4w_err *err;
};

static int tree_list(struct tree *t, struct c4w_node *node, const char *prefix, size_t depth);

static int level_begin(void *ctx, const struct c4w_column *columns, size_t count)
{
	struct level *l = ctx;
	size_t i;
	l->bytes = l->dtype = l->shape = -1;
	for (i = count; i-- > 1;) {
		if (strcmp(columns[i].name, "bytes") == 0)
			l->bytes = (int)i;
		if (strcmp(columns[i].name, "dtype") == 0)
			l->dtype = (int)i;
		if (strcmp(columns[i].name, "shape") == 0)
			l->shape = (int)i;
	}
	return C4W_OK;
}

/* Print the child, then what is inside it. What can't be entered is still listed. */
static int level_row(void *ctx, const struct c4w_cell *cells, enum c4w_node_kind kind)
{
	static const char *const kinds[] = { "folder", "bytes", "array", "table" };
	struct level *l = ctx;
	struct c4w_buf name = { 0 };
	struct c4w_node *child = NULL, *inside = NULL;
	struct c4w_cell c[TREE_COLUMNS];
	char dtype[300], shape[400];
	int cls;
	c4w_buf_puts(&name, l->prefix);
	c4w_buf_put(&name, cells[0].text.p, cells[0].text.n);
	if (c4w_buf_ok(&name, l->tree->err) != C4W_OK)
		return C4W_MEMORY;
	c[0] = c4w_cell_text((struct c4w_view){ name.p, name.n });
	c[2] = l->bytes < 0 ? c4w_cell_none() : cells[l->bytes];
	c[3] = l->dtype < 0 ? c4w_cell_none() : cells[l->dtype];
	c[4] = l->shape < 0 ? c4w_cell_none() : cells[l->shape];
	if (c4w_node_resolve(l->node, name.p + strlen(l->prefix), &child, NULL) == C4W_OK) {
		if (child->ops->list && !child->ops->flat) {
			inside = c4w_node_ref(child);
		} else if (child->kind == C4W_NODE_BYTES && !child->ops->flat && l->depth < DEPTH_MAX) {
			struct c4w_array a;
			if (c4w_node_enter(child, &inside, NULL) == C4W_OK && inside->ops->array_info) {
				kind = C4W_NODE_ARRAY;
				if (inside->ops->array_info(inside, &a, NULL) == C4W_OK) {
					c[3] = c4w_cell_z(c4w_dtype_text(&a.dtype, dtype, sizeof dtype));
					c[4] = c4w_cell_z(c4w_shape_text(a.rank, a.shape, shape, sizeof shape));
				}
			} else if (inside) {
				kind = inside->kind;
			}
		}
	}
	c[1] = c4w_cell_z(kinds[kind]);
	cls = l->tree->to.row(l->tree->to.ctx, c, kind);
	if (cls == C4W_OK && inside && inside->ops->list && l->depth < DEPTH_MAX) {
		c4w_buf_putc(&name, '/');
		cls = name.failed ? C4W_MEMORY : tree_list(l->tree, inside, name.p, l->depth + 1);
	}
	c4w_node_free(inside);
	c4w_node_free(child);
	c4w_buf_clear(&name);
	return cls;
}

static int tree_list(struct tree *t, struct c4w_node *node, const char *prefix, size_t depth)
{
	struct level l = { .tree = t, .node = node, .prefix = prefix, .depth = depth };
	struct c4w_rows rows = { .begin = level_begin, .row = level_row, .ctx = &l };
	int cls = node->ops->list(node, t->opts, &rows, t->err);
	/* Below the top, a damaged container is listed as what it is: bytes. */
	return depth && cls != C4W_CANCELLED && cls != C4W_MEMORY ? C4W_OK : cls;
}

/* ---- one level ---- */

/* A leaf without children is listed as itself, as ls(1) does with a file; "." is the file itself. */
static int list_itself(struct c4w_node *node, const char *leaf, const struct c4w_rows *rows, struct c4w_err *err)
{
	static const char *const kinds[] = { "folder", "bytes", "array", "table" };
	struct c4w_cell c[TREE_COLUMNS];
	struct c4w_array a;
	struct c4w_blob *blob;
	char dtype[300], shape[400];
	size_t i;
	for (i = 0; i < TREE_COLUMNS; i++)
		c[i] = c4w_cell_none();
	c[0] = c4w_cell_z(*leaf ? leaf : ".");
	c[1] = c4w_cell_z(kinds[node->kind]);
	if (node->ops->array_info) {
		C4W_TRY(node->ops->array_info(node, &a, err));
		c[2] = c4w_cell_int((int64_t)a.size);
		c[3] = c4w_cell_z(c4w_dtype_text(&a.dtype, dtype, sizeof dtype));
		c[4] = c4w_cell_z(c4w_shape_text(a.rank, a.shape, shape, sizeof shape));
	} else if (node->ops->blob) {
		C4W_TRY(node->ops->blob(node, &blob, err));
		c[2] = c4w_cell_int((int64_t)c4w_blob_size(blob));
		c4w_blob_close(blob);
	}
	C4W_TRY(rows->begin(rows->ctx, tree_columns, TREE_COLUMNS));
	return rows->row(rows->ctx, c, node->kind);
}

static int list(struct c4w_ctx *ctx, const struct args *args, struct c4w_target *t, struct c4w_node *root, const char *leaf, struct c4w_err *err)
{
	struct c4w_list_opts opts = { .what = args->records ? C4W_LIST_RECORDS : args->files ? C4W_LIST_FILES : C4W_LIST_CHILDREN,
				      .detail = args->detail, .tree = args->recurse, .selection = t->selection };
	struct c4w_row_printer printer;
	struct c4w_rows rows;
	struct c4w_node *node, *inside = NULL;
	struct c4w_buf prefix = { 0 };
	int cls = c4w_node_resolve(root, leaf, &node, err);
	if (cls != C4W_OK)
		return cls;
	c4w_rows_init(&printer, ctx, args->names, args->zero, args->detail);
	printer.ids = args->records;
	rows = c4w_rows_sink(&printer);
	if (!node->ops->list && node->kind == C4W_NODE_BYTES) {
		cls = c4w_node_enter(node, &inside, err);
		if (cls == C4W_OK) {
			c4w_node_free(node);
			node = inside;
		} else if (cls == C4W_UNKNOWN)
			cls = C4W_OK;
	}
	if (*leaf) {
		c4w_buf_puts(&prefix, leaf);
		while (prefix.n && prefix.p[prefix.n - 1] == '/')
			prefix.n--;
		c4w_buf_putc(&prefix, '/');
	}
	if (cls == C4W_OK)
		cls = c4w_buf_ok(&prefix, err);
	if (cls == C4W_OK && !node->ops->list) {
		cls = list_itself(node, leaf, &rows, err);
	} else if (cls == C4W_OK && args->recurse) {
		struct tree tree = { .to = rows, .opts = &opts, .err = err };
		cls = rows.begin(rows.ctx, tree_columns, TREE_COLUMNS);
		if (cls == C4W_OK)
			cls = tree_list(&tree, node, prefix.p ? prefix.p : "", 0);
	} else if (cls == C4W_OK) {
		/* Records and files have names of their own. */
		printer.prefix = prefix.p && opts.what == C4W_LIST_CHILDREN ? prefix.p : "";
		cls = node->ops->list(node, &opts, &rows, err);
	}
	c4w_rows_finish(&printer);
	c4w_node_free(node);
	c4w_buf_clear(&prefix);
	return cls;
}

static int run(struct c4w_ctx *ctx, void *args_)
{
	const char *path = ctx->operand[0], *leaf = ctx->operands > 1 ? ctx->operand[1] : "";
	struct c4w_target target;
	struct c4w_node *root = NULL;
	struct c4w_err err = { 0 };
	int cls = c4w_target_open(ctx, path, &target, &err), code = C4W_EXIT_OK;
	if (cls != C4W_OK) {
		c4w_err_path(&err, path);
		code = c4w_say_open(ctx, &err);
		c4w_target_close(&target);
		return code;
	}
	cls = c4w_target_select(ctx, &target, &err);
	if (cls == C4W_OK && !target.family->node)
		cls = c4w_fail(&err, C4W_UNSUPPORTED, "a %s can't be listed", target.family->title);
	if (cls == C4W_OK)
		cls = target.family->node(target.root, &root, &err);
	if (cls == C4W_OK) {
		root->limit = ctx->shared.memory;
		cls = list(ctx, args_, &target, root, leaf, &err);
	}
	if (cls != C4W_OK && cls != C4W_CANCELLED) {
		c4w_err_path(&err, *leaf ? leaf : path);
		code = c4w_say(ctx, &err);
	}
	c4w_node_free(root);
	c4w_target_close(&target);
	return code;
}
