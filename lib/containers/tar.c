/* TAR: members one after the other. Follows POSIX.1-2008 (pax) and the GNU tar manual's "Basic Tar Format"; what each header said is kept
 * apart until all headers of a member are read, and settled in settle() (known-bugs 9 to 11). */
#include "containers/tar.h"

#include "base/checked.h"
#include "base/limits.h"
#include "containers/tar_impl.h"

#include <inttypes.h>
#include <string.h>

const struct c4w_rule c4w_tar_rules[] = {
	{ "tar.magic", "the archive begins with a header whose checksum is right", "POSIX.1-2008 pax, ustar Interchange Format" },
	{ "tar.checksum", "each header's checksum is right", "POSIX.1-2008 pax, ustar Interchange Format" },
	{ "tar.number", "numbers in headers are octal or base-256 and fit 63 bits", "POSIX.1-2008 pax; GNU tar manual, Extensions" },
	{ "tar.size", "a member's size is not negative", "POSIX.1-2008 pax, ustar Interchange Format" },
	{ "tar.cut", "members and headers lie within the archive", "POSIX.1-2008 pax, ustar Interchange Format" },
	{ "tar.name", "each member has a name", "POSIX.1-2008 pax, ustar Interchange Format" },
	{ "tar.pax", "pax records are whole lines of length, keyword and value", "POSIX.1-2008 pax, pax Extended Header" },
	{ "tar.sparse", "a sparse file's pieces ascend, lie within it and add up to what is stored", "GNU tar manual, Storing Sparse Files" },
	{ "tar.end", "the archive ends in two blocks of zeros", "POSIX.1-2008 pax, ustar Interchange Format" },
	{ "tar.trailing", "nothing but zeros stands behind the end", "POSIX.1-2008 pax, ustar Interchange Format" },
	{ 0 },
};

enum { BUFFER = 16 * 1024 };

int c4w_tar_open(struct c4w_blob *b, uint64_t offset, uint64_t length, struct c4w_arena *arena, struct c4w_tar *out,
		 struct c4w_err *err)
{
	void *mem;
	*out = (struct c4w_tar){ .blob = b, .base = offset, .length = length, .arena = arena };
	C4W_TRY(c4w_arena_take(arena, BUFFER, &mem, err));
	out->buffer = mem;
	C4W_TRY(c4w_arena_zero(arena, 1, sizeof *out->global, &mem, err));
	out->global = mem;
	return C4W_OK;
}

/* The block at `at`; NULL and C4W_OK when the archive has no whole block there. Valid until the next call. */
static int block(struct c4w_tar *t, uint64_t at, const uint8_t **out, struct c4w_err *err)
{
	*out = NULL;
	if (!c4w_within(at, TAR_BLOCK, t->length))
		return C4W_OK;
	if (at < t->buffer_at || at + TAR_BLOCK > t->buffer_at + t->buffer_n) {
		size_t n = t->length - at < BUFFER ? (size_t)(t->length - at) : BUFFER;
		t->buffer_n = 0;
		C4W_TRY(c4w_blob_read_at(t->blob, t->base + at, n, t->buffer, err));
		t->buffer_at = at;
		t->buffer_n = n;
	}
	*out = t->buffer + (at - t->buffer_at);
	return C4W_OK;
}

static bool is_zero(const uint8_t *p, size_t n)
{
	size_t i;
	for (i = 0; i < n; i++)
		if (p[i])
			return false;
	return true;
}

bool c4w_tar_probe(const uint8_t *p, size_t n)
{
	return n >= TAR_BLOCK && !is_zero(p, TAR_BLOCK) && c4w_tar_sum_ok(p);
}

static uint64_t padded(uint64_t n)
{
	return (n + TAR_BLOCK - 1) & ~(uint64_t)(TAR_BLOCK - 1);
}

/* ---- one member's headers ---- */

struct heads {
	uint64_t first;            /* offset of the first header */
	uint64_t at;               /* offset of the main header */
	uint8_t main[TAR_BLOCK];
	struct c4w_tar_pax pax;    /* local records */
	struct c4w_view long_name, long_link; /* GNU L and K; p is NULL without */
	bool has_pax;
};

static int field_error(uint64_t at, const char *field, struct c4w_err *err)
{
	return c4w_damaged(err, "tar.number", (int64_t)at, "the %s in a header is no number that fits 63 bits", field);
}

