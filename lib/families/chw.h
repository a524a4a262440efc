/* Channels4World (formats/channels4world.md): the family's own types. Section numbers below are that page's.
 *
 * A root is opened once and is read-only afterwards. A group's metadata (members, snapshot) is loaded when its first item is
 * enumerated and released with its last; it is reference-counted, everything else lives as long as the root.
 */
#ifndef C4W_FAMILIES_CHW_H
#define C4W_FAMILIES_CHW_H

#include "base/rule.h"
#include "containers/json.h"
#include "containers/npz.h"
#include "containers/pq.h"
#include "model/family.h"

#include <pthread.h>

enum chw_component { CHW_CORE, CHW_DETAIL, CHW_POSITIONS, CHW_GEOMETRY, CHW_COMPONENTS, CHW_NO_COMPONENT = CHW_COMPONENTS };
extern const char *const chw_component_names[CHW_COMPONENTS + 1]; /* [CHW_NO_COMPONENT] is NULL */
enum chw_component chw_component_of(struct c4w_view name); /* CHW_NO_COMPONENT when it is none */

enum chw_kind { CHW_RELEASE, CHW_SUBSET, CHW_CACHE };
enum chw_file_kind { CHW_PAYLOAD, CHW_MEMBERS, CHW_SNAPSHOT, CHW_CATALOG, CHW_SCHEMA, CHW_CACHE_INDEX, CHW_CACHE_ARRAY, CHW_FILE_KINDS };
extern const char *const chw_kind_names[3], *const chw_payload_names[3], *const chw_file_kind_names[CHW_FILE_KINDS];

#define CHW_NONE UINT32_MAX

struct chw_digest {
	uint8_t b[32];
};

struct chw_file {        /* a row of the files table */
	const char *path; /* NUL-terminated, checked */
	int64_t bytes;
	int64_t hz;        /* -1: null */
	uint32_t group;    /* CHW_NONE: null */
	uint32_t next;     /* the next file of the same group, or CHW_NONE */
	uint8_t kind, component;
	bool has_sha, has_record;
	struct chw_digest sha, record;
};

struct chw_scene {       /* a row of the scenes table */
	const char *id;
	uint32_t group, split, profile, tier; /* indices into the root's name lists */
	int64_t group_order, scene_order;
};

struct chw_names {       /* a small list of distinct names, in order of first appearance */
	const char **v;
	uint32_t n, cap;
};

struct chw_group_entry {
	const char *name;
	uint32_t first_file, last_file; /* CHW_NONE: no files */
	uint32_t members, snapshot;     /* their rows in the files table, or CHW_NONE */
	uint32_t first_scene, n_scenes; /* in root->order; scenes of a group need not be contiguous: then first_scene is CHW_NONE */
};

struct chw_map;          /* text or digest -> index */

struct chw_root {
	struct c4w_store *store;
	struct c4w_arena arena;
	char *name;              /* as the user gave it */
	enum chw_kind kind, payload; /* payload: same order as kind (tar, loose, npy) */
	const char *collection_id, *release, *hf_repo, *hf_path; /* the last two may be NULL */
	const char *created_by;  /* or NULL */
	struct chw_digest manifest_sha;
	struct chw_names tiers, splits, profiles; /* splits and profiles in scene order */
	int64_t *frequencies;
	uint32_t n_frequencies;
	struct chw_scene *scenes; /* in the table's order */
	uint32_t n_scenes;
	uint32_t *order;         /* scene indices in pinned order: (group_order, scene_order) */
	struct chw_file *files;  /* in the table's order */
	uint32_t n_files;
	struct chw_group_entry *groups;
	uint32_t n_groups;
	bool has_records;        /* the records table is there: only its records belong to the root */
	struct chw_digest *records; /* in the table's order */
	uint32_t n_records;
	struct chw_map *by_path, *by_scene, *by_group, *included, *payload_of; /* files by path; ...; payload rows by record id */
	struct c4w_findings findings; /* faults that do not keep it from being read; verify reports them, all else refuses */
};

