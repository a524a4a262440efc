/* Checks 2 to 18 and 23 of formats/passage.md, section 8, over whatever parts of a scene are there. */
#include "families/psg.h"
#include "base/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_names(const struct c4w_psg_scene *c, struct c4w_psg_sink *s)
{
	const struct c4w_psg_meta *m = c->meta;
	char want[64], found[80];
	s->path = c->meta_path;
	if (c->dir_r >= 0 && m->has_resolution && m->resolution != c->dir_r) {
		snprintf(want, sizeof want, "%lld", (long long)c->dir_r);
		snprintf(found, sizeof found, "%lld", (long long)m->resolution);
		c4w_psg_report(s, "passage.resolution", want, found, "resolution differs from the directory");
	}
	if (c->dir_index >= 0 && m->has_index && m->index != c->dir_index) {
		snprintf(want, sizeof want, "%lld", (long long)c->dir_index);
		snprintf(found, sizeof found, "%lld", (long long)m->index);
		c4w_psg_report(s, "passage.index", want, found, "index differs from the name");
	}
	if (c->dir_split >= 0 && m->has_split && m->split != c->dir_split) {
		c4w_psg_text(found, sizeof found, m->split_text);
		c4w_psg_report(s, "passage.split", c4w_psg_split[c->dir_split], found, "split differs from the directory");
	}
	if (c->has_dir_tile && m->has_tile && (m->tile[0] != c->dir_tile[0] || m->tile[1] != c->dir_tile[1])) {
		snprintf(want, sizeof want, "%lld, %lld", (long long)c->dir_tile[0], (long long)c->dir_tile[1]);
		snprintf(found, sizeof found, "%lld, %lld", (long long)m->tile[0], (long long)m->tile[1]);
		c4w_psg_report(s, "passage.tile", want, found, "tile.source differs from the tile's directory");
	}
	if (m->has_range && (m->min != -430.0 || m->max != 8767.0)) {
		char lo[C4W_NUMBER_TEXT], hi[C4W_NUMBER_TEXT];
		c4w_format_double(m->min, lo);
		c4w_format_double(m->max, hi);
		snprintf(found, sizeof found, "%s to %s", lo, hi);
		c4w_psg_report(s, "passage.calibration", "-430.0 to 8767.0", found, "another elevation range than the published one");
	}
	if (m->has_actual && m->has_target && m->ratio_actual > m->ratio_target) {
		char lo[C4W_NUMBER_TEXT], hi[C4W_NUMBER_TEXT];
		c4w_format_double(m->ratio_target, lo);
		c4w_format_double(m->ratio_actual, hi);
		snprintf(want, sizeof want, "at most %s", lo);
		c4w_psg_report(s, "passage.ratio-target", want, hi, "obstacles.ratio_actual is above obstacles.ratio_target");
	}
}

static bool inside(const int64_t cell[2], uint32_t r)
{
	return cell[0] >= 0 && cell[1] >= 0 && (!r || (cell[0] < (int64_t)r && cell[1] < (int64_t)r));
}

static void check_markers_of_meta(const struct c4w_psg_scene *c, struct c4w_psg_sink *s)
{
	const struct c4w_psg_meta *m = c->meta;
	char want[64], found[64];
	int k;
	s->path = c->meta_path;
	for (k = 0; k < 2; k++) {
		const int64_t *cell = k ? m->goal : m->start;
		if (!(k ? m->has_goal : m->has_start) || inside(cell, c->r))
			continue;
		snprintf(found, sizeof found, "%lld, %lld", (long long)cell[0], (long long)cell[1]);
		if (c->r)
			snprintf(want, sizeof want, "0 to %u", c->r - 1);
		c4w_psg_report(s, "passage.marker-outside", c->r ? want : NULL, found, "markers.%s_point lies outside the grid",
			       k ? "end" : "start");
	}
	if (m->has_start && m->has_goal && m->start[0] == m->goal[0] && m->start[1] == m->goal[1])
		c4w_psg_report(s, "passage.marker-same", NULL, NULL, "start and goal are the same cell %lld, %lld", (long long)m->start[0],
			       (long long)m->start[1]);
}

