/* A channel in words: text for people, JSON lines and CSV for programs. See chw_channel.h. */
#include "families/chw_channel.h"

#include "base/numbers.h"

#include <inttypes.h>
#include <math.h>

#define DEGREES 57.29577951308232

enum { RANK = 2, RE = 3, IM = 4, TAU = 5, THETA_T = 6, PHI_T = 7, THETA_R = 8, PHI_R = 9, COUNT = 10, FLAGS = 11 };

static float f4(const struct chw_channel *c, unsigned field, size_t i)
{
	return ((const float *)(const void *)c->core->field[field])[i];
}

static double power_db(const struct chw_channel *c, size_t i)
{
	double re = (double)f4(c, RE, i), im = (double)f4(c, IM, i);
	return 10 * log10(re * re + im * im);
}

static double angle(const struct chw_channel *c, const struct chw_view_opts *o, unsigned field, size_t i)
{
	return (double)f4(c, field, i) * (o->radians ? 1 : DEGREES);
}

/* The interactions of a path in order, where detail is there; else what its flags tell: which kinds, not how often nor in which order. */
static size_t codes_of(const struct chw_channel *c, size_t path, int codes[256])
{
	static const int kinds[] = { 1, 2, 4, 8 };
	size_t n = 0, i;
	if (c->detail) {
		for (i = (size_t)c->interaction_offsets[path]; i < (size_t)c->interaction_offsets[path + 1] && n < 256; i++)
			codes[n++] = c->code[i];
	} else {
		unsigned flags = ((const uint16_t *)(const void *)c->core->field[FLAGS])[path];
		for (i = 0; i < 4; i++)
			if (flags & 1U << kinds[i])
				codes[n++] = kinds[i];
	}
	return n;
}

/* ---- text ---- */

static void head(const struct chw_channel *c, struct c4w_buf *out)
{
	c4w_buf_escape(out, c->item->scene->id, strlen(c->item->scene->id));
	c4w_buf_printf(out, ", %" PRId64 " Hz, BS %" PRId64, c->item->hz, c->item->bs);
}

static void number(struct c4w_buf *out, int width, int digits, double v)
{
	if (isnan(v))
		c4w_buf_printf(out, "%*s", width, "-");
	else
		c4w_buf_printf(out, "%*.*f", width, digits, v);
}

static void link_text(const struct chw_channel *c, const struct chw_view_opts *o, size_t link, struct c4w_buf *out)
{
	struct chw_link t;
	size_t i;
	chw_link_totals(c, link, &t);
	head(c, out);
	c4w_buf_printf(out, ", UE %" PRId64 "\n", t.ue);
	c4w_buf_printf(out, "%zu path%s, power %.2f dB, RMS delay spread ", t.last - t.first, t.last - t.first == 1 ? "" : "s", t.power_db);
	if (isnan(t.spread))
		c4w_buf_puts(out, "unknown (no power)");
	else
		c4w_buf_printf(out, "%.3f ns", t.spread * 1e9);
	c4w_buf_puts(out, t.line_of_sight ? ", line of sight" : ", no line of sight");
	if (!isnan(t.distance))
		c4w_buf_printf(out, ", %.1f m from BS to UE", t.distance);
	c4w_buf_puts(out, "\n\n                                       departure         arrival\n");
	c4w_buf_puts(out, "rank        dB   delay ns  excess ns   zenith  azimuth   zenith  azimuth\n");
	for (i = t.first; i < t.last; i++) {
		int codes[256], digits = o->radians ? 4 : 2;
		size_t n = codes_of(c, i, codes), k;
		c4w_buf_printf(out, "%4u", c->core->field[RANK][i]);
		number(out, 10, 2, power_db(c, i));
		number(out, 11, 3, (double)f4(c, TAU, i) * 1e9);
		number(out, 11, 3, ((double)f4(c, TAU, i) - t.delay) * 1e9);
		number(out, 9, digits, angle(c, o, THETA_T, i));
		number(out, 9, digits, angle(c, o, PHI_T, i));
		number(out, 9, digits, angle(c, o, THETA_R, i));
		number(out, 9, digits, angle(c, o, PHI_R, i));
		c4w_buf_putc(out, '\n');
		for (k = 0; c->detail && k < n; k++) {
			const float *v = c->vertex + 3 * ((size_t)c->interaction_offsets[i] + k);
			c4w_buf_printf(out, "%8zu  %-19s at (%8.2f, %8.2f, %7.2f) m\n", k + 1, chw_interaction_name(codes[k]), (double)v[0], (double)v[1],
				       (double)v[2]);
		}
		if (n == 0) {
			c4w_buf_puts(out, "          no interaction: line of sight\n");
		} else if (!c->detail) {
			c4w_buf_printf(out, "          %u: ", c->core->field[COUNT][i]);
			for (k = 0; k < n; k++)
				c4w_buf_printf(out, "%s%s", k ? ", " : "", chw_interaction_name(codes[k]));
			c4w_buf_putc(out, '\n');
		}
	}
	c4w_buf_printf(out, "\nangles in %s; interactions %s\n", o->radians ? "radians" : "degrees",
		       c->detail ? "from the base station on, with their places" : "by number and kinds: the detail record is not here");
}

