# What can't be listed: exit codes and words.
cd "$data/channels4world"
code c4w ls nonesuch
code c4w ls release no_such_scene
code c4w ls release urban_scene_019231/7
code c4w ls release urban_scene_019231/3500000000/0/core/tau/more
code c4w ls release --tier huge
code c4w ls release --scenes x,y
code c4w ls release/c4w-root.json
code c4w ls release/c4w-root.json inside
code c4w ls --records release/groups/test-urban-g00000/geometry.tar
code c4w ls --split test release/groups/test-urban-g00000/geometry.tar
code c4w ls --as nofamily release
code c4w ls --as timef release
code c4w ls --recursive --records release
code c4w ls
code c4w ls a b c
code c4w ls ../containers/twice.zip a
head -c 700 ../containers/methods.zip >"$OLDPWD/cut.zip"
cd "$OLDPWD"
code c4w ls cut.zip
: >empty.npy
code c4w ls empty.npy
