/* Nodes of TimeF: [ORG/NAME@VERSION/]RECORD/SERIES[/offsets|/validity]. A series of numbers is an array (labels of an enum as text, missing floats
 * NaN), a series of texts is a table. */
#include "model/node.h"

#include "families/timef_family.h"
#include "families/timef_impl.h"
#include "families/timef_print.h"
#include "families/timef_values.h"

#include <math.h>

/* One opened version, shared by the nodes below it. */
struct shared {
	unsigned refs;
	struct c4w_timef *ds;
	struct c4w_timef_cursor *cursor;
	const struct c4w_timef_series *at; /* that the cursor is at */
	char *id;                          /* "org/name@1.0.0" in a registry */
};

struct tnode {
	struct c4w_node base;
	struct c4w_timef_root *root;
	struct shared *v; /* NULL: the registry itself */
	const struct c4w_timef_record *r;
	const struct c4w_timef_series *s;
	enum c4w_timef_plane_what plane;
	struct shared *last; /* registry: the version that was asked for last */
};

static const struct c4w_node_ops registry_ops, version_ops, record_ops, series_ops, text_ops, plane_ops;

static void drop(struct shared *v)
{
	if (!v || --v->refs)
		return;
	c4w_timef_cursor_free(v->cursor);
	c4w_timef_close(v->ds);
	free(v->id);
	free(v);
}

static void destroy(struct c4w_node *node)
{
	struct tnode *n = (struct tnode *)node;

	drop(n->v);
	drop(n->last);
}

static struct tnode *child(struct tnode *parent, const struct c4w_node_ops *ops, enum c4w_node_kind kind, struct shared *v)
{
	struct tnode *n = c4w_node_new(sizeof *n, ops, kind, parent ? &parent->base : NULL);

	if (!n)
		return NULL;
	if (parent)
		n->root = parent->root;
	n->v = v;
	v->refs++;
	return n;
}

static int open_version(struct c4w_timef_root *root, const struct c4w_timef_entry *e, struct shared **out, struct c4w_err *err)
{
	struct shared *v = calloc(1, sizeof *v);
	struct c4w_buf id = { 0 };
	int rc;

	*out = NULL;
	if (!v)
		return c4w_fail_memory(err, sizeof *v);
	v->refs = 1;
	if (e)
		c4w_buf_printf(&id, "%s@%s", e->id, e->version);
	v->id = id.p;
	rc = c4w_timef_root_open(root, e, NULL, &v->ds, err);
	if (rc != C4W_OK) {
		drop(v);
		return rc;
	}
	*out = v;
	return C4W_OK;
}

static int load_records(struct shared *v, struct c4w_err *err)
{
	return c4w_timef_load_records(v->ds, NULL, NULL, err);
}

/* The cursor at the series of the node. */
static int cursor(struct tnode *n, struct c4w_timef_cursor **out, struct c4w_err *err)
{
	struct shared *v = n->v;

	C4W_TRY(c4w_timef_load_index(v->ds, NULL, NULL, err));
	if (!v->cursor)
		C4W_TRY(c4w_timef_cursor_new(v->ds, &v->cursor, err));
	if (v->at != n->s) {
		v->at = NULL;
		C4W_TRY(c4w_timef_begin(v->cursor, n->s, err));
		v->at = n->s;
	}
	*out = v->cursor;
	return C4W_OK;
}

static struct c4w_cell id_cell(const struct c4w_timef *ds, enum c4w_timef_id kind, struct c4w_view v, char *buf)
{
	return v.p ? c4w_cell_text(c4w_timef_id_text(ds, kind, v, buf)) : c4w_cell_none();
}

static struct c4w_cell iso_cell(bool there, int64_t us, char *buf)
{
	return there ? c4w_cell_text((struct c4w_view){ buf, c4w_timef_iso(us, buf) }) : c4w_cell_none();
}

/* ---- registry ---- */

