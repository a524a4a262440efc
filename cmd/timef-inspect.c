/* `c4w timef-inspect`: what a TimeF data set holds, as lists, values, statistics and pictures. */
#include "command.h"

#include "families/timef_figure.h"
#include "families/timef_find.h"
#include "families/timef_print.h"
#include "families/timef_view.h"
#include "storage/sink.h"

#include <stdlib.h>

struct args {
	bool records, series, annotations, tasks, files, schema, stats, digest, show, codes;
	const char *record, *values, *range, *output, *spec, *signal, *key, *type;
	int format;
	int64_t every, limit, width, height;
};

#define AT(field) offsetof(struct args, field)
#define VIEWS "records series annotations tasks files schema stats show values"

static const char *const formats[] = { "text", "csv", "tsv", "jsonl", "npy", "raw", NULL };
enum { TEXT, CSV, TSV, JSONL, NPY, RAW };

static const struct c4w_option options[] = {
	{ .name = "records", .kind = C4W_OPT_FLAG, .offset = AT(records), .brief = "the records",
	  .text = "List the records: id, start time, time span, how many series, annotations and tasks, subjects." },
	{ .name = "series", .kind = C4W_OPT_FLAG, .offset = AT(series), .brief = "the series",
	  .text = "List the series of every record: ids, spec, signal, axis, rate, number of values, window. CSV and TSV have the axis in full." },
	{ .name = "annotations", .kind = C4W_OPT_FLAG, .offset = AT(annotations), .brief = "the annotations",
	  .text = "List the annotations: key, value as JSON text, span in microseconds from the record's zero, who carries them." },
	{ .name = "tasks", .kind = C4W_OPT_FLAG, .offset = AT(tasks), .brief = "the tasks",
	  .text = "List the tasks: type, records, what is asked and what is answered." },
	{ .name = "files", .kind = C4W_OPT_FLAG, .offset = AT(files), .brief = "the listed files, and whether they are there",
	  .text = "List the files that the manifest names: kind, size, checksum, and whether a file of that size is there. c4w verify reads them." },
	{ .name = "schema", .kind = C4W_OPT_FLAG, .offset = AT(schema), .brief = "specs, annotation keys and task types",
	  .text = "List what the manifest declares: specs with dtype, unit, shape, categories and value encoding; annotation keys; task types." },
	{ .name = "record", .kind = C4W_OPT_STRING, .arg = "ID", .offset = AT(record), .brief = "one record whole; with a view, a filter",
	  .text = "Show one record whole: its series with axis, rate, length and window, its annotations on a time line, its tasks. Together with a "
		  "view, --values, --stats or --show, only what belongs to this record." },
	{ .name = "values", .kind = C4W_OPT_STRING, .arg = "SERIES", .offset = AT(values), .brief = "the values of a series",
	  .text = "Print the values of a series, named by its id, or by its signal or spec where that is only one. Text forms have step, offset_us, "
		  "timestamp (where the record's start is known), valid and value." },
	{ .name = "range", .kind = C4W_OPT_STRING, .arg = "A:B", .offset = AT(range), .brief = "a part of the series, from A to before B",
	  .text = "With --values or --show: only this part, A to before B; either may be left out. Whole numbers are steps, negative ones from the end. Numbers with us, ms, s, min, h or d "
		  "are time from the record's zero, and so are numbers with a point: seconds. Dates such as 2024-05-01T12:00:00 are timestamps." },
	{ .name = "every", .kind = C4W_OPT_INT, .arg = "N", .offset = AT(every), .min = 1, .max = INT64_MAX, .def = "1", .brief = "with --values: every N-th step",
	  .text = "With --values: only every N-th step of the range." },
	{ .name = "codes", .kind = C4W_OPT_FLAG, .offset = AT(codes), .brief = "with --values: an enum's numbers, not its labels",
	  .text = "With --values: print an enum's numbers instead of its labels. NPY and raw have numbers always; there -1 is a missing step." },
	{ .name = "stats", .kind = C4W_OPT_FLAG, .offset = AT(stats), .brief = "statistics of every series",
	  .text = "Reduce every series: number, missing steps, NaN, min, max, mean, standard deviation (the population's). min and max skip NaN, the mean is over finite "
		  "values. With --json one object a series, with all that is known of it." },
	{ .name = "digest", .kind = C4W_OPT_FLAG, .offset = AT(digest), .brief = "with --stats: digests of the contents",
	  .text = "With --stats (which it implies): SHA-256 of values, validity and time offsets. They depend on the values alone, not on the backend or "
		  "how they are stored, so two copies can be compared." },
	{ .name = "show", .kind = C4W_OPT_FLAG, .offset = AT(show), .brief = "draw the series of a record",
	  .text = "Draw the series of a record (the first one without --record), one above the other, annotations below. A column stands for the smallest and largest value in it." },
	{ .name = "output", .letter = 'o', .kind = C4W_OPT_PATH, .arg = "FILE", .offset = AT(output), .brief = "draw into an SVG, PNG or PDF file",
	  .text = "Draw what --show draws into a file; its ending says the format: .svg, .png or .pdf. Needs libcairo." },
	{ .name = "width", .kind = C4W_OPT_INT, .arg = "N", .offset = AT(width), .min = 20, .max = 100000, .brief = "width of the drawing",
	  .text = "Width of the drawing: columns in the terminal (default: its width), points in a file (default: 1200)." },
	{ .name = "height", .kind = C4W_OPT_INT, .arg = "N", .offset = AT(height), .min = 2, .max = 10000, .brief = "height of each signal",
	  .text = "Height of each signal: lines in the terminal, points in a file." },
	{ .name = "format", .kind = C4W_OPT_ENUM, .arg = "FORMAT", .offset = AT(format), .values = formats, .def = "text", .brief = "text, csv, tsv, jsonl; npy, raw for values",
	  .text = "text aligns columns for people (values: as csv); csv, tsv and jsonl are for programs, with nothing cut. Values may also be npy (an array that numpy "
		  "loads; missing floats are NaN) or raw (little-endian; texts with their length in front)." },
	{ .name = "limit", .kind = C4W_OPT_INT, .arg = "N", .offset = AT(limit), .min = 0, .max = INT64_MAX, .brief = "at most N rows",
	  .text = "At most N rows of a view, N steps of --values, N signals of --show." },
	{ .name = "spec", .kind = C4W_OPT_STRING, .arg = "SPEC_TYPE", .offset = AT(spec), .brief = "only series of this spec", .text = "Only series of this spec_type." },
	{ .name = "signal", .kind = C4W_OPT_STRING, .arg = "NAME", .offset = AT(signal), .brief = "only series of this signal", .text = "Only series of this signal." },
	{ .name = "key", .kind = C4W_OPT_STRING, .arg = "KEY", .offset = AT(key), .brief = "only annotations of this key", .text = "Only annotations of this key." },
	{ .name = "type", .kind = C4W_OPT_STRING, .arg = "TASK_TYPE", .offset = AT(type), .brief = "only tasks of this type", .text = "Only tasks of this type." },
	{ .name = NULL },
};

