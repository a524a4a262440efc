#!/usr/bin/env python3
"""Parquet files that lie beside their pages: break_parquet.py DATA OUT.

Into OUT go files whose page index, Bloom filter, counts or headers contradict the data, each named after the rule that is broken, and `legal-` ones beside
them. DATA is tests/data/parquet. Only the standard library is needed."""
import copy
import struct
import sys
from pathlib import Path

from parquet_parts import File, change, get, put_struct

data, out = Path(sys.argv[1]), Path(sys.argv[2])
out.mkdir(parents=True, exist_ok=True)

ROWS, PAGES = 1000, 10
INT64, PLAIN, RLE = 2, 0, 3


def one_column(front, meta, rows):
    schema = [{4: (8, b"schema"), 5: (5, 1)}, {1: (5, INT64), 3: (5, 0), 4: (8, b"n")}]
    footer = {1: (5, 2), 2: (9, (12, schema)), 3: (6, rows), 7: (9, (12, [{1: (12, {})}])),
              4: (9, (12, [{1: (9, (12, [{2: (6, 0), 3: (12, meta)}])), 2: (6, len(front) - 4), 3: (6, rows)}]))}
    tail = put_struct(footer)
    return File(bytes(front) + tail + struct.pack("<I", len(tail)) + b"PAR1")


def numbers(v2=False, rows=0, nulls=0):
    """One required column of the numbers 0 to ROWS - 1 in PAGES pages, with offset and column index. v2: of version 2; rows and nulls are what page 3
    claims too much."""
    front, locations, mins, maxes = bytearray(b"PAR1"), [], [], []
    each = ROWS // PAGES
    for p in range(PAGES):
        body = struct.pack(f"<{each}q", *range(p * each, (p + 1) * each))
        extra = p == 3
        kind = {8: (12, {1: (5, each), 2: (5, nulls * extra), 3: (5, each + rows * extra), 4: (5, PLAIN), 5: (5, 0), 6: (5, 0), 7: (2, False)})} if v2 else {
            5: (12, {1: (5, each), 2: (5, PLAIN), 3: (5, RLE), 4: (5, RLE)})}
        header = put_struct({1: (5, 3 if v2 else 0), 2: (5, len(body)), 3: (5, len(body)), **kind})
        locations.append({1: (6, len(front)), 2: (5, len(header) + len(body)), 3: (6, p * each)})
        mins.append(struct.pack("<q", p * each))
        maxes.append(struct.pack("<q", (p + 1) * each - 1))
        front += header + body
    size = len(front) - 4
    meta = {1: (5, INT64), 2: (9, (5, [PLAIN, RLE])), 3: (9, (8, [b"n"])), 4: (5, 0), 5: (6, ROWS), 6: (6, size), 7: (6, size), 9: (6, 4),
            13: (9, (12, [{1: (5, 0), 2: (5, PLAIN), 3: (5, PAGES)}]))}
    f = one_column(front, meta, ROWS)
    f.put_index(0, 0, 4, {1: (9, (12, locations))})
    f.put_index(0, 0, 6, {1: (9, (1, [False] * PAGES)), 2: (9, (8, mins)), 3: (9, (8, maxes)), 4: (5, 1), 5: (9, (6, [0] * PAGES))})
    return f


def lie(name, f, which=None, *edits, column=0, group=0):
    """A copy of f with values changed: in an index (4 offset, 6 column) or in the chunk's metadata (3)."""
    f = copy.deepcopy(f)
    part = f.index(group, column, which) if which in (4, 6) else get(f.chunk(group, column), 3)
    for path, value in edits:
        change(part, value, *path)
    if which in (4, 6):
        f.put_index(group, column, which, part)
    (out / (name + ".parquet")).write_bytes(f.bytes())


