"""Parquet: 10 million rows read into batches, and written, beside pyarrow in its own process.

Reading: a checksum over all values must equal pyarrow's before anything is timed; then only the reading is timed, from opened file to
batches, without the start of the processes. "batches" lets each unit (row group x column) go when it is read, as c4w's commands do; "table" keeps
all of them, as pyarrow's read does. Writing: the table is in memory, the file goes to a temporary folder, page CRCs on both sides."""
import re
import statistics
import subprocess
import tempfile
import os


def seconds(text):
    """[(wall, cpu), …] out of 'seconds 0.1 (0.1) …'; 'seconds 0.1' is processor time alone."""
    line = next(x for x in text.splitlines() if x.startswith("seconds"))
    pairs = re.findall(r"([0-9.]+) \(([0-9.]+)\)", line)
    return [(float(w), float(c)) for w, c in pairs] or [(float(line.split()[1]), float(line.split()[1]))]


def sums(text):
    return next((x for x in text.splitlines() if x.startswith("sums")), None)


def call(argv):
    done = subprocess.run([str(a) for a in argv], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{argv[:2]}: {done.stderr.strip()[-300:]}")
    return done.stdout


def add(b, work, taken, base, target):
    """Rows of the table: ratios are of wall time; the cpu column tells more when the machine is busy."""
    row = {"work": work, "note": "", "commands": {}}
    for label, runs in taken.items():
        wall = statistics.median(w for w, _ in runs)
        against = base(label)
        ratio = wall / statistics.median(w for w, _ in taken[against]) if against else None
        row["commands"][label] = {"wall": wall, "user": statistics.median(c for _, c in runs), "sys": 0.0, "peak": 0, "runs": [w for w, _ in runs],
                                  "ratio": ratio, "target": target(label), "peak_target": None, "seconds_target": None}
    b.rows.append(row)
    b.show(row)


def run(b):
    tool = b.top / "build/plain/tests/tools/pq_tool"
    subprocess.run(["make", "-s", "-C", str(b.top), str(tool.relative_to(b.top))], check=True)
    judge = b.top / "tests/tools/parquet_judge.py"
    folder = b.data("parquet", "make_parquet.py")
    runs = str(b.runs)
    files = ("numbers-none", "numbers-snappy", "numbers-zstd", "strings", "lists")
    for name in files:
        path = os.path.join(folder, name + ".parquet")
        theirs = {t: call([b.python(), judge, "read", path, t, runs]) for t in (1, 2)}
        ours = {}
        for jobs in (1, 2):
            ours[f"batches -j{jobs}"] = call([tool, "bench", "--jobs", jobs, "--runs", runs, path])
            ours[f"table -j{jobs}"] = call([tool, "bench", "--jobs", jobs, "--runs", runs, "--hold", path])
        want = sums(theirs[1])
        if any(sums(x) != want for x in ours.values()):
            print(f"{name}: the checksums differ, nothing is timed")
            b.over += 1
            continue
        taken = {k: seconds(v) for k, v in ours.items()}
        taken |= {f"pyarrow {t}": seconds(v) for t, v in theirs.items()}
        add(b, f"read {name}", taken, lambda k: None if k.startswith("pyarrow") else "pyarrow " + k[-1], lambda k: 1.0 if k.startswith("batches") else None)
    for name, codec, number in (("numbers-none", "none", 0), ("numbers-snappy", "snappy", 1), ("numbers-zstd", "zstd", 6), ("strings", "snappy", 1),
                                ("lists", "snappy", 1)):
        path = os.path.join(folder, name + ".parquet")
        with tempfile.TemporaryDirectory(dir=b.scratch.name) as tmp:
            copy = os.path.join(tmp, "w.parquet")
            ours = [seconds(call([tool, "copy", "--codec", number, path, copy]))[0] for _ in range(b.runs)]
            first, second = (sums(call([tool, "bench", "--runs", 0, p])) for p in (path, copy))
            if first != second:
                print(f"write {name}: what was written is another table")
                b.over += 1
                continue
        theirs = seconds(call([b.python(), judge, "write", path, codec, runs]))
        # processor time on both sides: the tool's clock stops while it reads its input
        add(b, f"write {name} (processor time)", {"c4w": ours, "pyarrow": [(c, c) for _, c in theirs]}, lambda k: "pyarrow" if k == "c4w" else None,
            lambda k: 1.2 if k == "c4w" else None)
