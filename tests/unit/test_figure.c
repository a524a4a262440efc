/* Figures: ticks, numbers, cells, widths; a panel without marks, values that are not finite, axes turned round, envelopes, spans. */
#include "model/figure.h"
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

static void draw(struct c4w_figure *f, enum c4w_term kind, unsigned columns, unsigned lines, unsigned panel, struct c4w_buf *b)
{
	struct c4w_fig_screen s = { kind, columns, lines, panel };
	c4w_buf_reset(b);
	ok(c4w_figure_terminal(f, &s, b, &err) == C4W_OK, "%s", err.message);
}

/* A group of one panel with marks. */
static struct c4w_fig_panel *box(struct c4w_figure *f, enum c4w_fig_kind kind, const char *title, double x1, double y1)
{
	struct c4w_fig_panel *p = c4w_figure_panel(c4w_figure_group(f, C4W_FIG_NUMBER, 0, x1), kind, title);
	p->group->x.label = "x";
	p->y.label = "y";
	p->y.hi = y1;
	return p;
}

static void test_plain(void)
{
	struct c4w_buf b = { 0 };
	struct c4w_figure f;
	struct c4w_fig_panel *p;
	c4w_figure_init(&f, 0);
	f.title = "title";
	p = box(&f, C4W_FIG_MARKS, "box", 10, 10);
	c4w_figure_mark(p, 0, 0, 0, C4W_FIG_DOT, NULL);
	c4w_figure_mark(p, 10, 10, 1, C4W_FIG_DOT, NULL);
	c4w_figure_mark(p, 5, 5, 0.5, C4W_FIG_FAINT, NULL);
	c4w_figure_mark(p, NAN, 5, 0.5, C4W_FIG_DOT, NULL);
	c4w_figure_mark(p, 5, INFINITY, 0.5, C4W_FIG_DOT, NULL);
	c4w_figure_mark(p, 99, 99, 0.5, C4W_FIG_DOT, NULL); /* outside */
	c4w_figure_mark(p, 2, 2, NAN, C4W_FIG_HERE, "7");
	is_int(p->n, 5);
	f.scale_label = "scale";
	f.scale_lo = -10;
	f.scale_hi = 10;
	draw(&f, C4W_TERM_PLAIN, 40, 20, 0, &b);
	check_width(&b, 40);
	ok(strstr(b.p, "title\n") == b.p, "title first");
	ok(strstr(b.p, "scale: -10 0123456789 10\n"), "the scale: %s", b.p);
	ok(strstr(b.p, "B7"), "a site with its name");
	ok(strchr(strstr(b.p, "\n\n"), '9'), "the largest value");
	draw(&f, C4W_TERM_UTF8, 40, 20, 0, &b);
	ok(!strstr(b.p, "\xE2"), "marks without colour are plain");
	c4w_figure_clear(&f);
	c4w_figure_clear(&f);
	c4w_buf_clear(&b);
}

static void test_sizes(void)
{
	static const unsigned columns[] = { 1, 20, 80, 160 };
	struct c4w_buf b = { 0 };
	struct c4w_figure f;
	enum c4w_term kind;
	size_t i, m, lines;
	for (i = 0; i < 4; i++)
		for (kind = C4W_TERM_PLAIN; kind <= C4W_TERM_TRUE; kind++) {
			c4w_figure_init(&f, 0);
			f.names[0] = "no";
			f.names[1] = "yes";
			f.scale_label = "which";
			for (m = 0; m < 3; m++) {
				struct c4w_fig_panel *p = box(&f, m ? C4W_FIG_MARKS : C4W_FIG_STEMS, "a long title that has to be cut somewhere, or so it seems", 1, 1);
				p->group->beside = m == 2;
				p->y.lo = 1;
				p->y.hi = 0; /* turned round */
				p->group->x.step = m ? 0.25 : 0;
				c4w_figure_mark(p, 1, 0, 1, C4W_FIG_DOT, "15");
				c4w_figure_mark(p, 0, 1, 0, C4W_FIG_DOT, "0");
				c4w_figure_mark(p, 1, 1, 0, C4W_FIG_SITE, "31");
			}
			draw(&f, kind, columns[i], 50, 0, &b);
			lines = check_width(&b, columns[i] < 50 ? 50 : columns[i]); /* two boxes do not get narrower */
			ok(lines >= 25 && lines <= 60, "%zu lines", lines);
			ok((strchr(b.p, '\033') != NULL) == (kind >= C4W_TERM_16), "escapes only in colour");
			c4w_figure_clear(&f);
		}
	c4w_buf_clear(&b);
}