base = numbers()
lie("legal-numbers", base)
at = [get(base.index(0, 0, 4), 1, p, 1) for p in range(PAGES)]
lie("offset-index-first-row", base, 4, ((1, 5, 3), 501))
lie("offset-index-offset", base, 4, ((1, 5, 1), at[5] + 1))
lie("offset-index-size", base, 4, ((1, 5, 2), 750))
lie("offset-index-swapped", base, 4, ((1, 5, 1), at[6]), ((1, 6, 1), at[5]))
lie("offset-index-outside", base, 4, ((1, 9, 1), 1 << 40))
short = copy.deepcopy(base)
index = short.index(0, 0, 4)
del index[1][1][1][7]
short.put_index(0, 0, 4, index)
lie("offset-index-missing-page", short)
for gone in (0, 1, PAGES - 1):  # nothing is wrong with those that are left
    fewer = copy.deepcopy(base)
    index = fewer.index(0, 0, 4)
    del index[1][1][1][gone]
    for p in range(PAGES - 1):
        change(index, p * (ROWS // PAGES), 1, p, 3)
    fewer.put_index(0, 0, 4, index)
    lie(f"offset-index-without-{gone}", fewer)
far = copy.deepcopy(base)
change(far.chunk(0, 0), 1 << 40, 4)
lie("offset-index-beyond-file", far)
junk = copy.deepcopy(base)
change(junk.chunk(0, 0), 4, 4)
lie("offset-index-junk", junk)

lie("column-index-min", base, 6, ((2, 3), struct.pack("<q", 301)))
lie("column-index-max", base, 6, ((3, 3), struct.pack("<q", 398)))
lie("column-index-order", base, 6, ((4,), 2))
lie("column-index-order-unknown", base, 6, ((4,), 3))
lie("column-index-nulls", base, 6, ((5, 3), 1))
lie("column-index-null-page", base, 6, ((1, 3), True))
lie("column-index-lists", base, 6, ((5,), (6, [0] * (PAGES - 1))))
lie("column-index-pages", base, 6, *(((k,), (kind, [value] * 3)) for k, kind, value in ((1, 1, False), (2, 8, b"\0" * 8), (3, 8, b"\xff" * 7 + b"\x7f"), (5, 6, 0))))
lie("legal-no-statistics", base, 6, ((1, 3), True), ((5, 3), -1))  # parquet-mr without statistics: a warning
lie("column-index-width", base, 6, ((3, 4), b"x"), ((4,), 0))
lie("legal-bounds", base, 6, ((2, 3), struct.pack("<q", -1)), ((4,), 0))  # wide bounds in no order

lie("page-counts-pages", base, 3, ((13, 0, 3), PAGES - 1))
lie("page-counts-dictionary", base, 3, ((13, 0, 2), 8))
lie("page-counts-encoding", base, 3, ((2,), (5, [RLE])))

behind = copy.deepcopy(base)
for path in ((3,), (4, 0, 3), (4, 0, 1, 0, 3, 5)):
    change(behind.footer, ROWS - ROWS // PAGES, *path)
lie("value-count-page-behind", behind)

lie("legal-v2", numbers(True))
lie("page-rows-rows", numbers(True, rows=1))
lie("page-rows-nulls", numbers(True, nulls=1))



def two_dictionaries():
    """A column of two pages, each over a dictionary page in front of it."""
    front, each = bytearray(b"PAR1"), 100
    for first in (1, 3):
        values = struct.pack("<2q", first, first + 1)
        front += put_struct({1: (5, 2), 2: (5, len(values)), 3: (5, len(values)), 7: (12, {1: (5, 2), 2: (5, PLAIN)})}) + values
        if first == 1:
            at = len(front)
        body = bytes([1, each << 1 & 127 | 128, each >> 6, 0])  # one run of the first value
        front += put_struct({1: (5, 0), 2: (5, len(body)), 3: (5, len(body)), 5: (12, {1: (5, each), 2: (5, 8), 3: (5, RLE), 4: (5, RLE)})}) + body
    size = len(front) - 4
    meta = {1: (5, INT64), 2: (9, (5, [PLAIN, RLE, 8])), 3: (9, (8, [b"n"])), 4: (5, 0), 5: (6, 2 * each), 6: (6, size), 7: (6, size), 9: (6, at), 11: (6, 4)}
    return one_column(front, meta, 2 * each)


lie("dictionary-second", two_dictionaries())

bloom = File((data / "bloom_filter.parquet").read_bytes())
lie("legal-bloom", bloom)
where = get(bloom.chunk(0, 0), 3, 14)
empty = copy.deepcopy(bloom)
for i in range(where + 20, where + 20 + 8):  # within the bits
    empty.front[i] = 0
for i in range(where + 20, len(empty.front)):
    empty.front[i] = 0 if i < where + get(bloom.chunk(0, 0), 3, 15) else empty.front[i]
lie("bloom-filter-bits", empty)
lie("bloom-filter-outside", bloom, 3, ((14,), 1 << 40))
lie("bloom-filter-size", bloom, 3, ((15,), 40))
