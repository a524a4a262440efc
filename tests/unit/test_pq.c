/* The Parquet reader and writer together: what is written is read back; known bugs 16 to 24; statistics, slices, faults of the store. */
#include "pq_make.h"

#include "base/dl.h"
#include "model/pq_rows.h"

#include <math.h>

static int text_to_buf(void *ctx, const char *p, size_t n, struct c4w_err *err)
{
	return to_buf(ctx, p, n, err);
}

/* All rows of the file as text, or the error. */
static const char *rows_of(const struct c4w_buf *file, enum c4w_rows_format format, int64_t first, int64_t last)
{
	static struct c4w_buf text;
	struct c4w_pq_rows_opts o = { .format = format, .first = first, .last = last };
	struct c4w_pq *pq;
	struct c4w_err err;
	int rc;

	c4w_buf_reset(&text);
	c4w_buf_puts(&text, "");
	rc = open_bytes(file->p, file->n, &pq, &err);
	if (rc == C4W_OK) {
		rc = c4w_pq_rows_print(pq, &o, NULL, text_to_buf, &text, &err);
		c4w_pq_close(pq);
	}
	if (rc != C4W_OK)
		c4w_buf_puts(&text, err.message);
	return text.p ? text.p : "";
}

/* ---- a table with lists: [[1,2], [], null, [null], [3]] ---- */

static const int32_t list_offsets[] = { 0, 2, 2, 2, 3, 4 }, list_values[] = { 1, 2, 0, 3 };
static const uint8_t list_valid[] = { 0x1b }, element_valid[] = { 0x0b };
static const struct c4w_batch_list list_level = { 5, list_offsets, list_valid, 1 };
static const struct c4w_batch list_batch = { .phys = C4W_PHYS_INT32, .width = 4, .rows = 5, .n = 4, .nulls = 1, .validity = element_valid,
					     .values = list_values, .nlists = 1, .lists = &list_level };

static uint32_t list_schema(struct c4w_pq_node *v)
{
	v[0] = group("schema", 1, C4W_PQ_L_NONE, C4W_PQ_REQUIRED);
	v[1] = group("x", 1, C4W_PQ_L_LIST, C4W_PQ_OPTIONAL);
	v[2] = group("list", 1, C4W_PQ_L_NONE, C4W_PQ_REPEATED);
	v[3] = leaf("element", C4W_PQ_INT32, C4W_PQ_L_NONE, C4W_PQ_OPTIONAL);
	return 4;
}

static void test_bug19_lists(void)
{
	static const char want[] = "{\"x\": [1, 2]}\n{\"x\": []}\n{\"x\": null}\n{\"x\": [null]}\n{\"x\": [3]}\n";
	struct c4w_pq_node nodes[4];
	uint32_t n = list_schema(nodes);
	struct c4w_buf file = { 0 };
	struct c4w_err err;
	const char *rule;
	int v, page;

	for (v = 1; v <= 2; v++)
		for (page = 0; page < 2; page++) {
			struct c4w_pq_write_opts o = { .page_version = v, .page_bytes = page ? 1 : 0, .no_dictionary = page };

			is_int(write_file(&file, nodes, n, &o, 5, &list_batch, &err), C4W_OK);
			is_str(rows_of(&file, C4W_ROWS_JSONL, 0, -1), want);
			is_str(rows_of(&file, C4W_ROWS_JSONL, 1, 4), "{\"x\": []}\n{\"x\": null}\n{\"x\": [null]}\n");
			is_int(findings_of(&file, &rule), 0);
		}
	is_str(rows_of(&file, C4W_ROWS_CSV, 0, -1), "x\n\"[1, 2]\"\n[]\n\n[null]\n[3]\n");
	c4w_buf_clear(&file);
}

/* The same inside a struct that may be null, and twice: [[[1,2],[]], null, [null,[3]], []]. */
static void test_bug19_nested(void)
{
	static const int32_t outer[] = { 0, 2, 2, 4, 4 }, inner[] = { 0, 2, 2, 2, 3 }, values[] = { 1, 2, 3 };
	static const uint8_t outer_valid[] = { 0x0d }, inner_valid[] = { 0x0b }, struct_valid[] = { 0x0f };
	struct c4w_batch_list lists[2] = { { 4, outer, outer_valid, 1 }, { 4, inner, inner_valid, 1 } };
	struct c4w_batch_struct st = { 4, 0, struct_valid };
	struct c4w_batch b = { .phys = C4W_PHYS_INT32, .width = 4, .rows = 4, .n = 3, .values = values, .nlists = 2, .lists = lists, .nstructs = 1,
			       .structs = &st };
	struct c4w_pq_node nodes[7];
	struct c4w_buf file = { 0 };
	struct c4w_err err;

	nodes[0] = group("schema", 1, C4W_PQ_L_NONE, C4W_PQ_REQUIRED);
	nodes[1] = group("s", 1, C4W_PQ_L_NONE, C4W_PQ_OPTIONAL);
	nodes[2] = group("x", 1, C4W_PQ_L_LIST, C4W_PQ_OPTIONAL);
	nodes[3] = group("list", 1, C4W_PQ_L_NONE, C4W_PQ_REPEATED);
	nodes[4] = group("element", 1, C4W_PQ_L_LIST, C4W_PQ_OPTIONAL);
	nodes[5] = group("list", 1, C4W_PQ_L_NONE, C4W_PQ_REPEATED);
	nodes[6] = leaf("element", C4W_PQ_INT32, C4W_PQ_L_NONE, C4W_PQ_REQUIRED);
	is_int(write_file(&file, nodes, 7, NULL, 4, &b, &err), C4W_OK);
	is_str(rows_of(&file, C4W_ROWS_JSONL, 0, -1),
	       "{\"s\": {\"x\": [[1, 2], []]}}\n{\"s\": {\"x\": null}}\n{\"s\": {\"x\": [null, [3]]}}\n{\"s\": {\"x\": []}}\n");
	st.validity = (const uint8_t *)"\x0d";
	is_int(write_file(&file, nodes, 7, NULL, 4, &b, &err), C4W_OK);
	is_str(rows_of(&file, C4W_ROWS_JSONL, 1, 2), "{\"s\": null}\n");
	c4w_buf_clear(&file);
}

