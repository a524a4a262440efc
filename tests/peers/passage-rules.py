#!/usr/bin/env python3
"""Broken and odd PASSAGE scenes and shards, each with its nearest legal neighbour, against the rules that c4w verify names.

    passage-rules.py [--c4w PATH] [-v] [NAME...]

Every case changes one thing of a sound scene (tests/data/passage) and says which rules verify must name, exactly; none for a legal
neighbour. c4w runs under a limit of 512 MB of address space. Prints TAP and a last line "N passed, N failed, N skipped".
"""
import sys

sys.path.pop(0)
import argparse
import json
import os
import resource
import struct
import subprocess
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
DATA = TOP / "tests/data/passage"
try:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq
    import yaml
    import zstandard
except ImportError as e:
    print(f"1..0 # SKIP {e}")
    print("0 passed, 0 failed, 1 skipped")
    raise SystemExit(0)

R = 16
INDEX = "0000000001"
BASE = {str(p.relative_to(DATA / "tree")): p.read_bytes() for p in (DATA / "tree").rglob("*")
        if p.is_file() and ("0000000001" in p.name or p.parent == DATA / "tree" or p.name in ("roster.json", "summary.json"))}
TENSOR = next(k for k in BASE if k.endswith(".npy.zst"))
META = next(k for k in BASE if k.endswith(".yaml"))
TILE = "/".join(META.split("/")[3:5])
RECEIPT = f"16/train/receipts/{INDEX}.json"
ROUTE = f"16/train/paths/astar_energy/obstacles/{TILE}/{INDEX}.csv"
FREE = f"16/train/paths/astar_energy/free/{TILE}/{INDEX}.csv"
RAW = zstandard.ZstdDecompressor().decompress(BASE[TENSOR])
X = np.frombuffer(RAW, "<f4").reshape(R, R, 3)
M = yaml.safe_load(BASE[META])
S, G = M["markers"]["start_point"], M["markers"]["end_point"]
CELLS = [tuple(map(int, ln.split(","))) for ln in BASE[ROUTE].decode().split()]
BLOCKED = tuple(int(v) for v in np.argwhere(X[..., 2] == 1)[0])
FREECELL = next((i, j) for i in range(R) for j in range(R)
                if X[i, j, 2] == 0 and (i, j) not in CELLS and (i, j) not in ((S["i"], S["j"]), (G["i"], G["j"])))

cases = []


def case(name, *rules, shard=False, path=None, decode=None):
    def add(fn):
        cases.append((name, set(rules), fn, shard, path))
        return fn
    return add


def compress(raw, content=True, checksum=False, level=12):
    p = zstandard.ZstdCompressionParameters.from_level(level, write_content_size=content, write_checksum=checksum)
    return zstandard.ZstdCompressor(compression_params=p).compress(raw)


def blob(name, make, *rules):
    case("blob: " + name, *rules)(lambda f: f.update({TENSOR: make()}))


def tensor(name, change, *rules):
    def fn(f):
        x = X.copy()
        change(x)
        f[TENSOR] = compress(x.tobytes())
    case("tensor: " + name, *rules)(fn)


def meta(name, change, *rules):
    def fn(f):
        m = json.loads(json.dumps(M))
        change(m)
        f[META] = yaml.safe_dump(m, sort_keys=False).encode()
    case("meta: " + name, *rules)(fn)


def text(name, change, *rules):
    def fn(f):
        f[META] = change(BASE[META])
    case("yaml: " + name, *rules)(fn)


def csv(name, data, *rules, length=None, which=ROUTE):
    def fn(f):
        f[which] = data if isinstance(data, bytes) else data(BASE[which])
        if length is not None:
            m = json.loads(json.dumps(M))
            m["paths"]["astar_energy"]["obstacles" if which == ROUTE else "free"]["length"] = length
            f[META] = yaml.safe_dump(m, sort_keys=False).encode()
    case("csv: " + name, *rules)(fn)


def put(m, path, value):
    *front, last = path.split(".")
    for k in front:
        m = m[k]
    if value is DELETE:
        del m[last]
    else:
        m[last] = value


DELETE = object()

