/* The public face: roots, selections, leaves, verifying and preparing, as thin wrappers. See c4w.h. */
#include "c4w_impl.h"

#include "base/limits.h"
#include "base/version.h"
#include "model/node.h"
#include "model/plan.h"
#include "model/report.h"
#include "storage/sink.h"

#include <stdlib.h>
#include <string.h>

const char *c4w_library_version(void)
{
	return C4W_VERSION;
}

/* ---- roots ---- */

int c4w_root_open(const char *path, const char *as, struct c4w_root **out, struct c4w_err *err)
{
	struct c4w_root *r = calloc(1, sizeof *r);
	struct c4w_probe why;
	int cls;
	*out = NULL;
	c4w_err_clear(err);
	if (!r || !(r->path = strdup(path))) {
		free(r);
		return c4w_fail_memory(err, sizeof *r);
	}
	cls = c4w_family_find(path, as, &r->family, &why, err);
	if (cls == C4W_OK && !r->family)
		cls = c4w_fail(err, C4W_UNSUPPORTED, "nothing here reads it");
	if (cls == C4W_OK)
		cls = r->family->open(path, &r->root, err);
	if (cls != C4W_OK) {
		c4w_err_path(err, path);
		c4w_root_close(r);
		return cls;
	}
	*out = r;
	return C4W_OK;
}

void c4w_root_close(struct c4w_root *r)
{
	if (!r)
		return;
	c4w_node_free(r->node);
	if (r->root)
		r->family->close(r->root);
	free(r->path);
	free(r);
}

const char *c4w_root_family(const struct c4w_root *r)
{
	return r->family->name;
}

int c4w_root_facts(struct c4w_root *r, c4w_fact_fn *each, void *user, struct c4w_err *err)
{
	struct c4w_facts facts = { 0 };
	size_t i;
	int cls = C4W_OK;
	if (r->family->describe)
		cls = r->family->describe(r->root, &facts, err);
	for (i = 0; cls == C4W_OK && i < facts.n; i++)
		each(user, facts.v[i].key, facts.v[i].text, facts.v[i].number);
	c4w_facts_clear(&facts);
	return cls;
}

/* ---- selections ---- */

static const struct c4w_seloption *option_of(const struct c4w_family *f, const char *name)
{
	const struct c4w_seloption *s = f->options;
	for (; s && s->name; s++)
		if (strcmp(s->name, name) == 0)
			return s;
	return NULL;
}

int c4w_select_new(struct c4w_root *r, const char *const names[], const char *const values[], size_t n, struct c4w_select **out,
		   struct c4w_err *err)
{
	struct c4w_selarg *v = calloc(n + 1, sizeof *v);
	struct c4w_select *s = calloc(1, sizeof *s);
	struct c4w_selargs args = { v, 0 };
	size_t i, k;
	int cls = v && s ? C4W_OK : c4w_fail_memory(err, n * sizeof *v);
	*out = NULL;
	for (i = 0; cls == C4W_OK && i < n; i++) {
		const struct c4w_seloption *o = option_of(r->family, names[i]);
		char shown[100];
		if (!o)
			cls = c4w_fail(err, C4W_USAGE, "a %s has no selection option '%s'", r->family->title,
				       c4w_str_escape(shown, sizeof shown, names[i], strlen(names[i])));
		else if (o->arg && !values[i])
			cls = c4w_fail(err, C4W_USAGE, "selection option '%s' needs a value", o->name);
		/* The last value of one that does not repeat. */
		for (k = 0; cls == C4W_OK && !o->repeat && k < args.n; k++)
			if (strcmp(v[k].name, o->name) == 0)
				break;
		if (cls == C4W_OK)
			v[o->repeat || k == args.n ? args.n++ : k] = (struct c4w_selarg){ o->name, o->arg ? values[i] : NULL };
	}
	if (cls == C4W_OK) {
		s->family = r->family;
		if (r->family->compile)
			cls = r->family->compile(r->root, &args, &s->selection, err);
	}
	free(v);
	if (cls != C4W_OK) {
		free(s);
		return cls;
	}
	*out = s;
	return C4W_OK;
}

void c4w_select_free(struct c4w_select *s)
{
	if (s && s->selection && s->family->selection_free)
		s->family->selection_free(s->selection);
	free(s);
}

