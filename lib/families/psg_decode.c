/* The decode job: each scene of a tree, row of a shard, or loose blob becomes one file.
 *
 * NPY and raw leave while the tensor is decoded, so that a worker holds the blob and a piece. A blob that turns out damaged behind its
 * first pieces leaves no file: a sink's file has its name only when it is whole.
 */
#include "families/psg_decode.h"
#include "families/psg_load.h"
#include "base/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int c4w_psg_input_open(const char *path, struct c4w_psg_input *out, struct c4w_err *err)
{
	struct c4w_psg_file *f;
	size_t n;
	char why[160];
	int cls;
	memset(out, 0, sizeof *out);
	out->name = path;
	if (c4w_psg_tree_probe(path, why, sizeof why) != C4W_PSG_TREE_NONE)
		return c4w_psg_tree_open(path, &out->tree, err);
	if (c4w_psg_shards_probe(path, why, sizeof why) != C4W_PSG_SHARDS_NONE)
		return c4w_psg_shards_open(path, &out->shards, err);
	C4W_TRY(c4w_blob_file(path, &out->blob, err));
	if (!c4w_pq_probe(out->blob))
		return C4W_OK;
	/* Parquet, but no shard, or a damaged one: its own error says more than that it is no frame. */
	cls = c4w_psg_shards_open(path, &out->shards, err);
	if (cls == C4W_OK)
		cls = c4w_psg_file_open(c4w_psg_shards_list(out->shards, &n), NULL, &f, err);
	if (cls == C4W_OK) {
		c4w_psg_file_close(f);
		cls = c4w_fail(err, C4W_UNSUPPORTED, "is a Parquet file without the columns of scenes");
	}
	c4w_psg_input_close(out);
	return cls;
}

void c4w_psg_input_close(struct c4w_psg_input *in)
{
	c4w_psg_tree_close(in->tree);
	c4w_psg_shards_close(in->shards);
	c4w_blob_close(in->blob);
	memset(in, 0, sizeof *in);
}

bool c4w_psg_input_single(const struct c4w_psg_input *in)
{
	return in->blob || (in->tree && c4w_psg_tree_kind(in->tree) == C4W_PSG_TREE_SCENE);
}

/* Does the path leave the resolution or the split to the metadata? */
static bool vague(const struct c4w_psg_unit *u)
{
	return !u->r || u->split < 0;
}

bool c4w_psg_input_collides(const struct c4w_psg_input *in)
{
	const struct c4w_psg_unit *u;
	size_t n = 0, i = 0;
	if (!in->tree)
		return in->shards != NULL;
	for (u = c4w_psg_tree_units(in->tree, &n); i < n && !vague(&u[i]); i++)
		;
	return i < n;
}

bool c4w_psg_input_several(const struct c4w_psg_input *in, const struct c4w_psg_select *sel)
{
	struct c4w_psg_walk *walk = NULL;
	struct c4w_psg_rows *rows = NULL;
	unsigned n = 0;
	bool end = in->blob != NULL;
	if (in->tree && c4w_psg_walk_new(in->tree, sel, C4W_PSG_HAVE_TENSOR, NULL, &walk, NULL) != C4W_OK)
		return false;
	if (in->shards && c4w_psg_rows_new(in->shards, sel, 0, NULL, &rows, NULL) != C4W_OK)
		return false;
	while (!end && n < 2) {
		struct c4w_psg_ref ref = { 0 };
		struct c4w_psg_row row = { 0 };
		if ((walk ? c4w_psg_walk_next(walk, &ref, NULL, &end, NULL) : c4w_psg_rows_next(rows, &row, NULL, &end, NULL)) != C4W_OK)
			break;
		n += !end && (!walk || (ref.have & C4W_PSG_HAVE_TENSOR));
		c4w_psg_row_free(&row);
	}
	c4w_psg_walk_free(walk);
	c4w_psg_rows_free(rows);
	return n > 1;
}

