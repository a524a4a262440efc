/* PASSAGE: blob rules, routes, the scan's two paths, metadata fields, and the fixture tree through the verify job. */
#include "families/psg_decode.h"
#include "families/psg_load.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "tap.h"

#include <math.h>
#include <unistd.h>
#include <zstd.h>

static struct c4w_arena arena;
static struct c4w_err err;

/* window_log 0: the level's own. */
static uint8_t *compress_as(const void *raw, size_t n, size_t *out, int content, int checksum, int window_log)
{
	ZSTD_CCtx *c = ZSTD_createCCtx();
	size_t cap = ZSTD_compressBound(n) + 64;
	uint8_t *p = malloc(cap);
	ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, 3);
	ZSTD_CCtx_setParameter(c, ZSTD_c_contentSizeFlag, content);
	ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, checksum);
	ZSTD_CCtx_setParameter(c, ZSTD_c_windowLog, window_log);
	*out = ZSTD_compress2(c, p, cap, raw, n);
	ZSTD_freeCCtx(c);
	return p;
}

static uint8_t *compress(const void *raw, size_t n, size_t *out, int content, int checksum)
{
	return compress_as(raw, n, out, content, checksum, 0);
}

/* A sound tensor: a slope, start at (0, 0), goal at (r-1, r-1), a diagonal of obstacles. */
static uint8_t *tensor(uint32_t r)
{
	float *v = malloc(c4w_psg_bytes(r));
	uint32_t i, j;
	for (i = 0; i < r; i++)
		for (j = 0; j < r; j++) {
			float *p = v + ((size_t)i * r + j) * 3;
			p[0] = (float)(i + j) / (float)(2 * r);
			p[1] = i + j == 0 ? 0.0f : i + j == 2 * r - 2 ? 1.0f : -1.0f;
			p[2] = i + j == r ? 1.0f : 0.0f;
		}
	return (uint8_t *)v;
}

static void blob_case(const char *what, const uint8_t *p, size_t n, uint32_t r, const char *rule)
{
	struct c4w_psg_decoder d = { 0 };
	struct c4w_psg_frame f;
	uint8_t *raw, *copy = malloc(n ? n : 1);
	int cls;
	if (n)
		memcpy(copy, p, n); /* an exact allocation: overreads are seen by the sanitizer */
	c4w_err_clear(&err);
	cls = c4w_psg_frame(copy, n, r, &f, &err);
	if (cls == C4W_OK)
		cls = c4w_psg_decode(&d, copy, n, &f, &raw, &err);
	if (rule)
		ok(cls == C4W_DAMAGED && strcmp(err.rule, rule) == 0, "%s: want %s, got %s: %s", what, rule,
		   cls == C4W_OK ? "no error" : err.rule ? err.rule : "-", err.message);
	else
		ok(cls == C4W_OK, "%s: %s %s", what, err.rule ? err.rule : "", err.message);
	c4w_psg_decoder_clear(&d);
	free(copy);
}

