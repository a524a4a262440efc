#!/usr/bin/env python3
"""Broken TimeF data sets, made from good ones (tests/data/timef), and their nearest legal neighbours.

    break_timef.py OUT [NAME...]     make the data sets of these cases (default: all) below OUT
    break_timef.py --list            name, rule ("-": sound), severity

Each case changes one thing and renews the manifest's entries, so that the fault itself is met and not a checksum. Needs pyarrow.
"""
import argparse
import gzip
import hashlib
import json
import shutil
import struct
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

TOP = Path(__file__).resolve().parents[2]
GEN = TOP / "tests/data/timef/gen"
BASES = {"2": "full-parquet/1.0.0", "2Z": "full-zarr/1.0.0", "P": "full-parquet/1.0.0", "Z": "full-zarr/1.0.0", "U": "floats-uuid/1.0.0", "T": "tiny/1.10.0", "TZ": "tiny-zarr/1.0.0"}
CASES = {}


class Case:
    def __init__(self, name, rule, base, make, severity, also, parent):
        self.name, self.rule, self.base, self.make, self.severity, self.also, self.parent = name, rule, base, make, severity, also, parent


def case(name, rule, base="P", severity="error", also=(), parent=False):
    """rule None: sound. also: further rules that the same fault breaks. parent: the data set's directory is verified, not the version."""
    def add(make):
        assert name not in CASES, name
        CASES[name] = Case(name, rule, base, make, severity, also, parent)
        return make
    return add


# ---- a data set that is being changed ----

class Set:
    def __init__(self, root):
        self.root = Path(root)
        self.m = json.loads((self.root / "manifest.json").read_text())
        self.text = None  # instead of m

    def files(self, kind):
        return self.m["files"][kind]

    def entry(self, path):
        return next(e for k in self.m["files"].values() for e in k if e["path"] == path)

    def renew(self, path):
        data = (self.root / path).read_bytes()
        e = self.entry(path)
        e["size"], e["checksum"] = len(data), "sha256:" + hashlib.sha256(data).hexdigest()

    def write(self, path, data):
        (self.root / path).write_bytes(data)
        self.renew(path)

    def table(self, path):
        return pq.read_table(self.root / path)

    def put(self, path, table, **kw):
        groups = pq.ParquetFile(self.root / path).metadata
        size = groups.row_group(0).num_rows if groups.num_row_groups else 1
        kw.setdefault("row_group_size", max(size, 1))
        kw.setdefault("compression", "zstd")
        pq.write_table(table, self.root / path, write_page_checksum=True, store_schema=True, **kw)
        self.renew(path)

    def rows(self, path, change, **kw):
        """Change the table as a list of rows, its schema kept."""
        t = self.table(path)
        rows = t.to_pylist()
        out = change(rows)
        self.put(path, pa.Table.from_pylist(rows if out is None else out, schema=t.schema), **kw)

    def save(self):
        text = self.text if self.text is not None else json.dumps(self.m, indent=2)
        (self.root / "manifest.json").write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"))


REC = "records/part-00000000.parquet"
ANN = "annotations/part-00000000.parquet"
IDX = "time_series_index/part-00000000.parquet"


def task(kind):
    return f"tasks/task={kind}/part-00000000.parquet"


def shard(i=0):
    return f"time_series/part-{i:08d}.parquet"


# ---- manifest ----

def m(name, rule, severity="error", base="P", also=()):
    def add(change):
        @case("manifest-" + name, rule, base, severity, also)
        def make(d):
            change(d.m, d)
    return add


def spec(d, name="float32_plain"):
    return next(s for s in d["schema"]["time_series_specs"] if s["spec_type"] == name)


@case("manifest-not-json", "manifest.json")
def _(d): d.text = json.dumps(d.m)[:-1]


@case("manifest-list", "manifest.json")
def _(d): d.text = json.dumps([d.m])


@case("manifest-bom", "manifest.json")
def _(d): d.text = b"\xef\xbb\xbf" + json.dumps(d.m).encode()


@case("manifest-latin1", "manifest.json")
def _(d): d.text = json.dumps(d.m).encode().replace(b"Generated", b"G\xe9nerated", 1)


@case("manifest-repeated-key", "manifest.repeated-key")
def _(d): d.text = json.dumps(d.m)[:-1] + ', "values_backend": "parquet"}'


@case("manifest-nan-ignored", None)
def _(d): d.text = json.dumps(d.m)[:-1] + ', "extra": [NaN, -Infinity, 1e999]}'


m("no-version", "manifest.required")(lambda x, d: x.pop("timef_format_version"))
m("no-id", "manifest.required")(lambda x, d: x.pop("dataset_id"))
m("no-files", "manifest.required")(lambda x, d: x.pop("files"))
m("version-true", "manifest.version")(lambda x, d: x.update(timef_format_version=True))
m("version-float", "manifest.version")(lambda x, d: x.update(timef_format_version=1.0))
m("version-text", "manifest.version")(lambda x, d: x.update(timef_format_version="1"))
m("version-zero", "manifest.version")(lambda x, d: x.update(timef_format_version=0))
m("metadata-list", "manifest.type")(lambda x, d: x.update(metadata=[]))
m("no-name", "manifest.metadata")(lambda x, d: x["metadata"].pop("name"))
m("no-license", "manifest.metadata")(lambda x, d: x["metadata"].pop("license"))
m("id-one-step", "manifest.dataset-id", also=("manifest.dataset-id-differs",))(lambda x, d: x["metadata"].update(dataset_id="full-parquet"))
m("id-hidden", "manifest.dataset-id", also=("manifest.dataset-id-differs",))(lambda x, d: x["metadata"].update(dataset_id="gen/.full"))
m("id-differs", "manifest.dataset-id-differs")(lambda x, d: x.update(dataset_id="gen/other"))
m("dataset-version", "manifest.dataset-version")(lambda x, d: x["metadata"].update(dataset_version="1.0"))
m("dataset-version-v", "manifest.dataset-version")(lambda x, d: x["metadata"].update(dataset_version="v1.0.0"))
m("license", "manifest.license")(lambda x, d: x["metadata"].update(license="GPL-2.0"))
m("license-url", "manifest.license-url")(lambda x, d: x["metadata"].update(license_url=None))
m("domain", "manifest.domain")(lambda x, d: x["metadata"].update(domains=["surgery"]))
m("domains-text", "manifest.type")(lambda x, d: x["metadata"].update(domains="general"))
m("tags-text", "manifest.type")(lambda x, d: x["metadata"].update(tags="a"))
m("access", "manifest.access")(lambda x, d: x["metadata"].update(access="secret"))
m("access-url", "manifest.access-url")(lambda x, d: x["metadata"].update(access_url=""))
m("backend", "manifest.backend")(lambda x, d: x.update(values_backend="hdf5"))
m("encoding-list", "manifest.type")(lambda x, d: x.update(value_encoding=["plain"]))
m("encoding-unknown", "manifest.unknown-encoding", "warning")(lambda x, d: x["value_encoding"].update(float32_plain="zigzag"))
m("build-env-text", "manifest.type")(lambda x, d: x.update(build_env="python"))
m("build-env-empty", "manifest.empty")(lambda x, d: x.update(build_env=[]))
m("encoding-empty", "manifest.empty")(lambda x, d: x.update(value_encoding=""))
m("source-url-number", "manifest.text")(lambda x, d: x["metadata"].update(source_url=5))
m("license-url-number", "manifest.text")(lambda x, d: x["metadata"].update(license_url=5))
m("spec-categories-text", "manifest.empty")(lambda x, d: spec(x).update(categories=""))
m("spec-type-number", "manifest.text", also=("counts.specs",))(lambda x, d: x["schema"]["time_series_specs"].append(dict(spec(x), spec_type=5)))
m("no-records-files", "manifest.files")(lambda x, d: x["files"].pop("records"))
m("files-text", "manifest.type")(lambda x, d: x["files"].update(tasks="none"))
m("file-path-empty", "manifest.file-path")(lambda x, d: x["files"]["tasks"][0].update(path=""))
m("file-path-dotdot", "manifest.file-path")(lambda x, d: x["files"]["tasks"][0].update(path="tasks/../x"))
m("file-path-absolute", "manifest.file-path")(lambda x, d: x["files"]["tasks"][0].update(path="/etc/passwd"))
m("file-dot", "manifest.file-dot", "warning")(lambda x, d: x["files"]["tasks"][0].update(path="./" + x["files"]["tasks"][0]["path"]))
m("file-checksum", "manifest.file-checksum", also=("files.checksum",))(lambda x, d: x["files"]["tasks"][0].update(checksum="md5:00"))
m("file-size-float", "manifest.file-size", also=("files.size",))(lambda x, d: x["files"]["tasks"][0].update(size=1.0))
m("file-size-negative", "manifest.file-size", also=("files.size",))(lambda x, d: x["files"]["tasks"][0].update(size=-1))
m("file-size-true", "manifest.file-size", also=("files.size",))(lambda x, d: x["files"]["tasks"][0].update(size=True))
m("spec-type-empty", "manifest.spec-type", also=("counts.specs",))(lambda x, d: x["schema"]["time_series_specs"].append(dict(spec(x), spec_type="")))
m("spec-type-reserved", "manifest.spec-type")(lambda x, d: x["schema"]["time_series_specs"].append(dict(spec(x), spec_type="_validity")))
m("spec-unit-missing", "manifest.unit")(lambda x, d: spec(x).pop("unit_value"))
m("spec-unit-strange", "manifest.unit-unchecked", "warning")(lambda x, d: spec(x).update(unit_value="smoot"))
m("spec-source", "manifest.data-source")(lambda x, d: spec(x)["data_source"].update(name=""))
m("spec-dtype", "manifest.dtype")(lambda x, d: x["schema"]["time_series_specs"].append(dict(spec(x), spec_type="new", dtype="int64")))
m("spec-categories-empty", "manifest.categories")(lambda x, d: x["schema"]["time_series_specs"].append(dict(spec(x), spec_type="new", dtype="enum", categories=[])))
m("spec-categories-repeat", "manifest.categories")(lambda x, d: x["schema"]["time_series_specs"].append(dict(spec(x), spec_type="new", dtype="enum", categories=["a", "a"])))
m("spec-categories-float", "manifest.categories")(lambda x, d: spec(x).update(categories=["a"]))
m("spec-shape-zero", "manifest.value-shape", base="Z")(lambda x, d: x["schema"]["time_series_specs"].append(dict(spec(x), spec_type="new", value_shape=[0])))
m("spec-shape-parquet", "manifest.value-shape-backend")(lambda x, d: x["schema"]["time_series_specs"].append(dict(spec(x), spec_type="new", value_shape=[2])))
m("spec-dimensions", "manifest.dimension-names", base="Z")(lambda x, d: spec(x, "vec3").update(dimension_names=["a", "b"]))
m("spec-dimensions-repeat", "manifest.dimension-names", base="Z")(lambda x, d: spec(x, "mat").update(dimension_names=["a", "a"]))
m("spec-nullable", "manifest.nullable")(lambda x, d: spec(x, "float32_opt").update(nullable=1))
m("spec-twice", "manifest.spec-repeated", "warning")(lambda x, d: x["schema"]["time_series_specs"].append(spec(x)))
m("spec-conflict", "manifest.spec-conflict")(lambda x, d: x["schema"]["time_series_specs"].append(dict(spec(x), name="Other")))
m("key-missing", "manifest.annotation")(lambda x, d: x["schema"]["annotations"].append({"annotation_type": "static", "value_type": "int"}))
m("key-type", "manifest.annotation-type")(lambda x, d: x["schema"]["annotations"].append({"key": "new", "annotation_type": "line", "value_type": "int"}))
m("key-value-type", "manifest.value-type")(lambda x, d: x["schema"]["annotations"].append({"key": "new", "annotation_type": "static", "value_type": "date"}))
m("key-unit", "manifest.annotation-unit")(lambda x, d: x["schema"]["annotations"].append({"key": "new", "annotation_type": "static", "value_type": "int", "unit": "furlongz"}))
m("key-twice", "manifest.key-repeated", "warning")(lambda x, d: x["schema"]["annotations"].append(x["schema"]["annotations"][0]))
m("key-conflict", "manifest.key-conflict")(lambda x, d: x["schema"]["annotations"].append(dict(x["schema"]["annotations"][0], description="other")))
m("task-type", "manifest.task-type")(lambda x, d: x["schema"]["tasks"].append({"task_type": "guessing"}))
m("count-negative", "manifest.counts")(lambda x, d: x["counts"].update(records=-1))
m("unknown-keys", None)(lambda x, d: (x.update(new=1), x["metadata"].update(new=1), spec(x).update(new=1)))
m("no-optional", None)(lambda x, d: (x.pop("build_env"), x.pop("value_encoding"), x["metadata"].pop("tags")))
m("counts-absent", None)(lambda x, d: x.pop("counts"))


