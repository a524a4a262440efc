/* Writing a derived root's items: metadata and loose files copied, records' arrays put into the parts of a cache (section 7).
 *
 * Each record is checked at the level that was asked for while it is in memory, and written only when it is what the source says. Arrays
 * of a part are files of known size; workers write their slices at their offsets, and whoever writes the last one commits. */
#include "families/chw_prepare.h"

#include <inttypes.h>

struct item {
	const struct chw_planned *x[2]; /* x[1]: the detail of x[0], or NULL */
	uint32_t file;                  /* metadata: its files row; else CHW_NONE */
	struct chw_group *group;
	char text[400];
	struct c4w_item_field fields[4];
};

/* ---- the destination ---- */

int chw_touch(struct chw_prepare *p, struct c4w_err *err)
{
	int cls = C4W_OK;
	pthread_mutex_lock(&p->dirty_lock);
	if (!p->dirty) {
		cls = c4w_sink_remove(p->sink, "c4w-root.json", err);
		p->dirty = cls == C4W_OK;
	}
	pthread_mutex_unlock(&p->dirty_lock);
	return cls;
}

static bool there_already(struct chw_prepare *p, const char *rel, const void *bytes, size_t n)
{
	struct c4w_arena arena = { 0 };
	struct c4w_blob *b = NULL;
	const uint8_t *there;
	bool same = p->keep && c4w_sink_read(p->sink, rel, &b, NULL) == C4W_OK && c4w_blob_size(b) == n &&
		    c4w_blob_view(b, 0, n, &arena, &there, NULL) == C4W_OK && (n == 0 || memcmp(there, bytes, n) == 0);
	c4w_blob_close(b);
	c4w_arena_clear(&arena);
	return same;
}

int chw_put(struct chw_prepare *p, const char *rel, const void *bytes, size_t n, unsigned flags, bool *wrote, struct c4w_err *err)
{
	if (wrote)
		*wrote = false;
	if (there_already(p, rel, bytes, n)) {
		atomic_fetch_add(&p->stayed, 1);
		return C4W_OK;
	}
	C4W_TRY(chw_touch(p, err));
	C4W_TRY(c4w_sink_put(p->sink, rel, bytes, n, flags, false, err));
	if (wrote)
		*wrote = true;
	atomic_fetch_add(&p->written, 1);
	return C4W_OK;
}

/* ---- loose files ---- */

/* Is the right file there? Its size says much, its digest everything; without verification the size has to do. */
static bool stays(struct chw_prepare *p, const struct chw_planned *x, struct c4w_worker *w)
{
	struct c4w_arena_mark mark = c4w_arena_mark(&w->arena);
	struct c4w_blob *b = NULL;
	const uint8_t *there;
	struct chw_digests d;
	struct chw_row row = { .component = CHW_GEOMETRY };
	struct chw_record none = { .row = &row };
	bool same = false;
	if (!p->keep || c4w_sink_read(p->sink, x->path, &b, NULL) != C4W_OK)
		return false;
	if (c4w_blob_size(b) == (uint64_t)x->bytes) {
		same = p->level == C4W_LEVEL_NONE;
		if (!same && c4w_blob_view(b, 0, (size_t)x->bytes, &w->arena, &there, NULL) == C4W_OK) {
			chw_hash_record(&none, false, there, (size_t)x->bytes, &d);
			same = memcmp(d.member.b, x->sha.b, 32) == 0;
		}
	}
	c4w_blob_close(b);
	c4w_arena_rewind(&w->arena, mark);
	if (same)
		atomic_fetch_add(&p->stayed, 1);
	return same;
}

static void write_loose(struct chw_prepare *p, const struct chw_planned *x, const uint8_t *bytes, uint64_t n, struct c4w_result *result)
{
	struct c4w_sink_file *f;
	struct c4w_err err;
	int cls;
	c4w_err_clear(&err);
	cls = chw_touch(p, &err);
	if (cls == C4W_OK && (cls = c4w_sink_create(p->sink, x->path, n, 0, &f, &err)) == C4W_OK) {
		cls = c4w_sink_write(f, bytes, n, &err);
		if (cls == C4W_OK)
			cls = c4w_sink_commit(f, NULL, &err);
		else
			c4w_sink_abort(f);
	}
	if (cls == C4W_OK) {
		result->bytes += n;
		atomic_fetch_add(&p->written, 1);
	} else {
		c4w_findings_add_err(&result->findings, chw_component_names[x->component], x->path, &err);
	}
}

