/* The public face: every function of <c4w.h>, and the transforms against what the reference gave for the fixtures. */
#include "c4w.h"

#include "containers/json.h"
#include "storage/store.h"
#include "tap.h"

#include <math.h>
#include <unistd.h>

#define DATA "tests/data/channels4world/"

static struct c4w_err err;

static struct c4w_root *root_of(const char *path, const char *as)
{
	struct c4w_root *r = NULL;
	ok(c4w_root_open(path, as, &r, &err) == C4W_OK, "%s: %s", path, err.message);
	return r;
}

/* ---- transforms against the expectation files ---- */

static const struct c4w_json *doc;

static double number(uint32_t v)
{
	double d = NAN;
	return c4w_json_double(doc, v, &d, NULL) == C4W_OK ? d : NAN;
}

/* Values of a list (of pairs, for complex ones) against the front of an array: within 1e-12 of the value's size. */
static void compare(uint32_t list, const double *got, uint64_t count, bool pairs, const char *what)
{
	uint32_t e;
	uint64_t i = 0;
	ok(c4w_json_count(doc, list) > 0, "%s: nothing is expected", what);
	for (e = c4w_json_first(doc, list); e != C4W_JSON_NONE; e = c4w_json_next(doc, list, e), i++) {
		double want[2] = { 0, 0 }, off, size;
		if (i >= count) {
			ok(false, "%s: only %" PRIu64 " values", what, count);
			return;
		}
		if (pairs) {
			uint32_t re = c4w_json_first(doc, e);
			want[0] = number(re);
			want[1] = number(c4w_json_next(doc, e, re));
			off = hypot(got[2 * i] - want[0], got[2 * i + 1] - want[1]);
			size = hypot(want[0], want[1]);
		} else {
			want[0] = number(e);
			off = fabs(got[i] - want[0]);
			size = fabs(want[0]);
		}
		ok(off <= 1e-12 * size, "%s %" PRIu64 ": off by %g of %g", what, i, off, size);
	}
}

static void compare_what(struct c4w_records *it, const struct c4w_transform *t, uint32_t list, bool pairs)
{
	struct c4w_arrays *a = NULL;
	const struct c4w_array_view *v;
	if (c4w_records_transform(it, t, &a, &err) != C4W_OK) {
		ok(false, "%s: %s", t->what, err.message);
		return;
	}
	v = c4w_arrays_view(a, t->what);
	ok(v && c4w_arrays_count(a) == 1 && strcmp(v->dtype, pairs ? "<c16" : "<f8") == 0, "%s", t->what);
	compare(list, v->data, v->count, pairs, t->what);
	c4w_arrays_free(a);
}

static void compare_record(struct c4w_records *it, uint32_t rec)
{
	struct c4w_transform t = { .ue = -1 };
	uint32_t response = c4w_json_member(doc, rec, "frequency_response"), rows = c4w_json_member(doc, response, "rows"), row;
	double offsets[16];
	struct c4w_arrays *a = NULL;
	size_t n = 0, i = 0;
	uint32_t offs = c4w_json_member(doc, response, "offsets_hz"), e;
	t.what = "power";
	compare_what(it, &t, c4w_json_member(doc, rec, "path_power_db"), false);
	t.what = "delay-spread";
	compare_what(it, &t, c4w_json_member(doc, rec, "delay_spread"), false);
	t.what = "baseband";
	compare_what(it, &t, c4w_json_member(doc, rec, "baseband_absolute"), true);
	t.first = true;
	compare_what(it, &t, c4w_json_member(doc, rec, "baseband_first_retained"), true);
	t.first = false;
	for (e = c4w_json_first(doc, offs); e != C4W_JSON_NONE && n < 16; e = c4w_json_next(doc, offs, e))
		offsets[n++] = number(e);
	t.what = "response";
	t.offsets_hz = offsets;
	t.n_offsets = n;
	if (c4w_records_transform(it, &t, &a, &err) != C4W_OK) {
		ok(false, "response: %s", err.message);
		return;
	}
	for (row = c4w_json_first(doc, rows); row != C4W_JSON_NONE; row = c4w_json_next(doc, rows, row), i++)
		compare(row, (const double *)c4w_arrays_at(a, 0)->data + 2 * n * i, n, true, "response");
	ok(i > 0 && c4w_arrays_at(a, 0)->rank == 2 && c4w_arrays_at(a, 0)->shape[1] == n, "rows");
	c4w_arrays_free(a);
}

