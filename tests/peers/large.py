"""usage: large.py PROBE"""
import os
import resource
import struct
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

probe = os.path.abspath(sys.argv[1])
GIB = 1 << 30
bad = 0


def ask(kind, path):
    start, before = time.time(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    p = subprocess.Popen([probe, kind, path], stdout=subprocess.PIPE)
    out = p.stdout.read().decode().splitlines()
    _, status, usage = os.wait4(p.pid, 0)
    print(f"{kind}: {time.time() - start:.2f} s, {usage.ru_utime:.2f} s user, {usage.ru_maxrss // 1024} MiB", flush=True)
    return os.waitstatus_to_exitcode(status), out, usage.ru_maxrss // 1024


def check(cond, what, *more):
    global bad
    if not cond:
        bad += 1
        print("not ok", what, *more)


def crc_of_zeros(n):
    """By squaring: CRC-32 of n zero bytes without reading them."""
    import zlib
    def times(m, v):
        r, i = 0, 0
        while v:
            if v & 1:
                r ^= m[i]
            v >>= 1
            i += 1
        return r
    # the register after one zero byte, as a matrix
    table = [zlib.crc32(bytes(1), (1 << i) ^ 0xFFFFFFFF) ^ 0xFFFFFFFF for i in range(32)]
    state, m = 0xFFFFFFFF, table
    while n:
        if n & 1:
            state = times(m, state)
        m = [times(m, x) for x in m]
        n >>= 1
    return state ^ 0xFFFFFFFF


with tempfile.TemporaryDirectory() as room:
    # a stored member of 5 GiB and a small one behind it, as zipfile lays them out
    path = os.path.join(room, "big.zip")
    n = 5 * GIB
    crc = crc_of_zeros(n)
    with open(path, "wb") as f:
        f.write(b"PK\3\4" + struct.pack("<HHHIIIIHH", 45, 0, 0, 0, crc, 0xFFFFFFFF, 0xFFFFFFFF, 3, 20) + b"big" + struct.pack("<HHQQ", 1, 16, n, n))
        f.seek(n, 1)
        second = f.tell()
        f.write(b"PK\3\4" + struct.pack("<HHHIIIIHH", 20, 0, 0, 0, 0xD87F7E0C, 4, 4, 5, 0) + b"small" + b"test")
        cd = f.tell()
        f.write(b"PK\1\2" + struct.pack("<HHHHIIIIHHHHHII", 45, 45, 0, 0, 0, crc, 0xFFFFFFFF, 0xFFFFFFFF, 3, 20, 0, 0, 0, 0, 0) + b"big" + struct.pack("<HHQQ", 1, 16, n, n))
        f.write(b"PK\1\2" + struct.pack("<HHHHIIIIHHHHHII", 45, 45, 0, 0, 0, 0xD87F7E0C, 4, 4, 5, 12, 0, 0, 0, 0, 0xFFFFFFFF) + b"small" + struct.pack("<HHQ", 1, 8, second))
        end = f.tell()
        f.write(b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, 2, 2, end - cd, cd))
        f.write(b"PK\6\7" + struct.pack("<IQI", 0, end, 1))
        f.write(b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 2, 2, end - cd, 0xFFFFFFFF, 0))
    with zipfile.ZipFile(path) as z:
        check(z.read("small") == b"test", "Python reads it")
    code, out, memory = ask("zip", path)
    check(code == 0 and out == [f"0 {n} {n} {crc:08x} ok big", "0 4 4 d87f7e0c ok small"], "5 GiB in a ZIP", out)
    check(memory < 32 or "san" in probe, "memory", memory)

    # 100,000 entries
    path = os.path.join(room, "many.zip")
    with zipfile.ZipFile(path, "w") as z:
        for i in range(100000):
            z.writestr(f"entry/{i}", b"x")
    code, out, memory = ask("zip", path)
    check(code == 0 and len(out) == 100000 and out[-1].endswith("ok entry/99999"), "100,000 entries", out[-1:])

    # members of 9 GiB in a TAR: base-256 and pax sizes
    for fmt in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        path = os.path.join(room, "big.tar")
        with tarfile.open(path, "w", format=fmt) as t:
            info = tarfile.TarInfo("big")
            info.size = 9 * GIB
            t.fileobj.write(info.tobuf(fmt))
            t.fileobj.seek(9 * GIB, 1)
            t.offset = t.fileobj.tell()
            t.addfile(tarfile.TarInfo("behind"))
        p = subprocess.run([probe, "tarlist", path], stdout=subprocess.PIPE, text=True)
        check(p.stdout.splitlines() == [f"{9 * GIB} big", "0 behind"], "9 GiB in a TAR", p.stdout)
print(f"{bad} differences")
sys.exit(bad != 0)
