/* Writing a column chunk: where its pages are cut, what is in them, compression. */
#include "containers/pq_wimpl.h"

#include "base/checked.h"
#include "base/dl.h"
#include "base/limits.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { E_PLAIN = 0, E_RLE = 3, E_DELTA = 5, E_DELTA_LENGTH = 6, E_RLE_DICTIONARY = 8, E_SPLIT = 9 };
enum { PAGE_ENTRIES = 256 * 1024 }; /* at most; values of few bits would make pages of millions */

/* ---- compression ---- */

struct pq_packers {
	ZSTD_CCtx *zstd;
	struct libdeflate_compressor *deflate;
	struct {
		int (*compress)(const char *in, size_t n, char *out, size_t *out_n);
		size_t (*bound)(size_t n);
	} snappy;
	struct {
		int (*compress)(const char *in, char *out, int n, int cap);
		int (*bound)(int n);
	} lz4;
	struct {
		int (*compress)(int quality, int window, int mode, size_t n, const uint8_t *in, size_t *out_n, uint8_t *out);
		size_t (*bound)(size_t n);
	} brotli;
};

void pq_packers_free(struct pq_packers *p)
{
	if (!p)
		return;
	ZSTD_freeCCtx(p->zstd);
	if (p->deflate)
		libdeflate_free_compressor(p->deflate);
	free(p);
}

static int room(struct c4w_buf *out, size_t n, struct c4w_err *err)
{
	return c4w_buf_reserve(out, n) ? C4W_OK : c4w_fail_memory(err, n);
}

/* Appends the compressed form of n bytes to out. */
static int squeeze(struct c4w_pq_writer *w, const void *in, size_t n, struct c4w_buf *out, struct c4w_err *err)
{
	static const char *const snappy_names[] = { "snappy_compress", "snappy_max_compressed_length" };
	static const char *const lz4_names[] = { "LZ4_compress_default", "LZ4_compressBound" };
	static const char *const brotli_names[] = { "BrotliEncoderCompress", "BrotliEncoderMaxCompressedSize" };
	struct pq_packers *p = w->packers;
	size_t bound, got;
	int level = w->o.level;

	if (!p) {
		p = w->packers = calloc(1, sizeof *p);
		if (!p)
			return c4w_fail_memory(err, sizeof *p);
	}
	switch (w->o.codec) {
	case 0:
		c4w_buf_put(out, in, n);
		return c4w_buf_ok(out, err);
	case 1:
		if (!p->snappy.compress)
			C4W_TRY(c4w_dl_symbols(C4W_DL_SNAPPY, snappy_names, (void **)&p->snappy, 2, err));
		got = bound = p->snappy.bound(n);
		C4W_TRY(room(out, bound, err));
		if (p->snappy.compress(in, n, out->p + out->n, &got) != 0)
			return c4w_fail(err, C4W_MEMORY, "snappy could not compress");
		break;
	case 2:
		if (!p->deflate && !(p->deflate = libdeflate_alloc_compressor(level > 0 && level <= 12 ? level : 6)))
			return c4w_fail_memory(err, 1 << 20);
		bound = libdeflate_gzip_compress_bound(p->deflate, n);
		C4W_TRY(room(out, bound, err));
		got = libdeflate_gzip_compress(p->deflate, in, n, out->p + out->n, bound);
		break;
	case 4:
		if (!p->brotli.compress)
			C4W_TRY(c4w_dl_symbols(C4W_DL_BROTLIENC, brotli_names, (void **)&p->brotli, 2, err));
		got = bound = p->brotli.bound(n);
		C4W_TRY(room(out, bound, err));
		if (p->brotli.compress(level > 0 ? level : 5, 22, 0, n, in, &got, (uint8_t *)out->p + out->n) != 1)
			return c4w_fail(err, C4W_MEMORY, "brotli could not compress");
		break;
	case 6:
		if (!p->zstd && !(p->zstd = ZSTD_createCCtx()))
			return c4w_fail_memory(err, 1 << 20);
		bound = ZSTD_compressBound(n);
		C4W_TRY(room(out, bound, err));
		got = ZSTD_compressCCtx(p->zstd, out->p + out->n, bound, in, n, level ? level : 1);
		if (ZSTD_isError(got))
			return c4w_fail(err, C4W_MEMORY, "zstd could not compress: %s", ZSTD_getErrorName(got));
		break;
	case 7:
		if (!p->lz4.compress)
			C4W_TRY(c4w_dl_symbols(C4W_DL_LZ4, lz4_names, (void **)&p->lz4, 2, err));
		if (n > INT32_MAX / 2)
			return c4w_fail(err, C4W_LIMIT, "a page of %zu bytes is more than LZ4 takes", n);
		bound = (size_t)p->lz4.bound((int)n);
		C4W_TRY(room(out, bound, err));
		got = (size_t)p->lz4.compress(in, out->p + out->n, (int)n, (int)bound);
		break;
	default:
		return c4w_fail(err, C4W_UNSUPPORTED, "codec %d is not one that c4w writes", w->o.codec);
	}
	out->n += got;
	out->p[out->n] = 0;
	return C4W_OK;
}

