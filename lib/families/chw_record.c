/* One numeric record: finding its bytes (section 3), taking the NPZ apart (section 4) and checking it (section 5). */
#include "families/chw.h"

#include "base/checked.h"
#include "base/limits.h"
#include "base/sha256.h"

#include <inttypes.h>
#include <stdarg.h>

int chw_worker_new(void *ctx, void **out, struct c4w_err *err)
{
	struct chw_worker *w = calloc(1, sizeof *w);
	(void)ctx;
	*out = NULL;
	if (!w)
		return c4w_fail_memory(err, sizeof *w);
	if (c4w_zip_worker_new(&w->zip, err) != C4W_OK) {
		free(w);
		return C4W_MEMORY;
	}
	*out = w;
	return C4W_OK;
}

void chw_worker_free(void *ctx, void *worker)
{
	struct chw_worker *w = worker;
	(void)ctx;
	if (w)
		c4w_zip_worker_free(w->zip);
	free(w);
}

struct c4w_view chw_missing_text(const char *path, char *buf, size_t size)
{
	char shown[300];
	c4w_str_escape(shown, sizeof shown, path, strlen(path));
	snprintf(buf, size, "%s is not downloaded", shown);
	return c4w_view_z(buf);
}

bool chw_fetch(struct chw_group *g, const struct chw_place *place, const char *component, struct c4w_arena *arena, const uint8_t **out,
	       struct c4w_findings *fs)
{
	const struct chw_root *r = g->root;
	struct c4w_blob *blob = NULL, *own = NULL;
	struct c4w_err err;
	uint64_t size;
	char message[400];
	int cls;
	c4w_err_clear(&err);
	if (place->where == CHW_AT_MEMBER) {
		cls = chw_open_file(g, place->path, &blob, &err);
	} else {
		cls = c4w_store_open(r->store, place->path, &own, &err);
		blob = own;
	}
	if (cls == C4W_ABSENT) {
		chw_missing_text(place->path, message, sizeof message);
		c4w_findings_addf(fs, C4W_SEV_ERROR, C4W_STATE_MISSING, component, NULL, place->path, -1, "%s", message);
		return false;
	}
	if (cls != C4W_OK)
		goto fail;
	size = c4w_blob_size(blob);
	if (size != (uint64_t)r->files[place->file].bytes) {
		char found[32];
		struct c4w_finding f = { C4W_SEV_ERROR, C4W_STATE_FAILED, component, NULL, place->path, -1, message, NULL, found, 1, 0 };
		char expected[40];
		f.rule = place->where == CHW_AT_MEMBER ? "record.archive-size" : "record.size";
		snprintf(message, sizeof message, "the size of %s is not what the root lists", place->path);
		snprintf(expected, sizeof expected, "%" PRId64 " bytes", r->files[place->file].bytes);
		snprintf(found, sizeof found, "%" PRIu64, size);
		f.expected = expected;
		c4w_findings_add(fs, &f);
		c4w_blob_close(own);
		return false;
	}
	if (place->offset < 0 || place->bytes < 0 || (uint64_t)place->offset > size || (uint64_t)place->bytes > size - (uint64_t)place->offset) {
		struct c4w_finding f = { C4W_SEV_ERROR, C4W_STATE_FAILED, component, "record.range", place->path, -1, message, NULL, NULL, 1, 0 };
		char expected[60];
		snprintf(message, sizeof message, "the member is said to be %" PRId64 " bytes at %" PRId64, place->bytes, place->offset);
		snprintf(expected, sizeof expected, "within the %" PRIu64 " bytes of the archive", size);
		f.expected = expected;
		c4w_findings_add(fs, &f);
		c4w_blob_close(own);
		return false;
	}
	cls = c4w_blob_view(blob, (uint64_t)place->offset, (size_t)place->bytes, arena, out, &err);
	c4w_blob_close(own);
	if (cls == C4W_OK)
		return true;
fail:
	c4w_findings_add_err(fs, component, place->path, &err);
	return false;
}

