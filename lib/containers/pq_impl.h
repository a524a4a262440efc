/* What the files of the Parquet module share. Nobody outside lib/containers/pq*.c includes this.
 *
 *     pq_thrift.c  Thrift's compact protocol            pq_meta.c   footer, row groups, chunks
 *     pq_schema.c  schema tree, names, shapes           pq_stats.c  statistics that may be used
 *     pq_codec.c   decompression                        pq_bits.c   bit unpacking, RLE hybrid
 *     pq_enc.c     the other encodings                  pq_page.c   page headers, reading pages
 *     pq_read.c    pages to batches                     pq_nest.c   levels to lists and structs
 *     pq_decode.c  values of a page                     pq_index.c  page index
 *     pq_slice.c   rows of a batch                      pq_bloom.c  Bloom filters
 *     pq_chunk.c   which pages of a chunk are read      pq_arrow.c  ARROW:schema, with a header of its own
 */
#ifndef C4W_CONTAINERS_PQ_IMPL_H
#define C4W_CONTAINERS_PQ_IMPL_H

#include "containers/pq.h"

/* ---- pq_thrift.c ---- */

enum pq_wire { PQ_W_STOP, PQ_W_TRUE, PQ_W_FALSE, PQ_W_BYTE, PQ_W_I16, PQ_W_I32, PQ_W_I64, PQ_W_DOUBLE, PQ_W_BINARY, PQ_W_LIST, PQ_W_SET,
	       PQ_W_MAP, PQ_W_STRUCT, PQ_W_UUID };

/* A reading position in Thrift data. The first fault sticks: everything after it reads as zero, empty and stop. */
struct pq_cur {
	const uint8_t *p, *start, *end;
	uint64_t base;     /* file offset of start, for messages */
	unsigned depth;
	bool bad, is_short; /* is_short: the fault was running out of bytes */
	int cls;
	struct c4w_err *err;
};

struct pq_field {
	int16_t id;
	uint8_t wire;
};

void pq_cur_init(struct pq_cur *c, const uint8_t *p, size_t n, uint64_t base, struct c4w_err *err);
/* Damage at the current position, unless there is a fault already. */
void pq_bad(struct pq_cur *c, const char *rule, const char *fmt, ...) C4W_PRINTF(3, 4);
bool pq_struct_begin(struct pq_cur *c); /* false, and bad, beyond the depth limit */
/* The next field of a struct; *f is zeroed before the first. False at the stop byte (depth goes back) or on a fault. */
bool pq_field_next(struct pq_cur *c, struct pq_field *f);
/* A list's element count, each element at least one byte in what is left; wire may be checked by the caller. */
uint32_t pq_list(struct pq_cur *c, uint8_t *wire);
int64_t pq_int(struct pq_cur *c, const struct pq_field *f);  /* any integer width; other wire types are a fault */
int32_t pq_int32(struct pq_cur *c, const struct pq_field *f);
bool pq_bool(struct pq_cur *c, const struct pq_field *f);
struct c4w_view pq_binary(struct pq_cur *c, const struct pq_field *f);
int64_t pq_varint_zz(struct pq_cur *c);
bool pq_list_bool(struct pq_cur *c); /* an element of a list; as a field a boolean is in the wire type */
struct c4w_view pq_bytes(struct pq_cur *c);
void pq_skip(struct pq_cur *c, uint8_t wire);
bool pq_want(struct pq_cur *c, const struct pq_field *f, uint8_t wire); /* is it of that wire type? else a fault */

/* ---- pq_meta.c ---- */

struct pq_chunk_meta {
	int64_t values, compressed, uncompressed;
	int64_t data_offset, dict_offset;
	int64_t column_index_offset, offset_index_offset, bloom_offset;
	int32_t column_index_bytes, offset_index_bytes, bloom_bytes;
	int64_t nulls, distinct;
	struct c4w_view min, max, old_min, old_max;
	struct c4w_view page_counts; /* Thrift bytes of encoding_stats */
	uint32_t encodings;
	int32_t codec;
	uint8_t type;
	bool has_nulls, has_distinct, min_exact, max_exact;
	bool has_minmax_new[2], has_minmax_old[2]; /* min, max */
	bool has_meta, has_file_path, is_encrypted;
};

