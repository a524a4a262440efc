/* Walking a tree. See walk.h. */
#include "storage/walk.h"

#include "base/buf.h"

#include <stdlib.h>

struct frame {
	struct c4w_arena arena; /* the listing */
	struct c4w_dirent *entries;
	size_t count, at;
	size_t path; /* length of the directory's path in w->path */
};

struct c4w_walk {
	struct c4w_store *store;
	struct frame *frames;
	size_t depth, room;
	struct c4w_buf path;
};

static int enter(struct c4w_walk *w, struct c4w_err *err)
{
	struct frame *f;
	int cls;
	if (w->depth == w->room) {
		size_t room = w->room ? 2 * w->room : 16;
		struct frame *more = realloc(w->frames, room * sizeof *more);
		if (!more)
			return c4w_fail_memory(err, room * sizeof *more);
		w->frames = more;
		w->room = room;
	}
	f = &w->frames[w->depth];
	*f = (struct frame){ .path = w->path.n };
	cls = c4w_store_list(w->store, w->path.n ? w->path.p : "", &f->arena, &f->entries, &f->count, err);
	if (cls != C4W_OK) {
		c4w_arena_clear(&f->arena);
		return cls;
	}
	w->depth++;
	return C4W_OK;
}

int c4w_walk_new(struct c4w_store *s, const char *rel, struct c4w_walk **out, struct c4w_err *err)
{
	struct c4w_walk *w = calloc(1, sizeof *w);
	int cls;
	*out = NULL;
	if (!w)
		return c4w_fail_memory(err, sizeof *w);
	w->store = s;
	c4w_buf_puts(&w->path, rel);
	cls = c4w_buf_ok(&w->path, err);
	if (cls == C4W_OK)
		cls = enter(w, err);
	if (cls != C4W_OK) {
		c4w_walk_free(w);
		return cls;
	}
	*out = w;
	return C4W_OK;
}

void c4w_walk_free(struct c4w_walk *w)
{
	if (!w)
		return;
	while (w->depth)
		c4w_arena_clear(&w->frames[--w->depth].arena);
	free(w->frames);
	c4w_buf_clear(&w->path);
	free(w);
}

static void set_path(struct c4w_walk *w, size_t keep, const char *name)
{
	w->path.n = keep;
	if (keep)
		c4w_buf_putc(&w->path, '/');
	c4w_buf_puts(&w->path, name);
}

enum c4w_walk_kind c4w_walk_next(struct c4w_walk *w, struct c4w_walk_item *item, struct c4w_err *err)
{
	while (w->depth) {
		struct frame *f = &w->frames[w->depth - 1];
		const struct c4w_dirent *e;
		if (f->at == f->count) {
			c4w_arena_clear(&f->arena);
			w->depth--;
			continue;
		}
		e = &f->entries[f->at++];
		set_path(w, f->path, e->name);
		if (w->path.failed) {
			w->depth = 0;
			c4w_fail_memory(err, w->path.n);
			return C4W_WALK_ERROR;
		}
		item->path = w->path.p;
		item->stat = e->st;
		if (e->st.kind == C4W_KIND_FILE)
			return C4W_WALK_FILE;
		if (e->st.kind != C4W_KIND_DIR || e->st.is_link)
			return C4W_WALK_SKIPPED;
		if (enter(w, err) != C4W_OK)
			return C4W_WALK_ERROR;
	}
	return C4W_WALK_END;
}
