/* Selections and recipes (section 6). */
#include "families/chw.h"

#include "base/limits.h"
#include "base/numbers.h"
#include "storage/stream.h"

#include <inttypes.h>

enum { MAX_RECIPE_SCENES = 100000, MAX_RECIPE_NUMBERS = 1024, MAX_RECIPE_PROFILES = 64 };
#define MAX_RECIPE_INT 9007199254740991 /* 2^53 - 1: what every JSON reader keeps exactly */

const struct c4w_seloption chw_options[] = {
	{ "split", "NAME", false, "only scenes of this split", "Only scenes of this split, as the root spells it.", NULL },
	{ "tier", "NAME", false, "only scenes up to this tier",
	  "Tiers are cumulative, smallest first: a scene belongs to its own tier and to every later one.", NULL },
	{ "profile", "NAME", true, "only scenes of this generation profile", "Only scenes of this generation profile, as the catalog spells it.",
	  NULL },
	{ "scenes", "A,B|@FILE", false, "only these scenes", "Scene ids separated by commas, or @FILE with one id a line (@- for standard input).", NULL },
	{ "frequency", "HZ", true, "only this carrier, in Hz",
	  "Only channels of this carrier, an integer in Hz. A scene that lacks it is reported as not published.", NULL },
	{ "bs", "N", true, "only this base station",
	  "Only channels of this base station. A scene that lacks it is reported as not published.", NULL },
	{ "components", "LIST", false, "which components (default: core,positions,geometry)",
	  "Which components, separated by commas. detail brings core along, since it is read together with it.",
	  "core,detail,positions,geometry" },
	{ "recipe", "FILE", false, "the selection in this recipe file",
	  "Take the selection from a recipe (see c4w-recipe(1)) instead of the other options.", NULL },
	{ 0 },
};

/* ---- helpers ---- */

static int usage(struct c4w_err *err, const char *what, struct c4w_view value, const struct chw_names *there)
{
	char shown[100], list[300] = "";
	size_t used = 0;
	uint32_t i;
	for (i = 0; there && i < there->n && used + 40 < sizeof list; i++)
		used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", there->v[i]);
	return c4w_fail(err, C4W_USAGE, "no %s '%s' here; there is %s%s", what, c4w_str_escape(shown, sizeof shown, value.p, value.n),
			used ? list : "none", there && i < there->n ? ", ..." : "");
}

static const char *keep(struct chw_selection *s, struct c4w_view v)
{
	return c4w_arena_text(&s->arena, v.p, v.n);
}

static bool has_name(const struct chw_names *names, struct c4w_view v)
{
	uint32_t i;
	for (i = 0; i < names->n; i++)
		if (c4w_view_eqz(v, names->v[i]))
			return true;
	return false;
}

static int add_name(struct chw_selection *s, struct chw_names *to, struct c4w_view v, struct c4w_err *err)
{
	void *p;
	if (has_name(to, v))
		return C4W_OK;
	if (to->n == to->cap) {
		uint32_t cap = to->cap ? to->cap * 2 : 8;
		C4W_TRY(c4w_arena_take(&s->arena, cap * sizeof *to->v, &p, err));
		if (to->n)
			memcpy(p, to->v, to->n * sizeof *to->v);
		to->v = p;
		to->cap = cap;
	}
	if (!(to->v[to->n] = keep(s, v)))
		return c4w_fail_memory(err, v.n);
	to->n++;
	return C4W_OK;
}

static int cmp_i64(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return x < y ? -1 : x > y;
}

/* Insert into a sorted list without repeats; lists are short (1,024 at most from a recipe, a command line otherwise). */
static int add_number(struct chw_selection *s, int64_t **list, uint32_t *n, int64_t v, struct c4w_err *err)
{
	void *p;
	if (*n && bsearch(&v, *list, *n, sizeof v, cmp_i64))
		return C4W_OK;
	C4W_TRY(c4w_arena_take(&s->arena, (*n + 1) * sizeof v, &p, err));
	if (*n)
		memcpy(p, *list, *n * sizeof v);
	*list = p;
	(*list)[(*n)++] = v;
	qsort(*list, *n, sizeof v, cmp_i64);
	return C4W_OK;
}

