/* TAR: fields, long names and their precedence, sizes beyond octal, sparse files, ends (known-bugs 9, 10, 11). */
#include "containers/tar.h"
#include "tap.h"

struct made {
	uint8_t p[64 * 1024];
	size_t n;
};

static void seal(uint8_t *h, bool with_sign)
{
	long sum = 0;
	size_t i;
	memset(h + 148, ' ', 8);
	for (i = 0; i < 512; i++)
		sum += with_sign ? (int8_t)h[i] : h[i];
	{
		char digits[32];
		snprintf(digits, sizeof digits, "%06lo", (unsigned long)sum & 0777777);
		memcpy(h + 148, digits, 7);
	}
}

/* A header; magic "ustar" or as given. Returns it for changes (seal again). */
static uint8_t *head(struct made *m, const char *name, char type, size_t size)
{
	uint8_t *h = m->p + m->n;
	memset(h, 0, 512);
	memcpy(h, name, strnlen(name, 100));
	memcpy(h + 100, "0000644", 8);
	memcpy(h + 108, "0000000", 8);
	memcpy(h + 116, "0000000", 8);
	{
		char digits[32];
		snprintf(digits, sizeof digits, "%011zo", size & 077777777777);
		memcpy(h + 124, digits, 12);
	}
	memcpy(h + 136, "00000000000", 12);
	h[156] = (uint8_t)type;
	memcpy(h + 257, "ustar\0" "00", 8);
	seal(h, false);
	m->n += 512;
	return h;
}

static void body(struct made *m, const char *text, size_t n)
{
	memset(m->p + m->n, 0, (n + 511) / 512 * 512);
	memcpy(m->p + m->n, text, n);
	m->n += (n + 511) / 512 * 512;
}

static void end(struct made *m)
{
	memset(m->p + m->n, 0, 1024);
	m->n += 1024;
}

/* A pax or GNU extra header with its data. */
static void extra(struct made *m, char type, const char *data, size_t n)
{
	head(m, "extra", type, n);
	body(m, data, n);
}

static size_t record(char *out, const char *key, const char *value)
{
	size_t n = strlen(key) + strlen(value) + 3, total = n + 1;
	for (;;) {
		char digits[16];
		size_t want = n + (size_t)snprintf(digits, sizeof digits, "%zu", total);
		if (want == total)
			break;
		total = want;
	}
	return (size_t)sprintf(out, "%zu %s=%s\n", total, key, value);
}

struct opened {
	struct c4w_arena arena;
	struct c4w_blob *blob;
	struct c4w_tar tar;
	struct c4w_tar_member *v;
	size_t n;
	struct c4w_err err;
	uint8_t *exact;
};

static int open_list(struct opened *o, const struct made *m)
{
	int rc;
	memset(o, 0, sizeof *o);
	o->exact = malloc(m->n ? m->n : 1);
	memcpy(o->exact, m->p, m->n);
	rc = c4w_blob_memory("x", o->exact, m->n, false, &o->blob, &o->err);
	if (rc == C4W_OK)
		rc = c4w_tar_open(o->blob, 0, m->n, &o->arena, &o->tar, &o->err);
	if (rc == C4W_OK)
		rc = c4w_tar_list(&o->tar, &o->v, &o->n, &o->err);
	return rc;
}

static void shut(struct opened *o)
{
	c4w_blob_close(o->blob);
	c4w_arena_clear(&o->arena);
	free(o->exact);
}

static void expect(const struct made *m, int cls, const char *rule, const char *what)
{
	struct opened o;
	int rc = open_list(&o, m);
	ok(rc == cls && (rc != C4W_DAMAGED || strcmp(o.err.rule, rule) == 0), "%s: class %d rule %s (%s), want %d %s", what, rc,
	   rc == C4W_DAMAGED ? o.err.rule : "-", o.err.message, cls, rule);
	shut(&o);
}

static void is_view(struct c4w_view v, const char *want)
{
	ok(c4w_view_eqz(v, want), "got %.*s, want %s", (int)v.n, v.p, want);
}

