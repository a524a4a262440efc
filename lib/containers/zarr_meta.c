/* zarr.json: what the reader supports is taken apart, all else is named and refused. See zarr.h. */
#include "base/checked.h"
#include "base/limits.h"
#include "base/numbers.h"
#include "containers/json.h"
#include "containers/zarr_impl.h"

#include <math.h>

static const struct {
	const char *name;
	size_t item;
} types[] = {
	[C4W_ZARR_BOOL] = { "bool", 1 },       [C4W_ZARR_INT8] = { "int8", 1 },       [C4W_ZARR_INT16] = { "int16", 2 },
	[C4W_ZARR_INT32] = { "int32", 4 },     [C4W_ZARR_INT64] = { "int64", 8 },     [C4W_ZARR_UINT8] = { "uint8", 1 },
	[C4W_ZARR_UINT16] = { "uint16", 2 },   [C4W_ZARR_UINT32] = { "uint32", 4 },   [C4W_ZARR_UINT64] = { "uint64", 8 },
	[C4W_ZARR_FLOAT32] = { "float32", 4 }, [C4W_ZARR_FLOAT64] = { "float64", 8 }, [C4W_ZARR_STRING] = { "string", 0 },
};

const char *c4w_zarr_type_name(enum c4w_zarr_type t)
{
	return types[t].name;
}

struct parse {
	struct c4w_json doc;
	struct c4w_arena *arena;
	struct c4w_zarr_meta *m;
	struct c4w_err *err;
};

static int unsupported(struct parse *p, const char *what, uint32_t v)
{
	struct c4w_view raw = v == C4W_JSON_NONE ? C4W_VIEW("absent") : c4w_json_raw(&p->doc, v);
	char text[128];

	c4w_str_escape(text, sizeof text, raw.p, raw.n);
	return c4w_fail(p->err, C4W_UNSUPPORTED, "unsupported Zarr feature: %s %s", what, text);
}

static int bad(struct parse *p, const char *rule, uint32_t v, const char *what)
{
	return c4w_damaged(p->err, rule, v == C4W_JSON_NONE ? -1 : (int64_t)c4w_json_offset(&p->doc, v), "%s", what);
}

static bool is(struct parse *p, uint32_t v, const char *z)
{
	return v != C4W_JSON_NONE && c4w_json_string_eq(&p->doc, v, c4w_view_z(z));
}

static uint32_t member(struct parse *p, uint32_t v, const char *key)
{
	return c4w_json_member(&p->doc, v, key);
}

static bool is_object(struct parse *p, uint32_t v)
{
	return v != C4W_JSON_NONE && c4w_json_type(&p->doc, v) == C4W_JSON_OBJECT;
}

static bool is_array(struct parse *p, uint32_t v)
{
	return v != C4W_JSON_NONE && c4w_json_type(&p->doc, v) == C4W_JSON_ARRAY;
}

static bool is_empty(struct parse *p, uint32_t v)
{
	return v == C4W_JSON_NONE || c4w_json_type(&p->doc, v) == C4W_JSON_NULL || c4w_json_count(&p->doc, v) == 0;
}

/* A list of `*n` numbers (n is 0: any number up to the limit) into out. */
static int numbers(struct parse *p, uint32_t v, const char *rule, uint64_t *out, unsigned *n)
{
	unsigned i = 0;
	uint32_t e;

	if (!is_array(p, v))
		return bad(p, rule, v, "a list of integers is missing");
	if (c4w_json_count(&p->doc, v) > C4W_ZARR_RANK)
		return unsupported(p, "an array of more than 16 axes:", v);
	for (e = c4w_json_first(&p->doc, v); e != C4W_JSON_NONE; e = c4w_json_next(&p->doc, v, e)) {
		struct c4w_err ignored;

		if (c4w_json_type(&p->doc, e) != C4W_JSON_NUMBER || c4w_json_u64(&p->doc, e, &out[i++], &ignored) != C4W_OK)
			return bad(p, rule, e, "an integer from 0 on is expected");
	}
	if (*n && i != *n)
		return bad(p, rule, v, "the chunks' shape has another rank than the array's");
	*n = i;
	return C4W_OK;
}