static int registry_list(struct c4w_node *node, const struct c4w_list_opts *o, const struct c4w_rows *rows, struct c4w_err *err)
{
	static const struct c4w_column columns[] = { { "dataset", C4W_CELL_TEXT, false }, { "records", C4W_CELL_INT, false },
						     { "bytes", C4W_CELL_BYTES, false }, { "backend", C4W_CELL_TEXT, false },
						     { "license", C4W_CELL_TEXT, false }, { "name", C4W_CELL_TEXT, false },
						     { "state", C4W_CELL_STATE, true } };
	struct tnode *n = (struct tnode *)node;
	size_t i, k;
	int rc = C4W_OK;

	if (o->what != C4W_LIST_CHILDREN)
		return c4w_fail(err, C4W_UNSUPPORTED, "a registry lists data sets; give one as LEAF");
	C4W_TRY(rows->begin(rows->ctx, columns, sizeof columns / sizeof *columns));
	for (i = 0; i < n->root->nentries && rc == C4W_OK; i++) {
		const struct c4w_timef_entry *e = &n->root->entries[i];
		struct c4w_cell c[7];
		struct c4w_err why = { 0 };
		struct c4w_buf name = { 0 };
		struct shared *v;
		uint64_t bytes = 0, count;

		for (k = 0; k < 7; k++)
			c[k] = c4w_cell_none();
		if (n->root->where == C4W_TF_DATASET)
			c4w_step_put(&name, c4w_view_z(e->version), true);
		else
			c4w_buf_printf(&name, "%s@%s", e->id, e->version);
		c[0] = c4w_cell_text((struct c4w_view){ name.p ? name.p : "", name.n });
		rc = open_version(n->root, e, &v, &why);
		if (rc == C4W_OK) { /* one that can't be read doesn't hide the others */
			const struct c4w_timef_manifest *m = &v->ds->m;
			uint32_t said = m->counts == C4W_JSON_NONE ? C4W_JSON_NONE : c4w_json_member(&m->doc, m->counts, "records");

			for (k = 0; k < m->nfiles; k++)
				bytes += m->files[k].size;
			if (said != C4W_JSON_NONE && c4w_json_type(&m->doc, said) == C4W_JSON_NUMBER && c4w_json_u64(&m->doc, said, &count, NULL) == C4W_OK)
				c[1] = c4w_cell_int((int64_t)count);
			c[2] = c4w_cell_int((int64_t)bytes);
			c[3] = c4w_cell_z(m->zarr ? "zarr" : "parquet");
			c[4] = c4w_cell_text(m->license);
			c[4].absent = m->license.p == NULL;
			c[5] = c4w_cell_text(m->name);
			c[5].absent = m->name.p == NULL;
			if (!e->sound)
				c[6] = c4w_cell_z("not ORG/NAME");
		} else if (rc == C4W_MEMORY) {
			c4w_buf_clear(&name);
			if (err)
				*err = why;
			return rc;
		} else {
			c[6] = c4w_cell_z(rc == C4W_UNSUPPORTED ? "unsupported" : "damaged");
			c[5] = c4w_cell_z(why.message);
		}
		rc = rows->row(rows->ctx, c, C4W_NODE_DIR);
		if (why.cls == C4W_OK)
			drop(v);
		c4w_buf_clear(&name);
	}
	return rc;
}

static int registry_lookup(struct c4w_node *node, struct c4w_view rest, size_t *used, struct c4w_node **out, struct c4w_err *err)
{
	struct tnode *n = (struct tnode *)node, *c;
	const struct c4w_timef_entry *best = NULL;
	size_t i, m, longest = 0;
	struct c4w_buf name = { 0 };
	bool last;

	for (i = 0; i < n->root->nentries; i++) {
		const struct c4w_timef_entry *e = &n->root->entries[i];
		int form;

		last = i + 1 == n->root->nentries || strcmp(e[1].id, e->id) != 0;
		for (form = 0; form < 3; form++) { /* org/name@1.2.3; org/name@latest and org/name for the highest */
			c4w_buf_reset(&name);
			if (n->root->where == C4W_TF_DATASET && form == 0)
				c4w_buf_puts(&name, e->version);
			else if (n->root->where == C4W_TF_DATASET || (form && !last))
				continue;
			else
				c4w_buf_printf(&name, form == 0 ? "%s@%s" : form == 1 ? "%s@latest" : "%s", e->id, e->version);
			m = name.n;
			if (name.failed || m == 0 || rest.n < m || memcmp(rest.p, name.p, m) != 0 || (rest.n > m && rest.p[m] != '/') || m <= longest)
				continue;
			longest = m;
			best = e;
		}
	}
	c4w_buf_clear(&name);
	if (!best) {
		c4w_fail(err, C4W_UNKNOWN, "no such data set");
		if (n->root->nentries)
			c4w_err_hint(err, "there is %s@%s, ...; c4w ls shows them all", n->root->entries[0].id, n->root->entries[0].version);
		return C4W_UNKNOWN;
	}
	if (n->last) {
		struct c4w_buf id = { 0 };
		bool same;

		c4w_buf_printf(&id, "%s@%s", best->id, best->version);
		same = id.p && n->last->id && strcmp(id.p, n->last->id) == 0;
		c4w_buf_clear(&id);
		if (!same) {
			drop(n->last);
			n->last = NULL;
		}
	}
	if (!n->last)
		C4W_TRY(open_version(n->root, best, &n->last, err));
	c = child(n, &version_ops, C4W_NODE_DIR, n->last);
	if (!c)
		return c4w_fail_memory(err, sizeof *c);
	*used = longest;
	*out = &c->base;
	return C4W_OK;
}

