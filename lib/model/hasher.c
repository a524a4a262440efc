/* The scheduler of hashing. See hasher.h. */
#include "model/hasher.h"

#include "base/sha256.h"
#include "storage/stream.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = C4W_HASH_LANES, BLOCK = C4W_HASH_BLOCK };

/* Files that are pulled, opened or hashed at once. */
enum { HAND = 12 };

/* Bytes of a file before it is put back; between the bounds, this part of what each thread has left to do. */
enum { CHUNK_LEAST = 256 * 1024, CHUNK_MOST = 8 * 1024 * 1024, CHUNKS = 12 };

enum state {
	WAITING, /* not open yet */
	OPEN,    /* free to be taken */
	TAKEN,   /* a thread opens or hashes it */
	DONE,
};

struct entry {
	struct c4w_hash_file file; /* first: what the caller sees. Its result belongs to the thread that has taken the entry */
	/* under the hasher's lock */
	enum state state;
	bool counted;  /* among nopen */
	uint64_t left; /* bytes, when it was last put back; at least 1 */
	struct entry *prev, *next, *next_unasked;
	/* the thread's that has taken it */
	struct c4w_blob *blob;
	struct c4w_stream *stream;
	struct c4w_sha256 sha;
	bool ended, refused; /* nothing more to do; the system had no descriptor for it */
};

struct c4w_hasher {
	struct c4w_hash_source source;
	pthread_mutex_t lock;
	pthread_cond_t changed; /* something was put back, done or pulled */
	/* under lock */
	struct entry *first, *last;       /* what was pulled and is not done, in the source's order */
	struct entry *waiting;            /* the first that isn't open */
	struct entry *unasked, *unasked_last;
	size_t nopen, nunasked;           /* nopen: opened, or being opened, and not done */
	size_t opening, most_open;        /* being opened; what the system allows */
	unsigned threads, idle;           /* in c4w_hasher_wait; in cond_wait */
	bool pulling, ended;              /* a thread is in source.next; it has no more */
	int cls;                          /* of the source */
	struct c4w_err err;
	uint64_t lanes[LANES];
};

/* What a thread has taken: files to be opened, or to be hashed. */
struct hand {
	struct entry *v[HAND];
	size_t n;
	bool opening, alone; /* files are opened; no other file was open then */
	unsigned lanes;
	uint64_t chunk;
	uint64_t bytes[LANES]; /* that were hashed, by the number of lanes */
};

struct lane {
	struct entry *e; /* NULL: idle */
	uint64_t stop;   /* e's bytes at which it is put back */
	size_t got;
};

static bool cancelled(const atomic_int *cancel)
{
	return cancel && atomic_load_explicit(cancel, memory_order_relaxed);
}

/* ---- one file ---- */

static void close_input(struct entry *e)
{
	c4w_blob_close(e->blob);
	c4w_stream_close(e->stream);
	e->blob = NULL;
	e->stream = NULL;
}

static void give_up(struct entry *e, int cls, const struct c4w_err *why)
{
	e->file.cls = cls;
	e->file.err = malloc(sizeof *why);
	if (e->file.err)
		*e->file.err = *why;
	close_input(e);
	e->ended = true;
}

static void finish(struct entry *e)
{
	c4w_sha256_final(&e->sha, e->file.digest);
	close_input(e);
	e->ended = true;
}

static void open_input(struct entry *e)
{
	struct c4w_hash_file *f = &e->file;
	struct c4w_err why = { 0 };
	int cls = f->store ? c4w_store_open(f->store, f->path, &e->blob, &why) : c4w_stream_open(f->path, &e->stream, &why);

	if (cls != C4W_OK) {
		e->refused = why.sys_errno == EMFILE || why.sys_errno == ENFILE;
		give_up(e, cls, &why);
		return;
	}
	c4w_sha256_init(&e->sha);
	if (e->blob)
		f->size = c4w_blob_size(e->blob);
	else if (c4w_stream_size(e->stream) > 0)
		f->size = (uint64_t)c4w_stream_size(e->stream);
	if (e->blob && f->sized && f->size != f->expected) {
		close_input(e);
		e->ended = true;
	}
}

