/* The memory store: files in memory, and faults on demand. For tests of everything above storage. */
#include "storage/store_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mem_file {
	char *name;
	uint8_t *p;
	size_t n;
};

struct mem_store {
	struct c4w_store base;
	struct mem_file *files; /* sorted by name */
	size_t n, cap;
	struct c4w_memstore_faults faults;
	_Atomic int64_t calls;
	_Atomic uint64_t bytes;
};

struct mem_blob {
	struct c4w_blob base;
	struct c4w_store *store;
	const uint8_t *p;
};

static size_t lower_bound(const struct mem_store *m, const char *name)
{
	size_t lo = 0, hi = m->n;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (strcmp(m->files[mid].name, name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct mem_file *find(const struct mem_store *m, const char *name)
{
	size_t i = lower_bound(m, name);
	return i < m->n && strcmp(m->files[i].name, name) == 0 ? &m->files[i] : NULL;
}

static int64_t count_call(struct mem_store *m)
{
	return atomic_fetch_add(&m->calls, 1) + 1;
}

static int mem_read_at(struct c4w_blob *b, uint64_t offset, size_t length, void *buf, struct c4w_err *err)
{
	struct mem_blob *mb = (struct mem_blob *)b;
	struct mem_store *m = (struct mem_store *)mb->store;
	int64_t call = count_call(m);
	int cls = C4W_OK;
	if (call == m->faults.fail_nth)
		cls = c4w_fail_errno(err, EIO, "can't read at byte %llu", (unsigned long long)offset);
	else if (call == m->faults.cut_nth)
		cls = c4w_fail(err, C4W_IO, "ends early: cut at byte %llu while it was read, it had %llu",
			       (unsigned long long)offset, (unsigned long long)b->size);
	if (cls != C4W_OK) {
		c4w_err_path(err, b->name);
		return cls;
	}
	atomic_fetch_add(&m->bytes, length);
	memcpy(buf, mb->p + offset, length);
	return C4W_OK;
}

static void mem_blob_destroy(struct c4w_blob *b)
{
	c4w_store_close(((struct mem_blob *)b)->store);
}

/* No lending: the point of this store is to see every read. */
static const struct c4w_blob_ops mem_blob_ops = { mem_read_at, NULL, NULL, mem_blob_destroy };

static int mem_open(struct c4w_store *s, const char *rel, struct c4w_blob **out, struct c4w_err *err)
{
	struct mem_store *m = (struct mem_store *)s;
	struct mem_file *f = find(m, rel);
	struct mem_blob *b;
	int cls;
	if (count_call(m) == m->faults.fail_nth)
		cls = c4w_fail_errno(err, EIO, "can't open");
	else if (!f || (m->faults.lose && strcmp(m->faults.lose, rel) == 0))
		cls = c4w_fail_errno(err, ENOENT, "can't open");
	else {
		b = c4w_blob_alloc(sizeof *b, &mem_blob_ops, rel, f->n);
		if (!b)
			return c4w_fail_memory(err, sizeof *b);
		b->store = c4w_store_ref(s);
		b->p = f->p;
		*out = &b->base;
		return C4W_OK;
	}
	c4w_err_path(err, rel);
	return cls;
}

static bool is_parent(const char *dir, size_t n, const char *name)
{
	return n == 0 || (strncmp(name, dir, n) == 0 && name[n] == '/');
}

static int mem_stat(struct c4w_store *s, const char *rel, struct c4w_stat *out, struct c4w_err *err)
{
	struct mem_store *m = (struct mem_store *)s;
	struct mem_file *f = find(m, rel);
	size_t n = strlen(rel), i;
	(void)err;
	if (f) {
		out->kind = C4W_KIND_FILE;
		out->size = f->n;
		return C4W_OK;
	}
	if (n == 0)
		out->kind = C4W_KIND_DIR;
	for (i = 0; i < m->n && n; i++)
		if (is_parent(rel, n, m->files[i].name))
			out->kind = C4W_KIND_DIR;
	return C4W_OK;
}

static int mem_list(struct c4w_store *s, const char *rel, bool look, struct c4w_arena *arena, struct c4w_dirent **out, size_t *count,
		    struct c4w_err *err)
{
	struct mem_store *m = (struct mem_store *)s;
	size_t n = strlen(rel), skip = n ? n + 1 : 0, i, k = 0;
	struct c4w_dirent *v;
	void *p;
	(void)look;
	C4W_TRY(c4w_arena_zero(arena, m->n ? m->n : 1, sizeof *v, &p, err));
	v = p;
	for (i = 0; i < m->n; i++) {
		const char *name = m->files[i].name, *rest, *slash;
		size_t len;
		if (!is_parent(rel, n, name))
			continue;
		rest = name + skip;
		slash = strchr(rest, '/');
		len = slash ? (size_t)(slash - rest) : strlen(rest);
		if (k && strlen(v[k - 1].name) == len && strncmp(v[k - 1].name, rest, len) == 0)
			continue;
		v[k].name = c4w_arena_text(arena, rest, len);
		if (!v[k].name)
			return c4w_fail_memory(err, len);
		v[k].st.kind = slash ? C4W_KIND_DIR : C4W_KIND_FILE;
		v[k].st.size = slash ? 0 : m->files[i].n;
		k++;
	}
	if (k == 0 && n) {
		c4w_fail_errno(err, ENOENT, "can't list");
		c4w_err_path(err, rel);
		return C4W_ABSENT;
	}
	c4w_dirents_sort(v, k);
	*out = v;
	*count = k;
	return C4W_OK;
}

static void mem_destroy(struct c4w_store *s)
{
	struct mem_store *m = (struct mem_store *)s;
	size_t i;
	for (i = 0; i < m->n; i++) {
		free(m->files[i].name);
		free(m->files[i].p);
	}
	free(m->files);
}

static const struct c4w_store_ops mem_ops = { mem_open, mem_stat, mem_list, mem_destroy };

int c4w_memstore_new(struct c4w_store **out, struct c4w_err *err)
{
	struct mem_store *m = c4w_store_alloc(sizeof *m, &mem_ops, "memory");
	*out = NULL;
	if (!m)
		return c4w_fail_memory(err, sizeof *m);
	*out = &m->base;
	return C4W_OK;
}

int c4w_memstore_put(struct c4w_store *s, const char *rel, const void *p, size_t n, struct c4w_err *err)
{
	struct mem_store *m = (struct mem_store *)s;
	size_t i = lower_bound(m, rel);
	uint8_t *copy = malloc(n ? n : 1);
	if (!copy)
		return c4w_fail_memory(err, n);
	if (n)
		memcpy(copy, p, n);
	if (i < m->n && strcmp(m->files[i].name, rel) == 0) {
		free(m->files[i].p);
	} else {
		char *name = strdup(rel);
		if (name && m->n == m->cap) {
			struct mem_file *more = realloc(m->files, (m->cap ? m->cap * 2 : 64) * sizeof *more);
			if (more) {
				m->files = more;
				m->cap = m->cap ? m->cap * 2 : 64;
			}
		}
		if (!name || m->n == m->cap) {
			free(name);
			free(copy);
			return c4w_fail_memory(err, n);
		}
		memmove(m->files + i + 1, m->files + i, (m->n - i) * sizeof *m->files);
		m->files[i].name = name;
		m->n++;
	}
	m->files[i].p = copy;
	m->files[i].n = n;
	return C4W_OK;
}

int c4w_memstore_load(struct c4w_store *mem, struct c4w_store *from, const char *rel, struct c4w_err *err)
{
	struct c4w_arena arena = { 0 };
	struct c4w_dirent *v;
	size_t n, i;
	int cls = c4w_store_list(from, rel, &arena, &v, &n, err);
	for (i = 0; cls == C4W_OK && i < n; i++) {
		size_t len = strlen(rel) + strlen(v[i].name) + 2;
		char *path = malloc(len);
		if (!path) {
			cls = c4w_fail_memory(err, len);
			break;
		}
		snprintf(path, len, "%s%s%s", rel, *rel ? "/" : "", v[i].name);
		if (v[i].st.kind == C4W_KIND_DIR) {
			cls = c4w_memstore_load(mem, from, path, err);
		} else if (v[i].st.kind == C4W_KIND_FILE) {
			struct c4w_blob *b = NULL;
			const uint8_t *p;
			struct c4w_arena file = { 0 };
			cls = c4w_store_open(from, path, &b, err);
			if (cls == C4W_OK)
				cls = c4w_blob_view(b, 0, (size_t)c4w_blob_size(b), &file, &p, err);
			if (cls == C4W_OK)
				cls = c4w_memstore_put(mem, path, p, (size_t)c4w_blob_size(b), err);
			c4w_blob_close(b);
			c4w_arena_clear(&file);
		}
		free(path);
	}
	c4w_arena_clear(&arena);
	return cls;
}

void c4w_memstore_faults(struct c4w_store *s, const struct c4w_memstore_faults *f)
{
	struct mem_store *m = (struct mem_store *)s;
	m->faults = f ? *f : (struct c4w_memstore_faults){ 0 };
	atomic_store(&m->calls, 0);
	atomic_store(&m->bytes, 0);
}

void c4w_memstore_counts(struct c4w_store *s, uint64_t *calls, uint64_t *bytes)
{
	struct mem_store *m = (struct mem_store *)s;
	*calls = (uint64_t)atomic_load(&m->calls);
	*bytes = atomic_load(&m->bytes);
}
