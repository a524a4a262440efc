/* Printing arrays and slicing them. The forms are judged by numpy in tests/peers/arrays.sh; here the corners that one should see. */
#include "model/print.h"
#include "tap.h"

#include <math.h>

static int collect(void *ctx, const uint8_t *p, size_t n, struct c4w_err *err)
{
	(void)err;
	c4w_buf_put(ctx, p, n);
	return C4W_OK;
}

static void prints(const struct c4w_nd *v, enum c4w_text form, const char *want)
{
	struct c4w_buf b = { 0 };
	struct c4w_err err;
	is_int(c4w_nd_print(v, form, true, collect, &b, &err), C4W_OK);
	is_str(b.p ? b.p : "", want);
	c4w_buf_clear(&b);
}

static struct c4w_nd make(char kind, uint64_t size, unsigned rank, const uint64_t *shape, const void *bytes)
{
	struct c4w_array a = { .dtype = { .kind = kind, .order = size == 1 ? '|' : '<', .size = size, .units = 1 }, .rank = rank, .bytes = bytes };
	struct c4w_nd v;
	memcpy(a.shape, shape, rank * sizeof *shape);
	(void)!c4w_array_measure(&a, NULL);
	c4w_nd_of(&a, &v);
	return v;
}

static void test_forms(void)
{
	static const int32_t ints[12] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -10, 2147483647 };
	static const float floats[4] = { 0.1f, -0.0f, 1e30f, 3.4028235e38f };
	static const char text[12] = "a,b\0" "\"\n\t\\" "\0\0\0";
	struct c4w_nd v = make('i', 4, 0, (uint64_t[]){ 0 }, ints + 10);
	prints(&v, C4W_TEXT_CSV, "value\n-10\n");
	prints(&v, C4W_TEXT_JSONL, "-10\n");
	v = make('i', 4, 1, (uint64_t[]){ 3 }, ints);
	prints(&v, C4W_TEXT_TSV, "value\n0\n1\n2\n");
	v = make('i', 4, 2, (uint64_t[]){ 2, 3 }, ints);
	prints(&v, C4W_TEXT_CSV, "0,1,2\n0,1,2\n3,4,5\n");
	prints(&v, C4W_TEXT_JSONL, "[0,1,2]\n[3,4,5]\n");
	v = make('i', 4, 3, (uint64_t[]){ 2, 2, 3 }, ints);
	prints(&v, C4W_TEXT_CSV, "axis0,axis1,0,1,2\n0,0,0,1,2\n0,1,3,4,5\n1,0,6,7,8\n1,1,9,-10,2147483647\n");
	prints(&v, C4W_TEXT_JSONL, "[[0,1,2],[3,4,5]]\n[[6,7,8],[9,-10,2147483647]]\n");
	v = make('f', 4, 1, (uint64_t[]){ 4 }, floats);
	prints(&v, C4W_TEXT_CSV, "value\n0.1\n-0.0\n1e+30\n3.4028235e+38\n");
	v = make('S', 4, 1, (uint64_t[]){ 3 }, text);
	prints(&v, C4W_TEXT_CSV, "value\n\"a,b\"\n\"\"\"\n\t\\\"\n\"\"\n");
	prints(&v, C4W_TEXT_TSV, "value\na,b\n\"\\n\\t\\\\\n\n");
	prints(&v, C4W_TEXT_JSONL, "\"a,b\"\n\"\\\"\\n\\t\\\\\"\n\"\"\n");
	v = make('i', 4, 2, (uint64_t[]){ 0, 3 }, ints);
	prints(&v, C4W_TEXT_CSV, "0,1,2\n");
	prints(&v, C4W_TEXT_JSONL, "");
	v = make('i', 4, 2, (uint64_t[]){ 2, 0 }, ints);
	prints(&v, C4W_TEXT_CSV, "\n\n\n");
	prints(&v, C4W_TEXT_JSONL, "[]\n[]\n");
}

static double half(unsigned i)
{
	return i >> 10 ? ldexp((double)((i & 1023) + 1024), (int)(i >> 10) - 25) : ldexp((double)i, -24);
}

