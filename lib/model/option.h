/* Options as data. A command and a family declare theirs as a static table; parsing, checks, help, man pages and
 * completions are made from it. Nothing here knows argv.
 *
 * A table ends with an entry without a name. Values are stored at `offset` in a struct of the table's owner, so one
 * table serves any number of such structs. Thread-safe: tables are constant.
 */
#ifndef C4W_MODEL_OPTION_H
#define C4W_MODEL_OPTION_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum c4w_option_kind {
	C4W_OPT_FLAG,   /* bool, becomes true; takes no argument */
	C4W_OPT_COUNT,  /* int, one more each time; takes no argument */
	C4W_OPT_INT,    /* int64_t */
	C4W_OPT_SIZE,   /* uint64_t; K, M, G, T are powers of 1024 */
	C4W_OPT_REAL,   /* double, finite */
	C4W_OPT_ENUM,   /* int: index into `values` */
	C4W_OPT_STRING, /* const char *, borrowed */
	C4W_OPT_PATH,   /* the same; completed as a file name */
	C4W_OPT_LIST,   /* struct c4w_strings: every occurrence is appended */
	C4W_OPT_INTS,   /* struct c4w_ints: every occurrence is appended */
};

struct c4w_strings {
	const char **v; /* in the arena given to c4w_option_store; the texts are borrowed */
	size_t n;
};

struct c4w_ints {
	int64_t *v;
	size_t n;
};

struct c4w_option {
	const char *name; /* long, without dashes; NULL ends a table */
	char letter;      /* short, or 0: only where users of git, tar, zstd or jq already type it */
	enum c4w_option_kind kind;
	const char *arg;           /* the argument's name in help, "N"; NULL for FLAG and COUNT */
	size_t offset;             /* where in the owner's struct */
	const char *const *values; /* ENUM: the words, NULL-terminated. STRING and LIST may have some too, for completion only */
	int64_t min, max;          /* INT and INTS: the range, when max > min; else any */
	const char *def;           /* default, stored as if it had been given; NULL leaves zero */
	const char *def_text;      /* what help says of the default where `def` cannot: "all processors" */
	const char *brief;         /* one line for -h, lower case, no full stop */
	const char *text;          /* sentences for --help and the manual; never NULL for a visible option */
	const char *conflicts;     /* long names that exclude this one, separated by blanks; or NULL */
	bool hidden;
};

/* How many entries (the end marker not counted); NULL is an empty table. */
size_t c4w_options_count(const struct c4w_option *table);

/* By long name, or NULL. */
const struct c4w_option *c4w_options_find(const struct c4w_option *table, const char *name);

bool c4w_option_takes_argument(const struct c4w_option *o);

/* Parse `value` (NULL for FLAG and COUNT) and store it in `base`. C4W_USAGE names the option and what it takes. */
int c4w_option_store(const struct c4w_option *o, void *base, const char *value, struct c4w_arena *arena,
		     struct c4w_err *err) C4W_MUST_CHECK;

/* Store every `def` of a table. `base` must be zeroed. */
int c4w_options_defaults(const struct c4w_option *table, void *base, struct c4w_arena *arena, struct c4w_err *err) C4W_MUST_CHECK;

/* A whole number in decimal, nothing around it; false when it is anything else or does not fit. */
bool c4w_parse_int(const char *text, int64_t *out);

/* "123", "64K", "1.5G", "2GiB", "10MB" (all powers of 1024); false when it is anything else or does not fit. */
bool c4w_parse_size(const char *text, uint64_t *out);

#endif
