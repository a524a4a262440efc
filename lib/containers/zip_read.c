/* ZIP: an entry's data. Whole entries through libdeflate, large ones piece by piece through zlib (libdeflate can't stream), LZMA through
 * liblzma, bzip2 and whatever else libzip was built with through libzip, which is given a small archive of that one entry made from the
 * directory's numbers, so that nothing it believes comes from a local header. All but libdeflate are opened at first use. */
#include "containers/zip.h"

#include "base/checked.h"
#include "base/dl.h"
#include "containers/zip_impl.h"

#include <inttypes.h>
#include <libdeflate.h>
#include <stdio.h>
#include <string.h>
#include <zip.h>
#include <zlib.h>

enum {
	CHUNK = 128 * 1024,
	WHOLE_MAX = 1024 * 1024, /* c4w_zip_stream decodes entries up to this size in one go */
	DEFLATE_RATIO = 1032,    /* a match of 258 bytes takes two bits at least */
	ZIP_METHOD_XZ = 95,
	ZIP_METHOD_ZSTD = 93,
};

enum { VERSION_KNOWN = 63 }; /* APPNOTE 6.3, 4.4.3.2; Python's zipfile draws the line there too */

struct zlib_fns {
	int (*init)(z_stream *s, int window_bits, const char *version, int size);
	int (*inflate)(z_stream *s, int flush);
	int (*end)(z_stream *s);
	int (*reset)(z_stream *s);
};

struct libzip_fns {
	__typeof__(&zip_source_function_create) source_function_create;
	__typeof__(&zip_source_seek_compute_offset) source_seek_compute_offset;
	__typeof__(&zip_source_free) source_free;
	__typeof__(&zip_open_from_source) open_from_source;
	__typeof__(&zip_fopen_index) fopen_index;
	__typeof__(&zip_fread) fread;
	__typeof__(&zip_fclose) fclose;
	__typeof__(&zip_discard) discard;
	__typeof__(&zip_stat_init) stat_init;
	__typeof__(&zip_error_init) error_init;
	__typeof__(&zip_error_set) error_set;
	__typeof__(&zip_error_to_data) error_to_data;
	__typeof__(&zip_error_fini) error_fini;
};

static const char *const libzip_names[] = {
	"zip_source_function_create", "zip_source_seek_compute_offset", "zip_source_free", "zip_open_from_source", "zip_fopen_index",
	"zip_fread", "zip_fclose", "zip_discard", "zip_stat_init", "zip_error_init", "zip_error_set", "zip_error_to_data", "zip_error_fini",
};

struct c4w_zip_worker {
	struct libdeflate_decompressor *deflate;
	struct zlib_fns zlib;
	struct libzip_fns libzip; /* NULLs until needed */
	z_stream stream;
	bool stream_ready;
	uint8_t *in, *out; /* CHUNK bytes each, from first use on */
	uint8_t *whole;    /* WHOLE_MAX twice, likewise */
};

int c4w_zip_worker_new(struct c4w_zip_worker **out, struct c4w_err *err)
{
	struct c4w_zip_worker *w = calloc(1, sizeof *w);
	*out = NULL;
	if (!w)
		return c4w_fail_memory(err, sizeof *w);
	w->deflate = libdeflate_alloc_decompressor();
	if (!w->deflate) {
		free(w);
		return c4w_fail_memory(err, 0);
	}
	*out = w;
	return C4W_OK;
}

void c4w_zip_worker_free(struct c4w_zip_worker *w)
{
	if (!w)
		return;
	libdeflate_free_decompressor(w->deflate);
	if (w->stream_ready)
		w->zlib.end(&w->stream);
	free(w->in);
	free(w->out);
	free(w->whole);
	free(w);
}

/* ---- what can be read ---- */

static bool is_our_own(unsigned method)
{
	return method == C4W_ZIP_STORED || method == C4W_ZIP_DEFLATED || method == C4W_ZIP_LZMA;
}

