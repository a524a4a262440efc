/* Making a listing as narrow as the terminal: names of columns over several lines, then long texts cut, then columns left out. See rows.h. */
#include "rows.h"

enum { GAP = 2, DOTS = C4W_ROWS_DOTS, ID_MIN = 12, TEXT_MIN = 18, HEADER_LINES_MAX = 3 };

static unsigned least(size_t i)
{
	return i ? TEXT_MIN : ID_MIN;
}

static bool shown(const struct c4w_row_printer *p, size_t i)
{
	return (p->detail || !p->columns[i].detail) && !p->left_out[i];
}

/* Where the k-th line of a column's name begins and how long it is, the name broken behind '_' and ' ' into lines of at most `width`. */
static size_t name_line(const char *name, unsigned width, size_t k, const char **out)
{
	for (;; k--) {
		size_t n = strlen(name), end = n, i;
		if (n > width)
			for (i = end = 0; i < n; i++)
				if ((name[i] == '_' || name[i] == ' ') && (end == 0 || i + 1 <= width))
					end = i + 1;
		if (end == 0)
			end = n;
		*out = name;
		if (k == 0)
			return end && name[end - 1] == ' ' ? end - 1 : end;
		name += end;
	}
}

static size_t name_lines(const char *name, unsigned width)
{
	const char *p;
	size_t k = 0;
	while (name_line(name, width, k, &p) && p[0])
		k++;
	return k;
}

size_t c4w_rows_header(const struct c4w_row_printer *p, size_t i, size_t line, const char **out)
{
	size_t lines = name_lines(p->columns[i].name, p->width[i]), empty = p->header_lines - lines;
	*out = "";
	return line < empty ? 0 : name_line(p->columns[i].name, p->width[i], line - empty, out);
}

/* The narrowest that a name can be in HEADER_LINES_MAX lines, but not below `width`. */
static unsigned narrow_name(const char *name, unsigned width)
{
	const char *p;
	for (;; width++) {
		size_t lines = name_lines(name, width), k;
		for (k = 0; k < lines && name_line(name, width, k, &p) <= width; k++)
			;
		if (k == lines && lines <= HEADER_LINES_MAX)
			return width;
	}
}

static size_t total(const struct c4w_row_printer *p)
{
	size_t i, sum = 0;
	bool gap = false;
	for (i = 0; i < p->count; i++) {
		if (shown(p, i))
			sum += p->width[i] + (i ? GAP : 0);
		else if (p->left_out[i] && !gap)
			sum += DOTS + GAP;
		gap = p->left_out[i];
	}
	return sum;
}

/* The longest column of texts that can still be cut, or `count`. */
static size_t longest_text(const struct c4w_row_printer *p)
{
	size_t i, best = p->count;
	for (i = p->ids ? 0 : 1; i < p->count; i++)
		if (shown(p, i) && p->columns[i].type == C4W_CELL_TEXT && p->width[i] > least(i) && (best == p->count || p->width[i] > p->width[best]))
			best = i;
	return best;
}

/* The last column that may go: the address and the state stay. */
static size_t dispensable(const struct c4w_row_printer *p)
{
	size_t i;
	for (i = p->count; i-- > 1;)
		if (shown(p, i) && p->columns[i].type != C4W_CELL_STATE)
			return i;
	return 0;
}

void c4w_rows_fit(struct c4w_row_printer *p, unsigned columns)
{
	size_t i, sum, lines;
	p->header_lines = 1;
	if (total(p) <= columns)
		return;
	for (i = 1; i < p->count; i++)
		if (shown(p, i))
			p->width[i] = narrow_name(p->columns[i].name, p->cells[i]);
	while ((sum = total(p)) > columns && (i = longest_text(p)) < p->count) {
		unsigned more = (unsigned)(sum - columns), room = p->width[i] - least(i);
		p->width[i] -= more < room ? more : room;
		p->width[i] = narrow_name(p->columns[i].name, p->width[i]);
		p->cut[i] = true;
		if (total(p) == sum)
			break; /* its name is as long as that */
	}
	while (total(p) > columns && (i = dispensable(p)) != 0)
		p->left_out[i] = true;
	for (i = 0; i < p->count; i++)
		if (shown(p, i) && (lines = name_lines(p->columns[i].name, p->width[i])) > p->header_lines)
			p->header_lines = lines;
}