/* Equal axes: a unit is as long up as across, a cell being twice as high as wide. */
static void test_equal(void)
{
	struct c4w_buf b = { 0 };
	struct c4w_figure f;
	const char *at;
	size_t rows = 0;
	c4w_figure_init(&f, 0);
	box(&f, C4W_FIG_MARKS, "", 4, 1)->group->equal = true;
	draw(&f, C4W_TERM_PLAIN, 8 + 80, 100, 0, &b);
	for (at = b.p; (at = strchr(at, '|')) != NULL; at++)
		rows++;
	is_int(rows, 10);
	c4w_figure_clear(&f);
	c4w_buf_clear(&b);
}

static struct c4w_fig_ticks ticks(enum c4w_fig_unit unit, double lo, double hi, double step, double want)
{
	struct c4w_fig_axis a = { .unit = unit, .lo = lo, .hi = hi, .step = step };
	return c4w_fig_ticks(&a, want);
}

static void test_ticks(void)
{
	struct c4w_fig_ticks t = ticks(C4W_FIG_NUMBER, -180, 180, 90, 3);
	char buf[32];
	ok(t.n == 5 && t.first == -180 && t.step == 90, "%zu: %g %g", t.n, t.first, t.step);
	t = ticks(C4W_FIG_NUMBER, 180, 0, 45, 3);
	ok(t.n == 5 && t.first == 0, "%zu: %g", t.n, t.first);
	t = ticks(C4W_FIG_NUMBER, 0, 1000, 0, 5);
	ok(t.n == 6 && t.step == 200, "%zu: %g", t.n, t.step);
	is_int(ticks(C4W_FIG_NUMBER, 0.1, 0.2, 1, 5).n, 0);
	t = ticks(C4W_FIG_NUMBER, -32768, 32767, 0, 3); /* not zero alone */
	ok(t.n == 3 && t.step == 20000, "%zu: %g", t.n, t.step);
	t = ticks(C4W_FIG_STEPS, 0, 1, 0, 10);
	ok(t.n == 2 && t.step == 1, "whole steps: %zu: %g", t.n, t.step);
	t = ticks(C4W_FIG_TIME, 0, 7200, 0, 4);
	ok(t.n == 5 && t.step == 1800 && strcmp(t.unit_name, "h") == 0, "%zu: %g %s", t.n, t.step, t.unit_name);
	is_str(c4w_fig_tick_text(&t, 1, buf), "0.5");
	t = ticks(C4W_FIG_TIME, 0.0001, 0.0009, 0, 4);
	ok(t.n == 4 && strcmp(t.unit_name, "ms") == 0, "%zu: %s", t.n, t.unit_name);
	is_str(c4w_fig_tick_text(&t, 0, buf), "0.2");
	t = ticks(C4W_FIG_NUMBER, 5, 5, 0, 4);
	ok(t.n == 1 && t.first == 5, "a flat range");
	t = ticks(C4W_FIG_NUMBER, -1.7e308, 1.7e308, 0, 4);
	is_int(t.n, 1);
	is_int(ticks(C4W_FIG_NUMBER, -8e307, 8.9e307, 0, 1).n, 1);
	is_int(ticks(C4W_FIG_NUMBER, 0, 5e-324, 0, 4).n, 1);
	is_int(ticks(C4W_FIG_NUMBER, -5e-324, 5e-324, 0, 4).n, 1);
}

