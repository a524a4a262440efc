/* Writing jobs: what all families share. See plan.h. */
#include "model/plan.h"

#include <string.h>

int c4w_writing_source(const struct c4w_store *store, const char *rel, void (*each)(void *user, const char *path), void *user, struct c4w_err *err)
{
	const char *dir = c4w_store_name(store);
	size_t n = strlen(dir);
	struct c4w_buf name = { 0 };
	int cls;
	while (n > 1 && dir[n - 1] == '/')
		n--;
	c4w_buf_put(&name, dir, n);
	c4w_buf_putc(&name, '/');
	c4w_buf_puts(&name, rel);
	cls = c4w_buf_ok(&name, err);
	if (cls == C4W_OK)
		each(user, name.p);
	c4w_buf_clear(&name);
	return cls;
}

void c4w_writing_destroy(struct c4w_writing *w)
{
	c4w_job_destroy(&w->job);
	if (w->destroy)
		w->destroy(w->ctx);
	*w = (struct c4w_writing){ 0 };
}

void c4w_missing_clear(struct c4w_missing *m)
{
	c4w_arena_clear(&m->arena);
	*m = (struct c4w_missing){ 0 };
}