/* Nothing is looked at: the kernel may copy, or share. */
static void copy_unseen(struct chw_prepare *p, struct chw_group *g, const struct chw_planned *x, struct c4w_result *result)
{
	const char *component = chw_component_names[x->component];
	struct c4w_blob *blob = NULL, *own = NULL;
	struct c4w_sink_file *f = NULL;
	struct chw_place place;
	struct c4w_err err;
	int cls;
	c4w_err_clear(&err);
	chw_locate(g, &x->id, x->component == CHW_GEOMETRY ? NULL : chw_row_of(g, &x->id), &place);
	if (place.where == CHW_AT_MEMBER) {
		cls = chw_open_file(g, place.path, &blob, &err);
	} else {
		cls = c4w_store_open(p->root->store, place.path, &own, &err);
		blob = own;
	}
	if (cls == C4W_OK && (place.offset < 0 || place.bytes < 0))
		cls = c4w_damaged(&err, "record.range", -1, "the member is said to be %" PRId64 " bytes at %" PRId64, place.bytes, place.offset);
	if (cls == C4W_OK)
		cls = chw_touch(p, &err);
	if (cls == C4W_OK && (cls = c4w_sink_create(p->sink, x->path, (uint64_t)place.bytes, 0, &f, &err)) == C4W_OK) {
		cls = c4w_sink_copy(f, blob, (uint64_t)place.offset, (uint64_t)place.bytes, &err);
		if (cls == C4W_OK)
			cls = c4w_sink_commit(f, NULL, &err);
		else
			c4w_sink_abort(f);
	}
	c4w_blob_close(own);
	if (cls == C4W_OK) {
		result->bytes += (uint64_t)place.bytes;
		atomic_fetch_add(&p->written, 1);
	} else {
		c4w_findings_add_err(&result->findings, component, place.path, &err);
	}
}

static void write_geometry(struct chw_prepare *p, const struct item *it, struct c4w_worker *w, struct c4w_result *result)
{
	const struct chw_planned *x = it->x[0];
	uint64_t n;
	const uint8_t *bytes;
	if (stays(p, x, w))
		return;
	if (p->level == C4W_LEVEL_NONE) {
		copy_unseen(p, it->group, x, result);
		return;
	}
	bytes = chw_geometry_load(it->group, &x->id, p->level, w, &result->findings, &n);
	if (bytes && !result->findings.n)
		write_loose(p, x, bytes, n, result);
}

/* ---- parts of a cache ---- */

static int open_part(struct chw_prepare *p, struct chw_out_part *part, struct c4w_err *err)
{
	unsigned n, k;
	const struct chw_field *fields = chw_fields(part->component, &n);
	struct c4w_buf head = { 0 };
	int cls = chw_touch(p, err);
	for (k = 0; cls == C4W_OK && k < n; k++) {
		char rel[1024];
		uint64_t body;
		c4w_buf_reset(&head);
		chw_part_header(part, &fields[k], &head, &body);
		part->data[k] = head.n;
		snprintf(rel, sizeof rel, "%s/%s.npy", part->dir, fields[k].name);
		cls = c4w_buf_ok(&head, err);
		if (cls == C4W_OK)
			cls = c4w_sink_create(p->sink, rel, head.n + body, 0, &part->file[k], err);
		if (cls == C4W_OK)
			cls = c4w_sink_write_at(part->file[k], 0, head.p, head.n, err);
	}
	c4w_buf_clear(&head);
	part->open = cls == C4W_OK;
	part->failed = !part->open;
	return cls;
}

static void abort_part(struct chw_out_part *part)
{
	unsigned k;
	for (k = 0; k < CHW_MAX_FIELDS; k++) {
		c4w_sink_abort(part->file[k]);
		part->file[k] = NULL;
	}
}

void chw_parts_abort(struct chw_prepare *p)
{
	uint32_t i;
	for (i = 0; i < p->n_parts; i++)
		abort_part(&p->parts[i]);
}

/* One item of the part less to do; the last one commits its arrays, unless one is missing. */
static int leave_part(struct chw_prepare *p, struct chw_out_part *part, bool written, struct c4w_err *err)
{
	unsigned k;
	int cls = C4W_OK;
	pthread_mutex_lock(&p->lock);
	if (!written)
		part->failed = true;
	if (--part->left == 0) {
		for (k = 0; cls == C4W_OK && !part->failed && k < CHW_MAX_FIELDS && part->file[k]; k++) {
			struct c4w_sink_file *f = part->file[k];
			part->file[k] = NULL;
			cls = c4w_sink_commit(f, NULL, err);
			if (cls == C4W_OK)
				atomic_fetch_add(&p->written, 1);
		}
		abort_part(part);
	}
	pthread_mutex_unlock(&p->lock);
	return cls;
}

