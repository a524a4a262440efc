#!/usr/bin/env python3
"""Broken Channels4World roots, made from a good one, and their nearest legal neighbours.

    break_channels4world.py OUT [NAME...]     make the roots of these cases (default: all) below OUT
    break_channels4world.py --list            name, rule ("-": sound) and what the reference library does

Each case changes one thing; every hash above it is renewed (chw_model.py), so that the fault itself is met. Needs numpy and pyarrow.
"""
import argparse
import copy
import io
import json
import math
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa

sys.path.insert(0, str(Path(__file__).resolve().parent))
import chw_model as cm  # noqa: E402
from chw_model import Entry, Model, npy, pack  # noqa: E402

CASES = {}
F32 = np.float32
AGREE, LAXER, CRASH = "agrees", "laxer", "crash"


class Case:
    def __init__(self, name, rule, make, ref, why, many, kind, select):
        self.name, self.rule, self.make, self.ref, self.why = name, rule, make, ref, why
        self.many, self.kind, self.select = many, kind, select


def case(name, rule, ref=AGREE, why="", many=False, kind="release", select=None):
    """rule None: sound. many: a fault of a whole group, reported by each of its items. ref: what the reference does with it."""
    def add(make):
        assert name not in CASES, name
        CASES[name] = Case(name, rule, make, ref, why, many, kind, select)
        return make
    return add


def poke(m, component, field, where, value, n=0):
    def f(a):
        x = a[field].copy()
        x[where] = value
        a[field] = x
    m.get(component, n).on_arrays.append(f)


def pokes(name, rule, component, field, where, value, **kw):
    case(name, rule, **kw)(lambda m: poke(m, component, field, where, value))


def channel(m, ranks, ues=None, counts=None, types=None, n=0):
    """Replace channel n (core and detail) by one with these ranks a link."""
    core, detail = m.get("core", n), m.get("detail", n)
    p, links = sum(map(len, ranks)), len(ranks)
    flat = [r for link in ranks for r in link]
    counts = counts or [0] * p
    types = types or [[1] * c for c in counts]
    f4 = lambda v: np.full(p, v, "<f4")  # noqa: E731
    core.arrays = {"link_ue_index": np.array(ues if ues is not None else range(links), "<i4"),
                   "link_path_offsets": np.cumsum([0] + [len(r) for r in ranks]).astype("<i8"), "path_rank": np.array(flat, "|u1"),
                   "a_real": f4(1e-3), "a_imag": f4(0), "tau": f4(1e-6), "theta_t": f4(1), "phi_t": f4(0), "theta_r": f4(1),
                   "phi_r": f4(0), "interaction_count": np.array(counts, "|u1"),
                   "interaction_flags": np.array([sum(1 << t for t in set(v)) for v in types], "<u2")}
    i = sum(counts)
    detail.arrays = {"path_interaction_offsets": np.cumsum([0] + counts).astype("<i8"),
                     "interaction_rank": np.array([k for c in counts for k in range(c)], "|u1"),
                     "interaction_type": np.array([t for v in types for t in v], "|i1"),
                     "interaction_vertex": np.zeros((i, 3), "<f4")}
    return core, detail


# ---- core: values ----
THETA_LO, THETA_HI = F32(-1e-6), F32(math.pi + 1e-6)
PHI_LO, PHI_HI = F32(-math.pi - 1e-6), F32(math.pi + 1e-6)
UP, DOWN = F32(np.inf), F32(-np.inf)
for f in ("a_real", "a_imag", "tau", "theta_t", "phi_t", "theta_r", "phi_r"):
    pokes(f"core-nan-{f}", "core.not-finite", "core", f, 1, np.nan)
    pokes(f"core-inf-{f}", "core.not-finite", "core", f, 0, np.inf)
    pokes(f"core-minus-inf-{f}", "core.not-finite", "core", f, -1, -np.inf)
pokes("core-largest-float", None, "core", "a_real", 0, np.finfo(F32).max)
pokes("core-subnormal", None, "core", "a_imag", 0, F32(1e-45))
pokes("core-delay-negative", "core.delay-negative", "core", "tau", 0, -1e-9)
pokes("core-delay-negative-last", "core.delay-negative", "core", "tau", -1, -1e-45)
pokes("core-delay-minus-zero", None, "core", "tau", 0, -0.0)
pokes("core-delay-huge", None, "core", "tau", 0, 1e30)
for f in ("theta_t", "theta_r"):
    pokes(f"core-{f}-low", None, "core", f, 0, THETA_LO)
    pokes(f"core-{f}-low-step", "core.theta-range", "core", f, 0, np.nextafter(THETA_LO, DOWN))
    pokes(f"core-{f}-high", None, "core", f, 0, THETA_HI)
    pokes(f"core-{f}-high-step", "core.theta-range", "core", f, 0, np.nextafter(THETA_HI, UP))
for f in ("phi_t", "phi_r"):
    pokes(f"core-{f}-low", None, "core", f, -1, PHI_LO)
    pokes(f"core-{f}-low-step", "core.phi-range", "core", f, -1, np.nextafter(PHI_LO, DOWN))
    pokes(f"core-{f}-high", None, "core", f, -1, PHI_HI)
    pokes(f"core-{f}-high-step", "core.phi-range", "core", f, -1, np.nextafter(PHI_HI, UP))
case("core-two-thetas", "core.theta-range")(lambda m: (poke(m, "core", "theta_t", 0, 4), poke(m, "core", "theta_r", 1, -1)))

# ---- core: structure ----
pokes("core-offsets-start", "core.offsets-start", "core", "link_path_offsets", 0, 1)
pokes("core-offsets-start-negative", "core.offsets-start", "core", "link_path_offsets", 0, -1)


@case("core-offsets-order", "core.offsets-order")
def _(m):
    def f(a):
        x = a["link_path_offsets"].copy()
        x[1], x[2] = x[2], x[1]
        a["link_path_offsets"] = x
    m.get("core").on_arrays.append(f)


@case("core-offsets-end-less", "core.offsets-end")
def _(m):
    def f(a):
        x = a["link_path_offsets"].copy()
        x[-1] -= 1
        a["link_path_offsets"] = x
    channel(m, [[0, 1], [0, 1, 2]])[0].on_arrays.append(f)


@case("core-offsets-end-more", "core.offsets-end")
def _(m):
    def f(a):
        x = a["link_path_offsets"].copy()
        x[-1] += 1
        a["link_path_offsets"] = x
    channel(m, [[0, 1], [0, 1, 2]])[0].on_arrays.append(f)


@case("core-offsets-overflow", "core.offsets-order")
def _(m):
    channel(m, [[0, 1], [0, 1, 2]])
    poke(m, "core", "link_path_offsets", 1, 2**62)


case("core-ue-equal", "core.ue-order")(lambda m: channel(m, [[0], [0], [0]], ues=[1, 1, 2]))
case("core-ue-decreases", "core.ue-order")(lambda m: channel(m, [[0], [0], [0]], ues=[2, 1, 3]))
case("core-ue-negative", "core.ue-range")(lambda m: channel(m, [[0], [0], [0]], ues=[-1, 1, 2]))
case("core-ue-last", None)(lambda m: channel(m, [[0], [0], [0]], ues=[0, 1, 7]))
case("core-ue-beyond", "core.ue-range")(lambda m: channel(m, [[0], [0], [0]], ues=[0, 1, 8]))
case("core-ue-gap", None)(lambda m: channel(m, [[0], [0], [0]], ues=[1, 4, 6]))
case("core-rank-gap", None)(lambda m: channel(m, [[0, 3, 9], [2, 15]]))
case("core-rank-equal", "core.rank-order")(lambda m: channel(m, [[0, 1, 1], [0]]))
case("core-rank-decreases", "core.rank-order")(lambda m: channel(m, [[0, 2, 1], [0]]))
case("core-rank-restart-missing", "core.rank-order")(lambda m: channel(m, [[0, 1, 0, 1]]))
case("core-rank-15", None)(lambda m: channel(m, [[0, 15]]))
case("core-rank-16", "core.rank-limit")(lambda m: channel(m, [[0, 16]]))
case("core-rank-255", "core.rank-limit")(lambda m: channel(m, [[0], [255]]))
case("core-16-paths", None)(lambda m: channel(m, [list(range(16))]))
case("core-17-paths", "core.path-limit")(lambda m: channel(m, [list(range(17)), [0, 1]]))
case("core-empty-link", "core.empty-link")(lambda m: channel(m, [[0, 1], [], [0]]))
case("core-empty-last-link", "core.empty-link")(lambda m: channel(m, [[0, 1], []]))
case("core-no-link", None)(lambda m: channel(m, []))
case("core-one-path", None)(lambda m: channel(m, [[0]]))


@case("core-flags-bit", "core.flags-bits")
def _(m):
    channel(m, [[0, 1], [0]], counts=[1, 1, 1])
    poke(m, "core", "interaction_flags", 1, 2 | 8)


case("core-flags-bit-0", "core.flags-bits")(lambda m: (channel(m, [[0]], counts=[1]), poke(m, "core", "interaction_flags", 0, 1)))
case("core-flags-bit-15", "core.flags-bits")(lambda m: (channel(m, [[0]], counts=[1]), poke(m, "core", "interaction_flags", 0, 2 | 32768)))
case("core-flags-all", None)(lambda m: channel(m, [[0]], counts=[4], types=[[1, 2, 4, 8]]))
case("core-count-without-flags", "core.count-flags")(lambda m: (channel(m, [[0]], counts=[1]), poke(m, "core", "interaction_flags", 0, 0)))
case("core-flags-without-count", "core.count-flags")(lambda m: (channel(m, [[0]]), poke(m, "core", "interaction_flags", 0, 2)))


def on_pos(m, f):
    m.get("positions").on_header.append(f)


@case("core-bs-beyond", "core.bs-range", many=True)
def _(m):
    def f(a):
        a["bs_positions"] = a["bs_positions"][:1]
    m.get("positions").on_arrays.append(f)


@case("core-path-axis", "core.path-axis")
def _(m):
    def f(h):
        h["path_axis_sha256"] = "ab" * 32
    m.get("core").on_header.append(f)


# ---- detail ----
for v, s in ((np.nan, "nan"), (np.inf, "inf")):
    pokes(f"detail-{s}", "detail.not-finite", "detail", "interaction_vertex", (1, 2), v)


def two(m):
    return channel(m, [[0, 1], [0]], counts=[2, 1, 3], types=[[1, 8], [1], [1, 2, 4]])


case("detail-no-interaction", None)(lambda m: channel(m, [[0], [0]], counts=[0, 0], types=[[], []]))
case("detail-255-interactions", None)(lambda m: channel(m, [[0]], counts=[255], types=[[1] * 255]))
case("detail-sound", None)(two)
case("detail-offsets-start", "detail.offsets-start")(lambda m: (two(m), poke(m, "detail", "path_interaction_offsets", 0, 1)))
case("detail-offsets-order", "detail.offsets-order")(lambda m: (two(m), poke(m, "detail", "path_interaction_offsets", 1, 4)))
case("detail-offsets-end", "detail.offsets-end")(lambda m: (two(m), poke(m, "detail", "path_interaction_offsets", -1, 5)))
for v in (0, 3, 5, 7, 9, 16, 17, -1, -128, 127):
    case(f"detail-code-{v}", "detail.code")(lambda m, v=v: (two(m), poke(m, "detail", "interaction_type", 0, v)))