static int libzip_reads(unsigned method, struct c4w_err *err)
{
	static const char *const names[] = { "zip_compression_method_supported" };
	__typeof__(&zip_compression_method_supported) supported;
	char name[32];
	void *found[1];
	C4W_TRY(c4w_dl_symbols(C4W_DL_ZIP, names, found, 1, err));
	memcpy(&supported, found, sizeof supported);
	if (supported((zip_int32_t)method, 0) == 1)
		return C4W_OK;
	return c4w_fail(err, C4W_UNSUPPORTED, "its compression (%s) is not read", c4w_zip_method_name(method, name, sizeof name));
}

int c4w_zip_readable(const struct c4w_zip_entry *e, struct c4w_err *err)
{
	int rc = C4W_OK;
	if (e->flags & (ZIP_FLAG_ENCRYPTED | ZIP_FLAG_STRONG | ZIP_FLAG_MASKED))
		rc = c4w_fail(err, C4W_UNSUPPORTED, "it is encrypted");
	else if (e->flags & ZIP_FLAG_PATCH)
		rc = c4w_fail(err, C4W_UNSUPPORTED, "it is a patch of other data");
	else if (e->needs > VERSION_KNOWN)
		rc = c4w_fail(err, C4W_UNSUPPORTED, "it needs version %d.%d of the format, %d.%d is the newest known", e->needs / 10, e->needs % 10,
			      VERSION_KNOWN / 10, VERSION_KNOWN % 10);
	else if (!is_our_own(e->method))
		rc = libzip_reads(e->method, err);
	return c4w_zip_name_error(e, rc, err);
}

/* What the directory says about sizes has to be possible before memory is spent on it. */
static int check_sizes(const struct c4w_zip_entry *e, struct c4w_err *err)
{
	char want[40];
	if (e->method == C4W_ZIP_STORED && e->size != e->compressed) {
		snprintf(want, sizeof want, "%" PRIu64, e->compressed);
		(void)c4w_damaged(err, "zip.size", (int64_t)e->local, "it is stored, but its two sizes differ");
		(void)c4w_err_valuesf(err, want, "%" PRIu64, e->size);
		return C4W_DAMAGED;
	}
	if (e->method == C4W_ZIP_DEFLATED && e->size / DEFLATE_RATIO > e->compressed)
		return c4w_damaged(err, "zip.size", (int64_t)e->local, "%" PRIu64 " deflated bytes can't give the %" PRIu64 " that are claimed",
				   e->compressed, e->size);
	return C4W_OK;
}

static int size_error(const struct c4w_zip_entry *e, bool more, struct c4w_err *err)
{
	return c4w_damaged(err, "zip.size", (int64_t)e->data, "its data gives %s than the %" PRIu64 " bytes that are claimed", more ? "more" : "fewer",
			   e->size);
}

static int data_error(const struct c4w_zip_entry *e, struct c4w_err *err)
{
	return c4w_damaged(err, "zip.data", (int64_t)e->data, "its compressed data is damaged");
}

static int leftover_error(const struct c4w_zip_entry *e, uint64_t used, struct c4w_err *err)
{
	return c4w_damaged(err, "zip.data", (int64_t)(e->data + used), "%" PRIu64 " bytes behind the end of its compressed data",
			   e->compressed - used);
}

static int crc_error(const struct c4w_zip_entry *e, uint32_t found, struct c4w_err *err)
{
	char want[16];
	snprintf(want, sizeof want, "%08" PRIx32, e->crc32);
	(void)c4w_damaged(err, "zip.crc", (int64_t)e->data, "CRC differs");
	(void)c4w_err_valuesf(err, want, "%08" PRIx32, found);
	return C4W_DAMAGED;
}

/* ---- in one go ---- */

