# What is extracted from shards is what pyarrow, PyYAML and duckdb read.
need_python pyarrow yaml
"$python" "$data/../peers/passage_shards.py" c4w "$data/passage/export" >out || { cat out; exit 1; }
grep -q '5 rows and 6 images agree' out
