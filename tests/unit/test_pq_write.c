/* The Parquet writer by itself: what its pages are, not only that they read back. */
#include "pq_make.h"

/* ---- dictionaries that grow too large ---- */

struct pages {
	char text[256]; /* a letter a page: D dictionary, d over it, p plain, x something else */
	size_t n;
	uint32_t values[256];
};

/* The pages of a file's only column. */
static void pages_of(const struct c4w_buf *file, struct pages *out, uint32_t *encodings)
{
	struct c4w_arena arena = { 0 };
	struct c4w_pq_marks marks = { NULL, 0 };
	struct c4w_pq_opts o = { .marks = &marks };
	struct c4w_pq_chunk c;
	struct c4w_batch b;
	struct c4w_pq *pq;
	struct c4w_err err;

	*out = (struct pages){ .n = 0 };
	is_int(open_bytes(file->p, file->n, &pq, &err), C4W_OK);
	is_int(c4w_pq_read(pq, 0, 0, &o, NULL, &arena, &b, &err), C4W_OK);
	for (; out->n < marks.n && out->n + 1 < sizeof out->text; out->n++) {
		const struct c4w_pq_mark *p = &marks.v[out->n];

		out->values[out->n] = p->values;
		out->text[out->n] = p->type == 2 ? 'D' : p->encoding == 8 ? 'd' : p->encoding == 0 ? 'p' : 'x';
	}
	c4w_pq_chunk(pq, 0, 0, &c);
	*encodings = c.encodings;
	c4w_pq_close(pq);
	c4w_arena_clear(&arena);
}

enum { ROWS = 6000 };

/* ROWS numbers: ten again and again, then ever new ones. */
static int64_t growing[ROWS];
static const struct c4w_batch growing_batch = { .phys = C4W_PHYS_INT64, .width = 8, .rows = ROWS, .n = ROWS, .values = growing };

static void fill(void)
{
	size_t i;

	for (i = 0; i < ROWS; i++)
		growing[i] = i < 4000 ? (int64_t)i % 10 : (int64_t)i * 3;
}

static bool reads_back(const struct c4w_buf *file, const struct c4w_batch *want)
{
	struct c4w_arena arena = { 0 };
	struct c4w_batch b;
	struct c4w_pq *pq;
	bool same;

	if (open_bytes(file->p, file->n, &pq, NULL) != C4W_OK)
		return false;
	same = c4w_pq_read(pq, 0, 0, NULL, NULL, &arena, &b, NULL) == C4W_OK && b.n == want->n && b.rows == want->rows && b.nulls == want->nulls &&
	       memcmp(b.values, want->values, want->n * want->width) == 0;
	c4w_pq_close(pq);
	c4w_arena_clear(&arena);
	return same;
}

static void test_dictionary_left(void)
{
	struct c4w_pq_node nodes[2] = { group("schema", 1, C4W_PQ_L_NONE, C4W_PQ_REQUIRED), leaf("x", C4W_PQ_INT64, C4W_PQ_L_NONE, C4W_PQ_REQUIRED) };
	struct c4w_buf file = { 0 }, again = { 0 };
	struct pages p;
	uint32_t encodings;
	const char *rule;
	struct c4w_err err;
	int v;

	fill();
	for (v = 1; v <= 2; v++) {
		struct c4w_pq_write_opts o = { .page_version = v, .page_bytes = 4000, .dictionary_bytes = 1000 };

		is_int(write_file(&file, nodes, 2, &o, ROWS, &growing_batch, &err), C4W_OK);
		pages_of(&file, &p, &encodings);
		/* 4,000 coded and 114 more for which the dictionary has room; then 500 of 8 bytes a page */
		is_str(p.text, "Ddddpppp");
		is_int(p.values[0], 124);
		is_int(p.values[1], 2000);
		is_int(p.values[3], 114);
		is_int(p.values[4], 500);
		is_int(encodings, 1 << 0 | 1 << 3 | 1 << 8);
		ok(reads_back(&file, &growing_batch), "version %d", v);
		is_int(findings_of(&file, &rule), 0);
		is_int(write_file(&again, nodes, 2, &o, ROWS, &growing_batch, &err), C4W_OK);
		ok(again.n == file.n && memcmp(again.p, file.p, file.n) == 0, "the same bytes again");
	}
	/* with another encoding for what is not over the dictionary */
	is_int(write_file(&file, nodes, 2, &(struct c4w_pq_write_opts){ .dictionary_bytes = 1000, .encodings = (const uint8_t *)"\5" }, ROWS, &growing_batch, &err),
	       C4W_OK);
	pages_of(&file, &p, &encodings);
	is_str(p.text, "Ddx");
	is_int(encodings, 1 << 0 | 1 << 3 | 1 << 5 | 1 << 8);
	ok(reads_back(&file, &growing_batch), "delta");
	c4w_buf_clear(&file);
	c4w_buf_clear(&again);
}