struct decode {
	struct c4w_psg_input *in;
	const struct c4w_psg_decode *o;
	struct c4w_psg_walk *walk;
	struct c4w_psg_rows *rows;
	bool done;
	/* the tile of the last scene, and whether it has a folder of metadata */
	const struct c4w_psg_unit *tile_unit;
	char tile[16];
	bool tile_meta;
};

struct item {
	struct c4w_psg_ref ref;
	struct c4w_psg_row row;
	bool has_meta; /* a tree's: there may be some */
	char text[96];
	struct c4w_psg_decoded out;
};

/* A worker's own: the decoder, and a buffer for what is not the tensor itself. */
struct worker {
	struct c4w_psg_decoder d;
	struct c4w_buf buf;
};

/* Everything about one scene, wherever it came from. */
struct scene {
	struct c4w_psg_scene c;
	struct c4w_psg_meta meta;
	struct c4w_psg_route routes[C4W_PSG_ROUTES];
	char name[96];
	char tensor_path[160]; /* of a tree's scene: for messages */
	const uint8_t *blob;   /* checked by c4w_psg_frame; NULL: not read */
	size_t blob_n;
	struct c4w_psg_frame frame;
};

/* Trees of tensors alone would otherwise pay for a look at a missing file with each scene. */
static bool tile_has_meta(struct decode *d, const struct c4w_psg_ref *ref)
{
	char tile[sizeof d->tile], rel[160];
	struct c4w_stat st;
	snprintf(tile, sizeof tile, "%s/%s", ref->lat, ref->lon);
	if (d->tile_unit == ref->unit && strcmp(d->tile, tile) == 0)
		return d->tile_meta;
	d->tile_unit = ref->unit;
	memcpy(d->tile, tile, sizeof tile);
	snprintf(rel, sizeof rel, "%smetadata/%s", ref->unit->base, tile);
	d->tile_meta = c4w_store_stat(c4w_psg_tree_store(d->in->tree), rel, &st, NULL) != C4W_OK || st.kind != C4W_KIND_NONE;
	return d->tile_meta;
}

static bool in_pieces(const struct c4w_psg_decode *o)
{
	return c4w_psg_encode_in_pieces(&o->encode) && !o->sketch;
}

static int next(void *ctx, struct c4w_item *out, bool *end, struct c4w_err *err)
{
	struct decode *d = ctx;
	struct item *it;
	uint64_t tensor;
	uint32_t r;
	*end = d->done;
	if (d->done)
		return C4W_OK;
	it = calloc(1, sizeof *it);
	if (!it)
		return c4w_fail_memory(err, sizeof *it);
	out->data = it;
	out->id.text = it->text;
	if (d->in->blob) {
		d->done = true;
		snprintf(it->text, sizeof it->text, "%.90s", d->in->name);
		out->cost = c4w_blob_size(d->in->blob);
		return C4W_OK;
	}
	if (d->in->tree) {
		do {
			int cls = c4w_psg_walk_next(d->walk, &it->ref, NULL, end, err);
			if (cls != C4W_OK || *end) {
				free(it);
				out->data = NULL;
				return cls;
			}
		} while (!(it->ref.have & C4W_PSG_HAVE_TENSOR));
		c4w_psg_ref_name(&it->ref, it->text, sizeof it->text);
		it->has_meta = tile_has_meta(d, &it->ref);
		r = it->ref.unit->r;
	} else {
		int cls = c4w_psg_rows_next(d->rows, &it->row, NULL, end, &it->out.err);
		if (cls != C4W_OK && c4w_psg_report_err(NULL, &it->out.err) == C4W_OK) { /* the other shards may be fine */
			snprintf(it->text, sizeof it->text, "%.90s", it->out.err.path);
			return C4W_OK;
		}
		if (cls != C4W_OK || *end) {
			if (cls != C4W_OK && err)
				*err = it->out.err;
			free(it);
			out->data = NULL;
			return cls;
		}
		if (it->row.id_ok)
			snprintf(it->text, sizeof it->text, "%.60s %010llu", it->row.shard->path, (unsigned long long)it->row.index);
		else
			snprintf(it->text, sizeof it->text, "%.60s row %llu", it->row.shard->path, (unsigned long long)it->row.number);
		r = it->row.shard->r;
	}
	out->cost = d->in->tree ? c4w_psg_ref_cost(d->in->tree, &it->ref) : c4w_psg_cost(r, c4w_psg_row_blob_bytes(&it->row));
	tensor = c4w_psg_bytes(r ? r : 1024);
	if (!in_pieces(d->o)) /* its own buffer */
		out->cost += tensor;
	else if (tensor > C4W_PSG_WHOLE)
		out->cost -= tensor - C4W_PSG_WHOLE;
	return C4W_OK;
}

