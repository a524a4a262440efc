/* The schema: the footer's flat list becomes a tree with levels, and the list and map conventions are resolved (LogicalTypes.md, "Nested
 * Types" with its backward-compatibility rules). */
#include "containers/pq_impl.h"

#include "base/limits.h"

#include <stdlib.h>
#include <string.h>

enum { NO_CONVERTED = -1, CONV_LIST = 3, CONV_MAP = 1, CONV_MAP_KEY_VALUE = 2 };

/* ConvertedType, by number, as the logical type it stands for. */
static const struct {
	uint8_t logical, unit, bits;
	bool is_signed;
} converted[] = {
	{ C4W_PQ_L_STRING, 0, 0, false },   { C4W_PQ_L_MAP, 0, 0, false },      { C4W_PQ_L_MAP, 0, 0, false },
	{ C4W_PQ_L_LIST, 0, 0, false },     { C4W_PQ_L_ENUM, 0, 0, false },     { C4W_PQ_L_DECIMAL, 0, 0, false },
	{ C4W_PQ_L_DATE, 0, 0, false },     { C4W_PQ_L_TIME, 0, 0, false },     { C4W_PQ_L_TIME, 1, 0, false },
	{ C4W_PQ_L_TIMESTAMP, 0, 0, false }, { C4W_PQ_L_TIMESTAMP, 1, 0, false }, { C4W_PQ_L_INTEGER, 0, 8, false },
	{ C4W_PQ_L_INTEGER, 0, 16, false }, { C4W_PQ_L_INTEGER, 0, 32, false }, { C4W_PQ_L_INTEGER, 0, 64, false },
	{ C4W_PQ_L_INTEGER, 0, 8, true },   { C4W_PQ_L_INTEGER, 0, 16, true },  { C4W_PQ_L_INTEGER, 0, 32, true },
	{ C4W_PQ_L_INTEGER, 0, 64, true },  { C4W_PQ_L_JSON, 0, 0, false },     { C4W_PQ_L_BSON, 0, 0, false },
	{ C4W_PQ_L_INTERVAL, 0, 0, false },
};

static void read_unit(struct pq_cur *c, struct c4w_pq_node *n)
{
	struct pq_field f = { 0, 0 };

	if (!pq_struct_begin(c))
		return;
	while (pq_field_next(c, &f)) {
		if (f.id >= 1 && f.id <= 3)
			n->unit = (enum c4w_pq_unit)(f.id - 1);
		else /* a unit that is not known: the physical type counts */
			n->logical = C4W_PQ_L_NONE;
		pq_skip(c, f.wire);
	}
}

/* The members of the logical types that have any. */
static void read_logical_members(struct pq_cur *c, struct c4w_pq_node *n)
{
	struct pq_field f = { 0, 0 };

	if (!pq_struct_begin(c))
		return;
	while (pq_field_next(c, &f)) {
		if (n->logical == C4W_PQ_L_DECIMAL && f.id == 1)
			n->scale = pq_int32(c, &f);
		else if (n->logical == C4W_PQ_L_DECIMAL && f.id == 2)
			n->precision = pq_int32(c, &f);
		else if ((n->logical == C4W_PQ_L_TIME || n->logical == C4W_PQ_L_TIMESTAMP) && f.id == 1)
			n->utc = pq_bool(c, &f);
		else if ((n->logical == C4W_PQ_L_TIME || n->logical == C4W_PQ_L_TIMESTAMP) && f.id == 2 && pq_want(c, &f, PQ_W_STRUCT))
			read_unit(c, n);
		else if (n->logical == C4W_PQ_L_INTEGER && f.id == 1)
			n->bits = (uint8_t)pq_int32(c, &f);
		else if (n->logical == C4W_PQ_L_INTEGER && f.id == 2)
			n->is_signed = pq_bool(c, &f);
		else
			pq_skip(c, f.wire);
	}
}

