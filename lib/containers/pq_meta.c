/* The footer: file, row groups, column chunks (parquet.thrift, FileMetaData). */
#include "containers/pq_impl.h"

#include "base/checked.h"
#include "base/limits.h"

#include <stdlib.h>
#include <string.h>

enum { TAIL_READ = 64 * 1024 };

const struct c4w_rule c4w_pq_rules[] = {
	{ "parquet.magic", "a Parquet file begins and ends with the bytes PAR1", "File format" },
	{ "parquet.footer-length", "the footer's length leaves room for the magic in front of it", "File format" },
	{ "parquet.thrift", "structures are well-formed Thrift compact data within the bytes that are there", "Metadata" },
	{ "parquet.footer-field", "required fields of the footer are present and hold values that the format knows", "Metadata" },
	{ "parquet.schema", "the schema is one tree whose nodes have the children, types and lengths they claim", "Schema" },
	{ "parquet.column-type", "a column has the type and nesting that its reader needs", "Schema" },
	{ "parquet.arrow-schema", "the metadata ARROW:schema is an Arrow schema in base64, its offsets within its bytes", "Metadata" },
	{ "parquet.row-count", "the row groups' rows sum up to the file's, and every column has its group's rows", "Row groups" },
	{ "parquet.chunk-meta", "a row group has one chunk for each leaf of the schema, of the leaf's type", "Column chunks" },
	{ "parquet.chunk-range", "a column chunk lies between the first magic and the footer", "Column chunks" },
	{ "parquet.chunk-overlap", "column chunks do not overlap", "Column chunks" },
	{ "parquet.value-count", "a chunk's pages hold as many values as the chunk claims", "Column chunks" },
	{ "parquet.page-header", "a page header is well-formed and has the fields of its page type", "Data pages" },
	{ "parquet.page-size", "a page lies within its chunk and decompresses to exactly the size it claims", "Data pages" },
	{ "parquet.page-crc", "a page's CRC-32 is that of its stored bytes", "Checksumming" },
	{ "parquet.codec-data", "compressed data is valid for its codec", "Compression" },
	{ "parquet.levels", "definition and repetition levels are well-formed, in range, and agree with each other", "Nested encoding" },
	{ "parquet.encoding-data", "encoded values are well-formed and as many as the page has", "Encodings" },
	{ "parquet.dictionary", "a dictionary page comes first, once, and every index points into it", "Encodings" },
	{ "parquet.statistics", "statistics agree with the data", "Metadata" },
	{ "parquet.page-counts", "the footer names the encodings of a chunk's pages, and counts them right", "Column chunks" },
	{ "parquet.page-rows", "the header of a page (v2) has its number of rows and nulls, and such a page begins with a row", "Data pages" },
	{ "parquet.offset-index", "the offset index names every data page of the chunk with its place, its size and its first row", "Page index" },
	{ "parquet.column-index", "the column index has for each page its nulls, bounds that hold its values, and the order it claims", "Page index" },
	{ "parquet.bloom-filter", "a Bloom filter is well-formed and holds every value of its chunk", "Bloom filter" },
	{ 0 },
};

/* A growing array of any struct; count and capacity in elements. */
static void *grow(struct pq_cur *c, void *p, size_t count, size_t *cap, size_t size)
{
	size_t fresh = *cap ? *cap * 2 : 16, bytes;
	void *q;

	if (count < *cap)
		return p;
	if (!c4w_mul_size(fresh, size, &bytes) || !(q = realloc(p, bytes))) {
		if (!c->bad) {
			c->bad = true;
			c->cls = c4w_fail_memory(c->err, fresh * size);
			c->p = c->end;
		}
		return p;
	}
	memset((char *)q + count * size, 0, (fresh - count) * size);
	*cap = fresh;
	return q;
}

static void read_statistics(struct pq_cur *c, struct pq_chunk_meta *m)
{
	struct pq_field f = { 0, 0 };

	if (!pq_struct_begin(c))
		return;
	m->min_exact = m->max_exact = true;
	while (pq_field_next(c, &f)) {
		switch (f.id) {
		case 1:
			m->old_max = pq_binary(c, &f);
			m->has_minmax_old[1] = true;
			break;
		case 2:
			m->old_min = pq_binary(c, &f);
			m->has_minmax_old[0] = true;
			break;
		case 3:
			m->nulls = pq_int(c, &f);
			m->has_nulls = true;
			break;
		case 4:
			m->distinct = pq_int(c, &f);
			m->has_distinct = true;
			break;
		case 5:
			m->max = pq_binary(c, &f);
			m->has_minmax_new[1] = true;
			break;
		case 6:
			m->min = pq_binary(c, &f);
			m->has_minmax_new[0] = true;
			break;
		case 7:
			m->max_exact = pq_bool(c, &f);
			break;
		case 8:
			m->min_exact = pq_bool(c, &f);
			break;
		default:
			pq_skip(c, f.wire);
		}
	}
}

