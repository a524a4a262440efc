/* Errors, text, buffers, arenas: the base that everything leans on. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "tap.h"

#include <errno.h>

static void test_err(void)
{
	struct c4w_err e;
	char text[1024];
	is_int(c4w_damaged(&e, "zip.overlap", 17, "entry %d", 3), C4W_DAMAGED);
	is_str(e.rule, "zip.overlap");
	is_int(e.offset, 17);
	c4w_err_values(&e, "a", "b");
	c4w_err_prefix(&e, "row %d", 2);
	c4w_err_path(&e, "x\ny");
	c4w_err_path(&e, "later");
	c4w_err_format(&e, text, sizeof text);
	is_str(text, "x\\ny: row 2: entry 3, expected a, found b (at byte 17)");
	is_int(c4w_fail_errno(&e, ENOENT, "can't open"), C4W_ABSENT);
	is_str(e.message, "can't open: No such file or directory");
	is_int(c4w_fail_errno(&e, EIO, "can't read"), C4W_IO);
	is_int(e.sys_errno, EIO);
	is_int(c4w_fail_errno(&e, ENOMEM, "x"), C4W_MEMORY);
	is_int(c4w_fail(NULL, C4W_LIMIT, "nobody asks"), C4W_LIMIT);
	c4w_err_prefix(NULL, "x");
	c4w_err_path(NULL, "x");
}

static void test_err_long(void)
{
	struct c4w_err e;
	char big[2000], text[400];
	memset(big, 'x', sizeof big - 1);
	big[sizeof big - 1] = 0;
	c4w_fail(&e, C4W_IO, "%s", big);
	is_int(strlen(e.message), sizeof e.message - 1);
	c4w_err_prefix(&e, "%s", "where");
	ok(strncmp(e.message, "where: xxx", 10) == 0, "%s", e.message);
	ok(strcmp(e.message + strlen(e.message) - 3, "...") == 0, "a cut message ends in dots");
	c4w_err_path(&e, big);
	ok(strcmp(e.path + strlen(e.path) - 3, "...") == 0, "a cut path ends in dots");
	c4w_err_format(&e, text, sizeof text);
	is_int(strlen(text), sizeof text - 1);
}

static void test_escape(void)
{
	static const struct { const char *in; size_t n; const char *out; } t[] = {
		{ "plain", 5, "plain" },
		{ "a\nb\tc\rd\\e", 9, "a\\nb\\tc\\rd\\\\e" },
		{ "\x1b[31m", 5, "\\x1b[31m" },
		{ "\x7f", 1, "\\x7f" },
		{ "\xff\xfe", 2, "\\xff\\xfe" },
		{ "\xc3\xa9", 2, "\xc3\xa9" },
		{ "\xc2\x9b", 2, "\\xc2\\x9b" },             /* C1 control: CSI */
		{ "\xe2\x80\xae", 3, "\\xe2\\x80\\xae" },     /* right-to-left override */
		{ "\xed\xa0\x80", 3, "\\xed\\xa0\\x80" },     /* a surrogate is no UTF-8 */
		{ "\xc0\xaf", 2, "\\xc0\\xaf" },             /* overlong */
		{ "a\0b", 3, "a\\x00b" },
	};
	char out[64];
	size_t i;
	for (i = 0; i < sizeof t / sizeof *t; i++)
		is_str(c4w_str_escape(out, sizeof out, t[i].in, t[i].n), t[i].out);
	is_str(c4w_str_escape(out, 8, "abcdefgh", 8), "abcd...");
	is_str(c4w_str_escape(out, 9, "abcdefgh", 8), "abcdefgh");
	is_str(c4w_str_escape(out, 8, "abc\xc3\xa9zzzz", 9), "abc...");
	is_str(c4w_str_escape(out, 1, "abc", 3), "");
}

static void test_text(void)
{
	char out[64];
	uint8_t bytes[32];
	uint32_t cp;
	ok(c4w_utf8_valid("0123456789\xe2\x82\xac", 13), "three bytes behind a run");
	ok(!c4w_utf8_valid("0123456789\xe2\x82", 12), "cut");
	ok(!c4w_utf8_valid("\xf4\x90\x80\x80", 4), "beyond U+10FFFF");
	is_int(c4w_utf8_decode("\xf0\x9f\x98\x80", 4, &cp), 4);
	is_int(cp, 0x1F600);
	is_int(c4w_utf8_encode(0x1F600, out), 4);
	ok(memcmp(out, "\xf0\x9f\x98\x80", 4) == 0, "encodes what it decodes");
	is_int(c4w_str_percent(out, sizeof out, "temp/\xc2\xb0" "C 100%", 13), 23);
	is_str(out, "temp%2F%C2%B0C%20100%25");
	is_int(c4w_str_distance("verify", "verfiy"), 1);
	is_int(c4w_str_distance("", "abc"), 3);
	is_int(c4w_str_distance("kitten", "SITTING"), 3);
	is_str(c4w_str_grouped(1234567, out), "1,234,567");
	is_str(c4w_str_grouped(999, out), "999");
	is_str(c4w_str_size(0, out), "0 B");
	is_str(c4w_str_size(82900, out), "82.9 KB");
	is_str(c4w_str_size(1500000000, out), "1.5 GB");
	ok(!c4w_unhex32(c4w_view_z("AB"), bytes), "short");
	ok(c4w_unhex32(c4w_view_z("00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"), bytes), "64 digits");
	is_int(bytes[31], 0xff);
	ok(!c4w_unhex32(c4w_view_z("00112233445566778899AABBccddeeff00112233445566778899aabbccddeeff"), bytes), "upper case is refused");
	ok(c4w_view_cmp(c4w_view_z("a"), c4w_view_z("ab")) < 0 && c4w_view_cmp(c4w_view_z("b"), c4w_view_z("ab")) > 0, "order");
}

