/* Zarr version 3: arrays in a directory store, read by ranges of their first axis.
 *
 * Follows the Zarr v3 core specification and the codecs that zarr-python 3 writes: sharding_indexed, bytes, vlen-utf8,
 * numcodecs.delta, transpose (identity only), blosc, zstd, gzip, crc32c. Chunks may be split along the first axis only. Whatever else
 * Zarr can express is C4W_UNSUPPORTED and named. A chunk or a shard that is absent reads as the stored fill value.
 *
 * An array is immutable once open: any thread may use it. A cursor belongs to one worker; it keeps the last shard's index and the
 * last chunk, so that neighbouring reads decode once. Shapes and lengths from the metadata are claims: nothing is allocated on
 * their word, only on that of the bytes present, and a frame may not claim more than its codec could make of its bytes.
 */
#ifndef C4W_CONTAINERS_ZARR_H
#define C4W_CONTAINERS_ZARR_H

#include "base/arena.h"
#include "base/rule.h"
#include "base/str.h"
#include "storage/store.h"

#define C4W_ZARR_RANK 16
#define C4W_ZARR_CODECS 4

enum c4w_zarr_type {
	C4W_ZARR_BOOL,
	C4W_ZARR_INT8,
	C4W_ZARR_INT16,
	C4W_ZARR_INT32,
	C4W_ZARR_INT64,
	C4W_ZARR_UINT8,
	C4W_ZARR_UINT16,
	C4W_ZARR_UINT32,
	C4W_ZARR_UINT64,
	C4W_ZARR_FLOAT32,
	C4W_ZARR_FLOAT64,
	C4W_ZARR_STRING,
};

enum c4w_zarr_codec { C4W_ZARR_BLOSC, C4W_ZARR_ZSTD, C4W_ZARR_GZIP, C4W_ZARR_CRC32C };

struct c4w_zarr_meta {
	unsigned rank;
	uint64_t shape[C4W_ZARR_RANK];
	uint64_t stored[C4W_ZARR_RANK]; /* of one file: the shard, or the chunk of an array without shards */
	uint64_t inner[C4W_ZARR_RANK];  /* of one chunk; equals `stored` without shards */
	enum c4w_zarr_type type;
	size_t item;      /* bytes of an element, 0 for text */
	size_t step;      /* bytes of one step of the first axis, 0 for text */
	bool sharded, index_first, index_crc;
	bool delta;       /* differences along the flattened chunk, wrapping */
	bool big_endian;
	char separator;   /* '/' or '.' between the parts of a chunk's name */
	uint8_t fill[8];  /* little-endian */
	struct c4w_view fill_text;
	unsigned codecs;  /* bytes to bytes, in the order of writing */
	enum c4w_zarr_codec codec[C4W_ZARR_CODECS];
};

struct c4w_zarr;
struct c4w_zarr_cursor;

/* "int16", "string", ... as the metadata spells it. */
const char *c4w_zarr_type_name(enum c4w_zarr_type t);

/* Open the array at `path` of the store (its zarr.json is read). C4W_ABSENT without zarr.json. The array keeps the store. */
int c4w_zarr_open(struct c4w_store *s, const char *path, struct c4w_zarr **out, struct c4w_err *err) C4W_MUST_CHECK;
void c4w_zarr_close(struct c4w_zarr *z); /* accepts NULL */
const struct c4w_zarr_meta *c4w_zarr_meta(const struct c4w_zarr *z);
const char *c4w_zarr_path(const struct c4w_zarr *z);

/* Is the JSON document a Zarr v3 group? C4W_OK, or why not. */
int c4w_zarr_check_group(struct c4w_store *s, const char *path, struct c4w_err *err) C4W_MUST_CHECK;

int c4w_zarr_cursor_new(struct c4w_zarr_cursor **out, struct c4w_err *err) C4W_MUST_CHECK;
void c4w_zarr_cursor_free(struct c4w_zarr_cursor *c); /* accepts NULL */

/* Decoded steps, lent by the cursor until its next use. */
struct c4w_zarr_run {
	uint64_t first, steps;    /* [first, first + steps) of the first axis; steps >= 1 */
	const uint8_t *values;    /* steps * step bytes, little-endian, C order; NULL for text */
	const int64_t *offsets;   /* text: steps + 1 offsets into `text`, the first not always 0 */
	const char *text;
	bool absent;              /* no chunk is stored: this is fill */
};

/* The steps from `a` on, as far as they lie in one chunk and below `b`. a < b <= shape[0], or C4W_USAGE. Long runs of fill come in
 * pieces. */
int c4w_zarr_lend(struct c4w_zarr *z, struct c4w_zarr_cursor *c, uint64_t a, uint64_t b, struct c4w_zarr_run *out,
		  struct c4w_err *err) C4W_MUST_CHECK;

/* Steps [a, b) of a numeric array into `out`, which has (b - a) * step bytes. Touches the chunks it needs and no others. */
int c4w_zarr_read(struct c4w_zarr *z, struct c4w_zarr_cursor *c, uint64_t a, uint64_t b, void *out,
		  struct c4w_err *err) C4W_MUST_CHECK;

/* The chunks there are: how many files (shards) the shape asks for, and for one of them its path. buf of 256 bytes at least. */
uint64_t c4w_zarr_files(const struct c4w_zarr *z);
void c4w_zarr_file_path(const struct c4w_zarr *z, uint64_t file, char *buf, size_t size);

/* Rules, ended by a NULL id; see base/rule.h. Sections are those of the Zarr v3 specification. */
extern const struct c4w_rule c4w_zarr_rules[];

#endif
