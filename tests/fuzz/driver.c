/* Replays a corpus without a fuzzing engine: every file named, and every file in every folder named, goes through the target once. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned files;

static int replay(const char *path)
{
	struct stat st;
	FILE *f;
	uint8_t *data;
	size_t n;
	if (stat(path, &st) != 0 || (f = fopen(path, "rb")) == NULL) {
		perror(path);
		return 1;
	}
	/* Exactly as large as the input, so that the address sanitizer sees the first byte too many. */
	data = malloc(st.st_size ? (size_t)st.st_size : 1);
	n = data ? fread(data, 1, (size_t)st.st_size, f) : 0;
	fclose(f);
	if (data == NULL || n != (size_t)st.st_size) {
		free(data);
		fprintf(stderr, "%s: cannot be read\n", path);
		return 1;
	}
	fprintf(stderr, "%s\n", path);
	LLVMFuzzerTestOneInput(data, n);
	free(data);
	files++;
	return 0;
}

int main(int argc, char **argv)
{
	int i, bad = 0;
	for (i = 1; i < argc; i++) {
		struct stat st;
		struct dirent **list;
		int n, k;
		if (stat(argv[i], &st) == 0 && !S_ISDIR(st.st_mode)) {
			bad |= replay(argv[i]);
			continue;
		}
		n = scandir(argv[i], &list, NULL, alphasort);
		if (n < 0) {
			perror(argv[i]);
			bad = 1;
			continue;
		}
		for (k = 0; k < n; k++) {
			char path[4096];
			if (list[k]->d_name[0] != '.') {
				snprintf(path, sizeof path, "%s/%s", argv[i], list[k]->d_name);
				bad |= replay(path);
			}
			free(list[k]);
		}
		free(list);
	}
	printf("%u files replayed\n", files);
	return bad || files == 0;
}