static int write_slices(struct chw_prepare *p, struct chw_out_part *part, const struct chw_planned *x, const struct chw_record *rec, uint64_t *bytes,
			struct c4w_err *err)
{
	unsigned n, k;
	const struct chw_field *fields = chw_fields(part->component, &n);
	int cls = C4W_OK;
	bool failed;
	pthread_mutex_lock(&p->lock);
	if (!part->open && !part->failed)
		cls = open_part(p, part, err);
	failed = part->failed;
	pthread_mutex_unlock(&p->lock);
	/* Where an earlier record could not be had, the others are checked but need not be written: the part won't be committed. */
	if (failed)
		return cls;
	for (k = 0; cls == C4W_OK && k < n; k++) {
		size_t width = (size_t)fields[k].size * (fields[k].vec3 ? 3 : 1);
		size_t size = (size_t)chw_length_of(&rec->row->dims, (enum chw_length)fields[k].length) * width;
		if (size)
			cls = c4w_sink_write_at(part->file[k], part->data[k] + chw_slice_start(x, &fields[k]) * width, rec->field[k], size, err);
		*bytes += size;
	}
	return cls;
}

static void convert(struct chw_prepare *p, const struct chw_planned *x, const struct chw_record *rec, bool fine, struct c4w_result *result)
{
	struct chw_out_part *part = &p->parts[x->part];
	struct c4w_err err;
	int cls = C4W_OK;
	c4w_err_clear(&err);
	if (fine)
		cls = write_slices(p, part, x, rec, &result->bytes, &err);
	if (leave_part(p, part, fine && cls == C4W_OK, cls == C4W_OK ? &err : NULL) != C4W_OK && cls == C4W_OK)
		cls = (int)err.cls;
	if (cls != C4W_OK)
		c4w_findings_add_err(&result->findings, chw_component_names[x->component], part->dir, &err);
}

/* ---- records ---- */

/* One or two records of a channel: fetched, hashed side by side, checked, written. */
static void write_records(struct chw_prepare *p, const struct item *it, struct c4w_worker *w, struct c4w_result *result)
{
	struct chw_record rec[2] = { { 0 }, { 0 } };
	struct chw_fetched f[2], *both[2] = { &f[0], &f[1] };
	bool want[2] = { false, false }, have[2] = { false, false };
	struct c4w_findings *fs = &result->findings;
	const struct chw_row *row[2] = { NULL, NULL };
	unsigned i;
	for (i = 0; i < 2 && it->x[i]; i++) {
		const struct chw_planned *x = it->x[i];
		want[i] = p->cache ? !p->parts[x->part].stays : !stays(p, x, w);
		if (!want[i])
			continue;
		if (!p->cache && p->level == C4W_LEVEL_NONE) {
			copy_unseen(p, it->group, x, result);
			want[i] = false;
			continue;
		}
		row[i] = chw_row_of(it->group, &x->id);
		if (!row[i]) { /* the group was fine when it was planned */
			c4w_findings_add_err(fs, chw_component_names[x->component], NULL, &it->group->snapshot_err);
			continue;
		}
		have[i] = chw_record_fetch(it->group, row[i], w, &f[i], fs);
		f[i].arrays = p->cache;
	}
	if (have[0] && have[1] && p->level == C4W_LEVEL_BASIC)
		chw_hash_fetched(both, 2);
	for (i = 0; i < 2; i++)
		if (have[i])
			have[i] = chw_record_check(it->group, row[i], p->level, w, &f[i], &rec[i], fs);
	if (have[0] && have[1] && p->level == C4W_LEVEL_FULL) {
		size_t before = fs->n;
		chw_detail_against_core(&rec[0], &rec[1], fs);
		have[1] = fs->n == before;
	}
	for (i = 0; i < 2; i++) {
		if (want[i] && p->cache)
			convert(p, it->x[i], &rec[i], have[i], result);
		else if (want[i] && have[i])
			write_loose(p, it->x[i], rec[i].file, rec[i].file_bytes, result);
	}
}