static void test_buf(void)
{
	struct c4w_buf b = { 0 };
	int i;
	for (i = 0; i < 1000; i++)
		c4w_buf_printf(&b, "%d,", i);
	is_int(b.n, 3890);
	is_int(strlen(b.p), b.n);
	c4w_buf_reset(&b);
	c4w_buf_json(&b, "a\"\\\n\x01\xff\xc3\xa9", 8);
	is_str(b.p, "\"a\\\"\\\\\\n\\u0001\xef\xbf\xbd\xc3\xa9\"");
	c4w_buf_reset(&b);
	c4w_buf_escape(&b, "x\ny", 3);
	is_str(b.p, "x\\ny");
	ok(!c4w_buf_reserve(&b, SIZE_MAX - 2), "an impossible size fails");
	is_int(c4w_buf_ok(&b, NULL), C4W_MEMORY);
	c4w_buf_puts(&b, "more");
	is_str(b.p, "x\\ny");
	c4w_buf_clear(&b);
	c4w_buf_clear(&b);
}

static void test_arena(void)
{
	struct c4w_arena a = { 0 };
	struct c4w_err e;
	struct c4w_arena_mark m;
	void *p, *q, *first;
	char *t;
	int i;
	is_int(c4w_arena_take(&a, 100, &first, &e), C4W_OK);
	is_int((uintptr_t)first % 64, 0);
	t = c4w_arena_text(&a, "abc", 3);
	is_str(t, "abc");
	m = c4w_arena_mark(&a);
	for (i = 0; i < 20; i++) {
		is_int(c4w_arena_take(&a, 300000, &p, &e), C4W_OK);
		memset(p, i, 300000);
	}
	c4w_arena_rewind(&a, m);
	is_int(a.used, 104);
	is_str(t, "abc");
	is_int(c4w_arena_zero(&a, SIZE_MAX / 2, 3, &p, &e), C4W_MEMORY);
	ok(p == NULL, "nothing on failure");
	is_int(c4w_arena_zero(&a, 10, 10, &p, &e), C4W_OK);
	is_int(((unsigned char *)p)[99], 0);
	a.limit = 1000;
	is_int(c4w_arena_take(&a, 2000, &p, &e), C4W_LIMIT);
	a.limit = 0;
	c4w_arena_reset(&a);
	/* A steady load gets the same memory again. */
	is_int(c4w_arena_take(&a, 5000000, &p, &e), C4W_OK);
	c4w_arena_reset(&a);
	is_int(c4w_arena_take(&a, 5000000, &p, &e), C4W_OK);
	c4w_arena_reset(&a);
	is_int(c4w_arena_take(&a, 5000000, &q, &e), C4W_OK);
	ok(p == q, "one block serves round after round");
	c4w_arena_clear(&a);
	is_int(c4w_arena_take(&a, 0, &p, &e), C4W_OK);
	ok(p != NULL, "nothing at all is a valid pointer");
	c4w_arena_clear(&a);
}

/* Wide characters take two columns, combining ones none; a cut never splits one, nor leaves a letter without its accent. */
static void test_text_width(void)
{
	static const struct {
		const char *text;
		size_t width, cut4; /* columns; bytes that fit into four */
	} all[] = { { "", 0, 0 }, { "abcdef", 6, 4 }, { "\xe6\x97\xa5\xe6\x9c\xac\xe8\xaa\x9e", 6, 6 }, { "a\xe6\x97\xa5\xe6\x9c\xac", 5, 4 },
		    { "abce\xcc\x81z", 5, 6 }, { "\xff\xfe", 2, 2 }, { "caf\xc3\xa9s", 5, 5 } };
	size_t i;
	for (i = 0; i < sizeof all / sizeof *all; i++) {
		is_int(c4w_text_width(all[i].text, strlen(all[i].text)), all[i].width);
		is_int(c4w_text_cut(all[i].text, strlen(all[i].text), 4), all[i].cut4);
	}
}

int main(void)
{
	RUN(test_err);
	RUN(test_err_long);
	RUN(test_escape);
	RUN(test_text);
	RUN(test_buf);
	RUN(test_arena);
	RUN(test_text_width);
	return done();
}
