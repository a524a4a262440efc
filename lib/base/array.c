/* Arrays: measuring, describing, copying into C order. See array.h. */
#include "base/array.h"

#include "base/buf.h"
#include "base/checked.h"

#include <inttypes.h>
#include <string.h>

static const char *const unit_names[] = { "generic", "Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as" };

bool c4w_dtype_is(const struct c4w_dtype *d, char kind, uint64_t size)
{
	return d->kind == kind && d->size == size;
}

static bool field_eq(const struct c4w_field *a, const struct c4w_field *b)
{
	return c4w_view_eq(a->name, b->name) && a->offset == b->offset && a->rank == b->rank &&
	       (a->rank == 0 || memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0) &&
	       c4w_dtype_eq(&a->dtype, &b->dtype);
}

bool c4w_dtype_eq(const struct c4w_dtype *a, const struct c4w_dtype *b)
{
	size_t i;
	if (a->kind != b->kind || a->order != b->order || a->size != b->size || a->unit != b->unit ||
	    a->units != b->units || a->field_count != b->field_count)
		return false;
	for (i = 0; i < a->field_count; i++)
		if (!field_eq(&a->fields[i], &b->fields[i]))
			return false;
	return true;
}

/* ---- text ---- */

/* Does repr() write this code point as an escape? Python asks the Unicode database (categories Cc, Cf, Cs, Co, Cn, Zl, Zp, Zs but the blank);
 * these are the ones that names are made of in practice. */
static bool needs_escape(uint32_t c)
{
	return c < 0x20 || (c >= 0x7F && c <= 0xA0) || c == 0xAD || (c >= 0x0600 && c <= 0x0605) || c == 0x061C || c == 0x06DD ||
	       c == 0x1680 || (c >= 0x2000 && c <= 0x200F) || (c >= 0x2028 && c <= 0x202F) || (c >= 0x205F && c <= 0x206F) ||
	       c == 0x3000 || (c >= 0xD800 && c <= 0xF8FF) || c == 0xFEFF || (c >= 0xFFF0 && c <= 0xFFFB) ||
	       (c & 0xFFFE) == 0xFFFE || c >= 0xE0000;
}

void c4w_repr_put(struct c4w_buf *b, struct c4w_view text)
{
	bool single = text.n && memchr(text.p, '\'', text.n), dbl = text.n && memchr(text.p, '"', text.n);
	char quote = single && !dbl ? '"' : '\'';
	size_t i, step;
	c4w_buf_putc(b, quote);
	for (i = 0; i < text.n; i += step) {
		uint32_t c;
		step = c4w_utf8_decode(text.p + i, text.n - i, &c);
		if (step == 0) {
			step = 1;
			c4w_buf_printf(b, "\\x%02x", (unsigned char)text.p[i]);
		} else if (c == (uint32_t)quote || c == '\\') {
			c4w_buf_printf(b, "\\%c", (int)c);
		} else if (c == '\n' || c == '\r' || c == '\t') {
			c4w_buf_printf(b, "\\%c", c == '\n' ? 'n' : c == '\r' ? 'r' : 't');
		} else if (needs_escape(c)) {
			c4w_buf_printf(b, c < 0x100 ? "\\x%02" PRIx32 : c < 0x10000 ? "\\u%04" PRIx32 : "\\U%08" PRIx32, c);
		} else {
			c4w_buf_put(b, text.p + i, step);
		}
	}
	c4w_buf_putc(b, quote);
}

void c4w_shape_put(struct c4w_buf *b, unsigned rank, const uint64_t *shape)
{
	unsigned i;
	c4w_buf_putc(b, '(');
	for (i = 0; i < rank; i++)
		c4w_buf_printf(b, i ? ", %" PRIu64 : "%" PRIu64, shape[i]);
	c4w_buf_puts(b, rank == 1 ? ",)" : ")");
}

static void put_padding(struct c4w_buf *b, const char *separator, uint64_t n)
{
	c4w_buf_printf(b, "%s('', '|V%" PRIu64 "')", separator, n);
}