static const struct c4w_example examples[] = {
	{ "c4w timef-inspect registry gen/tiny", "what the highest version of a data set holds" },
	{ "c4w timef-inspect dataset/1.0.0 --record r1", "one record, with its time line" },
	{ "c4w timef-inspect dataset --values ecg --record r1 --range 10s:12s", "two seconds of a signal as CSV" },
	{ "c4w timef-inspect dataset --stats --digest --json", "statistics and digests of all series" },
	{ "c4w timef-inspect dataset --show --record r1 -o r1.svg", "a figure" },
	{ NULL, NULL },
};

static int run(struct c4w_ctx *ctx, void *args);

const struct c4w_command c4w_command_timef_inspect = {
	.name = "timef-inspect",
	.group = "Look",
	.summary = "what a TimeF data set holds: tables, values, statistics, plots",
	.synopsis = "[OPTIONS] PATH [ORG/NAME[@VERSION]]",
	.prose = "PATH is a version directory, a data set's directory (the highest version counts, by number) or a registry root; there the second operand names the "
		 "data set, and may be left out when it is the only one.\n\n"
		 "Without a view, a summary: what the manifest says, beside what the tables really hold. Ids are text as the data set's producer gave them; UUIDs in "
		 "lower case.\n\n"
		 "Both backends are read, Parquet and Zarr. Of the newer layout (format 2) the summary, --files, --schema and, on Parquet, --values work; the rest is in a DuckDB database that is "
		 "not read here (exit 4).",
	.options = options,
	.shares = C4W_SHARE_JOBS | C4W_SHARE_JSON,
	.args_size = sizeof(struct args),
	.min_operands = 1,
	.max_operands = 2,
	.operands = "path leaf",
	.examples = examples,
	.see_also = "c4w-cat(1) c4w-extract(1) c4w-ls(1) c4w-verify(1)",
	.run = run,
};

