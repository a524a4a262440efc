/* The order of plain-encoded values (parquet.thrift, ColumnOrder). */
#include "model/pq_order.h"

#include "base/checked.h"

#include <math.h>
#include <string.h>

static double half(const uint8_t *p)
{
	uint16_t h = c4w_le16(p);
	int e = h >> 10 & 31, m = h & 0x3ff;
	double v = e == 0 ? ldexp(m, -24) : e == 31 ? (m ? (double)NAN : (double)INFINITY) : ldexp(m + 1024, e - 25);

	return h & 0x8000 ? -v : v;
}

/* Two's complement, big-endian, of any two lengths. */
static int compare_decimal(const uint8_t *a, size_t na, const uint8_t *b, size_t nb)
{
	size_t n = na > nb ? na : nb, i;
	uint8_t fill_a = na && (a[0] & 0x80) ? 0xff : 0, fill_b = nb && (b[0] & 0x80) ? 0xff : 0;

	if (fill_a != fill_b)
		return fill_a ? -1 : 1;
	for (i = n; i > 0; i--) {
		uint8_t x = i <= na ? a[na - i] : fill_a, y = i <= nb ? b[nb - i] : fill_b;

		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

static int compare_bytes(const uint8_t *a, size_t na, const uint8_t *b, size_t nb)
{
	int c = memcmp(a, b, na < nb ? na : nb);

	return c ? c : na < nb ? -1 : na > nb;
}

int c4w_pq_compare(const struct c4w_pq_node *leaf, const uint8_t *a, size_t na, const uint8_t *b, size_t nb)
{
	bool is_unsigned = leaf->logical == C4W_PQ_L_INTEGER && !leaf->is_signed;
	double x, y;
	float f;

	switch (leaf->type) {
	case C4W_PQ_BOOLEAN:
		return (a[0] != 0) - (b[0] != 0);
	case C4W_PQ_INT32:
		if (is_unsigned)
			return c4w_le32(a) < c4w_le32(b) ? -1 : c4w_le32(a) > c4w_le32(b);
		return (int32_t)c4w_le32(a) < (int32_t)c4w_le32(b) ? -1 : (int32_t)c4w_le32(a) > (int32_t)c4w_le32(b);
	case C4W_PQ_INT64:
		if (is_unsigned)
			return c4w_le64(a) < c4w_le64(b) ? -1 : c4w_le64(a) > c4w_le64(b);
		return (int64_t)c4w_le64(a) < (int64_t)c4w_le64(b) ? -1 : (int64_t)c4w_le64(a) > (int64_t)c4w_le64(b);
	case C4W_PQ_FLOAT:
		memcpy(&f, a, 4);
		x = (double)f;
		memcpy(&f, b, 4);
		y = (double)f;
		break;
	case C4W_PQ_DOUBLE:
		memcpy(&x, a, 8);
		memcpy(&y, b, 8);
		break;
	default:
		if (leaf->logical == C4W_PQ_L_DECIMAL)
			return compare_decimal(a, na, b, nb);
		if (leaf->logical != C4W_PQ_L_FLOAT16)
			return compare_bytes(a, na, b, nb);
		x = half(a);
		y = half(b);
	}
	return isnan(x) || isnan(y) ? 2 : x < y ? -1 : x > y;
}
