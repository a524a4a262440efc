# Every command answers --help and -h on stdout with exit 0; an unknown option is 2 with one line and a pointer.
for name in $(commands); do
	expect 0 c4w "$name" --help >long 2>err
	[ ! -s err ] || fail "$name --help writes to stderr"
	expect 0 c4w "$name" -h >short 2>err
	[ "$(wc -l <short)" -le 60 ] || fail "$name -h does not fit a screen"
	cmp <(c4w help "$name") long || fail "c4w help $name differs from c4w $name --help"
	grep -q '^Exit codes:' long || fail "$name --help tells no exit codes"
	expect 2 c4w "$name" --no-such-option >out 2>err
	[ ! -s out ] || fail "$name: a usage error writes to stdout"
	[ "$(wc -l <err)" = 2 ] || fail "$name: a usage error is not one line and a hint"
	grep -q -- "--no-such-option" err && grep -q "^hint: .*c4w $name --help" err || fail "$name: unhelpful: $(cat err)"
	expect 2 c4w "$name" --color=mauve >out 2>err
	grep -q "auto, always, never" err || fail "$name: --color lists no words"
	expect 2 c4w "$name" --color >out 2>err
	expect 2 c4w "$name" --help=yes >out 2>err
done
