/* Manual pages (mdoc) out of the tables. */
#include "../command.h"

#include "base/version.h"

/* Text in mdoc: a backslash and a leading control character are data. Each sentence starts a line, as mdoc asks. */
void c4w_roff(FILE *out, const char *p, size_t n, bool sentences)
{
	size_t i;
	bool start = true;
	for (i = 0; i < n; i++) {
		char c = p[i];
		if (start && (c == '.' || c == '\''))
			fputs("\\&", out);
		start = false;
		if (c == '\\')
			fputs("\\e", out);
		else if (c == '-')
			fputs("\\-", out);
		else if (c == '\n') {
			fputc('\n', out);
			start = true;
		} else if (sentences && c == ' ' && i && (p[i - 1] == '.' || p[i - 1] == ':') && i + 1 < n && p[i + 1] >= 'A' &&
			   p[i + 1] <= 'Z') {
			fputc('\n', out);
			start = true;
		} else
			fputc(c, out);
	}
}

static void roffz(FILE *out, const char *z)
{
	c4w_roff(out, z, strlen(z), true);
}

static void prose(FILE *out, const char *text)
{
	bool first = true;
	while (*text) {
		const char *end = strstr(text, "\n\n");
		size_t n = end ? (size_t)(end - text) : strlen(text);
		if (*text == ' ') {
			fputs(".Bd -literal -offset indent\n", out);
			while (n) {
				const char *eol = memchr(text, '\n', n);
				size_t len = eol ? (size_t)(eol - text) : n;
				size_t skip = len && text[0] == ' ';
				c4w_roff(out, text + skip, len - skip, false);
				fputc('\n', out);
				text += len;
				n -= len;
				if (n) {
					text++;
					n--;
				}
			}
			fputs(".Ed\n", out);
		} else {
			if (!first)
				fputs(".Pp\n", out);
			c4w_roff(out, text, n, true);
			fputc('\n', out);
		}
		first = false;
		text += n;
		text += strspn(text, "\n");
	}
}

struct page {
	FILE *out;
	const char *title;
	bool open;
};

static void option(void *user, const char *title, const struct c4w_option *o)
{
	struct page *p = user;
	const char *def = o->def_text ? o->def_text : o->def;
	char letter = o->letter;
	if (o->hidden)
		return;
	if (strcmp(o->name, "help") == 0)
		letter = 'h';
	if (!p->open || (title != p->title && (!title || !p->title || strcmp(title, p->title) != 0))) {
		if (p->open)
			fputs(".El\n", p->out);
		if (title)
			fprintf(p->out, ".Ss %s\n", title);
		fputs(".Bl -tag -width Ds\n", p->out);
		p->open = true;
		p->title = title;
	}
	fputs(".It ", p->out);
	if (letter)
		fprintf(p->out, "Fl %c , ", letter);
	fputs("Fl Fl ", p->out);
	c4w_roff(p->out, o->name, strlen(o->name), false);
	if (o->arg)
		fprintf(p->out, " Ar \"%s\"", o->arg);
	fputc('\n', p->out);
	roffz(p->out, o->text ? o->text : o->brief);
	fputc('\n', p->out);
	if (def) {
		fputs("Default: ", p->out);
		c4w_roff(p->out, def, strlen(def), false);
		fputs(".\n", p->out);
	}
}

static void exit_status(FILE *out, const char *notes)
{
	static const char *const lines[][2] = {
		{ "0", "Done and true." },
		{ "1", "Checked and false: something differs, is missing or is damaged." },
		{ "2", "Wrong usage." },
		{ "3", "Could not be done: I/O, permission, memory." },
		{ "4", "Valid, but not supported here." },
	};
	size_t i;
	fputs(".Sh EXIT STATUS\n.Bl -tag -width Ds -compact\n", out);
	for (i = 0; i < sizeof lines / sizeof *lines; i++)
		fprintf(out, ".It %s\n%s\n", lines[i][0], lines[i][1]);
	fputs(".El\n.Pp\nOver several files, \"could not be done\" outranks \"false\".\n"
	      "SIGINT, SIGTERM, SIGHUP and a closed pipe end it by the signal.\n",
	      out);
	if (notes) {
		fputs(".Pp\n", out);
		prose(out, notes);
	}
}

/* "c4w-ls(1) c4w-rules(7)" */
static void see_also(FILE *out, const char *list)
{
	const char *mark;
	fputs(".Sh SEE ALSO\n", out);
	while (*list) {
		size_t n = strcspn(list, " ");
		mark = memchr(list, '(', n);
		if (mark) {
			const char *next = list + n + strspn(list + n, " ");
			fprintf(out, ".Xr %.*s %.*s%s\n", (int)(mark - list), list, (int)(list + n - mark - 2), mark + 1, *next ? " ," : "");
		}
		list += n;
		list += strspn(list, " ");
	}
}

