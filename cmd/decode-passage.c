/* `c4w decode-passage`: scenes of PASSAGE in formats that other programs read, and as pictures. */
#include "command.h"
#include "support/progress.h"

#include "base/limits.h"
#include "families/psg_decode.h"
#include "storage/stream.h"

#include <stdlib.h>
#include <string.h>

struct args {
	const char *output;
	int format, channel;
	bool metres, skip, dry_run, raw_elevation, show;
	int64_t scale, size;
	struct c4w_strings resolution, index, split, solver, variant;
};

#define AT(field) offsetof(struct args, field)

static const char *const channels[] = { "elevation", "markers", "obstacles", "all", NULL };
static const char *const resolutions[] = { "64", "128", "256", "512", "1024", "2048", "4096", NULL };

static const struct c4w_option options[] = {
	{ .name = "output", .letter = 'o', .kind = C4W_OPT_PATH, .arg = "PATH", .offset = AT(output), .brief = "the file, or the folder, to write",
	  .text = "Where to write: a file for a single scene (an input that is one, or one --index and a name that ends as the format does), a "
		  "folder for several, or for one when PATH exists as a folder or ends in a "
		  "slash. In a folder scenes lie as in the generator's tree, with new endings. Without it, or with -, a single scene goes to "
		  "standard output." },
	{ .name = "format", .kind = C4W_OPT_ENUM, .arg = "FORMAT", .offset = AT(format), .values = c4w_psg_format_name, .def = "npy",
	  .brief = "npy, raw, csv, png, pfm or geojson",
	  .text = "npy: the bytes that numpy.save writes. raw: float32 without a header, little-endian. csv: a line a row of one channel, or a line a "
		  "cell of all three. png: a picture. pfm: a portable float map. geojson: the crop, start, goal and routes in longitude and "
		  "latitude, with cost and length." },
	{ .name = "to", .kind = C4W_OPT_ENUM, .arg = "FORMAT", .offset = AT(format), .values = c4w_psg_format_name,
	  .brief = "another name of --format", .text = "Another name of --format." },
	{ .name = "channel", .kind = C4W_OPT_ENUM, .arg = "NAME", .offset = AT(channel), .values = channels, .def = "all",
	  .brief = "elevation, markers, obstacles or all",
	  .text = "Which of the tensor's channels npy, raw, csv and pfm hold. A single one has the shape (R, R)." },
	{ .name = "metres", .kind = C4W_OPT_FLAG, .offset = AT(metres), .brief = "elevation in metres, by the scene's own range",
	  .text = "Elevation in metres, by the range in the scene's own metadata: float64 in npy and raw, float32 in pfm." },
	{ .name = "resolution", .kind = C4W_OPT_LIST, .arg = "R", .offset = AT(resolution), .values = resolutions,
	  .brief = "only these resolutions; of a loose blob: its resolution",
	  .text = "Only scenes of these resolutions, separated by commas. Of a loose blob it is the resolution, which must be given when the blob "
		  "does not declare its size." },
	{ .name = "split", .kind = C4W_OPT_LIST, .arg = "NAME", .offset = AT(split), .values = c4w_psg_split, .brief = "only these splits",
	  .text = "Only scenes of these splits: train, calibration, validation, test." },
	{ .name = "index", .kind = C4W_OPT_LIST, .arg = "N,M-K", .offset = AT(index), .brief = "only these scene indices",
	  .text = "Only scenes with these indices: numbers and ranges, separated by commas." },
	{ .name = "solver", .kind = C4W_OPT_LIST, .arg = "NAME", .offset = AT(solver), .values = c4w_psg_solver,
	  .brief = "only routes of these solvers", .text = "Only routes of these solvers, in png and geojson. The names may go without astar_." },
	{ .name = "variant", .kind = C4W_OPT_LIST, .arg = "NAME", .offset = AT(variant), .values = c4w_psg_variant,
	  .brief = "only free routes, or those around obstacles", .text = "Only routes that ignore obstacles (free) or avoid them (obstacles)." },
	{ .name = "skip-existing", .kind = C4W_OPT_FLAG, .offset = AT(skip), .brief = "leave files that are there alone",
	  .text = "Leave files that are there alone. Without it they are replaced, each at once when its successor is complete." },
	{ .name = "dry-run", .letter = 'n', .kind = C4W_OPT_FLAG, .offset = AT(dry_run), .brief = "print what would be written",
	  .text = "Write nothing; print the path of each file that would be written and, where it is known, its size." },
	{ .name = "scale", .kind = C4W_OPT_INT, .arg = "N", .offset = AT(scale), .min = 1, .max = 256, .brief = "png: pixels a cell",
	  .text = "Pixels a cell of the map in a picture.", .conflicts = "size raw-elevation" },
	{ .name = "size", .kind = C4W_OPT_INT, .arg = "N", .offset = AT(size), .min = 32, .max = 16384, .brief = "png: pixels a side of the map",
	  .text = "Pixels a side of the map in a picture. Without it and --scale, about 768 to 1024.", .conflicts = "scale raw-elevation" },
	{ .name = "raw-elevation", .kind = C4W_OPT_FLAG, .offset = AT(raw_elevation), .brief = "png: 16-bit greyscale instead of a picture",
	  .text = "A PNG of R x R pixels in 16-bit greyscale instead of a picture: 0 is the range's minimum, 65535 its maximum." },
	{ .name = "show", .kind = C4W_OPT_FLAG, .offset = AT(show), .brief = "draw in the terminal",
	  .text = "Draw each scene in the terminal: half blocks in true colour or 256 colours, shades of text where the terminal can do no better "
		  "or --color is never.",
	  .conflicts = "output dry-run skip-existing" },
	{ .name = NULL },
};

