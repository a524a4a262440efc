/* The fixture roots through the memory store: every array is what the reference library read (expected-*.json); reads that fail, end early or
 * find nothing; random damage, with the hashes above it renewed so that it is met. */
#include "chw_mem.h"
#include "tap.h"

#include <unistd.h>

#define DATA "tests/data/channels4world/"

/* ---- arrays against expected-*.json ---- */

struct expected {
	struct c4w_json doc;
	struct c4w_arena arena;
	uint32_t scenes;
};

static bool load_expected(struct expected *e, const char *path)
{
	struct c4w_blob *b;
	const uint8_t *p;
	bool fine;
	memset(e, 0, sizeof *e);
	if (c4w_blob_file(path, &b, NULL) != C4W_OK)
		return false;
	fine = c4w_blob_view(b, 0, (size_t)c4w_blob_size(b), &e->arena, &p, NULL) == C4W_OK &&
	       c4w_json_parse((struct c4w_view){ (const char *)p, (size_t)c4w_blob_size(b) }, 0, 0, &e->arena, &e->doc, NULL) == C4W_OK;
	if (fine)
		e->scenes = c4w_json_member(&e->doc, 0, "scenes");
	c4w_blob_close(b);
	return fine && e->scenes != C4W_JSON_NONE;
}

static uint32_t by_text(const struct c4w_json *doc, uint32_t list, const char *key, const char *want)
{
	uint32_t e;
	for (e = c4w_json_first(doc, list); e != C4W_JSON_NONE; e = c4w_json_next(doc, list, e))
		if (c4w_json_string_eq(doc, c4w_json_member(doc, e, key), c4w_view_z(want)))
			return e;
	return C4W_JSON_NONE;
}

static bool is_number(const struct c4w_json *doc, uint32_t obj, const char *key, int64_t want)
{
	uint32_t v = c4w_json_member(doc, obj, key);
	int64_t got;
	return v != C4W_JSON_NONE && c4w_json_i64(doc, v, &got, NULL) == C4W_OK && got == want;
}

static unsigned compare_record(const struct c4w_json *doc, uint32_t arrays, const struct chw_record *rec)
{
	unsigned n, k;
	const struct chw_field *f = chw_fields(rec->row->component, &n);
	ok(arrays != C4W_JSON_NONE && c4w_json_count(doc, arrays) == n, "%u fields", n);
	for (k = 0; arrays != C4W_JSON_NONE && k < n; k++) {
		uint32_t a = c4w_json_member(doc, arrays, f[k].name), shape = c4w_json_member(doc, a, "shape");
		int64_t rows = chw_length_of(&rec->row->dims, (enum chw_length)f[k].length), got = -1;
		char hex[65];
		hex_of(rec->field[k], (size_t)rows * f[k].size * (f[k].vec3 ? 3 : 1), hex);
		ok(c4w_json_string_eq(doc, c4w_json_member(doc, a, "sha256"), c4w_view_z(hex)), "%s: %s", f[k].name, hex);
		ok(c4w_json_string_eq(doc, c4w_json_member(doc, a, "dtype"), c4w_view_z(f[k].dtype)), "%s", f[k].dtype);
		ok(c4w_json_i64(doc, c4w_json_first(doc, shape), &got, NULL) == C4W_OK && got == rows, "%lld rows, want %lld", (long long)rows, (long long)got);
	}
	return n;
}

