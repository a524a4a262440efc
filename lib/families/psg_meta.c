/* Metadata fields (formats/passage.md, section 4): a table of keys with type and whether they are required.
 *
 * The key decides the type. Unknown keys are accepted; source windows are opaque mappings, because their keys are unknown.
 */
#include "families/psg.h"

#include <stdio.h>
#include <string.h>

enum want {
	ANY,     /* any scalar but null, as text */
	TEXT,    /* the same; out of JSON, a string */
	INT,     /* fits 64 bits */
	BIG,     /* an integer of any width */
	REAL,    /* finite */
	COST,    /* finite or null */
	BOOL,
	HEX,     /* 64 hex digits */
	WINDOWS, /* a list of mappings */
};

static const char *const want_name[] = { "text",	    "text",	   "an integer", "an integer",	   "a finite number", "a finite number or null",
					 "true or false", "64 hex digits", "a list of mappings" };

struct field {
	const char *path;
	enum want want;
	bool required;
};

static const struct field fields[] = {
	{ "index", INT, true },
	{ "resolution", INT, true },
	{ "split", TEXT, true },
	{ "calibration.min", REAL, true },
	{ "calibration.max", REAL, true },
	{ "markers.start_point.i", INT, true },
	{ "markers.start_point.j", INT, true },
	{ "markers.end_point.i", INT, true },
	{ "markers.end_point.j", INT, true },
	{ "dataset_version", ANY, false },
	{ "units", TEXT, false },
	{ "tile.source.lat", INT, false },
	{ "tile.source.lon", INT, false },
	{ "tile.used", WINDOWS, false },
	{ "tile.overlapping", WINDOWS, false },
	{ "crop.top_left.lat", REAL, false },
	{ "crop.top_left.lon", REAL, false },
	{ "crop.bottom_right.lat", REAL, false },
	{ "crop.bottom_right.lon", REAL, false },
	{ "crop.center.lat", REAL, false },
	{ "crop.center.lon", REAL, false },
	{ "obstacles.enabled", BOOL, false },
	{ "obstacles.ratio_target", REAL, false },
	{ "obstacles.ratio_actual", REAL, false },
	{ "provenance.generation_seed", INT, false },
	{ "provenance.sample_seed", BIG, false },
	{ "provenance.provenance_id", HEX, false },
	{ "provenance.calibration_sha256", HEX, false },
	{ "provenance.source_windows", WINDOWS, false },
};

static const struct field solver_fields[] = {
	{ "name", TEXT, false },
	{ "cost_model", TEXT, false },
	{ "weight", REAL, false },
	{ "graph_spec.connectivity", INT, false },
	{ "graph_spec.diagonal_policy", TEXT, false },
	{ "graph_spec.obstacle_policy", TEXT, false },
	{ "graph_spec.pixel_size_m", REAL, false },
	{ "graph_spec.coordinate_order", TEXT, false },
	{ "graph_spec.cost_model", TEXT, false },
	{ "graph_spec.cost_weight", REAL, false },
	{ "graph_spec.rtol", REAL, false },
	{ "graph_spec.atol", REAL, false },
	{ "reference_engine", TEXT, false },
	{ "arithmetic_precision", TEXT, false },
};

static const struct field route_fields[] = {
	{ "status", TEXT, true },	  { "cost", COST, true },	 { "reference_status", TEXT, true },
	{ "expansions", INT, false },	  { "considered_area", INT, false }, { "graph_id", HEX, false },
	{ "crosses_obstacles", BOOL, false },
};

static bool is_hex64(struct c4w_view t)
{
	size_t i;
	for (i = 0; i < t.n; i++)
		if (!((t.p[i] >= '0' && t.p[i] <= '9') || (t.p[i] >= 'a' && t.p[i] <= 'f') || (t.p[i] >= 'A' && t.p[i] <= 'F')))
			return false;
	return t.n == 64;
}

static bool fits(const struct c4w_yaml_node *n, enum want want)
{
	int64_t i;
	double d;
	bool b;
	struct c4w_view t;
	size_t k;
	switch (want) {
	case ANY:
		return c4w_yaml_text(n, &t);
	case TEXT: /* a node without a line is JSON's, where only quotes make a string */
		return c4w_yaml_text(n, &t) && (n->line || n->quoted);
	case INT:
		return c4w_yaml_int64(n, &i);
	case BIG:
		return c4w_yaml_type(n) == C4W_YAML_INTEGER;
	case COST:
		if (c4w_yaml_type(n) == C4W_YAML_NULL)
			return true;
		/* fall through */
	case REAL:
		return c4w_yaml_double(n, &d);
	case BOOL:
		return c4w_yaml_bool(n, &b);
	case HEX:
		return c4w_yaml_text(n, &t) && is_hex64(t) && (n->line || n->quoted);
	case WINDOWS:
		if (n->kind != C4W_YAML_SEQ)
			return false;
		for (k = 0; k < n->count; k++)
			if (n->items[k]->kind != C4W_YAML_MAP)
				return false;
		return true;
	}
	return false;
}

