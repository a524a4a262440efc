/* From pages to batches. A builder takes the pages of one chunk, or of a column's chunks one after the other. */
#include "containers/pq_impl.h"

#include "base/checked.h"
#include "base/limits.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

enum { E_PLAIN = 0, E_PLAIN_DICTIONARY = 2, E_RLE = 3, E_BIT_PACKED = 4, E_DELTA_BINARY_PACKED = 5, E_DELTA_LENGTH = 6, E_DELTA_BYTE_ARRAY = 7,
       E_RLE_DICTIONARY = 8, E_BYTE_STREAM_SPLIT = 9 };

enum { PIECE = 1024 }; /* indices unpacked at a time: stays in the first cache */

struct builder {
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
};

static int bad_data(struct builder *b, const char *what)
{
	return c4w_damaged(b->err, "parquet.encoding-data", -1, "%s", what);
}

/* ---- values ---- */

/* Scatter `n` slots out of dense values: slot i takes the next value where its bit is set, and is zero elsewhere. */
#define SPREAD(name, type)                                                                     \
	static void name(const uint8_t *dense, const uint8_t *bits, size_t n, uint8_t *to)      \
	{                                                                                      \
		const type *in = (const type *)(const void *)dense;                            \
		type *out = (type *)(void *)to;                                                \
		size_t i, k = 0;                                                               \
		for (i = 0; i < n; i++) {                                                      \
			unsigned bit = (unsigned)bits[i >> 3] >> (i & 7) & 1U;                           \
			out[i] = bit ? in[k] : 0;                                              \
			k += bit;                                                              \
		}                                                                              \
	}
SPREAD(spread1, uint8_t)
SPREAD(spread4, uint32_t)
SPREAD(spread8, uint64_t)

static void spread(size_t width, const uint8_t *dense, const uint8_t *bits, size_t n, uint8_t *out)
{
	size_t i, k = 0;

	if (width == 1) {
		spread1(dense, bits, n, out);
	} else if (width == 4) {
		spread4(dense, bits, n, out);
	} else if (width == 8) {
		spread8(dense, bits, n, out);
	} else {
		for (i = 0; i < n; i++) {
			if (bits[i >> 3] >> (i & 7) & 1)
				memcpy(out + i * width, dense + k++ * width, width);
			else
				memset(out + i * width, 0, width);
		}
	}
}

static int rle_begin(struct builder *b, const uint8_t **p, size_t *size, struct pq_rle *r)
{
	if (*size == 0)
		return bad_data(b, "dictionary indices are cut");
	if ((*p)[0] > 32)
		return bad_data(b, "dictionary indices have a bit width above 32");
	pq_rle_init(r, *p + 1, *size - 1, (*p)[0]);
	return C4W_OK;
}

static int indices_checked(struct builder *b, const uint32_t *idx, size_t n, unsigned bits)
{
	uint32_t top = 0;
	size_t i;

	if (bits < 32 && (1ULL << bits) <= b->dict->n)
		return C4W_OK;
	for (i = 0; i < n; i++)
		top = idx[i] > top ? idx[i] : top;
	if (n > 0 && top >= b->dict->n) {
		c4w_damaged(b->err, "parquet.dictionary", -1, "an index points beyond the dictionary");
		return c4w_err_valuesf(b->err, "below the number of dictionary values", "%u, and the dictionary has %zu", top, b->dict->n);
	}
	return C4W_OK;
}

static int need_dict(struct builder *b)
{
	return b->dict ? C4W_OK : c4w_damaged(b->err, "parquet.dictionary", -1, "a page is dictionary-encoded, but no dictionary page came before");
}

static int gather_fixed(struct builder *b, const uint8_t *p, size_t size, uint8_t *out, size_t n)
{
	uint32_t idx[PIECE];
	const uint8_t *dict;
	struct pq_rle r;
	size_t width = b->width, i;

	C4W_TRY(need_dict(b));
	if (n == 0)
		return C4W_OK;
	C4W_TRY(rle_begin(b, &p, &size, &r));
	dict = b->dict->values;
	while (n > 0) {
		size_t take = n < PIECE ? n : PIECE;

		if (!pq_rle_u32(&r, idx, take))
			return bad_data(b, "dictionary indices are cut or malformed");
		C4W_TRY(indices_checked(b, idx, take, r.bits));
		if (width == 8) {
			for (i = 0; i < take; i++)
				memcpy(out + 8 * i, dict + 8 * (size_t)idx[i], 8);
		} else if (width == 4) {
			for (i = 0; i < take; i++)
				memcpy(out + 4 * i, dict + 4 * (size_t)idx[i], 4);
		} else {
			for (i = 0; i < take; i++)
				memcpy(out + width * i, dict + width * idx[i], width);
		}
		out += take * width;
		n -= take;
	}
	return C4W_OK;
}

static int delta_byte_array(struct builder *b, const uint8_t *p, size_t size, size_t n, int64_t *offsets, uint8_t *fixed);