static void read_column_meta(struct pq_cur *c, struct pq_chunk_meta *m)
{
	struct pq_field f = { 0, 0 };
	unsigned seen = 0;
	uint32_t n;
	uint8_t wire;

	if (!pq_struct_begin(c))
		return;
	m->has_meta = true;
	while (pq_field_next(c, &f)) {
		if (f.id > 0 && f.id < 32)
			seen |= 1U << f.id;
		switch (f.id) {
		case 1: {
			int32_t t = pq_int32(c, &f);

			if (t < 0 || t > C4W_PQ_FIXED)
				pq_bad(c, "parquet.footer-field", "physical type %d is not known", t);
			m->type = (uint8_t)t;
			break;
		}
		case 2:
			if (!pq_want(c, &f, PQ_W_LIST))
				break;
			for (n = pq_list(c, &wire); n > 0 && !c->bad; n--) {
				int64_t e = pq_varint_zz(c);

				if (e >= 0 && e < 32)
					m->encodings |= 1U << e;
			}
			break;
		case 4:
			m->codec = pq_int32(c, &f);
			break;
		case 5:
			m->values = pq_int(c, &f);
			break;
		case 6:
			m->uncompressed = pq_int(c, &f);
			break;
		case 7:
			m->compressed = pq_int(c, &f);
			break;
		case 9:
			m->data_offset = pq_int(c, &f);
			break;
		case 11:
			m->dict_offset = pq_int(c, &f);
			break;
		case 12:
			if (pq_want(c, &f, PQ_W_STRUCT))
				read_statistics(c, m);
			break;
		case 13: {
			const uint8_t *from = c->p;

			if (!pq_want(c, &f, PQ_W_LIST))
				break;
			pq_skip(c, f.wire);
			m->page_counts = (struct c4w_view){ (const char *)from, (size_t)(c->p - from) };
			break;
		}
		case 14:
			m->bloom_offset = pq_int(c, &f);
			break;
		case 15:
			m->bloom_bytes = pq_int32(c, &f);
			break;
		default:
			pq_skip(c, f.wire);
		}
	}
	/* type, codec, values, sizes, data_page_offset */
	if (!c->bad && (~seen & (1U << 1 | 1U << 4 | 1U << 5 | 1U << 6 | 1U << 7 | 1U << 9)))
		pq_bad(c, "parquet.footer-field", "column metadata lacks a required field (present: 0x%x)", seen);
	if (!c->bad && (m->values < 0 || m->compressed < 0 || m->uncompressed < 0))
		pq_bad(c, "parquet.footer-field", "column metadata has a negative size");
}

static void read_chunk(struct pq_cur *c, struct pq_chunk_meta *m)
{
	struct pq_field f = { 0, 0 };

	if (!pq_struct_begin(c))
		return;
	while (pq_field_next(c, &f)) {
		switch (f.id) {
		case 1:
			m->has_file_path = pq_binary(c, &f).n > 0;
			break;
		case 3:
			if (pq_want(c, &f, PQ_W_STRUCT))
				read_column_meta(c, m);
			break;
		case 4:
			m->offset_index_offset = pq_int(c, &f);
			break;
		case 5:
			m->offset_index_bytes = pq_int32(c, &f);
			break;
		case 6:
			m->column_index_offset = pq_int(c, &f);
			break;
		case 7:
			m->column_index_bytes = pq_int32(c, &f);
			break;
		case 8:
		case 9:
			m->is_encrypted = true;
			pq_skip(c, f.wire);
			break;
		default:
			pq_skip(c, f.wire);
		}
	}
}

