/* Writing jobs: what all families share. See plan.h. */
#include "model/plan.h"

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