/* Open a root. Faults that leave it readable go into root->findings. Every table is hash-checked before it is parsed. */
int chw_root_open(struct c4w_store *store, const char *name, struct chw_root **out, struct c4w_err *err) C4W_MUST_CHECK;
void chw_root_free(struct chw_root *r); /* accepts NULL */
/* The first of root->findings as an error: what every command but verify asks for before it trusts the root. */
int chw_root_sound(const struct chw_root *r, struct c4w_err *err) C4W_MUST_CHECK;

uint32_t chw_find_file(const struct chw_root *r, struct c4w_view path);   /* or CHW_NONE */
uint32_t chw_find_scene(const struct chw_root *r, struct c4w_view id);    /* or CHW_NONE */
/* Is a file of the table on disk? `last` is the folder that was looked at last, empty at first: files of one group stand together in the table, and
 * of a catalog alone most folders are absent. */
struct chw_last_folder {
	char path[512];
	size_t n;
	bool there;
};
bool chw_file_present(const struct chw_root *r, const struct chw_file *f, struct chw_last_folder *last);
bool chw_is_included(const struct chw_root *r, const struct chw_digest *record);
uint32_t chw_payload_of(const struct chw_root *r, const struct chw_digest *record); /* files row of kind payload with this record, or CHW_NONE */

enum { CHW_NPY_HEADER_MAX = 10000 }; /* beyond this numpy asks its user whether the file is trusted */

/* ---- tables (chw_table.c) ---- */
/* A documented column whole, `rule` when it is not there once, is not marked as text or holds text that is not UTF-8; "parquet.column-type" for
 * another type. The values are in the arena. */
int chw_table_column(struct c4w_pq *pq, const char *rule, const char *name, enum c4w_pq_type type, struct c4w_arena *arena, struct c4w_batch *out,
		     struct c4w_err *err) C4W_MUST_CHECK;
/* Is there a column that is none of `names` (NULL at the end)? Its name, the file's own bytes. */
bool chw_table_unknown(const struct c4w_pq *pq, const char *const *names, struct c4w_view *out);

/* Is it a safe relative path (section 1)? */
bool chw_safe_path(const char *p, size_t n);

/* Read a file of the root whole and check size and digest against its row. damaged rule: `rule_size`, `rule_digest`. The bytes are in the arena. */
int chw_read_checked(const struct chw_root *r, const struct chw_file *f, uint64_t limit, const char *rule, struct c4w_arena *arena,
		     struct c4w_view *out, struct c4w_err *err) C4W_MUST_CHECK;

/* ---- maps (chw_map.c): open addressing over keys that their owner keeps ---- */
struct chw_map *chw_map_new(size_t expected);
void chw_map_free(struct chw_map *m);
/* Add key -> value; returns the earlier value when the key is there already, CHW_NONE when it was added, CHW_NONE - 1 when memory is gone. */
uint32_t chw_map_add(struct chw_map *m, const void *key, size_t n, uint32_t value);
uint32_t chw_map_get(const struct chw_map *m, const void *key, size_t n); /* or CHW_NONE */
void chw_map_prefetch(const struct chw_map *m, const void *key, size_t n); /* this key comes soon */

/* ---- numeric fields (section 4) ---- */
enum { CHW_MAX_FIELDS = 12 };
enum chw_length { CHW_LEN_LINKS, CHW_LEN_LINKS1, CHW_LEN_PATHS, CHW_LEN_PATHS1, CHW_LEN_INTERACTIONS, CHW_LEN_BS, CHW_LEN_UES };
struct chw_field {
	const char *name, *dtype; /* "tau", "<f4" */
	char kind;
	uint8_t size;
	bool vec3;                /* shape (n, 3) */
	uint8_t length;           /* enum chw_length */
	uint8_t sorted;           /* position among the component's fields sorted by name */
};
extern const struct chw_field chw_core_fields[], chw_detail_fields[], chw_positions_fields[];
const struct chw_field *chw_fields(enum chw_component c, unsigned *count);

struct chw_dims {
	int64_t links, paths, interactions, bs, ues; /* those of the component; others 0 */
};
int64_t chw_length_of(const struct chw_dims *d, enum chw_length l);

/* ---- a snapshot row (section 2), compact ---- */
struct chw_pin { /* dependencies.positions */
	struct chw_digest record, content, conventions;
	int64_t bs, ues;
};