static void copy_meta(struct chw_prepare *p, const struct item *it, struct c4w_worker *w, struct c4w_result *result)
{
	const struct chw_file *f = &p->root->files[it->file];
	const char *rule = f->kind == CHW_MEMBERS ? "members.digest" : f->kind == CHW_SNAPSHOT ? "snapshot.digest" :
			   f->kind == CHW_SCHEMA ? "schema.digest" : "catalog.digest";
	struct c4w_view body;
	struct c4w_err err;
	bool wrote = false;
	int cls;
	c4w_err_clear(&err);
	cls = chw_read_checked(p->root, f, UINT64_MAX, rule, &w->arena, &body, &err);
	if (cls == C4W_OK)
		cls = chw_put(p, f->path, body.p, body.n, 0, &wrote, &err);
	if (cls == C4W_OK)
		result->bytes = wrote ? body.n : 0;
	else
		c4w_findings_add_err(&result->findings, NULL, f->path, &err);
}

/* ---- the job ---- */

static int next(void *ctx, struct c4w_item *out, bool *end, struct c4w_err *err)
{
	struct chw_prepare *p = ctx;
	const struct chw_planned *x;
	struct item *it;
	bool channel;
	if (p->next_meta == p->n_meta && p->next_order == p->n_order) {
		*end = true;
		return C4W_OK;
	}
	it = calloc(1, sizeof *it);
	if (!it)
		return c4w_fail_memory(err, sizeof *it);
	it->file = CHW_NONE;
	out->data = it;
	if (p->next_meta < p->n_meta) {
		it->file = p->meta[p->next_meta++];
		snprintf(it->text, sizeof it->text, "%s", p->root->files[it->file].path);
		out->id = (struct c4w_item_id){ it->text, NULL, 0 };
		out->cost = (uint64_t)p->root->files[it->file].bytes;
		return C4W_OK;
	}
	x = it->x[0] = &p->items[p->order[p->next_order++]];
	if (x->with_next)
		it->x[1] = x + 1;
	if (chw_prepare_group(p, x->group, &it->group, err) != C4W_OK) {
		free(it);
		return C4W_MEMORY;
	}
	chw_group_ref(it->group);
	channel = x->component == CHW_CORE || x->component == CHW_DETAIL;
	if (channel)
		snprintf(it->text, sizeof it->text, "%s %" PRId64 " Hz BS %" PRId64, p->root->scenes[x->scene].id, x->hz, x->bs);
	else
		snprintf(it->text, sizeof it->text, "%s", p->root->scenes[x->scene].id);
	it->fields[0] = (struct c4w_item_field){ "scene_id", p->root->scenes[x->scene].id, 0, false };
	it->fields[1] = (struct c4w_item_field){ "component", chw_component_names[x->component], 0, false };
	it->fields[2] = (struct c4w_item_field){ "frequency_hz", NULL, x->hz, channel };
	it->fields[3] = (struct c4w_item_field){ "bs", NULL, x->bs, channel };
	out->id = (struct c4w_item_id){ it->text, it->fields, 4 };
	if (x->component == CHW_GEOMETRY) {
		out->cost = x->bytes > 0 ? (uint64_t)x->bytes : 0;
	} else {
		out->cost = chw_record_cost(chw_row_of(it->group, &x->id), it->group);
		if (it->x[1])
			out->cost += chw_record_cost(chw_row_of(it->group, &it->x[1]->id), it->group);
	}
	return C4W_OK;
}

static void work(void *ctx, struct c4w_worker *w, struct c4w_item *item, struct c4w_result *result)
{
	struct chw_prepare *p = ctx;
	const struct item *it = item->data;
	if (it->file != CHW_NONE)
		copy_meta(p, it, w, result);
	else if (it->x[0]->component == CHW_GEOMETRY)
		write_geometry(p, it, w, result);
	else
		write_records(p, it, w, result);
}

static void release(void *ctx, struct c4w_item *item, struct c4w_result *result)
{
	struct item *it = item->data;
	(void)ctx;
	(void)result;
	chw_group_release(it->group);
	free(it);
}

void chw_write_job(struct chw_prepare *p, struct c4w_job *out)
{
	*out = (struct c4w_job){ .ctx = p, .next = next, .work = work, .release = release, .worker_new = chw_worker_new,
				 .worker_free = chw_worker_free, .total_items = (uint64_t)p->n_meta + p->n_order, .total_bytes = p->plan->bytes };
}
