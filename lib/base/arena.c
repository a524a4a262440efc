/* Arena: a list of blocks, filled front to back. See arena.h. */
#include "base/arena.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { BLOCK_MIN = 256 * 1024, ALIGN = 64, HUGE_PAGE = 2 << 20 };

struct c4w_arena_block {
	struct c4w_arena_block *next;
	size_t size, fill;
	unsigned char *data;
};

static struct c4w_arena_block *block_new(size_t size)
{
	struct c4w_arena_block *b = malloc(sizeof *b);
	void *data = NULL;
	/* A file that is read whole is touched once: in large pages that takes a tenth of the faults' time. */
	bool large = size >= 4 * (size_t)HUGE_PAGE;
	if (!b || posix_memalign(&data, large ? HUGE_PAGE : ALIGN, size) != 0) {
		free(b);
		return NULL;
	}
	if (large)
		(void)madvise(data, size, MADV_HUGEPAGE);
	b->next = NULL;
	b->size = size;
	b->fill = 0;
	b->data = data;
	return b;
}

static void block_free(struct c4w_arena_block *b)
{
	free(b->data);
	free(b);
}

static void *take(struct c4w_arena *a, size_t n, size_t align)
{
	struct c4w_arena_block *b = a->current, *fresh;
	size_t size;
	while (b) {
		size_t at = (b->fill + align - 1) & ~(align - 1);
		if (at <= b->size && n <= b->size - at) {
			b->fill = at + n;
			a->current = b;
			return b->data + at;
		}
		if (!b->next)
			break;
		b = b->next;
		b->fill = 0;
	}
	size = n > BLOCK_MIN ? n : BLOCK_MIN;
	if (!a->first && a->ready > size)
		size = a->ready;
	fresh = block_new(size);
	if (!fresh)
		return NULL;
	if (b)
		b->next = fresh;
	else
		a->first = fresh;
	a->current = fresh;
	fresh->fill = n;
	return fresh->data;
}

int c4w_arena_take(struct c4w_arena *a, size_t n, void **out, struct c4w_err *err)
{
	*out = NULL;
	if (n > SIZE_MAX - 2 * (size_t)BLOCK_MIN)
		return c4w_fail_memory(err, n);
	if (a->limit && (n > a->limit || a->used > a->limit - n))
		return c4w_fail(err, C4W_LIMIT, "needs more than %zu bytes of working memory (--memory)", a->limit);
	*out = take(a, n, ALIGN);
	if (!*out)
		return c4w_fail_memory(err, n);
	a->used += n;
	return C4W_OK;
}

int c4w_arena_zero(struct c4w_arena *a, size_t count, size_t size, void **out, struct c4w_err *err)
{
	size_t n;
	*out = NULL;
	if (!c4w_mul_size(count, size, &n))
		return c4w_fail_memory(err, SIZE_MAX);
	C4W_TRY(c4w_arena_take(a, n, out, err));
	memset(*out, 0, n);
	return C4W_OK;
}

char *c4w_arena_text(struct c4w_arena *a, const char *p, size_t n)
{
	char *t;
	if (n > SIZE_MAX - 2 * (size_t)BLOCK_MIN)
		return NULL;
	t = take(a, n + 1, 1);
	if (!t)
		return NULL;
	if (n)
		memcpy(t, p, n);
	t[n] = 0;
	a->used += n + 1;
	return t;
}

struct c4w_arena_mark c4w_arena_mark(const struct c4w_arena *a)
{
	return (struct c4w_arena_mark){ a->current, a->current ? a->current->fill : 0, a->used };
}

void c4w_arena_rewind(struct c4w_arena *a, struct c4w_arena_mark m)
{
	a->current = m.block ? m.block : a->first;
	if (a->current)
		a->current->fill = m.block ? m.fill : 0;
	a->used = m.used;
}

/* Alignment padding is not in `used`; an eighth more makes up for it. */
static size_t room(size_t used)
{
	return used > SIZE_MAX / 2 ? used : used + used / 8 + BLOCK_MIN;
}

void c4w_arena_reset(struct c4w_arena *a)
{
	size_t need = a->used > a->last ? a->used : a->last, want = room(need);
	struct c4w_arena_block *b = a->first;
	a->last = a->used;
	a->used = 0;
	if (b && !b->next && b->size >= need && b->size / 2 <= want) {
		b->fill = 0;
		a->current = b;
		return;
	}
	while (b) {
		struct c4w_arena_block *next = b->next;
		block_free(b);
		b = next;
	}
	a->first = a->current = NULL;
	a->ready = want;
}

void c4w_arena_clear(struct c4w_arena *a)
{
	struct c4w_arena_block *b = a->first;
	while (b) {
		struct c4w_arena_block *next = b->next;
		block_free(b);
		b = next;
	}
	a->first = a->current = NULL;
	a->used = a->last = a->ready = 0;
}
