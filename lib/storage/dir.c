/* The directory store and blobs over files. The only place that opens files for reading.
 *
 * Symbolic links are followed: download caches are made of them. Files are read with pread, never mapped: a file cut
 * short under a map would kill the process.
 */
#include "storage/store_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct dir_store {
	struct c4w_store base;
	int fd;
};

struct file_blob {
	struct c4w_blob base;
	int fd;
};

static void fill_stat(const struct stat *st, struct c4w_stat *out)
{
	out->kind = S_ISREG(st->st_mode) ? C4W_KIND_FILE : S_ISDIR(st->st_mode) ? C4W_KIND_DIR : C4W_KIND_OTHER;
	out->size = S_ISREG(st->st_mode) && st->st_size > 0 ? (uint64_t)st->st_size : 0;
	out->dev = (uint64_t)st->st_dev;
	out->ino = (uint64_t)st->st_ino;
	out->mtime_ns = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

static int file_read_at(struct c4w_blob *b, uint64_t offset, size_t length, void *buf, struct c4w_err *err)
{
	struct file_blob *f = (struct file_blob *)b;
	size_t done = 0;
	while (done < length) {
		/* Linux moves at most 0x7ffff000 bytes a call anyway. */
		size_t want = length - done < 0x40000000 ? length - done : 0x40000000;
		ssize_t got = pread(f->fd, (char *)buf + done, want, (off_t)(offset + done));
		if (got < 0) {
			if (errno == EINTR)
				continue;
			c4w_fail_errno(err, errno, "can't read at byte %llu", (unsigned long long)(offset + done));
			c4w_err_path(err, b->name);
			return err ? (int)err->cls : C4W_IO;
		}
		if (got == 0) {
			c4w_fail(err, C4W_IO, "ends early: cut at byte %llu while it was read, it had %llu",
				 (unsigned long long)(offset + done), (unsigned long long)b->size);
			c4w_err_path(err, b->name);
			return C4W_IO;
		}
		done += (size_t)got;
	}
	return C4W_OK;
}

static void file_prefetch(struct c4w_blob *b, const struct c4w_range *ranges, size_t count)
{
	struct file_blob *f = (struct file_blob *)b;
	size_t i;
	for (i = 0; i < count; i++)
		(void)posix_fadvise(f->fd, (off_t)ranges[i].offset, (off_t)ranges[i].length, POSIX_FADV_WILLNEED);
}

static void file_destroy(struct c4w_blob *b)
{
	close(((struct file_blob *)b)->fd);
}

static const struct c4w_blob_ops file_ops = { file_read_at, NULL, file_prefetch, file_destroy };

int c4w_blob_adopt(int fd, const char *name, struct c4w_blob **out, struct c4w_err *err)
{
	struct stat st;
	struct file_blob *f;
	int cls;
	*out = NULL;
	if (fstat(fd, &st) != 0) {
		cls = c4w_fail_errno(err, errno, "can't look at");
		goto fail;
	}
	if (!S_ISREG(st.st_mode)) {
		cls = c4w_fail(err, C4W_USAGE, S_ISDIR(st.st_mode) ? "is a directory, not a file" :
			       "is not a regular file; it can't be read at arbitrary places");
		goto fail;
	}
	f = c4w_blob_alloc(sizeof *f, &file_ops, name, st.st_size > 0 ? (uint64_t)st.st_size : 0);
	if (!f) {
		cls = c4w_fail_memory(err, sizeof *f);
		goto fail;
	}
	f->fd = fd;
	fill_stat(&st, &f->base.st);
	*out = &f->base;
	return C4W_OK;
fail:
	close(fd);
	c4w_err_path(err, name);
	return cls;
}

int c4w_blob_file_fd(const struct c4w_blob *b)
{
	return b->ops == &file_ops ? ((const struct file_blob *)b)->fd : -1;
}

static int open_file_at(int dirfd, const char *path, const char *name, struct c4w_blob **out, struct c4w_err *err)
{
	/* O_NONBLOCK: opening a FIFO by mistake must not hang. */
	int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), cls;
	*out = NULL;
	if (fd < 0) {
		cls = c4w_fail_errno(err, errno, "can't open");
		c4w_err_path(err, name);
		return cls;
	}
	return c4w_blob_adopt(fd, name, out, err);
}

