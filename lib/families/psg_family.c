/* The PASSAGE family's table: probing, opening, what info says. */
#include "families/psg_decode.h"

#include <stdlib.h>
#include <string.h>

static void probe(const char *path, struct c4w_probe *out)
{
	if (c4w_psg_tree_probe(path, out->why, sizeof out->why) != C4W_PSG_TREE_NONE ||
	    c4w_psg_shards_probe(path, out->why, sizeof out->why) != C4W_PSG_SHARDS_NONE)
		out->sure = C4W_SURE_CERTAIN;
}

static void close_root(void *root)
{
	struct c4w_psg_root *r = root;
	if (!r)
		return;
	c4w_psg_tree_close(r->tree);
	c4w_psg_shards_close(r->shards);
	free(r);
}

static int open_root(const char *path, void **out, struct c4w_err *err)
{
	struct c4w_psg_root *r = calloc(1, sizeof *r);
	char why[160];
	int cls;
	*out = NULL;
	if (!r)
		return c4w_fail_memory(err, sizeof *r);
	if (c4w_psg_shards_probe(path, why, sizeof why) != C4W_PSG_SHARDS_NONE)
		cls = c4w_psg_shards_open(path, &r->shards, err);
	else
		cls = c4w_psg_tree_open(path, &r->tree, err);
	if (cls != C4W_OK) {
		close_root(r);
		return cls;
	}
	*out = r;
	return C4W_OK;
}

static int open_several(const char *const *paths, size_t n, void **out, struct c4w_err *err)
{
	struct c4w_psg_root *r = calloc(1, sizeof *r);
	int cls;
	*out = NULL;
	if (!r)
		return c4w_fail_memory(err, sizeof *r);
	cls = c4w_psg_shards_open_several(paths, n, &r->shards, err);
	if (cls != C4W_OK) {
		close_root(r);
		return cls;
	}
	*out = r;
	return C4W_OK;
}

static int describe_tree(struct c4w_psg_tree *t, struct c4w_facts *out, struct c4w_err *err)
{
	enum { COMPLETE = C4W_PSG_SPLITS, INTERRUPTED, WITHOUT, STRAY, COUNTS };
	struct c4w_fact count[COUNTS] = { { .key = "scenes_train" }, { .key = "scenes_calibration" }, { .key = "scenes_validation" },
					  { .key = "scenes_test" }, { .key = "complete" }, { .key = "without_receipt" },
					  { .key = "receipts_without_tensor" }, { .key = "stray" } };
	static const char *const kinds[] = { "", "generator tree", "one resolution of a generator tree", "one split of a generator tree",
					     "a scene of a generator tree" };
	struct c4w_psg_walk *w;
	struct c4w_psg_ref ref;
	size_t n, i;
	const struct c4w_psg_unit *units = c4w_psg_tree_units(t, &n);
	char list[200] = "";
	size_t used = 0;
	bool end = false;
	int cls;
	c4w_facts_text(out, "kind", "%s", kinds[c4w_psg_tree_kind(t)]);
	for (i = 0; i < n && used < sizeof list - 16; i++)
		if (units[i].r && (i == 0 || units[i].r != units[i - 1].r))
			used += (size_t)snprintf(list + used, sizeof list - used, "%s%u", used ? ", " : "", units[i].r);
	if (used)
		c4w_facts_text(out, "resolutions", "%s", list);
	C4W_TRY(c4w_psg_walk_new(t, NULL, C4W_PSG_HAVE_TENSOR | C4W_PSG_HAVE_META | C4W_PSG_HAVE_RECEIPT, NULL, &w, err));
	for (;;) {
		cls = c4w_psg_walk_next(w, &ref, NULL, &end, err);
		if (cls != C4W_OK || end)
			break;
		if (ref.have & C4W_PSG_HAVE_TENSOR) {
			count[ref.have & C4W_PSG_HAVE_RECEIPT ? COMPLETE : INTERRUPTED].number++;
			if (ref.unit->split >= 0)
				count[ref.unit->split].number++;
		} else {
			count[ref.have & C4W_PSG_HAVE_RECEIPT ? WITHOUT : STRAY].number++;
		}
	}
	c4w_psg_walk_free(w);
	if (cls != C4W_OK)
		return cls;
	c4w_facts_number(out, "scenes", count[COMPLETE].number + count[INTERRUPTED].number);
	count[COMPLETE].number = 0; /* what the others leave */
	c4w_facts_numbers(out, count, COUNTS, true);
	return C4W_OK;
}