/* A dictionary that does not pay is left out, and so is one whose first row it can't hold. */
static void test_dictionary_dropped(void)
{
	static const int32_t offsets[] = { 0, 4500, ROWS };
	static const struct c4w_batch_list list = { 2, offsets, NULL, 0 };
	struct c4w_pq_node flat[2] = { group("schema", 1, C4W_PQ_L_NONE, C4W_PQ_REQUIRED), leaf("x", C4W_PQ_INT64, C4W_PQ_L_NONE, C4W_PQ_REQUIRED) };
	struct c4w_pq_node lists[4] = { group("schema", 1, C4W_PQ_L_NONE, C4W_PQ_REQUIRED), group("x", 1, C4W_PQ_L_LIST, C4W_PQ_REQUIRED),
					group("list", 1, C4W_PQ_L_NONE, C4W_PQ_REPEATED), leaf("element", C4W_PQ_INT64, C4W_PQ_L_NONE, C4W_PQ_REQUIRED) };
	struct c4w_batch tail = { .phys = C4W_PHYS_INT64, .width = 8, .rows = 2000, .n = 2000, .values = growing + 4000 }, nested = growing_batch;
	struct c4w_pq_write_opts o = { .dictionary_bytes = 1000 };
	struct c4w_buf file = { 0 };
	struct pages p;
	uint32_t encodings;
	struct c4w_err err;

	fill();
	is_int(write_file(&file, flat, 2, &o, 2000, &tail, &err), C4W_OK);
	pages_of(&file, &p, &encodings);
	is_str(p.text, "p");
	is_int(encodings, 1 << 0 | 1 << 3);
	nested.rows = 2;
	nested.nlists = 1;
	nested.lists = &list;
	is_int(write_file(&file, lists, 4, &o, 2, &nested, &err), C4W_OK);
	pages_of(&file, &p, &encodings);
	is_str(p.text, "p");
	ok(reads_back(&file, &nested), "one long row");
	c4w_buf_clear(&file);
}

/* Rows stay whole: the dictionary ends with the last list that it covers. */
static void test_dictionary_left_in_lists(void)
{
	static int32_t offsets[ROWS / 6 + 1];
	static struct c4w_batch_list list = { ROWS / 6, offsets, NULL, 0 };
	struct c4w_pq_node nodes[4] = { group("schema", 1, C4W_PQ_L_NONE, C4W_PQ_REQUIRED), group("x", 1, C4W_PQ_L_LIST, C4W_PQ_OPTIONAL),
					group("list", 1, C4W_PQ_L_NONE, C4W_PQ_REPEATED), leaf("element", C4W_PQ_INT64, C4W_PQ_L_NONE, C4W_PQ_OPTIONAL) };
	struct c4w_batch b = growing_batch;
	struct c4w_buf file = { 0 };
	struct pages p;
	uint32_t encodings;
	const char *rule;
	struct c4w_err err;
	int32_t i;

	fill();
	for (i = 0; i <= ROWS / 6; i++)
		offsets[i] = i * 6;
	b.rows = ROWS / 6;
	b.nlists = 1;
	b.lists = &list;
	is_int(write_file(&file, nodes, 4, &(struct c4w_pq_write_opts){ .dictionary_bytes = 1000 }, b.rows, &b, &err), C4W_OK);
	pages_of(&file, &p, &encodings);
	is_str(p.text, "Ddp");
	is_int(p.values[1], 4110); /* 685 rows of six; the dictionary has room up to value 4114 */
	ok(reads_back(&file, &b), "lists");
	is_int(findings_of(&file, &rule), 0);
	c4w_buf_clear(&file);
}