/* The data of an extra header (names, records), whole. */
static int extra_data(struct c4w_tar *t, const uint8_t *h, uint64_t at, struct c4w_arena *arena, const uint8_t **p, size_t *n,
		      struct c4w_err *err)
{
	int64_t size;
	void *mem;
	if (!c4w_tar_number(h + TAR_SIZE, 12, &size) || size < 0)
		return field_error(at + TAR_SIZE, "size", err);
	if (!c4w_within(at + TAR_BLOCK, (uint64_t)size, t->length))
		return c4w_damaged(err, "tar.cut", (int64_t)at, "an extended header of %" PRId64 " bytes reaches beyond the archive's end", size);
	if ((uint64_t)size > C4W_LIMIT_PAX_HEADER)
		return c4w_fail(err, C4W_LIMIT, "an extended header of %" PRId64 " bytes is beyond the limit of %llu", size, C4W_LIMIT_PAX_HEADER);
	C4W_TRY(c4w_arena_take(arena, (size_t)size, &mem, err));
	if (size)
		C4W_TRY(c4w_blob_read_at(t->blob, t->base + at + TAR_BLOCK, (size_t)size, mem, err));
	*p = mem;
	*n = (size_t)size;
	return C4W_OK;
}

static struct c4w_view until_nul(const uint8_t *p, size_t n)
{
	return (struct c4w_view){ (const char *)p, strnlen((const char *)p, n) };
}

static int lone_extra(uint64_t at, struct c4w_err *err)
{
	return c4w_damaged(err, "tar.cut", (int64_t)at, "an extended header without the member that it describes");
}

/* Is the rest of the archive zeros? */
static int check_end(struct c4w_tar *t, uint64_t first_zero, struct c4w_err *err)
{
	uint64_t at = first_zero + TAR_BLOCK;
	const uint8_t *b;
	C4W_TRY(block(t, at, &b, err));
	if (!b)
		return c4w_damaged(err, "tar.end", (int64_t)first_zero, "one block of zeros at the end instead of two");
	if (!is_zero(b, TAR_BLOCK))
		return c4w_damaged(err, "tar.trailing", (int64_t)at, "bytes behind the end of the archive");
	for (at += TAR_BLOCK; at < t->length;) {
		size_t n = t->length - at < BUFFER ? (size_t)(t->length - at) : BUFFER, i;
		t->buffer_n = 0;
		C4W_TRY(c4w_blob_read_at(t->blob, t->base + at, n, t->buffer, err));
		for (i = 0; i < n && t->buffer[i] == 0; i++)
			;
		if (i < n)
			return c4w_damaged(err, "tar.trailing", (int64_t)(at + i), "bytes behind the end of the archive");
		at += n;
	}
	return C4W_OK;
}

/* Read headers up to and including a member's main one. *found is false at a proper end. */
static int read_heads(struct c4w_tar *t, struct c4w_arena *arena, struct heads *hs, bool *found, struct c4w_err *err)
{
	uint64_t at = t->at;
	const uint8_t *h, *p = NULL;
	size_t n = 0;
	memset(&hs->pax, 0, sizeof hs->pax);
	hs->long_name.p = hs->long_link.p = NULL;
	hs->has_pax = false;
	hs->first = at;
	*found = false;
	for (;;) {
		uint8_t type;
		C4W_TRY(block(t, at, &h, err));
		if (!h) {
			if (at != hs->first)
				return lone_extra(hs->first, err);
			if (at < t->length)
				return c4w_damaged(err, "tar.cut", (int64_t)at, "the archive ends inside a header");
			return c4w_damaged(err, "tar.end", (int64_t)at, "no blocks of zeros at the end: the archive may be cut");
		}
		if (is_zero(h, TAR_BLOCK)) {
			if (at != hs->first)
				return lone_extra(hs->first, err);
			return check_end(t, at, err);
		}
		if (!c4w_tar_sum_ok(h))
			return c4w_damaged(err, at == 0 ? "tar.magic" : "tar.checksum", (int64_t)at,
					   at == 0 ? "not a TAR archive: the first header's checksum is wrong" : "a header's checksum is wrong");
		type = h[TAR_TYPE];
		if (type != 'L' && type != 'K' && type != 'x' && type != 'X' && type != 'g')
			break;
		C4W_TRY(extra_data(t, h, at, type == 'g' ? t->arena : arena, &p, &n, err));
		if (type == 'L')
			hs->long_name = until_nul(p, n);
		else if (type == 'K')
			hs->long_link = until_nul(p, n);
		else if (type == 'g')
			C4W_TRY(c4w_tar_pax_parse(p, n, at + TAR_BLOCK, t->arena, t->global, err));
		else {
			hs->has_pax = true;
			C4W_TRY(c4w_tar_pax_parse(p, n, at + TAR_BLOCK, arena, &hs->pax, err));
		}
		at += TAR_BLOCK + padded(n);
	}
	memcpy(hs->main, h, TAR_BLOCK);
	hs->at = at;
	*found = true;
	return C4W_OK;
}