static void test_blob(void)
{
	uint32_t r = 16;
	size_t n, m, i;
	uint8_t *raw = tensor(r), *p = compress(raw, c4w_psg_bytes(r), &n, 1, 0), *q = malloc(2 * n + 64);
	/* a single segment of 3,221,225,472 bytes (R = 16384) whose only block is the last one and empty */
	static const uint8_t bomb[] = { 0x28, 0xb5, 0x2f, 0xfd, 0xa0, 0, 0, 0, 0xC0, 3, 0, 0, 0 };
	blob_case("sound", p, n, r, NULL);
	blob_case("resolution of the content size", p, n, 0, NULL);
	blob_case("another resolution", p, n, 17, "passage.blob-content-size");
	blob_case("empty", p, 0, r, "passage.blob-magic");
	for (i = 1; i < n; i++) {
		char what[32];
		snprintf(what, sizeof what, "cut at %zu", i);
		blob_case(what, p, i, r, i < 4 ? "passage.blob-magic" : "passage.blob-cut");
	}
	memcpy(q, p, n);
	q[n] = 0;
	blob_case("a byte after", q, n + 1, r, "passage.blob-trailing");
	memcpy(q + n, p, n);
	blob_case("two frames", q, 2 * n, r, "passage.blob-trailing");
	memcpy(q + n, "\x50\x2A\x4D\x18\x01\0\0\0x", 9);
	blob_case("a skippable frame after", q, n + 9, r, "passage.blob-trailing");
	memcpy(q, "\x5f\x2A\x4D\x18\x01\0\0\0x", 9);
	memcpy(q + 9, p, n);
	blob_case("a skippable frame before", q, n + 9, r, "passage.blob-skippable");
	memcpy(q, p, n);
	q[0] ^= 1;
	blob_case("another magic", q, n, r, "passage.blob-magic");
	memcpy(q, p, n);
	q[4] |= 8;
	blob_case("reserved bit", q, n, r, "passage.blob-header");
	memcpy(q, p, 5);
	q[4] |= 1;
	q[5] = 0;
	memcpy(q + 6, p + 5, n - 5);
	blob_case("a dictionary id of 0", q, n + 1, r, "passage.blob-dictionary");
	blob_case("a bomb", bomb, sizeof bomb, 0, "passage.blob-short");
	blob_case("a bomb with R", bomb, sizeof bomb, 16384, "passage.blob-short");
	free(p);
	p = compress(raw, c4w_psg_bytes(r), &n, 0, 0);
	blob_case("no content size", p, n, r, NULL);
	blob_case("no content size, too short", p, n, r + 1, "passage.blob-short");
	blob_case("no content size, too long", p, n, r - 1, "passage.blob-long");
	ok(c4w_psg_frame(p, n, 0, &(struct c4w_psg_frame){ 0 }, &err) == C4W_USAGE, "no content size, no resolution");
	free(p);
	p = compress(raw, c4w_psg_bytes(r), &n, 1, 1);
	blob_case("checksum", p, n, r, NULL);
	p[n - 1] ^= 1;
	blob_case("wrong checksum", p, n, r, "passage.blob-checksum");
	free(p);
	m = c4w_psg_bytes(r) - 4;
	p = compress(raw, m, &n, 1, 0);
	blob_case("short content", p, n, r, "passage.blob-content-size");
	blob_case("not a square", p, n, 0, "passage.blob-not-square");
	free(p);
	free(raw);
	free(q);
}

/* ---- pieces ---- */

/* The smallest R that comes in pieces, a bit above: 17,280,000 bytes, which no step divides. */
enum { LARGE = 1200 };

/* Noise in every third value: what is compressed stays above 4 MiB, and every step differs. */
static uint8_t *noisy(uint32_t r)
{
	uint8_t *p = tensor(r);
	uint32_t *v = (uint32_t *)p, x = 12345;
	size_t i;
	for (i = 0; i < (size_t)r * r; i++) {
		x = x * 1664525 + 1013904223;
		v[3 * i] = 0x3f000000 | x >> 9;
	}
	return p;
}

/* A frame whose header says less becomes one that declares `content` bytes. */
static uint8_t *declare(const uint8_t *p, size_t n, uint32_t content, size_t *out)
{
	uint8_t *q = malloc(n + 4);
	memcpy(q, p, 6);
	q[4] |= 0x80;
	q[6] = (uint8_t)content;
	q[7] = (uint8_t)(content >> 8);
	q[8] = (uint8_t)(content >> 16);
	q[9] = (uint8_t)(content >> 24);
	memcpy(q + 10, p + 6, n - 6);
	*out = n + 4;
	return q;
}

/* All pieces are the tensor; or the rule that is broken, before which not all of it may come out. */
static void piece_case(const char *what, const uint8_t *p, size_t n, uint32_t r, size_t front, const uint8_t *want, size_t pieces, const char *rule)
{
	struct c4w_psg_decoder d = { 0 };
	struct c4w_psg_frame f;
	size_t at = 0, count = 0, m = 0;
	uint8_t *piece;
	bool same = true, even = true;
	int cls;
	c4w_err_clear(&err);
	cls = c4w_psg_frame(p, n, r, &f, &err);
	if (cls == C4W_OK)
		cls = c4w_psg_pieces(&d, p, n, &f, front, &err);
	while (cls == C4W_OK && (cls = c4w_psg_piece(&d, &piece, &m, &err)) == C4W_OK && m) {
		same = same && at + m <= c4w_psg_bytes(r) && memcmp(piece, want + at, m) == 0 && m % 4 == 0;
		memset(piece - C4W_PSG_NPY_HEADER, 0xee, m + C4W_PSG_NPY_HEADER); /* it is ours */
		at += m;
		even = even && (at == c4w_psg_bytes(r) || (front + at) % C4W_PSG_STEP == 0);
		count++;
	}
	if (rule) {
		ok(cls == C4W_DAMAGED && strcmp(err.rule, rule) == 0, "%s: want %s, got %s: %s", what, rule,
		   cls == C4W_OK ? "no error" : err.rule ? err.rule : "-", err.message);
		ok(same && at < c4w_psg_bytes(r), "%s: %zu bytes came before it", what, at);
	} else {
		ok(cls == C4W_OK && same && at == c4w_psg_bytes(r), "%s: %zu bytes, %s %s", what, at, err.rule ? err.rule : "", err.message);
		ok(count == pieces && (even || pieces == 1), "%s: %zu pieces, want %zu", what, count, pieces);
		ok(d.cap < 2 * C4W_PSG_STEP || pieces == 1, "%s: a buffer of %zu bytes", what, d.cap);
		ok(c4w_psg_piece(&d, &piece, &m, &err) == C4W_OK && m == 0, "%s: the end stays the end", what);
	}
	c4w_psg_decoder_clear(&d);
}