static void test_plain(void)
{
	static struct made m;
	struct opened o;
	char got[5];
	m.n = 0;
	head(&m, "dir/", '5', 0);
	head(&m, "dir/a", '0', 5);
	body(&m, "hello", 5);
	head(&m, "link", '2', 0);
	memcpy(m.p + m.n - 512 + 157, "dir/a", 5);
	seal(m.p + m.n - 512, false);
	head(&m, "old", 0, 3);
	body(&m, "old", 3);
	head(&m, "olddir/", 0, 0);
	head(&m, "odd", 'Z', 4);
	body(&m, "odd!", 4);
	end(&m);
	is_int(open_list(&o, &m), C4W_OK);
	is_int(o.n, 6);
	if (o.n == 6) {
		is_int(o.v[0].type, '5');
		is_view(o.v[1].path, "dir/a");
		is_int(o.v[1].data, 1024);
		is_int(o.v[1].size, 5);
		is_int(o.v[1].mode, 0644);
		is_int(o.v[1].format, C4W_TAR_USTAR);
		is_int(c4w_tar_read(&o.tar, &o.v[1], 0, 5, got, &o.err), C4W_OK);
		ok(memcmp(got, "hello", 5) == 0, "data");
		is_int(c4w_tar_read(&o.tar, &o.v[1], 3, 3, got, &o.err), C4W_USAGE);
		is_int(o.v[2].type, '2');
		is_view(o.v[2].link, "dir/a");
		is_int(o.v[3].type, '0');
		is_int(o.v[4].type, '5');
		is_int(o.v[5].type, 'Z');
		is_int(o.v[5].stored, 4);
	}
	shut(&o);
}

static void test_numbers(void)
{
	static const struct {
		const char *field; /* 12 bytes */
		int cls;
		const char *rule;
		uint64_t size;
	} v[] = {
		{ "00000000005\0", C4W_OK, "", 5 },
		{ "00000000005 ", C4W_OK, "", 5 },
		{ "          5 ", C4W_OK, "", 5 },
		{ "000000000005", C4W_OK, "", 5 },
		{ "\0\0\0\0\0\0\0\0\0\0\0\0", C4W_OK, "", 0 },
		{ "\x80\0\0\0\0\0\0\0\0\0\0\5", C4W_OK, "", 5 },
		{ "\x80\0\0\0\0\0\0\2\0\0\0\0", C4W_DAMAGED, "tar.cut", 0 },
		{ "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", C4W_DAMAGED, "tar.size", 0 },
		{ "\x80\0\0\1\0\0\0\0\0\0\0\0", C4W_DAMAGED, "tar.number", 0 },
		{ "\x80\0\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", C4W_DAMAGED, "tar.number", 0 },
		{ "00000000008\0", C4W_DAMAGED, "tar.number", 0 },
		{ "-0000000005\0", C4W_DAMAGED, "tar.number", 0 },
		{ "77777777777\0", C4W_DAMAGED, "tar.cut", 0 },
	};
	static struct made m;
	size_t i;
	for (i = 0; i < sizeof v / sizeof *v; i++) {
		struct opened o;
		int rc;
		m.n = 0;
		head(&m, "a", '0', 5);
		memcpy(m.p + 124, v[i].field, 12);
		seal(m.p, false);
		if (v[i].size)
			body(&m, "hello", 5);
		end(&m);
		rc = open_list(&o, &m);
		ok(rc == v[i].cls && (rc == C4W_OK || strcmp(o.err.rule, v[i].rule) == 0), "row %zu: class %d rule %s", i, rc, rc ? o.err.rule : "");
		if (rc == C4W_OK && o.n)
			is_int(o.v[0].size, v[i].size);
		shut(&o);
	}
}

static void test_checksums(void)
{
	static struct made m;
	m.n = 0;
	head(&m, "caf\xe9", '0', 0);
	end(&m);
	expect(&m, C4W_OK, "", "unsigned sum");
	seal(m.p, true);
	expect(&m, C4W_OK, "", "signed sum");
	m.p[0] ^= 1;
	expect(&m, C4W_DAMAGED, "tar.magic", "wrong sum in the first header");
	m.n = 0;
	head(&m, "a", '0', 0);
	head(&m, "b", '0', 0);
	end(&m);
	m.p[512] ^= 1;
	expect(&m, C4W_DAMAGED, "tar.checksum", "wrong sum in the second");
}

