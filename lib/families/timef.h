/* TimeF, the format that timenet 0.1.0 writes: one dataset version in memory.
 *
 * Layers, each in its own file: manifest (timef_manifest.c), finding a version in what the user names (timef_find.c), control
 * tables (timef_table.c), time arithmetic (timef_axis.c), values (timef_values.c), reductions and digests (timef_stats.c), checks
 * (timef_check*.c), the family's table and nodes (timef_family.c).
 *
 * Ownership: a struct c4w_timef owns its arena, in which manifest and tables live; views in them last as long as it. Once loaded it is
 * read-only and any thread may use it. A cursor (struct c4w_timef_cursor) belongs to one worker.
 *
 * A view whose p is NULL stands for null or absent.
 */
#ifndef C4W_FAMILIES_TIMEF_H
#define C4W_FAMILIES_TIMEF_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/rule.h"
#include "base/str.h"
#include "containers/json.h"
#include "storage/store.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- rules and faults ---- */

enum c4w_timef_severity { C4W_TIMEF_ERROR, C4W_TIMEF_WARNING, C4W_TIMEF_NOTE };

extern const struct c4w_rule c4w_timef_rules[]; /* sections of formats/timef.md; ended by an empty row */
const struct c4w_rule *c4w_timef_rule_find(const char *id, enum c4w_timef_severity *severity); /* NULL: not one of ours */

/* Where checks put what they find. report returns C4W_OK to go on. `item` says what it is about ("record r1", "series s"). */
struct c4w_timef_sink {
	int (*report)(void *ctx, enum c4w_timef_severity severity, const char *item, const struct c4w_err *fault);
	void *ctx;
	uint64_t errors, warnings;
};

/* Report one fault of the rules' table. sink NULL: warnings are passed over, an error fills err and is returned. */
int c4w_timef_fault(struct c4w_timef_sink *sink, struct c4w_err *err, const char *rule, const char *path, const char *item,
		    const char *expected, const char *found, const char *fmt, ...) C4W_PRINTF(8, 9);
/* Report an error made elsewhere (a container's). io, memory and cancelled come back as they are. */
int c4w_timef_pass(struct c4w_timef_sink *sink, struct c4w_err *err, const char *path, const char *item);

/* ---- manifest ---- */

enum c4w_timef_dtype {
	C4W_TF_BOOL,
	C4W_TF_FLOAT32,
	C4W_TF_FLOAT64,
	C4W_TF_INT8,
	C4W_TF_INT16,
	C4W_TF_INT32,
	C4W_TF_UINT8,
	C4W_TF_UINT16,
	C4W_TF_UINT32,
	C4W_TF_STR,
	C4W_TF_ENUM,
	C4W_TF_DTYPES
};
const char *c4w_timef_dtype_name(enum c4w_timef_dtype t);
size_t c4w_timef_dtype_size(enum c4w_timef_dtype t); /* 0 for str; 4 for enum: its codes */

#define C4W_TF_RANK 15

struct c4w_timef_spec {
	struct c4w_view spec_type, name, unit;
	bool has_source;
	struct c4w_view source_type, source_name, source_provider;
	enum c4w_timef_dtype dtype;
	struct c4w_view *categories;
	size_t ncategories;
	unsigned rank;
	uint32_t shape[C4W_TF_RANK];
	uint64_t elements; /* product of the shape */
	struct c4w_view *dimensions; /* rank of them, or NULL */
	bool nullable;
	uint32_t json; /* on the manifest's tape */
};

enum c4w_timef_shape { C4W_TF_STATIC, C4W_TF_POINT, C4W_TF_INTERVAL };
enum c4w_timef_value { C4W_TF_V_NONE, C4W_TF_V_BOOL, C4W_TF_V_INT, C4W_TF_V_FLOAT, C4W_TF_V_STR, C4W_TF_V_LIST, C4W_TF_V_MAP };

struct c4w_timef_key {
	struct c4w_view key, unit, description;
	enum c4w_timef_shape shape;
	enum c4w_timef_value value;
	uint32_t json;
};

