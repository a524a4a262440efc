# A shard that can't be read is told; the rows of the others are listed, decoded and extracted all the same.
cp -r "$data/passage/export" x && chmod -R u+w x
shard=$(echo x/16x16/train/*.parquet)
truncate -s -100 "$shard"
expect 1 c4w decode-passage x -o dec 2>err
[ "$(cat err)" = "c4w decode-passage: '$shard': the file of $(stat -c %s "$shard") bytes does not end with PAR1: cut, or not Parquet (at byte $(($(stat -c %s "$shard") - 4)))" ] || fail "$(cat err)"
[ "$(find dec -name '*.npy' | wc -l)" = 2 ]
expect 1 c4w extract x tree >out 2>err
grep -qF "FAIL $shard: parquet.magic: the file" out
grep -q 'what was written is not complete' err
[ "$(find tree -name '*.npy.zst' | wc -l)" = 2 ]
expect 1 c4w ls x >out 2>err
[ "$(wc -l <out)" = 4 ] && grep -q PAR1 err
# a folder whose first shard is broken is a folder of shards still, and so is one where all are
cp "$data"/passage/export/16x16/test/*.parquet x/16x16/train/data-99999.parquet
expect 1 c4w verify x/16x16/train >out
grep -q 'passage.split' out && grep -q parquet.magic out
rm x/16x16/train/data-99999.parquet
expect 1 c4w extract x/16x16/train none 2>/dev/null >out
expect 1 c4w decode-passage x/16x16/train -o none 2>err
# a lone one is not taken for a blob
expect 1 c4w decode-passage "$shard" 2>err
grep -q PAR1 err
expect 4 c4w decode-passage "$data"/channels4world/release/c4w-root/scenes.parquet -o none 2>err
grep -q 'is a Parquet file without the columns of scenes' err
