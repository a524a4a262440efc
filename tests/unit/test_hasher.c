/* The scheduler of hashing: digests, order and errors for any number of threads; files that change or can't be read; full lanes; cancelling. */
#include "model/hashing.h"

#include "base/sha256.h"
#include "storage/store_impl.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 400 };

/* ---- a store of files that repeat a byte pattern, which fails or raises a flag on demand ---- */

struct pattern_store {
	struct c4w_store base;
	_Atomic int opened, reads;
	int fail_open, fail_read; /* the n-th, from 1; 0: never */
	atomic_int *cancel;       /* raised at read `cancel_at` */
	int cancel_at;
	atomic_int *gate;         /* files can't be opened before it is raised; NULL: at any time */
};

struct pattern_blob {
	struct c4w_blob base;
	struct pattern_store *store;
};

static uint8_t pattern(const char *name, uint64_t at)
{
	return (uint8_t)((unsigned char)name[0] + at * 7 + at / 251);
}

static int pattern_read(struct c4w_blob *b, uint64_t offset, size_t length, void *buf, struct c4w_err *err)
{
	struct pattern_store *s = ((struct pattern_blob *)b)->store;
	int n = atomic_fetch_add(&s->reads, 1) + 1;
	size_t i;
	if (n == s->fail_read)
		return c4w_fail(err, C4W_IO, "read %d fails", n);
	if (s->cancel && n == s->cancel_at)
		atomic_store(s->cancel, 1);
	for (i = 0; i < length; i++)
		((uint8_t *)buf)[i] = pattern(b->name, offset + i);
	return C4W_OK;
}

static void pattern_close(struct c4w_blob *b)
{
	(void)b;
}

static const struct c4w_blob_ops pattern_blob_ops = { pattern_read, NULL, NULL, pattern_close };

/* Names are "<letter><size>". */
static int pattern_open(struct c4w_store *s, const char *rel, struct c4w_blob **out, struct c4w_err *err)
{
	struct pattern_store *p = (struct pattern_store *)s;
	int n = atomic_fetch_add(&p->opened, 1) + 1;
	struct pattern_blob *b;
	if (n == p->fail_open)
		return c4w_fail(err, C4W_IO, "open %d fails", n);
	while (p->gate && !atomic_load(p->gate))
		usleep(100);
	b = c4w_blob_alloc(sizeof *b, &pattern_blob_ops, rel, strtoull(rel + 1, NULL, 10));
	if (!b)
		return c4w_fail_memory(err, sizeof *b);
	b->store = p;
	*out = &b->base;
	return C4W_OK;
}

static void pattern_destroy(struct c4w_store *s)
{
	(void)s;
}

static const struct c4w_store_ops pattern_ops = { pattern_open, NULL, NULL, pattern_destroy };

static struct pattern_store *pattern_new(void)
{
	return c4w_store_alloc(sizeof(struct pattern_store), &pattern_ops, "pattern");
}

static void pattern_digest(const char *name, uint64_t size, uint8_t digest[32])
{
	uint8_t *p = malloc(size + 1);
	uint64_t i;
	for (i = 0; i < size; i++)
		p[i] = pattern(name, i);
	c4w_sha256(p, size, digest);
	free(p);
}

/* ---- a list of files ---- */

struct list {
	struct c4w_store *store;
	char name[MOST][300];
	bool own[MOST]; /* a name of the user's own, not the store's */
	size_t n, at;
	size_t fail_at; /* the source fails before this one; 0: never */
	/* what was delivered */
	size_t delivered, bad_order;
	int cls[MOST];
	char why[MOST][512];
	uint64_t bytes[MOST], size[MOST];
	uint8_t digest[MOST][32];
};

static void add(struct list *l, char letter, uint64_t size)
{
	snprintf(l->name[l->n++], sizeof *l->name, "%c%" PRIu64, letter, size);
}

static int next(void *ctx, struct c4w_hash_file *f, bool *end, struct c4w_err *err)
{
	struct list *l = ctx;
	if (l->fail_at && l->at == l->fail_at)
		return c4w_fail(err, C4W_IO, "the list ends in an error");
	*end = l->at == l->n;
	if (*end)
		return C4W_OK;
	f->path = strdup(l->name[l->at]);
	f->store = l->own[l->at] ? NULL : l->store;
	f->user = l->name[l->at++];
	return f->path ? C4W_OK : c4w_fail_memory(err, 1);
}

