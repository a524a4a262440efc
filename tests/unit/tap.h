/* A tiny TAP producer for unit tests: one `static void test_x(void)` a property, ok(...) for each fact, and
 *     int main(void) { RUN(test_x); return done(); }
 * A failed fact prints where and what; the test goes on. */
#ifndef C4W_TESTS_TAP_H
#define C4W_TESTS_TAP_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tap_count, tap_failed, tap_facts, tap_bad;

#define RUN(fn)                                                                            \
	do {                                                                               \
		tap_facts = tap_bad = 0;                                                   \
		fn();                                                                      \
		tap_count++;                                                               \
		if (tap_facts == 0) {                                                      \
			printf("# %s asserts nothing\n", #fn);                             \
			tap_bad++;                                                         \
		}                                                                          \
		tap_failed += tap_bad != 0;                                                \
		printf("%sok %d - %s (%d facts)\n", tap_bad ? "not " : "", tap_count, #fn, tap_facts); \
		fflush(stdout);                                                            \
	} while (0)

#define ok(cond, ...)                                                       \
	do {                                                                \
		tap_facts++;                                                \
		if (!(cond)) {                                              \
			tap_bad++;                                          \
			printf("# %s:%d: %s: ", __FILE__, __LINE__, #cond); \
			printf(__VA_ARGS__);                                \
			printf("\n");                                       \
		}                                                           \
	} while (0)

#define is_int(got, want)                                                                                             \
	do {                                                                                                          \
		long long got_ = (long long)(got), want_ = (long long)(want);                                         \
		ok(got_ == want_, "got %lld, want %lld", got_, want_);                                                \
	} while (0)

#define is_str(got, want)                                                                    \
	do {                                                                                 \
		const char *got_ = (got), *want_ = (want);                                   \
		ok(strcmp(got_, want_) == 0, "got \"%s\", want \"%s\"", got_, want_);        \
	} while (0)

static inline int done(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed != 0;
}

#endif
