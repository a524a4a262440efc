/* Writes a small destination through the sink, for tests/io: some files in folders, one of them at offsets, one copied, then one sync and
 * the manifest.
 *
 *     sink_tool DEST          files that are right already are left alone, as --skip-existing does
 */
#include "base/str.h"
#include "storage/sink.h"

#include <stdio.h>
#include <string.h>

static struct c4w_err err;

static int fail(void)
{
	char text[2048];
	c4w_err_format(&err, text, sizeof text);
	fprintf(stderr, "sink_tool: %s\n", text);
	return 3;
}

static int sequential(struct c4w_sink *s, const char *rel, unsigned seed, char manifest[])
{
	struct c4w_sink_file *f;
	uint8_t digest[32];
	char hex[65], piece[40000];
	size_t i, k;
	C4W_TRY(c4w_sink_create(s, rel, seed % 2 ? C4W_SINK_UNKNOWN : 5 * sizeof piece, C4W_SINK_HASH, &f, &err));
	for (k = 0; k < 5; k++) {
		int r;
		for (i = 0; i < sizeof piece; i++)
			piece[i] = (char)(i * seed + k);
		r = c4w_sink_write(f, piece, sizeof piece, &err);
		if (r != C4W_OK) {
			c4w_sink_abort(f);
			return r;
		}
	}
	C4W_TRY(c4w_sink_commit(f, digest, &err));
	strcat(strcat(strcat(strcat(manifest, c4w_hex(hex, digest, 32)), "  "), rel), "\n");
	return C4W_OK;
}

static int scattered(struct c4w_sink *s, const char *rel)
{
	struct c4w_sink_file *f;
	int k, r = C4W_OK;
	C4W_TRY(c4w_sink_create(s, rel, 60000, 0, &f, &err));
	for (k = 2; k >= 0 && r == C4W_OK; k--) {
		char piece[20000];
		memset(piece, 'a' + k, sizeof piece);
		r = c4w_sink_write_at(f, (uint64_t)k * sizeof piece, piece, sizeof piece, &err);
	}
	if (r != C4W_OK) {
		c4w_sink_abort(f);
		return r;
	}
	return c4w_sink_commit(f, NULL, &err);
}

static int copied(struct c4w_sink *s, const char *from, const char *to)
{
	struct c4w_sink_file *f;
	struct c4w_blob *b;
	int r;
	C4W_TRY(c4w_sink_read(s, from, &b, &err));
	r = c4w_sink_create(s, to, c4w_blob_size(b), 0, &f, &err);
	if (r == C4W_OK) {
		r = c4w_sink_copy(f, b, 0, c4w_blob_size(b), &err);
		if (r == C4W_OK)
			r = c4w_sink_commit(f, NULL, &err);
		else
			c4w_sink_abort(f);
	}
	c4w_blob_close(b);
	return r;
}

static int all(struct c4w_sink *s)
{
	char manifest[1000] = "";
	C4W_TRY(sequential(s, "groups/one/a.bin", 3, manifest));
	C4W_TRY(sequential(s, "groups/one/b.bin", 4, manifest));
	C4W_TRY(sequential(s, "groups/two/c.bin", 5, manifest));
	C4W_TRY(scattered(s, "cache/part.npy"));
	C4W_TRY(copied(s, "groups/two/c.bin", "groups/two/d.bin"));
	C4W_TRY(c4w_sink_put(s, "schema/note.json", "{}\n", 3, 0, true, &err));
	C4W_TRY(c4w_sink_sync(s, &err));
	return c4w_sink_put(s, "manifest", manifest, strlen(manifest), C4W_SINK_DURABLE, true, &err);
}

int main(int argc, char **argv)
{
	struct c4w_sink *s;
	int r;
	if (argc != 2) {
		fprintf(stderr, "usage: sink_tool DEST\n");
		return 2;
	}
	if (c4w_sink_open(argv[1], 0, &s, &err) != C4W_OK)
		return fail();
	r = all(s);
	c4w_sink_close(s);
	return r == C4W_OK ? 0 : fail();
}
