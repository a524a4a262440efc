#!/usr/bin/env python3
"""Parquet files for scripts/bench: make_parquet.py OUT [ROWS]. Fixed seeds: the same files each time."""
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

out = Path(sys.argv[1])
n = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000_000
out.mkdir(parents=True)
r = np.random.default_rng(1)
numbers = pa.table({"i64": r.integers(0, 1 << 40, n), "f64": r.normal(size=n), "i32": r.integers(0, 1000, n).astype("i4")})
for codec in ("none", "snappy", "zstd"):
    pq.write_table(numbers, out / f"numbers-{codec}.parquet", compression=codec)
words = np.array([f"category_{i:05d}" for i in range(5000)])
pq.write_table(pa.table({"s": pa.array(words[r.integers(0, 5000, n)])}), out / "strings.parquet", compression="snappy")
offsets = np.concatenate([[0], np.cumsum(r.integers(0, 20, n // 10))]).astype("i4")
lists = pa.ListArray.from_arrays(pa.array(offsets), pa.array(r.normal(size=offsets[-1]).astype("f4")))
pq.write_table(pa.table({"l": lists}), out / "lists.parquet", compression="snappy")
