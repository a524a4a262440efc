/* Rows out of batches: a plan over the schema (which nodes are shown, and where their offsets and bits are), then a walk a row. */
#include "model/pq_rows.h"
#include "model/pq_text.h"

#include "base/limits.h"

#include <string.h>

enum { FLUSH = 64 * 1024 };

/* A node that is shown. Its lists and bits are those of any of its leaves: `batch` is the first that is read. */
struct shown {
	uint32_t node;
	uint32_t batch;      /* index into the batches read */
	uint32_t list;       /* level of its own list, if it is one */
	int32_t bits;        /* its entry in batch.structs, or -1 when it can't be null */
	uint32_t child, next; /* 0: none (entry 0 is the root) */
	struct c4w_buf key;  /* its name as a JSON key with the colon */
};

struct rows {
	const struct c4w_pq *pq;
	struct shown *shown;
	uint32_t n;
	size_t *columns;  /* leaf columns read, in file order */
	uint32_t ncolumns;
	struct c4w_batch *batches;
	bool *keep;       /* by node: shown? */
	struct c4w_buf out;
};

static void walk(struct rows *r, uint32_t s, size_t i);

/* Elements [from, to) of a list or map, as a JSON array. */
static void walk_elements(struct rows *r, const struct shown *s, size_t i, bool inner)
{
	const struct c4w_batch_list *l = &r->batches[s->batch].lists[s->list];
	int32_t k, end = l->offsets[i + 1];
	const struct c4w_pq_node *node = c4w_pq_node(r->pq, s->node);

	c4w_buf_putc(&r->out, '[');
	for (k = l->offsets[i]; k < end; k++) {
		if (k > l->offsets[i])
			c4w_buf_put(&r->out, ", ", 2);
		if (inner) {
			walk(r, s->child, (size_t)k);
		} else if (node->shape == C4W_PQ_MAPS) {
			c4w_buf_puts(&r->out, "{\"key\": ");
			walk(r, s->child, (size_t)k);
			if (r->shown[s->child].next) {
				c4w_buf_puts(&r->out, ", \"value\": ");
				walk(r, r->shown[s->child].next, (size_t)k);
			}
			c4w_buf_putc(&r->out, '}');
		}
	}
	c4w_buf_putc(&r->out, ']');
}

static void walk(struct rows *r, uint32_t at, size_t i)
{
	const struct shown *s = &r->shown[at];
	const struct c4w_pq_node *node = c4w_pq_node(r->pq, s->node);
	const struct c4w_batch *b = &r->batches[s->batch];
	uint32_t c;

	if (s->list != UINT32_MAX) {
		if (!c4w_bit(b->lists[s->list].validity, i))
			c4w_buf_put(&r->out, "null", 4);
		else
			walk_elements(r, s, i, node->shape != C4W_PQ_MAPS || s->bits == -2);
		return;
	}
	if (node->shape == C4W_PQ_LEAF) {
		c4w_pq_slot_json(&r->out, node, b, i);
		return;
	}
	if (s->bits >= 0 && !c4w_bit(b->structs[s->bits].validity, i)) {
		c4w_buf_put(&r->out, "null", 4);
		return;
	}
	c4w_buf_putc(&r->out, '{');
	for (c = s->child; c != 0; c = r->shown[c].next) {
		if (c != s->child)
			c4w_buf_put(&r->out, ", ", 2);
		c4w_buf_put(&r->out, r->shown[c].key.p, r->shown[c].key.n);
		walk(r, c, i);
	}
	c4w_buf_putc(&r->out, '}');
}

/* ---- the plan ---- */

static uint32_t first_batch(const struct rows *r, const struct c4w_pq_node *n)
{
	uint32_t k;

	for (k = 0; k < r->ncolumns; k++)
		if (r->columns[k] >= n->first_leaf && r->columns[k] < (size_t)n->first_leaf + n->nleaves)
			return k;
	return 0;
}

/* How many optional structs stand above node i? That is its place in batch.structs. */
static int32_t structs_above(const struct c4w_pq *pq, uint32_t i)
{
	int32_t n = 0;

	for (i = c4w_pq_node(pq, i)->parent; i != 0; i = c4w_pq_node(pq, i)->parent)
		n += c4w_pq_node(pq, i)->shape == C4W_PQ_STRUCT && c4w_pq_node(pq, i)->repetition == C4W_PQ_OPTIONAL;
	return n;
}

