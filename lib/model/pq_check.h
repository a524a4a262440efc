/* Parquet: verifying and describing a file. */
#ifndef C4W_MODEL_PQ_CHECK_H
#define C4W_MODEL_PQ_CHECK_H

#include "base/buf.h"
#include "containers/pq.h"
#include "model/finding.h"

/* ---- verify ---- */

struct c4w_pq_verify_opts {
	bool full;        /* statistics and page index against the data too */
	const char *path; /* put into findings that name no file; raw */
	size_t memory;    /* c4w_pq_verify: bytes that one chunk may take; 0: no limit of its own */
};

/* What the footer says about chunks: ranges, overlaps. Findings are added; nothing else can fail. */
void c4w_pq_verify_footer(const struct c4w_pq *pq, const struct c4w_pq_verify_opts *o, struct c4w_findings *out);

/* One unit of work: every page of a chunk decoded, CRCs, counts, and at level full statistics. Thread-safe with own worker and arena (which is
 * left to the caller to reset). */
void c4w_pq_verify_chunk(const struct c4w_pq *pq, size_t group, size_t column, const struct c4w_pq_verify_opts *o,
			 struct c4w_pq_worker *worker, struct c4w_arena *arena, struct c4w_findings *out);

/* All of a file, one chunk after the other: opens it, too, and turns a failure into a finding. */
void c4w_pq_verify(struct c4w_blob *blob, const struct c4w_pq_verify_opts *o, struct c4w_findings *out);

/* ---- describe (ls, info) ---- */

/* One line a node of the schema: short dotted name (what cat --columns takes), type, logical type, repetition; then row groups and, per column,
 * codec, encodings, sizes, values, nulls, minimum and maximum. As text for people. */
void c4w_pq_schema_text(const struct c4w_pq *pq, struct c4w_buf *out);
void c4w_pq_groups_text(const struct c4w_pq *pq, struct c4w_buf *out);

/* The same, one JSON object a line: {"type": "column", …}, {"type": "row_group", …}, {"type": "chunk", …}. */
void c4w_pq_schema_json(const struct c4w_pq *pq, struct c4w_buf *out);
void c4w_pq_groups_json(const struct c4w_pq *pq, struct c4w_buf *out);

/* "a.b" of a node, the inner nodes of lists and maps left out, appended raw. */
void c4w_pq_short_name(const struct c4w_pq *pq, uint32_t node, struct c4w_buf *out);

/* Part of it at level full: the pages that were read, and the batch, held against what the footer, the page index and the Bloom filter say of them. */
void c4w_pq_verify_pages(const struct c4w_pq *pq, size_t group, size_t column, const struct c4w_pq_marks *marks, const struct c4w_batch *b,
			 const struct c4w_pq_verify_opts *o, struct c4w_arena *arena, struct c4w_findings *out);

#endif
