/* Writing YAML: block style, two blanks a level, list dashes in the column of their key, as PyYAML's dumper has it.
 *
 * Text stands plain only where no YAML 1.1 reader could take it for something else (yes, no, on, 1e5, 12:30, dates,
 * =, <<); everything else is double-quoted with escapes, in one line.
 */
#include "containers/yaml.h"

#include <string.h>

/* YAML 1.1 takes a float only with a point and a signed exponent: "1e-07" would come back as a string. */
static void put_number(struct c4w_buf *b, struct c4w_view t)
{
	size_t i;
	bool point = false;
	for (i = 0; i < t.n && t.p[i] != 'e' && t.p[i] != 'E'; i++)
		point |= t.p[i] == '.';
	c4w_buf_put(b, t.p, i);
	if (i == t.n)
		return;
	if (!point)
		c4w_buf_puts(b, ".0");
	c4w_buf_putc(b, 'e');
	i++;
	if (i < t.n && t.p[i] != '-' && t.p[i] != '+')
		c4w_buf_putc(b, '+');
	c4w_buf_put(b, t.p + i, t.n - i);
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool safe_plain(struct c4w_view t)
{
	static const char *const words[] = { "y", "n", "yes", "no", "on", "off", "true", "false", "null" };
	size_t i, k;
	if (t.n == 0 || t.n > 100 || !is_letter(t.p[0]))
		return false;
	for (i = 1; i < t.n; i++)
		if (!is_letter(t.p[i]) && !(t.p[i] >= '0' && t.p[i] <= '9') && !strchr("-./", t.p[i]))
			return false;
	for (k = 0; k < sizeof words / sizeof *words; k++)
		if (strlen(words[k]) == t.n && strncasecmp(words[k], t.p, t.n) == 0)
			return false;
	return true;
}

static void put_text(struct c4w_buf *b, struct c4w_view t)
{
	size_t i = 0;
	if (safe_plain(t)) {
		c4w_buf_put(b, t.p, t.n);
		return;
	}
	c4w_buf_putc(b, '"');
	while (i < t.n) {
		uint32_t cp = 0xFFFD;
		size_t len = c4w_utf8_decode(t.p + i, t.n - i, &cp);
		if (cp == '"' || cp == '\\')
			c4w_buf_printf(b, "\\%c", (char)cp);
		else if (cp == '\n')
			c4w_buf_puts(b, "\\n");
		else if (cp == '\t')
			c4w_buf_puts(b, "\\t");
		else if (cp < 0x20 || (cp >= 0x7F && cp < 0xA0))
			c4w_buf_printf(b, "\\x%02X", cp);
		else if (cp == 0x2028 || cp == 0x2029 || cp == 0xFEFF || cp == 0xFFFE || cp == 0xFFFF)
			c4w_buf_printf(b, "\\u%04X", cp);
		else
			c4w_buf_put(b, t.p + i, len ? len : 1);
		i += len ? len : 1;
	}
	c4w_buf_putc(b, '"');
}

static void put_scalar(struct c4w_buf *b, const struct c4w_yaml_node *n)
{
	enum c4w_yaml_type t = c4w_yaml_type(n);
	if (n->count == 0 && n->kind != C4W_YAML_SCALAR)
		c4w_buf_puts(b, n->kind == C4W_YAML_SEQ ? "[]" : "{}");
	else if (t == C4W_YAML_STRING)
		put_text(b, n->text);
	else if (t == C4W_YAML_NULL)
		c4w_buf_puts(b, "null");
	else if (t == C4W_YAML_BOOL)
		c4w_buf_put(b, n->text.p, n->text.n);
	else
		put_number(b, n->text);
}

static bool is_leaf(const struct c4w_yaml_node *n)
{
	return n->kind == C4W_YAML_SCALAR || n->count == 0;
}

static void indent(struct c4w_buf *b, size_t n)
{
	while (n--)
		c4w_buf_putc(b, ' ');
}

static void put_collection(struct c4w_buf *b, const struct c4w_yaml_node *n, size_t column, bool first_inline);

static void put_pair(struct c4w_buf *b, const struct c4w_yaml_node *key, const struct c4w_yaml_node *value, size_t column)
{
	/* A key is "simple" only within 1024 characters (YAML 1.1, 9.2.2); escapes make up to ten of one. */
	bool long_key = key->text.n > 96;
	if (long_key) {
		c4w_buf_puts(b, "? ");
		put_text(b, key->text);
		c4w_buf_putc(b, '\n');
		indent(b, column);
	} else {
		put_text(b, key->text);
	}
	c4w_buf_putc(b, ':');
	if (is_leaf(value)) {
		c4w_buf_putc(b, ' ');
		put_scalar(b, value);
		c4w_buf_putc(b, '\n');
		return;
	}
	c4w_buf_putc(b, '\n');
	put_collection(b, value, value->kind == C4W_YAML_SEQ && !long_key ? column : column + 2, false);
}

static void put_collection(struct c4w_buf *b, const struct c4w_yaml_node *n, size_t column, bool first_inline)
{
	size_t i;
	for (i = 0; i < n->count; i++) {
		if (i || !first_inline)
			indent(b, column);
		if (n->kind == C4W_YAML_MAP) {
			put_pair(b, n->items[2 * i], n->items[2 * i + 1], column);
			continue;
		}
		c4w_buf_puts(b, "- ");
		if (is_leaf(n->items[i])) {
			put_scalar(b, n->items[i]);
			c4w_buf_putc(b, '\n');
		} else {
			put_collection(b, n->items[i], column + 2, true);
		}
	}
}

void c4w_yaml_write(struct c4w_buf *b, const struct c4w_yaml_node *root)
{
	if (is_leaf(root)) {
		put_scalar(b, root);
		c4w_buf_putc(b, '\n');
	} else {
		put_collection(b, root, 0, false);
	}
}
