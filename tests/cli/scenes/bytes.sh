# The reference's bytes: selections, order, errors.
cd "$data/channels4world"
for o in '' '--split test' '--tier small' '--profile metropolitan' '--scenes metro_scene_019234,urban_scene_019231' '--recipe small-urban.recipe.json' \
	'--split test --frequency 28000000000 --bs 1 --components core'; do
	echo "-- $o"
	c4w scenes release $o
done
c4w scenes release --json
code c4w scenes release --split nope
code c4w scenes release --recipe small-urban.recipe.json --split test
code c4w scenes ../containers/f4-1.npy
code c4w scenes nonesuch