/* ---- pages ---- */

static unsigned bit_width(size_t max)
{
	return max ? 64U - (unsigned)__builtin_clzll(max) : 0;
}

static void put_hybrid_levels(struct c4w_buf *out, const uint8_t *v, size_t n, unsigned max, bool with_length)
{
	size_t at = out->n;
	uint32_t length;

	if (max == 0)
		return;
	if (with_length)
		c4w_buf_put(out, "\0\0\0\0", 4);
	if (v) {
		pq_w_hybrid8(out, v, n, bit_width(max));
	} else {
		pq_w_varint(out, (uint64_t)n << 1);
		c4w_buf_putc(out, (char)max);
	}
	if (with_length && !out->failed) {
		length = (uint32_t)(out->n - at - 4);
		memcpy(out->p + at, &length, 4);
	}
}

static int put_ints_delta(struct c4w_buf *out, const struct c4w_batch *b, size_t from, size_t to, struct c4w_err *err)
{
	struct c4w_buf plain = { 0 };
	size_t width = b->width, n, i;
	int64_t *v;
	int rc = pq_w_plain(&plain, b, from, to, err);

	n = plain.n / width;
	v = malloc((n + 1) * sizeof *v);
	if (rc == C4W_OK && (!v || plain.failed))
		rc = c4w_fail_memory(err, n * sizeof *v);
	if (rc == C4W_OK) {
		for (i = 0; i < n; i++) {
			if (width == 4) {
				int32_t x;

				memcpy(&x, plain.p + 4 * i, 4);
				v[i] = x;
			} else {
				memcpy(&v[i], plain.p + 8 * i, 8);
			}
		}
		pq_w_delta(out, v, n, width == 4 ? 32 : 64);
	}
	free(v);
	c4w_buf_clear(&plain);
	return rc;
}

static int put_lengths_delta(struct c4w_buf *out, const struct c4w_batch *b, size_t from, size_t to, struct c4w_err *err)
{
	int64_t *v = malloc((to - from + 1) * sizeof *v);
	size_t i, n = 0, len;
	const uint8_t *p;

	if (!v)
		return c4w_fail_memory(err, (to - from) * sizeof *v);
	for (i = from; i < to; i++)
		if (c4w_bit(b->validity, i)) {
			c4w_batch_bytes(b, i, &len);
			v[n++] = (int64_t)len;
		}
	pq_w_delta(out, v, n, 32);
	free(v);
	for (i = from; i < to; i++)
		if (c4w_bit(b->validity, i)) {
			p = c4w_batch_bytes(b, i, &len);
			c4w_buf_put(out, p, len);
		}
	return C4W_OK;
}

static int put_split(struct c4w_buf *out, const struct c4w_batch *b, size_t from, size_t to, struct c4w_err *err)
{
	struct c4w_buf plain = { 0 };
	size_t width = b->width, n, i, k;
	char *q;
	int rc = pq_w_plain(&plain, b, from, to, err);

	n = width ? plain.n / width : 0;
	if (rc == C4W_OK && n > 0 && c4w_buf_reserve(out, plain.n)) {
		q = out->p + out->n;
		for (k = 0; k < width; k++)
			for (i = 0; i < n; i++)
				*q++ = plain.p[i * width + k];
		out->n += plain.n;
	}
	c4w_buf_clear(&plain);
	return rc;
}

