# A Channels4World root at each level: golden.
cd "$data/channels4world"
c4w ls release
c4w ls -l release
c4w ls release --split train --json
c4w ls release urban_scene_019231
c4w ls release urban_scene_019231/28000000000
c4w ls release urban_scene_019231/28000000000/1
c4w ls release urban_scene_019231/28000000000/1/core
c4w ls release urban_scene_019231/geometry
c4w ls --records release --scenes urban_scene_019231 --components detail,positions
c4w ls -l --files partial
c4w ls -l cache
c4w ls -1R subset | head -40
c4w ls --as file release
