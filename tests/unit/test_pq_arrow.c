/* ARROW:schema of Parquet files: what pyarrow wrote, and messages that are cut, changed and made to lead out of their bytes. */
#include "tap.h"

#include "containers/pq_arrow.h"
#include "model/pq_check.h"

#define FILE_NAME "tests/data/parquet/arrow_schema.parquet"

static struct c4w_pq *open_file(const char *path)
{
	struct c4w_blob *blob;
	struct c4w_pq *pq = NULL;
	struct c4w_err err;

	if (c4w_blob_file(path, &blob, &err) != C4W_OK)
		return NULL;
	if (c4w_pq_open(blob, &pq, &err) != C4W_OK)
		pq = NULL;
	c4w_blob_close(blob);
	return pq;
}

/* "word=dictionary place=3 …": what is marked, in schema order. */
static const char *marks_of(const struct c4w_pq *pq, const struct c4w_pq_arrow *a)
{
	static struct c4w_buf text;
	uint32_t i;

	c4w_buf_reset(&text);
	c4w_buf_puts(&text, "");
	for (i = 0; i < c4w_pq_nodes(pq); i++) {
		if (!a[i].dictionary && !a[i].fixed_list)
			continue;
		if (text.n)
			c4w_buf_putc(&text, ' ');
		c4w_pq_short_name(pq, i, &text);
		if (a[i].dictionary)
			c4w_buf_puts(&text, "=dictionary");
		else
			c4w_buf_printf(&text, "=%d", a[i].fixed_size);
	}
	return text.p ? text.p : "";
}

static void test_marks(void)
{
	struct c4w_pq *pq = open_file(FILE_NAME);
	struct c4w_arena arena = { 0 };
	struct c4w_pq_arrow *a;
	struct c4w_err err;

	ok(pq != NULL, "the file opens");
	if (!pq)
		return;
	is_int(c4w_pq_arrow_read(pq, &arena, &a, &err), C4W_OK);
	ok(a != NULL, "it has marks");
	if (a)
		is_str(marks_of(pq, a), "word=dictionary place=3 grid=2 deep.at=2 tags.value=2 words=dictionary");
	c4w_pq_close(pq);
	c4w_arena_clear(&arena);
}

static void test_without(void)
{
	struct c4w_pq *pq = open_file("tests/data/parquet/nested_maps.snappy.parquet");
	struct c4w_arena arena = { 0 };
	struct c4w_pq_arrow *a = (struct c4w_pq_arrow *)&arena;
	struct c4w_err err;

	ok(pq != NULL, "the file opens");
	if (!pq)
		return;
	is_int(c4w_pq_arrow_read(pq, &arena, &a, &err), C4W_OK);
	ok(a == NULL, "no marks");
	c4w_pq_close(pq);
	c4w_arena_clear(&arena);
}

/* ---- hostile ---- */

static size_t decode(struct c4w_view text, uint8_t *out)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t v = 0;
	size_t i, n = 0;
	unsigned bits = 0;

	for (i = 0; i < text.n && text.p[i] != '='; i++) {
		v = v << 6 | (uint32_t)(strchr(digits, text.p[i]) - digits);
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			out[n++] = (uint8_t)(v >> bits);
		}
	}
	return n;
}

/* From a block of just that size, so that a byte read behind it shows under ASan. */
static int message(const struct c4w_pq *pq, const uint8_t *p, size_t n, struct c4w_err *err)
{
	struct c4w_pq_arrow *out = calloc(c4w_pq_nodes(pq), sizeof *out);
	uint8_t *copy = malloc(n ? n : 1);
	int cls = C4W_MEMORY;

	if (out && copy) {
		if (n)
			memcpy(copy, p, n);
		cls = c4w_pq_arrow_message(pq, n ? copy : copy + 1, n, out, err);
	}
	free(copy);
	free(out);
	return cls;
}

static void put32(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
	p[2] = (uint8_t)(v >> 16);
	p[3] = (uint8_t)(v >> 24);
}

