/* Words for a POSIX shell, and for make. */
#include "shell.h"

#include <string.h>

static bool safe(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '-' && c <= ':') || (c >= '@' && c <= 'Z') || c == '_' || c == '=' || c == '%' || c == '+' || c == ',';
}

void c4w_shell_word(struct c4w_buf *b, const char *word)
{
	size_t n = strlen(word), i;
	for (i = 0; i < n && safe(word[i]); i++)
		;
	if (b->n)
		c4w_buf_putc(b, ' ');
	if (n && i == n) {
		c4w_buf_put(b, word, n);
		return;
	}
	c4w_buf_putc(b, '\'');
	for (i = 0; i < n; i++) {
		if (word[i] == '\'')
			c4w_buf_puts(b, "'\"'\"'");
		else
			c4w_buf_putc(b, word[i]);
	}
	c4w_buf_putc(b, '\'');
}

void c4w_make_word(struct c4w_buf *b, const char *word)
{
	for (; *word; word++) {
		if (*word == '$')
			c4w_buf_putc(b, '$');
		else if (strchr(" #:\\%", *word))
			c4w_buf_putc(b, '\\');
		c4w_buf_putc(b, *word);
	}
}
