/* The interpretation documents under schema/ (section 5): found by reference, pinned by hash, and only taken when they say what
 * this tool does. */
#include "families/chw.h"

#include "base/limits.h"
#include "base/sha256.h"

/* What a document must say: the value at a dotted path equals this JSON value, numbers by value. */
struct demand {
	const char *path, *json;
};

static const struct demand conventions_demands[] = {
	{ "schema", "\"wireless.channel-conventions\"" },
	{ "angles.acceptance_tolerance_rad", "1e-06" },
	{ "angles.acceptance_comparison", "\"float32_values_vs_float32_rounded_closed_interval_endpoints\"" },
	{ "angles.unit", "\"radian\"" },
	{ "angles.theta", "\"zenith_from_positive_z\"" },
	{ "angles.phi", "\"azimuth_from_positive_x_toward_positive_y\"" },
	{ "angles.t", "\"departure_at_BS\"" },
	{ "angles.r", "\"arrival_at_UE\"" },
	{ "coordinates", "{\"frame\": \"scene_cartesian\", \"georeferencing\": \"not_declared\", \"handedness\": \"right_handed\","
			 " \"position_unit\": \"metre\", \"z_axis\": \"up\"}" },
	{ "delay", "{\"field\": \"tau\", \"meaning\": \"propagation_delay_not_delay_spread\", \"unit\": \"second\"}" },
	{ "coefficient.unit", "\"dimensionless\"" },
	{ "coefficient.numeric_representation", "\"a_real_plus_i_a_imag\"" },
	{ "interaction_flags.masks", "{\"1\": 2, \"2\": 4, \"4\": 16, \"8\": 256}" },
	{ "interaction_flags.encoding", "\"bitwise_OR_of_1_shifted_left_by_code\"" },
	{ "interaction_order", "\"BS_to_UE\"" },
	{ "retention.top_k", "16" },
	{ NULL, NULL },
};

static const struct demand profile_demands[] = {
	{ "schema", "\"channels4world.release-profile\"" },
	{ "generic_interpretation.finite_float_fields",
	  "{\"core\": [\"a_imag\", \"a_real\", \"phi_r\", \"phi_t\", \"tau\", \"theta_r\", \"theta_t\"],"
	  " \"detail\": [\"interaction_vertex\"], \"positions\": [\"bs_positions\", \"ue_positions\"]}" },
	{ "generic_interpretation.delay.field", "\"tau\"" },
	{ "generic_interpretation.delay.minimum_seconds", "0" },
	{ "generic_interpretation.delay.inclusive", "true" },
	{ "generic_interpretation.angles.tolerance_rad", "1e-06" },
	{ "generic_interpretation.angles.theta_interval", "[\"-tolerance\", \"pi+tolerance\"]" },
	{ "generic_interpretation.angles.phi_interval", "[\"-pi-tolerance\", \"pi+tolerance\"]" },
	{ "generic_interpretation.interaction_codes", "[1, 2, 4, 8]" },
	{ "release_rules.top_k", "16" },
	{ "release_rules.max_paths_per_link", "16" },
	{ "release_rules.path_rank_exclusive_upper", "16" },
	{ "release_rules.retained_links", "\"nonempty\"" },
	{ NULL, NULL },
};

static const struct demand arrays_demands[] = {
	{ "schema", "\"wireless.arrays\"" },
	{ "metadata_version", "2" },
	{ "metadata_schema", "\"wireless.npz-meta\"" },
	{ "metadata_key", "\"__meta__\"" },
	{ "fields", "{\"core\": {\"link_ue_index\": \"<i4\", \"link_path_offsets\": \"<i8\", \"path_rank\": \"|u1\", \"a_real\": \"<f4\","
		    " \"a_imag\": \"<f4\", \"tau\": \"<f4\", \"theta_t\": \"<f4\", \"phi_t\": \"<f4\", \"theta_r\": \"<f4\","
		    " \"phi_r\": \"<f4\", \"interaction_count\": \"|u1\", \"interaction_flags\": \"<u2\"},"
		    " \"detail\": {\"path_interaction_offsets\": \"<i8\", \"interaction_rank\": \"|u1\", \"interaction_type\": \"|i1\","
		    " \"interaction_vertex\": \"<f4\"},"
		    " \"positions\": {\"bs_positions\": \"<f4\", \"ue_positions\": \"<f4\"}}" },
	{ "capabilities", "{\"retained_empty_links\": true}" },
	{ NULL, NULL },
};

