/* A scene's geometry (section 5): the member's digest, every entry's CRC, no name or link that leaves the directory, and an entry
 * point that is there. An entry of any method that can be decompressed is legal. */
#include "families/chw.h"

#include "base/limits.h"

static void fail_at(struct c4w_findings *fs, const char *rule, const char *path, const char *what, struct c4w_view name, const char *expected)
{
	char shown[200], message[400];
	struct c4w_finding f = { C4W_SEV_ERROR, C4W_STATE_FAILED, "geometry", rule, path, -1, message, expected, NULL, 1, 0 };
	c4w_str_escape(shown, sizeof shown, name.p, name.n);
	snprintf(message, sizeof message, "%s '%s'", what, shown);
	c4w_findings_add(fs, &f);
}

/* An entry's name as a path below the scene's directory; a directory's own name ends in '/'. Drive letters are refused: they leave it elsewhere. */
static bool name_ok(struct c4w_view name)
{
	size_t n = name.n;
	if (n > 1 && name.p[n - 1] == '/')
		n--;
	if (n >= 2 && name.p[1] == ':' && ((name.p[0] | 32) >= 'a' && (name.p[0] | 32) <= 'z'))
		return false;
	return chw_safe_path(name.p, n);
}

/* Does a link at `name` that points to `target` stay inside? Depth below the directory is counted part by part. */
static bool link_ok(struct c4w_view name, struct c4w_view target)
{
	size_t depth = 0, i = 0;
	if (target.n == 0 || target.p[0] == '/' || memchr(target.p, '\\', target.n) || memchr(target.p, 0, target.n))
		return false;
	for (i = 0; i < name.n; i++)
		depth += name.p[i] == '/';
	for (i = 0; i <= target.n;) {
		const char *slash = i < target.n ? memchr(target.p + i, '/', target.n - i) : NULL;
		size_t len = slash ? (size_t)(slash - (target.p + i)) : target.n - i;
		if (len == 2 && target.p[i] == '.' && target.p[i + 1] == '.') {
			if (depth == 0)
				return false;
			depth--;
		} else if (len && !(len == 1 && target.p[i] == '.')) {
			depth++;
		}
		if (!slash)
			break;
		i += len + 1;
	}
	return true;
}

static int nowhere(void *ctx, const uint8_t *p, size_t n, struct c4w_err *err)
{
	const atomic_int *cancel = ctx;
	(void)p;
	(void)n;
	return cancel && atomic_load(cancel) ? c4w_fail(err, C4W_CANCELLED, "interrupted") : C4W_OK;
}

int chw_geometry_entry(struct c4w_zip_worker *zip, struct c4w_zip *z, struct c4w_arena *arena, struct c4w_view *out, struct c4w_err *err)
{
	struct c4w_zip_entry *e = c4w_zip_find(z, C4W_VIEW("scene.json"));
	struct c4w_view xml = { NULL, 0 }, name = { NULL, 0 };
	size_t i, n_xml = 0;
	char shown[200];
	if (e) {
		const uint8_t *p;
		struct c4w_json doc;
		uint32_t v;
		C4W_TRY(c4w_zip_read(zip, z, e, true, C4W_LIMIT_DOCUMENT, arena, &p, err));
		C4W_TRY(c4w_json_parse((struct c4w_view){ (const char *)p, (size_t)e->size }, C4W_JSON_BOM, 0, arena, &doc, err));
		if (c4w_json_type(&doc, 0) != C4W_JSON_OBJECT)
			return c4w_damaged(err, "geometry.entrypoint", -1, "scene.json is not an object");
		v = c4w_json_member(&doc, 0, "entrypoint");
		if (v != C4W_JSON_NONE && c4w_json_type(&doc, v) != C4W_JSON_NULL) {
			if (c4w_json_type(&doc, v) != C4W_JSON_STRING)
				return c4w_damaged(err, "geometry.entrypoint", -1, "scene.json's entrypoint is not a string");
			C4W_TRY(c4w_json_string(&doc, v, arena, &name, err));
		}
	}
	if (name.n) {
		e = chw_safe_path(name.p, name.n) ? c4w_zip_find(z, name) : NULL;
		if (!e)
			return c4w_damaged(err, "geometry.entrypoint", -1, "the entry point '%s' is not in the archive",
					   c4w_str_escape(shown, sizeof shown, name.p, name.n));
		*out = name;
		return C4W_OK;
	}
	for (i = 0; i < z->count; i++) {
		struct c4w_view x = z->entries[i].name;
		if (x.n > 4 && memcmp(x.p + x.n - 4, ".xml", 4) == 0 && n_xml++ == 0)
			xml = x;
	}
	if (n_xml != 1)
		return c4w_damaged(err, "geometry.entrypoint", -1, "no entry point: scene.json names none and there are %zu XML entries", n_xml);
	*out = xml;
	return C4W_OK;
}