static int inflate_whole(struct c4w_zip_worker *w, const struct c4w_zip_entry *e, const uint8_t *in, uint8_t *out, struct c4w_err *err)
{
	size_t used = 0;
	/* without a place for the output's size, libdeflate demands that it is exact */
	switch (libdeflate_deflate_decompress_ex(w->deflate, in, e->compressed, out, e->size, &used, NULL)) {
	case LIBDEFLATE_SUCCESS:
		return used == e->compressed ? C4W_OK : leftover_error(e, used, err);
	case LIBDEFLATE_SHORT_OUTPUT:
		return size_error(e, false, err);
	case LIBDEFLATE_INSUFFICIENT_SPACE:
		return size_error(e, true, err);
	default:
		return data_error(e, err);
	}
}

/* ---- piece by piece ---- */

struct run {
	struct c4w_zip_worker *w;
	struct c4w_zip *z;
	const struct c4w_zip_entry *e;
	c4w_bytes_fn sink;
	void *ctx;
	struct c4w_err *err;
	uint64_t given; /* bytes handed on */
	uint32_t crc;
};

static int give(struct run *r, const uint8_t *p, size_t n)
{
	if (n > r->e->size - r->given)
		return size_error(r->e, true, r->err);
	r->crc = libdeflate_crc32(r->crc, p, n);
	r->given += n;
	return n ? r->sink(r->ctx, p, n, r->err) : C4W_OK;
}

static int run_stored(struct run *r)
{
	uint64_t at;
	if (r->z->p)
		return give(r, r->z->p + r->e->data, r->e->size);
	C4W_TRY(c4w_memory_once(&r->w->in, CHUNK, r->err));
	for (at = 0; at < r->e->size;) {
		size_t n = r->e->size - at < CHUNK ? (size_t)(r->e->size - at) : CHUNK;
		C4W_TRY(c4w_zip_copy(r->z, r->e->data + at, n, r->w->in, r->err));
		C4W_TRY(give(r, r->w->in, n));
		at += n;
	}
	return C4W_OK;
}

/* The next piece of compressed bytes: lent or in w->in. */
static int more_input(struct run *r, uint64_t at, const uint8_t **p, size_t *n)
{
	*n = r->e->compressed - at < CHUNK ? (size_t)(r->e->compressed - at) : CHUNK;
	if (r->z->p) {
		*p = r->z->p + r->e->data + at;
		return C4W_OK;
	}
	C4W_TRY(c4w_memory_once(&r->w->in, CHUNK, r->err));
	*p = r->w->in;
	return c4w_zip_copy(r->z, r->e->data + at, *n, r->w->in, r->err);
}

static int zlib_ready(struct c4w_zip_worker *w, struct c4w_err *err)
{
	static const char *const names[] = { "inflateInit2_", "inflate", "inflateEnd", "inflateReset" };
	void *fns[4];
	if (w->stream_ready)
		return w->zlib.reset(&w->stream) == Z_OK ? C4W_OK : c4w_fail_memory(err, 0);
	C4W_TRY(c4w_dl_symbols(C4W_DL_ZLIB, names, fns, 4, err));
	memcpy(&w->zlib, fns, sizeof w->zlib);
	if (w->zlib.init(&w->stream, -MAX_WBITS, ZLIB_VERSION, (int)sizeof w->stream) != Z_OK)
		return c4w_fail_memory(err, 0);
	w->stream_ready = true;
	return C4W_OK;
}

static int run_deflated(struct run *r)
{
	struct c4w_zip_worker *w = r->w;
	z_stream *s = &w->stream;
	uint64_t read = 0;
	int rc = Z_OK;
	C4W_TRY(zlib_ready(w, r->err));
	C4W_TRY(c4w_memory_once(&w->out, CHUNK, r->err));
	s->avail_in = 0;
	while (rc != Z_STREAM_END) {
		if (s->avail_in == 0 && read < r->e->compressed) {
			const uint8_t *p;
			size_t n;
			C4W_TRY(more_input(r, read, &p, &n));
			s->next_in = (Bytef *)(uintptr_t)p;
			s->avail_in = (uInt)n;
			read += n;
		}
		s->next_out = w->out;
		s->avail_out = CHUNK;
		rc = w->zlib.inflate(s, Z_NO_FLUSH);
		if (rc == Z_MEM_ERROR)
			return c4w_fail_memory(r->err, 0);
		/* Z_BUF_ERROR: neither input nor output moved, and all input was there */
		if (rc != Z_OK && rc != Z_STREAM_END)
			return data_error(r->e, r->err);
		C4W_TRY(give(r, w->out, CHUNK - s->avail_out));
	}
	read -= s->avail_in;
	return read == r->e->compressed ? C4W_OK : leftover_error(r->e, read, r->err);
}