static void wrong_type(struct c4w_psg_sink *s, const char *prefix, const char *path, size_t n, const struct c4w_yaml_node *node,
		       const char *want)
{
	char found[128];
	char shown[80];
	if (node->kind == C4W_YAML_SCALAR && node->text.n) {
		c4w_psg_text(shown, sizeof shown, node->text);
		snprintf(found, sizeof found, node->quoted ? "'%s'" : "%s", shown);
	} else {
		snprintf(found, sizeof found, "%s", c4w_yaml_type_name(c4w_yaml_type(node)));
	}
	if (node->line)
		c4w_psg_report(s, "passage.meta-type", want, found, "line %u: %s%.*s has the wrong type", node->line, prefix, (int)n, path);
	else
		c4w_psg_report(s, "passage.meta-type", want, found, "%s%.*s has the wrong type", prefix, (int)n, path);
}

/* The node at a dotted path, or NULL after saying what is wrong with it. */
static const struct c4w_yaml_node *look(const struct c4w_yaml_node *map, const char *prefix, const struct field *f,
					struct c4w_psg_sink *s)
{
	const char *p = f->path;
	for (;;) {
		size_t n = strcspn(p, "."), end = (size_t)(p - f->path) + n;
		char key[32];
		const struct c4w_yaml_node *child;
		snprintf(key, sizeof key, "%.*s", (int)n, p);
		child = c4w_yaml_get(map, key);
		if (!child) {
			c4w_psg_report(s, f->required ? "passage.meta-missing" : "passage.meta-absent", NULL, NULL, "%s%.*s is missing",
				       prefix, (int)end, f->path);
			return NULL;
		}
		if (!p[n]) {
			if (fits(child, f->want))
				return child;
			wrong_type(s, prefix, f->path, end, child, want_name[f->want]);
			return NULL;
		}
		if (child->kind != C4W_YAML_MAP) {
			wrong_type(s, prefix, f->path, end, child, "a mapping");
			return NULL;
		}
		map = child;
		p += n + 1;
	}
}

static void bad_value(struct c4w_psg_sink *s, const char *what, const char *want, struct c4w_view found)
{
	char shown[80];
	c4w_psg_text(shown, sizeof shown, found);
	c4w_psg_report(s, "passage.meta-value", want, shown, "%s has a value out of its range", what);
}

static void keep(struct c4w_psg_meta *m, const struct field *f, const struct c4w_yaml_node *n, int *have)
{
	size_t i = (size_t)(f - fields);
	switch (i) {
	case 0:
		m->has_index = c4w_yaml_int64(n, &m->index);
		break;
	case 1:
		m->has_resolution = c4w_yaml_int64(n, &m->resolution);
		break;
	case 2:
		m->has_split = c4w_yaml_text(n, &m->split_text);
		break;
	case 3:
		*have |= c4w_yaml_double(n, &m->min) ? 1 : 0;
		break;
	case 4:
		*have |= c4w_yaml_double(n, &m->max) ? 2 : 0;
		break;
	case 5:
	case 6:
		*have |= c4w_yaml_int64(n, &m->start[i - 5]) ? 4 << (i - 5) : 0;
		break;
	case 7:
	case 8:
		*have |= c4w_yaml_int64(n, &m->goal[i - 7]) ? 16 << (i - 7) : 0;
		break;
	case 9:
		(void)c4w_yaml_text(n, &m->version);
		break;
	case 11:
	case 12:
		*have |= c4w_yaml_int64(n, &m->tile[i - 11]) ? 64 << (i - 11) : 0;
		break;
	case 15:
	case 16:
		*have |= c4w_yaml_double(n, &m->top_left[i - 15]) ? 256 << (i - 15) : 0;
		break;
	case 17:
	case 18:
		*have |= c4w_yaml_double(n, &m->bottom_right[i - 17]) ? 1024 << (i - 17) : 0;
		break;
	case 22:
		m->has_target = c4w_yaml_double(n, &m->ratio_target);
		break;
	case 23:
		m->has_actual = c4w_yaml_double(n, &m->ratio_actual);
		break;
	default:
		break;
	}
}

