/* Options as data. See option.h. */
#include "model/option.h"

#include "base/str.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

size_t c4w_options_count(const struct c4w_option *table)
{
	size_t n = 0;
	if (table)
		while (table[n].name)
			n++;
	return n;
}

const struct c4w_option *c4w_options_find(const struct c4w_option *table, const char *name)
{
	if (table)
		for (; table->name; table++)
			if (strcmp(table->name, name) == 0)
				return table;
	return NULL;
}

bool c4w_option_takes_argument(const struct c4w_option *o)
{
	return o->kind != C4W_OPT_FLAG && o->kind != C4W_OPT_COUNT;
}

bool c4w_parse_int(const char *text, int64_t *out)
{
	char *end;
	long long v;
	const char *digits = text[0] == '-' ? text + 1 : text;
	if (digits[0] < '0' || digits[0] > '9')
		return false;
	errno = 0;
	v = strtoll(text, &end, 10);
	if (errno || *end)
		return false;
	*out = v;
	return true;
}

bool c4w_parse_size(const char *text, uint64_t *out)
{
	static const char units[] = "KMGT";
	char *end;
	const char *unit;
	unsigned shift = 0;
	double v;
	if (text[0] < '0' || text[0] > '9' || strspn(text, "0123456789.") == 0)
		return false;
	errno = 0;
	/* strtod would take hexadecimal and exponents: "1e3" is refused below, as a unit that is none. */
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return false;
	if (text[strspn(text, "0123456789.")] == 'e' || text[strspn(text, "0123456789.")] == 'E')
		return false;
	v = strtod(text, &end);
	if (errno)
		return false;
	if (*end && *end != 'B') {
		char up = *end >= 'a' && *end <= 'z' ? (char)(*end - 32) : *end;
		unit = strchr(units, up);
		if (!unit)
			return false;
		shift = 10U * (unsigned)(unit - units + 1);
		end++;
		if (*end == 'i')
			end++;
	}
	if (*end == 'B')
		end++;
	if (*end)
		return false;
	if (memchr(text, '.', strlen(text)) == NULL) {
		unsigned long long whole = strtoull(text, NULL, 10);
		if (errno || (shift && whole >> (64 - shift)))
			return false;
		*out = (uint64_t)whole << shift;
		return true;
	}
	v = ldexp(v, (int)shift);
	if (!(v < 18446744073709551616.0))
		return false;
	*out = (uint64_t)v;
	return true;
}

static int bad_value(const struct c4w_option *o, const char *value, const char *wants, struct c4w_err *err)
{
	char shown[128];
	return c4w_fail(err, C4W_USAGE, "option --%s: '%s' is not %s", o->name,
			c4w_str_escape(shown, sizeof shown, value, strlen(value)), wants);
}

static int store_enum(const struct c4w_option *o, int *out, const char *value, struct c4w_err *err)
{
	char wants[200] = "one of ";
	const char *nearest = NULL;
	size_t best = SIZE_MAX, used = strlen(wants), i;
	for (i = 0; o->values[i]; i++)
		if (strcmp(value, o->values[i]) == 0) {
			*out = (int)i;
			return C4W_OK;
		}
	for (i = 0; o->values[i]; i++) {
		size_t d = c4w_str_distance(value, o->values[i]);
		if (d < best) {
			best = d;
			nearest = o->values[i];
		}
		if (used < sizeof wants)
			used += (size_t)snprintf(wants + used, sizeof wants - used, "%s%s", i ? ", " : "", o->values[i]);
	}
	bad_value(o, value, wants, err);
	if (nearest && best <= 2)
		c4w_err_hint(err, "did you mean '%s'?", nearest);
	return C4W_USAGE;
}

/* Room for one more of `size` bytes at the end of a vector of n; capacity is the next power of two. */
static int grow(void **v, size_t n, size_t size, struct c4w_arena *arena, struct c4w_err *err)
{
	void *more;
	if (n == 0 || (n & (n - 1)) == 0) {
		C4W_TRY(c4w_arena_take(arena, (n ? 2 * n : 1) * size, &more, err));
		if (n)
			memcpy(more, *v, n * size);
		*v = more;
	}
	return C4W_OK;
}

static int parse_ranged(const struct c4w_option *o, const char *value, int64_t *out, struct c4w_err *err)
{
	char wants[100];
	if (!c4w_parse_int(value, out))
		return bad_value(o, value, "a whole number", err);
	if (o->max > o->min && (*out < o->min || *out > o->max)) {
		if (o->max == INT64_MAX)
			snprintf(wants, sizeof wants, "at least %lld", (long long)o->min);
		else
			snprintf(wants, sizeof wants, "within %lld to %lld", (long long)o->min, (long long)o->max);
		return bad_value(o, value, wants, err);
	}
	return C4W_OK;
}

int c4w_option_store(const struct c4w_option *o, void *base, const char *value, struct c4w_arena *arena, struct c4w_err *err)
{
	void *at = (char *)base + o->offset;
	struct c4w_strings *strings;
	struct c4w_ints *ints;
	int64_t number;
	double real;
	void *v;
	char *end;
	switch (o->kind) {
	case C4W_OPT_FLAG:
		*(bool *)at = true;
		return C4W_OK;
	case C4W_OPT_COUNT:
		++*(int *)at;
		return C4W_OK;
	case C4W_OPT_INT:
		return parse_ranged(o, value, at, err);
	case C4W_OPT_SIZE:
		if (!c4w_parse_size(value, at))
			return bad_value(o, value, "a size such as 4096, 64K, 100M or 2G", err);
		return C4W_OK;
	case C4W_OPT_REAL:
		errno = 0;
		real = strtod(value, &end);
		if (end == value || *end || errno || !isfinite(real) || value[0] == ' ')
			return bad_value(o, value, "a number", err);
		*(double *)at = real;
		return C4W_OK;
	case C4W_OPT_ENUM:
		return store_enum(o, at, value, err);
	case C4W_OPT_STRING:
	case C4W_OPT_PATH:
		*(const char **)at = value;
		return C4W_OK;
	case C4W_OPT_LIST:
		strings = at;
		v = (void *)strings->v;
		C4W_TRY(grow(&v, strings->n, sizeof *strings->v, arena, err));
		strings->v = v;
		strings->v[strings->n++] = value;
		return C4W_OK;
	case C4W_OPT_INTS:
		ints = at;
		C4W_TRY(parse_ranged(o, value, &number, err));
		v = ints->v;
		C4W_TRY(grow(&v, ints->n, sizeof *ints->v, arena, err));
		ints->v = v;
		ints->v[ints->n++] = number;
		return C4W_OK;
	}
	return c4w_fail(err, C4W_USAGE, "option --%s has no kind", o->name);
}

int c4w_options_defaults(const struct c4w_option *table, void *base, struct c4w_arena *arena, struct c4w_err *err)
{
	if (table)
		for (; table->name; table++)
			if (table->def)
				C4W_TRY(c4w_option_store(table, base, table->def, arena, err));
	return C4W_OK;
}