m("spec-no-name", "manifest.spec")(lambda x, d: spec(x).pop("name"))
m("annotations-empty", "manifest.files-empty")(lambda x, d: x["files"].update(annotations=[]))


@case("manifest-version-directory", "manifest.directory", parent=True)
def _(d): d.m["metadata"]["dataset_version"] = "2.0.0"


@case("manifest-dataset-directory", None, parent=True)
def _(d): pass


# ---- files ----

@case("file-missing", "files.missing")
def _(d): (d.root / task("answer")).unlink()


@case("file-longer", "files.size", also=("parquet.magic",))
def _(d): (d.root / task("answer")).open("ab").write(b"x")


@case("file-bit", "files.checksum")
def _(d):
    p = d.root / "manifest.json"
    e = d.files("tasks")[0]
    e["checksum"] = e["checksum"][:-1] + ("0" if e["checksum"][-1] != "0" else "1")


@case("file-checksum-upper", "files.checksum")
def _(d):
    e = d.files("tasks")[0]
    e["checksum"] = "sha256:" + e["checksum"][7:].upper()


@case("file-is-directory", "files.not-a-file")
def _(d):
    p = d.root / task("answer")
    p.unlink()
    p.mkdir()


@case("file-twice", "files.listed-twice", also=("records.id-repeated", "counts.records"))
def _(d): d.files("records").append(d.files("records")[0])


@case("file-unlisted", "files.unlisted", severity="warning")
def _(d): (d.root / "notes.txt").write_text("x")


@case("values-unlisted", "files.values-unlisted")
def _(d): shutil.copy(d.root / shard(0), d.root / "time_series/part-00000099.parquet")


@case("values-unlisted-zarr", "files.values-unlisted", "Z")
def _(d): shutil.copy(d.root / "time_series.zarr/float32_plain/c/0", d.root / "time_series.zarr/float32_plain/c/9")


for n, (p, column) in enumerate(((REC, "task_ids"), (ANN, "key"), (IDX, "record_id"), (task("answer"), "prompt"), (shard(0), "values"))):
    @case(f"table-column-twice-{n}", "table.column-repeated", also=("table.column-type", "parquet.schema"))
    def _(d, p=p, column=column):
        t = d.table(p)
        d.put(p, t.append_column(column, t.column(column)))


def latin1(path, column, also=(), base="P", row=0):
    """A byte that is no UTF-8 in front of a text."""
    @case(f"table-utf8-{column}-{base}", "table.utf8", base, also=also)
    def _(d):
        t = d.table(path)
        i = t.schema.get_field_index(column)
        v = [x.as_py().encode() if x.as_py() is not None else None for x in t.column(i)]
        v[row] = b"\xe9" + (v[row] or b"")
        d.put(path, t.set_column(i, t.schema.field(i), pa.chunked_array([pa.array(v, pa.binary()).view(pa.string())])))


latin1(ANN, "source")
latin1(ANN, "value", also=("annotations.json",))
latin1(task("answer"), "prompt")
latin1(task("answer"), "target")
latin1(IDX, "signal", also=("index.signal", "shard.row"))
latin1(shard(0), "signal", base="2", also=("shard.series-differs",))


def empty(name, rule, change):
    @case(f"table-empty-{name}", rule, "T")
    def _(d):
        t = d.table(ANN)
        assert t.num_rows == 0
        d.put(ANN, change(t))


empty("sound", None, lambda t: t)
empty("column-missing", "table.column-missing", lambda t: t.drop_columns(["key"]))
empty("column-type", "table.column-type", lambda t: t.set_column(t.schema.get_field_index("key"), "key", pa.array([], pa.int32())))
empty("source-missing", None, lambda t: t.drop_columns(["source"]))


@case("table-arrow-schema", "parquet.arrow-schema")
def _(d):
    b = (d.root / REC).read_bytes()
    at = b.index(b"ARROW:schema") + 40
    d.write(REC, b[:at] + b"!" + b[at + 1:])


@case("shard-arrow-schema", "parquet.arrow-schema")
def _(d):
    b = (d.root / shard(0)).read_bytes()
    at = b.index(b"ARROW:schema") + 40
    d.write(shard(0), b[:at] + b"!" + b[at + 1:])


@case("link-inside", None)
def _(d):
    p = d.root / task("answer")
    p.rename(d.root / "tasks/moved.parquet")
    p.symlink_to("../moved.parquet")
    d.files("tasks").append(dict(d.entry(task("answer")), path="tasks/moved.parquet"))
    d.files("tasks").pop()
    (d.root / "tasks/moved.parquet").rename(d.root / "tasks/task=answer/moved.parquet")
    p.unlink()
    (d.root / "tasks/task=answer/moved.parquet").rename(p)


@case("link-outside", "files.link-outside", severity="warning")
def _(d):
    p = d.root / task("answer")
    away = d.root.parent / (d.root.name + ".away.parquet")
    p.rename(away)
    p.symlink_to(away)