static void put_struct(struct c4w_buf *b, const struct c4w_dtype *d)
{
	const char *separator = "";
	uint64_t at = 0;
	size_t i;
	c4w_buf_putc(b, '[');
	for (i = 0; i < d->field_count; i++) {
		const struct c4w_field *f = &d->fields[i];
		if (f->offset > at) {
			put_padding(b, separator, f->offset - at);
			separator = ", ";
		}
		c4w_buf_printf(b, "%s(", separator);
		separator = ", ";
		if (f->title.p) {
			c4w_buf_putc(b, '(');
			c4w_repr_put(b, f->title);
			c4w_buf_puts(b, ", ");
			c4w_repr_put(b, f->name);
			c4w_buf_putc(b, ')');
		} else {
			c4w_repr_put(b, f->name);
		}
		c4w_buf_puts(b, ", ");
		c4w_dtype_put(b, &f->dtype);
		if (f->rank) {
			c4w_buf_puts(b, ", ");
			c4w_shape_put(b, f->rank, f->shape);
		}
		c4w_buf_putc(b, ')');
		at = f->offset + f->count * f->dtype.size;
	}
	if (d->size > at)
		put_padding(b, separator, d->size - at);
	c4w_buf_putc(b, ']');
}

void c4w_dtype_put(struct c4w_buf *b, const struct c4w_dtype *d)
{
	if (d->kind == C4W_STRUCT) {
		put_struct(b, d);
		return;
	}
	c4w_buf_printf(b, "'%c%c%" PRIu64, d->order, d->kind, d->kind == C4W_UNICODE ? d->size / 4 : d->size);
	if ((d->kind == C4W_DATETIME || d->kind == C4W_TIMEDELTA) && d->unit != C4W_UNIT_GENERIC) {
		c4w_buf_putc(b, '[');
		if (d->units != 1)
			c4w_buf_printf(b, "%" PRIu32, d->units);
		c4w_buf_printf(b, "%s]", unit_names[d->unit]);
	}
	c4w_buf_putc(b, '\'');
}

static char *cut_into(struct c4w_buf *b, char *out, size_t size)
{
	const char *p = b->p ? b->p : "";
	size_t n = b->n;
	/* a plain type without its quotes */
	if (n >= 2 && p[0] == '\'') {
		p++;
		n -= 2;
	}
	if (n < size) {
		memcpy(out, p, n);
		out[n] = 0;
	} else if (size >= 4) {
		memcpy(out, p, size - 4);
		memcpy(out + size - 4, "...", 4);
	} else if (size) {
		out[0] = 0;
	}
	c4w_buf_clear(b);
	return out;
}

char *c4w_dtype_text(const struct c4w_dtype *d, char *out, size_t size)
{
	struct c4w_buf b = { 0 };
	c4w_dtype_put(&b, d);
	return cut_into(&b, out, size);
}

char *c4w_shape_text(unsigned rank, const uint64_t *shape, char *out, size_t size)
{
	struct c4w_buf b = { 0 };
	c4w_shape_put(&b, rank, shape);
	return cut_into(&b, out, size);
}

/* ---- sizes ---- */

bool c4w_array_both_orders(const struct c4w_array *a)
{
	unsigned i, longer = 0;
	for (i = 0; i < a->rank; i++) {
		if (a->shape[i] == 0)
			return true;
		longer += a->shape[i] > 1;
	}
	return longer <= 1;
}

int c4w_array_measure(struct c4w_array *a, struct c4w_err *err)
{
	uint64_t product = 1, bytes;
	bool zero = false, fits = true;
	unsigned i;
	for (i = 0; i < a->rank; i++) {
		if (a->shape[i] == 0)
			zero = true;
		else
			fits = fits && c4w_mul_u64(product, a->shape[i], &product) && product <= INT64_MAX;
	}
	if (!fits || !c4w_mul_u64(product, a->dtype.size ? a->dtype.size : 1, &bytes) || bytes > INT64_MAX) {
		char shape[128];
		return c4w_damaged(err, "array.size", -1, "an array of shape %s is too large for any memory",
				   c4w_shape_text(a->rank, a->shape, shape, sizeof shape));
	}
	a->count = zero ? 0 : product;
	a->size = a->count * a->dtype.size;
	return C4W_OK;
}

