/* Parquet, reading. Follows the Apache Parquet format (Thrift definition, Encodings.md, LogicalTypes.md, Compression.md).
 *
 * A file is opened over a blob: one tail read gives the footer; after that only the byte ranges of the column chunks that are asked for
 * are read. An open c4w_pq never changes, so any number of threads may read chunks of it at once, each with its own c4w_pq_worker
 * (decompression contexts and buffers) and its own arena. The unit is row group x column.
 *
 *     struct c4w_pq *pq;
 *     C4W_TRY(c4w_pq_open(blob, &pq, err));
 *     C4W_TRY(c4w_pq_column(pq, "scene_id", &col, err));
 *     for (g = 0; g < c4w_pq_groups(pq); g++)
 *             C4W_TRY(c4w_pq_read(pq, g, col, NULL, worker, arena, &batch, err));
 *
 * Every number from the file is checked against the bytes at hand before anything is allocated or sought by it. Damage carries a rule
 * id ("parquet.page-crc", table c4w_pq_rules) and says row group, column and offset. Encrypted files are C4W_UNSUPPORTED on opening.
 */
#ifndef C4W_CONTAINERS_PQ_H
#define C4W_CONTAINERS_PQ_H

#include "base/arena.h"
#include "base/batch.h"
#include "base/err.h"
#include "base/rule.h"
#include "base/str.h"
#include "storage/store.h"

#include <stdbool.h>
#include <stdint.h>

struct c4w_pq;
struct c4w_pq_worker;

/* ---- the file ---- */

/* Opens over `blob` and keeps it (one more owner). C4W_DAMAGED when it isn't a Parquet file, C4W_UNSUPPORTED when it is encrypted. */
int c4w_pq_open(struct c4w_blob *blob, struct c4w_pq **out, struct c4w_err *err) C4W_MUST_CHECK;
void c4w_pq_close(struct c4w_pq *pq); /* accepts NULL */

/* Does a blob begin with Parquet's magic (or that of encrypted footers)? For probing; reads four bytes. */
bool c4w_pq_probe(struct c4w_blob *blob);

struct c4w_blob *c4w_pq_blob(const struct c4w_pq *pq); /* borrowed */
int64_t c4w_pq_rows(const struct c4w_pq *pq);
size_t c4w_pq_groups(const struct c4w_pq *pq);
size_t c4w_pq_columns(const struct c4w_pq *pq); /* leaf columns */
int32_t c4w_pq_version(const struct c4w_pq *pq);
uint32_t c4w_pq_footer_bytes(const struct c4w_pq *pq);
struct c4w_view c4w_pq_created_by(const struct c4w_pq *pq); /* empty when not there */

/* Key-value metadata of the footer, in file order. A missing value is an empty view. */
size_t c4w_pq_meta_count(const struct c4w_pq *pq);
struct c4w_view c4w_pq_meta_key(const struct c4w_pq *pq, size_t i);
struct c4w_view c4w_pq_meta_value(const struct c4w_pq *pq, size_t i);
bool c4w_pq_meta_find(const struct c4w_pq *pq, const char *key, struct c4w_view *value);

/* ---- schema ---- */

enum c4w_pq_type { /* the format's numbers */
	C4W_PQ_BOOLEAN,
	C4W_PQ_INT32,
	C4W_PQ_INT64,
	C4W_PQ_INT96,
	C4W_PQ_FLOAT,
	C4W_PQ_DOUBLE,
	C4W_PQ_BYTE_ARRAY,
	C4W_PQ_FIXED
};

enum c4w_pq_repetition { C4W_PQ_REQUIRED, C4W_PQ_OPTIONAL, C4W_PQ_REPEATED };

/* Logical types, the older converted types folded into them. */
enum c4w_pq_logical {
	C4W_PQ_L_NONE, /* none, or one that is not known: the physical type counts */
	C4W_PQ_L_STRING,
	C4W_PQ_L_MAP,
	C4W_PQ_L_LIST,
	C4W_PQ_L_ENUM,
	C4W_PQ_L_DECIMAL,   /* precision, scale */
	C4W_PQ_L_DATE,
	C4W_PQ_L_TIME,      /* unit, utc */
	C4W_PQ_L_TIMESTAMP, /* unit, utc */
	C4W_PQ_L_INTEGER,   /* bits, is_signed */
	C4W_PQ_L_NULL,
	C4W_PQ_L_JSON,
	C4W_PQ_L_BSON,
	C4W_PQ_L_UUID,
	C4W_PQ_L_FLOAT16,
	C4W_PQ_L_INTERVAL,
	C4W_PQ_L_VARIANT,
	C4W_PQ_L_GEOMETRY,
	C4W_PQ_L_GEOGRAPHY
};

