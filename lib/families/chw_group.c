/* Group metadata (section 2): members.parquet and snapshot.json, checked against the root and kept as compact rows; and where a
 * record's bytes are (section 3).
 *
 * A fault in one of the two files is remembered, not returned: every item of the group that needs the file reports it.
 */
#include "families/chw.h"

#include "base/limits.h"
#include "base/sha256.h"

#include <inttypes.h>
#include <stdatomic.h>

struct chw_archive {
	const char *path;
	struct c4w_blob *blob;
};

/* ---- members ---- */

static struct c4w_view text_at(const struct c4w_batch *b, size_t i)
{
	struct c4w_view v;
	v.p = (const char *)c4w_batch_bytes(b, i, &v.n);
	return v;
}

static int member_fault(struct c4w_err *err, const char *rule, size_t row, const char *what, struct c4w_view found)
{
	char shown[120];
	c4w_damaged(err, rule, -1, "row %zu: %s", row, what);
	return c4w_err_values(err, NULL, c4w_str_escape(shown, sizeof shown, found.p, found.n));
}

static int load_members(struct chw_group *g, struct c4w_err *err)
{
	static const char *const names[] = { "record_id", "object_path", "member_path", "member_sha256", "data_offset", "member_bytes", NULL };
	const struct chw_root *r = g->root;
	const struct chw_group_entry *entry = &r->groups[g->index];
	struct c4w_arena scratch = { 0 };
	struct c4w_batch b[6];
	struct c4w_view body, unknown, last_object = { NULL, 0 };
	struct c4w_blob *blob = NULL;
	struct c4w_pq *pq = NULL;
	uint32_t last_index = CHW_NONE;
	const char *last_text = NULL;
	size_t n, i, c;
	void *p;
	int cls;
	if (entry->members == CHW_NONE)
		return c4w_damaged(err, "root.group-files", -1, "the root lists no members table for group %s", entry->name);
	cls = chw_read_checked(r, &r->files[entry->members], UINT64_MAX, "members.digest", &scratch, &body, err);
	if (cls == C4W_ABSENT) {
		c4w_fail(err, C4W_ABSENT, "%s is not downloaded", r->files[entry->members].path);
		c4w_err_path(err, r->files[entry->members].path);
	}
	if (cls != C4W_OK)
		goto out;
	if ((cls = c4w_blob_memory(r->files[entry->members].path, body.p, body.n, false, &blob, err)) != C4W_OK ||
	    (cls = c4w_pq_open(blob, &pq, err)) != C4W_OK)
		goto out;
	for (c = 0; c < 6; c++)
		if ((cls = chw_table_column(pq, "members.columns", names[c], c < 4 ? C4W_PQ_BYTE_ARRAY : C4W_PQ_INT64, &scratch, &b[c], err)) !=
		    C4W_OK)
			goto out;
	if (chw_table_unknown(pq, names, &unknown)) {
		char shown[80];
		cls = c4w_damaged(err, "members.columns", -1, "the table has the unknown column '%s'",
				  c4w_str_escape(shown, sizeof shown, unknown.p, unknown.n));
		goto out;
	}
	n = (size_t)c4w_pq_rows(pq);
	if (n >= CHW_NONE - 1) {
		cls = c4w_fail(err, C4W_LIMIT, "%zu rows, c4w takes fewer than 4,294,967,294", n);
		goto out;
	}
	if ((cls = c4w_arena_take(&g->arena, n * sizeof *g->members, &p, err)) != C4W_OK)
		goto out;
	g->members = p;
	if (!(g->member_of = chw_map_new(n))) {
		cls = c4w_fail_memory(err, n);
		goto out;
	}
	for (i = 0; i < n; i++) {
		struct chw_member *m = &g->members[i];
		struct c4w_view object, path;
		uint32_t earlier;
		cls = C4W_DAMAGED;
		for (c = 0; c < 6; c++)
			if (!c4w_batch_valid(&b[c], i)) {
				member_fault(err, "members.value", i, names[c], C4W_VIEW("null"));
				goto out;
			}
		object = text_at(&b[1], i);
		path = text_at(&b[2], i);
		if (!c4w_unhex32(text_at(&b[0], i), m->id.b) || !c4w_unhex32(text_at(&b[3], i), m->sha.b)) {
			member_fault(err, "members.value", i, "a digest is not 64 lower-case hex digits", text_at(&b[0], i));
			goto out;
		}
		if (!chw_safe_path(path.p, path.n)) {
			member_fault(err, "members.path", i, "member_path is not a plain relative path", path);
			goto out;
		}
		m->offset = ((const int64_t *)b[4].values)[i];
		m->bytes = ((const int64_t *)b[5].values)[i];
		if (!last_text || !c4w_view_eq(object, last_object)) {
			if (!chw_safe_path(object.p, object.n)) {
				member_fault(err, "members.path", i, "object_path is not a plain relative path", object);
				goto out;
			}
			last_object = object;
			last_index = chw_find_file(r, object);
			last_text = c4w_arena_text(&g->arena, object.p, object.n);
		}
		m->object = last_index;
		m->object_path = last_text;
		m->member_path = c4w_arena_text(&g->arena, path.p, path.n);
		earlier = chw_map_add(g->member_of, m->id.b, 32, (uint32_t)i);
		if (!m->member_path || !last_text || earlier == CHW_NONE - 1) {
			cls = c4w_fail_memory(err, path.n);
			goto out;
		}
		if (earlier != CHW_NONE) {
			member_fault(err, "members.duplicate", i, "the record_id repeats an earlier row's", text_at(&b[0], i));
			goto out;
		}
		g->n_members = (uint32_t)i + 1;
	}
	cls = C4W_OK;
out:
	if (cls != C4W_OK && entry->members != CHW_NONE)
		c4w_err_path(err, r->files[entry->members].path);
	c4w_pq_close(pq);
	c4w_blob_close(blob);
	c4w_arena_clear(&scratch);
	return cls;
}

