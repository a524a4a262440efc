/* Checks of the values (formats/timef.md, 8 and 10), and of what lies in the directory. */
#include "families/timef_check.h"

#include "containers/pq.h"
#include "containers/zarr.h"
#include "families/timef_impl.h"
#include "families/timef_values.h"

#define SAY(rule, expected, found, ...) C4W_TRY(c4w_timef_fault(sink, err, rule, path, label, expected, found, __VA_ARGS__))

static int pass(struct c4w_timef_sink *sink, struct c4w_err *why, const char *path, struct c4w_err *err)
{
	int rc = c4w_timef_pass(sink, why, path, NULL);

	if (rc != C4W_OK && err)
		*err = *why;
	return rc;
}

/* ---- Parquet ---- */

struct group {
	const struct c4w_timef_check *k;
	const char *path;
	size_t number;
	struct c4w_batch id, spec, signal, idx, n, values, times;
	const struct c4w_timef_spec *of; /* whose values these are, or NULL */
	int32_t *codes;                  /* of a dictionary's labels */
	struct c4w_timef_sink *sink;
	struct c4w_err *err;
};

static int cmp_place_key(const struct c4w_timef_chunk *c, const char *path, int64_t major, int64_t minor)
{
	struct c4w_view file = c->file;
	int k;

	k = c4w_view_cmp(file, c4w_view_z(path));
	if (k)
		return k;
	if (c->major != major)
		return c->major < major ? -1 : 1;
	return c->minor < minor ? -1 : c->minor > minor;
}

/* The index's first row for a place of a shard, or NULL. Paths with "./" in the index are looked for too. */
static const struct c4w_timef_place *find_place(const struct c4w_timef_check *k, const char *path, int64_t major, int64_t minor)
{
	char dotted[1024];
	int dot;

	for (dot = 0; dot < 2; dot++) {
		size_t lo = 0, hi = k->nplaces, mid;

		if (dot)
			snprintf(dotted, sizeof dotted, "./%s", path);
		while (lo < hi) {
			mid = lo + (hi - lo) / 2;
			if (cmp_place_key(&k->ds->chunks[k->places[mid].chunk], dot ? dotted : path, major, minor) < 0)
				lo = mid + 1;
			else
				hi = mid;
		}
		if (lo < k->nplaces && cmp_place_key(&k->ds->chunks[k->places[lo].chunk], dot ? dotted : path, major, minor) == 0)
			return &k->places[lo];
	}
	return NULL;
}

static int check_same(struct group *g, size_t row, struct c4w_view got, struct c4w_view want, const char *column, const char *label)
{
	const char *path = g->path;
	struct c4w_timef_sink *sink = g->sink;
	struct c4w_err *err = g->err;
	char a[100], b[100];

	if (got.p && want.p && c4w_view_eq(got, want))
		return C4W_OK;
	SAY("shard.row", c4w_str_escape(a, sizeof a, want.p ? want.p : "null", want.p ? want.n : 4),
	    c4w_str_escape(b, sizeof b, got.p ? got.p : "null", got.p ? got.n : 4), "row group %zu, row %zu: %s differs from the index", g->number, row, column);
	return C4W_OK;
}

static int check_int(struct group *g, size_t row, const struct c4w_batch *b, int64_t want, const char *column, const char *label)
{
	char x[24], y[24];
	struct c4w_view got = { NULL, 0 };

	snprintf(x, sizeof x, "%lld", (long long)want);
	if (row < b->n && c4w_batch_valid(b, row)) {
		snprintf(y, sizeof y, "%d", ((const int32_t *)b->values)[row]);
		got = c4w_view_z(y);
	}
	return check_same(g, row, got, c4w_view_z(x), column, label);
}

