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
