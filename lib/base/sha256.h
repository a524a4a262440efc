/* SHA-256 (FIPS 180-4): streaming, one shot, and many independent messages at once.
 *
 * The x86 SHA instructions are bound by latency: two or three interleaved messages cost little more than one. The kernel
 * is picked at run time, once; the portable twin gives the same bytes everywhere. All functions are thread-safe for
 * distinct structs, allocate nothing and cannot fail.
 */
#ifndef C4W_BASE_SHA256_H
#define C4W_BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct c4w_sha256 {
	uint32_t h[8];
	uint64_t total; /* bytes so far */
	size_t fill;    /* bytes waiting in `block`: total % 64 */
	uint8_t block[64];
};

void c4w_sha256_init(struct c4w_sha256 *s);
void c4w_sha256_update(struct c4w_sha256 *s, const void *p, size_t n);
void c4w_sha256_final(struct c4w_sha256 *s, uint8_t digest[32]); /* s must be initialised again before reuse */
void c4w_sha256(const void *p, size_t n, uint8_t digest[32]);

/* Two open files at a time: as two updates, interleaved where both have whole blocks. a and b are different structs. */
void c4w_sha256_update2(struct c4w_sha256 *a, const void *pa, size_t na, struct c4w_sha256 *b, const void *pb, size_t nb);

/* Three at a time. */
void c4w_sha256_update3(struct c4w_sha256 *const s[3], const void *const bytes[3], const size_t sizes[3]);

/* A message is the concatenation of its pieces, which are borrowed and never copied as a whole. */
struct c4w_bytes {
	const void *p; /* may be NULL when n is 0 */
	size_t n;
};
struct c4w_sha256_msg {
	const struct c4w_bytes *pieces;
	size_t count;
};

/* n independent messages, longest first, three at a time, a finished one replaced by the next. digests[i] belongs to msgs[i]. */
void c4w_sha256_many(size_t n, const struct c4w_sha256_msg msgs[], uint8_t digests[][32]);

/* "x86 SHA extensions" or "portable": for --version and the benchmark. */
const char *c4w_sha256_kernel(void);

#endif