/* n values of a fixed width into out. */
static int decode_fixed(struct builder *b, int32_t encoding, const uint8_t *p, size_t size, size_t readable, uint8_t *out, size_t n)
{
	size_t bytes, used;
	struct pq_rle r;

	switch (encoding) {
	case E_PLAIN:
		if (b->phys == C4W_PHYS_BOOL) {
			if (size < (n + 7) / 8)
				return bad_data(b, "plain booleans are cut");
			pq_unpack8(p, readable, 1, n, out);
			return C4W_OK;
		}
		if (!c4w_mul_size(n, b->width, &bytes) || bytes > size)
			return bad_data(b, "plain values are cut");
		if (bytes)
			memcpy(out, p, bytes);
		return C4W_OK;
	case E_PLAIN_DICTIONARY:
	case E_RLE_DICTIONARY:
		return gather_fixed(b, p, size, out, n);
	case E_RLE:
		if (b->phys != C4W_PHYS_BOOL)
			break;
		if (size < 4 || c4w_le32(p) > size - 4)
			return bad_data(b, "RLE booleans are cut");
		pq_rle_init(&r, p + 4, c4w_le32(p), 1);
		return pq_rle_u8(&r, out, n) ? C4W_OK : bad_data(b, "RLE booleans are cut or malformed");
	case E_DELTA_BINARY_PACKED:
		if (b->leaf->type == C4W_PQ_INT32)
			return pq_delta_i32(p, size, (int32_t *)(void *)out, n, &used, b->err);
		if (b->leaf->type == C4W_PQ_INT64)
			return pq_delta_i64(p, size, (int64_t *)(void *)out, n, &used, b->err);
		break;
	case E_DELTA_BYTE_ARRAY:
		if (b->leaf->type == C4W_PQ_FIXED)
			return delta_byte_array(b, p, size, n, NULL, out);
		break;
	case E_BYTE_STREAM_SPLIT:
		if (b->phys == C4W_PHYS_BOOL || b->leaf->type == C4W_PQ_INT96)
			break;
		return pq_byte_stream_split(p, size, b->width, out, n, b->err);
	default:
		return c4w_fail(b->err, C4W_UNSUPPORTED, "encoding %d is not known", encoding);
	}
	return c4w_damaged(b->err, "parquet.encoding-data", -1, "encoding %s is not possible for type %s", c4w_pq_encoding_name(encoding),
			   c4w_pq_type_name(b->leaf->type));
}

/* Short strings are copied 16 bytes at a time; both sides have room behind. */
static inline void copy_short(uint8_t *to, const uint8_t *from, size_t n)
{
	if (n <= 16)
		memcpy(to, from, 16);
	else
		memcpy(to, from, n);
}

static int plain_bytes(struct builder *b, const uint8_t *p, size_t size, size_t readable, int64_t *offsets, size_t n)
{
	const uint8_t *end = p + size, *soft = readable >= size + 20 ? end : size > 20 ? end - 20 : p;
	uint8_t *out;
	size_t i;

	C4W_TRY(pq_vec_need(&b->bytes, size, b->arena, b->err));
	out = b->bytes.p + b->bytes.n;
	for (i = 0; i < n; i++) {
		uint32_t len;

		if ((size_t)(end - p) < 4 || (len = c4w_le32(p)) > (size_t)(end - p) - 4)
			return bad_data(b, "a plain string is cut");
		p += 4;
		if (len <= 16 && p <= soft)
			memcpy(out, p, 16);
		else
			memcpy(out, p, len);
		out += len;
		p += len;
		offsets[i] = out - b->bytes.p;
	}
	b->bytes.n = (size_t)(out - b->bytes.p);
	return C4W_OK;
}

static int gather_bytes(struct builder *b, const uint8_t *p, size_t size, int64_t *offsets, size_t n)
{
	uint32_t idx[PIECE];
	struct pq_rle r;
	size_t i;

	C4W_TRY(need_dict(b));
	if (n == 0)
		return C4W_OK;
	C4W_TRY(rle_begin(b, &p, &size, &r));
	while (n > 0) {
		size_t take = n < PIECE ? n : PIECE, total = 0;
		const int64_t *at = b->dict->offsets;
		uint8_t *out;

		if (!pq_rle_u32(&r, idx, take))
			return bad_data(b, "dictionary indices are cut or malformed");
		C4W_TRY(indices_checked(b, idx, take, r.bits));
		for (i = 0; i < take; i++)
			total += (size_t)(at[idx[i] + 1] - at[idx[i]]);
		C4W_TRY(pq_vec_need(&b->bytes, total, b->arena, b->err));
		out = b->bytes.p + b->bytes.n;
		for (i = 0; i < take; i++) {
			size_t from = (size_t)at[idx[i]], len = (size_t)at[idx[i] + 1] - from;

			copy_short(out, b->dict->bytes + from, len);
			out += len;
			offsets[i] = out - b->bytes.p;
		}
		b->bytes.n += total;
		offsets += take;
		n -= take;
	}
	return C4W_OK;
}

static int delta_length(struct builder *b, const uint8_t *p, size_t size, int64_t *offsets, size_t n)
{
	const int32_t *len;
	uint64_t sum;
	size_t used, i;
	int64_t at;

	C4W_TRY(pq_scratch_need(&b->w->lens, n * sizeof *len, b->err));
	C4W_TRY(pq_delta_i32(p, size, (int32_t *)(void *)b->w->lens.p, n, &used, b->err));
	len = (const int32_t *)(const void *)b->w->lens.p;
	if (!pq_lengths_sum(len, n, &sum) || sum > size - used)
		return bad_data(b, "DELTA_LENGTH_BYTE_ARRAY lengths are negative or go beyond the page");
	C4W_TRY(pq_vec_need(&b->bytes, (size_t)sum, b->arena, b->err));
	if (sum)
		memcpy(b->bytes.p + b->bytes.n, p + used, (size_t)sum);
	at = (int64_t)b->bytes.n;
	for (i = 0; i < n; i++)
		offsets[i] = at += len[i];
	b->bytes.n += (size_t)sum;
	return C4W_OK;
}