static int describe_shards(struct c4w_psg_shards *set, struct c4w_facts *out, struct c4w_err *err)
{
	static const char *const kinds[] = { "", "Parquet shard", "folder of Parquet shards", "one resolution of a Parquet export", "Parquet export",
					     "several shards" };
	size_t n, i;
	const struct c4w_psg_shard *v = c4w_psg_shards_list(set, &n);
	int64_t rows = 0, groups = 0, samples = 0;
	c4w_facts_text(out, "kind", "%s", kinds[c4w_psg_shards_kind(set)]);
	for (i = 0; i < n; i++) {
		struct c4w_psg_file *f;
		C4W_TRY(c4w_psg_file_open(&v[i], NULL, &f, err));
		*(v[i].samples ? &samples : &rows) += c4w_pq_rows(f->pq);
		groups += (int64_t)c4w_pq_groups(f->pq);
		c4w_psg_file_close(f);
	}
	c4w_facts_numbers(out, (struct c4w_fact[]){ { .key = "shards", .number = (int64_t)n }, { .key = "row_groups", .number = groups },
						    { .key = "scenes", .number = rows } }, 3, false);
	c4w_facts_numbers(out, &(struct c4w_fact){ .key = "sample_rows", .number = samples }, 1, true);
	return C4W_OK;
}

static int describe(void *root, struct c4w_facts *out, struct c4w_err *err)
{
	struct c4w_psg_root *r = root;
	return r->tree ? describe_tree(r->tree, out, err) : describe_shards(r->shards, out, err);
}

static int compile(void *root, const struct c4w_selargs *args, void **selection, struct c4w_err *err)
{
	struct c4w_psg_root *r = root;
	struct c4w_psg_select *s;
	size_t n, i, used = 0;
	char list[240] = "";
	C4W_TRY(c4w_psg_select_parse(args, &s, err));
	if (r->tree) {
		const struct c4w_psg_unit *u = c4w_psg_tree_units(r->tree, &n);
		for (i = 0; i < n && !c4w_psg_selects_unit(s, u[i].r, u[i].split); i++)
			if (used < sizeof list - 40)
				used += (size_t)snprintf(list + used, sizeof list - used, "%s%u/%s", used ? ", " : "", u[i].r,
							 u[i].split >= 0 ? c4w_psg_split[u[i].split] : "?");
	} else {
		const struct c4w_psg_shard *v = c4w_psg_shards_list(r->shards, &n);
		for (i = 0; i < n && !c4w_psg_selects_unit(s, v[i].r, v[i].split); i++)
			if (used < sizeof list - 60 && (i == 0 || v[i].folder != v[i - 1].folder))
				used += (size_t)snprintf(list + used, sizeof list - used, "%s%ux%u/%s", used ? ", " : "", v[i].r, v[i].r,
							 v[i].split >= 0 ? c4w_psg_split[v[i].split] : "?");
	}
	if (n && i == n) {
		c4w_psg_select_free(s);
		return c4w_fail(err, C4W_USAGE, "nothing here is selected; there is %s", list);
	}
	*selection = s;
	return C4W_OK;
}

static int verify(void *root, const void *selection, enum c4w_level level, struct c4w_job *out, struct c4w_err *err)
{
	struct c4w_psg_root *r = root;
	return r->tree ? c4w_psg_verify_tree(r->tree, selection, level == C4W_LEVEL_FULL, out, err) :
			 c4w_psg_verify_shards(r->shards, selection, level == C4W_LEVEL_FULL, out, err);
}

static const struct c4w_seloption options[] = {
	{ "resolution", "R", true, "only these resolutions", "Only scenes of these resolutions: 64, 128, ... 4096. Several are separated by commas.",
	  "64,128,256,512,1024,2048,4096" },
	{ "split", "NAME", true, "only these splits", "Only train, calibration, validation or test.", "train,calibration,validation,test" },
	{ "index", "N,M-K", true, "only these scene indices", "Only scenes with these indices: numbers and ranges, separated by commas.", NULL },
	{ "solver", "NAME", true, "only routes of these solvers",
	  "Only routes of these solvers: astar_elevation, astar_energy, astar_slope, or the same without astar_.",
	  "astar_elevation,astar_energy,astar_slope" },
	{ "variant", "NAME", true, "only free routes, or those around obstacles", "Only routes that ignore obstacles (free) or avoid them (obstacles).",
	  "free,obstacles" },
	{ 0 },
};

static const struct c4w_rule *const rules[] = { c4w_psg_rules, c4w_yaml_rules, NULL };

const struct c4w_family c4w_family_passage = {
	.name = "passage",
	.title = "PASSAGE data set",
	.rules = rules,
	.options = options,
	.probe = probe,
	.open = open_root,
	.open_several = open_several,
	.close = close_root,
	.describe = describe,
	.compile = compile,
	.selection_free = c4w_psg_select_free,
	.verify = verify,
	.node = c4w_psg_node,
	.extract = c4w_psg_extract,
};
