/* The table of libraries opened at first use, their ELF notes, and the opening. */
#include "base/dl.h"

#include <dlfcn.h>
#include <stdatomic.h>

/* id, feature, what for, soname, Debian package. The notes and the table come from the same lines. */
#define DL_TABLE(X)                                                                                          \
	X(SNAPPY, "snappy", "snappy pages in Parquet", "libsnappy.so.1", "libsnappy1v5")                     \
	X(LZ4, "lz4", "LZ4 pages in Parquet", "liblz4.so.1", "liblz4-1")                                     \
	X(BROTLIDEC, "brotli-decode", "reading brotli pages in Parquet", "libbrotlidec.so.1", "libbrotli1")  \
	X(BROTLIENC, "brotli-encode", "writing brotli pages in Parquet", "libbrotlienc.so.1", "libbrotli1")  \
	X(ZLIB, "zlib", "streamed deflate data", "libz.so.1", "zlib1g")                                      \
	X(ZIP, "zip", "bzip2, xz and other rare entries of ZIP archives", "libzip.so.4", "libzip4")          \
	X(LZMA, "lzma", "LZMA entries of ZIP archives", "liblzma.so.5", "liblzma5")                          \
	X(BLOSC, "blosc", "Blosc chunks in Zarr arrays", "libblosc.so.1", "libblosc1")                       \
	X(PNG, "png", "PNG images", "libpng16.so.16", "libpng16-16")                                         \
	X(CAIRO, "cairo", "drawing plots", "libcairo.so.2", "libcairo2")                                     \
	X(CURL, "curl", "reading from HTTP servers", "libcurl.so.4", "libcurl4")

/* One ELF note: owner "FDO", type 0x407c0c0a, a JSON array of one object, padded to four bytes. */
#define DL_NOTE_JSON(feature, what, soname)                                                  \
	"[{\"feature\":\"" feature "\",\"description\":\"" what "\",\"priority\":\"suggested\"," \
	"\"soname\":[\"" soname "\"]}]"
#define DL_NOTE(id, feature, what, soname, package)                                             \
	static const struct {                                                                   \
		uint32_t name_bytes, json_bytes, type;                                          \
		char name[4];                                                                   \
		char json[(sizeof(DL_NOTE_JSON(feature, what, soname)) + 3) / 4 * 4];           \
	} note_##id __attribute__((used, aligned(4), section(".note.dlopen"))) = {              \
		4, sizeof(DL_NOTE_JSON(feature, what, soname)), 0x407c0c0aU, "FDO",             \
		DL_NOTE_JSON(feature, what, soname)                                             \
	};
DL_TABLE(DL_NOTE)

static const struct dl_entry {
	const char *what, *soname, *package;
} table[C4W_DL_COUNT] = {
#define DL_ENTRY(id, feature, what, soname, package) [C4W_DL_##id] = { what, soname, package },
	DL_TABLE(DL_ENTRY)
};

/* What has been opened, by library: the one memory of this module. Two threads that meet here both call dlopen, which counts; the
 * loser gives its reference back. Failures are not remembered. */
static _Atomic(void *) handles[C4W_DL_COUNT];

static void *open_once(enum c4w_dl_lib lib)
{
	void *h = atomic_load_explicit(&handles[lib], memory_order_acquire);
	void *none = NULL;

	if (h != NULL)
		return h;
	h = dlopen(table[lib].soname, RTLD_NOW | RTLD_LOCAL);
	if (h != NULL && !atomic_compare_exchange_strong(&handles[lib], &none, h)) {
		dlclose(h);
		h = none;
	}
	return h;
}

int c4w_dl_symbols(enum c4w_dl_lib lib, const char *const names[], void *fns[], size_t n, struct c4w_err *err)
{
	const struct dl_entry *e = &table[lib];
	void *h = open_once(lib);
	size_t i, k;

	for (i = 0; i < n; i++)
		fns[i] = NULL;
	if (h == NULL) {
		c4w_fail(err, C4W_UNSUPPORTED, "%s (needed for %s) is not installed", e->soname, e->what);
		c4w_err_hint(err, "install the Debian package %s", e->package);
		return C4W_UNSUPPORTED;
	}
	for (i = 0; i < n; i++) {
		fns[i] = dlsym(h, names[i]);
		if (fns[i] == NULL) {
			for (k = 0; k < i; k++)
				fns[k] = NULL;
			c4w_fail(err, C4W_UNSUPPORTED, "%s (needed for %s) has no function %s", e->soname, e->what, names[i]);
			c4w_err_hint(err, "install a newer version of the Debian package %s", e->package);
			return C4W_UNSUPPORTED;
		}
	}
	return C4W_OK;
}

bool c4w_dl_present(enum c4w_dl_lib lib)
{
	return open_once(lib) != NULL;
}

const char *c4w_dl_soname(enum c4w_dl_lib lib)
{
	return table[lib].soname;
}

const char *c4w_dl_package(enum c4w_dl_lib lib)
{
	return table[lib].package;
}
