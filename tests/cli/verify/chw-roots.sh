# The fixture roots, as their writer left them.
for r in release subset cache one one-cache; do
	code c4w verify "$data/channels4world/$r"
	code c4w verify "$data/channels4world/$r" --level basic --components core,detail,positions,geometry
done
# A download with holes: a group's metadata and an archive are not there.
cp -r "$data/channels4world/release" partial
rm partial/groups/test-urban-g00000/core-28000000000.tar partial/groups/train-metro-g00001/snapshot.json
code c4w verify partial
code c4w verify partial --split test --frequency 3500000000