case("detail-rank-equal", "detail.rank-order")(lambda m: (two(m), poke(m, "detail", "interaction_rank", 1, 0)))
case("detail-rank-gap", None)(lambda m: (two(m), poke(m, "detail", "interaction_rank", 1, 200)))
case("detail-rank-decreases", "detail.rank-order")(lambda m: (two(m), poke(m, "detail", "interaction_rank", -1, 0)))
case("detail-count", "detail.count")(lambda m: (two(m), poke(m, "core", "interaction_count", 0, 3)))
case("detail-flags", "detail.flags")(lambda m: (two(m), poke(m, "core", "interaction_flags", 0, 2 | 16)))
case("detail-code-other", "detail.flags")(lambda m: (two(m), poke(m, "detail", "interaction_type", 0, 2)))


@case("detail-span-moves", "detail.count")
def _(m):
    channel(m, [[0, 1]], counts=[2, 2], types=[[1, 1], [1, 1]])
    poke(m, "detail", "path_interaction_offsets", 1, 3)
    poke(m, "detail", "interaction_rank", slice(None), [0, 1, 2, 3])


# ---- positions ----
for f, w in (("bs_positions", (0, 0)), ("ue_positions", (-1, 2))):
    for v, s in ((np.nan, "nan"), (np.inf, "inf"), (-np.inf, "minus-inf")):
        pokes(f"{f}-{s}", "positions.not-finite", "positions", f, w, v)
pokes("positions-far", None, "positions", "ue_positions", (0, 0), 3e38)


# ---- the NPZ of a record ----
def entries(m, f, component="core"):
    m.get(component).on_entries.append(f)


def at(v, name):
    return next(e for e in v if e.name == name + ".npy")


def body(m, f, component="core"):
    m.get(component).on_body.append(f)


def method(n):
    def f(m):
        for x in m.all:
            if x.component != "geometry":
                x.method = n
    return f


case("npz-stored", None)(method(0))
case("npz-deflated", None)(method(8))
case("npz-bzip2", None)(method(12))
case("npz-lzma", None)(method(14))


@case("npz-mixed", None)
def _(m):
    def f(v):
        for i, e in enumerate(v):
            e.method = (0, 8, 12, 14)[i % 4]
    entries(m, f)


@case("npz-central-zip64", None)
def _(m):
    def f(v):
        for e in v:
            e.central_zip64 = True
    entries(m, f)


@case("npz-no-zip64", None)
def _(m):
    def f(v):
        for e in v:
            e.zip64 = False
    entries(m, f)


def packer(**kw):
    def f(m):
        m.get("core").pack = lambda e: pack(e, **kw)
    return f


case("npz-end64", None)(packer(end64=True))
case("npz-comment", None)(packer(comment=b"a comment"))
case("npz-prefix", "record.prefix", AGREE)(packer(prefix=b"#!/bin/sh\n"))
case("npz-gap", None)(packer(gap=b"\0" * 7))
case("npz-trailing", "zip.trailing", LAXER, "Python's zipfile looks past bytes behind the end record")(packer(trailing=b"more"))
case("npz-cut", "zip.end", CRASH, "BadZipFile is not one of the reference's errors")(packer(cut=9))
case("npz-no-zip", "zip.end", CRASH, "BadZipFile")(lambda m: body(m, lambda b: b"no archive at all, only text that is long enough"))
case("npz-empty", "zip.end", CRASH, "BadZipFile")(lambda m: body(m, lambda b: b"\0"))
case("npz-count-less", "zip.count", LAXER, "zipfile ignores the end record's count")(packer(count=12))
case("npz-count-more", "zip.directory", LAXER, "zipfile ignores the end record's count")(packer(count=14))
case("npz-order", None)(lambda m: entries(m, lambda v: v[::-1]))


@case("npz-name-sorted-meta-first", None)
def _(m):
    entries(m, lambda v: sorted(v, key=lambda e: e.name))


case("npz-missing", "record.entries")(lambda m: entries(m, lambda v: [e for e in v if e.name != "tau.npy"]))
case("npz-no-meta", "record.entries")(lambda m: entries(m, lambda v: v[:-1]))
case("npz-extra", "record.entries")(lambda m: entries(m, lambda v: v + [Entry("more.npy", npy(np.arange(3)))]))
case("npz-extra-no-npy", "record.entries")(lambda m: entries(m, lambda v: v + [Entry("readme.txt", b"hello")]))
case("npz-duplicate", "zip.duplicate")(lambda m: entries(m, lambda v: v + [Entry("tau.npy", at(v, "tau").data)]))
case("npz-renamed", "record.entries")(lambda m: entries(m, lambda v: [setattr(at(v, "tau"), "name", "Tau.npy"), v][1]))
case("npz-no-entries", "record.entries")(lambda m: entries(m, lambda v: []))


def entry(m, name, component="core", **kw):
    def f(v):
        for k, x in kw.items():
            setattr(at(v, name), k, x)
    entries(m, f, component)


case("npz-crc", "zip.crc", CRASH, "BadZipFile from zipfile's CRC check")(lambda m: entry(m, "tau", crc=1))
case("npz-local-crc", "zip.local-differs", LAXER, "zipfile takes the directory's word")(lambda m: entry(m, "tau", local={"crc": 1}))
case("npz-local-name", "zip.local-differs", CRASH, "BadZipFile")(lambda m: entry(m, "tau", local={"name": b"tau.npz"}))
case("npz-local-method", "zip.local-differs", LAXER, "zipfile takes the directory's word")(lambda m: entry(m, "tau", local={"method": 8}))
case("npz-local-size", "zip.local-differs", LAXER, "zipfile takes the directory's word")(lambda m: entry(m, "tau", zip64=False, local={"size": 7}))
case("npz-size-claim", "zip.size", AGREE)(lambda m: entry(m, "tau", size=10**6))
case("npz-size-claim-deflated", "zip.size", AGREE)(lambda m: entry(m, "tau", method=8, size=2 * 10**8))


@case("npz-deflate-cut", "zip.data", CRASH, "zlib.error or EOFError")
def _(m):
    def f(v):
        import zlib
        e = at(v, "tau")
        c = zlib.compressobj(9, zlib.DEFLATED, -15)
        p = c.compress(e.data) + c.flush()
        e.method, e.packed = 8, p[:-3]
    entries(m, f)


@case("npz-deflate-garbage", "zip.data", CRASH, "zlib.error")
def _(m):
    def f(v):
        e = at(v, "tau")
        e.method, e.packed = 8, b"\xff" * 40
    entries(m, f)


@case("npz-deflate-trailing", "zip.data", LAXER, "zlib stops at the end of the stream")
def _(m):
    def f(v):
        import zlib
        e = at(v, "tau")
        c = zlib.compressobj(9, zlib.DEFLATED, -15)
        e.packed = c.compress(e.data) + c.flush() + b"behind"
        e.method = 8
    entries(m, f)


@case("npz-overlap", "zip.overlap", CRASH, "newer zipfile modules raise BadZipFile")
def _(m):
    def f(v):
        e = at(v, "tau")
        e.size = e.claimed_packed = len(e.data) + 60
        e.local = {"size": e.size, "packed_size": e.size}
    entries(m, f)


case("npz-local-missing", "zip.local", CRASH, "BadZipFile")(lambda m: entry(m, "tau", at=1))
case("npz-bounds", "zip.bounds", CRASH, "BadZipFile or EOFError")(lambda m: entry(m, "tau", at=2**31))
case("npz-extra-short", "zip.extra", CRASH, "BadZipFile")(lambda m: entry(m, "tau", extra=b"\x01\x00\xff\x00abc"))
case("npz-flags-differ", "zip.local-differs", LAXER, "zipfile compares the names alone")(lambda m: entry(m, "tau", local={"flags": 8}))


@case("npz-descriptor", None)
def _(m):
    def f(v):
        import zlib
        e = at(v, "tau")
        e.flags, e.zip64 = 8, False
        e.local = {"crc": 0, "size": 0, "packed_size": 0}
        e.descriptor = b"PK\7\x08" + struct.pack("<III", zlib.crc32(e.data), len(e.data), len(e.data))
    entries(m, f)


def described(form, all_entries=False, local=True):
    """Data descriptors behind entries: their struct format, 32 or 64 bit, with or without a signature; sizes in the local headers or zeros."""
    def f(m):
        def g(v):
            import zlib
            for e in v if all_entries else [at(v, "tau")]:
                packed = e.data
                if all_entries:
                    c = zlib.compressobj(9, zlib.DEFLATED, -15)
                    packed, e.method = c.compress(e.data) + c.flush(), 8
                    e.packed = packed
                e.flags, e.zip64 = 8, "Q" in form
                if not local:
                    e.local = {"crc": 0, "size": 0, "packed_size": 0}
                e.descriptor = (b"PK\7\x08" if form.startswith("<s") else b"") + struct.pack("<" + form[2:], zlib.crc32(e.data), len(packed), len(e.data))
        entries(m, g)
    return f


case("npz-descriptor-64", None)(described("<sIQQ", local=False))
case("npz-descriptor-no-signature", None)(described("<-III", local=False))
case("npz-descriptor-and-sizes", None)(described("<sIII"))
case("npz-descriptor-all-deflated", None)(described("<sIII", True, False))
case("npz-comment-longest", None)(packer(comment=b"c" * 65535))
case("npz-name-backslash", "record.entries")(lambda m: entries(m, lambda v: [setattr(at(v, "tau"), "name", "x\\tau.npy"), v][1]))
case("npz-name-dot", "record.entries")(lambda m: entries(m, lambda v: [setattr(at(v, "tau"), "name", "./tau.npy"), v][1]))
case("npz-folder", "record.entries")(lambda m: entries(m, lambda v: v + [Entry("d/", b"")]))
case("npz-bzip2-cut", "zip.size", CRASH, "bz2 gives what there is; EOFError or a short body")(lambda m: entry(m, "tau", method=12, packed=__import__("bz2").compress(b"x" * 1000)[:-4]))
case("npz-lzma-garbage", "zip.data", CRASH, "LZMAError")(lambda m: entry(m, "tau", method=14, packed=b"\x09\x14\x05\0\x5d\0\0\x80\0" + b"\xff" * 50))


@case("npz-descriptor-wrong", "zip.descriptor", LAXER, "zipfile does not read descriptors")
def _(m):
    def f(v):
        e = at(v, "tau")
        e.flags, e.zip64 = 8, False
        e.local = {"crc": 0, "size": 0, "packed_size": 0}
        e.descriptor = b"PK\7\x08" + struct.pack("<III", 5, len(e.data), len(e.data))
    entries(m, f)


# ---- NPY in a record ----
def renpy(m, name, component="core", **kw):
    def f(v):
        rec = m.get(component)
        a = cm.run(rec.on_arrays, dict(rec.arrays))[name]
        at(v, name).data = npy(a, **kw)
    entries(m, f, component)


case("npy-2.0", None)(lambda m: renpy(m, "tau", version=(2, 0)))
case("npy-3.0", "record.npy-version")(lambda m: renpy(m, "tau", version=(3, 0)))
case("npy-4.0", "record.npy-version")(lambda m: renpy(m, "tau", version=(4, 0)))
case("npy-1.1", "record.npy-version")(lambda m: renpy(m, "tau", version=(1, 1)))
case("npy-fortran", None)(lambda m: renpy(m, "ue_positions", "positions", fortran=True))
case("npy-fortran-vertex", None)(lambda m: renpy(m, "interaction_vertex", "detail", fortran=True))
case("npy-fortran-1d", None)(lambda m: renpy(m, "tau", fortran=True))
case("npy-no-pad", None)(lambda m: renpy(m, "tau", pad=0))


case("npy-header-10000", None)(lambda m: renpy(m, "tau", pad=10000 - 60))
case("npy-header-20000", "record.npy-header")(lambda m: renpy(m, "tau", pad=20000))
case("npy-header-20000-version-2", "record.npy-header")(lambda m: renpy(m, "tau", pad=70000, version=(2, 0)))


