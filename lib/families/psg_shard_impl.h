/* What psg_shard.c, psg_rows.c and psg_verify_row.c share. */
#ifndef C4W_FAMILIES_PSG_SHARD_IMPL_H
#define C4W_FAMILIES_PSG_SHARD_IMPL_H

#include "families/psg_shard.h"

struct c4w_psg_shards {
	enum c4w_psg_shards_kind kind;
	struct c4w_store *store;
	struct c4w_psg_shard *v;
	size_t count, cap, folders;
};

/* "<R>x<R>", or "<R>x<R>_samples": R; 0: another name. */
uint32_t c4w_psg_square_name(const char *name, bool *samples);
/* data-*.parquet */
bool c4w_psg_is_shard_name(const char *name);

#endif
