/* Channels for people and programs: a record or a link with its transforms, as text, JSON lines or arrays (section 8).
 *
 * A channel is loaded into a worker's arena and lives until that is reset. Everything here is per channel, so that many are worked on at
 * once by the driver; nothing prints but into the caller's buffer.
 */
#ifndef C4W_FAMILIES_CHW_CHANNEL_H
#define C4W_FAMILIES_CHW_CHANNEL_H

#include "base/array.h"
#include "base/buf.h"
#include "families/chw.h"
#include "families/chw_transform.h"
#include "model/figure.h"

struct chw_channel {
	const struct chw_item *item;
	struct chw_paths paths;       /* the core record's */
	const struct chw_record *core, *detail, *positions; /* detail and positions may be NULL */
	struct chw_record records[3];
	const int32_t *ue;            /* UE id of each link */
	/* detail, or NULL */
	const int64_t *interaction_offsets; /* paths + 1 */
	const int8_t *code;
	const float *vertex;          /* interactions x 3, metres */
	/* positions, or NULL; metres */
	const float *bs_xyz, *ue_xyz; /* this base station's three; all UEs' */
};

/* Fields of core that a transform needs, a bit each, in the order of chw_fields. */
enum { CHW_ALL_FIELDS = 0xFFF };
struct chw_what_opts;
unsigned chw_what_fields(const struct chw_what_opts *o);

/* Read a channel's core, its detail when `detail` and it is published, and its positions when `positions` and they are there. Digests,
 * structure and the rules that make the arrays safe to use are checked; of core only `fields` need be
 * read, the others are NULL where that saves work; findings say what is wrong. Returns whether the core can be used. */
bool chw_channel_load(const struct chw_item *item, unsigned fields, bool detail, bool positions, struct c4w_worker *w, struct chw_channel *out,
		      struct c4w_findings *fs);

/* The link of a UE, or SIZE_MAX when it has none. */
size_t chw_channel_link(const struct chw_channel *c, int64_t ue);

/* Totals of one link. */
struct chw_link {
	int64_t ue;
	size_t first, last;  /* its paths are [first, last) */
	double power_db;     /* of the sum of the paths' powers */
	double spread;       /* RMS delay spread, seconds */
	double delay;        /* smallest, seconds */
	double distance;     /* BS to UE, metres; NaN without positions */
	bool line_of_sight;  /* a path without an interaction is among them */
};
void chw_link_totals(const struct chw_channel *c, size_t link, struct chw_link *out);

const char *chw_interaction_name(int code); /* "specular_reflection"; NULL for no code of the format */

/* ---- arrays ---- */

enum chw_what { CHW_WHAT_POWER, CHW_WHAT_GAIN, CHW_WHAT_SPREAD, CHW_WHAT_BASEBAND, CHW_WHAT_RESPONSE, CHW_WHAT_PADDED, CHW_WHAT_MASK, CHW_WHATS };
extern const char *const chw_what_names[CHW_WHATS + 1]; /* NULL-terminated */

struct chw_what_opts {
	enum chw_what what;
	enum chw_reference reference;
	const double *offsets_hz; /* RESPONSE */
	size_t n_offsets;
	const char *field;        /* PADDED: a core field with one value a path; NULL: tau */
	int64_t ue;               /* -1: all links */
	size_t first, links;      /* with ue -1: only so many links from this one on; links 0: all */
	bool keys;                /* rows of a table: scene, frequency_hz, bs, ue, (path_rank,) value */
	size_t scene_width;       /* keys: code points of the longest scene id of the table */
};

/* Is the field one that PADDED takes? */
bool chw_padded_field(const char *name);

/* Without keys: POWER float64 (paths), GAIN complex64 (paths), SPREAD float64 (links), BASEBAND complex128 (paths), RESPONSE complex128
 * (links, offsets), PADDED the field's dtype (links, 16), MASK bool (links, 16). With keys: a structured array, one row a path (POWER,
 * GAIN, BASEBAND) or a link. Little-endian, in the arena. `c` NULL with keys: the dtype alone, no rows. */
int chw_channel_array(const struct chw_channel *c, const struct chw_what_opts *o, struct c4w_arena *arena, struct c4w_array *out,
		      struct c4w_err *err) C4W_MUST_CHECK;

/* The same array's bytes in C order, appended: what a table of many records is put together from. */
int chw_channel_rows(const struct chw_channel *c, const struct chw_what_opts *o, struct c4w_arena *arena, struct c4w_buf *out,
		     struct c4w_err *err) C4W_MUST_CHECK;

/* How many rows that gives for a record of these dimensions. */
uint64_t chw_what_rows(enum chw_what what, const struct chw_dims *d);

/* ---- text ---- */

struct chw_view_opts {
	bool radians;
	int64_t ue; /* -1: the record, one line a link */
};

/* For people: the record's links, or one link's paths. */
void chw_channel_text(const struct chw_channel *c, const struct chw_view_opts *o, struct c4w_buf *out);
/* One object for the record, then one a link; or one object for a link, its paths inside. */
void chw_channel_json(const struct chw_channel *c, const struct chw_view_opts *o, struct c4w_buf *out);
/* One line a link, or one a path of the link, after a header. */
void chw_channel_csv(const struct chw_channel *c, const struct chw_view_opts *o, struct c4w_buf *out);

/* ---- many, on the driver ---- */

enum chw_output { CHW_OUT_TEXT, CHW_OUT_JSON, CHW_OUT_CSV, CHW_OUT_TSV, CHW_OUT_RAW, CHW_OUT_TERM, CHW_OUT_FILE };
enum chw_color_by { CHW_BY_POWER, CHW_BY_SPREAD, CHW_BY_SIGHT };

struct chw_show {
	enum chw_color_by by;
	struct c4w_fig_screen screen; /* TERM */
	enum c4w_fig_format format;   /* FILE */
};

struct chw_channel_job {
	bool view;              /* text, JSON or CSV for people, or a picture; else arrays */
	enum chw_output output; /* of arrays: CSV, TSV, JSON lines, or RAW bytes in C order */
	struct chw_show show;   /* pictures: TERM, FILE */
	bool header;            /* arrays as CSV and TSV: each with its header line */
	bool npy;               /* RAW with numpy.save's header in front of each */
	bool split;             /* arrays of the one channel that is selected: its links may be shared by several threads */
	struct chw_view_opts view_opts;
	struct chw_what_opts what;
};

/* A job whose items are the selection's channels; result->data is a struct c4w_buf with what is to be written, freed on release. What isn't
 * published or can't be read is a finding. `o` is copied; what it points to is borrowed. */
int chw_channel_work(struct chw_root *root, const struct chw_selection *sel, const struct chw_channel_job *o, struct c4w_job *out,
		     struct c4w_err *err) C4W_MUST_CHECK;

/* Channels in the selection, their rows in sum, and the longest scene id in code points; from the metadata alone. */
struct chw_channel_count {
	uint64_t channels, rows;
	size_t scene_width;
	int64_t ues; /* of the scene that has most of them */
};
int chw_channel_count(struct chw_root *root, const struct chw_selection *sel, enum chw_what what, struct chw_channel_count *out,
		      struct c4w_err *err) C4W_MUST_CHECK;

#endif