int c4w_blob_file(const char *path, struct c4w_blob **out, struct c4w_err *err)
{
	return open_file_at(AT_FDCWD, path, path, out, err);
}

static int dir_open(struct c4w_store *s, const char *rel, struct c4w_blob **out, struct c4w_err *err)
{
	return open_file_at(((struct dir_store *)s)->fd, rel, rel, out, err);
}

static int dir_stat(struct c4w_store *s, const char *rel, struct c4w_stat *out, struct c4w_err *err)
{
	struct stat st;
	int fd = ((struct dir_store *)s)->fd;
	bool there;
	if (!*rel)
		rel = ".";
	there = fstatat(fd, rel, &st, AT_SYMLINK_NOFOLLOW) == 0;
	out->is_link = there && S_ISLNK(st.st_mode);
	if (out->is_link)
		there = fstatat(fd, rel, &st, 0) == 0;
	if (there) {
		fill_stat(&st, out);
		return C4W_OK;
	}
	/* A dangling link is absent too; the caller may want to say so. */
	if (errno == ENOENT || errno == ENOTDIR)
		return C4W_OK;
	c4w_fail_errno(err, errno, "can't look at");
	c4w_err_path(err, rel);
	return err ? (int)err->cls : C4W_IO;
}

static int dir_list(struct c4w_store *s, const char *rel, bool look, struct c4w_arena *arena, struct c4w_dirent **out, size_t *count,
		    struct c4w_err *err)
{
	int fd = openat(((struct dir_store *)s)->fd, *rel ? rel : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), cls = C4W_OK;
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct c4w_dirent *v = NULL;
	size_t n = 0, cap = 0;
	void *copy;
	if (!d) {
		cls = c4w_fail_errno(err, errno, "can't list");
		if (fd >= 0)
			close(fd);
		c4w_err_path(err, *rel ? rel : s->name);
		return cls;
	}
	for (;;) {
		struct dirent *e;
		struct stat st;
		errno = 0;
		e = readdir(d);
		if (!e) {
			if (errno)
				cls = c4w_fail_errno(err, errno, "can't list");
			break;
		}
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (n == cap) {
			struct c4w_dirent *more = realloc(v, (cap = cap ? cap * 2 : 64) * sizeof *v);
			if (!more) {
				cls = c4w_fail_memory(err, cap * sizeof *v);
				break;
			}
			v = more;
		}
		memset(&v[n], 0, sizeof v[n]);
		v[n].name = c4w_arena_text(arena, e->d_name, strlen(e->d_name));
		if (!v[n].name) {
			cls = c4w_fail_memory(err, strlen(e->d_name));
			break;
		}
		if (!look && (e->d_type == DT_REG || e->d_type == DT_DIR)) {
			v[n].st.kind = e->d_type == DT_REG ? C4W_KIND_FILE : C4W_KIND_DIR;
		} else if (fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
			v[n].st.is_link = S_ISLNK(st.st_mode);
			if (v[n].st.is_link && fstatat(fd, e->d_name, &st, 0) != 0)
				v[n].st.kind = C4W_KIND_NONE;
			else
				fill_stat(&st, &v[n].st);
		}
		n++;
	}
	closedir(d);
	if (cls == C4W_OK && n) {
		c4w_dirents_sort(v, n);
		cls = c4w_arena_take(arena, n * sizeof *v, &copy, err);
		if (cls == C4W_OK) {
			memcpy(copy, v, n * sizeof *v);
			*out = copy;
			*count = n;
		}
	}
	free(v);
	if (cls != C4W_OK)
		c4w_err_path(err, *rel ? rel : s->name);
	return cls;
}

static void dir_destroy(struct c4w_store *s)
{
	close(((struct dir_store *)s)->fd);
}

static const struct c4w_store_ops dir_ops = { dir_open, dir_stat, dir_list, dir_destroy };

int c4w_store_open_dir(const char *path, struct c4w_store **out, struct c4w_err *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), cls;
	struct dir_store *s;
	*out = NULL;
	if (fd < 0) {
		cls = c4w_fail_errno(err, errno, "can't open the directory");
		c4w_err_path(err, path);
		return cls;
	}
	s = c4w_store_alloc(sizeof *s, &dir_ops, path);
	if (!s) {
		close(fd);
		return c4w_fail_memory(err, sizeof *s);
	}
	s->fd = fd;
	*out = &s->base;
	return C4W_OK;
}
