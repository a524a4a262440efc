/* A bare driver of the Parquet module, for tests and scripts/bench-parquet; c4w's own commands are the users' way.
 *
 *     pq_tool cat [--format jsonl|csv|tsv] [--columns a,b.c] [--slice A:B] FILE
 *     pq_tool ls [--json] FILE
 *     pq_tool verify FILE
 */
#include "model/pq_check.h"
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

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "cat") == 0)
		return cat(argc - 2, argv + 2);
	if (argc > 2 && strcmp(argv[1], "ls") == 0)
		return ls(argc - 2, argv + 2);
	if (argc == 3 && strcmp(argv[1], "verify") == 0)
		return verify(argv[2]);
	fprintf(stderr, "usage: pq_tool cat|ls|verify FILE\n");
	return 2;
}
