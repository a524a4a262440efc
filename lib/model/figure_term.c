/* Figures in the terminal: braille characters, two by four dots each. See figure.h. */
#include "model/figure.h"
#include "model/grid.h" /* c4w_text_width */

#include <math.h>

static const char *const colors[] = { "36", "33", "32", "35", "34", "31" };

struct canvas {
	unsigned columns, lines;
	uint8_t *dots; /* a braille cell each */
};

static void dot(struct canvas *c, unsigned x, unsigned y)
{
	static const uint8_t bit[4][2] = { { 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 }, { 0x40, 0x80 } };

	if (x < c->columns * 2 && y < c->lines * 4)
		c->dots[(y / 4) * c->columns + x / 2] |= bit[y % 4][x % 2];
}

static unsigned row_of(const struct c4w_fig_panel *p, double v, unsigned dots)
{
	double t = (p->hi - v) / (p->hi - p->lo) * (double)(dots - 1);

	return t < 0 ? 0 : t > dots - 1 ? dots - 1 : (unsigned)(t + 0.5);
}

static void curve(struct canvas *c, const struct c4w_fig_panel *p, size_t bins)
{
	unsigned width = c->columns * 2, height = c->lines * 4, x, y, a, b, before = 0;
	bool have = false;

	for (x = 0; x < width; x++) {
		const struct c4w_fig_bin *bin = &p->bins[(size_t)x * bins / width];

		if (!bin->any) {
			have = false;
			continue;
		}
		a = row_of(p, bin->hi, height);
		b = row_of(p, bin->lo, height);
		if (have && bin->joined) { /* reach the column before */
			if (before < a)
				a = before + 1 > a ? a : before + 1;
			else if (before > b)
				b = before - 1 < b ? b : before - 1;
		}
		for (y = a; y <= b; y++)
			dot(c, x, y);
		before = row_of(p, bin->last, height);
		have = true;
	}
}

static void spaces(FILE *out, size_t n)
{
	while (n--)
		fputc(' ', out);
}

/* Text right-aligned in the gutter, then the axis. */
static void gutter(FILE *out, const char *text, const char *axis)
{
	size_t w = c4w_text_width(text, strlen(text));

	spaces(out, w < C4W_FIG_GUTTER - 1 ? C4W_FIG_GUTTER - 1 - w : 0);
	fputs(text, out);
	fputs(axis, out);
}

static void cut(char *buf, size_t size, const char *text, size_t width)
{
	size_t n = strlen(text), w = 0, at = 0;
	uint32_t cp;

	while (at < n && at + 8 < size) {
		size_t k = c4w_utf8_decode(text + at, n - at, &cp);

		k = k ? k : 1;
		if (w + c4w_text_width(text + at, k) > width)
			break;
		w += c4w_text_width(text + at, k);
		at += k;
	}
	memcpy(buf, text, at);
	buf[at] = 0;
	if (at < n && at > 0)
		snprintf(buf + at - 1, size - at + 1, "…");
}

static void panel(const struct c4w_fig_panel *p, struct canvas *c, FILE *out, bool color, unsigned number)
{
	unsigned line, x, i;
	double span = p->hi - p->lo, step, first;
	char text[64];

	fprintf(out, "%s%s%s%s%s%s\n", color ? "\033[1m" : "", p->label, color ? "\033[0m" : "", p->unit && *p->unit ? " [" : "",
		p->unit && *p->unit ? p->unit : "", p->unit && *p->unit ? "]" : "");
	if (p->note || !p->any) {
		gutter(out, "", "│ ");
		fprintf(out, "%s\n", p->note ? p->note : "no values");
		return;
	}
	memset(c->dots, 0, (size_t)c->columns * c->lines);
	curve(c, p, p->group->bins);
	c4w_ticks(p->lo, p->hi, c->lines > 2 ? c->lines - 1 : 2, &first, &step);
	for (line = 0; line < c->lines; line++) {
		double top = p->hi - span * line / c->lines, bottom = p->hi - span * (line + 1) / c->lines;
		bool tick = false;

		text[0] = 0;
		if (p->levels) {
			for (i = 0; i < p->nlevels; i++)
				if (row_of(p, (double)i, c->lines * 4) / 4 == line) {
					cut(text, sizeof text, p->levels[i], C4W_FIG_GUTTER - 2);
					tick = true;
				}
		} else if (line == 0 || line + 1 == c->lines) {
			c4w_tick_text(line == 0 ? p->hi : p->lo, span / 100, text);
			if (strlen(text) > C4W_FIG_GUTTER - 2)
				snprintf(text, sizeof text, "%.3g", line == 0 ? p->hi : p->lo);
			tick = true;
		} else {
			double v = ceil(bottom / step - 1e-9) * step;

			if (v < top && c->lines >= 5 && v > p->lo + span * 0.12 && v < p->hi - span * 0.12) {
				c4w_tick_text(v, step, text);
				tick = true;
			}
		}
		gutter(out, text, tick ? "┤" : "│");
		if (color)
			fprintf(out, "\033[%sm", colors[number % 6]);
		for (x = 0; x < c->columns; x++) {
			uint8_t d = c->dots[line * c->columns + x];
			char utf8[3] = { (char)0xe2, (char)(0xa0 | d >> 6), (char)(0x80 | (d & 0x3f)) };

			if (d)
				fwrite(utf8, 1, 3, out);
			else
				fputc(' ', out);
		}
		if (color)
			fputs("\033[0m", out);
		fputc('\n', out);
	}
}

