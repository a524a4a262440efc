/* `c4w cat`: what a leaf holds. */
#include "command.h"
#include "support/selection.h"

#include "base/limits.h"
#include "containers/npy.h"
#include "model/node_file.h"
#include "model/print.h"

struct args {
	int format;
	const char *slice, *columns;
	int64_t limit;
	bool no_header;
};

enum { AUTO, CSV, TSV, JSONL, NPY, RAW };

#define AT(field) offsetof(struct args, field)

static const char *const formats[] = { "auto", "csv", "tsv", "jsonl", "npy", "raw", NULL };

static const struct c4w_option options[] = {
	{ .name = "format", .kind = C4W_OPT_ENUM, .arg = "FORMAT", .offset = AT(format), .values = formats, .def = "auto",
	  .brief = "auto, csv, tsv, jsonl, npy or raw",
	  .text = "How to print. csv, tsv and jsonl are for arrays and tables; npy is what numpy.save writes; raw is an array's elements in C order, or "
		  "the bytes of anything else. auto is csv for arrays and tables and raw for the rest. --json is jsonl." },
	{ .name = "slice", .kind = C4W_OPT_STRING, .arg = "A:B[:S],...", .offset = AT(slice), .brief = "a part of each axis, half-open as in numpy",
	  .text = "A part of each axis, first axis first, with numpy's meaning: A:B is half-open, A:B:S has a step, a number alone takes one element "
		  "and drops the axis, negative numbers count from the end. Of a table, rows. Write --slice=-3: when it starts with a minus." },
	{ .name = "limit", .letter = 'n', .kind = C4W_OPT_INT, .arg = "N", .offset = AT(limit), .min = 0, .max = INT64_MAX, .def_text = "all",
	  .brief = "at most N rows", .text = "Print at most N elements of the first axis, or N rows of a table." },
	{ .name = "columns", .kind = C4W_OPT_STRING, .arg = "A,B.C,...", .offset = AT(columns), .brief = "these columns, in this order",
	  .text = "Only these columns of a table, or fields of a structured array, in this order; a.b is what is inside a." },
	{ .name = "no-header", .kind = C4W_OPT_FLAG, .offset = AT(no_header), .brief = "no header line in csv and tsv",
	  .text = "Leave the header line of csv and tsv out." },
	{ .name = NULL },
};

static const struct c4w_example examples[] = {
	{ "c4w cat x.npz tau --slice 0:10", "ten values of an array" },
	{ "c4w cat release urban_scene_019231/3500000000/0/core/tau --format npy > tau.npy", "an array of a dataset, for numpy" },
	{ "c4w cat t.parquet --columns path,bytes --json --limit 3", "three rows of a table" },
	{ NULL, NULL },
};

static int run(struct c4w_ctx *ctx, void *args);

const struct c4w_command c4w_command_cat = {
	.name = "cat",
	.group = "Look",
	.summary = "print what a leaf holds: an array, a table, or bytes",
	.synopsis = "[OPTIONS] PATH [LEAF...]",
	.prose = "Prints what each LEAF of PATH holds, or PATH itself: an array as CSV, TSV, JSON lines, NPY or raw bytes, a table row by row, "
		 "anything else as its bytes. A folder of Parquet shards is one table. Leaves are those that c4w ls prints in its first column.\n\n"
		 "Values can be read back unchanged: integers in full, floats in the shortest form that gives the same value. An array of one or "
		 "no axis has one value a line; of more axes a line for the last axis, with the indices of the first ones in front from three axes "
		 "on. In JSON lines an element of the first axis is one line, as nested lists.\n\n"
		 "Binary data is not written to a terminal without -f.",
	.options = options,
	.shares = C4W_SHARE_JSON | C4W_SHARE_AS | C4W_SHARE_MEMORY | C4W_SHARE_FORCE,
	.args_size = sizeof(struct args),
	.min_operands = 1,
	.max_operands = -1,
	.operands = "path leaf",
	.examples = examples,
	.see_also = "c4w-ls(1)",
	.run = run,
};