static bool scene_is(uint32_t scene, const char *id)
{
	return c4w_json_string_eq(doc, c4w_json_member(doc, scene, "id"), (struct c4w_view){ id, strlen(id) });
}

static unsigned against(const char *name)
{
	struct c4w_arena arena = { 0 };
	struct c4w_blob *blob = NULL;
	struct c4w_json parsed;
	struct c4w_records *it = NULL;
	struct c4w_record_id id;
	struct c4w_root *r;
	char path[200];
	const uint8_t *p;
	unsigned records = 0;
	snprintf(path, sizeof path, DATA "expected-%s.json", name);
	if (c4w_blob_file(path, &blob, &err) != C4W_OK || c4w_blob_view(blob, 0, c4w_blob_size(blob), &arena, &p, &err) != C4W_OK ||
	    c4w_json_parse((struct c4w_view){ (const char *)p, c4w_blob_size(blob) }, 0, 0, &arena, &parsed, &err) != C4W_OK) {
		ok(false, "%s: %s", path, err.message);
		return 0;
	}
	doc = &parsed;
	snprintf(path, sizeof path, DATA "%s", name);
	r = root_of(path, NULL);
	ok(r && c4w_records_open(r, NULL, &it, &err) == C4W_OK, "%s", err.message);
	while (it && c4w_records_next(it, &id, &err) == C4W_OK && id.kind) {
		uint32_t scenes = c4w_json_member(doc, 0, "scenes"), s, list, rec;
		if (strcmp(id.kind, "channel") != 0)
			continue;
		for (s = c4w_json_first(doc, scenes); s != C4W_JSON_NONE && !scene_is(s, id.scene); s = c4w_json_next(doc, scenes, s))
			;
		list = c4w_json_member(doc, s, "records");
		for (rec = c4w_json_first(doc, list); rec != C4W_JSON_NONE; rec = c4w_json_next(doc, list, rec)) {
			int64_t hz = 0, bs = -1;
			if (c4w_json_i64(doc, c4w_json_member(doc, rec, "frequency_hz"), &hz, NULL) == C4W_OK &&
			    c4w_json_i64(doc, c4w_json_member(doc, rec, "bs"), &bs, NULL) == C4W_OK && hz == id.frequency_hz && bs == id.bs)
				break;
		}
		ok(rec != C4W_JSON_NONE, "%s %lld %lld is expected", id.scene, (long long)id.frequency_hz, (long long)id.bs);
		if (rec == C4W_JSON_NONE)
			continue;
		compare_record(it, rec);
		records++;
	}
	c4w_records_close(it);
	c4w_root_close(r);
	c4w_blob_close(blob);
	c4w_arena_clear(&arena);
	return records;
}

static void test_reference_values(void)
{
	is_int(against("release"), 16);
	ok(against("subset") > 0, "subset");
	ok(against("cache") > 0, "cache");
}

/* ---- reading ---- */

