/* The item driver and the report: order, memory admission, fail-fast, cancelling, counts and exit codes. */
#include "model/driver.h"
#include "model/report.h"
#include "tap.h"

#include <unistd.h>

enum { N = 500 };

struct ctx {
	int made, n, order_broken, delivered, released;
	_Atomic int working, most;
	_Atomic uint64_t cost_in_work, most_cost;
	uint64_t cost;
	int stop_at, fail_from;
	atomic_int *cancel;
};

static int next(void *p, struct c4w_item *item, bool *end, struct c4w_err *err)
{
	struct ctx *c = p;
	if (c->fail_from && c->made == c->fail_from)
		return c4w_fail(err, C4W_IO, "the list ends in an error");
	if (c->made == c->n) {
		*end = true;
		return C4W_OK;
	}
	item->id.text = "item";
	item->data = (void *)(intptr_t)(c->made++);
	item->cost = c->cost;
	return C4W_OK;
}

static void work(void *p, struct c4w_worker *w, struct c4w_item *item, struct c4w_result *result)
{
	struct ctx *c = p;
	int now = atomic_fetch_add(&c->working, 1) + 1;
	uint64_t cost = atomic_fetch_add(&c->cost_in_work, item->cost) + item->cost;
	(void)w;
	if (now > atomic_load(&c->most))
		atomic_store(&c->most, now);
	if (cost > atomic_load(&c->most_cost))
		atomic_store(&c->most_cost, cost);
	if ((intptr_t)item->data % 37 == 5)
		usleep(300);
	if ((intptr_t)item->data % 3 == 0)
		c4w_findings_addf(&result->findings, C4W_SEV_ERROR, C4W_STATE_FAILED, "part", "x.y", NULL, -1, "bad %d", (int)(intptr_t)item->data);
	result->bytes = 10;
	atomic_fetch_sub(&c->cost_in_work, item->cost);
	atomic_fetch_sub(&c->working, 1);
}

static void release(void *p, struct c4w_item *item, struct c4w_result *result)
{
	(void)item;
	(void)result;
	((struct ctx *)p)->released++;
}

static bool deliver(void *p, struct c4w_item *item, struct c4w_result *result)
{
	struct ctx *c = p;
	if ((intptr_t)item->data != c->delivered || result->findings.n != ((intptr_t)item->data % 3 == 0))
		c->order_broken++;
	c->delivered++;
	if (c->cancel && c->delivered == 50)
		atomic_store(c->cancel, 1);
	return !c->stop_at || c->delivered < c->stop_at;
}

static int drive(struct ctx *c, unsigned jobs, uint64_t memory, const atomic_int *cancel, struct c4w_err *err)
{
	struct c4w_job job = { .ctx = c, .next = next, .work = work, .release = release };
	struct c4w_drive_opts o = { .jobs = jobs, .memory = memory, .cancel = cancel, .deliver = deliver, .ctx = c };
	c4w_err_clear(err);
	return c4w_drive(&job, &o, err);
}

static void test_order(void)
{
	unsigned jobs;
	struct c4w_err e;
	for (jobs = 1; jobs <= 8; jobs *= 2) {
		struct ctx c = { .n = N };
		is_int(drive(&c, jobs, 0, NULL, &e), C4W_OK);
		is_int(c.delivered, N);
		is_int(c.order_broken, 0);
		is_int(c.released, N);
	}
}

static void test_memory(void)
{
	struct c4w_err e;
	struct ctx c = { .n = N, .cost = 100 };
	is_int(drive(&c, 8, 250, NULL, &e), C4W_OK);
	is_int(c.delivered, N);
	ok(c.most_cost <= 250, "%llu in work at once", (unsigned long long)c.most_cost);
	is_int(c.order_broken, 0);
}