static const struct demand codes_demands[] = {
	{ "codes", "{\"0\": \"none\", \"1\": \"specular_reflection\", \"2\": \"diffuse_reflection\", \"4\": \"refraction\","
		   " \"8\": \"diffraction\"}" },
	{ NULL, NULL },
};

static uint32_t at_path(const struct c4w_json *doc, const char *path)
{
	uint32_t v = 0;
	while (*path && v != C4W_JSON_NONE) {
		size_t n = strcspn(path, ".");
		v = c4w_json_member_view(doc, v, (struct c4w_view){ path, n });
		path += n;
		if (*path == '.')
			path++;
	}
	return v;
}

static int rule_fault(struct c4w_err *err, const char *doc_path, const struct c4w_json *doc, uint32_t v, const char *what,
		      const char *expected)
{
	char found[120];
	struct c4w_view raw = v == C4W_JSON_NONE ? C4W_VIEW("nothing") : c4w_json_raw(doc, v);
	c4w_damaged(err, "schema.rules", v == C4W_JSON_NONE ? -1 : (int64_t)c4w_json_offset(doc, v),
		    "%s declares another interpretation: %s", doc_path, what);
	c4w_err_values(err, expected, c4w_str_escape(found, sizeof found, raw.p, raw.n));
	c4w_err_path(err, doc_path);
	return C4W_DAMAGED;
}

static int demand_all(const struct c4w_json *doc, const char *doc_path, const struct demand *demands, struct c4w_arena *arena,
		      struct c4w_err *err)
{
	for (; demands->path; demands++) {
		struct c4w_json want;
		uint32_t v = at_path(doc, demands->path);
		bool equal = false;
		C4W_TRY(c4w_json_parse(c4w_view_z(demands->json), C4W_JSON_STRICT, 0, arena, &want, err));
		if (v != C4W_JSON_NONE)
			C4W_TRY(c4w_json_equal(doc, v, &want, 0, arena, &equal, err));
		if (!equal)
			return rule_fault(err, doc_path, doc, v, demands->path, demands->json);
	}
	return C4W_OK;
}

static int demand_version(const struct c4w_json *doc, const char *doc_path, int64_t want, struct c4w_err *err)
{
	uint32_t v = c4w_json_member(doc, 0, "version");
	int64_t version;
	if (v != C4W_JSON_NONE && c4w_json_is_integer(doc, v) && c4w_json_i64(doc, v, &version, NULL) == C4W_OK && version == want)
		return C4W_OK;
	return rule_fault(err, doc_path, doc, v, "version", want == 2 ? "2" : "1");
}

static int load(const struct chw_root *r, const char *ref, const struct chw_digest *sha, struct c4w_arena *arena, struct c4w_json *doc,
		struct c4w_err *err)
{
	struct c4w_blob *blob;
	const uint8_t *body = NULL;
	struct chw_digest got;
	char a[65], b[65];
	uint64_t size;
	int cls;
	if (!chw_safe_path(ref, strlen(ref))) {
		c4w_damaged(err, "schema.reference", -1, "a reference to an interpretation document is not a plain relative path");
		c4w_err_path(err, ref);
		return C4W_DAMAGED;
	}
	cls = c4w_store_open(r->store, ref, &blob, err);
	if (cls == C4W_ABSENT) {
		c4w_fail(err, C4W_ABSENT, "%s is not downloaded", ref);
		c4w_err_path(err, ref);
	}
	if (cls != C4W_OK)
		return cls;
	size = c4w_blob_size(blob);
	if (size > C4W_LIMIT_DOCUMENT) {
		cls = c4w_damaged(err, "schema.size", -1, "%s is larger than a document may be", ref);
		c4w_err_valuesf(err, "at most 1048576 bytes", "%llu", (unsigned long long)size);
	} else {
		cls = c4w_blob_view(blob, 0, (size_t)size, arena, &body, err);
	}
	c4w_blob_close(blob);
	if (cls == C4W_OK) {
		c4w_sha256(body, (size_t)size, got.b);
		if (memcmp(got.b, sha->b, 32) != 0) {
			cls = c4w_damaged(err, "schema.digest", -1, "%s differs from what pins it: sha256", ref);
			c4w_err_values(err, c4w_hex(a, sha->b, 32), c4w_hex(b, got.b, 32));
		}
	}
	if (cls == C4W_OK)
		cls = c4w_json_parse((struct c4w_view){ (const char *)body, (size_t)size }, C4W_JSON_BOM | C4W_JSON_FINITE, 0, arena, doc, err);
	if (cls != C4W_OK)
		c4w_err_path(err, ref);
	return cls;
}

