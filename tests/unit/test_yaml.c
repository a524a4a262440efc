#include "containers/yaml.h"
#include "base/limits.h"
#include "tap.h"

static struct c4w_arena arena;
static struct c4w_err err;

static struct c4w_yaml_node *parse(const char *text)
{
	struct c4w_yaml_node *root;
	c4w_err_clear(&err);
	if (c4w_yaml_parse(text, strlen(text), &arena, &root, &err) != C4W_OK)
		return NULL;
	return root;
}

struct odd {
	const char *text, *rule; /* NULL: legal */
};

static void check(const struct odd *v, size_t n)
{
	size_t i;
	for (i = 0; i < n; i++) {
		struct c4w_yaml_node *root = parse(v[i].text);
		char shown[80];
		c4w_str_escape(shown, sizeof shown, v[i].text, strlen(v[i].text));
		if (!v[i].rule)
			ok(root != NULL, "%s: %s %s", shown, err.rule ? err.rule : "-", err.message);
		else
			ok(!root && err.rule && strcmp(err.rule, v[i].rule) == 0, "%s: want %s, got %s (%s)", shown, v[i].rule,
			   root ? "no error" : err.rule ? err.rule : "-", err.message);
		c4w_arena_reset(&arena);
	}
}

static void test_hygiene(void)
{
	static const struct odd v[] = {
		{ "a: 1\n", NULL },
		{ "a: 1\nb: 2\n", NULL },
		{ "a: 1\nb: 2\na: 3\n", "yaml.duplicate-key" },
		{ "a: {x: 1, y: 2}\n", NULL },
		{ "a: {x: 1, x: 2}\n", "yaml.duplicate-key" },
		{ "a: 1\n\"a\": 2\n", "yaml.duplicate-key" },
		{ "a: {x: 1}\nb: {x: 1}\n", NULL },
		{ "<<: {x: 1}\nx: 2\n", NULL },
		{ "<<: {x: 1}\n<<: {x: 2}\n", "yaml.duplicate-key" },
		{ "---\na: 1\n...\n", NULL },
		{ "---\na: 1\n---\nb: 1\n", "yaml.documents" },
		{ "a: 1\n...\nb: 1\n", "yaml.documents" },
		{ "", "yaml.documents" },
		{ "# nothing\n", "yaml.documents" },
		{ "- a\n", "yaml.top" },
		{ "a\n", "yaml.top" },
		{ "{}\n", NULL },
		{ "null\n", "yaml.top" },
		{ "[a: 1]\n", "yaml.top" },
		{ "? [a]\n: 1\n", "yaml.key" },
		{ "? {a: 1}\n: 1\n", "yaml.key" },
		{ "? a\n: 1\n", NULL },
		{ "a: !!str 1\nb: !!int 2\nc: !!float 1.5\nd: !!bool true\ne: !!null ~\nf: !!map {}\ng: !!seq []\n", NULL },
		{ "a: !!python/object:os.system {}\n", "yaml.tag" },
		{ "a: !!set {x}\n", "yaml.tag" },
		{ "a: !!timestamp 2001-01-01\n", "yaml.tag" },
		{ "a: !local 1\n", "yaml.tag" },
		{ "a: ! x\n", "yaml.tag" },
		{ "a: !x!y 1\n", "yaml.tag" },
		{ "%TAG !x! tag:yaml.org,2002:\n---\na: !x!int 1\n", NULL },
		{ "%YAML 1.1\n---\na: 1\n", NULL },
		{ "a: !!int x\n", "yaml.tag-value" },
		{ "a: !!int \"12\"\n", NULL },
		{ "a: !!map [1]\n", "yaml.tag-value" },
		{ "a: !!str {x: 1}\n", "yaml.tag-value" },
		{ "a: &x [1]\nb: *x\n", NULL },
		{ "a: *x\nb: &x [1]\n", "yaml.alias-unknown" },
		{ "a: &x [*x]\n", "yaml.alias-self" },
		{ "a: &x {b: {c: *x}}\n", "yaml.alias-self" },
		{ "a: &x [1]\nb: &x [2]\nc: *x\n", NULL },
		{ "&k a: 1\nb: {*k : 2}\n", NULL },
		{ "&k a: 1\n*k : 2\n", "yaml.duplicate-key" },
		{ "a:\n  b: 1\n", NULL },
		{ "a:\n\tb: 1\n", "yaml.tab" },
		{ "a:\n  b: 1\n \tc: 1\n", "yaml.tab" },
		{ "a: {\n\tb: 1}\n", "yaml.tab" },
		{ "a: {\n  b: 1}\n", NULL },
		{ "a: \"x\n\ty\"\n", NULL },
		{ "a: |\n  x\n  \ty\nb: 1\n", NULL },
		{ "a: |\n  x\n\tb: 1\n", "yaml.tab" },
		{ "a: x\ty\n", NULL },
		{ "a: x\n  \ty\n", "yaml.tab" },
		{ "a: 1\n\t\nb: 1\n", "yaml.tab" },
		{ "a: \"x\n\ty\"\nb: {\n\tc: 1}\n", "yaml.tab" },
		{ "a: \xC3\xA9\n", NULL },
		{ "a: \xC3\n", "yaml.encoding" },
		{ "a: \xED\xA0\x80\n", "yaml.encoding" },
		{ "a: \x01\n", "yaml.encoding" },
		{ "\xEF\xBB\xBF" "a: 1\nb: 1\n", NULL },
		{ "a: [1\n", "yaml.syntax" },
		{ "a: \"x\n", "yaml.syntax" },
		{ "a: b: c\n", "yaml.syntax" },
		{ "a:\n- 1\n- 2\n", NULL },
		{ "a: 1\r\nb: 2\r\n", NULL },
	};
	check(v, sizeof v / sizeof *v);
}

