/* Files of a sink: temporary until committed. See sink.h. */
#include "storage/sink_dir.h"
#include "storage/sink_impl.h"

#include "base/checked.h"
#include "storage/store_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct c4w_sink_file {
	struct c4w_sink *sink;
	struct c4w_writer w;
	char *rel;
	struct c4w_sink_temp temp;
	uint64_t size; /* C4W_SINK_UNKNOWN, or as announced */
	unsigned flags;
	atomic_bool scattered; /* written by write_at */
};

static void file_free(struct c4w_sink_file *f, bool remove_it)
{
	c4w_writer_drop(&f->w);
	if (f->temp.name[0])
		c4w_sink_leave_temporary(f->sink, &f->temp, remove_it);
	free(f->rel);
	free(f);
}

int c4w_sink_create(struct c4w_sink *s, const char *rel, uint64_t size, unsigned flags, struct c4w_sink_file **out,
		    struct c4w_err *err)
{
	struct c4w_sink_file *f;
	int fd = -1, r;
	*out = NULL;
	C4W_TRY(c4w_sink_check_path(rel, err));
	f = calloc(1, sizeof *f);
	if (!f || !(f->rel = strdup(rel))) {
		free(f);
		return c4w_fail_memory(err, sizeof *f);
	}
	f->sink = s;
	f->size = size;
	f->flags = flags;
	atomic_init(&f->scattered, false);
	r = c4w_sink_open_temporary(s, flags & C4W_SINK_EXEC ? 0777 : 0666, &f->temp, rel, &fd, err);
	c4w_writer_init(&f->w, fd, flags & C4W_SINK_HASH);
	if (r == C4W_OK && size != C4W_SINK_UNKNOWN)
		r = c4w_writer_reserve(&f->w, size, f->rel, err);
	if (r != C4W_OK) {
		file_free(f, true);
		return r;
	}
	*out = f;
	return C4W_OK;
}

int c4w_sink_write(struct c4w_sink_file *f, const void *p, size_t n, struct c4w_err *err)
{
	if (n > f->size - f->w.at) /* unknown is the largest number */
		return c4w_fail(err, C4W_USAGE, "more than the %llu bytes announced for '%s'", (unsigned long long)f->size, f->rel);
	return c4w_writer_put(&f->w, p, n, f->rel, err);
}

int c4w_sink_write_at(struct c4w_sink_file *f, uint64_t offset, const void *p, size_t n, struct c4w_err *err)
{
	if (f->flags & C4W_SINK_HASH || f->size == C4W_SINK_UNKNOWN || !c4w_within(offset, n, f->size))
		return c4w_fail(err, C4W_USAGE, "bytes %llu to %llu can't be written to '%s'", (unsigned long long)offset,
				(unsigned long long)(offset + n), f->rel);
	atomic_store_explicit(&f->scattered, true, memory_order_relaxed);
	return c4w_write_all(f->w.fd, (int64_t)offset, p, n, f->rel, err);
}

static int ends_early(struct c4w_blob *from, uint64_t at, struct c4w_err *err)
{
	c4w_fail(err, C4W_IO, "ends early: cut at byte %llu while it was read", (unsigned long long)at);
	c4w_err_path(err, c4w_blob_name(from));
	return C4W_IO;
}

/* By the kernel; *done is how far it came before it declined. */
static int copy_range(struct c4w_sink_file *f, int fd, uint64_t at, uint64_t length, struct c4w_blob *from, uint64_t *done, struct c4w_err *err)
{
	loff_t in = (loff_t)at;
	*done = 0;
	C4W_TRY(c4w_writer_flush(&f->w, f->rel, err));
	while (*done < length) {
		size_t want = length - *done < 0x1000000 ? (size_t)(length - *done) : 0x1000000;
		ssize_t n = copy_file_range(fd, &in, f->w.fd, NULL, want, 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EXDEV || errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP || errno == EPERM))
			return C4W_OK;
		if (n < 0)
			return c4w_write_failed(err, errno, "can't copy", f->rel);
		if (n == 0)
			return *done ? ends_early(from, at + *done, err) : C4W_OK; /* some file systems copy nothing at all */
		*done += (uint64_t)n;
		f->w.at += (uint64_t)n;
	}
	return C4W_OK;
}

