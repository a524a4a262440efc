/* NPZ: the thin path from an archive's directory to an array. */
#include "containers/npz.h"
#include "tap.h"

/* numpy.savez(a=np.arange(3, dtype='<i4')) and savez_compressed of the same, as Python's zipfile lays them out (zip64 local headers). */
#include "npz_bytes.h"
#include "zip_make.h"

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

/* An NPY of three i4, its shape as given. */
static size_t npy(uint8_t *out, const char *descr, unsigned shape, unsigned major)
{
	char head[128];
	size_t n = (size_t)snprintf(head, sizeof head, "{'descr': '%s', 'fortran_order': False, 'shape': (%u,), }\n", descr, shape), prefix = major == 1 ? 10 : 12;
	memcpy(out, "\x93NUMPY", 6);
	memset(out + 6, 0, 6);
	out[6] = (uint8_t)major;
	out[8] = (uint8_t)n;
	memcpy(out + prefix, head, n);
	memset(out + prefix + n, 7, 12);
	return prefix + n + 12;
}

static int note(void *ctx, const struct c4w_err *fault)
{
	char *rules = ctx;
	snprintf(rules + strlen(rules), 200 - strlen(rules), "%s ", fault->rule ? fault->rule : c4w_class_name(fault->cls));
	return C4W_OK;
}

static void test_faults(void)
{
	static uint8_t good[256], longer[256], object[256], version4[256];
	size_t good_n = npy(good, "<i4", 3, 1), longer_n = npy(longer, "<i4", 4, 2), object_n = npy(object, "|O", 3, 1),
	       version_n = npy(version4, "<i4", 3, 4);
	const struct {
		const char *what;
		struct made_entry e[2];
		int open;         /* class of c4w_npz_open */
		int load;         /* of c4w_npz_load of the first */
		const char *rule; /* of whichever fails */
		const char *all;  /* what c4w_npz_verify reports */
	} v[] = {
		{ "good", { { .name = "a.npy", .data = good, .size = good_n }, { .name = "b.npy", .data = good, .size = good_n, .method = 8 } }, 0, 0, "", "" },
		{ "no .npy", { { .name = "a", .data = good, .size = good_n }, { .name = "b.npy", .data = good, .size = good_n } }, C4W_DAMAGED, 0, "npz.name", "npz.name " },
		{ "only .npy", { { .name = ".npy", .data = good, .size = good_n }, { .name = "b.npy", .data = good, .size = good_n } }, C4W_DAMAGED, 0, "npz.name", "npz.name " },
		{ "twice", { { .name = "a.npy", .data = good, .size = good_n }, { .name = "a.npy", .data = good, .size = good_n } }, C4W_DAMAGED, 0, "zip.duplicate",
		  "zip.duplicate " },
		{ "body short", { { .name = "a.npy", .data = longer, .size = longer_n }, { .name = "b.npy", .data = good, .size = good_n } }, 0, C4W_DAMAGED,
		  "npy.body-short", "npy.body-short " },
		{ "body long", { { .name = "a.npy", .data = good, .size = good_n + 1 }, { .name = "b.npy", .data = good, .size = good_n } }, 0, C4W_DAMAGED,
		  "npy.trailing", "npy.trailing " },
		{ "objects", { { .name = "a.npy", .data = object, .size = object_n }, { .name = "b.npy", .data = good, .size = good_n } }, 0, C4W_UNSUPPORTED, "",
		  "unsupported " },
		{ "version 4", { { .name = "a.npy", .data = version4, .size = version_n }, { .name = "b.npy", .data = good, .size = good_n } }, 0, C4W_UNSUPPORTED, "",
		  "unsupported " },
		{ "empty", { { .name = "a.npy" }, { .name = "b.npy", .data = good, .size = 9 } }, 0, C4W_DAMAGED, "npy.magic", "npy.magic npy.header-length " },
		{ "CRC", { { .name = "a.npy", .data = good, .size = good_n, .local_crc = 1, .central_crc = 1 }, { .name = "b.npy", .data = good, .size = good_n } }, 0,
		  C4W_DAMAGED, "zip.crc", "zip.crc " },
	};
	size_t i;
	for (i = 0; i < sizeof v / sizeof *v; i++) {
		struct made m = make_zip(v[i].e, 2, NULL);
		struct c4w_arena arena = { 0 };
		struct c4w_zip_worker *w = NULL;
		struct c4w_blob *b = NULL;
		struct c4w_npz z;
		struct c4w_err err;
		char rules[200] = "";
		struct c4w_faults faults = { note, rules, 0 };
		int rc;
		c4w_err_clear(&err);
		is_int(c4w_zip_worker_new(&w, &err), C4W_OK);
		rc = c4w_npz_open(m.p, m.n, 1 << 20, &arena, &z, &err);
		ok(rc == v[i].open, "%s: opening gives %d (%s)", v[i].what, rc, err.message);
		if (rc == C4W_OK) {
			rc = c4w_npz_load(w, &z, &z.members[0], true, &err);
			ok(rc == v[i].load, "%s: loading gives %d (%s)", v[i].what, rc, err.message);
		}
		is_str(err.rule ? err.rule : "", v[i].rule);
		is_int(c4w_blob_memory("x", m.p, m.n, false, &b, &err), C4W_OK);
		is_int(c4w_npz_verify(w, b, &arena, &faults, &err), C4W_OK);
		ok(strcmp(rules, v[i].all) == 0, "%s: verifying finds '%s', want '%s'", v[i].what, rules, v[i].all);
		c4w_blob_close(b);
		c4w_arena_clear(&arena);
		c4w_zip_worker_free(w);
		free(m.p);
	}
}

int main(void)
{
	RUN(test_faults);
	RUN(test_stored);
	RUN(test_deflated);
	return done();
}