static int load_pinned(const struct chw_root *r, const struct c4w_json *conv, const char *conv_path, const char *key,
		       struct c4w_arena *arena, struct c4w_json *doc, const char **path, struct c4w_err *err)
{
	uint32_t v = c4w_json_member(conv, 0, key), ref = c4w_json_member(conv, v, "ref"), sha = c4w_json_member(conv, v, "sha256");
	struct c4w_view text;
	struct chw_digest want;
	if (v == C4W_JSON_NONE || c4w_json_type(conv, v) != C4W_JSON_OBJECT || c4w_json_count(conv, v) != 2 || ref == C4W_JSON_NONE ||
	    sha == C4W_JSON_NONE || c4w_json_type(conv, ref) != C4W_JSON_STRING || c4w_json_type(conv, sha) != C4W_JSON_STRING)
		return rule_fault(err, conv_path, conv, v, key, "{\"ref\", \"sha256\"}");
	C4W_TRY(c4w_json_string(conv, sha, arena, &text, err));
	if (!c4w_unhex32(text, want.b))
		return rule_fault(err, conv_path, conv, sha, key, "64 lower-case hex digits");
	C4W_TRY(c4w_json_string(conv, ref, arena, &text, err));
	if (memchr(text.p, 0, text.n) || !(*path = c4w_arena_text(arena, text.p, text.n)))
		return rule_fault(err, conv_path, conv, ref, key, "a path");
	return load(r, *path, &want, arena, doc, err);
}

static int check(const struct chw_root *r, const char *ref, const struct chw_digest *sha, struct c4w_arena *arena, struct c4w_err *err)
{
	struct c4w_json conv, doc;
	const char *path = "";
	uint32_t v;
	C4W_TRY(load(r, ref, sha, arena, &conv, err));
	C4W_TRY(demand_version(&conv, ref, 2, err));
	C4W_TRY(demand_all(&conv, ref, conventions_demands, arena, err));
	C4W_TRY(load_pinned(r, &conv, ref, "release_profile", arena, &doc, &path, err));
	C4W_TRY(demand_version(&doc, path, 1, err));
	C4W_TRY(demand_all(&doc, path, profile_demands, arena, err));
	v = c4w_json_member(&doc, 0, "name");
	if (v == C4W_JSON_NONE || c4w_json_type(&doc, v) != C4W_JSON_STRING)
		return rule_fault(err, path, &doc, v, "name", "a string");
	C4W_TRY(load_pinned(r, &conv, ref, "arrays", arena, &doc, &path, err));
	C4W_TRY(demand_all(&doc, path, arrays_demands, arena, err));
	C4W_TRY(load_pinned(r, &conv, ref, "interaction_codes", arena, &doc, &path, err));
	return demand_all(&doc, path, codes_demands, arena, err);
}

const struct c4w_err *chw_docs_check(struct chw_docs *d, const struct chw_root *r, const char *ref, const struct chw_digest *sha)
{
	if (d->loaded && strcmp(d->ref, ref) == 0 && memcmp(d->conventions.b, sha->b, 32) == 0)
		return &d->err;
	c4w_err_clear(&d->err);
	c4w_arena_clear(&d->arena);
	snprintf(d->ref, sizeof d->ref, "%s", ref);
	d->conventions = *sha;
	d->loaded = strlen(ref) < sizeof d->ref;
	if (check(r, ref, sha, &d->arena, &d->err) == C4W_OK)
		c4w_err_clear(&d->err);
	c4w_arena_clear(&d->arena);
	return &d->err;
}

void chw_docs_clear(struct chw_docs *d)
{
	c4w_arena_clear(&d->arena);
	memset(d, 0, sizeof *d);
}
