# make install PREFIX= DESTDIR= brings the program, a link a command, manual pages and completions; uninstall leaves nothing.
need make
[ "$C4W_RUN_BUILD" = plain ] || skip "the plain build is what is installed"
[ -x "$top/c4w" ] || skip "not built"
room=$PWD/room
make -s -C "$top" install PREFIX=/opt/c4w DESTDIR="$room" >log 2>&1 || { cat log; fail "make install"; }
bin=$room/opt/c4w/bin
for n in $(c4w help --names); do
	[ "$(readlink "$bin/c4w-$n")" = c4w ] || fail "no link c4w-$n"
done
for n in $(commands); do
	[ -s "$room/opt/c4w/share/man/man1/c4w-$n.1" ] || fail "no page c4w-$n.1"
done
[ -s "$room/opt/c4w/share/man/man1/c4w.1" ]
[ -s "$room/opt/c4w/share/man/man7/c4w-rules.7" ]
bash -n "$room/opt/c4w/share/bash-completion/completions/c4w"
[ -s "$room/opt/c4w/share/zsh/site-functions/_c4w" ]
[ -s "$room/opt/c4w/share/fish/vendor_completions.d/c4w.fish" ]
"$bin/c4w-ls" -1 "$data/containers/savez.npz"
make -s -C "$top" uninstall PREFIX=/opt/c4w DESTDIR="$room" >log 2>&1 || { cat log; fail "make uninstall"; }
find "$room" ! -type d
