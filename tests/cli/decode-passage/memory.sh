# Under a limit on address space fewer scenes are worked on at once; none fails.
need_python zstandard
[ "$C4W_RUN_BUILD" = plain ] || skip "sanitizers reserve address space"
mkdir -p t/2048/train/tensors/N001/E001
"$python" - t/2048/train/tensors/N001/E001/0000000001.npy.zst <<'END'
import struct, sys, zstandard
raw = struct.pack("<fff", 0.5, -1, 0) * (2048 * 2048)
open(sys.argv[1], "wb").write(zstandard.ZstdCompressor(level=1).compress(raw))
END
for i in 2 3 4 5 6; do
	cp t/2048/train/tensors/N001/E001/000000000{1,$i}.npy.zst
done
(
	ulimit -v 200000
	c4w decode-passage t -o out -j 6
	c4w verify t --level basic -j 6 --ignore passage.receipt
)
[ "$(find out -name '*.npy' -size 50331776c | wc -l)" = 6 ]
