/* The families' selection options, merged into a command's. */
#ifndef C4W_CMD_SELECTION_H
#define C4W_CMD_SELECTION_H

#include "../command.h"

/* The first family's option with this long name, or NULL. */
const struct c4w_option *c4w_selection_option(const char *name);

/* Every family's options; one that several families declare alike is visited once, under the first one's title. */
void c4w_selection_each(c4w_option_visit *fn, void *user);

#endif
