#!/usr/bin/env python3
"""Shards extracted by c4w against pyarrow, PyYAML and duckdb: tensors byte for byte, YAML equal to metadata_json, routes, images.

    passage_shards.py C4W EXPORT
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow.parquet as pq
import yaml

try:
    import duckdb
except ImportError:
    duckdb = None

C4W, EXPORT = sys.argv[1], Path(sys.argv[2])
rows = images = 0
with tempfile.TemporaryDirectory() as tmp:
    dest = Path(tmp) / "tree"
    subprocess.run([C4W, "extract", EXPORT, dest], check=True, capture_output=True)
    for shard in sorted(EXPORT.glob("*/*/*.parquet")):
        for row in pq.read_table(shard).to_pylist():
            meta = json.loads(row["metadata_json"])
            base = dest / str(meta["resolution"]) / meta["split"]
            (text,) = (base / "metadata").rglob(row["id"] + ".yaml")
            tile = text.relative_to(base / "metadata").parent
            assert yaml.safe_load(text.read_text()) == meta, f"{row['id']}: the YAML is not metadata_json"
            assert (base / "tensors" / tile / f"{row['id']}.npy.zst").read_bytes() == row["tensor"], f"{row['id']}: tensor"
            for key, value in row.items():
                if key.startswith("path_"):
                    solver, variant = key[len("path_"):].rsplit("_", 1)
                    csv = (base / "paths" / solver / variant / tile / f"{row['id']}.csv").read_text()
                    assert csv == "".join(f"{i},{j}\n" for i, j in value), f"{row['id']}: {key}"
                elif key.startswith("image_"):
                    leaf = f"{meta['resolution']}/{meta['split']}/{row['id']}/image/{key[len('image_'):]}"
                    got = subprocess.run([C4W, "cat", shard, leaf], check=True, capture_output=True).stdout
                    assert got == value["bytes"], f"{row['id']}: {key}"
                    images += 1
            rows += 1
        if duckdb:
            for key, tensor in duckdb.sql(f"select id, tensor from '{shard}'").fetchall():
                assert [p for p in dest.rglob(key + ".npy.zst") if p.read_bytes() == bytes(tensor)], f"{key}: duckdb's tensor"
    found = subprocess.run([C4W, "verify", dest], capture_output=True, text=True)
    assert found.returncode == 0, found.stdout
print(f"{rows} rows and {images} images agree")