void c4w_roff_head(FILE *out, const char *name, int section, const char *summary)
{
	const char *c;
	fprintf(out, ".\\\" Made from the tables by scripts/gen-docs.\n.Dd %s\n.Dt ", C4W_DATE);
	for (c = name; *c; c++)
		fputc(*c >= 'a' && *c <= 'z' ? *c - 32 : *c, out);
	fprintf(out, " %d\n.Os \"c4w %s\"\n.Sh NAME\n.Nm %s\n.Nd ", section, C4W_VERSION, name);
	c4w_roff(out, summary, strlen(summary), false);
	fputc('\n', out);
}

static void main_page(FILE *out)
{
	size_t i;
	c4w_roff_head(out, "c4w", 1, "read, check and prepare Channels4World, TimeF and PASSAGE datasets");
	fputs(".Sh SYNOPSIS\n.Nm\n.Ar NAME\n.Op Ar OPTIONS\n.Op Ar OPERANDS\n.Nm\n.Cm help\n.Op Ar NAME\n.Nm\n.Fl Fl version\n"
	      ".Sh DESCRIPTION\n"
	      ".Nm\nreads, checks and prepares Channels4World, TimeF and PASSAGE datasets and the containers they are made of:\n"
	      "TAR, ZIP, NPZ, NPY, zstd and Parquet files.\n"
	      ".Nm c4w\\-NAME\nis the same as\n.Nm\n.Ar NAME .\n"
	      ".Pp\nA leaf inside a container or a dataset is named by two operands,\n.Ar PATH\nand\n.Ar LEAF .\n"
	      "A leaf is steps joined by a slash; where a step names a TAR, ZIP, NPZ, zst or Parquet file the rest goes on inside it.\n"
	      "The first column of\n.Xr c4w-ls 1\nis what\n.Xr c4w-cat 1\ntakes.\n"
	      ".Sh COMMANDS\n.Bl -tag -width timef\\-inspect\n",
	      out);
	for (i = 0; i < c4w_entries_count; i++) {
		const struct c4w_command *c = c4w_entries[i].command;
		fprintf(out, ".It Cm ");
		c4w_roff(out, c4w_entries[i].name, strlen(c4w_entries[i].name), false);
		fputc('\n', out);
		if (strcmp(c->name, c4w_entries[i].name) != 0) {
			fputs("Another name of ", out);
			c4w_roff(out, c->name, strlen(c->name), false);
			fputs(".\n", out);
			continue;
		}
		roffz(out, c->summary);
		fprintf(out, ";\nsee\n.Xr c4w-%s 1 .\n", c->name);
	}
	fputs(".El\n.Sh ENVIRONMENT\n.Bl -tag -width NO_COLOR\n"
	      ".It Ev NO_COLOR\nWhen set and not empty, no colours with\n.Fl Fl color\n.Cm auto .\n"
	      ".It Ev TERM\n\"dumb\": neither colours nor progress with\n.Cm auto .\n"
	      ".It Ev COLUMNS\nWidth of tables on a terminal.\n.El\n",
	      out);
	exit_status(out, NULL);
	fputs(".Sh SEE ALSO\n", out);
	for (i = 0; i < c4w_entries_count; i++)
		if (strcmp(c4w_entries[i].command->name, c4w_entries[i].name) == 0)
			fprintf(out, ".Xr c4w-%s 1 ,\n", c4w_entries[i].name);
	fputs(".Xr c4w-rules 7\n", out);
}

void c4w_help_man(FILE *out, const struct c4w_command *c)
{
	struct page p = { .out = out };
	const struct c4w_example *e;
	char name[64];
	size_t i;
	if (!c) {
		main_page(out);
		return;
	}
	snprintf(name, sizeof name, "c4w-%s", c->name);
	c4w_roff_head(out, name, 1, c->summary);
	fputs(".Sh SYNOPSIS\n.Nm c4w\n.Cm ", out);
	c4w_roff(out, c->name, strlen(c->name), false);
	fputs("\n.Ar \"", out);
	c4w_roff(out, c->synopsis, strlen(c->synopsis), false);
	fputs("\"\n.Sh DESCRIPTION\n", out);
	prose(out, c->prose);
	for (i = 0; i < c4w_entries_count; i++)
		if (c4w_entries[i].command == c && strcmp(c4w_entries[i].name, c->name) != 0)
			fprintf(out, ".Pp\n.Nm c4w\n.Cm %s\nis another name of this command.\n", c4w_entries[i].name);
	fputs(".Sh OPTIONS\n", out);
	c4w_each_option(c, option, &p);
	if (p.open)
		fputs(".El\n", out);
	exit_status(out, c->exit_notes);
	if (c->examples && c->examples->command) {
		fputs(".Sh EXAMPLES\n.Bl -tag -width Ds\n", out);
		for (e = c->examples; e->command; e++) {
			fputs(".It Li \"", out);
			for (i = 0; e->command[i]; i++) {
				if (e->command[i] == '"')
					fputs("\\(dq", out);
				else
					c4w_roff(out, e->command + i, 1, false);
			}
			fputs("\"\n", out);
			roffz(out, e->text);
			fputc('\n', out);
		}
		fputs(".El\n", out);
	}
	if (c->see_also)
		see_also(out, c->see_also);
}
