/* The inside of a sink, for sink.c and sink_file.c. */
#ifndef C4W_STORAGE_SINK_DIR_H
#define C4W_STORAGE_SINK_DIR_H

#include "storage/sink.h"

#include <pthread.h>
#include <sys/types.h>

enum { C4W_SINK_LANES = 16 };

/* A directory below the destination, open, and its path. */
struct c4w_sink_place {
	char *path;
	int fd;
	unsigned users; /* under the sink's lock; the last one closes */
};

/* An unfinished file: a number in a lane, which is a directory of .c4w-part, or (the first) .c4w-part itself. */
struct c4w_sink_temp {
	unsigned lane;
	char name[24];
};

struct c4w_sink {
	char *name;
	int fd;
	bool is_new, ours; /* made by this sink; locked, or not lockable */
	size_t made[32]; /* lengths of the prefixes of `name` that were made */
	size_t made_count;
	pthread_mutex_t lock; /* guards what follows */
	int lanes[C4W_SINK_LANES]; /* -1 until needed */
	unsigned lane_files[C4W_SINK_LANES];
	uint64_t next_temp;
	struct c4w_sink_place *kept; /* the directory of the last path */
	bool committed;
};

int c4w_sink_check_path(const char *rel, struct c4w_err *err);
int c4w_sink_open_temporary(struct c4w_sink *s, mode_t mode, struct c4w_sink_temp *temp, const char *rel, int *fd, struct c4w_err *err);
int c4w_sink_rename(struct c4w_sink *s, const struct c4w_sink_temp *temp, const char *rel, bool only_new, bool durable, struct c4w_err *err);
/* Its lane is free for another one; with `remove_it` (it was not renamed) the file goes. */
void c4w_sink_leave_temporary(struct c4w_sink *s, const struct c4w_sink_temp *temp, bool remove_it);

#endif
