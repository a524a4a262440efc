/* TimeF time arithmetic (formats/timef.md, 6): products in 128 bits, floor and ceiling as written there. And times for people. */
#include "families/timef.h"

static __int128 floor_div(__int128 a, __int128 b)
{
	__int128 q = a / b;

	return q * b != a && (a < 0) != (b < 0) ? q - 1 : q;
}

static bool fits(__int128 v)
{
	return v >= INT64_MIN && v <= INT64_MAX;
}

bool c4w_timef_regular_offset(const struct c4w_timef_series *s, int64_t k, int64_t *out)
{
	__int128 index = (__int128)s->start_index + k, v;

	/* 2^64 * 2^63 still has a sign to spare */
	if (s->den == 0 || index > (__int128)UINT64_MAX || index < -(__int128)UINT64_MAX)
		return false;
	v = floor_div(index * s->num, s->den);
	if (!fits(v))
		return false;
	*out = (int64_t)v;
	return true;
}

bool c4w_timef_regular_offsets(const struct c4w_timef_series *s, int64_t k, size_t n, int64_t *out)
{
	int64_t num, den, last, whole, part;
	uint64_t rest;
	size_t i;

	if (n == 0)
		return true;
	if (!c4w_timef_regular_offset(s, k, &out[0]) || !c4w_timef_regular_offset(s, k + (int64_t)n - 1, &last))
		return false;
	c4w_timef_period(s, &num, &den);
	if (num < 0 || den <= 0) { /* no clock that runs on */
		for (i = 1; i < n; i++)
			if (!c4w_timef_regular_offset(s, k + (int64_t)i, &out[i]))
				return false;
		return true;
	}
	whole = num / den;
	part = num % den;
	rest = (uint64_t)(((__int128)s->start_index + k) * num - (__int128)out[0] * den);
	for (i = 1; i < n; i++) { /* what the divisions leave over is carried on */
		rest += (uint64_t)part;
		out[i] = out[i - 1] + whole + (rest >= (uint64_t)den);
		rest -= rest >= (uint64_t)den ? (uint64_t)den : 0;
	}
	return true;
}

int64_t c4w_timef_regular_step(const struct c4w_timef_series *s, int64_t t)
{
	__int128 v;

	if (s->num == 0)
		return 0;
	v = -floor_div(-((__int128)t * s->den), s->num) - s->start_index;
	return v < 0 ? 0 : v > s->n_values ? s->n_values : (int64_t)v;
}

bool c4w_timef_window(const struct c4w_timef_series *s, int64_t *start, int64_t *end)
{
	if (s->axis == C4W_TF_REGULAR)
		return c4w_timef_regular_offset(s, 0, start) && c4w_timef_regular_offset(s, s->n_values, end);
	if (s->axis != C4W_TF_IRREGULAR || s->last == INT64_MAX)
		return false;
	*start = s->first;
	*end = s->last + 1;
	return true;
}

void c4w_timef_period(const struct c4w_timef_series *s, int64_t *num, int64_t *den)
{
	unsigned __int128 a = s->num < 0 ? -(unsigned __int128)(__int128)s->num : (unsigned __int128)s->num;
	unsigned __int128 b = s->den < 0 ? -(unsigned __int128)(__int128)s->den : (unsigned __int128)s->den, x = a, y = b, t;
	__int128 n;

	while (y != 0) {
		t = x % y;
		x = y;
		y = t;
	}
	if (x == 0)
		x = 1;
	n = (__int128)(a / x);
	if ((s->num < 0) != (s->den < 0))
		n = -n;
	*num = fits(n) ? (int64_t)n : s->num;
	*den = fits((__int128)(b / x)) ? (int64_t)(b / x) : s->den;
}