/* The next block of a lane's file. At its end the digest is made, and the lane is idle. */
static void fill(struct lane *l, uint8_t *block)
{
	struct c4w_hash_file *f = &l->e->file;
	struct c4w_err why = { 0 };
	uint64_t room = l->stop - f->bytes < BLOCK ? l->stop - f->bytes : BLOCK;
	int cls;

	if (l->e->blob) {
		if (room > f->size - f->bytes)
			room = f->size - f->bytes;
		l->got = (size_t)room;
		cls = room ? c4w_blob_read_at(l->e->blob, f->bytes, l->got, block, &why) : C4W_OK;
	} else {
		cls = c4w_stream_read(l->e->stream, block, (size_t)room, &l->got, &why);
	}
	if (cls != C4W_OK)
		give_up(l->e, cls, &why);
	else if (l->got == 0)
		finish(l->e);
	if (l->e->ended)
		l->e = NULL;
	else
		f->bytes += l->got;
}

/* ---- a hand, without the lock ---- */

static void hash_blocks(const struct lane *lane, struct c4w_hash_blocks *blocks, uint64_t counts[LANES])
{
	struct c4w_sha256 *sha[LANES];
	const void *block[LANES];
	size_t got[LANES], n = 0, i;

	for (i = 0; i < LANES; i++)
		if (lane[i].e) {
			sha[n] = &lane[i].e->sha;
			block[n] = blocks->block[i];
			got[n++] = lane[i].got;
		}
	if (n == 3)
		c4w_sha256_update3(sha, block, got);
	else if (n == 2)
		c4w_sha256_update2(sha[0], block[0], got[0], sha[1], block[1], got[1]);
	else if (n == 1)
		c4w_sha256_update(sha[0], block[0], got[0]);
	for (i = 0; i < n; i++)
		counts[n - 1] += got[i];
}

static void hash_hand(struct hand *hand, struct c4w_hash_blocks *blocks, const atomic_int *cancel)
{
	struct lane lane[LANES] = { { 0 } };
	size_t at = 0, busy, i;

	do {
		for (i = busy = 0; i < hand->lanes; i++) {
			struct lane *l = &lane[i];

			do {
				if (l->e && l->e->file.bytes >= l->stop)
					l->e = NULL;
				if (!l->e && at < hand->n) {
					l->e = hand->v[at++];
					l->stop = l->e->file.bytes + hand->chunk;
				}
				if (l->e)
					fill(l, blocks->block[i]);
			} while (!l->e && at < hand->n);
			busy += l->e != NULL;
		}
		hash_blocks(lane, blocks, hand->bytes);
	} while (busy && !cancelled(cancel));
}

static void open_hand(struct hand *hand, const atomic_int *cancel)
{
	size_t i;

	for (i = 0; i < hand->n && !cancelled(cancel) && (i == 0 || !hand->v[i - 1]->refused); i++)
		open_input(hand->v[i]);
}

/* ---- taking and putting back, with the lock ---- */

static void wake(struct c4w_hasher *h)
{
	if (h->idle)
		pthread_cond_broadcast(&h->changed);
}

static void sleep_until_changed(struct c4w_hasher *h)
{
	h->idle++;
	pthread_cond_wait(&h->changed, &h->lock);
	h->idle--;
}

static size_t window(const struct c4w_hasher *h)
{
	return 4u * h->threads > C4W_HASH_AHEAD ? 4u * h->threads : C4W_HASH_AHEAD;
}

static void unlink_entry(struct c4w_hasher *h, struct entry *e)
{
	*(e->prev ? &e->prev->next : &h->first) = e->next;
	*(e->next ? &e->next->prev : &h->last) = e->prev;
	if (h->waiting == e)
		h->waiting = e->next;
	if (e->counted)
		h->nopen--;
	e->counted = false;
	e->state = DONE;
}

static void append(struct c4w_hasher *h, struct entry *e)
{
	e->prev = h->last;
	*(h->last ? &h->last->next : &h->first) = e;
	h->last = e;
	*(h->unasked ? &h->unasked_last->next_unasked : &h->unasked) = e;
	h->unasked_last = e;
	h->nunasked++;
	if (!h->waiting)
		h->waiting = e;
}

/* Some files more from the source. The lock is given up meanwhile. */
static void pull(struct c4w_hasher *h)
{
	struct entry *made[HAND];
	struct c4w_err why = { 0 };
	bool end = false;
	size_t n = 0, i;
	int cls = C4W_OK;

	h->pulling = true;
	pthread_mutex_unlock(&h->lock);
	while (n < HAND && !end && cls == C4W_OK) {
		struct entry *e = calloc(1, sizeof *e);

		cls = e ? h->source.next(h->source.ctx, &e->file, &end, &why) : c4w_fail_memory(&why, sizeof *e);
		if (cls == C4W_OK && !end)
			made[n++] = e;
		else
			free(e);
	}
	pthread_mutex_lock(&h->lock);
	for (i = 0; i < n; i++)
		append(h, made[i]);
	h->pulling = false;
	h->ended = end || cls != C4W_OK;
	h->cls = cls;
	h->err = why;
	wake(h);
}