/* Replace every `from` within [at, end) by `to`, of the same length. */
static size_t patch(struct c4w_buf *b, size_t at, size_t end, const char *from, const char *to, size_t n)
{
	size_t hits = 0;

	for (; at + n <= end; at++)
		if (memcmp(b->p + at, from, n) == 0) {
			memcpy(b->p + at, to, n);
			hits++;
		}
	return hits;
}

/* A list that goes on in the next page (v1). Two rows in two pages become one: the second page's first repetition level is made 1, and the row
 * counts of file and row group too. */
static void test_bug19_page_border(void)
{
	static const int32_t offsets[] = { 0, 2, 4 }, values[] = { 1, 2, 3, 4 };
	static const struct c4w_batch_list level = { 2, offsets, NULL, 0 };
	struct c4w_batch b = { .phys = C4W_PHYS_INT32, .width = 4, .rows = 2, .n = 4, .values = values, .nlists = 1, .lists = &level };
	struct c4w_pq_write_opts o = { .page_bytes = 1, .no_dictionary = true, .no_crc = true, .no_statistics = true, .no_page_index = true };
	struct c4w_pq_node nodes[4];
	uint32_t n = list_schema(nodes), length;
	struct c4w_buf file = { 0 };
	struct c4w_err err;
	size_t footer, hits = 0, at;
	const char *rule;

	is_int(write_file(&file, nodes, n, &o, 2, &b, &err), C4W_OK);
	is_str(rows_of(&file, C4W_ROWS_JSONL, 0, -1), "{\"x\": [1, 2]}\n{\"x\": [3, 4]}\n");
	memcpy(&length, file.p + file.n - 8, 4);
	footer = file.n - 8 - length;
	for (at = footer; at-- > 0 && hits == 0;)
		hits = patch(&file, at, at + 6, "\2\0\0\0\3\2", "\2\0\0\0\3\3", 6);
	is_int(hits, 1);
	ok(findings_of(&file, &rule) == 1, "the rows are one fewer now");
	is_str(rule, "parquet.row-count");
	is_int(patch(&file, footer, file.n, "\x16\4", "\x16\2", 2), 2);
	is_str(rows_of(&file, C4W_ROWS_JSONL, 0, -1), "{\"x\": [1, 2, 3, 4]}\n");
	is_int(findings_of(&file, &rule), 0);
	c4w_buf_clear(&file);
}

/* ---- flat tables ---- */

enum { ROWS = 3000 };
static int64_t ids[ROWS];
static double numbers[ROWS];
static int32_t small[ROWS];
static uint8_t flags[ROWS], some[ROWS / 8 + 8];
static int64_t ends[ROWS + 1];
static uint8_t bytes[ROWS * 12];

static struct c4w_pq_node flat_nodes[7];
static struct c4w_batch flat[5];

static void flat_table(void)
{
	size_t i, nulls = 0, at = 0;

	memset(some, 0, sizeof some);
	for (i = 0; i < ROWS; i++) {
		bool there = i % 7 != 3;

		ids[i] = (int64_t)i * 1000003 - 5;
		numbers[i] = sqrt((double)i) - 3;
		small[i] = there ? (int32_t)(i % 11) - 5 : 0;
		flags[i] = i % 3 == 0;
		if (there)
			some[i / 8] = (uint8_t)(some[i / 8] | 1U << (i % 8));
		nulls += !there;
		if (there)
			at += (size_t)sprintf((char *)bytes + at, "name %zu", i % 100);
		ends[i + 1] = (int64_t)at;
	}
	flat_nodes[0] = group("schema", 5, C4W_PQ_L_NONE, C4W_PQ_REQUIRED);
	flat_nodes[1] = leaf("id", C4W_PQ_INT64, C4W_PQ_L_NONE, C4W_PQ_REQUIRED);
	flat_nodes[2] = leaf("number", C4W_PQ_DOUBLE, C4W_PQ_L_NONE, C4W_PQ_REQUIRED);
	flat_nodes[3] = leaf("small", C4W_PQ_INT32, C4W_PQ_L_NONE, C4W_PQ_OPTIONAL);
	flat_nodes[4] = leaf("flag", C4W_PQ_BOOLEAN, C4W_PQ_L_NONE, C4W_PQ_REQUIRED);
	flat_nodes[5] = leaf("text", C4W_PQ_BYTE_ARRAY, C4W_PQ_L_STRING, C4W_PQ_OPTIONAL);
	flat[0] = (struct c4w_batch){ .phys = C4W_PHYS_INT64, .width = 8, .rows = ROWS, .n = ROWS, .values = ids };
	flat[1] = (struct c4w_batch){ .phys = C4W_PHYS_DOUBLE, .width = 8, .rows = ROWS, .n = ROWS, .values = numbers };
	flat[2] = (struct c4w_batch){ .phys = C4W_PHYS_INT32, .width = 4, .rows = ROWS, .n = ROWS, .nulls = nulls, .validity = some, .values = small };
	flat[3] = (struct c4w_batch){ .phys = C4W_PHYS_BOOL, .width = 1, .rows = ROWS, .n = ROWS, .values = flags };
	flat[4] = (struct c4w_batch){ .phys = C4W_PHYS_BYTES, .rows = ROWS, .n = ROWS, .nulls = nulls, .validity = some, .offsets = ends, .bytes = bytes };
}

