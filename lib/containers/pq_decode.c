/* Values of a page into a builder: plain, dictionary, delta strings, booleans; nulls spread (Encodings.md). */
#include "containers/pq_builder.h"

#include "base/checked.h"
#include "base/limits.h"

#include <string.h>

enum { PIECE = 1024 }; /* indices unpacked at a time: stays in the first cache */

static int bad_data(struct pq_builder *b, const char *what)
{
	return c4w_damaged(b->err, "parquet.encoding-data", -1, "%s", what);
}

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

static int rle_begin(struct pq_builder *b, const uint8_t **p, size_t *size, struct pq_rle *r)
{
	if (*size == 0)
		return bad_data(b, "dictionary indices are cut");
	if ((*p)[0] > 32)
		return bad_data(b, "dictionary indices have a bit width above 32");
	pq_rle_init(r, *p + 1, *size - 1, (*p)[0]);
	return C4W_OK;
}

static int indices_checked(struct pq_builder *b, const uint32_t *idx, size_t n, unsigned bits)
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

static int need_dict(struct pq_builder *b)
{
	return b->dict ? C4W_OK : c4w_damaged(b->err, "parquet.dictionary", -1, "a page is dictionary-encoded, but no dictionary page came before");
}

static int gather_fixed(struct pq_builder *b, const uint8_t *p, size_t size, uint8_t *out, size_t n)
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

static int delta_byte_array(struct pq_builder *b, const uint8_t *p, size_t size, size_t n, int64_t *offsets, uint8_t *fixed);

/* n values of a fixed width into out. */
static int decode_fixed(struct pq_builder *b, int32_t encoding, const uint8_t *p, size_t size, size_t readable, uint8_t *out, size_t n)
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

static int plain_bytes(struct pq_builder *b, const uint8_t *p, size_t size, size_t readable, int64_t *offsets, size_t n)
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

static int gather_bytes(struct pq_builder *b, const uint8_t *p, size_t size, int64_t *offsets, size_t n)
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

static int delta_length(struct pq_builder *b, const uint8_t *p, size_t size, int64_t *offsets, size_t n)
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
static int delta_byte_array(struct pq_builder *b, const uint8_t *p, size_t size, size_t n, int64_t *offsets, uint8_t *fixed)
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
static int decode_bytes(struct pq_builder *b, int32_t encoding, const uint8_t *p, size_t size, size_t readable, int64_t *offsets, size_t n)
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

static int reserve(struct pq_builder *b, struct pq_vec *v, size_t slots, size_t width)
{
	size_t bytes;

	if (!c4w_mul_size(v->p || slots > b->expected ? slots : b->expected, width, &bytes))
		return c4w_fail_memory(b->err, SIZE_MAX);
	return pq_vec_need(v, bytes, b->arena, b->err);
}

/* Can `size` bytes hold n values at all, as far as the encoding bounds it? Asked before room is made for them. */
static bool plausible(const struct pq_builder *b, int32_t encoding, size_t size, size_t n)
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

int pq_offsets_begin(struct pq_builder *b, size_t slots)
{
	C4W_TRY(reserve(b, &b->offsets, slots + 1, sizeof(int64_t)));
	if (b->offsets.n == 0) {
		memset(b->offsets.p, 0, sizeof(int64_t));
		b->offsets.n = sizeof(int64_t);
	}
	return C4W_OK;
}

/* From indices to plain form, when a page that isn't dictionary-encoded follows ones that are. */
int pq_expand(struct pq_builder *b)
{
	const uint32_t *idx = (const uint32_t *)(const void *)b->indices.p;
	size_t n = b->indices.n / sizeof *idx, values = b->dict ? b->dict->n : 0, i;

	b->as_indices = false;
	if (n == 0)
		return C4W_OK;
	if (b->phys == C4W_PHYS_BYTES) {
		int64_t *off;

		C4W_TRY(pq_offsets_begin(b, n));
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

static int take_indices(struct pq_builder *b, const uint8_t *p, size_t size, size_t slots, size_t n, const uint8_t *bits)
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
int pq_take_values(struct pq_builder *b, int32_t encoding, const uint8_t *p, size_t size, size_t readable, size_t slots, size_t n,
		   const uint8_t *bits)
{
	bool is_dict = encoding == E_PLAIN_DICTIONARY || encoding == E_RLE_DICTIONARY;
	size_t i, k;

	if (b->phys == C4W_PHYS_NONE)
		return C4W_OK;
	if (!plausible(b, encoding, size, n))
		return bad_data(b, "the page has too few bytes for its values");
	if (b->as_indices && !is_dict && n > 0)
		C4W_TRY(pq_expand(b));
	if (b->as_indices)
		return take_indices(b, p, size, slots, n, bits);
	if (b->phys == C4W_PHYS_BYTES) {
		int64_t *off, *dense;
		int64_t before = (int64_t)b->bytes.n;

		C4W_TRY(pq_offsets_begin(b, slots));
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

int pq_take_dictionary(struct pq_builder *b, uint8_t *p, size_t size, size_t values, uint64_t offset, struct c4w_arena *arena)
{
	struct c4w_batch *d;
	uint8_t *to = p;
	const uint8_t *end = p + size;
	int64_t *off;
	size_t i, bytes;
	void *mem;

	C4W_TRY(c4w_arena_zero(arena, 1, sizeof *d, &mem, b->err));
	d = mem;
	d->phys = b->phys;
	d->width = (uint32_t)b->width;
	d->n = d->rows = values;
	if (b->phys == C4W_PHYS_BYTES ? values > size / 4 : !c4w_mul_size(values, b->width, &bytes) || bytes > size)
		return c4w_damaged(b->err, "parquet.dictionary", (int64_t)offset, "the dictionary page claims %zu values and has %zu bytes", values, size);
	if (b->phys != C4W_PHYS_BYTES) {
		d->values = p;
		b->dict = d;
		return C4W_OK;
	}
	C4W_TRY(c4w_arena_take(arena, (values + 1) * sizeof *off, &mem, b->err));
	off = mem;
	off[0] = 0;
	d->bytes = p;
	for (i = 0; i < values; i++) {
		uint32_t len;

		if (end - p < 4 || (len = c4w_le32(p)) > (size_t)(end - p) - 4)
			return c4w_damaged(b->err, "parquet.dictionary", (int64_t)offset, "dictionary value %zu is cut", i);
		memmove(to, p + 4, len);
		p += 4 + len;
		to += len;
		off[i + 1] = to - d->bytes;
	}
	d->offsets = off;
	b->dict = d;
	return C4W_OK;
}