/* Prefix lengths, suffix lengths, suffixes. Either into offsets and the builder's bytes, or into fixed-width values. */
static int delta_byte_array(struct builder *b, const uint8_t *p, size_t size, size_t n, int64_t *offsets, uint8_t *fixed)
{
	const uint8_t *end = p + size, *last = NULL;
	const int32_t *prefix, *suffix;
	size_t used, i, last_n = 0;
	uint64_t sum_prefix, sum;

	if (n > SIZE_MAX / 16)
		return c4w_fail_memory(b->err, n);
	C4W_TRY(pq_scratch_need(&b->w->lens, 2 * n * sizeof *prefix, b->err));
	prefix = (const int32_t *)(const void *)b->w->lens.p;
	suffix = prefix + n;
	C4W_TRY(pq_delta_i32(p, size, (int32_t *)(void *)b->w->lens.p, n, &used, b->err));
	p += used;
	C4W_TRY(pq_delta_i32(p, (size_t)(end - p), (int32_t *)(void *)b->w->lens.p + n, n, &used, b->err));
	p += used;
	if (!pq_lengths_sum(prefix, n, &sum_prefix) || !pq_lengths_sum(suffix, n, &sum) || sum > (size_t)(end - p))
		return bad_data(b, "DELTA_BYTE_ARRAY lengths are negative or go beyond the page");
	if (!fixed) {
		if (sum_prefix > C4W_LIMIT_PARQUET_PAGE)
			return c4w_fail(b->err, C4W_LIMIT, "a page of DELTA_BYTE_ARRAY data unpacks to more than %llu bytes",
					(unsigned long long)C4W_LIMIT_PARQUET_PAGE);
		C4W_TRY(pq_vec_need(&b->bytes, (size_t)(sum + sum_prefix), b->arena, b->err));
	}
	for (i = 0; i < n; i++) {
		size_t a = (size_t)prefix[i], s = (size_t)suffix[i];
		uint8_t *to = fixed ? fixed + i * b->width : b->bytes.p + b->bytes.n;

		if (a > last_n)
			return bad_data(b, "a DELTA_BYTE_ARRAY prefix is longer than the value before");
		if (fixed && a + s != b->width)
			return bad_data(b, "a DELTA_BYTE_ARRAY value of a fixed-length column has another length");
		if (a)
			memcpy(to, last, a);
		if (s)
			memcpy(to + a, p, s);
		p += s;
		last = to;
		last_n = a + s;
		if (!fixed) {
			b->bytes.n += last_n;
			offsets[i] = (int64_t)b->bytes.n;
		}
	}
	return C4W_OK;
}

/* n values: offsets[0..n-1] are the ends, in the builder's bytes. */
static int decode_bytes(struct builder *b, int32_t encoding, const uint8_t *p, size_t size, size_t readable, int64_t *offsets, size_t n)
{
	switch (encoding) {
	case E_PLAIN:
		return plain_bytes(b, p, size, readable, offsets, n);
	case E_PLAIN_DICTIONARY:
	case E_RLE_DICTIONARY:
		return gather_bytes(b, p, size, offsets, n);
	case E_DELTA_LENGTH:
		return delta_length(b, p, size, offsets, n);
	case E_DELTA_BYTE_ARRAY:
		return delta_byte_array(b, p, size, n, offsets, NULL);
	default:
		if (!c4w_pq_encoding_name(encoding))
			return c4w_fail(b->err, C4W_UNSUPPORTED, "encoding %d is not known", encoding);
		return c4w_damaged(b->err, "parquet.encoding-data", -1, "encoding %s is not possible for type BYTE_ARRAY",
				   c4w_pq_encoding_name(encoding));
	}
}

static int reserve(struct builder *b, struct pq_vec *v, size_t slots, size_t width)
{
	size_t bytes;

	if (!c4w_mul_size(v->p || slots > b->expected ? slots : b->expected, width, &bytes))
		return c4w_fail_memory(b->err, SIZE_MAX);
	return pq_vec_need(v, bytes, b->arena, b->err);
}

/* Can `size` bytes hold n values at all, as far as the encoding bounds it? Asked before room is made for them. */
static bool plausible(const struct builder *b, int32_t encoding, size_t size, size_t n)
{
	switch (encoding) {
	case E_PLAIN:
		return b->phys == C4W_PHYS_BYTES ? n <= size / 4 : b->phys == C4W_PHYS_BOOL ? n <= size * 8 : b->width == 0 || n <= size / b->width;
	case E_BYTE_STREAM_SPLIT:
		return b->width != 0 && n <= size / b->width;
	case E_DELTA_BINARY_PACKED:
	case E_DELTA_LENGTH:
	case E_DELTA_BYTE_ARRAY:
		return n <= size * 8192; /* a block of 2 bytes may stand for 4096 values */
	default:
		return true;
	}
}

static int offsets_begin(struct builder *b, size_t slots)
{
	C4W_TRY(reserve(b, &b->offsets, slots + 1, sizeof(int64_t)));
	if (b->offsets.n == 0) {
		memset(b->offsets.p, 0, sizeof(int64_t));
		b->offsets.n = sizeof(int64_t);
	}
	return C4W_OK;
}

/* From indices to plain form, when a page that isn't dictionary-encoded follows ones that are. */
static int expand(struct builder *b)
{
	const uint32_t *idx = (const uint32_t *)(const void *)b->indices.p;
	size_t n = b->indices.n / sizeof *idx, values = b->dict ? b->dict->n : 0, i;

	b->as_indices = false;
	if (n == 0)
		return C4W_OK;
	if (b->phys == C4W_PHYS_BYTES) {
		int64_t *off;

		C4W_TRY(offsets_begin(b, n));
		off = (int64_t *)(void *)b->offsets.p;
		for (i = 0; i < n; i++) {
			size_t from = 0, len = 0;

			if (idx[i] < values && c4w_bit(b->valid.nulls ? b->valid.v.p : NULL, i)) {
				from = (size_t)b->dict->offsets[idx[i]];
				len = (size_t)b->dict->offsets[idx[i] + 1] - from;
			}
			C4W_TRY(pq_vec_need(&b->bytes, len, b->arena, b->err));
			if (len)
				memcpy(b->bytes.p + b->bytes.n, b->dict->bytes + from, len);
			b->bytes.n += len;
			off[i + 1] = (int64_t)b->bytes.n;
		}
		b->offsets.n += n * sizeof *off;
		return C4W_OK;
	}
	C4W_TRY(reserve(b, &b->values, n, b->width));
	for (i = 0; i < n; i++) {
		if (idx[i] < values && c4w_bit(b->valid.nulls ? b->valid.v.p : NULL, i))
			memcpy(b->values.p + i * b->width, (const uint8_t *)b->dict->values + idx[i] * b->width, b->width);
		else
			memset(b->values.p + i * b->width, 0, b->width);
	}
	b->values.n = n * b->width;
	return C4W_OK;
}

