# Every command line that the reference documents for reading and checking is accepted, and says the same: scenes byte for
# byte, verify by its last line and exit code, info and missing by their exit codes. The reference is called by its full path.
need_python channels4world
ref=$(dirname "$(command -v "$python" || echo "$python")")/c4w
[ -x "$ref" ] || skip "no reference command"
cd "$data/channels4world"
both() { # what to compare, then the arguments
	local how=$1 a=0 b=0
	shift
	"$ref" "$@" >"$OLDPWD/ref" 2>/dev/null || a=$?
	c4w "$@" >"$OLDPWD/own" 2>"$OLDPWD/err" || b=$?
	[ $a = $b ] || fail "$*: exit $b, the reference $a"
	case $how in
	bytes) cmp "$OLDPWD/ref" "$OLDPWD/own" || fail "$*: bytes differ" ;;
	last) [ "$(tail -n 1 "$OLDPWD/ref")" = "$(tail -n 1 "$OLDPWD/own")" ] || fail "$*: '$(tail -n 1 "$OLDPWD/own")', the reference '$(tail -n 1 "$OLDPWD/ref")'" ;;
	esac
}
selections=('' '--split test' '--tier tiny' '--profile urban --profile metropolitan' '--scenes urban_scene_019231' '--frequency 3500000000'
	'--bs 1 --bs 0' '--components core,detail' '--components geometry' '--recipe small-urban.recipe.json')
for root in release subset cache partial; do
	both code info $root
	for s in "${selections[@]}"; do
		case $root:$s in cache:*recipe*|subset:*recipe*) ;; *) both bytes scenes $root $s ;; esac
	done
done
for s in "${selections[@]}"; do
	both last verify release $s
	both last verify release $s --level basic
done
both last verify subset
both last verify cache --level full
both last verify partial --split test --components core,positions