# ---- counts ----

for key, rule in (("records", "counts.records"), ("annotations", "counts.annotations"), ("registered_annotations", "counts.registered"),
                  ("time_series_chunks", "counts.chunks"), ("time_series_index_rows", "counts.index-rows")):
    m("count-" + key, rule)(lambda x, d, key=key: x["counts"].update({key: x["counts"][key] + 1}))
m("count-tasks", "counts.tasks")(lambda x, d: x["counts"]["tasks"].update(answer=99))
m("count-tasks-left-out", "counts.tasks")(lambda x, d: x["counts"]["tasks"].pop("answer"))
m("count-specs", "counts.specs")(lambda x, d: x["counts"]["time_series_specs"].update(float32_plain=1))


# ---- records ----

def rec(name, rule, severity="error", base="P", also=()):
    def add(change):
        @case("record-" + name, rule, base, severity, also)
        def make(d):
            for e in d.files("records"):  # the first part that has what is to be changed
                try:
                    d.rows(e["path"], change)
                    return
                except (IndexError, StopIteration):
                    pass
            raise AssertionError(name)
    return add


def series(rows, axis, nth=0, spec=None):
    found = [s for r in rows for s in r["time_series"] if s["axis_type"] == axis and (spec is None or s["spec_type"] == spec)]
    return found[nth]


def setter(**kw):
    def f(x):
        x.update(kw)
    return f


@case("record-column-missing", "table.column-missing")
def _(d): d.put(REC, d.table(REC).drop_columns(["subject_ids"]))


@case("record-column-type", "table.column-type")
def _(d):
    t = d.table(REC)
    i = t.schema.get_field_index("start_time_us")
    d.put(REC, t.set_column(i, "start_time_us", t["start_time_us"].cast(pa.string())))


@case("record-column-extra", "table.extra-column", severity="warning")
def _(d):
    t = d.table(REC)
    d.put(REC, t.append_column("note", pa.array(["x"] * len(t))))


@case("record-statistics", "records.statistics", severity="warning")
def _(d): d.put(REC, d.table(REC), write_statistics=False)


@case("record-plain-snappy", None)
def _(d): d.put(REC, d.table(REC), compression="snappy", use_dictionary=False)


@case("record-pages-v2", None)
def _(d): d.put(REC, d.table(REC), data_page_version="2.0")


@case("record-one-group", None)
def _(d): d.put(REC, d.table(REC), row_group_size=1 << 20)


rec("id-repeated", "records.id-repeated", also=("counts.records",))(lambda rows: rows + [dict(rows[-1])])
rec("unsorted", "records.unsorted", "warning")(lambda rows: rows[::-1])
rec("subjects-null", "records.list-null")(lambda rows: rows[0].update(subject_ids=None))
rec("series-null", "records.series-null")(lambda rows: rows[0].update(time_series=None))
rec("no-series", "records.no-series")(lambda rows: rows[0].update(time_series=[]))
rec("series-twice", "records.series-repeated")(lambda rows: rows[0]["time_series"].append(dict(rows[0]["time_series"][0])))
rec("spec-unknown", "records.spec-unknown")(lambda rows: rows[0]["time_series"][0].update(spec_type="nothing"))
rec("signal-empty", "records.signal")(lambda rows: rows[0]["time_series"][0].update(signal=""))
rec("series-id-null", "records.id-null")(lambda rows: rows[0]["time_series"][0].update(time_series_id=None))
rec("series-not-indexed", "records.series-not-indexed")(lambda rows: rows[0]["time_series"][0].update(time_series_id="zzz"))
rec("task-unknown", "records.task-unknown")(lambda rows: rows[0]["task_ids"].append("nothing"))
rec("task-not-back", "records.task-back")(lambda rows: [rows[i].update(task_ids=rows[i]["task_ids"] + [next(
    t for r in rows for t in r["task_ids"] if t not in rows[i]["task_ids"])]) for i in (0,)] and None)
rec("annotation-unknown", "records.annotation-unknown")(lambda rows: rows[0]["annotation_ids"].append("nothing"))
rec("annotation-dropped", "annotations.record-back")(lambda rows: next(r for r in rows if r["annotation_ids"])["annotation_ids"].clear())
rec("annotation-twice", "records.annotation-repeated")(lambda rows: (lambda r: r["annotation_ids"].append(r["annotation_ids"][0]))(next(r for r in rows if r["annotation_ids"])))
rec("tasks-empty", None)(lambda rows: [r.update(task_ids=[]) for r in rows] and None)
rec("start-null", None)(lambda rows: rows[0].update(start_time_us=None))
rec("span-steps", "records.time-span")(lambda rows: rows[0].update(time_span={"start_us": 0, "end_us": 10**15, "time_series_ids": None, "frame": "steps"}))
rec("span-point", "records.time-span")(lambda rows: rows[0].update(time_span={"start_us": 0, "end_us": None, "time_series_ids": None, "frame": "seconds"}))
rec("span-empty", "span.end")(lambda rows: rows[0].update(time_span={"start_us": 5, "end_us": 5, "time_series_ids": None, "frame": "seconds"}))
rec("span-short", "records.time-span-window")(lambda rows: next(r for r in rows if any(s["axis_type"] == "regular" for s in r["time_series"])).update(
    time_span={"start_us": 0, "end_us": 1, "time_series_ids": None, "frame": "seconds"}))
rec("span-frame-empty", "span.frame-empty", "warning")(lambda rows: next(r for r in rows if any(s["axis_type"] == "regular" for s in r["time_series"])).update(
    time_span={"start_us": -10**17, "end_us": 10**18, "time_series_ids": None, "frame": ""}))
rec("span-frame-null", None)(lambda rows: next(r for r in rows if any(s["axis_type"] == "regular" for s in r["time_series"])).update(
    time_span={"start_us": -10**17, "end_us": 10**18, "time_series_ids": None, "frame": None}))

rec("axis-type", "axis.type")(lambda rows: series(rows, "regular").update(axis_type="random"))
rec("axis-null", "axis.type")(lambda rows: series(rows, "regular").update(axis_type=None))
rec("axis-no-start", "axis.regular-missing")(lambda rows: series(rows, "regular").update(start_index=None))
rec("axis-zero", "axis.denominator-zero")(lambda rows: series(rows, "regular").update(period_denominator=0))
rec("axis-fast", "axis.period")(lambda rows: series(rows, "regular").update(period_numerator_us=1, period_denominator=2))
rec("axis-negative", "axis.period")(lambda rows: series(rows, "regular").update(period_numerator_us=-25000))
rec("axis-start", "axis.start-index")(lambda rows: series(rows, "regular").update(start_index=-1))
rec("axis-unreduced", "axis.period-unreduced", "warning")(lambda rows: (lambda s: s.update(
    period_numerator_us=s["period_numerator_us"] * 2, period_denominator=s["period_denominator"] * 2))(series(rows, "regular", spec="int8_plain")))
rec("axis-both-negative", "axis.period-unreduced", "warning")(lambda rows: (lambda s: s.update(
    period_numerator_us=-s["period_numerator_us"], period_denominator=-s["period_denominator"]))(series(rows, "regular", spec="int8_plain")))
rec("axis-no-first", "axis.irregular-missing")(lambda rows: series(rows, "irregular").update(first_time_offset_us=None))
rec("axis-first", "axis.first-offset")(lambda rows: series(rows, "irregular").update(first_time_offset_us=-5))
rec("axis-last", "axis.last-offset")(lambda rows: series(rows, "irregular").update(last_time_offset_us=0))
rec("axis-ends", "values.offsets-ends")(lambda rows: (lambda s: s.update(last_time_offset_us=s["last_time_offset_us"] + 1))(series(rows, "irregular")))
rec("axis-range", "values.offsets-range", also=("values.offsets-ends",))(lambda rows: (lambda s: s.update(last_time_offset_us=s["first_time_offset_us"]))(series(rows, "irregular")))
rec("axis-ordinal", "axis.ordinal-columns")(lambda rows: series(rows, "ordinal").update(start_index=0))
rec("axis-n", "axis.n-values")(lambda rows: series(rows, "regular").update(n_values=0))
rec("axis-n-null", "axis.n-values")(lambda rows: series(rows, "regular").update(n_values=None))
rec("axis-n-wrong", "index.n-values-sum")(lambda rows: (lambda s: s.update(n_values=s["n_values"] + 1))(series(rows, "ordinal")))
rec("axis-overflow", "axis.overflow")(lambda rows: series(rows, "regular").update(period_numerator_us=2**62, period_denominator=1, start_index=5))
rec("axis-other", "axis.other-columns", "warning")(lambda rows: series(rows, "regular", spec="int8_plain").update(first_time_offset_us=0, last_time_offset_us=1))