/* ---- the snapshot ---- */

static int row_fault(struct c4w_err *err, const struct c4w_json *doc, uint32_t v, const char *rule, const char *what, const char *expected)
{
	char found[100];
	struct c4w_view raw = v == C4W_JSON_NONE ? C4W_VIEW("nothing") : c4w_json_raw(doc, v);
	c4w_damaged(err, rule, v == C4W_JSON_NONE ? -1 : (int64_t)c4w_json_offset(doc, v), "%s", what);
	return c4w_err_values(err, expected, c4w_str_escape(found, sizeof found, raw.p, raw.n));
}

static bool hex_value(const struct c4w_json *doc, uint32_t v, struct chw_digest *out)
{
	struct c4w_view raw;
	if (v == C4W_JSON_NONE || c4w_json_type(doc, v) != C4W_JSON_STRING)
		return false;
	raw = c4w_json_raw(doc, v);
	return raw.n == 66 && c4w_unhex32((struct c4w_view){ raw.p + 1, 64 }, out->b);
}

static bool is_integer(const struct c4w_json *doc, uint32_t v, int64_t want)
{
	int64_t got;
	return v != C4W_JSON_NONE && c4w_json_is_integer(doc, v) && c4w_json_i64(doc, v, &got, NULL) == C4W_OK && got == want;
}

/* numeric_content (section 4): exactly these keys, all fields sorted by name, the declared dtypes and shapes; and its digest. The canonical
 * text is built from what was just compared, so it is the document's own. */
