#!/usr/bin/env python3
"""Random Parquet files: written by pyarrow and read by c4w, written by c4w's writer and read by pyarrow, duckdb and polars.

    parquet_roundtrip.py PQ_TOOL [--files N] [--seed S] [--keep DIR]

PQ_TOOL is build/plain/tests/tools/pq_tool. Every file has a random schema (nested up to three deep, every type), random null pattern,
encodings, codec, page version and page size; every twentieth is a larger one of which parts are read. Ends with 'N files, N failed, seed S'. A failing file is kept when --keep is given.
"""
import argparse
import datetime as dt
import decimal
import json
import math
import os
import random
import string
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

try:
    import duckdb
except ImportError:
    duckdb = None
try:
    import polars
except ImportError:
    polars = None

EPOCH = dt.datetime(1970, 1, 1)
LEAVES = [
    pa.bool_(), pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64(),
    pa.float16(), pa.float32(), pa.float64(), pa.string(), pa.large_string(), pa.binary(), pa.binary(1), pa.binary(3), pa.binary(16),
    pa.decimal128(5, 2), pa.decimal128(18, 0), pa.decimal128(38, 10), pa.decimal256(60, 7), pa.date32(),
    pa.time32("ms"), pa.time64("us"), pa.time64("ns"), pa.timestamp("ms"), pa.timestamp("us"), pa.timestamp("ns"),
    pa.timestamp("us", "UTC"), pa.timestamp("ms", "UTC"), pa.timestamp("ns", "UTC"), pa.dictionary(pa.int32(), pa.string()), pa.null(),
]


def random_type(r, depth):
    k = r.random()
    if depth > 0 and k < 0.18:
        return pa.list_(pa.field("element", random_type(r, depth - 1), r.random() < 0.7))
    if depth > 0 and k < 0.30:
        return pa.struct([pa.field(f"f{i}", random_type(r, depth - 1), r.random() < 0.7) for i in range(r.randint(1, 3))])
    if depth > 0 and k < 0.36:
        key = r.choice([pa.string(), pa.int32(), pa.int64()])
        return pa.map_(key, pa.field("value", random_type(r, depth - 1), r.random() < 0.7))
    if depth > 0 and k < 0.39:
        t = r.choice([pa.int32(), pa.float32(), pa.string()])
        return pa.list_(pa.field("element", t, True), r.randint(1, 4))
    t = r.choice(LEAVES)
    return t if depth == 3 or t != pa.null() else pa.int32()


def text(r, style):
    n = r.choice([0, 1, 3, 8, 15, 16, 17, 40]) if style else r.randint(0, 5)
    return "".join(r.choice(string.ascii_letters + "é漢\"\\\n\t,") for _ in range(n))


