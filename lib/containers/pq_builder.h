/* The builder of a batch, shared by pq_chunk.c (which pages), pq_read.c (pages and levels) and pq_decode.c (values). It takes the pages of one chunk,
 * or of a column's chunks one after the other. */
#ifndef C4W_CONTAINERS_PQ_BUILDER_H
#define C4W_CONTAINERS_PQ_BUILDER_H

#include "containers/pq_impl.h"

enum { E_PLAIN = 0, E_PLAIN_DICTIONARY = 2, E_RLE = 3, E_BIT_PACKED = 4, E_DELTA_BINARY_PACKED = 5, E_DELTA_LENGTH = 6, E_DELTA_BYTE_ARRAY = 7,
       E_RLE_DICTIONARY = 8, E_BYTE_STREAM_SPLIT = 9 };

struct pq_builder {
	const struct c4w_pq *pq;
	const struct c4w_pq_node *leaf;
	const struct c4w_pq_opts *opts;
	struct c4w_pq_worker *w;
	struct c4w_arena *arena;
	struct c4w_err *err;
	enum c4w_phys phys;
	size_t width;
	struct pq_nest nest;
	struct pq_valid valid; /* of the leaf slots; valid.n is their number */
	struct pq_vec values;  /* fixed widths */
	struct pq_vec offsets, bytes;
	struct pq_vec indices;
	bool as_indices;       /* dictionary form so far */
	bool levels_needed;    /* struct levels or lists: bytes of levels, not only bits */
	struct c4w_batch *dict; /* of the current chunk */
	int64_t left;          /* entries that the chunk still claims */
	size_t expected;       /* slots to reserve room for at once */
	size_t skipped;        /* rows of pages that were skipped in front */
	size_t rows_before;    /* rows of the chunks before the current one */
	struct pq_vec marks;   /* where they are asked for */
};

/* The values of a page: `n` of them for `slots` slots, whose validity is in bits where n < slots. */
int pq_take_values(struct pq_builder *b, int32_t encoding, const uint8_t *p, size_t size, size_t readable, size_t slots, size_t n,
		   const uint8_t *bits) C4W_MUST_CHECK;
/* A dictionary page's bytes, uncompressed, become a batch of their own; strings are moved together where they are. */
int pq_take_dictionary(struct pq_builder *b, uint8_t *p, size_t size, size_t values, uint64_t offset, struct c4w_arena *arena) C4W_MUST_CHECK;
/* From indices to plain form. */
int pq_expand(struct pq_builder *b) C4W_MUST_CHECK;
/* Room for `slots` more offsets; the first, 0, is put in front. */
int pq_offsets_begin(struct pq_builder *b, size_t slots) C4W_MUST_CHECK;

/* A page whose body is at hand: its CRC checked, then the dictionary or the values and levels. */
int pq_take_page(struct pq_builder *b, struct pq_page *g, int32_t codec) C4W_MUST_CHECK;
/* All pages of a chunk that hold rows of [first, last). */
int pq_take_chunk(struct pq_builder *b, size_t group, size_t column, size_t first, size_t last) C4W_MUST_CHECK;

#endif
