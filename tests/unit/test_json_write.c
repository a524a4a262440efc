/* The JSON writers: layout as Python's json.dumps, escapes, misuse. */
#include "containers/json.h"

#include "tap.h"

#include <math.h>

static struct c4w_arena arena;
static struct c4w_err err;

static void dumped(const char *in, struct c4w_json_style style, const char *want)
{
	struct c4w_json doc;
	struct c4w_buf b = { 0 };
	c4w_arena_reset(&arena);
	is_int(c4w_json_parse(c4w_view_z(in), 0, 0, &arena, &doc, &err), C4W_OK);
	is_int(c4w_json_dump(&doc, 0, style, &arena, &b, &err), C4W_OK);
	is_str(b.p ? b.p : "", want);
	c4w_buf_clear(&b);
}

static void test_canonical(void)
{
	struct c4w_json_style c = { .sort = true };
	dumped("{ \"b\" : [1, 1.0, 1e0, 1E2, -0, -0.0, 1e-9, 12345678901234567890], \"a\":{\"\\u00e9\":null,\"z\":true,\"\":false} }", c,
	       "{\"a\":{\"\":false,\"z\":true,\"\xC3\xA9\":null},\"b\":[1,1.0,1.0,100.0,0,-0.0,1e-09,12345678901234567890]}");
	dumped("{\"\\ud83d\\ude00\":1,\"\xEF\xBF\xBD\":2,\"z\":3}", c, "{\"z\":3,\"\xEF\xBF\xBD\":2,\"\xF0\x9F\x98\x80\":1}");
	dumped("\"\\u0000\\b\\f\\n\\r\\t\\u001f\\\"\\\\\\/\\u007f\"", c, "\"\\u0000\\b\\f\\n\\r\\t\\u001f\\\"\\\\/\x7F\"");
	dumped("[]", c, "[]");
	dumped(" 3.50 ", c, "3.5");
}

static void test_indent(void)
{
	struct c4w_json_style two = { .indent = 2 }, one = { .indent = 1, .sort = true, .ascii = true };
	dumped("{\"b\":[1,[],{},[[2]]],\"a\":{}}", two,
	       "{\n  \"b\": [\n    1,\n    [],\n    {},\n    [\n      [\n        2\n      ]\n    ]\n  ],\n  \"a\": {}\n}");
	dumped("{\"b\":\"\xC3\xA9\xF0\x9F\x98\x80\x7F\",\"a\":[1]}", one,
	       "{\n \"a\": [\n  1\n ],\n \"b\": \"\\u00e9\\ud83d\\ude00\\u007f\"\n}");
}

static void test_no_nan(void)
{
	struct c4w_json doc;
	struct c4w_buf b = { 0 };
	is_int(c4w_json_parse(C4W_VIEW("[1e999]"), 0, 0, &arena, &doc, &err), C4W_OK);
	is_int(c4w_json_canonical(&doc, 0, &arena, &b, &err), C4W_DAMAGED);
	is_str(err.rule, "json.number");
	is_int((int)err.offset, 1);
	c4w_buf_clear(&b);
}

static void test_stream(void)
{
	struct c4w_buf b = { 0 };
	struct c4w_json_out j = c4w_json_out(&b, (struct c4w_json_style){ .indent = 1 });
	struct c4w_json doc;
	c4w_jo_object(&j);
	c4w_jo_key(&j, "i");
	c4w_jo_i64(&j, -5);
	c4w_jo_key(&j, "list");
	c4w_jo_array(&j);
	c4w_jo_u64(&j, UINT64_MAX);
	c4w_jo_double(&j, 0.1);
	c4w_jo_bool(&j, true);
	c4w_jo_null(&j);
	c4w_jo_z(&j, NULL);
	c4w_jo_z(&j, "a\"b");
	c4w_jo_string(&j, C4W_VIEW("x\xFFy"));
	c4w_jo_raw(&j, C4W_VIEW("1.50"));
	c4w_jo_double(&j, (double)NAN);
	c4w_jo_double(&j, -(double)INFINITY);
	c4w_jo_end(&j);
	c4w_jo_key(&j, "v");
	is_int(c4w_json_parse(C4W_VIEW("{\"q\":[1]}"), 0, 0, &arena, &doc, &err), C4W_OK);
	is_int(c4w_jo_value(&j, &doc, 0, &arena, &err), C4W_OK);
	c4w_jo_end(&j);
	is_int(c4w_buf_ok(&b, &err), C4W_OK);
	is_str(b.p, "{\n \"i\": -5,\n \"list\": [\n  18446744073709551615,\n  0.1,\n  true,\n  null,\n  null,\n  \"a\\\"b\",\n  "
		    "\"x\xEF\xBF\xBDy\",\n  1.50,\n  NaN,\n  -Infinity\n ],\n \"v\": {\n  \"q\": [\n   1\n  ]\n }\n}");
	c4w_buf_clear(&b);
}

static void test_misuse(void)
{
	int which;
	for (which = 0; which < 6; which++) {
		struct c4w_buf b = { 0 };
		struct c4w_json_out j = c4w_json_out(&b, (struct c4w_json_style){ 0 });
		int i;
		switch (which) {
		case 0: c4w_jo_end(&j); break;
		case 1: c4w_jo_object(&j); c4w_jo_null(&j); break;
		case 2: c4w_jo_array(&j); c4w_jo_key(&j, "k"); break;
		case 3: c4w_jo_object(&j); c4w_jo_key(&j, "k"); c4w_jo_key(&j, "l"); break;
		case 4: c4w_jo_object(&j); c4w_jo_key(&j, "k"); c4w_jo_end(&j); break;
		default:
			for (i = 0; i < 257; i++)
				c4w_jo_array(&j);
		}
		ok(b.failed, "case %d was not noticed", which);
		c4w_buf_clear(&b);
	}
}

int main(void)
{
	RUN(test_canonical);
	RUN(test_indent);
	RUN(test_no_nan);
	RUN(test_stream);
	RUN(test_misuse);
	c4w_arena_clear(&arena);
	return done();
}