static void compare_geometry(const struct c4w_json *doc, uint32_t want, struct chw_group *g, const struct chw_digest *id, struct c4w_worker *w,
			     struct c4w_findings *fs)
{
	struct chw_worker *cw = w->user;
	struct chw_place place;
	struct c4w_zip z;
	const uint8_t *p, *body;
	size_t i;
	chw_locate(g, id, NULL, &place);
	if (!chw_fetch(g, &place, "geometry", &w->arena, &p, fs) || c4w_zip_open_memory(p, (size_t)place.bytes, &w->arena, &z, NULL) != C4W_OK) {
		ok(false, "no geometry");
		return;
	}
	ok(z.count == c4w_json_count(doc, want), "%zu entries", z.count);
	for (i = 0; i < z.count; i++) {
		uint32_t e = c4w_json_member_view(doc, want, z.entries[i].name);
		char hex[65];
		ok(e != C4W_JSON_NONE, "entry %zu", i);
		if (c4w_zip_read(cw->zip, &z, &z.entries[i], true, UINT64_MAX, &w->arena, &body, NULL) != C4W_OK) {
			ok(false, "entry %zu can't be read", i);
			continue;
		}
		hex_of(body, (size_t)z.entries[i].size, hex);
		ok(c4w_json_string_eq(doc, c4w_json_member(doc, e, "sha256"), c4w_view_z(hex)), "%s", hex);
	}
}

static void compare_root(const char *dir, const char *expectation, unsigned want_records)
{
	struct tree t;
	struct expected x;
	struct c4w_store *s;
	struct chw_root *r = NULL;
	struct chw_walk *walk = NULL;
	struct c4w_worker w = { 0 };
	struct c4w_findings fs = { 0 };
	struct c4w_selarg arg = { "components", ALL };
	struct c4w_selargs args = { &arg, 1 };
	struct chw_item it;
	unsigned records = 0;
	void *sel = NULL;
	bool end = false;
	if (!tree_load(&t, dir) || !load_expected(&x, expectation)) {
		ok(false, "%s or %s is absent", dir, expectation);
		return;
	}
	s = tree_store(&t);
	if (chw_worker_new(NULL, &w.user, NULL) != C4W_OK || chw_root_open(s, dir, &r, NULL) != C4W_OK || chw_compile(r, &args, &sel, NULL) != C4W_OK ||
	    chw_walk_new(r, sel, &walk, NULL) != C4W_OK) {
		ok(false, "%s can't be opened", dir);
		goto out;
	}
	while (chw_walk_next(walk, &it, &end, NULL) == C4W_OK && !end) {
		uint32_t scene = by_text(&x.doc, x.scenes, "id", it.scene->id), list, e;
		struct chw_record rec;
		ok(scene != C4W_JSON_NONE, "%s", it.scene->id);
		if (it.kind == CHW_ITEM_POSITIONS) {
			ok(chw_record_verify(it.group, it.positions, C4W_LEVEL_FULL, &w, &rec, &fs), "positions");
			compare_record(&x.doc, c4w_json_member(&x.doc, scene, "positions"), &rec);
			records++;
		} else if (it.kind == CHW_ITEM_GEOMETRY) {
			compare_geometry(&x.doc, c4w_json_member(&x.doc, scene, "geometry"), it.group, &it.geometry, &w, &fs);
			records++;
		} else if (it.kind == CHW_ITEM_CHANNEL) {
			list = c4w_json_member(&x.doc, scene, "records");
			for (e = c4w_json_first(&x.doc, list); e != C4W_JSON_NONE; e = c4w_json_next(&x.doc, list, e))
				if (is_number(&x.doc, e, "frequency_hz", it.hz) && is_number(&x.doc, e, "bs", it.bs))
					break;
			ok(e != C4W_JSON_NONE, "%s %lld %lld", it.scene->id, (long long)it.hz, (long long)it.bs);
			if (e != C4W_JSON_NONE) {
				uint32_t detail = c4w_json_member(&x.doc, e, "detail");
				char hex[65];
				c4w_hex(hex, it.core->id.b, 32);
				ok(c4w_json_string_eq(&x.doc, c4w_json_member(&x.doc, e, "record_id"), c4w_view_z(hex)), "%s", hex);
				ok(is_number(&x.doc, e, "links", it.core->dims.links) && is_number(&x.doc, e, "paths", it.core->dims.paths), "dimensions");
				ok(chw_record_verify(it.group, it.core, C4W_LEVEL_FULL, &w, &rec, &fs), "core");
				compare_record(&x.doc, c4w_json_member(&x.doc, e, "core"), &rec);
				records++;
				if (detail != C4W_JSON_NONE && c4w_json_type(&x.doc, detail) == C4W_JSON_OBJECT && c4w_json_member(&x.doc, detail, "interaction_type") != C4W_JSON_NONE) {
					ok(it.detail && chw_record_verify(it.group, it.detail, C4W_LEVEL_FULL, &w, &rec, &fs), "detail");
					compare_record(&x.doc, detail, &rec);
					records++;
				}
			}
		} else {
			ok(false, "item of kind %d", (int)it.kind);
		}
		chw_group_release(it.group);
		c4w_arena_reset(&w.arena);
	}
	ok(end && fs.n == 0, "%zu findings", fs.n);
	is_int(records, want_records);
out:
	chw_walk_free(walk);
	chw_selection_free(sel);
	chw_root_free(r);
	chw_worker_free(NULL, w.user);
	c4w_arena_clear(&w.arena);
	c4w_findings_clear(&fs);
	c4w_arena_clear(&x.arena);
	c4w_store_close(s);
	tree_clear(&t);
}

