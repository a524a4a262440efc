/* Canvas, colours, terminal drawing, PNG. */
#include "base/dl.h"
#include "containers/png.h"
#include "model/canvas.h"
#include "tap.h"

static struct c4w_err err;

static void test_draw(void)
{
	struct c4w_canvas c, half;
	struct c4w_rgb red = { 255, 0, 0 };
	ok(c4w_canvas_init(&c, 0, 5, &err) == C4W_LIMIT, "no width");
	ok(c4w_canvas_init(&c, 1u << 20, 1u << 20, &err) == C4W_LIMIT, "too large");
	is_int(c4w_canvas_init(&c, 8, 4, &err), C4W_OK);
	c4w_canvas_blend(&c, -1, 0, red, 1);
	c4w_canvas_blend(&c, 8, 0, red, 1);
	c4w_canvas_disc(&c, -100, -100, 5, red, 1);
	is_int(c.px[0].r, 0);
	c4w_canvas_blend(&c, 2, 1, red, 1);
	is_int(c.px[8 + 2].r, 255);
	c4w_canvas_fill(&c, (struct c4w_rgb){ 10, 20, 30 });
	c4w_canvas_line(&c, 0, 2, 8, 2, 2, red);
	is_int(c.px[8 + 4].r, 255);
	is_int(c.px[2 * 8 + 4].r, 255);
	ok(c.px[4].r < 255, "the line is two pixels wide");
	is_int(c4w_canvas_init(&half, 4, 2, &err), C4W_OK);
	c4w_canvas_fill(&c, (struct c4w_rgb){ 0, 0, 0 });
	c4w_canvas_blend(&c, 0, 0, (struct c4w_rgb){ 200, 200, 200 }, 1);
	c4w_canvas_resize(&c, &half);
	is_int(half.px[0].g, 50);
	is_int(half.px[1].g, 0);
	c4w_canvas_clear(&c);
	c4w_canvas_clear(&c);
	c4w_canvas_clear(&half);
}

static void test_colors(void)
{
	struct c4w_rgb w = c4w_rgb_oklch(1, 0, 0), k = c4w_rgb_oklch(0, 0, 0);
	int i;
	double last = -1;
	ok(w.r == 255 && w.g == 255 && w.b == 255, "white is %u %u %u", w.r, w.g, w.b);
	ok(k.r == 0 && k.g == 0 && k.b == 0, "black");
	for (i = 0; i <= 20; i++) {
		struct c4w_rgb c = c4w_colormap_even(i / 20.0);
		double y = 0.2126 * c.r + 0.7152 * c.g + 0.0722 * c.b;
		ok(y > last, "step %d is lighter than the one before", i);
		last = y;
	}
}

static void test_terminal(void)
{
	struct c4w_canvas c;
	struct c4w_buf b = { 0 };
	is_int(c4w_term_kind(true, "xterm", "truecolor", "de_DE.UTF-8"), C4W_TERM_TRUE);
	is_int(c4w_term_kind(true, "xterm-256color", NULL, "C.UTF-8"), C4W_TERM_256);
	is_int(c4w_term_kind(true, "xterm-256color", NULL, "C"), C4W_TERM_PLAIN);
	is_int(c4w_term_kind(false, "xterm-256color", "truecolor", "C.UTF-8"), C4W_TERM_UTF8);
	is_int(c4w_term_kind(true, "dumb", "truecolor", "C.UTF-8"), C4W_TERM_16);
	is_int(c4w_term_kind(true, "xterm", NULL, "C.UTF-8"), C4W_TERM_16);
	is_int(c4w_term_kind(true, NULL, NULL, NULL), C4W_TERM_PLAIN);
	is_int(c4w_canvas_init(&c, 2, 3, &err), C4W_OK);
	c4w_canvas_fill(&c, (struct c4w_rgb){ 255, 255, 255 });
	c.px[2] = (struct c4w_rgb){ 255, 0, 0 };
	c4w_canvas_term(&c, C4W_TERM_TRUE, &b);
	ok(strstr(b.p, "\033[38;2;255;255;255m\033[48;2;255;0;0m\xE2\x96\x80\033[48;2;255;255;255m\xE2\x96\x80\033[0m\n") == b.p, "%s", b.p);
	c4w_buf_reset(&b);
	c4w_canvas_term(&c, C4W_TERM_256, &b);
	ok(strstr(b.p, "38;5;231m") && strstr(b.p, "48;5;196m"), "%s", b.p);
	c4w_buf_reset(&b);
	c4w_canvas_term(&c, C4W_TERM_PLAIN, &b);
	is_str(b.p, "*@\n@@\n");
	c4w_buf_clear(&b);
	c4w_canvas_clear(&c);
}

static void test_png(void)
{
	static const uint16_t grey[4] = { 0, 1, 256, 65535 };
	static const uint8_t rgb[12] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
	static const struct c4w_png_text texts[] = { { "Title", "x" }, { NULL, NULL } };
	struct c4w_buf b = { 0 };
	uint32_t w, h;
	int cls = c4w_png_write(&b, C4W_PNG_RGB8, 2, 2, rgb, texts, &err);
	if (!c4w_dl_present(C4W_DL_PNG)) {
		is_int(cls, C4W_UNSUPPORTED);
		return;
	}
	ok(cls == C4W_OK, "%s", err.message);
	ok(c4w_png_size((uint8_t *)b.p, b.n, &w, &h) && w == 2 && h == 2, "size");
	ok(!c4w_png_size((uint8_t *)b.p, 23, &w, &h), "too short");
	c4w_buf_reset(&b);
	is_int(c4w_png_write(&b, C4W_PNG_GREY16, 4, 1, grey, NULL, &err), C4W_OK);
	is_int(b.p[24], 16); /* bit depth */
	c4w_buf_reset(&b);
	is_int(c4w_png_write(&b, C4W_PNG_RGB8, 0, 2, rgb, NULL, &err), C4W_UNSUPPORTED); /* through libpng's longjmp */
	c4w_buf_clear(&b);
}

int main(void)
{
	RUN(test_draw);
	RUN(test_colors);
	RUN(test_terminal);
	RUN(test_png);
	return done();
}
