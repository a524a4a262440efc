# fish completes the same as bash
need fish
c4w help --complete fish >c4w.fish
cat >try.fish <<'END'
source $argv[1]
for line in $argv[2..-1]
	echo "$line: "(complete -C $line | string replace -r '\t.*' '' | sort | string join ' ')
end
END
here=$PWD
cd "$data"
LC_ALL=C.UTF-8 fish --no-config "$here/try.fish" "$here/c4w.fish" \
	'c4w ver' 'c4w ls --rec' 'c4w ls --color a' 'c4w cat --format ' 'c4w help --complete ' 'c4w cat containers/savez.npz ' \
	'c4w cat channels4world/release urban_scene_019231/3500000000/0/core/ta' 'c4w cat --limit 3 channels4world/release metro' \
	'c4w-cat containers/savez.npz b' 'c4w help inf' 'c4w ls channels4world/re' 'c4w verify --recipe channels4world/re' 'c4w ls help --rec' \
	'c4w geometry channels4world/release urban' 'c4w geometry channels4world/release urban_scene_019231 cont'