static void fail_at(struct c4w_findings *fs, const char *component, const char *rule, const char *path, const char *expected, const char *found,
		    const char *fmt, ...) C4W_PRINTF(7, 8);
static void fail_at(struct c4w_findings *fs, const char *component, const char *rule, const char *path, const char *expected, const char *found,
		    const char *fmt, ...)
{
	char message[300];
	struct c4w_finding f = { C4W_SEV_ERROR, C4W_STATE_FAILED, component, rule, path, -1, message, expected, found, 1, 0 };
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(message, sizeof message, fmt, ap);
	va_end(ap);
	c4w_findings_add(fs, &f);
}

void chw_digest_finding(struct c4w_findings *fs, const char *component, const char *rule, const char *path, const struct chw_digest *want,
			const struct chw_digest *got, const char *message)
{
	char a[65], b[65];
	fail_at(fs, component, rule, path, c4w_hex(a, want->b, 32), c4w_hex(b, got->b, 32), "%s", message);
}

/* ---- the embedded header ---- */

/* UTF-32 of either byte order to UTF-8, trailing NULs dropped. Surrogates and values beyond U+10FFFF are damage. */
static int meta_text(const struct c4w_array *a, struct c4w_arena *arena, struct c4w_view *out, struct c4w_err *err)
{
	size_t n = (size_t)(a->size / 4), i, used = 0;
	bool big = a->dtype.order == '>';
	char *p;
	void *mem;
	C4W_TRY(c4w_arena_take(arena, n * 4 + 1, &mem, err));
	p = mem;
	for (i = 0; i < n; i++) {
		const uint8_t *b = a->bytes + 4 * i;
		uint32_t cp = big ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3] : c4w_le32(b);
		if (cp - 1 < 0x7F) {
			p[used++] = (char)cp;
			continue;
		}
		if (cp > 0x10FFFF || (cp >= 0xD800 && cp <= 0xDFFF))
			return c4w_damaged(err, "record.meta", -1, "__meta__ holds %08x, which is no character", cp);
		used += c4w_utf8_encode(cp, p + used);
	}
	while (used && p[used - 1] == 0)
		used--;
	*out = (struct c4w_view){ p, used };
	return C4W_OK;
}

static void check_meta(struct chw_group *g, const struct chw_row *row, const struct c4w_array *a, const char *path, struct c4w_arena *arena,
		       struct c4w_findings *fs)
{
	const char *component = chw_component_names[row->component];
	struct c4w_view text, own;
	struct c4w_json doc, own_doc;
	struct chw_digest digest;
	struct c4w_err err;
	bool equal = false;
	int cls;
	c4w_err_clear(&err);
	cls = meta_text(a, arena, &text, &err);
	if (cls == C4W_OK && text.n == row->header_n) {
		c4w_sha256(text.p, text.n, digest.b);
		if (memcmp(digest.b, row->header.b, 32) == 0)
			return; /* letter for letter the snapshot's, which was parsed strictly */
	}
	if (cls == C4W_OK)
		cls = c4w_json_parse(text, C4W_JSON_BOM | C4W_JSON_FINITE, 0, arena, &doc, &err);
	if (cls == C4W_OK)
		cls = chw_header_text(g, row, arena, &own, &err);
	if (cls == C4W_OK)
		cls = c4w_json_parse(own, C4W_JSON_STRICT, 0, arena, &own_doc, &err);
	if (cls == C4W_OK)
		cls = c4w_json_equal(&doc, 0, &own_doc, 0, arena, &equal, &err);
	if (cls != C4W_OK) {
		c4w_err_prefix(&err, "__meta__");
		err.offset = -1;
		c4w_findings_add_err(fs, component, path, &err);
	} else if (!equal) {
		fail_at(fs, component, "record.header", path, NULL, NULL, "the embedded header differs from the snapshot's");
	}
}

/* ---- entries ---- */

