/* Parquet files in memory, for the unit tests of reader, writer and verification. */
#ifndef C4W_TESTS_PQ_MAKE_H
#define C4W_TESTS_PQ_MAKE_H

#include "containers/pq_write.h"
#include "model/pq_check.h"
#include "tap.h"

static int to_buf(void *ctx, const void *p, size_t n, struct c4w_err *err)
{
	c4w_buf_put(ctx, p, n);
	return c4w_buf_ok(ctx, err);
}

static inline struct c4w_pq_node leaf(const char *name, enum c4w_pq_type type, enum c4w_pq_logical logical, enum c4w_pq_repetition r)
{
	return (struct c4w_pq_node){ .name = c4w_view_z(name), .type = type, .logical = logical, .repetition = r };
}

static inline struct c4w_pq_node group(const char *name, uint32_t children, enum c4w_pq_logical logical, enum c4w_pq_repetition r)
{
	return (struct c4w_pq_node){ .name = c4w_view_z(name), .nchildren = children, .logical = logical, .repetition = r };
}

/* One group of rows as a file in `out`. */
static inline int write_file(struct c4w_buf *out, const struct c4w_pq_node *nodes, uint32_t n, const struct c4w_pq_write_opts *o, size_t rows,
		      const struct c4w_batch *batches, struct c4w_err *err)
{
	struct c4w_pq_writer *w;
	int rc;

	c4w_buf_reset(out);
	C4W_TRY(c4w_pq_writer_new(nodes, n, o, to_buf, out, &w, err));
	rc = rows || batches ? c4w_pq_writer_put(w, rows, batches, err) : C4W_OK;
	if (rc == C4W_OK)
		rc = c4w_pq_writer_meta(w, C4W_VIEW("key"), C4W_VIEW("value"), err);
	if (rc == C4W_OK)
		rc = c4w_pq_writer_finish(w, err);
	c4w_pq_writer_free(w);
	return rc;
}

static inline int open_bytes(const void *p, size_t n, struct c4w_pq **pq, struct c4w_err *err)
{
	struct c4w_blob *blob;
	int rc;

	C4W_TRY(c4w_blob_memory("t.parquet", p, n, false, &blob, err));
	rc = c4w_pq_open(blob, pq, err);
	c4w_blob_close(blob);
	return rc;
}

/* Findings of level full: how many, and the first one's rule. */
static inline size_t findings_of(const struct c4w_buf *file, const char **rule)
{
	static struct c4w_findings fs;
	struct c4w_pq_verify_opts o = { .full = true, .path = "t.parquet" };
	struct c4w_blob *blob;

	c4w_findings_reset(&fs);
	if (c4w_blob_memory("t.parquet", file->p, file->n, false, &blob, NULL) != C4W_OK)
		return 99;
	c4w_pq_verify(blob, &o, &fs);
	c4w_blob_close(blob);
	*rule = fs.n && fs.v[0].rule ? fs.v[0].rule : "";
	return fs.n;
}

#endif
