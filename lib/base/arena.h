/* Arena: bump allocation that is freed all at once. One arena belongs to one worker; no locking.
 *
 * Memory taken lives until c4w_arena_reset or c4w_arena_clear. Reset keeps one block as large as the last two rounds needed, and
 * gives the rest back: a steady load allocates nothing, and one large item does not set the footprint of the run.
 */
#ifndef C4W_BASE_ARENA_H
#define C4W_BASE_ARENA_H

#include "base/err.h"

struct c4w_arena_block;

struct c4w_arena {
	struct c4w_arena_block *first, *current;
	size_t used;  /* bytes handed out since the last reset, padding included */
	size_t last, ready; /* what the round before the last reset took; the size of the next first block */
	size_t limit; /* 0: none; else c4w_arena_take fails with C4W_LIMIT beyond it */
};

/* Zero-initialised storage is a valid, empty arena. */

/* n bytes, aligned to 64, contents undefined. n == 0 gives a valid pointer. On failure *out is NULL. */
int c4w_arena_take(struct c4w_arena *a, size_t n, void **out, struct c4w_err *err) C4W_MUST_CHECK;

/* count * size bytes with the product checked; zeroed. */
int c4w_arena_zero(struct c4w_arena *a, size_t count, size_t size, void **out, struct c4w_err *err) C4W_MUST_CHECK;

/* n bytes aligned to 1; for text. NULL when memory is gone. */
char *c4w_arena_text(struct c4w_arena *a, const char *p, size_t n); /* a NUL-terminated copy */

/* A mark to go back to: everything taken after the mark is released by c4w_arena_rewind. */
struct c4w_arena_mark {
	struct c4w_arena_block *block;
	size_t fill, used;
};
struct c4w_arena_mark c4w_arena_mark(const struct c4w_arena *a);
void c4w_arena_rewind(struct c4w_arena *a, struct c4w_arena_mark m);

void c4w_arena_reset(struct c4w_arena *a); /* keeps what the next round is likely to need */
void c4w_arena_clear(struct c4w_arena *a); /* frees all; the arena is empty and usable again */

#endif