/* ---- copying ---- */

static void swap_units(uint8_t *p, size_t unit, size_t count)
{
	size_t i, k;
	switch (unit) {
	case 2:
		for (i = 0; i < count; i++, p += 2) {
			uint16_t v;
			memcpy(&v, p, 2);
			v = __builtin_bswap16(v);
			memcpy(p, &v, 2);
		}
		break;
	case 4:
		for (i = 0; i < count; i++, p += 4) {
			uint32_t v;
			memcpy(&v, p, 4);
			v = __builtin_bswap32(v);
			memcpy(p, &v, 4);
		}
		break;
	case 8:
		for (i = 0; i < count; i++, p += 8) {
			uint64_t v;
			memcpy(&v, p, 8);
			v = __builtin_bswap64(v);
			memcpy(p, &v, 8);
		}
		break;
	default:
		for (i = 0; i < count; i++, p += unit)
			for (k = 0; k < unit / 2; k++) {
				uint8_t t = p[k];
				p[k] = p[unit - 1 - k];
				p[unit - 1 - k] = t;
			}
	}
}

/* `count` elements back to back, from big-endian to little-endian where the type says so. */
static void to_little(const struct c4w_dtype *d, uint8_t *p, size_t count)
{
	size_t i, k;
	if (d->kind == C4W_STRUCT) {
		for (i = 0; i < count; i++)
			for (k = 0; k < d->field_count; k++) {
				const struct c4w_field *f = &d->fields[k];
				to_little(&f->dtype, p + i * d->size + f->offset, f->count);
			}
	} else if (d->order == '>') {
		if (d->kind == C4W_COMPLEX)
			swap_units(p, d->size / 2, 2 * count);
		else if (d->kind == C4W_UNICODE)
			swap_units(p, 4, d->size / 4 * count);
		else
			swap_units(p, d->size, count);
	}
}

static void copy_strided(uint8_t *out, const uint8_t *in, size_t element, size_t stride, size_t n)
{
	size_t i;
	switch (element) {
	case 1:
		for (i = 0; i < n; i++)
			out[i] = in[i * stride];
		break;
	case 4:
		for (i = 0; i < n; i++)
			memcpy(out + 4 * i, in + i * stride, 4);
		break;
	case 8:
		for (i = 0; i < n; i++)
			memcpy(out + 8 * i, in + i * stride, 8);
		break;
	default:
		for (i = 0; i < n; i++)
			memcpy(out + element * i, in + i * stride, element);
	}
}

void c4w_array_to_c_order(const struct c4w_array *a, bool little_endian, uint8_t *out)
{
	size_t stride[C4W_ARRAY_RANK_MAX], index[C4W_ARRAY_RANK_MAX] = { 0 }, step = a->dtype.size, at = 0, run, k;
	uint8_t *o = out;
	if (a->size == 0)
		return;
	if (!a->fortran || c4w_array_both_orders(a)) {
		memcpy(out, a->bytes, a->size);
	} else {
		for (k = 0; k < a->rank; k++) {
			stride[k] = step;
			step *= a->shape[k];
		}
		run = a->shape[a->rank - 1];
		for (;;) {
			copy_strided(o, a->bytes + at, a->dtype.size, stride[a->rank - 1], run);
			o += run * a->dtype.size;
			for (k = a->rank - 1; k-- > 0;) {
				at += stride[k];
				if (++index[k] < a->shape[k])
					break;
				at -= stride[k] * a->shape[k];
				index[k] = 0;
			}
			if (k == SIZE_MAX)
				break;
		}
	}
	if (little_endian)
		to_little(&a->dtype, out, a->count);
}