/* ---- LZMA: liblzma's streaming decoder, declared here so that building needs no header of it ---- */

struct lzma_api_stream {
	const uint8_t *next_in;
	size_t avail_in;
	uint64_t total_in;
	uint8_t *next_out;
	size_t avail_out;
	uint64_t total_out;
	const void *allocator;
	void *internal;
	void *reserved_ptr[4];
	uint64_t reserved_int64[2];
	size_t reserved_size[2];
	int reserved_enum[2];
};

struct lzma_fns {
	int (*alone_decoder)(struct lzma_api_stream *s, uint64_t memory);
	int (*code)(struct lzma_api_stream *s, int action);
	void (*end)(struct lzma_api_stream *s);
};

enum { API_LZMA_OK = 0, API_LZMA_STREAM_END = 1, API_LZMA_MEM_ERROR = 5, API_LZMA_MEMLIMIT_ERROR = 6, API_LZMA_RUN = 0 };

static int lzma_loop(struct run *r, const struct lzma_fns *fns, struct lzma_api_stream *s, uint64_t read)
{
	while (r->given < r->e->size || read < r->e->compressed || s->avail_in) {
		size_t before_in, got;
		int rc;
		if (s->avail_in == 0 && read < r->e->compressed) {
			C4W_TRY(more_input(r, read, &s->next_in, &s->avail_in));
			read += s->avail_in;
		}
		s->next_out = r->w->out;
		s->avail_out = CHUNK;
		before_in = s->avail_in;
		rc = fns->code(s, API_LZMA_RUN);
		got = CHUNK - s->avail_out;
		if (rc == API_LZMA_MEM_ERROR)
			return c4w_fail_memory(r->err, 0);
		if (rc == API_LZMA_MEMLIMIT_ERROR)
			return c4w_fail(r->err, C4W_LIMIT, "its LZMA dictionary is beyond 128 MiB");
		if (rc != API_LZMA_OK && rc != API_LZMA_STREAM_END)
			return data_error(r->e, r->err);
		C4W_TRY(give(r, r->w->out, got));
		if (rc == API_LZMA_STREAM_END)
			break;
		if (got == 0 && s->avail_in == before_in)
			return size_error(r->e, false, r->err);
	}
	read -= s->avail_in;
	return read == r->e->compressed ? C4W_OK : leftover_error(r->e, read, r->err);
}

