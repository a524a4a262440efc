/* The verify job (formats/timef.md, 11 and 12). Basic is what the reference's verify() does, all of it rather than the first fault: the
 * manifest, then every listed file's presence, size and SHA-256, by path. Full adds the tables, what they name, and every value.
 *
 * Files are hashed by all workers together: who is asked for one helps until it is done (model/hasher.h). */
#include "base/limits.h"
#include "containers/pq.h"
#include "families/timef_check.h"
#include "families/timef_family.h"
#include "families/timef_impl.h"
#include "families/timef_values.h"
#include "model/hasher.h"

#include <stdatomic.h>

struct hfile {
	uint32_t file; /* in the manifest */
	bool twice;
};

/* One version that is being verified. Items hold it; the last one frees it. */
struct version {
	atomic_int refs;
	char *prefix; /* "org/name@1.0.0 " in a registry, else "" */
	struct c4w_timef *ds;
	struct c4w_findings manifest, tables[C4W_TF_KINDS];
	struct c4w_timef_check check;
	bool checked;
	struct hfile *files; /* by path */
	size_t nfiles, pulled;
	struct c4w_hasher *hasher;
};

enum kind { MANIFEST, FILE_, CONTROL, CHUNKS, TABLE, COUNTS, ARRAYS, TREE, GROUP, SERIES, SPEC, PHASES };

struct item {
	struct version *v;
	enum kind kind;
	size_t n, group;
	struct c4w_hash_file *hash;
	char text[600];
	struct c4w_item_field fields[1];
};

struct job {
	struct c4w_timef_root *root;
	const struct c4w_timef_select *sel;
	enum c4w_level level;
	struct version *v; /* being enumerated */
	size_t entry;      /* next of the root's entries */
	bool started;
	enum kind phase;
	size_t at, group;
};

struct worker {
	struct c4w_hash_blocks blocks;
	struct c4w_pq_worker *pq;
	struct c4w_timef_cursor *cursor;
};

/* ---- findings ---- */

static int to_findings(void *ctx, enum c4w_timef_severity severity, const char *item, const struct c4w_err *e)
{
	struct c4w_finding f = c4w_finding_of(e);
	char message[1400];

	f.severity = severity == C4W_TIMEF_ERROR ? C4W_SEV_ERROR : severity == C4W_TIMEF_WARNING ? C4W_SEV_WARNING : C4W_SEV_NOTE;
	snprintf(message, sizeof message, "%s%s%s%s%s", e->path[0] ? e->path : "", e->path[0] ? ": " : "", item && *item ? item : "",
		 item && *item ? ": " : "", e->message);
	f.message = message;
	c4w_findings_add(ctx, &f);
	return C4W_OK;
}

/* What the reference's opening and verify() pass over: errors of the full level only, so that the basic one gives its verdict. */
static bool full_only(const char *rule)
{
	static const char *const rules[] = { "manifest.repeated-key", "manifest.spec-conflict", "manifest.key-conflict", "manifest.value-type",
					     "manifest.counts", "manifest.value-shape-backend", "manifest.files-empty",
					     "manifest.empty", "manifest.text", "files.listed-twice" };
	size_t i;

	for (i = 0; rule && i < sizeof rules / sizeof *rules; i++)
		if (strcmp(rule, rules[i]) == 0)
			return true;
	return false;
}

static void manifest_findings(struct c4w_findings *to, const struct c4w_findings *from, enum c4w_level level)
{
	size_t i;

	for (i = 0; i < from->n; i++)
		if (level == C4W_LEVEL_FULL || !full_only(from->v[i].rule))
			c4w_findings_add(to, &from->v[i]);
	to->failed |= from->failed;
}

/* ---- a version ---- */

static void drop(struct version *v)
{
	size_t i;

	if (!v || atomic_fetch_sub(&v->refs, 1) > 1)
		return;
	if (v->checked)
		c4w_timef_check_clear(&v->check);
	c4w_timef_close(v->ds);
	c4w_findings_clear(&v->manifest);
	for (i = 0; i < C4W_TF_KINDS; i++)
		c4w_findings_clear(&v->tables[i]);
	c4w_hasher_free(v->hasher);
	free(v->files);
	free(v->prefix);
	free(v);
}

