/* A Channels4World root: c4w-root.json and the tables it names (section 1).
 *
 * A fault that leaves the root readable (a size that is off, a key too many) is kept as a finding, so that verify can say all
 * of them; one that leaves nothing to trust (a table's digest, a missing key) fails the opening.
 */
#include "families/chw.h"

#include "base/limits.h"
#include "base/numbers.h"
#include "base/sha256.h"

#include <stdarg.h>

const char *const chw_component_names[CHW_COMPONENTS + 1] = { "core", "detail", "positions", "geometry", NULL };
const char *const chw_kind_names[3] = { "release", "subset", "cache" };
const char *const chw_payload_names[3] = { "tar", "loose", "npy" };
const char *const chw_file_kind_names[CHW_FILE_KINDS] = { "payload", "members", "snapshot", "catalog", "schema", "cache_index",
							  "cache_array" };
#define ROOT_FILE "c4w-root.json"

enum chw_component chw_component_of(struct c4w_view name)
{
	int c;
	for (c = 0; c < CHW_COMPONENTS; c++)
		if (c4w_view_eqz(name, chw_component_names[c]))
			break;
	return (enum chw_component)c;
}

bool chw_safe_path(const char *p, size_t n)
{
	return c4w_path_is_plain(p, n) && !memchr(p, '\\', n);
}

static bool safe_name(const char *p, size_t n)
{
	return chw_safe_path(p, n) && !memchr(p, '/', n);
}

static void note(struct chw_root *r, const char *rule, const char *path, const char *fmt, ...) C4W_PRINTF(4, 5);
static void note(struct chw_root *r, const char *rule, const char *path, const char *fmt, ...)
{
	char message[400];
	struct c4w_finding f = { C4W_SEV_ERROR, C4W_STATE_FAILED, "root", rule, path, -1, message, NULL, NULL, 1, 0 };
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(message, sizeof message, fmt, ap);
	va_end(ap);
	c4w_findings_add(&r->findings, &f);
}

int chw_root_sound(const struct chw_root *r, struct c4w_err *err)
{
	const struct c4w_finding *f;
	if (r->findings.failed)
		return c4w_fail_memory(err, 0);
	if (!r->findings.n)
		return C4W_OK;
	f = &r->findings.v[0];
	c4w_damaged(err, f->rule, f->offset, "%s", f->message);
	c4w_err_path(err, f->path);
	return C4W_DAMAGED;
}

/* ---- the manifest ---- */

static int manifest_fault(struct c4w_err *err, const struct c4w_json *doc, uint32_t v, const char *rule, const char *what,
			  const char *expected)
{
	char found[120];
	struct c4w_view raw = v == C4W_JSON_NONE ? C4W_VIEW("nothing") : c4w_json_raw(doc, v);
	c4w_damaged(err, rule, v == C4W_JSON_NONE ? -1 : (int64_t)c4w_json_offset(doc, v), "%s", what);
	c4w_str_escape(found, sizeof found, raw.p, raw.n);
	c4w_err_values(err, expected, found);
	c4w_err_path(err, ROOT_FILE);
	return C4W_DAMAGED;
}

/* A member that must be a string; with null_ok null gives NULL. */
static int get_text(struct chw_root *r, const struct c4w_json *doc, uint32_t obj, const char *key, bool null_ok, const char **out,
		    struct c4w_err *err)
{
	uint32_t v = c4w_json_member(doc, obj, key);
	struct c4w_view text;
	*out = NULL;
	if (v != C4W_JSON_NONE && c4w_json_type(doc, v) == C4W_JSON_NULL && null_ok)
		return C4W_OK;
	if (v == C4W_JSON_NONE || c4w_json_type(doc, v) != C4W_JSON_STRING)
		return manifest_fault(err, doc, v, v == C4W_JSON_NONE ? "root.keys" : "root.value", key, "a string");
	C4W_TRY(c4w_json_string(doc, v, &r->arena, &text, err));
	if (memchr(text.p, 0, text.n))
		return manifest_fault(err, doc, v, "root.value", key, "text without NUL");
	*out = c4w_arena_text(&r->arena, text.p, text.n);
	return *out ? C4W_OK : c4w_fail_memory(err, text.n);
}

static int name_index(struct chw_root *r, struct chw_names *names, const char *p, size_t n, uint32_t *last, uint32_t *out)
{
	uint32_t i;
	if (*last < names->n && strlen(names->v[*last]) == n && memcmp(names->v[*last], p, n) == 0) {
		*out = *last;
		return C4W_OK;
	}
	for (i = 0; i < names->n; i++)
		if (strlen(names->v[i]) == n && memcmp(names->v[i], p, n) == 0)
			break;
	if (i == names->n) {
		if (names->n == names->cap) {
			uint32_t cap = names->cap ? names->cap * 2 : 16;
			void *v;
			if (c4w_arena_take(&r->arena, cap * sizeof *names->v, &v, NULL) != C4W_OK)
				return C4W_MEMORY;
			if (names->n)
				memcpy(v, names->v, names->n * sizeof *names->v);
			names->v = v;
			names->cap = cap;
		}
		names->v[i] = c4w_arena_text(&r->arena, p, n);
		if (!names->v[i])
			return C4W_MEMORY;
		names->n++;
	}
	*last = *out = i;
	return C4W_OK;
}