def npy_header(name, text, component="core"):
    return lambda m: entries(m, lambda v: setattr(at(v, name), "data", npy(m.get(component).arrays[name], header=text(m.get(component).arrays[name]))), component)


def hdr(descr="'<f4'", order="False", shape=None, tail=""):
    return lambda a: "{'descr': %s, 'fortran_order': %s, 'shape': %s, %s}" % (descr, order, shape or repr(a.shape), tail)


case("npy-keys-order", None)(npy_header("tau", lambda a: "{'shape': (%d,), 'fortran_order': False, 'descr': '<f4'}" % len(a)))
case("npy-spaces", None)(npy_header("tau", lambda a: "{ 'descr' : \"<f4\" , 'fortran_order':False,'shape':( %d , ) }" % len(a)))
case("npy-extra-key", "npy.keys")(npy_header("tau", hdr(tail="'more': 1")))
case("npy-missing-key", "npy.keys")(npy_header("tau", lambda a: "{'descr': '<f4', 'shape': (%d,)}" % len(a)))
case("npy-no-dict", "npy.header")(npy_header("tau", lambda a: "('<f4', False, (%d,))" % len(a)))
case("npy-dtype-f8", "record.dtype")(lambda m: entries(m, lambda v: setattr(at(v, "tau"), "data", npy(m.get("core").arrays["tau"].astype("<f8")))))
case("npy-dtype-big", "record.dtype")(lambda m: entries(m, lambda v: setattr(at(v, "tau"), "data", npy(m.get("core").arrays["tau"].astype(">f4")))))
case("npy-dtype-i4", "record.dtype")(npy_header("tau", hdr("'<i4'")))
case("npy-dtype-native", None)(npy_header("tau", hdr("'=f4'")))
case("npy-dtype-name", None)(npy_header("tau", hdr("'float32'")))
case("npy-dtype-u1-order", None)(npy_header("path_rank", hdr("'>u1'")))
case("npy-newlines", None)(npy_header("tau", lambda a: "{'descr': '<f4',\n 'fortran_order': False,\n 'shape': %r}" % (a.shape,)))
case("npy-shape-long", None)(npy_header("tau", lambda a: "{'descr': '<f4', 'fortran_order': False, 'shape': (%dL,), }" % len(a)))
case("npy-fortran-claimed", "record.content")(lambda m: entries(m, lambda v: setattr(at(v, "ue_positions"), "data", at(v, "ue_positions").data.replace(
    b"'fortran_order': False", b"'fortran_order': True ")), "positions"))
case("npy-order-0", "npy.header")(npy_header("tau", hdr(order="0")))
case("npy-dtype-object", "record.dtype", AGREE)(npy_header("tau", hdr("'|O'")))
case("npy-dtype-unknown", "npy.dtype")(npy_header("tau", hdr("'<q9'")))
case("npy-dtype-f12", "record.dtype")(npy_header("tau", hdr("'<f12'")))
case("npy-dtype-struct", "record.dtype")(npy_header("tau", hdr("[('x', '<f4')]")))
case("npy-dtype-subarray", "record.dtype")(npy_header("tau", hdr("('<f4', (2,))")))
case("npy-shape-less", "record.shape")(lambda m: entries(m, lambda v: setattr(at(v, "tau"), "data", npy(m.get("core").arrays["tau"][:-1]))))
case("npy-shape-2d", "record.shape")(lambda m: entries(m, lambda v: setattr(at(v, "tau"), "data", npy(m.get("core").arrays["tau"].reshape(-1, 1)))))
case("npy-shape-transposed", "record.shape")(lambda m: entries(m, lambda v: setattr(at(v, "ue_positions"), "data", npy(np.ascontiguousarray(m.get("positions").arrays["ue_positions"].T))), "positions"))
case("npy-shape-scalar", "record.shape")(lambda m: entries(m, lambda v: setattr(at(v, "tau"), "data", npy(np.float32(1)))))
case("npy-body-short", "record.body-length")(lambda m: entries(m, lambda v: setattr(at(v, "tau"), "data", at(v, "tau").data[:-1])))
case("npy-body-long", "record.body-length")(lambda m: entries(m, lambda v: setattr(at(v, "tau"), "data", at(v, "tau").data + b"\0")))
case("npy-magic", "npy.magic", AGREE)(lambda m: entries(m, lambda v: setattr(at(v, "tau"), "data", b"\x93NUMPX" + at(v, "tau").data[6:])))
case("npy-header-length", "npy.header-length")(lambda m: entries(m, lambda v: setattr(at(v, "tau"), "data", at(v, "tau").data[:8] + b"\xff\xff" + at(v, "tau").data[10:])))
case("npy-no-bytes", "npy.magic")(lambda m: entries(m, lambda v: setattr(at(v, "tau"), "data", b"")))
case("npy-shape-negative", "npy.shape")(npy_header("tau", hdr(shape="(-1,)")))
case("npy-shape-huge", "array.size")(npy_header("tau", hdr(shape="(%d, %d)" % (2**40, 2**40))))


@case("npz-total-size", "record.total-size")
def _(m):
    # 300 MB of zeros that deflate to 300 KB; refused before anything is decompressed
    def f(v):
        e = at(v, "tau")
        e.data, e.method = npy(np.zeros(75_000_000, "<f4")), 8
    entries(m, f)


# ---- the embedded header ----
def meta(m, f, component="core"):
    m.get(component).on_meta.append(f)


case("meta-big-endian", None)(lambda m: m.get("core").on_meta_array.append(lambda a: a.astype(a.dtype.newbyteorder(">"))))
case("meta-padded", None)(lambda m: m.get("core").on_meta_array.append(lambda a: a.astype("<U9999")))
case("meta-262144", None)(lambda m: m.get("core").on_meta_array.append(lambda a: a.astype("<U262144")))
case("meta-262145", "record.meta")(lambda m: m.get("core").on_meta_array.append(lambda a: a.astype("<U262145")))
case("meta-bytes", "record.meta")(lambda m: m.get("core").on_meta_array.append(lambda a: np.array(str(a).encode())))
case("meta-1d", "record.meta")(lambda m: m.get("core").on_meta_array.append(lambda a: np.array([str(a)])))


@case("meta-no-character", "record.meta")
def _(m):
    def f(v):
        e = at(v, "__meta__")
        e.data = e.data[:-4] + b"\xff\xff\xff\x7f"
    entries(m, f)


case("meta-key-order", None)(lambda m: meta(m, lambda h: dict(reversed(list(h.items())))))
case("meta-indent", None)(lambda m: meta(m, lambda h: json.dumps(h, indent=3)))
case("meta-escapes", None)(lambda m: meta(m, lambda h: json.dumps(h).replace("links", "\\u006cinks")))
case("meta-1.0", None)(lambda m: meta(m, lambda h: json.dumps(h).replace('"version": 2', '"version": 2.0')))
case("meta-exponent", None)(lambda m: meta(m, lambda h: json.dumps(h).replace('"version": 2', '"version": 20e-1')))
case("meta-version", "record.header")(lambda m: meta(m, lambda h: json.dumps(h).replace('"version": 2', '"version": 3')))
case("meta-true", "record.header", LAXER, "1 == True in Python")(lambda m: (
    channel(m, [[0]]), meta(m, lambda h: json.dumps(h).replace('"links": 1', '"links": true'))))
case("meta-text-number", "record.header")(lambda m: meta(m, lambda h: json.dumps(h).replace('"version": 2', '"version": "2"')))
case("meta-info", "record.header")(lambda m: meta(m, lambda h: h.__setitem__("info", {"generator": "another"})))
case("meta-extra-key", "record.header")(lambda m: meta(m, lambda h: h.__setitem__("more", 1)))
case("meta-missing-key", "record.header")(lambda m: meta(m, lambda h: [h.pop("info"), None][1]))
case("meta-dimension", "record.header")(lambda m: meta(m, lambda h: h["dimensions"].__setitem__("links", 99)))
case("meta-duplicate", "json.duplicate-key")(lambda m: meta(m, lambda h: json.dumps(h)[:-1] + ', "version": 2}'))
case("meta-nan", "json.syntax")(lambda m: meta(m, lambda h: json.dumps(h)[:-1] + ', "x": NaN}'))
case("meta-syntax", "json.syntax")(lambda m: meta(m, lambda h: json.dumps(h)[:-1]))
case("meta-comma", "json.syntax")(lambda m: meta(m, lambda h: json.dumps(h)[:-1] + ",}"))
case("meta-two-values", "json.syntax")(lambda m: meta(m, lambda h: json.dumps(h) + "{}"))
case("meta-bom", None, LAXER, "json.loads refuses a BOM in text, which is what the embedded header is")(lambda m: meta(m, lambda h: "\ufeff" + json.dumps(h)))
case("meta-non-ascii", None)(lambda m: (m.get("core").on_header.append(lambda h: h.__setitem__("info", {"g": "Ünïcödé \U0001F600"})),
                                       meta(m, lambda h: json.dumps(h, ensure_ascii=False))))
case("meta-info-big-number", None)(lambda m: m.get("core").on_header.append(lambda h: h.__setitem__("info", {"g": 2**80, "f": 1e300})))


# ---- digests of a record ----
@case("record-content-array", "record.content")
def _(m):
    def f(c):
        c["arrays"][0]["c_order_sha256"] = "12" * 32
    m.get("core").on_content.append(f)


@case("record-content-axis-array", "record.content")
def _(m):
    m.get("core").keep_content = m.get("core").keep_axis = True

    def f(a):
        x = a["path_rank"].copy()
        last = a["link_path_offsets"][1] - 1
        x[last] = 15
        a["path_rank"] = x
    m.get("core").on_arrays.append(f)


@case("record-content-positions", "record.content")
def _(m):
    m.get("positions").keep_content = True
    poke(m, "positions", "bs_positions", (0, 0), 1.5)


@case("record-content-detail", "record.content")
def _(m):
    m.get("detail").keep_content = True
    poke(m, "detail", "interaction_vertex", (0, 0), 1.5)


def flip(path, offset):
    def f(out):
        p = out / path if not callable(path) else path(out)
        b = bytearray(p.read_bytes())
        b[offset] ^= 1
        p.write_bytes(b)
    return f


def tar(m, component, n=0):
    return m.get(component, n).object_path


case("record-digest", "record.digest")(lambda m: m.get("core").on_row.append(lambda r: r.__setitem__("member_sha256", "ab" * 32)) or m.hook("members", lambda rows: [r.__setitem__("member_sha256", "ab" * 32) for r in rows if r["member_path"] == m.get("core").member_path] and None))
case("record-bytes", "record.digest")(lambda m: m.hook("disk", flip(tar(m, "positions"), 512 + 60)))
case("record-catalog-digest", "record.catalog-digest", LAXER, "members' digest of an NPZ is never compared")(
    lambda m: m.hook("members", lambda rows: [r.__setitem__("member_sha256", "ab" * 32) for r in rows if r["member_path"] == m.get("core").member_path] and None))


def member(m, component, **kw):
    def f(rows):
        for r in rows:
            if r["member_path"] == m.get(component).member_path:
                r.update({k: v(r[k]) if callable(v) else v for k, v in kw.items()})
    m.hook("members", f)


