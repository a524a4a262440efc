/* The JSON parser: grammar, repeated keys, UTF-8, depth; walking, numbers, strings, equality, cJSON trees. */
#include "containers/json.h"

#include "base/limits.h"
#include "tap.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <math.h>
#include <time.h>

static struct c4w_arena arena;
static struct c4w_err err;
static struct c4w_json doc;

static int parse(const char *z, unsigned flags)
{
	size_t n = strlen(z);
	/* An exact copy on the heap: a read beyond the end is seen by the address sanitizer. It lives as long as the arena's next use. */
	static char *copy;
	free(copy);
	copy = malloc(n ? n : 1);
	memcpy(copy, z, n);
	c4w_arena_reset(&arena);
	c4w_err_clear(&err);
	return c4w_json_parse((struct c4w_view){ copy, n }, flags, 0, &arena, &doc, &err);
}

static void refused(const char *z, unsigned flags, const char *rule, long offset)
{
	int r = parse(z, flags);
	ok(r == C4W_DAMAGED && err.rule && strcmp(err.rule, rule) == 0 && err.offset == offset,
	   "%s: class %d, rule %s, offset %ld, message %s", z, r, err.rule ? err.rule : "none", (long)err.offset, err.message);
	ok(doc.slots == NULL, "%s: document not emptied", z);
}

static void test_refusals(void)
{
	refused("", 0, "json.syntax", 0);
	refused("  ", 0, "json.syntax", 2);
	refused("[1,]", 0, "json.syntax", 3);
	refused("[1 2]", 0, "json.syntax", 3);
	refused("{\"a\":1,}", 0, "json.syntax", 7);
	refused("{\"a\" 1}", 0, "json.syntax", 5);
	refused("{1:2}", 0, "json.syntax", 1);
	refused("[1]x", 0, "json.syntax", 3);
	refused("[1}", 0, "json.syntax", 2);
	refused("nul", 0, "json.syntax", 0);
	refused("nulls", 0, "json.syntax", 4);
	refused("\"abc", 0, "json.syntax", 4);
	refused("\"abc\\", 0, "json.syntax", 5);
	refused("01", 0, "json.number", 0);
	refused("[-]", 0, "json.number", 1);
	refused("1.", 0, "json.number", 0);
	refused("1e+", 0, "json.number", 0);
	refused("+1", 0, "json.syntax", 0);
	refused("NaN", 0, "json.syntax", 0);
	refused("-Infinity", 0, "json.number", 0);
	refused("[1e400]", C4W_JSON_FINITE, "json.number", 1);
	refused("-1.8e308", C4W_JSON_FINITE, "json.number", 0);
	is_int(parse("[1e400]", 0), C4W_OK);
	is_int(parse("[1.7976931348623157e308, -1e-400]", C4W_JSON_FINITE), C4W_OK);
	refused("\"a\nb\"", 0, "json.string", 2);
	refused("\"\\x\"", 0, "json.string", 1);
	refused("\"\\u12g4\"", 0, "json.string", 1);
	refused("\"0123456789abcdef\xC3(\"", 0, "json.utf8", 17);
	refused("\"\xED\xA0\x80\"", 0, "json.utf8", 1);
	refused("\"\xF4\x90\x80\x80\"", 0, "json.utf8", 1);
	refused("\"\\ud800\"", 0, "json.surrogate", 1);
	refused("\"\\udc00\\ud800\"", 0, "json.surrogate", 1);
	refused("\"\\ud800\\u0041\"", 0, "json.surrogate", 1);
	refused("\xEF\xBB\xBF{}", 0, "json.bom", 0);
	refused("\xEF\xBB\xBF", C4W_JSON_BOM, "json.syntax", 3);
	refused("{\"a\":1,\"a\":2}", 0, "json.duplicate-key", 7);
	ok(strstr(err.message, "byte 1 ") && strstr(err.message, "byte 7"), "both places: %s", err.message);
	refused("[{\"x\":{\"ab\":1,\"c\":[],\"\\u0061b\":2}}]", 0, "json.duplicate-key", 21);
	is_int(parse("\xEF\xBB\xBF[1]", C4W_JSON_BOM), C4W_OK);
	is_int((long)c4w_json_offset(&doc, 0), 3);
}

