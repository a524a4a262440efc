/* What the files of the Parquet writer share.
 *
 *     pq_write.c   schema, row groups, footer      pq_wpage.c  levels, pages, compression
 *     pq_wvalue.c  encodings, dictionary, statistics
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
void pq_w_varint(struct pq_out *o, uint64_t v);
static inline uint64_t pq_zigzag(int64_t v)
{
	return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
}

/* ---- levels (pq_wpage.c) ---- */

struct pq_levels {
	uint8_t *rep, *def; /* NULL: no lists; all entries at the highest level */
	size_t n;
	size_t cap;
};

/* ---- values (pq_wvalue.c) ---- */

/* Values of slots [from, to) that are there, appended in PLAIN form. */
int pq_w_plain(struct c4w_buf *out, const struct c4w_batch *b, size_t from, size_t to, struct c4w_err *err) C4W_MUST_CHECK;
/* The RLE / bit-packed hybrid of n values. */
void pq_w_hybrid8(struct c4w_buf *out, const uint8_t *v, size_t n, unsigned bits);
void pq_w_hybrid32(struct c4w_buf *out, const uint32_t *v, size_t n, unsigned bits);
void pq_w_delta(struct c4w_buf *out, const int64_t *v, size_t n, unsigned width);

/* A chunk's dictionary: the distinct values in order of appearance, and each slot's index (nulls left out). */
struct pq_dict {
	struct c4w_buf page;    /* PLAIN */
	uint32_t *indices;      /* of the values that are there, in order */
	size_t n, distinct;
};
/* False in *made when it would take more than `most` bytes or is not worth it. */
int pq_w_dictionary(const struct c4w_batch *b, size_t most, struct pq_dict *d, bool *made, struct c4w_err *err) C4W_MUST_CHECK;
void pq_w_dictionary_clear(struct pq_dict *d);

struct pq_wstats {
	bool has, min_exact, max_exact;
	struct c4w_buf min, max; /* plain-encoded */
	size_t nulls;
};
void pq_w_stats(const struct c4w_pq_node *leaf, const struct c4w_batch *b, struct pq_wstats *s);

/* ---- chunks ---- */

struct pq_wchunk {
	int64_t values, compressed, uncompressed, data_offset, dict_offset; /* dict_offset 0: none */
	bool has_dict;
	uint8_t encoding; /* of the values of its data pages */
	bool has_stats, min_exact, max_exact;
	size_t nulls;
	char *min, *max;
	size_t min_n, max_n;
};

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
	struct c4w_buf page, packed, levels;
	struct pq_out head;
	struct pq_levels lv;
	bool done, failed;
};

int pq_w_emit(struct c4w_pq_writer *w, const void *p, size_t n, struct c4w_err *err) C4W_MUST_CHECK;
int pq_w_chunk(struct c4w_pq_writer *w, size_t column, size_t rows, const struct c4w_batch *b, struct pq_wchunk *out, struct c4w_err *err)
	C4W_MUST_CHECK;
void pq_packers_free(struct pq_packers *p);

#endif