static void value_fault(struct c4w_psg_sink *s, const char *rule, const struct c4w_psg_fault *f, const char *want, const char *what)
{
	static const char *const channel[] = { "elevation", "markers", "obstacles" };
	char found[C4W_NUMBER_TEXT], many[48] = "";
	if (!f->count)
		return;
	c4w_format_float(f->value, found);
	if (f->count > 1)
		snprintf(many, sizeof many, ", and in %llu more", (unsigned long long)f->count - 1);
	c4w_psg_report(s, rule, want, found, "cell %u, %u of channel %u (%s) %s%s", f->row, f->column, f->channel, channel[f->channel], what,
		       many);
}

static void check_tensor(const struct c4w_psg_scene *c, struct c4w_psg_sink *s)
{
	const struct c4w_psg_scan *t = c->scan;
	const struct c4w_psg_meta *m = c->meta;
	uint64_t cells = (uint64_t)c->r * c->r;
	char found[64], want[64];
	int k;
	s->path = c->tensor_path;
	value_fault(s, "passage.not-finite", &t->not_finite, "a finite value", "is not finite");
	value_fault(s, "passage.elevation-range", &t->elevation, "0 to 1", "lies outside the range");
	value_fault(s, "passage.marker-value", &t->marker, "-1, 0 or 1", "is no marker");
	value_fault(s, "passage.obstacle-value", &t->obstacle, "0 or 1", "is no obstacle flag");
	if (cells > 4 && t->starts >= cells - 2 && t->background <= 2) {
		c4w_psg_report(s, "passage.marker-convention", "-1", "0",
			       "the background of channel 1 (markers) is 0: the file follows another convention");
		return; /* nothing below can be told apart then */
	}
	if (t->starts != 1 || t->goals != 1) {
		snprintf(found, sizeof found, "%llu and %llu", (unsigned long long)t->starts, (unsigned long long)t->goals);
		c4w_psg_report(s, "passage.marker-count", "1 and 1", found, "start cells (0) and goal cells (1) in channel 1 (markers)");
	}
	for (k = 0; k < 2; k++) {
		const uint32_t *cell = k ? t->goal : t->start;
		if (!(k ? t->goals : t->starts))
			continue;
		if (c4w_psg_at(c->raw, c->r, cell[0], cell[1], 2) == 1.0f)
			c4w_psg_report(s, "passage.marker-blocked", NULL, NULL, "the %s at cell %u, %u is on an obstacle", k ? "goal" : "start",
				       cell[0], cell[1]);
	}
	if (!m)
		return;
	for (k = 0; k < 2; k++) {
		const int64_t *told = k ? m->goal : m->start;
		const uint32_t *cell = k ? t->goal : t->start;
		float v;
		if (!(k ? m->has_goal : m->has_start) || !inside(told, c->r))
			continue;
		v = c4w_psg_at(c->raw, c->r, (uint32_t)told[0], (uint32_t)told[1], 1);
		if (v == (k ? 1.0f : 0.0f))
			continue;
		snprintf(want, sizeof want, "cell %lld, %lld", (long long)told[0], (long long)told[1]);
		if (k ? t->goals : t->starts)
			snprintf(found, sizeof found, "cell %u, %u", cell[0], cell[1]);
		else
			snprintf(found, sizeof found, "none");
		c4w_psg_report(s, "passage.marker-cell", want, found, "the %s in channel 1 (markers) is not the metadata's markers.%s_point",
			       k ? "goal" : "start", k ? "end" : "start");
	}
	if (m->has_actual && fabs((double)t->obstacles - m->ratio_actual * (double)cells) > 1.0) {
		char n[C4W_NUMBER_TEXT];
		c4w_format_double(m->ratio_actual * (double)cells, n);
		snprintf(want, sizeof want, "%s cells", n);
		snprintf(found, sizeof found, "%llu", (unsigned long long)t->obstacles);
		c4w_psg_report(s, "passage.ratio-actual", want, found, "the obstacle cells differ from obstacles.ratio_actual");
	}
}