/* At level basic only the header of a large entry is decompressed. Fills npy.array without bytes. */
static int load_header(struct c4w_zip_worker *zip, struct c4w_npz *npz, struct c4w_npz_member *m, struct c4w_arena *arena, struct c4w_err *err)
{
	size_t n = 128, need; /* what numpy writes for a plain array */
	void *p;
	C4W_TRY(c4w_arena_take(arena, n, &p, err));
	C4W_TRY(c4w_zip_head(zip, &npz->zip, m->entry, p, n, err));
	C4W_TRY(c4w_npy_need(p, n, &need, err));
	if (need > n && need <= m->entry->size) {
		n = need;
		C4W_TRY(c4w_arena_take(arena, n, &p, err));
		C4W_TRY(c4w_zip_head(zip, &npz->zip, m->entry, p, n, err));
	}
	return c4w_npy_parse(p, n, arena, &m->npy, err);
}

static bool field_name(const struct chw_field *fields, unsigned n, struct c4w_view name, unsigned *out)
{
	for (*out = 0; *out < n; ++*out)
		if (c4w_view_eqz(name, fields[*out].name))
			return true;
	return false;
}

/* The entries' names are exactly the fields' and __meta__. */
static bool check_entries(const struct chw_row *row, struct c4w_npz *npz, const char *path, struct c4w_npz_member *members[CHW_MAX_FIELDS + 1],
			  struct c4w_findings *fs)
{
	const char *component = chw_component_names[row->component];
	unsigned n, k;
	const struct chw_field *fields = chw_fields(row->component, &n);
	char shown[100];
	uint64_t total = 0;
	size_t i;
	memset(members, 0, (CHW_MAX_FIELDS + 1) * sizeof *members);
	for (i = 0; i < npz->count; i++) {
		struct c4w_npz_member *m = &npz->members[i];
		total = m->entry->size > UINT64_MAX - total ? UINT64_MAX : total + m->entry->size;
		if (c4w_view_eqz(m->name, "__meta__"))
			k = n;
		else if (!field_name(fields, n, m->name, &k)) {
			fail_at(fs, component, "record.entries", path, NULL, NULL, "the entry '%s' is none of the component's",
				c4w_str_escape(shown, sizeof shown, m->entry->name.p, m->entry->name.n));
			return false;
		}
		members[k] = m;
	}
	for (k = 0; k <= n; k++)
		if (!members[k]) {
			fail_at(fs, component, "record.entries", path, NULL, NULL, "the entry '%s.npy' is missing", k < n ? fields[k].name : "__meta__");
			return false;
		}
	if (total > C4W_LIMIT_NPZ_MEMBERS) {
		char found[32];
		snprintf(found, sizeof found, "%" PRIu64, total);
		fail_at(fs, component, "record.total-size", path, "at most 268435456 bytes", found, "the entries are too large in sum");
		return false;
	}
	return true;
}