struct cat {
	struct c4w_ctx *ctx;
	const struct args *args;
	int format;
	struct c4w_slice slices[C4W_ARRAY_RANK_MAX];
	unsigned slice_count;
	const char **columns;
	size_t column_count;
	bool terminal; /* refuse binary data */
	char carry[4]; /* the beginning of a character that goes on in the next piece */
	size_t carried;
};

/* ---- output ---- */

static int put(void *ctx, const uint8_t *p, size_t n, struct c4w_err *err)
{
	struct cat *c = ctx;
	(void)err;
	if (n)
		fwrite(p, 1, n, c->ctx->out);
	return c4w_out_failed() || c4w_stop ? C4W_CANCELLED : C4W_OK;
}

static int refuse(struct c4w_err *err)
{
	c4w_fail(err, C4W_USAGE, "holds binary data, which is not written to a terminal");
	c4w_err_hint(err, "say -f, or send it to a file");
	return C4W_USAGE;
}

/* Text goes to a terminal, anything else does not: control bytes could reprogram it. */
static int put_checked(void *ctx, const uint8_t *p, size_t n, struct c4w_err *err)
{
	struct cat *c = ctx;
	size_t i, tail;
	if (!c->terminal)
		return put(ctx, p, n, err);
	for (i = 0; i < n; i++)
		if ((p[i] < 0x20 && p[i] != '\n' && p[i] != '\t' && p[i] != '\r') || p[i] == 0x7F)
			return refuse(err);
	/* A character may be cut by the end of the piece: up to three bytes are looked at with the next one. */
	for (tail = n < 3 ? n : 3; tail && (p[n - tail] & 0xC0) != 0xC0; tail--)
		;
	if (c->carried) {
		char whole[8];
		size_t take = n < 4 ? n : 4, len;
		uint32_t cp;
		memcpy(whole, c->carry, c->carried);
		memcpy(whole + c->carried, p, take);
		len = c4w_utf8_decode(whole, c->carried + take, &cp);
		if (len <= c->carried)
			return refuse(err);
		if (!c4w_utf8_valid((const char *)p + (len - c->carried), n - (len - c->carried) - (tail <= n - (len - c->carried) ? tail : 0)))
			return refuse(err);
	} else if (!c4w_utf8_valid((const char *)p, n - tail))
		return refuse(err);
	c->carried = 0;
	if (tail && !c4w_utf8_valid((const char *)p + n - tail, tail)) {
		memcpy(c->carry, p + n - tail, tail);
		c->carried = tail;
	}
	return put(ctx, p, n, err);
}

/* ---- arrays ---- */

/* The range of the first axis that --slice and --limit leave, when it goes forward; false when the array has to be read whole. */
static bool first_axis(const struct cat *c, const struct c4w_array *a, uint64_t *start, uint64_t *count, uint64_t *step)
{
	const struct c4w_slice *s = &c->slices[0];
	int64_t rows, from, to;
	if (a->rank == 0 || (a->fortran && a->rank > 1) || a->shape[0] > INT64_MAX)
		return false;
	rows = (int64_t)a->shape[0];
	*start = 0;
	*count = a->shape[0];
	*step = 1;
	if (c->slice_count) {
		if (s->index || s->step < 0)
			return false;
		from = s->has_start ? s->start : 0;
		to = s->has_stop ? s->stop : rows;
		from = from < 0 ? (from + rows < 0 ? 0 : from + rows) : from > rows ? rows : from;
		to = to < 0 ? (to + rows < 0 ? 0 : to + rows) : to > rows ? rows : to;
		*step = (uint64_t)s->step;
		*start = (uint64_t)from;
		*count = to > from ? ((uint64_t)(to - from) - 1) / *step + 1 : 0;
	}
	if (c->args->limit >= 0 && *count > (uint64_t)c->args->limit)
		*count = (uint64_t)c->args->limit;
	return true;
}

static int print_view(struct cat *c, const struct c4w_nd *v, bool header, bool npy_header, struct c4w_err *err)
{
	switch (c->format) {
	case NPY:
		return npy_header ? c4w_nd_npy(v, put, c, err) : c4w_nd_raw(v, put, c, err);
	case RAW:
		return c4w_nd_raw(v, put, c, err);
	case TSV:
		return c4w_nd_print(v, C4W_TEXT_TSV, header, put, c, err);
	case JSONL:
		return c4w_nd_print(v, C4W_TEXT_JSONL, header, put, c, err);
	default:
		return c4w_nd_print(v, C4W_TEXT_CSV, header, put, c, err);
	}
}

