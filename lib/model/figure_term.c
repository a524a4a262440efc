/* Figures in the terminal: curves in braille characters, two by four dots each; marks as half blocks in colour; both in ASCII where the
 * terminal has neither. Each group becomes a block of lines, and blocks are put below or beside one another. See figure.h. */
#include "model/figure.h"

#include <math.h>
#include <stdlib.h>

enum { MARK_GUTTER = 8, GAP = 2, LEAST = 16 };

static const struct c4w_rgb back = { 14, 16, 22 }, grid = { 38, 42, 52 }, faint = { 92, 96, 104 }, white = { 255, 255, 255 };
static const char *const curve_colors[] = { "36", "33", "32", "35", "34", "31" };

/* A group being drawn. */
struct pane {
	const struct c4w_figure *f;
	const struct c4w_fig_group *g;
	enum c4w_term kind;
	bool ascii;      /* no character beyond it */
	unsigned gutter; /* cells left of a panel, its axis included */
	unsigned w, h;   /* cells of a panel */
	struct c4w_buf *out;
	struct c4w_err *err;
};

/* ---- text ---- */

static void blanks(struct c4w_buf *b, size_t n)
{
	while (n--)
		c4w_buf_putc(b, ' ');
}

static size_t width_of(const char *z)
{
	return c4w_text_width(z, strlen(z));
}

/* The cells of a line that may set colours. */
static size_t cells(const char *p, size_t n)
{
	size_t i, from = 0, sum = 0;

	for (i = 0; i < n; i++)
		if (p[i] == '\033') {
			sum += c4w_text_width(p + from, i - from);
			while (i < n && p[i] != 'm')
				i++;
			from = i + 1;
		}
	return from < n ? sum + c4w_text_width(p + from, n - from) : sum;
}

/* A text in at most `width` cells; what is cut ends in dots, where there is room for such. */
static void put_cut(struct c4w_buf *b, const char *text, size_t width, bool ascii)
{
	size_t n = strlen(text), at = c4w_text_cut(text, n, width);

	if (at < n && !ascii)
		at = c4w_text_cut(text, n, width - 1);
	c4w_buf_put(b, text, at);
	if (at < n && !ascii)
		c4w_buf_puts(b, "…");
}

static void bold(const struct pane *a, bool on)
{
	if (a->kind >= C4W_TERM_16)
		c4w_buf_puts(a->out, on ? "\033[1m" : "\033[0m");
}

static void end_line(struct c4w_buf *b)
{
	while (b->n && b->p[b->n - 1] == ' ')
		b->n--;
	c4w_buf_putc(b, '\n');
}

/* Text right-aligned in the gutter, then the axis. */
static void gutter(const struct pane *a, const char *text, const char *axis)
{
	size_t w = width_of(text);

	blanks(a->out, w < a->gutter - 1 ? a->gutter - 1 - w : 0);
	c4w_buf_puts(a->out, text);
	c4w_buf_puts(a->out, axis);
}

/* The one of n cells or dots in which a fraction of an axis lies. */
static unsigned index_of(double t, unsigned n)
{
	double v = t * n;

	return v < 0 || !(v == v) ? 0 : v >= n ? n - 1 : (unsigned)v;
}

/* ---- curves ---- */

/* The bins of one column of dots, as one. */
static struct c4w_fig_bin column(const struct c4w_fig_panel *p, size_t bins, unsigned x, unsigned width)
{
	size_t i = (size_t)x * bins / width, end = (size_t)(x + 1) * bins / width;
	struct c4w_fig_bin all = p->bins[i];

	while (++i < end) {
		const struct c4w_fig_bin *b = &p->bins[i];

		if (!b->any)
			continue;
		if (!all.any) {
			all = *b;
			continue;
		}
		all.lo = fmin(all.lo, b->lo);
		all.hi = fmax(all.hi, b->hi);
		all.last = b->last;
	}
	return all;
}

