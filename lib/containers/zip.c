/* ZIP: the directory. Follows PKWARE's APPNOTE 6.3 (sections 4.3 to 4.5); where it leaves room, what Python's zipfile does counts, since
 * that is what wrote and reads the archives of datasets.
 *
 * What this refuses and zipfile takes: bytes behind the end record's comment, two entries with one name, local headers that disagree, entries
 * that overlap, NUL in names. Decompression is in zip_read.c. */
#include "containers/zip.h"

#include "base/checked.h"
#include "base/limits.h"
#include "containers/zip_impl.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const struct c4w_rule c4w_zip_rules[] = {
	{ "zip.end", "the archive ends in an end record that leads to its directory", "APPNOTE 4.3.14 to 4.3.16" },
	{ "zip.trailing", "nothing stands behind the end record's comment", "APPNOTE 4.3.16" },
	{ "zip.directory", "the directory is made of whole entries", "APPNOTE 4.3.12" },
	{ "zip.count", "the directory holds as many entries as the end record counts", "APPNOTE 4.4.21" },
	{ "zip.extra", "extra fields are whole, and zip64's holds what the entry needs", "APPNOTE 4.5" },
	{ "zip.bounds", "an entry's data lies in front of the directory", "APPNOTE 4.3.6" },
	{ "zip.local", "each entry has a local header where the directory says", "APPNOTE 4.3.7" },
	{ "zip.local-differs", "a local header agrees with the directory", "APPNOTE 4.3.7" },
	{ "zip.descriptor", "a data descriptor agrees with the directory", "APPNOTE 4.3.9" },
	{ "zip.overlap", "entries do not share bytes", "APPNOTE 4.3.6" },
	{ "zip.duplicate", "no two entries have one name", "APPNOTE 4.4.17" },
	{ "zip.name", "an entry's name is not empty, holds no NUL, and is UTF-8 where it is marked so", "APPNOTE 4.4.17" },
	{ "zip.size", "an entry's data gives exactly the bytes that the directory says", "APPNOTE 4.4.8, 4.4.9" },
	{ "zip.data", "compressed data can be decompressed, and all of it is used", "APPNOTE 4.3.8" },
	{ "zip.crc", "an entry's CRC-32 is right", "APPNOTE 4.4.7" },
	{ 0 },
};

enum {
	END_SIZE = 22,
	END64_SIZE = 56,
	LOCATOR_SIZE = 20,
	CENTRAL_SIZE = 46,
	LOCAL_SIZE = 30,
	COMMENT_MAX = 65535,
	EXTRA_ZIP64 = 1,
	QUADRATIC = 32, /* up to so many names are compared pair by pair */
};

static const uint8_t sig_end[4] = { 'P', 'K', 5, 6 }, sig_end64[4] = { 'P', 'K', 6, 6 }, sig_locator[4] = { 'P', 'K', 6, 7 },
		     sig_central[4] = { 'P', 'K', 1, 2 }, sig_local[4] = { 'P', 'K', 3, 4 }, sig_descriptor[4] = { 'P', 'K', 7, 8 };

int c4w_zip_bytes(struct c4w_zip *z, uint64_t at, size_t n, struct c4w_arena *arena, const uint8_t **out, struct c4w_err *err)
{
	if (z->p) {
		*out = z->p + at;
		return C4W_OK;
	}
	return c4w_blob_view(z->blob, z->offset + at, n, arena, out, err);
}

int c4w_zip_copy(struct c4w_zip *z, uint64_t at, size_t n, uint8_t *out, struct c4w_err *err)
{
	if (z->p) {
		memcpy(out, z->p + at, n);
		return C4W_OK;
	}
	return c4w_blob_read_at(z->blob, z->offset + at, n, out, err);
}

int c4w_zip_name_error(const struct c4w_zip_entry *e, int rc, struct c4w_err *err)
{
	char shown[160];
	if (rc != C4W_OK && err)
		(void)c4w_err_prefix(err, "entry '%s'", c4w_str_escape(shown, sizeof shown, e->name.p, e->name.n));
	return rc;
}

/* ---- the end record ---- */

