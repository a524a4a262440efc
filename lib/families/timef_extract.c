/* Extracting: each selected series becomes a file of its own, CSV, NPY or Parquet, in a folder a record or a spec; series.jsonl at the end lists
 * them with all that is known of them, so a destination that has it is complete.
 *
 * RECORD/SERIES.csv, or SPEC/RECORD/SERIES.csv; ids are percent-encoded. With NPY, SERIES.offsets.npy beside an irregular series and
 * SERIES.validity.npy beside one with missing steps.
 *
 * Files that are there already are compared with what would be written, and stay when that is the same. Unless nothing is to be verified, a
 * values file has the digest that the manifest says before a series is taken from it; each is hashed once, by who needs it first. */
#include "base/limits.h"
#include "base/sha256.h"
#include "families/timef_check.h"
#include "families/timef_extract.h"
#include "families/timef_family.h"
#include "families/timef_impl.h"
#include "families/timef_print.h"
#include "families/timef_view.h"
#include "model/plan.h"

#include <pthread.h>
#include <stdatomic.h>

/* What a series is taken from: a Parquet shard, or the listed files of a Zarr partition. */
struct origin {
	pthread_mutex_t lock;
	bool used, hashed;
	int cls;
	struct c4w_err *err; /* when cls is not C4W_OK */
};

struct extract {
	struct c4w_timef_root *root;
	struct c4w_timef *ds;
	const struct c4w_timef_select *sel;
	struct c4w_write_opts o;
	uint32_t *series; /* chosen */
	size_t n, at;
	struct origin *origins; /* Parquet: by values file, in the manifest's order; Zarr: by spec * 2 + irregular */
	size_t norigins;
	atomic_uint_fast64_t written, stayed;
	pthread_mutex_t lock;
	bool touched; /* series.jsonl of an earlier run is gone */
};

struct item {
	const struct c4w_timef_series *s;
	char text[200];
};

static const char *const extensions[] = { "csv", "csv", "npy", "parquet" };

static void part(struct c4w_buf *b, struct c4w_view v)
{
	char name[800];
	size_t n = c4w_str_percent(name, sizeof name, v.p ? v.p : "null", v.p ? v.n : 4);

	if (c4w_view_eqz(v, ".") || c4w_view_eqz(v, "..")) /* names that a folder has already */
		c4w_buf_puts(b, v.n == 1 ? "%2E" : "%2E%2E");
	else
		c4w_buf_put(b, name, n < sizeof name ? n : sizeof name - 1);
}

static void path_of(const struct extract *x, const struct c4w_timef_series *s, const char *suffix, struct c4w_buf *b)
{
	char uuid[40];

	c4w_buf_reset(b);
	if (x->o.split_by == C4W_SPLIT_SPEC) {
		part(b, s->spec_type);
		c4w_buf_putc(b, '/');
	}
	part(b, c4w_timef_id_text(x->ds, C4W_TF_RECORD_ID, x->ds->records[s->record].id, uuid));
	c4w_buf_putc(b, '/');
	part(b, s->id.p ? c4w_timef_id_text(x->ds, C4W_TF_SERIES_ID, s->id, uuid) : s->id);
	c4w_buf_printf(b, "%s.%s", suffix, extensions[x->o.values_format]);
}

/* ---- where series come from ---- */

/* Is a listed values file part of an origin? */
static bool is_part(const struct extract *x, size_t origin, size_t file)
{
	const struct c4w_timef_manifest *m = &x->ds->m;
	char path[1024];
	int plane;
	size_t n;

	if (!m->zarr)
		return origin == file;
	for (plane = C4W_TF_P_VALUES; plane <= C4W_TF_P_VALIDITY; plane++) {
		const char *name = m->files[m->kind_first[C4W_TF_SERIES] + file].z;

		if (plane == C4W_TF_P_OFFSETS && origin % 2 == 0)
			continue;
		n = c4w_timef_zarr_path(m->specs[origin / 2].spec_type, origin % 2, plane, path, sizeof path);
		if (n < sizeof path && strncmp(name, path, n) == 0 && name[n] == '/' && (strcmp(name + n, "/zarr.json") == 0 || name[n + 1] == 'c'))
			return true;
	}
	return false;
}

