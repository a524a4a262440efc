# What is said of roots, files and leaves: golden.
cd "$data/channels4world"
c4w info release
c4w info partial --json
c4w info cache | grep -E 'kind|payload'
c4w info release urban_scene_019231
c4w info release urban_scene_019231/3500000000/1/core
c4w info release urban_scene_019231/3500000000/1/core/tau
c4w info release urban_scene_019231/geometry/scene.json
c4w info --as file release
cd "$data/containers"
for f in f4-2.npy savez.npz pax.tar skippable-first.zst; do c4w info $f; done
c4w info savez.npz b
c4w info ../channels4world/release/c4w-root/scenes.parquet | grep -v created
c4w info ../channels4world/release/c4w-root.json