static void test_record(void)
{
	static const char *const fields[] = { "link_ue_index", "link_path_offsets", "path_rank", "a_real", "a_imag", "tau", "theta_t", "phi_t",
					      "theta_r", "phi_r", "interaction_count", "interaction_flags" };
	struct c4w_root *r = root_of(DATA "release", NULL);
	struct c4w_arrays *a = NULL;
	const struct c4w_array_view *v;
	size_t i;
	is_str(c4w_root_family(r), "channels4world");
	ok(c4w_record_read(r, "urban_scene_019231", 3500000000, 0, "core", &a, &err) == C4W_OK, "%s", err.message);
	is_int(c4w_arrays_count(a), 12);
	for (i = 0; i < 12; i++)
		is_str(c4w_arrays_at(a, i)->name, fields[i]);
	ok(!c4w_arrays_at(a, 12) && !c4w_arrays_view(a, "nothing"), "no more");
	v = c4w_arrays_view(a, "tau");
	is_str(v->dtype, "<f4");
	ok(v->rank == 1 && v->shape[0] == 126 && v->count == 126 && v->bytes == 504 && !v->fortran, "shape");
	ok(((const float *)v->data)[0] == 1.248921421392879e-06f, "value");
	c4w_arrays_free(a);
	ok(c4w_record_read(r, "urban_scene_019231", 3500000000, 0, "detail", &a, &err) == C4W_OK, "%s", err.message);
	v = c4w_arrays_view(a, "interaction_vertex");
	if (!v)
		v = c4w_arrays_at(a, 3);
	ok(v->rank == 2 && v->shape[1] == 3, "vertices");
	c4w_arrays_free(a);
	ok(c4w_record_read(r, "urban_scene_019231", -1, -1, "positions", &a, &err) == C4W_OK, "%s", err.message);
	v = c4w_arrays_view(a, "ue_positions");
	ok(v && v->rank == 2 && v->shape[0] == 24 && v->shape[1] == 3, "positions");
	c4w_arrays_free(a);
	ok(c4w_record_read(r, "urban_scene_019231", -1, -1, "geometry", &a, &err) == C4W_OK, "%s", err.message);
	v = c4w_arrays_view(a, "geometry");
	ok(v && v->bytes > 100 && memcmp(v->data, "PK\3\4", 4) == 0, "an archive");
	c4w_arrays_free(a);

	ok(c4w_record_read(r, "urban_scene_019231", 1, 0, "core", &a, &err) != C4W_OK && !a, "no such carrier");
	ok(c4w_record_read(r, "urban_scene_019231", 3500000000, 77, "core", &a, &err) != C4W_OK && !a, "no such base station");
	is_int(c4w_record_read(r, "nowhere", -1, -1, "positions", &a, &err), C4W_USAGE);
	is_int(c4w_record_read(r, "a,b", -1, -1, "positions", &a, &err), C4W_USAGE);
	is_int(c4w_record_read(r, "urban_scene_019231", -1, -1, "core", &a, &err), C4W_USAGE);
	is_int(c4w_record_read(r, "urban_scene_019231", 3500000000, 0, "shape", &a, &err), C4W_USAGE);
	is_int(c4w_record_read(r, "metro_scene_019233", 3500000000, 0, "detail", &a, NULL), C4W_ABSENT);
	c4w_root_close(r);
	c4w_root_close(NULL);
	c4w_arrays_free(NULL);
}

static void test_transform_shapes(void)
{
	static const struct { const char *what, *dtype; unsigned rank; } table[] = {
		{ "power", "<f8", 1 }, { "gain", "<c8", 1 }, { "delay-spread", "<f8", 1 }, { "baseband", "<c16", 1 }, { "response", "<c16", 2 },
		{ "padded", "<f4", 2 }, { "mask", "|b1", 2 } };
	double offsets[] = { -1e6, 1e6 };
	struct c4w_transform t = { .offsets_hz = offsets, .n_offsets = 2, .ue = -1 };
	struct c4w_root *r = root_of(DATA "subset", NULL);
	struct c4w_records *it = NULL;
	struct c4w_record_id id = { 0 };
	struct c4w_arrays *a = NULL, *core = NULL;
	size_t i;
	ok(c4w_records_open(r, NULL, &it, &err) == C4W_OK, "%s", err.message);
	t.what = "power";
	is_int(c4w_records_transform(it, &t, &a, &err), C4W_USAGE);
	is_int(c4w_records_read(it, "core", &a, &err), C4W_USAGE);
	while (c4w_records_next(it, &id, &err) == C4W_OK && id.kind && strcmp(id.kind, "channel") != 0) {
		is_int(c4w_records_transform(it, &t, &a, &err), C4W_USAGE);
		is_int(c4w_records_read(it, "core", &a, &err), C4W_USAGE);
	}
	ok(id.kind != NULL, "there is a channel");
	ok(c4w_records_read(it, "core", &core, &err) == C4W_OK, "%s", err.message);
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		t.what = table[i].what;
		ok(c4w_records_transform(it, &t, &a, &err) == C4W_OK, "%s", err.message);
		is_str(c4w_arrays_at(a, 0)->dtype, table[i].dtype);
		is_int(c4w_arrays_at(a, 0)->rank, table[i].rank);
		c4w_arrays_free(a);
	}
	t.ue = ((const int32_t *)c4w_arrays_view(core, "link_ue_index")->data)[1];
	t.what = "padded";
	t.field = "path_rank";
	ok(c4w_records_transform(it, &t, &a, &err) == C4W_OK, "%s", err.message);
	is_str(c4w_arrays_at(a, 0)->dtype, "|u1");
	ok(c4w_arrays_at(a, 0)->shape[0] == 1 && c4w_arrays_at(a, 0)->shape[1] == 16, "one link");
	ok(((const uint8_t *)c4w_arrays_at(a, 0)->data)[0] == 0, "ranks begin at 0");
	c4w_arrays_free(a);
	t.field = "link_ue_index";
	is_int(c4w_records_transform(it, &t, &a, &err), C4W_USAGE);
	t.what = "nothing";
	is_int(c4w_records_transform(it, &t, &a, &err), C4W_USAGE);
	ok(c4w_records_read(it, "positions", &a, &err) == C4W_OK, "of a channel: %s", err.message);
	c4w_arrays_free(a);
	c4w_arrays_free(core);
	c4w_records_close(it);
	c4w_root_close(r);
}