/* Does rows [first, first+count) of column k, read in whatever form, say what the table says? */
static bool same_column(const struct c4w_batch *b, size_t k, size_t first, size_t count)
{
	size_t i, n;

	if (b->n != count || b->rows != count)
		return false;
	for (i = 0; i < count; i++) {
		size_t j = first + i, v = b->indices ? b->indices[i] : i;
		const struct c4w_batch *from = b->indices ? b->dict : b;
		bool there = k != 2 && k != 4 ? true : some[j / 8] >> (j % 8) & 1;

		if (c4w_batch_valid(b, i) != there)
			return false;
		if (!there)
			continue;
		if (k == 0 && ((const int64_t *)from->values)[v] != ids[j])
			return false;
		if (k == 1 && memcmp((const double *)from->values + v, &numbers[j], 8) != 0)
			return false;
		if (k == 2 && ((const int32_t *)from->values)[v] != small[j])
			return false;
		if (k == 3 && ((const uint8_t *)from->values)[v] != flags[j])
			return false;
		if (k == 4) {
			const uint8_t *p = c4w_batch_bytes(b, i, &n);

			if (n != (size_t)(ends[j + 1] - ends[j]) || memcmp(p, bytes + ends[j], n) != 0)
				return false;
		}
	}
	return true;
}

static bool codec_here(int codec)
{
	return codec == 1 ? c4w_dl_present(C4W_DL_SNAPPY)
	       : codec == 7 ? c4w_dl_present(C4W_DL_LZ4)
	       : codec == 4 ? c4w_dl_present(C4W_DL_BROTLIENC) && c4w_dl_present(C4W_DL_BROTLIDEC) : true;
}

/* Known bugs 16 (pages v2, is_compressed) and 24 (codecs): every codec, both page versions, dictionary or not, small and large pages. */
static void test_bug16_bug24_codecs(void)
{
	static const int codecs[] = { 0, 1, 2, 4, 6, 7 };
	static const uint8_t encodings[5] = { 5, 9, 5, 0, 6 };
	struct c4w_buf file = { 0 };
	struct c4w_arena arena = { 0 };
	struct c4w_err err;
	unsigned c, f;
	size_t k;

	flat_table();
	for (c = 0; c < sizeof codecs / sizeof *codecs; c++) {
		for (f = 0; f < 16; f++) {
			struct c4w_pq_write_opts o = { .codec = codecs[c], .page_version = f & 1 ? 2 : 1, .no_dictionary = f & 2, .page_bytes = f & 4 ? 300 : 0,
						       .group_rows = 1024, .encodings = f & 8 ? encodings : NULL };
			struct c4w_pq *pq;
			struct c4w_batch b;
			const char *rule;
			size_t good = 0, g;

			if (!codec_here(codecs[c]))
				continue;
			is_int(write_file(&file, flat_nodes, 6, &o, ROWS, flat, &err), C4W_OK);
			is_int(open_bytes(file.p, file.n, &pq, &err), C4W_OK);
			is_int(c4w_pq_groups(pq), 3);
			for (k = 0; k < 5; k++) {
				struct c4w_pq_opts ro = { .keep_dict = true }, part = { .first = 100, .count = 333 };

				for (g = 0; g < 3; g++) {
					size_t n = (size_t)c4w_pq_group_rows(pq, g), at = (size_t)c4w_pq_group_first(pq, g);

					good += c4w_pq_read(pq, g, k, NULL, NULL, &arena, &b, &err) == C4W_OK && same_column(&b, k, at, n);
					good += c4w_pq_read(pq, g, k, &ro, NULL, &arena, &b, &err) == C4W_OK && same_column(&b, k, at, n);
					good += c4w_pq_read(pq, g, k, &part, NULL, &arena, &b, &err) == C4W_OK && same_column(&b, k, at + 100, 333);
				}
				good += c4w_pq_read_all(pq, k, NULL, &arena, &b, &err) == C4W_OK && same_column(&b, k, 0, ROWS);
				c4w_arena_reset(&arena);
			}
			is_int(good, 5 * 10);
			c4w_pq_close(pq);
			is_int(findings_of(&file, &rule), 0);
		}
	}
	c4w_arena_clear(&arena);
	c4w_buf_clear(&file);
}

/* A page of nulls has no value bytes; a column of nulls no dictionary. */
static void test_bug16_all_null(void)
{
	static const uint8_t none[2] = { 0 };
	static const int64_t offsets[11] = { 0 };
	struct c4w_batch b = { .phys = C4W_PHYS_BYTES, .rows = 10, .n = 10, .nulls = 10, .validity = none, .offsets = offsets, .bytes = none };
	struct c4w_pq_node nodes[2] = { group("schema", 1, C4W_PQ_L_NONE, C4W_PQ_REQUIRED), leaf("x", C4W_PQ_BYTE_ARRAY, C4W_PQ_L_STRING, C4W_PQ_OPTIONAL) };
	struct c4w_buf file = { 0 };
	struct c4w_arena arena = { 0 };
	struct c4w_err err;
	int v, codec;

	for (v = 1; v <= 2; v++)
		for (codec = 0; codec <= 6; codec += 6) {
			struct c4w_pq_write_opts o = { .page_version = v, .codec = codec };
			struct c4w_pq_opts ro = { .keep_dict = true };
			struct c4w_pq *pq;
			struct c4w_batch got;

			is_int(write_file(&file, nodes, 2, &o, 10, &b, &err), C4W_OK);
			is_int(open_bytes(file.p, file.n, &pq, &err), C4W_OK);
			is_int(c4w_pq_read(pq, 0, 0, &ro, NULL, &arena, &got, &err), C4W_OK);
			is_int(got.nulls, 10);
			ok(!c4w_pq_may_hold_bytes(pq, 0, 0, C4W_VIEW("a")), "nothing but nulls");
			c4w_pq_close(pq);
		}
	c4w_arena_clear(&arena);
	c4w_buf_clear(&file);
}