/* Numbers are as long as their steps ask for: two steps are never written alike. */
static void test_numbers(void)
{
	static const struct {
		double v, step;
		const char *text;
	} all[] = { { 10008012, 12, "10008012" }, { 2147483647, 4e7, "2.15e+09" }, { 1234567890123, 1000, "1.23456789e+12" }, { 0.25, 0.05, "0.25" },
		    { 1e-20, 0.1, "0.0" }, { -1.25, 0.05, "-1.25" }, { 0.00001, 0.00001, "1e-05" }, { 1.5, 0.5, "1.5" }, { 3, 1, "3" } };
	char buf[32];
	size_t i;
	for (i = 0; i < sizeof all / sizeof *all; i++)
		is_str(c4w_fig_number(all[i].v, all[i].step, buf), all[i].text);
}

/* A peak within a column of dots is seen; a gap is one; names hold until the next; the screen's width need not be that of the bins. */
static void test_curve(void)
{
	static const char *const names[] = { "low", "high" };
	struct c4w_buf b = { 0 };
	struct c4w_figure f;
	struct c4w_fig_group *g;
	struct c4w_fig_panel *p;
	double x[1000], y[1000];
	size_t i;
	c4w_figure_init(&f, C4W_FIG_TERM_BINS(80));
	g = c4w_figure_group(&f, C4W_FIG_TIME, 0, 999);
	p = c4w_figure_panel(g, C4W_FIG_CURVE, "curve");
	for (i = 0; i < 1000; i++) {
		x[i] = (double)i;
		y[i] = i == 501 ? 8 : i > 700 && i < 800 ? (double)NAN : 0;
	}
	c4w_figure_curve(p, x, y, 1000);
	ok(p->y.hi == 8 && p->y.lo == 0, "its range");
	p = c4w_figure_panel(g, C4W_FIG_CURVE, "names");
	p->y.names = names;
	p->y.nnames = 2;
	y[1] = 1;
	c4w_figure_curve(p, x, y, 2);
	c4w_figure_panel(g, C4W_FIG_CURVE, "nothing");
	c4w_figure_span(g, "a span", 100, 200);
	c4w_figure_span(g, "a point with a long name", 300, 300);
	c4w_figure_span(g, "a span", 900, 5000);
	c4w_figure_span(g, "outside", 5000, 6000);
	is_int(g->nspans, 3);
	for (i = 0; i < 3; i++) {
		draw(&f, i == 2 ? C4W_TERM_PLAIN : C4W_TERM_UTF8, i == 1 ? 40 : 80, 40, 4, &b);
		check_width(&b, i == 1 ? 40 : 80);
		is_int(g->lanes, 2);
		ok(strstr(b.p, i == 2 ? "|'" : "⡇") || strstr(b.p, "⢸") || strstr(b.p, "||"), "the peak reaches the top: %s", b.p);
		ok(strstr(b.p, i == 2 ? "       high|" : "       high┤"), "a name as tick");
		ok(strstr(b.p, "no values"), "an empty panel says so");
		ok(strstr(b.p, "min\n"), "minutes");
		ok(strstr(b.p, "            a point with a long name\n"), "a long name on its own line");
		ok((strstr(b.p, "\xE2") != NULL) == (i < 2), "ASCII where there is no UTF-8");
	}
	c4w_figure_clear(&f);
	c4w_buf_clear(&b);
}

static int count_bytes(void *ctx, const uint8_t *p, size_t n, struct c4w_err *e)
{
	(void)e;
	c4w_buf_put(ctx, p, n);
	return C4W_OK;
}

