/* Loading a channel, its links' totals, and its transforms as arrays. See chw_channel.h. */
#include "families/chw_channel.h"

#include "base/checked.h"

#include <math.h>

enum { CORE_UE, CORE_OFFSETS, CORE_RANK, CORE_RE, CORE_IM, CORE_TAU, CORE_FIRST_PATH_FIELD = CORE_RANK, WIDTH = 16 };

const char *const chw_what_names[CHW_WHATS + 1] = { "power", "gain", "delay-spread", "baseband", "response", "padded", "mask", NULL };

static bool load(const struct chw_item *item, const struct chw_row *row, unsigned fields, struct c4w_worker *w, struct chw_record *rec, struct c4w_findings *fs)
{
	struct chw_fetched f;
	size_t before = fs->n;
	if (!chw_record_fetch(item->group, row, w, &f, fs))
		return false;
	f.arrays = true;
	f.skip = (uint16_t)~fields;
	if (!chw_record_check(item->group, row, C4W_LEVEL_BASIC, w, &f, rec, fs))
		return false;
	/* Offsets index arrays and ranks name paths: without these rules nothing below could be trusted. */
	chw_check_arrays(rec, fs);
	return fs->n == before;
}

bool chw_channel_load(const struct chw_item *item, unsigned fields, bool detail, bool positions, struct c4w_worker *w, struct chw_channel *out,
		      struct c4w_findings *fs)
{
	const struct chw_row *pos = positions ? chw_row_of(item->group, &item->core->pin.record) : NULL;
	const struct chw_record *core = &out->records[0];
	memset(out, 0, sizeof *out);
	out->item = item;
	if (!load(item, item->core, fields, w, &out->records[0], fs))
		return false;
	out->core = core;
	out->ue = (const int32_t *)(const void *)core->field[CORE_UE];
	out->paths = (struct chw_paths){ (size_t)item->core->dims.links, (size_t)item->core->dims.paths,
					 (const int64_t *)(const void *)core->field[CORE_OFFSETS], (const float *)(const void *)core->field[CORE_RE],
					 (const float *)(const void *)core->field[CORE_IM], (const float *)(const void *)core->field[CORE_TAU],
					 (double)item->hz };
	if (detail && item->detail && load(item, item->detail, CHW_ALL_FIELDS, w, &out->records[1], fs)) {
		size_t before = fs->n;
		chw_detail_against_core(core, &out->records[1], fs);
		if (fs->n == before) {
			out->detail = &out->records[1];
			out->interaction_offsets = (const int64_t *)(const void *)out->detail->field[0];
			out->code = (const int8_t *)out->detail->field[2];
			out->vertex = (const float *)(const void *)out->detail->field[3];
		}
	}
	if (pos && pos->included) {
		struct chw_place place;
		chw_locate(item->group, &pos->id, pos, &place);
		if (place.where != CHW_UNPUBLISHED && load(item, pos, CHW_ALL_FIELDS, w, &out->records[2], fs)) {
			out->positions = &out->records[2];
			out->ue_xyz = (const float *)(const void *)out->positions->field[1];
			if (item->bs < pos->dims.bs)
				out->bs_xyz = (const float *)(const void *)out->positions->field[0] + 3 * item->bs;
		}
	}
	return true;
}

size_t chw_channel_link(const struct chw_channel *c, int64_t ue)
{
	size_t lo = 0, hi = c->paths.links;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (c->ue[mid] < ue)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < c->paths.links && c->ue[lo] == ue ? lo : SIZE_MAX;
}

static const float *from(const float *p, size_t first)
{
	return p ? p + first : NULL;
}

/* Links [lo, hi) as paths of their own, their offsets rebased in the arena. */
static int some_links(const struct chw_paths *p, size_t lo, size_t hi, struct c4w_arena *arena, struct chw_paths *out, struct c4w_err *err)
{
	size_t first = (size_t)p->offsets[lo], i;
	int64_t *own;
	void *mem;
	C4W_TRY(c4w_arena_take(arena, (hi - lo + 1) * sizeof *own, &mem, err));
	own = mem;
	for (i = lo; i <= hi; i++)
		own[i - lo] = p->offsets[i] - p->offsets[lo];
	*out = (struct chw_paths){ hi - lo, (size_t)own[hi - lo], own, from(p->re, first), from(p->im, first), from(p->tau, first), p->carrier };
	return C4W_OK;
}