struct end {
	uint64_t at;         /* of the end record */
	uint64_t bound;      /* where the directory has to end: the zip64 end record or the end record */
	uint64_t claimed_count, claimed_size, claimed_offset;
};

/* Look for the end record in the last n bytes, from the back. The first one whose comment ends with the archive counts. */
static const uint8_t *find_end(const uint8_t *tail, size_t n, const uint8_t **loose)
{
	size_t i;
	*loose = NULL;
	for (i = n - END_SIZE + 1; i-- > 0;) {
		if (tail[i] != 'P' || memcmp(tail + i, sig_end, 4) != 0)
			continue;
		if (END_SIZE + (size_t)c4w_le16(tail + i + 20) == n - i)
			return tail + i;
		if (!*loose && END_SIZE + (size_t)c4w_le16(tail + i + 20) < n - i)
			*loose = tail + i;
	}
	return NULL;
}

static int end_record(struct c4w_zip *z, struct end *end, const uint8_t **record, struct c4w_err *err)
{
	size_t sizes[2] = { 1024, END_SIZE + COMMENT_MAX }, n = 0, k;
	const uint8_t *tail = NULL, *loose = NULL, *found = NULL;
	if (z->length < END_SIZE)
		return c4w_damaged(err, "zip.end", 0, "not a ZIP archive: %" PRIu64 " bytes can't hold an end record", z->length);
	for (k = 0; k < 2 && !found; k++) {
		n = z->length < sizes[k] ? (size_t)z->length : sizes[k];
		C4W_TRY(c4w_zip_bytes(z, z->length - n, n, z->arena, &tail, err));
		found = find_end(tail, n, &loose);
	}
	if (!found && loose) {
		uint64_t stop = z->length - n + (uint64_t)(loose - tail) + END_SIZE + c4w_le16(loose + 20);
		return c4w_damaged(err, "zip.trailing", (int64_t)stop, "%" PRIu64 " bytes behind the end of the ZIP archive", z->length - stop);
	}
	if (!found)
		return c4w_damaged(err, "zip.end", (int64_t)z->length, "not a ZIP archive, or cut: no end record");
	end->at = z->length - n + (uint64_t)(found - tail);
	*record = found;
	return C4W_OK;
}

static int several_disks(struct c4w_err *err)
{
	return c4w_fail(err, C4W_UNSUPPORTED, "a ZIP archive in several parts");
}

/* Zip64's end record, found through its locator just in front of the end record. */
static int end_record64(struct c4w_zip *z, struct end *end, struct c4w_err *err)
{
	uint64_t locator = end->at - LOCATOR_SIZE, claimed_at, claimed_length, at;
	uint8_t l[LOCATOR_SIZE], r[END64_SIZE];
	C4W_TRY(c4w_zip_copy(z, locator, LOCATOR_SIZE, l, err));
	if (memcmp(l, sig_locator, 4) != 0)
		return C4W_OK;
	if (c4w_le32(l + 4) != 0 || c4w_le32(l + 16) > 1)
		return several_disks(err);
	claimed_at = c4w_le64(l + 8);
	if (locator < END64_SIZE || claimed_at > locator - END64_SIZE)
		return c4w_damaged(err, "zip.end", (int64_t)locator, "the zip64 locator points behind itself");
	at = claimed_at;
	C4W_TRY(c4w_zip_copy(z, at, END64_SIZE, r, err));
	if (memcmp(r, sig_end64, 4) != 0) {
		/* an archive with something in front of it: the record stands right before the locator all the same */
		at = locator - END64_SIZE;
		C4W_TRY(c4w_zip_copy(z, at, END64_SIZE, r, err));
		if (memcmp(r, sig_end64, 4) != 0)
			return c4w_damaged(err, "zip.end", (int64_t)locator, "the zip64 locator does not lead to an end record");
	}
	claimed_length = c4w_le64(r + 4);
	if (claimed_length < END64_SIZE - 12 || claimed_length != locator - at - 12)
		return c4w_damaged(err, "zip.end", (int64_t)at, "the zip64 end record does not reach its locator");
	if (c4w_le32(r + 16) != 0 || c4w_le32(r + 20) != 0 || c4w_le64(r + 24) != c4w_le64(r + 32))
		return several_disks(err);
	if ((end->claimed_count != 0xFFFF && end->claimed_count != c4w_le64(r + 32)) ||
	    (end->claimed_size != 0xFFFFFFFF && end->claimed_size != c4w_le64(r + 40)) ||
	    (end->claimed_offset != 0xFFFFFFFF && end->claimed_offset != c4w_le64(r + 48)))
		return c4w_damaged(err, "zip.end", (int64_t)at, "the end record and its zip64 twin disagree");
	end->claimed_count = c4w_le64(r + 32);
	end->claimed_size = c4w_le64(r + 40);
	end->claimed_offset = c4w_le64(r + 48);
	end->bound = at;
	z->zip64 = true;
	return C4W_OK;
}

