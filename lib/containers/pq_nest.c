/* From levels to lists and structs (Dremel encoding; "Nested Encoding" in the format's README).
 *
 * An entry (r, d) makes a list of level k when r <= k and d reaches the element of the list around it; it makes an element of that list when d
 * reaches the list's own repeated node; the list is null when d stays below that by more than one. So null, empty and [null] stay
 * apart (known bug 19). Each level is one loop over a page's entries, without branches where it can be. */
#include "containers/pq_impl.h"

#include "base/checked.h"
#include "base/cpu.h"
#include "base/limits.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

int pq_vec_need(struct pq_vec *v, size_t more, struct c4w_arena *arena, struct c4w_err *err)
{
	size_t want;
	void *p;

	if (v->p && more <= v->cap - v->n)
		return C4W_OK;
	if (!c4w_add_size(v->n, more, &want) || want > SIZE_MAX / 4)
		return c4w_fail_memory(err, SIZE_MAX);
	if (v->limit && want > v->limit)
		return c4w_fail(err, C4W_LIMIT, "the column decodes to more than %zu bytes", v->limit);
	if (want < v->cap * 2)
		want = v->cap * 2;
	if (want < 256)
		want = 256;
	C4W_TRY(c4w_arena_take(arena, want + 64, &p, err));
	if (v->n)
		memcpy(p, v->p, v->n);
	v->p = p;
	v->cap = want;
	return C4W_OK;
}

/* ---- validity ---- */

/* Bytes up to `bits` bits, fresh ones zero. v.n counts the bytes that are zeroed or in use. */
static int bits_room(struct pq_valid *v, size_t bits, struct c4w_arena *arena, struct c4w_err *err)
{
	size_t bytes = (bits + 7) / 8;

	if (bytes <= v->v.n)
		return C4W_OK;
	C4W_TRY(pq_vec_need(&v->v, bytes - v->v.n, arena, err));
	memset(v->v.p + v->v.n, 0, bytes - v->v.n);
	v->v.n = bytes;
	return C4W_OK;
}

int pq_valid_ones(struct pq_valid *v, size_t n, struct c4w_arena *arena, struct c4w_err *err)
{
	if (v->v.p) {
		C4W_TRY(bits_room(v, v->n + n, arena, err));
		pq_bits_set(v->v.p, v->n, n);
	}
	v->n += n;
	return C4W_OK;
}

int pq_valid_bits(struct pq_valid *v, const uint8_t *bits, size_t n, size_t ones, struct c4w_arena *arena, struct c4w_err *err)
{
	if (ones == n)
		return pq_valid_ones(v, n, arena, err);
	C4W_TRY(bits_room(v, v->n + n, arena, err));
	if (v->nulls == 0)
		pq_bits_set(v->v.p, 0, v->n);
	pq_bits_copy(v->v.p, v->n, bits, n);
	v->n += n;
	v->nulls += n - ones;
	return C4W_OK;
}

size_t pq_bits_equal(const uint8_t *v, size_t n, uint8_t x, uint8_t *out)
{
	size_t i = 0, ones = 0;

#if defined(__x86_64__)
	for (; i + 16 <= n; i += 16) {
		__m128i eq = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(const void *)(v + i)), _mm_set1_epi8((char)x));
		uint16_t m = (uint16_t)_mm_movemask_epi8(eq);

		memcpy(out + i / 8, &m, 2);
		ones += (size_t)__builtin_popcount(m);
	}
#endif
	memset(out + i / 8, 0, (n + 7) / 8 - i / 8);
	for (; i < n; i++) {
		unsigned b = v[i] == x;

		out[i >> 3] = (uint8_t)(out[i >> 3] | b << (i & 7));
		ones += b;
	}
	return ones;
}

/* The same for v[i] >= x. */
static void bits_at_least(const uint8_t *v, size_t n, uint8_t x, uint8_t *out)
{
	size_t i = 0;

#if defined(__x86_64__)
	for (; i + 16 <= n; i += 16) {
		__m128i a = _mm_loadu_si128((const __m128i *)(const void *)(v + i));
		uint16_t m = (uint16_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(a, _mm_set1_epi8((char)x)), a));

		memcpy(out + i / 8, &m, 2);
	}