/* What `next` can't know, a frame's window and a loose blob's resolution, may make a tensor need more than --memory. */
static int check_memory(const struct c4w_psg_decode *o, const struct c4w_psg_frame *f, struct c4w_err *err)
{
	uint64_t need = c4w_psg_bytes(f->r);
	if (in_pieces(o) && f->window <= C4W_PSG_WINDOW)
		return C4W_OK;
	if (!in_pieces(o))
		need *= 2;
	if (!o->memory || need <= o->memory)
		return C4W_OK;
	return c4w_fail(err, C4W_LIMIT, "needs %llu bytes of memory, --memory allows %llu", (unsigned long long)need, (unsigned long long)o->memory);
}

/* Metadata and directory must not contradict each other (and the content size neither: c4w_psg_frame). */
static int settle_resolution(struct scene *s, uint32_t dir_r, struct c4w_err *err)
{
	char want[24];
	s->c.r = dir_r;
	if (!s->meta.has_resolution)
		return C4W_OK;
	if (!dir_r) {
		s->c.r = s->meta.resolution <= C4W_PSG_R_MAX ? (uint32_t)s->meta.resolution : 0;
		return C4W_OK;
	}
	if (s->meta.resolution == (int64_t)dir_r)
		return C4W_OK;
	snprintf(want, sizeof want, "%u", dir_r);
	c4w_damaged(err, "passage.resolution", -1, "the metadata's resolution differs from the directory's");
	return c4w_err_valuesf(err, want, "%lld", (long long)s->meta.resolution);
}

static void use_meta(struct scene *s, const struct c4w_yaml_node *root)
{
	if (!root)
		return;
	c4w_psg_meta_read(root, NULL, &s->meta);
	s->c.meta = &s->meta;
}

/* A line `resolution: N` of a metadata file, as its writer has it. */
static bool plain_resolution(const uint8_t *p, size_t n, int64_t *out)
{
	const char *end = (const char *)p + n, *at = memmem(p, n, "\nresolution: ", 13);
	uint64_t v = 0;
	if (!at)
		return false;
	for (at += 13; at < end && *at >= '0' && *at <= '9' && v < 100000; at++)
		v = v * 10 + (uint64_t)(*at - '0');
	*out = (int64_t)v;
	return v && (at == end || *at == '\n' || *at == '\r');
}

/* The metadata's resolution: what a contradiction needs. Parsed only where it does not stand on a line of its own. */
static int quick_resolution(struct c4w_store *store, const struct c4w_psg_ref *ref, struct c4w_arena *arena, struct scene *s, struct c4w_err *err)
{
	char rel[160];
	const uint8_t *p;
	size_t n;
	struct c4w_yaml_node *root;
	struct c4w_err e;
	int cls;
	c4w_psg_ref_path(ref, 1, rel, sizeof rel);
	cls = c4w_psg_read(store, rel, C4W_LIMIT_YAML_BYTES, arena, &p, &n, &e);
	if (cls != C4W_OK) { /* a tensor alone can be decoded */
		if (cls == C4W_MEMORY && err)
			*err = e;
		return cls == C4W_MEMORY ? cls : C4W_OK;
	}
	s->meta.has_resolution = plain_resolution(p, n, &s->meta.resolution);
	if (s->meta.has_resolution)
		return C4W_OK;
	cls = c4w_yaml_parse((const char *)p, n, arena, &root, &e);
	if (cls == C4W_OK)
		c4w_psg_meta_read(root, NULL, &s->meta);
	else if (cls == C4W_MEMORY && err)
		*err = e;
	return cls == C4W_MEMORY ? cls : C4W_OK;
}

