#!/usr/bin/env python3
"""tests/data/parquet/arrow_schema.parquet and bloom_filter.parquet: make_parquet_small.py OUT. Needs pyarrow and duckdb."""
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

out = Path(sys.argv[1])
pairs = lambda value: pa.list_(value, 2)
table = pa.table({
    "word": pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 0], pa.int8()), pa.array(["yes", "no"])),
    "plain": pa.array(["a", "b", "c", "d"]),
    "place": pa.FixedSizeListArray.from_arrays(pa.array(range(12), pa.float32()), 3),
    "grid": pa.array([[[1, 2], [3, 4]]] * 4, pa.list_(pairs(pa.int16()))),
    "deep": pa.array([{"at": [1.0, 2.0], "n": 1}] * 4, pa.struct([("at", pairs(pa.float64())), ("n", pa.int32())])),
    "tags": pa.array([[("k", [1, 2])]] * 4, pa.map_(pa.string(), pairs(pa.int8()))),
    "words": pa.array([["x", "y"]] * 4, pa.list_(pa.dictionary(pa.int32(), pa.string()))),
})
pq.write_table(table, out / "arrow_schema.parquet", write_page_index=True, row_group_size=2)
duckdb.sql("copy (select (i % 3)::integer as small, i % 2 = 0 as even from range(4096) r(i)) "
           f"to '{out}/bloom_filter.parquet' (format parquet, row_group_size 2048)")
