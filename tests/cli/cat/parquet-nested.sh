# Known bug 19 and its kin: lists by old writers, maps, null lists; known bug 24: Hadoop's LZ4; concatenated gzip members.
for f in old_list_structure null_list repeated_primitive_no_list nested_maps.snappy nonnullable.impala hadoop_lz4_compressed \
	datapage_v2.snappy float16_nonzeros_and_nans fixed_length_decimal_legacy unknown-logical-type; do
	echo "== $f"
	c4w cat --format jsonl "$data/parquet/$f.parquet" || echo "exit $?"
done
echo "== columns and rows"
c4w cat --format jsonl --columns a.value,b --slice 1:3 "$data/parquet/nested_maps.snappy.parquet"
c4w cat --format csv --slice 0:2 "$data/parquet/nested_maps.snappy.parquet"
c4w cat --format tsv --slice 0:2 --columns b,c "$data/parquet/nested_maps.snappy.parquet"
c4w cat --format jsonl "$data/parquet/concatenated_gzip_members.parquet" | tail -n 1
