/* Addresses of archive members: what is written can be found again; two readings are told. */
#include "model/node_members.h"

#include "tap.h"

static struct c4w_arena arena;

static size_t find(const struct c4w_member_name *names, size_t n, const char *address, size_t *used, int *cls)
{
	struct c4w_err err;
	size_t index = 12345;
	*used = 0;
	*cls = c4w_members_lookup(names, n, c4w_view_z(address), &index, used, &err);
	return index;
}

static void test_round_trip(void)
{
	static const char *const raw[] = { "plain", "a b", "new\nline", "100%", "a%20b", "a%2520b", "x#2", "x", "x", "d/e", "d/e/f", "same", "same",
					   "same", "\xff\xfe", "caf\xc3\xa9", "/abs", "../up", "a//b", "dir/", "back\\slash", "#", "#1", "%", "" };
	enum { N = sizeof raw / sizeof *raw };
	struct c4w_member_name names[N];
	struct c4w_view *addresses;
	size_t i, k, used;
	int cls;
	for (i = 0; i < N; i++)
		names[i] = (struct c4w_member_name){ c4w_view_z(raw[i]), false };
	is_int(c4w_members_addresses(names, N, &arena, &addresses, NULL), C4W_OK);
	for (i = 0; i < N; i++) {
		char address[100];
		snprintf(address, sizeof address, "%.*s", (int)addresses[i].n, addresses[i].p);
		for (k = 0; k < i; k++)
			ok(!c4w_view_eq(addresses[i], addresses[k]), "'%s' twice", address);
		ok(c4w_utf8_valid(address, strlen(address)), "'%s' is text", address);
		if (!*raw[i])
			continue; /* an empty name has an address, but is looked up by no step */
		is_int(find(names, N, address, &used, &cls), i);
		is_int(cls, C4W_OK);
		is_int(used, strlen(address));
	}
	c4w_arena_clear(&arena);
}

static void test_longest(void)
{
	static const struct c4w_member_name names[] = { { { "a", 1 }, false }, { { "a/b.npz", 7 }, false }, { { "a/b", 3 }, false },
							{ { "c/d/e", 5 }, false } };
	size_t used;
	int cls;
	is_int(find(names, 4, "a/b.npz/tau", &used, &cls), 1);
	is_int(used, 7);
	is_int(find(names, 4, "a/b/tau", &used, &cls), 2);
	is_int(used, 3);
	is_int(find(names, 4, "a/x", &used, &cls), 0);
	is_int(used, 1);
	find(names, 4, "c/d", &used, &cls);
	is_int(cls, C4W_OK); /* a folder that only shows in names */
	is_int(used, 3);
	find(names, 4, "c/x", &used, &cls);
	is_int(cls, C4W_UNKNOWN);
	find(names, 4, "ab", &used, &cls);
	is_int(cls, C4W_UNKNOWN);
}

static void test_readings(void)
{
	static const struct c4w_member_name npz[] = { { { "tau.npy", 7 }, true }, { { "tau", 3 }, true }, { { "phi.npy", 7 }, true } };
	static const struct c4w_member_name twice[] = { { { "a", 1 }, false }, { { "a", 1 }, false } };
	struct c4w_err err;
	struct c4w_view *addresses;
	size_t used, index;
	int cls;
	is_int(c4w_members_lookup(npz, 3, C4W_VIEW("tau"), &index, &used, &err), C4W_USAGE);
	ok(strstr(err.message, "2 readings") != NULL, "%s", err.message);
	is_int(find(npz, 3, "tau.npy", &used, &cls), 0);
	is_int(find(npz, 3, "phi", &used, &cls), 2);
	is_int(find(npz, 3, "phi.npy", &used, &cls), 2);
	is_int(c4w_members_addresses(npz, 3, &arena, &addresses, NULL), C4W_OK);
	ok(c4w_view_eqz(addresses[0], "tau.npy") && c4w_view_eqz(addresses[2], "phi"), "addresses");
	find(twice, 2, "a", &used, &cls);
	is_int(cls, C4W_USAGE);
	is_int(find(twice, 2, "a#2", &used, &cls), 1);
	find(twice, 2, "a#3", &used, &cls);
	is_int(cls, C4W_UNKNOWN);
	c4w_arena_clear(&arena);
}

int main(void)
{
	RUN(test_round_trip);
	RUN(test_longest);
	RUN(test_readings);
	return done();
}
