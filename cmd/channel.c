/* `c4w channel`: one record or link for people, and transforms of one record or many as arrays. */
#include "command.h"
#include "support/selection.h"

#include "containers/npy.h"
#include "containers/pq_write.h"
#include "families/chw_channel.h"
#include "model/print.h"
#include "model/report.h"
#include "storage/sink.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { FORMAT_AUTO, FORMAT_TEXT, FORMAT_CSV, FORMAT_TSV, FORMAT_JSONL, FORMAT_NPY, FORMAT_PARQUET };

struct args {
	int64_t ue;
	bool radians;
	int what, reference, format;
	const char *offsets, *field, *output;
};

#define AT(field) offsetof(struct args, field)

static const char *const whats[] = { "none", "power", "gain", "delay-spread", "baseband", "response", "padded", "mask", NULL };
static const char *const references[] = { "absolute", "first", NULL };
static const char *const formats[] = { "auto", "text", "csv", "tsv", "jsonl", "npy", "parquet", NULL };

static const struct c4w_option options[] = {
	{ .name = "ue", .kind = C4W_OPT_INT, .arg = "ID", .offset = AT(ue), .def = "-1", .def_text = "all", .min = -1, .max = INT32_MAX,
	  .brief = "only the link to this UE", .text = "Only the link to this UE. A UE without a retained link has no paths; that is an answer, not an error." },
	{ .name = "radians", .kind = C4W_OPT_FLAG, .offset = AT(radians), .brief = "angles in radians",
	  .text = "Show angles in radians instead of degrees." },
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
		 "ue, for values a path also path_rank, and value.\n\n"
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
	struct c4w_pq_writer *pq;
	struct c4w_dtype row;     /* of a table's rows */
	struct c4w_err err;
	bool failed;
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

/* Rows of a structured array as batches of the Parquet writer: scene, frequency_hz, bs, ue, (path_rank,) value(s). */
static int put_rows(struct out *o, const uint8_t *p, size_t bytes, struct c4w_err *err)
{
	struct c4w_arena arena = { 0 };
	size_t width = (size_t)o->row.size, rows = bytes / width, i, k, col = 0;
	struct c4w_batch b[8] = { { .rows = 0 } };
	struct c4w_batch_list lists[2] = { { .n = 0 } };
	int cls = C4W_OK;
	for (k = 0; k < o->row.field_count && cls == C4W_OK; k++) {
		const struct c4w_field *f = &o->row.fields[k];
		size_t per = (size_t)f->count, n = rows * per, part, parts = f->dtype.kind == C4W_COMPLEX ? 2 : 1, size = (size_t)f->dtype.size / parts;
		if (f->dtype.kind == C4W_UNICODE) {
			int64_t *offsets;
			char *text;
			void *mem, *mem2;
			size_t used = 0;
			if ((cls = c4w_arena_take(&arena, (rows + 1) * sizeof *offsets, &mem, err)) != C4W_OK ||
			    (cls = c4w_arena_take(&arena, rows * (size_t)f->dtype.size + 1, &mem2, err)) != C4W_OK)
				break;
			offsets = mem;
			text = mem2;
			for (i = 0; i < rows; i++) {
				const uint8_t *u = p + i * width + f->offset;
				size_t c;
				offsets[i] = (int64_t)used;
				for (c = 0; c < f->dtype.size / 4 && memcmp(u + 4 * c, "\0\0\0", 4) != 0; c++)
					used += c4w_utf8_encode((uint32_t)u[4 * c] | (uint32_t)u[4 * c + 1] << 8 | (uint32_t)u[4 * c + 2] << 16 |
									(uint32_t)u[4 * c + 3] << 24, text + used);
			}
			offsets[rows] = (int64_t)used;
			b[col++] = (struct c4w_batch){ .phys = C4W_PHYS_BYTES, .rows = rows, .n = rows, .offsets = offsets, .bytes = mem2 };
			continue;
		}
		for (part = 0; part < parts; part++) {
			enum c4w_phys phys = f->dtype.kind == C4W_FLOAT || f->dtype.kind == C4W_COMPLEX ? (size == 8 ? C4W_PHYS_DOUBLE : C4W_PHYS_FLOAT) :
					     f->dtype.kind == C4W_BOOL ? C4W_PHYS_BOOL : size == 8 ? C4W_PHYS_INT64 : C4W_PHYS_INT32;
			size_t to = phys == C4W_PHYS_INT32 ? 4 : size;
			uint8_t *v;
			void *mem;
			if ((cls = c4w_arena_zero(&arena, n + 1, to, &mem, err)) != C4W_OK)
				break;
			v = mem;
			for (i = 0; i < rows; i++) {
				const uint8_t *from = p + i * width + f->offset + part * size;
				size_t e;
				for (e = 0; e < per; e++) /* little-endian: a narrower unsigned value is widened by zeros */
					memcpy(v + (i * per + e) * to, from + e * (size_t)f->dtype.size, size);
			}
			b[col] = (struct c4w_batch){ .phys = phys, .width = (uint32_t)to, .rows = rows, .n = n, .values = v };
			if (f->rank) {
				int32_t *offsets;
				if ((cls = c4w_arena_take(&arena, (rows + 1) * sizeof *offsets, &mem, err)) != C4W_OK)
					break;
				offsets = mem;
				for (i = 0; i <= rows; i++)
					offsets[i] = (int32_t)(i * per);
				lists[part] = (struct c4w_batch_list){ .n = rows, .offsets = offsets };
				b[col].nlists = 1;
				b[col].lists = &lists[part];
			}
			col++;
		}
	}
	if (cls == C4W_OK)
		cls = c4w_pq_writer_put(o->pq, rows, b, err);
	c4w_arena_clear(&arena);
	return cls;
}

static enum c4w_pq_type pq_type(const struct c4w_dtype *d)
{
	if (d->kind == C4W_FLOAT)
		return d->size == 8 ? C4W_PQ_DOUBLE : C4W_PQ_FLOAT;
	if (d->kind == C4W_COMPLEX)
		return d->size == 16 ? C4W_PQ_DOUBLE : C4W_PQ_FLOAT;
	if (d->kind == C4W_BOOL)
		return C4W_PQ_BOOLEAN;
	return d->size == 8 ? C4W_PQ_INT64 : C4W_PQ_INT32;
}

/* The table's schema out of the row's dtype. A complex value becomes two columns, value_re and value_im; a row of values a list. */
static int open_parquet(struct out *o, struct c4w_err *err)
{
	struct c4w_pq_node n[24] = { { .nchildren = 0 } };
	struct c4w_pq_write_opts opts = { .codec = 6, .level = 3 };
	uint32_t at = 1;
	size_t k, part;
	n[0].name = C4W_VIEW("schema");
	for (k = 0; k < o->row.field_count; k++) {
		const struct c4w_field *f = &o->row.fields[k];
		size_t parts = f->dtype.kind == C4W_COMPLEX ? 2 : 1;
		for (part = 0; part < parts; part++) {
			struct c4w_pq_node leaf = { .name = f->name, .type = pq_type(&f->dtype), .repetition = C4W_PQ_REQUIRED };
			if (parts == 2)
				leaf.name = part ? C4W_VIEW("value_im") : C4W_VIEW("value_re");
			if (f->dtype.kind == C4W_UNICODE) {
				leaf.type = C4W_PQ_BYTE_ARRAY;
				leaf.logical = C4W_PQ_L_STRING;
			}
			if (f->dtype.kind == C4W_UINT) {
				leaf.logical = C4W_PQ_L_INTEGER;
				leaf.bits = (uint8_t)(8 * f->dtype.size);
			}
			n[0].nchildren++;
			if (f->rank) {
				n[at++] = (struct c4w_pq_node){ .name = leaf.name, .logical = C4W_PQ_L_LIST, .nchildren = 1 };
				n[at++] = (struct c4w_pq_node){ .name = C4W_VIEW("list"), .repetition = C4W_PQ_REPEATED, .nchildren = 1 };
				leaf.name = C4W_VIEW("element");
			}
			n[at++] = leaf;
		}
	}
	return c4w_pq_writer_new(n, at, &opts, emit_bytes, o, &o->pq, err);
}

/* ---- items ---- */

static bool deliver(void *ctx, struct c4w_item *item, struct c4w_result *result)
{
	struct out *o = ctx;
	const struct c4w_buf *buf = result->data;
	size_t i;
	for (i = 0; i < result->findings.n; i++) {
		const struct c4w_finding *f = &result->findings.v[i];
		struct c4w_err e;
		enum c4w_class cls = f->state == C4W_STATE_FAILED ? C4W_DAMAGED : f->state == C4W_STATE_UNSUPPORTED ? C4W_UNSUPPORTED : C4W_IO;
		c4w_fail(&e, cls, "%s: %s%s%s", item->id.text, f->rule ? f->rule : "", f->rule ? ": " : "", f->message);
		c4w_err_values(&e, f->expected, f->found);
		o->code = c4w_exit_worst(o->code, c4w_say(o->ctx, &e));
	}
	if (!buf || result->findings.n)
		return !c4w_out_failed();
	o->channels++;
	if (o->pq)
		o->failed = put_rows(o, (const uint8_t *)buf->p, buf->n, &o->err) != C4W_OK;
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
	for (i = 0; i < ctx->givens && list.n < 70; i++)
		if (ctx->given[i].selection) {
			const char *name = ctx->given[i].option->name;
			if (strcmp(name, "components") == 0)
				return c4w_fail(err, C4W_USAGE, "--components has no meaning here: a channel is what it is about");
			recipe |= strcmp(name, "recipe") == 0;
			v[list.n++] = (struct c4w_selarg){ name, ctx->given[i].value };
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

static int setup(struct c4w_ctx *ctx, const struct args *args, int format, struct chw_channel_job *job, struct c4w_err *err)
{
	job->view = args->what == 0;
	job->view_opts = (struct chw_view_opts){ args->radians, args->ue };
	job->output = format == FORMAT_JSONL ? CHW_OUT_JSON : format == FORMAT_CSV ? CHW_OUT_CSV : format == FORMAT_TSV ? CHW_OUT_TSV :
		      format == FORMAT_TEXT ? CHW_OUT_TEXT : CHW_OUT_RAW;
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
		return open_parquet(o, err);
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
		c4w_fail(&err, C4W_USAGE, "a %s has no channels", target.family->title);
		c4w_err_path(&err, target.path);
		goto say;
	}
	if (setup(ctx, args, format, &job, &err) != C4W_OK || compile(ctx, args, &target, &err) != C4W_OK ||
	    chw_channel_count(target.root, target.selection, job.view ? CHW_WHAT_SPREAD : job.what.what, &count, &err) != C4W_OK)
		goto say;
	if (job.view && count.channels > 1) {
		c4w_fail(&err, C4W_USAGE, "%" PRIu64 " channels are selected, one can be shown", count.channels);
		c4w_err_hint(&err, "name one by SCENE, --frequency and --bs, or write an array of all with --what");
		goto say;
	}
	job.what.keys = !job.view && (count.channels > 1 || format == FORMAT_PARQUET);
	job.what.scene_width = count.scene_width;
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
	if (o.pq && c4w_pq_writer_finish(o.pq, &err) != C4W_OK)
		goto say;
	if (o.file && o.channels) {
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
	c4w_pq_writer_free(o.pq);
	c4w_outfile_abort(o.file);
	c4w_target_close(&target);
	return code;
}