/* A place in a chunk. */
struct mark {
	size_t e; /* entries before it */
	size_t s; /* leaf slots */
	size_t d; /* values that are there: their indices are the dictionary's */
};

struct cut { /* one page */
	struct mark from, to;
	size_t rows, nulls;
};

/* A chunk on its way out. */
struct chunk {
	const struct c4w_pq_node *leaf;
	const struct c4w_batch *b;
	const uint8_t *rep, *def; /* NULL: every entry is a row, at the highest level */
	size_t entries;
	uint8_t slot_def;         /* level from which on a leaf slot is there: that of the innermost list */
	struct pq_dict dict;
	struct mark coded;        /* up to here pages are over the dictionary */
	size_t rows;              /* of the pages so far */
	struct pq_range range;    /* of their values */
};

static int put_values(struct c4w_pq_writer *w, const struct chunk *k, const struct cut *c, uint8_t encoding, struct c4w_err *err)
{
	size_t i;
	uint32_t top = 0;

	switch (encoding) {
	case E_RLE_DICTIONARY:
		for (i = c->from.d; i < c->to.d; i++)
			top = k->dict.indices[i] > top ? k->dict.indices[i] : top;
		c4w_buf_putc(&w->page, (char)bit_width(top));
		pq_w_hybrid32(&w->page, k->dict.indices + c->from.d, c->to.d - c->from.d, bit_width(top));
		return C4W_OK;
	case E_DELTA:
		return put_ints_delta(&w->page, k->b, c->from.s, c->to.s, err);
	case E_DELTA_LENGTH:
		return put_lengths_delta(&w->page, k->b, c->from.s, c->to.s, err);
	case E_SPLIT:
		return put_split(&w->page, k->b, c->from.s, c->to.s, err);
	default:
		return pq_w_plain(&w->page, k->b, c->from.s, c->to.s, err);
	}
}

static int put_page(struct c4w_pq_writer *w, const struct chunk *k, const struct cut *c, uint8_t encoding, struct pq_wchunk *out,
		    struct c4w_err *err)
{
	const uint8_t *rep = k->rep ? k->rep + c->from.e : NULL, *def = k->def ? k->def + c->from.e : NULL;
	size_t n = c->to.e - c->from.e, level_bytes, rep_bytes, raw, body;
	bool v2 = w->o.page_version == 2, is_packed = w->o.codec != 0;
	const char *stored;

	c4w_buf_reset(&w->page);
	put_hybrid_levels(&w->page, rep, n, k->leaf->max_rep, !v2);
	rep_bytes = w->page.n;
	put_hybrid_levels(&w->page, def, n, k->leaf->max_def, !v2);
	level_bytes = w->page.n;
	C4W_TRY(put_values(w, k, c, encoding, err));
	C4W_TRY(c4w_buf_ok(&w->page, err));
	raw = w->page.n;
	if (raw > C4W_LIMIT_PARQUET_PAGE)
		return c4w_fail(err, C4W_LIMIT, "a page of %zu bytes is above the limit of %llu", raw, (unsigned long long)C4W_LIMIT_PARQUET_PAGE);
	c4w_buf_reset(&w->packed);
	if (v2) { /* levels stay as they are; what does not get smaller does so too */
		c4w_buf_put(&w->packed, w->page.p, level_bytes);
		if (is_packed && raw > level_bytes)
			C4W_TRY(squeeze(w, w->page.p + level_bytes, raw - level_bytes, &w->packed, err));
		if (!is_packed || w->packed.n >= raw || raw == level_bytes) {
			is_packed = false;
			c4w_buf_reset(&w->packed);
		}
	} else if (is_packed) {
		C4W_TRY(squeeze(w, w->page.p, raw, &w->packed, err));
	}
	C4W_TRY(c4w_buf_ok(&w->packed, err));
	stored = is_packed ? w->packed.p : w->page.p;
	body = is_packed ? w->packed.n : raw;