#endif
	memset(out + i / 8, 0, (n + 7) / 8 - i / 8);
	for (; i < n; i++)
		out[i >> 3] = (uint8_t)(out[i >> 3] | (unsigned)(v[i] >= x) << (i & 7));
}

/* ---- set-up ---- */

int pq_nest_init(struct pq_nest *s, const struct c4w_pq *pq, size_t column, bool structs, struct c4w_arena *arena, struct c4w_err *err)
{
	const struct c4w_pq_node *leaf = c4w_pq_leaf(pq, column);
	uint32_t chain[C4W_LIMIT_PARQUET_DEPTH + 1], i;
	unsigned depth = 0, lists = 0;
	void *p;

	*s = (struct pq_nest){ .max_def = leaf->max_def, .max_rep = leaf->max_rep };
	C4W_TRY(c4w_arena_zero(arena, leaf->max_rep + 1U, sizeof *s->lists, &p, err));
	s->lists = p;
	for (i = pq->leaves[column]; i != 0; i = pq->nodes[i].parent)
		chain[depth++] = i;
	C4W_TRY(c4w_arena_zero(arena, depth + 1, sizeof *s->structs, &p, err));
	s->structs = p;
	while (depth-- > 0) {
		const struct c4w_pq_node *n = &pq->nodes[chain[depth]];

		if (n->repetition == C4W_PQ_REPEATED) {
			s->lists[lists].def = n->max_def;
			s->lists[lists].parent_def = s->leaf_def;
			s->leaf_def = n->max_def;
			lists++;
		} else if (structs && n->repetition == C4W_PQ_OPTIONAL && n->shape == C4W_PQ_STRUCT) {
			struct pq_struct_level *t = &s->structs[s->nstructs++];

			t->def = n->max_def;
			t->depth = (uint8_t)lists;
			t->parent_def = s->leaf_def;
		}
	}
	s->nlists = lists;
	return C4W_OK;
}

size_t pq_nest_rows(const struct pq_nest *s)
{
	return s->nlists ? s->lists[0].valid.n : s->entries;
}

/* ---- pages ---- */

static int disagree(struct c4w_err *err, const char *what)
{
	return c4w_damaged(err, "parquet.levels", -1, "%s", what);
}

static uint8_t max_of(const uint8_t *v, size_t n)
{
	uint8_t m = 0;
	size_t i;

	for (i = 0; i < n; i++)
		m = v[i] > m ? v[i] : m;
	return m;
}

static int check_levels(struct pq_nest *s, const uint8_t *rep, const uint8_t *def, size_t n, struct c4w_err *err)
{
	uint8_t need[256] = { 0 }, last = s->last_def;
	unsigned k, wrong = 0;
	size_t i;

	if (max_of(def, n) > s->max_def)
		return disagree(err, "a definition level is above the column's highest");
	if (!rep)
		return C4W_OK;
	if (max_of(rep, n) > s->max_rep)
		return disagree(err, "a repetition level is above the column's highest");
	if (s->entries == 0 && rep[0] != 0)
		return disagree(err, "the first repetition level is not 0");
	/* going on with a list of level k needs an element of it here and in the entry before */
	for (k = 0; k < s->nlists; k++)
		need[k + 1] = s->lists[k].def;
	if (s->nlists == 1) {
		uint8_t d1 = s->lists[0].def;

		wrong = (rep[0] != 0) & ((def[0] < d1) | (last < d1));
		for (i = 1; i < n; i++)
			wrong |= (unsigned)(rep[i] != 0) & (unsigned)((def[i] < d1) | (def[i - 1] < d1));
	} else {
		for (i = 0; i < n; i++) {
			wrong |= (unsigned)(def[i] < need[rep[i]]) | (unsigned)(last < need[rep[i]]);
			last = def[i];
		}
	}
	return wrong ? disagree(err, "a repetition level goes on with a list that has no element") : C4W_OK;
}

