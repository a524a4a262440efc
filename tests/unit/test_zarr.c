/* Zarr arrays out of the small data sets in tests/data: values, absent chunks, ranges, faults of the store. */
#include "tap.h"

#include <unistd.h>

#include "containers/zarr.h"

static struct c4w_store *mem;

static void load(void)
{
	struct c4w_store *dir;

	ok(c4w_store_open_dir("tests/data/timef/gen/full-zarr/1.0.0", &dir, NULL) == C4W_OK, "data is there");
	ok(c4w_memstore_new(&mem, NULL) == C4W_OK, "memory store");
	ok(c4w_memstore_load(mem, dir, "time_series.zarr", NULL) == C4W_OK, "loaded");
	c4w_store_close(dir);
}

static int open_array(const char *path, struct c4w_zarr **z)
{
	struct c4w_err err = { 0 };
	char full[200];
	int rc;

	snprintf(full, sizeof full, "time_series.zarr/%s", path);
	rc = c4w_zarr_open(mem, full, z, &err);
	if (rc == C4W_ABSENT)
		rc = c4w_zarr_open(mem, path, z, &err);
	if (rc != C4W_OK)
		printf("# %s: %s\n", path, err.message);
	return rc;
}

/* Read whole, in pieces of every size, and lent: always the same bytes. */
static void test_ranges(void)
{
	static const char *const names[] = { "float32_plain", "int8_plain", "_time_offsets/float64_plain", "_validity/float32_opt", "mat", "vec3" };
	size_t i;

	for (i = 0; i < sizeof names / sizeof *names; i++) {
		const struct c4w_zarr_meta *m;
		struct c4w_zarr_cursor *c;
		struct c4w_zarr_run run;
		struct c4w_zarr *z;
		uint8_t *whole, *part;
		uint64_t n, a, step;

		ok(open_array(names[i], &z) == C4W_OK, "%s opens", names[i]);
		m = c4w_zarr_meta(z);
		n = m->shape[0];
		ok(c4w_zarr_cursor_new(&c, NULL) == C4W_OK, "cursor");
		whole = malloc(n * m->step + 1);
		part = malloc(n * m->step + 1);
		ok(c4w_zarr_read(z, c, 0, n, whole, NULL) == C4W_OK, "whole");
		for (step = 1; step < 70; step += 13) {
			memset(part, 0x5a, n * m->step);
			for (a = 0; a < n; a += step)
				if (c4w_zarr_read(z, c, a, a + step < n ? a + step : n, part + a * m->step, NULL) != C4W_OK)
					ok(0, "%s [%llu, +%llu)", names[i], (unsigned long long)a, (unsigned long long)step);
			ok(memcmp(whole, part, n * m->step) == 0, "%s in steps of %llu", names[i], (unsigned long long)step);
		}
		for (a = 0; a < n; a += run.steps) {
			if (c4w_zarr_lend(z, c, a, n, &run, NULL) != C4W_OK || run.first != a || run.steps < 1) {
				ok(0, "%s lends", names[i]);
				break;
			}
			if (memcmp(run.values, whole + a * m->step, run.steps * m->step) != 0)
				ok(0, "%s lends other bytes at %llu", names[i], (unsigned long long)a);
		}
		ok(c4w_zarr_read(z, c, 0, n + 1, part, NULL) == C4W_USAGE, "beyond the end");
		free(whole);
		free(part);
		c4w_zarr_cursor_free(c);
		c4w_zarr_close(z);
	}
}

/* A series that is nothing but the fill value has no chunk at all. */
static void test_absent(void)
{
	struct c4w_zarr_cursor *c;
	struct c4w_zarr_run run;
	struct c4w_zarr *z;
	float v[40] = { 1 };
	size_t i;

	ok(open_array("silent", &z) == C4W_OK, "opens");
	ok(c4w_zarr_cursor_new(&c, NULL) == C4W_OK, "cursor");
	is_int(c4w_zarr_meta(z)->shape[0], 40);
	ok(c4w_zarr_read(z, c, 0, 40, v, NULL) == C4W_OK, "reads");
	for (i = 0; i < 40; i++)
		if (v[i] != 0)
			ok(0, "value %zu is %g", i, (double)v[i]);
	ok(c4w_zarr_lend(z, c, 3, 40, &run, NULL) == C4W_OK && run.absent, "said to be absent");
	c4w_zarr_cursor_free(c);
	c4w_zarr_close(z);
}

/* Every read that can fail does, and is told; nothing leaks (under the sanitizers). */
static void test_faults(void)
{
	struct c4w_memstore_faults f = { 0 };
	struct c4w_zarr_cursor *c;
	struct c4w_zarr *z;
	uint64_t n, failed = 0;
	int64_t nth;
	int rc, kind;

	for (kind = 0; kind < 2; kind++)
		for (nth = 1; nth < 40; nth++) {
			struct c4w_err err = { 0 };
			uint8_t *p;

			f.fail_nth = kind ? 0 : nth;
			f.cut_nth = kind ? nth : 0;
			c4w_memstore_faults(mem, &f);
			rc = c4w_zarr_open(mem, "time_series.zarr/int16_plain", &z, &err);
			if (rc == C4W_ABSENT)
				rc = c4w_zarr_open(mem, "int16_plain", &z, &err);
			if (rc == C4W_OK) {
				n = c4w_zarr_meta(z)->shape[0];
				p = malloc(n * 2);
				rc = c4w_zarr_cursor_new(&c, &err);
				if (rc == C4W_OK)
					rc = c4w_zarr_read(z, c, 0, n, p, &err);
				c4w_zarr_cursor_free(c);
				free(p);
				c4w_zarr_close(z);
			}
			if (rc != C4W_OK) {
				failed++;
				if (err.message[0] == 0)
					ok(0, "an error without a message");
			}
		}
	ok(failed > 4, "%llu failures were met", (unsigned long long)failed);
	memset(&f, 0, sizeof f);
	c4w_memstore_faults(mem, &f);
}

static void test_texts(void)
{
	struct c4w_zarr_cursor *c;
	struct c4w_zarr_run run;
	struct c4w_zarr *z;
	uint64_t a, n, empty = 0;
	size_t i;

	ok(open_array("str_plain", &z) == C4W_OK, "opens");
	ok(c4w_zarr_cursor_new(&c, NULL) == C4W_OK, "cursor");
	n = c4w_zarr_meta(z)->shape[0];
	for (a = 0; a < n; a += run.steps) {
		if (c4w_zarr_lend(z, c, a, n, &run, NULL) != C4W_OK) {
			ok(0, "lends");
			break;
		}
		for (i = 0; i < run.steps; i++)
			empty += run.offsets[i + 1] == run.offsets[i];
	}
	ok(empty > 0 && empty < n, "%llu of %llu texts are empty", (unsigned long long)empty, (unsigned long long)n);
	ok(c4w_zarr_read(z, c, 0, 1, &a, NULL) == C4W_USAGE, "texts are not read into a plain buffer");
	c4w_zarr_cursor_free(c);
	c4w_zarr_close(z);
}

int main(void)
{
	if (access("tests/data/timef/gen/full-zarr", R_OK) != 0 && chdir("../../../..") != 0)
		return 1;
	RUN(load);
	RUN(test_ranges);
	RUN(test_absent);
	RUN(test_texts);
	RUN(test_faults);
	c4w_store_close(mem);
	return done();
}
