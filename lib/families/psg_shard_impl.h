/* What psg_shard.c and psg_rows.c share. */
#ifndef C4W_FAMILIES_PSG_SHARD_IMPL_H
#define C4W_FAMILIES_PSG_SHARD_IMPL_H

#include "families/psg_shard.h"

struct c4w_psg_shards {
	enum c4w_psg_shards_kind kind;
	struct c4w_store *store;
	struct c4w_psg_shard *v;
	size_t count, cap, folders;
};

#endif
