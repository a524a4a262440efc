/* CRC-32 (ZIP, gzip, PNG, Parquet pages) and CRC-32C (Zarr v3 shards). Thread-safe, no allocation, cannot fail.
 * Start with crc = 0; pass the previous result to go on. */
#ifndef C4W_BASE_CRC_H
#define C4W_BASE_CRC_H

#include <stddef.h>
#include <stdint.h>

uint32_t c4w_crc32(uint32_t crc, const void *p, size_t n);
uint32_t c4w_crc32c(uint32_t crc, const void *p, size_t n);

/* The portable twin, for the test that compares them. */
uint32_t c4w_crc32c_portable(uint32_t crc, const void *p, size_t n);

#endif