static void name_route(int k, char *out, size_t size)
{
	snprintf(out, size, "%s %s", c4w_psg_solver[k / 2], c4w_psg_variant[k % 2]);
}

/* A cell that occurs twice; bits are cleared again cell by cell, so the map is paid for once. */
static int check_loop(const struct c4w_psg_route *route, uint32_t r, struct c4w_psg_decoder *d, bool *loop, uint32_t *cell,
		      struct c4w_err *err)
{
	size_t need = ((size_t)r * r + 7) / 8, i, done;
	*loop = false;
	if (d->seen_cap < need) {
		free(d->seen);
		d->seen_cap = 0;
		d->seen = calloc(need, 1);
		if (!d->seen)
			return c4w_fail_memory(err, need);
		d->seen_cap = need;
	}
	for (done = 0; done < route->n && !*loop; done++) {
		size_t bit = (size_t)c4w_psg_row(route->cells[done]) * r + c4w_psg_column(route->cells[done]);
		if (d->seen[bit >> 3] & (1u << (bit & 7))) {
			*loop = true;
			*cell = route->cells[done];
		}
		d->seen[bit >> 3] |= (uint8_t)(1u << (bit & 7));
	}
	for (i = 0; i < done; i++) {
		size_t bit = (size_t)c4w_psg_row(route->cells[i]) * r + c4w_psg_column(route->cells[i]);
		d->seen[bit >> 3] = 0;
	}
	return C4W_OK;
}

static bool same_cell(uint32_t cell, const int64_t at[2])
{
	return (int64_t)c4w_psg_row(cell) == at[0] && (int64_t)c4w_psg_column(cell) == at[1];
}

