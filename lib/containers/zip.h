/* ZIP, reading. Our own view of the directory; sizes come from the central directory alone, a local header serves to find the
 * data and has to agree. libdeflate for deflated entries, libzip for other methods.
 *
 * A `struct c4w_zip` borrows its bytes or blob and lives in the arena it was opened with: nothing to free. It is read-only after
 * opening except that c4w_zip_check and c4w_zip_locate note where an entry's data begins; one thread at a time.
 */
#ifndef C4W_CONTAINERS_ZIP_H
#define C4W_CONTAINERS_ZIP_H

#include "base/arena.h"
#include "base/rule.h"
#include "base/str.h"
#include "containers/fault.h"
#include "storage/store.h"

enum { C4W_ZIP_STORED = 0, C4W_ZIP_DEFLATED = 8, C4W_ZIP_BZIP2 = 12, C4W_ZIP_LZMA = 14 };

struct c4w_zip_entry {
	struct c4w_view name;     /* raw bytes as stored; UTF-8 when flags has bit 11, else in practice ASCII or code page 437 */
	uint64_t compressed, size; /* from the central directory, with its zip64 record */
	uint64_t local;           /* offset of the local header in the archive */
	uint64_t data;            /* offset of the data; 0 until located */
	uint32_t crc32;
	uint32_t external;        /* external attributes; Unix mode in the upper 16 bits when made_by >> 8 == 3 */
	uint32_t dos_time;        /* date << 16 | time */
	uint16_t flags, method, made_by;
	uint8_t needs;            /* version needed to extract: 10 times that of the format */
	uint8_t state;            /* private */
};

struct c4w_zip {
	const uint8_t *p;       /* the archive in memory, or NULL */
	struct c4w_blob *blob;  /* else: [offset, offset + length) of this blob */
	uint64_t offset, length;
	uint64_t prefix;        /* bytes in front of the archive proper (self-extracting files); offsets below include them */
	uint64_t directory;     /* where the central directory begins */
	struct c4w_view comment;
	struct c4w_zip_entry *entries;
	size_t count;
	struct c4w_arena *arena;
	bool zip64;
	struct c4w_zip_entry **order; /* private: by local offset, NULL until needed */
};

/* One a worker: decompressors. */
struct c4w_zip_worker;
int c4w_zip_worker_new(struct c4w_zip_worker **out, struct c4w_err *err) C4W_MUST_CHECK;
void c4w_zip_worker_free(struct c4w_zip_worker *w); /* accepts NULL */

/* Read the directory. The archive is the whole of `n` bytes or of the window; trailing bytes are "zip.trailing". */
int c4w_zip_open_memory(const uint8_t *p, size_t n, struct c4w_arena *arena, struct c4w_zip *out, struct c4w_err *err) C4W_MUST_CHECK;
int c4w_zip_open_blob(struct c4w_blob *b, uint64_t offset, uint64_t length, struct c4w_arena *arena, struct c4w_zip *out,
		      struct c4w_err *err) C4W_MUST_CHECK;

/* Every rule about structure: names unique ("zip.duplicate"), local headers agree ("zip.local-differs"), spans disjoint
 * ("zip.overlap"), data inside the archive, descriptors. Stops at the first fault. Locates all entries. */
int c4w_zip_check(struct c4w_zip *z, struct c4w_err *err) C4W_MUST_CHECK;

/* The same, all faults. */
int c4w_zip_check_all(struct c4w_zip *z, struct c4w_faults *faults, struct c4w_err *err) C4W_MUST_CHECK;

/* Find one entry's data by its local header, which has to agree, and see that its span meets no other entry's: what is needed before reading
 * when c4w_zip_check wasn't called. The reading functions call it. */
int c4w_zip_locate(struct c4w_zip *z, struct c4w_zip_entry *e, struct c4w_err *err) C4W_MUST_CHECK;

/* The entry of that name; with several, the last one (as Python does). NULL when there is none. */
struct c4w_zip_entry *c4w_zip_find(struct c4w_zip *z, struct c4w_view name);

bool c4w_zip_is_dir(const struct c4w_zip_entry *e);  /* the name ends in '/' */
bool c4w_zip_is_link(const struct c4w_zip_entry *e); /* a Unix symbolic link */

/* "deflated", or "method 97" in buf. */
const char *c4w_zip_method_name(unsigned method, char *buf, size_t size);

/* C4W_UNSUPPORTED when the entry is encrypted, patched, or of a method that can't be read here. */
int c4w_zip_readable(const struct c4w_zip_entry *e, struct c4w_err *err) C4W_MUST_CHECK;

/* The whole entry: lent in place when stored in memory, else in the arena. Size and, with check_crc, CRC are checked. `limit` bounds the
 * entry's size (C4W_LIMIT); a size that the compressed bytes could not give is C4W_DAMAGED before anything is allocated. */
int c4w_zip_read(struct c4w_zip_worker *w, struct c4w_zip *z, struct c4w_zip_entry *e, bool check_crc, uint64_t limit,
		 struct c4w_arena *arena, const uint8_t **out, struct c4w_err *err) C4W_MUST_CHECK;

/* The entry piece by piece in constant memory. Size and CRC are known to be right only when this returns C4W_OK. */
int c4w_zip_stream(struct c4w_zip_worker *w, struct c4w_zip *z, struct c4w_zip_entry *e, c4w_bytes_fn sink, void *ctx,
		   struct c4w_err *err) C4W_MUST_CHECK;

/* The first n bytes of an entry that has at least as many, for looking at a header: nothing behind them is decompressed, so neither
 * size nor CRC is known to be right. */
int c4w_zip_head(struct c4w_zip_worker *w, struct c4w_zip *z, struct c4w_zip_entry *e, uint8_t *out, size_t n, struct c4w_err *err) C4W_MUST_CHECK;

/* A lone file: c4w_zip_check_all, then every entry's size and CRC. */
int c4w_zip_verify(struct c4w_zip_worker *w, struct c4w_blob *b, struct c4w_arena *arena, struct c4w_faults *faults,
		   struct c4w_err *err) C4W_MUST_CHECK;


extern const struct c4w_rule c4w_zip_rules[]; /* ended by an empty row */

#endif
