"""usage: containers.py PROBE [SEED]"""
import binascii
import io
import os
import random
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import warnings
import zipfile

warnings.simplefilter("ignore")
probe = os.path.abspath(sys.argv[1])
rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 7)
room = tempfile.mkdtemp()
checks = bad = 0


def ask(kind, path):
    p = subprocess.run([probe, kind, path], stdout=subprocess.PIPE)
    return p.returncode, p.stdout.decode("utf-8", "surrogateescape").splitlines()


def check(cond, what, *more):
    global checks, bad
    checks += 1
    if not cond:
        bad += 1
        print("not ok", what, *more)


def crc(b):
    return f"{binascii.crc32(b):08x}"


def content():
    kind = rng.random()
    n = rng.choice([0, 1, 10, 1000, 70000, 1500000])
    if kind < 0.5:
        return (b"words and words " * (n // 16 + 1))[:n]
    return rng.randbytes(n)


def escape(name):
    """As c4w shows names: control bytes, backslash, bytes that are not UTF-8."""
    out = ""
    for c in name:
        if c in "\n\t\r\\":
            out += {"\n": "\\n", "\t": "\\t", "\r": "\\r", "\\": "\\\\"}[c]
        elif ord(c) < 32 or ord(c) == 127:
            out += f"\\x{ord(c):02X}"
        elif 0xDC80 <= ord(c) <= 0xDCFF:
            out += f"\\x{ord(c) - 0xDC00:02X}"
        else:
            out += c
    return out


# ---- ZIP ----
class Pipe(io.RawIOBase):
    def __init__(self, f):
        self.f = f

    def writable(self):
        return True

    def write(self, p):
        return self.f.write(p)


def zip_case(i):
    path = os.path.join(room, f"{i}.zip")
    f = open(path, "wb")
    if rng.random() < 0.2:
        f.write(b"#!/bin/sh\n" * rng.randint(1, 50))
    target = Pipe(f) if rng.random() < 0.3 else f
    with zipfile.ZipFile(target, "w") as z:
        for k in range(rng.choice([0, 1, 3, 20])):
            info = zipfile.ZipInfo(rng.choice(["", "d/", "d/e/", "caf\u00e9/", "\u5bcc"]) + f"n{k}" + rng.choice(["", ".npy", " x", "/"]))
            info.compress_type = rng.choice([0, 8, 8, 12, 14])
            data = b"" if info.filename.endswith("/") else content()
            with z.open(info, "w", force_zip64=rng.random() < 0.3) as out:
                out.write(data)
        if rng.random() < 0.3:
            z.comment = rng.randbytes(rng.choice([1, 30, 2000, 65535]))
    f.close()
    code, lines = ask("zip", path)
    check(code == 0, "zip verifies", path, lines[-3:])
    with zipfile.ZipFile(path) as z:
        check(len(lines) == len(z.infolist()), "number of entries", len(lines), len(z.infolist()))
        for line, info in zip(lines, z.infolist()):
            want = f"{info.compress_type} {info.compress_size} {info.file_size} {crc(z.read(info))} ok {escape(info.filename)}"
            check(line == want, "entry", line, want)
    # a byte changed inside the data of a random archive: whatever Python finds, c4w finds
    raw = bytearray(open(path, "rb").read())
    if len(raw) < 100:
        return
    for _ in range(4):
        at = rng.randrange(len(raw))
        raw[at] ^= 1 << rng.randrange(8)
        with open(path, "wb") as f:
            f.write(raw)
        try:
            with zipfile.ZipFile(path) as z:
                python_bad = z.testzip() is not None
        except Exception:
            python_bad = True
        code, lines = ask("zip", path)
        check(code in (0, 1), "no crash", code, at)
        if python_bad:
            check(code == 1, "damage that Python finds", at, path, lines[-2:])
        raw[at] ^= 0
        if code == 1:
            break


# ---- TAR ----
def tar_case(i):
    src = os.path.join(room, f"t{i}")
    os.makedirs(src)
    long = rng.choice([5, 99, 100, 101, 155, 156, 200])
    files = []
    for k in range(rng.choice([1, 3, 8])):
        d = os.path.join(src, *["d" * rng.randint(1, 60) for _ in range(rng.randint(0, 3))])
        os.makedirs(d, exist_ok=True)
        p = os.path.join(d, f"{k}" + rng.choice(["", " x", "caf\u00e9", "\u5bcc", "n" * long]))
        with open(p, "wb") as f:
            if rng.random() < 0.3:
                for _ in range(rng.choice([1, 3, 40])):
                    f.seek(rng.randrange(3000000))
                    f.write(b"piece")
                if rng.random() < 0.5:
                    f.truncate(4000000)
            else:
                f.write(content())
        os.utime(p, (1600000000.5, 1600000000.25))
        files.append(p)
    os.symlink("x" * rng.choice([3, 100, 101, 300]), os.path.join(src, "sym"))
    os.link(files[0], os.path.join(src, "hard"))
    for fmt in ("v7", "ustar", "gnu", "posix"):
        for sparse in ([], ["--sparse"], ["--sparse", "--sparse-version=0.0"], ["--sparse", "--sparse-version=0.1"]):
            if sparse and (fmt in ("v7", "ustar") or (len(sparse) == 2 and fmt != "posix")):
                continue
            path = os.path.join(room, f"{i}.tar")
            made = subprocess.run(["tar", "--format=" + fmt, *sparse, "--sort=name", "-C", src, "-cf", path, "."], stderr=subprocess.DEVNULL)
            if made.returncode and fmt not in ("v7", "ustar"):
                check(False, "tar itself failed")
            code, lines = ask("tar", path)
            check(code == 0, "tar reads", fmt, sparse, lines[-1:])
            with tarfile.open(path) as t:
                members = t.getmembers()
                check(len(members) == len(lines), "members", fmt, sparse, len(members), len(lines))
                for line, m in zip(lines, members):
                    head, path_shown, link = line.split("|")
                    typ, size, data, sum_, mode, uid, gid, mtime = head.split(" ")
                    # tarfile shows some sparse files (0.1) by the name that old readers are given; GNU tar does not
                    m.name = re.sub("GNUSparseFile\\.[0-9]+/", "", m.name)
                    name = m.name + ("/" if m.isdir() and not m.name.endswith("/") else "")
                    check(path_shown in (escape(name), escape(m.name)), "name", fmt, path_shown, name)
                    check(link == escape(m.linkname), "link", fmt, link, m.linkname)
                    check(int(uid) == m.uid and int(gid) == m.gid and int(mode, 8) == m.mode and int(mtime) == int(m.mtime), "attributes", line)
                    if m.isreg():
                        check(typ == "0" and int(size) == m.size, "size", fmt, sparse, line, m.size)
                        check(sum_ == crc(t.extractfile(m).read()), "content", fmt, sparse, m.name)
                    elif m.islnk():
                        check(typ == "1", "hard link")
                    elif m.issym():
                        check(typ == "2", "symbolic link")
                    else:
                        check(typ == "5", "directory")
    # by Python's writer
    for fmt in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        path = os.path.join(room, f"{i}.tar")
        try:
            with tarfile.open(path, "w", format=fmt, pax_headers={"comment": "x"} if fmt == tarfile.PAX_FORMAT else None) as t:
                t.add(src, arcname="top")
        except ValueError:
            continue
        code, lines = ask("tar", path)
        check(code == 0, "Python's tar reads", fmt, lines[-1:])
        with tarfile.open(path) as t:
            names = [escape(m.name) for m in t.getmembers()]
        check([l.split("|")[1].rstrip("/") for l in lines] == names, "names by Python", fmt)
    shutil.rmtree(src)


# ---- zst ----
def zst_case(i):
    path = os.path.join(room, f"{i}.zst")
    whole, raw, frames = b"", b"", []
    for _ in range(rng.randint(1, 4)):
        if rng.random() < 0.3:
            n = rng.choice([0, 4, 300])
            whole += bytes([0x50 + rng.randrange(16), 0x2A, 0x4D, 0x18]) + n.to_bytes(4, "little") + rng.randbytes(n)
            frames.append("skippable")
            continue
        data = content()
        args = ["-q", "-c", f"-{rng.choice([1, 3, 12])}"] + rng.choice([[], ["--no-check"]])
        if rng.random() < 0.5:
            args.append(f"--stream-size={len(data)}")
        whole += subprocess.run(["zstd", *args], input=data, stdout=subprocess.PIPE, check=True).stdout
        raw += data
        frames.append("frame")
    with open(path, "wb") as f:
        f.write(whole)
    code, lines = ask("zst", path)
    check(code == 0 and lines[-1] == f"content {len(raw)} {crc(raw)}", "zst content", lines)
    check([l.split()[0] for l in lines[:-1]] == frames, "frames", lines, frames)
    check(sum(int(l.split()[2]) for l in lines[:-1]) == len(whole), "frames cover the file")
    for _ in range(3):
        cut = rng.randrange(len(whole))
        with open(path, "wb") as f:
            f.write(whole[:cut])
        peer = subprocess.run(["zstd", "-q", "-t", path], stderr=subprocess.DEVNULL).returncode
        code, lines = ask("zst", path)
        check(code in (0, 1) and (peer == 0 or code == 1), "cut", cut, peer, lines)


for i in range(40):
    zip_case(i)
for i in range(8):
    tar_case(i)
for i in range(40):
    zst_case(i)
shutil.rmtree(room)
print(f"{checks} comparisons, {bad} differences")
sys.exit(bad != 0)
