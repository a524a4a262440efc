/* Checks of format 2 (formats/timef.md, 14): what the values files and the manifest say by themselves. Records, axes, annotations, tasks and the
 * chunk locators are in control.duckdb, which is not read; a note says so. */
#include "families/timef_check.h"

#include "containers/zarr.h"
#include "families/timef_impl.h"

#define SAY(rule, expected, found, ...) C4W_TRY(c4w_timef_fault(sink, err, rule, path, label, expected, found, __VA_ARGS__))

/* 8 bytes of checksum, then DUCK. */
int c4w_timef_check_control(const struct c4w_timef_check *k, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	const struct c4w_timef_manifest *m = &k->ds->m;
	const char *path, *label = NULL;
	size_t i;

	for (i = 0; i < m->kind_count[C4W_TF_CONTROL]; i++) {
		struct c4w_blob *b;
		uint8_t front[12];

		path = m->files[m->kind_first[C4W_TF_CONTROL] + i].z;
		if (c4w_store_open(k->ds->store, path, &b, NULL) != C4W_OK) /* said of the file */
			continue;
		if (c4w_blob_size(b) < sizeof front || c4w_blob_read_at(b, 0, sizeof front, front, NULL) != C4W_OK || memcmp(front + 8, "DUCK", 4) != 0)
			SAY("control.magic", "DUCK at byte 8", NULL, "the file is no DuckDB database");
		c4w_blob_close(b);
	}
	path = NULL;
	SAY("control.unread", NULL, NULL, m->zarr ? "records, axes, annotations, tasks and where the series of an array begin are in a DuckDB database that is not read" :
						    "records, axes, annotations and tasks are in a DuckDB database that is not read");
	return C4W_OK;
}

/* ---- Parquet ---- */

static int check_chunk(const struct c4w_timef *ds, const struct c4w_timef_chunk *c, const char *path, const char *label, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	if (!c->series.n || !c->spec_type.n || !c->signal.n || !c->has_idx || !c->has_n)
		SAY("shard.null", NULL, NULL, "row group %lld, row %lld: time_series_id, spec_type, signal, chunk_idx or n_values is null or empty",
		    (long long)c->major, (long long)c->minor);
	else if ((!ds->uuid[C4W_TF_SERIES_ID] && !c4w_utf8_valid(c->series.p, c->series.n)) || !c4w_utf8_valid(c->spec_type.p, c->spec_type.n) ||
		 !c4w_utf8_valid(c->signal.p, c->signal.n))
		SAY("table.utf8", NULL, NULL, "row group %lld, row %lld: time_series_id, spec_type or signal is not UTF-8", (long long)c->major, (long long)c->minor);
	else if (c->n_values < 1)
		SAY("axis.n-values", NULL, NULL, "row group %lld, row %lld: a chunk without steps", (long long)c->major, (long long)c->minor);
	return C4W_OK;
}

/* The chunks of one series, by chunk_idx. */
static int check_chunks(const struct c4w_timef *ds, const struct c4w_timef_chunk *c, size_t n, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	bool repeat = false, gap = false, names = false, offsets = false;
	char path[1024], label[200];
	size_t i;

	c4w_timef_label(ds, "series", C4W_TF_SERIES_ID, c->series, label, sizeof label);
	for (i = 0; i < n; i++) {
		snprintf(path, sizeof path, "%.*s", (int)c[i].file.n, c[i].file.p);
		C4W_TRY(check_chunk(ds, &c[i], path, label, sink, err));
		names |= !c4w_view_eq(c[i].spec_type, c->spec_type) || !c4w_view_eq(c[i].signal, c->signal);
		offsets |= c[i].row != c->row;
		repeat |= i > 0 && c[i].idx == c[i - 1].idx;
		gap |= i > 0 ? c[i].idx > c[i - 1].idx + 1 : c[i].idx != 0;
	}
	snprintf(path, sizeof path, "%.*s", (int)c->file.n, c->file.p);
	if (names)
		SAY("shard.series-differs", NULL, NULL, "the chunks of one series have different spec_types or signals");
	if (offsets)
		SAY("shard.offsets-missing", NULL, NULL, "some chunks of a series have time offsets, others none");
	if (repeat)
		SAY("index.chunk-repeated", NULL, NULL, "a chunk_idx stands twice");
	if (gap)
		SAY("index.chunk-gap", NULL, NULL, "chunk_idx leaves numbers out");
	return C4W_OK;
}

static int check_count(const struct c4w_timef *ds, uint32_t counts, struct c4w_view name, const char *rule, uint64_t real, struct c4w_timef_sink *sink,
		       struct c4w_err *err)
{
	char shown[160];

	if (counts == C4W_JSON_NONE)
		return C4W_OK;
	c4w_str_escape(shown, sizeof shown, name.p, name.n);
	return c4w_timef_count_is(ds, c4w_json_member_view(&ds->m.doc, counts, name), rule, shown, real, sink, err);
}

