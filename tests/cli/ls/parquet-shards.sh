# A folder that holds only Parquet files of the same columns is one table: its columns with what all files add up to, then the files.
mkdir shards catalogue
cp "$data/parquet/arrow_schema.parquet" shards/data-0.parquet
cp "$data/parquet/arrow_schema.parquet" 'shards/data 1.parquet'
touch shards/_SUCCESS
echo "== ls"
c4w ls -l shards
c4w info shards
c4w info --json shards | grep -o '"row_groups": [0-9]*'
echo "== addresses"
c4w ls -1 shards | while read -r a; do
	[ -n "$(c4w cat shards "$a" | head -1)" ] || fail "nothing at $a"
done
c4w cat shards plain --slice 3:6
expect 2 c4w cat shards nothing 2>&1
c4w info shards plain | grep node
echo "== below a folder"
c4w ls . shards | cut -f 1-3 | head -3
c4w info . shards | grep -E '^(node|format|files|rows)'
echo "== -R: the files"
c4w ls -R shards | cut -f 1-2 | head -3
echo "== not one table: other columns, other files, one that can't be read"
cp "$data/parquet/bloom_filter.parquet" catalogue/a.parquet
cp "$data/parquet/null_list.parquet" catalogue/b.parquet
c4w ls catalogue
c4w info catalogue | grep format
cp "$data/parquet/bloom_filter.parquet" catalogue/b.parquet
c4w ls catalogue | cut -f 1,2,6
echo bad >catalogue/c.parquet
c4w ls catalogue
rm catalogue/c.parquet
touch catalogue/notes.txt
c4w ls catalogue
