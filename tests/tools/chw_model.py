"""A small Channels4World root as Python values, written back with every hash above a change renewed.

`Model(path)` reads a sound release root (TAR payloads). A case changes the model or hangs a function on one of the hooks
below; `write(out)` then derives everything that lies above (array digests, content digest, path axis, pins, member digests,
offsets, sizes, digests of tables), so that a reader meets the fault itself and not a digest that gives it away.

Hooks, from the bottom up. Each is a list of functions that get the value and may return another one:
  rec.on_arrays(arrays)   rec.on_entries([Entry])  rec.on_body(bytes)     of one record, before its digest is taken
  rec.on_header(header)   the header, snapshot's and embedded one alike   rec.on_meta(header)  the embedded one alone
  rec.on_meta_array(a)    the array that holds it
  rec.on_content(content) numeric_content, before its digest             rec.on_row(row)      the snapshot row
  geo.on_body(bytes)
  m.on_docs(docs)         {path: value}, before they pin each other       m.on_doc_bytes(path -> bytes)
  m.on_snapshot(doc)  m.on_snapshot_text(text)  m.on_members(rows)  m.on_members_table(table)
  m.on_archive(path, bytes)  m.on_files(rows)  m.on_scenes(rows)  m.on_records(rows)  m.on_tables({name: table})
  m.on_root(doc)  m.on_root_text(text)  m.on_disk(out)    the last one: files as they lie, no hash renewed
"""
import hashlib
import io
import json
import struct
import sys
import tarfile
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).resolve().parent))
import make_channels4world as mk  # noqa: E402

sha, canon = mk.sha, mk.canon
FIELDS = mk.FIELDS
S, I = pa.string(), pa.int64()
FILES_COLS = [("path", S), ("bytes", I), ("sha256", S), ("group", S), ("kind", S), ("component", S), ("frequency_hz", I),
              ("record_id", S)]
SCENES_COLS = [("scene_id", S), ("split", S), ("profile", S), ("tier", S), ("group", S), ("group_order", I), ("scene_order", I)]
MEMBERS_COLS = [("record_id", S), ("object_path", S), ("member_path", S), ("data_offset", I), ("member_bytes", I),
                ("member_sha256", S)]
RECORDS_COLS = [("record_id", S)]


def run(hooks, value, *args):
    for f in hooks:
        got = f(*args, value)
        if got is not None:
            value = got
    return value


class Entry:
    """One entry of a ZIP archive; fields can be made wrong on their own."""

    def __init__(self, name, data, method=0):
        self.name, self.data, self.method = name, data, method
        self.flags = 0
        self.packed = None       # the compressed bytes, else made from data
        self.crc = None          # in both headers
        self.local = {}          # local header's own: name, crc, size, packed_size, method, flags
        self.size = None         # claimed, in both headers
        self.zip64 = True        # as numpy: a zip64 field in the local header
        self.central_zip64 = False
        self.external = 0o100644 << 16
        self.at = None           # claimed place of the local header
        self.descriptor = b""
        self.extra = b""
        self.claimed_packed = None  # in the directory


