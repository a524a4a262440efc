/* Preloaded in front of the C library: lets the n-th call of a kind fail, or kills the process there. For crash tests.
 *
 *     LD_PRELOAD=build/plain/tests/io/faultlib.so C4W_FAULT=write:3:kill c4w extract …
 *
 * C4W_FAULT    KIND:N:ACTION; several are separated by commas
 *   KIND       write (write, pwrite, copy_file_range), reserve (fallocate, ftruncate), rename, sync (fsync, fdatasync, syncfs), open (for
 *              writing or creating), close, mkdir, unlink, read (read, pread), any (all but read and close)
 *   N          the n-th such call, from 1; 0: every one
 *   ACTION     kill: SIGKILL instead of the call; after: the call, then SIGKILL; half: half of a write, then SIGKILL; short: half of a
 *              write, which says so; or an error by name: EIO, ENOSPC, EDQUOT, EACCES, EINTR, EMFILE, ENOENT, EXDEV
 * C4W_FAULT_UNDER   only calls on paths and descriptors below this directory count (links resolved); without it all do
 * C4W_FAULT_COUNTS  a file that gets "KIND COUNT" lines at exit, so that a test knows how far n goes
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* The C library declares some of these with attributes of their own; what matters here is that the symbols win. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wmissing-attributes"

enum kind { WRITE, RESERVE, RENAME, SYNC, OPEN, CLOSE, MKDIR, UNLINK, READ, ANY, KINDS };
static const char *const kind_names[KINDS] = { "write", "reserve", "rename", "sync", "open", "close", "mkdir", "unlink", "read", "any" };

enum { NOTHING = 0, KILL = -1, AFTER = -2, HALF = -3, SHORT = -4 }; /* above 0: an errno */

static atomic_long counts[KINDS];
static struct {
	enum kind kind;
	long n;
	int action;
} faults[16];
static int fault_count;
static char under[PATH_MAX];
static size_t under_len;
static pid_t owner;

static const struct {
	const char *name;
	int value;
} actions[] = { { "kill", KILL },     { "after", AFTER },   { "half", HALF },     { "short", SHORT },   { "EIO", EIO },
		{ "ENOSPC", ENOSPC }, { "EDQUOT", EDQUOT }, { "EACCES", EACCES }, { "EINTR", EINTR },   { "EMFILE", EMFILE },
		{ "ENOENT", ENOENT }, { "EXDEV", EXDEV } };

static void complain(const char *what)
{
	fprintf(stderr, "faultlib: C4W_FAULT: %s\n", what);
	_exit(125);
}

__attribute__((constructor)) static void setup(void)
{
	const char *spec = getenv("C4W_FAULT"), *dir = getenv("C4W_FAULT_UNDER");
	char *copy = spec ? strdup(spec) : NULL, *save = NULL, *one;
	owner = getpid();
	for (one = copy ? strtok_r(copy, ",", &save) : NULL; one; one = strtok_r(NULL, ",", &save)) {
		char *n = strchr(one, ':'), *action = n ? strchr(n + 1, ':') : NULL;
		size_t i;
		if (!action || fault_count == 16)
			complain("wants KIND:N:ACTION");
		*n++ = *action++ = 0;
		for (i = 0; i < KINDS && strcmp(one, kind_names[i]) != 0; i++)
			;
		if (i == KINDS)
			complain("unknown kind");
		faults[fault_count].kind = (enum kind)i;
		faults[fault_count].n = strtol(n, NULL, 10);
		for (i = 0; i < sizeof actions / sizeof actions[0] && strcmp(action, actions[i].name) != 0; i++)
			;
		if (i == sizeof actions / sizeof actions[0])
			complain("unknown action");
		faults[fault_count++].action = actions[i].value;
	}
	free(copy);
	if (dir) {
		if (!realpath(dir, under))
			snprintf(under, sizeof under, "%s", dir); /* not there yet: taken as it is */
		under_len = strlen(under);
	}
}

__attribute__((destructor)) static void report(void)
{
	const char *path = getenv("C4W_FAULT_COUNTS");
	FILE *f = path && getpid() == owner ? fopen(path, "w") : NULL;
	int i;
	if (!f)
		return;
	for (i = 0; i < KINDS; i++)
		fprintf(f, "%s %ld\n", kind_names[i], (long)counts[i]);
	fclose(f);
}

