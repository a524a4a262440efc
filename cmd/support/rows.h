/* Printing a listing: columns on a terminal, TSV with a header in a pipe, JSON lines, or names alone. */
#ifndef C4W_CMD_ROWS_H
#define C4W_CMD_ROWS_H

#include "../command.h"

#include "base/buf.h"
#include "model/node.h"

enum c4w_rows_look { C4W_LOOK_TERMINAL, C4W_LOOK_TSV, C4W_LOOK_JSON, C4W_LOOK_NAMES };

struct c4w_row_printer {
	/* set by the caller */
	struct c4w_ctx *ctx;
	enum c4w_rows_look look;
	bool detail, zero;
	bool ids;           /* the first column holds ids, not addresses: it may be cut, too */
	const char *prefix; /* put in front of every first cell: the address so far and a '/' */

	/* private */
	const struct c4w_column *columns;
	size_t count;
	struct c4w_buf line;
	struct c4w_buf held;    /* terminal: cells as text, each ended by NUL, of the rows that wait for the widths */
	size_t held_rows;
	unsigned width[64], cells[64]; /* of a column, its name included; of its cells so far */
	bool right[64], settled, begun;
	bool left_out[64], cut[64]; /* so that the line fits the terminal */
	size_t header_lines;
	enum c4w_node_kind kinds[1024];
};

/* --json, --names, -z, a terminal or not. */
void c4w_rows_init(struct c4w_row_printer *p, struct c4w_ctx *ctx, bool names, bool zero, bool detail);

/* The sink to hand to a node's list. */
struct c4w_rows c4w_rows_sink(struct c4w_row_printer *p);

void c4w_rows_finish(struct c4w_row_printer *p); /* prints what waits; frees */

/* ---- rows_fit.c ---- */
enum { C4W_ROWS_DOTS = 3 }; /* behind a text that is cut, and in the place of columns that are left out */
/* Narrow the columns, whose widths are known, to a terminal of so many columns: names over several lines, long texts cut, the last columns left
 * out. The first column, which is an address, and states stay whole. */
void c4w_rows_fit(struct c4w_row_printer *p, unsigned columns);
/* Line `line` of header_lines of column i's name: length (0: empty) and text. */
size_t c4w_rows_header(const struct c4w_row_printer *p, size_t i, size_t line, const char **out);

#endif
