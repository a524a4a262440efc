# What can't be had, and what is damaged: told, the rest is written, and the exit code says it.
r=$data/channels4world/release
one=(urban_scene_019231 --frequency 3500000000 --bs 0)
echo "not published:"
expect 3 c4w channel "$r" urban_scene_019231 --bs 0 --bs 7 --what delay-spread -o some.csv 2>&1
wc -l <some.csv
expect 2 c4w channel "$r" urban_scene_019231 --frequency 1 --bs 0 2>&1
echo "not downloaded:"
expect 3 c4w channel "$data/channels4world/partial" --what power -o part.csv >told.txt 2>&1
grep -c 'is not downloaded' told.txt
[ "$(wc -l <part.csv)" -gt 1 ]
expect 3 c4w channel "$data/channels4world/partial" --what power -o part.npy >told.txt 2>&1
tail -1 told.txt
[ ! -e part.npy ]

echo "damaged:"
cp -R "$data/channels4world/subset" bad
chmod -R u+w bad
file=$(find bad -name '*.npz' -path '*core*' | LC_ALL=C sort | head -1)
[ -n "$file" ] || file=$(find bad -name '*.npz' | LC_ALL=C sort | head -1)
printf 'X' | dd of="$file" bs=1 seek=200 conv=notrunc 2>/dev/null
expect 1 c4w channel bad --what power -o bad.csv >told.txt 2>&1
sed -e 's/expected .*/expected .../' told.txt

echo "too large:"
expect 4 c4w channel "$r" "${one[@]}" --what response --offsets=0:1:1000000 --memory 100M -o x.npy 2>&1 | sed 's/needs [0-9]* bytes/needs ... bytes/'
[ ! -e x.npy ]
expect 0 c4w channel "$r" --what power --memory 200K -o x.csv

echo "usage:"
expect 2 c4w channel "$r" "${one[@]}" --what response 2>&1
expect 2 c4w channel "$r" "${one[@]}" --what response --offsets=1,x 2>&1
expect 2 c4w channel "$r" "${one[@]}" --what response --offsets=1:2:0 2>&1
expect 2 c4w channel "$r" "${one[@]}" --what power --offsets=1 2>&1
expect 2 c4w channel "$r" "${one[@]}" --what padded --field link_ue_index 2>&1
expect 2 c4w channel "$r" "${one[@]}" --format npy 2>&1
expect 2 c4w channel "$r" "${one[@]}" --what power --format text 2>&1
expect 2 c4w channel "$r" 2>&1
expect 2 c4w channel "$r" nowhere 2>&1
expect 2 c4w channel "$r" "${one[@]}" --components core 2>&1
expect 2 c4w channel "$r" "${one[@]}" --show --what power 2>&1
expect 2 c4w channel "$r" "${one[@]}" --show -o x.gif 2>&1
expect 2 c4w channel "$r" "${one[@]}" --color-by los 2>&1
ln -s "$data/passage/tree" tree
expect 2 c4w channel tree x 2>&1

echo "output:"
echo old >kept.csv
expect 3 c4w channel "$r" urban_scene_019231 --bs 7 --what power -o kept.csv >told.txt 2>&1
cat kept.csv
expect 3 c4w channel "$r" "${one[@]}" --what power -o nowhere/x.csv 2>&1
ls -A | grep -c '^\.' || true
if command -v script >/dev/null; then
	script -qec "c4w channel $r ${one[*]} --what power --format npy" /dev/null </dev/null | tr -d '\r' | head -2
else
	printf '%s\n' "c4w channel: npy is binary and standard output is a terminal" "hint: name a file with -o, or use -f"
fi
echo "no such UE:"
code c4w channel "$r" "${one[@]}" --ue 24 2>&1
code c4w channel "$r" "${one[@]}" --ue=-1 2>&1
code c4w channel "$r" --what power --ue 24 2>&1
code c4w channel "$r" "${one[@]}" --ue 23