static int cmp_files(const void *a, const void *b, void *ctx)
{
	const struct c4w_timef_file *f = ctx;
	const struct c4w_timef_file *x = &f[((const struct hfile *)a)->file], *y = &f[((const struct hfile *)b)->file];
	int k = c4w_view_cmp(x->path, y->path);

	return k ? k : x < y ? -1 : x > y;
}

static int next_file(void *ctx, struct c4w_hash_file *out, bool *end, struct c4w_err *err)
{
	struct version *v = ctx;
	const struct c4w_timef_file *f;

	*end = v->pulled == v->nfiles;
	if (*end)
		return C4W_OK;
	f = &v->ds->m.files[v->files[v->pulled++].file];
	out->store = v->ds->store;
	out->sized = true;
	out->expected = f->size;
	out->path = strdup(f->z);
	return out->path ? C4W_OK : c4w_fail_memory(err, strlen(f->z) + 1);
}

static int list_files(struct version *v, struct c4w_err *err)
{
	const struct c4w_timef_manifest *m = &v->ds->m;
	struct c4w_hash_source source = { .ctx = v, .next = next_file };
	size_t i;

	v->files = calloc(m->nfiles + 1, sizeof *v->files);
	if (!v->files)
		return c4w_fail_memory(err, m->nfiles * sizeof *v->files);
	v->nfiles = m->nfiles;
	for (i = 0; i < m->nfiles; i++)
		v->files[i].file = (uint32_t)i;
	qsort_r(v->files, v->nfiles, sizeof *v->files, cmp_files, m->files);
	for (i = 1; i < v->nfiles; i++)
		v->files[i].twice = strcmp(m->files[v->files[i].file].z, m->files[v->files[i - 1].file].z) == 0;
	return c4w_hasher_new(&source, &v->hasher, err);
}

/* Load the tables, once, before the items that look at them. What is wrong while loading belongs to the table's item. */
static int load(struct version *v, struct c4w_err *err)
{
	struct c4w_timef *ds = v->ds;
	struct c4w_timef_sink sink = { .report = to_findings };

	v->checked = true;
	if (ds->m.format != 1) {
		sink.ctx = &v->tables[C4W_TF_SERIES];
		C4W_TRY(ds->m.zarr ? c4w_timef_shards_new(ds, err) : c4w_timef_load_shards(ds, &sink, err));
		return c4w_timef_check_new(ds, &v->check, err);
	}
	sink.ctx = &v->tables[C4W_TF_RECORDS];
	C4W_TRY(c4w_timef_open_parts(ds, &sink, err));
	C4W_TRY(c4w_timef_load_records(ds, NULL, &sink, err));
	sink.ctx = &v->tables[C4W_TF_ANNOTATIONS];
	C4W_TRY(c4w_timef_load_annotations(ds, &sink, err));
	sink.ctx = &v->tables[C4W_TF_INDEX];
	C4W_TRY(c4w_timef_load_index(ds, NULL, &sink, err));
	sink.ctx = &v->tables[C4W_TF_TASKS];
	C4W_TRY(c4w_timef_load_tasks(ds, &sink, err));
	return c4w_timef_check_new(ds, &v->check, err);
}

static int begin(struct job *j, const struct c4w_timef_entry *e, struct c4w_err *err)
{
	struct version *v = calloc(1, sizeof *v);
	struct c4w_timef_sink sink = { .report = to_findings };
	struct c4w_buf prefix = { 0 };
	struct c4w_err why = { 0 };
	int rc;

	if (!v)
		return c4w_fail_memory(err, sizeof *v);
	atomic_store(&v->refs, 1);
	drop(j->v);
	j->v = v;
	j->phase = MANIFEST;
	j->at = j->group = 0;
	if (e && j->root->where == C4W_TF_REGISTRY)
		c4w_buf_printf(&prefix, "%s@%s ", e->id, e->version);
	v->prefix = prefix.p ? prefix.p : strdup("");
	if (!v->prefix)
		return c4w_fail_memory(err, 1);
	sink.ctx = &v->manifest;
	rc = c4w_timef_root_open(j->root, e, &sink, &v->ds, &why);
	if (rc == C4W_MEMORY || rc == C4W_CANCELLED) {
		if (err)
			*err = why;
		return rc;
	}
	if (rc != C4W_OK) { /* nothing else can be looked at */
		if (rc != C4W_DAMAGED || !sink.errors)
			c4w_findings_add_err(&v->manifest, NULL, "manifest.json", &why);
		return C4W_OK;
	}
	if (e && j->root->where == C4W_TF_REGISTRY && v->ds->m.dataset_id.p && !c4w_view_eqz(v->ds->m.dataset_id, e->id))
		C4W_TRY(c4w_timef_fault(&sink, err, "manifest.directory", "manifest.json", NULL, e->id, NULL, "dataset_id differs from the directory's"));
	if (e && v->ds->m.version.p && !c4w_view_eqz(v->ds->m.version, e->version))
		C4W_TRY(c4w_timef_fault(&sink, err, "manifest.directory", "manifest.json", NULL, e->version, NULL, "dataset_version differs from the directory's"));
	return list_files(v, err);
}