static const struct c4w_example examples[] = {
	{ "c4w decode-passage 0000000001.npy.zst -o scene.npy", "one blob, as numpy.save would write it" },
	{ "c4w decode-passage tree -o out -j 4", "a whole tree" },
	{ "c4w decode-passage tree --split test --format png -o pictures", "pictures of the test scenes" },
	{ "c4w decode-passage data-00000.parquet --index 7 --channel elevation --metres --format csv", "a row of a shard as text" },
	{ NULL, NULL },
};

static int run(struct c4w_ctx *ctx, void *args);

const struct c4w_command c4w_command_decode_passage = {
	.name = "decode-passage",
	.group = "PASSAGE",
	.summary = "decode PASSAGE scenes to NPY, raw, CSV, PFM, GeoJSON or pictures",
	.synopsis = "[OPTIONS] INPUT...",
	.prose = "INPUT is a tensor blob (.npy.zst), - for a blob on standard input, a scene's file in a generator tree, a tree or one of its "
		 "resolutions or splits, a Parquet shard, or a folder of shards. The resolution comes from the directory, the metadata or the "
		 "blob's declared size; a contradiction is an error.\n\n"
		 "A blob must be exactly one Zstandard frame of the right size; its size is checked before memory is taken. Large tensors are written "
		 "as npy and raw while they are decoded, in memory that does not grow with them.\n\n"
		 "There may be several INPUTs, of several kinds. What goes to one file twice is written once when it is the same, as in a shard of "
		 "samples; another one is told and not written.\n\n"
		 "Pictures show shaded relief in colours by height, obstacles, start and goal, and the routes. They need libpng and cairo, which "
		 "are opened when they are used.",
	.options = options,
	.shares = C4W_SHARE_JOBS | C4W_SHARE_JSON | C4W_SHARE_QUIET | C4W_SHARE_PROGRESS | C4W_SHARE_MEMORY,
	.args_size = sizeof(struct args),
	.min_operands = 1,
	.max_operands = -1,
	.operands = "path",
	.examples = examples,
	.exit_notes = "Damaged scenes are told, the others are still decoded. A damaged scene leaves no file; what of it is on standard output is not "
		      "whole.",
	.see_also = "c4w-cat(1) c4w-extract(1) c4w-verify(1)",
	.run = run,
};

struct decode {
	struct c4w_ctx *ctx;
	struct c4w_psg_decode o;
	struct c4w_progress progress;
	struct c4w_outfile *file; /* -o FILE */
	bool to_stdout, to_file, dry_run, show;
	bool there;       /* -o FILE exists and is to be left alone */
	const char *only; /* -o FILE of a dry run */
	int code;
	uint64_t scenes;
	struct c4w_err failed; /* of -o FILE */
};

static int second_scene(struct c4w_err *err)
{
	return c4w_fail(err, C4W_USAGE, "more than one scene is selected; give a folder with -o");
}

