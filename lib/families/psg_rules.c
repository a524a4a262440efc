/* The rules of the PASSAGE family in one table, and how findings leave. Sections are those of formats/passage.md; "8.n" is check n. */
#include "families/psg.h"
#include "base/rule.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const c4w_psg_solver[] = { "astar_elevation", "astar_energy", "astar_slope", NULL };
const char *const c4w_psg_variant[] = { "free", "obstacles", NULL };
const char *const c4w_psg_split[] = { "train", "calibration", "validation", "test", NULL };

int c4w_psg_word(const char *const *words, struct c4w_view text)
{
	int i;
	for (i = 0; words[i]; i++)
		if (c4w_view_eqz(text, words[i]))
			return i;
	return -1;
}

const struct c4w_rule c4w_psg_rules[] = {
	/* the tree */
	{ "passage.name", "below tensors, metadata, paths and receipts every name has the documented form", "2" },
	{ "passage.split-directory", "below a resolution the directories are train, calibration, validation and test", "2" },
	{ "passage.empty", "a tree holds at least one scene or receipt", "2" },
	{ "passage.no-tensor", "a scene with a receipt and metadata has its tensor", "2" },
	{ "passage.no-metadata", "a scene with a tensor and a receipt has its metadata", "2" },
	{ "passage.stray", "metadata and routes belong to a scene that has a tensor or a receipt", "2" },
	{ "passage.link", "no symbolic link leads nowhere or out of the tree", "2" },
	{ "passage.receipt", "a complete scene has its receipt", "8.21" },
	{ "passage.unknown-file", "outside the documented folders there are no other files", "8.24" },
	{ "passage.tile", "the tile's directory agrees with tile.source", "8.20" },
	/* the blob */
	{ "passage.blob-magic", "the tensor blob begins with Zstandard's magic number", "3.1" },
	{ "passage.blob-skippable", "no skippable frame stands in front of the tensor", "3.1" },
	{ "passage.blob-header", "the frame header has no reserved bit set and a window that Zstandard allows", "3.5" },
	{ "passage.blob-dictionary", "the frame header has no dictionary id field", "3.5" },
	{ "passage.blob-content-size", "the declared content size is R x R x 12", "3.2" },
	{ "passage.blob-not-square", "a loose blob's content size is R x R x 12 for some R", "3" },
	{ "passage.blob-no-size", "the frame declares its content size", "3.3" },
	{ "passage.blob-cut", "the blob holds the whole frame", "3.7" },
	{ "passage.blob-damaged", "the frame can be decoded", "3.7" },
	{ "passage.blob-trailing", "nothing follows the frame", "3.5" },
	{ "passage.blob-short", "the frame yields R x R x 12 bytes, not fewer", "3.7" },
	{ "passage.blob-long", "the frame yields R x R x 12 bytes, not more", "3.3" },
	{ "passage.blob-checksum", "a checksum in the frame matches", "3.6" },
	{ "passage.resolution-range", "a resolution is a number from 1 to 16384", "1" },
	/* metadata */
	{ "passage.meta-missing", "the required keys of the metadata are there", "4" },
	{ "passage.meta-absent", "the other documented keys of the metadata are there", "4" },
	{ "passage.meta-type", "every documented key has its type", "4" },
	{ "passage.meta-value", "every documented key has a value in its range", "4" },
	{ "passage.meta-units", "units, where present, are metres", "4" },
	{ "passage.resolution", "the metadata's resolution is that of the directory", "8.2" },
	{ "passage.index", "the metadata's index is that of the file's name or the id", "8.2" },
	{ "passage.split", "the metadata's split is the directory", "8.2" },
	/* the tensor */
	{ "passage.not-finite", "all values are finite", "8.3" },
	{ "passage.elevation-range", "elevations lie in 0 to 1", "8.4" },
	{ "passage.marker-value", "markers are -1, 0 or 1", "8.5" },
	{ "passage.marker-count", "exactly one cell is the start and exactly one the goal", "8.5" },
	{ "passage.marker-convention", "the background of the marker channel is -1", "3" },
	{ "passage.marker-cell", "the marked cells are those of the metadata", "8.6" },
	{ "passage.marker-outside", "start and goal lie inside the grid", "8.6" },
	{ "passage.marker-same", "start and goal differ", "8.6" },
	{ "passage.obstacle-value", "obstacle flags are 0 or 1", "8.7" },
	{ "passage.marker-blocked", "start and goal are not on an obstacle", "8.8" },
	{ "passage.ratio-actual", "the obstacle cells agree with ratio_actual", "8.9" },
	{ "passage.ratio-target", "ratio_actual is at most ratio_target", "8.10" },
	{ "passage.calibration", "the elevation range is -430 to 8767 m", "8.23" },
	/* routes */
	{ "passage.csv-byte", "a route's file holds only digits, commas and line ends", "5" },
	{ "passage.csv-header", "a route's file has no header", "5" },
	{ "passage.csv-fields", "every line of a route is two numbers with a comma", "5" },
	{ "passage.csv-line-end", "lines end in LF or CRLF", "5" },
	{ "passage.csv-empty-line", "no line but the last is empty", "5" },
	{ "passage.csv-range", "rows and columns are at most R - 1", "5" },
	{ "passage.csv-blank-end", "no blank line ends a route's file", "5" },
	{ "passage.csv-empty", "a route whose status is ok has cells", "5" },
	{ "passage.route-missing", "a route whose status is ok is there", "8.19" },
	{ "passage.route-start", "a route begins at the start", "8.11" },
	{ "passage.route-goal", "a route ends at the goal", "8.11" },
	{ "passage.route-outside", "a route stays inside the grid", "8.11" },
	{ "passage.route-step", "a route moves to one of the eight neighbours at each step", "8.12" },
	{ "passage.route-length", "a route has as many cells as its length says", "8.13" },
	{ "passage.route-obstacle", "an obstacles route has no blocked cell", "8.14" },
	{ "passage.route-loop", "no cell occurs twice in an exact route", "8.16" },
	{ "passage.cost-bound", "an exact cost is at least the route's length in metres", "8.17" },
	{ "passage.cost-order", "the exact cost with obstacles is at least that without", "8.17" },
	/* shards */
	{ "passage.id", "an id is ten digits", "8.22" },
	{ "passage.scene-twice", "a scene that occurs twice in one run says the same both times", "8.22" },
	{ "passage.id-twice", "an id occurs once in a folder of shards", "8.22" },
	{ "passage.column-missing", "a shard has id, tensor, the six routes, and metadata_json or metadata", "8.22" },
	{ "passage.column-twice", "a shard has one column of a name", "6" },
	{ "passage.column-type", "a shard's columns have the documented types", "6" },
	{ "passage.null", "tensor, id, and routes whose status is ok are not null", "8.22" },
	{ "passage.pair", "the cells of a route are pairs of two integers", "8.22" },
	{ "passage.json", "metadata_json is one JSON object within the limits of the YAML form, without repeated keys and NaN", "8.22" },
	{ "passage.struct", "what the metadata struct says is what metadata_json says", "8.22" },
	{ "passage.shard-name", "a shard's name agrees with its ids and its directory", "8.25" },
	{ NULL, NULL, NULL },
};