enum c4w_timef_kind { C4W_TF_RECORDS, C4W_TF_ANNOTATIONS, C4W_TF_INDEX, C4W_TF_TASKS, C4W_TF_SERIES, C4W_TF_CONTROL, C4W_TF_KINDS };
const char *c4w_timef_kind_name(enum c4w_timef_kind k); /* "records", "annotations", "time_series_index", "tasks", "time_series", "control" */

struct c4w_timef_file {
	struct c4w_view path, checksum;
	const char *z; /* path, NUL-terminated, "./" and "//" taken out: what the store opens */
	uint64_t size;
	enum c4w_timef_kind kind;
};

enum c4w_timef_task_type {
	C4W_TF_ANSWER,
	C4W_TF_CLASSIFICATION,
	C4W_TF_FORECASTING,
	C4W_TF_SCALAR_PREDICTION,
	C4W_TF_TEMPORAL_LOCALIZATION,
	C4W_TF_TS_CORRESPONDENCE,
	C4W_TF_TS_EDITING,
	C4W_TF_TS_GENERATION,
	C4W_TF_TASK_TYPES
};
const char *c4w_timef_task_type_name(enum c4w_timef_task_type t);
bool c4w_timef_task_type_find(struct c4w_view name, enum c4w_timef_task_type *out);

struct c4w_timef_manifest {
	struct c4w_json doc;
	int64_t format; /* 1, or 2 for the newer layout */
	bool zarr;
	struct c4w_view dataset_id, version, name, description, license, license_url, access, access_url, source_url, citation;
	uint32_t metadata, schema, counts, value_encoding; /* on the tape, or C4W_JSON_NONE */
	struct c4w_timef_spec *specs;
	size_t nspecs;
	struct c4w_timef_key *keys;
	size_t nkeys;
	uint32_t task_types; /* a bit a type in schema.tasks */
	struct c4w_timef_file *files; /* by kind in the order of enum c4w_timef_kind, within a kind as listed */
	size_t nfiles, kind_first[C4W_TF_KINDS], kind_count[C4W_TF_KINDS];
};

/* Parse and check; every fault goes to the sink. `text` must outlive the arena. With a sink that goes on, the result holds what could be
 * understood. C4W_UNSUPPORTED for a format other than 1 and 2. */
int c4w_timef_manifest_parse(struct c4w_view text, struct c4w_arena *arena, struct c4w_timef_sink *sink,
			     struct c4w_timef_manifest *out, struct c4w_err *err) C4W_MUST_CHECK;

/* The spec or key of that name (the last one, when it stands there twice), or -1. */
long c4w_timef_spec_find(const struct c4w_timef_manifest *m, struct c4w_view spec_type);
long c4w_timef_key_find(const struct c4w_timef_manifest *m, struct c4w_view key);

/* Is it a unit to pint's parser: names, symbols and aliases with prefixes and plurals; products, ratios and powers of them? */
bool c4w_timef_unit_known(struct c4w_view unit);

bool c4w_timef_dataset_id_ok(struct c4w_view id);
/* "1.10.0", plain digits only. */
bool c4w_timef_version_parse(struct c4w_view text, uint64_t out[3]);
int c4w_timef_version_cmp(const uint64_t a[3], const uint64_t b[3]);

/* ---- the tables ---- */

enum c4w_timef_id { C4W_TF_RECORD_ID, C4W_TF_SUBJECT_ID, C4W_TF_SERIES_ID, C4W_TF_SOURCE_ID, C4W_TF_TASK_ID, C4W_TF_ANNOTATION_ID, C4W_TF_IDS };
const char *c4w_timef_id_name(enum c4w_timef_id id); /* "record_id", ... */

/* Ids are kept as stored: text, or 16 bytes when the logical id is uuid16. */
struct c4w_timef_ids {
	struct c4w_view *v;
	uint32_t n;
	bool null;
};

enum c4w_timef_frame { C4W_TF_SECONDS, C4W_TF_STEPS, C4W_TF_FRAME_UNKNOWN };

struct c4w_timef_span {
	bool present, has_start, has_end;
	enum c4w_timef_frame frame;
	struct c4w_view frame_text; /* as stored; p NULL: null */
	int64_t start, end;
	struct c4w_timef_ids series;
};

