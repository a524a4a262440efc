# a damaged source: the item is told, all others are written, and there is no manifest; after repair the run is finished
cp -r "$data/channels4world/release" source
chmod -R u+w source
for command in extract to-cache; do
	t=source/groups/test-urban-g00000/core-3500000000.tar
	cp $t good.tar
	printf X | dd of=$t bs=1 seek=3000 conv=notrunc status=none
	for jobs in 1 4; do
		rm -rf dest
		code c4w $command source dest --split test -j $jobs 2>err
		grep -o '; .*' err
		test ! -e dest/c4w-root.json
		code c4w verify dest 2>&1
	done
	mv good.tar $t
	c4w $command source dest --split test --skip-existing -q
	c4w verify dest
done
# a catalog that was changed, and an archive that is too short
echo >>source/groups/test-urban-g00000/catalog/objects.parquet
rm -rf dest
code c4w extract source dest --split test -q
truncate -s -512 source/groups/test-urban-g00000/positions.tar
code c4w extract source dest --split test -q --json --skip-existing | grep -v '"type": "plan"'
