/* ZIP: each rule broken on purpose, and its nearest legal neighbours (known-bugs 5 and 6). */
#include "containers/zip.h"
#include "tap.h"
#include "zip_make.h"

static const char text[] = "the same words again and again, the same words again and again";
#define T .data = text, .size = sizeof text - 1

/* Opens, checks and reads everything, in memory or through a blob. Returns the first class; rule in *rule. */
static int judge(const struct made *m, bool through_blob, const char **rule)
{
	struct c4w_arena arena = { 0 };
	struct c4w_zip_worker *w = NULL;
	struct c4w_blob *b = NULL;
	struct c4w_err err;
	struct c4w_zip z;
	uint8_t *exact = malloc(m->n ? m->n : 1); /* so that the sanitizer sees a read beyond the end */
	size_t i;
	int rc;
	memcpy(exact, m->p, m->n);
	c4w_err_clear(&err);
	rc = c4w_zip_worker_new(&w, &err);
	if (rc == C4W_OK && through_blob) {
		rc = c4w_blob_memory("x", exact, m->n, false, &b, &err);
		if (rc == C4W_OK)
			rc = c4w_zip_open_blob(b, 0, m->n, &arena, &z, &err);
	} else if (rc == C4W_OK) {
		rc = c4w_zip_open_memory(exact, m->n, &arena, &z, &err);
	}
	if (rc == C4W_OK)
		rc = c4w_zip_check(&z, &err);
	for (i = 0; rc == C4W_OK && i < z.count; i++) {
		const uint8_t *out;
		rc = c4w_zip_read(w, &z, &z.entries[i], true, 1 << 20, &arena, &out, &err);
		if (rc == C4W_OK && z.entries[i].size == sizeof text - 1 && memcmp(out, text, sizeof text - 1) != 0)
			rc = 99;
	}
	*rule = err.rule ? err.rule : "";
	c4w_zip_worker_free(w);
	c4w_blob_close(b);
	c4w_arena_clear(&arena);
	free(exact);
	return rc;
}

static void expect(struct made m, int cls, const char *rule, const char *what)
{
	const char *found;
	int k;
	for (k = 0; k < 2; k++) {
		int rc = judge(&m, k, &found);
		ok(rc == cls && strcmp(found, rule) == 0, "%s%s: class %d rule '%s', want %d '%s'", what, k ? " (blob)" : "", rc, found, cls, rule);
	}
	free(m.p);
}

static void test_legal(void)
{
	struct made_entry stored = { "a", 0, T, 0 }, deflated = { "b", 0, T, 8 }, empty = { .name = "c" }, dir = { .name = "d/" };
	struct made_entry all[4];
	struct made_entry many[300];
	static char names[300][8];
	struct made m;
	size_t i;
	all[0] = stored, all[1] = deflated, all[2] = empty, all[3] = dir;
	expect(make_zip(all, 4, NULL), C4W_OK, "", "plain");
	expect(make_zip(all, 0, NULL), C4W_OK, "", "no entries");
	expect(make_zip(all, 4, &(struct made_end){ .comment = "hello", .comment_n = 5 }), C4W_OK, "", "comment");
	expect(make_zip(all, 4, &(struct made_end){ .comment = "PK\5\6 in a comment of more than 22 bytes", .comment_n = 38 }), C4W_OK, "",
	       "an end record's signature in the comment");
	expect(make_zip(all, 4, &(struct made_end){ .zip64 = true }), C4W_OK, "", "zip64 end record");
	for (i = 0; i < 4; i++)
		all[i].zip64 = true;
	expect(make_zip(all, 4, NULL), C4W_OK, "", "zip64 sizes");
	expect(make_zip(all, 4, &(struct made_end){ .zip64 = true }), C4W_OK, "", "zip64 all over");
	all[0] = deflated, all[1] = empty, all[1].method = 8;
	expect(make_zip(all, 2, NULL), C4W_OK, "", "an empty deflated entry");
	all[0].flags = 6, all[0].local_flags = -4;
	expect(make_zip(all, 1, NULL), C4W_OK, "", "hints on compression differ");
	for (i = 12; i <= 24; i += 4) {
		all[0] = deflated, all[1] = empty, all[2] = stored;
		all[0].flags = all[1].flags = all[2].flags = 8;
		all[0].no_sizes = all[1].no_sizes = all[2].no_sizes = true;
		all[0].descriptor = all[1].descriptor = all[2].descriptor = (unsigned)i;
		expect(make_zip(all, 3, NULL), C4W_OK, "", "descriptors");
		all[0].zip64 = true;
		expect(make_zip(all, 3, NULL), C4W_OK, "", "descriptors and zip64");
	}
	/* something in front */
	all[0] = stored, all[1] = deflated;
	m = make_zip(all, 2, NULL);
	{
		struct made front = { 0 };
		put(&front, "#!/bin/sh\n", 10);
		put(&front, m.p, m.n);
		free(m.p);
		expect(front, C4W_OK, "", "bytes in front of the archive");
	}
	m = make_zip(all, 2, &(struct made_end){ .zip64 = true });
	{
		struct made front = { 0 };
		put(&front, "#!/bin/sh\n", 10);
		put(&front, m.p, m.n);
		free(m.p);
		expect(front, C4W_OK, "", "bytes in front of a zip64 archive");
	}
	for (i = 0; i < 300; i++) {
		memset(&many[i], 0, sizeof many[i]);
		snprintf(names[i], sizeof names[i], "n%zu", i);
		many[i].name = names[i];
	}
	expect(make_zip(many, 300, NULL), C4W_OK, "", "300 entries");
	many[299].name = "n7";
	expect(make_zip(many, 300, NULL), C4W_DAMAGED, "zip.duplicate", "300 entries, one name twice");
}