/* The origins of a series, in turn; SIZE_MAX when there are no more. *at begins as 0. */
static size_t next_origin(const struct extract *x, const struct c4w_timef_series *s, const struct c4w_timef_chunk *const *chunks, size_t n, size_t *at)
{
	const struct c4w_timef_manifest *m = &x->ds->m;
	size_t i;

	if (m->zarr)
		return (*at)++ ? SIZE_MAX : (size_t)s->spec * 2 + (s->axis == C4W_TF_IRREGULAR);
	for (; *at < n; (*at)++) {
		struct c4w_view file = chunks[*at]->file;

		if (!file.p || (*at && c4w_view_eq(file, chunks[*at - 1]->file)))
			continue;
		if (file.n > 2 && memcmp(file.p, "./", 2) == 0)
			file = (struct c4w_view){ file.p + 2, file.n - 2 };
		for (i = 0; i < x->norigins; i++)
			if (c4w_view_eqz(file, m->files[m->kind_first[C4W_TF_SERIES] + i].z)) {
				(*at)++;
				return i;
			}
	}
	return SIZE_MAX;
}

/* Does a listed file hold what the manifest says? */
static int check_file(const struct c4w_timef *ds, const struct c4w_timef_file *f, struct c4w_err *err)
{
	struct c4w_sha256 sha;
	struct c4w_blob *blob = NULL;
	uint8_t digest[32], *block = malloc(128 * 1024);
	uint64_t at = 0, n;
	char hex[72] = "sha256:";
	int rc = block ? c4w_store_open(ds->store, f->z, &blob, err) : c4w_fail_memory(err, 128 * 1024);

	if (rc == C4W_OK && c4w_blob_size(blob) != f->size)
		rc = c4w_timef_fault(NULL, err, "files.size", f->z, NULL, NULL, NULL, "the file has another size than the manifest says");
	c4w_sha256_init(&sha);
	for (; rc == C4W_OK && at < f->size; at += n) {
		n = f->size - at < 128 * 1024 ? f->size - at : 128 * 1024;
		rc = c4w_blob_read_at(blob, at, (size_t)n, block, err);
		if (rc == C4W_OK)
			c4w_sha256_update(&sha, block, (size_t)n);
	}
	c4w_sha256_final(&sha, digest);
	c4w_hex(hex + 7, digest, 32);
	if (rc == C4W_OK && !c4w_view_eqz(f->checksum, hex))
		rc = c4w_timef_fault(NULL, err, "files.checksum", f->z, NULL, NULL, hex, "the file has another SHA-256 than the manifest says");
	c4w_blob_close(blob);
	free(block);
	return rc;
}

static int check_origin(struct extract *x, size_t origin, struct c4w_err *err)
{
	const struct c4w_timef_manifest *m = &x->ds->m;
	struct origin *o = &x->origins[origin];
	struct c4w_err why = { 0 };
	size_t i;
	int rc;

	pthread_mutex_lock(&o->lock);
	for (i = 0; !o->hashed && i < m->kind_count[C4W_TF_SERIES] && o->cls == C4W_OK; i++)
		if (is_part(x, origin, i))
			o->cls = check_file(x->ds, &m->files[m->kind_first[C4W_TF_SERIES] + i], &why);
	if (!o->hashed && o->cls != C4W_OK && (o->err = malloc(sizeof why)) != NULL)
		*o->err = why;
	o->hashed = true;
	rc = o->cls;
	if (rc != C4W_OK && o->err)
		*err = *o->err;
	else if (rc != C4W_OK)
		rc = c4w_fail_memory(err, sizeof why);
	pthread_mutex_unlock(&o->lock);
	return rc;
}