/* Section 8's level W; all others are errors. */
static const char *const warnings[] = {
	"passage.stray",
	"passage.receipt",
	"passage.unknown-file",
	"passage.tile",
	"passage.blob-no-size",
	"passage.meta-absent",
	"passage.ratio-actual",
	"passage.ratio-target",
	"passage.calibration",
	"passage.csv-blank-end",
	"passage.shard-name",
};

/* The table's own text of an id lives for ever, as an error's rule must. */
static const char *own_id(const char *id)
{
	const struct c4w_rule *r;
	for (r = c4w_psg_rules; r->id; r++)
		if (strcmp(r->id, id) == 0)
			return r->id;
	return id;
}

enum c4w_psg_level c4w_psg_level(const char *rule)
{
	size_t i;
	for (i = 0; rule && i < sizeof warnings / sizeof *warnings; i++)
		if (strcmp(warnings[i], rule) == 0)
			return C4W_PSG_WARNING;
	return C4W_PSG_ERROR;
}

void c4w_psg_text(char *out, size_t size, struct c4w_view text)
{
	size_t n = strnlen(text.p, text.n);
	if (n >= size) {
		n = size - 4;
		while (n && ((unsigned char)text.p[n] & 0xc0) == 0x80)
			n--;
		memcpy(out + n, "...", 4);
	} else {
		out[n] = '\0';
	}
	memcpy(out, text.p, n);
}

void c4w_psg_report(struct c4w_psg_sink *s, const char *rule, const char *expected, const char *found, const char *fmt, ...)
{
	struct c4w_err e;
	char text[sizeof e.message];
	va_list ap;
	if (!s)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	c4w_damaged(&e, own_id(rule), -1, "%s", text);
	c4w_err_values(&e, expected, found);
	c4w_err_path(&e, s->path);
	s->report(s->ctx, c4w_psg_level(rule), s->path, &e);
}

int c4w_psg_report_err(struct c4w_psg_sink *s, const struct c4w_err *e)
{
	struct c4w_err copy = *e;
	if (e->cls == C4W_IO || e->cls == C4W_MEMORY || e->cls == C4W_CANCELLED || e->cls == C4W_USAGE)
		return (int)e->cls;
	/* A scene beyond section 4's limits breaks a rule of the family; alone, such a file would only be beyond c4w's limits. */
	if (e->cls == C4W_LIMIT && e->rule)
		copy.cls = C4W_DAMAGED;
	if (s) {
		c4w_err_path(&copy, s->path);
		s->report(s->ctx, c4w_psg_level(e->rule), s->path, &copy);
	}
	return C4W_OK;
}
