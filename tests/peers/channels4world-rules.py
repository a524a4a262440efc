#!/usr/bin/env python3
"""Broken roots and their legal neighbours (tests/tools/break_channels4world.py): c4w verify against the rule each was made for, and
against the reference library where it can be imported.

    channels4world-rules.py [--c4w PATH] [NAME...]

Prints TAP and a last line "N passed, N failed, N skipped". Of a broken root verify must find exactly that error (one finding; where a
whole group or root is bad, that rule alone), end with 1, and end with 0 when the rule is ignored. Neighbours end with 0. The output is
the same for one thread and four.
"""
import sys

sys.path.pop(0)  # no neighbour of this file is meant by an import
import argparse
import contextlib
import io
import json
import os
import shutil
import subprocess
import tempfile
import warnings
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/tools"))
try:
    import break_channels4world as br
except ImportError as e:
    print(f"1..0 # SKIP {e}")
    print("0 passed, 0 failed, 1 skipped")
    raise SystemExit(0)
try:
    import channels4world.cli as reference
except ImportError:
    reference = None

COMPONENTS = ["--components", "core,detail,positions,geometry"]


def c4w(args, *more):
    p = subprocess.run([args.c4w, "verify", *more], capture_output=True, text=True, errors="surrogateescape", timeout=60)
    return p.returncode, p.stdout, p.stderr


def check(args, case, root):
    """What is wrong with c4w's answer, a list."""
    wrong = []
    select = case.select or COMPONENTS
    code, out, err = c4w(args, str(root), *select, "--json", "-j", "1")
    try:
        lines = [json.loads(x) for x in out.splitlines()]
    except ValueError as e:
        return [f"JSON: {e}: {out[:300]!r}"]
    found = [x for x in lines if x["type"] == "finding" and x["state"] != "unpublished"]
    rules = sorted({str(x["rule"]) for x in found})
    if err:
        wrong.append(f"standard error: {err!r}")
    want = 1 if case.rule else 0
    if code != want:
        wrong.append(f"exit {code}, expected {want}")
    if case.rule and rules != [case.rule]:
        wrong.append(f"rules {rules}, expected {case.rule}: " + "; ".join(f"{x['rule']}: {x['message']}" for x in found[:4]))
    if case.rule and not case.many and len(found) != 1:
        wrong.append(f"{len(found)} findings, expected one")
    if not case.rule and found:
        wrong.append("; ".join(f"{x['rule']}: {x['message']}, expected {x['expected']}, found {x['found']}" for x in found[:4]))
    for more in ((), ("--json",)):
        one, four = (c4w(args, str(root), *select, *more, "-j", n) for n in "14")
        if one != four:
            wrong.append("the output depends on the number of threads")
    if case.rule:
        code, out, err = c4w(args, str(root), *select, "--ignore", case.rule)
        if code != 0:
            wrong.append(f"exit {code} with --ignore {case.rule}: {out[:300]}{err[:300]}")
    return wrong


def judge(case, root):
    """What the reference does: agrees (fails when broken, passes when sound), laxer (the other way), crash."""
    select = case.select or COMPONENTS
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            code = reference.main(["verify", str(root), *select])
    except (Exception, SystemExit) as e:  # noqa: BLE001
        return br.CRASH, f"{type(e).__name__}: {e}"
    if (code != 0) == (case.rule is not None):
        return br.AGREE, out.getvalue()
    return br.LAXER, out.getvalue()


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--c4w", default=os.environ.get("C4W", str(TOP / "build/plain/c4w")))
    ap.add_argument("--no-reference", action="store_true")
    ap.add_argument("names", nargs="*")
    args = ap.parse_args()
    names = args.names or list(br.CASES)
    passed = failed = skipped = n = 0
    with tempfile.TemporaryDirectory(prefix="c4w-rules.") as tmp:
        maker = br.Maker()
        for name in names:
            case = br.CASES[name]
            root = Path(tmp) / "root"
            n += 1
            maker.make(case, root)
            wrong = check(args, case, root)
            print(("not ok" if wrong else "ok"), n, "-", name, "->", case.rule or "sound")
            for w in wrong:
                print("#", w)
            passed, failed = passed + (not wrong), failed + bool(wrong)
            n += 1
            if reference is None or args.no_reference:
                skipped += 1
                print("ok", n, "-", name, "reference # SKIP it can't be imported")
            else:
                got, text = judge(case, root)
                good = got == case.ref
                print("ok" if good else "not ok", n, "-", name, "reference", got, case.why and f"({case.why})")
                if not good:
                    print("# expected", case.ref, "got", got, text.strip()[:300].replace("\n", " | "))
                passed, failed = passed + good, failed + (not good)
            shutil.rmtree(root)
            shutil.rmtree(str(root) + ".blobs", ignore_errors=True)
    print(f"1..{n}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return failed != 0


if __name__ == "__main__":
    raise SystemExit(main())
