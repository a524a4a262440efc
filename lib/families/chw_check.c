/* The rules over a record's arrays (section 5, full), and the digests of a record.
 *
 * Each rule first asks "is anything wrong?" in a loop without branches, which the compiler vectorises; only when something is does a
 * second, slow walk find the first place and the count.
 */
#include "families/chw.h"

#include "base/numbers.h"
#include "base/sha256.h"

#include <inttypes.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

enum { CORE_UE, CORE_OFFSETS, CORE_RANK, CORE_RE, CORE_IM, CORE_TAU, CORE_THETA_T, CORE_PHI_T, CORE_THETA_R, CORE_PHI_R, CORE_COUNT, CORE_FLAGS };
enum { DETAIL_OFFSETS, DETAIL_RANK, DETAIL_TYPE, DETAIL_VERTEX };

enum { TOP_K = 16, FLAG_MASK = 278 }; /* release policy; 2 + 4 + 16 + 256 */

/* The intervals' ends rounded to float32, inclusive: float32(-1e-6), float32(pi + 1e-6), float32(-pi - 1e-6). */
static const float THETA_LO = (float)-1e-6, THETA_HI = (float)(3.141592653589793 + 1e-6), PHI_LO = (float)(-3.141592653589793 - 1e-6),
		   PHI_HI = (float)(3.141592653589793 + 1e-6);

static void add(struct c4w_findings *fs, const struct chw_record *rec, const char *rule, const char *message, const char *expected,
		const char *found, uint64_t count, uint64_t total)
{
	struct c4w_finding f = { C4W_SEV_ERROR, C4W_STATE_FAILED, chw_component_names[rec->row->component], rule, NULL, -1, message,
				 expected, found, count, total };
	c4w_findings_add(fs, &f);
}

static uint32_t bits_of(const float *p, size_t i)
{
	uint32_t u;
	memcpy(&u, p + i, 4);
	return u;
}

static bool any_not_finite(const float *p, size_t n)
{
	uint32_t bad = 0;
	size_t i;
	for (i = 0; i < n; i++)
		bad |= (uint32_t)((bits_of(p, i) & 0x7F800000U) == 0x7F800000U);
	return bad != 0;
}

static bool is_finite_bits(uint32_t u)
{
	return (u & 0x7F800000U) != 0x7F800000U;
}

static void check_finite(const struct chw_record *rec, unsigned field, const float *p, size_t n, const char *rule, struct c4w_findings *fs)
{
	unsigned nf;
	const struct chw_field *f = &chw_fields(rec->row->component, &nf)[field];
	size_t i, first = n;
	uint64_t count = 0;
	char text[C4W_NUMBER_TEXT], message[120];
	if (!any_not_finite(p, n))
		return;
	for (i = 0; i < n; i++)
		if (!is_finite_bits(bits_of(p, i)) && count++ == 0)
			first = i;
	c4w_format_float(p[first], text);
	if (f->vec3)
		snprintf(message, sizeof message, "%s[%zu, %zu] is %s", f->name, first / 3, first % 3, text);
	else
		snprintf(message, sizeof message, "%s[%zu] is %s", f->name, first, text);
	add(fs, rec, rule, message, "a finite number", NULL, count, n);
}

static bool any_outside(const float *p, size_t n, float lo, float hi)
{
	unsigned bad = 0;
	size_t i;
	for (i = 0; i < n; i++)
		bad |= (unsigned)(p[i] < lo) | (unsigned)(p[i] > hi);
	return bad != 0;
}

/* Finite values outside [lo, hi]; what isn't finite has its own rule. */
static void check_range(const struct chw_record *rec, unsigned field, size_t n, float lo, float hi, const char *rule, const char *expected,
			struct c4w_findings *fs)
{
	const float *p = (const float *)(const void *)rec->field[field];
	size_t i, first = 0;
	uint64_t count = 0;
	char text[C4W_NUMBER_TEXT], message[120];
	if (!p || !any_outside(p, n, lo, hi))
		return;
	for (i = 0; i < n; i++)
		if (is_finite_bits(bits_of(p, i)) && (p[i] < lo || p[i] > hi) && count++ == 0)
			first = i;
	if (!count)
		return;
	c4w_format_float(p[first], text);
	snprintf(message, sizeof message, "%s[%zu] is %s", chw_core_fields[field].name, first, text);
	add(fs, rec, rule, message, expected, NULL, count, n);
}