static void test_broken(void)
{
	static const struct {
		const char *what, *rule;
		struct made_entry e;
	} v[] = {
		{ "other name in the local header", "zip.local-differs", { "abc", 0, T, 0, 0, .local_name = 1 } },
		{ "other method", "zip.local-differs", { "abc", 0, T, 8, 0, .local_method = -8 } },
		{ "other flags", "zip.local-differs", { "abc", 0, T, 0, 0, .local_flags = 0x800 } },
		{ "other CRC", "zip.local-differs", { "abc", 0, T, 0, 0, .local_crc = 1 } },
		{ "other size", "zip.local-differs", { "abc", 0, T, 8, 0, .local_size = 1 } },
		{ "other compressed size", "zip.local-differs", { "abc", 0, T, 8, 0, .local_compressed = 1 } },
		{ "other size in zip64", "zip.local-differs", { "abc", 0, T, 8, 0, .local_size = 1, .zip64 = true } },
		{ "no local header there", "zip.local", { "abc", 0, T, 0, 0, .central_local = 1 } },
		{ "local header behind the directory", "zip.bounds", { "abc", 0, T, 0, 0, .central_local = 1000 } },
		{ "data beyond the archive", "zip.bounds", { "abc", 0, T, 0, 0, .central_compressed = 1000, .central_size = 1000 } },
		{ "data beyond the archive in zip64", "zip.bounds", { "abc", 0, T, 0, 0, .central_compressed = 1L << 40, .zip64 = true } },
		{ "NUL in the name", "zip.name", { "a\0c", 3, T, 0 } },
		{ "marked as UTF-8, and is not", "zip.name", { "a\xff", 0, T, 0, 0x800 } },
		{ "wrong CRC in both", "zip.crc", { "abc", 0, T, 0, 0, .local_crc = 1, .central_crc = 1 } },
		{ "wrong CRC in both, deflated", "zip.crc", { "abc", 0, T, 8, 0, .local_crc = 1, .central_crc = 1 } },
		{ "stored with two sizes", "zip.size", { "abc", 0, T, 0, 0, .local_size = 1, .central_size = 1 } },
		{ "deflated, one byte more claimed", "zip.size", { "abc", 0, T, 8, 0, .local_size = 1, .central_size = 1 } },
		{ "deflated, one byte less claimed", "zip.size", { "abc", 0, T, 8, 0, .local_size = -1, .central_size = -1 } },
		{ "deflated, more claimed than deflate can give", "zip.size", { "abc", 0, T, 8, 0, .local_size = 900000, .central_size = 900000 } },
		{ "bytes behind the deflate stream", "zip.data", { "abc", 0, T, 8, 0, .slack = 3 } },
		{ "descriptor missing", "zip.descriptor", { "abc", 0, T, 8, 8, .no_sizes = true } },
		{ "extra field beyond its length", "zip.extra", { "abc", 0, T, 0, 0, .extra = "\1\0\20\0abc", .extra_n = 7 } },
	};
	size_t i;
	for (i = 0; i < sizeof v / sizeof *v; i++)
		expect(make_zip(&v[i].e, 1, NULL), C4W_DAMAGED, v[i].rule, v[i].what);
}

