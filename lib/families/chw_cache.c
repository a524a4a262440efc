/* Cache roots (sections 5 and 7): one NPY array a field, the records of a (group, component, carrier) end to end, and index.json.
 *
 * A part's index and array headers are checked once, when its group is loaded; what is wrong with them is what every record of the part
 * reports. Slices are read from the arrays as they are needed.
 */
#include "families/chw.h"

#include "base/limits.h"

#include <inttypes.h>

struct part_array {
	struct c4w_blob *blob;
	const char *path;
	uint64_t data; /* where the elements begin */
	bool columns;  /* (n, 3) in Fortran order: three columns of n */
};

struct chw_part {
	enum chw_component component;
	int64_t hz;
	uint32_t index_file;
	const char *index_path;
	struct c4w_err err;     /* cls C4W_OK: sound */
	bool has_records;       /* the list of records could be read, even if something else is wrong */
	struct chw_digest *records;
	uint32_t n_records;
	struct chw_map *ordinal;
	struct chw_dims *starts; /* per record: sums of the dimensions of those before it; n_records + 1 */
	struct part_array arrays[CHW_MAX_FIELDS];
};

static int fault(struct chw_part *p, struct c4w_err *err, const char *rule, const struct c4w_json *doc, uint32_t v, const char *what,
		 const char *expected)
{
	char found[100];
	struct c4w_view raw = v == C4W_JSON_NONE ? C4W_VIEW("nothing") : c4w_json_raw(doc, v);
	c4w_damaged(err, rule, v == C4W_JSON_NONE ? -1 : (int64_t)c4w_json_offset(doc, v), "%s", what);
	c4w_err_values(err, expected, c4w_str_escape(found, sizeof found, raw.p, raw.n));
	c4w_err_path(err, p->index_path);
	return C4W_DAMAGED;
}

/* records: ids of the snapshot's, of this component and carrier, without repeats. */
static int read_records(struct chw_group *g, struct chw_part *p, const struct c4w_json *doc, uint32_t v, struct c4w_err *err)
{
	uint32_t e, n;
	struct chw_dims sum = { 0, 0, 0, 0, 0 };
	void *mem;
	if (v == C4W_JSON_NONE || c4w_json_type(doc, v) != C4W_JSON_ARRAY)
		return fault(p, err, "cache.index-keys", doc, v, "records", "a list");
	n = c4w_json_count(doc, v);
	C4W_TRY(c4w_arena_zero(&g->arena, n, sizeof *p->records, &mem, err));
	p->records = mem;
	C4W_TRY(c4w_arena_zero(&g->arena, (size_t)n + 1, sizeof *p->starts, &mem, err));
	p->starts = mem;
	if (!(p->ordinal = chw_map_new(n)))
		return c4w_fail_memory(err, n);
	for (e = c4w_json_first(doc, v); e != C4W_JSON_NONE; e = c4w_json_next(doc, v, e)) {
		struct c4w_view raw = c4w_json_raw(doc, e);
		struct chw_digest *id = &p->records[p->n_records];
		const struct chw_row *row;
		uint32_t earlier;
		if (raw.n != 66 || raw.p[0] != '"' || !c4w_unhex32((struct c4w_view){ raw.p + 1, 64 }, id->b))
			return fault(p, err, "cache.index-record", doc, e, "a record", "64 lower-case hex digits");
		row = chw_row_of(g, id);
		if (!row || row->component != p->component || row->hz != p->hz)
			return fault(p, err, "cache.index-record", doc, e, "a record that is not one of the snapshot's of this part", NULL);
		if (!row->included)
			return fault(p, err, "cache.index-record", doc, e, "a record that the root does not list", NULL);
		earlier = chw_map_add(p->ordinal, id->b, 32, p->n_records);
		if (earlier == CHW_NONE - 1)
			return c4w_fail_memory(err, 32);
		if (earlier != CHW_NONE)
			return fault(p, err, "cache.index-record", doc, e, "a record that repeats", NULL);
		sum.links += row->dims.links;
		sum.paths += row->dims.paths;
		sum.interactions += row->dims.interactions;
		sum.bs += row->dims.bs;
		sum.ues += row->dims.ues;
		if (sum.links > INT64_MAX / 64 || sum.paths > INT64_MAX / 64 || sum.interactions > INT64_MAX / 64 || sum.bs > INT64_MAX / 64 ||
		    sum.ues > INT64_MAX / 64)
			return fault(p, err, "cache.index-record", doc, e, "the records are larger than a file can be", NULL);
		p->starts[++p->n_records] = sum;
	}
	p->has_records = true;
	return C4W_OK;
}

