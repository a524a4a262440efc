/* Table printer. See grid.h. */
#include "model/grid.h"

#include "base/numbers.h"
#include "model/print.h"

#define HELD 500 /* rows that widths are taken from */

static void pad(struct c4w_grid *g, size_t n)
{
	while (n--)
		fputc(' ', g->out);
}

static void put(struct c4w_grid *g, size_t column, const char *z, size_t n)
{
	size_t w = c4w_text_width(z, n), limit = g->width[column];
	bool last = column == g->last;

	if (g->hidden[column])
		return;
	if (column > g->first)
		fputs("  ", g->out);
	if (g->right[column] && w < limit)
		pad(g, limit - w);
	if (!last && w > limit) {
		size_t k = c4w_text_cut(z, n, limit - 1);

		fwrite(z, 1, k, g->out);
		fputs("…", g->out);
		pad(g, limit - 1 - c4w_text_width(z, k));
	} else {
		fwrite(z, 1, n, g->out);
		if (!last && !g->right[column] && w < limit)
			pad(g, limit - w);
	}
	if (last)
		fputc('\n', g->out);
}

/* Which columns are shown. A table without rows shows them all. */
static void choose(struct c4w_grid *g, bool all_rows)
{
	const char *p = g->held.p;
	size_t c, left = g->held.n;

	memset(g->hidden, g->lean && all_rows && left, sizeof g->hidden);
	while (left)
		for (c = 0; c < g->columns && left; c++) {
			size_t n = strlen(p);

			if (n)
				g->hidden[c] = false;
			p += n + 1;
			left -= n + 1;
		}
	for (g->first = 0; g->first + 1 < g->columns && g->hidden[g->first]; g->first++)
		;
	for (g->last = g->columns - 1; g->last > g->first && g->hidden[g->last]; g->last--)
		;
	g->hidden[g->first] = false;
}

static void settle(struct c4w_grid *g, bool all_rows)
{
	const char *p = g->held.p;
	size_t c, n, left = g->held.n, cut = g->cut ? g->cut : 40, rows = 0;

	for (c = 0; c < g->columns; c++)
		g->width[c] = strlen(g->names[c]);
	while (left) {
		for (c = 0; c < g->columns && left; c++) {
			n = strlen(p);
			if (c4w_text_width(p, n) > g->width[c])
				g->width[c] = c4w_text_width(p, n);
			p += n + 1;
			left -= n + 1;
		}
		rows++;
	}
	choose(g, all_rows);
	for (c = 0; c < g->columns; c++)
		if (g->width[c] > cut && c != g->last)
			g->width[c] = cut;
	g->settled = true;
	if (g->bold)
		fputs("\033[1m", g->out);
	for (c = 0; c < g->columns; c++) {
		bool right = g->right[c];

		put(g, c, g->names[c], strlen(g->names[c]));
		g->right[c] = right;
	}
	if (g->bold)
		fputs("\033[0m", g->out);
	p = g->held.p;
	left = g->held.n;
	while (left)
		for (c = 0; c < g->columns && left; c++) {
			n = strlen(p);
			put(g, c, p, n);
			p += n + 1;
			left -= n + 1;
		}
	c4w_buf_clear(&g->held);
}

void c4w_grid_begin(struct c4w_grid *g, const char *const *names, size_t n)
{
	size_t c;

	g->names = names;
	g->columns = n;
	g->at = g->rows = 0;
	g->settled = false;
	memset(g->right, 0, sizeof g->right);
	if (g->form == C4W_GRID_TEXT)
		return;
	for (c = 0; c < n; c++)
		fprintf(g->out, "%s%s", c ? g->form == C4W_GRID_CSV ? "," : "\t" : "", names[c]);
	fputc('\n', g->out);
}

static void emit(struct c4w_grid *g, const char *p, size_t n)
{
	size_t c = g->at;

	if (g->form != C4W_GRID_TEXT) {
		c4w_buf_reset(&g->cell);
		if (p) /* nothing is not an empty text */
			c4w_cell_put(&g->cell, p, n, g->form == C4W_GRID_CSV ? C4W_TEXT_CSV : C4W_TEXT_TSV);
		if (c)
			fputc(g->form == C4W_GRID_CSV ? ',' : '\t', g->out);
		fwrite(g->cell.p ? g->cell.p : "", 1, g->cell.n, g->out);
		if (c + 1 == g->columns)
			fputc('\n', g->out);
	} else {
		c4w_buf_reset(&g->cell);
		c4w_buf_escape(&g->cell, p ? p : "", n);
		if (g->settled) {
			put(g, c, g->cell.p ? g->cell.p : "", g->cell.n);
		} else {
			c4w_buf_put(&g->held, g->cell.p ? g->cell.p : "", g->cell.n);
			c4w_buf_put(&g->held, "", 1);
		}
	}
	g->at = c + 1;
	if (g->at == g->columns) {
		g->at = 0;
		if (++g->rows == HELD && g->form == C4W_GRID_TEXT)
			settle(g, false);
	}
}

void c4w_grid_text(struct c4w_grid *g, struct c4w_view v)
{
	emit(g, v.p, v.n);
}

void c4w_grid_z(struct c4w_grid *g, const char *z)
{
	emit(g, z && *z ? z : NULL, z ? strlen(z) : 0);
}

void c4w_grid_none(struct c4w_grid *g)
{
	emit(g, NULL, 0);
}

void c4w_grid_i64(struct c4w_grid *g, int64_t v)
{
	char text[C4W_NUMBER_TEXT];

	g->right[g->at] = true;
	emit(g, text, c4w_format_i64(v, text));
}

void c4w_grid_double(struct c4w_grid *g, double v)
{
	char text[C4W_NUMBER_TEXT];

	g->right[g->at] = true;
	if (g->form == C4W_GRID_TEXT) {
		snprintf(text, sizeof text, "%.6g", v);
		emit(g, text, strlen(text));
	} else {
		emit(g, text, c4w_format_double(v, text));
	}
}

void c4w_grid_end(struct c4w_grid *g)
{
	if (g->form == C4W_GRID_TEXT && !g->settled)
		settle(g, true);
	c4w_buf_clear(&g->held);
	c4w_buf_clear(&g->cell);
}