static void test_unsupported(void)
{
	struct made_entry e = { "abc", 0, T, 0 };
	e.flags = 1;
	expect(make_zip(&e, 1, NULL), C4W_UNSUPPORTED, "", "encrypted");
	e.flags = 0x20;
	expect(make_zip(&e, 1, NULL), C4W_UNSUPPORTED, "", "patch");
	e.flags = 0;
	e.method = 97;
	expect(make_zip(&e, 1, NULL), C4W_UNSUPPORTED, "", "unknown method");
	e.method = 9;
	expect(make_zip(&e, 1, NULL), C4W_UNSUPPORTED, "", "deflate64");
	e.method = 12;
	expect(make_zip(&e, 1, NULL), C4W_DAMAGED, "zip.data", "text that is no bzip2");
	e.method = 14;
	expect(make_zip(&e, 1, NULL), C4W_DAMAGED, "zip.data", "text that is no LZMA");
}

/* What an entry needs of a reader; the byte behind it is the system's. */
static void test_version(void)
{
	static const struct {
		uint8_t needs[2];
		int cls;
	} v[] = { { { 20, 0 }, C4W_OK }, { { 63, 0 }, C4W_OK }, { { 64, 0 }, C4W_UNSUPPORTED }, { { 255, 0 }, C4W_UNSUPPORTED }, { { 20, 3 }, C4W_OK } };
	struct made_entry e = { "abc", 0, T, 8 };
	size_t i;
	for (i = 0; i < sizeof v / sizeof *v; i++) {
		struct made m = make_zip(&e, 1, NULL);
		memcpy(m.p + m.central + 6, v[i].needs, 2);
		expect(m, v[i].cls, "", "a version needed");
	}
}

static void test_end(void)
{
	struct made_entry e[2] = { { "a", 0, T, 0 }, { "b", 0, T, 8 } };
	struct made m;
	expect(make_zip(e, 2, &(struct made_end){ .count = 1 }), C4W_DAMAGED, "zip.count", "one entry more counted");
	expect(make_zip(e, 2, &(struct made_end){ .count = 3000 }), C4W_DAMAGED, "zip.count", "more entries counted than fit");
	expect(make_zip(e, 2, &(struct made_end){ .count = -1 }), C4W_DAMAGED, "zip.count", "one entry fewer counted");
	expect(make_zip(e, 2, &(struct made_end){ .size = 1 }), C4W_DAMAGED, "zip.end", "directory longer");
	expect(make_zip(e, 2, &(struct made_end){ .size = 100000 }), C4W_DAMAGED, "zip.end", "directory larger than all");
	expect(make_zip(e, 2, &(struct made_end){ .offset = 1 }), C4W_DAMAGED, "zip.end", "directory further back");
	expect(make_zip(e, 2, &(struct made_end){ .size = -47 }), C4W_DAMAGED, "zip.end", "two places could be the directory");
	expect(make_zip(e, 2, &(struct made_end){ .zip64 = true, .zip64_count = 1 }), C4W_DAMAGED, "zip.count", "zip64 counts one more");
	expect(make_zip(e, 2, &(struct made_end){ .zip64 = true, .zip64_at = 1000 }), C4W_DAMAGED, "zip.end", "zip64 locator points too far");
	m = make_zip(e, 2, NULL);
	put(&m, "junk", 4);
	expect(m, C4W_DAMAGED, "zip.trailing", "bytes behind the end");
	m = make_zip(e, 2, NULL);
	m.p[m.central + 1] = 'k';
	expect(m, C4W_DAMAGED, "zip.directory", "no signature in the directory");
	m = make_zip(e, 2, NULL);
	m.p[m.central + 28] = 200;
	expect(m, C4W_DAMAGED, "zip.directory", "a name beyond the directory");
	m = make_zip(e, 2, NULL);
	m.n -= 1;
	expect(m, C4W_DAMAGED, "zip.end", "cut");
	m = make_zip(e, 2, NULL);
	m.p[m.n - 18] = 1;
	expect(m, C4W_UNSUPPORTED, "", "several disks");
	m = (struct made){ 0 };
	put(&m, "no archive at all, but long enough to be one", 44);
	expect(m, C4W_DAMAGED, "zip.end", "text");
	m = (struct made){ 0 };
	put(&m, "x", 1);
	expect(m, C4W_DAMAGED, "zip.end", "one byte");
}