struct pq_group {
	int64_t rows, first, bytes;
	size_t first_chunk;
};

struct c4w_pq {
	struct c4w_blob *blob;
	uint8_t *footer;
	uint32_t footer_bytes;
	uint64_t pages_end; /* where the footer begins: pages lie in [4, pages_end) */
	int32_t version;
	int64_t rows;
	struct c4w_view created_by;
	struct c4w_pq_node *nodes;
	uint32_t nnodes;
	uint32_t *leaves; /* node of each column */
	uint8_t *orders;  /* per column: 1 TYPE_ORDER, 0 unknown */
	uint32_t ncolumns;
	struct pq_group *groups;
	size_t ngroups;
	struct pq_chunk_meta *chunks; /* groups x columns */
	size_t nchunks;
	struct c4w_view *keys, *vals;
	size_t nmeta;
	bool old_sizes; /* written by a parquet-mr whose total_compressed_size leaves the dictionary page's header out */
};

/* The chunk's byte range; C4W_DAMAGED when it leaves the file. */
int pq_chunk_range(const struct c4w_pq *pq, size_t group, size_t column, uint64_t *begin, uint64_t *end, struct c4w_err *err) C4W_MUST_CHECK;

static inline const struct pq_chunk_meta *pq_chunk_at(const struct c4w_pq *pq, size_t group, size_t column)
{
	return &pq->chunks[pq->groups[group].first_chunk + column];
}

/* ---- pq_schema.c ---- */

/* Reads the schema list at the cursor into pq->nodes and pq->leaves. */
void pq_schema_read(struct c4w_pq *pq, struct pq_cur *c);

/* ---- pq_codec.c ---- */

/* Growable scratch memory of a worker; contents are lost on growth. Always 64 readable bytes behind n. */
struct pq_scratch {
	uint8_t *p;
	size_t cap;
};
int pq_scratch_need(struct pq_scratch *s, size_t n, struct c4w_err *err) C4W_MUST_CHECK;

struct pq_codecs;
void pq_codecs_free(struct pq_codecs *c);
/* Exactly `out_bytes` bytes out of all of `in`. */
int pq_decompress(struct pq_codecs **c, int32_t codec, const uint8_t *in, size_t n, uint8_t *out, size_t out_bytes, struct c4w_err *err)
	C4W_MUST_CHECK;
/* Can n bytes of this codec become `claimed` bytes at all? */
bool pq_codec_plausible(int32_t codec, size_t n, uint64_t claimed);

/* ---- pq_bits.c ---- */

/* Unpack n values of `bits` bits each (LSB first). `avail` bytes may be read at `in`; at least (n*bits+7)/8. */
void pq_unpack32(const uint8_t *in, size_t avail, unsigned bits, size_t n, uint32_t *out);
void pq_unpack64(const uint8_t *in, size_t avail, unsigned bits, size_t n, uint64_t *out);
void pq_unpack8(const uint8_t *in, size_t avail, unsigned bits, size_t n, uint8_t *out); /* bits <= 8 */
void pq_unpack32_portable(const uint8_t *in, size_t avail, unsigned bits, size_t n, uint32_t *out);
void pq_unpack8_portable(const uint8_t *in, size_t avail, unsigned bits, size_t n, uint8_t *out);

/* Bitmaps: copy n bits, set n bits; `to` is a bit position. Bits from `to` on must be zero before. */
void pq_bits_copy(uint8_t *bits, size_t to, const uint8_t *from, size_t n);
void pq_bits_copy_from(uint8_t *bits, size_t to, const uint8_t *from, size_t at, size_t n);
void pq_bits_set(uint8_t *bits, size_t to, size_t n);