static int check_labels(struct group *g, size_t row, size_t from, size_t to, const char *label)
{
	const char *path = g->path;
	struct c4w_timef_sink *sink = g->sink;
	struct c4w_err *err = g->err;
	char text[100];
	size_t i, n;

	for (i = from; i < to; i++) {
		const uint8_t *p;

		if (!c4w_batch_valid(&g->values, i) || g->codes[g->values.indices ? g->values.indices[i] : i] >= 0)
			continue;
		p = c4w_batch_bytes(&g->values, i, &n);
		SAY("values.category", "a category of the spec", c4w_str_escape(text, sizeof text, (const char *)p, n), "row group %zu, row %zu: an unknown label",
		    g->number, row);
		break;
	}
	return C4W_OK;
}

/* Offsets of one chunk: present where needed, as many as values, never decreasing, ends as the record says. */
static int check_times(struct group *g, size_t row, const struct c4w_timef_place *at, const struct c4w_timef_series *s, size_t steps, const char *label)
{
	const struct c4w_batch *b = &g->times;
	const char *path = g->path;
	struct c4w_timef_sink *sink = g->sink;
	struct c4w_err *err = g->err;
	const int64_t *t;
	bool there = b->nlists == 1 && row < b->lists[0].n && c4w_bit(b->lists[0].validity, row), down = false;
	char expected[40], found[40];
	size_t from, to, i;

	if (s->axis != C4W_TF_IRREGULAR) {
		if (there)
			SAY("shard.offsets-stray", NULL, NULL, "row group %zu, row %zu: time offsets of a series that isn't irregular", g->number, row);
		return C4W_OK;
	}
	if (!there) {
		SAY("shard.offsets-missing", NULL, NULL, "row group %zu, row %zu: an irregular series has a chunk without time offsets", g->number, row);
		return C4W_OK;
	}
	from = (size_t)b->lists[0].offsets[row];
	to = (size_t)b->lists[0].offsets[row + 1];
	if (to - from != steps) {
		snprintf(expected, sizeof expected, "%zu", steps);
		snprintf(found, sizeof found, "%zu", to - from);
		SAY("shard.offsets-length", expected, found, "row group %zu, row %zu: another number of time offsets than of values", g->number, row);
		return C4W_OK;
	}
	for (i = from; i < to; i++)
		if (!c4w_batch_valid(b, i)) {
			SAY("shard.offsets-null", NULL, NULL, "row group %zu, row %zu: a time offset is null", g->number, row);
			return C4W_OK;
		}
	if (from == to)
		return C4W_OK;
	t = (const int64_t *)b->values + from;
	for (i = 1; i < to - from; i++)
		down |= t[i] < t[i - 1];
	/* the chunk before, when it is the row above: where others begin is checked through the ends */
	if (at->nth > 0 && row > 0 && from > 0) {
		const struct c4w_timef_place *before = find_place(g->k, g->path, (int64_t)g->number, (int64_t)row - 1);

		if (before && before->series == at->series && before->nth + 1 == at->nth && t[-1] > t[0])
			down = true;
	}
	if (down)
		SAY("values.offsets-decrease", NULL, NULL, "row group %zu, row %zu: time offsets decrease", g->number, row);
	if (g->k->ds->m.format != 1) /* the ends are in the database */
		return C4W_OK;
	if (at->nth == 0 && t[0] != s->first) {
		snprintf(expected, sizeof expected, "%lld", (long long)s->first);
		snprintf(found, sizeof found, "%lld", (long long)t[0]);
		SAY("values.offsets-ends", expected, found, "the first time offset is not the record's");
	}
	if (at->nth + 1 == at->of && t[to - from - 1] != s->last) {
		snprintf(expected, sizeof expected, "%lld", (long long)s->last);
		snprintf(found, sizeof found, "%lld", (long long)t[to - from - 1]);
		SAY("values.offsets-ends", expected, found, "the last time offset is not the record's");
	}
	if (t[0] < s->first || t[to - from - 1] > s->last)
		SAY("values.offsets-range", NULL, NULL, "row group %zu, row %zu: time offsets outside first and last of the record", g->number, row);
	return C4W_OK;
}

