/* CRC-32 and CRC-32C: published values, the two kernels of CRC-32C against each other, continuation. */
#include "base/crc.h"

#include "tap.h"

#include <time.h>

static uint8_t data[100000];

static void test_published(void)
{
	uint8_t b[32];
	int i;
	is_int(c4w_crc32(0, "123456789", 9), 0xCBF43926);
	is_int(c4w_crc32c(0, "123456789", 9), 0xE3069283);
	is_int(c4w_crc32(0, NULL, 0), 0);
	is_int(c4w_crc32c(0, NULL, 0), 0);
	/* RFC 3720, B.4 */
	memset(b, 0, 32);
	is_int(c4w_crc32c(0, b, 32), 0x8A9136AA);
	memset(b, 255, 32);
	is_int(c4w_crc32c(0, b, 32), 0x62A8AB43);
	for (i = 0; i < 32; i++)
		b[i] = (uint8_t)i;
	is_int(c4w_crc32c(0, b, 32), 0x46DD794E);
	is_int(c4w_crc32c_portable(0, b, 32), 0x46DD794E);
}

static void test_kernels_agree(void)
{
	static const size_t lengths[] = { 255, 767, 768, 769, 1536, 2000, 24575, 24576, 24577, 25344, 50000, 99000 };
	size_t n, i;
	for (n = 0; n < 300; n++)
		ok(c4w_crc32c((uint32_t)n, data + n % 9, n) == c4w_crc32c_portable((uint32_t)n, data + n % 9, n), "%zu bytes", n);
	for (i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
		ok(c4w_crc32c(7, data + i, lengths[i]) == c4w_crc32c_portable(7, data + i, lengths[i]), "%zu bytes", lengths[i]);
}

static void test_continued(void)
{
	uint32_t whole32 = c4w_crc32(0, data, sizeof data), whole32c = c4w_crc32c(0, data, sizeof data);
	size_t at;
	for (at = 0; at < sizeof data; at += 9973) {
		ok(c4w_crc32(c4w_crc32(0, data, at), data + at, sizeof data - at) == whole32, "CRC-32 split at %zu", at);
		ok(c4w_crc32c(c4w_crc32c(0, data, at), data + at, sizeof data - at) == whole32c, "CRC-32C split at %zu", at);
	}
}

static double cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void bench(void)
{
	double t = cpu();
	uint32_t c = 0;
	int i;
	for (i = 0; i < 5000; i++)
		c = c4w_crc32c(c, data, sizeof data);
	t = cpu() - t;
	printf("# CRC-32C %08x: %.2f GB/s\n", c, 5000.0 * sizeof data / t / 1e9);
}

int main(void)
{
	uint32_t x = 12345;
	size_t i;
	for (i = 0; i < sizeof data; i++) {
		x = x * 1664525 + 1013904223;
		data[i] = (uint8_t)(x >> 24);
	}
	RUN(test_published);
	RUN(test_kernels_agree);
	RUN(test_continued);
	if (getenv("C4W_BENCH"))
		bench();
	return done();
}