/* A braille cell each. */
static void set_dots(const struct pane *a, const struct c4w_fig_panel *p, uint8_t *dots)
{
	static const uint8_t bit[4][2] = { { 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 }, { 0x40, 0x80 } };
	unsigned width = a->w * 2, height = a->h * 4, x, y, top, end, before = 0;
	bool have = false;

	for (x = 0; x < width; x++) {
		struct c4w_fig_bin b = column(p, a->f->bins, x, width);

		if (!b.any) {
			have = false;
			continue;
		}
		top = index_of(c4w_fig_down(&p->y, b.hi), height);
		end = index_of(c4w_fig_down(&p->y, b.lo), height);
		if (have && b.joined) { /* reach the column before */
			if (before < top)
				top = before + 1;
			else if (before > end)
				end = before - 1;
		}
		for (y = top; y <= end; y++)
			dots[(size_t)(y / 4) * a->w + x / 2] |= bit[y % 4][x % 2];
		before = index_of(c4w_fig_down(&p->y, b.last), height);
		have = true;
	}
}

static void put_dots(const struct pane *a, uint8_t d, struct c4w_buf *out)
{
	enum { UPPER = 0x1b, LOWER = 0xe4 };
	char utf8[3] = { (char)0xe2, (char)(0xa0 | d >> 6), (char)(0x80 | (d & 0x3f)) };

	if (!d)
		c4w_buf_putc(out, ' ');
	else if (!a->ascii)
		c4w_buf_put(out, utf8, 3);
	else
		c4w_buf_putc(out, !(d & LOWER) ? '\'' : d & UPPER ? '|' : '.');
}

static int curve_rows(const struct pane *a, const struct c4w_fig_panel *p, unsigned number, struct c4w_buf *out)
{
	uint8_t *dots = calloc((size_t)a->w * a->h, 1);
	unsigned x, y, used;

	if (!dots)
		return c4w_fail_memory(a->err, (size_t)a->w * a->h);
	set_dots(a, p, dots);
	for (y = 0; y < a->h; y++) {
		const uint8_t *row = dots + (size_t)y * a->w;

		for (used = a->w; used && !row[used - 1]; used--)
			;
		if (a->kind >= C4W_TERM_16 && used)
			c4w_buf_printf(out, "\033[%sm", curve_colors[number % 6]);
		for (x = 0; x < used; x++)
			put_dots(a, row[x], out);
		c4w_buf_puts(out, a->kind >= C4W_TERM_16 && used ? "\033[0m\n" : "\n");
	}
	free(dots);
	return C4W_OK;
}

/* ---- marks, plain ---- */

static bool inside(const struct c4w_fig_panel *p, const struct c4w_fig_mark *m)
{
	double x = c4w_fig_along(&p->group->x, m->x), y = c4w_fig_down(&p->y, m->y);

	return x >= 0 && x <= 1 && y >= 0 && y <= 1;
}

static char plain_mark(const struct pane *a, const struct c4w_fig_mark *m)
{
	if (m->shape == C4W_FIG_FAINT)
		return '.';
	if (m->shape == C4W_FIG_SITE)
		return 'b';
	if (m->shape == C4W_FIG_HERE)
		return 'B';
	if (a->f->names[0])
		return m->t >= 0.5 ? 'o' : 'x';
	return (char)('0' + index_of(m->t, 10));
}

static void put_plain(const struct pane *a, const struct c4w_fig_panel *p, const struct c4w_fig_mark *m, char *cell)
{
	unsigned x = index_of(c4w_fig_along(&a->g->x, m->x), a->w), y = index_of(c4w_fig_down(&p->y, m->y), a->h), k;
	char *row = cell + (size_t)y * a->w;

	for (k = y + 1; p->kind == C4W_FIG_STEMS && k < a->h; k++)
		if (cell[(size_t)k * a->w + x] == ' ')
			cell[(size_t)k * a->w + x] = '|';
	row[x] = plain_mark(a, m);
	x += m->shape >= C4W_FIG_SITE; /* a dot's label stands in its place, a site's behind it */
	for (k = 0; m->label && m->label[k] && x + k < a->w; k++)
		row[x + k] = m->label[k];
}

static int plain_rows(const struct pane *a, const struct c4w_fig_panel *p, struct c4w_buf *out)
{
	static const int order[] = { [C4W_FIG_FAINT] = 0, [C4W_FIG_DOT] = 1, [C4W_FIG_SITE] = 2, [C4W_FIG_HERE] = 2 };
	size_t many = (size_t)a->w * a->h, i;
	char *cell = malloc(many);
	unsigned y;
	int pass;

	if (!cell)
		return c4w_fail_memory(a->err, many);
	memset(cell, ' ', many);
	for (pass = 0; pass < 3; pass++)
		for (i = 0; i < p->n; i++)
			if (order[p->marks[i].shape] == pass && inside(p, &p->marks[i]))
				put_plain(a, p, &p->marks[i], cell);
	for (y = 0; y < a->h; y++) {
		c4w_buf_put(out, cell + (size_t)y * a->w, a->w);
		c4w_buf_putc(out, '\n');
	}
	free(cell);
	return C4W_OK;
}