static int check_content(const struct c4w_json *doc, uint32_t v, struct chw_row *row, struct c4w_err *err)
{
	unsigned n, i;
	const struct chw_field *fields = chw_fields(row->component, &n), *sorted[CHW_MAX_FIELDS];
	uint32_t arrays = c4w_json_member(doc, v, "arrays"), e;
	char text[4096], hex[65];
	size_t used;
	struct chw_digest digest;
	struct c4w_sha256 sha;
	if (c4w_json_type(doc, v) != C4W_JSON_OBJECT || c4w_json_count(doc, v) != 4 || arrays == C4W_JSON_NONE ||
	    c4w_json_type(doc, arrays) != C4W_JSON_ARRAY)
		return row_fault(err, doc, v, "snapshot.content", "numeric_content has other keys than it must",
				 "schema, version, component and arrays");
	if (!c4w_json_string_eq(doc, c4w_json_member(doc, v, "schema"), C4W_VIEW("wireless.numeric-content")) ||
	    !is_integer(doc, c4w_json_member(doc, v, "version"), 1))
		return row_fault(err, doc, v, "snapshot.content", "numeric_content is of another schema or version",
				 "wireless.numeric-content version 1");
	e = c4w_json_member(doc, v, "component");
	if (e == C4W_JSON_NONE || !c4w_json_string_eq(doc, e, c4w_view_z(chw_component_names[row->component])))
		return row_fault(err, doc, e, "snapshot.content", "numeric_content is of another component than its header",
				 chw_component_names[row->component]);
	for (i = 0; i < n; i++)
		sorted[fields[i].sorted] = &fields[i];
	used = (size_t)snprintf(text, sizeof text, "{\"arrays\":[");
	for (i = 0, e = c4w_json_first(doc, arrays); e != C4W_JSON_NONE; e = c4w_json_next(doc, arrays, e), i++) {
		const struct chw_field *f = i < n ? sorted[i] : NULL;
		uint32_t shape = c4w_json_member(doc, e, "shape"), s, name = c4w_json_member(doc, e, "name");
		uint32_t dtype = c4w_json_member(doc, e, "dtype"), sha_v = c4w_json_member(doc, e, "c_order_sha256");
		struct chw_digest *into;
		int64_t length;
		if (!f || c4w_json_type(doc, e) != C4W_JSON_OBJECT || c4w_json_count(doc, e) != 4 || name == C4W_JSON_NONE ||
		    dtype == C4W_JSON_NONE || shape == C4W_JSON_NONE || sha_v == C4W_JSON_NONE)
			return row_fault(err, doc, e, "snapshot.content", "an entry of numeric_content is not as it must be",
					 f ? "name, dtype, shape and c_order_sha256" : "no further field");
		if (!c4w_json_string_eq(doc, name, c4w_view_z(f->name)))
			return row_fault(err, doc, name, "snapshot.content", "numeric_content lists fields out of order or others", f->name);
		if (!c4w_json_string_eq(doc, dtype, c4w_view_z(f->dtype)))
			return row_fault(err, doc, dtype, "snapshot.signature", "a field's declared dtype", f->dtype);
		length = chw_length_of(&row->dims, (enum chw_length)f->length);
		s = c4w_json_type(doc, shape) == C4W_JSON_ARRAY && c4w_json_count(doc, shape) == (f->vec3 ? 2U : 1U) ?
			    c4w_json_first(doc, shape) : C4W_JSON_NONE;
		if (!is_integer(doc, s, length) || (f->vec3 && !is_integer(doc, c4w_json_next(doc, shape, s), 3))) {
			char want[60];
			snprintf(want, sizeof want, f->vec3 ? "[%" PRId64 ", 3]" : "[%" PRId64 "]", length);
			return row_fault(err, doc, shape, "snapshot.signature", "a field's declared shape is not that of the header's dimensions",
					 want);
		}
		into = &row->arrays[(size_t)(f - fields)];
		if (!hex_value(doc, sha_v, into))
			return row_fault(err, doc, sha_v, "snapshot.content", "c_order_sha256", "64 lower-case hex digits");
		used += (size_t)snprintf(text + used, sizeof text - used,
					 "%s{\"c_order_sha256\":\"%s\",\"dtype\":\"%s\",\"name\":\"%s\",\"shape\":[%" PRId64 "%s]}", i ? "," : "",
					 c4w_hex(hex, into->b, 32), f->dtype, f->name, length, f->vec3 ? ",3" : "");
	}
	if (i != n)
		return row_fault(err, doc, arrays, "snapshot.content", "numeric_content lacks fields", sorted[i]->name);
	used += (size_t)snprintf(text + used, sizeof text - used, "],\"component\":\"%s\",\"schema\":\"wireless.numeric-content\",\"version\":1}",
				 chw_component_names[row->component]);
	c4w_sha256_init(&sha);
	c4w_sha256_update(&sha, "wireless.numeric-content.v1", 28); /* with its NUL */
	c4w_sha256_update(&sha, text, used);
	c4w_sha256_final(&sha, digest.b);
	if (memcmp(digest.b, row->content.b, 32) != 0) {
		char want[65];
		c4w_damaged(err, "snapshot.content-digest", (int64_t)c4w_json_offset(doc, v), "content_sha256 is not the digest of numeric_content");
		return c4w_err_values(err, c4w_hex(want, digest.b, 32), c4w_hex(hex, row->content.b, 32));
	}
	return C4W_OK;
}

