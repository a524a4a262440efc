/* Writing a column chunk: levels out of a batch, pages, compression. */
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

/* ---- levels ---- */

/* What stands between the root and a leaf, required nodes left out. */
enum op_kind { OP_STRUCT, OP_LIST_NULL, OP_REPEAT, OP_LEAF };
struct op {
	enum op_kind kind;
	uint32_t i; /* of the struct or list in the batch */
};

struct walk {
	const struct op *ops;
	const struct c4w_batch *b;
	struct pq_levels *lv;
	size_t last; /* leaf slots so far, for the check that they come in order */
	bool failed;
};

static void push(struct walk *w, unsigned rep, unsigned def)
{
	struct pq_levels *lv = w->lv;

	if (lv->n == lv->cap) {
		size_t cap = lv->cap ? lv->cap * 2 : 4096;
		uint8_t *r = realloc(lv->rep, cap), *d;

		if (r)
			lv->rep = r;
		d = r ? realloc(lv->def, cap) : NULL;
		if (d)
			lv->def = d;
		if (!r || !d) {
			w->failed = true;
			return;
		}
		lv->cap = cap;
	}
	lv->rep[lv->n] = (uint8_t)rep;
	lv->def[lv->n++] = (uint8_t)def;
}

static void emit(struct walk *w, const struct op *op, size_t slot, unsigned rep, unsigned def)
{
	const struct c4w_batch *b = w->b;
	int32_t j, end;

	switch (op->kind) {
	case OP_STRUCT:
		if (b->structs && op->i < b->nstructs && !c4w_bit(b->structs[op->i].validity, slot))
			push(w, rep, def);
		else
			emit(w, op + 1, slot, rep, def + 1);
		break;
	case OP_LIST_NULL:
		if (!c4w_bit(b->lists[op->i].validity, slot))
			push(w, rep, def);
		else
			emit(w, op + 1, slot, rep, def + 1);
		break;
	case OP_REPEAT:
		j = b->lists[op->i].offsets[slot];
		end = b->lists[op->i].offsets[slot + 1];
		if (j == end) {
			push(w, rep, def);
			break;
		}
		for (; j < end; j++) {
			emit(w, op + 1, (size_t)j, rep, def + 1);
			rep = op->i + 1;
		}
		break;
	default: /* i: is the leaf optional? */
		push(w, rep, def + (op->i && c4w_bit(b->validity, slot)));
	}
}

/* The ops of a leaf, and how many structs and lists its batch may have. */
static size_t plan(const struct c4w_pq *pq, size_t column, struct op *ops, uint32_t *structs)
{
	uint32_t chain[C4W_LIMIT_PARQUET_DEPTH + 1] = { 0 }, i, lists = 0;
	unsigned depth = 0;
	size_t n = 0;

	*structs = 0;
	for (i = pq->leaves[column]; i != 0; i = pq->nodes[i].parent)
		chain[depth++] = i;
	while (depth-- > 0) {
		const struct c4w_pq_node *node = &pq->nodes[chain[depth]];

		if (node->repetition == C4W_PQ_REPEATED)
			ops[n++] = (struct op){ OP_REPEAT, lists++ };
		else if (node->repetition == C4W_PQ_OPTIONAL && node->shape == C4W_PQ_STRUCT)
			ops[n++] = (struct op){ OP_STRUCT, (*structs)++ };
		else if (node->repetition == C4W_PQ_OPTIONAL && node->shape != C4W_PQ_LEAF)
			ops[n++] = (struct op){ OP_LIST_NULL, lists };
	}
	ops[n++] = (struct op){ OP_LEAF, c4w_pq_leaf(pq, column)->repetition == C4W_PQ_OPTIONAL };
	return n;
}

/* Levels of all rows; lv->rep and lv->def stay unused when nothing needs them (*needed). */
static int make_levels(struct c4w_pq_writer *w, size_t column, size_t rows, const struct c4w_batch *b, bool *needed, struct c4w_err *err)
{
	const struct c4w_pq_node *leaf = c4w_pq_leaf(&w->pq, column);
	struct op ops[C4W_LIMIT_PARQUET_DEPTH + 2];
	struct walk k = { ops, b, &w->lv, 0, false };
	uint32_t structs;
	size_t i;

	plan(&w->pq, column, ops, &structs);
	w->lv.n = 0;
	*needed = leaf->max_rep > 0 || (leaf->max_def > 0 && (b->nulls > 0 || (b->structs && structs > 0)));
	if (!*needed)
		return C4W_OK;
	for (i = 0; i < rows && !k.failed; i++)
		emit(&k, ops, i, 0, 0);
	return k.failed ? c4w_fail_memory(err, 2 * w->lv.cap) : C4W_OK;
}

static int misfit(const struct c4w_pq_writer *w, size_t column, const char *what, struct c4w_err *err)
{
	char path[128];

	return c4w_fail(err, C4W_USAGE, "column '%s': the batch %s", c4w_pq_path(&w->pq, column, path, sizeof path), what);
}