/* LogicalType, a union. True when it is one that is known; then the converted type has nothing to add. */
static bool read_logical(struct pq_cur *c, struct c4w_pq_node *n)
{
	static const uint8_t known[] = { [1] = C4W_PQ_L_STRING, [2] = C4W_PQ_L_MAP,      [3] = C4W_PQ_L_LIST,      [4] = C4W_PQ_L_ENUM,
					 [5] = C4W_PQ_L_DECIMAL, [6] = C4W_PQ_L_DATE,    [7] = C4W_PQ_L_TIME,      [8] = C4W_PQ_L_TIMESTAMP,
					 [10] = C4W_PQ_L_INTEGER, [11] = C4W_PQ_L_NULL,  [12] = C4W_PQ_L_JSON,     [13] = C4W_PQ_L_BSON,
					 [14] = C4W_PQ_L_UUID,  [15] = C4W_PQ_L_FLOAT16, [16] = C4W_PQ_L_VARIANT,  [17] = C4W_PQ_L_GEOMETRY,
					 [18] = C4W_PQ_L_GEOGRAPHY };
	struct pq_field f = { 0, 0 };
	bool got = false;

	if (!pq_struct_begin(c))
		return false;
	while (pq_field_next(c, &f)) {
		if (f.id > 0 && (size_t)f.id < sizeof known && known[f.id] && f.wire == PQ_W_STRUCT) {
			n->logical = (enum c4w_pq_logical)known[f.id];
			read_logical_members(c, n);
			got = n->logical != C4W_PQ_L_NONE;
		} else {
			pq_skip(c, f.wire);
		}
	}
	return got;
}

/* A logical type on a physical type it can't stand on counts as unknown. */
static void settle_logical(struct c4w_pq_node *n)
{
	enum c4w_pq_type t = n->type;
	bool ok = true;

	switch (n->logical) {
	case C4W_PQ_L_STRING:
	case C4W_PQ_L_ENUM:
	case C4W_PQ_L_JSON:
	case C4W_PQ_L_BSON:
		ok = t == C4W_PQ_BYTE_ARRAY || t == C4W_PQ_FIXED;
		break;
	case C4W_PQ_L_GEOMETRY:
	case C4W_PQ_L_GEOGRAPHY:
		ok = t == C4W_PQ_BYTE_ARRAY;
		break;
	case C4W_PQ_L_DECIMAL:
		ok = (t == C4W_PQ_INT32 || t == C4W_PQ_INT64 || t == C4W_PQ_BYTE_ARRAY || t == C4W_PQ_FIXED) && n->precision > 0 &&
		     n->scale >= 0 && n->scale <= n->precision;
		break;
	case C4W_PQ_L_DATE:
		ok = t == C4W_PQ_INT32;
		break;
	case C4W_PQ_L_TIME:
		ok = t == (n->unit == C4W_PQ_MILLIS ? C4W_PQ_INT32 : C4W_PQ_INT64);
		break;
	case C4W_PQ_L_TIMESTAMP:
		ok = t == C4W_PQ_INT64;
		break;
	case C4W_PQ_L_INTEGER:
		ok = n->bits == 64 ? t == C4W_PQ_INT64 : (n->bits == 8 || n->bits == 16 || n->bits == 32) && t == C4W_PQ_INT32;
		break;
	case C4W_PQ_L_UUID:
		ok = t == C4W_PQ_FIXED && n->type_length == 16;
		break;
	case C4W_PQ_L_FLOAT16:
		ok = t == C4W_PQ_FIXED && n->type_length == 2;
		break;
	case C4W_PQ_L_INTERVAL:
		ok = t == C4W_PQ_FIXED && n->type_length == 12;
		break;
	case C4W_PQ_L_NULL:
		break;
	default:
		ok = false;
	}
	if (!ok)
		n->logical = C4W_PQ_L_NONE;
}