/* Offsets that start at 0, never decrease and end at `end`. Returns whether they can be used. */
static bool check_offsets(const struct chw_record *rec, unsigned field, size_t n, int64_t end, const char *const rules[3],
			  struct c4w_findings *fs)
{
	unsigned nf;
	const char *name = chw_fields(rec->row->component, &nf)[field].name;
	const int64_t *p = (const int64_t *)(const void *)rec->field[field];
	int64_t bad = 0;
	size_t i, first = 0;
	uint64_t count = 0;
	char message[120], expected[40];
	bool fine = true;
	if (p[0] != 0) {
		snprintf(message, sizeof message, "%s[0] is %" PRId64, name, p[0]);
		add(fs, rec, rules[0], message, "0", NULL, 1, 0);
		fine = false;
	}
	for (i = 1; i < n; i++)
		bad |= (int64_t)(p[i] < p[i - 1]);
	if (bad) {
		for (i = 1; i < n; i++)
			if (p[i] < p[i - 1] && count++ == 0)
				first = i;
		snprintf(message, sizeof message, "%s[%zu] is %" PRId64, name, first, p[first]);
		snprintf(expected, sizeof expected, "at least %" PRId64, p[first - 1]);
		add(fs, rec, rules[1], message, expected, NULL, count, n);
		fine = false;
	}
	if (p[n - 1] != end) {
		snprintf(message, sizeof message, "%s[%zu] is %" PRId64, name, n - 1, p[n - 1]);
		snprintf(expected, sizeof expected, "%" PRId64, end);
		add(fs, rec, rules[2], message, expected, NULL, 1, 0);
		fine = false;
	}
	return fine;
}

/* Ranks that strictly increase within each span of the offsets (which are sound). Counting the drops of the whole field and taking away those
 * at a span's start needs no branch in the long loop. */
static void check_ranks(const struct chw_record *rec, unsigned field, const int64_t *off, size_t spans, size_t n, const char *rule,
			const char *what, struct c4w_findings *fs)
{
	unsigned nf;
	const char *name = chw_fields(rec->row->component, &nf)[field].name;
	const uint8_t *p = rec->field[field];
	uint64_t drops = 0, at_starts = 0, count = 0;
	size_t i, s, first = 0;
	char message[120], expected[60];
	for (i = 1; i < n; i++)
		drops += (uint64_t)(p[i] <= p[i - 1]);
	for (s = 0; s < spans; s++) {
		size_t at = (size_t)off[s];
		if (at > 0 && at < n && off[s + 1] > off[s])
			at_starts += (uint64_t)(p[at] <= p[at - 1]);
	}
	if (drops == at_starts)
		return;
	for (s = 0; s < spans; s++)
		for (i = (size_t)off[s] + 1; i < (size_t)off[s + 1]; i++)
			if (p[i] <= p[i - 1] && count++ == 0)
				first = i;
	snprintf(message, sizeof message, "%s[%zu] is %u", name, first, p[first]);
	snprintf(expected, sizeof expected, "more than %u, the rank before it in its %s", p[first - 1], what);
	add(fs, rec, rule, message, expected, NULL, count, n);
}

static void check_ues(const struct chw_record *rec, size_t n, struct c4w_findings *fs)
{
	const int32_t *p = (const int32_t *)(const void *)rec->field[CORE_UE];
	int64_t ues = rec->row->pin.ues;
	size_t i, first = 0;
	uint64_t count = 0;
	unsigned bad = 0;
	char message[120], expected[60];
	for (i = 1; i < n; i++)
		bad |= (unsigned)(p[i] <= p[i - 1]);
	if (bad) {
		for (i = 1; i < n; i++)
			if (p[i] <= p[i - 1] && count++ == 0)
				first = i;
		snprintf(message, sizeof message, "link_ue_index[%zu] is %d", first, p[first]);
		snprintf(expected, sizeof expected, "more than %d, the one before it", p[first - 1]);
		add(fs, rec, "core.ue-order", message, expected, NULL, count, n);
	}
	for (i = 0, count = 0; i < n; i++)
		if ((p[i] < 0 || p[i] >= ues) && count++ == 0)
			first = i;
	if (count) {
		snprintf(message, sizeof message, "link_ue_index[%zu] is %d", first, p[first]);
		snprintf(expected, sizeof expected, "within 0 and %" PRId64, ues - 1);
		add(fs, rec, "core.ue-range", message, expected, NULL, count, n);
	}
}

