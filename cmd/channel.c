/* `c4w channel`: one record or link for people, and transforms of one record or many as arrays. */
#include "command.h"
#include "support/selection.h"

#include "containers/npy.h"
#include "families/chw_plot.h"
#include "model/array_table.h"
#include "model/print.h"
#include "model/report.h"
#include "storage/sink.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { FORMAT_AUTO, FORMAT_TEXT, FORMAT_CSV, FORMAT_TSV, FORMAT_JSONL, FORMAT_NPY, FORMAT_PARQUET };

struct args {
	int64_t ue;
	bool radians, show;
	int what, reference, format, color_by;
	const char *offsets, *field, *output;
};

#define AT(field) offsetof(struct args, field)

static const char *const whats[] = { "none", "power", "gain", "delay-spread", "baseband", "response", "padded", "mask", NULL };
static const char *const references[] = { "absolute", "first", NULL };
static const char *const colors[] = { "power", "delay-spread", "los", NULL };
static const char *const formats[] = { "auto", "text", "csv", "tsv", "jsonl", "npy", "parquet", NULL };

static const struct c4w_option options[] = {
	{ .name = "ue", .kind = C4W_OPT_INT, .arg = "ID", .offset = AT(ue), .def = "-1", .def_text = "all", .min = -1, .max = INT32_MAX,
	  .brief = "only the link to this UE", .text = "Only the link to this UE. A UE without a retained link has no paths; that is an answer, not an error." },
	{ .name = "radians", .kind = C4W_OPT_FLAG, .offset = AT(radians), .brief = "angles in radians",
	  .text = "Show angles in radians instead of degrees." },
	{ .name = "show", .kind = C4W_OPT_FLAG, .offset = AT(show), .brief = "draw it",
	  .text = "Draw in the terminal: without --ue a map of the scene, its UEs coloured by their link to the base station; with --ue the power of the "
		  "link's paths over their delay, and their angles. With -o FILE.svg, FILE.png or FILE.pdf, which need libcairo, into a file." },
	{ .name = "color-by", .kind = C4W_OPT_ENUM, .arg = "BY", .offset = AT(color_by), .values = colors, .def = "power",
	  .brief = "the map: power, delay-spread or los", .text = "What the map's colours mean: power of the link, RMS delay spread, or line of sight." },
	{ .name = "what", .kind = C4W_OPT_ENUM, .arg = "WHAT", .offset = AT(what), .values = whats, .def = "none",
	  .brief = "write a transform as an array instead",
	  .text = "Write a transform as an array instead of the view for people. power: 10 log10 |a|^2 in dB, one a path. gain: the passband coefficient a, "
		  "one a path. delay-spread: the RMS delay spread in seconds, one a link. baseband: a exp(-2 pi j fc tau), one a path. response: the sum of "
		  "the baseband paths at each offset from the carrier, links x offsets. padded: a field as links x 16, zeros where there is no path. mask: "
		  "where padded has a path." },
	{ .name = "offsets", .kind = C4W_OPT_STRING, .arg = "F,F...|A:B:N", .offset = AT(offsets), .brief = "frequencies of response, Hz from the carrier",
	  .text = "For response: offsets from the carrier in Hz, as a list, or as N values evenly spaced from A to B, both included." },
	{ .name = "reference", .kind = C4W_OPT_ENUM, .arg = "WHICH", .offset = AT(reference), .values = references, .def = "absolute",
	  .brief = "delays from 0 (absolute) or the link's first",
	  .text = "For baseband and response: take delays as they are (absolute), or relative to the smallest delay of the link (first)." },
	{ .name = "field", .kind = C4W_OPT_STRING, .arg = "NAME", .offset = AT(field), .def = "tau", .brief = "the field that padded takes",
	  .text = "For padded: a core field with one value a path, such as tau, a_real or theta_t." },
	{ .name = "format", .kind = C4W_OPT_ENUM, .arg = "FORMAT", .offset = AT(format), .values = formats, .def = "auto",
	  .brief = "text, csv, tsv, jsonl, npy or parquet",
	  .text = "text is the view for people, csv and jsonl its parts for programs. Of an array, csv, tsv, jsonl, npy and parquet; auto goes by the ending of "
		  "--output and is csv otherwise." },
	{ .name = "output", .letter = 'o', .kind = C4W_OPT_PATH, .arg = "FILE", .offset = AT(output), .brief = "write to FILE",
	  .text = "Write to FILE, which appears when it is complete, instead of standard output." },
	{ .name = NULL },
};

