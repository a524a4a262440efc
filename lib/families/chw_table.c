/* The flat tables of a root and of its groups (sections 1 and 2): each documented column once and no other, strings that are UTF-8. */
#include "families/chw.h"

static int column_fault(struct c4w_err *err, const char *rule, const char *what, struct c4w_view name)
{
	char shown[80];
	return c4w_damaged(err, rule, -1, "%s '%s'", what, c4w_str_escape(shown, sizeof shown, name.p, name.n));
}

/* Values one behind the other, nearly always of nothing else. */
static bool all_ascii(const struct c4w_batch *v)
{
	const uint8_t *p = v->bytes + v->offsets[0], *end = v->bytes + v->offsets[v->n];
	uint64_t high = 0, word;
	for (; end - p >= 8; p += 8) {
		memcpy(&word, p, 8);
		high |= word;
	}
	for (; p < end; p++)
		high |= *p;
	return (high & 0x8080808080808080ULL) == 0;
}

static int check_text(const struct c4w_batch *b, const char *rule, const char *name, struct c4w_err *err)
{
	const struct c4w_batch *v = b->indices ? b->dict : b;
	size_t i, n;
	if (v->n == 0 || all_ascii(v))
		return C4W_OK;
	for (i = 0; i < v->n; i++) {
		const char *p;
		char shown[80];
		if (!c4w_batch_valid(v, i))
			continue;
		p = (const char *)c4w_batch_bytes(v, i, &n);
		if (!c4w_utf8_valid(p, n)) {
			column_fault(err, rule, "a value that is not UTF-8 in column", c4w_view_z(name));
			return c4w_err_values(err, NULL, c4w_str_escape(shown, sizeof shown, p, n));
		}
	}
	return C4W_OK;
}

int chw_table_column(struct c4w_pq *pq, const char *rule, const char *name, enum c4w_pq_type type, struct c4w_arena *arena, struct c4w_batch *out,
		     struct c4w_err *err)
{
	size_t column, i, same = 0;
	for (i = 0; i < c4w_pq_columns(pq); i++)
		same += c4w_view_eqz(c4w_pq_leaf(pq, i)->name, name);
	if (same != 1)
		return column_fault(err, rule, same ? "the table has more than one column" : "the table has no column", c4w_view_z(name));
	C4W_TRY(c4w_pq_column_of(pq, name, type, 0, &column, err));
	if (type == C4W_PQ_BYTE_ARRAY && c4w_pq_leaf(pq, column)->logical != C4W_PQ_L_STRING) {
		column_fault(err, rule, "not marked as text: column", c4w_view_z(name));
		return c4w_err_values(err, "a string", "bytes");
	}
	C4W_TRY(c4w_pq_read_all(pq, column, NULL, arena, out, err));
	if (out->n != (size_t)c4w_pq_rows(pq))
		return c4w_damaged(err, rule, -1, "column '%s' has %zu values for %lld rows", name, out->n, (long long)c4w_pq_rows(pq));
	return type == C4W_PQ_BYTE_ARRAY ? check_text(out, rule, name, err) : C4W_OK;
}

bool chw_table_unknown(const struct c4w_pq *pq, const char *const *names, struct c4w_view *out)
{
	size_t i, k;
	for (i = 0; i < c4w_pq_columns(pq); i++) {
		*out = c4w_pq_leaf(pq, i)->name;
		for (k = 0; names[k]; k++)
			if (c4w_view_eqz(*out, names[k]))
				break;
		if (!names[k])
			return true;
	}
	return false;
}