static void test_expected_release(void)
{
	compare_root(DATA "release", DATA "expected-release.json", 4 * 2 + 16 + 8);
}

static void test_expected_subset(void)
{
	compare_root(DATA "subset", DATA "expected-subset.json", 1 + 1 + 2 + 2);
}

static void test_expected_cache(void)
{
	compare_root(DATA "cache", DATA "expected-cache.json", 2 * 2 + 8 + 8);
}

static void test_verify_roots(void)
{
	static const struct {
		const char *dir;
		unsigned passed, unpublished;
	} roots[] = { { DATA "release", 16, 8 }, { DATA "subset", 4, 0 }, { DATA "cache", 12, 0 }, { DATA "one", 3, 0 }, { DATA "one-cache", 3, 0 } };
	size_t i;
	unsigned jobs;
	for (i = 0; i < sizeof roots / sizeof *roots; i++) {
		struct tree t;
		struct c4w_store *s;
		ok(tree_load(&t, roots[i].dir), "%s", roots[i].dir);
		s = tree_store(&t);
		for (jobs = 1; jobs <= 4; jobs += 3) {
			struct verdict v;
			verify(s, ALL, C4W_LEVEL_FULL, jobs, &v);
			ok(v.exit == 0 && v.report.passed == roots[i].passed && v.report.unpublished == roots[i].unpublished && v.states[C4W_STATE_FAILED] == 0,
			   "%s: exit %d, %d passed, %d unpublished: %s", roots[i].dir, v.exit, (int)v.report.passed, (int)v.report.unpublished, v.message);
			verify(s, NULL, C4W_LEVEL_BASIC, jobs, &v);
			ok(v.exit == 0 && v.findings == 0, "%s: %s", roots[i].dir, v.message);
		}
		c4w_store_close(s);
		tree_clear(&t);
	}
}

/* ---- faults of the store ---- */

