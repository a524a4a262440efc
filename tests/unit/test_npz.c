/* NPZ: the thin path from an archive's directory to an array. */
#include "containers/npz.h"
#include "tap.h"

/* numpy.savez(a=np.arange(3, dtype='<i4')) and savez_compressed of the same, as Python's zipfile lays them out (zip64 local headers). */
#include "npz_bytes.h"

static void check(const unsigned char *p, size_t n)
{
	struct c4w_arena arena = { 0 };
	struct c4w_zip_worker *w = NULL;
	struct c4w_err err;
	struct c4w_npz z;
	struct c4w_npz_member *m;
	int32_t v[3];
	c4w_err_clear(&err);
	is_int(c4w_zip_worker_new(&w, &err), C4W_OK);
	is_int(c4w_npz_open(p, n, 1 << 20, &arena, &z, &err), C4W_OK);
	is_str(err.message, "");
	m = c4w_npz_find(&z, C4W_VIEW("a"));
	ok(m != NULL, "array a");
	if (m) {
		is_int(c4w_npz_load(w, &z, m, true, &err), C4W_OK);
		is_str(err.message, "");
		is_int(m->npy.array.rank, 1);
		is_int(m->npy.array.shape[0], 3);
		ok(c4w_dtype_is(&m->npy.array.dtype, 'i', 4), "i4");
		memcpy(v, m->npy.array.bytes, sizeof v);
		is_int(v[2], 2);
	}
	ok(c4w_npz_find(&z, C4W_VIEW("b")) == NULL, "no b");
	ok(c4w_npz_find(&z, C4W_VIEW("a.npy")) == m, "full name");
	is_int(c4w_npz_open(p, n, 100, &arena, &z, &err), C4W_LIMIT);
	c4w_arena_clear(&arena);
	c4w_zip_worker_free(w);
}

static void test_stored(void)
{
	check(npz_stored, sizeof npz_stored);
}

static void test_deflated(void)
{
	check(npz_deflated, sizeof npz_deflated);
}

int main(void)
{
	RUN(test_stored);
	RUN(test_deflated);
	return done();
}
