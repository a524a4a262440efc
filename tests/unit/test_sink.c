/* The sink: whole files or none, nothing through links, one writer, nothing left behind. */
#include "storage/sink.h"

#include "base/pool.h"
#include "base/sha256.h"
#include "base/str.h"
#include "tap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct c4w_err err;
static char root[200]; /* a folder of our own; the tests work in it */

static char *at(const char *rel)
{
	static char room[4][600];
	static int i;
	i = (i + 1) % 4;
	snprintf(room[i], sizeof room[i], "%s/%s", root, rel);
	return room[i];
}

static void make_file(const char *rel, const char *text)
{
	FILE *f = fopen(at(rel), "wb");
	if (f) {
		fputs(text, f);
		fclose(f);
	}
}

static const char *content(const char *rel)
{
	static char text[2000];
	FILE *f = fopen(at(rel), "rb");
	size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
	text[n] = 0;
	if (f)
		fclose(f);
	return f ? text : "(absent)";
}

/* Names below a folder, hidden ones too, sorted, joined by blanks. */
static void list_into(const char *path, const char *prefix, char *out, size_t size)
{
	struct dirent **v;
	int n = scandir(path, &v, NULL, alphasort), i;
	for (i = 0; i < n; i++) {
		if (strcmp(v[i]->d_name, ".") != 0 && strcmp(v[i]->d_name, "..") != 0) {
			char full[1400], name[800];
			struct stat st;
			snprintf(full, sizeof full, "%s/%s", path, v[i]->d_name);
			snprintf(name, sizeof name, "%s%s", prefix, v[i]->d_name);
			if (lstat(full, &st) == 0 && S_ISDIR(st.st_mode)) {
				strncat(name, "/", sizeof name - strlen(name) - 1);
				list_into(full, name, out, size);
			}
			snprintf(out + strlen(out), size - strlen(out), "%s ", name);
		}
		free(v[i]);
	}
	if (n >= 0)
		free(v);
}

static const char *listing(const char *rel)
{
	static char out[4000];
	out[0] = 0;
	list_into(at(rel), "", out, sizeof out);
	return out;
}

static void put(struct c4w_sink *s, const char *rel, const char *text)
{
	int r = c4w_sink_put(s, rel, text, strlen(text), 0, false, &err);
	ok(r == C4W_OK, "%s: %s", rel, err.message);
}

static struct c4w_sink *opened(const char *rel, unsigned flags)
{
	struct c4w_sink *s = NULL;
	int r = c4w_sink_open(at(rel), flags, &s, &err);
	ok(r == C4W_OK, "open %s: %s", rel, err.message);
	return s;
}

static void test_files(void)
{
	struct c4w_sink *s = opened("one/two/dest/", 0);
	struct c4w_sink_file *f;
	struct c4w_stat st;
	uint8_t got[32], want[32];
	static char big[300000];
	size_t i;
	ok(c4w_sink_is_new(s), "new");
	put(s, "a.txt", "first");
	put(s, "x/y/z.txt", "deep");
	put(s, "x/y/w.txt", "deep too");
	put(s, "a.txt", "second");
	for (i = 0; i < sizeof big; i++)
		big[i] = (char)(i * 7 >> 3);
	is_int(c4w_sink_create(s, "big", C4W_SINK_UNKNOWN, C4W_SINK_HASH | C4W_SINK_DURABLE, &f, &err), C4W_OK);
	for (i = 0; i < 1000; i++)
		is_int(c4w_sink_write(f, big + i, 1, &err), C4W_OK);
	is_int(c4w_sink_write(f, big + 1000, 200000, &err), C4W_OK);
	is_int(c4w_sink_write(f, big + 201000, sizeof big - 201000, &err), C4W_OK);
	is_int(c4w_sink_written(f), sizeof big);
	is_str(content("one/two/dest/big"), "(absent)");
	is_int(c4w_sink_commit(f, got, &err), C4W_OK);
	c4w_sha256(big, sizeof big, want);
	ok(memcmp(got, want, 32) == 0, "digest");
	is_int(c4w_sink_stat(s, "big", &st, &err), C4W_OK);
	ok(st.kind == C4W_KIND_FILE && st.size == sizeof big, "size %llu", (unsigned long long)st.size);
	is_int(c4w_sink_mkdir(s, "empty/dir", &err), C4W_OK);
	is_int(c4w_sink_mkdir(s, "empty/dir", &err), C4W_OK);
	is_int(c4w_sink_sync(s, &err), C4W_OK);
	c4w_sink_close(s);
	is_str(listing("one/two/dest"), "a.txt big empty/dir/ empty/ x/y/w.txt x/y/z.txt x/y/ x/ ");
	is_str(content("one/two/dest/a.txt"), "second");
	is_str(content("one/two/dest/x/y/z.txt"), "deep");
}