static int check_row(struct group *g, size_t row)
{
	const struct c4w_timef *ds = g->k->ds;
	const struct c4w_timef_place *at = find_place(g->k, g->path, (int64_t)g->number, (int64_t)row);
	const struct c4w_batch *v = &g->values;
	struct c4w_timef_sink *sink = g->sink;
	struct c4w_err *err = g->err;
	const struct c4w_timef_chunk *c;
	const struct c4w_timef_series *s;
	struct c4w_view id = c4w_batch_view(&g->id, row), want;
	char label[200], expected[40], found[40], ua[40], ub[40];
	const char *path = g->path;
	size_t from, to, i, nulls = 0;

	c4w_timef_label(ds, "series", C4W_TF_SERIES_ID, id, label, sizeof label);
	if (!at) {
		SAY("shard.row-unused", NULL, NULL, "row group %zu, row %zu: a chunk that the index doesn't name", g->number, row);
		return C4W_OK;
	}
	c = &ds->chunks[at->chunk];
	s = at->series == UINT32_MAX ? NULL : &ds->series[at->series];
	want = c->series;
	if (!id.p || !c4w_view_eq(id, want))
		C4W_TRY(check_same(g, row, id.p ? c4w_timef_id_text(ds, C4W_TF_SERIES_ID, id, ua) : id,
				   want.p ? c4w_timef_id_text(ds, C4W_TF_SERIES_ID, want, ub) : want, "time_series_id", label));
	C4W_TRY(check_same(g, row, c4w_batch_view(&g->spec, row), c->spec_type, "spec_type", label));
	C4W_TRY(check_same(g, row, c4w_batch_view(&g->signal, row), c->signal, "signal", label));
	C4W_TRY(check_int(g, row, &g->idx, c->idx, "chunk_idx", label));
	C4W_TRY(check_int(g, row, &g->n, c->n_values, "n_values", label));
	if (v->nlists != 1 || row >= v->lists[0].n || !c4w_bit(v->lists[0].validity, row)) {
		SAY("shard.values-null", NULL, NULL, "row group %zu, row %zu: the values are null", g->number, row);
		return C4W_OK;
	}
	from = (size_t)v->lists[0].offsets[row];
	to = (size_t)v->lists[0].offsets[row + 1];
	if (to - from != (uint64_t)c->n_values) {
		snprintf(expected, sizeof expected, "%lld", (long long)c->n_values);
		snprintf(found, sizeof found, "%zu", to - from);
		SAY("shard.length", expected, found, "row group %zu, row %zu: another number of values than the index says", g->number, row);
	}
	if (v->nulls && g->of && !g->of->nullable) {
		for (i = from; i < to; i++)
			nulls += !c4w_bit(v->validity, i);
		if (nulls)
			SAY("values.null", NULL, NULL, "row group %zu, row %zu: %zu missing steps of a spec that isn't nullable", g->number, row, nulls);
	}
	if (g->codes)
		C4W_TRY(check_labels(g, row, from, to, label));
	return s ? check_times(g, row, at, s, to - from, label) : C4W_OK;
}

int c4w_timef_check_group(const struct c4w_timef_check *k, const char *path, size_t number, struct c4w_pq_worker *w, struct c4w_arena *arena,
			  struct c4w_timef_sink *sink, uint64_t *bytes, struct c4w_err *err)
{
	struct group g = { .k = k, .path = path, .number = number, .sink = sink, .err = err };
	static const struct {
		const char *name;
		enum c4w_pq_type type;
		size_t at;
	} columns[] = {
		{ "time_series_id", C4W_PQ_BYTE_ARRAY, offsetof(struct group, id) }, { "spec_type", C4W_PQ_BYTE_ARRAY, offsetof(struct group, spec) },
		{ "signal", C4W_PQ_BYTE_ARRAY, offsetof(struct group, signal) },     { "chunk_idx", C4W_PQ_INT32, offsetof(struct group, idx) },
		{ "n_values", C4W_PQ_INT32, offsetof(struct group, n) },
	};
	struct c4w_pq_opts opts = { 0 };
	struct c4w_err why = { 0 };
	size_t i, c, vcol, tcol, n;
	struct c4w_pq *pq;
	void *mem;
	int rc;
	long spec;