static void test_bug18_stream_split(void)
{
	static const unsigned widths[] = { 2, 3, 7, 16 };
	static uint8_t values[16 * 500];
	struct c4w_buf file = { 0 };
	struct c4w_arena arena = { 0 };
	struct c4w_err err;
	unsigned k, i;

	flat_table();
	for (i = 0; i < sizeof values; i++)
		values[i] = (uint8_t)(i * 167 + i / 256);
	for (k = 0; k < 4; k++) {
		struct c4w_pq_node nodes[2] = { group("schema", 1, C4W_PQ_L_NONE, C4W_PQ_REQUIRED), leaf("x", C4W_PQ_FIXED, C4W_PQ_L_NONE, C4W_PQ_OPTIONAL) };
		size_t nulls = 500 - c4w_bits_count(some, 500), good = 0;
		struct c4w_batch b = { .phys = C4W_PHYS_FIXED, .width = widths[k], .rows = 500, .n = 500, .nulls = nulls, .validity = some, .values = values };
		struct c4w_pq_write_opts o = { .no_dictionary = true, .page_bytes = 64, .encodings = (const uint8_t *)"\x09" };
		struct c4w_batch got;
		struct c4w_pq *pq;

		nodes[1].type_length = (int32_t)widths[k];
		is_int(write_file(&file, nodes, 2, &o, 500, &b, &err), C4W_OK);
		is_int(open_bytes(file.p, file.n, &pq, &err), C4W_OK);
		is_int(c4w_pq_read(pq, 0, 0, NULL, NULL, &arena, &got, &err), C4W_OK);
		for (i = 0; i < 500 && got.n == 500; i++)
			good += c4w_batch_valid(&got, i) == c4w_bit(some, i) &&
				(!c4w_bit(some, i) || memcmp((const uint8_t *)got.values + i * widths[k], values + i * widths[k], widths[k]) == 0);
		is_int(good, 500);
		c4w_pq_close(pq);
	}
	c4w_arena_clear(&arena);
	c4w_buf_clear(&file);
}

static void test_bug21_no_rows(void)
{
	struct c4w_pq_node nodes[2] = { group("schema", 1, C4W_PQ_L_NONE, C4W_PQ_REQUIRED), leaf("x", C4W_PQ_BYTE_ARRAY, C4W_PQ_L_STRING, C4W_PQ_OPTIONAL) };
	struct c4w_pq_node none[1] = { group("schema", 0, C4W_PQ_L_NONE, C4W_PQ_REQUIRED) };
	struct c4w_buf file = { 0 };
	struct c4w_arena arena = { 0 };
	struct c4w_batch b;
	struct c4w_pq *pq;
	struct c4w_err err;
	const char *rule;

	is_int(write_file(&file, nodes, 2, NULL, 0, NULL, &err), C4W_OK);
	is_str(rows_of(&file, C4W_ROWS_JSONL, 0, -1), "");
	is_str(rows_of(&file, C4W_ROWS_CSV, 0, -1), "x\n");
	is_int(findings_of(&file, &rule), 0);
	is_int(open_bytes(file.p, file.n, &pq, &err), C4W_OK);
	is_int(c4w_pq_groups(pq), 0);
	is_int(c4w_pq_read_all(pq, 0, NULL, &arena, &b, &err), C4W_OK);
	is_int(b.n, 0);
	ok(b.offsets != NULL && b.offsets[0] == 0, "an empty batch has its one offset");
	c4w_pq_close(pq);
	is_int(write_file(&file, none, 1, NULL, 0, NULL, &err), C4W_OK);
	is_str(rows_of(&file, C4W_ROWS_JSONL, 0, -1), "");
	is_int(open_bytes(file.p, file.n, &pq, &err), C4W_OK);
	is_int(c4w_pq_columns(pq), 0);
	c4w_pq_close(pq);
	c4w_arena_clear(&arena);
	c4w_buf_clear(&file);
}

/* ---- hostile footers ---- */

static void framed(struct c4w_buf *file, const void *footer, size_t n, const char *end)
{
	uint32_t length = (uint32_t)n;

	c4w_buf_reset(file);
	c4w_buf_puts(file, "PAR1");
	c4w_buf_put(file, footer, n);
	c4w_buf_put(file, &length, 4);
	c4w_buf_puts(file, end);
}

static void refused(const struct c4w_buf *file, int cls, const char *rule)
{
	struct c4w_pq *pq = NULL;
	struct c4w_err err;
	int rc = open_bytes(file->p, file->n, &pq, &err);

	is_int(rc, cls);
	ok(pq == NULL, "nothing is opened");
	if (rule)
		is_str(rc == C4W_DAMAGED && err.rule ? err.rule : "", rule);
}

