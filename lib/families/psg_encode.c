/* Writing a scene in other formats. NPY and raw of all channels are the decoded bytes themselves, not copied. */
#include "families/psg_encode.h"
#include "base/checked.h"
#include "base/numbers.h"
#include "containers/json.h"

#include <stdio.h>
#include <string.h>

const char *const c4w_psg_format_name[] = { "npy", "raw", "csv", "png", "pfm", "geojson", NULL };

bool c4w_psg_encode_wants_tensor(const struct c4w_psg_encode *e)
{
	return e->format != C4W_PSG_GEOJSON;
}

bool c4w_psg_encode_wants_meta(const struct c4w_psg_encode *e)
{
	return e->metres || e->format == C4W_PSG_GEOJSON || (e->format == C4W_PSG_PNG && !e->raw_elevation);
}

bool c4w_psg_encode_wants_routes(const struct c4w_psg_encode *e)
{
	return e->format == C4W_PSG_GEOJSON || (e->format == C4W_PSG_PNG && !e->raw_elevation);
}

static int need_range(const struct c4w_psg_scene *c, struct c4w_err *err)
{
	if (c->meta && c->meta->has_range)
		return C4W_OK;
	return c4w_fail(err, C4W_USAGE, "metres need the calibration range of the scene's metadata, and there is none");
}

static double metres(const struct c4w_psg_scene *c, float v)
{
	return (double)v * (c->meta->max - c->meta->min) + c->meta->min;
}

static void put_le32(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
	p[2] = (uint8_t)(v >> 16);
	p[3] = (uint8_t)(v >> 24);
}

static void put_f64(uint8_t *p, double d)
{
	uint64_t u;
	memcpy(&u, &d, 8);
	put_le32(p, (uint32_t)u);
	put_le32(p + 4, (uint32_t)(u >> 32));
}

/* The header of float64 arrays; c4w_psg_npy_header writes the one of float32. */
static void header_f64(uint8_t *out, uint32_t r, unsigned channels)
{
	char *descr;
	c4w_psg_npy_header(out, r, channels);
	descr = (char *)out + 10 + strlen("{'descr': '<");
	memcpy(descr, "f8", 2);
}

static bool is_wide(const struct c4w_psg_encode *e)
{
	return e->metres && (e->channel == C4W_PSG_ALL || e->channel == 0);
}

bool c4w_psg_encode_in_pieces(const struct c4w_psg_encode *e)
{
	return e->format == C4W_PSG_NPY || e->format == C4W_PSG_RAW;
}

uint64_t c4w_psg_encode_size(const struct c4w_psg_encode *e, uint32_t r)
{
	uint64_t values = (uint64_t)r * r * (e->channel == C4W_PSG_ALL ? 3 : 1);
	return values * (is_wide(e) ? 8 : 4) + (e->format == C4W_PSG_NPY ? C4W_PSG_NPY_HEADER : 0);
}

/* Values of one channel, or of all; elevation in metres when they are wide. `phase`: the channel of the first one. */
static uint8_t *pick(const struct c4w_psg_encode *e, const struct c4w_psg_scene *c, size_t phase, const uint8_t *piece, size_t values, uint8_t *out)
{
	bool all = e->channel == C4W_PSG_ALL, wide = is_wide(e);
	size_t i;
	for (i = all ? 0 : (e->channel + 3 - phase) % 3; i < values; i += all ? 1 : 3) {
		const uint8_t *v = piece + i * 4;
		uint32_t u = c4w_le32(v);
		float f;
		memcpy(&f, &u, 4);
		if (wide)
			put_f64(out, (phase + i) % 3 == 0 ? metres(c, f) : (double)f);
		else
			memcpy(out, v, 4);
		out += wide ? 8 : 4;
	}
	return out;
}

int c4w_psg_encode_piece(const struct c4w_psg_encode *e, const struct c4w_psg_scene *c, size_t at, uint8_t *piece, size_t n,
			 struct c4w_buf *buf, const void **out, size_t *out_n, struct c4w_err *err)
{
	bool all = e->channel == C4W_PSG_ALL;
	size_t head = e->format == C4W_PSG_NPY && at == 0 ? C4W_PSG_NPY_HEADER : 0, values = n / 4;
	uint8_t *to = piece - head;
	if (e->metres)
		C4W_TRY(need_range(c, err));
	*out = to;
	*out_n = head + n;
	if (!all || e->metres) {
		size_t room = head + (all ? values : (values + 2) / 3) * (is_wide(e) ? 8 : 4);
		c4w_buf_reset(buf);
		if (!c4w_buf_reserve(buf, room))
			return c4w_fail_memory(err, room);
		to = (uint8_t *)buf->p;
		*out = to;
		*out_n = (size_t)(pick(e, c, at / 4 % 3, piece, values, to + head) - to);
	}
	if (head && is_wide(e))
		header_f64(to, c->r, all ? 3 : 0);
	else if (head)
		c4w_psg_npy_header(to, c->r, all ? 3 : 0);
	return C4W_OK;
}