	c4w_buf_reset(&w->head.b);
	pq_w_begin(&w->head);
	pq_w_i32(&w->head, 1, v2 ? PQ_DATA_PAGE_V2 : PQ_DATA_PAGE);
	pq_w_i32(&w->head, 2, (int32_t)raw);
	pq_w_i32(&w->head, 3, (int32_t)body);
	if (!w->o.no_crc)
		pq_w_i32(&w->head, 4, (int32_t)libdeflate_crc32(0, stored, body));
	if (v2) {
		pq_w_struct(&w->head, 8);
		pq_w_i32(&w->head, 1, (int32_t)n);
		pq_w_i32(&w->head, 2, (int32_t)c->nulls);
		pq_w_i32(&w->head, 3, (int32_t)c->rows);
		pq_w_i32(&w->head, 4, encoding);
		pq_w_i32(&w->head, 5, (int32_t)(level_bytes - rep_bytes));
		pq_w_i32(&w->head, 6, (int32_t)rep_bytes);
		pq_w_bool(&w->head, 7, is_packed);
	} else {
		pq_w_struct(&w->head, 5);
		pq_w_i32(&w->head, 1, (int32_t)n);
		pq_w_i32(&w->head, 2, encoding);
		pq_w_i32(&w->head, 3, E_RLE);
		pq_w_i32(&w->head, 4, E_RLE);
	}
	pq_w_end(&w->head);
	pq_w_end(&w->head);
	C4W_TRY(c4w_buf_ok(&w->head.b, err));
	C4W_TRY(pq_w_emit(w, w->head.b.p, w->head.b.n, err));
	C4W_TRY(pq_w_emit(w, stored, body, err));
	out->compressed += (int64_t)(w->head.b.n + body);
	out->uncompressed += (int64_t)(w->head.b.n + raw);
	out->values += (int64_t)n;
	return C4W_OK;
}

/* The dictionary page, in front of the data pages. */
static int put_dictionary(struct c4w_pq_writer *w, const struct pq_dict *d, struct pq_wchunk *out, struct c4w_err *err)
{
	const char *stored;
	size_t raw, body;

	c4w_buf_reset(&w->page);
	C4W_TRY(pq_w_plain(&w->page, &d->values, 0, d->distinct, err));
	C4W_TRY(c4w_buf_ok(&w->page, err));
	stored = w->page.p;
	raw = body = w->page.n;
	if (w->o.codec != 0) {
		c4w_buf_reset(&w->packed);
		C4W_TRY(squeeze(w, w->page.p, raw, &w->packed, err));
		stored = w->packed.p;
		body = w->packed.n;
	}
	c4w_buf_reset(&w->head.b);
	pq_w_begin(&w->head);
	pq_w_i32(&w->head, 1, PQ_DICTIONARY_PAGE);
	pq_w_i32(&w->head, 2, (int32_t)raw);
	pq_w_i32(&w->head, 3, (int32_t)body);
	if (!w->o.no_crc)
		pq_w_i32(&w->head, 4, (int32_t)libdeflate_crc32(0, stored, body));
	pq_w_struct(&w->head, 7);
	pq_w_i32(&w->head, 1, (int32_t)d->distinct);
	pq_w_i32(&w->head, 2, E_PLAIN);
	pq_w_end(&w->head);
	pq_w_end(&w->head);
	C4W_TRY(c4w_buf_ok(&w->head.b, err));
	out->has_dict = true;
	out->dict_offset = (int64_t)w->at;
	C4W_TRY(pq_w_emit(w, w->head.b.p, w->head.b.n, err));
	C4W_TRY(pq_w_emit(w, stored, body, err));
	out->compressed += (int64_t)(w->head.b.n + body);
	out->uncompressed += (int64_t)(w->head.b.n + raw);
	return C4W_OK;
}

/* ---- chunks ---- */

/* The last place that the dictionary covers and a page may end at: rows stay whole. */
static struct mark coded_until(const struct chunk *k)
{
	struct mark at = { 0, 0, 0 }, row = at;

	if (k->dict.slots == k->b->n)
		return (struct mark){ k->entries, k->b->n, k->dict.n };
	if (!k->def)
		return (struct mark){ k->dict.slots, k->dict.slots, k->dict.n };
	for (; at.e < k->entries; at.e++) {
		if (k->rep[at.e] == 0)
			row = at;
		if (at.d == k->dict.n && k->def[at.e] == k->leaf->max_def)
			return row;
		at.s += k->def[at.e] >= k->slot_def;
		at.d += k->def[at.e] == k->leaf->max_def;
	}
	return at;
}

