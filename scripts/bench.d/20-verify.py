"""c4w verify on Channels4World roots, beside the reference's verify. The figures of README and issue tracker."""
from bench import MIB


def counts(ours, theirs):
    """Both found everything in order: the reference says so with exit 0, which row() checks; nothing else to compare."""
    return None


def run(b):
    big = b.data("c4w-267", "make_channels4world.py", "--groups", 1, "--scenes", 1, "--bs", 32, "--ues", 16384, "--seed", 7)
    many = b.data("c4w-3250", "make_channels4world.py", "--groups", 1, "--scenes", 25, "--bs", 32, "--ues", 12, "--seed", 3)
    ref = b.reference("c4w") if b.venv else None
    everything = ["--components", "core,detail,positions,geometry"]
    first = None
    for level, target, peak in (("full", (0.40, 0.21), (64 * MIB, 96 * MIB)), ("basic", (0.10, 0.06), (64 * MIB, 96 * MIB))):
        args = ["verify", big, *everything, "--level", level]
        row = b.row(f"verify {level}, one scene of {b.bytes_of(big) / 1e6:.0f} MB, all components",
                    {f"-j{n}": [b.c4w, *args, "-j", n] for n in (1, 2)}, [ref, *args] if ref else None, same=counts,
                    target={"-j1": target[0], "-j2": target[1]}, peak={"-j1": peak[0], "-j2": peak[1]})
        first = first or row
    args = ["verify", many, "--level", "full"]
    b.row("verify full, 3,250 small records behind a snapshot of 8 MB", {f"-j{n}": [b.c4w, *args, "-j", n] for n in (1, 2)},
          [ref, *args] if ref else None, same=counts, target={"-j1": 0.08, "-j2": 0.05}, peak={"-j1": 48 * MIB, "-j2": 48 * MIB})
    # More groups, not a larger one: a group's snapshot is held while its records are read.
    four = b.data("c4w-4x", "make_channels4world.py", "--groups", 4, "--scenes", 1, "--bs", 32, "--ues", 16384, "--seed", 7)
    args = ["verify", four, *everything, "--level", "full"]
    limit = {f"-j{n}": 1.1 * first["commands"][f"-j{n}"]["peak"] for n in (1, 2)} if first else None
    b.row("verify full, four such groups: memory within 10 % of one", {f"-j{n}": [b.c4w, *args, "-j", n] for n in (1, 2)},
          peak=limit, runs=1)