/* One SchemaElement. */
static void read_element(struct pq_cur *c, struct c4w_pq_node *n, int32_t *children, bool *is_leaf, int32_t *conv)
{
	struct pq_field f = { 0, 0 };
	bool has_logical = false, has_name = false, has_repetition = false, has_length = false;
	int32_t v;

	*children = 0;
	*is_leaf = false;
	*conv = NO_CONVERTED;
	if (!pq_struct_begin(c))
		return;
	while (pq_field_next(c, &f)) {
		switch (f.id) {
		case 1:
			v = pq_int32(c, &f);
			if (v < 0 || v > C4W_PQ_FIXED)
				pq_bad(c, "parquet.schema", "physical type %d is not known", v);
			else
				n->type = (enum c4w_pq_type)v;
			*is_leaf = true;
			break;
		case 2:
			n->type_length = pq_int32(c, &f);
			has_length = true;
			break;
		case 3:
			v = pq_int32(c, &f);
			if (v < 0 || v > C4W_PQ_REPEATED)
				pq_bad(c, "parquet.schema", "repetition %d is not known", v);
			else
				n->repetition = (enum c4w_pq_repetition)v;
			has_repetition = true;
			break;
		case 4:
			n->name = pq_binary(c, &f);
			has_name = true;
			break;
		case 5:
			*children = pq_int32(c, &f);
			break;
		case 6:
			*conv = pq_int32(c, &f);
			break;
		case 7:
			v = pq_int32(c, &f);
			if (!has_logical)
				n->scale = v;
			break;
		case 8:
			v = pq_int32(c, &f);
			if (!has_logical)
				n->precision = v;
			break;
		case 9:
			n->field_id = pq_int32(c, &f);
			n->has_field_id = true;
			break;
		case 10:
			if (pq_want(c, &f, PQ_W_STRUCT))
				has_logical = read_logical(c, n);
			break;
		default:
			pq_skip(c, f.wire);
		}
	}
	(void)has_repetition; /* absent on the root, which some writers mark as required or repeated; elsewhere it reads as required */
	if (!has_name)
		pq_bad(c, "parquet.schema", "a schema element has no name");
	if (!has_logical && *conv >= 0 && (size_t)*conv < sizeof converted / sizeof *converted) {
		n->logical = (enum c4w_pq_logical)converted[*conv].logical;
		n->unit = (enum c4w_pq_unit)converted[*conv].unit;
		n->bits = converted[*conv].bits;
		n->is_signed = converted[*conv].is_signed;
		n->utc = n->logical == C4W_PQ_L_TIME || n->logical == C4W_PQ_L_TIMESTAMP; /* LogicalTypes.md: the old ones are UTC */
	}
	if (*is_leaf) {
		if (n->type != C4W_PQ_FIXED)
			n->type_length = 0;
		else if (!has_length || n->type_length < 0 || n->type_length > (int32_t)C4W_LIMIT_PARQUET_FIXED)
			pq_bad(c, "parquet.schema", "a fixed-length column claims %d bytes a value", n->type_length);
		settle_logical(n);
	}
	if (!*is_leaf && *children < 0)
		pq_bad(c, "parquet.schema", "a group claims %d children", *children);
}

/* Shapes of a group, by LogicalTypes.md. `i` is the group's node; its subtree is complete. */
static void settle_group(struct c4w_pq *pq, uint32_t i, int32_t conv)
{
	struct c4w_pq_node *n = &pq->nodes[i], *mid, *child;
	uint32_t m = n->first_child;

	n->shape = C4W_PQ_STRUCT;
	mid = n->nchildren == 1 ? &pq->nodes[m] : NULL;
	if (!mid || mid->repetition != C4W_PQ_REPEATED)
		return;
	child = mid->nchildren ? &pq->nodes[mid->first_child] : NULL;
	if ((n->logical == C4W_PQ_L_MAP || conv == CONV_MAP_KEY_VALUE) && child && mid->nchildren <= 2) {
		/* a map without values is a set: a list of its keys, as Arrow has it */
		n->shape = mid->nchildren == 2 ? C4W_PQ_MAPS : C4W_PQ_LISTS;
		n->element = mid->nchildren == 2 ? m : mid->first_child;
		mid->shape = C4W_PQ_HIDDEN;
		mid->bare_list = false;
		return;
	}
	if (n->logical != C4W_PQ_L_LIST)
		return;
	n->shape = C4W_PQ_LISTS;
	mid->bare_list = false;
	/* two-level lists: the repeated node is the element when it is a leaf, has several children, is itself a list or map, or is
	 * called "array" or "<list>_tuple" */
	n->element = m;
	if (mid->shape == C4W_PQ_LEAF || mid->nchildren != 1)
		return;
	if (mid->shape == C4W_PQ_LISTS || mid->shape == C4W_PQ_MAPS || c4w_view_eqz(mid->name, "array") || child->repetition == C4W_PQ_REPEATED)
		return;
	if (mid->name.n == n->name.n + 6 && memcmp(mid->name.p, n->name.p, n->name.n) == 0 &&
	    memcmp(mid->name.p + n->name.n, "_tuple", 6) == 0)
		return;
	mid->shape = C4W_PQ_HIDDEN;
	n->element = mid->first_child;
}