@case("record-shared-differs", "records.shared-differs")
def _(d):
    for e in d.files("records"):
        def change(rows):
            for r in rows:
                if r["record_id"] == "record-shared":
                    r["time_series"][0]["signal"] = "changed"
        d.rows(e["path"], change)


@case("record-id-null", "records.id-null")
def _(d): d.rows(REC, lambda rows: rows[0].update(record_id=None))


# ---- annotations ----

def ann(name, rule, severity="error", also=()):
    def add(change):
        @case("annotation-" + name, rule, "P", severity, also)
        def make(d):
            d.rows(ANN, change)
    return add


def a_key(rows, key):
    return next(r for r in rows if r["key"] == key)


def spanned(rows, point=False):
    return next(r for r in rows if r["span"] and (r["span"]["end_us"] is None) == point)


@case("annotation-statistics", "annotations.statistics")
def _(d): d.put(ANN, d.table(ANN), write_statistics=False)


@case("annotation-no-source-column", None)
def _(d): d.put(ANN, d.table(ANN).drop_columns(["source"]))


ann("id-repeated", "annotations.id-repeated", also=("counts.annotations",))(lambda rows: rows + [dict(rows[-1])])
ann("unsorted", "annotations.unsorted")(lambda rows: rows[::-1])
ann("id-null", "annotations.id-null")(lambda rows: rows[0].update(id=None))
ann("key", "annotations.key-unknown")(lambda rows: rows[0].update(key="nothing"))
ann("json", "annotations.json")(lambda rows: a_key(rows, "age").update(value="64,"))
ann("value-type", "annotations.value-type")(lambda rows: a_key(rows, "age").update(value="64.5"))
ann("value-bool", "annotations.value-type")(lambda rows: a_key(rows, "age").update(value="true"))
ann("value-nan", None)(lambda rows: a_key(rows, "weight").update(value="NaN"))
ann("value-huge", None)(lambda rows: a_key(rows, "age").update(value="123456789012345678901234567890"))
ann("empty", "annotations.empty", also=("annotations.value-type",))(lambda rows: a_key(rows, "age").update(value=None, span=None))
ann("shape", "annotations.shape")(lambda rows: a_key(rows, "age").update(span={"start_us": 0, "end_us": 1, "time_series_ids": None, "frame": "seconds"}))
ann("steps", "annotations.steps", also=("annotations.shape",))(lambda rows: spanned(rows)["span"].update(frame="steps"))
ann("frame", "span.frame")(lambda rows: spanned(rows)["span"].update(frame="minutes"))
ann("frame-empty", "span.frame-empty", "warning")(lambda rows: spanned(rows)["span"].update(frame=""))
ann("frame-null", None)(lambda rows: spanned(rows)["span"].update(frame=None))
ann("start-null", "span.start-null")(lambda rows: spanned(rows)["span"].update(start_us=None))
ann("end", "span.end")(lambda rows: (lambda s: s.update(end_us=s["start_us"]))(spanned(rows)["span"]))
ann("no-series", "span.no-series")(lambda rows: spanned(rows)["span"].update(time_series_ids=[]))
ann("series", "span.series-unknown")(lambda rows: spanned(rows)["span"].update(time_series_ids=["nothing"]))
ann("outside", "span.outside-window", "warning")(lambda rows: (lambda s: s.update(start_us=10**15, end_us=10**15 + 5))(spanned(rows)["span"]))


@case("annotation-series-untimed", "span.series-untimed")
def _(d):
    def change(rows):
        r = next(r for r in rows if r["record_ids"] == ["record-ordinal-plain"])
        r["span"] = {"start_us": 0, "end_us": 1, "time_series_ids": ["series-ordinal-plain-int8"], "frame": "seconds"}
    d.rows(ANN, change)


@case("annotation-series-disjoint", "span.series-disjoint")
def _(d):
    def far(rows):
        for r in rows:
            if r["record_id"] == "record-regular-plain":
                r["time_series"][0].update(start_index=10**9)
    for e in d.files("records"):
        d.rows(e["path"], far)

    def change(rows):
        r = next(r for r in rows if "record-regular-plain" in r["record_ids"])
        r["span"] = {"start_us": 0, "end_us": 1, "time_series_ids": ["series-regular-plain-bool", "series-regular-plain-float32"], "frame": "seconds"}
    d.rows(ANN, change)


ann("record-unknown", "annotations.record-unknown")(lambda rows: rows[0]["record_ids"].append("nothing"))
ann("record-back", "annotations.record-back")(lambda rows: rows[0]["record_ids"].append("record-ordinal-plain"))
ann("record-dropped", "records.annotation-back", also=("counts.registered",))(lambda rows: a_key(rows, "age").update(record_ids=[]))
ann("records-null", "annotations.list-null", "warning", also=("records.annotation-back", "counts.registered"))(
    lambda rows: next(r for r in rows if not r["record_ids"]).update(record_ids=None))


# ---- index ----

def idx(name, rule, severity="error", base="P", also=(), pick=0):
    def add(change):
        @case("index-" + name, rule, base, severity, also)
        def make(d):
            d.rows(d.files("time_series_index")[pick]["path"], change)
    return add


@case("index-statistics", "index.statistics")
def _(d): d.put(IDX, d.table(IDX), write_statistics=False)


idx("unsorted", "index.unsorted")(lambda rows: rows[::-1])
idx("record-null", "index.null")(lambda rows: rows[0].update(record_id=None))
idx("major-null", "index.null")(lambda rows: rows[0].update(chunk_major_idx=None))
idx("pair", "index.pair-unknown")(lambda rows: rows[-1].update(time_series_id="zzz"))
idx("record-unknown", "index.pair-unknown")(lambda rows: rows[-1].update(record_id="zzz"))
idx("spec", "index.spec-type")(lambda rows: rows[0].update(spec_type="float32_plain" if rows[0]["spec_type"] != "float32_plain" else "int8_plain"))
idx("signal", "index.signal")(lambda rows: rows[0].update(signal="other"))
idx("n-zero", "index.n-values")(lambda rows: rows[0].update(n_values=0))
idx("n-wrong", "index.n-values-sum", also=("shard.length",))(lambda rows: rows[0].update(n_values=rows[0]["n_values"] + 1))
idx("row-twice", "index.chunk-repeated", also=("index.place-shared", "counts.index-rows"))(lambda rows: rows + [dict(rows[-1])])
idx("row-group", "index.row-group-out-of-range")(lambda rows: rows[0].update(chunk_major_idx=99))
idx("row-group-negative", "index.row-group-out-of-range")(lambda rows: rows[0].update(chunk_major_idx=-1))
idx("row", "index.row-out-of-range")(lambda rows: rows[0].update(chunk_minor_idx=99))
idx("row-minus-one", "index.row-out-of-range")(lambda rows: rows[0].update(chunk_minor_idx=-1))
idx("file-unlisted", "index.chunk-file-unlisted")(lambda rows: rows[0].update(chunk_file="time_series/part-00000077.parquet"))
idx("file-dotdot", "index.chunk-file-unlisted")(lambda rows: rows[0].update(chunk_file="time_series/../time_series/part-00000000.parquet"))
idx("file-dot", "index.chunk-file-dot", "warning")(lambda rows: rows[0].update(chunk_file="./" + rows[0]["chunk_file"]))


def long_series(d):
    """Index rows of a series with several chunks."""
    for e in d.files("time_series_index"):
        rows = d.table(e["path"]).to_pylist()
        for r in rows:
            if r["chunk_idx"] == 1 and any(q["chunk_idx"] == 0 and q["time_series_id"] == r["time_series_id"] for q in rows):
                return e["path"], r["time_series_id"]
    raise AssertionError


@case("index-chunk-order", "index.chunk-order")
def _(d):
    path, sid = long_series(d)

    def change(rows):
        a, b = [i for i, r in enumerate(rows) if r["time_series_id"] == sid][:2]
        rows[a], rows[b] = rows[b], rows[a]
    d.rows(path, change)


@case("index-chunk-gap", "index.chunk-gap")
def _(d):
    path, sid = long_series(d)
    d.rows(path, lambda rows: [r.update(chunk_idx=r["chunk_idx"] + 1) for r in rows if r["time_series_id"] == sid and r["chunk_idx"] >= 1] and None)


@case("index-place-shared", "index.place-shared")
def _(d):
    def change(rows):
        by = {}
        for r in rows:
            k = (r["chunk_file"], r["n_values"])
            if k in by and by[k]["time_series_id"] != r["time_series_id"]:
                r.update(chunk_major_idx=by[k]["chunk_major_idx"], chunk_minor_idx=by[k]["chunk_minor_idx"])
                return
            by[k] = r
        a, b = rows[0], rows[1]
        b.update(chunk_file=a["chunk_file"], chunk_major_idx=a["chunk_major_idx"], chunk_minor_idx=a["chunk_minor_idx"])
    d.rows(IDX, change)