struct chw_row {
	struct chw_digest id, content, member;
	enum chw_component component;
	uint32_t scene;   /* index into root->scenes, or CHW_NONE when the root does not list it */
	int64_t hz, bs;   /* -1 for positions */
	struct chw_dims dims;
	struct chw_digest path_axis; /* core and detail */
	struct chw_pin pin;          /* core and detail */
	struct chw_digest core;      /* detail: the core record */
	struct chw_digest *arrays;   /* c_order_sha256 by field, in the order of chw_fields */
	/* The header's text: where it stands in the snapshot, and its digest. The text itself isn't kept; see chw_header_text. */
	uint64_t header_at;
	size_t header_n;
	struct chw_digest header;
	bool included;               /* belongs to the root */
};

struct chw_member { /* a row of members.parquet */
	struct chw_digest id, sha;
	uint32_t object;           /* files row of its archive, or CHW_NONE: not published */
	const char *object_path, *member_path;
	int64_t offset, bytes;
};

struct chw_docs;

struct chw_group {
	const struct chw_root *root;
	uint32_t index;
	_Atomic int refs;
	pthread_mutex_t lock; /* for `archives` and the arena, once the group is shared */
	struct c4w_arena arena;
	/* members.parquet */
	struct chw_member *members;
	uint32_t n_members;
	struct chw_map *member_of;
	struct c4w_err members_err; /* cls C4W_OK: loaded */
	/* snapshot.json */
	struct chw_row *rows;
	uint32_t n_rows;
	struct chw_map *row_of;
	struct c4w_err snapshot_err;
	/* caches: one part a (component, carrier) */
	struct chw_part *parts;
	uint32_t n_parts;
	/* archives opened so far, by files row */
	struct chw_archive *archives;
	uint32_t n_archives;
};

/* Load a group's metadata. Faults of one file are kept in members_err and snapshot_err; this fails for memory alone. `need_snapshot` false: geometry only. */
int chw_group_load(struct chw_root *r, uint32_t group, bool need_snapshot, struct chw_docs *docs, struct chw_group **out, struct c4w_err *err) C4W_MUST_CHECK;
struct chw_group *chw_group_ref(struct chw_group *g);
void chw_group_release(struct chw_group *g); /* accepts NULL */
const struct chw_row *chw_row_of(const struct chw_group *g, const struct chw_digest *id); /* or NULL */
const struct chw_member *chw_member_of(const struct chw_group *g, const struct chw_digest *id);

/* A row's header as the snapshot spells it, read again into the arena. */
int chw_header_text(const struct chw_group *g, const struct chw_row *row, struct c4w_arena *arena, struct c4w_view *out,
		    struct c4w_err *err) C4W_MUST_CHECK;

/* record_id = SHA-256 of the canonical identity (section 4). hz and bs -1: null. */
void chw_record_id(const char *collection, const char *scene, enum chw_component c, int64_t hz, int64_t bs, struct chw_digest *out);

/* ---- interpretation documents (section 5), loaded once a root ---- */
struct chw_docs {
	bool loaded;
	struct c4w_err err;             /* cls C4W_OK: all four are there and say what this tool does */
	struct chw_digest conventions;  /* sha256 of the conventions document */
	char ref[256];
	struct c4w_arena arena;
};
/* Resolve and check what `ref` and `sha` pin. Remembers the last answer. Not thread-safe. */
const struct c4w_err *chw_docs_check(struct chw_docs *d, const struct chw_root *r, const char *ref, const struct chw_digest *sha);
void chw_docs_clear(struct chw_docs *d);

/* Rules of one numeric header against the snapshot's own conventions. Fills everything of *row that the header says. `v` is the header's value. */
int chw_header_parse(const struct c4w_json *doc, uint32_t v, const struct chw_root *r, uint32_t conventions,
		     const struct c4w_json *conv_doc, struct c4w_arena *arena, struct chw_row *row, struct c4w_err *err) C4W_MUST_CHECK;

/* ---- where a record's bytes are (section 3) ---- */
enum chw_where { CHW_AT_FILE, CHW_AT_MEMBER, CHW_AT_CACHE, CHW_UNPUBLISHED };
struct chw_place {
	enum chw_where where;
	const char *path;      /* relative to the root */
	uint32_t file;         /* files row */
	int64_t offset, bytes; /* claims until read */
	struct chw_digest sha; /* that must match */
	const struct chw_digest *also; /* a second digest that a careful tool compares too, or NULL */
};
/* `row` NULL for geometry. CHW_AT_CACHE gives the index's path. */
void chw_locate(struct chw_group *g, const struct chw_digest *id, const struct chw_row *row, struct chw_place *out);

