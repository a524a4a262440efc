/* Checking checksum lists. See sums.h. */
#include "sums.h"
#include "progress.h"

#include "base/limits.h"
#include "containers/sums.h"
#include "model/hashing.h"
#include "model/report.h"
#include "storage/store.h"
#include "storage/stream.h"

#include <stdlib.h>

struct check {
	struct c4w_ctx *ctx;
	const struct c4w_sums_options *o;
	struct c4w_report report;
	struct c4w_progress progress;
	uint64_t files, bytes; /* hashed so far */
	struct c4w_arena arena; /* lists and names */
	struct c4w_sums *lists; /* one an operand; empty when it could not be read */
	size_t list, entry;     /* the next one to hash */
	uint64_t unlisted, ignored;
};

static const char *const no_ignore[] = { NULL };

/* One finding about one thing, straight to the report. */
static bool tell(struct check *c, const char *item, enum c4w_severity severity, enum c4w_state state, const char *rule,
		 const char *message, const char *expected, const char *found, uint64_t bytes)
{
	struct c4w_item_field path = { .key = "file", .text = item };
	struct c4w_item_id id = { .text = item, .fields = &path, .n_fields = 1 };
	struct c4w_result result = { .bytes = bytes };
	struct c4w_finding f = { .severity = severity, .state = state, .rule = rule, .path = item, .offset = -1,
				 .message = message, .expected = expected, .found = found, .count = 1 };
	bool fine;
	if (message) {
		c4w_progress_wipe(&c->progress);
		c4w_findings_add(&result.findings, &f);
	}
	fine = c4w_report_item(&c->report, &id, &result);
	c4w_findings_clear(&result.findings);
	return fine;
}

static void tell_error(struct check *c, const char *item, const struct c4w_err *err)
{
	struct c4w_item_field path = { .key = "file", .text = item };
	struct c4w_item_id id = { .text = item, .fields = &path, .n_fields = 1 };
	struct c4w_result result = { 0 };
	c4w_progress_wipe(&c->progress);
	if (err) {
		struct c4w_err bare = *err; /* the item is the path */
		bare.path[0] = 0;
		c4w_findings_add_err(&result.findings, NULL, NULL, &bare);
	} else
		result.findings.failed = true;
	c4w_report_item(&c->report, &id, &result);
	c4w_findings_clear(&result.findings);
}

/* A list itself is no item: it is told only when something is wrong with it. */
static int read_list(struct check *c, const char *path, struct c4w_sums *out)
{
	struct c4w_stream *s;
	struct c4w_err err = { 0 };
	const char *text = "";
	char message[128];
	size_t n = 0;
	int cls = c4w_stream_open(path, &s, &err);
	if (cls == C4W_OK) {
		cls = c4w_stream_slurp(s, C4W_LIMIT_SUMS, &c->arena, &text, &n, &err);
		c4w_stream_close(s);
	}
	if (cls == C4W_OK)
		cls = c4w_sums_parse(text, n, c->o->zero, &c->arena, out, &err);
	if (cls == C4W_CANCELLED)
		return cls;
	if (cls != C4W_OK) {
		/* A list that isn't there leaves its files unchecked: that is "could not be done". */
		if (err.cls == C4W_ABSENT)
			err.cls = C4W_IO;
		tell_error(c, path, &err);
		return C4W_OK;
	}
	if (out->count == 0) {
		tell(c, path, C4W_SEV_ERROR, C4W_STATE_FAILED, out->malformed ? "sums.line" : "sums.empty",
		     out->malformed ? "no line of it is a SHA-256 checksum line" : "names no file, so nothing was checked", NULL, NULL, 0);
	} else if (out->malformed) {
		uint64_t passed = c->report.passed;
		snprintf(message, sizeof message, "line %llu is no SHA-256 checksum line (%llu such line%s)",
			 (unsigned long long)out->first_malformed, (unsigned long long)out->malformed, out->malformed == 1 ? "" : "s");
		tell(c, path, C4W_SEV_WARNING, C4W_STATE_FAILED, "sums.line", message, NULL, NULL, 0);
		c->report.passed = passed;
	}
	return C4W_OK;
}