static int check_batch(const struct c4w_pq_writer *w, size_t column, size_t rows, const struct c4w_batch *b, struct c4w_err *err)
{
	static const enum c4w_phys phys[] = { C4W_PHYS_BOOL,  C4W_PHYS_INT32,  C4W_PHYS_INT64, C4W_PHYS_FIXED,
					      C4W_PHYS_FLOAT, C4W_PHYS_DOUBLE, C4W_PHYS_BYTES, C4W_PHYS_FIXED };
	static const uint8_t widths[] = { 1, 4, 8, 12, 4, 8, 0, 0 };
	const struct c4w_pq_node *leaf = c4w_pq_leaf(&w->pq, column);
	uint32_t width = leaf->type == C4W_PQ_FIXED ? (uint32_t)leaf->type_length : widths[leaf->type];
	size_t slots = rows;
	uint32_t k;

	if (b->phys != phys[leaf->type] || b->width != width)
		return misfit(w, column, "has another type than the schema", err);
	if (b->nlists != leaf->max_rep)
		return misfit(w, column, "has another number of list levels than the schema", err);
	for (k = 0; k < b->nlists; k++) {
		if (b->lists[k].n != slots || b->lists[k].offsets[0] != 0)
			return misfit(w, column, "has lists of another number than their parents", err);
		slots = (size_t)b->lists[k].offsets[slots];
	}
	if (b->n != slots)
		return misfit(w, column, "has another number of values than its rows or lists", err);
	if (b->nulls > 0 && leaf->repetition != C4W_PQ_OPTIONAL) {
		/* slots below a null struct may be null although the leaf is required */
		if (!b->structs)
			return misfit(w, column, "has nulls, and the column is required", err);
	}
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
		uint64_t run = (uint64_t)n << 1;

		for (; run >= 128; run >>= 7)
			c4w_buf_putc(out, (char)(run | 128));
		c4w_buf_putc(out, (char)run);
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

struct cut { /* one page */
	size_t e0, e1; /* entries */
	size_t s0, s1; /* leaf slots */
	size_t d0, d1; /* values that are there, as indices into the dictionary's */
	size_t rows, nulls;
};

static int put_page(struct c4w_pq_writer *w, size_t column, const struct c4w_batch *b, bool levels, const struct pq_dict *dict, unsigned bits,
		    const struct cut *c, struct pq_wchunk *out, struct c4w_err *err)
{
	const struct c4w_pq_node *leaf = c4w_pq_leaf(&w->pq, column);
	const uint8_t *rep = levels ? w->lv.rep + c->e0 : NULL, *def = levels ? w->lv.def + c->e0 : NULL;
	size_t n = c->e1 - c->e0, level_bytes, rep_bytes, raw, body;
	bool v2 = w->o.page_version == 2, is_packed = w->o.codec != 0;
	const char *stored;

	c4w_buf_reset(&w->page);
	put_hybrid_levels(&w->page, rep, n, leaf->max_rep, !v2);
	rep_bytes = w->page.n;
	put_hybrid_levels(&w->page, def, n, leaf->max_def, !v2);
	level_bytes = w->page.n;
	if (dict) {
		c4w_buf_putc(&w->page, (char)bits);
		pq_w_hybrid32(&w->page, dict->indices + c->d0, c->d1 - c->d0, bits);
	} else if (out->encoding == E_DELTA) {
		C4W_TRY(put_ints_delta(&w->page, b, c->s0, c->s1, err));
	} else if (out->encoding == E_DELTA_LENGTH) {
		C4W_TRY(put_lengths_delta(&w->page, b, c->s0, c->s1, err));
	} else if (out->encoding == E_SPLIT) {
		C4W_TRY(put_split(&w->page, b, c->s0, c->s1, err));
	} else {
		C4W_TRY(pq_w_plain(&w->page, b, c->s0, c->s1, err));
	}
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
		pq_w_i32(&w->head, 4, out->encoding);
		pq_w_i32(&w->head, 5, (int32_t)(level_bytes - rep_bytes));
		pq_w_i32(&w->head, 6, (int32_t)rep_bytes);
		pq_w_bool(&w->head, 7, is_packed);
	} else {
		pq_w_struct(&w->head, 5);
		pq_w_i32(&w->head, 1, (int32_t)n);
		pq_w_i32(&w->head, 2, out->encoding);
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

static int put_dictionary(struct c4w_pq_writer *w, const struct pq_dict *d, struct pq_wchunk *out, struct c4w_err *err)
{
	const char *stored = d->page.p;
	size_t body = d->page.n;

	c4w_buf_reset(&w->packed);
	if (w->o.codec != 0) {
		C4W_TRY(squeeze(w, d->page.p ? d->page.p : "", d->page.n, &w->packed, err));
		stored = w->packed.p;
		body = w->packed.n;
	}
	c4w_buf_reset(&w->head.b);
	pq_w_begin(&w->head);
	pq_w_i32(&w->head, 1, PQ_DICTIONARY_PAGE);
	pq_w_i32(&w->head, 2, (int32_t)d->page.n);
	pq_w_i32(&w->head, 3, (int32_t)body);
	if (!w->o.no_crc)
		pq_w_i32(&w->head, 4, (int32_t)libdeflate_crc32(0, stored ? stored : "", body));
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
	out->uncompressed += (int64_t)(w->head.b.n + d->page.n);
	return C4W_OK;
}

/* About how many bytes do slots [s, ...) take each? Strings are asked one by one. */
static size_t value_bytes(const struct c4w_batch *b, size_t s, bool dict)
{
	size_t n;

	if (dict)
		return 2;
	if (b->phys == C4W_PHYS_BYTES) {
		if (!c4w_bit(b->validity, s))
			return 0;
		c4w_batch_bytes(b, s, &n);
		return n + 4;
	}
	return b->width ? b->width : 1;
}

int pq_w_chunk(struct c4w_pq_writer *w, size_t column, size_t rows, const struct c4w_batch *b, struct pq_wchunk *out, struct c4w_err *err)
{
	const struct c4w_pq_node *leaf = c4w_pq_leaf(&w->pq, column);
	size_t page_bytes = w->o.page_bytes ? w->o.page_bytes : C4W_MIB, entries;
	struct pq_dict dict = { 0 };
	bool has_dict = false, levels;
	uint8_t slot_def = 0;
	struct cut c = { 0 };
	uint32_t i;
	int rc = C4W_OK;

	*out = (struct pq_wchunk){ 0 };
	C4W_TRY(check_batch(w, column, rows, b, err));
	C4W_TRY(make_levels(w, column, rows, b, &levels, err));
	if (!w->o.no_dictionary)
		C4W_TRY(pq_w_dictionary(b, w->o.dictionary_bytes ? w->o.dictionary_bytes : C4W_MIB, &dict, &has_dict, err));
	out->encoding = has_dict ? E_RLE_DICTIONARY : w->encodings ? w->encodings[column] : E_PLAIN;
	if (has_dict)
		rc = put_dictionary(w, &dict, out, err);
	out->data_offset = (int64_t)w->at;
	/* a leaf slot is there from the level of its innermost list on */
	for (i = w->pq.leaves[column]; i != 0; i = w->pq.nodes[i].parent)
		if (w->pq.nodes[i].repetition == C4W_PQ_REPEATED) {
			slot_def = w->pq.nodes[i].max_def;
			break;
		}
	entries = levels ? w->lv.n : rows;
	do {
		size_t bytes = 0;

		c.e0 = c.e1;
		c.s0 = c.s1;
		c.d0 = c.d1;
		c.rows = c.nulls = 0;
		if (!levels && b->phys != C4W_PHYS_BYTES) {
			size_t take = page_bytes / value_bytes(b, 0, has_dict);

			take = take < 1 ? 1 : take > PAGE_ENTRIES ? PAGE_ENTRIES : take;
			c.e1 = c.s1 = entries - c.e0 < take ? entries : c.e0 + take;
			c.d1 = c.s1;
			c.rows = c.e1 - c.e0;
		} else {
			while (c.e1 < entries) {
				bool begins = !levels || w->lv.rep[c.e1] == 0;

				if (begins && c.e1 > c.e0 && (bytes >= page_bytes || c.e1 - c.e0 >= PAGE_ENTRIES))
					break;
				c.rows += begins;
				if (!levels || w->lv.def[c.e1] >= slot_def) {
					bytes += value_bytes(b, c.s1, has_dict);
					c.d1 += c4w_bit(b->validity, c.s1);
					c.s1++;
				}
				c.nulls += levels && w->lv.def[c.e1] < leaf->max_def;
				c.e1++;
			}
		}
		if (rc == C4W_OK)
			rc = put_page(w, column, b, levels, has_dict ? &dict : NULL, has_dict ? bit_width(dict.distinct - 1) : 0, &c, out, err);
	} while (rc == C4W_OK && c.e1 < entries);
	pq_w_dictionary_clear(&dict);
	if (rc == C4W_OK && !w->o.no_statistics) {
		struct pq_wstats s = { 0 };

		pq_w_stats(leaf, b, &s);
		/* every entry below the highest level counts as a null of the leaf */
		out->nulls = levels ? (size_t)out->values - (b->n - b->nulls) : 0;
		out->has_stats = s.has;
		out->min_exact = s.min_exact;
		out->max_exact = s.max_exact;
		out->min = s.min.p;
		out->max = s.max.p;
		out->min_n = s.min.n;
		out->max_n = s.max.n;
		if (s.min.failed || s.max.failed)
			rc = c4w_fail_memory(err, 64);
	}
	return rc;
}
