/* TimeF: time arithmetic in 128 bits, versions, references, units; pruned access, counted by the memory store. */
#include "tap.h"

#include <unistd.h>

#include "families/timef_find.h"
#include "families/timef_values.h"
#include "families/timef_view.h"

static struct c4w_timef_series regular(int64_t num, int64_t den, int64_t start, int64_t n)
{
	struct c4w_timef_series s = { .axis = C4W_TF_REGULAR, .num = num, .den = den, .start_index = start, .n_values = n, .has_num = true,
				      .has_den = true, .has_start = true, .has_n = true };

	return s;
}

/* One after the other as each by itself. */
static void test_runs_of_offsets(void)
{
	static const int64_t clocks[][3] = { { 25000, 9, 0 }, { 100000000, 2997, 17 }, { -50000, -18, 5 }, { 1, 1, INT64_C(1) << 60 }, { INT64_MAX, INT64_MAX - 1, 3 },
					     { INT64_C(4000000000000000001), 1, 0 }, { 1000000007, 999999937, INT64_C(1) << 40 } };
	int64_t run[100], v;
	size_t i, n;
	int64_t k;

	for (i = 0; i < sizeof clocks / sizeof *clocks; i++) {
		struct c4w_timef_series s = regular(clocks[i][0], clocks[i][1], clocks[i][2], 100);

		for (k = 0; k < 40; k += 13) {
			n = clocks[i][0] > INT64_C(1) << 61 && clocks[i][1] == 1 ? 2 : 60;
			n = c4w_timef_regular_offset(&s, k + (int64_t)n - 1, &v) ? n : 0;
			ok(c4w_timef_regular_offsets(&s, k, n, run), "clock %zu from %lld", i, (long long)k);
			while (n-- > 0)
				if (!c4w_timef_regular_offset(&s, k + (int64_t)n, &v) || v != run[n])
					ok(false, "step %lld: %lld, not %lld", (long long)k + (long long)n, (long long)run[n], (long long)v);
		}
	}
	ok(!c4w_timef_regular_offsets(&(struct c4w_timef_series){ .axis = C4W_TF_REGULAR, .num = INT64_MAX, .den = 1, .has_num = true, .has_den = true }, 0, 100, run),
	   "beyond 64 bits");
}

static void test_offsets(void)
{
	struct c4w_timef_series s = regular(25000, 9, 0, 4);
	int64_t v, a, b;

	ok(c4w_timef_regular_offset(&s, 1, &v) && v == 2777, "360 Hz, step 1: %lld", (long long)v);
	ok(c4w_timef_regular_offset(&s, 3, &v) && v == 8333, "step 3: %lld", (long long)v);
	ok(c4w_timef_window(&s, &a, &b) && a == 0 && b == 11111, "window [%lld, %lld)", (long long)a, (long long)b);
	is_int(c4w_timef_regular_step(&s, 0), 0);
	is_int(c4w_timef_regular_step(&s, 1), 1);
	is_int(c4w_timef_regular_step(&s, 2777), 1); /* the first step at or after: ceil(2777 * 9 / 25000) */
	is_int(c4w_timef_regular_step(&s, 2778), 2);
	is_int(c4w_timef_regular_step(&s, 1000000), 4);
	s = regular(-50000, -18, 17, 30); /* two negative terms, unreduced: accepted */
	c4w_timef_period(&s, &a, &b);
	ok(a == 25000 && b == 9, "%lld/%lld", (long long)a, (long long)b);
	ok(c4w_timef_regular_offset(&s, 0, &v) && v == 47222, "%lld", (long long)v);
	/* (start + k) * num needs more than 64 bits, the result doesn't */
	s = regular(INT64_C(9000000000000000001), INT64_C(9000000000000000000), INT64_C(4000000000000000000), 2);
	ok(c4w_timef_regular_offset(&s, 1, &v) && v == INT64_C(4000000000000000001), "%lld", (long long)v);
	s = regular(INT64_MAX, 1, INT64_MAX, 2);
	ok(!c4w_timef_regular_offset(&s, 1, &v), "beyond 64 bits is said");
	s.den = 0;
	ok(!c4w_timef_regular_offset(&s, 1, &v), "a denominator of 0 divides nothing");
}