	rc = c4w_timef_shard(k->ds, path, &pq, &why);
	if (rc != C4W_OK)
		return pass(sink, &why, path, err);
	for (i = 0; i < sizeof columns / sizeof *columns && rc == C4W_OK; i++) {
		rc = c4w_pq_column(pq, columns[i].name, &c, &why);
		if (rc == C4W_UNKNOWN)
			return c4w_timef_fault(sink, err, "table.column-missing", path, NULL, columns[i].name, "absent", "a column is missing");
		if (rc == C4W_OK && c4w_pq_leaf(pq, c)->type != columns[i].type &&
		    !(i == 0 && c4w_pq_leaf(pq, c)->type == C4W_PQ_FIXED && c4w_pq_leaf(pq, c)->type_length == 16))
			return c4w_timef_fault(sink, err, "table.column-type", path, NULL, NULL, NULL, "column '%s' has another type", columns[i].name);
		if (rc == C4W_OK)
			rc = c4w_pq_read(pq, number, c, &opts, w, arena, (struct c4w_batch *)(void *)((char *)&g + columns[i].at), &why);
	}
	if (rc != C4W_OK)
		return pass(sink, &why, path, err);
	spec = g.spec.n ? c4w_timef_spec_find(&k->ds->m, c4w_batch_view(&g.spec, 0)) : -1;
	if (spec < 0)
		return c4w_timef_fault(sink, err, "shard.spec-unknown", path, NULL, NULL, NULL, "row group %zu: a spec_type that the schema doesn't declare", number);
	g.of = &k->ds->m.specs[spec];
	for (i = 1; i < g.spec.rows; i++)
		if (!c4w_view_eq(c4w_batch_view(&g.spec, i), c4w_batch_view(&g.spec, 0))) {
			C4W_TRY(c4w_timef_fault(sink, err, "shard.specs-mixed", path, NULL, NULL, NULL, "row group %zu holds several spec_types", number));
			break;
		}
	rc = c4w_timef_values_columns(g.of, pq, &vcol, &tcol, &why);
	if (rc != C4W_OK)
		return pass(sink, &why, path, err);
	opts.keep_dict = g.of->dtype == C4W_TF_ENUM;
	rc = c4w_pq_read(pq, number, vcol, &opts, w, arena, &g.values, &why);
	opts.keep_dict = false;
	if (rc == C4W_OK)
		rc = c4w_pq_read(pq, number, tcol, &opts, w, arena, &g.times, &why);
	if (rc != C4W_OK)
		return pass(sink, &why, path, err);
	if (g.of->dtype == C4W_TF_ENUM) {
		const struct c4w_batch *d = g.values.indices ? g.values.dict : &g.values;

		C4W_TRY(c4w_arena_take(arena, (d->n + 1) * sizeof *g.codes, &mem, err));
		g.codes = mem;
		for (i = 0; i < d->n; i++) {
			const uint8_t *p = c4w_batch_bytes(d, i, &n);

			g.codes[i] = c4w_timef_code(g.of, p, n);
		}
	} else if (g.of->dtype == C4W_TF_STR) {
		for (i = 0; i < g.values.n; i++) {
			const uint8_t *p = c4w_batch_bytes(&g.values, i, &n);

			if (!c4w_utf8_valid((const char *)p, n)) {
				C4W_TRY(c4w_timef_fault(sink, err, "values.utf8", path, NULL, NULL, NULL, "row group %zu: a text is not UTF-8", number));
				break;
			}
		}
	}
	for (i = 0; i < g.id.rows; i++)
		C4W_TRY(check_row(&g, i));
	*bytes += (uint64_t)c4w_pq_group_bytes(pq, number);
	return C4W_OK;
}

