/* manifest.json (formats/timef.md, 3 and 14): parsed with Python's dialect, since that is what the reference takes, and every rule
 * checked. With a sink that goes on, all faults come out and what was understood is kept. */
#include "base/limits.h"
#include "families/timef.h"

static const struct {
	const char *name;
	size_t size;
} dtypes[C4W_TF_DTYPES] = {
	[C4W_TF_BOOL] = { "bool", 1 },     [C4W_TF_FLOAT32] = { "float32", 4 }, [C4W_TF_FLOAT64] = { "float64", 8 },
	[C4W_TF_INT8] = { "int8", 1 },     [C4W_TF_INT16] = { "int16", 2 },     [C4W_TF_INT32] = { "int32", 4 },
	[C4W_TF_UINT8] = { "uint8", 1 },   [C4W_TF_UINT16] = { "uint16", 2 },   [C4W_TF_UINT32] = { "uint32", 4 },
	[C4W_TF_STR] = { "str", 0 },       [C4W_TF_ENUM] = { "enum", 4 },
};

static const char *const kind_names[C4W_TF_KINDS] = { "records", "annotations", "time_series_index", "tasks", "time_series", "control" };

static const char *const task_names[C4W_TF_TASK_TYPES] = {
	"answer", "classification", "forecasting", "scalar_prediction", "temporal_localization", "ts_correspondence", "ts_editing",
	"ts_generation"
};

const char *c4w_timef_dtype_name(enum c4w_timef_dtype t)
{
	return dtypes[t].name;
}

size_t c4w_timef_dtype_size(enum c4w_timef_dtype t)
{
	return dtypes[t].size;
}

const char *c4w_timef_kind_name(enum c4w_timef_kind k)
{
	return kind_names[k];
}

const char *c4w_timef_task_type_name(enum c4w_timef_task_type t)
{
	return task_names[t];
}

bool c4w_timef_task_type_find(struct c4w_view name, enum c4w_timef_task_type *out)
{
	int t;

	for (t = 0; t < C4W_TF_TASK_TYPES; t++)
		if (c4w_view_eqz(name, task_names[t])) {
			*out = (enum c4w_timef_task_type)t;
			return true;
		}
	return false;
}

struct parse {
	struct c4w_timef_manifest *m;
	const struct c4w_json *doc;
	struct c4w_arena *arena;
	struct c4w_timef_sink *sink;
	struct c4w_err *err;
};

#define NONE C4W_JSON_NONE

/* Report; `v` (or NONE) is quoted as what was found. */
static int fault(struct parse *p, const char *rule, const char *item, const char *expected, uint32_t v, const char *what)
{
	char found[200];
	struct c4w_view raw;

	if (v == NONE)
		return c4w_timef_fault(p->sink, p->err, rule, "manifest.json", item, expected, "absent", "%s", what);
	raw = c4w_json_raw(p->doc, v);
	c4w_str_escape(found, sizeof found, raw.p, raw.n);
	return c4w_timef_fault(p->sink, p->err, rule, "manifest.json", item, expected, found, "%s", what);
}

static uint32_t member(struct parse *p, uint32_t v, const char *key)
{
	return c4w_json_member(p->doc, v, key);
}

static bool is(struct parse *p, uint32_t v, enum c4w_json_type t)
{
	return v != NONE && c4w_json_type(p->doc, v) == t;
}

static bool is_null(struct parse *p, uint32_t v)
{
	return v == NONE || c4w_json_type(p->doc, v) == C4W_JSON_NULL;
}

/* A text, list or object with nothing in it. */
static bool is_empty(struct parse *p, uint32_t v)
{
	return is(p, v, C4W_JSON_STRING) ? c4w_json_raw(p->doc, v).n == 2 :
	       (is(p, v, C4W_JSON_ARRAY) || is(p, v, C4W_JSON_OBJECT)) && c4w_json_count(p->doc, v) == 0;
}

/* What Python takes for false: the reference asks many values no more than that. */
static bool is_falsy(struct parse *p, uint32_t v)
{
	double number = 1;

	if (is(p, v, C4W_JSON_NUMBER) && c4w_json_double(p->doc, v, &number, NULL) != C4W_OK)
		number = 1;
	return is_null(p, v) || is(p, v, C4W_JSON_FALSE) || is_empty(p, v) || number == 0;
}

/* The rule of a value of the wrong type where the reference loops over whatever is there: one that is empty does it no harm. */
static const char *type_rule(struct parse *p, uint32_t v)
{
	return is_empty(p, v) ? "manifest.empty" : "manifest.type";
}

/* A string into *out (p NULL when it is no string). */
static int text(struct parse *p, uint32_t v, struct c4w_view *out)
{
	out->p = NULL;
	out->n = 0;
	return is(p, v, C4W_JSON_STRING) ? c4w_json_string(p->doc, v, p->arena, out, p->err) : C4W_OK;
}

static bool one_of(struct c4w_view v, const char *const *words)
{
	for (; *words; words++)
		if (c4w_view_eqz(v, *words))
			return true;
	return false;
}