/* One link as paths of its own. The offsets are rebased into `own`. */
static struct chw_paths one_link(const struct chw_paths *p, size_t link, int64_t own[2])
{
	size_t first = (size_t)p->offsets[link], n = (size_t)(p->offsets[link + 1] - p->offsets[link]);
	own[0] = 0;
	own[1] = (int64_t)n;
	return (struct chw_paths){ 1, n, own, from(p->re, first), from(p->im, first), from(p->tau, first), p->carrier };
}

void chw_link_totals(const struct chw_channel *c, size_t link, struct chw_link *out)
{
	int64_t own[2];
	struct chw_paths p = one_link(&c->paths, link, own);
	const uint8_t *counts = c->core->field[10];
	double sum = 0, first = INFINITY, d = NAN;
	size_t i;
	out->ue = c->ue[link];
	out->first = (size_t)c->paths.offsets[link];
	out->last = out->first + p.paths;
	out->line_of_sight = false;
	for (i = 0; i < p.paths; i++) {
		double re = (double)p.re[i], im = (double)p.im[i], t = (double)p.tau[i];
		sum += re * re + im * im;
		first = t < first ? t : first;
		out->line_of_sight |= counts[out->first + i] == 0;
	}
	out->power_db = 10 * log10(sum);
	out->delay = first;
	chw_delay_spread(&p, &out->spread);
	if (c->bs_xyz && c->ue_xyz) {
		const float *u = c->ue_xyz + 3 * (size_t)out->ue;
		double x = (double)u[0] - (double)c->bs_xyz[0], y = (double)u[1] - (double)c->bs_xyz[1], z = (double)u[2] - (double)c->bs_xyz[2];
		d = sqrt(x * x + y * y + z * z);
	}
	out->distance = d;
}

const char *chw_interaction_name(int code)
{
	switch (code) {
	case 0: return "none";
	case 1: return "specular_reflection";
	case 2: return "diffuse_reflection";
	case 4: return "refraction";
	case 8: return "diffraction";
	default: return NULL;
	}
}

/* ---- arrays ---- */

static const struct chw_field *padded_field(const char *name, unsigned *index)
{
	unsigned n, i;
	const struct chw_field *f = chw_fields(CHW_CORE, &n);
	for (i = 0; i < n; i++)
		if (strcmp(f[i].name, name) == 0 && f[i].length == CHW_LEN_PATHS) {
			*index = i;
			return &f[i];
		}
	return NULL;
}

bool chw_padded_field(const char *name)
{
	unsigned i;
	return padded_field(name, &i) != NULL;
}

unsigned chw_what_fields(const struct chw_what_opts *o)
{
	unsigned keys = 1U << CORE_UE | 1U << CORE_OFFSETS | 1U << CORE_RANK, gain = 1U << CORE_RE | 1U << CORE_IM, index = 0;
	switch (o->what) {
	case CHW_WHAT_POWER:
	case CHW_WHAT_GAIN:
		return keys | gain;
	case CHW_WHAT_PADDED:
		padded_field(o->field ? o->field : "tau", &index);
		return keys | 1U << index;
	case CHW_WHAT_MASK:
		return keys;
	default:
		return keys | gain | 1U << CORE_TAU;
	}
}

static bool is_per_path(enum chw_what what)
{
	return what == CHW_WHAT_POWER || what == CHW_WHAT_GAIN || what == CHW_WHAT_BASEBAND;
}

uint64_t chw_what_rows(enum chw_what what, const struct chw_dims *d)
{
	return (uint64_t)(is_per_path(what) ? d->paths : d->links);
}