/* ---- Zarr ---- */

int c4w_timef_check_series(const struct c4w_timef_check *k, struct c4w_timef_cursor *c, const struct c4w_timef_series *s,
			   struct c4w_timef_sink *sink, uint64_t *bytes, struct c4w_err *err)
{
	const struct c4w_timef *ds = k->ds;
	uint64_t at = 0, n = (uint64_t)s->n_values;
	struct c4w_timef_run run;
	struct c4w_err why = { 0 };
	char label[200], expected[40], found[40];
	const char *path = NULL;
	bool down = false, unknown = false;
	int64_t last = 0;
	size_t i;
	int rc;

	c4w_timef_label(ds, "series", C4W_TF_SERIES_ID, s->id, label, sizeof label);
	rc = c4w_timef_begin(c, s, &why);
	if (rc == C4W_DAMAGED) /* said by the tables' checks */
		return C4W_OK;
	while (rc == C4W_OK && at < n) {
		rc = c4w_timef_lend(c, at, n, true, &run, &why);
		if (rc != C4W_OK)
			break;
		if (run.times) {
			down |= at > 0 && run.times[0] < last;
			for (i = 1; i < run.steps; i++)
				down |= run.times[i] < run.times[i - 1];
			last = run.times[run.steps - 1];
			if (at == 0 && run.times[0] != s->first && ds->m.format == 1) {
				snprintf(expected, sizeof expected, "%lld", (long long)s->first);
				snprintf(found, sizeof found, "%lld", (long long)run.times[0]);
				SAY("values.offsets-ends", expected, found, "the first time offset is not the record's");
			}
		}
		if (ds->m.specs[s->spec].dtype == C4W_TF_ENUM)
			for (i = 0; i < run.steps; i++)
				unknown |= ((const int32_t *)(const void *)run.values)[i] < 0;
		*bytes += run.steps * (ds->m.specs[s->spec].elements * 4);
		at += run.steps;
	}
	if (rc != C4W_OK)
		return pass(sink, &why, NULL, err);
	if (s->axis == C4W_TF_IRREGULAR && last != s->last && ds->m.format == 1) {
		snprintf(expected, sizeof expected, "%lld", (long long)s->last);
		snprintf(found, sizeof found, "%lld", (long long)last);
		SAY("values.offsets-ends", expected, found, "the last time offset is not the record's");
	}
	if (down)
		SAY("values.offsets-decrease", NULL, NULL, "time offsets decrease");
	if (unknown)
		SAY("values.category", "a category's number", NULL, "a code beyond the spec's categories");
	return C4W_OK;
}

/* Do the ranges of one array tile [0, shape[0])? `a` to `b` are the places that name it, sorted by start. */
static int check_tiles(const struct c4w_timef_check *k, size_t a, size_t b, uint64_t length, const char *path, struct c4w_timef_sink *sink,
		       struct c4w_err *err)
{
	const struct c4w_timef *ds = k->ds;
	bool gap = false;
	int64_t end = 0;
	char label[200], found[80];
	size_t i;

	for (i = a; i < b; i++) {
		const struct c4w_timef_chunk *c = &ds->chunks[k->places[i].chunk], *before = i > a ? &ds->chunks[k->places[i - 1].chunk] : NULL;

		c4w_timef_label(ds, "series", C4W_TF_SERIES_ID, c->series, label, sizeof label);
		if (!c->has_major || c->n_values < 1)
			continue;
		snprintf(found, sizeof found, "[%lld, %lld) of %llu", (long long)c->major, (long long)(c->major > INT64_MAX - c->n_values ? INT64_MAX : c->major + c->n_values),
			 (unsigned long long)length);
		if (c->major < 0 || c->major > INT64_MAX - c->n_values || (uint64_t)(c->major + c->n_values) > length) {
			SAY("index.range-out-of-array", NULL, found, "the index names steps beyond the array");
			continue;
		}
		if (before && before->major == c->major && before->n_values == c->n_values && c4w_view_eq(before->series, c->series) &&
		    !c4w_view_eq(before->record, c->record))
			continue; /* a series that records share */
		if (c->major < end)
			SAY("index.range-overlap", NULL, found, "two chunks share steps of the array");
		gap |= c->major > end;
		if (c->major + c->n_values > end)
			end = c->major + c->n_values;
	}
	label[0] = 0;
	if (gap)
		SAY("array.gap", NULL, NULL, "there are steps between the ranges that the index names");
	if ((uint64_t)end < length) {
		snprintf(found, sizeof found, "%lld of %llu", (long long)end, (unsigned long long)length);
		SAY("array.longer", NULL, found, "the array is longer than its ranges");
	}
	return C4W_OK;
}