static void test_repeated_keys_in_large_objects(void)
{
	size_t n, at;
	for (n = 2; n < 400; n = n * 5 / 4 + 1)
		for (at = 0; at + 1 < n; at += 1 + n / 7) {
			struct c4w_buf b = { 0 };
			size_t i, bad_at = 0;
			int pass;
			for (pass = 0; pass < 2; pass++) {
				c4w_buf_reset(&b);
				c4w_buf_putc(&b, '{');
				for (i = 0; i < n; i++) {
					bad_at = i + 1 == n ? b.n + (i > 0) : bad_at;
					c4w_buf_printf(&b, "%s\"key%zu\":{\"key0\":%zu}", i ? "," : "",
						       pass && i + 1 == n ? at : i, i);
				}
				c4w_buf_putc(&b, '}');
				if (pass == 0)
					ok(parse(b.p, 0) == C4W_OK, "%zu keys: %s", n, err.message);
				else
					refused(b.p, 0, "json.duplicate-key", (long)bad_at);
			}
			c4w_buf_clear(&b);
		}
}

/* Keys chosen to fall into one place of the parser's table (its hash is FNV-1a, folded): still found, and in time. */
static void test_colliding_keys(void)
{
	enum { KEYS = 400 };
	struct c4w_buf b = { 0 };
	unsigned i, n = 0;
	long first = 0, last = 0;
	int pass;
	for (pass = 0; pass < 2; pass++) {
		c4w_buf_reset(&b);
		c4w_buf_putc(&b, '{');
		for (i = n = 0; n < KEYS; i++) {
			char key[16];
			uint64_t h = 0xCBF29CE484222325U;
			const char *p;
			snprintf(key, sizeof key, "%u", i);
			for (p = key; *p; p++)
				h = (h ^ (unsigned char)*p) * 0x100000001B3U;
			h ^= h >> 29;
			if ((h & 1023) != 77)
				continue;
			if (n++ == KEYS / 2)
				first = (long)b.n;
			c4w_buf_printf(&b, "\"%s\":0,", key);
			if (n == KEYS / 2 + 1 && pass) {
				struct c4w_view again = { b.p + first, b.n - (size_t)first };
				char copy[64];
				memcpy(copy, again.p, again.n);
				last = (long)b.n;
				c4w_buf_put(&b, copy, again.n);
			}
		}
		b.p[b.n - 1] = '}';
		if (pass)
			refused(b.p, 0, "json.duplicate-key", last);
		else
			is_int(parse(b.p, 0), C4W_OK);
	}
	is_int(parse(b.p, C4W_JSON_LAST_WINS), C4W_OK);
	ok(doc.repeated, "not noticed");
	c4w_buf_clear(&b);
}

static void test_depth(void)
{
	static char text[200001];
	int deep;
	for (deep = 255; deep <= 257; deep++) {
		memset(text, '[', (size_t)deep);
		memset(text + deep, ']', (size_t)deep);
		text[2 * deep] = 0;
		is_int(parse(text, 0), deep <= C4W_LIMIT_JSON_DEPTH ? C4W_OK : C4W_LIMIT);
	}
	ok(err.rule && strcmp(err.rule, "json.depth") == 0 && err.offset == 256, "offset %ld", (long)err.offset);
	memset(text, '[', 100000);
	text[100000] = 0;
	is_int(parse(text, 0), C4W_LIMIT);
	is_int(c4w_json_parse(C4W_VIEW("[[1]]"), 0, 1, &arena, &doc, &err), C4W_LIMIT);
	is_int(c4w_json_parse(C4W_VIEW("[1]"), 0, 1, &arena, &doc, &err), C4W_OK);
}