static void take(struct hand *hand, struct entry *e)
{
	e->state = TAKEN;
	hand->v[hand->n++] = e;
}

static struct entry *next_waiting(struct entry *e)
{
	while (e && e->state != WAITING)
		e = e->next;
	return e;
}

/* Files to be opened, as many as may be open. */
static bool take_waiting(struct c4w_hasher *h, struct hand *hand)
{
	size_t room = window(h) < h->most_open ? window(h) : h->most_open;

	if (h->nopen < room && !h->waiting && !h->ended && !h->pulling && h->nunasked < window(h))
		pull(h);
	h->waiting = next_waiting(h->waiting);
	hand->alone = h->nopen == 0;
	for (hand->opening = true; h->nopen < room && h->waiting && hand->n < HAND; h->nopen++, h->opening++) {
		h->waiting->counted = true;
		take(hand, h->waiting);
		h->waiting = next_waiting(h->waiting);
	}
	return hand->n != 0;
}

/* The state of all files, when all that are left are open. */
struct rest {
	uint64_t share;   /* what each thread has left to do */
	uint64_t largest; /* of those that are free, 0 for none */
};

static struct rest look_at_rest(const struct c4w_hasher *h)
{
	const struct entry *e;
	struct rest r = { 0 };

	for (e = h->first; e; e = e->next) {
		r.share += e->left;
		if (e->state == OPEN && e->left > r.largest)
			r.largest = e->left;
	}
	r.share /= h->threads;
	return r;
}

/* The free file that comes first, near the end: small ones in order, then the largest of those that could end last, then the others in order. */
static struct entry *most_urgent(const struct c4w_hasher *h, uint64_t share)
{
	struct entry *urgent = NULL, *first = NULL, *e;

	for (e = h->first; e; e = e->next) {
		if (e->state != OPEN)
			continue;
		if (e->left <= CHUNK_LEAST)
			return e;
		if (e->left >= share / (2 * LANES) && (!urgent || e->left > urgent->left))
			urgent = e;
		if (!first)
			first = e;
	}
	return urgent ? urgent : first;
}

static struct entry *next_open(struct entry *e)
{
	while (e && e->state != OPEN)
		e = e->next;
	return e;
}

/* Files to be hashed. */
static bool take_open(struct c4w_hasher *h, struct hand *hand)
{
	bool all_open = h->ended && !h->waiting && !h->opening;
	struct rest rest = all_open ? look_at_rest(h) : (struct rest){ 0 };
	struct entry *e = NULL;
	uint64_t bytes = 0;

	hand->opening = false;
	hand->lanes = LANES;
	hand->chunk = CHUNK_MOST;
	if (rest.largest) {
		uint64_t fit = (rest.share + rest.largest / 2) / rest.largest, part = rest.share / CHUNKS;

		hand->lanes = fit < 1 ? 1 : fit > LANES ? LANES : (unsigned)fit;
		hand->chunk = part < CHUNK_LEAST ? CHUNK_LEAST : part > CHUNK_MOST ? CHUNK_MOST : part;
	}
	while (hand->n < HAND && (hand->n < hand->lanes || bytes < hand->lanes * hand->chunk)) {
		e = all_open ? most_urgent(h, rest.share) : next_open(e ? e->next : h->first);
		if (!e)
			break;
		bytes += e->left < hand->chunk ? e->left : hand->chunk;
		take(hand, e);
	}
	return hand->n != 0;
}

/* Not opened now. */
static void wait_again(struct c4w_hasher *h, struct entry *e)
{
	free(e->file.err);
	e->file.err = NULL;
	e->file.cls = C4W_OK;
	e->ended = e->refused = false;
	e->state = WAITING;
	e->counted = false;
	h->nopen--;
	h->waiting = h->first; /* the first in order is looked for anew */
}

