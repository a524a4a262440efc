/* What the files of the Parquet writer share.
 *
 *     pq_write.c   schema, row groups, footer      pq_wpage.c  chunks, pages, compression
 *     pq_wlevel.c  levels out of batches           pq_wdict.c  dictionaries
 *     pq_wvalue.c  encodings                       pq_wstats.c statistics
 *     pq_windex.c  page index
 */
#ifndef C4W_CONTAINERS_PQ_WIMPL_H
#define C4W_CONTAINERS_PQ_WIMPL_H

#include "base/buf.h"
#include "containers/pq_impl.h"
#include "containers/pq_write.h"

/* ---- Thrift, writing (pq_write.c) ---- */

struct pq_out {
	struct c4w_buf b;
	int16_t last[40]; /* last field of each open struct */
	unsigned depth;
};
void pq_w_begin(struct pq_out *o);                       /* a struct that is a list's element or the document */
void pq_w_end(struct pq_out *o);
void pq_w_struct(struct pq_out *o, int16_t id);          /* a struct field */
void pq_w_i32(struct pq_out *o, int16_t id, int32_t v);
void pq_w_i64(struct pq_out *o, int16_t id, int64_t v);
void pq_w_bool(struct pq_out *o, int16_t id, bool v);
void pq_w_bytes(struct pq_out *o, int16_t id, const void *p, size_t n);
void pq_w_list(struct pq_out *o, int16_t id, uint8_t wire, size_t n);
void pq_w_varint(struct c4w_buf *b, uint64_t v);
static inline uint64_t pq_zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
}

/* ---- levels (pq_wlevel.c) ---- */

struct pq_levels {
	uint8_t *rep, *def;
	size_t n;
	size_t cap;
};

/* Does the batch fit its column? C4W_USAGE where not. */
int pq_w_check(const struct c4w_pq_writer *w, size_t column, size_t rows, const struct c4w_batch *b, struct c4w_err *err) C4W_MUST_CHECK;
/* Levels of all rows into w->lv. False in *needed, and nothing there, when all entries are rows at the highest level. */
int pq_w_levels(struct c4w_pq_writer *w, size_t column, size_t rows, const struct c4w_batch *b, bool *needed, struct c4w_err *err) C4W_MUST_CHECK;

/* ---- values (pq_wvalue.c) ---- */

/* Values of slots [from, to) that are there, appended in PLAIN form. */
int pq_w_plain(struct c4w_buf *out, const struct c4w_batch *b, size_t from, size_t to, struct c4w_err *err) C4W_MUST_CHECK;
/* The RLE / bit-packed hybrid of n values. */
void pq_w_hybrid8(struct c4w_buf *out, const uint8_t *v, size_t n, unsigned bits);
void pq_w_hybrid32(struct c4w_buf *out, const uint32_t *v, size_t n, unsigned bits);
void pq_w_delta(struct c4w_buf *out, const int64_t *v, size_t n, unsigned width);

/* ---- dictionaries (pq_wdict.c) ---- */

/* The distinct values in order of appearance, and the index of each value from the front on. It covers the whole chunk, or what came before the
 * first value that it had no room for. */
struct pq_dict {
	struct c4w_batch values;   /* over bytes and ends */
	size_t distinct;
	uint32_t *indices;         /* of the values that are there, in order */
	size_t n;
	size_t slots;              /* leaf slots that are covered */
	struct c4w_buf bytes;
	int64_t *ends;
};
/* With room for `most` bytes of a dictionary page. n is 0, and nothing there, when the values do not repeat enough to be worth one. */
int pq_w_dictionary(const struct c4w_batch *b, size_t most, struct pq_dict *d, struct c4w_err *err) C4W_MUST_CHECK;
void pq_w_dictionary_clear(struct pq_dict *d);

/* ---- statistics (pq_wstats.c) ---- */

enum pq_order { PQ_ORDER_NONE, PQ_ORDER_SIGNED, PQ_ORDER_UNSIGNED, PQ_ORDER_REAL, PQ_ORDER_BYTES };