static void check_flags(const struct chw_record *rec, size_t n, struct c4w_findings *fs)
{
	const uint16_t *flags = (const uint16_t *)(const void *)rec->field[CORE_FLAGS];
	const uint8_t *counts = rec->field[CORE_COUNT];
	unsigned bits = 0, bad = 0;
	size_t i, first = 0;
	uint64_t count = 0;
	char message[120];
	for (i = 0; i < n; i++)
		bits |= flags[i];
	if (bits & ~(unsigned)FLAG_MASK) {
		for (i = 0; i < n; i++)
			if ((flags[i] & ~(unsigned)FLAG_MASK) && count++ == 0)
				first = i;
		snprintf(message, sizeof message, "interaction_flags[%zu] is %u", first, flags[first]);
		add(fs, rec, "core.flags-bits", message, "only bits 2, 4, 16 and 256", NULL, count, n);
	}
	for (i = 0; i < n; i++)
		bad |= (unsigned)((counts[i] == 0) != (flags[i] == 0));
	if (bad) {
		for (i = 0, count = 0; i < n; i++)
			if ((counts[i] == 0) != (flags[i] == 0) && count++ == 0)
				first = i;
		snprintf(message, sizeof message, "path %zu has interaction_count %u and interaction_flags %u", first, counts[first], flags[first]);
		add(fs, rec, "core.count-flags", message, "both 0 or neither", NULL, count, n);
	}
}

/* The release's own rules: no retained link without a path, at most 16 paths a link, every rank below 16. */
static void check_policy(const struct chw_record *rec, const int64_t *off, size_t links, size_t paths, struct c4w_findings *fs)
{
	const uint8_t *rank = rec->field[CORE_RANK];
	uint64_t empty = 0, many = 0, high = 0;
	size_t i, first_empty = 0, first_many = 0, first_high = 0;
	unsigned top = 0;
	char message[120];
	for (i = 0; i < links; i++) {
		int64_t n = off[i + 1] - off[i];
		if (n == 0 && empty++ == 0)
			first_empty = i;
		if (n > TOP_K && many++ == 0)
			first_many = i;
	}
	if (empty) {
		snprintf(message, sizeof message, "link %zu has no path", first_empty);
		add(fs, rec, "core.empty-link", message, "at least one", NULL, empty, links);
	}
	if (many) {
		snprintf(message, sizeof message, "link %zu has %" PRId64 " paths", first_many, off[first_many + 1] - off[first_many]);
		add(fs, rec, "core.path-limit", message, "at most 16", NULL, many, links);
	}
	for (i = 0; i < paths; i++)
		top = rank[i] > top ? rank[i] : top;
	if (top >= TOP_K) {
		size_t link, p;
		/* More than 16 paths can't all have ranks below 16: of such a link the number of paths says it all. */
		for (link = 0; link < links; link++)
			for (p = (size_t)off[link]; off[link + 1] - off[link] <= TOP_K && p < (size_t)off[link + 1]; p++)
				if (rank[p] >= TOP_K && high++ == 0)
					first_high = p;
	}
	if (high) {
		snprintf(message, sizeof message, "path_rank[%zu] is %u", first_high, rank[first_high]);
		add(fs, rec, "core.rank-limit", message, "below 16", NULL, high, paths);
	}
}

static void check_core(const struct chw_record *rec, struct c4w_findings *fs)
{
	static const char *const offset_rules[3] = { "core.offsets-start", "core.offsets-order", "core.offsets-end" };
	static const unsigned floats[] = { CORE_RE, CORE_IM, CORE_TAU, CORE_THETA_T, CORE_PHI_T, CORE_THETA_R, CORE_PHI_R };
	const struct chw_row *row = rec->row;
	size_t links = (size_t)row->dims.links, paths = (size_t)row->dims.paths, i;
	const int64_t *off = (const int64_t *)(const void *)rec->field[CORE_OFFSETS];
	char message[120], expected[60];
	for (i = 0; i < sizeof floats / sizeof *floats; i++)
		if (rec->field[floats[i]])
			check_finite(rec, floats[i], (const float *)(const void *)rec->field[floats[i]], paths, "core.not-finite", fs);
	if (row->bs >= row->pin.bs) {
		snprintf(message, sizeof message, "bs_index is %" PRId64, row->bs);
		snprintf(expected, sizeof expected, "below %" PRId64 ", the scene's base stations", row->pin.bs);
		add(fs, rec, "core.bs-range", message, expected, NULL, 1, 0);
	}
	check_ues(rec, links, fs);
	check_range(rec, CORE_TAU, paths, 0.0F, __builtin_inff(), "core.delay-negative", "at least 0", fs);
	check_range(rec, CORE_THETA_T, paths, THETA_LO, THETA_HI, "core.theta-range", "within -1e-06 and pi + 1e-06", fs);
	check_range(rec, CORE_THETA_R, paths, THETA_LO, THETA_HI, "core.theta-range", "within -1e-06 and pi + 1e-06", fs);
	check_range(rec, CORE_PHI_T, paths, PHI_LO, PHI_HI, "core.phi-range", "within -pi - 1e-06 and pi + 1e-06", fs);
	check_range(rec, CORE_PHI_R, paths, PHI_LO, PHI_HI, "core.phi-range", "within -pi - 1e-06 and pi + 1e-06", fs);
	if (rec->field[CORE_COUNT] && rec->field[CORE_FLAGS])
		check_flags(rec, paths, fs);
	if (!check_offsets(rec, CORE_OFFSETS, links + 1, (int64_t)paths, offset_rules, fs))
		return;
	check_ranks(rec, CORE_RANK, off, links, paths, "core.rank-order", "link", fs);
	check_policy(rec, off, links, paths, fs);
}

