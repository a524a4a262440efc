/* Kernels of SHA-256, for sha256.c and for the test that compares them. Each takes `blocks` blocks of 64 bytes from
 * one, two or three independent messages and advances their states. */
#ifndef C4W_BASE_SHA256_KERNEL_H
#define C4W_BASE_SHA256_KERNEL_H

#include "base/sha256.h"

struct c4w_sha256_kernel {
	const char *name;
	void (*one)(uint32_t *h, const uint8_t *p, size_t blocks);
	void (*two)(uint32_t *const h[2], const uint8_t *const p[2], size_t blocks);
	void (*three)(uint32_t *const h[3], const uint8_t *const p[3], size_t blocks);
};

extern const uint32_t c4w_sha256_k[64];

const struct c4w_sha256_kernel *c4w_sha256_portable(void);
const struct c4w_sha256_kernel *c4w_sha256_x86(void);  /* NULL when the processor or the build has no SHA extensions */
const struct c4w_sha256_kernel *c4w_sha256_chosen(void); /* what everything uses */

void c4w_sha256_many_with(const struct c4w_sha256_kernel *k, size_t n, const struct c4w_sha256_msg msgs[],
			  uint8_t digests[][32]);

#endif