static int next(void *ctx, struct c4w_hash_file *file, bool *end, struct c4w_err *err)
{
	struct check *c = ctx;
	const char *directory = c->o->directory;
	const struct c4w_sum *s;
	size_t n = directory ? strlen(directory) : 0, room;
	while (c->list < (size_t)c->ctx->operands && c->entry == c->lists[c->list].count) {
		c->list++;
		c->entry = 0;
	}
	if (c->list == (size_t)c->ctx->operands) {
		*end = true;
		return C4W_OK;
	}
	s = &c->lists[c->list].v[c->entry++];
	room = n + strlen(s->name) + 2;
	file->user = (void *)(uintptr_t)s;
	file->path = malloc(room);
	if (!file->path)
		return c4w_fail_memory(err, room);
	if (n && s->name[0] != '/' && strcmp(s->name, "-") != 0)
		snprintf(file->path, room, "%s/%s", directory, s->name);
	else
		memcpy(file->path, s->name, strlen(s->name) + 1);
	return C4W_OK;
}

static bool check_file(struct check *c, const struct c4w_hash_file *f)
{
	const struct c4w_sum *s = f->user;
	char expected[65], found[65];
	if (f->cls == C4W_ABSENT && c->o->ignore_missing) {
		c->ignored++;
		return true;
	}
	if (f->cls == C4W_ABSENT)
		return tell(c, s->name, C4W_SEV_ERROR, C4W_STATE_MISSING, NULL, "is not there", NULL, NULL, 0);
	if (f->cls != C4W_OK) {
		tell_error(c, s->name, f->err);
		return false;
	}
	if (memcmp(s->digest, f->digest, 32) == 0)
		return tell(c, s->name, C4W_SEV_NOTE, C4W_STATE_FAILED, NULL, NULL, NULL, NULL, f->bytes);
	return tell(c, s->name, C4W_SEV_ERROR, C4W_STATE_FAILED, "sums.differs", "sha256 differs", c4w_hex(expected, s->digest, 32),
		    c4w_hex(found, f->digest, 32), f->bytes);
}

static bool deliver(void *ctx, struct c4w_item *item, struct c4w_result *result)
{
	struct check *c = ctx;
	const struct c4w_hash_batch *b = item->data;
	size_t i;
	for (i = 0; i < b->n; i++)
		if (!check_file(c, b->file[i]) && c->o->fail_fast)
			return false;
	c4w_progress_step(&c->progress, c->files += b->n, c->bytes += result->bytes);
	return !c4w_out_failed();
}

/* ---- files that no list names ---- */

static int compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "./a//b" and "a/b" are one name. In place. */
static char *tidy(char *name)
{
	char *from = name, *to = name;
	while (from[0] == '.' && from[1] == '/')
		for (from += 2; *from == '/'; from++)
			;
	while (*from) {
		*to++ = *from++;
		if (to[-1] == '/') {
			while (*from == '/' || (from[0] == '.' && from[1] == '/'))
				from++;
		}
	}
	*to = 0;
	return name;
}