static size_t value_text(const struct c4w_psg_encode *e, const struct c4w_psg_scene *c, uint32_t i, uint32_t j, unsigned channel, char *text)
{
	float v = c4w_psg_at(c->raw, c->r, i, j, channel);
	return e->metres && channel == 0 ? c4w_format_double(metres(c, v), text) : c4w_format_float(v, text);
}

/* One channel: R lines of R values. All: a line a cell, under a header. */
static int csv(const struct c4w_psg_encode *e, const struct c4w_psg_scene *c, struct c4w_buf *buf, struct c4w_err *err)
{
	uint32_t i, j;
	unsigned k;
	char text[C4W_NUMBER_TEXT];
	if (e->channel == C4W_PSG_ALL)
		c4w_buf_printf(buf, "row,column,%s,marker,obstacle\n", e->metres ? "elevation_m" : "elevation");
	for (i = 0; i < c->r && !buf->failed; i++)
		for (j = 0; j < c->r; j++) {
			if (e->channel == C4W_PSG_ALL) {
				c4w_buf_put(buf, text, c4w_format_u64(i, text));
				c4w_buf_putc(buf, ',');
				c4w_buf_put(buf, text, c4w_format_u64(j, text));
				for (k = 0; k < 3; k++) {
					c4w_buf_putc(buf, ',');
					c4w_buf_put(buf, text, value_text(e, c, i, j, k, text));
				}
				c4w_buf_putc(buf, '\n');
			} else {
				c4w_buf_put(buf, text, value_text(e, c, i, j, e->channel, text));
				c4w_buf_putc(buf, j + 1 == c->r ? '\n' : ',');
			}
		}
	return c4w_buf_ok(buf, err);
}

/* Portable float map: rows from the bottom, a negative scale for little-endian. */
static int pfm(const struct c4w_psg_encode *e, const struct c4w_psg_scene *c, struct c4w_buf *buf, struct c4w_err *err)
{
	bool all = e->channel == C4W_PSG_ALL;
	uint32_t i, j;
	unsigned k;
	c4w_buf_printf(buf, "%s\n%u %u\n-1.0\n", all ? "PF" : "Pf", c->r, c->r);
	if (!c4w_buf_reserve(buf, (size_t)c->r * c->r * (all ? 12 : 4)))
		return c4w_fail_memory(err, (size_t)c->r * c->r * (all ? 12 : 4));
	for (i = c->r; i-- > 0;)
		for (j = 0; j < c->r; j++)
			for (k = all ? 0 : e->channel; k <= (all ? 2 : e->channel); k++) {
				float v = c4w_psg_at(c->raw, c->r, i, j, k);
				uint32_t u;
				uint8_t p[4];
				if (e->metres && k == 0)
					v = (float)metres(c, v);
				memcpy(&u, &v, 4);
				put_le32(p, u);
				c4w_buf_put(buf, p, 4);
			}
	return c4w_buf_ok(buf, err);
}

/* ---- GeoJSON (RFC 7946) ---- */

static void position(struct c4w_json_out *j, const struct c4w_psg_meta *m, double row, double column, uint32_t r)
{
	/* The corners are those of the crop, not of its outermost cells' centres. */
	c4w_jo_array(j);
	c4w_jo_double(j, m->top_left[1] + (m->bottom_right[1] - m->top_left[1]) * column / r);
	c4w_jo_double(j, m->top_left[0] + (m->bottom_right[0] - m->top_left[0]) * row / r);
	c4w_jo_end(j);
}

static void feature(struct c4w_json_out *j, const char *kind)
{
	c4w_jo_object(j);
	c4w_jo_key(j, "type");
	c4w_jo_z(j, "Feature");
	c4w_jo_key(j, "properties");
	c4w_jo_object(j);
	c4w_jo_key(j, "kind");
	c4w_jo_z(j, kind);

}

static void geometry(struct c4w_json_out *j, const char *type)
{
	c4w_jo_end(j);
	c4w_jo_key(j, "geometry");
	c4w_jo_object(j);
	c4w_jo_key(j, "type");
	c4w_jo_z(j, type);
	c4w_jo_key(j, "coordinates");
}

static void point(struct c4w_json_out *j, const char *kind, const struct c4w_psg_meta *m, const int64_t cell[2], uint32_t r)
{
	feature(j, kind);
	c4w_jo_key(j, "row");
	c4w_jo_i64(j, cell[0]);
	c4w_jo_key(j, "column");
	c4w_jo_i64(j, cell[1]);
	geometry(j, "Point");
	position(j, m, (double)cell[0] + 0.5, (double)cell[1] + 0.5, r);
	c4w_jo_end(j);
	c4w_jo_end(j);
}

