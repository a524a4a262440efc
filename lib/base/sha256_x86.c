/* SHA-256 with the x86 SHA extensions: one, two and three messages interleaved.
 *
 * sha256rnds2 has a latency of four cycles and does two rounds; a single message leaves the unit idle half the time. The
 * bodies are macros over a lane's variables so that the lanes' instructions stand side by side; with three lanes there are
 * more live values than the sixteen registers and the compiler keeps some message words in memory, which still pays.
 * Intel's "New Instructions Supporting the Secure Hash Algorithm" defines the state layout ABEF/CDGH.
 */
#include "base/sha256_kernel.h"
#include "base/cpu.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define TARGET __attribute__((target("sha,sse4.1,ssse3")))

struct lane {
	__m128i abef, cdgh;
};

TARGET static inline struct lane load_state(const uint32_t *h)
{
	__m128i dcba = _mm_loadu_si128((const __m128i *)h), hgfe = _mm_loadu_si128((const __m128i *)(h + 4));
	__m128i cdab = _mm_shuffle_epi32(dcba, 0xB1), efgh = _mm_shuffle_epi32(hgfe, 0x1B);
	return (struct lane){ _mm_alignr_epi8(cdab, efgh, 8), _mm_blend_epi16(efgh, cdab, 0xF0) };
}

TARGET static inline void store_state(uint32_t *h, struct lane s)
{
	__m128i feba = _mm_shuffle_epi32(s.abef, 0x1B), dchg = _mm_shuffle_epi32(s.cdgh, 0xB1);
	_mm_storeu_si128((__m128i *)h, _mm_blend_epi16(feba, dchg, 0xF0));
	_mm_storeu_si128((__m128i *)(h + 4), _mm_alignr_epi8(dchg, feba, 8));
}

#define LOAD(p, i) _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)((p) + 16 * (i))), order)

/* Rounds 4*i … 4*i+3 on lane s with message words w. */
#define ROUNDS(s, w, i)                                                                            \
	do {                                                                                       \
		__m128i wk_ = _mm_add_epi32(w, _mm_loadu_si128((const __m128i *)(k + 4 * (i))));   \
		s.cdgh = _mm_sha256rnds2_epu32(s.cdgh, s.abef, wk_);                               \
		s.abef = _mm_sha256rnds2_epu32(s.abef, s.cdgh, _mm_shuffle_epi32(wk_, 0x0E));      \
	} while (0)

/* Message words 16 further on, in place: a = W[t-16..], d = W[t-4..]. */
#define SCHEDULE(a, b, c, d) \
	a = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(a, b), _mm_alignr_epi8(d, c, 4)), d)

TARGET static void one(uint32_t *h, const uint8_t *p, size_t blocks)
{
	const __m128i order = _mm_set_epi64x(0x0C0D0E0F08090A0B, 0x0405060700010203);
	const uint32_t *k = c4w_sha256_k;
	struct lane s = load_state(h);
	while (blocks--) {
		struct lane saved = s;
		__m128i a = LOAD(p, 0), b = LOAD(p, 1), c = LOAD(p, 2), d = LOAD(p, 3);
		ROUNDS(s, a, 0);
		ROUNDS(s, b, 1);
		ROUNDS(s, c, 2);
		ROUNDS(s, d, 3);
#define STEP(i)                       \
	SCHEDULE(a, b, c, d);         \
	ROUNDS(s, a, 4 * (i) + 0);    \
	SCHEDULE(b, c, d, a);         \
	ROUNDS(s, b, 4 * (i) + 1);    \
	SCHEDULE(c, d, a, b);         \
	ROUNDS(s, c, 4 * (i) + 2);    \
	SCHEDULE(d, a, b, c);         \
	ROUNDS(s, d, 4 * (i) + 3)
		STEP(1);
		STEP(2);
		STEP(3);
#undef STEP
		s.abef = _mm_add_epi32(s.abef, saved.abef);
		s.cdgh = _mm_add_epi32(s.cdgh, saved.cdgh);
		p += 64;
	}
	store_state(h, s);
}

#define EACH2(X) X(0) X(1)
#define EACH3(X) X(0) X(1) X(2)

/* One body for two and three lanes: EACH spells out the lanes. */
#define DECLARE(n)                                                       \
	struct lane s##n = load_state(h[n]), saved##n;                   \
	__m128i a##n, b##n, c##n, d##n;                                  \
	const uint8_t *p##n = p[n];
#define BEGIN(n)                                                         \
	saved##n = s##n;                                                 \
	a##n = LOAD(p##n, 0);                                            \
	b##n = LOAD(p##n, 1);                                            \
	c##n = LOAD(p##n, 2);                                            \
	d##n = LOAD(p##n, 3);
#define FIRST0(n) ROUNDS(s##n, a##n, 0);
#define FIRST1(n) ROUNDS(s##n, b##n, 1);
#define FIRST2(n) ROUNDS(s##n, c##n, 2);
#define FIRST3(n) ROUNDS(s##n, d##n, 3);
#define NEXT0(n) SCHEDULE(a##n, b##n, c##n, d##n); ROUNDS(s##n, a##n, i + 0);
#define NEXT1(n) SCHEDULE(b##n, c##n, d##n, a##n); ROUNDS(s##n, b##n, i + 1);
#define NEXT2(n) SCHEDULE(c##n, d##n, a##n, b##n); ROUNDS(s##n, c##n, i + 2);
#define NEXT3(n) SCHEDULE(d##n, a##n, b##n, c##n); ROUNDS(s##n, d##n, i + 3);
#define FINISH(n)                                                        \
	s##n.abef = _mm_add_epi32(s##n.abef, saved##n.abef);             \
	s##n.cdgh = _mm_add_epi32(s##n.cdgh, saved##n.cdgh);             \
	p##n += 64;
#define STORE(n) store_state(h[n], s##n);

#define BODY(EACH)                                                                                \
	const __m128i order = _mm_set_epi64x(0x0C0D0E0F08090A0B, 0x0405060700010203);             \
	const uint32_t *k = c4w_sha256_k;                                                         \
	EACH(DECLARE)                                                                             \
	while (blocks--) {                                                                        \
		size_t i;                                                                         \
		EACH(BEGIN)                                                                       \
		EACH(FIRST0) EACH(FIRST1) EACH(FIRST2) EACH(FIRST3)                               \
		for (i = 4; i < 16; i += 4) {                                                     \
			EACH(NEXT0) EACH(NEXT1) EACH(NEXT2) EACH(NEXT3)                           \
		}                                                                                 \
		EACH(FINISH)                                                                      \
	}                                                                                         \
	EACH(STORE)

TARGET static void two(uint32_t *const h[2], const uint8_t *const p[2], size_t blocks)
{
	BODY(EACH2)
}

TARGET static void three(uint32_t *const h[3], const uint8_t *const p[3], size_t blocks)
{
	BODY(EACH3)
}

const struct c4w_sha256_kernel *c4w_sha256_x86(void)
{
	static const struct c4w_sha256_kernel kernel = { "x86 SHA extensions", one, two, three };
	return c4w_cpu_has(C4W_CPU_SHA | C4W_CPU_SSE41 | C4W_CPU_SSSE3) ? &kernel : NULL;
}

#else

const struct c4w_sha256_kernel *c4w_sha256_x86(void)
{
	return NULL;
}

#endif
