# Full device, closed stdout, closed pipe.
[ -w /dev/full ] || skip "no /dev/full"
for i in $(seq 400); do echo $i >f$i; done
expect 3 c4w sha256 f* >/dev/full 2>err
grep -q 'standard output: No space left on device' err
expect 3 c4w sha256 f1 >&- 2>err
grep -q 'standard output: Bad file descriptor' err
mkdir many
for i in $(seq 3000); do : >"many/a-name-that-is-long-enough-to-fill-a-pipe-soon-$i"; done
{ c4w sha256 many 2>err && echo 0 >code || echo $? >code; } | head -1 >first
[ "$(cat code)" = 141 ]
[ ! -s err ]
[ "$(wc -l <first)" = 1 ]