static void test_walk(void)
{
	uint32_t a, e, n = 0;
	is_int(parse(" {\"a\":[1,[2,3],{},\"x\"],\"b\":{\"c\":null},\"d\":true} ", 0), C4W_OK);
	is_int(c4w_json_type(&doc, 0), C4W_JSON_OBJECT);
	is_int(c4w_json_count(&doc, 0), 3);
	a = c4w_json_member(&doc, 0, "a");
	is_int(c4w_json_count(&doc, a), 4);
	for (e = c4w_json_first(&doc, a); e != C4W_JSON_NONE; e = c4w_json_next(&doc, a, e)) {
		static const char *const raw[] = { "1", "[2,3]", "{}", "\"x\"" };
		ok(n < 4 && c4w_view_eqz(c4w_json_raw(&doc, e), raw[n]), "element %u", n);
		n++;
	}
	is_int(n, 4);
	e = c4w_json_member(&doc, c4w_json_member(&doc, 0, "b"), "c");
	is_int(c4w_json_type(&doc, e), C4W_JSON_NULL);
	is_int(c4w_json_type(&doc, c4w_json_member(&doc, 0, "d")), C4W_JSON_TRUE);
	ok(c4w_json_member(&doc, 0, "c") == C4W_JSON_NONE, "found an inner key");
	ok(c4w_json_member(&doc, a, "a") == C4W_JSON_NONE, "a member of an array");
	ok(c4w_json_member(&doc, C4W_JSON_NONE, "a") == C4W_JSON_NONE, "a member of nothing");
	for (n = 0, e = c4w_json_first(&doc, 0); e != C4W_JSON_NONE; e = c4w_json_next(&doc, 0, e))
		n++;
	is_int(n, 6);
	is_int(parse("[]", 0), C4W_OK);
	ok(c4w_json_first(&doc, 0) == C4W_JSON_NONE, "an element of an empty array");
}

static void test_strings(void)
{
	struct c4w_view v;
	is_int(parse("{\"\\u006bey\":\"a\\n\\\"\\\\\\/\\b\\f\\r\\t\\u00e9\\ud834\\udd1e\\u0000z\"}", 0), C4W_OK);
	is_int(c4w_json_string(&doc, c4w_json_member(&doc, 0, "key"), &arena, &v, &err), C4W_OK);
	ok(c4w_view_eq(v, C4W_VIEW("a\n\"\\/\b\f\r\t\xC3\xA9\xF0\x9D\x84\x9E\0z")), "got %zu bytes", v.n);
	ok(c4w_json_string_eq(&doc, 3, v), "not equal to itself");
	ok(!c4w_json_string_eq(&doc, 3, (struct c4w_view){ v.p, v.n - 1 }), "equal to a part");
	is_int(parse("[\"plain\", 1]", 0), C4W_OK);
	is_int(c4w_json_string(&doc, 2, &arena, &v, &err), C4W_OK);
	ok(v.p == doc.text + 2 && v.n == 5, "plain text is lent");
	is_int(c4w_json_string(&doc, 3, &arena, &v, &err), C4W_DAMAGED);
	is_str(err.rule, "json.type");
	is_int(parse("\"\\ud800x\"", C4W_JSON_PYTHON), C4W_OK);
	is_int(c4w_json_string(&doc, 0, &arena, &v, &err), C4W_OK);
	ok(c4w_view_eqz(v, "\xED\xA0\x80x"), "lone surrogate");
}

