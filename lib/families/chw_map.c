/* Maps from text or digests to indices: open addressing, linear probing, keys borrowed.
 *
 * The table holds a hash and an entry's number, eight bytes a slot: a catalog has 100,000 scenes, and what opening one costs is the
 * misses on this table. Entries stand in the order in which they were added. */
#include "families/chw.h"

struct slot {
	uint32_t hash, entry; /* entry: 1 more than its index; 0: free */
};

struct entry {
	const void *key;
	uint32_t n, value;
};

struct chw_map {
	struct slot *slots;
	struct entry *entries;
	size_t mask, used, cap;
};

struct chw_map *chw_map_new(size_t expected)
{
	struct chw_map *m = calloc(1, sizeof *m);
	size_t cap = 16;
	while (cap * 3 / 4 < expected + 1)
		cap *= 2;
	if (!m)
		return NULL;
	m->cap = expected < 12 ? 12 : expected;
	m->slots = calloc(cap, sizeof *m->slots);
	m->entries = malloc(m->cap * sizeof *m->entries);
	if (!m->slots || !m->entries) {
		chw_map_free(m);
		return NULL;
	}
	m->mask = cap - 1;
	return m;
}

void chw_map_free(struct chw_map *m)
{
	if (m) {
		free(m->slots);
		free(m->entries);
	}
	free(m);
}

static uint32_t hash_bytes(const void *key, size_t n)
{
	const unsigned char *p = key;
	uint64_t h = 0x9E3779B97F4A7C15ULL ^ n;
	while (n >= 8) {
		uint64_t w;
		memcpy(&w, p, 8);
		h = (h ^ w) * 0xFF51AFD7ED558CCDULL;
		h ^= h >> 32;
		p += 8;
		n -= 8;
	}
	while (n--)
		h = (h ^ *p++) * 0x100000001B3ULL;
	h ^= h >> 29;
	h *= 0xC4CEB9FE1A85EC53ULL;
	return (uint32_t)(h >> 32);
}

static bool grow_slots(struct chw_map *m)
{
	size_t cap = (m->mask + 1) * 2, i;
	struct slot *to = calloc(cap, sizeof *to);
	if (!to)
		return false;
	for (i = 0; i <= m->mask; i++) {
		size_t at = m->slots[i].hash & (cap - 1);
		if (!m->slots[i].entry)
			continue;
		while (to[at].entry)
			at = (at + 1) & (cap - 1);
		to[at] = m->slots[i];
	}
	free(m->slots);
	m->slots = to;
	m->mask = cap - 1;
	return true;
}

static bool grow_entries(struct chw_map *m)
{
	struct entry *to = realloc(m->entries, m->cap * 2 * sizeof *to);
	if (!to)
		return false;
	m->entries = to;
	m->cap *= 2;
	return true;
}

/* The entry with this key, or NULL; *at is then the free slot where the search ended. */
static const struct entry *find(const struct chw_map *m, uint32_t h, const void *key, size_t n, size_t *at)
{
	for (*at = h & m->mask; m->slots[*at].entry; *at = (*at + 1) & m->mask) {
		const struct entry *e = &m->entries[m->slots[*at].entry - 1];
		if (m->slots[*at].hash == h && e->n == n && memcmp(e->key, key, n) == 0)
			return e;
	}
	return NULL;
}

void chw_map_prefetch(const struct chw_map *m, const void *key, size_t n)
{
	__builtin_prefetch(&m->slots[hash_bytes(key, n) & m->mask], 1);
}

uint32_t chw_map_add(struct chw_map *m, const void *key, size_t n, uint32_t value)
{
	uint32_t h = hash_bytes(key, n);
	const struct entry *e;
	size_t at;
	if (((m->used + 1) * 4 > (m->mask + 1) * 3 && !grow_slots(m)) || (m->used == m->cap && !grow_entries(m)))
		return CHW_NONE - 1;
	if ((e = find(m, h, key, n, &at)) != NULL)
		return e->value;
	m->entries[m->used++] = (struct entry){ key, (uint32_t)n, value };
	m->slots[at] = (struct slot){ h, (uint32_t)m->used };
	return CHW_NONE;
}

uint32_t chw_map_get(const struct chw_map *m, const void *key, size_t n)
{
	size_t at;
	const struct entry *e = find(m, hash_bytes(key, n), key, n, &at);
	return e ? e->value : CHW_NONE;
}