/* Version, dtype, shape, body length of one entry; `f` NULL for __meta__. */
static bool check_npy(const struct chw_row *row, const struct chw_field *f, const struct c4w_npz_member *m, const char *path,
		      struct c4w_findings *fs)
{
	const char *component = chw_component_names[row->component], *name = f ? f->name : "__meta__";
	const struct c4w_array *a = &m->npy.array;
	char found[80], expected[80];
	uint64_t shape[2];
	unsigned rank = f ? (f->vec3 ? 2 : 1) : 0;
	if (m->npy.major > 2 || m->npy.minor != 0) {
		snprintf(found, sizeof found, "%u.%u", m->npy.major, m->npy.minor);
		fail_at(fs, component, "record.npy-version", path, "1.0 or 2.0", found, "%s.npy is of another NPY version", name);
		return false;
	}
	if (m->npy.header_size > CHW_NPY_HEADER_MAX + (m->npy.major == 1 ? 10U : 12U)) {
		snprintf(found, sizeof found, "%zu", (size_t)m->npy.header_size);
		fail_at(fs, component, "record.npy-header", path, "at most 10000 bytes", found, "the header of %s.npy is too long", name);
		return false;
	}
	if (f ? a->dtype.kind != f->kind || a->dtype.size != f->size || a->dtype.order == '>' :
		a->dtype.kind != C4W_UNICODE || a->dtype.size > C4W_LIMIT_DOCUMENT) {
		fail_at(fs, component, f ? "record.dtype" : "record.meta", path, f ? f->dtype : "text of at most 262144 characters",
			c4w_dtype_text(&a->dtype, found, sizeof found), "%s.npy is of another dtype", name);
		return false;
	}
	if (f) {
		shape[0] = (uint64_t)chw_length_of(&row->dims, (enum chw_length)f->length);
		shape[1] = 3;
	}
	if (a->rank != rank || (rank && memcmp(a->shape, shape, rank * sizeof *shape) != 0)) {
		fail_at(fs, component, f ? "record.shape" : "record.meta", path, rank ? c4w_shape_text(rank, shape, expected, sizeof expected) : "()",
			c4w_shape_text(a->rank, a->shape, found, sizeof found), "%s.npy is of another shape", name);
		return false;
	}
	if (m->entry->size - m->npy.header_size != a->size) {
		snprintf(expected, sizeof expected, "%" PRIu64 " bytes", a->size);
		snprintf(found, sizeof found, "%" PRIu64, m->entry->size - m->npy.header_size);
		fail_at(fs, component, "record.body-length", path, expected, found, "the body of %s.npy is not as long as its shape says", name);
		return false;
	}
	return true;
}

/* `from_npy`: the entry could be decompressed. */
static void npy_error(struct c4w_findings *fs, const char *component, const char *path, const char *name, bool from_npy, struct c4w_err *err)
{
	/* A record's rules outrank its container's: another NPY version or a type that is not read is damage here. */
	if (err->cls == C4W_UNSUPPORTED && from_npy) {
		err->cls = C4W_DAMAGED;
		err->rule = strstr(err->message, "version") ? "record.npy-version" : "record.dtype";
	}
	if (!strstr(err->message, name))
		c4w_err_prefix(err, "%s.npy", name);
	err->offset = -1;
	err->path[0] = 0;
	c4w_findings_add_err(fs, component, path, err);
}