static int chunk_shape(struct parse *p, uint32_t v, uint64_t *out)
{
	unsigned n = p->m->rank, i;

	C4W_TRY(numbers(p, v, "zarr.chunk-shape", out, &n));
	for (i = 0; i < n; i++)
		if (out[i] == 0)
			return bad(p, "zarr.chunk-shape", v, "a chunk has no extent along an axis");
	return C4W_OK;
}

/* Only what is known may be configured. */
static int known_keys(struct parse *p, uint32_t config, const char *const *known)
{
	uint32_t e, v;
	const char *const *k;

	for (e = is_object(p, config) ? c4w_json_first(&p->doc, config) : C4W_JSON_NONE; e != C4W_JSON_NONE; e = c4w_json_next(&p->doc, config, v)) {
		v = c4w_json_next(&p->doc, config, e);
		for (k = known; *k && !is(p, e, *k); k++)
			;
		if (!*k)
			return unsupported(p, "the configuration's key", e);
	}
	return C4W_OK;
}

/* A codec is an object, or just its name where nothing has to be configured. */
static int codec_name(struct parse *p, uint32_t v, struct c4w_view *name, uint32_t *config)
{
	uint32_t n;

	*config = C4W_JSON_NONE;
	if (c4w_json_type(&p->doc, v) == C4W_JSON_STRING)
		return c4w_json_string(&p->doc, v, p->arena, name, p->err);
	n = member(p, v, "name");
	if (n == C4W_JSON_NONE || c4w_json_type(&p->doc, n) != C4W_JSON_STRING)
		return bad(p, "zarr.codecs", v, "a codec has no name");
	*config = member(p, v, "configuration");
	if (*config != C4W_JSON_NONE && !is_object(p, *config))
		return bad(p, "zarr.codecs", *config, "a codec's configuration is no object");
	return c4w_json_string(&p->doc, n, p->arena, name, p->err);
}

static int delta(struct parse *p, uint32_t v, uint32_t config)
{
	static const char short_kinds[] = { 'b', 'i', 'i', 'i', 'i', 'u', 'u', 'u', 'u', 'f', 'f', 0 };
	uint32_t dtype = member(p, config, "dtype"), astype = member(p, config, "astype");
	static const char *const known[] = { "dtype", "astype", NULL };
	char letters[8];

	C4W_TRY(known_keys(p, config, known));
	snprintf(letters, sizeof letters, "%c%c%zu", p->m->item == 1 ? '|' : '<', short_kinds[p->m->type], p->m->item);
	if (p->m->type == C4W_ZARR_STRING || p->m->type == C4W_ZARR_BOOL || p->m->type == C4W_ZARR_FLOAT32 || p->m->type == C4W_ZARR_FLOAT64)
		return unsupported(p, "numcodecs.delta of this data type:", v);
	if (!is(p, dtype, types[p->m->type].name) && !is(p, dtype, letters))
		return unsupported(p, "numcodecs.delta with another type than the array's:", v);
	if (astype != C4W_JSON_NONE && c4w_json_type(&p->doc, astype) != C4W_JSON_NULL && !is(p, astype, types[p->m->type].name) &&
	    !is(p, astype, letters))
		return unsupported(p, "numcodecs.delta stored as another type:", v);
	p->m->delta = true;
	return C4W_OK;
}

static int transpose(struct parse *p, uint32_t v, uint32_t config)
{
	static const char *const known[] = { "order", NULL };
	uint64_t order[C4W_ZARR_RANK];
	unsigned n = p->m->rank, i;

	C4W_TRY(known_keys(p, config, known));
	C4W_TRY(numbers(p, member(p, config, "order"), "zarr.codecs", order, &n));
	for (i = 0; i < n; i++)
		if (order[i] != i)
			return unsupported(p, "a transpose that moves axes:", v);
	return C4W_OK;
}