bool c4w_timef_dataset_id_ok(struct c4w_view id)
{
	size_t i, slash = 0, slashes = 0;

	for (i = 0; i < id.n; i++) {
		char c = id.p[i];

		if (c == '/') {
			slash = i;
			slashes++;
		} else if (!((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-')) {
			return false;
		}
	}
	return slashes == 1 && slash > 0 && slash + 1 < id.n && id.p[0] != '.' && id.p[slash + 1] != '.';
}

bool c4w_timef_version_parse(struct c4w_view t, uint64_t out[3])
{
	size_t i, k = 0, digits = 0;

	out[0] = out[1] = out[2] = 0;
	for (i = 0; i <= t.n; i++) {
		if (i == t.n || t.p[i] == '.') {
			if (digits == 0 || digits > 18 || k > 2)
				return false;
			k++;
			digits = 0;
		} else if (t.p[i] >= '0' && t.p[i] <= '9' && k < 3) {
			if (digits == 1 && out[k] == 0)
				return false; /* 01: Python takes it, but it would be two names for one version */
			if (digits < 19)
				out[k] = out[k] * 10 + (uint64_t)(t.p[i] - '0');
			digits++;
		} else {
			return false;
		}
	}
	return k == 3;
}

int c4w_timef_version_cmp(const uint64_t a[3], const uint64_t b[3])
{
	int k;

	for (k = 0; k < 3; k++)
		if (a[k] != b[k])
			return a[k] < b[k] ? -1 : 1;
	return 0;
}

/* ---- metadata ---- */

static const char *const licenses[] = { "MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "GPL-3.0", "LGPL-3.0", "MPL-2.0", "CC0-1.0",
					"CC-BY-4.0", "CC-BY-SA-4.0", "CC-BY-NC-4.0", "ODC-By-1.0", "ODbL-1.0", "other", NULL };
static const char *const domains[] = { "health", "cardiology", "respiratory", "sleep", "activity", "motion", "economics", "finance",
				       "environment", "energy", "transport", "observability", "audio", "general", NULL };
static const char *const accesses[] = { "open", "credentialed", "restricted", NULL };

static int required_text(struct parse *p, uint32_t block, const char *key, const char *rule, const char *item, struct c4w_view *out)
{
	uint32_t v = member(p, block, key);
	char what[96];

	C4W_TRY(text(p, v, out));
	if (out->p)
		return C4W_OK;
	snprintf(what, sizeof what, v == NONE ? "\"%s\" is missing" : "\"%s\" is no string", key);
	return fault(p, rule, item, "a string", v, what);
}

static int optional_text(struct parse *p, uint32_t block, const char *key, const char *rule, const char *item, struct c4w_view *out)
{
	uint32_t v = member(p, block, key);
	char what[96];

	C4W_TRY(text(p, v, out));
	if (out->p || is_null(p, v))
		return C4W_OK;
	snprintf(what, sizeof what, "\"%s\" is neither a string nor null", key);
	return fault(p, rule, item, "a string or null", v, what);
}

static int metadata(struct parse *p, uint32_t b)
{
	struct c4w_timef_manifest *m = p->m;
	struct c4w_view s, id;
	uint64_t version[3];
	uint32_t v, e;

	m->metadata = b;
	if (!is(p, b, C4W_JSON_OBJECT))
		return fault(p, "manifest.type", "metadata", "an object", b, "\"metadata\" is no object");
	C4W_TRY(required_text(p, b, "dataset_id", "manifest.metadata", "metadata", &m->dataset_id));
	if (m->dataset_id.p && !c4w_timef_dataset_id_ok(m->dataset_id))
		C4W_TRY(fault(p, "manifest.dataset-id", "metadata", "org/name", member(p, b, "dataset_id"), "dataset_id has another form than org/name"));
	C4W_TRY(required_text(p, b, "dataset_version", "manifest.metadata", "metadata", &m->version));
	if (m->version.p && !c4w_timef_version_parse(m->version, version))
		C4W_TRY(fault(p, "manifest.dataset-version", "metadata", "major.minor.patch", member(p, b, "dataset_version"),
			      "dataset_version is not three integers"));
	for (int i = 0; i < 2; i++) { /* any text, and the reference doesn't look at the type */
		const char *key = i ? "description" : "name";

		v = member(p, b, key);
		if (v == NONE)
			C4W_TRY(fault(p, "manifest.metadata", "metadata", key, NONE, i ? "\"description\" is missing" : "\"name\" is missing"));
		C4W_TRY(text(p, v, i ? &m->description : &m->name));
	}
	C4W_TRY(required_text(p, b, "license", "manifest.metadata", "metadata", &m->license));
	C4W_TRY(optional_text(p, b, "license_url", "manifest.text", "metadata", &m->license_url));
	if (m->license.p && !one_of(m->license, licenses))
		C4W_TRY(fault(p, "manifest.license", "metadata", "a licence of section 3", member(p, b, "license"), "unknown license"));
	if (c4w_view_eqz(m->license, "other") && is_falsy(p, member(p, b, "license_url")))
		C4W_TRY(fault(p, "manifest.license-url", "metadata", "a text", member(p, b, "license_url"), "license is other, and license_url says nothing"));
	v = member(p, b, "domains");
	if (v != NONE && !is(p, v, C4W_JSON_ARRAY))
		C4W_TRY(fault(p, "manifest.type", "metadata", "a list", v, "\"domains\" is no list"));
	for (e = is(p, v, C4W_JSON_ARRAY) ? c4w_json_first(p->doc, v) : NONE; e != NONE; e = c4w_json_next(p->doc, v, e)) {
		C4W_TRY(text(p, e, &s));
		if (!s.p || !one_of(s, domains))
			C4W_TRY(fault(p, "manifest.domain", "metadata", NULL, e, "unknown domain"));
	}
	v = member(p, b, "tags");
	if (v != NONE && !is(p, v, C4W_JSON_ARRAY))
		C4W_TRY(fault(p, "manifest.type", "metadata", "a list", v, "\"tags\" is no list"));
	C4W_TRY(optional_text(p, b, "source_url", "manifest.text", "metadata", &m->source_url));
	C4W_TRY(optional_text(p, b, "citation", "manifest.text", "metadata", &m->citation));
	v = member(p, b, "access");
	C4W_TRY(text(p, v, &m->access));
	if (v == NONE)
		m->access = C4W_VIEW("open");
	else if (!m->access.p || !one_of(m->access, accesses))
		C4W_TRY(fault(p, "manifest.access", "metadata", "open, credentialed or restricted", v, "unknown access"));
	C4W_TRY(optional_text(p, b, "access_url", "manifest.text", "metadata", &m->access_url));
	if (m->access.p && !c4w_view_eqz(m->access, "open") && is_falsy(p, member(p, b, "access_url")))
		C4W_TRY(fault(p, "manifest.access-url", "metadata", "a text", member(p, b, "access_url"), "access is not open, and access_url says nothing"));
	C4W_TRY(text(p, member(p, 0, "dataset_id"), &id));
	if (!id.p)
		C4W_TRY(fault(p, "manifest.required", "manifest", "a string", member(p, 0, "dataset_id"), "\"dataset_id\" is missing or no string"));
	else if (m->dataset_id.p && !c4w_view_eq(id, m->dataset_id))
		C4W_TRY(fault(p, "manifest.dataset-id-differs", "manifest", NULL, member(p, 0, "dataset_id"), "dataset_id differs from metadata.dataset_id"));
	return C4W_OK;
}

/* ---- files ---- */

/* What the store opens: "./" and doubled slashes taken out. */
static const char *plain_path(struct c4w_arena *arena, struct c4w_view v)
{
	char *z = c4w_arena_text(arena, v.p, v.n);
	size_t i, o = 0, start;

	if (!z)
		return NULL;
	for (i = 0; i < v.n; i = start + 1) {
		for (start = i; start < v.n && v.p[start] != '/'; start++)
			;
		if (start == i || (start == i + 1 && v.p[i] == '.'))
			continue;
		if (o)
			z[o++] = '/';
		memmove(z + o, v.p + i, start - i);
		o += start - i;
	}
	z[o] = 0;
	return z;
}

static bool has_part(struct c4w_view path, const char *part)
{
	size_t i, start = 0;

	for (i = 0; i <= path.n; i++)
		if (i == path.n || path.p[i] == '/') {
			if (c4w_view_eqz((struct c4w_view){ path.p + start, i - start }, part))
				return true;
			start = i + 1;
		}
	return false;
}

static int file_entry(struct parse *p, uint32_t e, enum c4w_timef_kind kind, const char *item)
{
	struct c4w_timef_file *f = &p->m->files[p->m->nfiles];
	uint32_t path = member(p, e, "path"), sum = member(p, e, "checksum"), size = member(p, e, "size");
	struct c4w_err ignored;
	int64_t n = -1;

	if (!is(p, e, C4W_JSON_OBJECT))
		return fault(p, "manifest.type", item, "an object", e, "an entry of files is no object");
	memset(f, 0, sizeof *f);
	f->kind = kind;
	C4W_TRY(text(p, path, &f->path));
	C4W_TRY(text(p, sum, &f->checksum));
	if (!f->path.p || f->path.n == 0 || f->path.p[0] == '/' || has_part(f->path, ".."))
		return fault(p, "manifest.file-path", item, "a relative path without ..", path, "a file's path can't be used");
	if (memchr(f->path.p, 0, f->path.n))
		return fault(p, "manifest.file-path", item, "a path without NUL", path, "a file's path holds NUL");
	if (!f->checksum.p || f->checksum.n < 7 || memcmp(f->checksum.p, "sha256:", 7) != 0) {
		f->checksum = C4W_VIEW("");
		C4W_TRY(fault(p, "manifest.file-checksum", item, "sha256:...", sum, "a file's checksum has another form"));
	}
	if (!is(p, size, C4W_JSON_NUMBER) || c4w_json_i64(p->doc, size, &n, &ignored) != C4W_OK || n < 0) {
		C4W_TRY(fault(p, "manifest.file-size", item, "an integer from 0 on", size, "a file's size is no integer from 0 on"));
		n = 0;
	}
	f->size = (uint64_t)n;
	f->z = plain_path(p->arena, f->path);
	if (!f->z)
		return c4w_fail_memory(p->err, f->path.n);
	if (!*f->z)
		return fault(p, "manifest.file-path", item, "a file's name", path, "a file's path can't be used");
	if (strlen(f->z) != f->path.n)
		C4W_TRY(fault(p, "manifest.file-dot", item, f->z, path, "a file's path has ./ or // in it"));
	p->m->nfiles++;
	p->m->kind_count[kind]++;
	return C4W_OK;
}

static int files(struct parse *p, uint32_t b)
{
	struct c4w_timef_manifest *m = p->m;
	size_t total = 0;
	uint32_t v, e;
	void *mem;
	int k;

	if (!is(p, b, C4W_JSON_OBJECT))
		return fault(p, "manifest.type", "files", "an object", b, "\"files\" is no object");
	for (k = 0; k < C4W_TF_KINDS; k++) {
		v = member(p, b, kind_names[k]);
		if (is(p, v, C4W_JSON_ARRAY))
			total += c4w_json_count(p->doc, v);
	}
	C4W_TRY(c4w_arena_zero(p->arena, total + 1, sizeof *m->files, &mem, p->err));
	m->files = mem;
	for (k = 0; k < C4W_TF_KINDS; k++) {
		m->kind_first[k] = m->nfiles;
		v = member(p, b, kind_names[k]);
		if (m->format == 2 && k != C4W_TF_CONTROL && k != C4W_TF_SERIES)
			continue;
		if (m->format != 2 && k == C4W_TF_CONTROL)
			continue;
		if (v == NONE) {
			if (k != C4W_TF_TASKS && k != C4W_TF_SERIES)
				C4W_TRY(fault(p, "manifest.files", kind_names[k], "a list", NONE, "a required kind of files is missing"));
			continue;
		}
		if (!is(p, v, C4W_JSON_ARRAY)) {
			C4W_TRY(fault(p, is(p, v, C4W_JSON_OBJECT) ? type_rule(p, v) : "manifest.type", kind_names[k], "a list", v, "a kind of files is no list"));
			continue;
		}
		for (e = c4w_json_first(p->doc, v); e != NONE; e = c4w_json_next(p->doc, v, e))
			C4W_TRY(file_entry(p, e, (enum c4w_timef_kind)k, kind_names[k]));
		if (k != C4W_TF_TASKS && k != C4W_TF_SERIES && c4w_json_count(p->doc, v) == 0)
			C4W_TRY(fault(p, "manifest.files-empty", kind_names[k], "one part at least", v, "a required table has no parts"));
	}
	return C4W_OK;
}

/* ---- schema ---- */

/* A list of strings. *n is -1 when it isn't one. */
static int texts(struct parse *p, uint32_t v, struct c4w_view **out, size_t *n, bool *good)
{
	uint32_t e;
	void *mem;

	*out = NULL;
	*n = 0;
	*good = v == NONE || is(p, v, C4W_JSON_ARRAY);
	if (!is(p, v, C4W_JSON_ARRAY))
		return C4W_OK;
	C4W_TRY(c4w_arena_zero(p->arena, (size_t)c4w_json_count(p->doc, v) + 1, sizeof **out, &mem, p->err));
	*out = mem;
	for (e = c4w_json_first(p->doc, v); e != NONE; e = c4w_json_next(p->doc, v, e)) {
		C4W_TRY(text(p, e, &(*out)[*n]));
		if (!(*out)[*n].p || (*out)[*n].n == 0)
			*good = false;
		(*n)++;
	}
	return C4W_OK;
}

static int cmp_views(const void *a, const void *b)
{
	return c4w_view_cmp(*(const struct c4w_view *)a, *(const struct c4w_view *)b);
}

static int all_differ(struct parse *p, const struct c4w_view *v, size_t n, bool *yes)
{
	struct c4w_arena_mark mark = c4w_arena_mark(p->arena);
	void *mem;
	size_t i;

	*yes = true;
	if (n < 2)
		return C4W_OK;
	C4W_TRY(c4w_arena_take(p->arena, n * sizeof *v, &mem, p->err));
	memcpy(mem, v, n * sizeof *v);
	qsort(mem, n, sizeof *v, cmp_views);
	for (i = 1; i < n; i++)
		if (c4w_view_eq(((struct c4w_view *)mem)[i - 1], ((struct c4w_view *)mem)[i]))
			*yes = false;
	c4w_arena_rewind(p->arena, mark);
	return C4W_OK;
}

static int data_source(struct parse *p, uint32_t e, struct c4w_timef_spec *s, const char *item)
{
	uint32_t v = member(p, e, "data_source"), provider;

	if (is_null(p, v))
		return C4W_OK;
	if (!is(p, v, C4W_JSON_OBJECT))
		return fault(p, "manifest.data-source", item, "an object or null", v, "data_source is no object");
	s->has_source = true;
	C4W_TRY(text(p, member(p, v, "data_source_type"), &s->source_type));
	C4W_TRY(text(p, member(p, v, "name"), &s->source_name));
	if (s->source_type.n == 0 || s->source_name.n == 0)
		C4W_TRY(fault(p, "manifest.data-source", item, "two texts", v, "data_source_type or name is missing or empty"));
	provider = member(p, v, "provider");
	C4W_TRY(text(p, provider, &s->source_provider));
	if (!s->source_provider.p && !is_null(p, provider))
		C4W_TRY(fault(p, "manifest.text", item, "a string or null", provider, "provider is neither a string nor null"));
	return C4W_OK;
}

static int value_shape(struct parse *p, uint32_t e, struct c4w_timef_spec *s, const char *item)
{
	uint32_t v = member(p, e, "value_shape"), d;
	struct c4w_err ignored;
	bool good, differ;
	size_t n;

	s->elements = 1;
	if (v != NONE && !is(p, v, C4W_JSON_ARRAY))
		return fault(p, is_empty(p, v) ? "manifest.empty" : "manifest.value-shape", item, "a list", v, "value_shape is no list");
	for (d = v == NONE ? NONE : c4w_json_first(p->doc, v); d != NONE; d = c4w_json_next(p->doc, v, d)) {
		int64_t size = 0;

		if (!is(p, d, C4W_JSON_NUMBER) || c4w_json_i64(p->doc, d, &size, &ignored) != C4W_OK || size < 1) {
			C4W_TRY(fault(p, "manifest.value-shape", item, "integers from 1 on", v, "value_shape holds something else"));
			break;
		}
		if (s->rank == C4W_TF_RANK || size > UINT32_MAX || s->elements > C4W_LIMIT_ZARR_CHUNK / (uint64_t)size)
			return c4w_fail(p->err, C4W_LIMIT, "value_shape of %s is beyond the limit of %llu elements", item, C4W_LIMIT_ZARR_CHUNK);
		s->shape[s->rank++] = (uint32_t)size;
		s->elements *= (uint64_t)size;
	}
	if (s->rank && !p->m->zarr && p->m->format == 1)
		C4W_TRY(fault(p, "manifest.value-shape-backend", item, "scalars", v, "values with a shape need the zarr backend"));
	v = member(p, e, "dimension_names");
	C4W_TRY(texts(p, v, &s->dimensions, &n, &good));
	if (!good || (n != 0 && n != s->rank)) {
		C4W_TRY(fault(p, is_empty(p, v) ? "manifest.empty" : "manifest.dimension-names", item, "one name a dimension, or none", v,
			      "dimension_names don't fit value_shape"));
		n = 0;
	}
	C4W_TRY(all_differ(p, s->dimensions, n, &differ));
	if (!differ)
		C4W_TRY(fault(p, "manifest.dimension-names", item, "different names", v, "dimension_names repeat"));
	if (n == 0)
		s->dimensions = NULL;
	return C4W_OK;
}

static int spec(struct parse *p, uint32_t e)
{
	static const char *const reserved[] = { ".", "..", "_irregular", "_time_offsets", "_validity", NULL };
	struct c4w_timef_manifest *m = p->m;
	struct c4w_timef_spec *s = &m->specs[m->nspecs];
	struct c4w_view dtype;
	bool good, differ;
	char item[128];
	uint32_t v;
	size_t t;
	long old;

	memset(s, 0, sizeof *s);
	if (!is(p, e, C4W_JSON_OBJECT))
		return fault(p, "manifest.type", "time_series_specs", "an object", e, "a spec is no object");
	s->json = e;
	v = member(p, e, "spec_type");
	C4W_TRY(text(p, v, &s->spec_type));
	snprintf(item, sizeof item, "spec ");
	c4w_str_escape(item + 5, sizeof item - 5, s->spec_type.p, s->spec_type.n);
	if (s->spec_type.n == 0)
		return fault(p, is(p, v, C4W_JSON_TRUE) || (is(p, v, C4W_JSON_NUMBER) && !is_falsy(p, v)) ? "manifest.text" : "manifest.spec-type",
			     "time_series_specs", "a text", v, "spec_type is missing or empty");
	if (one_of(s->spec_type, reserved))
		C4W_TRY(fault(p, "manifest.spec-type", item, "another name", v, "spec_type is a reserved name"));
	C4W_TRY(text(p, member(p, e, "name"), &s->name));
	if (member(p, e, "name") == NONE)
		C4W_TRY(fault(p, "manifest.spec", item, "a text", NONE, "the spec's name is missing"));
	v = member(p, e, "unit_value");
	C4W_TRY(text(p, v, &s->unit));
	if (!s->unit.p)
		C4W_TRY(fault(p, "manifest.unit", item, "a unit", v, "unit_value is missing or no text"));
	else if (!c4w_timef_unit_known(s->unit))
		C4W_TRY(fault(p, "manifest.unit-unchecked", item, NULL, v, "unit_value is not among the units that are known here; not checked"));
	C4W_TRY(data_source(p, e, s, item));
	v = member(p, e, "dtype");
	C4W_TRY(text(p, v, &dtype));
	if (v == NONE)
		dtype = C4W_VIEW("float32");
	for (t = 0; t < C4W_TF_DTYPES; t++)
		if (c4w_view_eqz(dtype, dtypes[t].name))
			break;
	s->dtype = t < C4W_TF_DTYPES ? (enum c4w_timef_dtype)t : C4W_TF_FLOAT32;
	if (t == C4W_TF_DTYPES)
		C4W_TRY(fault(p, "manifest.dtype", item, NULL, v, "dtype is none that TimeF has"));
	v = member(p, e, "categories");
	C4W_TRY(texts(p, v, &s->categories, &s->ncategories, &good));
	C4W_TRY(all_differ(p, s->categories, s->ncategories, &differ));
	if (s->dtype == C4W_TF_ENUM && (!good || !differ || s->ncategories == 0))
		C4W_TRY(fault(p, "manifest.categories", item, "different texts, one at least", v, "the categories of an enum can't be used"));
	if (t != C4W_TF_DTYPES && s->dtype != C4W_TF_ENUM && (s->ncategories || (v != NONE && !is(p, v, C4W_JSON_ARRAY))))
		C4W_TRY(fault(p, is_empty(p, v) ? "manifest.empty" : "manifest.categories", item, "an empty list", v,
			      "categories belong to an enum only"));
	C4W_TRY(value_shape(p, e, s, item));
	v = member(p, e, "nullable");
	s->nullable = is(p, v, C4W_JSON_TRUE);
	if (v != NONE && !is(p, v, C4W_JSON_TRUE) && !is(p, v, C4W_JSON_FALSE))
		C4W_TRY(fault(p, "manifest.nullable", item, "true or false", v, "nullable is no boolean"));
	old = c4w_timef_spec_find(m, s->spec_type);
	if (old >= 0) {
		bool same = false;

		C4W_TRY(c4w_json_equal(p->doc, m->specs[old].json, p->doc, e, p->arena, &same, p->err));
		C4W_TRY(fault(p, same ? "manifest.spec-repeated" : "manifest.spec-conflict", item, NULL, e,
			      same ? "the spec stands there twice" : "the spec_type stands there twice, with other contents"));
	}
	m->nspecs++;
	return C4W_OK;
}

static int key(struct parse *p, uint32_t e)
{
	static const char *const shapes[] = { "static", "point", "interval" };
	static const char *const values[] = { "", "bool", "int", "float", "str", "list", "map" };
	struct c4w_timef_manifest *m = p->m;
	struct c4w_timef_key *k = &m->keys[m->nkeys];
	struct c4w_view s;
	char item[128];
	uint32_t v;
	size_t i;
	long old;

	memset(k, 0, sizeof *k);
	if (!is(p, e, C4W_JSON_OBJECT))
		return fault(p, "manifest.type", "annotations", "an object", e, "an annotation's description is no object");
	k->json = e;
	v = member(p, e, "key");
	C4W_TRY(text(p, v, &k->key));
	if (!k->key.p) {
		bool scalar = v != NONE && !is(p, v, C4W_JSON_ARRAY) && !is(p, v, C4W_JSON_OBJECT);

		return fault(p, scalar ? "manifest.text" : "manifest.annotation", "annotations", "a text", v, "an annotation's key is missing or no text");
	}
	snprintf(item, sizeof item, "key ");
	c4w_str_escape(item + 4, sizeof item - 4, k->key.p, k->key.n);
	v = member(p, e, "annotation_type");
	C4W_TRY(text(p, v, &s));
	for (i = 0; i < 3 && !c4w_view_eqz(s, shapes[i]); i++)
		;
	if (i == 3)
		C4W_TRY(fault(p, "manifest.annotation-type", item, "static, point or interval", v, "unknown annotation_type"));
	k->shape = i == 3 ? C4W_TF_STATIC : (enum c4w_timef_shape)i;
	v = member(p, e, "value_type");
	C4W_TRY(text(p, v, &s));
	for (i = 1; i < 7 && !c4w_view_eqz(s, values[i]); i++)
		;
	if (i == 7 && !is_null(p, v))
		C4W_TRY(fault(p, "manifest.value-type", item, "bool, int, float, str, list, map or null", v, "unknown value_type"));
	k->value = i == 7 ? C4W_TF_V_NONE : (enum c4w_timef_value)i;
	C4W_TRY(optional_text(p, e, "unit", "manifest.type", item, &k->unit));
	C4W_TRY(optional_text(p, e, "description", "manifest.text", item, &k->description));
	if (k->unit.p && !c4w_timef_unit_known(k->unit))
		C4W_TRY(fault(p, "manifest.annotation-unit", item, NULL, member(p, e, "unit"), "the annotation's unit is not a known one"));
	old = c4w_timef_key_find(m, k->key);
	if (old >= 0) {
		bool same = false;

		C4W_TRY(c4w_json_equal(p->doc, m->keys[old].json, p->doc, e, p->arena, &same, p->err));
		C4W_TRY(fault(p, same ? "manifest.key-repeated" : "manifest.key-conflict", item, NULL, e,
			      same ? "the annotation key stands there twice" : "the annotation key stands there twice, with other contents"));
	}
	m->nkeys++;
	return C4W_OK;
}

static int list_of(struct parse *p, uint32_t b, const char *name, uint32_t *v, size_t *n)
{
	*v = member(p, b, name);
	*n = 0;
	if (*v == NONE)
		return C4W_OK;
	if (!is(p, *v, C4W_JSON_ARRAY)) {
		uint32_t w = *v;

		*v = NONE;
		return fault(p, type_rule(p, w), name, "a list", w, "a part of the schema is no list");
	}
	*n = c4w_json_count(p->doc, *v);
	return C4W_OK;
}

static int schema(struct parse *p, uint32_t b)
{
	struct c4w_timef_manifest *m = p->m;
	enum c4w_timef_task_type t;
	struct c4w_view s;
	uint32_t v, e;
	void *mem;
	size_t n;

	m->schema = b;
	if (b == NONE)
		return C4W_OK;
	if (!is(p, b, C4W_JSON_OBJECT))
		return fault(p, "manifest.type", "schema", "an object", b, "\"schema\" is no object");
	C4W_TRY(list_of(p, b, "time_series_specs", &v, &n));
	C4W_TRY(c4w_arena_zero(p->arena, n + 1, sizeof *m->specs, &mem, p->err));
	m->specs = mem;
	for (e = v == NONE ? NONE : c4w_json_first(p->doc, v); e != NONE; e = c4w_json_next(p->doc, v, e))
		C4W_TRY(spec(p, e));
	if (m->format == 2)
		return C4W_OK;
	C4W_TRY(list_of(p, b, "annotations", &v, &n));
	C4W_TRY(c4w_arena_zero(p->arena, n + 1, sizeof *m->keys, &mem, p->err));
	m->keys = mem;
	for (e = v == NONE ? NONE : c4w_json_first(p->doc, v); e != NONE; e = c4w_json_next(p->doc, v, e))
		C4W_TRY(key(p, e));
	C4W_TRY(list_of(p, b, "tasks", &v, &n));
	for (e = v == NONE ? NONE : c4w_json_first(p->doc, v); e != NONE; e = c4w_json_next(p->doc, v, e)) {
		C4W_TRY(text(p, member(p, e, "task_type"), &s));
		if (s.p && c4w_timef_task_type_find(s, &t))
			m->task_types |= 1u << t;
		else
			C4W_TRY(fault(p, "manifest.task-type", "tasks", NULL, e, "unknown task_type"));
	}
	return C4W_OK;
}

/* ---- the rest ---- */

static int whole_numbers(struct parse *p, uint32_t b, const char *item, unsigned depth)
{
	struct c4w_err ignored;
	uint32_t k, v;
	int64_t n;

	for (k = c4w_json_first(p->doc, b); k != NONE; k = c4w_json_next(p->doc, b, v)) {
		v = c4w_json_next(p->doc, b, k);
		if (depth == 0 && (c4w_json_string_eq(p->doc, k, C4W_VIEW("tasks")) || c4w_json_string_eq(p->doc, k, C4W_VIEW("time_series_specs"))) &&
		    !is(p, v, C4W_JSON_OBJECT))
			C4W_TRY(fault(p, type_rule(p, v), item, "an object", v, "counts by name are no object"));
		else if (is(p, v, C4W_JSON_OBJECT) && depth < 1)
			C4W_TRY(whole_numbers(p, v, item, depth + 1));
		else if (!is(p, v, C4W_JSON_NUMBER) || c4w_json_i64(p->doc, v, &n, &ignored) != C4W_OK || n < 0)
			C4W_TRY(fault(p, "manifest.counts", item, "an integer from 0 on", v, "a count is no integer from 0 on"));
	}
	return C4W_OK;
}

/* `provenance`: the reference looks at it only as far as something is in it. */
static int optional_object(struct parse *p, const char *name, bool provenance, uint32_t *v)
{
	uint32_t w = member(p, 0, name);

	*v = NONE;
	if (w == NONE)
		return C4W_OK;
	if (!is(p, w, C4W_JSON_OBJECT))
		return fault(p, provenance ? type_rule(p, w) : "manifest.type", name, "an object", w, "a block of the manifest is no object");
	*v = w;
	return C4W_OK;
}

static int encodings(struct parse *p)
{
	static const char *const words[] = { "dictionary", "byte_stream_split", "plain", NULL };
	uint32_t b = p->m->value_encoding, k, v;
	struct c4w_view s;

	for (k = b == NONE ? NONE : c4w_json_first(p->doc, b); k != NONE; k = c4w_json_next(p->doc, b, v)) {
		v = c4w_json_next(p->doc, b, k);
		C4W_TRY(text(p, v, &s));
		if (!s.p || !one_of(s, words))
			C4W_TRY(fault(p, "manifest.unknown-encoding", "value_encoding", "dictionary, byte_stream_split or plain", v, "unknown value encoding"));
	}
	return C4W_OK;
}

int c4w_timef_manifest_parse(struct c4w_view json, struct c4w_arena *arena, struct c4w_timef_sink *sink, struct c4w_timef_manifest *out,
			     struct c4w_err *err)
{
	struct parse p = { .m = out, .doc = &out->doc, .arena = arena, .sink = sink, .err = err };
	struct c4w_err ignored;
	struct c4w_view backend;
	uint32_t version, v;
	static const char *const needed[] = { "timef_format_version", "dataset_id", "metadata", "files" };
	size_t i;
	int rc;

	memset(out, 0, sizeof *out);
	out->metadata = out->schema = out->counts = out->value_encoding = NONE;
	rc = c4w_json_parse(json, C4W_JSON_PYTHON, 0, arena, &out->doc, err);
	if (rc == C4W_DAMAGED) {
		char found[300];

		snprintf(found, sizeof found, "%.250s", err ? err->message : "");
		rc = c4w_timef_fault(sink, err, "manifest.json", "manifest.json", "manifest", NULL, NULL, "not a JSON document: %s", found);
		return rc == C4W_OK ? C4W_DAMAGED : rc;
	}
	if (rc != C4W_OK)
		return rc;
	if (!is(&p, 0, C4W_JSON_OBJECT)) {
		rc = fault(&p, "manifest.json", "manifest", "an object", 0, "the manifest is no JSON object");
		return rc == C4W_OK ? C4W_DAMAGED : rc;
	}
	if (out->doc.repeated)
		C4W_TRY(c4w_timef_fault(sink, err, "manifest.repeated-key", "manifest.json", "manifest", NULL, NULL,
					"a key stands twice in one object; the last one counts"));
	for (i = 0; i < 4; i++)
		if (member(&p, 0, needed[i]) == NONE)
			C4W_TRY(fault(&p, "manifest.required", "manifest", needed[i], NONE, "a required key is missing"));
	version = member(&p, 0, "timef_format_version");
	out->format = 1;
	if (!is(&p, version, C4W_JSON_NUMBER) || c4w_json_i64(&out->doc, version, &out->format, &ignored) != C4W_OK) {
		out->format = 1;
		if (version != NONE)
			C4W_TRY(fault(&p, "manifest.version", "manifest", "the integer 1", version, "timef_format_version is no integer"));
	} else if (out->format != 1 && out->format != 2) {
		/* the reference's own word for it is an invalid manifest; 3 and above would be a later layout */
		if (out->format > 2)
			return c4w_fail(err, C4W_UNSUPPORTED, "TimeF format %lld is newer than what is known here (1, and 2 in part)", (long long)out->format);
		C4W_TRY(fault(&p, "manifest.version", "manifest", "1", version, "timef_format_version is not 1"));
		out->format = 1;
	}
	if (out->format == 2 && member(&p, member(&p, 0, "files"), "control") == NONE) {
		C4W_TRY(fault(&p, "manifest.version", "manifest", "1", version, "format 2 without a control file, or format 1 under another number"));
		out->format = 1;
	}
	v = member(&p, 0, "values_backend");
	C4W_TRY(text(&p, v, &backend));
	out->zarr = c4w_view_eqz(backend, "zarr");
	if (v != NONE && !out->zarr && !c4w_view_eqz(backend, "parquet"))
		C4W_TRY(fault(&p, "manifest.backend", "manifest", "parquet or zarr", v, "unknown values_backend"));
	if (member(&p, 0, "metadata") != NONE)
		C4W_TRY(metadata(&p, member(&p, 0, "metadata")));
	if (member(&p, 0, "files") != NONE)
		C4W_TRY(files(&p, member(&p, 0, "files")));
	C4W_TRY(schema(&p, member(&p, 0, "schema")));
	C4W_TRY(optional_object(&p, "counts", false, &out->counts));
	if (out->counts != NONE)
		C4W_TRY(whole_numbers(&p, out->counts, "counts", 0));
	C4W_TRY(optional_object(&p, "value_encoding", true, &out->value_encoding));
	C4W_TRY(encodings(&p));
	C4W_TRY(optional_object(&p, "build_env", true, &v));
	return C4W_OK;
}

long c4w_timef_spec_find(const struct c4w_timef_manifest *m, struct c4w_view spec_type)
{
	size_t i;

	for (i = m->nspecs; i-- > 0;)
		if (c4w_view_eq(m->specs[i].spec_type, spec_type))
			return (long)i;
	return -1;
}

long c4w_timef_key_find(const struct c4w_timef_manifest *m, struct c4w_view k)
{
	size_t i;

	for (i = m->nkeys; i-- > 0;)
		if (c4w_view_eq(m->keys[i].key, k))
			return (long)i;
	return -1;
}
