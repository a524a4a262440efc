/* Reductions: blocks that stay in the first-level cache, a fast pass that presumes finite numbers and a slow one for blocks where that
 * was wrong; blocks are merged by Chan's formula. */
#include "families/timef_stats.h"

#include "base/sha256.h"
#include "families/timef_impl.h"

#include <math.h>

#define BLOCK 1024

struct sums {
	double sum, mean, m2; /* of the finite ones so far; mean and m2 by Chan */
	uint64_t n;           /* of the finite ones */
	double lo, hi;
	uint64_t live;        /* not NaN */
	uint64_t nans;
	int64_t ilo, ihi, isum;
};

static void merge(struct sums *s, double sum, double mean, double m2, uint64_t n)
{
	double delta, total;

	if (n == 0)
		return;
	s->sum += sum;
	total = (double)s->n + (double)n;
	delta = mean - s->mean;
	s->mean += delta * ((double)n / total);
	s->m2 += m2 + delta * delta * ((double)s->n * (double)n / total);
	s->n += n;
}

/* ---- floats ---- */

typedef double vec __attribute__((vector_size(16)));

#define FLOAT_BLOCK(name, type)                                                                       \
	static void name(struct sums *s, const type *p, size_t n)                                     \
	{                                                                                             \
		vec a = { 0, 0 }, b = { 0, 0 }, x, y, m;                                              \
		type lo0 = (type)INFINITY, hi0 = -(type)INFINITY, lo1 = lo0, hi1 = hi0;               \
		double sum, mean, m2, d;                                                              \
		uint64_t good = 0;                                                                    \
		size_t i;                                                                             \
                                                                                                      \
		for (i = 0; i + 4 <= n; i += 4) {                                                     \
			x = (vec){ (double)p[i], (double)p[i + 1] };                                  \
			y = (vec){ (double)p[i + 2], (double)p[i + 3] };                              \
			a += x;                                                                       \
			b += y;                                                                       \
			lo0 = p[i] < lo0 ? p[i] : lo0;                                                \
			lo1 = p[i + 1] < lo1 ? p[i + 1] : lo1;                                        \
			lo0 = p[i + 2] < lo0 ? p[i + 2] : lo0;                                        \
			lo1 = p[i + 3] < lo1 ? p[i + 3] : lo1;                                        \
			hi0 = p[i] > hi0 ? p[i] : hi0;                                                \
			hi1 = p[i + 1] > hi1 ? p[i + 1] : hi1;                                        \
			hi0 = p[i + 2] > hi0 ? p[i + 2] : hi0;                                        \
			hi1 = p[i + 3] > hi1 ? p[i + 3] : hi1;                                        \
		}                                                                                     \
		sum = a[0] + a[1] + b[0] + b[1];                                                      \
		for (; i < n; i++) {                                                                  \
			sum += (double)p[i];                                                          \
			lo0 = p[i] < lo0 ? p[i] : lo0;                                                \
			hi0 = p[i] > hi0 ? p[i] : hi0;                                                \
		}                                                                                     \
		lo0 = lo1 < lo0 ? lo1 : lo0;                                                          \
		hi0 = hi1 > hi0 ? hi1 : hi0;                                                          \
		s->lo = (double)lo0 < s->lo ? (double)lo0 : s->lo;                                    \
		s->hi = (double)hi0 > s->hi ? (double)hi0 : s->hi;                                    \
		if (isfinite(sum)) {                                                                  \
			mean = sum / (double)n;                                                       \
			m = (vec){ mean, mean };                                                      \
			a = b = (vec){ 0, 0 };                                                        \
			for (i = 0; i + 4 <= n; i += 4) {                                             \
				x = (vec){ (double)p[i], (double)p[i + 1] } - m;                      \
				y = (vec){ (double)p[i + 2], (double)p[i + 3] } - m;                  \
				a += x * x;                                                           \
				b += y * y;                                                           \
			}                                                                             \
			m2 = a[0] + a[1] + b[0] + b[1];                                               \
			for (; i < n; i++)                                                            \
				m2 += ((double)p[i] - mean) * ((double)p[i] - mean);                  \
			merge(s, sum, mean, m2, n);                                                   \
			s->live += n;                                                                 \
			return;                                                                       \
		}                                                                                     \
		sum = 0;                                                                              \
		for (i = 0; i < n; i++) {                                                             \
			s->nans += isnan(p[i]) ? 1 : 0;                                                     \
			if (isfinite(p[i])) {                                                         \
				sum += (double)p[i];                                                  \
				good++;                                                               \
			}                                                                             \
			s->live += isnan(p[i]) ? 0 : 1;                                                     \
		}                                                                                     \
		mean = good ? sum / (double)good : 0;                                                 \
		m2 = 0;                                                                               \
		for (i = 0; i < n; i++)                                                               \
			if (isfinite(p[i])) {                                                         \
				d = (double)p[i] - mean;                                              \
				m2 += d * d;                                                          \
			}                                                                             \
		merge(s, sum, mean, m2, good);                                                        \
	}