/* Adds node i (and what is below) and returns its place. `bare`: its own repetition has been dealt with by the caller. */
static uint32_t plan(struct rows *r, uint32_t i, bool bare)
{
	const struct c4w_pq_node *n = c4w_pq_node(r->pq, i), *e;
	uint32_t at = r->n++, c, last = 0, k;
	struct shown *s = &r->shown[at];

	s->node = i;
	s->batch = first_batch(r, n);
	s->list = UINT32_MAX;
	s->bits = -1;
	c4w_buf_json(&s->key, n->name.p, n->name.n);
	c4w_buf_put(&s->key, ": ", 2);
	if (n->bare_list && !bare) {
		/* a repeated node on its own: a list whose elements are the node itself */
		s->list = n->max_rep - 1U;
		s->bits = -2;
		s->child = plan(r, i, true);
		return at;
	}
	if (n->shape == C4W_PQ_LISTS) {
		s->list = n->max_rep;
		s->child = plan(r, n->element, true);
		return at;
	}
	e = n;
	if (n->shape == C4W_PQ_MAPS) {
		s->list = n->max_rep;
		e = c4w_pq_node(r->pq, n->element);
	} else if (n->shape == C4W_PQ_STRUCT && n->repetition == C4W_PQ_OPTIONAL) {
		s->bits = structs_above(r->pq, i);
	}
	for (c = e->first_child; c != 0; c = c4w_pq_node(r->pq, c)->next) {
		if (!r->keep[c])
			continue;
		k = plan(r, c, false);
		if (last)
			r->shown[last].next = k;
		else
			s->child = k;
		last = k;
	}
	return at;
}

static void keep_node(struct rows *r, uint32_t i)
{
	uint32_t k;

	for (k = i; k < c4w_pq_node(r->pq, i)->end; k++)
		r->keep[k] = true;
	for (k = i; k != 0; k = c4w_pq_node(r->pq, k)->parent) {
		const struct c4w_pq_node *n = c4w_pq_node(r->pq, k);
		uint32_t j;

		r->keep[k] = true;
		if (n->shape == C4W_PQ_MAPS) /* a map keeps its key and its value */
			for (j = k; j < n->end; j++)
				r->keep[j] = true;
	}
}

/* Is there a list between the root and node i? Then a cell of its own has no meaning. */
static bool in_list(const struct c4w_pq *pq, uint32_t i)
{
	for (i = c4w_pq_node(pq, i)->parent; i != 0; i = c4w_pq_node(pq, i)->parent)
		if (c4w_pq_node(pq, i)->shape != C4W_PQ_STRUCT || c4w_pq_node(pq, i)->bare_list)
			return true;
	return false;
}

struct cell {
	uint32_t shown; /* the plan's entry */
	uint32_t node;
	const char *name;
};

static int select_columns(struct rows *r, const struct c4w_pq_rows_opts *o, struct c4w_arena *arena, struct cell **cells, size_t *ncells,
			  struct c4w_err *err)
{
	uint32_t nodes = c4w_pq_nodes(r->pq), i, node;
	size_t k, entries = 1;
	void *p;

	C4W_TRY(c4w_arena_zero(arena, nodes, sizeof *r->keep, &p, err));
	r->keep = p;
	C4W_TRY(c4w_arena_zero(arena, (o->columns ? o->ncolumns : nodes) + 1, sizeof **cells, &p, err));
	*cells = p;
	*ncells = 0;
	if (!o->columns) {
		for (i = c4w_pq_node(r->pq, 0)->first_child; i != 0; i = c4w_pq_node(r->pq, i)->next) {
			keep_node(r, i);
			(*cells)[(*ncells)++] = (struct cell){ 0, i, NULL };
		}
	}
	for (k = 0; o->columns && k < o->ncolumns; k++) {
		size_t j;

		C4W_TRY(c4w_pq_find(r->pq, o->columns[k], &node, err));
		keep_node(r, node);
		if (o->format == C4W_ROWS_JSONL || in_list(r->pq, node)) {
			while (c4w_pq_node(r->pq, node)->parent != 0)
				node = c4w_pq_node(r->pq, node)->parent;
		}
		for (j = 0; j < *ncells && (*cells)[j].node != node; j++)
			;
		if (j == *ncells)
			(*cells)[(*ncells)++] = (struct cell){ 0, node, c4w_pq_node(r->pq, node)->parent ? o->columns[k] : NULL };
	}
	C4W_TRY(c4w_arena_zero(arena, c4w_pq_columns(r->pq) + 1, sizeof *r->columns, &p, err));
	r->columns = p;
	for (k = 0; k < c4w_pq_columns(r->pq); k++) {
		const struct c4w_pq_node *leaf = c4w_pq_leaf(r->pq, k);

		for (i = leaf->parent; i != 0 && r->keep[i]; i = c4w_pq_node(r->pq, i)->parent)
			;
		if (i == 0 && r->keep[leaf->end - 1])
			r->columns[r->ncolumns++] = k;
	}
	C4W_TRY(c4w_arena_zero(arena, r->ncolumns + 1, sizeof *r->batches, &p, err));
	r->batches = p;
	/* a node takes at most two entries; a cell below another cell is planned again */
	for (k = 0; k < *ncells; k++)
		entries += 2 * (size_t)(c4w_pq_node(r->pq, (*cells)[k].node)->end - (*cells)[k].node);
	C4W_TRY(c4w_arena_zero(arena, entries, sizeof *r->shown, &p, err));
	r->shown = p;
	r->n = 1;
	for (k = 0; k < *ncells; k++)
		(*cells)[k].shown = plan(r, (*cells)[k].node, false);
	return C4W_OK;
}

