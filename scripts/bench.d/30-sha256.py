"""SHA-256: one large file beside openssl, a list of 1,000 files beside sha256sum."""
import os
import pathlib


def random_file(path, size, seed):
    import random
    block = random.Random(seed).randbytes(1 << 20)
    with open(path, "wb") as f:
        for at in range(0, size, 1 << 20):
            f.write(block[: min(1 << 20, size - at)])


def same_digest(ours, theirs):
    a, b = ours["out"].split()[0], theirs["out"].split()[-1]
    return None if a == b else f"{a!r}, {b!r}"


def same_list(ours, theirs):
    a, b = (sorted(r["out"].splitlines()) for r in (ours, theirs))
    return None if a == b else f"{len(a)} and {len(b)} lines, first {a[:1]} and {b[:1]}"


def run(b):
    large = b.data_dir / "one-gigabyte"
    if not large.exists():
        random_file(large, 1 << 30, 1)
    folder = b.data_dir / "thousand"
    if not folder.exists():
        part = pathlib.Path(str(folder) + ".part")
        part.mkdir(exist_ok=True)
        for i in range(1000):
            random_file(part / f"{i:04}.bin", 200000 + (i * 7919) % 400000, i)
        part.rename(folder)
    b.row("sha256 of one file of 1 GiB", {"c4w": [b.c4w, "sha256", large]}, [b.have("openssl"), "dgst", "-sha256", "-r", large],
          theirs_name="openssl", same=lambda o, t: None if o["out"].split()[0] == t["out"].split()[0] else "digests differ",
          target={"c4w": 1.1})
    names = sorted(os.listdir(folder))
    sums = pathlib.Path(b.data_dir, "thousand.sums")
    tool = b.have("sha256sum")
    b.row("list of 1,000 files of 400 KB", {f"-j{n}": [b.c4w, "sha256", "-j", n, *names] for n in (1, 2)}, [tool, *names],
          theirs_name="sha256sum", same=same_list, cwd=folder)
    import subprocess
    sums.write_bytes(subprocess.run([tool, *names], cwd=folder, stdout=subprocess.PIPE, check=True).stdout)
    b.row("check that list", {f"-j{n}": [b.c4w, "sha256", "-j", n, "-c", sums] for n in (1, 2)}, [tool, "-c", sums],
          theirs_name="sha256sum", cwd=folder)