/* ---- enumeration ---- */

static struct item *new_item(struct job *j, struct c4w_item *out, enum kind kind, const char *fmt, ...) C4W_PRINTF(4, 5);
static struct item *new_item(struct job *j, struct c4w_item *out, enum kind kind, const char *fmt, ...)
{
	struct item *it = calloc(1, sizeof *it);
	size_t n;
	va_list ap;

	if (!it)
		return NULL;
	it->v = j->v;
	atomic_fetch_add(&j->v->refs, 1);
	it->kind = kind;
	n = (size_t)snprintf(it->text, sizeof it->text, "%s", j->v->prefix);
	if (n < sizeof it->text) {
		va_start(ap, fmt);
		vsnprintf(it->text + n, sizeof it->text - n, fmt, ap);
		va_end(ap);
	}
	out->id.text = it->text;
	it->fields[0] = (struct c4w_item_field){ "component", NULL, 0, false };
	out->data = it;
	return it;
}

/* Is any row of the group of a selected series? Without a selection: yes. */
static bool wanted_group(const struct job *j, const char *path, size_t group)
{
	const struct version *v = j->v;
	size_t i;

	if (!j->sel || (!j->sel->nrecords && !j->sel->nspecs))
		return true;
	for (i = 0; i < v->check.nplaces; i++) {
		const struct c4w_timef_chunk *c = &v->ds->chunks[v->check.places[i].chunk];

		if (c->major == (int64_t)group && c4w_view_eqz(c->file, path) && v->check.places[i].series != UINT32_MAX &&
		    c4w_timef_selects_series(j->sel, v->ds, &v->ds->series[v->check.places[i].series]))
			return true;
	}
	return false;
}

