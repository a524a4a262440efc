/* Route CSV (formats/passage.md, section 5): "row,col" a line, LF or CRLF, no header. Everything else is refused by name. */
#include "families/psg.h"

#include <stdio.h>
#include <string.h>

/* What is wrong with the byte at p, where a digit, a comma or the end of a line should be. */
static int odd_byte(struct c4w_err *err, const uint8_t *p, size_t at, size_t line)
{
	uint8_t c = p[at];
	if (c == 0)
		return c4w_damaged(err, "passage.csv-byte", (int64_t)at, "line %zu holds a NUL byte", line);
	if (c == ' ' || c == '\t')
		return c4w_damaged(err, "passage.csv-byte", (int64_t)at, "line %zu holds a blank", line);
	if (c == '+' || c == '-')
		return c4w_damaged(err, "passage.csv-byte", (int64_t)at, "line %zu holds a sign", line);
	if (c == '"' || c == '\'')
		return c4w_damaged(err, "passage.csv-byte", (int64_t)at, "line %zu holds a quote", line);
	if (at == 0 && c == 0xEF)
		return c4w_damaged(err, "passage.csv-byte", 0, "begins with a byte order mark");
	if (line == 1 && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')))
		return c4w_damaged(err, "passage.csv-header", (int64_t)at, "the first line is not a cell but a header");
	return c4w_damaged(err, "passage.csv-byte", (int64_t)at, "line %zu holds the byte 0x%02x", line, c);
}

/* 1: end of line consumed; 0: none here; -1: a lone CR */
static int line_end(const uint8_t *p, size_t n, size_t *at)
{
	if (p[*at] == '\n') {
		++*at;
		return 1;
	}
	if (p[*at] != '\r')
		return 0;
	if (*at + 1 == n || p[*at + 1] != '\n')
		return -1;
	*at += 2;
	return 1;
}

int c4w_psg_csv(const uint8_t *p, size_t n, uint32_t r, struct c4w_arena *arena, struct c4w_psg_route *out, struct c4w_err *err)
{
	size_t at = 0, line = 1, cells = 0, cap;
	uint32_t top = r ? r : C4W_PSG_R_MAX;
	uint32_t *v;
	void *mem;
	memset(out, 0, sizeof *out);
	if (n > (size_t)1 << 32)
		return c4w_fail(err, C4W_LIMIT, "a route of more than 4 GiB");
	cap = n / 4 + 1; /* "0,0\n" is the shortest line */
	C4W_TRY(c4w_arena_take(arena, cap * sizeof *v, &mem, err));
	v = mem;
	while (at < n) {
		uint32_t field[2] = { 0, 0 };
		size_t start = at;
		int k, end = line_end(p, n, &at);
		if (end < 0)
			return c4w_damaged(err, "passage.csv-line-end", (int64_t)at, "line %zu ends in a lone CR", line);
		if (end) {
			if (at != n)
				return c4w_damaged(err, "passage.csv-empty-line", (int64_t)start, "line %zu is empty", line);
			out->blank_end = true;
			break;
		}
		for (k = 0; k < 2; k++) {
			size_t first = at;
			uint32_t value = 0;
			for (; at < n && p[at] >= '0' && p[at] <= '9'; at++)
				if (value < 1000000)
					value = value * 10 + (uint32_t)(p[at] - '0');
			if (at == first || (k == 0 && (at == n || p[at] != ','))) {
				if (at < n && p[at] != ',' && p[at] != '\n' && p[at] != '\r')
					return odd_byte(err, p, at, line);
				return c4w_damaged(err, "passage.csv-fields", (int64_t)start, "line %zu is not two numbers with a comma", line);
			}
			if (value >= top) {
				char want[32];
				snprintf(want, sizeof want, "at most %u", top - 1);
				c4w_damaged(err, "passage.csv-range", (int64_t)first, "line %zu: the %s lies outside the grid", line,
					    k ? "column" : "row");
				return c4w_err_valuesf(err, want, "%.*s", (int)(at - first < 20 ? at - first : 20), (const char *)p + first);
			}
			field[k] = value;
			if (k == 0)
				at++;
		}
		if (at < n) {
			end = line_end(p, n, &at);
			if (end < 0)
				return c4w_damaged(err, "passage.csv-line-end", (int64_t)at, "line %zu ends in a lone CR", line);
			if (!end && p[at] == ',')
				return c4w_damaged(err, "passage.csv-fields", (int64_t)at, "line %zu has a third field", line);
			if (!end)
				return odd_byte(err, p, at, line);
		}
		v[cells++] = field[0] << 16 | field[1];
		line++;
	}
	out->cells = v;
	out->n = cells;
	return C4W_OK;
}

double c4w_psg_length(const struct c4w_psg_route *route)
{
	/* 30 * sqrt(2), correctly rounded; the sum runs in route order as a search accumulates it. */
	const double diagonal = 42.42640687119285;
	double sum = 0;
	size_t i;
	for (i = 1; i < route->n; i++) {
		uint32_t a = route->cells[i - 1], b = route->cells[i];
		sum += c4w_psg_row(a) != c4w_psg_row(b) && c4w_psg_column(a) != c4w_psg_column(b) ? diagonal : 30.0;
	}
	return sum;
}

size_t c4w_psg_crossings(const uint8_t *raw, uint32_t r, const struct c4w_psg_route *route, uint32_t *first)
{
	size_t i, n = 0;
	for (i = 0; i < route->n; i++) {
		uint32_t c = route->cells[i];
		if (c4w_psg_row(c) < r && c4w_psg_column(c) < r && c4w_psg_at(raw, r, c4w_psg_row(c), c4w_psg_column(c), 2) == 1.0f && !n++)
			*first = c;
	}
	return n;
}