static bool below(const char *path)
{
	return strncmp(path, under, under_len) == 0 && (path[under_len] == 0 || path[under_len] == '/');
}

static bool fd_counts(int fd)
{
	char link[64], path[PATH_MAX];
	ssize_t n;
	if (!under_len)
		return true;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof path - 1);
	if (n < 0)
		return false;
	path[n] = 0;
	return below(path);
}

static bool path_counts(int dir, const char *path)
{
	char full[2 * PATH_MAX];
	if (!under_len)
		return true;
	if (path[0] == '/')
		return below(path);
	if (dir != AT_FDCWD)
		return fd_counts(dir);
	if (!getcwd(full, PATH_MAX))
		return false;
	snprintf(full + strlen(full), PATH_MAX, "/%s", path);
	return below(full);
}

/* One more call of this kind: what is to happen to it. */
static int fate(enum kind kind)
{
	long n = atomic_fetch_add(&counts[kind], 1) + 1, any = 0;
	int i;
	if (kind != READ && kind != CLOSE)
		any = atomic_fetch_add(&counts[ANY], 1) + 1;
	for (i = 0; i < fault_count; i++)
		if ((faults[i].kind == kind && (faults[i].n == n || faults[i].n == 0)) ||
		    (faults[i].kind == ANY && any && (faults[i].n == any || faults[i].n == 0)))
			return faults[i].action;
	return NOTHING;
}

static void die(void)
{
	kill(getpid(), SIGKILL);
	for (;;)
		pause();
}

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name)
{
	void *p = dlsym(RTLD_NEXT, name);
	if (!p)
		complain(name);
	return p;
}

/* The common frame: `call` is the real thing, `counted` whether it is looked at. */
#define FRAME(type, kind, counted, call)                \
	do {                                            \
		int fate_ = (counted) ? fate(kind) : 0; \
		type result_;                           \
		if (fate_ == KILL)                      \
			die();                          \
		if (fate_ > 0) {                        \
			errno = fate_;                  \
			return -1;                      \
		}                                       \
		result_ = (call);                       \
		if (fate_ == AFTER || fate_ == HALF)    \
			die();                          \
		return result_;                         \
	} while (0)

/* For writes: `n` is halved where half or short is asked for. */
#define WRITE_FRAME(counted, n, call)                                 \
	do {                                                          \
		int fate_ = (counted) ? fate(WRITE) : 0;              \
		ssize_t result_;                                      \
		if (fate_ == KILL)                                    \
			die();                                        \
		if (fate_ > 0) {                                      \
			errno = fate_;                                \
			return -1;                                    \
		}                                                     \
		if ((fate_ == HALF || fate_ == SHORT) && n > 1)       \
			n /= 2;                                       \
		result_ = (call);                                     \
		if (fate_ == AFTER || fate_ == HALF)                  \
			die();                                        \
		return result_;                                       \
	} while (0)