/* The next item of the version, or *out empty when it is done. */
static int next_of_version(struct job *j, struct c4w_item *out, struct c4w_err *err)
{
	static const char *const tables[] = { "records", "annotations", "time_series_index", "tasks" };
	struct version *v = j->v;
	struct c4w_timef *ds = v->ds;
	struct item *it = NULL;
	char label[220];
	size_t g, c;

	for (;;) {
		switch (j->phase) {
		case MANIFEST:
			j->phase = ds ? FILE_ : PHASES;
			it = new_item(j, out, MANIFEST, "manifest.json");
			return it ? C4W_OK : c4w_fail_memory(err, sizeof *it);
		case FILE_:
			if (j->at < v->nfiles) {
				const struct c4w_timef_file *f = &ds->m.files[v->files[j->at].file];
				struct c4w_hash_file *hash;
				size_t one;

				C4W_TRY(c4w_hasher_next(v->hasher, &hash, 1, &one, err));
				it = new_item(j, out, FILE_, "%.*s", (int)f->path.n, f->path.p);
				if (!it) {
					c4w_hasher_release(v->hasher, hash);
					return c4w_fail_memory(err, sizeof *it);
				}
				it->n = j->at++;
				it->hash = hash;
				return C4W_OK;
			}
			j->at = 0;
			j->phase = j->level != C4W_LEVEL_FULL ? PHASES : ds->m.format == 1 ? TABLE : CONTROL;
			if (j->phase != PHASES)
				C4W_TRY(load(v, err));
			break;
		case CONTROL:
			j->phase = ds->m.zarr ? TREE : CHUNKS;
			it = new_item(j, out, CONTROL, "control");
			return it ? C4W_OK : c4w_fail_memory(err, sizeof *it);
		case CHUNKS:
			j->phase = TREE;
			it = new_item(j, out, CHUNKS, "chunks");
			return it ? C4W_OK : c4w_fail_memory(err, sizeof *it);
		case TABLE:
			if (j->at < 4) {
				it = new_item(j, out, TABLE, "%s", tables[j->at]);
				if (it)
					it->n = j->at++;
				return it ? C4W_OK : c4w_fail_memory(err, sizeof *it);
			}
			j->at = 0;
			j->phase = COUNTS;
			break;
		case COUNTS:
			j->phase = ARRAYS;
			it = new_item(j, out, COUNTS, "counts");
			return it ? C4W_OK : c4w_fail_memory(err, sizeof *it);
		case ARRAYS:
			j->phase = TREE;
			it = new_item(j, out, ARRAYS, "places");
			return it ? C4W_OK : c4w_fail_memory(err, sizeof *it);
		case TREE:
			j->phase = !ds->m.zarr ? GROUP : ds->m.format == 1 ? SERIES : SPEC;
			it = new_item(j, out, TREE, "directory");
			return it ? C4W_OK : c4w_fail_memory(err, sizeof *it);
		case GROUP:
			while (j->at < ds->m.kind_count[C4W_TF_SERIES]) {
				const char *path = ds->m.files[ds->m.kind_first[C4W_TF_SERIES] + j->at].z;
				struct c4w_err why = { 0 };
				struct c4w_pq *pq;

				if (c4w_timef_shard(ds, path, &pq, &why) != C4W_OK || j->group >= c4w_pq_groups(pq)) {
					bool broken = why.cls != C4W_OK;

					j->at++;
					j->group = 0;
					if (broken && why.cls != C4W_ABSENT) { /* an absent one is said by its file */
						it = new_item(j, out, GROUP, "%s", path);
						if (it) {
							it->n = j->at - 1;
							it->group = SIZE_MAX;
						}
						return it ? C4W_OK : c4w_fail_memory(err, sizeof *it);
					}
					continue;
				}
				g = j->group++;
				if (!wanted_group(j, path, g))
					continue;
				it = new_item(j, out, GROUP, "%s row group %zu", path, g);
				if (!it)
					return c4w_fail_memory(err, sizeof *it);
				it->n = j->at;
				it->group = g;
				for (c = 0; c < c4w_pq_columns(pq); c++)
					out->cost += c4w_pq_cost(pq, g, c);
				return C4W_OK;
			}
			j->at = 0;
			j->phase = ds->m.format == 1 ? PHASES : SERIES;
			break;
		case SERIES:
			while (j->at < ds->nseries) {
				const struct c4w_timef_series *s = &ds->series[j->at++];

				if (!ds->m.zarr && s->axis != C4W_TF_IRREGULAR) /* format 2: the row groups have said all but the offsets' order */
					continue;

				/* a shared series once; what the tables' checks refuse is not read */
				if (c4w_timef_map_get(&v->check.series, s->id) != (long)(s - ds->series) || s->spec < 0 || !s->has_n || s->n_values < 1 ||
				    (j->sel && !c4w_timef_selects_series(j->sel, ds, s)))
					continue;
				it = new_item(j, out, SERIES, "%s", c4w_timef_label(ds, "series", C4W_TF_SERIES_ID, s->id, label, sizeof label));
				if (!it)
					return c4w_fail_memory(err, sizeof *it);
				it->n = (size_t)(s - ds->series);
				out->cost = c4w_timef_cost(ds, s);
				return C4W_OK;
			}
			j->phase = PHASES;
			break;
		case SPEC:
			if (j->at < ds->m.nspecs) {
				const struct c4w_timef_spec *s = &ds->m.specs[j->at];

				it = new_item(j, out, SPEC, "spec %.*s", (int)s->spec_type.n, s->spec_type.p);
				if (it)
					it->n = j->at++;
				return it ? C4W_OK : c4w_fail_memory(err, sizeof *it);
			}
			j->phase = PHASES;
			break;
		default:
			out->data = NULL;
			return C4W_OK;
		}
	}
}

static int next(void *ctx, struct c4w_item *out, bool *end, struct c4w_err *err)
{
	struct job *j = ctx;
	struct c4w_timef_root *r = j->root;

	for (;;) {
		if (j->v) {
			C4W_TRY(next_of_version(j, out, err));
			if (out->data)
				return C4W_OK;
		}
		if (r->where == C4W_TF_VERSION) {
			if (j->started) {
				*end = true;
				return C4W_OK;
			}
			j->started = true;
			C4W_TRY(begin(j, NULL, err));
			continue;
		}
		for (; j->entry < r->nentries; j->entry++) {
			const struct c4w_timef_entry *e = &r->entries[j->entry];
			bool last = j->entry + 1 == r->nentries || strcmp(e->id, e[1].id) != 0;

			if (c4w_timef_selects_version(j->sel, e, last))
				break;
		}
		if (j->entry == r->nentries) {
			*end = true;
			return C4W_OK;
		}
		C4W_TRY(begin(j, &r->entries[j->entry++], err));
	}
}

