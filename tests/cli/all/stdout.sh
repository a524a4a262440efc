# Help of every command into a full device, a closed stdout and a closed pipe.
[ -w /dev/full ] || skip "no /dev/full"
for name in $(commands); do
	expect 3 c4w "$name" --help >/dev/full 2>err
	grep -q 'standard output: No space left on device' err || fail "$name: $(cat err)"
	expect 3 c4w "$name" --help >&- 2>err
	grep -q 'standard output: Bad file descriptor' err || fail "$name: $(cat err)"
	{ sleep 0.05; c4w "$name" --help 2>err && echo 0 >code || echo $? >code; } | true
	[ "$(cat code)" = 141 ] || fail "$name: closed pipe ends with $(cat code)"
	[ ! -s err ] || fail "$name: closed pipe is not quiet"
done
expect 3 c4w --version >/dev/full 2>err
expect 0 c4w --version 2>&- >out
expect 0 c4w --version <&- >out
[ -s out ]
