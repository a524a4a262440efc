/* A scene's geometry as files. */
#ifndef C4W_FAMILIES_CHW_UNPACK_H
#define C4W_FAMILIES_CHW_UNPACK_H

#include "base/buf.h"
#include "model/finding.h"
#include "storage/sink.h"

#include <stdatomic.h>

/* Write a scene's geometry below SCENE/ of the sink; `root` is an open Channels4World root. Digest, names, links and entry point of the archive are
 * checked before anything is written; what is wrong with them goes into *fs, and nothing is written. A file that holds the right bytes
 * stays. *entry receives SCENE/ENTRY_POINT. C4W_USAGE for an unknown scene. */
int chw_geometry_unpack(void *root, const char *scene_id, struct c4w_sink *sink, const atomic_int *cancel, struct c4w_findings *fs,
			struct c4w_buf *entry, uint64_t *files, struct c4w_err *err) C4W_MUST_CHECK;

#endif
