cd "$data/parquet"
code c4w verify nested_maps.snappy.parquet rle-dict-snappy-checksum.parquet
for f in datapage_v1-corrupt-checksum ARROW-GH-45185 ARROW-GH-47662 PARQUET-1481; do
	code c4w verify "$f.parquet"
done
