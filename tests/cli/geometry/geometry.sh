# a scene's geometry: entry point, files, what is refused
r=$data/channels4world/release
c4w geometry "$r" urban_scene_019231 out | sed "s|$PWD|DIR|"
(cd out && find . -type f | sort)
find out -exec touch -d 2001-01-01 {} +
c4w geometry "$data/channels4world/cache" urban_scene_019231 out --json | sed "s|$PWD|DIR|"
find out -type f -newermt 2001-01-02 | wc -l
code c4w geometry "$r" nobody out
code c4w geometry "$r" urban_scene_019231 "$r/sub" 2>&1 | sed "s|'.*'|DIR|"
cp -r "$r" copy
rm copy/groups/test-urban-g00000/geometry.tar
code c4w geometry copy urban_scene_019231 none
test ! -e none
cp "$r/groups/test-urban-g00000/geometry.tar" copy/groups/test-urban-g00000/
printf X | dd of=copy/groups/test-urban-g00000/geometry.tar bs=1 seek=700 conv=notrunc status=none
code c4w geometry copy urban_scene_019231 none | cut -c1-100
test ! -e none
mkdir elsewhere
rm -r out/urban_scene_019231
ln -s "$PWD/elsewhere" out/urban_scene_019231
code c4w geometry "$r" urban_scene_019231 out
ls elsewhere
