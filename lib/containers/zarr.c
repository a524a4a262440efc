/* Zarr v3 arrays: files of chunks, the shard index, and the cursor that lends decoded steps. See zarr.h. */
#include "containers/zarr.h"

#include "base/buf.h"
#include "base/checked.h"
#include "base/crc.h"
#include "base/limits.h"
#include "containers/zarr_impl.h"

#include <stdatomic.h>

const struct c4w_rule c4w_zarr_rules[] = {
	{ "zarr.json", "zarr.json is a JSON object", "Metadata" },
	{ "zarr.format", "zarr_format is 3 and node_type is array or group", "Metadata" },
	{ "zarr.shape", "the shape is a list of non-negative integers", "Array metadata" },
	{ "zarr.chunk-shape", "chunk shapes have the array's rank, no zero, and a shard is a whole number of chunks", "Regular grids" },
	{ "zarr.dimension-names", "dimension_names are absent, null, or a text or null for each axis", "Array metadata" },
	{ "zarr.fill-value", "fill_value fits the data type", "Fill value" },
	{ "zarr.codecs", "the list of codecs is well formed: one array-to-bytes codec, in its place", "Codecs" },
	{ "zarr.shard-short", "a shard has room for its index", "sharding_indexed" },
	{ "zarr.index-crc", "the CRC-32C of a shard's index agrees", "sharding_indexed" },
	{ "zarr.index-range", "a chunk's offset and length lie within its shard, outside the index", "sharding_indexed" },
	{ "zarr.chunk-size", "a chunk unpacks to the size its shape asks for", "Chunks" },
	{ "zarr.claim", "a frame claims no more than its codec could make of its bytes", "Codecs" },
	{ "zarr.blosc", "a blosc frame is well formed", "blosc" },
	{ "zarr.zstd", "a zstd frame is well formed", "zstd" },
	{ "zarr.gzip", "a gzip member is well formed and fills the chunk", "gzip" },
	{ "zarr.crc32c", "the CRC-32C of a chunk agrees", "crc32c" },
	{ "zarr.vlen", "a vlen-utf8 chunk holds exactly the texts its shape asks for", "vlen-utf8" },
	{ "zarr.utf8", "texts are UTF-8", "vlen-utf8" },
	{ "zarr.bool", "booleans are stored as 0 or 1", "Data types" },
	{ NULL, NULL, NULL },
};

#define FILL_PIECE 65536u /* steps of fill lent at once, at most */
#define NO_FILE UINT64_MAX

struct c4w_zarr_cursor {
	uint64_t serial;     /* of the array the rest belongs to; 0: none */
	uint64_t file;       /* whose index is held */
	bool file_absent;
	struct c4w_blob *blob;
	struct c4w_zarr_bytes index;
	uint64_t chunk;      /* that is decoded: file * slots + slot; NO_FILE: none */
	const uint8_t *decoded;
	struct c4w_zarr_bytes raw, a, b, fill;
	struct c4w_zarr_bytes offsets;
	void *zstd;
	uint64_t fill_serial;
};

static atomic_uint_fast64_t next_serial = 1;

static int open_meta(struct c4w_store *s, const char *path, struct c4w_arena *arena, struct c4w_zarr_meta *m, bool *group,
		     struct c4w_err *err)
{
	struct c4w_buf name = { 0 };
	struct c4w_blob *blob = NULL;
	const uint8_t *p;
	int rc;

	c4w_buf_printf(&name, "%s%szarr.json", path, *path ? "/" : "");
	rc = c4w_buf_ok(&name, err);
	if (rc == C4W_OK)
		rc = c4w_store_open(s, name.p, &blob, err);
	if (rc == C4W_OK && c4w_blob_size(blob) > C4W_LIMIT_DOCUMENT)
		rc = c4w_fail(err, C4W_LIMIT, "zarr.json has more than %llu bytes", C4W_LIMIT_DOCUMENT);
	if (rc == C4W_OK)
		rc = c4w_blob_view(blob, 0, (size_t)c4w_blob_size(blob), arena, &p, err);
	if (rc == C4W_OK)
		rc = c4w_zarr_parse((const char *)p, (size_t)c4w_blob_size(blob), arena, m, group, err);
	if (rc != C4W_OK && name.p)
		c4w_err_path(err, name.p);
	c4w_blob_close(blob);
	c4w_buf_clear(&name);
	return rc;
}