static void test_numbers(void)
{
	int64_t i;
	uint64_t u;
	double d;
	is_int(parse("[9223372036854775807,-9223372036854775808,18446744073709551615,9007199254740993,1.0,1e3,1e400,-0,9223372036854775808,\"1\",0.1]", 0),
	       C4W_OK);
	ok(c4w_json_i64(&doc, 2, &i, &err) == C4W_OK && i == INT64_MAX, "max");
	ok(c4w_json_i64(&doc, 3, &i, &err) == C4W_OK && i == INT64_MIN, "min");
	ok(c4w_json_u64(&doc, 4, &u, &err) == C4W_OK && u == UINT64_MAX, "u64 max");
	is_int(c4w_json_i64(&doc, 4, &i, &err), C4W_DAMAGED);
	is_str(err.rule, "json.number");
	ok(c4w_json_i64(&doc, 5, &i, &err) == C4W_OK && i == 9007199254740993, "beyond 2^53");
	is_int(c4w_json_i64(&doc, 6, &i, &err), C4W_DAMAGED);
	is_int(c4w_json_i64(&doc, 7, &i, &err), C4W_DAMAGED);
	is_int(c4w_json_double(&doc, 8, &d, &err), C4W_DAMAGED);
	ok(c4w_json_i64(&doc, 9, &i, &err) == C4W_OK && i == 0, "-0");
	ok(c4w_json_double(&doc, 9, &d, &err) == C4W_OK && d == 0 && signbit(d), "-0 as a double");
	is_int(c4w_json_i64(&doc, 10, &i, &err), C4W_DAMAGED);
	is_int(c4w_json_u64(&doc, 3, &u, &err), C4W_DAMAGED);
	is_int(c4w_json_i64(&doc, 11, &i, &err), C4W_DAMAGED);
	is_str(err.rule, "json.type");
	ok(c4w_json_double(&doc, 12, &d, &err) == C4W_OK && d == 0.1, "0.1");
	is_int(c4w_json_i64(&doc, C4W_JSON_NONE, &i, &err), C4W_DAMAGED);
	ok(strstr(err.message, "missing") != NULL, "%s", err.message);
}

static void test_python_dialect(void)
{
	struct c4w_buf b = { 0 };
	double d;
	is_int(parse("[NaN,Infinity,-Infinity,1e400,123456789012345678901234567890]", C4W_JSON_PYTHON), C4W_OK);
	ok(c4w_json_double(&doc, 2, &d, &err) == C4W_OK && isnan(d), "NaN");
	ok(c4w_json_double(&doc, 3, &d, &err) == C4W_OK && isinf(d) && d > 0, "Infinity");
	ok(c4w_json_double(&doc, 4, &d, &err) == C4W_OK && isinf(d) && d < 0, "-Infinity");
	ok(c4w_json_double(&doc, 5, &d, &err) == C4W_OK && isinf(d), "1e400");
	is_int(c4w_json_canonical(&doc, 0, &arena, &b, &err), C4W_OK);
	is_str(b.p, "[NaN,Infinity,-Infinity,Infinity,123456789012345678901234567890]");
	c4w_buf_reset(&b);
	is_int(parse("{\"b\":1,\"a\":2,\"b\":3,\"c\":4,\"a\":5,\"b\":6}", C4W_JSON_PYTHON), C4W_OK);
	ok(c4w_view_eqz(c4w_json_raw(&doc, c4w_json_member(&doc, 0, "b")), "6"), "the last wins");
	is_int(c4w_json_dump(&doc, 0, (struct c4w_json_style){ 0 }, &arena, &b, &err), C4W_OK);
	is_str(b.p, "{\"b\":6,\"a\":5,\"c\":4}");
	c4w_buf_clear(&b);
	refused("{\"b\":1,\"b\":1}", C4W_JSON_NAN, "json.duplicate-key", 7);
}

static bool same(const char *x, const char *y)
{
	struct c4w_json a, b;
	bool eq = false;
	c4w_arena_reset(&arena);
	if (c4w_json_parse(c4w_view_z(x), C4W_JSON_NAN, 0, &arena, &a, &err) != C4W_OK ||
	    c4w_json_parse(c4w_view_z(y), C4W_JSON_NAN, 0, &arena, &b, &err) != C4W_OK ||
	    c4w_json_equal(&a, 0, &b, 0, &arena, &eq, &err) != C4W_OK) {
		ok(false, "%s, %s: %s", x, y, err.message);
		return false;
	}
	return eq;
}

