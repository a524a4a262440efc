/* Values as text and arrays. See timef_print.h. */
#include "families/timef_print.h"

#include "base/limits.h"
#include "base/numbers.h"
#include "containers/npy.h"
#include "families/timef_stats.h"
#include "model/print.h"

#include <math.h>

/* ---- ranges ---- */

static bool digits(const char **p, unsigned n, int64_t *out)
{
	*out = 0;
	while (n--) {
		if (**p < '0' || **p > '9')
			return false;
		*out = *out * 10 + (*(*p)++ - '0');
	}
	return true;
}

static int64_t days_of(int64_t year, int64_t month)
{
	static const uint8_t days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

	return days[month - 1] + (month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0));
}

/* YYYY-MM-DD[(T| )hh:mm[:ss[.ffffff]]][Z] into microseconds; false when the text [p, end) is something else. */
static bool parse_time(const char *p, const char *end, int64_t *us)
{
	int64_t y, m, d, hh = 0, mm = 0, ss = 0, f = 0, unit = 100000, days;
	char text[64];
	const char *q = text;

	if ((size_t)(end - p) >= sizeof text)
		return false;
	memcpy(text, p, (size_t)(end - p));
	text[end - p] = 0;
	if (!digits(&q, 4, &y) || *q++ != '-' || !digits(&q, 2, &m) || *q++ != '-' || !digits(&q, 2, &d))
		return false;
	if (*q == 'T' || *q == ' ') {
		q++;
		if (!digits(&q, 2, &hh) || *q++ != ':' || !digits(&q, 2, &mm))
			return false;
		if (*q == ':') {
			q++;
			if (!digits(&q, 2, &ss))
				return false;
			if (*q == '.') {
				if (q[1] < '0' || q[1] > '9')
					return false;
				for (q++; *q >= '0' && *q <= '9'; q++, unit /= 10)
					f += (*q - '0') * unit;
			}
		}
	}
	if (*q == 'Z')
		q++;
	if (*q || m < 1 || m > 12 || d < 1 || hh > 23 || mm > 59 || ss > 60)
		return false;
	if (d > days_of(y, m))
		return false;
	y -= m <= 2;
	days = y / 400 * 146097; /* y is 0 to 9999 */
	y %= 400;
	days += y * 365 + y / 4 - y / 100 + (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1 - 719468;
	*us = ((days * 24 + hh) * 60 + mm) * 60000000 + ss * 1000000 + f;
	return true;
}

/* A decimal number of units of `unit` microseconds, to the nearest one; exact, since offsets may lie beyond what a double holds. */
static bool parse_offset(const char *p, const char *end, int64_t unit, int64_t *out)
{
	bool negative = p < end && *p == '-', any = false;
	__int128 whole = 0, part = 0, scale = 1, v;

	for (p += negative; p < end && *p >= '0' && *p <= '9'; p++, any = true) {
		whole = whole * 10 + (*p - '0');
		if (whole > INT64_MAX)
			return false;
	}
	if (p < end && *p == '.')
		for (p++; p < end && *p >= '0' && *p <= '9'; p++, any = true)
			if (scale < 1000000000000) { /* finer than any unit */
				part = part * 10 + (*p - '0');
				scale *= 10;
			}
	if (!any || p != end)
		return false;
	v = whole * unit + (2 * part * unit + scale) / (2 * scale);
	if (v > INT64_MAX)
		return false;
	*out = negative ? -(int64_t)v : (int64_t)v;
	return true;
}

enum bound { NONE, STEP, OFFSET, STAMP };

static bool parse_bound(const char *p, const char *end, enum bound *kind, int64_t *v)
{
	static const struct {
		const char *name;
		int64_t us;
	} units[] = { { "us", 1 }, { "ms", 1000 }, { "s", 1000000 }, { "min", 60000000 }, { "h", 3600000000 }, { "d", 86400000000 } };
	const char *q = end;
	int64_t us = 1000000; /* a number with a point and no unit is seconds */
	size_t i;

	*v = 0;
	*kind = NONE;
	if (p == end)
		return true;
	*kind = STEP;
	if (c4w_parse_i64((struct c4w_view){ p, (size_t)(end - p) }, v))
		return true;
	*kind = STAMP;
	if (parse_time(p, end, v))
		return true;
	*kind = OFFSET;
	while (q > p && q[-1] >= 'a' && q[-1] <= 'z')
		q--;
	if (q < end) {
		for (i = 0; i < sizeof units / sizeof *units; i++)
			if ((size_t)(end - q) == strlen(units[i].name) && memcmp(q, units[i].name, (size_t)(end - q)) == 0)
				break;
		if (i == sizeof units / sizeof *units)
			return false;
		us = units[i].us;
	} else if (!memchr(p, '.', (size_t)(end - p))) {
		return false; /* a whole number that is no step */
	}
	return parse_offset(p, q, us, v);
}

static int to_step(struct c4w_timef_cursor *c, const struct c4w_timef_series *s, enum bound kind, int64_t v, uint64_t *step, struct c4w_err *err)
{
	const struct c4w_timef_record *r = &c4w_timef_cursor_ds(c)->records[s->record];
	int64_t k = 0, offset;

	if (kind == STEP) {
		if (v < 0) /* from the end */
			v = v < -s->n_values ? 0 : v + s->n_values;
		*step = v > s->n_values ? (uint64_t)s->n_values : (uint64_t)v;
		return C4W_OK;
	}
	if (s->axis == C4W_TF_ORDINAL)
		return c4w_fail(err, C4W_USAGE, "an ordinal series has no times; give steps");
	if (kind == STAMP) {
		if (!r->has_start)
			return c4w_fail(err, C4W_USAGE, "the record's start time is unknown; give times from its zero (2.5s) or steps");
		if (__builtin_sub_overflow(v, r->start, &offset))
			offset = v < r->start ? INT64_MIN : INT64_MAX;
		v = offset;
	}
	if (s->axis == C4W_TF_REGULAR)
		k = c4w_timef_regular_step(s, v);
	else
		C4W_TRY(c4w_timef_irregular_step(c, v, &k, err));
	*step = (uint64_t)k;
	return C4W_OK;
}

int c4w_timef_range_parse(struct c4w_timef_cursor *c, const struct c4w_timef_series *s, const char *text, struct c4w_timef_range *out,
			  struct c4w_err *err)
{
	const char *end = text + strlen(text), *colon;
	enum bound a, b;
	int64_t va, vb;

	out->from = 0;
	out->to = (uint64_t)s->n_values;
	for (colon = strchr(text, ':'); colon; colon = strchr(colon + 1, ':')) /* a timestamp has colons of its own */
		if (parse_bound(text, colon, &a, &va) && parse_bound(colon + 1, end, &b, &vb))
			break;
	if (!colon) {
		c4w_fail(err, C4W_USAGE, "a range is A:B, in steps (100:200), time from the record's zero (1.5s:2min) or timestamps (2024-05-01T12:00:00:)");
		return C4W_USAGE;
	}
	if (a != NONE)
		C4W_TRY(to_step(c, s, a, va, &out->from, err));
	if (b != NONE)
		C4W_TRY(to_step(c, s, b, vb, &out->to, err));
	if (out->to < out->from)
		out->to = out->from;
	return C4W_OK;
}

/* ---- printing ---- */

struct print {
	struct c4w_timef_cursor *c;
	const struct c4w_timef *ds;
	const struct c4w_timef_series *s;
	const struct c4w_timef_spec *spec;
	const struct c4w_timef_range *r;
	enum c4w_timef_values_form form;
	bool codes;
	c4w_bytes_fn sink;
	void *ctx;
	struct c4w_buf b;
	struct c4w_err *err;
};

static int drain(struct print *p, size_t above)
{
	if (p->b.n <= above)
		return C4W_OK;
	C4W_TRY(c4w_buf_ok(&p->b, p->err));
	C4W_TRY(p->sink(p->ctx, (const uint8_t *)p->b.p, p->b.n, p->err));
	c4w_buf_reset(&p->b);
	return C4W_OK;
}

static struct c4w_dtype dtype_of(enum c4w_timef_dtype t)
{
	static const char kinds[C4W_TF_DTYPES] = { 'b', 'f', 'f', 'i', 'i', 'i', 'u', 'u', 'u', 'U', 'i' };
	struct c4w_dtype d = { .kind = kinds[t], .size = c4w_timef_dtype_size(t) };

	d.order = d.size > 1 ? '<' : '|';
	return d;
}

static void header(struct print *p)
{
	uint64_t i, rest;
	unsigned axis;

	c4w_buf_puts(&p->b, "step,offset_us,timestamp,valid");
	if (p->spec->rank == 0)
		c4w_buf_puts(&p->b, ",value");
	for (i = 0; p->spec->rank && i < p->spec->elements; i++) {
		c4w_buf_puts(&p->b, p->form == C4W_TF_V_CSV ? ",\"value[" : ",value[");
		rest = p->spec->elements;
		for (axis = 0; axis < p->spec->rank; axis++) {
			rest /= p->spec->shape[axis];
			c4w_buf_printf(&p->b, "%s%llu", axis ? "," : "", (unsigned long long)(i / rest % p->spec->shape[axis]));
		}
		c4w_buf_puts(&p->b, p->form == C4W_TF_V_CSV ? "]\"" : "]");
	}
	c4w_buf_putc(&p->b, '\n');
	if (p->form == C4W_TF_V_TSV) {
		for (i = 0, rest = 0; i < p->b.n; i++) { /* commas between columns, not those within brackets */
			rest += p->b.p[i] == '[';
			rest -= p->b.p[i] == ']';
			if (p->b.p[i] == ',' && rest == 0)
				p->b.p[i] = '\t';
		}
	}
}

static bool offset_of(const struct print *p, const struct c4w_timef_run *run, size_t i, int64_t *out)
{
	if (p->s->axis == C4W_TF_REGULAR)
		return c4w_timef_regular_offset(p->s, (int64_t)(run->first + i), out);
	if (!run->times)
		return false;
	*out = run->times[i];
	return true;
}

static struct c4w_view text_of(const struct print *p, const struct c4w_timef_run *run, size_t i)
{
	struct c4w_view v = { NULL, 0 };
	int32_t code;

	if (p->spec->dtype == C4W_TF_STR) {
		v.p = run->text + run->offsets[i];
		v.n = (size_t)(run->offsets[i + 1] - run->offsets[i]);
		return v;
	}
	memcpy(&code, run->values + i * 4, 4);
	return code >= 0 && (size_t)code < p->spec->ncategories ? p->spec->categories[code] : C4W_VIEW("?");
}

static void delimited_row(struct print *p, const struct c4w_timef_run *run, size_t i, const struct c4w_dtype *d)
{
	enum c4w_text form = p->form == C4W_TF_V_CSV ? C4W_TEXT_CSV : C4W_TEXT_TSV;
	char sep = form == C4W_TEXT_CSV ? ',' : '\t', text[48];
	const struct c4w_timef_record *r = &p->ds->records[p->s->record];
	bool there = !run->valid || run->valid[i];
	int64_t offset, stamp;
	uint64_t k;

	c4w_buf_put(&p->b, text, c4w_format_u64(run->first + i, text));
	c4w_buf_putc(&p->b, sep);
	if (offset_of(p, run, i, &offset)) {
		c4w_buf_put(&p->b, text, c4w_format_i64(offset, text));
		c4w_buf_putc(&p->b, sep);
		if (r->has_start && !__builtin_add_overflow(r->start, offset, &stamp))
			c4w_buf_put(&p->b, text, c4w_timef_iso(stamp, text));
	} else {
		c4w_buf_putc(&p->b, sep);
	}
	c4w_buf_putc(&p->b, sep);
	c4w_buf_putc(&p->b, there ? '1' : '0');
	if (p->spec->dtype == C4W_TF_STR || (p->spec->dtype == C4W_TF_ENUM && !p->codes)) {
		c4w_buf_putc(&p->b, sep);
		if (there) {
			struct c4w_view v = text_of(p, run, i);

			c4w_cell_put(&p->b, v.p, v.n, form);
		}
	} else {
		for (k = 0; k < p->spec->elements; k++) {
			c4w_buf_putc(&p->b, sep);
			if (there)
				c4w_element_put(&p->b, d, run->values + (i * p->spec->elements + k) * d->size, form);
		}
	}
	c4w_buf_putc(&p->b, '\n');
}

static void json_row(struct print *p, const struct c4w_timef_run *run, size_t i)
{
	struct c4w_json_out j = c4w_json_out(&p->b, (struct c4w_json_style){ 0 });
	const struct c4w_timef_record *r = &p->ds->records[p->s->record];
	size_t step = (size_t)p->spec->elements * c4w_timef_dtype_size(p->spec->dtype);
	int64_t offset, stamp;
	char text[48];
	int32_t code;

	c4w_jo_object(&j);
	c4w_jo_key(&j, "step");
	c4w_jo_u64(&j, run->first + i);
	c4w_jo_key(&j, "offset_us");
	if (offset_of(p, run, i, &offset)) {
		c4w_jo_i64(&j, offset);
		c4w_jo_key(&j, "timestamp");
		if (r->has_start && !__builtin_add_overflow(r->start, offset, &stamp))
			c4w_jo_string(&j, (struct c4w_view){ text, c4w_timef_iso(stamp, text) });
		else
			c4w_jo_null(&j);
	} else {
		c4w_jo_null(&j);
		c4w_jo_key(&j, "timestamp");
		c4w_jo_null(&j);
	}
	c4w_jo_key(&j, "valid");
	c4w_jo_bool(&j, !run->valid || run->valid[i]);
	c4w_jo_key(&j, "value");
	if (run->valid && !run->valid[i]) {
		c4w_jo_null(&j);
	} else if (p->spec->dtype == C4W_TF_STR) {
		c4w_jo_string(&j, text_of(p, run, i));
	} else if (p->spec->dtype == C4W_TF_ENUM && p->codes) {
		memcpy(&code, run->values + i * 4, 4);
		c4w_jo_i64(&j, code);
	} else {
		c4w_timef_step_json(p->spec, run->values + i * step, &j);
	}
	c4w_jo_end(&j);
	c4w_buf_putc(&p->b, '\n');
}

/* The widest text in code points, for NPY. */
static int widest(struct print *p, uint64_t *out)
{
	struct c4w_timef_run run;
	uint64_t at, w;
	size_t i, n, k;
	uint32_t cp;

	*out = 1;
	for (at = p->r->from; at < p->r->to; at += run.steps) {
		C4W_TRY(c4w_timef_lend(p->c, at, p->r->to, false, &run, p->err));
		for (i = 0; i < run.steps; i++) {
			struct c4w_view v = text_of(p, &run, i);

			for (n = 0, w = 0; n < v.n; n += k ? k : 1, w++)
				k = c4w_utf8_decode(v.p + n, v.n - n, &cp);
			*out = w > *out ? w : *out;
		}
	}
	return C4W_OK;
}

static int npy_header(struct print *p, enum c4w_timef_plane_what what, uint64_t width)
{
	struct c4w_array a = { .dtype = dtype_of(p->spec->dtype), .rank = 1 };
	unsigned i;

	a.shape[0] = p->r->to > p->r->from ? (p->r->to - p->r->from + p->r->every - 1) / p->r->every : 0;
	if (what == C4W_TF_W_OFFSETS) {
		a.dtype = (struct c4w_dtype){ .kind = 'i', .order = '<', .size = 8 };
	} else if (what == C4W_TF_W_VALIDITY) {
		a.dtype = (struct c4w_dtype){ .kind = 'b', .order = '|', .size = 1 };
	} else {
		if (p->spec->dtype == C4W_TF_STR)
			a.dtype = (struct c4w_dtype){ .kind = 'U', .order = '<', .size = width * 4 };
		for (i = 0; i < p->spec->rank; i++)
			a.shape[a.rank++] = p->spec->shape[i];
	}
	C4W_TRY(c4w_array_measure(&a, p->err));
	c4w_npy_write_header(&p->b, &a);
	return C4W_OK;
}

static void wide_text(struct print *p, struct c4w_view v, uint64_t width)
{
	uint64_t w = 0;
	uint32_t cp;
	size_t n = 0, k;

	while (n < v.n) {
		uint8_t le[4];

		k = c4w_utf8_decode(v.p + n, v.n - n, &cp);
		n += k ? k : 1;
		le[0] = (uint8_t)cp;
		le[1] = (uint8_t)(cp >> 8);
		le[2] = (uint8_t)(cp >> 16);
		le[3] = 0;
		c4w_buf_put(&p->b, le, 4);
		w++;
	}
	for (; w < width; w++)
		c4w_buf_put(&p->b, "\0\0\0", 4);
}

static void binary_step(struct print *p, const struct c4w_timef_run *run, size_t i, enum c4w_timef_plane_what what, uint64_t width)
{
	size_t step = (size_t)p->spec->elements * c4w_timef_dtype_size(p->spec->dtype);
	bool there = !run->valid || run->valid[i];
	int64_t offset = 0;
	uint64_t k;

	if (what == C4W_TF_W_OFFSETS) {
		offset_of(p, run, i, &offset);
		c4w_buf_put(&p->b, &offset, 8);
	} else if (what == C4W_TF_W_VALIDITY) {
		c4w_buf_putc(&p->b, there);
	} else if (p->spec->dtype == C4W_TF_STR) {
		struct c4w_view v = text_of(p, run, i);
		uint8_t len[4] = { (uint8_t)v.n, (uint8_t)(v.n >> 8), (uint8_t)(v.n >> 16), (uint8_t)(v.n >> 24) };

		if (!there) {
			memset(len, 0xff, 4);
			v.n = 0;
		}
		if (p->form == C4W_TF_V_NPY) {
			wide_text(p, v, width);
		} else {
			c4w_buf_put(&p->b, len, 4);
			c4w_buf_put(&p->b, v.p, v.n);
		}
	} else if (!there && p->form == C4W_TF_V_NPY && p->spec->dtype == C4W_TF_FLOAT32) {
		for (k = 0; k < p->spec->elements; k++)
			c4w_buf_put(&p->b, &(float){ NAN }, 4);
	} else if (!there && p->form == C4W_TF_V_NPY && p->spec->dtype == C4W_TF_FLOAT64) {
		for (k = 0; k < p->spec->elements; k++)
			c4w_buf_put(&p->b, &(double){ (double)NAN }, 8);
	} else if (!there && p->spec->dtype == C4W_TF_ENUM) {
		c4w_buf_put(&p->b, &(int32_t){ -1 }, 4);
	} else {
		c4w_buf_put(&p->b, run->values + i * step, step);
	}
}

static int print_all(struct print *p, enum c4w_timef_plane_what what)
{
	struct c4w_dtype d = dtype_of(p->spec->dtype);
	bool binary = p->form == C4W_TF_V_NPY || p->form == C4W_TF_V_RAW;
	size_t step = (size_t)p->spec->elements * c4w_timef_dtype_size(p->spec->dtype), i, skip;
	struct c4w_timef_run run;
	uint64_t at, width = 0;

	if (p->form == C4W_TF_V_NPY && what == C4W_TF_W_VALUES && p->spec->dtype == C4W_TF_STR)
		C4W_TRY(widest(p, &width));
	if (p->form == C4W_TF_V_NPY)
		C4W_TRY(npy_header(p, what, width));
	else if (!binary && p->form != C4W_TF_V_JSONL)
		header(p);
	for (at = p->r->from; at < p->r->to; at += run.steps) {
		C4W_TRY(c4w_timef_lend(p->c, at, p->r->to, true, &run, p->err));
		skip = (size_t)((p->r->every - (at - p->r->from) % p->r->every) % p->r->every);
		if (binary && p->r->every == 1 && !run.valid && what == C4W_TF_W_VALUES && step) { /* as they lie there */
			C4W_TRY(drain(p, 0));
			C4W_TRY(p->sink(p->ctx, run.values, run.steps * step, p->err));
			continue;
		}
		for (i = skip; i < run.steps; i += p->r->every) {
			if (binary)
				binary_step(p, &run, i, what, width);
			else if (p->form == C4W_TF_V_JSONL)
				json_row(p, &run, i);
			else
				delimited_row(p, &run, i, &d);
			C4W_TRY(drain(p, 65536));
			if (p->r->every > run.steps)
				break;
		}
	}
	return drain(p, 0);
}

int c4w_timef_print(struct c4w_timef_cursor *c, const struct c4w_timef_series *s, const struct c4w_timef_range *r,
		    enum c4w_timef_values_form form, bool codes, enum c4w_timef_plane_what what, c4w_bytes_fn sink, void *ctx, struct c4w_err *err)
{
	struct print p = { .c = c, .ds = c4w_timef_cursor_ds(c), .s = s, .r = r, .form = form, .codes = codes, .sink = sink, .ctx = ctx, .err = err };
	int rc;

	if (s->spec < 0)
		return c4w_timef_fault(NULL, err, "records.spec-unknown", NULL, NULL, NULL, NULL, "the series' spec_type is not declared");
	p.spec = &p.ds->m.specs[s->spec];
	rc = print_all(&p, what);
	c4w_buf_clear(&p.b);
	return rc;
}