FLOAT_BLOCK(float_block, float)
FLOAT_BLOCK(double_block, double)

/* ---- integers ---- */

#define INT_BLOCK(name, type)                                               \
	static void name(struct sums *s, const type *p, size_t n)           \
	{                                                                   \
		type lo = p[0], hi = p[0];                                  \
		int64_t sum = 0;                                            \
		double mean, m2, d;                                         \
		vec a = { 0, 0 }, m, x;                                     \
		size_t i;                                                   \
                                                                            \
		for (i = 0; i < n; i++) {                                   \
			lo = p[i] < lo ? p[i] : lo;                         \
			hi = p[i] > hi ? p[i] : hi;                         \
			sum += p[i];                                        \
		}                                                           \
		mean = (double)sum / (double)n;                             \
		m = (vec){ mean, mean };                                    \
		for (i = 0; i + 2 <= n; i += 2) {                           \
			x = (vec){ (double)p[i], (double)p[i + 1] } - m;    \
			a += x * x;                                         \
		}                                                           \
		m2 = a[0] + a[1];                                           \
		for (; i < n; i++) {                                        \
			d = (double)p[i] - mean;                            \
			m2 += d * d;                                        \
		}                                                           \
		s->ilo = s->live && s->ilo < (int64_t)lo ? s->ilo : (int64_t)lo; \
		s->ihi = s->live && s->ihi > (int64_t)hi ? s->ihi : (int64_t)hi; \
		s->live += n;                                               \
		merge(s, (double)sum, mean, m2, n);                         \
	}

INT_BLOCK(i8_block, int8_t)
INT_BLOCK(i16_block, int16_t)
INT_BLOCK(i32_block, int32_t)
INT_BLOCK(u8_block, uint8_t)
INT_BLOCK(u16_block, uint16_t)
INT_BLOCK(u32_block, uint32_t)

static void block(struct sums *s, enum c4w_timef_dtype t, const void *p, size_t n)
{
	switch (t) {
	case C4W_TF_FLOAT32:
		float_block(s, p, n);
		break;
	case C4W_TF_FLOAT64:
		double_block(s, p, n);
		break;
	case C4W_TF_INT8:
		i8_block(s, p, n);
		break;
	case C4W_TF_INT16:
		i16_block(s, p, n);
		break;
	case C4W_TF_INT32:
		i32_block(s, p, n);
		break;
	case C4W_TF_UINT16:
		u16_block(s, p, n);
		break;
	case C4W_TF_UINT32:
		u32_block(s, p, n);
		break;
	default: /* bool and uint8 */
		u8_block(s, p, n);
		break;
	}
}

static void numbers(struct sums *s, const struct c4w_timef_spec *spec, const struct c4w_timef_run *run)
{
	size_t size = c4w_timef_dtype_size(spec->dtype), elements = (size_t)spec->elements, total = run->steps * elements, i, n;
	uint64_t packed[BLOCK];
	uint8_t *to = (uint8_t *)packed;

	if (!run->missing) {
		for (i = 0; i < total; i += n) {
			n = total - i < BLOCK ? total - i : BLOCK;
			block(s, spec->dtype, run->values + i * size, n);
		}
		return;
	}
	for (i = 0, n = 0; i < total; i++) { /* present elements, packed together */
		if (!run->valid[elements == 1 ? i : i / elements])
			continue;
		memcpy(to + n * size, run->values + i * size, size);
		if (++n == BLOCK) {
			block(s, spec->dtype, packed, n);
			n = 0;
		}
	}
	if (n)
		block(s, spec->dtype, packed, n);
}

/* ---- texts ---- */

