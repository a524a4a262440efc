# A root made of links into a folder of blobs, as download caches lay it out; and one reached through a link.
cp -r "$data/channels4world/release" r
mkdir blobs
n=0
find r -type f | sort >list
while read -r f; do
	n=$((n + 1))
	mv "$f" blobs/$n
	ln -s "$PWD/blobs/$n" "$f"
done <list
code c4w verify r --components core,detail,positions,geometry | tail -2
ln -s r l
code c4w verify l/ --split test
# a link to nothing is a file that is not there
rm "$(readlink r/groups/test-urban-g00000/positions.tar)"
code c4w verify r --split test
