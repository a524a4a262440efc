/* Writing dictionaries: the distinct values of a chunk, found through a hash table with open addressing. */
#include "containers/pq_wimpl.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

enum kind { K_4, K_8, K_FIXED, K_BYTES };

struct table {
	uint32_t *slots; /* index + 1; 0 is empty */
	uint64_t *keys;  /* by index: the hash of a string, or the value itself */
	size_t mask, cap;
};

static inline size_t place(const struct table *t, uint64_t key)
{
	return (size_t)((key * 0x9e3779b97f4a7c15ULL) >> 20) & t->mask;
}

static bool table_grow(struct table *t, struct pq_dict *d)
{
	size_t cap = t->cap ? t->cap * 2 : 1024, i;
	uint32_t *slots = calloc(cap * 2, sizeof *slots);
	uint64_t *keys = realloc(t->keys, cap * sizeof *keys);
	int64_t *ends = realloc(d->ends, (cap + 1) * sizeof *ends);

	if (keys)
		t->keys = keys;
	if (ends) {
		d->ends = ends;
		d->ends[0] = 0;
	}
	if (!slots || !keys || !ends) {
		free(slots);
		return false;
	}
	free(t->slots);
	t->slots = slots;
	t->cap = cap;
	t->mask = cap * 2 - 1;
	for (i = 0; i < d->distinct; i++) {
		size_t h = place(t, t->keys[i]);

		while (slots[h])
			h = (h + 1) & t->mask;
		slots[h] = (uint32_t)i + 1;
	}
	return true;
}

static inline uint64_t load8(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return v;
}

static inline uint32_t load4(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return v;
}

/* The last bytes of a value of at least 8, or all of a shorter one: loads may overlap what was taken before. */
static inline uint64_t hash_bytes(const uint8_t *p, size_t n)
{
	uint64_t h = n * 0x9e3779b97f4a7c15ULL, w = 0;
	size_t i;

	for (i = 0; i + 8 < n; i += 8) {
		h = (h ^ load8(p + i)) * 0xff51afd7ed558ccdULL;
		h ^= h >> 32;
	}
	if (n >= 8)
		w = load8(p + n - 8);
	else if (n >= 4)
		w = load4(p) | (uint64_t)load4(p + n - 4) << 32;
	else if (n > 0)
		w = p[0] | (uint64_t)p[n / 2] << 8 | (uint64_t)p[n - 1] << 16;
	h = (h ^ w) * 0xc4ceb9fe1a85ec53ULL;
	return h ^ h >> 29;
}

static inline bool same_bytes(const uint8_t *a, const uint8_t *b, size_t n)
{
	size_t i;

	if (n < 8)
		return n >= 4 ? load4(a) == load4(b) && load4(a + n - 4) == load4(b + n - 4)
			      : n == 0 || (a[0] == b[0] && a[n / 2] == b[n / 2] && a[n - 1] == b[n - 1]);
	for (i = 0; i + 8 < n; i += 8)
		if (load8(a + i) != load8(b + i))
			return false;
	return load8(a + n - 8) == load8(b + n - 8);
}

/* Is what was seen so far repeated often enough? Asked now and then, so that a column of distinct values costs little. */
static bool worth_it(size_t seen, size_t distinct)
{
	return seen < 16384 || distinct < seen - seen / 4;
}

/* The place of a value in the table: its own, or an empty one. */
static inline size_t find(const struct table *t, const struct pq_dict *d, enum kind kind, uint64_t key, const uint8_t *p, size_t n)
{
	size_t h = place(t, key);
	uint32_t s;

	for (; (s = t->slots[h]) != 0; h = (h + 1) & t->mask) {
		const uint8_t *q = (const uint8_t *)d->bytes.p;

		if (t->keys[s - 1] != key)
			continue;
		if (kind == K_4 || kind == K_8)
			break;
		if (kind == K_FIXED ? same_bytes(q + (s - 1) * n, p, n)
				    : (size_t)(d->ends[s] - d->ends[s - 1]) == n && same_bytes(q + d->ends[s - 1], p, n))
			break;
	}
	return h;
}

