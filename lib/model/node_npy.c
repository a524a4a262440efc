/* The node of an NPY file: an array, read in rows. See node_file.h. */
#include "model/node_file.h"

#include "base/checked.h"
#include "containers/npy.h"

struct npy_node {
	struct c4w_node base;
	struct c4w_blob *blob;
	struct c4w_npy npy;
	struct c4w_arena arena; /* fields of a struct */
};

static int npy_info(struct c4w_node *node, struct c4w_array *out, struct c4w_err *err)
{
	struct npy_node *n = (struct npy_node *)node;
	uint64_t body = c4w_blob_size(n->blob) - n->npy.header_size;
	/* A body that is shorter than the header says is known before anything is allocated. */
	if (body < n->npy.array.size) {
		c4w_damaged(err, "npy.body-short", (int64_t)c4w_blob_size(n->blob), "the data ends early");
		c4w_err_valuesf(err, NULL, "%llu bytes", (unsigned long long)body);
		if (err)
			snprintf(err->expected, sizeof err->expected, "%llu", (unsigned long long)n->npy.array.size);
		return C4W_DAMAGED;
	}
	*out = n->npy.array;
	out->bytes = NULL;
	return C4W_OK;
}

static int npy_read(struct c4w_node *node, uint64_t first, uint64_t count, struct c4w_arena *arena, struct c4w_array *out,
		    struct c4w_err *err)
{
	struct npy_node *n = (struct npy_node *)node;
	uint64_t row, offset = n->npy.header_size, rows;
	C4W_TRY(npy_info(node, out, err));
	rows = out->rank ? out->shape[0] : 1;
	if (out->rank && (!out->fortran || out->rank < 2) && (first || count < rows)) {
		row = rows ? out->size / rows : 0;
		if (!c4w_within(first, count, rows))
			return c4w_fail(err, C4W_USAGE, "rows beyond the array");
		out->shape[0] = count;
		C4W_TRY(c4w_array_measure(out, err));
		offset += first * row;
	}
	if (out->size > n->base.limit) {
		c4w_fail(err, C4W_LIMIT, "needs %llu bytes of memory, --memory allows %llu", (unsigned long long)out->size,
			 (unsigned long long)n->base.limit);
		c4w_err_hint(err, "raise --memory, or take a part with --slice");
		return C4W_LIMIT;
	}
	return c4w_blob_view(n->blob, offset, (size_t)out->size, arena, &out->bytes, err);
}

static int npy_blob(struct c4w_node *node, struct c4w_blob **out, struct c4w_err *err)
{
	(void)err;
	*out = c4w_blob_ref(((struct npy_node *)node)->blob);
	return C4W_OK;
}

static int npy_describe(struct c4w_node *node, struct c4w_facts *out, struct c4w_err *err)
{
	const struct npy_node *n = (const struct npy_node *)node;
	char text[400];
	(void)err;
	c4w_facts_text(out, "version", "%u.%u", n->npy.major, n->npy.minor);
	c4w_facts_text(out, "dtype", "%s", c4w_dtype_text(&n->npy.array.dtype, text, sizeof text));
	c4w_facts_text(out, "shape", "%s", c4w_shape_text(n->npy.array.rank, n->npy.array.shape, text, sizeof text));
	c4w_facts_text(out, "order", "%s", n->npy.array.fortran ? "fortran" : "c");
	c4w_facts_number(out, "elements", (int64_t)n->npy.array.count);
	c4w_facts_number(out, "header_bytes", (int64_t)n->npy.header_size);
	c4w_facts_number(out, "data_bytes", (int64_t)n->npy.array.size);
	c4w_facts_number(out, "bytes", (int64_t)c4w_blob_size(n->blob));
	return C4W_OK;
}

static void npy_destroy(struct c4w_node *node)
{
	struct npy_node *n = (struct npy_node *)node;
	c4w_arena_clear(&n->arena);
	c4w_blob_close(n->blob);
}

static const struct c4w_node_ops npy_ops = { .type = "array", .array_info = npy_info, .array_read = npy_read, .blob = npy_blob,
					     .describe = npy_describe, .destroy = npy_destroy };

int c4w_node_npy(struct c4w_node *parent, struct c4w_blob *blob, struct c4w_node **out, struct c4w_err *err)
{
	struct npy_node *n = c4w_node_new(sizeof *n, &npy_ops, C4W_NODE_ARRAY, parent);
	int cls;
	if (!n)
		return c4w_fail_memory(err, sizeof *n);
	n->blob = c4w_blob_ref(blob);
	cls = c4w_npy_read_header(blob, 0, c4w_blob_size(blob), &n->arena, &n->npy, err);
	if (cls != C4W_OK) {
		c4w_node_free(&n->base);
		return cls;
	}
	*out = &n->base;
	return C4W_OK;
}