int c4w_timef_check_chunks(const struct c4w_timef_check *k, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	const struct c4w_timef *ds = k->ds;
	uint32_t counts = ds->m.counts, by_spec = counts == C4W_JSON_NONE ? C4W_JSON_NONE : c4w_json_member(&ds->m.doc, counts, "signals_by_spec");
	size_t i, j;

	for (i = 0; i < ds->nchunks; i = j) {
		for (j = i + 1; j < ds->nchunks && c4w_view_eq(ds->chunks[j].series, ds->chunks[i].series); j++)
			;
		C4W_TRY(check_chunks(ds, &ds->chunks[i], j - i, sink, err));
	}
	C4W_TRY(check_count(ds, counts, C4W_VIEW("signal_chunks"), "counts.chunks", ds->nchunks, sink, err));
	C4W_TRY(check_count(ds, counts, C4W_VIEW("signals"), "counts.signals", ds->nseries, sink, err));
	for (i = 0; i < ds->m.nspecs; i++) {
		uint64_t n = 0;

		if (c4w_timef_spec_find(&ds->m, ds->m.specs[i].spec_type) != (long)i)
			continue;
		for (j = 0; j < ds->nseries; j++)
			n += ds->series[j].spec == (int32_t)i;
		C4W_TRY(check_count(ds, by_spec, ds->m.specs[i].spec_type, "counts.specs", n, sink, err));
	}
	return C4W_OK;
}

/* ---- Zarr ---- */

/* Every chunk that a listed file of the array stores. What is absent is stepped over: nothing but the shape says how much that is. */
static int read_all(const struct c4w_timef *ds, struct c4w_zarr *z, struct c4w_zarr_cursor *c, uint64_t *bytes, struct c4w_err *err)
{
	const struct c4w_zarr_meta *m = c4w_zarr_meta(z);
	size_t n = strlen(c4w_zarr_path(z)), i;
	struct c4w_zarr_run run;
	char name[1200];

	for (i = 0; i < ds->m.kind_count[C4W_TF_SERIES]; i++) {
		const char *file = ds->m.files[ds->m.kind_first[C4W_TF_SERIES] + i].z;
		uint64_t nth, at, end;
		struct c4w_stat st;

		if (strncmp(file, c4w_zarr_path(z), n) != 0 || file[n] != '/' || file[n + 1] != 'c' || file[n + 2] != m->separator)
			continue;
		nth = strtoull(file + n + 3, NULL, 10);
		if (nth >= c4w_zarr_files(z))
			continue;
		c4w_zarr_file_path(z, nth, name, sizeof name);
		if (strcmp(name, file) != 0 || c4w_store_stat(ds->store, file, &st, NULL) != C4W_OK || st.kind != C4W_KIND_FILE)
			continue;
		end = nth * m->stored[0] + m->stored[0];
		for (at = nth * m->stored[0]; at < end && at < m->shape[0];) {
			C4W_TRY(c4w_zarr_lend(z, c, at, end < m->shape[0] ? end : m->shape[0], &run, err));
			at = run.absent ? (at / m->inner[0] + 1) * m->inner[0] : at + run.steps;
			*bytes += run.absent ? 0 : run.steps * m->step;
		}
	}
	return C4W_OK;
}

static int pass(struct c4w_timef_sink *sink, struct c4w_err *why, struct c4w_err *err)
{
	int rc = c4w_timef_pass(sink, why, NULL, NULL);

	if (rc != C4W_OK && err)
		*err = *why;
	return rc;
}

/* One plane of a partition, if it is listed. *length is of the values. */
static int check_plane(struct c4w_timef *ds, size_t spec, bool irregular, int plane, uint64_t *length, struct c4w_timef_sink *sink, uint64_t *bytes,
		       struct c4w_err *err)
{
	struct c4w_zarr_cursor *c = NULL;
	struct c4w_err why = { 0 };
	char path[1100], a[40], b[40];
	const char *label = NULL;
	struct c4w_zarr *z;
	int rc;

	rc = c4w_timef_array(ds, (int32_t)spec, irregular, plane, &z, &why);
	if (rc != C4W_OK)
		return pass(sink, &why, err);
	snprintf(path, sizeof path, "%s", c4w_zarr_path(z));
	if (plane == C4W_TF_P_VALUES)
		*length = c4w_zarr_meta(z)->shape[0];
	if (c4w_zarr_meta(z)->shape[0] != *length) {
		snprintf(a, sizeof a, "%llu", (unsigned long long)*length);
		snprintf(b, sizeof b, "%llu", (unsigned long long)c4w_zarr_meta(z)->shape[0]);
		SAY("array.length", a, b, "values, offsets and validity have different lengths");
	}
	rc = c4w_zarr_cursor_new(&c, &why);
	if (rc == C4W_OK)
		rc = read_all(ds, z, c, bytes, &why);
	c4w_zarr_cursor_free(c);
	return rc == C4W_OK ? C4W_OK : pass(sink, &why, err);
}

int c4w_timef_check_spec_arrays(const struct c4w_timef_check *k, size_t spec, struct c4w_timef_sink *sink, uint64_t *bytes, struct c4w_err *err)
{
	struct c4w_timef *ds = k->ds;
	const struct c4w_timef_spec *s = &ds->m.specs[spec];
	char path[1024], json[1040];
	uint64_t length;
	int irregular;

	if (c4w_timef_spec_find(&ds->m, s->spec_type) != (long)spec)
		return C4W_OK;
	for (irregular = 0; irregular < 2; irregular++) {
		if (c4w_timef_zarr_path(s->spec_type, irregular, C4W_TF_P_VALUES, path, sizeof path) >= sizeof path)
			continue;
		snprintf(json, sizeof json, "%s/zarr.json", path);
		if (!c4w_timef_listed(ds, json)) /* no series of that kind */
			continue;
		length = 0;
		C4W_TRY(check_plane(ds, spec, irregular, C4W_TF_P_VALUES, &length, sink, bytes, err));
		if (irregular)
			C4W_TRY(check_plane(ds, spec, irregular, C4W_TF_P_OFFSETS, &length, sink, bytes, err));
		if (s->nullable)
			C4W_TRY(check_plane(ds, spec, irregular, C4W_TF_P_VALIDITY, &length, sink, bytes, err));
	}
	return C4W_OK;
}