enum c4w_timef_axis { C4W_TF_REGULAR, C4W_TF_IRREGULAR, C4W_TF_ORDINAL, C4W_TF_AXIS_UNKNOWN };
const char *c4w_timef_axis_name(enum c4w_timef_axis a);

struct c4w_timef_series {
	struct c4w_view id, spec_type, signal, source_id;
	struct c4w_view axis_text;
	int64_t num, den, start_index, first, last, n_values;
	int32_t spec; /* in the manifest, or -1 */
	uint8_t axis; /* enum c4w_timef_axis */
	bool has_num, has_den, has_start, has_first, has_last, has_n;
	uint32_t record;
};

struct c4w_timef_record {
	struct c4w_view id;
	bool has_start, series_null;
	int64_t start;
	struct c4w_timef_span span;
	struct c4w_timef_ids subjects, tasks, annotations;
	uint64_t series_first; /* in ds->series */
	uint32_t series_count;
	uint32_t file; /* where it stands: part, row group and row, for messages and repeats */
	int64_t row;
};

struct c4w_timef_annotation {
	struct c4w_view id, key, value, source;
	struct c4w_timef_span span;
	struct c4w_timef_ids records;
	uint32_t file;
	int64_t row;
};

struct c4w_timef_chunk {
	struct c4w_view record, series, spec_type, signal, file;
	int64_t idx, major, minor, n_values;
	bool has_idx, has_major, has_minor, has_n;
	uint32_t part;
	int64_t row;
};

struct c4w_timef_task {
	enum c4w_timef_task_type type;
	struct c4w_view id, prompt, rationale, target, target_schema, unit, target_name, mode, target_record, source_record;
	struct c4w_timef_ids records, from, inputs, targets;
	struct c4w_timef_ids context, candidates, target_ids, target_series;
	struct c4w_timef_span scope, target_span;
	struct c4w_timef_span *spans; /* temporal_localization's target */
	uint32_t nspans;
	bool spans_null, has_scalar;
	double scalar;
	uint32_t file;
	int64_t row;
};

/* One part of a control table, opened. */
struct c4w_pq;
struct c4w_timef_part {
	struct c4w_pq *pq; /* NULL when it couldn't be opened */
	uint32_t file;     /* in the manifest */
	enum c4w_timef_task_type task_type;
	bool task_known, tried;
};

struct c4w_timef {
	struct c4w_store *store; /* its root is the version directory */
	char *where;             /* as the user may name it, for messages */
	struct c4w_arena arena;
	struct c4w_timef_manifest m;
	bool uuid[C4W_TF_IDS];
	bool ids_known;
	struct c4w_timef_part *parts;
	size_t nparts; /* the control tables' parts, in the manifest's order */
	/* filled by the c4w_timef_load_* functions */
	struct c4w_timef_record *records;
	size_t nrecords;
	struct c4w_timef_series *series;
	size_t nseries;
	struct c4w_timef_annotation *annotations;
	size_t nannotations;
	struct c4w_timef_chunk *chunks; /* the index, in stored order */
	size_t nchunks;
	struct c4w_timef_task *tasks;
	size_t ntasks;
	bool have_records, have_annotations, have_index, have_tasks;
	uint32_t *chunk_order; /* an index that is not sorted: its rows by record, then series, then place; else NULL */
	struct c4w_timef_shards *shards; /* values files, opened at first use */
};

/* Open a version directory: manifest only. The store's root is that directory; it is kept. */
int c4w_timef_open(struct c4w_store *version_dir, const char *where, struct c4w_timef_sink *sink, struct c4w_timef **out,
		   struct c4w_err *err) C4W_MUST_CHECK;
void c4w_timef_close(struct c4w_timef *ds); /* accepts NULL */

/* Open the footers of one kind of control table (with records': find out how ids are stored), or of all. */
int c4w_timef_open_kind(struct c4w_timef *ds, enum c4w_timef_kind kind, struct c4w_timef_sink *sink, struct c4w_err *err) C4W_MUST_CHECK;
int c4w_timef_open_parts(struct c4w_timef *ds, struct c4w_timef_sink *sink, struct c4w_err *err) C4W_MUST_CHECK;