static void test_scattered(void)
{
	struct c4w_sink *s = opened("scattered", 0);
	struct c4w_sink_file *f;
	is_int(c4w_sink_create(s, "f", 10, 0, &f, &err), C4W_OK);
	is_int(c4w_sink_write_at(f, 6, "6789", 4, &err), C4W_OK);
	is_int(c4w_sink_write_at(f, 0, "012345", 6, &err), C4W_OK);
	is_int(c4w_sink_write_at(f, 8, "xyz", 3, &err), C4W_USAGE);
	is_int(c4w_sink_write_at(f, UINT64_MAX, "x", 1, &err), C4W_USAGE);
	is_int(c4w_sink_commit(f, NULL, &err), C4W_OK);
	is_str(content("scattered/f"), "0123456789");
	is_int(c4w_sink_create(s, "g", 3, 0, &f, &err), C4W_OK);
	is_int(c4w_sink_write(f, "ab", 2, &err), C4W_OK);
	is_int(c4w_sink_write(f, "cd", 2, &err), C4W_USAGE);
	is_int(c4w_sink_commit(f, NULL, &err), C4W_USAGE); /* two of three */
	is_int(c4w_sink_create(s, "h", 3, 0, &f, &err), C4W_OK);
	c4w_sink_abort(f);
	c4w_sink_abort(NULL);
	c4w_sink_close(s);
	is_str(listing("scattered"), "f ");
}

static void test_existing(void)
{
	struct c4w_sink *s = opened("existing", 0);
	struct c4w_sink_file *f;
	struct c4w_blob *b;
	struct c4w_stat before, after;
	char text[8] = "";
	put(s, "f", "old");
	is_int(c4w_sink_create(s, "f", C4W_SINK_UNKNOWN, C4W_SINK_NEW, &f, &err), C4W_OK);
	is_int(c4w_sink_commit(f, NULL, &err), C4W_USAGE);
	is_str(content("existing/f"), "old");
	is_int(c4w_sink_stat(s, "f", &before, &err), C4W_OK);
	usleep(20000);
	is_int(c4w_sink_put(s, "f", "old", 3, 0, true, &err), C4W_OK);
	is_int(c4w_sink_stat(s, "f", &after, &err), C4W_OK);
	ok(before.mtime_ns == after.mtime_ns && before.ino == after.ino, "the same content was written again");
	is_int(c4w_sink_put(s, "f", "new", 3, 0, true, &err), C4W_OK);
	is_str(content("existing/f"), "new");
	is_int(c4w_sink_read(s, "f", &b, &err), C4W_OK);
	ok(c4w_blob_read_at(b, 0, 3, text, &err) == C4W_OK && strcmp(text, "new") == 0, "read \"%s\"", text);
	c4w_blob_close(b);
	is_int(c4w_sink_read(s, "nothing/here", &b, &err), C4W_ABSENT);
	is_int(c4w_sink_stat(s, "nothing/here", &after, &err), C4W_OK);
	is_int(after.kind, C4W_KIND_NONE);
	put(s, "d/e", "x");
	is_int(c4w_sink_put(s, "d", "x", 1, 0, false, &err), C4W_USAGE);  /* a directory is there */
	is_int(c4w_sink_put(s, "f/g", "x", 1, 0, false, &err), C4W_USAGE); /* a file is where a directory should be */
	is_int(c4w_sink_remove(s, "d/e", &err), C4W_OK);
	is_int(c4w_sink_remove(s, "d", &err), C4W_OK);
	is_int(c4w_sink_remove(s, "d", &err), C4W_OK);
	put(s, "d/e", "again");
	c4w_sink_close(s);
	is_str(listing("existing"), "d/e d/ f ");
}

