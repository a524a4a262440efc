/* A bare driver of the Parquet module, for tests and scripts/bench-parquet; c4w's own commands are the users' way.
 *
 *     pq_tool cat [--format jsonl|csv|tsv] [--columns a,b.c] [--slice A:B] FILE
 *     pq_tool ls [--json] FILE
 *     pq_tool verify FILE
 *     pq_tool copy [--codec N] [--level N] [--v2] [--plain] [--encoding N] [--page BYTES] [--group ROWS] [--dictionary BYTES] IN OUT
 *     pq_tool bench [--jobs N] [--runs N] [--hold] [--dict] FILE    checksums a column, then seconds (of them processor) a run; --hold: all batches are kept
 */
#include "model/pq_check.h"
#include "containers/pq_write.h"
#include "model/pq_rows.h"

#include "base/pool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int to_stdout(void *ctx, const char *p, size_t n, struct c4w_err *err)
{
	(void)ctx;
	return fwrite(p, 1, n, stdout) == n ? C4W_OK : c4w_fail(err, C4W_IO, "cannot write");
}

static int fail(const struct c4w_err *err)
{
	char text[2048];

	c4w_err_format(err, text, sizeof text);
	fprintf(stderr, "pq_tool: %s\n", text);
	return err->cls == C4W_DAMAGED ? 1 : err->cls == C4W_UNSUPPORTED || err->cls == C4W_LIMIT ? 4 : 3;
}

static int open_file(const char *name, struct c4w_pq **pq, struct c4w_err *err)
{
	struct c4w_blob *blob;
	int rc;

	C4W_TRY(c4w_blob_file(name, &blob, err));
	rc = c4w_pq_open(blob, pq, err);
	c4w_blob_close(blob);
	return rc;
}

static int cat(int argc, char **argv)
{
	struct c4w_pq_rows_opts o = { .last = -1 };
	const char *columns[64];
	struct c4w_pq *pq;
	struct c4w_err err;
	uint32_t bad_crcs = 0;
	int i, rc;

	for (i = 0; i + 2 < argc; i += 2) {
		if (strcmp(argv[i], "--format") == 0)
			o.format = strcmp(argv[i + 1], "csv") == 0 ? C4W_ROWS_CSV : strcmp(argv[i + 1], "tsv") == 0 ? C4W_ROWS_TSV : C4W_ROWS_JSONL;
		if (strcmp(argv[i], "--slice") == 0) {
			char *end;

			o.first = strtoll(argv[i + 1], &end, 10);
			o.last = strtoll(end + 1, NULL, 10);
		}
		if (strcmp(argv[i], "--columns") == 0) {
			char *p = argv[i + 1];

			o.columns = columns;
			while (p && o.ncolumns < 64) {
				columns[o.ncolumns++] = p;
				p = strchr(p, ',');
				if (p)
					*p++ = 0;
			}
		}
	}
	if (i + 1 != argc)
		return 2;
	o.bad_crcs = &bad_crcs;
	if (open_file(argv[i], &pq, &err) != C4W_OK)
		return fail(&err);
	rc = c4w_pq_rows_print(pq, &o, NULL, to_stdout, NULL, &err);
	c4w_pq_close(pq);
	if (bad_crcs)
		fprintf(stderr, "pq_tool: warning: the CRC of %u pages differs\n", bad_crcs);
	return rc == C4W_OK ? 0 : fail(&err);
}

static int ls(int argc, char **argv)
{
	struct c4w_buf out = { 0 };
	struct c4w_pq *pq;
	struct c4w_err err;

	if (open_file(argv[argc - 1], &pq, &err) != C4W_OK)
		return fail(&err);
	if (argc > 1) {
		c4w_pq_schema_json(pq, &out);
		c4w_pq_groups_json(pq, &out);
	} else {
		c4w_pq_schema_text(pq, &out);
		c4w_pq_groups_text(pq, &out);
	}
	c4w_pq_close(pq);
	if (out.p)
		fputs(out.p, stdout);
	c4w_buf_clear(&out);
	return 0;
}

static int verify(const char *name)
{
	struct c4w_pq_verify_opts o = { .full = true, .path = name };
	struct c4w_findings fs = { 0 };
	struct c4w_blob *blob;
	struct c4w_err err;
	size_t i;
	int bad;

	if (c4w_blob_file(name, &blob, &err) != C4W_OK)
		return fail(&err);
	c4w_pq_verify(blob, &o, &fs);
	c4w_blob_close(blob);
	for (i = 0; i < fs.n; i++)
		printf("%s %s: %s\n", c4w_state_name(fs.v[i].state), fs.v[i].rule ? fs.v[i].rule : "-", fs.v[i].message);
	bad = fs.n > 0;
	c4w_findings_clear(&fs);
	return bad;
}

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* ---- copy: everything read, then written by the writer ---- */