static int check_row(struct chw_group *g, const struct c4w_json *doc, uint32_t v, uint32_t conventions, struct chw_row *row,
		     struct c4w_err *err)
{
	static const char *const keys[] = { "record_id", "record", "numeric_content", "content_sha256", "member_sha256" };
	struct chw_digest id;
	struct c4w_view text;
	uint32_t m[5];
	unsigned i, n;
	void *p;
	if (c4w_json_type(doc, v) != C4W_JSON_OBJECT || c4w_json_count(doc, v) != 5)
		return row_fault(err, doc, v, "snapshot.row-keys", "a row has other keys than it must", "record_id, record, numeric_content, content_sha256, member_sha256");
	for (i = 0; i < 5; i++)
		if ((m[i] = c4w_json_member(doc, v, keys[i])) == C4W_JSON_NONE)
			return row_fault(err, doc, v, "snapshot.row-keys", "a row lacks a key", keys[i]);
	C4W_TRY(chw_header_parse(doc, m[1], g->root, conventions, doc, &g->arena, row, err));
	text = c4w_json_raw(doc, m[1]);
	row->header_at = (uint64_t)(text.p - doc->text);
	row->header_n = text.n;
	c4w_sha256(text.p, text.n, row->header.b);
	if (!hex_value(doc, m[0], &id) || memcmp(id.b, row->id.b, 32) != 0) {
		char want[65];
		return row_fault(err, doc, m[0], "snapshot.record-id", "record_id is not the digest of the identity", c4w_hex(want, row->id.b, 32));
	}
	if (!hex_value(doc, m[3], &row->content))
		return row_fault(err, doc, m[3], "snapshot.content-digest", "content_sha256", "64 lower-case hex digits");
	if (!hex_value(doc, m[4], &row->member))
		return row_fault(err, doc, m[4], "snapshot.member-digest", "member_sha256", "64 lower-case hex digits");
	chw_fields(row->component, &n);
	C4W_TRY(c4w_arena_take(&g->arena, n * sizeof *row->arrays, &p, err));
	row->arrays = p;
	return check_content(doc, m[2], row, err);
}

static int pins_fault(struct c4w_err *err, const struct chw_row *row, const char *rule, const char *what)
{
	return c4w_damaged(err, rule, (int64_t)row->header_at, "%s", what);
}