static void store_faults(const char *dir, bool cut)
{
	struct tree t;
	struct c4w_store *s;
	struct verdict v;
	uint64_t calls = 0, bytes;
	unsigned unreadable = 0;
	int64_t n;
	ok(tree_load(&t, dir), "%s", dir);
	s = tree_store(&t);
	c4w_memstore_faults(s, &(struct c4w_memstore_faults){ 0 });
	verify(s, ALL, C4W_LEVEL_FULL, 1, &v);
	c4w_memstore_counts(s, &calls, &bytes);
	ok(calls > 10, "%d calls", (int)calls);
	for (n = 1; n <= (int64_t)calls; n++) {
		struct c4w_memstore_faults f = { 0 };
		*(cut ? &f.cut_nth : &f.fail_nth) = n;
		c4w_memstore_faults(s, &f);
		verify(s, ALL, C4W_LEVEL_FULL, 1, &v);
		/* a read that fails says nothing about the data: unreadable, never damaged or missing */
		ok(v.exit == 3 ? v.states[C4W_STATE_UNREADABLE] > 0 : cut && v.exit == 0, "%s: call %d: exit %d: %s %s", dir, (int)n, v.exit, v.rule ? v.rule : "-", v.message);
		ok(v.states[C4W_STATE_FAILED] == 0 && v.states[C4W_STATE_MISSING] == 0, "%s: call %d: %s", dir, (int)n, v.message);
		unreadable += v.exit == 3;
	}
	ok(unreadable * 3 > calls, "%u of %d", unreadable, (int)calls);
	c4w_memstore_faults(s, &(struct c4w_memstore_faults){ 0 });
	verify(s, ALL, C4W_LEVEL_FULL, 1, &v);
	is_int(v.exit, 0);
	c4w_store_close(s);
	tree_clear(&t);
}

static void test_reads_fail(void)
{
	store_faults(DATA "one", false);
	store_faults(DATA "one-cache", false);
	store_faults(DATA "subset", false);
}

static void test_reads_end_early(void)
{
	store_faults(DATA "one", true);
	store_faults(DATA "one-cache", true);
	store_faults(DATA "subset", true);
}

static void lost_files(const char *dir)
{
	struct tree t;
	struct c4w_store *s;
	size_t i;
	ok(tree_load(&t, dir), "%s", dir);
	s = tree_store(&t);
	for (i = 0; i < t.n; i++) {
		const char *path = t.f[i].path;
		bool needed = !strstr(path, "/catalog/") || strstr(path, "members.parquet");
		struct verdict v;
		c4w_memstore_faults(s, &(struct c4w_memstore_faults){ .lose = path });
		verify(s, ALL, C4W_LEVEL_FULL, 1, &v);
		ok(v.exit == (needed ? 1 : 0) && (v.states[C4W_STATE_MISSING] > 0) == needed && v.states[C4W_STATE_FAILED] == 0,
		   "%s without %s: exit %d, %s", dir, path, v.exit, v.message);
		ok(!needed || strstr(v.missing, path) || strcmp(path, "c4w-root.json") == 0, "%s is named: %s", path, v.missing);
	}
	c4w_store_close(s);
	tree_clear(&t);
}

static void test_lost_files(void)
{
	lost_files(DATA "one");
	lost_files(DATA "release");
	lost_files(DATA "cache");
}

/* ---- random damage ---- */

static uint64_t state = 88172645463325252ULL;
static uint32_t rnd(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 20) % n;
}

static void damage(struct file *f)
{
	unsigned i, n = 1 + rnd(4);
	if (f->n == 0)
		return;
	for (i = 0; i < n; i++) {
		size_t at = rnd((uint32_t)f->n);
		/* archives are mostly padding: look for a byte that means something */
		for (unsigned k = 0; k < 20 && f->p[at] == 0; k++)
			at = rnd((uint32_t)f->n);
		switch (rnd(5)) {
		case 0: f->p[at] = (uint8_t)rnd(256); break;
		case 1: f->p[at] ^= (uint8_t)(1U << rnd(8)); break;
		case 2: f->p[at] = (uint8_t)(rnd(2) ? 0xFF : 0x7F); break;
		case 3: f->p[at] = (uint8_t)(f->p[at] + (rnd(2) ? 1 : 255)); break;
		default: {
			size_t from = rnd((uint32_t)f->n), len = 1 + rnd(16);
			if (from + len <= f->n && at + len <= f->n)
				memmove(f->p + at, f->p + from, len);
		}
		}
	}
	if (rnd(20) == 0) { /* cut; the copy is exact, so that reading beyond it is seen by the sanitizer */
		size_t n2 = rnd((uint32_t)f->n);
		uint8_t *p = malloc(n2 + 1);
		memcpy(p, f->p, n2);
		free(f->p);
		f->p = p;
		f->n = n2;
	}
}