case("record-offset-negative", "record.range", CRASH, "seek to a negative offset")(lambda m: member(m, "core", data_offset=-512))
case("record-offset-beyond", "record.range")(lambda m: member(m, "core", data_offset=10**9))
case("record-bytes-huge", "record.range", CRASH, "reads as many bytes as are claimed: OverflowError or MemoryError")(lambda m: member(m, "core", member_bytes=2**62))
case("record-bytes-negative", "record.range", AGREE)(lambda m: member(m, "core", member_bytes=-1))
case("record-bytes-zero", "record.digest")(lambda m: (member(m, "core", member_bytes=0)))
case("record-offset-shifted", "record.digest")(lambda m: member(m, "core", data_offset=lambda v: v + 1))
case("record-offset-overflow", "record.range", CRASH, "OSError from seek")(lambda m: member(m, "core", data_offset=2**63 - 1))
case("archive-longer", "record.archive-size", many=True)(lambda m: m.hook("disk", lambda out: (out / tar(m, "positions")).open("ab").write(b"\0")))
case("archive-shorter", "record.archive-size", many=True)(lambda m: m.hook("disk", lambda out: (out / tar(m, "positions")).write_bytes((out / tar(m, "positions")).read_bytes()[:-1])))
case("archive-empty", "record.archive-size", many=True)(lambda m: m.hook("disk", lambda out: (out / tar(m, "core")).write_bytes(b"")))
case("archive-tar-headers", None)(lambda m: m.hook("archive", lambda path, b: b.replace(b"ustar", b"xstar")))


# ---- loose files ----
def loose(m, component, f):
    m.hook("disk", lambda out: f(out / m.get(component).member_path))


case("loose-sound", None, kind="subset")(lambda m: None)
case("loose-no-members", None, AGREE, kind="subset", select=["--components", "core,detail,positions"])(
    lambda m: m.hook("members", lambda rows: []))
case("loose-no-geometry-member", "geometry.digest", CRASH, "KeyError", kind="subset")(
    lambda m: m.hook("members", lambda rows: [r for r in rows if not r["member_path"].endswith("geometry.zip")]))
case("loose-members-flipped", "members.digest", AGREE, kind="subset")(
    lambda m: m.hook("disk", flip("groups/" + next(iter(m.groups)) + "/catalog/members.parquet", 40)))
case("loose-longer", "record.size", LAXER, "only the first bytes of a loose file are read", kind="subset")(lambda m: loose(m, "core", lambda p: p.open("ab").write(b"x")))
case("loose-shorter", "record.size", AGREE, kind="subset")(lambda m: loose(m, "core", lambda p: p.write_bytes(p.read_bytes()[:-1])))
case("loose-flipped", "record.digest", kind="subset")(lambda m: loose(m, "core", lambda p: p.write_bytes(b"Q" + p.read_bytes()[1:])))
case("loose-catalog-digest", "record.catalog-digest", LAXER, "a payload row's sha256 is never compared", kind="subset")(
    lambda m: m.hook("files", lambda rows: [r.__setitem__("sha256", "ab" * 32) for r in rows if r["path"] == m.get("core").member_path] and None))
case("loose-members-digest", "record.catalog-digest", LAXER, "members' digest of an NPZ is never compared", kind="subset")(
    lambda m: m.hook("members", lambda rows: [r.__setitem__("member_sha256", "ab" * 32) for r in rows if r["member_path"] == m.get("core").member_path] and None))
case("loose-geometry-digest", "record.catalog-digest", LAXER, "a payload row's sha256 is never compared", kind="subset")(
    lambda m: m.hook("files", lambda rows: [r.__setitem__("sha256", "ab" * 32) for r in rows if r["path"] == m.get("geometry").member_path] and None))
case("loose-no-row-of-one", None, kind="subset")(lambda m: (
    m.hook("files", lambda rows: [r for r in rows if r["path"] != m.get("detail").member_path]),
    m.hook("records", lambda rows: [r for r in rows if r["record_id"] != cm.mk.rid(m.get("detail").identity)])))
case("links-in-root", None)(lambda m: m.hook("disk", lambda out: to_links(out)))


def to_links(out):
    """As a download cache lays a root out: each file a link into a folder of blobs."""
    store = out.parent / (out.name + ".blobs")
    store.mkdir()
    for i, p in enumerate(sorted(p for p in out.rglob("*") if p.is_file())):
        shutil.move(p, store / str(i))
        p.symlink_to(store / str(i))


# ---- snapshot ----
def snap(m, f):
    m.hook("snapshot", f)


def G(name, rule, ref=AGREE, why="", **kw):
    return case(name, rule, ref, why, many=True, **kw)


def row0(f, component="core"):
    return lambda m: m.get(component).on_row.append(f)


def header0(f, component="core"):
    return lambda m: m.get(component).on_header.append(f)


G("snapshot-digest", "snapshot.digest")(lambda m: m.hook("disk", flip("groups/" + next(iter(m.groups)) + "/snapshot.json", 40)))
G("snapshot-files-bytes", "snapshot.digest", LAXER, "a files row's bytes is compared for archives alone")(
    lambda m: m.hook("files", lambda rows: [r.__setitem__("bytes", r["bytes"] + 1) for r in rows if r["kind"] == "snapshot"] and None))
G("snapshot-schema", "snapshot.schema")(lambda m: snap(m, lambda s: s.__setitem__("schema", "wireless.numeric-snapshots")))
G("snapshot-version", "snapshot.schema")(lambda m: snap(m, lambda s: s.__setitem__("version", 2)))
G("snapshot-version-float", "snapshot.schema")(lambda m: snap(m, lambda s: s.__setitem__("version", 1.0)))
G("snapshot-version-true", "snapshot.schema")(lambda m: snap(m, lambda s: s.__setitem__("version", True)))
G("snapshot-extra-key", "snapshot.schema")(lambda m: snap(m, lambda s: s.__setitem__("more", 1)))
G("snapshot-missing-key", "snapshot.schema")(lambda m: snap(m, lambda s: [s.pop("records"), None][1]))
G("snapshot-records-object", "snapshot.schema")(lambda m: snap(m, lambda s: s.__setitem__("records", {"a": 1})))
G("snapshot-array", "snapshot.schema")(lambda m: m.hook("snapshot", lambda s: json.dumps([s])))
case("snapshot-key-order", None)(lambda m: snap(m, lambda s: dict(reversed(list(s.items())))))
case("snapshot-indent", None)(lambda m: m.hook("snapshot_text", lambda t: json.dumps(json.loads(t), indent=2)))
case("snapshot-bom", None)(lambda m: m.hook("snapshot_text", lambda t: b"\xef\xbb\xbf" + t.encode()))
case("snapshot-not-ascii", None)(lambda m: (m.get("core").on_header.append(lambda h: h.__setitem__("info", {"g": "é"})),
                                           m.hook("snapshot_text", lambda t: json.dumps(json.loads(t), ensure_ascii=False))))
G("snapshot-duplicate-key", "json.duplicate-key")(lambda m: m.hook("snapshot_text", lambda t: t[:-1] + ', "version": 1}'))
G("snapshot-duplicate-key-deep", "json.duplicate-key")(lambda m: m.hook("snapshot_text", lambda t: t.replace('"info": {"generator": "synthetic"}', '"info": {"generator": "synthetic", "generator": "synthetic"}', 1)))
G("snapshot-nan", "json.syntax")(lambda m: m.hook("snapshot_text", lambda t: t.replace('"synthetic"', "NaN", 1)))
G("snapshot-1e400", "json.number", AGREE)(lambda m: m.hook("snapshot_text", lambda t: t.replace('"synthetic"', "1e400", 1)))
case("meta-1e308", None)(lambda m: m.get("core").on_header.append(lambda h: h.__setitem__("info", {"g": 1.7976931348623157e308})))
G("snapshot-infinity", "json.number")(lambda m: m.hook("snapshot_text", lambda t: t.replace('"synthetic"', "-Infinity", 1)))
G("snapshot-syntax", "json.syntax")(lambda m: m.hook("snapshot_text", lambda t: t[:-2]))
G("snapshot-number", "json.number")(lambda m: m.hook("snapshot_text", lambda t: t.replace('"synthetic"', "01", 1)))
G("snapshot-utf8", "json.utf8")(lambda m: m.hook("snapshot_text", lambda t: t.encode().replace(b"synthetic", b"synth\xfftic", 1)))
G("snapshot-control", "json.string")(lambda m: m.hook("snapshot_text", lambda t: t.replace("synthetic", "synth\ntic", 1)))
G("snapshot-escape", "json.string")(lambda m: m.hook("snapshot_text", lambda t: t.replace("synthetic", "synth\\x41tic", 1)))
G("snapshot-conventions-key", "snapshot.conventions")(lambda m: snap(m, lambda s: s["conventions"].__setitem__("more", 1)))
G("snapshot-conventions-sha", "snapshot.conventions")(lambda m: snap(m, lambda s: s.__setitem__("conventions", dict(s["conventions"], sha256="AB" * 32))))
G("snapshot-conventions-ref", "schema.reference")(lambda m: snap(m, lambda s: s.__setitem__("conventions", dict(s["conventions"], ref="../conventions.json"))))
G("snapshot-conventions-ref-backslash", "schema.reference")(lambda m: snap(m, lambda s: s.__setitem__("conventions", dict(s["conventions"], ref="schema\\conventions.json"))))
G("snapshot-conventions-ref-type", "snapshot.conventions")(lambda m: snap(m, lambda s: s.__setitem__("conventions", dict(s["conventions"], ref=7))))
G("row-extra-key", "snapshot.row-keys")(row0(lambda r: r.__setitem__("more", 1)))
G("row-missing-key", "snapshot.row-keys")(row0(lambda r: [r.pop("member_sha256"), None][1]))
G("row-not-object", "snapshot.row-keys")(lambda m: snap(m, lambda s: s["records"].append(7)))
G("row-record-id", "snapshot.record-id")(row0(lambda r: r.__setitem__("record_id", "ab" * 32)))
G("row-record-id-case", "snapshot.record-id")(row0(lambda r: r.__setitem__("record_id", r["record_id"].upper())))
G("row-duplicate", "snapshot.duplicate")(lambda m: snap(m, lambda s: s["records"].append(s["records"][0])))
G("row-member-digest", "snapshot.member-digest")(row0(lambda r: r.__setitem__("member_sha256", "AB" * 32)))
G("row-member-digest-null", "snapshot.member-digest")(row0(lambda r: r.__setitem__("member_sha256", None)))
G("row-content-digest", "snapshot.content-digest")(row0(lambda r: r.__setitem__("content_sha256", "ab" * 32)))
G("row-content-digest-short", "snapshot.content-digest")(row0(lambda r: r.__setitem__("content_sha256", "ab")))
case("row-key-order", None)(row0(lambda r: dict(reversed(list(r.items())))))
case("rows-reversed", None)(lambda m: snap(m, lambda s: s.__setitem__("records", s["records"][::-1])))
case("rows-of-another-scene", None)(lambda m: snap(m, lambda s: s["records"].append(foreign(s))))


def foreign(s):
    """A sound row of a scene that the root does not list."""
    row = copy.deepcopy(next(r for r in s["records"] if r["record"]["identity"]["component"] == "positions"))
    row["record"]["identity"]["scene_id"] = "elsewhere"
    row["record_id"] = cm.mk.rid(row["record"]["identity"])
    return row


def content0(f, component="core"):
    return lambda m: m.get(component).on_content.append(f)