@case("index-shared-differs", "index.shared-differs")
def _(d):
    for e in d.files("time_series_index"):
        def change(rows):
            for r in rows:
                if r["record_id"] == "record-shared" and r["time_series_id"] != "series-window":
                    r["chunk_minor_idx"] += 1
        d.rows(e["path"], change)


# ---- shards ----

def sh(name, rule, severity="error", also=(), want=None):
    """Change rows of the first shard of a spec (want: its spec_type)."""
    def add(change):
        @case("shard-" + name, rule, "P", severity, also)
        def make(d):
            for e in d.files("time_series"):
                rows = d.table(e["path"]).to_pylist()
                if (want is None or rows[0]["spec_type"] == want) and (not name.startswith("offset") or rows[0]["time_offsets_us"]):
                    d.rows(e["path"], change)
                    return
            raise AssertionError(name)
    return add


def sh_without(column):
    @case(f"shard-without-{column}", "table.column-missing", "P")
    def make(d):
        e = next(iter(d.files("time_series")))
        d.put(e["path"], d.table(e["path"]).drop_columns([column]))


for column in ("time_series_id", "n_values", "values", "time_offsets_us"):
    sh_without(column)
sh("series", "shard.row")(lambda rows: rows[0].update(time_series_id="zzz"))
sh("signal", "shard.row")(lambda rows: rows[0].update(signal="zzz"))
sh("chunk-idx", "shard.row")(lambda rows: rows[0].update(chunk_idx=7))
sh("n-values", "shard.row")(lambda rows: rows[0].update(n_values=1000))
sh("spec", "shard.spec-unknown")(lambda rows: [r.update(spec_type="nothing") for r in rows] and None)
sh("mixed", "shard.specs-mixed", also=("shard.row",))(lambda rows: rows[-1].update(spec_type="int8_plain" if rows[0]["spec_type"] != "int8_plain" else "int16_plain"))
sh("values-null", "shard.values-null")(lambda rows: rows[0].update(values=None))
sh("short", "shard.length")(lambda rows: rows[0].update(values=rows[0]["values"][:-1]))
sh("null", "values.null", want="int32_plain")(lambda rows: rows[0]["values"].__setitem__(0, None))
sh("null-nullable", None, want="int32_opt")(lambda rows: rows[0]["values"].__setitem__(1, None))
sh("label", "values.category", want="enum_plain")(lambda rows: rows[0]["values"].__setitem__(0, "unheard"))
sh("stray-offsets", "shard.offsets-stray", "warning", want="silent")(lambda rows: [r.update(time_offsets_us=list(range(len(r["values"])))) for r in rows] and None)
sh("row-unused", "shard.row-unused", "warning", want="silent")(lambda rows: rows + [dict(rows[-1], chunk_idx=1)])
sh("offsets-missing", "shard.offsets-missing")(lambda rows: rows[0].update(time_offsets_us=None))
sh("offsets-short", "shard.offsets-length")(lambda rows: rows[0].update(time_offsets_us=rows[0]["time_offsets_us"][:-1]))
sh("offsets-decrease", "values.offsets-decrease")(lambda rows: (lambda o: o.__setitem__(3, o[1] - 1 if o[1] > o[0] else o[0]) or o.__setitem__(2, o[5]))(rows[0]["time_offsets_us"]))
sh("offsets-null", "shard.offsets-null")(lambda rows: rows[0]["time_offsets_us"].__setitem__(1, None))
sh("offsets-first", "values.offsets-ends")(lambda rows: rows[0]["time_offsets_us"].__setitem__(0, max(0, rows[0]["time_offsets_us"][0] - 1)))


@case("shard-type", "shard.values-type")
def _(d):
    for e in d.files("time_series"):
        t = d.table(e["path"])
        if t["spec_type"][0].as_py() == "float32_plain":
            i = t.schema.get_field_index("values")
            d.put(e["path"], t.set_column(i, "values", t["values"].cast(pa.list_(pa.float64()))))
            return


@case("shard-utf8", "values.utf8")
def _(d):
    for e in d.files("time_series"):
        t = d.table(e["path"])
        if t["spec_type"][0].as_py() == "str_plain":
            rows = [[b"\xff" + v.encode() for v in x] for x in t["values"].to_pylist()]
            i = t.schema.get_field_index("values")
            d.put(e["path"], t.set_column(i, "values", pa.array(rows, pa.list_(pa.binary()))))
            return


@case("shard-page-v2", None)
def _(d): d.put(shard(0), d.table(shard(0)), data_page_version="2.0")


@case("shard-codec", None)
def _(d): d.put(shard(0), d.table(shard(0)), compression="gzip")


@case("shard-not-parquet", "parquet.magic")
def _(d): d.write(shard(0), b"not a Parquet file, but long enough to be looked at")


@case("shard-page-crc", "parquet.page-crc")
def _(d):
    p = d.root / shard(0)
    c = pq.ParquetFile(p).metadata.row_group(0).column(5)
    at = (c.dictionary_page_offset or c.data_page_offset) + c.total_compressed_size - 3
    b = bytearray(p.read_bytes())
    b[at] ^= 0x10
    d.write(shard(0), bytes(b))


# ---- tasks ----

def tk(name, kind, rule, severity="error", also=()):
    def add(change):
        @case("task-" + name, rule, "P", severity, also)
        def make(d):
            d.rows(task(kind), change)
    return add


@case("task-folder", "task.partition", also=("counts.tasks",))
def _(d):
    e = d.entry(task("answer"))
    (d.root / "tasks/task=riddle").mkdir()
    (d.root / task("answer")).rename(d.root / task("riddle"))
    (d.root / "tasks/task=answer").rmdir()
    e["path"] = task("riddle")


@case("task-other-folder", "task.partition-type", also=("counts.tasks",))
def _(d):
    a, b = d.root / task("answer"), d.root / task("classification")
    x, y = a.read_bytes(), b.read_bytes()
    d.write(task("answer"), y)
    d.write(task("classification"), x)


@case("task-column-missing", "table.column-missing")
def _(d): d.put(task("answer"), d.table(task("answer")).drop_columns(["prompt"]))


@case("task-payload-missing", "task.answers", severity="warning")
def _(d): d.put(task("answer"), d.table(task("answer")).drop_columns(["target"]))


tk("id-repeated", "answer", "task.id-repeated", also=("counts.tasks",))(lambda rows: rows + [dict(rows[-1])])
tk("id-null", "answer", "task.id-null")(lambda rows: rows[0].update(id=None))
tk("records-null", "answer", "task.list-null")(lambda rows: rows[0].update(record_ids=None))
tk("record", "answer", "task.record-unknown")(lambda rows: rows[0]["record_ids"].append("nothing"))
tk("input", "answer", "task.annotation-unknown")(lambda rows: rows[0]["input_annotation_ids"].append("nothing"))
tk("from", "answer", "task.from-unknown")(lambda rows: rows[0]["from_task_ids"].append("nothing"))
tk("itself", "answer", "task.derives-itself")(lambda rows: rows[0]["from_task_ids"].append(rows[0]["id"]))
tk("cycle", "answer", "task.cycle")(lambda rows: (rows[0].update(from_task_ids=[rows[1]["id"]]), rows[1].update(from_task_ids=[rows[0]["id"]])) and None)
tk("two-answers", "answer", "task.answers", "warning")(lambda rows: next(r for r in rows if r["target_annotation_ids"]).update(target="also"))
tk("scope-series", "classification", "task.series-unknown")(lambda rows: next(r for r in rows if r["scope"])["scope"].update(time_series_ids=["nothing"]))
tk("scope-end", "classification", "span.end")(lambda rows: next(r for r in rows if r["scope"] and r["scope"]["end_us"])["scope"].update(end_us=-10**9, start_us=0))
tk("scope-empty", "classification", "span.no-series")(lambda rows: next(r for r in rows if r["scope"] and r["scope"]["frame"] == "seconds")["scope"].update(time_series_ids=[]))
tk("steps-none", "classification", "span.steps-series")(lambda rows: next(r for r in rows if r["scope"] and r["scope"]["frame"] == "steps")["scope"].update(time_series_ids=None))
tk("steps-negative", "classification", "span.steps-negative")(lambda rows: next(r for r in rows if r["scope"] and r["scope"]["frame"] == "steps")["scope"].update(start_us=-1, end_us=None))
tk("steps-beyond", "classification", "task.steps-beyond", "warning")(lambda rows: next(r for r in rows if r["scope"] and r["scope"]["frame"] == "steps")["scope"].update(start_us=10**6, end_us=None))
tk("steps-several", "classification", "span.steps-several", "warning")(lambda rows: (lambda s: s.update(time_series_ids=s["time_series_ids"] * 2))(
    next(r for r in rows if r["scope"] and r["scope"]["frame"] == "steps")["scope"]))
tk("steps-timed", "classification", "task.series-frame")(lambda rows: next(r for r in rows if r["scope"] and r["scope"]["frame"] == "seconds" and r["scope"]["time_series_ids"])["scope"].update(
    frame="steps", start_us=0, end_us=2))
