/* Standard output: one stream whose failures are kept, so that main can tell a full device from a closed pipe. */
#include "command.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

static int first_errno;

static ssize_t write_all(void *cookie, const char *p, size_t n)
{
	size_t done = 0;
	(void)cookie;
	while (done < n) {
		ssize_t k = first_errno ? -1 : write(STDOUT_FILENO, p + done, n - done);
		if (k < 0 && !first_errno && errno == EINTR && !c4w_stop)
			continue;
		if (k < 0) {
			/* An interrupted write is not a failed device: main dies by the signal. */
			if (!first_errno)
				first_errno = errno;
			if (first_errno == EPIPE && !c4w_stop)
				c4w_stop = SIGPIPE;
			errno = first_errno;
			return 0;
		}
		done += (size_t)k;
	}
	return (ssize_t)n;
}

FILE *c4w_out_open(void)
{
	cookie_io_functions_t io = { .write = write_all };
	static char room[65536]; /* one stream a process */
	FILE *f = fopencookie(NULL, "w", io);
	if (f)
		setvbuf(f, room, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, sizeof room);
	return f;
}

bool c4w_out_failed(void)
{
	return first_errno != 0;
}

int c4w_out_close(FILE *out)
{
	if (fclose(out) != 0 && !first_errno)
		first_errno = errno ? errno : EIO;
	/* Network file systems report a full disk here. */
	if (close(STDOUT_FILENO) != 0 && !first_errno && errno != EBADF)
		first_errno = errno;
	return first_errno;
}