const char *c4w_timef_axis_fault(const struct c4w_timef_series *s, const char **what)
{
	switch (s->axis) {
	case C4W_TF_REGULAR:
		*what = "a regular axis needs period_numerator_us, period_denominator and start_index";
		if (!s->has_num || !s->has_den || !s->has_start)
			return "axis.regular-missing";
		*what = "the period's denominator is 0";
		if (s->den == 0)
			return "axis.denominator-zero";
		*what = "the period is shorter than a microsecond";
		if ((s->num < 0) != (s->den < 0) || (s->den > 0 ? s->num < s->den : s->num > s->den))
			return "axis.period";
		*what = "start_index is negative";
		if (s->start_index < 0)
			return "axis.start-index";
		break;
	case C4W_TF_IRREGULAR:
		*what = "an irregular axis needs first_time_offset_us and last_time_offset_us";
		if (!s->has_first || !s->has_last)
			return "axis.irregular-missing";
		*what = "the first time offset is negative";
		if (s->first < 0)
			return "axis.first-offset";
		*what = "the last time offset is before the first";
		if (s->last < s->first)
			return "axis.last-offset";
		break;
	case C4W_TF_ORDINAL:
		*what = "an ordinal axis has no columns of another axis";
		if (s->has_num || s->has_den || s->has_start || s->has_first || s->has_last)
			return "axis.ordinal-columns";
		break;
	default:
		*what = "axis_type is none of regular, irregular, ordinal";
		return "axis.type";
	}
	*what = "n_values is null or less than 1";
	if (!s->has_n || s->n_values < 1)
		return "axis.n-values";
	return NULL;
}

size_t c4w_timef_iso(int64_t us, char *buf)
{
	int64_t day = us / INT64_C(86400000000), rest = us % INT64_C(86400000000), era, y, z;
	unsigned doe, yoe, doy, mp, d, m;
	int n;

	if (rest < 0) {
		rest += INT64_C(86400000000);
		day--;
	}
	/* days to a date of the proleptic Gregorian calendar, years counted from March */
	z = day + 719468;
	era = (z >= 0 ? z : z - 146096) / 146097;
	doe = (unsigned)(z - era * 146097);
	yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	y = (int64_t)yoe + era * 400;
	doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	mp = (5 * doy + 2) / 153;
	d = doy - (153 * mp + 2) / 5 + 1;
	m = mp < 10 ? mp + 3 : mp - 9;
	y += m <= 2;
	n = snprintf(buf, 40, y < 0 || y > 9999 ? "%+05lld-%02u-%02uT%02lld:%02lld:%02lld.%06lldZ" : "%04lld-%02u-%02uT%02lld:%02lld:%02lld.%06lldZ",
		     (long long)y, m, d, (long long)(rest / 3600000000), (long long)(rest / 60000000 % 60), (long long)(rest / 1000000 % 60),
		     (long long)(rest % 1000000));
	return n > 0 ? (size_t)n : 0;
}

static char *with_unit(double v, const char *unit, char *buf)
{
	snprintf(buf, 40, v >= 100 ? "%.0f %s" : v >= 10 ? "%.1f %s" : "%.3g %s", v, unit);
	return buf;
}

char *c4w_timef_duration(int64_t us, char *buf)
{
	double s = (double)us / 1e6;
	const char *sign = "";

	if (us < 0) {
		sign = "-";
		s = -s;
	}
	if (s < 1e-3)
		snprintf(buf, 40, "%lld us", (long long)us);
	else if (s < 1)
		with_unit(s * 1e3, "ms", buf);
	else if (s < 120)
		with_unit(s, "s", buf);
	else if (s < 7200)
		snprintf(buf, 40, "%s%lld min %02lld s", sign, (long long)s / 60, (long long)s % 60);
	else if (s < 2 * 86400)
		snprintf(buf, 40, "%s%lld h %02lld min", sign, (long long)s / 3600, (long long)s / 60 % 60);
	else if (s < 730.0 * 86400)
		snprintf(buf, 40, "%s%lld d %02lld h", sign, (long long)(s / 86400), (long long)s / 3600 % 24);
	else
		snprintf(buf, 40, "%s%.1f years", sign, s / 86400 / 365.2425);
	return buf;
}

char *c4w_timef_rate(int64_t num, int64_t den, char *buf)
{
	double hz;

	if (num <= 0 || den <= 0) {
		snprintf(buf, 40, "?");
		return buf;
	}
	hz = (double)den * 1e6 / (double)num;
	if (hz >= 1)
		snprintf(buf, 40, "%.6g Hz", hz);
	else
		snprintf(buf, 40, "every %.6g s", (double)num / (double)den / 1e6);
	return buf;
}
