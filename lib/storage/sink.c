/* A destination directory: opening, locking, looking, and paths beneath it. Files are in sink_file.c. See sink.h.
 *
 * Paths are walked a component at a time with O_NOFOLLOW; what a component turns into afterwards does not matter, since the
 * open directory is what is used. The directory of the last path is kept open: payload comes in runs.
 *
 * Creating and renaming hold the kernel's lock on a directory. So that threads with many small files do not wait for each other there,
 * or spin, unfinished files that exist at the same time lie in directories of their own (lanes), and nobody renames under the sink's lock. */
#include "storage/sink_impl.h"
#include "storage/sink_dir.h"

#include "storage/store_impl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define PART ".c4w-part"

static int open_dir_at(int dir, const char *name)
{
	return openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static void place_leave_locked(struct c4w_sink_place *p)
{
	if (--p->users)
		return;
	close(p->fd);
	free(p->path);
	free(p);
}

/* A kept directory could be removed or swapped behind our back by another program; nothing is written outside all the same. Forget
 * it when we remove something ourselves. The lock is held. */
static void forget(struct c4w_sink *s)
{
	if (s->kept)
		place_leave_locked(s->kept);
	s->kept = NULL;
}

/* ---- lanes ---- */

static const char *lane_name(char name[16], unsigned lane)
{
	snprintf(name, 16, "l%u", lane);
	return name;
}

/* The lock is held. */
static int open_lane(struct c4w_sink *s, unsigned lane, struct c4w_err *err)
{
	int dir = lane ? s->lanes[0] : s->fd;
	char numbered[16];
	const char *name = lane ? lane_name(numbered, lane) : PART;
	if (s->lanes[lane] < 0 && (mkdirat(dir, name, 0700) == 0 || errno == EEXIST))
		s->lanes[lane] = open_dir_at(dir, name);
	return s->lanes[lane] >= 0 ? C4W_OK : c4w_write_failed(err, errno, "can't make its directory for unfinished files", s->name);
}

static void close_lanes(struct c4w_sink *s)
{
	char name[16];
	unsigned k;
	for (k = C4W_SINK_LANES; k-- > 0;)
		if (s->lanes[k] >= 0) {
			close(s->lanes[k]);
			unlinkat(k ? s->lanes[0] : s->fd, k ? lane_name(name, k) : PART, AT_REMOVEDIR);
		}
}

/* ---- opening ---- */

/* mkdir -p; remembers how much of the path was new. */
static int make_path(struct c4w_sink *s, struct c4w_err *err)
{
	size_t n = strlen(s->name), i;
	char *path = strdup(s->name);
	if (!path)
		return c4w_fail_memory(err, n);
	for (i = 1; i <= n; i++) {
		bool end = i == n;
		if ((!end && path[i] != '/') || path[i - 1] == '/')
			continue;
		path[i] = 0;
		if (mkdir(path, 0777) == 0) {
			if (s->made_count < sizeof s->made / sizeof s->made[0])
				s->made[s->made_count++] = i;
			s->is_new = end || strspn(s->name + i, "/") == n - i;
		} else if (errno != EEXIST && errno != EISDIR) {
			int r = c4w_write_failed(err, errno, "can't make the directory", path);
			free(path);
			return r;
		}
		path[i] = end ? 0 : '/';
	}
	free(path);
	return C4W_OK;
}

static void unmake_path(struct c4w_sink *s)
{
	char *path = strdup(s->name);
	while (path && s->made_count) {
		path[s->made[--s->made_count]] = 0;
		if (rmdir(path) != 0)
			break;
	}
	free(path);
}

static int lock_directory(struct c4w_sink *s, struct c4w_err *err)
{
	int r;
	/* On a file system without such locks (NFS has none on directories) the destination is written unlocked. */
	s->ours = flock(s->fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
	if (s->ours)
		return C4W_OK;
	r = c4w_fail(err, C4W_USAGE, "another c4w is writing to this directory");
	c4w_err_path(err, s->name);
	c4w_err_hint(err, "wait until it is done, or choose another destination");
	return r;
}

/* Remove the files in an open directory, and those in its directories with `lanes`. Takes fd; false when it can't be read. */
static bool clear_files(int fd, bool lanes)
{
	DIR *d = fdopendir(fd);
	struct dirent *e;
	if (!d) {
		close(fd);
		return false;
	}
	while ((e = readdir(d)) != NULL) {
		int lane;
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 || unlinkat(fd, e->d_name, 0) == 0 || !lanes)
			continue;
		lane = open_dir_at(fd, e->d_name);
		if (lane >= 0 && clear_files(lane, false))
			unlinkat(fd, e->d_name, AT_REMOVEDIR);
	}
	closedir(d);
	return true;
}

/* Remove what a killed run left. */
static int clear_part(struct c4w_sink *s, struct c4w_err *err)
{
	int fd = open_dir_at(s->fd, PART);
	if (fd < 0 && errno == ENOENT)
		return C4W_OK;
	if (fd < 0 || !clear_files(fd, true))
		return c4w_write_failed(err, errno, "its " PART " is not a directory of ours", s->name);
	unlinkat(s->fd, PART, AT_REMOVEDIR);
	return C4W_OK;
}

static int require_empty(struct c4w_sink *s, struct c4w_err *err)
{
	int fd = openat(s->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = C4W_OK;
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;
	if (!d) {
		r = c4w_write_failed(err, errno, "can't list", s->name);
		if (fd >= 0)
			close(fd);
		return r;
	}
	while (r == C4W_OK && (e = readdir(d)) != NULL)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
			r = c4w_fail(err, C4W_USAGE, "is not empty");
			c4w_err_path(err, s->name);
		}
	closedir(d);
	return r;
}

int c4w_sink_open(const char *path, unsigned flags, struct c4w_sink **out, struct c4w_err *err)
{
	struct c4w_sink *s = calloc(1, sizeof *s);
	int r = C4W_OK;
	unsigned k;
	*out = NULL;
	if (!s || !(s->name = strdup(path))) {
		free(s);
		return c4w_fail_memory(err, sizeof *s);
	}
	for (k = 0; k < C4W_SINK_LANES; k++)
		s->lanes[k] = -1;
	pthread_mutex_init(&s->lock, NULL);
	s->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (s->fd < 0 && errno == ENOENT && !(flags & C4W_SINK_EXISTS)) {
		r = make_path(s, err);
		if (r == C4W_OK)
			s->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	if (r == C4W_OK && s->fd < 0) {
		if (errno == ENOTDIR)
			r = c4w_fail(err, C4W_USAGE, "is not a directory");
		else
			r = c4w_fail_errno(err, errno, "can't open the directory");
		c4w_err_path(err, path);
	}
	if (r == C4W_OK)
		r = lock_directory(s, err);
	if (r == C4W_OK)
		r = clear_part(s, err);
	if (r == C4W_OK && flags & C4W_SINK_EMPTY)
		r = require_empty(s, err);
	if (r != C4W_OK) {
		c4w_sink_close(s);
		return r;
	}
	*out = s;
	return C4W_OK;
}

void c4w_sink_close(struct c4w_sink *s)
{
	if (!s)
		return;
	close_lanes(s);
	if (s->kept)
		place_leave_locked(s->kept);
	if (s->ours && !s->committed)
		unmake_path(s);
	if (s->fd >= 0)
		close(s->fd);
	pthread_mutex_destroy(&s->lock);
	free(s->name);
	free(s);
}

const char *c4w_sink_name(const struct c4w_sink *s)
{
	return s->name;
}

bool c4w_sink_is_new(const struct c4w_sink *s)
{
	return s->is_new;
}

/* Is `dir` the directory `of`, or below it? Climbs to the root. -1: can't tell, errno set. */
static int lies_in(int dir, const struct stat *of)
{
	struct stat here, above;
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), up, answer = -1;
	if (fd < 0 || fstat(fd, &here) != 0)
		goto out;
	for (;;) {
		if (here.st_dev == of->st_dev && here.st_ino == of->st_ino) {
			answer = 1;
			break;
		}
		up = openat(fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (up < 0 || fstat(up, &above) != 0) {
			if (up >= 0)
				close(up);
			break;
		}
		close(fd);
		fd = up;
		if (above.st_dev == here.st_dev && above.st_ino == here.st_ino) {
			answer = 0;
			break;
		}
		here = above;
	}
out:
	if (fd >= 0)
		close(fd);
	return answer;
}

/* The directory in which a file really lies. -1: errno is set. */
static int open_parent(const char *file)
{
	char *real = realpath(file, NULL), *slash = real ? strrchr(real, '/') : NULL;
	int fd = -1;
	if (slash) {
		slash[slash == real] = '\0';
		fd = open(real, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	free(real);
	return fd;
}

int c4w_sink_overlaps(const struct c4w_sink *s, const char *source, bool *overlaps, struct c4w_err *err)
{
	int fd = open(source, O_RDONLY | O_DIRECTORY | O_CLOEXEC), in = -1, around = -1, r;
	bool file = fd < 0 && errno == ENOTDIR;
	struct stat own, other;
	*overlaps = true;
	if (file)
		fd = open_parent(source);
	if (fd >= 0 && fstat(s->fd, &own) == 0 && fstat(fd, &other) == 0) {
		in = file ? 0 : lies_in(s->fd, &other);
		around = lies_in(fd, &own);
	}
	if (in < 0 || around < 0) {
		r = c4w_fail_errno(err, errno, "can't find out where the directory lies");
		c4w_err_path(err, source);
		if (fd >= 0)
			close(fd);
		return r;
	}
	close(fd);
	*overlaps = in || around;
	return C4W_OK;
}

int c4w_sink_space(const struct c4w_sink *s, uint64_t *bytes, struct c4w_err *err)
{
	struct statvfs v;
	if (fstatvfs(s->fd, &v) != 0)
		return c4w_write_failed(err, errno, "can't ask for free space", s->name);
	*bytes = (uint64_t)v.f_bavail * v.f_frsize;
	return C4W_OK;
}

int c4w_sink_sync(struct c4w_sink *s, struct c4w_err *err)
{
	return syncfs(s->fd) == 0 ? C4W_OK : c4w_write_failed(err, errno, "can't bring to the disk", s->name);
}

/* ---- paths beneath ---- */

static int in_the_way(struct c4w_err *err, int dir, const char *component, const char *rel)
{
	struct stat st;
	bool link = fstatat(dir, component, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode);
	c4w_fail(err, C4W_USAGE, link ? "'%s' is a symbolic link in the destination; nothing is written through it" :
		 "'%s' in the destination is not a directory", component);
	c4w_err_path(err, rel);
	return C4W_USAGE;
}

/* Walk to the directory `path` (n bytes, changed and put back), missing ones made when asked. *fd is the caller's. */
static int walk_to(struct c4w_sink *s, char *path, size_t n, bool make, int *fd, const char *rel, struct c4w_err *err)
{
	size_t i, from;
	int dir = s->fd, next;
	for (from = 0; from < n; from = i + 1) {
		char *component = path + from;
		for (i = from; i < n && path[i] != '/'; i++)
			;
		path[i] = 0;
		next = open_dir_at(dir, component);
		if (next < 0 && errno == ENOENT && make) {
			if (mkdirat(dir, component, 0777) == 0 || errno == EEXIST)
				next = open_dir_at(dir, component);
		}
		if (next < 0) {
			int e = errno, r;
			if (e == ENOENT && !make)
				r = C4W_ABSENT;
			else if (e == ENOTDIR || e == ELOOP)
				r = in_the_way(err, dir, component, rel);
			else
				r = c4w_write_failed(err, e, "can't make its directory", rel);
			if (dir != s->fd)
				close(dir);
			return r;
		}
		if (dir != s->fd)
			close(dir);
		dir = next;
		if (i < n)
			path[i] = '/';
	}
	*fd = dir;
	return C4W_OK;
}

/* The directory of `rel`, missing ones made when asked; place_leave gives it back. NULL stands for the destination itself. C4W_ABSENT,
 * without words, when one is missing; C4W_USAGE when something else is in the way. The lock is held. */
static int find_place(struct c4w_sink *s, const char *rel, size_t n, bool make, struct c4w_sink_place **out, struct c4w_err *err)
{
	struct c4w_sink_place *p = s->kept;
	int r;
	*out = NULL;
	if (n == 0)
		return C4W_OK;
	if (!p || strlen(p->path) != n || memcmp(p->path, rel, n) != 0) {
		p = calloc(1, sizeof *p);
		if (!p || !(p->path = strndup(rel, n))) {
			free(p);
			return c4w_fail_memory(err, n);
		}
		r = walk_to(s, p->path, n, make, &p->fd, rel, err);
		if (r != C4W_OK) {
			free(p->path);
			free(p);
			return r;
		}
		forget(s);
		s->kept = p;
		p->users = 1;
	}
	p->users++;
	*out = p;
	return C4W_OK;
}

static int place_of(struct c4w_sink *s, const char *rel, bool make, struct c4w_sink_place **out, int *fd, const char **base, struct c4w_err *err)
{
	const char *slash = strrchr(rel, '/');
	int r;
	*base = slash ? slash + 1 : rel;
	pthread_mutex_lock(&s->lock);
	r = find_place(s, rel, slash ? (size_t)(slash - rel) : 0, make, out, err);
	pthread_mutex_unlock(&s->lock);
	*fd = *out ? (*out)->fd : s->fd;
	return r;
}

/* `committed`: something is there now; a destination that this sink made stays. */
static void place_leave(struct c4w_sink *s, struct c4w_sink_place *p, bool committed)
{
	pthread_mutex_lock(&s->lock);
	s->committed |= committed;
	if (p)
		place_leave_locked(p);
	pthread_mutex_unlock(&s->lock);
}

int c4w_sink_check_path(const char *rel, struct c4w_err *err)
{
	size_t own = sizeof PART - 1;
	if (c4w_path_is_plain(rel, strlen(rel)) && !(strncmp(rel, PART, own) == 0 && (rel[own] == 0 || rel[own] == '/')))
		return C4W_OK;
	c4w_fail(err, C4W_USAGE, "is no path that can be written in a destination");
	c4w_err_path(err, rel);
	return C4W_USAGE;
}

int c4w_sink_stat(struct c4w_sink *s, const char *rel, struct c4w_stat *out, struct c4w_err *err)
{
	struct stat st;
	struct c4w_sink_place *place;
	const char *base;
	int fd, r;
	memset(out, 0, sizeof *out);
	C4W_TRY(c4w_sink_check_path(rel, err));
	r = place_of(s, rel, false, &place, &fd, &base, NULL);
	if (r == C4W_OK && fstatat(fd, base, &st, AT_SYMLINK_NOFOLLOW) != 0)
		r = errno == ENOENT ? C4W_ABSENT : c4w_write_failed(err, errno, "can't look at", rel);
	place_leave(s, place, false);
	if (r == C4W_ABSENT)
		return C4W_OK;
	if (r == C4W_USAGE) {
		out->kind = C4W_KIND_OTHER;
		out->is_link = true;
		return C4W_OK;
	}
	C4W_TRY(r);
	out->kind = S_ISREG(st.st_mode) ? C4W_KIND_FILE : S_ISDIR(st.st_mode) ? C4W_KIND_DIR : C4W_KIND_OTHER;
	out->is_link = S_ISLNK(st.st_mode);
	out->size = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	out->dev = (uint64_t)st.st_dev;
	out->ino = (uint64_t)st.st_ino;
	out->mtime_ns = (int64_t)st.st_mtim.tv_sec * 1000000000 + st.st_mtim.tv_nsec;
	return C4W_OK;
}

int c4w_sink_read(struct c4w_sink *s, const char *rel, struct c4w_blob **out, struct c4w_err *err)
{
	struct c4w_sink_place *place;
	const char *base;
	int fd, file = -1, r, e = 0;
	*out = NULL;
	C4W_TRY(c4w_sink_check_path(rel, err));
	r = place_of(s, rel, false, &place, &fd, &base, NULL);
	if (r == C4W_OK) {
		file = openat(fd, base, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		e = errno;
	}
	place_leave(s, place, false);
	if (file >= 0)
		return c4w_blob_adopt(file, rel, out, err);
	if (r == C4W_MEMORY)
		return c4w_fail_memory(err, strlen(rel));
	if (r == C4W_OK && e != ENOENT && e != ELOOP && e != ENOTDIR)
		r = c4w_write_failed(err, e, "can't open", rel);
	else
		r = c4w_fail(err, C4W_ABSENT, "is not in the destination");
	c4w_err_path(err, rel);
	return r;
}

int c4w_sink_remove(struct c4w_sink *s, const char *rel, struct c4w_err *err)
{
	struct c4w_sink_place *place;
	const char *base;
	int fd, r;
	C4W_TRY(c4w_sink_check_path(rel, err));
	r = place_of(s, rel, false, &place, &fd, &base, err);
	if (r == C4W_OK && unlinkat(fd, base, 0) != 0 && errno != ENOENT) {
		if (errno != EISDIR || unlinkat(fd, base, AT_REMOVEDIR) != 0)
			r = c4w_write_failed(err, errno, "can't remove", rel);
	}
	place_leave(s, place, false);
	pthread_mutex_lock(&s->lock);
	forget(s);
	pthread_mutex_unlock(&s->lock);
	return r == C4W_ABSENT ? C4W_OK : r;
}

int c4w_sink_mkdir(struct c4w_sink *s, const char *rel, struct c4w_err *err)
{
	struct c4w_sink_place *place;
	const char *base;
	bool made = false;
	int fd, r, own;
	C4W_TRY(c4w_sink_check_path(rel, err));
	r = place_of(s, rel, true, &place, &fd, &base, err);
	if (r == C4W_OK) {
		if (mkdirat(fd, base, 0777) == 0) {
			made = true;
		} else if (errno == EEXIST) {
			own = open_dir_at(fd, base);
			r = own >= 0 ? C4W_OK : in_the_way(err, fd, base, rel);
			if (own >= 0)
				close(own);
		} else {
			r = c4w_write_failed(err, errno, "can't make the directory", rel);
		}
	}
	place_leave(s, place, made);
	return r;
}

int c4w_sink_open_temporary(struct c4w_sink *s, mode_t mode, struct c4w_sink_temp *temp, const char *rel, int *fd, struct c4w_err *err)
{
	unsigned k, best = 0;
	int r;
	pthread_mutex_lock(&s->lock);
	for (k = 0; k < C4W_SINK_LANES && s->lane_files[best]; k++)
		if (s->lane_files[k] < s->lane_files[best])
			best = k;
	r = open_lane(s, 0, err);
	if (r == C4W_OK)
		r = open_lane(s, best, err);
	if (r == C4W_OK) {
		s->lane_files[best]++;
		temp->lane = best;
		snprintf(temp->name, sizeof temp->name, "%llu", (unsigned long long)s->next_temp++);
	}
	pthread_mutex_unlock(&s->lock);
	if (r != C4W_OK)
		return r;
	/* The destination's lock keeps other writers out, so the number is ours; a file that bears it is not opened but refused. */
	*fd = openat(s->lanes[best], temp->name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (*fd >= 0)
		return C4W_OK;
	r = c4w_write_failed(err, errno, "can't create", rel);
	c4w_sink_leave_temporary(s, temp, false);
	temp->name[0] = 0;
	return r;
}

void c4w_sink_leave_temporary(struct c4w_sink *s, const struct c4w_sink_temp *temp, bool remove_it)
{
	if (remove_it)
		unlinkat(s->lanes[temp->lane], temp->name, 0);
	pthread_mutex_lock(&s->lock);
	s->lane_files[temp->lane]--;
	pthread_mutex_unlock(&s->lock);
}

/* Into a directory that is open. 0, or what went wrong. */
static int rename_to(int lane, const char *name, int fd, const char *base, bool only_new)
{
	struct stat st;
	if (!only_new)
		return renameat(lane, name, fd, base) == 0 ? 0 : errno;
	if (renameat2(lane, name, fd, base, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return errno;
	/* A file system without that flag: look first. Only another program could come between. */
	if (fstatat(fd, base, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return EEXIST;
	return renameat(lane, name, fd, base) == 0 ? 0 : errno;
}

int c4w_sink_rename(struct c4w_sink *s, const struct c4w_sink_temp *temp, const char *rel, bool only_new, bool durable, struct c4w_err *err)
{
	struct c4w_sink_place *place;
	const char *base;
	int fd, r, e;
	bool done = false;
	r = place_of(s, rel, true, &place, &fd, &base, err);
	if (r == C4W_OK) {
		e = rename_to(s->lanes[temp->lane], temp->name, fd, base, only_new);
		done = e == 0;
		if (e == EEXIST || e == EISDIR || e == ENOTEMPTY) {
			r = c4w_fail(err, C4W_USAGE, e == EEXIST && only_new ? "exists already" : "is a directory in the destination");
			c4w_err_path(err, rel);
		} else if (e) {
			r = c4w_write_failed(err, e, "can't rename into place", rel);
		} else if (durable && fsync(fd) != 0) {
			r = c4w_write_failed(err, errno, "can't bring its directory to the disk", rel);
		}
	}
	place_leave(s, place, done);
	return r;
}
