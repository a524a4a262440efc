/* Zstandard files: several frames, skippable ones, cuts, trailing bytes, windows (known-bugs 14 and 15). */
#include "containers/zst.h"
#include "tap.h"

#include <zstd.h>

static const char words[] = "some words and some words and some other words and words again";
enum { WORDS = sizeof words - 1 };

struct made {
	uint8_t p[4096];
	size_t n;
};

static void put(struct made *m, const void *p, size_t n)
{
	memcpy(m->p + m->n, p, n);
	m->n += n;
}

static void frame(struct made *m, const char *text, size_t n, bool checksum, bool size)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();
	ZSTD_outBuffer out = { m->p + m->n, sizeof m->p - m->n, 0 };
	ZSTD_inBuffer in = { text, n, 0 };
	ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, checksum);
	ZSTD_CCtx_setParameter(c, ZSTD_c_contentSizeFlag, size);
	if (size)
		ZSTD_CCtx_setPledgedSrcSize(c, n);
	while (ZSTD_compressStream2(c, &out, &in, ZSTD_e_end) != 0)
		;
	m->n += out.pos;
	ZSTD_freeCCtx(c);
}

static void skippable(struct made *m, uint8_t nibble, const char *text, uint8_t n)
{
	uint8_t h[8] = { (uint8_t)(0x50 | nibble), 0x2A, 0x4D, 0x18, n, 0, 0, 0 };
	put(m, h, 8);
	put(m, text, n);
}

static int collect(void *ctx, const uint8_t *p, size_t n, struct c4w_err *err)
{
	struct made *m = ctx;
	(void)err;
	if (m->n + n > sizeof m->p)
		return C4W_CANCELLED;
	put(m, p, n);
	return C4W_OK;
}

static int stream(const struct made *m, struct made *out, struct c4w_err *err)
{
	struct c4w_zst_worker *w = NULL;
	struct c4w_blob *b = NULL;
	uint8_t *exact = malloc(m->n ? m->n : 1);
	int rc;
	memcpy(exact, m->p, m->n);
	out->n = 0;
	rc = c4w_zst_worker_new(&w, err);
	if (rc == C4W_OK)
		rc = c4w_blob_memory("x", exact, m->n, false, &b, err);
	if (rc == C4W_OK)
		rc = c4w_zst_stream(w, b, 0, collect, out, err);
	c4w_blob_close(b);
	c4w_zst_worker_free(w);
	free(exact);
	return rc;
}

static void gives(const struct made *m, size_t n, const char *what)
{
	struct made out;
	struct c4w_err err;
	int rc;
	c4w_err_clear(&err);
	rc = stream(m, &out, &err);
	ok(rc == C4W_OK && out.n == n, "%s: class %d, %zu bytes: %s", what, rc, out.n, err.message);
}

static void fails(const struct made *m, int cls, const char *rule, const char *what)
{
	struct made out;
	struct c4w_err err;
	int rc;
	c4w_err_clear(&err);
	rc = stream(m, &out, &err);
	ok(rc == cls && strcmp(err.rule ? err.rule : "", rule) == 0, "%s: class %d rule %s: %s", what, rc, err.rule ? err.rule : "-", err.message);
}

