# every argument of the printed command is quoted for a shell
mkdir "it's here"
cp -r "$data/channels4world/release" "it's here/a b"
rm "it's here/a b/schema/arrays.json"
c4w missing "it's here/a b" --components positions --revision 'v1; rm -rf /' >out || true
command=$(sed -n 's/^  hf //p' out)
eval "set -- $command"
for a; do printf '%s\n' "$a"; done | sed "s|$PWD|DIR|"
