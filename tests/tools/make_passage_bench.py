#!/usr/bin/env python3
"""PASSAGE-shaped data for benchmarks, quickly: few distinct tensors, repeated under many indices, routes straight.

    make_passage_bench.py OUT --resolution R --scenes N [--distinct K] [--tensors-only] [--parquet ROWS]

OUT/tree is a generator tree that verifies without findings (unless --tensors-only); with --parquet there are shards of ROWS rows in
OUT/export. Nothing here is a fact about the real data set: see formats/passage.md, section 9.
"""
import argparse
import json
from pathlib import Path

import numpy as np
import yaml
import zstandard

SOLVERS = ("astar_elevation", "astar_energy", "astar_slope")
HEX = "0123456789abcdef" * 4


def terrain(rng, n):
    """A random surface with a power spectrum, in whole metres."""
    f = np.hypot(np.fft.fftfreq(n)[:, None], np.fft.rfftfreq(n)[None, :])
    f[0, 0] = np.inf
    z = np.fft.irfft2(f ** -2.0 * np.exp(2j * np.pi * rng.random(f.shape)), s=(n, n))
    z = (z - z.min()) / np.ptp(z)
    return np.rint(500 + 40 * n ** 0.5 * z)


def route(n):
    return [(i, i) for i in range(n // 8, n - n // 8)]


def scene(rng, n):
    x = np.empty((n, n, 3), "<f4")
    x[..., 0] = (terrain(rng, n) + 430) / 9197
    x[..., 1] = -1
    cells = route(n)
    x[cells[0][0], cells[0][1], 1] = 0
    x[cells[-1][0], cells[-1][1], 1] = 1
    x[..., 2] = 0
    for _ in range(12):
        i, j = rng.integers(0, n, 2)
        a, b = rng.integers(n // 24 + 1, n // 8 + 2, 2)
        x[i:i + a, j:j + b, 2] = 1
    for i, j in cells:
        x[i, j, 2] = 0
    return x


def metadata(n, index, x):
    cells = route(n)
    length = (len(cells) - 1) * 30 * 2 ** 0.5
    ratio = float(x[..., 2].mean())
    window = {"tile": "N045E062", "rows": [0, n]}
    one = {"status": "ok", "cost": length, "length": len(cells), "expansions": 100, "considered_area": 200, "reference_status": "exact",
           "graph_id": HEX, "crosses_obstacles": False}
    spec = {"connectivity": 8, "diagonal_policy": "destination_only", "obstacle_policy": "blocked", "pixel_size_m": 30.0,
            "coordinate_order": "row_col", "cost_model": "elevation", "cost_weight": 62.4, "rtol": 1e-7, "atol": 1e-6}
    solver = {"name": "x", "cost_model": "elevation", "weight": 62.4, "graph_spec": spec,
              "reference_engine": "passage.reference.solve_reference", "arithmetic_precision": "float64"}
    return {"index": index, "resolution": n, "split": "train", "dataset_version": "bench", "units": "metres",
            "calibration": {"min": -430.0, "max": 8767.0},
            "markers": {"start_point": dict(zip("ij", cells[0])), "end_point": dict(zip("ij", cells[-1]))},
            "tile": {"source": {"lat": 45, "lon": 62}, "used": [window], "overlapping": [window]},
            "crop": {k: {"lat": 45.5, "lon": 62.5} for k in ("top_left", "bottom_right", "center")},
            "obstacles": {"enabled": True, "ratio_target": 0.3 if ratio <= 0.3 else 1.0, "ratio_actual": ratio},
            "provenance": {"generation_seed": 42, "sample_seed": 1, "provenance_id": HEX, "calibration_sha256": HEX,
                           "source_windows": [window]},
            "solvers": {k: solver for k in SOLVERS}, "paths": {k: {"free": one, "obstacles": one} for k in SOLVERS}}


def put(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())


def main():
    p = argparse.ArgumentParser()
    p.add_argument("out", type=Path)
    p.add_argument("--resolution", type=int, required=True)
    p.add_argument("--scenes", type=int, required=True)
    p.add_argument("--distinct", type=int, default=4)
    p.add_argument("--tensors-only", action="store_true")
    p.add_argument("--parquet", type=int, default=0)
    a = p.parse_args()
    n = a.resolution
    rng = np.random.default_rng([n, 11])
    tensors = [scene(rng, n) for _ in range(min(a.distinct, a.scenes))]
    blobs = [zstandard.ZstdCompressor(level=12).compress(x.tobytes()) for x in tensors]
    base = a.out / "tree" / str(n) / "train"
    cells = route(n)
    csv = "".join(f"{i},{j}\n" for i, j in cells)
    texts = [yaml.safe_dump(json.loads(json.dumps(metadata(n, 987654321, x))), sort_keys=False) for x in tensors]
    for i in range(a.scenes):
        key, k = f"{i:010d}", i % len(blobs)
        put(base / f"tensors/N045/E062/{key}.npy.zst", blobs[k])
        if a.tensors_only:
            continue
        put(base / f"metadata/N045/E062/{key}.yaml", texts[k].replace("987654321", str(i)))
        for s in SOLVERS:
            for v in ("free", "obstacles"):
                put(base / f"paths/{s}/{v}/N045/E062/{key}.csv", csv)
        put(base / f"receipts/{key}.json", "{}\n")
    if a.parquet:
        import pyarrow as pa
        import pyarrow.parquet as pq
        for shard, first in enumerate(range(0, a.scenes, a.parquet)):
            ids = range(first, min(first + a.parquet, a.scenes))
            cols = {"id": [f"{i:010d}" for i in ids], "tensor": pa.array([blobs[i % len(blobs)] for i in ids], pa.binary())}
            for s in SOLVERS:
                for v in ("free", "obstacles"):
                    cols[f"path_{s}_{v}"] = pa.array([[list(c) for c in cells] for _ in ids], pa.list_(pa.list_(pa.int32())))
            cols["metadata_json"] = [json.dumps(metadata(n, i, tensors[i % len(tensors)])) for i in ids]
            out = a.out / f"export/{n}x{n}/train/data-{shard:05d}.parquet"
            out.parent.mkdir(parents=True, exist_ok=True)
            pq.write_table(pa.table(cols), out, compression="zstd", compression_level=12)


main()