static void test_bug22_footer(void)
{
	/* version 1, schema: a list of 268,435,455 structs */
	static const char huge_list[] = "\x15\x02\x19\xfc\xff\xff\xff\x7f";
	/* version 1, schema of one element whose name claims 200 bytes */
	static const char long_string[] = "\x15\x02\x19\x1c\x48\xc8\x01" "abc";
	struct c4w_buf file = { 0 }, good = { 0 };
	char deep[20000];
	struct c4w_err err;
	struct c4w_pq *pq;
	size_t i, opened = 0;

	framed(&file, huge_list, sizeof huge_list - 1, "PAR1");
	refused(&file, C4W_DAMAGED, "parquet.thrift");
	framed(&file, long_string, sizeof long_string - 1, "PAR1");
	refused(&file, C4W_DAMAGED, "parquet.thrift");
	/* an unknown field, structs in structs ten thousand deep */
	memset(deep, '\x1c', sizeof deep);
	deep[0] = (char)0xfc;
	framed(&file, deep, 10000, "PAR1");
	refused(&file, C4W_LIMIT, NULL);
	memset(deep, '\x19', sizeof deep); /* lists in lists */
	deep[0] = (char)0xf9;
	framed(&file, deep, 10000, "PAR1");
	refused(&file, C4W_LIMIT, NULL);
	framed(&file, "", 0, "PAR1");
	refused(&file, C4W_DAMAGED, "parquet.thrift");
	c4w_buf_reset(&file);
	c4w_buf_put(&file, "PAR1\xff\xff\xff\x7f" "PAR1", 12);
	refused(&file, C4W_DAMAGED, "parquet.footer-length");
	c4w_buf_reset(&file);
	c4w_buf_puts(&file, "PAR1");
	refused(&file, C4W_DAMAGED, "parquet.magic");
	/* cut after the last page, and at every other place */
	flat_table();
	is_int(write_file(&good, flat_nodes, 6, NULL, 50, (struct c4w_batch[]){ { .phys = C4W_PHYS_INT64, .width = 8, .rows = 50, .n = 50, .values = ids },
										 { .phys = C4W_PHYS_DOUBLE, .width = 8, .rows = 50, .n = 50, .values = numbers },
										 { .phys = C4W_PHYS_INT32, .width = 4, .rows = 50, .n = 50, .values = small },
										 { .phys = C4W_PHYS_BOOL, .width = 1, .rows = 50, .n = 50, .values = flags },
										 { .phys = C4W_PHYS_BYTES, .rows = 50, .n = 50, .offsets = ends, .bytes = bytes } },
			  &err),
	       C4W_OK);
	for (i = 0; i < good.n; i++)
		if (open_bytes(good.p, i, &pq, &err) == C4W_OK) {
			c4w_pq_close(pq);
			opened++;
		}
	is_int(opened, 0);
	c4w_buf_clear(&file);
	c4w_buf_clear(&good);
}

/* One byte changed at a time: never a crash, and what is printed or refused is decided without reading beyond the file. */
static void test_bytes_changed(void)
{
	struct c4w_pq_node nodes[4];
	uint32_t n = list_schema(nodes);
	struct c4w_buf file = { 0 }, copy = { 0 };
	struct c4w_err err;
	size_t i, found = 0;
	const char *rule;

	is_int(write_file(&file, nodes, n, &(struct c4w_pq_write_opts){ .codec = 6, .page_version = 2 }, 5, &list_batch, &err), C4W_OK);
	for (i = 0; i < file.n; i++) {
		c4w_buf_reset(&copy);
		c4w_buf_put(&copy, file.p, file.n);
		copy.p[i] = (char)(copy.p[i] ^ 0x55);
		found += findings_of(&copy, &rule) > 0;
		(void)rows_of(&copy, C4W_ROWS_JSONL, 0, -1);
	}
	ok(found > file.n / 2, "%zu of %zu changed bytes are noticed", found, file.n);
	c4w_buf_clear(&file);
	c4w_buf_clear(&copy);
}

static void test_bug22_offsets(void)
{
	struct c4w_pq_node nodes[2] = { group("schema", 1, C4W_PQ_L_NONE, C4W_PQ_REQUIRED), leaf("x", C4W_PQ_INT64, C4W_PQ_L_NONE, C4W_PQ_REQUIRED) };
	struct c4w_batch b = { .phys = C4W_PHYS_INT64, .width = 8, .rows = 5, .n = 5, .values = ids };
	struct c4w_buf file = { 0 };
	struct c4w_err err;
	const char *rule;
	size_t i;
	bool patched = false;

	flat_table();
	is_int(write_file(&file, nodes, 2, &(struct c4w_pq_write_opts){ .no_dictionary = true }, 5, &b, &err), C4W_OK);
	/* data_page_offset: field 9, two behind 7, an i64 that is 4: 0x26 0x08. Made to point behind the file: 0x7e is 63 */
	for (i = file.n - 8 - (size_t)(uint8_t)file.p[file.n - 8] + 1; i < file.n && !patched; i++)
		if (file.p[i - 1] == 0x26 && file.p[i] == 0x08) {
			file.p[i] = 0x7e;
			patched = true;
		}
	ok(patched, "the offset was found");
	ok(findings_of(&file, &rule) > 0, "%s", rule);
	is_str(rule, "parquet.chunk-range");
	c4w_buf_clear(&file);
}

static void test_bug24_encrypted(void)
{
	struct c4w_pq_node nodes[2] = { group("schema", 1, C4W_PQ_L_NONE, C4W_PQ_REQUIRED), leaf("x", C4W_PQ_INT64, C4W_PQ_L_NONE, C4W_PQ_REQUIRED) };
	struct c4w_buf file = { 0 }, plain = { 0 };
	struct c4w_err err;
	uint32_t length;

	c4w_buf_put(&file, "PARE\0\0\0\0\4\0\0\0PARE", 16);
	refused(&file, C4W_UNSUPPORTED, NULL);
	/* a plain footer with encryption_algorithm: field 8 put in front of the stop byte */
	is_int(write_file(&plain, nodes, 2, NULL, 0, NULL, &err), C4W_OK);
	memcpy(&length, plain.p + plain.n - 8, 4);
	c4w_buf_reset(&file);
	c4w_buf_put(&file, plain.p + 4, length - 1);
	c4w_buf_put(&file, "\x1c\x1c\0\0\0", 5);
	{
		struct c4w_buf whole = { 0 };

		framed(&whole, file.p, file.n, "PAR1");
		refused(&whole, C4W_UNSUPPORTED, NULL);
		c4w_buf_clear(&whole);
	}
	/* codec 3 is known by name only, codec 99 not at all */
	c4w_buf_clear(&file);
	c4w_buf_clear(&plain);
}

