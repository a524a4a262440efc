/* Members of an archive by name, and the folders that show in their names. See node_members.h. */
#include "model/node_members.h"

#include <stdlib.h>

/* "dir/" is the folder "dir". */
static struct c4w_view trimmed(struct c4w_view name)
{
	if (name.n > 1 && name.p[name.n - 1] == '/')
		name.n--;
	return name;
}

static struct c4w_view alias_of(const struct c4w_member_name *m)
{
	struct c4w_view v = m->name;
	v.n = m->npy && v.n > 4 ? v.n - 4 : 0;
	return v;
}

/* Does the address `rest`, decoded or as it is, name a folder above `name`? */
static bool is_above(struct c4w_view rest, struct c4w_view name, struct c4w_arena *scratch)
{
	struct c4w_arena_mark mark = c4w_arena_mark(scratch);
	size_t n = 0;
	const char *plain = c4w_step_decode(rest, scratch, &n);
	bool above = plain && n && n < name.n && memcmp(plain, name.p, n) == 0 && name.p[n] == '/';
	c4w_arena_rewind(scratch, mark);
	return above || (rest.n && rest.n < name.n && memcmp(rest.p, name.p, rest.n) == 0 && name.p[rest.n] == '/');
}

struct hit {
	size_t used, seen; /* members that match with this length, for NAME#k */
	size_t readings, index, second;
};

/* One name against the address; keeps the longest. */
static void try_name(struct hit *h, struct c4w_view rest, struct c4w_view name, size_t index, bool encoded)
{
	uint64_t nth = 0;
	size_t used = name.n ? c4w_step_match_as(rest, name, encoded, &nth) : 0;
	if (!used || used < h->used)
		return;
	if (used > h->used)
		*h = (struct hit){ .used = used };
	h->seen++;
	if (nth && nth != h->seen)
		return;
	if (h->readings++ == 0)
		h->index = index;
	else if (h->readings == 2)
		h->second = index;
}

int c4w_members_lookup(const struct c4w_member_name *names, size_t count, struct c4w_view rest, size_t *index, size_t *used,
		       struct c4w_err *err)
{
	struct hit h = { 0 };
	struct c4w_arena scratch = { 0 };
	char shown[200], a[120], b[120];
	bool folder = false;
	size_t i;
	int round;
	/* What `ls` prints is encoded; only when that is nobody's address is it a name typed as it is. */
	for (round = 0; round < 2 && !h.readings; round++) {
		h = (struct hit){ 0 };
		for (i = 0; i < count; i++) {
			try_name(&h, rest, trimmed(names[i].name), i, round == 0);
			if (names[i].npy)
				try_name(&h, rest, alias_of(&names[i]), i, round == 0);
		}
	}
	*used = h.used;
	if (h.readings == 1) {
		*index = h.index;
		return C4W_OK;
	}
	c4w_str_escape(shown, sizeof shown, rest.p, h.used ? h.used : rest.n);
	if (h.readings > 1) {
		struct c4w_view *addresses;
		C4W_TRY(c4w_members_addresses(names, count, &scratch, &addresses, err));
		c4w_str_escape(a, sizeof a, addresses[h.index].p, addresses[h.index].n);
		c4w_str_escape(b, sizeof b, addresses[h.second].p, addresses[h.second].n);
		c4w_arena_clear(&scratch);
		return c4w_fail(err, C4W_USAGE, "'%s' has %zu readings: '%s', '%s'%s", shown, h.readings, a, b, h.readings > 2 ? ", ..." : "");
	}
	for (i = 0; i < count && !folder; i++)
		folder = is_above(rest, names[i].name, &scratch);
	c4w_arena_clear(&scratch);
	if (folder) {
		*index = SIZE_MAX;
		*used = rest.n;
		return C4W_OK;
	}
	if (h.seen)
		return c4w_fail(err, C4W_UNKNOWN, "there is no '%s', there are %zu of that name", shown, h.seen);
	return c4w_fail(err, C4W_UNKNOWN, "there is no '%s'", shown);
}

struct order {
	struct c4w_view name;
	size_t index;
};

static int by_name(const void *a, const void *b)
{
	const struct order *x = a, *y = b;
	int c = c4w_view_cmp(x->name, y->name);
	return c ? c : x->index < y->index ? -1 : x->index > y->index;
}