/* Decimal digits, with single underscores between them as Python's int() has it. */
static bool parse_number(const char *text, int64_t *out)
{
	char digits[32];
	size_t n = 0;
	for (; *text; text++) {
		if (*text == '_' && n && digits[n - 1] != '_' && text[1] >= '0' && text[1] <= '9')
			continue;
		if (n == sizeof digits - 1)
			return false;
		digits[n++] = *text;
	}
	return c4w_parse_i64((struct c4w_view){ digits, n }, out);
}

static int set_components(struct chw_selection *s, struct c4w_view list, struct c4w_err *err)
{
	size_t i = 0;
	bool any = false;
	char shown[80];
	memset(s->component, 0, sizeof s->component);
	while (i <= list.n) {
		const char *comma = i < list.n ? memchr(list.p + i, ',', list.n - i) : NULL;
		struct c4w_view one = { list.p + i, comma ? (size_t)(comma - (list.p + i)) : list.n - i };
		i += one.n + 1;
		while (one.n && one.p[0] == ' ') {
			one.p++;
			one.n--;
		}
		while (one.n && one.p[one.n - 1] == ' ')
			one.n--;
		if (one.n) {
			enum chw_component c = chw_component_of(one);
			if (c == CHW_NO_COMPONENT)
				return c4w_fail(err, C4W_USAGE, "unknown component '%s'; there is core, detail, positions, geometry",
						c4w_str_escape(shown, sizeof shown, one.p, one.n));
			s->component[c] = any = true;
		}
		if (!comma)
			break;
	}
	if (!any)
		return c4w_fail(err, C4W_USAGE, "--components names none; there is core, detail, positions, geometry");
	if (s->component[CHW_DETAIL])
		s->component[CHW_CORE] = true;
	return C4W_OK;
}

static int add_scene(struct chw_selection *s, uint32_t cap, struct c4w_view id, struct c4w_err *err)
{
	if (s->n_scene_ids == cap)
		return C4W_OK;
	if (!(s->scene_ids[s->n_scene_ids] = keep(s, id)))
		return c4w_fail_memory(err, id.n);
	s->n_scene_ids++;
	return C4W_OK;
}

/* Whitespace as Python's str.strip() takes it off an ASCII line. */
static struct c4w_view strip(struct c4w_view v)
{
	while (v.n && strchr(" \t\r\n\v\f", v.p[0])) {
		v.p++;
		v.n--;
	}
	while (v.n && strchr(" \t\r\n\v\f", v.p[v.n - 1]))
		v.n--;
	return v;
}

static int set_scenes(struct chw_selection *s, struct c4w_view list, char separator, struct c4w_err *err)
{
	size_t i, count = 1;
	void *p;
	for (i = 0; i < list.n; i++)
		count += list.p[i] == separator;
	C4W_TRY(c4w_arena_take(&s->arena, count * sizeof *s->scene_ids, &p, err));
	s->scene_ids = p;
	s->n_scene_ids = 0;
	s->scenes_given = true;
	for (i = 0; i <= list.n;) {
		const char *end = i < list.n ? memchr(list.p + i, separator, list.n - i) : NULL;
		struct c4w_view one = { list.p + i, end ? (size_t)(end - (list.p + i)) : list.n - i };
		i += one.n + 1;
		if (separator == '\n')
			one = strip(one);
		if (one.n)
			C4W_TRY(add_scene(s, (uint32_t)count, one, err));
	}
	if (!s->n_scene_ids)
		return c4w_fail(err, C4W_USAGE, "--scenes names none");
	return C4W_OK;
}

/* A file of the user's own, a pipe or standard input ("-") too. */
static int read_user_file(const char *path, uint64_t limit, struct c4w_arena *arena, struct c4w_view *out, struct c4w_err *err)
{
	struct c4w_stream *s;
	int cls = c4w_stream_open(path, &s, err);
	if (cls == C4W_OK) {
		cls = c4w_stream_slurp(s, limit, arena, &out->p, &out->n, err);
		c4w_stream_close(s);
	}
	if (err && cls == C4W_ABSENT)
		err->cls = C4W_IO; /* no part of the root */
	if (err && cls == C4W_LIMIT) {
		c4w_fail(err, C4W_USAGE, "has more than the %llu bytes that are taken", (unsigned long long)limit);
		c4w_err_path(err, path);
	}
	return cls == C4W_ABSENT ? C4W_IO : cls == C4W_LIMIT ? C4W_USAGE : cls;
}

