/* A read that fails or ends early is an I/O error in every container, never damage and never success. */
#include "containers/npz.h"
#include "containers/tar.h"
#include "containers/zst.h"
#include "tap.h"

typedef int (*verify_fn)(struct c4w_blob *b, struct c4w_arena *arena, struct c4w_faults *faults, struct c4w_err *err);

static int zip_fn(struct c4w_blob *b, struct c4w_arena *arena, struct c4w_faults *faults, struct c4w_err *err)
{
	struct c4w_zip_worker *w = NULL;
	int rc;
	C4W_TRY(c4w_zip_worker_new(&w, err));
	rc = c4w_zip_verify(w, b, arena, faults, err);
	c4w_zip_worker_free(w);
	return rc;
}

static int npz_fn(struct c4w_blob *b, struct c4w_arena *arena, struct c4w_faults *faults, struct c4w_err *err)
{
	struct c4w_zip_worker *w = NULL;
	int rc;
	C4W_TRY(c4w_zip_worker_new(&w, err));
	rc = c4w_npz_verify(w, b, arena, faults, err);
	c4w_zip_worker_free(w);
	return rc;
}

static int zst_fn(struct c4w_blob *b, struct c4w_arena *arena, struct c4w_faults *faults, struct c4w_err *err)
{
	struct c4w_zst_worker *w = NULL;
	int rc;
	(void)arena;
	C4W_TRY(c4w_zst_worker_new(&w, err));
	rc = c4w_zst_verify(w, b, 0, faults, err);
	c4w_zst_worker_free(w);
	return rc;
}

static void every_read(const char *name, verify_fn verify)
{
	struct c4w_store *dir = NULL, *mem = NULL;
	struct c4w_blob *b = NULL;
	struct c4w_err err;
	uint64_t calls = 0, bytes, n;
	uint8_t *p;
	int kind;
	is_int(c4w_store_open_dir("tests/data/containers", &dir, &err), C4W_OK);
	is_int(c4w_store_open(dir, name, &b, &err), C4W_OK);
	n = c4w_blob_size(b);
	p = malloc(n);
	is_int(c4w_blob_read_at(b, 0, n, p, &err), C4W_OK);
	c4w_blob_close(b);
	c4w_store_close(dir);
	is_int(c4w_memstore_new(&mem, &err), C4W_OK);
	is_int(c4w_memstore_put(mem, name, p, n, &err), C4W_OK);
	free(p);
	for (kind = 0; kind < 2; kind++) {
		int64_t nth;
		for (nth = 2; nth < 200; nth++) { /* the first call opens */
			struct c4w_memstore_faults f = { .fail_nth = kind ? 0 : nth, .cut_nth = kind ? nth : 0 };
			struct c4w_arena arena = { 0 };
			struct c4w_faults faults = { 0 };
			int rc;
			c4w_memstore_faults(mem, &f);
			is_int(c4w_store_open(mem, name, &b, &err), C4W_OK);
			c4w_err_clear(&err);
			rc = verify(b, &arena, &faults, &err);
			c4w_memstore_counts(mem, &calls, &bytes);
			c4w_blob_close(b);
			c4w_arena_clear(&arena);
			if (calls < (uint64_t)nth || rc == C4W_OK) {
				ok(rc == C4W_OK && nth > 2, "%s: as many reads as there are, then success (%s)", name, err.message);
				is_int(faults.count, 0);
				break;
			}
			ok(rc == C4W_IO && faults.count == 0, "%s: read %lld gives class %d, %llu faults: %s", name, (long long)nth, rc,
			   (unsigned long long)faults.count, err.message);
		}
		ok(nth < 200, "%s ends", name);
	}
	c4w_store_close(mem);
}

static void test_zip(void)
{
	every_read("methods.zip", zip_fn);
	every_read("streamed.zip", zip_fn);
	every_read("zip64-end.zip", zip_fn);
}

static void test_npz(void)
{
	every_read("savez.npz", npz_fn);
	every_read("savez_compressed.npz", npz_fn);
}

static void test_tar(void)
{
	every_read("sparse-1.0.tar", c4w_tar_verify);
	every_read("long-gnu.tar", c4w_tar_verify);
	every_read("pieces-gnu.tar", c4w_tar_verify);
}

static void test_zst(void)
{
	every_read("two.zst", zst_fn);
	every_read("skippable-first.zst", zst_fn);
}

static void test_npy(void)
{
	every_read("struct-1.npy", c4w_npy_verify);
}

int main(void)
{
	RUN(test_zip);
	RUN(test_npz);
	RUN(test_tar);
	RUN(test_zst);
	RUN(test_npy);
	return done();
}
