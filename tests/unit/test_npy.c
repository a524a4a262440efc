/* NPY headers: what numpy writes, what only looks like it, and what is hostile (known-bugs 1, 2, 4). */
#include "containers/npy.h"
#include "tap.h"

/* magic, version, length, the header as given, `body` zero bytes. Returns the size. */
static size_t make(uint8_t *out, unsigned major, const char *header, size_t body)
{
	size_t n = strlen(header), prefix = major == 1 ? 10 : 12, i;
	memcpy(out, "\x93NUMPY", 6);
	out[6] = (uint8_t)major;
	out[7] = 0;
	for (i = 8; i < prefix; i++)
		out[i] = (uint8_t)(n >> (8 * (i - 8)));
	memcpy(out + prefix, header, n);
	memset(out + prefix + n, 0, body);
	return prefix + n + body;
}

struct row {
	unsigned major;
	const char *header;
	int cls;
	const char *rule;  /* damaged */
	const char *dtype; /* as numpy spells it */
	const char *shape;
	bool fortran;
};

#define GOOD(major, header, dtype, shape, fortran) { major, header, C4W_OK, NULL, dtype, shape, fortran }
#define BAD(major, header, rule) { major, header, C4W_DAMAGED, rule, NULL, NULL, false }
#define NOT(major, header) { major, header, C4W_UNSUPPORTED, NULL, NULL, NULL, false }
#define F4(rest) "{'descr': '<f4', 'fortran_order': False, " rest "}\n"
#define D(descr) "{'descr': " descr ", 'fortran_order': False, 'shape': (2,), }\n"

