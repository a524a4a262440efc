/* Reading a part of a column: by the offset index, by headers alone, and what is read of the file for it. Bloom filters' hash. */
#include "pq_make.h"

#include "containers/pq_impl.h"

enum { ROWS = 300000 };

static int64_t numbers[ROWS];
static int32_t starts[ROWS / 3 + 1];
static uint8_t bits[ROWS / 8 + 9];
static int64_t ends[ROWS + 1];
static char text[ROWS * 8];

static const struct c4w_batch flat = { .phys = C4W_PHYS_INT64, .width = 8, .rows = ROWS, .n = ROWS, .values = numbers };
static const struct c4w_batch_list list = { ROWS / 3, starts, NULL, 0 };
static const struct c4w_batch nested = { .phys = C4W_PHYS_INT64, .width = 8, .rows = ROWS / 3, .n = ROWS, .values = numbers, .nlists = 1, .lists = &list };
static struct c4w_batch words = { .phys = C4W_PHYS_BYTES, .rows = ROWS, .n = ROWS, .validity = bits, .offsets = ends, .bytes = (const uint8_t *)text };

static void fill(void)
{
	size_t i, n = 0, at = 0;

	for (i = 0; i < ROWS; i++)
		numbers[i] = (int64_t)(i * 2654435761U % 1000003);
	for (i = 0; i <= ROWS / 3; i++)
		starts[i] = (int32_t)(i == ROWS / 3 ? ROWS : i * 3 + i % 3);
	memset(bits, 0, sizeof bits);
	for (i = 0; i < ROWS; i++) {
		if (i % 7) {
			/* few words first, then ever new ones: over the dictionary, then plain */
			at += (size_t)sprintf(text + at, "%zx", i < ROWS / 2 ? i % 50 : i);
			bits[i / 8] = (uint8_t)(bits[i / 8] | 1U << (i & 7));
		}
		n += i % 7 == 0;
		ends[i + 1] = (int64_t)at;
	}
	words.nulls = n;
}

static struct c4w_pq_node flat_nodes[2], list_nodes[4], text_nodes[2];

static void schemas(void)
{
	flat_nodes[0] = text_nodes[0] = list_nodes[0] = group("schema", 1, C4W_PQ_L_NONE, C4W_PQ_REQUIRED);
	flat_nodes[1] = leaf("x", C4W_PQ_INT64, C4W_PQ_L_NONE, C4W_PQ_REQUIRED);
	text_nodes[1] = leaf("x", C4W_PQ_BYTE_ARRAY, C4W_PQ_L_STRING, C4W_PQ_OPTIONAL);
	list_nodes[1] = group("x", 1, C4W_PQ_L_LIST, C4W_PQ_OPTIONAL);
	list_nodes[2] = group("list", 1, C4W_PQ_L_NONE, C4W_PQ_REPEATED);
	list_nodes[3] = leaf("element", C4W_PQ_INT64, C4W_PQ_L_NONE, C4W_PQ_OPTIONAL);
}

static bool same_rows(const struct c4w_batch *got, const struct c4w_batch *all, size_t first, size_t count)
{
	size_t a = first, n = count, i;

	if (got->rows != count)
		return false;
	if (all->nlists) {
		a = (size_t)all->lists[0].offsets[first];
		n = (size_t)all->lists[0].offsets[first + count] - a;
		for (i = 0; i <= count; i++)
			if (got->lists[0].offsets[i] != all->lists[0].offsets[first + i] - (int32_t)a)
				return false;
	}
	if (got->n != n)
		return false;
	for (i = 0; i < n; i++) {
		size_t x, y;
		const uint8_t *p, *q;

		if (c4w_batch_valid(got, i) != c4w_batch_valid(all, a + i))
			return false;
		if (!c4w_batch_valid(got, i))
			continue;
		p = c4w_pq_slot(got, i, &x);
		q = c4w_pq_slot(all, a + i, &y);
		if (x != y || memcmp(p, q, x) != 0)
			return false;
	}
	return true;
}

/* Rows [first, first + count) of a file in a store that counts; -1: not the right rows. */
static int64_t bytes_for(const struct c4w_buf *file, const struct c4w_batch *all, size_t first, size_t count, uint64_t *calls)
{
	struct c4w_pq_opts o = { .first = (int64_t)first, .count = (int64_t)count, .keep_dict = true };
	struct c4w_arena arena = { 0 };
	struct c4w_store *s;
	struct c4w_blob *blob;
	struct c4w_batch b;
	struct c4w_pq *pq;
	struct c4w_err err;
	uint64_t before, before_calls, bytes = 0;
	int64_t result = -1;

	is_int(c4w_memstore_new(&s, &err), C4W_OK);
	is_int(c4w_memstore_put(s, "t", file->p, file->n, &err), C4W_OK);
	c4w_memstore_faults(s, &(struct c4w_memstore_faults){ 0 });
	is_int(c4w_store_open(s, "t", &blob, &err), C4W_OK);
	is_int(c4w_pq_open(blob, &pq, &err), C4W_OK);
	c4w_memstore_counts(s, &before_calls, &before);
	if (c4w_pq_read(pq, 0, 0, &o, NULL, &arena, &b, &err) == C4W_OK && same_rows(&b, all, first, count)) {
		c4w_memstore_counts(s, calls, &bytes);
		result = (int64_t)(bytes - before);
		*calls -= before_calls;
	}
	c4w_pq_close(pq);
	c4w_blob_close(blob);
	c4w_store_close(s);
	c4w_arena_clear(&arena);
	return result;
}

