# One scene in every format, from every kind of input, judged by what the bytes must be.
tree=$data/passage/tree
blob=$(echo "$tree"/16/train/tensors/*/*/0000000001.npy.zst)
sha() { sha256sum | cut -c1-64; }
want=$(sed -n '/0000000001.npy.zst"/,/npy_sha256/s/.*"npy_sha256": "\(.*\)".*/\1/p' "$data/passage/tree.expected.json" | head -1)
raw=$(sed -n '/0000000001.npy.zst"/,/npy_sha256/s/.*"raw_sha256": "\(.*\)".*/\1/p' "$data/passage/tree.expected.json" | head -1)

# the same bytes: a scene's file, a loose copy, standard input, a tree, a shard
cp "$blob" loose.npy.zst
[ "$(c4w decode-passage "$blob" | sha)" = "$want" ]
[ "$(c4w decode-passage loose.npy.zst | sha)" = "$want" ]
[ "$(c4w decode-passage - <loose.npy.zst | sha)" = "$want" ]
[ "$(c4w decode-passage "$tree" --index 1 | sha)" = "$want" ]
[ "$(c4w decode-passage "$data/passage/export/16x16" --index 1 | sha)" = "$want" ]
[ "$(c4w decode-passage loose.npy.zst --to raw | sha)" = "$raw" ]
[ "$(c4w decode-passage loose.npy.zst --resolution 16 | sha)" = "$want" ]

# -o: a file, a folder, a folder by its slash; threads do not matter
c4w decode-passage loose.npy.zst -o one.npy
[ "$(sha <one.npy)" = "$want" ]
c4w decode-passage "$data/passage/export/16x16" --index 1 -o row.npy
[ "$(sha <row.npy)" = "$want" ]
touch -d 2001-01-01 one.npy
[ -z "$(c4w decode-passage loose.npy.zst -o one.npy --skip-existing)" ]
[ "$(stat -c %Y one.npy)" -lt 1000000000 ]
[ "$(c4w decode-passage loose.npy.zst -o two.npy --dry-run)" = "two.npy	3200" ]
[ ! -e two.npy ]
c4w decode-passage loose.npy.zst -o new/
[ "$(sha <new/loose.npy)" = "$want" ]
for j in 1 4; do
	c4w decode-passage "$tree" -o "out$j" -j "$j"
done
diff -r out1 out4
(cd out1 && find . -type f | sort) >list
c4w decode-passage "$tree" --dry-run | cut -f1 | sort | sed 's|^|./|' >dry
diff list dry
[ "$(wc -l <list)" = 5 ]

# skip-existing leaves files alone, and writes what is missing
touch -d 2001-01-01 out1/16/train/tensors/*/*/0000000001.npy
rm out1/16/test/tensors/*/*/*.npy
c4w decode-passage "$tree" -o out1 --skip-existing
[ "$(stat -c %Y out1/16/train/tensors/*/*/0000000001.npy)" -lt 1000000000 ]
diff -r out1 out4
c4w decode-passage "$tree" -o out1 --skip-existing --dry-run >dry
[ ! -s dry ]

# values
c4w decode-passage "$tree" --index 1 --format csv --channel elevation --metres >m.csv
[ "$(wc -l <m.csv)" = 16 ]
[ "$(head -1 m.csv | cut -d, -f1)" = 340.00003073364496 ]
c4w decode-passage "$blob" --format csv | sed -n 1,2p >all.csv
grep -qx 'row,column,elevation,marker,obstacle' all.csv
c4w decode-passage "$blob" --format pfm --channel obstacles | head -c 15 | head -2 >pfm
printf 'Pf\n16 16\n' | cmp - pfm
[ "$(c4w decode-passage "$blob" --channel markers --format raw | wc -c)" = 1024 ]
[ "$(c4w decode-passage "$blob" --channel elevation --metres --format raw | wc -c)" = 2048 ]
c4w decode-passage "$blob" --format geojson --solver slope --variant free >g.json
[ "$(grep -o '"kind":"route"' g.json | wc -l)" = 1 ]
grep -q '"cost":259.7056274847714,"length":8' g.json