static int geojson(const struct c4w_psg_encode *e, const struct c4w_psg_scene *c, struct c4w_buf *buf, struct c4w_err *err)
{
	const struct c4w_psg_meta *m = c->meta;
	struct c4w_json_out j = c4w_json_out(buf, (struct c4w_json_style){ 0 });
	static const double corner[5][2] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 }, { 0, 0 } }; /* row, column: counterclockwise on the map */
	uint32_t r = c->r ? c->r : m && m->has_resolution ? (uint32_t)m->resolution : 0;
	int k;
	size_t i;
	if (!m || !m->has_crop)
		return c4w_fail(err, C4W_USAGE, "GeoJSON needs the crop's corners from the scene's metadata, and there are none");
	if (!r)
		return c4w_fail(err, C4W_USAGE, "GeoJSON needs the resolution from the scene's metadata, and there is none");
	c4w_jo_object(&j);
	c4w_jo_key(&j, "type");
	c4w_jo_z(&j, "FeatureCollection");
	c4w_jo_key(&j, "features");
	c4w_jo_array(&j);
	feature(&j, "crop");
	if (m->has_index) {
		c4w_jo_key(&j, "index");
		c4w_jo_i64(&j, m->index);
	}
	c4w_jo_key(&j, "resolution");
	c4w_jo_u64(&j, r);
	if (m->has_split) {
		c4w_jo_key(&j, "split");
		c4w_jo_string(&j, m->split_text);
	}
	geometry(&j, "Polygon");
	c4w_jo_array(&j);
	c4w_jo_array(&j);
	for (i = 0; i < 5; i++)
		position(&j, m, corner[i][0] * r, corner[i][1] * r, r);
	c4w_jo_end(&j);
	c4w_jo_end(&j);
	c4w_jo_end(&j);
	c4w_jo_end(&j);
	if (m->has_start)
		point(&j, "start", m, m->start, r);
	if (m->has_goal)
		point(&j, "goal", m, m->goal, r);
	for (k = 0; k < C4W_PSG_ROUTES; k++) {
		const struct c4w_psg_meta_route *told = &m->routes[k];
		if (!c->routes[k] || !(e->routes & (1u << k)) || !c->routes[k]->n)
			continue;
		feature(&j, "route");
		c4w_jo_key(&j, "solver");
		c4w_jo_z(&j, c4w_psg_solver[k / 2]);
		c4w_jo_key(&j, "variant");
		c4w_jo_z(&j, c4w_psg_variant[k % 2]);
		c4w_jo_key(&j, "cost");
		if (told->has_cost)
			c4w_jo_double(&j, told->cost);
		else
			c4w_jo_null(&j);
		c4w_jo_key(&j, "length");
		if (told->has_length)
			c4w_jo_i64(&j, told->length);
		else
			c4w_jo_null(&j);
		c4w_jo_key(&j, "length_m");
		c4w_jo_double(&j, c4w_psg_length(c->routes[k]));
		/* A line needs two positions; a route of one cell is a point. */
		geometry(&j, c->routes[k]->n > 1 ? "LineString" : "Point");
		if (c->routes[k]->n > 1)
			c4w_jo_array(&j);
		for (i = 0; i < c->routes[k]->n; i++)
			position(&j, m, (double)c4w_psg_row(c->routes[k]->cells[i]) + 0.5, (double)c4w_psg_column(c->routes[k]->cells[i]) + 0.5,
				 r);
		if (c->routes[k]->n > 1)
			c4w_jo_end(&j);
		c4w_jo_end(&j);
		c4w_jo_end(&j);
	}
	c4w_jo_end(&j);
	c4w_jo_end(&j);
	c4w_buf_putc(buf, '\n');
	return c4w_buf_ok(buf, err);
}

int c4w_psg_encode(const struct c4w_psg_encode *e, const struct c4w_psg_scene *c, const char *name, struct c4w_buf *buf, struct c4w_err *err)
{
	c4w_buf_reset(buf);
	if (e->metres)
		C4W_TRY(need_range(c, err));
	switch (e->format) {
	case C4W_PSG_NPY:
	case C4W_PSG_RAW:
		break; /* c4w_psg_encode_piece */
	case C4W_PSG_CSV:
		return csv(e, c, buf, err);
	case C4W_PSG_PFM:
		return pfm(e, c, buf, err);
	case C4W_PSG_GEOJSON:
		return geojson(e, c, buf, err);
	case C4W_PSG_PNG:
		return c4w_psg_png(e, c, name, buf, err);
	}
	return C4W_OK;
}