struct open_group {
	uint32_t node, last_child;
	int32_t left, conv;
};

void pq_schema_read(struct c4w_pq *pq, struct pq_cur *c)
{
	struct open_group stack[C4W_LIMIT_PARQUET_DEPTH];
	unsigned depth = 0;
	uint8_t wire;
	uint32_t n = pq_list(c, &wire), i, leaves = 0;
	int32_t children, conv;
	bool is_leaf;

	if (c->bad)
		return;
	if (n == 0 || wire != PQ_W_STRUCT) {
		pq_bad(c, "parquet.schema", "the schema is empty");
		return;
	}
	/* an element takes at least four bytes (name's field, its length, stop, and what makes it a leaf or group) */
	if (n > (size_t)(c->end - c->p) / 3 + 1) {
		pq_bad(c, "parquet.thrift", "the schema claims %u elements, but %zu bytes are left", n, (size_t)(c->end - c->p));
		return;
	}
	pq->nodes = calloc(n, sizeof *pq->nodes);
	pq->leaves = calloc(n, sizeof *pq->leaves);
	pq->orders = calloc(n, 1);
	if (!pq->nodes || !pq->leaves || !pq->orders) {
		c->bad = true;
		c->cls = c4w_fail_memory(c->err, n * sizeof *pq->nodes);
		return;
	}
	pq->nnodes = n;
	for (i = 0; i < n && !c->bad; i++) {
		struct c4w_pq_node *node = &pq->nodes[i], *parent;

		read_element(c, node, &children, &is_leaf, &conv);
		if (c->bad)
			return;
		node->column = -1;
		node->first_leaf = leaves;
		node->end = i + 1;
		if (i == 0) {
			if (is_leaf) {
				pq_bad(c, "parquet.schema", "the schema's root is not a group");
				return;
			}
			node->repetition = C4W_PQ_REQUIRED;
			node->logical = C4W_PQ_L_NONE;
			conv = NO_CONVERTED;
		} else {
			if (depth == 0) {
				pq_bad(c, "parquet.schema", "the schema's root is complete after %u of %u elements", i, n);
				return;
			}
			parent = &pq->nodes[stack[depth - 1].node];
			node->parent = stack[depth - 1].node;
			if (stack[depth - 1].last_child)
				pq->nodes[stack[depth - 1].last_child].next = i;
			else
				parent->first_child = i;
			stack[depth - 1].last_child = i;
			stack[depth - 1].left--;
			parent->nchildren++;
			node->max_def = (uint8_t)(parent->max_def + (node->repetition != C4W_PQ_REQUIRED));
			node->max_rep = (uint8_t)(parent->max_rep + (node->repetition == C4W_PQ_REPEATED));
			node->bare_list = node->repetition == C4W_PQ_REPEATED;
		}
		if (is_leaf) {
			node->shape = C4W_PQ_LEAF;
			node->column = (int32_t)leaves;
			node->nleaves = 1;
			pq->leaves[leaves++] = i;
		} else {
			if (depth == C4W_LIMIT_PARQUET_DEPTH) {
				c->bad = true;
				c->cls = c4w_fail(c->err, C4W_LIMIT, "the schema nests deeper than %d", C4W_LIMIT_PARQUET_DEPTH);
				return;
			}
			stack[depth++] = (struct open_group){ i, 0, children, conv };
		}
		while (depth > 0 && stack[depth - 1].left == 0) {
			struct c4w_pq_node *g = &pq->nodes[stack[--depth].node];

			g->end = i + 1;
			g->nleaves = leaves - g->first_leaf;
			settle_group(pq, stack[depth].node, stack[depth].conv);
			if (depth == 0)
				pq->nodes[0].shape = C4W_PQ_STRUCT;
		}
	}
	if (!c->bad && depth > 0)
		pq_bad(c, "parquet.schema", "a group claims %d more children than the schema has", stack[depth - 1].left);
	pq->ncolumns = leaves;
}

uint32_t c4w_pq_nodes(const struct c4w_pq *pq)
{
	return pq->nnodes;
}

