#include "tap.h"

#include "base/dl.h"

static void test_symbols(void)
{
	struct c4w_err err;
	static const char *const names[] = { "zlibVersion", "crc32" }, *const wrong[] = { "zlibVersion", "no_such_function" };
	void *fns[2];
	union {
		void *p;
		const char *(*fn)(void);
	} version;
	int i;

	ok(c4w_dl_present(C4W_DL_ZLIB), "libzip and libpng need it, so it is here");
	for (i = 0; i < 2; i++) {
		is_int(c4w_dl_symbols(C4W_DL_ZLIB, names, fns, 2, &err), C4W_OK);
		version.p = fns[0];
		ok(version.fn()[0] == '1', "zlib's version");
	}
	is_int(c4w_dl_symbols(C4W_DL_ZLIB, wrong, fns, 2, &err), C4W_UNSUPPORTED);
	ok(fns[0] == NULL && fns[1] == NULL, "nothing is left of a failed look-up");
	ok(strstr(err.message, "no_such_function") != NULL, "%s", err.message);
	ok(strstr(err.hint, "zlib1g") != NULL, "%s", err.hint);
}

static void test_table(void)
{
	int i;

	for (i = 0; i < C4W_DL_COUNT; i++) {
		struct c4w_err err;
		static const char *const name[] = { "no_such_function" };
		void *fn;

		ok(strncmp(c4w_dl_soname((enum c4w_dl_lib)i), "lib", 3) == 0, "soname %d", i);
		ok(c4w_dl_package((enum c4w_dl_lib)i)[0] != '\0', "package %d", i);
		/* installed or not, the class is the same and the hint names the package */
		is_int(c4w_dl_symbols((enum c4w_dl_lib)i, name, &fn, 1, &err), C4W_UNSUPPORTED);
		ok(strstr(err.hint, c4w_dl_package((enum c4w_dl_lib)i)) != NULL, "%s", err.hint);
	}
}

int main(void)
{
	RUN(test_symbols);
	RUN(test_table);
	return done();
}
