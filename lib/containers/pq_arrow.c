/* ARROW:schema. See pq_arrow.h; the message is Arrow's Message.fbs and Schema.fbs, their layout FlatBuffers' "internals". */
#include "containers/pq_arrow.h"

#include <string.h>

/* Places of fields in their tables, and numbers of the unions. */
enum { MESSAGE_HEADER_TYPE = 1, MESSAGE_HEADER = 2, SCHEMA_FIELDS = 1 };
enum { FIELD_NAME, FIELD_NULLABLE, FIELD_TYPE_TYPE, FIELD_TYPE, FIELD_DICTIONARY, FIELD_CHILDREN };
enum { HEADER_SCHEMA = 1 };
enum { TYPE_LIST = 12, TYPE_STRUCT = 13, TYPE_FIXED_SIZE_LIST = 16, TYPE_MAP = 17, TYPE_LARGE_LIST = 21, TYPE_LIST_VIEW = 25,
       TYPE_LARGE_LIST_VIEW = 26 };

/* Bytes of a FlatBuffer. The first fault sticks: everything after it reads as not there. */
struct flat {
	const uint8_t *p;
	uint64_t n;
	const char *bad; /* what is wrong */
	uint64_t bad_at;
};

static void fault(struct flat *f, const char *what, uint64_t at)
{
	if (!f->bad) {
		f->bad = what;
		f->bad_at = at;
	}
}

static uint32_t number(struct flat *f, uint64_t at, unsigned bytes)
{
	uint32_t v = 0;
	unsigned i;

	if (f->bad || at > f->n || bytes > f->n - at) {
		fault(f, "an offset leads out of it", at);
		return 0;
	}
	for (i = 0; i < bytes; i++)
		v |= (uint32_t)f->p[at + i] << (8 * i);
	return v;
}

/* Where a field of the table at `table` lies; 0: not there. Offset 0 of the buffer is the root's own offset and no field's place. */
static uint64_t place(struct flat *f, uint64_t table, unsigned field)
{
	int64_t vtable = (int64_t)table - (int32_t)number(f, table, 4);
	uint32_t size, offset;

	if (f->bad)
		return 0;
	if (vtable < 0) {
		fault(f, "a table's layout lies before it", table);
		return 0;
	}
	size = number(f, (uint64_t)vtable, 2);
	if (f->bad || 4 + 2 * field + 2 > size)
		return 0;
	offset = number(f, (uint64_t)vtable + 4 + 2 * field, 2);
	return f->bad || offset == 0 ? 0 : table + offset;
}

/* Where the table, vector or string that a field refers to begins; 0: not there. */
static uint64_t target(struct flat *f, uint64_t table, unsigned field)
{
	uint64_t at = place(f, table, field), to;

	if (!at)
		return 0;
	to = at + number(f, at, 4);
	(void)number(f, to, 4);
	return f->bad ? 0 : to;
}

/* Elements of a vector of `size` bytes each, all of them inside. */
static uint32_t length(struct flat *f, uint64_t vector, unsigned size)
{
	uint32_t n;

	if (!vector)
		return 0;
	n = number(f, vector, 4);
	if (!f->bad && (uint64_t)n * size > f->n - vector - 4)
		fault(f, "a vector is longer than the bytes there are", vector);
	return f->bad ? 0 : n;
}

static uint64_t element(struct flat *f, uint64_t vector, uint32_t i)
{
	uint64_t at = vector + 4 + 4 * (uint64_t)i;

	return at + number(f, at, 4);
}

static bool has_name(struct flat *f, uint64_t field, struct c4w_view name)
{
	uint64_t s = target(f, field, FIELD_NAME);
	uint32_t n = length(f, s, 1);

	return !f->bad && n == name.n && (n == 0 || memcmp(f->p + s + 4, name.p, n) == 0);
}

/* ---- along the Parquet schema ---- */

struct walk {
	const struct c4w_pq *pq;
	struct flat flat;
	struct c4w_pq_arrow *out;
};

static void visit(struct walk *w, uint32_t node, uint64_t field);

/* Children of a struct, of the root, of a map's entries: the same in number and order, and of the same names unless a map's. */
static void visit_children(struct walk *w, uint32_t node, uint64_t fields, bool named)
{
	const struct c4w_pq_node *n = c4w_pq_node(w->pq, node);
	uint32_t child = n->first_child, i;

	if (length(&w->flat, fields, 4) != n->nchildren)
		return;
	for (i = 0; i < n->nchildren && child && !w->flat.bad; i++) {
		const struct c4w_pq_node *c = c4w_pq_node(w->pq, child);
		uint64_t field = element(&w->flat, fields, i);

		if (!named || has_name(&w->flat, field, c->name))
			visit(w, child, field);
		child = c->next;
	}
}