static void test_halves(void)
{
	/* every finite half: what its text says is nearer to it than to its neighbours; half way is enough for an even one */
	unsigned wrong = 0, longest = 0, i;
	for (i = 1; i < 0x7C00; i++) {
		struct c4w_buf b = { 0 };
		struct c4w_dtype d = { .kind = 'f', .order = '<', .size = 2 };
		uint16_t h = (uint16_t)i;
		double v, own, below, above;
		c4w_element_put(&b, &d, (const uint8_t *)&h, C4W_TEXT_CSV);
		v = strtod(b.p, NULL);
		own = fabs(v - half(i)), below = fabs(v - half(i - 1)), above = fabs(v - half(i + 1));
		wrong += i & 1 ? !(own < below && own < above) : !(own <= below && own <= above);
		if (b.n > longest)
			longest = (unsigned)b.n;
		c4w_buf_clear(&b);
	}
	is_int(wrong, 0);
	ok(longest <= 10, "the longest has %u characters", longest);
}

static void test_times(void)
{
	static const struct {
		int64_t ticks;
		unsigned unit, units;
		const char *want;
	} v[] = {
		{ 0, C4W_UNIT_Y, 1, "1970" },
		{ -1, C4W_UNIT_M, 1, "1969-12" },
		{ 1, C4W_UNIT_W, 1, "1970-01-08" },
		{ 11016, C4W_UNIT_D, 1, "2000-02-29" },
		{ -719529, C4W_UNIT_D, 1, "-001-12-31" },
		{ -1, C4W_UNIT_H, 1, "1969-12-31T23" },
		{ 61, C4W_UNIT_MIN, 1, "1970-01-01T01:01" },
		{ 951782400, C4W_UNIT_S, 1, "2000-02-29T00:00:00" },
		{ -1, C4W_UNIT_MS, 1, "1969-12-31T23:59:59.999" },
		{ 2, C4W_UNIT_S, 25, "1970-01-01T00:00:50" },
		{ INT64_MAX, C4W_UNIT_NS, 1, "2262-04-11T23:47:16.854775807" },
		{ INT64_MIN, C4W_UNIT_NS, 1, "NaT" },
		{ 1, C4W_UNIT_AS, 1, "1970-01-01T00:00:00.000000000000000001" },
	};
	size_t i;
	for (i = 0; i < sizeof v / sizeof *v; i++) {
		struct c4w_dtype d = { .kind = 'M', .order = '<', .size = 8, .unit = (uint8_t)v[i].unit, .units = v[i].units };
		struct c4w_buf b = { 0 };
		c4w_element_put(&b, &d, (const uint8_t *)&v[i].ticks, C4W_TEXT_CSV);
		is_str(b.p, v[i].want);
		c4w_buf_clear(&b);
	}
}

static void test_slices(void)
{
	static const uint8_t ten[10] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	static const struct {
		const char *slice;
		int cls;
		const char *want; /* JSON lines joined by blanks */
	} v[] = {
		{ ":", C4W_OK, "0 1 2 3 4 5 6 7 8 9" },
		{ "2:4", C4W_OK, "2 3" },
		{ "::3", C4W_OK, "0 3 6 9" },
		{ "1::3", C4W_OK, "1 4 7" },
		{ "::-4", C4W_OK, "9 5 1" },
		{ "-3:", C4W_OK, "7 8 9" },
		{ ":-8", C4W_OK, "0 1" },
		{ "8:100", C4W_OK, "8 9" },
		{ "-100:2", C4W_OK, "0 1" },
		{ "5:2", C4W_OK, "" },
		{ "2:5:-1", C4W_OK, "" },
		{ "5:2:-1", C4W_OK, "5 4 3" },
		{ "100::-5", C4W_OK, "9 4" },
		{ ":-100:-5", C4W_OK, "9 4" },
		{ "::9223372036854775807", C4W_OK, "0" },
		{ "::-9223372036854775807", C4W_OK, "9" },
		{ "9223372036854775807:", C4W_OK, "" },
		{ "-9223372036854775808:2", C4W_OK, "0 1" },
		{ "3", C4W_OK, "3" },
		{ "-1", C4W_OK, "9" },
		{ "10", C4W_USAGE, NULL },
		{ "-11", C4W_USAGE, NULL },
		{ "0,0", C4W_USAGE, NULL },
		{ "", C4W_USAGE, NULL },
		{ "::0", C4W_USAGE, NULL },
		{ "1:2:3:4", C4W_USAGE, NULL },
		{ "a:b", C4W_USAGE, NULL },
		{ "1.5:", C4W_USAGE, NULL },
		{ " 1:", C4W_USAGE, NULL },
		{ "1:99999999999999999999", C4W_USAGE, NULL },
	};
	size_t i, k;
	for (i = 0; i < sizeof v / sizeof *v; i++) {
		struct c4w_nd a = make('u', 1, 1, (uint64_t[]){ 10 }, ten);
		struct c4w_slice s[C4W_ARRAY_RANK_MAX];
		struct c4w_buf b = { 0 };
		struct c4w_err err;
		unsigned n = 0;
		int rc = c4w_slice_parse(v[i].slice, s, &n, &err);
		if (rc == C4W_OK)
			rc = c4w_nd_slice(&a, s, n, &err);
		ok(rc == v[i].cls, "%s: class %d", v[i].slice, rc);
		if (rc == C4W_OK) {
			is_int(c4w_nd_print(&a, C4W_TEXT_JSONL, true, collect, &b, &err), C4W_OK);
			for (k = 0; k < b.n; k++)
				if (b.p[k] == '\n')
					b.p[k] = k + 1 < b.n ? ' ' : 0;
			is_str(b.p ? b.p : "", v[i].want);
		}
		c4w_buf_clear(&b);
	}
}

