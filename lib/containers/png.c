/* Writing PNG with libpng. Its errors leave through longjmp: nothing that must be released is made between setjmp and the call. */
#include "containers/png.h"
#include "base/dl.h"

#include <png.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

struct fns {
	__typeof__(&png_create_write_struct) create_write_struct;
	__typeof__(&png_create_info_struct) create_info_struct;
	__typeof__(&png_destroy_write_struct) destroy_write_struct;
	__typeof__(&png_set_write_fn) set_write_fn;
	__typeof__(&png_set_IHDR) set_IHDR;
	__typeof__(&png_set_sRGB) set_sRGB;
	__typeof__(&png_set_text) set_text;
	__typeof__(&png_set_compression_level) set_compression_level;
	__typeof__(&png_set_filter) set_filter;
	__typeof__(&png_write_info) write_info;
	__typeof__(&png_set_swap) set_swap;
	__typeof__(&png_write_row) write_row;
	__typeof__(&png_write_end) write_end;
};

static const char *const names[] = {
	"png_create_write_struct", "png_create_info_struct",	    "png_destroy_write_struct", "png_set_write_fn",	   "png_set_IHDR",		    "png_set_sRGB",		"png_set_text",	     "png_set_compression_level",
	"png_set_filter",	   "png_write_info",		    "png_set_swap",		"png_write_row",     "png_write_end",
};

struct job {
	struct fns f;
	jmp_buf out_of;
	char why[120];
	struct c4w_buf *buf;
	png_structp png;
	png_infop info;
};

/* libpng hands its callbacks nothing but the struct, whose error pointer is the job. Looking the function up again keeps this file
 * without state of its own. */
static struct job *job_of(png_structp png)
{
	static const char *const name[] = { "png_get_error_ptr" };
	void *fn[1];
	__typeof__(&png_get_error_ptr) get;
	if (c4w_dl_symbols(C4W_DL_PNG, name, fn, 1, NULL) != C4W_OK)
		__builtin_trap(); /* it has been opened by whoever calls back */
	memcpy(&get, fn, sizeof get);
	return get(png);
}

static void on_error(png_structp png, png_const_charp text)
{
	struct job *j = job_of(png);
	snprintf(j->why, sizeof j->why, "%s", text);
	longjmp(j->out_of, 1);
}

static void on_warning(png_structp png, png_const_charp text)
{
	(void)png;
	(void)text;
}

static void on_write(png_structp png, png_bytep p, png_size_t n)
{
	c4w_buf_put(job_of(png)->buf, p, n);
}

static void on_flush(png_structp png)
{
	(void)png;
}

static void write_all(struct job *j, enum c4w_png_kind kind, uint32_t w, uint32_t h, const uint8_t *p, png_text *texts, int text_count)
{
	size_t stride = (size_t)w * (kind == C4W_PNG_RGB8 ? 3 : 2);
	uint32_t y;
	j->f.set_write_fn(j->png, j, on_write, on_flush);
	j->f.set_IHDR(j->png, j->info, w, h, kind == C4W_PNG_RGB8 ? 8 : 16, kind == C4W_PNG_RGB8 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY,
		      PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
	if (kind == C4W_PNG_RGB8)
		j->f.set_sRGB(j->png, j->info, PNG_sRGB_INTENT_PERCEPTUAL);
	if (text_count)
		j->f.set_text(j->png, j->info, texts, text_count);
	j->f.set_compression_level(j->png, 4); /* a third of the time of 6 for a few per cent */
	j->f.set_filter(j->png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB | PNG_FILTER_UP | PNG_FILTER_PAETH);
	j->f.write_info(j->png, j->info);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	if (kind == C4W_PNG_GREY16)
		j->f.set_swap(j->png);
#endif
	for (y = 0; y < h; y++)
		j->f.write_row(j->png, p + y * stride);
	j->f.write_end(j->png, j->info);
}

/* By itself, so that no variable lives on both sides of the jump. */
static __attribute__((noinline)) bool guarded(struct job *j, enum c4w_png_kind kind, uint32_t w, uint32_t h, const uint8_t *p, png_text *texts,
					      int text_count)
{
	if (setjmp(j->out_of))
		return false;
	write_all(j, kind, w, h, p, texts, text_count);
	return true;
}

int c4w_png_write(struct c4w_buf *out, enum c4w_png_kind kind, uint32_t w, uint32_t h, const void *pixels, const struct c4w_png_text *texts,
		  struct c4w_err *err)
{
	struct job *j = calloc(1, sizeof *j);
	png_text *pt = NULL;
	void *fns[sizeof names / sizeof *names];
	size_t i, n = 0;
	int cls;
	if (!j)
		return c4w_fail_memory(err, sizeof *j);
	cls = c4w_dl_symbols(C4W_DL_PNG, names, fns, sizeof names / sizeof *names, err);
	if (cls != C4W_OK)
		goto out;
	memcpy(&j->f, fns, sizeof fns);
	j->buf = out;
	for (n = 0; texts && texts[n].key; n++)
		;
	pt = calloc(n + 1, sizeof *pt);
	if (!pt) {
		cls = c4w_fail_memory(err, n * sizeof *pt);
		goto out;
	}
	for (i = 0; i < n; i++) {
		pt[i].compression = PNG_ITXT_COMPRESSION_NONE;
		pt[i].key = (char *)(uintptr_t)texts[i].key;
		pt[i].text = (char *)(uintptr_t)texts[i].text;
		pt[i].itxt_length = strlen(texts[i].text);
		pt[i].lang = (char *)(uintptr_t)"";
		pt[i].lang_key = (char *)(uintptr_t)"";
	}
	j->png = j->f.create_write_struct(PNG_LIBPNG_VER_STRING, j, on_error, on_warning);
	j->info = j->png ? j->f.create_info_struct(j->png) : NULL;
	if (!j->info) {
		cls = c4w_fail_memory(err, 0);
		goto out;
	}
	cls = guarded(j, kind, w, h, pixels, pt, (int)n) ? c4w_buf_ok(out, err) :
							    c4w_fail(err, C4W_UNSUPPORTED, "libpng can't write the picture: %s", j->why);
out:
	if (j->png)
		j->f.destroy_write_struct(&j->png, &j->info);
	free(pt);
	free(j);
	return cls;
}

bool c4w_png_size(const uint8_t *p, size_t n, uint32_t *w, uint32_t *h)
{
	if (n < 24 || memcmp(p, "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16) != 0)
		return false;
	*w = (uint32_t)p[16] << 24 | (uint32_t)p[17] << 16 | (uint32_t)p[18] << 8 | p[19];
	*h = (uint32_t)p[20] << 24 | (uint32_t)p[21] << 16 | (uint32_t)p[22] << 8 | p[23];
	return true;
}