def pack(entries, comment=b"", count=None, trailing=b"", prefix=b"", end64=False, cut=0, gap=b""):
    out = bytearray(prefix)
    central = bytearray()
    for e in entries:
        name = e.name if isinstance(e.name, bytes) else e.name.encode()
        data = e.data
        packed = e.packed
        if packed is None:
            if e.method == 8:
                c = zlib.compressobj(9, zlib.DEFLATED, -15)
                packed = c.compress(data) + c.flush()
            elif e.method in (12, 14):
                b = io.BytesIO()
                with zipfile.ZipFile(b, "w") as z:
                    z.writestr(zipfile.ZipInfo("x"), data, e.method)
                    i = z.infolist()[0]
                packed = b.getvalue()[31:31 + i.compress_size]
                if e.method == 14:
                    e.flags |= i.flag_bits & 2
            else:
                packed = data
        crc = zlib.crc32(data) if e.crc is None else e.crc
        size = len(data) if e.size is None else e.size
        at = len(out)
        lo = dict(name=name, crc=crc, size=size, packed_size=len(packed), method=e.method, flags=e.flags)
        lo.update(e.local)
        extra = struct.pack("<HHQQ", 1, 16, lo["size"], lo["packed_size"]) if e.zip64 else b""
        out += struct.pack("<IHHHHHIIIHH", 0x04034B50, 45, lo["flags"], lo["method"], 0, 33, lo["crc"],
                           0xFFFFFFFF if e.zip64 else lo["packed_size"], 0xFFFFFFFF if e.zip64 else lo["size"],
                           len(lo["name"]), len(extra)) + lo["name"] + extra + packed + e.descriptor
        out += gap
        claimed = at - len(prefix) if e.at is None else e.at
        cextra = struct.pack("<HHQQ", 1, 16, size, len(packed)) if e.central_zip64 else b""
        cextra += e.extra
        central += struct.pack("<IHHHHHHIIIHHHHHII", 0x02014B50, 45 | 3 << 8, 45, e.flags, e.method, 0, 33, crc,
                               0xFFFFFFFF if e.central_zip64 else len(packed) if e.claimed_packed is None else e.claimed_packed,
                               0xFFFFFFFF if e.central_zip64 else size,
                               len(name), len(cextra), 0, 0, 0, e.external, claimed) + name + cextra
    at = len(out) - len(prefix)
    out += central
    n = len(entries) if count is None else count
    if end64:
        z64 = len(out) - len(prefix)
        out += struct.pack("<IQHHIIQQQQ", 0x06064B50, 44, 45, 45, 0, 0, n, n, len(central), at)
        out += struct.pack("<IIQI", 0x07064B50, 0, z64, 1)
        out += struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, len(comment)) + comment
    else:
        out += struct.pack("<IHHHHIIH", 0x06054B50, 0, 0, n, n, len(central), at, len(comment)) + comment
    out += trailing
    return bytes(out[:len(out) - cut])


def npy(a, version=(1, 0), header=None, fortran=False, pad=None):
    """An NPY file of array a; header: the dictionary's text instead of numpy's own."""
    if header is None:
        header = "{'descr': %r, 'fortran_order': %s, 'shape': %r, }" % (a.dtype.str, fortran, a.shape)
    text = header.encode("latin-1") if isinstance(header, str) else header
    n = 2 if version[0] == 1 else 4
    fill = (-(8 + n + len(text) + 1)) % 64 if pad is None else pad
    text += b" " * fill + b"\n"
    return b"\x93NUMPY" + bytes(version) + len(text).to_bytes(n, "little") + text + a.tobytes("F" if fortran else "C")


class Rec:
    def __init__(self, row, member_path, arrays):
        self.header = row["record"]
        self.identity = self.header["identity"]
        self.scene, self.component = self.identity["scene_id"], self.identity["component"]
        self.hz, self.bs = self.identity["frequency_hz"], self.identity["bs_index"]
        self.member_path, self.arrays = member_path, arrays
        self.keep_axis = self.keep_dims = self.keep_content = self.keep_pin = self.keep_member = False
        self.method = 0
        self.pack = pack
        self.order = None
        for h in ("arrays", "entries", "body", "header", "meta", "meta_array", "content", "row"):
            setattr(self, "on_" + h, [])
        self.old_row = row

    def entry_order(self):
        return list(FIELDS[self.component])


class Geo:
    def __init__(self, scene, member_path, body):
        self.scene, self.member_path, self.body = scene, member_path, body
        self.component, self.hz, self.bs = "geometry", None, None
        self.on_body = []
        self.on_entries = []
        self.pack = pack
        with zipfile.ZipFile(io.BytesIO(body)) as z:
            self.entries = [Entry(i.filename, z.read(i), 8) for i in z.infolist()]
        for e in self.entries:
            e.zip64 = False


