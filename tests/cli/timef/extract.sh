# extract: what is right already stays, what isn't is written anew, and what DEST lists is not lost.
t=$data/timef/gen
try() {
	local code=0
	c4w extract "$@" >said 2>&1 || code=$?
	sed "s#$data#DATA#g; s#, [0-9.]* [kKMG]*B in [0-9.]* s ([^)]*)##; s#[0-9.]* [kMGT]*B free#N free#" said
	echo "exit $code"
}
marks() { find out -type f -exec stat -c '%n %Y %s' {} + | sort; }
for form in csv npy parquet; do
	rm -rf out
	try "$t/full-zarr" out --record 128 --format $form -q
	find out -type f -exec touch -d '2001-01-01' {} +
	marks >before
	try "$t/full-zarr" out --record 128 --format $form --skip-existing
	marks | cmp before - && echo "all stayed"
	printf x | dd of=out/128/4.$form conv=notrunc bs=1 seek=9 2>/dev/null
	try "$t/full-zarr" out --record 128 --format $form --skip-existing
	marks | cut -d' ' -f1,3 >now
	cut -d' ' -f1,3 before | cmp - now && echo "as it was"
	printf x >>out/128/127.$form
	: >out/128/4.$form
	try "$t/full-zarr" out --record 128 --format $form --skip-existing -j1
	marks | cut -d' ' -f1,3 | cmp now - && echo "as it was"
done
try "$t/full-zarr" out --record 106 --format parquet --skip-existing
try "$t/full-zarr" out --record 106 --format parquet
rm out/128/4.parquet
try "$t/full-zarr" out --record 128 --format parquet --skip-existing -n
ls out
try "$t/full-zarr" out --record 128 --record 106 --spec float32_plain --format parquet --skip-existing
cut -c1-60 out/series.jsonl
# what make is told: the manifest, the tables that were read, and the values files of what was selected
for d in full-zarr full-parquet; do
	try "$t/$d" "made-$d" --spec float32_opt --depfile "dep-$d" -q
	sed -n "s#$data#DATA#g; s# \\\\\$##; s#^  ##p" "dep-$d"
done
# a values file that isn't what the manifest says gives no series; others are written
cp -r "$t/full-parquet/1.0.0" v && chmod -R u+w v
printf x >>v/time_series/part-00000000.parquet
try v bad --format csv -q
test -e bad/series.jsonl || echo "no list"
try v bad2 --format csv --verify none -q
