"""extract, to-cache, missing and recipe beside the reference library.

Each case runs c4w and the reference on one source with one selection and compares what they wrote: the same files, equal bytes,
tables equal row by row, manifests equal but for table digests and created_by. Each then verifies the other's root in full.

usage: channels4world-prepare.py [--cases N] [--seed N]"""
import argparse
import io
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout

import numpy as np
import pyarrow.parquet as pq

import channels4world.cli as reference

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/tools"))
from chw_model import Model  # noqa: E402

C4W = os.environ.get("C4W", str(TOP / "build" / os.environ.get("BUILD", "plain") / "c4w"))
DATA = TOP / "tests/data/channels4world"
TABLES = ("scenes", "files", "records")
count = {"ok": 0, "bad": 0}


def ours(*argv):
    done = subprocess.run([C4W, *map(str, argv)], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def theirs(*argv):
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = reference.main([str(a) for a in argv])
        except SystemExit as e:
            code = e.code
        except Exception as e:  # it crashes on some inputs
            code, _ = 99, err.write(repr(e))
    return code, out.getvalue(), err.getvalue()


def case(name, problem):
    count["bad" if problem else "ok"] += 1
    n = count["ok"] + count["bad"]
    print(f"{'not ok' if problem else 'ok'} {n} - {name}", flush=True)
    if problem:
        print("# " + str(problem).replace("\n", "\n# "), flush=True)


def tree(root):
    root = pathlib.Path(root)
    return {str(p.relative_to(root)): p for p in sorted(root.rglob("*")) if p.is_file()}


def differ(a, b):
    """What differs between two derived roots, or None."""
    fa, fb = tree(a), tree(b)
    if set(fa) != set(fb):
        return f"files: {sorted(set(fa) ^ set(fb))[:8]}"
    for rel, p in fa.items():
        if rel == "c4w-root.json" or rel.startswith("c4w-root/"):
            continue
        if p.read_bytes() != fb[rel].read_bytes():
            return f"bytes of {rel}"
    for t in TABLES:
        ta, tb = (pq.read_table(pathlib.Path(x) / f"c4w-root/{t}.parquet") for x in (a, b))
        if ta.to_pylist() != tb.to_pylist():
            return f"rows of {t}"
        if ta.schema.names != tb.schema.names or [str(x.type) for x in ta.schema] != [str(x.type) for x in tb.schema]:
            return f"schema of {t}: {ta.schema} / {tb.schema}"
    ma, mb = (json.loads((pathlib.Path(x) / "c4w-root.json").read_text()) for x in (a, b))
    for m in (ma, mb):
        m.pop("created_by")
        for t in TABLES:
            del m["tables"][t]["sha256"], m["tables"][t]["bytes"]
    if ma != mb:
        return f"manifests: {ma} / {mb}"
    return None


def both_verify(a, b):
    """c4w on the reference's root, the reference on ours; full."""
    code, out, err = theirs("verify", a, "--components", "core,detail,positions,geometry")
    if code != 0:
        return f"the reference on ours: {code} {out[-300:]} {err[-300:]}"
    code, out, err = ours("verify", b, "--components", "core,detail,positions,geometry")
    if code != 0 and "nothing was checked" not in out:
        return f"c4w on the reference's: {code} {out[-300:]} {err[-300:]}"
    return None


def prepare(name, source, selection, work, cache, deep=True, extra=()):
    a, b = work / "ours", work / "theirs"
    for d in (a, b):
        shutil.rmtree(d, ignore_errors=True)
    code, out, err = ours("to-cache" if cache else "extract", source, a, *selection, "-j", random.choice("124"), *extra)
    rcode, rout, rerr = theirs("cache" if cache else "extract", source, b, *selection, "-y")
    left_out = "left out:" in err
    if rcode != 0:
        problem = None if code in (2, 3) and not a.exists() else f"reference ends with {rcode} ({rerr.strip()}), c4w with {code}: {err}"
    elif code != (3 if left_out else 0):
        problem = f"exit {code}: {out}{err}"
    elif left_out != ("not published" in rout):
        problem = f"left out: {err} / {rout}"
    else:
        problem = differ(a, b) or (both_verify(a, b) if deep else None)
    case(name, problem)
    return problem is None and rcode == 0


def text_pair(name, mine, his, strip_revision=False):
    (code, out, _), (rcode, rout, _) = mine, his
    problem = None
    if code != rcode:
        problem = f"exit {code}, the reference's {rcode}\n{out}\n{rout}"
    elif code in (0, 1) and out != rout:
        problem = f"{out}\n---\n{rout}"
    case(name, problem)


def no_links(base, out, all_of_them):
    """A root whose channels (all, or every other one) have no link at all."""
    m = Model(base)
    cores = sum(x.component == "core" for x in m.all)
    for n in range(0, cores, 1 if all_of_them else 2):
        for rec in (m.get("core", n), m.get("detail", n)):
            for name, a in rec.arrays.items():
                rec.arrays[name] = np.zeros(1, a.dtype) if name.endswith("_offsets") else a[:0]
    m.write(out)


def random_selection(rng, scenes):
    args = []
    if rng.random() < 0.3:
        args += ["--split", rng.choice(["train", "test"])]
    if rng.random() < 0.3:
        args += ["--tier", rng.choice(["tiny", "small", "medium", "large", "full"])]
    if rng.random() < 0.4:
        args += ["--scenes", ",".join(rng.sample(scenes, rng.randint(1, len(scenes))))]
    if rng.random() < 0.3:
        args += ["--frequency", rng.choice(["3500000000", "28000000000"])]
    for _ in range(rng.choice([0, 0, 0, 1, 2])):
        args += ["--bs", rng.choice(["0", "1", "7"])]
    if rng.random() < 0.7:
        args += ["--components", ",".join(rng.sample(["core", "detail", "positions", "geometry"], rng.randint(1, 4)))]
    return args


def fixtures(work):
    subset = ["--scenes", "urban_scene_019231", "--bs", "1", "--components", "core,detail,positions,geometry"]
    code, _, err = ours("extract", DATA / "release", work / "f1", *subset)
    case("extract gives the fixture subset", f"exit {code}: {err}" if code else differ(work / "f1", DATA / "subset"))
    code, _, err = ours("to-cache", DATA / "release", work / "f2", "--split", "test", "--components", "core,detail,positions,geometry")
    case("to-cache gives the fixture cache", f"exit {code}: {err}" if code else differ(work / "f2", DATA / "cache"))
    for jobs in "124":
        for verify in ("none", "basic", "full"):
            shutil.rmtree(work / "f3", ignore_errors=True)
            code, _, err = ours("to-cache", DATA / "release", work / "f3", "--split", "test", "--components",
                                "core,detail,positions,geometry", "-j", jobs, "--verify", verify)
            same = not code and all(p.read_bytes() == (work / "f3" / rel).read_bytes() for rel, p in tree(work / "f2").items())
            case(f"to-cache --verify {verify} -j {jobs}: the same bytes", None if same else f"exit {code} {err}")
            shutil.rmtree(work / "f3", ignore_errors=True)
            code, _, err = ours("extract", DATA / "release", work / "f3", *subset, "-j", jobs, "--verify", verify)
            same = not code and all(p.read_bytes() == (work / "f3" / rel).read_bytes() for rel, p in tree(work / "f1").items())
            case(f"extract --verify {verify} -j {jobs}: the same bytes", None if same else f"exit {code} {err}")
    index = json.loads((work / "f2/cache/test-urban-g00000/core-3500000000/index.json").read_text())
    for field, rel in index["fields"].items():
        mapped = np.load(work / "f2" / rel, mmap_mode="r")
        case(f"numpy maps {field}", None if (mapped == np.load(DATA / "cache" / rel)).all() else "values differ")


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--cases", type=int, default=40)
    ap.add_argument("--seed", type=int, default=1)
    a = ap.parse_args()
    rng = random.Random(a.seed)
    random.seed(a.seed)
    with tempfile.TemporaryDirectory() as t:
        work = pathlib.Path(t).resolve()
        fixtures(work)
        generator = TOP / "tests/tools/make_channels4world.py"
        for name, args in (("tar", ["--groups", "2", "--scenes", "2"]), ("stored", ["--groups", "1", "--scenes", "3", "--stored"]),
                           ("hidden", ["--groups", "2", "--scenes", "2", "--hide-detail"]), ("bare", ["--groups", "1", "--no-detail"]),
                           ("alone", ["--groups", "1", "--scenes", "1", "--bs", "1", "--ues", "4"])):
            subprocess.run([sys.executable, str(generator), str(work / name), *args], check=True, stdout=subprocess.DEVNULL)
        no_links(work / "alone", work / "empty", all_of_them=True)
        no_links(work / "tar", work / "some-empty", all_of_them=False)
        sources = {n: work / n for n in ("tar", "stored", "hidden", "bare", "alone", "empty", "some-empty")}
        for n, s in (("subset", DATA / "subset"), ("cache", DATA / "cache"), ("release", DATA / "release")):
            sources[n] = s
        # roots of roots: what c4w wrote is a source too
        for n, cache, of in (("of-tar", False, "tar"), ("cache-of-tar", True, "tar"), ("of-hidden", False, "hidden")):
            code, _, err = ours("to-cache" if cache else "extract", sources[of], work / n, "--components", "core,detail,positions,geometry")
            case(f"{n} is made", None if code in (0, 3) else err)
            sources[n] = work / n
        scenes = {n: pq.read_table(s / "c4w-root/scenes.parquet")["scene_id"].to_pylist() for n, s in sources.items()}
        for n, s in sources.items():
            for c in ("core", "detail", "positions", "geometry"):
                for cache in (False, True):
                    prepare(f"{'to-cache' if cache else 'extract'} {n}, {c} alone", s, ["--components", c], work, cache, deep=c == "core")
        for i in range(a.cases):
            n = rng.choice(list(sources))
            selection = random_selection(rng, scenes[n])
            cache = rng.random() < 0.5
            prepare(f"{'to-cache' if cache else 'extract'} {n} {' '.join(selection)}", sources[n], selection, work, cache, deep=i % 4 == 0)
        for i in range(a.cases):
            n = rng.choice(list(sources))
            s = sources[n]
            if rng.random() < 0.7:  # something is not downloaded
                s = work / "holes"
                shutil.rmtree(s, ignore_errors=True)
                shutil.copytree(sources[n], s)
                files = [f for f in pq.read_table(s / "c4w-root/files.parquet")["path"].to_pylist() if (s / f).exists()]
                few = files if rng.random() < 0.6 else [f for f in files if "schema/" not in f and "catalog" not in f and "snapshot" not in f]
                for f in rng.sample(few, min(len(few), rng.choice([1, 1, 2, 3, 12]))):
                    (s / f).unlink()
            selection = random_selection(rng, scenes[n])
            revision = ["--revision", "v1.0.0"]
            paths = rng.random() < 0.5
            mine, his = (f("missing", s, *selection, *(["--paths-only"] if paths else revision)) for f in (ours, theirs))
            if paths and his[1] == "\n":
                his = (his[0], "", "")
            local = "not a published" in his[1]
            if local or " more\n" in his[1]:  # the sentence is our own; so is the command of a long list
                mine, his = ((x[0], x[1].split("\nDownload")[0], "") for x in (mine, his))
            text_pair(f"missing {n} {' '.join(selection)}", mine, his)
            mine, his = (f("recipe", sources[n], *selection, *revision) for f in (ours, theirs))
            text_pair(f"recipe {n} {' '.join(selection)}", mine, his)
            if his[0] == 0:
                (work / "r.json").write_text(his[1])
                text_pair("recipe of a recipe", ours("recipe", sources[n], "--recipe", work / "r.json"),
                          theirs("recipe", sources[n], "--recipe", work / "r.json"))
    print(f"1..{count['ok'] + count['bad']}")
    print(f"{count['ok']} passed, {count['bad']} failed, 0 skipped")
    sys.exit(1 if count["bad"] else 0)


main()
