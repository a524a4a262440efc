/* Options as data: storing values, sizes, defaults. */
#include "model/option.h"

#include "tap.h"

struct args {
	bool flag;
	int count, word;
	int64_t number;
	uint64_t size;
	double real;
	const char *text;
	struct c4w_strings list;
	struct c4w_ints ints;
};

#define AT(field) offsetof(struct args, field)

static const char *const words[] = { "basic", "full", NULL };

static const struct c4w_option table[] = {
	{ .name = "flag", .kind = C4W_OPT_FLAG, .offset = AT(flag) },
	{ .name = "count", .kind = C4W_OPT_COUNT, .offset = AT(count) },
	{ .name = "level", .kind = C4W_OPT_ENUM, .arg = "W", .offset = AT(word), .values = words, .def = "full" },
	{ .name = "number", .kind = C4W_OPT_INT, .arg = "N", .offset = AT(number), .min = 0, .max = 100 },
	{ .name = "size", .kind = C4W_OPT_SIZE, .arg = "SIZE", .offset = AT(size), .def = "1G" },
	{ .name = "real", .kind = C4W_OPT_REAL, .arg = "X", .offset = AT(real) },
	{ .name = "text", .kind = C4W_OPT_STRING, .arg = "T", .offset = AT(text) },
	{ .name = "list", .kind = C4W_OPT_LIST, .arg = "T", .offset = AT(list) },
	{ .name = "ints", .kind = C4W_OPT_INTS, .arg = "N", .offset = AT(ints) },
	{ .name = NULL },
};

static struct c4w_arena arena;

static int store(struct args *a, const char *name, const char *value, struct c4w_err *err)
{
	return c4w_option_store(c4w_options_find(table, name), a, value, &arena, err);
}

static void test_sizes(void)
{
	static const struct {
		const char *text;
		bool fine;
		uint64_t value;
	} cases[] = {
		{ "0", true, 0 }, { "4096", true, 4096 }, { "64K", true, 65536 }, { "64k", true, 65536 }, { "2M", true, 2097152 },
		{ "1.5G", true, 1610612736 }, { "2GiB", true, 2147483648ULL }, { "10MB", true, 10485760 }, { "7B", true, 7 },
		{ "1T", true, 1099511627776ULL }, { "18446744073709551615", true, UINT64_MAX }, { "18446744073709551616", false, 0 },
		{ "17179869184G", false, 0 }, { "", false, 0 }, { "K", false, 0 }, { "-1", false, 0 }, { "1e3", false, 0 }, { "0x10", false, 0 },
		{ "1KK", false, 0 }, { "1.5.2G", false, 0 }, { " 1", false, 0 }, { "1 ", false, 0 }, { "nan", false, 0 },
	};
	size_t i;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint64_t v = 0;
		bool fine = c4w_parse_size(cases[i].text, &v);
		ok(fine == cases[i].fine && (!fine || v == cases[i].value), "'%s' gives %d, %llu", cases[i].text, fine, (unsigned long long)v);
	}
}

static void test_ints(void)
{
	int64_t v = 0;
	ok(c4w_parse_int("9223372036854775807", &v) && v == INT64_MAX, "largest");
	ok(c4w_parse_int("-9223372036854775808", &v) && v == INT64_MIN, "smallest");
	ok(!c4w_parse_int("9223372036854775808", &v), "too large");
	ok(!c4w_parse_int("", &v) && !c4w_parse_int("-", &v) && !c4w_parse_int("+1", &v) && !c4w_parse_int(" 1", &v) && !c4w_parse_int("1x", &v),
	   "not numbers");
}

static void test_store(void)
{
	struct args a = { 0 };
	struct c4w_err err;
	int i;
	is_int(c4w_options_defaults(table, &a, &arena, &err), C4W_OK);
	is_int(a.word, 1);
	ok(a.size == 1ULL << 30, "default size");
	is_int(store(&a, "flag", NULL, &err), C4W_OK);
	ok(a.flag, "flag");
	for (i = 0; i < 3; i++)
		is_int(store(&a, "count", NULL, &err), C4W_OK);
	is_int(a.count, 3);
	is_int(store(&a, "level", "basic", &err), C4W_OK);
	is_int(a.word, 0);
	is_int(store(&a, "number", "100", &err), C4W_OK);
	is_int(a.number, 100);
	is_int(store(&a, "real", "2.5e-3", &err), C4W_OK);
	ok(a.real > 0.0024 && a.real < 0.0026, "real");
	is_int(store(&a, "text", "x", &err), C4W_OK);
	is_str(a.text, "x");
	for (i = 0; i < 100; i++) {
		is_int(store(&a, "list", i % 2 ? "odd" : "even", &err), C4W_OK);
		is_int(store(&a, "ints", "7", &err), C4W_OK);
	}
	is_int(a.list.n, 100);
	is_str(a.list.v[0], "even");
	is_str(a.list.v[99], "odd");
	is_int(a.ints.n, 100);
	is_int(a.ints.v[64], 7);
	c4w_arena_clear(&arena);
}

static void test_refused(void)
{
	static const char *const cases[][3] = {
		{ "level", "ful", "option --level: 'ful' is not one of basic, full" },
		{ "number", "101", "option --number: '101' is not within 0 to 100" },
		{ "number", "x", "option --number: 'x' is not a whole number" },
		{ "size", "big", "option --size: 'big' is not a size such as 4096, 64K, 100M or 2G" },
		{ "real", "1.5x", "option --real: '1.5x' is not a number" },
		{ "real", "inf", "option --real: 'inf' is not a number" },
		{ "level", "a\nb", "option --level: 'a\\nb' is not one of basic, full" },
	};
	struct args a = { 0 };
	struct c4w_err err;
	size_t i;
	for (i = 0; i < sizeof cases / sizeof *cases; i++) {
		is_int(store(&a, cases[i][0], cases[i][1], &err), C4W_USAGE);
		is_str(err.message, cases[i][2]);
	}
	is_int(store(&a, "level", "ful", &err), C4W_USAGE);
	is_str(err.hint, "did you mean 'full'?");
	is_int(c4w_options_count(table), 9);
	ok(c4w_options_find(table, "nope") == NULL, "not there");
	c4w_arena_clear(&arena);
}

int main(void)
{
	RUN(test_sizes);
	RUN(test_ints);
	RUN(test_store);
	RUN(test_refused);
	return done();
}
