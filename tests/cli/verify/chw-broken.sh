# A byte that is off: named in text and JSON, ignored on demand, the first one ends a run with --fail-fast.
cp -r "$data/channels4world/release" r
flip() { # FILE OFFSET: one byte becomes another
	printf '\377' | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}
flip r/groups/test-urban-g00000/core-3500000000.tar 700
flip r/groups/test-urban-g00000/geometry.tar 700
code c4w verify r
code c4w verify r --json
code c4w verify r --quiet
code c4w verify r --fail-fast
code c4w verify r --ignore record.digest
code c4w verify r --ignore record.digest --ignore geometry.digest
code c4w verify r --components positions
# tables, metadata and documents
cp -r "$data/channels4world/release" s
flip s/schema/arrays.json 20
code c4w verify s --split test
cp "$data/channels4world/release/schema/arrays.json" s/schema/
flip s/groups/test-urban-g00000/snapshot.json 20
flip s/groups/train-metro-g00001/catalog/members.parquet 20
code c4w verify s
rm s/schema/arrays.json s/groups/test-urban-g00000/catalog/members.parquet
code c4w verify s
flip s/c4w-root/scenes.parquet 20
code c4w verify s
code c4w verify s --json
rm s/c4w-root/scenes.parquet
code c4w verify s