static const struct row rows[] = {
	/* the ordinary, in all versions and orders */
	GOOD(1, F4("'shape': (3,), "), "<f4", "(3,)", false),
	GOOD(2, F4("'shape': (3,), "), "<f4", "(3,)", false),
	GOOD(3, F4("'shape': (3,), "), "<f4", "(3,)", false),
	GOOD(1, "{'shape': (3, 4), 'fortran_order': True, 'descr': '>i8'}", ">i8", "(3, 4)", true),
	GOOD(1, "  { 'fortran_order' :False ,\n'descr':\"|u1\",'shape':()}   \n", "|u1", "()", false),
	GOOD(1, F4("'shape': (3L,), "), "<f4", "(3,)", false),
	GOOD(2, F4("'shape': (3L, 4L), "), "<f4", "(3, 4)", false),
	GOOD(1, "{u'descr': u'<f4', 'fortran_order': False, 'shape': (0, 5)}", "<f4", "(0, 5)", false),
	BAD(3, F4("'shape': (3L,), "), "npy.shape"),
	/* keys */
	BAD(1, F4("'shape': (3,), 'extra': 1"), "npy.keys"),
	BAD(1, F4("'shape': (3,), 'descr': '<f8'"), "npy.keys"),
	BAD(1, "{'descr': '<f4', 'shape': (3,)}", "npy.keys"),
	BAD(1, "{}", "npy.keys"),
	/* syntax */
	BAD(1, "", "npy.header"),
	BAD(1, "[]", "npy.header"),
	BAD(1, F4("'shape': (3,), ") "x", "npy.header"),
	BAD(1, "{'descr': '<f4', 'fortran_order': 0, 'shape': (3,)}", "npy.header"),
	BAD(1, "{'descr': '<f4', 'fortran_order': Falsely, 'shape': (3,)}", "npy.header"),
	BAD(1, "{'descr': '<f4' 'fortran_order': False, 'shape': (3,)}", "npy.header"),
	BAD(1, "{'descr': '<f4, 'fortran_order': False, 'shape': (3,)}", "npy.header"),
	BAD(1, "{'descr': '<f4\n', 'fortran_order': False, 'shape': (3,)}", "npy.header"),
	BAD(1, "{\"descr\": \"<f4\", \"fortran_order\": false, \"shape\": [3]}", "npy.header"),
	BAD(1, "{'descr': '<f4', 'fortran_order': __import__('os'), 'shape': (3,)}", "npy.header"),
	/* shapes */
	BAD(1, F4("'shape': (3)"), "npy.shape"),
	BAD(1, F4("'shape': 3"), "npy.shape"),
	BAD(1, F4("'shape': [3]"), "npy.shape"),
	BAD(1, F4("'shape': (-1,)"), "npy.shape"),
	BAD(1, F4("'shape': (3.0,)"), "npy.shape"),
	BAD(1, F4("'shape': (03,)"), "npy.shape"),
	BAD(1, F4("'shape': (3e2,)"), "npy.shape"),
	BAD(1, F4("'shape': (True,)"), "npy.shape"),
	BAD(1, F4("'shape': (3 4)"), "npy.shape"),
	BAD(1, F4("'shape': (9223372036854775808,)"), "npy.shape"),
	BAD(1, F4("'shape': (99999999999999999999999,)"), "npy.shape"),
	BAD(1, F4("'shape': (4294967296, 4294967296, 2)"), "array.size"),
	BAD(1, F4("'shape': (4611686018427387904, 2)"), "array.size"),
	BAD(1, F4("'shape': (0, 4611686018427387904, 4)"), "array.size"),
	/* types */
	GOOD(1, D("'<M8[25s]'"), "<M8[25s]", "(2,)", false),
	GOOD(1, D("'>m8'"), ">m8", "(2,)", false),
	GOOD(1, D("'<U3'"), "<U3", "(2,)", false),
	GOOD(1, D("'|S0'"), "|S0", "(2,)", false),
	GOOD(1, D("'a5'"), "|S5", "(2,)", false),
	GOOD(1, D("'|V7'"), "|V7", "(2,)", false),
	GOOD(1, D("'|b1'"), "|b1", "(2,)", false),
	GOOD(1, D("'float32'"), "<f4", "(2,)", false),
	GOOD(1, D("'=f8'"), "<f8", "(2,)", false),
	GOOD(1, D("'<c16'"), "<c16", "(2,)", false),
	GOOD(1, D("'<u1'"), "|u1", "(2,)", false),
	BAD(1, D("'<f3'"), "npy.dtype"),
	BAD(1, D("'<f'x"), "npy.header"),
	BAD(1, D("''"), "npy.dtype"),
	BAD(1, D("'<'"), "npy.dtype"),
	BAD(1, D("'<i16'"), "npy.dtype"),
	BAD(1, D("'<M8[fortnight]'"), "npy.dtype"),
	BAD(1, D("'<M8[0s]'"), "npy.dtype"),
	BAD(1, D("'<M4[s]'"), "npy.dtype"),
	BAD(1, D("'<f4[s]'"), "npy.dtype"),
	BAD(1, D("'<U99999999999'"), "npy.dtype"),
	BAD(1, D("4"), "npy.header"),
	NOT(1, D("'|O'")),
	NOT(1, D("'O'")),
	NOT(1, D("[('a', '<f4'), ('b', '|O')]")),
	NOT(1, D("'|T16'")),
	NOT(1, D("'<f4,<i4'")),
	NOT(1, D("('<f4', (2,))")),
	/* structs */
	GOOD(1, D("[('a', '<f4'), ('b', '>i2', (2, 3))]"), "[('a', '<f4'), ('b', '>i2', (2, 3))]", "(2,)", false),
	GOOD(1, D("[('a', '|u1'), ('', '|V3'), ('b', '<f4')]"), "[('a', '|u1'), ('', '|V3'), ('b', '<f4')]", "(2,)", false),
	GOOD(1, D("[('a', [('x', '<f4'), ('y', '<f4')]), ('b', '<i4')]"), "[('a', [('x', '<f4'), ('y', '<f4')]), ('b', '<i4')]", "(2,)", false),
	GOOD(1, D("[(('Title', 'a'), '<f4')]"), "[(('Title', 'a'), '<f4')]", "(2,)", false),
	GOOD(1, D("[('a', ('<f4', (2,)), (3,))]"), "[('a', '<f4', (3, 2))]", "(2,)", false),
	GOOD(1, D("[('a', '<f4', 3)]"), "[('a', '<f4', (3,))]", "(2,)", false),
	GOOD(1, D("[]"), "[]", "(2,)", false),
	GOOD(1, D("[('caf\xe9', '<f4')]"), "[('caf\xc3\xa9', '<f4')]", "(2,)", false),
	GOOD(3, D("[('\xe5\xaf\x8c', '<f4')]"), "[('\xe5\xaf\x8c', '<f4')]", "(2,)", false),
	GOOD(3, D("[('\\u5bcc\\x41', '<f4')]"), "[('\xe5\xaf\x8c" "A', '<f4')]", "(2,)", false),
	GOOD(1, D("[(\"it's\", '<f4')]"), "[(\"it's\", '<f4')]", "(2,)", false),
	BAD(3, D("[('caf\xe9', '<f4')]"), "npy.header"),
	BAD(1, D("[('a', '<f4'), ('a', '<f4')]"), "npy.dtype"),
	BAD(1, D("[(('a', 'a'), '<f4')]"), "npy.dtype"),
	BAD(1, D("[(('b', 'a'), '<f4'), ('b', '<f4')]"), "npy.dtype"),
	BAD(1, D("[('a', '<f4'"), "npy.shape"),
	BAD(1, D("['a']"), "npy.dtype"),
	BAD(1, D("[('a', '<f4', (2,), 3)]"), "npy.dtype"),
	BAD(1, D("[('a', '<f4', (65536, 65536))]"), "npy.dtype"),
	BAD(1, D("[('a', '|V2147483647'), ('b', '|V9')]"), "npy.dtype"),
};