/* Those that can't do without a configuration, be it an empty one. */
static int configured(struct parse *p, uint32_t v, struct c4w_view name, uint32_t config)
{
	static const char *const needy[] = { "sharding_indexed", "numcodecs.delta", "transpose", "blosc", "zstd", "gzip" };
	size_t i;

	for (i = 0; i < sizeof needy / sizeof *needy; i++)
		if (config == C4W_JSON_NONE && c4w_view_eqz(name, needy[i]))
			return bad(p, "zarr.codecs", v, "a codec has no configuration");
	return C4W_OK;
}

static int codecs(struct parse *p, uint32_t list, bool inner);

static int index_codecs(struct parse *p, uint32_t list)
{
	uint32_t e, config;
	struct c4w_view name;
	unsigned n = 0;

	if (!is_array(p, list))
		return bad(p, "zarr.codecs", list, "index_codecs is missing");
	for (e = c4w_json_first(&p->doc, list); e != C4W_JSON_NONE; e = c4w_json_next(&p->doc, list, e), n++) {
		C4W_TRY(codec_name(p, e, &name, &config));
		if (n == 0 && c4w_view_eqz(name, "bytes") && is(p, member(p, config, "endian"), "little"))
			continue;
		if (n == 1 && c4w_view_eqz(name, "crc32c")) {
			p->m->index_crc = true;
			continue;
		}
		return unsupported(p, "the codec of a shard's index", e);
	}
	if (n == 0)
		return bad(p, "zarr.codecs", list, "a shard's index has no codec");
	return C4W_OK;
}

static int sharding(struct parse *p, uint32_t v, uint32_t config)
{
	struct c4w_zarr_meta *m = p->m;
	static const char *const known[] = { "chunk_shape", "codecs", "index_codecs", "index_location", NULL };
	uint32_t where = member(p, config, "index_location");
	unsigned i;

	C4W_TRY(known_keys(p, config, known));
	if (m->delta || m->codecs)
		return unsupported(p, "a codec around sharding_indexed:", v);
	m->sharded = true;
	C4W_TRY(chunk_shape(p, member(p, config, "chunk_shape"), m->inner));
	for (i = 0; i < m->rank; i++)
		if (m->stored[i] % m->inner[i] != 0)
			return bad(p, "zarr.chunk-shape", v, "a shard isn't a whole number of chunks");
	if (where != C4W_JSON_NONE && !is(p, where, "end") && !is(p, where, "start"))
		return unsupported(p, "index_location", where);
	m->index_first = is(p, where, "start");
	C4W_TRY(index_codecs(p, member(p, config, "index_codecs")));
	return codecs(p, member(p, config, "codecs"), true);
}

static bool is_number(struct parse *p, uint32_t v, int64_t least)
{
	int64_t n;

	return c4w_json_type(&p->doc, v) == C4W_JSON_NUMBER && c4w_json_i64(&p->doc, v, &n, NULL) == C4W_OK && n >= least;
}

static bool is_one_of(struct parse *p, uint32_t v, const char *const *words)
{
	for (; *words; words++)
		if (is(p, v, *words))
			return true;
	return false;
}

