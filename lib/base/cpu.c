/* Asking what the processor has. See cpu.h. */
#include "base/cpu.h"

atomic_uint c4w_cpu_known;

#if defined(__x86_64__)

#if defined(__has_include)
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#endif
#endif

#ifdef CPU_FEATURE_ACTIVE

#define HAS(glibc, gcc) CPU_FEATURE_ACTIVE(glibc)

static bool has_sha(void)
{
	return CPU_FEATURE_ACTIVE(SHA);
}

#else

#include <cpuid.h>

#define HAS(glibc, gcc) (__builtin_cpu_supports(gcc) != 0)

/* gcc has no name for it before version 14. */
static bool has_sha(void)
{
	unsigned a, b, c, d;
	return __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & 1U << 29;
}

#endif

static unsigned ask(void)
{
	unsigned f = 0;
	f |= HAS(SSSE3, "ssse3") ? C4W_CPU_SSSE3 : 0;
	f |= HAS(SSE4_1, "sse4.1") ? C4W_CPU_SSE41 : 0;
	f |= HAS(SSE4_2, "sse4.2") ? C4W_CPU_SSE42 : 0;
	f |= HAS(PCLMULQDQ, "pclmul") ? C4W_CPU_PCLMUL : 0;
	f |= HAS(POPCNT, "popcnt") ? C4W_CPU_POPCNT : 0;
	f |= HAS(BMI2, "bmi2") ? C4W_CPU_BMI2 : 0;
	f |= HAS(AVX2, "avx2") ? C4W_CPU_AVX2 : 0;
	f |= HAS(FMA, "fma") ? C4W_CPU_FMA : 0;
	f |= has_sha() ? C4W_CPU_SHA : 0;
	return f;
}

#else

static unsigned ask(void)
{
	return 0;
}

#endif

unsigned c4w_cpu_ask(void)
{
	unsigned known = C4W_CPU_ASKED | ask();
	atomic_store_explicit(&c4w_cpu_known, known, memory_order_relaxed);
	return known;
}