static void read_group(struct c4w_pq *pq, struct pq_cur *c, struct pq_group *g, size_t *cap)
{
	struct pq_field f = { 0, 0 };
	uint32_t n, i;
	uint8_t wire;
	unsigned seen = 0;

	if (!pq_struct_begin(c))
		return;
	g->first_chunk = pq->nchunks;
	while (pq_field_next(c, &f)) {
		switch (f.id) {
		case 1:
			if (!pq_want(c, &f, PQ_W_LIST) || (seen & 1))
				break;
			seen |= 1;
			n = pq_list(c, &wire);
			if (wire != PQ_W_STRUCT && n > 0)
				pq_bad(c, "parquet.footer-field", "columns of a row group are not structures");
			for (i = 0; i < n && !c->bad; i++) {
				pq->chunks = grow(c, pq->chunks, pq->nchunks, cap, sizeof *pq->chunks);
				if (!c->bad)
					read_chunk(c, &pq->chunks[pq->nchunks++]);
			}
			break;
		case 2:
			g->bytes = pq_int(c, &f);
			break;
		case 3:
			g->rows = pq_int(c, &f);
			seen |= 2;
			break;
		default:
			pq_skip(c, f.wire);
		}
	}
	if (!c->bad && seen != 3)
		pq_bad(c, "parquet.footer-field", "a row group lacks its %s", seen & 1 ? "row count" : "columns");
	if (!c->bad && g->rows < 0)
		pq_bad(c, "parquet.row-count", "a row group claims %lld rows", (long long)g->rows);
}

static void read_key_values(struct c4w_pq *pq, struct pq_cur *c)
{
	uint8_t wire;
	uint32_t n = pq_list(c, &wire);
	size_t cap_k = 0, cap_v = 0;

	if (n > 0 && wire != PQ_W_STRUCT)
		pq_bad(c, "parquet.footer-field", "key-value metadata are not structures");
	for (; n > 0 && !c->bad; n--) {
		struct pq_field f = { 0, 0 };

		pq->keys = grow(c, pq->keys, pq->nmeta, &cap_k, sizeof *pq->keys);
		pq->vals = grow(c, pq->vals, pq->nmeta, &cap_v, sizeof *pq->vals);
		if (!pq_struct_begin(c))
			return;
		while (pq_field_next(c, &f)) {
			if (f.id == 1)
				pq->keys[pq->nmeta] = pq_binary(c, &f);
			else if (f.id == 2)
				pq->vals[pq->nmeta] = pq_binary(c, &f);
			else
				pq_skip(c, f.wire);
		}
		pq->nmeta++;
	}
}

/* TYPE_ORDER is the one order known here; others (IEEE 754 total order) leave the statistics unused. */
static void read_orders(struct c4w_pq *pq, struct pq_cur *c)
{
	uint8_t wire;
	uint32_t n = pq_list(c, &wire), i;

	if (n > 0 && wire != PQ_W_STRUCT)
		pq_bad(c, "parquet.footer-field", "column orders are not structures");
	for (i = 0; i < n && !c->bad; i++) {
		struct pq_field f = { 0, 0 };

		if (!pq_struct_begin(c))
			return;
		while (pq_field_next(c, &f)) {
			if (f.id == 1 && pq->orders && i < pq->ncolumns)
				pq->orders[i] = 1;
			pq_skip(c, f.wire);
		}
	}
}

static void encrypted(struct pq_cur *c)
{
	if (c->bad)
		return;
	c->bad = true;
	c->cls = c4w_fail(c->err, C4W_UNSUPPORTED, "the file is encrypted (Parquet modular encryption), which c4w does not read");
	c->p = c->end;
}

static void read_footer(struct c4w_pq *pq, struct pq_cur *c)
{
	struct pq_field f = { 0, 0 };
	size_t cap_groups = 0, cap_chunks = 0;
	unsigned seen = 0;
	uint32_t n, i;
	uint8_t wire;

	if (!pq_struct_begin(c))
		return;
	while (pq_field_next(c, &f)) {
		switch (f.id) {
		case 1:
			pq->version = pq_int32(c, &f);
			break;
		case 2:
			if (pq_want(c, &f, PQ_W_LIST) && !(seen & 1))
				pq_schema_read(pq, c);
			else
				pq_bad(c, "parquet.footer-field", "the schema is there twice");
			seen |= 1;
			break;
		case 3:
			pq->rows = pq_int(c, &f);
			seen |= 2;
			break;
		case 4:
			if (!pq_want(c, &f, PQ_W_LIST))
				break;
			seen |= 4;
			n = pq_list(c, &wire);
			if (n > 0 && wire != PQ_W_STRUCT)
				pq_bad(c, "parquet.footer-field", "row groups are not structures");
			for (i = 0; i < n && !c->bad; i++) {
				pq->groups = grow(c, pq->groups, pq->ngroups, &cap_groups, sizeof *pq->groups);
				if (!c->bad)
					read_group(pq, c, &pq->groups[pq->ngroups++], &cap_chunks);
			}
			break;
		case 5:
			if (pq_want(c, &f, PQ_W_LIST) && pq->nmeta == 0)
				read_key_values(pq, c);
			break;
		case 6:
			pq->created_by = pq_binary(c, &f);
			break;
		case 7:
			if (pq_want(c, &f, PQ_W_LIST))
				read_orders(pq, c);
			break;
		case 8:
			encrypted(c);
			break;
		default:
			pq_skip(c, f.wire);
		}
	}
	if (!c->bad && seen != 7)
		pq_bad(c, "parquet.footer-field", "the footer lacks its %s", !(seen & 1) ? "schema" : seen & 2 ? "row groups" : "row count");
}