static int run_lzma(struct run *r)
{
	/* APPNOTE 5.8: version (2), length of the properties (2) = 5, properties, raw stream. An .lzma file has the properties and the
	 * size (8) in front of the same stream; all ones: the stream has an end marker (flag bit 1). */
	enum { ZIP_LZMA_HEAD = 9, PROPERTIES = 5, ALONE_HEAD = 13, EOS_FLAG = 2 };
	static const char *const names[] = { "lzma_alone_decoder", "lzma_code", "lzma_end" };
	struct lzma_api_stream s = { 0 };
	struct lzma_fns fns;
	uint8_t head[ZIP_LZMA_HEAD], alone[ALONE_HEAD], none[1];
	void *found[3];
	unsigned i;
	int rc;
	if (r->e->compressed < ZIP_LZMA_HEAD)
		return data_error(r->e, r->err);
	C4W_TRY(c4w_zip_copy(r->z, r->e->data, ZIP_LZMA_HEAD, head, r->err));
	if (c4w_le16(head + 2) != PROPERTIES)
		return data_error(r->e, r->err);
	memcpy(alone, head + 4, PROPERTIES);
	for (i = 0; i < 8; i++)
		alone[PROPERTIES + i] = (uint8_t)(r->e->flags & EOS_FLAG ? 0xFF : r->e->size >> (8 * i) & 0xFF);
	C4W_TRY(c4w_memory_once(&r->w->out, CHUNK, r->err));
	C4W_TRY(c4w_dl_symbols(C4W_DL_LZMA, names, found, 3, r->err));
	memcpy(&fns, found, sizeof fns);
	rc = fns.alone_decoder(&s, 160ULL * 1024 * 1024);
	if (rc != API_LZMA_OK)
		return c4w_fail_memory(r->err, 0);
	s.next_in = alone;
	s.avail_in = ALONE_HEAD;
	s.next_out = none;
	s.avail_out = 0;
	rc = fns.code(&s, API_LZMA_RUN);
	if (rc == API_LZMA_MEMLIMIT_ERROR)
		rc = c4w_fail(r->err, C4W_LIMIT, "its LZMA dictionary is beyond 128 MiB");
	else if (rc != API_LZMA_OK && rc != API_LZMA_STREAM_END)
		rc = data_error(r->e, r->err);
	else
		rc = lzma_loop(r, &fns, &s, ZIP_LZMA_HEAD);
	fns.end(&s);
	return rc;
}

/* ---- other methods: libzip on an archive of this entry alone ---- */

struct single {
	struct run *r;
	const struct libzip_fns *f;
	uint8_t head[30 + 1];
	uint8_t tail[46 + 1 + 22];
	uint64_t at, total;
	zip_error_t error;
	int rc; /* what reading our own bytes gave */
};

static void put16(uint8_t *p, unsigned v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
}

static void put32(uint8_t *p, uint64_t v)
{
	put16(p, (unsigned)(v & 0xFFFF));
	put16(p + 2, (unsigned)(v >> 16 & 0xFFFF));
}

static void single_make(struct single *s)
{
	const struct c4w_zip_entry *e = s->r->e;
	uint8_t *c = s->tail, *end = s->tail + 47;
	memcpy(s->head, "PK\3\4", 4);
	put16(s->head + 4, 63);
	put16(s->head + 8, e->method);
	put32(s->head + 14, e->crc32);
	put32(s->head + 18, e->compressed);
	put32(s->head + 22, e->size);
	put16(s->head + 26, 1);
	s->head[30] = 'x';
	memcpy(c, "PK\1\2", 4);
	put16(c + 4, 63);
	memcpy(c + 6, s->head + 4, 26);
	c[46] = 'x';
	memcpy(end, "PK\5\6", 4);
	put16(end + 8, 1);
	put16(end + 10, 1);
	put32(end + 12, 47);
	put32(end + 16, sizeof s->head + e->compressed);
	s->total = sizeof s->head + e->compressed + sizeof s->tail;
}

static zip_int64_t single_read(struct single *s, uint8_t *out, uint64_t n)
{
	uint64_t middle = s->r->e->compressed, start;
	size_t part;
	if (s->at < sizeof s->head) {
		start = s->at;
		part = (size_t)(sizeof s->head - start < n ? sizeof s->head - start : n);
		memcpy(out, s->head + start, part);
	} else if (s->at < sizeof s->head + middle) {
		start = s->at - sizeof s->head;
		part = (size_t)(middle - start < n ? middle - start : n);
		s->rc = c4w_zip_copy(s->r->z, s->r->e->data + start, part, out, s->r->err);
		if (s->rc != C4W_OK)
			return -1;
	} else {
		start = s->at - sizeof s->head - middle;
		part = (size_t)(sizeof s->tail - start < n ? sizeof s->tail - start : n);
		memcpy(out, s->tail + start, part);
	}
	s->at += part;
	return (zip_int64_t)part;
}

