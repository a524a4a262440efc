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

struct link {
	struct c4w_view name, target;
};

enum { DEPTH_MAX = 64, STEPS_MAX = 4096, LINKS_MAX = 1000 };

/* Does following `path` from the directory `parts` stay inside, links on the way followed too? On the way a target may go up as far as it came down,
 * but what is up depends on where links lead: each part is taken as the file system would. A loop of links leads nowhere: refused. */
static bool follow(const struct link *links, size_t n_links, struct c4w_view *parts, size_t *depth, struct c4w_view path, unsigned *steps)
{
	size_t i, k;
	if (path.n == 0 || path.p[0] == '/' || memchr(path.p, '\\', path.n) || memchr(path.p, 0, path.n))
		return false;
	for (i = 0; i <= path.n;) {
		const char *slash = i < path.n ? memchr(path.p + i, '/', path.n - i) : NULL;
		struct c4w_view part = { path.p + i, slash ? (size_t)(slash - (path.p + i)) : path.n - i };
		i += part.n + 1;
		if (++*steps > STEPS_MAX)
			return false;
		if (part.n == 0 || c4w_view_eqz(part, "."))
			continue;
		if (c4w_view_eqz(part, "..")) {
			if (*depth == 0)
				return false;
			--*depth;
			continue;
		}
		if (*depth == DEPTH_MAX)
			return false;
		parts[(*depth)++] = part;
		for (k = 0; k < n_links; k++) {
			struct c4w_view rest = links[k].name;
			size_t d;
			for (d = 0; d < *depth && rest.n > parts[d].n && memcmp(rest.p, parts[d].p, parts[d].n) == 0 && rest.p[parts[d].n] == '/'; d++) {
				rest.p += parts[d].n + 1;
				rest.n -= parts[d].n + 1;
			}
			if (d + 1 != *depth || !c4w_view_eq(rest, parts[d]))
				continue;
			--*depth;
			if (!follow(links, n_links, parts, depth, links[k].target, steps))
				return false;
			break;
		}
	}
	return true;
}

static bool stays_inside(const struct link *links, size_t n_links, struct c4w_view name)
{
	struct c4w_view parts[DEPTH_MAX];
	size_t depth = 0;
	unsigned steps = 0;
	return follow(links, n_links, parts, &depth, name, &steps);
}

/* An entry whose name goes through a link is written wherever that leads. */
static bool goes_through(const struct link *links, size_t n_links, struct c4w_view name)
{
	size_t k;
	for (k = 0; k < n_links; k++)
		if (name.n > links[k].name.n && name.p[links[k].name.n] == '/' && memcmp(name.p, links[k].name.p, links[k].name.n) == 0)
			return true;
	return false;
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
	bool named = false;
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
			named = true;
		}
	}
	if (named) {
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
	struct link *links = NULL;
	size_t i, before = fs->n, n_links = 0;
	void *mem = NULL;
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
	for (i = 0; i < z.count; i++)
		n_links += c4w_zip_is_link(&z.entries[i]);
	if (n_links > LINKS_MAX) {
		c4w_findings_addf(fs, C4W_SEV_ERROR, C4W_STATE_UNSUPPORTED, "geometry", NULL, path, -1, "%zu links, at most %d are followed", n_links, LINKS_MAX);
		return;
	}
	if (n_links && c4w_arena_take(&w->arena, n_links * sizeof *links, &mem, &err) != C4W_OK) {
		c4w_findings_add_err(fs, "geometry", path, &err);
		return;
	}
	links = n_links ? mem : NULL;
	n_links = 0;
	for (i = 0; i < z.count; i++) {
		struct c4w_zip_entry *e = &z.entries[i];
		if (!name_ok(e->name))
			fail_at(fs, "geometry.entry-name", path, "an entry's name is no plain path below the scene's directory:", e->name, NULL);
		if (c4w_zip_is_link(e)) {
			const uint8_t *target = NULL;
			cls = c4w_zip_read(zip, &z, e, true, C4W_LIMIT_DOCUMENT, &w->arena, &target, &err);
			if (cls == C4W_OK && links)
				links[n_links++] = (struct link){ e->name, { (const char *)target, (size_t)e->size } };
		} else {
			cls = deep ? c4w_zip_stream(zip, &z, e, nowhere, (void *)(uintptr_t)w->cancel, &err) : c4w_zip_readable(e, &err);
		}
		if (cls != C4W_OK) {
			err.path[0] = 0;
			c4w_findings_add_err(fs, "geometry", path, &err);
		}
	}
	for (i = 0; i < n_links; i++)
		if (fs->n == before && !stays_inside(links, n_links, links[i].name))
			fail_at(fs, "geometry.link", path, "a link's target leaves the directory:", links[i].name, NULL);
	for (i = 0; n_links && i < z.count; i++)
		if (fs->n == before && goes_through(links, n_links, z.entries[i].name))
			fail_at(fs, "geometry.link", path, "an entry's name goes through a link:", z.entries[i].name, NULL);
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
