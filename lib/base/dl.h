/* Libraries that are opened at first use by their SONAME, through one table.
 *
 * Linking them would cost start-up time on every run (libcurl alone 5 ms, libzip with the libcrypto behind it 1.5 ms), or make a tool
 * that reads NPZ files need cairo.
 * Each entry carries an ELF .note.dlopen note (UAPI group, "Package Metadata for Dynamically Loaded Libraries"), so that packaging
 * tools see them. An absent library is C4W_UNSUPPORTED; message and hint name it and its Debian package.
 */
#ifndef C4W_BASE_DL_H
#define C4W_BASE_DL_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

enum c4w_dl_lib {
	C4W_DL_SNAPPY,
	C4W_DL_LZ4,
	C4W_DL_BROTLIDEC,
	C4W_DL_BROTLIENC,
	C4W_DL_ZLIB,
	C4W_DL_ZIP,
	C4W_DL_LZMA,
	C4W_DL_BLOSC,
	C4W_DL_PNG,
	C4W_DL_CAIRO,
	C4W_DL_CURL,
	C4W_DL_COUNT
};

/* Look up n symbols of a library, opening it (RTLD_NOW | RTLD_LOCAL) if nobody has. fns[i] becomes the address of names[i]:
 * fill a struct of function pointers through it. Thread-safe. A library stays open until the process ends.
 * On failure (no library, or one symbol missing) C4W_UNSUPPORTED and fns is all NULL. */
int c4w_dl_symbols(enum c4w_dl_lib lib, const char *const names[], void *fns[], size_t n, struct c4w_err *err) C4W_MUST_CHECK;

/* Can it be opened? For `--version` and for tests that skip. */
bool c4w_dl_present(enum c4w_dl_lib lib);

const char *c4w_dl_soname(enum c4w_dl_lib lib);  /* "libsnappy.so.1" */
const char *c4w_dl_package(enum c4w_dl_lib lib); /* "libsnappy1v5" */

#endif
