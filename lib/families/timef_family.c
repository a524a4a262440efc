/* The TimeF family's table: probing, opening, what info says, selections. */
#include "families/timef_family.h"

#include "containers/json.h"
#include "containers/pq.h"
#include "containers/zarr.h"
#include "families/timef_impl.h"

static void probe(const char *path, struct c4w_probe *out)
{
	if (c4w_timef_probe(path, out->why, sizeof out->why) != C4W_TF_NOTHING)
		out->sure = C4W_SURE_CERTAIN;
}

static void close_root(void *p)
{
	struct c4w_timef_root *r = p;

	if (!r)
		return;
	c4w_timef_close(r->ds);
	c4w_store_close(r->store);
	c4w_arena_clear(&r->arena);
	free(r->path);
	free(r);
}

static int open_root(const char *path, void **out, struct c4w_err *err)
{
	struct c4w_timef_root *r = calloc(1, sizeof *r);
	char why[160];
	int rc;

	*out = NULL;
	if (!r)
		return c4w_fail_memory(err, sizeof *r);
	r->path = strdup(path);
	rc = r->path ? c4w_store_open_dir(path, &r->store, err) : c4w_fail_memory(err, strlen(path));
	if (rc == C4W_OK) {
		r->where = c4w_timef_probe(path, why, sizeof why);
		if (r->where == C4W_TF_NOTHING) {
			rc = c4w_fail(err, C4W_UNSUPPORTED, "neither a TimeF version, nor a data set's directory, nor a registry root");
			c4w_err_path(err, path);
		} else if (r->where != C4W_TF_VERSION) {
			rc = c4w_timef_list(r->store, r->where, &r->arena, &r->entries, &r->nentries, err);
		}
	}
	if (rc != C4W_OK) {
		close_root(r);
		return rc;
	}
	*out = r;
	return C4W_OK;
}

int c4w_timef_root_open(struct c4w_timef_root *r, const struct c4w_timef_entry *e, struct c4w_timef_sink *sink, struct c4w_timef **out,
			struct c4w_err *err)
{
	struct c4w_buf dir = { 0 };
	struct c4w_store *s;
	int rc;

	if (!e)
		return c4w_timef_open(r->store, r->path, sink, out, err);
	c4w_buf_printf(&dir, "%s/%s", r->path, e->dir);
	rc = c4w_buf_ok(&dir, err);
	if (rc == C4W_OK)
		rc = c4w_store_open_dir(dir.p, &s, err);
	if (rc == C4W_OK) {
		rc = c4w_timef_open(s, dir.p, sink, out, err);
		c4w_store_close(s);
	}
	c4w_buf_clear(&dir);
	return rc;
}

static int describe_version(struct c4w_timef *ds, struct c4w_facts *out, struct c4w_err *err)
{
	const struct c4w_timef_manifest *m = &ds->m;
	uint64_t bytes = 0, rows[C4W_TF_KINDS] = { 0 };
	size_t i;

	c4w_facts_text(out, "kind", "dataset version");
	c4w_facts_view(out, "dataset_id", m->dataset_id);
	c4w_facts_view(out, "version", m->version);
	c4w_facts_view(out, "name", m->name);
	c4w_facts_view(out, "license", m->license);
	c4w_facts_view(out, "access", m->access);
	c4w_facts_number(out, "format", m->format);
	c4w_facts_text(out, "values_backend", "%s", m->zarr ? "zarr" : "parquet");
	c4w_facts_number(out, "specs", (int64_t)m->nspecs);
	for (i = 0; i < m->nfiles; i++)
		bytes += m->files[i].size;
	c4w_facts_number(out, "files", (int64_t)m->nfiles);
	c4w_facts_number(out, "bytes", (int64_t)bytes);
	if (m->format != 1) {
		c4w_facts_text(out, "note", "TimeF format 2 (control plane in DuckDB): tables are not read");
		return C4W_OK;
	}
	C4W_TRY(c4w_timef_open_parts(ds, NULL, err));
	for (i = 0; i < ds->nparts; i++)
		rows[m->files[ds->parts[i].file].kind] += (uint64_t)c4w_pq_rows(ds->parts[i].pq);
	c4w_facts_numbers(out, (struct c4w_fact[]){ { .key = "records", .number = (int64_t)rows[C4W_TF_RECORDS] },
						    { .key = "annotations", .number = (int64_t)rows[C4W_TF_ANNOTATIONS] },
						    { .key = "tasks", .number = (int64_t)rows[C4W_TF_TASKS] },
						    { .key = "index_rows", .number = (int64_t)rows[C4W_TF_INDEX] } }, 4, false);
	return C4W_OK;
}

