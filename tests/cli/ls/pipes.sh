# A closed pipe, a full device, closed stdout; on a big listing and on a small one.
[ -w /dev/full ] || skip "no /dev/full"
mkdir many
for i in $(seq 3000); do : >"many/a-name-that-is-long-enough-to-fill-a-pipe-soon-$i"; done
for o in '' --json -1 -R; do
	{ c4w ls $o many 2>err && echo 0 >code || echo $? >code; } | head -1 >first
	[ "$(cat code)" = 141 ] || fail "ls $o ends with $(cat code)"
	[ ! -s err ] || fail "ls $o is not quiet"
	[ "$(wc -l <first)" = 1 ]
	expect 3 c4w ls $o many >/dev/full 2>err
	grep -q 'standard output: No space left on device' err
	expect 3 c4w ls $o many >&- 2>err
done
for c in "ls $data/channels4world/release" "info $data/channels4world/release" "scenes $data/channels4world/release" "cat $data/channels4world/release/c4w-root/files.parquet" \
	"verify $data/channels4world/release" "cat $data/containers/f4-1.npy --format npy"; do
	expect 3 c4w $c >/dev/full 2>err
	grep -q 'standard output: No space left on device' err || fail "$c: $(cat err)"
	expect 3 c4w $c >&- 2>err
	{ sleep 0.1; c4w $c 2>err && echo 0 >code || echo $? >code; } | true
	[ "$(cat code)" = 141 ] || fail "$c ends with $(cat code)"
	[ ! -s err ] || fail "$c is not quiet: $(cat err)"
done