/* Elements of a field before record i. A record's offsets are one more than its dimension. */
static uint64_t start_of(const struct chw_part *p, const struct chw_field *f, uint32_t i)
{
	const struct chw_dims *sum = &p->starts[i];
	switch (f->length) {
	case CHW_LEN_LINKS1:
		return (uint64_t)sum->links + i;
	case CHW_LEN_PATHS1:
		return (uint64_t)sum->paths + i;
	default:
		return (uint64_t)chw_length_of(sum, (enum chw_length)f->length);
	}
}

static int open_array(struct chw_group *g, struct chw_part *p, const struct chw_field *f, struct part_array *a, struct c4w_err *err)
{
	const struct chw_root *r = g->root;
	uint32_t file = chw_find_file(r, c4w_view_z(a->path));
	struct c4w_arena scratch = { 0 };
	struct c4w_npy npy;
	uint64_t total = start_of(p, f, p->n_records), size;
	char message[400], found[100], want[60];
	int cls;
	if (file == CHW_NONE || r->files[file].kind != CHW_CACHE_ARRAY || r->files[file].group != g->index ||
	    r->files[file].component != p->component || r->files[file].hz != p->hz) {
		c4w_damaged(err, "cache.index-field", -1, "the path of field %s is not an array that the root lists for this part", f->name);
		c4w_err_values(err, NULL, a->path);
		c4w_err_path(err, p->index_path);
		return C4W_DAMAGED;
	}
	cls = c4w_store_open(r->store, a->path, &a->blob, err);
	if (cls == C4W_ABSENT) {
		c4w_fail(err, C4W_ABSENT, "%s", chw_missing_text(a->path, message, sizeof message).p);
		c4w_err_path(err, a->path);
	}
	if (cls != C4W_OK)
		return cls;
	size = c4w_blob_size(a->blob);
	cls = c4w_npy_read_header(a->blob, 0, size, &scratch, &npy, err);
	c4w_arena_clear(&scratch);
	if (cls == C4W_UNSUPPORTED) { /* a version or dtype that no cache has */
		err->cls = C4W_DAMAGED;
		err->rule = "cache.array-header";
		cls = C4W_DAMAGED;
	}
	if (cls != C4W_OK) {
		c4w_err_path(err, a->path);
		return cls;
	}
	if (npy.major > 2 || npy.minor != 0) {
		c4w_damaged(err, "cache.array-header", -1, "the array is of another NPY version");
		c4w_err_valuesf(err, "1.0 or 2.0", "%u.%u", npy.major, npy.minor);
	} else if (npy.header_size > CHW_NPY_HEADER_MAX + (npy.major == 1 ? 10U : 12U)) {
		c4w_damaged(err, "cache.array-header", -1, "the array's header is too long");
		c4w_err_valuesf(err, "at most 10000 bytes", "%zu", (size_t)npy.header_size);
	} else if (npy.array.dtype.kind != f->kind || npy.array.dtype.size != f->size || npy.array.dtype.order == '>') {
		c4w_damaged(err, "cache.array-header", -1, "the array is of another dtype");
		c4w_err_values(err, f->dtype, c4w_dtype_text(&npy.array.dtype, found, sizeof found));
	} else if (npy.array.rank != (f->vec3 ? 2U : 1U) || npy.array.shape[0] != total || (f->vec3 && npy.array.shape[1] != 3)) {
		snprintf(want, sizeof want, f->vec3 ? "(%" PRIu64 ", 3)" : "(%" PRIu64 ",)", total);
		c4w_damaged(err, "cache.array-length", -1, "the array is not as long as the records of its index");
		c4w_err_values(err, want, c4w_shape_text(npy.array.rank, npy.array.shape, found, sizeof found));
	} else if (size != npy.header_size + npy.array.size || size != (uint64_t)r->files[file].bytes) {
		snprintf(want, sizeof want, "%" PRIu64 " bytes", npy.header_size + npy.array.size);
		if (size == npy.header_size + npy.array.size)
			snprintf(want, sizeof want, "%" PRId64 " bytes, as the root lists", r->files[file].bytes);
		c4w_damaged(err, "cache.array-size", -1, "the size of the array's file");
		c4w_err_valuesf(err, want, "%" PRIu64, size);
	} else {
		a->data = npy.header_size;
		a->columns = npy.array.fortran && f->vec3;
		return C4W_OK;
	}
	c4w_err_path(err, a->path);
	return C4W_DAMAGED;
}