static int describe(void *root, struct c4w_facts *out, struct c4w_err *err)
{
	struct c4w_timef_root *r = root;
	int64_t datasets = 0;
	size_t i;

	if (r->where == C4W_TF_REGISTRY) {
		for (i = 0; i < r->nentries; i++)
			datasets += i == 0 || strcmp(r->entries[i].id, r->entries[i - 1].id) != 0;
		c4w_facts_text(out, "kind", "registry");
		c4w_facts_number(out, "datasets", datasets);
		c4w_facts_number(out, "versions", (int64_t)r->nentries);
		return C4W_OK;
	}
	if (!r->ds)
		C4W_TRY(c4w_timef_root_open(r, r->where == C4W_TF_DATASET ? &r->entries[r->nentries - 1] : NULL, NULL, &r->ds, err));
	if (r->where == C4W_TF_DATASET)
		c4w_facts_number(out, "versions", (int64_t)r->nentries);
	return describe_version(r->ds, out, err);
}

/* ---- selections ---- */

/* What the selected versions hold of the words of a selection. */
struct known {
	const struct c4w_timef_select *sel;
	bool *records, *specs;
	bool unsure; /* a version can't be looked into; what is wrong with it is for others to say */
	struct c4w_timef_near near_record, near_spec;
};

static int look_into(struct known *k, struct c4w_timef *ds, struct c4w_err *err)
{
	const struct c4w_timef_select *s = k->sel;
	struct c4w_view id;
	uint8_t raw[16];
	char uuid[40];
	size_t i, n;
	int rc;

	for (i = 0; i < s->nspecs; i++)
		k->specs[i] |= c4w_timef_spec_find(&ds->m, c4w_view_z(s->specs[i])) >= 0;
	for (n = 0; n < ds->m.nspecs; n++)
		c4w_timef_near_try(&k->near_spec, ds->m.specs[n].spec_type);
	if (!s->nrecords)
		return C4W_OK;
	rc = c4w_timef_load_records(ds, NULL, NULL, err);
	for (i = 0; rc == C4W_OK && i < s->nrecords; i++)
		k->records[i] |= c4w_timef_id_stored(ds, C4W_TF_RECORD_ID, c4w_view_z(s->records[i]), raw, &id) && c4w_timef_record_find(ds, id) >= 0;
	for (n = 0; rc == C4W_OK && n < ds->nrecords; n++)
		c4w_timef_near_try(&k->near_record, c4w_timef_id_text(ds, C4W_TF_RECORD_ID, ds->records[n].id, uuid));
	return rc;
}

/* Is every record and spec that a selection names there, in one of its versions at least? */
static int check_words(struct c4w_timef_root *r, const struct c4w_timef_select *s, struct c4w_arena *arena, struct c4w_err *err)
{
	struct known k = { .sel = s };
	size_t i, n = r->where == C4W_TF_VERSION ? 1 : r->nentries;
	void *mem;

	C4W_TRY(c4w_arena_zero(arena, s->nrecords + s->nspecs + 1, sizeof(bool), &mem, err));
	k.records = mem;
	k.specs = k.records + s->nrecords;
	k.near_record = (struct c4w_timef_near){ s->nrecords ? s->records[0] : "", SIZE_MAX, "" };
	k.near_spec = (struct c4w_timef_near){ s->nspecs ? s->specs[0] : "", SIZE_MAX, "" };
	for (i = 0; i < n; i++) {
		const struct c4w_timef_entry *e = r->where == C4W_TF_VERSION ? NULL : &r->entries[i];
		struct c4w_err why = { 0 };
		struct c4w_timef *ds;
		int rc;

		if (e && !c4w_timef_selects_version(s, e, i + 1 == n || strcmp(e->id, e[1].id) != 0))
			continue;
		rc = c4w_timef_root_open(r, e, NULL, &ds, &why);
		if (rc == C4W_OK) {
			bool blind = s->nrecords && ds->m.format != 1; /* without records, nothing could be selected */

			rc = blind ? c4w_timef_need_tables(ds, err) : look_into(&k, ds, &why);
			c4w_timef_close(ds);
			if (blind)
				return rc;
		}
		k.unsure |= rc != C4W_OK;
	}
	if (k.unsure)
		return C4W_OK;
	for (i = 0; i < s->nrecords; i++)
		if (!k.records[i]) {
			if (i) /* the names were compared with the first word */
				k.near_record = (struct c4w_timef_near){ s->records[i], SIZE_MAX, "" };
			return c4w_timef_near_fail(&k.near_record, "record", "c4w ls lists them", err);
		}
	for (i = 0; i < s->nspecs; i++)
		if (!k.specs[i]) {
			if (i)
				k.near_spec = (struct c4w_timef_near){ s->specs[i], SIZE_MAX, "" };
			return c4w_timef_near_fail(&k.near_spec, "spec", "c4w timef-inspect --schema lists them", err);
		}
	return C4W_OK;
}

