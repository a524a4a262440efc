/* Numeric headers (section 4): fields, identities, record ids, and the rules of the header that an NPZ embeds. */
#include "families/chw.h"

#include "base/sha256.h"

#include <inttypes.h>

#define F4 'f', 4

const struct chw_field chw_core_fields[] = {
	{ "link_ue_index", "<i4", 'i', 4, false, CHW_LEN_LINKS, 5 },
	{ "link_path_offsets", "<i8", 'i', 8, false, CHW_LEN_LINKS1, 4 },
	{ "path_rank", "|u1", 'u', 1, false, CHW_LEN_PATHS, 6 },
	{ "a_real", "<f4", F4, false, CHW_LEN_PATHS, 1 },
	{ "a_imag", "<f4", F4, false, CHW_LEN_PATHS, 0 },
	{ "tau", "<f4", F4, false, CHW_LEN_PATHS, 9 },
	{ "theta_t", "<f4", F4, false, CHW_LEN_PATHS, 11 },
	{ "phi_t", "<f4", F4, false, CHW_LEN_PATHS, 8 },
	{ "theta_r", "<f4", F4, false, CHW_LEN_PATHS, 10 },
	{ "phi_r", "<f4", F4, false, CHW_LEN_PATHS, 7 },
	{ "interaction_count", "|u1", 'u', 1, false, CHW_LEN_PATHS, 2 },
	{ "interaction_flags", "<u2", 'u', 2, false, CHW_LEN_PATHS, 3 },
};
const struct chw_field chw_detail_fields[] = {
	{ "path_interaction_offsets", "<i8", 'i', 8, false, CHW_LEN_PATHS1, 3 },
	{ "interaction_rank", "|u1", 'u', 1, false, CHW_LEN_INTERACTIONS, 0 },
	{ "interaction_type", "|i1", 'i', 1, false, CHW_LEN_INTERACTIONS, 1 },
	{ "interaction_vertex", "<f4", F4, true, CHW_LEN_INTERACTIONS, 2 },
};
const struct chw_field chw_positions_fields[] = {
	{ "bs_positions", "<f4", F4, true, CHW_LEN_BS, 0 },
	{ "ue_positions", "<f4", F4, true, CHW_LEN_UES, 1 },
};

const struct chw_field *chw_fields(enum chw_component c, unsigned *count)
{
	switch (c) {
	case CHW_CORE:
		*count = 12;
		return chw_core_fields;
	case CHW_DETAIL:
		*count = 4;
		return chw_detail_fields;
	case CHW_POSITIONS:
		*count = 2;
		return chw_positions_fields;
	default:
		*count = 0;
		return NULL;
	}
}

int64_t chw_length_of(const struct chw_dims *d, enum chw_length l)
{
	switch (l) {
	case CHW_LEN_LINKS: return d->links;
	case CHW_LEN_LINKS1: return d->links + 1;
	case CHW_LEN_PATHS: return d->paths;
	case CHW_LEN_PATHS1: return d->paths + 1;
	case CHW_LEN_INTERACTIONS: return d->interactions;
	case CHW_LEN_BS: return d->bs;
	case CHW_LEN_UES: return d->ues;
	}
	return 0;
}

void chw_record_id(const char *collection, const char *scene, enum chw_component c, int64_t hz, int64_t bs, struct chw_digest *out)
{
	struct c4w_buf b = { 0 };
	if (bs < 0)
		c4w_buf_puts(&b, "{\"bs_index\":null");
	else
		c4w_buf_printf(&b, "{\"bs_index\":%" PRId64, bs);
	c4w_buf_puts(&b, ",\"collection_id\":");
	c4w_json_quote(&b, c4w_view_z(collection), false);
	c4w_buf_printf(&b, ",\"component\":\"%s\",\"frequency_hz\":", chw_component_names[c]);
	if (hz < 0)
		c4w_buf_puts(&b, "null");
	else
		c4w_buf_printf(&b, "%" PRId64, hz);
	c4w_buf_puts(&b, ",\"scene_id\":");
	c4w_json_quote(&b, c4w_view_z(scene), false);
	c4w_buf_putc(&b, '}');
	/* An identity that could not be written gives a digest that no record has. */
	if (b.failed)
		memset(out->b, 0, 32);
	else
		c4w_sha256(b.p, b.n, out->b);
	c4w_buf_clear(&b);
}