/* How it was compressed is told by the frames; the configuration has to make sense all the same. */
static int blosc(struct parse *p, uint32_t config)
{
	static const char *const known[] = { "cname", "clevel", "shuffle", "typesize", "blocksize", NULL };
	static const char *const names[] = { "lz4", "lz4hc", "blosclz", "zstd", "snappy", "zlib", NULL };
	static const char *const shuffles[] = { "noshuffle", "shuffle", "bitshuffle", NULL };
	uint32_t v;

	C4W_TRY(known_keys(p, config, known));
	v = member(p, config, "cname");
	if (v != C4W_JSON_NONE && !is_one_of(p, v, names))
		return bad(p, "zarr.codecs", v, "cname names none of blosc's compressors");
	v = member(p, config, "clevel");
	if (v != C4W_JSON_NONE && !is_number(p, v, INT64_MIN))
		return bad(p, "zarr.codecs", v, "blosc's clevel is no integer");
	v = member(p, config, "shuffle");
	if (v != C4W_JSON_NONE && c4w_json_type(&p->doc, v) != C4W_JSON_NULL && !is_one_of(p, v, shuffles))
		return bad(p, "zarr.codecs", v, "blosc's shuffle is none of noshuffle, shuffle, bitshuffle");
	v = member(p, config, "typesize");
	if (v != C4W_JSON_NONE && c4w_json_type(&p->doc, v) != C4W_JSON_NULL && !is_number(p, v, 1))
		return bad(p, "zarr.codecs", v, "blosc's typesize is no integer from 1 on");
	v = member(p, config, "blocksize");
	if (v != C4W_JSON_NONE && !is_number(p, v, INT64_MIN))
		return bad(p, "zarr.codecs", v, "blosc's blocksize is no integer");
	return C4W_OK;
}

static int zstd_or_gzip(struct parse *p, uint32_t config, bool zstd)
{
	static const char *const known[] = { "level", "checksum", NULL };
	uint32_t level = member(p, config, "level"), sum = member(p, config, "checksum");

	C4W_TRY(known_keys(p, config, known));
	if (level != C4W_JSON_NONE && !is_number(p, level, INT64_MIN))
		return bad(p, "zarr.codecs", level, "a compressor's level is no integer");
	if (sum != C4W_JSON_NONE && (!zstd || (c4w_json_type(&p->doc, sum) != C4W_JSON_TRUE && c4w_json_type(&p->doc, sum) != C4W_JSON_FALSE)))
		return bad(p, "zarr.codecs", sum, "a compressor's checksum is no boolean");
	return C4W_OK;
}

static int codecs(struct parse *p, uint32_t list, bool inner)
{
	struct c4w_zarr_meta *m = p->m;
	bool have_bytes = false;
	struct c4w_view name;
	uint32_t e, config;

	if (!is_array(p, list))
		return bad(p, "zarr.codecs", list, "the list of codecs is missing");
	for (e = c4w_json_first(&p->doc, list); e != C4W_JSON_NONE; e = c4w_json_next(&p->doc, list, e)) {
		enum c4w_zarr_codec c;

		C4W_TRY(codec_name(p, e, &name, &config));
		C4W_TRY(configured(p, e, name, config));
		if (c4w_view_eqz(name, "sharding_indexed") && !have_bytes) {
			if (inner)
				return unsupported(p, "shards within shards:", e);
			C4W_TRY(sharding(p, e, config));
			have_bytes = true;
			continue;
		}
		if (c4w_view_eqz(name, "bytes") || c4w_view_eqz(name, "vlen-utf8")) {
			static const char *const known[] = { "endian", NULL };
			uint32_t endian = member(p, config, "endian");

			C4W_TRY(known_keys(p, config, known));
			if (have_bytes)
				return bad(p, "zarr.codecs", e, "a second array-to-bytes codec");
			if ((m->type == C4W_ZARR_STRING) != c4w_view_eqz(name, "vlen-utf8"))
				return bad(p, "zarr.codecs", e, "this array-to-bytes codec doesn't go with the data type");
			m->big_endian = is(p, endian, "big");
			if (endian != C4W_JSON_NONE && c4w_json_type(&p->doc, endian) != C4W_JSON_NULL && !m->big_endian && !is(p, endian, "little"))
				return unsupported(p, "endian", endian);
			if (m->item > 1 && !m->big_endian && !is(p, endian, "little"))
				return bad(p, "zarr.codecs", e, "the byte order is missing");
			have_bytes = true;
			continue;
		}
		if (c4w_view_eqz(name, "numcodecs.delta") && !have_bytes) {
			if (m->delta)
				return unsupported(p, "numcodecs.delta twice:", e);
			C4W_TRY(delta(p, e, config));
			continue;
		}
		if (c4w_view_eqz(name, "transpose") && !have_bytes) {
			C4W_TRY(transpose(p, e, config));
			continue;
		}
		if (c4w_view_eqz(name, "blosc")) {
			c = C4W_ZARR_BLOSC;
			C4W_TRY(blosc(p, config));
		} else if (c4w_view_eqz(name, "zstd")) {
			c = C4W_ZARR_ZSTD;
			C4W_TRY(zstd_or_gzip(p, config, true));
		} else if (c4w_view_eqz(name, "gzip")) {
			c = C4W_ZARR_GZIP;
			C4W_TRY(zstd_or_gzip(p, config, false));
		} else if (c4w_view_eqz(name, "crc32c")) {
			c = C4W_ZARR_CRC32C;
		} else {
			return unsupported(p, "the codec", e);
		}
		if (!have_bytes)
			return bad(p, "zarr.codecs", e, "a bytes-to-bytes codec stands before the array became bytes");
		if (m->sharded && !inner)
			return unsupported(p, "a codec around sharding_indexed:", e);
		if (m->codecs == C4W_ZARR_CODECS)
			return unsupported(p, "more than four compressors:", e);
		m->codec[m->codecs++] = c;
	}
	if (!have_bytes)
		return bad(p, "zarr.codecs", list, "no array-to-bytes codec");
	return C4W_OK;
}