static void check_detail(const struct chw_record *rec, struct c4w_findings *fs)
{
	static const char *const offset_rules[3] = { "detail.offsets-start", "detail.offsets-order", "detail.offsets-end" };
	size_t paths = (size_t)rec->row->dims.paths, n = (size_t)rec->row->dims.interactions, i, first = 0;
	const int8_t *type = (const int8_t *)rec->field[DETAIL_TYPE];
	unsigned bad = 0;
	uint64_t count = 0;
	char message[120];
	check_finite(rec, DETAIL_VERTEX, (const float *)(const void *)rec->field[DETAIL_VERTEX], n * 3, "detail.not-finite", fs);
	for (i = 0; i < n; i++)
		bad |= (unsigned)((type[i] != 1) & (type[i] != 2) & (type[i] != 4) & (type[i] != 8));
	if (bad) {
		for (i = 0; i < n; i++)
			if (type[i] != 1 && type[i] != 2 && type[i] != 4 && type[i] != 8 && count++ == 0)
				first = i;
		snprintf(message, sizeof message, "interaction_type[%zu] is %d", first, type[first]);
		add(fs, rec, "detail.code", message, "1, 2, 4 or 8", NULL, count, n);
	}
	if (!check_offsets(rec, DETAIL_OFFSETS, paths + 1, (int64_t)n, offset_rules, fs))
		return;
	check_ranks(rec, DETAIL_RANK, (const int64_t *)(const void *)rec->field[DETAIL_OFFSETS], paths, n, "detail.rank-order", "path", fs);
}

void chw_check_arrays(const struct chw_record *rec, struct c4w_findings *fs)
{
	switch (rec->row->component) {
	case CHW_CORE:
		check_core(rec, fs);
		break;
	case CHW_DETAIL:
		check_detail(rec, fs);
		break;
	case CHW_POSITIONS:
		check_finite(rec, 0, (const float *)(const void *)rec->field[0], (size_t)rec->row->dims.bs * 3, "positions.not-finite", fs);
		check_finite(rec, 1, (const float *)(const void *)rec->field[1], (size_t)rec->row->dims.ues * 3, "positions.not-finite", fs);
		break;
	default:
		break;
	}
}