/* Structure and, at level full, the arrays of an NPZ in memory. Returns whether rec->field is set. */
static bool take_apart(struct chw_group *g, const struct chw_row *row, const struct chw_fetched *f, enum c4w_level level, struct c4w_worker *w,
		       struct chw_record *rec, struct c4w_findings *fs)
{
	const struct chw_place *place = &f->place;
	struct chw_worker *cw = w->user;
	const char *component = chw_component_names[row->component];
	struct c4w_npz npz;
	struct c4w_npz_member *members[CHW_MAX_FIELDS + 1];
	struct c4w_err err;
	unsigned n, k;
	const struct chw_field *fields = chw_fields(row->component, &n);
	bool fine = true;
	int cls;
	c4w_err_clear(&err);
	cls = c4w_npz_open(f->p, (size_t)place->bytes, UINT64_MAX, &w->arena, &npz, &err);
	if (cls != C4W_OK) {
		if (err.offset >= 0)
			err.offset += place->offset;
		if (err.rule && strcmp(err.rule, "npz.name") == 0)
			err.rule = "record.entries";
		err.path[0] = 0;
		c4w_findings_add_err(fs, component, place->path, &err);
		return false;
	}
	if (npz.zip.prefix) {
		fail_at(fs, component, "record.prefix", place->path, NULL, NULL, "%" PRIu64 " bytes stand in front of the NPZ", npz.zip.prefix);
		return false;
	}
	if (!check_entries(row, &npz, place->path, members, fs))
		return false;
	for (k = 0; k <= n; k++) {
		struct c4w_npz_member *m = members[k];
		const char *name = k < n ? fields[k].name : "__meta__";
		bool whole = k == n || level == C4W_LEVEL_FULL || (f->arrays && !(f->skip >> k & 1)) || m->entry->size <= 4096;
		cls = whole ? c4w_npz_load(cw->zip, &npz, m, true, &err) : load_header(cw->zip, &npz, m, &w->arena, &err);
		if (cls != C4W_OK) {
			if (err.rule && (strcmp(err.rule, "npy.body-short") == 0 || strcmp(err.rule, "npy.trailing") == 0))
				err.rule = "record.body-length";
			npy_error(fs, component, place->path, name, c4w_zip_readable(m->entry, NULL) == C4W_OK, &err);
			return false;
		}
		if (!check_npy(row, k < n ? &fields[k] : NULL, m, place->path, fs))
			return false;
		if (k == n && level == C4W_LEVEL_NONE)
			continue;
		if (k == n) {
			size_t before = fs->n;
			check_meta(g, row, &m->npy.array, place->path, &w->arena, fs);
			fine = fine && fs->n == before;
		} else if (whole) {
			const struct c4w_array *a = &m->npy.array;
			rec->field[k] = a->bytes;
			/* Digests and rules are over C order; alignment matters to the loops. */
			if ((a->fortran && !c4w_array_both_orders(a)) || (uintptr_t)a->bytes % fields[k].size) {
				void *copy;
				if (c4w_arena_take(&w->arena, (size_t)a->size, &copy, &err) != C4W_OK) {
					c4w_findings_add_err(fs, component, place->path, &err);
					return false;
				}
				c4w_array_to_c_order(a, true, copy);
				rec->field[k] = copy;
			}
		}
	}
	return fine;
}

bool chw_record_proof(const struct chw_record *rec, const struct chw_digests *d, struct c4w_findings *fs)
{
	const struct chw_row *row = rec->row;
	const char *component = chw_component_names[row->component];
	unsigned n, k;
	const struct chw_field *fields = chw_fields(row->component, &n);
	size_t before = fs->n;
	bool axis_arrays = true; /* are the arrays of the path axis those of the snapshot? If not, their digest says nothing more */
	for (k = 0; row->component == CHW_CORE && k < 3; k++)
		axis_arrays = axis_arrays && memcmp(d->arrays[k].b, row->arrays[k].b, 32) == 0;
	if (row->component == CHW_CORE && axis_arrays && memcmp(d->axis.b, row->path_axis.b, 32) != 0)
		chw_digest_finding(fs, component, "core.path-axis", NULL, &row->path_axis, &d->axis,
				   "the path axis of the arrays is not the header's");
	for (k = 0; k < n; k++)
		if (memcmp(d->arrays[k].b, row->arrays[k].b, 32) != 0) {
			char message[120];
			snprintf(message, sizeof message, "%s differs from the snapshot's numeric content: sha256", fields[k].name);
			chw_digest_finding(fs, component, "record.content", NULL, &row->arrays[k], &d->arrays[k], message);
		}
	return fs->n == before;
}

static void unpublished(struct chw_group *g, const struct chw_row *row, struct c4w_findings *fs)
{
	const char *component = chw_component_names[row->component];
	c4w_findings_addf(fs, C4W_SEV_ERROR, C4W_STATE_UNPUBLISHED, component, NULL, NULL, -1, "%s is not published in this %s", component,
			  chw_kind_names[g->root->kind]);
}

bool chw_record_fetch(struct chw_group *g, const struct chw_row *row, struct c4w_worker *w, struct chw_fetched *f, struct c4w_findings *fs)
{
	const char *component = chw_component_names[row->component];
	memset(f, 0, sizeof *f);
	chw_locate(g, &row->id, row, &f->place);
	if (f->place.where == CHW_AT_CACHE)
		return true;
	if (f->place.where == CHW_UNPUBLISHED) {
		if (g->members_err.cls != C4W_OK)
			c4w_findings_add_err(fs, component, NULL, &g->members_err);
		else
			unpublished(g, row, fs);
		return false;
	}
	return chw_fetch(g, &f->place, component, &w->arena, &f->p, fs);
}

