# the reference's bytes for the same selection; files; and a recipe wherever a selection goes
r=$data/channels4world/release
c4w recipe "$r" --tier small --profile urban --frequency 3500000000 --components positions,core --revision v1.0.0 >a.json
cmp a.json "$data/channels4world/small-urban.recipe.json"
c4w recipe "$r" --recipe a.json
c4w recipe "$r" -o b.json --split test --bs 1 --bs 0 --bs 1 --scenes urban_scene_019232,urban_scene_019231
cat b.json
code c4w recipe "$r" -o b.json
c4w recipe "$r" -o b.json --force
cat b.json
code c4w recipe "$r" --recipe a.json --split test
code c4w recipe "$r" --revision 'a..b'
code c4w recipe "$r" --bs=-1
c4w missing "$r" --recipe a.json
c4w verify "$r" --recipe a.json
c4w extract "$r" dest --recipe a.json -q
c4w verify dest --components core,positions
sed 's/1\.0\.0/2.0.0/' a.json >other.json
code c4w verify "$r" --recipe other.json
code c4w recipe "$data/passage" 2>&1 | sed 's/^.*: //'
c4w recipe --help | grep -A1 '^  -f, --force'