class Model:
    HOOKS = ("docs", "doc_bytes", "snapshot", "snapshot_text", "members", "members_table", "archive", "files", "scenes", "records",
             "tables", "root", "root_text", "disk", "geometry_ids")

    def __init__(self, path):
        path = Path(path)
        self.root = json.loads((path / "c4w-root.json").read_bytes())
        self.scenes = pq.read_table(path / self.root["tables"]["scenes"]["path"]).to_pylist()
        self.files = pq.read_table(path / self.root["tables"]["files"]["path"]).to_pylist()
        self.records = None
        self.docs = {f["path"]: json.loads((path / f["path"]).read_bytes()) for f in self.files if f["kind"] == "schema"}
        self.groups = {}
        self.other = {f["path"]: (path / f["path"]).read_bytes() for f in self.files if f["kind"] == "catalog"}
        for h in self.HOOKS:
            setattr(self, "on_" + h, [])
        for f in self.files:
            if f["kind"] == "snapshot":
                snap = json.loads((path / f["path"]).read_bytes())
                members = pq.read_table(path / f"groups/{f['group']}/catalog/members.parquet").to_pylist()
                rows = {r["record_id"]: r for r in snap["records"]}
                g = self.groups[f["group"]] = []
                for m in members:
                    obj = path / m["object_path"]
                    if not obj.exists():
                        continue
                    with obj.open("rb") as fh:
                        fh.seek(m["data_offset"])
                        body = fh.read(m["member_bytes"])
                    if m["record_id"] in rows:
                        with np.load(io.BytesIO(body)) as z:
                            arrays = {k: z[k] for k in z.files if k != "__meta__"}
                        item = Rec(rows[m["record_id"]], m["member_path"], arrays)
                    else:
                        item = Geo(m["member_path"].split("/")[1][6:], m["member_path"], body)
                    item.object_path = m["object_path"]
                    g.append(item)
        self.all = [x for g in self.groups.values() for x in g]

    def get(self, component, n=0):
        """The n-th record of a component in the order of scene, carrier, BS."""
        v = [x for x in self.all if x.component == component]
        v.sort(key=lambda x: (x.scene, x.hz or 0, x.bs or 0))
        return v[n]

    def hook(self, name, f):
        getattr(self, "on_" + name).append(f)

    # ---- deriving ----
    def conventions(self):
        docs = run(self.on_docs, {k: json.loads(json.dumps(v)) for k, v in self.docs.items()})
        out = {}
        conv = None
        for p, v in docs.items():
            if p.endswith("conventions.json"):
                conv = p
            else:
                out[p] = run(self.on_doc_bytes, v if isinstance(v, bytes) else json.dumps(v, indent=1).encode(), p)
        c = docs[conv]
        if not isinstance(c, bytes):
            for key in ("release_profile", "arrays", "interaction_codes"):
                if isinstance(c.get(key), dict) and c[key].get("ref") in out and not c[key].pop("keep", False):
                    c[key]["sha256"] = sha(out[c[key]["ref"]])
            c = json.dumps(c, indent=1).encode()
        out[conv] = run(self.on_doc_bytes, c, conv)
        return out, {"ref": conv, "sha256": sha(out[conv])}

    def build(self, rec, conv, done):
        a = run(rec.on_arrays, dict(rec.arrays))
        h = json.loads(json.dumps(rec.header))
        h["conventions"] = conv
        if not rec.keep_dims:
            if rec.component == "core":
                h["dimensions"] = {"links": len(a["link_ue_index"]), "paths": len(a["path_rank"])}
            elif rec.component == "detail":
                h["dimensions"] = {"paths": len(a["path_interaction_offsets"]) - 1, "interactions": len(a["interaction_type"])}
            else:
                h["dimensions"] = {"bs": len(a["bs_positions"]), "ues": len(a["ue_positions"])}
        pos = done.get((rec.scene, "positions", None, None))
        if rec.component != "positions" and not rec.keep_pin:
            pin = {"record_id": mk.rid(mk.identity(rec.scene, "positions")), "content_sha256": pos["content_sha256"],
                   "conventions_sha256": conv["sha256"], **pos["record"]["dimensions"]} if pos else \
                dict(h["dependencies"].get("positions") or h["dependencies"]["core_axis"]["positions"],
                     conventions_sha256=conv["sha256"])
            if rec.component == "core":
                h["dependencies"] = {"positions": pin}
            else:
                core = done.get((rec.scene, "core", rec.hz, rec.bs))
                axis = core["record"]["path_axis_sha256"] if core else h["path_axis_sha256"]
                h["path_axis_sha256"] = axis
                h["dependencies"] = {"core_axis": {"record_id": mk.rid(mk.identity(rec.scene, "core", rec.hz, rec.bs)),
                                                   "path_axis_sha256": axis, "conventions_sha256": conv["sha256"],
                                                   "positions": core["record"]["dependencies"]["positions"] if core else pin}}
        if rec.component == "core" and not rec.keep_axis:
            h["path_axis_sha256"] = mk.path_axis(a)
        h = run(rec.on_header, h)
        meta = run(rec.on_meta, json.loads(json.dumps(h)))
        text = meta if isinstance(meta, str) else json.dumps(meta)
        meta_array = run(rec.on_meta_array, np.array(text))
        entries = [Entry(n + ".npy", npy(a[n]), rec.method) for n in rec.entry_order()]
        entries.append(Entry("__meta__.npy", npy(meta_array) if isinstance(meta_array, np.ndarray) else meta_array, rec.method))
        entries = run(rec.on_entries, entries)
        body = run(rec.on_body, rec.pack(entries))
        if rec.keep_content:
            content = json.loads(json.dumps(rec.old_row["numeric_content"]))
        else:
            content, _ = mk.numeric_content(rec.component, a)
        content = run(rec.on_content, content)
        row = {"record_id": mk.rid(h["identity"]), "record": h, "numeric_content": content,
               "content_sha256": sha(b"wireless.numeric-content.v1\0" + canon(content)),
               "member_sha256": rec.old_row["member_sha256"] if rec.keep_member else sha(body)}
        rec.record_id = row["record_id"]
        row = run(rec.on_row, row)
        done[(rec.scene, rec.component, rec.hz, rec.bs)] = row
        return row, body

    def payload_bodies(self):
        """(docs, conv, [(group, item, row or None, record_id, body)])"""
        docs, conv = self.conventions()
        out, rank = [], {"positions": 0, "geometry": 1, "core": 2, "detail": 3}
        for group, items in self.groups.items():
            done, built = {}, {}
            for x in sorted(items, key=lambda y: rank[y.component]):
                if isinstance(x, Geo):
                    body = run(x.on_body, x.pack(run(x.on_entries, list(x.entries))))
                    built[id(x)] = (None, mk.rid(mk.identity(x.scene, "geometry")), body)
                else:
                    row, body = self.build(x, conv, done)
                    built[id(x)] = (row, x.record_id, body)
            out += [(group, x) + built[id(x)] for x in items]
        return docs, conv, out

    def put(self, out, path, body):
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        (out / path).write_bytes(body)

    def table_bytes(self, t, **kw):
        b = io.BytesIO()
        pq.write_table(t, b, **dict(dict(compression="zstd"), **kw))
        return b.getvalue()

    def snapshot_bytes(self, group, conv, rows):
        snap = run(self.on_snapshot, {"schema": "wireless.numeric-snapshot", "version": 1, "conventions": conv, "records": rows})
        text = run(self.on_snapshot_text, snap if isinstance(snap, str) else json.dumps(snap))
        return text if isinstance(text, bytes) else text.encode()

    def members_bytes(self, members):
        members = run(self.on_members, members)
        t = run(self.on_members_table, mk.table(members, MEMBERS_COLS))
        return t if isinstance(t, bytes) else self.table_bytes(t)

    def write(self, out):
        """A release root: TAR payloads."""
        out = Path(out)
        out.mkdir(parents=True)
        docs, conv, items = self.payload_bodies()
        new = dict(docs)
        new.update(self.other)
        for group in self.groups:
            mine = [x for x in items if x[0] == group]
            archives = {}
            for _, x, row, rid, body in mine:
                archives.setdefault(x.object_path, []).append((x.member_path, body, rid))
            members = []
            for path, v in archives.items():
                b = io.BytesIO()
                with tarfile.open(fileobj=b, mode="w", format=tarfile.USTAR_FORMAT) as t:
                    for name, body, rid in v:
                        info = tarfile.TarInfo(name)
                        info.size, info.mode, info.mtime = len(body), 0o644, 0
                        members.append({"record_id": rid, "object_path": path, "member_path": name, "data_offset": t.offset + 512,
                                        "member_bytes": len(body), "member_sha256": sha(body)})
                        t.addfile(info, io.BytesIO(body))
                new[path] = run(self.on_archive, b.getvalue(), path)
            new[f"groups/{group}/catalog/members.parquet"] = self.members_bytes(members)
            rows = [row for _, x, row, rid, body in mine if row is not None]
            new[f"groups/{group}/snapshot.json"] = self.snapshot_bytes(group, conv, rows)
        files = [dict(f) for f in self.files]
        self.finish(out, new, files, None)

    def write_subset(self, out):
        """A subset root: loose payloads, a records table."""
        out = Path(out)
        out.mkdir(parents=True)
        docs, conv, items = self.payload_bodies()
        new = dict(docs)
        new.update(self.other)
        files = [dict(f) for f in self.files if f["kind"] != "payload"]
        for group in self.groups:
            mine = [x for x in items if x[0] == group]
            members = []
            for _, x, row, rid, body in mine:
                members.append({"record_id": rid, "object_path": x.object_path, "member_path": x.member_path, "data_offset": 512,
                                "member_bytes": len(body), "member_sha256": sha(body)})
                new[x.member_path] = body
                files.append({"path": x.member_path, "bytes": 0, "sha256": None, "group": group, "kind": "payload",
                              "component": x.component, "frequency_hz": x.hz, "record_id": rid})
            new[f"groups/{group}/catalog/members.parquet"] = self.members_bytes(members)
            new[f"groups/{group}/snapshot.json"] = self.snapshot_bytes(group, conv, [r for _, _, r, _, _ in mine if r is not None])
        self.root.update(kind="subset", payload="loose", hf_repo=None, hf_path=None, created_by="break_channels4world",
                         source={"kind": "release", "release": self.root["release"], "root_sha256": "0" * 64})
        self.finish(out, new, files, [{"record_id": rid} for _, _, _, rid, _ in items])

    def write_cache(self, out):
        """A cache root."""
        out = Path(out)
        out.mkdir(parents=True)
        docs, conv, items = self.payload_bodies()
        new = dict(docs)
        new.update(self.other)
        files = [dict(f) for f in self.files if f["kind"] != "payload"]
        arrays_of = {}
        for group in self.groups:
            mine = [x for x in items if x[0] == group]
            members, parts = [], {}
            for _, x, row, rid, body in mine:
                members.append({"record_id": rid, "object_path": x.object_path, "member_path": x.member_path, "data_offset": 512,
                                "member_bytes": len(body), "member_sha256": sha(body)})
                if x.component == "geometry":
                    new[x.member_path] = body
                    files.append({"path": x.member_path, "bytes": 0, "sha256": None, "group": group, "kind": "payload",
                                  "component": x.component, "frequency_hz": None, "record_id": rid})
                else:
                    parts.setdefault((x.component, x.hz), []).append((rid, run(x.on_arrays, dict(x.arrays))))
            for (component, hz), v in parts.items():
                folder = f"cache/{group}/{component}" + ("" if hz is None else f"-{hz}")
                index = {"component": component, "frequency_hz": hz, "records": [r for r, _ in v],
                         "fields": {n: f"{folder}/{n}.npy" for n in FIELDS[component]}}
                arrays = {n: np.concatenate([a[n] for _, a in v]) for n in FIELDS[component]}
                bodies = {n: npy(a) for n, a in arrays.items()}
                for f in getattr(self, "on_part", []):
                    got = f(component, hz, index, bodies)
                    if got is not None:
                        index = got
                files.append({"path": folder + "/index.json", "bytes": 0, "sha256": None, "group": group, "kind": "cache_index",
                              "component": component, "frequency_hz": hz, "record_id": None})
                new[folder + "/index.json"] = index if isinstance(index, bytes) else json.dumps(index, indent=1).encode()
                for n, body in bodies.items():
                    path = f"{folder}/{n}.npy"
                    new[path] = body
                    files.append({"path": path, "bytes": 0, "sha256": None, "group": group, "kind": "cache_array",
                                  "component": component, "frequency_hz": hz, "record_id": None})
            new[f"groups/{group}/catalog/members.parquet"] = self.members_bytes(members)
            new[f"groups/{group}/snapshot.json"] = self.snapshot_bytes(group, conv, [r for _, _, r, _, _ in mine if r is not None])
        self.root.update(kind="cache", payload="npy", hf_repo=None, hf_path=None, created_by="break_channels4world",
                         source={"kind": "release", "release": self.root["release"], "root_sha256": "0" * 64})
        self.finish(out, new, files, [{"record_id": rid} for _, _, _, rid, _ in items])

    def finish(self, out, new, files, records):
        for f in files:
            if f["path"] in new:
                f["bytes"] = len(new[f["path"]])
                f["sha256"] = None if f["kind"] == "cache_array" else sha(new[f["path"]])
        for path, body in new.items():
            self.put(out, path, body)
        files = run(self.on_files, files)
        scenes = run(self.on_scenes, [dict(s) for s in self.scenes])
        tables = {"scenes": mk.table(scenes, SCENES_COLS), "files": mk.table(files, FILES_COLS)}
        if records is not None:
            tables["records"] = mk.table(run(self.on_records, records), RECORDS_COLS)
        tables = run(self.on_tables, tables)
        self.root["tables"] = {}
        for name, t in tables.items():
            p = f"c4w-root/{name}.parquet"
            body = t if isinstance(t, bytes) else self.table_bytes(t)
            self.put(out, p, body)
            self.root["tables"][name] = {"path": p, "sha256": sha(body), "bytes": len(body)}
        root = run(self.on_root, self.root)
        text = run(self.on_root_text, root if isinstance(root, str) else json.dumps(root, indent=1, sort_keys=True))
        self.put(out, "c4w-root.json", text if isinstance(text, bytes) else text.encode())
        for f in self.on_disk:
            f(out)
