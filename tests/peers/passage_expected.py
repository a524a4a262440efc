#!/usr/bin/env python3
"""Every figure of tree.expected.json and export.expected.json out of c4w.

usage: passage_expected.py C4W DIR     (DIR holds tree, export and the two expected files)

The expected files describe trees and exports as zstandard, numpy, PyYAML and pyarrow read them. Prints what differs and ends with
1; else one line with the number of figures compared.
"""
import hashlib
import json
import math
import subprocess
import sys
from pathlib import Path

C4W, DIR = sys.argv[1], Path(sys.argv[2])
bad = []
count = 0


def run(*args):
    p = subprocess.run([C4W, *map(str, args)], capture_output=True)
    if p.returncode:
        bad.append(f"{' '.join(map(str, args))}: exit {p.returncode}: {p.stderr.decode().strip()}")
    return p.stdout


def sha(data):
    return hashlib.sha256(data).hexdigest()


def same(where, got, want):
    global count
    count += 1
    if isinstance(want, float):
        ok = math.isclose(float(got), want, rel_tol=1e-9, abs_tol=0)
    else:
        ok = got == want
    if not ok:
        bad.append(f"{where}: c4w says {got!r}, expected {want!r}")


def info(*args):
    return json.loads(run("info", "--json", *args))


def pair(text):
    return [int(x) for x in text.split(",")]


def tensor(where, root, leaf, index, decode, want):
    """Facts of a tensor node, digests of what decode-passage writes."""
    got = info(root, leaf + "/tensor")
    shape = [int(x) for x in got["shape"].strip("()").split(",")]
    same(where + " shape", shape, want["shape"])
    same(where + " blob_bytes", got["stored_bytes"], want["blob_bytes"])
    same(where + " declared", got["declared_bytes"], want["declared_content_size"])
    same(where + " raw_bytes", got["data_bytes"], want["raw_bytes"])
    raw = run("decode-passage", *decode, "--format", "raw")
    same(where + " raw length", len(raw), want["raw_bytes"])
    same(where + " raw_sha256", sha(raw), want["raw_sha256"])
    same(where + " npy_sha256", sha(run("decode-passage", *decode)), want["npy_sha256"])
    for name, stats in zip(("elevation", "markers", "obstacles"), want["channels"]):
        for key in ("min", "max", "mean"):
            same(f"{where} {name} {key}", got[f"{name}_{key}"], stats[key])
    for kind in ("start", "goal"):
        same(f"{where} {kind} count", got[kind + "_cells"], len(want[kind + "_cells"]))
        same(f"{where} {kind}", pair(got[kind]), want[kind + "_cells"][0])
    same(where + " background", got["background_cells"], want["background_cells"])
    same(where + " obstacles", got["obstacle_cells"], want["obstacle_cells"])
    csv = run("decode-passage", *decode, "--format", "csv", "--channel", "elevation", "--metres").decode().splitlines()
    for key, told in want["elevation_m"].items():
        same(f"{where} {key} m", got[key + "_m"], told["metres"])
        i, j = told["cell"]
        same(f"{where} {key} m in csv", csv[i].split(",")[j], told["metres"])


def route(where, root, leaf, want):
    got = info(root, leaf)
    same(where + " length", got["cells"], want["length"])
    same(where + " first", pair(got["first"]), want["first"])
    same(where + " last", pair(got["last"]), want["last"])
    same(where + " metres", got["length_m"], want["geometric_m"])
    same(where + " obstacles", got["obstacle_cells"], want["obstacle_cells"])
    same(where + " adjacent", got["adjacent"] == "yes", want["adjacent"])
    if "csv_sha256" in want:
        same(where + " csv", sha(run("cat", root, leaf)), want["csv_sha256"])
        same(where + " told length", got["metadata_length"], want["metadata_length"])
        if want["metadata_cost"] is None:
            same(where + " told cost", got.get("metadata_cost"), None)
        else:
            same(where + " told cost", got["metadata_cost"], want["metadata_cost"])