/* Values from the front until all are taken or the dictionary is full. False: no memory. `known`: indices + 1 of b->dict's values, or NULL. */
static inline __attribute__((always_inline)) bool build(const struct c4w_batch *b, enum kind kind, size_t most, struct table *t, uint32_t *known,
							struct pq_dict *d)
{
	const struct c4w_batch *v = b->indices ? b->dict : b;
	size_t i, k, h, n = kind == K_4 ? 4 : kind == K_8 ? 8 : b->width;
	const uint8_t *p;
	uint64_t key;

	for (i = 0; i < b->n; i++) {
		if (!c4w_bit(b->validity, i))
			continue;
		k = b->indices ? b->indices[i] : i;
		if (known && known[k]) {
			d->indices[d->n++] = known[k] - 1;
			continue;
		}
		if (kind == K_BYTES) {
			p = v->bytes + v->offsets[k];
			n = (size_t)(v->offsets[k + 1] - v->offsets[k]);
		} else {
			p = (const uint8_t *)v->values + k * n;
		}
		key = kind == K_4 ? load4(p) : kind == K_8 ? load8(p) : hash_bytes(p, n);
		h = find(t, d, kind, key, p, n);
		if (!t->slots[h]) {
			if (d->bytes.n + n + 4 * (kind == K_BYTES ? d->distinct + 1 : 1) > most || n > INT32_MAX ||
			    ((d->distinct & 4095) == 4095 && !worth_it(d->n, d->distinct)))
				break;
			if (d->distinct == t->cap) {
				if (!table_grow(t, d))
					return false;
				h = find(t, d, kind, key, p, n);
			}
			c4w_buf_put(&d->bytes, p, n);
			if (d->bytes.failed)
				return false;
			t->keys[d->distinct] = key;
			t->slots[h] = (uint32_t)++d->distinct;
			d->ends[d->distinct] = (int64_t)d->bytes.n;
		}
		d->indices[d->n++] = t->slots[h] - 1;
		if (known)
			known[k] = t->slots[h];
	}
	d->slots = i;
	return true;
}

void pq_w_dictionary_clear(struct pq_dict *d)
{
	c4w_buf_clear(&d->bytes);
	free(d->ends);
	free(d->indices);
	*d = (struct pq_dict){ 0 };
}

int pq_w_dictionary(const struct c4w_batch *b, size_t most, struct pq_dict *d, struct c4w_err *err)
{
	struct table t = { 0 };
	uint32_t *known = b->indices ? calloc(b->dict->n + 1, sizeof *known) : NULL;
	size_t values = b->n - b->nulls;
	bool ok;

	*d = (struct pq_dict){ 0 };
	if (values == 0 || b->phys == C4W_PHYS_BOOL || b->phys == C4W_PHYS_NONE || values > UINT32_MAX / 2) {
		free(known);
		return C4W_OK;
	}
	d->indices = malloc(values * sizeof *d->indices);
	ok = d->indices && (known || !b->indices) && table_grow(&t, d);
	if (ok && b->phys == C4W_PHYS_BYTES)
		ok = build(b, K_BYTES, most, &t, known, d);
	else if (ok && b->phys == C4W_PHYS_FIXED)
		ok = build(b, K_FIXED, most, &t, known, d);
	else if (ok && b->width == 8)
		ok = build(b, K_8, most, &t, known, d);
	else if (ok)
		ok = build(b, K_4, most, &t, known, d);
	free(t.slots);
	free(t.keys);
	free(known);
	d->values = (struct c4w_batch){ .phys = b->phys, .width = b->width, .rows = d->distinct, .n = d->distinct };
	if (b->phys == C4W_PHYS_BYTES) {
		d->values.offsets = d->ends;
		d->values.bytes = (const uint8_t *)d->bytes.p;
	} else {
		d->values.values = d->bytes.p;
	}
	/* what takes the place of few values is not worth its page */
	if (!ok || (d->distinct * 2 > d->n && (d->n < values || values >= 64)))
		pq_w_dictionary_clear(d);
	return ok ? C4W_OK : c4w_fail_memory(err, values * sizeof *d->indices);
}