/* ---- marks, in colour ---- */

static void paint_grid(const struct pane *a, const struct c4w_fig_panel *p, struct c4w_canvas *c)
{
	struct c4w_fig_ticks t = c4w_fig_ticks(&a->g->x, a->w / 9);
	unsigned x, y;
	size_t i;

	c4w_canvas_fill(c, back);
	for (i = 0; i < t.n; i++)
		for (y = 0; y < c->h; y++)
			c->px[(size_t)y * c->w + index_of(c4w_fig_along(&a->g->x, c4w_fig_tick(&t, i)), c->w)] = grid;
	t = c4w_fig_ticks(&p->y, a->h / 4 + 1);
	for (i = 0; i < t.n; i++)
		for (x = 0; x < c->w; x++)
			c->px[(size_t)index_of(c4w_fig_down(&p->y, c4w_fig_tick(&t, i)), c->h) * c->w + x] = grid;
}

/* Values that fall on one pixel are shown as their mean. */
static int paint(const struct pane *a, const struct c4w_fig_panel *p, struct c4w_canvas *c)
{
	unsigned x, y, px, py, size = 1;
	size_t i, at, dots = 0, many = (size_t)c->w * c->h;
	bool stems = p->kind == C4W_FIG_STEMS;
	float *sum = calloc(2 * many, sizeof *sum), *count;

	if (!sum)
		return c4w_fail_memory(a->err, 2 * many * sizeof *sum);
	count = sum + many;
	paint_grid(a, p, c);
	for (i = 0; i < p->n; i++)
		dots += p->marks[i].shape <= C4W_FIG_FAINT;
	if (!stems && dots * 40 < many)
		size = 2;
	for (i = 0; i < p->n; i++) {
		const struct c4w_fig_mark *m = &p->marks[i];

		if (m->shape >= C4W_FIG_SITE || !inside(p, m))
			continue;
		px = index_of(c4w_fig_along(&a->g->x, m->x), c->w);
		py = index_of(c4w_fig_down(&p->y, m->y), c->h);
		for (y = py; y < (stems ? c->h : py + size) && y < c->h; y++)
			for (x = px; x < px + size && x < c->w; x++) {
				at = (size_t)y * c->w + x;
				if (m->shape == C4W_FIG_DOT) {
					sum[at] += (float)m->t;
					count[at] += 1;
				} else if (count[at] == 0) {
					c->px[at] = faint;
				}
			}
	}
	for (i = 0; i < many; i++)
		if (count[i] > 0)
			c->px[i] = c4w_fig_color(a->f, (double)(sum[i] / count[i]), true);
	free(sum);
	return C4W_OK;
}

/* A mark's characters upon the picture: its triangle, its label. Returns how many. */
static size_t characters(const struct pane *a, const struct c4w_fig_panel *p, const struct c4w_fig_mark *m, struct c4w_cell_text *v)
{
	unsigned x = index_of(c4w_fig_along(&a->g->x, m->x), a->w), y = index_of(c4w_fig_down(&p->y, m->y), a->h), k;
	bool site = m->shape >= C4W_FIG_SITE, stems = p->kind == C4W_FIG_STEMS;
	struct c4w_rgb color = site ? white : c4w_rgb_mix(c4w_fig_color(a->f, m->t, true), white, 0.45);
	size_t n = 0;

	y -= stems && y;
	if (site)
		v[n++] = (struct c4w_cell_text){ x++, y, m->shape == C4W_FIG_HERE ? "▲" : "△", white, 0 };
	else if (m->label && !stems) /* beside its dot of two cells */
		x = x + 2 + strlen(m->label) <= a->w ? x + 2 : x - (unsigned)strlen(m->label);
	for (k = 0; m->label && m->label[k] && k < 3 && x + k < a->w; k++)
		v[n++] = (struct c4w_cell_text){ x + k, y, m->label + k, color, 1 };
	return n;
}

