#!/usr/bin/env python3
"""Write TimeF datasets with the reference package (timenet==0.1.0), and what a reader must report on them.

    python make_timef_fixtures.py OUT [--size small|medium|large] [--backend parquet|zarr] [--seed N] ...

OUT becomes a registry root: OUT/<org>/<name>/<version>/manifest.json ...  Beside each dataset, outside its own
folder, goes OUT/<org>/<name>@<version>.expected.json.  Everything in that file is obtained by reading the dataset
back with the reference reader; nothing is copied from the generator's inputs.

Needs: pip install 'timenet[zarr]==0.1.0'   (zarr only for --backend zarr).
"""

import argparse
from fractions import Fraction
import hashlib
import json
import math
from pathlib import Path
import shutil
import struct
import sys
import time
import uuid

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from timenet.dataset import TimeFDataset, TimeSeries
from timenet.dataset.axis import IrregularAxis, OrdinalAxis, RegularAxis
from timenet.errors import TimeNetError
from timenet.format.checksums import file_checksum
from timenet.format.schemas import UUID16
from timenet.reader import TimeFReader
from timenet.registry.version import DatasetVersion
from timenet.types import (
    Access,
    Annotation,
    AnswerTask,
    ClassificationTask,
    DatasetMetadata,
    DataSource,
    ForecastingTask,
    ScalarPredictionTask,
    StepInterval,
    StepPoint,
    TemporalLocalizationTask,
    TimeInterval,
    TimePoint,
    TimeSeriesSpec,
    TSCorrespondenceTask,
    TSEditingTask,
    TSGenerationTask,
)
from timenet.types.spans import StepSpan
from timenet.writer import TimeFWriter

DTYPES = ("bool", "float32", "float64", "int8", "int16", "int32", "uint8", "uint16", "uint32", "str", "enum")
CATEGORIES = ("sinus", "afib", "bradycardia", "tachycardia", "höher °")  # codebook order is not sorted order
WORDS = ("ok", "", "leads off", "Patient bewegt sich", "多语言文本", "line\nbreak", "tab\there", 'quote"back\\slash', "é")

# chunk, row group, values shard, control part: uncompressed byte targets handed to the writer
TARGETS = {
    "small": (2048, 8192, 16384, 3000),
    "medium": (256 << 10, 1 << 20, 8 << 20, 128 << 10),
    "large": (1 << 20, 4 << 20, 128 << 20, 128 << 20),  # the reference's defaults
}


class Ids:
    """Hand out entity ids of the asked kind, the same ones for the same seed."""

    def __init__(self, kind, seed):
        self.kind, self.n = kind, 0
        self.rng = np.random.default_rng([seed, 77])

    def __call__(self, role, name):
        kind = self.kind
        if kind == "mixed":  # one logical id stored as uuid16, the others as text
            kind = "uuid" if role in {"record", "series"} else "string"
        if kind == "uuid":
            return str(uuid.UUID(bytes=self.rng.bytes(16), version=4))
        if kind == "int":  # TimeF has no integer ids: these are decimal strings, so "10" sorts before "9"
            self.n += 1
            return str(self.n)
        return f"{role}-{name}"


def values_for(dtype, n, rng, *, nullable=False, edge=True, wide=False):
    """Make n values of one dtype; edge plants the awkward ones, wide makes the plane high-cardinality."""
    if dtype == "bool":
        out = list(map(bool, rng.integers(0, 2, n)))
    elif dtype == "enum":
        out = [CATEGORIES[i] for i in rng.integers(0, len(CATEGORIES), n)]
    elif dtype == "str":
        if wide:
            out = [f"note {i:07d} " + "x" * int(rng.integers(0, 40)) for i in range(n)]
        else:
            out = [WORDS[i] for i in rng.integers(0, len(WORDS), n)]
    elif dtype.startswith("float"):
        t = np.arange(n) / 97.0
        arr = np.sin(t) * 1.5 + 0.25 * np.sin(7.1 * t)
        if wide:
            arr = arr + rng.normal(0, 0.01, n)
        else:
            arr = np.round(arr, 3)
        arr = arr.astype(dtype)
        if edge and n >= 16:
            arr[2], arr[3], arr[5], arr[7] = np.nan, np.inf, -np.inf, -0.0
            arr[9], arr[11] = np.finfo(dtype).tiny / 4, np.finfo(dtype).max
        out = arr
    else:
        info = np.iinfo(dtype)
        if wide:
            out = rng.integers(info.min, info.max, n, dtype=dtype, endpoint=True)
        else:
            out = (rng.integers(-90, 90, n) + (0 if info.min else 100)).astype(dtype)
        if edge and n >= 8:
            out[1], out[4] = info.min, info.max
    if nullable:
        out = [v if isinstance(v, (str, bool)) else v.item() for v in out]
        mask = rng.random(n) < 0.2
        if n > 3:
            mask[0], mask[n - 1] = True, False
        out = [None if m else v for v, m in zip(out, mask)]
    return out