/* Distinct texts by 128 bits of hash: no copies, 16 bytes each. */
struct set {
	uint64_t (*v)[2];
	size_t cap, n;
};

static uint64_t mix(uint64_t a, uint64_t b)
{
	unsigned __int128 r = (unsigned __int128)a * b;

	return (uint64_t)r ^ (uint64_t)(r >> 64);
}

static void hash(const char *p, size_t n, uint64_t out[2])
{
	uint64_t a = 0x9e3779b97f4a7c15u ^ n, b = 0xd1b54a32d192ed03u + n, w;

	while (n >= 8) {
		memcpy(&w, p, 8);
		a = mix(a ^ w, 0xa0761d6478bd642fu);
		b = mix(b + w, 0xe7037ed1a0b428dbu) ^ w;
		p += 8;
		n -= 8;
	}
	w = 0;
	memcpy(&w, p, n);
	out[0] = mix(a ^ w, 0x8ebc6af09c88c6e3u);
	out[1] = mix(b + w, 0x589965cc75374cc3u) ^ a;
	if (!out[0] && !out[1])
		out[0] = 1; /* all zero marks a free place */
}

static int set_add(struct set *s, const uint64_t h[2], struct c4w_err *err)
{
	uint64_t(*v)[2];
	size_t i, k, cap;

	if (s->n * 3 >= s->cap * 2) {
		cap = s->cap ? s->cap * 2 : 256;
		v = calloc(cap, sizeof *v);
		if (!v)
			return c4w_fail_memory(err, cap * sizeof *v);
		for (i = 0; i < s->cap; i++) {
			if (!s->v[i][0] && !s->v[i][1])
				continue;
			for (k = s->v[i][0] & (cap - 1); v[k][0] || v[k][1]; k = (k + 1) & (cap - 1))
				;
			memcpy(v[k], s->v[i], sizeof *v);
		}
		free(s->v);
		s->v = v;
		s->cap = cap;
	}
	for (k = h[0] & (s->cap - 1); s->v[k][0] || s->v[k][1]; k = (k + 1) & (s->cap - 1))
		if (s->v[k][0] == h[0] && s->v[k][1] == h[1])
			return C4W_OK;
	memcpy(s->v[k], h, sizeof *s->v);
	s->n++;
	return C4W_OK;
}

struct texts {
	struct set set;
	struct c4w_buf min, max, digest;
	bool any;
};

static void keep_text(struct c4w_buf *b, const char *p, size_t n)
{
	c4w_buf_reset(b);
	c4w_buf_put(b, p, n);
}

static void text_digest(struct texts *t, struct c4w_sha256 *sha, const char *p, size_t n, bool there)
{
	uint8_t len[4] = { (uint8_t)n, (uint8_t)(n >> 8), (uint8_t)(n >> 16), (uint8_t)(n >> 24) };

	if (!there)
		memset(len, 0xff, 4);
	c4w_buf_put(&t->digest, len, 4);
	if (there)
		c4w_buf_put(&t->digest, p, n);
	if (t->digest.n >= 65536) {
		c4w_sha256_update(sha, t->digest.p, t->digest.n);
		c4w_buf_reset(&t->digest);
	}
}

static int text_run(struct texts *t, struct c4w_timef_stats *st, struct c4w_sha256 *sha, const struct c4w_timef_run *run, struct c4w_err *err)
{
	struct c4w_view v;
	uint64_t h[2];
	size_t i;

	for (i = 0; i < run->steps; i++) {
		bool there = !run->valid || run->valid[i];

		v.p = run->text + run->offsets[i];
		v.n = (size_t)(run->offsets[i + 1] - run->offsets[i]);
		if (sha)
			text_digest(t, sha, v.p, v.n, there);
		if (!there)
			continue;
		st->utf8_bytes += v.n;
		hash(v.p, v.n, h);
		C4W_TRY(set_add(&t->set, h, err));
		if (!t->any || c4w_view_cmp(v, (struct c4w_view){ t->min.p, t->min.n }) < 0)
			keep_text(&t->min, v.p, v.n);
		if (!t->any || c4w_view_cmp(v, (struct c4w_view){ t->max.p, t->max.n }) > 0)
			keep_text(&t->max, v.p, v.n);
		t->any = true;
	}
	return C4W_OK;
}

