/* Sequential reading. See stream.h. */
#include "storage/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct c4w_stream {
	int fd;
	bool owned;
	int64_t size;
	char *name;
};

static bool is_stdin(const char *path)
{
	return path[0] == '-' && path[1] == 0;
}

int c4w_stream_open(const char *path, struct c4w_stream **out, struct c4w_err *err)
{
	struct c4w_stream *s = calloc(1, sizeof *s);
	struct stat st;
	int cls;
	*out = NULL;
	if (!s || (s->name = strdup(path)) == NULL) {
		free(s);
		return c4w_fail_memory(err, sizeof *s);
	}
	s->owned = !is_stdin(path);
	s->fd = s->owned ? open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) : STDIN_FILENO;
	if (s->fd < 0 || fstat(s->fd, &st) != 0) {
		cls = errno == EINTR ? c4w_fail(err, C4W_CANCELLED, "interrupted") : c4w_fail_errno(err, errno, "can't open");
		goto fail;
	}
	if (S_ISDIR(st.st_mode)) {
		cls = c4w_fail(err, C4W_USAGE, "is a directory, not a file");
		goto fail;
	}
	s->size = S_ISREG(st.st_mode) ? (int64_t)st.st_size : -1;
	if (S_ISREG(st.st_mode))
		(void)posix_fadvise(s->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
	*out = s;
	return C4W_OK;
fail:
	c4w_err_path(err, path);
	c4w_stream_close(s);
	return cls;
}

void c4w_stream_close(struct c4w_stream *s)
{
	if (!s)
		return;
	if (s->owned && s->fd >= 0)
		close(s->fd);
	free(s->name);
	free(s);
}

int c4w_stream_read(struct c4w_stream *s, void *buf, size_t room, size_t *got, struct c4w_err *err)
{
	size_t done = 0;
	*got = 0;
	while (done < room) {
		ssize_t k = read(s->fd, (char *)buf + done, room - done);
		if (k == 0)
			break;
		if (k < 0) {
			int cls = errno == EINTR ? c4w_fail(err, C4W_CANCELLED, "interrupted") : c4w_fail_errno(err, errno, "can't read");
			c4w_err_path(err, s->name);
			return cls;
		}
		done += (size_t)k;
	}
	*got = done;
	return C4W_OK;
}

int64_t c4w_stream_size(const struct c4w_stream *s)
{
	return s->size;
}

int c4w_stream_slurp(struct c4w_stream *s, uint64_t limit, struct c4w_arena *arena, const char **out, size_t *n,
		     struct c4w_err *err)
{
	size_t cap = s->size > 0 && (uint64_t)s->size < limit ? (size_t)s->size + 1 : 65536, used = 0, got;
	char *p;
	void *mem;
	int cls;
	/* Outside the arena until the size is known: growing there would keep every try. */
	p = malloc(cap);
	if (!p)
		return c4w_fail_memory(err, cap);
	for (;;) {
		cls = c4w_stream_read(s, p + used, cap - used, &got, err);
		if (cls != C4W_OK)
			break;
		used += got;
		if (used > limit) {
			cls = c4w_fail(err, C4W_LIMIT, "is longer than %llu bytes, the limit for what is read whole",
				       (unsigned long long)limit);
			c4w_err_path(err, s->name);
			break;
		}
		if (used < cap)
			break;
		mem = realloc(p, cap * 2);
		if (!mem) {
			cls = c4w_fail_memory(err, cap * 2);
			break;
		}
		p = mem;
		cap *= 2;
	}
	if (cls == C4W_OK)
		cls = c4w_arena_take(arena, used + 1, &mem, err);
	if (cls == C4W_OK) {
		memcpy(mem, p, used);
		((char *)mem)[used] = 0;
		*out = mem;
		*n = used;
	}
	free(p);
	return cls;
}

bool c4w_path_is_stream(const char *path)
{
	struct stat st;
	if (is_stdin(path))
		return fstat(STDIN_FILENO, &st) != 0 || !S_ISREG(st.st_mode);
	return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) && !S_ISBLK(st.st_mode);
}

bool c4w_path_is_dir(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}