/* ---- arrays of a record in memory ---- */
struct chw_record {
	const struct chw_row *row;
	const uint8_t *field[CHW_MAX_FIELDS]; /* C order, little-endian, as many elements as the row's dims say */
	uint64_t bytes; /* read from storage */
	const uint8_t *file; /* the NPZ, or NULL in a cache */
	size_t file_bytes;
};

struct chw_worker { /* one a thread */
	struct c4w_zip_worker *zip;
	struct c4w_pq_worker *pq;
};
int chw_worker_new(void *ctx, void **out, struct c4w_err *err);
void chw_worker_free(void *ctx, void *w);

/* A place's bytes into the arena, its claims checked against what is there; findings say what keeps them from being had. */
bool chw_fetch(struct chw_group *g, const struct chw_place *place, const char *component, struct c4w_arena *arena, const uint8_t **out,
	       struct c4w_findings *fs);
struct c4w_view chw_missing_text(const char *path, char *buf, size_t size); /* "PATH is not downloaded" */
void chw_digest_finding(struct c4w_findings *fs, const char *component, const char *rule, const char *path, const struct chw_digest *want,
			const struct chw_digest *got, const char *message);

/* Read and check one record at a level; findings name `component`. true when its arrays can be used (rec->field is set). The arena holds all. */
bool chw_record_verify(struct chw_group *g, const struct chw_row *row, enum c4w_level level, struct c4w_worker *w, struct chw_record *rec,
		       struct c4w_findings *fs);
/* The two halves of it. What was fetched may be hashed first, several together (chw_hash_fetched, at most 4). */
struct chw_fetched {
	struct chw_place place;
	const uint8_t *p; /* NULL in a cache */
	bool hashed;
	struct chw_digest digest;
	bool arrays; /* set between fetch and check: rec->field is wanted below level full too (level none: without any digest) */
	uint16_t skip; /* the same: fields, a bit each, that nobody wants; of an NPZ's large ones only the header is then read */
};
bool chw_record_fetch(struct chw_group *g, const struct chw_row *row, struct c4w_worker *w, struct chw_fetched *f, struct c4w_findings *fs);
bool chw_record_check(struct chw_group *g, const struct chw_row *row, enum c4w_level level, struct c4w_worker *w, const struct chw_fetched *f,
		      struct chw_record *rec, struct c4w_findings *fs);
void chw_hash_fetched(struct chw_fetched *const *f, unsigned n);
/* Detail against its core (section 5); both verified before. */
void chw_detail_against_core(const struct chw_record *core, const struct chw_record *detail, struct c4w_findings *fs);
/* One scene's geometry. */
void chw_geometry_verify(struct chw_group *g, const struct chw_digest *id, enum c4w_level level, struct c4w_worker *w,
			 struct c4w_findings *fs, uint64_t *bytes);
/* The same, and its bytes in the worker's arena; NULL when they can't be had. */
const uint8_t *chw_geometry_load(struct chw_group *g, const struct chw_digest *id, enum c4w_level level, struct c4w_worker *w,
				 struct c4w_findings *fs, uint64_t *bytes);
/* The entry point of a geometry archive: scene.json's, or the one XML there is. Borrowed or in the arena. */
int chw_geometry_entry(struct c4w_zip_worker *zip, struct c4w_zip *z, struct c4w_arena *arena, struct c4w_view *out, struct c4w_err *err) C4W_MUST_CHECK;
/* Rules of a geometry archive in memory; `deep` reads every entry. */
void chw_geometry_check(struct c4w_zip_worker *zip, const uint8_t *p, size_t n, const char *path, bool deep, struct c4w_worker *w,
			struct c4w_findings *fs);
