# Recipes that can't be taken: the place and what is expected; always exit 2, but 3 for one that can't be read and 4 for a newer one.
cp -r "$data/channels4world/release" r
r=r
try() {
	printf '%s' "$1" >x.json
	printf '%s\n' "$1" | cut -c1-100
	code c4w verify "$r" --recipe x.json 2>&1
}
head='"format": "channels4world.selection", "format_version": 1, "release": "1.0.0"'
try "{$head, \"selection\": {\"components\": [\"positions\"]}}"
try "{$head, \"revision\": null, \"selection\": {\"tier\": null, \"components\": [\"positions\", \"positions\"]}}"
try "{$head, \"revision\": \"refs/pr/1\", \"selection\": {\"components\": [\"positions\"], \"scene_ids\": [\"urban_scene_019232\", \"urban_scene_019232\"]}}"
printf '\357\273\277{%s, "selection": {"components": ["positions"]}}' "$head" >bom.json
code c4w verify "$r" --recipe bom.json
try '{}'
try '[]'
try ''
try '{"format": "channels4world.selections"}'
try "{$head, \"selection\": {\"components\": []}}"
try "{$head, \"selection\": {}}"
try "{$head, \"selection\": {\"components\": \"core\"}}"
try "{$head, \"selection\": {\"components\": [\"corr\"]}}"
try "{$head, \"selection\": {\"components\": [\"core\"], \"more\": 1}}"
try "{$head, \"more\": 1, \"selection\": {\"components\": [\"core\"]}}"
try "{$head, \"release\": \"1.0.0\", \"selection\": {\"components\": [\"core\"]}}"
try "{$head, \"selection\": {\"components\": [\"core\"], \"bs_ids\": [1.0]}}"
try "{$head, \"selection\": {\"components\": [\"core\"], \"bs_ids\": [-1]}}"
try "{$head, \"selection\": {\"components\": [\"core\"], \"bs_ids\": [true]}}"
try "{$head, \"selection\": {\"components\": [\"core\"], \"bs_ids\": [9007199254740992]}}"
try "{$head, \"selection\": {\"components\": [\"core\"], \"frequencies_hz\": [7]}}"
try "{$head, \"selection\": {\"components\": [\"core\"], \"scene_ids\": [\"../x\"]}}"
try "{$head, \"selection\": {\"components\": [\"core\"], \"tier\": \"nope\"}}"
try "{$head, \"selection\": {\"components\": [\"core\"], \"profiles\": []}}"
try "{$head, \"revision\": \"a..b\", \"selection\": {\"components\": [\"core\"]}}"
try '{"format": "channels4world.selection", "format_version": 1, "release": "9.9.9", "selection": {"components": ["core"]}}'
try '{"format": "channels4world.selection", "format_version": 2, "release": "1.0.0", "selection": {"components": ["core"]}}'
try '{"format": "channels4world.selection", "format_version": 1.0, "release": "1.0.0", "selection": {"components": ["core"]}}'
code c4w verify "$r" --recipe absent.json
# lists as long as they may be, and one more
many() { # WHAT FROM TO
	seq -s , "$2" "$3" | sed "s/^/{$head, \"selection\": {\"components\": [\"positions\"], \"$1\": [/; s/\$/]}}/"
}
many bs_ids 0 1023 >x.json
code c4w verify "$r" --recipe x.json --quiet
many bs_ids 0 1024 >x.json
code c4w verify "$r" --recipe x.json
{ printf '{%s, "selection": {"components": ["positions"]}}' "$head"; head -c 8000000 /dev/zero | tr '\0' ' '; } | head -c 8000000 >x.json
code c4w verify "$r" --recipe x.json --quiet
printf ' ' >>x.json
code c4w verify "$r" --recipe x.json
# pipes and standard input do as well
c4w recipe "$data/channels4world/release" --tier tiny --components positions >tiny.json
c4w verify "$data/channels4world/release" --recipe <(cat tiny.json)
c4w verify "$data/channels4world/release" --recipe - <tiny.json
echo urban_scene_019231 | c4w verify "$data/channels4world/release" --components positions --scenes @/dev/stdin
code c4w verify "$data/channels4world/release" --recipe <(head -c 8000001 /dev/zero) 2>&1 | sed 's,/dev/fd/[0-9]*,PIPE,'