ssize_t write(int fd, const void *p, size_t n)
{
	WRITE_FRAME(fd_counts(fd), n, REAL(write)(fd, p, n));
}
ssize_t pwrite(int fd, const void *p, size_t n, off_t at)
{
	WRITE_FRAME(fd_counts(fd), n, REAL(pwrite)(fd, p, n, at));
}
ssize_t pwrite64(int fd, const void *p, size_t n, off64_t at)
{
	WRITE_FRAME(fd_counts(fd), n, REAL(pwrite64)(fd, p, n, at));
}
ssize_t copy_file_range(int in, off64_t *in_at, int out, off64_t *out_at, size_t n, unsigned flags)
{
	WRITE_FRAME(fd_counts(out), n, REAL(copy_file_range)(in, in_at, out, out_at, n, flags));
}
ssize_t read(int fd, void *p, size_t n)
{
	FRAME(ssize_t, READ, fd_counts(fd), REAL(read)(fd, p, n));
}
ssize_t pread(int fd, void *p, size_t n, off_t at)
{
	FRAME(ssize_t, READ, fd_counts(fd), REAL(pread)(fd, p, n, at));
}
ssize_t pread64(int fd, void *p, size_t n, off64_t at)
{
	FRAME(ssize_t, READ, fd_counts(fd), REAL(pread64)(fd, p, n, at));
}
int fallocate(int fd, int mode, off_t at, off_t n)
{
	FRAME(int, RESERVE, fd_counts(fd), REAL(fallocate)(fd, mode, at, n));
}
int fallocate64(int fd, int mode, off64_t at, off64_t n)
{
	FRAME(int, RESERVE, fd_counts(fd), REAL(fallocate64)(fd, mode, at, n));
}
int ftruncate(int fd, off_t n)
{
	FRAME(int, RESERVE, fd_counts(fd), REAL(ftruncate)(fd, n));
}
int ftruncate64(int fd, off64_t n)
{
	FRAME(int, RESERVE, fd_counts(fd), REAL(ftruncate64)(fd, n));
}
int fsync(int fd)
{
	FRAME(int, SYNC, fd_counts(fd), REAL(fsync)(fd));
}
int fdatasync(int fd)
{
	FRAME(int, SYNC, fd_counts(fd), REAL(fdatasync)(fd));
}
int syncfs(int fd)
{
	FRAME(int, SYNC, fd_counts(fd), REAL(syncfs)(fd));
}
int rename(const char *from, const char *to)
{
	FRAME(int, RENAME, path_counts(AT_FDCWD, to), REAL(rename)(from, to));
}
int renameat(int dir, const char *from, int to_dir, const char *to)
{
	FRAME(int, RENAME, path_counts(to_dir, to), REAL(renameat)(dir, from, to_dir, to));
}
int renameat2(int dir, const char *from, int to_dir, const char *to, unsigned flags)
{
	FRAME(int, RENAME, path_counts(to_dir, to), REAL(renameat2)(dir, from, to_dir, to, flags));
}
int mkdir(const char *path, mode_t mode)
{
	FRAME(int, MKDIR, path_counts(AT_FDCWD, path), REAL(mkdir)(path, mode));
}
int mkdirat(int dir, const char *path, mode_t mode)
{
	FRAME(int, MKDIR, path_counts(dir, path), REAL(mkdirat)(dir, path, mode));
}
int unlink(const char *path)
{
	FRAME(int, UNLINK, path_counts(AT_FDCWD, path), REAL(unlink)(path));
}
int unlinkat(int dir, const char *path, int flags)
{
	FRAME(int, UNLINK, path_counts(dir, path), REAL(unlinkat)(dir, path, flags));
}

int close(int fd)
{
	/* A failing close has closed all the same. */
	int fate_ = fd_counts(fd) ? fate(CLOSE) : 0, r;
	if (fate_ == KILL)
		die();
	r = REAL(close)(fd);
	if (fate_ == AFTER || fate_ == HALF)
		die();
	if (fate_ > 0) {
		errno = fate_;
		return -1;
	}
	return r;
}

#define OPEN_BODY(dir, path, flags, call)                                          \
	do {                                                                       \
		mode_t mode = 0;                                                   \
		bool writes = (flags & O_ACCMODE) != O_RDONLY || flags & O_CREAT;  \
		if (flags & (O_CREAT | __O_TMPFILE)) {                             \
			va_list ap;                                                \
			va_start(ap, flags);                                       \
			mode = (mode_t)va_arg(ap, unsigned);                       \
			va_end(ap);                                                \
		}                                                                  \
		FRAME(int, OPEN, writes && path_counts(dir, path), call);          \
	} while (0)

int open(const char *path, int flags, ...)
{
	OPEN_BODY(AT_FDCWD, path, flags, REAL(open)(path, flags, mode));
}
int open64(const char *path, int flags, ...)
{
	OPEN_BODY(AT_FDCWD, path, flags, REAL(open64)(path, flags, mode));
}
int openat(int dir, const char *path, int flags, ...)
{
	OPEN_BODY(dir, path, flags, REAL(openat)(dir, path, flags, mode));
}
int openat64(int dir, const char *path, int flags, ...)
{
	OPEN_BODY(dir, path, flags, REAL(openat64)(dir, path, flags, mode));
}