static void read_route(const struct c4w_yaml_node *map, const char *prefix, struct c4w_psg_sink *s, struct c4w_psg_meta_route *out)
{
	static const struct field length = { "length", INT, true }, length_other = { "length", INT, false };
	const struct c4w_yaml_node *n;
	struct c4w_view t = { "", 0 };
	size_t i;
	out->there = true;
	for (i = 0; i < sizeof route_fields / sizeof *route_fields; i++) {
		n = look(map, prefix, &route_fields[i], s);
		if (!n)
			continue;
		if (i == 0)
			out->ok = c4w_yaml_text(n, &t) && c4w_view_eqz(t, "ok");
		else if (i == 1)
			out->has_cost = c4w_yaml_double(n, &out->cost);
		else if (i == 2)
			out->exact = c4w_yaml_text(n, &t) && c4w_view_eqz(t, "exact");
	}
	n = look(map, prefix, out->ok ? &length : &length_other, s);
	out->has_length = n && c4w_yaml_int64(n, &out->length);
	if (out->has_length && out->ok && out->length < 1) {
		char what[120];
		snprintf(what, sizeof what, "%slength", prefix);
		bad_value(s, what, "at least 1", n->text);
	}
}

void c4w_psg_meta_read(const struct c4w_yaml_node *root, struct c4w_psg_sink *s, struct c4w_psg_meta *m)
{
	const struct c4w_yaml_node *paths = c4w_yaml_get(root, "paths"), *solvers = c4w_yaml_get(root, "solvers"), *n;
	struct c4w_view t;
	size_t i, k, v;
	int have = 0;
	memset(m, 0, sizeof *m);
	m->root = root;
	m->split = -1;
	for (i = 0; i < sizeof fields / sizeof *fields; i++) {
		n = look(root, "", &fields[i], s);
		if (n)
			keep(m, &fields[i], n, &have);
	}
	m->has_range = (have & 3) == 3;
	m->has_start = (have & 12) == 12;
	m->has_goal = (have & 48) == 48;
	m->has_tile = (have & 192) == 192;
	m->has_crop = (have & 0xf00) == 0xf00;
	if (m->has_split) {
		m->split = c4w_psg_word(c4w_psg_split, m->split_text);
		if (m->split < 0)
			bad_value(s, "split", "train, calibration, validation or test", m->split_text);
	}
	if (m->has_index && m->index < 0) {
		bad_value(s, "index", "0 or more", c4w_yaml_get(root, "index")->text);
		m->has_index = false;
	}
	if (m->has_resolution && (m->resolution < 1 || m->resolution > C4W_PSG_R_MAX)) {
		bad_value(s, "resolution", "1 to 16384", c4w_yaml_get(root, "resolution")->text);
		m->has_resolution = false;
	}
	if (m->has_range && !(m->min < m->max)) {
		bad_value(s, "calibration.max", "more than calibration.min", c4w_yaml_get(c4w_yaml_get(root, "calibration"), "max")->text);
		m->has_range = false;
	}
	n = c4w_yaml_get(root, "units");
	if (n && c4w_yaml_text(n, &t) && !c4w_view_eqz(t, "metres")) {
		char shown[64];
		c4w_psg_text(shown, sizeof shown, t);
		c4w_psg_report(s, "passage.meta-units", "metres", shown, "units are not metres");
	}
	for (i = 0; i < C4W_PSG_SOLVERS; i++) {
		static const char *const parts[] = { "paths", "solvers" };
		const struct c4w_yaml_node *const maps[] = { paths, solvers };
		for (k = 0; k < 2; k++) {
			const struct c4w_yaml_node *one = c4w_yaml_get(maps[k], c4w_psg_solver[i]);
			char prefix[96], name[64];
			struct field f = { name, TEXT, k == 0 };
			snprintf(name, sizeof name, "%s.%s", parts[k], c4w_psg_solver[i]);
			if (!one || one->kind != C4W_YAML_MAP) {
				if (one)
					wrong_type(s, "", name, strlen(name), one, "a mapping");
				else
					(void)look(root, "", &f, s);
				continue;
			}
			if (k == 1) {
				snprintf(prefix, sizeof prefix, "%s.", name);
				for (v = 0; v < sizeof solver_fields / sizeof *solver_fields; v++)
					(void)look(one, prefix, &solver_fields[v], s);
				continue;
			}
			for (v = 0; v < C4W_PSG_VARIANTS; v++) {
				const struct c4w_yaml_node *r = c4w_yaml_get(one, c4w_psg_variant[v]);
				snprintf(prefix, sizeof prefix, "%s.%s.", name, c4w_psg_variant[v]);
				if (r && r->kind == C4W_YAML_MAP)
					read_route(r, prefix, s, &m->routes[i * 2 + v]);
				else if (r)
					wrong_type(s, "", prefix, strlen(prefix) - 1, r, "a mapping");
				else
					c4w_psg_report(s, "passage.meta-missing", NULL, NULL, "%s.%s is missing", name,
						       c4w_psg_variant[v]);
			}
		}
	}
}