static int read_index(struct chw_group *g, struct chw_part *p, struct c4w_err *err)
{
	static const char *const keys[] = { "component", "frequency_hz", "records", "fields" };
	const struct chw_root *r = g->root;
	struct c4w_view body, text;
	struct c4w_json doc;
	uint32_t m[4], e;
	unsigned i, n, seen = 0;
	const struct chw_field *fields = chw_fields(p->component, &n);
	char message[400];
	int64_t hz;
	int cls = chw_read_checked(r, &r->files[p->index_file], C4W_LIMIT_SNAPSHOT, "cache.index-digest", &g->arena, &body, err);
	if (cls == C4W_ABSENT) {
		c4w_fail(err, C4W_ABSENT, "%s", chw_missing_text(p->index_path, message, sizeof message).p);
		c4w_err_path(err, p->index_path);
	}
	if (cls != C4W_OK)
		return cls;
	cls = c4w_json_parse(body, C4W_JSON_BOM | C4W_JSON_FINITE, 0, &g->arena, &doc, err);
	if (cls != C4W_OK) {
		c4w_err_path(err, p->index_path);
		return cls;
	}
	if (c4w_json_type(&doc, 0) != C4W_JSON_OBJECT || c4w_json_count(&doc, 0) != 4)
		return fault(p, err, "cache.index-keys", &doc, 0, "the index has other keys than it must", "component, frequency_hz, records, fields");
	for (i = 0; i < 4; i++)
		if ((m[i] = c4w_json_member(&doc, 0, keys[i])) == C4W_JSON_NONE)
			return fault(p, err, "cache.index-keys", &doc, 0, "the index lacks a key", keys[i]);
	/* The records first: then even a part with another fault knows whose it is. */
	cls = read_records(g, p, &doc, m[2], err);
	if (cls != C4W_OK)
		return cls;
	if (!c4w_json_string_eq(&doc, m[0], c4w_view_z(chw_component_names[p->component])))
		return fault(p, err, "cache.index-value", &doc, m[0], "component is not that of the root's list", chw_component_names[p->component]);
	if (p->hz < 0 ? c4w_json_type(&doc, m[1]) != C4W_JSON_NULL :
			!c4w_json_is_integer(&doc, m[1]) || c4w_json_i64(&doc, m[1], &hz, NULL) != C4W_OK || hz != p->hz)
		return fault(p, err, "cache.index-value", &doc, m[1], "frequency_hz is not that of the root's list", NULL);
	if (c4w_json_type(&doc, m[3]) != C4W_JSON_OBJECT)
		return fault(p, err, "cache.index-keys", &doc, m[3], "fields", "an object");
	for (e = c4w_json_first(&doc, m[3]); e != C4W_JSON_NONE;) {
		uint32_t value = c4w_json_next(&doc, m[3], e);
		for (i = 0; i < n; i++)
			if (c4w_json_string_eq(&doc, e, c4w_view_z(fields[i].name)))
				break;
		if (i == n)
			return fault(p, err, "cache.index-field", &doc, e, "a field that the component does not have", NULL);
		if (c4w_json_type(&doc, value) != C4W_JSON_STRING)
			return fault(p, err, "cache.index-field", &doc, value, "a field's path", "a string");
		C4W_TRY(c4w_json_string(&doc, value, &g->arena, &text, err));
		if (!chw_safe_path(text.p, text.n))
			return fault(p, err, "cache.index-field", &doc, value, "a field's path", "a plain relative path");
		if (!(p->arrays[i].path = c4w_arena_text(&g->arena, text.p, text.n)))
			return c4w_fail_memory(err, text.n);
		seen |= 1U << i;
		e = c4w_json_next(&doc, m[3], value);
	}
	for (i = 0; i < n; i++)
		if (!(seen & 1U << i))
			return fault(p, err, "cache.index-field", &doc, m[3], "a field is missing", fields[i].name);
	for (i = 0; i < n; i++)
		C4W_TRY(open_array(g, p, &fields[i], &p->arrays[i], err));
	return C4W_OK;
}

void chw_parts_load(struct chw_group *g)
{
	const struct chw_root *r = g->root;
	uint32_t f, n = 0;
	for (f = r->groups[g->index].first_file; f != CHW_NONE; f = r->files[f].next)
		n += r->files[f].kind == CHW_CACHE_INDEX;
	g->parts = calloc(n ? n : 1, sizeof *g->parts);
	if (!g->parts) {
		c4w_fail_memory(&g->snapshot_err, n);
		return;
	}
	for (f = r->groups[g->index].first_file; f != CHW_NONE; f = r->files[f].next) {
		struct chw_part *p = &g->parts[g->n_parts];
		if (r->files[f].kind != CHW_CACHE_INDEX || r->files[f].component >= CHW_GEOMETRY)
			continue;
		p->component = (enum chw_component)r->files[f].component;
		p->hz = r->files[f].hz;
		p->index_file = f;
		p->index_path = r->files[f].path;
		c4w_err_clear(&p->err);
		if (read_index(g, p, &p->err) == C4W_OK)
			c4w_err_clear(&p->err);
		g->n_parts++;
	}
}