static int compile(void *root, const struct c4w_selargs *args, void **selection, struct c4w_err *err)
{
	struct c4w_timef_root *r = root;
	struct c4w_timef_select *s = calloc(1, sizeof *s);
	struct c4w_view id, version;
	size_t i, k;
	void *mem;
	int rc = C4W_OK;

	if (!s)
		return c4w_fail_memory(err, sizeof *s);
	for (i = 0; i < 3 && rc == C4W_OK; i++) {
		rc = c4w_arena_zero(&s->arena, args->n + 1, sizeof(char *), &mem, err);
		*(i == 0 ? &s->datasets : i == 1 ? &s->records : &s->specs) = mem;
	}
	for (i = 0; i < args->n && rc == C4W_OK; i++) {
		const struct c4w_selarg *a = &args->v[i];
		const char *copy = c4w_arena_text(&s->arena, a->value, strlen(a->value));

		if (!copy) {
			rc = c4w_fail_memory(err, strlen(a->value));
		} else if (strcmp(a->name, "dataset") == 0) {
			s->datasets[s->ndatasets++] = copy;
			if (r->where != C4W_TF_REGISTRY)
				rc = c4w_fail(err, C4W_USAGE, "--dataset picks from a registry; '%s' is none", r->path);
			else
				rc = c4w_timef_ref_parse(copy, &id, &version, err);
			for (k = 0; rc == C4W_OK && k < r->nentries; k++)
				if (c4w_view_eqz(id, r->entries[k].id) && (version.n == 0 || c4w_view_eqz(version, r->entries[k].version)))
					break;
			if (rc == C4W_OK && k == r->nentries)
				rc = c4w_fail(err, C4W_USAGE, "the registry has no '%s'", copy);
		} else if (strcmp(a->name, "record") == 0) {
			s->records[s->nrecords++] = copy;
		} else {
			s->specs[s->nspecs++] = copy;
		}
	}
	if (rc == C4W_OK && (s->nrecords || s->nspecs))
		rc = check_words(r, s, &s->arena, err);
	if (rc != C4W_OK) {
		c4w_arena_clear(&s->arena);
		free(s);
		return rc;
	}
	*selection = s;
	return C4W_OK;
}

static void selection_free(void *p)
{
	struct c4w_timef_select *s = p;

	if (s)
		c4w_arena_clear(&s->arena);
	free(s);
}

bool c4w_timef_selects_version(const struct c4w_timef_select *s, const struct c4w_timef_entry *e, bool last)
{
	struct c4w_view id, version;
	size_t i;

	if (!s || !s->ndatasets)
		return last;
	for (i = 0; i < s->ndatasets; i++)
		if (c4w_timef_ref_parse(s->datasets[i], &id, &version, NULL) == C4W_OK && c4w_view_eqz(id, e->id) &&
		    (version.n ? c4w_view_eqz(version, e->version) : last))
			return true;
	return false;
}

bool c4w_timef_selects_series(const struct c4w_timef_select *s, const struct c4w_timef *ds, const struct c4w_timef_series *x)
{
	char uuid[40];
	struct c4w_view id;
	size_t i;
	bool yes = !s || !s->nrecords;

	for (i = 0; !yes && i < s->nrecords; i++) {
		id = c4w_timef_id_text(ds, C4W_TF_RECORD_ID, ds->records[x->record].id, uuid);
		yes = c4w_view_eqz(id, s->records[i]);
	}
	if (!yes || !s || !s->nspecs)
		return yes;
	for (i = 0; i < s->nspecs; i++)
		if (c4w_view_eqz(x->spec_type, s->specs[i]))
			return true;
	return false;
}

static int verify(void *root, const void *selection, enum c4w_level level, struct c4w_job *out, struct c4w_err *err)
{
	return c4w_timef_verify(root, selection, level, out, err);
}

static const struct c4w_seloption options[] = {
	{ "dataset", "ORG/NAME[@VERSION]", true, "only these data sets of a registry",
	  "Only these data sets of a registry. Without a version the highest one; without --dataset, the highest version of each.", NULL },
	{ "record", "ID", true, "only series of these records", "Only series of these records, by record_id. Shared series count with the first record that has them.", NULL },
	{ "spec", "SPEC_TYPE", true, "only series of these specs", "Only series of these specs, by spec_type.", NULL },
	{ 0 },
};

static const struct c4w_rule *const rules[] = { c4w_timef_rules, c4w_zarr_rules, NULL };

const struct c4w_family c4w_family_timef = {
	.name = "timef",
	.title = "TimeF data set",
	.rules = rules,
	.options = options,
	.probe = probe,
	.open = open_root,
	.close = close_root,
	.describe = describe,
	.compile = compile,
	.selection_free = selection_free,
	.verify = verify,
	.node = c4w_timef_node,
	.extract = c4w_timef_extract,
};