static const struct c4w_example examples[] = {
	{ "c4w channel ROOT urban_scene_019231 --frequency 3500000000 --bs 0", "the links of one record" },
	{ "c4w channel ROOT urban_scene_019231 --frequency 3500000000 --bs 0 --ue 3", "the paths of one link" },
	{ "c4w channel ROOT urban_scene_019231 --frequency 3500000000 --bs 0 --show -o map.svg", "a map of the scene" },
	{ "c4w channel ROOT --split test --what delay-spread -o spread.parquet", "a table of many records" },
	{ NULL, NULL },
};

static int run(struct c4w_ctx *ctx, void *args);

const struct c4w_command c4w_command_channel = {
	.name = "channel",
	.group = "Look",
	.summary = "show a wireless channel, or compute from it",
	.synopsis = "[OPTIONS] ROOT [SCENE]",
	.prose = "Of one record of a Channels4World root, shows the retained links: paths, power, smallest delay, RMS delay spread, whether there is a path "
		 "without interaction (line of sight), and the distance from base station to UE. With --ue, the paths of one link by rank: power, delay "
		 "and excess delay, angles of departure and arrival, and the interactions, with their places where the detail record is there.\n\n"
		 "With --what, writes an array. Of one record it is the plain array; of several it is one table with the columns scene, frequency_hz, bs, "
		 "ue, for values a path also path_rank, and value. In Parquet a complex value is the two columns value_re and value_im, and a row of "
		 "values a list.\n\n"
		 "The paths are those that the dataset retains. What was discarded is not reconstructed.",
	.options = options,
	.shares = C4W_SHARE_JOBS | C4W_SHARE_JSON | C4W_SHARE_AS | C4W_SHARE_MEMORY | C4W_SHARE_FORCE,
	.selection = true,
	.args_size = sizeof(struct args),
	.min_operands = 1,
	.max_operands = 2,
	.operands = "path leaf",
	.examples = examples,
	.exit_notes = "Channels that are not published, and such as are not downloaded, are told; the others are still written, and the exit code is 3.",
	.see_also = "c4w-ls(1) c4w-verify(1)",
	.run = run,
};

/* ---- where it goes ---- */

struct out {
	struct c4w_ctx *ctx;
	const struct args *args;
	struct c4w_outfile *file; /* or standard output */
	struct c4w_array_table *table;
	struct c4w_dtype row;     /* of a table's rows */
	struct c4w_err err;
	bool failed;
	bool single;              /* one channel: what is wrong with a part of it ends it */
	bool single_failed;
	int code;                 /* worst of the items */
	uint64_t channels;
};

static int emit(struct out *o, const void *p, size_t n, struct c4w_err *err)
{
	if (o->file)
		return c4w_outfile_write(o->file, p, n, err);
	fwrite(p, 1, n, o->ctx->out);
	return c4w_out_failed() ? c4w_fail(err, C4W_IO, "standard output") : C4W_OK;
}

static int emit_bytes(void *ctx, const void *p, size_t n, struct c4w_err *err)
{
	return emit(ctx, p, n, err);
}

static int emit_text(void *ctx, const uint8_t *p, size_t n, struct c4w_err *err)
{
	return emit(ctx, p, n, err);
}

/* ---- items ---- */

static bool deliver(void *ctx, struct c4w_item *item, struct c4w_result *result)
{
	struct out *o = ctx;
	const struct c4w_buf *buf = result->data;
	size_t i;
	for (i = 0; i < result->findings.n; i++) {
		struct c4w_err e;
		c4w_err_clear(&e);
		c4w_finding_err(&result->findings.v[i], &e);
		c4w_err_prefix(&e, "%s", item->id.text);
		o->code = c4w_exit_worst(o->code, c4w_say_open(o->ctx, &e));
	}
	if (!buf || result->findings.n) {
		o->single_failed = o->single;
		return !o->single && !c4w_out_failed();
	}
	o->channels++;
	if (o->table)
		o->failed = c4w_array_table_put(o->table, (const uint8_t *)buf->p, buf->n, &o->err) != C4W_OK;
	else
		o->failed = emit(o, buf->p, buf->n, &o->err) != C4W_OK;
	return !o->failed && !c4w_out_failed();
}

/* ---- arguments ---- */

static int bad_offsets(const char *text, struct c4w_err *err)
{
	return c4w_fail(err, C4W_USAGE, "--offsets takes numbers in Hz, F,F,... or A:B:N, not '%s'", text);
}