static void test_equality(void)
{
	static const char *const equal[][2] = {
		{ "1", "1.0" }, { "1", "1e0" }, { "1", "10e-1" }, { "1", "0.1e1" }, { "-0", "0.0" }, { "0e9", "0" },
		{ "1500", "1.5e3" }, { "1500", "15.00E+2" }, { "9007199254740993", "9007199254740993.0" },
		{ "0.00123", "1.23e-3" }, { "100.0100", "100.01" }, { "1e2", "100" }, { "100", "1000e-1" }, { "10.5", "105e-1" },
		{ "3500000000", "3.5e9" }, { "1e400", "10e399" }, { "123e-5", "0.00123" }, { "1000000000000000000000", "1e21" },
		{ "{\"a\":1,\"b\":[2]}", "{ \"b\" : [2.0], \"a\" : 1 }" }, { "\"\\u0061\"", "\"a\"" }, { "[]", "[ ]" },
		{ "{\"\\u0061\":1}", "{\"a\":1}" }, { "{\"a\":{\"x\":1,\"y\":2},\"b\":3}", "{\"b\":3,\"a\":{\"y\":2,\"x\":1}}" },
		{ "null", " null" }, { "Infinity", "Infinity" },
	};
	static const char *const differ[][2] = {
		{ "1", "-1" }, { "1", "10" }, { "1", "0.1" }, { "9007199254740993", "9007199254740992" }, { "1", "true" },
		{ "1", "\"1\"" }, { "0", "null" }, { "0", "false" }, { "[1,2]", "[2,1]" }, { "[1]", "[1,1]" }, { "{\"a\":1}", "{\"a\":2}" },
		{ "{\"a\":1}", "{\"b\":1}" }, { "{\"a\":1}", "{}" }, { "{\"a\":1,\"b\":2}", "{\"a\":1,\"c\":2}" },
		{ "0.1", "0.10000000000000001" }, { "NaN", "NaN" }, { "Infinity", "-Infinity" }, { "1e9", "Infinity" },
		{ "100.01", "100.1" }, { "101", "11" }, { "true", "false" }, { "1e1", "1e-1" }, { "[]", "{}" }, { "0.5", "5" },
	};
	size_t i;
	for (i = 0; i < sizeof equal / sizeof equal[0]; i++) {
		ok(same(equal[i][0], equal[i][1]), "%s == %s", equal[i][0], equal[i][1]);
		ok(same(equal[i][1], equal[i][0]), "%s == %s", equal[i][1], equal[i][0]);
	}
	for (i = 0; i < sizeof differ / sizeof differ[0]; i++) {
		ok(!same(differ[i][0], differ[i][1]), "%s != %s", differ[i][0], differ[i][1]);
		ok(!same(differ[i][1], differ[i][0]), "%s != %s", differ[i][1], differ[i][0]);
	}
}

static void test_cjson(void)
{
	cJSON *t = NULL, *x;
	is_int(parse("{\"n\":12345678901234567890,\"f\":1.0,\"A\":\"x\\u00e9\",\"a\":[true,false,null,{}]}", 0), C4W_OK);
	is_int(c4w_json_tree(&doc, 0, &t, &err), C4W_OK);
	x = cJSON_GetObjectItemCaseSensitive(t, "n");
	ok(cJSON_IsRaw(x) && strcmp(x->valuestring, "12345678901234567890") == 0, "n");
	x = cJSON_GetObjectItemCaseSensitive(t, "f");
	ok(cJSON_IsRaw(x) && strcmp(x->valuestring, "1.0") == 0, "f");
	x = cJSON_GetObjectItemCaseSensitive(t, "A");
	ok(cJSON_IsString(x) && strcmp(x->valuestring, "x\xC3\xA9") == 0, "A");
	x = cJSON_GetObjectItemCaseSensitive(t, "a");
	ok(cJSON_GetArraySize(x) == 4 && cJSON_IsTrue(cJSON_GetArrayItem(x, 0)) && cJSON_IsFalse(cJSON_GetArrayItem(x, 1)) &&
		   cJSON_IsNull(cJSON_GetArrayItem(x, 2)) && cJSON_IsObject(cJSON_GetArrayItem(x, 3)), "a");
	cJSON_Delete(t);
	is_int(parse("[\"a\\u0000b\"]", 0), C4W_OK);
	is_int(c4w_json_tree(&doc, 0, &t, &err), C4W_DAMAGED);
	is_str(err.rule, "json.nul");
	ok(t == NULL, "a tree was returned");
}