def leaf_value(r, t, style):
    """style 0: few distinct values; 1: anything; 2: few, and more and more that are new, so that dictionaries fill up."""
    small = style == 0 or (style == 2 and r.random() < 0.85)
    if pa.types.is_dictionary(t):
        t = t.value_type
    if pa.types.is_null(t):
        return None
    if pa.types.is_boolean(t):
        return r.random() < 0.5
    if pa.types.is_integer(t):
        signed = pa.types.is_signed_integer(t)
        lo, hi = (-(1 << (t.bit_width - 1)), (1 << (t.bit_width - 1)) - 1) if signed else (0, (1 << t.bit_width) - 1)
        if small:
            return r.randint(0, 5)
        return r.choice([lo, hi, r.randint(lo, hi), r.randint(max(lo, -100), 100)])
    if pa.types.is_float16(t):
        import numpy as np
        return np.float16(r.choice([0.0, -0.0, 1.5, 65504, float("inf"), float("nan"), r.uniform(-100, 100), 6e-8]))
    if pa.types.is_floating(t):
        if small:
            return float(r.randint(0, 4)) / 2
        v = r.choice([0.0, -0.0, float("inf"), float("-inf"), float("nan"), r.uniform(-1, 1), r.gauss(0, 1e30), 1e-40])
        return struct.unpack("<f", struct.pack("<f", v))[0] if pa.types.is_float32(t) else v
    if pa.types.is_string(t) or pa.types.is_large_string(t):
        return r.choice(["a", "bb", "ccc", ""]) if small else text(r, 1)
    if pa.types.is_fixed_size_binary(t):
        return bytes(r.randrange(2 if small else 256) for _ in range(t.byte_width))
    if pa.types.is_binary(t):
        return r.choice([b"", b"x", b"\0\1"]) if small else bytes(r.randrange(256) for _ in range(r.randint(0, 20)))
    if pa.types.is_decimal(t):
        v = r.randint(0, 5) if small else r.randint(-(10 ** t.precision) + 1, 10 ** t.precision - 1)
        with decimal.localcontext() as ctx:
            ctx.prec = 80
            return decimal.Decimal(v).scaleb(-t.scale)
    if pa.types.is_date(t):
        return dt.date(1970, 1, 1) + dt.timedelta(days=r.randint(0, 3) if small else r.randint(-700000, 2900000))
    if pa.types.is_time(t):
        unit = {"ms": 1000, "us": 10**6, "ns": 10**6}[t.unit]
        v = r.choice([0, 1, 86400 * unit - 1, r.randrange(86400 * unit)])
        v = v * (10**6 // unit)
        return (dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=v)).time()
    if pa.types.is_timestamp(t):
        scale = {"ms": 10**3, "us": 10**6, "ns": 10**9}[t.unit]
        lim = 9 * 10**9 if t.unit == "ns" else 2 * 10**11
        return r.randint(0, 3) if small else r.randint(-(9 * 10**9 if t.unit == "ns" else 6 * 10**10), lim) * scale + r.randrange(scale)
    raise AssertionError(t)


def value(r, t, nullable, p_null, style):
    if nullable and r.random() < p_null:
        return None
    if pa.types.is_map(t):
        n = r.choice([0, 1, 2, 5])
        keys = []
        for _ in range(n):
            k = leaf_value(r, t.key_type, 1)
            if k not in keys:
                keys.append(k)
        return [(k, value(r, t.item_type, t.item_field.nullable, p_null, style)) for k in keys]
    if pa.types.is_fixed_size_list(t):
        return [value(r, t.value_type, t.value_field.nullable, p_null, style) for _ in range(t.list_size)]
    if pa.types.is_list(t):
        n = r.choice([0, 1, 1, 2, 3, 12])
        return [value(r, t.value_type, t.value_field.nullable, p_null, style) for _ in range(n)]
    if pa.types.is_struct(t):
        return {f.name: value(r, f.type, f.nullable, p_null, style) for f in t}
    return leaf_value(r, t, style)


def random_table(r):
    rows = r.choice([0, 1, 2, 7, 8, 9, 33, 100, 257, 1000, 3000])
    fields, cols = [], []
    for i in range(r.randint(1, 6)):
        nullable = r.random() < 0.75
        t = random_type(r, r.choice([0, 0, 1, 2, 3]))
        if pa.types.is_null(t):
            nullable = True
        p_null = r.choice([0, 0.02, 0.3, 0.9, 1.0])
        style = r.choice([0, 0, 1, 1, 2])
        run = r.choice([1, 1, 50])
        vals = []
        while len(vals) < rows:
            vals += [value(r, t, nullable, p_null, style)] * (run if run == 1 else r.randint(1, run))
        cols.append(pa.array(vals[:rows], t))
        fields.append(pa.field(f"c{i}" if r.random() < 0.9 else f"dot.{i}", t, nullable))
    return pa.Table.from_arrays(cols, schema=pa.schema(fields))


def leaves(prefix, t):
    if pa.types.is_struct(t):
        return [x for f in t for x in leaves(prefix + "." + f.name, f.type)]
    if pa.types.is_map(t):
        return leaves(prefix + ".key_value.key", t.key_type) + leaves(prefix + ".key_value.value", t.item_type)
    if pa.types.is_list(t) or pa.types.is_fixed_size_list(t):
        return leaves(prefix + ".list.element", t.value_type)
    return [(prefix, t)]