/* ---- recipes ---- */

static bool plain_name(struct c4w_view v, bool slashes)
{
	size_t i;
	if (v.n == 0 || v.n > 128)
		return false;
	for (i = 0; i < v.n; i++) {
		char c = v.p[i];
		bool alnum = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
		if (!alnum && (i == 0 || (c != '_' && c != '.' && c != '-' && !(slashes && c == '/'))))
			return false;
	}
	return true;
}

static int recipe_fault(struct c4w_err *err, const struct c4w_json *doc, uint32_t v, const char *what, const char *expected)
{
	char found[80];
	struct c4w_view raw = v == C4W_JSON_NONE ? C4W_VIEW("nothing") : c4w_json_raw(doc, v);
	c4w_fail(err, C4W_USAGE, "recipe: %s", what);
	c4w_err_values(err, expected, c4w_str_escape(found, sizeof found, raw.p, raw.n));
	return C4W_USAGE;
}

static int recipe_keys(const struct c4w_json *doc, uint32_t obj, const char *const *known, const char *list, struct c4w_err *err)
{
	uint32_t e;
	size_t i;
	for (e = c4w_json_first(doc, obj); e != C4W_JSON_NONE; e = c4w_json_next(doc, obj, c4w_json_next(doc, obj, e))) {
		for (i = 0; known[i]; i++)
			if (c4w_json_string_eq(doc, e, c4w_view_z(known[i])))
				break;
		if (!known[i])
			return recipe_fault(err, doc, e, "an unknown field", list);
	}
	return C4W_OK;
}

/* A member, null taken as absent. */
static uint32_t recipe_get(const struct c4w_json *doc, uint32_t obj, const char *key)
{
	uint32_t v = c4w_json_member(doc, obj, key);
	return v != C4W_JSON_NONE && c4w_json_type(doc, v) == C4W_JSON_NULL ? C4W_JSON_NONE : v;
}

static int recipe_name(struct chw_selection *s, const struct c4w_json *doc, uint32_t v, const char *what, bool revision, struct c4w_view *out,
		       struct c4w_err *err)
{
	const char *expected = revision ? "a branch, tag or commit name" : "a plain name of letters, digits, '_', '.', '-'";
	if (v == C4W_JSON_NONE || c4w_json_type(doc, v) != C4W_JSON_STRING)
		return recipe_fault(err, doc, v, what, expected);
	C4W_TRY(c4w_json_string(doc, v, &s->arena, out, err));
	if (!plain_name(*out, revision) || (revision && memmem(out->p, out->n, "..", 2)))
		return recipe_fault(err, doc, v, what, expected);
	return C4W_OK;
}

static int recipe_list(const struct c4w_json *doc, uint32_t v, const char *what, uint32_t limit, struct c4w_err *err)
{
	char expected[60];
	snprintf(expected, sizeof expected, "a list of 1 to %u entries", limit);
	if (c4w_json_type(doc, v) != C4W_JSON_ARRAY || c4w_json_count(doc, v) == 0)
		return recipe_fault(err, doc, v, what, "a non-empty list");
	if (c4w_json_count(doc, v) > limit)
		return recipe_fault(err, doc, v, what, expected);
	return C4W_OK;
}

static int recipe_numbers(struct chw_selection *s, const struct c4w_json *doc, uint32_t list, const char *what, int64_t **out, uint32_t *n,
			  struct c4w_err *err)
{
	uint32_t e;
	C4W_TRY(recipe_list(doc, list, what, MAX_RECIPE_NUMBERS, err));
	for (e = c4w_json_first(doc, list); e != C4W_JSON_NONE; e = c4w_json_next(doc, list, e)) {
		int64_t v;
		if (!c4w_json_is_integer(doc, e) || c4w_json_i64(doc, e, &v, NULL) != C4W_OK || v < 0 || v > MAX_RECIPE_INT)
			return recipe_fault(err, doc, e, what, "non-negative integers below 2^53");
		C4W_TRY(add_number(s, out, n, v, err));
	}
	return C4W_OK;
}

struct recipe {
	struct c4w_view split, tier;
	struct chw_names profiles;
};