static int get_choice(const struct c4w_json *doc, const char *key, const char *const *words, unsigned n, const char *list,
		      unsigned *out, struct c4w_err *err)
{
	uint32_t v = c4w_json_member(doc, 0, key);
	unsigned i;
	char found[80];
	struct c4w_view raw;
	if (v == C4W_JSON_NONE)
		return manifest_fault(err, doc, v, "root.keys", key, list);
	if (c4w_json_type(doc, v) != C4W_JSON_STRING)
		return manifest_fault(err, doc, v, "root.value", key, list);
	for (i = 0; i < n; i++)
		if (c4w_json_string_eq(doc, v, c4w_view_z(words[i]))) {
			*out = i;
			return C4W_OK;
		}
	raw = c4w_json_raw(doc, v);
	c4w_fail(err, C4W_UNSUPPORTED, "%s %s is not known here", key, c4w_str_escape(found, sizeof found, raw.p, raw.n));
	c4w_err_values(err, list, NULL);
	c4w_err_path(err, ROOT_FILE);
	return C4W_UNSUPPORTED;
}

static void unknown_keys(struct chw_root *r, const struct c4w_json *doc, uint32_t obj, const char *where, const char *const *known)
{
	uint32_t e;
	for (e = c4w_json_first(doc, obj); e != C4W_JSON_NONE; e = c4w_json_next(doc, obj, e)) {
		size_t i;
		char name[80];
		struct c4w_view raw = c4w_json_raw(doc, e);
		for (i = 0; known[i]; i++)
			if (c4w_json_string_eq(doc, e, c4w_view_z(known[i])))
				break;
		if (!known[i])
			note(r, "root.keys", ROOT_FILE, "%s has the unknown key %s", where,
			     c4w_str_escape(name, sizeof name, raw.p, raw.n));
		e = c4w_json_next(doc, obj, e);
		if (e == C4W_JSON_NONE)
			break;
	}
}

/* Where the root comes from: its release, and of derived roots also the source's kind and the digest of its root file. */
static void check_source(struct chw_root *r, const struct c4w_json *doc)
{
	static const char *const keys[] = { "release", "kind", "root_sha256", NULL };
	uint32_t source = c4w_json_member(doc, 0, "source"), v;
	size_t i;
	if (source == C4W_JSON_NONE || c4w_json_type(doc, source) != C4W_JSON_OBJECT) {
		note(r, source == C4W_JSON_NONE ? "root.keys" : "root.value", ROOT_FILE, "source is not an object");
		return;
	}
	unknown_keys(r, doc, source, "source", keys);
	for (i = 0; i < (r->kind == CHW_RELEASE ? 1 : 3); i++) {
		struct c4w_view raw;
		uint8_t digest[32];
		v = c4w_json_member(doc, source, keys[i]);
		if (v == C4W_JSON_NONE) {
			note(r, "root.keys", ROOT_FILE, "source has no key \"%s\"", keys[i]);
			continue;
		}
		raw = c4w_json_raw(doc, v);
		if (c4w_json_type(doc, v) != C4W_JSON_STRING ||
		    (i == 2 && (raw.n != 66 || !c4w_unhex32((struct c4w_view){ raw.p + 1, 64 }, digest))))
			note(r, "root.value", ROOT_FILE, "source.%s is not %s", keys[i], i == 2 ? "64 lower-case hex digits" : "a text");
	}
}

static int parse_lists(struct chw_root *r, const struct c4w_json *doc, struct c4w_err *err)
{
	uint32_t tiers = c4w_json_member(doc, 0, "tiers"), hz = c4w_json_member(doc, 0, "frequencies_hz"), e, last = 0, i, before;
	void *p;
	if (tiers == C4W_JSON_NONE || c4w_json_type(doc, tiers) != C4W_JSON_ARRAY)
		return manifest_fault(err, doc, tiers, tiers == C4W_JSON_NONE ? "root.keys" : "root.value", "tiers", "a list of names");
	for (e = c4w_json_first(doc, tiers); e != C4W_JSON_NONE; e = c4w_json_next(doc, tiers, e)) {
		struct c4w_view t;
		if (c4w_json_type(doc, e) != C4W_JSON_STRING)
			return manifest_fault(err, doc, e, "root.value", "tiers", "a list of names");
		C4W_TRY(c4w_json_string(doc, e, &r->arena, &t, err));
		before = r->tiers.n;
		if (name_index(r, &r->tiers, t.p, t.n, &last, &i) != C4W_OK)
			return c4w_fail_memory(err, t.n);
		if (r->tiers.n == before)
			note(r, "root.value", ROOT_FILE, "a tier is listed twice");
	}
	if (hz == C4W_JSON_NONE || c4w_json_type(doc, hz) != C4W_JSON_ARRAY)
		return manifest_fault(err, doc, hz, hz == C4W_JSON_NONE ? "root.keys" : "root.value", "frequencies_hz",
				      "a list of integers");
	C4W_TRY(c4w_arena_zero(&r->arena, c4w_json_count(doc, hz) + 1, sizeof *r->frequencies, &p, err));
	r->frequencies = p;
	for (e = c4w_json_first(doc, hz); e != C4W_JSON_NONE; e = c4w_json_next(doc, hz, e)) {
		int64_t v;
		if (!c4w_json_is_integer(doc, e) || c4w_json_i64(doc, e, &v, NULL) != C4W_OK || v <= 0)
			return manifest_fault(err, doc, e, "root.value", "frequencies_hz", "positive integers");
		r->frequencies[r->n_frequencies++] = v;
	}
	return C4W_OK;
}