# ---- the blob (section 3) ----
Z = BASE[TENSOR]
blob("as it is", lambda: Z)
blob("level 1", lambda: compress(RAW, level=1))
blob("level 19", lambda: compress(RAW, level=19))
blob("with a checksum", lambda: compress(RAW, checksum=True))
blob("with a wrong checksum", lambda: compress(RAW, checksum=True)[:-1] + b"\0", "passage.blob-checksum")
blob("without a content size", lambda: compress(RAW, content=False), "passage.blob-no-size")
blob("without a content size, too short", lambda: compress(RAW[:-12], content=False), "passage.blob-no-size", "passage.blob-short")
blob("without a content size, too long", lambda: compress(RAW + b"\0" * 12, content=False), "passage.blob-no-size", "passage.blob-long")
blob("empty file", lambda: b"", "passage.blob-magic")
blob("three bytes", lambda: Z[:3], "passage.blob-magic")
blob("raw floats", lambda: RAW, "passage.blob-magic")
blob("gzip's magic", lambda: b"\x1f\x8b" + Z[2:], "passage.blob-magic")
blob("cut in the header", lambda: Z[:6], "passage.blob-cut")
blob("cut by one byte", lambda: Z[:-1], "passage.blob-cut")
blob("cut in half", lambda: Z[:len(Z) // 2], "passage.blob-cut")
blob("one byte after", lambda: Z + b"\0", "passage.blob-trailing")
blob("two frames", lambda: Z + Z, "passage.blob-trailing")
blob("an empty frame after", lambda: Z + compress(b""), "passage.blob-trailing")
blob("a skippable frame after", lambda: Z + b"\x50\x2a\x4d\x18\x00\x00\x00\x00", "passage.blob-trailing")
blob("a skippable frame before", lambda: b"\x50\x2a\x4d\x18\x00\x00\x00\x00" + Z, "passage.blob-skippable")
blob("an empty frame before", lambda: compress(b"") + Z, "passage.blob-content-size")
blob("reserved bit", lambda: Z[:4] + bytes([Z[4] | 8]) + Z[5:], "passage.blob-header")
blob("unused bit", lambda: Z[:4] + bytes([Z[4] | 16]) + Z[5:])
blob("a dictionary id of 0", lambda: Z[:4] + bytes([Z[4] | 1]) + b"\0" + Z[5:], "passage.blob-dictionary")
blob("a dictionary id", lambda: Z[:4] + bytes([Z[4] | 1]) + b"\7" + Z[5:], "passage.blob-dictionary")
blob("another content size", lambda: compress(RAW + RAW), "passage.blob-content-size")
blob("one float fewer", lambda: compress(RAW[:-4]), "passage.blob-content-size")
blob("declares 3 GB", lambda: bytes.fromhex("28b52ffda0000000c0030000"), "passage.blob-content-size")
blob("the right size, no data", lambda: b"\x28\xb5\x2f\xfd\x60" + struct.pack("<H", R * R * 12 - 256) + b"\x01\0\0", "passage.blob-short")
blob("reserved block type", lambda: b"\x28\xb5\x2f\xfd\x60" + struct.pack("<H", R * R * 12 - 256) + b"\x07\0\0", "passage.blob-damaged")


def bad_block():
    """The first byte whose change leaves the frame's structure whole and its block undecodable."""
    for at in range(10, len(Z)):
        z = Z[:at] + bytes([Z[at] ^ 0xFF]) + Z[at + 1:]
        try:
            zstandard.ZstdDecompressor().decompress(z)
        except zstandard.ZstdError as e:
            if "corruption" in str(e):
                return z


def modes(bits):
    """The first block with these bits of its sequences header set (RFC 8878, 3.1.1.3.2.1)."""
    z = bytearray(zstandard.ZstdCompressor(level=12).compress(RAW))
    at = 4 + 1 + 2 + 3
    h, form = z[at] & 3, z[at] >> 2 & 3
    v = int.from_bytes(z[at:at + 5], "little")
    if h < 2:
        n = (1, 2, 1, 3)[form] + (1 if h == 1 else (v >> 3 & 31, v >> 4 & 4095, v >> 3 & 31, v >> 4 & 0xFFFFF)[form])
    else:
        n = (3, 3, 4, 5)[form] + (v >> 14 & 1023, v >> 14 & 1023, v >> 18 & 0x3FFF, v >> 22 & 0x3FFFF)[form]
    at += n
    at += 1 if z[at] < 128 else 2 if z[at] < 255 else 3
    assert z[at] & 3 == 0
    z[at] |= bits
    return bytes(z)


blob("reserved bits of the sequences header", lambda: modes(1), "passage.blob-damaged")
blob("the same bits clear", lambda: modes(0))
blob("a bad block", bad_block, "passage.blob-damaged")
blob("raw blocks", lambda: b"\x28\xb5\x2f\xfd\x60" + struct.pack("<H", len(RAW) - 256) + struct.pack("<I", 1 | len(RAW) << 3)[:3] + RAW)
blob("window of 1 TB", lambda: b"\x28\xb5\x2f\xfd\x40\xf8" + struct.pack("<H", len(RAW) - 256) + struct.pack("<I", 1 | len(RAW) << 3)[:3] + RAW,
     "passage.blob-header")
blob("window of 1 GB", lambda: b"\x28\xb5\x2f\xfd\x40\xa0" + struct.pack("<H", len(RAW) - 256) + struct.pack("<I", 1 | len(RAW) << 3)[:3] + RAW)


# ---- tensor values (section 8, 3 to 9) ----
def cell(i, j, c, v):
    return lambda x: x.__setitem__((i, j, c), v)


def several(*changes):
    def fn(x):
        for c in changes:
            c(x)
    return fn


A, B = FREECELL
tensor("as it is", lambda x: None)
tensor("NaN elevation", cell(A, B, 0, np.nan), "passage.not-finite")
tensor("infinite marker", cell(A, B, 1, np.inf), "passage.not-finite")
tensor("NaN obstacle", cell(A, B, 2, np.nan), "passage.not-finite")
tensor("elevation 1", cell(A, B, 0, 1.0))
tensor("elevation just above 1", cell(A, B, 0, np.nextafter(np.float32(1), np.float32(2))), "passage.elevation-range")
tensor("elevation 0", cell(A, B, 0, 0.0))
tensor("elevation -0.0", cell(A, B, 0, -0.0))
tensor("elevation just below 0", cell(A, B, 0, -1e-45), "passage.elevation-range")
tensor("elevation not of whole metres", cell(A, B, 0, 0.123456))
tensor("marker 0.5", cell(A, B, 1, 0.5), "passage.marker-value")
tensor("marker -2", cell(A, B, 1, -2), "passage.marker-value")
tensor("two starts", cell(A, B, 1, 0), "passage.marker-count")
tensor("two goals", cell(A, B, 1, 1), "passage.marker-count")
tensor("start as -0.0", cell(S["i"], S["j"], 1, -0.0))
tensor("no start", cell(S["i"], S["j"], 1, -1), "passage.marker-count", "passage.marker-cell")
tensor("no goal", cell(G["i"], G["j"], 1, -1), "passage.marker-count", "passage.marker-cell")
tensor("start elsewhere", several(cell(S["i"], S["j"], 1, -1), cell(A, B, 1, 0)), "passage.marker-cell")
tensor("goal elsewhere", several(cell(G["i"], G["j"], 1, -1), cell(A, B, 1, 1)), "passage.marker-cell")
tensor("start and goal exchanged", several(cell(S["i"], S["j"], 1, 1), cell(G["i"], G["j"], 1, 0)), "passage.marker-cell")


def zero_background(x):
    x[..., 1] = 0
    x[S["i"], S["j"], 1] = -1


tensor("background of 0", zero_background, "passage.marker-convention")
tensor("obstacle 2", cell(A, B, 2, 2), "passage.obstacle-value")
tensor("obstacle 0.5", cell(A, B, 2, 0.5), "passage.obstacle-value")
tensor("obstacle -0.0", cell(A, B, 2, -0.0))
tensor("start blocked", cell(S["i"], S["j"], 2, 1), "passage.marker-blocked", "passage.route-obstacle")
tensor("one obstacle more", cell(A, B, 2, 1))
tensor("two obstacles more", several(cell(A, B, 2, 1), cell(*next((i, j) for i in range(R) for j in range(R) if X[i, j, 2] == 0
       and (i, j) != (A, B) and (i, j) not in CELLS), 2, 1)), "passage.ratio-actual")
tensor("a blocked cell on the routes", cell(*CELLS[2], 2, 1), "passage.route-obstacle")

# ---- metadata fields (section 4) ----
meta("as it is", lambda m: None)
meta("flow style keys in another order", lambda m: m.update(dict(sorted(m.items()))))
meta("an unknown key", lambda m: m.update(extra={"a": [1, {"b": None}]}))
for key in ("index", "resolution", "split", "calibration.min", "calibration.max", "markers.start_point.i", "markers.end_point.j",
            "paths.astar_slope.free.status", "paths.astar_slope.free.cost", "paths.astar_slope.free.length",
            "paths.astar_slope.free.reference_status"):
    meta(f"{key} missing", lambda m, key=key: put(m, key, DELETE), "passage.meta-missing")
meta("markers missing", lambda m: put(m, "markers", DELETE), "passage.meta-missing")
meta("a solver's paths missing", lambda m: put(m, "paths.astar_slope", DELETE), "passage.meta-missing")
meta("a variant missing", lambda m: put(m, "paths.astar_slope.free", DELETE), "passage.meta-missing")
for key in ("dataset_version", "units", "tile.used", "crop.center", "obstacles.enabled", "provenance.sample_seed",
            "solvers.astar_slope", "solvers.astar_slope.graph_spec.rtol", "paths.astar_slope.free.graph_id",
            "paths.astar_slope.free.considered_area"):
    meta(f"{key} missing", lambda m, key=key: put(m, key, DELETE), "passage.meta-absent")
meta("backend missing", lambda m: put(m, "solvers.astar_slope.backend", DELETE))
for key, value in (("index", "1"), ("index", 1.0), ("index", None), ("index", True), ("resolution", "16"), ("split", None), ("split", ["train"]),
                   ("calibration.min", "low"), ("calibration", [1, 2]), ("markers.start_point.i", 5.0), ("units", None), ("units", {}),
                   ("dataset_version", None), ("tile.source.lat", "45"), ("tile.used", {}), ("tile.used", [1]), ("crop.center.lat", "x"),
                   ("obstacles.enabled", "true"), ("obstacles.enabled", 1), ("obstacles.ratio_target", None),
                   ("provenance.provenance_id", "abc"), ("provenance.provenance_id", "g" * 64), ("provenance.generation_seed", 1.5),
                   ("provenance.sample_seed", "x"), ("paths.astar_slope.free.cost", "1.0"), ("paths.astar_slope.free.expansions", 1.5),
                   ("paths.astar_slope.free.crosses_obstacles", 0), ("paths.astar_slope.free.length", None),
                   ("paths.astar_slope.free", 3), ("solvers.astar_slope", []), ("solvers.astar_slope.weight", "1"),
                   ("paths.astar_slope.free.graph_id", None)):
    meta(f"{key}: {value!r}", lambda m, key=key, value=value: put(m, key, value), "passage.meta-type")
for key, value in (("calibration.min", -430), ("dataset_version", 1.0), ("dataset_version", True), ("provenance.sample_seed", 10 ** 40),
                   ("provenance.provenance_id", "1" * 64), ("provenance.provenance_id", "AB" * 32), ("tile.used", []),
                   ("obstacles.enabled", False), ("obstacles.ratio_target", 1)):
    meta(f"{key}: {value!r}", lambda m, key=key, value=value: put(m, key, value))
meta("hex digits without quotes", lambda m: put(m, "provenance.provenance_id", int("1" * 64)))
meta("units: feet", lambda m: put(m, "units", "feet"), "passage.meta-units")
meta("index: -1", lambda m: put(m, "index", -1), "passage.meta-value")
meta("index: another", lambda m: put(m, "index", 2), "passage.index")
meta("resolution: 0", lambda m: put(m, "resolution", 0), "passage.meta-value")
meta("resolution: 32", lambda m: put(m, "resolution", 32), "passage.resolution")
meta("split: dev", lambda m: put(m, "split", "dev"), "passage.meta-value", "passage.split")
meta("split: test", lambda m: put(m, "split", "test"), "passage.split")
meta("calibration reversed", lambda m: put(m, "calibration", {"min": 1.0, "max": 1.0}), "passage.meta-value")
meta("another calibration", lambda m: put(m, "calibration.max", 9000.0), "passage.calibration")
meta("length: 0", lambda m: put(m, "paths.astar_slope.free.length", 0), "passage.meta-value", "passage.route-length")
meta("a length too many", lambda m: put(m, "paths.astar_slope.free.length", len(CELLS) + 1), "passage.route-length")
meta("start outside", lambda m: put(m, "markers.start_point.i", 16), "passage.marker-outside", "passage.route-start")
meta("start elsewhere", lambda m: put(m, "markers.start_point", {"i": A, "j": B}), "passage.marker-cell", "passage.route-start")
meta("goal is the start", lambda m: put(m, "markers.end_point", dict(S)), "passage.marker-same", "passage.marker-cell", "passage.route-goal")
meta("ratio_actual above the target", lambda m: put(m, "obstacles.ratio_target", m["obstacles"]["ratio_actual"] - 0.01), "passage.ratio-target")
meta("ratio_actual is the target", lambda m: put(m, "obstacles.ratio_target", m["obstacles"]["ratio_actual"]))
meta("ratio_actual too small", lambda m: put(m, "obstacles.ratio_actual", 0.0), "passage.ratio-actual")
meta("another tile", lambda m: put(m, "tile.source.lat", 1), "passage.tile")
C = M["paths"]["astar_energy"]["obstacles"]["cost"]
meta("cost null", lambda m: put(m, "paths.astar_energy.obstacles.cost", None))
meta("cost a little below", lambda m: put(m, "paths.astar_energy.obstacles.cost", C * (1 - 5e-8)))
meta("cost below the length", lambda m: put(m, "paths.astar_energy.obstacles.cost", C - 1), "passage.cost-bound", "passage.cost-order")
meta("free dearer than obstacles", lambda m: put(m, "paths.astar_energy.free.cost", C + 100), "passage.cost-order")
meta("the same, not exact", lambda m: (put(m, "paths.astar_energy.free.cost", C + 100),
                                       put(m, "paths.astar_energy.free.reference_status", "censored")))
meta("cost .nan", lambda m: put(m, "paths.astar_energy.obstacles.cost", float("nan")), "passage.meta-type")
meta("cost .inf", lambda m: put(m, "paths.astar_energy.obstacles.cost", float("inf")), "passage.meta-type")


def failed(m):
    m["paths"]["astar_energy"]["obstacles"].update(status="failed", reference_status="censored", cost=None, length=0)


case("meta: a failed route without a file")(lambda f: (f.pop(ROUTE), meta_bytes(f, failed)))
case("csv: a failed route with an empty file")(lambda f: (f.update({ROUTE: b""}), meta_bytes(f, failed)))
case("csv: a failed route that goes nowhere")(lambda f: (f.update({ROUTE: b"3,3\n9,9\n"}), meta_bytes(f, failed)))
case("csv: a failed route with bad syntax", "passage.csv-fields")(lambda f: (f.update({ROUTE: b"3\n"}), meta_bytes(f, failed)))


def meta_bytes(f, change):
    m = json.loads(json.dumps(M))
    change(m)
    f[META] = yaml.safe_dump(m, sort_keys=False).encode()


# ---- YAML (section 4, hygiene) ----
text("as it is", lambda t: t)
text("flow style", lambda t: yaml.safe_dump(M, default_flow_style=True).encode())
text("as JSON", lambda t: json.dumps(M).encode())
text("with document marks", lambda t: b"---\n" + t + b"...\n")
text("CRLF", lambda t: t.replace(b"\n", b"\r\n"))
text("a comment and a blank line", lambda t: b"# scene\n\n" + t)
text("BOM", lambda t: b"\xef\xbb\xbf" + t)
text("a second document", lambda t: t + b"---\na: 1\n", "yaml.documents")
text("empty", lambda t: b"", "yaml.documents")
text("a list", lambda t: b"- 1\n", "yaml.top")
text("a scalar", lambda t: b"x\n", "yaml.top")
text("a repeated key", lambda t: t + b"index: 1\n", "yaml.duplicate-key")
text("a repeated key below", lambda t: t.replace(b"  min: -430.0\n", b"  min: -430.0\n  min: -430.0\n"), "yaml.duplicate-key")
text("a merge key", lambda t: t + b"<<: {a: 1}\n")
text("a language tag", lambda t: t + b"x: !!python/object:os.system {}\n", "yaml.tag")
text("a local tag", lambda t: t + b"x: !y 1\n", "yaml.tag")
text("a core tag", lambda t: t + b"x: !!str 1\n")
text("a core tag on the wrong thing", lambda t: t + b"x: !!int a\n", "yaml.tag-value")
text("an index tagged as text", lambda t: t.replace(b"index: 1\n", b"index: !!str 1\n"), "passage.meta-type")
text("an index tagged as an integer", lambda t: t.replace(b"index: 1\n", b"index: !!int '1'\n"))
text("index in octal", lambda t: t.replace(b"index: 1\n", b"index: 0o1\n"), "passage.meta-type")
text("index in hex", lambda t: t.replace(b"index: 1\n", b"index: 0x1\n"), "passage.meta-type")
text("index with a plus and zeros", lambda t: t.replace(b"index: 1\n", b"index: +001\n"))
text("enabled: yes", lambda t: t.replace(b"enabled: true", b"enabled: yes"), "passage.meta-type")
text("not UTF-8", lambda t: t + b"x: \xff\n", "yaml.encoding")
text("UTF-16", lambda t: t.decode().encode("utf-16"), "yaml.encoding")
text("a control byte", lambda t: t + b"x: \x01\n", "yaml.encoding")
text("a tab as indentation", lambda t: t.replace(b"  min:", b"\tmin:", 1), "yaml.tab")
text("a tab in flow", lambda t: t + b"x: {\n\ta: 1}\n", "yaml.tab")
text("a tab in a text", lambda t: t + b"x: \"a\tb\"\n")
text("an alias", lambda t: t + b"x: &a [1]\ny: *a\n")
text("an alias of itself", lambda t: t + b"x: &a [*a]\n", "yaml.alias-self")
text("an alias of nothing", lambda t: t + b"x: *a\n", "yaml.alias-unknown")
text("a broken flow", lambda t: t + b"x: [1\n", "yaml.syntax")
text("63 deep", lambda t: t + b"x: " + b"[" * 63 + b"]" * 63 + b"\n")
text("64 deep", lambda t: t + b"x: " + b"[" * 64 + b"]" * 64 + b"\n", "yaml.depth")
text("billion laughs", lambda t: t + b"a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n" + b"".join(
    b"a%d: &a%d [%s]\n" % (i, i, b",".join([b"*a%d" % (i - 1)] * 10)) for i in range(1, 9)), "yaml.nodes")
text("900,000 nodes", lambda t: t + b"x: [" + b"1," * 900000 + b"]\n")
text("1,100,000 nodes", lambda t: t + b"x: [" + b"1," * 1100000 + b"]\n", "yaml.nodes")
text("16 MiB", lambda t: t + b"#" * (16 * 2 ** 20 - len(t)))
text("more than 16 MiB", lambda t: t + b"#" * (16 * 2 ** 20 - len(t) + 1), "yaml.size")
text("a list as a key", lambda t: t + b"? [1]\n: 2\n", "yaml.key")

# numbers and scalars as the page has them, whatever YAML 1.1 would make of them
line = lambda old, new: lambda t: t.replace(old, new)
IDX, RES = b"index: 1\n", b"resolution: 16\n"
for form in (b"1.0", b"1e0", b"1_0", b"0b1", b"1:00", b"'1'", b'"1"', b"|\n  1\n".rstrip(b"\n"), b"~", b"", b"18446744073709551617", b"9223372036854775808",
             b"true", b"[1]", b"{a: 1}", b"!!float 1", b"!!null ''"):
    text(f"index: {form.decode()!r}", line(IDX, b"index: " + form + b"\n"), "passage.meta-type")
for form in (b"01", b"+1", b"1 # one", b"!!int 1", b"!<tag:yaml.org,2002:int> 1", b"&x 1", b"\n  1"):
    text(f"index: {form.decode()!r}", line(IDX, b"index: " + form + b"\n"))
text("index by an alias", line(IDX, b"one: &one 1\nindex: *one\n"))
text("index: 9223372036854775807", line(IDX, b"index: 9223372036854775807\n"), "passage.index")
for form in (b"-430", b"-430.", b"-4.3e2", b"-4.3e+2", b"-430.0E0", b"-430.00000000000000000000000000"):
    text(f"min: {form.decode()}", line(b"min: -430.0\n", b"min: " + form + b"\n"))
for form in (b"-430,0", b"-0x1AE", b"-430_0", b"-.inf", b".nan", b"'-430.0'", b"-7:10", b"1e400", b"- 430"):
    text(f"min: {form.decode()}", line(b"min: -430.0\n", b"min: " + form + b"\n"), "yaml.syntax" if form == b"- 430" else "passage.meta-type")
for form in (b"True", b"TRUE", b"yes", b"on", b"1", b"'true'", b"~"):
    text(f"enabled: {form.decode()}", line(b"enabled: true\n", b"enabled: " + form + b"\n"), "passage.meta-type")
for form in (b"Null", b"NULL"):
    text(f"units: {form.decode()}", line(b"units: metres\n", b"units: " + form + b"\n"), "passage.meta-units")
text("units: metres in quotes", line(b"units: metres\n", b"units: 'metres'\n"))
text("units in a folded block", line(b"units: metres\n", b"units: >-\n  metres\n"))
text("split in double quotes with an escape", line(b"split: train\n", b'split: "tr\\x61in"\n'))
text("split with a blank", line(b"split: train\n", b"split: 'train '\n"), "passage.meta-value", "passage.split")
text("a key twice, once quoted", lambda t: t + b"'index': 1\n", "yaml.duplicate-key")
text("a key twice by an escape", lambda t: t + b'"\\x69ndex": 1\n', "yaml.duplicate-key")
text("a key twice in flow", lambda t: t + b"x: {a: 1, a: 1}\n", "yaml.duplicate-key")
text("keys 1 and '1'", lambda t: t + b"x: {1: a, '1': b}\n", "yaml.duplicate-key")
text("a null key", lambda t: t + b"~: 1\n")
text("an alias as a key", lambda t: t + b"x: &k name\n*k : 1\n")
text("a merge key with an alias", lambda t: t + b"x: &a {b: 1}\ny: {<<: *a, b: 2}\n")
text("two merge keys", lambda t: t + b"x: &a {b: 1}\ny: {<<: *a, <<: *a}\n", "yaml.duplicate-key")
text("an anchor that occurs again", lambda t: t + b"x: &a 1\ny: &a 2\nz: *a\n")
text("%YAML 1.1", lambda t: b"%YAML 1.1\n---\n" + t)
text("%TAG", lambda t: b"%TAG ! tag:example.com,2000:\n---\n" + t)
text("%TAG of the core", lambda t: b"%TAG !y! tag:yaml.org,2002:\n---\n" + t.replace(IDX, b"index: !y!int 1\n"))
text("!!binary", lambda t: t + b"x: !!binary YQ==\n", "yaml.tag")
text("!!set", lambda t: t + b"x: !!set {a}\n", "yaml.tag")
text("!!timestamp", lambda t: t + b"x: !!timestamp 2000-01-01\n", "yaml.tag")
text("a time without a tag", lambda t: t + b"x: 2000-01-01 00:00:00\n")
text("only a comment", lambda t: b"# nothing\n", "yaml.documents")
text("null", lambda t: b"~\n", "yaml.top")
text("text after the end of the document", lambda t: t + b"...\nx: 1\n", "yaml.documents")
text("an empty second document", lambda t: t + b"---\n", "yaml.documents")
text("a comment after the end of the document", lambda t: t + b"...\n# end\n")
text("NEL in a text", lambda t: t + "x: 'a\u0085b'\n".encode())
text("an overlong encoding", lambda t: t + b"x: \xc0\x80\n", "yaml.encoding")
text("half a surrogate", lambda t: t + b"x: \xed\xa0\x80\n", "yaml.encoding")
text("beyond Unicode", lambda t: t + b"x: \xf4\x90\x80\x80\n", "yaml.encoding")
text("NUL", lambda t: t + b"x: a\0b\n", "yaml.encoding")
text("an emoji", lambda t: t + "x: \U0001F600\n".encode())
text("a line of a megabyte", lambda t: t + b"x: " + b"a" * 1000000 + b"\n")
text("a key of 1,000 bytes", lambda t: t + b"a" * 1000 + b": 1\n")
text("a long key with a question mark", lambda t: t + b"? " + b"a" * 2000 + b"\n: 1\n")
text("10,000 keys", lambda t: t + b"".join(b"k%d: 1\n" % i for i in range(10000)))
text("a tab before a comment", lambda t: t.replace(IDX, b"index: 1\t# one\n"))
text("a tab after a colon", lambda t: t.replace(IDX, b"index:\t1\n"))
text("60 blocks deep", lambda t: t + b"".join(b" " * i + b"x%d:\n" % i for i in range(60)) + b" " * 60 + b"1\n")
text("CR as line ends", lambda t: t.replace(b"\n", b"\r"))

# ---- routes (sections 5 and 8) ----
N = len(CELLS)
join = lambda cells, end=b"\n": b"".join(b"%d,%d" % c + end for c in cells)
csv("as it is", lambda t: t)
csv("CRLF", lambda t: t.replace(b"\n", b"\r\n"))
csv("mixed line ends", lambda t: t.replace(b"\n", b"\r\n", 2))
csv("no last newline", lambda t: t[:-1])
csv("leading zeros", lambda t: b"000" + t)
csv("one blank line at the end", lambda t: t + b"\n", "passage.csv-blank-end")
csv("two blank lines at the end", lambda t: t + b"\n\n", "passage.csv-empty-line")
csv("an empty line within", lambda t: t.replace(b"\n", b"\n\n", 1), "passage.csv-empty-line")
csv("an empty line first", lambda t: b"\n" + t, "passage.csv-empty-line")
csv("empty", b"", "passage.csv-empty")
csv("a header", lambda t: b"row,col\n" + t, "passage.csv-header")
csv("a blank", lambda t: t.replace(b",", b", ", 1), "passage.csv-byte")
csv("a blank at the end of a line", lambda t: t.replace(b"\n", b" \n", 1), "passage.csv-byte")
csv("a sign", lambda t: b"+" + t, "passage.csv-byte")
csv("quotes", lambda t: b'"' + t.replace(b",", b'",', 1), "passage.csv-byte")
csv("NUL", lambda t: t.replace(b"\n", b"\0\n", 1), "passage.csv-byte")
csv("BOM", lambda t: b"\xef\xbb\xbf" + t, "passage.csv-byte")
csv("a point", lambda t: t.replace(b",", b".0,", 1), "passage.csv-byte")
csv("a third field", lambda t: t.replace(b"\n", b",0\n", 1), "passage.csv-fields")
csv("one field", lambda t: t.replace(b",", b"", 1), "passage.csv-fields")
csv("a lone CR", lambda t: t.replace(b"\n", b"\r"), "passage.csv-line-end")
csv("a row of R", lambda t: t + b"16,0\n", "passage.csv-range")
csv("a huge number", lambda t: t + b"0,99999999999999999999999999\n", "passage.csv-range")
csv("not from the start", join(CELLS[1:]), "passage.route-start", "passage.route-length")
csv("not to the goal", join(CELLS[:-1]), "passage.route-goal", "passage.route-length")
csv("backwards", join(CELLS[::-1]), "passage.route-start", "passage.route-goal")
csv("a cell left out", join(CELLS[:2] + CELLS[3:]), "passage.route-step", "passage.route-length")
csv("a cell twice", join(CELLS[:3] + CELLS[2:]), "passage.route-step", "passage.route-loop", "passage.route-length")
csv("there and back", join(CELLS[:3] + [CELLS[1]] + CELLS[2:]), "passage.route-loop", "passage.route-length", "passage.cost-bound")
csv("through an obstacle, free", lambda t: t, which=FREE)
case("csv: a route is missing", "passage.route-missing")(lambda f: f.pop(ROUTE))

# ---- the tree (section 2) ----
case("tree: as it is")(lambda f: None)
case("tree: no receipts at all", "passage.receipt")(lambda f: f.pop(RECEIPT))
case("tree: one receipt missing", "passage.receipt")(lambda f: (f.pop(RECEIPT), f.update({"16/train/receipts/0000000009.json": b"{}"})))
case("tree: interrupted, without a route", "passage.receipt")(
    lambda f: (f.pop(RECEIPT), f.pop(ROUTE), f.update({"16/train/receipts/0000000009.json": b"{}"})))
case("tree: interrupted, and damaged", "passage.receipt", "passage.blob-cut")(
    lambda f: (f.pop(RECEIPT), f.update({TENSOR: Z[:-3], "16/train/receipts/0000000009.json": b"{}"})))
case("tree: a receipt alone")(lambda f: f.update({"16/train/receipts/0000000009.json": b"anything"}))
case("tree: tensor missing", "passage.no-tensor")(lambda f: f.pop(TENSOR))
case("tree: metadata missing", "passage.no-metadata")(lambda f: f.pop(META))
case("tree: stray metadata", "passage.stray", "passage.index", "passage.tile")(
    lambda f: f.update({"16/train/metadata/N001/E001/0000000007.yaml": BASE[META]}))
case("tree: a stray route", "passage.stray")(lambda f: f.update({"16/train/paths/astar_slope/free/N001/E001/0000000007.csv": b"1,1\n"}))
case("tree: a name below tensors", "passage.name")(lambda f: f.update({"16/train/tensors/README": b""}))
case("tree: a latitude of two digits", "passage.name")(lambda f: f.update({"16/train/tensors/N61/E081/0000000003.npy.zst": Z}))
case("tree: an index of nine digits", "passage.name")(lambda f: f.update({f"16/train/tensors/{TILE}/000000001.npy.zst": Z}))
case("tree: another ending", "passage.name")(lambda f: f.update({f"16/train/tensors/{TILE}/{INDEX}.npy": Z}))
case("tree: a name below metadata", "passage.name")(lambda f: f.update({f"16/train/metadata/{TILE}/x.yaml": b""}))
case("tree: an unknown solver", "passage.name")(lambda f: f.update({f"16/train/paths/dijkstra/free/{TILE}/{INDEX}.csv": b"1,1\n"}))
case("tree: an unknown variant", "passage.name")(lambda f: f.update({f"16/train/paths/astar_slope/both/{TILE}/{INDEX}.csv": b"1,1\n"}))
case("tree: a name below receipts", "passage.name")(lambda f: f.update({"16/train/receipts/1.json": b"{}"}))
case("tree: a fifth split", "passage.split-directory")(lambda f: f.update({"16/dev/x": b""}))
case("tree: an unknown file at the root", "passage.unknown-file")(lambda f: f.update({"notes.txt": b""}))
case("tree: an unknown file in a resolution", "passage.unknown-file")(lambda f: f.update({"16/notes.txt": b""}))
case("tree: an unknown folder in a split", "passage.unknown-file")(lambda f: f.update({"16/train/images/x.png": b""}))
case("tree: anything in a snapshot")(lambda f: f.update({"generation-input-snapshot/notes.txt": b"", "generation-source-snapshot/a/b.py": b""}))
case("tree: a resolution too large", "passage.resolution-range")(lambda f: f.update({"20000/train/tensors/x": b""}))
case("tree: a padded resolution", "passage.unknown-file")(lambda f: f.update({"016/x": b""}))
case("tree: no scene", "passage.empty")(lambda f: ([f.pop(k) for k in list(f) if INDEX in k], f.update({"16/train/receipts/": None}))[0] and None)
case("tree: the tile of another hemisphere", "passage.tile")(
    lambda f: [f.update({k.replace(TILE, "S062/E065"): f.pop(k)}) for k in list(f) if TILE in k] and None)
case("tree: a link out of the tree", "passage.link")(lambda f: f.update({f"16/train/tensors/{TILE}/0000000008.npy.zst": Path("/etc/hostname")}))
case("tree: a link within the tree", "passage.no-metadata")(
    lambda f: f.update({f"16/train/tensors/{TILE}/0000000008.npy.zst": Path(f"{INDEX}.npy.zst"), "16/train/receipts/0000000008.json": b"{}"}))

# ---- shards (section 6 and check 22) ----
SHARD = DATA / "export/16x16/train/data-16-0000000000-0000000001-00000.parquet"
TABLE = pq.read_table(SHARD)
ROWS = TABLE.to_pylist()
NAME = "16x16/train/" + SHARD.name


def shard(name, change, *rules, schema=None, file=NAME, **write):
    def fn(root):
        rows = [dict(r) for r in TABLE.to_pylist()]
        t = change(rows)
        if not isinstance(t, pa.Table):
            t = pa.Table.from_pylist(t if isinstance(t, list) else rows, schema=schema or TABLE.schema)
        files = {file: (t, write)}
        return files
    case("shard: " + name, *rules, shard=True)(fn)


def js(change):
    def fn(rows):
        m = json.loads(rows[0]["metadata_json"])
        change(m)
        rows[0]["metadata_json"] = json.dumps(m)
    return fn


def without(*names):
    return lambda rows: TABLE.drop_columns(list(names))


shard("as it is", lambda rows: None)
shard("plain encoding", lambda rows: None, use_dictionary=False)
shard("pages of version 2", lambda rows: None, data_page_version="2.0")
shard("snappy", lambda rows: None, compression="snappy")
shard("not compressed", lambda rows: None, compression="none")
shard("a row a group", lambda rows: None, row_group_size=1)
shard("no rows", lambda rows: [])
shard("columns in another order", lambda rows: TABLE.select(TABLE.column_names[::-1]))
shard("an unknown column", lambda rows: TABLE.append_column("x", pa.array([1, 2])))
shard("cells of 64 bits", lambda rows: TABLE.set_column(2, TABLE.column_names[2], TABLE.column(2).cast(pa.list_(pa.list_(pa.int64())))))
shard("cells of 16 bits", lambda rows: TABLE.set_column(2, TABLE.column_names[2], TABLE.column(2).cast(pa.list_(pa.list_(pa.int16())))))
shard("cells as fixed-size lists", lambda rows: TABLE.set_column(2, TABLE.column_names[2], pa.array(
    TABLE.column(2).to_pylist(), pa.list_(pa.list_(pa.int32(), 2)))))
shard("without the struct", without("metadata"))
shard("without metadata_json", without("metadata_json"))
shard("without both", without("metadata", "metadata_json"), "passage.column-missing")
shard("without tensor", without("tensor"), "passage.column-missing")
shard("without a route", without("path_astar_slope_free"), "passage.column-missing")
shard("ids as numbers", lambda rows: TABLE.set_column(0, "id", pa.array([0, 1])), "passage.column-type")
shard("an id of nine digits", lambda rows: rows[0].update(id="000000000"), "passage.id")
shard("an id with a sign", lambda rows: rows[0].update(id="-000000001"), "passage.id")
shard("an id that is a path", lambda rows: rows[0].update(id="../../etc/x"), "passage.id")
shard("another id", lambda rows: rows[0].update(id="0000000007"), "passage.index", "passage.shard-name")
shard("an id twice", lambda rows: rows + rows[:1], "passage.id-twice")
shard("id null", lambda rows: rows[0].update(id=None), "passage.null")
shard("tensor null", lambda rows: rows[0].update(tensor=None), "passage.null")
shard("a route null", lambda rows: rows[0].update(path_astar_slope_free=None), "passage.null")


def null_failed(rows):
    rows[0]["path_astar_slope_free"] = None
    m = json.loads(rows[0]["metadata_json"])
    m["paths"]["astar_slope"]["free"]["status"] = "failed"
    rows[0]["metadata_json"] = json.dumps(m)
    rows[0]["metadata"]["paths"]["astar_slope"]["free"]["status"] = "failed"


shard("a failed route null", null_failed)
shard("a cell of three", lambda rows: rows[0]["path_astar_slope_free"][1].append(1), "passage.pair")
shard("a cell of one", lambda rows: rows[0]["path_astar_slope_free"][1].pop(), "passage.pair")
shard("a cell null", lambda rows: rows[0]["path_astar_slope_free"].__setitem__(1, None), "passage.pair")
shard("a coordinate null", lambda rows: rows[0]["path_astar_slope_free"][1].__setitem__(0, None), "passage.pair")
shard("a negative coordinate", lambda rows: rows[0]["path_astar_slope_free"][1].__setitem__(0, -1), "passage.route-outside")
shard("a coordinate of R", lambda rows: rows[0]["path_astar_slope_free"][1].__setitem__(1, 16), "passage.route-outside")
shard("an empty route", lambda rows: rows[0].update(path_astar_slope_free=[]), "passage.csv-empty")
shard("a cut tensor", lambda rows: rows[0].update(tensor=rows[0]["tensor"][:-1]), "passage.blob-cut")
shard("a tensor with surplus", lambda rows: rows[0].update(tensor=rows[0]["tensor"] + b"x"), "passage.blob-trailing")
shard("metadata_json null", lambda rows: rows[0].update(metadata_json=None), "passage.json")
shard("metadata_json a list", lambda rows: rows[0].update(metadata_json="[]"), "passage.json")
shard("metadata_json cut", lambda rows: rows[0].update(metadata_json=rows[0]["metadata_json"][:-1]), "passage.json")
shard("metadata_json with NaN", lambda rows: rows[0].update(metadata_json=rows[0]["metadata_json"][:-1] + ', "x": NaN}'), "passage.json")
shard("metadata_json with a repeated key", lambda rows: rows[0].update(metadata_json=rows[0]["metadata_json"][:-1] + ', "index": 0}'),
      "passage.json")
shard("metadata_json with a new key", js(lambda m: m.update(extra=[1])))
shard("metadata_json 63 deep", lambda rows: rows[0].update(metadata_json=rows[0]["metadata_json"][:-1] + ', "x": ' + "[" * 63 + "]" * 63 + "}"))
shard("metadata_json 64 deep", lambda rows: rows[0].update(metadata_json=rows[0]["metadata_json"][:-1] + ', "x": ' + "[" * 64 + "]" * 64 + "}"),
      "passage.json")
shard("metadata_json: an index as text", js(lambda m: m.update(index="0")), "passage.meta-type", "passage.struct")
shard("the struct differs in a number", js(lambda m: m["obstacles"].update(ratio_target=0.29)), "passage.struct")
shard("the struct differs in a text", js(lambda m: m.update(dataset_version="x")), "passage.struct")
shard("the struct differs deep below", js(lambda m: m["paths"]["astar_slope"]["free"].update(expansions=7)), "passage.struct")
shard("the struct differs in a list", js(lambda m: m["tile"]["used"][0]["rows"].append(1)), "passage.struct")
shard("the struct differs in a list's element", js(lambda m: m["tile"]["used"][0].update(lat=1)), "passage.struct")
shard("1.0 in JSON for 1 in the struct", js(lambda m: m["provenance"].update(sample_seed=int(m["provenance"]["sample_seed"]))))
shard("null in JSON, a value in the struct", js(lambda m: m["crop"]["center"].update(lat=None)), "passage.meta-type", "passage.struct")
shard("null in the struct", lambda rows: rows[0]["metadata"].update(units=None))
shard("the struct null", lambda rows: rows[0].update(metadata=None))
def retyped(name, type_, values=None):
    def fn(rows):
        i = TABLE.column_names.index(name)
        return TABLE.set_column(i, name, pa.array(values if values is not None else TABLE.column(i).to_pylist(), type_))
    return fn


shard("ids as large_string", retyped("id", pa.large_string()))
shard("ids as binary", retyped("id", pa.binary(), [b"0000000000", b"0000000001"]))
shard("ids as a dictionary", lambda rows: TABLE.set_column(0, "id", pa.array(["0000000000", "0000000001"]).dictionary_encode()))
shard("ids of a fixed size", retyped("id", pa.binary(10), [b"0000000000", b"0000000001"]), "passage.column-type")
shard("ids as lists", retyped("id", pa.list_(pa.string()), [["0000000000"], ["0000000001"]]), "passage.column-type")
shard("ids of 32 bits", retyped("id", pa.int32(), [0, 1]), "passage.column-type")
shard("ids with Arabic digits", lambda rows: rows[0].update(id="\u0660" * 10), "passage.id")
shard("an empty id", lambda rows: rows[0].update(id=""), "passage.id")
shard("tensors as large_binary", retyped("tensor", pa.large_binary()))
shard("tensors as text", retyped("tensor", pa.string(), ["a", "b"]), "passage.blob-magic")
shard("tensors as lists of bytes", retyped("tensor", pa.list_(pa.uint8()), [[1], [2]]), "passage.column-type")
shard("an empty tensor", lambda rows: rows[0].update(tensor=b""), "passage.blob-magic")
shard("metadata_json as large_string", retyped("metadata_json", pa.large_string()))
shard("metadata_json as binary", retyped("metadata_json", pa.binary(), [r["metadata_json"].encode() for r in ROWS]))
shard("metadata_json as numbers", retyped("metadata_json", pa.int64(), [1, 2]), "passage.column-type")
shard("metadata_json not UTF-8", retyped("metadata_json", pa.binary(), [b'{"x": "\xff"}', ROWS[1]["metadata_json"].encode()]), "passage.json")
shard("metadata_json with a BOM", lambda rows: rows[0].update(metadata_json="\ufeff" + rows[0]["metadata_json"]), "passage.json")
shard("metadata_json with text after it", lambda rows: rows[0].update(metadata_json=rows[0]["metadata_json"] + "x"), "passage.json")
shard("metadata_json with blanks around it", lambda rows: rows[0].update(metadata_json=" \n" + rows[0]["metadata_json"] + "\t\n"))
shard("metadata_json with a repeated key by an escape", lambda rows: rows[0].update(
    metadata_json=rows[0]["metadata_json"][:-1] + ', "\\u0069ndex": 0}'), "passage.json")
shard("metadata_json empty", lambda rows: rows[0].update(metadata_json=""), "passage.json")
shard("metadata_json of a million elements", lambda rows: rows[0].update(metadata_json=rows[0]["metadata_json"][:-1] + ', "x": [' + "1," * 1000000 + "1]}"),
      "passage.json")
shard("metadata_json: index 1e0", lambda rows: rows[0].update(metadata_json=rows[0]["metadata_json"].replace('"index": 0,', '"index": 0e0,')),
      "passage.meta-type")
shard("metadata_json: index 1.0", lambda rows: rows[0].update(metadata_json=rows[0]["metadata_json"].replace('"index": 0,', '"index": 0.0,')),
      "passage.meta-type")
shard("the struct as text", lambda rows: TABLE.set_column(TABLE.column_names.index("metadata"), "metadata", pa.array(["a", "b"])), "passage.column-type")
shard("the struct as a list of structs", lambda rows: TABLE.set_column(TABLE.column_names.index("metadata"), "metadata", pa.array([[{"index": 0}], [{"index": 1}]])),
      "passage.column-type")
P = "path_astar_slope_free"
shard("cells as structs", retyped(P, pa.list_(pa.struct([("row", pa.int32()), ("col", pa.int32())])),
                                  [[{"row": 1, "col": 2}], [{"row": 1, "col": 2}]]), "passage.column-type")
shard("cells as floats", retyped(P, pa.list_(pa.list_(pa.float64()))), "passage.column-type")
shard("cells as text", retyped(P, pa.list_(pa.list_(pa.string())), [[["1", "2"]], [["1", "2"]]]), "passage.column-type")
shard("cells in one list", retyped(P, pa.list_(pa.int32()), [[1, 2], [1, 2]]), "passage.column-type")
shard("cells as large lists", retyped(P, pa.large_list(pa.large_list(pa.int32()))))
shard("cells of unsigned 64 bits", retyped(P, pa.list_(pa.list_(pa.uint64()))))
shard("cells of unsigned 8 bits", retyped(P, pa.list_(pa.list_(pa.uint8()))))
shard("cells as decimals", lambda rows: TABLE.set_column(TABLE.column_names.index(P), P, TABLE.column(P).cast(
    pa.list_(pa.list_(pa.int32()))).cast(pa.list_(pa.list_(pa.decimal128(10, 0))))), "passage.column-type")
shard("cells beyond 32 bits", retyped(P, pa.list_(pa.list_(pa.int64())), [ROWS[0][P][:-1] + [[2 ** 32 + ROWS[0][P][-1][0], ROWS[0][P][-1][1]]], ROWS[1][P]]),
      "passage.route-outside")
shard("an id twice, in two row groups", lambda rows: rows + rows[:1], "passage.id-twice", row_group_size=1)
shard("a row group of no rows", lambda rows: None, row_group_size=2)
shard("brotli", lambda rows: None, compression="brotli")
shard("lz4", lambda rows: None, compression="lz4")
shard("gzip", lambda rows: None, compression="gzip")
shard("page checksums", lambda rows: None, write_page_checksum=True)
shard("a page index", lambda rows: None, write_page_index=True)
shard("small pages", lambda rows: None, data_page_size=64)
shard("delta encodings", lambda rows: None, use_dictionary=False, column_encoding={"tensor": "DELTA_LENGTH_BYTE_ARRAY", "id": "DELTA_BYTE_ARRAY",
                                                                                   "metadata_json": "DELTA_LENGTH_BYTE_ARRAY"})
shard("columns in other letters", lambda rows: TABLE.rename_columns(["ID" if c == "id" else c for c in TABLE.column_names]), "passage.column-missing")
shard("a column twice", lambda rows: TABLE.append_column("id", pa.array(["0000000005", "0000000006"])), "passage.column-twice")
EXPORT = {str(p.relative_to(DATA / "export")): p.read_bytes() for p in (DATA / "export").rglob("*") if p.is_file()}
for name, more, *rules in (
        ("as it is", {}), ("a notebook", {"16x16/a.ipynb": b"{}"}), ("a file at the root", {"README.md": b""}, "passage.unknown-file"),
        ("a folder at the root", {"more/": None}, "passage.unknown-file"), ("a padded resolution", {"016x016/": None}, "passage.unknown-file"),
        ("two resolutions in a name", {"16x32/": None}, "passage.unknown-file"), ("a file in a resolution", {"16x16/notes.txt": b""}, "passage.unknown-file"),
        ("a fifth split", {"16x16/dev/": None}, "passage.unknown-file"), ("a file beside the shards", {"16x16/train/notes.txt": b""}, "passage.unknown-file"),
        ("a Parquet file of another name", {"16x16/train/x.parquet": b""}, "passage.unknown-file"),
        ("anything in calibration", {"calibration/x.bin": b"", "release-receipts/a/b": b""})):
    case("export: " + name, *rules, shard=True)(lambda root, more=more: {**EXPORT, **more})

shard("a name of other indices", lambda rows: None, "passage.shard-name", file="16x16/train/data-16-0000000005-0000000009-00000.parquet")
shard("a name of another resolution", lambda rows: None, "passage.shard-name", file="16x16/train/data-32-0000000000-0000000001-00000.parquet")
shard("the other form of name", lambda rows: None, file="16x16/train/data-00000.parquet")
shard("another split's folder", lambda rows: None, "passage.split", file="16x16/test/data-00000.parquet")
shard("another resolution's folder", lambda rows: None, "passage.resolution", "passage.blob-content-size", file="32x32/train/data-00000.parquet")


def write(root, files):
    for name, data in files.items():
        p = root / name
        if name.endswith("/"):
            p.mkdir(parents=True, exist_ok=True)
            continue
        p.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(data, Path):
            p.symlink_to(data)
        elif isinstance(data, tuple):
            args = dict(compression="zstd", compression_level=12)
            args.update(data[1])
            if args["compression"] != "zstd":
                args.pop("compression_level")
            pq.write_table(data[0], p, **args)
        else:
            p.write_bytes(data)


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (512 << 20, 512 << 20))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--c4w", default=str(TOP / "c4w"))
    p.add_argument("-v", action="store_true")
    p.add_argument("--no-limit", action="store_true", help="for builds with sanitizers, which reserve address space")
    p.add_argument("names", nargs="*")
    a = p.parse_args()
    failed = ran = 0
    for name, rules, fn, is_shard, path in cases:
        if a.names and not any(n in name for n in a.names):
            continue
        ran += 1
        with tempfile.TemporaryDirectory() as tmp:
            root = Path(tmp) / "x"
            root.mkdir()
            if is_shard:
                files = fn(root)
            else:
                files = dict(BASE)
                fn(files)
            write(root, files)
            outs = []
            for jobs in ("1", "2"):
                r = subprocess.run([a.c4w, "verify", "--json", "-j", jobs, str(root)], capture_output=True, text=True, preexec_fn=None if a.no_limit else limit,
                                   env=dict(os.environ, LC_ALL="C.UTF-8"))
                outs.append((r.returncode, r.stdout.replace(str(root), "")))
            found = [json.loads(x) for x in r.stdout.splitlines() if '"finding"' in x]
            got = {x["rule"] or x["state"] for x in found}
            want = 1 if any(x["severity"] == "error" for x in found) else 0
            bad = []
            if got != rules:
                bad.append(f"wants {sorted(rules)}, got {sorted(got)}")
            if r.returncode != want or r.stderr:
                bad.append(f"exit {r.returncode}, expected {want}: {r.stderr.strip()}")
            if outs[0] != outs[1]:
                bad.append("one thread and two say different things")
            failed += bool(bad)
            print(("not ok" if bad else "ok"), ran, "-", name)
            if bad or a.v:
                for b in bad + [f"{x['rule']}: {x['message']} | expected {x['expected']} | found {x['found']}" for x in found]:
                    print("#", b)
    print(f"1..{ran}")
    print(f"{ran - failed} passed, {failed} failed, 0 skipped")
    return failed != 0


sys.exit(main())
