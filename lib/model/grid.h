/* A small table printer: aligned text for people, CSV and TSV for programs. JSON lines are written by those who know the objects.
 *
 * Text: columns are as wide as their widest cell among the first rows (which are held back for it); numbers stand right. Cells are
 * escaped. In CSV and TSV nothing is cut; in text a cell is cut at `cut` columns, the last one never.
 */
#ifndef C4W_MODEL_GRID_H
#define C4W_MODEL_GRID_H

#include "base/buf.h"

#include <stdio.h>

enum c4w_grid_form { C4W_GRID_TEXT, C4W_GRID_CSV, C4W_GRID_TSV };

#define C4W_GRID_COLUMNS 40

struct c4w_grid {
	/* set by the caller */
	FILE *out;
	enum c4w_grid_form form;
	size_t cut;  /* 0: 40 */
	bool bold;   /* header in bold */
	bool lean;   /* text: columns without any content are left out, where all rows could be held back */
	/* the printer's */
	const char *const *names;
	size_t columns, at, rows;
	size_t width[C4W_GRID_COLUMNS];
	size_t first, last; /* columns that begin and end a line of text */
	bool right[C4W_GRID_COLUMNS], hidden[C4W_GRID_COLUMNS], settled;
	struct c4w_buf held; /* cells, each with a NUL behind it */
	struct c4w_buf cell;
};

void c4w_grid_begin(struct c4w_grid *g, const char *const *names, size_t n); /* names are borrowed */
/* One cell after the other, as many as there are columns; the row then ends by itself. */
void c4w_grid_text(struct c4w_grid *g, struct c4w_view v); /* p NULL: empty */
void c4w_grid_z(struct c4w_grid *g, const char *z);
void c4w_grid_i64(struct c4w_grid *g, int64_t v);
void c4w_grid_double(struct c4w_grid *g, double v);
void c4w_grid_none(struct c4w_grid *g);
void c4w_grid_end(struct c4w_grid *g); /* prints what is held, frees; C4W_MEMORY can't be told from an empty table: rows are lost then */

#endif