int c4w_zarr_open(struct c4w_store *s, const char *path, struct c4w_zarr **out, struct c4w_err *err)
{
	struct c4w_zarr *z = calloc(1, sizeof *z);
	bool group = false;
	unsigned i;
	int rc;

	*out = NULL;
	if (!z)
		return c4w_fail_memory(err, sizeof *z);
	z->serial = atomic_fetch_add(&next_serial, 1);
	rc = open_meta(s, path, &z->arena, &z->m, &group, err);
	if (rc == C4W_OK && group)
		rc = c4w_fail(err, C4W_USAGE, "a Zarr group, not an array");
	if (rc == C4W_OK && !(z->path = c4w_arena_text(&z->arena, path, strlen(path))))
		rc = c4w_fail_memory(err, strlen(path));
	if (rc != C4W_OK) {
		c4w_err_path(err, path);
		c4w_zarr_close(z);
		return rc;
	}
	z->step_items = 1;
	for (i = 1; i < z->m.rank; i++)
		z->step_items *= z->m.shape[i]; /* c4w_zarr_parse has bounded the product */
	z->chunk_items = z->m.inner[0] * z->step_items;
	z->slots = z->m.stored[0] / z->m.inner[0];
	z->store = c4w_store_ref(s);
	*out = z;
	return C4W_OK;
}

void c4w_zarr_close(struct c4w_zarr *z)
{
	if (!z)
		return;
	c4w_store_close(z->store);
	c4w_arena_clear(&z->arena);
	free(z);
}

const struct c4w_zarr_meta *c4w_zarr_meta(const struct c4w_zarr *z)
{
	return &z->m;
}

const char *c4w_zarr_path(const struct c4w_zarr *z)
{
	return z->path;
}

int c4w_zarr_check_group(struct c4w_store *s, const char *path, struct c4w_err *err)
{
	struct c4w_arena arena = { 0 };
	struct c4w_zarr_meta m;
	bool group = false;
	int rc = open_meta(s, path, &arena, &m, &group, err);

	c4w_arena_clear(&arena);
	if (rc == C4W_OK && !group)
		rc = c4w_damaged(err, "zarr.format", -1, "an array where a group is expected");
	return rc;
}

int c4w_zarr_cursor_new(struct c4w_zarr_cursor **out, struct c4w_err *err)
{
	*out = calloc(1, sizeof **out);
	if (!*out)
		return c4w_fail_memory(err, sizeof **out);
	(*out)->file = (*out)->chunk = NO_FILE;
	return C4W_OK;
}

void c4w_zarr_cursor_free(struct c4w_zarr_cursor *c)
{
	if (!c)
		return;
	c4w_blob_close(c->blob);
	free(c->index.p);
	free(c->raw.p);
	free(c->a.p);
	free(c->b.p);
	free(c->fill.p);
	free(c->offsets.p);
	c4w_zarr_zstd_free(c->zstd);
	free(c);
}

uint64_t c4w_zarr_files(const struct c4w_zarr *z)
{
	return z->m.shape[0] / z->m.stored[0] + (z->m.shape[0] % z->m.stored[0] != 0);
}

void c4w_zarr_file_path(const struct c4w_zarr *z, uint64_t file, char *buf, size_t size)
{
	unsigned i;
	int n = snprintf(buf, size, "%s%sc%c%llu", z->path, *z->path ? "/" : "", z->m.separator, (unsigned long long)file);

	for (i = 1; i < z->m.rank && n > 0 && (size_t)n < size; i++)
		n += snprintf(buf + n, size - (size_t)n, "%c0", z->m.separator);
}

