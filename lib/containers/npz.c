/* NPZ: what numpy.savez writes, a ZIP of NPY files. */
#include "containers/npz.h"

#include "base/checked.h"

#include <inttypes.h>
#include <string.h>

const struct c4w_rule c4w_npz_rules[] = {
	{ "npz.name", "each entry's name ends in .npy", "numpy.savez" },
	{ 0 },
};

static const char suffix[] = ".npy";
enum { SUFFIX = sizeof suffix - 1 };

static bool strip(struct c4w_view *name)
{
	if (name->n <= SUFFIX || memcmp(name->p + name->n - SUFFIX, suffix, SUFFIX) != 0)
		return false;
	name->n -= SUFFIX;
	return true;
}

int c4w_npz_open(const uint8_t *p, size_t n, uint64_t limit, struct c4w_arena *arena, struct c4w_npz *out, struct c4w_err *err)
{
	uint64_t total = 0;
	void *mem;
	size_t i;
	out->members = NULL;
	out->count = 0;
	C4W_TRY(c4w_zip_open_memory(p, n, arena, &out->zip, err));
	C4W_TRY(c4w_zip_check(&out->zip, err));
	C4W_TRY(c4w_arena_take(arena, out->zip.count * sizeof *out->members, &mem, err));
	out->members = mem;
	for (i = 0; i < out->zip.count; i++) {
		struct c4w_zip_entry *e = &out->zip.entries[i];
		struct c4w_npz_member *m = &out->members[i];
		m->entry = e;
		m->name = e->name;
		m->bytes = NULL;
		if (!strip(&m->name)) {
			char shown[160];
			return c4w_damaged(err, "npz.name", (int64_t)e->local, "entry '%s' is no .npy file",
					   c4w_str_escape(shown, sizeof shown, e->name.p, e->name.n));
		}
		if (!c4w_add_u64(total, e->size, &total) || total > limit)
			return c4w_fail(err, C4W_LIMIT, "its entries take more than %" PRIu64 " bytes in sum", limit);
	}
	out->count = out->zip.count;
	return C4W_OK;
}

int c4w_npz_load(struct c4w_zip_worker *w, struct c4w_npz *z, struct c4w_npz_member *m, bool check_crc, struct c4w_err *err)
{
	const uint8_t *bytes;
	int rc;
	if (m->bytes)
		return C4W_OK;
	C4W_TRY(c4w_zip_read(w, &z->zip, m->entry, check_crc, UINT64_MAX, z->zip.arena, &bytes, err));
	rc = c4w_npy_read(bytes, (size_t)m->entry->size, z->zip.arena, &m->npy, err);
	if (rc != C4W_OK) {
		char shown[160];
		if (err) {
			err->offset = -1; /* an offset inside the decompressed entry would be taken for one in the archive */
			(void)c4w_err_prefix(err, "entry '%s'", c4w_str_escape(shown, sizeof shown, m->entry->name.p, m->entry->name.n));
		}
		return rc;
	}
	m->bytes = bytes;
	return C4W_OK;
}

struct c4w_npz_member *c4w_npz_find(struct c4w_npz *z, struct c4w_view name)
{
	size_t i;
	for (i = 0; i < z->count; i++)
		if (c4w_view_eq(z->members[i].entry->name, name))
			return &z->members[i];
	for (i = 0; i < z->count; i++)
		if (c4w_view_eq(z->members[i].name, name))
			return &z->members[i];
	return NULL;
}

/* The front of an entry, enough for its header, and how long it is in all. */
struct front {
	uint8_t *p;
	size_t n, cap;
};

static int collect(void *ctx, const uint8_t *p, size_t n, struct c4w_err *err)
{
	struct front *f = ctx;
	size_t room = f->cap - f->n, take = n < room ? n : room;
	(void)err;
	memcpy(f->p + f->n, p, take);
	f->n += take;
	return C4W_OK;
}

int c4w_npz_verify(struct c4w_zip_worker *w, struct c4w_blob *b, struct c4w_arena *arena, struct c4w_faults *faults,
		   struct c4w_err *err)
{
	enum { FRONT = 1024 * 1024 + 64 }; /* the limit of a header and its prefix */
	struct c4w_err own;
	struct c4w_zip z;
	size_t i;
	int rc;
	if (!err)
		err = &own;
	rc = c4w_zip_open_blob(b, 0, c4w_blob_size(b), arena, &z, err);
	if (rc != C4W_OK)
		return c4w_fault(faults, err);
	C4W_TRY(c4w_zip_check_all(&z, faults, err));
	for (i = 0; i < z.count; i++) {
		struct c4w_zip_entry *e = &z.entries[i];
		struct c4w_arena_mark mark = c4w_arena_mark(arena);
		struct front f = { 0 };
		struct c4w_view name = e->name;
		char shown[160];
		struct c4w_npy npy;
		void *mem;
		c4w_str_escape(shown, sizeof shown, name.p, name.n);
		if (!strip(&name)) {
			(void)c4w_damaged(err, "npz.name", (int64_t)e->local, "entry '%s' is no .npy file", shown);
			C4W_TRY(c4w_fault(faults, err));
		}
		f.cap = e->size < FRONT ? (size_t)e->size : FRONT;
		C4W_TRY(c4w_arena_take(arena, f.cap, &mem, err));
		f.p = mem;
		rc = c4w_zip_stream(w, &z, e, collect, &f, err);
		if (rc == C4W_OK && name.n != e->name.n) {
			rc = c4w_npy_parse(f.p, f.n, arena, &npy, err);
			if (rc == C4W_OK)
				rc = c4w_npy_check_length(&npy, e->size - npy.header_size, false, err);
			if (rc != C4W_OK) {
				err->offset = -1;
				(void)c4w_err_prefix(err, "entry '%s'", shown);
			}
		}
		if (rc != C4W_OK && err->rule && strcmp(err->rule, "zip.overlap") == 0)
			rc = C4W_OK; /* the check of the structure has said so */
		if (rc != C4W_OK)
			C4W_TRY(c4w_fault(faults, err));
		c4w_arena_rewind(arena, mark);
	}
	return C4W_OK;
}