static void test_frames(void)
{
	static struct made m;
	struct c4w_arena arena = { 0 };
	struct c4w_zst_frame *v;
	struct c4w_blob *b = NULL;
	struct c4w_err err;
	size_t n, one;
	m.n = 0;
	frame(&m, words, WORDS, true, true);
	one = m.n;
	gives(&m, WORDS, "one frame");
	frame(&m, words, 5, false, false);
	gives(&m, WORDS + 5, "two frames");
	skippable(&m, 0xF, "abcd", 4);
	gives(&m, WORDS + 5, "and a skippable one");
	frame(&m, "", 0, true, true);
	gives(&m, WORDS + 5, "and an empty one");
	is_int(c4w_blob_memory("x", m.p, m.n, false, &b, &err), C4W_OK);
	is_int(c4w_zst_list(b, &arena, &v, &n, &err), C4W_OK);
	is_int(n, 4);
	if (n == 4) {
		is_int(v[0].content, WORDS);
		ok(v[0].checksum && !v[0].skippable, "checksum");
		is_int(v[0].stored, one);
		is_int(v[1].offset, one);
		is_int(v[1].content, -1);
		ok(!v[1].checksum && v[1].window >= 1024, "window %" PRIu64, v[1].window);
		ok(v[2].skippable, "skippable");
		is_int(v[2].stored, 12);
		is_int(v[2].magic, 0x184D2A5F);
		is_int(v[3].content, 0);
	}
	c4w_blob_close(b);
	c4w_arena_clear(&arena);
	m.n = 0;
	skippable(&m, 0, "abcd", 4);
	gives(&m, 0, "skippable only");
	frame(&m, words, WORDS, true, true);
	gives(&m, WORDS, "skippable first");
}

static void test_faults(void)
{
	static struct made m;
	static const struct {
		const char *bytes;
		size_t n;
		int cls;
		const char *rule;
	} v[] = {
		{ "", 0, C4W_DAMAGED, "zst.magic" },
		{ "\x28\xB5\x2F", 3, C4W_DAMAGED, "zst.cut" },
		{ "\x28\xB5\x2F\xFD", 4, C4W_DAMAGED, "zst.cut" },
		{ "\x28\xB5\x2F\xFD\x20", 5, C4W_DAMAGED, "zst.cut" },
		{ "junk", 4, C4W_DAMAGED, "zst.magic" },
		{ "jun", 3, C4W_DAMAGED, "zst.magic" },
		{ "\x25\xB5\x2F\xFD\x20\x00", 6, C4W_UNSUPPORTED, "" },
		{ "\x50\x2A\x4D\x18\x04\0\0\0abc", 11, C4W_DAMAGED, "zst.cut" },
		{ "\x50\x2A\x4D\x18\x04\0\0", 7, C4W_DAMAGED, "zst.cut" },
		{ "\x28\xB5\x2F\xFD\x28\x00\x01\0\0", 9, C4W_DAMAGED, "zst.header" }, /* reserved bit */
		{ "\x28\xB5\x2F\xFD\xE0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01\0\0", 16, C4W_DAMAGED, "zst.header" },
		{ "\x28\xB5\x2F\xFD\x20\x05\x07\0\0", 9, C4W_DAMAGED, "zst.block" }, /* reserved type */
		{ "\x28\xB5\x2F\xFD\x20\x05\x31\0\0abcdef", 15, C4W_DAMAGED, "zst.block" }, /* block larger than the content */
		{ "\x28\xB5\x2F\xFD\x20\x05\x21\0\0abcd", 13, C4W_DAMAGED, "zst.size" }, /* four bytes of five */
		{ "\x28\xB5\x2F\xFD\x21\x07\x05\x29\0\0abcde", 15, C4W_UNSUPPORTED, "" }, /* dictionary 7 */
		{ "\x28\xB5\x2F\xFD\x20\x05\x29\0\0abcde", 14, C4W_OK, "" },
		{ "\x28\xB5\x2F\xFD\x20\x05\x2B\0\0a", 10, C4W_OK, "" }, /* run of five */
		{ "\x28\xB5\x2F\xFD\x20\x05\x2B\0\0", 9, C4W_DAMAGED, "zst.cut" },
		{ "\x28\xB5\x2F\xFD\x20\x05\x2D\0\0abcde", 14, C4W_DAMAGED, "zst.data" }, /* no compressed block */
		{ "\x28\xB5\x2F\xFD\xA0\0\0\0\xC0\x05\0\0", 12, C4W_DAMAGED, "zst.size" }, /* claims 3.2 GB in one block */
		{ "\x28\xB5\x2F\xFD\0\xA8\x29\0\0abcde", 14, C4W_UNSUPPORTED, "" }, /* window of 2 GiB */
		{ "\x28\xB5\x2F\xFD\0\xFF\x29\0\0abcde", 14, C4W_UNSUPPORTED, "" }, /* window of 3.75 TiB */
		{ "\x28\xB5\x2F\xFD\0\x88\x29\0\0abcde", 14, C4W_OK, "" }, /* 128 MiB: the limit itself */
		{ "\x28\xB5\x2F\xFD\0\x89\x29\0\0abcde", 14, C4W_UNSUPPORTED, "" },
	};
	size_t i, whole;
	for (i = 0; i < sizeof v / sizeof *v; i++) {
		char what[32];
		snprintf(what, sizeof what, "row %zu", i);
		m.n = 0;
		put(&m, v[i].bytes, v[i].n);
		if (v[i].cls == C4W_OK)
			gives(&m, 5, what);
		else
			fails(&m, v[i].cls, v[i].rule, what);
	}
	m.n = 0;
	frame(&m, words, WORDS, true, true);
	whole = m.n;
	put(&m, "\0\0\0\0", 4);
	fails(&m, C4W_DAMAGED, "zst.trailing", "zeros behind");
	m.n = whole;
	put(&m, "junk", 4);
	fails(&m, C4W_DAMAGED, "zst.trailing", "junk behind");
	m.n = whole;
	put(&m, "\x28", 1);
	fails(&m, C4W_DAMAGED, "zst.cut", "another frame's first byte behind");
	for (i = 4; i < whole; i++) {
		m.n = i;
		fails(&m, C4W_DAMAGED, "zst.cut", "cut");
	}
	m.n = whole;
	m.p[whole - 1] ^= 1;
	fails(&m, C4W_DAMAGED, "zst.checksum", "checksum");
}

