/* TAR: numeric fields, checksums, pax records (POSIX.1-2008, pax, "pax Extended Header"), maps of sparse files (GNU tar manual, appendix
 * "Storing Sparse Files"). */
#include "base/checked.h"
#include "base/limits.h"
#include "containers/tar_impl.h"

#include <inttypes.h>
#include <string.h>

bool c4w_tar_number(const uint8_t *p, size_t n, int64_t *out)
{
	uint64_t v = 0;
	size_t i = 0;
	if (p[0] & 0x80) {
		/* base 256, two's complement; the top bit is the mark, the next one the sign (known-bugs 10) */
		bool negative = (p[0] & 0x40) != 0;
		uint8_t fill = negative ? 0xFF : 0;
		for (i = 0; i < n; i++) {
			uint8_t c = i == 0 ? (uint8_t)((p[0] & 0x7F) | (negative ? 0x80 : 0)) : p[i];
			if (n - i > 8) {
				if (c != fill)
					return false;
			} else {
				v = v << 8 | c;
			}
		}
		if ((v >> 63 != 0) != negative)
			return false;
		*out = (int64_t)v;
		return true;
	}
	while (i < n && p[i] == ' ')
		i++;
	for (; i < n && p[i] >= '0' && p[i] <= '7'; i++) {
		if (v >> 60)
			return false;
		v = v << 3 | (uint64_t)(p[i] - '0');
	}
	/* a blank or NUL ends the number; one that fills its field needs none. What follows is padding. */
	if (i < n && p[i] != 0 && p[i] != ' ')
		return false;
	*out = (int64_t)v;
	return true;
}

bool c4w_tar_decimal(struct c4w_view s, uint64_t *out)
{
	uint64_t v = 0;
	size_t i;
	if (s.n == 0)
		return false;
	for (i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9' || !c4w_mul_u64(v, 10, &v) || !c4w_add_u64(v, (uint64_t)(s.p[i] - '0'), &v) || v > INT64_MAX)
			return false;
	}
	*out = v;
	return true;
}

bool c4w_tar_sum_ok(const uint8_t *h)
{
	int64_t claimed, plain = 0, with_sign = 0;
	size_t i;
	for (i = 0; i < TAR_BLOCK; i++) {
		uint8_t c = i >= TAR_SUM && i < TAR_SUM + 8 ? (uint8_t)' ' : h[i];
		plain += c;
		with_sign += (int8_t)c;
	}
	return c4w_tar_number(h + TAR_SUM, 8, &claimed) && (claimed == plain || claimed == with_sign);
}

/* ---- pax records ---- */

static int bad_pax(uint64_t at, const char *what, struct c4w_err *err)
{
	return c4w_damaged(err, "tar.pax", (int64_t)at, "pax record: %s", what);
}

static int sparse_offset(struct c4w_tar_pax *pax, struct c4w_view value, bool length, uint64_t at, struct c4w_arena *arena,
			 struct c4w_err *err)
{
	uint64_t v;
	if (!c4w_tar_decimal(value, &v))
		return c4w_damaged(err, "tar.sparse", (int64_t)at, "a place in a sparse file that is no number");
	if (length != pax->sparse_half)
		return c4w_damaged(err, "tar.sparse", (int64_t)at, "sparse offsets and lengths that do not alternate");
	pax->sparse_half = !length;
	if (!length)
		return c4w_tar_map_add(&pax->sparse_list, v, 0, arena, err);
	pax->sparse_list.v[pax->sparse_list.n - 1].length = v;
	return C4W_OK;
}

static int record(struct c4w_tar_pax *pax, struct c4w_view key, struct c4w_view value, uint64_t at, struct c4w_arena *arena,
		  struct c4w_err *err)
{
	const struct {
		const char *key;
		struct c4w_view *slot;
		bool name;
	} slots[] = {
		{ "path", &pax->path, true },
		{ "linkpath", &pax->link, true },
		{ "size", &pax->size, false },
		{ "uid", &pax->uid, false },
		{ "gid", &pax->gid, false },
		{ "mtime", &pax->mtime, false },
		{ "GNU.sparse.major", &pax->sparse_major, false },
		{ "GNU.sparse.minor", &pax->sparse_minor, false },
		{ "GNU.sparse.name", &pax->sparse_name, true },
		{ "GNU.sparse.realsize", &pax->sparse_realsize, false },
		{ "GNU.sparse.size", &pax->sparse_size, false },
		{ "GNU.sparse.map", &pax->sparse_map, false },
	};
	size_t i;
	if (c4w_view_eqz(key, "GNU.sparse.offset"))
		return sparse_offset(pax, value, false, at, arena, err);
	if (c4w_view_eqz(key, "GNU.sparse.numbytes"))
		return sparse_offset(pax, value, true, at, arena, err);
	for (i = 0; i < sizeof slots / sizeof *slots; i++) {
		if (!c4w_view_eqz(key, slots[i].key))
			continue;
		if (slots[i].name && value.n && memchr(value.p, 0, value.n))
			return bad_pax(at, "a name with a NUL byte", err);
		*slots[i].slot = value; /* an empty value takes back what an earlier record said */
		if (value.n == 0)
			slots[i].slot->p = NULL;
	}
	return C4W_OK;
}