static int enum_run(struct texts *t, const struct c4w_timef_spec *spec, struct c4w_timef_stats *st, struct c4w_sha256 *sha,
		    const struct c4w_timef_run *run, struct c4w_err *err)
{
	const int32_t *codes = (const int32_t *)(const void *)run->values;
	size_t i;

	for (i = 0; i < run->steps; i++) {
		bool there = !run->valid || run->valid[i];

		if (there && codes[i] < 0)
			return c4w_timef_fault(NULL, err, "values.category", NULL, NULL, NULL, NULL, "a value is none of the spec's categories (step %llu)",
					       (unsigned long long)(run->first + i));
		if (there)
			st->label_counts[codes[i]]++;
		if (sha)
			text_digest(t, sha, spec->categories[there ? codes[i] : 0].p, spec->categories[there ? codes[i] : 0].n, there);
	}
	return C4W_OK;
}

static void enum_done(const struct c4w_timef_spec *spec, struct c4w_timef_stats *st)
{
	size_t k;

	for (k = 0; k < spec->ncategories; k++) {
		if (!st->label_counts[k])
			continue;
		if (!st->distinct || c4w_view_cmp(spec->categories[k], st->tmin) < 0)
			st->tmin = spec->categories[k];
		if (!st->distinct || c4w_view_cmp(spec->categories[k], st->tmax) > 0)
			st->tmax = spec->categories[k];
		st->distinct++;
		st->utf8_bytes += st->label_counts[k] * spec->categories[k].n;
	}
	st->has_range = st->distinct > 0;
}

/* ---- one series ---- */

static int keep_step(const struct c4w_timef_spec *spec, const struct c4w_timef_run *run, size_t i, struct c4w_arena *keep, bool *there,
		     const uint8_t **value, struct c4w_view *text, struct c4w_err *err)
{
	size_t step = (size_t)spec->elements * c4w_timef_dtype_size(spec->dtype);
	void *mem;

	*there = !run->valid || run->valid[i];
	if (!*there)
		return C4W_OK;
	if (spec->dtype == C4W_TF_STR) {
		text->n = (size_t)(run->offsets[i + 1] - run->offsets[i]);
		text->p = c4w_arena_text(keep, run->text + run->offsets[i], text->n);
		return text->p ? C4W_OK : c4w_fail_memory(err, text->n);
	}
	C4W_TRY(c4w_arena_take(keep, step, &mem, err));
	memcpy(mem, run->values + i * step, step);
	*value = mem;
	if (spec->dtype == C4W_TF_ENUM) {
		int32_t code;

		memcpy(&code, mem, 4);
		if (code >= 0 && (size_t)code < spec->ncategories)
			*text = spec->categories[code];
	}
	return C4W_OK;
}

static int check_times(const struct c4w_timef_series *s, const struct c4w_timef_run *run, int64_t *last, struct c4w_err *err)
{
	bool bad = run->first > 0 && run->times[0] < *last;
	char expected[32], found[32];
	size_t i;

	for (i = 1; i < run->steps; i++)
		bad |= run->times[i] < run->times[i - 1];
	if (bad)
		return c4w_timef_fault(NULL, err, "values.offsets-decrease", NULL, NULL, NULL, NULL, "time offsets decrease");
	if (run->first == 0 && run->times[0] != s->first) {
		snprintf(expected, sizeof expected, "%lld", (long long)s->first);
		snprintf(found, sizeof found, "%lld", (long long)run->times[0]);
		return c4w_timef_fault(NULL, err, "values.offsets-ends", NULL, NULL, expected, found, "the first time offset is not the record's");
	}
	*last = run->times[run->steps - 1];
	if (run->first + run->steps == (uint64_t)s->n_values && *last != s->last) {
		snprintf(expected, sizeof expected, "%lld", (long long)s->last);
		snprintf(found, sizeof found, "%lld", (long long)*last);
		return c4w_timef_fault(NULL, err, "values.offsets-ends", NULL, NULL, expected, found, "the last time offset is not the record's");
	}
	return C4W_OK;
}