static void test_table(void)
{
	uint8_t bytes[1024];
	size_t i;
	for (i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *r = &rows[i];
		struct c4w_arena arena = { 0 };
		struct c4w_npy npy;
		struct c4w_err err;
		char text[256];
		size_t n = make(bytes, r->major, r->header, 0);
		int rc;
		c4w_err_clear(&err);
		rc = c4w_npy_parse(bytes, n, &arena, &npy, &err);
		ok(rc == r->cls, "row %zu %s: class %d, want %d: %s", i, r->header, rc, r->cls, err.message);
		if (rc == C4W_DAMAGED && r->rule)
			ok(strcmp(err.rule, r->rule) == 0, "row %zu %s: rule %s, want %s", i, r->header, err.rule, r->rule);
		if (rc == C4W_OK && r->dtype) {
			is_str(c4w_dtype_text(&npy.array.dtype, text, sizeof text), r->dtype);
			is_str(c4w_shape_text(npy.array.rank, npy.array.shape, text, sizeof text), r->shape);
			is_int(npy.array.fortran, r->fortran);
			is_int(npy.header_size, n);
		}
		c4w_arena_clear(&arena);
	}
}

static void test_lengths(void)
{
	static const struct {
		const char *bytes;
		size_t n;
		int cls;
		const char *rule;
	} v[] = {
		{ "", 0, C4W_DAMAGED, "npy.magic" },
		{ "\x93NUMP", 5, C4W_DAMAGED, "npy.magic" },
		{ "\x93NUMPX\1\0\0\0", 10, C4W_DAMAGED, "npy.magic" },
		{ "\x93NUMPY", 6, C4W_DAMAGED, "npy.header-length" },
		{ "\x93NUMPY\1\0\1", 9, C4W_DAMAGED, "npy.header-length" },
		{ "\x93NUMPY\2\0\1\0\0", 11, C4W_DAMAGED, "npy.header-length" },
		{ "\x93NUMPY\1\0\xFF\xFF", 10, C4W_DAMAGED, "npy.header-length" },
		{ "\x93NUMPY\2\0\xF0\xFF\xFF\xFF", 12, C4W_DAMAGED, "npy.header-length" },
		{ "\x93NUMPY\0\0\1\0{", 11, C4W_UNSUPPORTED, NULL },
		{ "\x93NUMPY\4\0\1\0{", 11, C4W_UNSUPPORTED, NULL },
		{ "\x93NUMPY\1\1\1\0{", 11, C4W_UNSUPPORTED, NULL },
	};
	struct c4w_arena arena = { 0 };
	struct c4w_faults faults = { 0 };
	struct c4w_npy npy;
	struct c4w_err err;
	size_t i;
	for (i = 0; i < sizeof v / sizeof *v; i++) {
		struct c4w_blob *b = NULL;
		uint8_t copy[16];
		memcpy(copy, v[i].bytes, v[i].n);
		is_int(c4w_npy_parse(copy, v[i].n, &arena, &npy, &err), v[i].cls);
		if (v[i].rule)
			is_str(err.rule, v[i].rule);
		is_int(c4w_blob_memory("x", copy, v[i].n, false, &b, &err), C4W_OK);
		is_int(c4w_npy_read_header(b, 0, v[i].n, &arena, &npy, &err), v[i].cls);
		if (v[i].rule)
			is_str(err.rule, v[i].rule);
		faults.count = 0;
		is_int(c4w_npy_verify(b, &arena, &faults, &err), C4W_OK);
		is_int(faults.count, 1);
		c4w_blob_close(b);
	}
	ok(arena.used < 1 << 20, "%zu bytes taken", arena.used);
	c4w_arena_clear(&arena);
}