/* ---- settling ---- */

static struct c4w_view first_of(struct c4w_view a, struct c4w_view b)
{
	return a.p ? a : b;
}

static int copy_view(struct c4w_arena *arena, struct c4w_view v, struct c4w_view *out, struct c4w_err *err)
{
	out->p = c4w_arena_text(arena, v.p, v.n);
	out->n = v.n;
	return out->p ? C4W_OK : c4w_fail_memory(err, v.n);
}

/* prefix and name of the header itself. */
static int header_path(const uint8_t *h, struct c4w_arena *arena, struct c4w_view *out, struct c4w_err *err)
{
	struct c4w_view name = until_nul(h + TAR_NAME, 100), prefix = { NULL, 0 };
	char joined[256];
	if (memcmp(h + TAR_MAGIC, "ustar\0", 6) == 0)
		prefix = until_nul(h + TAR_PREFIX, memcmp(h + TAR_STAR_MAGIC, "tar\0", 4) == 0 ? 131 : 155);
	memcpy(joined, prefix.p ? prefix.p : "", prefix.n);
	if (prefix.n)
		joined[prefix.n++] = '/';
	memcpy(joined + prefix.n, name.p, name.n);
	return copy_view(arena, (struct c4w_view){ joined, prefix.n + name.n }, out, err);
}

static int64_t id_of(struct c4w_view pax, const uint8_t *field)
{
	uint64_t u;
	int64_t v;
	if (pax.p)
		return c4w_tar_decimal(pax, &u) ? (int64_t)u : -1;
	return c4w_tar_number(field, 8, &v) && v >= 0 ? v : -1;
}

static int64_t time_of(struct c4w_view pax, const uint8_t *field)
{
	int64_t v = 0;
	if (pax.p) {
		bool minus = pax.n && *pax.p == '-', fraction = false;
		uint64_t u = 0;
		size_t i = minus, end;
		for (end = i; end < pax.n && pax.p[end] != '.'; end++)
			;
		if (!c4w_tar_decimal((struct c4w_view){ pax.p + i, end - i }, &u))
			return 0;
		for (i = end; i < pax.n; i++)
			fraction = fraction || (pax.p[i] >= '1' && pax.p[i] <= '9');
		return minus ? -(int64_t)u - fraction : (int64_t)u;
	}
	return c4w_tar_number(field, 12, &v) ? v : 0;
}

/* Does the main header itself say how large the data is, or is there none whatever it says? */
static bool has_data(char type)
{
	return strchr("23456V", type) == NULL;
}

/* GNU's own sparse header: four pieces, then blocks of 21 more while a flag says so. */
static int gnu_sparse(struct c4w_tar *t, const uint8_t *h, struct c4w_tar_member *m, struct tar_map *map, struct c4w_arena *arena,
		      struct c4w_err *err)
{
	const uint8_t *p = h + TAR_GNU_SPARSE, *b;
	unsigned per = 4, i;
	bool more = h[TAR_GNU_EXTENDED] != 0;
	int64_t offset, length;
	if (!c4w_tar_number(h + TAR_GNU_REALSIZE, 12, &length) || length < 0)
		return field_error(m->header, "real size", err);
	m->size = (uint64_t)length;
	for (;;) {
		for (i = 0; i < per && !is_zero(p + 24 * i + 12, 12); i++) {
			if (!c4w_tar_number(p + 24 * i, 12, &offset) || !c4w_tar_number(p + 24 * i + 12, 12, &length) || offset < 0 || length < 0)
				return c4w_damaged(err, "tar.sparse", (int64_t)m->header, "a place in a sparse file that is no number");
			C4W_TRY(c4w_tar_map_add(map, (uint64_t)offset, (uint64_t)length, arena, err));
		}
		if (!more)
			return C4W_OK;
		C4W_TRY(block(t, m->data, &b, err));
		if (!b)
			return c4w_damaged(err, "tar.cut", (int64_t)m->header, "a sparse file's map reaches beyond the archive's end");
		m->data += TAR_BLOCK;
		p = b;
		per = 21;
		more = b[504] != 0;
	}
}