static int take_indices(struct builder *b, const uint8_t *p, size_t size, size_t slots, size_t n, const uint8_t *bits)
{
	struct pq_rle r;
	uint32_t *to;

	C4W_TRY(reserve(b, &b->indices, slots, sizeof *to));
	to = (uint32_t *)(void *)(b->indices.p + b->indices.n);
	if (n > 0) {
		uint32_t *dense = to;

		C4W_TRY(need_dict(b));
		C4W_TRY(rle_begin(b, &p, &size, &r));
		if (n < slots) {
			C4W_TRY(pq_scratch_need(&b->w->dense, n * sizeof *dense, b->err));
			dense = (uint32_t *)(void *)b->w->dense.p;
		}
		if (!pq_rle_u32(&r, dense, n))
			return bad_data(b, "dictionary indices are cut or malformed");
		C4W_TRY(indices_checked(b, dense, n, r.bits));
		if (n < slots)
			spread4((const uint8_t *)dense, bits, slots, (uint8_t *)to);
	} else if (slots) {
		memset(to, 0, slots * sizeof *to);
	}
	b->indices.n += slots * sizeof *to;
	return C4W_OK;
}

/* The values of a page: `n` of them for `slots` slots. */
static int take_values(struct builder *b, int32_t encoding, const uint8_t *p, size_t size, size_t readable, size_t slots, size_t n,
		       const uint8_t *bits)
{
	bool is_dict = encoding == E_PLAIN_DICTIONARY || encoding == E_RLE_DICTIONARY;
	size_t i, k;

	if (b->phys == C4W_PHYS_NONE)
		return C4W_OK;
	if (!plausible(b, encoding, size, n))
		return bad_data(b, "the page has too few bytes for its values");
	if (b->as_indices && !is_dict && n > 0)
		C4W_TRY(expand(b));
	if (b->as_indices)
		return take_indices(b, p, size, slots, n, bits);
	if (b->phys == C4W_PHYS_BYTES) {
		int64_t *off, *dense;
		int64_t before = (int64_t)b->bytes.n;

		C4W_TRY(offsets_begin(b, slots));
		off = (int64_t *)(void *)(b->offsets.p + b->offsets.n);
		if (n == slots) {
			C4W_TRY(decode_bytes(b, encoding, p, size, readable, off, n));
		} else if (n == 0) {
			for (i = 0; i < slots; i++)
				off[i] = before;
		} else {
			C4W_TRY(pq_scratch_need(&b->w->dense, (n + 1) * sizeof *dense, b->err));
			dense = (int64_t *)(void *)b->w->dense.p;
			dense[0] = before;
			C4W_TRY(decode_bytes(b, encoding, p, size, readable, dense + 1, n));
			for (i = 0, k = 0; i < slots; i++) {
				k += (unsigned)bits[i >> 3] >> (i & 7) & 1U;
				off[i] = dense[k];
			}
		}
		b->offsets.n += slots * sizeof *off;
		return C4W_OK;
	}
	C4W_TRY(reserve(b, &b->values, slots, b->width));
	if (n == slots) {
		C4W_TRY(decode_fixed(b, encoding, p, size, readable, b->values.p + b->values.n, n));
	} else if (n == 0) {
		memset(b->values.p + b->values.n, 0, slots * b->width);
	} else {
		if (n > SIZE_MAX / 2 / (b->width + 1))
			return c4w_fail_memory(b->err, SIZE_MAX);
		C4W_TRY(pq_scratch_need(&b->w->dense, n * b->width, b->err));
		C4W_TRY(decode_fixed(b, encoding, p, size, readable, b->w->dense.p, n));
		spread(b->width, b->w->dense.p, bits, slots, b->values.p + b->values.n);
	}
	b->values.n += slots * b->width;
	return C4W_OK;
}

/* ---- levels ---- */

static unsigned bit_width(unsigned max)
{
	return max ? 32U - (unsigned)__builtin_clz(max) : 0;
}

/* The deprecated BIT_PACKED levels: most significant bit first, no length in front. */
static void unpack_msb(const uint8_t *p, unsigned bits, size_t n, uint8_t *out)
{
	size_t i, bit = 0;
	unsigned k;

	for (i = 0; i < n; i++) {
		unsigned v = 0;

		for (k = 0; k < bits; k++, bit++)
			v = v << 1 | ((unsigned)p[bit >> 3] >> (7 - (bit & 7)) & 1U);
		out[i] = (uint8_t)v;
	}
}

struct levels {
	const uint8_t *p;
	size_t n;
	bool msb;
};

/* A v1 page's levels, from the front of its data. */
static int levels_v1(struct builder *b, int32_t encoding, unsigned max, size_t values, const uint8_t **p, size_t *size, struct levels *out)
{
	size_t need;

	*out = (struct levels){ *p, 0, false };
	if (max == 0)
		return C4W_OK;
	if (encoding == E_BIT_PACKED) {
		need = (values * bit_width(max) + 7) / 8;
		out->msb = true;
	} else if (encoding == E_RLE) {
		if (*size < 4)
			return c4w_damaged(b->err, "parquet.levels", -1, "the page is too short for its levels");
		need = c4w_le32(*p);
		*p += 4;
		*size -= 4;
	} else {
		return c4w_damaged(b->err, "parquet.levels", -1, "levels have the impossible encoding %d", encoding);
	}
	if (need > *size)
		return c4w_damaged(b->err, "parquet.levels", -1, "levels claim %zu bytes, and the page has %zu left", need, *size);
	out->p = *p;
	out->n = need;
	*p += need;
	*size -= need;
	return C4W_OK;
}

/* Are all n levels `max`, in one run? Then they need not be unpacked. */
static bool all_max(const struct levels *l, unsigned max, size_t n)
{
	struct pq_rle r;

	if (l->msb)
		return false;
	pq_rle_init(&r, l->p, l->n, bit_width(max));
	return pq_rle_more(&r) && !r.packed && r.value == max && r.left >= n;
}

static int levels_bytes(struct builder *b, const struct levels *l, unsigned max, size_t n, struct pq_scratch *to)
{
	struct pq_rle r;

	C4W_TRY(pq_scratch_need(to, n, b->err));
	if (l->msb) {
		unpack_msb(l->p, bit_width(max), n, to->p);
		return C4W_OK;
	}
	pq_rle_init(&r, l->p, l->n, bit_width(max));
	if (!pq_rle_u8(&r, to->p, n))
		return c4w_damaged(b->err, "parquet.levels", -1, "there are fewer levels than values");
	return C4W_OK;
}