/* ---- version ---- */

static int list_files(struct tnode *n, const struct c4w_rows *rows, struct c4w_err *err)
{
	static const struct c4w_column columns[] = { { "path", C4W_CELL_TEXT, false }, { "kind", C4W_CELL_TEXT, false }, { "bytes", C4W_CELL_BYTES, false },
						     { "state", C4W_CELL_STATE, false }, { "checksum", C4W_CELL_TEXT, true } };
	const struct c4w_timef_manifest *m = &n->v->ds->m;
	struct c4w_stat st;
	size_t i;

	C4W_TRY(rows->begin(rows->ctx, columns, 5));
	for (i = 0; i < m->nfiles; i++) {
		struct c4w_cell c[5] = { c4w_cell_text(m->files[i].path), c4w_cell_z(c4w_timef_kind_name(m->files[i].kind)),
					 c4w_cell_int((int64_t)m->files[i].size), c4w_cell_none(), c4w_cell_text(m->files[i].checksum) };

		C4W_TRY(c4w_store_stat(n->v->ds->store, m->files[i].z, &st, err));
		c[3] = c4w_cell_z(st.kind == C4W_KIND_NONE ? "missing" : st.kind != C4W_KIND_FILE || st.size != m->files[i].size ? "damaged" : "present");
		C4W_TRY(rows->row(rows->ctx, c, C4W_NODE_BYTES));
	}
	return C4W_OK;
}

static int version_list(struct c4w_node *node, const struct c4w_list_opts *o, const struct c4w_rows *rows, struct c4w_err *err)
{
	static const struct c4w_column columns[] = { { "record", C4W_CELL_TEXT, false }, { "start", C4W_CELL_TEXT, false }, { "series", C4W_CELL_INT, false },
						     { "annotations", C4W_CELL_INT, false }, { "tasks", C4W_CELL_INT, false }, { "subjects", C4W_CELL_TEXT, true } };
	struct tnode *n = (struct tnode *)node;
	const struct c4w_timef *ds = n->v->ds;
	struct c4w_buf name = { 0 }, subjects = { 0 };
	char uuid[40], iso[48];
	size_t i, k;
	int rc = C4W_OK;

	if (o->what == C4W_LIST_FILES)
		return list_files(n, rows, err);
	C4W_TRY(load_records(n->v, err));
	C4W_TRY(rows->begin(rows->ctx, columns, 6));
	for (i = 0; i < ds->nrecords && rc == C4W_OK; i++) {
		const struct c4w_timef_record *r = &ds->records[i];
		struct c4w_cell c[6];

		if (o->selection) {
			for (k = 0; k < r->series_count && !c4w_timef_selects_series(o->selection, ds, &ds->series[r->series_first + k]); k++)
				;
			if (k == r->series_count)
				continue;
		}
		c4w_buf_reset(&name);
		c4w_buf_reset(&subjects);
		c4w_step_put(&name, c4w_timef_id_text(ds, C4W_TF_RECORD_ID, r->id, uuid), true);
		for (k = 0; k < r->subjects.n; k++) {
			struct c4w_view t = r->subjects.v[k].p ? c4w_timef_id_text(ds, C4W_TF_SUBJECT_ID, r->subjects.v[k], uuid) : C4W_VIEW("null");

			c4w_buf_puts(&subjects, k ? " " : "");
			c4w_buf_put(&subjects, t.p, t.n);
		}
		c[0] = c4w_cell_text((struct c4w_view){ name.p ? name.p : "", name.n });
		c[1] = iso_cell(r->has_start, r->start, iso);
		c[2] = c4w_cell_int(r->series_count);
		c[3] = c4w_cell_int(r->annotations.n);
		c[4] = c4w_cell_int(r->tasks.n);
		c[5] = subjects.n ? c4w_cell_text((struct c4w_view){ subjects.p, subjects.n }) : c4w_cell_none();
		rc = rows->row(rows->ctx, c, C4W_NODE_DIR);
	}
	c4w_buf_clear(&name);
	c4w_buf_clear(&subjects);
	return rc;
}