/* The RLE / bit-packed hybrid (Encodings.md, RLE = 3). A run at a time. */
struct pq_rle {
	const uint8_t *p, *end;
	unsigned bits;
	uint32_t value;      /* of a repeated run */
	const uint8_t *packed; /* of a packed run: its bytes; NULL: repeated */
	size_t left;         /* values left in the run */
	size_t at;           /* values of a packed run already taken */
};
void pq_rle_init(struct pq_rle *r, const uint8_t *p, size_t n, unsigned bits);
/* Make a run current when none is left. False: no further run, or it's damaged. */
bool pq_rle_more(struct pq_rle *r);
/* Exactly n values; false when there are fewer. */
bool pq_rle_u32(struct pq_rle *r, uint32_t *out, size_t n);
bool pq_rle_u8(struct pq_rle *r, uint8_t *out, size_t n);               /* bits <= 8 */
bool pq_rle_bits(struct pq_rle *r, uint8_t *bitmap, size_t to, size_t n); /* bits == 1; appends to a bitmap of zeros */

/* ---- pq_enc.c ---- */

/* Each decodes n values from [in, in+size) and reports damage when they don't fit. */
int pq_delta_i32(const uint8_t *in, size_t size, int32_t *out, size_t n, size_t *used, struct c4w_err *err) C4W_MUST_CHECK;
int pq_delta_i64(const uint8_t *in, size_t size, int64_t *out, size_t n, size_t *used, struct c4w_err *err) C4W_MUST_CHECK;
int pq_byte_stream_split(const uint8_t *in, size_t size, size_t width, uint8_t *out, size_t n, struct c4w_err *err) C4W_MUST_CHECK;

/* Sum of n lengths, each at least 0; false when one is negative. */
bool pq_lengths_sum(const int32_t *len, size_t n, uint64_t *sum);

/* ---- pq_page.c ---- */

enum pq_page_type { PQ_DATA_PAGE, PQ_INDEX_PAGE, PQ_DICTIONARY_PAGE, PQ_DATA_PAGE_V2 };

struct pq_page {
	int32_t type;
	uint64_t offset;          /* of its header in the file */
	size_t header_bytes;
	uint32_t compressed, uncompressed;
	bool has_crc, is_compressed;
	uint32_t crc;
	uint32_t values, nulls, rows;  /* v1: nulls and rows are 0 and not known */
	int32_t encoding, def_encoding, rep_encoding;
	uint32_t def_bytes, rep_bytes; /* v2 */
	bool mid_row;             /* set when it is decoded: it goes on with the row of the page before */
	const uint8_t *data;      /* `compressed` bytes as stored; valid until the next page is asked for */
	size_t readable;          /* bytes that may be read at data, at least `compressed` */
};

/* Walks the pages of a chunk through a window that moves over the blob, or in the blob's own memory. */
struct pq_pages {
	const struct c4w_pq *pq;
	struct pq_scratch *window;
	uint64_t at, end;         /* next page, end of the chunk */
	uint64_t win_at;          /* file offset of the window's first byte */
	const uint8_t *win;
	size_t win_bytes;
	bool lent;                /* the window is the blob's own memory */
	bool sparse;              /* read no more than is asked for */
};
void pq_pages_init(struct pq_pages *s, const struct c4w_pq *pq, struct pq_scratch *window, uint64_t begin, uint64_t end);
/* The next page's header; body (if asked) and position afterwards are behind it. */
int pq_page_header(struct pq_pages *s, struct pq_page *page, struct c4w_err *err) C4W_MUST_CHECK;
int pq_page_body(struct pq_pages *s, struct pq_page *page, struct c4w_err *err) C4W_MUST_CHECK;
void pq_page_skip(struct pq_pages *s, const struct pq_page *page);

/* ---- pq_index.c ---- */

/* Are the locations of a chunk in [begin, end) in order, apart from each other, and is each within the chunk and its row group? */
/* Can the locations be those of a chunk's pages, from its first data page on? One behind the other, so that none is left out unnoticed but the last
 * ones, which the row count tells. */
bool pq_index_sound(const struct c4w_pq_location *loc, size_t n, uint64_t data, uint64_t end, int64_t rows);

/* ---- pq_bloom.c ---- */

uint64_t pq_xxh64(const void *p, size_t n); /* XXH64 with seed 0 */

/* ---- worker ---- */

struct c4w_pq_worker {
	struct pq_codecs *codecs;
	struct pq_scratch window, page, dense, rep, def, bits, lens;
	struct c4w_arena tmp; /* of one chunk: a dictionary that is not handed out */
};