/* Element type of the value, and how many stand in a row. */
static void value_type(const struct chw_what_opts *o, struct c4w_dtype *dtype, uint64_t *width)
{
	unsigned i;
	const struct chw_field *f;
	*dtype = (struct c4w_dtype){ .kind = C4W_FLOAT, .order = '<', .size = 8 };
	*width = 1;
	switch (o->what) {
	case CHW_WHAT_GAIN:
		dtype->kind = C4W_COMPLEX;
		break;
	case CHW_WHAT_RESPONSE:
		*width = o->n_offsets;
		/* fall through */
	case CHW_WHAT_BASEBAND:
		dtype->kind = C4W_COMPLEX;
		dtype->size = 16;
		break;
	case CHW_WHAT_PADDED:
		f = padded_field(o->field ? o->field : "tau", &i);
		dtype->kind = f->kind;
		dtype->size = f->size;
		dtype->order = f->size == 1 ? '|' : '<';
		*width = WIDTH;
		break;
	case CHW_WHAT_MASK:
		dtype->kind = C4W_BOOL;
		dtype->size = 1;
		dtype->order = '|';
		*width = WIDTH;
		break;
	default:
		break;
	}
}

/* The values of the links of p, one after the other, at `out`. `first` is the number of p's first path in the record. */
static int fill(const struct chw_channel *c, const struct chw_what_opts *o, const struct chw_paths *p, size_t first, struct c4w_arena *arena,
		uint8_t *out, struct c4w_err *err)
{
	double *delay = NULL, *base = NULL;
	float *gain = (float *)(void *)out;
	const struct chw_field *f;
	unsigned index;
	size_t i;
	void *mem;
	if (o->what == CHW_WHAT_BASEBAND || o->what == CHW_WHAT_RESPONSE) {
		C4W_TRY(c4w_arena_take(arena, p->paths * sizeof *delay, &mem, err));
		delay = mem;
		chw_relative_delay(p, o->reference, delay);
	}
	switch (o->what) {
	case CHW_WHAT_POWER:
		chw_power_db(p, (double *)(void *)out);
		return C4W_OK;
	case CHW_WHAT_GAIN:
		for (i = 0; i < p->paths; i++) {
			gain[2 * i] = p->re[i];
			gain[2 * i + 1] = p->im[i];
		}
		return C4W_OK;
	case CHW_WHAT_SPREAD:
		chw_delay_spread(p, (double *)(void *)out);
		return C4W_OK;
	case CHW_WHAT_BASEBAND:
		chw_baseband(p, delay, (double *)(void *)out);
		return C4W_OK;
	case CHW_WHAT_RESPONSE:
		C4W_TRY(c4w_arena_take(arena, p->paths * 2 * sizeof *base, &mem, err));
		base = mem;
		chw_baseband(p, delay, base);
		return chw_frequency_response(p, delay, base, o->offsets_hz, o->n_offsets, 0, p->links, arena, (double *)(void *)out, err);
	case CHW_WHAT_PADDED:
		f = padded_field(o->field ? o->field : "tau", &index);
		return chw_pad(p->offsets, p->links, c->core->field[index] + first * f->size, f->size, WIDTH, "paths", out, NULL, err);
	case CHW_WHAT_MASK:
		memset(out, 0, p->links * WIDTH);
		for (i = 0; i < p->links; i++) {
			size_t n = (size_t)(p->offsets[i + 1] - p->offsets[i]);
			memset(out + i * WIDTH, 1, n < WIDTH ? n : WIDTH);
		}
		return C4W_OK;
	default:
		return c4w_fail(err, C4W_USAGE, "no such transform");
	}
}

