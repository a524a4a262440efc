# What only the Arrow schema in the metadata knows: dictionaries and lists of a fixed size; in a row group and in a column too.
cd "$data/parquet"
c4w ls arrow_schema.parquet | cut -f 1-4
c4w ls arrow_schema.parquet '#1' | cut -f 1-4 | head -4
c4w ls --json arrow_schema.parquet | head -1 | grep -o '"logical": "[^"]*"'
c4w info arrow_schema.parquet | grep ^arrow
c4w info --json nested_maps.snappy.parquet | grep -c arrow_ || true
# One that can't be read: said by info, no fault of the rest.
LC_ALL=C sed 's/^\/\/\/\/\//!\/\/\/\//' arrow_schema.parquet >"$OLDPWD/broken.parquet"
cd "$OLDPWD"
c4w info broken.parquet | grep -E "^(rows|arrow)"
c4w ls broken.parquet | cut -f 1-3 | head -4
code c4w cat broken.parquet --columns word
