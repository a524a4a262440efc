/* The Channels4World family: its table of functions. */
#include "families/chw.h"
#include "families/chw_node.h"

#include <inttypes.h>

static void probe(const char *path, struct c4w_probe *out)
{
	struct c4w_store *s;
	struct c4w_stat st;
	if (c4w_store_open_dir(path, &s, NULL) != C4W_OK)
		return;
	if (c4w_store_stat(s, "c4w-root.json", &st, NULL) == C4W_OK && st.kind == C4W_KIND_FILE) {
		out->sure = C4W_SURE_CERTAIN;
		snprintf(out->why, sizeof out->why, "it has a c4w-root.json");
	}
	c4w_store_close(s);
}

static int open_root(const char *path, void **root, struct c4w_err *err)
{
	struct c4w_store *s;
	struct chw_root *r = NULL;
	int cls;
	*root = NULL;
	C4W_TRY(c4w_store_open_dir(path, &s, err));
	cls = chw_root_open(s, path, &r, err);
	c4w_store_close(s);
	*root = r;
	return cls;
}

static void close_root(void *root)
{
	chw_root_free(root);
}

bool chw_file_present(const struct chw_root *r, const struct chw_file *f, struct chw_last_folder *last)
{
	struct c4w_stat st;
	const char *slash = strrchr(f->path, '/');
	size_t n = slash ? (size_t)(slash - f->path) : 0;
	if (n && n < sizeof last->path) {
		if (n != last->n || memcmp(last->path, f->path, n) != 0) {
			memcpy(last->path, f->path, n);
			last->path[n] = 0;
			last->n = n;
			last->there = c4w_store_stat(r->store, last->path, &st, NULL) != C4W_OK || st.kind != C4W_KIND_NONE;
		}
		if (!last->there)
			return false;
	}
	return c4w_store_stat(r->store, f->path, &st, NULL) == C4W_OK && st.kind == C4W_KIND_FILE;
}

static void join_names(char *buf, size_t size, const struct chw_names *names)
{
	size_t used = 0;
	uint32_t i;
	buf[0] = 0;
	for (i = 0; i < names->n && used < size; i++)
		used += (size_t)snprintf(buf + used, size - used, "%s%s", i ? ", " : "", names->v[i]);
}

static int describe(void *root, struct c4w_facts *out, struct c4w_err *err)
{
	const struct chw_root *r = root;
	char text[400];
	uint64_t listed = 0, on_disk = 0;
	int64_t files_present = 0, meta = 0, meta_present = 0;
	bool component[CHW_COMPONENTS] = { false };
	struct chw_last_folder last = { .n = 0 };
	uint32_t i, k;
	size_t used;
	C4W_TRY(chw_root_sound(r, err));
	c4w_facts_text(out, "kind", "%s", chw_kind_names[r->kind]);
	c4w_facts_text(out, "payload", "%s", chw_payload_names[r->payload]);
	c4w_facts_text(out, "collection", "%s", r->collection_id);
	c4w_facts_text(out, "release", "%s", r->release);
	if (r->created_by)
		c4w_facts_text(out, "created_by", "%s", r->created_by);
	c4w_facts_number(out, "scenes", r->n_scenes);
	for (i = 0; i < r->splits.n; i++) {
		int64_t n = 0;
		for (k = 0; k < r->n_scenes; k++)
			n += r->scenes[k].split == i;
		c4w_facts_text(out, "split", "%s: %" PRId64 " scenes", r->splits.v[i], n);
	}
	for (i = 0; i < r->tiers.n; i++) {
		int64_t n = 0;
		for (k = 0; k < r->n_scenes; k++)
			n += r->scenes[k].tier <= i;
		c4w_facts_text(out, "tier", "%s: %" PRId64 " scenes", r->tiers.v[i], n);
	}
	join_names(text, sizeof text, &r->profiles);
	c4w_facts_text(out, "profiles", "%s", text);
	for (i = 0, used = 0, text[0] = 0; i < r->n_frequencies && used < sizeof text; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%" PRId64, i ? ", " : "", r->frequencies[i]);
	c4w_facts_text(out, "frequencies_hz", "%s", text);
	for (i = 0; i < r->n_files; i++) {
		const struct chw_file *f = &r->files[i];
		bool there = chw_file_present(r, f, &last);
		listed += (uint64_t)f->bytes;
		if (there) {
			files_present++;
			on_disk += (uint64_t)f->bytes;
		}
		if (f->kind == CHW_MEMBERS || f->kind == CHW_SNAPSHOT) {
			meta++;
			meta_present += there;
		}
		if (f->component < CHW_COMPONENTS)
			component[f->component] = true;
	}
	for (i = 0, used = 0, text[0] = 0; i < CHW_COMPONENTS; i++)
		if (component[i])
			used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "", chw_component_names[i]);
	c4w_facts_text(out, "components", "%s", text);
	c4w_facts_number(out, "groups", r->n_groups);
	c4w_facts_number(out, "group_metadata_files", meta);
	c4w_facts_number(out, "group_metadata_present", meta_present);
	c4w_facts_number(out, "files", r->n_files);
	c4w_facts_number(out, "files_present", files_present);
	c4w_facts_number(out, "bytes_listed", (int64_t)listed);
	c4w_facts_number(out, "bytes_present", (int64_t)on_disk);
	return C4W_OK;
}

static const struct c4w_rule *const rules[] = { chw_rules, NULL };

static const char *const item_keys[] = { "scene_id", "component", "frequency_hz", "bs", NULL };

const struct c4w_family c4w_family_channels4world = {
	.name = "channels4world",
	.title = "Channels4World root",
	.rules = rules,
	.options = chw_options,
	.item_keys = item_keys,
	.probe = probe,
	.open = open_root,
	.close = close_root,
	.describe = describe,
	.compile = chw_compile,
	.selection_free = chw_selection_free,
	.verify = chw_verify_job,
	.node = chw_node,
	.extract = chw_extract,
	.to_cache = chw_to_cache,
	.missing = chw_missing,
	.recipe = chw_recipe,
};