/* ---- central entries ---- */

/* The zip64 extra field replaces, in this order, those of the four that are saturated. Returns what is wrong, or NULL. */
static const char *zip64_extra(const uint8_t *x, size_t n, uint64_t *size, uint64_t *compressed, uint64_t *offset)
{
	uint64_t *slots[3] = { size, compressed, offset };
	unsigned k;
	while (n >= 4) {
		size_t id = c4w_le16(x), length = c4w_le16(x + 2);
		const uint8_t *p = x + 4;
		if (length > n - 4)
			return "an extra field longer than what is left";
		x += 4 + length;
		n -= 4 + length;
		if (id != EXTRA_ZIP64)
			continue;
		for (k = 0; k < 3; k++) {
			if (!slots[k] || *slots[k] != 0xFFFFFFFF)
				continue;
			if (length < 8)
				return "a zip64 extra field that is too short";
			*slots[k] = c4w_le64(p);
			p += 8;
			length -= 8;
		}
	}
	return NULL;
}

static int central_entry(struct c4w_zip *z, const uint8_t *c, size_t room, uint64_t at, struct c4w_zip_entry *e, size_t *used,
			 struct c4w_err *err)
{
	size_t name, extra, comment;
	const char *wrong;
	if (room < CENTRAL_SIZE || memcmp(c, sig_central, 4) != 0)
		return c4w_damaged(err, "zip.directory", (int64_t)at, "no directory entry where one is expected");
	name = c4w_le16(c + 28);
	extra = c4w_le16(c + 30);
	comment = c4w_le16(c + 32);
	if (name + extra + comment > room - CENTRAL_SIZE)
		return c4w_damaged(err, "zip.directory", (int64_t)at, "a directory entry reaches beyond the directory");
	e->name = (struct c4w_view){ (const char *)c + CENTRAL_SIZE, name };
	e->made_by = c4w_le16(c + 4);
	e->needs = c[6];
	e->flags = c4w_le16(c + 8);
	e->method = c4w_le16(c + 10);
	e->dos_time = c4w_le32(c + 12);
	e->crc32 = c4w_le32(c + 16);
	e->compressed = c4w_le32(c + 20);
	e->size = c4w_le32(c + 24);
	e->external = c4w_le32(c + 38);
	e->local = c4w_le32(c + 42);
	e->data = 0;
	e->state = 0;
	if (c4w_le16(c + 34) != 0 && c4w_le16(c + 34) != 0xFFFF)
		return several_disks(err);
	wrong = zip64_extra(c + CENTRAL_SIZE + name, extra, &e->size, &e->compressed, &e->local);
	if (wrong)
		return c4w_zip_name_error(e, c4w_damaged(err, "zip.extra", (int64_t)at, "%s", wrong), err);
	/* an entry's data lies in front of the directory; which place exactly, its local header has to confirm */
	if (!c4w_add_u64(e->local, z->prefix, &e->local) || !c4w_within(e->local, LOCAL_SIZE, z->directory) ||
	    e->compressed > z->directory - e->local - LOCAL_SIZE)
		return c4w_zip_name_error(e, c4w_damaged(err, "zip.bounds", (int64_t)at, "its data is not within the archive"), err);
	*used = CENTRAL_SIZE + name + extra + comment;
	return C4W_OK;
}

/* Something in front of the archive is legal, but then the place that the end record names must not look like a directory too: two readers
 * would see two archives. */