static int parse_manifest(struct chw_root *r, const struct c4w_json *doc, struct c4w_err *err)
{
	static const char *const keys[] = { "format", "format_version", "kind", "payload", "collection_id", "release", "tiers",
					    "frequencies_hz", "hf_repo", "hf_path", "tables", "source", "created_by", NULL };
	static const char *const tables[] = { "scenes", "files", "records", NULL };
	uint32_t v;
	unsigned choice;
	int64_t version;
	if (c4w_json_type(doc, 0) != C4W_JSON_OBJECT)
		return manifest_fault(err, doc, 0, "root.value", "the document", "an object");
	v = c4w_json_member(doc, 0, "format");
	if (v == C4W_JSON_NONE || !c4w_json_string_eq(doc, v, C4W_VIEW("channels4world.root")))
		return manifest_fault(err, doc, v, "root.format", "format", "\"channels4world.root\"");
	v = c4w_json_member(doc, 0, "format_version");
	if (v == C4W_JSON_NONE || !c4w_json_is_integer(doc, v))
		return manifest_fault(err, doc, v, v == C4W_JSON_NONE ? "root.keys" : "root.value", "format_version", "1");
	if (c4w_json_i64(doc, v, &version, NULL) != C4W_OK || version != 1) {
		struct c4w_view raw = c4w_json_raw(doc, v);
		char found[40];
		c4w_fail(err, C4W_UNSUPPORTED, "root format version %s is not supported; a newer c4w is needed",
			 c4w_str_escape(found, sizeof found, raw.p, raw.n));
		c4w_err_path(err, ROOT_FILE);
		return C4W_UNSUPPORTED;
	}
	C4W_TRY(get_choice(doc, "kind", chw_kind_names, 3, "release, subset or cache", &choice, err));
	r->kind = (enum chw_kind)choice;
	C4W_TRY(get_choice(doc, "payload", chw_payload_names, 3, "tar, loose or npy", &choice, err));
	r->payload = (enum chw_kind)choice;
	if (r->payload != r->kind)
		note(r, "root.value", ROOT_FILE, "kind %s goes with payload %s, not %s", chw_kind_names[r->kind],
		     chw_payload_names[r->kind], chw_payload_names[r->payload]);
	C4W_TRY(get_text(r, doc, 0, "collection_id", false, &r->collection_id, err));
	C4W_TRY(get_text(r, doc, 0, "release", false, &r->release, err));
	C4W_TRY(get_text(r, doc, 0, "hf_repo", true, &r->hf_repo, err));
	C4W_TRY(get_text(r, doc, 0, "hf_path", true, &r->hf_path, err));
	if (r->hf_path && *r->hf_path && !chw_safe_path(r->hf_path, strlen(r->hf_path)))
		return manifest_fault(err, doc, c4w_json_member(doc, 0, "hf_path"), "root.path", "hf_path", "a plain relative path");
	C4W_TRY(parse_lists(r, doc, err));
	unknown_keys(r, doc, 0, "the root", keys);
	check_source(r, doc);
	v = c4w_json_member(doc, 0, "tables");
	if (v != C4W_JSON_NONE && c4w_json_type(doc, v) == C4W_JSON_OBJECT)
		unknown_keys(r, doc, v, "tables", tables);
	v = c4w_json_member(doc, 0, "created_by");
	if (v != C4W_JSON_NONE)
		C4W_TRY(get_text(r, doc, 0, "created_by", true, &r->created_by, err));
	return C4W_OK;
}

/* ---- tables ---- */

/* A directory or a pipe where a file of the root should be: it can't be read, and the command line is not to blame. */
static int not_a_file(struct c4w_err *err)
{
	if (err)
		err->cls = C4W_IO;
	return C4W_IO;
}

struct column {
	const char *name;
	enum c4w_pq_type type;
	struct c4w_batch b;
};

enum { COLUMNS_MAX = 8 }; /* of a table */