enum c4w_pq_unit { C4W_PQ_MILLIS, C4W_PQ_MICROS, C4W_PQ_NANOS };

/* What a node means as nested data, the list and map conventions (LogicalTypes.md, "Nested Types") resolved. */
enum c4w_pq_shape {
	C4W_PQ_LEAF,
	C4W_PQ_STRUCT,
	C4W_PQ_LISTS, /* a list; `element` is the node of its elements */
	C4W_PQ_MAPS,  /* a map; `element` is the repeated node whose children are key and (perhaps) value */
	C4W_PQ_HIDDEN /* the repeated middle node of a three-level list or a map: not seen in short names and rows */
};

struct c4w_pq_node {
	struct c4w_view name; /* raw bytes of the file */
	enum c4w_pq_shape shape;
	enum c4w_pq_repetition repetition;
	enum c4w_pq_type type;      /* leaves */
	int32_t type_length;        /* of FIXED, else 0 */
	enum c4w_pq_logical logical;
	int32_t precision, scale;
	enum c4w_pq_unit unit;
	uint8_t bits;
	bool utc, is_signed;
	bool bare_list;             /* a repeated node without LIST around it: stands for a list of required elements, of its own shape */
	bool has_field_id;
	int32_t field_id;
	int32_t column;             /* leaf column number, or -1 */
	uint8_t max_def, max_rep;   /* levels at this node, itself included */
	uint32_t parent, end;       /* the subtree is nodes [this, end) */
	uint32_t first_child, next; /* children and siblings; 0 (the root) means none */
	uint32_t nchildren;
	uint32_t element;           /* LISTS and MAPS: see above */
	uint32_t first_leaf, nleaves; /* leaf columns below */
};

/* Nodes in file order, depth first; node 0 is the root, a struct whose children are the table's columns. */
uint32_t c4w_pq_nodes(const struct c4w_pq *pq);
const struct c4w_pq_node *c4w_pq_node(const struct c4w_pq *pq, uint32_t i);
const struct c4w_pq_node *c4w_pq_leaf(const struct c4w_pq *pq, size_t column); /* the leaf of a column */

/* A node by its dotted name: "a.list.element.b" as the file says, or "a.b" with the inner names of lists and maps left out.
 * Names may themselves hold dots. C4W_UNKNOWN with the nearest name as hint. */
int c4w_pq_find(const struct c4w_pq *pq, const char *name, uint32_t *node, struct c4w_err *err) C4W_MUST_CHECK;

/* The one leaf column of that name; C4W_USAGE when it names a group of several leaves. */
int c4w_pq_column(const struct c4w_pq *pq, const char *name, size_t *column, struct c4w_err *err) C4W_MUST_CHECK;

/* The same, checked: the column must be of this physical type and stand in exactly `lists` lists. Else C4W_DAMAGED, rule "parquet.column-type",
 * and the message says what it is and what it should be. */
int c4w_pq_column_of(const struct c4w_pq *pq, const char *name, enum c4w_pq_type type, unsigned lists, size_t *column,
		     struct c4w_err *err) C4W_MUST_CHECK;

/* "a.list.element" of a column into buf, escaped for display; returns buf. */
char *c4w_pq_path(const struct c4w_pq *pq, size_t column, char *buf, size_t size);

const char *c4w_pq_type_name(enum c4w_pq_type t);   /* "INT64" */
const char *c4w_pq_codec_name(int32_t codec);       /* "ZSTD"; NULL for one without a name */
const char *c4w_pq_encoding_name(int32_t encoding); /* "PLAIN"; NULL for one without a name */
/* "timestamp[us, UTC]", "decimal(9, 2)", "string", "uint8", ... or "" into buf; returns buf. */
char *c4w_pq_logical_text(const struct c4w_pq_node *n, char *buf, size_t size);

/* ---- row groups and chunks ---- */

int64_t c4w_pq_group_rows(const struct c4w_pq *pq, size_t group);
int64_t c4w_pq_group_first(const struct c4w_pq *pq, size_t group); /* the number of its first row in the file */
int64_t c4w_pq_group_bytes(const struct c4w_pq *pq, size_t group); /* uncompressed, as the file claims */

