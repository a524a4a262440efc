/* Runs a command once and says what it took: for scripts/bench.
 *
 *     measure RESULT COMMAND [ARGUMENT...]
 *
 * RESULT gets one line "exit wall user sys peak": seconds, and KiB of resident memory at most. A small program of its own, because the
 * kernel counts the memory of the process that forks as the child's. Time is taken around fork, exec and wait. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec * 1e-6;
}

int main(int argc, char **argv)
{
	struct timespec before, after;
	struct rusage used;
	int status, code;
	pid_t child;
	FILE *f;
	if (argc < 3) {
		fprintf(stderr, "usage: measure RESULT COMMAND [ARGUMENT...]\n");
		return 2;
	}
	clock_gettime(CLOCK_MONOTONIC, &before);
	child = vfork();
	if (child == 0) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	while (child < 0 || wait4(child, &status, 0, &used) < 0)
		if (child < 0 || errno != EINTR) {
			perror("measure");
			return 3;
		}
	clock_gettime(CLOCK_MONOTONIC, &after);
	code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	f = fopen(argv[1], "w");
	if (!f) {
		perror(argv[1]);
		return 3;
	}
	fprintf(f, "%d %.6f %.6f %.6f %ld\n", code,
		(double)(after.tv_sec - before.tv_sec) + (double)(after.tv_nsec - before.tv_nsec) * 1e-9, seconds(used.ru_utime),
		seconds(used.ru_stime), used.ru_maxrss);
	return fclose(f) == 0 ? 0 : 3;
}
