/* Our view of ZIP archives against libzip's, for every archive below tests/data (also those inside TAR files). libzip sees no overlaps
 * and believes local headers, so the comparison is of archives that it opens: entries, names, sizes, methods, CRCs, contents. */
#include "containers/tar.h"
#include "containers/zip.h"
#include "tap.h"

#include <ftw.h>
#include <zip.h>

static const char *where = "tests/data";
static unsigned archives, entries, contents;

static void compare_entry(zip_t *za, struct c4w_zip *z, struct c4w_zip_worker *w, size_t i, struct c4w_arena *arena, const char *file)
{
	struct c4w_zip_entry *e = &z->entries[i];
	const uint8_t *ours;
	struct c4w_err err;
	zip_stat_t st;
	zip_file_t *f;
	char *theirs;
	zip_stat_init(&st);
	ok(zip_stat_index(za, i, ZIP_FL_ENC_RAW, &st) == 0, "%s: entry %zu", file, i);
	ok(c4w_view_eqz(e->name, st.name), "%s: name %s", file, st.name);
	ok(e->size == st.size && e->compressed == st.comp_size, "%s: sizes of %s", file, st.name);
	ok(e->method == st.comp_method && e->crc32 == st.crc, "%s: method and CRC of %s", file, st.name);
	entries++;
	if (c4w_zip_read(w, z, e, true, 64 << 20, arena, &ours, &err) != C4W_OK)
		return; /* our rules are stricter; what they are for is tested elsewhere */
	f = zip_fopen_index(za, i, 0);
	if (!f)
		return; /* a method that this libzip was built without */
	theirs = malloc(st.size + 1);
	ok(zip_fread(f, theirs, st.size + 1) == (zip_int64_t)st.size && memcmp(theirs, ours, st.size) == 0, "%s: content of %s", file, st.name);
	contents++;
	free(theirs);
	zip_fclose(f);
}

static void compare(const uint8_t *p, size_t n, const char *file)
{
	struct c4w_zip_worker *w = NULL;
	struct c4w_arena arena = { 0 };
	struct c4w_err err;
	struct c4w_zip z;
	zip_error_t error;
	zip_source_t *source;
	zip_t *za;
	size_t i;
	zip_error_init(&error);
	source = zip_source_buffer_create(p, n, 0, &error);
	za = zip_open_from_source(source, ZIP_RDONLY, &error);
	if (c4w_zip_open_memory(p, n, &arena, &z, &err) == C4W_OK && c4w_zip_worker_new(&w, &err) == C4W_OK && za) {
		archives++;
		is_int(z.count, zip_get_num_entries(za, 0));
		for (i = 0; i < z.count; i++)
			compare_entry(za, &z, w, i, &arena, file);
	}
	if (za)
		zip_discard(za);
	else
		zip_source_free(source);
	zip_error_fini(&error);
	c4w_zip_worker_free(w);
	c4w_arena_clear(&arena);
}

static void members(struct c4w_blob *b, const char *path)
{
	struct c4w_arena arena = { 0 };
	struct c4w_tar_member *v = NULL;
	struct c4w_tar t;
	struct c4w_err err;
	size_t n = 0, i;
	if (c4w_tar_open(b, 0, c4w_blob_size(b), &arena, &t, &err) == C4W_OK)
		(void)!c4w_tar_list(&t, &v, &n, &err);
	for (i = 0; i < n; i++) {
		uint8_t *p;
		if (v[i].type != C4W_TAR_FILE || v[i].size < 22 || v[i].size > 64 << 20)
			continue;
		p = malloc(v[i].size);
		if (c4w_tar_read(&t, &v[i], 0, v[i].size, p, &err) == C4W_OK && memcmp(p, "PK", 2) == 0)
			compare(p, v[i].size, path);
		free(p);
	}
	c4w_arena_clear(&arena);
}

static int each(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	struct c4w_blob *b = NULL;
	struct c4w_err err;
	uint8_t head[2] = { 0, 0 };
	size_t n = strlen(path);
	(void)ftw;
	if (kind != FTW_F || st->st_size < 22 || st->st_size > 64 << 20 || c4w_blob_file(path, &b, &err) != C4W_OK)
		return 0;
	(void)!c4w_blob_read_at(b, 0, 2, head, &err);
	if (memcmp(head, "PK", 2) == 0) {
		uint8_t *p = malloc((size_t)st->st_size);
		if (c4w_blob_read_at(b, 0, (size_t)st->st_size, p, &err) == C4W_OK)
			compare(p, (size_t)st->st_size, path);
		free(p);
	} else if (n > 4 && strcmp(path + n - 4, ".tar") == 0) {
		members(b, path);
	}
	c4w_blob_close(b);
	return 0;
}

static void test_every_archive(void)
{
	is_int(nftw(where, each, 16, FTW_PHYS), 0);
	ok(archives >= 8 && entries >= 20 && contents >= 15, "%u archives, %u entries, %u contents", archives, entries, contents);
	printf("# %u archives, %u entries, %u contents compared\n", archives, entries, contents);
}

/* Another folder may be named. */
int main(int argc, char **argv)
{
	if (argc > 1)
		where = argv[1];
	RUN(test_every_archive);
	return done();
}
