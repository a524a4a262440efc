/* Builds ZIP archives byte by byte, so that each field can be wrong. */
#ifndef C4W_TESTS_ZIP_MAKE_H
#define C4W_TESTS_ZIP_MAKE_H

#include <libdeflate.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct made_entry {
	const char *name;
	size_t name_n; /* 0: strlen */
	const void *data;
	size_t size;
	unsigned method, flags;
	/* what to write instead of the truth, as differences that are added; 0: the truth */
	int local_name, local_method, local_flags, local_crc, local_size, local_compressed;
	int central_crc;
	long central_size, central_compressed;
	long central_local; /* difference to the local header's place */
	bool no_sizes;      /* local header without CRC and sizes (flag bit 3) */
	unsigned descriptor; /* 12, 16, 20, 24: bytes of descriptor behind the data; 0: none */
	bool zip64;          /* local and central sizes in a zip64 record */
	const void *extra;   /* of the central entry */
	size_t extra_n;
	size_t slack;        /* extra compressed bytes counted to the entry */
};

struct made {
	uint8_t *p;
	size_t n, cap;
	size_t central, end;
};

struct made_end {
	const char *comment;
	size_t comment_n;
	int count;         /* differences */
	long size, offset;
	bool zip64;
	int zip64_count;
	long zip64_at;
};

static inline void put(struct made *m, const void *p, size_t n)
{
	if (m->n + n > m->cap) {
		m->cap = 2 * (m->n + n) + 256;
		m->p = realloc(m->p, m->cap);
	}
	if (n)
		memcpy(m->p + m->n, p, n);
	m->n += n;
}

static inline void put_le(struct made *m, uint64_t v, unsigned bytes)
{
	uint8_t b[8];
	unsigned i;
	for (i = 0; i < bytes; i++)
		b[i] = (uint8_t)(v >> (8 * i));
	put(m, b, bytes);
}

static inline struct made make_zip(const struct made_entry *v, size_t count, const struct made_end *end)
{
	static const struct made_end plain_end;
	struct made m = { 0 };
	struct { uint64_t at, compressed; uint32_t crc; } *done = calloc(count + 1, sizeof *done);
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(6);
	size_t i, z64;
	if (!end)
		end = &plain_end;
	for (i = 0; i < count; i++) {
		const struct made_entry *e = &v[i];
		size_t name_n = e->name_n ? e->name_n : strlen(e->name), packed = e->size;
		uint8_t *data = malloc(e->size + 1024);
		char name[256];
		memcpy(name, e->name, name_n);
		name[0] = (char)(name[0] + e->local_name);
		memcpy(data, e->data ? e->data : "", e->size);
		if (e->method == 8)
			packed = libdeflate_deflate_compress(c, e->data ? e->data : "", e->size, data, e->size + 1024);
		memset(data + packed, 0, e->slack);
		packed += e->slack;
		done[i].at = m.n;
		done[i].crc = libdeflate_crc32(0, e->data ? e->data : "", e->size);
		done[i].compressed = packed;
		put(&m, "PK\3\4", 4);
		put_le(&m, 20, 2);
		put_le(&m, (unsigned)((int)e->flags + e->local_flags), 2);
		put_le(&m, (unsigned)((int)e->method + e->local_method), 2);
		put_le(&m, 0, 4);
		put_le(&m, e->no_sizes ? 0 : done[i].crc + (unsigned)e->local_crc, 4);
		put_le(&m, e->zip64 ? 0xFFFFFFFF : e->no_sizes ? 0 : packed + (unsigned)e->local_compressed, 4);
		put_le(&m, e->zip64 ? 0xFFFFFFFF : e->no_sizes ? 0 : e->size + (unsigned)e->local_size, 4);
		put_le(&m, name_n, 2);
		put_le(&m, e->zip64 ? 20 : 0, 2);
		put(&m, name, name_n);
		if (e->zip64) {
			put_le(&m, 1, 2);
			put_le(&m, 16, 2);
			put_le(&m, e->no_sizes ? 0 : e->size + (unsigned)e->local_size, 8);
			put_le(&m, e->no_sizes ? 0 : packed + (unsigned)e->local_compressed, 8);
		}
		put(&m, data, packed);
		if (e->descriptor) {
			if (e->descriptor == 16 || e->descriptor == 24)
				put(&m, "PK\7\10", 4);
			put_le(&m, done[i].crc, 4);
			put_le(&m, packed, e->descriptor >= 20 ? 8 : 4);
			put_le(&m, e->size, e->descriptor >= 20 ? 8 : 4);
		}
		free(data);
	}
	m.central = m.n;
	for (i = 0; i < count; i++) {
		const struct made_entry *e = &v[i];
		size_t name_n = e->name_n ? e->name_n : strlen(e->name);
		put(&m, "PK\1\2", 4);
		put_le(&m, 3 << 8 | 20, 2);
		put_le(&m, 20, 2);
		put_le(&m, e->flags, 2);
		put_le(&m, e->method, 2);
		put_le(&m, 0, 4);
		put_le(&m, done[i].crc + (unsigned)e->central_crc, 4);
		put_le(&m, e->zip64 ? 0xFFFFFFFF : done[i].compressed + (uint64_t)e->central_compressed, 4);
		put_le(&m, e->zip64 ? 0xFFFFFFFF : e->size + (uint64_t)e->central_size, 4);
		put_le(&m, name_n, 2);
		put_le(&m, (e->zip64 ? 28 : 0) + e->extra_n, 2);
		put_le(&m, 0, 2);
		put_le(&m, 0, 4);
		put_le(&m, 0100644U << 16, 4);
		put_le(&m, e->zip64 ? 0xFFFFFFFF : done[i].at + (uint64_t)e->central_local, 4);
		put(&m, e->name, name_n);
		if (e->zip64) {
			put_le(&m, 1, 2);
			put_le(&m, 24, 2);
			put_le(&m, e->size + (uint64_t)e->central_size, 8);
			put_le(&m, done[i].compressed + (uint64_t)e->central_compressed, 8);
			put_le(&m, done[i].at + (uint64_t)e->central_local, 8);
		}
		put(&m, e->extra, e->extra_n);
	}
	m.end = m.n;
	z64 = m.n;
	if (end->zip64) {
		put(&m, "PK\6\6", 4);
		put_le(&m, 44, 8);
		put_le(&m, 45, 2);
		put_le(&m, 45, 2);
		put_le(&m, 0, 8);
		put_le(&m, count + (unsigned)end->zip64_count, 8);
		put_le(&m, count + (unsigned)end->zip64_count, 8);
		put_le(&m, m.end - m.central, 8);
		put_le(&m, m.central, 8);
		put(&m, "PK\6\7", 4);
		put_le(&m, 0, 4);
		put_le(&m, z64 + (uint64_t)end->zip64_at, 8);
		put_le(&m, 1, 4);
	}
	put(&m, "PK\5\6", 4);
	put_le(&m, 0, 4);
	put_le(&m, end->zip64 ? 0xFFFF : count + (unsigned)end->count, 2);
	put_le(&m, end->zip64 ? 0xFFFF : count + (unsigned)end->count, 2);
	put_le(&m, end->zip64 ? 0xFFFFFFFF : m.end - m.central + (uint64_t)end->size, 4);
	put_le(&m, end->zip64 ? 0xFFFFFFFF : m.central + (uint64_t)end->offset, 4);
	put_le(&m, end->comment_n, 2);
	put(&m, end->comment, end->comment_n);
	libdeflate_free_compressor(c);
	free(done);
	return m;
}

#endif