static int parse_recipe(struct chw_selection *s, const struct chw_root *r, const struct c4w_json *doc, struct recipe *out, struct c4w_err *err)
{
	static const char *const top[] = { "format", "format_version", "release", "revision", "selection", NULL };
	static const char *const fields[] = { "tier", "split", "profiles", "scene_ids", "frequencies_hz", "bs_ids", "components", NULL };
	uint32_t v, sel, e;
	int64_t version;
	struct c4w_view text;
	void *p;
	if (c4w_json_type(doc, 0) != C4W_JSON_OBJECT)
		return recipe_fault(err, doc, 0, "not an object", "an object");
	C4W_TRY(recipe_keys(doc, 0, top, "format, format_version, release, revision, selection", err));
	v = c4w_json_member(doc, 0, "format");
	if (v == C4W_JSON_NONE || !c4w_json_string_eq(doc, v, C4W_VIEW("channels4world.selection")))
		return recipe_fault(err, doc, v, "format", "\"channels4world.selection\"");
	v = c4w_json_member(doc, 0, "format_version");
	if (v == C4W_JSON_NONE || !c4w_json_is_integer(doc, v) || c4w_json_i64(doc, v, &version, NULL) != C4W_OK)
		return recipe_fault(err, doc, v, "format_version", "1");
	if (version > 1) {
		c4w_fail(err, C4W_UNSUPPORTED, "recipe: format_version %" PRId64 " is not supported; a newer c4w is needed", version);
		return C4W_UNSUPPORTED;
	}
	if (version != 1)
		return recipe_fault(err, doc, v, "format_version", "1");
	v = recipe_get(doc, 0, "release");
	C4W_TRY(recipe_name(s, doc, v, "release", false, &text, err));
	if (r && !c4w_view_eqz(text, r->release)) {
		recipe_fault(err, doc, v, "it is for another release than the root's", r->release);
		return C4W_USAGE;
	}
	v = recipe_get(doc, 0, "revision");
	if (v != C4W_JSON_NONE) {
		C4W_TRY(recipe_name(s, doc, v, "revision", true, &text, err));
		if (!(s->revision = keep(s, text)))
			return c4w_fail_memory(err, text.n);
	}
	sel = c4w_json_member(doc, 0, "selection");
	if (sel == C4W_JSON_NONE || c4w_json_type(doc, sel) != C4W_JSON_OBJECT)
		return recipe_fault(err, doc, sel, "selection", "an object");
	C4W_TRY(recipe_keys(doc, sel, fields, "tier, split, profiles, scene_ids, frequencies_hz, bs_ids, components", err));
	if ((v = recipe_get(doc, sel, "tier")) != C4W_JSON_NONE)
		C4W_TRY(recipe_name(s, doc, v, "tier", false, &out->tier, err));
	if ((v = recipe_get(doc, sel, "split")) != C4W_JSON_NONE)
		C4W_TRY(recipe_name(s, doc, v, "split", false, &out->split, err));
	if ((v = recipe_get(doc, sel, "profiles")) != C4W_JSON_NONE) {
		C4W_TRY(recipe_list(doc, v, "profiles", MAX_RECIPE_PROFILES, err));
		for (e = c4w_json_first(doc, v); e != C4W_JSON_NONE; e = c4w_json_next(doc, v, e)) {
			C4W_TRY(recipe_name(s, doc, e, "profiles", false, &text, err));
			C4W_TRY(add_name(s, &out->profiles, text, err));
		}
	}
	if ((v = recipe_get(doc, sel, "scene_ids")) != C4W_JSON_NONE) {
		C4W_TRY(recipe_list(doc, v, "scene_ids", MAX_RECIPE_SCENES, err));
		C4W_TRY(c4w_arena_take(&s->arena, c4w_json_count(doc, v) * sizeof *s->scene_ids, &p, err));
		s->scene_ids = p;
		s->scenes_given = true;
		for (e = c4w_json_first(doc, v); e != C4W_JSON_NONE; e = c4w_json_next(doc, v, e)) {
			C4W_TRY(recipe_name(s, doc, e, "scene_ids", false, &text, err));
			C4W_TRY(add_scene(s, UINT32_MAX, text, err));
		}
	}
	if ((v = recipe_get(doc, sel, "frequencies_hz")) != C4W_JSON_NONE) {
		s->hz_given = true;
		C4W_TRY(recipe_numbers(s, doc, v, "frequencies_hz", &s->hz, &s->n_hz, err));
	}
	if ((v = recipe_get(doc, sel, "bs_ids")) != C4W_JSON_NONE) {
		s->bs_given = true;
		C4W_TRY(recipe_numbers(s, doc, v, "bs_ids", &s->bs, &s->n_bs, err));
	}
	v = recipe_get(doc, sel, "components");
	if (v == C4W_JSON_NONE)
		return recipe_fault(err, doc, v, "components is required", "[\"core\", \"positions\"], for one");
	C4W_TRY(recipe_list(doc, v, "components", CHW_COMPONENTS, err));
	memset(s->component, 0, sizeof s->component);
	for (e = c4w_json_first(doc, v); e != C4W_JSON_NONE; e = c4w_json_next(doc, v, e)) {
		enum chw_component c;
		C4W_TRY(recipe_name(s, doc, e, "components", false, &text, err));
		if ((c = chw_component_of(text)) == CHW_NO_COMPONENT)
			return recipe_fault(err, doc, e, "an unknown component", "core, detail, positions or geometry");
		s->component[c] = true;
	}
	if (s->component[CHW_DETAIL])
		s->component[CHW_CORE] = true;
	return C4W_OK;
}

