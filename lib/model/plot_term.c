/* Plots in the terminal. Boxes become blocks of lines, which are then put below or beside one another. See plot.h. */
#include "model/plot.h"

#include "model/figure.h" /* ticks */

#include <math.h>
#include <stdlib.h>

enum { GUTTER = 8, GAP = 2, LEAST = 16 };

static const struct c4w_rgb back = { 14, 16, 22 }, grid = { 38, 42, 52 }, faint = { 92, 96, 104 }, white = { 255, 255, 255 };

/* Lines of text that are all `width` cells wide. */
struct block {
	struct c4w_buf *line;
	size_t n;
	unsigned width;
};

struct area {
	const struct c4w_plot *p;
	const struct c4w_plot_box *b;
	enum c4w_term kind;
	unsigned w, h; /* cells */
	char *cell;    /* PLAIN: w x h characters */
};

static void blanks(struct c4w_buf *b, size_t n)
{
	while (n--)
		c4w_buf_putc(b, ' ');
}

/* Cells across and down, from 0 to 1. */
static double across(const struct area *a, double x)
{
	return (x - a->b->x0) / (a->b->x1 - a->b->x0);
}

static double down(const struct area *a, double y)
{
	return (a->b->y1 - y) / (a->b->y1 - a->b->y0);
}

static unsigned index_of(double t, unsigned n)
{
	double v = t * n;
	return v < 0 || !(v == v) ? 0 : v >= n ? n - 1 : (unsigned)v;
}

static bool inside(const struct area *a, const struct c4w_plot_point *q)
{
	double x = across(a, q->x), y = down(a, q->y);
	return x >= 0 && x <= 1 && y >= 0 && y <= 1;
}

/* ---- plain ---- */

static char plain_mark(const struct area *a, const struct c4w_plot_point *q)
{
	if (q->mark == C4W_PLOT_FAINT)
		return '.';
	if (q->mark == C4W_PLOT_SITE)
		return 'b';
	if (q->mark == C4W_PLOT_HERE)
		return 'B';
	if (a->p->names[0])
		return q->t >= 0.5 ? 'o' : 'x';
	return (char)('0' + index_of(q->t, 10));
}

static void plain(struct area *a)
{
	int pass;
	size_t i;
	memset(a->cell, ' ', (size_t)a->w * a->h);
	for (pass = 0; pass < 3; pass++)
		for (i = 0; i < a->b->n; i++) {
			const struct c4w_plot_point *q = &a->b->points[i];
			unsigned x = index_of(across(a, q->x), a->w), y = index_of(down(a, q->y), a->h), k;
			bool site = q->mark >= C4W_PLOT_SITE;
			if (!inside(a, q) || pass != (site ? 2 : q->mark == C4W_PLOT_FAINT ? 0 : 1))
				continue;
			if (a->b->stems)
				for (k = y + 1; k < a->h; k++)
					if (a->cell[(size_t)k * a->w + x] == ' ')
						a->cell[(size_t)k * a->w + x] = '|';
			a->cell[(size_t)y * a->w + x] = plain_mark(a, q);
			x += site; /* a dot's label stands in its place, a site's behind it */
			for (k = 0; q->label && q->label[k] && x + k < a->w; k++)
				a->cell[(size_t)y * a->w + x + k] = q->label[k];
		}
}

/* ---- colour ---- */

/* Values that fall on one pixel are shown as their mean. */
static int paint(const struct area *a, struct c4w_canvas *c, struct c4w_err *err)
{
	unsigned w = a->w, h = 2 * a->h, x, y, k, size = 1;
	size_t i, dots = 0, many = (size_t)w * h;
	float *sum = calloc(many, sizeof *sum), *count = calloc(many, sizeof *count);
	double first, step;
	if (!sum || !count) {
		free(sum);
		free(count);
		return c4w_fail_memory(err, many * sizeof *sum);
	}
	c4w_canvas_fill(c, back);
	for (i = 0, k = (unsigned)c4w_plot_ticks(a->b->x0, a->b->x1, a->b->x_step, w / 10, &first, &step); i < k; i++)
		for (y = 0; y < h; y++)
			c->px[(size_t)y * w + index_of(across(a, first + (double)i * step), w)] = grid;
	for (i = 0, k = (unsigned)c4w_plot_ticks(a->b->y0, a->b->y1, a->b->y_step, a->h / 4 + 1, &first, &step); i < k; i++)
		for (x = 0; x < w; x++)
			c->px[(size_t)index_of(down(a, first + (double)i * step), h) * w + x] = grid;
	for (i = 0; i < a->b->n; i++)
		dots += a->b->points[i].mark <= C4W_PLOT_FAINT;
	if (!a->b->stems && dots * 40 < many)
		size = 2;
	for (i = 0; i < a->b->n; i++) {
		const struct c4w_plot_point *q = &a->b->points[i];
		unsigned px = index_of(across(a, q->x), w), py = index_of(down(a, q->y), h);
		if (q->mark >= C4W_PLOT_SITE || !inside(a, q))
			continue;
		for (y = py; y < (a->b->stems ? h : py + size) && y < h; y++)
			for (x = px; x < px + size && x < w; x++) {
				if (q->mark == C4W_PLOT_FAINT && count[(size_t)y * w + x] == 0) {
					c->px[(size_t)y * w + x] = faint;
				} else if (q->mark == C4W_PLOT_DOT) {
					sum[(size_t)y * w + x] += (float)q->t;
					count[(size_t)y * w + x] += 1;
				}
			}
	}
	for (i = 0; i < many; i++)
		if (count[i] > 0)
			c->px[i] = c4w_plot_color(a->p, (double)(sum[i] / count[i]), true);
	free(sum);
	free(count);
	return C4W_OK;
}