tk("elsewhere", "classification", "task.series-elsewhere", "warning")(lambda rows: next(r for r in rows if r["scope"] and r["scope"]["frame"] == "seconds")["scope"].update(
    time_series_ids=["series-fill-00000"], start_us=0, end_us=2))
tk("unit", "scalar_prediction", "task.unit")(lambda rows: rows[0].update(unit="furlongz"))
tk("mode", "temporal_localization", "task.mode")(lambda rows: rows[0].update(mode="dense"))
tk("target-steps", "temporal_localization", "task.target-steps")(lambda rows: next(r for r in rows if r["target"])["target"][0].update(frame="steps"))
tk("forecast-both", "forecasting", "task.forecast-target")(lambda rows: next(r for r in rows if r["target_span"]).update(target_record_id="record-long"))
tk("forecast-none", "forecasting", "task.forecast-target", also=("task.answers",))(lambda rows: rows[0].update(target_record_id=None, target_span=None))
tk("forecast-no-context", "forecasting", "task.forecast-context")(lambda rows: next(r for r in rows if r["target_record_id"]).update(context_record_ids=[]))
tk("forecast-own-context", "forecasting", "task.forecast-context")(lambda rows: (lambda r: r["context_record_ids"].append(r["target_record_id"]))(next(r for r in rows if r["target_record_id"])))
tk("forecast-point", "forecasting", "task.forecast-interval")(lambda rows: next(r for r in rows if r["target_span"])["target_span"].update(end_us=None))
tk("forecast-frame", "forecasting", "task.forecast-frame", also=("task.series-frame", "span.steps-series"))(
    lambda rows: (lambda r: r.update(scope={"start_us": 0, "end_us": 1, "time_series_ids": None, "frame": "steps"}))(
        next(r for r in rows if r["target_span"] and r["target_span"]["frame"] == "seconds")))
tk("forecast-leak", "forecasting", "task.forecast-leak")(lambda rows: (lambda r: r.update(
    scope={"start_us": 0, "end_us": r["target_span"]["end_us"], "time_series_ids": r["target_span"]["time_series_ids"], "frame": r["target_span"]["frame"]}))(
        next(r for r in rows if r["target_span"] and r["target_span"]["frame"] == "seconds")))
tk("edit-source", "ts_editing", "task.source-null", "warning")(lambda rows: rows[0].update(source_record_id=None))
tk("generation-target", "ts_generation", "task.record-unknown")(lambda rows: rows[0].update(target_record_id="nothing"))
tk("match-empty", "ts_correspondence", "task.target-empty")(lambda rows: next(r for r in rows if r["target"])["target"].clear())
tk("match-candidate", "ts_correspondence", "task.target-candidate")(lambda rows: next(r for r in rows if r["target"] and r["candidate_record_ids"])["target"].append("record-ordinal-plain"))
tk("match-series-empty", "ts_correspondence", "task.target-series-empty")(lambda rows: next(r for r in rows if r["target_time_series_ids"])["target_time_series_ids"].clear())
m("task-undeclared", "task.type-undeclared", "warning")(lambda x, d: x["schema"].update(tasks=[t for t in x["schema"]["tasks"] if t["task_type"] != "answer"]))


# ---- Zarr ----

CRC32C = [0] * 256
for i in range(256):
    c = i
    for _ in range(8):
        c = c >> 1 ^ (0x82F63B78 if c & 1 else 0)
    CRC32C[i] = c


def crc32c(data):
    c = 0xFFFFFFFF
    for b in data:
        c = c >> 8 ^ CRC32C[(c ^ b) & 255]
    return c ^ 0xFFFFFFFF


def zj(name, rule, array, severity="error", also=()):
    """Change an array's zarr.json."""
    def add(change):
        @case("zarr-" + name, rule, "Z", severity, also)
        def make(d):
            p = f"time_series.zarr/{array}/zarr.json"
            x = json.loads((d.root / p).read_text())
            out = change(x)
            d.write(p, out.encode() if isinstance(out, str) else json.dumps(x).encode())
    return add


def inner(x):
    return x["codecs"][0]["configuration"]


