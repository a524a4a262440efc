/* The Parquet writer: schema, row groups, footer, and Thrift's compact protocol the other way round. */
#include "containers/pq_wimpl.h"

#include "base/limits.h"
#include "base/version.h"

#include <stdlib.h>
#include <string.h>

/* ---- Thrift ---- */

void pq_w_varint(struct c4w_buf *b, uint64_t v)
{
	for (; v >= 128; v >>= 7)
		c4w_buf_putc(b, (char)(v | 128));
	c4w_buf_putc(b, (char)v);
}

static void zigzag(struct pq_out *o, int64_t v)
{
	pq_w_varint(&o->b, pq_zigzag(v));
}

static void field(struct pq_out *o, int16_t id, uint8_t wire)
{
	int step = id - o->last[o->depth - 1];

	if (step > 0 && step < 16) {
		c4w_buf_putc(&o->b, (char)(step << 4 | wire));
	} else {
		c4w_buf_putc(&o->b, (char)wire);
		zigzag(o, id);
	}
	o->last[o->depth - 1] = id;
}

void pq_w_begin(struct pq_out *o)
{
	o->last[o->depth++] = 0;
}

void pq_w_end(struct pq_out *o)
{
	c4w_buf_putc(&o->b, 0);
	o->depth--;
}

void pq_w_struct(struct pq_out *o, int16_t id)
{
	field(o, id, PQ_W_STRUCT);
	pq_w_begin(o);
}

void pq_w_i32(struct pq_out *o, int16_t id, int32_t v)
{
	field(o, id, PQ_W_I32);
	zigzag(o, v);
}

void pq_w_i64(struct pq_out *o, int16_t id, int64_t v)
{
	field(o, id, PQ_W_I64);
	zigzag(o, v);
}

void pq_w_bool(struct pq_out *o, int16_t id, bool v)
{
	field(o, id, v ? PQ_W_TRUE : PQ_W_FALSE);
}

void pq_w_bytes(struct pq_out *o, int16_t id, const void *p, size_t n)
{
	field(o, id, PQ_W_BINARY);
	pq_w_varint(&o->b, n);
	c4w_buf_put(&o->b, p, n);
}

void pq_w_list(struct pq_out *o, int16_t id, uint8_t wire, size_t n)
{
	field(o, id, PQ_W_LIST);
	if (n < 15) {
		c4w_buf_putc(&o->b, (char)(n << 4 | wire));
	} else {
		c4w_buf_putc(&o->b, (char)(0xf0 | wire));
		pq_w_varint(&o->b, n);
	}
}

/* ---- schema ---- */

/* The older ConvertedType, for readers that know no other; -1: there is none. */
static int32_t converted(const struct c4w_pq_node *n)
{
	switch (n->logical) {
	case C4W_PQ_L_STRING:
		return 0;
	case C4W_PQ_L_MAP:
		return 1;
	case C4W_PQ_L_LIST:
		return 3;
	case C4W_PQ_L_ENUM:
		return 4;
	case C4W_PQ_L_DECIMAL:
		return 5;
	case C4W_PQ_L_DATE:
		return 6;
	case C4W_PQ_L_TIME:
		return n->unit == C4W_PQ_NANOS || !n->utc ? -1 : n->unit == C4W_PQ_MILLIS ? 7 : 8;
	case C4W_PQ_L_TIMESTAMP:
		return n->unit == C4W_PQ_NANOS || !n->utc ? -1 : n->unit == C4W_PQ_MILLIS ? 9 : 10;
	case C4W_PQ_L_INTEGER:
		return (n->is_signed ? 15 : 11) + (n->bits == 8 ? 0 : n->bits == 16 ? 1 : n->bits == 32 ? 2 : 3);
	case C4W_PQ_L_JSON:
		return 19;
	case C4W_PQ_L_BSON:
		return 20;
	case C4W_PQ_L_INTERVAL:
		return 21;
	default:
		return -1;
	}
}