void chw_geometry_check(struct c4w_zip_worker *zip, const uint8_t *p, size_t n, const char *path, bool deep, struct c4w_worker *w,
			struct c4w_findings *fs)
{
	struct c4w_zip z;
	struct c4w_err err;
	struct c4w_view entry;
	size_t i, before = fs->n;
	int cls;
	c4w_err_clear(&err);
	cls = c4w_zip_open_memory(p, n, &w->arena, &z, &err);
	if (cls == C4W_OK)
		cls = c4w_zip_check(&z, &err);
	if (cls != C4W_OK) {
		err.path[0] = 0;
		c4w_findings_add_err(fs, "geometry", path, &err);
		return;
	}
	for (i = 0; i < z.count; i++) {
		struct c4w_zip_entry *e = &z.entries[i];
		if (!name_ok(e->name))
			fail_at(fs, "geometry.entry-name", path, "an entry's name leaves the directory:", e->name, NULL);
		if (c4w_zip_is_link(e)) {
			const uint8_t *target;
			cls = c4w_zip_read(zip, &z, e, true, C4W_LIMIT_DOCUMENT, &w->arena, &target, &err);
			if (cls == C4W_OK && !link_ok(e->name, (struct c4w_view){ (const char *)target, (size_t)e->size }))
				fail_at(fs, "geometry.link", path, "a link's target leaves the directory:", e->name, NULL);
		} else {
			cls = deep ? c4w_zip_stream(zip, &z, e, nowhere, (void *)(uintptr_t)w->cancel, &err) : c4w_zip_readable(e, &err);
		}
		if (cls != C4W_OK) {
			err.path[0] = 0;
			c4w_findings_add_err(fs, "geometry", path, &err);
		}
	}
	if (fs->n == before && chw_geometry_entry(zip, &z, &w->arena, &entry, &err) != C4W_OK) {
		err.path[0] = 0;
		c4w_findings_add_err(fs, "geometry", path, &err);
	}
}

void chw_geometry_verify(struct chw_group *g, const struct chw_digest *id, enum c4w_level level, struct c4w_worker *w,
			 struct c4w_findings *fs, uint64_t *bytes)
{
	chw_geometry_load(g, id, level, w, fs, bytes);
}

const uint8_t *chw_geometry_load(struct chw_group *g, const struct chw_digest *id, enum c4w_level level, struct c4w_worker *w,
				 struct c4w_findings *fs, uint64_t *bytes)
{
	struct chw_worker *cw = w->user;
	struct chw_place place;
	struct chw_digests d;
	struct chw_record none = { 0 };
	struct chw_row row = { .component = CHW_GEOMETRY };
	const uint8_t *p = NULL;
	*bytes = 0;
	chw_locate(g, id, NULL, &place);
	/* A geometry's digest stands in the members table alone, also when its archive is a loose file. */
	if (g->members_err.cls != C4W_OK && (place.where != CHW_UNPUBLISHED || chw_is_included(g->root, id))) {
		c4w_findings_add_err(fs, "geometry", NULL, &g->members_err);
		return NULL;
	}
	if (place.where == CHW_UNPUBLISHED) {
		c4w_findings_addf(fs, C4W_SEV_ERROR, C4W_STATE_UNPUBLISHED, "geometry", NULL, NULL, -1, "geometry is not published in this %s",
				  chw_kind_names[g->root->kind]);
		return NULL;
	}
	if (!chw_member_of(g, id)) {
		c4w_findings_addf(fs, C4W_SEV_ERROR, C4W_STATE_FAILED, "geometry", "geometry.digest", place.path, -1,
				  "the members table does not list this geometry, so nothing says what its bytes must be");
		return NULL;
	}
	if (!chw_fetch(g, &place, "geometry", &w->arena, &p, fs))
		return NULL;
	*bytes = (uint64_t)place.bytes;
	if (level == C4W_LEVEL_NONE)
		return p;
	none.row = &row;
	chw_hash_record(&none, false, p, (size_t)place.bytes, &d);
	if (memcmp(d.member.b, place.sha.b, 32) != 0) {
		chw_digest_finding(fs, "geometry", "geometry.digest", place.path, &place.sha, &d.member,
				   "the bytes differ from the published member: sha256");
		return NULL;
	}
	if (place.also && memcmp(place.also->b, place.sha.b, 32) != 0)
		chw_digest_finding(fs, "geometry", "record.catalog-digest", place.path, &place.sha, place.also,
				   "the root's sha256 is not the members table's member_sha256");
	chw_geometry_check(cw->zip, p, (size_t)place.bytes, place.path, level == C4W_LEVEL_FULL, w, fs);
	return p;
}
