/* The families' selection options. See selection.h. */
#include "selection.h"

const struct c4w_option *c4w_selection_option(const char *name)
{
	(void)name;
	return NULL;
}

void c4w_selection_each(c4w_option_visit *fn, void *user)
{
	(void)fn;
	(void)user;
}