static int load_ref(struct decode *d, struct item *it, struct c4w_arena *arena, struct scene *s, struct c4w_err *err)
{
	const struct c4w_psg_encode *e = &d->o->encode;
	struct c4w_store *store = c4w_psg_tree_store(d->in->tree);
	struct c4w_blob *b = NULL;
	struct c4w_yaml_node *root = NULL;
	const uint8_t *p;
	size_t n;
	char rel[160];
	int k, cls;
	bool meta = d->o->sketch || c4w_psg_encode_wants_meta(e) || vague(it->ref.unit);
	if (meta) {
		c4w_psg_ref_path(&it->ref, 1, rel, sizeof rel);
		cls = c4w_psg_read_meta(store, rel, arena, &root, err);
		/* pictures can do without; formats that can't say so themselves */
		if (cls != C4W_OK && cls != C4W_ABSENT) {
			c4w_err_path(err, rel);
			return cls;
		}
		use_meta(s, root);
	} else if (it->has_meta) {
		C4W_TRY(quick_resolution(store, &it->ref, arena, s, err));
	}
	C4W_TRY(settle_resolution(s, it->ref.unit->r, err));
	if (d->o->sketch || c4w_psg_encode_wants_routes(e))
		for (k = 0; k < C4W_PSG_ROUTES; k++) {
			if (!(e->routes & (1u << k)))
				continue;
			c4w_psg_ref_path(&it->ref, 3 + (unsigned)k, rel, sizeof rel);
			cls = c4w_psg_read(store, rel, 64 * C4W_MIB, arena, &p, &n, err);
			if (cls == C4W_ABSENT)
				continue;
			if (cls == C4W_OK)
				cls = c4w_psg_csv(p, n, s->c.r, arena, &s->routes[k], err);
			if (cls != C4W_OK) {
				c4w_err_path(err, rel);
				return cls;
			}
			s->c.routes[k] = &s->routes[k];
		}
	if (!d->o->sketch && !c4w_psg_encode_wants_tensor(e))
		return C4W_OK;
	c4w_psg_ref_path(&it->ref, 0, s->tensor_path, sizeof s->tensor_path);
	cls = c4w_store_open(store, s->tensor_path, &b, err);
	if (cls == C4W_OK)
		cls = c4w_psg_read_tensor(b, s->c.r, arena, &s->blob, &s->blob_n, &s->frame, err);
	c4w_blob_close(b);
	if (cls != C4W_OK)
		c4w_err_path(err, s->tensor_path);
	return cls;
}

static int load_row(struct decode *d, struct item *it, struct c4w_arena *arena, struct scene *s, struct c4w_err *err)
{
	const struct c4w_psg_encode *e = &d->o->encode;
	struct c4w_yaml_node *root;
	int k;
	bool there;
	if (!it->row.id_ok)
		return c4w_damaged(err, "passage.id", -1, "the row's id is not ten digits");
	C4W_TRY(c4w_psg_row_meta(&it->row, arena, &root, err));
	use_meta(s, root);
	C4W_TRY(settle_resolution(s, it->row.shard->r, err));
	if (d->o->sketch || c4w_psg_encode_wants_routes(e))
		for (k = 0; k < C4W_PSG_ROUTES; k++) {
			if (!(e->routes & (1u << k)))
				continue;
			C4W_TRY(c4w_psg_row_route(&it->row, k, s->c.r, arena, &s->routes[k], &there, err));
			if (there)
				s->c.routes[k] = &s->routes[k];
		}
	if (d->o->dry_run || (!d->o->sketch && !c4w_psg_encode_wants_tensor(e)))
		return C4W_OK;
	c4w_psg_row_tensor(&it->row, &s->blob, &s->blob_n);
	if (!s->blob)
		return c4w_damaged(err, "passage.null", -1, "the row has no tensor");
	return c4w_psg_frame(s->blob, s->blob_n, s->c.r, &s->frame, err);
}