static void test_names(void)
{
	static struct made m;
	static char longer[6000];
	char name[300], rec[8000];
	struct opened o;
	size_t n;
	m.n = 0;
	/* 100 bytes without a NUL; prefix and name of 155 + 100 */
	memset(name, 'n', 100);
	name[100] = 0;
	head(&m, name, '0', 0);
	head(&m, name, '0', 0);
	memset(m.p + m.n - 512 + 345, 'p', 155);
	seal(m.p + m.n - 512, false);
	/* GNU: no prefix there, whatever these bytes say */
	head(&m, "gnu", '0', 0);
	memcpy(m.p + m.n - 512 + 257, "ustar  ", 8);
	memset(m.p + m.n - 512 + 345, '1', 11);
	seal(m.p + m.n - 512, false);
	/* L in front of a v7 header */
	memset(longer, 'L', 5000);
	extra(&m, 'L', longer, 5001);
	head(&m, "cut", 0, 0);
	memset(m.p + m.n - 512 + 257, 0, 8);
	seal(m.p + m.n - 512, false);
	/* a global pax path, overridden by a local one, then not; a local one beats L */
	n = record(rec, "path", "from global");
	extra(&m, 'g', rec, n);
	n = record(rec, "path", "from local");
	extra(&m, 'L', longer, 5001);
	extra(&m, 'x', rec, n);
	head(&m, "cut", '0', 0);
	head(&m, "cut", '0', 0);
	end(&m);
	is_int(open_list(&o, &m), C4W_OK);
	is_int(o.n, 6);
	if (o.n == 6) {
		is_int(o.v[0].path.n, 100);
		is_int(o.v[1].path.n, 256);
		ok(o.v[1].path.p[155] == '/', "prefix / name");
		is_view(o.v[2].path, "gnu");
		is_int(o.v[3].path.n, 5000);
		is_view(o.v[4].path, "from local");
		is_int(o.v[4].format, C4W_TAR_PAX);
		is_view(o.v[5].path, "from global");
	}
	shut(&o);
	/* long link names by GNU and by pax */
	m.n = 0;
	extra(&m, 'K', longer, 5001);
	head(&m, "a", '2', 0);
	n = record(rec, "linkpath", "target");
	extra(&m, 'x', rec, n);
	head(&m, "b", '1', 0);
	end(&m);
	is_int(open_list(&o, &m), C4W_OK);
	is_int(o.n, 2);
	if (o.n == 2) {
		is_int(o.v[0].link.n, 5000);
		is_view(o.v[1].link, "target");
	}
	shut(&o);
	m.n = 0;
	head(&m, "", '0', 0);
	end(&m);
	expect(&m, C4W_DAMAGED, "tar.name", "no name");
}