static int color_rows(const struct pane *a, const struct c4w_fig_panel *p, struct c4w_buf *out)
{
	struct c4w_canvas c = { 0 };
	struct c4w_cell_text *texts = calloc(p->n * 4 + 1, sizeof *texts);
	size_t i, n = 0;
	int pass, cls = texts ? c4w_canvas_init(&c, a->w, 2 * a->h, a->err) : c4w_fail_memory(a->err, p->n * 4 * sizeof *texts);

	if (cls == C4W_OK)
		cls = paint(a, p, &c);
	for (pass = 0; pass < 2 && cls == C4W_OK; pass++) /* the later one wins: the site it is about */
		for (i = 0; i < p->n; i++)
			if (inside(p, &p->marks[i]) && pass == (p->marks[i].shape == C4W_FIG_HERE))
				n += characters(a, p, &p->marks[i], texts + n);
	if (cls == C4W_OK)
		c4w_canvas_cells(&c, a->kind, texts, n, out);
	free(texts);
	c4w_canvas_clear(&c);
	return cls;
}

/* ---- a panel ---- */

/* What stands left of a line of the panel: "" when it is no tick's. */
static void y_text(const struct pane *a, const struct c4w_fig_panel *p, const struct c4w_fig_ticks *t, unsigned row, struct c4w_buf *out)
{
	double span = fabs(p->y.hi - p->y.lo), v, at;
	bool ends = p->kind == C4W_FIG_CURVE && (row == 0 || row + 1 == a->h);
	char text[32] = "";
	size_t i;

	c4w_buf_reset(out);
	for (i = 0; i < p->y.nnames; i++)
		if (index_of(c4w_fig_down(&p->y, (double)i), a->h) == row) {
			c4w_buf_reset(out);
			put_cut(out, p->y.names[i], a->gutter - 2, a->ascii);
		}
	if (p->y.names)
		return;
	v = row == 0 ? p->y.hi : p->y.lo;
	if (ends) /* the largest and the smallest value */
		c4w_fig_number(v, span / 100, text);
	for (i = 0; i < t->n && !ends; i++) {
		at = c4w_fig_down(&p->y, c4w_fig_tick(t, i));
		if (index_of(at, a->h) != row || (p->kind == C4W_FIG_CURVE && (a->h < 5 || at < 0.12 || at > 0.88)))
			continue;
		v = c4w_fig_tick(t, i);
		c4w_fig_tick_text(t, i, text);
	}
	if (strlen(text) > a->gutter - (p->kind == C4W_FIG_CURVE ? 2 : 1))
		snprintf(text, sizeof text, "%.3g", v);
	c4w_buf_puts(out, text);
}

static int panel(const struct pane *a, const struct c4w_fig_panel *p, unsigned number)
{
	struct c4w_fig_ticks t = c4w_fig_ticks(&p->y, p->kind != C4W_FIG_CURVE ? a->h / 4 + 1 : a->h > 2 ? a->h - 1 : 2);
	bool curve = p->kind == C4W_FIG_CURVE;
	struct c4w_buf rows = { 0 }, text = { 0 };
	const char *at, *end;
	unsigned y;
	int cls;

	bold(a, true);
	put_cut(a->out, p->label, a->gutter + a->w, a->ascii);
	bold(a, false);
	if (p->unit && *p->unit)
		c4w_buf_printf(a->out, " [%s]", p->unit);
	end_line(a->out);
	if (p->y.label) {
		put_cut(a->out, p->y.label, a->gutter + a->w, a->ascii);
		end_line(a->out);
	}
	if (p->note || (curve && !p->bins)) {
		gutter(a, "", a->ascii ? "| " : "│ ");
		c4w_buf_printf(a->out, "%s\n", p->note ? p->note : "no values");
		return C4W_OK;
	}
	cls = curve ? curve_rows(a, p, number, &rows) : a->ascii ? plain_rows(a, p, &rows) : color_rows(a, p, &rows);
	if (cls == C4W_OK)
		cls = c4w_buf_ok(&rows, a->err);
	for (y = 0, at = rows.p; cls == C4W_OK && y < a->h; y++, at = end + 1) {
		y_text(a, p, &t, y, &text);
		gutter(a, text.n ? text.p : "", a->ascii ? "|" : text.n ? "┤" : "│");
		end = strchr(at, '\n');
		c4w_buf_put(a->out, at, (size_t)(end - at));
		end_line(a->out);
	}
	c4w_buf_clear(&rows);
	c4w_buf_clear(&text);
	return cls;
}

