/* libc4w: reading, checking and preparing Channels4World, TimeF and PASSAGE datasets, and the containers they are made of.
 *
 * Before 1.0 nothing of this is a promise: neither functions nor structs keep their shape from one version to the next.
 *
 * Errors. Functions that can fail return C4W_OK (0) or an error's class, and fill the caller's struct c4w_err, which may be NULL.
 * On failure nothing is handed out: *out is NULL.
 *
 * Ownership is in the names. _open and _new give a handle, _close and _free take it back and accept NULL. _view, _at and every other
 * pointer that is returned are borrowed: they live as long as the handle they were asked of. Arguments are only borrowed for the call, but a
 * root outlives what was made of it (selections, records, a channel).
 *
 * Threads. There is no global state, nothing to initialise, no output, no signal handler, no exit. A handle belongs to one thread at a time; different
 * handles may be used at once, also several roots of one path. Arrays, once made, depend on nothing and may be read by any number
 * of threads. c4w_verify, c4w_extract and c4w_to_cache start threads of their own and join them; their callbacks run on the calling thread.
 *
 * Nothing is printed and no environment variable is read. Names and values that come from files are raw bytes; only messages are escaped.
 */
#ifndef C4W_H
#define C4W_H

#include "base/error.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

C4W_API const char *c4w_library_version(void); /* "0.1.0" */

/* ---- arrays ---- */

/* One array, as numpy would have it: C order unless `fortran`. */
struct c4w_array_view {
	const char *name;      /* "tau", "positions" */
	const char *dtype;     /* numpy's spelling: "<f4", "|b1", "<c16", "[('a', '<i8')]" */
	unsigned rank;
	bool fortran;          /* the first axis varies fastest */
	const uint64_t *shape; /* `rank` numbers */
	const void *data;      /* aligned to 64 bytes, or to what its file has it at: copy if that matters */
	uint64_t count, bytes; /* elements; bytes of all of them */
};

/* Some arrays with names, owning all their memory. Read-only. */
struct c4w_arrays;
C4W_API void c4w_arrays_free(struct c4w_arrays *a);
C4W_API size_t c4w_arrays_count(const struct c4w_arrays *a);
C4W_API const struct c4w_array_view *c4w_arrays_at(const struct c4w_arrays *a, size_t i);           /* NULL beyond the last */
C4W_API const struct c4w_array_view *c4w_arrays_view(const struct c4w_arrays *a, const char *name); /* NULL when there is none */

/* ---- roots ---- */

/* A dataset, or a lone file or folder. The family is found from the path as `c4w info` finds it; `as` names it ("channels4world", "timef",
 * "passage", "file" for the bare container), or is NULL. */
struct c4w_root;
C4W_API int c4w_root_open(const char *path, const char *as, struct c4w_root **out, struct c4w_err *err) C4W_MUST_CHECK;
C4W_API void c4w_root_close(struct c4w_root *r);
C4W_API const char *c4w_root_family(const struct c4w_root *r); /* "channels4world" */

/* What `c4w info` tells, in its order; text is NULL for a number. */
typedef void c4w_fact_fn(void *user, const char *key, const char *text, int64_t number);
C4W_API int c4w_root_facts(struct c4w_root *r, c4w_fact_fn *each, void *user, struct c4w_err *err) C4W_MUST_CHECK;

/* ---- selections ---- */

/* n options of the family by name and value, without dashes, as the command line takes them: {"split", "scenes"}, {"test", "a,b"}. The value of a
 * flag is NULL. Options that may repeat may stand several times; of others the last one counts. n 0: the family's default. */
struct c4w_select;
C4W_API int c4w_select_new(struct c4w_root *r, const char *const names[], const char *const values[], size_t n, struct c4w_select **out,
			   struct c4w_err *err) C4W_MUST_CHECK;
C4W_API void c4w_select_free(struct c4w_select *s);

/* ---- what is not there ---- */