static void keep(struct list *l, const struct c4w_hash_file *f)
{
	size_t i = l->delivered++;
	l->bad_order += f->user != l->name[i];
	l->cls[i] = f->cls;
	l->bytes[i] = f->bytes;
	l->size[i] = f->size;
	memcpy(l->digest[i], f->digest, 32);
	if (f->err)
		snprintf(l->why[i], sizeof l->why[i], "%s", f->err->message);
}

static bool deliver(void *ctx, struct c4w_item *item, struct c4w_result *result)
{
	const struct c4w_hash_batch *b = item->data;
	uint64_t bytes = 0;
	size_t i;
	for (i = 0; i < b->n; i++) {
		keep(ctx, b->file[i]);
		bytes += b->file[i]->bytes;
	}
	ok(bytes == result->bytes && b->n > 0, "%zu files", b->n);
	return true;
}

static int drive(struct list *l, unsigned jobs, const atomic_int *cancel, struct c4w_err *err)
{
	struct c4w_hash_source source = { .ctx = l, .next = next };
	struct c4w_drive_opts o = { .jobs = jobs, .cancel = cancel, .deliver = deliver, .ctx = l };
	struct c4w_job job;
	int cls;
	c4w_err_clear(err);
	l->at = l->delivered = l->bad_order = 0;
	is_int(c4w_hash_job(&source, &job, err), C4W_OK);
	cls = c4w_drive(&job, &o, err);
	c4w_job_destroy(&job);
	return cls;
}

static void right(const struct list *l, size_t i)
{
	uint64_t size = strtoull(l->name[i] + 1, NULL, 10);
	uint8_t want[32];
	pattern_digest(l->name[i], size, want);
	ok(l->cls[i] == C4W_OK && l->bytes[i] == size && memcmp(l->digest[i], want, 32) == 0, "%s: class %d, %" PRIu64 " bytes", l->name[i], l->cls[i],
	   l->bytes[i]);
}

/* ---- tests ---- */

static void test_none(void)
{
	struct list *l = calloc(1, sizeof *l);
	struct c4w_err e;
	unsigned jobs;
	for (jobs = 1; jobs <= 4; jobs++) {
		is_int(drive(l, jobs, NULL, &e), C4W_OK);
		is_int(l->delivered, 0);
	}
	free(l);
}

static void test_one(void)
{
	static const uint64_t sizes[] = { 0, 1, 55, 56, 63, 64, 65, 127, 128, C4W_HASH_BLOCK - 1, C4W_HASH_BLOCK, C4W_HASH_BLOCK + 1, 256 * 1024 - 1,
					  256 * 1024, 256 * 1024 + 1, 3000000 };
	struct list *l = calloc(1, sizeof *l);
	struct c4w_err e;
	unsigned jobs;
	size_t i;
	l->store = (struct c4w_store *)pattern_new();
	for (jobs = 1; jobs <= 4; jobs += 3) /* one thread; more threads than files */
		for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
			l->n = 0;
			add(l, 'a', sizes[i]);
			is_int(drive(l, jobs, NULL, &e), C4W_OK);
			is_int(l->delivered, 1);
			right(l, 0);
		}
	c4w_store_close(l->store);
	free(l);
}

/* Many sizes: more files than may be open, small beside large, large ones first, last and between. */
static void test_many(void)
{
	struct list *l = calloc(1, sizeof *l);
	uint64_t seed = 1;
	struct c4w_err e;
	unsigned jobs;
	size_t i, n;
	l->store = (struct c4w_store *)pattern_new();
	for (n = 2; n <= MOST; n = n * 3 + 1) {
		l->n = 0;
		for (i = 0; i < n; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			add(l, (char)('a' + i % 26), (seed >> 33) % (i % 40 == n % 7 ? 3000000 : i % 5 ? 2000 : 200000));
		}
		for (jobs = 1; jobs <= 16; jobs = jobs * 2 + (jobs == 1)) {
			is_int(drive(l, jobs, NULL, &e), C4W_OK);
			is_int(l->delivered, n);
			is_int(l->bad_order, 0);
			for (i = 0; i < n && jobs < 12; i++)
				right(l, i);
		}
	}
	c4w_store_close(l->store);
	free(l);
}

