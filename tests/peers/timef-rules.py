#!/usr/bin/env python3
"""Broken TimeF data sets and their legal neighbours (tests/tools/break_timef.py): c4w verify against the rule each was made for, and the basic
level against the reference's own verify() where it can be imported.

    timef-rules.py [--c4w PATH] [NAME...]

Prints TAP and a last line "N passed, N failed, N skipped". Of a broken data set verify must find the rule, as error (exit 1) or warning (exit
0); neighbours end with 0 and no error. --level basic ends with 1 exactly when the reference's opening or verify() fails.
"""
import sys

sys.path.pop(0)  # no neighbour of this file is meant by an import
import argparse
import json
import shutil
import subprocess
import tempfile
import warnings
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/tools"))
warnings.simplefilter("ignore")
try:
    import break_timef as br
except ImportError as e:
    print(f"1..0 # SKIP {e}")
    print("0 passed, 0 failed, 1 skipped")
    raise SystemExit(0)
try:
    from timenet.reader import TimeFReader
    from timenet.registry.version import DatasetVersion
except ImportError:
    TimeFReader = None

# Where the reference's way of failing is no verdict on the data set, or c4w knows better than it at the basic level, and why.
BASIC = {
    "manifest-spec-unit-strange": "units that are not known here are not checked, the one allowed gap",
}


def reference(root):
    try:
        with TimeFReader(DatasetVersion.open_local(root)) as r:
            r.verify()
    except Exception as e:  # noqa: BLE001
        return f"{type(e).__name__}: {e}"
    return None


def verify(c4w, root, level, *more):
    r = subprocess.run([c4w, "verify", str(root), "--level", level, "--json", *more], capture_output=True, text=True, timeout=60)
    lines = [json.loads(line) for line in r.stdout.splitlines()]
    return r.returncode, [x for x in lines if x.get("type") == "finding"], r.stderr


def check(c4w, name, out):
    c, bad = br.CASES[name], []
    root = br.make(name, out)
    if c.parent:
        root = root.parent
    code, found, err = verify(c4w, root, "full")
    rules = {(f["rule"], f["severity"]) for f in found}
    errors = {f["rule"] for f in found if f["severity"] == "error"}
    if err:
        bad.append(f"stderr: {err[:200]}")
    if c.rule is None:
        if code != 0 or errors:
            bad.append(f"exit {code}, found {sorted(map(str, rules))}: {[f['message'] for f in found][:3]}")
    elif c.rule == "unsupported":
        if not any(f["state"] == "unsupported" for f in found) or code != 4:
            bad.append(f"exit {code}, found {sorted(map(str, rules))}")
    else:
        if (c.rule, c.severity) not in rules:
            bad.append(f"not found; exit {code}, found {sorted(map(str, rules))}: {[f['message'] for f in found][:3]}")
        if code != (1 if c.severity == "error" else 0) and not (c.severity == "warning" and errors & set(c.also)):
            bad.append(f"exit {code}: {sorted(map(str, rules))}")
    if verify(c4w, root, "full", "--jobs", "4")[:2] != (code, found):
        bad.append("four threads say something else than one")
    if TimeFReader and name not in BASIC and not c.parent and c.base[0] != "2":  # 0.1.0 knows no format 2
        said = reference(root)
        code, found, _ = verify(c4w, root, "basic")
        if (said is None) != (code == 0):
            bad.append(f"basic: exit {code} {[f['rule'] for f in found]}, the reference says {said}")
    shutil.rmtree(Path(out) / name)
    for p in Path(out).glob("*/*"):
        p.unlink() if p.is_file() else None
    return bad


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--c4w", default=str(TOP / "c4w"))
    p.add_argument("names", nargs="*")
    a = p.parse_args()
    failed = n = 0
    with tempfile.TemporaryDirectory() as out:
        for name in a.names or br.CASES:
            n += 1
            try:
                bad = check(a.c4w, name, out)
            except Exception as e:  # noqa: BLE001
                bad = [f"{type(e).__name__}: {e}"]
            for b in bad:
                print(f"# {b}")
            failed += bool(bad)
            print(f"{'not ok' if bad else 'ok'} {n} - {name} ({br.CASES[name].rule or 'sound'})", flush=True)
    print(f"1..{n}")
    print(f"{n - failed} passed, {failed} failed, {0 if TimeFReader else 1} skipped")
    return failed != 0


if __name__ == "__main__":
    raise SystemExit(main())