/* Rows that point at each other agree, when both are there. */
static int check_pins(struct chw_group *g, struct c4w_err *err)
{
	uint32_t i;
	for (i = 0; i < g->n_rows; i++) {
		const struct chw_row *row = &g->rows[i], *to;
		if (row->component == CHW_POSITIONS)
			continue;
		to = chw_row_of(g, &row->pin.record);
		if (to && (to->component != CHW_POSITIONS || memcmp(to->content.b, row->pin.content.b, 32) != 0 ||
			   to->dims.bs != row->pin.bs || to->dims.ues != row->pin.ues))
			return pins_fault(err, row, "snapshot.positions-pin",
					  "the positions pin is not what the snapshot says of these positions");
		to = row->component == CHW_DETAIL ? chw_row_of(g, &row->core) : NULL;
		if (to && (memcmp(to->path_axis.b, row->path_axis.b, 32) != 0 || to->dims.paths != row->dims.paths ||
			   memcmp(to->pin.record.b, row->pin.record.b, 32) != 0 || memcmp(to->pin.content.b, row->pin.content.b, 32) != 0 ||
			   to->pin.bs != row->pin.bs || to->pin.ues != row->pin.ues))
			return pins_fault(err, row, "snapshot.core-pin", "the core pin is not what the snapshot says of this core");
	}
	return C4W_OK;
}

static int read_snapshot(struct chw_group *g, struct chw_docs *docs, struct c4w_arena *scratch, struct c4w_err *err)
{
	const struct chw_root *r = g->root;
	const struct chw_group_entry *entry = &r->groups[g->index];
	const struct c4w_err *docs_err;
	struct chw_digest conv_sha;
	struct c4w_json doc;
	struct c4w_view body, ref;
	uint32_t conventions, records, e, count, v;
	void *p;
	int cls;
	if (entry->snapshot == CHW_NONE)
		return c4w_damaged(err, "root.group-files", -1, "the root lists no snapshot for group %s", entry->name);
	cls = chw_read_checked(r, &r->files[entry->snapshot], C4W_LIMIT_SNAPSHOT, "snapshot.digest", scratch, &body, err);
	if (cls == C4W_ABSENT) {
		c4w_fail(err, C4W_ABSENT, "%s is not downloaded", r->files[entry->snapshot].path);
		c4w_err_path(err, r->files[entry->snapshot].path);
	}
	if (cls != C4W_OK)
		return cls;
	C4W_TRY(c4w_json_parse(body, C4W_JSON_BOM | C4W_JSON_FINITE, 0, scratch, &doc, err));
	conventions = c4w_json_member(&doc, 0, "conventions");
	records = c4w_json_member(&doc, 0, "records");
	v = c4w_json_member(&doc, 0, "version");
	if (c4w_json_type(&doc, 0) != C4W_JSON_OBJECT || c4w_json_count(&doc, 0) != 4 || conventions == C4W_JSON_NONE ||
	    records == C4W_JSON_NONE || c4w_json_type(&doc, records) != C4W_JSON_ARRAY || v == C4W_JSON_NONE ||
	    !c4w_json_string_eq(&doc, c4w_json_member(&doc, 0, "schema"), C4W_VIEW("wireless.numeric-snapshot")))
		return row_fault(err, &doc, 0, "snapshot.schema", "not a numeric snapshot", "schema, version, conventions and records");
	if (!is_integer(&doc, v, 1))
		return row_fault(err, &doc, v, "snapshot.schema", "version", "1");
	v = c4w_json_member(&doc, conventions, "ref");
	if (c4w_json_type(&doc, conventions) != C4W_JSON_OBJECT || c4w_json_count(&doc, conventions) != 2 || v == C4W_JSON_NONE ||
	    c4w_json_type(&doc, v) != C4W_JSON_STRING || !hex_value(&doc, c4w_json_member(&doc, conventions, "sha256"), &conv_sha))
		return row_fault(err, &doc, conventions, "snapshot.conventions", "conventions", "{\"ref\", \"sha256\"}");
	C4W_TRY(c4w_json_string(&doc, v, scratch, &ref, err));
	if (memchr(ref.p, 0, ref.n) || !(ref.p = c4w_arena_text(scratch, ref.p, ref.n)))
		return row_fault(err, &doc, v, "snapshot.conventions", "conventions.ref", "a path");
	docs_err = chw_docs_check(docs, r, ref.p, &conv_sha);
	if (docs_err->cls != C4W_OK) {
		*err = *docs_err;
		return (int)docs_err->cls;
	}
	count = c4w_json_count(&doc, records);
	C4W_TRY(c4w_arena_zero(&g->arena, count, sizeof *g->rows, &p, err));
	g->rows = p;
	if (!(g->row_of = chw_map_new(count)))
		return c4w_fail_memory(err, count);
	for (e = c4w_json_first(&doc, records); e != C4W_JSON_NONE; e = c4w_json_next(&doc, records, e)) {
		struct chw_row *row = &g->rows[g->n_rows];
		uint32_t earlier;
		cls = check_row(g, &doc, e, conventions, row, err);
		if (cls != C4W_OK) {
			c4w_err_prefix(err, "records[%u]", g->n_rows);
			return cls;
		}
		earlier = chw_map_add(g->row_of, row->id.b, 32, g->n_rows);
		if (earlier == CHW_NONE - 1)
			return c4w_fail_memory(err, 32);
		if (earlier != CHW_NONE)
			return row_fault(err, &doc, c4w_json_member(&doc, e, "record_id"), "snapshot.duplicate", "a record_id repeats", NULL);
		row->included = chw_is_included(r, &row->id);
		g->n_rows++;
	}
	return check_pins(g, err);
}

