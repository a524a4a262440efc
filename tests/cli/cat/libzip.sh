# libzip is opened for an entry that needs it, and for no other; without it (a file of its name that is none) the message names the package.
zip=$data/containers/methods.zip
mkdir none
: >none/libzip.so.4
c4w cat "$zip" stored >stored
for method in deflated bzip2; do
	c4w cat "$zip" $method | cmp - stored || fail "$method"
done
LD_DEBUG=files c4w cat "$zip" deflated 2>loaded >/dev/null
grep -q 'file=libzstd' loaded || fail "the loader tells nothing"
grep 'file=libzip' loaded && fail "opened for a deflated entry"
export LD_LIBRARY_PATH=$PWD/none
c4w cat "$zip" deflated | cmp - stored || fail "deflated, without libzip"
expect 4 c4w cat "$zip" bzip2 >out 2>said
grep -q 'libzip.so.4 .* is not installed' said && grep -q 'package libzip4' said || fail "$(cat said)"
true
