# What decode-passage refuses, by exit code and rule.
tree=$data/passage/tree
blob=$(echo "$tree"/16/train/tensors/*/*/0000000001.npy.zst)
cp "$blob" loose.npy.zst
refuse() {
	local code=$1 text=$2
	shift 2
	expect "$code" c4w decode-passage "$@" >out 2>err
	grep -q -- "$text" err || fail "'$text' is not in: $(cat err)"
	[ ! -s out ] || fail "wrote something: $*"
}
refuse 2 'need a folder' "$tree"
refuse 2 'nothing here\|no scene\|takes one of' "$tree" --split dev -o dir
refuse 2 'numbers from 1 to 16384' "$tree" --resolution 0 -o dir
refuse 2 'such as 3,7-12' "$tree" --index 7-3 -o dir
refuse 2 'no scene that is selected' "$tree" --index 99 -o dir
[ ! -e dir/16 ]
refuse 1 'content size is not R x R x 12' loose.npy.zst --resolution 32
cat loose.npy.zst loose.npy.zst >two.npy.zst
refuse 1 'a second frame after the frame' two.npy.zst
head -c 100 loose.npy.zst >cut.npy.zst
refuse 1 'ends within block' cut.npy.zst -o cut.npy
[ ! -e cut.npy ]
refuse 3 'nowhere' nowhere.npy.zst
echo text >text.npy.zst
refuse 1 'is not a Zstandard frame' text.npy.zst
refuse 2 'metres need the calibration range' loose.npy.zst --metres
refuse 2 'corners' loose.npy.zst --format geojson
# a frame that does not declare its size: the resolution has to be given, and must be the right one
if command -v zstd >/dev/null; then
	zstd -dc loose.npy.zst | zstd -qc >unknown.npy.zst
	refuse 2 'give it with --resolution' unknown.npy.zst
	refuse 1 'ends before the tensor\|too few' unknown.npy.zst --resolution 17
	refuse 1 'holds more than the tensor' unknown.npy.zst --resolution 15
	c4w decode-passage unknown.npy.zst --resolution 16 | cmp - <(c4w decode-passage loose.npy.zst)
fi
# a contradiction between metadata and directory
cp -r "$tree" t
chmod -R u+w t
sed -i 's/^resolution: 16$/resolution: 32/' t/16/train/metadata/*/*/0000000001.yaml
refuse 1 "resolution differs from the directory" t --index 1
# one bad scene does not keep the others back
echo >>"$(echo t/16/test/tensors/*/*/*.npy.zst)"
expect 1 c4w decode-passage t -o dir 2>err
[ "$(find dir -name '*.npy' | wc -l)" = 3 ]
[ "$(wc -l <err)" = 2 ]
# a bomb that declares 3 GB costs nothing
printf '\x28\xb5\x2f\xfd\xa0\x00\x00\x00\xc0\x01\x00\x00' >bomb.npy.zst
# (the sanitizers' own shadow memory does not fit into the limit)
([ "$C4W_RUN_BUILD" != plain ] || ulimit -v 500000; expect 1 c4w decode-passage bomb.npy.zst 2>err)
grep -q 'too few for the tensor' err
# the input is not written over, by whatever name
cp loose.npy.zst same && ln -s same link
refuse 2 'input and output are the same file' same -o same
refuse 2 'input and output are the same file' link -o same
cmp loose.npy.zst same
# what the path says and what is asked for contradict each other
refuse 2 'no scene that is selected' "$blob" --resolution 32
refuse 2 'no scene that is selected' "$blob" --split test
refuse 2 'no scene that is selected' "$blob" --index 7
expect 2 c4w ls "$blob" --split test 2>err
grep -q 'there is 16/train' err
# one index, but two scenes: nothing of the first goes out
cp -r "$tree" pair && chmod -R u+w pair && cp -r pair/16 pair/32
refuse 2 'more than one scene is selected' pair --index 1
refuse 2 'more than one scene is selected' "$data/passage/export" --index 0
refuse 2 'its resolution is 16, which is not selected' loose.npy.zst --resolution 32,64
c4w decode-passage loose.npy.zst --resolution 16,32 | cmp - <(c4w decode-passage loose.npy.zst)
# wherever the metadata says it
for how in '1i resolution: 32' 's/.*/# &/; 1i {resolution: 32, index: 1}' 's/^resolution: 16$/"resolution": 32 # cells/' 's/^resolution: 16$/resolution: 99999/'; do
	rm -rf flow && cp -r "$tree" flow && chmod -R u+w flow
	case $how in 1i*) sed -i '/^resolution: 16$/d' flow/16/train/metadata/*/*/0000000001.yaml ;; esac
	sed -i "$how" flow/16/train/metadata/*/*/0000000001.yaml
	refuse 1 'resolution differs from the directory' flow --index 1
done