/* Everything but the first axis' slice, which has been taken already when `rest_only`. */
static int shape_view(struct cat *c, struct c4w_nd *v, bool rest_only, struct c4w_arena *arena, struct c4w_err *err)
{
	struct c4w_slice slices[C4W_ARRAY_RANK_MAX];
	memcpy(slices, c->slices, sizeof slices);
	if (rest_only)
		slices[0] = (struct c4w_slice){ .step = 1 };
	if (c->slice_count)
		C4W_TRY(c4w_nd_slice(v, slices, c->slice_count, err));
	if (!rest_only && c->args->limit >= 0)
		c4w_nd_limit(v, (uint64_t)c->args->limit);
	if (c->column_count)
		C4W_TRY(c4w_nd_columns(v, c->columns, c->column_count, arena, err));
	return C4W_OK;
}

/* An array that is larger than this is read and printed in pieces, so that a slice of a huge one costs no more than the slice. */
enum { PIECE = 4 << 20 };

static int cat_pieces(struct cat *c, struct c4w_node *n, const struct c4w_array *info, uint64_t start, uint64_t count, uint64_t step,
		      struct c4w_err *err)
{
	uint64_t row = info->shape[0] ? info->size / info->shape[0] : 0, done = 0;
	uint64_t rows = row ? PIECE / row : count, at_once = rows / step ? rows / step : 1;
	struct c4w_arena arena = { 0 };
	int cls = C4W_OK;
	if (c->format == NPY) {
		/* The header of the whole, from a view of no bytes. */
		struct c4w_array a = *info;
		struct c4w_buf head = { 0 };
		struct c4w_nd v;
		static const uint8_t nothing[1];
		a.bytes = nothing;
		a.shape[0] = count;
		cls = c4w_array_measure(&a, err);
		if (cls == C4W_OK) {
			c4w_nd_of(&a, &v);
			cls = shape_view(c, &v, true, &arena, err);
		}
		if (cls == C4W_OK) {
			a.rank = v.rank;
			a.dtype = v.dtype;
			memcpy(a.shape, v.shape, sizeof a.shape);
			cls = c4w_array_measure(&a, err);
		}
		if (cls == C4W_OK) {
			c4w_npy_write_header(&head, &a);
			cls = c4w_buf_ok(&head, err);
		}
		if (cls == C4W_OK)
			cls = put(c, (const uint8_t *)head.p, head.n, err);
		c4w_buf_clear(&head);
	}
	do {
		uint64_t now = count - done < at_once ? count - done : at_once;
		struct c4w_slice every = { .step = (int64_t)step };
		struct c4w_array a;
		struct c4w_nd v;
		c4w_arena_reset(&arena);
		if (cls == C4W_OK)
			cls = n->ops->array_read(n, start + done * step, now ? (now - 1) * step + 1 : 0, &arena, &a, err);
		if (cls != C4W_OK)
			break;
		c4w_nd_of(&a, &v);
		if (step > 1)
			cls = c4w_nd_slice(&v, &every, 1, err);
		if (cls == C4W_OK)
			cls = shape_view(c, &v, true, &arena, err);
		if (cls == C4W_OK)
			cls = print_view(c, &v, done == 0 && !c->args->no_header, false, err);
		done += now;
	} while (cls == C4W_OK && done < count);
	c4w_arena_clear(&arena);
	return cls;
}

static int cat_array(struct cat *c, struct c4w_node *n, struct c4w_err *err)
{
	struct c4w_arena arena = { 0 };
	struct c4w_array info, a;
	struct c4w_nd v;
	uint64_t start, count, step;
	int cls;
	C4W_TRY(n->ops->array_info(n, &info, err));
	if (c->terminal && (c->format == NPY || c->format == RAW))
		return refuse(err);
	if (info.size > PIECE && first_axis(c, &info, &start, &count, &step))
		return cat_pieces(c, n, &info, start, count, step, err);
	cls = n->ops->array_read(n, 0, info.rank ? info.shape[0] : 1, &arena, &a, err);
	if (cls == C4W_OK) {
		c4w_nd_of(&a, &v);
		cls = shape_view(c, &v, false, &arena, err);
	}
	if (cls == C4W_OK)
		cls = print_view(c, &v, !c->args->no_header, true, err);
	c4w_arena_clear(&arena);
	return cls;
}