/* Everything that a series is taken from is marked, and checked if so asked. */
static int each_origin(struct extract *x, const struct c4w_timef_series *s, bool check, struct c4w_arena *arena, struct c4w_err *err)
{
	const struct c4w_timef_chunk **chunks;
	size_t n, at = 0, o;

	C4W_TRY(c4w_timef_chunks_of(x->ds, x->ds->records[s->record].id, s->id, arena, &chunks, &n, err));
	while ((o = next_origin(x, s, chunks, n, &at)) != SIZE_MAX) {
		if (check)
			C4W_TRY(check_origin(x, o, err));
		else
			x->origins[o].used = true;
	}
	return C4W_OK;
}

static int sources(void *ctx, void (*each)(void *user, const char *path), void *user, struct c4w_err *err)
{
	struct extract *x = ctx;
	const struct c4w_timef_manifest *m = &x->ds->m;
	struct c4w_arena arena = { 0 };
	size_t i, o;
	int rc = C4W_OK;

	for (i = 0; i < x->n && rc == C4W_OK; i++) {
		rc = each_origin(x, &x->ds->series[x->series[i]], false, &arena, err);
		c4w_arena_reset(&arena);
	}
	c4w_arena_clear(&arena);
	C4W_TRY(rc);
	C4W_TRY(c4w_writing_source(x->ds->store, "manifest.json", each, user, err));
	for (i = 0; i < m->nfiles; i++) {
		bool needed = m->files[i].kind == C4W_TF_RECORDS || m->files[i].kind == C4W_TF_INDEX;

		for (o = 0; m->files[i].kind == C4W_TF_SERIES && o < x->norigins && !needed; o++)
			needed = x->origins[o].used && is_part(x, o, i - m->kind_first[C4W_TF_SERIES]);
		if (needed)
			C4W_TRY(c4w_writing_source(x->ds->store, m->files[i].z, each, user, err));
	}
	return C4W_OK;
}

/* ---- one series ---- */

/* Bytes of a plane on their way into a file, or compared with one that is there. */
struct stream {
	struct c4w_sink_file *f;
	struct c4w_blob *there;
	uint64_t at;
	bool differs;
};

static int to_file(void *ctx, const uint8_t *p, size_t n, struct c4w_err *err)
{
	return c4w_sink_write(((struct stream *)ctx)->f, p, n, err);
}

static int compare(void *ctx, const uint8_t *p, size_t n, struct c4w_err *err)
{
	struct stream *s = ctx;
	uint8_t block[4096];
	size_t k;

	for (; n; n -= k, p += k, s->at += k) {
		k = n < sizeof block ? n : sizeof block;
		s->differs = c4w_blob_size(s->there) - s->at < k || c4w_blob_read_at(s->there, s->at, k, block, NULL) != C4W_OK || memcmp(block, p, k) != 0;
		if (s->differs)
			return c4w_fail(err, C4W_USAGE, "the file that is there differs");
	}
	return C4W_OK;
}

static int produce(struct extract *x, struct c4w_timef_cursor *c, const struct c4w_timef_series *s, enum c4w_timef_plane_what what,
		   struct c4w_arena *arena, c4w_bytes_fn put, struct stream *to, struct c4w_err *err)
{
	struct c4w_timef_range all = { 0, (uint64_t)s->n_values, 1 };

	if (x->o.values_format == C4W_VALUES_PARQUET)
		return c4w_timef_to_parquet(c, s, arena, put, to, err);
	return c4w_timef_print(c, s, &all, x->o.values_format == C4W_VALUES_NPY ? C4W_TF_V_NPY : C4W_TF_V_CSV, false, what, put, to, err);
}

/* Is the file there, and just what would be written? */
static int is_right(struct extract *x, struct c4w_timef_cursor *c, const struct c4w_timef_series *s, enum c4w_timef_plane_what what,
		    struct c4w_arena *arena, const char *path, bool *right, struct c4w_err *err)
{
	struct stream to = { 0 };
	struct c4w_stat st;
	int rc;