/* Labels and sites are characters upon the picture. */
static int overlay(const struct area *a, struct c4w_cell_text **out, size_t *count, struct c4w_err *err)
{
	size_t i, n = 0;
	struct c4w_cell_text *v = calloc(a->b->n * 4 + 1, sizeof *v);
	unsigned k;
	int pass;
	*out = v;
	*count = 0;
	if (!v)
		return c4w_fail_memory(err, a->b->n * sizeof *v);
	for (pass = 0; pass < 2; pass++) /* the later one wins: the site it is about */
		for (i = 0; i < a->b->n; i++) {
			const struct c4w_plot_point *q = &a->b->points[i];
			unsigned x = index_of(across(a, q->x), a->w), y = index_of(down(a, q->y), a->h);
			if (!inside(a, q) || pass != (q->mark == C4W_PLOT_HERE))
				continue;
			if (a->b->stems && y)
				y--;
			if (q->mark >= C4W_PLOT_SITE)
				v[n++] = (struct c4w_cell_text){ x, y, q->mark == C4W_PLOT_HERE ? "\xE2\x96\xB2" : "\xE2\x96\xB3", white, 0 };
			if (q->mark >= C4W_PLOT_SITE)
				x++;
			else if (q->label && !a->b->stems) /* beside its dot of two cells */
				x = x + 2 + strlen(q->label) <= a->w ? x + 2 : x - (unsigned)strlen(q->label);
			for (k = 0; q->label && q->label[k] && k < 3 && x + k < a->w; k++) {
				v[n] = (struct c4w_cell_text){ x + k, y, "", q->mark >= C4W_PLOT_SITE ? white : c4w_rgb_mix(c4w_plot_color(a->p, q->t, true), white, 0.45), 1 };
				v[n++].glyph = q->label + k;
			}
		}
	*count = n;
	return C4W_OK;
}

/* ---- a box ---- */

static int rows_of(struct area *a, struct c4w_buf *rows, struct c4w_err *err)
{
	struct c4w_canvas c = { 0 };
	struct c4w_cell_text *texts = NULL;
	size_t n = 0;
	unsigned y;
	int cls;
	if (a->kind == C4W_TERM_PLAIN) {
		a->cell = malloc((size_t)a->w * a->h);
		if (!a->cell)
			return c4w_fail_memory(err, (size_t)a->w * a->h);
		plain(a);
		for (y = 0; y < a->h; y++) {
			c4w_buf_put(rows, a->cell + (size_t)y * a->w, a->w);
			c4w_buf_putc(rows, '\n');
		}
		free(a->cell);
		return c4w_buf_ok(rows, err);
	}
	C4W_TRY(c4w_canvas_init(&c, a->w, 2 * a->h, err));
	cls = paint(a, &c, err);
	if (cls == C4W_OK)
		cls = overlay(a, &texts, &n, err);
	if (cls == C4W_OK)
		c4w_canvas_cells(&c, a->kind, texts, n, rows);
	free(texts);
	c4w_canvas_clear(&c);
	return cls == C4W_OK ? c4w_buf_ok(rows, err) : cls;
}

/* A text cut to w cells and padded; ASCII in cells, or UTF-8 whose bytes count as cells only where they begin one. */
static void fit(struct c4w_buf *b, const char *text, size_t w)
{
	size_t used = 0;
	while (*text && used < w) {
		c4w_buf_putc(b, *text++);
		while (((unsigned char)*text & 0xC0) == 0x80)
			c4w_buf_putc(b, *text++);
		used++;
	}
	blanks(b, w - used);
}

