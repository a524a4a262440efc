#!/usr/bin/env python3
"""A large TimeF data set for the benchmark, written with the reference (timenet 0.1.0, for zarr with its extra): make_timef.py OUT [--mb N]
[--backend parquet|zarr] [--seed N]. OUT becomes the version directory. Series of 8 MB: noisy and rounded floats, integers, some irregular."""
import argparse
import shutil
from pathlib import Path

import numpy as np
from timenet.dataset import TimeFDataset, TimeSeries
from timenet.dataset.axis import RegularAxis
from timenet.types import DatasetMetadata, TimeSeriesSpec
from timenet.writer import TimeFWriter


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("out", type=Path)
    p.add_argument("--mb", type=int, default=1000)
    p.add_argument("--backend", default="parquet")
    p.add_argument("--seed", type=int, default=1)
    a = p.parse_args()
    rng = np.random.default_rng(a.seed)
    ds = TimeFDataset(metadata=DatasetMetadata(dataset_id="bench/large", dataset_version="1.0.0", name="Large", description="For the benchmark",
                                               license="CC0-1.0", domains=("general",), tags=()))
    kinds = [("float32", "noisy"), ("float64", "rounded"), ("int16", "adc"), ("float32", "rounded")]
    specs = {d: TimeSeriesSpec(spec_type=f"{d}_bulk", name=d, unit_value="millivolt", dtype=d) for d, _ in kinds}
    for k in range(a.mb // 8):
        dtype, kind = kinds[k % 4]
        n = 8_000_000 // np.dtype(dtype).itemsize
        t = np.arange(n)
        if kind == "adc":
            v = (1000 * np.sin(t / 50 + k) + rng.integers(-8, 8, n)).astype(np.int16)
        elif kind == "noisy":
            v = (np.sin(t / 97 + k) + rng.normal(0, 0.01, n)).astype(dtype)
        else:
            v = np.round(np.sin(t / 97 + k), 3).astype(dtype)
        kw = dict(spec=specs[dtype], signal=kind, time_series_id=f"series-{k:05d}")
        if k % 8 == 1:
            s = TimeSeries.from_irregular(v, time_offsets_us=np.cumsum(rng.integers(1, 9000, n)), **kw)
        else:
            s = TimeSeries.from_values(v, time_axis=RegularAxis.from_rate_hz(1000), **kw)
        ds.add_record(record_id=f"record-{k:05d}", time_series=(s,), start_time=1_700_000_000_000_000 + k)
    with TimeFWriter(a.out / "registry", ds, values_backend=a.backend, compression="zstd", compression_level=3) as w:
        w.write()
    version = a.out / "registry/bench/large/1.0.0"
    for f in version.iterdir():
        shutil.move(str(f), a.out / f.name)
    shutil.rmtree(a.out / "registry")


if __name__ == "__main__":
    main()