	*right = false;
	if (!x->o.keep_existing || c4w_sink_stat(x->o.sink, path, &st, NULL) != C4W_OK || st.kind != C4W_KIND_FILE || st.is_link ||
	    c4w_sink_read(x->o.sink, path, &to.there, NULL) != C4W_OK)
		return C4W_OK;
	rc = produce(x, c, s, what, arena, compare, &to, err);
	*right = rc == C4W_OK && to.at == c4w_blob_size(to.there);
	c4w_blob_close(to.there);
	return to.differs ? C4W_OK : rc;
}

/* Before the first change an earlier run's list goes: it would say more than is there. */
static int touch(struct extract *x, struct c4w_err *err)
{
	int rc = C4W_OK;

	pthread_mutex_lock(&x->lock);
	if (!x->touched) {
		rc = c4w_sink_remove(x->o.sink, "series.jsonl", err);
		x->touched = rc == C4W_OK;
	}
	pthread_mutex_unlock(&x->lock);
	return rc;
}

static int write_plane(struct extract *x, struct c4w_timef_cursor *c, const struct c4w_timef_series *s, enum c4w_timef_plane_what what,
		       struct c4w_arena *arena, struct c4w_result *result, struct c4w_err *err)
{
	static const char *const suffixes[] = { "", ".offsets", ".validity" };
	struct stream out = { 0 };
	struct c4w_buf path = { 0 };
	bool right = false;
	uint64_t bytes;
	int rc;

	path_of(x, s, suffixes[what], &path);
	rc = c4w_buf_ok(&path, err);
	if (rc == C4W_OK)
		rc = is_right(x, c, s, what, arena, path.p, &right, err);
	if (rc == C4W_OK && !right)
		rc = touch(x, err);
	if (rc == C4W_OK && !right)
		rc = c4w_sink_create(x->o.sink, path.p, C4W_SINK_UNKNOWN, 0, &out.f, err);
	if (rc == C4W_OK && !right) {
		rc = produce(x, c, s, what, arena, to_file, &out, err);
		bytes = c4w_sink_written(out.f);
		if (rc == C4W_OK)
			rc = c4w_sink_commit(out.f, NULL, err);
		else
			c4w_sink_abort(out.f);
		if (rc == C4W_OK)
			result->bytes += bytes;
	}
	if (rc == C4W_OK)
		atomic_fetch_add(right ? &x->stayed : &x->written, 1);
	c4w_buf_clear(&path);
	return rc;
}

static int next(void *ctx, struct c4w_item *out, bool *end, struct c4w_err *err)
{
	struct extract *x = ctx;
	struct item *it;

	if (x->at == x->n) {
		*end = true;
		return C4W_OK;
	}
	it = calloc(1, sizeof *it);
	if (!it)
		return c4w_fail_memory(err, sizeof *it);
	it->s = &x->ds->series[x->series[x->at++]];
	c4w_timef_label(x->ds, "series", C4W_TF_SERIES_ID, it->s->id, it->text, sizeof it->text);
	out->id.text = it->text;
	out->data = it;
	out->cost = c4w_timef_cost(x->ds, it->s);
	return C4W_OK;
}

static void work(void *ctx, struct c4w_worker *w, struct c4w_item *item, struct c4w_result *result)
{
	struct extract *x = ctx;
	struct item *it = item->data;
	struct c4w_timef_stats st;
	struct c4w_arena arena = { 0 };
	struct c4w_err err = { 0 };
	int rc = C4W_OK;

	if (x->o.verify != C4W_LEVEL_NONE)
		rc = each_origin(x, it->s, true, &arena, &err);
	if (rc == C4W_OK && (x->o.verify == C4W_LEVEL_FULL || x->o.values_format == C4W_VALUES_NPY))
		rc = c4w_timef_stats(w->user, it->s, false, &arena, &st, &err); /* every value read once; how many are missing */
	else
		st.missing = 0;
	if (rc == C4W_OK)
		rc = c4w_timef_begin(w->user, it->s, &err);
	if (rc == C4W_OK)
		rc = write_plane(x, w->user, it->s, C4W_TF_W_VALUES, &w->arena, result, &err);
	if (rc == C4W_OK && x->o.values_format == C4W_VALUES_NPY && it->s->axis == C4W_TF_IRREGULAR)
		rc = write_plane(x, w->user, it->s, C4W_TF_W_OFFSETS, &w->arena, result, &err);
	if (rc == C4W_OK && x->o.values_format == C4W_VALUES_NPY && st.missing)
		rc = write_plane(x, w->user, it->s, C4W_TF_W_VALIDITY, &w->arena, result, &err);
	if (rc != C4W_OK)
		c4w_findings_add_err(&result->findings, NULL, NULL, &err);
	c4w_arena_clear(&arena);
}