/* About how many bytes does slot s take? */
static size_t value_bytes(const struct c4w_batch *b, size_t s, bool coded)
{
	size_t n;

	if (coded)
		return 2;
	if (b->phys == C4W_PHYS_BYTES) {
		if (!c4w_bit(b->validity, s))
			return 0;
		c4w_batch_bytes(b, s, &n);
		return n + 4;
	}
	return b->width ? b->width : 1;
}

/* The next page's end: after the row with which it reaches its size, and not behind `end` entries. */
static void cut_page(const struct chunk *k, size_t page_bytes, bool coded, size_t end, struct cut *c)
{
	bool even = coded || k->b->phys != C4W_PHYS_BYTES; /* do all values take the same? */
	size_t each = even ? value_bytes(k->b, 0, coded) : 0, bytes = 0;
	struct mark *to = &c->to;

	c->from = c->to;
	c->rows = c->nulls = 0;
	if (!k->def && even) {
		size_t take = page_bytes / each;

		take = take < 1 ? 1 : take > PAGE_ENTRIES ? PAGE_ENTRIES : take;
		c->rows = end - to->e < take ? end - to->e : take;
		to->e += c->rows;
		to->s += c->rows;
		to->d += c->rows;
		return;
	}
	while (to->e < end && (to->e == c->from.e || (bytes < page_bytes && to->e - c->from.e < PAGE_ENTRIES))) {
		c->rows++;
		do { /* an entry of the row */
			bool slot = !k->def || k->def[to->e] >= k->slot_def, there = !k->def || k->def[to->e] == k->leaf->max_def;

			if (slot && !even)
				bytes += value_bytes(k->b, to->s, false);
			to->s += slot;
			to->d += there;
			c->nulls += !there;
			to->e++;
		} while (k->rep && to->e < end && k->rep[to->e] != 0);
		if (even)
			bytes = (to->s - c->from.s) * each;
	}
}

static void chunk_init(const struct c4w_pq_writer *w, size_t column, size_t rows, const struct c4w_batch *b, bool levels, struct chunk *k)
{
	uint32_t i;

	*k = (struct chunk){ .leaf = c4w_pq_leaf(&w->pq, column), .b = b, .entries = rows };
	pq_range_init(&k->range, k->leaf);
	if (levels) {
		k->rep = w->lv.rep;
		k->def = w->lv.def;
		k->entries = w->lv.n;
	}
	for (i = w->pq.leaves[column]; i != 0; i = w->pq.nodes[i].parent)
		if (w->pq.nodes[i].repetition == C4W_PQ_REPEATED) {
			k->slot_def = w->pq.nodes[i].max_def;
			break;
		}
}

/* Bitmap of the dictionary's values that a page uses. */
static void mark_used(const uint32_t *indices, size_t n, uint8_t *bits)
{
	size_t i;

	for (i = 0; i < n; i++)
		bits[indices[i] >> 3] = (uint8_t)(bits[indices[i] >> 3] | 1U << (indices[i] & 7));
}

/* The range of a page's values. Text over the dictionary is looked at there, once a value. */
static int page_range(struct c4w_pq_writer *w, struct chunk *k, const struct cut *c, bool coded, struct pq_range *r, struct c4w_err *err)
{
	size_t n = c->to.d - c->from.d, bytes = (k->dict.distinct + 7) / 8;

	pq_range_init(r, k->leaf);
	if (!coded || r->order != PQ_ORDER_BYTES || n < k->dict.distinct / 8) {
		pq_range_add(r, k->b, c->from.s, c->to.s);
		return C4W_OK;
	}
	c4w_buf_reset(&w->used);
	if (!c4w_buf_reserve(&w->used, bytes))
		return c4w_fail_memory(err, bytes);
	memset(w->used.p, 0, bytes);
	mark_used(k->dict.indices + c->from.d, n, (uint8_t *)w->used.p);
	k->dict.values.validity = (const uint8_t *)w->used.p;
	pq_range_add(r, &k->dict.values, 0, k->dict.distinct);
	k->dict.values.validity = NULL;
	return C4W_OK;
}