static int load_recipe(struct chw_selection *s, const struct chw_root *r, const char *path, struct recipe *out, struct c4w_err *err)
{
	struct c4w_view body;
	struct c4w_json doc;
	int cls;
	C4W_TRY(read_user_file(path, C4W_LIMIT_RECIPE, &s->arena, &body, err));
	cls = c4w_json_parse(body, C4W_JSON_BOM | C4W_JSON_FINITE, 0, &s->arena, &doc, err);
	if (cls == C4W_DAMAGED) {
		cls = C4W_USAGE; /* what the user gave can't be used: no verdict on the root */
		if (err) {
			err->cls = C4W_USAGE;
			err->rule = NULL;
			c4w_err_prefix(err, "recipe");
		}
	}
	if (cls == C4W_OK)
		cls = parse_recipe(s, r, &doc, out, err);
	if (cls != C4W_OK)
		c4w_err_path(err, path);
	return cls;
}

/* ---- compiling ---- */

/* Names against the root; then the scenes, in pinned order. */
static int choose(struct chw_selection *s, const struct chw_root *r, const struct recipe *names, struct c4w_err *err)
{
	uint32_t i, k, tier = 0;
	uint8_t *wanted = NULL;
	void *p;
	if (names->split.p) {
		if (!has_name(&r->splits, names->split))
			return usage(err, "split", names->split, &r->splits);
		s->split = keep(s, names->split);
	}
	if (names->tier.p) {
		for (tier = 0; tier < r->tiers.n && !c4w_view_eqz(names->tier, r->tiers.v[tier]); tier++)
			;
		if (tier == r->tiers.n)
			return usage(err, "tier", names->tier, &r->tiers);
		s->tier = keep(s, names->tier);
	}
	for (i = 0; i < names->profiles.n; i++)
		if (!has_name(&r->profiles, c4w_view_z(names->profiles.v[i])))
			return usage(err, "profile", c4w_view_z(names->profiles.v[i]), &r->profiles);
	s->profiles = names->profiles;
	for (i = 0; i < s->n_hz; i++) {
		for (k = 0; k < r->n_frequencies && r->frequencies[k] != s->hz[i]; k++)
			;
		if (k == r->n_frequencies) {
			char list[200] = "";
			size_t used = 0;
			for (k = 0; k < r->n_frequencies && used + 30 < sizeof list; k++)
				used += (size_t)snprintf(list + used, sizeof list - used, "%s%" PRId64, k ? ", " : "", r->frequencies[k]);
			return c4w_fail(err, C4W_USAGE, "no frequency %" PRId64 " Hz here; there is %s", s->hz[i], used ? list : "none");
		}
	}
	C4W_TRY(c4w_arena_zero(&s->arena, r->n_scenes + 1, 1, &p, err));
	wanted = p;
	for (i = 0, k = 0; i < s->n_scene_ids; i++) {
		uint32_t at = chw_find_scene(r, c4w_view_z(s->scene_ids[i]));
		if (at == CHW_NONE) {
			char shown[100];
			return c4w_fail(err, C4W_USAGE, "no scene '%s' here; c4w ls lists the %u there are",
					c4w_str_escape(shown, sizeof shown, s->scene_ids[i], strlen(s->scene_ids[i])), r->n_scenes);
		}
		if (!wanted[at])
			s->scene_ids[k++] = s->scene_ids[i];
		wanted[at] = 1;
	}
	s->n_scene_ids = k;
	C4W_TRY(c4w_arena_take(&s->arena, (size_t)r->n_scenes * sizeof *s->scenes, &p, err));
	s->scenes = p;
	for (i = 0; i < r->n_scenes; i++) {
		const struct chw_scene *scene = &r->scenes[r->order[i]];
		if ((s->split && strcmp(r->splits.v[scene->split], s->split) != 0) || (s->tier && scene->tier > tier) ||
		    (s->profiles.n && !has_name(&s->profiles, c4w_view_z(r->profiles.v[scene->profile]))) ||
		    (s->scenes_given && !wanted[r->order[i]]))
			continue;
		s->scenes[s->n_scenes++] = r->order[i];
	}
	return C4W_OK;
}