static int load(struct decode *d, struct item *it, struct c4w_arena *arena, struct scene *s, struct c4w_err *err)
{
	int cls;
	if (d->in->blob)
		cls = c4w_psg_read_tensor(d->in->blob, d->o->r, arena, &s->blob, &s->blob_n, &s->frame, err);
	else if (d->in->tree)
		cls = load_ref(d, it, arena, s, err);
	else
		cls = load_row(d, it, arena, s, err);
	if (cls == C4W_OK && s->blob)
		s->c.r = s->frame.r;
	if (cls == C4W_OK && d->in->blob && !c4w_psg_selects_unit(d->o->sel, s->c.r, -1))
		cls = c4w_fail(err, C4W_USAGE, "its resolution is %u, which is not selected", s->c.r);
	return cls == C4W_OK && s->blob && !d->o->dry_run ? check_memory(d->o, &s->frame, err) : cls;
}

/* The tree's layout with a new ending. */
static void out_path(const struct decode *d, const struct item *it, const struct scene *s, char *out, size_t size)
{
	const char *tail = c4w_psg_format_name[d->o->encode.format];
	if (d->in->blob) {
		const char *slash = strrchr(d->in->name, '/'), *base = slash ? slash + 1 : d->in->name;
		size_t n = strlen(base);
		if (strcmp(base, "-") == 0) {
			base = "stdin";
			n = 5;
		} else if (n > 8 && strcmp(base + n - 8, ".npy.zst") == 0) {
			n -= 8;
		} else if (n > 4 && strcmp(base + n - 4, ".zst") == 0) {
			n -= 4;
		}
		snprintf(out, size, "%.*s.%s", (int)(n < 200 ? n : 200), base, tail);
	} else if (d->in->tree) {
		const struct c4w_psg_unit *u = it->ref.unit;
		uint32_t r = u->r ? u->r : s->c.r;
		int split = u->split >= 0 ? u->split : s->meta.split;
		char front[48] = "";
		if (r && split >= 0)
			snprintf(front, sizeof front, "%u/%s/", r, c4w_psg_split[split]);
		snprintf(out, size, "%stensors/%s/%s/%010llu.%s", front, it->ref.lat, it->ref.lon, (unsigned long long)it->ref.index, tail);
	} else {
		int split = it->row.shard->split >= 0 ? it->row.shard->split : s->meta.split;
		char front[48] = "", tile[24] = "", ns[8], ew[8];
		if (s->c.r && split >= 0)
			snprintf(front, sizeof front, "%u/%s/", s->c.r, c4w_psg_split[split]);
		if (s->meta.has_tile) {
			c4w_psg_tile_name(s->meta.tile[0], false, ns);
			c4w_psg_tile_name(s->meta.tile[1], true, ew);
			snprintf(tile, sizeof tile, "%s/%s/", ns, ew);
		}
		snprintf(out, size, "%stensors/%s%010llu.%s", front, tile, (unsigned long long)it->row.index, tail);
	}
}

static bool exists(struct c4w_sink *sink, const char *rel)
{
	struct c4w_stat st;
	return sink && c4w_sink_stat(sink, rel, &st, NULL) == C4W_OK && st.kind != C4W_KIND_NONE;
}

/* Shades of text do not tell routes and markers from the ground: letters do. `text` is side / 2 lines of side characters. */
static void letter(char *text, uint32_t side, const struct scene *s, uint32_t row, uint32_t column, char c)
{
	double f = (double)side / s->c.r;
	size_t y = (size_t)(((double)row + 0.5) * f) / 2, x = (size_t)(((double)column + 0.5) * f);
	if (x < side && y < (side + 1) / 2)
		text[y * (side + 1) + x] = c;
}

