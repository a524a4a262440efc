"""extract and to-cache under faults: into a new directory, into one that already holds a part, and over files that are wrong."""
import subprocess

from crash import BUILD, TOP, Crash

C4W = BUILD / "c4w"
ROOT = TOP / "tests/data/channels4world/release"
SELECT = ["--split", "test", "--scenes", "urban_scene_019231", "--components", "core,detail,positions,geometry"]
LESS = ["--split", "test", "--scenes", "urban_scene_019231", "--bs", "0", "--components", "core,positions"]


def held(command):
    """What an earlier run with less left, one of its files damaged since."""
    def prepare(dest):
        subprocess.run([C4W, command, ROOT, dest, "-q", "-j1", *LESS], check=True)
        victim = sorted(p for p in dest.rglob("*") if p.suffix in (".npz", ".npy"))[0]
        body = bytearray(victim.read_bytes())
        body[-1] ^= 1
        victim.write_bytes(body)
    return prepare


for name in ("extract", "to-cache"):
    run = [C4W, name, ROOT, "{dest}", "-j1", *SELECT]
    Crash(name, run, finish=[*run, "--skip-existing"], manifest="c4w-root.json", most=40).run()
    Crash(f"{name}, two threads", [*run[:4], "-j2", *SELECT], finish=[*run, "--skip-existing"], manifest="c4w-root.json", most=12, varies=True).run()
Crash("extract to what is there", [C4W, "extract", ROOT, "{dest}", "-j1", "--skip-existing", *SELECT], manifest="c4w-root.json", most=20,
      prepare=held("extract")).run()
Crash.done()
