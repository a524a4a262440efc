/* Writing values: PLAIN, the RLE hybrid, DELTA_BINARY_PACKED, dictionaries, statistics. */
#include "containers/pq_wimpl.h"

#include "base/checked.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void put_le32(struct c4w_buf *out, uint32_t v)
{
	c4w_buf_put(out, &v, 4);
}

static void put_varint(struct c4w_buf *out, uint64_t v)
{
	for (; v >= 128; v >>= 7)
		c4w_buf_putc(out, (char)(v | 128));
	c4w_buf_putc(out, (char)v);
}

/* ---- plain ---- */

static const uint8_t *slot(const struct c4w_batch *b, size_t i, size_t *n)
{
	const struct c4w_batch *v = b;

	if (b->phys == C4W_PHYS_BYTES || b->phys == C4W_PHYS_FIXED)
		return c4w_batch_bytes(b, i, n);
	if (b->indices) {
		i = b->indices[i];
		v = b->dict;
	}
	*n = v->width;
	return (const uint8_t *)v->values + i * v->width;
}

static int plain_bool(struct c4w_buf *out, const struct c4w_batch *b, size_t from, size_t to)
{
	uint8_t byte = 0;
	unsigned fill = 0;
	size_t i, n;

	for (i = from; i < to; i++) {
		if (!c4w_bit(b->validity, i))
			continue;
		byte = (uint8_t)(byte | (unsigned)(*slot(b, i, &n) != 0) << fill);
		if (++fill == 8) {
			c4w_buf_putc(out, (char)byte);
			byte = 0;
			fill = 0;
		}
	}
	if (fill)
		c4w_buf_putc(out, (char)byte);
	return C4W_OK;
}

int pq_w_plain(struct c4w_buf *out, const struct c4w_batch *b, size_t from, size_t to, struct c4w_err *err)
{
	size_t i, n, width = b->width;
	const uint8_t *p;
	char *q;

	if (b->phys == C4W_PHYS_BOOL)
		return plain_bool(out, b, from, to);
	if (b->phys == C4W_PHYS_BYTES) {
		for (i = from; i < to; i++) {
			if (!c4w_bit(b->validity, i))
				continue;
			p = c4w_batch_bytes(b, i, &n);
			if (n > INT32_MAX)
				return c4w_fail(err, C4W_LIMIT, "a value of %zu bytes is more than Parquet can hold", n);
			if (!c4w_buf_reserve(out, n + 4))
				break;
			q = out->p + out->n;
			memcpy(q, &(uint32_t){ (uint32_t)n }, 4);
			if (n)
				memcpy(q + 4, p, n);
			out->n += n + 4;
		}
		return C4W_OK;
	}
	if (!b->validity && !b->indices) {
		c4w_buf_put(out, (const uint8_t *)b->values + from * width, (to - from) * width);
		return C4W_OK;
	}
	if (!c4w_buf_reserve(out, (to - from) * width + 8))
		return C4W_OK;
	q = out->p + out->n;
	for (i = from; i < to; i++) {
		if (!c4w_bit(b->validity, i))
			continue;
		p = slot(b, i, &n);
		memcpy(q, p, width);
		q += width;
	}
	out->n = (size_t)(q - out->p);
	return C4W_OK;
}

/* ---- hybrid ---- */

static void pack(struct c4w_buf *out, const void *v, bool wide, size_t n, unsigned bits)
{
	size_t groups = (n + 7) / 8, i;
	uint64_t acc = 0;
	unsigned fill = 0;
	uint8_t *q;

	put_varint(out, groups << 1 | 1);
	if (!c4w_buf_reserve(out, groups * bits + 8))
		return;
	q = (uint8_t *)out->p + out->n;
	for (i = 0; i < groups * 8; i++) {
		uint64_t x = i >= n ? 0 : wide ? ((const uint32_t *)v)[i] : ((const uint8_t *)v)[i];

		acc |= x << fill;
		fill += bits;
		if (fill >= 32) {
			memcpy(q, &acc, 4);
			q += 4;
			acc >>= 32;
			fill -= 32;
		}
	}
	memcpy(q, &acc, 8);
	out->n += groups * bits;
	out->p[out->n] = 0;
}