static zip_int64_t single_call(void *user, void *data, zip_uint64_t n, zip_source_cmd_t cmd)
{
	struct single *s = user;
	zip_int64_t to;
	switch (cmd) {
	case ZIP_SOURCE_OPEN:
		s->at = 0;
		return 0;
	case ZIP_SOURCE_READ:
		to = single_read(s, data, n);
		if (to < 0)
			s->f->error_set(&s->error, ZIP_ER_READ, 0);
		return to;
	case ZIP_SOURCE_CLOSE:
	case ZIP_SOURCE_FREE:
		return 0;
	case ZIP_SOURCE_STAT: {
		zip_stat_t *st = data;
		s->f->stat_init(st);
		st->size = s->total;
		st->valid = ZIP_STAT_SIZE;
		return sizeof *st;
	}
	case ZIP_SOURCE_ERROR:
		return s->f->error_to_data(&s->error, data, n);
	case ZIP_SOURCE_SEEK:
		to = s->f->source_seek_compute_offset(s->at, s->total, data, n, &s->error);
		if (to < 0)
			return -1;
		s->at = (uint64_t)to;
		return 0;
	case ZIP_SOURCE_TELL:
		return (zip_int64_t)s->at;
	case ZIP_SOURCE_SUPPORTS:
		return ZIP_SOURCE_SUPPORTS_SEEKABLE;
	default:
		s->f->error_set(&s->error, ZIP_ER_OPNOTSUPP, 0);
		return -1;
	}
}

static int libzip_ready(struct c4w_zip_worker *w, struct c4w_err *err)
{
	void *found[sizeof libzip_names / sizeof *libzip_names];
	if (w->libzip.discard)
		return C4W_OK;
	C4W_TRY(c4w_dl_symbols(C4W_DL_ZIP, libzip_names, found, sizeof found / sizeof *found, err));
	_Static_assert(sizeof w->libzip == sizeof found, "a name a function");
	memcpy(&w->libzip, found, sizeof w->libzip);
	return C4W_OK;
}

static int run_libzip(struct run *r)
{
	struct libzip_fns *const f = &r->w->libzip;
	struct single s = { .r = r, .f = f };
	zip_error_t error;
	zip_source_t *source;
	zip_file_t *file = NULL;
	zip_t *za;
	int rc = C4W_OK;
	if (r->e->compressed > UINT32_MAX - 1024 || r->e->size >= UINT32_MAX)
		return c4w_fail(r->err, C4W_UNSUPPORTED, "an entry beyond 4 GiB in a method other than stored and deflated");
	C4W_TRY(c4w_memory_once(&r->w->out, CHUNK, r->err));
	C4W_TRY(libzip_ready(r->w, r->err));
	single_make(&s);
	f->error_init(&error);
	f->error_init(&s.error);
	source = f->source_function_create(single_call, &s, &error);
	za = source ? f->open_from_source(source, ZIP_RDONLY, &error) : NULL;
	if (!za) {
		if (source)
			f->source_free(source);
		rc = s.rc != C4W_OK ? s.rc : c4w_fail_memory(r->err, 0);
		goto out;
	}
	file = f->fopen_index(za, 0, 0);
	if (!file) {
		rc = s.rc != C4W_OK ? s.rc : data_error(r->e, r->err);
		goto out;
	}
	for (;;) {
		zip_int64_t n = f->fread(file, r->w->out, CHUNK);
		if (n < 0) {
			/* libzip compares the CRC at the end itself; ours says which */
			if (s.rc != C4W_OK)
				rc = s.rc;
			else if (r->given == r->e->size && r->crc != r->e->crc32)
				rc = C4W_OK;
			else
				rc = data_error(r->e, r->err);
			break;
		}
		if (n == 0)
			break;
		rc = give(r, r->w->out, (size_t)n);
		if (rc != C4W_OK)
			break;
	}
out:
	if (file)
		f->fclose(file);
	if (za)
		f->discard(za);
	f->error_fini(&error);
	f->error_fini(&s.error);
	return rc;
}

static int run_entry(struct run *r)
{
	switch (r->e->method) {
	case C4W_ZIP_STORED: return run_stored(r);
	case C4W_ZIP_DEFLATED: return run_deflated(r);
	case C4W_ZIP_LZMA: return run_lzma(r);
	default: return run_libzip(r);
	}
}