/* Sparse 1.0: the map stands in front of the data, a number a line, filled up to whole blocks. */
struct lines {
	struct c4w_tar *t;
	uint64_t at, end; /* next block; end of the stored data */
	const uint8_t *b;
	size_t i;
};

static int line_number(struct lines *l, const struct c4w_tar_member *m, uint64_t *out, struct c4w_err *err)
{
	char digits[20];
	size_t n = 0;
	for (;;) {
		if (!l->b || l->i == TAR_BLOCK) {
			if (l->end - l->at < TAR_BLOCK)
				return c4w_damaged(err, "tar.sparse", (int64_t)m->header, "a sparse file's map is longer than its data");
			C4W_TRY(block(l->t, l->at, &l->b, err));
			if (!l->b)
				return c4w_damaged(err, "tar.cut", (int64_t)m->header, "a sparse file's map reaches beyond the archive's end");
			l->at += TAR_BLOCK;
			l->i = 0;
		}
		if (l->b[l->i] == '\n') {
			l->i++;
			break;
		}
		if (n == sizeof digits)
			return c4w_damaged(err, "tar.sparse", (int64_t)m->header, "a place in a sparse file that is no number");
		digits[n++] = (char)l->b[l->i++];
	}
	if (!c4w_tar_decimal((struct c4w_view){ digits, n }, out))
		return c4w_damaged(err, "tar.sparse", (int64_t)m->header, "a place in a sparse file that is no number");
	return C4W_OK;
}

static int sparse_1_0(struct c4w_tar *t, struct c4w_tar_member *m, struct tar_map *map, struct c4w_arena *arena, struct c4w_err *err)
{
	struct lines l = { .t = t, .at = m->data, .end = m->data + m->stored };
	uint64_t count, i, offset, length;
	C4W_TRY(line_number(&l, m, &count, err));
	if (count > m->stored / 4) /* a piece takes four bytes at least */
		return c4w_damaged(err, "tar.sparse", (int64_t)m->header, "a sparse file's map is longer than its data");
	for (i = 0; i < count; i++) {
		C4W_TRY(line_number(&l, m, &offset, err));
		C4W_TRY(line_number(&l, m, &length, err));
		C4W_TRY(c4w_tar_map_add(map, offset, length, arena, err));
	}
	m->stored -= l.at - m->data;
	m->data = l.at;
	return C4W_OK;
}

static int settle_sparse(struct c4w_tar *t, const struct heads *hs, struct c4w_tar_member *m, struct c4w_arena *arena, struct c4w_err *err)
{
	const struct c4w_tar_pax *x = &hs->pax;
	struct tar_map map = { 0 };
	struct c4w_view real = first_of(x->sparse_realsize, x->sparse_size);
	if (hs->main[TAR_TYPE] == 'S') {
		C4W_TRY(gnu_sparse(t, hs->main, m, &map, arena, err));
	} else if (x->sparse_major.p) {
		if (!c4w_view_eqz(x->sparse_major, "1") || !x->sparse_minor.p || !c4w_view_eqz(x->sparse_minor, "0"))
			return c4w_fail(err, C4W_UNSUPPORTED, "a sparse file of a version other than 0.0, 0.1 and 1.0");
		if (!real.p || !c4w_tar_decimal(real, &m->size))
			return c4w_damaged(err, "tar.sparse", (int64_t)m->header, "a sparse file without its real size");
		C4W_TRY(sparse_1_0(t, m, &map, arena, err));
	} else if (x->sparse_map.p || x->sparse_list.n) {
		if (x->sparse_half)
			return c4w_damaged(err, "tar.sparse", (int64_t)m->header, "a sparse offset without its length");
		if (!real.p || !c4w_tar_decimal(real, &m->size))
			return c4w_damaged(err, "tar.sparse", (int64_t)m->header, "a sparse file without its real size");
		if (x->sparse_map.p)
			C4W_TRY(c4w_tar_map_text(x->sparse_map, &map, arena, m->header, err));
		else
			map = x->sparse_list;
	} else if (real.p) {
		/* a file of nothing but one hole, in 0.0 and 0.1, has no pieces to list */
		if (!c4w_tar_decimal(real, &m->size))
			return c4w_damaged(err, "tar.sparse", (int64_t)m->header, "a sparse file without its real size");
	} else {
		return C4W_OK;
	}
	return c4w_tar_map_settle(&map, m, arena, err);
}