static void record_text(const struct chw_channel *c, struct c4w_buf *out)
{
	size_t l;
	head(c, out);
	c4w_buf_printf(out, "\n%zu of %" PRId64 " UEs have a link, %zu paths\n", c->paths.links, c->core->row->pin.ues, c->paths.paths);
	if (c->bs_xyz)
		c4w_buf_printf(out, "BS at (%.2f, %.2f, %.2f) m\n", (double)c->bs_xyz[0], (double)c->bs_xyz[1], (double)c->bs_xyz[2]);
	c4w_buf_puts(out, "\n     ue  paths       dB    delay ns   spread ns  sight  distance m\n");
	for (l = 0; l < c->paths.links; l++) {
		struct chw_link t;
		chw_link_totals(c, l, &t);
		c4w_buf_printf(out, "%7" PRId64 "%7zu", t.ue, t.last - t.first);
		number(out, 9, 2, t.power_db);
		number(out, 12, 3, t.delay * 1e9);
		number(out, 12, 3, t.spread * 1e9);
		c4w_buf_printf(out, "%7s", t.line_of_sight ? "yes" : "no");
		number(out, 12, 2, t.distance);
		c4w_buf_putc(out, '\n');
	}
}

void chw_channel_text(const struct chw_channel *c, const struct chw_view_opts *o, struct c4w_buf *out)
{
	size_t link;
	if (o->ue < 0) {
		record_text(c, out);
		return;
	}
	link = chw_channel_link(c, o->ue);
	if (link == SIZE_MAX) {
		head(c, out);
		c4w_buf_printf(out, ", UE %" PRId64 "\nno retained link\n", o->ue);
		return;
	}
	link_text(c, o, link, out);
}

/* ---- JSON ---- */

static void maybe(struct c4w_json_out *j, const char *key, double v)
{
	c4w_jo_key(j, key);
	if (isnan(v))
		c4w_jo_null(j);
	else
		c4w_jo_double(j, v);
}

static void keys(struct c4w_json_out *j, const struct chw_channel *c, const char *type)
{
	c4w_jo_key(j, "type");
	c4w_jo_z(j, type);
	c4w_jo_key(j, "scene_id");
	c4w_jo_z(j, c->item->scene->id);
	c4w_jo_key(j, "frequency_hz");
	c4w_jo_i64(j, c->item->hz);
	c4w_jo_key(j, "bs");
	c4w_jo_i64(j, c->item->bs);
}

static void totals(struct c4w_json_out *j, const struct chw_link *t)
{
	c4w_jo_key(j, "ue");
	c4w_jo_i64(j, t->ue);
	c4w_jo_key(j, "n_paths");
	c4w_jo_u64(j, t->last - t->first);
	c4w_jo_key(j, "power_db");
	c4w_jo_double(j, t->power_db);
	maybe(j, "delay_ns", t->last > t->first ? t->delay * 1e9 : NAN);
	maybe(j, "delay_spread_ns", t->spread * 1e9);
	c4w_jo_key(j, "line_of_sight");
	c4w_jo_bool(j, t->line_of_sight);
	maybe(j, "distance_m", t->distance);
}

static void path_json(struct c4w_json_out *j, const struct chw_channel *c, const struct chw_view_opts *o, const struct chw_link *t, size_t i)
{
	int codes[256];
	size_t n = codes_of(c, i, codes), k, a;
	const char *unit = o->radians ? "rad" : "deg";
	static const struct { unsigned field; const char *name; } angles[] = { { THETA_T, "theta_t" }, { PHI_T, "phi_t" }, { THETA_R, "theta_r" }, { PHI_R, "phi_r" } };
	c4w_jo_object(j);
	c4w_jo_key(j, "rank");
	c4w_jo_u64(j, c->core->field[RANK][i]);
	c4w_jo_key(j, "power_db");
	c4w_jo_double(j, power_db(c, i));
	c4w_jo_key(j, "delay_ns");
	c4w_jo_double(j, (double)f4(c, TAU, i) * 1e9);
	c4w_jo_key(j, "excess_delay_ns");
	c4w_jo_double(j, ((double)f4(c, TAU, i) - t->delay) * 1e9);
	for (a = 0; a < 4; a++) {
		char key[24];
		snprintf(key, sizeof key, "%s_%s", angles[a].name, unit);
		c4w_jo_key(j, key);
		c4w_jo_double(j, angle(c, o, angles[a].field, i));
	}
	c4w_jo_key(j, c->detail ? "interactions" : "interaction_kinds");
	c4w_jo_array(j);
	for (k = 0; k < n; k++)
		c4w_jo_z(j, chw_interaction_name(codes[k]));
	c4w_jo_end(j);
	if (c->detail) {
		c4w_jo_key(j, "vertices_m");
		c4w_jo_array(j);
		for (k = 0; k < n; k++) {
			const float *v = c->vertex + 3 * ((size_t)c->interaction_offsets[i] + k);
			c4w_jo_array(j);
			for (a = 0; a < 3; a++)
				c4w_jo_double(j, (double)v[a]);
			c4w_jo_end(j);
		}
		c4w_jo_end(j);
	}
	c4w_jo_end(j);
}