/* Slots where r <= depth and d >= parent_def, with their validity d >= valid_def. rep NULL: every entry is a row. */
static int take_valid(struct pq_valid *v, const uint8_t *rep, const uint8_t *def, size_t n, unsigned depth, unsigned parent_def,
		      unsigned valid_def, size_t slots, size_t ones, struct pq_scratch *bits, struct c4w_arena *arena, struct c4w_err *err)
{
	size_t i, k = 0;

	if (ones == slots)
		return pq_valid_ones(v, slots, arena, err);
	C4W_TRY(pq_scratch_need(bits, slots / 8 + 16, err));
	memset(bits->p, 0, slots / 8 + 1);
	for (i = 0; i < n; i++) {
		if ((!rep || rep[i] <= depth) && def[i] >= parent_def) {
			bits->p[k >> 3] = (uint8_t)(bits->p[k >> 3] | (unsigned)(def[i] >= valid_def) << (k & 7));
			k++;
		}
	}
	return pq_valid_bits(v, bits->p, slots, ones, arena, err);
}

static int take_list(struct pq_list_level *l, const uint8_t *rep, const uint8_t *def, size_t n, unsigned k, size_t next_before,
		     struct pq_scratch *bits, struct c4w_arena *arena, struct c4w_err *err)
{
	size_t i, m = 0, next = next_before, ones = 0;
	int32_t *starts;

	C4W_TRY(pq_vec_need(&l->starts, (n + 1) * sizeof *starts, arena, err));
	starts = (int32_t *)(void *)(l->starts.p + l->starts.n);
	for (i = 0; i < n; i++) {
		unsigned here = (unsigned)(rep[i] <= k) & (unsigned)(def[i] >= l->parent_def);

		starts[m] = (int32_t)next;
		m += here;
		ones += here & (unsigned)(def[i] + 1 >= l->def);
		next += (unsigned)(rep[i] <= k + 1) & (unsigned)(def[i] >= l->def);
	}
	l->starts.n += m * sizeof *starts;
	return take_valid(&l->valid, rep, def, n, k, l->parent_def, l->def - 1U, m, ones, bits, arena, err);
}

static int take_struct(struct pq_struct_level *t, const uint8_t *rep, const uint8_t *def, size_t n, struct pq_scratch *bits,
		       struct c4w_arena *arena, struct c4w_err *err)
{
	size_t i, slots = 0, ones = 0;

	for (i = 0; i < n; i++) {
		unsigned here = (unsigned)(!rep || rep[i] <= t->depth) & (unsigned)(def[i] >= t->parent_def);

		slots += here;
		ones += here & (unsigned)(def[i] >= t->def);
	}
	return take_valid(&t->valid, rep, def, n, t->depth, t->parent_def, t->def, slots, ones, bits, arena, err);
}

int pq_nest_page(struct pq_nest *s, const uint8_t *rep, const uint8_t *def, size_t n, size_t leaf_before, size_t *slots,
		 size_t *not_null, struct pq_scratch *bits, struct c4w_arena *arena, struct c4w_err *err)
{
	size_t i, there = 0, full = 0;
	uint32_t k;

	*slots = *not_null = 0;
	if (n == 0)
		return C4W_OK;
	if (n > INT32_MAX - s->entries)
		return c4w_fail(err, C4W_LIMIT, "the column chunk has more than %d entries", INT32_MAX);
	C4W_TRY(check_levels(s, rep, def, n, err));
	/* from the outside in: a list's starts count the slots below it as they were before this page */
	for (k = 0; k < s->nlists; k++)
		C4W_TRY(take_list(&s->lists[k], rep, def, n, k, k + 1 < s->nlists ? s->lists[k + 1].valid.n : leaf_before, bits, arena, err));
	for (k = 0; k < s->nstructs; k++)
		C4W_TRY(take_struct(&s->structs[k], rep, def, n, bits, arena, err));
	for (i = 0; i < n; i++) {
		there += def[i] >= s->leaf_def;
		full += def[i] == s->max_def;
	}
	*slots = there;
	*not_null = full;
	if (full < there) {
		C4W_TRY(pq_scratch_need(bits, there / 8 + 16, err));
		if (there == n) {
			pq_bits_equal(def, n, s->max_def, bits->p);
		} else {
			size_t j = 0;

			memset(bits->p, 0, there / 8 + 1);
			for (i = 0; i < n; i++)
				if (def[i] >= s->leaf_def) {
					bits->p[j >> 3] = (uint8_t)(bits->p[j >> 3] | (unsigned)(def[i] == s->max_def) << (j & 7));
					j++;
				}
		}
	}
	s->last_def = def[n - 1];
	s->entries += n;
	return C4W_OK;
}

