/* The inside of a sink, for sink.c and sink_file.c. */
#ifndef C4W_STORAGE_SINK_DIR_H
#define C4W_STORAGE_SINK_DIR_H

#include "storage/sink.h"

#include <pthread.h>
#include <sys/types.h>

enum { C4W_SINK_TEMP = 24 };

struct c4w_sink {
	char *name;
	int fd;
	bool is_new, ours; /* made by this sink; locked, or not lockable */
	size_t made[32]; /* lengths of the prefixes of `name` that were made */
	size_t made_count;
	pthread_mutex_t lock; /* guards what follows */
	int part;             /* .c4w-part, once needed */
	uint64_t next_temp;
	char *kept_path; /* the directory of the last path, and its descriptor */
	int kept;
	bool committed;
};

int c4w_sink_check_path(const char *rel, struct c4w_err *err);
int c4w_sink_open_temporary(struct c4w_sink *s, mode_t mode, char name[C4W_SINK_TEMP], const char *rel, int *fd, struct c4w_err *err);
void c4w_sink_remove_temporary(struct c4w_sink *s, const char *name);
int c4w_sink_rename(struct c4w_sink *s, const char *name, const char *rel, bool only_new, bool durable, struct c4w_err *err);

#endif