static bool refused(void *p, struct c4w_item *item, struct c4w_result *result)
{
	struct ctx *c = p;
	(void)item;
	c->delivered++;
	return result->findings.n == 1 && result->findings.v[0].state == C4W_STATE_UNSUPPORTED &&
	       strstr(result->findings.v[0].message, "--memory") != NULL;
}

static void test_refused(void)
{
	struct c4w_err e;
	struct ctx c = { .n = 5, .cost = 100 };
	struct c4w_job job = { .ctx = &c, .next = next, .work = work, .release = release };
	struct c4w_drive_opts o = { .jobs = 2, .memory = 99, .deliver = refused, .ctx = &c };
	is_int(c4w_drive(&job, &o, &e), C4W_OK);
	is_int(c.delivered, 5);
	is_int(c.released, 5);
	is_int(c.most, 0);
}

static void test_stop(void)
{
	struct c4w_err e;
	atomic_int cancel = 0;
	struct ctx c = { .n = N, .stop_at = 20 }, d = { .n = N, .cancel = &cancel }, f = { .n = N, .fail_from = 30 };
	is_int(drive(&c, 4, 0, NULL, &e), C4W_OK);
	is_int(c.delivered, 20);
	is_int(c.released, c.made);
	is_int(drive(&d, 4, 0, &cancel, &e), C4W_CANCELLED);
	ok(d.delivered >= 50 && d.delivered < N, "%d delivered", d.delivered);
	is_int(d.released, d.made);
	is_int(drive(&f, 4, 0, NULL, &e), C4W_IO);
	is_int(f.delivered, 30);
	is_int(f.released, 30);
}

static char *printed(struct c4w_report *r, void (*fill)(struct c4w_report *))
{
	static char buf[8192];
	FILE *f = tmpfile();
	size_t n;
	r->out = f;
	fill(r);
	c4w_report_summary(r);
	rewind(f);
	n = fread(buf, 1, sizeof buf - 1, f);
	buf[n] = 0;
	fclose(f);
	return buf;
}

static void one(struct c4w_report *r, const char *text, enum c4w_severity sev, enum c4w_state state, const char *rule, uint64_t count, uint64_t total)
{
	struct c4w_result res = { 0 };
	struct c4w_item_field fields[] = { { "scene_id", text, 0, false }, { "component", "core", 0, false }, { "bs", NULL, 3, true } };
	struct c4w_item_id id = { text, fields, 3 };
	struct c4w_finding f = { sev, state, "detail", rule, "a/b", 7, "tau[17] is -1e-09", "at least 0", NULL, count, total };
	if (rule || state != C4W_STATE_FAILED)
		c4w_findings_add(&res.findings, &f);
	if (count == 2)
		c4w_findings_add(&res.findings, &f); /* the same rule again adds to the first */
	c4w_report_item(r, &id, &res);
	c4w_findings_clear(&res.findings);
}

static void fill(struct c4w_report *r)
{
	one(r, "fine", C4W_SEV_ERROR, C4W_STATE_FAILED, NULL, 1, 0);
	one(r, "s\n1", C4W_SEV_ERROR, C4W_STATE_FAILED, "core.delay-negative", 1, 4711);
	one(r, "s2", C4W_SEV_ERROR, C4W_STATE_MISSING, NULL, 1, 0);
	one(r, "s3", C4W_SEV_ERROR, C4W_STATE_UNPUBLISHED, NULL, 1, 0);
	one(r, "s4", C4W_SEV_WARNING, C4W_STATE_FAILED, "w.x", 2, 0);
}

static void test_report_text(void)
{
	struct c4w_report r = { .level = "full" };
	is_str(printed(&r, fill), "FAIL s\\n1: core.delay-negative: tau[17] is -1e-09, expected at least 0 (1 of 4,711)\n"
				  "MISSING s2: tau[17] is -1e-09, expected at least 0\n"
				  "NOT PUBLISHED s3: tau[17] is -1e-09, expected at least 0\n"
				  "WARNING s4: w.x: tau[17] is -1e-09, expected at least 0 (4 places)\n"
				  "2 items passed full verification, 1 failed, 1 not downloaded, 1 warning; 1 requested items are not published "
				  "(not an error)\n");
	is_int(c4w_report_exit(&r), 1);
	c4w_report_clear(&r);
}

