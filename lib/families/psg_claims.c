/* Claims on paths: an open-addressed table of hashes. See psg_claims.h. */
#include "families/psg_claims.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum state { FREE, HELD, WRITTEN };

struct entry {
	uint64_t hash;
	enum state state;
};

struct c4w_psg_claims {
	pthread_mutex_t mutex;
	pthread_cond_t ended;
	struct entry *v; /* never shrinks, so an index stays a claim */
	size_t n, cap;
	uint32_t *slots; /* index + 1; 0: free. A power of two, at most half full */
	size_t slot_cap;
};

int c4w_psg_claims_new(struct c4w_psg_claims **out, struct c4w_err *err)
{
	struct c4w_psg_claims *c = calloc(1, sizeof *c);
	*out = c;
	if (!c)
		return c4w_fail_memory(err, sizeof *c);
	pthread_mutex_init(&c->mutex, NULL);
	pthread_cond_init(&c->ended, NULL);
	return C4W_OK;
}

void c4w_psg_claims_free(struct c4w_psg_claims *c)
{
	if (!c)
		return;
	pthread_cond_destroy(&c->ended);
	pthread_mutex_destroy(&c->mutex);
	free(c->v);
	free(c->slots);
	free(c);
}

static uint64_t hash_path(const char *p)
{
	uint64_t h = 0xcbf29ce484222325ULL;
	for (; *p; p++)
		h = (h ^ (uint8_t)*p) * 0x100000001b3ULL;
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93ULL;
	return h ^ h >> 32;
}

static uint32_t *slot_of(const struct c4w_psg_claims *c, uint64_t hash)
{
	size_t i = (size_t)hash & (c->slot_cap - 1);
	while (c->slots[i] && c->v[c->slots[i] - 1].hash != hash)
		i = (i + 1) & (c->slot_cap - 1);
	return &c->slots[i];
}

static int grow(struct c4w_psg_claims *c, struct c4w_err *err)
{
	size_t cap = c->cap ? 2 * c->cap : 256, i;
	struct entry *v;
	uint32_t *slots;
	if (cap > UINT32_MAX / 2)
		return c4w_fail(err, C4W_LIMIT, "more than 2,147,483,647 paths in one run");
	v = realloc(c->v, cap * sizeof *v);
	if (!v)
		return c4w_fail_memory(err, cap * sizeof *v);
	c->v = v;
	slots = calloc(2 * cap, sizeof *slots);
	if (!slots)
		return c4w_fail_memory(err, 2 * cap * sizeof *slots);
	free(c->slots);
	c->slots = slots;
	c->slot_cap = 2 * cap;
	c->cap = cap;
	for (i = 0; i < c->n; i++)
		*slot_of(c, c->v[i].hash) = (uint32_t)(i + 1);
	return C4W_OK;
}

int c4w_psg_claim(struct c4w_psg_claims *c, const char *path, size_t *claim, bool *written, struct c4w_err *err)
{
	uint64_t hash = hash_path(path);
	uint32_t *slot;
	int cls = C4W_OK;
	pthread_mutex_lock(&c->mutex);
	if (c->n == c->cap)
		cls = grow(c, err);
	if (cls == C4W_OK) {
		slot = slot_of(c, hash);
		if (!*slot) {
			c->v[c->n++] = (struct entry){ hash, FREE };
			*slot = (uint32_t)c->n;
		}
		*claim = *slot - 1;
		while (c->v[*claim].state == HELD)
			pthread_cond_wait(&c->ended, &c->mutex);
		*written = c->v[*claim].state == WRITTEN;
		c->v[*claim].state = HELD;
	}
	pthread_mutex_unlock(&c->mutex);
	return cls;
}

void c4w_psg_claim_end(struct c4w_psg_claims *c, size_t claim, bool written)
{
	pthread_mutex_lock(&c->mutex);
	c->v[claim].state = written ? WRITTEN : FREE;
	pthread_cond_broadcast(&c->ended);
	pthread_mutex_unlock(&c->mutex);
}

bool c4w_psg_holds_at(struct c4w_blob *b, uint64_t at, const void *p, size_t n)
{
	uint8_t there[16384];
	const uint8_t *want = p;
	while (n) {
		size_t k = n < sizeof there ? n : sizeof there;
		if (c4w_blob_read_at(b, at, k, there, NULL) != C4W_OK || memcmp(there, want, k) != 0)
			return false;
		at += k;
		want += k;
		n -= k;
	}
	return true;
}

bool c4w_psg_holds(struct c4w_sink *sink, const char *path, const void *p, size_t n)
{
	struct c4w_blob *b;
	bool same;
	if (c4w_sink_read(sink, path, &b, NULL) != C4W_OK)
		return false;
	same = c4w_blob_size(b) == n && c4w_psg_holds_at(b, 0, p, n);
	c4w_blob_close(b);
	return same;
}