int c4w_sink_copy(struct c4w_sink_file *f, struct c4w_blob *from, uint64_t offset, uint64_t length, struct c4w_err *err)
{
	enum { PIECE = 256 * 1024 };
	uint64_t done = 0, base = 0;
	const struct c4w_blob *beneath = c4w_blob_beneath(from, &base);
	int fd = c4w_blob_file_fd(beneath), r = C4W_OK;
	uint8_t *piece;
	if (!c4w_within(offset, length, c4w_blob_size(from)))
		return ends_early(from, c4w_blob_size(from), err);
	if (length > f->size - f->w.at)
		return c4w_fail(err, C4W_USAGE, "more than the %llu bytes announced for '%s'", (unsigned long long)f->size, f->rel);
	if (!f->w.hash && fd >= 0 && length >= PIECE)
		C4W_TRY(copy_range(f, fd, base + offset, length, from, &done, err));
	if (done == length)
		return C4W_OK;
	piece = malloc(PIECE);
	if (!piece)
		return c4w_fail_memory(err, PIECE);
	while (r == C4W_OK && done < length) {
		size_t n = length - done < PIECE ? (size_t)(length - done) : PIECE;
		r = c4w_blob_read_at(from, offset + done, n, piece, err);
		if (r == C4W_OK)
			r = c4w_sink_write(f, piece, n, err);
		done += n;
	}
	free(piece);
	return r;
}

uint64_t c4w_sink_written(const struct c4w_sink_file *f)
{
	return f->w.at;
}

int c4w_sink_commit(struct c4w_sink_file *f, uint8_t digest[32], struct c4w_err *err)
{
	bool durable = f->flags & C4W_SINK_DURABLE;
	int r = C4W_OK;
	if (f->size != C4W_SINK_UNKNOWN && f->w.at != f->size && !atomic_load(&f->scattered))
		r = c4w_fail(err, C4W_USAGE, "%llu of %llu bytes were written to '%s'", (unsigned long long)f->w.at,
			     (unsigned long long)f->size, f->rel);
	if (r == C4W_OK)
		r = c4w_writer_close(&f->w, durable, f->rel, err);
	if (r == C4W_OK)
		r = c4w_sink_rename(f->sink, &f->temp, f->rel, f->flags & C4W_SINK_NEW, durable, err);
	if (r == C4W_OK && digest && f->w.hash)
		c4w_sha256_final(&f->w.sha, digest);
	file_free(f, r != C4W_OK);
	return r;
}

void c4w_sink_abort(struct c4w_sink_file *f)
{
	if (f)
		file_free(f, true);
}

/* Does the destination hold exactly these bytes at `rel`? Doubt is a no. */
static bool holds(struct c4w_sink *s, const char *rel, const void *p, size_t n)
{
	struct c4w_blob *b = NULL;
	bool same = false;
	void *there;
	if (c4w_sink_read(s, rel, &b, NULL) != C4W_OK)
		return false;
	if (c4w_blob_size(b) == n && (there = malloc(n ? n : 1)) != NULL) {
		same = c4w_blob_read_at(b, 0, n, there, NULL) == C4W_OK && (n == 0 || memcmp(there, p, n) == 0);
		free(there);
	}
	c4w_blob_close(b);
	return same;
}

int c4w_sink_put(struct c4w_sink *s, const char *rel, const void *p, size_t n, unsigned flags, bool keep_same, struct c4w_err *err)
{
	struct c4w_sink_file *f;
	int r;
	if (keep_same && holds(s, rel, p, n))
		return C4W_OK;
	C4W_TRY(c4w_sink_create(s, rel, n, flags & ~(unsigned)C4W_SINK_HASH, &f, err));
	r = c4w_sink_write(f, p, n, err);
	if (r != C4W_OK) {
		c4w_sink_abort(f);
		return r;
	}
	return c4w_sink_commit(f, NULL, err);
}