/* ---- statistics ---- */

static void test_statistics(void)
{
	struct c4w_buf file = { 0 };
	struct c4w_pq *pq;
	struct c4w_pq_chunk c;
	struct c4w_err err;

	flat_table();
	is_int(write_file(&file, flat_nodes, 6, &(struct c4w_pq_write_opts){ .group_rows = 1000 }, ROWS, flat, &err), C4W_OK);
	is_int(open_bytes(file.p, file.n, &pq, &err), C4W_OK);
	ok(c4w_pq_may_hold_int(pq, 0, 0, ids[999]), "the last of the first group");
	ok(!c4w_pq_may_hold_int(pq, 0, 0, ids[1000]), "the first of the second");
	ok(c4w_pq_may_hold_int(pq, 1, 0, ids[1000]), "is in the second");
	ok(!c4w_pq_may_hold_range(pq, 2, 0, INT64_MIN, ids[1999]), "a range before the third");
	ok(c4w_pq_may_hold_range(pq, 2, 0, INT64_MIN, ids[2000]), "a range that touches it");
	ok(c4w_pq_may_hold_bytes(pq, 0, 4, C4W_VIEW("name 5")), "a name");
	ok(!c4w_pq_may_hold_bytes(pq, 0, 4, C4W_VIEW("zebra")), "beyond the maximum");
	ok(!c4w_pq_may_hold_bytes(pq, 0, 4, C4W_VIEW("a")), "below the minimum");
	ok(c4w_pq_may_hold_int(pq, 0, 1, 5), "doubles are not asked");
	c4w_pq_chunk(pq, 0, 2, &c);
	ok(c.stats.has_nulls && c.stats.nulls == 143, "nulls: %lld", (long long)c.stats.nulls);
	c4w_pq_close(pq);
	c4w_buf_clear(&file);
}

static void test_statistics_of_floats(void)
{
	static const double v[] = { 0.0, -0.0, 3.5, 0.0 };
	double nan_first[] = { 0, 1, 2, 3 };
	struct c4w_pq_node nodes[2] = { group("schema", 1, C4W_PQ_L_NONE, C4W_PQ_REQUIRED), leaf("x", C4W_PQ_DOUBLE, C4W_PQ_L_NONE, C4W_PQ_REQUIRED) };
	struct c4w_batch b = { .phys = C4W_PHYS_DOUBLE, .width = 8, .rows = 4, .n = 4, .values = v };
	struct c4w_buf file = { 0 };
	struct c4w_pq *pq;
	struct c4w_pq_chunk c;
	struct c4w_err err;
	double lo;

	is_int(write_file(&file, nodes, 2, NULL, 4, &b, &err), C4W_OK);
	is_int(open_bytes(file.p, file.n, &pq, &err), C4W_OK);
	c4w_pq_chunk(pq, 0, 0, &c);
	memcpy(&lo, c.stats.min.p, 8);
	ok(signbit(lo) && lo == 0, "a minimum of zero is written as -0.0");
	c4w_pq_close(pq);
	nan_first[0] = (double)NAN;
	b.values = nan_first;
	is_int(write_file(&file, nodes, 2, NULL, 4, &b, &err), C4W_OK);
	is_int(open_bytes(file.p, file.n, &pq, &err), C4W_OK);
	c4w_pq_chunk(pq, 0, 0, &c);
	memcpy(&lo, c.stats.min.p, 8);
	ok(c.stats.has_min && lo == 1, "NaN is passed over: %g", lo);
	c4w_pq_close(pq);
	c4w_buf_clear(&file);
}

/* A file whose statistics lie is found at level full only. */
static void test_statistics_lie(void)
{
	struct c4w_pq_node nodes[2] = { group("schema", 1, C4W_PQ_L_NONE, C4W_PQ_REQUIRED), leaf("x", C4W_PQ_INT64, C4W_PQ_L_NONE, C4W_PQ_REQUIRED) };
	static const int64_t v[] = { 0x1122334455667788, 0x1122334455667789 };
	struct c4w_batch b = { .phys = C4W_PHYS_INT64, .width = 8, .rows = 2, .n = 2, .values = v };
	struct c4w_buf file = { 0 };
	struct c4w_err err;
	const char *rule;
	size_t i, hits = 0;

	is_int(write_file(&file, nodes, 2, &(struct c4w_pq_write_opts){ .no_dictionary = true }, 2, &b, &err), C4W_OK);
	for (i = file.n - 8; i-- > 0;)
		if (memcmp(file.p + i, "\x89\x77\x66\x55\x44\x33\x22\x11", 8) == 0) {
			file.p[i] = 0x70; /* the last one in the file is the footer's maximum */
			hits++;
			break;
		}
	is_int(hits, 1);
	is_int(findings_of(&file, &rule), 1);
	is_str(rule, "parquet.statistics");
	c4w_buf_clear(&file);
}