/* A column that comes over a dictionary goes out as if it came plain. */
static void test_dictionary_given(void)
{
	static const int64_t plain_ends[] = { 0, 2, 5, 7, 7, 12 };
	static const uint32_t indices[] = { 0, 2, 0, 1, 3 };
	static const int64_t given_ends[] = { 0, 2, 2, 5, 10 };
	struct c4w_pq_node nodes[2] = { group("schema", 1, C4W_PQ_L_NONE, C4W_PQ_REQUIRED), leaf("x", C4W_PQ_BYTE_ARRAY, C4W_PQ_L_STRING, C4W_PQ_REQUIRED) };
	struct c4w_batch dict = { .phys = C4W_PHYS_BYTES, .rows = 4, .n = 4, .offsets = given_ends, .bytes = (const uint8_t *)"abcdefghij" };
	struct c4w_batch given = { .phys = C4W_PHYS_BYTES, .rows = 5, .n = 5, .indices = indices, .dict = &dict };
	struct c4w_batch plain = { .phys = C4W_PHYS_BYTES, .rows = 5, .n = 5, .offsets = plain_ends, .bytes = (const uint8_t *)"abcdeabfghij" };
	struct c4w_buf a = { 0 }, b = { 0 };
	struct c4w_err err;
	int k;

	for (k = 0; k < 2; k++) {
		struct c4w_pq_write_opts o = { .no_dictionary = k };

		is_int(write_file(&a, nodes, 2, &o, 5, &given, &err), C4W_OK);
		is_int(write_file(&b, nodes, 2, &o, 5, &plain, &err), C4W_OK);
		ok(a.n == b.n && memcmp(a.p, b.p, a.n) == 0, "no_dictionary %d", k);
	}
	c4w_buf_clear(&a);
	c4w_buf_clear(&b);
}

/* ---- statistics ---- */

/* Long text is cut between characters, downwards and upwards. */
static void test_long_text(void)
{
	static char low[101], high[101];
	static const int64_t ends[] = { 0, 100, 200 };
	struct c4w_pq_node nodes[2] = { group("schema", 1, C4W_PQ_L_NONE, C4W_PQ_REQUIRED), leaf("x", C4W_PQ_BYTE_ARRAY, C4W_PQ_L_STRING, C4W_PQ_REQUIRED) };
	static char both[201];
	struct c4w_batch b = { .phys = C4W_PHYS_BYTES, .rows = 2, .n = 2, .offsets = ends, .bytes = (const uint8_t *)both };
	struct c4w_buf file = { 0 };
	struct c4w_pq_chunk c;
	struct c4w_pq *pq;
	struct c4w_err err;
	const char *rule;
	int i;

	for (i = 0; i < 100; i += 2) { /* é, one byte off the cut; U+07FF, whose last byte can't be raised */
		memcpy(low + i, "\xc3\xa9", 2);
		memcpy(high + i, "\xdf\xbf", 2);
	}
	low[0] = low[99] = 'a';
	memmove(low + 1, "\xc3\xa9", 2);
	for (i = 1; i < 99; i += 2)
		memcpy(low + i, "\xc3\xa9", 2);
	memcpy(high + 58, "zz", 2);
	memcpy(both, low, 100);
	memcpy(both + 100, high, 100);
	is_int(write_file(&file, nodes, 2, NULL, 2, &b, &err), C4W_OK);
	is_int(open_bytes(file.p, file.n, &pq, &err), C4W_OK);
	c4w_pq_chunk(pq, 0, 0, &c);
	ok(c.stats.has_min && c.stats.has_max && !c.stats.min_exact && !c.stats.max_exact, "bounds, not values");
	is_int(c.stats.min.n, 63); /* "a", 31 characters; byte 64 would be half of one */
	ok(memcmp(c.stats.min.p, low, 63) == 0, "a prefix");
	is_int(c.stats.max.n, 60); /* up to the second z, raised: U+07FF has no successor of its length */
	ok(c.stats.max.n == 60 && c.stats.max.p[59] == '{' && memcmp(c.stats.max.p, high, 59) == 0, "raised");
	c4w_pq_close(pq);
	is_int(findings_of(&file, &rule), 0);
	c4w_buf_clear(&file);
}

int main(void)
{
	RUN(test_dictionary_left);
	RUN(test_dictionary_dropped);
	RUN(test_dictionary_left_in_lists);
	RUN(test_dictionary_given);
	RUN(test_long_text);
	return done();
}