static void test_pax(void)
{
	static const struct {
		const char *records;
		int cls;
		const char *rule;
		uint64_t size;
	} v[] = {
		{ "9 size=5\n", C4W_OK, "", 5 },
		{ "8 size=5\n", C4W_DAMAGED, "tar.pax", 0 },
		{ "12 size=10\n", C4W_DAMAGED, "tar.pax", 0 }, /* one byte beyond its newline */
		{ "10 size=-5\n", C4W_DAMAGED, "tar.pax", 0 },
		{ "11 size=-5\n", C4W_DAMAGED, "tar.size", 0 },
		{ "12 size=1e9\n", C4W_DAMAGED, "tar.size", 0 },
		{ "28 size=9223372036854775808\n", C4W_DAMAGED, "tar.size", 0 },
		{ "25 size=99999999999999999\n", C4W_DAMAGED, "tar.pax", 0 },
		{ "26 size=99999999999999999\n", C4W_DAMAGED, "tar.cut", 0 },
		{ "7 size=\n", C4W_DAMAGED, "tar.pax", 0 },
		{ "8 size=\n", C4W_OK, "", 7 }, /* empty takes it back: the header's own size */
		{ "12 mtime=1.5\n8 size=5\n", C4W_DAMAGED, "tar.pax", 0 },
		{ "13 mtime=1.5\n9 size=5\n", C4W_OK, "", 5 },
		{ "9 size=5\n9 size=6\n", C4W_OK, "", 6 },
		{ "9 size=5", C4W_DAMAGED, "tar.pax", 0 },
		{ "size=5\n", C4W_DAMAGED, "tar.pax", 0 },
		{ "4 =\n", C4W_DAMAGED, "tar.pax", 0 },
		{ "5 ab\n", C4W_DAMAGED, "tar.pax", 0 },
		{ "0 size=5\n", C4W_DAMAGED, "tar.pax", 0 },
		{ "99999999999 a=b\n", C4W_DAMAGED, "tar.pax", 0 },
		{ "", C4W_OK, "", 7 },
	};
	static struct made m;
	size_t i;
	for (i = 0; i < sizeof v / sizeof *v; i++) {
		struct opened o;
		int rc;
		m.n = 0;
		extra(&m, 'x', v[i].records, strlen(v[i].records));
		head(&m, "a", '0', 7);
		body(&m, "content", 7);
		end(&m);
		rc = open_list(&o, &m);
		ok(rc == v[i].cls && (rc == C4W_OK || strcmp(o.err.rule, v[i].rule) == 0), "%s: class %d rule %s, want %d %s", v[i].records, rc,
		   rc ? o.err.rule : "", v[i].cls, v[i].rule);
		if (rc == C4W_OK && o.n)
			is_int(o.v[0].size, v[i].size);
		shut(&o);
	}
	/* a name with NUL, and NULs that fill the block */
	m.n = 0;
	extra(&m, 'x', "10 path=\0b\n", 11);
	head(&m, "a", '0', 0);
	end(&m);
	expect(&m, C4W_DAMAGED, "tar.pax", "a record that ends elsewhere");
	m.n = 0;
	extra(&m, 'x', "11 path=\0b\n", 11);
	head(&m, "a", '0', 0);
	end(&m);
	expect(&m, C4W_DAMAGED, "tar.pax", "NUL in a path");
	m.n = 0;
	extra(&m, 'x', "9 path=b\n\0\0\0", 12);
	head(&m, "a", '0', 0);
	end(&m);
	expect(&m, C4W_OK, "", "padding inside the header");
	m.n = 0;
	extra(&m, 'x', "9 path=b\n", 9);
	end(&m);
	expect(&m, C4W_DAMAGED, "tar.cut", "a pax header without its member");
	m.n = 0;
	head(&m, "x", 'x', 100000);
	end(&m);
	expect(&m, C4W_DAMAGED, "tar.cut", "a pax header beyond the end");
}

/* The same file of 2,000 bytes in all forms: "ab" at 0, "cd" at 1000, nothing at the end. */
static void check_sparse(const struct made *m, const char *what)
{
	struct opened o;
	char got[2000];
	size_t i, wrong = 0;
	int rc = open_list(&o, m);
	ok(rc == C4W_OK, "%s: %s", what, o.err.message);
	ok(o.n == 2, "%s: %zu members", what, o.n);
	if (rc == C4W_OK && o.n == 2) {
		is_view(o.v[0].path, "sparse");
		is_view(o.v[1].path, "next");
		is_int(o.v[0].size, 2000);
		is_int(o.v[0].stored, 4);
		ok(o.v[0].is_sparse, "%s is sparse", what);
		is_int(c4w_tar_read(&o.tar, &o.v[0], 0, 2000, got, &o.err), C4W_OK);
		for (i = 0; i < 2000; i++)
			wrong += got[i] != (i == 0 ? 'a' : i == 1 ? 'b' : i == 1000 ? 'c' : i == 1001 ? 'd' : 0);
		is_int(wrong, 0);
		is_int(c4w_tar_read(&o.tar, &o.v[0], 999, 2, got, &o.err), C4W_OK);
		ok(got[0] == 0 && got[1] == 'c', "%s: across an edge", what);
		is_int(c4w_tar_read(&o.tar, &o.v[0], 1500, 500, got, &o.err), C4W_OK);
	}
	shut(&o);
}

static size_t join(char *out, const char *const *pairs)
{
	size_t n = 0;
	for (; *pairs; pairs += 2)
		n += record(out + n, pairs[0], pairs[1]);
	return n;
}