/* ---- tables, bytes ---- */

static int cat_table(struct cat *c, struct c4w_node *n, struct c4w_err *err)
{
	struct c4w_table_opts o = { .form = c->format == TSV ? C4W_TEXT_TSV : c->format == JSONL ? C4W_TEXT_JSONL : C4W_TEXT_CSV,
				    .header = !c->args->no_header, .columns = c->columns, .column_count = c->column_count,
				    .count = UINT64_MAX, .step = 1 };
	uint32_t bad_crcs = 0;
	int cls;
	if (c->format == NPY)
		return c4w_fail(err, C4W_USAGE, "is a table; npy is for arrays");
	if (c->slice_count > 1)
		return c4w_fail(err, C4W_USAGE, "is a table; --slice takes one part, for its rows");
	if (c->slice_count) {
		const struct c4w_slice *s = &c->slices[0];
		if (s->step < 1 || s->start < 0 || s->stop < 0)
			return c4w_fail(err, C4W_USAGE, "is a table; its rows are counted from the front");
		o.first = (uint64_t)s->start;
		o.step = (uint64_t)s->step;
		if (s->index)
			o.count = 1;
		else if (s->has_stop)
			o.count = s->stop > s->start ? ((uint64_t)(s->stop - s->start) - 1) / o.step + 1 : 0;
	}
	if (c->args->limit >= 0 && o.count > (uint64_t)c->args->limit)
		o.count = (uint64_t)c->args->limit;
	o.bad_crcs = &bad_crcs;
	cls = n->ops->table(n, &o, put, c, err);
	/* as other readers do: the values are shown, and what is wrong with them is said; `c4w verify` fails */
	if (bad_crcs)
		c4w_warn(c->ctx, "%u pages have another CRC than their headers say; c4w verify tells which", bad_crcs);
	return cls;
}

static int cat_bytes(struct cat *c, struct c4w_node *n, struct c4w_err *err)
{
	if (c->format != AUTO && c->format != RAW)
		return c4w_fail(err, C4W_USAGE, "is neither an array nor a table; only --format raw prints it");
	if (c->slice_count || c->args->limit >= 0 || c->column_count)
		return c4w_fail(err, C4W_USAGE, "is neither an array nor a table; --slice, --limit and --columns are for those");
	c->carried = 0;
	return c4w_node_stream(n, put_checked, c, err);
}

/* What a node's bytes are decides how they are printed; a zstd file stands for its content. */
static int cat_node(struct cat *c, struct c4w_node *n, unsigned depth, struct c4w_err *err)
{
	struct c4w_node *inside = NULL;
	int cls;
	if (n->ops->array_info)
		return cat_array(c, n, err);
	if (n->ops->table && c->format != RAW)
		return cat_table(c, n, err);
	if (n->kind == C4W_NODE_BYTES && depth < 4 && n->ops->blob) {
		/* A pipe that is wanted as it is needs no look into it. */
		if (n->ops->stream && !n->parent && c->format == RAW)
			return cat_bytes(c, n, err);
		cls = c4w_node_enter(n, &inside, err);
		if (cls == C4W_OK) {
			if (inside->ops->array_info || (inside->ops->table && c->format != RAW)) {
				cls = cat_node(c, inside, depth + 1, err);
			} else if (c->format != RAW && strcmp(inside->ops->type, "zstd file") == 0) {
				struct c4w_node *content;
				size_t used;
				cls = inside->ops->lookup(inside, C4W_VIEW("content"), &used, &content, err);
				if (cls == C4W_OK) {
					cls = cat_node(c, content, depth + 1, err);
					c4w_node_free(content);
				}
			} else
				cls = cat_bytes(c, n, err);
			c4w_node_free(inside);
			return cls;
		}
		if (cls == C4W_CANCELLED || cls == C4W_IO || cls == C4W_MEMORY)
			return cls;
		/* Bytes that only look like a container are still bytes, unless something of a container is asked for, or it is a whole one that is not
		 * read here (encrypted, say): that is said before any output. */
		if (cls != C4W_UNKNOWN && c->format != RAW &&
		    (c->format != AUTO || c->slice_count || c->args->limit >= 0 || c->column_count || cls == C4W_UNSUPPORTED)) {
			if (cls == C4W_UNSUPPORTED && c->format == AUTO && !err->hint[0])
				c4w_err_hint(err, "'--format raw' prints its bytes");
			return cls;
		}
		return cat_bytes(c, n, err);
	}
	if (!n->ops->blob && !n->ops->stream) {
		c4w_fail(err, C4W_USAGE, "is a %s", n->ops->type);
		c4w_err_hint(err, "'c4w ls' lists what is inside it");
		return C4W_USAGE;
	}
	return cat_bytes(c, n, err);
}