/* What the parts say about each other. */
static int check(struct c4w_pq *pq, struct c4w_err *err)
{
	int64_t sum = 0;
	size_t g, k;

	for (g = 0; g < pq->ngroups; g++) {
		struct pq_group *gr = &pq->groups[g];
		size_t next = g + 1 < pq->ngroups ? pq->groups[g + 1].first_chunk : pq->nchunks;

		gr->first = sum;
		if (__builtin_add_overflow(sum, gr->rows, &sum))
			return c4w_damaged(err, "parquet.row-count", -1, "the row groups' rows exceed 64 bits");
		if (next - gr->first_chunk != pq->ncolumns) {
			c4w_damaged(err, "parquet.chunk-meta", -1, "row group %zu has a wrong number of columns", g);
			return c4w_err_valuesf(err, "as many as the schema has leaves", "%zu, not %u", next - gr->first_chunk, pq->ncolumns);
		}
		for (k = 0; k < pq->ncolumns; k++) {
			const struct pq_chunk_meta *m = pq_chunk_at(pq, g, k);
			const struct c4w_pq_node *leaf = c4w_pq_leaf(pq, k);
			char path[160];

			if (m->is_encrypted)
				return c4w_fail(err, C4W_UNSUPPORTED, "column '%s' is encrypted (Parquet modular encryption), which c4w does not read",
						c4w_pq_path(pq, k, path, sizeof path));
			if (!m->has_meta)
				return c4w_damaged(err, "parquet.chunk-meta", -1, "row group %zu, column '%s' has no metadata", g,
						   c4w_pq_path(pq, k, path, sizeof path));
			if (m->type != (uint8_t)leaf->type) {
				c4w_damaged(err, "parquet.chunk-meta", -1, "row group %zu, column '%s' has another type than the schema", g,
					    c4w_pq_path(pq, k, path, sizeof path));
				return c4w_err_values(err, c4w_pq_type_name(leaf->type), c4w_pq_type_name((enum c4w_pq_type)m->type));
			}
			if (leaf->max_rep == 0 && m->values != gr->rows) {
				c4w_damaged(err, "parquet.row-count", -1, "row group %zu, column '%s' has another number of values than rows", g,
					    c4w_pq_path(pq, k, path, sizeof path));
				return c4w_err_valuesf(err, "as many as the row group has rows", "%lld, not %lld", (long long)m->values,
						       (long long)gr->rows);
			}
		}
	}
	if (sum != pq->rows) {
		c4w_damaged(err, "parquet.row-count", -1, "the row groups' rows do not sum up to the file's");
		return c4w_err_valuesf(err, "the file's row count", "%lld in %zu row groups, not %lld", (long long)sum, pq->ngroups,
				       (long long)pq->rows);
	}
	return C4W_OK;
}

/* "parquet-mr version 1.2.8": before 1.2.9 the chunk's size leaves the dictionary page's header out (PARQUET-816). */
static bool writes_old_sizes(struct c4w_view by)
{
	static const char name[] = "parquet-mr version 1.";
	size_t n = sizeof name - 1;

	if (c4w_view_eqz(by, "parquet-mr")) /* before it said which version */
		return true;
	return by.n > n + 1 && memcmp(by.p, name, n) == 0 && by.p[n] >= '0' && by.p[n] <= '2' && by.p[n + 1] == '.';
}