/* ---- below the panels ---- */

/* Ticks under their columns, then the axis' name: a unit of time behind the numbers, else on a line of its own. */
static void x_axis(const struct pane *a)
{
	enum { ROOM = 6 };
	struct c4w_fig_ticks t = c4w_fig_ticks(&a->g->x, a->w / 9);
	const char *name = c4w_fig_axis_name(&a->g->x, &t);
	bool behind = a->g->x.unit != C4W_FIG_NUMBER;
	size_t i = 0, used = 0, len, at, n = width_of(name), end = behind ? a->w - ROOM : a->w;
	char text[32];
	unsigned x;

	gutter(a, "", a->ascii ? "+" : "└");
	for (x = 0; x < a->w; x++) {
		bool tick = false;

		for (; i < t.n && index_of(c4w_fig_along(&a->g->x, c4w_fig_tick(&t, a->g->x.lo < a->g->x.hi ? i : t.n - 1 - i)), a->w) <= x; i++)
			tick = true;
		c4w_buf_puts(a->out, a->ascii ? (tick ? "+" : "-") : tick ? "┬" : "─");
	}
	c4w_buf_putc(a->out, '\n');
	blanks(a->out, a->gutter);
	for (i = 0; i < t.n; i++) {
		len = strlen(c4w_fig_tick_text(&t, i, text));
		at = index_of(c4w_fig_along(&a->g->x, c4w_fig_tick(&t, i)), a->w);
		if (at >= end || len > end)
			continue;
		at = at > len / 2 ? at - len / 2 : 0;
		at = at + len > end ? end - len : at;
		if (used && at <= used)
			continue;
		blanks(a->out, at - used);
		c4w_buf_puts(a->out, text);
		used = at + len;
	}
	if (behind) {
		blanks(a->out, a->w - used - n);
		c4w_buf_puts(a->out, name);
	} else if (n) {
		end_line(a->out);
		n = n < a->w ? (a->w - n) / 2 : 0;
		blanks(a->out, a->gutter + n);
		put_cut(a->out, name, a->w - n, a->ascii);
	}
	end_line(a->out);
}

/* One lane: bars and points, its name in the gutter, or below when it is too long for that. */
static void lane(const struct pane *a, unsigned number, char *cell)
{
	const struct c4w_fig_group *g = a->g;
	const char *label = "";
	struct c4w_buf name = { 0 };
	unsigned x, from, to;
	size_t m;

	memset(cell, 0, a->w);
	for (m = 0; m < g->nspans; m++) {
		const struct c4w_fig_span *s = &g->spans[m];

		if (s->lane != number)
			continue;
		label = s->label;
		from = index_of(c4w_fig_along(&g->x, s->from), a->w);
		to = (unsigned)ceil(c4w_fig_along(&g->x, s->to) * a->w);
		to = to <= from ? from + 1 : to > a->w ? a->w : to;
		memset(cell + from, s->to > s->from ? 1 : 2, to - from);
	}
	put_cut(&name, label, a->gutter - 2, a->ascii);
	gutter(a, name.n ? name.p : "", a->ascii ? "|" : "│");
	c4w_buf_clear(&name);
	if (a->kind >= C4W_TERM_16)
		c4w_buf_printf(a->out, "\033[%sm", curve_colors[(number + 3) % 6]);
	for (x = 0; x < a->w; x++)
		c4w_buf_puts(a->out, cell[x] == 1 ? (a->ascii ? "=" : "━") : cell[x] == 2 ? (a->ascii ? "*" : "◆") : " ");
	bold(a, false);
	end_line(a->out);
	if (width_of(label) > a->gutter - 2)
		c4w_buf_printf(a->out, "%*s%s\n", (int)a->gutter, "", label);
}

static int lanes(const struct pane *a)
{
	char *cell = malloc(a->w);
	unsigned i;

	if (!cell)
		return c4w_fail_memory(a->err, a->w);
	for (i = 0; i < a->g->lanes; i++)
		lane(a, i, cell);
	if (a->g->others)
		c4w_buf_printf(a->out, "%*sand %zu more\n", (int)a->gutter, "", a->g->others);
	free(cell);
	return C4W_OK;
}