/* A hard link may carry its file's data (pax) or only that file's size (others): what stands behind the header decides. */
static int link_data(struct c4w_tar *t, struct c4w_tar_member *m, struct c4w_err *err)
{
	const uint8_t *b;
	C4W_TRY(block(t, m->data, &b, err));
	if (!b || is_zero(b, TAR_BLOCK) || c4w_tar_sum_ok(b))
		m->stored = 0;
	return C4W_OK;
}

static int settle(struct c4w_tar *t, const struct heads *hs, struct c4w_tar_member *m, struct c4w_arena *arena, struct c4w_err *err)
{
	const uint8_t *h = hs->main;
	const struct c4w_tar_pax *x = &hs->pax, *g = t->global;
	struct c4w_view path = first_of(x->sparse_name, first_of(x->path, first_of(g->path, hs->long_name)));
	struct c4w_view link = first_of(x->link, first_of(g->link, hs->long_link)), size = first_of(x->size, g->size);
	char type = (char)h[TAR_TYPE];
	bool gnu = memcmp(h + TAR_MAGIC, "ustar ", 6) == 0;
	int64_t v;
	*m = (struct c4w_tar_member){ .header = hs->first, .data = hs->at + TAR_BLOCK };
	m->format = hs->has_pax ? C4W_TAR_PAX : gnu ? C4W_TAR_GNU : memcmp(h + TAR_MAGIC, "ustar\0", 6) == 0 ? C4W_TAR_USTAR : C4W_TAR_V7;
	if (path.p)
		C4W_TRY(copy_view(arena, path, &m->path, err));
	else
		C4W_TRY(header_path(h, arena, &m->path, err));
	if (m->path.n == 0)
		return c4w_damaged(err, "tar.name", (int64_t)hs->at, "a member without a name");
	if (type == 0)
		type = m->path.p[m->path.n - 1] == '/' ? C4W_TAR_DIR : C4W_TAR_FILE; /* before ustar, a slash made a directory */
	if (type == '7' || type == 'S')
		type = C4W_TAR_FILE;
	m->type = type;
	if (type == 'M' || type == 'N')
		return c4w_fail(err, C4W_UNSUPPORTED, "a member that goes on from another volume, or names by an old GNU extension");
	if (type == C4W_TAR_HARDLINK || type == C4W_TAR_SYMLINK)
		C4W_TRY(copy_view(arena, link.p ? link : until_nul(h + TAR_LINK, 100), &m->link, err));
	if (size.p) {
		if (!c4w_tar_decimal(size, &m->stored))
			return c4w_damaged(err, "tar.size", (int64_t)hs->first, "a pax size that is no number of bytes");
	} else {
		if (!c4w_tar_number(h + TAR_SIZE, 12, &v))
			return field_error(hs->at + TAR_SIZE, "size", err);
		if (v < 0)
			return c4w_damaged(err, "tar.size", (int64_t)hs->at + TAR_SIZE, "a negative size");
		m->stored = (uint64_t)v;
	}
	if (!has_data(type))
		m->stored = 0;
	if (type == C4W_TAR_HARDLINK && m->stored)
		C4W_TRY(link_data(t, m, err));
	m->mode = c4w_tar_number(h + TAR_MODE, 8, &v) ? (uint32_t)(v & 07777) : 0;
	m->uid = id_of(first_of(x->uid, g->uid), h + TAR_UID);
	m->gid = id_of(first_of(x->gid, g->gid), h + TAR_GID);
	m->mtime = time_of(first_of(x->mtime, g->mtime), h + TAR_MTIME);
	m->size = m->stored;
	if (type == C4W_TAR_FILE) {
		uint64_t stored = m->stored, data = m->data;
		C4W_TRY(settle_sparse(t, hs, m, arena, err));
		/* GNU's map blocks are not part of the size, those of 1.0 are */
		if (h[TAR_TYPE] == 'S')
			data = m->data;
		m->next = data + stored;
	} else {
		m->next = m->data + m->stored;
	}
	if (!c4w_within(m->data, m->stored, t->length)) {
		char shown[160];
		return c4w_damaged(err, "tar.cut", (int64_t)hs->at, "member '%s' of %" PRIu64 " bytes reaches beyond the archive's end",
				   c4w_str_escape(shown, sizeof shown, m->path.p, m->path.n), m->stored);
	}
	m->next = padded(m->next);
	return C4W_OK;
}

