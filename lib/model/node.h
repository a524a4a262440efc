/* Nodes: what `ls`, `info`, `cat` and completion walk. Containers and families both provide them; nothing else resolves a leaf.
 *
 * A node is reached from a root by LEAF, steps joined by '/'. A node may have children (list, lookup), bytes (blob, stream), be an
 * array, or a table; bytes that are themselves a container are entered by c4w_node_enter. Nodes are counted: a child
 * keeps its parent alive. One thread at a time.
 *
 * Names in an address. c4w_step_put writes one: '%', control bytes and bytes that are not UTF-8 become %XX, an id's '/' too; member
 * names of archives keep their '/'. Of several members of one name the k-th (from 1) is NAME#k, and NAME alone is an error that
 * lists them. c4w_step_match is the other direction; a name that was typed as it is counts when no encoded one is meant.
 */
#ifndef C4W_MODEL_NODE_H
#define C4W_MODEL_NODE_H

#include "base/array.h"
#include "base/arena.h"
#include "base/buf.h"
#include "containers/fault.h"
#include "model/family.h"
#include "model/print.h"
#include "storage/store.h"

/* What a child is, for `ls -R`, colours and completion. A BYTES node may turn out to be a container when it is entered. */
enum c4w_node_kind { C4W_NODE_DIR, C4W_NODE_BYTES, C4W_NODE_ARRAY, C4W_NODE_TABLE };

/* ---- listing ---- */

enum c4w_cell_type {
	C4W_CELL_TEXT,
	C4W_CELL_INT,
	C4W_CELL_BYTES, /* an integer that counts bytes: shown as "82.9 KB" on a terminal, in full elsewhere */
	C4W_CELL_STATE, /* text with a colour: "missing", "damaged" red, "not published" yellow */
};

struct c4w_column {
	const char *name; /* header and JSON key: snake_case */
	enum c4w_cell_type type;
	bool detail;      /* shown with -l, in a pipe only with -l too */
};

struct c4w_cell {
	bool absent;           /* nothing to say: empty, JSON null */
	int64_t number;        /* INT, BYTES */
	struct c4w_view text;  /* TEXT, STATE; raw bytes, escaped by the printer. The first cell of a row is a step already encoded */
};

static inline struct c4w_cell c4w_cell_text(struct c4w_view text)
{
	return (struct c4w_cell){ .text = text };
}
static inline struct c4w_cell c4w_cell_z(const char *text)
{
	return (struct c4w_cell){ .text = c4w_view_z(text), .absent = text == NULL };
}
static inline struct c4w_cell c4w_cell_int(int64_t number)
{
	return (struct c4w_cell){ .number = number };
}
static inline struct c4w_cell c4w_cell_none(void)
{
	return (struct c4w_cell){ .absent = true };
}

/* Where a listing goes. `begin` once, then a row a child, cells as many as columns; cells may be reused after the call. A class
 * other than C4W_OK stops the listing and is its result. */
struct c4w_rows {
	int (*begin)(void *ctx, const struct c4w_column *columns, size_t count);
	int (*row)(void *ctx, const struct c4w_cell *cells, enum c4w_node_kind kind);
	void *ctx;
};

enum c4w_list_what {
	C4W_LIST_CHILDREN, /* the first column is the child's step */
	C4W_LIST_RECORDS,  /* `ls --records`: family roots only */
	C4W_LIST_FILES,    /* `ls --files` */
};

struct c4w_list_opts {
	enum c4w_list_what what;
	bool detail;           /* -l: detail columns will be shown; else their cells may be left absent */
	bool tree;             /* -R: what there is, level by level; a folder of Parquet shards is no table then */
	const void *selection; /* the family's, compiled; NULL: everything */
};

/* ---- tables ---- */

struct c4w_table_opts {
	enum c4w_text form;
	bool header;
	const char *const *columns; /* names to show, in this order; count 0: all */
	size_t column_count;
	uint64_t first, count;      /* rows; count UINT64_MAX: to the end */
	uint64_t step;              /* every step-th row, at least 1 */
	uint32_t *bad_crcs;         /* not NULL: pages whose CRC differs are counted here and printed, instead of ending it */
};

/* ---- nodes ---- */

struct c4w_node;

struct c4w_node_ops {
	const char *type; /* "ZIP archive", "scene": what `info` and messages call it */