/* ---- the legend ---- */

static void swatch(const struct c4w_figure *f, enum c4w_term kind, double t, unsigned n, struct c4w_buf *out)
{
	struct c4w_canvas c = { 0 };
	struct c4w_buf b = { 0 };
	unsigned i;

	if (c4w_canvas_init(&c, n, 2, NULL) != C4W_OK)
		return;
	for (i = 0; i < 2 * n; i++)
		c.px[i] = c4w_fig_color(f, t >= 0 ? t : (double)(i % n) / (n > 1 ? n - 1 : 1), true);
	c4w_canvas_cells(&c, kind, NULL, 0, &b);
	c4w_buf_put(out, b.p ? b.p : "", b.n ? b.n - 1 : 0); /* without its newline */
	c4w_buf_clear(&b);
	c4w_canvas_clear(&c);
}

/* Plain: a dot that has a label shows that, not its value. */
static bool colors_show(const struct c4w_figure *f, bool ascii)
{
	size_t i, k, m;

	for (i = 0; i < f->ngroups && ascii; i++)
		for (k = 0; k < f->groups[i]->npanels; k++) {
			const struct c4w_fig_panel *p = f->groups[i]->panels[k];

			for (m = 0; m < p->n; m++)
				if (p->marks[m].shape == C4W_FIG_DOT && !p->marks[m].label)
					return true;
		}
	return !ascii;
}

static void scale(const struct c4w_figure *f, enum c4w_term kind, bool ascii, struct c4w_buf *out)
{
	double step = (f->scale_hi - f->scale_lo) / 10;
	char lo[32], hi[32];
	int k;

	c4w_buf_printf(out, "%s:", f->scale_label);
	for (k = 1; f->names[0] && k >= 0; k--) {
		c4w_buf_puts(out, "  ");
		if (ascii)
			c4w_buf_putc(out, k ? 'o' : 'x');
		else
			swatch(f, kind, k, 2, out);
		c4w_buf_printf(out, " %s", f->names[k]);
	}
	if (!f->names[0]) {
		c4w_buf_printf(out, " %s ", c4w_fig_number(f->scale_lo, step, lo));
		if (ascii)
			c4w_buf_puts(out, "0123456789");
		else
			swatch(f, kind, -1, 24, out);
		c4w_buf_printf(out, " %s", c4w_fig_number(f->scale_hi, step, hi));
	}
	c4w_buf_putc(out, '\n');
}

static void legend(const struct c4w_figure *f, enum c4w_term kind, struct c4w_buf *out)
{
	static const struct {
		enum c4w_fig_shape shape;
		const char *plain, *sign;
	} signs[] = { { C4W_FIG_HERE, "B", "▲" }, { C4W_FIG_SITE, "b", "△" }, { C4W_FIG_FAINT, ".", "grey:" } };
	bool ascii = kind < C4W_TERM_256, any = false;
	struct c4w_buf b = { 0 };
	size_t i;

	if (f->scale_label && colors_show(f, ascii))
		scale(f, kind, ascii, &b);
	for (i = 0; i < 3; i++)
		if (f->shapes[signs[i].shape] && f->shape_names[signs[i].shape]) {
			c4w_buf_printf(&b, "%s%s %s", any ? "  " : "", ascii ? signs[i].plain : signs[i].sign, f->shape_names[signs[i].shape]);
			any = true;
		}
	if (any)
		c4w_buf_putc(&b, '\n');
	if (b.n)
		c4w_buf_printf(out, "\n%s", b.p);
	c4w_buf_clear(&b);
}

/* ---- groups ---- */

/* How many lines a panel of this width should have: as its axes' scale wants it, at most its share. */
static unsigned height_of(const struct c4w_fig_group *g, unsigned w, unsigned share)
{
	double lines = g->equal ? w / 2.0 * fabs((g->panels[0]->y.hi - g->panels[0]->y.lo) / (g->x.hi - g->x.lo)) : 0;

	if (!(lines > 0) || lines > share)
		return share;
	return lines < 6 ? 6 : (unsigned)(lines + 0.5);
}