static void digest_run(struct c4w_sha256 sha[3], const struct c4w_timef_spec *spec, const struct c4w_timef_run *run)
{
	static const uint8_t ones[4096] = { [0 ... 4095] = 1 };
	size_t i, n, step = (size_t)spec->elements * c4w_timef_dtype_size(spec->dtype);
	const uint8_t *v = spec->dtype == C4W_TF_STR || spec->dtype == C4W_TF_ENUM ? NULL : run->values;

	/* values, validity and offsets are independent messages: two at a time cost little more than one */
	for (i = 0; i < run->steps; i += n) {
		n = run->steps - i < sizeof ones ? run->steps - i : sizeof ones;
		if (v)
			c4w_sha256_update2(&sha[0], v + i * step, n * step, &sha[1], run->valid ? run->valid + i : ones, n);
		else
			c4w_sha256_update(&sha[1], run->valid ? run->valid + i : ones, n);
		if (run->times)
			c4w_sha256_update(&sha[2], run->times + i, n * 8);
	}
}

static int reduce(struct c4w_timef_cursor *c, const struct c4w_timef_series *s, const struct c4w_timef_spec *spec, bool digests,
		  struct c4w_arena *keep, struct texts *t, struct c4w_timef_stats *st, struct c4w_err *err)
{
	struct sums sums = { .lo = (double)INFINITY, .hi = -(double)INFINITY };
	uint64_t at = 0, n = (uint64_t)s->n_values;
	struct c4w_timef_run run;
	struct c4w_sha256 sha[3];
	int64_t last = 0;
	void *mem;
	int i;

	for (i = 0; i < 3; i++)
		c4w_sha256_init(&sha[i]);
	if (spec->dtype == C4W_TF_ENUM) {
		C4W_TRY(c4w_arena_zero(keep, spec->ncategories + 1, sizeof *st->label_counts, &mem, err));
		st->label_counts = mem;
	}
	while (at < n) {
		C4W_TRY(c4w_timef_lend(c, at, n, true, &run, err));
		if (run.times)
			C4W_TRY(check_times(s, &run, &last, err));
		if (spec->dtype == C4W_TF_STR)
			C4W_TRY(text_run(t, st, digests ? &sha[0] : NULL, &run, err));
		else if (spec->dtype == C4W_TF_ENUM)
			C4W_TRY(enum_run(t, spec, st, digests ? &sha[0] : NULL, &run, err));
		else
			numbers(&sums, spec, &run);
		if (digests)
			digest_run(sha, spec, &run);
		if (at == 0)
			C4W_TRY(keep_step(spec, &run, 0, keep, &st->first_there, &st->first, &st->first_text, err));
		if (at + run.steps == n)
			C4W_TRY(keep_step(spec, &run, run.steps - 1, keep, &st->last_there, &st->last, &st->last_text, err));
		st->length += run.steps;
		st->missing += run.missing;
		at += run.steps;
	}
	st->elements = (st->length - st->missing) * spec->elements;
	if (spec->dtype == C4W_TF_ENUM) {
		enum_done(spec, st);
	} else if (spec->dtype == C4W_TF_STR) {
		st->distinct = t->set.n;
		st->has_range = t->any;
		st->tmin.n = t->min.n;
		st->tmax.n = t->max.n;
		st->tmin.p = c4w_arena_text(keep, t->min.p ? t->min.p : "", t->min.n);
		st->tmax.p = c4w_arena_text(keep, t->max.p ? t->max.p : "", t->max.n);
		if (!st->tmin.p || !st->tmax.p)
			return c4w_fail_memory(err, t->max.n);
		C4W_TRY(c4w_buf_ok(&t->min, err));
		C4W_TRY(c4w_buf_ok(&t->max, err));
	} else {
		st->has_range = sums.live > 0;
		st->min = sums.lo;
		st->max = sums.hi;
		st->imin = sums.ilo;
		st->imax = sums.ihi;
		st->nan_count = sums.nans;
		st->mean = sums.n ? sums.sum / (double)sums.n : 0;
		st->sd = sums.n ? sqrt(sums.m2 / (double)sums.n) : 0;
		st->has_mean = sums.n > 0 && isfinite(st->mean);
		if (spec->dtype == C4W_TF_BOOL)
			st->true_count = (uint64_t)(sums.sum + 0.5);
	}
	if (digests) {
		if (t->digest.n)
			c4w_sha256_update(&sha[0], t->digest.p, t->digest.n);
		C4W_TRY(c4w_buf_ok(&t->digest, err));
		c4w_sha256_final(&sha[0], st->values_sha);
		c4w_sha256_final(&sha[1], st->validity_sha);
		c4w_sha256_final(&sha[2], st->offsets_sha);
		st->digests = true;
	}
	if (s->axis == C4W_TF_REGULAR)
		st->has_offsets = c4w_timef_regular_offset(s, 0, &st->first_offset) && c4w_timef_regular_offset(s, s->n_values - 1, &st->last_offset);
	if (s->axis == C4W_TF_IRREGULAR) {
		st->has_offsets = true;
		st->first_offset = s->first;
		st->last_offset = s->last;
	}
	return C4W_OK;
}

