/* Reading a scene's files, and checking one scene of a tree. */
#include "families/psg_load.h"
#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

enum { HEAD = 18 }; /* the longest frame header */

int c4w_psg_read(struct c4w_store *s, const char *rel, uint64_t limit, struct c4w_arena *arena, const uint8_t **p, size_t *n,
		 struct c4w_err *err)
{
	struct c4w_blob *b;
	int cls = c4w_store_open(s, rel, &b, err);
	uint64_t size;
	if (cls != C4W_OK)
		return cls;
	size = c4w_blob_size(b);
	if (size > limit) {
		cls = c4w_fail(err, C4W_LIMIT, "the file has %llu bytes, more than %llu are not read", (unsigned long long)size,
			       (unsigned long long)limit);
		c4w_err_path(err, rel);
	} else {
		*n = (size_t)size;
		cls = c4w_blob_view(b, 0, (size_t)size, arena, p, err);
		if (cls == C4W_OK && size == 0)
			*p = (const uint8_t *)"";
	}
	c4w_blob_close(b);
	return cls;
}

int c4w_psg_read_tensor(struct c4w_blob *b, uint32_t r, struct c4w_arena *arena, const uint8_t **p, size_t *n, struct c4w_psg_frame *f,
			struct c4w_err *err)
{
	uint64_t size = c4w_blob_size(b), top;
	/* A small blob is read at once. A large one must first say that it is a tensor, and not be longer than one can be:
	 * twice what zstd needs at worst leaves room for an encoder that flushes often. */
	if (size > 4 * C4W_MIB) {
		uint8_t head[HEAD];
		struct c4w_err e;
		int cls;
		C4W_TRY(c4w_blob_read_at(b, 0, sizeof head, head, err));
		cls = c4w_psg_frame(head, sizeof head, r, f, &e);
		if (cls != C4W_OK && !(cls == C4W_DAMAGED && strcmp(e.rule, "passage.blob-cut") == 0)) {
			if (err)
				*err = e;
			return cls;
		}
		top = 2 * (uint64_t)ZSTD_compressBound(c4w_psg_bytes(f->r)) + C4W_MIB;
		if (f->r && size > top) {
			c4w_damaged(err, "passage.blob-trailing", -1, "the blob is far longer than its tensor can be");
			return c4w_err_valuesf(err, NULL, "%llu bytes", (unsigned long long)size);
		}
	}
	*n = (size_t)size;
	C4W_TRY(c4w_blob_view(b, 0, *n, arena, p, err));
	return c4w_psg_frame(*p, *n, r, f, err);
}

int c4w_psg_read_meta(struct c4w_store *s, const char *rel, struct c4w_arena *arena, struct c4w_yaml_node **root, struct c4w_err *err)
{
	const uint8_t *p;
	size_t n;
	int cls = c4w_psg_read(s, rel, C4W_LIMIT_YAML_BYTES, arena, &p, &n, err);
	if (cls == C4W_LIMIT && err)
		err->rule = "yaml.size";
	if (cls != C4W_OK)
		return cls;
	return c4w_yaml_parse((const char *)p, n, arena, root, err);
}

struct parts {
	char path[9][160];
	struct c4w_yaml_node *meta_root;
	struct c4w_psg_meta meta;
	struct c4w_psg_scan scan;
	struct c4w_psg_route routes[C4W_PSG_ROUTES];
	struct c4w_psg_scene scene;
};

int c4w_psg_check_blob(struct c4w_psg_scene *c, struct c4w_psg_scan *scan, const uint8_t *data, size_t n, const struct c4w_psg_frame *f, int cls,
		       bool full, struct c4w_psg_decoder *d, struct c4w_psg_sink *s, uint64_t *bytes, struct c4w_err *err)
{
	uint8_t *raw;
	if (cls == C4W_OK && f->content < 0)
		c4w_psg_report(s, "passage.blob-no-size", NULL, NULL, "the frame does not declare its content size");
	if (cls == C4W_OK)
		cls = c4w_psg_decode(d, data, n, f, &raw, err);
	if (cls == C4W_USAGE) /* nothing says the resolution */
		cls = (int)(err->cls = C4W_UNSUPPORTED);
	if (cls != C4W_OK)
		return c4w_psg_report_err(s, err);
	c->r = f->r;
	*bytes = c4w_psg_bytes(f->r);
	if (full) {
		c4w_psg_scan(raw, f->r, scan);
		c->raw = raw;
		c->scan = scan;
	}
	return C4W_OK;
}

static int load_tensor(struct c4w_store *store, struct parts *p, bool full, struct c4w_psg_decoder *d, struct c4w_arena *arena,
		       struct c4w_psg_sink *s, uint64_t *bytes, struct c4w_err *err)
{
	struct c4w_blob *b = NULL;
	struct c4w_psg_frame f;
	const uint8_t *data = NULL;
	size_t n = 0;
	int cls;
	s->path = p->path[0];
	cls = c4w_store_open(store, p->path[0], &b, err);
	if (cls == C4W_OK)
		cls = c4w_psg_read_tensor(b, p->scene.r, arena, &data, &n, &f, err);
	cls = c4w_psg_check_blob(&p->scene, &p->scan, data, n, &f, cls, full, d, s, bytes, err);
	c4w_blob_close(b);
	return cls;
}