static void put_logical(struct pq_out *o, const struct c4w_pq_node *n)
{
	static const uint8_t id[] = { [C4W_PQ_L_STRING] = 1, [C4W_PQ_L_MAP] = 2,      [C4W_PQ_L_LIST] = 3,       [C4W_PQ_L_ENUM] = 4,
				      [C4W_PQ_L_DECIMAL] = 5, [C4W_PQ_L_DATE] = 6,    [C4W_PQ_L_TIME] = 7,       [C4W_PQ_L_TIMESTAMP] = 8,
				      [C4W_PQ_L_INTEGER] = 10, [C4W_PQ_L_NULL] = 11,  [C4W_PQ_L_JSON] = 12,      [C4W_PQ_L_BSON] = 13,
				      [C4W_PQ_L_UUID] = 14,  [C4W_PQ_L_FLOAT16] = 15, [C4W_PQ_L_GEOGRAPHY] = 0 };

	if (id[n->logical] == 0)
		return; /* interval has only a converted type; variant and geometry have members that a node does not keep */
	pq_w_struct(o, 10);
	pq_w_struct(o, id[n->logical]);
	if (n->logical == C4W_PQ_L_DECIMAL) {
		pq_w_i32(o, 1, n->scale);
		pq_w_i32(o, 2, n->precision);
	} else if (n->logical == C4W_PQ_L_TIME || n->logical == C4W_PQ_L_TIMESTAMP) {
		pq_w_bool(o, 1, n->utc);
		pq_w_struct(o, 2);
		pq_w_struct(o, (int16_t)(n->unit + 1));
		pq_w_end(o);
		pq_w_end(o);
	} else if (n->logical == C4W_PQ_L_INTEGER) {
		field(o, 1, PQ_W_BYTE);
		c4w_buf_putc(&o->b, (char)n->bits);
		pq_w_bool(o, 2, n->is_signed);
	}
	pq_w_end(o);
	pq_w_end(o);
}

static void put_element(struct pq_out *o, const struct c4w_pq_node *n, bool root)
{
	bool leaf = n->nchildren == 0 && !root;
	int32_t c = converted(n);

	pq_w_begin(o);
	if (leaf)
		pq_w_i32(o, 1, (int32_t)n->type);
	if (leaf && n->type == C4W_PQ_FIXED)
		pq_w_i32(o, 2, n->type_length);
	if (!root)
		pq_w_i32(o, 3, (int32_t)n->repetition);
	pq_w_bytes(o, 4, n->name.p, n->name.n);
	if (!leaf)
		pq_w_i32(o, 5, (int32_t)n->nchildren);
	if (!root && c >= 0)
		pq_w_i32(o, 6, c);
	if (!root && n->logical == C4W_PQ_L_DECIMAL) {
		pq_w_i32(o, 7, n->scale);
		pq_w_i32(o, 8, n->precision);
	}
	if (n->has_field_id)
		pq_w_i32(o, 9, n->field_id);
	if (!root)
		put_logical(o, n);
	pq_w_end(o);
}

int c4w_pq_writer_new(const struct c4w_pq_node *nodes, uint32_t n, const struct c4w_pq_write_opts *opts, c4w_pq_write_fn write, void *ctx,
		      struct c4w_pq_writer **out, struct c4w_err *err)
{
	struct c4w_pq_writer *w = calloc(1, sizeof *w);
	struct pq_out o = { .depth = 1, .last = { 1 } }; /* as if behind field 1, where the footer has it */
	struct c4w_err local;
	struct pq_cur c;
	uint32_t i;

	*out = NULL;
	if (!w)
		return c4w_fail_memory(err, sizeof *w);
	w->write = write;
	w->ctx = ctx;
	if (opts)
		w->o = *opts;
	/* written as a list field, then read by the reader's own schema code: checked, and with levels and shapes */
	pq_w_list(&o, 2, PQ_W_STRUCT, n);
	for (i = 0; i < n; i++)
		put_element(&o, &nodes[i], i == 0);
	w->schema = o.b;
	w->created_by = strdup(w->o.created_by ? w->o.created_by : "c4w version " C4W_VERSION);
	if (w->schema.failed || !w->created_by) {
		c4w_pq_writer_free(w);
		return c4w_fail_memory(err, 64);
	}
	pq_cur_init(&c, (const uint8_t *)w->schema.p + 1, w->schema.n - 1, 0, &local);
	pq_schema_read(&w->pq, &c);
	if (c.bad) {
		int rc = c4w_fail(err, C4W_USAGE, "the schema is not possible: %s", local.message);

		c4w_pq_writer_free(w);
		return rc;
	}
	if (w->o.encodings && w->pq.ncolumns) {
		w->encodings = malloc(w->pq.ncolumns);
		if (!w->encodings) {
			c4w_pq_writer_free(w);
			return c4w_fail_memory(err, w->pq.ncolumns);
		}
		memcpy(w->encodings, w->o.encodings, w->pq.ncolumns);
		for (i = 0; i < w->pq.ncolumns; i++) {
			enum c4w_pq_type t = c4w_pq_leaf(&w->pq, i)->type;
			uint8_t e = w->encodings[i];
			bool ok = e == 0 || (e == 5 && (t == C4W_PQ_INT32 || t == C4W_PQ_INT64)) || (e == 6 && t == C4W_PQ_BYTE_ARRAY) ||
				  (e == 9 && t != C4W_PQ_BOOLEAN && t != C4W_PQ_BYTE_ARRAY && t != C4W_PQ_INT96 &&
				   (t != C4W_PQ_FIXED || c4w_pq_leaf(&w->pq, i)->type_length > 0));

			if (!ok) {
				int rc = c4w_fail(err, C4W_USAGE, "encoding %u is not one that c4w writes for type %s", e, c4w_pq_type_name(t));

				c4w_pq_writer_free(w);
				return rc;
			}
		}
	}
	w->o.encodings = NULL;
	w->o.created_by = NULL;
	*out = w;
	return C4W_OK;
}

