/* Thrift's compact protocol, reading (thrift-compact-protocol.md). A list or string of N needs at least N bytes in what is left, so a
 * forged count never leads to an allocation (known bug 22). */
#include "containers/pq_impl.h"

#include "base/limits.h"

#include <stdarg.h>

void pq_cur_init(struct pq_cur *c, const uint8_t *p, size_t n, uint64_t base, struct c4w_err *err)
{
	*c = (struct pq_cur){ .p = p, .start = p, .end = p + n, .base = base, .err = err };
}

void pq_bad(struct pq_cur *c, const char *rule, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	if (c->bad)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	c->bad = true;
	c->cls = c4w_damaged(c->err, rule, (int64_t)(c->base + (uint64_t)(c->p - c->start)), "%s", text);
	c->p = c->end;
}

static void too_short(struct pq_cur *c, const char *what)
{
	if (!c->bad)
		c->is_short = true;
	pq_bad(c, "parquet.thrift", "%s goes beyond the end of its structure", what);
}

static uint8_t byte(struct pq_cur *c)
{
	if (c->p >= c->end) {
		too_short(c, "a field");
		return 0;
	}
	return *c->p++;
}

static uint64_t varint(struct pq_cur *c)
{
	uint64_t v = 0;
	unsigned shift;

	for (shift = 0; shift < 64; shift += 7) {
		uint8_t b = byte(c);

		v |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return v;
	}
	pq_bad(c, "parquet.thrift", "a number has more than 64 bits");
	return 0;
}

int64_t pq_varint_zz(struct pq_cur *c)
{
	uint64_t v = varint(c);

	return (int64_t)(v >> 1 ^ (~(v & 1) + 1));
}

bool pq_list_bool(struct pq_cur *c)
{
	return byte(c) == PQ_W_TRUE;
}

bool pq_struct_begin(struct pq_cur *c)
{
	if (c->bad)
		return false;
	if (c->depth >= C4W_LIMIT_THRIFT_DEPTH) {
		c->bad = true;
		c->cls = c4w_fail(c->err, C4W_LIMIT, "Thrift structures nest deeper than %d", C4W_LIMIT_THRIFT_DEPTH);
		c->p = c->end;
		return false;
	}
	c->depth++;
	return true;
}

bool pq_field_next(struct pq_cur *c, struct pq_field *f)
{
	uint8_t b = byte(c);
	int64_t id;

	if (c->bad || b == PQ_W_STOP) {
		if (c->depth)
			c->depth--;
		return false;
	}
	f->wire = b & 15;
	if (b >> 4)
		id = f->id + (b >> 4);
	else
		id = pq_varint_zz(c);
	if (id < INT16_MIN || id > INT16_MAX || f->wire == PQ_W_STOP || f->wire > PQ_W_UUID)
		pq_bad(c, "parquet.thrift", "field %lld of type %d is not possible", (long long)id, f->wire);
	f->id = (int16_t)id;
	return !c->bad;
}

uint32_t pq_list(struct pq_cur *c, uint8_t *wire)
{
	uint8_t b = byte(c);
	uint64_t n = b >> 4;

	if (n == 15)
		n = varint(c);
	*wire = b & 15;
	if (n > (uint64_t)(c->end - c->p)) {
		pq_bad(c, "parquet.thrift", "a list claims %llu elements, but %zu bytes are left", (unsigned long long)n,
		       (size_t)(c->end - c->p));
		c->is_short = true; /* in a page header that isn't whole yet */
	}
	return c->bad ? 0 : (uint32_t)n;
}

int64_t pq_int(struct pq_cur *c, const struct pq_field *f)
{
	switch (f->wire) {
	case PQ_W_BYTE:
		return (int8_t)byte(c);
	case PQ_W_I16:
	case PQ_W_I32:
	case PQ_W_I64:
		return pq_varint_zz(c);
	default:
		pq_bad(c, "parquet.thrift", "field %d has type %d, expected an integer", f->id, f->wire);
		return 0;
	}
}