static int compile(struct chw_selection *s, const struct chw_root *r, const struct c4w_selargs *args, struct c4w_err *err)
{
	struct recipe names = { { NULL, 0 }, { NULL, 0 }, { NULL, 0, 0 } };
	const char *recipe = NULL, *other = NULL;
	size_t i;
	s->component[CHW_CORE] = s->component[CHW_POSITIONS] = s->component[CHW_GEOMETRY] = true;
	for (i = 0; i < args->n; i++) {
		const char *name = args->v[i].name, *value = args->v[i].value;
		int64_t number;
		if (strcmp(name, "recipe") == 0) {
			recipe = value;
			continue;
		}
		other = name;
		if (strcmp(name, "split") == 0) {
			names.split = c4w_view_z(value);
		} else if (strcmp(name, "tier") == 0) {
			names.tier = c4w_view_z(value);
		} else if (strcmp(name, "profile") == 0) {
			C4W_TRY(add_name(s, &names.profiles, c4w_view_z(value), err));
		} else if (strcmp(name, "scenes") == 0) {
			struct c4w_view list = c4w_view_z(value);
			if (value[0] == '@')
				C4W_TRY(read_user_file(value + 1, 64 * C4W_MIB, &s->arena, &list, err));
			C4W_TRY(set_scenes(s, list, value[0] == '@' ? '\n' : ',', err));
		} else if (strcmp(name, "components") == 0) {
			C4W_TRY(set_components(s, c4w_view_z(value), err));
		} else if (strcmp(name, "frequency") == 0 || strcmp(name, "bs") == 0) {
			bool hz = name[0] == 'f';
			if (!parse_number(value, &number))
				return c4w_fail(err, C4W_USAGE, "--%s takes an integer, not '%s'", name, value);
			*(hz ? &s->hz_given : &s->bs_given) = true;
			C4W_TRY(add_number(s, hz ? &s->hz : &s->bs, hz ? &s->n_hz : &s->n_bs, number, err));
		} else {
			return c4w_fail(err, C4W_USAGE, "--%s is no option for a Channels4World root", name);
		}
	}
	if (recipe && other)
		return c4w_fail(err, C4W_USAGE, "--recipe replaces the other selection options; remove --%s", other);
	if (recipe)
		C4W_TRY(load_recipe(s, r, recipe, &names, err));
	return choose(s, r, &names, err);
}

int chw_compile(void *root, const struct c4w_selargs *args, void **selection, struct c4w_err *err)
{
	struct chw_selection *s = calloc(1, sizeof *s);
	int cls;
	*selection = NULL;
	if (!s)
		return c4w_fail_memory(err, sizeof *s);
	cls = compile(s, root, args, err);
	if (cls != C4W_OK) {
		chw_selection_free(s);
		return cls;
	}
	*selection = s;
	return C4W_OK;
}

void chw_selection_free(void *selection)
{
	struct chw_selection *s = selection;
	if (s)
		c4w_arena_clear(&s->arena);
	free(s);
}