static void test_pieces(void)
{
	enum { BYTES = LARGE * LARGE * 12, PIECES = (BYTES + C4W_PSG_STEP - 1) / C4W_PSG_STEP };
	size_t n, m, i;
	uint8_t *raw = noisy(LARGE), *p = compress(raw, BYTES, &n, 1, 0), *q = malloc(n + 64), *z;
	char what[64];
	piece_case("declared", p, n, LARGE, 0, raw, PIECES, NULL);
	piece_case("declared, behind a header", p, n, LARGE, C4W_PSG_NPY_HEADER, raw, PIECES, NULL);
	memcpy(q, p, n);
	memcpy(q + n, "\x50\x2A\x4D\x18\x01\0\0\0x", 9);
	piece_case("a skippable frame after", q, n + 9, LARGE, 0, raw, 0, "passage.blob-trailing");
	for (i = n / 7; i < n; i += n / 7) {
		snprintf(what, sizeof what, "cut at %zu", i);
		piece_case(what, p, i, LARGE, 0, raw, 0, "passage.blob-cut");
	}
	free(p);
	p = compress(raw, BYTES, &n, 0, 1);
	piece_case("not declared, checksum", p, n, LARGE, 0, raw, PIECES, NULL);
	piece_case("too short", p, n, LARGE + 1, 0, raw, 0, "passage.blob-short");
	piece_case("too long", p, n, LARGE - 1, 0, raw, 0, "passage.blob-long");
	p[n - 1] ^= 1;
	piece_case("wrong checksum", p, n, LARGE, 0, raw, 0, "passage.blob-checksum");
	free(p);
	/* By less than a block, where libzstd itself would speak of corruption. */
	p = compress(raw, BYTES, &n, 0, 0);
	z = declare(p, n, BYTES, &m);
	piece_case("declared by hand", z, m, LARGE, 0, raw, PIECES, NULL);
	free(z);
	free(p);
	p = compress(raw, BYTES - 4, &n, 0, 0);
	z = declare(p, n, BYTES, &m);
	piece_case("declared, a value less", z, m, LARGE, 0, raw, 0, "passage.blob-short");
	free(z);
	free(p);
	raw = realloc(raw, BYTES + 4);
	memset(raw + BYTES, 0, 4);
	p = compress(raw, BYTES + 4, &n, 0, 0);
	z = declare(p, n, BYTES, &m);
	piece_case("declared, a value more", z, m, LARGE, 0, raw, 0, "passage.blob-long");
	free(z);
	free(p);
	/* A window that is not worth it; a small tensor. */
	p = compress_as(raw, BYTES, &n, 0, 0, 24);
	piece_case("a large window", p, n, LARGE, 0, raw, 1, NULL);
	free(p);
	p = compress(raw, c4w_psg_bytes(64), &n, 1, 0);
	piece_case("a small tensor", p, n, 64, C4W_PSG_NPY_HEADER, raw, 1, NULL);
	free(p);
	free(raw);
	free(q);
}

