# The views of a small data set: the summary, lists, one record; JSON is one object a line.
t=$data/timef/gen r=$data/timef
c4w timef-inspect "$r" gen/tiny
c4w timef-inspect "$t/tiny" 1.2.0 --series --format csv
c4w timef-inspect "$t/tiny-zarr" --record record-0
c4w timef-inspect "$t/full-parquet" --tasks --type scalar_prediction --json
c4w timef-inspect "$t/full-parquet" --annotations --key age --format tsv
for v in records series annotations tasks files schema stats; do
	c4w timef-inspect "$t/full-zarr" --$v --limit 3 --json | python3 -c 'import json, sys; print(len([json.loads(l) for l in sys.stdin]))'
done
# text for people: columns that are empty in every row are left out, letters stand where JSON has escapes; lists only in csv
c4w timef-inspect "$data/timef/gen/full-zarr" --tasks --limit 4 | sed 's/ *$//'
c4w timef-inspect "$data/timef/gen/full-zarr" --tasks --type ts_generation --format csv
c4w timef-inspect "$data/timef/gen/full-zarr" --annotations --key cohort
c4w timef-inspect "$data/timef/gen/full-zarr" --annotations --key cohort --format csv
c4w timef-inspect "$data/timef/gen/full-zarr" --record 20 | sed -n '/^annotations/,$p' | sed 's/ *$//'
c4w timef-inspect "$data/timef/gen/full-zarr" --stats --record 106 --spec float64_plain
for x in "" "--record 20"; do c4w timef-inspect "$data/timef/gen/full-zarr" $x --format csv 2>&1 | head -1; done