int c4w_api_select(struct c4w_root *r, const struct c4w_select *s, struct c4w_select **own, const void **selection, struct c4w_err *err)
{
	*own = NULL;
	*selection = NULL;
	if (s && s->family != r->family)
		return c4w_fail(err, C4W_USAGE, "the selection is one of a %s, the root is a %s", s->family->title, r->family->title);
	if (!s) {
		C4W_TRY(c4w_select_new(r, NULL, NULL, 0, own, err));
		s = *own;
	}
	*selection = s->selection;
	return C4W_OK;
}

/* ---- missing ---- */

struct c4w_missing_list {
	struct c4w_missing m;
};

int c4w_missing_new(struct c4w_root *r, const struct c4w_select *s, struct c4w_missing_list **out, struct c4w_err *err)
{
	struct c4w_missing_list *m = calloc(1, sizeof *m);
	struct c4w_select *own = NULL;
	const void *selection;
	int cls;
	*out = NULL;
	if (!m)
		return c4w_fail_memory(err, sizeof *m);
	if (!r->family->missing)
		cls = c4w_fail(err, C4W_UNSUPPORTED, "of a %s nothing can be missing", r->family->title);
	else
		cls = c4w_api_select(r, s, &own, &selection, err);
	if (cls == C4W_OK)
		cls = r->family->missing(r->root, selection, &m->m, err);
	c4w_select_free(own);
	if (cls != C4W_OK) {
		c4w_missing_free(m);
		return cls;
	}
	*out = m;
	return C4W_OK;
}

void c4w_missing_free(struct c4w_missing_list *m)
{
	if (m)
		c4w_missing_clear(&m->m);
	free(m);
}

size_t c4w_missing_count(const struct c4w_missing_list *m)
{
	return m->m.n_files;
}

const char *c4w_missing_path(const struct c4w_missing_list *m, size_t i, uint64_t *bytes)
{
	if (i >= m->m.n_files)
		return NULL;
	if (bytes)
		*bytes = m->m.files[i].bytes;
	return m->m.files[i].path;
}

size_t c4w_missing_unpublished_count(const struct c4w_missing_list *m)
{
	return m->m.n_unpublished;
}

const char *c4w_missing_unpublished(const struct c4w_missing_list *m, size_t i)
{
	return i < m->m.n_unpublished ? m->m.unpublished[i] : NULL;
}

/* ---- verifying and preparing ---- */

struct run {
	struct c4w_report report; /* counts; prints nothing */
	c4w_problem_fn *each;
	void *user;
	bool stopped;
	uint64_t bytes;
};

static bool deliver(void *ctx, struct c4w_item *item, struct c4w_result *result)
{
	struct run *run = ctx;
	size_t i;
	run->bytes += result->bytes;
	c4w_report_item(&run->report, &item->id, result);
	for (i = 0; run->each && !run->stopped && i < result->findings.n; i++) {
		const struct c4w_finding *f = &result->findings.v[i];
		struct c4w_problem p = { item->id.text, c4w_severity_name(f->severity), c4w_state_name(f->state), f->component, f->rule, f->path,
					 f->offset, f->message, f->expected, f->found, f->count, f->total };
		run->stopped = !run->each(run->user, &p);
	}
	return !run->stopped;
}

static int drive(struct run *run, struct c4w_job *job, const struct c4w_run_opts *opts, struct c4w_counts *counts, struct c4w_err *err)
{
	struct c4w_drive_opts o = { .jobs = opts && opts->jobs ? opts->jobs : c4w_pool_processors(), .memory = opts ? opts->memory : 0,
				    .deliver = deliver, .ctx = run };
	int cls;
	run->report.quiet = true;
	cls = c4w_drive(job, &o, err);
	if (cls == C4W_OK && run->stopped)
		cls = c4w_fail(err, C4W_CANCELLED, "stopped by the caller");
	if (counts)
		*counts = (struct c4w_counts){ run->report.passed, run->report.failed, run->report.missing, run->report.unpublished,
					       run->report.unsupported, run->report.unreadable, run->report.warnings, run->bytes };
	return cls;
}

static enum c4w_level level_of(const struct c4w_run_opts *o)
{
	return o && o->level == 1 ? C4W_LEVEL_BASIC : C4W_LEVEL_FULL;
}

