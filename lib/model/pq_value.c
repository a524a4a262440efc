/* One leaf value as text, by its logical type. */
#include "model/pq_rows.h"
#include "model/pq_text.h"

#include "base/checked.h"
#include "base/numbers.h"

#include <math.h>
#include <string.h>

static void put_int(struct c4w_buf *out, int64_t v)
{
	char t[C4W_NUMBER_TEXT];

	c4w_buf_put(out, t, c4w_format_i64(v, t));
}

static void put_special(struct c4w_buf *out, double v)
{
	c4w_buf_puts(out, isnan(v) ? "\"NaN\"" : v > 0 ? "\"Infinity\"" : "\"-Infinity\"");
}

static void put_double(struct c4w_buf *out, double v)
{
	char t[C4W_NUMBER_TEXT];

	if (!isfinite(v))
		put_special(out, v);
	else
		c4w_buf_put(out, t, c4w_format_double(v, t));
}

static void put_float(struct c4w_buf *out, float v)
{
	char t[C4W_NUMBER_TEXT];

	if (!isfinite(v))
		put_special(out, (double)v);
	else
		c4w_buf_put(out, t, c4w_format_float(v, t));
}

static float half_to_float(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16, e = h >> 10 & 31, m = h & 0x3ff, bits;
	float f;

	if (e == 0) /* zero and subnormal: m * 2^-24 is exact */
		f = (float)m * 0x1p-24F;
	else {
		bits = (e == 31 ? 0x7f800000U : (e + 112) << 23) | m << 13;
		memcpy(&f, &bits, 4);
	}
	memcpy(&bits, &f, 4);
	bits |= sign;
	memcpy(&f, &bits, 4);
	return f;
}

static void put_hex(struct c4w_buf *out, const uint8_t *p, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	size_t i;

	c4w_buf_putc(out, '"');
	if (n <= SIZE_MAX / 2 && c4w_buf_reserve(out, 2 * n)) {
		char *to = out->p + out->n;

		for (i = 0; i < n; i++) {
			*to++ = digits[p[i] >> 4];
			*to++ = digits[p[i] & 15];
		}
		out->n += 2 * n;
		out->p[out->n] = 0;
	}
	c4w_buf_putc(out, '"');
}

/* Days since 1970 in the proleptic Gregorian calendar, all of int64 that matters; counts by eras of 400 years from March 1st of year 0. */
static void put_date(struct c4w_buf *out, int64_t days)
{
	int64_t z = days + 719468, era = (z >= 0 ? z : z - 146096) / 146097, doe = z - era * 146097;
	int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365, doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	int64_t mp = (5 * doy + 2) / 153, d = doy - (153 * mp + 2) / 5 + 1, m = mp < 10 ? mp + 3 : mp - 9, y = yoe + era * 400 + (m <= 2);
	char t[8] = { '-', (char)('0' + m / 10), (char)('0' + m % 10), '-', (char)('0' + d / 10), (char)('0' + d % 10), 0, 0 };

	if (y < 0)
		c4w_buf_printf(out, "-%04lld", (long long)-y);
	else
		c4w_buf_printf(out, "%04lld", (long long)y);
	c4w_buf_put(out, t, 6);
}

/* A time of day in units of 10^-digits seconds; the fraction without trailing zeros. */
static void put_time(struct c4w_buf *out, uint64_t v, unsigned digits)
{
	uint64_t scale = digits == 3 ? 1000 : digits == 6 ? 1000000 : 1000000000, s = v / scale, f = v % scale;
	char t[16];
	unsigned i;

	c4w_buf_printf(out, "%02u:%02u:%02u", (unsigned)(s / 3600), (unsigned)(s / 60 % 60), (unsigned)(s % 60));
	if (f == 0)
		return;
	for (i = digits; i > 0; i--) {
		t[i] = (char)('0' + f % 10);
		f /= 10;
	}
	t[0] = '.';
	for (i = digits; t[i] == '0'; i--)
		;
	c4w_buf_put(out, t, i + 1);
}

static unsigned unit_digits(enum c4w_pq_unit u)
{
	return u == C4W_PQ_MILLIS ? 3 : u == C4W_PQ_MICROS ? 6 : 9;
}

