/* Completions for bash, zsh and fish: one word list a command out of the tables, and leaf names through `c4w ls`. */
#include "../command.h"

static void long_words(void *user, const char *title, const struct c4w_option *o)
{
	FILE *out = user;
	(void)title;
	if (!o->hidden)
		fprintf(out, " --%s", o->name);
	if (o->letter && !o->hidden)
		fprintf(out, " -%c", o->letter);
}

/* A case branch "ls:--color) choices='auto always never';;" for every option with words, "ls:-o) kind=path" for paths. */
struct cases {
	FILE *out;
	const char *command;
};

static void value_case(void *user, const char *title, const struct c4w_option *o)
{
	struct cases *c = user;
	size_t i;
	(void)title;
	if (o->hidden || !c4w_option_takes_argument(o))
		return;
	fprintf(c->out, "\t%s:--%s", c->command, o->name);
	if (o->letter)
		fprintf(c->out, "|%s:-%c", c->command, o->letter);
	fputs(") ", c->out);
	if (o->values) {
		fputs("choices='", c->out);
		for (i = 0; o->values[i]; i++)
			fprintf(c->out, "%s%s", i ? " " : "", o->values[i]);
		fputs("'", c->out);
	} else
		fputs(o->kind == C4W_OPT_PATH ? "kind=file" : "kind=none", c->out);
	fputs(" ;;\n", c->out);
}

static void names(FILE *out)
{
	size_t i;
	for (i = 0; i < c4w_entries_count; i++)
		fprintf(out, "%s%s", i ? " " : "", c4w_entries[i].name);
}

/* The part that bash and zsh share: functions in the POSIX subset that both understand. */
static void shell_tables(FILE *out)
{
	size_t i;
	fputs("__c4w_options() {\n\tcase $1 in\n", out);
	for (i = 0; i < c4w_entries_count; i++) {
		fprintf(out, "\t%s) echo '", c4w_entries[i].name);
		c4w_each_option(c4w_entries[i].command, long_words, out);
		fputs("' ;;\n", out);
	}
	fputs("\tesac\n}\n"
	      "# Sets choices or kind (file, none) for the argument of option $2 of command $1; returns 1 when it takes none.\n"
	      "__c4w_argument() {\n\tchoices= kind=\n\tcase $1:$2 in\n",
	      out);
	for (i = 0; i < c4w_entries_count; i++) {
		struct cases c = { out, c4w_entries[i].name };
		c4w_each_option(c4w_entries[i].command, value_case, &c);
	}
	fputs("\t*) return 1 ;;\n\tesac\n}\n"
	      "# What operand number $2 (from 1) of command $1 is: path, leaf, dir, file, command.\n"
	      "__c4w_operand() {\n\tset -- $1 $2 $(\n\t\tcase $1 in\n",
	      out);
	for (i = 0; i < c4w_entries_count; i++)
		if (c4w_entries[i].command->operands)
			fprintf(out, "\t\t%s) echo %s ;;\n", c4w_entries[i].name, c4w_entries[i].command->operands);
	fputs("\t\tesac\n\t)\n"
	      "\tshift\n\tn=$1\n\tshift\n"
	      "\twhile [ $n -gt 1 ] && [ $# -gt 1 ]; do shift; n=$((n - 1)); done\n"
	      "\techo \"$1\"\n}\n"
	      "# The leaves of $1 below the directory part of the word $2, one a line.\n"
	      "__c4w_leaves() {\n"
	      "\tcase $2 in */*) c4w ls --names \"$1\" \"${2%/*}\" ;; *) c4w ls --names \"$1\" ;; esac 2>/dev/null\n}\n",
	      out);
}