int c4w_verify(struct c4w_root *r, const struct c4w_select *s, const struct c4w_run_opts *opts, c4w_problem_fn *each, void *user,
	       struct c4w_counts *counts, struct c4w_err *err)
{
	struct run run = { .each = each, .user = user };
	struct c4w_select *own = NULL;
	struct c4w_job job = { 0 };
	const void *selection;
	int cls;
	if (counts)
		*counts = (struct c4w_counts){ 0 };
	if (!r->family->verify)
		return c4w_fail(err, C4W_UNSUPPORTED, "a %s can't be verified", r->family->title);
	cls = c4w_api_select(r, s, &own, &selection, err);
	if (cls == C4W_OK)
		cls = r->family->verify(r->root, selection, level_of(opts), &job, err);
	if (cls == C4W_OK)
		cls = drive(&run, &job, opts, counts, err);
	c4w_job_destroy(&job);
	c4w_select_free(own);
	c4w_report_clear(&run.report);
	return cls;
}

typedef int write_fn(void *root, const void *selection, const struct c4w_write_opts *opts, struct c4w_writing *out, struct c4w_err *err);

static int prepare(struct c4w_root *r, write_fn *action, const char *verb, const struct c4w_select *s, const char *dest,
		   const struct c4w_run_opts *opts, c4w_problem_fn *each, void *user, struct c4w_counts *counts, struct c4w_err *err)
{
	struct c4w_write_opts write = { .verify = (int)level_of(opts), .keep_existing = opts && opts->keep_existing, .tool = "c4w " C4W_VERSION };
	struct run run = { .each = each, .user = user };
	struct c4w_writing w = { 0 };
	struct c4w_select *own = NULL;
	const void *selection;
	bool overlaps = false;
	int cls;
	if (counts)
		*counts = (struct c4w_counts){ 0 };
	if (!action)
		return c4w_fail(err, C4W_UNSUPPORTED, "%s is not something that a %s can do", verb, r->family->title);
	cls = c4w_api_select(r, s, &own, &selection, err);
	if (cls == C4W_OK)
		cls = c4w_sink_open(dest, write.keep_existing ? 0 : C4W_SINK_EMPTY, &write.sink, err);
	if (cls == C4W_OK)
		cls = c4w_sink_overlaps(write.sink, r->path, &overlaps, err);
	if (cls == C4W_OK && overlaps)
		cls = c4w_fail(err, C4W_USAGE, "source and destination are the same directory, or one lies in the other");
	if (cls == C4W_OK)
		cls = action(r->root, selection, &write, &w, err);
	if (cls == C4W_OK)
		cls = drive(&run, &w.job, opts, counts, err);
	if (cls == C4W_OK && c4w_report_exit(&run.report) != 0 && (run.report.failed || run.report.missing || run.report.unsupported || run.report.unreadable))
		cls = c4w_fail(err, C4W_DAMAGED, "some items could not be used: the result has no manifest");
	if (cls == C4W_OK)
		cls = w.finish(w.ctx, err);
	c4w_writing_destroy(&w);
	c4w_sink_close(write.sink);
	c4w_select_free(own);
	c4w_report_clear(&run.report);
	return cls;
}

int c4w_extract(struct c4w_root *r, const struct c4w_select *s, const char *dest, const struct c4w_run_opts *opts, c4w_problem_fn *each,
		void *user, struct c4w_counts *counts, struct c4w_err *err)
{
	return prepare(r, r->family->extract, "extract", s, dest, opts, each, user, counts, err);
}

int c4w_to_cache(struct c4w_root *r, const struct c4w_select *s, const char *dest, const struct c4w_run_opts *opts, c4w_problem_fn *each,
		 void *user, struct c4w_counts *counts, struct c4w_err *err)
{
	return prepare(r, r->family->to_cache, "to-cache", s, dest, opts, each, user, counts, err);
}

/* ---- leaves ---- */

static int find(struct c4w_root *r, const char *leaf, struct c4w_node **out, struct c4w_err *err)
{
	*out = NULL;
	if (!r->node) {
		if (!r->family->node)
			return c4w_fail(err, C4W_UNSUPPORTED, "a %s has nothing inside", r->family->title);
		C4W_TRY(r->family->node(r->root, &r->node, err));
	}
	return c4w_node_resolve(r->node, leaf ? leaf : "", out, err);
}

struct listing {
	c4w_child_fn *each;
	void *user;
	struct c4w_buf step;
	bool stopped, failed;
};

static int list_begin(void *ctx, const struct c4w_column *columns, size_t count)
{
	(void)ctx;
	(void)columns;
	(void)count;
	return C4W_OK;
}