/* Runs of eight and more repeat; what lies between is packed in groups of eight. */
#define HYBRID(name, type, wide)                                                                     \
	void name(struct c4w_buf *out, const type *v, size_t n, unsigned bits)                       \
	{                                                                                            \
		size_t i = 0, start, run, k;                                                         \
		while (i < n) {                                                                      \
			for (run = 1; i + run < n && v[i + run] == v[i]; run++)                      \
				;                                                                    \
			if (run >= 8 || i + run == n) {                                              \
				uint32_t x = v[i];                                                   \
				put_varint(out, (uint64_t)run << 1);                                 \
				for (k = 0; k < (bits + 7) / 8; k++)                                 \
					c4w_buf_putc(out, (char)(x >> (8 * k)));                     \
				i += run;                                                            \
				continue;                                                            \
			}                                                                            \
			for (start = i; i < n;) {                                                    \
				size_t in = (i - start) & 7;                                         \
				for (run = 1; run < 16 && i + run < n && v[i + run] == v[i]; run++)  \
					;                                                            \
				if (in == 0 && run >= 8)                                             \
					break;                                                       \
				i += run < 8 - in ? run : 8 - in;                                    \
			}                                                                            \
			pack(out, v + start, wide, i - start, bits);                                 \
		}                                                                                    \
	}
HYBRID(pq_w_hybrid8, uint8_t, false)
HYBRID(pq_w_hybrid32, uint32_t, true)

/* ---- delta: blocks of 128 values, four miniblocks ---- */

void pq_w_delta(struct c4w_buf *out, const int64_t *v, size_t n, unsigned width)
{
	size_t i, k, m;

	put_varint(out, 128);
	put_varint(out, 4);
	put_varint(out, n);
	put_varint(out, n ? pq_zigzag(v[0]) : 0);
	for (i = 1; i < n; i += 128) {
		size_t count = n - i < 128 ? n - i : 128;
		uint64_t d[128] = { 0 };
		int64_t min = 0;
		uint8_t bits[4] = { 0 };

		for (k = 0; k < count; k++) {
			uint64_t x = (uint64_t)v[i + k] - (uint64_t)v[i + k - 1];

			if (width == 32) /* deltas wrap in the column's own width */
				x = (uint64_t)(int64_t)(int32_t)(uint32_t)x;
			d[k] = x;
			min = k == 0 || (int64_t)x < min ? (int64_t)x : min;
		}
		for (k = 0; k < count; k++) {
			unsigned b;

			d[k] -= (uint64_t)min;
			if (width == 32)
				d[k] = (uint32_t)d[k];
			b = d[k] ? 64U - (unsigned)__builtin_clzll(d[k]) : 0;
			bits[k / 32] = (uint8_t)(b > bits[k / 32] ? b : bits[k / 32]);
		}
		put_varint(out, pq_zigzag(min));
		c4w_buf_put(out, bits, 4);
		for (m = 0; m < 4 && m * 32 < count; m++) {
			uint8_t packed[256 + 16] = { 0 };
			size_t at = 0;

			for (k = 0; k < 32; k++, at += bits[m]) {
				unsigned s = at & 7, b;

				for (b = 0; b < bits[m]; b++)
					if (d[m * 32 + k] >> b & 1)
						packed[(at + b) >> 3] = (uint8_t)(packed[(at + b) >> 3] | 1U << ((s + b) & 7));
			}
			c4w_buf_put(out, packed, 4U * bits[m]);
		}
	}
}

/* ---- dictionary ---- */

struct table {
	uint32_t *slots; /* index + 1; 0 is empty */
	uint64_t *keys;  /* by index: the hash of a string, or the value itself */
	size_t mask, cap;
};