/* ---- files ---- */

static void check_file(const struct item *it, struct c4w_worker *cw, bool full, struct c4w_result *result)
{
	struct c4w_timef_sink sink = { .report = to_findings, .ctx = &result->findings };
	const struct hfile *listed = &it->v->files[it->n];
	const struct c4w_timef_file *m = &it->v->ds->m.files[listed->file];
	const struct c4w_hash_file *f = it->hash;
	struct worker *w = cw->user;
	struct c4w_finding missing = { 0 };
	char expected[40], found[40], hex[72];
	int rc = C4W_OK;

	c4w_hasher_wait(it->v->hasher, it->hash, &w->blocks, cw->cancel);
	result->bytes += f->bytes;
	if (listed->twice && full)
		rc = c4w_timef_fault(&sink, NULL, "files.listed-twice", m->z, NULL, NULL, NULL, "the file is listed twice");
	if (f->cls == C4W_ABSENT) {
		missing.severity = C4W_SEV_ERROR;
		missing.state = C4W_STATE_MISSING;
		missing.rule = "files.missing";
		missing.path = m->z;
		missing.offset = -1;
		missing.message = "a listed file is not there";
		missing.count = 1;
		c4w_findings_add(&result->findings, &missing);
	} else if (f->cls == C4W_USAGE) {
		rc = c4w_timef_fault(&sink, NULL, "files.not-a-file", m->z, NULL, NULL, NULL, "what is listed as a file is something else");
	} else if (f->cls != C4W_OK) {
		if (f->err)
			c4w_findings_add_err(&result->findings, NULL, m->z, f->err);
		else
			result->findings.failed = true;
	} else if (f->size != m->size) {
		snprintf(expected, sizeof expected, "%llu", (unsigned long long)m->size);
		snprintf(found, sizeof found, "%llu", (unsigned long long)f->size);
		rc = c4w_timef_fault(&sink, NULL, "files.size", m->z, NULL, expected, found, "the file has another size than the manifest says");
	} else {
		char said[100];

		snprintf(hex, sizeof hex, "sha256:");
		c4w_hex(hex + 7, f->digest, 32);
		if (!c4w_view_eqz(m->checksum, hex))
			rc = c4w_timef_fault(&sink, NULL, "files.checksum", m->z, NULL, c4w_str_escape(said, sizeof said, m->checksum.p, m->checksum.n), hex,
					     "the file has another SHA-256 than the manifest says");
	}
	(void)rc; /* the sink always goes on */
}

/* ---- work ---- */

static int table(struct version *v, size_t n, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	static const enum c4w_timef_kind kinds[] = { C4W_TF_RECORDS, C4W_TF_ANNOTATIONS, C4W_TF_INDEX, C4W_TF_TASKS };

	c4w_findings_append(sink->ctx, &v->tables[kinds[n]]);
	C4W_TRY(c4w_timef_check_parts(&v->check, kinds[n], sink, err));
	switch (kinds[n]) {
	case C4W_TF_RECORDS:
		return c4w_timef_check_records(&v->check, sink, err);
	case C4W_TF_ANNOTATIONS:
		return c4w_timef_check_annotations(&v->check, sink, err);
	case C4W_TF_INDEX:
		return c4w_timef_check_index(&v->check, sink, err);
	default:
		return c4w_timef_check_tasks(&v->check, sink, err);
	}
}

/* A cursor is made for one data set; a registry has several. */
static int cursor_for(struct worker *w, struct c4w_timef *ds, struct c4w_err *err)
{
	if (w->cursor && c4w_timef_cursor_ds(w->cursor) == ds)
		return C4W_OK;
	c4w_timef_cursor_free(w->cursor);
	w->cursor = NULL;
	return c4w_timef_cursor_new(ds, &w->cursor, err);
}