bool chw_record_check(struct chw_group *g, const struct chw_row *row, enum c4w_level level, struct c4w_worker *w, const struct chw_fetched *f,
		      struct chw_record *rec, struct c4w_findings *fs)
{
	const char *component = chw_component_names[row->component];
	const struct chw_place *place = &f->place;
	const struct chw_member *member;
	struct chw_digests d;
	size_t before = fs->n, structure;
	bool arrays;
	memset(rec, 0, sizeof *rec);
	rec->row = row;
	if (place->where == CHW_AT_CACHE)
		return chw_part_verify(g, row, level, f->arrays, w, rec, fs);
	rec->bytes = (uint64_t)place->bytes;
	rec->file = f->p;
	rec->file_bytes = (size_t)place->bytes;
	structure = fs->n;
	arrays = take_apart(g, row, f, level, w, rec, fs);
	if (level == C4W_LEVEL_NONE)
		return arrays;
	if (!f->hashed || (arrays && level == C4W_LEVEL_FULL))
		chw_hash_record(rec, arrays && level == C4W_LEVEL_FULL, f->hashed ? NULL : f->p, (size_t)place->bytes, &d);
	if (f->hashed)
		d.member = f->digest;
	if (memcmp(d.member.b, row->member.b, 32) != 0) {
		/* Whatever else is odd follows from that: the bytes are not the published ones. */
		fs->n = structure;
		chw_digest_finding(fs, component, "record.digest", place->path, &row->member, &d.member,
				   "the bytes differ from the published member: sha256");
		return false;
	}
	/* A loose file has its digest in the root, and in the members table where there is one. */
	member = chw_member_of(g, &row->id);
	if (place->also && memcmp(place->also->b, row->member.b, 32) != 0)
		chw_digest_finding(fs, component, "record.catalog-digest", place->path, &row->member, place->also,
				   place->where == CHW_AT_FILE ? "the root's sha256 is not the snapshot's member_sha256" :
								"the members table's member_sha256 is not the snapshot's");
	else if (member && place->also != &member->sha && memcmp(member->sha.b, row->member.b, 32) != 0)
		chw_digest_finding(fs, component, "record.catalog-digest", place->path, &row->member, &member->sha,
				   "the members table's member_sha256 is not the snapshot's");
	if (!arrays)
		return false;
	if (level == C4W_LEVEL_FULL) {
		chw_record_proof(rec, &d, fs);
		chw_check_arrays(rec, fs);
	}
	return fs->n == before;
}

bool chw_record_verify(struct chw_group *g, const struct chw_row *row, enum c4w_level level, struct c4w_worker *w, struct chw_record *rec,
		       struct c4w_findings *fs)
{
	struct chw_fetched f;
	memset(rec, 0, sizeof *rec);
	rec->row = row;
	return chw_record_fetch(g, row, w, &f, fs) && chw_record_check(g, row, level, w, &f, rec, fs);
}

void chw_hash_fetched(struct chw_fetched *const *f, unsigned n)
{
	struct c4w_sha256_msg msgs[4] = { { NULL, 0 } };
	struct c4w_bytes pieces[4];
	uint8_t digests[4][32];
	unsigned i, k = 0;
	for (i = 0; i < n; i++)
		if (f[i]->p) {
			pieces[k] = (struct c4w_bytes){ f[i]->p, (size_t)f[i]->place.bytes };
			msgs[k] = (struct c4w_sha256_msg){ &pieces[k], 1 };
			k++;
		}
	c4w_sha256_many(k, msgs, digests);
	for (i = 0, k = 0; i < n; i++)
		if (f[i]->p) {
			memcpy(f[i]->digest.b, digests[k++], 32);
			f[i]->hashed = true;
		}
}
