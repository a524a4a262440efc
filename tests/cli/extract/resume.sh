# --skip-existing: right files stay untouched, wrong ones are written, more is added, nothing is dropped
r=$data/channels4world/release
all=core,detail,positions,geometry
c4w extract "$r" whole --split test --components $all -q
c4w extract "$r" dest --split test --components core,positions -q
old='2001-01-01 00:00'
find dest -type f -exec touch -d "$old" {} +
c4w extract "$r" dest --split test --components core,positions --skip-existing 2>&1 | sed '/^wrote/!d; s/ in .*;/;/'
find dest -type f -newermt "$old" | wc -l
# without verification the size has to do; with it the digest tells
victim=$(find dest -name '*.npz' | sort | head -n 1)
printf X | dd of="$victim" bs=1 seek=100 conv=notrunc status=none
touch -d "$old" "$victim"
cp -a dest unseen
c4w extract "$r" unseen --split test --components core,positions --skip-existing --verify none -q
find unseen -type f -newermt "$old" | wc -l
c4w extract "$r" dest --split test --components core,positions --skip-existing -q
find dest -type f -newermt "$old" | sort
# more of it, and the same bytes as in one go
c4w extract "$r" dest --split test --components $all --skip-existing -q
diff -r dest whole
# less of it
code c4w extract "$r" dest --split test --scenes urban_scene_019231 --skip-existing
diff -r dest whole
# not what a cache or another collection is
code c4w to-cache "$r" dest --split test --skip-existing
sed -i 's/channels4world-v1-20260714/another/' dest/c4w-root.json
code c4w extract "$r" dest --split test --components $all --skip-existing
# strange files may stay
rm dest/c4w-root.json
echo mine >dest/strange
c4w extract "$r" dest --split test --components $all --skip-existing -q
cat dest/strange
rm dest/strange
diff -r dest whole
