/* Faults on their way from a container's deep check to its caller. */
#include "containers/fault.h"

int c4w_fault(struct c4w_faults *f, struct c4w_err *err)
{
	switch (err->cls) {
	case C4W_DAMAGED:
	case C4W_ABSENT:
	case C4W_UNSUPPORTED:
	case C4W_LIMIT:
		f->count++;
		return f->report ? f->report(f->ctx, err) : C4W_OK;
	default:
		return (int)err->cls;
	}
}