/* Every prefix of a document is refused, and every byte changed to an odd one does no harm. */
static void test_prefixes(void)
{
	static const char text[] = "{\"a\":[1.5e-3,-0,true,null,\"x\\u00e9\\ud834\\udd1e\xC3\xA9\"],\"bb\":{\"c\":false,\"d\":[[],{}]}}";
	static const char odd[] = "\0\"\\{}[]:,0\x80\xFF ";
	size_t n, i;
	for (n = 0; n < sizeof text - 1; n++) {
		char cut[sizeof text];
		memcpy(cut, text, n);
		cut[n] = 0;
		ok(parse(cut, 0) == C4W_DAMAGED && err.offset >= 0 && err.offset <= (int64_t)n, "prefix of %zu", n);
		for (i = 0; i < sizeof odd - 1; i++) {
			char *changed = malloc(sizeof text - 1);
			int r;
			memcpy(changed, text, sizeof text - 1);
			changed[n] = odd[i];
			c4w_arena_reset(&arena);
			r = c4w_json_parse((struct c4w_view){ changed, sizeof text - 1 }, 0, 0, &arena, &doc, &err);
			ok(r == C4W_OK || (r == C4W_DAMAGED && err.rule && err.offset <= (int64_t)sizeof text), "changed at %zu", n);
			free(changed);
		}
	}
}

static void test_suite(void)
{
	const char *top = getenv("C4W_TOP");
	char path[1024];
	struct dirent *e;
	DIR *dir;
	int yes = 0, no = 0, either = 0;
	snprintf(path, sizeof path, "%s/tests/data/JSONTestSuite", top ? top : ".");
	dir = opendir(path);
	ok(dir != NULL, "%s is not there (run from the top, or set C4W_TOP)", path);
	while (dir && (e = readdir(dir)) != NULL) {
		char file[2048], *text = malloc(1 << 20);
		size_t n;
		FILE *f;
		int r;
		if (e->d_name[0] == '.' || e->d_name[1] != '_') {
			free(text);
			continue;
		}
		snprintf(file, sizeof file, "%s/%s", path, e->d_name);
		f = fopen(file, "rb");
		n = f ? fread(text, 1, 1 << 20, f) : 0;
		if (f)
			fclose(f);
		text = realloc(text, n ? n : 1);
		c4w_arena_reset(&arena);
		r = c4w_json_parse((struct c4w_view){ text, n }, 0, 0, &arena, &doc, &err);
		if (e->d_name[0] == 'y' && strncmp(e->d_name, "y_object_duplicated_key", 23) == 0) {
			ok(r == C4W_DAMAGED && strcmp(err.rule, "json.duplicate-key") == 0, "%s", e->d_name);
			r = c4w_json_parse((struct c4w_view){ text, n }, C4W_JSON_LAST_WINS, 0, &arena, &doc, &err);
			ok(r == C4W_OK, "%s, last wins", e->d_name);
			yes++;
		} else if (e->d_name[0] == 'y') {
			ok(r == C4W_OK, "%s: %s", e->d_name, err.message);
			yes++;
		} else if (e->d_name[0] == 'n') {
			ok(r != C4W_OK, "%s was accepted", e->d_name);
			r = c4w_json_parse((struct c4w_view){ text, n }, C4W_JSON_BOM, 0, &arena, &doc, &err);
			ok(r != C4W_OK, "%s was accepted with a byte order mark allowed", e->d_name);
			no++;
		} else {
			ok(r == C4W_OK || r == C4W_DAMAGED || r == C4W_LIMIT, "%s: %d", e->d_name, r);
			either++;
		}
		free(text);
	}
	if (dir)
		closedir(dir);
	ok(yes == 95 && no == 186 && either == 35, "%d y_, %d n_, %d i_", yes, no, either);
}