/* Noise of LARGE's size whose end repeats what stands `far` bytes in front of it, as a frame with a window of 4 MiB by its word alone. */
static uint8_t *reach(uint8_t *raw, size_t far, size_t *n)
{
	enum { BYTES = LARGE * LARGE * 12, FROM = BYTES - 2000000, WINDOW = 22 };
	uint64_t x = 1;
	size_t i;
	uint8_t *p;
	for (i = 0; i < BYTES; i++) {
		x = x * 6364136223846793005ULL + 1442695040888963407ULL;
		raw[i] = i < FROM ? (uint8_t)(x >> 56) : raw[i - far];
	}
	p = compress_as(raw, BYTES, n, 0, 0, 24);
	ok(p[5] >> 3 == 24 - 10, "a window of 16 MiB");
	p[5] = (WINDOW - 10) << 3;
	return p;
}

/* Matches from behind the declared window (RFC 8878, 3.1.1.1.2). A decoder that has all of the output at hand finds them, one that keeps a
 * window does not, or finds something else; whoever looks at such a frame here has to say the same, whatever its decoder saw before. */
static int in_pieces(struct c4w_psg_decoder *d, const uint8_t *p, size_t n, uint8_t *out)
{
	struct c4w_psg_frame f;
	uint8_t *piece;
	size_t at, m;
	int cls = c4w_psg_frame(p, n, LARGE, &f, &err);
	if (cls == C4W_OK)
		cls = c4w_psg_pieces(d, p, n, &f, 0, &err);
	for (at = 0; cls == C4W_OK && (cls = c4w_psg_piece(d, &piece, &m, &err)) == C4W_OK && m; at += m)
		memcpy(out + at, piece, m);
	return cls;
}

static int at_once(struct c4w_psg_decoder *d, const uint8_t *p, size_t n, uint8_t **out)
{
	struct c4w_psg_frame f;
	int cls = c4w_psg_frame(p, n, LARGE, &f, &err);
	return cls == C4W_OK ? c4w_psg_decode(d, p, n, &f, out, &err) : cls;
}

static void test_behind_window(void)
{
	enum { BYTES = LARGE * LARGE * 12, WINDOW = 1 << 22 };
	static const size_t far[] = { WINDOW, WINDOW + 12000, WINDOW + 120000, WINDOW + 240000, WINDOW + 300000, 7000000, 12000000 };
	uint8_t *wide, *raw = noisy(LARGE), *out = malloc(BYTES), *whole;
	size_t wide_n, n, i;
	wide = compress_as(raw, BYTES, &wide_n, 0, 0, 23);
	for (i = 0; i < sizeof far / sizeof *far; i++) {
		struct c4w_psg_decoder fresh = { 0 }, used = { 0 };
		uint8_t *p = reach(raw, far[i], &n);
		int cls = in_pieces(&fresh, p, n, out), again;
		ok(cls == C4W_OK || cls == C4W_DAMAGED, "%zu back: class %d", far[i], cls);
		ok(far[i] > WINDOW || (cls == C4W_OK && memcmp(out, raw, BYTES) == 0), "%zu back is in the window", far[i]);
		ok(far[i] < 7000000 || cls == C4W_DAMAGED, "%zu back: class %d", far[i], cls);
		again = at_once(&fresh, p, n, &whole);
		ok(again == cls && (cls != C4W_OK || memcmp(whole, out, BYTES) == 0), "%zu back, at once: class %d, not %d", far[i], again, cls);
		is_int(at_once(&used, wide, wide_n, &whole), C4W_OK);
		again = at_once(&used, p, n, &whole);
		ok(again == cls && (cls != C4W_OK || memcmp(whole, out, BYTES) == 0), "%zu back, after a larger window: class %d, not %d", far[i], again, cls);
		c4w_psg_decoder_clear(&fresh);
		c4w_psg_decoder_clear(&used);
		free(p);
	}
	free(wide);
	free(raw);
	free(out);
}

/* ---- the decode job, from a store that fails ---- */

struct heard_bytes {
	uint64_t at, size, fail_at;
	struct c4w_sha256 sha;
	struct c4w_err err;
};

static int take(void *ctx, uint64_t at, uint64_t size, const void *p, size_t n, struct c4w_err *e)
{
	struct heard_bytes *h = ctx;
	if (at != h->at || at + n > size || (h->size && h->size != size))
		return c4w_fail(e, C4W_USAGE, "out of order");
	if (at + n > h->fail_at)
		return c4w_fail(e, C4W_IO, "full");
	h->at += n;
	h->size = size;
	c4w_sha256_update(&h->sha, p, n);
	return C4W_OK;
}

