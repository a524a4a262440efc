/* Words for a POSIX shell. */
#ifndef C4W_CMD_SHELL_H
#define C4W_CMD_SHELL_H

#include "base/buf.h"

/* Append a blank (unless the buffer is empty) and the word, in single quotes where it needs them. */
void c4w_shell_word(struct c4w_buf *b, const char *word);

/* Append the word for the right-hand or left-hand side of a make rule: blanks, '#', '$', ':' and '\' escaped. */
void c4w_make_word(struct c4w_buf *b, const char *word);

#endif