static void test_big_header(void)
{
	/* a header above the limit is refused by the limit, not read */
	size_t n = (1 << 20) + 64, i;
	uint8_t *p = malloc(n + 12);
	struct c4w_arena arena = { 0 };
	struct c4w_blob *b = NULL;
	struct c4w_npy npy;
	struct c4w_err err;
	memset(p, ' ', n + 12);
	memcpy(p, "\x93NUMPY\2\0", 8);
	for (i = 0; i < 4; i++)
		p[8 + i] = (uint8_t)(n >> (8 * i));
	is_int(c4w_npy_parse(p, n + 12, &arena, &npy, &err), C4W_LIMIT);
	is_int(c4w_blob_memory("x", p, n + 12, true, &b, &err), C4W_OK);
	is_int(c4w_npy_read_header(b, 0, n + 12, &arena, &npy, &err), C4W_LIMIT);
	c4w_blob_close(b);
	c4w_arena_clear(&arena);
}

static void test_bodies(void)
{
	uint8_t bytes[512];
	struct c4w_arena arena = { 0 };
	struct c4w_npy npy;
	struct c4w_err err;
	size_t n = make(bytes, 1, F4("'shape': (3,), "), 12);
	is_int(c4w_npy_read(bytes, n, &arena, &npy, &err), C4W_OK);
	ok(npy.array.bytes == bytes + n - 12, "the body lies behind the header");
	is_int(npy.array.size, 12);
	is_int(c4w_npy_read(bytes, n - 1, &arena, &npy, &err), C4W_DAMAGED);
	is_str(err.rule, "npy.body-short");
	is_str(err.expected, "12 bytes");
	is_str(err.found, "11");
	is_int(c4w_npy_read(bytes, n + 1, &arena, &npy, &err), C4W_DAMAGED);
	is_str(err.rule, "npy.trailing");
	is_int(c4w_npy_parse(bytes, n + 1, &arena, &npy, &err), C4W_OK);
	is_int(c4w_npy_body(&npy, bytes, n + 1, true, &err), C4W_OK);
	is_int(c4w_npy_body(&npy, bytes, n - 1, true, &err), C4W_DAMAGED);
	/* an empty array has no body */
	n = make(bytes, 1, F4("'shape': (0, 7), "), 0);
	is_int(c4w_npy_read(bytes, n, &arena, &npy, &err), C4W_OK);
	is_int(npy.array.count, 0);
	c4w_arena_clear(&arena);
}

