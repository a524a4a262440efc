# a disk that is full before the end: told with 3, no manifest; with room the run is finished
need unshare mount
unshare -rm true 2>/dev/null || skip "no user namespaces"
cp -r "$data/channels4world/release" source
mkdir dest
cat >inside.sh <<'END'
mount -t tmpfs -o size=$1 tmpfs dest || exit 77
for command in extract to-cache; do
	got=0
	c4w $command source dest/$command --split test -q -j 2 --no-space-check >out 2>err || got=$?
	cat out err | grep -c -i 'no space left' >/dev/null && echo "told"
	test -e dest/$command/c4w-root.json && echo "manifest"
	echo "$command: exit $got"
	got=0
	c4w $command source dest/other --split test -q 2>&1 | sed -E 's/[0-9.]+ K?B are/N are/g'
	mount -o remount,size=10m dest
	c4w $command source dest/$command --split test -q --skip-existing
	c4w verify dest/$command
	ls -A dest/$command | tr '\n' ' '
	echo
	rm -rf dest/*
	mount -o remount,size=$1 dest
done
END
unshare -rm bash inside.sh 90k || { [ $? = 77 ] && skip "no tmpfs"; exit 1; }
