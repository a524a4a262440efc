"""c4w extract, to-cache and missing beside the reference's, and cp of the same bytes beside extract."""
import filecmp
import pathlib
import shutil

from bench import MIB

ALL = ["--components", "core,detail,positions,geometry"]


def tree(root):
    root = pathlib.Path(root)
    return {str(p.relative_to(root)): p for p in root.rglob("*") if p.is_file()}


def same_root(a, b):
    """None when two derived roots hold the same files and bytes; tables and manifest name their writer and are left out."""
    x, y = tree(a), tree(b)
    if set(x) != set(y):
        return f"files differ: {sorted(set(x) ^ set(y))[:3]}"
    for rel in x:
        if not rel.startswith("c4w-root") and not filecmp.cmp(x[rel], y[rel], shallow=False):
            return rel
    return None


def writing(b, work, command, theirs, source, jobs=(1, 2), copy=False, **kw):
    """A row of commands that write; each has a destination of its own, removed before each run."""
    dest = {k: b.fresh(f"{command}-{k}") for k in [f"-j{n}" for n in jobs] + ["cp", "reference"]}

    def before(label):
        shutil.rmtree(dest[label], ignore_errors=True)

    ours = {f"-j{n}": [b.c4w, command, source, dest[f"-j{n}"], *ALL, "-q", "-j", n] for n in jobs}
    ref = [theirs, "cache" if command == "to-cache" else command, source, dest["reference"], *ALL, "-y"] if theirs else None
    if copy:
        ours["cp"] = ["cp", "-r", dest[f"-j{jobs[0]}"], dest["cp"]]
    checked = []

    def same(_, __):
        checked.append(1)
        return same_root(dest[f"-j{jobs[0]}"], dest["reference"]) if len(checked) == 1 else None

    row = b.row(work, ours, ref, same=same if ref else None, before=before, **kw)
    for d in dest.values():
        shutil.rmtree(d, ignore_errors=True)
    return row


def run(b):
    big = b.data("c4w-267", "make_channels4world.py", "--groups", 1, "--scenes", 1, "--bs", 32, "--ues", 16384, "--seed", 7)
    four = b.data("c4w-4x", "make_channels4world.py", "--groups", 4, "--scenes", 1, "--bs", 32, "--ues", 16384, "--seed", 7)
    many = b.data("c4w-3250", "make_channels4world.py", "--groups", 1, "--scenes", 25, "--bs", 32, "--ues", 12, "--seed", 3)
    catalog = b.data("c4w-catalog", "make_channels4world_catalog.py")
    ref = b.reference("c4w") if b.venv else None
    size = b.bytes_of(big) / 1e6
    limit = {"-j1": 128 * MIB, "-j2": 128 * MIB}
    first = writing(b, f"extract basic, one scene of {size:.0f} MB, all components", "extract", ref, big, copy=True, target={"-j2": 0.40},
                    peak=limit)
    cache = writing(b, "to-cache basic of the same", "to-cache", ref, big, target={"-j2": 0.35}, peak=limit)
    for command, row in (("extract", first), ("to-cache", cache)):
        if row:
            writing(b, f"{command} of four such scenes: memory within 10 % of one", command, None, four, jobs=(2,), runs=1,
                    peak={"-j2": 1.1 * row["commands"]["-j2"]["peak"]})

    def same_text(ours, theirs):
        """The paths, the count and the bytes; the command for a long list differs by intent."""
        x, y = (r["out"].split(b"\nDownload")[0] for r in (ours, theirs))
        return None if x == y else f"{x[:200]} / {y[:200]}"

    b.row("missing on the catalog of 100,000 scenes", {"c4w": [b.c4w, "missing", catalog]}, [ref, "missing", catalog] if ref else None, exit=1,
          same=same_text, target={"c4w": 0.06})
    b.row("missing, 25 scenes behind a snapshot of 8 MB", {"c4w": [b.c4w, "missing", many, *ALL]}, [ref, "missing", many, *ALL] if ref else None,
          same=same_text, target={"c4w": 0.10})