/* The keys' columns: scene (text), frequency_hz, bs, ue, and for values a path its rank. */
static int key_dtype(const struct chw_what_opts *o, const struct c4w_dtype *value, uint64_t width, struct c4w_arena *arena,
		     struct c4w_dtype *out, struct c4w_err *err)
{
	struct c4w_field *f;
	uint64_t *shape, at = 0;
	size_t n = 0;
	void *mem;
	C4W_TRY(c4w_arena_zero(arena, 6, sizeof *f, &mem, err));
	f = mem;
	C4W_TRY(c4w_arena_zero(arena, 1, sizeof *shape, &mem, err));
	shape = mem;
	shape[0] = width;
	f[n++] = (struct c4w_field){ .name = C4W_VIEW("scene"), .dtype = { .kind = C4W_UNICODE, .order = '<', .size = 4 * o->scene_width }, .count = 1 };
	f[n++] = (struct c4w_field){ .name = C4W_VIEW("frequency_hz"), .dtype = { .kind = C4W_INT, .order = '<', .size = 8 }, .count = 1 };
	f[n++] = (struct c4w_field){ .name = C4W_VIEW("bs"), .dtype = { .kind = C4W_INT, .order = '<', .size = 8 }, .count = 1 };
	f[n++] = (struct c4w_field){ .name = C4W_VIEW("ue"), .dtype = { .kind = C4W_INT, .order = '<', .size = 4 }, .count = 1 };
	if (is_per_path(o->what))
		f[n++] = (struct c4w_field){ .name = C4W_VIEW("path_rank"), .dtype = { .kind = C4W_UINT, .order = '|', .size = 1 }, .count = 1 };
	f[n] = (struct c4w_field){ .name = C4W_VIEW("value"), .dtype = *value, .count = width };
	if (o->what == CHW_WHAT_RESPONSE || o->what == CHW_WHAT_PADDED || o->what == CHW_WHAT_MASK) {
		f[n].rank = 1;
		f[n].shape = shape;
	}
	n++;
	{
		size_t i;
		for (i = 0; i < n; i++) {
			f[i].offset = at;
			at += f[i].dtype.size * f[i].count;
		}
	}
	*out = (struct c4w_dtype){ .kind = C4W_STRUCT, .order = '|', .size = at, .fields = f, .field_count = n };
	return C4W_OK;
}

static void put_scene(uint8_t *out, size_t width, const char *scene)
{
	size_t n = strlen(scene), i = 0;
	memset(out, 0, 4 * width);
	while (i < n && width) {
		uint32_t cp = 0xFFFD;
		size_t len = c4w_utf8_decode(scene + i, n - i, &cp);
		unsigned k;
		for (k = 0; k < 4; k++)
			*out++ = (uint8_t)(cp >> 8 * k);
		i += len ? len : 1;
		width--;
	}
}

static void put_le(uint8_t *out, uint64_t v, unsigned n)
{
	unsigned k;
	for (k = 0; k < n; k++)
		out[k] = (uint8_t)(v >> 8 * k);
}

/* Rows of the table at `out`. What all rows share is copied forward from the first, ever more of it at a time. */
static void fill_keys(const struct chw_channel *c, const struct chw_what_opts *o, const struct c4w_dtype *dtype, size_t lo, size_t hi, size_t rows,
		      const uint8_t *values, size_t row_bytes, uint8_t *out)
{
	const struct c4w_field *f = dtype->fields;
	size_t size = (size_t)dtype->size, value_at = (size_t)f[dtype->field_count - 1].offset, ue_at = (size_t)f[3].offset, done, l, i;
	bool per_path = is_per_path(o->what);
	uint8_t *p = out;
	if (!rows)
		return;
	put_scene(out, o->scene_width, c->item->scene->id);
	put_le(out + f[1].offset, (uint64_t)c->item->hz, 8);
	put_le(out + f[2].offset, (uint64_t)c->item->bs, 8);
	for (done = 1; done < rows; done += i) {
		i = done < rows - done ? done : rows - done;
		i = i * size < 16384 ? i : 16384 / size + 1; /* from what is in the cache */
		i = i < rows - done ? i : rows - done;
		i = i < done ? i : done;
		memcpy(out + done * size, out, i * size);
	}
	for (l = lo; l < hi; l++) {
		size_t first = (size_t)c->paths.offsets[l], n = per_path ? (size_t)(c->paths.offsets[l + 1] - c->paths.offsets[l]) : 1;
		for (i = 0; i < n; i++, p += size, values += row_bytes) {
			put_le(p + ue_at, (uint64_t)c->ue[l], 4);
			if (per_path)
				p[f[4].offset] = c->core->field[CORE_RANK][first + i];
			if (row_bytes == 8)
				memcpy(p + value_at, values, 8);
			else
				memcpy(p + value_at, values, row_bytes);
		}
	}
}