static void test_iso(void)
{
	static const struct {
		int64_t us;
		const char *text;
	} t[] = {
		{ 0, "1970-01-01T00:00:00.000000Z" },
		{ INT64_C(1700000000000001), "2023-11-14T22:13:20.000001Z" },
		{ -1, "1969-12-31T23:59:59.999999Z" },
		{ INT64_C(-62135596800000000), "0001-01-01T00:00:00.000000Z" },
		{ INT64_C(9007199254740993), "2255-06-05T23:47:34.740993Z" },
		{ INT64_C(951782400000000), "2000-02-29T00:00:00.000000Z" },
		{ INT64_MAX, "+294247-01-10T04:00:54.775807Z" },
		{ INT64_MIN, "-290308-12-21T19:59:05.224192Z" },
	};
	char buf[48];
	size_t i;

	for (i = 0; i < sizeof t / sizeof *t; i++) {
		c4w_timef_iso(t[i].us, buf);
		is_str(buf, t[i].text);
	}
}

static void test_names(void)
{
	static const char *const good[] = { "1.2.3", "0.0.0", "1.10.0" }, *const bad[] = { "1.2", "1.2.3.4", "+1.0.0", " 1.0.0", "01.0.0", "1_0.0.0", "1..0", "", "a.b.c", "1.0.0 " };
	struct c4w_view id, version;
	uint64_t a[3], b[3];
	size_t i;

	for (i = 0; i < sizeof good / sizeof *good; i++)
		ok(c4w_timef_version_parse(c4w_view_z(good[i]), a), "%s", good[i]);
	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		ok(!c4w_timef_version_parse(c4w_view_z(bad[i]), a), "'%s'", bad[i]);
	ok(c4w_timef_version_parse(C4W_VIEW("1.9.0"), a) && c4w_timef_version_parse(C4W_VIEW("1.10.0"), b) && c4w_timef_version_cmp(a, b) < 0, "1.9.0 < 1.10.0");
	ok(c4w_timef_dataset_id_ok(C4W_VIEW("org/name.x-1_2")), "an id");
	ok(!c4w_timef_dataset_id_ok(C4W_VIEW("org/name\n")), "a newline at the end");
	ok(!c4w_timef_dataset_id_ok(C4W_VIEW("org/.name")) && !c4w_timef_dataset_id_ok(C4W_VIEW("a/b/c")) && !c4w_timef_dataset_id_ok(C4W_VIEW("/b")), "no ids");
	ok(c4w_timef_ref_parse("a/b@latest", &id, &version, NULL) == C4W_OK && version.n == 0, "latest");
	ok(c4w_timef_ref_parse("a/b@1.2.3", &id, &version, NULL) == C4W_OK && c4w_view_eqz(version, "1.2.3"), "a version");
	ok(c4w_timef_ref_parse("a/b@1@2", &id, &version, NULL) == C4W_USAGE && c4w_timef_ref_parse("a/b@", &id, &version, NULL) == C4W_USAGE, "bad references");
}