	/* Children, or NULL. C4W_UNSUPPORTED when `what` has no meaning here. */
	int (*list)(struct c4w_node *n, const struct c4w_list_opts *o, const struct c4w_rows *rows, struct c4w_err *err);
	/* The child that a prefix of `rest` names: *used is the prefix's length, at the end of rest or before a '/'. Of several
	 * the longest name wins. C4W_UNKNOWN when there is none (a hint may name the nearest). */
	int (*lookup)(struct c4w_node *n, struct c4w_view rest, size_t *used, struct c4w_node **child, struct c4w_err *err);

	/* What `info` says of it; may be NULL. */
	int (*describe)(struct c4w_node *n, struct c4w_facts *out, struct c4w_err *err);

	/* Bytes. blob: random access; what has to be decompressed goes into memory, at most n->limit bytes. stream: front to back in constant
	 * memory; NULL: through blob. */
	int (*blob)(struct c4w_node *n, struct c4w_blob **out, struct c4w_err *err);
	int (*stream)(struct c4w_node *n, c4w_bytes_fn sink, void *ctx, struct c4w_err *err);

	/* An array. info: all but the bytes. read: elements [first, first + count) of the first axis, in the arena or lent; shape[0] is then
	 * count. A Fortran-ordered or 0-dimensional array is read whole: first 0, count shape[0] (or 1). */
	int (*array_info)(struct c4w_node *n, struct c4w_array *out, struct c4w_err *err);
	int (*array_read)(struct c4w_node *n, uint64_t first, uint64_t count, struct c4w_arena *arena, struct c4w_array *out,
			  struct c4w_err *err);

	/* A table, printed row by row. */
	int (*table)(struct c4w_node *n, const struct c4w_table_opts *o, c4w_bytes_fn sink, void *ctx, struct c4w_err *err);

	bool flat; /* its children stand in its parent's list already, as the members of a folder in an archive do: -R passes it over */
	void (*destroy)(struct c4w_node *n); /* what the provider owns; the node itself is freed by c4w_node_free */
};

/* Providers put this first in their own struct, get it from c4w_node_new, and hand it out with one owner. */
struct c4w_node {
	const struct c4w_node_ops *ops;
	enum c4w_node_kind kind;
	unsigned refs;
	struct c4w_node *parent; /* one more owner of it; NULL for a root */
	uint64_t limit; /* bytes that may be decompressed into memory at once; taken over from the parent, for a root C4W_LIMIT_MEMORY */
};

/* Zeroed storage of `bytes`, with one owner; takes one more owner of `parent` (or NULL). NULL when memory is gone. */
void *c4w_node_new(size_t bytes, const struct c4w_node_ops *ops, enum c4w_node_kind kind, struct c4w_node *parent);
struct c4w_node *c4w_node_ref(struct c4w_node *n);
void c4w_node_free(struct c4w_node *n); /* one owner less; accepts NULL */

/* Walk `leaf` ("" is the root itself) from root, entering containers on the way. C4W_UNKNOWN says which step is not there.
 * *out has one owner. */
int c4w_node_resolve(struct c4w_node *root, const char *leaf, struct c4w_node **out, struct c4w_err *err) C4W_MUST_CHECK;

/* The container, array or table that a node's bytes are, by their first bytes; C4W_UNKNOWN with *out NULL when they are none. */
int c4w_node_enter(struct c4w_node *n, struct c4w_node **out, struct c4w_err *err) C4W_MUST_CHECK;

/* All bytes of a node, front to back. */
int c4w_node_stream(struct c4w_node *n, c4w_bytes_fn sink, void *ctx, struct c4w_err *err) C4W_MUST_CHECK;

/* ---- steps ---- */

/* Append a name as a step; `id`: '/' is encoded too. */
void c4w_step_put(struct c4w_buf *b, struct c4w_view name, bool id);

/* Does `rest` begin with this name, encoded (or else as it is), and end there or go on with '/'? Returns the length it takes, else 0. With
 * `nth`, the name may be followed by '#' and a number, which is put there (0: none). */
size_t c4w_step_match(struct c4w_view rest, struct c4w_view name, uint64_t *nth);
/* Only the one or the other. */
size_t c4w_step_match_as(struct c4w_view rest, struct c4w_view name, bool encoded, uint64_t *nth);

/* Decode the percent signs of a step into the arena; NULL when memory is gone. */
const char *c4w_step_decode(struct c4w_view step, struct c4w_arena *arena, size_t *n);

/* The length of rest's first step: up to the first '/'. */
size_t c4w_step_first(struct c4w_view rest);

#endif