/* Are there files beside the listed ones, in the folders that hold them? Only those folders are looked at, not what is below. */
static int look_for_unlisted(struct check *c, struct c4w_err *err)
{
	const char **names, **folders;
	size_t total = 0, n = 0, nf = 0, i, k, shown = 0;
	void *mem;
	for (i = 0; i < (size_t)c->ctx->operands; i++)
		total += c->lists[i].count;
	if (!total)
		return C4W_OK;
	C4W_TRY(c4w_arena_zero(&c->arena, total + (size_t)c->ctx->operands, sizeof *names, &mem, err));
	names = mem;
	C4W_TRY(c4w_arena_zero(&c->arena, total, sizeof *folders, &mem, err));
	folders = mem;
	for (i = 0; i < (size_t)c->ctx->operands; i++)
		for (k = 0; k < c->lists[i].count; k++) {
			char *name = c4w_arena_text(&c->arena, c->lists[i].v[k].name, strlen(c->lists[i].v[k].name)), *slash;
			char *folder;
			if (!name)
				return c4w_fail_memory(err, 0);
			names[n++] = tidy(name);
			slash = strrchr(name, '/');
			folder = c4w_arena_text(&c->arena, name, slash ? (size_t)(slash - name) + (slash == name) : 0);
			if (!folder)
				return c4w_fail_memory(err, 0);
			folders[nf++] = folder;
		}
	/* The lists themselves, when they lie among the files. */
	for (i = 0; i < (size_t)c->ctx->operands; i++) {
		char *name = c4w_arena_text(&c->arena, c->ctx->operand[i], strlen(c->ctx->operand[i]));
		size_t d = c->o->directory ? strlen(c->o->directory) : 0;
		if (!name)
			return c4w_fail_memory(err, 0);
		if (d && strncmp(name, c->o->directory, d) == 0 && name[d] == '/')
			name += d + 1;
		names[n++] = tidy(name);
	}
	qsort(names, n, sizeof *names, compare);
	qsort(folders, nf, sizeof *folders, compare);
	for (i = 0; i < nf; i++) {
		struct c4w_buf path = { 0 };
		struct c4w_arena listing = { 0 };
		struct c4w_store *store;
		struct c4w_dirent *entries;
		struct c4w_err ignored = { 0 };
		size_t count;
		if (i && strcmp(folders[i], folders[i - 1]) == 0)
			continue;
		if (c->o->directory && folders[i][0] != '/')
			c4w_buf_printf(&path, "%s/%s", c->o->directory, folders[i]);
		else
			c4w_buf_puts(&path, folders[i][0] ? folders[i] : ".");
		/* A folder that is not there has had its findings. */
		if (path.failed || c4w_store_open_dir(path.p, &store, &ignored) != C4W_OK) {
			c4w_buf_clear(&path);
			continue;
		}
		if (c4w_store_list(store, "", &listing, &entries, &count, &ignored) == C4W_OK)
			for (k = 0; k < count; k++) {
				uint64_t passed = c->report.passed;
				const char *key;
				if (entries[k].st.kind != C4W_KIND_FILE)
					continue;
				c4w_buf_reset(&path);
				if (folders[i][0])
					c4w_buf_printf(&path, "%s%s", folders[i], strcmp(folders[i], "/") == 0 ? "" : "/");
				c4w_buf_puts(&path, entries[k].name);
				key = path.p;
				if (path.failed || bsearch(&key, names, n, sizeof *names, compare))
					continue;
				c->unlisted++;
				/* A list of one file in a full folder must not print hundreds of lines. */
				if (shown++ >= 20 && !c->report.json && !c->o->strict) {
					c->report.warnings++;
					continue;
				}
				tell(c, path.p, C4W_SEV_WARNING, C4W_STATE_FAILED, "sums.unlisted", "no list names this file", NULL, NULL, 0);
				c->report.passed = passed;
			}
		c4w_arena_clear(&listing);
		c4w_store_close(store);
		c4w_buf_clear(&path);
	}
	return C4W_OK;
}

