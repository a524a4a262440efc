/* SHA-256 against mbedTLS, published vectors, and the kernels against each other. */
#include "base/sha256.h"
#include "base/sha256_kernel.h"
#include "base/str.h"
#include "tap.h"

#include <mbedtls/sha256.h>
#include <time.h>

static uint8_t data[1 << 16];

static void fill(void)
{
	uint64_t x = 88172645463325252ULL;
	size_t i;
	for (i = 0; i < sizeof data; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		data[i] = (uint8_t)(x >> 32);
	}
}

static void oracle(const void *p, size_t n, uint8_t out[32])
{
	mbedtls_sha256_ret(p, n, out, 0);
}

static void test_vectors(void)
{
	/* FIPS 180-4 examples and the NIST long one. */
	static const struct {
		const char *text, *hex;
	} cases[] = {
		{ "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
		{ "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	};
	uint8_t d[32];
	char hex[65];
	struct c4w_sha256 s;
	size_t i;
	for (i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		c4w_sha256(cases[i].text, strlen(cases[i].text), d);
		is_str(c4w_hex(hex, d, 32), cases[i].hex);
	}
	c4w_sha256_init(&s);
	for (i = 0; i < 1000000; i += 1000) {
		char a[1000];
		memset(a, 'a', sizeof a);
		c4w_sha256_update(&s, a, sizeof a);
	}
	c4w_sha256_final(&s, d);
	is_str(c4w_hex(hex, d, 32), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void test_lengths_unaligned(void)
{
	uint8_t got[32], want[32];
	size_t n, at;
	for (n = 0; n <= 300; n++)
		for (at = 0; at < 17; at++) {
			oracle(data + at, n, want);
			c4w_sha256(data + at, n, got);
			ok(memcmp(got, want, 32) == 0, "length %zu at %zu", n, at);
		}
}

static void test_streaming(void)
{
	size_t step, n;
	for (step = 1; step < 200; step += 7)
		for (n = 0; n < 1000; n += 61) {
			struct c4w_sha256 s;
			uint8_t got[32], want[32];
			size_t at = 0;
			c4w_sha256_init(&s);
			while (at < n) {
				size_t take = n - at < step ? n - at : step;
				c4w_sha256_update(&s, data + at, take);
				c4w_sha256_update(&s, NULL, 0);
				at += take;
			}
			c4w_sha256_final(&s, got);
			oracle(data, n, want);
			ok(memcmp(got, want, 32) == 0, "step %zu, length %zu", step, n);
		}
}

static void test_two_streams(void)
{
	static const size_t steps[][2] = { { 64, 64 }, { 1, 300 }, { 1000, 999 }, { 63, 65 }, { 0, 128 }, { 4096, 1 } };
	size_t c;
	for (c = 0; c < sizeof steps / sizeof steps[0]; c++) {
		struct c4w_sha256 a, b;
		uint8_t got[32], want[32];
		size_t na = 0, nb = 0, i;
		c4w_sha256_init(&a);
		c4w_sha256_init(&b);
		for (i = 0; i < 10; i++) {
			c4w_sha256_update2(&a, data + na, steps[c][0], &b, data + 5 + nb, steps[c][1]);
			na += steps[c][0];
			nb += steps[c][1];
		}
		c4w_sha256_final(&a, got);
		oracle(data, na, want);
		ok(memcmp(got, want, 32) == 0, "case %zu, first", c);
		c4w_sha256_final(&b, got);
		oracle(data + 5, nb, want);
		ok(memcmp(got, want, 32) == 0, "case %zu, second", c);
	}
}

static void check_many(const struct c4w_sha256_kernel *k, size_t n, unsigned seed)
{
	enum { MAX = 200, PIECES = 4 };
	static struct c4w_bytes pieces[MAX][PIECES];
	static struct c4w_sha256_msg msgs[MAX];
	static uint8_t got[MAX][32];
	size_t i, j;
	srand(seed);
	for (i = 0; i < n; i++) {
		msgs[i].pieces = pieces[i];
		msgs[i].count = (size_t)rand() % (PIECES + 1);
		for (j = 0; j < msgs[i].count; j++) {
			size_t len = rand() % 3 == 0 ? (size_t)rand() % 5000 : (size_t)rand() % 130;
			pieces[i][j] = len ? (struct c4w_bytes){ data + (size_t)rand() % 4096, len } : (struct c4w_bytes){ NULL, 0 };
		}
	}
	memset(got, 0, sizeof got);
	c4w_sha256_many_with(k, n, msgs, got);
	for (i = 0; i < n; i++) {
		mbedtls_sha256_context ctx;
		uint8_t want[32];
		mbedtls_sha256_init(&ctx);
		mbedtls_sha256_starts_ret(&ctx, 0);
		for (j = 0; j < msgs[i].count; j++)
			mbedtls_sha256_update_ret(&ctx, pieces[i][j].n ? pieces[i][j].p : data, pieces[i][j].n);
		mbedtls_sha256_finish_ret(&ctx, want);
		ok(memcmp(got[i], want, 32) == 0, "%s: message %zu of %zu, seed %u", k->name, i, n, seed);
	}
}

static void test_many(void)
{
	unsigned seed;
	for (seed = 0; seed < 40; seed++) {
		check_many(c4w_sha256_chosen(), seed % 9, seed);
		check_many(c4w_sha256_portable(), seed % 9, seed);
	}
	check_many(c4w_sha256_chosen(), 200, 7);
	check_many(c4w_sha256_portable(), 200, 7);
}

static void test_kernels_agree(void)
{
	const struct c4w_sha256_kernel *p = c4w_sha256_portable(), *x = c4w_sha256_x86();
	size_t blocks;
	ok(c4w_sha256_chosen() == (x ? x : p), "chosen %s", c4w_sha256_kernel());
	for (blocks = 0; x && blocks < 12; blocks++) {
		uint32_t a[3][8], b[3][8];
		uint32_t *ha[3] = { a[0], a[1], a[2] }, *hb[3] = { b[0], b[1], b[2] };
		const uint8_t *in[3] = { data + 1, data + 1000, data + 2003 };
		memcpy(a, data + 3000, sizeof a);
		memcpy(b, a, sizeof b);
		p->one(a[0], in[0], blocks);
		x->one(b[0], in[0], blocks);
		ok(memcmp(a, b, sizeof a) == 0, "one, %zu blocks", blocks);
		p->two(ha, in, blocks);
		x->two(hb, in, blocks);
		ok(memcmp(a, b, sizeof a) == 0, "two, %zu blocks", blocks);
		p->three(ha, in, blocks);
		x->three(hb, in, blocks);
		ok(memcmp(a, b, sizeof a) == 0, "three, %zu blocks", blocks);
	}
}

/* With C4W_BENCH set: GB/s of CPU time for one, two and three messages. */
static double cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void bench(void)
{
	size_t n, k;
	for (n = 1; n <= 3; n++) {
		struct c4w_bytes b[3] = { { data, sizeof data }, { data, sizeof data }, { data, sizeof data } };
		struct c4w_sha256_msg m[3] = { { b, 1 }, { b + 1, 1 }, { b + 2, 1 } };
		uint8_t d[3][32];
		double best = 1e9;
		int run;
		for (run = 0; run < 5; run++) {
			double t = cpu();
			for (k = 0; k < 2000; k++)
				c4w_sha256_many(n, m, d);
			t = cpu() - t;
			best = t < best ? t : best;
		}
		printf("# %s, %zu at once: %.2f GB/s\n", c4w_sha256_kernel(), n, 2000.0 * (double)(n * sizeof data) / best / 1e9);
	}
}

int main(void)
{
	fill();
	RUN(test_vectors);
	RUN(test_lengths_unaligned);
	RUN(test_streaming);
	RUN(test_two_streams);
	RUN(test_many);
	RUN(test_kernels_agree);
	if (getenv("C4W_BENCH"))
		bench();
	return done();
}
