/* Nodes: ownership, steps, walking a leaf. See node.h. */
#include "model/node.h"

#include "base/limits.h"

#include <stdlib.h>

void *c4w_node_new(size_t bytes, const struct c4w_node_ops *ops, enum c4w_node_kind kind, struct c4w_node *parent)
{
	struct c4w_node *n = calloc(1, bytes);
	if (!n)
		return NULL;
	n->ops = ops;
	n->kind = kind;
	n->refs = 1;
	n->parent = parent ? c4w_node_ref(parent) : NULL;
	n->limit = parent ? parent->limit : C4W_LIMIT_MEMORY;
	return n;
}

struct c4w_node *c4w_node_ref(struct c4w_node *n)
{
	n->refs++;
	return n;
}

void c4w_node_free(struct c4w_node *n)
{
	while (n && --n->refs == 0) {
		struct c4w_node *parent = n->parent;
		if (n->ops->destroy)
			n->ops->destroy(n);
		free(n);
		n = parent;
	}
}

/* ---- steps ---- */

/* "x#12": does a text end like the address of one of several members? */
static size_t number_tail(const char *p, size_t n)
{
	size_t i = n;
	while (i && p[i - 1] >= '0' && p[i - 1] <= '9')
		i--;
	return i && i < n && p[i - 1] == '#' ? n - i + 1 : 0;
}