static int version_lookup(struct c4w_node *node, struct c4w_view rest, size_t *used, struct c4w_node **out, struct c4w_err *err)
{
	struct tnode *n = (struct tnode *)node, *c;
	const struct c4w_timef *ds = n->v->ds;
	size_t i, m, longest = 0, best = 0;
	char uuid[40];

	C4W_TRY(load_records(n->v, err));
	for (i = 0; i < ds->nrecords; i++) {
		if (!ds->records[i].id.p)
			continue;
		m = c4w_step_match(rest, c4w_timef_id_text(ds, C4W_TF_RECORD_ID, ds->records[i].id, uuid), NULL);
		if (m > longest) {
			longest = m;
			best = i;
		}
	}
	if (!longest) {
		c4w_fail(err, C4W_UNKNOWN, "no such record");
		c4w_err_hint(err, "c4w ls lists the records");
		return C4W_UNKNOWN;
	}
	c = child(n, &record_ops, C4W_NODE_DIR, n->v);
	if (!c)
		return c4w_fail_memory(err, sizeof *c);
	c->r = &ds->records[best];
	*used = longest;
	*out = &c->base;
	return C4W_OK;
}

static int version_describe(struct c4w_node *node, struct c4w_facts *out, struct c4w_err *err)
{
	struct tnode *n = (struct tnode *)node;

	(void)err;
	c4w_facts_view(out, "dataset_id", n->v->ds->m.dataset_id);
	c4w_facts_view(out, "version", n->v->ds->m.version);
	c4w_facts_view(out, "name", n->v->ds->m.name);
	c4w_facts_view(out, "license", n->v->ds->m.license);
	c4w_facts_number(out, "format", n->v->ds->m.format);
	c4w_facts_text(out, "values_backend", "%s", n->v->ds->m.zarr ? "zarr" : "parquet");
	c4w_facts_number(out, "specs", (int64_t)n->v->ds->m.nspecs);
	if (n->v->ds->m.format == 1) {
		C4W_TRY(load_records(n->v, err));
		c4w_facts_number(out, "records", (int64_t)n->v->ds->nrecords);
		c4w_facts_number(out, "series", (int64_t)n->v->ds->nseries);
	}
	return C4W_OK;
}

/* ---- record ---- */

static int record_list(struct c4w_node *node, const struct c4w_list_opts *o, const struct c4w_rows *rows, struct c4w_err *err)
{
	static const struct c4w_column columns[] = { { "series", C4W_CELL_TEXT, false }, { "spec", C4W_CELL_TEXT, false }, { "signal", C4W_CELL_TEXT, false },
						     { "dtype", C4W_CELL_TEXT, false }, { "axis", C4W_CELL_TEXT, false }, { "rate", C4W_CELL_TEXT, false },
						     { "n_values", C4W_CELL_INT, false }, { "shape", C4W_CELL_TEXT, false }, { "unit", C4W_CELL_TEXT, false },
						     { "source", C4W_CELL_TEXT, true } };
	struct tnode *n = (struct tnode *)node;
	const struct c4w_timef *ds = n->v->ds;
	struct c4w_buf name = { 0 };
	char uuid[40], source[40], rate[48], shape[120];
	int64_t num, den;
	uint32_t i;
	int rc = C4W_OK;

	if (o->what != C4W_LIST_CHILDREN)
		return c4w_fail(err, C4W_UNSUPPORTED, "a record lists its series");
	C4W_TRY(rows->begin(rows->ctx, columns, 10));
	for (i = 0; i < n->r->series_count && rc == C4W_OK; i++) {
		const struct c4w_timef_series *s = &ds->series[n->r->series_first + i];
		const struct c4w_timef_spec *spec = s->spec >= 0 ? &ds->m.specs[s->spec] : NULL;
		struct c4w_cell c[10];

		if (o->selection && !c4w_timef_selects_series(o->selection, ds, s))
			continue;
		c4w_buf_reset(&name);
		c4w_step_put(&name, s->id.p ? c4w_timef_id_text(ds, C4W_TF_SERIES_ID, s->id, uuid) : C4W_VIEW("null"), true);
		num = den = 0;
		if (s->axis == C4W_TF_REGULAR)
			c4w_timef_period(s, &num, &den);
		c[0] = c4w_cell_text((struct c4w_view){ name.p ? name.p : "", name.n });
		c[1] = c4w_cell_text(s->spec_type);
		c[1].absent = !s->spec_type.p;
		c[2] = c4w_cell_text(s->signal);
		c[2].absent = !s->signal.p;
		c[3] = spec ? c4w_cell_z(c4w_timef_dtype_name(spec->dtype)) : c4w_cell_none();
		c[4] = c4w_cell_z(c4w_timef_axis_name(s->axis));
		c[5] = num > 0 && den > 0 ? c4w_cell_z(c4w_timef_rate(num, den, rate)) : c4w_cell_none();
		c[6] = c4w_cell_int(s->n_values);
		shape[0] = 0;
		if (spec)
			c4w_timef_shape_text(spec, shape, sizeof shape);
		c[7] = shape[0] ? c4w_cell_z(shape) : c4w_cell_none();
		c[8] = spec && spec->unit.p ? c4w_cell_text(spec->unit) : c4w_cell_none();
		c[9] = id_cell(ds, C4W_TF_SOURCE_ID, s->source_id, source);
		rc = rows->row(rows->ctx, c, spec && spec->dtype == C4W_TF_STR ? C4W_NODE_TABLE : C4W_NODE_ARRAY);
	}
	c4w_buf_clear(&name);
	return rc;
}

