/* Shared by the files of the TimeF family only. */
#ifndef C4W_FAMILIES_TIMEF_IMPL_H
#define C4W_FAMILIES_TIMEF_IMPL_H

#include "families/timef.h"

struct c4w_pq;
struct c4w_zarr;
struct c4w_timef_shards;

/* After ds->chunks were filled: an order for c4w_timef_chunks_of, where they have none. */
int c4w_timef_index_ready(struct c4w_timef *ds, struct c4w_err *err) C4W_MUST_CHECK;

/* The values files, known by path; each is opened by the worker that needs it first. c4w_timef_load_index calls it. */
int c4w_timef_shards_new(struct c4w_timef *ds, struct c4w_err *err) C4W_MUST_CHECK;
void c4w_timef_shards_free(struct c4w_timef_shards *s); /* accepts NULL */
bool c4w_timef_listed(const struct c4w_timef *ds, const char *path); /* among files.time_series? */

/* A values shard, opened once. Borrowed. */
int c4w_timef_shard(struct c4w_timef *ds, const char *path, struct c4w_pq **out, struct c4w_err *err) C4W_MUST_CHECK;
/* A column that a shard has to have: C4W_DAMAGED by table.column-missing where it has not. `path` (may be NULL) is named. */
int c4w_timef_shard_column(const struct c4w_pq *pq, const char *path, const char *name, size_t *column, struct c4w_err *err) C4W_MUST_CHECK;
/* The column of offsets, the same way; by table.column-type where it has another type. */
int c4w_timef_offsets_column(const struct c4w_pq *pq, const char *path, size_t *column, struct c4w_err *err) C4W_MUST_CHECK;
/* The columns values and time_offsets_us, of the types that the spec asks for. */
int c4w_timef_values_columns(const struct c4w_timef_spec *spec, const struct c4w_pq *pq, size_t *values, size_t *times,
			     struct c4w_err *err) C4W_MUST_CHECK;
/* A label's place in the categories, or -1. */
int32_t c4w_timef_code(const struct c4w_timef_spec *spec, const uint8_t *p, size_t n);

enum c4w_timef_plane { C4W_TF_P_VALUES, C4W_TF_P_OFFSETS, C4W_TF_P_VALIDITY };
/* "time_series.zarr/_irregular/<enc>"; the length that was or would be written. */
size_t c4w_timef_zarr_path(struct c4w_view spec_type, bool irregular, int plane, char *buf, size_t size);
/* An array of a spec, opened once and checked against the spec. Borrowed. */
int c4w_timef_array(struct c4w_timef *ds, int32_t spec, bool irregular, int plane, struct c4w_zarr **out, struct c4w_err *err) C4W_MUST_CHECK;

/* Names of units and their prefixes: words in byte order, a blank between two (timef_unit_names.c). */
extern const char c4w_timef_units[], c4w_timef_units_bare[], c4w_timef_unit_prefixes[];
extern const size_t c4w_timef_units_length, c4w_timef_units_bare_length, c4w_timef_unit_prefixes_length;

/* The name nearest to a word that was not found, for a hint. */
struct c4w_timef_near {
	const char *word;
	size_t distance; /* SIZE_MAX at first */
	char name[64];
};
void c4w_timef_near_try(struct c4w_timef_near *n, struct c4w_view name);
/* C4W_USAGE "no WHAT 'word' here", and as hint the nearest name, or `list` where none is near. */
int c4w_timef_near_fail(const struct c4w_timef_near *n, const char *what, const char *list, struct c4w_err *err);

/* "2 x 4", or "" for scalars. */
void c4w_timef_shape_text(const struct c4w_timef_spec *s, char *buf, size_t size);

/* "record r1" and the like, escaped, into buf; returns buf. */
char *c4w_timef_label(const struct c4w_timef *ds, const char *word, enum c4w_timef_id id, struct c4w_view stored, char *buf, size_t size);

#endif