static void bash(FILE *out)
{
	shell_tables(out);
	fputs("_c4w() {\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} first=1 command i n=0 path= choices kind IFS=$' \\t\\n'\n"
	      "\tCOMPREPLY=()\n"
	      "\tcommand=${COMP_WORDS[0]##*/}\n"
	      "\tif [ \"$command\" = c4w ]; then\n"
	      "\t\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	      "\t\t\tCOMPREPLY=($(compgen -W '--help --version ",
	      out);
	names(out);
	fputs("' -- \"$cur\"))\n"
	      "\t\t\treturn\n"
	      "\t\tfi\n"
	      "\t\tcommand=${COMP_WORDS[1]} first=2\n"
	      "\telse\n"
	      "\t\tcommand=${command#c4w-}\n"
	      "\tfi\n"
	      "\tfor ((i = first; i < COMP_CWORD; i++)); do\n"
	      "\t\tcase ${COMP_WORDS[i]} in\n"
	      "\t\t-?*) __c4w_argument \"$command\" \"${COMP_WORDS[i]}\" && i=$((i + 1)) ;;\n"
	      "\t\t*) n=$((n + 1)); [ $n -eq 1 ] && path=${COMP_WORDS[i]} ;;\n"
	      "\t\tesac\n"
	      "\tdone\n"
	      "\tif [ \"$prev\" != \"$command\" ] && __c4w_argument \"$command\" \"$prev\"; then\n"
	      "\t\tif [ \"$kind\" = file ]; then COMPREPLY=($(compgen -f -- \"$cur\")); else COMPREPLY=($(compgen -W \"$choices\" -- \"$cur\")); fi\n"
	      "\t\treturn\n"
	      "\tfi\n"
	      "\tcase $cur in -*) COMPREPLY=($(compgen -W \"$(__c4w_options \"$command\")\" -- \"$cur\")); return ;; esac\n"
	      "\tcase $(__c4w_operand \"$command\" $((n + 1))) in\n"
	      "\tcommand) COMPREPLY=($(compgen -W '",
	      out);
	names(out);
	fputs("' -- \"$cur\")) ;;\n"
	      "\tleaf)\n"
	      "\t\tIFS=$'\\n'\n"
	      "\t\teval \"path=$path\" 2>/dev/null\n"
	      "\t\tCOMPREPLY=($(__c4w_leaves \"$path\" \"$cur\" | while IFS= read -r i; do case $i in \"$cur\"*) printf '%q\\n' \"$i\" ;; esac; done))\n"
	      "\t\t;;\n"
	      "\tdir) compopt -o filenames; IFS=$'\\n'; COMPREPLY=($(compgen -d -- \"$cur\")) ;;\n"
	      "\t*) compopt -o filenames; IFS=$'\\n'; COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n"
	      "\tesac\n"
	      "}\n"
	      "complete -F _c4w c4w",
	      out);
	{
		size_t i;
		for (i = 0; i < c4w_entries_count; i++)
			fprintf(out, " c4w-%s", c4w_entries[i].name);
	}
	fputc('\n', out);
}

/* " 'name:text'", quoted for zsh */
static void described(FILE *out, const char *dashes, const char *name, const char *text)
{
	fprintf(out, " '%s%s:", dashes, name);
	for (; *text; text++)
		fputs(*text == '\'' ? "'\\''" : (char[]){ *text, 0 }, out);
	fputc('\'', out);
}

static void zsh_option(void *user, const char *title, const struct c4w_option *o)
{
	(void)title;
	if (!o->hidden)
		described(user, "--", o->name, o->brief);
}

static void zsh(FILE *out)
{
	size_t i;
	fputs("#compdef c4w", out);
	for (i = 0; i < c4w_entries_count; i++)
		fprintf(out, " c4w-%s", c4w_entries[i].name);
	fputc('\n', out);
	shell_tables(out);
	fputs("__c4w_described() {\n\tcase $1 in\n", out);
	for (i = 0; i < c4w_entries_count; i++) {
		fprintf(out, "\t%s) described=(", c4w_entries[i].name);
		c4w_each_option(c4w_entries[i].command, zsh_option, out);
		fputs(" ) ;;\n", out);
	}
	fputs("\tesac\n}\n"
	      "_c4w() {\n"
	      "\tlocal command=${words[1]:t} first=2 i n=0 target= cur=${words[CURRENT]} prev=${words[CURRENT-1]} choices kind\n"
	      "\tlocal -a line described leaves; line=(\"${words[@]}\")\n"
	      "\tif [[ $command == c4w ]]; then\n"
	      "\t\tif (( CURRENT == 2 )); then\n"
	      "\t\t\tdescribed=( --help --version",
	      out);
	for (i = 0; i < c4w_entries_count; i++)
		described(out, "", c4w_entries[i].name, c4w_entries[i].command->summary);
	fputs(" )\n\t\t\t_describe command described\n\t\t\treturn\n\t\tfi\n"
	      "\t\tcommand=$line[2] first=3\n"
	      "\telse\n\t\tcommand=${command#c4w-}\n\tfi\n"
	      "\tfor (( i = first; i < CURRENT; i++ )); do\n"
	      "\t\tcase $line[i] in\n"
	      "\t\t-?*) __c4w_argument \"$command\" \"$line[i]\" && (( i++ )) ;;\n"
	      "\t\t*) (( n++ )); (( n == 1 )) && target=${(Q)line[i]} ;;\n"
	      "\t\tesac\n\tdone\n"
	      "\tif __c4w_argument \"$command\" \"$prev\"; then\n"
	      "\t\tif [[ $kind == file ]]; then _files; elif [[ -n $choices ]]; then compadd -- ${=choices}; fi\n\t\treturn\n\tfi\n"
	      "\tif [[ $cur == -* ]]; then __c4w_described \"$command\"; _describe option described; return; fi\n"
	      "\tcase $(setopt sh_word_split; __c4w_operand \"$command\" $(( n + 1 ))) in\n"
	      "\tcommand) compadd -- ",
	      out);
	names(out);
	fputs(" ;;\n"
	      "\tleaf) leaves=(\"${(@f)$(__c4w_leaves \"$target\" \"${(Q)cur}\")}\"); compadd -- \"${leaves[@]}\" ;;\n"
	      "\tdir) _files -/ ;;\n"
	      "\t*) _files ;;\n"
	      "\tesac\n"
	      "}\n"
	      "if [ \"$funcstack[1]\" = _c4w ]; then _c4w \"$@\"; else compdef _c4w c4w",
	      out);
	for (i = 0; i < c4w_entries_count; i++)
		fprintf(out, " c4w-%s", c4w_entries[i].name);
	fputs("; fi\n", out);
}

static void fish_text(FILE *out, const char *text)
{
	fputc('\'', out);
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
	fputc('\'', out);
}

static void fish_option(void *user, const char *title, const struct c4w_option *o)
{
	struct cases *c = user;
	size_t i;
	(void)title;
	if (o->hidden)
		return;
	fprintf(c->out, "complete -c c4w -n '__c4w_is %s' -l %s", c->command, o->name);
	if (o->letter)
		fprintf(c->out, " -s %c", o->letter);
	fputs(" -d ", c->out);
	fish_text(c->out, o->brief);
	if (c4w_option_takes_argument(o)) {
		if (o->values) {
			fputs(" -x -a '", c->out);
			for (i = 0; o->values[i]; i++)
				fprintf(c->out, "%s%s", i ? " " : "", o->values[i]);
			fputc('\'', c->out);
		} else
			fputs(o->kind == C4W_OPT_PATH ? " -r -F" : " -x", c->out);
	}
	fputc('\n', c->out);
}

static void fish_takes(void *user, const char *title, const struct c4w_option *o)
{
	FILE *out = user;
	(void)title;
	if (!c4w_option_takes_argument(o))
		return;
	fprintf(out, " --%s", o->name);
	if (o->letter)
		fprintf(out, " -%c", o->letter);
}

/* Functions that know, as bash's do, which words are operands and what the one being completed is. */
static void fish_functions(FILE *out)
{
	size_t i;
	fputs("function __c4w_is\n"
	      "\tset -l words (commandline -opc)\n"
	      "\tset -q words[2]; and test $words[2] = $argv[1]\nend\n"
	      "# The operands before the cursor, options and their arguments left out.\n"
	      "function __c4w_operands\n"
	      "\tset -l words (commandline -opc)\n\tset -l takes\n\tset -l skip 0\n"
	      "\tswitch $words[2]\n",
	      out);
	for (i = 0; i < c4w_entries_count; i++) {
		fprintf(out, "\tcase %s\n\t\tset takes", c4w_entries[i].name);
		c4w_each_option(c4w_entries[i].command, fish_takes, out);
		fputc('\n', out);
	}
	fputs("\tend\n"
	      "\tfor w in $words[3..-1]\n"
	      "\t\tif test $skip = 1\n\t\t\tset skip 0\n"
	      "\t\telse if contains -- $w $takes\n\t\t\tset skip 1\n"
	      "\t\telse if not string match -q -- '-?*' $w\n\t\t\techo -- $w\n\t\tend\n"
	      "\tend\nend\n"
	      "# Is the word being completed an operand of this kind (leaf, dir, command)?\n"
	      "function __c4w_at\n"
	      "\tset -l words (commandline -opc)\n\tset -q words[2]; or return 1\n"
	      "\tset -l kinds\n"
	      "\tset -l n (math 1 + (count (__c4w_operands)))\n"
	      "\tswitch $words[2]\n",
	      out);
	for (i = 0; i < c4w_entries_count; i++)
		if (c4w_entries[i].command->operands)
			fprintf(out, "\tcase %s\n\t\tset kinds %s\n", c4w_entries[i].name, c4w_entries[i].command->operands);
	fputs("\tend\n"
	      "\tset -q kinds[1]; or return 1\n"
	      "\tset -q kinds[$n]; or set n -1\n"
	      "\ttest $kinds[$n] = $argv[1]\nend\n"
	      "function __c4w_leaves\n"
	      "\tset -l path (__c4w_operands)[1]\n"
	      "\tset -l cur (commandline -ct)\n"
	      "\tif string match -q '*/*' -- $cur\n"
	      "\t\tc4w ls --names $path (string replace -r '/[^/]*$' '' -- $cur) 2>/dev/null\n"
	      "\telse\n\t\tc4w ls --names $path 2>/dev/null\n\tend\nend\n",
	      out);
}

static void fish(FILE *out)
{
	size_t i;
	fish_functions(out);
	fputs("complete -c c4w -n __fish_use_subcommand -f -l help -d 'list the commands'\n"
	      "complete -c c4w -n __fish_use_subcommand -f -l version -d 'print versions'\n"
	      "complete -c c4w -n '__c4w_at leaf' -f -a '(__c4w_leaves)'\n"
	      "complete -c c4w -n '__c4w_at dir' -f -a '(__fish_complete_directories)'\n"
	      "complete -c c4w -n '__c4w_at command' -f -a '",
	      out);
	names(out);
	fputs("'\n", out);
	for (i = 0; i < c4w_entries_count; i++) {
		struct cases c = { out, c4w_entries[i].name };
		fprintf(out, "complete -c c4w -n __fish_use_subcommand -f -a %s -d ", c4w_entries[i].name);
		fish_text(out, c4w_entries[i].command->summary);
		fprintf(out, "\ncomplete -c c4w-%s -w 'c4w %s'\n", c4w_entries[i].name, c4w_entries[i].name);
		c4w_each_option(c4w_entries[i].command, fish_option, &c);
	}
}

int c4w_help_complete(FILE *out, const char *shell)
{
	if (strcmp(shell, "bash") == 0)
		bash(out);
	else if (strcmp(shell, "zsh") == 0)
		zsh(out);
	else if (strcmp(shell, "fish") == 0)
		fish(out);
	else
		return C4W_USAGE;
	return C4W_OK;
}
