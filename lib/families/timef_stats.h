/* Reductions and content digests of one series (formats/timef.md, 16). Digests depend on the values alone, not on backend, encoding or
 * chunks, so two copies of a data set can be compared by them. */
#ifndef C4W_FAMILIES_TIMEF_STATS_H
#define C4W_FAMILIES_TIMEF_STATS_H

#include "families/timef_values.h"

struct c4w_timef_stats {
	uint64_t length;    /* steps that came out */
	uint64_t missing;   /* steps */
	uint64_t elements;  /* present elements, NaN included */
	uint64_t nan_count, true_count;
	bool has_range;     /* of present elements that are not NaN */
	double min, max;    /* floats */
	int64_t imin, imax; /* integers, booleans */
	struct c4w_view tmin, tmax; /* texts and labels; in the arena */
	bool has_mean;      /* of finite elements, in double; false where there are none or the sum overflows */
	double mean, sd;    /* sd: population's */
	uint64_t distinct, utf8_bytes;
	uint64_t *label_counts; /* enum: one a category, in the arena */
	bool first_there, last_there;
	const uint8_t *first, *last; /* one step's elements, enum: its code; in the arena */
	struct c4w_view first_text, last_text;
	bool has_offsets;
	int64_t first_offset, last_offset;
	uint8_t values_sha[32], validity_sha[32], offsets_sha[32];
	bool digests;
};

/* Reduce a series. `keep` is where results that need room go. Reads times of irregular series (their ends, order and number are
 * checked as section 6 asks). */
int c4w_timef_stats(struct c4w_timef_cursor *c, const struct c4w_timef_series *s, bool digests, struct c4w_arena *keep,
		    struct c4w_timef_stats *out, struct c4w_err *err) C4W_MUST_CHECK;

/* The keys that describe a series, from time_series_id to n_values, inside an object that is open. */
void c4w_timef_series_json(const struct c4w_timef *ds, const struct c4w_timef_series *s, struct c4w_json_out *j);

/* One object a series under the key names of the fixtures' expected.json, record_id in front, sd behind mean. */
void c4w_timef_stats_json(const struct c4w_timef *ds, const struct c4w_timef_series *s, const struct c4w_timef_chunk *const *chunks,
			  size_t nchunks, const struct c4w_timef_stats *st, struct c4w_json_out *j);

/* One element of a series, which no double cuts: there are no integers of more than 32 bits. */
double c4w_timef_element(enum c4w_timef_dtype t, const uint8_t *p);
/* One element of a series as JSON: numbers, booleans; floats that are not finite are the strings NaN, Infinity, -Infinity. */
void c4w_timef_element_json(enum c4w_timef_dtype t, const uint8_t *p, struct c4w_json_out *j);
/* One step: a scalar, or nested lists. Labels for enum. */
void c4w_timef_step_json(const struct c4w_timef_spec *spec, const uint8_t *p, struct c4w_json_out *j);
/* A double as expected.json has it. */
void c4w_timef_double_json(double v, struct c4w_json_out *j);

#endif