static void letters(char *text, uint32_t side, const struct scene *s)
{
	int k;
	size_t i;
	for (k = 0; k < C4W_PSG_ROUTES; k++)
		for (i = 0; s->c.routes[k] && i < s->c.routes[k]->n; i++)
			letter(text, side, s, c4w_psg_row(s->c.routes[k]->cells[i]), c4w_psg_column(s->c.routes[k]->cells[i]), 'o');
	if (s->meta.has_start && s->meta.start[0] >= 0 && s->meta.start[1] >= 0)
		letter(text, side, s, (uint32_t)s->meta.start[0], (uint32_t)s->meta.start[1], 'S');
	if (s->meta.has_goal && s->meta.goal[0] >= 0 && s->meta.goal[1] >= 0)
		letter(text, side, s, (uint32_t)s->meta.goal[0], (uint32_t)s->meta.goal[1], 'G');
}

static uint64_t planned(const struct c4w_psg_decode *o, uint32_t r)
{
	return c4w_psg_encode_in_pieces(&o->encode) && r ? c4w_psg_encode_size(&o->encode, r) : 0;
}

/* One item's output, on its way to a file of the sink or to whoever asked. */
struct output {
	const struct decode *d;
	const char *path;
	uint64_t size, at;
	struct c4w_sink_file *file;
	/* With claims: shards may repeat scenes, and inputs may share a name. What has been written to the path is compared with. */
	bool claimed, written, differs;
	size_t claim;
	struct c4w_blob *there;
};

static int begin(struct output *out, struct c4w_err *err)
{
	const struct c4w_psg_decode *o = out->d->o;
	if (o->claims) {
		C4W_TRY(c4w_psg_claim(o->claims, out->path, &out->claim, &out->written, err));
		out->claimed = true;
	}
	if (!out->written)
		return c4w_sink_create(o->sink, out->path, out->size > C4W_RESERVE ? out->size : C4W_SINK_UNKNOWN, 0, &out->file, err);
	out->differs = c4w_sink_read(o->sink, out->path, &out->there, NULL) != C4W_OK || c4w_blob_size(out->there) != out->size;
	return C4W_OK;
}

static int put(struct output *out, const void *p, size_t n, struct c4w_err *err)
{
	const struct c4w_psg_decode *o = out->d->o;
	uint64_t at = out->at;
	out->at += n;
	if (!o->sink)
		return o->put(o->ctx, at, out->size, p, n, err);
	if (at == 0)
		C4W_TRY(begin(out, err));
	if (!out->written)
		return c4w_sink_write(out->file, p, n, err);
	out->differs = out->differs || !c4w_psg_holds_at(out->there, at, p, n);
	return C4W_OK;
}

static int finish(struct output *out, int cls, struct c4w_err *err)
{
	if (cls == C4W_OK && out->file)
		cls = c4w_sink_commit(out->file, NULL, err);
	else
		c4w_sink_abort(out->file);
	c4w_blob_close(out->there);
	if (out->claimed)
		c4w_psg_claim_end(out->d->o->claims, out->claim, out->written || cls == C4W_OK);
	/* One that gives what has been written says nothing new. */
	if (cls != C4W_OK || !out->differs)
		return cls;
	if (out->d->in->blob)
		return c4w_fail(err, C4W_USAGE, "another input of this name was written to '%s' and holds other values", out->path);
	return c4w_damaged(err, "passage.scene-twice", -1, "the scene occurs twice in what is decoded, and '%s' differs", out->path);
}

static int stream(struct output *out, struct scene *s, struct worker *w, const atomic_int *cancel, struct c4w_err *err)
{
	const struct c4w_psg_encode *e = &out->d->o->encode;
	size_t at = 0, n, m;
	uint8_t *piece;
	const void *p;
	C4W_TRY(c4w_psg_pieces(&w->d, s->blob, s->blob_n, &s->frame, e->format == C4W_PSG_NPY ? C4W_PSG_NPY_HEADER : 0, err));
	for (;;) {
		C4W_TRY(c4w_psg_piece(&w->d, &piece, &n, err));
		if (n == 0)
			return C4W_OK;
		C4W_TRY(c4w_psg_encode_piece(e, &s->c, at, piece, n, &w->buf, &p, &m, err));
		C4W_TRY(put(out, p, m, err));
		at += n;
		if (cancel && atomic_load_explicit(cancel, memory_order_relaxed))
			return c4w_fail(err, C4W_CANCELLED, "interrupted");
	}
}