static int parse_offsets(struct c4w_ctx *ctx, const char *text, struct chw_what_opts *o, struct c4w_err *err)
{
	size_t n = 1, i;
	double *v, a, b;
	long long count;
	char *end;
	void *mem;
	if (strchr(text, ':')) {
		a = strtod(text, &end);
		if (end == text || *end != ':')
			return bad_offsets(text, err);
		text = end + 1;
		b = strtod(text, &end);
		if (end == text || *end != ':')
			return bad_offsets(text, err);
		text = end + 1;
		count = strtoll(text, &end, 10);
		if (end == text || *end || count < 1 || count > 1000000 || !isfinite(a) || !isfinite(b))
			return bad_offsets(text, err);
		C4W_TRY(c4w_arena_take(&ctx->arena, (size_t)count * sizeof *v, &mem, err));
		v = mem;
		for (i = 0; i < (size_t)count; i++)
			v[i] = count == 1 ? a : i + 1 == (size_t)count ? b : a + (double)i * ((b - a) / (double)(count - 1));
		o->n_offsets = (size_t)count;
	} else {
		for (i = 0; text[i]; i++)
			n += text[i] == ',';
		C4W_TRY(c4w_arena_take(&ctx->arena, n * sizeof *v, &mem, err));
		v = mem;
		for (i = 0; i < n; i++) {
			v[i] = strtod(text, &end);
			if (end == text || (*end && *end != ',') || !isfinite(v[i]))
				return bad_offsets(text, err);
			text = end + (*end == ',');
		}
		o->n_offsets = n;
	}
	o->offsets_hz = v;
	return C4W_OK;
}

/* The selection options that were given, SCENE, and the components that are needed. */
static int compile(struct c4w_ctx *ctx, const struct args *args, struct c4w_target *t, struct c4w_err *err)
{
	struct c4w_selarg v[80];
	struct c4w_selargs list = { v, 0 };
	bool recipe = false;
	size_t i;
	for (i = 0; i < ctx->givens && list.n < 70; i++) {
		if (strcmp(ctx->given[i].option->name, "ue") == 0 && args->ue < 0)
			return c4w_fail(err, C4W_USAGE, "option --ue: an id is at least 0");
		if (ctx->given[i].selection) {
			const char *name = ctx->given[i].option->name;
			if (strcmp(name, "components") == 0)
				return c4w_fail(err, C4W_USAGE, "--components has no meaning here: a channel is what it is about");
			recipe |= strcmp(name, "recipe") == 0;
			v[list.n++] = (struct c4w_selarg){ name, ctx->given[i].value };
		}
	}
	if (ctx->operands > 1)
		v[list.n++] = (struct c4w_selarg){ "scenes", ctx->operand[1] };
	if (!recipe)
		v[list.n++] = (struct c4w_selarg){ "components", args->what == 0 && args->ue >= 0 ? "core,detail" : "core" };
	return t->family->compile(t->root, &list, &t->selection, err);
}

static int pick_format(const struct c4w_ctx *ctx, const struct args *a)
{
	const char *dot = a->output ? strrchr(a->output, '.') : NULL;
	if (ctx->shared.json)
		return FORMAT_JSONL;
	if (a->format != FORMAT_AUTO)
		return a->format;
	if (dot && strcmp(dot, ".npy") == 0)
		return FORMAT_NPY;
	if (dot && strcmp(dot, ".parquet") == 0)
		return FORMAT_PARQUET;
	if (dot && strcmp(dot, ".jsonl") == 0)
		return FORMAT_JSONL;
	if (dot && strcmp(dot, ".tsv") == 0)
		return FORMAT_TSV;
	if (dot && strcmp(dot, ".csv") == 0)
		return FORMAT_CSV;
	return a->what ? FORMAT_CSV : FORMAT_TEXT;
}