static void test_crc(void)
{
	struct c4w_buf file = { 0 };
	struct c4w_arena arena = { 0 };
	struct c4w_pq *pq;
	struct c4w_pq_chunk c;
	struct c4w_batch b;
	struct c4w_err err;
	uint32_t bad = 0;
	struct c4w_pq_opts count = { .bad_crcs = &bad }, off = { .no_crc = true };
	const char *rule;

	flat_table();
	is_int(write_file(&file, flat_nodes, 6, &(struct c4w_pq_write_opts){ .no_dictionary = true }, ROWS, flat, &err), C4W_OK);
	is_int(open_bytes(file.p, file.n, &pq, &err), C4W_OK);
	c4w_pq_chunk(pq, 0, 1, &c);
	file.p[c.offset + (uint64_t)c.compressed - 5] ^= 1; /* within the last value of the column */
	is_int(c4w_pq_read(pq, 0, 1, NULL, NULL, &arena, &b, &err), C4W_DAMAGED);
	is_str(err.rule ? err.rule : "", "parquet.page-crc");
	ok(strstr(err.message, "row group 0, column 'number'") != NULL, "%s", err.message);
	is_int(c4w_pq_read(pq, 0, 1, &count, NULL, &arena, &b, &err), C4W_OK);
	is_int(bad, 1);
	is_int(c4w_pq_read(pq, 0, 1, &off, NULL, &arena, &b, &err), C4W_OK);
	c4w_pq_close(pq);
	ok(findings_of(&file, &rule) > 0, "verify finds it");
	is_str(rule, "parquet.page-crc");
	c4w_arena_clear(&arena);
	c4w_buf_clear(&file);
}

/* ---- the store ---- */

static void test_store_faults(void)
{
	struct c4w_buf file = { 0 };
	struct c4w_arena arena = { 0 };
	struct c4w_store *s;
	struct c4w_blob *blob;
	struct c4w_pq *pq;
	struct c4w_batch b;
	struct c4w_err err;
	uint64_t calls, read, before;
	int64_t nth;

	flat_table();
	is_int(write_file(&file, flat_nodes, 6, &(struct c4w_pq_write_opts){ .group_rows = 500, .no_dictionary = true }, ROWS, flat, &err), C4W_OK);
	is_int(c4w_memstore_new(&s, &err), C4W_OK);
	is_int(c4w_memstore_put(s, "t.parquet", file.p, file.n, &err), C4W_OK);
	/* one tail read for the footer, then only the chunk that is asked for */
	c4w_memstore_faults(s, &(struct c4w_memstore_faults){ 0 });
	is_int(c4w_store_open(s, "t.parquet", &blob, &err), C4W_OK);
	is_int(c4w_pq_open(blob, &pq, &err), C4W_OK);
	c4w_memstore_counts(s, &calls, &before);
	is_int(c4w_pq_read(pq, 2, 0, NULL, NULL, &arena, &b, &err), C4W_OK);
	ok(same_column(&b, 0, 1000, 500), "the values");
	c4w_memstore_counts(s, &calls, &read);
	ok(read - before < 500 * 8 + 200, "only the chunk's bytes: %llu", (unsigned long long)(read - before));
	c4w_pq_close(pq);
	c4w_blob_close(blob);
	for (nth = 1; nth < 8; nth++) {
		int rc;

		c4w_memstore_faults(s, nth & 1 ? &(struct c4w_memstore_faults){ .fail_nth = (nth + 1) / 2 } : &(struct c4w_memstore_faults){ .cut_nth = nth / 2 + 1 });
		rc = c4w_store_open(s, "t.parquet", &blob, &err);
		pq = NULL;
		if (rc == C4W_OK) {
			rc = c4w_pq_open(blob, &pq, &err);
			if (rc == C4W_OK)
				rc = c4w_pq_read(pq, 1, 0, NULL, NULL, &arena, &b, &err);
			c4w_pq_close(pq);
			c4w_blob_close(blob);
		}
		ok(rc == C4W_OK || rc == C4W_IO, "fault %lld: class %d", (long long)nth, rc);
		if (nth <= 2)
			is_int(rc, C4W_IO);
	}
	c4w_store_close(s);
	c4w_arena_clear(&arena);
	c4w_buf_clear(&file);
}

static void test_limit(void)
{
	struct c4w_buf file = { 0 };
	struct c4w_arena arena = { .limit = 5000 };
	struct c4w_pq *pq;
	struct c4w_batch b;
	struct c4w_err err;

	flat_table();
	is_int(write_file(&file, flat_nodes, 6, NULL, ROWS, flat, &err), C4W_OK);
	is_int(open_bytes(file.p, file.n, &pq, &err), C4W_OK);
	is_int(c4w_pq_read(pq, 0, 0, NULL, NULL, &arena, &b, &err), C4W_LIMIT);
	ok(b.n == 0 && b.values == NULL, "nothing is left of a failed read");
	c4w_pq_close(pq);
	c4w_arena_clear(&arena);
	c4w_buf_clear(&file);
}

/* ---- names, rows, the writer's own checks ---- */