static int record_lookup(struct c4w_node *node, struct c4w_view rest, size_t *used, struct c4w_node **out, struct c4w_err *err)
{
	struct tnode *n = (struct tnode *)node, *c;
	const struct c4w_timef *ds = n->v->ds;
	const struct c4w_timef_series *s, *best = NULL;
	size_t m, longest = 0;
	bool is_text;
	char uuid[40];
	uint32_t i;

	for (i = 0; i < n->r->series_count; i++) {
		s = &ds->series[n->r->series_first + i];
		m = s->id.p ? c4w_step_match(rest, c4w_timef_id_text(ds, C4W_TF_SERIES_ID, s->id, uuid), NULL) : 0;
		if (m > longest) {
			longest = m;
			best = s;
		}
	}
	if (!best) {
		c4w_fail(err, C4W_UNKNOWN, "the record has no such series");
		c4w_err_hint(err, "c4w ls lists the series of a record");
		return C4W_UNKNOWN;
	}
	is_text = best->spec >= 0 && ds->m.specs[best->spec].dtype == C4W_TF_STR;
	c = child(n, is_text ? &text_ops : &series_ops, is_text ? C4W_NODE_TABLE : C4W_NODE_ARRAY, n->v);
	if (!c)
		return c4w_fail_memory(err, sizeof *c);
	c->r = n->r;
	c->s = best;
	*used = longest;
	*out = &c->base;
	return C4W_OK;
}

static int record_describe(struct c4w_node *node, struct c4w_facts *out, struct c4w_err *err)
{
	struct tnode *n = (struct tnode *)node;
	char uuid[40], iso[48];

	(void)err;
	c4w_facts_view(out, "record_id", n->r->id.p ? c4w_timef_id_text(n->v->ds, C4W_TF_RECORD_ID, n->r->id, uuid) : n->r->id);
	if (n->r->has_start) {
		c4w_timef_iso(n->r->start, iso);
		c4w_facts_text(out, "start", "%s", iso);
	}
	c4w_facts_number(out, "series", n->r->series_count);
	c4w_facts_number(out, "annotations", n->r->annotations.n);
	c4w_facts_number(out, "tasks", n->r->tasks.n);
	c4w_facts_number(out, "subjects", n->r->subjects.n);
	return C4W_OK;
}

/* ---- series ---- */

