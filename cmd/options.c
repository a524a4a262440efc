/* Parsing the command line by the tables: the command's own options, the families' selection options, the shared ones. */
#include "command.h"
#include "support/selection.h"

#include "base/pool.h"
#include "base/str.h"

struct parse {
	struct c4w_ctx *ctx;
	void *args;
	struct c4w_err *err;
};

/* The table that an option belongs to decides where it is stored. */
enum owner { OWN, SHARED, SELECTION };

static const struct c4w_option *find_shared(const struct c4w_command *c, const char *name, char letter)
{
	const struct c4w_option *o;
	for (o = c4w_shared_options; o->name; o++) {
		unsigned bit = c4w_shared_bit(o);
		if (bit && !(c->shares & bit))
			continue;
		if (name ? strcmp(o->name, name) == 0 : letter == o->letter)
			return o;
	}
	return NULL;
}

static const struct c4w_option *find(const struct c4w_command *c, const char *name, char letter, enum owner *owner)
{
	const struct c4w_option *o;
	*owner = OWN;
	for (o = c->options; o && o->name; o++)
		if (name ? strcmp(o->name, name) == 0 : letter == o->letter)
			return o;
	*owner = SHARED;
	o = find_shared(c, name, letter);
	if (o)
		return o;
	*owner = SELECTION;
	return c->selection && name ? c4w_selection_option(name) : NULL;
}

struct nearest {
	const char *given, *best;
	size_t distance;
};

static void visit_nearest(void *user, const char *title, const struct c4w_option *o)
{
	struct nearest *n = user;
	size_t d = c4w_str_distance(n->given, o->name), len = strlen(n->given);
	(void)title;
	if (o->hidden)
		return;
	/* "--freq" is no typing error but a beginning. */
	if (len >= 3 && strncmp(n->given, o->name, len) == 0)
		d = 1;
	if (d < n->distance) {
		n->distance = d;
		n->best = o->name;
	}
}

static int unknown(struct parse *p, const char *spelled, const char *name)
{
	char shown[128];
	struct nearest n = { .given = name, .distance = SIZE_MAX };
	c4w_fail(p->err, C4W_USAGE, "unknown option '%s'", c4w_str_escape(shown, sizeof shown, spelled, strlen(spelled)));
	c4w_each_option(p->ctx->command, visit_nearest, &n);
	if (n.best && n.distance <= 2 && n.distance < strlen(name))
		c4w_err_hint(p->err, "did you mean '--%s'? see 'c4w %s --help'", n.best, p->ctx->name);
	else
		c4w_err_hint(p->err, "see 'c4w %s --help'", p->ctx->name);
	return C4W_USAGE;
}

static int store(struct parse *p, const struct c4w_option *o, enum owner owner, const char *spelled, const char *value)
{
	struct c4w_ctx *ctx = p->ctx;
	ctx->given[ctx->givens++] =
		(struct c4w_given){ .option = o, .value = value, .spelled = spelled, .selection = owner == SELECTION };
	switch (owner) {
	case OWN:
		return c4w_option_store(o, p->args, value, &ctx->arena, p->err);
	case SHARED:
		return c4w_option_store(o, &ctx->shared, value, &ctx->arena, p->err);
	case SELECTION:
		break; /* stored once the family is known */
	}
	return C4W_OK;
}

static int needs_argument(struct parse *p, const struct c4w_option *o, const char *spelled)
{
	c4w_fail(p->err, C4W_USAGE, "option '%s' needs an argument, %s", spelled, o->arg);
	c4w_err_hint(p->err, "see 'c4w %s --help'", p->ctx->name);
	return C4W_USAGE;
}

/* "--name" or "--name=value"; *i moves on when the value is the next word. */
static int parse_long(struct parse *p, int argc, char **argv, int *i)
{
	const char *word = argv[*i], *equals = strchr(word, '='), *value = NULL;
	size_t n = equals ? (size_t)(equals - word) : strlen(word);
	char *spelled = c4w_arena_text(&p->ctx->arena, word, n);
	const struct c4w_option *o;
	enum owner owner;
	if (!spelled)
		return c4w_fail_memory(p->err, n);
	o = find(p->ctx->command, spelled + 2, 0, &owner);
	if (!o)
		return unknown(p, spelled, spelled + 2);
	if (c4w_option_takes_argument(o)) {
		if (!equals && *i + 1 >= argc)
			return needs_argument(p, o, spelled);
		value = equals ? equals + 1 : argv[++*i];
	} else if (equals) {
		c4w_fail(p->err, C4W_USAGE, "option '%s' takes no argument", spelled);
		c4w_err_hint(p->err, "see 'c4w %s --help'", p->ctx->name);
		return C4W_USAGE;
	}
	return store(p, o, owner, spelled, value);
}

/* "-x", "-xy", "-j4", "-j 4". */
static int parse_short(struct parse *p, int argc, char **argv, int *i)
{
	const char *at = argv[*i] + 1;
	for (; *at; at++) {
		char spelled_now[3] = { '-', *at, 0 };
		const char *value = NULL;
		char *spelled = c4w_arena_text(&p->ctx->arena, spelled_now, 2);
		const struct c4w_option *o;
		enum owner owner;
		if (!spelled)
			return c4w_fail_memory(p->err, 3);
		if (*at == 'h') {
			p->ctx->shared.help = p->ctx->shared.brief_help = true;
			return C4W_OK;
		}
		o = find(p->ctx->command, NULL, *at, &owner);
		if (!o)
			return unknown(p, spelled, spelled + 1);
		if (c4w_option_takes_argument(o)) {
			if (at[1] == 0 && *i + 1 >= argc)
				return needs_argument(p, o, spelled);
			value = at[1] ? at + 1 : argv[++*i];
		}
		C4W_TRY(store(p, o, owner, spelled, value));
		if (value)
			break;
	}
	return C4W_OK;
}