static void work(void *ctx, struct c4w_worker *cw, struct c4w_item *item, struct c4w_result *result)
{
	struct c4w_timef_sink sink = { .report = to_findings, .ctx = &result->findings };
	struct item *it = item->data;
	struct version *v = it->v;
	struct worker *w = cw->user;
	struct c4w_err err = { 0 };
	const char *path;
	int rc = C4W_OK;

	switch (it->kind) {
	case MANIFEST:
		manifest_findings(&result->findings, &v->manifest, ((struct job *)ctx)->level);
		break;
	case FILE_:
		check_file(it, cw, ((struct job *)ctx)->level == C4W_LEVEL_FULL, result);
		break;
	case CONTROL:
		rc = c4w_timef_check_control(&v->check, &sink, &err);
		break;
	case CHUNKS:
		c4w_findings_append(&result->findings, &v->tables[C4W_TF_SERIES]);
		rc = c4w_timef_check_chunks(&v->check, &sink, &err);
		break;
	case SPEC:
		rc = c4w_timef_check_spec_arrays(&v->check, it->n, &sink, &result->bytes, &err);
		break;
	case TABLE:
		rc = table(v, it->n, &sink, &err);
		break;
	case COUNTS:
		rc = c4w_timef_check_counts(&v->check, &sink, &err);
		break;
	case ARRAYS:
		rc = c4w_timef_check_arrays(&v->check, &sink, &err);
		break;
	case TREE:
		rc = c4w_timef_check_tree(&v->check, &sink, &err);
		break;
	case GROUP:
		path = v->ds->m.files[v->ds->m.kind_first[C4W_TF_SERIES] + it->n].z;
		if (!w->pq)
			rc = c4w_pq_worker_new(&w->pq, &err);
		if (rc == C4W_OK && it->group == SIZE_MAX) {
			struct c4w_pq *pq;

			rc = c4w_timef_shard(v->ds, path, &pq, &err);
			if (rc == C4W_OK) /* it is there after all */
				rc = c4w_fail(&err, C4W_IO, "the shard could not be read a moment ago");
			rc = c4w_timef_pass(&sink, &err, path, NULL);
		} else if (rc == C4W_OK) {
			rc = c4w_timef_check_group(&v->check, path, it->group, w->pq, &cw->arena, &sink, &result->bytes, &err);
			if (rc == C4W_OK && it->group == 0) {
				struct c4w_pq *pq;

				rc = c4w_timef_shard(v->ds, path, &pq, &err);
				if (rc == C4W_OK)
					rc = c4w_timef_check_shard_columns(pq, path, &sink, &err);
			}
		}
		break;
	case SERIES:
		rc = cursor_for(w, v->ds, &err);
		if (rc == C4W_OK)
			rc = c4w_timef_check_series(&v->check, w->cursor, &v->ds->series[it->n], &sink, &result->bytes, &err);
		break;
	default:
		break;
	}
	if (rc != C4W_OK)
		c4w_findings_add_err(&result->findings, NULL, NULL, &err);
}

static void release(void *ctx, struct c4w_item *item, struct c4w_result *result)
{
	struct item *it = item->data;

	(void)ctx;
	(void)result;
	if (!it)
		return;
	if (it->hash)
		c4w_hasher_release(it->v->hasher, it->hash);
	drop(it->v);
	free(it);
}

static int worker_new(void *ctx, void **out, struct c4w_err *err)
{
	(void)ctx;
	*out = calloc(1, sizeof(struct worker));
	return *out ? C4W_OK : c4w_fail_memory(err, sizeof(struct worker));
}

static void worker_free(void *ctx, void *p)
{
	struct worker *w = p;

	(void)ctx;
	if (!w)
		return;
	c4w_pq_worker_free(w->pq);
	c4w_timef_cursor_free(w->cursor);
	free(w);
}

static void destroy(void *ctx)
{
	struct job *j = ctx;

	drop(j->v);
	free(j);
}

int c4w_timef_verify(struct c4w_timef_root *r, const struct c4w_timef_select *sel, enum c4w_level level, struct c4w_job *out, struct c4w_err *err)
{
	struct job *j = calloc(1, sizeof *j);

	if (!j)
		return c4w_fail_memory(err, sizeof *j);
	j->root = r;
	j->sel = sel;
	j->level = level;
	*out = (struct c4w_job){ .ctx = j, .next = next, .work = work, .release = release, .worker_new = worker_new,
				 .worker_free = worker_free, .destroy = destroy };
	return C4W_OK;
}