static int to_stdout(void *ctx, const uint8_t *p, size_t n, struct c4w_err *err)
{
	struct c4w_ctx *c = ctx;

	fwrite(p, 1, n, c->out);
	if (c4w_out_failed() || atomic_load(&c4w_stop))
		return c4w_fail(err, C4W_CANCELLED, "stopped");
	return C4W_OK;
}

static int values(struct c4w_ctx *ctx, const struct args *a, struct c4w_timef_view *v, struct c4w_err *err)
{
	static const enum c4w_timef_values_form forms[] = { C4W_TF_V_CSV, C4W_TF_V_CSV, C4W_TF_V_TSV, C4W_TF_V_JSONL, C4W_TF_V_NPY, C4W_TF_V_RAW };
	struct c4w_timef_range range = { .every = (uint64_t)a->every };
	const struct c4w_timef_series *s;
	struct c4w_timef_cursor *c;
	struct c4w_view record;
	size_t at;
	int rc;

	if (v->ds->m.format == 2 && !v->record)
		C4W_TRY(c4w_timef_load_shards(v->ds, NULL, err));
	else
		C4W_TRY(c4w_timef_view_load(v, v->record != NULL, err));
	C4W_TRY(c4w_timef_view_find(v, a->values, &at, err));
	s = &v->ds->series[at];
	record = v->ds->records[s->record].id;
	if (!v->record) /* only this record's rows of the index */
		C4W_TRY(c4w_timef_load_index(v->ds, &record, NULL, err));
	C4W_TRY(c4w_timef_cursor_new(v->ds, &c, err));
	rc = c4w_timef_begin(c, s, err);
	range.to = (uint64_t)s->n_values;
	if (rc == C4W_OK && a->range)
		rc = c4w_timef_range_parse(c, s, a->range, &range, err);
	if (rc == C4W_OK && v->limit < (range.to - range.from + range.every - 1) / range.every)
		range.to = v->limit ? range.from + (v->limit - 1) * range.every + 1 : range.from;
	if (rc == C4W_OK && (a->format == NPY || a->format == RAW) && c4w_is_terminal(ctx->out))
		rc = c4w_fail(err, C4W_USAGE, "binary values are not written to a terminal");
	if (rc == C4W_OK)
		rc = c4w_timef_print(c, s, &range, ctx->shared.json && a->format == TEXT ? C4W_TF_V_JSONL : forms[a->format], a->codes, C4W_TF_W_VALUES, to_stdout, ctx, err);
	c4w_timef_cursor_free(c);
	return rc;
}

static int show(struct c4w_ctx *ctx, const struct args *a, struct c4w_timef_view *v, struct c4w_err *err)
{
	struct c4w_timef_figure f = { .range = a->range, .width = a->width, .height = a->height, .limit = v->limit > 64 ? 64 : (unsigned)v->limit,
				      .term = c4w_terminal(ctx), .columns = c4w_columns() };

	if (a->output)
		return c4w_timef_figure_file(v, &f, a->output, err);
	return c4w_timef_figure_terminal(v, &f, err);
}

static int view(struct c4w_ctx *ctx, const struct args *a, struct c4w_timef_view *v, struct c4w_err *err)
{
	if (a->values)
		return values(ctx, a, v, err);
	if (a->show || a->output)
		return show(ctx, a, v, err);
	if (a->stats || a->digest)
		return c4w_timef_view_stats(v, a->digest, (unsigned)ctx->shared.jobs, &c4w_stop, err);
	if (a->records)
		return c4w_timef_view_records(v, err);
	if (a->series)
		return c4w_timef_view_series(v, err);
	if (a->annotations)
		return c4w_timef_view_annotations(v, err);
	if (a->tasks)
		return c4w_timef_view_tasks(v, err);
	if (a->files)
		return c4w_timef_view_files(v, err);
	if (a->schema)
		return c4w_timef_view_schema(v, err);
	if (a->record)
		return c4w_timef_view_record(v, err);
	return c4w_timef_view_summary(v, err);
}

