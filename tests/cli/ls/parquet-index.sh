# Page indexes and Bloom filters of Parquet column chunks: how many there are in the file and in a row group.
cd "$data/parquet"
for f in arrow_schema.parquet bloom_filter.parquet null_list.parquet; do
	echo "== $f"
	c4w ls -l $f | cut -f 1,15-
	c4w ls -l $f '#0' | cut -f 1,15- | head -3
	c4w info $f | grep -E '^(column chunks|with )'
done
c4w ls -l --json bloom_filter.parquet | grep -o '"name": [^,]*\|"bloom_filter": [^,}]*'