static int series_list(struct c4w_node *node, const struct c4w_list_opts *o, const struct c4w_rows *rows, struct c4w_err *err)
{
	static const struct c4w_column columns[] = { { "name", C4W_CELL_TEXT, false }, { "dtype", C4W_CELL_TEXT, false }, { "n", C4W_CELL_INT, false } };
	struct tnode *n = (struct tnode *)node;
	struct c4w_cell c[3];

	if (o->what != C4W_LIST_CHILDREN)
		return c4w_fail(err, C4W_UNSUPPORTED, "a series has no records or files of its own");
	C4W_TRY(rows->begin(rows->ctx, columns, 3));
	c[2] = c4w_cell_int(n->s->n_values);
	if (n->s->axis == C4W_TF_REGULAR || n->s->axis == C4W_TF_IRREGULAR) {
		c[0] = c4w_cell_z("offsets");
		c[1] = c4w_cell_z("<i8");
		C4W_TRY(rows->row(rows->ctx, c, C4W_NODE_ARRAY));
	}
	c[0] = c4w_cell_z("validity");
	c[1] = c4w_cell_z("|b1");
	return rows->row(rows->ctx, c, C4W_NODE_ARRAY);
}

static int series_lookup(struct c4w_node *node, struct c4w_view rest, size_t *used, struct c4w_node **out, struct c4w_err *err)
{
	struct tnode *n = (struct tnode *)node, *c;
	bool offsets = c4w_step_match(rest, C4W_VIEW("offsets"), NULL) != 0, timed = n->s->axis == C4W_TF_REGULAR || n->s->axis == C4W_TF_IRREGULAR;

	if (!(offsets && timed) && !c4w_step_match(rest, C4W_VIEW("validity"), NULL))
		return c4w_fail(err, C4W_UNKNOWN, offsets ? "an ordinal series has no offsets" : "a series has offsets and validity, no more");
	c = child(n, &plane_ops, C4W_NODE_ARRAY, n->v);
	if (!c)
		return c4w_fail_memory(err, sizeof *c);
	c->r = n->r;
	c->s = n->s;
	c->plane = offsets ? C4W_TF_W_OFFSETS : C4W_TF_W_VALIDITY;
	*used = offsets ? 7 : 8;
	*out = &c->base;
	return C4W_OK;
}

static int array_info(struct c4w_node *node, struct c4w_array *out, struct c4w_err *err)
{
	static const char kinds[C4W_TF_DTYPES] = { 'b', 'f', 'f', 'i', 'i', 'i', 'u', 'u', 'u', 'U', 'U' };
	struct tnode *n = (struct tnode *)node;
	const struct c4w_timef_spec *spec;
	uint64_t widest = 1, w;
	uint32_t cp;
	size_t i, at, k;

	memset(out, 0, sizeof *out);
	if (n->s->spec < 0)
		return c4w_timef_fault(NULL, err, "records.spec-unknown", NULL, NULL, NULL, NULL, "the series' spec_type is not declared");
	spec = &n->v->ds->m.specs[n->s->spec];
	if (n->s->n_values < 0)
		return c4w_timef_fault(NULL, err, "axis.n-values", NULL, NULL, NULL, NULL, "n_values is negative");
	out->rank = 1;
	out->shape[0] = (uint64_t)n->s->n_values;
	if (n->plane == C4W_TF_W_OFFSETS) {
		out->dtype = (struct c4w_dtype){ .kind = 'i', .order = '<', .size = 8 };
	} else if (n->plane == C4W_TF_W_VALIDITY) {
		out->dtype = (struct c4w_dtype){ .kind = 'b', .order = '|', .size = 1 };
	} else {
		out->dtype.kind = kinds[spec->dtype];
		out->dtype.size = c4w_timef_dtype_size(spec->dtype);
		if (spec->dtype == C4W_TF_ENUM) {
			for (i = 0; i < spec->ncategories; i++) {
				for (at = 0, w = 0; at < spec->categories[i].n; at += k ? k : 1, w++)
					k = c4w_utf8_decode(spec->categories[i].p + at, spec->categories[i].n - at, &cp);
				widest = w > widest ? w : widest;
			}
			out->dtype.size = widest * 4;
		}
		out->dtype.order = out->dtype.size > 1 ? '<' : '|';
		for (i = 0; i < spec->rank; i++)
			out->shape[out->rank++] = spec->shape[i];
	}
	return c4w_array_measure(out, err);
}

static void label(const struct c4w_timef_spec *spec, int32_t code, uint8_t *to, size_t size)
{
	struct c4w_view v = code >= 0 && (size_t)code < spec->ncategories ? spec->categories[code] : C4W_VIEW("?");
	size_t at, k, o = 0;
	uint32_t cp;

	memset(to, 0, size);
	for (at = 0; at < v.n && o + 4 <= size; at += k ? k : 1, o += 4) {
		k = c4w_utf8_decode(v.p + at, v.n - at, &cp);
		to[o] = (uint8_t)cp;
		to[o + 1] = (uint8_t)(cp >> 8);
		to[o + 2] = (uint8_t)(cp >> 16);
	}
}

