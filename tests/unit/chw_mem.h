/* Channels4World roots in the memory store: load a tree, change bytes, renew the hashes above, verify through the family's job. */
#ifndef C4W_TESTS_CHW_MEM_H
#define C4W_TESTS_CHW_MEM_H

#include "base/sha256.h"
#include "families/chw.h"
#include "model/report.h"
#include "storage/store.h"

#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct file {
	char path[240];
	uint8_t *p;
	size_t n;
};

struct tree {
	struct file f[160];
	size_t n;
};

static inline void tree_add(struct tree *t, const char *path, const uint8_t *p, size_t n)
{
	struct file *f = &t->f[t->n++];
	snprintf(f->path, sizeof f->path, "%s", path);
	f->p = malloc(n + 1);
	f->n = n;
	if (n)
		memcpy(f->p, p, n);
	f->p[n] = 0;
}

static inline void tree_walk(struct tree *t, struct c4w_store *s, const char *rel)
{
	struct c4w_arena arena = { 0 };
	struct c4w_dirent *v = NULL;
	size_t n = 0, i;
	if (c4w_store_list(s, rel, &arena, &v, &n, NULL) != C4W_OK)
		n = 0;
	for (i = 0; i < n && t->n < sizeof t->f / sizeof *t->f; i++) {
		char path[240];
		struct c4w_blob *b;
		const uint8_t *p;
		snprintf(path, sizeof path, "%s%s%s", rel, *rel ? "/" : "", v[i].name);
		if (v[i].st.kind == C4W_KIND_DIR)
			tree_walk(t, s, path);
		else if (c4w_store_open(s, path, &b, NULL) == C4W_OK) {
			if (c4w_blob_view(b, 0, (size_t)c4w_blob_size(b), &arena, &p, NULL) == C4W_OK)
				tree_add(t, path, p, (size_t)c4w_blob_size(b));
			c4w_blob_close(b);
		}
	}
	c4w_arena_clear(&arena);
}

/* Every file below a directory; false when there is none. */
static inline bool tree_load(struct tree *t, const char *dir)
{
	struct c4w_store *s;
	t->n = 0;
	if (c4w_store_open_dir(dir, &s, NULL) != C4W_OK)
		return false;
	tree_walk(t, s, "");
	c4w_store_close(s);
	return t->n > 0;
}

static inline void tree_copy(struct tree *to, const struct tree *from)
{
	size_t i;
	to->n = 0;
	for (i = 0; i < from->n; i++)
		tree_add(to, from->f[i].path, from->f[i].p, from->f[i].n);
}

static inline void tree_clear(struct tree *t)
{
	size_t i;
	for (i = 0; i < t->n; i++)
		free(t->f[i].p);
	t->n = 0;
}

/* The first file whose path ends so. */
static inline struct file *tree_find(struct tree *t, const char *end)
{
	size_t i, n = strlen(end);
	for (i = 0; i < t->n; i++) {
		size_t m = strlen(t->f[i].path);
		if (m >= n && strcmp(t->f[i].path + m - n, end) == 0)
			return &t->f[i];
	}
	return NULL;
}

static inline struct c4w_store *tree_store(const struct tree *t)
{
	struct c4w_store *s = NULL;
	size_t i;
	if (c4w_memstore_new(&s, NULL) != C4W_OK)
		return NULL;
	for (i = 0; i < t->n; i++)
		if (c4w_memstore_put(s, t->f[i].path, t->f[i].p, t->f[i].n, NULL) != C4W_OK)
			abort();
	return s;
}

/* ---- verifying ---- */

struct verdict {
	int exit;
	unsigned findings, states[5], items;
	const char *rule;  /* of the first finding */
	bool one_rule;     /* all findings have it */
	bool no_rule;      /* something failed, but no rule says why */
	char message[400]; /* of the first finding */
	char missing[400]; /* of the first one that is missing */
	struct c4w_report report;
};