def tree():
    root = DIR / "tree"
    want = json.loads((DIR / "tree.expected.json").read_text())
    ids = {row["id"]: row for row in map(json.loads, run("ls", "--json", root).splitlines())}
    same("totals scenes", len(ids), want["totals"]["scenes"])
    same("totals scenes in info", info(root)["scenes"], want["totals"]["scenes"])
    raw = 0
    for s in want["scenes"]:
        leaf = f"{s['resolution']}/{s['split']}/{s['index']:010d}"
        row = ids[leaf]
        same(leaf + " resolution", row["resolution"], s["resolution"])
        same(leaf + " split", row["split"], s["split"])
        same(leaf + " state", row["state"], "complete")
        path = root / s["tensor"]
        same(leaf + " blob", run("sha256", path).decode().split()[0], s["blob_sha256"])
        tensor(leaf, root, leaf, s["index"], [path], s)
        raw += info(root, leaf + "/tensor")["data_bytes"]
        for name, r in s["routes"].items():
            route(f"{leaf} {name}", root, f"{leaf}/path/{name}", r)
            same(f"{leaf} {name} in ls", row[name.replace("astar_", "").replace("/", "_")], r["metadata_length"])
    same("totals raw_bytes", raw, want["totals"]["raw_bytes"])
    digests = {}
    for line in run("sha256", root).decode().splitlines():
        digest, name = line.split("  ", 1)
        digests[str(Path(name).relative_to(root))] = digest
    for name, digest in want["files"].items():
        same("file " + name, digests.get(name), digest)


def export():
    root = DIR / "export"
    want = json.loads((DIR / "export.expected.json").read_text())
    total = 0
    for s in want["shards"]:
        path = root / s["path"]
        facts = info("--as", "file", path)
        same(s["path"] + " bytes", facts["bytes"], s["file_bytes"])
        same(s["path"] + " sha256", run("sha256", path).decode().split()[0], s["file_sha256"])
        same(s["path"] + " rows", facts["rows"], s["rows"])
        same(s["path"] + " row groups", facts["row_groups"], s["row_groups"])
        same(s["path"] + " leaf columns", facts["columns"], s["leaf_columns"])
        columns = [json.loads(x) for x in run("ls", "--json", "-l", "--as", "file", path).splitlines()]
        top = list(dict.fromkeys(c["name"] for c in columns if c["type"] and "." not in c["name"]))
        same(s["path"] + " columns", [c for c in top if not c.startswith("#")], s["columns"])
        same(s["path"] + " codec", sorted({c["codec"] for c in columns if c.get("codec")}), s["codec"])
        encodings = next(c["encodings"] for c in columns if c["name"] == "tensor")
        encodings = encodings if isinstance(encodings, list) else encodings.split()
        same(s["path"] + " encodings", sorted(encodings), s["tensor_encodings"])
        rows = [json.loads(x) for x in run("ls", "--json", "-l", path).splitlines()]
        same(s["path"] + " rows in ls", len(rows), s["rows"])
        total += len(rows)
        ok = subprocess.run([C4W, "verify", "--level", "full", "--json", path], capture_output=True)
        differs = {x.get("index") for x in map(json.loads, ok.stdout.splitlines()) if x.get("rule") == "passage.struct"}
        for row, scene in zip(rows, s["scenes"]):
            where = f"{s['path']} {scene['id']}"
            leaf = row["id"]
            same(where + " id", leaf.split("/")[-1], scene["id"])
            same(where + " split", row["split"], scene["split"])
            same(where + " json equal", scene["id"] not in differs, scene["metadata_json_equal"])
            tensor(where, path, leaf, int(scene["id"]), [path, "--index", int(scene["id"])], scene)
            for name, r in scene["routes"].items():
                solver, variant = name.rsplit("_", 1)
                route(f"{where} {name}", path, f"{leaf}/path/{solver}/{variant}", r)
            for name, image in scene["images"].items():
                facts = info(path, f"{leaf}/image/{name[len('image_'):]}")
                same(f"{where} {name} bytes", facts["bytes"], image["bytes"])
                same(f"{where} {name} path", facts["image_path"], image["path"])
                same(f"{where} {name} sha256", sha(run("cat", path, f"{leaf}/image/{name[len('image_'):]}")), image["sha256"])
    same("totals rows", total, want["totals"]["rows"])
    same("totals shards", info(root)["shards"], want["totals"]["shards"])


tree()
export()
for line in bad[:40]:
    print(line)
print(f"{count} figures, {len(bad)} differ" if bad else f"{count} figures agree")
sys.exit(bool(bad))
