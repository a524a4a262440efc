/* Levels out of a batch's lists, structs and nulls (Dremel encoding), and the check that the batch fits its column. */
#include "containers/pq_wimpl.h"

#include "base/limits.h"

#include <stdlib.h>
#include <string.h>

/* What stands between the root and a leaf, required nodes left out. */
enum op_kind { OP_STRUCT, OP_LIST_NULL, OP_REPEAT, OP_LEAF };
struct op {
	enum op_kind kind;
	uint32_t i; /* of the struct or list in the batch */
};

struct walk {
	const struct op *ops;
	const struct c4w_batch *b;
	struct pq_levels *lv;
	bool failed;
};

static bool room(struct walk *w, size_t more)
{
	struct pq_levels *lv = w->lv;
	size_t cap = lv->cap ? lv->cap : 4096;
	uint8_t *r, *d;

	if (more <= lv->cap - lv->n)
		return true;
	while (cap - lv->n < more)
		cap *= 2;
	r = realloc(lv->rep, cap);
	if (r)
		lv->rep = r;
	d = r ? realloc(lv->def, cap) : NULL;
	if (d)
		lv->def = d;
	w->failed = !r || !d;
	if (!w->failed)
		lv->cap = cap;
	return !w->failed;
}

static void push(struct walk *w, unsigned rep, unsigned def)
{
	if (!room(w, 1))
		return;
	w->lv->rep[w->lv->n] = (uint8_t)rep;
	w->lv->def[w->lv->n++] = (uint8_t)def;
}

/* The leaves [from, to) of an innermost list at once: the first goes on at `rep`, the others at the list's own level. */
static void push_leaves(struct walk *w, bool optional, size_t from, size_t to, unsigned rep, unsigned own, unsigned def)
{
	const uint8_t *bits = optional ? w->b->validity : NULL;
	size_t n = to - from, i;
	uint8_t *r, *d;

	if (!room(w, n))
		return;
	r = w->lv->rep + w->lv->n;
	d = w->lv->def + w->lv->n;
	memset(r, (int)own, n);
	r[0] = (uint8_t)rep;
	memset(d, (int)(def + optional), n);
	for (i = 0; bits && i < n; i++)
		d[i] = (uint8_t)(d[i] - !c4w_bit(bits, from + i));
	w->lv->n += n;
}

static void emit(struct walk *w, const struct op *op, size_t slot, unsigned rep, unsigned def)
{
	const struct c4w_batch *b = w->b;
	int32_t j, end;

	switch (op->kind) {
	case OP_STRUCT:
		if (b->structs && op->i < b->nstructs && !c4w_bit(b->structs[op->i].validity, slot))
			push(w, rep, def);
		else
			emit(w, op + 1, slot, rep, def + 1);
		break;
	case OP_LIST_NULL:
		if (!c4w_bit(b->lists[op->i].validity, slot))
			push(w, rep, def);
		else
			emit(w, op + 1, slot, rep, def + 1);
		break;
	case OP_REPEAT:
		j = b->lists[op->i].offsets[slot];
		end = b->lists[op->i].offsets[slot + 1];
		if (j == end) {
			push(w, rep, def);
			break;
		}
		if (op[1].kind == OP_LEAF) {
			push_leaves(w, op[1].i, (size_t)j, (size_t)end, rep, op->i + 1, def + 1);
			break;
		}
		for (; j < end; j++) {
			emit(w, op + 1, (size_t)j, rep, def + 1);
			rep = op->i + 1;
		}
		break;
	default: /* i: is the leaf optional? */
		push(w, rep, def + (op->i && c4w_bit(b->validity, slot)));
	}
}

