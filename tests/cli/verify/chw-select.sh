# Selections: what they take, and names that are not there.
cp -r "$data/channels4world/release" "$data/channels4world/small-urban.recipe.json" .
v() {
	echo "\$ c4w verify release $*"
	code c4w verify release "$@" 2>&1
}
v --split test
v --tier tiny
v --tier full
v --profile urban --profile metropolitan
v --scenes metro_scene_019234,urban_scene_019231 --components positions
v --frequency 28000000000 --bs 1
v --frequency 3_500_000_000 --components core
v --bs 0 --bs 9 --frequency 3500000000 --scenes urban_scene_019231
v --bs 9 --components core --scenes urban_scene_019231
v --components core,detail --split train --bs 0
v --components ' geometry , positions,'
v --recipe small-urban.recipe.json
v --split nope
v --tier nope
v --profile nope
v --scenes nope
v --scenes ,
v --frequency 5
v --frequency x
v --frequency 99999999999999999999
v --bs x
v --components nope
v --components ,
v --recipe small-urban.recipe.json --bs 1
v --split test --split train
v --resolution 64
v --nonesuch
v --level none
v --ignore nonesuch
v --split test --profile metropolitan
