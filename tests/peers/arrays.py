"""Random arrays, judged by numpy. usage: arrays.py PROBE [COUNT [SEED]]"""
import csv
import io
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import warnings

import numpy as np

warnings.simplefilter("ignore")
probe = os.path.abspath(sys.argv[1])
count = int(sys.argv[2]) if len(sys.argv) > 2 else 500
seed = int(sys.argv[3]) if len(sys.argv) > 3 else 20260714
rng = random.Random(seed)
nprng = np.random.default_rng(seed)
units = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as"]


def scalar_type():
    order = rng.choice("<>")
    k = rng.choice("?iufcSUVMm" "fiu")
    if k == "?":
        return np.dtype("?")
    if k in "iu":
        return np.dtype(order + k + rng.choice("1248"))
    if k == "f":
        return np.dtype(order + "f" + rng.choice(["2", "4", "8", "4", "8", "16"]))
    if k == "c":
        return np.dtype(order + "c" + rng.choice(["8", "16", "32"]))
    if k == "S":
        return np.dtype(f"S{rng.randint(1, 6)}")
    if k == "U":
        return np.dtype(f"{order}U{rng.randint(1, 5)}")
    if k == "V":
        return np.dtype(f"V{rng.randint(1, 5)}")
    unit = rng.choice(units)
    return np.dtype(f"{order}{k}8[{rng.choice(['', '', '7', '25'])}{unit}]")


def names(n):
    pool = ["a", "b", "x y", "caf\xe9", "it's", 'say "hi"', "\u5bcc", "tab\there", "comma,", "back\\slash", "long_name_here", "0"]
    rng.shuffle(pool)
    return pool[:n]


def struct_type(depth=0):
    fields, offset, offsets, formats = names(rng.randint(1, 4)), 0, [], []
    for _ in fields:
        t = struct_type(depth + 1) if depth < 2 and rng.random() < 0.15 else scalar_type()
        if rng.random() < 0.25:
            t = np.dtype((t, tuple(rng.randint(1, 3) for _ in range(rng.randint(1, 2)))))
        if rng.random() < 0.2:
            offset += rng.randint(1, 5)
        offsets.append(offset)
        formats.append(t)
        offset += t.itemsize
    if rng.random() < 0.2:
        offset += rng.randint(1, 5)
    d = {"names": fields, "formats": formats, "offsets": offsets, "itemsize": offset}
    if rng.random() < 0.1:
        d["titles"] = [None] * (len(fields) - 1) + ["A title"]
    return np.dtype(d)


CHARS = "abc ,\"'\n\r\t\\\u00e9\u5bcc\U0001f600\x01\x7f"