static bool table_grow(struct table *t, size_t distinct)
{
	size_t cap = t->cap ? t->cap * 2 : 1024, i;
	uint32_t *slots = calloc(cap * 2, sizeof *slots);
	uint64_t *keys = realloc(t->keys, cap * sizeof *keys);

	if (keys)
		t->keys = keys;
	if (!slots || !keys) {
		free(slots);
		return false;
	}
	free(t->slots);
	t->slots = slots;
	t->cap = cap;
	t->mask = cap * 2 - 1;
	for (i = 0; i < distinct; i++) {
		size_t h = (size_t)((t->keys[i] * 0x9e3779b97f4a7c15ULL) >> 20) & t->mask;

		while (slots[h])
			h = (h + 1) & t->mask;
		slots[h] = (uint32_t)i + 1;
	}
	return true;
}

static uint64_t hash_bytes(const uint8_t *p, size_t n)
{
	uint64_t h = n * 0x9e3779b97f4a7c15ULL, w;

	for (; n >= 8; n -= 8, p += 8) {
		memcpy(&w, p, 8);
		h = (h ^ w) * 0xff51afd7ed558ccdULL;
		h ^= h >> 32;
	}
	for (w = 0; n > 0; n--)
		w = w << 8 | *p++;
	h = (h ^ w) * 0xc4ceb9fe1a85ec53ULL;
	return h ^ h >> 29;
}

void pq_w_dictionary_clear(struct pq_dict *d)
{
	c4w_buf_clear(&d->page);
	free(d->indices);
	d->indices = NULL;
}

/* Is what was seen so far repeated often enough? Asked now and then, so that a column of distinct values costs little. */
static bool worth_it(size_t seen, size_t distinct)
{
	return seen < 16384 || distinct < seen - seen / 4;
}

int pq_w_dictionary(const struct c4w_batch *b, size_t most, struct pq_dict *d, bool *made, struct c4w_err *err)
{
	struct table t = { 0 };
	struct c4w_buf ends = { 0 }; /* of the strings in d->page, behind their lengths */
	size_t i, n, values = b->n - b->nulls;
	bool bytes = b->phys == C4W_PHYS_BYTES || b->phys == C4W_PHYS_FIXED, ok = true;

	*made = false;
	*d = (struct pq_dict){ 0 };
	if (values == 0 || b->phys == C4W_PHYS_BOOL || b->phys == C4W_PHYS_NONE || values > UINT32_MAX / 2)
		return C4W_OK;
	d->indices = malloc(values * sizeof *d->indices);
	if (!d->indices)
		return c4w_fail_memory(err, values * sizeof *d->indices);
	if (!table_grow(&t, 0))
		ok = false;
	for (i = 0; ok && i < b->n; i++) {
		uint64_t key = 0;
		const uint8_t *p;
		size_t h;

		if (!c4w_bit(b->validity, i))
			continue;
		p = slot(b, i, &n);
		if (bytes)
			key = hash_bytes(p, n);
		else if (b->width == 8)
			memcpy(&key, p, 8);
		else
			memcpy(&key, p, 4);
		h = (size_t)((key * 0x9e3779b97f4a7c15ULL) >> 20) & t.mask;
		for (;;) {
			uint32_t s = t.slots[h];

			if (!s)
				break;
			if (t.keys[s - 1] == key) {
				if (!bytes)
					break;
				if (b->phys == C4W_PHYS_FIXED) {
					if (n == 0 || memcmp(d->page.p + (s - 1) * n, p, n) == 0)
						break;
				} else {
					size_t at = ((const size_t *)(const void *)ends.p)[s - 1];

					if (c4w_le32((const uint8_t *)d->page.p + at) == n && (n == 0 || memcmp(d->page.p + at + 4, p, n) == 0))
						break;
				}
			}
			h = (h + 1) & t.mask;
		}
		if (!t.slots[h]) {
			if (d->distinct == t.cap) {
				if (!table_grow(&t, d->distinct)) {
					ok = false;
					break;
				}
				h = (size_t)((key * 0x9e3779b97f4a7c15ULL) >> 20) & t.mask;
				while (t.slots[h])
					h = (h + 1) & t.mask;
			}
			if (d->page.n + n + 4 > most || n > INT32_MAX || ((d->distinct & 4095) == 4095 && !worth_it(d->n, d->distinct)))
				goto out;
			t.keys[d->distinct] = key;
			t.slots[h] = (uint32_t)++d->distinct;
			if (b->phys == C4W_PHYS_BYTES) {
				c4w_buf_put(&ends, &d->page.n, sizeof d->page.n);
				put_le32(&d->page, (uint32_t)n);
			}
			c4w_buf_put(&d->page, p, n);
			ok = !d->page.failed && !ends.failed;
		}
		d->indices[d->n++] = t.slots[h] - 1;
	}
	*made = ok && (d->distinct * 2 <= values || values < 64);
out:
	free(t.slots);
	free(t.keys);
	c4w_buf_clear(&ends);
	if (!*made)
		pq_w_dictionary_clear(d);
	return ok ? C4W_OK : c4w_fail_memory(err, values);
}

