"""Crash tests: run a command that writes a destination, let each of its calls fail or kill it there, and look.

    from crash import Crash
    Crash("extract", [c4w, "extract", root, "{dest}"], finish=[c4w, "extract", root, "{dest}", "--skip-existing"],
          manifest="c4w-root.json").run()

For every kind of call and every n (at most `most` of them, spread evenly):
- after the fault, the destination has no manifest, or it is whole;
- no file has a name of the finished destination and other bytes than there, nothing else is at such a path;
- a command that was not killed has ended with 3 and one line on standard error, and left no temporary;
- the finishing run ends with 0 and the destination is byte for byte that of an undisturbed run.
Prints TAP; needs build/$BUILD/tests/io/faultlib.so (make tools)."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = TOP / "build" / os.environ.get("BUILD", "plain")
LIBRARY = BUILD / "tests/io/faultlib.so"
KILLS = [("any", "kill"), ("write", "half"), ("write", "after"), ("rename", "after"), ("sync", "after"), ("open", "after"), ("mkdir", "after")]
ERRORS = [("write", "EIO"), ("write", "ENOSPC"), ("reserve", "ENOSPC"), ("rename", "EIO"), ("sync", "EIO"), ("open", "EACCES"),
          ("close", "EIO"), ("mkdir", "ENOSPC")]
HARMLESS = [("write", "short"), ("write", "EINTR"), ("reserve", "EINTR")]


def tree(folder):
    folder = pathlib.Path(folder)
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file() and not p.is_symlink()}


class Crash:
    count = failed = 0

    def __init__(self, name, command, finish=None, manifest="manifest", most=60, prepare=None, equal=None, varies=False):
        """`{dest}` in a command stands for the destination. prepare(dest): makes what is there before the run. equal(rel, a, b): are two
        contents the same, when not byte for byte? `varies`: the number of calls does, as threads meet: a run may end before its n-th when n is
        among the last fifth."""
        self.name, self.command, self.finish = name, command, finish or command
        self.manifest, self.most, self.prepare = manifest, most, prepare
        self.equal, self.varies = equal or (lambda rel, a, b: a == b), varies
        self.folder = tempfile.TemporaryDirectory()

    def result(self, good, what, *notes):
        Crash.count += 1
        Crash.failed += not good
        print(f"{'' if good else 'not '}ok {Crash.count} - {self.name}: {what}")
        for n in notes if not good else ():
            print("#", n)

    def call(self, command, dest, fault=None, counts=None):
        env = dict(os.environ)
        if fault or counts:
            env["LD_PRELOAD"] = str(LIBRARY)
            env["C4W_FAULT_UNDER"] = str(dest)
            if fault:
                env["C4W_FAULT"] = fault
            if counts:
                env["C4W_FAULT_COUNTS"] = str(counts)
        argv = [str(a).replace("{dest}", str(dest)) for a in command]
        return subprocess.run(argv, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)

    def fresh(self, name):
        dest = pathlib.Path(self.folder.name) / name
        shutil.rmtree(dest, ignore_errors=True)
        if self.prepare:
            self.prepare(dest)
        return dest

    def differs(self, got):
        return [rel for rel in sorted(set(got) | set(self.want))
                if rel not in got or rel not in self.want or not self.equal(rel, got[rel], self.want[rel])]

    def one(self, kind, n, action, total):
        """None, or what was wrong."""
        dest = self.fresh("dest")
        before = tree(dest) if dest.exists() else {}
        done = self.call(self.command, dest, f"{kind}:{n}:{action}")
        got = tree(dest) if dest.exists() else {}
        killed = done.returncode == -9
        said = done.stderr.decode(errors="replace").strip()
        if action in ("kill", "after", "half"):
            if not killed and not (self.varies and n > 0.8 * total and done.returncode == 0 and not self.differs(got)):
                return f"not killed, ended with {done.returncode}: {said}"
        elif (kind, action) in HARMLESS:
            if done.returncode != 0:
                return f"ended with {done.returncode}: {said}"
        elif killed or done.returncode == 0 and self.differs(got):
            return f"ended with {done.returncode}, and the destination is not right: {self.differs(got)[:3]}"
        elif done.returncode not in (0, 3):
            return f"ended with {done.returncode}: {said}"
        elif done.returncode and not said:
            return "failed without a word"
        if self.manifest in got and self.manifest not in before and self.differs({k: v for k, v in got.items() if ".c4w-part/" not in k}):
            return f"has its manifest but lacks {self.differs(got)[:3]}"
        if not killed and any(".c4w-part" in k for k in got):
            return f"left {[k for k in got if '.c4w-part' in k][:3]}"
        half = [k for k, v in got.items() if ".c4w-part/" not in k and before.get(k) != v and
                not (k in self.want and self.equal(k, v, self.want[k]))]
        if half:
            return f"has half-written {half[:3]}"
        done = self.call(self.finish, dest)
        if done.returncode != 0:
            return f"the finishing run ended with {done.returncode}: {done.stderr.decode(errors='replace').strip()}"
        differs = self.differs(tree(dest))
        return f"finished, {differs[:3]} differ" if differs else None

    def run(self):
        counts_file = pathlib.Path(self.folder.name) / "counts"
        dest = self.fresh("dest")
        done = self.call(self.command, dest, counts=counts_file)
        self.result(done.returncode == 0, "undisturbed", done.stderr.decode(errors="replace"))
        if done.returncode != 0:
            return
        self.want = tree(dest)
        counts = dict((k, int(v)) for k, v in (line.split() for line in counts_file.read_text().splitlines()))
        for kind, action in KILLS + ERRORS + HARMLESS:
            total = counts[kind]
            steps = range(1, total + 1) if total <= self.most else sorted({1 + round(i * (total - 1) / (self.most - 1)) for i in range(self.most)})
            wrong = [(n, w) for n in steps for w in [self.one(kind, n, action, total)] if w]
            self.result(not wrong, f"{action} at the n-th {kind}, {len(steps)} of {total}", *(f"n = {n}: {w}" for n, w in wrong[:5]))
        self.folder.cleanup()

    @staticmethod
    def done():
        print(f"1..{Crash.count}")
        sys.exit(Crash.failed != 0)