G("content-extra-key", "snapshot.content")(content0(lambda c: c.__setitem__("more", 1)))
G("content-schema", "snapshot.content")(content0(lambda c: c.__setitem__("schema", "wireless.numeric")))
G("content-version", "snapshot.content")(content0(lambda c: c.__setitem__("version", 2)))
G("content-version-float", "snapshot.content")(content0(lambda c: c.__setitem__("version", 1.0)))
G("content-component", "snapshot.content")(content0(lambda c: c.__setitem__("component", "detail")))
G("content-field-missing", "snapshot.content")(content0(lambda c: c["arrays"].pop()and None))
G("content-field-twice", "snapshot.content")(content0(lambda c: c["arrays"].append(c["arrays"][-1])))
G("content-order", "snapshot.content")(content0(lambda c: c["arrays"].reverse()))
G("content-field-key", "snapshot.content")(content0(lambda c: c["arrays"][0].__setitem__("more", 1)))
G("content-field-digest", "snapshot.content")(content0(lambda c: c["arrays"][0].__setitem__("c_order_sha256", "xy")))
G("content-dtype", "snapshot.signature")(content0(lambda c: c["arrays"][0].__setitem__("dtype", "<f8")))
G("content-shape", "snapshot.signature")(content0(lambda c: c["arrays"][0].__setitem__("shape", [c["arrays"][0]["shape"][0] + 1])))
G("content-shape-rank", "snapshot.signature")(content0(lambda c: c["arrays"][0]["shape"].append(1)))
G("content-shape-float", "snapshot.signature")(content0(lambda c: c["arrays"][0].__setitem__("shape", [float(c["arrays"][0]["shape"][0])])))
G("content-shape-vec", "snapshot.signature")(content0(lambda c: c["arrays"][0].__setitem__("shape", [c["arrays"][0]["shape"][0], 4]), "positions"))


# ---- headers ----
G("header-extra-key", "header.keys")(header0(lambda h: h.__setitem__("more", 1)))
G("header-missing-key", "header.keys")(header0(lambda h: [h.pop("info"), None][1]))
G("header-info", "header.keys")(header0(lambda h: h.__setitem__("info", [])))
G("header-positions-axis", "header.keys")(header0(lambda h: h.__setitem__("path_axis_sha256", "ab" * 32), "positions"))
G("header-schema", "header.schema")(header0(lambda h: h.__setitem__("schema", "wireless.npz")))
G("header-version", "header.schema")(header0(lambda h: h.__setitem__("version", 1)))
G("header-version-float", "header.schema")(header0(lambda h: h.__setitem__("version", 2.0)))
G("header-component", "header.identity")(header0(lambda h: h["identity"].__setitem__("component", "geometry")))
G("header-identity-key", "header.identity")(header0(lambda h: h["identity"].__setitem__("more", 1)))
G("header-identity-missing", "header.identity")(header0(lambda h: [h["identity"].pop("bs_index"), None][1]))
G("header-scene-empty", "header.identity")(header0(lambda h: h["identity"].__setitem__("scene_id", "")))
G("header-collection-null", "header.identity")(header0(lambda h: h["identity"].__setitem__("collection_id", None)))
G("header-carrier-0", "header.identity")(header0(lambda h: h["identity"].__setitem__("frequency_hz", 0)))
G("header-carrier-null", "header.identity")(header0(lambda h: h["identity"].__setitem__("frequency_hz", None)))
G("header-carrier-float", "header.identity")(header0(lambda h: h["identity"].__setitem__("frequency_hz", 3.5e9)))
G("header-bs-negative", "header.identity")(header0(lambda h: h["identity"].__setitem__("bs_index", -1)))
G("header-bs-true", "header.identity")(header0(lambda h: h["identity"].__setitem__("bs_index", True)))
G("header-positions-carrier", "header.identity")(header0(lambda h: h["identity"].__setitem__("frequency_hz", 1), "positions"))
G("header-positions-bs", "header.identity")(header0(lambda h: h["identity"].__setitem__("bs_index", 0), "positions"))
G("header-conventions", "header.conventions")(header0(lambda h: h.__setitem__("conventions", dict(h["conventions"], sha256="ab" * 32))))
G("header-conventions-ref", "header.conventions")(header0(lambda h: h.__setitem__("conventions", dict(h["conventions"], ref="schema/other.json"))))
G("header-dimension-key", "header.dimensions")(header0(lambda h: h["dimensions"].__setitem__("more", 1)))
G("header-dimension-missing", "header.dimensions")(header0(lambda h: [h["dimensions"].pop("links"), None][1]))
G("header-dimension-negative", "header.dimensions")(header0(lambda h: h["dimensions"].__setitem__("links", -1)))
G("header-dimension-float", "header.dimensions")(header0(lambda h: h["dimensions"].__setitem__("links", float(h["dimensions"]["links"]))))
G("header-dimension-other", "snapshot.signature")(header0(lambda h: h["dimensions"].__setitem__("links", h["dimensions"]["links"] + 1)))
G("header-dependencies-key", "header.dependencies")(header0(lambda h: h["dependencies"].__setitem__("more", 1)))
G("header-pin-key", "header.dependencies")(header0(lambda h: h["dependencies"]["positions"].__setitem__("more", 1)))
G("header-pin-count", "header.dependencies")(header0(lambda h: h["dependencies"]["positions"].__setitem__("bs", -1)))
G("header-axis-pin-key", "header.dependencies")(header0(lambda h: [h["dependencies"]["core_axis"].pop("positions"), None][1], "detail"))
G("header-digest", "header.digest")(header0(lambda h: h.__setitem__("path_axis_sha256", "AB" * 32)))
G("header-pin-digest", "header.digest")(header0(lambda h: h["dependencies"]["positions"].__setitem__("content_sha256", "0")))
G("header-pin-record", "header.pin")(header0(lambda h: h["dependencies"]["positions"].__setitem__("record_id", "ab" * 32)))
G("header-pin-conventions", "header.pin")(header0(lambda h: h["dependencies"]["positions"].__setitem__("conventions_sha256", "ab" * 32)))
G("header-core-record", "header.pin")(header0(lambda h: h["dependencies"]["core_axis"].__setitem__("record_id", "ab" * 32), "detail"))
G("header-core-axis", "header.pin")(header0(lambda h: h["dependencies"]["core_axis"].__setitem__("path_axis_sha256", "ab" * 32), "detail"))
G("header-core-conventions", "header.pin")(header0(lambda h: h["dependencies"]["core_axis"].__setitem__("conventions_sha256", "ab" * 32), "detail"))
G("header-core-positions", "header.pin")(header0(lambda h: h["dependencies"]["core_axis"]["positions"].__setitem__("record_id", "ab" * 32), "detail"))


def own_pin(h, component, **kw):
    pin = h["dependencies"]["positions"] if component == "core" else h["dependencies"]["core_axis"]["positions"]
    pin = dict(pin, **kw)
    if component == "core":
        h["dependencies"] = {"positions": pin}
    else:
        h["dependencies"] = {"core_axis": dict(h["dependencies"]["core_axis"], positions=pin)}


G("pin-content", "snapshot.positions-pin")(header0(lambda h: own_pin(h, "core", content_sha256="ab" * 32)))
G("pin-bs", "snapshot.positions-pin")(header0(lambda h: own_pin(h, "core", bs=7)))
G("pin-ues", "snapshot.positions-pin")(header0(lambda h: own_pin(h, "core", ues=10**6)))
G("pin-detail-axis", "snapshot.core-pin")(header0(lambda h: (h.__setitem__("path_axis_sha256", "cd" * 32), h["dependencies"]["core_axis"].__setitem__("path_axis_sha256", "cd" * 32)) and None, "detail"))
G("pin-detail-ues", "snapshot.positions-pin")(header0(lambda h: own_pin(h, "detail", ues=10**6), "detail"))


@G("pin-detail-paths", "snapshot.core-pin")
def _(m):
    core, detail = two(m)
    detail.arrays["path_interaction_offsets"] = np.append(detail.arrays["path_interaction_offsets"], 6).astype("<i8")


@G("pin-core-positions-differ", "snapshot.core-pin")
def _(m):
    # without the positions row nothing else compares the two pins
    m.hook("snapshot", lambda s: s.__setitem__("records", [r for r in s["records"] if r["record"]["identity"]["component"] != "positions"]))
    m.get("detail").on_header.append(lambda h: own_pin(h, "detail", ues=10**6))


case("positions-row-absent", None, select=["--components", "core,detail"])(lambda m: m.hook(
    "snapshot", lambda s: s.__setitem__("records", [r for r in s["records"] if r["record"]["identity"]["component"] != "positions"])))
case("detail-row-absent", None)(lambda m: m.hook(
    "snapshot", lambda s: s.__setitem__("records", [r for r in s["records"] if r["record"]["identity"]["component"] != "detail"])))
case("core-row-absent", None)(lambda m: m.hook(
    "snapshot", lambda s: s.__setitem__("records", [r for r in s["records"] if r["record"]["identity"] != m.get("core").identity])))

# ---- interpretation documents ----
CONV, PROF, ARR, CODES = ("schema/" + n + ".json" for n in ("conventions", "release-profile", "arrays", "interaction-codes"))


def doc(path, f):
    return lambda m: m.hook("docs", lambda d: f(d[path]) and None)


def doc_bytes(path, f):
    return lambda m: m.hook("doc_bytes", lambda p, b: f(b) if p == path else b)


G("schema-digest", "schema.digest")(lambda m: m.hook("disk", flip(CONV, 60)))
G("schema-digest-arrays", "schema.digest")(lambda m: m.hook("disk", flip(ARR, 60)))
G("schema-digest-pinned", "schema.digest")(doc(CONV, lambda c: c["arrays"].update(sha256="ab" * 32, keep=True)))
G("schema-size", "schema.size")(doc_bytes(CONV, lambda b: b + b" " * (1024 * 1024 - len(b) + 1)))
case("schema-size-limit", None)(doc_bytes(CONV, lambda b: b + b" " * (1024 * 1024 - len(b))))
case("schema-bom", None)(doc_bytes(ARR, lambda b: b"\xef\xbb\xbf" + b))
case("schema-key-order", None)(doc_bytes(ARR, lambda b: json.dumps(dict(reversed(list(json.loads(b).items())))).encode()))
G("schema-duplicate", "json.duplicate-key")(doc_bytes(ARR, lambda b: b[:-1] + b', "schema": "wireless.arrays"}'))
G("schema-nan", "json.syntax")(doc_bytes(ARR, lambda b: b[:-1] + b', "x": NaN}'))
G("schema-reference", "schema.reference")(doc(CONV, lambda c: c["arrays"].update(ref="/schema/arrays.json")))
G("schema-reference-up", "schema.reference")(doc(CONV, lambda c: c["arrays"].update(ref="schema/../schema/arrays.json")))
G("schema-pin-key", "schema.rules")(doc(CONV, lambda c: c["arrays"].update(more=1)))
for i, f in enumerate([
        lambda c: c.update(schema="wireless.conventions"), lambda c: c.update(version=3), lambda c: c.update(version=2.0),
        lambda c: c["angles"].update(acceptance_tolerance_rad=1e-5), lambda c: c["angles"].update(acceptance_comparison="float64"),
        lambda c: c["angles"].update(unit="degree"), lambda c: c["angles"].update(theta="elevation"), lambda c: c["angles"].update(phi="x"),
        lambda c: c["angles"].update(t="arrival"), lambda c: c["angles"].update(r="departure"), lambda c: c["coordinates"].update(z_axis="down"),
        lambda c: c["coordinates"].update(more=1), lambda c: c["delay"].update(unit="ns"), lambda c: c["delay"].update(more=1),
        lambda c: c["coefficient"].update(unit="V"), lambda c: c["coefficient"].update(numeric_representation="polar"),
        lambda c: c["interaction_flags"]["masks"].update({"16": 65536}), lambda c: c["interaction_flags"].update(encoding="sum"),
        lambda c: c.update(interaction_order="UE_to_BS"), lambda c: c["retention"].update(top_k=32)]):
    G(f"schema-conventions-{i}", "schema.rules")(doc(CONV, lambda c, f=f: f(c)))