/* ---- the two ways in ---- */

static int stream_entry(struct c4w_zip_worker *w, struct c4w_zip *z, struct c4w_zip_entry *e, c4w_bytes_fn sink, void *ctx, struct c4w_err *err)
{
	struct run r = { .w = w, .z = z, .e = e, .sink = sink, .ctx = ctx, .err = err };
	C4W_TRY(check_sizes(e, err));
	if (e->method == C4W_ZIP_DEFLATED && e->size <= WHOLE_MAX && e->compressed <= WHOLE_MAX) {
		const uint8_t *in = z->p ? z->p + e->data : NULL;
		C4W_TRY(c4w_memory_once(&w->whole, 2 * WHOLE_MAX, err));
		if (!in) {
			C4W_TRY(c4w_zip_copy(z, e->data, (size_t)e->compressed, w->whole + WHOLE_MAX, err));
			in = w->whole + WHOLE_MAX;
		}
		C4W_TRY(inflate_whole(w, e, in, w->whole, err));
		/* here the CRC is known before anything is handed on */
		r.crc = libdeflate_crc32(0, w->whole, e->size);
		if (r.crc != e->crc32)
			return crc_error(e, r.crc, err);
		return e->size ? sink(ctx, w->whole, (size_t)e->size, err) : C4W_OK;
	}
	C4W_TRY(run_entry(&r));
	if (r.given != e->size)
		return size_error(e, false, err);
	return r.crc == e->crc32 ? C4W_OK : crc_error(e, r.crc, err);
}

int c4w_zip_stream(struct c4w_zip_worker *w, struct c4w_zip *z, struct c4w_zip_entry *e, c4w_bytes_fn sink, void *ctx,
		   struct c4w_err *err)
{
	C4W_TRY(c4w_zip_readable(e, err));
	C4W_TRY(c4w_zip_locate(z, e, err));
	return c4w_zip_name_error(e, stream_entry(w, z, e, sink, ctx, err), err);
}

struct into {
	uint8_t *p;
};

static int append(void *ctx, const uint8_t *p, size_t n, struct c4w_err *err)
{
	struct into *to = ctx;
	(void)err;
	memcpy(to->p, p, n);
	to->p += n;
	return C4W_OK;
}

static int read_entry(struct c4w_zip_worker *w, struct c4w_zip *z, struct c4w_zip_entry *e, bool check_crc, struct c4w_arena *arena,
		      const uint8_t **out, struct c4w_err *err)
{
	struct c4w_arena_mark mark;
	const uint8_t *in;
	uint32_t crc;
	void *mem;
	C4W_TRY(check_sizes(e, err));
	if (e->method == C4W_ZIP_STORED) {
		C4W_TRY(c4w_zip_bytes(z, e->data, (size_t)e->size, arena, out, err));
	} else if (e->method == C4W_ZIP_DEFLATED) {
		C4W_TRY(c4w_arena_take(arena, (size_t)e->size, &mem, err));
		mark = c4w_arena_mark(arena);
		C4W_TRY(c4w_zip_bytes(z, e->data, (size_t)e->compressed, arena, &in, err));
		C4W_TRY(inflate_whole(w, e, in, mem, err));
		c4w_arena_rewind(arena, mark); /* the compressed bytes have done their work */
		*out = mem;
	} else {
		struct run r = { .w = w, .z = z, .e = e, .sink = append, .err = err };
		struct into to;
		C4W_TRY(c4w_arena_take(arena, (size_t)e->size, &mem, err));
		to.p = mem;
		r.ctx = &to;
		C4W_TRY(run_entry(&r));
		if (r.given != e->size)
			return size_error(e, false, err);
		*out = mem;
	}
	if (!check_crc)
		return C4W_OK;
	crc = libdeflate_crc32(0, *out, e->size);
	return crc == e->crc32 ? C4W_OK : crc_error(e, crc, err);
}