const struct c4w_pq_node *c4w_pq_node(const struct c4w_pq *pq, uint32_t i)
{
	return &pq->nodes[i];
}

const struct c4w_pq_node *c4w_pq_leaf(const struct c4w_pq *pq, size_t column)
{
	return &pq->nodes[pq->leaves[column]];
}

/* Does `rest` begin with the node's name, and end there or go on with a dot? What is behind goes to *after. */
static bool step(const struct c4w_pq_node *n, struct c4w_view rest, struct c4w_view *after, bool *at_end)
{
	if (rest.n < n->name.n || (n->name.n > 0 && memcmp(rest.p, n->name.p, n->name.n) != 0))
		return false;
	*at_end = rest.n == n->name.n;
	if (*at_end)
		return true;
	if (rest.p[n->name.n] != '.')
		return false;
	after->p = rest.p + n->name.n + 1;
	after->n = rest.n - n->name.n - 1;
	return true;
}

/* Below group `g`. `full`: every node is named; else the inner nodes of lists and maps may be left out. Depth is the schema's. */
static uint32_t find_below(const struct c4w_pq *pq, uint32_t g, struct c4w_view rest, bool full)
{
	uint32_t k, hit;

	for (k = pq->nodes[g].first_child; k != 0; k = pq->nodes[k].next) {
		const struct c4w_pq_node *n = &pq->nodes[k];
		struct c4w_view after;
		bool at_end;

		if (!full && n->shape == C4W_PQ_HIDDEN) {
			hit = find_below(pq, k, rest, false);
			if (hit)
				return hit;
		}
		if (!full && pq->nodes[g].shape == C4W_PQ_LISTS && pq->nodes[g].element == k) {
			hit = find_below(pq, k, rest, false); /* the element of a two-level list */
			if (hit)
				return hit;
		}
		if (!full && pq->nodes[g].shape == C4W_PQ_HIDDEN && pq->nodes[pq->nodes[g].parent].shape == C4W_PQ_LISTS) {
			hit = find_below(pq, k, rest, false); /* the element of a three-level list */
			if (hit)
				return hit;
		}
		if (!step(n, rest, &after, &at_end))
			continue;
		if (at_end)
			return k;
		hit = find_below(pq, k, after, full);
		if (hit)
			return hit;
	}
	return 0;
}

int c4w_pq_find(const struct c4w_pq *pq, const char *name, uint32_t *node, struct c4w_err *err)
{
	struct c4w_view v = c4w_view_z(name);
	char shown[128], near[64] = "";
	size_t best = 4, d;
	uint32_t i;

	*node = find_below(pq, 0, v, true);
	if (!*node)
		*node = find_below(pq, 0, v, false);
	if (*node)
		return C4W_OK;
	c4w_fail(err, C4W_UNKNOWN, "there is no column '%s'", c4w_str_escape(shown, sizeof shown, v.p, v.n));
	for (i = 1; i < pq->nnodes; i++) {
		char own[64];

		if (pq->nodes[i].shape == C4W_PQ_HIDDEN || pq->nodes[i].name.n >= sizeof own)
			continue;
		memcpy(own, pq->nodes[i].name.p, pq->nodes[i].name.n);
		own[pq->nodes[i].name.n] = 0;
		d = c4w_str_distance(own, name);
		if (d < best) {
			best = d;
			c4w_str_escape(near, sizeof near, own, pq->nodes[i].name.n);
		}
	}
	if (near[0])
		c4w_err_hint(err, "did you mean '%s'?", near);
	return C4W_UNKNOWN;
}

int c4w_pq_column(const struct c4w_pq *pq, const char *name, size_t *column, struct c4w_err *err)
{
	char shown[128];
	uint32_t node;

	*column = 0;
	C4W_TRY(c4w_pq_find(pq, name, &node, err));
	if (pq->nodes[node].nleaves != 1)
		return c4w_fail(err, C4W_USAGE, "'%s' is a group of %u columns", c4w_str_escape(shown, sizeof shown, name, strlen(name)),
				pq->nodes[node].nleaves);
	*column = pq->nodes[node].first_leaf;
	return C4W_OK;
}

int c4w_pq_column_of(const struct c4w_pq *pq, const char *name, enum c4w_pq_type type, unsigned lists, size_t *column,
		     struct c4w_err *err)
{
	const struct c4w_pq_node *leaf;
	char shown[128], want[64];

