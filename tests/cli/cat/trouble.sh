# What can't be printed: exit codes and words.
cd "$data/containers"
code c4w cat nonesuch
code c4w cat savez.npz nope
code c4w cat savez.npz a nope b --no-header
code c4w cat f4-1.npy --slice 5
code c4w cat f4-1.npy --slice 1,1,1
code c4w cat f4-1.npy --slice a:b
code c4w cat f4-1.npy --slice 1:2:0
code c4w cat f4-1.npy --limit -1
code c4w cat f4-1.npy --columns a
code c4w cat struct-1.npy --columns a,nope
code c4w cat f4-1.npy --format yaml
code c4w cat f4-1.npy --json --format csv
code c4w cat object.npy --format csv
code c4w cat ../channels4world/release
code c4w cat ../channels4world/release urban_scene_019231
code c4w cat ../channels4world/release metro_scene_019234/3500000000/0/detail/interaction_rank
code c4w cat ../channels4world/partial metro_scene_019234/3500000000/0/core/tau
code c4w cat ../channels4world/release/c4w-root.json --format csv
code c4w cat ../channels4world/release/c4w-root/scenes.parquet --format npy
code c4w cat ../channels4world/release/c4w-root/scenes.parquet --columns nope
code c4w cat ../channels4world
code c4w cat pax.tar d
head -c 140 f4-1.npy >"$OLDPWD/cut.npy"
printf '\x93NUMPY\x02\x00\xf0\xff\xff\xff' >"$OLDPWD/huge.npy"
cd "$OLDPWD"
code c4w cat cut.npy --format csv
code c4w cat huge.npy --format csv
cp -r "$data/channels4world/release" r && chmod -R u+w r
tar=r/groups/test-urban-g00000/core-3500000000.tar
printf X | dd of=$tar bs=1 seek=3000 conv=notrunc status=none
code c4w cat r urban_scene_019231/3500000000/0/core/tau
