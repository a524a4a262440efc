/* covers: lib/containers/pq_read.c lib/containers/pq_decode.c lib/containers/pq_page.c lib/containers/pq_codec.c lib/containers/pq_bits.c lib/containers/pq_enc.c lib/containers/pq_nest.c */
/* The pages of one column chunk. The first eight bytes say what the footer claims of it: physical type, nesting, codec, type length, values (two
 * bytes), rows, flags; the rest are the pages. */
#include "containers/pq.h"
#include "base/buf.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void varint(struct c4w_buf *b, uint64_t v)
{
	for (; v >= 128; v >>= 7)
		c4w_buf_putc(b, (char)(v | 128));
	c4w_buf_putc(b, (char)v);
}

/* A field whose number is `step` above the last one: wire 5 and 6 integers, 8 text, 9 list, 12 struct. */
static void field(struct c4w_buf *b, int step, int wire)
{
	c4w_buf_putc(b, (char)(step << 4 | wire));
}

static void number(struct c4w_buf *b, int step, int wire, uint64_t v)
{
	field(b, step, wire);
	varint(b, v << 1);
}

static void name(struct c4w_buf *b, int step, const char *z)
{
	field(b, step, 8);
	varint(b, strlen(z));
	c4w_buf_puts(b, z);
}

static void group(struct c4w_buf *b, int repetition, const char *z, int children)
{
	number(b, 3, 5, (uint64_t)repetition);
	name(b, 1, z);
	number(b, 1, 5, (uint64_t)children);
	c4w_buf_putc(b, 0);
}

/* Nesting: 0 required, 1 optional, 2 list, 3 list of list, 4 optional struct, 5 list of struct. */
static void schema(struct c4w_buf *b, unsigned nesting, unsigned type, unsigned length)
{
	static const uint8_t groups[] = { 0, 0, 2, 4, 1, 3 };
	unsigned n = groups[nesting], k;

	field(b, 1, 9);
	c4w_buf_putc(b, (char)((n + 2) << 4 | 12));
	group(b, 0, "r", 1);
	for (k = 0; k < n; k++)
		group(b, nesting == 4 ? 1 : k == 0 || (nesting == 3 && k == 2) ? 1 : nesting == 5 && k == 2 ? 1 : 2, "g", 1);
	number(b, 1, 5, type);
	number(b, 1, 5, length);
	number(b, 1, 5, nesting == 0 ? 0 : 1);
	name(b, 1, "x");
	c4w_buf_putc(b, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct c4w_buf f = { 0 };
	struct c4w_arena arena = { .limit = 32 << 20 };
	struct c4w_blob *blob;
	struct c4w_pq *pq;
	struct c4w_err err;
	unsigned nesting;
	size_t body, at;
	uint32_t values, rows, length;
	int i;

	if (size < 8)
		return 0;
	body = size - 8;
	values = data[4] | (uint32_t)data[5] << 8;
	nesting = data[1] % 6;
	rows = nesting == 2 || nesting == 3 || nesting == 5 ? data[6] : values;
	c4w_buf_puts(&f, "PAR1");
	c4w_buf_put(&f, data + 8, body);
	at = f.n;
	number(&f, 1, 5, 1);
	schema(&f, nesting, data[0] % 8, data[3]);
	number(&f, 1, 6, rows);
	field(&f, 1, 9);
	c4w_buf_putc(&f, 0x1c); /* one row group */
	field(&f, 1, 9);
	c4w_buf_putc(&f, 0x1c); /* of one column */
	number(&f, 2, 6, 4);
	field(&f, 1, 12);
	number(&f, 1, 5, data[0] % 8);
	number(&f, 3, 5, data[2] % 8);
	number(&f, 1, 6, values);
	number(&f, 1, 6, body);
	number(&f, 1, 6, body);
	number(&f, 2, 6, 4);
	c4w_buf_putc(&f, 0);
	c4w_buf_putc(&f, 0);
	number(&f, 1, 6, body);
	number(&f, 1, 6, rows);
	c4w_buf_putc(&f, 0);
	c4w_buf_putc(&f, 0);
	length = (uint32_t)(f.n - at);
	c4w_buf_put(&f, &length, 4);
	c4w_buf_puts(&f, "PAR1");
	if (f.failed || c4w_blob_memory("fuzz", f.p, f.n, false, &blob, &err) != C4W_OK) {
		c4w_buf_clear(&f);
		return 0;
	}
	if (c4w_pq_open(blob, &pq, &err) != C4W_OK)
		abort(); /* the frame made here is always good */
	for (i = 0; i < 6; i++) {
		/* the last two: some rows from the middle, and pages that are not decoded before them */
		struct c4w_pq_opts o = { .keep_dict = i & 1, .structs = i & 2, .no_crc = i != 5, .first = i > 3 ? rows / 3 : 0, .count = i > 3 ? rows / 3 + 1 : 0 };
		struct c4w_batch b;
		size_t n;

		if (c4w_pq_read(pq, 0, 0, &o, NULL, &arena, &b, &err) == C4W_OK && b.n > 0 && (b.phys == C4W_PHYS_BYTES || b.phys == C4W_PHYS_FIXED)) {
			const uint8_t *p = c4w_batch_bytes(&b, b.n - 1, &n);

			if (n && c4w_batch_valid(&b, b.n - 1))
				(void)*(volatile const uint8_t *)p;
		}
		c4w_arena_reset(&arena);
	}
	c4w_arena_clear(&arena);
	c4w_pq_close(pq);
	c4w_blob_close(blob);
	c4w_buf_clear(&f);
	return 0;
}