static void release(void *ctx, struct c4w_item *item, struct c4w_result *result)
{
	(void)ctx;
	(void)result;
	free(item->data);
}

static int worker_new(void *ctx, void **out, struct c4w_err *err)
{
	struct c4w_timef_cursor *c = NULL;
	int rc = c4w_timef_cursor_new(((struct extract *)ctx)->ds, &c, err);

	*out = c;
	return rc;
}

static void worker_free(void *ctx, void *w)
{
	(void)ctx;
	c4w_timef_cursor_free(w);
}

/* The list of what was written, last and durable. */
static int finish(void *ctx, struct c4w_err *err)
{
	struct extract *x = ctx;
	struct c4w_buf b = { 0 }, path = { 0 };
	char text[40];
	size_t i;
	int rc;

	C4W_TRY(c4w_sink_sync(x->o.sink, err));
	for (i = 0; i < x->n; i++) {
		const struct c4w_timef_series *s = &x->ds->series[x->series[i]];
		struct c4w_json_out j = c4w_json_out(&b, (struct c4w_json_style){ 0 });

		path_of(x, s, "", &path);
		c4w_jo_object(&j);
		c4w_jo_key(&j, "path");
		c4w_jo_string(&j, (struct c4w_view){ path.p ? path.p : "", path.n });
		c4w_jo_key(&j, "record_id");
		c4w_jo_string(&j, c4w_timef_id_text(x->ds, C4W_TF_RECORD_ID, x->ds->records[s->record].id, text));
		c4w_jo_key(&j, "start_time_us");
		if (x->ds->records[s->record].has_start)
			c4w_jo_i64(&j, x->ds->records[s->record].start);
		else
			c4w_jo_null(&j);
		c4w_timef_series_json(x->ds, s, &j);
		c4w_jo_key(&j, "unit");
		c4w_jo_string(&j, x->ds->m.specs[s->spec].unit);
		c4w_jo_end(&j);
		c4w_buf_putc(&b, '\n');
	}
	rc = c4w_buf_ok(&b, err);
	if (rc == C4W_OK)
		rc = c4w_sink_put(x->o.sink, "series.jsonl", b.p, b.n, C4W_SINK_DURABLE, x->o.keep_existing, err);
	if (rc == C4W_OK)
		atomic_fetch_add(x->o.keep_existing && !x->touched ? &x->stayed : &x->written, 1);
	c4w_buf_clear(&b);
	c4w_buf_clear(&path);
	return rc;
}

static void tally(void *ctx, uint64_t *written, uint64_t *stayed)
{
	*written = atomic_load(&((struct extract *)ctx)->written);
	*stayed = atomic_load(&((struct extract *)ctx)->stayed);
}

static void destroy(void *ctx)
{
	struct extract *x = ctx;
	size_t i;

	if (!x)
		return;
	for (i = 0; i < x->norigins; i++) {
		pthread_mutex_destroy(&x->origins[i].lock);
		free(x->origins[i].err);
	}
	free(x->origins);
	pthread_mutex_destroy(&x->lock);
	c4w_timef_close(x->ds);
	free(x->series);
	free(x);
}