/* Labels beyond the lanes are counted, in a time that does not grow with their square, and a picture of them is no higher than cairo draws. */
static void test_many_labels(void)
{
	enum { MANY = 200000 };
	struct c4w_buf b = { 0 };
	struct c4w_figure f;
	struct c4w_fig_group *g;
	size_t i;
	int cls;
	c4w_figure_init(&f, 100);
	g = c4w_figure_group(&f, C4W_FIG_TIME, 0, MANY);
	for (i = 0; i < MANY; i++)
		c4w_figure_span(g, c4w_figure_printf(&f, "label %zu", i), (double)i, (double)i + 1);
	draw(&f, C4W_TERM_PLAIN, 80, 40, 4, &b);
	is_int(g->lanes, 24);
	ok(strstr(b.p, "label 23\n") || strstr(b.p, "label 23|"), "the last lane: %s", b.p);
	ok(!strstr(b.p, "label 24") && strstr(b.p, "and 199976 more\n"), "the others: %s", b.p);
	cls = c4w_figure_draw(&f, C4W_FIG_PNG, 0, 0, count_bytes, &b, &err);
	ok(cls == C4W_OK || cls == C4W_UNSUPPORTED, "%s", err.message);
	c4w_figure_settle(&f, C4W_FIG_DRAW_LANES);
	is_int(g->lanes, C4W_FIG_DRAW_LANES);
	is_int(g->others, MANY - C4W_FIG_DRAW_LANES);
	c4w_figure_clear(&f);
	c4w_buf_clear(&b);
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
	static const char *const starts[] = { "<?xml", "\x89PNG", "%PDF" };
	enum c4w_fig_format format;
	struct c4w_figure f;
	struct c4w_fig_panel *p;
	double v[2] = { 0, 1 };
	int i, cls;
	ok(c4w_figure_format("a.SVG", &format) && format == C4W_FIG_SVG, "svg");
	ok(c4w_figure_format("a.png", &format) && format == C4W_FIG_PNG, "png");
	ok(c4w_figure_format("a.pdf", &format) && format == C4W_FIG_PDF, "pdf");
	ok(!c4w_figure_format("svg", &format) && !c4w_figure_format("a.gif", &format), "others");
	c4w_figure_init(&f, 100);
	p = box(&f, C4W_FIG_MARKS, "box", 1, 1);
	p->group->equal = true;
	c4w_figure_mark(p, 0.5, 0.5, 0.5, C4W_FIG_DOT, "0");
	c4w_figure_mark(p, 0.1, 0.5, 0.5, C4W_FIG_HERE, NULL);
	f.shape_names[C4W_FIG_HERE] = "here";
	p = c4w_figure_panel(c4w_figure_group(&f, C4W_FIG_TIME, 0, 1), C4W_FIG_CURVE, "curve");
	p->group->beside = true;
	c4w_figure_curve(p, v, v, 2);
	c4w_figure_span(p->group, "span", 0, 1);
	for (i = 0; i < 3; i++) {
		struct c4w_buf b = { 0 };
		cls = c4w_figure_draw(&f, (enum c4w_fig_format)i, 0, 0, count_bytes, &b, &err);
		ok(cls == C4W_OK || cls == C4W_UNSUPPORTED, "%s", err.message);
		ok(cls != C4W_OK || (b.n > 500 && memcmp(b.p, starts[i], strlen(starts[i])) == 0), "its first bytes");
		c4w_buf_clear(&b);
		cls = c4w_figure_draw(&f, (enum c4w_fig_format)i, 0, 0, refuse, NULL, &err);
		ok(cls == C4W_IO || cls == C4W_UNSUPPORTED, "%s", err.message);
	}
	cls = c4w_figure_draw(&f, C4W_FIG_PNG, 100000, 0, refuse, NULL, &err);
	ok(cls == C4W_LIMIT || cls == C4W_UNSUPPORTED, "%s", err.message);
	c4w_figure_clear(&f);
}

int main(void)
{
	RUN(test_plain);
	RUN(test_sizes);
	RUN(test_equal);
	RUN(test_ticks);
	RUN(test_numbers);
	RUN(test_curve);
	RUN(test_many_labels);
	RUN(test_files);
	return done();
}