static bool is_there(const struct order *sorted, size_t count, struct c4w_view name)
{
	size_t low = 0, high = count;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int c = c4w_view_cmp(name, sorted[mid].name);
		if (c == 0)
			return true;
		if (c < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return false;
}

int c4w_members_addresses(const struct c4w_member_name *names, size_t count, struct c4w_arena *arena, struct c4w_view **out,
			  struct c4w_err *err)
{
	struct c4w_buf b = { 0 };
	struct order *sorted = calloc(count ? count : 1, sizeof *sorted);
	void *mem;
	size_t i, k;
	int cls = sorted ? c4w_arena_zero(arena, count ? count : 1, sizeof **out, &mem, err) : c4w_fail_memory(err, count * sizeof *sorted);
	if (cls == C4W_OK)
		*out = mem;
	for (i = 0; i < count && cls == C4W_OK; i++)
		sorted[i] = (struct order){ trimmed(names[i].name), i };
	if (cls == C4W_OK && count > 1)
		qsort(sorted, count, sizeof *sorted, by_name);
	for (i = 0; i < count && cls == C4W_OK; i = k) {
		for (k = i + 1; k < count && c4w_view_eq(sorted[i].name, sorted[k].name); k++)
			;
		for (size_t same = i; same < k && cls == C4W_OK; same++) {
			const struct c4w_member_name *m = &names[sorted[same].index];
			struct c4w_view alias = alias_of(m);
			char *text;
			c4w_buf_reset(&b);
			c4w_step_put(&b, alias.n && !is_there(sorted, count, alias) ? alias : sorted[same].name, false);
			if (k - i > 1 || b.n == 0)
				c4w_buf_printf(&b, "#%zu", same - i + 1);
			text = b.failed ? NULL : c4w_arena_text(arena, b.p, b.n);
			if (!text)
				cls = c4w_fail_memory(err, b.n);
			(*out)[sorted[same].index] = (struct c4w_view){ text, b.n };
		}
	}
	free(sorted);
	c4w_buf_clear(&b);
	return cls;
}

/* ---- the archive, and its folders ---- */

static int take_names(struct c4w_members *n, size_t count, struct c4w_err *err)
{
	void *mem;
	C4W_TRY(c4w_arena_zero(&n->arena, count + 1, sizeof *n->names, &mem, err));
	n->names = mem;
	C4W_TRY(c4w_arena_zero(&n->arena, count + 1, sizeof *n->which, &mem, err));
	n->which = mem;
	return C4W_OK;
}

int c4w_members_init(struct c4w_members *n, const struct c4w_members_kind *kind, struct c4w_blob *blob, size_t count, struct c4w_err *err)
{
	n->kind = kind;
	n->archive = n;
	n->blob = c4w_blob_ref(blob);
	C4W_TRY(take_names(n, count, err));
	for (; n->count < count; n->count++)
		n->which[n->count] = n->count;
	return C4W_OK;
}

int c4w_members_begin(struct c4w_members *n, const struct c4w_list_opts *o, const struct c4w_rows *rows, const struct c4w_column *columns, size_t ncolumns,
		      struct c4w_view **addresses, struct c4w_err *err)
{
	if (o->what != C4W_LIST_CHILDREN)
		return c4w_fail(err, C4W_UNSUPPORTED, "--records and --files are for datasets");
	C4W_TRY(c4w_members_addresses(n->names, n->count, &n->arena, addresses, err));
	return rows->begin(rows->ctx, columns, ncolumns);
}

/* The members of `from` below the folder that is called so, without the '/' behind it. */
static int choose(struct c4w_members *n, const struct c4w_members *from, struct c4w_view name, struct c4w_err *err)
{
	size_t i, skip = name.n + 1;
	C4W_TRY(take_names(n, from->count, err));
	for (i = 0; i < from->count; i++) {
		struct c4w_member_name m = from->names[i];
		if (m.name.n <= skip || m.name.p[name.n] != '/' || memcmp(m.name.p, name.p, name.n) != 0)
			continue;
		m.name.p += skip;
		m.name.n -= skip;
		n->names[n->count] = m;
		n->which[n->count++] = from->which[i];
	}
	return C4W_OK;
}

/* The folder of a member's name, or of what was typed: that is encoded, or else as it is, with percent signs of its own. */
static int fill_folder(struct c4w_members *f, const struct c4w_members *from, const struct c4w_member_name *member, struct c4w_view typed, struct c4w_err *err)
{
	struct c4w_view name = { NULL, 0 };
	if (member) {
		name = member->name;
		name.n -= name.n && name.p[name.n - 1] == '/';
		return choose(f, from, name, err);
	}
	name.p = c4w_step_decode(typed, &f->arena, &name.n);
	if (!name.p)
		return c4w_fail_memory(err, typed.n);
	C4W_TRY(choose(f, from, name, err));
	return f->count ? C4W_OK : choose(f, from, typed, err);
}

int c4w_members_child(struct c4w_node *node, struct c4w_view rest, size_t *used, struct c4w_node **child, struct c4w_err *err)
{
	struct c4w_members *n = (struct c4w_members *)node, *folder;
	const struct c4w_member_name *name = NULL;
	struct c4w_member *m;
	size_t index = 0;
	int cls;
	C4W_TRY(c4w_members_lookup(n->names, n->count, rest, &index, used, err));
	if (index != SIZE_MAX)
		name = &n->names[index];
	if (name && !n->kind->is_folder(n->archive, n->which[index])) {
		m = c4w_node_new(n->kind->member_bytes, n->kind->member, C4W_NODE_BYTES, node);
		if (!m)
			return c4w_fail_memory(err, n->kind->member_bytes);
		m->archive = n->archive;
		m->which = n->which[index];
		*child = &m->base;
		return C4W_OK;
	}
	folder = c4w_node_new(sizeof *folder, n->kind->folder, C4W_NODE_DIR, node);
	if (!folder)
		return c4w_fail_memory(err, sizeof *folder);
	folder->kind = n->kind;
	folder->archive = n->archive;
	cls = fill_folder(folder, n, name, rest, err);
	if (cls == C4W_OK)
		*child = &folder->base;
	else
		c4w_node_free(&folder->base);
	return cls;
}

int c4w_members_blob(struct c4w_node *node, struct c4w_blob **out, struct c4w_err *err)
{
	(void)err;
	*out = c4w_blob_ref(((struct c4w_members *)node)->blob);
	return C4W_OK;
}

void c4w_members_destroy(struct c4w_node *node)
{
	struct c4w_members *n = (struct c4w_members *)node;
	c4w_blob_close(n->blob);
	c4w_arena_clear(&n->arena);
}
