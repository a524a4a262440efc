/* Writing to descriptors, and single files that appear whole or not at all. See sink.h. */
#include "storage/sink_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { GATHER = 128 * 1024 };

int c4w_write_failed(struct c4w_err *err, int sys_errno, const char *what, const char *name)
{
	c4w_fail_errno(err, sys_errno, "%s", what);
	if (err) {
		err->cls = sys_errno == ENOMEM ? C4W_MEMORY : C4W_IO;
		c4w_err_path(err, name);
		if (sys_errno == ENOSPC || sys_errno == EDQUOT)
			c4w_err_hint(err, "free some space there, or write to another file system");
	}
	return sys_errno == ENOMEM ? C4W_MEMORY : C4W_IO;
}

int c4w_write_all(int fd, int64_t offset, const void *p, size_t n, const char *name, struct c4w_err *err)
{
	const char *from = p;
	while (n) {
		size_t want = n < 0x40000000 ? n : 0x40000000;
		ssize_t done = offset < 0 ? write(fd, from, want) : pwrite(fd, from, want, (off_t)offset);
		if (done < 0) {
			if (errno == EINTR)
				continue;
			return c4w_write_failed(err, errno, "can't write", name);
		}
		from += done;
		n -= (size_t)done;
		if (offset >= 0)
			offset += done;
	}
	return C4W_OK;
}

void c4w_writer_init(struct c4w_writer *w, int fd, bool hash)
{
	memset(w, 0, sizeof *w);
	w->fd = fd;
	w->hash = hash;
	if (hash)
		c4w_sha256_init(&w->sha);
}

int c4w_writer_reserve(struct c4w_writer *w, uint64_t size, const char *name, struct c4w_err *err)
{
	if (size == 0)
		return C4W_OK;
	if (size > INT64_MAX)
		return c4w_fail(err, C4W_USAGE, "a file of %llu bytes can't be", (unsigned long long)size);
	while (fallocate(w->fd, 0, 0, (off_t)size) != 0) {
		if (errno == EINTR)
			continue;
		if (errno != EOPNOTSUPP && errno != ENOSYS)
			return c4w_write_failed(err, errno, "can't reserve its size", name);
		if (ftruncate(w->fd, (off_t)size) != 0)
			return c4w_write_failed(err, errno, "can't set its size", name);
		break;
	}
	return C4W_OK;
}

int c4w_writer_flush(struct c4w_writer *w, const char *name, struct c4w_err *err)
{
	size_t n = w->n;
	w->n = 0;
	return n ? c4w_write_all(w->fd, -1, w->gathered, n, name, err) : C4W_OK;
}

int c4w_writer_put(struct c4w_writer *w, const void *p, size_t n, const char *name, struct c4w_err *err)
{
	if (n == 0)
		return C4W_OK;
	if (w->hash)
		c4w_sha256_update(&w->sha, p, n);
	w->at += n;
	if (w->n + n > GATHER || n >= GATHER / 2)
		C4W_TRY(c4w_writer_flush(w, name, err));
	if (n >= GATHER / 2)
		return c4w_write_all(w->fd, -1, p, n, name, err);
	if (!w->gathered && !(w->gathered = malloc(GATHER)))
		return c4w_fail_memory(err, GATHER);
	memcpy(w->gathered + w->n, p, n);
	w->n += n;
	return C4W_OK;
}

int c4w_writer_close(struct c4w_writer *w, bool durable, const char *name, struct c4w_err *err)
{
	int r = c4w_writer_flush(w, name, err), fd = w->fd;
	if (r == C4W_OK && durable && fsync(fd) != 0)
		r = c4w_write_failed(err, errno, "can't bring to the disk", name);
	w->fd = -1;
	/* Some file systems report a failed write only here. After EINTR the descriptor is gone all the same. */
	if (close(fd) != 0 && errno != EINTR && r == C4W_OK)
		r = c4w_write_failed(err, errno, "can't finish writing", name);
	c4w_writer_drop(w);
	return r;
}

void c4w_writer_drop(struct c4w_writer *w)
{
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
	free(w->gathered);
	w->gathered = NULL;
	w->n = 0;
}

/* ---- one file by the user's own name ---- */

struct c4w_outfile {
	struct c4w_writer w;
	char *path;
	const char *base; /* in path */
	int dir;          /* of the file; -1 when it is written directly */
	char temp[256];
	uint64_t reserved; /* 0: nothing */
	struct c4w_stat replaces;
};

static void outfile_free(struct c4w_outfile *f)
{
	c4w_writer_drop(&f->w);
	if (f->dir >= 0) {
		if (f->temp[0])
			unlinkat(f->dir, f->temp, 0);
		close(f->dir);
	}
	free(f->path);
	free(f);
}