static int new_origins(struct extract *x, struct c4w_err *err)
{
	size_t i, n = x->ds->m.zarr ? x->ds->m.nspecs * 2 : x->ds->m.kind_count[C4W_TF_SERIES];

	x->origins = calloc(n + 1, sizeof *x->origins);
	if (!x->origins)
		return c4w_fail_memory(err, n * sizeof *x->origins);
	for (i = 0; i < n; i++)
		pthread_mutex_init(&x->origins[i].lock, NULL);
	x->norigins = n;
	return C4W_OK;
}

/* The tables that say what there is. */
static int check_tables(const struct extract *x, struct c4w_err *err)
{
	const struct c4w_timef_manifest *m = &x->ds->m;
	size_t i;

	for (i = 0; i < m->nfiles && x->o.verify != C4W_LEVEL_NONE; i++)
		if (m->files[i].kind == C4W_TF_RECORDS || m->files[i].kind == C4W_TF_INDEX)
			C4W_TRY(check_file(x->ds, &m->files[i], err));
	return C4W_OK;
}

/* Does a line of an earlier series.jsonl name a file that this run has not? Lines that can't be read name none. */
static bool lists_other(struct c4w_view line, const struct c4w_timef_map *paths, struct c4w_arena *arena)
{
	struct c4w_json doc;
	struct c4w_view path;
	struct c4w_err ignored;

	return c4w_json_parse(line, C4W_JSON_STRICT, 0, arena, &doc, &ignored) == C4W_OK &&
	       c4w_json_string(&doc, c4w_json_member(&doc, 0, "path"), arena, &path, &ignored) == C4W_OK && c4w_timef_map_get(paths, path) < 0;
}

/* What an earlier run lists must not be lost. */
static int check_extension(struct extract *x, const struct c4w_timef_map *paths, struct c4w_arena *arena, struct c4w_err *err)
{
	struct c4w_blob *b = NULL;
	const uint8_t *text;
	struct c4w_stat st;
	uint64_t lost = 0;
	size_t from, to, n;

	if (!x->o.keep_existing || c4w_sink_stat(x->o.sink, "series.jsonl", &st, NULL) != C4W_OK || st.kind != C4W_KIND_FILE ||
	    c4w_sink_read(x->o.sink, "series.jsonl", &b, NULL) != C4W_OK)
		return C4W_OK;
	n = (size_t)c4w_blob_size(b);
	if (c4w_blob_view(b, 0, n, arena, &text, NULL) != C4W_OK)
		n = 0;
	for (from = 0; from < n; from = to + 1) {
		const uint8_t *end = memchr(text + from, '\n', n - from);

		to = end ? (size_t)(end - text) : n;
		lost += lists_other((struct c4w_view){ (const char *)text + from, to - from }, paths, arena);
	}
	c4w_blob_close(b);
	if (!lost)
		return C4W_OK;
	c4w_fail(err, C4W_USAGE, "the destination lists %llu series that this selection lacks; the new list would drop %s", (unsigned long long)lost,
		 lost == 1 ? "it" : "them");
	c4w_err_path(err, c4w_sink_name(x->o.sink));
	c4w_err_hint(err, "select what is there and what is to be added together, or write to a new directory");
	return C4W_USAGE;
}

/* Each series has a file of its own, and the destination's list is not cut short. */
static int check_paths(struct extract *x, struct c4w_err *err)
{
	struct c4w_timef_map paths = { 0 };
	struct c4w_arena arena = { 0 };
	struct c4w_buf b = { 0 };
	bool twice = false;
	size_t i;
	int rc = C4W_OK;

	for (i = 0; i < x->n && rc == C4W_OK && !twice; i++) {
		const char *copy;

		path_of(x, &x->ds->series[x->series[i]], "", &b);
		copy = b.failed ? NULL : c4w_arena_text(&arena, b.p, b.n);
		rc = copy ? c4w_timef_map_add(&paths, (struct c4w_view){ copy, b.n }, (uint32_t)i, &twice, err) : c4w_fail_memory(err, b.n);
	}
	if (rc == C4W_OK && twice)
		rc = c4w_timef_fault(NULL, err, "records.series-repeated", NULL, NULL, NULL, b.p, "two series would be written to one file");
	if (rc == C4W_OK)
		rc = check_extension(x, &paths, &arena, err);
	c4w_timef_map_clear(&paths);
	c4w_arena_clear(&arena);
	c4w_buf_clear(&b);
	return rc;
}