/* ---- the rules ---- */

static int fault(struct c4w_err *err, const struct c4w_json *doc, uint32_t v, const char *rule, const char *what, const char *expected)
{
	char found[100];
	struct c4w_view raw = v == C4W_JSON_NONE ? C4W_VIEW("nothing") : c4w_json_raw(doc, v);
	c4w_damaged(err, rule, v == C4W_JSON_NONE ? -1 : (int64_t)c4w_json_offset(doc, v), "%s", what);
	return c4w_err_values(err, expected, c4w_str_escape(found, sizeof found, raw.p, raw.n));
}

/* Find the members `names` of an object that must have exactly these. */
static int exact(const struct c4w_json *doc, uint32_t obj, const char *const *names, unsigned n, uint32_t *out, const char *rule,
		 const char *what, struct c4w_err *err)
{
	unsigned i;
	uint32_t e;
	char shown[80];
	struct c4w_view raw;
	if (obj == C4W_JSON_NONE || c4w_json_type(doc, obj) != C4W_JSON_OBJECT)
		return fault(err, doc, obj, rule, what, "an object");
	for (i = 0; i < n; i++)
		out[i] = C4W_JSON_NONE;
	for (e = c4w_json_first(doc, obj); e != C4W_JSON_NONE;) {
		uint32_t value = c4w_json_next(doc, obj, e);
		for (i = 0; i < n; i++)
			if (out[i] == C4W_JSON_NONE && c4w_json_string_eq(doc, e, c4w_view_z(names[i]))) {
				out[i] = value;
				break;
			}
		if (i == n) {
			raw = c4w_json_raw(doc, e);
			return c4w_damaged(err, rule, (int64_t)c4w_json_offset(doc, e), "%s has the unknown key %s", what,
					   c4w_str_escape(shown, sizeof shown, raw.p, raw.n));
		}
		e = c4w_json_next(doc, obj, value);
	}
	for (i = 0; i < n; i++)
		if (out[i] == C4W_JSON_NONE)
			return c4w_damaged(err, rule, (int64_t)c4w_json_offset(doc, obj), "%s has no key \"%s\"", what, names[i]);
	return C4W_OK;
}

static int get_digest(const struct c4w_json *doc, uint32_t v, struct chw_digest *out, const char *what, struct c4w_err *err)
{
	/* A digest needs no escapes; one that has them is not as the rule says. */
	struct c4w_view raw = c4w_json_raw(doc, v);
	if (c4w_json_type(doc, v) == C4W_JSON_STRING && raw.n == 66 && c4w_unhex32((struct c4w_view){ raw.p + 1, 64 }, out->b))
		return C4W_OK;
	return fault(err, doc, v, "header.digest", what, "64 lower-case hex digits");
}

static int get_count(const struct c4w_json *doc, uint32_t v, int64_t min, int64_t *out, const char *rule, const char *what,
		     struct c4w_err *err)
{
	if (c4w_json_is_integer(doc, v) && c4w_json_i64(doc, v, out, NULL) == C4W_OK && *out >= min)
		return C4W_OK;
	return fault(err, doc, v, rule, what, min ? "a positive integer" : "a non-negative integer");
}

static int get_pin(const struct c4w_json *doc, uint32_t obj, struct chw_pin *pin, struct c4w_err *err)
{
	static const char *const names[] = { "record_id", "content_sha256", "conventions_sha256", "bs", "ues" };
	uint32_t v[5];
	C4W_TRY(exact(doc, obj, names, 5, v, "header.dependencies", "the positions pin", err));
	C4W_TRY(get_digest(doc, v[0], &pin->record, "the positions pin's record_id", err));
	C4W_TRY(get_digest(doc, v[1], &pin->content, "the positions pin's content_sha256", err));
	C4W_TRY(get_digest(doc, v[2], &pin->conventions, "the positions pin's conventions_sha256", err));
	C4W_TRY(get_count(doc, v[3], 0, &pin->bs, "header.dependencies", "the positions pin's bs", err));
	return get_count(doc, v[4], 0, &pin->ues, "header.dependencies", "the positions pin's ues", err);
}

static bool same(const struct chw_digest *a, const struct chw_digest *b)
{
	return memcmp(a->b, b->b, 32) == 0;
}

