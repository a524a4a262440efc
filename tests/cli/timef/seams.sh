# ls, cat, info, verify and extract on TimeF: what ls prints is what cat takes.
t=$data/timef/gen r=$data/timef
c4w ls "$r"
c4w ls "$t/tiny-zarr"
c4w ls "$t/tiny-zarr" record-0
c4w ls "$r" gen/tiny@1.10.0/record-0/series-0
for x in $(c4w ls -1 "$t/full-zarr"); do
	for s in $(c4w ls -1 "$t/full-zarr" "$x"); do
		c4w cat "$t/full-zarr" "$s" >/dev/null || echo "no $s"
		for p in $(c4w ls -1 "$t/full-zarr" "$s"); do c4w cat "$t/full-zarr" "$p" >/dev/null || echo "no $p"; done
	done
done
c4w cat "$t/tiny" record-0/series-0
c4w cat "$t/tiny" record-0/series-0/offsets
c4w info "$t/tiny" record-0/series-0 | grep -v ^path
c4w verify "$r"
c4w verify "$r" --dataset gen/tiny@1.2.0 --level basic
cp -r "$t/tiny/1.2.0" v && chmod -R u+w v
printf x >>v/records/part-00000000.parquet
c4w verify v --level basic || echo "exit $?"
c4w extract "$t/full-zarr" out --spec float32_plain --record 106 --format npy 2>/dev/null
find out -type f | sort
cut -c1-80 out/series.jsonl