static int plan(struct extract *x, struct c4w_plan *p, struct c4w_err *err)
{
	size_t i, records = 0;
	uint32_t last = UINT32_MAX;

	x->series = calloc(x->ds->nseries + 1, sizeof *x->series);
	if (!x->series)
		return c4w_fail_memory(err, x->ds->nseries * sizeof *x->series);
	for (i = 0; i < x->ds->nseries; i++) {
		const struct c4w_timef_series *s = &x->ds->series[i];
		const struct c4w_timef_spec *spec = s->spec >= 0 ? &x->ds->m.specs[s->spec] : NULL;

		if (!c4w_timef_selects_series(x->sel, x->ds, s))
			continue;
		if (!spec)
			return c4w_timef_fault(NULL, err, "records.spec-unknown", NULL, NULL, NULL, NULL, "the spec_type of a series is not declared");
		x->series[x->n++] = (uint32_t)i;
		records += s->record != last;
		last = s->record;
		p->bytes += (uint64_t)(s->n_values > 0 ? s->n_values : 0) * (x->o.values_format <= C4W_VALUES_CSV ? 48 : spec->elements * 8 + 8);
	}
	if (x->n == 0)
		return c4w_fail(err, C4W_USAGE, "nothing is selected: no series of such a record and spec");
	p->counts[0].noun = "records";
	p->counts[0].n = records;
	p->counts[1].noun = "series";
	p->counts[1].n = x->n;
	p->n_counts = 2;
	p->files = x->n + 1;
	return C4W_OK;
}

int c4w_timef_extract(void *root, const void *selection, const struct c4w_write_opts *opts, struct c4w_writing *out, struct c4w_err *err)
{
	struct c4w_timef_root *r = root;
	const struct c4w_timef_select *sel = selection;
	const struct c4w_timef_entry *e = NULL;
	struct extract *x = calloc(1, sizeof *x);
	size_t i, n = 0;
	int rc;

	if (!x)
		return c4w_fail_memory(err, sizeof *x);
	pthread_mutex_init(&x->lock, NULL);
	x->root = r;
	x->sel = sel;
	x->o = *opts;
	if (x->o.values_format == 0)
		x->o.values_format = C4W_VALUES_CSV;
	for (i = 0; i < r->nentries; i++)
		if (r->where == C4W_TF_DATASET ? i + 1 == r->nentries :
						 c4w_timef_selects_version(sel, &r->entries[i], i + 1 == r->nentries || strcmp(r->entries[i].id, r->entries[i + 1].id) != 0)) {
			e = &r->entries[i];
			n++;
		}
	rc = n > 1 ? c4w_fail(err, C4W_USAGE, "a registry of several data sets: say which with --dataset") : C4W_OK;
	if (rc == C4W_OK)
		rc = c4w_timef_root_open(r, e, NULL, &x->ds, err);
	if (rc == C4W_OK)
		rc = c4w_timef_load_records(x->ds, NULL, NULL, err);
	if (rc == C4W_OK)
		rc = c4w_timef_load_index(x->ds, NULL, NULL, err);
	if (rc == C4W_OK)
		rc = check_tables(x, err);
	if (rc == C4W_OK)
		rc = plan(x, &out->plan, err);
	if (rc == C4W_OK)
		rc = new_origins(x, err);
	if (rc == C4W_OK)
		rc = check_paths(x, err);
	if (rc != C4W_OK) {
		destroy(x);
		return rc;
	}
	out->ctx = x;
	out->job = (struct c4w_job){ .ctx = x, .next = next, .work = work, .release = release, .worker_new = worker_new, .worker_free = worker_free };
	out->job.total_items = x->n;
	out->finish = finish;
	out->sources = sources;
	out->tally = tally;
	out->manifest = "series.jsonl";
	out->destroy = destroy;
	return C4W_OK;
}