/* ---- lines ---- */

/* A cell of CSV or TSV out of JSON text from `from` on in r->out: strings lose their JSON dress, the rest stays. */
static void dress(struct rows *r, size_t from, enum c4w_rows_format format, const char *bare, size_t bare_n, bool is_text)
{
	struct c4w_buf *o = &r->out;
	size_t i;

	if (!is_text) {
		bool plain = true;

		if (o->n - from == 4 && memcmp(o->p + from, "null", 4) == 0) {
			o->n = from;
			return;
		}
		if (o->p[from] == '"') { /* a date, decimal, hex or NaN: nothing inside needs quotes */
			memmove(o->p + from, o->p + from + 1, o->n - from - 2);
			o->n -= 2;
			return;
		}
		for (i = from; i < o->n; i++)
			plain = plain && o->p[i] != ',' && o->p[i] != '"' && o->p[i] != '\\';
		if (plain)
			return;
	}
	if (is_text && format == C4W_ROWS_CSV && bare_n > 0 && !memchr(bare, ',', bare_n) && !memchr(bare, '"', bare_n) &&
	    !memchr(bare, '\n', bare_n) && !memchr(bare, '\r', bare_n)) {
		c4w_buf_put(o, bare, bare_n);
		return;
	}
	{
		struct c4w_buf tmp = { 0 };

		if (!is_text) {
			c4w_buf_put(&tmp, o->p + from, o->n - from);
			o->n = from;
			bare = tmp.p;
			bare_n = tmp.n;
		}
		if (format == C4W_ROWS_CSV)
			c4w_buf_putc(o, '"');
		for (i = 0; i < bare_n; i++) {
			char c = bare[i];

			if (format == C4W_ROWS_CSV) {
				if (c == '"')
					c4w_buf_putc(o, '"');
				c4w_buf_putc(o, c);
			} else if (c == '\t' || c == '\n' || c == '\r' || c == '\\') {
				c4w_buf_putc(o, '\\');
				c4w_buf_putc(o, c == '\t' ? 't' : c == '\n' ? 'n' : c == '\r' ? 'r' : '\\');
			} else {
				c4w_buf_putc(o, c);
			}
		}
		if (format == C4W_ROWS_CSV)
			c4w_buf_putc(o, '"');
		if (tmp.failed)
			o->failed = true;
		c4w_buf_clear(&tmp);
	}
}

/* Is one of the structs above the cell's node null in this row? */
static bool parent_null(const struct rows *r, const struct cell *c, size_t row)
{
	const struct c4w_batch *b = &r->batches[r->shown[c->shown].batch];
	int32_t n = structs_above(r->pq, c->node), k;

	for (k = 0; k < n; k++)
		if (!c4w_bit(b->structs[k].validity, row))
			return true;
	return false;
}

static void put_cell(struct rows *r, const struct cell *c, size_t row, enum c4w_rows_format format)
{
	const struct shown *s = &r->shown[c->shown];
	const struct c4w_pq_node *n = c4w_pq_node(r->pq, s->node);
	size_t from = r->out.n;

	if (c4w_pq_node(r->pq, c->node)->parent != 0 && parent_null(r, c, row))
		return;
	if (n->shape == C4W_PQ_LEAF && s->list == UINT32_MAX && (n->logical == C4W_PQ_L_STRING || n->logical == C4W_PQ_L_JSON)) {
		const struct c4w_batch *b = &r->batches[s->batch];
		const uint8_t *p;
		size_t len;

		if (!c4w_batch_valid(b, row))
			return;
		p = c4w_batch_bytes(b, row, &len);
		dress(r, from, format, (const char *)p, len, true);
		return;
	}
	walk(r, c->shown, row);
	if (!r->out.failed)
		dress(r, from, format, NULL, 0, false);
}

static void put_header(struct rows *r, const struct cell *cells, size_t n, enum c4w_rows_format format)
{
	size_t k;

	for (k = 0; k < n; k++) {
		const struct c4w_pq_node *node = c4w_pq_node(r->pq, cells[k].node);
		struct c4w_view v = cells[k].name ? c4w_view_z(cells[k].name) : node->name;

		if (k)
			c4w_buf_putc(&r->out, format == C4W_ROWS_CSV ? ',' : '\t');
		dress(r, r->out.n, format, v.p, v.n, true);
	}
	c4w_buf_putc(&r->out, '\n');
}