static int fill(struct parse *p, uint32_t v)
{
	struct c4w_zarr_meta *m = p->m;
	enum c4w_json_type t = v == C4W_JSON_NONE ? C4W_JSON_NULL : c4w_json_type(&p->doc, v);
	bool is_float = m->type == C4W_ZARR_FLOAT32 || m->type == C4W_ZARR_FLOAT64;
	struct c4w_err ignored;
	struct c4w_view s;
	uint64_t bits = 0;
	int64_t i;
	double d;
	float f;
	size_t k;

	if (m->type == C4W_ZARR_STRING) {
		if (t != C4W_JSON_STRING)
			return bad(p, "zarr.fill-value", v, "the fill value of texts is no text");
		return c4w_json_string(&p->doc, v, p->arena, &m->fill_text, p->err);
	}
	if (m->type == C4W_ZARR_BOOL) {
		if (t != C4W_JSON_TRUE && t != C4W_JSON_FALSE)
			return bad(p, "zarr.fill-value", v, "the fill value of booleans is no boolean");
		m->fill[0] = t == C4W_JSON_TRUE;
		return C4W_OK;
	}
	if (is_float && t == C4W_JSON_STRING) {
		C4W_TRY(c4w_json_string(&p->doc, v, p->arena, &s, p->err));
		if (s.n == 2 + 2 * m->item && s.p[0] == '0' && s.p[1] == 'x') {
			for (k = 2; k < s.n; k++) {
				char c = s.p[k];
				unsigned digit = c >= '0' && c <= '9' ? (unsigned)(c - '0') : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 :
						 c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10 : 16;

				if (digit == 16)
					return bad(p, "zarr.fill-value", v, "a fill value in hex digits is expected");
				bits = bits << 4 | digit;
			}
			memcpy(m->fill, &bits, m->item);
			return C4W_OK;
		}
		if (c4w_view_eqz(s, "NaN"))
			d = (double)NAN;
		else if (c4w_view_eqz(s, "Infinity"))
			d = (double)INFINITY;
		else if (c4w_view_eqz(s, "-Infinity"))
			d = -(double)INFINITY;
		else
			return bad(p, "zarr.fill-value", v, "a fill value that is no number");
	} else if (t != C4W_JSON_NUMBER) {
		return bad(p, "zarr.fill-value", v, "the fill value of numbers is no number");
	} else if (is_float) {
		if (c4w_json_double(&p->doc, v, &d, &ignored) != C4W_OK)
			return bad(p, "zarr.fill-value", v, "the fill value doesn't fit the data type");
	} else if (m->type == C4W_ZARR_UINT64) {
		if (c4w_json_u64(&p->doc, v, &bits, &ignored) != C4W_OK)
			return bad(p, "zarr.fill-value", v, "the fill value doesn't fit the data type");
		memcpy(m->fill, &bits, 8);
		return C4W_OK;
	} else {
		bool is_unsigned = m->type >= C4W_ZARR_UINT8;
		unsigned width = (unsigned)m->item * 8;

		if (c4w_json_i64(&p->doc, v, &i, &ignored) != C4W_OK ||
		    (is_unsigned && (i < 0 || i >> width != 0)) ||
		    (!is_unsigned && width < 64 && (i < -(INT64_C(1) << (width - 1)) || i >= INT64_C(1) << (width - 1))))
			return bad(p, "zarr.fill-value", v, "the fill value doesn't fit the data type");
		memcpy(m->fill, &i, m->item);
		return C4W_OK;
	}
	f = (float)d;
	if (m->item == 4)
		memcpy(m->fill, &f, 4);
	else
		memcpy(m->fill, &d, 8);
	return C4W_OK;
}