static bool find_spec(const struct c4w_timef *ds, struct c4w_view file, int32_t *spec, bool *irregular)
{
	char path[1024];
	size_t i;
	int irr;

	for (i = ds->m.nspecs; i-- > 0;)
		for (irr = 0; irr < 2; irr++)
			if (c4w_timef_zarr_path(ds->m.specs[i].spec_type, irr, C4W_TF_P_VALUES, path, sizeof path) < sizeof path && c4w_view_eqz(file, path)) {
				*spec = (int32_t)i;
				*irregular = irr;
				return true;
			}
	return false;
}

static int check_group_files(const struct c4w_timef_check *k, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	static const char *const groups[] = { "time_series.zarr", "time_series.zarr/_irregular", "time_series.zarr/_time_offsets", "time_series.zarr/_validity",
					      "time_series.zarr/_validity/_irregular" };
	char path[256];
	struct c4w_stat st;
	size_t i;
	int rc;

	for (i = 0; i < sizeof groups / sizeof *groups; i++) {
		struct c4w_err why = { 0 };

		C4W_TRY(c4w_store_stat(k->ds->store, groups[i], &st, err));
		if (i > 0 && st.kind == C4W_KIND_NONE)
			continue;
		rc = c4w_zarr_check_group(k->ds->store, groups[i], &why);
		snprintf(path, sizeof path, "%s/zarr.json", groups[i]);
		if (rc == C4W_ABSENT)
			C4W_TRY(c4w_timef_fault(sink, err, "array.group-missing", path, NULL, NULL, NULL, "a group has no zarr.json"));
		else if (rc != C4W_OK)
			C4W_TRY(pass(sink, &why, path, err));
	}
	return C4W_OK;
}