/* Load tables. `record` not NULL: only row groups that may hold that record id (as stored), by statistics; the rows that are loaded
 * may include others. Each loads once; loading a filtered table again replaces it. C4W_UNSUPPORTED for format 2. */
int c4w_timef_load_records(struct c4w_timef *ds, const struct c4w_view *record, struct c4w_timef_sink *sink, struct c4w_err *err) C4W_MUST_CHECK;
int c4w_timef_load_index(struct c4w_timef *ds, const struct c4w_view *record, struct c4w_timef_sink *sink, struct c4w_err *err) C4W_MUST_CHECK;
int c4w_timef_load_annotations(struct c4w_timef *ds, struct c4w_timef_sink *sink, struct c4w_err *err) C4W_MUST_CHECK;
int c4w_timef_load_tasks(struct c4w_timef *ds, struct c4w_timef_sink *sink, struct c4w_err *err) C4W_MUST_CHECK;

/* Format 2 on the Parquet backend: series and chunks out of the shards themselves, in one record without a name; what is irregular has
 * its time offsets, the rest steps only. With a sink, shards that can't be read are reported and passed over. C4W_UNSUPPORTED on Zarr. */
int c4w_timef_load_shards(struct c4w_timef *ds, struct c4w_timef_sink *sink, struct c4w_err *err) C4W_MUST_CHECK;

/* An id as text: itself, or a UUID's 36 characters. buf of at least 37 bytes is used for UUIDs. */
struct c4w_view c4w_timef_id_text(const struct c4w_timef *ds, enum c4w_timef_id id, struct c4w_view stored, char *buf);
/* Text to the stored form; false when it can't be one. buf of 16 bytes. */
bool c4w_timef_id_stored(const struct c4w_timef *ds, enum c4w_timef_id id, struct c4w_view text, uint8_t *buf, struct c4w_view *out);

/* The index rows of (record, series), in stored order: pointers into ds->chunks. The index must be loaded. *rows is in the arena. */
int c4w_timef_chunks_of(const struct c4w_timef *ds, struct c4w_view record, struct c4w_view series, struct c4w_arena *arena,
			const struct c4w_timef_chunk ***rows, size_t *n, struct c4w_err *err) C4W_MUST_CHECK;

long c4w_timef_record_find(const struct c4w_timef *ds, struct c4w_view stored_id); /* -1: none. Linear */

/* Format 2: what needs its database says so. */
int c4w_timef_need_tables(const struct c4w_timef *ds, struct c4w_err *err) C4W_MUST_CHECK;

/* ---- time ---- */

/* floor((start_index + k) * num / den); false when it does not fit 64 bits. den != 0. */
bool c4w_timef_regular_offset(const struct c4w_timef_series *s, int64_t k, int64_t *out);
/* Those of steps k to k + n - 1, without a division a step; false when the first or the last doesn't fit. */
bool c4w_timef_regular_offsets(const struct c4w_timef_series *s, int64_t k, size_t n, int64_t *out);
/* First step at or after offset t, clipped to [0, n_values]. */
int64_t c4w_timef_regular_step(const struct c4w_timef_series *s, int64_t t);
/* [start, end); false for ordinal series and where 64 bits don't suffice. */
bool c4w_timef_window(const struct c4w_timef_series *s, int64_t *start, int64_t *end);
/* The period as a reduced fraction with a positive denominator. */
void c4w_timef_period(const struct c4w_timef_series *s, int64_t *num, int64_t *den);
/* Do the axis's columns obey section 6? NULL, or the rule that is broken, with *what. */
const char *c4w_timef_axis_fault(const struct c4w_timef_series *s, const char **what);
/* ISO 8601 with microseconds and Z: "2023-11-14T22:13:20.000000Z"; years beyond 0-9999 get a sign and as many digits as they need. buf of 40. */
size_t c4w_timef_iso(int64_t us, char *buf);
/* "2h 03m", "1.5 s", "3 d 4 h": for people. buf of 40. */
char *c4w_timef_duration(int64_t us, char *buf);
/* "360 Hz", "1/25000 Hz"; of a period. buf of 40. */
char *c4w_timef_rate(int64_t num, int64_t den, char *buf);

#endif