/* Bytes for -o FILE or standard output. What is wrong with those is no fault of the scene: it is told once, by the caller or by main. */
static int put(void *ctx, uint64_t at, uint64_t size, const void *p, size_t n, struct c4w_err *err)
{
	struct decode *d = ctx;
	if (d->scenes)
		return second_scene(err);
	if (d->to_file) {
		int cls = at == 0 && size > C4W_RESERVE ? c4w_outfile_reserve(d->file, size, &d->failed) : C4W_OK;
		if (cls == C4W_OK)
			cls = c4w_outfile_write(d->file, p, n, &d->failed);
		return cls == C4W_OK ? cls : c4w_fail(err, (enum c4w_class)cls, "can't be written");
	}
	if (at == 0)
		c4w_progress_wipe(&d->progress);
	fwrite(p, 1, n, d->ctx->out);
	return c4w_out_failed() ? c4w_fail(err, C4W_CANCELLED, "standard output takes no more") : C4W_OK;
}

static void tell(struct decode *d, const struct c4w_item *item, struct c4w_err *err)
{
	if (!err->path[0])
		c4w_err_path(err, item->id.text);
	else if (strncmp(err->path, item->id.text, strlen(item->id.text)) != 0) /* more than the item's own file */
		c4w_err_prefix(err, "%s", item->id.text);
	d->code = c4w_exit_worst(d->code, c4w_say(d->ctx, err));
}

static bool deliver(void *ctx, struct c4w_item *item, struct c4w_result *result)
{
	struct decode *d = ctx;
	struct c4w_psg_decoded *got = result->data;
	const char *path;
	FILE *out = d->ctx->out;
	if (c4w_out_failed() || d->failed.cls != C4W_OK)
		return false;
	if (d->scenes++ && (d->to_stdout || d->to_file)) {
		second_scene(&d->failed);
		return false;
	}
	if (!got) { /* not worked on: it needs more than --memory */
		struct c4w_err err;
		(void)c4w_findings_err(&result->findings, &err);
		tell(d, item, &err);
		return true;
	}
	path = d->only ? d->only : got->path;
	if (got->err.cls != C4W_OK) {
		tell(d, item, &got->err);
	} else if (d->show) {
		c4w_progress_wipe(&d->progress);
		fprintf(out, "%s%s\n", d->scenes > 1 ? "\n" : "", item->id.text);
		fwrite(got->p, 1, (size_t)got->n, out);
	} else if (d->to_file || (d->to_stdout && !d->dry_run)) {
		return !c4w_out_failed(); /* put has written it */
	} else if (d->ctx->shared.json) {
		struct c4w_buf b = { 0 };
		c4w_buf_puts(&b, "{\"type\": \"file\", \"item\": ");
		c4w_buf_json(&b, item->id.text, strlen(item->id.text));
		c4w_buf_puts(&b, ", \"path\": ");
		c4w_buf_json(&b, path, strlen(path));
		if (got->n || !d->dry_run)
			c4w_buf_printf(&b, ", \"bytes\": %llu", (unsigned long long)got->n);
		else
			c4w_buf_puts(&b, ", \"bytes\": null");
		c4w_buf_printf(&b, ", \"skipped\": %s}\n", got->skipped ? "true" : "false");
		c4w_progress_wipe(&d->progress);
		fwrite(b.p, 1, b.n, out);
		c4w_buf_clear(&b);
	} else if (d->dry_run && !got->skipped) {
		c4w_progress_wipe(&d->progress);
		fprintf(out, "%s", path);
		if (got->n)
			fprintf(out, "\t%llu", (unsigned long long)got->n);
		fputc('\n', out);
	}
	return !c4w_out_failed();
}

static void progress(void *ctx, uint64_t items, uint64_t bytes)
{
	struct decode *d = ctx;
	c4w_progress_step(&d->progress, items, bytes);
}

/* A blob on standard input, read to its end. */
static int open_stdin(struct c4w_ctx *ctx, struct c4w_psg_input *in, struct c4w_err *err)
{
	struct c4w_stream *s;
	const char *p = NULL;
	size_t n = 0;
	int cls = c4w_stream_open("-", &s, err);
	if (cls != C4W_OK)
		return cls;
	cls = c4w_stream_slurp(s, ctx->shared.memory, &ctx->arena, &p, &n, err);
	c4w_stream_close(s);
	if (cls != C4W_OK)
		return cls;
	memset(in, 0, sizeof *in);
	in->name = "-";
	return c4w_blob_memory("-", p, n, false, &in->blob, err);
}

