/* Printing a listing. See rows.h. */
#include "rows.h"

#include "base/numbers.h"

enum { HOLD = 1024, COLUMNS_MAX = 64, DOTS = C4W_ROWS_DOTS };

void c4w_rows_init(struct c4w_row_printer *p, struct c4w_ctx *ctx, bool names, bool zero, bool detail)
{
	memset(p, 0, sizeof *p);
	p->ctx = ctx;
	p->zero = zero;
	p->detail = detail;
	p->prefix = "";
	p->look = ctx->shared.json ? C4W_LOOK_JSON : names ? C4W_LOOK_NAMES : c4w_is_terminal(stdout) && !zero ? C4W_LOOK_TERMINAL : C4W_LOOK_TSV;
}

static bool shown(const struct c4w_row_printer *p, size_t i)
{
	return (p->detail || !p->columns[i].detail) && !p->left_out[i];
}

/* Text of printable ASCII without a backslash, which nothing escapes? */
static bool is_plain(struct c4w_view v)
{
	size_t i;
	unsigned bad = 0;
	for (i = 0; i < v.n; i++) {
		unsigned char c = (unsigned char)v.p[i];
		bad |= (unsigned)(c < 0x20) | (unsigned)(c >= 0x7F) | (unsigned)(c == '\\');
	}
	return !bad;
}

/* A cell as text, for people or in full. The first cell is an address: encoded already, and escaped again only for a terminal. */
static void put_cell(struct c4w_row_printer *p, struct c4w_buf *b, size_t i, const struct c4w_cell *c)
{
	char number[C4W_NUMBER_TEXT];
	if (c->absent)
		return;
	switch (p->columns[i].type) {
	case C4W_CELL_BYTES:
		if (p->look == C4W_LOOK_TERMINAL && c->number >= 0) {
			c4w_buf_puts(b, c4w_str_size((uint64_t)c->number, number));
			break;
		}
		/* fall through */
	case C4W_CELL_INT:
		c4w_format_i64(c->number, number);
		c4w_buf_puts(b, number);
		break;
	case C4W_CELL_TEXT:
	case C4W_CELL_STATE:
		if (i == 0 && p->prefix[0])
			c4w_buf_puts(b, p->prefix);
		if ((i == 0 && p->look != C4W_LOOK_TERMINAL) || is_plain(c->text))
			c4w_buf_put(b, c->text.p, c->text.n);
		else
			c4w_buf_escape(b, c->text.p, c->text.n);
		break;
	}
}

static int begin(void *ctx, const struct c4w_column *columns, size_t count)
{
	struct c4w_row_printer *p = ctx;
	struct c4w_buf *b = &p->line;
	size_t i;
	if (p->look == C4W_LOOK_TERMINAL)
		c4w_rows_finish(p);
	p->columns = columns;
	p->count = count < COLUMNS_MAX ? count : COLUMNS_MAX;
	p->settled = false;
	for (i = 0; i < p->count; i++) {
		p->width[i] = (unsigned)strlen(columns[i].name);
		p->cells[i] = 0;
		p->left_out[i] = p->cut[i] = false;
		p->right[i] = columns[i].type == C4W_CELL_INT || columns[i].type == C4W_CELL_BYTES;
	}
	if (p->look != C4W_LOOK_TSV)
		return C4W_OK;
	c4w_buf_reset(b);
	for (i = 0; i < p->count; i++)
		if (shown(p, i))
			c4w_buf_printf(b, "%s%s", i ? "\t" : "", columns[i].name);
	c4w_buf_putc(b, p->zero ? 0 : '\n');
	fwrite(b->p, 1, b->n, p->ctx->out);
	return C4W_OK;
}

static void json_row(struct c4w_row_printer *p, const struct c4w_cell *cells, enum c4w_node_kind kind)
{
	static const char *const kinds[] = { "folder", "bytes", "array", "table" };
	struct c4w_buf *b = &p->line;
	char number[C4W_NUMBER_TEXT];
	size_t i;
	c4w_buf_putc(b, '{');
	for (i = 0; i < p->count; i++) {
		if (!shown(p, i))
			continue;
		c4w_buf_printf(b, "%s\"%s\": ", i ? ", " : "", p->columns[i].name);
		if (cells[i].absent)
			c4w_buf_puts(b, "null");
		else if (p->right[i]) {
			c4w_format_i64(cells[i].number, number);
			c4w_buf_puts(b, number);
		} else if (i == 0 && *p->prefix) {
			struct c4w_buf full = { 0 };
			c4w_buf_puts(&full, p->prefix);
			c4w_buf_put(&full, cells[i].text.p, cells[i].text.n);
			c4w_buf_json(b, full.p, full.n);
			c4w_buf_clear(&full);
		} else
			c4w_buf_json(b, cells[i].text.p, cells[i].text.n);
	}
	c4w_buf_printf(b, ", \"node\": \"%s\"}", kinds[kind]);
	c4w_buf_putc(b, p->zero ? 0 : '\n');
}

static const char *colour_of(const struct c4w_row_printer *p, size_t i, const char *text, enum c4w_node_kind kind)
{
	if (i == 0)
		return kind == C4W_NODE_DIR ? "1;34" : kind == C4W_NODE_ARRAY || kind == C4W_NODE_TABLE ? "36" : NULL;
	if (p->columns[i].type != C4W_CELL_STATE)
		return NULL;
	return strncmp(text, "not ", 4) == 0 ? "33" : strcmp(text, "missing") == 0 || strcmp(text, "damaged") == 0 ? "31" : NULL;
}

/* One line: column i's text through `text`; columns are two blanks apart, the last one is not padded, dots stand where columns are left out. */
struct line {
	const char *cell; /* a row: its cells as texts, each ended by NUL; NULL: the header */
	size_t header;    /* its line */
	enum c4w_node_kind kind;
};