	C4W_TRY(c4w_pq_column(pq, name, column, err));
	leaf = c4w_pq_leaf(pq, *column);
	if (leaf->type == type && leaf->max_rep == lists)
		return C4W_OK;
	c4w_damaged(err, "parquet.column-type", -1, "column '%s' has the wrong type", c4w_str_escape(shown, sizeof shown, name, strlen(name)));
	snprintf(want, sizeof want, "%s in %u lists", c4w_pq_type_name(type), lists);
	return c4w_err_valuesf(err, want, "%s in %u lists", c4w_pq_type_name(leaf->type), leaf->max_rep);
}

char *c4w_pq_path(const struct c4w_pq *pq, size_t column, char *buf, size_t size)
{
	uint32_t chain[C4W_LIMIT_PARQUET_DEPTH + 1], i;
	unsigned depth = 0;
	size_t fill = 0;

	if (size == 0)
		return buf;
	buf[0] = 0;
	for (i = pq->leaves[column]; i != 0; i = pq->nodes[i].parent)
		chain[depth++] = i;
	while (depth-- > 0 && fill + 5 < size) {
		c4w_str_escape(buf + fill, size - fill, pq->nodes[chain[depth]].name.p, pq->nodes[chain[depth]].name.n);
		fill += strlen(buf + fill);
		if (depth > 0 && fill + 5 < size) {
			buf[fill++] = '.';
			buf[fill] = 0;
		}
	}
	return buf;
}

const char *c4w_pq_type_name(enum c4w_pq_type t)
{
	static const char *const names[] = { "BOOLEAN", "INT32",      "INT64",
					     "INT96",   "FLOAT",      "DOUBLE",
					     "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY" };

	return (unsigned)t < sizeof names / sizeof *names ? names[t] : "?";
}

const char *c4w_pq_codec_name(int32_t codec)
{
	static const char *const names[] = { "UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW" };

	return codec >= 0 && (size_t)codec < sizeof names / sizeof *names ? names[codec] : NULL;
}

const char *c4w_pq_encoding_name(int32_t e)
{
	static const char *const names[] = { "PLAIN", NULL, "PLAIN_DICTIONARY", "RLE", "BIT_PACKED", "DELTA_BINARY_PACKED",
					     "DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY", "BYTE_STREAM_SPLIT" };

	return e >= 0 && (size_t)e < sizeof names / sizeof *names ? names[e] : NULL;
}

char *c4w_pq_logical_text(const struct c4w_pq_node *n, char *buf, size_t size)
{
	static const char *const units[] = { "ms", "us", "ns" };
	static const char *const plain[] = { [C4W_PQ_L_NONE] = "",         [C4W_PQ_L_STRING] = "string",   [C4W_PQ_L_MAP] = "map",
					     [C4W_PQ_L_LIST] = "list",     [C4W_PQ_L_ENUM] = "enum",       [C4W_PQ_L_DATE] = "date",
					     [C4W_PQ_L_NULL] = "null",     [C4W_PQ_L_JSON] = "json",       [C4W_PQ_L_BSON] = "bson",
					     [C4W_PQ_L_UUID] = "uuid",     [C4W_PQ_L_FLOAT16] = "float16", [C4W_PQ_L_INTERVAL] = "interval",
					     [C4W_PQ_L_VARIANT] = "variant", [C4W_PQ_L_GEOMETRY] = "geometry",
					     [C4W_PQ_L_GEOGRAPHY] = "geography" };

	switch (n->logical) {
	case C4W_PQ_L_DECIMAL:
		snprintf(buf, size, "decimal(%d, %d)", n->precision, n->scale);
		break;
	case C4W_PQ_L_TIME:
	case C4W_PQ_L_TIMESTAMP:
		snprintf(buf, size, "%s[%s%s]", n->logical == C4W_PQ_L_TIME ? "time" : "timestamp", units[n->unit], n->utc ? ", UTC" : "");
		break;
	case C4W_PQ_L_INTEGER:
		snprintf(buf, size, "%sint%u", n->is_signed ? "" : "u", n->bits);
		break;
	default:
		snprintf(buf, size, "%s", plain[n->logical] ? plain[n->logical] : "");
	}
	return buf;
}
