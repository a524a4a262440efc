/* covers: lib/families/timef_manifest.c lib/families/timef_units.c
 * manifest.json of a TimeF data set. Read twice: with a sink that goes on, every fault has a rule of the table; without one, the first error ends
 * it, and there is one exactly when the sink heard of one. What is understood is in order. */
#include "families/timef.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool fact)
{
	if (!fact)
		abort();
}

static int report(void *ctx, enum c4w_timef_severity severity, const char *item, const struct c4w_err *fault)
{
	enum c4w_timef_severity known;
	(void)ctx;
	require(item && fault->rule && c4w_timef_rule_find(fault->rule, &known) && known == severity);
	return C4W_OK;
}

static void walk(const struct c4w_timef_manifest *m)
{
	uint64_t version[3];
	size_t i, k, first = 0;
	require(m->format == 1 || m->format == 2);
	for (i = 0; i < m->nspecs; i++) {
		const struct c4w_timef_spec *s = &m->specs[i];
		uint64_t elements = 1;
		require((unsigned)s->dtype < C4W_TF_DTYPES && c4w_timef_dtype_name(s->dtype) && s->rank <= C4W_TF_RANK);
		require((c4w_timef_dtype_size(s->dtype) == 0) == (s->dtype == C4W_TF_STR));
		for (k = 0; k < s->rank; k++)
			elements *= s->shape[k];
		require(elements == s->elements);
		(void)c4w_timef_unit_known(s->unit);
		require(s->spec_type.p == NULL || c4w_timef_spec_find(m, s->spec_type) >= (long)i);
	}
	for (i = 0; i < m->nkeys; i++)
		require(m->keys[i].key.p == NULL || c4w_timef_key_find(m, m->keys[i].key) >= (long)i);
	for (k = 0; k < C4W_TF_KINDS; k++) {
		require(m->kind_first[k] == first && c4w_timef_kind_name((enum c4w_timef_kind)k));
		for (i = first; i < first + m->kind_count[k]; i++)
			require(m->files[i].kind == (enum c4w_timef_kind)k && strlen(m->files[i].z) <= m->files[i].path.n);
		first += m->kind_count[k];
	}
	require(first == m->nfiles);
	(void)c4w_timef_dataset_id_ok(m->dataset_id);
	if (c4w_timef_version_parse(m->version, version))
		require(c4w_timef_version_cmp(version, version) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct c4w_timef_sink sink = { .report = report };
	struct c4w_timef_manifest m;
	struct c4w_arena arena = { 0 };
	struct c4w_view text = { (const char *)data, size };
	struct c4w_err err = { 0 };
	int cls = c4w_timef_manifest_parse(text, &arena, &sink, &m, &err);
	if (cls == C4W_OK)
		walk(&m);
	else
		require(cls == C4W_LIMIT || cls == C4W_UNSUPPORTED || sink.errors > 0);
	c4w_arena_clear(&arena);
	cls = c4w_timef_manifest_parse(text, &arena, NULL, &m, &err);
	if (cls == C4W_OK)
		require(sink.errors == 0);
	else
		require(cls == C4W_LIMIT || cls == C4W_UNSUPPORTED || (sink.errors > 0 && err.rule));
	c4w_arena_clear(&arena);
	return 0;
}