void c4w_pq_writer_free(struct c4w_pq_writer *w)
{
	size_t i;

	if (!w)
		return;
	for (i = 0; i < w->nchunks; i++)
		pq_wchunk_clear(&w->chunks[i]);
	free(w->chunks);
	free(w->groups);
	free(w->encodings);
	free(w->created_by);
	free(w->lv.rep);
	free(w->lv.def);
	free(w->pq.nodes);
	free(w->pq.leaves);
	free(w->pq.orders);
	c4w_buf_clear(&w->schema);
	c4w_buf_clear(&w->meta.b);
	c4w_buf_clear(&w->page);
	c4w_buf_clear(&w->packed);
	c4w_buf_clear(&w->used);
	c4w_buf_clear(&w->head.b);
	pq_packers_free(w->packers);
	free(w);
}

int pq_w_emit(struct c4w_pq_writer *w, const void *p, size_t n, struct c4w_err *err)
{
	if (n == 0)
		return C4W_OK;
	C4W_TRY(w->write(w->ctx, p, n, err));
	w->at += n;
	return C4W_OK;
}

int c4w_pq_writer_meta(struct c4w_pq_writer *w, struct c4w_view key, struct c4w_view value, struct c4w_err *err)
{
	pq_w_begin(&w->meta);
	pq_w_bytes(&w->meta, 1, key.p, key.n);
	pq_w_bytes(&w->meta, 2, value.p, value.n);
	pq_w_end(&w->meta);
	w->nmeta++;
	return c4w_buf_ok(&w->meta.b, err);
}

static int more(void **p, size_t n, size_t *cap, size_t size, struct c4w_err *err)
{
	size_t fresh = *cap ? *cap * 2 : 16;
	void *q;

	if (n < *cap)
		return C4W_OK;
	q = realloc(*p, fresh * size);
	if (!q)
		return c4w_fail_memory(err, fresh * size);
	*p = q;
	*cap = fresh;
	return C4W_OK;
}

static int put_group(struct c4w_pq_writer *w, size_t rows, const struct c4w_batch *batches, size_t first, struct c4w_err *err)
{
	struct c4w_arena arena = { 0 };
	void *p = w->groups;
	size_t k;
	int rc;

	if (w->at == 0)
		C4W_TRY(pq_w_emit(w, "PAR1", 4, err));
	C4W_TRY(more(&p, w->ngroups, &w->cap_groups, sizeof *w->groups, err));
	w->groups = p;
	for (k = 0, rc = C4W_OK; rc == C4W_OK && k < w->pq.ncolumns; k++) {
		struct c4w_batch b = batches[k];

		p = w->chunks;
		rc = more(&p, w->nchunks, &w->cap_chunks, sizeof *w->chunks, err);
		w->chunks = p;
		if (rc == C4W_OK)
			rc = pq_batch_slice(&b, first, rows, &arena, err);
		if (rc == C4W_OK)
			rc = pq_w_chunk(w, k, rows, &b, &w->chunks[w->nchunks], err);
		if (rc == C4W_OK)
			w->nchunks++;
		c4w_arena_reset(&arena);
	}
	c4w_arena_clear(&arena);
	C4W_TRY(rc);
	w->groups[w->ngroups++].rows = (int64_t)rows;
	w->rows += (int64_t)rows;
	return C4W_OK;
}