static int check_prefix(struct c4w_zip *z, uint64_t claimed_offset, struct c4w_err *err)
{
	uint8_t at[4];
	if (z->prefix == 0 || !c4w_within(claimed_offset, 4, z->length))
		return C4W_OK;
	C4W_TRY(c4w_zip_copy(z, claimed_offset, 4, at, err));
	if (memcmp(at, sig_central, 4) == 0)
		return c4w_damaged(err, "zip.end", (int64_t)claimed_offset, "two places could be the directory");
	return C4W_OK;
}

static int open_archive(struct c4w_zip *z, struct c4w_err *err)
{
	const uint8_t *record = NULL, *c;
	struct end end = { 0 };
	size_t i, at = 0, used = 0;
	void *mem;
	C4W_TRY(end_record(z, &end, &record, err));
	end.bound = end.at;
	end.claimed_count = c4w_le16(record + 10);
	end.claimed_size = c4w_le32(record + 12);
	end.claimed_offset = c4w_le32(record + 16);
	z->comment = (struct c4w_view){ (const char *)record + END_SIZE, c4w_le16(record + 20) };
	if (end.at >= LOCATOR_SIZE)
		C4W_TRY(end_record64(z, &end, err));
	if (!z->zip64 && (c4w_le16(record + 4) != 0 || c4w_le16(record + 6) != 0 || c4w_le16(record + 8) != end.claimed_count))
		return several_disks(err);
	if (end.claimed_size > end.bound)
		return c4w_damaged(err, "zip.end", (int64_t)end.at, "the directory is larger than what is in front of the end record");
	z->directory = end.bound - end.claimed_size;
	if (end.claimed_offset > z->directory)
		return c4w_damaged(err, "zip.end", (int64_t)end.at, "the directory does not fit between its offset and the end record");
	z->prefix = z->directory - end.claimed_offset;
	C4W_TRY(check_prefix(z, end.claimed_offset, err));
	if (end.claimed_size > C4W_LIMIT_ZIP_DIRECTORY)
		return c4w_fail(err, C4W_LIMIT, "a ZIP directory of %" PRIu64 " bytes is beyond the limit of %llu", end.claimed_size,
				C4W_LIMIT_ZIP_DIRECTORY);
	if (end.claimed_count > end.claimed_size / CENTRAL_SIZE)
		return c4w_damaged(err, "zip.count", (int64_t)end.at, "%" PRIu64 " entries can't fit into a directory of %" PRIu64 " bytes",
				   end.claimed_count, end.claimed_size);
	C4W_TRY(c4w_zip_bytes(z, z->directory, (size_t)end.claimed_size, z->arena, &c, err));
	C4W_TRY(c4w_arena_take(z->arena, end.claimed_count * sizeof *z->entries, &mem, err));
	z->entries = mem;
	for (i = 0; i < end.claimed_count; i++, at += used)
		C4W_TRY(central_entry(z, c + at, (size_t)end.claimed_size - at, z->directory + at, &z->entries[i], &used, err));
	z->count = end.claimed_count;
	if (at != end.claimed_size)
		return c4w_damaged(err, "zip.count", (int64_t)(z->directory + at),
				   "the directory goes on behind the %" PRIu64 " entries that the end record counts", end.claimed_count);
	return C4W_OK;
}

int c4w_zip_open_memory(const uint8_t *p, size_t n, struct c4w_arena *arena, struct c4w_zip *out, struct c4w_err *err)
{
	*out = (struct c4w_zip){ .p = p, .length = n, .arena = arena };
	return open_archive(out, err);
}

int c4w_zip_open_blob(struct c4w_blob *b, uint64_t offset, uint64_t length, struct c4w_arena *arena, struct c4w_zip *out,
		      struct c4w_err *err)
{
	*out = (struct c4w_zip){ .blob = b, .offset = offset, .length = length, .arena = arena };
	return open_archive(out, err);
}

/* ---- local headers ---- */