/* Files that a selection still needs, sorted by path; and what of it was never published. */
struct c4w_missing_list;
C4W_API int c4w_missing_new(struct c4w_root *r, const struct c4w_select *s, struct c4w_missing_list **out, struct c4w_err *err) C4W_MUST_CHECK;
C4W_API void c4w_missing_free(struct c4w_missing_list *m);
C4W_API size_t c4w_missing_count(const struct c4w_missing_list *m);
C4W_API const char *c4w_missing_path(const struct c4w_missing_list *m, size_t i, uint64_t *bytes); /* bytes may be NULL */
C4W_API size_t c4w_missing_unpublished_count(const struct c4w_missing_list *m);
C4W_API const char *c4w_missing_unpublished(const struct c4w_missing_list *m, size_t i);

/* ---- verifying and preparing ---- */

struct c4w_problem {
	const char *item;                  /* "urban_scene_019231 3500000000 Hz BS 0" */
	const char *severity, *state;      /* "error", "warning", "note"; "failed", "missing", "unpublished", "unsupported", "unreadable" */
	const char *component, *rule, *path; /* each may be NULL; rules are in c4w-rules(7) */
	int64_t offset;                    /* byte in path, or -1 */
	const char *message;
	const char *expected, *found;      /* NULL when there is nothing to compare */
	uint64_t count, total;             /* places that break the rule, of how many; total 0: unknown */
};
/* One problem at a time, in the order of the items. false stops the run (it ends as C4W_CANCELLED). */
typedef bool c4w_problem_fn(void *user, const struct c4w_problem *p);

struct c4w_run_opts {
	unsigned jobs;     /* threads in total; 0: the processors available */
	int level;         /* 0: full. 1: basic (sizes, digests, structure), 2: full (every value) */
	uint64_t memory;   /* bound on the memory of items in work; 0: 1 GiB */
	bool keep_existing; /* extract and to-cache: files that are right already stay */
};

struct c4w_counts { /* items */
	uint64_t passed, failed, missing, unpublished, unsupported, unreadable;
	uint64_t warnings, bytes; /* bytes: read and checked, or written */
};

/* Run and count. C4W_OK means that all was looked at, not that all was fine: that is in `counts`, and each problem goes to `each`
 * (which may be NULL). opts NULL: defaults. */
C4W_API int c4w_verify(struct c4w_root *r, const struct c4w_select *s, const struct c4w_run_opts *opts, c4w_problem_fn *each, void *user,
		       struct c4w_counts *counts, struct c4w_err *err) C4W_MUST_CHECK;

/* Write the selection into the directory `dest` in the family's own form, or as its cache of arrays. C4W_OK: complete, its manifest is there.
 * C4W_DAMAGED with the problems told: items could not be used, and dest has no manifest. C4W_UNSUPPORTED: the family has no such form. */
C4W_API int c4w_extract(struct c4w_root *r, const struct c4w_select *s, const char *dest, const struct c4w_run_opts *opts, c4w_problem_fn *each,
			void *user, struct c4w_counts *counts, struct c4w_err *err) C4W_MUST_CHECK;
C4W_API int c4w_to_cache(struct c4w_root *r, const struct c4w_select *s, const char *dest, const struct c4w_run_opts *opts, c4w_problem_fn *each,
			 void *user, struct c4w_counts *counts, struct c4w_err *err) C4W_MUST_CHECK;

/* ---- leaves: whatever has an address ---- */

/* What `c4w ls ROOT LEAF` lists: steps, each of which goes on an address. LEAF NULL or "": the root. kind: "dir", "bytes", "array", "table".
 * false stops. Works in archives too: a step that names a TAR, ZIP, NPZ, zst or Parquet file is gone into. */
typedef bool c4w_child_fn(void *user, const char *step, const char *kind);
C4W_API int c4w_list(struct c4w_root *r, const char *leaf, c4w_child_fn *each, void *user, struct c4w_err *err) C4W_MUST_CHECK;