for i, f in enumerate([
        lambda p: p.update(schema="x"), lambda p: p.update(version=2), lambda p: p.update(name=3),
        lambda p: p["generic_interpretation"]["finite_float_fields"]["core"].pop(),
        lambda p: p["generic_interpretation"]["finite_float_fields"].update(more=[]),
        lambda p: p["generic_interpretation"]["delay"].update(minimum_seconds=1), lambda p: p["generic_interpretation"]["delay"].update(inclusive=False),
        lambda p: p["generic_interpretation"]["angles"].update(tolerance_rad=2e-6), lambda p: p["generic_interpretation"]["angles"].update(theta_interval=["0", "pi"]),
        lambda p: p["generic_interpretation"].update(interaction_codes=[1, 2, 4]), lambda p: p["release_rules"].update(top_k=8),
        lambda p: p["release_rules"].update(max_paths_per_link=17), lambda p: p["release_rules"].update(path_rank_exclusive_upper=17),
        lambda p: p["release_rules"].update(retained_links="any")]):
    G(f"schema-profile-{i}", "schema.rules")(doc(PROF, lambda p, f=f: f(p)))
for i, f in enumerate([
        lambda a: a.update(schema="x"), lambda a: a.update(metadata_version=1), lambda a: a.update(metadata_schema="x"), lambda a: a.update(metadata_key="meta"),
        lambda a: a["fields"]["core"].update(tau="<f8"), lambda a: a["fields"].update(more={}), lambda a: a.update(capabilities={"retained_empty_links": False}),
        lambda a: a["capabilities"].update(more=True)]):
    G(f"schema-arrays-{i}", "schema.rules")(doc(ARR, lambda a, f=f: f(a)))
G("schema-codes", "schema.rules")(doc(CODES, lambda c: c["codes"].update({"16": "more"})))
G("schema-codes-renamed", "schema.rules")(doc(CODES, lambda c: c["codes"].update({"8": "bending"})))
case("schema-unknown-keys", None)(lambda m: m.hook("docs", lambda d: [d[CONV].update(more=1), d[CONV]["angles"].update(more=2), d[CONV]["retention"].update(threshold_db=-200), d[PROF].update(more=1),
                                                                 d[PROF]["release_rules"].update(more=1), d[ARR].update(more=1), d[CODES].update(more=1, version=7)] and None))
case("schema-profile-name", None)(doc(PROF, lambda p: p.update(name="another")))
case("schema-numbers-by-value", None)(doc(PROF, lambda p: p["release_rules"].update(top_k=16.0)))
case("schema-codes-schema", None)(doc(CODES, lambda c: c.update(schema="anything")))


# ---- members ----
G("members-digest", "members.digest", select=None)(lambda m: m.hook("disk", flip("groups/" + next(iter(m.groups)) + "/catalog/members.parquet", 40)))


def retype(old, new):
    return lambda t: t.cast(pa.schema([(f.name, new if f.type == old else f.type) for f in t.schema]))


def not_utf8(name):
    """The first value of a text column ends in a byte that UTF-8 does not have."""
    def f(t):
        v = [x.encode() for x in t[name].to_pylist()]
        v[0] += b"\xff"
        return t.set_column(t.schema.get_field_index(name), name, pa.array(v, pa.binary()).view(pa.string()))
    return f


def members_rows(f):
    return lambda m: m.hook("members", f)


G("members-null", "members.value", AGREE)(members_rows(lambda rows: rows[0].__setitem__("data_offset", None)))
G("members-null-path", "members.value", AGREE)(members_rows(lambda rows: rows[0].__setitem__("object_path", None)))
G("members-digest-form", "members.value", LAXER, "an NPZ's digest in members is never looked at")(members_rows(lambda rows: rows[-1].__setitem__("member_sha256", "AB" * 32)))
G("members-object-path", "members.path")(members_rows(lambda rows: rows[0].__setitem__("object_path", "../x.tar")))
G("members-object-absolute", "members.path")(members_rows(lambda rows: rows[0].__setitem__("object_path", "/etc/passwd")))
G("members-object-dot", "members.path")(members_rows(lambda rows: rows[0].__setitem__("object_path", "groups/./x.tar")))
G("members-object-backslash", "members.path")(members_rows(lambda rows: rows[0].__setitem__("object_path", "groups\\x.tar")))
G("members-member-path", "members.path", AGREE)(members_rows(lambda rows: rows[0].__setitem__("member_path", "records/../../x")))
G("members-duplicate", "members.duplicate", LAXER, "the last row wins")(members_rows(lambda rows: rows.append(dict(rows[0]))))
G("members-column-missing", "members.columns")(lambda m: m.hook("members_table", lambda t: t.drop_columns(["member_path"])))
G("members-column-extra", "members.columns", LAXER, "extra columns are ignored")(lambda m: m.hook("members_table", lambda t: t.append_column("more", pa.array([1] * len(t)))))
G("members-column-twice", "members.columns")(lambda m: m.hook("members_table", lambda t: t.append_column("data_offset", t["data_offset"])))
G("members-column-bytes", "members.columns")(lambda m: m.hook("members_table", retype(pa.string(), pa.binary())))
G("members-not-utf8", "members.columns")(lambda m: m.hook("members_table", not_utf8("member_path")))
case("members-large-string", None)(lambda m: m.hook("members_table", retype(pa.string(), pa.large_string())))
case("members-dictionary", None)(lambda m: m.hook("members_table", lambda t: pa.table({n: t[n].dictionary_encode() if t[n].type == pa.string() else t[n] for n in t.column_names})))
case("members-required", None)(lambda m: m.hook("members_table", lambda t: t.cast(pa.schema([pa.field(f.name, f.type, nullable=False) for f in t.schema]))))
for c in ("gzip", "brotli", "lz4"):
    case("members-" + c, None)(lambda m, c=c: m.hook("members_table", lambda t: m.table_bytes(t, compression=c)))
case("members-delta-strings", None)(lambda m: m.hook("members_table", lambda t: m.table_bytes(t, use_dictionary=False, column_encoding={
    "record_id": "DELTA_BYTE_ARRAY", "object_path": "DELTA_BYTE_ARRAY", "member_path": "DELTA_LENGTH_BYTE_ARRAY", "data_offset": "BYTE_STREAM_SPLIT"})))
case("members-no-arrow-schema", None)(lambda m: m.hook("members_table", lambda t: m.table_bytes(t, store_schema=False, write_statistics=False, row_group_size=1)))
case("members-columns-reordered", None)(lambda m: m.hook("members_table", lambda t: t.select(t.column_names[::-1])))
case("members-uncompressed", None)(lambda m: m.hook("members_table", lambda t: m.table_bytes(t, compression="none", use_dictionary=False)))
case("members-snappy", None)(lambda m: m.hook("members_table", lambda t: m.table_bytes(t, compression="snappy", row_group_size=3)))
case("members-v2", None)(lambda m: m.hook("members_table", lambda t: m.table_bytes(t, data_page_version="2.0", use_dictionary=False, column_encoding={"data_offset": "DELTA_BINARY_PACKED"})))
case("members-sorted", None)(members_rows(lambda rows: sorted(rows, key=lambda r: r["record_id"])))
case("members-row-absent", None)(members_rows(lambda rows: [r for r in rows if "component=detail" not in r["member_path"]]))
case("catalog-changed", None)(lambda m: m.other.update({p: b"anything" for p in m.other}))
case("catalog-absent", None)(lambda m: m.hook("disk", lambda out: [(out / p).unlink() for p in m.other]))
case("catalog-more", None)(lambda m: m.hook("files", lambda rows: rows.append(dict(rows[-1], path="groups/" + next(iter(m.groups)) + "/catalog/extra.parquet", kind="catalog"))))


# ---- geometry ----
def geo(m, f):
    m.get("geometry").on_entries.append(f)


def geo_entry(name, data=b"x", **kw):
    def f(m):
        e = Entry(name, data)
        e.zip64 = False
        for k, v in kw.items():
            setattr(e, k, v)
        geo(m, lambda v: v + [e])
    return f


def geo_set(i, **kw):
    def f(m):
        geo(m, lambda v: [setattr(v[i], k, x) for k, x in kw.items()] and v)
    return f


LINK = 0o120777 << 16
NOT_READ = "an archive's entries are not read"
for n in (0, 8, 12, 14):
    case(f"geometry-method-{n}", None)(lambda m, n=n: geo(m, lambda v: [setattr(e, "method", n) for e in v] and v))
case("geometry-digest", "geometry.digest")(lambda m: (m.hook("members", lambda rows: [r.__setitem__("member_sha256", "ab" * 32) for r in rows if r["member_path"].endswith("geometry.zip")] and None)))
case("geometry-bytes", "geometry.digest")(lambda m: m.hook("disk", flip(tar(m, "geometry"), 512 + 60)))
case("geometry-up", "geometry.entry-name", LAXER, NOT_READ)(geo_entry("../x.obj"))
case("geometry-up-inside", "geometry.entry-name", LAXER, NOT_READ)(geo_entry("meshes/../x.obj"))
case("geometry-absolute", "geometry.entry-name", LAXER, NOT_READ)(geo_entry("/x.obj"))
case("geometry-backslash", "geometry.entry-name", LAXER, NOT_READ)(geo_entry("meshes\\x.obj"))
case("geometry-drive", "geometry.entry-name", LAXER, NOT_READ)(geo_entry("C:/x.obj"))
case("geometry-nul", "zip.name", LAXER, NOT_READ)(geo_entry("x\0.obj"))
case("geometry-no-name", "zip.name", LAXER, NOT_READ)(geo_entry(""))
case("geometry-directory", None)(geo_entry("meshes/", b""))
case("geometry-dots", None)(geo_entry("meshes/..x...obj"))
case("geometry-utf8", None)(geo_entry("meshes/Bäume.obj", flags=0x800))
case("geometry-utf8-broken", "zip.name", AGREE)(geo_entry(b"meshes/B\xff.obj", flags=0x800))
case("geometry-cp437", None)(geo_entry(b"meshes/B\x84ume.obj"))
case("geometry-link", None)(geo_entry("meshes/l.obj", b"../scene.json", external=LINK))
case("geometry-link-up", "geometry.link", LAXER, NOT_READ)(geo_entry("meshes/l.obj", b"../../x", external=LINK))
case("geometry-link-absolute", "geometry.link", LAXER, NOT_READ)(geo_entry("l.obj", b"/etc/passwd", external=LINK))
case("geometry-link-chain", "geometry.link", LAXER, NOT_READ)(lambda m: (geo_entry("d", b".", external=LINK)(m), geo_entry("d/up", b"..", external=LINK)(m)))
case("geometry-link-then-up", "geometry.link", LAXER, NOT_READ)(
    lambda m: (geo_entry("meshes/d", b".", external=LINK)(m), geo_entry("t", b"meshes/d/../..", external=LINK)(m)))