static void test_units(void)
{
	static const char *const good[] = { "millivolt", "dimensionless", "degree_Celsius", "years", "kg", "mmHg", "beat / minute", "bpm", "meter / second ** 2", "",
					    "µV", "microvolt", "percent", "1 / centimeter", "kilopascal", "degC", " ", "1", "1.0 m", "m²", "s⁻¹",
					    "m·s⁻²", "kg.m/s", "(m*s)/kg", "m squared", "sq m", "cubic meter", "m per s per s", "m^(1+1)", "m*2/2", "°C", "°", "Δ°C", "‰", "%",
					    "inches", "feet", "mdelta_degC", "henrys", "kibimeter", "+m", "degC/m" };
	static const char *const bad[] = { "furlongz", "smoot", "milli", "millivolt apple", "?", "2 m", "100 / s", "m + s", "-m", "m /", "/m", "m **", "m**s", "m**0", "(m",
					   "m)", "()", "[m]", "2", "0", "m/0", "kdegC", "secondss", "ms s kms", "kkm", "Meter", "dimensionlesss", "per", "m per",
					   "kdimensionless", "squared", "mm Hg", "unknown", "inf", "EBs" };
	size_t i;

	for (i = 0; i < sizeof good / sizeof *good; i++) {
		struct c4w_view exact = c4w_view_z(good[i]);
		char *copy = malloc(exact.n + !exact.n); /* so that the sanitizer sees a read beyond the end */

		memcpy(copy, exact.p, exact.n);
		exact.p = copy;
		ok(c4w_timef_unit_known(exact), "%s", good[i]);
		free(copy);
	}
	for (i = 0; i < sizeof bad / sizeof *bad; i++)
		ok(!c4w_timef_unit_known(c4w_view_z(bad[i])), "%s", bad[i]);
}

/* The values of one series: what is read is its record's rows of the index and its own chunks. */
static void pruned(const char *base, const char *record, const char *series)
{
	struct c4w_timef_view v = { .record = record, .limit = UINT64_MAX };
	struct c4w_memstore_faults none = { 0 };
	struct c4w_timef_cursor *c;
	struct c4w_timef_run run;
	struct c4w_store *dir, *mem;
	struct c4w_err err = { 0 };
	struct c4w_timef *ds;
	uint64_t calls, bytes, whole = 0;
	char path[200];
	size_t i;

	snprintf(path, sizeof path, "tests/data/timef/gen/%s", base);
	ok(c4w_store_open_dir(path, &dir, NULL) == C4W_OK && c4w_memstore_new(&mem, NULL) == C4W_OK, "stores");
	ok(c4w_memstore_load(mem, dir, "", NULL) == C4W_OK, "loaded");
	c4w_store_close(dir);
	c4w_memstore_faults(mem, &none);
	ok(c4w_timef_open(mem, base, NULL, &ds, &err) == C4W_OK, "%s", err.message);
	for (i = 0; i < ds->m.nfiles; i++)
		whole += ds->m.files[i].size;
	c4w_memstore_counts(mem, &calls, &bytes);
	c4w_memstore_faults(mem, &none); /* the manifest is read anyway */
	v.ds = ds;
	ok(c4w_timef_view_load(&v, true, &err) == C4W_OK, "%s", err.message);
	is_int(ds->nrecords, 1);
	ok(c4w_timef_cursor_new(ds, &c, &err) == C4W_OK, "%s", err.message);
	for (i = 0; i < ds->nseries; i++)
		if (c4w_view_eqz(ds->series[i].id, series))
			break;
	ok(i < ds->nseries && c4w_timef_begin(c, &ds->series[i], &err) == C4W_OK, "%s", err.message);
	ok(c4w_timef_lend(c, 0, 1, true, &run, &err) == C4W_OK && run.steps == 1, "%s", err.message);
	c4w_memstore_counts(mem, &calls, &bytes);
	ok(bytes * 2 < whole, "%llu of %llu bytes in %llu calls", (unsigned long long)bytes, (unsigned long long)whole, (unsigned long long)calls);
	printf("# %s: %llu of %llu bytes, %llu calls\n", base, (unsigned long long)bytes, (unsigned long long)whole, (unsigned long long)calls);
	c4w_timef_cursor_free(c);
	c4w_timef_close(ds);
	c4w_store_close(mem);
}

static void test_pruned(void)
{
	pruned("full-parquet/1.0.0", "record-long", "series-long-f32");
	pruned("full-zarr/1.0.0", "106", "90");
}

int main(void)
{
	if (access("tests/data/timef/gen/full-zarr", R_OK) != 0 && chdir("../../../..") != 0)
		return 1;
	RUN(test_offsets);
	RUN(test_runs_of_offsets);
	RUN(test_iso);
	RUN(test_names);
	RUN(test_units);
	RUN(test_pruned);
	return done();
}