static bool decoded(void *ctx, struct c4w_item *item, struct c4w_result *result)
{
	struct heard_bytes *h = ctx;
	(void)item;
	h->err = ((struct c4w_psg_decoded *)result->data)->err;
	return true;
}

static void decode(struct c4w_store *store, const struct c4w_psg_decode *o, struct heard_bytes *h, uint64_t fail_at)
{
	struct c4w_psg_input in = { .name = "x.npy.zst" };
	struct c4w_psg_decode with = *o;
	struct c4w_drive_opts drive = { .jobs = 1, .deliver = decoded, .ctx = h };
	struct c4w_job job;
	memset(h, 0, sizeof *h);
	h->fail_at = fail_at;
	c4w_sha256_init(&h->sha);
	with.put = take;
	with.ctx = h;
	if (c4w_store_open(store, "x.npy.zst", &in.blob, &h->err) != C4W_OK)
		return;
	ok(c4w_psg_decode_job(&in, &with, &job, &err) == C4W_OK, "a job");
	ok(c4w_drive(&job, &drive, &err) == C4W_OK, "it runs");
	c4w_job_destroy(&job);
	c4w_psg_input_close(&in);
}

/* The sink's folder holds nothing. */
static void leaves_nothing(struct c4w_store *store, const struct c4w_psg_decode *o, const char *what)
{
	char dir[] = "/tmp/c4w-test-psg-XXXXXX";
	struct c4w_psg_decode with = *o;
	struct heard_bytes h;
	ok(mkdtemp(dir) != NULL, "a folder");
	ok(c4w_sink_open(dir, 0, &with.sink, &err) == C4W_OK, "a sink");
	decode(store, &with, &h, UINT64_MAX);
	ok(h.err.cls != C4W_OK, "%s: fails", what);
	c4w_sink_close(with.sink);
	ok(rmdir(dir) == 0, "%s: and leaves no file", what);
}

static void test_decode_job(void)
{
	static const char *const channel[] = { "elevation", "markers", "obstacles", "all" };
	struct c4w_psg_decode o = { .encode = { .format = C4W_PSG_RAW, .channel = C4W_PSG_ALL } };
	struct c4w_memstore_faults faults = { 0 };
	struct c4w_store *store;
	struct heard_bytes h;
	size_t n, i, bytes = c4w_psg_bytes(LARGE);
	uint8_t *raw = noisy(LARGE), *p = compress(raw, bytes, &n, 1, 1), *part = malloc(bytes + C4W_PSG_NPY_HEADER), got[32], want[32];
	uint64_t calls, read, k;
	unsigned c, npy;
	ok(n > 4 * C4W_MIB, "a blob of %zu bytes", n);
	ok(c4w_memstore_new(&store, &err) == C4W_OK && c4w_memstore_put(store, "x.npy.zst", p, n, &err) == C4W_OK, "a store");
	for (c = 0; c < 4; c++)
		for (npy = 0; npy < 2; npy++) {
			size_t m = 0;
			o.encode.channel = c;
			o.encode.format = npy ? C4W_PSG_NPY : C4W_PSG_RAW;
			if (npy) {
				c4w_psg_npy_header(part, LARGE, c == C4W_PSG_ALL ? 3 : 0);
				m = C4W_PSG_NPY_HEADER;
			}
			for (i = c == C4W_PSG_ALL ? 0 : c; i < bytes / 4; i += c == C4W_PSG_ALL ? 1 : 3, m += 4)
				memcpy(part + m, raw + 4 * i, 4);
			c4w_sha256(part, m, want);
			decode(store, &o, &h, UINT64_MAX);
			c4w_sha256_final(&h.sha, got);
			ok(h.err.cls == C4W_OK && h.at == m && h.size == m && memcmp(got, want, 32) == 0, "%s as %s: %s", channel[c],
			   c4w_psg_format_name[o.encode.format], h.err.message);
		}
	decode(store, &o, &h, bytes / 2);
	ok(h.err.cls == C4W_IO && h.at > bytes / 4, "whoever takes the bytes fails: class %d", (int)h.err.cls);
	o.encode.metres = true;
	decode(store, &o, &h, UINT64_MAX);
	ok(h.err.cls == C4W_USAGE && h.at == 0, "metres without metadata: nothing comes out");
	o.encode.metres = false;
	c4w_memstore_faults(store, &faults);
	decode(store, &o, &h, UINT64_MAX);
	c4w_memstore_counts(store, &calls, &read);
	ok(calls >= 3, "%llu calls", (unsigned long long)calls);
	for (k = 2; k <= calls; k++) { /* the first is the open */
		faults.fail_nth = (int64_t)k;
		c4w_memstore_faults(store, &faults);
		leaves_nothing(store, &o, "a read that fails");
	}
	p[n - 1] ^= 1;
	faults.fail_nth = 0;
	c4w_memstore_faults(store, &faults);
	ok(c4w_memstore_put(store, "x.npy.zst", p, n, &err) == C4W_OK, "a wrong checksum");
	leaves_nothing(store, &o, "a wrong checksum");
	c4w_store_close(store);
	free(part);
	free(p);
	free(raw);
}

