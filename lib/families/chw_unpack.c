/* A scene's geometry as files (sections 5 and 7): the archive is proved first, then each entry is written through the sink. */
#include "families/chw.h"

#include "base/limits.h"
#include "families/chw_unpack.h"

static int put_entry(struct c4w_zip_worker *zip, struct c4w_zip *z, struct c4w_zip_entry *e, const char *scene, struct c4w_sink *sink,
		     struct c4w_arena *arena, struct c4w_err *err)
{
	struct c4w_arena_mark mark = c4w_arena_mark(arena);
	struct c4w_buf rel = { 0 };
	const uint8_t *p;
	int cls;
	c4w_buf_printf(&rel, "%s/", scene);
	c4w_buf_put(&rel, e->name.p, e->name.n);
	cls = c4w_buf_ok(&rel, err);
	if (cls == C4W_OK && c4w_zip_is_dir(e)) {
		rel.p[rel.n - 1] = 0;
		cls = c4w_sink_mkdir(sink, rel.p, err);
	} else if (cls == C4W_OK && c4w_zip_is_link(e)) {
		cls = c4w_fail(err, C4W_UNSUPPORTED, "the archive holds a symbolic link; links are not unpacked");
		c4w_err_path(err, rel.p);
	} else if (cls == C4W_OK) {
		cls = c4w_zip_read(zip, z, e, true, C4W_LIMIT_MEMORY, arena, &p, err);
		if (cls == C4W_OK)
			cls = c4w_sink_put(sink, rel.p, p, (size_t)e->size, 0, true, err);
	}
	c4w_buf_clear(&rel);
	c4w_arena_rewind(arena, mark);
	return cls;
}

static int unpack(struct chw_worker *cw, const uint8_t *p, size_t n, const char *scene, struct c4w_sink *sink, struct c4w_arena *arena,
		  struct c4w_buf *entry, uint64_t *files, struct c4w_err *err)
{
	struct c4w_zip z;
	struct c4w_view name;
	size_t i;
	C4W_TRY(c4w_zip_open_memory(p, n, arena, &z, err));
	C4W_TRY(c4w_zip_check(&z, err));
	C4W_TRY(chw_geometry_entry(cw->zip, &z, arena, &name, err));
	for (i = 0; i < z.count; i++) {
		C4W_TRY(put_entry(cw->zip, &z, &z.entries[i], scene, sink, arena, err));
		*files += !c4w_zip_is_dir(&z.entries[i]);
	}
	c4w_buf_printf(entry, "%s/", scene);
	c4w_buf_put(entry, name.p, name.n);
	return c4w_buf_ok(entry, err);
}

int chw_geometry_unpack(void *root, const char *scene_id, struct c4w_sink *sink, const atomic_int *cancel, struct c4w_findings *fs,
			struct c4w_buf *entry, uint64_t *files, struct c4w_err *err)
{
	struct chw_root *r = root;
	uint32_t at = chw_find_scene(r, c4w_view_z(scene_id));
	struct c4w_worker w = { .cancel = cancel };
	struct chw_group *g = NULL;
	struct chw_docs docs = { 0 };
	struct chw_digest id;
	const uint8_t *p;
	uint64_t n;
	int cls;
	*files = 0;
	C4W_TRY(chw_root_sound(r, err));
	if (at == CHW_NONE) {
		char shown[100];
		return c4w_fail(err, C4W_USAGE, "no scene '%s' here; c4w scenes lists the %u there are",
				c4w_str_escape(shown, sizeof shown, scene_id, strlen(scene_id)), r->n_scenes);
	}
	C4W_TRY(chw_worker_new(NULL, &w.user, err));
	cls = chw_group_load(r, r->scenes[at].group, false, &docs, &g, err);
	if (cls == C4W_OK) {
		chw_record_id(r->collection_id, r->scenes[at].id, CHW_GEOMETRY, -1, -1, &id);
		p = chw_geometry_load(g, &id, C4W_LEVEL_BASIC, &w, fs, &n);
		if (p && !fs->n)
			cls = unpack(w.user, p, (size_t)n, r->scenes[at].id, sink, &w.arena, entry, files, err);
	}
	chw_group_release(g);
	chw_docs_clear(&docs);
	chw_worker_free(NULL, w.user);
	c4w_arena_clear(&w.arena);
	return cls;
}
