/* Commands as data, and what a command's run function may use.
 *
 * How to add a command
 * 1. Copy cmd/ls.c to cmd/<name>.c. The table at its top is the documentation: help, the manual page and the completions
 *    are made from it. The table is `const struct c4w_command c4w_command_<name>`, with '_' for '-' in the symbol.
 *    A second name is one line: C4W_ALIAS("cache", to_cache).
 * 2. Write run(): take the operands from ctx, open them, ask lib/, print to ctx->out. Format knowledge that appears here
 *    belongs in lib/. Errors go through c4w_say(); the value returned is the exit code.
 * 3. make. The list of commands comes from the files in cmd/ (scripts/gen-commands); then run scripts/gen-docs, which writes
 *    man/c4w-<name>.1, and commit the page.
 * 4. Add tests/cli/<name>/: help, one good case, one bad case, one that cannot be done.
 * What notices a forgotten step: tests/cli/all (help, unknown options, closed and full stdout, and JSON, for every
 * command in the list) and scripts/check-docs (stale page, option without text, table in the wrong order).
 */
#ifndef C4W_CMD_COMMAND_H
#define C4W_CMD_COMMAND_H

#include "base/arena.h"
#include "base/err.h"
#include "model/canvas.h"
#include "model/option.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>

/* Exit codes. INT, TERM, HUP and a closed pipe end by the signal instead. */
enum c4w_exit {
	C4W_EXIT_OK = 0,          /* done and true */
	C4W_EXIT_FALSE = 1,       /* checked and false: differs, missing, damaged */
	C4W_EXIT_USAGE = 2,       /* wrong usage */
	C4W_EXIT_FAILED = 3,      /* could not be done: I/O, permission, memory */
	C4W_EXIT_UNSUPPORTED = 4, /* valid, but unsupported here */
};

/* Options that several commands share: which of them this command takes. --color, --help are everyone's. */
enum {
	C4W_SHARE_JOBS = 1,
	C4W_SHARE_JSON = 2,
	C4W_SHARE_QUIET = 4,
	C4W_SHARE_PROGRESS = 8,
	C4W_SHARE_AS = 16,
	C4W_SHARE_MEMORY = 32,
	C4W_SHARE_IGNORE = 64,
	C4W_SHARE_FORCE = 128,
};

enum c4w_when { C4W_AUTO, C4W_ALWAYS, C4W_NEVER };

struct c4w_shared {
	int64_t jobs; /* total; never 0 once the command runs */
	bool json, quiet, force, help, brief_help;
	int color, progress; /* enum c4w_when */
	const char *as;      /* family name, "file", or NULL */
	uint64_t memory;
	struct c4w_strings ignore;
};

struct c4w_example {
	const char *command; /* a line for a shell, run in tests/data by the documentation check when `checked` */
	const char *text;    /* what it does, a clause */
};

struct c4w_ctx;
struct c4w_progress;

struct c4w_command {
	const char *name;
	const char *group;    /* heading in the list of commands */
	const char *summary;  /* one line, lower case, no full stop */
	const char *synopsis; /* what follows the name: "PATH [LEAF]" */
	const char *prose;    /* paragraphs separated by an empty line; a paragraph that starts with a blank is kept as it is */
	const struct c4w_option *options;
	unsigned shares;      /* C4W_SHARE_* */
	bool selection;       /* takes the families' selection options */
	bool verdict;         /* its exit code judges the data: what is listed but not there is false (1), not undone (3) */
	size_t args_size;     /* of the struct that `options` store into; zeroed, then given the defaults */
	int min_operands, max_operands; /* max -1: any number */
	const char *operands; /* for completion, one word each: "path", "leaf", "dir", "file", "command"; the last one repeats */
	const struct c4w_example *examples; /* ends with a NULL command */
	const char *exit_notes;             /* more about exit codes than the common table, or NULL */
	const char *see_also;               /* names of pages, separated by blanks: "c4w-ls(1) c4w-rules(7)" */
	int (*run)(struct c4w_ctx *ctx, void *args);
};

/* A second name for a command; scripts/gen-commands looks for this line. */
#define C4W_ALIAS(name_text, symbol) extern const struct c4w_command c4w_command_##symbol

struct c4w_ctx {
	const struct c4w_command *command;
	const char *name; /* as the user called it */
	int operands;
	const char **operand; /* never options; "-" is an operand */
	struct c4w_shared shared;
	FILE *out; /* data only. A failed write is kept by main; loops may ask c4w_out_failed() to stop early */
	FILE *err; /* everything else */
	struct c4w_progress *progress; /* what is drawn on err while the command runs, or NULL */
	struct c4w_arena arena; /* lives as long as the run */
	struct c4w_given *given; /* options on the command line, in order */
	size_t givens;
	const void *args;
};

/* One option as it was given, in the order of the command line. */
struct c4w_given {
	const struct c4w_option *option;
	const char *value;      /* NULL for flags */
	const char *spelled;    /* "--bs" or "-l": for messages */
	bool selection;         /* a family's; `option` is the first family's that has the name */
};