static int array_read(struct c4w_node *node, uint64_t first, uint64_t count, struct c4w_arena *arena, struct c4w_array *out, struct c4w_err *err)
{
	struct tnode *n = (struct tnode *)node;
	const struct c4w_timef_spec *spec;
	struct c4w_timef_cursor *c;
	struct c4w_timef_run run;
	uint64_t at, all;
	uint8_t *to;
	size_t i, k, step, row;
	int64_t t;
	void *mem;

	C4W_TRY(array_info(node, out, err));
	all = out->shape[0];
	spec = &n->v->ds->m.specs[n->s->spec];
	if (first > all || count > all - first)
		return c4w_fail(err, C4W_USAGE, "rows beyond the array");
	out->shape[0] = count;
	C4W_TRY(c4w_array_measure(out, err));
	if (out->size > node->limit) {
		c4w_fail(err, C4W_LIMIT, "needs %llu bytes of memory, --memory allows %llu", (unsigned long long)out->size, (unsigned long long)node->limit);
		c4w_err_hint(err, "raise --memory, or take a part with --slice");
		return C4W_LIMIT;
	}
	C4W_TRY(cursor(n, &c, err));
	C4W_TRY(c4w_arena_take(arena, (size_t)out->size, &mem, err));
	to = mem;
	row = count ? (size_t)(out->size / count) : 0;
	step = (size_t)spec->elements * c4w_timef_dtype_size(spec->dtype);
	for (at = first; at < first + count; at += run.steps, to += run.steps * row) {
		C4W_TRY(c4w_timef_lend(c, at, first + count, n->plane == C4W_TF_W_OFFSETS, &run, err));
		if (n->plane == C4W_TF_W_VALIDITY) {
			if (run.valid)
				memcpy(to, run.valid, run.steps);
			else
				memset(to, 1, run.steps);
		} else if (n->plane == C4W_TF_W_OFFSETS) {
			for (i = 0; i < run.steps; i++) {
				if (run.times)
					t = run.times[i];
				else if (!c4w_timef_regular_offset(n->s, (int64_t)(at + i), &t))
					return c4w_fail(err, C4W_LIMIT, "time offsets beyond 64 bits");
				memcpy(to + i * 8, &t, 8);
			}
		} else if (spec->dtype == C4W_TF_ENUM) {
			for (i = 0; i < run.steps; i++) {
				int32_t code;

				memcpy(&code, run.values + i * 4, 4);
				if (run.valid && !run.valid[i])
					memset(to + i * row, 0, row);
				else
					label(spec, code, to + i * row, row);
			}
		} else {
			memcpy(to, run.values, run.steps * step);
			for (i = 0; run.valid && i < run.steps; i++)
				for (k = 0; !run.valid[i] && k < spec->elements; k++) {
					if (spec->dtype == C4W_TF_FLOAT32)
						memcpy(to + i * step + k * 4, &(float){ NAN }, 4);
					else if (spec->dtype == C4W_TF_FLOAT64)
						memcpy(to + i * step + k * 8, &(double){ (double)NAN }, 8);
				}
		}
	}
	out->bytes = mem;
	return C4W_OK;
}