int c4w_timef_check_arrays(const struct c4w_timef_check *k, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	struct c4w_timef *ds = k->ds;
	const char *path, *label = NULL;
	char found[200], want[1024];
	struct c4w_zarr *z, *other;
	bool irregular;
	int32_t spec;
	size_t i, j;
	int plane, rc;

	if (!ds->m.zarr) { /* the places that the index names, against the shards */
		for (i = 0; i < k->nplaces; i++) {
			const struct c4w_timef_chunk *c = &ds->chunks[k->places[i].chunk];
			struct c4w_err why = { 0 };
			struct c4w_pq *pq;

			path = ds->m.files[c->part].z;
			if (!c->file.p || c->file.n >= sizeof want)
				continue;
			c4w_timef_label(ds, "series", C4W_TF_SERIES_ID, c->series, found, sizeof found);
			label = found;
			memcpy(want, c->file.p, c->file.n);
			want[c->file.n] = 0;
			if (strncmp(want, "./", 2) == 0) {
				SAY("index.chunk-file-dot", NULL, NULL, "chunk_file has ./ in it");
				memmove(want, want + 2, c->file.n - 1);
			}
			if (i && c4w_view_eq(c->file, ds->chunks[k->places[i - 1].chunk].file) && c->major == ds->chunks[k->places[i - 1].chunk].major &&
			    c->minor == ds->chunks[k->places[i - 1].chunk].minor)
				continue;
			if (!c4w_path_is_plain(want, strlen(want)) || !c4w_timef_listed(ds, want)) {
				char text[200];

				SAY("index.chunk-file-unlisted", NULL, c4w_str_escape(text, sizeof text, c->file.p, c->file.n),
				    "the index names a values file that the manifest doesn't list");
				continue;
			}
			rc = c4w_timef_shard(ds, want, &pq, &why);
			if (rc != C4W_OK)
				continue; /* said of the shard itself */
			if (c->has_major && (c->major < 0 || (uint64_t)c->major >= c4w_pq_groups(pq))) {
				char a[40], b[40];

				snprintf(a, sizeof a, "below %zu", c4w_pq_groups(pq));
				snprintf(b, sizeof b, "%lld", (long long)c->major);
				SAY("index.row-group-out-of-range", a, b, "the index names a row group that isn't there");
			} else if (c->has_major && c->has_minor && (c->minor < 0 || c->minor >= c4w_pq_group_rows(pq, (size_t)c->major))) {
				char a[40], b[40];

				snprintf(a, sizeof a, "below %lld", (long long)c4w_pq_group_rows(pq, (size_t)c->major));
				snprintf(b, sizeof b, "%lld", (long long)c->minor);
				SAY("index.row-out-of-range", a, b, "the index names a row that isn't there");
			}
		}
		return C4W_OK;
	}
	C4W_TRY(check_group_files(k, sink, err));
	for (i = 0; i < k->nplaces; i = j) {
		const struct c4w_timef_chunk *c = &ds->chunks[k->places[i].chunk];
		struct c4w_err why = { 0 };

		for (j = i + 1; j < k->nplaces && c4w_view_eq(ds->chunks[k->places[j].chunk].file, c->file); j++)
			;
		path = ds->m.files[c->part].z;
		label = NULL;
		if (!c->file.p)
			continue;
		if (!find_spec(ds, c->file, &spec, &irregular)) {
			SAY("index.chunk-file", NULL, c4w_str_escape(found, sizeof found, c->file.p, c->file.n), "chunk_file is no array that a declared spec has");
			continue;
		}
		for (size_t t = i; t < j; t++) {
			const struct c4w_timef_chunk *d = &ds->chunks[k->places[t].chunk];
			const struct c4w_timef_series *s = k->places[t].series == UINT32_MAX ? NULL : &ds->series[k->places[t].series];

			if (s && (s->spec != spec || (s->axis == C4W_TF_IRREGULAR) != irregular)) {
				SAY("index.chunk-file", NULL, c4w_timef_label(ds, "series", C4W_TF_SERIES_ID, d->series, found, sizeof found),
				    "chunk_file is not the array that axis and spec_type give");
				break;
			}
		}
		rc = c4w_timef_array(ds, spec, irregular, C4W_TF_P_VALUES, &z, &why);
		if (rc != C4W_OK) {
			C4W_TRY(pass(sink, &why, NULL, err));
			continue;
		}
		C4W_TRY(check_tiles(k, i, j, c4w_zarr_meta(z)->shape[0], c4w_zarr_path(z), sink, err));
		for (plane = C4W_TF_P_OFFSETS; plane <= C4W_TF_P_VALIDITY; plane++) {
			if ((plane == C4W_TF_P_OFFSETS && !irregular) || (plane == C4W_TF_P_VALIDITY && !ds->m.specs[spec].nullable))
				continue;
			memset(&why, 0, sizeof why);
			rc = c4w_timef_array(ds, spec, irregular, plane, &other, &why);
			if (rc != C4W_OK) {
				C4W_TRY(pass(sink, &why, NULL, err));
			} else if (c4w_zarr_meta(other)->shape[0] != c4w_zarr_meta(z)->shape[0]) {
				char a[40], b[40];

				path = c4w_zarr_path(other);
				snprintf(a, sizeof a, "%llu", (unsigned long long)c4w_zarr_meta(z)->shape[0]);
				snprintf(b, sizeof b, "%llu", (unsigned long long)c4w_zarr_meta(other)->shape[0]);
				SAY("array.length", a, b, "values, offsets and validity have different lengths");
			}
		}
	}
	return C4W_OK;
}