int c4w_pq_writer_put(struct c4w_pq_writer *w, size_t rows, const struct c4w_batch *batches, struct c4w_err *err)
{
	size_t most = w->o.group_rows ? w->o.group_rows : 1024 * 1024, first, k;

	if (w->done || w->failed)
		return c4w_fail(err, C4W_USAGE, "the writer has finished or failed");
	for (k = 0; k < w->pq.ncolumns; k++)
		if (batches[k].rows != rows && batches[k].n != rows)
			return c4w_fail(err, C4W_USAGE, "a batch has another number of rows than the others");
	for (first = 0; first < rows; first += most) {
		int rc = put_group(w, rows - first < most ? rows - first : most, batches, first, err);

		if (rc != C4W_OK) {
			w->failed = true;
			return rc;
		}
	}
	return C4W_OK;
}

/* ---- footer ---- */

static void put_path(struct pq_out *o, const struct c4w_pq *pq, size_t column)
{
	uint32_t chain[C4W_LIMIT_PARQUET_DEPTH + 1], i;
	unsigned depth = 0;

	for (i = pq->leaves[column]; i != 0; i = pq->nodes[i].parent)
		chain[depth++] = i;
	pq_w_list(o, 3, PQ_W_BINARY, depth);
	while (depth-- > 0) {
		pq_w_varint(&o->b, pq->nodes[chain[depth]].name.n);
		c4w_buf_put(&o->b, pq->nodes[chain[depth]].name.p, pq->nodes[chain[depth]].name.n);
	}
}

/* How many pages of a type have an encoding (PageEncodingStats). */
static void put_pages_of(struct pq_out *o, int32_t type, int32_t encoding, uint32_t count)
{
	pq_w_begin(o);
	pq_w_i32(o, 1, type);
	pq_w_i32(o, 2, encoding);
	pq_w_i32(o, 3, (int32_t)count);
	pq_w_end(o);
}

static void put_chunk(struct pq_out *o, const struct c4w_pq_writer *w, size_t column, const struct pq_wchunk *c)
{
	int32_t data = w->o.page_version == 2 ? PQ_DATA_PAGE_V2 : PQ_DATA_PAGE;
	uint8_t e[4], n = 0, i;

	pq_w_begin(o);
	pq_w_i64(o, 2, 0); /* file_offset: deprecated, 0 as the format asks */
	pq_w_struct(o, 3);
	pq_w_i32(o, 1, (int32_t)c4w_pq_leaf(&w->pq, column)->type);
	if (c->has_dict || (c->own_pages && c->encoding == 0))
		e[n++] = 0; /* PLAIN */
	e[n++] = 3; /* RLE: the levels */
	if (c->own_pages && c->encoding != 0)
		e[n++] = c->encoding;
	if (c->dict_pages)
		e[n++] = 8; /* RLE_DICTIONARY */
	pq_w_list(o, 2, PQ_W_I32, n);
	for (i = 0; i < n; i++)
		pq_w_varint(&o->b, pq_zigzag(e[i]));
	put_path(o, &w->pq, column);
	pq_w_i32(o, 4, w->o.codec);
	pq_w_i64(o, 5, c->values);
	pq_w_i64(o, 6, c->uncompressed);
	pq_w_i64(o, 7, c->compressed);
	pq_w_i64(o, 9, c->data_offset);
	if (c->has_dict)
		pq_w_i64(o, 11, c->dict_offset);
	if (!w->o.no_statistics) {
		pq_w_struct(o, 12);
		pq_w_i64(o, 3, (int64_t)c->nulls);
		if (c->has_stats) {
			pq_w_bytes(o, 5, c->bounds.max.p, c->bounds.max.n);
			pq_w_bytes(o, 6, c->bounds.min.p, c->bounds.min.n);
			pq_w_bool(o, 7, c->bounds.max_exact);
			pq_w_bool(o, 8, c->bounds.min_exact);
		}
		pq_w_end(o);
	}
	pq_w_list(o, 13, PQ_W_STRUCT, (size_t)c->has_dict + (c->dict_pages > 0) + (c->own_pages > 0));
	if (c->has_dict)
		put_pages_of(o, PQ_DICTIONARY_PAGE, 0, 1);
	if (c->dict_pages)
		put_pages_of(o, data, 8, c->dict_pages);
	if (c->own_pages)
		put_pages_of(o, data, c->encoding, c->own_pages);
	pq_w_end(o);
	if (c->offset_index.n) {
		pq_w_i64(o, 4, (int64_t)c->offset_index_offset);
		pq_w_i32(o, 5, (int32_t)c->offset_index.n);
	}
	if (c->column_index.n) {
		pq_w_i64(o, 6, (int64_t)c->column_index_offset);
		pq_w_i32(o, 7, (int32_t)c->column_index.n);
	}
	pq_w_end(o);
}

