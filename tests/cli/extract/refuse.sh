# what is refused, and that nothing was written by then
r=$data/channels4world/release
mkdir full
echo mine >full/file
code c4w extract "$r" full
ln -s "$data/channels4world/cache" cache
code c4w extract cache dest
code c4w extract "$r" dest --scenes nowhere
code c4w extract "$r" dest --split test --tier tiny --scenes urban_scene_019232
code c4w extract nothing dest
code c4w extract "$r" dest --only-valid
code c4w extract "$r"
# source and destination are the same, or nested
cp -r "$r" source
code c4w extract source source --skip-existing
code c4w extract source source/sub
code c4w extract source/groups source
mkdir -p around
mv source around/in
code c4w extract around/in around --skip-existing
ln -s around/in link
code c4w extract around/in link/deep
ls around/in | tr '\n' ' '
test ! -e dest
# something is not downloaded
rm around/in/groups/test-urban-g00000/core-3500000000.tar
code c4w extract around/in dest --split test
rm around/in/groups/test-urban-g00000/snapshot.json
code c4w extract around/in dest --split test
test ! -e dest
ls full