static void x_axis(const struct area *a, struct c4w_buf *line, struct c4w_buf *labels)
{
	bool ascii = a->kind == C4W_TERM_PLAIN;
	double first, step;
	size_t n = c4w_plot_ticks(a->b->x0, a->b->x1, a->b->x_step, a->w / 10, &first, &step), i, used = 0;
	unsigned x;
	blanks(line, GUTTER - 1);
	c4w_buf_puts(line, ascii ? "+" : "└");
	for (x = 0; x < a->w; x++) {
		bool tick = false;
		for (i = 0; i < n; i++)
			tick |= index_of(across(a, first + (double)i * step), a->w) == x;
		c4w_buf_puts(line, tick ? (ascii ? "+" : "┴") : ascii ? "-" : "─");
	}
	blanks(labels, GUTTER);
	for (i = 0; i < n; i++) {
		char text[32];
		size_t len, at;
		c4w_tick_text(first + (double)i * step, step, text);
		len = strlen(text);
		at = index_of(across(a, first + (double)i * step), a->w);
		at = at > len / 2 ? at - len / 2 : 0;
		at = at + len > a->w ? a->w - len : at;
		if (i && at <= used)
			continue;
		blanks(labels, at - used);
		c4w_buf_puts(labels, text);
		used = at + len;
	}
	blanks(labels, a->w - used);
}

static int make_block(const struct c4w_plot *p, const struct c4w_plot_box *b, enum c4w_term kind, unsigned width, unsigned height, struct block *out,
		      struct c4w_err *err)
{
	struct area a = { .p = p, .b = b, .kind = kind, .w = width - GUTTER, .h = height };
	struct c4w_buf rows = { 0 };
	double first, step;
	size_t n = c4w_plot_ticks(b->y0, b->y1, b->y_step, height / 4 + 1, &first, &step), i;
	const char *at, *end;
	unsigned y;
	int cls;
	out->n = height + 5;
	out->width = width;
	out->line = calloc(out->n, sizeof *out->line);
	if (!out->line)
		return c4w_fail_memory(err, out->n);
	fit(&out->line[0], b->title, width);
	fit(&out->line[1], b->y_label, width);
	cls = rows_of(&a, &rows, err);
	for (y = 0, at = rows.p; cls == C4W_OK && y < height; y++, at = end + 1) {
		struct c4w_buf *line = &out->line[y + 2];
		char text[32] = "";
		for (i = 0; i < n; i++)
			if (index_of(down(&a, first + (double)i * step), height) == y)
				c4w_tick_text(first + (double)i * step, step, text);
		blanks(line, strlen(text) < GUTTER - 1 ? GUTTER - 1 - strlen(text) : 0);
		c4w_buf_puts(line, text);
		c4w_buf_puts(line, kind == C4W_TERM_PLAIN ? "|" : *text ? "┤" : "│");
		end = strchr(at, '\n');
		c4w_buf_put(line, at, (size_t)(end - at));
	}
	c4w_buf_clear(&rows);
	if (cls != C4W_OK)
		return cls;
	x_axis(&a, &out->line[height + 2], &out->line[height + 3]);
	n = strlen(b->x_label) < a.w ? (a.w - strlen(b->x_label)) / 2 : 0;
	blanks(&out->line[height + 4], GUTTER + n);
	fit(&out->line[height + 4], b->x_label, a.w - n);
	return C4W_OK;
}

static void free_block(struct block *b)
{
	size_t i;
	for (i = 0; b->line && i < b->n; i++)
		c4w_buf_clear(&b->line[i]);
	free(b->line);
	*b = (struct block){ 0 };
}

/* ---- the legend ---- */

static void swatch(const struct c4w_plot *p, enum c4w_term kind, double t, unsigned n, struct c4w_buf *out)
{
	struct c4w_canvas c = { 0 };
	struct c4w_buf b = { 0 };
	unsigned i;
	if (c4w_canvas_init(&c, n, 2, NULL) != C4W_OK)
		return;
	for (i = 0; i < 2 * n; i++)
		c.px[i] = c4w_plot_color(p, t >= 0 ? t : (double)(i % n) / (n > 1 ? n - 1 : 1), true);
	c4w_canvas_cells(&c, kind, NULL, 0, &b);
	c4w_buf_put(out, b.p ? b.p : "", b.n ? b.n - 1 : 0); /* without its newline */
	c4w_buf_clear(&b);
	c4w_canvas_clear(&c);
}

