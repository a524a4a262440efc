#!/usr/bin/env python3
"""Seconds that the reference takes inside one process, imports not counted: time_timef.py verify|stats DIR. Prints one number."""
import sys
import time
from pathlib import Path

import numpy as np
from timenet.reader import TimeFReader
from timenet.registry.version import DatasetVersion


def stats(reader):
    for record in reader.iter_records():
        for s in record.time_series:
            values, mask = s.to_numpy_and_mask()
            if mask is not None and not np.all(mask):
                values = values[np.asarray(mask, bool)]
            if values.size:
                values.min(), values.max(), values.mean(dtype=np.float64), values.std(dtype=np.float64)
                if values.dtype.kind == "f":
                    np.isnan(values).sum()


what, path = sys.argv[1], Path(sys.argv[2])
start = time.perf_counter()
with TimeFReader(DatasetVersion.open_local(path)) as r:
    r.verify() if what == "verify" else stats(r)
print(time.perf_counter() - start)