static int pin_fault(struct c4w_err *err, const char *what, const struct chw_digest *want, const struct chw_digest *got)
{
	char a[65], b[65];
	c4w_damaged(err, "header.pin", -1, "%s", what);
	return c4w_err_values(err, c4w_hex(a, want->b, 32), c4w_hex(b, got->b, 32));
}

int chw_header_parse(const struct c4w_json *doc, uint32_t v, const struct chw_root *r, uint32_t conventions,
		     const struct c4w_json *conv_doc, struct c4w_arena *arena, struct chw_row *row, struct c4w_err *err)
{
	static const char *const keys[] = { "schema", "version", "identity", "conventions", "dimensions", "info", "path_axis_sha256",
					    "dependencies" };
	static const char *const identity_keys[] = { "collection_id", "scene_id", "component", "frequency_hz", "bs_index" };
	static const char *const core_dims[] = { "links", "paths" }, *const detail_dims[] = { "paths", "interactions" },
			  *const positions_dims[] = { "bs", "ues" };
	static const char *const positions_dep[] = { "positions" }, *const core_dep[] = { "core_axis" };
	static const char *const axis_keys[] = { "record_id", "path_axis_sha256", "conventions_sha256", "positions" };
	uint32_t m[8], id[5], d[2], dep[1], ax[4], identity, component;
	struct c4w_view collection, scene, text;
	struct chw_digest conv, want;
	const char *collection_z, *scene_z;
	int64_t version;
	bool equal;
	identity = c4w_json_member(doc, v, "identity");
	component = c4w_json_member(doc, identity, "component");
	if (component == C4W_JSON_NONE || c4w_json_type(doc, component) != C4W_JSON_STRING)
		return fault(err, doc, component, "header.identity", "identity.component", "core, detail or positions");
	C4W_TRY(c4w_json_string(doc, component, arena, &text, err));
	row->component = chw_component_of(text);
	if (row->component >= CHW_GEOMETRY)
		return fault(err, doc, component, "header.identity", "identity.component", "core, detail or positions");
	C4W_TRY(exact(doc, v, keys, row->component == CHW_POSITIONS ? 6 : 8, m, "header.keys", "the header", err));
	if (!c4w_json_string_eq(doc, m[0], C4W_VIEW("wireless.npz-meta")))
		return fault(err, doc, m[0], "header.schema", "schema", "\"wireless.npz-meta\"");
	if (!c4w_json_is_integer(doc, m[1]) || c4w_json_i64(doc, m[1], &version, NULL) != C4W_OK || version != 2)
		return fault(err, doc, m[1], "header.schema", "version", "2");
	C4W_TRY(c4w_json_equal(doc, m[3], conv_doc, conventions, arena, &equal, err));
	if (!equal)
		return fault(err, doc, m[3], "header.conventions", "conventions differ from the snapshot's", NULL);
	if (c4w_json_type(doc, m[5]) != C4W_JSON_OBJECT)
		return fault(err, doc, m[5], "header.keys", "info", "an object");

	C4W_TRY(exact(doc, identity, identity_keys, 5, id, "header.identity", "the identity", err));
	if (c4w_json_type(doc, id[0]) != C4W_JSON_STRING || c4w_json_raw(doc, id[0]).n == 2)
		return fault(err, doc, id[0], "header.identity", "identity.collection_id", "a non-empty string");
	if (c4w_json_type(doc, id[1]) != C4W_JSON_STRING || c4w_json_raw(doc, id[1]).n == 2)
		return fault(err, doc, id[1], "header.identity", "identity.scene_id", "a non-empty string");
	C4W_TRY(c4w_json_string(doc, id[0], arena, &collection, err));
	C4W_TRY(c4w_json_string(doc, id[1], arena, &scene, err));
	if (memchr(collection.p, 0, collection.n) || memchr(scene.p, 0, scene.n))
		return fault(err, doc, identity, "header.identity", "an identity's text holds NUL", NULL);
	row->hz = row->bs = -1;
	if (row->component == CHW_POSITIONS) {
		if (c4w_json_type(doc, id[3]) != C4W_JSON_NULL)
			return fault(err, doc, id[3], "header.identity", "identity.frequency_hz of positions", "null");
		if (c4w_json_type(doc, id[4]) != C4W_JSON_NULL)
			return fault(err, doc, id[4], "header.identity", "identity.bs_index of positions", "null");
	} else {
		C4W_TRY(get_count(doc, id[3], 1, &row->hz, "header.identity", "identity.frequency_hz", err));
		C4W_TRY(get_count(doc, id[4], 0, &row->bs, "header.identity", "identity.bs_index", err));
	}
	row->scene = chw_find_scene(r, scene);
	/* Names of scenes that the root lists are shared, so that no row of a large group keeps its own. */
	scene_z = row->scene != CHW_NONE ? r->scenes[row->scene].id : c4w_arena_text(arena, scene.p, scene.n);
	collection_z = c4w_view_eqz(collection, r->collection_id) ? r->collection_id : c4w_arena_text(arena, collection.p, collection.n);
	if (!scene_z || !collection_z)
		return c4w_fail_memory(err, scene.n);
	chw_record_id(collection_z, scene_z, row->component, row->hz, row->bs, &row->id);

	row->dims = (struct chw_dims){ 0, 0, 0, 0, 0 };
	C4W_TRY(exact(doc, m[4], row->component == CHW_CORE ? core_dims : row->component == CHW_DETAIL ? detail_dims : positions_dims, 2,
		      d, "header.dimensions", "dimensions", err));
	C4W_TRY(get_count(doc, d[0], 0, row->component == CHW_CORE ? &row->dims.links : row->component == CHW_DETAIL ? &row->dims.paths :
			  &row->dims.bs, "header.dimensions", "a dimension", err));
	C4W_TRY(get_count(doc, d[1], 0, row->component == CHW_CORE ? &row->dims.paths : row->component == CHW_DETAIL ?
			  &row->dims.interactions : &row->dims.ues, "header.dimensions", "a dimension", err));
	if (row->dims.links > INT64_MAX / 64 || row->dims.paths > INT64_MAX / 64 || row->dims.interactions > INT64_MAX / 64 ||
	    row->dims.bs > INT64_MAX / 64 || row->dims.ues > INT64_MAX / 64)
		return fault(err, doc, m[4], "header.dimensions", "a dimension is beyond what a file can hold", NULL);
	if (row->component == CHW_POSITIONS)
		return C4W_OK;

	C4W_TRY(get_digest(conv_doc, c4w_json_member(conv_doc, conventions, "sha256"), &conv, "conventions.sha256", err));
	C4W_TRY(get_digest(doc, m[6], &row->path_axis, "path_axis_sha256", err));
	if (row->component == CHW_CORE) {
		C4W_TRY(exact(doc, m[7], positions_dep, 1, dep, "header.dependencies", "dependencies", err));
		C4W_TRY(get_pin(doc, dep[0], &row->pin, err));
	} else {
		struct chw_digest axis, conv2;
		C4W_TRY(exact(doc, m[7], core_dep, 1, dep, "header.dependencies", "dependencies", err));
		C4W_TRY(exact(doc, dep[0], axis_keys, 4, ax, "header.dependencies", "the core pin", err));
		C4W_TRY(get_digest(doc, ax[0], &row->core, "the core pin's record_id", err));
		C4W_TRY(get_digest(doc, ax[1], &axis, "the core pin's path_axis_sha256", err));
		C4W_TRY(get_digest(doc, ax[2], &conv2, "the core pin's conventions_sha256", err));
		C4W_TRY(get_pin(doc, ax[3], &row->pin, err));
		if (!same(&axis, &row->path_axis))
			return pin_fault(err, "the core pin's path axis is not the header's", &row->path_axis, &axis);
		chw_record_id(collection_z, scene_z, CHW_CORE, row->hz, row->bs, &want);
		if (!same(&want, &row->core))
			return pin_fault(err, "the core pin's record_id is not that of the same channel", &want, &row->core);
		if (!same(&conv, &conv2))
			return pin_fault(err, "the core pin's conventions are not the header's", &conv, &conv2);
	}
	chw_record_id(collection_z, scene_z, CHW_POSITIONS, -1, -1, &want);
	if (!same(&want, &row->pin.record))
		return pin_fault(err, "the positions pin's record_id is not that of the same scene", &want, &row->pin.record);
	if (!same(&conv, &row->pin.conventions))
		return pin_fault(err, "the positions pin's conventions are not the header's", &conv, &row->pin.conventions);
	return C4W_OK;
}