case("geometry-link-down-and-up", None)(lambda m: (geo_entry("meshes/d", b"../meshes/.", external=LINK)(m), geo_entry("t", b"meshes/d/ground.obj", external=LINK)(m)))
case("geometry-link-loop", "geometry.link", LAXER, NOT_READ)(lambda m: (geo_entry("a", b"b", external=LINK)(m), geo_entry("b", b"a", external=LINK)(m)))
case("geometry-link-through", "geometry.link", LAXER, NOT_READ)(lambda m: (geo_entry("d", b"meshes", external=LINK)(m), geo_entry("d/x.obj")(m)))
case("geometry-link-beside", None)(lambda m: (geo_entry("d", b"meshes", external=LINK)(m), geo_entry("d.obj")(m), geo_entry("dd/x.obj")(m)))
case("geometry-duplicate", "zip.duplicate", LAXER, NOT_READ)(geo_entry("scene.json", b"{}"))
case("geometry-crc", "zip.crc", LAXER, NOT_READ)(geo_set(2, crc=5))
case("geometry-size", "zip.size", LAXER, NOT_READ)(geo_set(2, size=5))
case("geometry-data", "zip.data", LAXER, NOT_READ)(geo_set(2, packed=b"\xff" * 30))
case("geometry-local", "zip.local-differs", LAXER, NOT_READ)(geo_set(2, local={"name": b"other.obj"}))
case("geometry-no-zip", "zip.end", CRASH, "BadZipFile")(lambda m: m.get("geometry").on_body.append(lambda b: b"not an archive" * 9))
case("geometry-trailing", "zip.trailing", LAXER, NOT_READ)(lambda m: m.get("geometry").on_body.append(lambda b: b + b"x"))


def scene_json(value):
    def f(m):
        def g(v):
            v[0].data = value(json.loads(v[0].data)) if callable(value) else value
        geo(m, g)
    return f


def entrypoint(x):
    return scene_json(lambda d: json.dumps(dict(d, entrypoint=x)).encode())


case("geometry-entrypoint", "geometry.entrypoint", LAXER, NOT_READ)(entrypoint("absent.xml"))
case("geometry-entrypoint-up", "geometry.entrypoint", LAXER, NOT_READ)(entrypoint("../scene.json"))
case("geometry-entrypoint-type", "geometry.entrypoint", LAXER, NOT_READ)(entrypoint(7))
case("geometry-entrypoint-empty", "geometry.entrypoint", LAXER, NOT_READ)(entrypoint(""))
case("geometry-entrypoint-null", None)(entrypoint(None))
case("geometry-entrypoint-nested", None)(entrypoint("meshes/ground.obj"))
case("geometry-entrypoint-bom", None)(scene_json(lambda d: b"\xef\xbb\xbf" + json.dumps(d).encode()))
case("geometry-scene-syntax", "json.syntax", LAXER, NOT_READ)(scene_json(b"{"))
case("geometry-scene-array", "geometry.entrypoint", LAXER, NOT_READ)(scene_json(b"[]"))
case("geometry-scene-duplicate", "json.duplicate-key", LAXER, NOT_READ)(scene_json(lambda d: json.dumps(d).encode()[:-1] + b', "unit": "metre"}'))
case("geometry-no-scene-json", None)(lambda m: geo(m, lambda v: v[1:]))
case("geometry-no-entry-point", "geometry.entrypoint", LAXER, NOT_READ)(lambda m: geo(m, lambda v: v[2:]))
case("geometry-two-xml", "geometry.entrypoint", LAXER, NOT_READ)(lambda m: (geo(m, lambda v: v[1:]), geo_entry("more.xml")(m)))
case("geometry-empty", "geometry.entrypoint", LAXER, NOT_READ)(lambda m: geo(m, lambda v: []))


# ---- the root ----
def root(f):
    return lambda m: m.hook("root", f)


def R(name, rule, ref=AGREE, why=""):
    return case(name, rule, ref, why, many=True)


IGNORED = "ignored"
R("root-format", "root.format")(root(lambda r: r.__setitem__("format", "channels4world.roots")))
R("root-format-absent", "root.format")(root(lambda r: [r.pop("format"), None][1]))
R("root-version-text", "root.value")(root(lambda r: r.__setitem__("format_version", "1")))
R("root-version-true", "root.value", LAXER, "1 == True")(root(lambda r: r.__setitem__("format_version", True)))
R("root-version-absent", "root.keys")(root(lambda r: [r.pop("format_version"), None][1]))
R("root-array", "root.value", CRASH, "AttributeError")(lambda m: m.hook("root", lambda r: json.dumps([r])))
R("root-syntax", "json.syntax")(lambda m: m.hook("root_text", lambda t: t[:-2]))
R("root-empty", "json.syntax")(lambda m: m.hook("root_text", lambda t: ""))
R("root-duplicate", "json.duplicate-key", LAXER, "c4w-root.json is read laxly")(lambda m: m.hook("root_text", lambda t: t[:-1] + ', "release": "1.0.0"}'))
R("root-nan", "json.syntax", LAXER, "c4w-root.json is read laxly")(lambda m: m.hook("root_text", lambda t: t[:-1] + ', "x": NaN}'))
R("root-utf8", "json.utf8", AGREE)(lambda m: m.hook("root_text", lambda t: t.encode().replace(b"1.0.0", b"1.\xff.0")))
R("root-extra-key", "root.keys", LAXER, IGNORED)(root(lambda r: r.__setitem__("more", 1)))
R("root-table-key", "root.keys", LAXER, IGNORED)(root(lambda r: r["tables"]["files"].__setitem__("more", 1)))
R("root-source-key", "root.keys", LAXER, IGNORED)(root(lambda r: r["source"].__setitem__("more", 1)))
for k in ("kind", "payload", "collection_id", "release", "tiers", "frequencies_hz", "tables", "source"):
    R(f"root-no-{k}", "root.keys", LAXER if k in ("payload", "source") else CRASH, IGNORED if k in ("payload", "source") else "KeyError")(root(lambda r, k=k: [r.pop(k), None][1]))
R("root-hf-repo-absent", "root.keys", LAXER, IGNORED)(root(lambda r: [r.pop("hf_repo"), None][1]))
R("root-table-more", "root.keys", LAXER, IGNORED)(root(lambda r: r["tables"].__setitem__("more", r["tables"]["files"])))
case("root-source-digest", "root.value", LAXER, IGNORED, many=True, kind="subset")(root(lambda r: r["source"].__setitem__("root_sha256", "xyz")))
case("root-source-no-digest", "root.keys", LAXER, IGNORED, many=True, kind="subset")(root(lambda r: [r["source"].pop("root_sha256"), None][1]))
case("root-source-no-kind", "root.keys", LAXER, IGNORED, many=True, kind="subset")(root(lambda r: [r["source"].pop("kind"), None][1]))
R("root-source-release", "root.value", LAXER, IGNORED)(root(lambda r: r["source"].__setitem__("release", 7)))
R("root-kind-type", "root.value", LAXER, IGNORED)(root(lambda r: r.__setitem__("kind", 7)))
R("root-payload-other", "root.value", LAXER, IGNORED)(root(lambda r: r.__setitem__("payload", "loose")))
R("root-release-type", "root.value", LAXER, IGNORED)(root(lambda r: r.__setitem__("release", 1)))
R("root-tier-type", "root.value", LAXER, IGNORED)(root(lambda r: r["tiers"].append(7)))
R("root-tier-twice", "root.value", LAXER, IGNORED)(root(lambda r: r["tiers"].append(r["tiers"][0])))
R("root-carrier-float", "root.value", LAXER, IGNORED)(root(lambda r: r.__setitem__("frequencies_hz", [3.5e9, 2.8e10])))
R("root-source-type", "root.value", LAXER, IGNORED)(root(lambda r: r.__setitem__("source", "here")))
R("root-hf-path", "root.path")(root(lambda r: r.__setitem__("hf_path", "../x")))
R("root-table-path", "root.path")(root(lambda r: r["tables"]["files"].__setitem__("path", "../files.parquet")))
R("root-table-path-absolute", "root.path")(root(lambda r: r["tables"]["scenes"].__setitem__("path", "/tmp/files.parquet")))
R("root-table-digest", "root.table-digest")(root(lambda r: r["tables"]["files"].__setitem__("sha256", "ab" * 32)))
R("root-table-bytes", "root.table-bytes", LAXER, "a table's bytes is ignored")(root(lambda r: r["tables"]["files"].__setitem__("bytes", 7)))
R("root-table-digest-form", "root.value", AGREE)(root(lambda r: r["tables"]["files"].__setitem__("sha256", r["tables"]["files"]["sha256"].upper())))
R("root-table-flipped", "root.table-digest")(lambda m: m.hook("disk", flip("c4w-root/scenes.parquet", 30)))
R("root-table-absent", "root.keys", CRASH, "KeyError")(root(lambda r: [r["tables"].pop("scenes"), None][1]))
case("root-key-order", None)(lambda m: m.hook("root", lambda r: dict(reversed(list(r.items())))))
case("root-compact", None)(lambda m: m.hook("root_text", lambda t: json.dumps(json.loads(t))))
case("root-created-by", None)(root(lambda r: r.__setitem__("created_by", "somebody")))
case("root-hf-null", None)(root(lambda r: r.update(hf_repo=None, hf_path=None)))
case("root-hf-path-tiny", None)(root(lambda r: r.__setitem__("hf_path", "tiny")))
case("root-bom", None)(lambda m: m.hook("root_text", lambda t: b"\xef\xbb\xbf" + t.encode()))


def scenes(f):
    return lambda m: m.hook("scenes", f)


def files(f):
    return lambda m: m.hook("files", f)


def table(name, f):
    return lambda m: m.hook("tables", lambda t: t.__setitem__(name, f(t[name])))


R("scenes-column-missing", "root.table-columns", CRASH, "KeyError")(table("scenes", lambda t: t.drop_columns(["tier"])))
R("scenes-column-extra", "root.table-columns", LAXER, IGNORED)(table("scenes", lambda t: t.append_column("more", pa.array([1] * len(t)))))
R("scenes-column-twice", "root.table-columns", AGREE)(table("scenes", lambda t: t.append_column("tier", t["tier"])))
R("scenes-column-bytes", "root.table-columns")(table("scenes", retype(pa.string(), pa.binary())))
R("scenes-not-utf8", "root.table-columns")(table("scenes", not_utf8("profile")))
case("scenes-dictionary", None)(table("scenes", lambda t: pa.table({n: t[n].dictionary_encode() if t[n].type == pa.string() else t[n] for n in t.column_names})))
R("files-column-missing", "root.table-columns", CRASH, "KeyError")(table("files", lambda t: t.drop_columns(["kind"])))
R("files-column-extra", "root.table-columns", LAXER, IGNORED)(table("files", lambda t: t.append_column("more", pa.array(["x"] * len(t)))))
R("scenes-null", "root.scene-value", LAXER, IGNORED)(scenes(lambda v: v[0].__setitem__("split", None)))
R("scenes-tier", "root.scene-value", LAXER, IGNORED)(scenes(lambda v: v[0].__setitem__("tier", "gigantic")))
R("scenes-twice", "root.scene-duplicate", LAXER, "the last row wins")(scenes(lambda v: v.append(dict(v[0]))))
for i, x in enumerate(["a/b", "..", ".", "", "a\\b", "a\0b"]):
    R(f"scenes-id-{i}", "root.path", AGREE)(scenes(lambda v, x=x: v[0].__setitem__("scene_id", x)))
    R(f"scenes-group-{i}", "root.path", AGREE)(scenes(lambda v, x=x: v[0].__setitem__("group", x)))
for i, x in enumerate(["../x", "/x", "a//b", "a/./b", "a/../b", "a\\b", "", ".", "a/", "a\0b"]):
    R(f"files-path-{i}", "root.path", AGREE)(files(lambda v, x=x: v[-1].__setitem__("path", x)))