static void csv_case(const char *text, size_t n, const char *rule, long cells)
{
	struct c4w_psg_route route;
	char shown[80], *copy = malloc(n ? n : 1);
	int cls;
	if (n)
		memcpy(copy, text, n);
	c4w_str_escape(shown, sizeof shown, text, n);
	c4w_err_clear(&err);
	cls = c4w_psg_csv((const uint8_t *)copy, n, 16, &arena, &route, &err);
	if (rule)
		ok(cls == C4W_DAMAGED && strcmp(err.rule, rule) == 0, "%s: want %s, got %s", shown, rule, cls ? err.rule : "no error");
	else
		ok(cls == C4W_OK && (long)route.n == cells, "%s: %s", shown, cls ? err.message : "another number of cells");
	free(copy);
	c4w_arena_reset(&arena);
}
#define CSV(text, rule, cells) csv_case(text, sizeof(text) - 1, rule, cells)

static void test_csv(void)
{
	CSV("", NULL, 0);
	CSV("1,2\n", NULL, 1);
	CSV("1,2", NULL, 1);
	CSV("1,2\r\n3,4\n", NULL, 2);
	CSV("001,0000000000000000002\n", NULL, 1);
	CSV("15,15\n", NULL, 1);
	CSV("1,2\n\n", NULL, 1);
	CSV("1,2\n\r\n", NULL, 1);
	CSV("\n", NULL, 0);
	CSV("1,2\n\n\n", "passage.csv-empty-line", 0);
	CSV("1,2\n\n3,4\n", "passage.csv-empty-line", 0);
	CSV("\n1,2\n", "passage.csv-empty-line", 0);
	CSV("16,2\n", "passage.csv-range", 0);
	CSV("1,16\n", "passage.csv-range", 0);
	CSV("1,99999999999999999999999999\n", "passage.csv-range", 0);
	CSV("1, 2\n", "passage.csv-byte", 0);
	CSV(" 1,2\n", "passage.csv-byte", 0);
	CSV("1,2 \n", "passage.csv-byte", 0);
	CSV("1\t,2\n", "passage.csv-byte", 0);
	CSV("+1,2\n", "passage.csv-byte", 0);
	CSV("-1,2\n", "passage.csv-byte", 0);
	CSV("\"1\",2\n", "passage.csv-byte", 0);
	CSV("1,2\0\n", "passage.csv-byte", 0);
	CSV("\xEF\xBB\xBF" "1,2\n", "passage.csv-byte", 0);
	CSV("1.0,2\n", "passage.csv-byte", 0);
	CSV("1,2\nx,3\n", "passage.csv-byte", 0);
	CSV("row,col\n1,2\n", "passage.csv-header", 0);
	CSV("1,2,3\n", "passage.csv-fields", 0);
	CSV("1\n", "passage.csv-fields", 0);
	CSV("1,\n", "passage.csv-fields", 0);
	CSV(",1\n", "passage.csv-fields", 0);
	CSV("1", "passage.csv-fields", 0);
	CSV("1,", "passage.csv-fields", 0);
	CSV("1;2\n", "passage.csv-byte", 0);
	CSV("1,2\r3,4\r", "passage.csv-line-end", 0);
	CSV("1,2\r", "passage.csv-line-end", 0);
	CSV("\r", "passage.csv-line-end", 0);
}

