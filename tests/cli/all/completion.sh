# bash completes commands, options, enum values and leaf names out of `c4w ls`.
. <(c4w help --complete bash)
compopt() { :; }
try() { # the words of a command line; the last one is being completed
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	_c4w
	printf '%s: %s\n' "$*" "$(printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort | tr '\n' ' ')"
}
cd "$data"
try c4w ver
try c4w sha
try c4w ls --rec
try c4w ls --color a
try c4w cat --format ''
try c4w help --complete ''
try c4w cat containers/savez.npz ''
try c4w cat channels4world/release urban_scene_019231/3500000000/0/core/ta
try c4w cat channels4world/release --limit 3 metro
try c4w-cat containers/savez.npz b
try c4w help inf