static int read_table(struct chw_root *r, const struct c4w_json *doc, const char *table, struct column *cols, size_t n, bool optional,
		      struct c4w_arena *arena, size_t *rows, bool *present, struct c4w_err *err)
{
	static const char *const keys[] = { "path", "sha256", "bytes", NULL };
	const char *names[COLUMNS_MAX + 1] = { NULL };
	uint32_t tables = c4w_json_member(doc, 0, "tables"), v, e;
	const char *path;
	struct c4w_view text, body;
	struct chw_file f = { 0 };
	struct c4w_blob *blob = NULL;
	struct c4w_pq *pq = NULL;
	int64_t bytes = -1;
	uint64_t size;
	size_t c;
	int cls;
	*present = false;
	if (tables == C4W_JSON_NONE || c4w_json_type(doc, tables) != C4W_JSON_OBJECT)
		return manifest_fault(err, doc, tables, tables == C4W_JSON_NONE ? "root.keys" : "root.value", "tables", "an object");
	v = c4w_json_member(doc, tables, table);
	if (v == C4W_JSON_NONE && optional)
		return C4W_OK;
	if (v == C4W_JSON_NONE || c4w_json_type(doc, v) != C4W_JSON_OBJECT)
		return manifest_fault(err, doc, v, v == C4W_JSON_NONE ? "root.keys" : "root.value", table, "an object with path, sha256 and bytes");
	unknown_keys(r, doc, v, table, keys);
	C4W_TRY(get_text(r, doc, v, "path", false, &path, err));
	if (!chw_safe_path(path, strlen(path)))
		return manifest_fault(err, doc, c4w_json_member(doc, v, "path"), "root.path", "a table's path", "a plain relative path");
	e = c4w_json_member(doc, v, "sha256");
	if (e == C4W_JSON_NONE || c4w_json_type(doc, e) != C4W_JSON_STRING || c4w_json_string(doc, e, arena, &text, err) != C4W_OK ||
	    !c4w_unhex32(text, f.sha.b))
		return manifest_fault(err, doc, e, e == C4W_JSON_NONE ? "root.keys" : "root.value", "a table's sha256", "64 lower-case hex digits");
	e = c4w_json_member(doc, v, "bytes");
	if (e == C4W_JSON_NONE || !c4w_json_is_integer(doc, e) || c4w_json_i64(doc, e, &bytes, NULL) != C4W_OK || bytes < 0)
		return manifest_fault(err, doc, e, e == C4W_JSON_NONE ? "root.keys" : "root.value", "a table's bytes", "an integer");
	cls = c4w_store_open(r->store, path, &blob, err);
	if (cls == C4W_ABSENT) {
		c4w_fail(err, C4W_ABSENT, "root table %s is missing", path);
		c4w_err_path(err, path);
		return cls;
	}
	if (cls == C4W_USAGE)
		cls = not_a_file(err);
	if (cls != C4W_OK)
		return cls;
	size = c4w_blob_size(blob);
	c4w_blob_close(blob);
	blob = NULL;
	f.path = path;
	f.bytes = (int64_t)size;
	f.has_sha = true;
	C4W_TRY(chw_read_checked(r, &f, UINT64_MAX, "root.table-digest", arena, &body, err));
	if (size != (uint64_t)bytes)
		note(r, "root.table-bytes", path, "the table has %llu bytes, %s says %lld", (unsigned long long)size, ROOT_FILE,
		     (long long)bytes);
	C4W_TRY(c4w_blob_memory(path, body.p, body.n, false, &blob, err));
	cls = c4w_pq_open(blob, &pq, err);
	c4w_blob_close(blob);
	if (cls != C4W_OK) {
		c4w_err_path(err, path);
		return cls;
	}
	*rows = (size_t)c4w_pq_rows(pq);
	for (c = 0; cls == C4W_OK && c < n; c++) {
		names[c] = cols[c].name;
		cls = chw_table_column(pq, "root.table-columns", cols[c].name, cols[c].type, arena, &cols[c].b, err);
	}
	if (cls == C4W_OK && chw_table_unknown(pq, names, &text)) {
		char shown[80];
		note(r, "root.table-columns", path, "the table has the unknown column '%s'", c4w_str_escape(shown, sizeof shown, text.p, text.n));
	}
	c4w_pq_close(pq);
	if (cls != C4W_OK)
		c4w_err_path(err, path);
	*present = true;
	return cls;
}

static struct c4w_view text_at(const struct c4w_batch *b, size_t i)
{
	struct c4w_view v;
	v.p = (const char *)c4w_batch_bytes(b, i, &v.n);
	return v;
}

static int64_t int_at(const struct c4w_batch *b, size_t i)
{
	return ((const int64_t *)b->values)[i];
}

static int row_fault(struct c4w_err *err, const char *rule, const char *table, size_t row, const char *what, struct c4w_view found)
{
	char shown[120];
	c4w_damaged(err, rule, -1, "%s row %zu: %s", table, row, what);
	if (found.p)
		c4w_err_values(err, NULL, c4w_str_escape(shown, sizeof shown, found.p, found.n));
	return C4W_DAMAGED;
}

static uint32_t group_index(struct chw_root *r, struct c4w_view name, uint32_t *cap)
{
	uint32_t at = chw_map_get(r->by_group, name.p, name.n);
	struct chw_group_entry *g;
	if (at != CHW_NONE)
		return at;
	if (r->n_groups == *cap) {
		uint32_t more = *cap ? *cap * 2 : 64;
		void *p;
		if (c4w_arena_take(&r->arena, more * sizeof *r->groups, &p, NULL) != C4W_OK)
			return CHW_NONE;
		if (r->n_groups)
			memcpy(p, r->groups, r->n_groups * sizeof *r->groups);
		r->groups = p;
		*cap = more;
	}
	g = &r->groups[r->n_groups];
	*g = (struct chw_group_entry){ NULL, CHW_NONE, CHW_NONE, CHW_NONE, CHW_NONE, CHW_NONE, 0 };
	g->name = c4w_arena_text(&r->arena, name.p, name.n);
	if (!g->name || chw_map_add(r->by_group, g->name, name.n, r->n_groups) == CHW_NONE - 1)
		return CHW_NONE;
	return r->n_groups++;
}

