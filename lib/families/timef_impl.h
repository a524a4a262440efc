/* Shared by the files of the TimeF family only. */
#ifndef C4W_FAMILIES_TIMEF_IMPL_H
#define C4W_FAMILIES_TIMEF_IMPL_H

#include "families/timef.h"

struct c4w_timef_shards;
void c4w_timef_shards_free(struct c4w_timef_shards *s); /* accepts NULL */

/* "record r1" and the like, escaped, into buf; returns buf. */
char *c4w_timef_label(const struct c4w_timef *ds, const char *word, enum c4w_timef_id id, struct c4w_view stored, char *buf, size_t size);

#endif