static void test_bad_paths(void)
{
	static const char *const bad[] = { "", "/a", "a/../b", "..", ".", "a//b", "a/", "./a", ".c4w-part", ".c4w-part/0" };
	struct c4w_sink *s = opened("bad", 0);
	struct c4w_sink_file *f;
	struct c4w_stat st;
	size_t i;
	for (i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		is_int(c4w_sink_create(s, bad[i], 0, 0, &f, &err), C4W_USAGE);
		is_int(c4w_sink_remove(s, bad[i], &err), C4W_USAGE);
		is_int(c4w_sink_mkdir(s, bad[i], &err), C4W_USAGE);
		is_int(c4w_sink_stat(s, bad[i], &st, &err), C4W_USAGE);
	}
	put(s, ".c4w-partly", "x");
	c4w_sink_close(s);
	is_str(listing("bad"), ".c4w-partly ");
}

/* Links in the destination that lead to a folder beside it: nothing may appear or change there. */
static void test_links(void)
{
	struct c4w_sink *s;
	struct c4w_stat st;
	struct c4w_blob *b;
	mkdir(at("beside"), 0777);
	make_file("beside/precious", "gold");
	mkdir(at("linked"), 0777);
	ok(symlink("../beside", at("linked/dir")) == 0, "symlink");
	ok(symlink("../beside/precious", at("linked/file")) == 0, "symlink");
	ok(symlink("../beside/new", at("linked/dangling")) == 0, "symlink");
	s = opened("linked", 0);
	is_int(c4w_sink_put(s, "dir/evil", "x", 1, 0, false, &err), C4W_USAGE);
	ok(strstr(err.message, "symbolic link") != NULL, "%s", err.message);
	is_int(c4w_sink_put(s, "dir/deep/evil", "x", 1, 0, false, &err), C4W_USAGE);
	is_int(c4w_sink_mkdir(s, "dir/sub", &err), C4W_USAGE);
	is_int(c4w_sink_mkdir(s, "dir", &err), C4W_USAGE);
	is_int(c4w_sink_remove(s, "dir/precious", &err), C4W_USAGE);
	is_int(c4w_sink_stat(s, "dir/precious", &st, &err), C4W_OK);
	ok(st.kind == C4W_KIND_OTHER && st.is_link, "seen through a link");
	is_int(c4w_sink_stat(s, "file", &st, &err), C4W_OK);
	ok(st.kind == C4W_KIND_OTHER && st.is_link, "seen through a link");
	is_int(c4w_sink_read(s, "file", &b, &err), C4W_ABSENT);
	is_int(c4w_sink_read(s, "dir/precious", &b, &err), C4W_ABSENT);
	put(s, "file", "mine");
	put(s, "dangling", "mine too");
	is_int(c4w_sink_remove(s, "dir", &err), C4W_OK); /* the link itself */
	put(s, "dir/fine", "now a directory");
	c4w_sink_close(s);
	is_str(listing("beside"), "precious ");
	is_str(content("beside/precious"), "gold");
	is_str(listing("linked"), "dangling dir/fine dir/ file ");
	/* A link in place of our own folder for temporaries. */
	ok(symlink("../beside", at("linked/.c4w-part")) == 0, "symlink");
	is_int(c4w_sink_open(at("linked"), 0, &s, &err), C4W_IO);
	is_str(listing("beside"), "precious ");
	/* The destination's own name may be a link: it is the user's. */
	unlink(at("linked/.c4w-part"));
	ok(symlink("linked", at("way")) == 0, "symlink");
	s = opened("way", 0);
	put(s, "through", "x");
	c4w_sink_close(s);
	is_str(content("linked/through"), "x");
}

static void test_second_writer(void)
{
	struct c4w_sink *s = opened("busy", 0), *other;
	int status = 0;
	pid_t child;
	is_int(c4w_sink_open(at("busy"), 0, &other, &err), C4W_USAGE);
	ok(strstr(err.message, "another") != NULL && err.hint[0], "%s", err.message);
	fflush(stdout);
	child = fork();
	if (child == 0)
		_exit(c4w_sink_open(at("busy"), 0, &other, &err));
	waitpid(child, &status, 0);
	is_int(WEXITSTATUS(status), C4W_USAGE);
	put(s, "still", "mine");
	c4w_sink_close(s);
	s = opened("busy", 0);
	c4w_sink_close(s);
}