static void test_hostile(void)
{
	static const uint32_t values[] = { 0, 1, 4, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffff };
	struct c4w_pq *pq = open_file(FILE_NAME);
	struct c4w_view text;
	struct c4w_err err;
	uint8_t *whole, *m;
	size_t n, i, k, kept = 0, damaged = 0, other = 0;

	ok(pq != NULL, "the file opens");
	if (!pq)
		return;
	ok(c4w_pq_meta_find(pq, "ARROW:schema", &text), "it has an ARROW:schema");
	whole = calloc(1, text.n);
	m = calloc(1, text.n);
	if (!whole || !m)
		abort();
	n = decode(text, whole);
	is_int(message(pq, whole, n, &err), C4W_OK);
	/* Cut short: with the size that it claims, and with one that fits. */
	for (i = 0; i < n; i++) {
		int cls = message(pq, whole, i, &err);

		if (cls != C4W_DAMAGED || strcmp(err.rule, "parquet.arrow-schema") != 0)
			other++;
	}
	is_int((int)other, 0);
	memcpy(m, whole, n);
	for (i = 8; i < n; i++) {
		put32(m + 4, (uint32_t)(i - 8));
		k = (size_t)message(pq, m, i, &err);
		kept += k == C4W_OK;
		damaged += k == C4W_DAMAGED;
	}
	is_int((int)(kept + damaged), (int)n - 8);
	ok(damaged > 100, "most lengths are damage");
	/* Each word replaced: offsets that lead out of it, before it, to themselves; vectors longer than it; lists of a negative size. */
	kept = damaged = 0;
	for (i = 0; i + 4 <= n; i++)
		for (k = 0; k < sizeof values / sizeof *values; k++) {
			int cls;

			memcpy(m, whole, n);
			put32(m + i, values[k]);
			cls = message(pq, m, n, &err);
			kept += cls == C4W_OK;
			damaged += cls == C4W_DAMAGED;
		}
	is_int((int)(kept + damaged), (int)((n - 3) * (sizeof values / sizeof *values)));
	ok(damaged > 1000, "many words are damage");
	/* Without the continuation mark, as before Arrow 0.15. */
	is_int(message(pq, whole + 4, n - 4, &err), C4W_OK);
	free(whole);
	free(m);
	c4w_pq_close(pq);
}

/* The text itself changed within the file. */
static void test_base64(void)
{
	static const char *const changes[] = { "!", "=", "A" };
	struct c4w_err err;
	size_t i;

	for (i = 0; i < 3; i++) {
		struct c4w_pq *pq = NULL;
		struct c4w_blob *blob;
		struct c4w_arena arena = { 0 };
		struct c4w_pq_arrow *a;
		uint8_t *file, *at;
		size_t n;

		if (c4w_blob_file(FILE_NAME, &blob, &err) != C4W_OK)
			abort();
		n = (size_t)c4w_blob_size(blob);
		file = malloc(n);
		if (!file || c4w_blob_read_at(blob, 0, n, file, &err) != C4W_OK)
			abort();
		c4w_blob_close(blob);
		/* The length of the value stands between the key and it: a field header, two bytes of length. */
		at = memmem(file, n, "ARROW:schema", 12);
		at = at ? memmem(at, (size_t)(file + n - at), "/////", 5) : NULL;
		ok(at != NULL, "the value is found");
		if (!at)
			abort();
		*at = (uint8_t)changes[i][0];
		is_int(c4w_blob_memory("t.parquet", file, n, true, &blob, &err), C4W_OK);
		is_int(c4w_pq_open(blob, &pq, &err), C4W_OK);
		is_int(c4w_pq_arrow_read(pq, &arena, &a, &err), C4W_DAMAGED);
		ok(a == NULL, "no marks");
		is_str(err.rule, "parquet.arrow-schema");
		c4w_pq_close(pq);
		c4w_blob_close(blob);
		c4w_arena_clear(&arena);
	}
}

int main(void)
{
	RUN(test_marks);
	RUN(test_without);
	RUN(test_hostile);
	RUN(test_base64);
	return done();
}