def fill_scalar(t, n):
    """n values of a plain dtype, with the awkward ones among them."""
    k = t.kind
    if k == "b":
        return nprng.integers(0, 2, n).astype(t)
    if k in "iu":
        i = np.iinfo(t)
        v = np.frombuffer(nprng.bytes(n * t.itemsize), dtype=t).copy()
        for j in range(n):
            if rng.random() < 0.2:
                v[j] = rng.choice([i.min, i.max, 0, 1])
        return v
    if k == "f" and t.itemsize < 16:
        v = np.frombuffer(nprng.bytes(n * t.itemsize), dtype=t).copy() if rng.random() < 0.5 else nprng.normal(size=n).astype(t)
        v = v.astype(t)
        for j in range(n):
            if rng.random() < 0.2:
                v[j] = rng.choice([0.0, -0.0, math.inf, -math.inf, math.nan, 1.0, 0.1, 65504.0, 6e-8])
        v[np.isnan(v)] = np.nan
        return v
    if k == "f":
        v = (nprng.normal(size=n).astype(np.longdouble) / np.longdouble(3)).astype(t)
        for j in range(n):
            if rng.random() < 0.2:
                v[j] = rng.choice([0.0, -0.0, math.inf, -math.inf, math.nan, 1.0])
        return v
    if k == "c":
        part = np.dtype(t.byteorder.replace("=", "<") + "f" + str(t.itemsize // 2))
        v = np.empty(n, dtype=t)
        v.real, v.imag = fill_scalar(part, n), fill_scalar(part, n)
        return v
    if k == "S":
        return np.array([bytes(rng.choice(b"ab,\"\n\x00\xff\\\t c") for _ in range(rng.randint(0, t.itemsize))) for _ in range(n)], dtype=t)
    if k == "U":
        return np.array(["".join(rng.choice(CHARS) for _ in range(rng.randint(0, t.itemsize // 4))) for _ in range(n)], dtype=t)
    if k == "V":
        return np.frombuffer(nprng.bytes(n * t.itemsize), dtype=t).copy()
    span = {"Y": 5000, "M": 60000, "W": 200000, "D": 2000000}.get(np.datetime_data(t)[0], 2**62 // np.datetime_data(t)[1])
    if np.datetime_data(t)[0] in ("h", "m", "s"):
        span = min(span, 10**10)
    v = np.array([rng.randint(-span, span) for _ in range(n)], dtype="i8").view(t.newbyteorder("<")).astype(t)
    for j in range(n):
        if rng.random() < 0.15:
            v[j] = "NaT"
    return v


def fill(t, n):
    if t.names is None:
        if t.subdtype:
            base, shape = t.subdtype
            return fill(base, n * int(np.prod(shape))).reshape((n, *shape))
        return fill_scalar(t, n)
    v = np.zeros(n, dtype=t)
    for name in t.names:
        f = t.fields[name][0]
        v[name] = fill(f, n)
    return v


def same(a, b):
    """Equal values, NaN and NaT included; bits for floats but NaN's."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.names is not None:
        return all(same(a[n], b[n]) for n in a.dtype.names)
    if a.dtype.char in "gG":  # 16 bytes hold 10 that count
        return bool(np.array_equal(a, b, equal_nan=True))
    return a.tobytes() == b.tobytes()


# ---- what the texts should say ----

class Text(str):
    """A JSON number with a point or an exponent, or NaN, as it was written."""


def loads(line):
    return json.loads(line, parse_float=Text, parse_constant=Text)


def json_equal(got, want, t):
    """got from json, want a numpy scalar or array of dtype t (any rank)."""
    if isinstance(want, np.ndarray) and want.ndim:
        return isinstance(got, list) and len(got) == len(want) and all(json_equal(g, w, t) for g, w in zip(got, want))
    if t.names is not None:
        if list(got) != list(t.names):
            return False
        for n in t.names:
            f = t.fields[n][0]
            base = f.subdtype[0] if f.subdtype else f
            if not json_equal(got[n], want[n], base):
                return False
        return True
    if isinstance(want, np.ndarray):
        want = want[()]
    k = t.kind
    if k == "b":
        return got is bool(want)
    if k in "iu":
        return type(got) is int and got == int(want)
    if k == "f":
        return isinstance(got, Text) and float_equal(got, want, t)
    if k == "c":
        part = np.dtype("f" + str(t.itemsize // 2))
        return float_equal(got[0], want.real, part) and float_equal(got[1], want.imag, part)
    if k == "S":
        return got == bytes(want).rstrip(b"\0").decode("latin1")
    if k == "U":
        return got == str(want)
    if k == "V":
        return got == bytes(want).hex()
    if k == "M":
        return got == str(want)
    return got == ("NaT" if np.isnat(want) else int(want.astype("i8")))


def float_equal(text, want, t):
    got = np.dtype(t.newbyteorder("<")).type(text)
    if np.isnan(want):
        return bool(np.isnan(got))
    return bool(got == want) and np.signbit(got) == np.signbit(want)


def cell_equal(text, want, t):
    k = t.kind
    if k == "b":
        return text == str(bool(want))
    if k in "iu":
        return text == str(int(want))
    if k == "f":
        return float_equal(text, want, t)
    if k == "c":
        if t.itemsize == 32:
            return True  # Python has no complex of that width; JSON lines and NPY look at it
        c = complex(text)
        part = np.dtype("f" + str(t.itemsize // 2))
        return float_equal(repr(c.real), want.real, part) and float_equal(repr(c.imag), want.imag, part)
    if k == "S":
        return text == bytes(want).rstrip(b"\0").decode("latin1")
    if k == "U":
        return text == str(want)
    if k == "V":
        return text == bytes(want).hex()
    if k == "M":
        return text == str(want)
    return text == ("NaT" if np.isnat(want) else str(int(want.astype("i8"))))


def leaves(t, prefix=""):
    """(name, how to get it from an element, dtype) of each column of a struct."""
    for n in t.names:
        f = t.fields[n][0]
        base, shape = f.subdtype if f.subdtype else (f, ())
        name = f"{prefix}.{n}" if prefix else n
        for i in np.ndindex(*shape) if shape else [()]:
            full = name + ("[" + ",".join(map(str, i)) + "]" if shape else "")

            def get(v, n=n, i=i):
                return v[n][i] if i else v[n]
            if base.names is not None:
                for sub, g, bt in leaves(base, full):
                    yield sub, (lambda v, g=g, get=get: g(get(v))), bt
            else:
                yield full, get, base


def rows_expected(a):
    """Header and rows of cells as (want, dtype) or plain text."""
    t = a.dtype
    if t.names is not None:
        cols = list(leaves(t))
        index = a.ndim if a.ndim >= 2 else 0
        header = [f"axis{i}" for i in range(index)] + [c[0] for c in cols]
        rows = [[str(i) for i in ix[:index]] + [(g(a[ix]), bt) for _, g, bt in cols] for ix in np.ndindex(*a.shape)]
        return header, rows
    if a.ndim < 2:
        return ["value"], [[(a[ix], t)] for ix in np.ndindex(*a.shape)]
    index = a.ndim - 1 if a.ndim >= 3 else 0
    header = [f"axis{i}" for i in range(index)] + [str(i) for i in range(a.shape[-1])]
    rows = [[str(i) for i in ix[:index]] + [(x, t) for x in a[ix]] for ix in np.ndindex(*a.shape[:-1])]
    return header, rows


def untsv(cell):
    out, i = "", 0
    while i < len(cell):
        if cell[i] == "\\":
            out += {"t": "\t", "n": "\n", "r": "\r", "0": "\0", "\\": "\\"}[cell[i + 1]]
            i += 2
        else:
            out += cell[i]
            i += 1
    return out


def table_equal(rows, a):
    header, want = rows_expected(a)
    if len(rows) != len(want) + 1:
        return f"{len(rows)} lines, want {len(want) + 1}"
    if rows[0] != header and not (header == [] and rows[0] in ([], [""])):
        return f"header {rows[0]}, want {header}"
    for r, w in zip(rows[1:], want):
        if w == [] and r in ([], [""]):
            continue
        if len(r) != len(w):
            return f"row {r}, want {len(w)} cells"
        for g, x in zip(r, w):
            if not (g == x if isinstance(x, str) else cell_equal(g, *x)):
                return f"cell {g!r}, want {x}"
    return None


def random_slice(shape):
    parts, index = [], []
    for n in shape[:rng.randint(0, len(shape))]:
        if n and rng.random() < 0.2:
            i = rng.randint(-n, n - 1)
            parts.append(str(i))
            index.append(i)
            continue
        a, b, c = (rng.choice([None, rng.randint(-n - 2, n + 2)]) for _ in range(3))
        if c == 0 or rng.random() < 0.5:
            c = None
        text = ("" if a is None else str(a)) + ":" + ("" if b is None else str(b)) + ("" if c is None else ":" + str(c))
        parts.append(text)
        index.append(slice(a, b, c))
    return ",".join(parts), tuple(index)


def with_version(a, version):
    f = io.BytesIO()
    try:
        np.lib.format.write_array(f, a, version=(version, 0))
    except (ValueError, UnicodeEncodeError):
        f = io.BytesIO()
        np.lib.format.write_array(f, a, version=(3, 0))
    return f.getvalue()


def t_has_gaps(t):
    if t.subdtype:
        return t_has_gaps(t.subdtype[0])
    return t.names is not None and (sum(t.fields[n][0].itemsize for n in t.names) != t.itemsize or any(t_has_gaps(t.fields[n][0]) for n in t.names))


def main():
    room = tempfile.mkdtemp()
    jobs, cases, bad = [], [], 0
    for i in range(count):
        t = struct_type() if rng.random() < 0.4 else scalar_type()
        rank = rng.choice([0, 1, 1, 2, 2, 3, 4])
        shape = tuple(rng.choice([0, 1, 2, 3, 5]) if rng.random() < 0.9 else rng.randint(6, 9) for _ in range(rank))
        a = fill(t, int(np.prod(shape))).reshape(shape).astype(t)
        if t.names is not None:
            # astype drops what lies in the gaps: made again in place
            b = np.zeros(shape, dtype=t)
            b[...] = a
            a = b
        if rng.random() < 0.4:
            a = np.asfortranarray(a)
        path = os.path.join(room, f"{i}.npy")
        with open(path, "wb") as f:
            f.write(with_version(a, rng.choice([1, 1, 2, 3])))
        text, index = random_slice(shape)
        columns = None
        if t.names is not None and rng.random() < 0.5 and all(not (set(n) & set(" ,\t\n")) for n in t.names) and not any(len(t.fields[n]) > 2 for n in t.names):
            columns = rng.sample(t.names, rng.randint(1, len(t.names)))
        case = (i, path, a, text, index, columns)
        cases.append(case)
        for form in ("npy", "raw", "csv", "tsv", "jsonl"):
            jobs.append(f"{form} {path} {path}.{form} - -")
        jobs.append(f"npy {path} {path}.slice {text or '-'} {','.join(columns) if columns else '-'}")
        jobs.append(f"jsonl {path} {path}.slice.jsonl {text or '-'} {','.join(columns) if columns else '-'}")
    done = subprocess.run([probe, "batch"], input="\n".join(jobs) + "\n", text=True, stdout=subprocess.PIPE)
    if done.returncode:
        print(done.stdout)
        sys.exit(f"probe ended with {done.returncode}")
    for i, path, a, text, index, columns in cases:
        def read(suffix):
            with open(path + "." + suffix, "rb") as f:
                return f.read()

        def wrong(what, why=""):
            nonlocal bad
            bad += 1
            print(f"not ok {i} {what}: {a.dtype} {a.shape} {'F' if a.flags.fnc else 'C'} {why}")
        f = io.BytesIO()
        np.lib.format.write_array(f, np.ascontiguousarray(a).reshape(a.shape))
        # bytes in a struct's gaps are whatever numpy left there when it copied
        gaps = t_has_gaps(a.dtype)
        if read("npy")[:len(f.getvalue()) - a.nbytes if gaps else None] != f.getvalue()[:-a.nbytes or None if gaps else None]:
            wrong("npy bytes", read("npy")[:128])
        if not same(np.load(path + ".npy"), a):
            wrong("npy values")
        if not gaps and a.dtype.char not in "gG" and read("raw") != np.ascontiguousarray(a).tobytes():
            wrong("raw")
        part = a[index]
        if columns:
            import numpy.lib.recfunctions as rf
            part = rf.repack_fields(part[columns]) if part.ndim else np.array(part)[columns]
            part = rf.repack_fields(part)
        got = np.load(path + ".slice")
        if columns:
            ok = got.shape == part.shape and got.dtype.names == tuple(columns) and all(same(np.asarray(got[c]), np.asarray(part[c])) for c in columns)
        else:
            ok = same(got, np.asarray(part, dtype=a.dtype))  # a scalar by itself is of native order
        if not ok:
            wrong(f"slice {text} columns {columns}", f"{got.dtype} {got.shape}")
        for suffix, x in (("jsonl", a), ("slice.jsonl", np.asarray(got))):
            lines = [loads(l) for l in read(suffix).decode().split("\n")[:-1]]
            want = list(x) if x.ndim else [x]
            if len(lines) != len(want) or not all(json_equal(g, w, x.dtype) for g, w in zip(lines, want)):
                wrong(suffix, read(suffix)[:300])
        why = table_equal(list(csv.reader(io.StringIO(read("csv").decode(), newline=""))), a)
        if why:
            wrong("csv", why)
        rows = [[untsv(c) for c in l.split("\t")] for l in read("tsv").decode().split("\n")[:-1]]
        why = table_equal(rows, a)
        if why:
            wrong("tsv", why)
    print(f"{count} arrays, seed {seed}: {bad} differences")
    subprocess.run(["rm", "-rf", room])
    sys.exit(bad != 0)


main()
