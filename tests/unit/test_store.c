/* Stores and blobs: paths, reads beyond the end, slices, listing, and the memory store's faults. */
#include "storage/store.h"
#include "tap.h"

#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/c4w-test-store-XXXXXX";

static void put(const char *name, const char *text)
{
	char path[256];
	FILE *f;
	snprintf(path, sizeof path, "%s/%s", dir, name);
	f = fopen(path, "wb");
	if (f) {
		fputs(text, f);
		fclose(f);
	}
}

static void test_paths(void)
{
	static const char *const good[] = { "a", "a/b", "...", "a b", "-x", "a\\b" };
	static const char *const bad[] = { "", "/", "/a", "a/", "a//b", ".", "..", "a/..", "a/../b", "./a" };
	size_t i;
	for (i = 0; i < sizeof good / sizeof *good; i++)
		ok(c4w_path_is_plain(good[i], strlen(good[i])), "'%s' is plain", good[i]);
	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		ok(!c4w_path_is_plain(bad[i], strlen(bad[i])), "'%s' is not", bad[i]);
	ok(!c4w_path_is_plain("a\0b", 3), "NUL");
}

static void test_dir(void)
{
	struct c4w_store *s;
	struct c4w_blob *b, *slice;
	struct c4w_err e;
	struct c4w_stat st;
	struct c4w_dirent *v, *kinds;
	struct c4w_arena a = { 0 };
	const uint8_t *p;
	size_t n, i;
	char buf[16], path[256];
	put("hello", "hello world");
	put("zz", "");
	snprintf(path, sizeof path, "%s/sub", dir);
	mkdir(path, 0755);
	snprintf(path, sizeof path, "%s/link", dir);
	ok(symlink("hello", path) == 0, "symlink");
	snprintf(path, sizeof path, "%s/dangling", dir);
	ok(symlink("nowhere", path) == 0, "symlink");
	snprintf(path, sizeof path, "%s/fifo", dir);
	ok(mkfifo(path, 0600) == 0, "mkfifo");
	is_int(c4w_store_open_dir(dir, &s, &e), C4W_OK);
	is_int(c4w_store_open(s, "link", &b, &e), C4W_OK);
	is_int(c4w_blob_size(b), 11);
	is_int(c4w_blob_read_at(b, 6, 5, buf, &e), C4W_OK);
	ok(memcmp(buf, "world", 5) == 0, "reads in the middle");
	is_int(c4w_blob_read_at(b, 6, 6, buf, &e), C4W_IO);
	ok(strstr(e.message, "ends early") != NULL, "%s", e.message);
	is_int(c4w_blob_read_at(b, UINT64_MAX, 2, buf, &e), C4W_IO);
	is_int(c4w_blob_view(b, 0, 5, &a, &p, &e), C4W_OK);
	ok(memcmp(p, "hello", 5) == 0, "views");
	is_int(c4w_blob_slice(b, "part", 6, 5, &slice, &e), C4W_OK);
	c4w_blob_close(b); /* the slice keeps it */
	is_int(c4w_blob_read_at(slice, 1, 4, buf, &e), C4W_OK);
	ok(memcmp(buf, "orld", 4) == 0, "a slice has its own offsets");
	is_int(c4w_blob_read_at(slice, 1, 5, buf, &e), C4W_IO);
	c4w_blob_close(slice);
	is_int(c4w_store_open(s, "nothing", &b, &e), C4W_ABSENT);
	is_str(e.path, "nothing");
	is_int(c4w_store_open(s, "hello/x", &b, &e), C4W_ABSENT);
	is_int(c4w_store_open(s, "../x", &b, &e), C4W_USAGE);
	is_int(c4w_store_open(s, "sub", &b, &e), C4W_USAGE);
	is_int(c4w_store_open(s, "fifo", &b, &e), C4W_USAGE);
	is_int(c4w_store_stat(s, "dangling", &st, &e), C4W_OK);
	is_int(st.kind, C4W_KIND_NONE);
	ok(st.is_link, "a dangling link is seen");
	is_int(c4w_store_stat(s, "", &st, &e), C4W_OK);
	is_int(st.kind, C4W_KIND_DIR);
	is_int(c4w_store_list(s, "", &a, &v, &n, &e), C4W_OK);
	is_int(n, 6);
	is_str(v[0].name, "dangling");
	is_str(v[5].name, "zz");
	is_int(c4w_store_kinds(s, "", &a, &kinds, &n, &e), C4W_OK);
	is_int(n, 6);
	for (i = 0; i < n; i++) {
		is_str(kinds[i].name, v[i].name);
		is_int(kinds[i].st.kind, v[i].st.kind);
		is_int(kinds[i].st.is_link, v[i].st.is_link);
	}
	is_int(c4w_store_list(s, "hello", &a, &v, &n, &e), C4W_ABSENT);
	c4w_store_close(s);
	c4w_arena_clear(&a);
}