static void legend(const struct c4w_plot *p, enum c4w_term kind, struct c4w_buf *out)
{
	bool ascii = kind == C4W_TERM_PLAIN;
	char lo[32], hi[32];
	bool used = !ascii; /* plain: a dot that has a label shows that, not its value */
	size_t i, k;
	for (i = 0; i < p->boxes; i++)
		for (k = 0; k < p->box[i].n; k++)
			used |= p->box[i].points[k].mark == C4W_PLOT_DOT && !p->box[i].points[k].label;
	if (used && p->names[0]) {
		c4w_buf_printf(out, "%s:", p->scale_label);
		for (k = 2; k-- > 0;) {
			c4w_buf_puts(out, "  ");
			if (ascii)
				c4w_buf_putc(out, k ? 'o' : 'x');
			else
				swatch(p, kind, (double)k, 2, out);
			c4w_buf_printf(out, " %s", p->names[k]);
		}
		c4w_buf_putc(out, '\n');
	} else if (used && p->scale_label) {
		c4w_tick_text(p->lo, (p->hi - p->lo) / 10, lo);
		c4w_tick_text(p->hi, (p->hi - p->lo) / 10, hi);
		c4w_buf_printf(out, "%s: %s ", p->scale_label, lo);
		if (ascii)
			c4w_buf_puts(out, "0123456789");
		else
			swatch(p, kind, -1, 24, out);
		c4w_buf_printf(out, " %s\n", hi);
	}
	if (p->sites || p->faint) {
		if (p->sites && p->here_name)
			c4w_buf_printf(out, "%s %s  ", ascii ? "B" : "▲", p->here_name);
		if (p->sites && p->site_name)
			c4w_buf_printf(out, "%s %s  ", ascii ? "b" : "△", p->site_name);
		if (p->faint && p->faint_name)
			c4w_buf_printf(out, "%s %s", ascii ? "." : "grey:", p->faint_name);
		while (out->n && out->p[out->n - 1] == ' ')
			out->n--;
		c4w_buf_putc(out, '\n');
	}
}

/* How many lines a box of this width should have: as its axes' scale wants it, or its share. */
static unsigned height_of(const struct c4w_plot_box *b, unsigned width, unsigned share)
{
	double cells = (double)(width - GUTTER) * fabs((b->y1 - b->y0) / (b->x1 - b->x0)) / 2;
	if (!b->equal || !(cells > 0))
		return share < 6 ? 6 : share;
	return cells < 6 ? 6 : cells > share ? (share < 6 ? 6 : share) : (unsigned)(cells + 0.5);
}

int c4w_plot_term(const struct c4w_plot *p, enum c4w_term kind, unsigned columns, unsigned lines, struct c4w_buf *out, struct c4w_err *err)
{
	size_t i, k, row, rows = 0;
	unsigned share;
	if (p->failed)
		return c4w_fail_memory(err, 0);
	for (i = 0; i < p->boxes; i++)
		rows += !p->box[i].beside;
	share = rows && lines > 6 + 6 * rows ? (unsigned)((lines - 6 - 6 * rows) / rows) : 6;
	if (*p->title)
		c4w_buf_printf(out, kind == C4W_TERM_PLAIN ? "%s\n" : "\033[1m%s\033[0m\n", p->title);
	if (*p->subtitle)
		c4w_buf_printf(out, "%s\n", p->subtitle);
	c4w_buf_putc(out, '\n');
	for (i = 0; i < p->boxes; i += k) {
		struct block block[4] = { { NULL, 0, 0 } };
		unsigned width, height = 0;
		int cls = C4W_OK;
		for (k = 1; i + k < p->boxes && p->box[i + k].beside; k++)
			;
		width = (unsigned)((columns - (k - 1) * GAP) / k);
		width = width < GUTTER + LEAST ? GUTTER + LEAST : width;
		for (row = 0; row < k; row++) {
			const struct c4w_plot_box *b = &p->box[i + row];
			unsigned h = height_of(b, width, share), w = width;
			/* Too high for the screen: narrower, so that the scale stays the same. */
			if (b->equal && b->y1 != b->y0) {
				double across_cells = 2 * h * fabs((b->x1 - b->x0) / (b->y1 - b->y0));
				if (across_cells + GUTTER < w && across_cells >= LEAST)
					w = (unsigned)across_cells + GUTTER;
			}
			height = row ? height : h;
			cls = make_block(p, b, kind, w, height, &block[row], err);
			if (cls != C4W_OK)
				break;
		}
		for (row = 0; cls == C4W_OK && row < height + 5; row++) {
			size_t m;
			for (m = 0; m < k; m++) {
				if (m)
					blanks(out, GAP);
				c4w_buf_put(out, block[m].line[row].p, block[m].line[row].n);
			}
			while (out->n && out->p[out->n - 1] == ' ')
				out->n--;
			c4w_buf_putc(out, '\n');
		}
		for (row = 0; row < k; row++)
			free_block(&block[row]);
		if (cls != C4W_OK)
			return cls;
		c4w_buf_putc(out, '\n');
	}
	legend(p, kind, out);
	return c4w_buf_ok(out, err);
}
