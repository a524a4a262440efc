/* Derived roots (section 7): what planning, writing and finishing of extract and to-cache share. Private to chw_plan.c, chw_write.c
 * and chw_derive.c.
 *
 * The plan is made in one walk over the selection and keeps a small row an item, no group. Writing loads a group's metadata again when
 * its first item is reached (unless there is only one group). Items are written group by group, in caches also carrier by
 * carrier, so that few arrays are open at a time; the tables list them in the selection's order. */
#ifndef C4W_FAMILIES_CHW_PREPARE_H
#define C4W_FAMILIES_CHW_PREPARE_H

#include "families/chw.h"
#include "model/plan.h"

#include <stdatomic.h>

struct chw_planned { /* one record, or one scene's geometry */
	struct chw_digest id, sha; /* sha: of its bytes as published */
	const char *path;          /* member path; NULL when its arrays go into a part */
	int64_t bytes, hz, bs;
	uint32_t group, scene;
	uint32_t part, next;       /* in caches: index into parts, the part's next item, or CHW_NONE */
	uint32_t ordinal;          /* in its part */
	struct chw_dims start;     /* sums of the dimensions of those before it in its part */
	uint8_t component;
	bool with_next;            /* a core whose detail is the next one planned: they are worked on together */
};

struct chw_out_part { /* one folder of a cache */
	uint32_t group, first, last, n;
	enum chw_component component;
	int64_t hz;
	struct chw_dims sum;
	bool stays;           /* its arrays are there and right */
	char *dir;            /* "cache/GROUP/core-3500000000" */
	/* while it is written; under chw_prepare.lock */
	struct c4w_sink_file *file[CHW_MAX_FIELDS];
	uint64_t data[CHW_MAX_FIELDS]; /* where the elements begin */
	uint32_t left;        /* items not written yet */
	bool open, failed;
};

struct chw_prepare {
	struct chw_root *root;
	const struct chw_selection *sel;
	struct c4w_sink *sink;
	enum c4w_level level;
	bool cache, keep;
	const char *tool;
	struct c4w_arena arena;
	struct c4w_plan *plan;

	struct chw_planned *items; /* in the selection's order */
	uint32_t n_items, cap_items;
	uint32_t *order;           /* heads of driver items, in the order of work */
	uint32_t n_order;
	uint32_t *groups;          /* with written items, in order of first appearance */
	uint32_t n_groups;
	uint32_t *group_rank;      /* by root group: position in `groups`, or CHW_NONE */
	uint32_t *meta;            /* files rows of metadata to copy, in the order of the new table */
	uint32_t n_meta;
	uint8_t *needed;           /* by files row of the source: bit 0 looked at, bit 1 absent */
	struct chw_out_part *parts; /* in order of first appearance */
	uint32_t n_parts, cap_parts;
	struct chw_map *paths;     /* what will be written, by path */
	struct chw_group *only;    /* kept from planning when all items are of one group */

	/* running */
	struct chw_docs docs;
	struct chw_group *group;
	uint32_t next_meta, next_order;
	pthread_mutex_t lock, dirty_lock;
	bool dirty;                /* the old manifest is gone: something changed */
	_Atomic uint64_t written, stayed;
};

/* ---- chw_plan.c ---- */
int chw_plan(struct chw_prepare *p, struct c4w_err *err) C4W_MUST_CHECK;
/* A group for an item; the reference is p's until the next call. */
int chw_prepare_group(struct chw_prepare *p, uint32_t group, struct chw_group **out, struct c4w_err *err) C4W_MUST_CHECK;
/* Shape and header of a part's array of one field. */
uint64_t chw_part_elements(const struct chw_out_part *part, const struct chw_field *f); /* along the first axis */
uint64_t chw_slice_start(const struct chw_planned *it, const struct chw_field *f);
void chw_part_header(const struct chw_out_part *part, const struct chw_field *f, struct c4w_buf *b, uint64_t *body);

/* ---- chw_write.c ---- */
void chw_write_job(struct chw_prepare *p, struct c4w_job *out);
/* Before anything of the destination changes: the old manifest goes. Thread-safe. */
int chw_touch(struct chw_prepare *p, struct c4w_err *err) C4W_MUST_CHECK;
/* A whole small file; one that holds these bytes already stays when existing files are kept. `wrote` may be NULL. */
int chw_put(struct chw_prepare *p, const char *rel, const void *bytes, size_t n, unsigned flags, bool *wrote, struct c4w_err *err) C4W_MUST_CHECK;
void chw_parts_abort(struct chw_prepare *p);

/* ---- chw_derive.c: indexes, tables, manifest ---- */
int chw_derive(struct chw_prepare *p, struct c4w_err *err) C4W_MUST_CHECK;

#endif