/* Two directory entries for one local header; and a quoted overlap: the first entry's data takes in the second's header. */
static void test_overlap(void)
{
	struct made_entry e[3] = { { "abc", 0, T, 0 }, { "abc", 0, T, 0 }, { "xyz", 0, T, 0 } };
	struct c4w_arena arena = { 0 };
	struct c4w_zip_worker *w = NULL;
	const uint8_t *out;
	struct c4w_err err;
	struct c4w_zip z;
	size_t header = 30 + 3;
	struct made m;
	e[1].central_local = -(long)(header + sizeof text - 1);
	m = make_zip(e, 3, NULL);
	is_int(c4w_zip_worker_new(&w, &err), C4W_OK);
	/* listing works, the third can be read, the two cannot */
	is_int(c4w_zip_open_memory(m.p, m.n, &arena, &z, &err), C4W_OK);
	is_int(z.count, 3);
	is_int(c4w_zip_read(w, &z, &z.entries[0], true, 1000, &arena, &out, &err), C4W_DAMAGED);
	is_str(err.rule, "zip.overlap");
	is_int(c4w_zip_read(w, &z, &z.entries[1], true, 1000, &arena, &out, &err), C4W_DAMAGED);
	is_str(err.rule, "zip.overlap");
	is_int(c4w_zip_read(w, &z, &z.entries[2], true, 1000, &arena, &out, &err), C4W_OK);
	free(m.p);
	/* quoted: stored "a" is the bytes of the header and data of "b" */
	{
		struct made_entry q[2] = { { "abc", 0, T, 0 }, { "xyz", 0, T, 0 } };
		struct made inner = make_zip(&q[1], 1, NULL);
		struct made_entry outer[2] = { { .name = "abc", .data = inner.p, .size = inner.central }, { "xyz", 0, T, 0 } };
		outer[1].central_local = -(long)inner.central; /* into the first entry's data */
		m = make_zip(outer, 2, NULL);
		is_int(c4w_zip_open_memory(m.p, m.n, &arena, &z, &err), C4W_OK);
		is_int(c4w_zip_check(&z, &err), C4W_DAMAGED);
		is_str(err.rule, "zip.overlap");
		is_int(c4w_zip_open_memory(m.p, m.n, &arena, &z, &err), C4W_OK);
		is_int(c4w_zip_read(w, &z, &z.entries[1], true, 1000, &arena, &out, &err), C4W_DAMAGED);
		is_str(err.rule, "zip.overlap");
		is_int(c4w_zip_open_memory(m.p, m.n, &arena, &z, &err), C4W_OK);
		is_int(c4w_zip_read(w, &z, &z.entries[0], true, 1000, &arena, &out, &err), C4W_DAMAGED);
		is_str(err.rule, "zip.overlap");
		free(inner.p);
		free(m.p);
	}
	c4w_zip_worker_free(w);
	c4w_arena_clear(&arena);
}

struct seen {
	unsigned n;
	char rules[16][24];
};

static int note(void *ctx, const struct c4w_err *fault)
{
	struct seen *s = ctx;
	if (s->n < 16)
		snprintf(s->rules[s->n++], sizeof s->rules[0], "%s", fault->rule ? fault->rule : "-");
	return C4W_OK;
}

static void test_verify_all(void)
{
	struct made_entry e[5] = { { "a", 0, T, 0, 0, .local_crc = 1, .central_crc = 1 }, { "b", 0, T, 0 }, { "b", 0, T, 8 }, { "c", 0, T, 8, 0, .local_name = 1 },
				   { "e", 0, T, 97 } };
	struct made m = make_zip(e, 5, NULL);
	struct c4w_arena arena = { 0 };
	struct c4w_zip_worker *w = NULL;
	struct c4w_blob *b = NULL;
	struct c4w_err err;
	struct seen seen = { 0 };
	struct c4w_faults faults = { note, &seen, 0 };
	is_int(c4w_zip_worker_new(&w, &err), C4W_OK);
	is_int(c4w_blob_memory("x", m.p, m.n, false, &b, &err), C4W_OK);
	is_int(c4w_zip_verify(w, b, &arena, &faults, &err), C4W_OK);
	is_int(seen.n, 4);
	is_int(faults.count, 4);
	is_str(seen.rules[0], "zip.duplicate");
	is_str(seen.rules[1], "zip.local-differs");
	is_str(seen.rules[2], "zip.crc");
	is_str(seen.rules[3], "-");
	c4w_blob_close(b);
	c4w_zip_worker_free(w);
	c4w_arena_clear(&arena);
	free(m.p);
}

static int collect(void *ctx, const uint8_t *p, size_t n, struct c4w_err *err)
{
	struct made *m = ctx;
	(void)err;
	put(m, p, n);
	return C4W_OK;
}