/* ---- statistics ---- */

enum { STATS_BYTES = 64 };

/* The order of a type is that of parquet.thrift's ColumnOrder; types without one get no minimum and maximum. */
static bool is_ordered(const struct c4w_pq_node *leaf)
{
	switch (leaf->logical) {
	case C4W_PQ_L_INTERVAL:
	case C4W_PQ_L_VARIANT:
	case C4W_PQ_L_GEOMETRY:
	case C4W_PQ_L_GEOGRAPHY:
	case C4W_PQ_L_FLOAT16:
	case C4W_PQ_L_NULL:
		return false;
	case C4W_PQ_L_DECIMAL:
		return leaf->type == C4W_PQ_INT32 || leaf->type == C4W_PQ_INT64; /* bytes would compare as signed numbers: left out */
	default:
		return leaf->type != C4W_PQ_INT96;
	}
}

#define MINMAX(type, member)                                                   \
	do {                                                                   \
		type lo = 0, hi = 0, x;                                        \
		bool any = false;                                              \
		for (i = 0; i < b->n; i++) {                                   \
			if (!c4w_bit(b->validity, i))                          \
				continue;                                      \
			memcpy(&x, slot(b, i, &n), sizeof x);                  \
			if (x != x)                                            \
				continue;                                      \
			if (!any || x < lo)                                    \
				lo = x;                                        \
			if (!any || x > hi)                                    \
				hi = x;                                        \
			any = true;                                            \
		}                                                              \
		if (any) {                                                     \
			if (lo == 0 && (type)0.5 != 0)                         \
				lo = (type)-0.0;                               \
			if (hi == 0 && (type)0.5 != 0)                         \
				hi = (type)0.0;                                \
			c4w_buf_put(&s->min, &lo, sizeof lo);                  \
			c4w_buf_put(&s->max, &hi, sizeof hi);                  \
			s->has = true;                                         \
		}                                                              \
	} while (0)

/* The plain case in a loop that the compiler can vectorise. */
#define MINMAX_DENSE(type)                                                     \
	do {                                                                   \
		const type *v = b->values;                                     \
		type lo = v[0], hi = v[0];                                     \
		for (i = 1; i < b->n; i++) {                                   \
			lo = v[i] < lo ? v[i] : lo;                            \
			hi = v[i] > hi ? v[i] : hi;                            \
		}                                                              \
		c4w_buf_put(&s->min, &lo, sizeof lo);                          \
		c4w_buf_put(&s->max, &hi, sizeof hi);                          \
		s->has = true;                                                 \
	} while (0)

static int cmp(const uint8_t *a, size_t na, const uint8_t *b, size_t nb)
{
	int c = memcmp(a, b, na < nb ? na : nb);

	return c ? c : na < nb ? -1 : na > nb;
}