static void test_bytes_by_index(void)
{
	struct c4w_pq_write_opts o = { .page_bytes = 20000, .no_dictionary = true };
	struct c4w_buf file = { 0 };
	struct c4w_err err;
	uint64_t calls = 0;
	int64_t n;

	fill();
	schemas();
	for (o.page_version = 1; o.page_version <= 2; o.page_version++) {
		is_int(write_file(&file, flat_nodes, 2, &o, ROWS, &flat, &err), C4W_OK);
		/* 120 pages of 2,500 rows: the offset index (some 1.5 kB) and one page, two at a border */
		n = bytes_for(&file, &flat, 250000, 10, &calls);
		ok(n > 20000 && n < 24000, "version %d: %lld bytes", o.page_version, (long long)n);
		is_int(calls, 2);
		n = bytes_for(&file, &flat, 249999, 2, &calls);
		ok(n > 40000 && n < 44000, "version %d: %lld bytes", o.page_version, (long long)n);
		n = bytes_for(&file, &flat, ROWS - 1, 1, &calls);
		ok(n > 20000 && n < 24000, "the last row: %lld bytes", (long long)n);
		is_int(write_file(&file, list_nodes, 4, &o, ROWS / 3, &nested, &err), C4W_OK);
		n = bytes_for(&file, &nested, 50000, 100, &calls);
		ok(n > 20000 && n < 48000, "lists, version %d: %lld bytes", o.page_version, (long long)n);
	}
	c4w_buf_clear(&file);
}

/* Headers alone are read of what is passed over, and nothing much behind. */
static void test_bytes_by_headers(void)
{
	struct c4w_pq_write_opts o = { .page_bytes = 200000, .no_dictionary = true, .no_page_index = true };
	struct c4w_buf file = { 0 };
	struct c4w_err err;
	uint64_t calls = 0;
	int64_t n;

	fill();
	schemas();
	is_int(write_file(&file, flat_nodes, 2, &o, ROWS, &flat, &err), C4W_OK);
	n = bytes_for(&file, &flat, ROWS - 10, 10, &calls); /* 2.4 MB in 12 pages: 16 KiB of each, and one whole */
	ok(n > 200000 && n < 450000, "%lld bytes", (long long)n);
	o.page_version = 2;
	is_int(write_file(&file, list_nodes, 4, &o, ROWS / 3, &nested, &err), C4W_OK);
	n = bytes_for(&file, &nested, ROWS / 3 - 10, 10, &calls);
	ok(n > 0 && n < 450000, "lists (v2): %lld bytes", (long long)n);
	c4w_buf_clear(&file);
}

/* The dictionary is read where a page is over it, and not elsewhere. */
static void test_dictionary_when_needed(void)
{
	struct c4w_pq_write_opts o = { .page_bytes = 20000, .dictionary_bytes = 100000 };
	struct c4w_buf file = { 0 };
	struct c4w_err err;
	uint64_t calls = 0;
	int64_t near, far;
	size_t i;

	fill();
	schemas();
	for (i = 0; i < ROWS / 2; i++)
		numbers[i] = (int64_t)i % 5000;
	is_int(write_file(&file, flat_nodes, 2, &o, ROWS, &flat, &err), C4W_OK);
	near = bytes_for(&file, &flat, ROWS / 4, 10, &calls);
	far = bytes_for(&file, &flat, ROWS - 10, 10, &calls);
	ok(near > 100000, "%lld bytes", (long long)near);
	ok(far > 20000 && far < 45000, "%lld bytes", (long long)far);
	c4w_buf_clear(&file);
}

/* Any part, with and without index, is that part. */
static void test_any_part(void)
{
	static const size_t counts[] = { 1, 2, 77, 2500, 40000 };
	struct c4w_pq_write_opts o = { .page_bytes = 5000, .dictionary_bytes = 3000, .codec = 6 };
	struct c4w_buf file = { 0 };
	struct c4w_err err;
	uint64_t seed = 1, calls;
	int i;

	fill();
	schemas();
	for (i = 0; i < 12; i++) {
		const struct c4w_batch *b = i % 3 == 0 ? &flat : i % 3 == 1 ? &nested : &words;
		size_t k;

		o.page_version = 1 + i / 3 % 2;
		o.no_page_index = i >= 6;
		is_int(write_file(&file, i % 3 == 0 ? flat_nodes : i % 3 == 1 ? list_nodes : text_nodes, i % 3 == 1 ? 4 : 2, &o, b->rows, b, &err), C4W_OK);
		for (k = 0; k < 10; k++) {
			size_t count = counts[k % 5], first;

			seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
			first = (size_t)(seed >> 33) % (b->rows - count);
			if (k == 5)
				first = 0;
			ok(bytes_for(&file, b, first, count, &calls) > 0, "case %d: rows %zu to %zu", i, first, first + count);
		}
	}
	c4w_buf_clear(&file);
}

static void test_xxh64(void)
{
	ok(pq_xxh64("", 0) == 0xef46db3751d8e999, "empty");
	ok(pq_xxh64("a", 1) == 0xd24ec4f1a98c6e5b, "a");
	ok(pq_xxh64("abc", 3) == 0x44bc2cf5ad770999, "abc");
	ok(pq_xxh64("xxhash", 6) == 0x32dd38952c4bc720, "xxhash");
	ok(pq_xxh64("Nobody inspects the spammish repetition", 39) == 0xfbcea83c8a378bf1, "39 bytes");
}

int main(void)
{
	RUN(test_bytes_by_index);
	RUN(test_bytes_by_headers);
	RUN(test_dictionary_when_needed);
	RUN(test_any_part);
	RUN(test_xxh64);
	return done();
}