static void put_row(struct rows *r, const struct cell *cells, size_t n, size_t row, enum c4w_rows_format format)
{
	size_t k;

	if (format == C4W_ROWS_JSONL) {
		c4w_buf_putc(&r->out, '{');
		for (k = 0; k < n; k++) {
			const struct shown *s = &r->shown[cells[k].shown];

			if (k)
				c4w_buf_put(&r->out, ", ", 2);
			c4w_buf_put(&r->out, s->key.p, s->key.n);
			walk(r, cells[k].shown, row);
		}
		c4w_buf_put(&r->out, "}\n", 2);
		return;
	}
	for (k = 0; k < n; k++) {
		if (k)
			c4w_buf_putc(&r->out, format == C4W_ROWS_CSV ? ',' : '\t');
		put_cell(r, &cells[k], row, format);
	}
	c4w_buf_putc(&r->out, '\n');
}

static int flush(struct rows *r, size_t at_least, c4w_text_fn out, void *ctx, struct c4w_err *err)
{
	int rc;

	if (r->out.n < at_least || r->out.n == 0)
		return r->out.failed ? c4w_buf_ok(&r->out, err) : C4W_OK;
	C4W_TRY(c4w_buf_ok(&r->out, err));
	rc = out(ctx, r->out.p, r->out.n, err);
	c4w_buf_reset(&r->out);
	return rc;
}

static int print_group(struct rows *r, const struct c4w_pq_rows_opts *o, size_t g, int64_t first, int64_t last, const struct cell *cells,
		       size_t ncells, struct c4w_pq_worker *w, struct c4w_arena *arena, c4w_text_fn out, void *ctx, struct c4w_err *err)
{
	int64_t begin = c4w_pq_group_first(r->pq, g), rows = c4w_pq_group_rows(r->pq, g);
	struct c4w_pq_opts po = { .structs = true, .keep_dict = true, .bad_crcs = o->bad_crcs };
	size_t k, n;

	if (begin >= last || begin + rows <= first || rows == 0)
		return C4W_OK;
	po.first = first > begin ? first - begin : 0;
	n = (size_t)((last < begin + rows ? last - begin : rows) - po.first);
	po.count = (int64_t)n;
	if (po.first == 0 && po.count == rows)
		po.count = 0;
	c4w_pq_prefetch(r->pq, g, r->columns, r->ncolumns);
	for (k = 0; k < r->ncolumns; k++)
		C4W_TRY(c4w_pq_read(r->pq, g, r->columns[k], &po, w, arena, &r->batches[k], err));
	for (k = 0; k < n; k++) {
		put_row(r, cells, ncells, k, o->format);
		C4W_TRY(flush(r, FLUSH, out, ctx, err));
	}
	return C4W_OK;
}

int c4w_pq_rows_print(const struct c4w_pq *pq, const struct c4w_pq_rows_opts *o, struct c4w_pq_worker *worker, c4w_text_fn out, void *ctx,
		      struct c4w_err *err)
{
	struct rows r = { .pq = pq };
	struct c4w_arena plan_arena = { 0 }, arena = { 0 };
	struct c4w_pq_worker *own = NULL;
	struct cell *cells = NULL;
	size_t ncells = 0, g;
	int64_t first = o->first > 0 ? o->first : 0, last = o->last < 0 || o->last > c4w_pq_rows(pq) ? c4w_pq_rows(pq) : o->last;
	uint32_t k;
	int rc = C4W_OK;

	arena.limit = o->memory;
	if (!worker)
		C4W_TRY(c4w_pq_worker_new(&own, err));
	rc = select_columns(&r, o, &plan_arena, &cells, &ncells, err);
	if (rc == C4W_OK && o->format != C4W_ROWS_JSONL && !o->no_header)
		put_header(&r, cells, ncells, o->format);
	for (g = 0; rc == C4W_OK && g < c4w_pq_groups(pq); g++) {
		rc = print_group(&r, o, g, first, last, cells, ncells, worker ? worker : own, &arena, out, ctx, err);
		c4w_arena_reset(&arena);
	}
	if (rc == C4W_OK)
		rc = flush(&r, 1, out, ctx, err);
	for (k = 0; r.shown && k < r.n; k++)
		c4w_buf_clear(&r.shown[k].key);
	c4w_buf_clear(&r.out);
	c4w_arena_clear(&arena);
	c4w_arena_clear(&plan_arena);
	c4w_pq_worker_free(own);
	return rc;
}