static int levels_bits(struct builder *b, const struct levels *l, size_t n, struct pq_scratch *to)
{
	struct pq_rle r;

	C4W_TRY(pq_scratch_need(to, n / 8 + 16, b->err));
	memset(to->p, 0, n / 8 + 16);
	pq_rle_init(&r, l->p, l->n, 1);
	if (!pq_rle_bits(&r, to->p, 0, n))
		return c4w_damaged(b->err, "parquet.levels", -1, "there are fewer levels than values");
	return C4W_OK;
}

/* Levels to slots; afterwards w->bits holds the slots' validity where *n < *slots. */
static int take_levels(struct builder *b, const struct levels *rep, const struct levels *def, size_t entries, size_t *slots, size_t *n)
{
	const struct c4w_pq_node *leaf = b->leaf;
	const uint8_t *r = NULL;

	*slots = *n = entries;
	if (leaf->max_rep == 0 && (leaf->max_def == 0 || all_max(def, leaf->max_def, entries))) {
		uint32_t k;

		for (k = 0; k < b->nest.nstructs; k++)
			C4W_TRY(pq_valid_ones(&b->nest.structs[k].valid, entries, b->arena, b->err));
		b->nest.entries += entries;
		return pq_valid_ones(&b->valid, entries, b->arena, b->err);
	}
	if (leaf->max_rep == 0 && leaf->max_def == 1 && !def->msb && b->nest.nstructs == 0) {
		C4W_TRY(levels_bits(b, def, entries, &b->w->bits));
		*n = c4w_bits_count(b->w->bits.p, entries);
		b->nest.entries += entries;
		return pq_valid_bits(&b->valid, b->w->bits.p, entries, *n, b->arena, b->err);
	}
	if (leaf->max_rep == 1 && !rep->msb && all_max(def, leaf->max_def, entries)) {
		C4W_TRY(levels_bits(b, rep, entries, &b->w->bits));
		C4W_TRY(pq_nest_page_full(&b->nest, b->w->bits.p, entries, b->valid.n, b->arena, b->err));
		return pq_valid_ones(&b->valid, entries, b->arena, b->err);
	}
#if defined(__x86_64__)
	if (leaf->max_rep == 1 && !rep->msb && pq_nest_fast(&b->nest)) {
		C4W_TRY(levels_bits(b, rep, entries, &b->w->rep));
		C4W_TRY(levels_bytes(b, def, leaf->max_def, entries, &b->w->def));
		C4W_TRY(pq_nest_page_one(&b->nest, b->w->rep.p, b->w->def.p, entries, b->valid.n, slots, n, &b->w->bits, &b->w->lens, b->arena, b->err));
		return pq_valid_bits(&b->valid, b->w->bits.p, *slots, *n, b->arena, b->err);
	}
#endif
	if (leaf->max_rep > 0) {
		C4W_TRY(levels_bytes(b, rep, leaf->max_rep, entries, &b->w->rep));
		r = b->w->rep.p;
	}
	C4W_TRY(levels_bytes(b, def, leaf->max_def, entries, &b->w->def));
	C4W_TRY(pq_nest_page(&b->nest, r, b->w->def.p, entries, b->valid.n, slots, n, &b->w->bits, b->arena, b->err));
	return pq_valid_bits(&b->valid, b->w->bits.p, *slots, *n, b->arena, b->err);
}

/* ---- pages ---- */

static int page_crc(struct builder *b, const struct pq_page *g)
{
	uint32_t crc;

	if (!g->has_crc || b->opts->no_crc)
		return C4W_OK;
	crc = libdeflate_crc32(0, g->data, g->compressed);
	if (crc == g->crc)
		return C4W_OK;
	if (b->opts->bad_crcs) {
		(*b->opts->bad_crcs)++;
		return C4W_OK;
	}
	c4w_damaged(b->err, "parquet.page-crc", (int64_t)(g->offset + g->header_bytes), "the page's CRC differs");
	return c4w_err_valuesf(b->err, "the header's CRC", "%08x, not %08x", crc, g->crc);
}

/* `size` bytes of page data, uncompressed, at *out. */
static int unpack(struct builder *b, int32_t codec, const uint8_t *in, size_t n, size_t readable, size_t size, const uint8_t **out,
		  size_t *out_readable)
{
	if (codec == 0) {
		if (n != size) {
			c4w_damaged(b->err, "parquet.page-size", -1, "an uncompressed page has two different sizes");
			return c4w_err_valuesf(b->err, "equal sizes", "%zu stored, %zu claimed", n, size);
		}
		*out = in;
		*out_readable = readable;
		return C4W_OK;
	}
	if (!pq_codec_plausible(codec, n, size))
		return c4w_damaged(b->err, "parquet.page-size", -1, "the page claims %zu bytes out of %zu, more than its codec can pack", size, n);
	C4W_TRY(pq_scratch_need(&b->w->page, size, b->err));
	C4W_TRY(pq_decompress(&b->w->codecs, codec, in, n, b->w->page.p, size, b->err));
	*out = b->w->page.p;
	*out_readable = b->w->page.cap + 64;
	return C4W_OK;
}