static void test_sparse(void)
{
	static struct made m;
	char rec[2000];
	uint8_t *h;
	size_t n;
	const char *const v00[] = { "GNU.sparse.size", "2000", "GNU.sparse.numblocks", "2", "GNU.sparse.offset", "0", "GNU.sparse.numbytes", "2",
				    "GNU.sparse.offset", "1000", "GNU.sparse.numbytes", "2", NULL };
	const char *const v01[] = { "GNU.sparse.size", "2000", "GNU.sparse.numblocks", "2", "GNU.sparse.name", "sparse", "GNU.sparse.map", "0,2,1000,2", NULL };
	const char *const v10[] = { "GNU.sparse.major", "1", "GNU.sparse.minor", "0", "GNU.sparse.name", "sparse", "GNU.sparse.realsize", "2000", NULL };
	const char *const v20[] = { "GNU.sparse.major", "2", "GNU.sparse.minor", "0", "GNU.sparse.name", "sparse", "GNU.sparse.realsize", "2000", NULL };
	const char *const odd[] = { "GNU.sparse.size", "2000", "GNU.sparse.offset", "0", NULL };
	const char *const over[] = { "GNU.sparse.size", "2000", "GNU.sparse.map", "0,2,1,2", NULL };
	const char *const outside[] = { "GNU.sparse.size", "2000", "GNU.sparse.map", "0,2,1999,2", NULL };
	const char *const more[] = { "GNU.sparse.size", "2000", "GNU.sparse.map", "0,2,1000,3", NULL };
	const char *const half[] = { "GNU.sparse.size", "2000", "GNU.sparse.map", "0,2,1000", NULL };
	const char *const words[] = { "GNU.sparse.size", "2000", "GNU.sparse.map", "0,two", NULL };
	const char *const sizeless[] = { "GNU.sparse.map", "0,4", NULL };
	const char *const *const bad[] = { odd, over, outside, more, half, words, sizeless };

	m.n = 0;
	n = join(rec, v00);
	extra(&m, 'x', rec, n);
	head(&m, "sparse", '0', 4);
	body(&m, "abcd", 4);
	head(&m, "next", '0', 0);
	end(&m);
	check_sparse(&m, "0.0");

	m.n = 0;
	n = join(rec, v01);
	extra(&m, 'x', rec, n);
	head(&m, "GNUSparseFile.0/sparse", '0', 4);
	body(&m, "abcd", 4);
	head(&m, "next", '0', 0);
	end(&m);
	check_sparse(&m, "0.1");

	m.n = 0;
	n = join(rec, v10);
	extra(&m, 'x', rec, n);
	head(&m, "GNUSparseFile.0/sparse", '0', 516);
	body(&m, "2\n0\n2\n1000\n2\n", 13);
	body(&m, "abcd", 4);
	head(&m, "next", '0', 0);
	end(&m);
	check_sparse(&m, "1.0");
	m.p[1024 + 512] = '9'; /* the count */
	expect(&m, C4W_DAMAGED, "tar.sparse", "1.0 with more pieces than its map has");
	m.p[1024 + 512] = 'x';
	expect(&m, C4W_DAMAGED, "tar.sparse", "1.0 with a count that is no number");

	m.n = 0;
	n = join(rec, v20);
	extra(&m, 'x', rec, n);
	head(&m, "sparse", '0', 0);
	end(&m);
	expect(&m, C4W_UNSUPPORTED, "", "2.0");

	m.n = 0;
	h = head(&m, "sparse", 'S', 4);
	memcpy(h + 257, "ustar  ", 8);
	memcpy(h + 386, "00000000000\00000000000002", 24);
	memcpy(h + 410, "00000001750\00000000000002", 24);
	memcpy(h + 483, "00000003720", 12);
	seal(h, false);
	body(&m, "abcd", 4);
	head(&m, "next", '0', 0);
	end(&m);
	check_sparse(&m, "old GNU");
	/* the same with a map that goes on in another block */
	m.n = 0;
	h = head(&m, "sparse", 'S', 4);
	memcpy(h + 257, "ustar  ", 8);
	memcpy(h + 386, "00000000000\00000000000002", 24);
	memcpy(h + 483, "00000003720", 12);
	h[482] = 1;
	seal(h, false);
	body(&m, "00000001750\00000000000002", 24);
	body(&m, "abcd", 4);
	head(&m, "next", '0', 0);
	end(&m);
	check_sparse(&m, "old GNU, extended");

	for (n = 0; n < sizeof bad / sizeof *bad; n++) {
		size_t k = join(rec, bad[n]);
		m.n = 0;
		extra(&m, 'x', rec, k);
		head(&m, "sparse", '0', 4);
		body(&m, "abcd", 4);
		end(&m);
		expect(&m, C4W_DAMAGED, "tar.sparse", bad[n][2] ? bad[n][3] : "map without a size");
	}
}