/* What is known of a page that was written from `at` on, for the statistics and the page index. */
static int note_page(struct c4w_pq_writer *w, struct chunk *k, const struct cut *c, bool coded, uint64_t at, struct pq_windex *index,
		     struct c4w_err *err)
{
	struct pq_windex_page p = { at, w->at - at, k->rows, c->nulls, c->to.d == c->from.d, NULL };
	struct pq_range r;

	if (!w->o.no_statistics) {
		C4W_TRY(page_range(w, k, c, coded, &r, err));
		pq_range_merge(&k->range, &r);
		p.range = &r;
	}
	if (!w->o.no_page_index)
		pq_windex_add(index, k->leaf, &p);
	k->rows += c->rows;
	return C4W_OK;
}

static int put_pages(struct c4w_pq_writer *w, struct chunk *k, struct pq_windex *index, struct pq_wchunk *out, struct c4w_err *err)
{
	size_t page_bytes = w->o.page_bytes ? w->o.page_bytes : C4W_MIB;
	struct cut c = { 0 };

	if (k->coded.e > 0)
		C4W_TRY(put_dictionary(w, &k->dict, out, err));
	out->data_offset = (int64_t)w->at;
	do { /* a chunk without entries has one page */
		bool coded = c.to.e < k->coded.e;
		uint64_t at = w->at;

		cut_page(k, page_bytes, coded, coded ? k->coded.e : k->entries, &c);
		C4W_TRY(put_page(w, k, &c, coded ? E_RLE_DICTIONARY : out->encoding, out, err));
		C4W_TRY(note_page(w, k, &c, coded, at, index, err));
		out->dict_pages += coded;
		out->own_pages += !coded;
	} while (c.to.e < k->entries);
	return C4W_OK;
}

/* Statistics, and the page index where there are values to find by it. */
static int put_knowledge(const struct c4w_pq_writer *w, const struct chunk *k, const struct pq_windex *index, struct pq_wchunk *out,
			 struct c4w_err *err)
{
	/* every entry below the highest level counts as a null of the leaf */
	out->nulls = k->def ? (size_t)out->values - (k->b->n - k->b->nulls) : 0;
	out->has_stats = pq_range_bounds(&k->range, k->leaf, &out->bounds);
	if (!w->o.no_page_index && k->entries > 0)
		pq_windex_done(index, &out->column_index, &out->offset_index);
	C4W_TRY(c4w_buf_ok(&out->bounds.min, err));
	C4W_TRY(c4w_buf_ok(&out->bounds.max, err));
	C4W_TRY(c4w_buf_ok(&out->column_index, err));
	return c4w_buf_ok(&out->offset_index, err);
}

void pq_wchunk_clear(struct pq_wchunk *c)
{
	c4w_buf_clear(&c->bounds.min);
	c4w_buf_clear(&c->bounds.max);
	c4w_buf_clear(&c->column_index);
	c4w_buf_clear(&c->offset_index);
}

int pq_w_chunk(struct c4w_pq_writer *w, size_t column, size_t rows, const struct c4w_batch *b, struct pq_wchunk *out, struct c4w_err *err)
{
	struct pq_windex index = { 0 };
	struct chunk k;
	bool levels;
	int rc = C4W_OK;

	*out = (struct pq_wchunk){ .encoding = w->encodings ? w->encodings[column] : E_PLAIN };
	C4W_TRY(pq_w_check(w, column, rows, b, err));
	C4W_TRY(pq_w_levels(w, column, rows, b, &levels, err));
	chunk_init(w, column, rows, b, levels, &k);
	if (!w->o.no_dictionary)
		rc = pq_w_dictionary(b, w->o.dictionary_bytes ? w->o.dictionary_bytes : C4W_MIB, &k.dict, err);
	if (k.dict.n > 0)
		k.coded = coded_until(&k);
	if (rc == C4W_OK)
		rc = put_pages(w, &k, &index, out, err);
	if (rc == C4W_OK)
		rc = put_knowledge(w, &k, &index, out, err);
	pq_w_dictionary_clear(&k.dict);
	pq_windex_clear(&index);
	if (rc != C4W_OK)
		pq_wchunk_clear(out);
	return rc;
}