/* A writer that dies leaves temporaries; the next one removes them, and the lock went with the process. */
static void test_killed_writer(void)
{
	struct c4w_sink *s = NULL;
	struct c4w_sink_file *f;
	int status = 0;
	pid_t child;
	fflush(stdout);
	child = fork();
	if (child == 0) {
		if (c4w_sink_open(at("killed"), 0, &s, &err) != C4W_OK || c4w_sink_put(s, "done", "x", 1, 0, false, &err) != C4W_OK ||
		    c4w_sink_create(s, "half", 1000, 0, &f, &err) != C4W_OK || c4w_sink_write(f, "x", 1, &err) != C4W_OK ||
		    c4w_sink_create(s, "other", 1000, 0, &f, &err) != C4W_OK)
			_exit(1);
		_exit(0);
	}
	waitpid(child, &status, 0);
	is_int(WEXITSTATUS(status), 0);
	is_str(listing("killed"), ".c4w-part/1 .c4w-part/l1/2 .c4w-part/l1/ .c4w-part/ done ");
	s = opened("killed", C4W_SINK_EXISTS);
	is_str(listing("killed"), "done ");
	c4w_sink_close(s);
}

/* Files of several directories by several threads, more of them unfinished at a time than there are lanes. */
static void write_many(void *ctx, struct c4w_worker *w, size_t i)
{
	struct c4w_sink_file *f[5];
	char rel[40];
	int k, bad = 0;
	(void)w;
	for (k = 0; k < 5; k++) {
		snprintf(rel, sizeof rel, "d%zu/e/%zu-%d", i % 3, i, k);
		bad += c4w_sink_create(ctx, rel, C4W_SINK_UNKNOWN, 0, &f[k], NULL) != C4W_OK || c4w_sink_write(f[k], rel, strlen(rel), NULL) != C4W_OK;
	}
	for (k = 0; k < 5 && !bad; k++) {
		if (k == 4)
			c4w_sink_abort(f[k]);
		else
			bad += c4w_sink_commit(f[k], NULL, NULL) != C4W_OK;
	}
	if (bad)
		abort();
}

static void test_threads(void)
{
	struct c4w_sink *s = opened("threads", 0);
	struct c4w_pool *pool;
	char rel[60];
	size_t i, wrong = 0;
	int k;
	is_int(c4w_pool_new(8, &pool, &err), C4W_OK);
	c4w_pool_for(pool, 300, write_many, s);
	c4w_pool_free(pool);
	c4w_sink_close(s);
	for (i = 0; i < 300; i++)
		for (k = 0; k < 5; k++) {
			snprintf(rel, sizeof rel, "threads/d%zu/e/%zu-%d", i % 3, i, k);
			wrong += strcmp(content(rel), k == 4 ? "(absent)" : rel + 8) != 0;
		}
	is_int(wrong, 0);
	ok(access(at("threads/.c4w-part"), F_OK) != 0, "its directory for unfinished files stays");
}

static void test_opening(void)
{
	struct c4w_sink *s;
	bool over;
	uint64_t space = 0;
	is_int(c4w_sink_open(at("not/there"), C4W_SINK_EXISTS, &s, &err), C4W_ABSENT);
	make_file("plain", "x");
	is_int(c4w_sink_open(at("plain"), 0, &s, &err), C4W_USAGE);
	is_int(c4w_sink_open(at("plain/below"), 0, &s, &err), C4W_USAGE);
	s = opened("brief/new", C4W_SINK_EMPTY); /* nothing written: it goes away again */
	is_int(c4w_sink_space(s, &space, &err), C4W_OK);
	ok(space > 0, "no space at all");
	c4w_sink_close(s);
	ok(access(at("brief"), F_OK) != 0, "an unused destination stays");
	mkdir(at("full"), 0777);
	make_file("full/x", "x");
	is_int(c4w_sink_open(at("full"), C4W_SINK_EMPTY, &s, &err), C4W_USAGE);
	s = opened("full", 0);
	ok(!c4w_sink_is_new(s), "not new");
	mkdir(at("full/sub"), 0777);
	mkdir(at("other"), 0777);
	is_int(c4w_sink_overlaps(s, at("full"), &over, &err), C4W_OK);
	ok(over, "itself");
	is_int(c4w_sink_overlaps(s, at("full/sub"), &over, &err), C4W_OK);
	ok(over, "inside");
	is_int(c4w_sink_overlaps(s, root, &over, &err), C4W_OK);
	ok(over, "around");
	is_int(c4w_sink_overlaps(s, at("other"), &over, &err), C4W_OK);
	ok(!over, "beside");
	is_int(c4w_sink_overlaps(s, at("full/x"), &over, &err), C4W_OK);
	ok(over, "a file inside");
	make_file("beside", "x");
	is_int(c4w_sink_overlaps(s, at("beside"), &over, &err), C4W_OK);
	ok(!over, "a file beside");
	is_int(c4w_sink_overlaps(s, at("gone"), &over, &err), C4W_ABSENT);
	c4w_sink_close(s);
	c4w_sink_close(NULL);
}

