# A folder of shards is one table, in the order of the names; other folders stay folders.
mkdir shards
for i in 2 0 1; do cp "$data/parquet/nested_maps.snappy.parquet" "shards/data-$i.parquet"; done
touch shards/_SUCCESS
c4w cat --format csv --columns b,c shards | wc -l
c4w cat --format jsonl --slice 5:8 --columns a.key shards
c4w cat --format tsv --limit 1 --columns b shards
cp "$data/parquet/null_list.parquet" shards/data-3.parquet
code c4w cat --format jsonl --columns b --slice 17:30 shards 2>&1
touch shards/notes.txt
code c4w cat --format jsonl shards 2>&1
