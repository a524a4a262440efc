/* What nodes of archives share: members by name, the archive itself, and folders that only show in names. */
#ifndef C4W_MODEL_NODE_MEMBERS_H
#define C4W_MODEL_NODE_MEMBERS_H

#include "model/node.h"

struct c4w_member_name {
	struct c4w_view name; /* as stored */
	bool npy;             /* its ".npy" may be left out */
};

/* The member that a prefix of rest names: the longest wins. *index is SIZE_MAX, with C4W_OK and *used the whole of rest, when it is a
 * folder that only shows in other members' names. C4W_USAGE when it has two readings, C4W_UNKNOWN when none. */
int c4w_members_lookup(const struct c4w_member_name *names, size_t count, struct c4w_view rest, size_t *index, size_t *used,
		       struct c4w_err *err) C4W_MUST_CHECK;

/* The address of each member, in the arena: names encoded, ".npy" left out where it may be, "#k" where a name repeats. */
int c4w_members_addresses(const struct c4w_member_name *names, size_t count, struct c4w_arena *arena, struct c4w_view **out,
			  struct c4w_err *err) C4W_MUST_CHECK;

/* ---- the archive, and its folders ---- */

/* An archive, or one folder of it. A provider's archive begins with this; its folders are this alone. The parents keep an archive alive
 * as long as one of its folders or members. */
struct c4w_members {
	struct c4w_node base;
	const struct c4w_members_kind *kind;
	struct c4w_members *archive;   /* itself for the archive */
	struct c4w_member_name *names; /* below this folder */
	size_t *which;                 /* the number in the archive of each of them */
	size_t count;
	struct c4w_blob *blob;         /* the archive's; NULL for a folder */
	struct c4w_arena arena;
};

/* A member; a provider's own struct of `member_bytes` begins with this. */
struct c4w_member {
	struct c4w_node base;
	struct c4w_members *archive;
	size_t which;
};

struct c4w_members_kind {
	const struct c4w_node_ops *folder, *member;
	size_t member_bytes;
	bool (*is_folder)(const struct c4w_members *archive, size_t which);
};

/* The archive's `count` names, all empty, to be filled in by the provider; `which` is set, and one more owner of the blob taken. */
int c4w_members_init(struct c4w_members *n, const struct c4w_members_kind *kind, struct c4w_blob *blob, size_t count, struct c4w_err *err) C4W_MUST_CHECK;
/* The front of a listing: refuses --records and --files, begins the rows, and gives each member's address. */
int c4w_members_begin(struct c4w_members *n, const struct c4w_list_opts *o, const struct c4w_rows *rows, const struct c4w_column *columns, size_t ncolumns,
		      struct c4w_view **addresses, struct c4w_err *err) C4W_MUST_CHECK;

/* For struct c4w_node_ops. A provider's own destroy ends with c4w_members_destroy. */
int c4w_members_child(struct c4w_node *node, struct c4w_view rest, size_t *used, struct c4w_node **child, struct c4w_err *err) C4W_MUST_CHECK;
int c4w_members_blob(struct c4w_node *node, struct c4w_blob **out, struct c4w_err *err) C4W_MUST_CHECK;
void c4w_members_destroy(struct c4w_node *node);

#endif
