# The number of threads changes nothing, for many records and for one whose links are shared.
r=$data/channels4world/release
for what in power gain delay-spread baseband padded mask response; do
	more=()
	[ $what != response ] || more=(--offsets=-1e7:1e7:5)
	for end in npy parquet csv jsonl; do
		for j in 1 2 8; do
			c4w channel "$r" --what "$what" "${more[@]}" -j $j -o "$j.$end"
		done
		cmp "1.$end" "2.$end"
		cmp "1.$end" "8.$end"
	done
done
# 126 paths x 2,000 offsets: large enough to be split.
for end in npy csv jsonl; do
	for j in 1 2 8; do
		c4w channel "$r" metro_scene_019234 --frequency 28000000000 --bs 0 --what response --offsets=-1e8:1e8:20000 -j $j -o "$j.$end"
	done
	cmp "1.$end" "2.$end"
	cmp "1.$end" "8.$end"
done
# Its rows are those of the links by themselves.
ue=$(c4w channel "$r" metro_scene_019234 --frequency 28000000000 --bs 0 --format csv | tail -1 | cut -d, -f1)
c4w channel "$r" metro_scene_019234 --frequency 28000000000 --bs 0 --what response --offsets=-1e8:1e8:20000 --ue "$ue" --format jsonl | cmp - <(tail -1 1.jsonl)