/* What both forms start from: the plain values of the links asked for. */
struct part {
	struct c4w_dtype value;
	uint64_t width;
	size_t lo, hi, rows, row_bytes;
	const uint8_t *values;
};

static int compute(const struct chw_channel *c, const struct chw_what_opts *o, struct c4w_arena *arena, struct part *out, struct c4w_err *err)
{
	struct chw_paths p;
	int64_t own[2] = { 0, 0 };
	size_t bytes;
	void *mem;
	memset(out, 0, sizeof *out);
	value_type(o, &out->value, &out->width);
	if (c) {
		out->hi = c->paths.links;
		p = c->paths;
		if (o->ue >= 0) {
			out->lo = chw_channel_link(c, o->ue);
			if (out->lo == SIZE_MAX) {
				out->lo = out->hi = 0;
				p = (struct chw_paths){ 0, 0, own, c->paths.re, c->paths.im, c->paths.tau, c->paths.carrier };
			} else {
				out->hi = out->lo + 1;
				p = one_link(&c->paths, out->lo, own);
			}
		} else if (o->links) {
			out->lo = o->first < out->hi ? o->first : out->hi;
			out->hi = o->links < out->hi - out->lo ? out->lo + o->links : out->hi;
			C4W_TRY(some_links(&c->paths, out->lo, out->hi, arena, &p, err));
		}
		out->rows = is_per_path(o->what) ? p.paths : p.links;
	}
	if (!c4w_mul_size((size_t)out->value.size, (size_t)out->width, &out->row_bytes) || !c4w_mul_size(out->rows, out->row_bytes, &bytes))
		return c4w_fail_memory(err, SIZE_MAX);
	C4W_TRY(c4w_arena_take(arena, bytes, &mem, err));
	out->values = mem;
	return out->rows ? fill(c, o, &p, (size_t)c->paths.offsets[out->lo], arena, mem, err) : C4W_OK;
}

int chw_channel_array(const struct chw_channel *c, const struct chw_what_opts *o, struct c4w_arena *arena, struct c4w_array *out,
		      struct c4w_err *err)
{
	struct part p;
	void *mem;
	memset(out, 0, sizeof *out);
	C4W_TRY(compute(c, o, arena, &p, err));
	out->rank = 1;
	out->shape[0] = p.rows;
	if (!o->keys) {
		out->dtype = p.value;
		if (p.width != 1 || o->what == CHW_WHAT_RESPONSE) {
			out->rank = 2;
			out->shape[1] = p.width;
		}
		out->bytes = p.values;
		return c4w_array_measure(out, err);
	}
	C4W_TRY(key_dtype(o, &p.value, p.width, arena, &out->dtype, err));
	C4W_TRY(c4w_array_measure(out, err));
	C4W_TRY(c4w_arena_take(arena, (size_t)out->size, &mem, err));
	fill_keys(c, o, &out->dtype, p.lo, p.hi, p.rows, p.values, p.row_bytes, mem);
	out->bytes = mem;
	return C4W_OK;
}

int chw_channel_rows(const struct chw_channel *c, const struct chw_what_opts *o, struct c4w_arena *arena, struct c4w_buf *out, struct c4w_err *err)
{
	struct c4w_dtype row;
	struct part p;
	size_t bytes;
	C4W_TRY(compute(c, o, arena, &p, err));
	if (!o->keys) {
		c4w_buf_put(out, p.values, p.rows * p.row_bytes);
		return c4w_buf_ok(out, err);
	}
	C4W_TRY(key_dtype(o, &p.value, p.width, arena, &row, err));
	if (!c4w_mul_size(p.rows, (size_t)row.size, &bytes) || !c4w_buf_reserve(out, bytes))
		return c4w_fail_memory(err, bytes);
	fill_keys(c, o, &row, p.lo, p.hi, p.rows, p.values, p.row_bytes, (uint8_t *)out->p + out->n);
	out->n += bytes;
	return C4W_OK;
}
