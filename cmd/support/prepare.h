/* What the commands that write a derived dataset share: options, the plan shown, the run, the summary. */
#ifndef C4W_CMD_PREPARE_H
#define C4W_CMD_PREPARE_H

#include "../command.h"

#include "model/family.h"
#include "model/plan.h"

struct c4w_prepare_args {
	int verify; /* enum c4w_level */
	bool skip_existing, no_space_check, dry_run, ask, yes;
	const char *depfile;
	int values_format, split_by; /* extract alone: enum c4w_values_format, enum c4w_split_by; 0 when not given */
};

#define C4W_PREPARE_AT(field) offsetof(struct c4w_prepare_args, field)

extern const char *const c4w_prepare_levels[];

/* Their option tables begin with these. */
#define C4W_PREPARE_OPTIONS                                                                                                          \
	{ .name = "verify", .kind = C4W_OPT_ENUM, .arg = "LEVEL", .offset = C4W_PREPARE_AT(verify), .values = c4w_prepare_levels,   \
	  .def = "basic", .brief = "how each item is checked: none, basic or full",                                                 \
	  .text = "How each item is checked before it is written: basic compares digests and structure, full reads every value and " \
		  "checks every rule of the format, none looks at nothing. An item that fails is not written." },                  \
	{ .name = "skip-existing", .kind = C4W_OPT_FLAG, .offset = C4W_PREPARE_AT(skip_existing), .brief = "keep what is right in DEST already", \
	  .text = "DEST may hold files already. Those of the right size and digest stay as they are, modification times included; the " \
		  "others are written. This finishes a run that was interrupted, and adds to an earlier one; a selection that would " \
		  "drop what DEST lists is refused." },                                                                             \
	{ .name = "no-space-check", .kind = C4W_OPT_FLAG, .offset = C4W_PREPARE_AT(no_space_check), .brief = "start even if the disk seems too small", \
	  .text = "Start even if the free space seems to be less than what will be written." },                                     \
	{ .name = "dry-run", .letter = 'n', .kind = C4W_OPT_FLAG, .offset = C4W_PREPARE_AT(dry_run), .brief = "print the plan and stop", \
	  .text = "Print on standard output what would be written, and write nothing." },                                           \
	{ .name = "interactive", .letter = 'i', .kind = C4W_OPT_FLAG, .offset = C4W_PREPARE_AT(ask), .brief = "ask before starting", \
	  .text = "Show the plan and ask before starting. Without it no question is asked.", .conflicts = "yes" },                  \
	{ .name = "yes", .letter = 'y', .kind = C4W_OPT_FLAG, .offset = C4W_PREPARE_AT(yes), .brief = "accepted; no question is asked anyway", \
	  .text = "Accepted for scripts that give it; no question is asked unless --interactive is given." },                       \
	{ .name = "depfile", .kind = C4W_OPT_PATH, .arg = "FILE", .offset = C4W_PREPARE_AT(depfile), .brief = "write a make dependency file", \
	  .text = "Write a file that make can include: the manifest of DEST depends on every file that was read." }

/* Open, plan, write. `action` picks the family's function; `verb` is what messages say it can't do. Returns the exit code. */
typedef int (*c4w_prepare_fn)(void *root, const void *selection, const struct c4w_write_opts *opts, struct c4w_writing *out, struct c4w_err *err);
int c4w_prepare_run(struct c4w_ctx *ctx, const struct c4w_prepare_args *args, c4w_prepare_fn (*action)(const struct c4w_family *f),
		    const char *verb);

#endif