static void put_timestamp(struct c4w_buf *out, int64_t v, enum c4w_pq_unit unit, bool utc)
{
	unsigned digits = unit_digits(unit);
	int64_t day = 86400 * (digits == 3 ? 1000LL : digits == 6 ? 1000000LL : 1000000000LL), days = v / day, rest = v % day;

	if (rest < 0) {
		rest += day;
		days--;
	}
	put_date(out, days);
	c4w_buf_putc(out, 'T');
	put_time(out, (uint64_t)rest, digits);
	if (utc)
		c4w_buf_putc(out, 'Z');
}

/* INT96: nanoseconds of the day, then the Julian day; a timestamp of old writers, without a zone. */
static void put_int96(struct c4w_buf *out, const uint8_t *p)
{
	uint64_t nanos = c4w_le64(p), day = 86400000000000ULL;
	int64_t days = (int64_t)(int32_t)c4w_le32(p + 8) - 2440588 + (int64_t)(nanos / day);

	c4w_buf_putc(out, '"');
	put_date(out, days);
	c4w_buf_putc(out, 'T');
	put_time(out, nanos % day, 9);
	c4w_buf_putc(out, '"');
}

/* Digits with a decimal point `scale` places from the right. */
static void put_scaled(struct c4w_buf *out, const char *digits, size_t n, bool negative, int32_t scale)
{
	size_t s = scale > 0 ? (size_t)scale : 0;

	c4w_buf_putc(out, '"');
	if (negative)
		c4w_buf_putc(out, '-');
	if (s == 0) {
		c4w_buf_put(out, digits, n);
	} else if (n > s) {
		c4w_buf_put(out, digits, n - s);
		c4w_buf_putc(out, '.');
		c4w_buf_put(out, digits + (n - s), s);
	} else {
		size_t i;

		c4w_buf_puts(out, "0.");
		for (i = n; i < s; i++)
			c4w_buf_putc(out, '0');
		c4w_buf_put(out, digits, n);
	}
	c4w_buf_putc(out, '"');
}

enum { DECIMAL_BYTES = 128 };

/* Two's complement, big-endian, up to 128 bytes (decimal256 has 32); longer ones are shown as bytes. */
static void put_decimal(struct c4w_buf *out, const uint8_t *p, size_t n, int32_t scale)
{
	uint32_t words[DECIMAL_BYTES / 4 + 1] = { 0 };
	char digits[DECIMAL_BYTES * 5 / 2 + 12];
	size_t nw = (n + 3) / 4, i, at = sizeof digits;
	bool negative = n > 0 && (p[0] & 0x80), carry = negative;

	if (n > DECIMAL_BYTES) {
		put_hex(out, p, n);
		return;
	}
	/* magnitude, least significant word first */
	for (i = 0; i < nw * 4; i++) {
		uint8_t b = i < n ? p[n - 1 - i] : negative ? 0xff : 0;

		if (negative) {
			b = (uint8_t)(~b + carry);
			carry = carry && b == 0;
		}
		words[i / 4] |= (uint32_t)b << (8 * (i % 4));
	}
	if (carry && nw)
		words[nw++] = 1; /* -2^(8n) does not occur; kept for completeness of the negation */
	while (nw > 0) {
		uint64_t rest = 0;
		unsigned k;

		for (i = nw; i-- > 0;) {
			rest = rest << 32 | words[i];
			words[i] = (uint32_t)(rest / 1000000000U);
			rest %= 1000000000U;
		}
		while (nw > 0 && words[nw - 1] == 0)
			nw--;
		for (k = 0; k < 9 && (nw > 0 || rest > 0); k++) {
			digits[--at] = (char)('0' + rest % 10);
			rest /= 10;
		}
	}
	if (at == sizeof digits)
		digits[--at] = '0';
	put_scaled(out, digits + at, sizeof digits - at, negative, scale);
}

static void put_decimal_int(struct c4w_buf *out, int64_t v, int32_t scale)
{
	char t[C4W_NUMBER_TEXT];
	size_t n = c4w_format_u64(v < 0 ? 0 - (uint64_t)v : (uint64_t)v, t);

	put_scaled(out, t, n, v < 0, scale);
}