static void put_back(struct c4w_hasher *h, struct hand *hand)
{
	struct entry *refused = NULL;
	size_t i;

	for (i = 0; i < hand->n; i++) {
		struct entry *e = hand->v[i];

		h->opening -= hand->opening;
		if (e->refused)
			refused = e;
		else if (e->ended)
			unlink_entry(h, e);
		else if (!e->blob && !e->stream)
			wait_again(h, e);
		else
			e->left = e->file.size > e->file.bytes ? e->file.size - e->file.bytes : 1;
		if (e->state == TAKEN && !e->refused)
			e->state = OPEN;
	}
	if (refused && hand->alone && refused == hand->v[0]) {
		unlink_entry(h, refused);
	} else if (refused) { /* there is room when one of the others is done */
		wait_again(h, refused);
		h->most_open = h->nopen ? h->nopen : 1;
	}
	for (i = 0; i < LANES; i++)
		h->lanes[i] += hand->bytes[i];
	wake(h);
}

/* ---- the interface ---- */

int c4w_hasher_new(const struct c4w_hash_source *source, struct c4w_hasher **out, struct c4w_err *err)
{
	struct c4w_hasher *h = calloc(1, sizeof *h);

	*out = h;
	if (!h)
		return c4w_fail_memory(err, sizeof *h);
	h->source = *source;
	h->most_open = SIZE_MAX;
	pthread_mutex_init(&h->lock, NULL);
	pthread_cond_init(&h->changed, NULL);
	return C4W_OK;
}

static void free_entry(struct entry *e)
{
	close_input(e);
	free(e->file.path);
	free(e->file.err);
	free(e);
}

void c4w_hasher_free(struct c4w_hasher *h)
{
	struct entry *e;

	if (!h)
		return;
	while ((e = h->unasked) != NULL) {
		h->unasked = e->next_unasked;
		free_entry(e);
	}
	pthread_mutex_destroy(&h->lock);
	pthread_cond_destroy(&h->changed);
	free(h);
}

int c4w_hasher_next(struct c4w_hasher *h, struct c4w_hash_file **files, size_t room, size_t *n, struct c4w_err *err)
{
	int cls = C4W_OK;

	*n = 0;
	pthread_mutex_lock(&h->lock);
	while (!h->unasked && !h->ended) {
		if (h->pulling)
			sleep_until_changed(h);
		else
			pull(h);
	}
	while (*n < room && h->unasked && (*n == 0 || h->unasked->state == DONE)) {
		files[(*n)++] = &h->unasked->file;
		h->unasked = h->unasked->next_unasked;
		h->nunasked--;
	}
	if (*n == 0 && h->cls != C4W_OK) {
		cls = h->cls;
		if (err)
			*err = h->err;
	}
	pthread_mutex_unlock(&h->lock);
	return cls;
}

void c4w_hasher_wait(struct c4w_hasher *h, struct c4w_hash_file *file, struct c4w_hash_blocks *blocks, const atomic_int *cancel)
{
	struct entry *e = (struct entry *)file;

	pthread_mutex_lock(&h->lock);
	h->threads++;
	while (e->state != DONE) {
		struct hand hand = { 0 };

		if (cancelled(cancel) && e->state != TAKEN) {
			struct c4w_err why = { 0 };

			give_up(e, c4w_fail(&why, C4W_CANCELLED, "interrupted"), &why);
			unlink_entry(h, e);
		} else if (!cancelled(cancel) && (take_waiting(h, &hand) || take_open(h, &hand))) {
			pthread_mutex_unlock(&h->lock);
			if (hand.opening)
				open_hand(&hand, cancel);
			else
				hash_hand(&hand, blocks, cancel);
			pthread_mutex_lock(&h->lock);
			put_back(h, &hand);
		} else {
			sleep_until_changed(h);
		}
	}
	h->threads--;
	pthread_mutex_unlock(&h->lock);
}

void c4w_hasher_release(struct c4w_hasher *h, struct c4w_hash_file *file)
{
	struct entry *e = (struct entry *)file;

	pthread_mutex_lock(&h->lock);
	while (e->state == TAKEN)
		sleep_until_changed(h);
	if (e->state != DONE)
		unlink_entry(h, e);
	pthread_mutex_unlock(&h->lock);
	free_entry(e);
}

void c4w_hasher_lanes(struct c4w_hasher *h, uint64_t bytes[C4W_HASH_LANES])
{
	pthread_mutex_lock(&h->lock);
	memcpy(bytes, h->lanes, sizeof h->lanes);
	pthread_mutex_unlock(&h->lock);
}