static int check_keys(struct parse *p, bool is_group)
{
	static const char *const known[] = { "zarr_format", "node_type", "shape", "data_type", "chunk_grid", "chunk_key_encoding",
					     "fill_value", "codecs", "attributes", "storage_transformers", "dimension_names" };
	uint32_t e, v;
	size_t i;

	for (e = c4w_json_first(&p->doc, 0); e != C4W_JSON_NONE; e = c4w_json_next(&p->doc, 0, v)) {
		v = c4w_json_next(&p->doc, 0, e);
		for (i = 0; i < sizeof known / sizeof *known; i++)
			if (is(p, e, known[i]))
				break;
		if (i < sizeof known / sizeof *known || (is_group && is(p, e, "consolidated_metadata")))
			continue;
		if (is_object(p, v) && member(p, v, "must_understand") != C4W_JSON_NONE &&
		    c4w_json_type(&p->doc, member(p, v, "must_understand")) == C4W_JSON_FALSE)
			continue;
		return unsupported(p, "the key", e);
	}
	return C4W_OK;
}

/* Absent, null, or a text or null an axis. */
static int dimension_names(struct parse *p, uint32_t v)
{
	uint32_t e;

	if (v == C4W_JSON_NONE || c4w_json_type(&p->doc, v) == C4W_JSON_NULL)
		return C4W_OK;
	if (!is_array(p, v) || c4w_json_count(&p->doc, v) != p->m->rank)
		return bad(p, "zarr.dimension-names", v, "dimension_names are not one an axis");
	for (e = c4w_json_first(&p->doc, v); e != C4W_JSON_NONE; e = c4w_json_next(&p->doc, v, e))
		if (c4w_json_type(&p->doc, e) != C4W_JSON_STRING && c4w_json_type(&p->doc, e) != C4W_JSON_NULL)
			return bad(p, "zarr.dimension-names", e, "a dimension's name is no text");
	return C4W_OK;
}