int c4w_timef_stats(struct c4w_timef_cursor *c, const struct c4w_timef_series *s, bool digests, struct c4w_arena *keep,
		    struct c4w_timef_stats *out, struct c4w_err *err)
{
	struct texts t = { 0 };
	const struct c4w_timef_spec *spec;
	char label[200];
	int rc;

	memset(out, 0, sizeof *out);
	rc = c4w_timef_begin(c, s, err);
	if (rc != C4W_OK)
		return rc;
	spec = &c4w_timef_cursor_ds(c)->m.specs[s->spec];
	rc = reduce(c, s, spec, digests, keep, &t, out, err);
	if (rc != C4W_OK && err && !strstr(err->message, "series "))
		c4w_err_prefix(err, "%s", c4w_timef_label(c4w_timef_cursor_ds(c), "series", C4W_TF_SERIES_ID, s->id, label, sizeof label));
	free(t.set.v);
	c4w_buf_clear(&t.min);
	c4w_buf_clear(&t.max);
	c4w_buf_clear(&t.digest);
	return rc;
}

/* ---- JSON ---- */

void c4w_timef_double_json(double v, struct c4w_json_out *j)
{
	if (isnan(v))
		c4w_jo_z(j, "NaN");
	else if (isinf(v))
		c4w_jo_z(j, v > 0 ? "Infinity" : "-Infinity");
	else
		c4w_jo_double(j, v);
}

double c4w_timef_element(enum c4w_timef_dtype t, const uint8_t *p)
{
	union {
		float f;
		double d;
		int16_t i16;
		uint16_t u16;
		int32_t i32;
		uint32_t u32;
	} v;

	switch (t) {
	case C4W_TF_BOOL:
	case C4W_TF_UINT8:
		return *p;
	case C4W_TF_INT8:
		return (int8_t)*p;
	default:
		break;
	}
	memcpy(&v, p, c4w_timef_dtype_size(t));
	switch (t) {
	case C4W_TF_FLOAT32:
		return (double)v.f;
	case C4W_TF_FLOAT64:
		return v.d;
	case C4W_TF_INT16:
		return v.i16;
	case C4W_TF_UINT16:
		return v.u16;
	case C4W_TF_UINT32:
		return v.u32;
	default:
		return v.i32;
	}
}

void c4w_timef_element_json(enum c4w_timef_dtype t, const uint8_t *p, struct c4w_json_out *j)
{
	if (t == C4W_TF_BOOL)
		c4w_jo_bool(j, *p != 0);
	else if (t == C4W_TF_FLOAT32 || t == C4W_TF_FLOAT64)
		c4w_timef_double_json(c4w_timef_element(t, p), j);
	else
		c4w_jo_i64(j, (int64_t)c4w_timef_element(t, p));
}

static const uint8_t *nested(const struct c4w_timef_spec *spec, unsigned axis, const uint8_t *p, struct c4w_json_out *j)
{
	uint32_t i;

	if (axis == spec->rank) {
		c4w_timef_element_json(spec->dtype, p, j);
		return p + c4w_timef_dtype_size(spec->dtype);
	}
	c4w_jo_array(j);
	for (i = 0; i < spec->shape[axis]; i++)
		p = nested(spec, axis + 1, p, j);
	c4w_jo_end(j);
	return p;
}

void c4w_timef_step_json(const struct c4w_timef_spec *spec, const uint8_t *p, struct c4w_json_out *j)
{
	int32_t code;

	if (spec->dtype != C4W_TF_ENUM) {
		nested(spec, 0, p, j);
		return;
	}
	memcpy(&code, p, 4);
	if (code >= 0 && (size_t)code < spec->ncategories)
		c4w_jo_string(j, spec->categories[code]);
	else
		c4w_jo_null(j);
}

