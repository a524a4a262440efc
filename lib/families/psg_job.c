/* What the jobs over scenes share: findings, decoders, what an item costs. */
#include "families/psg_family.h"
#include "families/psg_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void to_findings(void *ctx, enum c4w_psg_level level, const char *path, const struct c4w_err *e)
{
	struct c4w_findings *fs = ctx;
	struct c4w_finding f = c4w_finding_of(e);
	char message[640];
	const char *part = NULL;
	if (path && strstr(path, ".npy.zst"))
		part = "tensor";
	else if (path && strstr(path, "metadata/"))
		part = "metadata";
	else if (path && strstr(path, "paths/"))
		part = "route";
	f.severity = level == C4W_PSG_WARNING ? C4W_SEV_WARNING : C4W_SEV_ERROR;
	f.component = part;
	f.path = path;
	if (path) {
		snprintf(message, sizeof message, "%s: %s", path, e->message);
		f.message = message;
	}
	c4w_findings_add(fs, &f);
}

struct c4w_psg_sink c4w_psg_sink_of(struct c4w_findings *fs)
{
	fs->each = true;
	return (struct c4w_psg_sink){ to_findings, fs, NULL };
}

/* ---- decoders ---- */

void c4w_psg_decoders_init(struct c4w_psg_decoders *p)
{
	pthread_mutex_init(&p->mutex, NULL);
	p->idle = NULL;
}

void c4w_psg_decoders_clear(struct c4w_psg_decoders *p)
{
	while (p->idle) {
		struct c4w_psg_decoder *d = p->idle;
		p->idle = d->next;
		c4w_psg_decoder_clear(d);
		free(d);
	}
	pthread_mutex_destroy(&p->mutex);
}

struct c4w_psg_decoder *c4w_psg_decoder_take(struct c4w_psg_decoders *p, struct c4w_err *err)
{
	struct c4w_psg_decoder *d;
	pthread_mutex_lock(&p->mutex);
	d = p->idle;
	if (d)
		p->idle = d->next;
	pthread_mutex_unlock(&p->mutex);
	if (!d && !(d = calloc(1, sizeof *d)))
		c4w_fail_memory(err, sizeof *d);
	return d;
}

void c4w_psg_decoder_give(struct c4w_psg_decoders *p, struct c4w_psg_decoder *d)
{
	if (!d)
		return;
	pthread_mutex_lock(&p->mutex);
	d->next = p->idle;
	p->idle = d;
	pthread_mutex_unlock(&p->mutex);
}

/* ---- costs ---- */

uint64_t c4w_psg_cost(uint32_t r, uint64_t blob_bytes)
{
	uint64_t tensor = c4w_psg_bytes(r ? r : 1024);
	return tensor + (blob_bytes ? blob_bytes : tensor);
}

uint64_t c4w_psg_ref_cost(const struct c4w_psg_tree *t, const struct c4w_psg_ref *ref)
{
	struct c4w_stat st = { 0 };
	char rel[160];
	/* Where it does not matter a question less to the system. */
	if (ref->unit->r >= 1024) {
		c4w_psg_ref_path(ref, 0, rel, sizeof rel);
		(void)!c4w_store_stat(c4w_psg_tree_store(t), rel, &st, NULL);
	}
	return c4w_psg_cost(ref->unit->r, st.size);
}