/* The text and its tokens, tens of megabytes, are only needed until the rows are made. */
static int load_snapshot(struct chw_group *g, struct chw_docs *docs, struct c4w_err *err)
{
	struct c4w_arena scratch = { 0 };
	int cls = read_snapshot(g, docs, &scratch, err);
	c4w_arena_clear(&scratch);
	return cls;
}

int chw_header_text(const struct chw_group *g, const struct chw_row *row, struct c4w_arena *arena, struct c4w_view *out, struct c4w_err *err)
{
	const struct chw_file *f = &g->root->files[g->root->groups[g->index].snapshot];
	struct chw_digest digest;
	struct c4w_blob *b;
	const uint8_t *p = NULL;
	int cls;
	C4W_TRY(c4w_store_open(g->root->store, f->path, &b, err));
	cls = c4w_blob_view(b, row->header_at, row->header_n, arena, &p, err);
	c4w_blob_close(b);
	C4W_TRY(cls);
	c4w_sha256(p, row->header_n, digest.b);
	if (memcmp(digest.b, row->header.b, 32) != 0) {
		c4w_fail(err, C4W_IO, "changed while it was used");
		c4w_err_path(err, f->path);
		return C4W_IO;
	}
	*out = (struct c4w_view){ (const char *)p, row->header_n };
	return C4W_OK;
}

/* ---- groups ---- */

/* Each item of the group reports the fault, so its message says which file it is in. */
static void name_file(struct c4w_err *err)
{
	char shown[200];
	if (err->cls == C4W_DAMAGED && err->path[0] && !strstr(err->message, err->path))
		c4w_err_prefix(err, "%s", c4w_str_escape(shown, sizeof shown, err->path, strlen(err->path)));
}

int chw_group_load(struct chw_root *r, uint32_t group, bool need_snapshot, struct chw_docs *docs, struct chw_group **out, struct c4w_err *err)
{
	struct chw_group *g = calloc(1, sizeof *g);
	*out = NULL;
	if (!g)
		return c4w_fail_memory(err, sizeof *g);
	g->root = r;
	g->index = group;
	atomic_init(&g->refs, 1);
	pthread_mutex_init(&g->lock, NULL);
	c4w_err_clear(&g->members_err);
	c4w_err_clear(&g->snapshot_err);
	if (load_members(g, &g->members_err) == C4W_OK)
		c4w_err_clear(&g->members_err);
	if (need_snapshot) {
		if (load_snapshot(g, docs, &g->snapshot_err) == C4W_OK)
			c4w_err_clear(&g->snapshot_err);
		else if (r->groups[group].snapshot != CHW_NONE)
			c4w_err_path(&g->snapshot_err, r->files[r->groups[group].snapshot].path);
	}
	name_file(&g->members_err);
	name_file(&g->snapshot_err);
	if (g->members_err.cls == C4W_MEMORY || g->snapshot_err.cls == C4W_MEMORY) {
		int cls = c4w_fail_memory(err, 0);
		chw_group_release(g);
		return cls;
	}
	if (r->kind == CHW_CACHE && need_snapshot && g->snapshot_err.cls == C4W_OK)
		chw_parts_load(g);
	*out = g;
	return C4W_OK;
}