/* A group's lines, `width` cells wide. *share: a panel's lines that it may have, then those that it has. */
static int block(struct pane *a, unsigned width, unsigned *share)
{
	const struct c4w_fig_group *g = a->g;
	bool marks = g->npanels && g->panels[0]->kind != C4W_FIG_CURVE;
	unsigned k;
	double w;

	a->gutter = marks ? MARK_GUTTER : C4W_FIG_GUTTER;
	a->ascii = a->kind == C4W_TERM_PLAIN || (marks && a->kind < C4W_TERM_256); /* without colours marks are letters and digits */
	a->w = width < a->gutter + LEAST ? LEAST : width - a->gutter;
	a->h = *share = height_of(g, a->w, *share);
	if (g->equal) { /* too high for the screen: narrower, so that the scale stays the same */
		w = 2 * a->h * fabs((g->x.hi - g->x.lo) / (g->panels[0]->y.hi - g->panels[0]->y.lo));
		a->w = w < a->w && w >= LEAST ? (unsigned)w : a->w;
	}
	for (k = 0; k < g->npanels; k++)
		C4W_TRY(panel(a, g->panels[k], k));
	x_axis(a);
	return g->lanes ? lanes(a) : C4W_OK;
}

/* Blocks of lines, side by side; every one but the last filled up to its width. */
static void join(const struct c4w_buf *blocks, size_t n, unsigned width, struct c4w_buf *out)
{
	size_t at[C4W_FIG_BESIDE] = { 0 }, m, len;
	bool more = true;

	while (more) {
		more = false;
		for (m = 0; m < n; m++) {
			const char *p = blocks[m].p + at[m], *end = at[m] < blocks[m].n ? strchr(p, '\n') : NULL;

			len = end ? (size_t)(end - p) : 0;
			if (end)
				c4w_buf_put(out, p, len);
			at[m] += len + (end != NULL);
			more |= at[m] < blocks[m].n;
			len = end ? cells(p, len) : 0;
			if (m + 1 < n)
				blanks(out, (len < width ? width - len : 0) + GAP);
		}
		end_line(out);
	}
}

static int row(const struct c4w_figure *f, size_t first, size_t n, const struct c4w_fig_screen *s, unsigned share, struct c4w_buf *out, struct c4w_err *err)
{
	unsigned gaps = (unsigned)(n - 1) * GAP, width = s->columns > gaps ? (s->columns - gaps) / (unsigned)n : 0;
	struct c4w_buf blocks[C4W_FIG_BESIDE] = { { 0 } };
	size_t i;
	int cls = C4W_OK;

	for (i = 0; i < n && cls == C4W_OK; i++) {
		struct pane a = { .f = f, .g = f->groups[first + i], .kind = s->kind, .out = &blocks[i], .err = err };

		cls = block(&a, width, &share);
		if (cls == C4W_OK)
			cls = c4w_buf_ok(&blocks[i], err);
	}
	if (cls == C4W_OK)
		join(blocks, n, width, out);
	for (i = 0; i < n; i++)
		c4w_buf_clear(&blocks[i]);
	return cls;
}

int c4w_figure_terminal(struct c4w_figure *f, const struct c4w_fig_screen *s, struct c4w_buf *out, struct c4w_err *err)
{
	unsigned rows = 0, share;
	size_t i, n;

	if (f->failed)
		return c4w_fail_memory(err, 0);
	c4w_figure_settle(f, C4W_FIG_TERM_LANES);
	for (i = 0; i < f->ngroups; i++)
		rows += f->groups[i]->beside ? 0 : (unsigned)f->groups[i]->npanels;
	share = rows && s->lines > 6 + 6 * rows ? (s->lines - 6 - 6 * rows) / rows : 6;
	share = s->panel ? s->panel : share < 6 ? 6 : share;
	if (*f->title)
		c4w_buf_printf(out, s->kind >= C4W_TERM_16 ? "\033[1m%s\033[0m\n" : "%s\n", f->title);
	if (*f->subtitle)
		c4w_buf_printf(out, "%s\n", f->subtitle);
	for (i = 0; i < f->ngroups; i += n) {
		n = c4w_fig_row(f, i);
		c4w_buf_putc(out, '\n');
		C4W_TRY(row(f, i, n, s, share, out, err));
	}
	legend(f, s->kind, out);
	return c4w_buf_ok(out, err);
}