def offsets_for(n, rng, *, start=0):
    """Non-decreasing microsecond offsets with repeats, long gaps and one huge jump."""
    step = rng.integers(0, 50_000, n)
    step[rng.random(n) < 0.1] = 0
    if n > 10:
        step[n // 2] += 3_600_000_000
    out = np.cumsum(step) + start
    return out.astype(np.int64)


def build(args):
    rng = np.random.default_rng(args.seed)
    ids = Ids(args.ids, args.seed)
    device = DataSource(data_source_type="device", name="Bedside monitor", provider="ACME")
    ds = TimeFDataset(
        metadata=DatasetMetadata(
            dataset_id=args.id,
            dataset_version=args.version,
            name=f"Generated {args.profile} {args.size}",
            description='Synthetic "everything" set\nwith a second line and ünïcode.',
            license="other" if args.profile == "full" else "CC0-1.0",
            license_url="https://example.org/licence" if args.profile == "full" else None,
            domains=("cardiology", "general"),
            tags=("synthetic", f"seed-{args.seed}"),
            source_url="https://example.org/data",
            citation=None,
            access=Access.CREDENTIALED if args.profile == "full" else Access.OPEN,
            access_url="https://example.org/access" if args.profile == "full" else None,
        )
    )

    def spec(name, dtype, **kw):
        return TimeSeriesSpec(
            spec_type=name,
            name=name.replace("_", " ").title(),
            unit_value=kw.pop("unit", "dimensionless"),
            data_source=kw.pop("source", None),
            dtype=dtype,
            categories=CATEGORIES if dtype == "enum" else (),
            **kw,
        )

    if args.profile == "tiny":
        s = spec("ecg", "float32", unit="millivolt")
        ds.add_record(
            record_id=ids("record", "0"),
            start_time=1_700_000_000_000_000,
            time_series=(
                TimeSeries.from_values(
                    np.array([0.5, -1.25, 2.0, 3.5], dtype=np.float32),
                    spec=s,
                    signal="I",
                    time_axis=RegularAxis.from_rate_hz(360),
                    time_series_id=ids("series", "0"),
                ),
            ),
        )
        return ds

    if args.profile == "pages":  # big but very compressible: several pages a chunk, a dictionary that overflows
        k = np.arange(700_000)
        made = [
            (spec("long_text", "str"), [f"{i:05d}" + "abcdefgh" * 25 for i in range(13_000)]),
            (spec("periodic", "float32"), (k % 1000).astype(np.float32) / 8),  # dictionary, several pages
            (spec("ramp", "float32"), k[:300_000].astype(np.float32)),  # byte stream split, several pages
            (spec("counter", "int32"), (k[:72_000] * 3).astype(np.int32)),  # plain
            (spec("flags", "bool"), [bool(v & 64) for v in k.tolist()]),
            (spec("sparse", "int16", nullable=True), [None if v % 5 else v % 300 for v in k[:200_000].tolist()]),
        ]
        ds.add_record(record_id=ids("record", "pages"), time_series=tuple(
            TimeSeries.from_values(v, spec=sp, signal=sp.spec_type, time_axis=OrdinalAxis(),
                                   time_series_id=ids("series", sp.spec_type)) for sp, v in made))
        irr = spec("events", "float64")
        n = 150_000
        ds.add_record(record_id=ids("record", "events"), start_time=-1, time_series=(TimeSeries.from_irregular(
            np.arange(n) % 7 / 2, time_offsets_us=np.arange(n, dtype=np.int64) * 1_000_003 + 2**55, spec=irr,
            signal="events", time_series_id=ids("series", "events")),))
        return ds

    scale = {"small": 1, "medium": 40, "large": 40}[args.size]
    floats_only = args.profile == "floats"
    dtypes = [d for d in DTYPES if d.startswith("float")] if floats_only else DTYPES
    specs = {}
    for dtype in dtypes:
        unit = "millivolt" if dtype.startswith("float") else "dimensionless"
        specs[dtype, False] = spec(f"{dtype}_plain", dtype, unit=unit, source=device)
        specs[dtype, True] = spec(f"{dtype}_opt", dtype, unit=unit, nullable=True)

    axes = {
        "regular": [RegularAxis.from_rate_hz(360), RegularAxis.from_rate_hz(Fraction("29.97")),
                    RegularAxis(period_us=Fraction(1)), RegularAxis(period_us=Fraction(10**6 * 86400), start_index=3),
                    RegularAxis.from_rate_hz(44100)],
        "ordinal": [OrdinalAxis()],
    }
    starts = {  # deliberately: past 2**53, before 1970, absent
        ("regular", False): 9_007_199_254_740_993,
        ("regular", True): -62_135_596_800_000_000,
        ("irregular", False): 1_785_888_000_000_000,
        ("irregular", True): None,
        ("ordinal", False): None,
        ("ordinal", True): 0,
    }
    records = {}
    for (kind, nullable), start in starts.items():
        series = []
        for k, dtype in enumerate(dtypes):
            n = int(rng.integers(20, 60)) * scale + (1 if kind == "ordinal" and k == 0 else 0)
            if kind == "ordinal" and k == 1:
                n = 1  # one-value series
            vals = values_for(dtype, n, rng, nullable=nullable)
            common = dict(spec=specs[dtype, nullable], signal=f"{dtype} {kind}",
                          source_id=None if k % 3 == 2 else ids("source", f"{kind}-{k // 3}"),
                          time_series_id=ids("series", f"{kind}-{'opt' if nullable else 'plain'}-{dtype}"))
            if kind == "irregular":
                series.append(TimeSeries.from_irregular(
                    vals, time_offsets_us=offsets_for(n, rng, start=int(rng.integers(0, 1_000_000))), **common))
            else:
                choice = axes[kind]
                series.append(TimeSeries.from_values(vals, time_axis=choice[k % len(choice)], **common))
        records[kind, nullable] = ds.add_record(
            record_id=ids("record", f"{kind}-{'opt' if nullable else 'plain'}"),
            time_series=tuple(series), start_time=start,
            subject_ids=() if kind == "ordinal" else tuple(ids("subject", f"{i}") for i in range(1 + nullable)),
        )

    # one record that shares a series with another, and holds a window of it (start_index > 0) and a time_span
    base = records["regular", False].time_series[0 if floats_only else 1]
    window = TimeSeries.from_values(
        values_for("float32", 30, rng, edge=False), spec=specs["float32", False], signal="window",
        time_axis=base.time_axis.at_index(17), source_id=base.source_id, time_series_id=ids("series", "window"))
    shared = ds.add_record(record_id=ids("record", "shared"), time_series=(base, window),
                           subject_ids=records["regular", False].subject_ids, start_time=1,
                           time_span=TimeInterval.micros(0, 10**12))

    # long series: many chunks, row groups and shards
    long_n = {"small": 2400, "medium": 250_000, "large": 250_000}[args.size]
    long_series = [
        TimeSeries.from_values(values_for("float32", long_n, rng, edge=False, wide=True), spec=specs["float32", False],
                               signal="long", time_axis=RegularAxis.from_rate_hz(256), time_series_id=ids("series", "long-f32")),
        TimeSeries.from_irregular(values_for("float64", long_n // 3, rng, wide=True), spec=specs["float64", False],
                                  time_offsets_us=offsets_for(long_n // 3, rng), signal="long irregular",
                                  time_series_id=ids("series", "long-irr")),
    ]
    if not floats_only:
        long_series += [
            TimeSeries.from_values(values_for("int32", long_n, rng, wide=True), spec=specs["int32", False], signal="long",
                                   time_axis=RegularAxis.from_rate_hz(256), time_series_id=ids("series", "long-i32")),
            TimeSeries.from_values(values_for("str", long_n // 4, rng, wide=True), spec=specs["str", False], signal="long",
                                   time_axis=OrdinalAxis(), time_series_id=ids("series", "long-str")),
            TimeSeries.from_values(values_for("enum", long_n, rng, nullable=True), spec=specs["enum", True], signal="long",
                                   time_axis=OrdinalAxis(), time_series_id=ids("series", "long-enum")),
            TimeSeries.from_values(values_for("bool", long_n, rng, nullable=True), spec=specs["bool", True], signal="long",
                                   time_axis=RegularAxis.from_rate_hz(10), time_series_id=ids("series", "long-bool")),
        ]
        # Parquet sorts a spec's first row group by (source_id or "", signal, id); a source id keeps these behind it
        allnull = TimeSeries.from_values([None] * 25, spec=specs["int16", True], signal="all missing",
                                         time_axis=OrdinalAxis(), time_series_id=ids("series", "all-null"))
        odd = spec("temp/°C 100%", "float32", unit="degC")
        long_series += [allnull, TimeSeries.from_values(
            values_for("float32", 20, rng), spec=odd, signal="odd name", time_axis=OrdinalAxis(),
            time_series_id=ids("series", "odd-name"))]
        # nothing but the Zarr fill value: Zarr then stores no chunk for it at all
        silent = spec("silent", "float32")
        long_series.append(TimeSeries.from_values(
            np.zeros(40, dtype=np.float32), spec=silent, signal="flat line",
            time_axis=RegularAxis(period_us=Fraction(2500, 3)), time_series_id=ids("series", "silent")))
    long_rec = ds.add_record(record_id=ids("record", "long"), time_series=tuple(long_series))

    if args.backend == "zarr" and not floats_only:
        n = 24 * scale
        v3 = spec("vec3", "float32", value_shape=(3,), dimension_names=("axis",))
        mat = spec("mat", "int16", value_shape=(2, 4), dimension_names=("row", "col"), nullable=True)
        cube = spec("cube", "float64", value_shape=(2, 2, 2))

        def tensor(sp, arr):
            size = int(np.prod(sp.value_shape))
            typ = pa.fixed_shape_tensor(pa.from_numpy_dtype(arr.dtype), sp.value_shape,
                                        dim_names=sp.dimension_names or None)
            store = pa.FixedSizeListArray.from_arrays(pa.array(arr.reshape(-1)), size)
            out = pa.FixedShapeTensorArray.from_storage(typ, store)
            return lambda: out

        a = rng.normal(0, 1, (n, 3)).astype(np.float32)
        b = rng.integers(-500, 500, (n, 2, 4)).astype(np.int16)
        c = rng.normal(0, 1, (n, 2, 2, 2))
        offs = offsets_for(n, rng, start=5)
        ds.add_record(record_id=ids("record", "tensor"), start_time=10, time_series=(
            TimeSeries(spec=v3, signal="acc", time_axis=RegularAxis.from_rate_hz(50), loader=tensor(v3, a), n_values=n,
                       time_series_id=ids("series", "vec3")),
            TimeSeries(spec=mat, signal="grid", time_axis=OrdinalAxis(), loader=tensor(mat, b), n_values=n,
                       time_series_id=ids("series", "mat")),
            TimeSeries(spec=cube, signal="cube", time_axis=IrregularAxis.spanning(offs), loader=tensor(cube, c),
                       time_offsets_loader=lambda: pa.array(offs), n_values=n, time_series_id=ids("series", "cube")),
        ))

    # filler: many plain records, so that every control table has several parts and row groups
    filler = {"small": 16, "medium": 1500, "large": 0}[args.size]
    extra = []
    for i in range(filler):
        extra.append(ds.add_record(
            record_id=ids("record", f"fill-{i:05d}"), start_time=None if i % 4 == 0 else 1_600_000_000_000_000 + i,
            subject_ids=(ids("subject", f"fill-{i % 7}"),) if args.ids != "int" else (),
            time_series=(TimeSeries.from_values(
                values_for("float32", 12 + i % 5, rng, edge=False), spec=specs["float32", False], signal="f",
                time_axis=RegularAxis(period_us=Fraction(1000, 1 + i % 3) if i % 3 < 2 else Fraction(500)),
                time_series_id=ids("series", f"fill-{i:05d}")),)))
    if args.size == "large":
        target = args.values_mb * 10**6
        per = 8_000_000  # bytes per series: several 1 MiB chunks
        kinds = [("float32", False, True), ("float64", False, False), ("int16", None, False), ("float32", False, False)]
        bulk16 = spec("adc", "int16")
        k = 0
        while target > 0:
            dtype, nul, wide = kinds[k % len(kinds)]
            sp = bulk16 if nul is None else specs[dtype, False]
            n = per // np.dtype(dtype).itemsize
            t = np.arange(n)
            if dtype == "int16":
                arr = (1000 * np.sin(t / 50 + k) + rng.integers(-8, 8, n)).astype(np.int16)
            elif wide:
                arr = (np.sin(t / 97 + k) + rng.normal(0, 0.01, n)).astype(dtype)
            else:
                arr = np.round(np.sin(t / 97 + k), 3).astype(dtype)
            kw = dict(spec=sp, signal=f"bulk {k % len(kinds)}", time_series_id=ids("series", f"bulk-{k:05d}"))
            if k % 8 == 1:
                ts = TimeSeries.from_irregular(arr, time_offsets_us=np.cumsum(rng.integers(1, 9000, n)), **kw)
            else:
                ts = TimeSeries.from_values(arr, time_axis=RegularAxis.from_rate_hz(1000), **kw)
            extra.append(ds.add_record(record_id=ids("record", f"bulk-{k:05d}"), time_series=(ts,),
                                       start_time=1_700_000_000_000_000 + k))
            target -= per
            k += 1

    # ---- annotations: every value type, every shape, shared, scoped, registered ------------------------------
    r0, rirr, rord = records["regular", False], records["irregular", False], records["ordinal", False]
    cohort = Annotation(key="cohort", value="A ✓", id=ids("ann", "cohort"), description="Study arm")
    r0.add_annotations([
        cohort,
        Annotation(key="age", value=64, unit="years", id=ids("ann", "age")),
        Annotation(key="weight", value=71.5, unit="kg", id=ids("ann", "weight"), source="nurse"),
        Annotation(key="smoker", value=False, id=ids("ann", "smoker")),
        Annotation(key="leads", value=["I", "II", 3, None, 1e400], id=ids("ann", "leads")),
        Annotation(key="meta", value={"a": {"b": [1, 2.5, "é\n"]}, "z": None}, id=ids("ann", "meta")),
        Annotation(key="stimulus", span=TimePoint.micros(5), id=ids("ann", "stim")),
        Annotation(key="artifact", value="motion", source="rater 2", id=ids("ann", "artifact"),
                   span=TimeInterval.micros(0, 7, time_series_ids=(base.time_series_id,))),
    ])
    shared.add_annotation(cohort)
    rirr.add_annotation(Annotation(key="stimulus", span=TimePoint.micros(rirr.time_series[0].span_us[0]),
                                   id=ids("ann", "stim-irr")))
    rord.add_annotation(Annotation(key="age", value=2**60 + 1, unit="years", id=ids("ann", "age-big")))
    ds.register_annotations([
        Annotation(key="definition", value="what afib looks like", id=ids("ann", "registered-0")),
        Annotation(key="definition", value="what noise looks like", id=ids("ann", "registered-1")),
    ])
    registered = [a.id for a in ds.registered_annotations]
    for i, rec in enumerate(extra[: 60 if args.size != "medium" else 2000]):
        rec.add_annotation(Annotation(key="quality", value=i / 7, id=ids("ann", f"fill-{i:05d}")))
        if i % 3 == 0:
            rec.add_annotation(cohort)

    # ---- tasks: all eight types, both span frames, every way to name an answer -------------------------------
    ord_ts = rord.time_series[0]
    cls = ClassificationTask(target="afib", target_schema="rhythm", id=ids("task", "cls-0"))
    loc_none = TemporalLocalizationTask(target=(), mode="exhaustive", id=ids("task", "loc-none"))
    ds.add_tasks(r0, [
        cls,
        ClassificationTask(target="noise", scope=TimeInterval.micros(0, 4, time_series_ids=(base.time_series_id,)),
                           id=ids("task", "cls-scoped")),
        AnswerTask(target="A caption ✓", id=ids("task", "caption")),
        AnswerTask(prompt="What rhythm?", target="Afib.", rationale="No P waves.\nIrregular.", from_tasks=(cls,),
                   input_annotation_ids=(cohort.id, registered[0]), id=ids("task", "answer")),
        ScalarPredictionTask(target=62.25, unit="bpm", target_name="mean_rate", id=ids("task", "scalar")),
        ScalarPredictionTask(target=float("nan"), id=ids("task", "scalar-nan")),
        TemporalLocalizationTask(prompt="Where?", target=(TimePoint.micros(3), TimeInterval.micros(
            1, 6, time_series_ids=(base.time_series_id,))), from_tasks=(cls,), id=ids("task", "loc")),
        loc_none,
        TemporalLocalizationTask(target_annotation_ids=(r0.annotations[7].id,), id=ids("task", "loc-ref")),
        ForecastingTask(scope=TimeInterval.micros(0, 3), target_span=TimeInterval.micros(3, 7), id=ids("task", "fc-span")),
        TSGenerationTask(prompt="Make a wave.", target_record_id=shared.record_id, id=ids("task", "gen")),
    ])
    ds.add_task(rord, ClassificationTask(target="step", scope=StepPoint(time_series_id=ord_ts.time_series_id, start=2),
                                         id=ids("task", "cls-step")))
    ds.add_task(rord, ForecastingTask(
        scope=StepInterval(time_series_id=ord_ts.time_series_id, start=0, stop=4),
        target_span=StepInterval(time_series_id=ord_ts.time_series_id, start=4, stop=9), id=ids("task", "fc-step")))
    ds.add_task((r0, shared), ForecastingTask(context_record_ids=(r0.record_id,), target_record_id=shared.record_id,
                                              from_tasks=(loc_none,), id=ids("task", "fc-rec")))
    ds.add_task(r0, TSEditingTask(prompt="Denoise.", source_record_id=r0.record_id, target_record_id=rirr.record_id,
                                  id=ids("task", "edit")))
    ds.add_task(r0, TSCorrespondenceTask(candidate_record_ids=(shared.record_id, rirr.record_id),
                                         target=(rirr.record_id,), id=ids("task", "match")))
    ds.add_task((r0, rirr), TSCorrespondenceTask(target_time_series_ids=(base.time_series_id,), id=ids("task", "match-ts")))
    ds.add_task(long_rec, AnswerTask(prompt="Which definition?", target_annotation_ids=(registered[1],),
                                     id=ids("task", "answer-ref")))
    for i, rec in enumerate(extra[: 60 if args.size != "medium" else 2000]):
        ds.add_task(rec, ClassificationTask(target=("good", "bad")[i % 2], id=ids("task", f"fill-{i:05d}")))
    return ds


def hide_tensor_steps(version_dir, seed):
    """Mark some steps of the nullable N-D array missing, in place.

    The reference reads such data, but its Zarr writer cannot produce it (pyarrow 26 refuses to turn a tensor array
    with nulls into an ndarray), so the steps are hidden after the write and the manifest entries are renewed.
    """
    import zarr

    array = zarr.open_array(store=str(version_dir / "time_series.zarr" / "_validity" / "mat"), mode="r+")
    array[:] = np.random.default_rng([seed, 5]).random(array.shape[0]) > 0.25
    path = version_dir / "manifest.json"
    manifest = json.loads(path.read_text())
    for part in manifest["files"]["time_series"]:
        if "/_validity/mat/" in part["path"]:
            part["size"] = (version_dir / part["path"]).stat().st_size
            part["checksum"] = file_checksum(version_dir / part["path"])
    path.write_text(json.dumps(manifest, indent=2))


# ---- expected.json: read everything back with the reference reader ----------------------------------------------


def jnum(x):
    """A JSON-safe scalar: non-finite floats become the strings NaN, Infinity, -Infinity."""
    if isinstance(x, (np.bool_, bool)):
        return bool(x)
    if isinstance(x, (np.integer, int)):
        return int(x)
    if isinstance(x, (np.floating, float)):
        x = float(x)
        if math.isnan(x):
            return "NaN"
        if math.isinf(x):
            return "Infinity" if x > 0 else "-Infinity"
        return x
    if isinstance(x, np.ndarray):
        return [jnum(v) for v in x]
    if isinstance(x, (list, tuple)):
        return [jnum(v) for v in x]
    if isinstance(x, dict):
        return {k: jnum(v) for k, v in x.items()}
    return x


def span_json(span):
    if span is None:
        return None
    if isinstance(span, StepSpan):
        return {"frame": "steps", "start": span.start, "end": None if span.is_point else span.stop,
                "time_series_ids": [span.time_series_id]}
    return {"frame": "seconds", "start": span.start_us, "end": None if span.is_point else span.end_us,
            "time_series_ids": None if span.time_series_ids is None else list(span.time_series_ids)}


def describe_values(ts):
    """Statistics and digests of one series, as the reference reader returns it.

    values_sha256: fixed-width values as dense little-endian bytes in C order, a missing step as zero bytes (bool: one
    byte 0/1; enum: see below).  str and enum: per step a little-endian u32 byte length and the UTF-8 bytes of the
    text (the enum's label), a missing step as the length 0xFFFFFFFF.  validity_sha256: one byte per step, 1 present.
    min/max skip missing and NaN (infinities count); mean is over the finite ones, in float64.
    """
    spec = ts.spec
    arr = ts.to_arrow()
    valid = arr.is_valid().to_numpy(zero_copy_only=False)
    out = {"length": len(arr), "null_count": int(arr.null_count),
           "validity_sha256": hashlib.sha256(valid.astype(np.uint8).tobytes()).hexdigest()}
    if spec.dtype in {"str", "enum"}:
        items = arr.to_pylist()
        digest = hashlib.sha256()
        for v in items:
            if v is None:
                digest.update(b"\xff\xff\xff\xff")
            else:
                raw = v.encode()
                digest.update(struct.pack("<I", len(raw)) + raw)
        out["values_sha256"] = digest.hexdigest()
        present = [v for v in items if v is not None]
        enc = sorted(set(present), key=str.encode)
        out |= {"first": items[0], "last": items[-1], "min": enc[0] if enc else None, "max": enc[-1] if enc else None,
                "mean": None, "distinct": len(enc), "utf8_bytes": sum(len(v.encode()) for v in present)}
        if spec.dtype == "enum":
            out["label_counts"] = {c: present.count(c) for c in spec.categories}
        return out
    dense, _ = ts.to_numpy_and_mask()
    dense = np.ascontiguousarray(dense)
    if arr.null_count:
        dense = dense.copy()
        dense[~valid] = 0
    le = dense.astype(np.uint8) if spec.dtype == "bool" else dense.astype(dense.dtype.newbyteorder("<"))
    out["values_sha256"] = hashlib.sha256(le.tobytes()).hexdigest()
    out["first"] = jnum(dense[0].tolist()) if valid[0] else None
    out["last"] = jnum(dense[-1].tolist()) if valid[-1] else None
    live = dense[valid].reshape(-1)
    if spec.dtype.startswith("float"):
        out["nan_count"] = int(np.isnan(live).sum())
        live = live[~np.isnan(live)]
        finite = live[np.isfinite(live)]
    else:
        finite = live
    out["min"] = jnum(live.min().item()) if live.size else None
    out["max"] = jnum(live.max().item()) if live.size else None
    # a mean whose terms overflow float64 has no portable value, so it is left out
    mean = float(np.mean(finite.astype(np.float64))) if finite.size else None
    out["mean"] = None if mean is None or not math.isfinite(mean) else mean
    if spec.dtype == "bool":
        out["true_count"] = int(live.sum())
    return out


def axis_json(ts):
    axis = ts.time_axis
    if isinstance(axis, RegularAxis):
        return {"axis_type": "regular", "period_numerator_us": axis.period_us.numerator,
                "period_denominator": axis.period_us.denominator, "start_index": axis.start_index}
    if isinstance(axis, IrregularAxis):
        return {"axis_type": "irregular", "first_time_offset_us": axis.first_us, "last_time_offset_us": axis.last_us}
    return {"axis_type": "ordinal"}


def series_json(reader, record, ts):
    axis = ts.time_axis
    out = {"time_series_id": ts.time_series_id, "spec_type": ts.spec.spec_type, "signal": ts.signal,
           "source_id": ts.source_id, "dtype": ts.spec.dtype, "value_shape": list(ts.spec.value_shape),
           "nullable": ts.spec.nullable, **axis_json(ts), "n_values": ts.n_values}
    rows = reader._index_rows(record.record_id, ts.time_series_id)
    out["chunks"] = len(rows)
    out["chunk_files"] = sorted({r["chunk_file"] for r in rows})
    out |= describe_values(ts)
    first = last = None
    if isinstance(axis, RegularAxis):
        first, last = axis.time_offset_us(0), axis.time_offset_us(ts.n_values - 1)
    elif isinstance(axis, IrregularAxis):
        offs = ts.time_offsets_us()
        first, last = int(offs[0]), int(offs[-1])
        out["time_offsets_sha256"] = hashlib.sha256(offs.astype("<i8").tobytes()).hexdigest()
    anchor = record.start_time
    out |= {"first_offset_us": first, "last_offset_us": last,
            "first_timestamp_us": None if anchor is None or first is None else anchor + first,
            "last_timestamp_us": None if anchor is None or last is None else anchor + last,
            "window_us": None if ts.span_us is None else list(ts.span_us)}
    return out


def task_json(task):
    out = {"id": task.id, "task_type": str(task.task_type), "record_ids": list(task.record_ids), "prompt": task.prompt,
           "scope": span_json(task.scope), "input_annotation_ids": list(task.input_annotation_ids),
           "target_annotation_ids": list(task.target_annotation_ids), "rationale": task.rationale,
           "from_task_ids": list(task.from_task_ids)}
    if isinstance(task, TemporalLocalizationTask):
        out |= {"target": None if task.target is None else [span_json(s) for s in task.target], "mode": str(task.mode)}
    elif isinstance(task, ClassificationTask):
        out |= {"target": task.target, "target_schema": task.target_schema}
    elif isinstance(task, AnswerTask):
        out |= {"target": task.target}
    elif isinstance(task, ScalarPredictionTask):
        out |= {"target": jnum(task.target), "unit": task.unit, "target_name": task.target_name}
    elif isinstance(task, ForecastingTask):
        out |= {"context_record_ids": list(task.context_record_ids), "target_record_id": task.target_record_id,
                "target_span": span_json(task.target_span)}
    elif isinstance(task, TSEditingTask):
        out |= {"source_record_id": task.source_record_id, "target_record_id": task.target_record_id}
    elif isinstance(task, TSGenerationTask):
        out |= {"target_record_id": task.target_record_id}
    elif isinstance(task, TSCorrespondenceTask):
        out |= {"candidate_record_ids": list(task.candidate_record_ids),
                "target": None if task.target is None else list(task.target),
                "target_time_series_ids": None if task.target_time_series_ids is None else list(task.target_time_series_ids)}
    return out


def expected_for(version_dir, root):
    started = time.perf_counter()
    version = DatasetVersion.open_local(version_dir)
    manifest = version.manifest
    with TimeFReader(version) as reader:
        opened = time.perf_counter()
        try:
            reader.verify()
            verify = {"result": "ok"}
        except TimeNetError as exc:
            verify = {"result": "error", "class": type(exc).__name__, "message": str(exc)}
        verify |= {"files_checked": len(manifest.files.all_files()),
                   "bytes_hashed": sum(p.size for p in manifest.files.all_files())}
        verified = time.perf_counter()
        annotations, carried, records = {}, {}, []
        for record in reader.iter_records():
            for ann in record.annotations:
                annotations[ann.id] = ann
                carried.setdefault(ann.id, []).append(record.record_id)
            records.append({
                "record_id": record.record_id, "start_time_us": record.start_time,
                "time_span": span_json(record.time_span), "subject_ids": list(record.subject_ids),
                "task_ids": list(record.task_ids), "annotation_ids": [a.id for a in record.annotations],
                "series": [series_json(reader, record, ts) for ts in record.time_series]})
        for ann in reader._read_registered_annotations():
            annotations[ann.id] = ann
        tasks = [task_json(t) for t in reader.tasks]
        id_types = {k: "uuid16" if v == UUID16 else str(v) for k, v in reader._id_types.items()}
    done = time.perf_counter()
    print(f"  open {opened - started:.3f}s verify {verified - opened:.3f}s read+describe {done - verified:.3f}s",
          file=sys.stderr)
    full = json.loads((version_dir / "manifest.json").read_text())
    kinds = ("records", "annotations", "time_series_index", "tasks", "time_series")
    rows = {}
    for kind in kinds[:4]:
        rows[kind] = [{"path": p.path, "rows": (m := pq.ParquetFile(version_dir / p.path).metadata).num_rows,
                       "row_groups": m.num_row_groups} for p in getattr(manifest.files, kind)]
    return {
        "format": "timef-expected/1",
        "reference": "timenet 0.1.0",
        "path": version_dir.relative_to(root).as_posix(),
        "dataset_id": manifest.dataset_id,
        "version": str(manifest.metadata.dataset_version),
        "manifest": {k: full[k] for k in ("timef_format_version", "metadata", "schema", "counts", "values_backend",
                                          "value_encoding")},
        "files": {k: {"parts": len(v := getattr(manifest.files, k)), "bytes": sum(p.size for p in v)} for k in kinds},
        "tables": rows,
        "id_storage": id_types,
        "verify": verify,
        "records": records,
        "annotations": [
            {"id": a.id, "key": a.key, "value": jnum(a.value), "unit": a.unit, "description": a.description,
             "source": a.source, "span": span_json(a.span), "record_ids": carried.get(a.id, [])}
            for a in sorted(annotations.values(), key=lambda a: a.id.encode())],
        "tasks": tasks,
    }


def dump(obj):
    """JSON with one line per top-level key, and one per element of a top-level list, so that diffs stay readable."""
    def line(v):
        return json.dumps(v, ensure_ascii=False, allow_nan=False)

    parts = []
    for key, value in obj.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            value = "[\n" + ",\n".join(line(v) for v in value) + "\n]"
        else:
            value = line(value)
        parts.append(f"{line(key)}: {value}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("out", type=Path, help="registry root to write into")
    p.add_argument("--size", choices=("small", "medium", "large"), default="small")
    p.add_argument("--backend", choices=("parquet", "zarr"), default="parquet")
    p.add_argument("--seed", type=int, default=0)
    p.add_argument("--profile", choices=("full", "floats", "tiny", "pages"), default="full",
                   help="floats: float32/float64 only, for --value-encoding byte_stream_split; pages: few, long, very "
                        "compressible series, for several pages a chunk (the reference's default sizes)")
    p.add_argument("--ids", choices=("string", "uuid", "int", "mixed"), default="string")
    p.add_argument("--id", default=None, help="dataset id org/name (default: gen/<profile>-<backend>-<ids>-<size>)")
    p.add_argument("--version", default="1.0.0")
    p.add_argument("--values-mb", type=int, default=1000, help="large only: uncompressed megabytes of values")
    p.add_argument("--compression", default="zstd", help="parquet: zstd snappy gzip brotli lz4 none; zarr: Blosc cname")
    p.add_argument("--compression-level", type=int, default=None, help="default: the reference's (19; 3 for large)")
    p.add_argument("--value-encoding", default="auto", choices=("auto", "dictionary", "byte_stream_split", "plain"))
    p.add_argument("--chunk-bytes", type=int)
    p.add_argument("--row-group-bytes", type=int)
    p.add_argument("--shard-bytes", type=int)
    p.add_argument("--control-bytes", type=int)
    p.add_argument("--no-expected", action="store_true")
    p.add_argument("--force", action="store_true", help="replace a version that is already there")
    args = p.parse_args()
    args.id = args.id or f"gen/{args.profile}-{args.backend}-{args.ids}-{args.size}"
    chunk, group, shard, control = TARGETS["large" if args.profile == "pages" else args.size]
    level = args.compression_level
    if level is None and args.size == "large" and args.compression == "zstd":
        level = 3
    if args.force:
        shutil.rmtree(args.out / args.id / args.version, ignore_errors=True)
    dataset = build(args)
    started = time.perf_counter()
    with TimeFWriter(args.out, dataset, chunk_max_bytes=args.chunk_bytes or chunk,
                     row_group_target_bytes=args.row_group_bytes or group,
                     shard_target_bytes=args.shard_bytes or shard,
                     control_shard_target_bytes=args.control_bytes or control,
                     compression=args.compression, compression_level=level,
                     values_backend=args.backend, value_encoding=args.value_encoding) as writer:
        writer.write()
    version_dir = args.out / args.id / args.version
    if args.backend == "zarr" and args.profile == "full":
        hide_tensor_steps(version_dir, args.seed)
    total = sum(f.stat().st_size for f in version_dir.rglob("*") if f.is_file())
    print(f"{args.id}@{args.version}: {total} bytes on disk, written in {time.perf_counter() - started:.1f}s",
          file=sys.stderr)
    if not args.no_expected:
        target = args.out / f"{args.id}@{args.version}.expected.json"
        target.write_text(dump(expected_for(version_dir, args.out)), encoding="utf-8")
        print(f"  expected: {target.relative_to(args.out)}", file=sys.stderr)


if __name__ == "__main__":
    main()