static int list_row(void *ctx, const struct c4w_cell *cells, enum c4w_node_kind kind)
{
	static const char *const kinds[] = { [C4W_NODE_DIR] = "dir", [C4W_NODE_BYTES] = "bytes", [C4W_NODE_ARRAY] = "array", [C4W_NODE_TABLE] = "table" };
	struct listing *l = ctx;
	c4w_buf_reset(&l->step);
	c4w_buf_put(&l->step, cells[0].text.p, cells[0].text.n);
	c4w_buf_putc(&l->step, 0);
	l->failed = l->step.failed;
	l->stopped = l->failed || !l->each(l->user, l->step.p, kinds[kind]);
	return l->stopped ? C4W_CANCELLED : C4W_OK;
}

int c4w_list(struct c4w_root *r, const char *leaf, c4w_child_fn *each, void *user, struct c4w_err *err)
{
	struct listing l = { .each = each, .user = user };
	struct c4w_rows rows = { list_begin, list_row, &l };
	struct c4w_list_opts opts = { .what = C4W_LIST_CHILDREN };
	struct c4w_node *n = NULL, *inside;
	int cls;
	C4W_TRY(find(r, leaf, &n, err));
	if (!n->ops->list) { /* bytes: what are they inside? */
		cls = c4w_node_enter(n, &inside, err);
		c4w_node_free(n);
		if (cls != C4W_OK)
			return cls;
		n = inside;
	}
	cls = n->ops->list ? n->ops->list(n, &opts, &rows, err) : c4w_fail(err, C4W_USAGE, "%s has nothing inside", n->ops->type);
	c4w_node_free(n);
	if (l.stopped)
		cls = l.failed ? c4w_fail_memory(err, l.step.n) : C4W_OK;
	c4w_buf_clear(&l.step);
	return cls;
}

struct gather {
	struct c4w_buf b;
	uint64_t limit;
};

static int gather(void *ctx, const uint8_t *p, size_t n, struct c4w_err *err)
{
	struct gather *g = ctx;
	if (n > g->limit - g->b.n)
		return c4w_fail(err, C4W_LIMIT, "more than %llu bytes", (unsigned long long)g->limit);
	c4w_buf_put(&g->b, p, n);
	return c4w_buf_ok(&g->b, err);
}

/* Bytes that are an array (an NPY file, or compressed one) are that array. */
static int read_node(struct c4w_node *n, const char *name, uint64_t limit, struct c4w_arrays *a, struct c4w_err *err)
{
	struct c4w_node *inside = NULL;
	struct gather g = { .limit = limit };
	struct c4w_array array;
	int cls = C4W_OK;
	if (!n->ops->array_read && n->kind == C4W_NODE_BYTES && c4w_node_enter(n, &inside, NULL) == C4W_OK && inside->ops->array_read)
		n = inside;
	if (n->ops->array_read) {
		cls = n->ops->array_info(n, &array, err);
		if (cls == C4W_OK && array.size > limit)
			cls = c4w_fail(err, C4W_LIMIT, "the array has %llu bytes, more than %llu", (unsigned long long)array.size, (unsigned long long)limit);
		if (cls == C4W_OK)
			cls = n->ops->array_read(n, 0, array.rank ? array.shape[0] : 1, c4w_arrays_arena(a), &array, err);
		/* The node may have lent it. */
		if (cls == C4W_OK)
			cls = c4w_arrays_add(a, c4w_view_z(name), &array, true, err);
	} else if (n->ops->stream || n->ops->blob) {
		cls = c4w_node_stream(n, gather, &g, err);
		if (cls == C4W_OK)
			cls = c4w_arrays_add_plain(a, name, 'u', 1, g.b.n, g.b.p, true, err);
		c4w_buf_clear(&g.b);
	} else {
		cls = c4w_fail(err, C4W_USAGE, "%s is no array and has no bytes of its own", n->ops->type);
	}
	c4w_node_free(inside);
	return cls;
}

int c4w_read(struct c4w_root *r, const char *leaf, uint64_t limit, struct c4w_arrays **out, struct c4w_err *err)
{
	const char *slash = leaf ? strrchr(leaf, '/') : NULL;
	struct c4w_arrays *a = NULL;
	struct c4w_node *n = NULL;
	int cls;
	*out = NULL;
	limit = limit ? limit : C4W_LIMIT_MEMORY;
	C4W_TRY(find(r, leaf, &n, err));
	n->limit = limit;
	cls = c4w_arrays_new(&a, err);
	if (cls == C4W_OK)
		cls = read_node(n, slash ? slash + 1 : leaf ? leaf : "", limit, a, err);
	c4w_node_free(n);
	if (cls != C4W_OK) {
		c4w_arrays_free(a);
		return cls;
	}
	*out = a;
	return C4W_OK;
}
