# For every fixture and container at hand: each name that ls -R prints can be listed or printed.
feed() {
	local n=0 kind name rest
	while IFS=$'\t' read -r name kind rest; do
		n=$((n + 1))
		if [ "$kind" = folder ]; then
			c4w ls -1 -- "$1" "$name" >/dev/null || fail "ls $1 $name"
		else
			c4w cat -- "$1" "$name" >/dev/null || fail "cat $1 $name"
		fi
	done < <(c4w ls -R -- "$1" | tail -n +2)
	[ $n -gt 0 ] || fail "$1 lists nothing"
}
for f in "$data"/containers/*; do
	case $f in
	*/none.zip|*/object.npy|*/README*) continue ;;             # no entries; refused
	*/skippable.zst|*/wide*.zst) continue ;;
	esac
	c4w ls -1 "$f" >/dev/null 2>&1 || continue
	# links and special files are told, not followed
	case $f in */gnu.tar|*/pax.tar|*/ustar.tar|*/v7.tar|*/link.zip|*/types*.tar) continue ;; esac
	feed "$f"
done
for r in release subset cache; do
	c4w ls -R "$data/channels4world/$r" | awk -F '\t' 'NR == 1 || NR % 7 == 2' >"list.$r"
	while IFS=$'\t' read -r name kind rest; do
		[ "$name" = name ] && continue
		if [ "$kind" = folder ]; then
			c4w ls -1 "$data/channels4world/$r" "$name" >/dev/null 2>err || grep -q 'is not published' err || fail "ls $r $name"
		else
			c4w cat "$data/channels4world/$r" "$name" >/dev/null || fail "cat $r $name"
		fi
	done <"list.$r"
done