/* A picture: in the terminal, or into a file whose ending says its form. */
static int setup_show(struct c4w_ctx *ctx, const struct args *args, struct chw_channel_job *job, struct c4w_err *err)
{
	unsigned columns = c4w_columns();
	if (args->what || ctx->shared.json || args->format != FORMAT_AUTO)
		return c4w_fail(err, C4W_USAGE, "a picture goes without --what, --format and --json");
	if (args->ue >= 0 && c4w_was_given(ctx, "color-by"))
		return c4w_fail(err, C4W_USAGE, "--color-by is for the map, which is drawn without --ue");
	job->show = (struct chw_show){ .by = (enum chw_color_by)args->color_by };
	job->show.screen = (struct c4w_fig_screen){ .kind = c4w_terminal(ctx), .columns = columns > 160 ? 160 : columns, .lines = c4w_lines() };
	job->output = args->output ? CHW_OUT_FILE : CHW_OUT_TERM;
	if (args->output && !c4w_figure_format(args->output, &job->show.format))
		return c4w_fail(err, C4W_USAGE, "--show writes .svg, .png and .pdf files, not '%s'", args->output);
	return C4W_OK;
}

static int setup(struct c4w_ctx *ctx, const struct args *args, int format, struct chw_channel_job *job, struct c4w_err *err)
{
	enum c4w_fig_format picture;
	job->view = args->what == 0;
	job->view_opts = (struct chw_view_opts){ args->radians, args->ue };
	job->output = format == FORMAT_JSONL ? CHW_OUT_JSON : format == FORMAT_CSV ? CHW_OUT_CSV : format == FORMAT_TSV ? CHW_OUT_TSV :
		      format == FORMAT_TEXT ? CHW_OUT_TEXT : CHW_OUT_RAW;
	if (args->show || (args->output && c4w_figure_format(args->output, &picture)))
		return setup_show(ctx, args, job, err);
	if (c4w_was_given(ctx, "color-by"))
		return c4w_fail(err, C4W_USAGE, "--color-by goes with --show");
	if (job->view) {
		if (job->output == CHW_OUT_RAW || job->output == CHW_OUT_TSV)
			return c4w_fail(err, C4W_USAGE, "--format %s needs --what", formats[format]);
		return C4W_OK;
	}
	if (format == FORMAT_TEXT)
		return c4w_fail(err, C4W_USAGE, "--what writes csv, tsv, jsonl, npy or parquet");
	job->what.what = (enum chw_what)(args->what - 1);
	job->what.reference = args->reference ? CHW_FIRST_RETAINED : CHW_ABSOLUTE;
	job->what.field = args->field;
	job->what.ue = args->ue;
	if (!chw_padded_field(args->field))
		return c4w_fail(err, C4W_USAGE, "--field '%s' has no value a path; there is path_rank, a_real, a_imag, tau, theta_t, phi_t, theta_r, phi_r, "
				"interaction_count, interaction_flags", args->field);
	if (job->what.what == CHW_WHAT_RESPONSE) {
		if (!args->offsets)
			return c4w_fail(err, C4W_USAGE, "--what response needs --offsets");
		return parse_offsets(ctx, args->offsets, &job->what, err);
	}
	if (args->offsets)
		return c4w_fail(err, C4W_USAGE, "--offsets goes with --what response");
	return C4W_OK;
}

/* What stands before the first channel: an NPY header for all rows, a Parquet writer, a CSV header. */
static int begin(struct out *o, int format, struct chw_channel_job *job, const struct chw_channel_count *count, struct c4w_err *err)
{
	struct c4w_pq_write_opts table = { .codec = 6, .level = 3 }; /* zstd */
	struct c4w_array a;
	struct c4w_buf buf = { 0 };
	int cls;
	job->header = count->channels == 1 && !job->what.keys;
	if (job->view || !(job->what.keys || format == FORMAT_NPY))
		return C4W_OK;
	if (!job->what.keys) /* one record: its own array, whose header the worker's dtype gives */
		return C4W_OK;
	C4W_TRY(chw_channel_array(NULL, &job->what, &o->ctx->arena, &a, err));
	o->row = a.dtype;
	if (format == FORMAT_PARQUET)
		return c4w_array_table_new(&o->row, &table, emit_bytes, o, &o->table, err);
	if (format == FORMAT_NPY) {
		a.shape[0] = count->rows;
		c4w_npy_write_header(&buf, &a);
	} else if (format == FORMAT_CSV || format == FORMAT_TSV) {
		struct c4w_nd nd;
		c4w_nd_of(&a, &nd);
		cls = c4w_nd_print(&nd, format == FORMAT_CSV ? C4W_TEXT_CSV : C4W_TEXT_TSV, true, emit_text, o, err);
		return cls;
	}
	cls = c4w_buf_ok(&buf, err);
	if (cls == C4W_OK && buf.n)
		cls = emit(o, buf.p, buf.n, err);
	c4w_buf_clear(&buf);
	return cls;
}