/* Every value by itself, as section 3 has it. */
static void plain_scan(const uint8_t *raw, uint32_t r, struct c4w_psg_scan *s)
{
	uint32_t i, j;
	memset(s, 0, sizeof *s);
	for (i = 0; i < r; i++)
		for (j = 0; j < r; j++) {
			float e = c4w_psg_at(raw, r, i, j, 0), m = c4w_psg_at(raw, r, i, j, 1), o = c4w_psg_at(raw, r, i, j, 2);
			s->not_finite.count += (uint64_t)(!isfinite(e) + !isfinite(m) + !isfinite(o));
			s->elevation.count += isfinite(e) && (e < 0 || e > 1);
			s->marker.count += isfinite(m) && m != -1 && m != 0 && m != 1;
			s->obstacle.count += isfinite(o) && o != 0 && o != 1;
			s->background += m == -1;
			s->starts += m == 0;
			s->goals += m == 1;
			s->obstacles += o == 1;
		}
}

static void test_scan(void)
{
	static const uint32_t odd[] = { 0x80000000, 0x3f800001, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x00000001, 0x80000001,
					0xbf800000, 0x3f800000, 0, 0xbf800001, 0x3f7fffff, 0x40000000, 0x7f7fffff };
	uint32_t r, k, seed = 1;
	for (r = 1; r < 40; r += 1 + r / 7)
		for (k = 0; k < 40; k++) {
			uint8_t *raw = tensor(r);
			struct c4w_psg_scan a, b;
			uint32_t i, changes = k % 5;
			for (i = 0; i < changes; i++) {
				seed = seed * 1664525 + 1013904223;
				memcpy(raw + 4 * ((seed >> 8) % (r * r * 3)), &odd[(seed >> 4) % 15], 4);
			}
			c4w_psg_scan(raw, r, &a);
			plain_scan(raw, r, &b);
			ok(a.not_finite.count == b.not_finite.count && a.elevation.count == b.elevation.count &&
			   a.marker.count == b.marker.count && a.obstacle.count == b.obstacle.count && a.background == b.background &&
			   a.starts == b.starts && a.goals == b.goals && a.obstacles == b.obstacles, "r %u, round %u", r, k);
			free(raw);
		}
}

static struct {
	char rules[4000];
	unsigned errors, warnings;
} heard;

static void hear(void *ctx, enum c4w_psg_level level, const char *path, const struct c4w_err *e)
{
	(void)ctx;
	(void)path;
	snprintf(heard.rules + strlen(heard.rules), sizeof heard.rules - strlen(heard.rules), "%s ", e->rule ? e->rule : "-");
	*(level == C4W_PSG_ERROR ? &heard.errors : &heard.warnings) += 1;
}

static void test_npy_header(void)
{
	uint8_t h[C4W_PSG_NPY_HEADER + 1];
	h[C4W_PSG_NPY_HEADER] = 0;
	c4w_psg_npy_header(h, 64, 3);
	ok(memcmp(h, "\x93NUMPY\x01\0\x76\0", 10) == 0, "front");
	ok(strncmp((char *)h + 10, "{'descr': '<f4', 'fortran_order': False, 'shape': (64, 64, 3), }  ", 66) == 0, "%s", (char *)h + 10);
	ok(h[127] == '\n' && h[126] == ' ', "end");
}

static void test_names(void)
{
	int64_t d;
	uint64_t i;
	char name[8];
	ok(c4w_psg_tile("N061", false, &d) && d == 61, "N061");
	ok(c4w_psg_tile("S002", false, &d) && d == -2, "S002");
	ok(c4w_psg_tile("W120", true, &d) && d == -120, "W120");
	ok(!c4w_psg_tile("E081", false, &d) && !c4w_psg_tile("N61", false, &d) && !c4w_psg_tile("n061", false, &d), "not of that form");
	is_str((c4w_psg_tile_name(-5, true, name), name), "W005");
	ok(c4w_psg_index_name("0000000012.csv", ".csv", &i) && i == 12, "index");
	ok(!c4w_psg_index_name("000000012.csv", ".csv", &i) && !c4w_psg_index_name("0000000012.csvx", ".csv", &i), "not an index");
}

static bool deliver(void *ctx, struct c4w_item *item, struct c4w_result *result)
{
	size_t i, *items = ctx;
	++*items;
	for (i = 0; i < result->findings.n; i++) {
		const struct c4w_finding *f = &result->findings.v[i];
		printf("# %s: %s %s\n", item->id.text, f->rule ? f->rule : "-", f->message);
		*(f->severity == C4W_SEV_ERROR ? &heard.errors : &heard.warnings) += 1;
	}
	return true;
}