static void range_json(const struct c4w_timef_spec *spec, const struct c4w_timef_stats *st, bool max, struct c4w_json_out *j)
{
	if (!st->has_range)
		c4w_jo_null(j);
	else if (spec->dtype == C4W_TF_STR || spec->dtype == C4W_TF_ENUM)
		c4w_jo_string(j, max ? st->tmax : st->tmin);
	else if (spec->dtype == C4W_TF_FLOAT32 || spec->dtype == C4W_TF_FLOAT64)
		c4w_timef_double_json(max ? st->max : st->min, j);
	else if (spec->dtype == C4W_TF_BOOL)
		c4w_jo_bool(j, (max ? st->imax : st->imin) != 0);
	else
		c4w_jo_i64(j, max ? st->imax : st->imin);
}

static void id_json(const struct c4w_timef *ds, const char *key, enum c4w_timef_id id, struct c4w_view v, struct c4w_json_out *j)
{
	char uuid[40];

	c4w_jo_key(j, key);
	if (v.p)
		c4w_jo_string(j, c4w_timef_id_text(ds, id, v, uuid));
	else
		c4w_jo_null(j);
}

static void sha_json(const char *key, const uint8_t sha[32], struct c4w_json_out *j)
{
	char hex[65];

	c4w_jo_key(j, key);
	c4w_jo_z(j, c4w_hex(hex, sha, 32));
}

static void end_json(const struct c4w_timef_spec *spec, bool there, const uint8_t *value, struct c4w_view text, struct c4w_json_out *j)
{
	if (!there)
		c4w_jo_null(j);
	else if (spec->dtype == C4W_TF_STR)
		c4w_jo_string(j, text);
	else
		c4w_timef_step_json(spec, value, j);
}

static void maybe_i64(const char *key, bool there, int64_t v, struct c4w_json_out *j)
{
	c4w_jo_key(j, key);
	if (there)
		c4w_jo_i64(j, v);
	else
		c4w_jo_null(j);
}

static int cmp_views(const void *a, const void *b)
{
	return c4w_view_cmp(*(const struct c4w_view *)a, *(const struct c4w_view *)b);
}

static void files_json(const struct c4w_timef_chunk *const *chunks, size_t n, struct c4w_json_out *j)
{
	struct c4w_view *v = calloc(n ? n : 1, sizeof *v);
	size_t i;

	c4w_jo_key(j, "chunk_files");
	c4w_jo_array(j);
	for (i = 0; v && i < n; i++)
		v[i] = chunks[i]->file;
	if (v && n)
		qsort(v, n, sizeof *v, cmp_views);
	for (i = 0; v && i < n; i++)
		if (i == 0 || !c4w_view_eq(v[i], v[i - 1]))
			c4w_jo_string(j, v[i]);
	c4w_jo_end(j);
	free(v);
}

void c4w_timef_series_json(const struct c4w_timef *ds, const struct c4w_timef_series *s, struct c4w_json_out *j)
{
	const struct c4w_timef_spec *spec = s->spec >= 0 ? &ds->m.specs[s->spec] : NULL;
	int64_t num, den;
	unsigned i;

	id_json(ds, "time_series_id", C4W_TF_SERIES_ID, s->id, j);
	c4w_jo_key(j, "spec_type");
	c4w_jo_string(j, s->spec_type);
	c4w_jo_key(j, "signal");
	c4w_jo_string(j, s->signal);
	id_json(ds, "source_id", C4W_TF_SOURCE_ID, s->source_id, j);
	if (spec) {
		c4w_jo_key(j, "dtype");
		c4w_jo_z(j, c4w_timef_dtype_name(spec->dtype));
		c4w_jo_key(j, "value_shape");
		c4w_jo_array(j);
		for (i = 0; i < spec->rank; i++)
			c4w_jo_u64(j, spec->shape[i]);
		c4w_jo_end(j);
		c4w_jo_key(j, "nullable");
		c4w_jo_bool(j, spec->nullable);
	}
	c4w_jo_key(j, "axis_type");
	if (s->axis == C4W_TF_AXIS_UNKNOWN)
		c4w_jo_string(j, s->axis_text);
	else
		c4w_jo_z(j, c4w_timef_axis_name(s->axis));
	if (s->axis == C4W_TF_REGULAR) {
		c4w_timef_period(s, &num, &den);
		maybe_i64("period_numerator_us", s->has_num, num, j);
		maybe_i64("period_denominator", s->has_den, den, j);
		maybe_i64("start_index", s->has_start, s->start_index, j);
	} else if (s->axis == C4W_TF_IRREGULAR) {
		maybe_i64("first_time_offset_us", s->has_first, s->first, j);
		maybe_i64("last_time_offset_us", s->has_last, s->last, j);
	}
	maybe_i64("n_values", s->has_n, s->n_values, j);
}