static void test_window_message(void)
{
	struct c4w_err err;
	struct made m = { 0 }, out;
	put(&m, "\x28\xB5\x2F\xFD\0\xA8\x29\0\0abcde", 14);
	is_int(stream(&m, &out, &err), C4W_UNSUPPORTED);
	ok(strstr(err.message, "2048 MiB") && strstr(err.message, "128 MiB"), "needed and allowed: %s", err.message);
	ok(strstr(err.hint, "--memory=2048M") != NULL, "the way out: %s", err.hint);
	m.p[5] = 0xFF;
	is_int(stream(&m, &out, &err), C4W_UNSUPPORTED);
	ok(strstr(err.message, "library") != NULL, "%s", err.message);
}

static void test_decode(void)
{
	static struct made m;
	struct c4w_zst_worker *w = NULL;
	struct c4w_err err;
	uint8_t out[WORDS + 1];
	size_t whole;
	is_int(c4w_zst_worker_new(&w, &err), C4W_OK);
	m.n = 0;
	frame(&m, words, WORDS, true, true);
	whole = m.n;
	is_int(c4w_zst_decode(w, m.p, m.n, out, WORDS, &err), C4W_OK);
	ok(memcmp(out, words, WORDS) == 0, "the words");
	is_int(c4w_zst_decode(w, m.p, m.n, out, WORDS - 1, &err), C4W_DAMAGED);
	is_str(err.rule, "zst.size");
	is_int(c4w_zst_decode(w, m.p, m.n, out, WORDS + 1, &err), C4W_DAMAGED);
	is_str(err.rule, "zst.size");
	is_int(c4w_zst_decode(w, m.p, m.n - 1, out, WORDS, &err), C4W_DAMAGED);
	is_str(err.rule, "zst.cut");
	frame(&m, "", 0, false, true);
	is_int(c4w_zst_decode(w, m.p, m.n, out, WORDS, &err), C4W_DAMAGED);
	is_str(err.rule, "zst.trailing");
	m.p[whole - 2] ^= 1;
	is_int(c4w_zst_decode(w, m.p, whole, out, WORDS, &err), C4W_DAMAGED);
	is_str(err.rule, "zst.checksum");
	m.n = 0;
	frame(&m, words, WORDS, false, false); /* no content size */
	is_int(c4w_zst_decode(w, m.p, m.n, out, WORDS, &err), C4W_OK);
	is_int(c4w_zst_decode(w, m.p, m.n, out, WORDS - 1, &err), C4W_DAMAGED);
	is_str(err.rule, "zst.size");
	is_int(c4w_zst_decode(w, m.p, m.n, out, WORDS + 1, &err), C4W_DAMAGED);
	is_str(err.rule, "zst.size");
	m.n = 0;
	skippable(&m, 3, "abc", 3);
	is_int(c4w_zst_decode(w, m.p, m.n, out, 3, &err), C4W_DAMAGED);
	is_str(err.rule, "zst.magic");
	c4w_zst_worker_free(w);
}