static int parse_array(struct parse *p)
{
	static const char *const grid_keys[] = { "chunk_shape", NULL }, *const key_keys[] = { "separator", NULL };
	struct c4w_zarr_meta *m = p->m;
	uint32_t type = member(p, 0, "data_type"), grid = member(p, 0, "chunk_grid"), keys = member(p, 0, "chunk_key_encoding"), sep;
	unsigned i;
	size_t t;

	C4W_TRY(numbers(p, member(p, 0, "shape"), "zarr.shape", m->shape, &m->rank));
	if (m->rank == 0)
		return unsupported(p, "an array without axes:", member(p, 0, "shape"));
	for (t = 0; t < sizeof types / sizeof *types; t++)
		if (is(p, type, types[t].name))
			break;
	if (t == sizeof types / sizeof *types)
		return unsupported(p, "data_type", type);
	m->type = (enum c4w_zarr_type)t;
	m->item = m->step = types[t].item;
	if (!is(p, member(p, grid, "name"), "regular"))
		return unsupported(p, "chunk_grid", grid);
	C4W_TRY(known_keys(p, member(p, grid, "configuration"), grid_keys));
	C4W_TRY(chunk_shape(p, member(p, member(p, grid, "configuration"), "chunk_shape"), m->stored));
	C4W_TRY(dimension_names(p, member(p, 0, "dimension_names")));
	memcpy(m->inner, m->stored, sizeof m->inner);
	if (is(p, keys, "default"))
		keys = C4W_JSON_NONE;
	else if (!is(p, member(p, keys, "name"), "default"))
		return unsupported(p, "chunk_key_encoding", keys);
	C4W_TRY(known_keys(p, member(p, keys, "configuration"), key_keys));
	sep = member(p, member(p, keys, "configuration"), "separator");
	m->separator = is(p, sep, ".") ? '.' : '/';
	if (sep != C4W_JSON_NONE && !is(p, sep, ".") && !is(p, sep, "/"))
		return unsupported(p, "the separator", sep);
	if (!is_empty(p, member(p, 0, "storage_transformers")))
		return unsupported(p, "storage_transformers", member(p, 0, "storage_transformers"));
	C4W_TRY(codecs(p, member(p, 0, "codecs"), false));
	for (i = 1; i < m->rank; i++) {
		if (m->inner[i] != m->shape[i] || m->stored[i] != m->shape[i])
			return unsupported(p, "chunks split along another axis than the first:", grid);
		if (m->step && !c4w_mul_size(m->step, (size_t)m->shape[i], &m->step))
			return c4w_fail(p->err, C4W_LIMIT, "one step of the Zarr array is larger than memory");
	}
	if (m->step > C4W_LIMIT_ZARR_CHUNK)
		return c4w_fail(p->err, C4W_LIMIT, "one step of the Zarr array has %zu bytes, beyond the limit of %llu", m->step,
				C4W_LIMIT_ZARR_CHUNK);
	if (m->type == C4W_ZARR_STRING && m->rank > 1)
		return unsupported(p, "texts in more than one axis:", member(p, 0, "shape"));
	if (m->inner[0] > UINT64_MAX / 16 || m->stored[0] > UINT64_MAX / 16)
		return c4w_fail(p->err, C4W_LIMIT, "the Zarr array's chunks are absurdly long");
	return fill(p, member(p, 0, "fill_value"));
}

int c4w_zarr_parse(const char *json, size_t n, struct c4w_arena *arena, struct c4w_zarr_meta *m, bool *is_group, struct c4w_err *err)
{
	struct parse p = { .arena = arena, .m = m, .err = err };
	uint64_t format = 0;
	uint32_t v;

	memset(m, 0, sizeof *m);
	*is_group = false;
	C4W_TRY(c4w_json_parse((struct c4w_view){ json, n }, C4W_JSON_STRICT, 0, arena, &p.doc, err));
	if (!is_object(&p, 0))
		return bad(&p, "zarr.json", 0, "zarr.json is no object");
	v = member(&p, 0, "zarr_format");
	if (v == C4W_JSON_NONE || c4w_json_type(&p.doc, v) != C4W_JSON_NUMBER || c4w_json_u64(&p.doc, v, &format, NULL) != C4W_OK || format != 3)
		return bad(&p, "zarr.format", v, "zarr_format is not 3");
	v = member(&p, 0, "node_type");
	*is_group = is(&p, v, "group");
	if (!*is_group && !is(&p, v, "array"))
		return bad(&p, "zarr.format", v, "node_type is neither array nor group");
	C4W_TRY(check_keys(&p, *is_group));
	return *is_group ? C4W_OK : parse_array(&p);
}