/* ---- selections, missing, verify ---- */

static void test_select(void)
{
	const char *names[] = { "split", "split", "nothing" }, *values[] = { "test", "train", "x" }, *none[] = { NULL };
	struct c4w_root *r = root_of(DATA "release", NULL), *other = root_of("tests/data/containers", "file");
	struct c4w_select *s = NULL;
	struct c4w_records *it = NULL;
	struct c4w_record_id id;
	unsigned n = 0;
	is_int(c4w_select_new(r, names + 2, values + 2, 1, &s, &err), C4W_USAGE);
	ok(!s, "nothing is handed out");
	is_int(c4w_select_new(r, names, none, 1, &s, &err), C4W_USAGE);
	ok(c4w_select_new(r, names, values, 2, &s, &err) == C4W_OK, "%s", err.message);
	ok(c4w_records_open(r, s, &it, &err) == C4W_OK, "%s", err.message);
	while (c4w_records_next(it, &id, &err) == C4W_OK && id.kind) {
		ok(strncmp(id.scene, "metro", 5) == 0, "the last --split counts: %s", id.scene);
		n += strcmp(id.kind, "channel") == 0;
	}
	is_int(n, 8);
	c4w_records_close(it);
	is_int(c4w_records_open(other, NULL, &it, &err), C4W_USAGE);
	is_int(c4w_verify(other, s, NULL, NULL, NULL, NULL, &err), C4W_USAGE);
	c4w_select_free(s);
	c4w_select_free(NULL);
	c4w_root_close(other);
	c4w_root_close(r);
}

static void test_missing(void)
{
	struct c4w_root *r = root_of(DATA "partial", NULL);
	struct c4w_missing_list *m = NULL;
	uint64_t bytes = 0, sum = 0;
	size_t i;
	ok(c4w_missing_new(r, NULL, &m, &err) == C4W_OK, "%s", err.message);
	ok(c4w_missing_count(m) > 0, "files are missing");
	for (i = 0; i < c4w_missing_count(m); i++) {
		const char *path = c4w_missing_path(m, i, &bytes);
		sum += bytes;
		ok(*path && (i == 0 || strcmp(c4w_missing_path(m, i - 1, NULL), path) < 0), "sorted");
	}
	ok(sum > 0 && !c4w_missing_path(m, i, &bytes), "sizes");
	ok(!c4w_missing_unpublished(m, c4w_missing_unpublished_count(m)), "beyond the last");
	c4w_missing_free(m);
	c4w_missing_free(NULL);
	c4w_root_close(r);
}

struct seen {
	unsigned n, stop;
	char state[40], item[200];
};

static bool see(void *user, const struct c4w_problem *p)
{
	struct seen *s = user;
	s->n++;
	snprintf(s->state, sizeof s->state, "%s", p->state);
	snprintf(s->item, sizeof s->item, "%s", p->item);
	return s->n != s->stop;
}

static void test_verify(void)
{
	struct c4w_run_opts opts = { .jobs = 2, .level = 1 };
	struct c4w_counts c;
	struct seen seen = { 0 };
	struct c4w_root *r = root_of(DATA "release", NULL);
	ok(c4w_verify(r, NULL, NULL, see, &seen, &c, &err) == C4W_OK, "%s", err.message);
	ok(seen.n == 0 && c.passed > 16 && c.failed + c.missing + c.unreadable == 0 && c.bytes > 10000, "%s %s", seen.state, seen.item);
	c4w_root_close(r);
	r = root_of(DATA "partial", NULL);
	ok(c4w_verify(r, NULL, &opts, see, &seen, &c, &err) == C4W_OK, "%s", err.message);
	ok(seen.n > 1 && c.missing > 0, "what is not downloaded is told");
	is_str(seen.state, "missing");
	seen.n = 0;
	seen.stop = 1;
	is_int(c4w_verify(r, NULL, &opts, see, &seen, &c, &err), C4W_CANCELLED);
	is_int(seen.n, 1);
	c4w_root_close(r);
}

static void fact(void *user, const char *key, const char *text, int64_t n)
{
	(void)n;
	if (strcmp(key, "release") == 0 && text)
		snprintf(user, 40, "%s", text);
}