static int select_scenes(struct c4w_ctx *ctx, const struct args *a, struct c4w_psg_select **out, struct c4w_err *err)
{
	const struct {
		const char *name;
		const struct c4w_strings *list;
	} from[] = { { "resolution", &a->resolution }, { "split", &a->split }, { "index", &a->index }, { "solver", &a->solver },
		     { "variant", &a->variant } };
	struct c4w_selarg *v;
	struct c4w_selargs args = { NULL, 0 };
	size_t i, k, n = 0;
	void *mem;
	for (i = 0; i < 5; i++)
		n += from[i].list->n;
	C4W_TRY(c4w_arena_zero(&ctx->arena, n + 1, sizeof *v, &mem, err));
	v = mem;
	for (i = 0; i < 5; i++)
		for (k = 0; k < from[i].list->n; k++)
			v[args.n++] = (struct c4w_selarg){ from[i].name, from[i].list->v[k] };
	args.v = v;
	return c4w_psg_select_parse(&args, out, err);
}

static bool ends_in_slash(const char *s)
{
	return *s && s[strlen(s) - 1] == '/';
}

/* Does the name of -o end as the format does? */
static bool named_as_file(const struct args *a)
{
	const char *dot = strrchr(a->output, '.');
	return dot && strcmp(dot + 1, c4w_psg_format_name[a->format]) == 0;
}

static bool is_file(const char *path)
{
	struct c4w_blob *b;
	if (c4w_blob_file(path, &b, NULL) != C4W_OK)
		return false;
	c4w_blob_close(b);
	return true;
}

static int one_input(struct decode *d, struct c4w_psg_input *in, const char *path, struct c4w_err *err)
{
	struct c4w_drive_opts drive = { .jobs = (unsigned)d->ctx->shared.jobs, .memory = d->ctx->shared.memory, .cancel = &c4w_stop,
					.deliver = deliver, .progress = progress, .ctx = d };
	struct c4w_job job = { 0 };
	uint64_t before = d->scenes;
	int cls;
	c4w_progress_again(&d->progress);
	if (d->to_stdout || d->to_file || d->show) /* a single scene, or one after the other */
		drive.jobs = 1;
	cls = c4w_psg_decode_job(in, &d->o, &job, err);
	if (cls == C4W_OK)
		cls = c4w_drive(&job, &drive, err);
	c4w_job_destroy(&job);
	if (cls == C4W_OK && d->failed.cls != C4W_OK) {
		*err = d->failed;
		return (int)err->cls;
	}
	/* Of several inputs one may well have none. */
	if (cls == C4W_OK && d->scenes == before && d->ctx->operands == 1 && !c4w_out_failed()) {
		cls = c4w_fail(err, C4W_USAGE, "there is no scene that is selected");
		c4w_err_path(err, path);
	}
	return cls;
}

/* Would writing -o FILE replace the input? */
static bool replaces_input(const struct decode *d)
{
	struct c4w_stat to, from;
	struct c4w_blob *b;
	c4w_outfile_replaces(d->file, &to);
	if (to.kind != C4W_KIND_FILE || c4w_blob_file(d->ctx->operand[0], &b, NULL) != C4W_OK)
		return false;
	c4w_blob_stat(b, &from);
	c4w_blob_close(b);
	return to.dev == from.dev && to.ino == from.ino;
}

/* Several scenes need a folder, a single one may have a file or standard output. */
static int choose_output(struct decode *d, const struct args *a, bool single, struct c4w_sink **sink, struct c4w_err *err)
{
	const char *o = a->output;
	if (d->show || (a->dry_run && !o))
		return C4W_OK;
	if (!o || strcmp(o, "-") == 0) {
		if (!single)
			return c4w_fail(err, C4W_USAGE, "several scenes need a folder to go to; give one with -o");
		if (a->format != C4W_PSG_CSV && a->format != C4W_PSG_GEOJSON && c4w_is_terminal(d->ctx->out))
			return c4w_fail(err, C4W_USAGE, "binary data is not written to a terminal; give a file with -o, or --show");
		d->to_stdout = true;
		return C4W_OK;
	}
	if (single && !ends_in_slash(o) && !c4w_path_is_dir(o)) {
		d->there = a->skip && is_file(o);
		d->only = o;
		if (a->dry_run || d->there)
			return C4W_OK;
		d->to_file = true;
		C4W_TRY(c4w_outfile_open(o, &d->file, err));
		if (!replaces_input(d))
			return C4W_OK;
		c4w_fail(err, C4W_USAGE, "input and output are the same file");
		c4w_err_path(err, o);
		return C4W_USAGE;
	}
	if (a->dry_run && !c4w_path_is_dir(o)) /* nothing is there to be skipped, and nothing is made */
		return C4W_OK;
	return c4w_sink_open(o, a->dry_run ? C4W_SINK_EXISTS : 0, sink, err);
}

