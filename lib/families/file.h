/* The family of lone containers, checksum lists, folders and streams: what a path is when no dataset claims it. */
#ifndef C4W_FAMILIES_FILE_H
#define C4W_FAMILIES_FILE_H

#include "model/family.h"
#include "model/node_file.h"

extern const struct c4w_family c4w_family_file;

/* What a root of this family is by its first bytes; a stream is read for that. *why is a clause. */
int c4w_file_format(void *root, enum c4w_format *format, const char **why, struct c4w_err *err) C4W_MUST_CHECK;

#endif
