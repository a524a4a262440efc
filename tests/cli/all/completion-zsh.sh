# zsh completes the same as bash, in a shell of its own
need zsh
mkdir functions
c4w help --complete zsh >functions/_c4w
here=$PWD
cd "$data"
zsh -f "$data/../tools/complete.zsh" "$here/functions" "$here/out" \
	'c4w ver' 'c4w ls --rec' 'c4w ls --color a' 'c4w cat --format ' 'c4w help --complete ' 'c4w cat containers/savez.npz ' \
	'c4w cat channels4world/release urban_scene_019231/3500000000/0/core/ta' 'c4w cat --limit 3 channels4world/release metro' \
	'c4w-cat containers/savez.npz b' 'c4w help inf' 'c4w ls channels4world/re' 'c4w verify --recipe channels4world/re' 'c4w ls help --rec' \
	'c4w geometry channels4world/release urban' 'c4w geometry channels4world/release urban_scene_019231 cont'