/* The data at a leaf as one array called by the leaf's last step: an array as it is, bytes as "|u1". At most `limit` bytes are decompressed (0: 1 GiB). */
C4W_API int c4w_read(struct c4w_root *r, const char *leaf, uint64_t limit, struct c4w_arrays **out, struct c4w_err *err) C4W_MUST_CHECK;

/* ---- Channels4World records ---- */

/* The items of a selection in the documented order: positions, geometry, then channels by carrier and base station. */
struct c4w_records;
struct c4w_record_id {
	const char *kind; /* "channel", "positions", "geometry", "unpublished"; NULL at the end */
	const char *scene;
	int64_t frequency_hz, bs; /* -1 for positions and geometry */
};
C4W_API int c4w_records_open(struct c4w_root *r, const struct c4w_select *s, struct c4w_records **out, struct c4w_err *err) C4W_MUST_CHECK;
C4W_API void c4w_records_close(struct c4w_records *it);
/* The next one; id->kind is NULL at the end. Strings live until the next call. */
C4W_API int c4w_records_next(struct c4w_records *it, struct c4w_record_id *id, struct c4w_err *err) C4W_MUST_CHECK;

/* The arrays of the item that the last call gave. component: "core" or "detail" of a channel, "positions" of a channel or of positions, "geometry"
 * (the scene archive's bytes as one "|u1" array called geometry). Digests and structure are checked, as are the rules that make the arrays
 * safe to use. C4W_ABSENT when it is not published or not downloaded. */
C4W_API int c4w_records_read(struct c4w_records *it, const char *component, struct c4w_arrays **out, struct c4w_err *err) C4W_MUST_CHECK;

/* One component of one record by its name; hz and bs -1 for positions and geometry. */
C4W_API int c4w_record_read(struct c4w_root *r, const char *scene, int64_t hz, int64_t bs, const char *component, struct c4w_arrays **out,
			    struct c4w_err *err) C4W_MUST_CHECK;

struct c4w_transform {
	const char *what;         /* "power", "gain", "delay-spread", "baseband", "response", "padded", "mask": as c4w-channel(1) */
	bool first;               /* baseband, response: delays relative to the link's smallest */
	const double *offsets_hz; /* response */
	size_t n_offsets;
	const char *field;        /* padded; NULL: "tau" */
	int64_t ue;               /* only this UE's link; -1: all. 0 is a UE */
};
/* A transform of the channel that the last call gave, as one array called by `what`. */
C4W_API int c4w_records_transform(struct c4w_records *it, const struct c4w_transform *t, struct c4w_arrays **out, struct c4w_err *err) C4W_MUST_CHECK;

/* ---- Parquet ---- */

struct c4w_table;
C4W_API int c4w_table_open(const char *path, struct c4w_table **out, struct c4w_err *err) C4W_MUST_CHECK;
C4W_API void c4w_table_close(struct c4w_table *t);
C4W_API int64_t c4w_table_rows(const struct c4w_table *t);
C4W_API size_t c4w_table_columns(const struct c4w_table *t);                      /* leaf columns */
C4W_API const char *c4w_table_name(const struct c4w_table *t, size_t column);     /* "a.list.element"; NULL beyond the last */
C4W_API const char *c4w_table_type(const struct c4w_table *t, size_t column);     /* "INT64", "BYTE_ARRAY string" */
/* A column of all row groups. "values": numbers, bools, or fixed bytes ("|V12"). Texts: "offsets" (<i8, one more than values) into "bytes". "validity": a bitmap, lowest
 * bit first, 1 = there, where something is null. Lists, from the outermost: "list0.offsets" (<i4), "list0.validity". */
C4W_API int c4w_table_read(struct c4w_table *t, size_t column, struct c4w_arrays **out, struct c4w_err *err) C4W_MUST_CHECK;

#ifdef __cplusplus
}
#endif

#endif