/* "a,b.c" into the arena. */
static int split_columns(struct cat *c, struct c4w_err *err)
{
	const char *text = c->args->columns;
	char *copy, *word, *rest = NULL;
	void *mem;
	size_t n = 2;
	const char *p;
	for (p = text; *p; p++)
		n += *p == ',';
	copy = c4w_arena_text(&c->ctx->arena, text, strlen(text));
	if (!copy)
		return c4w_fail_memory(err, n);
	C4W_TRY(c4w_arena_zero(&c->ctx->arena, n, sizeof *c->columns, &mem, err));
	c->columns = mem;
	for (word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest))
		c->columns[c->column_count++] = word;
	return c->column_count ? C4W_OK : c4w_fail(err, C4W_USAGE, "option --columns names no column");
}

static int run(struct c4w_ctx *ctx, void *args_)
{
	struct args *args = args_;
	struct cat c = { .ctx = ctx, .args = args, .format = args->format };
	struct c4w_target target = { 0 };
	struct c4w_node *root = NULL;
	struct c4w_err err = { 0 };
	int i, cls = C4W_OK, code = C4W_EXIT_OK;
	c4w_err_clear(&err);
	if (!c4w_was_given(ctx, "limit"))
		args->limit = -1;
	if (ctx->shared.json && c.format != AUTO && c.format != JSONL)
		return c4w_usage(ctx, "--json is --format jsonl, not %s", formats[c.format]);
	if (ctx->shared.json)
		c.format = JSONL;
	c.terminal = c4w_is_terminal(stdout) && !ctx->shared.force;
	if (args->slice)
		cls = c4w_slice_parse(args->slice, c.slices, &c.slice_count, &err);
	if (cls == C4W_OK && args->columns)
		cls = split_columns(&c, &err);
	if (cls != C4W_OK)
		return c4w_say(ctx, &err);
	cls = c4w_target_open(ctx, ctx->operand[0], &target, &err);
	if (cls != C4W_OK) {
		c4w_err_path(&err, ctx->operand[0]);
		code = c4w_say_open(ctx, &err);
		goto out;
	}
	if (!target.family->node)
		cls = c4w_fail(&err, C4W_UNSUPPORTED, "leaves of a %s can't be printed", target.family->title);
	else
		cls = target.family->node(target.root, &root, &err);
	if (cls != C4W_OK) {
		c4w_err_path(&err, ctx->operand[0]);
		code = c4w_say(ctx, &err);
		goto out;
	}
	root->limit = ctx->shared.memory;
	for (i = ctx->operands > 1 ? 1 : 0; i < ctx->operands && !c4w_stop && !c4w_out_failed(); i++) {
		const char *leaf = i ? ctx->operand[i] : "";
		struct c4w_node *n = NULL;
		cls = c4w_node_resolve(root, leaf, &n, &err);
		if (cls == C4W_OK)
			cls = cat_node(&c, n, 0, &err);
		c4w_node_free(n);
		if (cls != C4W_OK && cls != C4W_CANCELLED) {
			if (i)
				c4w_err_path(&err, leaf);
			c4w_err_path(&err, ctx->operand[0]);
			code = c4w_exit_worst(code, c4w_say(ctx, &err));
			c4w_err_clear(&err);
		}
	}
out:
	c4w_node_free(root);
	c4w_target_close(&target);
	return code;
}