/* The low n bits of v (the others are 0) behind bit `to`; eight bytes behind that may be written. */
static inline void append_bits(uint8_t *bits, size_t to, uint64_t v, unsigned n)
{
	uint64_t w;
	unsigned s = to & 7;

	memcpy(&w, bits + to / 8, 8);
	w |= v << s;
	memcpy(bits + to / 8, &w, 8);
	if (s + n > 64)
		bits[to / 8 + 8] = (uint8_t)(v >> (64 - s));
}

/* One list level, no structs: all as bitmaps, a word of 64 entries at a time. False: not done, take the general way. */
#if defined(__x86_64__)
__attribute__((target("bmi2,popcnt"))) static void one_list_words(const uint64_t *rep, const uint64_t *elem, const uint64_t *full,
								  const uint64_t *there, size_t n, size_t next, bool last_elem,
								  int32_t *starts, uint8_t *leaf_bits, uint8_t *list_bits,
								  size_t *rows, size_t *slots, size_t *full_n, size_t *lists_n, bool *wrong)
{
	uint64_t carry = last_elem, bad = 0;
	size_t i, m = 0, made = 0, notnull = 0, lists = 0, first = next;

	for (i = 0; i * 64 < n; i++) {
		uint64_t valid = n - i * 64 < 64 ? (1ULL << (n - i * 64)) - 1 : UINT64_MAX, r = rep[i] & valid, e = elem[i] & valid;
		uint64_t begin = ~r & valid, w, v;
		unsigned k;

		/* going on with a list needs an element here and in the entry before */
		bad |= r & (~e | ~(e << 1 | carry));
		carry = e >> 63;
		for (w = begin; w; w &= w - 1) {
			uint64_t below = (w & -w) - 1;

			*starts++ = (int32_t)(next + (size_t)__builtin_popcountll(e & below));
		}
		/* validity of leaf slots and of lists, pressed together */
		k = (unsigned)__builtin_popcountll(e);
		v = _pext_u64(full[i], e);
		append_bits(leaf_bits, made, v, k);
		notnull += (size_t)__builtin_popcountll(v);
		made += k;
		next = first + made;
		k = (unsigned)__builtin_popcountll(begin);
		v = _pext_u64(there[i], begin);
		append_bits(list_bits, m, v, k);
		lists += (size_t)__builtin_popcountll(v);
		m += k;
	}
	*rows = m;
	*slots = made;
	*full_n = notnull;
	*lists_n = lists;
	*wrong = bad != 0;
}

int pq_nest_page_one(struct pq_nest *s, const uint8_t *rep_bits, const uint8_t *def, size_t n, size_t leaf_before, size_t *slots,
		     size_t *not_null, struct pq_scratch *bits, struct pq_scratch *scratch, struct c4w_arena *arena, struct c4w_err *err)
{
	struct pq_list_level *l = &s->lists[0];
	size_t words = n / 64 + 3, rows, lists;
	uint64_t *elem, *full, *there;
	uint8_t *list_bits;
	bool wrong;

	*slots = *not_null = 0;
	if (n == 0)
		return C4W_OK;
	if (n > INT32_MAX - s->entries)
		return c4w_fail(err, C4W_LIMIT, "the column chunk has more than %d entries", INT32_MAX);
	if (max_of(def, n) > s->max_def)
		return disagree(err, "a definition level is above the column's highest");
	if (s->entries == 0 && (rep_bits[0] & 1))
		return disagree(err, "the first repetition level is not 0");
	C4W_TRY(pq_scratch_need(scratch, 4 * words * 8, err));
	C4W_TRY(pq_scratch_need(bits, words * 8, err));
	elem = (uint64_t *)(void *)scratch->p;
	full = elem + words;
	there = full + words;
	list_bits = (uint8_t *)(there + words);
	bits_at_least(def, n, l->def, (uint8_t *)elem);
	pq_bits_equal(def, n, s->max_def, (uint8_t *)full);
	bits_at_least(def, n, (uint8_t)(l->def - 1), (uint8_t *)there);
	memset(list_bits, 0, words * 8);
	memset(bits->p, 0, words * 8);
	C4W_TRY(pq_vec_need(&l->starts, (n + 1) * sizeof(int32_t), arena, err));
	one_list_words((const uint64_t *)(const void *)rep_bits, elem, full, there, n, leaf_before, s->last_def >= l->def,
		       (int32_t *)(void *)(l->starts.p + l->starts.n), bits->p, list_bits, &rows, slots, not_null, &lists, &wrong);
	if (wrong)
		return disagree(err, "a repetition level goes on with a list that has no element");
	l->starts.n += rows * sizeof(int32_t);
	s->last_def = def[n - 1];
	s->entries += n;
	return pq_valid_bits(&l->valid, list_bits, rows, lists, arena, err);
}
#endif