static void test_facts(void)
{
	struct c4w_root *r = root_of(DATA "release", NULL);
	char release[40] = "";
	ok(c4w_root_facts(r, fact, release, &err) == C4W_OK, "%s", err.message);
	is_str(release, "1.0.0");
	c4w_root_close(r);
	is_int(c4w_root_open("tests/data/nowhere", NULL, &r, &err) == C4W_OK, 0);
	ok(!r && err.message[0], "an error says something");
	is_int(c4w_root_open(DATA "release", "nothing", &r, &err), C4W_USAGE);
	ok(strlen(c4w_library_version()) > 0, "version");
}

/* ---- leaves ---- */

static bool step(void *user, const char *name, const char *kind)
{
	char *list = user;
	snprintf(list + strlen(list), 2000 - strlen(list), "%s(%s) ", name, kind);
	return true;
}

static bool stop_at_once(void *user, const char *name, const char *kind)
{
	(void)name;
	(void)kind;
	++*(int *)user;
	return false;
}

static void test_leaves(void)
{
	struct c4w_root *r = root_of(DATA "release", NULL);
	struct c4w_arrays *a = NULL, *b = NULL;
	char list[2000] = "";
	int calls = 0;
	ok(c4w_list(r, NULL, step, list, &err) == C4W_OK, "%s", err.message);
	ok(strstr(list, "urban_scene_019231(dir) "), "%s", list);
	list[0] = 0;
	ok(c4w_list(r, "urban_scene_019231/3500000000/0/core", step, list, &err) == C4W_OK, "%s", err.message);
	ok(strstr(list, "tau(array) "), "%s", list);
	ok(c4w_list(r, "", stop_at_once, &calls, &err) == C4W_OK && calls == 1, "stopped");
	ok(c4w_read(r, "urban_scene_019231/3500000000/0/core/tau", 0, &a, &err) == C4W_OK, "%s", err.message);
	ok(c4w_record_read(r, "urban_scene_019231", 3500000000, 0, "core", &b, &err) == C4W_OK, "%s", err.message);
	ok(c4w_arrays_view(a, "tau")->bytes == 504 && memcmp(c4w_arrays_view(a, "tau")->data, c4w_arrays_view(b, "tau")->data, 504) == 0, "same");
	c4w_arrays_free(a);
	c4w_arrays_free(b);
	is_int(c4w_read(r, "urban_scene_019231/3500000000/0/core/tau", 100, &a, &err), C4W_LIMIT);
	is_int(c4w_read(r, "urban_scene_019231/1/0/core/tau", 0, &a, &err), C4W_UNKNOWN);
	is_int(c4w_list(r, "urban_scene_019231/nothing", step, list, &err), C4W_UNKNOWN);
	c4w_root_close(r);
}

static void test_containers(void)
{
	static const struct { const char *path, *leaf; } table[] = {
		{ "tests/data/containers/f4-1.npy", "" }, { "tests/data/containers/savez.npz", NULL }, { "tests/data/containers/ustar.tar", NULL },
		{ "tests/data/containers/streamed.zip", NULL }, { "tests/data/containers/two.zst", "" } };
	size_t i;
	for (i = 0; i < sizeof table / sizeof *table; i++) {
		struct c4w_root *r = root_of(table[i].path, "file");
		struct c4w_arrays *a = NULL;
		char list[2000] = "", leaf[200];
		snprintf(leaf, sizeof leaf, "%s", table[i].leaf ? table[i].leaf : "");
		if (!table[i].leaf) {
			char *at, *next = NULL;
			ok(c4w_list(r, NULL, step, list, &err) == C4W_OK && *list, "%s: %s", table[i].path, err.message);
			for (at = strtok_r(list, " ", &next); at && strstr(at, "(dir)"); at = strtok_r(NULL, " ", &next))
				;
			snprintf(leaf, sizeof leaf, "%.*s", at ? (int)strcspn(at, "(") : 0, at ? at : "");
		}
		ok(c4w_read(r, leaf, 0, &a, &err) == C4W_OK, "%s %s: %s", table[i].path, leaf, err.message);
		ok(a && c4w_arrays_count(a) == 1 && c4w_arrays_at(a, 0)->data, "%s", table[i].path);
		c4w_arrays_free(a);
		c4w_root_close(r);
	}
}

/* ---- Parquet ---- */

