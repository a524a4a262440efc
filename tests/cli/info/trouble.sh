code c4w info
code c4w info nonesuch
code c4w info "$data/channels4world/release" nope 2>&1 | tail -3
printf '\x93NUMPY\x01\x00\x10\x00xxxxxxxxxxxxxxx\n' >bad.npy
code c4w info bad.npy
cp -r "$data/channels4world/release" r && chmod -R u+w r
printf '{}' >r/c4w-root.json
code c4w info r
code c4w info --as file r