/* The page indexes of all chunks: those of one kind together, so that a reader gets them in one piece. */
static int put_indexes(struct c4w_pq_writer *w, struct c4w_err *err)
{
	size_t i;

	for (i = 0; i < w->nchunks; i++) {
		w->chunks[i].column_index_offset = w->at;
		C4W_TRY(pq_w_emit(w, w->chunks[i].column_index.p, w->chunks[i].column_index.n, err));
	}
	for (i = 0; i < w->nchunks; i++) {
		w->chunks[i].offset_index_offset = w->at;
		C4W_TRY(pq_w_emit(w, w->chunks[i].offset_index.p, w->chunks[i].offset_index.n, err));
	}
	return C4W_OK;
}

int c4w_pq_writer_finish(struct c4w_pq_writer *w, struct c4w_err *err)
{
	struct pq_out o = { 0 };
	uint32_t length;
	size_t g, k;
	int rc;

	if (w->done || w->failed)
		return c4w_fail(err, C4W_USAGE, "the writer has finished or failed");
	w->done = true;
	if (w->at == 0)
		C4W_TRY(pq_w_emit(w, "PAR1", 4, err));
	C4W_TRY(put_indexes(w, err));
	pq_w_begin(&o);
	pq_w_i32(&o, 1, 2);
	c4w_buf_put(&o.b, w->schema.p, w->schema.n); /* field 2 */
	o.last[0] = 2;
	pq_w_i64(&o, 3, w->rows);
	pq_w_list(&o, 4, PQ_W_STRUCT, w->ngroups);
	for (g = 0; g < w->ngroups; g++) {
		const struct pq_wchunk *c = &w->chunks[g * w->pq.ncolumns];
		int64_t raw = 0, packed = 0;

		pq_w_begin(&o);
		pq_w_list(&o, 1, PQ_W_STRUCT, w->pq.ncolumns);
		for (k = 0; k < w->pq.ncolumns; k++) {
			put_chunk(&o, w, k, &c[k]);
			raw += c[k].uncompressed;
			packed += c[k].compressed;
		}
		pq_w_i64(&o, 2, raw);
		pq_w_i64(&o, 3, w->groups[g].rows);
		if (w->pq.ncolumns)
			pq_w_i64(&o, 5, c[0].has_dict ? c[0].dict_offset : c[0].data_offset);
		pq_w_i64(&o, 6, packed);
		pq_w_end(&o);
	}
	if (w->nmeta) {
		pq_w_list(&o, 5, PQ_W_STRUCT, w->nmeta);
		c4w_buf_put(&o.b, w->meta.b.p, w->meta.b.n);
	}
	pq_w_bytes(&o, 6, w->created_by, strlen(w->created_by));
	pq_w_list(&o, 7, PQ_W_STRUCT, w->pq.ncolumns);
	for (k = 0; k < w->pq.ncolumns; k++) {
		pq_w_begin(&o);
		pq_w_struct(&o, 1); /* TYPE_ORDER */
		pq_w_end(&o);
		pq_w_end(&o);
	}
	pq_w_end(&o);
	rc = c4w_buf_ok(&o.b, err);
	length = (uint32_t)o.b.n;
	if (rc == C4W_OK && o.b.n > C4W_LIMIT_PARQUET_FOOTER)
		rc = c4w_fail(err, C4W_LIMIT, "the footer would have %zu bytes", o.b.n);
	if (rc == C4W_OK)
		rc = pq_w_emit(w, o.b.p, o.b.n, err);
	if (rc == C4W_OK)
		rc = pq_w_emit(w, &length, 4, err);
	if (rc == C4W_OK)
		rc = pq_w_emit(w, "PAR1", 4, err);
	c4w_buf_clear(&o.b);
	return rc;
}