def encodings(t):
    if pa.types.is_dictionary(t):
        t = t.value_type
    e = ["PLAIN"]
    if pa.types.is_boolean(t):
        return ["PLAIN", "RLE"]
    if pa.types.is_integer(t) or pa.types.is_date(t) or pa.types.is_time(t) or pa.types.is_timestamp(t):
        e += ["DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"]
    elif pa.types.is_float32(t) or pa.types.is_float64(t) or pa.types.is_float16(t):
        e += ["BYTE_STREAM_SPLIT"]
    elif pa.types.is_string(t) or pa.types.is_large_string(t) or (pa.types.is_binary(t) and not pa.types.is_fixed_size_binary(t)):
        e += ["DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY"]
    elif pa.types.is_fixed_size_binary(t):
        e += ["BYTE_STREAM_SPLIT", "DELTA_BYTE_ARRAY"]
    elif pa.types.is_decimal(t):
        e += ["BYTE_STREAM_SPLIT"] if t.precision > 0 else []
    return e


def write(r, table, path):
    dictionary = r.random() < 0.5
    kw = dict(compression=r.choice(["none", "snappy", "gzip", "zstd", "lz4", "brotli"]), data_page_version=r.choice(["1.0", "2.0"]),
              data_page_size=r.choice([64, 512, 4096, 1 << 20]), row_group_size=r.choice([10, 100, 1 << 20]) if table.num_rows < 500 else r.choice([700, 1 << 20]),
              write_page_checksum=r.random() < 0.5, write_page_index=r.random() < 0.5, store_schema=r.random() < 0.7,
              write_batch_size=r.choice([1, 7, 64, 1024]), use_compliant_nested_type=r.random() < 0.8,
              version=r.choice(["1.0", "2.4", "2.6"]), store_decimal_as_integer=r.random() < 0.3,
              max_rows_per_page=r.choice([3, 100, 20000]))
    blooms = [n for f in table.schema for n, t in leaves(f.name, f.type) if not pa.types.is_boolean(t) and not pa.types.is_null(t) and r.random() < 0.3]
    if blooms:
        kw.update(bloom_filter_options={n: {"ndv": r.choice([1, 100, 5000])} for n in blooms})
    if dictionary:
        kw.update(use_dictionary=True, dictionary_pagesize_limit=r.choice([32, 1024, 1 << 20]))
    else:
        enc = {}
        for f in table.schema:
            for name, t in leaves(f.name, f.type):
                enc[name] = r.choice(encodings(t))
        kw.update(use_dictionary=False, column_encoding=enc)
        if not kw["use_compliant_nested_type"]:
            kw["use_compliant_nested_type"] = True
    try:
        pq.write_table(table, path, **kw)
    except Exception as e:  # noqa: BLE001 - some combinations pyarrow itself refuses (encoding and type, version and unit)
        kw.pop("column_encoding", None)
        kw.pop("bloom_filter_options", None)
        kw.update(version="2.6", store_decimal_as_integer=False)
        try:
            pq.write_table(table, path, **kw)
        except Exception:  # noqa: BLE001 - an empty dictionary
            return None
        kw["note"] = str(e)[:80]
    return kw


def instant(s):
    import re
    m = re.fullmatch(r"(-?\d{4,})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?Z?", s)
    y, mo, d, h, mi, se = (int(x) for x in m.groups()[:6])
    whole = dt.datetime(y, mo, d, h, mi, se) - EPOCH
    return (whole.days * 86400 + whole.seconds) * 10**9 + int((m.group(7) or "0").ljust(9, "0"))


