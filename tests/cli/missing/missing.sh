# what is missing of the fixture, as text, paths and JSON
cp -r "$data/channels4world/release" release
rm release/groups/test-urban-g00000/core-28000000000.tar release/groups/train-metro-g00001/snapshot.json
local_dir() { sed "s|$PWD|DIR|"; }
code c4w missing release --revision v1.0.0 | local_dir
code c4w missing release --split test --components core,detail | local_dir
code c4w missing release --split train --components geometry --paths-only
code c4w missing release --json | local_dir
code c4w missing release --split test --components positions
code c4w missing "$data/channels4world/release" --components detail
rm release/schema/arrays.json
code c4w missing release --split test --components geometry --paths-only
rm -r release/groups
code c4w missing release | local_dir
code c4w missing "$data/channels4world/subset"
