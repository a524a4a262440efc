/* How long computing a record's frequency response takes, reading it apart: what scripts/bench compares with numpy's time in its process.
 *
 * usage: response_time ROOT SCENE HZ BS A B N THREADS RUNS    prints seconds, one line a run
 */
#include "base/pool.h"
#include "c4w.h"
#include "families/chw_transform.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PARTS = 64 };

struct work {
	struct chw_paths p;
	double *delay, *base, *offsets, *out;
	size_t n;
};

static void part(void *ctx, struct c4w_worker *w, size_t i)
{
	struct work *k = ctx;
	size_t lo = k->p.links * i / PARTS, hi = k->p.links * (i + 1) / PARTS;
	if (chw_frequency_response(&k->p, k->delay, k->base, k->offsets, k->n, lo, hi, &w->arena, k->out + 2 * k->n * lo, NULL) != C4W_OK)
		exit(3);
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
	struct c4w_root *root;
	struct c4w_arrays *core;
	struct c4w_pool *pool;
	struct c4w_err err;
	struct work k = { .n = 0 };
	double a, b;
	size_t i;
	int run;
	if (argc != 10)
		return 2;
	if (c4w_root_open(argv[1], NULL, &root, &err) != C4W_OK ||
	    c4w_record_read(root, argv[2], strtoll(argv[3], NULL, 10), strtoll(argv[4], NULL, 10), "core", &core, &err) != C4W_OK ||
	    c4w_pool_new((unsigned)strtoul(argv[8], NULL, 10), &pool, &err) != C4W_OK) {
		fprintf(stderr, "%s\n", err.message);
		return 3;
	}
	k.p = (struct chw_paths){ c4w_arrays_view(core, "link_ue_index")->count, c4w_arrays_view(core, "tau")->count,
				  c4w_arrays_view(core, "link_path_offsets")->data, c4w_arrays_view(core, "a_real")->data,
				  c4w_arrays_view(core, "a_imag")->data, c4w_arrays_view(core, "tau")->data, strtod(argv[3], NULL) };
	a = strtod(argv[5], NULL);
	b = strtod(argv[6], NULL);
	k.n = strtoul(argv[7], NULL, 10);
	k.offsets = malloc(k.n * sizeof *k.offsets);
	for (i = 0; i < k.n; i++)
		k.offsets[i] = a + (double)i * (b - a) / (double)(k.n - 1);
	for (run = atoi(argv[9]); run > 0; run--) {
		double start = now();
		/* As numpy does: arrays made anew each time. */
		k.delay = malloc(k.p.paths * sizeof *k.delay);
		k.base = malloc(2 * k.p.paths * sizeof *k.base);
		k.out = malloc(2 * k.n * k.p.links * sizeof *k.out);
		if (!k.delay || !k.base || !k.out || !k.offsets)
			return 3;
		chw_relative_delay(&k.p, CHW_ABSOLUTE, k.delay);
		chw_baseband(&k.p, k.delay, k.base);
		c4w_pool_for(pool, PARTS, part, &k);
		printf("%.6f\n", now() - start);
		free(k.delay);
		free(k.base);
		free(k.out);
	}
	free(k.offsets);
	c4w_pool_free(pool);
	c4w_arrays_free(core);
	c4w_root_close(root);
	return 0;
}