/* ---- the list, made from the files in cmd/ ---- */

struct c4w_entry {
	const char *name;
	const struct c4w_command *command;
};
extern const struct c4w_entry c4w_entries[]; /* sorted by name, aliases included */
extern const size_t c4w_entries_count;

const struct c4w_entry *c4w_entry_find(const char *name);
const char *c4w_entry_nearest(const char *name); /* for a suggestion; or NULL */

/* ---- options.c ---- */

/* Parse argv[1..] for a command. Returns C4W_OK or C4W_USAGE; ctx->shared.help may be set, then nothing else is checked. */
int c4w_parse(struct c4w_ctx *ctx, int argc, char **argv, void *args, struct c4w_err *err);

/* Was the option with this long name given? */
bool c4w_was_given(const struct c4w_ctx *ctx, const char *long_name);

/* Call fn for every option of a command in the order of help: its own, then (selection) the families', then the shared
 * ones. `title` is the group's heading: NULL for the command's own. A selection option that several families have with one
 * meaning appears once. */
typedef void c4w_option_visit(void *user, const char *title, const struct c4w_option *o);
void c4w_each_option(const struct c4w_command *c, c4w_option_visit *fn, void *user);

/* ---- common.c ---- */

extern const struct c4w_option c4w_shared_options[];
unsigned c4w_shared_bit(const struct c4w_option *o); /* C4W_SHARE_*, or 0 for the options of every command */

/* Print "c4w NAME: 'path': message, expected X, found Y" and a hint line on stderr; with --json the error is also one
 * object on stdout. Returns the exit code of the error's class. */
int c4w_say(struct c4w_ctx *ctx, const struct c4w_err *err);
/* The same for the operand that could not be opened: absent is then "could not be done", as for any other tool. */
int c4w_say_open(struct c4w_ctx *ctx, const struct c4w_err *err);
/* "c4w NAME: text" on stderr. */
void c4w_warn(struct c4w_ctx *ctx, const char *fmt, ...) C4W_PRINTF(2, 3);
/* A usage error with a pointer to the help; returns C4W_EXIT_USAGE. */
int c4w_usage(struct c4w_ctx *ctx, const char *fmt, ...) C4W_PRINTF(2, 3);

/* The more serious of two exit codes: could not > false > unsupported > ok; usage above all. */
int c4w_exit_worst(int a, int b);

bool c4w_color_on(const struct c4w_ctx *ctx, FILE *stream); /* --color, NO_COLOR, TERM, terminal */
bool c4w_progress_on(const struct c4w_ctx *ctx);            /* a bar may be drawn on stderr */
bool c4w_is_terminal(FILE *stream);
bool c4w_terminal_is_dumb(void); /* TERM */
unsigned c4w_columns(void); /* of the terminal on stdout; COLUMNS, else 80 */
unsigned c4w_lines(void);   /* LINES, else those of the terminal, else 40 */
enum c4w_term c4w_terminal(const struct c4w_ctx *ctx); /* what pictures on ctx->out may use: --color, TERM, COLORTERM, the locale */

/* ---- out.c: standard output, checked once ---- */

FILE *c4w_out_open(void);
bool c4w_out_failed(void);         /* a write was refused: stop producing */
int c4w_out_close(FILE *out);      /* 0, or the errno of the first failed write */

/* ---- signals ---- */

/* The number of the signal that asks to stop, else 0. Set by INT, TERM, HUP, and by a closed pipe on stdout (SIGPIPE). */
extern atomic_int c4w_stop;

/* ---- help.c and support/ ---- */

void c4w_help_list(FILE *out);                                  /* c4w help */
void c4w_help_command(FILE *out, const struct c4w_command *c, bool brief);
void c4w_help_man(FILE *out, const struct c4w_command *c);      /* NULL: c4w(1) */
void c4w_help_json(FILE *out, const struct c4w_command *c);     /* one object */
int c4w_help_complete(FILE *out, const char *shell);            /* C4W_OK or C4W_USAGE */
void c4w_help_rules(FILE *out, bool json);                      /* every family's, then the containers' */
int c4w_rule_check(const char *id, struct c4w_err *err);        /* C4W_USAGE, with the nearest id, when there is no such rule */
void c4w_help_rules_man(FILE *out);                             /* c4w-rules(7) */
void c4w_version(FILE *out);

/* Text in mdoc source: backslashes and leading control characters are data; with `sentences` each starts a line. */
void c4w_roff(FILE *out, const char *p, size_t n, bool sentences);
/* The head of a manual page up to .Nd. */
void c4w_roff_head(FILE *out, const char *name, int section, const char *summary);

/* Lines of `text` wrapped at `width`, each after `indent` blanks. */
void c4w_wrap(FILE *out, const char *text, unsigned indent, unsigned width);

#endif