static int load_footer(struct c4w_pq *pq, struct c4w_err *err)
{
	uint64_t size = c4w_blob_size(pq->blob);
	uint8_t head[4];
	size_t tail_bytes = size < TAIL_READ ? (size_t)size : TAIL_READ;
	uint8_t *tail = NULL;
	uint32_t claimed;
	int rc;

	if (size < 12) {
		c4w_damaged(err, "parquet.magic", 0, "a Parquet file has at least 12 bytes, this one has %llu", (unsigned long long)size);
		return C4W_DAMAGED;
	}
	tail = malloc(tail_bytes + 64);
	if (!tail)
		return c4w_fail_memory(err, tail_bytes);
	rc = c4w_blob_read_at(pq->blob, size - tail_bytes, tail_bytes, tail, err);
	if (rc == C4W_OK && tail_bytes == size)
		memcpy(head, tail, 4);
	if (rc != C4W_OK)
		goto out;
	if (memcmp(tail + tail_bytes - 4, "PARE", 4) == 0) {
		rc = c4w_fail(err, C4W_UNSUPPORTED, "the file has an encrypted footer (Parquet modular encryption), which c4w does not read");
		goto out;
	}
	if (memcmp(tail + tail_bytes - 4, "PAR1", 4) != 0) {
		rc = c4w_damaged(err, "parquet.magic", (int64_t)(size - 4), "the file of %llu bytes does not end with PAR1: cut, or not Parquet",
				 (unsigned long long)size);
		goto out;
	}
	claimed = c4w_le32(tail + tail_bytes - 8);
	if (claimed > size - 12) {
		rc = c4w_damaged(err, "parquet.footer-length", (int64_t)(size - 8),
				 "the footer claims %u bytes, which would begin at byte %lld of a file of %llu", claimed,
				 (long long)size - 8 - (long long)claimed, (unsigned long long)size);
		goto out;
	}
	if (claimed > C4W_LIMIT_PARQUET_FOOTER) {
		rc = c4w_fail(err, C4W_LIMIT, "the footer has %u bytes, more than the limit of %llu", claimed,
			      (unsigned long long)C4W_LIMIT_PARQUET_FOOTER);
		goto out;
	}
	pq->footer_bytes = claimed;
	pq->pages_end = size - 8 - claimed;
	pq->footer = malloc((size_t)claimed + 64);
	if (!pq->footer) {
		rc = c4w_fail_memory(err, claimed);
		goto out;
	}
	if ((size_t)claimed + 8 <= tail_bytes)
		memcpy(pq->footer, tail + tail_bytes - 8 - claimed, claimed);
	else
		rc = c4w_blob_read_at(pq->blob, pq->pages_end, claimed, pq->footer, err);
	if (rc == C4W_OK && tail_bytes < size)
		rc = c4w_blob_read_at(pq->blob, 0, 4, head, err);
	if (rc == C4W_OK && memcmp(head, "PAR1", 4) != 0)
		rc = c4w_damaged(err, "parquet.magic", 0, "the file ends with PAR1, but does not begin with it");
out:
	free(tail);
	return rc;
}

int c4w_pq_open(struct c4w_blob *blob, struct c4w_pq **out, struct c4w_err *err)
{
	struct c4w_pq *pq = calloc(1, sizeof *pq);
	struct c4w_err local;
	struct pq_cur c;
	int rc;

	*out = NULL;
	if (!err)
		err = &local;
	if (!pq)
		return c4w_fail_memory(err, sizeof *pq);
	pq->blob = c4w_blob_ref(blob);
	rc = load_footer(pq, err);
	if (rc == C4W_OK) {
		pq_cur_init(&c, pq->footer, pq->footer_bytes, pq->pages_end, err);
		read_footer(pq, &c);
		rc = c.bad ? c.cls : C4W_OK;
	}
	if (rc == C4W_OK)
		rc = check(pq, err);
	if (rc != C4W_OK) {
		c4w_err_path(err, c4w_blob_name(blob));
		c4w_pq_close(pq);
		return rc;
	}
	pq->old_sizes = writes_old_sizes(pq->created_by);
	*out = pq;
	return C4W_OK;
}

void c4w_pq_close(struct c4w_pq *pq)
{
	if (!pq)
		return;
	c4w_blob_close(pq->blob);
	free(pq->footer);
	free(pq->nodes);
	free(pq->leaves);
	free(pq->orders);
	free(pq->groups);
	free(pq->chunks);
	free(pq->keys);
	free(pq->vals);
	free(pq);
}

bool c4w_pq_probe(struct c4w_blob *blob)
{
	uint8_t m[4];

	return c4w_blob_size(blob) >= 12 && c4w_blob_read_at(blob, 0, 4, m, NULL) == C4W_OK &&
	       (memcmp(m, "PAR1", 4) == 0 || memcmp(m, "PARE", 4) == 0);
}