/* Have file number `file` open, and its index read and checked. */
static int seek_file(struct c4w_zarr *z, struct c4w_zarr_cursor *c, uint64_t file, struct c4w_err *err)
{
	char path[1024];
	uint64_t size, bytes, at;
	int rc;

	if (c->serial == z->serial && c->file == file)
		return C4W_OK;
	c4w_blob_close(c->blob);
	c->blob = NULL;
	c->serial = 0;
	c->file = c->chunk = NO_FILE;
	c->file_absent = false;
	c4w_zarr_file_path(z, file, path, sizeof path);
	if (strlen(path) + 1 >= sizeof path)
		return c4w_fail(err, C4W_LIMIT, "the name of a chunk's file is too long");
	rc = c4w_store_open(z->store, path, &c->blob, err);
	if (rc == C4W_ABSENT) {
		if (err)
			c4w_err_clear(err);
		c->file_absent = true;
	} else if (rc != C4W_OK) {
		return rc;
	} else if (z->m.sharded) {
		size = c4w_blob_size(c->blob);
		if (z->slots > size / 16 || z->slots * 16 + (z->m.index_crc ? 4 : 0) > size) {
			rc = c4w_damaged(err, "zarr.shard-short", -1, "a shard of %llu bytes can't hold an index of %llu chunks",
					 (unsigned long long)size, (unsigned long long)z->slots);
			goto bad;
		}
		bytes = z->slots * 16 + (z->m.index_crc ? 4 : 0);
		at = z->m.index_first ? 0 : size - bytes;
		rc = c4w_zarr_room(&c->index, (size_t)bytes, err);
		if (rc == C4W_OK)
			rc = c4w_blob_read_at(c->blob, at, (size_t)bytes, c->index.p, err);
		if (rc == C4W_OK && z->m.index_crc && c4w_crc32c(0, c->index.p, (size_t)bytes - 4) != c4w_le32(c->index.p + bytes - 4))
			rc = c4w_damaged(err, "zarr.index-crc", (int64_t)at, "the CRC-32C of the shard's index differs");
		if (rc != C4W_OK)
			goto bad;
	}
	c->serial = z->serial;
	c->file = file;
	return C4W_OK;
bad:
	c4w_err_path(err, path);
	return rc;
}

/* Where chunk `slot` of the open file lies. *absent when it isn't stored. */
static int locate(struct c4w_zarr *z, struct c4w_zarr_cursor *c, uint64_t slot, uint64_t *offset, uint64_t *length, bool *absent,
		  struct c4w_err *err)
{
	uint64_t size, bytes, from, to;

	*absent = c->file_absent;
	if (*absent)
		return C4W_OK;
	size = c4w_blob_size(c->blob);
	*offset = 0;
	*length = size;
	if (!z->m.sharded)
		return C4W_OK;
	*offset = c4w_le64(c->index.p + slot * 16);
	*length = c4w_le64(c->index.p + slot * 16 + 8);
	*absent = *offset == UINT64_MAX && *length == UINT64_MAX;
	if (*absent)
		return C4W_OK;
	bytes = z->slots * 16 + (z->m.index_crc ? 4 : 0);
	from = z->m.index_first ? bytes : 0;
	to = z->m.index_first ? size : size - bytes;
	if (*offset < from || !c4w_within(*offset, *length, to) || *length == 0) {
		c4w_damaged(err, "zarr.index-range", -1, "chunk %llu lies outside its shard", (unsigned long long)slot);
		return c4w_err_valuesf(err, NULL, "offset %llu, length %llu in %llu bytes", (unsigned long long)*offset,
				       (unsigned long long)*length, (unsigned long long)to);
	}
	return C4W_OK;
}

static int check_bools(const uint8_t *p, size_t n, struct c4w_err *err)
{
	uint8_t any = 0;
	size_t i;

	for (i = 0; i < n; i++)
		any |= p[i];
	if (any > 1)
		return c4w_damaged(err, "zarr.bool", -1, "a boolean is stored as another byte than 0 or 1");
	return C4W_OK;
}