static int scene_order_cmp(const void *a, const void *b, void *ctx)
{
	const struct chw_root *r = ctx;
	uint32_t ia = *(const uint32_t *)a, ib = *(const uint32_t *)b;
	const struct chw_scene *x = &r->scenes[ia], *y = &r->scenes[ib];
	if (x->group_order != y->group_order)
		return x->group_order < y->group_order ? -1 : 1;
	if (x->scene_order != y->scene_order)
		return x->scene_order < y->scene_order ? -1 : 1;
	return ia < ib ? -1 : ia > ib;
}

static int load_scenes(struct chw_root *r, const struct c4w_json *doc, struct c4w_arena *scratch, uint32_t *group_cap, struct c4w_err *err)
{
	struct column c[] = { { "scene_id", C4W_PQ_BYTE_ARRAY, { 0 } }, { "split", C4W_PQ_BYTE_ARRAY, { 0 } },
			      { "profile", C4W_PQ_BYTE_ARRAY, { 0 } },  { "tier", C4W_PQ_BYTE_ARRAY, { 0 } },
			      { "group", C4W_PQ_BYTE_ARRAY, { 0 } },    { "group_order", C4W_PQ_INT64, { 0 } },
			      { "scene_order", C4W_PQ_INT64, { 0 } } };
	struct chw_names splits = { 0 }, profiles = { 0 };
	uint32_t last_split = 0, last_profile = 0, last_tier = 0, i, k = 0, *map;
	struct c4w_view last_group = { NULL, 0 };
	uint32_t last_group_index = CHW_NONE;
	size_t n, j;
	bool present, sorted = true;
	void *p;
	C4W_TRY(read_table(r, doc, "scenes", c, 7, false, scratch, &n, &present, err));
	if (n >= CHW_NONE - 1)
		return c4w_fail(err, C4W_LIMIT, "the scenes table has %zu rows, c4w takes fewer than 4,294,967,294", n);
	C4W_TRY(c4w_arena_zero(&r->arena, n, sizeof *r->scenes, &p, err));
	r->scenes = p;
	C4W_TRY(c4w_arena_zero(&r->arena, n, sizeof *r->order, &p, err));
	r->order = p;
	r->by_scene = chw_map_new(n);
	r->by_group = chw_map_new(64);
	if (!r->by_scene || !r->by_group)
		return c4w_fail_memory(err, n);
	for (i = 0; i < n; i++) {
		struct chw_scene *s = &r->scenes[i];
		struct c4w_view id, group, tier;
		uint32_t tiers_before = r->tiers.n, earlier;
		for (j = 0; j < 7; j++)
			if (!c4w_batch_valid(&c[j].b, i))
				return row_fault(err, "root.scene-value", "scenes", i, c[j].name, C4W_VIEW("null"));
		id = text_at(&c[0].b, i);
		group = text_at(&c[4].b, i);
		/* Of 100,000 scenes the map does not fit the nearer caches. */
		if (i + 12 < n)
			chw_map_prefetch(r->by_scene, text_at(&c[0].b, i + 12).p, text_at(&c[0].b, i + 12).n);
		if (!safe_name(id.p, id.n))
			return row_fault(err, "root.path", "scenes", i, "scene_id is not one plain path component", id);
		if (!(s->id = c4w_arena_text(&r->arena, id.p, id.n)))
			return c4w_fail_memory(err, id.n);
		earlier = chw_map_add(r->by_scene, s->id, id.n, i);
		if (earlier == CHW_NONE - 1)
			return c4w_fail_memory(err, id.n);
		if (earlier != CHW_NONE)
			return row_fault(err, "root.scene-duplicate", "scenes", i, "the scene_id repeats an earlier row's", id);
		if (!last_group.p || !c4w_view_eq(group, last_group)) {
			if (!safe_name(group.p, group.n))
				return row_fault(err, "root.path", "scenes", i, "group is not one plain path component", group);
			last_group_index = group_index(r, group, group_cap);
			if (last_group_index == CHW_NONE)
				return c4w_fail_memory(err, group.n);
			last_group = group;
		}
		s->group = last_group_index;
		tier = text_at(&c[3].b, i);
		if (name_index(r, &splits, text_at(&c[1].b, i).p, text_at(&c[1].b, i).n, &last_split, &s->split) != C4W_OK ||
		    name_index(r, &profiles, text_at(&c[2].b, i).p, text_at(&c[2].b, i).n, &last_profile, &s->profile) != C4W_OK ||
		    name_index(r, &r->tiers, tier.p, tier.n, &last_tier, &s->tier) != C4W_OK)
			return c4w_fail_memory(err, 64);
		if (r->tiers.n != tiers_before)
			return row_fault(err, "root.scene-value", "scenes", i, "the tier is none of the root's", tier);
		s->group_order = int_at(&c[5].b, i);
		s->scene_order = int_at(&c[6].b, i);
		r->order[i] = i;
		r->n_scenes = i + 1;
		if (i && scene_order_cmp(&r->order[i - 1], &r->order[i], r) > 0)
			sorted = false;
	}
	if (!sorted)
		qsort_r(r->order, n, sizeof *r->order, scene_order_cmp, r);
	/* Splits and profiles are listed in the order in which the pinned order meets them. */
	C4W_TRY(c4w_arena_zero(&r->arena, (size_t)splits.n + profiles.n + 1, sizeof *map, &p, err));
	map = p;
	memset(map, 0xFF, ((size_t)splits.n + profiles.n) * sizeof *map);
	for (i = 0; i < n; i++) {
		struct chw_scene *s = &r->scenes[r->order[i]];
		struct chw_group_entry *g = &r->groups[s->group];
		if (map[s->split] == CHW_NONE && name_index(r, &r->splits, splits.v[s->split], strlen(splits.v[s->split]), &k, &map[s->split]) != C4W_OK)
			return c4w_fail_memory(err, 64);
		s->split = map[s->split];
		k = splits.n + s->profile;
		if (map[k] == CHW_NONE) {
			uint32_t z = 0;
			if (name_index(r, &r->profiles, profiles.v[s->profile], strlen(profiles.v[s->profile]), &z, &map[k]) != C4W_OK)
				return c4w_fail_memory(err, 64);
		}
		s->profile = map[k];
		if (g->n_scenes == 0)
			g->first_scene = i;
		else if (g->first_scene != CHW_NONE && g->first_scene + g->n_scenes != i)
			g->first_scene = CHW_NONE;
		g->n_scenes++;
	}
	return C4W_OK;
}

