"""decode-passage and verify on PASSAGE trees and shards, beside zstd and Python's zstandard with numpy.save."""
import hashlib
import pathlib

from bench import MIB, Skip

# One process for a whole tree: what a user's own loop looks like.
LOOP = """
import pathlib, sys
import numpy as np, zstandard
src, dst, r = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
d = zstandard.ZstdDecompressor()
made = set()
for p in sorted(src.rglob("*.npy.zst")):
    x = np.frombuffer(d.decompress(p.read_bytes()), "<f4").reshape(r, r, 3)
    q = dst / p.relative_to(src).with_name(p.name[:-8] + ".npy")
    if q.parent not in made:
        q.parent.mkdir(parents=True, exist_ok=True)
        made.add(q.parent)
    np.save(q, x)
"""
SHARDS = """
import json, pathlib, sys
import numpy as np, pyarrow.parquet as pq, zstandard
src, dst, r = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
d = zstandard.ZstdDecompressor()
dst.mkdir(parents=True, exist_ok=True)
for p in sorted(src.rglob("*.parquet")):
    t = pq.read_table(p, columns=["id", "tensor"])
    for key, blob in zip(t["id"].to_pylist(), t["tensor"].to_pylist()):
        np.save(dst / (key + ".npy"), np.frombuffer(d.decompress(blob), "<f4").reshape(r, r, 3))
"""


def files(folder):
    """Digests of all files below, by the last part of their names."""
    return sorted((p.name, hashlib.sha256(p.read_bytes()).hexdigest()) for p in pathlib.Path(folder).rglob("*.npy"))


def run(b):
    if not b.venv:
        raise Skip("C4W_VENV is not set")
    zstd = b.have("zstd")
    python = b.python()
    for r, n in ((64, 2000), (256, 200), (1024, 16), (4096, 2)):
        raw = r * r * 12
        tree = b.data(f"psg-{r}", "make_passage_bench.py", "--resolution", r, "--scenes", n, "--distinct", 2, "--tensors-only") + "/tree"
        blob = str(next(pathlib.Path(tree).rglob("*.npy.zst")))
        one, two = b.fresh(f"a{r}"), b.fresh(f"b{r}")
        b.row(f"one blob of R = {r} to a new file, {raw / 1e6:.1f} MB decoded", {"c4w": [b.c4w, "decode-passage", blob, "-o", one, "--format", "raw"]},
              [zstd, "-d", "-q", "-f", blob, "-o", two], theirs_name="zstd -d", target={"c4w": 1.0},
              same=lambda x, y, one=one, two=two: None if pathlib.Path(one).read_bytes() == pathlib.Path(two).read_bytes() else "bytes",
              peak={"c4w": 2 * raw + 8 * MIB}, before=lambda k, out={"c4w": one, "zstd -d": two}: b.fresh(pathlib.Path(out[k]).name))
        b.row(f"one blob of R = {r} to /dev/null", {"c4w": [b.c4w, "decode-passage", blob, "-o", "/dev/null", "--format", "raw"]},
              [zstd, "-d", "-q", "-f", blob, "-o", "/dev/null"], theirs_name="zstd -d")
        ours = {f"-j{j}": [b.c4w, "decode-passage", tree, "-o", b.fresh(f"o{r}-{j}"), "-j", j] for j in (1, 2)}
        theirs = [python, "-c", LOOP, tree, b.fresh(f"p{r}"), r]
        clean = {k: v[4] for k, v in ours.items()} | {"python": theirs[4]}
        b.row(f"{n} blobs of R = {r}, {n * raw / 1e6:.0f} MB decoded", ours, theirs, theirs_name="python", target={"-j1": 0.9, "-j2": 0.55},
              peak={"-j1": 2 * raw + 8 * MIB, "-j2": 4 * raw + 8 * MIB}, before=lambda k, clean=clean: b.fresh(pathlib.Path(clean[k]).name),
              same=lambda x, y, clean=clean: None if files(clean["-j1"]) == files(clean["python"]) else "files")
    many = b.data("psg-10000", "make_passage_bench.py", "--resolution", 64, "--scenes", 10000, "--distinct", 8, "--tensors-only") + "/tree"
    ours = {f"-j{j}": [b.c4w, "decode-passage", many, "-o", b.fresh(f"m{j}"), "-j", j] for j in (1, 2)}
    theirs = [python, "-c", LOOP, many, b.fresh("mp"), 64]
    clean = {k: v[4] for k, v in ours.items()} | {"python": theirs[4]}
    b.row("10,000 blobs of R = 64", ours, theirs, theirs_name="python", target={"-j1": 0.3, "-j2": 0.3},
          before=lambda k: b.fresh(pathlib.Path(clean[k]).name, aside=True))
    shards = b.data("psg-shards", "make_passage_bench.py", "--resolution", 256, "--scenes", 200, "--parquet", 50) + "/export"
    ours = {f"-j{j}": [b.c4w, "decode-passage", shards, "-o", b.fresh(f"s{j}"), "-j", j] for j in (1, 2)}
    theirs = [python, "-c", SHARDS, shards, b.fresh("sp"), 256]
    clean_s = {k: v[4] for k, v in ours.items()} | {"python": theirs[4]}
    b.row("200 rows of R = 256 out of shards", ours, theirs, theirs_name="python", target={"-j1": 1.0},
          before=lambda k: b.fresh(pathlib.Path(clean_s[k]).name),
          same=lambda x, y: None if files(clean_s["-j1"]) == files(clean_s["python"]) else "files")
    full = b.data("psg-full", "make_passage_bench.py", "--resolution", 1024, "--scenes", 32, "--distinct", 2) + "/tree"
    b.row("verify full, 32 scenes of R = 1024, 403 MB decoded: at least 1 GB/s", {"-j1": [b.c4w, "verify", full, "-j", 1]},
          seconds={"-j1": 0.403})