static void test_limit(void)
{
	static const uint8_t six[6] = { 0, 1, 2, 3, 4, 5 };
	struct c4w_nd v = make('u', 1, 2, (uint64_t[]){ 3, 2 }, six);
	c4w_nd_limit(&v, 2);
	prints(&v, C4W_TEXT_JSONL, "[0,1]\n[2,3]\n");
	c4w_nd_limit(&v, 5);
	prints(&v, C4W_TEXT_JSONL, "[0,1]\n[2,3]\n");
	v = make('u', 1, 0, (uint64_t[]){ 0 }, six);
	c4w_nd_limit(&v, 0);
	prints(&v, C4W_TEXT_JSONL, "0\n");
}

static void test_columns(void)
{
	static const struct c4w_field fields[2] = {
		{ .name = { "a", 1 }, .offset = 0, .dtype = { .kind = 'u', .order = '|', .size = 1 }, .count = 1 },
		{ .name = { "b c", 3 }, .offset = 2, .dtype = { .kind = 'u', .order = '>', .size = 2 }, .count = 1 },
	};
	static const uint8_t bytes[8] = { 1, 0xEE, 0, 2, 3, 0xEE, 0, 4 };
	struct c4w_arena arena = { 0 };
	struct c4w_buf b = { 0 };
	struct c4w_nd v = make('r', 4, 1, (uint64_t[]){ 2 }, bytes);
	const char *names[2] = { "b c", "a" };
	struct c4w_err err;
	v.dtype.fields = fields;
	v.dtype.field_count = 2;
	prints(&v, C4W_TEXT_CSV, "a,b c\n1,2\n3,4\n");
	prints(&v, C4W_TEXT_JSONL, "{\"a\":1,\"b c\":2}\n{\"a\":3,\"b c\":4}\n");
	is_int(c4w_nd_columns(&v, names, 2, &arena, &err), C4W_OK);
	prints(&v, C4W_TEXT_CSV, "b c,a\n2,1\n4,3\n");
	is_int(c4w_nd_raw(&v, collect, &b, &err), C4W_OK);
	ok(b.n == 6 && memcmp(b.p, "\0\2\1\0\4\3", 6) == 0, "packed");
	names[0] = "z";
	is_int(c4w_nd_columns(&v, names, 1, &arena, &err), C4W_USAGE);
	ok(strstr(err.message, "b c, a") != NULL, "names what there is: %s", err.message);
	v = make('u', 1, 1, (uint64_t[]){ 2 }, bytes);
	is_int(c4w_nd_columns(&v, names, 1, &arena, &err), C4W_USAGE);
	c4w_buf_clear(&b);
	c4w_arena_clear(&arena);
}

static int stop(void *ctx, const uint8_t *p, size_t n, struct c4w_err *err)
{
	(void)ctx;
	(void)p;
	(void)n;
	return c4w_fail(err, C4W_CANCELLED, "stopped");
}

static void test_sink_stops(void)
{
	static const uint8_t ten[10];
	struct c4w_nd v = make('u', 1, 1, (uint64_t[]){ 10 }, ten);
	struct c4w_err err;
	is_int(c4w_nd_print(&v, C4W_TEXT_CSV, true, stop, NULL, &err), C4W_CANCELLED);
	is_int(c4w_nd_print(&v, C4W_TEXT_JSONL, true, stop, NULL, &err), C4W_CANCELLED);
	is_int(c4w_nd_npy(&v, stop, NULL, &err), C4W_CANCELLED);
	is_int(c4w_nd_raw(&v, stop, NULL, &err), C4W_CANCELLED);
}

int main(void)
{
	RUN(test_forms);
	RUN(test_halves);
	RUN(test_times);
	RUN(test_slices);
	RUN(test_limit);
	RUN(test_columns);
	RUN(test_sink_stops);
	return done();
}