static void test_nesting(void)
{
	char header[4096] = "{'fortran_order': False, 'shape': (), 'descr': ";
	uint8_t bytes[8192];
	struct c4w_arena arena = { 0 };
	struct c4w_npy npy;
	struct c4w_err err;
	size_t used = strlen(header), i, n;
	for (i = 0; i < 100; i++, used += 7)
		memcpy(header + used, "[('a', ", 7);
	n = make(bytes, 1, header, 0);
	is_int(c4w_npy_parse(bytes, n, &arena, &npy, &err), C4W_LIMIT);
	for (i = 0; i < 100; i++)
		header[used - 700 + i] = '(';
	header[used - 600] = 0;
	n = make(bytes, 1, header, 0);
	is_int(c4w_npy_parse(bytes, n, &arena, &npy, &err), C4W_LIMIT);
	c4w_arena_clear(&arena);
}

/* Every cut of a good header is refused, none crashes. */
static void test_cuts(void)
{
	uint8_t bytes[1024], *cut;
	struct c4w_arena arena = { 0 };
	struct c4w_npy npy;
	struct c4w_err err;
	size_t n = make(bytes, 1, D("[(('T', 'a'), '<f4'), ('b', [('x', '>i2', (2, 3))])]"), 0), k;
	for (k = 10; k < n - 2; k++) {
		int rc;
		cut = malloc(k);
		memcpy(cut, bytes, k);
		cut[8] = (uint8_t)(k - 10);
		cut[9] = 0;
		rc = c4w_npy_parse(cut, k, &arena, &npy, &err);
		ok(rc == C4W_DAMAGED && err.rule, "cut at %zu gives %d", k, rc);
		free(cut);
	}
	c4w_arena_clear(&arena);
}

static void test_write(void)
{
	/* numpy.save of arange(3, dtype='<f4') and of a Fortran-ordered (2, 3) '>i2' */
	static const char want1[] = "\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"
				    "                                                            \n";
	struct c4w_array a = { .dtype = { .kind = 'f', .order = '<', .size = 4 }, .rank = 1, .shape = { 3 } };
	struct c4w_buf b = { 0 };
	c4w_npy_write_header(&b, &a);
	is_int(b.n, 128);
	ok(b.n == 128 && memcmp(b.p, want1, 128) == 0, "as numpy.save writes it");
	c4w_buf_reset(&b);
	a.fortran = true; /* one axis: both orders are the same, numpy says C */
	c4w_npy_write_header(&b, &a);
	ok(b.n == 128 && memcmp(b.p, want1, 128) == 0, "as numpy.save writes it");
	c4w_buf_clear(&b);
}

static void test_to_c_order(void)
{
	static const uint8_t f[] = { 0, 1, 0, 4, 0, 2, 0, 5, 0, 3, 0, 6 };
	struct c4w_array a = { .dtype = { .kind = 'i', .order = '>', .size = 2 }, .rank = 2, .shape = { 2, 3 }, .fortran = true, .bytes = f };
	uint16_t out[6];
	uint8_t raw[12];
	size_t i;
	is_int(c4w_array_measure(&a, NULL), C4W_OK);
	c4w_array_to_c_order(&a, true, (uint8_t *)out);
	for (i = 0; i < 6; i++)
		is_int(out[i], i + 1);
	c4w_array_to_c_order(&a, false, raw);
	is_int(raw[1], 1);
	is_int(raw[3], 2);
}

int main(void)
{
	RUN(test_table);
	RUN(test_lengths);
	RUN(test_big_header);
	RUN(test_bodies);
	RUN(test_nesting);
	RUN(test_cuts);
	RUN(test_write);
	RUN(test_to_c_order);
	return done();
}
