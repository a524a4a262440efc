#!/usr/bin/env python3
"""Seeds for fuzz_pq_footer and fuzz_pq_page out of Parquet files: make_pq_corpus.py OUT FILE...

Footers and small whole files go to OUT/pq_footer, chunks with the eight bytes that fuzz_pq_page wants in front to OUT/pq_page."""
import hashlib
import struct
import sys
from pathlib import Path

import pyarrow.parquet as pq

TYPES = ["BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"]
CODECS = {"UNCOMPRESSED": 0, "SNAPPY": 1, "GZIP": 2, "BROTLI": 4, "LZ4": 5, "ZSTD": 6, "LZ4_RAW": 7, "LZ4_HADOOP": 5}
out = Path(sys.argv[1])
for name in ("pq_footer", "pq_page"):
    (out / name).mkdir(parents=True, exist_ok=True)


def put(folder, data):
    (out / folder / hashlib.sha1(data).hexdigest()[:12]).write_bytes(data)


for f in map(Path, sys.argv[2:]):
    data = f.read_bytes()
    n = struct.unpack("<I", data[-8:-4])[0]
    if n < len(data) and n < 6000:
        put("pq_footer", data[len(data) - 8 - n:-8])
    if len(data) < 3000:
        put("pq_footer", data)
    try:
        p = pq.ParquetFile(f)
    except Exception:  # noqa: BLE001
        continue
    for g in range(min(p.metadata.num_row_groups, 2)):
        rg = p.metadata.row_group(g)
        for c in range(min(rg.num_columns, 12)):
            col, sc = rg.column(c), p.schema.column(c)
            at = col.dictionary_page_offset if col.dictionary_page_offset and col.dictionary_page_offset > 0 else col.data_page_offset
            size = col.total_compressed_size
            rep, d = sc.max_repetition_level, sc.max_definition_level
            nest = {(0, 0): 0, (0, 1): 1, (1, 3): 2, (2, 5): 3, (0, 2): 4, (1, 4): 5}.get((rep, d))
            if nest is None or size > 3000 or col.num_values > 65535 or col.compression not in CODECS:
                continue
            head = bytes([TYPES.index(col.physical_type), nest, CODECS[col.compression], max(sc.length, 0) & 255, col.num_values & 255,
                          col.num_values >> 8, rg.num_rows & 255, 0])
            put("pq_page", head + data[at:at + size])
