/* Which instructions an x86-64 processor has, for those who choose a kernel. Elsewhere it has none of them.
 *
 * The C library asked the processor when the program was loaded, and its answer is used where it gives one (glibc 2.33). gcc's
 * __builtin_cpu_supports would ask once more before main, in every run; in a virtual machine each of its two dozen CPUIDs leaves the
 * guest, together a tenth of a start-up.
 */
#ifndef C4W_BASE_CPU_H
#define C4W_BASE_CPU_H

#include <stdatomic.h>
#include <stdbool.h>

enum c4w_cpu {
	C4W_CPU_ASKED = 1,
	C4W_CPU_SSSE3 = 2,
	C4W_CPU_SSE41 = 4,
	C4W_CPU_SSE42 = 8,
	C4W_CPU_PCLMUL = 16,
	C4W_CPU_POPCNT = 32,
	C4W_CPU_BMI2 = 64,
	C4W_CPU_AVX2 = 128,
	C4W_CPU_FMA = 256,
	C4W_CPU_SHA = 512,
};

extern atomic_uint c4w_cpu_known; /* 0 until somebody asked; threads that race write the same value */
unsigned c4w_cpu_ask(void);

/* All of these, and does the system save their registers? Thread-safe; a load and a test. */
static inline bool c4w_cpu_has(unsigned features)
{
	unsigned known = atomic_load_explicit(&c4w_cpu_known, memory_order_relaxed);
	if (!known)
		known = c4w_cpu_ask();
	return (known & features) == features;
}

#endif
