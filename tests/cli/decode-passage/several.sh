# Several inputs of every kind in one run, colliding names, and a limit of memory below one scene.
tree=$data/passage/tree export=$data/passage/export
mkdir x y
cp "$tree"/16/train/tensors/*/*/0000000001.npy.zst x/loose.npy.zst
cp x/loose.npy.zst y/loose.npy.zst
c4w decode-passage "$tree" "$export" x/loose.npy.zst y/loose.npy.zst "$export/16x16/test" -o out -j 2
[ "$(find out -name '*.npy' | wc -l)" = 6 ]
c4w decode-passage "$tree" -o alone
rm out/loose.npy
diff -r out alone
# one name, two contents
cp "$tree"/16/test/tensors/*/*/*.npy.zst y/loose.npy.zst
expect 2 c4w decode-passage x/loose.npy.zst y/loose.npy.zst -o two 2>err
grep -q "another input of this name was written to 'loose.npy' and holds other values" err
c4w decode-passage x/loose.npy.zst | cmp - two/loose.npy
# an index that only one of them has
c4w decode-passage "$export/16x16/train" "$export/16x16/test" --index 4 -o idx
[ "$(find idx -name '*.npy' | wc -l)" = 1 ]
expect 2 c4w decode-passage "$export/16x16/train" "$export/16x16/test" --index 99 -o none 2>err
grep -q 'no input has a scene that is selected' err
# a resolution and a split out of their places: the metadata says where scenes go
cp -r "$tree/16" moved && cp -r "$tree/16/train" set
c4w decode-passage moved -o place
diff -r alone place
c4w decode-passage set -o place2 -j 2
diff -r alone/16/train place2/16/train
[ "$(c4w decode-passage set --dry-run | cut -f1 | sort | head -1)" = "16/train/tensors/N046/E089/0000000000.npy" ]
# a scene that needs more than --memory is told, and nothing is written
for what in "-o none" "--show" "--format raw --index 1"; do
	expect 4 c4w decode-passage "$tree" $what --memory 1K >got 2>err
	[ ! -s got ]
	grep -q 'bytes of memory, --memory allows 1024' err
done
expect 4 c4w decode-passage x/loose.npy.zst --format csv --memory 1K >got 2>err
[ ! -s got ]
grep -q 'needs 6144 bytes of memory, --memory allows 1024' err
