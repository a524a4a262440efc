/* Views of a TimeF version: what timef-inspect prints. JSON objects have the keys that the fixtures' expected.json has. */
#ifndef C4W_FAMILIES_TIMEF_VIEW_H
#define C4W_FAMILIES_TIMEF_VIEW_H

#include "families/timef_stats.h"
#include "model/grid.h"

#include <stdatomic.h>

enum c4w_timef_form { C4W_TF_TEXT, C4W_TF_CSV, C4W_TF_TSV, C4W_TF_JSONL };

struct c4w_timef_view {
	struct c4w_timef *ds;
	FILE *out;
	enum c4w_timef_form form;
	bool bold;
	uint64_t limit;      /* rows; UINT64_MAX: all */
	unsigned columns;    /* of the terminal */
	const char *record, *series, *spec, *signal, *key, *task_type; /* filters, text as the user types ids; NULL: any */
};

/* Each loads the tables it needs. C4W_UNSUPPORTED for what format 2 keeps in its database. */
int c4w_timef_view_summary(struct c4w_timef_view *v, struct c4w_err *err) C4W_MUST_CHECK;
int c4w_timef_view_records(struct c4w_timef_view *v, struct c4w_err *err) C4W_MUST_CHECK;
int c4w_timef_view_series(struct c4w_timef_view *v, struct c4w_err *err) C4W_MUST_CHECK;
int c4w_timef_view_annotations(struct c4w_timef_view *v, struct c4w_err *err) C4W_MUST_CHECK;
int c4w_timef_view_tasks(struct c4w_timef_view *v, struct c4w_err *err) C4W_MUST_CHECK;
int c4w_timef_view_files(struct c4w_timef_view *v, struct c4w_err *err) C4W_MUST_CHECK;
int c4w_timef_view_schema(struct c4w_timef_view *v, struct c4w_err *err) C4W_MUST_CHECK;
int c4w_timef_view_record(struct c4w_timef_view *v, struct c4w_err *err) C4W_MUST_CHECK; /* v->record, whole */

/* Does a series pass the filters? */
bool c4w_timef_view_takes(const struct c4w_timef_view *v, const struct c4w_timef_series *s);

/* Load records and index for the filters: with v->record only what its id needs. C4W_USAGE when the
 * record, spec or signal isn't there. */
int c4w_timef_view_load(struct c4w_timef_view *v, bool index, struct c4w_err *err) C4W_MUST_CHECK;

/* The series that a word names, among those that pass the filters: by id, else the only one of that signal, else of that spec. C4W_USAGE when
 * there is none or more than one. */
int c4w_timef_view_find(const struct c4w_timef_view *v, const char *word, size_t *out, struct c4w_err *err) C4W_MUST_CHECK;

/* The annotations of a record, in its order, without those that aren't there: *out (in the arena) has *n of them. */
int c4w_timef_view_annotations_of(const struct c4w_timef *ds, const struct c4w_timef_record *r, struct c4w_arena *arena,
				  const struct c4w_timef_annotation ***out, size_t *n, struct c4w_err *err) C4W_MUST_CHECK;

/* "key = value" for people: the value's JSON with its escaped letters as letters. */
void c4w_timef_view_put_annotation(struct c4w_buf *b, const struct c4w_timef_annotation *a);
void c4w_timef_view_put_value(struct c4w_buf *b, struct c4w_view json);

/* A cell: what a task answers, in one line. */
void c4w_timef_view_target(const struct c4w_timef *ds, struct c4w_grid *g, const struct c4w_timef_task *t);

/* JSON of the parts, as expected.json has them. */
void c4w_timef_span_json(const struct c4w_timef *ds, const struct c4w_timef_span *s, struct c4w_json_out *j);
void c4w_timef_ids_json(const struct c4w_timef *ds, enum c4w_timef_id id, const struct c4w_timef_ids *ids, struct c4w_json_out *j);
int c4w_timef_annotation_json(const struct c4w_timef *ds, const struct c4w_timef_annotation *a, struct c4w_json_out *j, struct c4w_err *err) C4W_MUST_CHECK;
void c4w_timef_task_json(const struct c4w_timef *ds, const struct c4w_timef_task *t, struct c4w_json_out *j);
void c4w_timef_record_keys_json(const struct c4w_timef *ds, const struct c4w_timef_record *r, struct c4w_json_out *j);

/* Statistics of all series that pass, one object or row each, in the records' order; `jobs` threads through the driver. */
int c4w_timef_view_stats(struct c4w_timef_view *v, bool digests, unsigned jobs, const atomic_int *cancel, struct c4w_err *err) C4W_MUST_CHECK;

#endif