bool pq_nest_fast(const struct pq_nest *s)
{
#if defined(__x86_64__)
	return s->nlists == 1 && s->nstructs == 0 && c4w_cpu_has(C4W_CPU_BMI2 | C4W_CPU_POPCNT);
#else
	(void)s;
	return false;
#endif
}

int pq_nest_page_full(struct pq_nest *s, const uint8_t *rep_bits, size_t n, size_t leaf_before, struct c4w_arena *arena, struct c4w_err *err)
{
	struct pq_list_level *l = &s->lists[0];
	size_t i, rows = n - c4w_bits_count(rep_bits, n);
	int32_t *starts;
	uint32_t k;

	if (n == 0)
		return C4W_OK;
	if (n > INT32_MAX - s->entries)
		return c4w_fail(err, C4W_LIMIT, "the column chunk has more than %d entries", INT32_MAX);
	if ((rep_bits[0] & 1) && (s->entries == 0 || s->last_def < l->def))
		return disagree(err, s->entries == 0 ? "the first repetition level is not 0"
						     : "a repetition level goes on with a list that has no element");
	C4W_TRY(pq_vec_need(&l->starts, (rows + 1) * sizeof *starts, arena, err));
	starts = (int32_t *)(void *)(l->starts.p + l->starts.n);
	for (i = 0; i < n; i += 64) {
		uint64_t w;

		memcpy(&w, rep_bits + i / 8, 8);
		w = ~w;
		if (n - i < 64)
			w &= (1ULL << (n - i)) - 1;
		for (; w; w &= w - 1)
			*starts++ = (int32_t)(leaf_before + i + (size_t)__builtin_ctzll(w));
	}
	l->starts.n += rows * sizeof *starts;
	C4W_TRY(pq_valid_ones(&l->valid, rows, arena, err));
	for (k = 0; k < s->nstructs; k++)
		C4W_TRY(pq_valid_ones(&s->structs[k].valid, s->structs[k].depth ? n : rows, arena, err));
	s->last_def = s->max_def;
	s->entries += n;
	return C4W_OK;
}

int pq_nest_finish(struct pq_nest *s, size_t leaf_slots, struct c4w_arena *arena, struct c4w_batch *out, struct c4w_err *err)
{
	struct c4w_batch_list *lists;
	struct c4w_batch_struct *structs;
	void *p;
	uint32_t k;

	C4W_TRY(c4w_arena_zero(arena, s->nlists + 1, sizeof *lists, &p, err));
	lists = p;
	C4W_TRY(c4w_arena_zero(arena, s->nstructs + 1, sizeof *structs, &p, err));
	structs = p;
	for (k = 0; k < s->nlists; k++) {
		struct pq_list_level *l = &s->lists[k];
		int32_t end = (int32_t)(k + 1 < s->nlists ? s->lists[k + 1].valid.n : leaf_slots);

		C4W_TRY(pq_vec_need(&l->starts, sizeof end, arena, err));
		memcpy(l->starts.p + l->starts.n, &end, sizeof end);
		lists[k].n = l->valid.n;
		lists[k].offsets = (const int32_t *)(const void *)l->starts.p;
		lists[k].nulls = l->valid.nulls;
		lists[k].validity = l->valid.nulls ? l->valid.v.p : NULL;
	}
	for (k = 0; k < s->nstructs; k++) {
		structs[k].n = s->structs[k].valid.n;
		structs[k].depth = s->structs[k].depth;
		structs[k].validity = s->structs[k].valid.nulls ? s->structs[k].valid.v.p : NULL;
	}
	out->lists = s->nlists ? lists : NULL;
	out->structs = s->nstructs ? structs : NULL;
	out->nlists = s->nlists;
	out->nstructs = s->nstructs;
	return C4W_OK;
}