static void test_rules_table(void)
{
	size_t i, j;
	for (i = 0; c4w_json_rules[i].id; i++) {
		ok(strncmp(c4w_json_rules[i].id, "json.", 5) == 0 && c4w_json_rules[i].sentence && c4w_json_rules[i].section, "%zu", i);
		for (j = 0; j < i; j++)
			ok(strcmp(c4w_json_rules[i].id, c4w_json_rules[j].id) != 0, "%s twice", c4w_json_rules[i].id);
	}
}

static double cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* With C4W_BENCH naming a JSON file: MB/s of CPU time. */
static void bench(const char *file)
{
	FILE *f = fopen(file, "rb");
	size_t cap = 1 << 28, n;
	char *text = malloc(cap);
	double best = 1e9;
	int run, r = 0;
	n = f ? fread(text, 1, cap, f) : 0;
	if (f)
		fclose(f);
	for (run = 0; run < 7 && n; run++) {
		double t = cpu();
		int k, times = (int)(32000000 / n + 1);
		for (k = 0; k < times; k++) {
			c4w_arena_rewind(&arena, (struct c4w_arena_mark){ 0 });
			r = c4w_json_parse((struct c4w_view){ text, n }, 0, 0, &arena, &doc, &err);
		}
		t = (cpu() - t) / times;
		best = t < best ? t : best;
	}
	printf("# %s: class %d, %zu bytes, %u slots, %.0f MB/s\n", file, r, n, doc.count, (double)n / best / 1e6);
	free(text);
}

/* test_json dump FLAGS INDENT SORT ASCII FILE...: each file, written again, one after the other, each followed by a NUL; a refused
 * one gives "!rule". For tests/peers/json. */
static int dump_files(int argc, char **argv)
{
	struct c4w_json_style style = { .indent = (unsigned)strtoul(argv[3], NULL, 10), .sort = argv[4][0] == '1', .ascii = argv[5][0] == '1' };
	int i;
	for (i = 6; i < argc; i++) {
		struct c4w_buf in = { 0 }, out = { 0 };
		FILE *f = fopen(argv[i], "rb");
		char piece[65536];
		size_t n;
		int r;
		while (f && (n = fread(piece, 1, sizeof piece, f)) > 0)
			c4w_buf_put(&in, piece, n);
		if (f)
			fclose(f);
		c4w_arena_reset(&arena);
		c4w_err_clear(&err);
		r = c4w_json_parse((struct c4w_view){ in.p, in.n }, (unsigned)strtoul(argv[2], NULL, 10), 0, &arena, &doc, &err);
		if (r == C4W_OK)
			r = c4w_json_dump(&doc, 0, style, &arena, &out, &err);
		if (r != C4W_OK) {
			c4w_buf_reset(&out);
			c4w_buf_printf(&out, "!%s", err.rule ? err.rule : c4w_class_name(r));
		}
		fwrite(out.p, 1, out.n + 1, stdout);
		c4w_buf_clear(&in);
		c4w_buf_clear(&out);
	}
	c4w_arena_clear(&arena);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 6 && strcmp(argv[1], "dump") == 0)
		return dump_files(argc, argv);
	RUN(test_refusals);
	RUN(test_repeated_keys_in_large_objects);
	RUN(test_colliding_keys);
	RUN(test_depth);
	RUN(test_walk);
	RUN(test_strings);
	RUN(test_numbers);
	RUN(test_python_dialect);
	RUN(test_equality);
	RUN(test_cjson);
	RUN(test_prefixes);
	RUN(test_suite);
	RUN(test_rules_table);
	if (getenv("C4W_BENCH"))
		bench(getenv("C4W_BENCH"));
	c4w_arena_clear(&arena);
	return done();
}