static inline void verdict_add(struct verdict *v, const struct c4w_findings *fs)
{
	size_t i;
	for (i = 0; i < fs->n; i++) {
		if (v->findings++ == 0) {
			v->rule = fs->v[i].rule;
			v->one_rule = true;
			snprintf(v->message, sizeof v->message, "%s", fs->v[i].message);
		} else if (v->rule != fs->v[i].rule && (!v->rule || !fs->v[i].rule || strcmp(v->rule, fs->v[i].rule) != 0))
			v->one_rule = false;
		if (fs->v[i].state == C4W_STATE_MISSING && v->states[C4W_STATE_MISSING] == 0)
			snprintf(v->missing, sizeof v->missing, "%s", fs->v[i].message);
		if (fs->v[i].state == C4W_STATE_FAILED && !fs->v[i].rule)
			v->no_rule = true;
		v->states[fs->v[i].state]++;
	}
}

static inline bool verdict_deliver(void *ctx, struct c4w_item *item, struct c4w_result *result)
{
	struct verdict *v = ctx;
	v->items++;
	verdict_add(v, &result->findings);
	c4w_report_item(&v->report, &item->id, result);
	return true;
}

#define ALL "core,detail,positions,geometry"

static inline void verify(struct c4w_store *s, const char *components, enum c4w_level level, unsigned jobs, struct verdict *v)
{
	struct c4w_selarg arg = { "components", components };
	struct c4w_selargs args = { &arg, components ? 1 : 0 };
	struct chw_root *r = NULL;
	struct c4w_job job = { 0 };
	struct c4w_drive_opts opts = { .jobs = jobs, .deliver = verdict_deliver, .ctx = v };
	struct c4w_result result = { 0 };
	struct c4w_err err;
	void *sel = NULL;
	int cls;
	c4w_err_clear(&err);
	memset(v, 0, sizeof *v);
	v->report.out = fopen("/dev/null", "w");
	if (!v->report.out)
		abort();
	cls = chw_root_open(s, "memory", &r, &err);
	if (cls == C4W_OK)
		cls = chw_compile(r, &args, &sel, &err);
	if (cls == C4W_OK)
		cls = chw_verify_job(r, sel, level, &job, &err);
	if (cls == C4W_OK)
		cls = c4w_drive(&job, &opts, &err);
	if (cls != C4W_OK) {
		struct c4w_item_id id = { "root", NULL, 0 };
		c4w_findings_add_err(&result.findings, "root", NULL, &err);
		verdict_add(v, &result.findings);
		c4w_report_item(&v->report, &id, &result);
		c4w_findings_clear(&result.findings);
	}
	v->exit = c4w_report_exit(&v->report);
	c4w_job_destroy(&job);
	chw_selection_free(sel);
	chw_root_free(r);
	fclose(v->report.out);
	c4w_report_clear(&v->report);
}

static inline void verify_tree(const struct tree *t, const char *components, enum c4w_level level, struct verdict *v)
{
	struct c4w_store *s = tree_store(t);
	verify(s, components, level, 1, v);
	c4w_store_close(s);
}

/* ---- hashes ---- */

static inline void hex_of(const void *p, size_t n, char out[65])
{
	uint8_t d[32];
	c4w_sha256(p, n, d);
	c4w_hex(out, d, 32);
}

/* Replace a text of 64 letters everywhere, as bytes and as UTF-32 (the headers inside NPZ). Returns how often. */
static inline unsigned replace_hex(struct tree *t, const char *from, const char *to)
{
	uint8_t wide_from[256] = { 0 }, wide_to[256] = { 0 };
	unsigned count = 0;
	size_t i, k;
	if (strcmp(from, to) == 0)
		return 0;
	for (i = 0; i < 64; i++) {
		wide_from[4 * i] = (uint8_t)from[i];
		wide_to[4 * i] = (uint8_t)to[i];
	}
	for (k = 0; k < t->n; k++) {
		struct file *f = &t->f[k];
		uint8_t *at = f->p;
		while ((at = memmem(at, f->n - (size_t)(at - f->p), from, 64))) {
			memcpy(at, to, 64);
			count++;
		}
		at = f->p;
		while ((at = memmem(at, f->n - (size_t)(at - f->p), wide_from, 256))) {
			memcpy(at, wide_to, 256);
			count++;
		}
	}
	return count;
}

#endif
