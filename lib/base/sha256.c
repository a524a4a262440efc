/* SHA-256: streaming, the portable kernel, and the scheduler for many messages. See sha256.h. */
#include "base/sha256.h"

#include "base/sha256_kernel.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

/* First 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2). */
const uint32_t c4w_sha256_k[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static inline uint32_t rotr(uint32_t x, unsigned n)
{
	return x >> n | x << (32 - n);
}

static inline uint32_t be32(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | (uint32_t)p[3];
}

static void portable_one(uint32_t *h, const uint8_t *p, size_t blocks)
{
	uint32_t w[16], v[8];
	while (blocks--) {
		unsigned t;
		memcpy(v, h, sizeof v);
		for (t = 0; t < 64; t++) {
			uint32_t t1, t2, wt;
			if (t < 16) {
				wt = w[t] = be32(p + 4 * t);
			} else {
				uint32_t w15 = w[(t + 1) & 15], w2 = w[(t + 14) & 15];
				wt = w[t & 15] += (rotr(w15, 7) ^ rotr(w15, 18) ^ w15 >> 3) + w[(t + 9) & 15] +
						  (rotr(w2, 17) ^ rotr(w2, 19) ^ w2 >> 10);
			}
			t1 = v[7] + (rotr(v[4], 6) ^ rotr(v[4], 11) ^ rotr(v[4], 25)) + ((v[4] & v[5]) ^ (~v[4] & v[6])) +
			     c4w_sha256_k[t] + wt;
			t2 = (rotr(v[0], 2) ^ rotr(v[0], 13) ^ rotr(v[0], 22)) +
			     ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
			v[7] = v[6];
			v[6] = v[5];
			v[5] = v[4];
			v[4] = v[3] + t1;
			v[3] = v[2];
			v[2] = v[1];
			v[1] = v[0];
			v[0] = t1 + t2;
		}
		for (t = 0; t < 8; t++)
			h[t] += v[t];
		p += 64;
	}
}

static void portable_two(uint32_t *const h[2], const uint8_t *const p[2], size_t blocks)
{
	portable_one(h[0], p[0], blocks);
	portable_one(h[1], p[1], blocks);
}

static void portable_three(uint32_t *const h[3], const uint8_t *const p[3], size_t blocks)
{
	portable_two(h, p, blocks);
	portable_one(h[2], p[2], blocks);
}

const struct c4w_sha256_kernel *c4w_sha256_portable(void)
{
	static const struct c4w_sha256_kernel kernel = { "portable", portable_one, portable_two, portable_three };
	return &kernel;
}

const struct c4w_sha256_kernel *c4w_sha256_chosen(void)
{
	static const struct c4w_sha256_kernel *_Atomic chosen; /* set once; threads that race write the same value */
	const struct c4w_sha256_kernel *k = atomic_load_explicit(&chosen, memory_order_relaxed);
	if (!k) {
		k = c4w_sha256_x86();
		if (!k)
			k = c4w_sha256_portable();
		atomic_store_explicit(&chosen, k, memory_order_relaxed);
	}
	return k;
}

const char *c4w_sha256_kernel(void)
{
	return c4w_sha256_chosen()->name;
}

void c4w_sha256_init(struct c4w_sha256 *s)
{
	static const uint32_t start[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
					   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
	memcpy(s->h, start, sizeof s->h);
	s->total = 0;
	s->fill = 0;
}

/* Complete the waiting block out of *p; returns what is left of n. */
static size_t top_up(const struct c4w_sha256_kernel *k, struct c4w_sha256 *s, const uint8_t **p, size_t n)
{
	size_t take = 64 - s->fill;
	s->total += n;
	if (s->fill == 0)
		return n;
	if (take > n)
		take = n;
	if (take)
		memcpy(s->block + s->fill, *p, take);
	s->fill += take;
	*p += take;
	if (s->fill == 64) {
		k->one(s->h, s->block, 1);
		s->fill = 0;
	}
	return n - take;
}

static void keep_rest(struct c4w_sha256 *s, const uint8_t *p, size_t n)
{
	if (n) {
		memcpy(s->block, p, n);
		s->fill = n;
	}
}

void c4w_sha256_update(struct c4w_sha256 *s, const void *bytes, size_t n)
{
	const struct c4w_sha256_kernel *k = c4w_sha256_chosen();
	const uint8_t *p = bytes;
	n = top_up(k, s, &p, n);
	if (n >= 64) {
		k->one(s->h, p, n / 64);
		p += n / 64 * 64;
	}
	if (s->fill == 0)
		keep_rest(s, p, n % 64);
}

void c4w_sha256_update2(struct c4w_sha256 *a, const void *bytes_a, size_t na, struct c4w_sha256 *b, const void *bytes_b,
			size_t nb)
{
	const struct c4w_sha256_kernel *k = c4w_sha256_chosen();
	const uint8_t *p[2] = { bytes_a, bytes_b };
	uint32_t *h[2] = { a->h, b->h };
	size_t both;
	na = top_up(k, a, &p[0], na);
	nb = top_up(k, b, &p[1], nb);
	both = (na < nb ? na : nb) / 64;
	if (both) {
		k->two(h, p, both);
		p[0] += both * 64;
		p[1] += both * 64;
		na -= both * 64;
		nb -= both * 64;
	}
	if (na >= 64)
		k->one(h[0], p[0], na / 64);
	if (nb >= 64)
		k->one(h[1], p[1], nb / 64);
	if (a->fill == 0)
		keep_rest(a, p[0] + na / 64 * 64, na % 64);
	if (b->fill == 0)
		keep_rest(b, p[1] + nb / 64 * 64, nb % 64);
}

void c4w_sha256_update3(struct c4w_sha256 *const s[3], const void *const bytes[3], const size_t sizes[3])
{
	const struct c4w_sha256_kernel *k = c4w_sha256_chosen();
	const uint8_t *p[3] = { bytes[0], bytes[1], bytes[2] };
	uint32_t *h[3] = { s[0]->h, s[1]->h, s[2]->h };
	size_t n[3], all, i;
	for (i = 0; i < 3; i++)
		n[i] = top_up(k, s[i], &p[i], sizes[i]);
	all = n[0] < n[1] ? n[0] : n[1];
	all = (all < n[2] ? all : n[2]) / 64 * 64;
	if (all)
		k->three(h, p, all / 64);
	for (i = 0; i < 3; i++) {
		p[i] += all;
		n[i] -= all;
		if (n[i] >= 64)
			k->one(h[i], p[i], n[i] / 64);
		if (s[i]->fill == 0)
			keep_rest(s[i], p[i] + n[i] / 64 * 64, n[i] % 64);
	}
}

/* The padding of FIPS 180-4, 5.1.1 into s->block, one block at a time. Returns true while a further one follows. */
static bool pad(struct c4w_sha256 *s, bool *marked)
{
	uint64_t bits = s->total * 8;
	unsigned i;
	if (!*marked) {
		s->block[s->fill++] = 0x80;
		*marked = true;
	}
	memset(s->block + s->fill, 0, 64 - s->fill);
	if (s->fill > 56) {
		s->fill = 0;
		return true;
	}
	for (i = 0; i < 8; i++)
		s->block[56 + i] = (uint8_t)(bits >> (56 - 8 * i));
	return false;
}

static void put_digest(const uint32_t h[8], uint8_t digest[32])
{
	unsigned i;
	for (i = 0; i < 32; i++)
		digest[i] = (uint8_t)(h[i / 4] >> (24 - 8 * (i % 4)));
}

void c4w_sha256_final(struct c4w_sha256 *s, uint8_t digest[32])
{
	const struct c4w_sha256_kernel *k = c4w_sha256_chosen();
	bool marked = false, more;
	do {
		more = pad(s, &marked);
		k->one(s->h, s->block, 1);
	} while (more);
	put_digest(s->h, digest);
}

void c4w_sha256(const void *p, size_t n, uint8_t digest[32])
{
	struct c4w_sha256 s;
	c4w_sha256_init(&s);
	c4w_sha256_update(&s, p, n);
	c4w_sha256_final(&s, digest);
}

/* ---- many ---- */

/* A message in work. `run` and `blocks` are what the kernel can take next: whole blocks of a piece, or s.block when bytes
 * of several pieces or the padding had to be put together. */
struct lane {
	struct c4w_sha256 s;
	const struct c4w_sha256_msg *msg;
	size_t piece, at; /* position in msg */
	size_t index;     /* where the digest goes */
	const uint8_t *run;
	size_t blocks;
	bool marked, last; /* padding begun; nothing follows the current run */
};

/* Find the next run. Call when blocks == 0 and not last. */
static void lane_refill(struct lane *l)
{
	while (l->piece < l->msg->count) {
		const struct c4w_bytes *b = &l->msg->pieces[l->piece];
		size_t left = b->n - l->at, take;
		const uint8_t *p = (const uint8_t *)b->p + (left ? l->at : 0);
		if (left == 0) {
			l->piece++;
			l->at = 0;
			continue;
		}
		if (l->s.fill == 0 && left >= 64) {
			l->run = p;
			l->blocks = left / 64;
			l->at += l->blocks * 64;
			l->s.total += l->blocks * 64;
			return;
		}
		take = 64 - l->s.fill < left ? 64 - l->s.fill : left;
		memcpy(l->s.block + l->s.fill, p, take);
		l->s.fill += take;
		l->s.total += take;
		l->at += take;
		if (l->s.fill == 64) {
			l->s.fill = 0;
			l->run = l->s.block;
			l->blocks = 1;
			return;
		}
	}
	l->last = !pad(&l->s, &l->marked);
	l->run = l->s.block;
	l->blocks = 1;
}

static void lane_start(struct lane *l, const struct c4w_sha256_msg *msg, size_t index)
{
	c4w_sha256_init(&l->s);
	l->msg = msg;
	l->piece = l->at = 0;
	l->index = index;
	l->marked = l->last = false;
	lane_refill(l);
}

enum { LANES = 3, BATCH = 64 };

/* Indices first … first+n-1 by length, longest first: what is started last then ends soon after the others. */
static void by_length(const struct c4w_sha256_msg *msgs, size_t first, size_t n, size_t *order)
{
	uint64_t length[BATCH];
	size_t i, j, k;
	for (i = 0; i < n; i++) {
		uint64_t sum = 0;
		for (k = 0; k < msgs[first + i].count; k++)
			sum += msgs[first + i].pieces[k].n;
		for (j = i; j > 0 && length[j - 1] < sum; j--) {
			length[j] = length[j - 1];
			order[j] = order[j - 1];
		}
		length[j] = sum;
		order[j] = first + i;
	}
}

void c4w_sha256_many_with(const struct c4w_sha256_kernel *k, size_t n, const struct c4w_sha256_msg msgs[],
			  uint8_t digests[][32])
{
	struct lane store[LANES], *lane[LANES] = { &store[0], &store[1], &store[2] };
	size_t order[BATCH], ordered = 0, used = 0, batched = 0, active = 0, i, blocks;
	for (;;) {
		/* lane[] is a permutation of store[]: the first `active` are in work, the others free. */
		while (active < LANES && (used < ordered || batched < n)) {
			if (used == ordered) {
				ordered = n - batched < BATCH ? n - batched : BATCH;
				by_length(msgs, batched, ordered, order);
				batched += ordered;
				used = 0;
			}
			lane_start(lane[active++], &msgs[order[used]], order[used]);
			used++;
		}
		if (active == 0)
			return;
		blocks = lane[0]->blocks;
		for (i = 1; i < active; i++)
			blocks = lane[i]->blocks < blocks ? lane[i]->blocks : blocks;
		if (active == 1) {
			k->one(lane[0]->s.h, lane[0]->run, blocks);
		} else {
			uint32_t *h[LANES];
			const uint8_t *p[LANES];
			for (i = 0; i < active; i++) {
				h[i] = lane[i]->s.h;
				p[i] = lane[i]->run;
			}
			if (active == 2)
				k->two(h, p, blocks);
			else
				k->three(h, p, blocks);
		}
		for (i = 0; i < active;) {
			struct lane *l = lane[i];
			l->blocks -= blocks;
			l->run += blocks * 64;
			if (l->blocks == 0 && l->last) {
				put_digest(l->s.h, digests[l->index]);
				lane[i] = lane[--active];
				lane[active] = l;
				continue;
			}
			if (l->blocks == 0)
				lane_refill(l);
			i++;
		}
	}
}

void c4w_sha256_many(size_t n, const struct c4w_sha256_msg msgs[], uint8_t digests[][32])
{
	c4w_sha256_many_with(c4w_sha256_chosen(), n, msgs, digests);
}
