/* Checks over the loaded tables of a TimeF version, and of its values (formats/timef.md, 5 to 12). */
#ifndef C4W_FAMILIES_TIMEF_CHECK_H
#define C4W_FAMILIES_TIMEF_CHECK_H

#include "families/timef.h"

/* Views to row numbers; the first row of a repeated key stays. */
struct c4w_timef_map {
	struct {
		struct c4w_view key;
		uint32_t row; /* + 1; 0: free */
	} *v;
	size_t cap, n;
};
void c4w_timef_map_clear(struct c4w_timef_map *m);
int c4w_timef_map_add(struct c4w_timef_map *m, struct c4w_view key, uint32_t row, bool *repeated, struct c4w_err *err) C4W_MUST_CHECK;
long c4w_timef_map_get(const struct c4w_timef_map *m, struct c4w_view key); /* -1: none */

/* One stored chunk: rows of the index that share a place count once. */
struct c4w_timef_place {
	uint32_t chunk;  /* in ds->chunks, the first that names the place */
	uint32_t series; /* in ds->series, or UINT32_MAX */
	uint32_t nth;    /* chunk's number within the series */
	uint32_t of;     /* chunks of the series */
};

/* What names what, by row numbers, sorted: so that a record with a hundred thousand annotations is checked in time. An id stands for the first
 * row that has it; names that lead nowhere are left out. */
enum c4w_timef_link_kind {
	C4W_TF_RECORD_ANNOTATION, /* a: the record, b: the annotation */
	C4W_TF_ANNOTATION_RECORD,
	C4W_TF_TASK_RECORD,
	C4W_TF_RECORD_SERIES, /* b: the first of all series of that id, row: the record's own */
	C4W_TF_LINK_KINDS
};
struct c4w_timef_link {
	uint32_t a, b, row;
};

struct c4w_timef_check {
	struct c4w_timef *ds;
	struct c4w_timef_link *links[C4W_TF_LINK_KINDS];
	size_t nlinks[C4W_TF_LINK_KINDS];
	struct c4w_timef_map records, series, annotations, tasks; /* ids to rows; series: to ds->series */
	struct c4w_timef_place *places; /* sorted by file, major, minor */
	size_t nplaces;
};

/* All tables must have been loaded. */
int c4w_timef_check_new(struct c4w_timef *ds, struct c4w_timef_check *k, struct c4w_err *err) C4W_MUST_CHECK;
void c4w_timef_check_clear(struct c4w_timef_check *k);

/* The row of the first link from a to b, or -1 (also when a or b is -1, as an id without a row gives). */
long c4w_timef_linked(const struct c4w_timef_check *k, enum c4w_timef_link_kind kind, long a, long b);
/* The first b that a names twice, or -1. */
long c4w_timef_linked_twice(const struct c4w_timef_check *k, enum c4w_timef_link_kind kind, long a);
/* The series of that id in a record, or NULL. */
const struct c4w_timef_series *c4w_timef_series_in(const struct c4w_timef_check *k, const struct c4w_timef_record *r, struct c4w_view id);

/* Each reports to the sink; read-only on k. */
int c4w_timef_check_parts(const struct c4w_timef_check *k, enum c4w_timef_kind kind, struct c4w_timef_sink *sink, struct c4w_err *err) C4W_MUST_CHECK;
int c4w_timef_check_records(const struct c4w_timef_check *k, struct c4w_timef_sink *sink, struct c4w_err *err) C4W_MUST_CHECK;
int c4w_timef_check_annotations(const struct c4w_timef_check *k, struct c4w_timef_sink *sink, struct c4w_err *err) C4W_MUST_CHECK;
int c4w_timef_check_index(const struct c4w_timef_check *k, struct c4w_timef_sink *sink, struct c4w_err *err) C4W_MUST_CHECK;
int c4w_timef_check_tasks(const struct c4w_timef_check *k, struct c4w_timef_sink *sink, struct c4w_err *err) C4W_MUST_CHECK;
/* The manifest's count at `v` of `what` (escaped) against what the tables or, in layout 2, the shards hold; one that is absent or no number passes. */
int c4w_timef_count_is(const struct c4w_timef *ds, uint32_t v, const char *rule, const char *what, uint64_t real, struct c4w_timef_sink *sink,
		       struct c4w_err *err) C4W_MUST_CHECK;
int c4w_timef_check_counts(const struct c4w_timef_check *k, struct c4w_timef_sink *sink, struct c4w_err *err) C4W_MUST_CHECK;
int c4w_timef_check_arrays(const struct c4w_timef_check *k, struct c4w_timef_sink *sink, struct c4w_err *err) C4W_MUST_CHECK;
/* What lies in the directory without being listed, links that lead out of it. */
int c4w_timef_check_tree(const struct c4w_timef_check *k, struct c4w_timef_sink *sink, struct c4w_err *err) C4W_MUST_CHECK;

/* Format 2, what can be seen without its database: the database's front and that the rest is not looked at; on Parquet (loaded by
 * c4w_timef_load_shards) the chunks of each series, and the manifest's counts of them; on Zarr the arrays, whole. */
int c4w_timef_check_control(const struct c4w_timef_check *k, struct c4w_timef_sink *sink, struct c4w_err *err) C4W_MUST_CHECK;
int c4w_timef_check_chunks(const struct c4w_timef_check *k, struct c4w_timef_sink *sink, struct c4w_err *err) C4W_MUST_CHECK;
int c4w_timef_check_spec_arrays(const struct c4w_timef_check *k, size_t spec, struct c4w_timef_sink *sink, uint64_t *bytes, struct c4w_err *err) C4W_MUST_CHECK;

struct c4w_pq;
int c4w_timef_check_shard_columns(const struct c4w_pq *pq, const char *path, struct c4w_timef_sink *sink, struct c4w_err *err) C4W_MUST_CHECK;
bool c4w_timef_has_id(const struct c4w_timef_ids *ids, struct c4w_view id);

/* Values. A row group of a shard; a series on the zarr backend. */
struct c4w_timef_cursor;
struct c4w_pq_worker;
int c4w_timef_check_group(const struct c4w_timef_check *k, const char *path, size_t group, struct c4w_pq_worker *w, struct c4w_arena *arena,
			  struct c4w_timef_sink *sink, uint64_t *bytes, struct c4w_err *err) C4W_MUST_CHECK;
int c4w_timef_check_series(const struct c4w_timef_check *k, struct c4w_timef_cursor *c, const struct c4w_timef_series *s,
			   struct c4w_timef_sink *sink, uint64_t *bytes, struct c4w_err *err) C4W_MUST_CHECK;

#endif