static void test_copy(void)
{
	static char big[700000];
	struct c4w_sink *s = opened("copy", 0);
	struct c4w_sink_file *f;
	struct c4w_blob *file, *slice, *memory, *back;
	char *again = malloc(sizeof big);
	unsigned flags;
	size_t i;
	for (i = 0; i < sizeof big; i++)
		big[i] = (char)(i * 13 >> 4);
	is_int(c4w_sink_put(s, "source", big, sizeof big, 0, false, &err), C4W_OK);
	is_int(c4w_blob_file(at("copy/source"), &file, &err), C4W_OK);
	is_int(c4w_blob_slice(file, "slice", 1000, 600000, &slice, &err), C4W_OK);
	is_int(c4w_blob_memory("memory", big, sizeof big, false, &memory, &err), C4W_OK);
	for (flags = 0; flags <= C4W_SINK_HASH; flags += C4W_SINK_HASH) {
		uint8_t got[32] = { 0 }, want[32];
		struct c4w_sha256 sha;
		is_int(c4w_sink_create(s, "copy", C4W_SINK_UNKNOWN, flags, &f, &err), C4W_OK);
		is_int(c4w_sink_write(f, "head", 4, &err), C4W_OK);
		is_int(c4w_sink_copy(f, slice, 500, 590000, &err), C4W_OK);
		is_int(c4w_sink_write(f, "middle", 6, &err), C4W_OK);
		is_int(c4w_sink_copy(f, memory, 7, 600000, &err), C4W_OK);
		is_int(c4w_sink_copy(f, slice, 10, 20, &err), C4W_OK);
		is_int(c4w_sink_copy(f, slice, 0, 0, &err), C4W_OK);
		is_int(c4w_sink_copy(f, slice, 599999, 2, &err), C4W_IO);
		is_int(c4w_sink_written(f), 4 + 590000 + 6 + 600000 + 20);
		is_int(c4w_sink_commit(f, got, &err), C4W_OK);
		is_int(c4w_sink_read(s, "copy", &back, &err), C4W_OK);
		is_int(c4w_blob_size(back), 4 + 590000 + 6 + 600000 + 20);
		ok(c4w_blob_read_at(back, 4, 590000, again, &err) == C4W_OK && memcmp(again, big + 1500, 590000) == 0, "slice");
		ok(c4w_blob_read_at(back, 590010, 600000, again, &err) == C4W_OK && memcmp(again, big + 7, 600000) == 0, "memory");
		ok(c4w_blob_read_at(back, 1190010, 20, again, &err) == C4W_OK && memcmp(again, big + 1010, 20) == 0, "tail");
		c4w_blob_close(back);
		c4w_sha256_init(&sha);
		c4w_sha256_update(&sha, "head", 4);
		c4w_sha256_update(&sha, big + 1500, 590000);
		c4w_sha256_update(&sha, "middle", 6);
		c4w_sha256_update(&sha, big + 7, 600000);
		c4w_sha256_update(&sha, big + 1010, 20);
		c4w_sha256_final(&sha, want);
		ok(!flags || memcmp(got, want, 32) == 0, "digest");
	}
	c4w_blob_close(slice);
	c4w_blob_close(file);
	c4w_blob_close(memory);
	c4w_sink_close(s);
	free(again);
}

static void test_full_disk(void)
{
	static char big[3 << 20];
	struct c4w_sink *s;
	struct c4w_sink_file *f;
	int r;
	mkdir(at("small"), 0777);
	if (mount("none", at("small"), "tmpfs", 0, "size=1m") != 0) {
		ok(true, "no tmpfs");
		printf("# SKIP test_full_disk: no tmpfs can be mounted: needs root\n");
		return;
	}
	s = opened("small", 0);
	put(s, "kept", "good");
	r = c4w_sink_create(s, "reserved", sizeof big, 0, &f, &err);
	is_int(r, C4W_IO);
	ok(err.sys_errno == ENOSPC && err.hint[0], "%s", err.message);
	is_int(c4w_sink_create(s, "kept", C4W_SINK_UNKNOWN, C4W_SINK_HASH, &f, &err), C4W_OK);
	is_int(c4w_sink_write(f, big, sizeof big, &err), C4W_IO);
	is_int(err.sys_errno, ENOSPC);
	c4w_sink_abort(f);
	is_str(content("small/kept"), "good");
	c4w_sink_close(s);
	is_str(listing("small"), "kept ");
	ok(umount(at("small")) == 0, "umount");
}

