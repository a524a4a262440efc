/* From pages to batches: what is in a page, and what a builder that took pages gives out. */
#include "containers/pq_builder.h"

#include "base/checked.h"
#include "base/limits.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

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

/* The first of a page's levels; 0 when there is none. */
static unsigned first_level(const struct levels *l, unsigned max, size_t n)
{
	struct pq_rle r;
	uint8_t v = 0;

	if (max == 0 || n == 0)
		return 0;
	if (l->msb) {
		unpack_msb(l->p, bit_width(max), 1, &v);
		return v;
	}
	pq_rle_init(&r, l->p, l->n, bit_width(max));
	return pq_rle_u8(&r, &v, 1) ? v : 0;
}

/* A v1 page's levels, from the front of its data. */
static int levels_v1(struct pq_builder *b, int32_t encoding, unsigned max, size_t values, const uint8_t **p, size_t *size, struct levels *out)
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

static int levels_bytes(struct pq_builder *b, const struct levels *l, unsigned max, size_t n, struct pq_scratch *to)
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

static int levels_bits(struct pq_builder *b, const struct levels *l, size_t n, struct pq_scratch *to)
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
static int take_levels(struct pq_builder *b, const struct levels *rep, const struct levels *def, size_t entries, size_t *slots, size_t *n)
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

static int page_crc(struct pq_builder *b, const struct pq_page *g)
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
static int unpack(struct pq_builder *b, int32_t codec, const uint8_t *in, size_t n, size_t readable, size_t size, const uint8_t **out,
		  size_t *out_readable)
{
	if (codec == 0 || (n == 0 && size == 0)) {
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

static int take_dictionary(struct pq_builder *b, const struct pq_page *g, int32_t codec)
{
	struct c4w_arena *arena = b->as_indices ? b->arena : &b->w->tmp;
	void *p;

	if (b->dict)
		return c4w_damaged(b->err, "parquet.dictionary", (int64_t)g->offset, "the chunk has a second dictionary page");
	if (g->encoding != E_PLAIN && g->encoding != E_PLAIN_DICTIONARY)
		return c4w_damaged(b->err, "parquet.dictionary", (int64_t)g->offset, "the dictionary page has the impossible encoding %d", g->encoding);
	if (b->phys == C4W_PHYS_BOOL)
		return c4w_damaged(b->err, "parquet.dictionary", (int64_t)g->offset, "a boolean column has a dictionary");
	if (codec == 0 ? g->compressed != g->uncompressed : !pq_codec_plausible(codec, g->compressed, g->uncompressed))
		return c4w_damaged(b->err, "parquet.page-size", (int64_t)g->offset, "the dictionary page claims %u bytes out of %u", g->uncompressed,
				   g->compressed);
	C4W_TRY(c4w_arena_take(arena, (size_t)g->uncompressed + 64, &p, b->err));
	memset((uint8_t *)p + g->uncompressed, 0, 64);
	C4W_TRY(pq_decompress(&b->w->codecs, codec, g->data, g->compressed, p, g->uncompressed, b->err));
	return pq_take_dictionary(b, p, g->uncompressed, g->values, g->offset, arena);
}

static int take_data(struct pq_builder *b, struct pq_page *g, int32_t codec)
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
		/* no value bytes at all, whatever the header says they unpack to: a page of nulls */
		if (g->compressed == levels)
			size = 0;
		if (codec != 0 && g->is_compressed && g->compressed > levels)
			C4W_TRY(unpack(b, codec, p, g->compressed - (size_t)levels, readable, size, &p, &readable));
		else
			C4W_TRY(unpack(b, 0, p, g->compressed - (size_t)levels, readable, size, &p, &readable));
	}
	/* levels and indices may stand for many values in few bytes, but not for any number */
	if (g->values > C4W_LIMIT_PARQUET_PAGE_VALUES && g->values / 256 > g->uncompressed)
		return c4w_fail(b->err, C4W_LIMIT, "a page of %u bytes claims %u values", g->uncompressed, g->values);
	g->mid_row = first_level(&rep, leaf->max_rep, g->values) > 0;
	C4W_TRY(take_levels(b, &rep, &def, g->values, &slots, &n));
	return pq_take_values(b, g->encoding, p, size, readable, slots, n, b->w->bits.p);
}

int pq_take_page(struct pq_builder *b, struct pq_page *g, int32_t codec)
{
	int rc;

	C4W_TRY(page_crc(b, g));
	rc = g->type == PQ_DICTIONARY_PAGE ? take_dictionary(b, g, codec) : take_data(b, g, codec);
	if (rc != C4W_OK && b->err->offset < 0)
		b->err->offset = (int64_t)g->offset;
	return rc;
}

/* ---- batches ---- */

static int builder_init(struct pq_builder *b, const struct c4w_pq *pq, size_t group, size_t end, size_t column, const struct c4w_pq_opts *opts,
			struct c4w_pq_worker *w, struct c4w_arena *arena, struct c4w_err *err)
{
	static const enum c4w_phys phys[] = { C4W_PHYS_BOOL,   C4W_PHYS_INT32, C4W_PHYS_INT64, C4W_PHYS_FIXED,
					      C4W_PHYS_FLOAT, C4W_PHYS_DOUBLE, C4W_PHYS_BYTES, C4W_PHYS_FIXED };
	static const uint8_t widths[] = { 1, 4, 8, 12, 4, 8, 0, 0 };
	uint64_t values = 0, packed = 0;
	size_t g;

	*b = (struct pq_builder){ .pq = pq, .leaf = c4w_pq_leaf(pq, column), .opts = opts, .w = w, .arena = arena, .err = err };
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
	else if (opts->count > 0 && opts->count < pq->groups[group].rows) /* rows of about the same size */
		b->expected = (size_t)((double)b->expected * ((double)opts->count / (double)pq->groups[group].rows)) + 1;
	b->values.limit = b->offsets.limit = b->bytes.limit = b->indices.limit = (size_t)(C4W_LIMIT_PARQUET_BATCH + packed * 256);
	return pq_nest_init(&b->nest, pq, column, opts->structs, arena, err);
}

static int builder_finish(struct pq_builder *b, struct c4w_batch *out)
{
	struct c4w_batch r = { .phys = b->phys, .width = (uint32_t)b->width };

	r.n = b->valid.n;
	r.nulls = b->valid.nulls;
	r.validity = b->valid.nulls ? b->valid.v.p : NULL;
	r.rows = pq_nest_rows(&b->nest);
	if (b->as_indices && !b->dict)
		C4W_TRY(pq_expand(b));
	if (b->as_indices) {
		C4W_TRY(pq_vec_need(&b->indices, 0, b->arena, b->err));
		r.indices = (const uint32_t *)(const void *)b->indices.p;
		r.dict = b->dict;
	} else if (b->phys == C4W_PHYS_BYTES) {
		C4W_TRY(pq_offsets_begin(b, 0));
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
	struct pq_builder b;
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
		rc = pq_take_chunk(&b, g, column, first, last);
		if (rc != C4W_OK)
			where(err, pq, g, column);
	}
	if (rc == C4W_OK)
		rc = builder_finish(&b, out);
	if (rc == C4W_OK && opts->marks)
		*opts->marks = (struct c4w_pq_marks){ (const struct c4w_pq_mark *)(const void *)b.marks.p, b.marks.n / sizeof(struct c4w_pq_mark) };
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