static void test_table(void)
{
	struct c4w_root *r = root_of(DATA "release", NULL);
	struct c4w_table *t = NULL;
	struct c4w_arrays *a = NULL;
	size_t i, texts = 0, numbers = 0;
	is_int(c4w_table_open(DATA "release/c4w-root.json", &t, &err) == C4W_OK, 0);
	ok(!t, "no table");
	c4w_root_close(r);
	ok(c4w_table_open(DATA "release/c4w-root/files.parquet", &t, &err) == C4W_OK, "%s", err.message);
	ok(c4w_table_rows(t) > 3 && c4w_table_columns(t) > 3, "size");
	for (i = 0; i < c4w_table_columns(t); i++) {
		ok(c4w_table_read(t, i, &a, &err) == C4W_OK, "%s: %s", c4w_table_name(t, i), err.message);
		if (c4w_arrays_view(a, "values")) {
			numbers++;
			is_int(c4w_arrays_view(a, "values")->count, c4w_table_rows(t));
		} else {
			texts++;
			is_int(c4w_arrays_view(a, "offsets")->count, c4w_table_rows(t) + 1);
			ok(strstr(c4w_table_type(t, i), "BYTE_ARRAY"), "%s", c4w_table_type(t, i));
		}
		c4w_arrays_free(a);
	}
	ok(texts && numbers, "both kinds");
	is_int(c4w_table_read(t, i, &a, &err), C4W_USAGE);
	ok(!c4w_table_name(t, i) && !c4w_table_type(t, i), "beyond the last");
	c4w_table_close(t);
	c4w_table_close(NULL);
}

static void test_prepare(void)
{
	const char *names[] = { "split" }, *values[] = { "test" };
	struct c4w_root *r = root_of(DATA "release", NULL), *sub;
	struct c4w_select *s = NULL;
	struct c4w_counts c;
	struct seen seen = { 0 };
	char dir[] = "/tmp/c4w-api-XXXXXX", dest[100], command[200];
	struct c4w_run_opts opts = { .jobs = 2 };
	ok(mkdtemp(dir) != NULL, "a folder");
	ok(c4w_select_new(r, names, values, 1, &s, &err) == C4W_OK, "%s", err.message);
	is_int(c4w_extract(r, s, DATA "release/inside", NULL, NULL, NULL, &c, NULL) == C4W_OK, 0);
	ok(access(DATA "release/inside", F_OK) != 0, "nothing stays behind");
	snprintf(dest, sizeof dest, "%s/out", dir);
	ok(c4w_extract(r, s, dest, NULL, see, &seen, &c, &err) == C4W_OK, "%s", err.message);
	ok(c.passed > 0 && c.failed == 0 && c.bytes > 0 && seen.n == 0, "%s", seen.item);
	sub = root_of(dest, NULL);
	ok(c4w_verify(sub, NULL, NULL, see, &seen, &c, &err) == C4W_OK && c.passed > 0 && c.failed == 0, "%s", err.message);
	is_int(c4w_extract(r, s, dest, NULL, NULL, NULL, &c, &err), C4W_USAGE); /* not empty */
	opts.keep_existing = true;
	ok(c4w_extract(r, s, dest, &opts, NULL, NULL, &c, &err) == C4W_OK, "%s", err.message);
	snprintf(dest, sizeof dest, "%s/cache", dir);
	ok(c4w_to_cache(r, s, dest, NULL, see, &seen, &c, &err) == C4W_OK, "%s", err.message);
	c4w_root_close(sub);
	sub = root_of(dest, NULL);
	ok(c4w_verify(sub, NULL, NULL, see, &seen, &c, &err) == C4W_OK && c.passed > 0 && c.failed == 0 && seen.n == 0, "%s", err.message);
	c4w_root_close(sub);
	sub = root_of("tests/data/containers", "file");
	is_int(c4w_to_cache(sub, NULL, dest, NULL, NULL, NULL, &c, &err), C4W_UNSUPPORTED);
	c4w_root_close(sub);
	c4w_select_free(s);
	c4w_root_close(r);
	snprintf(command, sizeof command, "rm -rf '%s'", dir);
	ok(system(command) == 0, "clean");
}

int main(void)
{
	RUN(test_reference_values);
	RUN(test_record);
	RUN(test_transform_shapes);
	RUN(test_select);
	RUN(test_missing);
	RUN(test_verify);
	RUN(test_facts);
	RUN(test_leaves);
	RUN(test_containers);
	RUN(test_table);
	RUN(test_prepare);
	return done();
}