static int to_file(void *ctx, const void *p, size_t n, struct c4w_err *err)
{
	return fwrite(p, 1, n, ctx) == n ? C4W_OK : c4w_fail(err, C4W_IO, "cannot write");
}

static bool takes(enum c4w_pq_type t, int32_t width, unsigned e)
{
	return (e == 5 && (t == C4W_PQ_INT32 || t == C4W_PQ_INT64)) || (e == 6 && t == C4W_PQ_BYTE_ARRAY) ||
	       (e == 9 && t != C4W_PQ_BOOLEAN && t != C4W_PQ_BYTE_ARRAY && t != C4W_PQ_INT96 && (t != C4W_PQ_FIXED || width > 0));
}

static int copy(int argc, char **argv)
{
	struct c4w_pq_write_opts o = { 0 };
	struct c4w_pq_opts ro = { .structs = true };
	struct c4w_arena arena = { 0 };
	struct c4w_pq_worker *rw = NULL;
	struct c4w_pq_writer *w = NULL;
	struct c4w_batch *batches;
	struct c4w_pq *pq;
	struct c4w_err err;
	uint8_t encodings[4096] = { 0 };
	unsigned encoding = 0;
	size_t k, g, columns;
	double spent = 0, t;
	FILE *f;
	int i, rc;

	for (i = 0; i + 3 < argc; i++) {
		if (strcmp(argv[i], "--v2") == 0)
			o.page_version = 2;
		else if (strcmp(argv[i], "--plain") == 0)
			o.no_dictionary = true;
		else if (strcmp(argv[i], "--dict") == 0)
			ro.keep_dict = true;
		else if (strcmp(argv[i], "--codec") == 0)
			o.codec = (int32_t)strtol(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--level") == 0)
			o.level = (int)strtol(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--encoding") == 0)
			encoding = (unsigned)strtoul(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--page") == 0)
			o.page_bytes = strtoul(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--group") == 0)
			o.group_rows = strtoul(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--dictionary") == 0)
			o.dictionary_bytes = strtoul(argv[++i], NULL, 10);
	}
	if (open_file(argv[argc - 2], &pq, &err) != C4W_OK || c4w_pq_worker_new(&rw, &err) != C4W_OK)
		return fail(&err);
	f = fopen(argv[argc - 1], "wb");
	columns = c4w_pq_columns(pq);
	batches = calloc(columns + 1, sizeof *batches);
	if (!f || !batches || columns > sizeof encodings)
		return 3;
	for (k = 0; k < columns; k++)
		if (takes(c4w_pq_leaf(pq, k)->type, c4w_pq_leaf(pq, k)->type_length, encoding))
			encodings[k] = (uint8_t)encoding;
	o.encodings = encodings;
	rc = c4w_pq_writer_new(c4w_pq_node(pq, 0), c4w_pq_nodes(pq), &o, to_file, f, &w, &err);
	for (k = 0; rc == C4W_OK && k < c4w_pq_meta_count(pq); k++)
		rc = c4w_pq_writer_meta(w, c4w_pq_meta_key(pq, k), c4w_pq_meta_value(pq, k), &err);
	for (g = 0; rc == C4W_OK && g < c4w_pq_groups(pq); g++) {
		for (k = 0; rc == C4W_OK && k < columns; k++)
			rc = c4w_pq_read(pq, g, k, &ro, rw, &arena, &batches[k], &err);
		t = now(CLOCK_PROCESS_CPUTIME_ID);
		if (rc == C4W_OK)
			rc = c4w_pq_writer_put(w, (size_t)c4w_pq_group_rows(pq, g), batches, &err);
		spent += now(CLOCK_PROCESS_CPUTIME_ID) - t;
		c4w_arena_reset(&arena);
	}
	if (rc == C4W_OK)
		rc = c4w_pq_writer_finish(w, &err);
	if (fclose(f) != 0 && rc == C4W_OK)
		rc = c4w_fail(&err, C4W_IO, "cannot write");
	printf("seconds %.4f\n", spent);
	c4w_pq_writer_free(w);
	c4w_pq_worker_free(rw);
	c4w_arena_clear(&arena);
	c4w_pq_close(pq);
	free(batches);
	return rc == C4W_OK ? 0 : fail(&err);
}

/* ---- bench ---- */

struct bench {
	struct c4w_pq *pq;
	struct c4w_pq_opts opts;
	bool hold;
	uint64_t *sums; /* by column; NULL: only read */
	uint64_t *seen; /* slots by column */
	struct c4w_err err;
	int rc;
};

/* Order-sensitive: the sum of (number from 1) x (bits of the value), over a column's values without nulls. */
static uint64_t sum_batch(const struct c4w_batch *b, uint64_t *at)
{
	uint64_t sum = 0, k = *at;
	size_t i, n, j;

	for (i = 0; i < b->n; i++) {
		uint64_t v = 0;

		if (!c4w_bit(b->validity, i))
			continue;
		if (b->phys == C4W_PHYS_BYTES || b->phys == C4W_PHYS_FIXED) {
			const uint8_t *p = c4w_batch_bytes(b, i, &n);

			for (j = 0, v = n; j < n; j++)
				v = v * 31 + p[j];
		} else if (b->indices) {
			memcpy(&v, (const uint8_t *)b->dict->values + b->indices[i] * b->width, b->width);
		} else {
			memcpy(&v, (const uint8_t *)b->values + i * b->width, b->width);
		}
		sum += ++k * v;
	}
	*at = k;
	for (i = 0; i < b->nlists; i++)
		for (j = 0; j < b->lists[i].n; j++)
			sum += (uint64_t)(b->lists[i].offsets[j + 1] - b->lists[i].offsets[j]) * (j + 1);
	return sum;
}

static void bench_unit(void *ctx, struct c4w_worker *w, size_t i)
{
	struct bench *b = ctx;
	size_t columns = c4w_pq_columns(b->pq), g = i / columns, k = i % columns;
	struct c4w_batch batch;
	struct c4w_err err;
	int rc = c4w_pq_read(b->pq, g, k, &b->opts, w->user, &w->arena, &batch, &err);

	if (rc != C4W_OK) {
		b->rc = rc;
		b->err = err;
	} else if (b->sums) {
		b->sums[k] += sum_batch(&batch, &b->seen[k]);
	}
	if (!b->hold)
		c4w_arena_reset(&w->arena);
}

static int bench(int argc, char **argv)
{
	struct bench b = { 0 };
	unsigned jobs = 1, k;
	long runs = 5, r;
	struct c4w_pool *pool;
	size_t c, units;
	int i;

	for (i = 0; i + 1 < argc; i++) {
		if (strcmp(argv[i], "--hold") == 0)
			b.hold = true;
		else if (strcmp(argv[i], "--dict") == 0)
			b.opts.keep_dict = true;
		else if (strcmp(argv[i], "--jobs") == 0)
			jobs = (unsigned)strtoul(argv[++i], NULL, 10);
		else if (strcmp(argv[i], "--runs") == 0)
			runs = strtol(argv[++i], NULL, 10);
	}
	if (open_file(argv[argc - 1], &b.pq, &b.err) != C4W_OK || c4w_pool_new(jobs, &pool, &b.err) != C4W_OK)
		return fail(&b.err);
	for (k = 0; k < jobs; k++) {
		struct c4w_pq_worker *w;

		if (c4w_pq_worker_new(&w, &b.err) != C4W_OK)
			return fail(&b.err);
		c4w_pool_worker(pool, k)->user = w;
	}
	units = c4w_pq_groups(b.pq) * c4w_pq_columns(b.pq);
	b.sums = calloc(c4w_pq_columns(b.pq) + 1, sizeof *b.sums);
	b.seen = calloc(c4w_pq_columns(b.pq) + 1, sizeof *b.seen);
	if (!b.sums || !b.seen)
		return 3;
	for (c = 0; c < units; c++) /* in order, on this thread: the sums depend on it */
		bench_unit(&b, c4w_pool_worker(pool, 0), c);
	if (b.rc != C4W_OK)
		return fail(&b.err);
	printf("sums");
	for (c = 0; c < c4w_pq_columns(b.pq); c++)
		printf(" %llu", (unsigned long long)b.sums[c]);
	printf("\nseconds");
	free(b.sums);
	free(b.seen);
	b.sums = NULL;
	for (k = 0; k < jobs; k++)
		c4w_arena_clear(&c4w_pool_worker(pool, k)->arena);
	for (r = 0; r < runs; r++) {
		double t = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);

		c4w_pool_for(pool, units, bench_unit, &b);
		printf(" %.4f (%.4f)", now(CLOCK_MONOTONIC) - t, now(CLOCK_PROCESS_CPUTIME_ID) - cpu);
		for (k = 0; k < jobs; k++)
			c4w_arena_clear(&c4w_pool_worker(pool, k)->arena);
	}
	printf("\n");
	for (k = 0; k < jobs; k++)
		c4w_pq_worker_free(c4w_pool_worker(pool, k)->user);
	c4w_pool_free(pool);
	c4w_pq_close(b.pq);
	return b.rc == C4W_OK ? 0 : fail(&b.err);
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "cat") == 0)
		return cat(argc - 2, argv + 2);
	if (argc > 2 && strcmp(argv[1], "ls") == 0)
		return ls(argc - 2, argv + 2);
	if (argc == 3 && strcmp(argv[1], "verify") == 0)
		return verify(argv[2]);
	if (argc > 3 && strcmp(argv[1], "copy") == 0)
		return copy(argc - 2, argv + 2);
	if (argc > 2 && strcmp(argv[1], "bench") == 0)
		return bench(argc - 2, argv + 2);
	fprintf(stderr, "usage: pq_tool cat|ls|verify FILE\n");
	return 2;
}
