/* The library's own view of a file, for the peers' scripts: one line of text a fact.
 *
 * probe npy FILE                 dtype, shape, order, version
 * probe print FORM FILE [SLICE]  csv, tsv, jsonl, npy, raw; several jobs may be read from standard input, see `batch`
 * probe zip FILE                 faults of the structure; entries: method, sizes, CRC as found by reading, name
 * probe tar FILE                 members: type, size, stored, name, link, CRC of the content; then the error
 * probe tarlist FILE            sizes and names only
 * probe zst FILE                 frames; then the size and CRC of what comes out
 * probe units                    per line of standard input, NUL for a newline in it: 1 when TimeF knows it as a unit, else 0
 */
#include "base/crc.h"
#include "containers/npz.h"
#include "containers/tar.h"
#include "containers/zst.h"
#include "families/timef.h"
#include "model/print.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int fail(const struct c4w_err *err)
{
	char text[2048];
	c4w_err_format(err, text, sizeof text);
	printf("error %s %s %s\n", c4w_class_name(err->cls), err->rule ? err->rule : "-", text);
	return 1;
}

static void put_name(struct c4w_view v)
{
	char shown[70000];
	fputs(c4w_str_escape(shown, sizeof shown, v.p, v.n), stdout);
}

static int load(struct c4w_blob *b, struct c4w_arena *arena, struct c4w_npy *npy, struct c4w_err *err)
{
	const uint8_t *p;
	C4W_TRY(c4w_blob_view(b, 0, c4w_blob_size(b), arena, &p, err));
	return c4w_npy_read(p, c4w_blob_size(b), arena, npy, err);
}

static int to_file(void *ctx, const uint8_t *p, size_t n, struct c4w_err *err)
{
	(void)err;
	return fwrite(p, 1, n, ctx) == n ? C4W_OK : C4W_IO;
}

static int print(struct c4w_blob *b, const char *form, const char *slice, const char *columns, FILE *out)
{
	static const char *const forms[] = { "csv", "tsv", "jsonl" };
	struct c4w_slice slices[C4W_ARRAY_RANK_MAX];
	struct c4w_arena arena = { 0 };
	struct c4w_npy npy;
	struct c4w_err err;
	struct c4w_nd v;
	unsigned n = 0, k;
	int rc = load(b, &arena, &npy, &err);
	if (rc == C4W_OK) {
		c4w_nd_of(&npy.array, &v);
		if (*slice)
			rc = c4w_slice_parse(slice, slices, &n, &err);
		if (rc == C4W_OK)
			rc = c4w_nd_slice(&v, slices, n, &err);
	}
	if (rc == C4W_OK && *columns) {
		const char *names[16];
		char *copy = strdup(columns), *at = copy, *name;
		size_t count = 0;
		while ((name = strsep(&at, ",")) != NULL && count < 16)
			names[count++] = name;
		rc = c4w_nd_columns(&v, names, count, &arena, &err);
		free(copy);
	}
	if (rc == C4W_OK) {
		for (k = 0; k < 3 && strcmp(form, forms[k]) != 0; k++)
			;
		if (k < 3)
			rc = c4w_nd_print(&v, (enum c4w_text)k, true, to_file, out, &err);
		else if (strcmp(form, "npy") == 0)
			rc = c4w_nd_npy(&v, to_file, out, &err);
		else
			rc = c4w_nd_raw(&v, to_file, out, &err);
	}
	c4w_arena_clear(&arena);
	return rc == C4W_OK ? 0 : fail(&err);
}