static const char *local_differs(const struct c4w_zip_entry *e, const uint8_t *h, const uint8_t *name, const uint8_t *extra, size_t extra_n)
{
	enum { COMPRESSION_HINTS = 6 }; /* flag bits 1 and 2 mean something to the method only */
	bool streamed = (e->flags & ZIP_FLAG_DESCRIPTOR) != 0;
	uint64_t compressed = c4w_le32(h + 18), size = c4w_le32(h + 22);
	const char *wrong;
	if (c4w_le16(h + 26) != e->name.n || memcmp(name, e->name.p, e->name.n) != 0)
		return "the name";
	if ((c4w_le16(h + 6) ^ e->flags) & ~COMPRESSION_HINTS)
		return "the flags";
	if (c4w_le16(h + 8) != e->method)
		return "the method";
	wrong = zip64_extra(extra, extra_n, &size, &compressed, NULL);
	if (wrong)
		return "the extra field";
	/* numbers that a descriptor behind the data brings may be zero here */
	if (c4w_le32(h + 14) != e->crc32 && !(streamed && c4w_le32(h + 14) == 0))
		return "the CRC";
	if (size != e->size && !(streamed && (size == 0 || size == 0xFFFFFFFF)))
		return "the size";
	if (compressed != e->compressed && !(streamed && (compressed == 0 || compressed == 0xFFFFFFFF)))
		return "the compressed size";
	return NULL;
}

/* Read and compare the local header; sets e->data. */
static int read_local(struct c4w_zip *z, struct c4w_zip_entry *e, struct c4w_err *err)
{
	uint8_t small[512];
	const uint8_t *h;
	size_t have, need, name, extra;
	uint64_t room = z->directory - e->local;
	struct c4w_arena_mark mark = c4w_arena_mark(z->arena);
	const char *what;
	int rc = C4W_OK;
	if (z->p) {
		h = z->p + e->local;
		have = (size_t)room;
	} else {
		have = room < sizeof small ? (size_t)room : sizeof small;
		C4W_TRY(c4w_zip_copy(z, e->local, have, small, err));
		h = small;
	}
	if (memcmp(h, sig_local, 4) != 0)
		return c4w_damaged(err, "zip.local", (int64_t)e->local, "no local header where the directory says");
	name = c4w_le16(h + 26);
	extra = c4w_le16(h + 28);
	need = LOCAL_SIZE + name + extra;
	if (need > room || e->compressed > room - need)
		return c4w_damaged(err, "zip.bounds", (int64_t)e->local, "its data is not within the archive");
	if (need > have)
		C4W_TRY(c4w_zip_bytes(z, e->local, need, z->arena, &h, err));
	what = local_differs(e, h, h + LOCAL_SIZE, h + LOCAL_SIZE + name, extra);
	if (what)
		rc = c4w_damaged(err, "zip.local-differs", (int64_t)e->local, "%s in the local header differs from the directory's", what);
	else
		e->data = e->local + need;
	if (!z->p)
		c4w_arena_rewind(z->arena, mark);
	return rc;
}

/* ---- spans ---- */

