# Tensors that are written while they are decoded: the same bytes, constant memory, and nothing that is half a scene.
need python3 zstd
limit() { # MIB COMMAND...: under a limit of memory (not under the sanitizers, whose shadow memory would not fit)
	([ "$C4W_RUN_BUILD" != plain ] || ulimit -v $(($1 * 1024)); shift; "$@")
}
empty() { # FOLDER: no file in it, temporary or not
	[ -z "$(find "$1" -type f)" ] || fail "left $(find "$1" -type f)"
}
# R = 1200: 17,280,000 bytes, no multiple of any step; each channel on its own, and elevation in metres
python3 - <<'PY'
import array
r, lo, hi = 1200, -430.0, 8767.0
elevation = array.array("f", [(i * 7919 % 100003) / 100003 for i in range(r * r)])
markers = array.array("f", [-1.0]) * (r * r)
markers[5], markers[-5] = 0.0, 1.0
obstacles = array.array("f", [float(i % 97 == 0) for i in range(r * r)])
cells = array.array("f", bytes(12 * r * r))
for k, a in enumerate((elevation, markers, obstacles)):
    cells[k::3] = a
    open(("elevation", "markers", "obstacles")[k], "wb").write(a.tobytes())
open("all", "wb").write(cells.tobytes())
open("metres", "wb").write(array.array("d", [x * (hi - lo) + lo for x in elevation]).tobytes())
head = "{'descr': '<f4', 'fortran_order': False, 'shape': (1200, 1200, 3), }".ljust(117) + "\n"
open("npy", "wb").write(b"\x93NUMPY\x01\x00\x76\x00" + head.encode() + cells.tobytes())
PY
zstd -q all -o checked.npy.zst
zstd -q --no-check all -o declared.npy.zst
zstd -q <all >unknown.npy.zst
for blob in checked declared unknown; do
	set -- $blob.npy.zst
	[ $blob != unknown ] || set -- "$@" --resolution 1200
	c4w decode-passage "$@" -o $blob.npy
	cmp $blob.npy npy
	c4w decode-passage "$@" | cmp - npy
	c4w decode-passage "$@" -j 4 -o folder/
	cmp folder/$blob.npy npy
	c4w decode-passage - "${@:2}" --format raw <$blob.npy.zst | cmp - all
	for channel in elevation markers obstacles; do
		c4w decode-passage "$@" --format raw --channel $channel | cmp - $channel
	done
	[ "$(c4w decode-passage "$@" -n -o x.npy)" = "x.npy	17280128" ]
done
c4w decode-passage checked.npy.zst --channel markers | tail -c +129 | cmp - markers

# a tree, with metres by the scene's own range
from=$(echo "$data"/passage/tree/16/train/metadata/*/*/0000000001.yaml)
where=$(basename "$(dirname "$(dirname "$from")")")/$(basename "$(dirname "$from")")
mkdir -p tree/1200/train/{tensors,metadata}/"$where"
sed 's/^resolution: 16$/resolution: 1200/' "$from" >tree/1200/train/metadata/"$where"/0000000001.yaml
cp checked.npy.zst tree/1200/train/tensors/"$where"/0000000001.npy.zst
c4w decode-passage tree --metres --channel elevation --format raw -o metres.raw --index 1
cmp metres.raw metres
c4w decode-passage tree -o out -j 2
cmp out/1200/train/tensors/"$where"/0000000001.npy npy

# what is damaged leaves no file, in a folder or by name, and leaves alone what was there
bad() { # RULE'S-WORDS FILE
	expect 1 c4w decode-passage "$2" -o new/x.npy 2>err
	grep -q "$1" err || fail "'$1' is not in: $(cat err)"
	expect 1 c4w decode-passage "$2" -o new/ 2>err
	empty new
	printf old >old.npy
	expect 1 c4w decode-passage "$2" -o old.npy 2>err
	[ "$(cat old.npy)" = old ]
}
mkdir new
size=$(wc -c <checked.npy.zst)
head -c $((size / 2)) checked.npy.zst >bad.npy.zst
bad 'ends within block' bad.npy.zst
expect 1 c4w decode-passage bad.npy.zst >out.npy 2>err
[ ! -s out.npy ]
cat checked.npy.zst <(echo) >bad.npy.zst
bad 'surplus bytes after the frame' bad.npy.zst
cat checked.npy.zst declared.npy.zst >bad.npy.zst
bad 'a second frame after the frame' bad.npy.zst
cat checked.npy.zst <(printf 'P*M\030\0\0\0\0') >bad.npy.zst
bad 'a skippable frame after the frame' bad.npy.zst
head -c -4 checked.npy.zst | cat - <(printf 'abcd') >bad.npy.zst
bad 'checksum does not match' bad.npy.zst
# (a byte in the middle of a block: not decoded, or to other bytes than the checksum's)
{ head -c $((size / 2)) checked.npy.zst; printf '\252\125'; tail -c +$((size / 2 + 3)) checked.npy.zst; } >bad.npy.zst
bad "can't be decoded\|checksum does not match" bad.npy.zst
# one bad scene among good ones
cp bad.npy.zst tree/1200/train/tensors/"$where"/0000000002.npy.zst
expect 1 c4w decode-passage tree -o two -j 2 2>err
[ "$(find two -type f)" = two/1200/train/tensors/"$where"/0000000001.npy ]
# standard output can't be taken back, but the exit code tells
expect 1 c4w decode-passage bad.npy.zst >out.npy 2>err
[ "$(wc -c <out.npy)" -lt 17280128 ]

# a reader that goes away, a device that is full
(set +e; c4w decode-passage checked.npy.zst | head -c 100000 >part; echo "${PIPESTATUS[0]}" >status)
head -c 100000 npy | cmp - part
[ "$(cat status)" = 141 ]
expect 3 c4w decode-passage checked.npy.zst >/dev/full 2>err
[ "$(wc -l <err)" = 1 ]
expect 3 c4w decode-passage checked.npy.zst -o /dev/full 2>err
grep -q "'/dev/full': can't write" err

# R = 8192: 805 MB that a blob of 25 kB holds in 6144 blocks of one byte each; neither they nor their file's room are taken
python3 - <<'PY'
blocks, head = 6144, b"\x28\xb5\x2f\xfd\x80\x60" + (8192 * 8192 * 12).to_bytes(4, "little")
block = [((128 * 1024) << 3 | 1 << 1 | last).to_bytes(3, "little") + b"\0" for last in (0, 1)]
open("zeros.npy.zst", "wb").write(head + block[0] * (blocks - 1) + block[1])
open("short.npy.zst", "wb").write(head + block[0] * (blocks - 2) + block[1])
PY
limit 96 c4w decode-passage zeros.npy.zst --format raw -o /dev/null
[ "$(limit 96 c4w decode-passage zeros.npy.zst --format raw | wc -c)" = 805306368 ]
limit 96 expect 1 c4w decode-passage short.npy.zst -o new/x.npy 2>err
grep -q 'too few for the tensor' err
empty new

# several inputs of one name: the same again says nothing new, another is told and not written
mkdir x y
cp checked.npy.zst x/a.npy.zst
cp declared.npy.zst y/a.npy.zst
c4w decode-passage x/a.npy.zst y/a.npy.zst -o several
cmp several/a.npy npy
{ head -c 17279996 all; printf '\0\0\0\277'; } | zstd -q --stream-size=17280000 >y/a.npy.zst
expect 2 c4w decode-passage x/a.npy.zst y/a.npy.zst -o several 2>err
grep -q "written to 'a.npy' and holds other values" err
cmp several/a.npy npy