/* Lines of "FORM IN OUT SLICE COLUMNS", the last two "-" for none. */
static int batch(void)
{
	char line[4096], form[16], in[1024], out[1024], slice[256], columns[1024];
	int bad = 0;
	while (fgets(line, sizeof line, stdin)) {
		struct c4w_blob *b = NULL;
		struct c4w_err err;
		FILE *f;
		if (sscanf(line, "%15s %1023s %1023s %255s %1023s", form, in, out, slice, columns) != 5)
			return 2;
		f = fopen(out, "wb");
		if (!f || c4w_blob_file(in, &b, &err) != C4W_OK)
			return 2;
		bad |= print(b, form, strcmp(slice, "-") ? slice : "", strcmp(columns, "-") ? columns : "", f);
		c4w_blob_close(b);
		fclose(f);
	}
	return bad;
}

static int show_npy(struct c4w_blob *b)
{
	struct c4w_arena arena = { 0 };
	struct c4w_npy npy;
	struct c4w_err err;
	char text[4096];
	int rc = load(b, &arena, &npy, &err);
	if (rc != C4W_OK) {
		c4w_arena_clear(&arena);
		return fail(&err);
	}
	printf("%s\n", c4w_dtype_text(&npy.array.dtype, text, sizeof text));
	printf("%s\n%s\n%u\n", c4w_shape_text(npy.array.rank, npy.array.shape, text, sizeof text), npy.array.fortran ? "F" : "C", npy.major);
	c4w_arena_clear(&arena);
	return 0;
}

static int report(void *ctx, const struct c4w_err *fault)
{
	(void)ctx;
	printf("fault %s %s %s\n", c4w_class_name(fault->cls), fault->rule ? fault->rule : "-", fault->message);
	return C4W_OK;
}

struct sum {
	uint64_t n;
	uint32_t crc;
};

static int add(void *ctx, const uint8_t *p, size_t n, struct c4w_err *err)
{
	struct sum *s = ctx;
	(void)err;
	s->crc = c4w_crc32(s->crc, p, n);
	s->n += n;
	return C4W_OK;
}

static int show_zip(struct c4w_blob *b)
{
	struct c4w_faults faults = { report, NULL, 0 };
	struct c4w_zip_worker *w = NULL;
	struct c4w_arena arena = { 0 };
	struct c4w_err err;
	struct c4w_zip z;
	size_t i;
	if (c4w_zip_open_blob(b, 0, c4w_blob_size(b), &arena, &z, &err) != C4W_OK || c4w_zip_worker_new(&w, &err) != C4W_OK) {
		c4w_arena_clear(&arena);
		return fail(&err);
	}
	(void)!c4w_zip_check_all(&z, &faults, &err);
	for (i = 0; i < z.count; i++) {
		struct sum s = { 0 };
		int rc = c4w_zip_stream(w, &z, &z.entries[i], add, &s, &err);
		printf("%u %" PRIu64 " %" PRIu64 " %08" PRIx32 " %s ", z.entries[i].method, z.entries[i].compressed, z.entries[i].size,
		       rc == C4W_OK ? s.crc : 0, rc == C4W_OK ? "ok" : err.rule ? err.rule : c4w_class_name(err.cls));
		put_name(z.entries[i].name);
		putchar('\n');
		faults.count += rc != C4W_OK;
	}
	c4w_zip_worker_free(w);
	c4w_arena_clear(&arena);
	return faults.count != 0;
}

static int show_tar(struct c4w_blob *b)
{
	struct c4w_arena arena = { 0 };
	struct c4w_tar_member *v = NULL;
	struct c4w_tar t;
	struct c4w_err err;
	size_t n = 0, i;
	int rc;
	if (c4w_tar_open(b, 0, c4w_blob_size(b), &arena, &t, &err) != C4W_OK)
		return fail(&err);
	rc = c4w_tar_list(&t, &v, &n, &err);
	for (i = 0; i < n; i++) {
		uint64_t at;
		uint32_t crc = 0;
		for (at = 0; at < v[i].size;) {
			uint8_t buf[4096];
			size_t part = v[i].size - at < sizeof buf ? (size_t)(v[i].size - at) : sizeof buf;
			struct c4w_err e;
			if (c4w_tar_read(&t, &v[i], at, part, buf, &e) != C4W_OK)
				return fail(&e);
			crc = c4w_crc32(crc, buf, part);
			at += part;
		}
		printf("%c %" PRIu64 " %" PRIu64 " %08" PRIx32 " %o %" PRId64 " %" PRId64 " %" PRId64 "|", v[i].type, v[i].size, v[i].data, crc, v[i].mode, v[i].uid,
		       v[i].gid, v[i].mtime);
		put_name(v[i].path);
		putchar('|');
		put_name(v[i].link);
		putchar('\n');
	}
	if (rc != C4W_OK)
		fail(&err);
	c4w_arena_clear(&arena);
	return rc != C4W_OK;
}

