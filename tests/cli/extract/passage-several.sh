# Several shards and folders of shards into one tree; scenes that occur twice; what can't be joined.
export=$data/passage/export
train=$export/16x16/train test=$export/16x16/test
shard=$(echo "$train"/*.parquet)
# a file, a folder, an export: the same tree, whatever they come in and however many threads
c4w extract -q "$export" whole
c4w extract -q "$shard" "$test" several
diff -r whole several
c4w extract -q "$test"/*.parquet "$train" "$export/16x16_samples/train" -j 4 other
diff -r whole other
c4w extract -q "$shard" one
c4w verify -q one
# a scene that is there twice with other content is told, and the first one stays
mkdir -p a b
cp "$shard" a/data-00000.parquet
python=${C4W_VENV:+$C4W_VENV/bin/python}
if "${python:-python3}" -c 'import pyarrow' 2>/dev/null; then
	"${python:-python3}" - "$shard" b/data-00000.parquet <<'END'
import json, sys
import pyarrow as pa, pyarrow.parquet as pq
t = pq.read_table(sys.argv[1])
rows = t.to_pylist()
m = json.loads(rows[0]["metadata_json"])
m["dataset_version"] = rows[0]["metadata"]["dataset_version"] = "other"
rows[0]["metadata_json"] = json.dumps(m)
pq.write_table(pa.Table.from_pylist(rows, schema=t.schema), sys.argv[2])
END
	code=0
	c4w extract -q a b twice >out 2>err || code=$?
	[ "$code" = 1 ] && [ ! -s err ]
	grep -q 'passage.scene-twice: the scene occurs twice in what is extracted, and .*0000000000.yaml. differs' out
	[ "$(wc -l <out)" = 1 ]
	diff -r one twice
fi
# the folders' names say nothing here: the metadata is what --resolution and --split look at
c4w extract -q a/data-00000.parquet --resolution 16 --split train r16
diff -r one r16
expect 2 c4w extract a --resolution 32 none 2>err
grep -q 'no scene that is selected' err
expect 2 c4w extract a --split test none 2>err
expect 2 c4w decode-passage a --resolution 32 -o none 2>err
[ ! -e none ]
c4w decode-passage a "$test" --split test -o dec
[ "$(find dec -name '*.npy' | wc -l)" = 1 ]
# a make file can name what was read
c4w extract -q "$shard" "$test" dep --depfile d
grep -qx "  $shard \\\\" d
# what can't be joined
expect 2 c4w extract "$data/passage/tree" "$shard" none 2>err
grep -q 'must be a PASSAGE shard or a folder of them; this is a tree' err
expect 2 c4w extract "$shard" "$data/channels4world/release" none 2>err
grep -q 'this is a Channels4World root' err
expect 3 c4w extract "$shard" nowhere none 2>err
grep -q "nowhere.: can't open" err
mkdir in && cp "$shard" in/
expect 2 c4w extract in/*.parquet in --skip-existing 2>err
grep -q 'one lies in the other' err