int c4w_tar_next(struct c4w_tar *t, struct c4w_arena *names, struct c4w_tar_member *m, bool *found, struct c4w_err *err)
{
	struct heads hs;
	int rc;
	*found = false;
	if (t->ended)
		return C4W_OK;
	rc = read_heads(t, names, &hs, found, err);
	if (rc == C4W_OK && *found)
		rc = settle(t, &hs, m, names, err);
	if (rc != C4W_OK || !*found) {
		t->ended = true;
		*found = false;
		return rc;
	}
	t->at = m->next;
	return C4W_OK;
}

int c4w_tar_read(struct c4w_tar *t, const struct c4w_tar_member *m, uint64_t offset, size_t n, void *buf, struct c4w_err *err)
{
	uint8_t *out = buf;
	size_t low = 0, high = m->sparse_count;
	if (!c4w_within(offset, n, m->size))
		return c4w_fail(err, C4W_USAGE, "a range beyond the member's end");
	if (!m->is_sparse)
		return c4w_blob_read_at(t->blob, t->base + m->data + offset, n, buf, err);
	/* the first piece that ends behind `offset` */
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (m->sparse[mid].offset + m->sparse[mid].length > offset)
			high = mid;
		else
			low = mid + 1;
	}
	while (n) {
		const struct c4w_range *r = low < m->sparse_count ? &m->sparse[low] : NULL;
		size_t part = n;
		if (r && r->offset <= offset) {
			uint64_t skip = offset - r->offset;
			if (r->length - skip < part)
				part = (size_t)(r->length - skip);
			if (part)
				C4W_TRY(c4w_blob_read_at(t->blob, t->base + m->data + m->sparse_at[low] + skip, part, out, err));
			low++;
		} else {
			if (r && r->offset - offset < part)
				part = (size_t)(r->offset - offset);
			memset(out, 0, part);
		}
		out += part;
		offset += part;
		n -= part;
	}
	return C4W_OK;
}

int c4w_tar_list(struct c4w_tar *t, struct c4w_tar_member **out, size_t *count, struct c4w_err *err)
{
	struct c4w_tar_member *v = NULL, m;
	size_t n = 0, cap = 0;
	bool found;
	void *mem;
	*out = NULL;
	*count = 0;
	for (;;) {
		int rc = c4w_tar_next(t, t->arena, &m, &found, err);
		if (rc != C4W_OK || !found) {
			*out = v;
			*count = n;
			return rc;
		}
		if (n == cap) {
			cap = cap ? 2 * cap : 64;
			C4W_TRY(c4w_arena_take(t->arena, cap * sizeof *v, &mem, err));
			if (n)
				memcpy(mem, v, n * sizeof *v);
			v = mem;
		}
		v[n++] = m;
	}
}

int c4w_tar_verify(struct c4w_blob *b, struct c4w_arena *arena, struct c4w_faults *faults, struct c4w_err *err)
{
	struct c4w_arena names = { 0 };
	struct c4w_tar_member m;
	struct c4w_tar t;
	struct c4w_err own;
	bool found = true;
	int rc;
	if (!err)
		err = &own;
	names.limit = arena->limit;
	rc = c4w_tar_open(b, 0, c4w_blob_size(b), arena, &t, err);
	while (rc == C4W_OK && found) {
		rc = c4w_tar_next(&t, &names, &m, &found, err);
		c4w_arena_reset(&names);
	}
	c4w_arena_clear(&names);
	/* behind the first damage there is nothing to hold on to: one fault an archive */
	return rc == C4W_OK ? C4W_OK : c4w_fault(faults, err);
}