static int run(struct c4w_ctx *ctx, void *p)
{
	const struct args *args = p;
	struct out o = { .ctx = ctx, .args = args };
	struct chw_channel_job job = { 0 };
	struct chw_channel_count count;
	struct c4w_target target = { 0 };
	struct c4w_drive_opts drive = { 0 };
	struct c4w_job work = { 0 };
	struct c4w_err err;
	int format = pick_format(ctx, args), code = C4W_EXIT_OK;
	c4w_err_clear(&err);
	if (c4w_target_open(ctx, ctx->operand[0], &target, &err) != C4W_OK) {
		code = c4w_say_open(ctx, &err);
		goto out;
	}
	if (target.family != &c4w_family_channels4world) {
		c4w_target_fail(&target, C4W_USAGE, "only a Channels4World root has channels; this is taken for: ", "", &err);
		goto say;
	}
	if (setup(ctx, args, format, &job, &err) != C4W_OK || compile(ctx, args, &target, &err) != C4W_OK ||
	    chw_channel_count(target.root, target.selection, job.view ? CHW_WHAT_SPREAD : job.what.what, &count, &err) != C4W_OK)
		goto say;
	if (count.channels && args->ue >= count.ues) {
		c4w_fail(&err, C4W_USAGE, "there is no UE %" PRId64 "; the %s %" PRId64 ", from 0 on", args->ue,
			 count.channels > 1 ? "scenes have at most" : "scene has", count.ues);
		goto say;
	}
	if (job.view && count.channels > 1) {
		c4w_fail(&err, C4W_USAGE, "%" PRIu64 " channels are selected, one can be shown", count.channels);
		c4w_err_hint(&err, "name one by SCENE, --frequency and --bs, or write an array of all with --what");
		goto say;
	}
	job.what.keys = !job.view && (count.channels > 1 || format == FORMAT_PARQUET);
	job.what.scene_width = count.scene_width;
	job.split = count.channels == 1 && !job.view;
	o.single = job.split;
	if (format == FORMAT_NPY && args->ue >= 0 && job.what.keys) {
		c4w_fail(&err, C4W_USAGE, "how many rows --ue gives of several records isn't known before they are read: write csv, jsonl or parquet");
		goto say;
	}
	if ((format == FORMAT_NPY || format == FORMAT_PARQUET) && !args->output && c4w_is_terminal(ctx->out) && !ctx->shared.force) {
		c4w_fail(&err, C4W_USAGE, "%s is binary and standard output is a terminal", formats[format]);
		c4w_err_hint(&err, "name a file with -o, or use -f");
		goto say;
	}
	/* One record's NPY has its header with it. */
	if (format == FORMAT_NPY && !job.what.keys)
		job.npy = true;
	if (args->output && c4w_outfile_open(args->output, &o.file, &err) != C4W_OK)
		goto say;
	if (begin(&o, format, &job, &count, &err) != C4W_OK || chw_channel_work(target.root, target.selection, &job, &work, &err) != C4W_OK)
		goto say;
	drive.jobs = (unsigned)ctx->shared.jobs;
	drive.memory = ctx->shared.memory;
	drive.cancel = &c4w_stop;
	drive.deliver = deliver;
	drive.ctx = &o;
	if (c4w_drive(&work, &drive, &err) != C4W_OK)
		goto say;
	if (o.failed) {
		err = o.err;
		goto say;
	}
	code = o.code;
	if (count.channels == 0 && code == C4W_EXIT_OK)
		code = C4W_EXIT_FAILED;
	/* An NPY header that promised more rows than there are would be a broken file. */
	if (format == FORMAT_NPY && job.what.keys && o.channels != count.channels) {
		c4w_fail(&err, C4W_IO, "%" PRIu64 " of %" PRIu64 " channels could be read; no array was written", o.channels, count.channels);
		goto say;
	}
	if (o.table && c4w_array_table_finish(o.table, &err) != C4W_OK)
		goto say;
	if (o.file && o.channels && !o.single_failed) {
		struct c4w_outfile *f = o.file;
		o.file = NULL;
		if (c4w_outfile_commit(f, &err) != C4W_OK)
			goto say;
	}
	goto out;
say:
	code = c4w_exit_worst(code, c4w_say(ctx, &err));
out:
	c4w_job_destroy(&work);
	c4w_array_table_free(o.table);
	c4w_outfile_abort(o.file);
	c4w_target_close(&target);
	return code;
}