/* Decode chunk (file, slot), which is stored at offset. `direct`: the caller's buffer for a whole chunk, or NULL. */
static int decode(struct c4w_zarr *z, struct c4w_zarr_cursor *c, uint64_t offset, uint64_t length, void *direct, struct c4w_err *err)
{
	const struct c4w_zarr_meta *m = &z->m;
	const uint8_t *out;
	size_t n, want = 0;

	c->chunk = NO_FILE;
	if (length > C4W_LIMIT_ZARR_CHUNK)
		return c4w_fail(err, C4W_LIMIT, "a Zarr chunk of %llu bytes is beyond the limit of %llu", (unsigned long long)length,
				C4W_LIMIT_ZARR_CHUNK);
	if (m->item) {
		if (!c4w_mul_size(m->inner[0], m->step, &want) || want > C4W_LIMIT_ZARR_CHUNK)
			return c4w_fail(err, C4W_LIMIT, "chunks of %llu steps are beyond the limit of %llu bytes for a Zarr chunk",
					(unsigned long long)m->inner[0], C4W_LIMIT_ZARR_CHUNK);
		if (want == 0)
			return c4w_fail(err, C4W_UNSUPPORTED, "unsupported Zarr feature: an empty chunk");
	}
	C4W_TRY(c4w_zarr_room(&c->raw, (size_t)length, err));
	C4W_TRY(c4w_blob_read_at(c->blob, offset, (size_t)length, c->raw.p, err));
	C4W_TRY(c4w_zarr_decode(m, c->raw.p, (size_t)length, want, &c->a, &c->b, direct, &c->zstd, &out, &n, err));
	if (direct && out != direct) {
		memcpy(direct, out, want);
		out = direct;
	}
	if (m->item) {
		if (m->delta || m->big_endian)
			c4w_zarr_finish(m, (uint8_t *)out, z->chunk_items); /* out lies in our own scratch or in direct */
		if (m->type == C4W_ZARR_BOOL)
			C4W_TRY(check_bools(out, n, err));
	} else {
		if (z->chunk_items >= n / 4 + 1) /* each text has 4 bytes of length: bounds the allocation */
			return c4w_damaged(err, "zarr.vlen", -1, "%zu bytes can't hold the chunk's %llu texts", n,
					   (unsigned long long)z->chunk_items);
		C4W_TRY(c4w_zarr_room(&c->offsets, ((size_t)z->chunk_items + 1) * 8, err));
		C4W_TRY(c4w_zarr_texts((uint8_t *)out, n, z->chunk_items, (int64_t *)(void *)c->offsets.p, err));
	}
	c->decoded = out;
	return C4W_OK;
}

static int lend_fill(struct c4w_zarr *z, struct c4w_zarr_cursor *c, struct c4w_zarr_run *run, struct c4w_err *err)
{
	const struct c4w_zarr_meta *m = &z->m;
	uint64_t piece = FILL_PIECE, i;

	if (m->step > 64)
		piece = m->step > FILL_PIECE * 64 ? 1 : FILL_PIECE * 64 / m->step;
	if (run->steps > piece)
		run->steps = piece;
	run->absent = true;
	if (c->fill_serial != z->serial) {
		if (m->item) {
			size_t bytes = (size_t)piece * m->step;

			if (bytes > C4W_LIMIT_ZARR_CHUNK)
				return c4w_fail(err, C4W_LIMIT, "one step has %zu bytes, beyond the limit for a Zarr chunk", m->step);
			c->fill_serial = 0;
			C4W_TRY(c4w_zarr_room(&c->fill, bytes, err));
			for (i = 0; i < bytes / m->item; i++)
				memcpy(c->fill.p + i * m->item, m->fill, m->item);
		} else {
			uint64_t items = piece * z->step_items, n = m->fill_text.n;

			if (n && items > C4W_LIMIT_ZARR_CHUNK / 4 / n)
				items = C4W_LIMIT_ZARR_CHUNK / 4 / n;
			c->fill_serial = 0;
			C4W_TRY(c4w_zarr_room(&c->fill, (size_t)((items + 1) * 8 + items * n), err));
			for (i = 0; i <= items; i++) {
				((int64_t *)(void *)c->fill.p)[i] = (int64_t)(i * n);
				if (i < items)
					memcpy(c->fill.p + (items + 1) * 8 + i * n, m->fill_text.p, n);
			}
			if (items < piece * z->step_items)
				return c4w_fail(err, C4W_LIMIT, "the fill text of %llu bytes is too long", (unsigned long long)n);
		}
		c->fill_serial = z->serial;
	}
	if (m->item) {
		run->values = c->fill.p;
	} else {
		run->offsets = (const int64_t *)(const void *)c->fill.p;
		run->text = (const char *)c->fill.p + (piece * z->step_items + 1) * 8;
	}
	return C4W_OK;
}