static void verify_path(const char *path, unsigned jobs, size_t want_items)
{
	void *root;
	struct c4w_job job = { 0 };
	size_t items = 0;
	struct c4w_drive_opts opts = { .jobs = jobs, .deliver = deliver, .ctx = &items };
	int cls = c4w_family_passage.open(path, &root, &err);
	memset(&heard, 0, sizeof heard);
	ok(cls == C4W_OK, "%s: %s", path, err.message);
	if (cls != C4W_OK)
		return;
	ok(c4w_family_passage.verify(root, NULL, C4W_LEVEL_FULL, &job, &err) == C4W_OK && c4w_drive(&job, &opts, &err) == C4W_OK, "%s",
	   err.message);
	is_int(items, want_items);
	is_int(heard.errors, 0);
	is_int(heard.warnings, 0);
	c4w_job_destroy(&job);
	c4w_family_passage.close(root);
}

static void test_fixture(void)
{
	struct c4w_probe p = { 0 };
	c4w_family_passage.probe("tests/data/passage/tree", &p);
	ok(p.sure == C4W_SURE_CERTAIN, "root: %d %s", p.sure, p.why);
	verify_path("tests/data/passage/tree", 1, 5);
	verify_path("tests/data/passage/tree", 2, 5);
	verify_path("tests/data/passage/tree/16/", 1, 5);
	verify_path("tests/data/passage/tree/16/train", 1, 2);
	verify_path("tests/data/passage/tree/16/train/receipts/0000000001.json", 1, 1);
	verify_path("tests/data/passage/export", 1, 5);
	verify_path("tests/data/passage/export", 2, 5);
	verify_path("tests/data/passage/export/16x16/train", 1, 2);
	verify_path("tests/data/passage/export/16x16_samples", 1, 2);
	verify_path("tests/data/passage/export/16x16/test/data-16-0000000004-0000000004-00000.parquet", 1, 1);
	memset(&p, 0, sizeof p);
	c4w_family_passage.probe("tests/data", &p);
	ok(p.sure == C4W_SURE_NO, "%s", p.why);
}

static void test_meta(void)
{
	static const struct {
		const char *text, *rule;
	} v[] = {
		{ "index: 1\n", "passage.meta-missing" },
		{ "index: '1'\n", "passage.meta-type" },
		{ "index: 1.0\n", "passage.meta-type" },
		{ "index: 0x1\n", "passage.meta-type" },
		{ "index: -1\n", "passage.meta-value" },
		{ "index: 99999999999999999999\n", "passage.meta-type" },
		{ "units: feet\n", "passage.meta-units" },
		{ "units: null\n", "passage.meta-type" },
		{ "split: dev\n", "passage.meta-value" },
		{ "resolution: 0\n", "passage.meta-value" },
		{ "calibration: {min: 1, max: 1}\n", "passage.meta-value" },
		{ "calibration: {min: .nan, max: 1}\n", "passage.meta-type" },
		{ "calibration: 3\n", "passage.meta-type" },
		{ "obstacles: {enabled: yes}\n", "passage.meta-type" },
		{ "tile: {used: [1]}\n", "passage.meta-type" },
		{ "provenance: {provenance_id: abc}\n", "passage.meta-type" },
		{ "paths: {astar_slope: {free: {status: ok, length: 0}}}\n", "passage.meta-value" },
	};
	size_t i;
	for (i = 0; i < sizeof v / sizeof *v; i++) {
		struct c4w_psg_sink s = { hear, NULL, NULL };
		struct c4w_psg_meta m;
		struct c4w_yaml_node *root;
		memset(&heard, 0, sizeof heard);
		is_int(c4w_yaml_parse(v[i].text, strlen(v[i].text), &arena, &root, &err), C4W_OK);
		c4w_psg_meta_read(root, &s, &m);
		ok(strstr(heard.rules, v[i].rule) != NULL, "%s: want %s", v[i].text, v[i].rule);
	}
	c4w_arena_clear(&arena);
}

int main(void)
{
	RUN(test_blob);
	RUN(test_pieces);
	RUN(test_behind_window);
	RUN(test_decode_job);
	RUN(test_csv);
	RUN(test_scan);
	RUN(test_npy_header);
	RUN(test_names);
	RUN(test_meta);
	RUN(test_fixture);
	c4w_arena_clear(&arena);
	return done();
}
