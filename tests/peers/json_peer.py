#!/usr/bin/env python3
"""JSON and float text against Python's json module: the suite's files and random documents, every layout. Prints TAP.
Needs build/$BUILD/tests/unit/test_json (make units)."""
import json
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile

top = pathlib.Path(__file__).resolve().parents[2]
tool = top / "build" / os.environ.get("BUILD", "plain") / "tests/unit/test_json"
STRICT, PYTHON = 0, 2 | 4 | 8
count = failed = 0


def result(good, name, *notes):
    global count, failed
    count += 1
    failed += not good
    print(f"{'' if good else 'not '}ok {count} - {name}")
    for n in notes if not good else ():
        print("#", str(n)[:300])


def ours(paths, flags, indent, sort, ascii_):
    out = b""
    for at in range(0, len(paths), 500):
        part = [str(p) for p in paths[at:at + 500]]
        out += subprocess.run([tool, "dump", str(flags), str(indent), str(int(sort)), str(int(ascii_)), *part], check=True,
                              stdout=subprocess.PIPE).stdout
    return out.split(b"\0")[:-1]


def theirs(text, indent, sort, ascii_):
    s = json.dumps(json.loads(text), sort_keys=sort, ensure_ascii=ascii_, indent=indent or None,
                   separators=None if indent else (",", ":"))
    # Python leaves half a surrogate pair as it is, which no UTF-8 file can hold; ours escapes it.
    return re.sub("[\ud800-\udfff]", lambda m: "\\u%04x" % ord(m[0]), s).encode()


LAYOUTS = [(0, True, False), (0, False, True), (1, False, True), (2, True, True), (2, False, False)]


def compare(name, paths, flags):
    texts = [p.read_bytes().decode("utf-8") for p in paths]
    for indent, sort, ascii_ in LAYOUTS:
        bad = [(p.name, got, want) for p, t, got in zip(paths, texts, ours(paths, flags, indent, sort, ascii_))
               for want in [theirs(t, indent, sort, ascii_)] if got != want]
        result(not bad, f"{name}: {len(paths)} documents, indent {indent}, sort {sort}, ascii {ascii_}", *bad[:3])


suite = sorted((top / "tests/data/JSONTestSuite").glob("y_*.json"))
compare("JSONTestSuite y_", [p for p in suite if "duplicated_key" not in p.name], STRICT)
compare("JSONTestSuite y_, the Python dialect", suite, PYTHON)


def python_accepts(data):
    try:
        json.loads(data.decode("utf-8"))
        return True
    except (ValueError, RecursionError):
        return False


for kind in "ni":
    paths = sorted((top / "tests/data/JSONTestSuite").glob(kind + "_*.json"))
    got = ours(paths, PYTHON, 0, False, True)
    bad = [(p.name, g) for p, g in zip(paths, got)
           if (g[:1] != b"!") != python_accepts(p.read_bytes()) and g != b"!limit" and g != b"!json.depth"]
    result(not bad, f"JSONTestSuite {kind}_: the Python dialect accepts what Python accepts ({len(paths)} documents)", *bad[:5])

rng = random.Random(1)


def text():
    pool = "abcxyz019 _-\"\\/\b\f\n\r\t\x00\x1f\x7f\x80éß€\u2028\ufeff\uffff😀\U0010ffff"
    return "".join(rng.choice(pool) for _ in range(rng.choice([0, 1, 3, 8, 20, 60])))


def number():
    k = rng.randrange(6)
    if k == 0:
        return rng.randrange(-1000, 1000)
    if k == 1:
        return rng.randrange(-10 ** 30, 10 ** 30)
    if k == 2:
        return round(rng.uniform(-1000, 1000), rng.randrange(6))
    if k == 3:
        return rng.choice([0.0, -0.0, 1e16, 1e-5, 5e-324, 1.7976931348623157e308, 1e22, 1e23, 0.1, 123456789012345.6])
    while True:
        v = struct.unpack("d", rng.randbytes(8))[0]
        if v == v and abs(v) != float("inf"):
            return v


def value(depth=0):
    k = rng.randrange(8 if depth < 5 else 5)
    if k < 2:
        return number()
    if k < 4:
        return text()
    if k == 4:
        return rng.choice([True, False, None])
    if k == 5:
        return [value(depth + 1) for _ in range(rng.randrange(6))]
    return {text(): value(depth + 1) for _ in range(rng.choice([0, 1, 4, 9, 90] if depth < 2 else [0, 1, 3]))}


with tempfile.TemporaryDirectory() as folder:
    paths = []
    for i in range(400):
        p = pathlib.Path(folder, f"{i}.json")
        p.write_text(json.dumps(value(), ensure_ascii=bool(i % 2), indent=i % 4 or None), encoding="utf-8", newline="")
        paths.append(p)
    compare("random documents", paths, STRICT)
    p = pathlib.Path(folder, "floats.json")
    p.write_text(json.dumps([number() for _ in range(200000)]))
    compare("random numbers", [p], STRICT)
    p.write_text("[" + ",".join(f"{rng.randrange(10 ** rng.randrange(1, 30))}.{rng.randrange(10 ** 12)}e{rng.randrange(-330, 300)}"
                                for _ in range(100000)) + "]")
    compare("random decimal texts", [p], PYTHON)
    p.write_text('{"a":1,"b":[NaN,Infinity,-Infinity],"a":{"x":"\\ud800","x":2,"\\u0078":"\\udc00\\ud800"},"c":1e999,"b":3}')
    compare("NaN, repeated keys, lone surrogates", [p], PYTHON)

print(f"1..{count}")
sys.exit(failed != 0)
