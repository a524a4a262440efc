#!/usr/bin/env python3
"""The command line of the Python package, with both programs: same exit code, and of verify the same items with the same words.

    channels4world-cli.py [--c4w PATH] [--show]

Needs the package's own command, $C4W_VENV/bin/c4w. Prints TAP and a last line "N passed, N failed, N skipped".
"""
import sys

sys.path.pop(0)  # no neighbour of this file is meant by an import
import argparse
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
DATA = TOP / "tests/data/channels4world"

SELECTIONS = [
    "", "--split test", "--split train", "--split nope", "--tier tiny", "--tier small", "--tier full", "--tier nope", "--profile urban",
    "--profile urban --profile metropolitan", "--profile nope", "--scenes urban_scene_019231", "--scenes urban_scene_019232,urban_scene_019231",
    "--scenes nope", "--scenes @ids", "--scenes @absent", "--frequency 3500000000", "--frequency 28000000000 --frequency 3500000000", "--frequency 5",
    "--frequency x", "--frequency 3_500_000_000", "--bs 0", "--bs 1 --bs 0", "--bs 7", "--bs 0 --bs 7 --frequency 3500000000", "--bs -1", "--bs x",
    "--components core", "--components detail", "--components core,detail,positions,geometry", "--components geometry", "--components positions",
    "--components nope", "--components core,,positions", "--split test --tier tiny --bs 1 --components detail",
    "--recipe RECIPE", "--recipe RECIPE --bs 1", "--recipe absent", "--recipe ids", "--split train --components detail --bs 0", "--unknown", "--level basic",
    "--level none", "--level full --components core,detail",
]

# (root, selection) -> why c4w's exit code is another
DIFFERENT = {}


def different(pattern, codes, why):
    DIFFERENT[pattern] = (codes, why)


different(r"--scenes @absent$|--recipe absent$", (2, 3), "a file that can't be read is no wrong usage")
different(r"^partial ", (2, 1), "an absent snapshot ends the reference's run; c4w says MISSING and goes on")
different(r" --bs 7 .*--components core$", (0, 1), "nothing was checked")


def run(argv, cwd):
    for _ in range(3):
        p = subprocess.run(argv, cwd=cwd, capture_output=True, text=True, timeout=120)
        if p.returncode != -6:  # the reference's libraries sometimes abort on their way out
            break
    return p.returncode, p.stdout, p.stderr


def items(out):
    """The lines of verify without their explanations, and the count."""
    return [re.sub(r"^((?:FAIL|MISSING|NOT PUBLISHED) [^:]*):.*", r"\1", x) for x in out.splitlines()]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--c4w", default=os.environ.get("C4W", str(TOP / "build/plain/c4w")))
    ap.add_argument("--show", action="store_true")
    a = ap.parse_args()
    theirs = os.environ.get("C4W_VENV", "") + "/bin/c4w"
    if not os.access(theirs, os.X_OK):
        print("1..0 # SKIP no C4W_VENV")
        print("0 passed, 0 failed, 1 skipped")
        return 0
    passed = failed = n = 0
    with tempfile.TemporaryDirectory(prefix="c4w-cli.") as tmp:
        tmp = Path(tmp)
        for r in ("release", "subset", "cache"):
            shutil.copytree(DATA / r, tmp / r)
        shutil.copytree(DATA / "release", tmp / "partial")
        (tmp / "partial/groups/test-urban-g00000/core-28000000000.tar").unlink()
        (tmp / "partial/groups/train-metro-g00001/snapshot.json").unlink()
        shutil.copytree(DATA / "release", tmp / "holes")
        (tmp / "holes/groups/test-urban-g00000/core-28000000000.tar").unlink()
        (tmp / "holes/groups/train-metro-g00001/geometry.tar").unlink()
        shutil.copytree(DATA / "release", tmp / "bad")
        p = tmp / "bad/groups/test-urban-g00000/core-3500000000.tar"
        b = bytearray(p.read_bytes())
        b[700] ^= 1
        p.write_bytes(b)
        shutil.copy(DATA / "small-urban.recipe.json", tmp / "RECIPE")
        (tmp / "ids").write_text("urban_scene_019231\n\n  urban_scene_019232 \r\n")
        (tmp / "empty").mkdir()
        lines = [(r, s) for r in ("release", "subset", "cache", "bad", "holes") for s in SELECTIONS]
        lines += [("partial", ""), ("partial", "--split test"), ("empty", ""), ("absent", ""), ("release/c4w-root.json", "")]
        for root, selection in lines:
            n += 1
            argv = ["verify", root, *selection.split()]
            want, got = run([theirs, *argv], tmp), run([a.c4w, *argv], tmp)
            name = f"{root} {selection}".rstrip()
            why = next((v for k, v in DIFFERENT.items() if re.search(k, name + (" " if k.endswith(" ") else ""))), None)
            wrong = []
            if why and (want[0], got[0]) == why[0]:
                pass
            elif root in ("empty", "absent", "release/c4w-root.json"):
                if got[0] not in (3, 4) or want[0] != 2:
                    wrong.append(f"exit {got[0]}, the reference {want[0]}")
            elif want[0] != got[0]:
                wrong.append(f"exit {got[0]}, the reference {want[0]}")
            elif want[0] < 2 and sorted(items(want[1])) != sorted(items(got[1])):
                wrong.append("other items")
            if want[0] == 2 and (got[1] or not got[2]) and root != "partial":
                wrong.append("a wrong command line says so on standard error alone")
            print("ok" if not wrong else "not ok", n, "- verify", name)
            if wrong or a.show:
                for w in wrong:
                    print("#", w)
                for x, what in ((want, "theirs"), (got, "ours")):
                    for y in (x[1] + x[2]).splitlines()[-6:]:
                        print(f"# {what}: {y}")
            passed, failed = passed + (not wrong), failed + bool(wrong)
    print(f"1..{n}")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return failed != 0


if __name__ == "__main__":
    raise SystemExit(main())