/* Large entries go piece by piece through zlib; the same bytes come out, and the same faults are found. */
static void test_stream(void)
{
	size_t n = 5000000, i;
	uint8_t *big = malloc(n);
	struct made_entry e[2] = { { .name = "s", .data = big, .size = n }, { .name = "d", .data = big, .size = n, .method = 8 } };
	struct c4w_zip_worker *w = NULL;
	struct c4w_err err;
	struct made m;
	unsigned k;
	for (i = 0; i < n; i++)
		big[i] = (uint8_t)(i * i >> 9);
	is_int(c4w_zip_worker_new(&w, &err), C4W_OK);
	for (k = 0; k < 5; k++) {
		struct c4w_arena arena = { 0 };
		struct c4w_blob *b = NULL;
		struct c4w_zip z;
		e[1].slack = k == 1 ? 5 : 0;
		e[1].local_size = k == 2 ? 1 : k == 3 ? -1 : 0;
		e[1].central_size = e[1].local_size;
		e[1].local_crc = e[1].central_crc = k == 4 ? 1 : 0;
		m = make_zip(e, 2, NULL);
		is_int(c4w_blob_memory("x", m.p, m.n, false, &b, &err), C4W_OK);
		is_int(c4w_zip_open_blob(b, 0, m.n, &arena, &z, &err), C4W_OK);
		for (i = 0; i < 2; i++) {
			struct made out = { 0 };
			static const char *const rules[] = { "", "zip.data", "zip.size", "zip.size", "zip.crc" };
			int rc = c4w_zip_stream(w, &z, &z.entries[i], collect, &out, &err);
			is_int(rc, i == 1 && k ? C4W_DAMAGED : C4W_OK);
			if (rc)
				is_str(err.rule, rules[k]);
			else
				ok(out.n == n && memcmp(out.p, big, n) == 0, "the same bytes");
			free(out.p);
		}
		ok(arena.used < 100000, "constant memory: %zu", arena.used);
		c4w_blob_close(b);
		c4w_arena_clear(&arena);
		free(m.p);
	}
	c4w_zip_worker_free(w);
	free(big);
}

static void test_limit(void)
{
	struct made_entry e = { "a", 0, T, 8 };
	struct made m = make_zip(&e, 1, NULL);
	struct c4w_arena arena = { 0 };
	struct c4w_zip_worker *w = NULL;
	const uint8_t *out;
	struct c4w_err err;
	struct c4w_zip z;
	is_int(c4w_zip_worker_new(&w, &err), C4W_OK);
	is_int(c4w_zip_open_memory(m.p, m.n, &arena, &z, &err), C4W_OK);
	is_int(c4w_zip_read(w, &z, &z.entries[0], true, sizeof text - 2, &arena, &out, &err), C4W_LIMIT);
	ok(out == NULL, "nothing given");
	is_int(c4w_zip_read(w, &z, &z.entries[0], true, sizeof text - 1, &arena, &out, &err), C4W_OK);
	ok(c4w_zip_find(&z, C4W_VIEW("a")) == &z.entries[0] && c4w_zip_find(&z, C4W_VIEW("b")) == NULL, "find");
	c4w_zip_worker_free(w);
	c4w_arena_clear(&arena);
	free(m.p);
}

/* Each byte of a small archive changed in three ways: found, or without effect, never a crash. */
static void test_flips(void)
{
	struct made_entry e[3] = { { "a", 0, T, 8 }, { "b", 0, T, 0, 8, .no_sizes = true, .descriptor = 16 }, { "c", 0, T, 8, 0, .zip64 = true } };
	struct made m = make_zip(e, 3, &(struct made_end){ .zip64 = true });
	static const uint8_t masks[] = { 1, 0x80, 0xFF };
	unsigned found = 0, total = 0;
	const char *rule;
	size_t i, k;
	for (i = 0; i < m.n; i++)
		for (k = 0; k < 3; k++) {
			int rc;
			m.p[i] ^= masks[k];
			rc = judge(&m, i & 1, &rule);
			ok(rc == C4W_OK || rc == C4W_DAMAGED || rc == C4W_UNSUPPORTED || rc == C4W_LIMIT, "byte %zu: class %d", i, rc);
			found += rc != C4W_OK;
			total++;
			m.p[i] ^= masks[k];
		}
	ok(found * 10 > total * 7, "%u of %u changes found (times, versions and attributes may change)", found, total);
	free(m.p);
}

int main(void)
{
	RUN(test_legal);
	RUN(test_broken);
	RUN(test_unsupported);
	RUN(test_version);
	RUN(test_end);
	RUN(test_overlap);
	RUN(test_verify_all);
	RUN(test_stream);
	RUN(test_limit);
	RUN(test_flips);
	return done();
}
