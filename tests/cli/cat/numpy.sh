# numpy, csv and json read back what cat prints, unchanged: 60 random arrays in NPY and NPZ, through files and pipes.
need_python numpy
"$python" - <<'END'
import csv, io, json, subprocess, sys, zipfile
import numpy as np
rng = np.random.default_rng(11)
bad = 0
def run(*a, stdin=None):
    r = subprocess.run(['c4w', *a], capture_output=True, input=stdin)
    if r.returncode:
        print('FAILED:', a, r.stderr.decode())
    return r.stdout
def same(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
kinds = ['<f4', '>f8', '<f2', '|u1', '<i2', '>i4', '<i8', '>u8', '|b1', '<c8', '>c16', '<U3', '|S4', '<M8[us]', '<m8[s]']
for i in range(60):
    d = np.dtype(kinds[i % len(kinds)])
    shape = tuple(int(x) for x in rng.integers(0, 5, rng.integers(0, 4)))
    n = int(np.prod(shape))
    raw = rng.integers(0, 256, n * d.itemsize, dtype=np.uint8).tobytes()
    if d.kind == 'b':
        a = (rng.integers(0, 2, n) > 0)
    elif d.kind == 'U':
        a = np.array([''.join(chr(c) for c in rng.integers(32, 0x2ff, 2)) for _ in range(n)], d)
    elif d.kind == 'S':
        a = np.array([bytes(rng.integers(32, 127, 3).tolist()) for _ in range(n)], d)
    else:
        a = np.frombuffer(raw, d)
    a = np.array(a.reshape(shape), order='F' if i % 3 == 0 else 'C')
    np.save('a.npy', a)
    if i % 2:
        np.savez_compressed('a.npz', x=a, y=a[:1] if a.ndim else a)
        got = run('cat', 'a.npz', 'x', '--format', 'npy')
    else:
        got = run('cat', 'a.npy', '--format', 'npy')
    b = np.load(io.BytesIO(got))
    if not (b.dtype == a.dtype and b.shape == a.shape and b.tobytes() == a.tobytes()):
        bad += 1; print('FAILED: npy', i, d, shape)
    if run('cat', 'a.npy', '--format', 'raw') != a.tobytes('C'):
        bad += 1; print('FAILED: raw', i, d, shape)
    lines = run('cat', 'a.npy', '--json').decode().splitlines()
    if d.kind in 'fiub':
        rows = [json.loads(l) for l in lines]
        back = np.array(rows if a.ndim else rows[0], a.dtype).reshape(a.shape) if a.size else np.empty(a.shape, a.dtype)
        ok = np.array_equal(back, a, equal_nan=True) if d.kind == 'f' else np.array_equal(back, a)
        if not ok:
            bad += 1; print('FAILED: jsonl', i, d, shape)
    if d.kind in 'fiu' and a.ndim in (1, 2) and a.size:
        rows = list(csv.reader(io.StringIO(run('cat', 'a.npy', '--format', 'csv', '--no-header').decode())))
        back = np.array([[d.type(x) for x in r] for r in rows], a.dtype).reshape(a.shape)
        if not np.array_equal(back, a, equal_nan=d.kind == 'f'):
            bad += 1; print('FAILED: csv', i, d, shape)
    if a.ndim and a.shape[0] > 1:
        got = run('cat', 'a.npy', '--format', 'raw', '--slice=1::2')
        if got != np.ascontiguousarray(a[1::2]).tobytes():
            bad += 1; print('FAILED: slice', i, d, shape)
# Larger than what is printed in one piece: read in pieces.
big = rng.standard_normal((700001, 3))
np.save('big.npy', big)
if run('cat', 'big.npy', '--format', 'raw', '--slice=7:690000:3') != big[7:690000:3].tobytes():
    bad += 1; print('FAILED: big raw slice')
b = np.load(io.BytesIO(run('cat', 'big.npy', '--format', 'npy', '--slice=::2,1:')))
if not np.array_equal(b, big[::2, 1:]):
    bad += 1; print('FAILED: big npy slice')
if run('cat', 'big.npy', '--slice=-2:', '--format', 'raw', '--memory', '1M') != big[-2:].tobytes():
    bad += 1; print('FAILED: big tail')
sys.exit(bad != 0)
END
