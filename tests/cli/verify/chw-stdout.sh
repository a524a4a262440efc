# Output that can't be written.
r=$data/channels4world/release
if [ -w /dev/full ]; then
	for more in "" --json "--components core,detail"; do
		got=0
		# shellcheck disable=SC2086
		c4w verify "$r" $more >/dev/full 2>err || got=$?
		[ $got = 3 ] || fail "exit $got for a full disk"
		[ -s err ] || fail "a full disk is not named"
	done
fi
got=0
c4w verify "$r" >&- 2>err || got=$?
[ $got = 3 ] || fail "exit $got with standard output closed"
# With nothing to say there is nothing that can't be written.
expect 0 c4w verify "$r" --quiet
# The reader goes away in the middle of 3,200 lines: the program dies by the signal, as others do.
seq 100 499 | sed 's/^/--bs /' >args
# shellcheck disable=SC2046
{ got=0; c4w verify "$r" $(cat args) 2>err || got=$?; echo $got >code; } | head -1 >line
[ "$(cat code)" = 141 ] || fail "exit $(cat code) after the reader went away"
[ ! -s err ] || fail "it complains: $(cat err)"
[ "$(wc -l <line)" = 1 ]
