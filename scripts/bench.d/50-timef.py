"""TimeF beside timenet 0.1.0: verify basic, statistics of every series, the summary, on 1 GB of values in both backends. The reference's time is
taken inside one process, its imports not counted, except for the summary, where a whole Python is the peer."""
import statistics
import subprocess

from bench import MIB, Skip


def inner(b, what, data):
    """Runs of the reference, each in a process of its own, timed within."""
    def once():
        r = subprocess.run([b.reference("python"), str(b.top / "tests/tools/time_timef.py"), what, data], capture_output=True, text=True)
        if r.returncode:
            raise Skip(r.stderr.strip().splitlines()[-1])
        return float(r.stdout)
    once()
    return [once() for _ in range(b.runs)]


def against(b, work, ours, what, data, target, peak=None):
    first = b.row(work, ours, peak=peak)
    if not first:
        return
    theirs = inner(b, what, data)
    base = statistics.median(theirs)
    for label, c in first["commands"].items():
        ratio, limit = c["wall"] / base, target[label]
        c["ratio"], c["target"] = ratio, limit
        b.over += ratio > limit
        print(f"  {label:<12} ratio {ratio:.3f}  {'within' if ratio <= limit else 'OVER'} {limit:g}")
    print(f"  timenet      {base:8.4f} s\n    runs " + " ".join(f"{t:.4f}" for t in theirs), flush=True)


def run(b):
    for backend in ("parquet", "zarr"):
        data = b.data(f"timef-{backend}", "make_timef.py", "--backend", backend)
        size = b.bytes_of(data) / 1e6
        against(b, f"verify basic, {backend}, {size:.0f} MB", {f"-j{n}": [b.c4w, "verify", data, "--level", "basic", "-j", n] for n in (1, 2)},
                "verify", data, {"-j1": 0.65, "-j2": 0.35})
        against(b, f"timef-inspect --stats, {backend}, 1 GB of values", {f"-j{n}": [b.c4w, "timef-inspect", data, "--stats", "--json", "-j", n] for n in (1, 2)},
                "stats", data, {"-j1": 0.50, "-j2": 0.28}, {"-j1": 64 * MIB, "-j2": 128 * MIB})
        code = ("import sys; from pathlib import Path; from timenet.registry.version import DatasetVersion; "
                f"v = DatasetVersion.open_local(Path({data!r})); print(v.manifest.counts)")
        b.row(f"timef-inspect summary, {backend}", {"c4w": [b.c4w, "timef-inspect", data]}, [b.reference("python"), "-c", code], theirs_name="python -c",
              target={"c4w": 0.02})