/* A dictionary page becomes a batch of its own. Strings are unpacked into the arena and moved together there: no second copy. */
static int take_dictionary(struct builder *b, const struct pq_page *g, int32_t codec)
{
	struct c4w_arena *arena = b->as_indices ? b->arena : &b->w->tmp;
	struct c4w_batch *d;
	uint8_t *p, *to;
	void *mem;
	size_t i, bytes;

	if (b->dict)
		return c4w_damaged(b->err, "parquet.dictionary", (int64_t)g->offset, "the chunk has a second dictionary page");
	if (g->encoding != E_PLAIN && g->encoding != E_PLAIN_DICTIONARY)
		return c4w_damaged(b->err, "parquet.dictionary", (int64_t)g->offset, "the dictionary page has the impossible encoding %d", g->encoding);
	if (b->phys == C4W_PHYS_BOOL)
		return c4w_damaged(b->err, "parquet.dictionary", (int64_t)g->offset, "a boolean column has a dictionary");
	C4W_TRY(c4w_arena_zero(arena, 1, sizeof *d, &mem, b->err));
	d = mem;
	d->phys = b->phys;
	d->width = (uint32_t)b->width;
	d->n = d->rows = g->values;
	if (codec == 0 ? g->compressed != g->uncompressed : !pq_codec_plausible(codec, g->compressed, g->uncompressed))
		return c4w_damaged(b->err, "parquet.page-size", (int64_t)g->offset, "the dictionary page claims %u bytes out of %u", g->uncompressed,
				   g->compressed);
	C4W_TRY(c4w_arena_take(arena, (size_t)g->uncompressed + 64, &mem, b->err));
	p = mem;
	memset(p + g->uncompressed, 0, 64);
	C4W_TRY(pq_decompress(&b->w->codecs, codec, g->data, g->compressed, p, g->uncompressed, b->err));
	if (b->phys != C4W_PHYS_BYTES) {
		if (!c4w_mul_size(g->values, b->width, &bytes) || bytes > g->uncompressed)
			return c4w_damaged(b->err, "parquet.dictionary", (int64_t)g->offset, "the dictionary page claims %u values and has %u bytes",
					   g->values, g->uncompressed);
		d->values = p;
	} else {
		const uint8_t *end = p + g->uncompressed;
		int64_t *off;

		if (g->values > g->uncompressed / 4)
			return c4w_damaged(b->err, "parquet.dictionary", (int64_t)g->offset, "the dictionary page claims %u values and has %u bytes",
					   g->values, g->uncompressed);
		C4W_TRY(c4w_arena_take(arena, ((size_t)g->values + 1) * sizeof *off, &mem, b->err));
		off = mem;
		off[0] = 0;
		d->bytes = to = p;
		for (i = 0; i < g->values; i++) {
			uint32_t len;

			if (end - p < 4 || (len = c4w_le32(p)) > (size_t)(end - p) - 4)
				return c4w_damaged(b->err, "parquet.dictionary", (int64_t)g->offset, "dictionary value %zu is cut", i);
			memmove(to, p + 4, len);
			p += 4 + len;
			to += len;
			off[i + 1] = to - d->bytes;
		}
		d->offsets = off;
	}
	b->dict = d;
	return C4W_OK;
}

static int take_data(struct builder *b, const struct pq_page *g, int32_t codec)
{
	const struct c4w_pq_node *leaf = b->leaf;
	struct levels rep = { NULL, 0, false }, def = { NULL, 0, false };
	const uint8_t *p;
	size_t size, readable, slots, n;

	if (g->type == PQ_DATA_PAGE) {
		C4W_TRY(unpack(b, codec, g->data, g->compressed, g->readable, g->uncompressed, &p, &readable));
		size = g->uncompressed;
		C4W_TRY(levels_v1(b, g->rep_encoding, leaf->max_rep, g->values, &p, &size, &rep));
		C4W_TRY(levels_v1(b, g->def_encoding, leaf->max_def, g->values, &p, &size, &def));
		readable -= g->uncompressed - size;
	} else {
		/* levels are never compressed, and come in front of what may be (known bug 16) */
		uint64_t levels = (uint64_t)g->rep_bytes + g->def_bytes;

		if (levels > g->compressed || levels > g->uncompressed)
			return c4w_damaged(b->err, "parquet.page-size", (int64_t)g->offset, "the levels of a page (v2) claim more bytes than the page has");
		rep = (struct levels){ g->data, g->rep_bytes, false };
		def = (struct levels){ g->data + g->rep_bytes, g->def_bytes, false };
		p = g->data + levels;
		size = g->uncompressed - (size_t)levels;
		readable = g->readable - (size_t)levels;
		if (codec != 0 && g->is_compressed && (g->compressed > levels || size > 0))
			C4W_TRY(unpack(b, codec, p, g->compressed - (size_t)levels, readable, size, &p, &readable));
		else
			C4W_TRY(unpack(b, 0, p, g->compressed - (size_t)levels, readable, size, &p, &readable));
	}
	/* levels and indices may stand for many values in few bytes, but not for any number */
	if (g->values > C4W_LIMIT_PARQUET_PAGE_VALUES && g->values / 256 > g->uncompressed)
		return c4w_fail(b->err, C4W_LIMIT, "a page of %u bytes claims %u values", g->uncompressed, g->values);
	C4W_TRY(take_levels(b, &rep, &def, g->values, &slots, &n));
	return take_values(b, g->encoding, p, size, readable, slots, n, b->w->bits.p);
}

/* The rows that a page has, where that can be known without decoding it. */
static bool page_rows(const struct builder *b, const struct pq_page *g, size_t *rows)
{
	*rows = b->leaf->max_rep == 0 ? g->values : g->rows;
	return b->leaf->max_rep == 0 || g->type == PQ_DATA_PAGE_V2;
}