static void test_names(void)
{
	struct c4w_pq_node nodes[8];
	static const int32_t offsets[] = { 0, 1 };
	static const struct c4w_batch_list one = { 1, offsets, NULL, 0 };
	struct c4w_batch b[3];
	struct c4w_buf file = { 0 };
	struct c4w_pq *pq;
	struct c4w_err err;
	size_t column;
	uint32_t node;
	char path[64];

	nodes[0] = group("schema", 2, C4W_PQ_L_NONE, C4W_PQ_REQUIRED);
	nodes[1] = group("items", 1, C4W_PQ_L_LIST, C4W_PQ_OPTIONAL);
	nodes[2] = group("list", 1, C4W_PQ_L_NONE, C4W_PQ_REPEATED);
	nodes[3] = group("element", 2, C4W_PQ_L_NONE, C4W_PQ_OPTIONAL);
	nodes[4] = leaf("a", C4W_PQ_INT64, C4W_PQ_L_NONE, C4W_PQ_REQUIRED);
	nodes[5] = leaf("b.c", C4W_PQ_INT64, C4W_PQ_L_NONE, C4W_PQ_REQUIRED);
	nodes[6] = leaf("price", C4W_PQ_INT64, C4W_PQ_L_DECIMAL, C4W_PQ_REQUIRED);
	nodes[6].precision = 9;
	nodes[6].scale = 2;
	b[0] = b[1] = b[2] = (struct c4w_batch){ .phys = C4W_PHYS_INT64, .width = 8, .rows = 1, .n = 1, .values = ids };
	b[0].nlists = b[1].nlists = 1;
	b[0].lists = b[1].lists = &one;
	flat_table();
	is_int(write_file(&file, nodes, 7, NULL, 1, b, &err), C4W_OK);
	is_str(rows_of(&file, C4W_ROWS_JSONL, 0, -1), "{\"items\": [{\"a\": -5, \"b.c\": -5}], \"price\": \"-0.05\"}\n");
	is_int(open_bytes(file.p, file.n, &pq, &err), C4W_OK);
	is_int(c4w_pq_column(pq, "items.list.element.a", &column, &err), C4W_OK);
	is_int(column, 0);
	is_int(c4w_pq_column(pq, "items.b.c", &column, &err), C4W_OK);
	is_int(column, 1);
	is_str(c4w_pq_path(pq, 1, path, sizeof path), "items.list.element.b.c");
	is_int(c4w_pq_find(pq, "items", &node, &err), C4W_OK);
	is_int(node, 1);
	is_int(c4w_pq_column(pq, "items", &column, &err), C4W_USAGE);
	is_int(c4w_pq_find(pq, "prise", &node, &err), C4W_UNKNOWN);
	ok(strstr(err.hint, "price") != NULL, "%s", err.hint);
	is_int(c4w_pq_column_of(pq, "items.a", C4W_PQ_INT64, 1, &column, &err), C4W_OK);
	is_int(c4w_pq_column_of(pq, "price", C4W_PQ_DOUBLE, 0, &column, &err), C4W_DAMAGED);
	{
		struct c4w_view v = { NULL, 0 };

		ok(c4w_pq_meta_find(pq, "key", &v) && c4w_view_eqz(v, "value"), "key-value metadata");
	}
	c4w_pq_close(pq);
	c4w_buf_clear(&file);
}

static void test_csv(void)
{
	static const char text[] = "a,bc\"d\ne\tf\\plain";
	static const int64_t at[] = { 0, 4, 8, 11, 16, 16 };
	struct c4w_pq_node nodes[2] = { group("schema", 1, C4W_PQ_L_NONE, C4W_PQ_REQUIRED), leaf("x", C4W_PQ_BYTE_ARRAY, C4W_PQ_L_STRING, C4W_PQ_OPTIONAL) };
	struct c4w_batch b = { .phys = C4W_PHYS_BYTES, .rows = 5, .n = 5, .offsets = at, .bytes = (const uint8_t *)text };
	struct c4w_buf file = { 0 };
	struct c4w_err err;

	is_int(write_file(&file, nodes, 2, NULL, 5, &b, &err), C4W_OK);
	is_str(rows_of(&file, C4W_ROWS_CSV, 0, -1), "x\n\"a,bc\"\n\"\"\"d\ne\"\n\tf\\\nplain\n\"\"\n");
	is_str(rows_of(&file, C4W_ROWS_TSV, 0, -1), "x\na,bc\n\"d\\ne\n\\tf\\\\\nplain\n\n");
	c4w_buf_clear(&file);
}

static void test_writer_refuses(void)
{
	struct c4w_pq_node nodes[2] = { group("schema", 1, C4W_PQ_L_NONE, C4W_PQ_REQUIRED), leaf("x", C4W_PQ_INT64, C4W_PQ_L_NONE, C4W_PQ_REQUIRED) };
	struct c4w_batch b = { .phys = C4W_PHYS_INT32, .width = 4, .rows = 2, .n = 2, .values = ids };
	struct c4w_buf file = { 0 };
	struct c4w_err err;

	is_int(write_file(&file, nodes, 2, NULL, 2, &b, &err), C4W_USAGE);
	b = (struct c4w_batch){ .phys = C4W_PHYS_INT64, .width = 8, .rows = 2, .n = 2, .nulls = 1, .validity = (const uint8_t *)"\1", .values = ids };
	is_int(write_file(&file, nodes, 2, NULL, 2, &b, &err), C4W_USAGE);
	nodes[0].nchildren = 2;
	is_int(write_file(&file, nodes, 2, NULL, 0, NULL, &err), C4W_USAGE);
	nodes[0].nchildren = 1;
	is_int(write_file(&file, nodes, 2, &(struct c4w_pq_write_opts){ .encodings = (const uint8_t *)"\6" }, 0, NULL, &err), C4W_USAGE);
	b.nulls = 0;
	b.validity = NULL;
	is_int(write_file(&file, nodes, 2, &(struct c4w_pq_write_opts){ .codec = 3 }, 2, &b, &err), C4W_UNSUPPORTED);
	c4w_buf_clear(&file);
}

int main(void)
{
	RUN(test_bug19_lists);
	RUN(test_bug19_nested);
	RUN(test_bug19_page_border);
	RUN(test_bug16_bug24_codecs);
	RUN(test_bug16_all_null);
	RUN(test_bug18_stream_split);
	RUN(test_bug21_no_rows);
	RUN(test_bug22_footer);
	RUN(test_bytes_changed);
	RUN(test_bug22_offsets);
	RUN(test_bug24_encrypted);
	RUN(test_statistics);
	RUN(test_statistics_of_floats);
	RUN(test_statistics_lie);
	RUN(test_crc);
	RUN(test_store_faults);
	RUN(test_limit);
	RUN(test_names);
	RUN(test_csv);
	RUN(test_writer_refuses);
	return done();
}