/* Renew what the root says of each file (its own text aside), and of an archive's member; sizes stay as they were. */
static void renew_all(struct tree *t, char (*before)[65], char (*members)[65])
{
	size_t i, pass;
	char now[65];
	for (pass = 0; pass < 4; pass++)
		for (i = 0; i < t->n; i++) {
			struct file *f = &t->f[i];
			size_t n = strlen(f->path);
			bool tar = n > 4 && strcmp(f->path + n - 4, ".tar") == 0;
			size_t at = strncmp(f->path, "c4w-root/", 9) == 0 ? 3 : strstr(f->path, "snapshot.json") || strstr(f->path, "members.parquet") ? 2 : 1;
			if (pass == 0 && tar && f->n > 1024) {
				size_t size = (size_t)strtoull((char *)f->p + 124, NULL, 8);
				if (size <= f->n - 512) {
					hex_of(f->p + 512, size, now);
					replace_hex(t, members[i], now);
				}
			} else if (pass == at) {
				hex_of(f->p, f->n, now);
				replace_hex(t, before[i], now);
			}
		}
}

static void mutations(const char *dir, unsigned rounds)
{
	static char before[160][65], members[160][65];
	struct tree good, t;
	unsigned i, exits[5] = { 0 }, deep = 0;
	size_t k;
	ok(tree_load(&good, dir), "%s", dir);
	for (k = 0; k < good.n; k++) {
		struct file *f = &good.f[k];
		hex_of(f->p, f->n, before[k]);
		memcpy(members[k], before[k], 65);
		if (strstr(f->path, ".tar"))
			hex_of(f->p + 512, (size_t)strtoull((char *)f->p + 124, NULL, 8), members[k]);
	}
	for (i = 0; i < rounds; i++) {
		struct verdict v;
		size_t victim = rnd((uint32_t)good.n);
		tree_copy(&t, &good);
		damage(&t.f[victim]);
		if (rnd(8))
			renew_all(&t, before, members);
		alarm(60); /* a hang is a failure */
		verify_tree(&t, ALL, rnd(4) ? C4W_LEVEL_FULL : C4W_LEVEL_BASIC, &v);
		alarm(0);
		if (v.exit == 0 || v.exit == 1 || v.exit == 4)
			exits[v.exit]++;
		else
			ok(false, "%s round %u, %s: exit %d: %s", dir, i, good.f[victim].path, v.exit, v.message);
		if (v.no_rule)
			ok(false, "%s round %u, %s: no rule: %s", dir, i, good.f[victim].path, v.message);
		deep += v.rule && !strstr(v.rule, "digest");
		tree_clear(&t);
	}
	tree_clear(&good);
	printf("# %s: %u sound, %u bad (%u beyond digests), %u unsupported\n", dir, exits[0], exits[1], deep, exits[4]);
	ok(exits[1] > rounds / 4, "%u", exits[1]);
	ok(deep > rounds / 10, "%u", deep);
}

static void test_mutations(void)
{
	const char *n = getenv("C4W_TEST_ROUNDS");
	unsigned rounds = n ? (unsigned)strtoul(n, NULL, 10) : 1500;
	mutations(DATA "one", rounds);
	mutations(DATA "one-cache", rounds);
	mutations(DATA "subset", rounds / 10);
}

int main(void)
{
	struct tree t;
	if (!tree_load(&t, DATA "one")) {
		printf("ok 1 - all # SKIP no " DATA "one here\n1..1\n");
		return 0;
	}
	tree_clear(&t);
	RUN(test_expected_release);
	RUN(test_expected_subset);
	RUN(test_expected_cache);
	RUN(test_verify_roots);
	RUN(test_reads_fail);
	RUN(test_reads_end_early);
	RUN(test_lost_files);
	RUN(test_mutations);
	return done();
}