void chw_parts_free(struct chw_group *g)
{
	uint32_t i, k;
	for (i = 0; i < g->n_parts; i++) {
		for (k = 0; k < CHW_MAX_FIELDS; k++)
			c4w_blob_close(g->parts[i].arrays[k].blob);
		chw_map_free(g->parts[i].ordinal);
	}
	free(g->parts);
	g->parts = NULL;
	g->n_parts = 0;
}

static struct chw_part *part_of(struct chw_group *g, const struct chw_row *row)
{
	uint32_t i;
	for (i = 0; i < g->n_parts; i++)
		if (g->parts[i].component == row->component && g->parts[i].hz == row->hz)
			return &g->parts[i];
	return NULL;
}

bool chw_part_has(struct chw_group *g, const struct chw_row *row, const char **index_path)
{
	struct chw_part *p = part_of(g, row);
	if (!p || !row->included)
		return false;
	*index_path = p->index_path;
	/* A part that can't be read may hold any record of its kind. */
	return p->err.cls != C4W_OK || (p->has_records && chw_map_get(p->ordinal, row->id.b, 32) != CHW_NONE);
}

/* Rows of an array that lies in columns. */
static int read_columns(const struct part_array *a, uint64_t total, uint64_t at, uint64_t count, struct c4w_arena *arena, const uint8_t **out,
			struct c4w_err *err)
{
	const uint8_t *column;
	uint8_t *rows;
	uint64_t i;
	unsigned c;
	void *p;
	C4W_TRY(c4w_arena_take(arena, (size_t)(count * 12), &p, err));
	rows = p;
	for (c = 0; c < 3; c++) {
		C4W_TRY(c4w_blob_view(a->blob, a->data + (c * total + at) * 4, (size_t)(count * 4), arena, &column, err));
		for (i = 0; i < count; i++)
			memcpy(rows + 12 * i + 4 * c, column + 4 * i, 4);
	}
	*out = rows;
	return C4W_OK;
}

bool chw_part_verify(struct chw_group *g, const struct chw_row *row, enum c4w_level level, bool arrays, struct c4w_worker *w,
		     struct chw_record *rec, struct c4w_findings *fs)
{
	struct chw_part *p = part_of(g, row);
	const char *component = chw_component_names[row->component];
	unsigned n, k;
	const struct chw_field *fields = chw_fields(row->component, &n);
	struct chw_digests d;
	struct c4w_err err;
	uint32_t i;
	size_t before = fs->n;
	if (p->err.cls != C4W_OK) {
		c4w_findings_add_err(fs, component, p->index_path, &p->err);
		return false;
	}
	i = chw_map_get(p->ordinal, row->id.b, 32);
	/* Dtype and length were checked with the part: that is all there is to level basic. */
	if (level != C4W_LEVEL_FULL && !arrays)
		return true;
	for (k = 0; k < n; k++) {
		size_t width = (size_t)fields[k].size * (fields[k].vec3 ? 3 : 1);
		uint64_t at = start_of(p, &fields[k], i);
		uint64_t count = (uint64_t)chw_length_of(&row->dims, (enum chw_length)fields[k].length);
		int cls = p->arrays[k].columns ?
				  read_columns(&p->arrays[k], start_of(p, &fields[k], p->n_records), at, count, &w->arena, &rec->field[k], &err) :
				  c4w_blob_view(p->arrays[k].blob, p->arrays[k].data + at * width, (size_t)(count * width), &w->arena, &rec->field[k], &err);
		if (cls != C4W_OK) {
			c4w_findings_add_err(fs, component, p->arrays[k].path, &err);
			return false;
		}
		rec->bytes += count * width;
		if ((uintptr_t)rec->field[k] % fields[k].size) {
			void *copy;
			if (c4w_arena_take(&w->arena, (size_t)(count * width), &copy, &err) != C4W_OK) {
				c4w_findings_add_err(fs, component, p->arrays[k].path, &err);
				return false;
			}
			memcpy(copy, rec->field[k], (size_t)(count * width));
			rec->field[k] = copy;
		}
	}
	if (level != C4W_LEVEL_FULL)
		return true;
	chw_hash_record(rec, true, NULL, 0, &d);
	chw_record_proof(rec, &d, fs);
	chw_check_arrays(rec, fs);
	return fs->n == before;
}