static void visit(struct walk *w, uint32_t node, uint64_t field)
{
	const struct c4w_pq_node *n = c4w_pq_node(w->pq, node);
	struct flat *f = &w->flat;
	uint64_t at = place(f, field, FIELD_TYPE_TYPE), children = target(f, field, FIELD_CHILDREN), size;
	unsigned type = at ? number(f, at, 1) : 0;

	if (f->bad || n->bare_list)
		return;
	switch (n->shape) {
	case C4W_PQ_LEAF:
		w->out[node].dictionary = target(f, field, FIELD_DICTIONARY) != 0;
		break;
	case C4W_PQ_STRUCT:
		if (type == TYPE_STRUCT)
			visit_children(w, node, children, true);
		break;
	case C4W_PQ_LISTS:
		if (type != TYPE_LIST && type != TYPE_LARGE_LIST && type != TYPE_FIXED_SIZE_LIST && type != TYPE_LIST_VIEW && type != TYPE_LARGE_LIST_VIEW)
			break;
		if (type == TYPE_FIXED_SIZE_LIST) {
			at = target(f, field, FIELD_TYPE);
			size = at ? place(f, at, 0) : 0;
			w->out[node].fixed_size = size ? (int32_t)number(f, size, 4) : 0;
			if (w->out[node].fixed_size < 0)
				fault(f, "a list has a negative size", size);
			w->out[node].fixed_list = !f->bad;
		}
		if (n->element && length(f, children, 4) == 1)
			visit(w, n->element, element(f, children, 0));
		break;
	case C4W_PQ_MAPS:
		if (type == TYPE_MAP && n->element && length(f, children, 4) == 1)
			visit_children(w, n->element, target(f, element(f, children, 0), FIELD_CHILDREN), false);
		break;
	case C4W_PQ_HIDDEN:
		break;
	}
}

/* ---- the message ---- */

static int digit(char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' : c >= 'a' && c <= 'z' ? c - 'a' + 26 : c >= '0' && c <= '9' ? c - '0' + 52 : c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* RFC 4648, section 4, with its padding; false when it is not that. `out` has room for text.n / 4 * 3 bytes. */
static bool base64(struct c4w_view text, uint8_t *out, size_t *size)
{
	size_t i, k, n = text.n;
	unsigned pad = 0;

	if (n == 0 || n % 4 != 0)
		return false;
	while (pad < 2 && text.p[n - 1 - pad] == '=')
		pad++;
	for (i = 0; i < n; i += 4) {
		uint32_t v = 0;

		for (k = i; k < i + 4; k++) {
			int d = k >= n - pad ? 0 : digit(text.p[k]);

			if (d < 0)
				return false;
			v = v << 6 | (uint32_t)d;
		}
		out[i / 4 * 3] = (uint8_t)(v >> 16);
		out[i / 4 * 3 + 1] = (uint8_t)(v >> 8);
		out[i / 4 * 3 + 2] = (uint8_t)v;
	}
	*size = n / 4 * 3 - pad;
	return true;
}

static int damaged(struct c4w_err *err, const char *what)
{
	return c4w_damaged(err, "parquet.arrow-schema", -1, "ARROW:schema can't be read: %s", what);
}

/* The message's FlatBuffer: after a continuation mark and its size, or in files before Arrow 0.15 after its size alone. */
static bool frame(struct flat *f)
{
	uint64_t at = number(f, 0, 4) == UINT32_MAX ? 4 : 0;
	uint32_t n = number(f, at, 4);

	if (f->bad || n > f->n - at - 4)
		return false;
	f->p += at + 4;
	f->n = n;
	return true;
}

int c4w_pq_arrow_message(const struct c4w_pq *pq, const uint8_t *bytes, size_t size, struct c4w_pq_arrow *out, struct c4w_err *err)
{
	struct walk w = { .pq = pq, .flat = { .p = bytes, .n = size }, .out = out };
	uint64_t message, schema, at;

	if (!frame(&w.flat))
		return damaged(err, "its message is cut short");
	message = number(&w.flat, 0, 4);
	at = place(&w.flat, message, MESSAGE_HEADER_TYPE);
	if (!w.flat.bad && (!at || number(&w.flat, at, 1) != HEADER_SCHEMA))
		return damaged(err, "its message holds no schema");
	schema = target(&w.flat, message, MESSAGE_HEADER);
	if (schema)
		visit_children(&w, 0, target(&w.flat, schema, SCHEMA_FIELDS), true);
	if (!w.flat.bad)
		return C4W_OK;
	damaged(err, w.flat.bad);
	c4w_err_valuesf(err, NULL, "byte %llu of its %llu", (unsigned long long)w.flat.bad_at, (unsigned long long)w.flat.n);
	return C4W_DAMAGED;
}

int c4w_pq_arrow_read(const struct c4w_pq *pq, struct c4w_arena *arena, struct c4w_pq_arrow **out, struct c4w_err *err)
{
	struct c4w_view text;
	void *bytes, *marks;
	size_t size;

	*out = NULL;
	if (!c4w_pq_meta_find(pq, "ARROW:schema", &text))
		return C4W_OK;
	C4W_TRY(c4w_arena_take(arena, text.n / 4 * 3, &bytes, err));
	if (!base64(text, bytes, &size))
		return damaged(err, "it is not base64");
	C4W_TRY(c4w_arena_zero(arena, c4w_pq_nodes(pq), sizeof **out, &marks, err));
	C4W_TRY(c4w_pq_arrow_message(pq, bytes, size, marks, err));
	*out = marks;
	return C4W_OK;
}