int c4w_zip_read(struct c4w_zip_worker *w, struct c4w_zip *z, struct c4w_zip_entry *e, bool check_crc, uint64_t limit,
		 struct c4w_arena *arena, const uint8_t **out, struct c4w_err *err)
{
	*out = NULL;
	C4W_TRY(c4w_zip_readable(e, err));
	C4W_TRY(c4w_zip_locate(z, e, err));
	if (e->size > limit)
		return c4w_zip_name_error(e, c4w_fail(err, C4W_LIMIT, "%" PRIu64 " bytes are beyond the limit of %" PRIu64, e->size, limit), err);
	return c4w_zip_name_error(e, read_entry(w, z, e, check_crc, arena, out, err), err);
}

/* ---- the beginning of an entry ---- */

struct head {
	uint8_t *p;
	size_t n, want;
};

static int head_sink(void *ctx, const uint8_t *p, size_t n, struct c4w_err *err)
{
	struct head *h = ctx;
	size_t take = n < h->want - h->n ? n : h->want - h->n;
	memcpy(h->p + h->n, p, take);
	h->n += take;
	return h->n == h->want ? c4w_fail(err, C4W_CANCELLED, "enough") : C4W_OK;
}

static int head_deflated(struct run *r, uint8_t *out, size_t n)
{
	z_stream *s = &r->w->stream;
	uint64_t read = 0;
	C4W_TRY(zlib_ready(r->w, r->err));
	s->next_out = out;
	s->avail_out = (uInt)n;
	s->avail_in = 0;
	while (s->avail_out) {
		int rc;
		if (s->avail_in == 0) {
			const uint8_t *p;
			size_t got;
			if (read == r->e->compressed)
				return data_error(r->e, r->err);
			C4W_TRY(more_input(r, read, &p, &got));
			s->next_in = (Bytef *)(uintptr_t)p;
			s->avail_in = (uInt)got;
			read += got;
		}
		rc = r->w->zlib.inflate(s, Z_NO_FLUSH);
		if (rc == Z_MEM_ERROR)
			return c4w_fail_memory(r->err, 0);
		if (rc == Z_STREAM_END && s->avail_out)
			return size_error(r->e, false, r->err);
		if (rc != Z_OK && rc != Z_STREAM_END)
			return data_error(r->e, r->err);
	}
	return C4W_OK;
}

int c4w_zip_head(struct c4w_zip_worker *w, struct c4w_zip *z, struct c4w_zip_entry *e, uint8_t *out, size_t n, struct c4w_err *err)
{
	struct head h = { out, 0, n };
	struct run r = { .w = w, .z = z, .e = e, .err = err };
	int rc;
	if (n == 0)
		return C4W_OK;
	C4W_TRY(c4w_zip_readable(e, err));
	C4W_TRY(c4w_zip_locate(z, e, err));
	if (e->method == C4W_ZIP_DEFLATED && n <= CHUNK) {
		rc = check_sizes(e, err);
		if (rc == C4W_OK)
			rc = head_deflated(&r, out, n);
		return c4w_zip_name_error(e, rc, err);
	}
	rc = c4w_zip_stream(w, z, e, head_sink, &h, err);
	return rc == C4W_CANCELLED && h.n == n ? C4W_OK : rc;
}

/* ---- a lone file ---- */

static int nowhere(void *ctx, const uint8_t *p, size_t n, struct c4w_err *err)
{
	(void)ctx;
	(void)p;
	(void)n;
	(void)err;
	return C4W_OK;
}

int c4w_zip_verify(struct c4w_zip_worker *w, struct c4w_blob *b, struct c4w_arena *arena, struct c4w_faults *faults,
		   struct c4w_err *err)
{
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
		if (z.entries[i].state & ZIP_BAD)
			continue; /* reported, and what is read there could be anything */
		rc = c4w_zip_stream(w, &z, &z.entries[i], nowhere, NULL, err);
		if (rc != C4W_OK)
			C4W_TRY(c4w_fault(faults, err));
	}
	return C4W_OK;
}
