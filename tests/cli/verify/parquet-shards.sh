# A folder that holds Parquet files and nothing else: each is an item.
mkdir shards
cp "$data/parquet/nested_maps.snappy.parquet" shards/data-0.parquet
cp "$data/parquet/null_list.parquet" shards/data-1.parquet
touch shards/_SUCCESS
code c4w verify shards
cp "$data/parquet/ARROW-GH-45185.parquet" shards/data-2.parquet
for j in 1 4; do code c4w verify -j $j shards; done
touch shards/notes.txt
code c4w verify shards 2>&1