/* Every rule over the arrays of a record (section 5, full). Fields of a core that were skipped (NULL) are passed over. */
void chw_check_arrays(const struct chw_record *rec, struct c4w_findings *fs);
/* Digests of the arrays, the path axis, and (member != NULL) the record's own bytes; together, since independent streams cost less. */
struct chw_digests {
	struct chw_digest arrays[CHW_MAX_FIELDS], axis, member;
};
void chw_hash_record(const struct chw_record *rec, bool with_arrays, const void *member, size_t n, struct chw_digests *out);
/* Path axis and numeric content against the row. */
bool chw_record_proof(const struct chw_record *rec, const struct chw_digests *d, struct c4w_findings *fs);

/* ---- caches ---- */
struct chw_part;
/* The slice of a record in its cache part. Loads the part's index and headers at first use. */
bool chw_part_verify(struct chw_group *g, const struct chw_row *row, enum c4w_level level, bool arrays, struct c4w_worker *w,
		     struct chw_record *rec, struct c4w_findings *fs);
bool chw_part_has(struct chw_group *g, const struct chw_row *row, const char **index_path);
void chw_parts_load(struct chw_group *g);
void chw_parts_free(struct chw_group *g);

/* An open archive or payload file of the group; the blob is lent and stays open until the group goes. Thread-safe. */
int chw_open_file(struct chw_group *g, const char *path, struct c4w_blob **out, struct c4w_err *err) C4W_MUST_CHECK;

/* ---- selection (section 6) ---- */
struct chw_selection {
	struct c4w_arena arena;
	const char *split, *tier;    /* or NULL */
	struct chw_names profiles;   /* n 0: all */
	uint32_t *scenes;            /* selected scenes in pinned order, indices into root->scenes */
	uint32_t n_scenes;
	bool scenes_given;
	const char **scene_ids;      /* as given, without repeats */
	uint32_t n_scene_ids;
	int64_t *hz, *bs;            /* sorted, without repeats */
	uint32_t n_hz, n_bs;
	bool hz_given, bs_given;
	bool component[CHW_COMPONENTS];
	const char *revision;        /* of a recipe, or NULL */
};
extern const struct c4w_seloption chw_options[];
int chw_compile(void *root, const struct c4w_selargs *args, void **selection, struct c4w_err *err);
void chw_selection_free(void *selection);

/* ---- items (section 5) in documented order ---- */
enum chw_item_kind { CHW_ITEM_ROOT, CHW_ITEM_POSITIONS, CHW_ITEM_GEOMETRY, CHW_ITEM_CHANNEL, CHW_ITEM_NO_CHANNELS, CHW_ITEM_NO_CHANNEL, CHW_ITEM_SCENE };
struct chw_item {
	enum chw_item_kind kind;
	struct chw_group *group;          /* one reference; NULL for CHW_ITEM_ROOT */
	const struct chw_scene *scene;
	const struct chw_row *core, *detail, *positions;
	struct chw_digest geometry;
	int64_t hz, bs;
};
struct chw_walk; /* walks a selection; groups are loaded one at a time */
int chw_walk_new(struct chw_root *r, const struct chw_selection *s, struct chw_walk **out, struct c4w_err *err) C4W_MUST_CHECK;
void chw_walk_free(struct chw_walk *w);
/* The next item; *end at the end. The item's group reference is the caller's to release. */
int chw_walk_next(struct chw_walk *w, struct chw_item *out, bool *end, struct c4w_err *err) C4W_MUST_CHECK;

/* Memory that working on a record takes at most: its file, its arrays, and what their headers need. `row` may be NULL. */
uint64_t chw_record_cost(const struct chw_row *row, const struct chw_group *g);
int chw_verify_job(void *root, const void *selection, enum c4w_level level, struct c4w_job *out, struct c4w_err *err);

/* Preparation (model/plan.h). */
int chw_extract(void *root, const void *selection, const struct c4w_write_opts *opts, struct c4w_writing *out, struct c4w_err *err);
int chw_to_cache(void *root, const void *selection, const struct c4w_write_opts *opts, struct c4w_writing *out, struct c4w_err *err);
int chw_missing(void *root, const void *selection, struct c4w_missing *out, struct c4w_err *err);
int chw_recipe(void *root, const void *selection, const char *revision, struct c4w_buf *out, struct c4w_err *err);

extern const struct c4w_rule chw_rules[];
extern const struct c4w_family c4w_family_channels4world;

#endif