static int check_route(const struct c4w_psg_scene *c, int k, struct c4w_psg_decoder *d, struct c4w_psg_sink *s, struct c4w_err *err)
{
	const struct c4w_psg_route *route = c->routes[k];
	const struct c4w_psg_meta_route *told = &c->meta->routes[k];
	char name[48], want[64], found[64];
	uint32_t top, cell = 0;
	size_t i, bad = 0, first = 0, outside = 0;
	bool loop;
	s->path = c->route_path[k];
	name_route(k, name, sizeof name);
	if (!told->ok)
		return C4W_OK; /* sections 4 and 5: syntax only */
	if (route->n == 0) {
		c4w_psg_report(s, "passage.csv-empty", NULL, NULL, "%s: the route is empty, its status is ok", name);
		return C4W_OK;
	}
	top = c->r ? c->r : C4W_PSG_R_MAX;
	for (i = 0; i < route->n; i++)
		if ((c4w_psg_row(route->cells[i]) >= top || c4w_psg_column(route->cells[i]) >= top) && !outside++)
			cell = route->cells[i];
	if (outside)
		c4w_psg_report(s, "passage.route-outside", NULL, NULL, "%s: cell %u, %u lies outside the grid", name, c4w_psg_row(cell),
			       c4w_psg_column(cell));
	for (i = 0; i < 2; i++) {
		const int64_t *at = i ? c->meta->goal : c->meta->start;
		uint32_t end = route->cells[i ? route->n - 1 : 0];
		if (!(i ? c->meta->has_goal : c->meta->has_start) || same_cell(end, at))
			continue;
		snprintf(want, sizeof want, "cell %lld, %lld", (long long)at[0], (long long)at[1]);
		snprintf(found, sizeof found, "cell %u, %u", c4w_psg_row(end), c4w_psg_column(end));
		c4w_psg_report(s, i ? "passage.route-goal" : "passage.route-start", want, found, "%s: the route does not %s", name,
			       i ? "end at the goal" : "begin at the start");
	}
	for (i = 1; i < route->n; i++) {
		int di = (int)c4w_psg_row(route->cells[i]) - (int)c4w_psg_row(route->cells[i - 1]);
		int dj = (int)c4w_psg_column(route->cells[i]) - (int)c4w_psg_column(route->cells[i - 1]);
		if ((route->cells[i] == route->cells[i - 1] || abs(di) > 1 || abs(dj) > 1) && !bad++)
			first = i;
	}
	if (bad) {
		uint32_t a = route->cells[first - 1], b = route->cells[first];
		c4w_psg_report(s, "passage.route-step", NULL, NULL, "%s: step %zu from cell %u, %u to %u, %u is not to a neighbour%s", name, first,
			       c4w_psg_row(a), c4w_psg_column(a), c4w_psg_row(b), c4w_psg_column(b), bad > 1 ? ", and more" : "");
	}
	if (told->has_length && told->length != (int64_t)route->n) {
		snprintf(want, sizeof want, "%lld", (long long)told->length);
		snprintf(found, sizeof found, "%zu", route->n);
		c4w_psg_report(s, "passage.route-length", want, found, "%s: the number of cells differs from length", name);
	}
	if (k % 2 && c->raw) {
		size_t n = c4w_psg_crossings(c->raw, c->r, route, &cell);
		if (n)
			c4w_psg_report(s, "passage.route-obstacle", NULL, NULL, "%s: cell %u, %u is blocked%s", name, c4w_psg_row(cell),
				       c4w_psg_column(cell), n > 1 ? ", and more are" : "");
	}
	if (told->exact && !outside) {
		C4W_TRY(check_loop(route, top, d, &loop, &cell, err));
		if (loop)
			c4w_psg_report(s, "passage.route-loop", NULL, NULL, "%s: cell %u, %u occurs twice", name, c4w_psg_row(cell),
				       c4w_psg_column(cell));
	}
	if (told->exact && told->has_cost && !bad) {
		double length = c4w_psg_length(route);
		if (!(told->cost >= length * (1 - 1e-7) - 1e-6)) {
			char n[C4W_NUMBER_TEXT], f[C4W_NUMBER_TEXT];
			c4w_format_double(length, n);
			c4w_format_double(told->cost, f);
			snprintf(want, sizeof want, "at least %s", n);
			s->path = c->meta_path;
			c4w_psg_report(s, "passage.cost-bound", want, f, "%s: the cost is below the route's length in metres", name);
		}
	}
	return C4W_OK;
}

static void check_costs(const struct c4w_psg_scene *c, struct c4w_psg_sink *s)
{
	int i;
	s->path = c->meta_path;
	for (i = 0; i < C4W_PSG_SOLVERS; i++) {
		const struct c4w_psg_meta_route *a = &c->meta->routes[2 * i], *b = a + 1;
		char want[64], n[C4W_NUMBER_TEXT], f[C4W_NUMBER_TEXT];
		if (!(a->ok && b->ok && a->exact && b->exact && a->has_cost && b->has_cost))
			continue;
		if (b->cost >= a->cost * (1 - 1e-7) - 1e-6)
			continue;
		c4w_format_double(a->cost, n);
		c4w_format_double(b->cost, f);
		snprintf(want, sizeof want, "at least %s", n);
		c4w_psg_report(s, "passage.cost-order", want, f, "%s: the cost with obstacles is below the cost without", c4w_psg_solver[i]);
	}
}

int c4w_psg_check(const struct c4w_psg_scene *c, struct c4w_psg_decoder *d, struct c4w_psg_sink *s, struct c4w_err *err)
{
	int k;
	if (c->meta) {
		check_names(c, s);
		check_markers_of_meta(c, s);
	}
	if (c->raw && c->scan)
		check_tensor(c, s);
	if (!c->meta)
		return C4W_OK;
	for (k = 0; k < C4W_PSG_ROUTES; k++)
		if (c->routes[k])
			C4W_TRY(check_route(c, k, d, s, err));
	check_costs(c, s);
	return C4W_OK;
}
