# What can't be done says so, and how: exit codes 1, 2, 3 and 4.
t=$data/timef/gen r=$data/timef
try() {
	local code=0
	c4w timef-inspect "$@" >said 2>&1 || code=$?
	sed "s#$data#DATA#g" said
	echo "exit $code"
}
try "$t/tiny" --records --tasks
try "$t/tiny" --format npy
try "$r" --records
try "$r" gen/nothing
try "$r" gen/tiny@9.9.9
try "$r" gen/tiny@01.2.0
try nowhere
try "$t/tiny" --values nothing
try "$t/tiny" --record nothing
try "$t/tiny" --values ecg --range 5
try "$t/full-zarr" --record 106 --values 88 --range 1s:2s
try "$t/tiny" --show -o picture.gif
try "$t/full-zarr" --record 12x --tasks
try "$t/full-zarr" --series --spec float32plain
try "$t/full-zarr" --records --signal windo
try "$t/full-zarr" --annotations --key cohrt
try "$t/full-zarr" --tasks --type answr
try "$t/full-zarr" --tasks --key cohort
try "$t/full-zarr" --files --record 128
try "$t/tiny" --stats --range 1:2
try "$t/tiny" --show --json
try "$r" gen/tinny
try "$t/tiny" 2.0.0
try "$t/tiny" --values ecg --limit 0
for w in "--record nothing" "--spec float32plain" "--record 128 --spec float32_plain"; do
	c4w verify "$t/full-zarr" $w 2>&1 | sed "s#$data#DATA#g"
done
mkdir new
printf '{"timef_format_version": 2, "dataset_id": "a/b", "metadata": {"dataset_id": "a/b", "dataset_version": "1.0.0", "name": "n", "description": "d", "license": "MIT"}, "schema": {"time_series_specs": []}, "files": {"control": [{"path": "control.duckdb", "checksum": "sha256:00", "size": 1}], "time_series": []}}' >new/manifest.json
try new
try new --records