/* The ops of a leaf, and how many structs and lists its batch may have. */
static size_t plan(const struct c4w_pq *pq, size_t column, struct op *ops, uint32_t *structs)
{
	uint32_t chain[C4W_LIMIT_PARQUET_DEPTH + 1] = { 0 }, i, lists = 0;
	unsigned depth = 0;
	size_t n = 0;

	*structs = 0;
	for (i = pq->leaves[column]; i != 0; i = pq->nodes[i].parent)
		chain[depth++] = i;
	while (depth-- > 0) {
		const struct c4w_pq_node *node = &pq->nodes[chain[depth]];

		if (node->repetition == C4W_PQ_REPEATED)
			ops[n++] = (struct op){ OP_REPEAT, lists++ };
		else if (node->repetition == C4W_PQ_OPTIONAL && node->shape == C4W_PQ_STRUCT)
			ops[n++] = (struct op){ OP_STRUCT, (*structs)++ };
		else if (node->repetition == C4W_PQ_OPTIONAL && node->shape != C4W_PQ_LEAF)
			ops[n++] = (struct op){ OP_LIST_NULL, lists };
	}
	ops[n++] = (struct op){ OP_LEAF, c4w_pq_leaf(pq, column)->repetition == C4W_PQ_OPTIONAL };
	return n;
}

int pq_w_levels(struct c4w_pq_writer *w, size_t column, size_t rows, const struct c4w_batch *b, bool *needed, struct c4w_err *err)
{
	const struct c4w_pq_node *leaf = c4w_pq_leaf(&w->pq, column);
	struct op ops[C4W_LIMIT_PARQUET_DEPTH + 2];
	struct walk k = { ops, b, &w->lv, false };
	uint32_t structs;
	size_t i;

	plan(&w->pq, column, ops, &structs);
	w->lv.n = 0;
	*needed = leaf->max_rep > 0 || (leaf->max_def > 0 && (b->nulls > 0 || (b->structs && structs > 0)));
	if (!*needed)
		return C4W_OK;
	for (i = 0; i < rows && !k.failed; i++)
		emit(&k, ops, i, 0, 0);
	return k.failed ? c4w_fail_memory(err, 2 * w->lv.cap) : C4W_OK;
}

static int misfit(const struct c4w_pq_writer *w, size_t column, const char *what, struct c4w_err *err)
{
	char path[128];

	return c4w_fail(err, C4W_USAGE, "column '%s': the batch %s", c4w_pq_path(&w->pq, column, path, sizeof path), what);
}

int pq_w_check(const struct c4w_pq_writer *w, size_t column, size_t rows, const struct c4w_batch *b, struct c4w_err *err)
{
	static const enum c4w_phys phys[] = { C4W_PHYS_BOOL,  C4W_PHYS_INT32,  C4W_PHYS_INT64, C4W_PHYS_FIXED,
					      C4W_PHYS_FLOAT, C4W_PHYS_DOUBLE, C4W_PHYS_BYTES, C4W_PHYS_FIXED };
	static const uint8_t widths[] = { 1, 4, 8, 12, 4, 8, 0, 0 };
	const struct c4w_pq_node *leaf = c4w_pq_leaf(&w->pq, column);
	uint32_t width = leaf->type == C4W_PQ_FIXED ? (uint32_t)leaf->type_length : widths[leaf->type];
	size_t slots = rows;
	uint32_t k;

	if (b->phys != phys[leaf->type] || b->width != width)
		return misfit(w, column, "has another type than the schema", err);
	if (b->nlists != leaf->max_rep)
		return misfit(w, column, "has another number of list levels than the schema", err);
	for (k = 0; k < b->nlists; k++) {
		if (b->lists[k].n != slots || b->lists[k].offsets[0] != 0)
			return misfit(w, column, "has lists of another number than their parents", err);
		slots = (size_t)b->lists[k].offsets[slots];
	}
	if (b->n != slots)
		return misfit(w, column, "has another number of values than its rows or lists", err);
	if (b->nulls > 0 && leaf->repetition != C4W_PQ_OPTIONAL) {
		/* slots below a null struct may be null although the leaf is required */
		if (!b->structs)
			return misfit(w, column, "has nulls, and the column is required", err);
	}
	return C4W_OK;
}