struct chw_group *chw_group_ref(struct chw_group *g)
{
	atomic_fetch_add(&g->refs, 1);
	return g;
}

void chw_group_release(struct chw_group *g)
{
	uint32_t i;
	if (!g || atomic_fetch_sub(&g->refs, 1) != 1)
		return;
	for (i = 0; i < g->n_archives; i++)
		c4w_blob_close(g->archives[i].blob);
	free(g->archives);
	chw_parts_free(g);
	chw_map_free(g->member_of);
	chw_map_free(g->row_of);
	c4w_arena_clear(&g->arena);
	pthread_mutex_destroy(&g->lock);
	free(g);
}

const struct chw_row *chw_row_of(const struct chw_group *g, const struct chw_digest *id)
{
	uint32_t at = g->row_of ? chw_map_get(g->row_of, id->b, 32) : CHW_NONE;
	return at == CHW_NONE ? NULL : &g->rows[at];
}

const struct chw_member *chw_member_of(const struct chw_group *g, const struct chw_digest *id)
{
	/* Nothing of a table that is not sound is used, not even the rows in front of its first fault. */
	uint32_t at = g->member_of && g->members_err.cls == C4W_OK ? chw_map_get(g->member_of, id->b, 32) : CHW_NONE;
	return at == CHW_NONE ? NULL : &g->members[at];
}

void chw_locate(struct chw_group *g, const struct chw_digest *id, const struct chw_row *row, struct chw_place *out)
{
	const struct chw_root *r = g->root;
	const struct chw_member *m = chw_member_of(g, id);
	uint32_t file;
	*out = (struct chw_place){ .where = CHW_UNPUBLISHED, .file = CHW_NONE };
	if (row && r->kind == CHW_CACHE && chw_part_has(g, row, &out->path)) {
		out->where = CHW_AT_CACHE;
		return;
	}
	file = chw_payload_of(r, id);
	if (file != CHW_NONE) {
		const struct chw_file *f = &r->files[file];
		out->where = CHW_AT_FILE;
		out->path = f->path;
		out->file = file;
		out->bytes = f->bytes;
		out->sha = row ? row->member : m ? m->sha : f->sha;
		out->also = &f->sha;
		return;
	}
	if (!m || m->object == CHW_NONE || !chw_is_included(r, id))
		return;
	out->where = CHW_AT_MEMBER;
	out->path = m->object_path;
	out->file = m->object;
	out->offset = m->offset;
	out->bytes = m->bytes;
	out->sha = row ? row->member : m->sha;
	out->also = row ? &m->sha : NULL;
}

int chw_open_file(struct chw_group *g, const char *path, struct c4w_blob **out, struct c4w_err *err)
{
	uint32_t i;
	int cls = C4W_OK;
	*out = NULL;
	pthread_mutex_lock(&g->lock);
	for (i = 0; i < g->n_archives; i++)
		if (strcmp(g->archives[i].path, path) == 0)
			break;
	if (i == g->n_archives) {
		struct chw_archive *more = realloc(g->archives, (i + 1) * sizeof *more);
		if (!more) {
			cls = c4w_fail_memory(err, sizeof *more);
		} else {
			g->archives = more;
			g->archives[i].path = path;
			cls = c4w_store_open(g->root->store, path, &g->archives[i].blob, err);
			if (cls == C4W_OK)
				g->n_archives++;
		}
	}
	if (cls == C4W_OK)
		*out = g->archives[i].blob;
	pthread_mutex_unlock(&g->lock);
	return cls;
}
