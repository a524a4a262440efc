/* Which paths have been written in one run, so that a second scene with the same place is noticed: shards may repeat scenes, and
 * several inputs may hold loose blobs of one name.
 *
 * Costs 24 to 48 bytes a path; paths are told apart by 64 bits of hash. Any thread may call; a claim lasts from c4w_psg_claim to
 * c4w_psg_claim_end of the same thread, which must not claim anything else meanwhile.
 */
#ifndef C4W_FAMILIES_PSG_CLAIMS_H
#define C4W_FAMILIES_PSG_CLAIMS_H

#include "base/err.h"
#include "storage/sink.h"

struct c4w_psg_claims;

int c4w_psg_claims_new(struct c4w_psg_claims **out, struct c4w_err *err) C4W_MUST_CHECK;
void c4w_psg_claims_free(struct c4w_psg_claims *c); /* accepts NULL */

/* Claim a path. Waits while another thread has it. *written: it has been written in this run; then the caller compares and does
 * not write. Every success must be followed by c4w_psg_claim_end. */
int c4w_psg_claim(struct c4w_psg_claims *c, const char *path, size_t *claim, bool *written, struct c4w_err *err) C4W_MUST_CHECK;
void c4w_psg_claim_end(struct c4w_psg_claims *c, size_t claim, bool written);

/* Does the blob hold these bytes at the offset? */
bool c4w_psg_holds_at(struct c4w_blob *b, uint64_t at, const void *p, size_t n);
/* Does the destination's file hold just these bytes? */
bool c4w_psg_holds(struct c4w_sink *sink, const char *path, const void *p, size_t n);

#endif