void c4w_step_put(struct c4w_buf *b, struct c4w_view name, bool id)
{
	static const char digits[] = "0123456789ABCDEF";
	size_t i = 0, mark = name.n - number_tail(name.p, name.n), start;
	while (i < name.n) {
		uint32_t cp;
		unsigned char c;
		size_t len;
		/* Most names are plain from front to back. */
		for (start = i; i < name.n && i != mark && name.p[i] > 0x20 && name.p[i] < 0x7F && name.p[i] != '%' && (name.p[i] != '/' || !id); i++)
			;
		c4w_buf_put(b, name.p + start, i - start);
		if (i == name.n)
			break;
		c = (unsigned char)name.p[i];
		len = c4w_utf8_decode(name.p + i, name.n - i, &cp);
		if (len == 0 || c < 0x20 || c == 0x7F || c == '%' || (id && c == '/') || (i == mark && c == '#')) {
			char code[3] = { '%', digits[c >> 4], digits[c & 15] };
			c4w_buf_put(b, code, 3);
			i++;
			continue;
		}
		c4w_buf_put(b, name.p + i, len);
		i += len;
	}
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* The byte that p[0..n) starts with once decoded, and how many bytes of it that takes. */
static size_t decode_one(const char *p, size_t n, char *out)
{
	if (n >= 3 && p[0] == '%' && hex_digit(p[1]) >= 0 && hex_digit(p[2]) >= 0) {
		*out = (char)(hex_digit(p[1]) << 4 | hex_digit(p[2]));
		return 3;
	}
	*out = p[0];
	return 1;
}

const char *c4w_step_decode(struct c4w_view step, struct c4w_arena *arena, size_t *n)
{
	char *out = c4w_arena_text(arena, step.p, step.n);
	size_t i = 0, used = 0;
	if (!out)
		return NULL;
	while (i < step.n)
		i += decode_one(step.p + i, step.n - i, &out[used++]);
	out[used] = 0;
	*n = used;
	return out;
}

/* Does the name end here: at the end, before a '/', or with "#12" before either? Returns the length of that number's part + 1, else 0. */
static size_t ends_here(struct c4w_view rest, size_t at, uint64_t *nth)
{
	size_t i = at;
	if (at == rest.n || rest.p[at] == '/') {
		if (nth)
			*nth = 0;
		return 1;
	}
	if (!nth || rest.p[at] != '#')
		return 0;
	*nth = 0;
	for (i = at + 1; i < rest.n && rest.p[i] >= '0' && rest.p[i] <= '9' && i - at < 18; i++)
		*nth = *nth * 10 + (uint64_t)(rest.p[i] - '0');
	return i > at + 1 && *nth && (i == rest.n || rest.p[i] == '/') ? i - at + 1 : 0;
}

size_t c4w_step_match_as(struct c4w_view rest, struct c4w_view name, bool encoded, uint64_t *nth)
{
	size_t i = 0, k, tail, mark = name.n - number_tail(name.p, name.n);
	if (encoded) {
		for (k = 0; k < name.n && i < rest.n; k++) {
			char c;
			size_t len = decode_one(rest.p + i, rest.n - i, &c);
			/* "x#2" is the second x; a name that ends so has its '#' encoded. */
			if (c != name.p[k] || (k == mark && len == 1))
				return 0;
			i += len;
		}
		if (k < name.n)
			return 0;
	} else {
		if (rest.n < name.n || memcmp(rest.p, name.p, name.n) != 0)
			return 0;
		i = name.n;
	}
	tail = ends_here(rest, i, nth);
	return tail ? i + tail - 1 : 0;
}

size_t c4w_step_match(struct c4w_view rest, struct c4w_view name, uint64_t *nth)
{
	size_t used = c4w_step_match_as(rest, name, true, nth);
	return used ? used : c4w_step_match_as(rest, name, false, nth);
}

size_t c4w_step_first(struct c4w_view rest)
{
	const char *slash = rest.n ? memchr(rest.p, '/', rest.n) : NULL;
	return slash ? (size_t)(slash - rest.p) : rest.n;
}

/* ---- walking ---- */

int c4w_node_resolve(struct c4w_node *root, const char *leaf, struct c4w_node **out, struct c4w_err *err)
{
	struct c4w_node *at = c4w_node_ref(root);
	struct c4w_view rest = c4w_view_z(leaf);
	char shown[256];
	int cls = C4W_OK;
	*out = NULL;
	while (rest.n) {
		struct c4w_node *child = NULL;
		size_t used = 0;
		if (!at->ops->lookup && c4w_view_eqz(rest, ".")) {
			/* What `ls` calls a file that has nothing inside. */
			break;
		}
		if (!at->ops->lookup) {
			/* Bytes: what are they inside? */
			cls = c4w_node_enter(at, &child, err);
			if (cls == C4W_UNKNOWN || (cls == C4W_OK && !child->ops->lookup)) {
				cls = c4w_fail(err, C4W_UNKNOWN, "there is nothing inside %s, so no '%s'", child ? child->ops->type : "it",
					       c4w_str_escape(shown, sizeof shown, rest.p, rest.n));
				c4w_node_free(child);
				break;
			}
		} else {
			cls = at->ops->lookup(at, rest, &used, &child, err);
			/* "dir/" is "dir"; "a//b" is only what it says. */
			if (cls == C4W_UNKNOWN && rest.p[rest.n - 1] == '/' && rest.n > 1) {
				rest.n--;
				continue;
			}
		}
		if (cls != C4W_OK)
			break;
		rest.p += used;
		rest.n -= used;
		if (used && rest.n) {
			rest.p++;
			rest.n--;
		}
		c4w_node_free(at);
		at = child;
	}
	if (cls != C4W_OK) {
		c4w_node_free(at);
		return cls;
	}
	*out = at;
	return C4W_OK;
}

int c4w_node_stream(struct c4w_node *n, c4w_bytes_fn sink, void *ctx, struct c4w_err *err)
{
	enum { PIECE = 256 * 1024 };
	struct c4w_blob *blob;
	uint64_t at = 0, size;
	uint8_t *piece;
	int cls;
	if (n->ops->stream)
		return n->ops->stream(n, sink, ctx, err);
	if (!n->ops->blob)
		return c4w_fail(err, C4W_USAGE, "%s has no bytes of its own", n->ops->type);
	C4W_TRY(n->ops->blob(n, &blob, err));
	piece = malloc(PIECE);
	cls = piece ? C4W_OK : c4w_fail_memory(err, PIECE);
	size = c4w_blob_size(blob);
	while (cls == C4W_OK && at < size) {
		size_t len = size - at < PIECE ? (size_t)(size - at) : PIECE;
		cls = c4w_blob_read_at(blob, at, len, piece, err);
		if (cls == C4W_OK)
			cls = sink(ctx, piece, len, err);
		at += len;
	}
	free(piece);
	c4w_blob_close(blob);
	return cls;
}
