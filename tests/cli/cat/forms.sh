# Each format of an array and of a table: golden; slices, limits, columns.
cd "$data/containers"
for f in csv tsv jsonl; do echo "-- $f"; c4w cat f4-1.npy --format $f; c4w cat struct-1.npy --format $f; done
echo "-- raw, npy"
c4w cat f4-1.npy --format raw | od -An -tx1
c4w cat f4-1.npy --format npy | cmp - f4-1.npy
c4w cat fortran-1.npy --format npy | od -An -c | head -3
echo "-- scalars, text, time, empty"
for f in scalar-1.npy text-1.npy time-1.npy empty-1.npy bool-1.npy bytes-1.npy; do c4w cat $f; done
echo "-- slices"
c4w cat f4-1.npy --slice 1
c4w cat f4-1.npy --slice :,1
c4w cat f4-1.npy --slice=::-1,::2 --no-header
c4w cat f4-1.npy --slice=-1: --json
c4w cat f4-1.npy --limit 1
c4w cat f4-1.npy -n 0
c4w cat struct-1.npy --columns b,a --limit 1
echo "-- several leaves"
c4w cat savez.npz a b --no-header
c4w cat savez.npz a.npy --json
echo "-- a table"
cd "$data/channels4world/release/c4w-root"
c4w cat scenes.parquet --columns tier,scene_id --limit 2
c4w cat scenes.parquet --slice 1:3 --format tsv
c4w cat scenes.parquet scene_id --json
c4w cat scenes.parquet '#0/tier' --slice 3
echo "-- bytes"
c4w cat ../c4w-root.json | head -c 20
echo
echo "-- zstd stands for its content, frames can be had one by one"
cd "$data/containers"
c4w cat sized.zst | sha256sum
c4w cat sized.zst content | sha256sum
c4w cat two.zst 0 | od -An -c | head -2