bool c4w_was_given(const struct c4w_ctx *ctx, const char *long_name)
{
	size_t i;
	for (i = 0; i < ctx->givens; i++)
		if (strcmp(ctx->given[i].option->name, long_name) == 0)
			return true;
	return false;
}

static int check_conflicts(struct parse *p)
{
	struct c4w_ctx *ctx = p->ctx;
	size_t i, j;
	for (i = 0; i < ctx->givens; i++) {
		const char *word = ctx->given[i].option->conflicts;
		for (; word && *word; word += strspn(word, " ")) {
			size_t n = strcspn(word, " ");
			for (j = 0; j < ctx->givens; j++) {
				const char *other = ctx->given[j].option->name;
				if (strlen(other) == n && memcmp(other, word, n) == 0)
					return c4w_fail(p->err, C4W_USAGE, "'%s' and '%s' exclude each other",
							ctx->given[i].spelled, ctx->given[j].spelled);
			}
			word += n;
		}
	}
	return C4W_OK;
}

/* Is operand i (from 0) a leaf, which may be empty: the root itself? Kinds are words, the last one stands for all further operands. */
static bool is_leaf(const struct c4w_command *c, int i)
{
	const char *kind = c->operands ? c->operands : "", *next;
	while (i-- > 0 && (next = strchr(kind, ' ')) != NULL)
		kind = next + 1;
	return strncmp(kind, "leaf", 4) == 0;
}

static int check_operands(struct parse *p)
{
	const struct c4w_command *c = p->ctx->command;
	int n = p->ctx->operands, i;
	for (i = 0; i < n; i++)
		if (!p->ctx->operand[i][0] && !is_leaf(c, i))
			return c4w_fail(p->err, C4W_USAGE, "operand %d is empty", i + 1);
	if (n < c->min_operands)
		c4w_fail(p->err, C4W_USAGE, "%s, usage: c4w %s %s", n ? "operand missing" : "no operand given", p->ctx->name, c->synopsis);
	else if (c->max_operands >= 0 && n > c->max_operands) {
		char shown[128];
		const char *extra = p->ctx->operand[c->max_operands];
		c4w_fail(p->err, C4W_USAGE, "extra operand '%s'", c4w_str_escape(shown, sizeof shown, extra, strlen(extra)));
	} else
		return C4W_OK;
	c4w_err_hint(p->err, "see 'c4w %s --help'", p->ctx->name);
	return C4W_USAGE;
}

int c4w_parse(struct c4w_ctx *ctx, int argc, char **argv, void *args, struct c4w_err *err)
{
	struct parse p = { .ctx = ctx, .args = args, .err = err };
	size_t room = (size_t)argc;
	void *mem;
	bool only_operands = false;
	int i;
	C4W_TRY(c4w_arena_zero(&ctx->arena, (size_t)argc + 1, sizeof *ctx->operand, &mem, err));
	ctx->operand = mem;
	/* A word such as -lR holds several short options. */
	for (i = 1; i < argc; i++)
		if (argv[i][0] == '-' && argv[i][1] != '-')
			room += strlen(argv[i]);
	C4W_TRY(c4w_arena_zero(&ctx->arena, room, sizeof *ctx->given, &mem, err));
	ctx->given = mem;
	C4W_TRY(c4w_options_defaults(c4w_shared_options, &ctx->shared, &ctx->arena, err));
	C4W_TRY(c4w_options_defaults(ctx->command->options, args, &ctx->arena, err));
	for (i = 1; i < argc; i++) {
		const char *word = argv[i];
		if (only_operands || word[0] != '-' || word[1] == 0) {
			ctx->operand[ctx->operands++] = word;
			continue;
		}
		if (strcmp(word, "--") == 0) {
			only_operands = true;
			continue;
		}
		C4W_TRY(word[1] == '-' ? parse_long(&p, argc, argv, &i) : parse_short(&p, argc, argv, &i));
		if (ctx->shared.help)
			return C4W_OK;
	}
	if (ctx->shared.jobs == 0)
		ctx->shared.jobs = c4w_pool_processors();
	for (i = 0; i < (int)ctx->shared.ignore.n; i++)
		C4W_TRY(c4w_rule_check(ctx->shared.ignore.v[i], err));
	C4W_TRY(check_conflicts(&p));
	return check_operands(&p);
}

void c4w_each_option(const struct c4w_command *c, c4w_option_visit *fn, void *user)
{
	const struct c4w_option *o;
	for (o = c->options; o && o->name; o++)
		fn(user, NULL, o);
	if (c->selection)
		c4w_selection_each(fn, user);
	for (o = c4w_shared_options; o->name; o++) {
		unsigned bit = c4w_shared_bit(o);
		if ((!bit || (c->shares & bit)) && !c4w_options_find(c->options, o->name))
			fn(user, "Common options", o);
	}
}