int pq_chunk_range(const struct c4w_pq *pq, size_t group, size_t column, uint64_t *begin, uint64_t *end, struct c4w_err *err)
{
	const struct pq_chunk_meta *m = pq_chunk_at(pq, group, column);
	int64_t at = m->data_offset;

	/* some writers leave 0 where there is no dictionary, or point to the data page */
	if (m->dict_offset > 0 && m->dict_offset < at)
		at = m->dict_offset;
	*begin = *end = 0;
	if (m->has_file_path)
		return c4w_fail(err, C4W_UNSUPPORTED, "the column's data is in another file");
	if (m->values == 0) /* no pages; writers leave the offsets as they like */
		return C4W_OK;
	if (at < 4 || !c4w_within((uint64_t)at, (uint64_t)m->compressed, pq->pages_end)) {
		c4w_damaged(err, "parquet.chunk-range", -1, "the column chunk lies outside the file's pages");
		return c4w_err_valuesf(err, "within the bytes before the footer", "%lld bytes at %lld, and the footer begins at %llu",
				       (long long)m->compressed, (long long)at, (unsigned long long)pq->pages_end);
	}
	*begin = (uint64_t)at;
	*end = (uint64_t)at + (uint64_t)m->compressed;
	if (pq->old_sizes)
		*end = pq->pages_end - *end < 100 ? pq->pages_end : *end + 100;
	return C4W_OK;
}

struct c4w_blob *c4w_pq_blob(const struct c4w_pq *pq)
{
	return pq->blob;
}

int64_t c4w_pq_rows(const struct c4w_pq *pq)
{
	return pq->rows;
}

size_t c4w_pq_groups(const struct c4w_pq *pq)
{
	return pq->ngroups;
}

size_t c4w_pq_columns(const struct c4w_pq *pq)
{
	return pq->ncolumns;
}

int32_t c4w_pq_version(const struct c4w_pq *pq)
{
	return pq->version;
}

uint32_t c4w_pq_footer_bytes(const struct c4w_pq *pq)
{
	return pq->footer_bytes;
}

struct c4w_view c4w_pq_created_by(const struct c4w_pq *pq)
{
	return pq->created_by;
}

size_t c4w_pq_meta_count(const struct c4w_pq *pq)
{
	return pq->nmeta;
}

struct c4w_view c4w_pq_meta_key(const struct c4w_pq *pq, size_t i)
{
	return pq->keys[i];
}

struct c4w_view c4w_pq_meta_value(const struct c4w_pq *pq, size_t i)
{
	return pq->vals[i];
}

bool c4w_pq_meta_find(const struct c4w_pq *pq, const char *key, struct c4w_view *value)
{
	size_t i;

	for (i = 0; i < pq->nmeta; i++)
		if (c4w_view_eqz(pq->keys[i], key)) {
			*value = pq->vals[i];
			return true;
		}
	return false;
}

int64_t c4w_pq_group_rows(const struct c4w_pq *pq, size_t group)
{
	return pq->groups[group].rows;
}

int64_t c4w_pq_group_first(const struct c4w_pq *pq, size_t group)
{
	return pq->groups[group].first;
}

int64_t c4w_pq_group_bytes(const struct c4w_pq *pq, size_t group)
{
	return pq->groups[group].bytes;
}

void c4w_pq_prefetch(const struct c4w_pq *pq, size_t group, const size_t *columns, size_t ncolumns)
{
	struct c4w_range r[64];
	size_t i, n = 0;

	for (i = 0; i < ncolumns; i++) {
		uint64_t begin, end;

		if (pq_chunk_range(pq, group, columns[i], &begin, &end, NULL) == C4W_OK && begin < end)
			r[n++] = (struct c4w_range){ begin, end - begin };
		if (n == sizeof r / sizeof *r || (i + 1 == ncolumns && n > 0)) {
			c4w_blob_prefetch(pq->blob, r, n);
			n = 0;
		}
	}
}

uint64_t c4w_pq_cost(const struct c4w_pq *pq, size_t group, size_t column)
{
	const struct pq_chunk_meta *m = pq_chunk_at(pq, group, column);
	uint64_t values = (uint64_t)m->values * 9, raw = (uint64_t)m->uncompressed;

	return (raw > values ? raw : values) + C4W_MIB;
}