/* Rows [first, first+count) of a batch, as a batch over the same memory; bitmaps are moved, offsets rebased (pq_slice.c). */
int pq_batch_slice(struct c4w_batch *b, size_t first, size_t count, struct c4w_arena *arena, struct c4w_err *err) C4W_MUST_CHECK;

/* ---- pq_nest.c ---- */

/* A growable array in an arena. */
struct pq_vec {
	uint8_t *p;
	size_t n, cap; /* bytes */
	size_t limit;  /* 0: none */
};
/* Room for `more` bytes behind n, and 64 readable and writable ones behind those. */
int pq_vec_need(struct pq_vec *v, size_t more, struct c4w_arena *arena, struct c4w_err *err) C4W_MUST_CHECK;

/* A validity bitmap that exists only once a null has been met. */
struct pq_valid {
	struct pq_vec v;
	size_t n, nulls;
};
int pq_valid_ones(struct pq_valid *v, size_t n, struct c4w_arena *arena, struct c4w_err *err) C4W_MUST_CHECK;
int pq_valid_bits(struct pq_valid *v, const uint8_t *bits, size_t n, size_t ones, struct c4w_arena *arena, struct c4w_err *err) C4W_MUST_CHECK;

struct pq_list_level {
	uint8_t def;         /* definition level at which an element is there */
	uint8_t parent_def;  /* ... at which a list of this level is there (null or not) */
	struct pq_vec starts; /* int32_t; the end is put behind when all is read */
	struct pq_valid valid;
};
struct pq_struct_level {
	uint8_t def, depth, parent_def; /* of the struct; lists around it; of the innermost of these */
	struct pq_valid valid;
};

struct pq_nest {
	uint8_t max_def, max_rep;
	uint8_t leaf_def; /* level at which a leaf slot is there: that of the innermost list */
	uint32_t nlists, nstructs;
	struct pq_list_level *lists;
	struct pq_struct_level *structs;
	uint8_t last_def; /* of the entry before, for the check of continued lists */
	size_t entries;
};
int pq_nest_init(struct pq_nest *s, const struct c4w_pq *pq, size_t column, bool structs, struct c4w_arena *arena, struct c4w_err *err)
	C4W_MUST_CHECK;
/* Take the levels of one page, n entries; rep NULL when there are no lists. leaf_before: leaf slots so far; *slots: those of this page.
 * bits: scratch; on return the validity of the page's slots. */
int pq_nest_page(struct pq_nest *s, const uint8_t *rep, const uint8_t *def, size_t n, size_t leaf_before, size_t *slots,
		 size_t *not_null, struct pq_scratch *bits, struct c4w_arena *arena, struct c4w_err *err) C4W_MUST_CHECK;
/* The same for one list level without structs, repetition levels as bits; where pq_nest_fast says so. */
bool pq_nest_fast(const struct pq_nest *s);
int pq_nest_page_one(struct pq_nest *s, const uint8_t *rep_bits, const uint8_t *def, size_t n, size_t leaf_before, size_t *slots,
		     size_t *not_null, struct pq_scratch *bits, struct pq_scratch *scratch, struct c4w_arena *arena, struct c4w_err *err)
	C4W_MUST_CHECK;
/* The same when all entries have max_def, there is one list level, and the repetition levels are bits (64 readable bytes behind). */
int pq_nest_page_full(struct pq_nest *s, const uint8_t *rep_bits, size_t n, size_t leaf_before, struct c4w_arena *arena, struct c4w_err *err)
	C4W_MUST_CHECK;
/* Bits out of bytes: bit i = (v[i] == x). Returns the number of ones. out needs (n + 7) / 8 + 8 bytes. */
size_t pq_bits_equal(const uint8_t *v, size_t n, uint8_t x, uint8_t *out);
size_t pq_nest_rows(const struct pq_nest *s);
int pq_nest_finish(struct pq_nest *s, size_t leaf_slots, struct c4w_arena *arena, struct c4w_batch *out, struct c4w_err *err) C4W_MUST_CHECK;

#endif