static void terminal(struct decode *d)
{
	unsigned columns = c4w_columns();
	d->o.show = c4w_terminal(d->ctx);
	d->o.sketch = columns < 16 ? 16 : columns > 160 ? 160 : columns;
}

static int run(struct c4w_ctx *ctx, void *p)
{
	struct args *a = p;
	struct decode d = { .ctx = ctx, .dry_run = a->dry_run, .show = a->show };
	struct c4w_psg_select *sel = NULL;
	struct c4w_psg_input in = { 0 };
	struct c4w_sink *sink = NULL;
	struct c4w_psg_claims *claims = NULL;
	struct c4w_err err;
	int i, k, cls;
	c4w_err_clear(&err);
	c4w_err_clear(&d.failed);
	cls = select_scenes(ctx, a, &sel, &err);
	if (cls != C4W_OK)
		goto out;
	d.o = (struct c4w_psg_decode){ .sel = sel, .put = put, .ctx = &d, .skip_existing = a->skip, .dry_run = a->dry_run,
				       .memory = ctx->shared.memory };
	d.o.encode = (struct c4w_psg_encode){ .format = (enum c4w_psg_format)a->format, .channel = (unsigned)a->channel, .metres = a->metres,
					      .raw_elevation = a->raw_elevation, .scale = (uint32_t)a->scale, .size = (uint32_t)a->size };
	for (k = 0; k < C4W_PSG_ROUTES; k++)
		if (c4w_psg_selects_route(sel, k))
			d.o.encode.routes |= 1u << k;
	if (sel->r_count == 1)
		d.o.r = sel->r[0];
	if (a->show)
		terminal(&d);
	c4w_progress_begin(&d.progress, ctx);
	d.progress.noun = "scenes";
	for (i = 0; i < ctx->operands && !c4w_stop && !c4w_out_failed(); i++) {
		const char *path = ctx->operand[i];
		cls = strcmp(path, "-") == 0 ? open_stdin(ctx, &in, &err) : c4w_psg_input_open(path, &in, &err);
		if (cls != C4W_OK) {
			c4w_err_path(&err, path);
			d.code = c4w_exit_worst(d.code, c4w_say_open(ctx, &err));
			c4w_err_clear(&err);
			cls = C4W_OK;
			continue;
		}
		if (i == 0 || (!sink && !d.to_stdout && !d.to_file)) {
			bool single = ctx->operands == 1 && c4w_psg_input_single(&in);
			/* One index is one scene, unless a second one turns up; a folder is not called x.npy. */
			if (ctx->operands == 1 && sel->index_count == 1 && sel->index[0].first == sel->index[0].last &&
			    (!a->output || strcmp(a->output, "-") == 0 || named_as_file(a)))
				single = true;
			cls = choose_output(&d, a, single, &sink, &err);
			d.o.sink = sink;
			if (cls == C4W_OK && d.to_stdout && !c4w_psg_input_single(&in) && c4w_psg_input_several(&in, sel))
				cls = second_scene(&err);
		}
		if (cls == C4W_OK && sink && !claims && (ctx->operands > 1 || c4w_psg_input_collides(&in)))
			cls = c4w_psg_claims_new(&claims, &err);
		d.o.claims = claims;
		if (cls == C4W_OK && !d.there)
			cls = one_input(&d, &in, path, &err);
		c4w_psg_input_close(&in);
		if (cls != C4W_OK)
			break;
	}
	if (cls == C4W_OK && i > 1 && !d.scenes && !d.code && !c4w_stop && !c4w_out_failed())
		cls = c4w_fail(&err, C4W_USAGE, "no input has a scene that is selected");
out:
	c4w_progress_end(&d.progress);
	c4w_psg_input_close(&in);
	if (cls != C4W_OK && cls != C4W_CANCELLED)
		d.code = c4w_exit_worst(d.code, c4w_say(ctx, &err));
	if (d.file && d.code == C4W_EXIT_OK && cls == C4W_OK && !c4w_stop) {
		cls = c4w_outfile_commit(d.file, &err);
		if (cls != C4W_OK)
			d.code = c4w_say(ctx, &err);
	} else {
		c4w_outfile_abort(d.file);
	}
	c4w_sink_close(sink);
	c4w_psg_claims_free(claims);
	c4w_psg_select_free(sel);
	return d.code;
}