int32_t pq_int32(struct pq_cur *c, const struct pq_field *f)
{
	int64_t v = pq_int(c, f);

	if (v < INT32_MIN || v > INT32_MAX) {
		pq_bad(c, "parquet.thrift", "field %d is %lld, which does not fit 32 bits", f->id, (long long)v);
		return 0;
	}
	return (int32_t)v;
}

bool pq_bool(struct pq_cur *c, const struct pq_field *f)
{
	if (f->wire != PQ_W_TRUE && f->wire != PQ_W_FALSE)
		pq_bad(c, "parquet.thrift", "field %d has type %d, expected a boolean", f->id, f->wire);
	return f->wire == PQ_W_TRUE;
}

bool pq_want(struct pq_cur *c, const struct pq_field *f, uint8_t wire)
{
	if (f->wire != wire)
		pq_bad(c, "parquet.thrift", "field %d has type %d, expected %d", f->id, f->wire, wire);
	return !c->bad;
}

struct c4w_view pq_bytes(struct pq_cur *c)
{
	uint64_t n = varint(c);
	struct c4w_view v = { "", 0 };

	if (c->bad)
		return v;
	if (n > (uint64_t)(c->end - c->p)) {
		pq_bad(c, "parquet.thrift", "a string claims %llu bytes, but %zu are left", (unsigned long long)n, (size_t)(c->end - c->p));
		c->is_short = true;
		return v;
	}
	v.p = (const char *)c->p;
	v.n = (size_t)n;
	c->p += n;
	return v;
}

struct c4w_view pq_binary(struct pq_cur *c, const struct pq_field *f)
{
	if (!pq_want(c, f, PQ_W_BINARY))
		return (struct c4w_view){ "", 0 };
	return pq_bytes(c);
}

static void skip_bytes(struct pq_cur *c, size_t n)
{
	if (n > (size_t)(c->end - c->p))
		too_short(c, "a value");
	else
		c->p += n;
}

/* In lists and maps booleans take a byte each; as fields they are in the type. */
static void skip_element(struct pq_cur *c, uint8_t wire)
{
	if (wire == PQ_W_TRUE || wire == PQ_W_FALSE)
		skip_bytes(c, 1);
	else
		pq_skip(c, wire);
}

void pq_skip(struct pq_cur *c, uint8_t wire)
{
	struct pq_field f = { 0, 0 };
	uint64_t n;
	uint8_t w, kinds;

	if (c->bad)
		return;
	switch (wire) {
	case PQ_W_TRUE:
	case PQ_W_FALSE:
		break;
	case PQ_W_BYTE:
		skip_bytes(c, 1);
		break;
	case PQ_W_I16:
	case PQ_W_I32:
	case PQ_W_I64:
		varint(c);
		break;
	case PQ_W_DOUBLE:
		skip_bytes(c, 8);
		break;
	case PQ_W_UUID:
		skip_bytes(c, 16);
		break;
	case PQ_W_BINARY:
		pq_bytes(c);
		break;
	case PQ_W_LIST:
	case PQ_W_SET:
		if (!pq_struct_begin(c))
			return;
		for (n = pq_list(c, &w); n > 0 && !c->bad; n--)
			skip_element(c, w);
		c->depth--;
		break;
	case PQ_W_MAP:
		if (!pq_struct_begin(c))
			return;
		n = varint(c);
		if (n > (uint64_t)(c->end - c->p))
			too_short(c, "a map");
		kinds = n && !c->bad ? byte(c) : 0;
		for (; n > 0 && !c->bad; n--) {
			skip_element(c, kinds >> 4);
			skip_element(c, kinds & 15);
		}
		c->depth--;
		break;
	case PQ_W_STRUCT:
		if (!pq_struct_begin(c))
			return;
		while (pq_field_next(c, &f))
			pq_skip(c, f.wire);
		break;
	default:
		pq_bad(c, "parquet.thrift", "type %d is not possible", wire);
	}
}