void c4w_timef_stats_json(const struct c4w_timef *ds, const struct c4w_timef_series *s, const struct c4w_timef_chunk *const *chunks,
			  size_t nchunks, const struct c4w_timef_stats *st, struct c4w_json_out *j)
{
	const struct c4w_timef_record *r = &ds->records[s->record];
	const struct c4w_timef_spec *spec = &ds->m.specs[s->spec];
	bool is_float = spec->dtype == C4W_TF_FLOAT32 || spec->dtype == C4W_TF_FLOAT64;
	bool is_text = spec->dtype == C4W_TF_STR || spec->dtype == C4W_TF_ENUM;
	int64_t a, b;
	bool there;
	size_t k;

	c4w_jo_object(j);
	id_json(ds, "record_id", C4W_TF_RECORD_ID, r->id, j);
	c4w_timef_series_json(ds, s, j);
	c4w_jo_key(j, "chunks");
	c4w_jo_u64(j, nchunks);
	files_json(chunks, nchunks, j);
	c4w_jo_key(j, "length");
	c4w_jo_u64(j, st->length);
	c4w_jo_key(j, "null_count");
	c4w_jo_u64(j, st->missing);
	if (st->digests) {
		sha_json("validity_sha256", st->validity_sha, j);
		sha_json("values_sha256", st->values_sha, j);
	}
	c4w_jo_key(j, "first");
	end_json(spec, st->first_there, st->first, st->first_text, j);
	c4w_jo_key(j, "last");
	end_json(spec, st->last_there, st->last, st->last_text, j);
	if (is_float) {
		c4w_jo_key(j, "nan_count");
		c4w_jo_u64(j, st->nan_count);
	}
	c4w_jo_key(j, "min");
	range_json(spec, st, false, j);
	c4w_jo_key(j, "max");
	range_json(spec, st, true, j);
	c4w_jo_key(j, "mean");
	if (st->has_mean)
		c4w_jo_double(j, st->mean);
	else
		c4w_jo_null(j);
	if (!is_text) {
		c4w_jo_key(j, "sd");
		if (st->has_mean && isfinite(st->sd))
			c4w_jo_double(j, st->sd);
		else
			c4w_jo_null(j);
	}
	if (spec->dtype == C4W_TF_BOOL) {
		c4w_jo_key(j, "true_count");
		c4w_jo_u64(j, st->true_count);
	}
	if (is_text) {
		c4w_jo_key(j, "distinct");
		c4w_jo_u64(j, st->distinct);
		c4w_jo_key(j, "utf8_bytes");
		c4w_jo_u64(j, st->utf8_bytes);
	}
	if (spec->dtype == C4W_TF_ENUM) {
		c4w_jo_key(j, "label_counts");
		c4w_jo_object(j);
		for (k = 0; k < spec->ncategories; k++) {
			c4w_jo_key_view(j, spec->categories[k]);
			c4w_jo_u64(j, st->label_counts[k]);
		}
		c4w_jo_end(j);
	}
	if (st->digests && s->axis == C4W_TF_IRREGULAR)
		sha_json("time_offsets_sha256", st->offsets_sha, j);
	maybe_i64("first_offset_us", st->has_offsets, st->first_offset, j);
	maybe_i64("last_offset_us", st->has_offsets, st->last_offset, j);
	there = st->has_offsets && r->has_start && !__builtin_add_overflow(r->start, st->first_offset, &a);
	maybe_i64("first_timestamp_us", there, there ? a : 0, j);
	there = st->has_offsets && r->has_start && !__builtin_add_overflow(r->start, st->last_offset, &b);
	maybe_i64("last_timestamp_us", there, there ? b : 0, j);
	c4w_jo_key(j, "window_us");
	if (c4w_timef_window(s, &a, &b)) {
		c4w_jo_array(j);
		c4w_jo_i64(j, a);
		c4w_jo_i64(j, b);
		c4w_jo_end(j);
	} else {
		c4w_jo_null(j);
	}
	c4w_jo_end(j);
}