int c4w_tar_pax_parse(const uint8_t *p, size_t n, uint64_t at, struct c4w_arena *arena, struct c4w_tar_pax *pax, struct c4w_err *err)
{
	size_t i = 0;
	while (i < n) {
		uint64_t place = at + i;
		size_t length = 0, digits = 0;
		const uint8_t *equals, *key;
		/* some writers fill up the block with NUL and count it */
		if (p[i] == 0) {
			for (; i < n && p[i] == 0; i++)
				;
			return i == n ? C4W_OK : bad_pax(place, "no length", err);
		}
		for (; i + digits < n && p[i + digits] >= '0' && p[i + digits] <= '9' && digits < 10; digits++)
			length = length * 10 + (size_t)(p[i + digits] - '0');
		if (digits == 0 || i + digits == n || p[i + digits] != ' ')
			return bad_pax(place, "no length", err);
		if (length > n - i || length < digits + 3)
			return bad_pax(place, "a length that does not fit its header", err);
		if (length > C4W_LIMIT_PAX_RECORD)
			return c4w_fail(err, C4W_LIMIT, "a pax record of %zu bytes is beyond the limit of %llu", length, C4W_LIMIT_PAX_RECORD);
		if (p[i + length - 1] != '\n')
			return bad_pax(place, "it does not end in a newline", err);
		key = p + i + digits + 1;
		equals = memchr(key, '=', length - digits - 2);
		if (!equals || equals == key)
			return bad_pax(place, "no keyword", err);
		C4W_TRY(record(pax, (struct c4w_view){ (const char *)key, (size_t)(equals - key) },
			       (struct c4w_view){ (const char *)equals + 1, (size_t)(p + i + length - 1 - (equals + 1)) }, place, arena, err));
		i += length;
	}
	return C4W_OK;
}

/* ---- sparse maps ---- */

int c4w_tar_map_add(struct tar_map *map, uint64_t offset, uint64_t length, struct c4w_arena *arena, struct c4w_err *err)
{
	if (map->n == map->cap) {
		size_t cap = map->cap ? 2 * map->cap : 16;
		void *more;
		C4W_TRY(c4w_arena_take(arena, cap * sizeof *map->v, &more, err));
		if (map->n)
			memcpy(more, map->v, map->n * sizeof *map->v);
		map->v = more;
		map->cap = cap;
	}
	map->v[map->n++] = (struct c4w_range){ offset, length };
	return C4W_OK;
}

int c4w_tar_map_text(struct c4w_view text, struct tar_map *map, struct c4w_arena *arena, uint64_t at, struct c4w_err *err)
{
	uint64_t v[2] = { 0, 0 };
	unsigned k = 0;
	size_t i = 0;
	for (;;) {
		size_t start = i;
		while (i < text.n && text.p[i] != ',')
			i++;
		if (!c4w_tar_decimal((struct c4w_view){ text.p + start, i - start }, &v[k]))
			return c4w_damaged(err, "tar.sparse", (int64_t)at, "a place in a sparse file that is no number");
		if (k == 1)
			C4W_TRY(c4w_tar_map_add(map, v[0], v[1], arena, err));
		k ^= 1;
		if (i == text.n)
			break;
		i++;
	}
	if (k)
		return c4w_damaged(err, "tar.sparse", (int64_t)at, "a sparse offset without its length");
	return C4W_OK;
}

int c4w_tar_map_settle(const struct tar_map *map, struct c4w_tar_member *m, struct c4w_arena *arena, struct c4w_err *err)
{
	uint64_t *at, sum = 0, end = 0;
	void *mem;
	size_t i;
	C4W_TRY(c4w_arena_take(arena, map->n * sizeof *at, &mem, err));
	at = mem;
	for (i = 0; i < map->n; i++) {
		const struct c4w_range *r = &map->v[i];
		if (r->offset < end || !c4w_within(r->offset, r->length, m->size))
			return c4w_damaged(err, "tar.sparse", (int64_t)m->header, "pieces of a sparse file that overlap or lie outside it");
		end = r->offset + r->length;
		at[i] = sum;
		sum += r->length;
	}
	if (sum != m->stored)
		return c4w_damaged(err, "tar.sparse", (int64_t)m->header,
				   "the pieces of a sparse file take %" PRIu64 " bytes, but %" PRIu64 " are stored", sum, m->stored);
	m->sparse = map->v;
	m->sparse_at = at;
	m->sparse_count = map->n;
	m->is_sparse = true;
	return C4W_OK;
}