def same(a, b, t):
    """a: pyarrow scalar; b: what the JSON says."""
    if isinstance(t, pa.BaseExtensionType):
        t = t.storage_type
    if not a.is_valid:
        return b is None
    if b is None:
        return pa.types.is_null(t)
    if pa.types.is_dictionary(t):
        return a.as_py() == b
    if pa.types.is_map(t):
        items = a.values
        if items is None:
            return b == []
        return len(items) == len(b) and all(same(items.field(0)[i], b[i]["key"], t.key_type) and
                                            same(items.field(1)[i], b[i]["value"], t.item_type) for i in range(len(b)))
    if pa.types.is_struct(t):
        return list(b) == [f.name for f in t] and all(same(a[f.name], b[f.name], f.type) for f in t)
    if pa.types.is_list(t) or pa.types.is_large_list(t) or pa.types.is_fixed_size_list(t):
        v = a.values
        return len(v) == len(b) and all(same(v[i], b[i], t.value_type) for i in range(len(b)))
    if pa.types.is_timestamp(t):
        return instant(b) == a.value * {"s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}[t.unit] and b.endswith("Z") == (t.tz is not None)
    if pa.types.is_floating(t):
        v = float(a.as_py())
        if math.isnan(v):
            return b == "NaN"
        if math.isinf(v):
            return b == ("Infinity" if v > 0 else "-Infinity")
        if pa.types.is_float64(t):
            return struct.pack("<d", b) == struct.pack("<d", v)
        return struct.pack("<f", b) == struct.pack("<f", v)
    if pa.types.is_decimal(t):
        return decimal.Decimal(b) == a.as_py()
    if pa.types.is_date(t):
        return str(a.as_py()) == b
    if pa.types.is_time(t):
        unit = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[t.unit]
        h, m, s = b.split(":")
        s, _, f = s.partition(".")
        digits = len(str(unit)) - 1
        return (int(h) * 3600 + int(m) * 60 + int(s)) * unit + int(f.ljust(digits, "0") or 0) == a.value
    if isinstance(a.as_py(), bytes):
        return a.as_py().hex() == b
    return a.as_py() == b and isinstance(a.as_py(), bool) == isinstance(b, bool)


def rows_equal(table, rows):
    if len(rows) != table.num_rows:
        return f"{len(rows)} rows, not {table.num_rows}"
    for i, f in enumerate(table.schema):
        col = table.column(i)
        j = 0
        for chunk in col.chunks:
            for x in chunk:
                if not same(x, rows[j][f.name], f.type):
                    return f"row {j} {f.name} ({f.type}): {str(rows[j][f.name])[:80]}, not {str(x)[:80]}"
                j += 1
    return None


def run(args, **kw):
    return subprocess.run(args, capture_output=True, timeout=120, **kw)


def read_back(tool, path):
    r = run([tool, "cat", path])
    if r.returncode:
        return None, f"exit {r.returncode}: {r.stderr.decode(errors='replace')[-400:]}"
    return [json.loads(x) for x in r.stdout.decode().splitlines()], None


def one(tool, seed, folder):
    r = random.Random(seed)
    table = random_table(r)
    path = str(Path(folder) / f"f{seed}.parquet")
    kw = write(r, table, path)
    if kw is None:
        return path, None
    try:
        want = pq.read_table(path)
    except Exception:  # noqa: BLE001 - what pyarrow writes and doesn't read: dictionary columns as DELTA_BYTE_ARRAY, required
        want, kw["unread"] = table, True  # fixed-size lists in null structs
    rows, why = read_back(tool, path)
    why = why or rows_equal(want, rows)
    if why:
        return path, f"reading: {why}; {kw}"
    v = run([tool, "verify", path])
    if v.returncode:
        return path, f"verify: {v.stdout.decode()[:300]}; {kw}"
    if table.num_rows > 3:  # a slice is the slice of the whole
        a = r.randrange(table.num_rows)
        b = r.randint(a, table.num_rows)
        s = run([tool, "cat", "--slice", f"{a}:{b}", path])
        if s.returncode or repr([json.loads(x) for x in s.stdout.decode().splitlines()]) != repr(rows[a:b]):
            return path, f"slice {a}:{b}: {s.stderr.decode()[:200]}; {kw}"
    return path, written(tool, r, table, path, folder, seed, kw)


SKIPPED = {"pyarrow": 0, "duckdb": 0, "polars": 0}
JUDGED = {"pyarrow": 0, "duckdb": 0, "polars": 0}


def has_type(t, test):
    if test(t):
        return True
    if pa.types.is_map(t):
        return has_type(t.key_type, test) or has_type(t.item_type, test)
    if pa.types.is_struct(t):
        return any(has_type(f.type, test) for f in t)
    if pa.types.is_list(t) or pa.types.is_fixed_size_list(t):
        return has_type(t.value_type, test)
    return pa.types.is_dictionary(t) and has_type(t.value_type, test)


def duckdb_can(schema):
    """What duckdb reads as something else: float16 and wide decimals as double, the null type as integer, nanosecond times."""
    return not any(has_type(f.type, lambda t: pa.types.is_float16(t) or pa.types.is_decimal256(t) or pa.types.is_null(t) or t == pa.time64("ns") or
                            (pa.types.is_timestamp(t) and t.unit == "ns" and t.tz)) for f in schema)


def polars_can(schema):
    """polars: wide decimals, maps and nanosecond UTC read as other types; fixed-size binary, lists in its own way."""
    return not any(has_type(f.type, lambda t: pa.types.is_decimal256(t) or pa.types.is_map(t) or pa.types.is_float16(t)) for f in schema)


def judge(name, load, schema, rows):
    """Compare what another reader makes of the file with c4w's rows, by that reader's own types."""
    try:
        t = load()
    except KeyboardInterrupt:
        raise
    except BaseException as e:  # noqa: BLE001 - a panic of polars is no Exception
        SKIPPED[name] += 1
        # polars panics on BYTE_STREAM_SPLIT of required fields in null structs, which pyarrow and duckdb read
        if type(e).__name__ == "PanicException" or any(x in str(e).lower() for x in ("not yet implemented", "not implemented", "not yet supported", "only supported")):
            return None
        return f"{name} can't read it: {str(e)[:200]}"
    JUDGED[name] += 1
    why = rows_equal(t, rows)
    return why and f"{name}: {why}"


def by_duckdb(path):
    c = duckdb.connect()
    c.execute("set timezone='UTC'")
    t = c.sql(f"select * from read_parquet('{path}')")
    for name in ("to_arrow_table", "fetch_arrow_table", "arrow"):
        if hasattr(t, name):
            t = getattr(t, name)()
            break
    return t.read_all() if hasattr(t, "read_all") else t


def written(tool, r, table, path, folder, seed, kw):
    """The writer: a copy by c4w, judged by the others."""
    out = str(Path(folder) / f"w{seed}.parquet")
    args = ["--codec", r.choice(["0", "1", "2", "4", "6", "7"]), "--page", r.choice(["1", "100", "5000", "1000000"]),
            "--group", r.choice(["1", "13", "1000", "1000000"]) if table.num_rows < 300 else r.choice(["400", "1000000"]),
            "--encoding", r.choice(["0", "5", "6", "9"]), "--dictionary", r.choice(["8", "200", "1000000"])]
    args += ["--v2"] if r.random() < 0.5 else []
    args += ["--plain"] if r.random() < 0.5 else []
    args += ["--dict"] if r.random() < 0.5 else []
    if not Path(path).exists():
        return None
    c = run([tool, "copy", *args, path, out])
    if c.returncode:
        return f"copy {args}: exit {c.returncode} {c.stderr.decode()[-300:]}"
    rows, why = read_back(tool, path)
    again, why = read_back(tool, out) if not why else (None, why)
    if why or repr(rows) != repr(again):
        return f"copy {args}: {why or 'c4w reads another table'}"
    v = run([tool, "verify", out])
    if v.returncode:
        return f"copy {args}: verify: {v.stdout.decode()[:300]}"
    if r.random() < 0.1:
        first = Path(out).read_bytes()
        run([tool, "copy", *args, path, out])
        if Path(out).read_bytes() != first:
            return f"copy {args}: another file from the same input"
    why = None if "unread" in kw else judge("pyarrow", lambda: pq.read_table(out), table.schema, rows)
    if not why and duckdb and duckdb_can(table.schema):
        why = judge("duckdb", lambda: by_duckdb(out), table.schema, rows)
    if not why and polars and polars_can(table.schema):
        why = judge("polars", lambda: polars.read_parquet(out).to_arrow(compat_level=polars.CompatLevel.oldest()), table.schema, rows)
    Path(out).unlink() if not why else None
    return why and f"copy {args}: {why}"


def large_table(r):
    """Enough rows for many pages, of few kinds: flat, with nulls, text, lists, and all in a struct."""
    rows = r.choice([5000, 20000])
    numbers = [r.randrange(1 << 40) for _ in range(rows)]
    words = ["é" * (x % 5) + str(x % r.choice([7, 3000, 1 << 40])) for x in numbers]
    p = r.choice([0, 0.01, 0.5])
    some = lambda v: [None if r.random() < p else x for x in v]  # noqa: E731
    lists = some([[x % 100 for _ in range(x % 6)] for x in numbers])
    return pa.table({"n": numbers, "i": pa.array(some([x % 1000 for x in numbers]), pa.int32()), "s": some(words), "l": pa.array(lists, pa.list_(pa.int64())),
                     "t": pa.array(some([{"a": x, "b": [str(x % 50)] * (x % 3)} for x in numbers]), pa.struct([("a", pa.int64()), ("b", pa.list_(pa.string()))]))})


def sliced(tool, seed, folder):
    """Parts of a file with many pages, with and without a page index, are the parts of the whole; the same of c4w's copy."""
    r = random.Random(seed)
    table = large_table(r)
    path, out = str(Path(folder) / f"l{seed}.parquet"), str(Path(folder) / f"m{seed}.parquet")
    pq.write_table(table, path, compression=r.choice(["none", "snappy", "zstd"]), data_page_version=r.choice(["1.0", "2.0"]), data_page_size=r.choice([300, 4096, 40000]),
                   row_group_size=r.choice([3000, 1 << 20]), write_page_index=r.random() < 0.7, use_dictionary=r.random() < 0.6,
                   dictionary_pagesize_limit=r.choice([500, 1 << 20]), write_batch_size=r.choice([50, 1024]))
    run([tool, "copy", "--codec", "6", "--page", r.choice(["300", "5000"]), "--dictionary", r.choice(["500", "1000000"]), *(["--v2"] if r.random() < 0.5 else []), path, out])
    rows, why = read_back(tool, path)
    why = why or rows_equal(table, rows)
    for name in (path, out):
        lines = run([tool, "cat", name]).stdout.splitlines()
        if len(lines) != table.num_rows:
            return path, why or f"{name}: {len(lines)} rows"
        v = run([tool, "verify", name])
        why = why or (v.returncode and f"{name}: verify: {v.stdout.decode()[:300]}")
        for _ in range(8):
            a = r.randrange(table.num_rows)
            b = min(table.num_rows, a + r.choice([1, 3, 200, 9000]))
            column = r.choice([[], ["--columns", "l"], ["--columns", "t.b"], ["--columns", "s"]])
            s = run([tool, "cat", *column, "--slice", f"{a}:{b}", name])
            want = lines[a:b] if not column else run([tool, "cat", *column, name]).stdout.splitlines()[a:b]
            if s.returncode or s.stdout.splitlines() != want:
                why = why or f"{name}: slice {a}:{b} {column}: {s.stderr.decode()[:200]}"
    Path(out).unlink(missing_ok=True)
    return path, why


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("tool")
    ap.add_argument("--files", type=int, default=200)
    ap.add_argument("--seed", type=int, default=None)
    ap.add_argument("--keep")
    a = ap.parse_args()
    seed = a.seed if a.seed is not None else random.SystemRandom().randrange(10**9)
    failed = 0
    with tempfile.TemporaryDirectory() as tmp:
        folder = a.keep or tmp
        os.makedirs(folder, exist_ok=True)
        for i in range(a.files):
            path, why = (sliced if i % 20 == 19 else one)(a.tool, seed + i, folder)
            if why:
                failed += 1
                print(f"FAILED seed {seed + i}: {why}", flush=True)
            else:
                Path(path).unlink(missing_ok=True)
    print("judged by " + ", ".join(f"{k} {n} (not read by it: {SKIPPED[k]})" for k, n in JUDGED.items()))
    print(f"{a.files} files, {failed} failed, seed {seed}")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
