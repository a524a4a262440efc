# every example of the README gives what is shown below it
need python3
mkdir data && cd data
for x in release partial; do cp -rL "$data/channels4world/$x" $x; done
ln -s "$data/timef" timef
ln -s "$data/passage/tree" tree
ln -s "$data/passage/export" export
ln -s "$data/containers/savez_compressed.npz" .
cp -rL release broken
chmod -R u+w broken
printf X | dd of=broken/groups/test-urban-g00000/core-28000000000.tar bs=1 seek=1500 conv=notrunc status=none
rm broken/groups/test-urban-g00000/positions.tar
cp -rL tree broken-tree
chmod -R u+w broken-tree
sed -i 3d broken-tree/16/train/paths/astar_slope/free/N062/E065/0000000001.csv
rm broken-tree/16/train/receipts/0000000000.json
printf x >>broken-tree/16/test/tensors/S046/W071/0000000004.npy.zst
mkdir d
printf 1 >d/a && printf 2 >d/b && (cd d && sha256sum a b) >SHA256SUMS && printf 3 >d/b
NO_COLOR=1 LC_ALL=C.UTF-8 python3 "$data/../tools/readme.py" "$data/../../README.md" . >../result || { cat ../result >&2; exit 1; }
grep -q '^[0-9]* examples, 0 differ$' ../result