static void test_memory(void)
{
	struct c4w_store *s, *from;
	struct c4w_blob *b;
	struct c4w_err e;
	struct c4w_stat st;
	struct c4w_dirent *v;
	struct c4w_arena a = { 0 };
	struct c4w_memstore_faults faults = { 0 };
	uint64_t calls, bytes;
	size_t n;
	char buf[8];
	is_int(c4w_memstore_new(&s, &e), C4W_OK);
	is_int(c4w_memstore_put(s, "d/b", "22", 2, &e), C4W_OK);
	is_int(c4w_memstore_put(s, "d/a", "1", 1, &e), C4W_OK);
	is_int(c4w_memstore_put(s, "top", "", 0, &e), C4W_OK);
	is_int(c4w_memstore_put(s, "d/b", "333", 3, &e), C4W_OK);
	is_int(c4w_store_list(s, "", &a, &v, &n, &e), C4W_OK);
	is_int(n, 2);
	is_str(v[0].name, "d");
	is_int(v[0].st.kind, C4W_KIND_DIR);
	is_int(c4w_store_stat(s, "d/b", &st, &e), C4W_OK);
	is_int(st.size, 3);
	faults.fail_nth = 2;
	c4w_memstore_faults(s, &faults);
	is_int(c4w_store_open(s, "d/b", &b, &e), C4W_OK);
	is_int(c4w_blob_read_at(b, 0, 3, buf, &e), C4W_IO);
	is_int(e.sys_errno, 5);
	is_int(c4w_blob_read_at(b, 0, 3, buf, &e), C4W_OK);
	c4w_memstore_counts(s, &calls, &bytes);
	is_int(calls, 3);
	is_int(bytes, 3);
	faults = (struct c4w_memstore_faults){ .cut_nth = 1 };
	c4w_memstore_faults(s, &faults);
	is_int(c4w_blob_read_at(b, 0, 3, buf, &e), C4W_IO);
	ok(strstr(e.message, "cut at byte") != NULL, "%s", e.message);
	c4w_blob_close(b);
	faults = (struct c4w_memstore_faults){ .lose = "d/a" };
	c4w_memstore_faults(s, &faults);
	is_int(c4w_store_open(s, "d/a", &b, &e), C4W_ABSENT);
	c4w_store_close(s);
	is_int(c4w_store_open_dir(dir, &from, &e), C4W_OK);
	is_int(c4w_memstore_new(&s, &e), C4W_OK);
	is_int(c4w_memstore_load(s, from, "", &e), C4W_OK);
	is_int(c4w_store_stat(s, "hello", &st, &e), C4W_OK);
	is_int(st.size, 11);
	c4w_store_close(from);
	c4w_store_close(s);
	c4w_arena_clear(&a);
}

int main(void)
{
	static const char *const names[] = { "hello", "zz", "link", "dangling", "fifo" };
	char path[256];
	size_t i;
	if (!mkdtemp(dir))
		return 1;
	RUN(test_paths);
	RUN(test_dir);
	RUN(test_memory);
	for (i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s/%s", dir, names[i]);
		unlink(path);
	}
	snprintf(path, sizeof path, "%s/sub", dir);
	rmdir(path);
	rmdir(dir);
	return done();
}