struct c4w_pq_stats {
	bool has_min, has_max;       /* min and max are there and their order is certain: may be used to skip */
	bool raw_min, raw_max;       /* min and max are there, certain or not: to show */
	bool min_exact, max_exact;   /* said to be values that occur, not only bounds */
	bool has_nulls, has_distinct;
	int64_t nulls, distinct;
	struct c4w_view min, max;    /* plain-encoded: 4 or 8 bytes little-endian, or the bytes */
};

struct c4w_pq_chunk {
	enum c4w_pq_type type;
	int32_t codec;
	int64_t values;                   /* leaf entries, nulls and empty lists included, as claimed */
	int64_t compressed, uncompressed; /* bytes, page headers included */
	uint64_t offset;                  /* where its pages begin (the dictionary page, if there is one) */
	bool has_dictionary;
	uint32_t encodings;               /* a bit per encoding number */
	struct c4w_pq_stats stats;
	uint64_t column_index_offset, offset_index_offset, bloom_offset; /* 0: not there */
	uint32_t column_index_bytes, offset_index_bytes, bloom_bytes;
};
void c4w_pq_chunk(const struct c4w_pq *pq, size_t group, size_t column, struct c4w_pq_chunk *out);

/* May row group `group` hold a value of `column` that equals v, or lies in [lo, hi], as far as statistics of a certain order can tell? */
bool c4w_pq_may_hold_int(const struct c4w_pq *pq, size_t group, size_t column, int64_t v);
bool c4w_pq_may_hold_range(const struct c4w_pq *pq, size_t group, size_t column, int64_t lo, int64_t hi);
bool c4w_pq_may_hold_bytes(const struct c4w_pq *pq, size_t group, size_t column, struct c4w_view v);

/* ---- reading values ---- */

/* Decompression contexts and buffers of one thread; grows to the largest page met. */
int c4w_pq_worker_new(struct c4w_pq_worker **out, struct c4w_err *err) C4W_MUST_CHECK;
void c4w_pq_worker_free(struct c4w_pq_worker *w); /* accepts NULL */

struct c4w_pq_opts {
	bool keep_dict;       /* give indices and dictionary where every page of the chunk is dictionary-encoded; else plain form */
	bool structs;         /* fill batch.structs */
	bool no_crc;          /* don't check page CRCs that are there */
	uint32_t *bad_crcs;   /* not NULL: pages whose CRC differs are counted here and read on, instead of failing */
	int64_t first, count; /* rows of the group; count 0: from `first` on. See below */
	struct c4w_pq_marks *marks; /* not NULL: the pages that were read, in the arena; pages behind the chunk's last value are damage */
};

/* One page as it was met. */
struct c4w_pq_mark {
	int32_t type;        /* 0 data, 2 dictionary, 3 data (v2) */
	int32_t encoding;
	uint64_t offset;     /* of its header */
	uint32_t bytes;      /* header included */
	uint32_t values;     /* entries of a data page, nulls and empty lists included; values of a dictionary */
	uint32_t claimed_rows, claimed_nulls; /* v2: what its header says */
	int64_t first_row;   /* rows of the group before it */
	size_t first_slot;   /* leaf slots before it, of those that were read */
	bool mid_row;        /* it goes on with the row of the page before */
};
struct c4w_pq_marks {
	const struct c4w_pq_mark *v;
	size_t n;
};

/* Where rows [first, first + count) alone are asked for: the offset index, if there is one, leads to the pages that hold them, and no others are read
 * (the dictionary page is, for pages over it); each is held against the index, and where they disagree that is damage ("parquet.offset-index"). An index that is malformed
 * in itself, or whose pages don't stand one behind the other from the first on, is passed over. Without one, pages in front are passed over by their headers where these tell their rows (not in v1 pages
 * of lists), and nothing is read behind the last row. */

/* Read a column of a row group. Everything of *out lives in `arena` (blobs in memory may be lent from). opts NULL: defaults. worker NULL:
 * a temporary one. On failure *out is empty; what was taken from the arena stays taken until it is reset. */
int c4w_pq_read(const struct c4w_pq *pq, size_t group, size_t column, const struct c4w_pq_opts *opts, struct c4w_pq_worker *worker,
		struct c4w_arena *arena, struct c4w_batch *out, struct c4w_err *err) C4W_MUST_CHECK;