/* The whole tensor, where the format looks at all of it. */
static int decode_whole(struct scene *s, struct worker *w, struct c4w_err *err)
{
	uint8_t *raw;
	if (!s->blob)
		return C4W_OK;
	C4W_TRY(c4w_psg_decode(&w->d, s->blob, s->blob_n, &s->frame, &raw, err));
	s->c.raw = raw;
	return C4W_OK;
}

static int encode_whole(struct output *out, struct scene *s, struct worker *w, struct c4w_err *err)
{
	C4W_TRY(decode_whole(s, w, err));
	C4W_TRY(c4w_psg_encode(&out->d->o->encode, &s->c, s->name, &w->buf, err));
	out->size = w->buf.n;
	return put(out, w->buf.p, w->buf.n, err);
}

static int sketch(const struct c4w_psg_decode *o, struct scene *s, struct worker *w, struct c4w_psg_decoded *out, struct c4w_err *err)
{
	struct c4w_canvas map;
	int cls = decode_whole(s, w, err);
	if (cls != C4W_OK)
		c4w_err_path(err, s->tensor_path[0] ? s->tensor_path : NULL);
	if (cls != C4W_OK)
		return cls;
	c4w_buf_reset(&w->buf);
	C4W_TRY(c4w_psg_sketch(&s->c, o->encode.routes, o->sketch, &map, err));
	c4w_canvas_term(&map, o->show, &w->buf);
	c4w_canvas_clear(&map);
	C4W_TRY(c4w_buf_ok(&w->buf, err));
	if (o->show < C4W_TERM_256)
		letters(w->buf.p, o->sketch, s);
	out->p = w->buf.p;
	out->n = w->buf.n;
	return C4W_OK;
}

/* For titles. */
static void set_name(const struct decode *d, const struct item *it, struct scene *s)
{
	if (d->in->blob)
		snprintf(s->name, sizeof s->name, "%s", it->text);
	else if (d->in->tree)
		snprintf(s->name, sizeof s->name, "%.60s   %s %s", it->text, it->ref.lat, it->ref.lon);
	else
		snprintf(s->name, sizeof s->name, "%u %s %010llu", s->c.r, s->meta.split >= 0 ? c4w_psg_split[s->meta.split] : "",
			 (unsigned long long)it->row.index);
}

/* Where the item goes, and whether what is there stays. */
static bool skip(const struct decode *d, struct item *it, const struct scene *s)
{
	out_path(d, it, s, it->out.path, sizeof it->out.path);
	it->out.skipped = d->o->skip_existing && exists(d->o->sink, it->out.path);
	return it->out.skipped;
}

static int write_out(struct decode *d, struct item *it, struct c4w_worker *worker, struct scene *s, struct c4w_err *err)
{
	struct output out = { .d = d, .path = it->out.path, .size = planned(d->o, s->c.r) };
	int cls;
	set_name(d, it, s);
	if (c4w_psg_encode_in_pieces(&d->o->encode))
		cls = stream(&out, s, worker->user, worker->cancel, err);
	else
		cls = encode_whole(&out, s, worker->user, err);
	if (cls == C4W_DAMAGED && s->tensor_path[0])
		c4w_err_path(err, s->tensor_path);
	it->out.n = out.at;
	return finish(&out, cls, err);
}

