# What ls, info and verify look like on a terminal of 80 and of 160 columns: golden captures. Colours are there and NO_COLOR works.
need tmux
unset TMUX
export TERM=xterm-256color
cd "$data/channels4world"
captures=0
capture() { # columns, then the command; prints what the screen shows
	local columns=$1 i socket
	captures=$((captures + 1))
	socket=c4w-test-$$-$captures
	shift
	printf '%s; printf "done"; sleep 30\n' "$*" >"$OLDPWD/script"
	tmux -L "$socket" -f /dev/null new-session -d -x "$columns" -y 40 "PS1= TERM=screen-256color bash '$OLDPWD/script'" || skip "tmux does not start"
	for i in $(seq 200); do
		tmux -L "$socket" capture-pane -p | grep -q 'done$' && break
		sleep 0.05
	done
	tmux -L "$socket" capture-pane -p | sed -e 's/ *$//' -e 's/done$//' -e '/^$/d'
	tmux -L "$socket" capture-pane -pe >"$OLDPWD/colours"
	tmux -L "$socket" kill-server 2>/dev/null || true
}
for columns in 80 160; do
	echo "== $columns columns"
	capture $columns c4w ls release
	capture $columns c4w ls -l release
	capture $columns c4w ls --records release --split test --components core
	capture $columns c4w ls ../passage/tree
	capture $columns c4w ls ../timef
	capture $columns c4w ls ../containers/savez_compressed.npz
	capture $columns c4w info release
	capture $columns c4w verify partial --components core,positions
done
capture 80 c4w ls release
grep -q $'\033\\[' "$OLDPWD/colours" || fail "no colours"
capture 80 NO_COLOR=1 c4w ls release
grep -q $'\033\\[1m' "$OLDPWD/colours" && fail "colours in spite of NO_COLOR"
capture 80 TERM=dumb c4w ls release
grep -q $'\033\\[1m' "$OLDPWD/colours" && fail "colours on a dumb terminal"
echo "== binary data"
capture 80 c4w cat ../containers/f4-1.npy --format npy
capture 80 c4w cat ../containers/methods.zip
capture 80 c4w cat release/c4w-root.json | tail -2
