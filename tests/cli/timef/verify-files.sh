# The files of a version that is missing one, has one of another size, one of other bytes and a folder in place of one: a finding each,
# the same with any number of threads, basic and full, and right in the others.
cp -r "$data/timef/gen/full-zarr/1.0.0" v && chmod -R u+w v
cd v
mapfile -t files < <(find . -name '*.json' -size -2k | grep zarr.json | sort | head -n 3)
rm "${files[0]}"
printf ' ' >>"${files[1]}"
sed -i 's/zarr/ZARR/' "${files[2]}"
rm annotations/*.parquet && mkdir annotations/part-00000000.parquet
cd ..
code c4w verify v --level basic -j1
for level in basic full; do
	c4w verify v --level $level -j1 >one 2>&1 && fail "damage passed"
	for j in 2 3 8; do
		c4w verify v --level $level -j$j >many 2>&1 && fail "damage passed"
		cmp one many
	done
done
