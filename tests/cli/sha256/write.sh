# Lists are the bytes that sha256sum writes, whatever the names; a folder comes in the order of its names; -j changes nothing.
need sha256sum
mkdir -p 'd/e e' d/a d/-x
printf 1 >d/one
printf 2 >'d/e e/two three'
printf 3 >d/a/$'new\nline'
printf 4 >d/a/'back\slash'
printf 5 >d/-x/--help
printf 6 >d/$'caf\xe9'
printf 7 >'d/a:b#c%d=e'
: >d/empty
ln -s one d/link
ln -s a d/dirlink
(cd d && find . \( -type f -o -type l \) ! -name dirlink -printf '%P\0' | LC_ALL=C sort -z | xargs -0 sha256sum -- ) >want
(cd d && c4w sha256 . 2>../err) | LC_ALL=C sort -k 2 >got.sorted
LC_ALL=C sort -k 2 want >want.sorted
cmp want.sorted got.sorted
cat err
for j in 1 4; do c4w sha256 -q -j $j d >list.$j; done
cmp list.1 list.4
c4w sha256 --check list.1
sha256sum --check --quiet list.1
for style in --tag -b -z; do
	(cd d && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum $style --) >want
	(cd d && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 c4w sha256 $style --) >got
	cmp want got
done
cat <<'END' >json.want
{"type": "digest", "path": "d/one", "bytes": 1, "sha256": "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b"}
{"type": "digest", "path": "d/empty", "bytes": 0, "sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}
END
c4w sha256 --json d/one d/empty | cmp - json.want
printf 1 | c4w sha256
printf 1 | c4w sha256 -
c4w sha256 <d/one
(cd d && c4w sha256 -C a .)