static void bytes_stats(const struct c4w_batch *b, struct pq_wstats *s)
{
	const struct c4w_batch *v = b->indices ? b->dict : b;
	const uint8_t *lo = NULL, *hi = NULL, *p;
	size_t i, n, lo_n = 0, hi_n = 0;
	/* over a dictionary it is enough to look at its values, if all are used; a writer of them made it so */
	for (i = 0; i < v->n; i++) {
		if (!c4w_bit(v->validity, i))
			continue;
		p = c4w_batch_bytes(v, i, &n);
		if (!lo || cmp(p, n, lo, lo_n) < 0) {
			lo = p;
			lo_n = n;
		}
		if (!hi || cmp(p, n, hi, hi_n) > 0) {
			hi = p;
			hi_n = n;
		}
	}
	if (!lo || b->n == b->nulls)
		return;
	s->min_exact = lo_n <= STATS_BYTES && !b->indices;
	s->max_exact = hi_n <= STATS_BYTES && !b->indices;
	c4w_buf_put(&s->min, lo, lo_n <= STATS_BYTES ? lo_n : STATS_BYTES);
	if (hi_n > STATS_BYTES) { /* a bound from above: the prefix with its last byte that can be raised raised */
		hi_n = STATS_BYTES;
		while (hi_n > 0 && hi[hi_n - 1] == 0xff)
			hi_n--;
		if (hi_n == 0) {
			c4w_buf_reset(&s->min);
			return;
		}
		c4w_buf_put(&s->max, hi, hi_n);
		s->max.p[hi_n - 1] = (char)(hi[hi_n - 1] + 1);
	} else {
		c4w_buf_put(&s->max, hi, hi_n);
	}
	s->has = true;
}

/* Cutting text by bytes must not leave half a character: readers decode the bounds. */
static bool is_text(const struct c4w_pq_node *leaf)
{
	return leaf->logical == C4W_PQ_L_STRING || leaf->logical == C4W_PQ_L_JSON || leaf->logical == C4W_PQ_L_ENUM;
}

void pq_w_stats(const struct c4w_pq_node *leaf, const struct c4w_batch *b, struct pq_wstats *s)
{
	bool is_unsigned = leaf->logical == C4W_PQ_L_INTEGER && !leaf->is_signed;
	bool dense = !b->validity && !b->indices && b->n > 0;
	size_t i, n;

	s->has = false;
	s->min_exact = s->max_exact = true;
	s->nulls = b->nulls;
	c4w_buf_reset(&s->min);
	c4w_buf_reset(&s->max);
	if (!is_ordered(leaf) || b->n == b->nulls)
		return;
	switch (leaf->type) {
	case C4W_PQ_BOOLEAN:
		MINMAX(uint8_t, b);
		break;
	case C4W_PQ_INT32:
		if (dense && is_unsigned)
			MINMAX_DENSE(uint32_t);
		else if (dense)
			MINMAX_DENSE(int32_t);
		else if (is_unsigned)
			MINMAX(uint32_t, u);
		else
			MINMAX(int32_t, i);
		break;
	case C4W_PQ_INT64:
		if (dense && is_unsigned)
			MINMAX_DENSE(uint64_t);
		else if (dense)
			MINMAX_DENSE(int64_t);
		else if (is_unsigned)
			MINMAX(uint64_t, u);
		else
			MINMAX(int64_t, i);
		break;
	case C4W_PQ_FLOAT:
		MINMAX(float, f);
		break;
	case C4W_PQ_DOUBLE:
		MINMAX(double, d);
		break;
	default:
		bytes_stats(b, s);
		if (s->has && is_text(leaf) && (!s->max_exact || !s->min_exact) && (!c4w_utf8_valid(s->min.p, s->min.n) || !c4w_utf8_valid(s->max.p, s->max.n)))
			s->has = false;
	}
}
