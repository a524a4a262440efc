"""Transforms of Channels4World records. The response is compared computing against computing, each in its own process with the record read
before the clock starts; power and padded are compared as whole runs over the 64 records, reading included on both sides."""
import statistics

RESPONSE = """
import sys, time, numpy as np, channels4world as c, channels4world.transforms as T
s = list(c.open(sys.argv[1]).scenes)[0]
f = list(s.frequencies)[0]
r = list(f.base_stations)[0].read()
off = np.linspace(-5e7, 5e7, 64)
for _ in range(int(sys.argv[2])):
    t = time.perf_counter(); T.frequency_response(r, off); print(time.perf_counter() - t)
"""

MANY = """
import sys, channels4world as c, channels4world.transforms as T
for s in c.open(sys.argv[1]).scenes:
    for f in s.frequencies:
        for b in f.base_stations:
            r = b.read()
            T.path_power_db(r) if sys.argv[2] == "power" else T.pad_paths(r.core, "tau")
"""


def computing(b, big):
    """A row of its own making: the times that the programs print."""
    runs = max(b.runs, 5)
    scene = b.once([b.c4w, "scenes", big, "--json"])["out"].decode()
    scene = scene.split("\"scene_id\": \"")[1].split("\"")[0]
    tool = str(b.top / "build/plain/tests/tools/response_time")
    commands = {f"-j{n}": [tool, big, scene, 3500000000, 0, "-5e7", "5e7", 64, n, 3] for n in (1, 2)}
    commands["reference"] = [b.python(), "-c", RESPONSE, big, 3]
    taken = {k: [] for k in commands}
    peaks = {k: 0 for k in commands}
    for _ in range(runs):
        for k, argv in commands.items():
            r = b.once(argv)
            if r["exit"]:
                print(f"response: {k}: {r['err'].decode()[-300:]}")
                b.over += 1
                return
            taken[k].append(min(map(float, r["out"].split())))
            peaks[k] = max(peaks[k], r["peak"])
    base = statistics.median(taken["reference"])
    row = {"work": "frequency response of one record, 16,384 UEs, 64 offsets: computing alone", "note": "best of 3 in each process",
           "commands": {}}
    for k, v in taken.items():
        wall = statistics.median(v)
        row["commands"][k] = {"wall": wall, "user": wall, "sys": 0, "peak": peaks[k], "runs": v,
                              "ratio": wall / base if k != "reference" else None, "target": {"-j1": 0.25, "-j2": 0.13}.get(k),
                              "peak_target": None, "seconds_target": None}
    b.rows.append(row)
    b.show(row)


def run(b):
    big = b.data("c4w-267", "make_channels4world.py", "--groups", 1, "--scenes", 1, "--bs", 32, "--ues", 16384, "--seed", 7)
    if b.venv:
        computing(b, big)
    for what in ("power", "padded"):
        b.row(f"{what} of 64 records, reading included", {f"-j{n}": [b.c4w, "channel", big, "--what", what, "--format", "npy", "-o", "/dev/null", "-j", n] for n in (1, 2)},
              [b.python(), "-c", MANY, big, what] if b.venv else None, target={"-j1": 0.5, "-j2": 0.5})
