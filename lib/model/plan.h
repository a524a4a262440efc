/* Writing jobs: what extracting and converting have in common, whatever the family.
 *
 * A family plans first: it enumerates what is selected, says how much that is, and gives a job for the driver. Nothing
 * of the destination is changed before the first item is worked on. The command shows the plan, checks the space, runs
 * the job and, when every item was fine, calls finish. The order of one run:
 *
 *     sink opened (locked) -> family->extract or ->to_cache -> plan shown -> c4w_drive(&w.job) -> w.finish -> c4w_writing_destroy
 *
 * What a family guarantees:
 * - An absent file, an empty selection, a selection that would drop what the destination holds, and metadata that is damaged
 *   are errors of planning; bad items are findings of the job.
 * - Before the first change the old manifest is removed (c4w_sink_remove); finish writes payload lists, then
 *   c4w_sink_sync, then the manifest with C4W_SINK_DURABLE. So a destination whose manifest is there is complete.
 * - With keep_existing a file that is right already stays, mtime included; when all are, the manifest stays too.
 * - Items are written through the sink from worker threads; an item that fails leaves no file of its own behind.
 * - Items that are not published are skipped and listed in the plan; they are no findings of the job.
 */
#ifndef C4W_MODEL_PLAN_H
#define C4W_MODEL_PLAN_H

#include "base/buf.h"
#include "model/driver.h"
#include "storage/sink.h"


struct c4w_plan {
	/* What the family counts, in its own words, for the first line: {"scenes", 3}, {"records", 40}. Static keys. */
	struct {
		const char *noun;
		uint64_t n;
	} counts[4];
	unsigned n_counts;
	uint64_t files, bytes;    /* to be written, metadata included */
	uint64_t kept;            /* files that are there with the right size and may stay (their bytes are checked by the job) */
	uint64_t unpublished;     /* items asked for, but not part of the source */
	char first_unpublished[160]; /* the first of them, raw; "" when none */
};

enum c4w_values_format { C4W_VALUES_DEFAULT, C4W_VALUES_CSV, C4W_VALUES_NPY, C4W_VALUES_PARQUET };
enum c4w_split_by { C4W_SPLIT_DEFAULT, C4W_SPLIT_RECORD, C4W_SPLIT_SPEC };

struct c4w_write_opts {
	struct c4w_sink *sink; /* opened by the caller, borrowed until the writing is destroyed */
	int verify;            /* enum c4w_level: how each item is checked while it is copied */
	bool keep_existing;    /* --skip-existing */
	const char *tool;      /* "c4w 0.1.0": for created_by and the like */
	int values_format;     /* enum c4w_values_format: of families that turn series into files */
	int split_by;          /* enum c4w_split_by */
};

struct c4w_writing {
	void *ctx;
	struct c4w_plan plan;
	const char *manifest; /* the file that is written last, relative to the destination; NULL: the format has none */
	struct c4w_job job; /* result->bytes: bytes written; 0 for an item that stayed */
	/* After the job ran with every item fine. */
	int (*finish)(void *ctx, struct c4w_err *err);
	/* Every file that the run reads, by a name that opens it, for a make dependency file; may be NULL. */
	int (*sources)(void *ctx, void (*each)(void *user, const char *path), void *user, struct c4w_err *err);
	/* Files written and files that were right already, so far. */
	void (*tally)(void *ctx, uint64_t *written, uint64_t *stayed);
	void (*destroy)(void *ctx); /* after the job was destroyed */
};

/* For `sources`: a file of a store by a name that opens it. C4W_MEMORY. */
int c4w_writing_source(const struct c4w_store *store, const char *rel, void (*each)(void *user, const char *path), void *user,
		       struct c4w_err *err) C4W_MUST_CHECK;

/* Accepts an empty one. Destroys the job, then the rest. */
void c4w_writing_destroy(struct c4w_writing *w);

/* What `missing` says: files to download, apart from items that are not published. */
struct c4w_missing_file {
	const char *path; /* relative to the root; lives as long as the root */
	uint64_t bytes;
};

struct c4w_missing {
	struct c4w_missing_file *files; /* sorted by path */
	size_t n_files;
	uint64_t bytes;
	const char **unpublished; /* in item order */
	size_t n_unpublished;
	/* Where to get them, or `nowhere`: a sentence why there is no such place. */
	const char *repo, *prefix; /* prefix "" or "tiny": in front of each path in the repository */
	const char *revision;      /* what the selection pins (a recipe), or NULL */
	const char *nowhere;
	struct c4w_arena arena; /* owns all of it but the files' paths */
};
void c4w_missing_clear(struct c4w_missing *m); /* accepts an empty one */

#endif