static void summary(struct check *c)
{
	const struct c4w_report *r = &c->report;
	FILE *out = c->ctx->out;
	char n[32];
	if (c->ctx->shared.json) {
		fprintf(out,
			"{\"type\": \"summary\", \"level\": null, \"passed\": %llu, \"failed\": %llu, \"missing\": %llu, \"unpublished\": 0, "
			"\"unsupported\": %llu, \"unreadable\": %llu, \"unlisted\": %llu, \"ignored\": %llu, \"warnings\": %llu, \"bytes\": %llu}\n",
			(unsigned long long)r->passed, (unsigned long long)r->failed, (unsigned long long)r->missing,
			(unsigned long long)r->unsupported, (unsigned long long)r->unreadable, (unsigned long long)c->unlisted,
			(unsigned long long)c->ignored, (unsigned long long)r->warnings, (unsigned long long)r->bytes);
		return;
	}
	fprintf(out, "%s %s", c4w_str_grouped(r->passed, n), r->passed == 1 ? "file matches" : "files match");
	if (r->failed)
		fprintf(out, ", %s failed", c4w_str_grouped(r->failed, n));
	if (r->missing)
		fprintf(out, ", %s missing", c4w_str_grouped(r->missing, n));
	if (r->unsupported)
		fprintf(out, ", %s unsupported", c4w_str_grouped(r->unsupported, n));
	if (r->unreadable)
		fprintf(out, ", %s unreadable", c4w_str_grouped(r->unreadable, n));
	if (c->ignored)
		fprintf(out, ", %s absent and ignored", c4w_str_grouped(c->ignored, n));
	if (c->unlisted)
		fprintf(out, "; %s not listed%s", c4w_str_grouped(c->unlisted, n), c->o->strict ? "" : " (not an error)");
	if (!r->passed && !r->failed && !r->missing && !r->unreadable)
		fputs("; nothing was checked", out);
	fputc('\n', out);
}

int c4w_check_lists(struct c4w_ctx *ctx, const struct c4w_sums_options *o)
{
	struct check c = { .ctx = ctx, .o = o };
	struct c4w_hash_source feed = { .ctx = &c, .next = next };
	struct c4w_drive_opts opts = { .jobs = (unsigned)ctx->shared.jobs, .cancel = &c4w_stop, .deliver = deliver, .ctx = &c };
	struct c4w_job job = { 0 };
	struct c4w_err err = { 0 };
	const char **ignore = (const char **)no_ignore;
	void *mem;
	int i, cls = C4W_OK, code = C4W_EXIT_OK;
	if (ctx->operands == 0) {
		static const char *const standard_input[] = { "-" };
		ctx->operand = (const char **)(uintptr_t)standard_input;
		ctx->operands = 1;
	}
	cls = c4w_arena_zero(&ctx->arena, ctx->shared.ignore.n + 1, sizeof *ignore, &mem, &err);
	if (cls == C4W_OK) {
		ignore = mem;
		if (ctx->shared.ignore.n)
			memcpy(ignore, ctx->shared.ignore.v, ctx->shared.ignore.n * sizeof *ignore);
		cls = c4w_arena_zero(&ctx->arena, (size_t)ctx->operands, sizeof *c.lists, &mem, &err);
		c.lists = mem;
	}
	c.report = (struct c4w_report){ .out = ctx->out, .json = ctx->shared.json, .quiet = o->status, .strict = o->strict,
					.color = c4w_color_on(ctx, stdout), .ignore = ignore };
	for (i = 0; i < ctx->operands && cls == C4W_OK; i++)
		cls = read_list(&c, ctx->operand[i], &c.lists[i]);
	c4w_progress_begin(&c.progress, ctx);
	c.progress.noun = "files";
	for (i = 0; c.lists && i < ctx->operands; i++)
		c.progress.total_items += c.lists[i].count;
	if (cls == C4W_OK)
		cls = c4w_hash_job(&feed, &job, &err);
	if (cls == C4W_OK)
		cls = c4w_drive(&job, &opts, &err);
	c4w_job_destroy(&job);
	c4w_progress_end(&c.progress);
	if (cls == C4W_OK && !ctx->shared.quiet && !c4w_out_failed())
		cls = look_for_unlisted(&c, &err);
	if (cls != C4W_OK)
		code = c4w_say(ctx, &err);
	else if (!ctx->shared.quiet && !o->status)
		summary(&c);
	code = c4w_exit_worst(code, c4w_report_exit(&c.report));
	c4w_report_clear(&c.report);
	c4w_arena_clear(&c.arena);
	return code;
}
