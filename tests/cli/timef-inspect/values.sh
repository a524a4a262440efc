# Values: steps, offsets, timestamps, missing steps, labels and codes, ranges in steps, times and dates; both backends say the same.
t=$data/timef/gen
c4w timef-inspect "$t/tiny" --values series-0
c4w timef-inspect "$t/tiny" --values I --range 2000us:6000us
c4w timef-inspect "$t/tiny" --values ecg --range 2023-11-14T22:13:20.005:
c4w timef-inspect "$t/tiny" --values ecg --every 3 --format jsonl
c4w timef-inspect "$t/tiny" --values ecg --format raw | od -An -tx1
c4w timef-inspect "$t/tiny-zarr" --values ecg --format npy | tail -c 16 | od -An -tx1
c4w timef-inspect "$t/full-zarr" --record 106 --values enum_plain --range :3
c4w timef-inspect "$t/full-zarr" --record 106 --values enum_plain --range :3 --codes --format tsv
c4w timef-inspect "$t/full-parquet" --values series-all-null --range 0:2
# ranges: steps from the end as in numpy, offsets exact beyond 2^53, dates that don't exist
for range in -2: :-1 -9:2 3:1 9: 2777us:2778us 0.002777: .005555:8.333ms 0.0000461min: -5s:2777us 1us:9007199254740993us 2023-11-14T22:13:20.002777Z: \
	2023-11-14:2023-11-15 9999-12-31: 1e3us: 2023-02-29: 2024-02-30: 2024-04-31: 5 a: 1:2:3 1.2.3: 99999999999999999999: 9223372036854775808us: 1s:x; do
	echo "$range"
	c4w timef-inspect "$data/timef/gen/tiny" --values ecg --range=$range 2>&1 | tail -n +2 | cut -d, -f1,2,5
done