void chw_detail_against_core(const struct chw_record *core, const struct chw_record *detail, struct c4w_findings *fs)
{
	const uint8_t *counts = core->field[CORE_COUNT];
	const uint16_t *flags = (const uint16_t *)(const void *)core->field[CORE_FLAGS];
	const int64_t *off = (const int64_t *)(const void *)detail->field[DETAIL_OFFSETS];
	const int8_t *type = (const int8_t *)detail->field[DETAIL_TYPE];
	size_t paths = (size_t)core->row->dims.paths, n = (size_t)detail->row->dims.interactions, p, first_count = 0, first_flags = 0;
	uint64_t bad_counts = 0, bad_flags = 0;
	unsigned found_flags = 0;
	char message[160], expected[60];
	if (detail->row->dims.paths != core->row->dims.paths) {
		snprintf(message, sizeof message, "the detail is of %" PRId64 " paths", detail->row->dims.paths);
		snprintf(expected, sizeof expected, "%zu, the core's", paths);
		add(fs, detail, "detail.count", message, expected, NULL, 1, 0);
		return;
	}
	for (p = 0; p < paths; p++) {
		unsigned all = 0;
		int64_t i;
		/* Offsets that have a fault of their own are reported there. */
		if (off[p] < 0 || off[p + 1] < off[p] || (uint64_t)off[p + 1] > n)
			return;
		for (i = off[p]; i < off[p + 1]; i++)
			all |= 1U << (type[i] & 15);
		if (off[p + 1] - off[p] != counts[p] && bad_counts++ == 0)
			first_count = p;
		if (all != flags[p] && bad_flags++ == 0) {
			first_flags = p;
			found_flags = all;
		}
	}
	if (bad_counts) {
		snprintf(message, sizeof message, "path %zu has %" PRId64 " interactions", first_count, off[first_count + 1] - off[first_count]);
		snprintf(expected, sizeof expected, "%u, its core's interaction_count", counts[first_count]);
		add(fs, detail, "detail.count", message, expected, NULL, bad_counts, paths);
	}
	if (bad_flags) {
		snprintf(message, sizeof message, "the interaction codes of path %zu give flags %u", first_flags, found_flags);
		snprintf(expected, sizeof expected, "%u, its core's interaction_flags", flags[first_flags]);
		add(fs, detail, "detail.flags", message, expected, NULL, bad_flags, paths);
	}
}

/* The path axis (section 4): a tag, then for each of its three fields length and text of a head, length and bytes. */
struct axis {
	struct c4w_bytes pieces[13];
	uint8_t lengths[3][2][8];
	char heads[3][120];
};

static void put_length(uint8_t out[8], size_t n)
{
	unsigned k;
	for (k = 0; k < 8; k++)
		out[k] = (uint8_t)((uint64_t)n >> 8 * k);
}

static void fill_axis(struct axis *a, const struct chw_row *row, const struct c4w_bytes *arrays)
{
	struct c4w_bytes *p = a->pieces;
	unsigned i;
	*p++ = (struct c4w_bytes){ "path-axis-v1", 13 }; /* with its NUL */
	for (i = 0; i < 3; i++) {
		const struct chw_field *f = &chw_core_fields[i];
		size_t n = (size_t)snprintf(a->heads[i], sizeof a->heads[i], "{\"dtype\":\"%s\",\"field\":\"%s\",\"shape\":[%" PRId64 "]}",
					    f->dtype, f->name, chw_length_of(&row->dims, (enum chw_length)f->length));
		put_length(a->lengths[i][0], n);
		put_length(a->lengths[i][1], arrays[i].n);
		*p++ = (struct c4w_bytes){ a->lengths[i][0], 8 };
		*p++ = (struct c4w_bytes){ a->heads[i], n };
		*p++ = (struct c4w_bytes){ a->lengths[i][1], 8 };
		*p++ = arrays[i];
	}
}

void chw_hash_record(const struct chw_record *rec, bool with_arrays, const void *member, size_t n, struct chw_digests *out)
{
	struct c4w_sha256_msg msgs[CHW_MAX_FIELDS + 2];
	struct c4w_bytes arrays[CHW_MAX_FIELDS], whole = { member, n };
	uint8_t digests[CHW_MAX_FIELDS + 2][32];
	struct axis axis;
	unsigned nf, i, count = 0, at_axis = 0, at_member = 0;
	const struct chw_field *fields = chw_fields(rec->row->component, &nf);
	for (i = 0; with_arrays && i < nf; i++) {
		arrays[i].p = rec->field[i];
		arrays[i].n = (size_t)chw_length_of(&rec->row->dims, (enum chw_length)fields[i].length) * fields[i].size * (fields[i].vec3 ? 3 : 1);
		msgs[count++] = (struct c4w_sha256_msg){ &arrays[i], 1 };
	}
	if (with_arrays && rec->row->component == CHW_CORE) {
		fill_axis(&axis, rec->row, arrays);
		at_axis = count;
		msgs[count++] = (struct c4w_sha256_msg){ axis.pieces, 13 };
	}
	if (member) {
		at_member = count;
		msgs[count++] = (struct c4w_sha256_msg){ &whole, 1 };
	}
	c4w_sha256_many(count, msgs, digests);
	if (with_arrays)
		memcpy(out->arrays, digests, (size_t)nf * 32);
	if (at_axis)
		memcpy(out->axis.b, digests[at_axis], 32);
	if (member)
		memcpy(out->member.b, digests[at_member], 32);
}