/* ---- the directory ---- */

struct walk {
	const struct c4w_timef_check *k;
	const char **listed;
	size_t n;
	struct c4w_timef_sink *sink;
	struct c4w_err *err;
	struct c4w_stat root;
};

static int cmp_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int walk(struct walk *w, const char *dir, unsigned depth)
{
	struct c4w_arena arena = { 0 };
	struct c4w_dirent *v;
	struct c4w_buf path = { 0 };
	size_t n, i;
	int rc = c4w_store_list(w->k->ds->store, dir, &arena, &v, &n, w->err);

	for (i = 0; rc == C4W_OK && i < n; i++) {
		const char *p;

		c4w_buf_reset(&path);
		c4w_buf_printf(&path, "%s%s%s", dir, *dir ? "/" : "", v[i].name);
		rc = c4w_buf_ok(&path, w->err);
		if (rc != C4W_OK)
			break;
		p = path.p;
		if (v[i].st.kind == C4W_KIND_DIR && !v[i].st.is_link && depth < 32) {
			rc = walk(w, p, depth + 1);
			continue;
		}
		if (strcmp(p, "manifest.json") == 0 || bsearch(&p, w->listed, w->n, sizeof *w->listed, cmp_names))
			continue;
		if (strncmp(p, "time_series/", 12) == 0 || strncmp(p, "time_series.zarr/", 17) == 0)
			rc = c4w_timef_fault(w->sink, w->err, "files.values-unlisted", p, NULL, NULL, NULL, "a values file that the manifest doesn't list");
		else
			rc = c4w_timef_fault(w->sink, w->err, "files.unlisted", p, NULL, NULL, NULL, "a file that the manifest doesn't list");
	}
	c4w_buf_clear(&path);
	c4w_arena_clear(&arena);
	return rc;
}

/* Does a listed file lie elsewhere? Download caches are made of such links: the data is right, but not all of it is here. */
static int check_links(const struct c4w_timef *ds, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	char *root = realpath(ds->where, NULL), *there;
	size_t n = root ? strlen(root) : 0, i;
	struct c4w_buf path = { 0 };
	struct c4w_stat st;
	int rc = C4W_OK;

	for (i = 0; root && i < ds->m.nfiles && rc == C4W_OK; i++) {
		rc = c4w_store_stat(ds->store, ds->m.files[i].z, &st, err);
		if (rc != C4W_OK || !st.is_link)
			continue;
		c4w_buf_reset(&path);
		c4w_buf_printf(&path, "%s/%s", root, ds->m.files[i].z);
		there = path.failed ? NULL : realpath(path.p, NULL);
		if (there && (strncmp(there, root, n) != 0 || there[n] != '/'))
			rc = c4w_timef_fault(sink, err, "files.link-outside", ds->m.files[i].z, NULL, NULL, NULL, "a listed file is a link that leads out of the data set");
		free(there);
	}
	c4w_buf_clear(&path);
	free(root);
	return rc;
}

int c4w_timef_check_tree(const struct c4w_timef_check *k, struct c4w_timef_sink *sink, struct c4w_err *err)
{
	const struct c4w_timef *ds = k->ds;
	struct walk w = { .k = k, .sink = sink, .err = err, .n = ds->m.nfiles };
	size_t i;
	int rc;

	w.listed = calloc(w.n + 1, sizeof *w.listed);
	if (!w.listed)
		return c4w_fail_memory(err, w.n * sizeof *w.listed);
	for (i = 0; i < w.n; i++)
		w.listed[i] = ds->m.files[i].z;
	rc = check_links(ds, sink, err);
	if (rc != C4W_OK) {
		free(w.listed);
		return rc;
	}
	qsort(w.listed, w.n, sizeof *w.listed, cmp_names);
	rc = walk(&w, "", 0);
	free(w.listed);
	return rc;
}