R("files-path-twice", "root.file-duplicate", LAXER, "the last row wins")(files(lambda v: v.append(dict(v[0]))))
R("files-path-null", "root.file-value", AGREE)(files(lambda v: v[-1].__setitem__("path", None)))
R("files-bytes-null", "root.file-value", LAXER, IGNORED)(files(lambda v: v[0].__setitem__("bytes", None)))
R("files-bytes-negative", "root.file-value", LAXER, IGNORED)(files(lambda v: v[0].__setitem__("bytes", -1)))
R("files-sha-null", "root.file-value", LAXER, IGNORED)(files(lambda v: v[0].__setitem__("sha256", None)))
R("files-sha-form", "root.file-value", LAXER, IGNORED)(files(lambda v: v[0].__setitem__("sha256", "xyz")))
R("files-component", "root.file-value", LAXER, IGNORED)(files(lambda v: v[0].__setitem__("component", "corr")))
R("files-carrier", "root.file-value", LAXER, IGNORED)(files(lambda v: v[0].__setitem__("frequency_hz", -5)))
R("files-record", "root.file-value", LAXER, IGNORED)(files(lambda v: v[0].__setitem__("record_id", "xyz")))
R("files-group-null", "root.file-value", AGREE)(files(lambda v: [r.__setitem__("group", None) for r in v if r["kind"] == "snapshot"] and None))
R("files-second-snapshot", "root.file-duplicate", LAXER, "the last row wins")(files(lambda v: v.append(dict(next(r for r in v if r["kind"] == "snapshot"), path="groups/other.json"))))
G("files-no-snapshot", "root.group-files", AGREE)(files(lambda v: [r for r in v if r["kind"] != "snapshot"]))
G("files-no-members", "root.group-files", AGREE)(files(lambda v: [r for r in v if r["kind"] != "members"]))
case("files-no-schema-rows", None)(files(lambda v: [r for r in v if r["kind"] != "schema"]))
case("files-reversed", None)(files(lambda v: v[::-1]))
case("files-plain-parquet", None)(lambda m: m.hook("tables", lambda t: {k: m.table_bytes(x, compression="none", use_dictionary=False) for k, x in t.items()}))
case("files-v2-delta", None)(lambda m: m.hook("tables", lambda t: {k: m.table_bytes(x, data_page_version="2.0", row_group_size=4) for k, x in t.items()}))
case("records-no-link", None, kind="subset")(lambda m: channel(m, []))
case("records-twice", "root.record-duplicate", LAXER, "a set", many=True, kind="subset")(lambda m: m.hook("records", lambda v: v.append(dict(v[0]))))
case("records-form", "root.record-value", LAXER, IGNORED, many=True, kind="subset")(lambda m: m.hook("records", lambda v: v.append({"record_id": "xyz"})))
case("records-null", "root.record-value", LAXER, IGNORED, many=True, kind="subset")(lambda m: m.hook("records", lambda v: v.append({"record_id": None})))
case("records-column", "root.table-columns", LAXER, IGNORED, many=True, kind="subset")(table("records", lambda t: t.append_column("more", pa.array([1] * len(t)))))
case("records-absent", "root.keys", LAXER, IGNORED, many=True, kind="subset")(lambda m: m.hook("tables", lambda t: [t.pop("records"), None][1]))
case("records-of-elsewhere", None, kind="subset")(lambda m: m.hook("records", lambda v: v.append({"record_id": "ab" * 32})))
case("payload-record-twice", "root.file-duplicate", AGREE, "", many=True, kind="subset")(
    files(lambda v: v.append(dict(next(r for r in v if r["kind"] == "payload"), path="records/again.npz"))))


# ---- caches ----
def part(f, component="core", n=0):
    """f(index, bodies) on the n-th part of a component."""
    def add(m):
        seen = []

        def g(c, hz, index, bodies):
            if c == component:
                seen.append(hz)
                if len(seen) == n + 1:
                    return f(index, bodies)
        m.on_part = getattr(m, "on_part", []) + [g]
    return add


def C(name, rule, ref=AGREE, why="", many=True):
    return case(name, rule, ref, why, many=many, kind="cache")


case("cache-sound", None, kind="cache")(lambda m: None)
case("cache-no-link", None, kind="cache")(lambda m: channel(m, []))
case("cache-index-compact", None, kind="cache")(part(lambda i, b: json.dumps(i).encode()))
case("cache-index-bom", None, kind="cache")(part(lambda i, b: b"\xef\xbb\xbf" + json.dumps(i).encode()))
C("cache-index-digest", "cache.index-digest")(lambda m: m.hook("disk", lambda out: [p.write_bytes(p.read_bytes() + b" ") for p in out.glob("cache/*/positions/index.json")]))
C("cache-index-syntax", "json.syntax")(part(lambda i, b: json.dumps(i).encode()[:-1]))
C("cache-index-duplicate", "json.duplicate-key", LAXER, "index.json is read laxly")(part(lambda i, b: json.dumps(i).encode()[:-1] + b', "component": "core"}'))
C("cache-index-key", "cache.index-keys", LAXER, IGNORED)(part(lambda i, b: dict(i, more=1)))
C("cache-index-no-key", "cache.index-keys", CRASH, "KeyError")(part(lambda i, b: {k: v for k, v in i.items() if k != "component"}))
C("cache-index-array", "cache.index-keys")(part(lambda i, b: json.dumps([i]).encode()))
C("cache-index-component", "cache.index-value", CRASH, "KeyError")(part(lambda i, b: dict(i, component="detail")))
C("cache-index-carrier", "cache.index-value", LAXER, IGNORED)(part(lambda i, b: dict(i, frequency_hz=5)))
C("cache-index-record-twice", "cache.index-record", AGREE)(part(lambda i, b: dict(i, records=i["records"] + i["records"][:1])))
C("cache-index-record-form", "cache.index-record", CRASH, "KeyError")(part(lambda i, b: dict(i, records=i["records"] + ["xyz"])))
C("cache-index-record-strange", "cache.index-record", CRASH, "KeyError")(part(lambda i, b: dict(i, records=i["records"] + ["ab" * 32])))
C("cache-index-field", "cache.index-field", CRASH, "KeyError")(part(lambda i, b: dict(i, fields=dict(i["fields"], more=i["fields"]["tau"]))))
C("cache-index-field-absent", "cache.index-field", AGREE)(part(lambda i, b: dict(i, fields={k: v for k, v in i["fields"].items() if k != "tau"})))
C("cache-index-field-escapes", "cache.index-field", AGREE)(part(lambda i, b: dict(i, fields=dict(i["fields"], tau="../tau.npy"))))
C("cache-index-field-unlisted", "cache.index-field", LAXER, "unlisted field paths are accepted")(
    lambda m: (part(lambda i, b: (setattr(m, "tau_path", i["fields"]["tau"]), dict(i, fields=dict(i["fields"], tau="cache/tau.npy")))[1])(m),
               m.hook("disk", lambda out: shutil.copy(out / m.tau_path, out / "cache/tau.npy"))))


def reversion(version):
    def f(i, b):
        a = np.load(io.BytesIO(b["tau"]))
        b["tau"] = npy(a, version=version)
    return part(f)


C("cache-array-version", "cache.array-header", LAXER, "NPY 3.0 is accepted")(reversion((3, 0)))
case("cache-array-version-2", None, kind="cache")(reversion((2, 0)))
case("cache-array-fortran", None, kind="cache")(
    part(lambda i, b: b.__setitem__("interaction_vertex", npy(np.load(io.BytesIO(b["interaction_vertex"])), fortran=True)), component="detail"))
case("cache-array-fortran-1d", None, kind="cache")(part(lambda i, b: b.__setitem__("tau", npy(np.load(io.BytesIO(b["tau"])), fortran=True))))
C("cache-array-fortran-nan", "detail.not-finite", many=False)(lambda m: (
    poke(m, "detail", "interaction_vertex", (1, 2), np.nan),
    part(lambda i, b: b.__setitem__("interaction_vertex", npy(np.load(io.BytesIO(b["interaction_vertex"])), fortran=True)), component="detail", n=1)(m)))
C("cache-array-header-20000", "cache.array-header", AGREE)(part(lambda i, b: b.__setitem__("tau", npy(np.load(io.BytesIO(b["tau"])), pad=20000))))
case("cache-array-header-10000", None, kind="cache")(part(lambda i, b: b.__setitem__("tau", npy(np.load(io.BytesIO(b["tau"])), pad=10000 - 70))))
C("cache-array-dtype", "cache.array-header")(part(lambda i, b: b.__setitem__("tau", b["tau"].replace(b"<f4", b"<i4"))))
C("cache-array-big", "cache.array-header")(part(lambda i, b: b.__setitem__("tau", b["tau"].replace(b"<f4", b">f4"))))
C("cache-array-length", "cache.array-length")(part(lambda i, b: b.__setitem__("tau", npy(np.zeros(3, "<f4")))))
C("cache-array-trailing", "cache.array-size", LAXER, "a trailing byte passes")(part(lambda i, b: b.__setitem__("tau", b["tau"] + b"\0")))
C("cache-array-short", "cache.array-size", AGREE)(part(lambda i, b: b.__setitem__("tau", b["tau"][:-1])))
C("cache-array-bytes", "cache.array-size", LAXER, "an array file's bytes is not compared")(files(lambda v: [r.__setitem__("bytes", r["bytes"] + 1) for r in v if r["path"].endswith("3500000000/tau.npy") and "core" in r["path"]] and None))
C("cache-array-magic", "npy.magic", AGREE)(part(lambda i, b: b.__setitem__("tau", b"X" + b["tau"][1:])))
C("cache-delay-negative", "core.delay-negative", many=False)(lambda m: poke(m, "core", "tau", 0, -1))
C("cache-detail-flags", "detail.flags", many=False)(lambda m: (two(m), poke(m, "core", "interaction_flags", 0, 2 | 16)))
C("cache-content", "record.content", many=False)(lambda m: m.hook("disk", lambda out: [flip(p, -1)(out) for p in out.glob("cache/*/core-3500000000/a_real.npy")]))
C("cache-path-axis", "core.path-axis", many=False)(lambda m: m.get("core").on_header.append(lambda h: h.__setitem__("path_axis_sha256", "ab" * 32)))
C("cache-geometry-bytes", "geometry.digest", many=False)(lambda m: m.hook("disk", flip(m.get("geometry").member_path, 60)))
C("cache-members-flipped", "members.digest", many=False)(lambda m: m.hook("disk", flip("groups/" + next(iter(m.groups)) + "/catalog/members.parquet", 40)))
C("cache-part-twice", "root.file-duplicate", LAXER, "the last row wins")(files(lambda v: v.append(dict(next(r for r in v if r["kind"] == "cache_index"), path="cache/again.json"))))

BASE_ARGS = ["--groups", "1", "--scenes", "1", "--bs", "2", "--ues", "8", "--seed", "5", "--stored"]


def make_base(out):
    subprocess.run([sys.executable, str(Path(__file__).resolve().parent / "make_channels4world.py"), str(out)] + BASE_ARGS, check=True)


class Maker:
    """Makes cases from one base root."""

    def __init__(self, base=None):
        self.tmp = None
        if base is None:
            self.tmp = tempfile.TemporaryDirectory()
            base = Path(self.tmp.name) / "base"
            make_base(base)
        self.base = Path(base)
        self.model = Model(self.base)

    def make(self, case, out):
        m = copy.deepcopy(self.model)
        case.make(m)
        {"release": m.write, "subset": m.write_subset, "cache": m.write_cache}[case.kind](out)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("out", nargs="?")
    ap.add_argument("names", nargs="*")
    ap.add_argument("--base", help="the sound release root to start from (default: a small one is made)")
    ap.add_argument("--list", action="store_true")
    a = ap.parse_args()
    if a.list:
        for c in CASES.values():
            print(c.name, c.rule or "-", c.ref, c.why, sep="\t")
        return
    if not a.out:
        ap.error("OUT is missing")
    maker = Maker(a.base)
    for name in a.names or CASES:
        maker.make(CASES[name], Path(a.out) / name)


if __name__ == "__main__":
    main()