/* All pages of a chunk that hold rows of [first, last). */
static int take_chunk(struct builder *b, size_t group, size_t column, size_t first, size_t last)
{
	const struct pq_chunk_meta *m = pq_chunk_at(b->pq, group, column);
	size_t rows_before = pq_nest_rows(&b->nest), want = (size_t)b->pq->groups[group].rows;
	struct pq_pages pages;
	struct pq_page g;
	uint64_t begin, end;
	size_t rows, seen;

	b->dict = NULL;
	b->left = m->values;
	C4W_TRY(pq_chunk_range(b->pq, group, column, &begin, &end, b->err));
	pq_pages_init(&pages, b->pq, &b->w->window, begin, end);
	while (b->left > 0) {
		bool skip;

		C4W_TRY(pq_page_header(&pages, &g, b->err));
		skip = g.type != PQ_DATA_PAGE && g.type != PQ_DATA_PAGE_V2 && g.type != PQ_DICTIONARY_PAGE;
		if (g.type == PQ_DATA_PAGE || g.type == PQ_DATA_PAGE_V2) {
			if (g.values > b->left) {
				c4w_damaged(b->err, "parquet.value-count", (int64_t)g.offset, "the pages hold more values than the chunk claims");
				return c4w_err_valuesf(b->err, "values left", "%u, not %lld", g.values, (long long)b->left);
			}
			seen = b->skipped + pq_nest_rows(&b->nest) - rows_before;
			/* a page of nested data (v1) may end in the middle of a row, so only rows known whole are skipped */
			if (page_rows(b, &g, &rows) && b->nest.entries == 0 && seen + rows <= first) {
				b->skipped += rows;
				skip = true;
			}
			b->left -= g.values;
			if (seen >= last && last < want && (b->leaf->max_rep == 0 || seen > last || g.type == PQ_DATA_PAGE_V2))
				break;
		}
		if (skip) {
			pq_page_skip(&pages, &g);
			continue;
		}
		C4W_TRY(pq_page_body(&pages, &g, b->err));
		C4W_TRY(page_crc(b, &g));
		if (g.type == PQ_DICTIONARY_PAGE)
			C4W_TRY(take_dictionary(b, &g, m->codec));
		else if (take_data(b, &g, m->codec) != C4W_OK) {
			if (b->err->offset < 0)
				b->err->offset = (int64_t)g.offset;
			return (int)b->err->cls;
		}
	}
	seen = b->skipped + pq_nest_rows(&b->nest) - rows_before;
	if (last >= want && seen != want) {
		c4w_damaged(b->err, "parquet.row-count", (int64_t)begin, "the pages hold another number of rows than the row group");
		return c4w_err_valuesf(b->err, "the row group's rows", "%zu, not %zu", seen, want);
	}
	return C4W_OK;
}

/* ---- batches ---- */

static int builder_init(struct builder *b, const struct c4w_pq *pq, size_t group, size_t end, size_t column, const struct c4w_pq_opts *opts,
			struct c4w_pq_worker *w, struct c4w_arena *arena, struct c4w_err *err)
{
	static const enum c4w_phys phys[] = { C4W_PHYS_BOOL,   C4W_PHYS_INT32, C4W_PHYS_INT64, C4W_PHYS_FIXED,
					      C4W_PHYS_FLOAT, C4W_PHYS_DOUBLE, C4W_PHYS_BYTES, C4W_PHYS_FIXED };
	static const uint8_t widths[] = { 1, 4, 8, 12, 4, 8, 0, 0 };
	uint64_t values = 0, packed = 0;
	size_t g;

	*b = (struct builder){ .pq = pq, .leaf = c4w_pq_leaf(pq, column), .opts = opts, .w = w, .arena = arena, .err = err };
	b->phys = phys[b->leaf->type];
	b->width = b->leaf->type == C4W_PQ_FIXED ? (size_t)b->leaf->type_length : widths[b->leaf->type];
	b->as_indices = opts->keep_dict;
	for (g = group; g < end; g++) {
		const struct pq_chunk_meta *m = pq_chunk_at(pq, g, column);

		values += (uint64_t)m->values;
		packed += (uint64_t)m->compressed;
	}
	/* room for what the footer claims, at once; but for few bytes not much beyond them, and never more than a batch may have */
	if (packed > c4w_blob_size(pq->blob))
		packed = c4w_blob_size(pq->blob);
	b->expected = (size_t)(values < packed * 8 + C4W_MIB ? values : packed * 8 + C4W_MIB);
	if (opts->count > 0 && b->leaf->max_rep == 0 && b->expected > (uint64_t)opts->count)
		b->expected = (size_t)opts->count;
	b->values.limit = b->offsets.limit = b->bytes.limit = b->indices.limit = (size_t)(C4W_LIMIT_PARQUET_BATCH + packed * 256);
	return pq_nest_init(&b->nest, pq, column, opts->structs, arena, err);
}

static int builder_finish(struct builder *b, struct c4w_batch *out)
{
	struct c4w_batch r = { .phys = b->phys, .width = (uint32_t)b->width };

	r.n = b->valid.n;
	r.nulls = b->valid.nulls;
	r.validity = b->valid.nulls ? b->valid.v.p : NULL;
	r.rows = pq_nest_rows(&b->nest);
	if (b->as_indices && !b->dict)
		C4W_TRY(expand(b));
	if (b->as_indices) {
		C4W_TRY(pq_vec_need(&b->indices, 0, b->arena, b->err));
		r.indices = (const uint32_t *)(const void *)b->indices.p;
		r.dict = b->dict;
	} else if (b->phys == C4W_PHYS_BYTES) {
		C4W_TRY(offsets_begin(b, 0));
		C4W_TRY(pq_vec_need(&b->bytes, 0, b->arena, b->err));
		r.offsets = (const int64_t *)(const void *)b->offsets.p;
		r.bytes = b->bytes.p;
	} else {
		C4W_TRY(pq_vec_need(&b->values, 0, b->arena, b->err));
		r.values = b->values.p;
	}
	C4W_TRY(pq_nest_finish(&b->nest, r.n, b->arena, &r, b->err));
	*out = r;
	return C4W_OK;
}

static int bits_from(const uint8_t **bits, size_t at, size_t n, struct c4w_arena *arena, struct c4w_err *err)
{
	void *p;

	if (!*bits)
		return C4W_OK;
	C4W_TRY(c4w_arena_zero(arena, n / 8 + 16, 1, &p, err));
	pq_bits_copy_from(p, 0, *bits, at, n);
	*bits = p;
	return C4W_OK;
}

