"""Transforms of `c4w channel` against channels4world.transforms: one record as NPY, and all records as one table, for each root."""
import pathlib
import subprocess
import sys
import tempfile

import channels4world as reference
import numpy as np
import pyarrow.parquet as parquet
from channels4world import transforms as T

TOP = pathlib.Path(__file__).resolve().parents[2]
C4W = str(pathlib.Path(sys.argv[1]).resolve())
OFFSETS = [-1e8, -1.25e6, 0.0, 3.7, 2e7]
DIRECT = ("tau", "a_real", "theta_t", "path_rank", "interaction_flags")
compared = worst = 0


def ours(root, out, *args):
    subprocess.run([C4W, "channel", str(root), "-o", str(out), *map(str, args)], check=True)
    return out


def check(what, got, want, exact=False):
    """Each value within 1e-12 of the reference's own size; the same NaNs and infinities."""
    global compared, worst
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape, f"{what}: shape {got.shape}, not {want.shape}"
    assert got.dtype == want.dtype, f"{what}: dtype {got.dtype}, not {want.dtype}"
    compared += want.size
    if exact:
        assert np.array_equal(got, want), f"{what}: differs"
        return
    finite = np.isfinite(want)
    assert np.array_equal(got[~finite], want[~finite], equal_nan=True), f"{what}: NaN or infinite elsewhere"
    scale = np.abs(want[finite])
    off = np.abs(got[finite] - want[finite])
    bad = off > 1e-12 * scale
    worst = max(worst, float(np.max(off / np.where(scale > 0, scale, 1), initial=0)))
    assert not bad.any(), f"{what}: off by {off[bad].max():g} of {scale[bad][0]:g}"


def response_scale(rec):
    """A sum of terms that cancel: what an error is relative to is the size of the terms."""
    return np.add.reduceat(np.abs(T.complex_gain(rec)), rec.core["link_path_offsets"][:-1])[:, None] if rec.n_links else 1


def wanted(rec):
    offsets = f"--offsets={','.join(map(repr, OFFSETS))}"
    yield "power", [], T.path_power_db(rec), False
    yield "gain", [], T.complex_gain(rec), True
    yield "delay-spread", [], T.delay_spread(rec), False
    for name, theirs in (("absolute", "absolute"), ("first", "first_retained")):
        yield "baseband", ["--reference", name], T.baseband_coefficients(rec, theirs), False
        yield "response", ["--reference", name, offsets], T.frequency_response(rec, OFFSETS, theirs), False
    for field in DIRECT:
        yield "padded", ["--field", field], T.pad_paths(rec.core, field)[0], True
    yield "mask", [], T.pad_paths(rec.core, "tau")[1], True


def channels(root):
    for scene in reference.open(str(root)).scenes:
        for f in scene.frequencies:
            for b in f.base_stations:
                try:
                    yield scene.id, f.hz, b.id, b.read(verify="full")
                except (reference.NotPublishedError, reference.NotDownloadedError):
                    pass


def one_root(root, folder, every):
    n, tables = 0, {}
    for k, (scene, hz, bs, rec) in enumerate(channels(root)):
        for what, options, want, exact in wanted(rec):
            tables.setdefault((what, *options), []).append((scene, hz, bs, rec, want))
            if k % every:
                continue
            got = np.load(ours(root, folder / "x.npy", scene, "--frequency", hz, "--bs", bs, "--what", what, *options))
            if what == "response":
                # Compare against the sum's terms: values near a null have lost their digits in both.
                assert got.shape == want.shape and got.dtype == want.dtype
                assert (np.abs(got - want) <= 1e-12 * response_scale(rec)).all(), f"response {scene} {hz} {bs}"
                global compared
                compared += want.size
            else:
                check(f"{root.name} {scene} {hz} {bs} {what} {options}", got, want, exact)
            n += 1
    for (what, *options), rows in tables.items():
        table(root, folder, what, options, rows)
    return n, len(tables)


def table(root, folder, what, options, rows):
    """The same of all records at once: keys and values of the Parquet table, and of the NPY rows."""
    per_path = what in ("power", "gain", "baseband")
    t = parquet.read_table(ours(root, folder / "t.parquet", "--what", what, *options))
    keys = [[], [], [], []]
    for scene, hz, bs, rec, _ in rows:
        counts = np.diff(rec.core["link_path_offsets"]) if per_path else np.ones(rec.n_links, int)
        ue = np.repeat(rec.core["link_ue_index"], counts)
        for column, values in zip(keys, ([scene] * len(ue), [hz] * len(ue), [bs] * len(ue), ue.tolist())):
            column += values
    for name, column in zip(("scene", "frequency_hz", "bs", "ue"), keys):
        assert t[name].to_pylist() == column, f"{what}: column {name}"
    if per_path:
        ranks = np.concatenate([r[3].core["path_rank"] for r in rows]).tolist()
        assert t["path_rank"].to_pylist() == ranks, f"{what}: column path_rank"
    want = np.concatenate([r[4] for r in rows])
    npy = np.load(ours(root, folder / "t.npy", "--what", what, *options)) if len(rows) > 1 else None
    if npy is not None:
        assert npy["ue"].tolist() == keys[3] and npy["scene"].tolist() == keys[0], f"{what}: NPY keys"
    flat = lambda name: np.array([np.array(v) for v in t[name].to_pylist()]).reshape(want.shape)
    if np.iscomplexobj(want):
        real = np.float32 if want.dtype == np.complex64 else np.float64
        got = flat("value_re").astype(real) + 1j * flat("value_im").astype(real)
    else:
        got = flat("value")
    got = got.astype(want.dtype)
    if npy is not None:
        assert np.array_equal(got, npy["value"], equal_nan=True), f"{what}: Parquet and NPY differ"
    if what == "response":
        scale = np.concatenate([response_scale(r[3]) for r in rows])
        assert (np.abs(got - want) <= 1e-12 * scale).all(), "response table"
    else:
        check(f"{root.name} table {what} {options}", got, want, what in ("gain", "padded", "mask"))


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        made = folder / "made"
        subprocess.run([sys.executable, str(TOP / "tests/tools/make_channels4world.py"), str(made), "--groups", "1", "--scenes", "1", "--bs", "2",
                        "--ues", "3000", "--seed", "11"], check=True, stdout=subprocess.DEVNULL)
        for root in (*(TOP / "tests/data/channels4world" / k for k in ("release", "subset", "cache")), made):
            n, tables = one_root(root, folder, 1)
            print(f"{root.name}: {n} arrays and {tables} tables agree")
    print(f"{compared} values compared, none off by more than 1e-12; the worst by {worst:.2g}")


main()