static int count(void *ctx, const uint8_t *p, size_t n, struct c4w_err *err)
{
	uint64_t *sum = ctx;
	(void)p;
	(void)err;
	*sum += n;
	return C4W_OK;
}

/* More than one buffer of input and output, incompressible and all alike. */
static void test_large(void)
{
	size_t n = 3000000, bound = ZSTD_compressBound(n), packed, i;
	uint8_t *raw = malloc(n), *z = malloc(bound);
	struct c4w_zst_worker *w = NULL;
	struct c4w_err err;
	uint32_t x = 1;
	int k;
	is_int(c4w_zst_worker_new(&w, &err), C4W_OK);
	for (k = 0; k < 2; k++) {
		struct c4w_blob *b = NULL;
		struct c4w_zst_frame f;
		uint64_t sum = 0;
		for (i = 0; i < n; i++) {
			x = x * 1664525 + 1013904223;
			raw[i] = k ? 7 : (uint8_t)(x >> 24);
		}
		packed = ZSTD_compress(z, bound, raw, n, 3);
		is_int(c4w_blob_memory("x", z, packed, false, &b, &err), C4W_OK);
		is_int(c4w_zst_frame_at(b, 0, &f, &err), C4W_OK);
		is_int(f.stored, packed);
		is_int(f.content, n);
		is_int(c4w_zst_stream(w, b, 0, count, &sum, &err), C4W_OK);
		is_int(sum, n);
		memset(raw, 1, n);
		is_int(c4w_zst_decode(w, z, packed, raw, n, &err), C4W_OK);
		c4w_blob_close(b);
	}
	c4w_zst_worker_free(w);
	free(raw);
	free(z);
}

struct seen {
	unsigned n;
	char rules[8][24];
};

static int note(void *ctx, const struct c4w_err *fault)
{
	struct seen *s = ctx;
	if (s->n < 8)
		snprintf(s->rules[s->n++], sizeof s->rules[0], "%s", fault->rule ? fault->rule : "-");
	return C4W_OK;
}

/* A damaged frame does not hide what is wrong behind it. */
static void test_verify(void)
{
	static struct made m;
	struct seen seen = { 0 };
	struct c4w_faults faults = { note, &seen, 0 };
	struct c4w_zst_worker *w = NULL;
	struct c4w_blob *b = NULL;
	struct c4w_err err;
	m.n = 0;
	frame(&m, words, WORDS, true, true);
	m.p[m.n - 1] ^= 1;
	frame(&m, words, WORDS, true, true);
	put(&m, "junk", 4);
	is_int(c4w_zst_worker_new(&w, &err), C4W_OK);
	is_int(c4w_blob_memory("x", m.p, m.n, false, &b, &err), C4W_OK);
	is_int(c4w_zst_verify(w, b, 0, &faults, &err), C4W_OK);
	is_int(seen.n, 2);
	is_str(seen.rules[0], "zst.checksum");
	is_str(seen.rules[1], "zst.trailing");
	c4w_blob_close(b);
	c4w_zst_worker_free(w);
}

int main(void)
{
	RUN(test_frames);
	RUN(test_faults);
	RUN(test_window_message);
	RUN(test_decode);
	RUN(test_large);
	RUN(test_verify);
	return done();
}