/* `n` sequences inside each other below a top mapping: nesting n + 1 */
static char *nested(size_t n, const char *head, const char *tail)
{
	char *p = malloc(2 * n + strlen(head) + strlen(tail) + 1);
	size_t h = strlen(head);
	memcpy(p, head, h);
	memset(p + h, '[', n);
	memset(p + h + n, ']', n);
	memcpy(p + h + 2 * n, tail, strlen(tail) + 1);
	return p;
}

static void test_limits(void)
{
	char *t = nested(63, "a: ", "\n");
	struct c4w_buf b = { 0 };
	size_t i, k;
	ok(parse(t) != NULL, "%s", err.message);
	free(t);
	t = nested(64, "a: ", "\n");
	ok(!parse(t) && err.cls == C4W_LIMIT && strcmp(err.rule, "yaml.depth") == 0, "%s", err.message);
	free(t);
	t = nested(62, "a: &x ", "\nb: [*x]\n"); /* 1 + 1 + 62 = 64 */
	ok(parse(t) != NULL, "%s", err.message);
	free(t);
	t = nested(63, "a: &x ", "\nb: [*x]\n");
	ok(!parse(t) && err.rule && strcmp(err.rule, "yaml.depth") == 0, "%s", err.message);
	free(t);
	/* ten aliases of ten aliases ... */
	c4w_buf_puts(&b, "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
	for (i = 1; i < 9; i++) {
		c4w_buf_printf(&b, "a%zu: &a%zu [", i, i);
		for (k = 0; k < 10; k++)
			c4w_buf_printf(&b, "%s*a%zu", k ? "," : "", i - 1);
		c4w_buf_puts(&b, "]\n");
	}
	ok(!parse(b.p) && err.cls == C4W_LIMIT && strcmp(err.rule, "yaml.nodes") == 0, "%s", err.message);
	c4w_arena_reset(&arena);
	c4w_buf_reset(&b);
	/* root, one key, the sequence and n items */
	for (k = 0; k < 2; k++) {
		c4w_buf_reset(&b);
		c4w_buf_puts(&b, "a:\n");
		for (i = 0; i < 1000000 - 3 + k; i++)
			c4w_buf_puts(&b, "- 1\n");
		ok((parse(b.p) != NULL) == (k == 0), "%zu: %s", k, err.message);
		c4w_arena_clear(&arena);
	}
	c4w_buf_reset(&b);
	c4w_buf_puts(&b, "a: 1\n#");
	while (b.n < C4W_LIMIT_YAML_BYTES)
		c4w_buf_putc(&b, 'x');
	ok(parse(b.p) != NULL, "%s", err.message);
	c4w_buf_putc(&b, 'x');
	ok(!parse(b.p) && strcmp(err.rule, "yaml.size") == 0, "%s", err.message);
	/* many keys go through the sorted comparison */
	for (k = 0; k < 2; k++) {
		c4w_buf_reset(&b);
		for (i = 0; i < 5000; i++)
			c4w_buf_printf(&b, "k%zu: 1\n", i * 7919 % 5000);
		if (k)
			c4w_buf_puts(&b, "k77: 2\n");
		ok((parse(b.p) != NULL) == (k == 0), "%zu: %s", k, err.message);
		c4w_arena_clear(&arena);
	}
	c4w_buf_clear(&b);
}

static void test_types(void)
{
	static const struct {
		const char *text;
		enum c4w_yaml_type type;
	} v[] = {
		{ "1", C4W_YAML_INTEGER },	 { "-12", C4W_YAML_INTEGER },  { "+3", C4W_YAML_INTEGER },  { "007", C4W_YAML_INTEGER },
		{ "0x10", C4W_YAML_STRING },	 { "0o7", C4W_YAML_STRING },   { "1_000", C4W_YAML_STRING }, { "190:20:30", C4W_YAML_STRING },
		{ "1.5", C4W_YAML_REAL },	 { "1.0e-07", C4W_YAML_REAL }, { "1e5", C4W_YAML_REAL },    { ".5", C4W_YAML_REAL },
		{ "5.", C4W_YAML_REAL },	 { ".", C4W_YAML_STRING },     { "e5", C4W_YAML_STRING },   { "1e", C4W_YAML_STRING },
		{ ".nan", C4W_YAML_REAL },	 { "-.inf", C4W_YAML_REAL },   { "nan", C4W_YAML_STRING },  { "true", C4W_YAML_BOOL },
		{ "false", C4W_YAML_BOOL },	 { "yes", C4W_YAML_STRING },   { "True", C4W_YAML_STRING }, { "null", C4W_YAML_NULL },
		{ "~", C4W_YAML_NULL },		 { "", C4W_YAML_NULL },	       { "Null", C4W_YAML_STRING }, { "\"1\"", C4W_YAML_STRING },
		{ "'true'", C4W_YAML_STRING },	 { "!!str 1", C4W_YAML_STRING }, { "[]", C4W_YAML_IS_SEQ }, { "{}", C4W_YAML_IS_MAP },
		{ "\"\"", C4W_YAML_STRING },	 { "-", C4W_YAML_STRING },
	};
	size_t i;
	int64_t n;
	double d;
	for (i = 0; i < sizeof v / sizeof *v - 1; i++) {
		char text[64];
		struct c4w_yaml_node *root;
		snprintf(text, sizeof text, "a: %s\n", v[i].text);
		root = parse(text);
		ok(root && c4w_yaml_type(c4w_yaml_get(root, "a")) == v[i].type, "%s", v[i].text);
	}
	ok(c4w_yaml_int64(c4w_yaml_get(parse("a: 9223372036854775807\n"), "a"), &n) && n == INT64_MAX, "max");
	ok(c4w_yaml_int64(c4w_yaml_get(parse("a: -9223372036854775808\n"), "a"), &n) && n == INT64_MIN, "min");
	ok(!c4w_yaml_int64(c4w_yaml_get(parse("a: 9223372036854775808\n"), "a"), &n), "max + 1");
	ok(!c4w_yaml_int64(c4w_yaml_get(parse("a: -9223372036854775809\n"), "a"), &n), "min - 1");
	ok(!c4w_yaml_int64(c4w_yaml_get(parse("a: 1.0\n"), "a"), &n), "a float is no integer");
	ok(c4w_yaml_double(c4w_yaml_get(parse("a: 1.0e-07\n"), "a"), &d) && d == 1e-7, "exponent");
	ok(c4w_yaml_double(c4w_yaml_get(parse("a: 12\n"), "a"), &d) && d == 12, "an integer is a number");
	ok(c4w_yaml_double(c4w_yaml_get(parse("a: .5\n"), "a"), &d) && d == 0.5, "no digit before the point");
	ok(c4w_yaml_double(c4w_yaml_get(parse("a: -5.\n"), "a"), &d) && d == -5, "no digit after the point");
	ok(c4w_yaml_double(c4w_yaml_get(parse("a: +5.e3\n"), "a"), &d) && d == 5000, "both signs of sloth");
	ok(!c4w_yaml_double(c4w_yaml_get(parse("a: .nan\n"), "a"), &d), "nan");
	ok(!c4w_yaml_double(c4w_yaml_get(parse("a: 1e400\n"), "a"), &d), "overflow");
	ok(!c4w_yaml_double(c4w_yaml_get(parse("a: \"1.0\"\n"), "a"), &d), "quoted");
	c4w_arena_clear(&arena);
}

static bool same(const struct c4w_yaml_node *a, const struct c4w_yaml_node *b)
{
	size_t i, n = a->kind == C4W_YAML_MAP ? 2 * a->count : a->count;
	if (a->kind != b->kind || a->count != b->count)
		return false;
	if (a->kind == C4W_YAML_SCALAR) {
		double x, y;
		if (c4w_yaml_double(a, &x))
			return c4w_yaml_double(b, &y) && x == y && c4w_yaml_type(a) == c4w_yaml_type(b);
		return c4w_yaml_type(a) == c4w_yaml_type(b) && (c4w_yaml_type(a) == C4W_YAML_NULL || c4w_view_eq(a->text, b->text));
	}
	for (i = 0; i < n; i++)
		if (!same(a->items[i], b->items[i]))
			return false;
	return true;
}

static void test_write(void)
{
	static const char *const v[] = {
		"{}\n",
		"a: 1\nb: [1, 2, [3, [4, {c: 5}]], {d: 6, e: [7]}, [], {}]\n",
		"a: {b: {c: [{d: 1, e: 2}, {f: [1, 2]}]}}\n",
		"'yes': 'no'\n'1': '2'\n'': ''\n'~': 'null'\n'a b': '- x'\n'<<': '='\n",
		"a: 1e5\nb: 1E-7\nc: -1.5e+10\nd: 0.1\ne: -0\nf: true\ng: null\n",
		"a: \"x\\n\\t\\x01\\x7f\\x85\\u2028\\ufeff\\\\ \\\" \\U0001F600\xC3\xA9\"\n",
		"? \"0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789\"\n: [1, 2]\n"
		"? \"1123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789\"\n: {a: 1}\n"
		"? \"2123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789\"\n: x\n",
	};
	size_t i;
	for (i = 0; i < sizeof v / sizeof *v; i++) {
		struct c4w_buf b = { 0 };
		struct c4w_yaml_node *root = parse(v[i]), *again;
		ok(root != NULL, "%s: %s", v[i], err.message);
		if (!root)
			continue;
		c4w_yaml_write(&b, root);
		again = parse(b.p);
		ok(again && same(root, again), "%s became\n%s (%s)", v[i], b.p, err.message);
		c4w_buf_clear(&b);
	}
	c4w_arena_clear(&arena);
}

int main(void)
{
	RUN(test_hygiene);
	RUN(test_limits);
	RUN(test_types);
	RUN(test_write);
	return done();
}