union pq_extreme {
	int64_t i;
	uint64_t u;
	double d;
	float f;
	struct c4w_view text;
};

/* The smallest and the largest of the values added. Those of strings are borrowed from the batches. */
struct pq_range {
	enum pq_order order;
	bool any;
	union pq_extreme min, max;
};
void pq_range_init(struct pq_range *r, const struct c4w_pq_node *leaf);
void pq_range_add(struct pq_range *r, const struct c4w_batch *b, size_t from, size_t to); /* leaf slots [from, to) */
void pq_range_merge(struct pq_range *r, const struct pq_range *part);
int pq_extreme_cmp(enum pq_order order, const union pq_extreme *a, const union pq_extreme *b);

struct pq_bounds {
	bool min_exact, max_exact;
	struct c4w_buf min, max; /* plain-encoded; long strings cut, downwards and upwards */
};
/* False: there are none. */
bool pq_range_bounds(const struct pq_range *r, const struct c4w_pq_node *leaf, struct pq_bounds *out);

/* ---- page index (pq_windex.c) ---- */

/* That of one chunk, as it grows page by page. Zeroed storage is an empty one. */
struct pq_windex {
	struct pq_out locations;                        /* structs of the offset index */
	struct c4w_buf null_pages, mins, maxes, counts; /* elements of the column index's lists */
	size_t pages;
	bool no_bounds;                                 /* a page with values has none: there is no column index then */
	bool rises, falls;                              /* somewhere, from one page's bounds to the next's */
	struct pq_bounds bounds[2];                     /* of the last two pages with values, in turn */
	struct pq_range last;                           /* of the last of them; text is in its bounds */
	unsigned turn;
};

/* One page. */
struct pq_windex_page {
	uint64_t offset, bytes;
	size_t first_row, nulls;
	bool is_null;                 /* it has no values */
	const struct pq_range *range; /* NULL: not known */
};
void pq_windex_add(struct pq_windex *x, const struct c4w_pq_node *leaf, const struct pq_windex_page *p);
/* The two structures, appended; nothing for a column index that there can't be. */
void pq_windex_done(const struct pq_windex *x, struct c4w_buf *column, struct c4w_buf *offset);
void pq_windex_clear(struct pq_windex *x);

/* ---- chunks ---- */

struct pq_wchunk {
	int64_t values, compressed, uncompressed, data_offset, dict_offset; /* dict_offset 0: none */
	bool has_dict;
	uint8_t encoding;                /* of the values of data pages that are not over the dictionary */
	uint32_t dict_pages, own_pages;  /* data pages over the dictionary, and others */
	bool has_stats;
	struct pq_bounds bounds;
	size_t nulls;
	struct c4w_buf column_index, offset_index; /* held until the footer */
	uint64_t column_index_offset, offset_index_offset;
};
void pq_wchunk_clear(struct pq_wchunk *c);

struct pq_packers; /* compression contexts */

struct c4w_pq_writer {
	struct c4w_pq pq; /* schema only */
	struct c4w_pq_write_opts o;
	uint8_t *encodings;
	char *created_by;
	c4w_pq_write_fn write;
	void *ctx;
	uint64_t at;
	struct c4w_buf schema; /* its Thrift bytes, which pq's names point into */
	struct pq_out meta;    /* key-value structs */
	size_t nmeta;
	struct pq_wchunk *chunks;
	size_t nchunks, cap_chunks;
	struct { int64_t rows; } *groups;
	size_t ngroups, cap_groups;
	int64_t rows;
	struct pq_packers *packers;
	struct c4w_buf page, packed, used;
	struct pq_out head;
	struct pq_levels lv;
	bool done, failed;
};

int pq_w_emit(struct c4w_pq_writer *w, const void *p, size_t n, struct c4w_err *err) C4W_MUST_CHECK;
int pq_w_chunk(struct c4w_pq_writer *w, size_t column, size_t rows, const struct c4w_batch *b, struct pq_wchunk *out, struct c4w_err *err)
	C4W_MUST_CHECK;
void pq_packers_free(struct pq_packers *p);

#endif