static int series_describe(struct c4w_node *node, struct c4w_facts *out, struct c4w_err *err)
{
	struct tnode *n = (struct tnode *)node;
	const struct c4w_timef *ds = n->v->ds;
	const struct c4w_timef_series *s = n->s;
	const struct c4w_timef_spec *spec = s->spec >= 0 ? &ds->m.specs[s->spec] : NULL;
	struct c4w_timef_cursor *c;
	char uuid[40], text[160];
	int64_t num, den, from, to;
	size_t chunks;

	c4w_facts_view(out, "time_series_id", s->id.p ? c4w_timef_id_text(ds, C4W_TF_SERIES_ID, s->id, uuid) : s->id);
	c4w_facts_view(out, "spec_type", s->spec_type);
	c4w_facts_view(out, "signal", s->signal);
	c4w_facts_view(out, "source_id", s->source_id.p ? c4w_timef_id_text(ds, C4W_TF_SOURCE_ID, s->source_id, uuid) : s->source_id);
	if (spec) {
		c4w_facts_text(out, "dtype", "%s", c4w_timef_dtype_name(spec->dtype));
		c4w_facts_view(out, "unit", spec->unit);
		c4w_timef_shape_text(spec, text, sizeof text);
		if (text[0])
			c4w_facts_text(out, "value_shape", "%s", text);
		c4w_facts_text(out, "nullable", "%s", spec->nullable ? "yes" : "no");
	}
	c4w_facts_text(out, "axis", "%s", c4w_timef_axis_name(s->axis));
	if (s->axis == C4W_TF_REGULAR && s->den) {
		c4w_timef_period(s, &num, &den);
		c4w_facts_text(out, "rate", "%s", c4w_timef_rate(num, den, text));
		c4w_facts_text(out, "period_us", "%lld/%lld", (long long)num, (long long)den);
		c4w_facts_number(out, "start_index", s->start_index);
	}
	c4w_facts_number(out, "n_values", s->n_values);
	if (!c4w_timef_axis_fault(s, &(const char *){ NULL }) && c4w_timef_window(s, &from, &to)) {
		c4w_facts_number(out, "window_start_us", from);
		c4w_facts_number(out, "window_end_us", to);
	}
	C4W_TRY(cursor(n, &c, err));
	c4w_timef_cursor_chunks(c, &chunks);
	c4w_facts_number(out, "chunks", (int64_t)chunks);
	return C4W_OK;
}

static int text_table(struct c4w_node *node, const struct c4w_table_opts *o, c4w_bytes_fn sink, void *ctx, struct c4w_err *err)
{
	static const enum c4w_timef_values_form forms[] = { [C4W_TEXT_CSV] = C4W_TF_V_CSV, [C4W_TEXT_TSV] = C4W_TF_V_TSV, [C4W_TEXT_JSONL] = C4W_TF_V_JSONL };
	struct tnode *n = (struct tnode *)node;
	struct c4w_timef_range r = { .from = o->first, .to = (uint64_t)n->s->n_values, .every = o->step ? o->step : 1 };
	struct c4w_timef_cursor *c;

	if (o->column_count)
		return c4w_fail(err, C4W_UNSUPPORTED, "a series of texts has the columns step, offset_us, timestamp, valid and value, all or none");
	C4W_TRY(cursor(n, &c, err));
	if (r.from > r.to)
		r.from = r.to;
	if (o->count < r.to - r.from)
		r.to = r.from + o->count;
	return c4w_timef_print(c, n->s, &r, forms[o->form], false, C4W_TF_W_VALUES, sink, ctx, err);
}

static const struct c4w_node_ops registry_ops = { .type = "TimeF registry", .list = registry_list, .lookup = registry_lookup, .destroy = destroy };
static const struct c4w_node_ops version_ops = { .type = "TimeF data set", .list = version_list, .lookup = version_lookup, .describe = version_describe,
						 .destroy = destroy };
static const struct c4w_node_ops record_ops = { .type = "record", .list = record_list, .lookup = record_lookup, .describe = record_describe, .destroy = destroy };
static const struct c4w_node_ops series_ops = { .type = "series", .list = series_list, .lookup = series_lookup, .describe = series_describe,
						.array_info = array_info, .array_read = array_read, .destroy = destroy };
static const struct c4w_node_ops text_ops = { .type = "series of texts", .list = series_list, .lookup = series_lookup, .describe = series_describe,
					      .table = text_table, .destroy = destroy };
static const struct c4w_node_ops plane_ops = { .type = "array", .array_info = array_info, .array_read = array_read, .destroy = destroy };

int c4w_timef_node(void *root, struct c4w_node **out, struct c4w_err *err)
{
	struct c4w_timef_root *r = root;
	struct shared *v;
	struct tnode *n;

	if (r->where == C4W_TF_REGISTRY) {
		n = c4w_node_new(sizeof *n, &registry_ops, C4W_NODE_DIR, NULL);
		if (!n)
			return c4w_fail_memory(err, sizeof *n);
		n->root = r;
		*out = &n->base;
		return C4W_OK;
	}
	C4W_TRY(open_version(r, r->where == C4W_TF_DATASET ? &r->entries[r->nentries - 1] : NULL, &v, err));
	n = child(NULL, &version_ops, C4W_NODE_DIR, v);
	drop(v);
	if (!n)
		return c4w_fail_memory(err, sizeof *n);
	n->root = r;
	*out = &n->base;
	return C4W_OK;
}