static void put_padded(struct c4w_row_printer *p, size_t i, const char *text, size_t n, const char *colour, bool last)
{
	struct c4w_buf *b = &p->line;
	unsigned w = (unsigned)c4w_text_width(text, n), pad;
	bool cut = p->cut[i] && w > p->width[i];
	if (cut) {
		n = c4w_text_cut(text, n, p->width[i] > DOTS ? p->width[i] - DOTS : 0);
		w = (unsigned)c4w_text_width(text, n) + DOTS;
	}
	pad = w < p->width[i] ? p->width[i] - w : 0;
	if (p->right[i])
		c4w_buf_printf(b, "%*s", (int)pad, "");
	if (colour)
		c4w_buf_printf(b, "\033[%sm", colour);
	c4w_buf_put(b, text, n);
	if (cut)
		c4w_buf_puts(b, "...");
	if (colour)
		c4w_buf_puts(b, "\033[0m");
	if (!p->right[i] && !last)
		c4w_buf_printf(b, "%*s", (int)pad, "");
}

static void aligned_line(struct c4w_row_printer *p, struct line line, bool color)
{
	struct c4w_buf *b = &p->line;
	size_t i, last = 0;
	bool gap = false;
	for (i = 0; i < p->count; i++)
		if (shown(p, i))
			last = i;
	c4w_buf_reset(b);
	for (i = 0; i < p->count; i++) {
		const char *text = line.cell;
		size_t n = text ? strlen(text) : c4w_rows_header(p, i, line.header, &text);
		if (shown(p, i)) {
			if (i)
				c4w_buf_puts(b, "  ");
			put_padded(p, i, text, n, !color ? NULL : line.cell ? colour_of(p, i, text, line.kind) : n ? "1" : NULL, i == last);
		} else if (p->left_out[i] && !gap) {
			c4w_buf_puts(b, line.cell || line.header + 1 == p->header_lines ? "  ..." : "     ");
		}
		gap = p->left_out[i];
		if (line.cell)
			line.cell = text + n + 1;
	}
	while (b->n && b->p[b->n - 1] == ' ')
		b->n--;
	c4w_buf_putc(b, '\n');
	fwrite(b->p, 1, b->n, p->ctx->out);
}

static void settle(struct c4w_row_printer *p)
{
	bool color = c4w_color_on(p->ctx, stdout);
	const char *cell = p->held.p;
	size_t i, row, line;
	if (!p->columns || p->settled)
		return;
	p->settled = true;
	c4w_rows_fit(p, c4w_columns());
	if (p->held_rows) {
		if (p->begun)
			fputc('\n', p->ctx->out);
		p->begun = true;
		for (line = 0; line < p->header_lines; line++)
			aligned_line(p, (struct line){ .header = line }, color);
	}
	for (row = 0; row < p->held_rows && !p->held.failed; row++) {
		aligned_line(p, (struct line){ .cell = cell, .kind = p->kinds[row] }, color);
		for (i = 0; i < p->count; i++)
			cell += strlen(cell) + 1;
	}
	p->held_rows = 0;
	c4w_buf_reset(&p->held);
}

static int row(void *ctx, const struct c4w_cell *cells, enum c4w_node_kind kind)
{
	struct c4w_row_printer *p = ctx;
	struct c4w_buf *b = &p->line;
	size_t i, start;
	if (c4w_out_failed() || c4w_stop)
		return C4W_CANCELLED;
	c4w_buf_reset(b);
	switch (p->look) {
	case C4W_LOOK_JSON:
		json_row(p, cells, kind);
		break;
	case C4W_LOOK_NAMES:
		put_cell(p, b, 0, &cells[0]);
		c4w_buf_putc(b, p->zero ? 0 : '\n');
		break;
	case C4W_LOOK_TSV:
		for (i = 0; i < p->count; i++)
			if (shown(p, i)) {
				if (i)
					c4w_buf_putc(b, '\t');
				put_cell(p, b, i, &cells[i]);
			}
		c4w_buf_putc(b, p->zero ? 0 : '\n');
		break;
	case C4W_LOOK_TERMINAL:
		start = p->held.n;
		for (i = 0; i < p->count; i++) {
			size_t from = p->held.n;
			unsigned w;
			put_cell(p, &p->held, i, &cells[i]);
			w = (unsigned)c4w_text_width(p->held.p + from, p->held.n - from);
			if (!p->settled && w > p->width[i])
				p->width[i] = w;
			if (!p->settled && w > p->cells[i])
				p->cells[i] = w;
			c4w_buf_putc(&p->held, 0);
		}
		if (p->held.failed)
			return C4W_MEMORY;
		if (p->settled) {
			aligned_line(p, (struct line){ .cell = p->held.p + start, .kind = kind }, c4w_color_on(p->ctx, stdout));
			c4w_buf_reset(&p->held);
			return C4W_OK;
		}
		p->kinds[p->held_rows++] = kind;
		if (p->held_rows == HOLD)
			settle(p);
		return C4W_OK;
	}
	if (b->failed)
		return C4W_MEMORY;
	fwrite(b->p, 1, b->n, p->ctx->out);
	return C4W_OK;
}

struct c4w_rows c4w_rows_sink(struct c4w_row_printer *p)
{
	return (struct c4w_rows){ .begin = begin, .row = row, .ctx = p };
}

void c4w_rows_finish(struct c4w_row_printer *p)
{
	if (p->look == C4W_LOOK_TERMINAL)
		settle(p);
	c4w_buf_clear(&p->line);
	c4w_buf_clear(&p->held);
	p->held_rows = 0;
}
