/* Plots: ticks, cells, widths; a plot without points, with values that are not finite, with axes turned round. */
#include "model/plot.h"
#include "tap.h"

#include <math.h>

static struct c4w_err err;

static size_t cells(const char *p, const char *end)
{
	size_t n = 0;
	for (; p < end; p++) {
		if (*p == '\033') {
			while (p < end && *p != 'm')
				p++;
			continue;
		}
		n += ((unsigned char)*p & 0xC0) != 0x80;
	}
	return n;
}

/* No line is wider than it may be; returns how many lines there are. */
static size_t check_width(const struct c4w_buf *b, unsigned columns)
{
	const char *p = b->p, *end;
	size_t lines = 0;
	for (; (end = strchr(p, '\n')) != NULL; p = end + 1, lines++)
		ok(cells(p, end) <= columns, "line %zu has %zu cells", lines, cells(p, end));
	ok(*p == 0, "ends in a newline");
	return lines;
}

static void draw(const struct c4w_plot *p, enum c4w_term kind, unsigned columns, unsigned lines, struct c4w_buf *b)
{
	c4w_buf_reset(b);
	ok(c4w_plot_term(p, kind, columns, lines, b, &err) == C4W_OK, "%s", err.message);
}

static void test_plain(void)
{
	struct c4w_buf b = { 0 };
	struct c4w_plot p;
	struct c4w_plot_box *box;
	c4w_plot_init(&p);
	p.title = "title";
	box = c4w_plot_axes(&p, "box", "x", "y");
	box->x1 = box->y1 = 10;
	c4w_plot_point(&p, box, 0, 0, 0, C4W_PLOT_DOT, NULL);
	c4w_plot_point(&p, box, 10, 10, 1, C4W_PLOT_DOT, NULL);
	c4w_plot_point(&p, box, 5, 5, 0.5, C4W_PLOT_FAINT, NULL);
	c4w_plot_point(&p, box, NAN, 5, 0.5, C4W_PLOT_DOT, NULL);
	c4w_plot_point(&p, box, 5, INFINITY, 0.5, C4W_PLOT_DOT, NULL);
	c4w_plot_point(&p, box, 99, 99, 0.5, C4W_PLOT_DOT, NULL); /* outside */
	c4w_plot_point(&p, box, 2, 2, NAN, C4W_PLOT_HERE, "7");
	is_int(box->n, 5);
	p.scale_label = "scale";
	p.lo = -10;
	p.hi = 10;
	draw(&p, C4W_TERM_PLAIN, 40, 20, &b);
	check_width(&b, 40);
	ok(strstr(b.p, "title\n") == b.p, "title first");
	ok(strstr(b.p, "scale: -10 0123456789 10\n"), "the scale: %s", b.p);
	ok(strstr(b.p, "B7"), "a site with its name");
	ok(strchr(strstr(b.p, "\n\n"), '9'), "the largest value");
	c4w_plot_clear(&p);
	c4w_plot_clear(&p);
	c4w_buf_clear(&b);
}

static void test_sizes(void)
{
	static const unsigned columns[] = { 20, 80, 160 };
	static const enum c4w_term kinds[] = { C4W_TERM_PLAIN, C4W_TERM_256, C4W_TERM_TRUE };
	struct c4w_buf b = { 0 };
	struct c4w_plot p;
	size_t i, k, m, lines;
	for (i = 0; i < 3; i++)
		for (k = 0; k < 3; k++) {
			struct c4w_plot_box *box;
			c4w_plot_init(&p);
			p.names[0] = "no";
			p.names[1] = "yes";
			p.scale_label = "which";
			for (m = 0; m < 3; m++) {
				box = c4w_plot_axes(&p, "a long title that has to be cut somewhere, or so it seems", "horizontal", "vertical");
				box->beside = m == 2;
				box->stems = m == 0;
				box->y0 = 1;
				box->y1 = 0; /* turned round */
				box->x_step = m ? 0.25 : 0;
				c4w_plot_point(&p, box, 1, 0, 1, C4W_PLOT_DOT, "15");
				c4w_plot_point(&p, box, 0, 1, 0, C4W_PLOT_DOT, "0");
				c4w_plot_point(&p, box, 1, 1, 0, C4W_PLOT_SITE, "31");
			}
			draw(&p, kinds[k], columns[i], 50, &b);
			lines = check_width(&b, columns[i] < 50 ? 50 : columns[i]); /* two boxes do not get narrower */
			ok(lines >= 25 && lines <= 60, "%zu lines", lines);
			ok((strchr(b.p, '\033') != NULL) == (kinds[k] != C4W_TERM_PLAIN), "escapes only in colour");
			c4w_plot_clear(&p);
		}
	c4w_buf_clear(&b);
}