static int load_route(struct c4w_store *store, struct parts *p, int k, struct c4w_arena *arena, struct c4w_psg_sink *s, struct c4w_err *err)
{
	const uint8_t *data;
	size_t n;
	int cls;
	s->path = p->path[3 + k];
	cls = c4w_psg_read(store, p->path[3 + k], 64 * C4W_MIB, arena, &data, &n, err);
	if (cls == C4W_OK)
		cls = c4w_psg_csv(data, n, p->scene.r, arena, &p->routes[k], err);
	if (cls != C4W_OK)
		return c4w_psg_report_err(s, err);
	if (p->routes[k].blank_end)
		c4w_psg_report(s, "passage.csv-blank-end", NULL, NULL, "a blank line ends the file");
	p->scene.routes[k] = &p->routes[k];
	return C4W_OK;
}

/* Which parts have to be there, and are not (section 2, "States"). */
static void check_state(const struct c4w_psg_ref *ref, bool tree_has_receipts, struct parts *p, struct c4w_psg_sink *s)
{
	bool tensor = ref->have & C4W_PSG_HAVE_TENSOR, meta = ref->have & C4W_PSG_HAVE_META, receipt = ref->have & C4W_PSG_HAVE_RECEIPT;
	char name[48];
	s->path = p->path[0];
	if (tensor && !receipt && tree_has_receipts)
		c4w_psg_report(s, "passage.receipt", NULL, NULL, "the scene has no receipt: its generation was interrupted");
	if (tensor && receipt && !meta) {
		s->path = p->path[1];
		c4w_psg_report(s, "passage.no-metadata", NULL, NULL, "tensor and receipt are there, the metadata is not");
	}
	if (!tensor && receipt && meta)
		c4w_psg_report(s, "passage.no-tensor", NULL, NULL, "metadata and receipt are there, the tensor is not");
	if (!tensor && !receipt) {
		c4w_psg_ref_name(ref, name, sizeof name);
		s->path = NULL;
		c4w_psg_report(s, "passage.stray", NULL, NULL, "%s without a tensor and without a receipt",
			       meta ? "metadata" : "a route");
	}
}

int c4w_psg_verify_ref(struct c4w_psg_tree *t, const struct c4w_psg_ref *ref, bool tree_has_receipts, bool full, struct c4w_psg_decoder *d,
		       struct c4w_arena *arena, struct c4w_psg_sink *s, uint64_t *bytes, struct c4w_err *err)
{
	struct c4w_store *store = c4w_psg_tree_store(t);
	struct c4w_psg_scene *c;
	struct parts *p;
	void *mem;
	unsigned k;
	*bytes = 0;
	C4W_TRY(c4w_arena_zero(arena, 1, sizeof *p, &mem, err));
	p = mem;
	c = &p->scene;
	for (k = 0; k < 9; k++)
		c4w_psg_ref_path(ref, k, p->path[k], sizeof p->path[k]);
	check_state(ref, tree_has_receipts, p, s);
	c->r = ref->unit->r;
	c->dir_r = ref->unit->r ? (int64_t)ref->unit->r : -1;
	c->dir_split = ref->unit->split;
	c->dir_index = (int64_t)ref->index;
	c->has_dir_tile = ref->lat[0] && c4w_psg_tile(ref->lat, false, &c->dir_tile[0]) && c4w_psg_tile(ref->lon, true, &c->dir_tile[1]);
	c->tensor_path = p->path[0];
	c->meta_path = p->path[1];
	if (ref->have & C4W_PSG_HAVE_META) {
		int cls;
		s->path = p->path[1];
		cls = c4w_psg_read_meta(store, p->path[1], arena, &p->meta_root, err);
		if (cls == C4W_OK) {
			c4w_psg_meta_read(p->meta_root, s, &p->meta);
			c->meta = &p->meta;
			if (!c->r && p->meta.has_resolution)
				c->r = (uint32_t)p->meta.resolution;
		} else {
			C4W_TRY(c4w_psg_report_err(s, err));
		}
	}
	if (ref->have & C4W_PSG_HAVE_TENSOR)
		C4W_TRY(load_tensor(store, p, full, d, arena, s, bytes, err));
	for (k = 0; k < C4W_PSG_ROUTES; k++) {
		c->route_path[k] = p->path[3 + k];
		if (ref->have & ((unsigned)C4W_PSG_HAVE_ROUTE0 << k)) {
			C4W_TRY(load_route(store, p, (int)k, arena, s, err));
		} else if (c->meta && p->meta.routes[k].ok && (ref->have & C4W_PSG_HAVE_TENSOR) && (ref->have & C4W_PSG_HAVE_RECEIPT)) {
			s->path = p->path[3 + k];
			c4w_psg_report(s, "passage.route-missing", NULL, NULL, "%s %s: the route's status is ok, its file is missing",
				       c4w_psg_solver[k / 2], c4w_psg_variant[k % 2]);
		}
	}
	return c4w_psg_check(c, d, s, err);
}