static void test_outfile(void)
{
	struct c4w_outfile *f;
	struct c4w_stat st;
	struct stat mode;
	mkdir(at("out"), 0777);
	is_int(c4w_outfile_open(at("out/a"), &f, &err), C4W_OK);
	is_int(c4w_outfile_write(f, "hello ", 6, &err), C4W_OK);
	is_int(c4w_outfile_write(f, "world", 5, &err), C4W_OK);
	c4w_outfile_replaces(f, &st);
	is_int(st.kind, C4W_KIND_NONE);
	is_str(content("out/a"), "(absent)");
	is_int(c4w_outfile_commit(f, &err), C4W_OK);
	is_str(content("out/a"), "hello world");
	chmod(at("out/a"), 0640);
	is_int(c4w_outfile_open(at("out/a"), &f, &err), C4W_OK);
	c4w_outfile_replaces(f, &st);
	ok(st.kind == C4W_KIND_FILE && st.size == 11, "replaces");
	is_int(c4w_outfile_write(f, "half", 4, &err), C4W_OK);
	c4w_outfile_abort(f);
	c4w_outfile_abort(NULL);
	is_str(content("out/a"), "hello world");
	is_int(c4w_outfile_open(at("out/a"), &f, &err), C4W_OK);
	is_int(c4w_outfile_commit(f, &err), C4W_OK);
	ok(stat(at("out/a"), &mode) == 0 && (mode.st_mode & 0777) == 0640 && mode.st_size == 0, "mode kept");
	is_str(listing("out"), "a ");
	is_int(c4w_outfile_open(at("out/a"), &f, &err), C4W_OK);
	is_int(c4w_outfile_reserve(f, 10, &err), C4W_OK);
	is_int(c4w_outfile_write(f, "half", 4, &err), C4W_OK);
	is_int(c4w_outfile_commit(f, &err), C4W_USAGE); /* zeros would stand for the rest */
	ok(stat(at("out/a"), &mode) == 0 && mode.st_size == 0, "as before");
	is_str(listing("out"), "a ");
	is_int(c4w_outfile_open(at("out"), &f, &err), C4W_USAGE);
	is_int(c4w_outfile_open(at("out/"), &f, &err), C4W_USAGE);
	is_int(c4w_outfile_open(at("nowhere/x"), &f, &err), C4W_IO);
	is_int(c4w_outfile_open("/dev/null", &f, &err), C4W_OK);
	is_int(c4w_outfile_write(f, "x", 1, &err), C4W_OK);
	is_int(c4w_outfile_commit(f, &err), C4W_OK);
	if (access("/dev/full", W_OK) == 0) {
		is_int(c4w_outfile_open("/dev/full", &f, &err), C4W_OK);
		is_int(c4w_outfile_write(f, "x", 1, &err), C4W_OK); /* gathered */
		is_int(c4w_outfile_commit(f, &err), C4W_IO);
		is_int(err.sys_errno, ENOSPC);
	}
	ok(symlink("a", at("out/link")) == 0, "symlink");
	is_int(c4w_outfile_open(at("out/link"), &f, &err), C4W_OK);
	is_int(c4w_outfile_write(f, "own", 3, &err), C4W_OK);
	is_int(c4w_outfile_commit(f, &err), C4W_OK);
	is_str(content("out/link"), "own");
	is_str(content("out/a"), "");
}

int main(void)
{
	const char *tmp = getenv("TMPDIR");
	char clean[300];
	int r;
	snprintf(root, sizeof root, "%.150s/c4w-test-sink-XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(root)) {
		perror(root);
		return 2;
	}
	RUN(test_files);
	RUN(test_scattered);
	RUN(test_existing);
	RUN(test_bad_paths);
	RUN(test_links);
	RUN(test_second_writer);
	RUN(test_killed_writer);
	RUN(test_threads);
	RUN(test_opening);
	RUN(test_copy);
	RUN(test_full_disk);
	RUN(test_outfile);
	snprintf(clean, sizeof clean, "rm -rf '%s'", root);
	r = system(clean);
	return done() | (r != 0);
}