static int load_files(struct chw_root *r, const struct c4w_json *doc, struct c4w_arena *scratch, uint32_t *group_cap, struct c4w_err *err)
{
	struct column c[] = { { "path", C4W_PQ_BYTE_ARRAY, { 0 } },      { "bytes", C4W_PQ_INT64, { 0 } },
			      { "sha256", C4W_PQ_BYTE_ARRAY, { 0 } },    { "group", C4W_PQ_BYTE_ARRAY, { 0 } },
			      { "kind", C4W_PQ_BYTE_ARRAY, { 0 } },      { "component", C4W_PQ_BYTE_ARRAY, { 0 } },
			      { "frequency_hz", C4W_PQ_INT64, { 0 } },   { "record_id", C4W_PQ_BYTE_ARRAY, { 0 } } };
	size_t n;
	uint32_t i;
	bool present;
	void *p;
	C4W_TRY(read_table(r, doc, "files", c, 8, false, scratch, &n, &present, err));
	if (n >= CHW_NONE - 1)
		return c4w_fail(err, C4W_LIMIT, "the files table has %zu rows, c4w takes fewer than 4,294,967,294", n);
	C4W_TRY(c4w_arena_zero(&r->arena, n, sizeof *r->files, &p, err));
	r->files = p;
	r->by_path = chw_map_new(n);
	r->payload_of = chw_map_new(64);
	if (!r->by_path || !r->payload_of)
		return c4w_fail_memory(err, n);
	for (i = 0; i < n; i++) {
		struct chw_file *f = &r->files[i];
		struct c4w_view path, kind, v;
		unsigned k;
		uint32_t earlier;
		if (!c4w_batch_valid(&c[0].b, i) || !c4w_batch_valid(&c[1].b, i) || !c4w_batch_valid(&c[4].b, i))
			return row_fault(err, "root.file-value", "files", i, "path, bytes or kind", C4W_VIEW("null"));
		path = text_at(&c[0].b, i);
		if (i + 12 < n)
			chw_map_prefetch(r->by_path, text_at(&c[0].b, i + 12).p, text_at(&c[0].b, i + 12).n);
		if (!chw_safe_path(path.p, path.n))
			return row_fault(err, "root.path", "files", i, "not a plain relative path", path);
		if (!(f->path = c4w_arena_text(&r->arena, path.p, path.n)))
			return c4w_fail_memory(err, path.n);
		earlier = chw_map_add(r->by_path, f->path, path.n, i);
		if (earlier == CHW_NONE - 1)
			return c4w_fail_memory(err, path.n);
		if (earlier != CHW_NONE)
			return row_fault(err, "root.file-duplicate", "files", i, "the path repeats an earlier row's", path);
		f->bytes = int_at(&c[1].b, i);
		if (f->bytes < 0)
			return row_fault(err, "root.file-value", "files", i, "bytes is negative", path);
		kind = text_at(&c[4].b, i);
		for (k = 0; k < CHW_FILE_KINDS; k++)
			if (c4w_view_eqz(kind, chw_file_kind_names[k]))
				break;
		if (k == CHW_FILE_KINDS) {
			char shown[80];
			return c4w_fail(err, C4W_UNSUPPORTED, "files row %u: kind '%s' is not known here", i,
					c4w_str_escape(shown, sizeof shown, kind.p, kind.n));
		}
		f->kind = (uint8_t)k;
		f->component = CHW_NO_COMPONENT;
		if (c4w_batch_valid(&c[5].b, i)) {
			v = text_at(&c[5].b, i);
			f->component = (uint8_t)chw_component_of(v);
			if (f->component == CHW_NO_COMPONENT)
				return row_fault(err, "root.file-value", "files", i, "the component is none of core, detail, positions, geometry", v);
		}
		f->hz = -1;
		if (c4w_batch_valid(&c[6].b, i)) {
			f->hz = int_at(&c[6].b, i);
			if (f->hz <= 0)
				return row_fault(err, "root.file-value", "files", i, "frequency_hz is not positive", path);
		}
		if (c4w_batch_valid(&c[2].b, i)) {
			v = text_at(&c[2].b, i);
			f->has_sha = c4w_unhex32(v, f->sha.b);
			if (!f->has_sha)
				return row_fault(err, "root.file-value", "files", i, "sha256 is not 64 lower-case hex digits", v);
		} else if (f->kind != CHW_CACHE_ARRAY) {
			return row_fault(err, "root.file-value", "files", i, "sha256 is null", path);
		}
		if (c4w_batch_valid(&c[7].b, i)) {
			v = text_at(&c[7].b, i);
			f->has_record = c4w_unhex32(v, f->record.b);
			if (!f->has_record)
				return row_fault(err, "root.file-value", "files", i, "record_id is not 64 lower-case hex digits", v);
			if (f->kind == CHW_PAYLOAD) {
				earlier = chw_map_add(r->payload_of, f->record.b, 32, i);
				if (earlier == CHW_NONE - 1)
					return c4w_fail_memory(err, 32);
				if (earlier != CHW_NONE)
					return row_fault(err, "root.file-duplicate", "files", i, "the payload's record_id repeats an earlier row's", v);
			}
		}
		f->group = f->next = CHW_NONE;
		if (c4w_batch_valid(&c[3].b, i)) {
			struct chw_group_entry *g;
			v = text_at(&c[3].b, i);
			if (!safe_name(v.p, v.n))
				return row_fault(err, "root.path", "files", i, "group is not one plain path component", v);
			f->group = group_index(r, v, group_cap);
			if (f->group == CHW_NONE)
				return c4w_fail_memory(err, v.n);
			g = &r->groups[f->group];
			for (earlier = f->kind == CHW_CACHE_INDEX ? g->first_file : CHW_NONE; earlier != CHW_NONE; earlier = r->files[earlier].next)
				if (r->files[earlier].kind == CHW_CACHE_INDEX && r->files[earlier].component == f->component &&
				    r->files[earlier].hz == f->hz)
					return row_fault(err, "root.file-duplicate", "files", i, "a second index for the group's component and carrier", path);
			if (g->last_file == CHW_NONE)
				g->first_file = i;
			else
				r->files[g->last_file].next = i;
			g->last_file = i;
			if (f->kind == CHW_MEMBERS || f->kind == CHW_SNAPSHOT) {
				uint32_t *at = f->kind == CHW_MEMBERS ? &g->members : &g->snapshot;
				if (*at != CHW_NONE)
					return row_fault(err, "root.file-duplicate", "files", i, "a second file of this kind for the group", path);
				*at = i;
			}
		} else if (f->kind != CHW_SCHEMA) {
			return row_fault(err, "root.file-value", "files", i, "group is null", path);
		}
		r->n_files = i + 1;
	}
	return C4W_OK;
}