static void put_integer(struct c4w_buf *out, const struct c4w_pq_node *n, int64_t v)
{
	char t[C4W_NUMBER_TEXT];

	switch (n->logical) {
	case C4W_PQ_L_INTEGER:
		if (n->is_signed)
			put_int(out, v);
		else
			c4w_buf_put(out, t, c4w_format_u64(n->type == C4W_PQ_INT32 ? (uint32_t)v : (uint64_t)v, t));
		break;
	case C4W_PQ_L_DECIMAL:
		put_decimal_int(out, v, n->scale);
		break;
	case C4W_PQ_L_DATE:
		c4w_buf_putc(out, '"');
		put_date(out, v);
		c4w_buf_putc(out, '"');
		break;
	case C4W_PQ_L_TIME:
		if (v < 0) { /* not a time of day */
			put_int(out, v);
			break;
		}
		c4w_buf_putc(out, '"');
		put_time(out, (uint64_t)v, unit_digits(n->unit));
		c4w_buf_putc(out, '"');
		break;
	case C4W_PQ_L_TIMESTAMP:
		c4w_buf_putc(out, '"');
		put_timestamp(out, v, n->unit, n->utc);
		c4w_buf_putc(out, '"');
		break;
	default:
		put_int(out, v);
	}
}

static void put_bytes(struct c4w_buf *out, const struct c4w_pq_node *leaf, const uint8_t *p, size_t n)
{
	switch (leaf->logical) {
	case C4W_PQ_L_STRING:
	case C4W_PQ_L_JSON:
		c4w_buf_json(out, (const char *)p, n);
		break;
	case C4W_PQ_L_DECIMAL:
		put_decimal(out, p, n, leaf->scale);
		break;
	case C4W_PQ_L_FLOAT16:
		put_float(out, half_to_float(c4w_le16(p)));
		break;
	default:
		put_hex(out, p, n);
	}
}

static double load_double(const uint8_t *p)
{
	double v;

	memcpy(&v, p, 8);
	return v;
}

static float load_float(const uint8_t *p)
{
	float v;

	memcpy(&v, p, 4);
	return v;
}

void c4w_pq_value_json(struct c4w_buf *out, const struct c4w_pq_node *leaf, const void *bytes, size_t n)
{
	static const uint8_t width[] = { 1, 4, 8, 12, 4, 8, 0, 0 };
	const uint8_t *p = bytes;

	if (n < width[leaf->type] || (leaf->logical == C4W_PQ_L_FLOAT16 && n < 2)) {
		put_hex(out, p, n);
		return;
	}
	switch (leaf->type) {
	case C4W_PQ_BOOLEAN:
		c4w_buf_puts(out, p[0] ? "true" : "false");
		break;
	case C4W_PQ_INT32:
		put_integer(out, leaf, (int32_t)c4w_le32(p));
		break;
	case C4W_PQ_INT64:
		put_integer(out, leaf, (int64_t)c4w_le64(p));
		break;
	case C4W_PQ_INT96:
		put_int96(out, p);
		break;
	case C4W_PQ_FLOAT:
		put_float(out, load_float(p));
		break;
	case C4W_PQ_DOUBLE:
		put_double(out, load_double(p));
		break;
	default:
		put_bytes(out, leaf, p, n);
	}
}

void c4w_pq_slot_json(struct c4w_buf *out, const struct c4w_pq_node *leaf, const struct c4w_batch *b, size_t i)
{
	const struct c4w_batch *v = b;
	const uint8_t *p;
	size_t n;

	if (!c4w_batch_valid(b, i) || leaf->logical == C4W_PQ_L_NULL) {
		c4w_buf_put(out, "null", 4);
		return;
	}
	if (b->phys == C4W_PHYS_BYTES || b->phys == C4W_PHYS_FIXED) {
		p = c4w_batch_bytes(b, i, &n);
		c4w_pq_value_json(out, leaf, p, n);
		return;
	}
	if (b->indices) {
		i = b->indices[i];
		v = b->dict;
	}
	c4w_pq_value_json(out, leaf, (const uint8_t *)v->values + i * v->width, v->width);
}