void chw_channel_json(const struct chw_channel *c, const struct chw_view_opts *o, struct c4w_buf *out)
{
	struct c4w_json_style line = { 0, false, false };
	struct c4w_json_out j = c4w_json_out(out, line);
	struct chw_link t;
	size_t l, i;
	if (o->ue >= 0) {
		l = chw_channel_link(c, o->ue);
		c4w_jo_object(&j);
		keys(&j, c, "link");
		if (l == SIZE_MAX) {
			c4w_jo_key(&j, "ue");
			c4w_jo_i64(&j, o->ue);
			c4w_jo_key(&j, "n_paths");
			c4w_jo_u64(&j, 0);
		} else {
			chw_link_totals(c, l, &t);
			totals(&j, &t);
		}
		c4w_jo_key(&j, "paths");
		c4w_jo_array(&j);
		for (i = l == SIZE_MAX ? 0 : t.first; l != SIZE_MAX && i < t.last; i++)
			path_json(&j, c, o, &t, i);
		c4w_jo_end(&j);
		c4w_jo_end(&j);
		c4w_buf_putc(out, '\n');
		return;
	}
	c4w_jo_object(&j);
	keys(&j, c, "record");
	c4w_jo_key(&j, "n_links");
	c4w_jo_u64(&j, c->paths.links);
	c4w_jo_key(&j, "n_paths");
	c4w_jo_u64(&j, c->paths.paths);
	c4w_jo_key(&j, "n_ues");
	c4w_jo_i64(&j, c->core->row->pin.ues);
	c4w_jo_end(&j);
	c4w_buf_putc(out, '\n');
	for (l = 0; l < c->paths.links; l++) {
		j = c4w_json_out(out, line);
		chw_link_totals(c, l, &t);
		c4w_jo_object(&j);
		keys(&j, c, "link");
		totals(&j, &t);
		c4w_jo_end(&j);
		c4w_buf_putc(out, '\n');
	}
}

/* ---- CSV ---- */

static void csv_double(struct c4w_buf *out, double v)
{
	char text[C4W_NUMBER_TEXT];
	c4w_buf_putc(out, ',');
	if (!isnan(v))
		c4w_buf_put(out, text, c4w_format_double(v, text));
}

void chw_channel_csv(const struct chw_channel *c, const struct chw_view_opts *o, struct c4w_buf *out)
{
	struct chw_link t;
	size_t l, i, k;
	if (o->ue < 0) {
		c4w_buf_puts(out, "ue,n_paths,power_db,delay_ns,delay_spread_ns,line_of_sight,distance_m\n");
		for (l = 0; l < c->paths.links; l++) {
			chw_link_totals(c, l, &t);
			c4w_buf_printf(out, "%" PRId64 ",%zu", t.ue, t.last - t.first);
			csv_double(out, t.power_db);
			csv_double(out, t.delay * 1e9);
			csv_double(out, t.spread * 1e9);
			c4w_buf_printf(out, ",%s", t.line_of_sight ? "True" : "False");
			csv_double(out, t.distance);
			c4w_buf_putc(out, '\n');
		}
		return;
	}
	c4w_buf_printf(out, "rank,power_db,delay_ns,excess_delay_ns,theta_t_%s,phi_t_%s,theta_r_%s,phi_r_%s,interactions\n", o->radians ? "rad" : "deg",
		       o->radians ? "rad" : "deg", o->radians ? "rad" : "deg", o->radians ? "rad" : "deg");
	l = chw_channel_link(c, o->ue);
	if (l == SIZE_MAX)
		return;
	chw_link_totals(c, l, &t);
	for (i = t.first; i < t.last; i++) {
		int codes[256];
		size_t n = codes_of(c, i, codes);
		c4w_buf_printf(out, "%u", c->core->field[RANK][i]);
		csv_double(out, power_db(c, i));
		csv_double(out, (double)f4(c, TAU, i) * 1e9);
		csv_double(out, ((double)f4(c, TAU, i) - t.delay) * 1e9);
		csv_double(out, angle(c, o, THETA_T, i));
		csv_double(out, angle(c, o, PHI_T, i));
		csv_double(out, angle(c, o, THETA_R, i));
		csv_double(out, angle(c, o, PHI_R, i));
		c4w_buf_putc(out, ',');
		for (k = 0; k < n; k++)
			c4w_buf_printf(out, "%s%s", k ? ";" : "", chw_interaction_name(codes[k]));
		c4w_buf_putc(out, '\n');
	}
}
