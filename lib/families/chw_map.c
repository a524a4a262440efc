/* Maps from text or digests to indices: open addressing, linear probing, keys borrowed. */
#include "families/chw.h"

struct slot {
	const void *key;
	uint32_t n, value, hash;
};

struct chw_map {
	struct slot *slots;
	size_t mask, used;
};

struct chw_map *chw_map_new(size_t expected)
{
	struct chw_map *m = calloc(1, sizeof *m);
	size_t cap = 16;
	while (cap < expected * 2)
		cap *= 2;
	if (m)
		m->slots = calloc(cap, sizeof *m->slots);
	if (!m || !m->slots) {
		free(m);
		return NULL;
	}
	m->mask = cap - 1;
	return m;
}

void chw_map_free(struct chw_map *m)
{
	if (m)
		free(m->slots);
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

static bool grow(struct chw_map *m)
{
	size_t cap = (m->mask + 1) * 2, i;
	struct slot *to = calloc(cap, sizeof *to);
	if (!to)
		return false;
	for (i = 0; i <= m->mask; i++) {
		size_t at = m->slots[i].hash & (cap - 1);
		if (!m->slots[i].key)
			continue;
		while (to[at].key)
			at = (at + 1) & (cap - 1);
		to[at] = m->slots[i];
	}
	free(m->slots);
	m->slots = to;
	m->mask = cap - 1;
	return true;
}

uint32_t chw_map_add(struct chw_map *m, const void *key, size_t n, uint32_t value)
{
	uint32_t h = hash_bytes(key, n);
	size_t at;
	if ((m->used + 1) * 4 > (m->mask + 1) * 3 && !grow(m))
		return CHW_NONE - 1;
	for (at = h & m->mask; m->slots[at].key; at = (at + 1) & m->mask)
		if (m->slots[at].hash == h && m->slots[at].n == n && memcmp(m->slots[at].key, key, n) == 0)
			return m->slots[at].value;
	m->slots[at] = (struct slot){ key, (uint32_t)n, value, h };
	m->used++;
	return CHW_NONE;
}

uint32_t chw_map_get(const struct chw_map *m, const void *key, size_t n)
{
	uint32_t h = hash_bytes(key, n);
	size_t at;
	for (at = h & m->mask; m->slots[at].key; at = (at + 1) & m->mask)
		if (m->slots[at].hash == h && m->slots[at].n == n && memcmp(m->slots[at].key, key, n) == 0)
			return m->slots[at].value;
	return CHW_NONE;
}