/* The plain-encoded bytes of slot i, which is there, of a batch in either form. */
static inline const uint8_t *c4w_pq_slot(const struct c4w_batch *b, size_t i, size_t *n)
{
	const struct c4w_batch *v = b;

	if (b->phys == C4W_PHYS_BYTES || b->phys == C4W_PHYS_FIXED)
		return c4w_batch_bytes(b, i, n);
	if (b->indices) {
		i = b->indices[i];
		v = b->dict;
	}
	*n = v->width;
	return (const uint8_t *)v->values + i * v->width;
}

/* Read a column of all row groups into one batch in plain form, for tables that are held whole. */
int c4w_pq_read_all(const struct c4w_pq *pq, size_t column, struct c4w_pq_worker *worker, struct c4w_arena *arena,
		    struct c4w_batch *out, struct c4w_err *err) C4W_MUST_CHECK;

/* About how many bytes of memory reading this chunk takes, from what the footer claims: the item driver's cost. */
uint64_t c4w_pq_cost(const struct c4w_pq *pq, size_t group, size_t column);

/* Tell the blob which chunks will be read: a remote store merges the requests. */
void c4w_pq_prefetch(const struct c4w_pq *pq, size_t group, const size_t *columns, size_t ncolumns);

/* ---- indexes, for verify and for skipping ---- */

/* One page of the offset index: where it lies and its first row within the row group. */
struct c4w_pq_location {
	uint64_t offset;
	uint32_t bytes; /* header included */
	int64_t first_row;
};
/* The offset index of a chunk into the arena; *n is 0 when there is none. */
int c4w_pq_offset_index(const struct c4w_pq *pq, size_t group, size_t column, struct c4w_arena *arena, struct c4w_pq_location **out, size_t *n,
			struct c4w_err *err) C4W_MUST_CHECK;

/* One page of the column index. */
struct c4w_pq_page_stats {
	bool is_null;          /* nothing but nulls: min and max say nothing */
	bool has_nulls;        /* is `nulls` there? */
	int64_t nulls;
	struct c4w_view min, max; /* plain-encoded, as in the chunk's statistics */
};
struct c4w_pq_column_index {
	struct c4w_pq_page_stats *pages;
	size_t n;              /* data pages; 0 when there is no column index */
	int32_t order;         /* of min and max from page to page, null pages left out: 0 none, 1 ascending, 2 descending */
	bool is_certain;       /* the order of the type is certain, so that bounds may be used */
};
/* The column index of a chunk; everything in the arena. C4W_DAMAGED when it lies outside the file, is malformed, or its lists differ in length. */
int c4w_pq_column_index(const struct c4w_pq *pq, size_t group, size_t column, struct c4w_arena *arena, struct c4w_pq_column_index *out,
			struct c4w_err *err) C4W_MUST_CHECK;
/* May a bound of a column be used, if the order of its type is certain: is it of the type's width, and no NaN? */
bool c4w_pq_bound_usable(const struct c4w_pq_node *leaf, struct c4w_view bound);

/* How many pages of a type the footer says have an encoding (PageEncodingStats). */
struct c4w_pq_page_count {
	int32_t type, encoding;
	int64_t pages;
};
/* Those of a chunk into the arena; *n is 0 where the footer does not say. */
int c4w_pq_page_counts(const struct c4w_pq *pq, size_t group, size_t column, struct c4w_arena *arena, struct c4w_pq_page_count **out, size_t *n,
		       struct c4w_err *err) C4W_MUST_CHECK;

/* A Bloom filter of split blocks (BloomFilter.md). */
struct c4w_pq_bloom {
	const uint8_t *blocks; /* of 32 bytes; borrowed from the arena or the blob */
	uint32_t nblocks;      /* 0: there is no filter */
};
/* The filter of a chunk. C4W_DAMAGED when it lies outside the file or is malformed; C4W_UNSUPPORTED for another algorithm, hash or compression. */
int c4w_pq_bloom(const struct c4w_pq *pq, size_t group, size_t column, struct c4w_arena *arena, struct c4w_pq_bloom *out, struct c4w_err *err)
	C4W_MUST_CHECK;
/* May the chunk hold this plain-encoded value (strings without their length)? */
bool c4w_pq_bloom_has(const struct c4w_pq_bloom *b, const void *value, size_t n);

/* Bytes [begin, end) of the file that a chunk's pages take; C4W_DAMAGED when they leave the file. */
int c4w_pq_chunk_bytes(const struct c4w_pq *pq, size_t group, size_t column, uint64_t *begin, uint64_t *end, struct c4w_err *err)
	C4W_MUST_CHECK;

/* ---- rules ---- */

extern const struct c4w_rule c4w_pq_rules[]; /* ended by an empty row */

#endif
