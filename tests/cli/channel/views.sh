# A record and its links for people, with detail and without, and what has no answer.
r=$data/channels4world/release
one=(--frequency 3500000000 --bs 0)
c4w channel "$r" urban_scene_019231 "${one[@]}"
echo
c4w channel "$r" urban_scene_019231 "${one[@]}" --ue 3 | head -20
echo
echo "radians:"
c4w channel "$r" urban_scene_019231 "${one[@]}" --ue 3 --radians | sed -n 5,6p
echo
echo "detail is not published:"
c4w channel "$r" metro_scene_019234 "${one[@]}" --ue 3
echo
echo "no link:"
c4w channel "$r" metro_scene_019234 "${one[@]}" --ue 5
c4w channel "$r" metro_scene_019234 "${one[@]}" --ue 5 --json
c4w channel "$r" metro_scene_019234 "${one[@]}" --ue 5 --what power
echo
echo "a cache has the same:"
c4w channel "$data/channels4world/cache" urban_scene_019231 "${one[@]}" --ue 3 --format csv >cache.csv
c4w channel "$r" urban_scene_019231 "${one[@]}" --ue 3 --format csv | diff - cache.csv
cat cache.csv
# Wide enough for anybody: no line of a link is longer than 110 columns.
c4w channel "$r" urban_scene_019231 "${one[@]}" --ue 3 | awk 'length > 110 { bad = 1 } END { exit bad }'
