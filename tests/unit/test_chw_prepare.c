/* Extract and to-cache over a source whose reads fail: at the n-th call, for every n, reading fails or ends early, or a file that is listed
 * can't be opened. The destination is never taken for complete, and a later run without the fault finishes it. */
#include "families/chw.h"
#include "model/plan.h"
#include "storage/store.h"
#include "tap.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

static char dest[300];
static struct c4w_err err;

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void empty_dest(void)
{
	nftw(dest, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static unsigned files;

static int count_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)path;
	(void)st;
	(void)ftw;
	files += type == FTW_F;
	return 0;
}

static unsigned count_files(void)
{
	files = 0;
	nftw(dest, count_one, 16, FTW_PHYS);
	return files;
}

static bool has_manifest(void)
{
	char path[400];
	snprintf(path, sizeof path, "%s/c4w-root.json", dest);
	return access(path, F_OK) == 0;
}

static bool deliver(void *ctx, struct c4w_item *item, struct c4w_result *result)
{
	(void)item;
	*(size_t *)ctx += result->findings.n;
	return true;
}

/* One run; returns whether it said that everything is there. */
static bool run(struct c4w_store *store, bool cache, bool keep, enum c4w_level level, unsigned jobs)
{
	static const struct c4w_selarg v[] = { { "split", "test" }, { "components", "core,detail,positions,geometry" } };
	const struct c4w_selargs args = { v, 2 };
	struct c4w_write_opts opts = { .verify = (int)level, .keep_existing = keep, .tool = "test" };
	struct c4w_drive_opts drive = { .jobs = jobs, .deliver = deliver };
	struct c4w_writing w = { 0 };
	struct chw_root *root = NULL;
	void *selection = NULL;
	size_t findings = 0;
	bool done = false;
	c4w_err_clear(&err);
	if (chw_root_open(store, "memory", &root, &err) != C4W_OK)
		return false;
	if (chw_compile(root, &args, &selection, &err) != C4W_OK)
		goto out;
	if (c4w_sink_open(dest, keep ? 0 : C4W_SINK_EMPTY, &opts.sink, &err) != C4W_OK)
		goto out;
	drive.ctx = &findings;
	if ((cache ? chw_to_cache : chw_extract)(root, selection, &opts, &w, &err) == C4W_OK && c4w_drive(&w.job, &drive, &err) == C4W_OK && !findings)
		done = w.finish(w.ctx, &err) == C4W_OK;
	c4w_writing_destroy(&w);
	c4w_sink_close(opts.sink);
out:
	chw_selection_free(selection);
	chw_root_free(root);
	return done;
}

static struct c4w_store *source(void)
{
	struct c4w_store *mem = NULL, *dir = NULL;
	if (c4w_store_open_dir("tests/data/channels4world/release", &dir, &err) != C4W_OK || c4w_memstore_new(&mem, &err) != C4W_OK ||
	    c4w_memstore_load(mem, dir, "", &err) != C4W_OK) {
		c4w_store_close(mem);
		mem = NULL;
	}
	c4w_store_close(dir);
	return mem;
}

static void faults(bool cache, bool cut)
{
	static const struct c4w_memstore_faults none = { 0, 0, NULL };
	struct c4w_store *mem = source();
	uint64_t calls = 0, bytes = 0;
	unsigned whole, wrong = 0, unfinished = 0, failed = 0;
	int64_t n;
	ok(mem != NULL, "the fixture is in memory");
	if (!mem)
		return;
	empty_dest();
	c4w_memstore_faults(mem, &none);
	ok(run(mem, cache, false, C4W_LEVEL_BASIC, 1), "undisturbed: %s", err.message);
	c4w_memstore_counts(mem, &calls, &bytes);
	whole = count_files();
	ok(calls > 20 && whole > 20, "%llu calls, %u files", (unsigned long long)calls, whole);
	for (n = 1; n <= (int64_t)calls; n++) {
		struct c4w_memstore_faults f = { cut ? 0 : n, cut ? n : 0, NULL };
		bool done;
		empty_dest();
		c4w_memstore_faults(mem, &f);
		done = run(mem, cache, false, C4W_LEVEL_BASIC, n % 3 == 0 ? 2 : 1);
		failed += !done;
		/* A fault may hit nothing that matters; then all must be there. */
		wrong += done ? count_files() != whole : has_manifest();
		c4w_memstore_faults(mem, &none);
		unfinished += !run(mem, cache, true, C4W_LEVEL_BASIC, 1) || count_files() != whole;
	}
	ok(wrong == 0, "%u taken for complete", wrong);
	ok(unfinished == 0, "%u not finished afterwards", unfinished);
	ok(failed > 20, "%u of %llu runs failed", failed, (unsigned long long)calls);
	c4w_store_close(mem);
	empty_dest();
}

static void extract_read_fails(void)
{
	faults(false, false);
}

static void extract_read_ends_early(void)
{
	faults(false, true);
}

static void cache_read_fails(void)
{
	faults(true, false);
}

static void cache_read_ends_early(void)
{
	faults(true, true);
}

static void a_file_is_lost(void)
{
	static const char *const lost[] = { "groups/test-urban-g00000/core-3500000000.tar", "groups/test-urban-g00000/geometry.tar",
					    "groups/test-urban-g00000/snapshot.json", "groups/test-urban-g00000/catalog/members.parquet",
					    "groups/test-urban-g00000/catalog/objects.parquet", "schema/arrays.json" };
	struct c4w_store *mem = source();
	size_t i;
	ok(mem != NULL, "the fixture is in memory");
	for (i = 0; mem && i < 2 * sizeof lost / sizeof *lost; i++) {
		struct c4w_memstore_faults f = { 0, 0, lost[i / 2] };
		empty_dest();
		c4w_memstore_faults(mem, &f);
		ok(!run(mem, i % 2, false, C4W_LEVEL_FULL, 2), "without %s", lost[i / 2]);
		ok(!has_manifest(), "no manifest");
	}
	c4w_store_close(mem);
	empty_dest();
}

static void levels_agree(void)
{
	struct c4w_store *mem = source();
	int level;
	ok(mem != NULL, "the fixture is in memory");
	for (level = C4W_LEVEL_NONE; mem && level <= C4W_LEVEL_FULL; level++) {
		empty_dest();
		ok(run(mem, false, false, (enum c4w_level)level, 2), "level %d: %s", level, err.message);
		ok(run(mem, false, true, (enum c4w_level)level, 2), "again: %s", err.message);
		is_int(count_files(), 34);
	}
	c4w_store_close(mem);
	empty_dest();
}

int main(void)
{
	/* In memory where that is possible: some hundred runs would wait for the disk otherwise. */
	const char *tmp = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : getenv("TMPDIR");
	snprintf(dest, sizeof dest, "%s/c4w-prepare-%d", tmp ? tmp : "/tmp", (int)getpid());
	RUN(extract_read_fails);
	RUN(extract_read_ends_early);
	RUN(cache_read_fails);
	RUN(cache_read_ends_early);
	RUN(a_file_is_lost);
	RUN(levels_agree);
	return done();
}
