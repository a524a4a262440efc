#!/usr/bin/env python3
"""pyarrow's side of the Parquet figures; prints what pq_tool bench prints.

    parquet_judge.py read FILE THREADS RUNS      'sums …' and 'seconds wall (cpu) …'
    parquet_judge.py write FILE CODEC RUNS       'seconds …': the table written again, in memory already
"""
import os
import sys
import tempfile
import time

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

M = (1 << 64) - 1


def text_hash(b):
    v = len(b)
    for c in b:
        v = (v * 31 + c) & M
    return v


def weighted(bits, start):
    k = np.arange(start + 1, start + 1 + len(bits), dtype="u8")
    return int((k * bits.astype("u8")).sum(dtype="u8"))


def column_sum(file, name):
    """The sum of (number from 1) x (bits of the value), and per row group of (number from 1) x (list length)."""
    total, seen = 0, 0
    for g in range(file.num_row_groups):
        a = file.read_row_group(g, columns=[name], use_threads=False).column(0).combine_chunks()
        a = a.chunk(0) if isinstance(a, pa.ChunkedArray) else a
        if pa.types.is_list(a.type):
            lengths = np.diff(a.offsets.to_numpy())
            total += weighted(lengths, 0)
            a = a.flatten()
        a = a.drop_null()
        if pa.types.is_string(a.type):
            d = pc.dictionary_encode(a)
            hashes = np.array([text_hash(x.as_py().encode()) for x in d.dictionary], dtype="u8")
            bits = hashes[d.indices.to_numpy()]
        else:
            v = a.to_numpy()
            bits = v.view("u4" if v.itemsize == 4 else "u8")
        total += weighted(bits, seen)
        seen += len(bits)
    return total & M


def main():
    what, path, arg, runs = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    times = []
    if what == "read":
        pa.set_cpu_count(int(arg))
        file = pq.ParquetFile(path)
        print("sums", *[column_sum(file, n) for n in file.schema_arrow.names])
        for _ in range(runs):
            t, c = time.perf_counter(), time.process_time()
            table = pq.ParquetFile(path).read(use_threads=int(arg) > 1)
            times.append((time.perf_counter() - t, time.process_time() - c))
            del table
    else:
        pa.set_cpu_count(1)
        table = pq.ParquetFile(path).read()
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(runs):
                t, c = time.perf_counter(), time.process_time()
                pq.write_table(table, os.path.join(folder, "w.parquet"), compression=arg, write_page_checksum=True)
                times.append((time.perf_counter() - t, time.process_time() - c))
    print("seconds", " ".join(f"{t:.4f} ({c:.4f})" for t, c in times))


main()