static void test_report_json(void)
{
	static const char *const ignore[] = { "core.delay-negative", "w.x", NULL };
	struct c4w_report r = { .level = "basic", .json = true, .ignore = ignore };
	is_str(printed(&r, fill),
	       "{\"type\": \"finding\", \"item\": \"s2\", \"scene_id\": \"s2\", \"component\": \"detail\", \"bs\": 3, \"severity\": \"error\", \"state\": "
	       "\"missing\", \"rule\": null, \"path\": \"a/b\", \"offset\": 7, \"message\": \"tau[17] is -1e-09\", \"expected\": \"at least 0\", "
	       "\"found\": null, \"count\": 1}\n"
	       "{\"type\": \"finding\", \"item\": \"s3\", \"scene_id\": \"s3\", \"component\": \"detail\", \"bs\": 3, \"severity\": \"error\", \"state\": "
	       "\"unpublished\", \"rule\": null, \"path\": \"a/b\", \"offset\": 7, \"message\": \"tau[17] is -1e-09\", \"expected\": \"at least 0\", "
	       "\"found\": null, \"count\": 1}\n"
	       "{\"type\": \"summary\", \"level\": \"basic\", \"passed\": 3, \"failed\": 0, \"missing\": 1, \"unpublished\": 1, \"unsupported\": 0, "
	       "\"unreadable\": 0, \"warnings\": 0, \"bytes\": 0}\n");
	c4w_report_clear(&r);
}

static void nothing(struct c4w_report *r)
{
	(void)r;
}

static void unpublished(struct c4w_report *r)
{
	one(r, "s3", C4W_SEV_ERROR, C4W_STATE_UNPUBLISHED, NULL, 1, 0);
}

static void worst(struct c4w_report *r)
{
	fill(r);
	one(r, "s5", C4W_SEV_ERROR, C4W_STATE_UNSUPPORTED, NULL, 1, 0);
	one(r, "s6", C4W_SEV_ERROR, C4W_STATE_UNREADABLE, NULL, 1, 0);
}

static void unsupported(struct c4w_report *r)
{
	one(r, "s5", C4W_SEV_ERROR, C4W_STATE_UNSUPPORTED, NULL, 1, 0);
	one(r, "fine", C4W_SEV_ERROR, C4W_STATE_FAILED, NULL, 1, 0);
}

static void test_exit(void)
{
	struct { void (*fill)(struct c4w_report *); bool strict; int code; } t[] = {
		{ nothing, false, 1 }, { unpublished, false, 1 }, { worst, false, 3 }, { unsupported, false, 4 }, { fill, true, 1 },
	};
	size_t i;
	for (i = 0; i < sizeof t / sizeof *t; i++) {
		struct c4w_report r = { .quiet = true, .strict = t[i].strict };
		is_str(printed(&r, t[i].fill), "");
		is_int(c4w_report_exit(&r), t[i].code);
		if (t[i].strict)
			is_int(r.failed, 2);
		c4w_report_clear(&r);
	}
	is_int(c4w_exit_code(C4W_ABSENT, true), 1);
	is_int(c4w_exit_code(C4W_ABSENT, false), 3);
	is_int(c4w_exit_code(C4W_UNKNOWN, true), 2);
	is_int(c4w_exit_code(C4W_LIMIT, true), 4);
	is_int(c4w_exit_code(C4W_USAGE, true), 2);
	is_int(c4w_exit_code(C4W_MEMORY, false), 3);
}

int main(void)
{
	RUN(test_order);
	RUN(test_memory);
	RUN(test_refused);
	RUN(test_stop);
	RUN(test_report_text);
	RUN(test_report_json);
	RUN(test_exit);
	return done();
}