A = "float32_plain"
zj("json", "json.syntax", A)(lambda x: "{")
zj("format", "zarr.format", A)(lambda x: x.update(zarr_format=2))
zj("node-type", "zarr.format", A)(lambda x: x.update(node_type="thing"))
zj("shape", "zarr.shape", A)(lambda x: x.update(shape=[-1]))
zj("chunk-zero", "zarr.chunk-shape", A)(lambda x: inner(x).update(chunk_shape=[0]))
zj("chunk-odd", "zarr.chunk-shape", A)(lambda x: inner(x).update(chunk_shape=[7]))
zj("chunk-other", "zarr.chunk-size", A, also=("zarr.shard-short", "zarr.index-crc"))(lambda x: inner(x).update(chunk_shape=[inner(x)["chunk_shape"][0] // 2]) or x["chunk_grid"]["configuration"].update(
    chunk_shape=[x["chunk_grid"]["configuration"]["chunk_shape"][0] // 2]))
zj("fill", "zarr.fill-value", A)(lambda x: x.update(fill_value="zero"))
zj("fill-nan", None, A)(lambda x: x.update(fill_value="NaN"))
zj("fill-range", "zarr.fill-value", "int8_plain")(lambda x: x.update(fill_value=300))
zj("codecs-order", "zarr.codecs", A)(lambda x: inner(x)["codecs"].reverse())
zj("codecs-none", "zarr.codecs", A)(lambda x: inner(x).update(codecs=[]))
zj("data-type", "array.data-type", A, also=("zarr.chunk-size",))(lambda x: x.update(data_type="float64"))
zj("value-shape", "array.value-shape", "vec3")(lambda x: (x.update(shape=[x["shape"][0], 2]), x["chunk_grid"]["configuration"]["chunk_shape"].__setitem__(1, 2),
                                                           inner(x)["chunk_shape"].__setitem__(1, 2)))
zj("shorter", "index.range-out-of-array", A)(lambda x: x.update(shape=[x["shape"][0] - 1]))
zj("longer", "array.longer", A, "warning")(lambda x: x.update(shape=[x["shape"][0] + 1]))
zj("lengths", "array.length", "_validity/float32_opt")(lambda x: x.update(shape=[x["shape"][0] + 1]))
zj("unknown-key", "unsupported", A)(lambda x: x.update(surprise={"must_understand": True}))
zj("ignorable-key", None, A)(lambda x: x.update(surprise={"must_understand": False}))
zj("unknown-codec", "unsupported", A)(lambda x: inner(x)["codecs"].append({"name": "pressure"}))
zj("unknown-type", "unsupported", A)(lambda x: x.update(data_type="complex64"))
zj("transposed", "unsupported", "mat")(lambda x: inner(x)["codecs"].insert(0, {"name": "transpose", "configuration": {"order": [0, 2, 1]}}))
zj("transpose-none", None, "mat")(lambda x: inner(x)["codecs"].insert(0, {"name": "transpose", "configuration": {"order": [0, 1, 2]}}))
def blosc(x):
    return inner(x)["codecs"][-1]["configuration"]


for n, (key, value) in enumerate((("cname", "nope"), ("cname", 5), ("clevel", "9"), ("clevel", None), ("shuffle", 1), ("shuffle", "all"), ("typesize", 0),
                                  ("typesize", "4"), ("blocksize", None))):
    zj(f"blosc-{key}-{n}", "zarr.codecs", A)(lambda x, key=key, value=value: blosc(x).update({key: value}))
zj("blosc-null", None, A)(lambda x: blosc(x).update(shuffle=None, typesize=None, clevel=-1))
zj("blosc-empty", None, A)(lambda x: blosc(x).clear())
zj("blosc-bare", "zarr.codecs", A)(lambda x: inner(x)["codecs"][-1].pop("configuration"))
zj("blosc-word", "zarr.codecs", A)(lambda x: inner(x)["codecs"].__setitem__(-1, "blosc"))
zj("crc32c-word", None, A)(lambda x: inner(x)["index_codecs"].__setitem__(1, "crc32c"))
zj("blosc-key", "unsupported", A)(lambda x: blosc(x).update(surprise=1))
zj("codec-list", "zarr.codecs", A)(lambda x: inner(x)["codecs"][-1].update(configuration=[]))
zj("bytes-key", "unsupported", A)(lambda x: inner(x)["codecs"][0]["configuration"].update(surprise=1))
zj("sharding-key", "unsupported", A)(lambda x: inner(x).update(surprise=1))
zj("grid-key", "unsupported", A)(lambda x: x["chunk_grid"]["configuration"].update(surprise=1))
zj("chunk-key-key", "unsupported", A)(lambda x: x["chunk_key_encoding"]["configuration"].update(surprise=1))
zj("consolidated", "unsupported", A)(lambda x: x.update(consolidated_metadata={}))
zj("dimension-names-two", "zarr.dimension-names", A)(lambda x: x.update(dimension_names=["a", "b"]))
zj("dimension-names-number", "zarr.dimension-names", A)(lambda x: x.update(dimension_names=[5]))
zj("dimension-names-null", None, A)(lambda x: x.update(dimension_names=[None]))
zj("dimension-names", None, A)(lambda x: x.update(dimension_names=["time"]))


def zs(name, rule, array=A, base="Z", also=()):
    """Change a shard's bytes. The index is [offset, length] pairs; its CRC is renewed unless None is returned."""
    def add(change):
        @case("zarr-" + name, rule, base, "error", also)
        def make(d):
            meta = json.loads((d.root / f"time_series.zarr/{array}/zarr.json").read_text())
            slots = meta["chunk_grid"]["configuration"]["chunk_shape"][0] // inner(meta)["chunk_shape"][0]
            p = f"time_series.zarr/{array}/c/0" + "/0" * (len(meta["shape"]) - 1)
            b = bytearray((d.root / p).read_bytes())
            at = len(b) - 4 - 16 * slots
            index = [list(struct.unpack_from("<QQ", b, at + 16 * i)) for i in range(slots)]
            out = change(b, index, at)
            if out is not None:
                d.write(p, bytes(out))
                return
            for i, (o, n) in enumerate(index):
                struct.pack_into("<QQ", b, at + 16 * i, o, n)
            struct.pack_into("<I", b, len(b) - 4, crc32c(bytes(b[at:-4])))
            d.write(p, bytes(b))
    return add


def flip(b, at):
    b[at] ^= 0x55
    return b


zs("index-crc", "zarr.index-crc")(lambda b, index, at: flip(b, at))
zs("shard-short", "zarr.shard-short")(lambda b, index, at: b[-20:])
zs("index-past", "zarr.index-range")(lambda b, index, at: index[0].__setitem__(1, len(b) * 2))
zs("index-huge", "zarr.index-range")(lambda b, index, at: index[0].__setitem__(0, 2**63))
zs("index-over-index", "zarr.index-range")(lambda b, index, at: index[0].__setitem__(0, at - 3))
zs("blosc-version", "zarr.blosc")(lambda b, index, at: b.__setitem__(index[0][0], 9))
zs("blosc-nbytes", "zarr.chunk-size")(lambda b, index, at: struct.pack_into("<I", b, index[0][0] + 4, 4))
zs("blosc-blocks", "zarr.blosc")(lambda b, index, at: struct.pack_into("<I", b, index[0][0] + 8, 1))
zs("blosc-cbytes", "zarr.blosc")(lambda b, index, at: struct.pack_into("<I", b, index[0][0] + 12, 17))
zs("blosc-start", "zarr.blosc")(lambda b, index, at: struct.pack_into("<I", b, index[0][0] + 16, 0x7fffffff))
zs("text-claim", "zarr.claim", "str_plain")(lambda b, index, at: struct.pack_into("<I", b, index[0][0] + 4, 0x30000000))


zj("not-object", "zarr.json", A)(lambda x: "[]")
zj("not-zstd", "zarr.zstd", A)(lambda x: inner(x)["codecs"].__setitem__(-1, {"name": "zstd", "configuration": {"level": 1, "checksum": False}}))
zj("not-gzip", "zarr.gzip", A)(lambda x: inner(x)["codecs"].__setitem__(-1, {"name": "gzip", "configuration": {"level": 1}}))
zj("not-crc32c", "zarr.crc32c", A)(lambda x: inner(x)["codecs"].append({"name": "crc32c"}))
zj("not-texts", "zarr.vlen", "str_plain")(lambda x: inner(x)["codecs"].pop())


def refill(name, rule, array, codecs, chunk):
    """Every chunk of an array anew: chunk(steps) gives its stored bytes. codecs None: as they are."""
    @case("zarr-" + name, rule, "Z")
    def make(d):
        p = f"time_series.zarr/{array}/zarr.json"
        x = json.loads((d.root / p).read_text())
        steps = inner(x)["chunk_shape"][0]
        slots = x["chunk_grid"]["configuration"]["chunk_shape"][0] // steps
        if codecs is not None:
            inner(x)["codecs"] = codecs
            d.write(p, json.dumps(x).encode())
        data = chunk(steps)
        files = [e["path"] for e in d.files("time_series") if e["path"].startswith(f"time_series.zarr/{array}/c/")]
        for f in files:
            index = b"".join(struct.pack("<QQ", i * len(data), len(data)) for i in range(slots))
            d.write(f, data * slots + index + struct.pack("<I", crc32c(index)))


def stored(data, typesize):
    """A blosc frame that holds its bytes as they are."""
    return struct.pack("<BBBBIII", 2, 1, 2, typesize, len(data), len(data), len(data) + 16) + data


LITTLE = [{"name": "bytes", "configuration": {"endian": "little"}}]
refill("gzip", None, A, LITTLE + [{"name": "gzip", "configuration": {"level": 5}}], lambda n: gzip.compress(bytes(4 * n)))
refill("zstd", None, A, LITTLE + [{"name": "zstd", "configuration": {"level": 3, "checksum": False}}], lambda n: pa.compress(bytes(4 * n), "zstd", asbytes=True))
refill("crc32c", None, A, LITTLE + [{"name": "crc32c"}], lambda n: bytes(4 * n) + struct.pack("<I", crc32c(bytes(4 * n))))
refill("gzip-crc32c", None, A, LITTLE + [{"name": "gzip", "configuration": {"level": 5}}, {"name": "crc32c"}],
       lambda n: (lambda z: z + struct.pack("<I", crc32c(z)))(gzip.compress(bytes(4 * n))))
refill("big-endian", None, A, [{"name": "bytes", "configuration": {"endian": "big"}}], lambda n: bytes(4 * n))
refill("no-compressor", None, A, LITTLE, lambda n: bytes(4 * n))
refill("raw-short", "zarr.chunk-size", A, LITTLE, lambda n: bytes(4 * n - 4))
refill("gzip-short", "zarr.gzip", A, LITTLE + [{"name": "gzip", "configuration": {"level": 5}}], lambda n: gzip.compress(bytes(4 * n - 4)))
refill("zstd-short", "zarr.chunk-size", A, LITTLE + [{"name": "zstd", "configuration": {"level": 3}}], lambda n: pa.compress(bytes(4 * n - 4), "zstd", asbytes=True))
refill("stored", None, A, None, lambda n: stored(bytes(4 * n), 4))
refill("bool-two", "zarr.bool", "bool_plain", None, lambda n: stored(b"\2" * n, 1))
refill("bool-one", None, "bool_plain", None, lambda n: stored(b"\1" * n, 1))
refill("texts", None, "str_plain", None, lambda n: stored(struct.pack("<I", n) + b"\2\0\0\0hi" * n, 1))
refill("texts-few", "zarr.vlen", "str_plain", None, lambda n: stored(struct.pack("<I", n - 1) + b"\2\0\0\0hi" * (n - 1), 1))
refill("texts-long", "zarr.vlen", "str_plain", None, lambda n: stored(struct.pack("<I", n) + b"\xff\xff\xff\xffhi" * n, 1))
refill("texts-rest", "zarr.vlen", "str_plain", None, lambda n: stored(struct.pack("<I", n) + b"\2\0\0\0hi" * n + b"x", 1))
refill("texts-latin1", "zarr.utf8", "str_plain", None, lambda n: stored(struct.pack("<I", n) + b"\1\0\0\0\xe9" * n, 1))
refill("code-beyond", "values.category", "enum_plain", None, lambda n: stored(struct.pack("<i", 5) * n, 4))
refill("code-negative", "values.category", "enum_plain", None, lambda n: stored(struct.pack("<i", -1) * n, 4))
refill("code-last", None, "enum_plain", None, lambda n: stored(struct.pack("<i", 4) * n, 4))


@case("zarr-no-shards", None, "Z")
def _(d):
    p = f"time_series.zarr/{A}/zarr.json"
    x = json.loads((d.root / p).read_text())
    steps = inner(x)["chunk_shape"][0]
    x["chunk_grid"]["configuration"]["chunk_shape"] = [steps]
    x["codecs"] = LITTLE + [{"name": "gzip", "configuration": {"level": 1}}]
    d.write(p, json.dumps(x).encode())
    for e in [e for e in d.files("time_series") if e["path"].startswith(f"time_series.zarr/{A}/c/")]:
        (d.root / e["path"]).unlink()
        d.files("time_series").remove(e)
    for i in range(-(-x["shape"][0] // steps)):
        f = f"time_series.zarr/{A}/c/{i}"
        d.files("time_series").append({"path": f})
        d.write(f, gzip.compress(bytes(4 * steps)))


@case("zarr-group-missing", "array.group-missing", "Z", "warning")
def _(d):
    (d.root / "time_series.zarr/_irregular/zarr.json").unlink()
    d.files("time_series")[:] = [e for e in d.files("time_series") if e["path"] != "time_series.zarr/_irregular/zarr.json"]


@case("zarr-array-unlisted", "index.chunk-file-unlisted", "Z", also=("files.values-unlisted",))
def _(d): d.files("time_series")[:] = [e for e in d.files("time_series") if e["path"] != f"time_series.zarr/{A}/zarr.json"]


@case("zarr-offsets-shard-gone", "values.offsets-ends", "Z")
def _(d):
    p = "time_series.zarr/_time_offsets/float64_plain/c/0"
    (d.root / p).unlink()
    d.files("time_series")[:] = [e for e in d.files("time_series") if e["path"] != p]


@case("zarr-values-shard-gone", None, "Z")
def _(d):
    p = f"time_series.zarr/{A}/c/0"
    (d.root / p).unlink()
    d.files("time_series")[:] = [e for e in d.files("time_series") if e["path"] != p]


def zi(name, rule, severity="error", also=()):
    def add(change):
        @case("zarr-rows-" + name, rule, "Z", severity, also)
        def make(d):
            for e in d.files("time_series_index"):
                rows = d.table(e["path"]).to_pylist()
                if any(r["chunk_file"] == f"time_series.zarr/{A}" for r in rows):
                    d.rows(e["path"], lambda rows: change(next(r for r in rows if r["chunk_file"] == f"time_series.zarr/{A}" and r["chunk_major_idx"] > 0)))
                    return
    return add


zi("minor", "index.minor-stray", "warning")(lambda r: r.update(chunk_minor_idx=0))
zi("file", "index.chunk-file", also=("array.gap",))(lambda r: r.update(chunk_file="time_series.zarr/int32_plain"))
zi("file-unknown", "index.chunk-file", also=("array.gap",))(lambda r: r.update(chunk_file="time_series.zarr/nothing"))
zi("past", "index.range-out-of-array", also=("array.gap",))(lambda r: r.update(chunk_major_idx=10**6))
zi("negative", "index.range-out-of-array", also=("array.gap",))(lambda r: r.update(chunk_major_idx=-5))
zi("overlap", "index.range-overlap", also=("array.gap",))(lambda r: r.update(chunk_major_idx=r["chunk_major_idx"] - 1))
zi("huge", "index.range-out-of-array", also=("index.n-values-sum",))(lambda r: r.update(n_values=2**31 - 1))


# ---- format 2: the same values files under a manifest of the newer layout ----

def to_format_2(d):
    """The values files of a format 1 data set under a manifest as timenet 0.11.0 writes it; the database is a front without contents."""
    for kind in ("records", "annotations", "time_series_index", "tasks"):
        shutil.rmtree(d.root / kind)
    rows = [] if d.m["values_backend"] == "zarr" else [r for e in d.files("time_series") for r in d.table(e["path"]).select(["time_series_id", "spec_type"]).to_pylist()]
    series = {r["time_series_id"]: r["spec_type"] for r in rows}
    d.m["files"] = {"control": [{"path": "control.duckdb"}], "time_series": d.files("time_series")}
    d.m["timef_format_version"] = 2
    old = d.m["counts"]
    d.m["counts"] = {"records": old["records"], "tasks": old["tasks"]} if not rows else {
        "records": old["records"], "signals": len(series), "signal_chunks": len(rows), "tasks": old["tasks"],
        "signals_by_spec": {s: list(series.values()).count(s) for s in sorted(set(series.values()))}}
    for s in d.m["schema"]["time_series_specs"]:
        s.pop("data_source", None)
    d.write("control.duckdb", b"checksum" + b"DUCK" + bytes(4084))


@case("two-sound", None, "2")
def _(d): pass


@case("two-sound-zarr", None, "2Z")
def _(d): pass


@case("two-unread", "control.unread", "2", "note")
def _(d): pass


@case("two-no-database", "control.magic", "2")
def _(d): d.write("control.duckdb", b"checksum" + b"SQLite")


@case("two-file-missing", "files.missing", "2")
def _(d): (d.root / shard(1)).unlink()


@case("two-unlisted", "files.values-unlisted", "2")
def _(d): shutil.copy(d.root / shard(0), d.root / "time_series/part-00000099.parquet")


m("two-count-chunks", "counts.chunks", base="2")(lambda x, d: x["counts"].update(signal_chunks=x["counts"]["signal_chunks"] + 1))
m("two-count-signals", "counts.signals", base="2")(lambda x, d: x["counts"].update(signals=1))
m("two-count-specs", "counts.specs", base="2")(lambda x, d: x["counts"]["signals_by_spec"].update(float32_plain=1))
m("two-spec-gone", "shard.spec-unknown", base="2")(lambda x, d: x["schema"].update(time_series_specs=[s for s in x["schema"]["time_series_specs"] if s["spec_type"] != "float32_plain"]))
m("two-type", "shard.values-type", base="2")(lambda x, d: spec(x).update(dtype="int32"))
m("two-null", "values.null", base="2")(lambda x, d: spec(x, "float32_opt").update(nullable=False))
m("two-category", "values.category", base="2")(lambda x, d: spec(x, "enum_plain").update(categories=["sinus"]))
m("two-zarr-type", "array.data-type", base="2Z")(lambda x, d: spec(x).update(dtype="int32"))


def two(name, rule, spec_type, also=()):
    """Change the rows of the first shard of a spec."""
    def add(change):
        @case("two-" + name, rule, "2", also=also)
        def make(d):
            path = next(e["path"] for e in d.files("time_series") if d.table(e["path"])["spec_type"][0].as_py() == spec_type)
            d.rows(path, change)
    return add


def irregular(rows):
    return next(r for r in rows if r["time_offsets_us"] and len(r["time_offsets_us"]) > 1)


two("length", "shard.length", "float32_plain")(lambda rows: rows[0].update(n_values=rows[0]["n_values"] + 1))
two("idx-null", "shard.null", "float32_plain")(lambda rows: rows[0].update(chunk_idx=None))
two("id-null", "shard.null", "float32_plain", also=("counts.signals", "counts.specs"))(lambda rows: rows[0].update(time_series_id=None))
two("gap", "index.chunk-gap", "float32_plain")(lambda rows: rows[-1].update(chunk_idx=rows[-1]["chunk_idx"] + 5))
two("repeat", "index.chunk-repeated", "float32_plain", also=("counts.chunks",))(lambda rows: rows.append(rows[0]))
two("signal", "shard.series-differs", "float32_plain", also=("index.chunk-repeated", "counts.signals", "counts.specs", "index.chunk-gap"))(
    lambda rows: rows.append(dict(rows[0], signal="other", chunk_idx=1)))
two("empty", "axis.n-values", "float32_plain")(lambda rows: rows[0].update(n_values=0, values=[]))
two("values-null", "shard.values-null", "float32_plain")(lambda rows: rows[0].update(values=None))
two("offsets-decrease", "values.offsets-decrease", "float64_plain")(lambda rows: irregular(rows)["time_offsets_us"].__setitem__(1, -5))
two("offsets-few", "shard.offsets-length", "float64_plain")(lambda rows: irregular(rows)["time_offsets_us"].__delitem__(-1))
two("offsets-null", "shard.offsets-null", "float64_plain")(lambda rows: irregular(rows)["time_offsets_us"].__setitem__(0, None))
two("offsets-some", "shard.offsets-missing", "float64_plain", also=("counts.chunks",))(
    lambda rows: rows.append(dict(irregular(rows), time_offsets_us=None, chunk_idx=1 + max(r["chunk_idx"] for r in rows if r["time_series_id"] == irregular(rows)["time_series_id"]))))


@case("two-zarr-crc", "zarr.index-crc", "2Z")
def _(d):
    p = f"time_series.zarr/{A}/c/0"
    b = bytearray((d.root / p).read_bytes())
    b[-1] ^= 1
    d.write(p, bytes(b))


@case("two-zarr-lengths", "array.length", "2Z")
def _(d):
    p = "time_series.zarr/_validity/float32_opt/zarr.json"
    x = json.loads((d.root / p).read_text())
    x["shape"][0] += 1
    d.write(p, json.dumps(x).encode())


def make(name, out):
    """The data set of a case, in the directory OUT/NAME/1.0.0. Returns it."""
    c = CASES[name]
    root = Path(out) / name / "1.0.0"
    shutil.copytree(GEN / BASES[c.base], root, symlinks=True)
    d = Set(root)
    if c.base[0] == "2":
        to_format_2(d)
    c.make(d)
    d.save()
    return root


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("out", nargs="?")
    p.add_argument("names", nargs="*")
    p.add_argument("--list", action="store_true")
    a = p.parse_args()
    if a.list or not a.out:
        for c in CASES.values():
            print(f"{c.name}\t{c.rule or '-'}\t{c.severity if c.rule else '-'}")
        return
    for name in a.names or CASES:
        make(name, a.out)


if __name__ == "__main__":
    main()
