# Pictures without colour are plain ASCII; with colour each line has the width it may have; SVG, PNG and PDF are what they say.
r=$data/channels4world/release
one=(urban_scene_019231 --frequency 3500000000 --bs 0)
export COLUMNS=80 LINES=40 LC_ALL=C.UTF-8
c4w channel "$r" "${one[@]}" --show
c4w channel "$r" "${one[@]}" --show --color-by los | tail -2
c4w channel "$r" "${one[@]}" --ue 0 --show
c4w channel "$r" "${one[@]}" --ue 3 --show --radians | grep rad
! c4w channel "$r" "${one[@]}" --show | LC_ALL=C grep -n '[^ -~]'

# width FILE: the longest line in characters, escapes taken out
width() {
	sed 's/\x1b\[[0-9;]*m//g' "$1" | wc -L
}
for columns in 80 160; do
	for term in "xterm-256color truecolor" "xterm-256color "; do
		for what in "" "--ue 0"; do
			# shellcheck disable=SC2086
			COLUMNS=$columns TERM=${term% *} COLORTERM=${term#* } c4w channel "$r" "${one[@]}" $what --show --color always >x.txt
			[ "$(width x.txt)" -le "$columns" ] || fail "a line is wider than $columns: $what $term"
			grep -q $'\xe2\x96\x80' x.txt || fail "no half blocks: $what $term"
			case $term in
			*truecolor) grep -q '\[38;2;' x.txt ;;
			*) grep -q '\[38;5;' x.txt ;;
			esac
			# Every line that sets a colour gives it back.
			! grep -v $'\x1b\[0m' x.txt | grep $'\x1b\['
		done
	done
done
expect 3 c4w channel "$r" "${one[@]}" --ue 23 --show 2>&1 | sed 's/^c4w channel: //'
for by in power delay-spread los; do
	c4w channel "$r" "${one[@]}" --show --color-by $by -o "$by.svg" 2>err.txt || { grep -q libcairo err.txt && skip "no libcairo"; cat err.txt; }
	head -c 5 "$by.svg"
	echo
	! grep -q 'NaN\|nan' "$by.svg"
done
c4w channel "$r" "${one[@]}" --ue 0 -o link.png
head -c 8 link.png | od -An -tx1
c4w channel "$r" "${one[@]}" --ue 0 -o again.png
cmp link.png again.png
c4w channel "$r" "${one[@]}" --show -o map.pdf
head -c 5 map.pdf
echo
expect 2 c4w channel "$r" "${one[@]}" --show -o map.gif 2>&1
