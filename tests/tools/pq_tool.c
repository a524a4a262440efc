/* A bare driver of the Parquet module, for tests and scripts/bench-parquet; c4w's own commands are the users' way.
 *
 *     pq_tool cat [--format jsonl|csv|tsv] FILE
 */
#include "model/pq_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static int cat(int argc, char **argv)
{
	struct c4w_pq_rows_opts o = { .last = -1 };
	struct c4w_blob *blob;
	struct c4w_pq *pq;
	struct c4w_err err;
	uint32_t bad_crcs = 0;
	int i = 0, rc;

	if (i + 1 < argc && strcmp(argv[i], "--format") == 0) {
		o.format = strcmp(argv[i + 1], "csv") == 0 ? C4W_ROWS_CSV : strcmp(argv[i + 1], "tsv") == 0 ? C4W_ROWS_TSV : C4W_ROWS_JSONL;
		i += 2;
	}
	if (i + 1 != argc)
		return 2;
	o.bad_crcs = &bad_crcs;
	if (c4w_blob_file(argv[i], &blob, &err) != C4W_OK)
		return fail(&err);
	rc = c4w_pq_open(blob, &pq, &err);
	c4w_blob_close(blob);
	if (rc != C4W_OK)
		return fail(&err);
	rc = c4w_pq_rows_print(pq, &o, NULL, to_stdout, NULL, &err);
	c4w_pq_close(pq);
	if (bad_crcs)
		fprintf(stderr, "pq_tool: warning: the CRC of %u pages differs\n", bad_crcs);
	return rc == C4W_OK ? 0 : fail(&err);
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "cat") == 0)
		return cat(argc - 2, argv + 2);
	fprintf(stderr, "usage: pq_tool cat [--format jsonl|csv|tsv] FILE\n");
	return 2;
}