static void test_ends(void)
{
	static struct made m;
	m.n = 0;
	head(&m, "a", '0', 5);
	body(&m, "hello", 5);
	expect(&m, C4W_DAMAGED, "tar.end", "no zeros");
	memset(m.p + m.n, 0, 512);
	m.n += 512;
	expect(&m, C4W_DAMAGED, "tar.end", "one block of zeros");
	memset(m.p + m.n, 0, 10240);
	m.n += 10240;
	expect(&m, C4W_OK, "", "many blocks of zeros");
	m.p[m.n - 1] = 'x';
	expect(&m, C4W_DAMAGED, "tar.trailing", "a byte behind the end");
	m.p[m.n - 1] = 0;
	m.n -= 100;
	expect(&m, C4W_OK, "", "zeros that fill no block");
	m.n = 1024 + 200;
	m.p[1024] = 'x';
	expect(&m, C4W_DAMAGED, "tar.cut", "a header cut");
	m.n = 512 + 3;
	expect(&m, C4W_DAMAGED, "tar.cut", "data cut");
	m.n = 0;
	expect(&m, C4W_DAMAGED, "tar.end", "an empty file");
	end(&m);
	expect(&m, C4W_OK, "", "an archive of nothing");
	m.n = 0;
	head(&m, "a", '0', 0);
	memset(m.p + m.n, 0, 512);
	m.n += 512;
	head(&m, "b", '0', 0);
	end(&m);
	expect(&m, C4W_DAMAGED, "tar.trailing", "a lone block of zeros in between");
}

/* A hard link may carry a size of what it links to, or data. */
static void test_hard_links(void)
{
	static struct made m;
	struct opened o;
	m.n = 0;
	head(&m, "a", '1', 700);
	head(&m, "b", '0', 0);
	head(&m, "c", '1', 3);
	body(&m, "abc", 3);
	head(&m, "d", '0', 0);
	end(&m);
	is_int(open_list(&o, &m), C4W_OK);
	is_int(o.n, 4);
	if (o.n == 4) {
		is_int(o.v[0].stored, 0);
		is_int(o.v[2].stored, 3);
	}
	shut(&o);
}

static void test_flips(void)
{
	static struct made m;
	char rec[200];
	size_t i, n, k;
	static const uint8_t masks[] = { 1, 0x80, 0xFF };
	m.n = 0;
	n = record(rec, "path", "a longer name");
	extra(&m, 'x', rec, n);
	head(&m, "a", '0', 5);
	body(&m, "hello", 5);
	head(&m, "b", '5', 0);
	end(&m);
	for (i = 0; i < m.n; i++)
		for (k = 0; k < 3; k++) {
			struct opened o;
			int rc;
			m.p[i] ^= masks[k];
			rc = open_list(&o, &m);
			ok(rc == C4W_OK || rc == C4W_DAMAGED || rc == C4W_UNSUPPORTED || rc == C4W_LIMIT, "byte %zu: class %d", i, rc);
			shut(&o);
			m.p[i] ^= masks[k];
		}
}

static void test_verify(void)
{
	static struct made m;
	struct c4w_arena arena = { 0 };
	struct c4w_faults faults = { 0 };
	struct c4w_blob *b = NULL;
	struct c4w_err err;
	m.n = 0;
	head(&m, "a", '0', 5);
	body(&m, "hello", 5);
	end(&m);
	ok(c4w_tar_probe(m.p, m.n) && !c4w_tar_probe(m.p + 512, 512) && !c4w_tar_probe(m.p + 1024, 512), "probe");
	is_int(c4w_blob_memory("x", m.p, m.n, false, &b, &err), C4W_OK);
	is_int(c4w_tar_verify(b, &arena, &faults, &err), C4W_OK);
	is_int(faults.count, 0);
	c4w_blob_close(b);
	is_int(c4w_blob_memory("x", m.p, m.n - 600, false, &b, &err), C4W_OK);
	is_int(c4w_tar_verify(b, &arena, &faults, &err), C4W_OK);
	is_int(faults.count, 1);
	c4w_blob_close(b);
	c4w_arena_clear(&arena);
}

int main(void)
{
	RUN(test_plain);
	RUN(test_numbers);
	RUN(test_checksums);
	RUN(test_names);
	RUN(test_pax);
	RUN(test_sparse);
	RUN(test_ends);
	RUN(test_hard_links);
	RUN(test_flips);
	RUN(test_verify);
	return done();
}