/* A name of our own beside the file, and the file open under it. */
static int open_temporary(struct c4w_outfile *f, mode_t mode, struct c4w_err *err)
{
	unsigned attempt;
	int fd = -1;
	for (attempt = 0; attempt < 100 && fd < 0; attempt++) {
		struct timespec now;
		clock_gettime(CLOCK_REALTIME, &now);
		snprintf(f->temp, sizeof f->temp, ".%.200s.%lx%lx.part", f->base, (unsigned long)getpid(),
			 ((unsigned long)now.tv_nsec ^ (unsigned long)now.tv_sec << 20) & 0xFFFFFFFFFFUL);
		fd = openat(f->dir, f->temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	if (fd < 0) {
		f->temp[0] = 0;
		return c4w_write_failed(err, errno, "can't create", f->path);
	}
	f->w.fd = fd;
	return C4W_OK;
}

static int open_directory_of(struct c4w_outfile *f, struct c4w_err *err)
{
	size_t n = (size_t)(f->base - f->path);
	char *folder = n ? strndup(f->path, n) : strdup(".");
	if (!folder)
		return c4w_fail_memory(err, n + 1);
	f->dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	free(folder);
	return f->dir >= 0 ? C4W_OK : c4w_write_failed(err, errno, "can't open the directory", f->path);
}

int c4w_outfile_open(const char *path, struct c4w_outfile **out, struct c4w_err *err)
{
	struct c4w_outfile *f = calloc(1, sizeof *f);
	const char *slash;
	struct stat st;
	mode_t mode = 0666;
	bool there;
	int r = C4W_OK;
	*out = NULL;
	if (!f || !(f->path = strdup(path))) {
		free(f);
		return c4w_fail_memory(err, sizeof *f);
	}
	f->dir = -1;
	c4w_writer_init(&f->w, -1, false);
	slash = strrchr(f->path, '/');
	f->base = slash ? slash + 1 : f->path;
	there = stat(path, &st) == 0;
	if (!*f->base || (there && S_ISDIR(st.st_mode))) {
		r = c4w_fail(err, C4W_USAGE, "is a directory, not a file to write");
		c4w_err_path(err, path);
	} else if (there && !S_ISREG(st.st_mode)) {
		f->w.fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
		r = f->w.fd >= 0 ? C4W_OK : c4w_write_failed(err, errno, "can't open for writing", path);
	} else {
		if (there)
			mode = st.st_mode & 0777;
		r = open_directory_of(f, err);
		if (r == C4W_OK)
			r = open_temporary(f, mode, err);
		/* The old mode, not the old one less the umask. */
		if (r == C4W_OK && there && fchmod(f->w.fd, mode) != 0)
			r = c4w_write_failed(err, errno, "can't set the mode of", path);
	}
	if (r != C4W_OK) {
		outfile_free(f);
		return r;
	}
	if (there) {
		f->replaces.kind = S_ISREG(st.st_mode) ? C4W_KIND_FILE : C4W_KIND_OTHER;
		f->replaces.size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
		f->replaces.dev = (uint64_t)st.st_dev;
		f->replaces.ino = (uint64_t)st.st_ino;
	}
	*out = f;
	return C4W_OK;
}

int c4w_outfile_reserve(struct c4w_outfile *f, uint64_t size, struct c4w_err *err)
{
	f->reserved = size;
	return f->dir < 0 ? C4W_OK : c4w_writer_reserve(&f->w, size, f->path, err);
}

int c4w_outfile_write(struct c4w_outfile *f, const void *p, size_t n, struct c4w_err *err)
{
	return c4w_writer_put(&f->w, p, n, f->path, err);
}

void c4w_outfile_replaces(const struct c4w_outfile *f, struct c4w_stat *out)
{
	*out = f->replaces;
}

int c4w_outfile_commit(struct c4w_outfile *f, struct c4w_err *err)
{
	int r = C4W_OK;
	if (f->reserved && f->w.at != f->reserved)
		r = c4w_fail(err, C4W_USAGE, "%llu of %llu bytes were written to '%s'", (unsigned long long)f->w.at,
			     (unsigned long long)f->reserved, f->path);
	if (r == C4W_OK)
		r = c4w_writer_close(&f->w, false, f->path, err);
	if (r == C4W_OK && f->dir >= 0) {
		if (renameat(f->dir, f->temp, f->dir, f->base) != 0)
			r = c4w_write_failed(err, errno, "can't rename into place", f->path);
		else
			f->temp[0] = 0;
	}
	outfile_free(f);
	return r;
}

void c4w_outfile_abort(struct c4w_outfile *f)
{
	if (f)
		outfile_free(f);
}
