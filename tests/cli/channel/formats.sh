# Arrays as text, JSON lines, NPY and Parquet; the ending decides unless --format does.
r=$data/channels4world/release
one=(urban_scene_019231 --frequency 3500000000 --bs 0)
c4w channel "$r" "${one[@]}" --what power | head -3
c4w channel "$r" "${one[@]}" --what gain --format jsonl | head -2
c4w channel "$r" "${one[@]}" --what delay-spread --format tsv --ue 3
c4w channel "$r" "${one[@]}" --what response --offsets=-1e6,0,1e6 --ue 3
c4w channel "$r" "${one[@]}" --what response --offsets=-1e6:1e6:3 --ue 3 >range.csv
c4w channel "$r" "${one[@]}" --what response --offsets=-1e6,0,1e6 --ue 3 | cmp - range.csv
c4w channel "$r" "${one[@]}" --what baseband --reference first --ue 3 | head -2
c4w channel "$r" "${one[@]}" --what padded --field path_rank --ue 3
c4w channel "$r" "${one[@]}" --what mask --ue 3
c4w channel "$r" "${one[@]}" --json | head -2
c4w channel "$r" "${one[@]}" --json --ue 3 | cut -c 1-400
c4w channel "$r" "${one[@]}" --format csv | head -3

echo "by ending:"
for end in npy csv tsv jsonl parquet; do
	c4w channel "$r" "${one[@]}" --what padded -o "x.$end"
done
c4w info x.npy | grep -E 'dtype|shape|^ *file' || true
c4w cat x.npy --format csv | cmp - x.csv
c4w cat x.npy --format tsv | cmp - x.tsv
c4w cat x.npy --format jsonl | cmp - x.jsonl
c4w cat x.parquet --format csv | head -1

echo "many:"
c4w channel "$r" --split test --what power -o all.parquet
c4w channel "$r" --split test --what power -o all.npy
c4w channel "$r" --split test --what power >all.csv
c4w cat all.npy --format csv | cmp - all.csv
c4w cat all.parquet --format csv | cmp - all.csv
head -2 all.csv
wc -l <all.csv
# One table of all is the tables of each, one after the other.
for scene in urban_scene_019231 urban_scene_019232; do
	for hz in 3500000000 28000000000; do
		for bs in 0 1; do
			c4w channel "$r" "$scene" --frequency "$hz" --bs "$bs" --what power | tail -n +2
		done
	done
done >each.txt
tail -n +2 all.csv | sed 's/.*,//' | cmp - each.txt