static int lend(struct c4w_zarr *z, struct c4w_zarr_cursor *c, uint64_t a, uint64_t b, void *direct, struct c4w_zarr_run *run,
		struct c4w_err *err)
{
	const struct c4w_zarr_meta *m = &z->m;
	uint64_t file, slot, within, left, offset = 0, length = 0;
	char path[1024];
	bool absent, whole;
	int rc;

	memset(run, 0, sizeof *run);
	if (a >= b || b > m->shape[0])
		return c4w_fail(err, C4W_USAGE, "steps %llu to %llu of an array of %llu", (unsigned long long)a, (unsigned long long)b,
				(unsigned long long)m->shape[0]);
	file = a / m->stored[0];
	slot = a % m->stored[0] / m->inner[0];
	within = a % m->inner[0];
	left = m->inner[0] - within;
	run->first = a;
	run->steps = b - a < left ? b - a : left;
	C4W_TRY(seek_file(z, c, file, err));
	if (c->chunk != file * z->slots + slot || c->chunk == NO_FILE) {
		rc = locate(z, c, slot, &offset, &length, &absent, err);
		if (rc == C4W_OK && absent) {
			if (c->file_absent) { /* the whole file is fill */
				left = m->stored[0] - a % m->stored[0];
				run->steps = b - a < left ? b - a : left;
			}
			return lend_fill(z, c, run, err);
		}
		whole = direct && within == 0 && run->steps == m->inner[0];
		if (rc == C4W_OK)
			rc = decode(z, c, offset, length, whole ? direct : NULL, err);
		if (rc != C4W_OK) {
			c4w_zarr_file_path(z, file, path, sizeof path);
			c4w_err_path(err, path);
			return c4w_err_prefix(err, "chunk %llu", (unsigned long long)slot);
		}
		if (whole) { /* the result is the caller's, not ours to keep */
			run->values = direct;
			return C4W_OK;
		}
		c->chunk = file * z->slots + slot;
	}
	if (m->item) {
		run->values = c->decoded + within * m->step;
	} else {
		run->offsets = (const int64_t *)(const void *)c->offsets.p + within * z->step_items;
		run->text = (const char *)c->decoded;
	}
	return C4W_OK;
}

int c4w_zarr_lend(struct c4w_zarr *z, struct c4w_zarr_cursor *c, uint64_t a, uint64_t b, struct c4w_zarr_run *out, struct c4w_err *err)
{
	return lend(z, c, a, b, NULL, out, err);
}

int c4w_zarr_read(struct c4w_zarr *z, struct c4w_zarr_cursor *c, uint64_t a, uint64_t b, void *out, struct c4w_err *err)
{
	struct c4w_zarr_run run;
	uint8_t *to = out;

	if (!z->m.item)
		return c4w_fail(err, C4W_USAGE, "texts can't be read into a plain buffer");
	while (a < b) {
		C4W_TRY(lend(z, c, a, b, to, &run, err));
		if (run.values != to)
			memcpy(to, run.values, (size_t)run.steps * z->m.step);
		to += (size_t)run.steps * z->m.step;
		a += run.steps;
	}
	return C4W_OK;
}