static int load_records(struct chw_root *r, const struct c4w_json *doc, struct c4w_arena *scratch, struct c4w_err *err)
{
	struct column c[] = { { "record_id", C4W_PQ_BYTE_ARRAY, { 0 } } };
	size_t n, i;
	void *p;
	C4W_TRY(read_table(r, doc, "records", c, 1, true, scratch, &n, &r->has_records, err));
	if (!r->has_records)
		return C4W_OK;
	if (n >= CHW_NONE - 1)
		return c4w_fail(err, C4W_LIMIT, "the records table has %zu rows, c4w takes fewer than 4,294,967,294", n);
	C4W_TRY(c4w_arena_take(&r->arena, n * sizeof *r->records, &p, err));
	r->records = p;
	r->included = chw_map_new(n);
	if (!r->included)
		return c4w_fail_memory(err, n);
	for (i = 0; i < n; i++) {
		uint32_t earlier;
		if (!c4w_batch_valid(&c[0].b, i) || !c4w_unhex32(text_at(&c[0].b, i), r->records[i].b))
			return row_fault(err, "root.record-value", "records", i, "record_id is not 64 lower-case hex digits",
					 c4w_batch_valid(&c[0].b, i) ? text_at(&c[0].b, i) : C4W_VIEW("null"));
		earlier = chw_map_add(r->included, r->records[i].b, 32, (uint32_t)i);
		if (earlier == CHW_NONE - 1)
			return c4w_fail_memory(err, 32);
		if (earlier != CHW_NONE)
			note(r, "root.record-duplicate", "records", "records row %zu repeats row %u", i, earlier);
		r->n_records = (uint32_t)i + 1;
	}
	return C4W_OK;
}