/* The option that was given, but which the view has no use for; NULL: none. */
static const char *stray(const struct args *a)
{
	bool draws = a->show || a->output, series = a->records || a->series || a->stats || a->digest || draws || a->values;

	if (a->range && !a->values && !draws)
		return "--range is for --values and --show";
	if ((a->every > 1 || a->codes) && !a->values)
		return a->codes ? "--codes is for --values" : "--every is for --values";
	if ((a->width || a->height) && !draws)
		return a->width ? "--width is for --show" : "--height is for --show";
	if ((a->spec || a->signal) && !series)
		return a->spec ? "--spec is for --records, --series, --stats, --values and --show" : "--signal is for --records, --series, --stats, --values and --show";
	if (a->key && !a->annotations)
		return "--key is for --annotations";
	if (a->type && !a->tasks)
		return "--type is for --tasks";
	if (a->record && (a->files || a->schema))
		return "--record is not for --files and --schema";
	if (draws && (a->format != TEXT))
		return "--format is not for drawings";
	if ((a->format == CSV || a->format == TSV) && !series && !a->annotations && !a->tasks && !a->files && !a->schema)
		return "--format csv and tsv are for lists and values; the summary and --record are text or jsonl";
	return NULL;
}

static int run(struct c4w_ctx *ctx, void *p)
{
	const struct args *a = p;
	struct c4w_timef_view v = { .out = ctx->out, .bold = c4w_color_on(ctx, ctx->out), .columns = c4w_columns() };
	int views = a->records + a->series + a->annotations + a->tasks + a->files + a->schema + (a->stats || a->digest) + (a->show || a->output) + (a->values != NULL);
	struct c4w_store *store = NULL;
	struct c4w_timef *ds = NULL;
	struct c4w_err err;
	char *dir = NULL;
	int rc;

	c4w_err_clear(&err);
	if (views > 1)
		return c4w_usage(ctx, "one view at a time: " VIEWS);
	if ((a->format == NPY || a->format == RAW) && !a->values)
		return c4w_usage(ctx, "--format %s is for --values", formats[a->format]);
	if (ctx->shared.json && a->format != TEXT && a->format != JSONL)
		return c4w_usage(ctx, "--json and --format %s exclude each other", formats[a->format]);
	if (ctx->shared.json && (a->show || a->output))
		return c4w_usage(ctx, "--json is not for drawings");
	if ((a->show || a->output) && c4w_was_given(ctx, "limit") && !a->limit)
		return c4w_usage(ctx, "a drawing has a signal at least, not --limit 0");
	if (stray(a))
		return c4w_usage(ctx, "%s", stray(a));
	rc = c4w_timef_locate(ctx->operand[0], ctx->operands > 1 ? ctx->operand[1] : NULL, &dir, &err);
	if (rc != C4W_OK)
		return rc == C4W_USAGE ? c4w_say(ctx, &err) : c4w_say_open(ctx, &err);
	rc = c4w_store_open_dir(dir, &store, &err);
	if (rc == C4W_OK)
		rc = c4w_timef_open(store, dir, NULL, &ds, &err);
	if (rc == C4W_OK) {
		v.ds = ds;
		v.form = ctx->shared.json || a->format == JSONL ? C4W_TF_JSONL : a->format == CSV ? C4W_TF_CSV : a->format == TSV ? C4W_TF_TSV : C4W_TF_TEXT;
		v.limit = c4w_was_given(ctx, "limit") ? (uint64_t)a->limit : UINT64_MAX;
		v.record = a->record;
		v.spec = a->spec;
		v.signal = a->signal;
		v.key = a->key;
		v.task_type = a->type;
		rc = view(ctx, a, &v, &err);
		if (rc == C4W_CANCELLED)
			rc = C4W_OK; /* main ends as the signal or the closed pipe asks */
	}
	rc = rc == C4W_OK ? C4W_EXIT_OK : ds ? c4w_say(ctx, &err) : c4w_say_open(ctx, &err);
	c4w_timef_close(ds);
	c4w_store_close(store);
	free(dir);
	return rc;
}
