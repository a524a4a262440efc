/* Stores and blobs: what is common to all kinds, blobs in memory and slices. See store.h. */
#include "storage/store_impl.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

void *c4w_store_alloc(size_t bytes, const struct c4w_store_ops *ops, const char *name)
{
	struct c4w_store *s = calloc(1, bytes);
	char *copy = s ? strdup(name) : NULL;
	if (!copy) {
		free(s);
		return NULL;
	}
	s->ops = ops;
	s->name = copy;
	atomic_init(&s->refs, 1);
	return s;
}

void *c4w_blob_alloc(size_t bytes, const struct c4w_blob_ops *ops, const char *name, uint64_t size)
{
	struct c4w_blob *b = calloc(1, bytes);
	char *copy = b ? strdup(name) : NULL;
	if (!copy) {
		free(b);
		return NULL;
	}
	b->ops = ops;
	b->name = copy;
	b->size = size;
	b->st.kind = C4W_KIND_FILE;
	b->st.size = size;
	atomic_init(&b->refs, 1);
	return b;
}

static int dirent_cmp(const void *a, const void *b)
{
	return strcmp(((const struct c4w_dirent *)a)->name, ((const struct c4w_dirent *)b)->name);
}

void c4w_dirents_sort(struct c4w_dirent *v, size_t n)
{
	if (n > 1)
		qsort(v, n, sizeof *v, dirent_cmp);
}

const char *c4w_store_name(const struct c4w_store *s)
{
	return s->name;
}

struct c4w_store *c4w_store_ref(struct c4w_store *s)
{
	atomic_fetch_add(&s->refs, 1);
	return s;
}

void c4w_store_close(struct c4w_store *s)
{
	if (!s || atomic_fetch_sub(&s->refs, 1) != 1)
		return;
	if (s->ops->destroy)
		s->ops->destroy(s);
	free(s->name);
	free(s);
}

bool c4w_path_is_plain(const char *rel, size_t n)
{
	size_t i = 0;
	if (n == 0 || memchr(rel, 0, n))
		return false;
	while (i <= n) {
		const char *slash = i < n ? memchr(rel + i, '/', n - i) : NULL;
		size_t len = slash ? (size_t)(slash - (rel + i)) : n - i;
		if (len == 0 || (len == 1 && rel[i] == '.') || (len == 2 && rel[i] == '.' && rel[i + 1] == '.'))
			return false;
		if (!slash)
			break;
		i += len + 1;
	}
	return true;
}

static int check_path(const char *rel, bool root_ok, struct c4w_err *err)
{
	if (root_ok && !*rel)
		return C4W_OK;
	if (c4w_path_is_plain(rel, strlen(rel)))
		return C4W_OK;
	c4w_fail(err, C4W_USAGE, "not a plain relative path");
	c4w_err_path(err, rel);
	return C4W_USAGE;
}

int c4w_store_open(struct c4w_store *s, const char *rel, struct c4w_blob **out, struct c4w_err *err)
{
	*out = NULL;
	C4W_TRY(check_path(rel, false, err));
	return s->ops->open(s, rel, out, err);
}

int c4w_store_stat(struct c4w_store *s, const char *rel, struct c4w_stat *out, struct c4w_err *err)
{
	memset(out, 0, sizeof *out);
	C4W_TRY(check_path(rel, true, err));
	return s->ops->stat(s, rel, out, err);
}

static int list(struct c4w_store *s, const char *rel, bool look, struct c4w_arena *arena, struct c4w_dirent **out, size_t *count, struct c4w_err *err)
{
	*out = NULL;
	*count = 0;
	C4W_TRY(check_path(rel, true, err));
	return s->ops->list(s, rel, look, arena, out, count, err);
}

int c4w_store_list(struct c4w_store *s, const char *rel, struct c4w_arena *arena, struct c4w_dirent **out, size_t *count,
		   struct c4w_err *err)
{
	return list(s, rel, true, arena, out, count, err);
}

int c4w_store_kinds(struct c4w_store *s, const char *rel, struct c4w_arena *arena, struct c4w_dirent **out, size_t *count,
		    struct c4w_err *err)
{
	return list(s, rel, false, arena, out, count, err);
}

struct c4w_blob *c4w_blob_ref(struct c4w_blob *b)
{
	atomic_fetch_add(&b->refs, 1);
	return b;
}

void c4w_blob_close(struct c4w_blob *b)
{
	if (!b || atomic_fetch_sub(&b->refs, 1) != 1)
		return;
	if (b->ops->destroy)
		b->ops->destroy(b);
	free(b->name);
	free(b);
}

uint64_t c4w_blob_size(const struct c4w_blob *b)
{
	return b->size;
}

const char *c4w_blob_name(const struct c4w_blob *b)
{
	return b->name;
}

void c4w_blob_stat(const struct c4w_blob *b, struct c4w_stat *out)
{
	*out = b->st;
}