static int list_tar(struct c4w_blob *b)
{
	struct c4w_arena arena = { 0 };
	struct c4w_tar_member *v = NULL;
	struct c4w_tar t;
	struct c4w_err err;
	size_t n = 0, i;
	int rc = c4w_tar_open(b, 0, c4w_blob_size(b), &arena, &t, &err);
	if (rc == C4W_OK)
		rc = c4w_tar_list(&t, &v, &n, &err);
	for (i = 0; i < n; i++) {
		printf("%" PRIu64 " ", v[i].size);
		put_name(v[i].path);
		putchar('\n');
	}
	c4w_arena_clear(&arena);
	return rc == C4W_OK ? 0 : fail(&err);
}

static int show_zst(struct c4w_blob *b)
{
	struct c4w_zst_worker *w = NULL;
	struct c4w_arena arena = { 0 };
	struct c4w_zst_frame *v = NULL;
	struct sum s = { 0 };
	struct c4w_err err;
	size_t n = 0, i;
	int rc = c4w_zst_worker_new(&w, &err);
	if (rc == C4W_OK)
		rc = c4w_zst_list(b, &arena, &v, &n, &err);
	for (i = 0; rc == C4W_OK && i < n; i++)
		printf("%s %" PRIu64 " %" PRIu64 " %" PRId64 " %d\n", v[i].skippable ? "skippable" : "frame", v[i].offset, v[i].stored, v[i].content,
		       v[i].checksum);
	if (rc == C4W_OK)
		rc = c4w_zst_stream(w, b, 0, add, &s, &err);
	c4w_zst_worker_free(w);
	c4w_arena_clear(&arena);
	if (rc != C4W_OK)
		return fail(&err);
	printf("content %" PRIu64 " %08" PRIx32 "\n", s.n, s.crc);
	return 0;
}

static int units(void)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t n, i;
	while ((n = getline(&line, &room, stdin)) > 0) {
		for (n--, i = 0; i < n; i++)
			line[i] = line[i] ? line[i] : '\n';
		putchar(c4w_timef_unit_known((struct c4w_view){ line, (size_t)n }) ? '1' : '0');
	}
	free(line);
	putchar('\n');
	return 0;
}

int main(int argc, char **argv)
{
	struct c4w_blob *b = NULL;
	struct c4w_err err;
	int rc;
	if (argc == 2 && strcmp(argv[1], "batch") == 0)
		return batch();
	if (argc == 2 && strcmp(argv[1], "units") == 0)
		return units();
	if (argc < 3)
		return 2;
	if (c4w_blob_file(argv[strcmp(argv[1], "print") == 0 ? 3 : 2], &b, &err) != C4W_OK)
		return fail(&err);
	if (strcmp(argv[1], "print") == 0)
		rc = print(b, argv[2], argc > 4 ? argv[4] : "", argc > 5 ? argv[5] : "", stdout);
	else if (strcmp(argv[1], "npy") == 0)
		rc = show_npy(b);
	else if (strcmp(argv[1], "zip") == 0)
		rc = show_zip(b);
	else if (strcmp(argv[1], "tar") == 0)
		rc = show_tar(b);
	else if (strcmp(argv[1], "tarlist") == 0)
		rc = list_tar(b);
	else
		rc = show_zst(b);
	c4w_blob_close(b);
	return rc;
}