static int by_local(const void *a, const void *b)
{
	const struct c4w_zip_entry *x = *(struct c4w_zip_entry *const *)a, *y = *(struct c4w_zip_entry *const *)b;
	if (x->local != y->local)
		return x->local < y->local ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* Where an entry ends at least. Its extra field counts only once its local header has been read. */
static uint64_t span_end(const struct c4w_zip_entry *e)
{
	return (e->data ? e->data : e->local + LOCAL_SIZE + e->name.n) + e->compressed;
}

/* Mark the entries that overlap. Descriptors are left out: real files disagree on their length. */
static int mark_overlaps(struct c4w_zip *z, struct c4w_err *err)
{
	struct c4w_zip_entry *furthest = NULL, *e;
	bool sorted = true;
	void *mem;
	size_t i;
	if (!z->order) {
		C4W_TRY(c4w_arena_take(z->arena, z->count * sizeof *z->order, &mem, err));
		z->order = mem;
		for (i = 0; i < z->count; i++) {
			z->order[i] = &z->entries[i];
			sorted = sorted && (i == 0 || z->entries[i - 1].local < z->entries[i].local);
		}
		if (!sorted)
			qsort(z->order, z->count, sizeof *z->order, by_local);
	}
	for (i = 0; i < z->count; i++) {
		e = z->order[i];
		if (furthest && span_end(furthest) > e->local) {
			furthest->state |= ZIP_OVERLAP;
			e->state |= ZIP_OVERLAP;
		}
		if (!furthest || span_end(e) > span_end(furthest))
			furthest = e;
	}
	return C4W_OK;
}

static int overlap_error(const struct c4w_zip_entry *e, struct c4w_err *err)
{
	return c4w_damaged(err, "zip.overlap", (int64_t)e->local, "its bytes overlap another entry's");
}

int c4w_zip_locate(struct c4w_zip *z, struct c4w_zip_entry *e, struct c4w_err *err)
{
	if (!z->order)
		C4W_TRY(mark_overlaps(z, err));
	if (!(e->state & ZIP_LOCATED)) {
		int rc = read_local(z, e, err);
		size_t i = 0, n = z->count;
		if (rc != C4W_OK)
			return c4w_zip_name_error(e, rc, err);
		e->state |= ZIP_LOCATED;
		/* the next entry in the file: the first whose header begins behind this one's */
		while (n) {
			if (z->order[i + n / 2]->local > e->local) {
				n /= 2;
			} else {
				i += n / 2 + 1;
				n -= n / 2 + 1;
			}
		}
		if (i < z->count && span_end(e) > z->order[i]->local)
			e->state |= ZIP_OVERLAP;
	}
	if (e->state & ZIP_OVERLAP)
		return c4w_zip_name_error(e, overlap_error(e, err), err);
	return C4W_OK;
}

/* ---- the whole structure ---- */

static int by_name(const void *a, const void *b)
{
	const struct c4w_zip_entry *x = *(struct c4w_zip_entry *const *)a, *y = *(struct c4w_zip_entry *const *)b;
	int c = c4w_view_cmp(x->name, y->name);
	return c ? c : x < y ? -1 : x > y;
}

static int duplicate_error(const struct c4w_zip_entry *e, struct c4w_err *err)
{
	return c4w_zip_name_error(e, c4w_damaged(err, "zip.duplicate", (int64_t)e->local, "its name is there twice"), err);
}

/* Calls `report` for each entry whose name an earlier one has. */
static int find_duplicates(struct c4w_zip *z, struct c4w_faults *faults, struct c4w_err *err)
{
	struct c4w_zip_entry **v;
	void *mem;
	size_t i, k;
	if (z->count <= QUADRATIC) {
		for (i = 1; i < z->count; i++)
			for (k = 0; k < i; k++)
				if (z->entries[i].name.n == z->entries[k].name.n && c4w_view_eq(z->entries[i].name, z->entries[k].name)) {
					(void)duplicate_error(&z->entries[i], err);
					C4W_TRY(c4w_fault(faults, err));
					break;
				}
		return C4W_OK;
	}
	C4W_TRY(c4w_arena_take(z->arena, z->count * sizeof *v, &mem, err));
	v = mem;
	for (i = 0; i < z->count; i++)
		v[i] = &z->entries[i];
	qsort(v, z->count, sizeof *v, by_name);
	for (i = 1; i < z->count; i++)
		if (c4w_view_eq(v[i - 1]->name, v[i]->name)) {
			(void)duplicate_error(v[i], err);
			C4W_TRY(c4w_fault(faults, err));
		}
	return C4W_OK;
}

/* A descriptor behind the data, with or without its signature, with 4- or 8-byte sizes, brings the directory's numbers. */
static int check_descriptor(struct c4w_zip *z, const struct c4w_zip_entry *e, uint64_t bound, struct c4w_err *err)
{
	uint64_t at = e->data + e->compressed;
	uint8_t d[24];
	size_t have, start;
	have = bound - at < sizeof d ? (size_t)(bound - at) : sizeof d;
	C4W_TRY(c4w_zip_copy(z, at, have, d, err));
	for (start = 0; start <= 4; start += 4) {
		if (start == 4 && (have < 4 || memcmp(d, sig_descriptor, 4) != 0))
			break;
		if (have < start + 12 || c4w_le32(d + start) != e->crc32)
			continue;
		if (c4w_le32(d + start + 4) == e->compressed && c4w_le32(d + start + 8) == e->size)
			return C4W_OK;
		if (have >= start + 20 && c4w_le64(d + start + 4) == e->compressed && c4w_le64(d + start + 12) == e->size)
			return C4W_OK;
	}
	return c4w_damaged(err, "zip.descriptor", (int64_t)at, "no descriptor with the directory's numbers behind its data");
}

static int check_entry(struct c4w_zip *z, struct c4w_zip_entry *e, struct c4w_err *err)
{
	if (e->name.n == 0)
		return c4w_damaged(err, "zip.name", (int64_t)e->local, "an entry without a name");
	if (memchr(e->name.p, 0, e->name.n))
		return c4w_zip_name_error(e, c4w_damaged(err, "zip.name", (int64_t)e->local, "its name holds a NUL byte"), err);
	if ((e->flags & ZIP_FLAG_UTF8) && !c4w_utf8_valid(e->name.p, e->name.n))
		return c4w_zip_name_error(e, c4w_damaged(err, "zip.name", (int64_t)e->local, "its name is marked as UTF-8 and is not"), err);
	if (!(e->state & ZIP_LOCATED)) {
		C4W_TRY(c4w_zip_name_error(e, read_local(z, e, err), err));
		e->state |= ZIP_LOCATED;
	}
	return C4W_OK;
}

int c4w_zip_check_all(struct c4w_zip *z, struct c4w_faults *faults, struct c4w_err *err)
{
	struct c4w_err own;
	size_t i;
	int rc;
	if (!err)
		err = &own;
	C4W_TRY(find_duplicates(z, faults, err));
	for (i = 0; i < z->count; i++) {
		rc = check_entry(z, &z->entries[i], err);
		if (rc != C4W_OK) {
			z->entries[i].state |= ZIP_BAD;
			C4W_TRY(c4w_fault(faults, err));
		}
	}
	C4W_TRY(mark_overlaps(z, err));
	for (i = 0; i < z->count; i++) {
		struct c4w_zip_entry *e = z->order[i];
		if (e->state & ZIP_OVERLAP) {
			e->state |= ZIP_BAD;
			(void)c4w_zip_name_error(e, overlap_error(e, err), err);
			C4W_TRY(c4w_fault(faults, err));
		} else if ((e->state & ZIP_LOCATED) && (e->flags & ZIP_FLAG_DESCRIPTOR)) {
			rc = check_descriptor(z, e, i + 1 < z->count ? z->order[i + 1]->local : z->directory, err);
			if (c4w_zip_name_error(e, rc, err) != C4W_OK)
				C4W_TRY(c4w_fault(faults, err));
		}
	}
	return C4W_OK;
}

static int stop_at_first(void *ctx, const struct c4w_err *fault)
{
	(void)ctx;
	return (int)fault->cls;
}

int c4w_zip_check(struct c4w_zip *z, struct c4w_err *err)
{
	struct c4w_faults faults = { .report = stop_at_first };
	return c4w_zip_check_all(z, &faults, err);
}

struct c4w_zip_entry *c4w_zip_find(struct c4w_zip *z, struct c4w_view name)
{
	size_t i;
	for (i = z->count; i-- > 0;)
		if (c4w_view_eq(z->entries[i].name, name))
			return &z->entries[i];
	return NULL;
}

bool c4w_zip_is_dir(const struct c4w_zip_entry *e)
{
	return e->name.n && e->name.p[e->name.n - 1] == '/';
}

bool c4w_zip_is_link(const struct c4w_zip_entry *e)
{
	enum { UNIX = 3, TYPE = 0170000, LINK = 0120000 };
	return e->made_by >> 8 == UNIX && (e->external >> 16 & TYPE) == LINK;
}

const char *c4w_zip_method_name(unsigned method, char *buf, size_t size)
{
	static const struct {
		unsigned method;
		const char *name;
	} names[] = { { 0, "stored" }, { 8, "deflated" }, { 9, "deflate64" }, { 12, "bzip2" }, { 14, "lzma" }, { 93, "zstd" }, { 95, "xz" },
		      { 99, "encrypted (AES)" } };
	size_t i;
	for (i = 0; i < sizeof names / sizeof *names; i++)
		if (names[i].method == method)
			return names[i].name;
	snprintf(buf, size, "method %u", method);
	return buf;
}