int chw_root_open(struct c4w_store *store, const char *name, struct chw_root **out, struct c4w_err *err)
{
	struct chw_root *r = calloc(1, sizeof *r);
	struct c4w_arena scratch = { 0 };
	struct c4w_blob *blob = NULL;
	const uint8_t *body;
	uint64_t size;
	uint32_t group_cap = 0;
	struct c4w_arena_mark mark;
	struct c4w_json doc;
	int cls;
	*out = NULL;
	if (!r || !(r->name = strdup(name))) {
		free(r);
		return c4w_fail_memory(err, sizeof *r);
	}
	r->store = c4w_store_ref(store);
	cls = c4w_store_open(store, ROOT_FILE, &blob, err);
	if (cls == C4W_USAGE)
		cls = not_a_file(err);
	if (cls != C4W_OK) {
		if (cls == C4W_ABSENT) {
			c4w_fail(err, C4W_ABSENT, "no " ROOT_FILE " there");
			c4w_err_path(err, name);
			c4w_err_hint(err, "an interrupted extraction or conversion leaves none; run it again");
		}
		goto out;
	}
	size = c4w_blob_size(blob);
	if (size > C4W_LIMIT_ROOT_JSON) {
		cls = c4w_fail(err, C4W_LIMIT, "has %llu bytes, the limit for the root file is %llu", (unsigned long long)size,
			       (unsigned long long)C4W_LIMIT_ROOT_JSON);
		c4w_err_path(err, ROOT_FILE);
		goto out;
	}
	if ((cls = c4w_blob_view(blob, 0, (size_t)size, &r->arena, &body, err)) != C4W_OK)
		goto out;
	c4w_sha256(body, (size_t)size, r->manifest_sha.b);
	cls = c4w_json_parse((struct c4w_view){ (const char *)body, (size_t)size }, C4W_JSON_BOM | C4W_JSON_FINITE, 0, &scratch, &doc, err);
	if (cls != C4W_OK) {
		c4w_err_path(err, ROOT_FILE);
		goto out;
	}
	/* A table's columns are gone when its rows are made: the next one takes the same memory. */
	mark = c4w_arena_mark(&scratch);
	if ((cls = parse_manifest(r, &doc, err)) == C4W_OK && (cls = load_scenes(r, &doc, &scratch, &group_cap, err)) == C4W_OK) {
		c4w_arena_rewind(&scratch, mark);
		cls = load_files(r, &doc, &scratch, &group_cap, err);
	}
	if (cls == C4W_OK) {
		c4w_arena_rewind(&scratch, mark);
		cls = load_records(r, &doc, &scratch, err);
	}
	if (cls == C4W_OK && !r->has_records && r->kind != CHW_RELEASE)
		note(r, "root.keys", ROOT_FILE, "a %s needs the records table", chw_kind_names[r->kind]);
out:
	c4w_blob_close(blob);
	c4w_arena_clear(&scratch);
	if (cls != C4W_OK) {
		chw_root_free(r);
		return cls;
	}
	*out = r;
	return C4W_OK;
}

void chw_root_free(struct chw_root *r)
{
	if (!r)
		return;
	chw_map_free(r->by_path);
	chw_map_free(r->by_scene);
	chw_map_free(r->by_group);
	chw_map_free(r->included);
	chw_map_free(r->payload_of);
	c4w_findings_clear(&r->findings);
	c4w_arena_clear(&r->arena);
	c4w_store_close(r->store);
	free(r->name);
	free(r);
}

uint32_t chw_find_file(const struct chw_root *r, struct c4w_view path)
{
	return chw_map_get(r->by_path, path.p, path.n);
}

uint32_t chw_find_scene(const struct chw_root *r, struct c4w_view id)
{
	return chw_map_get(r->by_scene, id.p, id.n);
}

bool chw_is_included(const struct chw_root *r, const struct chw_digest *record)
{
	return !r->has_records || chw_map_get(r->included, record->b, 32) != CHW_NONE;
}

uint32_t chw_payload_of(const struct chw_root *r, const struct chw_digest *record)
{
	return chw_map_get(r->payload_of, record->b, 32);
}

int chw_read_checked(const struct chw_root *r, const struct chw_file *f, uint64_t limit, const char *rule, struct c4w_arena *arena,
		     struct c4w_view *out, struct c4w_err *err)
{
	struct c4w_blob *blob;
	const uint8_t *body = NULL;
	struct chw_digest sha;
	char want[65], got[65];
	uint64_t size;
	int cls;
	*out = (struct c4w_view){ NULL, 0 };
	C4W_TRY(c4w_store_open(r->store, f->path, &blob, err));
	size = c4w_blob_size(blob);
	if (size > limit)
		cls = c4w_fail(err, C4W_LIMIT, "has %llu bytes, the limit is %llu", (unsigned long long)size, (unsigned long long)limit);
	else
		cls = c4w_blob_view(blob, 0, (size_t)size, arena, &body, err);
	c4w_blob_close(blob);
	if (cls == C4W_OK && f->has_sha) {
		c4w_sha256(body, (size_t)size, sha.b);
		if (memcmp(sha.b, f->sha.b, 32) != 0) {
			cls = c4w_damaged(err, rule, -1, "differs from what the root lists: sha256");
			c4w_err_values(err, c4w_hex(want, f->sha.b, 32), c4w_hex(got, sha.b, 32));
		}
	}
	if (cls == C4W_OK && size != (uint64_t)f->bytes) {
		cls = c4w_damaged(err, rule, -1, "differs from what the root lists: bytes");
		c4w_err_valuesf(err, "", "%llu", (unsigned long long)size);
		if (err)
			snprintf(err->expected, sizeof err->expected, "%lld", (long long)f->bytes);
	}
	if (cls != C4W_OK) {
		c4w_err_path(err, f->path);
		return cls;
	}
	*out = (struct c4w_view){ (const char *)body, (size_t)size };
	return C4W_OK;
}