/* Files that can't be opened or read are told one by one; the others are right. */
static void test_unreadable(void)
{
	struct pattern_store *s = pattern_new();
	struct list *l = calloc(1, sizeof *l);
	struct c4w_err e;
	unsigned jobs;
	size_t i;
	l->store = &s->base;
	for (i = 0; i < 50; i++)
		add(l, (char)('a' + i % 26), i * 5000);
	for (jobs = 1; jobs <= 4; jobs++) {
		size_t failed = 0;
		atomic_store(&s->opened, 0);
		atomic_store(&s->reads, 0);
		s->fail_open = 20;
		s->fail_read = 30;
		is_int(drive(l, jobs, NULL, &e), C4W_OK);
		is_int(l->delivered, 50);
		is_int(l->bad_order, 0);
		for (i = 0; i < 50; i++) {
			if (l->cls[i] == C4W_OK)
				right(l, i);
			else if (++failed)
				ok(l->cls[i] == C4W_IO && (strcmp(l->why[i], "open 20 fails") == 0 || strcmp(l->why[i], "read 30 fails") == 0), "%s", l->why[i]);
		}
		is_int(failed, 2);
	}
	free(l);
	c4w_store_close(&s->base);
}

static void write_file(const char *path, char c, size_t n, int flags)
{
	char *p = malloc(n);
	int fd = open(path, O_WRONLY | O_CREAT | flags, 0600);
	memset(p, c, n);
	ok(fd >= 0 && write(fd, p, n) == (ssize_t)n && close(fd) == 0, "%s", path);
	free(p);
}

