/* Start and end of every command: descriptors, signals, dispatch, version, the final check of standard output. */
#include "command.h"

#include "base/str.h"
#include "base/version.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <malloc.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>
#include <yaml.h>
#include <zipconf.h>
#include <zstd.h>

atomic_int c4w_stop;

static void on_signal(int number)
{
	/* The second one does not wait for anybody. */
	if (c4w_stop) {
		signal(number, SIG_DFL);
		raise(number);
	}
	c4w_stop = number;
}

static _Noreturn void die_by(int number)
{
	sigset_t set;
	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(number);
	_exit(128 + number);
}

static void set_signals(void)
{
	struct sigaction act = { .sa_handler = on_signal }, old;
	static const int stops[] = { SIGINT, SIGTERM, SIGHUP };
	size_t i;
	sigemptyset(&act.sa_mask);
	/* No SA_RESTART: a read from a pipe or a terminal must end. What the parent ignores (nohup) stays ignored. */
	for (i = 0; i < sizeof stops / sizeof *stops; i++)
		if (sigaction(stops[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(stops[i], &act, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/* A file opened later must not land on 0, 1 or 2. A missing one gets /dev/null in the direction that fails. */
static void open_standard(void)
{
	static const int flags[] = { O_WRONLY, O_RDONLY, O_WRONLY };
	int fd;
	for (fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
			int got = open("/dev/null", flags[fd]);
			if (got != fd)
				_exit(C4W_EXIT_FAILED);
		}
}

const struct c4w_entry *c4w_entry_find(const char *name)
{
	size_t low = 0, high = c4w_entries_count;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int c = strcmp(name, c4w_entries[mid].name);
		if (c == 0)
			return &c4w_entries[mid];
		if (c < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return NULL;
}

const char *c4w_entry_nearest(const char *name)
{
	const char *best = NULL;
	size_t distance = 3, i;
	for (i = 0; i < c4w_entries_count; i++) {
		size_t d = c4w_str_distance(name, c4w_entries[i].name);
		if (strlen(name) >= 3 && strncmp(name, c4w_entries[i].name, strlen(name)) == 0)
			d = 1;
		if (d < distance && d < strlen(name)) {
			distance = d;
			best = c4w_entries[i].name;
		}
	}
	return best;
}

void c4w_version(FILE *out)
{
	fprintf(out, "c4w %s\n", C4W_VERSION);
	/* libzip's headers speak for it: asking the library would open it. */
	fprintf(out, "zstd %s, libyaml %s, cJSON %s, libdeflate %s, libzip %s\n", ZSTD_versionString(), yaml_get_version_string(),
		cJSON_Version(), LIBDEFLATE_VERSION_STRING, LIBZIP_VERSION);
}

static int end(const char *name, FILE *out, int code)
{
	int problem = c4w_out_close(out);
	if (c4w_stop)
		die_by(c4w_stop);
	if (problem) {
		char text[128] = "";
		const char *said = strerror_r(problem, text, sizeof text);
		fprintf(stderr, "c4w%s%s: standard output: %s\n", *name ? " " : "", name, said);
		return C4W_EXIT_FAILED;
	}
	return code;
}

static int run(const char *name, int argc, char **argv, FILE *out)
{
	const struct c4w_entry *entry = c4w_entry_find(name);
	struct c4w_ctx ctx = { .name = name, .out = out, .err = stderr };
	struct c4w_err err = { 0 };
	void *args = NULL;
	int code = C4W_OK;
	if (!entry) {
		char shown[128];
		const char *nearest = c4w_entry_nearest(name);
		fprintf(stderr, "c4w: unknown command '%s'\n", c4w_str_escape(shown, sizeof shown, name, strlen(name)));
		if (nearest)
			fprintf(stderr, "hint: did you mean 'c4w %s'? 'c4w help' lists the commands\n", nearest);
		else
			fprintf(stderr, "hint: 'c4w help' lists the commands\n");
		return C4W_EXIT_USAGE;
	}
	ctx.command = entry->command;
	code = c4w_arena_zero(&ctx.arena, 1, entry->command->args_size + 1, &args, &err);
	ctx.args = args;
	if (code == C4W_OK)
		code = c4w_parse(&ctx, argc, argv, args, &err);
	if (code != C4W_OK)
		code = c4w_say(&ctx, &err);
	else if (ctx.shared.help)
		c4w_help_command(out, entry->command, ctx.shared.brief_help);
	else
		code = entry->command->run(&ctx, args);
	c4w_arena_clear(&ctx.arena);
	return code;
}

/* "c4w ls", or a link named "c4w-ls". */
int main(int argc, char **argv)
{
	const char *self, *name;
	FILE *out;
#ifdef M_MMAP_THRESHOLD
	struct rlimit space;
	/* Left alone, the C library keeps ever larger freed blocks in its heap, and what one group's records leave there does not fit the next
	 * one's: memory would grow with the number of groups. */
	mallopt(M_MMAP_THRESHOLD, 1 << 18);
	/* Each thread's heap of its own reserves 64 MiB of addresses, which a process that was given few needs for data. */
	if (getrlimit(RLIMIT_AS, &space) == 0 && space.rlim_cur != RLIM_INFINITY)
		mallopt(M_ARENA_MAX, 1);
#endif
	open_standard();
	set_signals();
	out = c4w_out_open();
	if (!out)
		return C4W_EXIT_FAILED;
	self = argc > 0 && argv[0] ? argv[0] : "c4w";
	self = strrchr(self, '/') ? strrchr(self, '/') + 1 : self;
	if (strncmp(self, "c4w-", 4) == 0 && c4w_entry_find(self + 4))
		return end(self + 4, out, run(self + 4, argc, argv, out));
	if (argc < 2) {
		c4w_help_list(stderr);
		return end("", out, C4W_EXIT_USAGE);
	}
	name = argv[1];
	if (strcmp(name, "--version") == 0) {
		c4w_version(out);
		return end("", out, C4W_EXIT_OK);
	}
	if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
		c4w_help_list(out);
		return end("", out, C4W_EXIT_OK);
	}
	if (name[0] == '-') {
		char shown[128];
		fprintf(stderr, "c4w: unknown option '%s'\nhint: see 'c4w --help'\n",
			c4w_str_escape(shown, sizeof shown, name, strlen(name)));
		return end("", out, C4W_EXIT_USAGE);
	}
	return end(name, out, run(name, argc - 1, argv + 1, out));
}
