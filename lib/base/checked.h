/* Checked arithmetic on sizes. Each returns false, and leaves *out alone, when the result does not fit. */
#ifndef C4W_BASE_CHECKED_H
#define C4W_BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool c4w_add_size(size_t a, size_t b, size_t *out)
{
	return !__builtin_add_overflow(a, b, out);
}
static inline bool c4w_mul_size(size_t a, size_t b, size_t *out)
{
	return !__builtin_mul_overflow(a, b, out);
}
static inline bool c4w_add_u64(uint64_t a, uint64_t b, uint64_t *out)
{
	return !__builtin_add_overflow(a, b, out);
}
static inline bool c4w_mul_u64(uint64_t a, uint64_t b, uint64_t *out)
{
	return !__builtin_mul_overflow(a, b, out);
}

/* Do `length` bytes at `offset` lie within `total`? Never overflows. */
static inline bool c4w_within(uint64_t offset, uint64_t length, uint64_t total)
{
	return offset <= total && length <= total - offset;
}

/* Little-endian loads from any address. */
static inline uint16_t c4w_le16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}
static inline uint32_t c4w_le32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static inline uint64_t c4w_le64(const uint8_t *p)
{
	return (uint64_t)c4w_le32(p) | (uint64_t)c4w_le32(p + 4) << 32;
}

#endif