static void axis(const struct c4w_fig_group *g, FILE *out, unsigned columns)
{
	double first, step, unit = 1;
	const char *name = g->axis == C4W_FIG_STEPS ? "step" : g->x_label ? g->x_label : "";
	size_t n, i;
	unsigned at, used = 0, x;
	char text[32];

	n = g->axis == C4W_FIG_TIME ? c4w_time_ticks(g->x0, g->x1, columns / 9 ? columns / 9 : 1, &first, &step, &unit, &name) :
				      c4w_ticks(g->x0, g->x1, columns / 9 ? columns / 9 : 1, &first, &step);
	gutter(out, "", "└");
	for (x = 0, i = 0; x < columns; x++) {
		bool tick = false;

		for (; i < n; i++) {
			at = (unsigned)((first + (double)i * step - g->x0) / (g->x1 - g->x0) * (columns - 1) + 0.5);
			if (at > x)
				break;
			tick |= at == x;
		}
		fputs(tick ? "┬" : "─", out);
	}
	fputc('\n', out);
	spaces(out, C4W_FIG_GUTTER);
	for (i = 0; i < n; i++) {
		double v = first + (double)i * step;
		size_t len;

		at = (unsigned)((v - g->x0) / (g->x1 - g->x0) * (columns - 1) + 0.5);
		c4w_tick_text(v / unit, step / unit, text);
		len = strlen(text);
		at = at > len / 2 ? at - (unsigned)(len / 2) : 0;
		if (at < used || at + len + 6 > columns)
			continue;
		spaces(out, at - used);
		fputs(text, out);
		used = at + (unsigned)len;
		if (used < columns) {
			fputc(' ', out);
			used++;
		}
	}
	if (used + strlen(name) < columns) {
		spaces(out, columns - used - strlen(name));
		fputs(name, out);
	}
	fputc('\n', out);
}

static void marks(const struct c4w_fig_group *g, FILE *out, unsigned columns, bool color)
{
	char *cell = malloc(columns);
	char text[80];
	unsigned lane, x, a, b;
	size_t m, label;

	for (lane = 0; cell && lane < g->lanes && lane < 24; lane++) {
		memset(cell, 0, columns);
		for (m = 0, label = 0; m < g->nmarks; m++) {
			const struct c4w_fig_mark *k = &g->marks[m];
			double scale = columns / (g->x1 - g->x0);

			if (k->lane != lane)
				continue;
			label = m;
			a = (unsigned)((k->from - g->x0) * scale);
			b = (unsigned)ceil((k->to - g->x0) * scale);
			a = a >= columns ? columns - 1 : a;
			b = b <= a ? a + 1 : b > columns ? columns : b;
			for (x = a; x < b; x++)
				cell[x] = k->to > k->from ? 1 : 2;
		}
		cut(text, sizeof text, g->marks[label].label, C4W_FIG_GUTTER - 2);
		gutter(out, text, "│");
		if (color)
			fprintf(out, "\033[%sm", colors[(lane + 3) % 6]);
		for (x = 0; x < columns; x++)
			fputs(cell[x] == 1 ? "━" : cell[x] == 2 ? "◆" : " ", out);
		if (color)
			fputs("\033[0m", out);
		if (c4w_text_width(g->marks[label].label, strlen(g->marks[label].label)) > C4W_FIG_GUTTER - 2)
			fprintf(out, "\n%*s  %s", C4W_FIG_GUTTER - 2, "", g->marks[label].label);
		fputc('\n', out);
	}
	if (g->lanes > 24)
		fprintf(out, "%*s  and %u more\n", C4W_FIG_GUTTER - 2, "", g->lanes - 24);
	free(cell);
}

int c4w_figure_terminal(struct c4w_figure *f, FILE *out, unsigned columns, unsigned lines, bool color, struct c4w_err *err)
{
	struct canvas c = { .columns = columns > C4W_FIG_GUTTER + 8 ? columns - C4W_FIG_GUTTER : 8, .lines = lines < 1 ? 1 : lines };
	size_t i, k;

	if (f->failed)
		return c4w_fail_memory(err, 0);
	c4w_figure_settle(f);
	c.dots = malloc((size_t)c.columns * c.lines);
	if (!c.dots)
		return c4w_fail_memory(err, (size_t)c.columns * c.lines);
	if (*f->title)
		fprintf(out, "%s%s%s\n", color ? "\033[1m" : "", f->title, color ? "\033[0m" : "");
	if (*f->subtitle)
		fprintf(out, "%s\n", f->subtitle);
	for (i = 0; i < f->ngroups; i++) {
		for (k = 0; k < f->groups[i]->npanels; k++)
			panel(f->groups[i]->panels[k], &c, out, color, (unsigned)k);
		axis(f->groups[i], out, c.columns);
		marks(f->groups[i], out, c.columns, color);
		if (i + 1 < f->ngroups)
			fputc('\n', out);
	}
	free(c.dots);
	return C4W_OK;
}