int pq_batch_slice(struct c4w_batch *b, size_t first, size_t count, struct c4w_arena *arena, struct c4w_err *err)
{
	struct c4w_batch_list *lists = NULL;
	struct c4w_batch_struct *structs = NULL;
	size_t at[C4W_LIMIT_PARQUET_DEPTH + 2], n[C4W_LIMIT_PARQUET_DEPTH + 2], i;
	void *p;
	uint32_t k;

	if (first > b->rows)
		first = b->rows;
	if (count > b->rows - first)
		count = b->rows - first;
	if (first == 0 && count == b->rows)
		return C4W_OK;
	at[0] = first;
	n[0] = count;
	if (b->nlists) {
		C4W_TRY(c4w_arena_zero(arena, b->nlists, sizeof *lists, &p, err));
		lists = p;
	}
	for (k = 0; k < b->nlists; k++) {
		const struct c4w_batch_list *l = &b->lists[k];
		int32_t *off, base = l->offsets[at[k]];

		C4W_TRY(c4w_arena_take(arena, (n[k] + 1) * sizeof *off, &p, err));
		off = p;
		for (i = 0; i <= n[k]; i++)
			off[i] = l->offsets[at[k] + i] - base;
		lists[k] = (struct c4w_batch_list){ n[k], off, l->validity, 0 };
		C4W_TRY(bits_from(&lists[k].validity, at[k], n[k], arena, err));
		if (lists[k].validity)
			lists[k].nulls = n[k] - c4w_bits_count(lists[k].validity, n[k]);
		at[k + 1] = (size_t)base;
		n[k + 1] = (size_t)off[n[k]];
	}
	if (b->nstructs) {
		C4W_TRY(c4w_arena_zero(arena, b->nstructs, sizeof *structs, &p, err));
		structs = p;
	}
	for (k = 0; k < b->nstructs; k++) {
		structs[k] = b->structs[k];
		structs[k].n = n[structs[k].depth];
		C4W_TRY(bits_from(&structs[k].validity, at[structs[k].depth], structs[k].n, arena, err));
	}
	C4W_TRY(bits_from(&b->validity, at[b->nlists], n[b->nlists], arena, err));
	b->rows = count;
	b->n = n[b->nlists];
	b->nulls = b->validity ? b->n - c4w_bits_count(b->validity, b->n) : 0;
	if (b->indices) {
		b->indices += at[b->nlists];
	} else if (b->phys == C4W_PHYS_BYTES) {
		int64_t *off, base = b->offsets[at[b->nlists]];

		C4W_TRY(c4w_arena_take(arena, (b->n + 1) * sizeof *off, &p, err));
		off = p;
		for (i = 0; i <= b->n; i++)
			off[i] = b->offsets[at[b->nlists] + i] - base;
		b->offsets = off;
		b->bytes += base;
	} else if (b->values) {
		b->values = (const uint8_t *)b->values + at[b->nlists] * b->width;
	}
	b->lists = lists;
	b->structs = structs;
	return C4W_OK;
}

int c4w_pq_worker_new(struct c4w_pq_worker **out, struct c4w_err *err)
{
	*out = calloc(1, sizeof **out);
	return *out ? C4W_OK : c4w_fail_memory(err, sizeof **out);
}

void c4w_pq_worker_free(struct c4w_pq_worker *w)
{
	if (!w)
		return;
	pq_codecs_free(w->codecs);
	free(w->window.p);
	free(w->page.p);
	free(w->dense.p);
	free(w->rep.p);
	free(w->def.p);
	free(w->bits.p);
	free(w->lens.p);
	c4w_arena_clear(&w->tmp);
	free(w);
}

/* One large page should not set the footprint of the rest of the run. */
static void trim(struct pq_scratch *s)
{
	if (s->cap > 8 * C4W_MIB) {
		free(s->p);
		*s = (struct pq_scratch){ NULL, 0 };
	}
}

static int where(struct c4w_err *err, const struct c4w_pq *pq, size_t group, size_t column)
{
	char path[128];

	c4w_err_prefix(err, "row group %zu, column '%s'", group, c4w_pq_path(pq, column, path, sizeof path));
	c4w_err_path(err, c4w_blob_name(pq->blob));
	return (int)err->cls;
}

static int read_groups(const struct c4w_pq *pq, size_t group, size_t end, size_t column, const struct c4w_pq_opts *opts,
		       struct c4w_pq_worker *worker, struct c4w_arena *arena, struct c4w_batch *out, struct c4w_err *err)
{
	static const struct c4w_pq_opts none;
	struct c4w_pq_worker *own = NULL;
	struct c4w_err local;
	struct builder b;
	size_t first, last, g = group;
	int rc;

	*out = (struct c4w_batch){ 0 };
	if (!err)
		err = &local;
	if (!opts)
		opts = &none;
	if (!worker)
		C4W_TRY(c4w_pq_worker_new(&own, err));
	c4w_err_clear(err);
	err->offset = -1;
	rc = builder_init(&b, pq, group, end, column, opts, worker ? worker : own, arena, err);
	first = opts->first > 0 ? (size_t)opts->first : 0;
	last = opts->count > 0 ? first + (size_t)opts->count : SIZE_MAX;
	for (; rc == C4W_OK && g < end; g++) {
		c4w_arena_reset(&b.w->tmp);
		rc = take_chunk(&b, g, column, first, last);
		if (rc != C4W_OK)
			where(err, pq, g, column);
	}
	if (rc == C4W_OK)
		rc = builder_finish(&b, out);
	if (rc == C4W_OK && (first > 0 || last != SIZE_MAX))
		rc = pq_batch_slice(out, first - b.skipped, last == SIZE_MAX ? SIZE_MAX : last - first, arena, err);
	if (rc != C4W_OK)
		*out = (struct c4w_batch){ 0 };
	if (own) {
		c4w_pq_worker_free(own);
	} else {
		trim(&worker->window);
		trim(&worker->page);
	}
	return rc;
}

int c4w_pq_read(const struct c4w_pq *pq, size_t group, size_t column, const struct c4w_pq_opts *opts, struct c4w_pq_worker *worker,
		struct c4w_arena *arena, struct c4w_batch *out, struct c4w_err *err)
{
	return read_groups(pq, group, group + 1, column, opts, worker, arena, out, err);
}

int c4w_pq_read_all(const struct c4w_pq *pq, size_t column, struct c4w_pq_worker *worker, struct c4w_arena *arena, struct c4w_batch *out,
		    struct c4w_err *err)
{
	return read_groups(pq, 0, pq->ngroups, column, NULL, worker, arena, out, err);
}
