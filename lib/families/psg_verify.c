/* The verify job over a generator tree: scenes in the walk's order; after each split, and at the end, one more item for names that do
 * not belong, only when there are some. */
#include "families/psg_family.h"
#include "families/psg_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct verify {
	struct c4w_psg_tree *tree;
	const struct c4w_psg_select *sel;
	struct c4w_psg_walk *walk;
	struct c4w_psg_sink sink;
	struct c4w_findings names; /* of the split being walked */
	char unit[48];
	struct c4w_psg_decoders decoders;
	bool full, has_receipts, ended;
	uint64_t scenes, receipts, tensors;
};

struct item {
	struct c4w_psg_ref ref;
	struct c4w_findings *names; /* not a scene */
	char text[64], index[16];
	struct c4w_item_field fields[3];
};

static struct item *new_item(struct c4w_item *out)
{
	struct item *it = calloc(1, sizeof *it);
	out->data = it;
	if (it)
		out->id.text = it->text;
	return it;
}

static int names_item(struct verify *v, struct c4w_item *out, const char *text, struct c4w_err *err)
{
	struct item *it = new_item(out);
	if (!it)
		return c4w_fail_memory(err, sizeof *it);
	it->names = malloc(sizeof *it->names);
	if (!it->names)
		return c4w_fail_memory(err, sizeof *it->names);
	*it->names = v->names; /* moved */
	v->names = (struct c4w_findings){ .each = true };
	snprintf(it->text, sizeof it->text, "%s", text);
	return C4W_OK;
}

/* The tree as a whole: names at the top, and what no scene can say. */
static int last_item(struct verify *v, struct c4w_item *out, bool *end, struct c4w_err *err)
{
	v->ended = true;
	C4W_TRY(c4w_psg_tree_names(v->tree, &v->sink, err));
	v->sink.path = NULL;
	if (!v->scenes && !v->receipts && !(v->sel && (v->sel->index_count || v->sel->r_count || v->sel->splits)))
		c4w_psg_report(&v->sink, "passage.empty", NULL, NULL, "there is no scene and no receipt");
	if (v->tensors && !v->has_receipts && c4w_psg_tree_kind(v->tree) != C4W_PSG_TREE_SCENE)
		c4w_psg_report(&v->sink, "passage.receipt", NULL, NULL, "no scene of the tree has a receipt");
	if (!v->names.n) {
		*end = true;
		return C4W_OK;
	}
	return names_item(v, out, "tree", err);
}

static int next(void *ctx, struct c4w_item *out, bool *end, struct c4w_err *err)
{
	struct verify *v = ctx;
	struct item *it;
	struct c4w_psg_ref ref;
	bool unit_done, walk_end;
	*end = v->ended;
	if (v->ended)
		return C4W_OK;
	for (;;) {
		C4W_TRY(c4w_psg_walk_next(v->walk, &ref, &unit_done, &walk_end, err));
		if (walk_end)
			return last_item(v, out, end, err);
		if (!unit_done)
			break;
		if (v->names.n)
			return names_item(v, out, v->unit[0] ? v->unit : "tree", err);
	}
	v->scenes++;
	v->receipts += (ref.have & C4W_PSG_HAVE_RECEIPT) != 0;
	v->tensors += (ref.have & C4W_PSG_HAVE_TENSOR) != 0;
	it = new_item(out);
	if (!it)
		return c4w_fail_memory(err, sizeof *it);
	it->ref = ref;
	c4w_psg_ref_name(&ref, it->text, sizeof it->text);
	snprintf(v->unit, sizeof v->unit, "%.*s", (int)(strlen(it->text) > 11 ? strlen(it->text) - 11 : 0), it->text);
	snprintf(it->index, sizeof it->index, "%010llu", (unsigned long long)ref.index);
	it->fields[0] = (struct c4w_item_field){ "resolution", NULL, ref.unit->r, ref.unit->r != 0 };
	it->fields[1] = (struct c4w_item_field){ "split", ref.unit->split >= 0 ? c4w_psg_split[ref.unit->split] : NULL, 0, false };
	it->fields[2] = (struct c4w_item_field){ "index", it->index, 0, false };
	out->id.fields = it->fields;
	out->id.n_fields = 3;
	out->cost = ref.have & C4W_PSG_HAVE_TENSOR ? c4w_psg_ref_cost(v->tree, &ref) : 0;
	return C4W_OK;
}

static void work(void *ctx, struct c4w_worker *w, struct c4w_item *item, struct c4w_result *result)
{
	struct verify *v = ctx;
	struct item *it = item->data;
	struct c4w_psg_sink sink = c4w_psg_sink_of(&result->findings);
	struct c4w_psg_decoder *d;
	struct c4w_err err;
	if (it->names) {
		c4w_findings_append(&result->findings, it->names);
		return;
	}
	c4w_err_clear(&err);
	d = c4w_psg_decoder_take(&v->decoders, &err);
	if (!d || c4w_psg_verify_ref(v->tree, &it->ref, v->has_receipts, v->full, d, &w->arena, &sink, &result->bytes, &err) != C4W_OK)
		c4w_findings_add_err(&result->findings, NULL, sink.path, &err);
	c4w_psg_decoder_give(&v->decoders, d);
}

static void release(void *ctx, struct c4w_item *item, struct c4w_result *result)
{
	struct item *it = item->data;
	(void)ctx;
	(void)result;
	if (it && it->names) {
		c4w_findings_clear(it->names);
		free(it->names);
	}
	free(it);
}

static void destroy(void *ctx)
{
	struct verify *v = ctx;
	c4w_psg_walk_free(v->walk);
	c4w_findings_clear(&v->names);
	c4w_psg_decoders_clear(&v->decoders);
	free(v);
}

int c4w_psg_verify_tree(struct c4w_psg_tree *t, const struct c4w_psg_select *sel, bool full, struct c4w_job *out, struct c4w_err *err)
{
	struct verify *v = calloc(1, sizeof *v);
	int cls;
	if (!v)
		return c4w_fail_memory(err, sizeof *v);
	v->tree = t;
	v->sel = sel;
	v->full = full;
	v->has_receipts = c4w_psg_tree_has_receipts(t);
	c4w_psg_decoders_init(&v->decoders);
	v->sink = c4w_psg_sink_of(&v->names);
	cls = c4w_psg_walk_new(t, sel, C4W_PSG_HAVE_ALL, &v->sink, &v->walk, err);
	if (cls != C4W_OK) {
		destroy(v);
		return cls;
	}
	memset(out, 0, sizeof *out);
	out->ctx = v;
	out->next = next;
	out->work = work;
	out->release = release;
	out->destroy = destroy;
	return C4W_OK;
}