/* Names of the user's own: files, nothing, a directory, a device; each error is its own file's. */
static void test_own_names(void)
{
	char dir[256];
	struct list *l = calloc(1, sizeof *l);
	uint8_t want[32];
	struct c4w_err e;
	unsigned jobs;
	snprintf(dir, sizeof dir, "%s/hasher-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	ok(mkdtemp(dir) != NULL, "%s", dir);
	snprintf(l->name[0], sizeof l->name[0], "%s/a", dir);
	snprintf(l->name[1], sizeof l->name[1], "%s/nothing", dir);
	snprintf(l->name[2], sizeof l->name[2], "%s", dir);
	snprintf(l->name[3], sizeof l->name[3], "/dev/null");
	snprintf(l->name[4], sizeof l->name[4], "%s/a", dir);
	l->n = 5;
	memset(l->own, true, sizeof l->own);
	write_file(l->name[0], 'x', 3, O_EXCL);
	for (jobs = 1; jobs <= 4; jobs++) {
		is_int(drive(l, jobs, NULL, &e), C4W_OK);
		is_int(l->delivered, 5);
		c4w_sha256("xxx", 3, want);
		ok(l->cls[0] == C4W_OK && memcmp(l->digest[0], want, 32) == 0, "a file");
		is_int(l->cls[1], C4W_ABSENT);
		is_int(l->cls[2], C4W_USAGE);
		c4w_sha256("", 0, want);
		ok(l->cls[3] == C4W_OK && memcmp(l->digest[3], want, 32) == 0 && l->size[3] == 0, "a device");
		ok(l->cls[4] == C4W_OK && memcmp(l->digest[4], l->digest[0], 32) == 0, "a file twice");
	}
	unlink(l->name[0]);
	rmdir(dir);
	free(l);
}

/* ---- files that change ---- */

/* A store over a directory that does something to file "a" after a file called "change" was opened. */
struct changing_store {
	struct c4w_store base;
	struct c4w_store *dir;
	const char *path;
	void (*change)(const char *path);
};

static int changing_open(struct c4w_store *s, const char *rel, struct c4w_blob **out, struct c4w_err *err)
{
	struct changing_store *c = (struct changing_store *)s;
	int cls = c4w_store_open(c->dir, rel, out, err);
	if (strcmp(rel, "change") == 0)
		c->change(c->path);
	return cls;
}

static void changing_destroy(struct c4w_store *s)
{
	c4w_store_close(((struct changing_store *)s)->dir);
}

static const struct c4w_store_ops changing_ops = { changing_open, NULL, NULL, changing_destroy };

static void cut(const char *path)
{
	ok(truncate(path, 100000) == 0, "truncate");
}

static void grow(const char *path)
{
	write_file(path, 'b', 50000, O_APPEND);
}

static void vanish(const char *path)
{
	ok(unlink(path) == 0, "unlink");
}

/* `change` is made when "a", 200,000 bytes, has been opened and nothing of it been read. */
static void changing(void (*change)(const char *), bool own, struct list *l)
{
	char dir[256], path[300], other[300];
	struct changing_store *s = c4w_store_alloc(sizeof *s, &changing_ops, "changing");
	struct c4w_err e;
	snprintf(dir, sizeof dir, "%s/hasher-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	ok(mkdtemp(dir) != NULL, "%s", dir);
	snprintf(path, sizeof path, "%s/a", dir);
	snprintf(other, sizeof other, "%s/change", dir);
	write_file(path, 'a', 200000, O_EXCL);
	write_file(other, 'c', 1, O_EXCL);
	is_int(c4w_store_open_dir(dir, &s->dir, &e), C4W_OK);
	s->path = path;
	s->change = change;
	*l = (struct list){ .store = &s->base, .n = 2, .own = { own } };
	strcpy(l->name[0], own ? path : "a");
	strcpy(l->name[1], "change");
	is_int(drive(l, 1, NULL, &e), C4W_OK);
	is_int(l->delivered, 2);
	is_int(l->cls[1], C4W_OK);
	c4w_store_close(&s->base);
	unlink(path);
	unlink(other);
	rmdir(dir);
}

static void is_digest_of(const struct list *l, size_t a, size_t b)
{
	uint8_t *p = malloc(a + b), want[32];
	memset(p, 'a', a);
	memset(p + a, 'b', b);
	c4w_sha256(p, a + b, want);
	ok(l->cls[0] == C4W_OK && l->bytes[0] == a + b && memcmp(l->digest[0], want, 32) == 0, "class %d, %" PRIu64 " bytes", l->cls[0], l->bytes[0]);
	free(p);
}

static void test_changing(void)
{
	struct list *l = calloc(1, sizeof *l);
	changing(cut, false, l); /* a file of a store has the size that it was opened with */
	is_int(l->cls[0], C4W_IO);
	is_str(l->why[0], "ends early: cut at byte 100000 while it was read, it had 200000");
	changing(grow, false, l);
	is_digest_of(l, 200000, 0);
	changing(vanish, false, l);
	is_digest_of(l, 200000, 0);
	changing(cut, true, l); /* one by the user's own name is what is read until its end */
	is_digest_of(l, 100000, 0);
	changing(grow, true, l);
	is_digest_of(l, 200000, 50000);
	free(l);
}

/* A file of another size than expected is not read. */
static int next_sized(void *ctx, struct c4w_hash_file *f, bool *end, struct c4w_err *err)
{
	int cls = next(ctx, f, end, err);
	f->sized = true;
	f->expected = 1000;
	return cls;
}

static void test_sized(void)
{
	struct list *l = calloc(1, sizeof *l);
	struct c4w_hash_source source = { .ctx = l, .next = next_sized };
	struct c4w_hash_blocks *blocks = malloc(sizeof *blocks);
	struct pattern_store *s = pattern_new();
	struct c4w_hash_file *f[4];
	struct c4w_hasher *h;
	struct c4w_err e;
	size_t n;
	l->store = &s->base;
	add(l, 'a', 999);
	add(l, 'b', 1000);
	add(l, 'c', 1001);
	is_int(c4w_hasher_new(&source, &h, &e), C4W_OK);
	for (;;) {
		is_int(c4w_hasher_next(h, f, 1, &n, &e), C4W_OK);
		if (n == 0)
			break;
		c4w_hasher_wait(h, f[0], blocks, NULL);
		keep(l, f[0]);
		c4w_hasher_release(h, f[0]);
	}
	c4w_hasher_free(h);
	is_int(l->delivered, 3);
	is_int(l->bytes[0], 0);
	is_int(l->size[0], 999);
	right(l, 1);
	is_int(l->bytes[2], 0);
	is_int(l->size[2], 1001);
	is_int(l->cls[2], C4W_OK);
	is_int(atomic_load(&s->reads), 1);
	c4w_store_close(&s->base);
	free(blocks);
	free(l);
}

/* ---- the end of the list ---- */

/* Files are named, never waited for, and released: by a run that was stopped. */
static void test_left_alone(void)
{
	struct list *l = calloc(1, sizeof *l);
	struct c4w_hash_source source = { .ctx = l, .next = next };
	struct pattern_store *s = pattern_new();
	struct c4w_hash_blocks *blocks = malloc(sizeof *blocks);
	struct c4w_hash_file *f[3];
	struct c4w_hasher *h;
	struct c4w_err e;
	size_t i, n;
	l->store = &s->base;
	for (i = 0; i < 100; i++)
		add(l, 'a', 1000000);
	is_int(c4w_hasher_new(&source, &h, &e), C4W_OK);
	for (i = 0; i < 3; i++)
		is_int(c4w_hasher_next(h, &f[i], 1, &n, &e), C4W_OK);
	c4w_hasher_wait(h, f[1], blocks, NULL);
	is_int(f[1]->bytes, 1000000);
	is_int(f[1]->cls, C4W_OK);
	for (i = 0; i < 3; i++)
		c4w_hasher_release(h, f[i]);
	ok(l->at < 100, "%zu of 100 files were pulled for one", l->at);
	ok(atomic_load(&s->opened) <= C4W_HASH_AHEAD + 3, "%d opened", atomic_load(&s->opened));
	c4w_hasher_free(h);
	c4w_store_close(&s->base);
	free(blocks);
	free(l);
}

static void test_source_fails(void)
{
	struct list *l = calloc(1, sizeof *l);
	struct c4w_err e;
	unsigned jobs;
	size_t i;
	l->store = (struct c4w_store *)pattern_new();
	for (i = 0; i < 60; i++)
		add(l, 'a', i * 100);
	l->fail_at = 40;
	for (jobs = 1; jobs <= 4; jobs++) {
		is_int(drive(l, jobs, NULL, &e), C4W_IO);
		is_str(e.message, "the list ends in an error");
		is_int(l->delivered, 40);
		for (i = 0; i < 40; i++)
			right(l, i);
	}
	c4w_store_close(l->store);
	free(l);
}

/* The flag is raised in the midst of a read: all threads come back, and what was delivered before is right. */
static void test_cancel(void)
{
	struct pattern_store *s = pattern_new();
	struct list *l = calloc(1, sizeof *l);
	atomic_int cancel;
	struct c4w_err e;
	unsigned jobs;
	size_t i;
	l->store = &s->base;
	s->cancel = &cancel;
	for (i = 0; i < 60; i++)
		add(l, 'a', 300000);
	for (jobs = 1; jobs <= 8; jobs *= 2)
		for (s->cancel_at = 1; s->cancel_at < 300; s->cancel_at = s->cancel_at * 2 + 1) {
			atomic_store(&cancel, 0);
			atomic_store(&s->reads, 0);
			is_int(drive(l, jobs, &cancel, &e), C4W_CANCELLED);
			ok(l->delivered < 60, "%zu delivered", l->delivered);
			ok(atomic_load(&s->reads) <= s->cancel_at + 3 * (int)jobs, "%d reads, raised at %d", atomic_load(&s->reads), s->cancel_at);
			for (i = 0; i < l->delivered && jobs == 2; i++)
				right(l, i);
		}
	free(l);
	c4w_store_close(&s->base);
}

static void test_cancelled_file(void)
{
	struct list *l = calloc(1, sizeof *l);
	struct c4w_hash_source source = { .ctx = l, .next = next };
	struct c4w_hash_blocks *blocks = malloc(sizeof *blocks);
	struct c4w_hash_file *f;
	atomic_int cancel = 1;
	struct c4w_hasher *h;
	struct c4w_err e;
	size_t n;
	l->store = (struct c4w_store *)pattern_new();
	add(l, 'a', 10);
	is_int(c4w_hasher_new(&source, &h, &e), C4W_OK);
	is_int(c4w_hasher_next(h, &f, 1, &n, &e), C4W_OK);
	c4w_hasher_wait(h, f, blocks, &cancel);
	is_int(f->cls, C4W_CANCELLED);
	ok(f->err && f->err->cls == C4W_CANCELLED, "the error says so too");
	c4w_hasher_release(h, f);
	c4w_hasher_free(h);
	c4w_store_close(l->store);
	free(blocks);
	free(l);
}

/* ---- a file that nobody waits for ---- */

struct release {
	struct c4w_hasher *h;
	struct c4w_hash_file *wanted, *unwanted;
	atomic_bool released;
};

static void *hash_wanted(void *p)
{
	struct release *r = p;
	struct c4w_hash_blocks *blocks = malloc(sizeof *blocks);
	c4w_hasher_wait(r->h, r->wanted, blocks, NULL);
	free(blocks);
	return NULL;
}

static void *release_unwanted(void *p)
{
	struct release *r = p;
	c4w_hasher_release(r->h, r->unwanted);
	atomic_store(&r->released, true);
	return NULL;
}

/* It may be in another thread's hands. */
static void test_release_unwanted(void)
{
	struct pattern_store *s = pattern_new();
	struct list *l = calloc(1, sizeof *l);
	struct c4w_hash_source source = { .ctx = l, .next = next };
	struct release r = { .released = false };
	atomic_int gate = 0;
	pthread_t hashing, releasing;
	struct c4w_err e;
	size_t n;
	s->gate = &gate;
	l->store = &s->base;
	add(l, 'a', 1000);
	add(l, 'b', 2000);
	is_int(c4w_hasher_new(&source, &r.h, &e), C4W_OK);
	is_int(c4w_hasher_next(r.h, &r.wanted, 1, &n, &e), C4W_OK);
	is_int(c4w_hasher_next(r.h, &r.unwanted, 1, &n, &e), C4W_OK);
	is_int(pthread_create(&hashing, NULL, hash_wanted, &r), 0);
	while (!atomic_load(&s->opened)) /* both are taken then */
		usleep(100);
	is_int(pthread_create(&releasing, NULL, release_unwanted, &r), 0);
	usleep(20000);
	ok(!atomic_load(&r.released), "the file is gone while it is opened");
	atomic_store(&gate, 1);
	pthread_join(releasing, NULL);
	pthread_join(hashing, NULL);
	is_int(r.wanted->bytes, 1000);
	c4w_hasher_release(r.h, r.wanted);
	c4w_hasher_free(r.h);
	c4w_store_close(l->store);
	free(l);
}

/* ---- descriptors ---- */

/* With room for `spare` more descriptors, all files are read; with none, each says why not. */
static void test_descriptors(void)
{
	char dir[256];
	struct list *l = calloc(1, sizeof *l);
	struct rlimit before, few;
	struct c4w_err e;
	unsigned jobs;
	int spare, lowest;
	size_t i;
	snprintf(dir, sizeof dir, "%s/hasher-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
	ok(mkdtemp(dir) != NULL, "%s", dir);
	memset(l->own, true, sizeof l->own);
	for (; l->n < 40; l->n++) {
		snprintf(l->name[l->n], sizeof l->name[l->n], "%s/%zu", dir, l->n);
		write_file(l->name[l->n], 'a', 100 + l->n, O_EXCL);
	}
	lowest = dup(0);
	close(lowest);
	is_int(getrlimit(RLIMIT_NOFILE, &before), 0);
	for (jobs = 1; jobs <= 3; jobs++)
		for (spare = 0; spare < 8; spare++) {
			size_t fine = 0;
			few = before;
			few.rlim_cur = (rlim_t)(lowest + spare);
			is_int(setrlimit(RLIMIT_NOFILE, &few), 0);
			is_int(drive(l, jobs, NULL, &e), C4W_OK);
			is_int(setrlimit(RLIMIT_NOFILE, &before), 0);
			is_int(l->delivered, 40);
			for (i = 0; i < 40; i++) {
				fine += l->cls[i] == C4W_OK && l->bytes[i] == 100 + i;
				ok(l->cls[i] == C4W_OK || (spare == 0 && strstr(l->why[i], strerror(EMFILE))), "%s", l->why[i]);
			}
			is_int(fine, spare ? 40 : 0);
		}
	for (i = 0; i < l->n; i++)
		unlink(l->name[i]);
	rmdir(dir);
	free(l);
}

/* ---- lanes ---- */

static void wait_for(void *ctx, struct c4w_worker *w, size_t i)
{
	struct c4w_hash_file **f = ((void **)ctx)[0];
	c4w_hasher_wait(((void **)ctx)[1], f[i], w->user, NULL);
}

/* Hash files of these sizes; the share of the bytes that were hashed alone, by two and by three. */
static void lanes(const uint64_t *sizes, size_t n, unsigned threads, double share[C4W_HASH_LANES])
{
	struct list *l = calloc(1, sizeof *l);
	struct c4w_hash_source source = { .ctx = l, .next = next };
	struct c4w_hash_file *f[C4W_HASH_AHEAD];
	uint64_t bytes[C4W_HASH_LANES], sum = 0;
	struct c4w_pool *pool;
	struct c4w_hasher *h;
	void *ctx[2] = { f };
	struct c4w_err e;
	size_t i, one;
	l->store = (struct c4w_store *)pattern_new();
	for (i = 0; i < n; i++)
		add(l, 'a', sizes[i]);
	is_int(c4w_hasher_new(&source, &h, &e), C4W_OK);
	ctx[1] = h;
	for (i = 0; i < n; i++)
		is_int(c4w_hasher_next(h, &f[i], 1, &one, &e), C4W_OK);
	is_int(c4w_pool_new(threads, &pool, &e), C4W_OK);
	for (i = 0; i < threads; i++)
		c4w_pool_worker(pool, (unsigned)i)->user = malloc(sizeof(struct c4w_hash_blocks));
	c4w_pool_for(pool, n, wait_for, ctx);
	c4w_hasher_lanes(h, bytes);
	for (i = 0; i < n; i++) {
		is_int(f[i]->bytes, sizes[i]);
		sum += sizes[i];
		c4w_hasher_release(h, f[i]);
	}
	is_int(bytes[0] + bytes[1] + bytes[2], sum);
	for (i = 0; i < C4W_HASH_LANES; i++)
		share[i] = (double)bytes[i] / (double)sum;
	for (i = 0; i < threads; i++)
		free(c4w_pool_worker(pool, (unsigned)i)->user);
	c4w_pool_free(pool);
	c4w_hasher_free(h);
	c4w_store_close(l->store);
	free(l);
}

/* However the sizes lie, three files are hashed at a time, until nearly all is done. With several threads chance has a part in it. */
static void test_lanes(void)
{
	static const uint64_t last_large[] = { 1000, 2000, 300000, 200000, 1700000, 1700000, 1300000, 7600000, 8900000, 9400000, 10200000 };
	static const uint64_t first_large[] = { 10200000, 9400000, 8900000, 7600000, 1700000, 1700000, 1300000, 300000, 200000, 1000 };
	static const uint64_t equal[] = { 6000000, 6000000, 6000000, 6000000 };
	static const uint64_t two[] = { 6000000, 6000000 };
	static const uint64_t one[] = { 20000000, 1000000, 1000000, 1000000 };
	double share[C4W_HASH_LANES];
	unsigned threads;
	lanes(last_large, 11, 1, share);
	ok(share[2] > 0.93, "large files last: %.2f alone, %.2f by two", share[0], share[1]);
	lanes(first_large, 10, 1, share);
	ok(share[2] > 0.93, "large files first: %.2f alone, %.2f by two", share[0], share[1]);
	lanes(equal, 4, 1, share);
	ok(share[2] > 0.93, "equal files: %.2f alone, %.2f by two", share[0], share[1]);
	lanes(two, 2, 1, share);
	ok(share[1] > 0.93, "two files: %.2f alone, %.2f by two", share[0], share[1]);
	lanes(one, 4, 1, share); /* the large one decides the end, and is faster alone */
	ok(share[0] > 0.6, "one large file: %.2f alone, %.2f by two", share[0], share[1]);
	for (threads = 2; threads <= 8; threads++)
		lanes(last_large, 11, threads, share);
}

int main(void)
{
	RUN(test_none);
	RUN(test_one);
	RUN(test_many);
	RUN(test_unreadable);
	RUN(test_own_names);
	RUN(test_changing);
	RUN(test_sized);
	RUN(test_left_alone);
	RUN(test_source_fails);
	RUN(test_cancel);
	RUN(test_cancelled_file);
	RUN(test_release_unwanted);
	RUN(test_descriptors);
	RUN(test_lanes);
	return done();
}