static int ends_early(const struct c4w_blob *b, uint64_t offset, size_t length, struct c4w_err *err)
{
	c4w_fail(err, C4W_IO, "ends early: %zu bytes wanted at byte %llu, the file has %llu", length,
		 (unsigned long long)offset, (unsigned long long)b->size);
	c4w_err_path(err, b->name);
	return C4W_IO;
}

int c4w_blob_read_at(struct c4w_blob *b, uint64_t offset, size_t length, void *buf, struct c4w_err *err)
{
	if (!c4w_within(offset, length, b->size))
		return ends_early(b, offset, length, err);
	if (length == 0)
		return C4W_OK;
	return b->ops->read_at(b, offset, length, buf, err);
}

int c4w_blob_view(struct c4w_blob *b, uint64_t offset, size_t length, struct c4w_arena *arena, const uint8_t **out,
		  struct c4w_err *err)
{
	void *p;
	*out = NULL;
	if (!c4w_within(offset, length, b->size))
		return ends_early(b, offset, length, err);
	if (b->ops->lend) {
		*out = b->ops->lend(b, offset, length);
		if (*out)
			return C4W_OK;
	}
	C4W_TRY(c4w_arena_take(arena, length, &p, err));
	if (length)
		C4W_TRY(b->ops->read_at(b, offset, length, p, err));
	*out = p;
	return C4W_OK;
}

void c4w_blob_prefetch(struct c4w_blob *b, const struct c4w_range *ranges, size_t count)
{
	if (b->ops->prefetch)
		b->ops->prefetch(b, ranges, count);
}

/* ---- memory ---- */

struct memory_blob {
	struct c4w_blob base;
	const uint8_t *p;
	void *owned;
};

static int memory_read_at(struct c4w_blob *b, uint64_t offset, size_t length, void *buf, struct c4w_err *err)
{
	(void)err;
	memcpy(buf, ((struct memory_blob *)b)->p + offset, length);
	return C4W_OK;
}

static const uint8_t *memory_lend(struct c4w_blob *b, uint64_t offset, size_t length)
{
	(void)length;
	return ((struct memory_blob *)b)->p + offset;
}

static void memory_destroy(struct c4w_blob *b)
{
	free(((struct memory_blob *)b)->owned);
}

static const struct c4w_blob_ops memory_ops = { memory_read_at, memory_lend, NULL, memory_destroy };

int c4w_blob_memory(const char *name, const void *p, size_t n, bool take, struct c4w_blob **out, struct c4w_err *err)
{
	struct memory_blob *b = c4w_blob_alloc(sizeof *b, &memory_ops, name, n);
	*out = NULL;
	if (!b)
		return c4w_fail_memory(err, sizeof *b);
	b->p = n ? p : (const uint8_t *)"";
	b->owned = take ? (void *)(uintptr_t)p : NULL;
	*out = &b->base;
	return C4W_OK;
}

/* ---- slices ---- */

struct slice_blob {
	struct c4w_blob base;
	struct c4w_blob *parent;
	uint64_t offset;
};

static int slice_read_at(struct c4w_blob *b, uint64_t offset, size_t length, void *buf, struct c4w_err *err)
{
	struct slice_blob *s = (struct slice_blob *)b;
	return c4w_blob_read_at(s->parent, s->offset + offset, length, buf, err);
}

static const uint8_t *slice_lend(struct c4w_blob *b, uint64_t offset, size_t length)
{
	struct slice_blob *s = (struct slice_blob *)b;
	return s->parent->ops->lend ? s->parent->ops->lend(s->parent, s->offset + offset, length) : NULL;
}

static void slice_prefetch(struct c4w_blob *b, const struct c4w_range *ranges, size_t count)
{
	struct slice_blob *s = (struct slice_blob *)b;
	size_t i;
	for (i = 0; i < count; i++) {
		struct c4w_range r = { s->offset + ranges[i].offset, ranges[i].length };
		c4w_blob_prefetch(s->parent, &r, 1);
	}
}

static void slice_destroy(struct c4w_blob *b)
{
	c4w_blob_close(((struct slice_blob *)b)->parent);
}

static const struct c4w_blob_ops slice_ops = { slice_read_at, slice_lend, slice_prefetch, slice_destroy };

int c4w_blob_slice(struct c4w_blob *parent, const char *name, uint64_t offset, uint64_t length, struct c4w_blob **out,
		   struct c4w_err *err)
{
	struct slice_blob *s;
	*out = NULL;
	if (!c4w_within(offset, length, parent->size))
		return ends_early(parent, offset, (size_t)length, err);
	s = c4w_blob_alloc(sizeof *s, &slice_ops, name, length);
	if (!s)
		return c4w_fail_memory(err, sizeof *s);
	s->parent = c4w_blob_ref(parent);
	s->offset = offset;
	*out = &s->base;
	return C4W_OK;
}

const struct c4w_blob *c4w_blob_beneath(const struct c4w_blob *b, uint64_t *offset)
{
	for (*offset = 0; b->ops == &slice_ops; b = ((const struct slice_blob *)b)->parent)
		*offset += ((const struct slice_blob *)b)->offset;
	return b;
}
