# The same bytes for any number of threads.
cp -r "$data/channels4world/release" r
for f in core-3500000000 core-28000000000 detail-3500000000 positions geometry; do
	printf '\377' | dd of=r/groups/test-urban-g00000/$f.tar bs=1 seek=900 conv=notrunc status=none
done
rm r/groups/train-metro-g00001/core-28000000000.tar
for mode in "" --json "--level basic" --fail-fast; do
	# shellcheck disable=SC2086
	for j in 1 2 8; do
		expect 1 c4w verify r --components core,detail,positions,geometry $mode -j $j >$j.out
	done
	cmp 1.out 2.out
	cmp 1.out 8.out
	wc -l <1.out
done
# a small budget changes when items start, not what comes out
expect 1 c4w verify r --components core,detail,positions,geometry -j 8 --memory 200K >small.out
expect 1 c4w verify r --components core,detail,positions,geometry -j 1 >1.out
cmp 1.out small.out