/* Equal axes: a unit is as long up as across, a cell being twice as high as wide. */
static void test_equal(void)
{
	struct c4w_buf b = { 0 };
	struct c4w_plot p;
	struct c4w_plot_box *box;
	const char *at;
	size_t rows = 0;
	c4w_plot_init(&p);
	box = c4w_plot_axes(&p, "", "x", "y");
	box->x1 = 4;
	box->y1 = 1;
	box->equal = true;
	draw(&p, C4W_TERM_PLAIN, 8 + 80, 100, &b);
	for (at = b.p; (at = strchr(at, '|')) != NULL; at++)
		rows++;
	is_int(rows, 10);
	c4w_plot_clear(&p);
	c4w_buf_clear(&b);
}

static void test_ticks(void)
{
	double first, step;
	is_int(c4w_plot_ticks(-180, 180, 90, 3, &first, &step), 5);
	ok(first == -180 && step == 90, "%g %g", first, step);
	is_int(c4w_plot_ticks(180, 0, 45, 3, &first, &step), 5);
	ok(first == 0, "%g", first);
	ok(c4w_plot_ticks(0, 1000, 0, 5, &first, &step) == 6 && step == 200, "%g", step);
	is_int(c4w_plot_ticks(0.1, 0.2, 1, 5, &first, &step), 0);
}

static int count_bytes(void *ctx, const uint8_t *p, size_t n, struct c4w_err *e)
{
	(void)e;
	c4w_buf_put(ctx, p, n);
	return C4W_OK;
}

static int refuse(void *ctx, const uint8_t *p, size_t n, struct c4w_err *e)
{
	(void)ctx;
	(void)p;
	(void)n;
	return c4w_fail(e, C4W_IO, "full");
}

static void test_files(void)
{
	static const char *const starts[] = { "<?xml", "\x89PNG" };
	enum c4w_plot_format format;
	struct c4w_plot p;
	struct c4w_plot_box *box;
	int i, cls;
	ok(c4w_plot_format("a.SVG", &format) && format == C4W_PLOT_SVG, "svg");
	ok(c4w_plot_format("a.png", &format) && format == C4W_PLOT_PNG, "png");
	ok(!c4w_plot_format("svg", &format) && !c4w_plot_format("a.pdf", &format), "others");
	c4w_plot_init(&p);
	box = c4w_plot_axes(&p, "box", "x", "y");
	box->equal = true;
	c4w_plot_point(&p, box, 0.5, 0.5, 0.5, C4W_PLOT_DOT, "0");
	c4w_plot_point(&p, box, 0.1, 0.5, 0.5, C4W_PLOT_HERE, NULL);
	p.here_name = "here";
	for (i = 0; i < 2; i++) {
		struct c4w_buf b = { 0 };
		cls = c4w_plot_draw(&p, (enum c4w_plot_format)i, count_bytes, &b, &err);
		ok(cls == C4W_OK || cls == C4W_UNSUPPORTED, "%s", err.message);
		ok(cls != C4W_OK || (b.n > 500 && memcmp(b.p, starts[i], strlen(starts[i])) == 0), "its first bytes");
		c4w_buf_clear(&b);
		cls = c4w_plot_draw(&p, (enum c4w_plot_format)i, refuse, NULL, &err);
		ok(cls == C4W_IO || cls == C4W_UNSUPPORTED, "%s", err.message);
	}
	c4w_plot_clear(&p);
}

int main(void)
{
	RUN(test_plain);
	RUN(test_sizes);
	RUN(test_equal);
	RUN(test_ticks);
	RUN(test_files);
	return done();
}