static int one(struct decode *d, struct item *it, struct c4w_worker *worker, struct c4w_result *result, struct c4w_err *err)
{
	const struct c4w_psg_decode *o = d->o;
	struct scene *s;
	void *mem;
	bool late;
	int cls;
	C4W_TRY(c4w_arena_zero(&worker->arena, 1, sizeof *s, &mem, err));
	s = mem;
	s->meta.split = -1;
	/* A row's path is in its metadata; a file's is mostly known at once, and so is whether it can be skipped. */
	late = d->in->shards || (d->in->tree && vague(it->ref.unit));
	if (!late && skip(d, it, s))
		return C4W_OK;
	if (d->in->tree && o->dry_run && !late)
		s->c.r = it->ref.unit->r;
	else
		C4W_TRY(load(d, it, &worker->arena, s, err));
	if (late && skip(d, it, s))
		return C4W_OK;
	if (o->dry_run) {
		it->out.n = planned(o, s->c.r);
		return C4W_OK;
	}
	if (o->sketch)
		return sketch(o, s, worker->user, &it->out, err);
	cls = write_out(d, it, worker, s, err);
	if (cls == C4W_OK)
		result->bytes = s->blob ? c4w_psg_bytes(s->c.r) : it->out.n;
	return cls;
}

static void work(void *ctx, struct c4w_worker *w, struct c4w_item *item, struct c4w_result *result)
{
	struct decode *d = ctx;
	struct item *it = item->data;
	struct c4w_err err;
	int cls;
	c4w_err_clear(&err);
	result->data = &it->out;
	if (it->out.err.cls != C4W_OK) {
		c4w_findings_add_err(&result->findings, NULL, NULL, &it->out.err);
		return;
	}
	cls = one(d, it, w, result, &err);
	if (cls == C4W_OK)
		return;
	/* A scene of a data set that lacks what the format needs is no fault of the words; asking a loose blob for it is. */
	if (cls == C4W_USAGE && !d->in->blob)
		err.cls = C4W_UNSUPPORTED;
	if (cls == C4W_LIMIT && err.rule)
		err.cls = C4W_DAMAGED;
	it->out.err = err;
	c4w_findings_add_err(&result->findings, NULL, NULL, &err);
}

static void release(void *ctx, struct c4w_item *item, struct c4w_result *result)
{
	struct item *it = item->data;
	(void)ctx;
	(void)result;
	if (it)
		c4w_psg_row_free(&it->row);
	free(it);
}

static int worker_new(void *ctx, void **out, struct c4w_err *err)
{
	(void)ctx;
	*out = calloc(1, sizeof(struct worker));
	return *out ? C4W_OK : c4w_fail_memory(err, sizeof(struct worker));
}

static void worker_free(void *ctx, void *p)
{
	struct worker *w = p;
	(void)ctx;
	if (!w)
		return;
	c4w_psg_decoder_clear(&w->d);
	c4w_buf_clear(&w->buf);
	free(w);
}

static void destroy(void *ctx)
{
	struct decode *d = ctx;
	c4w_psg_walk_free(d->walk);
	c4w_psg_rows_free(d->rows);
	free(d);
}

int c4w_psg_decode_job(struct c4w_psg_input *in, const struct c4w_psg_decode *o, struct c4w_job *out, struct c4w_err *err)
{
	struct decode *d = calloc(1, sizeof *d);
	int cls = C4W_OK, k;
	memset(out, 0, sizeof *out);
	if (!d)
		return c4w_fail_memory(err, sizeof *d);
	d->in = in;
	d->o = o;
	if (in->tree)
		cls = c4w_psg_walk_new(in->tree, o->sel, C4W_PSG_HAVE_TENSOR, NULL, &d->walk, err);
	if (in->shards) {
		unsigned want = C4W_PSG_COL_JSON;
		if (!o->dry_run && (o->sketch || c4w_psg_encode_wants_tensor(&o->encode)))
			want |= C4W_PSG_COL_TENSOR;
		for (k = 0; k < C4W_PSG_ROUTES && (o->sketch || c4w_psg_encode_wants_routes(&o->encode)); k++)
			if (o->encode.routes & (1u << k))
				want |= (unsigned)C4W_PSG_COL_ROUTE0 << k;
		cls = c4w_psg_rows_new(in->shards, o->sel, want, NULL, &d->rows, err);
	}
	if (cls != C4W_OK) {
		free(d);
		return cls;
	}
	out->ctx = d;
	out->next = next;
	out->work = work;
	out->release = release;
	out->worker_new = worker_new;
	out->worker_free = worker_free;
	out->destroy = destroy;
	return C4W_OK;
}
