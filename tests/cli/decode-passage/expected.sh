# Every figure of the expected files comes out of c4w: digests, statistics, markers, metres, routes, shards, images.
need_python json
"$python" "$data/../peers/passage_expected.py" c4w "$data/passage" >out || { cat out; exit 1; }
grep -q 'figures agree' out
if [ -n "${C4W_FIXTURES-}" ]; then
	"$python" "$data/../peers/passage_expected.py" c4w "$C4W_FIXTURES/passage" >out || { cat out; exit 1; }
fi
