"""decode-passage under faults: a tensor of 17 MB that is written in pieces, between small ones."""
import pathlib
import subprocess
import tempfile

from crash import BUILD, Crash

with tempfile.TemporaryDirectory() as folder:
    root = pathlib.Path(folder) / "tree"
    for index, r in enumerate((64, 1200, 64)):
        blob = root / f"{r}/train/tensors/N045/E062/{index:010d}.npy.zst"
        blob.parent.mkdir(parents=True, exist_ok=True)
        cells = (b"\0\0\0\x3f" + b"\0\0\x80\xbf" + bytes(4)) * (r * r)
        done = subprocess.run(["zstd", "-q", f"--stream-size={len(cells)}"], input=cells, stdout=subprocess.PIPE, check=True)
        blob.write_bytes(done.stdout)
    for jobs, most in ((1, 10), (2, 4)):
        run = [BUILD / "c4w", "decode-passage", root, "-o", "{dest}", f"-j{jobs}"]
        Crash(f"decode-passage, {jobs} threads", run, finish=[*run, "--skip-existing"], most=most, varies=jobs > 1).run()
Crash.done()
